// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* select.c - chooses the offset to send on, by UGAL's comparison on measured or predicted
 * loads.
 *
 * A forwarding table cannot choose for each packet, so the choice is made for a pair,
 * before it sends, among the routes of its offsets.  Where the papers use the occupancy of
 * an output buffer, this file uses how busy the link was.
 * Sources of the forms: Kathareios et al. (SC'15) section 4.1, Yebenes et al.
 * (HOTI 2017) section 3. */
#include <stdlib.h>
#include <string.h>

#include "demand_impl.h"
#include "moore/select.h"

#define BUSIEST 0.99		/* the occupancy formula is capped at this share */

static const struct moore_ugal forms[] = {
	{ "path", "the fullest link of each route counts", 1, 0.5, true, false },
	{ "kathareios", "Kathareios et al., SC'15: Slim Fly, the first link, length as weight, "
	  "threshold", 1, 0.1, true, true },
	{ "yebenes", "Yebenes et al., HOTI 2017: the first link, weight 2, threshold", 2, 0.5, false,
	  true },
};

const struct moore_ugal *
moore_ugal_at(size_t i)
{
	return i < ARRAY_LEN(forms) ? &forms[i] : NULL;
}

static double
queue_of(const struct moore_use *u)
{
	double load = u->load > 0 ? u->load : 0, wait = u->wait > 0 ? u->wait : 0;
	double busy = load + wait < BUSIEST ? load + wait : BUSIEST;

	return busy / (1 - busy);
}

/* The link to the endpoint is common to all offsets, so it does not count. */
static void
look(struct moore_choice *c, unsigned k, const uint32_t *port, unsigned n,
     const struct moore_use *use, bool local)
{
	unsigned counted = local && n > 1 ? 1 : n ? n - 1 : 0;

	c->hops[k] = n ? (uint16_t)(n - 1) : UINT16_MAX;
	c->queue[k] = 0;
	c->worst[k] = MOORE_NONE;
	for (unsigned i = 0; i < counted; i++) {
		double q = queue_of(&use[port[i]]);

		if (c->worst[k] == MOORE_NONE || q > c->queue[k]) {
			c->queue[k] = q;
			c->worst[k] = port[i];
		}
	}
}

static void
choose(struct moore_choice *c, const struct moore_ugal *u)
{
	unsigned least = MOORE_N_OFFSETS, best;
	double cost, least_cost;

	for (unsigned k = 0; k < c->n_offsets; k++)
		if (c->hops[k] != UINT16_MAX &&
		    (least == MOORE_N_OFFSETS || c->hops[k] < c->hops[least] ||
		     (c->hops[k] == c->hops[least] && c->queue[k] < c->queue[least])))
			least = k;
	c->offset = (uint16_t)least;
	c->minimal = true;
	if (least == MOORE_N_OFFSETS)
		return;
	best = least;
	least_cost = c->queue[least] - u->threshold;
	for (unsigned k = 0; k < c->n_offsets; k++) {
		if (c->hops[k] == UINT16_MAX || c->hops[k] == c->hops[least] || !c->hops[least])
			continue;
		cost = u->weight * c->queue[k] * (u->by_hops ? (double)c->hops[k] / c->hops[least] : 1);
		if (cost < least_cost) {
			least_cost = cost;
			best = k;
		}
	}
	c->offset = (uint16_t)best;
	c->minimal = c->hops[best] == c->hops[least];
}

static int
select_one(const struct moore_fabric *f, const struct moore_lft *lft, const struct moore_line *line,
	   struct moore_use *use, const struct moore_ugal *form, struct moore_choice *c)
{
	uint32_t port[MOORE_HOPS_MAX];
	const struct moore_endpoint *ep;
	unsigned n;

	if (c->from >= f->n_switches || c->ep >= f->n_endpoints)
		return -MOORE_EINVAL;
	ep = &f->ep[c->ep];
	c->n_offsets = (uint16_t)(ep->lmc < 8 ? 1u << ep->lmc : MOORE_N_OFFSETS);
	for (unsigned k = 0; k < c->n_offsets; k++) {
		n = ep->lid ? load_route(f, lft, c->from, c->ep, (moore_lid)(ep->lid + k), port) : 0;
		look(c, k, port, n, use, form->local);
	}
	choose(c, form);
	if (c->offset == MOORE_N_OFFSETS || c->bytes <= 0)
		return 0;
	n = load_route(f, lft, c->from, c->ep, (moore_lid)(ep->lid + c->offset), port);
	for (unsigned i = 0; i < n; i++)
		if (line[port[i]].bytes_per_s > 0)
			use[port[i]].load = (use[port[i]].load > 0 ? use[port[i]].load : 0) +
					    c->bytes / line[port[i]].bytes_per_s;
	return 0;
}

int
moore_path_select(const struct moore_fabric *f, const struct moore_lft *lft,
		  const struct moore_line *line, struct moore_use *use, const struct moore_ugal *form,
		  struct moore_choice *c, size_t n, struct moore_err *err)
{
	if (lft->n_switches != f->n_switches)
		return moore_fail(err, MOORE_EINVAL, 0, "the forwarding tables are not this fabric's");
	for (size_t i = 0; i < n; i++)
		if (select_one(f, lft, line, use, form, &c[i]) < 0)
			return moore_fail(err, MOORE_EINVAL, 0,
					  "pair %zu: no such switch or endpoint", i);
	return 0;
}

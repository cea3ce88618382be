// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* demand.c - who sends to whom, estimated from how full the links are.
 *
 * Unknown x(s, l): bytes per second from the endpoints of switch s to LID l, so that
 * the destination endpoint and the offset are part of it.  Measured are sums of them:
 * what each link carries, what each switch's endpoints send, what each endpoint gets.
 *
 * Start: gravity, x = sent(s) * received(endpoint) / all, of which the base LID has half
 * and the other offsets the rest evenly.  Then rounds of the multiplicative step for
 * Poisson counts (Shepp and Vardi 1982; Vardi 1996 for networks): each x times the mean of
 * measured / fitted over the rows that it is in.  No step increases the Kullback-Leibler
 * divergence of the rows; what the rows do not tell apart stays in the proportion of
 * the prior.
 *
 * Routes are looked up in the tables at each round rather than stored: 12,168 LIDs of
 * 338 switches have ten million hops.  Elsewhere: what goes over one link (cause.c). */
#include <stdlib.h>
#include <string.h>

#include "demand.h"

#define ROUNDS_MAX 60
#define GOOD_ENOUGH 0.005	/* of the load is not explained */
#define STALLED 0.995		/* a round that leaves more of the misfit than this is the last */

/* ---- rows ------------------------------------------------------------------------------- */

static double
tx_of(const struct moore_fabric *f, const struct moore_loads *l, uint32_t i)
{
	const struct moore_port *p = &f->port[i];

	if (l->tx[i] >= 0 || p->role != MOORE_ROLE_SWITCH)
		return l->tx[i];
	return l->rx[f->sw[p->peer].port0 + p->peer_port];
}

/* What the endpoints of a switch send; negative when none of them tells. */
static double
sent_by(const struct moore_fabric *f, const struct moore_loads *l, moore_swid s, bool *all)
{
	double sum = -1;

	*all = true;
	for (unsigned n = 1; n <= f->sw[s].n_ports; n++) {
		uint32_t i = f->sw[s].port0 + n;

		if (f->port[i].role != MOORE_ROLE_ENDPOINT)
			continue;
		if (l->rx[i] >= 0)
			sum = (sum < 0 ? 0 : sum) + l->rx[i];
		else
			*all = false;
	}
	return sum;
}

static bool
has_endpoints(const struct moore_fabric *f, moore_swid s)
{
	for (unsigned n = 1; n <= f->sw[s].n_ports; n++)
		if (moore_fabric_port(f, s, (moore_portnum)n)->role == MOORE_ROLE_ENDPOINT)
			return true;
	return false;
}

/* Sources that send, or may; their rows; sent[] with the mean for those not known. */
static void
find_sources(struct moore_demand *d, const struct moore_loads *l, double *sent)
{
	const struct moore_fabric *f = d->f;
	double known = 0;
	uint32_t n_known = 0;
	bool all;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		double x = sent_by(f, l, s, &all);

		if (x == 0 && all)
			continue;
		if (!has_endpoints(f, s))
			continue;
		if (x >= 0) {
			known += x;
			n_known++;
		}
		sent[d->n_sources] = x;
		d->row[f->n_ports + d->n_sources] = all ? x : -1;
		d->source[d->n_sources++] = s;
	}
	for (uint32_t i = 0; i < d->n_sources; i++)
		if (sent[i] < 0)
			sent[i] = n_known ? known / n_known : 1;
}

static int
by_switch(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* LIDs of endpoints that receive, or may, in order of their switches. */
static int
find_dests(struct moore_demand *d)
{
	const struct moore_fabric *f = d->f;
	uint64_t *order = malloc(((size_t)f->n_endpoints + 1) * sizeof(*order));
	uint32_t n = 0;

	if (!order)
		return -MOORE_ENOMEM;
	for (uint32_t e = 0; e < f->n_endpoints; e++) {
		const struct moore_endpoint *ep = &f->ep[e];

		if (ep->sw != MOORE_NONE && ep->lid && d->row[f->sw[ep->sw].port0 + ep->port] != 0)
			order[n++] = (uint64_t)ep->sw << 32 | e;
	}
	qsort(order, n, sizeof(*order), by_switch);
	for (uint32_t i = 0; i < n; i++) {
		moore_epid e = (moore_epid)order[i];

		for (unsigned k = 0; k < 1u << f->ep[e].lmc; k++)
			d->dest[d->n_dests++] = (struct demand_dest){
				(moore_lid)(f->ep[e].lid + k), (uint16_t)k, e };
	}
	free(order);
	return 0;
}

static int
fill_rows(struct moore_demand *d, const struct moore_loads *l, double *sent)
{
	const struct moore_fabric *f = d->f;

	for (uint32_t i = 0; i < f->n_ports; i++) {
		uint8_t role = f->port[i].role;

		d->rx[i] = l->rx[i];
		d->row[i] = role == MOORE_ROLE_SWITCH || role == MOORE_ROLE_ENDPOINT ?
			    tx_of(f, l, i) : -1;
	}
	find_sources(d, l, sent);
	return find_dests(d);
}

/* ---- the prior ---------------------------------------------------------------------------- */

static double
received(const struct moore_demand *d, moore_epid e)
{
	const struct moore_endpoint *ep = &d->f->ep[e];

	return d->row[d->f->sw[ep->sw].port0 + ep->port];
}

static void
gravity(struct moore_demand *d, const double *sent)
{
	double all = 0, mean, known = 0;
	uint32_t n_known = 0;

	for (uint32_t i = 0; i < d->n_sources; i++)
		all += sent[i];
	for (uint32_t j = 0; j < d->n_dests; j++)
		if (!d->dest[j].offset && received(d, d->dest[j].ep) >= 0) {
			known += received(d, d->dest[j].ep);
			n_known++;
		}
	mean = n_known ? known / n_known : 1;
	for (uint32_t j = 0; j < d->n_dests; j++) {
		const struct demand_dest *t = &d->dest[j];
		unsigned others = (1u << d->f->ep[t->ep].lmc) - 1;
		double to = received(d, t->ep) >= 0 ? received(d, t->ep) : mean;
		double part = !others ? 1 : !t->offset ? 0.5 : 0.5 / others;

		for (uint32_t i = 0; i < d->n_sources; i++)
			d->x[(size_t)j * d->n_sources + i] =
				(float)(all > 0 ? sent[i] * to * part / all : 0);
	}
}

/* ---- rounds ----------------------------------------------------------------------------------- */

/* The tree of one LID: the port by which each switch sends and the switch that leads to. */
struct tree {
	uint32_t *out;		/* MOORE_NONE: no route from here */
	moore_swid *next;	/* MOORE_NONE: the endpoint */
};

static void
tree_of(const struct moore_demand *d, const struct demand_dest *t, struct tree *tree)
{
	const struct moore_fabric *f = d->f;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint8_t out = moore_lft_row(d->lft, s)[t->lid];
		const struct moore_port *p;

		tree->out[s] = MOORE_NONE;
		tree->next[s] = MOORE_NONE;
		if (!out || out > f->sw[s].n_ports)
			continue;
		p = moore_fabric_port(f, s, out);
		if (p->role == MOORE_ROLE_SWITCH)
			tree->next[s] = p->peer;
		if (p->role == MOORE_ROLE_SWITCH ||
		    (p->role == MOORE_ROLE_ENDPOINT && p->peer == t->ep))
			tree->out[s] = f->sw[s].port0 + out;
	}
}

/* One x: bring it nearer to the rows by ratio[], then add it to their fit. */
static void
one(struct moore_demand *d, const struct tree *tree, uint32_t i, float *x, const double *ratio)
{
	uint32_t at[LOAD_HOPS], n = 0, rows = 0;
	double sum = 0;
	moore_swid s = d->source[i];

	for (; s != MOORE_NONE && n < LOAD_HOPS && tree->out[s] != MOORE_NONE; s = tree->next[s])
		at[n++] = tree->out[s];
	if (s != MOORE_NONE) {		/* it never gets there */
		*x = 0;
		return;
	}
	if (ratio) {
		at[n] = d->f->n_ports + i;
		for (uint32_t k = 0; k <= n; k++)
			if (d->row[at[k]] >= 0) {
				sum += ratio[at[k]];
				rows++;
			}
		if (rows)
			*x = (float)(*x * sum / rows);
	}
	for (uint32_t k = 0; k < n; k++)
		d->fit[at[k]] += *x;
	d->fit[d->f->n_ports + i] += *x;
}

static void
one_round(struct moore_demand *d, struct tree *tree, const double *ratio)
{
	memset(d->fit, 0, (d->f->n_ports + d->n_sources) * sizeof(*d->fit));
	for (uint32_t j = 0; j < d->n_dests; j++) {
		tree_of(d, &d->dest[j], tree);
		for (uint32_t i = 0; i < d->n_sources; i++)
			one(d, tree, i, &d->x[(size_t)j * d->n_sources + i], ratio);
	}
}

/* Fill ratio[]; the part of the measured sums that is not explained. */
static double
compare(const struct moore_demand *d, double *ratio)
{
	double off = 0, all = 0;

	for (uint32_t i = 0; i < d->f->n_ports + d->n_sources; i++) {
		double y = d->row[i], fit = d->fit[i];

		ratio[i] = fit > 0 ? y / fit : 1;
		if (y < 0)
			continue;
		off += y > fit ? y - fit : fit - y;
		all += y;
	}
	return all > 0 ? (off < all ? off / all : 1) : 0;
}

static double
agree(struct moore_demand *d, struct tree *tree, double *ratio)
{
	double misfit, before;

	one_round(d, tree, NULL);
	misfit = compare(d, ratio);
	for (unsigned n = 0; n < ROUNDS_MAX && misfit > GOOD_ENOUGH; n++) {
		before = misfit;
		one_round(d, tree, ratio);
		misfit = compare(d, ratio);
		if (misfit > before * STALLED)
			break;
	}
	return misfit;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static int
demand_new(struct moore_demand **out, const struct moore_fabric *f, const struct moore_lft *lft)
{
	struct moore_demand *d = calloc(1, sizeof(*d));
	size_t rows = (size_t)f->n_ports + f->n_switches + 1, lids = 1;

	*out = d;
	if (!d)
		return -MOORE_ENOMEM;
	for (uint32_t e = 0; e < f->n_endpoints; e++)
		lids += (size_t)1 << f->ep[e].lmc;
	d->f = f;
	d->lft = lft;
	d->source = malloc(((size_t)f->n_switches + 1) * sizeof(*d->source));
	d->dest = malloc(lids * sizeof(*d->dest));
	d->row = malloc(rows * sizeof(*d->row));
	d->fit = malloc(rows * sizeof(*d->fit));
	d->rx = malloc(rows * sizeof(*d->rx));
	return d->source && d->dest && d->row && d->fit && d->rx ? 0 : -MOORE_ENOMEM;
}

void
moore_demand_free(struct moore_demand *d)
{
	if (!d)
		return;
	free(d->source);
	free(d->dest);
	free(d->x);
	free(d->row);
	free(d->fit);
	free(d->rx);
	free(d);
}

static int
estimate(struct moore_demand *d, const struct moore_loads *loads, struct moore_arena *tmp,
	 double *misfit)
{
	const struct moore_fabric *f = d->f;
	size_t rows = (size_t)f->n_ports + f->n_switches + 1;
	double *sent = moore_arena_alloc(tmp, (size_t)f->n_switches + 1, sizeof(*sent));
	double *ratio = moore_arena_alloc(tmp, rows, sizeof(*ratio));
	struct tree tree = {
		moore_arena_alloc(tmp, (size_t)f->n_switches + 1, sizeof(*tree.out)),
		moore_arena_alloc(tmp, (size_t)f->n_switches + 1, sizeof(*tree.next)),
	};

	if (!sent || !ratio || !tree.out || !tree.next || fill_rows(d, loads, sent) < 0)
		return -MOORE_ENOMEM;
	d->x = malloc(((size_t)d->n_dests * d->n_sources + 1) * sizeof(*d->x));
	if (!d->x)
		return -MOORE_ENOMEM;
	gravity(d, sent);
	*misfit = agree(d, &tree, ratio);
	return 0;
}

int
moore_demand_estimate(struct moore_demand **out, const struct moore_fabric *f,
		      const struct moore_lft *lft, const struct moore_loads *loads, double *misfit,
		      struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_demand *d = NULL;
	double off = 0;
	int rc;

	*out = NULL;
	if (lft->n_switches != f->n_switches || lft->stride <= f->lid_top)
		return moore_fail(err, MOORE_EINVAL, 0, "the forwarding tables are not this fabric's");
	rc = demand_new(&d, f, lft);
	if (rc == 0)
		rc = estimate(d, loads, &tmp, &off);
	moore_arena_free(&tmp);
	if (rc < 0) {
		moore_demand_free(d);
		return moore_fail_nomem(err);
	}
	if (misfit)
		*misfit = off;
	*out = d;
	return 0;
}

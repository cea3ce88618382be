// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether_net.c - forwarding tables of a snapshot from the routes that Ethernet switches run.
 *
 * The library turns routes into the tables of racks, where a LID stands for a prefix: a switch
 * and a layer.  Here each endpoint gets the rows of its switch's prefixes, one for each LID offset,
 * so that whatever reads the tables of an InfiniBand snapshot reads these too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "planned.h"
#include "scan/ether.h"

#define ADDRESSES_MAX ((size_t)1 << 30)

void
ether_net_free(struct ether_net *net)
{
	moore_fabric_free(net->racks);
	moore_ether_free(net->x);
	*net = (struct ether_net){ NULL };
}

static int
read_addresses(struct ether_net *out, const char *path, struct moore_plan *plan, struct moore_err *err)
{
	struct moore_buf text;
	struct moore_err why;
	int rc;

	if ((rc = file_read(path, ADDRESSES_MAX, &text, err)) < 0) {
		moore_plan_free(plan);
		return rc;
	}
	if ((rc = moore_ether_read_addresses(&out->x, plan, text.data, text.len, &why)) < 0 ||
	    (rc = moore_ether_racks(&out->racks, out->x, MOORE_RACKS_JUDGED, &why)) < 0)
		moore_fail(err, -rc, why.line, "%.150s: %s", path, why.text);
	moore_buf_free(&text);
	return rc;
}

int
ether_net_read(struct ether_net *out, const char *dir, struct moore_err *err)
{
	struct planned *plan = NULL;
	char path[sizeof(plan->path) + 16];
	int rc;

	*out = (struct ether_net){ NULL };
	snprintf(path, sizeof(path), "%s/plan.json", dir);
	if ((rc = planned_read(&plan, path, err)) < 0)
		return rc;
	snprintf(path, sizeof(path), "%s/addresses.json", dir);
	rc = read_addresses(out, path, plan->plan, err);
	plan->plan = NULL;		/* the network's */
	planned_put(plan);
	if (rc < 0)
		ether_net_free(out);
	return rc;
}

enum moore_ip
ether_net_ip(const struct ether_net *net)
{
	return net->x->opts.range[MOORE_IP4].is_set ? MOORE_IP4 : MOORE_IP6;
}

uint8_t
ether_net_lmc(const struct ether_net *net)
{
	uint8_t lmc = 0;

	while (1u << lmc < net->x->opts.n_layers)
		lmc++;
	return lmc;
}

moore_swid
ether_find(const struct moore_plan *plan, const char *name, moore_swid guess)
{
	if (guess < plan->n_switches && !strcmp(plan->sw[guess].name, name))
		return guess;
	for (moore_swid s = 0; s < plan->n_switches; s++)
		if (!strcmp(plan->sw[s].name, name))
			return s;
	return MOORE_NONE;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* For each switch of the snapshot: itself in the network, and the LID of its rack there. */
struct place {
	moore_swid sw;		/* MOORE_NONE: the network has no such switch */
	moore_lid lid;
};

static struct place *
places_of(const struct snapshot *s, const struct ether_net *net)
{
	uint32_t n = s->seen->n_switches;
	struct place *at = calloc((size_t)n + 1, sizeof(*at));
	moore_lid *lid = calloc((size_t)net->racks->n_switches + 1, sizeof(*lid));

	if (at && lid) {
		for (moore_epid e = 0; e < net->racks->n_endpoints; e++)
			lid[net->racks->ep[e].sw] = net->racks->ep[e].lid;
		for (moore_swid i = 0; i < n; i++) {
			at[i].sw = ether_find(net->x->plan, s->seen->sw[i].name, i);
			at[i].lid = at[i].sw != MOORE_NONE ? lid[at[i].sw] : 0;
		}
	} else {
		free(at);
		at = NULL;
	}
	free(lid);
	return at;
}

/* The rows of switch i; from[] are those of the racks. */
static void
fill_rows(struct snapshot *s, moore_swid i, const uint8_t *from, const struct place *at, uint32_t layers)
{
	const struct moore_fabric *f = s->fabric;
	uint8_t *row = moore_lft_row(s->lft, i);

	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		const struct moore_endpoint *ep = &f->ep[e];

		if (ep->sw == MOORE_NONE || !at[ep->sw].lid)
			continue;
		for (uint32_t k = 0; k < 1u << ep->lmc; k++)
			row[ep->lid + k] = ep->sw == i ? ep->port : from[at[ep->sw].lid + k % layers];
	}
	for (moore_swid d = 0; d < f->n_switches; d++)
		if (at[d].lid)
			row[f->sw[d].lid] = d == i ? 0 : from[at[d].lid];
}

int
ether_net_tables(struct snapshot *s, const struct ether_net *net,
		 const struct moore_ether_config *config, struct moore_err *err)
{
	struct moore_ether_faults ignored = { .n = 0 };
	struct moore_ether_tables t = { NULL };
	struct place *at = places_of(s, net);
	int rc = at ? moore_ether_tables_init(&t, net->racks, err) : moore_fail_nomem(err);

	for (moore_swid i = 0; i < net->racks->n_switches && rc == 0; i++)
		rc = moore_ether_take_config(&t, &ignored, net->x, net->racks, i, &config[i], err);
	if (rc == 0 && (rc = moore_lft_new(&s->lft, s->fabric->n_switches, s->fabric->lid_top, err)) == 0)
		for (moore_swid i = 0; i < s->fabric->n_switches; i++)
			if (at[i].sw != MOORE_NONE)
				fill_rows(s, i, moore_lft_row(t.lft, at[i].sw), at, net->x->opts.n_layers);
	moore_ether_tables_fini(&t);
	free(at);
	return rc;
}

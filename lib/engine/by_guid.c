// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* by_guid.c - a copy of a fabric with its switches in the order of their GUIDs.
 *
 * A degraded fabric can lie in its family's graph in several ways, and the switches of the graph
 * are numbered in the order of the fabric's.  The plugin lists switches by GUID; dumps and
 * captures list them in another order, and routes must be the same. */
#include <stdlib.h>
#include <string.h>

#include "engine/intended.h"

struct place {
	uint64_t guid;
	moore_swid sw;
};

static int
by_guid(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->sw < y->sw ? -1 : x->sw > y->sw;
}

/* Moves the copied switches to their places.  Names are the copy's own. */
static void
place_switches(struct moore_fabric *g, const struct moore_fabric *f, const struct place *at,
	       char **name)
{
	for (moore_swid s = 0; s < f->n_switches; s++)
		name[s] = g->sw[s].name;
	for (moore_swid s = 0; s < f->n_switches; s++) {
		g->sw[s] = f->sw[at[s].sw];
		g->sw[s].name = name[at[s].sw];
	}
	moore_fabric_layout(g);
}

static void
place_ports(struct moore_fabric *g, const struct moore_fabric *f, const moore_swid *to)
{
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 0; p <= f->sw[s].n_ports; p++) {
			struct moore_port *q = &g->port[g->sw[to[s]].port0 + p];

			*q = *moore_fabric_port(f, s, (moore_portnum)p);
			if (q->role == MOORE_ROLE_SWITCH)
				q->peer = to[q->peer];
		}
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		if (f->ep[e].sw != MOORE_NONE)
			g->ep[e].sw = to[f->ep[e].sw];
}

int
moore_intended_by_guid(struct moore_fabric **out, const struct moore_fabric *f, struct moore_err *err)
{
	struct place *at = malloc((f->n_switches + (size_t)1) * sizeof(*at));
	moore_swid *to = malloc((f->n_switches + (size_t)1) * sizeof(*to));
	char **name = malloc((f->n_switches + (size_t)1) * sizeof(*name));
	int rc = at && to && name ? moore_fabric_copy(out, f, err) : moore_fail_nomem(err);

	if (rc == 0) {
		for (moore_swid s = 0; s < f->n_switches; s++)
			at[s] = (struct place){ f->sw[s].guid, s };
		qsort(at, f->n_switches, sizeof(*at), by_guid);
		for (moore_swid s = 0; s < f->n_switches; s++)
			to[at[s].sw] = s;
		place_switches(*out, f, at, name);
		place_ports(*out, f, to);
	}
	free(at);
	free(to);
	free(name);
	return rc;
}

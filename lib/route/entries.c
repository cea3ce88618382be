// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* entries.c - the sides of ports of the observed fabric in entry turns: SL2VL tables depend on these. */
#include <stdlib.h>

#include "route/build.h"

/* Gives the ports of middle switch m that lead to switch s a side. */
static void
mark_ports(struct moore_route *r, moore_swid m, moore_swid s, uint8_t side)
{
	const struct moore_fabric *f = r->seen;

	for (unsigned p = 1; p <= f->sw[m].n_ports; p++) {
		const struct moore_port *q = moore_fabric_port(f, m, (moore_portnum)p);

		if (q->role == MOORE_ROLE_SWITCH && q->peer == s)
			r->entry[f->sw[m].port0 + p] = side;
	}
}

int
moore_rbuild_entries(struct moore_route *r, struct moore_err *err)
{
	const struct moore_rgraph *g = &r->g;

	for (uint32_t e = 0; r->turns.side && e < g->n_edges; e++) {
		moore_swid s = g->sw_of[moore_rgraph_tail(g, e)], m = g->sw_of[g->to[e]];

		if (!r->turns.side[e] || r->turns.side[e] & MOORE_SIDE_OUT || s == MOORE_NONE ||
		    m == MOORE_NONE)
			continue;
		if (!r->entry && !(r->entry = calloc((size_t)r->seen->n_ports + 1, 1)))
			return moore_fail_nomem(err);
		mark_ports(r, m, s, r->turns.side[e]);
	}
	return 0;
}

const uint8_t *
moore_route_entries(const struct moore_route *r)
{
	return r->entry;
}

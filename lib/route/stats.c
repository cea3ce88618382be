// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* stats.c - how the observed fabric differs from the plan: in numbers, and by its missing
 * links. */
#include "route/build.h"

static bool
is_in_plan(const struct moore_rgraph *g, uint32_t e)
{
	return g->flags[e] & (MOORE_EDGE_PLANNED | MOORE_EDGE_ODD);
}

static bool
is_missing(const struct moore_rgraph *g, uint32_t e)
{
	return is_in_plan(g, e) && !(g->flags[e] & (MOORE_EDGE_UP | MOORE_EDGE_AVOID));
}

/* Each link has two edges, and each live link two live ends. */
static void
count_edges(const struct moore_rgraph *g, struct moore_route_stats *st)
{
	uint32_t missing = 0, extra = 0, one_lane = 0;

	for (uint32_t e = 0; e < g->n_edges; e++) {
		missing += is_missing(g, e);
		extra += !is_in_plan(g, e) && g->flags[e] & MOORE_EDGE_UP;
		one_lane += !g->one_vl && g->flags[e] & MOORE_EDGE_ONE_LANE;
	}
	st->missing_links = missing / 2;
	st->extra_links = extra / 2;
	st->one_lane_links = one_lane / 2;
}

/* Ends of links between switches of f; a cable from a switch to itself does not count. */
static uint32_t
count_ends(const struct moore_fabric *f)
{
	uint32_t n = 0;

	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			n += q->role == MOORE_ROLE_SWITCH && q->peer != s;
		}
	return n;
}

void
moore_rbuild_count(struct moore_route *r)
{
	const struct moore_rgraph *g = &r->g;
	struct moore_route_stats *st = &r->stats;
	uint32_t live = 0;

	count_edges(g, st);
	for (uint32_t i = 0; i < g->xpar[g->n_edges]; i++)
		live += g->par[i].live;
	st->unused_links = (count_ends(r->seen) - live - g->spared.n_ends) / 2;
	st->avoided_links = g->spared.n_ends / 2;
	st->drained_switches = g->spared.n_drained;
	st->unknown_rules = g->spared.n_unknown;
	st->unknown_line = g->spared.unknown_line;
	for (uint32_t s = 0; s < g->n; s++)
		st->missing_switches += g->sw_of[s] == MOORE_NONE;
}

/* The port that the plan gives edge e: the least one, if it has several. */
static moore_portnum
planned_port(const struct moore_rgraph *g, uint32_t e)
{
	return g->xpar[e] < g->xpar[e + 1] ? g->par[g->xpar[e]].port : 0;
}

size_t
moore_route_gaps(const struct moore_route *r, struct moore_route_gap *out, size_t max)
{
	const struct moore_rgraph *g = &r->g;
	size_t n = 0;

	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++) {
			moore_swid a = g->sw_of[v], b = g->sw_of[g->to[e]];

			/* Each link has two edges: the first one whose switch is there counts. */
			if (!is_missing(g, e) || a == MOORE_NONE ||
			    (b != MOORE_NONE && g->to[e] < v))
				continue;
			if (n == max)
				return n;
			out[n++] = (struct moore_route_gap){
				{ a, b }, { planned_port(g, e), planned_port(g, g->rev[e]) } };
		}
	return n;
}

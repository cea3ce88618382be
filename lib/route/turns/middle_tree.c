// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* middle_tree.c - a spanning tree of a graph with lines that takes few turns from detours.
 *
 * Its root is the middle switch with the greatest number (middle_ranks.c).  The parent of a low
 * switch is the greatest middle switch beside it, and the parent of any other middle switch is a
 * low switch beside it that has a greater one.  Numbers rise towards the root, so links towards
 * it keep their ranks.  Those away from it are raised above all others, which forbids turns
 * m -> i -> m' of detours:
 *   - where m is the parent of i: it is greater than each m', so these turns did not rise;
 *   - where i is the parent of m': as many as middle switches beside i are less than m'.  So m'
 *     has the parent where these are fewest, and the other copies of the line keep the turn.
 * Nodes for which the planned graph has no such parent are attached by spanning_rejoin.c. */
#include <string.h>

#include "route/turns/middles.h"
#include "route/turns/turns.h"

/* The planned edge of s with the greatest colour. */
static uint32_t
greatest_edge(const struct moore_rgraph *g, const uint32_t *colour, uint32_t s)
{
	uint32_t best = MOORE_NONE;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (g->flags[e] & MOORE_EDGE_PLANNED && (best == MOORE_NONE || colour[e] > colour[best]))
			best = e;
	return best;
}

/* The number of planned edges of s whose colour is below that of edge e. */
static uint32_t
count_below(const struct moore_rgraph *g, const uint32_t *colour, uint32_t s, uint32_t e)
{
	uint32_t n = 0;

	for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++)
		n += g->flags[k] & MOORE_EDGE_PLANNED && colour[k] < colour[e];
	return n;
}

/* The edge of middle switch m to its parent.  Of equals the one whose own parent is greatest. */
static uint32_t
parent_of(const struct moore_rgraph *g, const uint32_t *colour, const uint32_t *parent, uint32_t m)
{
	uint32_t least = UINT32_MAX, best = MOORE_NONE;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++) {
		uint32_t s = g->to[e], on = parent[s], n;

		if (!(g->flags[e] & MOORE_EDGE_PLANNED) || g->to[on] == m)
			continue;
		n = count_below(g, colour, s, g->rev[e]);
		if (n < least || (n == least && colour[on] > colour[parent[g->to[best]]])) {
			least = n;
			best = e;
		}
	}
	return best;
}

void
moore_rmiddles_tree(const struct moore_rgraph *g, const uint32_t *colour, struct moore_rturns *t)
{
	uint32_t greatest = MOORE_NONE;

	memset(t->parent, 0xff, g->n * sizeof(*t->parent));
	for (uint32_t s = 0; s < g->n; s++) {
		t->pos[s] = s + 1;
		if (!g->is_source[s] || (t->parent[s] = greatest_edge(g, colour, s)) == MOORE_NONE)
			continue;
		if (greatest == MOORE_NONE || colour[t->parent[s]] > colour[greatest])
			greatest = t->parent[s];
	}
	t->pos[g->to[greatest]] = 0;
	for (uint32_t m = 0; m < g->n; m++)
		if (!g->is_source[m])
			t->parent[m] = parent_of(g, colour, t->parent, m);
	memcpy(t->rank, colour, g->n_edges * sizeof(*t->rank));
}

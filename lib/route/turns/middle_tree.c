// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* middle_tree.c - a spanning tree of a graph with lines that takes few links of any low switch.
 *
 * Its root is the middle switch with the greatest number.  The parent of a low switch is the middle
 * switch beside it with the greatest number.  The parent of any other middle switch is a low switch
 * beside it whose own parent has a greater number; of those, the one with the fewest children so far.
 * Links of the tree have ranks next to the middle, so few detours take them on their way.
 * Nodes for which the planned graph has no such parent are attached by spanning_rejoin.c. */
#include <string.h>

#include "route/turns/middles.h"
#include "route/turns/turns.h"

/* The planned edge of low switch s to the middle switch with the greatest number. */
static uint32_t
greatest_edge(const struct moore_rgraph *g, const uint32_t *number, uint32_t s)
{
	uint32_t best = MOORE_NONE;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (moore_rgraph_is_planned(g, e) &&
		    (best == MOORE_NONE || number[g->to[e]] > number[g->to[best]]))
			best = e;
	return best;
}

static uint32_t
count_children(const struct moore_rgraph *g, const uint32_t *parent, uint32_t s)
{
	uint32_t n = 0;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		n += parent[g->to[e]] == g->rev[e];
	return n;
}

/* The edge of middle switch m to its parent.  Of equals the one whose own parent is greatest. */
static uint32_t
parent_of(const struct moore_rgraph *g, const uint32_t *number, const uint32_t *parent, uint32_t m)
{
	uint32_t fewest = UINT32_MAX, greatest = 0, best = MOORE_NONE;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++) {
		uint32_t s = g->to[e], on, n;

		if (!moore_rgraph_is_planned(g, e) || (on = g->to[parent[s]]) == m)
			continue;
		n = count_children(g, parent, s);
		if (n < fewest || (n == fewest && number[on] > greatest)) {
			fewest = n;
			greatest = number[on];
			best = e;
		}
	}
	return best;
}

void
moore_rmiddles_tree(const struct moore_rgraph *g, const uint32_t *number, uint32_t *parent)
{
	memset(parent, 0xff, g->n * sizeof(*parent));
	for (uint32_t s = 0; s < g->n; s++)
		if (g->is_source[s])
			parent[s] = greatest_edge(g, number, s);
	for (uint32_t m = 0; m < g->n; m++)
		if (!g->is_source[m])
			parent[m] = parent_of(g, number, parent, m);
}

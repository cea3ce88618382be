// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ranks.c - the rank of every edge, by the order or by colours.
 *
 * By the order: up edges by their head from low to high, then down edges by their head from
 * high to low.  Every turn is allowed but down-up (Autonet: Schroeder et al., IEEE J. Sel.
 * Areas Commun. 9(8), 1991).
 *
 * By colours: edges rise by colour.  Between the lower half of the colours and the upper one
 * stand the edges of the spanning tree: those towards its root, deepest first, then those
 * away from it, deepest last.  So all turns of the tree are allowed. */
#include "route/turns.h"

void
moore_rranks_by_order(const struct moore_rgraph *g, const uint32_t *pos, uint32_t *rank)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			uint32_t head = pos[g->to[e]];

			rank[e] = head < pos[s] ? g->n - head : g->n + 1 + head;
		}
}

/* Gives each edge of the tree a rank above `low`: n ranks for edges towards the root, then n for
 * edges away from it. */
static void
rank_tree(const struct moore_rgraph *g, const uint32_t *parent, const uint32_t *depth,
	  uint32_t low, uint32_t *rank)
{
	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t e = parent[s];

		if (e == MOORE_NONE)
			continue;
		rank[e] = low + g->n - depth[s];
		rank[g->rev[e]] = low + g->n + depth[s];
	}
}

void
moore_rranks_by_colour(struct moore_rturns *t, const struct moore_rgraph *g,
		       const uint32_t *colour, uint32_t *scratch)
{
	uint32_t low = moore_rcolours_count(g, colour) / 2, *depth = scratch;

	for (uint32_t e = 0; e < g->n_edges; e++)
		t->rank[e] = colour[e] + (colour[e] >= low ? 2 * g->n + 1 : 0);
	moore_rspanning_depth(g, t->pos, t->parent, depth, scratch + g->n);
	rank_tree(g, t->parent, depth, low, t->rank);
}

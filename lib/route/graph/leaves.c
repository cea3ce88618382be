// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* leaves.c - switches that have no endpoints, but stand where others have some.
 *
 * In a graph with middle switches (OFT, MLFM, leaf and spine) each planned link joins a leaf and a
 * middle switch, and any two leaves share a middle switch.  A leaf whose endpoints are not there yet is
 * still a leaf: were it taken for a middle switch, the graph would lose the classes and ranks that its
 * layers are made by (turns/middles.h).  So it counts as a source.  Where leaves are farther apart, as in
 * trees of three levels, a switch without endpoints may be a core switch, and is left alone. */
#include <string.h>

#include "route/graph/graph.h"

enum { MIDDLE = 1, LEAF = 2 };	/* kinds of nodes; 0 is a node without planned links */

static bool
is_planned(const struct moore_rgraph *g, uint32_t e)
{
	return g->flags[e] & MOORE_EDGE_PLANNED;
}

/* Fills kind[]: a neighbour of a source is a middle switch, and each other node with links a leaf. */
static void
find_kinds(const struct moore_rgraph *g, uint32_t *kind)
{
	memset(kind, 0, g->n * sizeof(*kind));
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			if (!is_planned(g, e))
				continue;
			kind[s] |= LEAF;
			kind[g->to[e]] |= g->is_source[s] ? MIDDLE : 0;
		}
	for (uint32_t s = 0; s < g->n; s++)
		kind[s] = kind[s] & MIDDLE ? MIDDLE : kind[s];
}

/* Whether each planned link joins a leaf and a middle switch, and no middle switch has endpoints. */
static bool
are_apart(const struct moore_rgraph *g, const uint32_t *kind)
{
	for (uint32_t s = 0; s < g->n; s++) {
		if (g->is_source[s] && kind[s] == MIDDLE)
			return false;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (is_planned(g, e) && kind[s] == kind[g->to[e]])
				return false;
	}
	return true;
}

void
moore_rgraph_mark_leaves(struct moore_rgraph *g, uint32_t *scratch)
{
	enum { BARE = 2 };	/* in is_source[], until the leaves are known to be near */
	uint32_t n_bare = 0;
	bool near;

	find_kinds(g, scratch);
	if (!are_apart(g, scratch))
		return;
	for (uint32_t s = 0; s < g->n; s++)
		if (!g->is_source[s] && scratch[s] == LEAF) {
			g->is_source[s] = BARE;
			n_bare++;
		}
	near = n_bare && moore_rgraph_is_near(g, scratch);
	for (uint32_t s = 0; s < g->n; s++)
		if (g->is_source[s] == BARE)
			g->is_source[s] = near;
}

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

enum { MIDDLE = 1, LEAF = 2 };	/* kinds of nodes, as bits; a node far from the leaves has none */

/* The neighbours of nodes of one kind are of the other. */
static void
spread(const struct moore_rgraph *g, uint32_t *kind, uint32_t from)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; kind[s] & from && e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e))
				kind[g->to[e]] |= LEAF + MIDDLE - from;
}

/* Fills kind[] from the sources, which are leaves.  Where leaves are near, the neighbours of the sources'
 * neighbours are all leaves, and those of leaves all middle switches. */
static void
find_kinds(const struct moore_rgraph *g, uint32_t *kind)
{
	for (uint32_t s = 0; s < g->n; s++)
		kind[s] = g->is_source[s] ? LEAF : 0;
	spread(g, kind, LEAF);
	spread(g, kind, MIDDLE);
	spread(g, kind, LEAF);
}

/* Whether each planned link joins a leaf and a middle switch, so that no node is both. */
static bool
are_apart(const struct moore_rgraph *g, const uint32_t *kind)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e) && kind[s] + kind[g->to[e]] != LEAF + MIDDLE)
				return false;
	return true;
}

void
moore_rgraph_mark_leaves(struct moore_rgraph *g, uint32_t *scratch)
{
	enum { BARE = 2 };	/* in is_source[], until the leaves are known to be near */
	bool near;

	if (!memchr(g->is_source, 0, g->n))
		return;
	find_kinds(g, scratch);
	if (!are_apart(g, scratch))
		return;
	for (uint32_t s = 0; s < g->n; s++)
		g->is_source[s] = !g->is_source[s] && scratch[s] == LEAF ? BARE : g->is_source[s];
	near = memchr(g->is_source, BARE, g->n) && moore_rgraph_is_near(g, scratch);
	for (uint32_t s = 0; s < g->n; s++)
		g->is_source[s] = g->is_source[s] == BARE ? near : g->is_source[s];
}

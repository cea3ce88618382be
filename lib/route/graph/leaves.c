// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* leaves.c - which switches are leaves beside middle switches, whether or not they have endpoints.
 *
 * In a graph with middle switches (OFT, MLFM, leaf and spine) each planned link joins a leaf and a
 * middle switch, and any two leaves share a middle switch.  A leaf whose endpoints are not there yet is
 * still a leaf, and a middle switch with an endpoint, such as a host that manages the fabric, is still a
 * middle switch: else the graph would lose the classes and ranks that its layers are made by
 * (turns/middles.h).  So leaves count as sources, and middle switches do not; their endpoints' LIDs are
 * minimal at every offset (columns.h).  Where leaves are farther apart, as in trees of three levels, a
 * switch without endpoints may be a core switch, and is left alone. */
#include <string.h>

#include "route/graph/graph.h"

enum { MIDDLE = 1, LEAF = 2, SIDES = 3 };	/* kinds of nodes, as bits; a node far from the leaves has none */

#define MIDDLES_FOR_HOSTED 2	/* where more than one in so many middle switches has endpoints, it is
				 * another kind of graph */

/* The neighbours of nodes of one kind are of the other. */
static void
spread(const struct moore_rgraph *g, uint32_t *kind, uint32_t from)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; kind[s] & from && e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e))
				kind[g->to[e]] |= SIDES - from;
}

/* Fills kind[] as if node leaf was a leaf: where leaves are near, the neighbours of its neighbours are all
 * leaves, and those of leaves all middle switches.  Returns whether each planned link joins a leaf and a
 * middle switch, so that no node is both. */
static bool
find_kinds(const struct moore_rgraph *g, uint32_t leaf, uint32_t *kind)
{
	memset(kind, 0, g->n * sizeof(*kind));
	kind[leaf] = LEAF;
	spread(g, kind, LEAF);
	spread(g, kind, MIDDLE);
	spread(g, kind, LEAF);
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e) && kind[s] + kind[g->to[e]] != SIDES)
				return false;
	return true;
}

/* Calls find_kinds() with the tail of the first planned link, or with its head, as either may be a leaf. */
static bool
find_either(const struct moore_rgraph *g, uint32_t *kind)
{
	for (uint32_t e = 0; e < g->n_edges; e++)
		if (moore_rgraph_is_planned(g, e))
			return find_kinds(g, moore_rgraph_tail(g, e), kind) || find_kinds(g, g->to[e], kind);
	return false;
}

/* Leaves are the kind that has more of the sources.  Makes kind[] 1 for leaves, 0 for middle switches, and
 * is_source[] for others.  Returns whether some leaf has no endpoints, or a middle switch has some, but few
 * of these have. */
static bool
tell_leaves(const struct moore_rgraph *g, uint32_t *kind)
{
	uint32_t n[SIDES] = { 0 }, n_sources[SIDES] = { 0 }, leaf, middle;

	for (uint32_t s = 0; s < g->n; s++) {
		n[kind[s]]++;
		n_sources[kind[s]] += g->is_source[s];
	}
	leaf = n_sources[MIDDLE] > n_sources[LEAF] ? MIDDLE : LEAF;
	middle = SIDES - leaf;
	for (uint32_t s = 0; s < g->n; s++)
		kind[s] = kind[s] ? kind[s] == leaf : g->is_source[s];
	return (n_sources[leaf] < n[leaf] || n_sources[middle]) &&
		n_sources[middle] * MIDDLES_FOR_HOSTED <= n[middle];
}

/* Swaps is_source[] and other[]. */
static void
swap_sources(struct moore_rgraph *g, uint32_t *other)
{
	for (uint32_t s = 0; s < g->n; s++) {
		const uint32_t was = g->is_source[s];

		g->is_source[s] = (uint8_t)other[s];
		other[s] = was;
	}
}

void
moore_rgraph_mark_leaves(struct moore_rgraph *g, uint32_t *kind, uint32_t *scratch)
{
	if (!memchr(g->is_source, 0, g->n) || !find_either(g, kind) || !tell_leaves(g, kind))
		return;
	swap_sources(g, kind);
	if (!moore_rgraph_is_near(g, scratch))
		swap_sources(g, kind);
}

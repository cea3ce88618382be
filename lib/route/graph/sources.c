// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* sources.c - which switches count as sources of traffic, whether or not they have endpoints.
 *
 * Racks may be empty, hosts may not be there yet, and a middle switch may have a host that manages the
 * fabric.  Layers are made by the place of a switch in the graph (turns/middles.h, layers/layers.h), so what
 * has endpoints is a hint only:
 *
 * - In a graph with middle switches (OFT, MLFM, leaf and spine) each planned link joins a leaf and a middle
 *   switch, and most pairs of leaves share a middle switch.  Leaves count as sources, and middle switches do
 *   not; their endpoints' LIDs are minimal at every offset (columns.h).  Where leaves are farther apart, as
 *   in trees of three levels, a switch without endpoints may be a core switch, and is left alone.
 * - Where switches with endpoints are neighbours (Slim Fly, HyperX, Dragonfly), all planned switches count as
 *   sources, since any could have endpoints.  (Not under one-vl: it has no layers, and with few turns the
 *   loads of the endpoints that there are come first.)
 * - Where no planned switch has endpoints, all planned switches count as sources. */
#include <string.h>

#include "route/graph/graph.h"

enum { MIDDLE = 1, LEAF = 2, SIDES = 3 };	/* kinds of nodes, as bits; a node far from the leaves has none */

#define APART_PERCENT 33	/* at most so many pairs of leaves share no middle switch */
#define CHANCE_PERCENT 60	/* see is_direct() */

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
		n_sources[middle] * MOORE_MIDDLES_FOR_HOSTED <= n[middle];
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

/* Returns whether the fabric has middle switches, so that leaves are told by them. */
static bool
mark_leaves(struct moore_rgraph *g, uint32_t *kind, uint32_t *scratch)
{
	if (!find_either(g, kind))
		return false;
	if (tell_leaves(g, kind)) {
		swap_sources(g, kind);
		if (!moore_rgraph_is_near(g, APART_PERCENT, scratch))
			swap_sources(g, kind);
	}
	return true;
}

/* Returns whether planned links of switches with endpoints lead to such switches CHANCE_PERCENT as often as if
 * endpoints stood anywhere.  One half of a Slim Fly with all endpoints has 67 percent or more; a tree of
 * three levels has none, and with hosts at 3 of the 18 switches in the middle of a k=6 one 54. */
static bool
is_direct(const struct moore_rgraph *g)
{
	const uint64_t n = moore_rgraph_n_intended(g);
	uint64_t n_sources = 0, n_links = 0, n_between = 0;

	for (uint32_t s = 0; s < n; s++) {
		n_sources += g->is_source[s];
		for (uint32_t e = g->xadj[s]; g->is_source[s] && e < g->xadj[s + 1]; e++) {
			n_links += moore_rgraph_is_planned(g, e);
			n_between += moore_rgraph_is_planned(g, e) && g->is_source[g->to[e]];
		}
	}
	return n_between * n * 100 >= n_links * n_sources * CHANCE_PERCENT;
}

void
moore_rgraph_mark_hosted(struct moore_rgraph *g, const struct moore_fabric *seen,
			 const struct moore_fabric *intended)
{
	const uint32_t n_named = intended && intended->n_endpoints ? intended->n_switches : 0;

	for (uint32_t v = 0; v < g->n; v++) {
		const struct moore_fabric *f = v < n_named ? intended : seen;
		const moore_swid s = v < n_named ? v : g->sw_of[v];

		for (unsigned p = 1; s != MOORE_NONE && p <= f->sw[s].n_ports; p++)
			if (moore_fabric_port(f, s, (moore_portnum)p)->role == MOORE_ROLE_ENDPOINT)
				g->is_source[v] = 1;
	}
}

void
moore_rgraph_mark_sources(struct moore_rgraph *g, uint32_t *kind, uint32_t *scratch)
{
	const uint32_t n = moore_rgraph_n_intended(g);

	if (!memchr(g->is_source, 0, n))
		return;
	if (!memchr(g->is_source, 1, n) || (!mark_leaves(g, kind, scratch) && !g->one_vl && is_direct(g)))
		memset(g->is_source, 1, n);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* folded.c - whether the planned graph is a folded Clos network: a fat tree of any number of levels, or leaves
 * and spines.
 *
 * The *level* of a switch is its distance from the nearest source.  In a folded Clos network links join
 * switches of different levels, and every link to a higher level leads closer to every source that is not
 * below.  So minimal routes can use all links, and a detour only takes links from others.  In an OFT or MLFM
 * one link of a leaf leads closer to a given leaf, and in a Dragonfly+ spines are joined to spines. */
#include <string.h>

#include "route/graph/graph.h"

#define ROOTS 64		/* at most so many sources, evenly chosen, stand for all */
#define CLOSER_PERCENT 75	/* at least so many of the links that should lead closer do: some may be missing */

/* Fills dist[] with the distances over planned links from the nearest of the n nodes in queue[]. */
static void
find_distances(const struct moore_rgraph *g, uint32_t *dist, uint32_t *queue, uint32_t n)
{
	memset(dist, 0xff, g->n * sizeof(*dist));
	for (uint32_t i = 0; i < n; i++)
		dist[queue[i]] = 0;
	moore_rgraph_spread(g, MOORE_EDGE_PLANNED, dist, queue, n);
}

static bool
is_level(const struct moore_rgraph *g, const uint32_t *level)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e) && level[s] == level[g->to[e]])
				return false;
	return true;
}

/* Counts the links upward from switches that do not have the root below them, and those of them that lead
 * closer to it. */
static void
count_upward(const struct moore_rgraph *g, const uint32_t *level, const uint32_t *dist, uint64_t *n,
	     uint64_t *n_closer)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; dist[s] != MOORE_NONE && dist[s] > level[s] && e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e) && level[g->to[e]] > level[s]) {
				*n += 1;
				*n_closer += dist[g->to[e]] < dist[s];
			}
}

bool
moore_rgraph_is_folded(const struct moore_rgraph *g, uint32_t *scratch)
{
	uint32_t *level = scratch, *dist = level + g->n, *source = dist + g->n, *queue = source + g->n;
	uint32_t n_sources = 0;
	uint64_t n = 0, n_closer = 0;

	for (uint32_t s = 0; s < moore_rgraph_n_intended(g); s++)
		if (g->is_source[s])
			source[n_sources++] = s;
	memcpy(queue, source, n_sources * sizeof(*queue));
	find_distances(g, level, queue, n_sources);
	if (!is_level(g, level))
		return false;
	for (uint32_t i = 0; i < n_sources; i += n_sources / ROOTS + 1) {
		queue[0] = source[i];
		find_distances(g, dist, queue, 1);
		count_upward(g, level, dist, &n, &n_closer);
	}
	return n && n_closer * 100 >= n * CLOSER_PERCENT;
}

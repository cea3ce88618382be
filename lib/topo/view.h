/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* view.h - what a graph looks like from its vertices: distances, found when they are asked for, and
 * how many vertices of each look are at each distance. */
#ifndef MOORE_TOPO_VIEW_H
#define MOORE_TOPO_VIEW_H

#include "topo/adjacency.h"

#define MOORE_FAR UINT8_MAX	/* so far, or farther, or not connected */
/* What is counted: looks at distances, of which the last stands for all that are farther. */
#define MOORE_VIEW_LOOKS 16
#define MOORE_VIEW_DISTANCES 16
#define MOORE_VIEW_SIZE (MOORE_VIEW_LOOKS * MOORE_VIEW_DISTANCES)

struct moore_view {
	const struct moore_adjacency *g;
	uint8_t *look;		/* by vertex: a hash of its links and short cycles */
	uint8_t **from;		/* by vertex: the distances to all vertices; NULL: not found yet */
	uint32_t *queue;	/* scratch */
	uint32_t n_left;	/* rows that may still be found */
	bool oom;		/* memory ran out for one */
	struct moore_arena *mem;
};

/* cycles has the short cycles at each vertex, as cycles.h.  Everything lives as long as mem; at most
 * `bytes` of distances are kept.  False when out of memory. */
bool moore_view_init(struct moore_view *v, const struct moore_adjacency *g, const uint64_t *cycles,
		     size_t bytes, struct moore_arena *mem);

/* The distances from vertex v; NULL when no more rows may be kept, or when out of memory.  O(links)
 * for a row that is new. */
const uint8_t *moore_view_from(struct moore_view *v, uint32_t from);

/* Counts the vertices of each look at each distance from a vertex.  False without its distances. */
bool moore_view_count(struct moore_view *v, uint32_t from, uint32_t *count);

#endif

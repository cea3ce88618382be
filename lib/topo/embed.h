/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* embed.h - finds a graph inside a larger one.
 *
 *   embed.c        the search
 *   embed_order.c  the sequence in which it maps the vertices */
#ifndef MOORE_TOPO_EMBED_H
#define MOORE_TOPO_EMBED_H

#include "topo/adjacency.h"

/* Makes one attempt to map the vertices of part to vertices of whole, no two to the same, so
 * that every link of part goes to a link of whole; writes image[v].  Neither graph has
 * parallel links, and the neighbours in whole are sorted.  The number of the attempt decides
 * which vertex is mapped first, and to which one.  *effort is the greatest number of visits
 * to links; what was spent is subtracted.  Returns 1 when a map was found, 0 when the attempt
 * gave up (another one may find a map), -MOORE_ENOMEM. */
int moore_topo_embed(const struct moore_adjacency *part, const struct moore_adjacency *whole,
		     uint32_t attempt, uint64_t *effort, uint32_t *image);

/* Fills order[] with the vertices of g, start first, and rank[v] with the index of v in it.
 * False when out of memory.  O(links * degree). */
bool moore_topo_embed_order(const struct moore_adjacency *g, uint32_t start, uint32_t *order,
			    uint32_t *rank, struct moore_arena *tmp);

#endif

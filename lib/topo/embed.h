/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* embed.h - finds a graph inside a larger one.
 *
 *   embed.c        the search
 *   embed_roots.c  the pair of vertices to begin with
 *   embed_order.c  the sequence in which it maps the vertices
 *   embed_cells.c  another one */
#ifndef MOORE_TOPO_EMBED_H
#define MOORE_TOPO_EMBED_H

#include "topo/view.h"

struct moore_root {
	uint32_t start, image;	/* of the part and of the whole */
	uint32_t unlike;	/* how much their views differ */
	uint64_t tie;		/* decides between equals */
};

struct moore_roots {		/* the best first */
	struct moore_root *pair;
	uint32_t n;
};

/* Lists pairs to begin with, in an array that lives as long as mem.  *effort is the greatest number of
 * visits; what was spent is subtracted.  False when out of memory. */
bool moore_embed_roots(struct moore_roots *r, struct moore_view *part, struct moore_view *whole,
		       uint64_t *effort, struct moore_arena *mem);

/* Makes one attempt to map the vertices of part to vertices of whole, no two to the same, so
 * that every link of part goes to a link of whole; writes image[v].  Neither graph has
 * parallel links, and the neighbours in whole are sorted.  by_cells decides the sequence.
 * *effort is the greatest number of visits to links; what was spent is subtracted.  Returns 1 when a
 * map was found, 0 when the attempt gave up (another one may find a map), -MOORE_ENOMEM. */
int moore_topo_embed(struct moore_view *part, struct moore_view *whole, const struct moore_root *root,
		     bool by_cells, uint64_t *effort, uint32_t *image);

/* Fills order[] with the vertices of g, start first, and rank[v] with the index of v in it.
 * False when out of memory.  O(links * degree). */
bool moore_topo_embed_order(const struct moore_adjacency *g, uint32_t start, uint32_t *order,
			    uint32_t *rank, struct moore_arena *tmp);

/* The same in another sequence, of which the first n_landmarks vertices tell others apart by their
 * distances, too.  O(n^2). */
bool moore_topo_embed_cells(struct moore_view *view, uint32_t start, unsigned n_landmarks, uint32_t *order,
			    uint32_t *rank, struct moore_arena *tmp);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* isomorph.h - finds a map of one graph onto another. */
#ifndef MOORE_TOPO_ISOMORPH_H
#define MOORE_TOPO_ISOMORPH_H

#include "moore/topo.h"

/* Maps the vertices 0..n-1 of graph a onto those of b, which has equally many links, so
 * that every link of a goes to a link of b (parallel links count separately); writes
 * image[v].  colour holds the colours of a's vertices, then of b's (2 n): a vertex is
 * mapped only to one of equal colour; the array is overwritten.  Returns false if no map
 * was found; since effort is bounded, one may exist all the same.  *oom is set when memory
 * ran out. */
bool moore_topo_map(uint32_t n, const struct moore_topo_link *a, const struct moore_topo_link *b,
		    size_t n_links, uint32_t *colour, uint32_t *image, bool *oom);

#endif

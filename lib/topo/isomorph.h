/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* isomorph.h - a map of one graph onto another. */
#ifndef MOORE_TOPO_ISOMORPH_H
#define MOORE_TOPO_ISOMORPH_H

#include "moore/topo.h"

/* Map the vertices 0..n-1 of graph a onto those of b, which has as many links, so
 * that links go to links: image[v].  colour holds those of a, then of b (2 n): only
 * vertices of equal colour are mapped; it is overwritten.  False when no map was
 * found: effort is bounded, so there may be one.  Parallel links count. */
bool moore_topo_map(uint32_t n, const struct moore_topo_link *a, const struct moore_topo_link *b,
		    size_t n_links, uint32_t *colour, uint32_t *image, bool *oom);

#endif

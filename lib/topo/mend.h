/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* mend.h - adds what a graph lacks where degrees tell, and maps the result. */
#ifndef MOORE_TOPO_MEND_H
#define MOORE_TOPO_MEND_H

#include "topo/cycles.h"

/* Looks for a map of part onto whole, as moore_topo_embed(), by adding up to six links, or one
 * switch, so that each degree is one of whole's.  g is the adjacency of whole, and cycles its
 * counts.  *effort is the greatest number of visits to links; what was spent is subtracted.
 * Returns 1 when a map was found, 0 when there is none or more is missing, -MOORE_ENOMEM. */
int moore_topo_mend(const struct moore_adjacency *part, const struct moore_topo *whole,
		    const struct moore_adjacency *g, const struct moore_cycles *cycles,
		    uint64_t *effort, uint32_t *image);

#endif

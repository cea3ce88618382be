/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* cycles.h - how many short cycles a graph has. */
#ifndef MOORE_TOPO_CYCLES_H
#define MOORE_TOPO_CYCLES_H

#include "topo/adjacency.h"

enum { MOORE_TRIANGLES, MOORE_SQUARES, MOORE_N_CYCLES };

struct moore_cycles {
	uint64_t n[MOORE_N_CYCLES];	/* a cycle is counted for both directions of each of its links */
	uint64_t most[MOORE_N_CYCLES];	/* on one link */
};

/* Counts those of a graph without parallel links.  common holds g->n zeros, before and after.
 * at, unless it is NULL, takes the MOORE_N_CYCLES counts of each vertex.  O(pairs of links that meet). */
struct moore_cycles moore_cycles_count(const struct moore_adjacency *g, uint32_t *common, uint64_t *at);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* adjacency.h - the neighbours of each vertex in one array. */
#ifndef MOORE_TOPO_ADJACENCY_H
#define MOORE_TOPO_ADJACENCY_H

#include "base/arena.h"
#include "moore/topo.h"

struct moore_adjacency {
	uint32_t n;
	uint32_t *xadj;		/* v's neighbours are adj[xadj[v]..xadj[v+1]-1] */
	uint32_t *adj;		/* those of a vertex are sorted if the links were */
};

/* Lists the neighbours in arrays that live as long as tmp.  A parallel link lists a
 * neighbour again.  False when out of memory.  O(n + n_links). */
bool moore_adjacency_init(struct moore_adjacency *g, uint32_t n,
			  const struct moore_topo_link *link, size_t n_links,
			  struct moore_arena *tmp);

static inline uint32_t
moore_adjacency_degree(const struct moore_adjacency *g, uint32_t v)
{
	return g->xadj[v + 1] - g->xadj[v];
}

/* Returns the greatest degree of a vertex; 0 without vertices.  O(n). */
static inline uint32_t
moore_adjacency_max_degree(const struct moore_adjacency *g)
{
	uint32_t most = 0;

	for (uint32_t v = 0; v < g->n; v++)
		most = moore_adjacency_degree(g, v) > most ? moore_adjacency_degree(g, v) : most;
	return most;
}

#endif

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* adjacency.c - the neighbours of each vertex in one array. */
#include <string.h>

#include "topo/adjacency.h"

bool
moore_adjacency_init(struct moore_adjacency *g, uint32_t n, const struct moore_topo_link *link,
		     size_t n_links, struct moore_arena *tmp)
{
	uint32_t *at = moore_arena_alloc(tmp, (size_t)n + 1, sizeof(*at));

	g->n = n;
	g->xadj = moore_arena_alloc(tmp, (size_t)n + 1, sizeof(*g->xadj));
	g->adj = moore_arena_alloc(tmp, 2 * n_links + 1, sizeof(*g->adj));
	if (!at || !g->xadj || !g->adj)
		return false;
	for (size_t i = 0; i < n_links; i++) {
		g->xadj[link[i].a + 1]++;
		g->xadj[link[i].b + 1]++;
	}
	for (uint32_t v = 0; v < n; v++)
		at[v] = g->xadj[v + 1] += g->xadj[v];
	memmove(at + 1, at, (n ? n - 1 : 0) * sizeof(*at));
	at[0] = 0;
	for (size_t i = 0; i < n_links; i++) {
		g->adj[at[link[i].a]++] = link[i].b;
		g->adj[at[link[i].b]++] = link[i].a;
	}
	return true;
}

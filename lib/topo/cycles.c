// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cycles.c - counts short cycles. */
#include "topo/cycles.h"

/* Adds the cycles through v.  common[x] is the number of neighbours that v and x share, so that of
 * the triangles over the link to w is common[w], and a square over it goes on to some x and returns
 * by another neighbour that v shares with x. */
static void
add_cycles(const struct moore_adjacency *g, uint32_t v, const uint32_t *common, struct moore_cycles *c)
{
	for (uint32_t k = g->xadj[v]; k < g->xadj[v + 1]; k++) {
		const uint32_t w = g->adj[k];
		uint64_t n[MOORE_N_CYCLES] = { [MOORE_TRIANGLES] = common[w] };

		for (uint32_t m = g->xadj[w]; m < g->xadj[w + 1]; m++)
			n[MOORE_SQUARES] += g->adj[m] == v ? 0 : common[g->adj[m]] - 1;
		for (unsigned i = 0; i < MOORE_N_CYCLES; i++) {
			c->n[i] += n[i];
			c->most[i] = n[i] > c->most[i] ? n[i] : c->most[i];
		}
	}
}

struct moore_cycles
moore_cycles_count(const struct moore_adjacency *g, uint32_t *common, uint64_t *at)
{
	struct moore_cycles c = { { 0 }, { 0 } };

	for (uint32_t v = 0; v < g->n; v++) {
		const struct moore_cycles before = c;

		for (int step = 1; step >= -1; step -= 2) {
			for (uint32_t k = g->xadj[v]; k < g->xadj[v + 1]; k++)
				for (uint32_t w = g->adj[k], m = g->xadj[w]; m < g->xadj[w + 1]; m++)
					common[g->adj[m]] += (uint32_t)step;
			if (step == 1)
				add_cycles(g, v, common, &c);
		}
		for (unsigned i = 0; at && i < MOORE_N_CYCLES; i++)
			at[MOORE_N_CYCLES * (size_t)v + i] = c.n[i] - before.n[i];
	}
	return c;
}

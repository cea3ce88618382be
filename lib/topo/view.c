// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* view.c - breadth-first searches whose results are kept. */
#include <string.h>

#include "base/random.h"
#include "topo/cycles.h"
#include "topo/view.h"

bool
moore_view_init(struct moore_view *v, const struct moore_adjacency *g, const uint64_t *cycles,
		size_t bytes, struct moore_arena *mem)
{
	const size_t n = (size_t)g->n + 1, rows = bytes / n;

	*v = (struct moore_view){
		.g = g, .mem = mem, .n_left = rows < g->n ? (uint32_t)rows : g->n,
		.look = moore_arena_alloc(mem, n, sizeof(*v->look)),
		.from = moore_arena_alloc(mem, n, sizeof(*v->from)),
		.queue = moore_arena_alloc(mem, n, sizeof(*v->queue)),
	};
	if (!v->look || !v->from || !v->queue)
		return false;
	for (uint32_t w = 0; w < g->n; w++) {
		struct moore_rng r = { moore_adjacency_degree(g, w) };

		for (unsigned i = 0; i < MOORE_N_CYCLES; i++)
			r.state = moore_rng_next(&r) ^ cycles[MOORE_N_CYCLES * (size_t)w + i];
		v->look[w] = (uint8_t)moore_rng_next(&r);
	}
	return true;
}

static void
search(const struct moore_adjacency *g, uint32_t v, uint8_t *row, uint32_t *queue)
{
	uint32_t end = 1;

	memset(row, MOORE_FAR, g->n);
	row[queue[0] = v] = 0;
	for (uint32_t i = 0; i < end && row[queue[i]] < MOORE_FAR - 1; i++) {
		const uint32_t w = queue[i];

		for (uint32_t k = g->xadj[w]; k < g->xadj[w + 1]; k++)
			if (row[g->adj[k]] == MOORE_FAR) {
				row[g->adj[k]] = (uint8_t)(row[w] + 1);
				queue[end++] = g->adj[k];
			}
	}
}

const uint8_t *
moore_view_from(struct moore_view *v, uint32_t from)
{
	if (v->from[from] || !v->n_left)
		return v->from[from];
	if (!(v->from[from] = moore_arena_alloc(v->mem, (size_t)v->g->n + 1, 1))) {
		v->oom = true;
		return NULL;
	}
	v->n_left--;
	search(v->g, from, v->from[from], v->queue);
	return v->from[from];
}

/* The neighbours of w that are nearer than w. */
static uint32_t
n_parents(const struct moore_adjacency *g, const uint8_t *row, uint32_t w)
{
	uint32_t n = 0;

	for (uint32_t k = g->xadj[w]; k < g->xadj[w + 1]; k++)
		n += row[g->adj[k]] < row[w];
	return n;
}

bool
moore_view_count(struct moore_view *v, uint32_t from, uint32_t *count)
{
	const uint8_t *row = moore_view_from(v, from);

	memset(count, 0, MOORE_VIEW_SIZE * sizeof(*count));
	for (uint32_t w = 0; row && w < v->g->n; w++) {
		const uint32_t far = row[w] < MOORE_VIEW_DISTANCES ? row[w] : MOORE_VIEW_DISTANCES - 1;
		struct moore_rng r = { (uint64_t)v->look[w] << 32 | n_parents(v->g, row, w) };

		count[far * MOORE_VIEW_LOOKS + moore_rng_next(&r) % MOORE_VIEW_LOOKS]++;
	}
	return row;
}

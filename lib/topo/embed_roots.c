// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* embed_roots.c - which vertex to map first, and to which one.
 *
 * A few links that the part lacks change little of what it looks like from a vertex: how many vertices
 * of each look are at each distance.  So of all pairs those come first whose views differ the
 * least.  In a graph with many symmetries nearly all pairs do, in others few. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "topo/embed.h"

#define STARTS 16		/* vertices of the part that are considered */
#define MOST_PAIRS 1024		/* that are kept */

/* Picks one of the vertices of at least that degree: the first for i = 0, then others, spread
 * over all of them by the golden ratio.  MOORE_NONE when there is no such vertex. */
static uint32_t
pick(const struct moore_adjacency *g, uint32_t least, uint32_t i)
{
	uint32_t n = 0, k;

	for (uint32_t v = 0; v < g->n; v++)
		n += moore_adjacency_degree(g, v) >= least;
	k = (uint32_t)((uint64_t)(i * 2654435769u) * n >> 32);
	for (uint32_t v = 0; v < g->n; v++)
		if (moore_adjacency_degree(g, v) >= least && k-- == 0)
			return v;
	return MOORE_NONE;
}

/* How much the views differ; UINT32_MAX when fewer vertices are near in the whole than in the part. */
static uint32_t
compare(const uint32_t *part, const uint32_t *whole)
{
	uint64_t near[2] = { 0, 0 };
	uint32_t unlike = 0;

	for (unsigned i = 0; i < MOORE_VIEW_SIZE; i++) {
		near[0] += part[i];
		near[1] += whole[i];
		unlike += part[i] > whole[i] ? part[i] - whole[i] : whole[i] - part[i];
		if (i % MOORE_VIEW_LOOKS == MOORE_VIEW_LOOKS - 1 && near[0] > near[1])
			return UINT32_MAX;
	}
	return unlike;
}

static int
by_likeness(const void *a, const void *b)
{
	const struct moore_root *x = a, *y = b;

	if (x->unlike != y->unlike)
		return x->unlike < y->unlike ? -1 : 1;
	return x->tie < y->tie ? -1 : x->tie > y->tie;
}

static uint64_t
hash_pair(uint32_t v, uint32_t x)
{
	struct moore_rng r = { (uint64_t)v << 32 | x };

	return moore_rng_next(&r);
}

/* Counts what is seen from each start; false when its distances are not to be had. */
static bool
view_starts(struct moore_view *part, uint32_t *start, uint32_t (*count)[MOORE_VIEW_SIZE])
{
	const uint32_t most = moore_adjacency_max_degree(part->g);

	for (unsigned i = 0; i < STARTS; i++) {
		start[i] = pick(part->g, most, i);
		if (!moore_view_count(part, start[i], count[i]))
			return false;
	}
	return true;
}

/* Compares n vertices of the whole with all starts; returns how many pairs are possible. */
static uint32_t
list_pairs(struct moore_root *pair, struct moore_view *whole, uint32_t n, const uint32_t *start,
	   uint32_t (*count)[MOORE_VIEW_SIZE])
{
	uint32_t n_pairs = 0;

	for (uint32_t k = 0; k < n; k++) {
		const uint32_t x = (uint32_t)((uint64_t)k * whole->g->n / n);

		if (!moore_view_count(whole, x, count[STARTS]))
			break;
		for (unsigned i = 0; i < STARTS; i++) {
			const uint32_t unlike = compare(count[i], count[STARTS]);

			if (unlike != UINT32_MAX)
				pair[n_pairs++] = (struct moore_root){ start[i], x, unlike,
								       hash_pair(start[i], x) };
		}
	}
	return n_pairs;
}

bool
moore_embed_roots(struct moore_roots *r, struct moore_view *part, struct moore_view *whole,
		  uint64_t *effort, struct moore_arena *mem)
{
	const uint64_t cost = whole->g->n + (uint64_t)whole->g->xadj[whole->g->n] + STARTS * MOORE_VIEW_SIZE;
	const uint32_t n = (uint32_t)(*effort / cost < whole->g->n ? *effort / cost : whole->g->n);
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint32_t start[STARTS], (*count)[MOORE_VIEW_SIZE] = moore_arena_alloc(&tmp, STARTS + 1, sizeof(*count));
	struct moore_root *pair = moore_arena_alloc(&tmp, (size_t)n * STARTS + 1, sizeof(*pair));
	bool ok = count && pair;

	*effort -= n * cost;
	*r = (struct moore_roots){ .n = 0 };
	if (ok && view_starts(part, start, count)) {
		r->n = list_pairs(pair, whole, n, start, count);
		qsort(pair, r->n, sizeof(*pair), by_likeness);
		r->n = r->n < MOST_PAIRS ? r->n : MOST_PAIRS;
		r->pair = moore_arena_alloc(mem, (size_t)r->n + 1, sizeof(*r->pair));
		if (r->pair)
			memcpy(r->pair, pair, r->n * sizeof(*pair));
		ok = r->pair;
	}
	moore_arena_free(&tmp);
	return ok && !part->oom && !whole->oom;
}

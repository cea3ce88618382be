// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* order.c - a total order of the switches in which every switch but the
 * greatest of its component has a greater neighbour.
 *
 * The order is the sequence of a traversal that always takes, among the
 * neighbours of what it has, the one of best priority.  Priority: switches
 * without endpoints first, then the canonical number.  Fed with an earlier order
 * as priority, the traversal reproduces it, except around what is gone: so
 * little moves.  Switches that cannot pass packets on come last and lead
 * nowhere. */
#include <stdlib.h>
#include <string.h>

#include "route/route_impl.h"

struct heap {			/* least key first */
	uint64_t *key;		/* priority in the high half, node in the low */
	uint32_t n;
};

static void
heap_push(struct heap *h, uint64_t key)
{
	uint32_t i = h->n++;

	while (i && h->key[(i - 1) / 2] > key) {
		h->key[i] = h->key[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->key[i] = key;
}

static uint64_t
heap_pop(struct heap *h)
{
	uint64_t top = h->key[0], last = h->key[--h->n];
	uint32_t i = 0, c;

	while ((c = 2 * i + 1) < h->n) {
		if (c + 1 < h->n && h->key[c + 1] < h->key[c])
			c++;
		if (h->key[c] >= last)
			break;
		h->key[i] = h->key[c];
		i = c;
	}
	h->key[i] = last;
	return top;
}

static uint64_t
node_key(const struct moore_rview *v, const uint32_t *prio, uint32_t node)
{
	const struct moore_rgraph *g = v->g;
	uint64_t p = prio ? prio[node] : ((uint64_t)g->prio[node] << 29) + node;

	return p << 32 | node;
}

struct walk {
	const struct moore_rview *v;
	const uint32_t *prio;
	const uint8_t *among;
	struct heap heap;
	uint8_t *queued;
	uint32_t *pos, n_placed;
};

/* Place everything that can be reached from start through transit switches. */
static void
walk_from(struct walk *w, uint32_t start)
{
	const struct moore_rgraph *g = w->v->g;

	heap_push(&w->heap, node_key(w->v, w->prio, start));
	w->queued[start] = 1;
	while (w->heap.n) {
		uint32_t s = (uint32_t)heap_pop(&w->heap);

		w->pos[s] = w->n_placed++;
		if (!moore_rview_transit(w->v, s))
			continue;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			uint32_t r = g->to[e];

			if (w->queued[r] || !(g->flags[e] & w->v->flag) ||
			    (w->among && !w->among[e]) || !moore_rview_transit(w->v, r))
				continue;
			w->queued[r] = 1;
			heap_push(&w->heap, node_key(w->v, w->prio, r));
		}
	}
}

static int
by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int
moore_rorder_build(const struct moore_rview *v, const uint32_t *prio, const uint8_t *among,
		   uint32_t *pos, struct moore_err *err)
{
	const struct moore_rgraph *g = v->g;
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct walk w = { .v = v, .prio = prio, .among = among, .pos = pos };
	uint64_t *starts = moore_arena_alloc(&tmp, g->n + 1, sizeof(*starts));

	w.heap.key = moore_arena_alloc(&tmp, g->n + 1, sizeof(*w.heap.key));
	w.queued = moore_arena_alloc(&tmp, g->n + 1, 1);
	if (!starts || !w.heap.key || !w.queued) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	for (uint32_t s = 0; s < g->n; s++)
		starts[s] = node_key(v, prio, s);
	qsort(starts, g->n, sizeof(*starts), by_key);
	for (int transit = 1; transit >= 0; transit--)
		for (uint32_t i = 0; i < g->n; i++) {
			uint32_t s = (uint32_t)starts[i];

			if (!w.queued[s] && moore_rview_transit(v, s) == (bool)transit)
				walk_from(&w, s);
		}
	moore_arena_free(&tmp);
	return 0;
}

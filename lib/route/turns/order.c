// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* order.c - a total order of the switches in which every switch but the greatest of its
 * component has a greater neighbour.
 *
 * The order is the sequence of a traversal that always takes the switch of least priority
 * among the neighbours of those it has taken.  With an earlier order as priorities the
 * traversal reproduces that order except around what is gone, so little moves.  Switches
 * that cannot map SLs come last, and the traversal does not go on from them. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "route/turns/turns.h"

struct heap {			/* the least key is on top */
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

struct walk {
	const struct moore_rview *v;
	const uint32_t *priority;
	const uint8_t *among;	/* by edge; NULL: all */
	struct heap heap;
	uint8_t *queued;
	uint32_t *pos, n_placed;
};

static uint64_t
node_key(const struct walk *w, uint32_t node)
{
	return (uint64_t)w->priority[node] << 32 | node;
}

/* Places every switch that is reachable from start through switches that pass packets on. */
static void
walk_from(struct walk *w, uint32_t start)
{
	const struct moore_rgraph *g = w->v->g;

	heap_push(&w->heap, node_key(w, start));
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
			heap_push(&w->heap, node_key(w, r));
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
moore_rorder_build(const struct moore_rview *v, const uint32_t *priority, const uint8_t *among,
		   uint32_t *pos, struct moore_err *err)
{
	const struct moore_rgraph *g = v->g;
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct walk w = { .v = v, .priority = priority, .among = among, .pos = pos };
	uint64_t *starts = moore_arena_alloc(&tmp, g->n + 1, sizeof(*starts));

	w.heap.key = moore_arena_alloc(&tmp, g->n + 1, sizeof(*w.heap.key));
	w.queued = moore_arena_alloc(&tmp, g->n + 1, 1);
	if (!starts || !w.heap.key || !w.queued) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	for (uint32_t s = 0; s < g->n; s++)
		starts[s] = node_key(&w, s);
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

/* ---- priorities --------------------------------------------------------------- */

void
moore_rorder_first(const struct moore_rgraph *g, const uint8_t *half, uint32_t *priority)
{
	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t group = half[s] ? 2u * (half[s] - 1u) : g->is_source[s];

		priority[s] = (group << 29) + s;
	}
}

void
moore_rorder_mixed(const struct moore_rview *v, uint32_t *priority, uint32_t *n_links)
{
	const struct moore_rgraph *g = v->g;

	memset(priority, 0xff, g->n * sizeof(*priority));
	memset(n_links, 0, g->n * sizeof(*n_links));
	for (uint32_t place = 0; place < g->n; place++) {
		uint32_t next = MOORE_NONE;

		for (uint32_t s = 0; s < g->n; s++)
			if (priority[s] == MOORE_NONE &&
			    (next == MOORE_NONE || g->is_source[s] < g->is_source[next] ||
			     (g->is_source[s] == g->is_source[next] && n_links[s] > n_links[next])))
				next = s;
		priority[next] = place;
		for (uint32_t e = g->xadj[next]; e < g->xadj[next + 1]; e++)
			n_links[g->to[e]] += g->flags[e] & v->flag ? 1 : 0;
	}
}

void
moore_rorder_near(const struct moore_rview *v, uint32_t *priority, uint32_t *queue)
{
	const struct moore_rgraph *g = v->g;

	memset(priority, 0xff, g->n * sizeof(*priority));
	for (int source = 1; source >= 0; source--)
		for (uint32_t s = 0; s < g->n; s++)
			if (priority[s] == MOORE_NONE && moore_rview_transit(v, s) &&
			    g->is_source[s] == source) {
				priority[s] = 0;
				queue[0] = s;
				moore_rgraph_spread(g, v->flag, priority, queue, 1);
			}
}

/* The greatest switch that has live links to both s and t, or MOORE_NONE. */
static uint32_t
common_neighbour(const struct moore_rview *v, const uint32_t *pos, uint32_t s, uint32_t t)
{
	const struct moore_rgraph *g = v->g;
	uint32_t best = MOORE_NONE, f = g->xadj[t];

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		uint32_t w = g->to[e];

		while (f < g->xadj[t + 1] && g->to[f] < w)
			f++;
		if (f < g->xadj[t + 1] && g->to[f] == w && g->flags[e] & g->flags[f] & v->flag &&
		    moore_rview_transit(v, w) && (best == MOORE_NONE || pos[w] < pos[best]))
			best = w;
	}
	return best;
}

/* Two switches that lost their link now meet at a common neighbour.  Where each of these is
 * less than both, the turn there is forbidden (down, then up), and all that was routed over
 * the lost link would move; so the greatest of them is taken before the lesser of the two. */
void
moore_rorder_again(const struct moore_rview *v, const uint32_t *pos, uint32_t *priority)
{
	const struct moore_rgraph *g = v->g;

	for (uint32_t s = 0; s < g->n; s++)
		priority[s] = 2 * pos[s] + 1;
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			uint32_t t = g->to[e], w;

			if (pos[t] < pos[s] || g->flags[e] & v->flag ||
			    !moore_rgraph_is_planned(g, e))
				continue;
			w = common_neighbour(v, pos, s, t);
			if (w != MOORE_NONE && priority[w] > 2 * pos[t])
				priority[w] = 2 * pos[t];
		}
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* pair_ranks.c - ranks of links where each middle switch joins two classes, the columns of an
 * MLFM (middles.h).
 *
 * A detour from class a to class b over an intermediate in class c passes the middle switches
 * of {a, c} and of {c, b}.  Each ordered pair of classes, an *arc*, has a number: the links down
 * from {a, c} to c have that of arc a -> c, and the links up from c to {c, b} have one just below
 * that of arc c -> b.  So the turn in c is allowed when the number rises from a -> c to c -> b,
 * and the turn at {c, b} always.  The *room* of (a, b) is the number of classes c that allow it.
 *
 * The search exchanges two numbers at random and keeps what does not raise the sum over all
 * ordered pairs (a, b) of 1 / base^room, so pairs with little room decide.  Room does not tell
 * what all classes can send at the same time, when detours share links.  So there are several
 * searches, and the numbers by which classes can send most are taken (pair_share.c).
 *
 * Two rules keep a place for a spanning tree whose links need no other ranks (spanning_close.c):
 * ranks towards its root must be below the middle, and those from it above.
 *   - An arc and its opposite stand on different sides of the middle.  So each middle switch can
 *     be attached below one of its two classes.
 *   - The arcs to class 0 are the greatest numbers below the middle, in falling sequence, and
 *     their opposites the least above it, in rising sequence.  So the middle switches of class 0
 *     can be attached below a root in class 0, and the other classes below these.
 * Only the other switches of class 0 then need ranks of their own.  A gap around the middle makes
 * these cost about the same at each of their links, so that each takes another middle switch. */
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "route/turns/middles.h"
#include "route/turns/pairs.h"
#include "route/tuning.h"
#include "route/turns/turns.h"

#define MAX_ROOM 255
#define SPAN ((uint32_t)1 << 30)	/* of all colours */

struct search {
	uint32_t n;			/* classes; an arc a -> c is a * n + c */
	uint32_t middle;		/* half of the numbers are below it */
	struct moore_rng rng;
	uint64_t weight[MAX_ROOM + 1];	/* by room */
	uint64_t cost;			/* sum of weight[room] */
	uint8_t *room;			/* by arc */
	uint32_t *number;		/* by arc */
};

/* Sums over all pairs fit 64 bits. */
static void
set_weights(struct search *w)
{
	uint64_t at = (uint64_t)1 << 44;

	for (unsigned i = 0; i <= MAX_ROOM; i++, at = at * MOORE_PAIRS_FALL / 256)
		w->weight[i] = at;
}

static void
change_room(struct search *w, uint32_t pair, int by)
{
	w->cost -= w->weight[w->room[pair]];
	w->room[pair] = (uint8_t)(w->room[pair] + by);
	w->cost += w->weight[w->room[pair]];
}

/* Adds `by` to the room of each pair of classes for each detour that begins or ends with arc x
 * and does not contain arc `except`. */
static void
count_detours(struct search *w, uint32_t x, uint32_t except, int by)
{
	uint32_t n = w->n, a = x / n, c = x % n;

	for (uint32_t b = 0; b < n; b++) {
		uint32_t after = c * n + b, before = b * n + a;

		if (b == a || b == c)
			continue;
		if (after != except && w->number[x] < w->number[after])
			change_room(w, a * n + b, by);
		if (before != except && w->number[before] < w->number[x])
			change_room(w, b * n + c, by);
	}
}

static void
exchange(struct search *w, uint32_t x, uint32_t y)
{
	uint32_t number = w->number[x];

	count_detours(w, x, MOORE_NONE, -1);
	count_detours(w, y, x, -1);
	w->number[x] = w->number[y];
	w->number[y] = number;
	count_detours(w, x, MOORE_NONE, 1);
	count_detours(w, y, x, 1);
}

static uint32_t
reverse(const struct search *w, uint32_t x)
{
	return x % w->n * w->n + x / w->n;
}

/* Exchanges the numbers of two arcs.  Where that would put one below and one above the middle,
 * it does the same with the opposite arcs, so that each still has its opposite on the other side. */
static void
change(struct search *w, uint32_t x, uint32_t y)
{
	bool crosses = (w->number[x] < w->middle) != (w->number[y] < w->middle);

	exchange(w, x, y);
	if (crosses && y != reverse(w, x))
		exchange(w, reverse(w, x), reverse(w, y));
}

/* Returns a random arc that neither begins nor ends in class 0. */
static uint32_t
draw_arc(struct search *w)
{
	uint32_t a = moore_rng_below(&w->rng, w->n - 1), c = moore_rng_below(&w->rng, w->n - 2);

	return (a + 1) * w->n + (c < a ? c : c + 1) + 1;
}

/* Numbers the arcs by the two rules. */
static void
number_arcs(struct search *w)
{
	uint32_t n = w->n, low = 0, high = w->middle + n - 1;

	for (uint32_t a = 1; a < n; a++) {
		w->number[a * n] = w->middle - a;
		w->number[a] = w->middle + a - 1;
		for (uint32_t c = 1; c < a; c++) {
			w->number[a * n + c] = low++;
			w->number[c * n + a] = high++;
		}
	}
}

/* Finds all room and the cost. */
static void
find_room(struct search *w)
{
	uint32_t n = w->n;

	memset(w->room, 0, (size_t)n * n);
	w->cost = (uint64_t)n * n * w->weight[0];
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t c = 0; c < n; c++)
			for (uint32_t b = 0; b < n; b++)
				if (a != c && c != b && a != b &&
				    w->number[a * n + c] < w->number[c * n + b])
					change_room(w, a * n + b, 1);
}

/* Makes changes at random first, and then those that do not raise the cost. */
static void
search(struct search *w)
{
	uint32_t n_arcs = w->n * w->n, n_tries = MOORE_PAIRS_TRIES * n_arcs;

	number_arcs(w);
	find_room(w);
	for (uint32_t i = 0; i < n_tries; i++) {
		uint32_t x = draw_arc(w), y = draw_arc(w);
		uint64_t was = w->cost;

		if (x == y)
			continue;
		change(w, x, y);
		if (w->cost > was && i >= n_arcs)
			change(w, x, y);
	}
}

/* What the numbers let the classes send over detours, all at once or one alone, in links times
 * MOORE_PAIRS_ROUNDS. */
static uint32_t
share_of(const struct search *w, struct moore_rpairs *p)
{
	uint32_t least = moore_rpairs_share(p);

	for (uint32_t a = 0; a < w->n; a++)
		for (uint32_t b = 0; b < w->n; b++) {
			uint32_t alone = w->room[a * w->n + b] * (uint32_t)MOORE_PAIRS_ROUNDS;

			if (a != b && alone < least)
				least = alone;
		}
	return least;
}

/* Searches as often as the budget allows, at least once, and leaves the numbers with the greatest
 * share. */
static void
search_all(struct search *w, struct moore_rpairs *p, uint32_t *best)
{
	size_t n_arcs = (size_t)w->n * w->n;
	uint64_t work = n_arcs * w->n * MOORE_PAIRS_TRIES, done = 0;
	uint32_t greatest = 0;

	for (unsigned i = 0; i < MOORE_PAIRS_STARTS && done <= MOORE_PAIRS_WORK; i++) {
		uint32_t share;

		search(w);
		share = share_of(w, p);
		if (i == 0 || share > greatest) {
			greatest = share;
			memcpy(best, w->number, n_arcs * sizeof(*best));
		}
		done += work;
	}
	memcpy(w->number, best, n_arcs * sizeof(*best));
}

/* The class that middle switch m joins with class c. */
static uint32_t
find_other(const struct moore_rgraph *g, const struct moore_rmiddles *c, uint32_t m, uint32_t of)
{
	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
		if (g->flags[e] & MOORE_EDGE_PLANNED && c->class_of[g->to[e]] != of)
			return c->class_of[g->to[e]];
	return of;
}

static uint32_t
colour_of(const struct search *w, uint32_t number, uint32_t apart)
{
	uint32_t gap = w->n;

	if (number < w->middle)
		return MOORE_RANK_MIDDLE - (w->middle - number + gap) * apart;
	return MOORE_RANK_MIDDLE + (number - w->middle + gap) * apart;
}

static void
paint(const struct search *w, const struct moore_rgraph *g, const struct moore_rmiddles *c,
      uint32_t *colour)
{
	uint32_t apart = SPAN / (w->n * w->n), n = w->n;

	for (uint32_t m = 0; m < moore_rgraph_n_intended(g); m++)
		for (uint32_t e = g->xadj[m]; !g->is_source[m] && e < g->xadj[m + 1]; e++) {
			uint32_t k = c->class_of[g->to[e]], other;

			if (!(g->flags[e] & MOORE_EDGE_PLANNED))
				continue;
			other = find_other(g, c, m, k);
			colour[e] = colour_of(w, w->number[other * n + k], apart) + apart / 2;
			colour[g->rev[e]] = colour_of(w, w->number[k * n + other], apart);
		}
}

int
moore_rmiddles_rank_pairs(const struct moore_rgraph *g, const struct moore_rmiddles *c,
			  uint32_t *colour, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct search w = { .n = c->n_classes, .middle = c->n_classes * (c->n_classes - 1) / 2,
		.rng = { MOORE_PAIRS_SEED } };
	size_t n_arcs = (size_t)w.n * w.n;
	uint32_t *best = moore_arena_alloc(&tmp, n_arcs, sizeof(*best));
	struct moore_rpairs p;

	w.room = moore_arena_alloc(&tmp, n_arcs, sizeof(*w.room));
	w.number = moore_arena_alloc(&tmp, n_arcs, sizeof(*w.number));
	if (!best || !w.room || !w.number || !moore_rpairs_init(&p, w.n, w.number, &tmp)) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	set_weights(&w);
	search_all(&w, &p, best);
	paint(&w, g, c, colour);
	moore_arena_free(&tmp);
	return 0;
}

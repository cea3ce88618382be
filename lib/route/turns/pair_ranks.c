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
 * ordered pairs (a, b) of 1 / base^room, so pairs with little room decide.
 *
 * Room does not tell what all classes can send at the same time, when detours share links: by some
 * permutations of the classes that is a tenth less than by others.  So rounds follow.  Each seeks
 * permutations by which classes can send little (pair_share.c) and adds them to a set in which all
 * shifts are (pair_cuts.c).  Then numbers are exchanged where that does not raise the sum of the
 * prices of the set and of the cost of room.  Those numbers are kept by which classes can send most
 * by the worst permutation that their round knew.
 *
 * Two rules keep a place for a spanning tree whose links need no other ranks (spanning_close.c):
 * ranks towards its root must be below the middle, and those from it above.
 *   - An arc and its opposite stand on different sides of the middle.  So each middle switch can
 *     be attached below one of its two classes.
 *   - The arcs to class 0 are the greatest numbers below the middle, in falling sequence, and
 *     their opposites the least above it, in rising sequence.  So the middle switches of class 0
 *     can be attached below a root in class 0, and the other classes below these.
 * Only the other switches of class 0 then need ranks of their own.  From its middle switch in the tree such a
 * switch leads on to classes with higher numbers than the other class there has.  A gap around the middle makes
 * its links cost more alike, so that few take the same middle switch, and those of low numbers first. */
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
	uint8_t *room, *room_was;	/* by arc, now and before the last change */
	uint64_t cost_was;
	uint32_t *number;		/* by arc */
	uint32_t *best;			/* the numbers to keep, by arc, */
	uint32_t greatest;		/* and what classes can send by them */
	struct moore_rpairs pairs;
	struct moore_rcuts cuts;
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
swap_numbers(struct search *w, uint32_t x, uint32_t y)
{
	uint32_t number = w->number[x];

	w->number[x] = w->number[y];
	w->number[y] = number;
}

static void
exchange(struct search *w, uint32_t x, uint32_t y)
{
	count_detours(w, x, MOORE_NONE, -1);
	count_detours(w, y, x, -1);
	swap_numbers(w, x, y);
	count_detours(w, x, MOORE_NONE, 1);
	count_detours(w, y, x, 1);
}

static uint32_t
reverse(const struct search *w, uint32_t x)
{
	return x % w->n * w->n + x / w->n;
}

/* Whether one of two arcs is below and one above the middle.  Then their opposites are exchanged as
 * well, so that each still has its opposite on the other side. */
static bool
crosses(const struct search *w, uint32_t x, uint32_t y)
{
	return (w->number[x] < w->middle) != (w->number[y] < w->middle) && y != reverse(w, x);
}

/* Exchanges the numbers of two arcs. */
static void
change(struct search *w, uint32_t x, uint32_t y)
{
	bool both = crosses(w, x, y);

	memcpy(w->room_was, w->room, (size_t)w->n * w->n);
	w->cost_was = w->cost;
	exchange(w, x, y);
	if (both)
		exchange(w, reverse(w, x), reverse(w, y));
}

/* Takes the last change back. */
static void
change_back(struct search *w, uint32_t x, uint32_t y)
{
	uint8_t *room = w->room;

	if (crosses(w, x, y))
		swap_numbers(w, reverse(w, x), reverse(w, y));
	swap_numbers(w, x, y);
	w->room = w->room_was;
	w->room_was = room;
	w->cost = w->cost_was;
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
			change_back(w, x, y);
	}
}

/* ---- bad permutations ---------------------------------------------------------------------- */

/* What a class can send alone, in links times MOORE_PAIRS_ROUNDS. */
static uint32_t
share_alone(const struct search *w)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t a = 0; a < w->n; a++)
		for (uint32_t b = 0; b < w->n; b++)
			if (a != b && w->room[a * w->n + b] < least)
				least = w->room[a * w->n + b];
	return least * MOORE_PAIRS_ROUNDS;
}

static void
keep_better(struct search *w, uint32_t share)
{
	uint32_t alone = share_alone(w);

	share = alone < share ? alone : share;
	if (w->greatest && share <= w->greatest)
		return;
	w->greatest = share;
	memcpy(w->best, w->number, (size_t)w->n * w->n * sizeof(*w->best));
}

/* Adds bad permutations, finds weights for those there are, and returns what classes can send by
 * the worst of them all. */
static uint32_t
add_cuts(struct search *w)
{
	uint32_t least = UINT32_MAX, share;

	for (uint32_t k = 0; k < w->cuts.n_cuts; k++) {
		moore_rcuts_get(&w->cuts, k, &w->pairs);
		share = moore_rpairs_share(&w->pairs);
		moore_rcuts_weigh(&w->cuts, k, &w->pairs);
		share = k < w->n - 1 ? share * MOORE_PAIRS_SHIFT_PART / 128 : share;
		least = share < least ? share : least;
	}
	for (unsigned i = 0; i < MOORE_PAIRS_WORST; i++) {
		share = moore_rpairs_worst(&w->pairs, &w->rng);
		moore_rcuts_add(&w->cuts, &w->pairs);
		least = share < least ? share : least;
	}
	return least;
}

/* Heeds in all cuts that the numbers of x and y and of their opposites may have changed. */
static void
change_cuts(struct search *w, uint32_t x, uint32_t y)
{
	const uint32_t arc[] = { x, y, reverse(w, x), reverse(w, y) };

	moore_rcuts_change(&w->cuts, arc, 4);
}

/* Makes changes that do not raise the cost of room and cuts together, both being worth as much
 * at the beginning. */
static void
lower_cost(struct search *w)
{
	uint64_t part, n_tries = (uint64_t)MOORE_PAIRS_CUT_TRIES * w->n * w->n;

	moore_rcuts_begin(&w->cuts);
	part = (w->cost - w->n * w->weight[0]) / (w->cuts.cost + 1) + 1;
	for (uint64_t i = 0; i < n_tries; i++) {
		uint32_t x = draw_arc(w), y = draw_arc(w);
		uint64_t room_was = w->cost / part, cuts_was = w->cuts.cost;

		if (x == y)
			continue;
		change(w, x, y);
		if (w->cost / part > room_was + cuts_was / 8) {
			change_back(w, x, y);
			continue;
		}
		change_cuts(w, x, y);
		if (w->cost / part + w->cuts.cost > room_was + cuts_was) {
			change_back(w, x, y);
			change_cuts(w, x, y);
		}
	}
}

static uint64_t
work_of_round(const struct search *w)
{
	return (uint64_t)w->n * w->n * w->n * w->n;
}

/* Lowers the cost in rounds, each of which knows more bad permutations than the one before. */
static void
heed_worst(struct search *w)
{
	uint64_t left = MOORE_PAIRS_CUT_WORK;

	for (uint32_t shift = 1; shift < w->n; shift++) {
		moore_rpairs_shift(&w->pairs, shift);
		moore_rpairs_share(&w->pairs);
		moore_rcuts_add(&w->cuts, &w->pairs);
	}
	for (unsigned i = 0; i < MOORE_PAIRS_CUT_ROUNDS && left >= work_of_round(w); i++) {
		keep_better(w, add_cuts(w));
		lower_cost(w);
		left -= work_of_round(w);
	}
	keep_better(w, add_cuts(w));
	memcpy(w->number, w->best, (size_t)w->n * w->n * sizeof(*w->number));
}

/* ---- ranks ---------------------------------------------------------------------------------- */

static uint32_t
colour_of(const struct search *w, uint32_t number, uint32_t apart)
{
	uint32_t gap = w->n / 2;

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

			if (!moore_rgraph_is_planned(g, e))
				continue;
			other = moore_rmiddles_other(g, c, m, k);
			colour[e] = colour_of(w, w->number[other * n + k], apart) + apart / 2;
			colour[g->rev[e]] = colour_of(w, w->number[k * n + other], apart);
		}
}

static bool
get_memory(struct search *w, struct moore_arena *a)
{
	size_t n_arcs = (size_t)w->n * w->n;

	w->room = moore_arena_alloc(a, n_arcs, sizeof(*w->room));
	w->room_was = moore_arena_alloc(a, n_arcs, sizeof(*w->room_was));
	w->number = moore_arena_alloc(a, n_arcs, sizeof(*w->number));
	w->best = moore_arena_alloc(a, n_arcs, sizeof(*w->best));
	return w->room && w->room_was && w->number && w->best;
}

int
moore_rmiddles_rank_pairs(const struct moore_rgraph *g, const struct moore_rmiddles *c,
			  uint32_t *colour, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct search w = { .n = c->n_classes, .middle = c->n_classes * (c->n_classes - 1) / 2,
		.rng = { MOORE_PAIRS_SEED } };
	bool heeds = work_of_round(&w) <= MOORE_PAIRS_CUT_WORK;

	if (!get_memory(&w, &tmp) ||
	    (heeds && (!moore_rpairs_init(&w.pairs, w.n, w.number, &tmp) ||
		       !moore_rcuts_init(&w.cuts, w.n, w.number, &tmp)))) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	set_weights(&w);
	search(&w);
	if (heeds)
		heed_worst(&w);
	paint(&w, g, c, colour);
	moore_arena_free(&tmp);
	return 0;
}

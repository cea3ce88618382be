// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* middle_ranks.c - ranks of links where the graph has lines (middles.h).
 *
 * Each middle switch has a number, and all its links have ranks next to it.  So all turns at
 * middle switches are allowed, and a detour s -> m -> i -> m' -> d is when m has the lesser
 * number than m'.  Every route from class a to class b, also the minimal one, then begins with a
 * number below t or ends with one from t on, for each t.  The *room* of a and b is how many such
 * first and last links there are at the t with the fewest: no more can be in use at a time.
 *
 * The search starts from random numbers and lowers the sum over all ordered pairs of classes of
 * 1 / base^room.  A step exchanges two numbers or moves one; every second step is chosen to give
 * a pair with the least room more of it.  A step that raises the sum a little may be kept: the
 * less, the later.  In the second half of the search the base is greater, so that the pairs with
 * least room decide.  Of several searches that one is taken which leaves the greatest least room, and
 * among these the one which leaves the fewest pairs with it, as the least sum tells. */
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "route/turns/middles.h"
#include "route/tuning.h"
#include "route/turns/turns.h"

#define MAX_ROOM 255
#define SPAN ((uint32_t)1 << 30)	/* of all colours */
#define LANES 16		/* classes that are compared at a time; counts are below 128 */
typedef int8_t lanes __attribute__((vector_size(LANES), may_alias));

struct search {
	const struct moore_rgraph *g;
	const struct moore_rmiddles *c;
	struct moore_rng rng;
	uint64_t weight[MAX_ROOM + 1];	/* by room */
	uint64_t cost;			/* sum of weight[room] */
	uint8_t *room;			/* [a * n_classes + b]; MAX_ROOM where a is b */
	uint32_t n_middles;
	uint32_t *number;		/* by middle switch */
	uint32_t *at;			/* by number: its middle switch */
	uint32_t *best;			/* at[] of the best search so far */
	uint8_t *below;			/* [t * width + class]: middle switches beside it with
					 * numbers below t */
	uint32_t width;			/* classes, and as many more as fill the last lanes */
	uint32_t *touched, n_touched;	/* classes that the exchange at hand changes */
	uint8_t *is_touched;		/* by class */
	uint8_t *row;			/* new room of the touched classes: two rows for each */
};

static uint8_t *
below(const struct search *w, uint32_t t, uint32_t a)
{
	return w->below + (size_t)t * w->width + a;
}

/* Adds up the cost again, by weights of which each is `fall` parts of 256 of the one before.  Sums over
 * all pairs fit 64 bits. */
static void
set_weights(struct search *w, unsigned fall)
{
	uint32_t n = w->c->n_classes;
	uint64_t at = (uint64_t)1 << 44;

	for (unsigned i = 0; i < MAX_ROOM; i++, at = at * fall / 256)
		w->weight[i] = at;
	w->cost = 0;
	for (size_t i = 0; i < (size_t)n * n; i++)
		w->cost += w->weight[w->room[i]];
}

/* Whether to keep an exchange that leads from cost `was` to the present one. */
static bool
is_kept(struct search *w, uint64_t was, uint32_t try, uint32_t n_tries)
{
	uint64_t slack = was / MOORE_MIDDLES_HEAT * (n_tries - try) / n_tries;

	return w->cost <= was ||
		w->cost - was <= slack / 256 * moore_rng_below(&w->rng, 256);
}

/* Raises the lanes of *most to those of v, and lowers those of *least. */
static void
include(lanes v, lanes *most, lanes *least)
{
	*most += (v - *most) & (v > *most);
	*least += (v - *least) & (v < *least);
}

/* What is room of class a and each class b, in either direction: all links of the receiver, less the
 * most by which its links below some t exceed those of the sender. */
static void
find_rooms(const struct search *w, uint32_t a, uint8_t *to, uint8_t *from)
{
	int8_t links = (int8_t)*below(w, w->n_middles, a);

	for (uint32_t b = 0; b < w->width; b += LANES) {
		lanes most = { 0 }, least = { 0 };

		for (uint32_t t = 1; t <= w->n_middles; t++)
			include(*(const lanes *)below(w, t, b) - (int8_t)*below(w, t, a), &most, &least);
		*(lanes *)(to + b) = *(const lanes *)below(w, w->n_middles, b) - most;
		*(lanes *)(from + b) = least + links;
	}
}

/* Middle switch m goes from one number to another. */
static void
move(struct search *w, uint32_t m, uint32_t from, uint32_t to)
{
	const struct moore_rgraph *g = w->g;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++) {
		uint32_t s = g->to[e], a = w->c->class_of[s];

		if (!(g->flags[e] & MOORE_EDGE_PLANNED) || w->c->place[s])
			continue;
		for (uint32_t t = from + 1; t <= to; t++)
			--*below(w, t, a);
		for (uint32_t t = to + 1; t <= from; t++)
			++*below(w, t, a);
		if (!w->is_touched[a])
			w->touched[w->n_touched++] = a;
		w->is_touched[a] = 1;
	}
}

/* Exchanges numbers i and k. */
static void
exchange(struct search *w, uint32_t i, uint32_t k)
{
	uint32_t x = w->at[i], y = w->at[k];

	move(w, x, i, k);
	move(w, y, k, i);
	w->number[x] = k;
	w->number[y] = i;
	w->at[i] = y;
	w->at[k] = x;
}

/* The middle switch with number i gets number k, and those between move by one. */
static void
insert(struct search *w, uint32_t i, uint32_t k)
{
	for (; i < k; i++)
		exchange(w, i, i + 1);
	for (; i > k; i--)
		exchange(w, i, i - 1);
}

/* Finds the rooms of the touched classes and the cost with them. */
static void
judge_touched(struct search *w)
{
	uint32_t n = w->c->n_classes;

	for (uint32_t i = 0; i < w->n_touched; i++) {
		uint32_t a = w->touched[i];
		uint8_t *to = w->row + (size_t)i * 2 * w->width, *from = to + w->width;

		find_rooms(w, a, to, from);
		to[a] = MAX_ROOM;
		for (uint32_t b = 0; b < n; b++) {
			w->cost += w->weight[to[b]] - w->weight[w->room[(size_t)a * n + b]];
			if (!w->is_touched[b])
				w->cost += w->weight[from[b]] - w->weight[w->room[(size_t)b * n + a]];
		}
	}
}

static void
keep_rooms(struct search *w)
{
	uint32_t n = w->c->n_classes;

	for (uint32_t i = 0; i < w->n_touched; i++) {
		uint32_t a = w->touched[i];
		const uint8_t *to = w->row + (size_t)i * 2 * w->width, *from = to + w->width;

		for (uint32_t b = 0; b < n; b++) {
			w->room[(size_t)a * n + b] = to[b];
			if (!w->is_touched[b])
				w->room[(size_t)b * n + a] = from[b];
		}
	}
}

static void
forget_touched(struct search *w)
{
	for (uint32_t i = 0; i < w->n_touched; i++)
		w->is_touched[w->touched[i]] = 0;
	w->n_touched = 0;
}

/* Inserts or exchanges numbers i and k and keeps the change if is_kept() says so. */
static void
try_change(struct search *w, bool inserts, uint32_t i, uint32_t k, uint32_t try, uint32_t n_tries)
{
	void (*change)(struct search *, uint32_t, uint32_t) = inserts ? insert : exchange;
	uint64_t was = w->cost;

	change(w, i, k);
	judge_touched(w);
	if (is_kept(w, was, try, n_tries)) {
		keep_rooms(w);
	} else {
		change(w, k, i);
		w->cost = was;
	}
	forget_touched(w);
}

static uint8_t
least_room(const struct search *w)
{
	uint8_t least = MAX_ROOM;

	for (size_t i = 0; i < (size_t)w->c->n_classes * w->c->n_classes; i++)
		least = w->room[i] < least ? w->room[i] : least;
	return least;
}

/* Returns the index in room[] of a random pair of classes with the least room. */
static uint32_t
find_weakest(struct search *w)
{
	uint32_t n = w->c->n_classes * w->c->n_classes, from = moore_rng_below(&w->rng, n);
	uint8_t least = least_room(w);
	const uint8_t *found;

	if (!(found = memchr(w->room + from, least, n - from)))
		found = memchr(w->room, least, n);
	return (uint32_t)(found - w->room);
}

/* A random number, from lo to hi - 1, of a middle switch beside class a; MOORE_NONE if there is
 * none. */
static uint32_t
draw_number(struct search *w, uint32_t a, uint32_t lo, uint32_t hi)
{
	uint32_t t = lo, first = *below(w, lo, a), end = *below(w, hi, a), nth;

	if (first == end)
		return MOORE_NONE;
	nth = first + moore_rng_below(&w->rng, end - first);
	while (*below(w, t + 1, a) <= nth)
		t++;
	return t;
}

/* Draws two numbers whose exchange gives a pair with the least room more first and last links
 * where it has fewest. */
static void
draw_for_weakest(struct search *w, uint32_t *i, uint32_t *k)
{
	uint32_t pair = find_weakest(w), a = pair / w->c->n_classes, b = pair % w->c->n_classes;
	uint32_t at = 0;
	int most = 0;

	for (uint32_t t = 0; t < w->n_middles; t++) {
		int more = *below(w, t, b) - *below(w, t, a);

		if (more > most) {
			most = more;
			at = t;
		}
	}
	*i = draw_number(w, b, 0, at);
	*k = draw_number(w, a, at, w->n_middles);
}

/* Numbers the middle switches in random sequence. */
static void
shuffle(struct search *w)
{
	moore_rng_shuffle(&w->rng, w->at, w->n_middles);
	for (uint32_t i = 0; i < w->n_middles; i++)
		w->number[w->at[i]] = i;
}

static void
start(struct search *w)
{
	shuffle(w);
	memset(w->below, 0, (size_t)(w->n_middles + 1) * w->width);
	for (uint32_t i = 0; i < w->n_middles; i++)
		move(w, w->at[i], w->n_middles, i);
	judge_touched(w);
	keep_rooms(w);
	forget_touched(w);
	set_weights(w, MOORE_MIDDLES_FALL);
}

/* As many as MOORE_MIDDLES_WORK allows: an exchange touches about twice the classes beside a
 * middle switch, and compares each with all others, both ways. */
static uint32_t
count_tries(const struct search *w)
{
	uint64_t n_links = 0, work, most = (uint64_t)MOORE_MIDDLES_TRIES * w->n_middles;

	for (uint32_t a = 0; a < w->c->n_classes; a++)
		n_links += *below(w, w->n_middles, a);
	work = 4 * (n_links / w->n_middles + 1) * w->n_middles * (w->width / LANES);
	return (uint32_t)(MOORE_MIDDLES_WORK / work < most ? MOORE_MIDDLES_WORK / work : most);
}

static void
search(struct search *w)
{
	uint32_t n_tries = count_tries(w);

	for (uint32_t i = 0; i < n_tries; i++) {
		uint32_t x = moore_rng_below(&w->rng, w->n_middles);
		uint32_t y = moore_rng_below(&w->rng, w->n_middles);

		if (i == n_tries / 2)
			set_weights(w, MOORE_MIDDLES_FALL_LATE);
		if (i & 1)
			draw_for_weakest(w, &x, &y);
		else if (i & 2)
			y = (x + 1 + y % MOORE_MIDDLES_WINDOW) % w->n_middles;
		if (x != y && x != MOORE_NONE && y != MOORE_NONE)
			try_change(w, i % 4 == 2, x, y, i, n_tries);
	}
}

/* All colours are below the middle: so links of the spanning tree towards its root can keep
 * them.  There is room between two of them for ranks of others. */
static void
paint(const struct search *w, uint32_t *colour)
{
	const struct moore_rgraph *g = w->g;
	uint32_t apart = SPAN / (2 * w->n_middles);

	for (uint32_t i = 0; i < w->n_middles; i++)
		for (uint32_t m = w->at[i], e = g->xadj[m]; e < g->xadj[m + 1]; e++) {
			uint32_t up = MOORE_RANK_MIDDLE - SPAN + 2 * i * apart;

			if (!(g->flags[e] & MOORE_EDGE_PLANNED))
				continue;
			colour[e] = up + apart;
			colour[g->rev[e]] = up;
		}
}

/* The fewest links that a class has to middle switches. */
static uint8_t
fewest_links(const struct search *w)
{
	uint8_t fewest = MAX_ROOM;

	for (uint32_t a = 0; a < w->c->n_classes; a++)
		fewest = *below(w, w->n_middles, a) < fewest ? *below(w, w->n_middles, a) : fewest;
	return fewest;
}

/* Searches several times and leaves in at[] the best order. */
static void
search_often(struct search *w)
{
	uint64_t cost = UINT64_MAX;
	uint8_t most = 0;

	for (unsigned i = 0; i < MOORE_MIDDLES_MOST_STARTS; i++) {
		uint8_t least;

		if (i >= MOORE_MIDDLES_STARTS && most >= fewest_links(w) / 2)
			break;
		start(w);
		search(w);
		least = least_room(w);
		if (least > most || (least == most && w->cost < cost)) {
			most = least;
			cost = w->cost;
			memcpy(w->best, w->at, w->n_middles * sizeof(*w->at));
		}
	}
	memcpy(w->at, w->best, w->n_middles * sizeof(*w->at));
}

static int
alloc(struct search *w, struct moore_arena *tmp)
{
	const struct moore_rgraph *g = w->g;
	size_t n = w->c->n_classes;

	w->at = moore_arena_alloc(tmp, g->n, sizeof(*w->at));
	for (uint32_t m = 0; w->at && m < moore_rgraph_n_intended(g); m++)
		if (!g->is_source[m])
			w->at[w->n_middles++] = m;
	w->width = (w->c->n_classes + LANES - 1) / LANES * LANES;
	w->best = moore_arena_alloc(tmp, g->n, sizeof(*w->best));
	w->number = moore_arena_alloc(tmp, g->n, sizeof(*w->number));
	w->room = moore_arena_alloc(tmp, n * n, 1);
	w->below = moore_arena_alloc(tmp, (size_t)w->width * (w->n_middles + 1), 1);
	w->touched = moore_arena_alloc(tmp, n, sizeof(*w->touched));
	w->is_touched = moore_arena_alloc(tmp, n, 1);
	w->row = moore_arena_alloc(tmp, 2 * n * w->width, 1);
	return w->at && w->best && w->number && w->room && w->below && w->touched &&
		w->is_touched && w->row ? 0 : -MOORE_ENOMEM;
}

int
moore_rmiddles_rank(const struct moore_rgraph *g, const struct moore_rmiddles *c,
		    uint32_t *colour, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct search w = { .g = g, .c = c, .rng = { MOORE_MIDDLES_SEED } };
	int rc = alloc(&w, &tmp);

	if (rc == 0) {
		search_often(&w);
		paint(&w, colour);
	}
	moore_arena_free(&tmp);
	return rc < 0 ? moore_fail_nomem(err) : 0;
}

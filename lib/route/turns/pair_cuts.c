// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* pair_cuts.c - a set of permutations of classes that limit what numbers of arcs let classes send
 * (pair_ranks.c), kept up to date as numbers change.
 *
 * A *cut* is a permutation with a weight for each class.  Its *value* is the greatest sum of weights
 * of arcs in use (pair_share.c): over the sum of the weights of all classes it bounds what every class
 * can send at once.  A change of one number opens or closes two arcs at most, and changes the value
 * by what that does to the runs beside these; so a change is tried on a hundred cuts in a few
 * microseconds.  The price of a cut falls as its value rises, so the cuts of least value decide. */
#include <string.h>

#include "route/tuning.h"
#include "route/turns/pairs.h"

#define UNIT 128		/* mean weight of a class */
#define SHIFT_UNIT (UNIT * MOORE_PAIRS_SHIFT_PART / 128)
#define STEP 16			/* the price falls with each step of the value */
#define N_PRICES 128
#define MARGIN 32		/* steps below the least value of today */

static uint32_t
next_arc(const struct moore_rcuts *c, const struct moore_rcut *k, uint32_t x)
{
	return x % c->n * c->n + k->to[x / c->n];
}

static uint32_t
arc_before(const struct moore_rcuts *c, const struct moore_rcut *k, uint32_t x)
{
	return k->from[x % c->n] * c->n + x / c->n;
}

/* Whether the class that arc x leaves sends to the class that it leads to, or x is no arc: no
 * detour then. */
static bool
is_direct(const struct moore_rcuts *c, const struct moore_rcut *k, uint32_t x)
{
	uint32_t to = x % c->n;

	return to == x / c->n || to == k->to[x / c->n];
}

static bool
is_open(const struct moore_rcuts *c, const struct moore_rcut *k, uint32_t x)
{
	return !is_direct(c, k, x) && c->number[x] < c->number[next_arc(c, k, x)];
}

/* The greatest sum of weights in the run that open arc x is in. */
static uint32_t
value_of_run(const struct moore_rcuts *c, const struct moore_rcut *k, uint32_t x)
{
	uint32_t best = 0, before = 0, y;

	while (k->open[y = arc_before(c, k, x)])
		x = y;
	for (; k->open[x]; x = next_arc(c, k, x)) {
		uint32_t with = before + k->weight[x / c->n];

		before = best;
		best = with > best ? with : best;
	}
	return best;
}

/* The same of the run that arc x is in, or of the two beside it. */
static uint32_t
value_around(const struct moore_rcuts *c, const struct moore_rcut *k, uint32_t x)
{
	uint32_t before = arc_before(c, k, x), next = next_arc(c, k, x);

	if (k->open[x])
		return value_of_run(c, k, x);
	return (k->open[before] ? value_of_run(c, k, before) : 0) +
		(k->open[next] ? value_of_run(c, k, next) : 0);
}

static void
set_open(const struct moore_rcuts *c, struct moore_rcut *k, uint32_t x, bool open)
{
	if (k->open[x] == open || is_open(c, k, x) != open)
		return;
	k->value -= value_around(c, k, x);
	k->open[x] = open;
	k->value += value_around(c, k, x);
}

/* Closes arcs first, so that no run becomes a circle. */
static void
change_cut(const struct moore_rcuts *c, struct moore_rcut *k, const uint32_t *arc, unsigned n)
{
	for (int open = 0; open < 2; open++)
		for (unsigned i = 0; i < n; i++) {
			if (is_direct(c, k, arc[i]))
				continue;
			set_open(c, k, arc[i], open);
			set_open(c, k, arc_before(c, k, arc[i]), open);
		}
}

static uint64_t
price_of(const struct moore_rcuts *c, uint32_t value)
{
	uint32_t step = value > c->floor ? (value - c->floor) / STEP : 0;

	return step < N_PRICES ? c->price[step] : 0;
}

void
moore_rcuts_change(struct moore_rcuts *c, const uint32_t *arc, unsigned n)
{
	c->cost = 0;
	for (uint32_t k = 0; k < c->n_cuts; k++) {
		change_cut(c, &c->cut[k], arc, n);
		c->cost += price_of(c, c->cut[k].value);
	}
}

/* Finds which arcs are open and the value. */
static void
find_value(const struct moore_rcuts *c, struct moore_rcut *k)
{
	uint32_t n_arcs = c->n * c->n;

	for (uint32_t x = 0; x < n_arcs; x++)
		k->open[x] = is_open(c, k, x);
	k->value = 0;
	for (uint32_t x = 0; x < n_arcs; x++)
		if (k->open[x] && !k->open[arc_before(c, k, x)])
			k->value += value_of_run(c, k, x);
}

void
moore_rcuts_weigh(struct moore_rcuts *c, uint32_t k, const struct moore_rpairs *p)
{
	uint64_t sum = 0, unit = k < c->n - 1 ? SHIFT_UNIT : UNIT;

	for (uint32_t a = 0; a < c->n; a++)
		sum += p->mean_weight[a];
	for (uint32_t a = 0; a < c->n; a++)
		c->cut[k].weight[a] = (uint16_t)(p->mean_weight[a] * c->n * unit / (sum + 1));
	find_value(c, &c->cut[k]);
}

void
moore_rcuts_add(struct moore_rcuts *c, const struct moore_rpairs *p)
{
	uint32_t k = 0;

	if (c->n_cuts < c->n_room)
		k = c->n_cuts++;
	else
		for (uint32_t i = k = c->n - 1; i < c->n_cuts; i++)
			k = c->cut[i].value > c->cut[k].value ? i : k;
	memcpy(c->cut[k].to, p->to, c->n);
	memcpy(c->cut[k].from, p->from, c->n);
	moore_rcuts_weigh(c, k, p);
}

void
moore_rcuts_get(const struct moore_rcuts *c, uint32_t k, struct moore_rpairs *p)
{
	memcpy(p->to, c->cut[k].to, c->n);
	memcpy(p->from, c->cut[k].from, c->n);
}

void
moore_rcuts_begin(struct moore_rcuts *c)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t k = 0; k < c->n_cuts; k++) {
		find_value(c, &c->cut[k]);
		least = c->cut[k].value < least ? c->cut[k].value : least;
	}
	c->floor = least > MARGIN * STEP ? least - MARGIN * STEP : 0;
	moore_rcuts_change(c, NULL, 0);
}

bool
moore_rcuts_init(struct moore_rcuts *c, uint32_t n, const uint32_t *number, struct moore_arena *a)
{
	uint64_t price = (uint64_t)1 << 50;

	*c = (struct moore_rcuts){ .n = n, .n_room = n + MOORE_PAIRS_CUTS, .number = number };
	c->cut = moore_arena_alloc(a, c->n_room, sizeof(*c->cut));
	c->price = moore_arena_alloc(a, N_PRICES, sizeof(*c->price));
	for (uint32_t k = 0; c->cut && k < c->n_room; k++) {
		struct moore_rcut *cut = &c->cut[k];

		cut->to = moore_arena_alloc(a, n, 1);
		cut->from = moore_arena_alloc(a, n, 1);
		cut->weight = moore_arena_alloc(a, n, sizeof(*cut->weight));
		cut->open = moore_arena_alloc(a, (size_t)n * n, 1);
		if (!cut->to || !cut->from || !cut->weight || !cut->open)
			return false;
	}
	for (unsigned i = 0; c->price && i < N_PRICES; i++, price = price * MOORE_PAIRS_CUT_FALL / 256)
		c->price[i] = price;
	return c->cut && c->price;
}

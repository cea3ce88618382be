/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* pairs.h - how much the columns of an MLFM can send to each other by the numbers of their ordered
 * pairs (pair_ranks.c has the words). */
#ifndef MOORE_ROUTE_PAIRS_H
#define MOORE_ROUTE_PAIRS_H

#include "base/arena.h"
#include "base/random.h"
#include "moore/base.h"

/* ---- what one permutation can send: pair_share.c ------------------------------------------ */

struct moore_rpairs {
	uint32_t n;		/* classes, at most 255 */
	const uint32_t *number;	/* of arc a -> c: number[a * n + c] */
	/* The permutation at hand: class a sends to to[a], and from[to[a]] is a. */
	uint8_t *to, *from;
	/* Its runs, one after the other, */
	uint32_t n_arcs;
	uint8_t *source;	/* the class that each arc leaves */
	uint8_t *begins;	/* this arc begins a run */
	uint64_t *best;		/* scratch, by arc */
	/* and its classes. */
	uint64_t *weight, *mean_weight;
	uint32_t *now, *sent;	/* arcs in use in this round, and in all rounds together */
};

/* number[] is borrowed, and may change between calls.  Memory comes from the arena; returns false
 * if there is none. */
bool moore_rpairs_init(struct moore_rpairs *p, uint32_t n, const uint32_t *number,
		       struct moore_arena *a);
/* Lets every class a send to class a + shift. */
void moore_rpairs_shift(struct moore_rpairs *p, uint32_t shift);
/* What each class can send over detours at once, in links times MOORE_PAIRS_ROUNDS, and in
 * mean_weight[] weights of the classes that bound it.  O(n^2 * MOORE_PAIRS_ROUNDS). */
uint32_t moore_rpairs_share(struct moore_rpairs *p);
/* Sets to[] and from[] to a permutation by which classes can send little, found from a random
 * one, and returns moore_rpairs_share() of it.  About O(n^5). */
uint32_t moore_rpairs_worst(struct moore_rpairs *p, struct moore_rng *rng);

/* True if arc a -> c begins a detour of the permutation whose turn is allowed. */
static inline bool
moore_rpairs_is_open(const struct moore_rpairs *p, uint32_t a, uint32_t c)
{
	uint32_t b = p->to[a];

	return c != a && c != b && p->number[a * p->n + c] < p->number[c * p->n + b];
}

/* ---- a set of permutations that limit the numbers: pair_cuts.c ---------------------------- */

struct moore_rcut {
	uint8_t *to, *from;
	uint16_t *weight;	/* by class */
	uint8_t *open;		/* by arc */
	uint32_t value;		/* greatest sum of the weights of arcs in use */
};

struct moore_rcuts {
	uint32_t n, n_cuts, n_room;	/* classes; cuts in use, and all */
	const uint32_t *number;
	struct moore_rcut *cut;
	uint64_t *price;	/* by value over the least one to come */
	uint32_t floor;		/* the value with the greatest price */
	uint64_t cost;		/* sum of the prices of all cuts */
};

bool moore_rcuts_init(struct moore_rcuts *c, uint32_t n, const uint32_t *number,
		      struct moore_arena *a);
/* Adds the permutation of p with its mean_weight[], when there is no room in place of the cut of
 * the greatest value after the first n - 1. */
void moore_rcuts_add(struct moore_rcuts *c, const struct moore_rpairs *p);
/* Makes the permutation of cut k that of p. */
void moore_rcuts_get(const struct moore_rcuts *c, uint32_t k, struct moore_rpairs *p);
/* Gives cut k the mean_weight[] of p, whose permutation is the same. */
void moore_rcuts_weigh(struct moore_rcuts *c, uint32_t k, const struct moore_rpairs *p);
/* Sets prices by the least value of today, and the cost. */
void moore_rcuts_begin(struct moore_rcuts *c);
/* Heeds that the numbers of n arcs have changed, at most four. */
void moore_rcuts_change(struct moore_rcuts *c, const uint32_t *arc, unsigned n);

#endif

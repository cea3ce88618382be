/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* pairs.h - how much the columns of an MLFM can send to each other by the numbers of their ordered
 * pairs (pair_ranks.c has the words, pair_share.c the method). */
#ifndef MOORE_ROUTE_PAIRS_H
#define MOORE_ROUTE_PAIRS_H

#include "base/arena.h"
#include "moore/base.h"

struct moore_rpairs {
	uint32_t n;		/* classes, at most 255 */
	const uint32_t *number;	/* of arc a -> c: number[a * n + c] */
	/* The rest describes the shift at hand: its runs, one after the other, */
	uint32_t n_arcs;
	uint8_t *from;		/* the class that each arc leaves */
	uint8_t *begins;	/* this arc begins a run */
	uint64_t *best;		/* scratch, by arc */
	/* and its classes. */
	uint64_t *weight;
	uint32_t *now, *sent;	/* arcs in use in this round, and in all rounds together */
};

/* number[] is borrowed, and may change between calls.  Memory comes from the arena; returns false
 * if there is none. */
bool moore_rpairs_init(struct moore_rpairs *p, uint32_t n, const uint32_t *number,
		       struct moore_arena *a);
/* What each class can send over detours at once when every class a sends to class a + shift: the
 * least over all shifts, in links times MOORE_PAIRS_ROUNDS.  O(n^3 * MOORE_PAIRS_ROUNDS). */
uint32_t moore_rpairs_share(struct moore_rpairs *p);

#endif

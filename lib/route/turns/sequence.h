/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* sequence.h - profile one-vl: a sequence of all edges (directed links), along which every
 * turn that is in use goes forward.
 *
 * On one lane every turn of every route counts, so what can be minimal is a matter of the
 * sequence alone: a minimal route is legal if its edges stand in it in their order. */
#ifndef MOORE_ROUTE_SEQUENCE_H
#define MOORE_ROUTE_SEQUENCE_H

#include "route/turns/turns.h"

/* The turns of a graph by number: that from edge e to the i-th edge of its head is
 * first[e] + i.  The turn back is among them. */
struct moore_rturn_list {
	size_t n;
	size_t *first;		/* by edge */
	uint64_t *weight;	/* by turn */
};

/* Weight of a minimal route between two switches that have endpoints. */
#define MOORE_TURN_WEIGHT ((uint64_t)1 << 20)

/* Sets t->weight[]: how many minimal routes of v pass each turn.  The routes of a pair share
 * one weight, MOORE_TURN_WEIGHT if both ends have endpoints, else less.  -MOORE_ENOMEM.
 * O(switches * turns). */
int moore_rturns_weigh(struct moore_rturn_list *t, const struct moore_rview *v,
		       struct moore_err *err);

/* Fills place[] (by edge), all different, for the edges of v, whose turns have an order and a
 * spanning tree.  It searches for the greatest weight of turns that go forward, for as long
 * as tuning.h allows; seed varies the search.  The greater `power` (1 to 8) is, the more evenly the
 * turns that go backward are shared by the switches, and the more there are.  -MOORE_ENOMEM. */
int moore_rsequence_search(const struct moore_rview *v, uint64_t seed, unsigned power,
			   uint32_t *place, struct moore_err *err);

/* Fills t for the edges of v, close to old, whose tree has all of its turns: keeps what is left of
 * the tree and joins its parts.  *joined is false, and t undefined, where ranks leave no room for
 * that.  -MOORE_ENOMEM; O(edges * degree) for each link that is tried, and within a bound for each
 * lost link. */
int moore_rsequence_join(struct moore_rturns *t, const struct moore_rview *v,
			 const struct moore_rturns *old, bool *joined, struct moore_err *err);

#endif

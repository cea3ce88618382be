/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* balance.h - the minimal tree of every root, and which of its equally short parents each
 * leaf takes, and each switch without endpoints that is not one (balance_middles.c).
 *
 * A *slice* is a set of LIDs with at most one LID at each root: the LIDs of the switches, or
 * those of the j-th host of each switch at one offset.  These choices differ between slices; the
 * rest of the trees does not. */
#ifndef MOORE_ROUTE_BALANCE_H
#define MOORE_ROUTE_BALANCE_H

#include "route/trees/tree.h"

/* The matrices have a row of n for each root. */
struct moore_rbalance {
	const struct moore_rview *v;
	uint8_t *slot;		/* [root * n + node]: the trees of the present slice */
	uint8_t *len;		/* [root * n + node]: hops, the same in every slice */
	uint16_t *reached;	/* [root * n + i]: reached nodes by length */
	uint32_t *n_reached;	/* by root */
	uint32_t *load;		/* by edge: routes of the present slice over it */
	struct moore_rprice {	/* by edge: price of its last unit of load, and of one more */
		int64_t less, more;
	} *price;
	uint8_t *present;	/* by root: the slice has a LID there, so load[] has its tree */
	struct moore_rchoices {	/* nodes with several parents to choose from: leaves, and switches
				 * without endpoints */
		struct moore_rchoice {
			uint32_t root, node;
			uint32_t cand0;	/* their slots: cand[cand0..cand0+n-1] */
			uint16_t n, start;	/* start: which one a leaf takes first in slice 0, and a
						 * switch has in the tree as it was grown */
		} *at;
		uint32_t n, cap;
	} leaves, middles;
	uint32_t *rank;		/* by root: a number; sources two hops apart have numbers in sequence, as far as
				 * possible, whatever the order of nodes */
	bool narrow;		/* some link has one lane, so middles have no choice */
	uint8_t *cand;
	uint32_t n_cands, cap_cands;
	uint32_t *acc, *after;	/* by node: scratch */
};

/* Grows every tree; n_connected[root] nodes should be reached.  seed varies the choices.
 * End *b with moore_rbalance_fini(), on error too.  -MOORE_ENOMEM; -MOORE_EUNREACH: *bad is
 * a root that some connected node does not reach. */
int moore_rbalance_build(struct moore_rbalance *b, const struct moore_rview *v,
			 const uint32_t *n_connected, uint64_t seed, uint32_t *bad,
			 struct moore_err *err);
/* Makes room for trees of v, but has none.  End *b with moore_rbalance_fini(), on error too.
 * -MOORE_ENOMEM. */
int moore_rbalance_init(struct moore_rbalance *b, const struct moore_rview *v);
/* Takes t as the tree of its root, which had none, and adds its load, but does not set prices.  Of t
 * are read slot, len and queue. */
void moore_rbalance_take(struct moore_rbalance *b, const struct moore_rtree *t);
/* Adds `by` to the load of each edge from e on to the root along slot[]; by may be negative, as
 * a number of 32 bits. */
void moore_rbalance_change(struct moore_rbalance *b, const uint8_t *slot, uint32_t root,
			   uint32_t e, uint32_t by);
/* Adds `by` likewise to acc[] of each node from s on along slot[], but not of the root. */
void moore_rbalance_count_on(struct moore_rbalance *b, const uint8_t *slot, uint32_t root, uint32_t s,
			     uint32_t by);
/* Profile one-vl, relieve.c: moves routes of the grown trees, whose load load[] is, from
 * overloaded edges to others, also to routes of one hop more. */
void moore_rbalance_relieve(struct moore_rbalance *b);
/* Likewise of trees that were repaired, which were was[] before: one round, which changes few routes
 * that the repair has left alone. */
void moore_rbalance_relieve_repaired(struct moore_rbalance *b, const uint8_t *was);
/* balance_middles.c: starts slice number i, with no root present; moves switches without endpoints,
 * and returns how many moved. */
void moore_rbalance_start_middles(struct moore_rbalance *b, unsigned i);
size_t moore_rbalance_move_middles(struct moore_rbalance *b);
/* balance_middles.c: fills rank[]. */
void moore_rbalance_number(struct moore_rbalance *b);
/* balance_middles.c: returns which of its candidates the node of all->at[index] takes in turn: of those with
 * the fewest nodes of the same root behind them so far, the first from number rank[root] + i on.  acc[] counts
 * these, so it is to be called for the choices of a root in sequence. */
uint32_t moore_rbalance_turn(struct moore_rbalance *b, const struct moore_rchoices *all, uint32_t index,
			     unsigned i);
/* Has leaves start slice 0 from parents that they take in turn. */
void moore_rbalance_take_turns(struct moore_rbalance *b);
/* Chooses for slice number i, which has a LID at each root with present[root]. */
void moore_rbalance_slice(struct moore_rbalance *b, unsigned i, const uint8_t *present);
void moore_rbalance_fini(struct moore_rbalance *b);

/* Makes a copy that chooses for slices on its own, and so in another thread, while `from` does
 * not change but for that.  What a slice gets does not depend on the slices before.  End *to
 * with moore_rbalance_fini_copy() before `from`, on error too.  -MOORE_ENOMEM. */
int moore_rbalance_copy(struct moore_rbalance *to, const struct moore_rbalance *from);
void moore_rbalance_fini_copy(struct moore_rbalance *b);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* layer_tree.h - one tree of a layer while it is made, shared by layer_*.c.
 *
 *   layers.c        the sequence of a slice, and which nodes got detours
 *   layer_grow.c    growing around last hops that are out of service
 *   layer_used.c    first and last links of earlier trees
 *   layer_gates.c   the whole tree where no minimal route has more than two hops
 *   layer_relays.c  which of its neighbours are gates, and which switches relays
 *   layer_halves.c  growing where middle switches are split into halves
 *   layer_loads.c   loads, and the price of every node's route
 *   layer_leaves.c  leaves that move to detours, and to cheaper ones
 *   layer_cover.c   detours for those that have none yet
 *
 * When all trees of all layers stand (layer_slices.h), layer_revise.c changes them once more. */
#ifndef MOORE_ROUTE_LAYER_TREE_H
#define MOORE_ROUTE_LAYER_TREE_H

#include "route/layers/layers.h"
#include "route/tuning.h"

/* The slice at hand: constant while moore_rlayers_slice() runs. */
struct moore_rlayer_slice {
	unsigned layer, variant;
	unsigned n_shares;	/* last hops (intermediates, with halves) are divided into as
				 * many shares, and each layer treats one differently */
	bool is_last;		/* last layer of the variant */
	bool spare_relays;	/* there are trees enough that each may have few relays */
	bool one_lane;		/* some link has one lane, so leaves must be legal across it */
	uint32_t max_lids;	/* the most LIDs that share a tree */
	uint32_t n_gates;	/* of a tree */
	uint32_t max_relays;	/* likewise */
	uint64_t mean_price;	/* of an edge with a mean load */
	uint64_t again;		/* price of using a first or last link again */
};

/* These flags describe a node in the tree of a root. */
enum {
	SATED = 1,	/* asks for no detour in this layer: it had more of them than most; in
			 * the last layer of a variant and with halves: it is COVERED */
	PASS = 2,	/* may have children */
	KIDS = 4,	/* has children */
	COVERED = 8,	/* has had a detour in this variant */
	GATE = 16, RELAY = 32,	/* see layer_gates.c */
	SETTLED = 64,	/* its route is final and counts in the loads */
	EARLIER = 128,	/* was COVERED before this tree */
};

/* A price is a sum of third powers of loads and of `again`, both below 2^LONG_BIT.  Above
 * it stand, from the least to the greatest objection: */
#define LONG_BIT 58			/* the length is not the one that the kind prefers */
#define DEAR ((uint64_t)1 << 60)	/* the parent would lose its own way to a detour */
#define NEVER ((uint64_t)1 << 62)	/* impossible */

#define NO_PARENT UINT16_MAX

/* One tree that is being built; slot, len and the others point to its rows of the matrices. */
struct moore_rlayer_tree {
	struct moore_rlayers *v;
	const struct moore_rlayer_slice *slice;
	const struct moore_rview *view;
	uint32_t root;
	uint32_t n_lids;	/* that share the tree: load from each source */
	uint8_t *slot, *len, *flags;
	const uint8_t *dist;	/* hops of the minimal tree */
	bool is_retry;		/* the tree is made again, for a pair that had no detour */
	bool spare_relays;	/* as in the slice, but not then */
	uint64_t *first, *last;	/* with gates: these and gain are NULL */
	uint16_t *gain;
	struct moore_rused *used;	/* with gates: by node */
	uint8_t *noted;		/* with links: those of this tree, or NULL */
};

/* The derivative of the sum of fourth powers of loads, up to a factor. */
static inline uint64_t
moore_rlayer_price(const struct moore_rgraph *g, uint32_t e, uint64_t load)
{
	uint64_t c = moore_rgraph_weighted(g, e, load);

	return c * c * c;
}

/* Price of edge e when its load is as given and one tree more uses it. */
static inline uint64_t
price_at(const struct moore_rlayer_tree *w, uint32_t e, uint32_t load)
{
	return moore_rlayer_price(w->view->g, e, (uint64_t)load + w->slice->max_lids);
}

static inline void
set_load(const struct moore_rlayer_tree *w, uint32_t e, uint32_t load)
{
	w->v->load[e] = load;
	w->v->price[e] = price_at(w, e, load);
}

/* Whether s has no children, a route, and endpoints. */
static inline bool
is_leaf(const struct moore_rlayer_tree *w, uint32_t s)
{
	return !(w->flags[s] & KIDS) && w->view->g->is_source[s] && w->slot[s] != MOORE_SLOT_NONE;
}

/* The route of node x goes on over its edge in this slot. */
static inline void
moore_rlayer_set_parent(const struct moore_rgraph *g, struct moore_ronward *o, uint32_t x, uint8_t slot)
{
	o->edge = g->xadj[x] + slot;
	o->parent = slot == MOORE_SLOT_NONE ? NO_PARENT : (uint16_t)g->to[o->edge];
}

/* The route of node s begins and ends with these links. */
static inline void
moore_rused_note(struct moore_rlayer_tree *w, uint32_t s, uint8_t first, uint8_t last)
{
	moore_rused_add(&w->used[s], first, last);
	if (!w->noted)
		return;
	w->noted[(size_t)s * 2] = first;
	w->noted[(size_t)s * 2 + 1] = last;
}

/* Makes the tree of w->root around a few gates; ties go by `from`. */
void moore_rlayer_by_gates(struct moore_rlayer_tree *w, uint32_t from);

/* Grows w->v->t, the tree of w->root. */
void moore_rlayer_grow(struct moore_rlayer_tree *w, uint32_t n_connected);
/* The same with halves, for a root that is not a middle switch.  False when some connected
 * node is not reached. */
bool moore_rlayer_grow_halves(struct moore_rlayer_tree *w, uint32_t n_connected);

/* Copies w->v->t to the matrices, adds its loads, and fills onward[] and open_len[]. */
void moore_rlayer_keep(struct moore_rlayer_tree *w);
/* Fills onward[] and open_len[] of node x, or of all nodes, from slot[] and price[]. */
void moore_rlayer_renew(struct moore_rlayer_tree *w, uint32_t x);
void moore_rlayer_renew_all(struct moore_rlayer_tree *w);
void moore_rlayer_set_onward(struct moore_rlayer_tree *w, uint32_t x, uint64_t price);

/* The leaves that have no detour move to one where they can, from node `from` on: first
 * those that are not sated, then the sated ones. */
void moore_rlayer_move_leaves(struct moore_rlayer_tree *w, uint32_t from);
/* The leaves on detours move to cheaper ones of the same length. */
void moore_rlayer_even(struct moore_rlayer_tree *w);
/* Gives leaf s another parent edge e. */
void moore_rlayer_move(struct moore_rlayer_tree *w, uint32_t s, uint32_t e);
/* Lists in slot[256] the slots of s that lead to nodes of open_len[] min_len to min_len + span,
 * and returns their number.  Edges of one lane are left out where s would not be legal. */
uint32_t moore_rlayer_list_slots(const struct moore_rlayer_tree *w, uint32_t s, unsigned min_len,
				 unsigned span, uint8_t *slot);
/* Returns the cheapest edge of leaf s, below limit, to a node other than `except` that has
 * min_len to max_len hops to go; MOORE_NONE when there is none. */
uint32_t moore_rlayer_cheapest(const struct moore_rlayer_tree *w, uint32_t s, unsigned min_len,
			       unsigned max_len, uint32_t except, uint64_t limit);
/* Returns the cheapest edge of leaf s to a detour, which is one or two hops longer than
 * minimal, or up to three for a neighbour of the root. */
uint32_t moore_rlayer_detour(const struct moore_rlayer_tree *w, uint32_t s, uint32_t except);
/* Nodes that still want a detour get one, at the expense of others that had theirs. */
void moore_rlayer_cover(struct moore_rlayer_tree *w);

#endif

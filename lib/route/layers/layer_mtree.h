/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* layer_mtree.h - prices, and steps of a tree of middle switches, that the files layer_m*.c
 * share. */
#ifndef MOORE_ROUTE_LAYER_MTREE_H
#define MOORE_ROUTE_LAYER_MTREE_H

#include "route/layers/layer_middles.h"
#include "route/tuning.h"

/* Prices count in these: to use a link again, where tuning.h says 1. */
#define USE ((uint32_t)1 << 10)
#define MAX_LOAD ((uint32_t)1 << 16)	/* price of a link's load, in parts of USE */
#define NEVER ((uint32_t)1 << 30)	/* impossible; three of these fit 32 bits */

static inline bool
is_usable(const struct moore_rmtrees *w, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;

	return g->flags[e] & w->v->flag &&
		(g->to[e] == w->t.root || moore_rview_transit(w->v, g->to[e]));
}

/* Gives s the parent edge e, whose head has a route. */
static inline void
hang(struct moore_rmtrees *w, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t r = g->to[e];

	w->t.slot[s] = (uint8_t)(e - g->xadj[s]);
	w->t.len[s] = (uint8_t)(w->t.len[r] + 1);
	w->last[s] = r == w->t.root ? (uint8_t)(g->rev[e] - g->xadj[r]) : w->last[r];
}

/* Index of what middle switch m is needed for: to lead a group of switches beside it to a last link. */
static inline uint32_t
moore_rmtrees_want(const struct moore_rmtrees *w, uint32_t m, uint8_t last, uint32_t group)
{
	return (m * w->stride + last) * w->n_groups + group;
}

/* Finds what all trees of the root have in common (layer_mroot.c). */
void moore_rmtrees_prepare(struct moore_rmtrees *w, uint32_t root);
/* Begins all trees of the root anew, but for the loads (layer_mroot.c). */
void moore_rmtrees_reset(struct moore_rmtrees *w);
/* Makes the next tree of the root in w->t (layer_middles.c). */
void moore_rmtrees_grow(struct moore_rmtrees *w);

/* Begins the tree of the root: the root, and the middle switches beside it. */
void moore_rmtrees_hang_last_hops(struct moore_rmtrees *w);

#endif

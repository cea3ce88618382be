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

/* The price of edge e for node s where the model of the tree has another (layer_models.c). */
static inline uint32_t
price_unlike(const struct moore_rmtrees *w, uint32_t s, uint32_t e)
{
	return w->model && w->model[s] != e - w->v->g->xadj[s] ? MOORE_PRICE_UNLIKE * USE : 0;
}

/* Where classes are paired, the place of the intermediates of this variant's first layer. */
static inline uint32_t
moore_rmtrees_first_place(const struct moore_rmtrees *w)
{
	return w->n_built / w->n_layers + w->classes->place[w->t.root] + w->classes->class_of[w->t.root];
}

/* Returns false when there is no memory. */
bool moore_rmtrees_alloc_models(struct moore_rmtrees *w);
/* Forgets all models, when a strand begins. */
void moore_rmtrees_forget_models(struct moore_rmtrees *w);
/* Returns the model of the tree that is about to be made; NULL where there are none. */
uint8_t *moore_rmtrees_find_model(const struct moore_rmtrees *w);
/* Gives each node that has no parent in the model the one that it has in the tree at hand. */
void moore_rmtrees_keep_model(struct moore_rmtrees *w);

/* Finds what all trees of the root have in common (layer_mroot.c). */
void moore_rmtrees_prepare(struct moore_rmtrees *w, uint32_t root);
/* Begins all trees of the root anew, but for the loads (layer_mroot.c). */
void moore_rmtrees_reset(struct moore_rmtrees *w);
/* Makes the next tree of the root in w->t (layer_middles.c). */
void moore_rmtrees_grow(struct moore_rmtrees *w);

/* Begins the tree of the root: the root, and the middle switches beside it. */
void moore_rmtrees_hang_last_hops(struct moore_rmtrees *w);

#endif

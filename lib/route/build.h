/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* build.h - one build of all tables: what route.c hands from stage to stage. */
#ifndef MOORE_ROUTE_BUILD_H
#define MOORE_ROUTE_BUILD_H

#include "route/columns.h"
#include "route/hint/hint.h"
#include "route/layers/layer_middles.h"
#include "route/layers/layers.h"

/* What a build leaves; the caller of moore_route_build() holds it. */
struct moore_route {
	const struct moore_fabric *seen;
	struct moore_rgraph g;
	uint8_t *half, *entry_wanted;	/* by node, by edge: see struct moore_rturns, which borrows them */
	struct moore_rturns turns;	/* of the links that are up */
	uint8_t *entry;		/* by port of seen: see moore_route_entries(); NULL if there is none */
	struct moore_lft *lft;
	struct moore_route_stats stats;
	uint32_t *order;	/* by switch of seen: see moore_route_order() */
	bool all_right;		/* profile sl-hint, but all tables are right for all routes */
	/* Where lanes follow the order and the SL, else NULL: */
	uint8_t *right;		/* [switch * lft->stride + LID]: tables right for that route */
	moore_swid *at;		/* by LID: the switch that it is at, or MOORE_NONE */
};

/* What it needs meanwhile; dies with moore_route_build(). */
struct moore_rbuild {
	struct moore_route *r;
	const struct moore_fabric *intended;	/* NULL: the observed fabric */
	bool lanes_as_seen;	/* one-lane links count as such in the intended fabric too */
	bool hinted;		/* cols.hinted: lanes follow the order and the SL */
	struct moore_ranks **ranks;	/* borrowed; see struct moore_route_opts */
	const struct moore_grown *grown;	/* borrowed: an earlier build's trees of the same
						 * intended graph; NULL: there are none */
	struct moore_grown *growing;	/* for later builds; NULL: nothing is kept */
	bool layered;		/* several offsets, and every SL is safe on all of them */
	const struct moore_rkind *kind;
	const struct moore_jobs *jobs;	/* may be NULL */
	uint32_t *n_connected, *n_connected_up;	/* by node: size of its component, in views */
	struct moore_rview planned, up, common;
	struct moore_rturns plan_turns;	/* of the planned links */
	struct moore_rturns common_turns;	/* of both; empty if they are the same */
	uint32_t *colour;	/* by edge; NULL: ranks follow the order */
	struct moore_rcolumns cols;
	struct moore_rbalance balance;
	struct moore_rslices all;	/* the trees of all layers; with grown, slot[] alone */
	struct moore_rlayers layers;	/* zeroed if not layered, with grown, and with cols.own_trees */
	struct moore_rhint hint;	/* zeroed if not hinted */
	struct moore_rtree tree;	/* scratch */
	uint8_t *port;		/* by LID a column of g->n ports, with room for one more each */
};

/* ---- route.c ------------------------------------------------------------------- */

/* Makes room for all but tables; b->r->g is complete.  -MOORE_ENOMEM. */
int moore_rbuild_alloc(struct moore_rbuild *b, struct moore_err *err);
/* Ends all but b->r. */
void moore_rbuild_fini(struct moore_rbuild *b);

/* ---- turns, and what is connected ------------------------------------------------- */

/* Fills n_connected[] and n_connected_up[] (connected.c). */
void moore_rbuild_connect(struct moore_rbuild *b);
/* -MOORE_EUNREACH, and why some switch does not reach root (connected.c). */
int moore_rbuild_fail_unreachable(const struct moore_rbuild *b, uint32_t root,
				  struct moore_err *err);
/* Fills colour, plan_turns, the route's turns and its order (plan_turns.c).  by_roles is that of
 * moore_route_opts.  -MOORE_ENOMEM. */
int moore_rbuild_turns(struct moore_rbuild *b, bool by_roles, struct moore_err *err);

/* Fills the route's entry[] from its turns (entries.c).  -MOORE_ENOMEM. */
int moore_rbuild_entries(struct moore_route *r, struct moore_err *err);

/* ---- grown.c ------------------------------------------------------------------- */

/* Sets b->grown or b->growing; b->cols and b->planned are complete.  Trees of another graph are
 * freed, and *opts->grown is then NULL.  Without memory both stay NULL, and nothing is kept. */
void moore_rgrown_open(struct moore_rbuild *b, const struct moore_route_opts *opts);
/* Hands b->growing to the caller if it is complete. */
void moore_rgrown_close(struct moore_rbuild *b, const struct moore_route_opts *opts, bool complete);
/* Copies what moore_rbuild_turns() has found for the intended graph to b->growing, if that is
 * not NULL; and from b->grown (-MOORE_ENOMEM). */
void moore_rgrown_keep_turns(struct moore_rbuild *b);
int moore_rgrown_turns(struct moore_rbuild *b, struct moore_err *err);
/* Returns the trees of a slice: minimal ones first, then those of layers, which are in the layout
 * of struct moore_rslices. */
uint8_t *moore_rgrown_slice(const struct moore_grown *g, size_t slice);
/* Copy the loads of a slice: into *g, and out of it.  With b->cols.own_trees slices of layers have none. */
void moore_rgrown_keep_loads(struct moore_grown *g, size_t slice, const uint32_t *load);
void moore_rgrown_loads(const struct moore_grown *g, size_t slice, uint32_t *load);

/* ---- what follows ---------------------------------------------------------------- */

/* Fills the route's LFTs and, under sl-hint, right[] and at[] (fill.c).  -MOORE_ENOMEM, or as
 * moore_rbuild_fail_unreachable(). */
int moore_rbuild_fill(struct moore_rbuild *b, struct moore_err *err);
/* Fills the route's stats but for `repaired` (stats.c). */
void moore_rbuild_count(struct moore_route *r);

#endif

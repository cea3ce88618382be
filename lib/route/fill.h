/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* fill.h - the state of one worker that fills slices of columns (columns.h), and its steps, shared
 * by fill*.c.
 *
 * fill.c gives the slices to the workers; fill_repair.c repairs a tree for what is missing;
 * fill_hinted.c fills columns of profile sl-hint; fill_strand.c those of graphs with lines, where
 * each endpoint has trees of its own. */
#ifndef MOORE_ROUTE_FILL_H
#define MOORE_ROUTE_FILL_H

#include "base/jobs.h"
#include "route/build.h"

struct fill {			/* of one worker */
	struct moore_rbuild *b;
	struct moore_route *r;
	struct moore_rbalance *balance;	/* b->balance or a copy */
	struct moore_rtree *tree;	/* scratch: b->tree or another */
	uint8_t *best;		/* by node: scratch of fill_repair.c */
	bool repairs;		/* something is missing, drained or not planned */
	struct suspect {	/* edges that a tree of the intended graph may use, but maybe not
				 * one of what is up */
		uint32_t node;
		uint8_t slot;
	} *suspect;
	uint32_t n_suspects;
	moore_portnum *port_of;	/* by edge: its port; NULL: some neighbours have several links,
				 * so ports differ by LID */
	uint8_t *n_lids;	/* by root: LIDs that share its tree in the slice at hand */
	uint32_t *load;		/* by edge: of the slice, with the routes that repairs moved */
	uint32_t *for_layers;	/* by edge: routes of hosts' LIDs that this worker made and that are not yet
				 * in b->all.load; NULL: no layer counts with them */
	struct moore_rmtrees mtrees;	/* zeroed without b->cols.own_trees, and with b->grown */
	uint8_t *port;		/* [LID * g.n + node]: the tables, transposed */
	uint8_t *right;		/* the same for those of struct moore_route; NULL unless sl-hint */
	uint32_t repaired;	/* (switch, tree) that left their intended route */
	int rc;			/* less than 0: a slice failed; the first of them is */
	size_t failed;		/* this one, because of */
	struct moore_err err;
};

struct slices {
	const struct moore_rcolumns *cols;
	size_t first;		/* of the slices that are filled now */
	struct fill *worker;
	unsigned n_workers;
};

/* Returns the first column of a slice. */
static inline const struct moore_rcolumn *
moore_rfill_first_of(const struct moore_rcolumns *cols, size_t slice)
{
	return cols->col + cols->slice[slice];
}

/* Writes the rows of column c, which follow the tree slot[]. */
void moore_rfill_put(struct fill *f, const struct moore_rcolumn *c, const uint8_t *slot);

/* Finds the edges that a tree of the intended graph may use, but maybe not one of what is up.
 * -MOORE_ENOMEM. */
int moore_rfill_find_suspects(struct fill *f);
/* Repairs the tree old[] of c for what is missing, in f->tree, and adds its new routes to load[].
 * Fails as moore_rbuild_fail_unreachable() when a node is cut off. */
int moore_rfill_repair(struct fill *f, const uint8_t *old, const struct moore_rcolumn *c,
		       struct moore_err *err);
/* Profile one-vl: repairs the trees slots[] of n columns of a slice, moves routes off overloaded
 * edges, and fills the columns.  Fails likewise. */
int moore_rfill_one_vl(struct fill *f, const uint8_t *slots, const struct moore_rcolumn *col, size_t n,
		       struct moore_err *err);

/* Plans all layers of sl-hint before any tree is grown, and makes the trees that can replace any.
 * -MOORE_ENOMEM. */
int moore_rfill_plan_hinted(struct fill *f, struct moore_err *err);
/* Column c takes the minimal tree slot[], made right for table A.  Fails as moore_rfill_repair(). */
int moore_rfill_hint_column(struct fill *f, const struct moore_rcolumn *c, const uint8_t *slot,
			    struct moore_err *err);
/* Fills in the n columns of a slice with the minimal trees slots[], side by side, if table A is right for
 * all as they are; otherwise returns false. */
bool moore_rfill_hint_minimal(struct fill *f, const uint8_t *slots, const struct moore_rcolumn *col,
			      size_t n);
/* Fills in the n columns of a layer of sl-hint.  Fails likewise. */
int moore_rfill_hint_layer(struct fill *f, const struct moore_rcolumn *col, size_t n,
			   struct moore_err *err);

/* Jobs (base/jobs.h) whose arg is a struct slices, where each LID has a tree of its own: the first grows
 * the trees of a strand of roots and, with lines, adds their loads to for_layers[]; the second fills its
 * columns. */
void moore_rfill_grow_strand(void *arg, unsigned worker, size_t strand);
void moore_rfill_strand(void *arg, unsigned worker, size_t strand);

#endif

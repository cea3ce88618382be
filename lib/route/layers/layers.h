/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* layers.h - the non-minimal trees of profile any-sl.
 *
 * A *layer* is the routes of one LID offset (from 1 on).  Each layer is made in some
 * *variants*, and the hosts of a switch take them in turn; so the LIDs of several hosts share
 * one tree, and the tree counts in the loads as often. */
#ifndef MOORE_ROUTE_LAYERS_H
#define MOORE_ROUTE_LAYERS_H

#include "route/layers/layer_slices.h"
#include "route/layers/layer_used.h"
#include "route/trees/kinds.h"

/* Kept over all layers and variants of one build.  Matrices have a row of n for each root. */
struct moore_rlayers {
	const struct moore_rbalance *minimal;
	const struct moore_rkind *kind;
	bool split;		/* middle switches are split into halves P1 and P2 */
	struct moore_rslices *all;	/* borrowed */
	uint32_t n_slices;	/* of them, so far */
	uint8_t *slot, *len;	/* [root * n + node]: the trees of the last slice; slot is in all */
	uint8_t *flags;		/* [root * n + node]: see layer_tree.h */
	uint32_t *load;		/* by edge: routes over it in all slices of hosts so far; that of all */
	uint64_t *price;	/* by edge: price of one route more over it */
	/* Where no minimal route is longer than two hops (layer_gates.c): */
	bool gates;
	uint32_t n_gates;	/* of a tree, at least */
	struct moore_rused *used;	/* [root * n + node]; with links: of a worker, [node] of a root */
	struct moore_rused_links *links;	/* by root; NULL where `used` holds all */
	uint16_t *n_legal;	/* by edge: from how many neighbours of its tail a turn rises */
	uint16_t *n_open;	/* by edge to a root: trees in which its tail was a gate */
	uint32_t n_relays;	/* in list[] */
	const struct moore_jobs *jobs;	/* may be NULL */
	/* Copies of this with loads, prices, added[] and scratch of their own: */
	struct moore_rlayers *worker;
	unsigned n_workers;
	uint32_t *added;	/* by edge, of a worker: routes that it put there in this slice */
	bool oom;		/* of a worker: memory ran out */
	/* Elsewhere, else NULL: */
	uint64_t *first, *last;	/* [root * n + node]: first and last links that routes of
				 * earlier trees used, a bit for each slot modulo 64 */
	uint16_t *gain;		/* [root * n + node]: how much detours gave it so far */
	/* These fields describe the tree that is being built. */
	struct moore_rtree t;
	uint8_t *open_len;	/* by node: hops to the root if a leaf may attach to it; else
				 * MOORE_LEN_NONE */
	struct moore_ronward {	/* by node: its route to the root */
		uint64_t price;	/* of all its edges, and DEAR; with gates: of the first */
		uint32_t edge;	/* the first */
		uint16_t parent;
		uint8_t end;	/* slot of the last one, at the root, modulo 64 */
	} *onward;
	/* These arrays are scratch that one function uses at a time. */
	uint8_t *wish;		/* by node: enum moore_rwish; with gates: 1 where no relay
				 * offers a detour yet */
	uint16_t *list;		/* nodes */
	uint32_t *acc;		/* by node */
};

/* minimal, kind, all and jobs are borrowed; all has room for all slices that will be built.  n_trees: that
 * a root has in all layers and variants, its minimal ones included.  -MOORE_ENOMEM. */
int moore_rlayers_init(struct moore_rlayers *v, const struct moore_rbalance *minimal,
		       const struct moore_rkind *kind, uint32_t n_trees, struct moore_rslices *all,
		       const struct moore_jobs *jobs);
void moore_rlayers_fini(struct moore_rlayers *v);

/* Builds the next slice: slot[] and len[] of one layer (0..n_layers-1, called in this sequence) of one
 * variant (0..n_variants-1).  n_lids[root] LIDs share the tree of root; no tree where it is 0.
 * -MOORE_ENOMEM. */
int moore_rlayers_slice(struct moore_rlayers *v, unsigned layer, unsigned n_layers,
			 unsigned variant, unsigned n_variants, const uint8_t *n_lids,
			 const uint32_t *n_connected);

#endif

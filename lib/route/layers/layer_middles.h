/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* layer_middles.h - the non-minimal trees of profile any-sl where the graph has lines
 * or paired classes (middles.h): one tree for each LID.
 *
 * Roots are divided into strands.  A tree depends on the earlier trees of its strand alone, so strands can
 * be made side by side, each with a struct moore_rmtrees of its own. */
#ifndef MOORE_ROUTE_LAYER_MIDDLES_H
#define MOORE_ROUTE_LAYER_MIDDLES_H

#include "route/turns/middles.h"
#include "route/trees/kinds.h"
#include "route/trees/tree.h"

struct moore_rmtrees {
	const struct moore_rview *v;
	const struct moore_rmiddles *classes;
	const uint32_t *n_connected;	/* by node: size of its component */
	unsigned n_layers;
	bool serves_peers;	/* classes are paired, and other switches of the root's class have
				 * detours, too */
	uint64_t transit_price;	/* see tuning.h */
	uint32_t new_price;
	bool one_lane;		/* some link has one lane, so leaves must be legal across it */
	uint32_t stride;	/* the most links that a switch has */
	uint16_t *low, *middle;	/* the switches with endpoints, and those without */
	uint32_t n_low, n_middle;
	struct moore_rtree t;	/* the tree at hand */
	/* These describe the strand at hand, */
	uint32_t *load;		/* by edge: detours that have it in their middle; with paired classes,
				 * all routes over it */
	uint64_t n_uses;	/* the sum of load[] */
	/* these its present root, */
	uint32_t n_built;	/* trees so far */
	uint32_t n_ended;	/* detours so far, */
	uint32_t n_ending[MOORE_SLOT_NONE + 1];	/* and by their last link's slot at the root */
	uint32_t *n_own;	/* with paired classes, by edge to an intermediate: detours over it */
	uint32_t n_draws;	/* how often its trees were drawn before */
	uint32_t *load_before;	/* load[] and n_uses without its trees */
	uint64_t n_uses_before;
	uint8_t *slots;		/* [tree * n * n + node]: the slot of its parent edge; the caller's */
	struct moore_rends {	/* a route of a low switch: slots, at the switch and at the root, */
		uint8_t first, last;	/* of its first and last links */
	} *ends;		/* by tree: those of the low switch that is judged */
	struct moore_rends *minimal;	/* by low switch: of its only minimal route; MOORE_SLOT_NONE
					 * if there are none or several */
	uint32_t by_first[MOORE_SLOT_NONE + 1], by_last[MOORE_SLOT_NONE + 1];	/* what these
				 * links of the low switch that is judged have carried */
	uint32_t *out;		/* by low switch: the edge over which it goes on to the root when it
				 * is an intermediate; MOORE_NONE if it cannot be one */
	uint32_t *n_diverted;	/* by slot of the root: trees in which that middle switch leads to
				 * it by a detour */
	bool has_diverted;	/* some tree of this variant has such a switch */
	struct moore_roffer {	/* a turn of a middle switch to an intermediate */
		uint32_t edge;
		uint32_t want;	/* index in need[] and once[] */
		uint16_t between;	/* the intermediate */
		uint8_t last;	/* slot, at the root, of the last link that it leads to */
		bool enters;	/* the turn after it is not allowed, so it serves entry turns alone */
	} *offer;
	uint32_t *xoffer;	/* those of m: offer[xoffer[m]..xoffer[m + 1] - 1] */
	uint32_t *shares;	/* by low switch: the sum of its shares in pairs of first and last links */
	uint32_t *first_price;	/* by edge of a low switch: for a route that begins with it */
	uint8_t *own_firsts;	/* by edge: trees of this variant with a route that begins with it */
	/* (these are indexed by node * stride + slot of the root) */
	uint8_t *n_firsts;	/* first links with which this low switch could use that last link */
	uint32_t *last_price;	/* for a route of this low switch that ends there */
	uint32_t *led_price;	/* for all trees so far in which this middle switch leads there */
	/* (and these by such an index of a middle switch, times n_groups, plus the group of switches beside it
	 * that it serves by entry turns, or 0 where it serves all) */
	uint32_t n_groups;
	uint32_t *need;		/* how much those switches need it to lead there */
	uint32_t *once;		/* the price for it to lead there in one tree more */
	uint32_t *draw;		/* by class: place of the one that may be an intermediate of the
				 * tree at hand */
	/* and these the tree that is being made. */
	uint32_t *via_last;	/* with paired classes, by slot of the root: price of the link from the
				 * intermediate that leads there; else 0 */
	uint64_t unit;		/* price of one detour over a link, in parts of 65536 */
	/* The rest is indexed by node. */
	uint8_t *last;		/* slot, at the root, of the last link of its route */
	uint32_t *via;		/* price of the middle of a detour by it, or NEVER; with paired classes
				 * only as far as the intermediate */
	uint8_t *is_drawn;	/* it may be an intermediate */
	uint8_t *is_between;	/* it is one */
	uint8_t *is_entered;	/* only entry turns may lead on from it in this tree */
	uint8_t *has_detour;	/* a tree of this variant had one for it */
};

/* All but *w is borrowed.  A root has at most n_hosts endpoints, and each endpoint n_layers trees.
 * -MOORE_ENOMEM; end *w with moore_rmtrees_fini() anyway. */
int moore_rmtrees_init(struct moore_rmtrees *w, const struct moore_rview *v,
		       const struct moore_rmiddles *classes, const uint32_t *n_connected,
		       unsigned n_layers, uint32_t n_hosts, const struct moore_rkind *kind);
void moore_rmtrees_fini(struct moore_rmtrees *w);

/* Begins a strand. */
void moore_rmtrees_start(struct moore_rmtrees *w);
/* Makes n_trees trees of a root, a switch with endpoints: layer after layer, and endpoint after
 * endpoint (layer_mdraws.c).  The slots of the k-th are put into slots[k * n * n..]. */
void moore_rmtrees_root(struct moore_rmtrees *w, uint32_t root, uint8_t *slots, uint32_t n_trees);

#endif

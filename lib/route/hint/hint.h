/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* hint.h - the in-trees of profile sl-hint (docs/theory.md, section 7).
 *
 * Sequence: init, plan, lend, base; then for each slice a layer; or minimal, and if that fails, for each
 * column set slot[], mend, and count for hosts' LIDs. */
#ifndef MOORE_ROUTE_HINT_H
#define MOORE_ROUTE_HINT_H

#include "base/jobs.h"
#include "route/trees/kinds.h"
#include "route/trees/tree.h"

/* A turn by the directions of its two edges (d: down, u: up in the order).  UD_GREATER is an
 * up-down turn that ends at a greater switch than it began at, UD one that does not. */
enum moore_rhint_turn { DD, DU, UD, UU, UD_GREATER, N_TURNS };

/* Ranges of prices: 16 for each power of two. */
#define MOORE_N_BINS 976

/* Kept over one build.  Each worker has a copy with the arrays from load[] on of its own. */
struct moore_rhint {
	const struct moore_rgraph *g;
	const struct moore_rkind *kind;
	bool only_a;		/* one-lane links are up, so every route must suit table A */
	unsigned detour;	/* hops of a layer's routes beyond two: 2 on bipartite graphs,
				 * which have no routes of one hop more, else 1 */
	bool around;		/* neighbours of a root take detours of four hops; others of
				 * three, except to make way for one of these */
	/* Bit m of met[s * n + d] is set when m is the set of tables that are right for some
	 * route from s to d so far.  Bit w of meets[m]: the sets m and w have a table in
	 * common.  Bit w of bars[table A must be right][m]: m is not admitted where w was met, or,
	 * for w = 16, nowhere.
	 * met_planned is for trees that grow, met_up for those on live links. */
	uint16_t *met_planned, *met_up, meets[16];
	uint32_t bars[2][16];
	/* [one lane][turn][ok]: ok[] of a route with that first turn, when ok is for the rest */
	uint8_t extend[2][N_TURNS][256];
	uint8_t *base;		/* [root * n + node]: slots of a tree that can replace any */
	uint64_t *begun;	/* by edge of a root: first links of its head's detours to the root
				 * since all were in use, a bit for each slot modulo 64 */
	uint8_t *recent;	/* by edge of a root: how often its head had one hop to the root in
				 * trees so far, each counting half of the next; at most 31 */
	uint8_t *last;		/* [layer * n + root]: slot, at the root, of the neighbour that a
				 * layer's routes go through, or MOORE_SLOT_NONE */
	uint32_t n_layers, n_apart;	/* layers that are n_apart apart share their trees */
	uint8_t *n_minimal;	/* [root * n + node]: routes of two hops to it, up to 2 */
	/* Of the slice that is being made, [root * n + node]: */
	uint8_t *slots, *lens, *oks;
	uint8_t *is_clean;	/* by root: its tree needs no mending */
	const struct moore_jobs *jobs;	/* may be NULL */
	struct moore_rhint *worker;
	unsigned n_workers;
	uint32_t *load;		/* by edge: routes to hosts' LIDs so far */
	uint32_t *added;	/* by edge, of a worker: what it has added in this slice */
	/* These arrays, by node, describe the tree that is being built. */
	uint8_t *slot, *len;
	uint8_t *ok;		/* bit t (bit 4 + t): table t is right for the route from here on
				 * when its first edge is on VL 0 (on VL 1) */
	uint64_t *onward;	/* the load on the links from here to the root */
	uint32_t n_reached;
	uint32_t *queue, n_queued;	/* reached nodes, parents first; MOORE_NONE where one has left
					 * while a layer's tree grows */
	uint32_t *place;	/* in the queue */
	/* These arrays, by node, are scratch while one tree is built. */
	uint32_t *acc;
	uint8_t *beside;	/* 1 for neighbours of the root */
	struct moore_rway {	/* how a node could attach to the tree */
		uint64_t price;	/* UINT64_MAX: not at all */
		uint32_t edge, ok;
	} *way;
	struct moore_rserve {	/* one that takes two hops and serves open nodes */
		uint64_t way;	/* the price of its way */
		uint64_t load;	/* of the edges over which open nodes could attach to it then, and
				 * of its way for each of these */
		int32_t n;	/* such nodes, less one if it gives up three hops itself */
		uint32_t at, to;	/* places of it and of where it would go on to */
		uint8_t ok[3];	/* ok[] of such nodes, as in struct moore_rhint_on; 0: it cannot serve */
	} *serve;
	uint32_t n_gain;	/* nodes whose n is more than 0 */
	uint64_t *price;	/* of having it do so, or less; that of its bid, if it has one */
	struct moore_rbid {
		uint64_t price;
		uint32_t s, next;	/* of the same bin; MOORE_NONE ends */
	} *bid;
	uint32_t n_bids, *bin;	/* by MOORE_N_BINS ranges of prices: the first bid */
	uint32_t first_bin;	/* those before it are empty */
	uint8_t *fits;		/* by edge: ok[] of its tail over it; 0: not possible */
	uint32_t *kid, *sibling;	/* lists of children; MOORE_NONE ends */
	uint32_t *gate, n_gates;	/* the neighbours of the root that a layer's tree goes through */
};

/* All but *h is borrowed; jobs may be NULL.  -MOORE_ENOMEM; end *h with moore_rhint_fini() anyway. */
int moore_rhint_init(struct moore_rhint *h, const struct moore_rgraph *g,
		     const struct moore_rkind *kind, const struct moore_jobs *jobs);
void moore_rhint_fini(struct moore_rhint *h);
/* Fills n_minimal[], and chooses last[] for n_layers layers, of which each n_of_host in sequence
 * belong to one host of each root; those that are n_apart apart share their trees.
 * present[layer * n + root]: it has a LID there.  -MOORE_ENOMEM. */
int moore_rhint_plan(struct moore_rhint *h, const struct moore_rview *v, uint32_t n_layers,
		     uint32_t n_of_host, uint32_t n_apart, const uint8_t *present, struct moore_err *err);
/* Makes base[]: for each root a tree for which table A is right. */
void moore_rhint_base(struct moore_rhint *h, const struct moore_rview *v,
		      const uint32_t *n_connected);
/* Makes room for the trees of a layer, and for as many workers as can make them side by side.
 * To be called after the plan.  -MOORE_ENOMEM. */
int moore_rhint_lend(struct moore_rhint *h);
/* Makes slots[] and oks[] of layer `number` and of those that share its trees, for the roots that are
 * present, mended where that is necessary, and adds them to load[] present[root] times.  Returns
 * MOORE_NONE; or a root which fewer than n_connected[root] nodes reach.  Adds to *moved as
 * moore_rhint_mend(). */
uint32_t moore_rhint_layer(struct moore_rhint *h, const struct moore_rview *planned,
			   const struct moore_rview *up, uint32_t number, const uint8_t *present,
			   const uint32_t *n_connected, uint32_t *moved);
/* Does the same for minimal trees given[root * n + node], which come before any layer, if all are
 * whole as they are and table A is right for all of their routes; otherwise changes nothing and returns
 * false.  counts: they are added to load[]. */
bool moore_rhint_minimal(struct moore_rhint *h, const struct moore_rview *up, const uint8_t *given,
			 bool counts, const uint8_t *present, const uint32_t *n_connected);
/* Keeps of slot[] what is up and admitted and attaches the rest.  with_a: table A must be
 * right for all.  Then bits 0 to 3 of ok[] are the tables right from each node.  Adds to
 * *moved how many nodes have a new parent.  False when fewer than n_connected nodes are
 * reached. */
bool moore_rhint_mend(struct moore_rhint *h, const struct moore_rview *v, uint32_t root,
		      bool with_a, uint32_t n_connected, uint32_t *moved);
/* Adds the tree at hand to load[] by times; -by takes that away. */
void moore_rhint_count(struct moore_rhint *h, uint32_t by);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* hint.h - in-trees for profile sl-hint; see hint.c. */
#ifndef MOORE_ROUTE_HINT_H
#define MOORE_ROUTE_HINT_H

#include "route/kinds.h"
#include "route/tree.h"

#define MOORE_RHINT_TURNS 5

struct moore_rhint {
	const struct moore_rgraph *g;
	const struct moore_rkind *kind, *wish;	/* wish: kind, while a layer's tree grows */
	bool poor;		/* one-lane links are up: only table A serves */
	unsigned detour;	/* hops that a layer's routes take beyond two: 1 or 2 */
	/* Bit m of met[s * n + d]: m are the tables right for some route from s to d
	 * so far.  Bit w of meets[m]: m and w have a table in common. */
	uint16_t *met, *met_planned, *met_up, meets[16];
	uint8_t step[2][MOORE_RHINT_TURNS][256];	/* see hint.c */
	uint8_t *base;		/* [root * n + node]: a tree that serves in need */
	uint32_t *load;		/* of each edge, by the host LIDs routed so far */
	/* through which neighbour each layer goes: last[layer * n + root] is its
	 * slot at the root, MOORE_SLOT_NONE: none */
	uint8_t *last;
	/* the tree at hand, per node */
	uint8_t *slot, *len, *ok;
	uint32_t *queue, n_reached;	/* reached nodes by length */
	uint32_t *acc;		/* scratch, per node */
	uint8_t *beside;	/* the root: while a layer's tree grows */
	struct moore_rway {	/* how a node could hang on the tree */
		uint64_t price;	/* UINT64_MAX: not at all */
		uint32_t edge;
		uint8_t ok;
	} *way;
	struct moore_rserve {	/* who would hang on it then, and the load on the way */
		uint64_t load;
		uint32_t n;
	} *serve;
	uint8_t *fits;		/* of an edge: what is right for its tail over it, 0: none */
	uint64_t *price;	/* of letting a node take two hops */
	uint32_t *kid, *sibling;	/* lists of a node's children; MOORE_NONE ends */
};

int moore_rhint_init(struct moore_rhint *h, const struct moore_rgraph *g,
		     const struct moore_rkind *kind);
void moore_rhint_fini(struct moore_rhint *h);
/* Choose last[] for n_layers layers; present[layer * n + root]: it has a LID there. */
int moore_rhint_plan(struct moore_rhint *h, const struct moore_rview *v, uint32_t n_layers,
		     const uint8_t *present, struct moore_err *err);
/* slot[]: routes of 2 + detour hops to root where there are any, the others
 * shorter; nodes farther off are left out. */
void moore_rhint_grow(struct moore_rhint *h, const struct moore_rview *v, uint32_t layer,
		      uint32_t root);
/* After the plan, before the first mending: a tree for each root that table A is
 * right for. */
void moore_rhint_base(struct moore_rhint *h, const struct moore_rview *v,
		      const uint32_t *n_connected);
/* Keep of slot[] what is up and admissible and attach the rest; with_a: table A
 * must be right for all.  Then bit t of ok[node] says that table t is right from
 * there.  *moved counts nodes whose parent changed.  False: connected nodes
 * (n_connected exist) are left out. */
bool moore_rhint_mend(struct moore_rhint *h, const struct moore_rview *v, uint32_t root,
		      bool with_a, uint32_t n_connected, uint32_t *moved);
/* Count the tree at hand in load[]. */
void moore_rhint_count(struct moore_rhint *h);

#endif

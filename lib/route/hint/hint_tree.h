/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* hint_tree.h - one tree of sl-hint while it is made, shared by hint*.c.
 *
 *   hint.c        which tables are right, and how a node attaches to a tree
 *   hint_layer.c  the trees of a slice, side by side
 *   hint_plan.c   through which neighbour of its root each layer goes
 *   hint_beside.c which table the detours between two neighbours keep to
 *   hint_grow.c   a layer's tree
 *   hint_serve.c  nodes that take a shorter route so that others get one of three hops
 *   hint_mend.c   trees on the links that are up */
#ifndef MOORE_ROUTE_HINT_TREE_H
#define MOORE_ROUTE_HINT_TREE_H

#include "route/hint/hint.h"

#define OK_A (1u << MOORE_HINT_A)
#define OK_B (1u << MOORE_HINT_B)
#define OK_C (1u << MOORE_HINT_C)
#define OK_D (1u << MOORE_HINT_D)
#define OK_TABLES 15u
#define NEVER (1u << 16)	/* in bars[] */
#define OK_ALL 0xff		/* at the root: every table, on either VL */
#define ABOVE_LOADS ((uint64_t)1 << 40)	/* more than the load of any route: a price for what is not wanted */

struct moore_rhint_tree {
	struct moore_rhint *h;	/* slot[], len[], ok[] and queue[] are this tree's */
	const struct moore_rview *v;
	uint32_t root;
	uint16_t *met;		/* h->met_planned or h->met_up */
	const struct moore_rkind *kind;	/* of a layer that grows; else NULL */
	bool with_a;		/* table A must be right for every route */
};

static inline uint64_t
moore_cube(uint64_t x)
{
	return x * x * x;
}

/* Returns the place of node x in gate[], or n_gates where it is no gate. */
static inline uint32_t
moore_rhint_gate(const struct moore_rhint *h, uint32_t x)
{
	uint32_t i = 0;

	while (i < h->n_gates && h->gate[i] != x)
		i++;
	return i;
}

/* Whether s is not in the tree. */
static inline bool
moore_rhint_is_open(const struct moore_rhint *h, uint32_t s)
{
	return h->len[s] == MOORE_LEN_NONE;
}

/* The turn of three switches with these places in the order. */
static inline unsigned
moore_rhint_turn_at(uint32_t from, uint32_t at, uint32_t to)
{
	bool in_up = at < from, out_up = to < at;

	return in_up && !out_up && to < from ? UD_GREATER : in_up * 2u + out_up;
}

/* How routes go on from node p of the tree, which is the same for all that could attach to it. */
struct moore_rhint_on {
	uint64_t load;		/* of p's link */
	uint32_t at, to;	/* places of p and of the next switch in the order */
	/* ok[] of a node over p: of one before p in the order, of one after it, of one after both */
	uint8_t ok[3];
};

/* The same for a node at this place whose link is e, to one at place `to`, with tables ok. */
static inline struct moore_rhint_on
moore_rhint_on_by(const struct moore_rhint_tree *w, uint32_t e, uint32_t at, uint32_t to, uint8_t ok)
{
	const struct moore_rhint *h = w->h;
	const uint8_t (*extend)[256] = h->extend[w->v->lanes && h->g->flags[e] & MOORE_EDGE_ONE_LANE];
	bool up = to < at;

	return (struct moore_rhint_on){ h->load[e], at, to, { extend[up ? DU : DD][ok],
		extend[up ? UU : UD][ok], extend[up ? UU : UD_GREATER][ok] } };
}

static inline struct moore_rhint_on
moore_rhint_on(const struct moore_rhint_tree *w, uint32_t p)
{
	const struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;
	const uint32_t *pos = w->v->turns->pos;
	uint32_t e = g->xadj[p] + h->slot[p];

	if (p == w->root)
		return (struct moore_rhint_on){ .ok = { OK_ALL, OK_ALL, OK_ALL } };
	return moore_rhint_on_by(w, e, pos[p], pos[g->to[e]], h->ok[p]);
}

/* The one of ok[] (as above, for a node at `at` that goes on to `to`) for a node at `place`. */
static inline uint8_t
moore_rhint_choose_ok(const uint8_t ok[3], uint32_t at, uint32_t to, uint32_t place)
{
	return ok[(at < place) + ((at < place) & (to < place))];
}

static inline uint8_t
moore_rhint_ok_by(const struct moore_rhint_on *p, uint32_t place)
{
	return moore_rhint_choose_ok(p->ok, p->at, p->to, place);
}

/* ok[] of s if it goes over edge e to a node of the tree. */
static inline uint8_t
moore_rhint_ok_over(const struct moore_rhint_tree *w, uint32_t s, uint32_t e)
{
	struct moore_rhint_on on = moore_rhint_on(w, w->v->g->to[e]);

	return moore_rhint_ok_by(&on, w->v->turns->pos[s]);
}

/* The sets of tables of routes from the root to s, as bits for moore_rhint_meets(). */
static inline uint32_t
moore_rhint_met(const struct moore_rhint_tree *w, uint32_t s)
{
	return w->met[(size_t)w->root * w->h->g->n + s] | NEVER;
}

static inline bool
moore_rhint_meets(const struct moore_rhint_tree *w, uint32_t met, uint8_t ok)
{
	return !(met & w->h->bars[w->with_a][ok & OK_TABLES]);
}

/* Whether s may have a route for which these tables are right: one of them must be right for
 * each route from the root to s. */
static inline bool
moore_rhint_admits(const struct moore_rhint_tree *w, uint32_t s, uint8_t ok)
{
	return moore_rhint_meets(w, moore_rhint_met(w, s), ok);
}

/* Whether others may be routed through p, which has len hops to go. */
static inline bool
moore_rhint_lets_pass(const struct moore_rhint_tree *w, uint32_t p, unsigned len)
{
	return p == w->root ||
		(moore_rview_transit(w->v, p) &&
		 !(w->kind && w->kind->among_hosts && len == 2 && !w->h->g->is_source[p]));
}

/* The arrays of h that describe a tree, loads and scratch.  -MOORE_ENOMEM. */
int moore_rhint_alloc_scratch(struct moore_rhint *h);
void moore_rhint_free_scratch(struct moore_rhint *h);
/* Nothing but the root is in the tree. */
void moore_rhint_start(struct moore_rhint_tree *w);
void moore_rhint_attach(struct moore_rhint_tree *w, uint32_t s, uint32_t e, uint8_t ok);
/* Fills way[] of every node with min_len hops or more to go, or open: over the least loaded
 * of its neighbours with len hops to go that admit it. */
void moore_rhint_list_ways(struct moore_rhint_tree *w, unsigned len, unsigned min_len);
/* Attaches s in that way; false when there is none. */
bool moore_rhint_attach_best(struct moore_rhint_tree *w, uint32_t s, unsigned len);
/* Attaches every open node that has one. */
void moore_rhint_attach_all(struct moore_rhint_tree *w, unsigned len);
/* Chooses a table for each pair of neighbours, and notes it in met_planned[] as if a route each
 * way existed for which it alone is right.  -MOORE_ENOMEM.  O(links * degree^2) routes of two
 * hops, times the ways to go on from each to one switch in two hops. */
int moore_rhint_set_beside(struct moore_rhint *h, const struct moore_rview *v);
/* Makes slot[] of a layer's tree: routes of 2 + detour hops where there are any, else shorter
 * ones; nodes that are farther off are left out. */
void moore_rhint_grow(struct moore_rhint *h, const struct moore_rview *v, uint32_t layer,
		      uint32_t root);
/* Notes the routes of the tree in met[]: later routes from the root must meet them. */
void moore_rhint_note(const struct moore_rhint_tree *w);
/* Finds routes of three hops for open nodes over neighbours that take two (hint_serve.c). */
void moore_rhint_serve_rest(struct moore_rhint_tree *w);
/* Makes the tree of what is up and admitted of the tree slot[], and fills ok[]; table A is right for
 * all. */
void moore_rhint_take(struct moore_rhint *h, const struct moore_rview *v, uint32_t root,
		      const uint8_t *slot);
/* Takes leaf s out of the tree, and leaves its place in the queue empty. */
void moore_rhint_detach(struct moore_rhint *h, uint32_t s);
/* Closes the queue's empty places. */
void moore_rhint_close(struct moore_rhint *h);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* tree.h - one in-tree: the route of every switch to one root.
 *
 * Invariant: a node with children is *legal*: from it to the root every turn is allowed.  A
 * node that is not legal, or that cannot map SLs, is a leaf for good.
 *
 *   tree.c         growing a tree from its root; repair that keeps routes short
 *   tree_bare.c    the same growth, for graphs that the caches do not hold
 *   tree_held.c    which nodes must be legal there so that no last resort is needed
 *   tree_follow.c  the last resort: along the spanning tree
 *   tree_mend.c    repair that changes few rows
 *   tree_back.c    how many steps it takes to undo such a repair */
#ifndef MOORE_ROUTE_TREE_H
#define MOORE_ROUTE_TREE_H

#include "route/turns/turns.h"

#define MOORE_LEN_NONE 0xff	/* no length: not reached */
#define MOORE_LEN_MAX 200	/* hops; longer routes are not built */
#define MOORE_STEPS_NONE UINT32_MAX	/* no number of steps is enough */

struct moore_rtree {
	uint32_t root;
	bool in_turn;		/* set by the caller: when only nodes without endpoints are left, which
				 * add no load, they take parents in turn and not by load */
	uint8_t *slot;		/* by node: the slot of its parent edge */
	uint8_t *len;		/* by node: hops to the root, or MOORE_LEN_NONE */
	uint8_t *pass;		/* by node: it is legal, so it may have children */
	uint8_t *kids;		/* by node: 1 when it has children */
	uint32_t *queue;	/* reached nodes by length; as much room again is scratch */
	uint32_t n_reached;
	/* After growing: the edges that lead each node to a parent of least length, as a list
	 * from first[node] over next[edge] once moore_rtree_list_offers() has made it, and how many
	 * they are. */
	uint32_t *first, *next;	/* MOORE_NONE ends a list */
	uint8_t *n_offers;
	uint8_t *old;		/* slot[] before the repair; set by moore_rtree_note_old() */
	uint8_t *need;		/* nodes that moore_rtree_follow() has taken so far; scratch of
				 * moore_rtree_steps_back() */
	uint8_t *last;		/* profile one-vl: scratch of moore_rtree_follow() */
	/* Scratch of one call. */
	uint32_t *list;		/* nodes */
	uint32_t *order;	/* nodes */
	struct moore_ronto {	/* by node that makes offers: what a route over it meets beyond it */
		uint64_t price;	/* of its parent edge */
		uint32_t rank;	/* of that edge */
		uint32_t when;	/* the later a node makes offers, the greater */
	} *onto;
	uint32_t clock;		/* when the last node made offers, in any tree */
};

/* Makes room for trees of g.  -MOORE_ENOMEM; end *t with moore_rtree_fini() anyway. */
int moore_rtree_init(struct moore_rtree *t, const struct moore_rgraph *g);
void moore_rtree_fini(struct moore_rtree *t);
/* Nothing but the root is reached. */
void moore_rtree_start(struct moore_rtree *t, uint32_t n, uint32_t root);
/* Fills queue[] and n_reached from len[n]: of one length by number. */
void moore_rtree_queue(struct moore_rtree *t, uint32_t n);

/* Grows the tree of root: shortest routes as far as turns allow.  load[] (by edge, may be
 * NULL) breaks ties.  n_connected is the number of nodes in the root's component; false
 * when fewer could be reached. */
bool moore_rtree_grow(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		      const uint32_t *load, uint32_t n_connected);

/* After moore_rtree_grow(): lists the edges to a parent of least length of s, the parent that was
 * reached last first. */
void moore_rtree_list_offers(struct moore_rtree *t, const struct moore_rview *v, uint32_t s);

enum moore_rwish {
	MOORE_WISH_SHUT = 1,	/* a neighbour of the root that must not have children */
	MOORE_WISH_LEAF = 2,	/* should have children only if nothing else is left */
};
/* The same with wishes (by node) and without the last resort. */
bool moore_rtree_grow_around(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
			     const uint32_t *load, uint32_t n_connected, const uint8_t *wish);

enum { MOORE_HELD = 1, MOORE_HELD_DOWN = 3 };	/* by any edge, or by an edge down the order alone */

struct moore_rbare {		/* scratch of moore_rtree_grow_bare() and moore_rtree_grow_held() */
	struct moore_rparent {	/* by node that makes offers */
		uint64_t price;	/* of the edge to its own parent */
		uint32_t rank;	/* of that edge */
		uint32_t round;	/* in which it makes offers */
	} *parent;
	uint8_t *met;		/* by node: 1 when it is reached or has an offer */
	uint32_t round;
	uint8_t *held;		/* by node: how it must be attached to be legal, or 0 (tree_held.c) */
	uint32_t *node_at;	/* by place in the order: its node */
	uint32_t *down, *hops;	/* by node; scratch of tree_held.c */
	uint32_t *queue;
};
int moore_rbare_init(struct moore_rbare *b, const struct moore_rview *v);	/* -MOORE_ENOMEM */
void moore_rbare_fini(struct moore_rbare *b);
/* Whether all edges are up with two lanes, as the two functions below take for granted. */
bool moore_rbare_suits(const struct moore_rgraph *g);
/* Grows the tree of moore_rtree_grow(), or with wishes (only MOORE_WISH_SHUT) of
 * moore_rtree_grow_around(), but only root, slot[], queue[] and n_reached.  False where those would need
 * the last resort or fail, and without wishes also where a node would be a leaf for good although
 * others are not reached. */
bool moore_rtree_grow_bare(struct moore_rtree *t, struct moore_rbare *b, const struct moore_rview *v,
			   uint32_t root, const uint32_t *load, uint32_t n_connected,
			   const uint8_t *wish);
/* Likewise without wishes, for turns by the order; nodes that others need wait for an allowed turn
 * (tree_held.c).  False only where a route is longer than MOORE_LEN_MAX. */
bool moore_rtree_grow_held(struct moore_rtree *t, struct moore_rbare *b, const struct moore_rview *v,
			   uint32_t root, const uint32_t *load, uint32_t n_connected);
/* Fills b->held[] for the tree of root.  O(n + edges). */
void moore_rheld_fill(struct moore_rbare *b, const struct moore_rview *v, uint32_t root);

/* The last resort.  Starts the tree anew with the nodes that are not reached now, or were
 * not at an earlier attempt, and those on their way to the root, all along the spanning
 * tree.  False at the last attempt or when the component has no spanning tree: then all
 * nodes follow it, as far as it goes. */
bool moore_rtree_follow(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
			uint32_t n_connected, unsigned attempt);

/* Whether n_connected nodes have routes by slot[] that are up and legal in v, so that a repair
 * would change none of them. */
bool moore_rtree_is_whole(const struct moore_rview *v, uint32_t root, const uint8_t *slot,
			  uint32_t n_connected);
/* On entry slot[] and queue[] hold a tree of root.  Keeps the nodes whose links are up and
 * turns legal, and attaches the others: shortest first.  Adds to *moved how many nodes
 * have a new parent.  False as moore_rtree_grow(); without a spanning tree there is no last
 * resort. */
bool moore_rtree_repair(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
			const uint32_t *load, uint32_t n_connected, uint32_t *moved);
/* The same for trees whose routes need not be the shortest: few nodes move.  common (may be NULL)
 * is v with fewer turns, without a spanning tree; it is enough if all nodes are reached by them.
 * With draw 0, parents are attached before their children, else nodes in an order drawn for that
 * number. */
bool moore_rtree_mend(struct moore_rtree *t, const struct moore_rview *v,
		      const struct moore_rview *common, uint32_t root, const uint32_t *load,
		      uint32_t n_connected, unsigned draw, uint32_t *moved);
/* About how many steps the tree of t, just mended, takes to go back to slot[], while the turns of
 * `turns` are allowed; MOORE_STEPS_NONE if some of its rows wait for each other in a circle. */
unsigned moore_rtree_steps_back(struct moore_rtree *t, const struct moore_rgraph *g,
				const struct moore_rturns *turns, const uint8_t *slot);
/* Attaches the nodes that are not reached by moving few others, shortest first. */
void moore_rtree_settle(struct moore_rtree *t, const struct moore_rview *v,
			const uint32_t *load, uint32_t n_connected);
/* Copies slot[] to old[], without edges that are down. */
void moore_rtree_note_old(struct moore_rtree *t, const struct moore_rview *v);
/* How many nodes have another parent than in old[]. */
uint32_t moore_rtree_moved(const struct moore_rtree *t, uint32_t n);

/* Whether the tree slot[] of root lets the tail of edge e, with children or without, have e for its
 * parent edge. */
static inline bool
moore_rtree_may_hang(const struct moore_rview *v, const uint8_t *slot, uint32_t root, uint32_t e)
{
	uint32_t r = v->g->to[e];

	return v->g->flags[e] & v->flag && (r == root || (slot[r] != MOORE_SLOT_NONE &&
		moore_rview_transit(v, r))) && moore_rview_legal(v, slot, root, e);
}

/* Whether the head of edge e may be the parent of its tail, as long as that has no children. */
static inline bool
moore_rtree_bears(const struct moore_rtree *t, const struct moore_rview *v, uint32_t e)
{
	return t->pass[v->g->to[e]] || moore_rview_enters(v, t->slot, e);
}

/* Makes edge e the parent edge of s. */
static inline void
moore_rtree_hang(struct moore_rtree *t, const struct moore_rview *v, uint32_t s, uint32_t e)
{
	uint32_t r = v->g->to[e];

	t->slot[s] = (uint8_t)(e - v->g->xadj[s]);
	t->len[s] = (uint8_t)(t->len[r] + 1);
	t->pass[s] = moore_rview_transit(v, s) && moore_rview_legal(v, t->slot, t->root, e);
	t->kids[r] = 1;
}

/* acc[s]: how many sources of load route through s, itself included, in the tree slot[]
 * whose n nodes reached[] lists by length. */
static inline void
moore_rtree_sources(const struct moore_rgraph *g, const uint8_t *slot, const uint16_t *reached,
		    uint32_t n, uint32_t *acc)
{
	for (uint32_t i = 0; i < n; i++)
		acc[reached[i]] = g->is_source[reached[i]];
	for (uint32_t i = n; i-- > 1;)
		acc[g->to[g->xadj[reached[i]] + slot[reached[i]]]] += acc[reached[i]];
}

#endif

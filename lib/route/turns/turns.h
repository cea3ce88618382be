/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* turns.h - which turns are allowed: the order of the switches, a spanning tree and the
 * ranks of the edges.
 *
 * A turn (two consecutive edges of a route) is allowed when the rank rises.  So the
 * allowed turns are acyclic whatever the ranks are.  All turns of the spanning tree are
 * allowed, so a legal in-tree exists for every root (docs/theory.md, section 3).
 *
 * An *entry turn*, at a middle switch, is the first turn of a route or none: only routes of the endpoints
 * at its tail take it.  The middle switch sends what takes it on VL 0 (moore/lane.h), so the next turn is
 * free, too, as the first turn of a route is (docs/theory.md, "Entry turns"). */
#ifndef MOORE_ROUTE_TURNS_H
#define MOORE_ROUTE_TURNS_H

#include "route/graph/graph.h"

/* Ranks of the spanning tree stand between the colours below this and the others. */
#define MOORE_RANK_MIDDLE ((uint32_t)1 << 31)

/* Which priorities an order is made with: those of moore_rorder_first(), _near() or _mixed(). */
enum moore_rorder { MOORE_RORDER_NUMBERED, MOORE_RORDER_NEAR, MOORE_RORDER_MIXED };

struct moore_rturns {
	bool by_colour;		/* ranks follow colours; else the order */
	bool close;		/* edges of the spanning tree keep ranks close to their colours */
	enum moore_rorder order;	/* of an order that is made from nothing */
	bool keep_order;	/* SL2VL tables depend on the order, so lost links do not change it */
	const uint8_t *half;	/* borrowed; by node: 1 (P1) or 2 (P2) for a middle switch that
				 * halves.c has put there, else 0 */
	uint32_t *pos;		/* by node: place in the order, 0 is the greatest */
	uint32_t *parent;	/* by node: its edge in the spanning tree, towards a greater
				 * switch; MOORE_NONE for a root */
	const uint8_t *entry_wanted;	/* borrowed; by edge: the side that it should have (below) */
	uint8_t *side;		/* by edge: its side in entry turns, or 0; NULL where no edge has one */
	uint32_t *rank;		/* by edge */
	uint32_t *onto;		/* by edge: its rank as the second of a turn.  rank[] itself, but in the
				 * turns of moore_rturns_common() */
};

/* Two links of a middle switch whose *sides* differ in the last bit alone make entry turns, in both
 * directions.  Edges from a middle switch have this bit in addition. */
#define MOORE_SIDE_OUT 0x80
#define MOORE_N_GROUPS 8	/* half of MOORE_N_SIDES (moore/lane.h): partners count once; 0 and 1 are none */

/* Whether the turn from edge `first` to edge `second` is an entry turn. */
static inline bool
moore_rturns_enter(const struct moore_rturns *t, uint32_t first, uint32_t second)
{
	return t->side && t->side[second] & MOORE_SIDE_OUT &&
		(t->side[first] ^ t->side[second]) == (MOORE_SIDE_OUT | 1);
}

/* Whether any packet may take the turn from edge `first` to edge `second`. */
static inline bool
moore_rturns_allow(const struct moore_rturns *t, uint32_t first, uint32_t second)
{
	return t->rank[first] < t->onto[second] && !moore_rturns_enter(t, first, second);
}

/* Whether the tree with the parent edges parent[] (by node) has edge e or the opposite one. */
static inline bool
moore_rspanning_has(const struct moore_rgraph *g, const uint32_t *parent, uint32_t e)
{
	return parent[moore_rgraph_tail(g, e)] == e || parent[g->to[e]] == g->rev[e];
}

/* Whether the tail of edge e may have children when e is its parent edge in the in-tree slot[] of root,
 * as far as turns go. */
static inline bool
moore_rview_legal(const struct moore_rview *v, const uint8_t *slot, uint32_t root, uint32_t e)
{
	uint32_t r = v->g->to[e];

	return r == root || moore_rturns_allow(v->turns, e, v->g->xadj[r] + slot[r]);
}

/* Whether an entry turn follows edge e and its head can map SLs.  Then the head may be the parent of the
 * tail, as long as that has no children, even if no other node may be a child of the head. */
static inline bool
moore_rview_enters(const struct moore_rview *v, const uint8_t *slot, uint32_t e)
{
	uint32_t r = v->g->to[e];

	return slot[r] != MOORE_SLOT_NONE &&
		moore_rturns_enter(v->turns, e, v->g->xadj[r] + slot[r]) && moore_rview_transit(v, r);
}

/* Whether lanes let the tail of edge e, as a leaf, have it for its parent edge: a link of one lane
 * carries both roles on one VL, so even a leaf must be legal across it. */
static inline bool
moore_rview_leaf(const struct moore_rview *v, const uint8_t *slot, uint32_t root, uint32_t e)
{
	return !v->lanes || !(v->g->flags[e] & MOORE_EDGE_ONE_LANE) ||
		!moore_rview_transit(v, moore_rgraph_tail(v->g, e)) || moore_rview_legal(v, slot, root, e);
}

/* half and entry_wanted are borrowed (see above).  -MOORE_ENOMEM; end *t with moore_rturns_fini() anyway. */
int moore_rturns_init(struct moore_rturns *t, const struct moore_rgraph *g, const uint8_t *half,
		      const uint8_t *entry_wanted, bool keep_order);
void moore_rturns_fini(struct moore_rturns *t);

/* Fills t for the edges of v.  With old (may be NULL: from nothing), changes as little of it
 * as it can.  Ranks follow colour[] (by edge), or the order when colour is NULL.  -MOORE_ENOMEM. */
int moore_rturns_build(struct moore_rturns *t, const struct moore_rview *v,
		       const struct moore_rturns *old, const uint32_t *colour,
		       struct moore_err *err);

/* Once the spanning tree of t is complete: gives edges the sides of old, or with NULL of entry_wanted[], but
 * so that no turn of the tree is an entry turn.  -MOORE_ENOMEM (entry_turns.c). */
int moore_rturns_set_entries(struct moore_rturns *t, const struct moore_rgraph *g,
			     const struct moore_rturns *old, struct moore_err *err);
/* Whether a tree with the parent edges parent[] (by node) and edge e has an entry turn by side[] (NULL: there
 * are none).  O(degree) (entry_turns.c). */
bool moore_rspanning_enters(const uint8_t *side, const struct moore_rgraph *g, const uint32_t *parent,
			    uint32_t e);

/* ---- common.c ------------------------------------------------------------------ */

/* Fills t with turns that both a and b allow: only side[], rank[] and onto[], and no spanning tree.
 * Edges that are not planned have a rank in b alone, those that are not up in a alone.  Leaves t
 * empty if a and b are alike elsewhere.  -MOORE_ENOMEM; end *t with moore_rturns_fini() anyway. */
int moore_rturns_common(struct moore_rturns *t, const struct moore_rgraph *g,
			const struct moore_rturns *a, const struct moore_rturns *b);

/* ---- order.c ------------------------------------------------------------------- */

/* Fills pos[n].  The traversal takes the switch of least priority[] next; `among` (by edge,
 * may be NULL: all) says along which edges it goes.  -MOORE_ENOMEM. */
int moore_rorder_build(const struct moore_rview *v, const uint32_t *priority,
		       const uint8_t *among, uint32_t *pos, struct moore_err *err);
/* Priorities for an order made from nothing: first P1, or the switches without endpoints;
 * last P2; among equals by number. */
void moore_rorder_first(const struct moore_rgraph *g, const uint8_t *half, uint32_t *priority);
/* The same by the distance from the first switch with endpoints, which comes first.  In a fat tree
 * all shortest routes between leaves are allowed then: those into the other pods go up to a core, which
 * is greater, and down, and those into the pod of the first leaf go up all the way to it, or down in
 * their last hop alone.  queue[n] is scratch. */
void moore_rorder_near(const struct moore_rview *v, uint32_t *priority, uint32_t *queue);
/* Switches without endpoints first, then always the switch with the most links to those before it; of
 * equals the first.  So a group of a Slim Fly is complete before another begins, and groups of the two
 * kinds take turns (docs/theory.md, section 7).  n_links[n] is scratch.  O(n^2). */
void moore_rorder_mixed(const struct moore_rview *v, uint32_t *priority, uint32_t *n_links);
/* Priorities that reproduce pos[] but where links were lost. */
void moore_rorder_again(const struct moore_rview *v, const uint32_t *pos, uint32_t *priority);

/* ---- halves.c ------------------------------------------------------------------ */

/* Whether every planned link joins a switch with endpoints and one without: a *middle*
 * switch (OFT, MLFM). */
bool moore_rhalves_exist(const struct moore_rgraph *g);
/* half[], which is zeroed: 1 or 2 for each middle switch.  -MOORE_ENOMEM. */
int moore_rhalves_split(const struct moore_rgraph *g, uint8_t *half, struct moore_err *err);

/* ---- colours.c, rank_search.c ---------------------------------------------------- */

/* Fills colour[] where middle switches are split into halves. */
void moore_rcolours_by_halves(const struct moore_rgraph *g, const uint8_t *half,
			      uint32_t *colour);
/* Fills colour[] of the planned edges beside the spanning tree of t, so that every two
 * switches at distance two have as many first links of legal routes of three hops as a search
 * finds within the bounds of tuning.h.  -MOORE_ENOMEM. */
int moore_rranks_search(const struct moore_rgraph *g, const struct moore_rturns *t,
			uint32_t *colour, uint64_t seed, struct moore_err *err);

/* ---- kept_ranks.c -------------------------------------------------------------- */

/* Fills colour[] of the planned edges from k (may be NULL) if it was kept for the same planned
 * graph and spanning tree, that of t; otherwise returns false. */
bool moore_ranks_find(const struct moore_ranks *k, const struct moore_rgraph *g,
		      const struct moore_rturns *t, uint32_t *colour);
/* Replaces *k by colour[]; does nothing when k is NULL.  -MOORE_ENOMEM. */
int moore_ranks_keep(struct moore_ranks **k, const struct moore_rgraph *g,
		     const struct moore_rturns *t, const uint32_t *colour);

/* ---- ranks.c ------------------------------------------------------------------- */

void moore_rranks_by_order(const struct moore_rgraph *g, const uint32_t *pos, uint32_t *rank);
/* Fills t->rank from colour[] and the spanning tree of t; scratch[2n]. */
void moore_rranks_by_colour(struct moore_rturns *t, const struct moore_rgraph *g,
			    const uint32_t *colour, uint32_t *scratch);
/* Fills t->rank, far apart, in the sequence of place[] (by edge; 0 to n_edges - 1, all different), in
 * which edges of the spanning tree of t are moved back where that is needed to allow all turns of the
 * tree.  -MOORE_ENOMEM. */
int moore_rranks_by_place(struct moore_rturns *t, const struct moore_rgraph *g,
			  const uint32_t *place, struct moore_err *err);

/* ---- spanning.c ---------------------------------------------------------------- */

/* parent[] of the order pos[]: the greatest neighbour of each switch or, when even is set,
 * the greater neighbour with the fewest children so far.  A parent in old (may be NULL) is
 * kept where it can be.  scratch[n]. */
void moore_rspanning_build(const struct moore_rview *v, const uint32_t *pos,
			   const uint32_t *old, bool even, uint32_t *parent,
			   uint32_t *scratch);
/* The same from nothing, for a tree that is not deep and has few edges at any switch;
 * scratch[3n]. */
void moore_rspanning_narrow(const struct moore_rview *v, const uint32_t *pos, uint32_t *parent,
			    uint32_t *scratch);
/* t->parent and t->pos of the spanning tree in[] (by edge, in either direction): an order close to that
 * of old, and of each node's edges in the tree the one to a greater switch.  -MOORE_ENOMEM. */
int moore_rspanning_root(struct moore_rturns *t, const struct moore_rview *v, const struct moore_rturns *old,
			 const uint8_t *in, struct moore_err *err);
/* t->parent and t->pos: keeps every edge of old's tree that is up and joins its parts by
 * edges whose colours stand near the middle.  -MOORE_ENOMEM. */
int moore_rspanning_mend(struct moore_rturns *t, const struct moore_rview *v,
			 const struct moore_rturns *old, const uint32_t *colour,
			 struct moore_err *err);
/* t->parent, t->pos and t->rank, with t->close: the tree that lets ranks stay closest to
 * colour[].  Of old's tree (may be NULL) it keeps the edges that are up, and their turns as far
 * as it can (spanning_close.c, spanning_rejoin.c).  -MOORE_ENOMEM. */
int moore_rspanning_close(struct moore_rturns *t, const struct moore_rview *v,
			  const struct moore_rturns *old, const uint32_t *colour,
			  struct moore_err *err);
/* kept[] (by node): old's tree with the edges of v only, as parent edges, its parts joined by the
 * links that change the fewest turns of old (spanning_rejoin.c).  -MOORE_ENOMEM; O(n * degree) for
 * each link that may join a part. */
int moore_rspanning_rejoin(const struct moore_rview *v, const struct moore_rturns *old,
			   const uint32_t *colour, uint32_t *kept, struct moore_err *err);
/* Ranks of edge e to a parent, *up, and of its opposite, *down, when those between the parent and
 * its own parent are up_on and down_on.  Both stay as in was[] where they can; an edge that turns
 * round goes back to its colour. */
void moore_rspanning_rank(const struct moore_rgraph *g, uint32_t e, const uint32_t *was,
			  const uint32_t *colour, uint32_t up_on, uint32_t down_on, uint32_t *up,
			  uint32_t *down);
/* depth[] of each node in the tree parent[] whose parents are greater; scratch[n]. */
void moore_rspanning_depth(const struct moore_rgraph *g, const uint32_t *pos,
			   const uint32_t *parent, uint32_t *depth, uint32_t *scratch);

#endif

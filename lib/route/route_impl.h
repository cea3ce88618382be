/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* route_impl.h - what the stages of routing hand to each other.
 *
 *   graph.c    intended and seen fabric -> one switch graph in canonical order
 *   drain.c    links to avoid: taken down, but where nothing else connects
 *   order.c    a total order of the switches
 *   turns.c    the ranks that allow turns, and the spanning trees among them
 *   tree.c     one in-tree: grown from its root, or repaired around a failure
 *   mend.c     repair of a tree that need not be shortest
 *   balance.c  which of the equal choices each switch takes
 *   valiant.c  the non-minimal layers
 *   kinds.c    what their detours should look like
 *   halves.c   their trees where middle switches are split into halves
 *   hint*.c    the trees of profile sl-hint (hint_impl.h)
 *   route.c    the sequence, and the forwarding tables
 *   mcast.c    trees for multicast groups
 *
 * A node is a switch in canonical order: as planned, then what is seen besides,
 * by GUID.  An edge is a directed pair of neighbours (parallel links are one
 * edge); a slot is an edge's place among its tail's. */
#ifndef MOORE_ROUTE_IMPL_H
#define MOORE_ROUTE_IMPL_H

#include "moore/route.h"

#define MOORE_SLOT_NONE 0xff	/* no parent: the root, or not reached */
#define MOORE_LEN_NONE 0xff
#define MOORE_LEN_MAX 200	/* longer routes than this are not built */

enum moore_edge_flag {
	MOORE_EDGE_PLANNED = 1,
	MOORE_EDGE_UP = 2,
	MOORE_EDGE_ONE_LANE = 4,	/* of what is up, nothing has two lanes */
	MOORE_EDGE_AVOID = 8,		/* all that is up is to be avoided */
};

struct moore_rgraph {
	uint32_t n, n_edges;
	uint32_t *xadj;		/* edges of node v: xadj[v] .. xadj[v+1]-1, by neighbour */
	uint32_t *to, *rev;	/* head; index of the opposite edge */
	uint8_t *flags;		/* enum moore_edge_flag */
	uint32_t *xpar;		/* parallel ports of edge e: par[xpar[e]..xpar[e+1]-1] */
	struct moore_par {
		moore_portnum port;
		uint8_t live;
	} *par;
	moore_swid *seen;	/* of a node, MOORE_NONE when it is missing */
	uint32_t *node_of;	/* of a switch of the seen fabric */
	uint8_t *prio;		/* for the order: 0 first; 2 for middle switches of P2 */
	uint8_t *half;		/* 1 or 2 for a middle switch of P1 or P2 (turns.c), else 0 */
	/* May pass packets on, in views of these flags: none when it cannot map SLs,
	 * not among what is up when it is drained. */
	uint8_t *transit;
	uint8_t *cost;		/* of an edge: how often each unit of load counts */
	uint8_t *mark;		/* 256 for each node: weight or avoid of a port, [0] of all */
	uint32_t n_avoided;	/* ends of links out of use because they are avoided */
	uint32_t n_drained, n_unknown;
	unsigned unknown_line;	/* of the first rule for an unknown switch */
	uint8_t *weight;	/* 1: a source of load (it has endpoints, or none has) */
	uint8_t *is_host_port;	/* 256 for each node: no switch link is planned there */
	uint32_t n_extra;	/* nodes that are not planned */
	bool as_planned;	/* every edge both planned and up, all transit, two lanes */
};

/* An order of the switches, a spanning tree whose parents are greater, and the
 * ranks of edges: those allow all turns of the tree. */
struct moore_rturns {
	bool by_colour;		/* else by the order */
	bool steady;		/* lanes follow from the order: it moves for no other reason */
	uint32_t *pos;		/* of a node: 0 is the greatest */
	uint32_t *parent;	/* edge towards the root; MOORE_NONE: a root */
	uint32_t *rank;		/* of an edge */
};

/* Which edges count: as planned, or as seen. */
struct moore_rview {
	const struct moore_rgraph *g;
	uint8_t flag;		/* MOORE_EDGE_PLANNED or MOORE_EDGE_UP */
	bool lanes;		/* heed one-lane links and switches that cannot map SLs */
	const struct moore_rturns *turns;
};

static inline bool
moore_rview_transit(const struct moore_rview *v, uint32_t node)
{
	return !v->lanes || v->g->transit[node] & v->flag;
}

/* What load l on edge e counts for; bounded, so that cubes of it can be added. */
static inline uint64_t
moore_rgraph_cost(const struct moore_rgraph *g, uint32_t e, uint64_t l)
{
	uint64_t c = l * g->cost[e];

	return c < 1 << 18 ? c : 1 << 18;
}

/* In the tree slot[]: would a packet that comes over edge e and goes on towards
 * the root turn legally? */
static inline bool
moore_rview_legal(const struct moore_rview *v, const uint8_t *slot, uint32_t root, uint32_t e)
{
	uint32_t r = v->g->to[e];

	return r == root || v->turns->rank[e] < v->turns->rank[v->g->xadj[r] + slot[r]];
}

/* May node s, a leaf, hang on edge e, as far as lanes go? */
static inline bool
moore_rview_leaf(const struct moore_rview *v, const uint8_t *slot, uint32_t root, uint32_t s,
		 uint32_t e)
{
	return !v->lanes || !(v->g->flags[e] & MOORE_EDGE_ONE_LANE) ||
		!moore_rview_transit(v, s) || moore_rview_legal(v, slot, root, e);
}

int moore_rgraph_build(struct moore_rgraph *g, const struct moore_fabric *seen,
		       const struct moore_fabric *intended, const struct moore_links *links,
		       struct moore_err *err);
/* Put the rules into mark[]; after the nodes are known, before the edges. */
void moore_rdrain_mark(struct moore_rgraph *g, const struct moore_fabric *seen,
		       const struct moore_fabric *intended, const struct moore_links *links);
/* Take avoided links down where that cuts nothing off. */
int moore_rdrain(struct moore_rgraph *g, struct moore_err *err);
void moore_rgraph_fini(struct moore_rgraph *g);
/* Which of the host ports of its node a port is, from 0. */
unsigned moore_rgraph_slot(const struct moore_rgraph *g, uint32_t node, moore_portnum port);

/* The order: pos[n], 0 the greatest.  prio (may be NULL) is a previous order to
 * stay close to; among (may be NULL) says which edges to go along. */
int moore_rorder_build(const struct moore_rview *v, const uint32_t *prio, const uint8_t *among,
		       uint32_t *pos, struct moore_err *err);

int moore_rturns_init(struct moore_rturns *t, const struct moore_rgraph *g);
void moore_rturns_fini(struct moore_rturns *t);
/* colour[n_edges], of the planned graph and whatever is seen besides; sets prio. */
int moore_rturns_colour(struct moore_rgraph *g, uint32_t *colour, struct moore_err *err);
/* old (may be NULL) is what to stay close to; colour may be NULL: by the order. */
int moore_rturns_build(struct moore_rturns *t, const struct moore_rview *v,
		       const struct moore_rturns *old, const uint32_t *colour,
		       struct moore_err *err);

/* Change colours, and the ranks of t (built from them for the planned graph), until
 * every two switches at distance two have a legal route of three hops, if that can be. */
int moore_rturns_spread(struct moore_rturns *t, const struct moore_rgraph *g, uint32_t *colour,
			struct moore_err *err);

/* One in-tree under construction, and the scratch to construct it. */
struct moore_rtree {
	uint32_t root;
	uint8_t *slot;		/* towards the root, per node */
	uint8_t *len;		/* hops to the root; MOORE_LEN_NONE: not reached */
	uint8_t *pass;		/* other switches may route through it */
	uint8_t *kids;		/* 1: some do */
	uint32_t *queue;	/* reached nodes by length */
	uint32_t n_reached;
	/* offers: for each node the slots that lead to a parent of least length */
	uint32_t *first, *next;	/* lists by node, through edges; MOORE_NONE ends */
	uint8_t *n_offers;
	uint8_t *old;		/* repair: slot[] before it */
	uint8_t *need;		/* nodes that must follow the spanning tree */
	uint32_t *level;	/* the nodes of one round */
	uint32_t *rank;		/* of the edge towards the root, for who offers */
	uint64_t *cost;		/* likewise: its load */
};

int moore_rtree_init(struct moore_rtree *t, const struct moore_rgraph *g);
void moore_rtree_fini(struct moore_rtree *t);
/* Grow from nothing but the root.  cost[e] (may be NULL) breaks ties.  False
 * when connected nodes could not be reached (n_connected of them exist). */
bool moore_rtree_grow(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		      const uint32_t *cost, uint32_t n_connected);
enum moore_rwish {
	MOORE_WISH_SHUT = 1,	/* a neighbour of the root that lets nobody through */
	MOORE_WISH_LEAF = 2,	/* rather without children */
};

/* The same with wishes by node, and without the last resort. */
bool moore_rtree_grow_around(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
			     const uint32_t *cost, uint32_t n_connected, const uint8_t *wish);
/* Keep what is alive and legal of slot[], and grow the rest.  *moved counts
 * nodes whose parent changed. */
bool moore_rtree_repair(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
			const uint32_t *cost, uint32_t n_connected, uint32_t *moved);
/* The same where routes need not be the shortest: few nodes move. */
bool moore_rtree_mend(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		      const uint32_t *cost, uint32_t n_connected, uint32_t *moved);

/* Find places for who is not reached, by moving few others. */
void moore_rtree_settle(struct moore_rtree *t, const struct moore_rview *v,
			const uint32_t *cost, uint32_t n_connected);
/* The old tree is slot[], but for links that are down; how many nodes left it. */
void moore_rtree_note_old(struct moore_rtree *t, const struct moore_rview *v);
uint32_t moore_rtree_moved(const struct moore_rtree *t, uint32_t n);

/* Nothing but the root. */
void moore_rtree_start(struct moore_rtree *t, uint32_t n, uint32_t root);
/* The last resort: nothing but who is stranded, now or at an earlier attempt, and
 * who is on their way, along the spanning tree.  False: all, as far as it goes. */
bool moore_rtree_follow(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
			uint32_t n_connected, unsigned attempt);

/* acc[s]: how many sources of load send over s in a tree of so many nodes. */
static inline void
moore_rtree_sources(const struct moore_rgraph *g, const uint8_t *slot, const uint16_t *order,
		    uint32_t n, uint32_t *acc)
{
	for (uint32_t i = 0; i < n; i++)
		acc[order[i]] = g->weight[order[i]];
	for (uint32_t i = n; i-- > 1;)
		acc[g->to[g->xadj[order[i]] + slot[order[i]]]] += acc[order[i]];
}

/* Every tree, and where each leaf with equal choices hangs in the present slice.
 * A slice holds one LID of each switch's (its own, or its j-th host's). */
struct moore_rbalance {
	const struct moore_rview *v;
	uint8_t *slot;		/* slot[root * n + node]: the trees of the slice */
	uint8_t *len;		/* likewise: hops; the same in every slice */
	uint16_t *order;	/* order[root * n + i]: reached nodes by length */
	uint32_t *n_reached;	/* of each root */
	uint32_t *load;		/* of each edge, in the present slice */
	struct moore_rprice {	/* of an edge: a unit less and a unit more on it */
		int64_t less, more;
	} *price;
	uint8_t *present;	/* roots whose trees are in load[] */
	struct moore_rchoice {
		uint32_t root, node;
		uint32_t first;		/* candidates: cand[first .. first+n-1] */
		uint16_t n, home;	/* home: the choice in slice 0 */
	} *choice;
	size_t n_choices, cap_choices;
	uint8_t *cand;		/* slots */
	size_t n_cands, cap_cands;
	uint32_t *acc;		/* scratch, per node */
};

/* Grow every tree. n_connected[root]: how many nodes it should reach.
 * -MOORE_EUNREACH: *bad is a root that does not. */
int moore_rbalance_build(struct moore_rbalance *b, const struct moore_rview *v,
			 const uint32_t *n_connected, uint64_t seed, uint32_t *bad,
			 struct moore_err *err);
/* Choose for slice number i, which has a LID at each root with present[root]. */
void moore_rbalance_slice(struct moore_rbalance *b, unsigned i, const uint8_t *present);
void moore_rbalance_fini(struct moore_rbalance *b);

/* Through halves, a detour may cost so many times what the straight route does, by
 * the third powers of loads.  More covers more and is less even. */
#define MOORE_DETOUR_WORTH 4

/* What a detour should be like (kinds.c).  Others are taken where there is none. */
struct moore_rkind {
	bool longest;		/* two hops fixed before the root, else one */
	bool straight;		/* a switch beside the root lets others pass only straight to it */
	bool among_hosts;	/* the switch two hops before the root has endpoints */
};
const struct moore_rkind *moore_rkind_of(enum moore_layers layers);

/* Non-minimal trees; the matrices are as in moore_rbalance. */
struct moore_rvaliant {
	const struct moore_rbalance *b;
	uint8_t *slot, *len, *flags;
	uint16_t *order;	/* of the tree just grown */
	uint32_t *load;		/* of each edge, over all slices of hosts so far */
	uint8_t *wish;		/* scratch, per node */
	uint32_t *acc;
	uint8_t *hops;		/* of a node that a leaf may hang on; else MOORE_LEN_NONE */
	struct moore_rbeyond {	/* its route */
		uint64_t price;
		uint32_t edge;	/* its first */
		uint16_t parent;
		uint8_t end;	/* the bit of its last link */
	} *beyond;
	uint64_t *price;	/* of each edge */
	uint64_t *first, *last_hop;	/* matrices: links that earlier trees used */
	uint16_t *gain;		/* likewise: what detours gave */
	uint64_t again;		/* the price of using one of them again */
	uint32_t units;		/* the most LIDs that share a tree of this layer */
	unsigned layer, n_shares, turn;	/* the slice at hand */
	const struct moore_rkind *kind;
	bool lanes;		/* some link has one lane */
	bool split;		/* there are halves P1 and P2 */
	bool last;		/* layer: who is not covered now never will be */
	struct moore_rtree t;
};

int moore_rvaliant_init(struct moore_rvaliant *v, const struct moore_rbalance *b,
			const struct moore_rkind *kind);
void moore_rvaliant_fini(struct moore_rvaliant *v);
/* Build layer 0..n_layers-1 of variant number turn (layers in this order), whose
 * trees present[root] LIDs share. */
void moore_rvaliant_slice(struct moore_rvaliant *v, unsigned layer, unsigned n_layers,
			  unsigned turn, const uint8_t *present, const uint32_t *n_connected);

/* The tree of root (a low switch) that units LIDs share, for the slice at hand,
 * where middle switches are split; by->load[] is as before afterwards.  False
 * when connected nodes could not be reached. */
bool moore_rhalves_grow(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
			struct moore_rvaliant *by, uint32_t units, uint32_t n_connected);

/* As moore_route_mcast(). */
int moore_rmcast(const struct moore_rview *v, uint16_t group, const moore_swid *members,
		 size_t n, uint8_t *parent_port, struct moore_err *err);

#endif

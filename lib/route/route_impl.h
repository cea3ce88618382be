/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* route_impl.h - what the stages of routing hand to each other.
 *
 *   graph.c    intended and seen fabric -> one switch graph in canonical order
 *   order.c    the order of the switches, and the ranks that allow turns
 *   tree.c     one in-tree: grown from its root, or repaired around a failure
 *   balance.c  which of the equal choices each switch takes
 *   hint.c     the trees of profile sl-hint, and which tables are right on them
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
	uint8_t *transit;	/* may pass packets on: it maps SLs */
	uint8_t *weight;	/* 1: a source of load (it has endpoints, or none has) */
	uint8_t *is_host_port;	/* 256 for each node: no switch link is planned there */
	uint32_t n_extra;	/* nodes that are not planned */
	bool as_planned;	/* every edge both planned and up, all transit, two lanes */
};

/* Which edges count: as planned, or as seen. */
struct moore_rview {
	const struct moore_rgraph *g;
	uint8_t flag;		/* MOORE_EDGE_PLANNED or MOORE_EDGE_UP */
	bool lanes;		/* heed one-lane links and switches that cannot map SLs */
	const uint32_t *pos;	/* of a node in the order, 0 the greatest */
	const uint32_t *rank;	/* of an edge */
};

static inline bool
moore_rview_transit(const struct moore_rview *v, uint32_t node)
{
	return !v->lanes || v->g->transit[node];
}

int moore_rgraph_build(struct moore_rgraph *g, const struct moore_fabric *seen,
		       const struct moore_fabric *intended, struct moore_err *err);
void moore_rgraph_fini(struct moore_rgraph *g);
/* Which of the host ports of its node a port is, from 0. */
unsigned moore_rgraph_slot(const struct moore_rgraph *g, uint32_t node, moore_portnum port);

/* The order: prio (may be NULL) is a previous order's pos to stay close to.
 * Fills pos[n] and rank[n_edges]. */
int moore_rorder_build(const struct moore_rview *v, const uint32_t *prio, uint32_t *pos,
		       uint32_t *rank, struct moore_err *err);

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
	uint32_t *level;	/* the nodes of one round */
};

int moore_rtree_init(struct moore_rtree *t, const struct moore_rgraph *g);
void moore_rtree_fini(struct moore_rtree *t);
/* Grow from nothing but the root.  cost[e] (may be NULL) breaks ties.  False
 * when connected nodes could not be reached (n_connected of them exist). */
bool moore_rtree_grow(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		      const uint32_t *cost, uint32_t n_connected);
/* Keep what is alive and legal of slot[], and grow the rest.  *moved counts
 * nodes whose parent changed. */
bool moore_rtree_repair(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
			const uint32_t *cost, uint32_t n_connected, uint32_t *moved);

/* Every tree, and where each leaf with equal choices hangs in the present slice.
 * A slice holds one LID of each switch's (its own, or its j-th host's). */
struct moore_rbalance {
	const struct moore_rview *v;
	uint8_t *slot;		/* slot[root * n + node]: the trees of the slice */
	uint16_t *order;	/* order[root * n + i]: reached nodes by length */
	uint32_t *n_reached;	/* of each root */
	uint32_t *load;		/* of each edge, in the present slice */
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

/* As moore_route_mcast(). */
int moore_rmcast(const struct moore_rview *v, uint16_t group, const moore_swid *members,
		 size_t n, uint8_t *parent_port, struct moore_err *err);

#endif

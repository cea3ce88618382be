/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* graph.h - the switch graph that all of routing works on.
 *
 * A *node* is a switch.  Planned switches come first, in the order of the plan; the
 * others of the observed fabric follow by GUID.  An *edge* is one direction between two
 * neighbours; parallel links between the same two switches are one edge.  The *slot* of
 * an edge is its index among the edges of its tail.
 *
 * The folders below lib/route form a ladder; each uses those before it (tests/order):
 *
 *   graph/    nodes, edges, views, and the links to avoid
 *   turns/    which turns are allowed: the order and the ranks (turns.h), those of graphs with
 *             lines (middles.h), and the sequence of one-vl (sequence.h)
 *   trees/    one in-tree (tree.h), the minimal trees (balance.h), those of multicast groups
 *             (mcast.h), and the kinds of layers (kinds.h)
 *   layers/   the non-minimal trees of any-sl (layers.h; layer_middles.h where there are lines), and
 *             what changes them once all stand (layer_slices.h)
 *   hint/     the trees of sl-hint
 *
 * Above them stand route.c and the stages that build.h joins: which LID takes which tree
 * (columns.h), trees that the caller keeps (grown.c), the tables (fill.h), and what is told about
 * them (stats.c, sl_sets.c).
 *
 * tuning.h holds the constants that were found by experiment. */
#ifndef MOORE_ROUTE_GRAPH_H
#define MOORE_ROUTE_GRAPH_H

#include "moore/route.h"

#define MOORE_SLOT_NONE 0xff	/* no slot: a root's parent, or that of a node not reached;
				 * no switch has so many neighbours */

enum moore_edge_flag {
	MOORE_EDGE_PLANNED = 1,
	MOORE_EDGE_UP = 2,		/* some link between the two is up and in use */
	MOORE_EDGE_ONE_LANE = 4,	/* it is up, but none of its links has two lanes; or the
					 * profile is one-vl */
	MOORE_EDGE_AVOID = 8,		/* all its links that are up are to be avoided */
	MOORE_EDGE_ODD = 16,		/* it is in the plan, but set aside, so not PLANNED (odd_links.c) */
};

/* Built by moore_rgraph_build() and constant from then on. */
struct moore_rgraph {
	uint32_t n, n_edges;
	uint32_t n_extra;	/* nodes that are not planned */
	uint32_t *xadj;		/* edges of node v: xadj[v]..xadj[v+1]-1, sorted by head */
	uint32_t *to, *rev;	/* by edge: its head; the opposite edge */
	uint8_t *flags;		/* by edge: enum moore_edge_flag */
	uint32_t n_planned;	/* edges that are planned */
	uint8_t all_flags, some_flags;	/* those that all edges have, and that any edge has */
	uint8_t *link_weight;	/* by edge: each unit of load counts this many times */
	uint32_t *xpar;		/* ports of edge e: par[xpar[e]..xpar[e+1]-1] */
	struct moore_par {
		moore_portnum port;
		uint8_t live;	/* up and in use */
	} *par;
	moore_swid *sw_of;	/* by node: its switch in the observed fabric, or MOORE_NONE */
	uint32_t *node_of;	/* by switch of the observed fabric: its node */
	uint8_t *is_source;	/* by node: 1 when it counts as one that has endpoints (sources.c) */
	uint8_t *is_host_port;	/* 256 for each node: 1 for ports that are not switch links */
	uint8_t *transit;	/* by node: the edge flags (PLANNED, UP) under which other
				 * switches may route through it: none when it cannot map SLs,
				 * not UP when it is drained */
	bool one_vl;		/* profile one-vl: lanes do not count, so every edge has one */
	bool as_planned;	/* all planned edges are up with two lanes, nothing is extra, and
				 * every switch may be routed through */
	struct moore_rspared {	/* what the rules of `links` did, for moore_route_stats() */
		uint32_t n_ends;	/* ends of live links that are not used */
		uint32_t n_drained;	/* switches that nothing passes through */
		uint32_t n_unknown;	/* rules that name no known switch */
		unsigned unknown_line;	/* line of the first of them */
	} spared;
};

struct moore_rturns;

/* Which edges count: the planned ones or those that are up. */
struct moore_rview {
	const struct moore_rgraph *g;
	uint8_t flag;		/* MOORE_EDGE_PLANNED or MOORE_EDGE_UP */
	bool lanes;		/* one-lane links, and switches that cannot map SLs, count */
	const struct moore_rturns *turns;	/* which turns are allowed (turns.h) */
};

/* The node that edge e leaves. */
static inline uint32_t
moore_rgraph_tail(const struct moore_rgraph *g, uint32_t e)
{
	return g->to[g->rev[e]];
}

/* Whether every edge counts, and any node may be a leaf across it (moore_rview_leaf()). */
static inline bool
moore_rview_whole(const struct moore_rview *v)
{
	return v->g->all_flags & v->flag && !(v->lanes && v->g->some_flags & MOORE_EDGE_ONE_LANE);
}

static inline bool
moore_rgraph_is_planned(const struct moore_rgraph *g, uint32_t e)
{
	return g->flags[e] & MOORE_EDGE_PLANNED;
}

/* Returns how many slots node s has up to the last one that leads to a planned neighbour.  Switches that are
 * not planned come after all others, so a choice among these slots does not depend on them. */
static inline uint32_t
moore_rgraph_slots(const struct moore_rgraph *g, uint32_t s)
{
	uint32_t end = g->xadj[s + 1];

	while (end > g->xadj[s] && !moore_rgraph_is_planned(g, end - 1))
		end--;
	return end - g->xadj[s];
}

/* Whether other switches may route through node. */
static inline bool
moore_rview_transit(const struct moore_rview *v, uint32_t node)
{
	return !v->lanes || v->g->transit[node] & v->flag;
}

/* How many nodes the intended graph has: all when the observed one is the intended one. */
static inline uint32_t
moore_rgraph_n_intended(const struct moore_rgraph *g)
{
	return g->n_extra < g->n ? g->n - g->n_extra : g->n;
}

/* Load on edge e times its weight; below 2^18 + 1, so that sums of cubes fit 64 bits. */
static inline uint64_t
moore_rgraph_weighted(const struct moore_rgraph *g, uint32_t e, uint64_t load)
{
	uint64_t w = load * g->link_weight[e];

	return w < 1 << 18 ? w : 1 << 18;
}

/* The port of edge e for a key: keys spread over its live ports.  MOORE_NO_PATH when none is
 * live. */
static inline moore_portnum
moore_rgraph_port(const struct moore_rgraph *g, uint32_t e, uint32_t key)
{
	uint32_t n = g->xpar[e + 1] - g->xpar[e];
	const struct moore_par *p = g->par + g->xpar[e];

	for (uint32_t i = 0; i < n; i++)
		if (p[(key + i) % n].live)
			return p[(key + i) % n].port;
	return MOORE_NO_PATH;
}

/* What a graph is for: minimal routes, layers as well, or profile one-vl. */
enum moore_rgraph_use { MOORE_RGRAPH_MINIMAL, MOORE_RGRAPH_LAYERS, MOORE_RGRAPH_ONE_VL };

/* The graph of the observed fabric and the intended one (NULL: the observed one is the
 * intended one).  rules may be NULL.  End *g with moore_rgraph_fini(), on error too.
 * -MOORE_ENOMEM; -MOORE_EPLAN a switch has too many neighbours. */
int moore_rgraph_build(struct moore_rgraph *g, const struct moore_fabric *seen,
		       const struct moore_fabric *intended, const struct moore_links *rules,
		       enum moore_rgraph_use use, struct moore_err *err);
void moore_rgraph_fini(struct moore_rgraph *g);

/* How many host ports of its node come before this port. */
unsigned moore_rgraph_host_place(const struct moore_rgraph *g, uint32_t node, moore_portnum port);

/* Whether at most so many percent of the pairs of planned sources are more than two planned links apart;
 * mark[node] is scratch.  O(n * links of a switch squared). */
bool moore_rgraph_is_near(const struct moore_rgraph *g, unsigned apart_percent, uint32_t *mark);

/* Adds to queue[], which holds n nodes, all that these reach over edges with this flag and whose dist[] is
 * MOORE_NONE, and sets their dist[]: hops beyond that of a node in queue[].  Breadth first, O(links). */
void moore_rgraph_spread(const struct moore_rgraph *g, uint8_t flag, uint32_t *dist, uint32_t *queue,
			 uint32_t n);

/* folded.c: whether the planned graph is a fat tree, or leaves and spines, where detours are no use.  scratch
 * has room for 4 * n.  O(links) for each of some 64 sources. */
bool moore_rgraph_is_folded(const struct moore_rgraph *g, uint32_t *scratch);

/* ---- stages of moore_rgraph_build() ------------------------------------------ */

/* Where more than one in so many middle switches has endpoints, it is another kind of graph. */
#define MOORE_MIDDLES_FOR_HOSTED 2

/* Numbers the nodes: fills n, n_extra, sw_of and node_of (nodes.c).  -MOORE_ENOMEM. */
int moore_rgraph_bind(struct moore_rgraph *g, const struct moore_fabric *seen,
		      const struct moore_fabric *intended, struct moore_err *err);
/* rule[256 * node + port]: the strictest rule for that port, 0 when there is none; [256 *
 * node] holds the rule for the whole switch.  rule[] is zeroed by the caller (drain.c). */
void moore_rgraph_mark_rules(struct moore_rgraph *g, const struct moore_fabric *seen,
			     const struct moore_fabric *intended,
			     const struct moore_links *rules, uint8_t *rule);
/* Fills is_source[] (sources.c): first with which switches have endpoints, those of the plan where it names
 * any, then with which count as sources; kind[] and scratch[] by node.  The second takes
 * O(n * links of a switch squared) where there are middle switches. */
void moore_rgraph_mark_hosted(struct moore_rgraph *g, const struct moore_fabric *seen,
			      const struct moore_fabric *intended);
void moore_rgraph_mark_sources(struct moore_rgraph *g, uint32_t *kind, uint32_t *scratch);
/* Sets odd links aside (odd_links.c); is_source[] holds which switches have endpoints.  side[] and scratch[] by
 * node. */
void moore_rgraph_set_aside(struct moore_rgraph *g, uint32_t *side, uint32_t *scratch);
/* Takes avoided links down unless that would disconnect something (drain.c).  -MOORE_ENOMEM. */
int moore_rgraph_drain(struct moore_rgraph *g, struct moore_err *err);

#endif

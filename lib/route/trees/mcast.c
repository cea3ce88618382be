// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mcast.c - trees for multicast groups, made of allowed turns alone.
 *
 * A packet of a group runs along its tree in every direction, so every pair of links at a
 * switch of the tree is a turn in both directions.  Two kinds of trees have that property
 * (docs/theory.md, "Multicast"):
 *
 * Stars: all members are beside one switch, at which each pair of their links is allowed in
 * both directions, or is an entry turn.  Of several such switches the group's number
 * picks one.  Used when ranks follow colours; under the order, stars are monotone trees.
 *
 * Monotone trees: every parent is greater than its child; under colours only edges of the
 * spanning tree are used.  The root is one of the switches nearest to all members among
 * those above them all.  The group's number picks the root, and each parent among equally
 * near ones, so that groups use different links. */
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "route/trees/mcast.h"
#include "route/trees/tree.h"
#include "route/tuning.h"

struct mtree {
	const struct moore_rview *v;
	uint64_t seed;		/* the group's number */
	uint32_t *parent;	/* by node: edge towards the root, or MOORE_NONE */
	uint32_t *queue;
	uint8_t *depth;		/* by node: hops from the root, or MOORE_LEN_NONE */
	uint32_t *member, n;	/* the distinct nodes of the members */
	uint32_t *count, *sum;	/* by node: members that it can reach, and their distances */
};

/* Whether edge e of s may lead to its parent: to a greater switch, and under colours only
 * along the spanning tree. */
static bool
leads_up(const struct mtree *m, uint32_t s, uint32_t e)
{
	const struct moore_rturns *t = m->v->turns;

	return m->v->g->flags[e] & m->v->flag && t->pos[m->v->g->to[e]] < t->pos[s] &&
		(!t->by_colour || t->parent[s] == e);
}

/* Picks the parent of s among the possible ones that are one hop nearer to the root: counts
 * them, then takes the one that the generator names. */
static void
adopt(struct mtree *m, uint32_t s, uint8_t depth)
{
	const struct moore_rgraph *g = m->v->g;
	struct moore_rng rng = { m->seed ^ (uint64_t)s << 20 };
	uint32_t n = 0, pick;

	for (int pass = 0; pass < 2; pass++) {
		uint32_t k = 0;

		pick = pass ? moore_rng_below(&rng, n) : 0;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			uint32_t r = g->to[e];

			if (!leads_up(m, s, e) || m->depth[r] != depth - 1 ||
			    (depth > 1 && !moore_rview_transit(m->v, r)))
				continue;
			if (pass && k++ == pick) {
				m->parent[s] = e;
				return;
			}
			n += !pass;
		}
	}
}

/* Reaches every node below root, level by level. */
static void
descend(struct mtree *m, uint32_t root)
{
	const struct moore_rgraph *g = m->v->g;
	uint32_t n = 1;

	memset(m->depth, MOORE_LEN_NONE, g->n);
	m->depth[root] = 0;
	m->parent[root] = MOORE_NONE;
	m->queue[0] = root;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t r = m->queue[i];

		if ((r != root && !moore_rview_transit(m->v, r)) || m->depth[r] == MOORE_LEN_MAX)
			continue;
		for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++) {
			uint32_t s = g->to[e];

			if (m->depth[s] != MOORE_LEN_NONE || !leads_up(m, s, g->rev[e]))
				continue;
			m->depth[s] = (uint8_t)(m->depth[r] + 1);
			m->queue[n++] = s;
		}
	}
	for (uint32_t i = 1; i < n; i++)
		adopt(m, m->queue[i], m->depth[m->queue[i]]);
}

/* The greatest switch of the component of s: every other one has a greater neighbour. */
static uint32_t
climb(const struct moore_rview *v, uint32_t s)
{
	const struct moore_rgraph *g = v->g;
	uint32_t top = s;

	do {
		s = top;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (g->flags[e] & v->flag && v->turns->pos[g->to[e]] < v->turns->pos[top])
				top = g->to[e];
	} while (top != s);
	return top;
}

/* ---- stars ------------------------------------------------------------------ */

/* The edge from s to r if it is up, else MOORE_NONE. */
static uint32_t
edge_between(const struct mtree *m, uint32_t s, uint32_t r)
{
	const struct moore_rgraph *g = m->v->g;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (g->to[e] == r && g->flags[e] & m->v->flag)
			return e;
	return MOORE_NONE;
}

/* Whether packets may go on from edge `in` over edge `out` and end behind it: the turn is allowed, or it is
 * an entry turn and they are on VL 0 over `out`, too. */
static bool
may_cross(const struct moore_rturns *t, uint32_t in, uint32_t out)
{
	return moore_rturns_enter(t, in, out) || moore_rturns_allow(t, in, out);
}

/* Whether every two links to members may meet at r; sets parent[] of them. */
static bool
is_star(struct mtree *m, uint32_t r)
{
	const uint32_t *rev = m->v->g->rev;

	for (uint32_t i = 0; i < m->n; i++)
		m->parent[m->member[i]] = m->member[i] == r ? MOORE_NONE :
			edge_between(m, m->member[i], r);
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t k = 0; k < m->n; k++) {
			uint32_t in = m->parent[m->member[i]], out = m->parent[m->member[k]];

			if (i != k && in != MOORE_NONE && out != MOORE_NONE &&
			    !may_cross(m->v->turns, in, rev[out]))
				return false;
		}
	return true;
}

/* Makes the tree a star at the first switch that allows it, from the node that the group's
 * number picks on. */
static bool
find_star(struct mtree *m)
{
	const struct moore_rgraph *g = m->v->g;
	struct moore_rng rng = { m->seed };
	uint32_t from = moore_rng_below(&rng, g->n);

	memset(m->count, 0, g->n * sizeof(*m->count));
	for (uint32_t i = 0; i < m->n; i++) {
		m->count[m->member[i]]++;
		for (uint32_t e = g->xadj[m->member[i]]; e < g->xadj[m->member[i] + 1]; e++)
			m->count[g->to[e]] += (g->flags[e] & m->v->flag) != 0;
	}
	for (uint32_t k = 0; k < g->n; k++) {
		uint32_t r = (from + k) % g->n;

		if (m->count[r] != m->n || !moore_rview_transit(m->v, r) || !is_star(m, r))
			continue;
		memset(m->depth, MOORE_LEN_NONE, g->n);
		for (uint32_t i = 0; i < m->n; i++)
			m->depth[m->member[i]] = 1;
		m->parent[r] = MOORE_NONE;
		m->depth[r] = 0;
		return true;
	}
	return false;
}

/* ---- monotone trees ----------------------------------------------------------- */

/* Counts member s, and its distance, at every switch above it. */
static void
count_above(struct mtree *m, uint32_t s)
{
	const struct moore_rgraph *g = m->v->g;
	uint32_t n = 1;

	memset(m->depth, MOORE_LEN_NONE, g->n);
	m->depth[s] = 0;
	m->queue[0] = s;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t r = m->queue[i];

		m->count[r]++;
		m->sum[r] += m->depth[r];
		if ((r != s && !moore_rview_transit(m->v, r)) || m->depth[r] == MOORE_LEN_MAX)
			continue;
		for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++)
			if (m->depth[g->to[e]] == MOORE_LEN_NONE && leads_up(m, r, e)) {
				m->depth[g->to[e]] = (uint8_t)(m->depth[r] + 1);
				m->queue[n++] = g->to[e];
			}
	}
}

/* One of the nearest switches above all members; the greatest switch when there is none. */
static uint32_t
find_root(struct mtree *m)
{
	const struct moore_rgraph *g = m->v->g;
	struct moore_rng rng = { m->seed };
	uint32_t least = MOORE_NONE, n = 0, pick;

	memset(m->count, 0, g->n * sizeof(*m->count));
	memset(m->sum, 0, g->n * sizeof(*m->sum));
	for (uint32_t i = 0; i < m->n; i++)
		count_above(m, m->member[i]);
	for (uint32_t r = 0; r < g->n; r++)
		if (m->count[r] != m->n || !moore_rview_transit(m->v, r))
			m->sum[r] = MOORE_NONE;
		else if (m->sum[r] < least)
			least = m->sum[r];
	for (uint32_t r = 0; r < g->n; r++)
		if (m->sum[r] != MOORE_NONE && m->sum[r] <= least + m->n / MOORE_MCAST_SLACK)
			m->queue[n++] = r;
	if (!n)
		return climb(m->v, m->member[0]);
	pick = moore_rng_below(&rng, n);
	return m->queue[pick];
}

static void
list_members(struct mtree *m, const moore_swid *members, size_t n)
{
	memset(m->depth, 0, m->v->g->n);
	for (size_t i = 0; i < n; i++) {
		uint32_t s = m->v->g->node_of[members[i]];

		if (!m->depth[s])
			m->member[m->n++] = s;
		m->depth[s] = 1;
	}
}

static bool
alloc_tree(struct mtree *m, struct moore_arena *tmp)
{
	uint32_t n = m->v->g->n;

	m->parent = moore_arena_alloc(tmp, n, sizeof(*m->parent));
	m->queue = moore_arena_alloc(tmp, n, sizeof(*m->queue));
	m->member = moore_arena_alloc(tmp, n, sizeof(*m->member));
	m->count = moore_arena_alloc(tmp, n, sizeof(*m->count));
	m->sum = moore_arena_alloc(tmp, n, sizeof(*m->sum));
	m->depth = moore_arena_alloc(tmp, n, 1);
	return m->parent && m->queue && m->depth && m->member && m->count && m->sum;
}

/* Writes the ports on the way from node s to the root, up to where they are written. */
static void
put_branch(const struct mtree *m, uint32_t s, uint8_t *parent_port)
{
	const struct moore_rgraph *g = m->v->g;

	for (; parent_port[g->sw_of[s]] == MOORE_NO_PATH; s = g->to[m->parent[s]]) {
		if (m->parent[s] == MOORE_NONE) {
			parent_port[g->sw_of[s]] = 0;
			return;
		}
		parent_port[g->sw_of[s]] = moore_rgraph_port(g, m->parent[s], (uint32_t)m->seed);
	}
}

int
moore_rmcast(const struct moore_rview *v, uint16_t group, const moore_swid *members,
	     size_t n, uint8_t *parent_port, struct moore_err *err)
{
	const struct moore_rgraph *g = v->g;
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct mtree m = { .v = v, .seed = group };
	int rc = 0;

	for (uint32_t s = 0; s < g->n; s++)
		if (g->sw_of[s] != MOORE_NONE)
			parent_port[g->sw_of[s]] = MOORE_NO_PATH;
	if (!n)
		return 0;
	if (!alloc_tree(&m, &tmp)) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	list_members(&m, members, n);
	if (!v->turns->by_colour || !find_star(&m))
		descend(&m, find_root(&m));
	for (size_t i = 0; i < n; i++) {
		uint32_t s = g->node_of[members[i]];

		if (m.depth[s] != MOORE_LEN_NONE)
			put_branch(&m, s, parent_port);
		else
			rc = moore_fail(err, MOORE_EUNREACH, 0,
					"member switch number %u is not connected to the others",
					members[i]);
	}
out:
	moore_arena_free(&tmp);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mcast.c - trees for multicast groups, made of allowed turns alone.
 *
 * A packet of a group runs along its tree in every direction, so every pair of
 * links at a switch of the tree is a turn in both senses.  Two kinds of trees have
 * that (docs/theory.md, "Multicast"):
 *
 * Stars: all members beside one switch, at which the ranks allow each pair of their
 * links in both senses.  Any such switch will do; the group's number picks it.
 * Taken by colours; by the order they are monotone trees as well.
 *
 * Monotone trees, in which every parent is greater than its child; by colours only
 * what joins the members in the spanning tree.  The root is one of the
 * nearest to all members, of the switches above them all; the group's number picks
 * it, and among equally near parents, so that groups use different links. */
#include <stdlib.h>
#include <string.h>

#include "route/route_impl.h"

/* A root may be farther than the nearest by a link for one in so many members. */
#define SLACK 4

struct mtree {
	const struct moore_rview *v;
	uint64_t seed;
	uint32_t *parent;	/* edge towards the root; MOORE_NONE: none */
	uint32_t *queue;
	uint8_t *depth;		/* MOORE_LEN_NONE: not reached */
	uint32_t *member, n;	/* the distinct nodes that members are at */
	uint32_t *count, *sum;	/* of a node: members that it joins, and how far they are */
};

/* May e, an edge to a greater switch, lead s to its parent? */
static bool
leads_up(const struct mtree *m, uint32_t s, uint32_t e)
{
	const struct moore_rturns *t = m->v->turns;

	return m->v->g->flags[e] & m->v->flag && t->pos[m->v->g->to[e]] < t->pos[s] &&
		(!t->by_colour || t->parent[s] == e);
}

/* The parent of s among the greater neighbours one step nearer to the root. */
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

/* Everything below root, level by level. */
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

/* From s up to the greatest switch of its component. */
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

/* The edge of s that leads to r and is up, or MOORE_NONE. */
static uint32_t
edge_between(const struct mtree *m, uint32_t s, uint32_t r)
{
	const struct moore_rgraph *g = m->v->g;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (g->to[e] == r && g->flags[e] & m->v->flag)
			return e;
	return MOORE_NONE;
}

/* May packets turn at r from each of the members' links to each other? */
static bool
is_star(struct mtree *m, uint32_t r)
{
	const uint32_t *rank = m->v->turns->rank, *rev = m->v->g->rev;

	for (uint32_t i = 0; i < m->n; i++)
		m->parent[m->member[i]] = m->member[i] == r ? MOORE_NONE :
			edge_between(m, m->member[i], r);
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t k = 0; k < m->n; k++) {
			uint32_t in = m->parent[m->member[i]], out = m->parent[m->member[k]];

			if (i != k && in != MOORE_NONE && out != MOORE_NONE && rank[in] >= rank[rev[out]])
				return false;
		}
	return true;
}

/* A switch beside all members, the first from where the group's number points. */
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

/* Count s, and its distance, at every switch that is above it. */
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

/* One of the nearest of those above all members, or the greatest. */
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
		if (m->sum[r] != MOORE_NONE && m->sum[r] <= least + m->n / SLACK)
			m->queue[n++] = r;
	if (!n)
		return climb(m->v, m->member[0]);
	pick = moore_rng_below(&rng, n);
	return m->queue[pick];
}

/* The distinct nodes of the members. */
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

static moore_portnum
live_port(const struct moore_rgraph *g, uint32_t e, uint16_t group)
{
	uint32_t n = g->xpar[e + 1] - g->xpar[e];
	const struct moore_par *p = g->par + g->xpar[e];
	uint32_t i = 0;

	while (!p[(group + i) % n].live)
		i++;
	return p[(group + i) % n].port;
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
		if (g->seen[s] != MOORE_NONE)
			parent_port[g->seen[s]] = MOORE_NO_PATH;
	if (!n)
		return 0;
	m.parent = moore_arena_alloc(&tmp, g->n, sizeof(*m.parent));
	m.queue = moore_arena_alloc(&tmp, g->n, sizeof(*m.queue));
	m.member = moore_arena_alloc(&tmp, g->n, sizeof(*m.member));
	m.count = moore_arena_alloc(&tmp, g->n, sizeof(*m.count));
	m.sum = moore_arena_alloc(&tmp, g->n, sizeof(*m.sum));
	m.depth = moore_arena_alloc(&tmp, g->n, 1);
	if (!m.parent || !m.queue || !m.depth || !m.member || !m.count || !m.sum) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	list_members(&m, members, n);
	if (!v->turns->by_colour || !find_star(&m))
		descend(&m, find_root(&m));
	for (size_t i = 0; i < n; i++) {
		uint32_t s = g->node_of[members[i]];

		if (m.depth[s] == MOORE_LEN_NONE) {
			rc = moore_fail(err, MOORE_EUNREACH, 0,
					"member switch number %u is not connected to the others",
					members[i]);
			continue;
		}
		for (; parent_port[g->seen[s]] == MOORE_NO_PATH; s = g->to[m.parent[s]]) {
			if (m.parent[s] == MOORE_NONE) {
				parent_port[g->seen[s]] = 0;
				break;
			}
			parent_port[g->seen[s]] = live_port(g, m.parent[s], group);
		}
	}
out:
	moore_arena_free(&tmp);
	return rc;
}

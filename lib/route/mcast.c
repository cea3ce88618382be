// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mcast.c - trees for multicast groups, made of allowed turns alone.
 *
 * A packet of a group runs along its tree in every direction, so every pair of
 * links at a switch of the tree is a turn in both senses.  By the order that
 * holds when each switch has at most one greater neighbour in the tree: a
 * monotone tree, in which every parent is greater than its child.  By colours it
 * holds in the spanning tree, whose parents are greater too.  The root is the
 * greatest; only a switch from which all members can be reached downward can be
 * root, and the top of the component always is one.  The group's number picks
 * where the search for a root starts and which of the equally near parents each
 * switch takes, so that groups use different links. */
#include <stdlib.h>
#include <string.h>

#include "route/route_impl.h"

struct mtree {
	const struct moore_rview *v;
	uint64_t seed;
	uint32_t *parent;	/* edge towards the root; MOORE_NONE: none */
	uint32_t *queue;
	uint8_t *depth;		/* MOORE_LEN_NONE: not reached */
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

static bool
covers(const struct mtree *m, const moore_swid *members, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (m->depth[m->v->g->node_of[members[i]]] == MOORE_LEN_NONE)
			return false;
	return true;
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

/* The first switch, from where the group's number points upward in the order,
 * that reaches all members. */
static void
find_root(struct mtree *m, uint16_t group, const moore_swid *members, size_t n)
{
	const struct moore_rgraph *g = m->v->g;
	struct moore_rng rng = { group };
	uint32_t *at = m->queue + g->n;		/* node at each place of the order */

	for (uint32_t s = 0; s < g->n; s++)
		at[m->v->turns->pos[s]] = s;
	for (uint32_t p = moore_rng_below(&rng, g->n) + 1; p-- > 0;) {
		if (g->seen[at[p]] == MOORE_NONE)
			continue;
		descend(m, at[p]);
		if (covers(m, members, n))
			return;
	}
	descend(m, climb(m->v, g->node_of[members[0]]));
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
	m.queue = moore_arena_alloc(&tmp, 2 * (size_t)g->n, sizeof(*m.queue));
	m.depth = moore_arena_alloc(&tmp, g->n, 1);
	if (!m.parent || !m.queue || !m.depth) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	find_root(&m, group, members, n);
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

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* spanning.c - the spanning tree whose turns are all allowed.
 *
 * Each parent is greater in the order than its child.  Under colours the tree has few edges
 * at any switch, and middle switches of P2 are leaves of it where they can be: its edges
 * take part in fewer turns than their colours would.
 *
 * Where links are lost and ranks follow colours, the tree keeps every edge that is up.  Its
 * parts are joined by links whose colours stand next to the middle, since such a link keeps
 * its turns, and the order is made again from the new tree. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/union_find.h"
#include "route/tuning.h"
#include "route/turns/turns.h"

void
moore_rspanning_build(const struct moore_rview *v, const uint32_t *pos, const uint32_t *old,
		      bool even, uint32_t *parent, uint32_t *scratch)
{
	const struct moore_rgraph *g = v->g;
	uint32_t *n_kids = scratch;

	memset(n_kids, 0, g->n * sizeof(*n_kids));
	for (uint32_t s = 0; s < g->n; s++) {
		uint64_t least = UINT64_MAX;

		parent[s] = MOORE_NONE;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			uint32_t r = g->to[e];
			uint64_t price = pos[r];

			if (!(g->flags[e] & v->flag) || pos[r] > pos[s] || !moore_rview_transit(v, r))
				continue;
			if (even)
				price += (uint64_t)n_kids[r] << 32;
			if (old && old[s] == e)
				price = 0;
			if (price < least) {
				least = price;
				parent[s] = e;
			}
		}
		if (parent[s] != MOORE_NONE)
			n_kids[g->to[parent[s]]]++;
	}
}

/* The edge from s to its parent: of the greater switches, one of least depth among those that
 * have few children so far; else one that has the fewest. */
static uint32_t
narrow_parent(const struct moore_rview *v, const uint32_t *pos, uint32_t s, const uint32_t *depth,
	      const uint32_t *n_kids)
{
	const struct moore_rgraph *g = v->g;
	uint64_t least = UINT64_MAX;
	uint32_t best = MOORE_NONE;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		uint32_t r = g->to[e], kids = n_kids[r] < MOORE_SPANNING_KIDS ? 0 : n_kids[r];
		uint64_t price = (uint64_t)kids << 32 | depth[r];

		if (g->flags[e] & v->flag && pos[r] < pos[s] && moore_rview_transit(v, r) &&
		    price < least) {
			least = price;
			best = e;
		}
	}
	return best;
}

void
moore_rspanning_narrow(const struct moore_rview *v, const uint32_t *pos, uint32_t *parent,
		       uint32_t *scratch)
{
	uint32_t n = v->g->n, *at = scratch, *depth = scratch + n, *n_kids = scratch + 2 * n;

	for (uint32_t s = 0; s < n; s++) {
		at[pos[s]] = s;
		n_kids[s] = 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = at[i], e = narrow_parent(v, pos, s, depth, n_kids);

		parent[s] = e;
		depth[s] = e == MOORE_NONE ? 0 : depth[v->g->to[e]] + 1;
		if (e != MOORE_NONE)
			n_kids[v->g->to[e]]++;
	}
}

void
moore_rspanning_depth(const struct moore_rgraph *g, const uint32_t *pos, const uint32_t *parent,
		      uint32_t *depth, uint32_t *scratch)
{
	uint32_t *at = scratch;	/* by place in the order: its node */

	for (uint32_t s = 0; s < g->n; s++)
		at[pos[s]] = s;
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t s = at[i], e = parent[s];

		depth[s] = e == MOORE_NONE ? 0 : depth[g->to[e]] + 1;
	}
}

/* ---- after a loss, under colours --------------------------------------------------- */

#define COLOUR_UNITS 16

struct mend {
	const struct moore_rview *v;
	const uint32_t *colour;
	uint32_t unit;		/* colours are at most COLOUR_UNITS of these from the middle */
	uint32_t *part;		/* by node: union and find */
	uint32_t *depth;	/* by node: in the old tree */
	uint8_t *in;		/* by edge: in the new tree, in either direction */
	uint64_t *link;		/* candidates: price in the high half, edge in the low */
};

static void
join(struct mend *m, uint32_t s, uint32_t e)
{
	m->in[e] = m->in[m->v->g->rev[e]] = 1;
	moore_union_join(m->part, s, m->v->g->to[e]);
}

/* How far the colour of edge e is from the middle: as an edge of the tree, e loses its turns
 * with the edges whose colours stand between. */
static uint32_t
colours_to_middle(const struct mend *m, uint32_t e)
{
	uint32_t c = m->colour[e];

	return (c < MOORE_RANK_MIDDLE ? MOORE_RANK_MIDDLE - 1 - c : c - MOORE_RANK_MIDDLE) / m->unit;
}

static void
set_unit(struct mend *m)
{
	uint32_t most = 0;

	m->unit = 1;
	for (uint32_t e = 0; e < m->v->g->n_edges; e++)
		most = colours_to_middle(m, e) > most ? colours_to_middle(m, e) : most;
	m->unit = most / COLOUR_UNITS + 1;
}

static uint64_t
price(const struct mend *m, uint32_t e)
{
	const struct moore_rgraph *g = m->v->g;
	uint32_t back = g->rev[e];

	return colours_to_middle(m, e) + colours_to_middle(m, back) +
		MOORE_SPANNING_DEPTH * ((uint64_t)m->depth[g->to[e]] + m->depth[g->to[back]]);
}

static int
by_price(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Joins the parts by their cheapest links.  Links of switches that others cannot be routed
 * through come last: such a switch is a leaf. */
static void
join_parts(struct mend *m)
{
	const struct moore_rgraph *g = m->v->g;
	size_t n = 0;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			bool leaf = !moore_rview_transit(m->v, s);

			if (g->flags[e] & m->v->flag && moore_rview_transit(m->v, g->to[e]) &&
			    (leaf || s < g->to[e]))
				m->link[n++] = (uint64_t)leaf << 63 | price(m, e) << 32 | e;
		}
	qsort(m->link, n, sizeof(*m->link), by_price);
	for (size_t i = 0; i < n; i++) {
		uint32_t e = (uint32_t)m->link[i], s = moore_rgraph_tail(g, e);

		if (moore_union_find(m->part, s) != moore_union_find(m->part, g->to[e]))
			join(m, s, e);
	}
}

static void
keep_old_edges(struct mend *m, const uint32_t *old_parent)
{
	const struct moore_rgraph *g = m->v->g;

	moore_union_start(m->part, g->n);
	for (uint32_t s = 0; s < g->n; s++)
		if (old_parent[s] != MOORE_NONE && g->flags[old_parent[s]] & m->v->flag &&
		    moore_rview_transit(m->v, g->to[old_parent[s]]))
			join(m, s, old_parent[s]);
}

int
moore_rspanning_root(struct moore_rturns *t, const struct moore_rview *v, const struct moore_rturns *old,
		     const uint8_t *in, struct moore_err *err)
{
	const struct moore_rgraph *g = v->g;
	int rc = moore_rorder_build(v, old->pos, in, t->pos, err);

	for (uint32_t s = 0; rc == 0 && s < g->n; s++) {
		t->parent[s] = MOORE_NONE;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (in[e] && t->pos[g->to[e]] < t->pos[s])
				t->parent[s] = e;
	}
	return rc;
}

int
moore_rspanning_mend(struct moore_rturns *t, const struct moore_rview *v,
		     const struct moore_rturns *old, const uint32_t *colour,
		     struct moore_err *err)
{
	const struct moore_rgraph *g = v->g;
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct mend m = { .v = v, .colour = colour };
	int rc;

	m.link = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1, sizeof(*m.link));
	m.part = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*m.part));
	m.depth = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*m.depth));
	m.in = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1, 1);
	if (!m.part || !m.depth || !m.in || !m.link) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	moore_rspanning_depth(g, old->pos, old->parent, m.depth, m.part);
	set_unit(&m);
	keep_old_edges(&m, old->parent);
	join_parts(&m);
	rc = moore_rspanning_root(t, v, old, m.in, err);
out:
	moore_arena_free(&tmp);
	return rc;
}

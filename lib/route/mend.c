// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mend.c - repair of an in-tree whose routes need not be the shortest (a layer's):
 * few rows change.
 *
 * Whoever lost its parent brings its children along: it hangs where its route is
 * allowed, and theirs over it, if there is such a place.  Else its children go
 * first; when one has found another parent, those that waited for a place try
 * again, for they may hang on that child.  Only when nobody finds a place does
 * one let its children go.  Whoever is stranded even so follows the spanning tree
 * (tree.c), and the rest is repaired around them. */
#include <string.h>

#include "route/route_impl.h"

#define ALL_LOST (1 << 20)	/* disturbance: above any number of rows */

struct mend {
	struct moore_rtree *t;
	const struct moore_rview *v;
	const uint32_t *cost;
	bool shortest;
	uint32_t *list, n_list;	/* who waits; parents in the old tree before children */
	uint8_t *n_kids;	/* of the old tree, that are not reached */
};

static uint32_t
old_parent(const struct mend *m, uint32_t s)
{
	const struct moore_rgraph *g = m->v->g;

	return m->t->old[s] == MOORE_SLOT_NONE ? MOORE_NONE : g->to[g->xadj[s] + m->t->old[s]];
}

static bool
is_old(const struct mend *m, uint32_t s, uint32_t e)
{
	return m->t->old[s] == e - m->v->g->xadj[s];
}

/* Is the head of edge out a child of its tail that still waits? */
static bool
waits(const struct mend *m, uint32_t out)
{
	const struct moore_rgraph *g = m->v->g;
	uint32_t c = g->to[out];

	return m->t->len[c] == MOORE_LEN_NONE && is_old(m, c, g->rev[out]);
}

/* May s hang on edge e?  How it fares there is another question. */
static bool
takes(const struct mend *m, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = m->v->g;
	const struct moore_rtree *t = m->t;
	uint32_t r = g->to[e];

	return g->flags[e] & m->v->flag && t->pass[r] && t->len[r] < MOORE_LEN_MAX &&
		moore_rview_leaf(m->v, t->slot, t->root, s, e);
}

static bool
may_pass(const struct mend *m, uint32_t s, uint32_t e)
{
	return moore_rview_transit(m->v, s) &&
		moore_rview_legal(m->v, m->t->slot, m->t->root, e);
}

static void
hang(struct mend *m, uint32_t s, uint32_t e)
{
	struct moore_rtree *t = m->t;
	uint32_t r = m->v->g->to[e];

	t->slot[s] = (uint8_t)(e - m->v->g->xadj[s]);
	t->len[s] = (uint8_t)(t->len[r] + 1);
	t->pass[s] = may_pass(m, s, e);
	t->kids[r] = 1;
}

static void
reach(struct mend *m, uint32_t s, uint32_t e)
{
	hang(m, s, e);
	m->t->queue[m->t->n_reached++] = s;
	if (m->t->old[s] != MOORE_SLOT_NONE)
		m->n_kids[old_parent(m, s)]--;
}

/* Put s back where it was, if all is well there. */
static bool
put_back(struct mend *m, uint32_t s)
{
	uint32_t e = m->v->g->xadj[s] + m->t->old[s];

	if (m->t->old[s] == MOORE_SLOT_NONE || !takes(m, s, e) ||
	    (m->n_kids[s] && !may_pass(m, s, e)))
		return false;
	reach(m, s, e);
	return true;
}

static void
put_back_children(struct mend *m, uint32_t s)
{
	const struct moore_rgraph *g = m->v->g;

	for (uint32_t o = g->xadj[s]; m->n_kids[s] && o < g->xadj[s + 1]; o++)
		if (waits(m, o) && put_back(m, g->to[o]))
			put_back_children(m, g->to[o]);
}

/* Rows that change when s hangs on edge e: its own, and those of children that
 * lose their route, of it or of a child. */
static uint64_t
disturbance(const struct mend *m, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = m->v->g;
	const uint32_t *rank = m->v->turns->rank;
	uint64_t n = !is_old(m, s, e);

	if (!m->n_kids[s])
		return n;
	if (!may_pass(m, s, e))
		return ALL_LOST;
	for (uint32_t o = g->xadj[s]; o < g->xadj[s + 1]; o++)
		if (waits(m, o) && rank[g->rev[o]] >= rank[e])
			n += m->n_kids[g->to[o]];
	return n;
}

/* A place for s: an edge, and one for the leaf that it leads to, should that have
 * to move first. */
struct place {
	uint32_t e, lift;
	uint64_t price;
};

/* What changes least, then the nearest, then where load is least; the nearest
 * first where routes are to be short. */
static void
look_at(const struct mend *m, struct place *best, uint32_t s, uint32_t e, uint32_t lift)
{
	const struct moore_rgraph *g = m->v->g;
	uint32_t r = g->to[e], x = lift == MOORE_NONE ? r : g->to[lift];
	uint64_t rows = disturbance(m, s, e) + (lift != MOORE_NONE), len = m->t->len[x];
	uint64_t p = moore_rgraph_cost(g, e, m->cost[e]);

	if (m->shortest && rows < ALL_LOST)
		p |= len << 32 | rows << 20;
	else
		p |= rows << 32 | len << 20;

	if (p < best->price)
		*best = (struct place){ e, lift, p };
}

/* The leaf r at the far end of edge e could pass packets on elsewhere. */
static void
look_at_lifts(const struct mend *m, struct place *best, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = m->v->g;
	struct moore_rtree *t = m->t;
	uint32_t r = g->to[e];
	uint8_t slot = t->slot[r];

	if (t->len[r] == MOORE_LEN_NONE || r == t->root || t->kids[r] || m->n_kids[r])
		return;
	for (uint32_t lift = g->xadj[r]; lift < g->xadj[r + 1]; lift++) {
		if (!takes(m, r, lift) || !may_pass(m, r, lift) ||
		    t->len[g->to[lift]] + 1 >= MOORE_LEN_MAX)
			continue;
		t->slot[r] = (uint8_t)(lift - g->xadj[r]);
		if (moore_rview_leaf(m->v, t->slot, t->root, s, e))
			look_at(m, best, s, e, lift);
		t->slot[r] = slot;
	}
}

/* Hang s; where its children lose their route only if it must. */
static bool
settle(struct mend *m, uint32_t s, bool must)
{
	const struct moore_rgraph *g = m->v->g;
	struct place best = { MOORE_NONE, MOORE_NONE, (uint64_t)ALL_LOST << (must ? 33 : 32) };

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (takes(m, s, e))
			look_at(m, &best, s, e, MOORE_NONE);
	for (uint32_t e = g->xadj[s]; (m->shortest || best.price >> 32 > 2) && e < g->xadj[s + 1]; e++)
		if (g->flags[e] & m->v->flag)
			look_at_lifts(m, &best, s, e);
	if (best.e == MOORE_NONE)
		return false;
	if (best.lift != MOORE_NONE)
		hang(m, g->to[best.e], best.lift);
	reach(m, s, best.e);
	put_back_children(m, s);
	return true;
}

/* Settle s, then those that could only wait for it. */
static bool
settle_up(struct mend *m, uint32_t s, bool must)
{
	if (!settle(m, s, must))
		return false;
	do
		s = old_parent(m, s);
	while (s != MOORE_NONE && m->t->len[s] == MOORE_LEN_NONE && settle(m, s, false));
	return true;
}

static void
settle_all(struct mend *m, uint32_t n_connected)
{
	const struct moore_rtree *t = m->t;
	bool must = false, any;

	do {
		any = false;
		for (uint32_t i = 0; i < m->n_list && !(must && any); i++)
			if (t->len[m->list[i]] == MOORE_LEN_NONE)
				any |= settle_up(m, m->list[i], must);
		if (!any && must)
			return;
		must = !any;
	} while (t->n_reached < n_connected);
}

/* From what is reached put back and settle the rest. */
static void
fill(struct mend *m, uint32_t n_connected)
{
	const struct moore_rgraph *g = m->v->g;
	struct moore_rtree *t = m->t;

	memset(m->n_kids, 0, g->n);
	for (uint32_t s = 0; s < g->n; s++)
		if (t->old[s] != MOORE_SLOT_NONE && t->len[s] == MOORE_LEN_NONE)
			m->n_kids[old_parent(m, s)]++;
	for (uint32_t i = 0; i < m->n_list; i++)
		if (t->len[m->list[i]] == MOORE_LEN_NONE)
			put_back(m, m->list[i]);
	if (t->n_reached < n_connected)
		settle_all(m, n_connected);
}

bool
moore_rtree_mend(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		 const uint32_t *cost, uint32_t n_connected, uint32_t *moved)
{
	struct mend m = { .t = t, .v = v, .cost = cost, .list = t->level, .n_kids = t->n_offers };
	uint32_t n = v->g->n;

	t->root = root;
	moore_rtree_note_old(t, v);
	memcpy(t->level, t->queue, t->n_reached * sizeof(*t->level));
	m.n_list = t->n_reached;
	for (uint32_t s = 0; s < n; s++)
		if (t->slot[s] == MOORE_SLOT_NONE && s != root)
			t->level[m.n_list++] = s;
	moore_rtree_start(t, n, root);
	fill(&m, n_connected);
	for (unsigned i = 0; t->n_reached < n_connected; i++) {
		if (!moore_rtree_follow(t, v, root, n_connected, i))
			break;
		fill(&m, n_connected);
	}
	*moved += moore_rtree_moved(t, n);
	return t->n_reached >= n_connected;
}

void
moore_rtree_settle(struct moore_rtree *t, const struct moore_rview *v, const uint32_t *cost,
		   uint32_t n_connected)
{
	struct mend m = { .t = t, .v = v, .cost = cost, .shortest = true, .list = t->level,
		.n_kids = t->n_offers };

	for (uint32_t s = 0; s < v->g->n; s++)
		if (t->len[s] == MOORE_LEN_NONE)
			t->level[m.n_list++] = s;
	fill(&m, n_connected);
}

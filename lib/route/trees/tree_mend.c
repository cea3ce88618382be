// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tree_mend.c - repair of an in-tree whose routes need not be the shortest (that of a
 * non-minimal layer), so that few rows of the tables change.
 *
 * A node that lost its parent brings its children along if there is a parent over which
 * its own route and theirs are legal.  Otherwise it waits for its children: once one of
 * them has found another parent, the nodes that wait try again, since they may attach to
 * that child.  Only when no node finds a parent in this way does one give up its children.
 * Nodes that are unreached even so follow the spanning tree (tree_follow.c), and the rest
 * is repaired around them.
 *
 * First all of this is tried with the turns that the intended fabric allows as well.  A tree can
 * be mended in several orders, drawn by number: fill_repair.c takes one of few steps back. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "route/trees/tree.h"

#define ALL_LOST (1 << 20)	/* rows that change: more than a tree has, so "too many" */

struct mend {
	struct moore_rtree *t;
	const struct moore_rview *v;
	const uint32_t *load;	/* by edge */
	bool shortest;		/* short routes before few changes */
	uint32_t *list, n_list;	/* nodes to attach; in the old tree parents before children */
	uint32_t *order;	/* the same nodes in the order in which they look for a place */
	uint8_t *n_waiting;	/* by node: children in the old tree that are not reached yet, but not
				 * those before an entry turn, which the node need not be legal for */
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

/* Whether s has an old parent edge, and no entry turn follows it in the old tree. */
static bool
has_old_turn(const struct mend *m, uint32_t s)
{
	return m->t->old[s] != MOORE_SLOT_NONE &&
		!moore_rview_enters(m->v, m->t->old, m->v->g->xadj[s] + m->t->old[s]);
}

/* Whether the head of edge `out` is one of n_waiting[] of its tail. */
static bool
is_waiting(const struct mend *m, uint32_t out)
{
	const struct moore_rgraph *g = m->v->g;
	uint32_t c = g->to[out], e = g->rev[out];

	return m->t->len[c] == MOORE_LEN_NONE && is_old(m, c, e) && has_old_turn(m, c);
}

/* Whether edge e may be the parent edge of its tail, at least while that has no children. */
static bool
is_possible(const struct mend *m, uint32_t e)
{
	const struct moore_rgraph *g = m->v->g;
	const struct moore_rtree *t = m->t;
	uint32_t r = g->to[e];

	return g->flags[e] & m->v->flag && moore_rtree_bears(t, m->v, e) && t->len[r] < MOORE_LEN_MAX &&
		moore_rview_leaf(m->v, t->slot, t->root, e);
}

/* Whether s may have children with e as its parent edge. */
static bool
may_pass(const struct mend *m, uint32_t s, uint32_t e)
{
	return moore_rview_transit(m->v, s) &&
		moore_rview_legal(m->v, m->t->slot, m->t->root, e);
}

static void
reach(struct mend *m, uint32_t s, uint32_t e)
{
	moore_rtree_hang(m->t, m->v, s, e);
	m->t->queue[m->t->n_reached++] = s;
	if (has_old_turn(m, s))
		m->n_waiting[old_parent(m, s)]--;
}

/* Gives s its old parent edge if its route, and those of children that wait, are legal. */
static bool
put_back(struct mend *m, uint32_t s)
{
	uint32_t e = m->v->g->xadj[s] + m->t->old[s];

	if (m->t->old[s] == MOORE_SLOT_NONE || !is_possible(m, e) ||
	    (m->n_waiting[s] && !may_pass(m, s, e)))
		return false;
	reach(m, s, e);
	return true;
}

static void
put_back_children(struct mend *m, uint32_t s)
{
	const struct moore_rgraph *g = m->v->g;

	for (uint32_t o = g->xadj[s]; m->n_waiting[s] && o < g->xadj[s + 1]; o++)
		if (is_waiting(m, o) && put_back(m, g->to[o]))
			put_back_children(m, g->to[o]);
}

/* How many rows change, about, when s attaches over edge e: its own, and those of waiting
 * grandchildren whose parents would not be legal below e. */
static uint64_t
rows_changed(const struct mend *m, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = m->v->g;
	uint64_t n = !is_old(m, s, e);

	if (!m->n_waiting[s])
		return n;
	if (!may_pass(m, s, e))
		return ALL_LOST;
	for (uint32_t o = g->xadj[s]; o < g->xadj[s + 1]; o++)
		if (is_waiting(m, o) && !moore_rturns_allow(m->v->turns, g->rev[o], e))
			n += m->n_waiting[g->to[o]];
	return n;
}

/* How a node could attach: over edge e; its head, a leaf, first takes edge `lift` for its
 * parent edge (MOORE_NONE: stays), so that it may have children. */
struct place {
	uint32_t e, lift;
	uint64_t price;
};

/* The price puts changed rows first, then length, then load; length first in a shortest
 * repair, unless all rows are lost.  A switch that is not planned may lift its neighbour in every tree, so
 * that keeps the length of its route if it can: else it would have no detours. */
static void
consider(const struct mend *m, struct place *best, uint32_t s, uint32_t e, uint32_t lift)
{
	const struct moore_rgraph *g = m->v->g;
	uint32_t r = g->to[e], x = lift == MOORE_NONE ? r : g->to[lift];
	uint64_t rows = rows_changed(m, s, e) + (lift != MOORE_NONE), len = m->t->len[x];
	uint64_t p = moore_rgraph_weighted(g, e, m->load[e]);

	if (lift != MOORE_NONE && !m->shortest && s >= moore_rgraph_n_intended(g)) {
		len = (uint64_t)abs(m->t->len[x] + 1 - m->t->len[r]);
		p = moore_rgraph_weighted(g, lift, m->load[lift]);
	}
	if (m->shortest && rows < ALL_LOST)
		p |= len << 32 | rows << 20;
	else
		p |= rows << 32 | len << 20;
	if (p < best->price)
		*best = (struct place){ e, lift, p };
}

/* Considers the edges e whose head is a leaf that could have children elsewhere. */
static void
consider_lifts(const struct mend *m, struct place *best, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = m->v->g;
	struct moore_rtree *t = m->t;
	uint32_t r = g->to[e];
	uint8_t slot = t->slot[r];

	if (t->len[r] == MOORE_LEN_NONE || r == t->root || t->kids[r] || m->n_waiting[r])
		return;
	for (uint32_t lift = g->xadj[r]; lift < g->xadj[r + 1]; lift++) {
		if (!is_possible(m, lift) || !may_pass(m, r, lift) ||
		    t->len[g->to[lift]] + 1 >= MOORE_LEN_MAX)
			continue;
		t->slot[r] = (uint8_t)(lift - g->xadj[r]);
		if (moore_rview_leaf(m->v, t->slot, t->root, e))
			consider(m, best, s, e, lift);
		t->slot[r] = slot;
	}
}

/* Attaches s at its best place; only when may_lose is set may that cost its children their
 * routes.  To lift a leaf changes the row of a switch that lost nothing, and those that
 * attach to it must wait for it while tables are replaced (docs/theory.md, "Tables in
 * motion"): unless short routes come first, that is the last resort. */
static bool
settle(struct mend *m, uint32_t s, bool may_lose)
{
	const struct moore_rgraph *g = m->v->g;
	struct place best = { MOORE_NONE, MOORE_NONE, (uint64_t)ALL_LOST << (may_lose ? 33 : 32) };

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (is_possible(m, e))
			consider(m, &best, s, e, MOORE_NONE);
	if (m->shortest || (may_lose && best.e == MOORE_NONE))
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (g->flags[e] & m->v->flag)
				consider_lifts(m, &best, s, e);
	if (best.e == MOORE_NONE)
		return false;
	if (best.lift != MOORE_NONE)
		moore_rtree_hang(m->t, m->v, g->to[best.e], best.lift);
	reach(m, s, best.e);
	put_back_children(m, s);
	return true;
}

/* Settles s, then its old parent and so on upward: they may have waited for it. */
static bool
settle_upward(struct mend *m, uint32_t s, bool may_lose)
{
	if (!settle(m, s, may_lose))
		return false;
	do
		s = old_parent(m, s);
	while (s != MOORE_NONE && m->t->len[s] == MOORE_LEN_NONE && settle(m, s, false));
	return true;
}

/* Until all are reached or none can be: first without loss, then one with loss at a time. */
static void
settle_all(struct mend *m, uint32_t n_connected)
{
	const struct moore_rtree *t = m->t;
	bool may_lose = false, any;

	do {
		any = false;
		for (uint32_t i = 0; i < m->n_list && !(may_lose && any); i++)
			if (t->len[m->order[i]] == MOORE_LEN_NONE)
				any |= settle_upward(m, m->order[i], may_lose);
		if (!any && may_lose)
			return;
		may_lose = !any;
	} while (t->n_reached < n_connected);
}

/* Puts the listed nodes back where they can be, and settles the rest. */
static void
attach_all(struct mend *m, uint32_t n_connected)
{
	const struct moore_rgraph *g = m->v->g;
	struct moore_rtree *t = m->t;

	memset(m->n_waiting, 0, g->n);
	for (uint32_t s = 0; s < g->n; s++)
		if (has_old_turn(m, s) && t->len[s] == MOORE_LEN_NONE)
			m->n_waiting[old_parent(m, s)]++;
	for (uint32_t i = 0; i < m->n_list; i++)
		if (t->len[m->list[i]] == MOORE_LEN_NONE)
			put_back(m, m->list[i]);
	if (t->n_reached < n_connected)
		settle_all(m, n_connected);
}

/* Lists the nodes to attach, and an order of them that is drawn for the number `draw`. */
static void
list_nodes(struct mend *m, unsigned draw)
{
	struct moore_rtree *t = m->t;
	struct moore_rng rng = { draw };

	memcpy(m->list, t->queue, t->n_reached * sizeof(*m->list));
	m->n_list = t->n_reached;
	for (uint32_t s = 0; s < m->v->g->n; s++)
		if (t->slot[s] == MOORE_SLOT_NONE && s != t->root)
			m->list[m->n_list++] = s;
	memcpy(m->order, m->list, m->n_list * sizeof(*m->order));
	if (draw)
		moore_rng_shuffle(&rng, m->order, m->n_list);
}

bool
moore_rtree_mend(struct moore_rtree *t, const struct moore_rview *v,
		 const struct moore_rview *common, uint32_t root, const uint32_t *load,
		 uint32_t n_connected, unsigned draw, uint32_t *moved)
{
	struct mend m = { .t = t, .v = common ? common : v, .load = load, .list = t->list,
		.order = t->order, .n_waiting = t->n_offers };
	uint32_t n = v->g->n;

	t->root = root;
	moore_rtree_note_old(t, v);
	list_nodes(&m, draw);
	moore_rtree_start(t, n, root);
	attach_all(&m, n_connected);
	if (common && t->n_reached < n_connected) {
		m.v = v;
		moore_rtree_start(t, n, root);
		attach_all(&m, n_connected);
	}
	for (unsigned i = 0; t->n_reached < n_connected; i++) {
		if (!moore_rtree_follow(t, v, root, n_connected, i))
			break;
		attach_all(&m, n_connected);
	}
	*moved += moore_rtree_moved(t, n);
	return t->n_reached >= n_connected;
}

void
moore_rtree_settle(struct moore_rtree *t, const struct moore_rview *v, const uint32_t *load,
		   uint32_t n_connected)
{
	struct mend m = { .t = t, .v = v, .load = load, .shortest = true, .list = t->list,
		.order = t->list, .n_waiting = t->n_offers };

	for (uint32_t s = 0; s < v->g->n; s++)
		if (t->len[s] == MOORE_LEN_NONE)
			t->list[m.n_list++] = s;
	attach_all(&m, n_connected);
}

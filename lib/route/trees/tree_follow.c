// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tree_follow.c - the last resort for nodes that a tree does not reach: along the spanning
 * tree, all of whose turns are allowed; under profile one-vl along short routes.
 *
 * Only the nodes that need it follow; the caller grows the rest around them.  If that leaves
 * others out again and again, all nodes follow.
 *
 * Short routes.  Let last(s, h) be the edge of greatest rank with which a legal route of at
 * most h hops from s to the root begins.  A node takes last(s, h) for the least h that there
 * is, and the next node on that route takes last(r, h - 1).  If several routes pass r, the
 * greatest of their h counts: the rank of its edge is then no less than any of them needs,
 * so all of them stay legal. */
#include <string.h>

#include "route/trees/tree.h"
#include "route/tuning.h"

static void
follow_all(struct moore_rtree *t, const struct moore_rview *v, uint32_t root)
{
	const struct moore_rgraph *g = v->g;
	const uint32_t *parent = v->turns->parent;

	moore_rtree_start(t, g->n, root);
	for (uint32_t i = 0; i < t->n_reached; i++) {
		uint32_t r = t->queue[i];

		if (!t->pass[r] || t->len[r] >= MOORE_LEN_MAX)
			continue;
		for (uint32_t o = g->xadj[r]; o < g->xadj[r + 1]; o++) {
			uint32_t s = g->to[o], e = g->rev[o];

			if (t->len[s] != MOORE_LEN_NONE || (parent[r] != o && parent[s] != e))
				continue;
			moore_rtree_hang(t, v, s, e);
			t->queue[t->n_reached++] = s;
		}
	}
}

/* need[] of a node that is on the way of one that needs it. */
static void
need_parents(struct moore_rtree *t, const struct moore_rgraph *g)
{
	for (uint32_t i = t->n_reached; i-- > 1;) {
		uint32_t s = t->queue[i];

		if (t->need[s])
			t->need[g->to[g->xadj[s] + t->slot[s]]] = 1;
	}
}

/* Removes the nodes without need[] from the tree. */
static void
keep_needed(struct moore_rtree *t, const struct moore_rgraph *g)
{
	uint32_t n = t->n_reached, n_kept = 0;

	need_parents(t, g);
	memset(t->kids, 0, g->n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = t->queue[i];

		if (s == t->root || t->need[s]) {
			t->queue[n_kept++] = s;
			if (s != t->root)
				t->kids[g->to[g->xadj[s] + t->slot[s]]] = 1;
			continue;
		}
		t->slot[s] = MOORE_SLOT_NONE;
		t->len[s] = MOORE_LEN_NONE;
		t->pass[s] = 0;
	}
	t->n_reached = n_kept;
}

/* ---- short routes ------------------------------------------------------------------------ */

/* Returns the row of last() for h hops. */
static uint8_t *
last_of(const struct moore_rtree *t, const struct moore_rgraph *g, unsigned h)
{
	return t->last + (size_t)h * g->n;
}

/* Sets last(s, h), which holds last(s, h - 1), if a route over last(r, h - 1) of a neighbour r
 * begins with a greater rank; returns whether one does. */
static bool
depart_later(struct moore_rtree *t, const struct moore_rview *v, uint32_t s, unsigned h)
{
	const struct moore_rgraph *g = v->g;
	const uint32_t *rank = v->turns->rank;
	const uint8_t *before = last_of(t, g, h - 1);
	uint8_t *slot = &last_of(t, g, h)[s];
	bool later = false;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		uint32_t r = g->to[e];

		if (!(g->flags[e] & v->flag) || (*slot != MOORE_SLOT_NONE &&
						 rank[e] <= rank[g->xadj[s] + *slot]))
			continue;
		if (r == t->root || (before[r] != MOORE_SLOT_NONE && moore_rview_transit(v, r) &&
				     rank[e] < rank[g->xadj[r] + before[r]])) {
			*slot = (uint8_t)(e - g->xadj[s]);
			later = true;
		}
	}
	return later;
}

/* Fills last() up to the h at which every node that needs a route has one or none gets one
 * any more; returns it. */
static unsigned
fill_last(struct moore_rtree *t, const struct moore_rview *v, uint32_t root)
{
	const struct moore_rgraph *g = v->g;

	t->root = root;
	memset(t->last, MOORE_SLOT_NONE, g->n);
	for (unsigned h = 1;; h++) {
		bool lacks = false, later = false;

		memcpy(last_of(t, g, h), last_of(t, g, h - 1), g->n);
		for (uint32_t s = 0; s < g->n; s++) {
			later |= s != root && depart_later(t, v, s, h);
			lacks |= s != root && t->need[s] && last_of(t, g, h)[s] == MOORE_SLOT_NONE;
		}
		if (!lacks || !later || h == MOORE_LEN_MAX)
			return h;
	}
}

/* hops[s]: the h of last(s, h) that each node takes, 0 if it takes none. */
static void
choose_hops(struct moore_rtree *t, const struct moore_rgraph *g, unsigned most, uint8_t *hops)
{
	for (uint32_t s = 0; s < g->n; s++) {
		bool lacks = s != t->root && t->need[s] &&
			last_of(t, g, most)[s] != MOORE_SLOT_NONE;

		for (hops[s] = 0; lacks && last_of(t, g, hops[s])[s] == MOORE_SLOT_NONE;)
			hops[s]++;
	}
	for (unsigned h = most; h > 1; h--)
		for (uint32_t s = 0; s < g->n; s++) {
			uint32_t r;

			if (hops[s] != h)
				continue;
			r = g->to[g->xadj[s] + last_of(t, g, h)[s]];
			if (r != t->root && hops[r] < h - 1)
				hops[r] = (uint8_t)(h - 1);
		}
}

/* Starts the tree anew with the nodes that take some last(s, h). */
static void
follow_short(struct moore_rtree *t, const struct moore_rview *v, uint32_t root)
{
	const struct moore_rgraph *g = v->g;
	uint8_t *hops = last_of(t, g, MOORE_LEN_MAX + 1);
	unsigned most = fill_last(t, v, root);

	choose_hops(t, g, most, hops);
	moore_rtree_start(t, g->n, root);
	for (uint32_t i = 0; i < t->n_reached; i++)
		for (uint32_t r = t->queue[i], o = g->xadj[r]; o < g->xadj[r + 1]; o++) {
			uint32_t s = g->to[o], e = g->rev[o];

			if (t->len[s] != MOORE_LEN_NONE || !hops[s] ||
			    e != g->xadj[s] + last_of(t, g, hops[s])[s])
				continue;
			moore_rtree_hang(t, v, s, e);
			t->queue[t->n_reached++] = s;
		}
}

bool
moore_rtree_follow(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		   uint32_t n_connected, unsigned attempt)
{
	const struct moore_rgraph *g = v->g;

	if (attempt == 0)
		memset(t->need, 0, g->n);
	for (uint32_t s = 0; s < g->n; s++)
		t->need[s] |= t->len[s] == MOORE_LEN_NONE;
	if (g->one_vl) {
		if (attempt == MOORE_FOLLOW_TRIES)
			memset(t->need, 1, g->n);
		follow_short(t, v, root);
		return attempt < MOORE_FOLLOW_TRIES;
	}
	follow_all(t, v, root);
	if (attempt == MOORE_FOLLOW_TRIES || t->n_reached < n_connected)
		return false;
	keep_needed(t, g);
	return true;
}

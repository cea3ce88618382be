// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tree_follow.c - the last resort for nodes that a tree does not reach: along the spanning
 * tree, all of whose turns are allowed.
 *
 * Only the nodes that need it follow; the caller grows the rest around them.  If that leaves
 * others out again and again, all nodes follow. */
#include <string.h>

#include "route/tree.h"
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

bool
moore_rtree_follow(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		   uint32_t n_connected, unsigned attempt)
{
	const struct moore_rgraph *g = v->g;

	if (attempt == 0)
		memset(t->need, 0, g->n);
	for (uint32_t s = 0; s < g->n; s++)
		t->need[s] |= t->len[s] == MOORE_LEN_NONE;
	follow_all(t, v, root);
	if (attempt == MOORE_FOLLOW_TRIES || t->n_reached < n_connected)
		return false;
	keep_needed(t, g);
	return true;
}

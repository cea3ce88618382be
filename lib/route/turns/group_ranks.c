// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* group_ranks.c - ranks for a graph of groups (groups.h), and the spanning tree that goes with them.
 *
 * Each switch has a number N.  A link into switch s from another group has rank 2N(s), a link from s
 * to another switch of its group 2N(s) + 1.  So for any numbers a route may go on inside the group
 * that it has entered: every shortest route of a link inside a group, one between groups and another
 * inside is legal, since its first turn counts nowhere (docs/theory.md, section 2).  A route that
 * enters a group at a, leaves it from x and enters the next one at y is legal where N(a) < N(y):
 * about half of all detours, and for each destination other ones.
 *
 * The spanning tree: from a root to all switches of its group, from there to one switch of every
 * other group, its gate, and from that to the rest of the group; likewise from groups to others that
 * the first has no link to.  Numbers of gates are greatest, those of farther groups above those of
 * nearer ones; next comes the root, then the switches nearest to it.  So ranks rise along every
 * way to the root and from it, and those to it are the lesser ones, but for links inside a group
 * that lead away from a switch which is no gate, and for those into a gate from gates.  These
 * spanning_close.c raises and lowers, which forbids no turn into a group.
 *
 * Other numbers are drawn, so that detours do not all meet in the same groups. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "route/turns/groups.h"

#define STEP 64			/* between numbers, for links that are raised or lowered */

struct ranker {
	const struct moore_rview *v;
	const struct moore_rgroups *s;
	struct moore_rturns *t;
	uint32_t *queue, n_reached;
	uint8_t *gate;		/* by node: its parent is in another group, or it has none */
	uint8_t *seen;		/* by group: the tree has reached it */
	uint32_t *depth;	/* by node */
	uint32_t *base;		/* by node: 2N */
};

static bool
is_inside(const struct ranker *w, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;

	return w->s->of[g->to[e]] == w->s->of[moore_rgraph_tail(g, e)];
}

/* ---- the tree ------------------------------------------------------------------------- */

static void
reach(struct ranker *w, uint32_t s, uint32_t parent)
{
	w->t->parent[s] = parent;
	w->depth[s] = parent == MOORE_NONE ? 0 : w->depth[w->v->g->to[parent]] + 1;
	w->t->pos[s] = w->n_reached;
	w->queue[w->n_reached++] = s;
	w->seen[w->s->of[s]] = 1;
}

/* Reaches the switches of the group of `from`, which is reached. */
static void
fill_group(struct ranker *w, uint32_t from)
{
	const struct moore_rgraph *g = w->v->g;

	for (uint32_t i = w->t->pos[from]; i < w->n_reached; i++) {
		uint32_t s = w->queue[i];

		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e) && is_inside(w, e) &&
			    w->t->pos[g->to[e]] == MOORE_NONE)
				reach(w, g->to[e], g->rev[e]);
	}
}

/* Reaches the groups beside s that are not reached yet. */
static void
open_groups(struct ranker *w, uint32_t s)
{
	const struct moore_rgraph *g = w->v->g;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (moore_rgraph_is_planned(g, e) && !w->seen[w->s->of[g->to[e]]]) {
			w->gate[g->to[e]] = 1;
			reach(w, g->to[e], g->rev[e]);
			fill_group(w, g->to[e]);
		}
}

/* Gates open no groups that others can. */
static void
grow_tree(struct ranker *w, uint32_t root)
{
	const uint32_t first = w->n_reached;

	w->gate[root] = 1;
	reach(w, root, MOORE_NONE);
	fill_group(w, root);
	for (int gates = 0; gates < 2; gates++)
		for (uint32_t i = first; i < w->n_reached; i++)
			if (gates || !w->gate[w->queue[i]] || w->queue[i] == root)
				open_groups(w, w->queue[i]);
}

/* ---- numbers -------------------------------------------------------------------------- */

struct entry {
	uint64_t key;		/* class, depth, and a drawn number */
	uint32_t node;
};

static int
by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Gates stand last, the deepest at the end; the others first, the deepest in front. */
static void
number(struct ranker *w, struct entry *entry)
{
	uint32_t n_below = 0;

	for (uint32_t i = 0; i < w->n_reached; i++) {
		uint32_t s = w->queue[i], depth = w->depth[s];
		struct moore_rng rng = { s };

		n_below += !w->gate[s];
		entry[i].node = s;
		entry[i].key = (w->gate[s] ? (uint64_t)1 << 63 | (uint64_t)depth << 32 :
				(uint64_t)(UINT16_MAX - depth) << 32) | (uint32_t)moore_rng_next(&rng);
	}
	qsort(entry, w->n_reached, sizeof(*entry), by_key);
	for (uint32_t i = 0; i < w->n_reached; i++)
		w->base[entry[i].node] = MOORE_RANK_MIDDLE + STEP * i - STEP * n_below;
}

static void
colour_edges(const struct ranker *w, uint32_t *colour)
{
	const struct moore_rgraph *g = w->v->g;

	for (uint32_t i = 0; i < w->n_reached; i++) {
		uint32_t s = w->queue[i];

		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e))
				colour[e] = is_inside(w, e) ? w->base[s] + STEP / 2 : w->base[g->to[e]];
	}
}

/* The first switch with endpoints that others may be routed through. */
static uint32_t
first_root(const struct moore_rview *v)
{
	for (uint32_t s = 0; s < v->g->n; s++)
		if (v->g->is_source[s] && moore_rview_transit(v, s))
			return s;
	return 0;
}

int
moore_rgroups_rank(const struct moore_rview *v, const struct moore_rgroups *s, uint32_t *colour,
		   struct moore_rturns *t, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	size_t n = (size_t)v->g->n + 1;
	struct ranker w = { .v = v, .s = s, .t = t };
	struct entry *entry = moore_arena_alloc(&tmp, n, sizeof(*entry));
	int rc = 0;

	w.queue = moore_arena_alloc(&tmp, n, sizeof(*w.queue));
	w.gate = moore_arena_alloc(&tmp, n, 1);
	w.seen = moore_arena_alloc(&tmp, n, 1);
	w.depth = moore_arena_alloc(&tmp, n, sizeof(*w.depth));
	w.base = moore_arena_alloc(&tmp, n, sizeof(*w.base));
	if (!entry || !w.queue || !w.gate || !w.seen || !w.depth || !w.base) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	memset(t->parent, 0xff, v->g->n * sizeof(*t->parent));
	memset(t->pos, 0xff, v->g->n * sizeof(*t->pos));
	grow_tree(&w, first_root(v));
	for (uint32_t r = 0; r < moore_rgraph_n_intended(v->g); r++)
		if (t->pos[r] == MOORE_NONE)
			grow_tree(&w, r);
	number(&w, entry);
	colour_edges(&w, colour);
	memcpy(t->rank, colour, v->g->n_edges * sizeof(*t->rank));
out:
	moore_arena_free(&tmp);
	return rc;
}

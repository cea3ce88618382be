// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* spanning_close.c - a spanning tree whose edges keep ranks close to their colours.
 *
 * Where each switch has few links, a good part of them is in the spanning tree, so ranks in the
 * middle for all of these (ranks.c) would forbid many turns that colours allow.  All turns of a
 * tree are allowed as soon as ranks rise along every way towards its root, rise along every way
 * from it, and those towards it stand below those from it.  So an edge towards the root is
 * only lowered, to below the next one of its way and the middle; one from the root is raised.
 *
 * The tree grows from its root by the link that changes ranks least (Prim).  Where links are
 * lost, spanning_rejoin.c first joins the parts of the tree, and then the tree follows them. */
#include <string.h>

#include "base/arena.h"
#include "route/tuning.h"
#include "route/turns/turns.h"

#define DONE UINT64_MAX
#define LAST_RESORT ((uint64_t)1 << 62)	/* of a price: the tree would take an entry turn */

struct growth {
	const struct moore_rview *v;
	struct moore_rturns *t;
	const uint8_t *side;	/* in entry turns, by edge: the tree should have none */
	const uint32_t *colour;
	uint32_t *kept;		/* by node: its parent edge by spanning_rejoin.c, or MOORE_NONE */
	uint32_t *base;		/* by edge: its colour, or its rank in the old tree */
	uint64_t *price;	/* by node: of its candidate parent[], or DONE */
	uint32_t *up, *down;	/* by node in the tree: ranks of its edge towards the root and of
				 * the opposite one */
	uint32_t *depth;	/* by node */
	uint32_t *n_harmed;	/* by node: edges of the tree there whose rank is not their base */
	uint64_t per_hop;	/* price of depth */
	uint32_t n_placed;
};

void
moore_rspanning_rank(const struct moore_rgraph *g, uint32_t e, const uint32_t *was,
		     const uint32_t *colour, uint32_t up_on, uint32_t down_on, uint32_t *up,
		     uint32_t *down)
{
	uint32_t back = g->rev[e];

	*up = was[e] < colour[e] ? was[e] : colour[e];
	*down = was[back] > colour[back] ? was[back] : colour[back];
	if (*up >= up_on)
		*up = up_on - 1;
	if (*down <= down_on)
		*down = down_on + 1;
}

static uint64_t
above(uint32_t x, uint32_t y)
{
	return x > y ? x - y : 0;
}

static uint64_t
price(const struct growth *w, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t p = g->to[e], s = moore_rgraph_tail(g, e);
	uint64_t harm, bar;

	if (w->kept[s] == e)
		return 0;
	bar = moore_rspanning_enters(w->side, g, w->t->parent, e) ? LAST_RESORT : 0;
	harm = above(w->base[e], w->up[p] - 1) + above(w->down[p] + 1, w->base[g->rev[e]]);
	return bar + 1 + harm * (1 + w->n_harmed[p] + w->n_harmed[s]) + w->depth[p] * w->per_hop;
}

/* Notes the ranks and depth of node s, whose parent edge is final. */
static void
settle(struct growth *w, uint32_t s)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t e = w->t->parent[s];

	w->up[s] = w->down[s] = MOORE_RANK_MIDDLE;
	if (e == MOORE_NONE)
		return;
	moore_rspanning_rank(g, e, w->base, w->colour, w->up[g->to[e]], w->down[g->to[e]],
			     &w->up[s], &w->down[s]);
	w->depth[s] = w->depth[g->to[e]] + 1;
	w->n_harmed[s] += w->up[s] != w->base[e] || w->down[s] != w->base[g->rev[e]];
	w->n_harmed[g->to[e]] += w->n_harmed[s];
}

static void
place(struct growth *w, uint32_t s)
{
	const struct moore_rgraph *g = w->v->g;

	settle(w, s);
	w->price[s] = DONE;
	w->t->pos[s] = w->n_placed++;
	for (uint32_t k = g->xadj[s]; moore_rview_transit(w->v, s) && k < g->xadj[s + 1]; k++) {
		uint32_t c = g->to[k], back = g->rev[k];

		if (!(g->flags[k] & w->v->flag) || w->price[c] == DONE || price(w, back) >= w->price[c])
			continue;
		w->price[c] = price(w, back);
		w->t->parent[c] = back;
	}
}

/* The cheapest parent of s; prices rise as edges are harmed. */
static void
choose_parent(struct growth *w, uint32_t s)
{
	const struct moore_rgraph *g = w->v->g;

	w->price[s] = DONE - 1;
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (g->flags[e] & w->v->flag && moore_rview_transit(w->v, g->to[e]) &&
		    w->price[g->to[e]] == DONE && price(w, e) < w->price[s]) {
			w->price[s] = price(w, e);
			w->t->parent[s] = e;
		}
}

/* The node outside the tree that has the cheapest link to it; without any, the first by
 * priority. */
static uint32_t
next_node(struct growth *w, const uint32_t *priority)
{
	for (;;) {
		uint32_t best = MOORE_NONE;
		uint64_t was;

		for (uint32_t s = 0; s < w->v->g->n; s++)
			if (w->price[s] != DONE &&
			    (best == MOORE_NONE || w->price[s] < w->price[best] ||
			     (w->price[s] == w->price[best] && priority[s] < priority[best])))
				best = s;
		was = w->price[best];
		if (w->t->parent[best] != MOORE_NONE)
			choose_parent(w, best);
		if (w->price[best] == was)
			return best;
	}
}

/* Fills base[] and kept[] from old (may be NULL), and the price of depth from the span of
 * colours. */
static int
start(struct growth *w, const struct moore_rturns *old, struct moore_err *err)
{
	const uint32_t *colour = w->colour;
	const struct moore_rgraph *g = w->v->g;
	uint32_t least = MOORE_RANK_MIDDLE;

	for (uint32_t e = 0; e < g->n_edges; e++) {
		w->base[e] = colour[e];
		if (moore_rgraph_is_planned(g, e) && colour[e] < least)
			least = colour[e];
	}
	w->per_hop = 2 * (uint64_t)(MOORE_RANK_MIDDLE - least) / MOORE_SPANNING_HOP;
	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t e = old ? old->parent[s] : MOORE_NONE;

		w->price[s] = DONE - 1;
		w->kept[s] = w->t->parent[s] = MOORE_NONE;
		if (e == MOORE_NONE)
			continue;
		w->base[e] = old->rank[e];
		w->base[g->rev[e]] = old->rank[g->rev[e]];
	}
	return old ? moore_rspanning_rejoin(w->v, old, colour, w->kept, err) : 0;
}

int
moore_rspanning_close(struct moore_rturns *t, const struct moore_rview *v,
		      const struct moore_rturns *old, const uint32_t *colour,
		      struct moore_err *err)
{
	const struct moore_rgraph *g = v->g;
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct growth w = { .v = v, .t = t, .colour = colour,
		.side = old ? old->side : t->entry_wanted };
	uint32_t *priority = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*priority));
	int rc;

	w.base = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1, sizeof(*w.base));
	w.kept = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*w.kept));
	w.price = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*w.price));
	w.up = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*w.up));
	w.down = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*w.down));
	w.depth = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*w.depth));
	w.n_harmed = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*w.n_harmed));
	if (!w.base || !w.kept || !w.price || !w.n_harmed || !w.up || !w.down || !w.depth ||
	    !priority) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	if ((rc = start(&w, old, err)) < 0)
		goto out;
	for (uint32_t s = 0; s < g->n; s++)	/* a root must let others pass, and has endpoints */
		priority[s] = (old ? old->pos[s] : g->is_source[s] ? s : g->n + s) +
			(moore_rview_transit(v, s) ? 0 : 2 * g->n + 1) +
			(w.kept[s] == MOORE_NONE ? 0 : 4 * g->n + 2);
	for (uint32_t i = 0; i < g->n; i++)
		place(&w, next_node(&w, priority));
	memcpy(t->rank, w.base, g->n_edges * sizeof(*t->rank));
	for (uint32_t s = 0; s < g->n; s++)
		if (t->parent[s] != MOORE_NONE) {
			t->rank[t->parent[s]] = w.up[s];
			t->rank[g->rev[t->parent[s]]] = w.down[s];
		}
out:
	moore_arena_free(&tmp);
	return rc;
}

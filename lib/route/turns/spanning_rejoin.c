// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* spanning_rejoin.c - joins the parts into which lost links split a spanning tree.
 *
 * The largest part keeps its ranks.  Any switch of another part may become the root of that part,
 * and any link from there to the rest of the tree may attach it.  Then the edges between the old
 * and the new root of the part turn round, and some ranks of the part change.  All of these
 * choices are tried, and the one that changes the fewest turns is taken: a turn changes where it
 * was allowed and is forbidden now, or the reverse. */
#include <string.h>

#include "base/arena.h"
#include "route/turns/turns.h"

#define LAST_RESORT ((uint64_t)1 << 63)	/* of a price: the tree would take an entry turn */

struct rejoin {
	const struct moore_rview *v;
	uint32_t *was;		/* by edge: its rank before the loss */
	const uint32_t *colour;	/* by edge */
	const uint8_t *side;	/* in entry turns, by edge: the tree should have none */
	uint32_t *kept;		/* by node: its edge towards the root of its part, or MOORE_NONE */
	uint32_t *now;		/* by edge: its rank */
	uint32_t *up, *down;	/* by node: now[] of its parent edge and of the opposite one */
	bool *joined;		/* by node */
	uint32_t *node;		/* the listed part, parents first */
	uint32_t *parent;	/* parent[i] is the edge of node[i] to its parent */
	uint32_t n_nodes;
};

/* Lists the part of root; e is the edge that attaches it, or MOORE_NONE. */
static void
list_part(struct rejoin *w, uint32_t root, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;

	w->n_nodes = 1;
	w->node[0] = root;
	w->parent[0] = e;
	for (uint32_t i = 0; i < w->n_nodes; i++) {
		uint32_t s = w->node[i];

		for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++)
			if (k != w->parent[i] && moore_rspanning_has(g, w->kept, k)) {
				w->node[w->n_nodes] = g->to[k];
				w->parent[w->n_nodes++] = g->rev[k];
			}
	}
}

static void
rank_part(struct rejoin *w)
{
	const struct moore_rgraph *g = w->v->g;

	for (uint32_t i = 0; i < w->n_nodes; i++) {
		uint32_t s = w->node[i], e = w->parent[i];

		w->up[s] = w->down[s] = MOORE_RANK_MIDDLE;
		if (e == MOORE_NONE)
			continue;
		moore_rspanning_rank(g, e, w->was, w->colour, w->up[g->to[e]], w->down[g->to[e]],
				     &w->up[s], &w->down[s]);
		w->now[e] = w->up[s];
		w->now[g->rev[e]] = w->down[s];
	}
}

/* The turns from and to edge e that were allowed and are not, or the reverse. */
static uint32_t
count_changed(const struct rejoin *w, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t s = moore_rgraph_tail(g, e), r = g->to[e], n = 0;

	if (w->now[e] == w->was[e])
		return 0;
	for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++) {
		uint32_t in = g->rev[k];

		if (k != e && g->flags[k] & w->v->flag)
			n += (w->was[in] < w->was[e]) != (w->now[in] < w->now[e]);
	}
	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		if (k != g->rev[e] && g->flags[k] & w->v->flag)
			n += (w->was[e] < w->was[k]) != (w->now[e] < w->now[k]);
	return n;
}

/* The turns that change if root is attached by edge e, in the upper half, and the depth of root
 * in the lower one.  May be too low where it is not below `least`. */
static uint64_t
price_of(struct rejoin *w, uint32_t root, uint32_t e, uint64_t least)
{
	const struct moore_rgraph *g = w->v->g;
	uint64_t price = 1;

	for (uint32_t s = g->to[e]; w->kept[s] != MOORE_NONE; s = g->to[w->kept[s]])
		price++;
	list_part(w, root, e);
	rank_part(w);
	for (uint32_t i = 0; i < w->n_nodes && price < least; i++)
		price += (uint64_t)(count_changed(w, w->parent[i]) +
				    count_changed(w, g->rev[w->parent[i]])) << 32;
	for (uint32_t i = 0; i < w->n_nodes; i++) {
		uint32_t k = w->parent[i];

		w->now[k] = w->was[k];
		w->now[g->rev[k]] = w->was[g->rev[k]];
	}
	return price;
}

/* Makes the listed part final. */
static void
join(struct rejoin *w)
{
	rank_part(w);
	for (uint32_t i = 0; i < w->n_nodes; i++) {
		w->kept[w->node[i]] = w->parent[i];
		w->joined[w->node[i]] = true;
	}
}

/* Attaches the part of old_root by the best link there is.  part[n] is scratch. */
static bool
attach(struct rejoin *w, uint32_t old_root, uint32_t *part)
{
	const struct moore_rgraph *g = w->v->g;
	uint64_t least = UINT64_MAX;
	uint32_t best = MOORE_NONE, n;

	list_part(w, old_root, MOORE_NONE);
	n = w->n_nodes;
	memcpy(part, w->node, n * sizeof(*part));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = part[i];

		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			uint64_t price;

			if (!(g->flags[e] & w->v->flag) || !w->joined[g->to[e]] ||
			    !moore_rview_transit(w->v, g->to[e]) ||
			    (s != old_root && !moore_rview_transit(w->v, s)))
				continue;
			price = price_of(w, s, e, least) |
				(moore_rspanning_enters(w->side, w->v->g, w->kept, e) ? LAST_RESORT : 0);
			if (price < least) {
				least = price;
				best = e;
			}
		}
	}
	if (best == MOORE_NONE)
		return false;
	list_part(w, moore_rgraph_tail(g, best), best);
	join(w);
	return true;
}

/* The root of the largest part that is not joined; MOORE_NONE if all are. */
static uint32_t
largest_part(struct rejoin *w)
{
	uint32_t best = MOORE_NONE, most = 0;

	for (uint32_t s = 0; s < w->v->g->n; s++) {
		if (w->joined[s] || w->kept[s] != MOORE_NONE)
			continue;
		list_part(w, s, MOORE_NONE);
		if (w->n_nodes > most) {
			most = w->n_nodes;
			best = s;
		}
	}
	return best;
}

static void
join_all(struct rejoin *w, uint32_t *part)
{
	uint32_t root;

	while ((root = largest_part(w)) != MOORE_NONE) {
		bool more = true;

		list_part(w, root, MOORE_NONE);
		join(w);
		while (more) {
			more = false;
			for (uint32_t s = 0; s < w->v->g->n; s++)
				if (!w->joined[s] && w->kept[s] == MOORE_NONE)
					more |= attach(w, s, part);
		}
	}
}

int
moore_rspanning_rejoin(const struct moore_rview *v, const struct moore_rturns *old,
		       const uint32_t *colour, uint32_t *kept, struct moore_err *err)
{
	const struct moore_rgraph *g = v->g;
	struct moore_arena tmp = MOORE_ARENA_INIT;
	size_t n = (size_t)g->n + 1;
	struct rejoin w = { .v = v, .colour = colour, .kept = kept, .side = old->side };
	uint32_t *part = moore_arena_alloc(&tmp, n, sizeof(*part));

	w.was = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1, sizeof(*w.was));
	w.now = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1, sizeof(*w.now));
	w.up = moore_arena_alloc(&tmp, n, sizeof(*w.up));
	w.down = moore_arena_alloc(&tmp, n, sizeof(*w.down));
	w.joined = moore_arena_alloc(&tmp, n, sizeof(*w.joined));
	w.node = moore_arena_alloc(&tmp, n, sizeof(*w.node));
	w.parent = moore_arena_alloc(&tmp, n, sizeof(*w.parent));
	if (!part || !w.was || !w.now || !w.up || !w.down || !w.joined || !w.node || !w.parent) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	for (uint32_t e = 0; e < g->n_edges; e++)
		w.now[e] = w.was[e] = old->rank[e];
	for (uint32_t s = 0; s < g->n; s++) {
		w.joined[s] = false;
		kept[s] = old->parent[s];
		if (kept[s] != MOORE_NONE && (!(g->flags[kept[s]] & v->flag) ||
					      !moore_rview_transit(v, g->to[kept[s]])))
			kept[s] = MOORE_NONE;
	}
	join_all(&w, part);
	moore_arena_free(&tmp);
	return 0;
}

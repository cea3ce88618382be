// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_revise.c - leaves move once more when all trees of all layers stand.
 *
 * While a tree is made, only earlier ones are known, so the routes of a pair of switches share links
 * that later trees could have spared: a permutation of switches that is bad for the tables sends over
 * many such pairs.  Here the routes of a pair are all known.  A link costs as much as other
 * routes of the pair use it, and a price for its load beside that; each leaf takes the parent over
 * which its route is cheapest, but keeps a detour.  One round over all leaves is enough.
 *
 * Roots are divided into strands, which start from the same loads.  Each takes for granted that the
 * others move as many routes from a link, or onto it, as it does itself; so they do not all move to
 * the links that had little load in the beginning. */
#include <stdlib.h>
#include <string.h>

#include "route/layers/layer_tree.h"

/* Costs count in these: one other route of the pair over a link costs as much as a mean load. */
#define USE ((uint32_t)1 << 10)
#define MAX_LOAD 4095		/* in parts of 256 of the mean */
#define SHUT ((uint32_t)1 << 28)	/* impossible; five of these fit 32 bits */
#define MAX_ON 3		/* links that a parent has to go: detours have at most four */

/* How a node goes on to the root in a tree: the edges of its route, then n_edges, which costs nothing.
 * After them stands n_edges + 1, which costs SHUT, if the node may not be a parent, else n_edges. */
struct way {
	uint32_t edge[MAX_ON + 1];
};

struct standing {		/* of a node in a tree */
	uint16_t n_kids;
	uint8_t len;
};

struct revision {		/* of one worker */
	const struct moore_rlayers *v;
	const struct moore_rgraph *g;
	struct moore_rlayers *own;	/* the worker's loads */
	uint64_t per_load;	/* price of a unit of load, before the third power is taken */
	uint32_t *cost;		/* by edge, and the two above: its price, and what the pair uses it */
	uint32_t *price;	/* by edge */
	/* These are of the present root. */
	uint32_t root;
	struct way *way;	/* [node * n_slices + slice] */
	struct standing *at;	/* likewise */
};

static inline uint8_t *
tree_of(const struct revision *w, uint32_t slice)
{
	return w->v->all + ((size_t)slice * w->g->n + w->root) * w->g->n;
}

/* Where a node's row of way[] and at[] begins: a leaf looks at its neighbours slice after slice. */
static inline size_t
row_of(const struct revision *w, uint32_t node)
{
	return (size_t)node * w->v->n_slices;
}

static inline uint32_t
lids_of(const struct revision *w, uint32_t slice)
{
	return w->v->lids[(size_t)slice * w->g->n + w->root];
}

/* ---- costs ------------------------------------------------------------------------------- */

/* Sets the price of edge e, the third power of its load if other strands change it as this one does. */
static void
set_price(struct revision *w, uint32_t e)
{
	const uint64_t all = (uint64_t)w->own->load[e] * MOORE_STRANDS;
	const uint64_t base = (uint64_t)w->v->load[e] * (MOORE_STRANDS - 1);
	uint64_t x = moore_rgraph_weighted(w->g, e, all > base ? all - base : 0) * w->per_load >> 16;

	x = x < MAX_LOAD ? x : MAX_LOAD;
	x = x * x * x * USE >> 24;
	w->cost[e] += (uint32_t)x - w->price[e];
	w->price[e] = (uint32_t)x;
}

/* Adds n LIDs to the loads of the route of s in the tree slot[]. */
static void
add_load(struct revision *w, const uint8_t *slot, uint32_t s, uint32_t n)
{
	for (uint32_t e; s != w->root; s = w->g->to[e]) {
		e = w->g->xadj[s] + slot[s];
		w->own->load[e] += n;
		set_price(w, e);
	}
}

/* What a route costs that begins with edge e and goes on so. */
static inline uint32_t
cost_over(const struct revision *w, uint32_t e, const struct way *on)
{
	const uint32_t *c = w->cost;

	return c[e] + c[on->edge[0]] + c[on->edge[1]] + c[on->edge[2]];
}

/* Adds to the costs of the edges of such a route. */
static inline void
add_cost(struct revision *w, uint32_t e, const struct way *on, uint32_t by)
{
	uint32_t *c = w->cost;

	c[e] += by;
	for (unsigned i = 0; i < MAX_ON; i++)
		c[on->edge[i]] += by;
	c[w->g->n_edges] = 0;
}

/* ---- leaves ------------------------------------------------------------------------------ */

/* Notes how s goes on in the tree slot[]. */
static void
note(struct revision *w, const uint8_t *slot, uint32_t s, size_t row)
{
	struct standing *at = &w->at[row];
	struct way *y = &w->way[row];
	const struct moore_rview *view = w->v->minimal->v;
	const struct moore_rgraph *g = w->g;
	bool open = s != w->root && moore_rview_transit(view, s);
	uint32_t last = MOORE_NONE;

	at->len = 0;
	for (unsigned i = 0; i < MAX_ON; i++)
		y->edge[i] = g->n_edges;
	for (uint32_t e; s != w->root; s = g->to[e], last = e) {
		e = g->xadj[s] + slot[s];
		open = open && at->len < MAX_ON &&
			(last == MOORE_NONE || moore_rturns_allow(view->turns, last, e));
		if (at->len < MAX_ON)
			y->edge[at->len] = e;
		at->len++;
	}
	y->edge[MAX_ON] = g->n_edges + !open;
}

/* Whether leaf s may hang on edge e: with a detour, it keeps one. */
static bool
suits(const struct revision *w, const uint8_t *slot, uint32_t slice, uint32_t s, uint32_t e)
{
	const uint8_t least = w->v->minimal->len[(size_t)w->root * w->g->n + s];

	return (w->at[row_of(w, s) + slice].len <= least ||
		w->at[row_of(w, w->g->to[e]) + slice].len >= least) &&
		moore_rview_leaf(w->v->minimal->v, slot, w->root, e);
}

static void
move(struct revision *w, uint32_t slice, uint32_t s, uint32_t from, uint32_t to)
{
	const struct moore_rgraph *g = w->g;
	uint8_t *slot = tree_of(w, slice);
	const uint32_t n_lids = lids_of(w, slice);

	add_load(w, slot, s, -n_lids);
	w->at[row_of(w, g->to[from]) + slice].n_kids--;
	slot[s] = (uint8_t)(to - g->xadj[s]);
	w->at[row_of(w, g->to[to]) + slice].n_kids++;
	note(w, slot, s, row_of(w, s) + slice);
	add_load(w, slot, s, n_lids);
}

/* Leaf s moves to the parent that is best in this slice's tree, while the other trees stay. */
static void
revise_leaf(struct revision *w, uint32_t slice, uint32_t s)
{
	const struct moore_rgraph *g = w->g;
	const uint8_t *slot = tree_of(w, slice);
	const struct way *way = w->way + slice;
	const uint32_t now = g->xadj[s] + slot[s];
	uint32_t best = now, least;

	add_cost(w, now, &way[row_of(w, g->to[now])], -USE);
	least = cost_over(w, now, &way[row_of(w, g->to[now])]);
	for (uint32_t e = g->xadj[s]; least > MOORE_REVISE_ENOUGH * USE && e < g->xadj[s + 1]; e++) {
		const struct way *on = &way[row_of(w, g->to[e])];
		const uint32_t c = cost_over(w, e, on) + w->cost[on->edge[MAX_ON]];

		if (c >= least || !suits(w, slot, slice, s, e))
			continue;
		least = c;
		best = e;
	}
	add_cost(w, best, &way[row_of(w, g->to[best])], USE);
	if (best != now)
		move(w, slice, s, now, best);
}

/* Adds to the costs of the routes from s to the root: those of all trees, and the minimal one, which
 * each host there has. */
static void
add_pair(struct revision *w, uint32_t s, uint32_t by)
{
	const struct moore_rgraph *g = w->g;
	const uint8_t *minimal = w->v->minimal->slot + (size_t)w->root * g->n;

	for (uint32_t i = 0; i < w->v->n_slices; i++)
		if (lids_of(w, i)) {
			const uint32_t e = g->xadj[s] + tree_of(w, i)[s];

			add_cost(w, e, &w->way[row_of(w, g->to[e]) + i], by);
		}
	for (uint32_t e, x = s; x != w->root; x = g->to[e]) {
		e = g->xadj[x] + minimal[x];
		w->cost[e] += by * w->v->n_variants;
	}
}

static void
note_all(struct revision *w)
{
	const struct moore_rgraph *g = w->g;

	memset(w->at, 0, w->v->n_slices * (size_t)g->n * sizeof(*w->at));
	for (uint32_t i = 0; i < w->v->n_slices; i++) {
		const uint8_t *slot = tree_of(w, i);
		const uint32_t n = lids_of(w, i) ? g->n : 0;

		for (uint32_t s = 0; s < n; s++) {
			note(w, slot, s, row_of(w, s) + i);
			if (s != w->root)
				w->at[row_of(w, g->to[g->xadj[s] + slot[s]]) + i].n_kids++;
		}
	}
}

static void
revise_root(struct revision *w, uint32_t root)
{
	const struct moore_rgraph *g = w->g;

	w->root = root;
	note_all(w);
	for (uint32_t s = 0; s < g->n; s++) {
		if (s == root || !g->is_source[s])
			continue;
		add_pair(w, s, USE);
		for (uint32_t i = 0; i < w->v->n_slices; i++)
			if (lids_of(w, i) && !w->at[row_of(w, s) + i].n_kids)
				revise_leaf(w, i, s);
		add_pair(w, s, -USE);
	}
}

/* ---- all roots ---------------------------------------------------------------------------- */

struct revisions {
	const struct moore_rlayers *v;
	struct revision *worker;
};

static void
revise_strand(void *arg, unsigned worker, size_t strand)
{
	const struct revisions *r = arg;
	struct revision *w = &r->worker[worker];
	const struct moore_rview *view = r->v->minimal->v;
	const struct moore_rgraph *g = view->g;

	moore_rlayers_begin_strand(r->v, w->own);
	memset(w->cost, 0, g->n_edges * sizeof(*w->cost));
	memset(w->price, 0, g->n_edges * sizeof(*w->price));
	for (uint32_t e = 0; e < g->n_edges; e++)
		if (g->flags[e] & view->flag)
			set_price(w, e);
		else
			w->cost[e] = SHUT;
	w->cost[g->n_edges] = 0;
	w->cost[g->n_edges + 1] = SHUT;
	for (uint32_t root = (uint32_t)strand; root < g->n; root += MOORE_STRANDS)
		revise_root(w, root);
	moore_rlayers_end_strand(r->v, w->own);
}

static uint64_t
mean_load(const struct moore_rlayers *v)
{
	const struct moore_rgraph *g = v->minimal->v->g;
	uint64_t sum = 0;

	for (uint32_t e = 0; e < g->n_edges; e++)
		sum += moore_rgraph_weighted(g, e, v->load[e]);
	return sum / g->n_edges + 1;
}

int
moore_rlayers_revise(struct moore_rlayers *v)
{
	const struct moore_rgraph *g = v->minimal->v->g;
	struct revisions r = { .v = v };
	uint64_t per_load;
	bool ok;

	if (!v->gates || !g->n_edges || (uint64_t)v->n_slices * g->n * g->n_edges > MOORE_REVISE_WORK)
		return 0;
	per_load = ((uint64_t)256 << 16) / mean_load(v);
	ok = (r.worker = calloc(v->n_workers, sizeof(*r.worker)));
	for (unsigned i = 0; ok && i < v->n_workers; i++) {
		struct revision *w = &r.worker[i];

		*w = (struct revision){ .v = v, .g = g, .own = &v->worker[i], .per_load = per_load };
		w->cost = malloc(((size_t)g->n_edges + 2) * sizeof(*w->cost));
		w->price = malloc(((size_t)g->n_edges + 1) * sizeof(*w->price));
		w->way = malloc(((size_t)v->n_slices * g->n + 1) * sizeof(*w->way));
		w->at = malloc(((size_t)v->n_slices * g->n + 1) * sizeof(*w->at));
		ok = w->cost && w->price && w->way && w->at;
	}
	if (ok)
		moore_rlayers_run_strands(v, revise_strand, &r);
	for (unsigned i = 0; r.worker && i < v->n_workers; i++) {
		free(r.worker[i].cost);
		free(r.worker[i].price);
		free(r.worker[i].way);
		free(r.worker[i].at);
	}
	free(r.worker);
	return ok ? 0 : -MOORE_ENOMEM;
}

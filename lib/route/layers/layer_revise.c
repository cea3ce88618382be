// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_revise.c - leaves move once more when all trees of all layers stand.
 *
 * While a tree is made, only earlier ones are known, so the routes of a pair of switches share links
 * that later trees could have spared: a permutation of switches that is bad for the tables sends over
 * many such pairs.  Here the routes of a pair are all known.  A link costs as much as other
 * routes of the pair use it, and a price for its load beside that; each leaf takes the parent over
 * which its route is cheapest, but keeps a detour.  One round over all leaves is enough.  Only switches
 * with endpoints are leaves here, since no routes begin elsewhere.
 *
 * Roots are divided into strands, which start from the same loads.  Each takes for granted that the
 * others move as many routes from a link, or onto it, as it does itself; so they do not all move to
 * the links that had little load in the beginning. */
#include <stdlib.h>
#include <string.h>

#include "route/layers/layer_slices.h"
#include "route/tuning.h"

/* Costs count in these: what one other route of the pair over a link costs. */
#define USE ((uint32_t)1 << 10)
#define MAX_LOAD 4095		/* in parts of 256 of the mean */
#define SHUT ((uint32_t)1 << 28)	/* impossible; five of these fit 32 bits */
#define MAX_ON 3		/* links that a parent has to go: detours have at most four */

/* How a node goes on to the root in a tree: the edges of its route, then n_edges, which costs nothing.
 * After them stands n_edges + 1, which costs SHUT, if the node may not be a parent, else n_edges. */
struct way {
	uint32_t edge[MAX_ON + 1];
};

struct prices {			/* see tuning.h */
	uint32_t load;		/* of a mean one */
	uint32_t enough;	/* a leaf stays where its route costs no more */
	uint64_t most_work;	/* all leaves stay where there are more links to look at */
};
static const struct prices of_gates = { MOORE_REVISE_LOAD * USE, MOORE_REVISE_ENOUGH * USE,
					MOORE_REVISE_WORK };
static const struct prices of_lines = { MOORE_REVISE_LOAD_LINES * USE, MOORE_REVISE_ENOUGH_LINES * USE,
					MOORE_REVISE_WORK_LINES };

struct standing {		/* of a node in a tree */
	uint16_t n_kids;
	uint8_t len;
};

struct revision {		/* of one worker */
	const struct moore_rslices *s;
	const struct moore_rbalance *minimal;
	const struct moore_rgraph *g;
	uint64_t per_load;	/* what a unit of load counts before the third power is taken */
	const struct prices *prices;
	uint32_t *load;		/* by edge: as far as this strand has changed it */
	uint32_t *added;	/* by edge: what the worker's strands have added */
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
	return moore_rslices_tree(w->s, w->g, slice, w->root);
}

/* Where a node's row of way[] and at[] begins: a leaf looks at its neighbours slice after slice. */
static inline size_t
row_of(const struct revision *w, uint32_t node)
{
	return (size_t)node * w->s->n;
}

static inline uint32_t
lids_of(const struct revision *w, uint32_t slice)
{
	return w->s->lids[(size_t)slice * w->g->n + w->root];
}

/* ---- costs ------------------------------------------------------------------------------- */

/* Sets the price of edge e, the third power of its load if other strands change it as this one does. */
static void
set_price(struct revision *w, uint32_t e)
{
	const uint64_t all = (uint64_t)w->load[e] * MOORE_STRANDS;
	const uint64_t base = (uint64_t)w->s->load[e] * (MOORE_STRANDS - 1);
	uint64_t x = moore_rgraph_weighted(w->g, e, all > base ? all - base : 0) * w->per_load >> 16;

	x = x < MAX_LOAD ? x : MAX_LOAD;
	x = x * x * x * w->prices->load >> 24;
	w->cost[e] += (uint32_t)x - w->price[e];
	w->price[e] = (uint32_t)x;
}

/* Adds n LIDs to the loads of the route of s in the tree slot[]. */
static void
add_load(struct revision *w, const uint8_t *slot, uint32_t s, uint32_t n)
{
	for (uint32_t e; s != w->root; s = w->g->to[e]) {
		e = w->g->xadj[s] + slot[s];
		w->load[e] += n;
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

/* The way of the root, and of a node without a route. */
static void
note_closed(struct revision *w, uint32_t slice, uint32_t x)
{
	const uint32_t none = w->g->n_edges;

	w->way[row_of(w, x) + slice] = (struct way){ { none, none, none, none + 1 } };
}

/* Notes how s, which is not the root, goes on in the tree slot[] of slice; its parents first. */
static void
note(struct revision *w, const uint8_t *slot, uint32_t slice, uint32_t s)
{
	const struct moore_rview *view = w->minimal->v;
	const struct moore_rgraph *g = w->g;
	const uint32_t e = g->xadj[s] + slot[s], next = g->to[e];
	const struct way *on = &w->way[row_of(w, next) + slice];
	struct standing *at = &w->at[row_of(w, s) + slice];
	bool open = moore_rview_transit(view, s);

	if (next != w->root) {
		if (!w->at[row_of(w, next) + slice].len)
			note(w, slot, slice, next);
		open = open && on->edge[MAX_ON] == g->n_edges &&
			moore_rturns_allow(view->turns, e, on->edge[0]);
	}
	at->len = (uint8_t)(w->at[row_of(w, next) + slice].len + 1);
	open = open && at->len <= MAX_ON;
	w->way[row_of(w, s) + slice] =
		(struct way){ { e, on->edge[0], on->edge[1], g->n_edges + !open } };
}

/* Whether leaf s may hang on edge e: with a detour, it keeps one. */
static bool
suits(const struct revision *w, const uint8_t *slot, uint32_t slice, uint32_t s, uint32_t e)
{
	const uint8_t least = w->minimal->len[(size_t)w->root * w->g->n + s];

	return (w->at[row_of(w, s) + slice].len <= least ||
		w->at[row_of(w, w->g->to[e]) + slice].len >= least) &&
		moore_rview_leaf(w->minimal->v, slot, w->root, e);
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
	note(w, slot, slice, s);
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
	for (uint32_t e = g->xadj[s]; least > w->prices->enough && e < g->xadj[s + 1]; e++) {
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
	const uint8_t *minimal = w->minimal->slot + (size_t)w->root * g->n;

	for (uint32_t i = 0; i < w->s->n; i++)
		if (lids_of(w, i)) {
			const uint32_t e = g->xadj[s] + tree_of(w, i)[s];

			add_cost(w, e, &w->way[row_of(w, g->to[e]) + i], by);
		}
	for (uint32_t e, x = s; x != w->root; x = g->to[e]) {
		e = g->xadj[x] + minimal[x];
		w->cost[e] += by * w->s->n_minimal;
	}
}

static void
note_all(struct revision *w)
{
	const struct moore_rgraph *g = w->g;

	memset(w->at, 0, w->s->n * (size_t)g->n * sizeof(*w->at));
	for (uint32_t i = 0; i < w->s->n; i++) {
		const uint8_t *slot = tree_of(w, i);
		const uint32_t n = lids_of(w, i) ? g->n : 0;

		note_closed(w, i, w->root);
		for (uint32_t s = 0; s < n; s++) {
			if (s == w->root)
				continue;
			if (slot[s] == MOORE_SLOT_NONE) {
				note_closed(w, i, s);
				continue;
			}
			if (!w->at[row_of(w, s) + i].len)
				note(w, slot, i, s);
			w->at[row_of(w, g->to[g->xadj[s] + slot[s]]) + i].n_kids++;
		}
	}
}

static void
revise_root(struct revision *w, uint32_t root)
{
	const struct moore_rgraph *g = w->g;
	const uint8_t *minimal = w->minimal->slot + (size_t)root * g->n;

	w->root = root;
	note_all(w);
	for (uint32_t s = 0; s < g->n; s++) {
		if (s == root || !g->is_source[s] || minimal[s] == MOORE_SLOT_NONE)
			continue;
		add_pair(w, s, USE);
		for (uint32_t i = 0; i < w->s->n; i++)
			if (lids_of(w, i) && !w->at[row_of(w, s) + i].n_kids)
				revise_leaf(w, i, s);
		add_pair(w, s, -USE);
	}
}

/* ---- all roots ---------------------------------------------------------------------------- */

static void
revise_strand(void *arg, unsigned worker, size_t strand)
{
	struct revision *w = (struct revision *)arg + worker;
	const struct moore_rview *view = w->minimal->v;
	const struct moore_rgraph *g = w->g;

	moore_rslices_begin_strand(w->s, g, w->load);
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
		if (g->is_source[root])
			revise_root(w, root);
	moore_rslices_end_strand(w->s, g, w->load, w->added);
}

static uint64_t
mean_load(const struct moore_rslices *s, const struct moore_rgraph *g)
{
	uint64_t sum = 0;

	for (uint32_t e = 0; e < g->n_edges; e++)
		sum += moore_rgraph_weighted(g, e, s->load[e]);
	return sum / (g->n_planned + !g->n_planned) + 1;
}

/* The links that leaves of all trees can look at. */
static uint64_t
count_work(const struct moore_rslices *s, const struct moore_rgraph *g)
{
	uint64_t n_trees = 0, n_links = 0;

	for (size_t i = 0; i < (size_t)s->n * g->n; i++)
		n_trees += s->lids[i] > 0;
	for (uint32_t x = 0; x < g->n; x++)
		n_links += g->is_source[x] ? g->xadj[x + 1] - g->xadj[x] : 0;
	return n_trees * n_links;
}

static bool
init_worker(struct revision *w)
{
	const size_t m = w->g->n_edges, rows = (size_t)w->s->n * w->g->n;

	w->load = malloc((m + 1) * sizeof(*w->load));
	w->added = calloc(m + 1, sizeof(*w->added));
	w->cost = malloc((m + 2) * sizeof(*w->cost));
	w->price = malloc((m + 1) * sizeof(*w->price));
	w->way = malloc((rows + 1) * sizeof(*w->way));
	w->at = malloc((rows + 1) * sizeof(*w->at));
	return w->load && w->added && w->cost && w->price && w->way && w->at;
}

static void
fini_worker(struct revision *w)
{
	free(w->load);
	free(w->added);
	free(w->cost);
	free(w->price);
	free(w->way);
	free(w->at);
}

int
moore_rslices_revise(struct moore_rslices *s, const struct moore_rbalance *minimal, bool lines,
		     const struct moore_jobs *jobs)
{
	const struct prices *prices = lines ? &of_lines : &of_gates;
	const struct moore_rgraph *g = minimal->v->g;
	const unsigned n_workers = moore_jobs_width(jobs, MOORE_STRANDS);
	struct revision *worker;
	uint64_t per_load;
	bool ok;

	if (!g->n_edges || count_work(s, g) > prices->most_work)
		return 0;
	per_load = ((uint64_t)256 << 16) / mean_load(s, g);
	ok = (worker = calloc(n_workers, sizeof(*worker)));
	for (unsigned i = 0; ok && i < n_workers; i++) {
		worker[i] = (struct revision){ .s = s, .minimal = minimal, .g = g,
			.per_load = per_load, .prices = prices };
		ok = init_worker(&worker[i]);
	}
	if (ok)
		moore_jobs_run(jobs, n_workers, MOORE_STRANDS, revise_strand, worker);
	for (unsigned i = 0; worker && i < n_workers; i++) {
		if (ok)
			moore_rslices_add(s, g, worker[i].added);
		fini_worker(&worker[i]);
	}
	free(worker);
	return ok ? 0 : -MOORE_ENOMEM;
}

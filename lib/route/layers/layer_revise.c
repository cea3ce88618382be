// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_revise.c - leaves move once more when all trees of all layers stand.
 *
 * While a tree is made, only earlier ones are known, so the routes of a pair of switches share links
 * that later trees could have spared: a permutation of switches that is bad for the tables sends over
 * many such pairs.  Here the routes of a pair are all known.  A link costs as much as other
 * routes of the pair use it, and a price for its load beside that; each leaf takes the parent over
 * which its route is cheapest, but keeps a detour; where its route costs little, it stays.  One round over all
 * leaves is enough.  Only switches with endpoints are leaves here, since no routes begin elsewhere.
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
#define MAX_LEN 4		/* links of a detour */

/* The edges of a node's route to the root, the first MAX_LEN of a longer one.  A place after the last edge
 * holds a number above those of edges that only this place in this tree has.  It is counted as an edge is, but
 * no other route of the pair uses it: so it costs nothing, and no loop has to know how long a route is.  In the
 * last place the number is one more if the node may not be a parent. */
struct way {
	uint16_t edge[MAX_LEN];
};
#define N_PLACES (MAX_LEN + 1)

struct hop {			/* of a node in a tree */
	uint16_t edge;		/* to its parent; the tree's first number of a place, if it has none */
	uint16_t to;		/* its parent; itself, if it has none */
};

struct tree {			/* of the present root */
	uint8_t *slot;
	uint32_t n_lids;
	uint16_t place;		/* its first number of a place */
	struct way *way;	/* by node */
	uint8_t *n_kids;	/* by node; at least one for a node without a route */
};

struct revision {		/* of one worker */
	const struct moore_rslices *s;
	const struct moore_rbalance *minimal;
	const struct moore_rgraph *g;
	uint64_t per_load;	/* what a unit of load counts before the third power is taken */
	uint32_t load_price;	/* of a mean one */
	uint32_t enough;	/* a leaf stays where its route costs no more */
	uint32_t good;		/* and takes the first link that costs no more, else the cheapest */
	uint32_t *load;		/* by edge: as far as this strand has changed it */
	uint32_t *added;	/* by edge: what the worker's strands have added */
	uint32_t *cost;		/* by edge, and number of a place: its price, and what the pair uses it */
	uint32_t *rank;		/* likewise: of a turn from there (turns.h); places have the greatest */
	uint32_t *onto;		/* likewise: of a turn onto it */
	uint32_t *price;	/* by edge */
	struct hop *hop;	/* by node: of the tree that is noted */
	/* These are of the present root. */
	uint32_t root;
	uint32_t n_trees;
	struct tree *tree;
	struct way *way;	/* [tree * nodes + node], and so n_kids[] */
	uint8_t *n_kids;
};

/* ---- costs ------------------------------------------------------------------------------- */

/* Sets the price of edge e, the third power of its load if other strands change it as this one does. */
static void
set_price(struct revision *w, uint32_t e)
{
	const uint64_t all = (uint64_t)w->load[e] * MOORE_STRANDS;
	const uint64_t base = (uint64_t)w->s->load[e] * (MOORE_STRANDS - 1);
	uint64_t x = moore_rgraph_weighted(w->g, e, all > base ? all - base : 0) * w->per_load >> 16;

	x = x < MAX_LOAD ? x : MAX_LOAD;
	x = x * x * x * w->load_price >> 24;
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

/* What a route costs beside its own uses of links and places. */
static inline uint32_t
own_cost(const struct revision *w, const struct way *way)
{
	const uint32_t *c = w->cost;

	return c[way->edge[0]] + c[way->edge[1]] + c[way->edge[2]] + c[way->edge[3]] - MAX_LEN * USE;
}

/* Adds to the costs of the edges of a route. */
static inline void
add_cost(struct revision *w, const struct way *way, uint32_t by)
{
	for (unsigned i = 0; i < MAX_LEN; i++)
		w->cost[way->edge[i]] += by;
}

/* ---- leaves ------------------------------------------------------------------------------ */

/* Whether s may have children, where first is its edge and second that of its parent: that has a child, so
 * it may. */
static inline bool
may_bear(const struct revision *w, uint32_t s, uint16_t first, uint16_t second)
{
	return moore_rview_transit(w->minimal->v, s) & (w->rank[first] < w->onto[second]);
}

static void
move(struct revision *w, struct tree *t, uint32_t s, uint32_t to)
{
	const struct moore_rgraph *g = w->g;
	const struct way *on = &t->way[g->to[to]];
	struct way *own = &t->way[s];

	add_load(w, t->slot, s, -t->n_lids);
	t->n_kids[g->to[own->edge[0]]]--;
	t->slot[s] = (uint8_t)(to - g->xadj[s]);
	t->n_kids[g->to[to]]++;
	own->edge[0] = (uint16_t)to;
	for (unsigned i = 1; i < MAX_LEN; i++)
		own->edge[i] = (uint16_t)(on->edge[i - 1] + (on->edge[i - 1] >= t->place));
	if (own->edge[MAX_LEN - 1] >= t->place && !may_bear(w, s, own->edge[0], own->edge[1]))
		own->edge[MAX_LEN - 1]++;
	add_load(w, t->slot, s, t->n_lids);
}

/* Returns the edge over which leaf s, whose route is taken off, has the cheapest route or a good one, or
 * MOORE_NONE if it stays: no route is cheaper than `least`, or lanes forbid it.  With a detour, it keeps
 * one. */
static uint32_t
best_edge(const struct revision *w, const struct tree *t, uint32_t s, uint32_t least)
{
	const struct moore_rgraph *g = w->g;
	const uint8_t n_least = w->minimal->len[(size_t)w->root * g->n + s];
	const bool detour = n_least < MAX_LEN && t->way[s].edge[n_least] < t->place;
	const unsigned need = detour ? n_least - 1u : 0;
	const uint16_t open = (uint16_t)(t->place + MAX_LEN - 1);
	const uint32_t *cost = w->cost;
	uint32_t best = MOORE_NONE;

	for (uint32_t e = g->xadj[s]; least > w->good && e < g->xadj[s + 1]; e++) {
		const uint16_t *on = t->way[g->to[e]].edge;
		const uint32_t shut = (on[MAX_LEN - 1] != open) | (on[need] >= t->place);
		const uint32_t c = cost[e] + cost[on[0]] + cost[on[1]] + cost[on[2]] + shut * SHUT;

		best = c < least ? e : best;
		least = c < least ? c : least;
	}
	return best != MOORE_NONE && moore_rview_leaf(w->minimal->v, t->slot, w->root, best) ? best : MOORE_NONE;
}

/* Leaf s moves to the parent that is best in this tree, while the other trees stay. */
static void
revise_leaf(struct revision *w, struct tree *t, uint32_t s, uint32_t cost)
{
	uint32_t best;

	add_cost(w, &t->way[s], -USE);
	best = best_edge(w, t, s, cost);
	if (best != MOORE_NONE)
		move(w, t, s, best);
	add_cost(w, &t->way[s], USE);
}

/* Adds to the costs of the routes from s to the root: those of all trees, and the minimal one, which
 * each host there has. */
static void
add_pair(struct revision *w, uint32_t s, uint32_t by)
{
	const struct moore_rgraph *g = w->g;
	const uint8_t *minimal = w->minimal->slot + (size_t)w->root * g->n;

	for (size_t i = 0, at = s; i < w->n_trees; i++, at += g->n)
		add_cost(w, &w->way[at], by);
	for (uint32_t e, x = s; x != w->root; x = g->to[e]) {
		e = g->xadj[x] + minimal[x];
		w->cost[e] += by * w->s->n_minimal;
	}
}

/* Notes how each node goes on in the tree. */
static void
note(struct revision *w, const struct tree *t)
{
	const uint32_t *xadj = w->g->xadj, *to = w->g->to, n = w->g->n;
	const uint8_t *slot = t->slot;
	const uint16_t place = t->place;
	struct hop *hop = w->hop;
	struct way *way = t->way;
	uint8_t *n_kids = t->n_kids;

	memset(n_kids, 0, n);
	for (uint32_t s = 0; s < n; s++) {
		const uint32_t e = xadj[s] + slot[s];
		const struct hop h = slot[s] == MOORE_SLOT_NONE ? (struct hop){ place, (uint16_t)s } :
			(struct hop){ (uint16_t)e, (uint16_t)to[e] };

		hop[s] = h;
		n_kids[h.to]++;
	}
	for (uint32_t s = 0; s < n; s++) {
		const struct hop a = hop[s], b = hop[a.to], c = hop[b.to], d = hop[c.to];
		const int last = MAX_LEN - 1 + !may_bear(w, s, a.edge, b.edge);

		way[s] = (struct way){ { a.edge, (uint16_t)(b.edge + (b.edge >= place)),
			(uint16_t)(c.edge + 2 * (c.edge >= place)),
			(uint16_t)(d.edge + last * (d.edge >= place)) } };
	}
}

/* Notes all trees of the root. */
static void
note_all(struct revision *w)
{
	const struct moore_rgraph *g = w->g;

	w->n_trees = 0;
	for (uint32_t i = 0; i < w->s->n; i++) {
		struct tree *t = &w->tree[w->n_trees];
		const size_t row = (size_t)w->n_trees * g->n;

		*t = (struct tree){ moore_rslices_tree(w->s, g, i, w->root),
			w->s->lids[(size_t)i * g->n + w->root],
			(uint16_t)(g->n_edges + N_PLACES * w->n_trees), w->way + row, w->n_kids + row };
		if (!t->n_lids)
			continue;
		note(w, t);
		w->n_trees++;
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
		for (size_t i = 0, at = s; i < w->n_trees; i++, at += g->n) {
			const uint32_t cost = own_cost(w, &w->way[at]);

			if (!w->n_kids[at] & (cost > w->enough))
				revise_leaf(w, &w->tree[i], s, cost);
		}
		add_pair(w, s, -USE);
	}
}

/* ---- all roots ---------------------------------------------------------------------------- */

/* The edges, and numbers of places. */
static size_t
count_places(const struct revision *w)
{
	return w->g->n_edges + N_PLACES * (size_t)w->s->n;
}

static void
revise_strand(void *arg, unsigned worker, size_t strand)
{
	struct revision *w = (struct revision *)arg + worker;
	const struct moore_rview *view = w->minimal->v;
	const struct moore_rgraph *g = w->g;

	moore_rslices_begin_strand(w->s, g, w->load);
	memset(w->cost, 0, count_places(w) * sizeof(*w->cost));
	memset(w->price, 0, g->n_edges * sizeof(*w->price));
	for (uint32_t e = 0; e < g->n_edges; e++)
		if (g->flags[e] & view->flag)
			set_price(w, e);
		else
			w->cost[e] = SHUT;
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

/* Sets which leaves move, and where to; false when all stay, as it would take too long. */
static bool
set_limits(struct revision *w, bool lines)
{
	const uint64_t work = count_work(w->s, w->g);
	const uint32_t n_layers = w->s->n_minimal ? w->s->n / w->s->n_minimal : 0;

	w->good = w->enough = (lines ? MOORE_REVISE_ENOUGH_LINES : MOORE_REVISE_ENOUGH) * USE;
	if (work <= (lines ? MOORE_REVISE_WORK_LINES : MOORE_REVISE_WORK))
		return true;
	w->good = 0;
	w->enough = MOORE_REVISE_ENOUGH_LAYER * n_layers * USE;
	return !lines && n_layers > 1;
}

static bool
init_worker(struct revision *w)
{
	const size_t m = w->g->n_edges, rows = (size_t)w->s->n * w->g->n, places = count_places(w);
	const struct moore_rturns *turns = w->minimal->v->turns;

	w->load = malloc((m + 1) * sizeof(*w->load));
	w->added = calloc(m + 1, sizeof(*w->added));
	w->cost = malloc(places * sizeof(*w->cost));
	w->rank = malloc(places * sizeof(*w->rank));
	w->onto = malloc(places * sizeof(*w->onto));
	w->price = malloc((m + 1) * sizeof(*w->price));
	w->hop = malloc((w->g->n + 1) * sizeof(*w->hop));
	w->tree = malloc((w->s->n + 1) * sizeof(*w->tree));
	w->way = malloc((rows + 1) * sizeof(*w->way));
	w->n_kids = malloc(rows + 1);
	if (!w->load || !w->added || !w->cost || !w->rank || !w->onto || !w->price || !w->hop || !w->tree ||
	    !w->way || !w->n_kids)
		return false;
	memcpy(w->rank, turns->rank, m * sizeof(*w->rank));
	memcpy(w->onto, turns->onto, m * sizeof(*w->onto));
	for (size_t i = m; i < places; i++)
		w->rank[i] = w->onto[i] = UINT32_MAX;
	return true;
}

static void
fini_worker(struct revision *w)
{
	free(w->load);
	free(w->added);
	free(w->cost);
	free(w->rank);
	free(w->onto);
	free(w->price);
	free(w->hop);
	free(w->tree);
	free(w->way);
	free(w->n_kids);
}

int
moore_rslices_revise(struct moore_rslices *s, const struct moore_rbalance *minimal, bool lines,
		     const struct moore_jobs *jobs)
{
	const struct moore_rgraph *g = minimal->v->g;
	const unsigned n_workers = moore_jobs_width(jobs, MOORE_STRANDS);
	struct revision all = { .s = s, .minimal = minimal, .g = g,
		.load_price = (lines ? MOORE_REVISE_LOAD_LINES : MOORE_REVISE_LOAD) * USE }, *worker;
	bool ok;

	if (!g->n_edges || count_places(&all) > UINT16_MAX || !set_limits(&all, lines))
		return 0;
	all.per_load = ((uint64_t)256 << 16) / mean_load(s, g);
	ok = (worker = calloc(n_workers, sizeof(*worker)));
	for (unsigned i = 0; ok && i < n_workers; i++) {
		worker[i] = all;
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

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* valiant.c - trees of the non-minimal layers under profile any-sl (Valiant with
 * three hops: Yebenes et al. 2017; here destination-based and with allowed turns).
 *
 * Objective: over the layers of a LID range, every switch that is not a
 * neighbour of the root gets a route longer than minimal in some layer (it is
 * *covered*), neighbours too where they can; and the loads of all offsets
 * together are even.
 *
 * What detours should look like is a row of kinds.c; where middle switches are split
 * into halves trees are grown by halves.c.
 *
 * Construction.  Each layer takes a share of the root's neighbours out of
 * service as last hops, a different share in each: whoever lies behind them then
 * grows around them, one or two hops longer.  After that every leaf that can
 * moves from its minimal parent to a neighbour that is no nearer to the root.
 * A switch that takes a leaf stays where it is, so those that were not covered
 * yet, or had few detours, are asked last.  Then local search over the leaves, as
 * in balance.c, but by the loads of all offsets so far.
 *
 * A switch that sends all to one other is served by as many links as its routes,
 * of all trees, begin and end with: to use one of them again has a price. */
#include <stdlib.h>
#include <string.h>

#include "route/route_impl.h"

#define MIN_SHARES 3		/* at most a third of the last hops is out of service */

#define LONG_BIT 58		/* prices, above all loads */
#define DEAR ((uint64_t)1 << 60)
#define NEVER ((uint64_t)1 << 62)

int
moore_rvaliant_init(struct moore_rvaliant *v, const struct moore_rbalance *b,
		    const struct moore_rkind *kind)
{
	size_t n = b->v->g->n;

	*v = (struct moore_rvaliant){ .b = b, .kind = kind };
	v->slot = malloc(n * n + 1);
	v->len = malloc(n * n + 1);
	v->flags = calloc(n * n + 1, 1);
	v->order = malloc((n + 1) * sizeof(*v->order));
	v->load = calloc(b->v->g->n_edges + 1, sizeof(*v->load));
	v->wish = calloc(n + 1, 1);
	v->acc = calloc(n + 1, sizeof(*v->acc));
	v->hops = calloc(n + 1, 1);
	v->beyond = calloc(n + 1, sizeof(*v->beyond));
	v->price = calloc(b->v->g->n_edges + 1, sizeof(*v->price));
	v->gain = calloc(n * n + 1, sizeof(*v->gain));
	v->first = calloc(n * n + 1, sizeof(*v->first));
	v->last_hop = calloc(n * n + 1, sizeof(*v->last_hop));
	for (uint32_t s = 0; s < n; s++)
		v->split |= b->v->g->half[s] != 0;
	return v->slot && v->len && v->flags && v->order && v->load &&
		v->wish && v->acc && v->hops && v->beyond && v->price &&
		v->first && v->last_hop && v->gain &&
		moore_rtree_init(&v->t, b->v->g) == 0 ? 0 : -MOORE_ENOMEM;
}

void
moore_rvaliant_fini(struct moore_rvaliant *v)
{
	free(v->slot);
	free(v->len);
	free(v->flags);
	free(v->order);
	free(v->load);
	free(v->wish);
	free(v->acc);
	free(v->hops);
	free(v->beyond);
	free(v->price);
	free(v->gain);
	free(v->first);
	free(v->last_hop);
	moore_rtree_fini(&v->t);
	*v = (struct moore_rvaliant){ 0 };
}

/* One tree under work: its rows of the matrices. */
struct tree {
	struct moore_rvaliant *v;
	const struct moore_rview *view;
	uint32_t root;
	uint32_t units;		/* of load from each source: LIDs that share the tree */
	uint8_t *slot, *len, *flags;
	const uint8_t *dist;	/* least legal hops, of the minimal tree */
	/* Links that routes of a switch began and ended with so far, a bit for each slot
	 * of its own and of the root's; and how much its detours gave it. */
	uint64_t *first, *last;
	uint16_t *gain;
};

/* SATED: asks for no detour, in the last layer of a variant because it is COVERED,
 * in others because it had more of them than most. */
enum { SATED = 1, PASS = 2, KIDS = 4, COVERED = 8 };

#define NOBODY UINT16_MAX
#define MAX_MEAN ((uint64_t)1 << 16)
#define MAX_AGAIN ((uint64_t)1 << 55)	/* so that sums stay below LONG_BIT */
#define AGAIN 361		/* links at a switch, squared, where a mean price is added */
#define OTHER_FIRST 2		/* what a detour gains more by a first link of its own */

static struct tree
tree_of(struct moore_rvaliant *v, uint32_t root, uint32_t units)
{
	size_t at = (size_t)root * v->b->v->g->n;

	return (struct tree){ v, v->b->v, root, units, v->slot + at, v->len + at, v->flags + at,
			      v->b->len + at, v->first + at, v->last_hop + at, v->gain + at };
}

/* ---- growing around what is out of service ------------------------------------- */

/* The share of the root's neighbours that this layer does without, and those who
 * would rather be leaves. */
static void
make_wishes(struct moore_rvaliant *v, uint32_t root)
{
	const struct moore_rgraph *g = v->b->v->g;

	for (uint32_t s = 0; s < g->n; s++)
		v->wish[s] = v->flags[(size_t)root * g->n + s] & SATED ? 0 : MOORE_WISH_LEAF;
	for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++) {
		uint32_t i = e - g->xadj[root], by = v->turn * (1 + i / v->n_shares);

		if ((i + root + by) % v->n_shares == v->layer)
			v->wish[g->to[e]] |= MOORE_WISH_SHUT;
	}
}

/* Put those back into service that someone is stranded behind; did that help? */
static bool
unblock(struct moore_rvaliant *v, const struct moore_rview *view)
{
	const struct moore_rgraph *g = view->g;
	bool any = false;

	for (uint32_t s = 0; s < g->n; s++) {
		if (v->t.len[s] != MOORE_LEN_NONE)
			continue;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (g->flags[e] & view->flag && v->wish[g->to[e]] & MOORE_WISH_SHUT) {
				v->wish[g->to[e]] = 0;
				any = true;
			}
	}
	return any;
}

static void
grow(struct moore_rvaliant *v, const struct moore_rview *view, uint32_t root, uint32_t n_connected)
{
	do
		if (moore_rtree_grow_around(&v->t, view, root, v->load, n_connected, v->wish))
			return;
	while (unblock(v, view));
	moore_rtree_grow(&v->t, view, root, v->load, n_connected);
}

/* ---- loads ------------------------------------------------------------------------ */

/* What a source more on e would add to the sum of fourth powers, nearly; kept for
 * every edge, since loads change less often than they are asked for. */
static inline uint64_t
price_at(const struct moore_rvaliant *v, uint32_t e, uint32_t load)
{
	uint64_t c = moore_rgraph_cost(v->b->v->g, e, (uint64_t)load + v->units);

	return c * c * c;
}

static inline void
set_load(struct moore_rvaliant *v, uint32_t e, uint32_t load)
{
	v->load[e] = load;
	v->price[e] = price_at(v, e, load);
}

/* Does the kind of layers let others go on over x? */
static bool
is_of_kind(const struct tree *w, uint32_t x)
{
	const struct moore_rgraph *g = w->view->g;
	const struct moore_rkind *k = w->v->kind;

	if (k->straight && w->dist[x] == 1 && w->len[x] > 1)
		return false;
	while (k->among_hosts && w->len[x] > 2 && w->len[x] != MOORE_LEN_NONE)
		x = g->to[g->xadj[x] + w->slot[x]];
	return !k->among_hosts || w->len[x] != 2 || g->weight[x];
}

/* For a node to hang on: its hops (MOORE_LEN_NONE when it lets nobody through),
 * and the price of its route, renewed as leaves come.  A switch that still wants
 * a detour of its own, and would lose it by taking a leaf, is dear. */
static inline void
set_beyond(struct tree *w, uint32_t x, uint64_t sum)
{
	uint8_t flags = w->flags[x];
	bool dear = !(flags & (KIDS | SATED)) & (w->len[x] == w->dist[x]) & w->view->g->weight[x];
	bool open = flags & PASS && is_of_kind(w, x);

	w->v->hops[x] = open ? w->len[x] : MOORE_LEN_NONE;
	w->v->beyond[x].price = sum + dear * DEAR;
}

/* The bit of the link that e is the other end of, at its head. */
static uint8_t
root_slot(const struct moore_rgraph *g, uint32_t e)
{
	return (g->rev[e] - g->xadj[g->to[e]]) & 63;
}

static void
renew(struct tree *w, uint32_t x)
{
	struct moore_rbeyond *b = w->v->beyond;
	uint32_t last = 0;
	uint64_t sum = 0;

	for (uint32_t a = x; b[a].parent != NOBODY; a = b[a].parent) {
		last = b[a].edge;
		sum += w->v->price[last];
	}
	if (b[x].parent != NOBODY)
		b[x].end = root_slot(w->view->g, last);
	set_beyond(w, x, sum);
}

static void
set_parent(struct tree *w, uint32_t x)
{
	const struct moore_rgraph *g = w->view->g;
	struct moore_rbeyond *b = &w->v->beyond[x];

	b->edge = g->xadj[x] + w->slot[x];
	b->parent = w->slot[x] == MOORE_SLOT_NONE ? NOBODY : (uint16_t)g->to[b->edge];
}

/* The root is never a detour. */
static void
renew_all(struct tree *w)
{
	for (uint32_t x = 0; x < w->view->g->n; x++)
		set_parent(w, x);
	for (uint32_t x = 0; x < w->view->g->n; x++)
		renew(w, x);
	w->v->hops[w->root] = MOORE_LEN_NONE;
}

/* The tree just grown, its loads and prices. */
static void
keep_tree(struct tree *w)
{
	struct moore_rvaliant *v = w->v;
	const struct moore_rtree *t = &v->t;
	const struct moore_rgraph *g = w->view->g;

	memcpy(w->slot, t->slot, g->n);
	memcpy(w->len, t->len, g->n);
	for (uint32_t s = 0; s < g->n; s++)
		w->flags[s] = (uint8_t)((w->flags[s] & (SATED | COVERED)) | t->pass[s] * PASS |
					t->kids[s] * KIDS);
	for (uint32_t i = 0; i < t->n_reached; i++)
		v->order[i] = (uint16_t)t->queue[i];
	moore_rtree_sources(g, t->slot, v->order, t->n_reached, v->acc);
	if (t->n_reached < g->n)
		renew_all(w);
	v->beyond[w->root].price = 0;
	set_parent(w, w->root);
	for (uint32_t i = 1; i < t->n_reached; i++) {
		uint32_t x = v->order[i], e = g->xadj[x] + t->slot[x], r = g->to[e];

		set_parent(w, x);
		set_load(v, e, v->load[e] + v->acc[x] * w->units);
		v->beyond[x].end = r == w->root ? root_slot(g, e) : v->beyond[r].end;
		set_beyond(w, x, v->beyond[r].price + v->price[e]);	/* r has children: not dear */
	}
	v->hops[w->root] = MOORE_LEN_NONE;
}

/* ---- leaves that move ----------------------------------------------------------------- */

/* Leaf s, of which no load counts at present, goes over e. */
static void
hang(struct tree *w, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = w->view->g;
	struct moore_rbeyond *b = w->v->beyond;
	uint32_t x = g->to[e];
	uint64_t sum = 0;

	w->slot[s] = (uint8_t)(e - g->xadj[s]);
	w->len[s] = (uint8_t)(w->len[x] + 1);
	w->flags[s] = (uint8_t)((w->flags[s] & ~PASS) |
				(moore_rview_transit(w->view, s) && moore_rview_legal(w->view, w->slot, w->root, e) ? PASS : 0));
	w->flags[x] |= KIDS;
	set_parent(w, s);
	set_load(w->v, e, w->v->load[e] + w->units);
	for (uint32_t a = x; b[a].parent != NOBODY; a = b[a].parent) {
		uint32_t o = b[a].edge;

		set_load(w->v, o, w->v->load[o] + w->units);
		sum += w->v->price[o];
	}
	b[x].price = sum;
	b[s].end = b[x].end;
	set_beyond(w, s, sum + w->v->price[e]);
}

static void
move(struct tree *w, uint32_t s, uint32_t e)
{
	const struct moore_rbeyond *b = w->v->beyond;

	for (uint32_t a = s; b[a].parent != NOBODY; a = b[a].parent)
		set_load(w->v, b[a].edge, w->v->load[b[a].edge] - w->units);
	hang(w, s, e);
}

/* Slots of s that lead to where a route has lo to lo + span hops to go. */
static uint32_t
list_ways(const struct tree *w, uint32_t s, unsigned lo, unsigned span, uint8_t *slot)
{
	const struct moore_rgraph *g = w->view->g;
	const uint8_t *hops = w->v->hops;
	const uint32_t *to = g->to + g->xadj[s];
	uint32_t n = g->xadj[s + 1] - g->xadj[s], n_ways = 0, k = 0;

	for (uint32_t i = 0; i < n; i++) {
		slot[n_ways] = (uint8_t)i;
		n_ways += (uint8_t)(hops[to[i]] - lo) <= span;
	}
	if (!w->v->lanes)
		return n_ways;
	for (uint32_t i = 0; i < n_ways; i++) {
		slot[k] = slot[i];
		k += moore_rview_leaf(w->view, w->slot, w->root, s, g->xadj[s] + slot[i]);
	}
	return k;
}

/* The cheapest edge for leaf s with a route of lo+1 to hi+1 hops, not over `not`,
 * below limit, MOORE_NONE when there is none: by the prices of the edge and of what
 * lies beyond it, and of using a first or last link again; a route of lo+1 hops
 * before longer ones, or the other way round, as the kind has it.  This is where
 * the time goes: no branches in loops. */
static uint32_t
cheapest(const struct tree *w, uint32_t s, unsigned lo, unsigned hi, uint32_t not, uint64_t limit)
{
	const struct moore_rvaliant *v = w->v;
	uint32_t base = w->view->g->xadj[s], best = MOORE_NONE, n;
	const uint32_t *to = w->view->g->to + base;
	const uint64_t *price = v->price + base, first = w->first[s], last = w->last[s];
	uint64_t least = limit < NEVER ? limit : NEVER;
	unsigned want = v->kind->longest ? hi : lo;
	uint8_t slot[256];

	n = list_ways(w, s, lo, hi - lo, slot);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = slot[k], x = to[i];
		uint64_t p = price[i] + v->beyond[x].price + ((uint64_t)(v->hops[x] != want) << LONG_BIT);

		p += ((first >> (i & 63) & 1) + (last >> v->beyond[x].end & 1)) * v->again;
		p = x == not ? NEVER : p;
		best = p < least ? base + i : best;
		least = p < least ? p : least;
	}
	return best;
}

/* The best detour of leaf s: one hop longer than minimal, or two (three from a
 * neighbour of the root), in the order that its kind
 * prefers.  Sated, it takes none that costs another its own. */
static uint32_t
best_detour(const struct tree *w, uint32_t s, uint32_t not)
{
	unsigned d = w->dist[s];

	return cheapest(w, s, d, d < 2 ? 3 : d + 1, not,
			w->flags[s] & SATED || w->v->last ? DEAR : UINT64_MAX);
}

/* Those now, in order from `first` on, whose routes are longer than minimal or not,
 * and whose flag SATED is as said. */
static uint32_t
list_leaves(struct tree *w, uint32_t first, bool longer, uint8_t mask, uint8_t flags)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t k = 0;

	for (uint32_t i = 0, s = first; i < g->n; i++, s = s + 1 < g->n ? s + 1 : 0) {
		w->v->order[k] = (uint16_t)s;
		k += ((w->flags[s] & (mask | KIDS)) == flags) & g->weight[s] &
			(w->slot[s] != MOORE_SLOT_NONE) & ((w->len[s] > w->dist[s]) == longer);
	}
	return k;
}

/* A leaf that counts: no children, a route, and a source of load. */
static bool
is_leaf(const struct tree *w, uint32_t s)
{
	return !(w->flags[s] & KIDS) && w->view->g->weight[s] && w->slot[s] != MOORE_SLOT_NONE;
}

/* May leaf s stay minimal, to be covered by another layer? */
static bool
is_free(const struct tree *w, uint32_t s)
{
	const struct moore_rvaliant *v = w->v;

	return v->split && (w->flags[s] & SATED ||
			    (s + w->root + v->turn + 1) % v->n_shares != v->layer);
}

/* A detour of s through halves that costs no more than it is worth. */
static uint32_t
fair_detour(const struct tree *w, uint32_t s)
{
	const struct moore_rbeyond *b = w->v->beyond;
	uint64_t now = 0;

	for (uint32_t a = s; b[a].parent != NOBODY; a = b[a].parent)
		now += w->v->price[b[a].edge];
	return cheapest(w, s, w->dist[s] + 1u, w->dist[s] + 1u, MOORE_NONE,
			MOORE_DETOUR_WORTH * now);
}

static void
move_leaves(struct tree *w, uint32_t first, bool sated)
{
	uint32_t n = list_leaves(w, first, false, SATED, sated ? SATED : 0);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = w->v->order[i], e;

		if (w->flags[s] & KIDS)
			continue;
		e = is_free(w, s) ? fair_detour(w, s) : best_detour(w, s, MOORE_NONE);
		if (e != MOORE_NONE)
			move(w, s, e);
	}
}

/* The price of x's route, but for what one leaf of it brings. */
static uint64_t
price_without(const struct tree *w, uint32_t x)
{
	const struct moore_rbeyond *b = w->v->beyond;
	uint64_t sum = 0;

	for (; b[x].parent != NOBODY; x = b[x].parent)
		sum += price_at(w->v, b[x].edge, w->v->load[b[x].edge] - w->units);
	return sum;
}

/* Leaves on detours move to cheaper ones as long. */
static void
sweep(struct tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t n;

	renew_all(w);
	n = list_leaves(w, 0, true, 0, 0);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = w->v->order[i], now, e;
		uint64_t was;

		if (w->flags[s] & KIDS)
			continue;
		now = g->xadj[s] + w->slot[s];
		was = w->v->price[now];
		w->v->price[now] = price_at(w->v, now, w->v->load[now] - w->units);
		w->v->beyond[g->to[now]].price = price_without(w, g->to[now]);
		e = cheapest(w, s, w->len[s] - 1u, w->len[s] - 1u, MOORE_NONE, DEAR);
		w->v->price[now] = was;
		if (e != MOORE_NONE && e != now)
			move(w, s, e);
	}
}

/* ---- the last layer: who has had no detour yet ------------------------------------------ */

/* A sated neighbour of s that is on a detour goes home and takes s as a leaf. */
static uint32_t
call_home(struct tree *w, uint32_t s, uint32_t not)
{
	const struct moore_rgraph *g = w->view->g;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		uint32_t x = g->to[e], home;

		if (x == not || !(g->flags[e] & w->view->flag) || !is_leaf(w, x) || !(w->flags[x] & SATED) ||
		    w->len[x] <= w->dist[x] || w->dist[x] < w->dist[s])
			continue;
		home = cheapest(w, x, w->dist[x] - 1u, w->dist[x] - 1u, s, DEAR);
		if (home == MOORE_NONE || !moore_rview_legal(w->view, w->slot, w->root, home))
			continue;
		move(w, x, home);
		if (w->flags[x] & PASS && moore_rview_leaf(w->view, w->slot, w->root, s, e))
			return e;
	}
	return MOORE_NONE;
}

/* Send the children of s elsewhere: each to a detour, or, sated, to any parent;
 * theirs before them, so many generations deep. */
static bool
send_children_off(struct tree *w, uint32_t s, unsigned generations)
{
	const struct moore_rgraph *g = w->view->g;
	bool all = true;

	w->v->hops[s] = MOORE_LEN_NONE;	/* nobody comes while they leave */
	for (uint32_t o = g->xadj[s]; all && o < g->xadj[s + 1]; o++) {
		uint32_t c = g->to[o], e;

		if (w->v->beyond[c].parent != s)
			continue;
		if (w->flags[c] & KIDS && (!generations || !send_children_off(w, c, generations - 1))) {
			all = false;
			break;
		}
		e = best_detour(w, c, s);
		if (e == MOORE_NONE && w->flags[c] & SATED)
			e = cheapest(w, c, w->dist[c] - 1u, w->dist[c] - 1u, s, DEAR);
		if (e == MOORE_NONE)
			e = call_home(w, c, s);
		if (e == MOORE_NONE)
			all = false;
		else
			move(w, c, e);
	}
	if (all)
		w->flags[s] &= (uint8_t)~KIDS;
	renew(w, s);
	return all;
}

static bool
is_wanting(const struct tree *w, uint32_t s)
{
	return !(w->flags[s] & SATED) && w->view->g->weight[s] && w->slot[s] != MOORE_SLOT_NONE &&
		w->len[s] <= w->dist[s] && s != w->root;
}

static void
cover_rest(struct tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	bool renewed = false;

	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t e;

		if (!is_wanting(w, s))
			continue;
		if (!renewed)
			renew_all(w);
		renewed = true;
		if (w->flags[s] & KIDS && !send_children_off(w, s, w->v->last ? 2 : 1))
			continue;
		e = best_detour(w, s, MOORE_NONE);
		if (e == MOORE_NONE)
			e = call_home(w, s, MOORE_NONE);
		if (e != MOORE_NONE)
			move(w, s, e);
	}
}

/* ---- a slice -------------------------------------------------------------------------- */

static void
build_tree(struct moore_rvaliant *v, uint32_t root, uint32_t units, uint32_t n_connected)
{
	struct tree w = tree_of(v, root, units);
	struct moore_rng r = { (uint64_t)root << 32 | v->turn << 8 | v->layer };
	uint32_t first = moore_rng_below(&r, w.view->g->n);

	if (!v->split || w.view->g->half[root] ||
	    !moore_rhalves_grow(&v->t, w.view, root, v, units, n_connected)) {
		make_wishes(v, root);
		grow(v, w.view, root, n_connected);
	}
	keep_tree(&w);
	move_leaves(&w, first, false);
	move_leaves(&w, first, true);
}

/* Who is sated, when a layer starts. */
static void
sate(struct tree *w)
{
	const struct moore_rvaliant *v = w->v;
	uint32_t n = w->view->g->n;
	uint64_t sum = 0;

	for (uint32_t s = 0; s < n; s++) {
		if (v->layer == 0)
			w->flags[s] = 0;
		sum += w->gain[s];
	}
	for (uint32_t s = 0; s < n; s++) {
		bool sated = v->last || v->split ? w->flags[s] & COVERED : (uint64_t)w->gain[s] * n > sum;

		w->flags[s] = (uint8_t)((w->flags[s] & ~SATED) | sated * SATED);
	}
}

/* The links of the minimal tree. */
static void
note_minimal(struct tree *w, const uint8_t *slot)
{
	const struct moore_rgraph *g = w->view->g;

	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t e = 0;

		if (s == w->root || slot[s] == MOORE_SLOT_NONE)
			continue;
		for (uint32_t a = s; a != w->root; a = g->to[e])
			e = g->xadj[a] + slot[a];
		w->first[s] |= (uint64_t)1 << (slot[s] & 63);
		w->last[s] |= (uint64_t)1 << root_slot(g, e);
	}
}

/* What the tree gave whom. */
static void
note_gains(struct tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	const uint8_t *minimal = w->v->b->slot + (size_t)w->root * g->n;

	for (uint32_t s = 0; s < g->n; s++) {
		if (w->len[s] == MOORE_LEN_NONE || w->len[s] <= w->dist[s])
			continue;
		w->flags[s] |= COVERED;
		w->gain[s] = (uint16_t)(w->gain[s] + 1 + OTHER_FIRST * (w->slot[s] != minimal[s]));
	}
	for (uint32_t s = 0; s < g->n && !w->v->split; s++) {
		w->first[s] |= (uint64_t)(w->len[s] < MOORE_LEN_NONE) << (w->slot[s] & 63);
		w->last[s] |= (uint64_t)(w->len[s] < MOORE_LEN_NONE) << w->v->beyond[s].end;
	}
}

/* The slice at hand: prices, and what it costs to use a link again. */
static void
start_slice(struct moore_rvaliant *v, const uint8_t *present)
{
	const struct moore_rgraph *g = v->b->v->g;
	uint64_t mean = 0, degree = g->n_edges / g->n;

	v->units = 0;
	for (uint32_t root = 0; root < g->n; root++)
		v->units = present[root] > v->units ? present[root] : v->units;
	v->lanes = false;
	for (uint32_t e = 0; e < g->n_edges; e++) {
		v->lanes |= v->b->v->lanes && g->flags[e] & MOORE_EDGE_ONE_LANE;
		v->price[e] = g->flags[e] & v->b->v->flag ? price_at(v, e, v->load[e]) : NEVER;
		mean += v->load[e] + v->units;
	}
	mean /= g->n_edges + !g->n_edges;
	mean = mean < MAX_MEAN ? mean : MAX_MEAN;
	v->again = mean * mean * mean / AGAIN * degree * degree;
	if (v->again > MAX_AGAIN)
		v->again = MAX_AGAIN;
}

void
moore_rvaliant_slice(struct moore_rvaliant *v, unsigned layer, unsigned n_layers, unsigned turn,
		     const uint8_t *present, const uint32_t *n_connected)
{
	uint32_t n = v->b->v->g->n;

	v->last = layer + 1 == n_layers;
	v->layer = layer;
	v->n_shares = n_layers < MIN_SHARES ? MIN_SHARES : n_layers;
	v->turn = turn;
	start_slice(v, present);
	for (uint32_t root = 0; root < n; root++) {
		struct tree w = tree_of(v, root, 0);

		sate(&w);
		if (turn + layer == 0 && !v->split)
			note_minimal(&w, v->b->slot + (size_t)root * n);
	}
	for (uint32_t root = 0; root < n; root++)
		if (present[root])
			build_tree(v, root, present[root], n_connected[root]);
	for (uint32_t root = 0; root < n && layer > 0; root++) {
		struct tree w = tree_of(v, root, present[root]);

		if (present[root])
			cover_rest(&w);
	}
	for (uint32_t root = 0; root < n; root++) {
		struct tree w = tree_of(v, root, present[root]);

		if (present[root] && (v->last || !v->split))
			sweep(&w);
		if (present[root])
			note_gains(&w);
	}
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_halves.c - the tree of a layer where middle switches are split into halves P1 and P2
 * (OFT, MLFM; halves.c).  A *low* switch has endpoints; the root is one.
 *
 * A route can go on after its second hop only by a turn P1 -> low -> P2, so a detour is
 * s -> P1 -> i -> P2 -> root.  The tree is built from its root:
 *   - the middle switches of P2 beside it;
 *   - *intermediates* i below those;
 *   - every middle switch of P1, also one beside the root, below an intermediate.
 * Then every low switch that is no intermediate has a detour over each neighbour in P1.
 * Intermediates have none; so each layer takes them from another part of the low switches.
 *
 * Which intermediate a middle switch attaches to, and over which one of P2, is decided by
 * the loads so far and those that this tree will add. */
#include <string.h>

#include "route/layers/layer_tree.h"

/* Added to prices, which stay below: */
#define OUTSIDE ((uint64_t)1 << 60)	/* the intermediate is not in this layer's part */
#define NEW ((uint64_t)1 << 61)		/* the low switch would become an intermediate */

struct halves {
	struct moore_rtree *t;
	const struct moore_rview *v;
	const struct moore_rlayer_slice *slice;
	const uint8_t *half;
	uint32_t *load;
	uint32_t each;		/* load that one middle switch of P1 will add, about */
};

static bool
is_usable(const struct halves *w, uint32_t e, uint32_t parent)
{
	return w->v->g->flags[e] & w->v->flag &&
		(parent == w->t->root || moore_rview_transit(w->v, parent));
}

static void
hang(struct halves *w, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	struct moore_rtree *t = w->t;

	t->slot[s] = (uint8_t)(e - g->xadj[s]);
	t->len[s] = (uint8_t)(t->len[g->to[e]] + 1);
}

static uint64_t
price(const struct halves *w, uint32_t e)
{
	uint64_t l = moore_rgraph_weighted(w->v->g, e, w->load[e] + w->each);

	return l * l * l;
}

/* The cheapest edge of low switch i towards the root over P2, and the price of that route;
 * an intermediate has one already. */
static uint32_t
edge_to_p2(const struct halves *w, uint32_t i, uint64_t *least)
{
	const struct moore_rgraph *g = w->v->g;
	const struct moore_rtree *t = w->t;
	uint32_t best = MOORE_NONE;

	*least = UINT64_MAX;
	for (uint32_t e = g->xadj[i]; e < g->xadj[i + 1]; e++) {
		uint32_t m = g->to[e];
		uint64_t p;

		if (t->len[m] != 1 || !is_usable(w, e, m) ||
		    (t->len[i] == 2 && e != g->xadj[i] + t->slot[i]) ||
		    !moore_rview_legal(w->v, t->slot, t->root, e))
			continue;
		p = price(w, e) + price(w, g->xadj[m] + t->slot[m]);
		if (p < *least) {
			*least = p;
			best = e;
		}
	}
	return best;
}

/* Adds `by` to the load of the route of m. */
static void
add_load(struct halves *w, uint32_t m, uint32_t by)
{
	const struct moore_rgraph *g = w->v->g;

	for (uint32_t a = m, e; a != w->t->root; a = g->to[e]) {
		e = g->xadj[a] + w->t->slot[a];
		w->load[e] += by;
	}
}

/* Whether low switch i is in the part that this layer takes intermediates from. */
static bool
is_in_part(const struct halves *w, uint32_t i)
{
	return (i + w->t->root + w->slice->variant) % w->slice->n_shares == w->slice->layer;
}

/* Whether m is beside the root and a detour of that price is not worth it. */
static bool
is_better_minimal(const struct halves *w, uint32_t m, uint64_t detour)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t root = w->t->root;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
		if (g->to[e] == root && is_usable(w, e, root))
			return MOORE_DETOUR_WORTH * price(w, e) < detour % OUTSIDE;
	return false;
}

/* Attaches middle switch m below the cheapest intermediate: one of P1 so that others are
 * routed through it; one of P2 as a leaf, so that no more low switches than must become
 * intermediates. */
static void
hang_middle(struct halves *w, uint32_t m)
{
	const struct moore_rgraph *g = w->v->g;
	const uint32_t *rank = w->v->turns->rank;
	uint64_t least = UINT64_MAX;
	uint32_t best = MOORE_NONE, onward = MOORE_NONE;
	bool passes = w->half[m] == 1;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++) {
		uint32_t i = g->to[e], out;
		uint64_t p;

		if (i == w->t->root || !is_usable(w, e, i) ||
		    (out = edge_to_p2(w, i, &p)) == MOORE_NONE ||
		    (passes && rank[e] >= rank[out]))
			continue;
		p += price(w, e);
		if (!is_in_part(w, i))
			p += OUTSIDE;
		if (!passes && w->t->len[i] != 2)
			p += NEW;
		if (p < least) {
			least = p;
			best = e;
			onward = out;
		}
	}
	if (best == MOORE_NONE || (passes && is_better_minimal(w, m, least)))
		return;
	hang(w, g->to[best], onward);
	hang(w, m, best);
	if (passes)
		add_load(w, m, w->each);
}

static uint32_t
load_of_middle(const struct halves *w, uint32_t n_lids)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t n_low = 0, n_p1 = 0;

	for (uint32_t s = 0; s < g->n; s++) {
		n_low += g->is_source[s];
		n_p1 += w->half[s] == 1;
	}
	return n_lids * (n_p1 ? n_low / n_p1 + 1 : 1);
}

/* Takes back the loads of hang_middle(). */
static void
take_loads_back(struct halves *w)
{
	for (uint32_t s = 0; s < w->v->g->n; s++)
		if (w->t->len[s] == 3 && w->half[s] == 1)
			add_load(w, s, 0 - w->each);
}

/* The root and the middle switches of P2 beside it. */
static void
start(struct halves *w, uint32_t root)
{
	const struct moore_rgraph *g = w->v->g;
	struct moore_rtree *t = w->t;

	memset(t->slot, MOORE_SLOT_NONE, g->n);
	memset(t->len, MOORE_LEN_NONE, g->n);
	t->root = root;
	t->len[root] = 0;
	for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++)
		if (w->half[g->to[e]] == 2 && is_usable(w, g->rev[e], root))
			hang(w, g->to[e], g->rev[e]);
}

bool
moore_rlayer_grow_halves(struct moore_rlayer_tree *tree, uint32_t n_connected)
{
	const struct moore_rgraph *g = tree->view->g;
	struct halves w = { &tree->v->t, tree->view, tree->slice, tree->view->turns->half,
		tree->v->load, 0 };
	uint32_t root = tree->root, moved = 0;

	w.each = load_of_middle(&w, tree->n_lids);
	start(&w, root);
	for (unsigned half = 1; half <= 2; half++)
		for (uint32_t k = 0; k < g->n; k++) {
			uint32_t m = (root + tree->slice->variant + k) % g->n;

			if (w.half[m] == half && w.t->len[m] == MOORE_LEN_NONE)
				hang_middle(&w, m);
		}
	take_loads_back(&w);
	moore_rtree_queue(w.t, g->n);
	return moore_rtree_repair(w.t, w.v, root, w.load, n_connected, &moved);
}

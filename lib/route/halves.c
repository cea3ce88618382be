// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* halves.c - the tree of a layer where every link joins a switch with endpoints
 * (a *low* one) and a middle one, and these are split into halves P1 and P2
 * (OFT, MLFM).
 *
 * The turns P1 -> low -> P2 are all that lets a route go on after its second hop,
 * so a detour is s -> P1 -> i -> P2 -> root.  The tree is built from its root: the
 * middle switches of P2 beside it; *intermediates* i; every middle switch of P1,
 * those beside the root too, below an intermediate.  Then whoever is no
 * intermediate finds a detour through any neighbour in P1.  Intermediates have
 * none, so each layer takes them from another part of the low switches, and who
 * is one in this layer is none in the others.
 *
 * Which intermediate, and over which middle switch of P2: where the loads so far,
 * and what this tree will bring, cost least. */
#include <string.h>

#include "route/route_impl.h"

#define OUTSIDE ((uint64_t)1 << 60)	/* prices, above all loads */
#define NEW ((uint64_t)1 << 61)

struct halves {
	struct moore_rtree *t;
	const struct moore_rview *v;
	const struct moore_rvaliant *by;
	uint32_t *load;
	uint32_t root;
	uint32_t each;		/* load that a middle switch of P1 will bring, about */
};

static bool
usable(const struct halves *w, uint32_t e, uint32_t parent)
{
	return w->v->g->flags[e] & w->v->flag &&
		(parent == w->root || moore_rview_transit(w->v, parent));
}

/* Hang s on edge e. */
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
	uint64_t l = moore_rgraph_cost(w->v->g, e, w->load[e] + w->each);

	return l * l * l;
}

/* The cheapest way from low switch i over P2 to the root; *sum: what it costs. */
static uint32_t
way_on(const struct halves *w, uint32_t i, uint64_t *sum)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t best = MOORE_NONE;

	*sum = UINT64_MAX;
	for (uint32_t e = g->xadj[i]; e < g->xadj[i + 1]; e++) {
		uint32_t m = g->to[e];
		uint64_t p;

		if (w->t->len[m] != 1 || !usable(w, e, m) ||
		    (w->t->len[i] == 2 && e != g->xadj[i] + w->t->slot[i]) ||
		    !moore_rview_legal(w->v, w->t->slot, w->root, e))
			continue;
		p = price(w, e) + price(w, g->xadj[m] + w->t->slot[m]);
		if (p < *sum) {
			*sum = p;
			best = e;
		}
	}
	return best;
}

/* May turn from edge in over its head on to edge out, both lanes and ranks said? */
static bool
may_turn(const struct halves *w, uint32_t in, uint32_t out)
{
	return w->v->turns->rank[in] < w->v->turns->rank[out];
}

/* What the sources of m, which hangs below an intermediate, bring; or take it off. */
static void
bear(struct halves *w, uint32_t m, uint32_t by)
{
	const struct moore_rgraph *g = w->v->g;

	for (uint32_t a = m, e; a != w->root; a = g->to[e]) {
		e = g->xadj[a] + w->t->slot[a];
		w->load[e] += by;
	}
}

/* Low switches that this layer takes intermediates from first. */
static bool
in_part(const struct halves *w, uint32_t i)
{
	return (i + w->root + w->by->turn) % w->by->n_shares == w->by->layer;
}

/* Is m beside the root, and the way round by so much dearer than its link to it? */
static bool
straight_is_cheap(const struct halves *w, uint32_t m, uint64_t round)
{
	const struct moore_rgraph *g = w->v->g;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
		if (g->to[e] == w->root && usable(w, e, w->root))
			return MOORE_DETOUR_WORTH * price(w, e) < round % OUTSIDE;
	return false;
}

/* Hang middle switch m below the cheapest intermediate: of P1 to pass others on,
 * of P2 as a leaf, so that no more low switches have children than must. */
static void
hang_middle(struct halves *w, uint32_t m)
{
	const struct moore_rgraph *g = w->v->g;
	uint64_t least = UINT64_MAX;
	uint32_t best = MOORE_NONE, on = MOORE_NONE;
	bool passes = g->half[m] == 1;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++) {
		uint32_t i = g->to[e], out;
		uint64_t p;

		if (i == w->root || !usable(w, e, i) || (out = way_on(w, i, &p)) == MOORE_NONE ||
		    (passes && !may_turn(w, e, out)))
			continue;
		p += price(w, e);
		if (!in_part(w, i))
			p += OUTSIDE;
		if (!passes && w->t->len[i] != 2)
			p += NEW;
		if (p < least) {
			least = p;
			best = e;
			on = out;
		}
	}
	if (best == MOORE_NONE || (passes && straight_is_cheap(w, m, least)))
		return;
	hang(w, g->to[best], on);
	hang(w, m, best);
	if (passes)
		bear(w, m, w->each);
}

static void
count_each(struct halves *w, uint32_t units)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t n_low = 0, n_first = 0;

	for (uint32_t s = 0; s < g->n; s++) {
		n_low += g->weight[s];
		n_first += g->half[s] == 1;
	}
	w->each = units * (n_first ? n_low / n_first + 1 : 1);
}

/* Nodes with a route, by length, and the load that was put on the way taken off. */
static void
queue_nodes(struct halves *w)
{
	const struct moore_rgraph *g = w->v->g;
	struct moore_rtree *t = w->t;

	t->n_reached = 0;
	for (unsigned len = 0; len <= 3; len++)
		for (uint32_t s = 0; s < g->n; s++)
			if (t->len[s] == len)
				t->queue[t->n_reached++] = s;
	for (uint32_t s = 0; s < g->n; s++)
		if (t->len[s] == 3 && g->half[s] == 1)
			bear(w, s, 0 - w->each);
}

bool
moore_rhalves_grow(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		   struct moore_rvaliant *by, uint32_t units, uint32_t n_connected)
{
	const struct moore_rgraph *g = v->g;
	struct halves w = { t, v, by, by->load, root, 0 };
	uint32_t moved = 0;

	count_each(&w, units);
	memset(t->slot, MOORE_SLOT_NONE, g->n);
	memset(t->len, MOORE_LEN_NONE, g->n);
	t->root = root;
	t->len[root] = 0;
	for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++)
		if (g->half[g->to[e]] == 2 && usable(&w, g->rev[e], root))
			hang(&w, g->to[e], g->rev[e]);
	for (unsigned half = 1; half <= 2; half++)
		for (uint32_t k = 0; k < g->n; k++) {
			uint32_t m = (root + by->turn + k) % g->n;

			if (g->half[m] == half && t->len[m] == MOORE_LEN_NONE)
				hang_middle(&w, m);
		}
	queue_nodes(&w);
	return moore_rtree_repair(t, v, root, by->load, n_connected, &moved);
}

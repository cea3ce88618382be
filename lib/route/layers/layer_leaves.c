// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_leaves.c - leaves of a layer's tree move to detours, and to cheaper ones.
 *
 * Only nodes without children move, so a node that is legal stays so. */
#include "route/layers/layer_tree.h"

/* Attaches leaf s, whose load is taken off, over edge e. */
static void
hang(struct moore_rlayer_tree *w, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = w->view->g;
	struct moore_ronward *o = w->v->onward;
	uint32_t x = g->to[e];
	uint64_t sum = 0;
	bool pass;

	w->slot[s] = (uint8_t)(e - g->xadj[s]);
	w->len[s] = (uint8_t)(w->len[x] + 1);
	pass = moore_rview_transit(w->view, s) && moore_rview_legal(w->view, w->slot, w->root, e);
	w->flags[s] = (uint8_t)((w->flags[s] & ~PASS) | (pass ? PASS : 0));
	w->flags[x] |= KIDS;
	moore_rlayer_set_parent(g, &o[s], s, w->slot[s]);
	set_load(w, e, w->v->load[e] + w->n_lids);
	for (uint32_t a = x; o[a].parent != NO_PARENT; a = o[a].parent) {
		uint32_t k = o[a].edge;

		set_load(w, k, w->v->load[k] + w->n_lids);
		sum += w->v->price[k];
	}
	o[x].price = sum;
	o[s].end = o[x].end;
	moore_rlayer_set_onward(w, s, sum + w->v->price[e]);
}

void
moore_rlayer_move(struct moore_rlayer_tree *w, uint32_t s, uint32_t e)
{
	const struct moore_ronward *o = w->v->onward;

	for (uint32_t a = s; o[a].parent != NO_PARENT; a = o[a].parent)
		set_load(w, o[a].edge, w->v->load[o[a].edge] - w->n_lids);
	hang(w, s, e);
}

/* ---- which edge ------------------------------------------------------------------ */

uint32_t
moore_rlayer_list_slots(const struct moore_rlayer_tree *w, uint32_t s, unsigned min_len,
			unsigned span, uint8_t *slot)
{
	const struct moore_rgraph *g = w->view->g;
	const uint8_t *open_len = w->v->open_len;
	const uint32_t *to = g->to + g->xadj[s];
	uint32_t n = g->xadj[s + 1] - g->xadj[s], n_slots = 0, k = 0;

	for (uint32_t i = 0; i < n; i++) {
		slot[n_slots] = (uint8_t)i;
		n_slots += (uint8_t)(open_len[to[i]] - min_len) <= span;
	}
	if (!w->slice->one_lane)
		return n_slots;
	for (uint32_t i = 0; i < n_slots; i++) {
		slot[k] = slot[i];
		k += moore_rview_leaf(w->view, w->slot, w->root, g->xadj[s] + slot[i]);
	}
	return k;
}

/* Most of the time of a build goes by here, so the loops have no branches. */
uint32_t
moore_rlayer_cheapest(const struct moore_rlayer_tree *w, uint32_t s, unsigned min_len,
		      unsigned max_len, uint32_t except, uint64_t limit)
{
	const struct moore_rlayers *v = w->v;
	uint32_t base = w->view->g->xadj[s], best = MOORE_NONE, n;
	const uint32_t *to = w->view->g->to + base;
	const uint64_t *price = v->price + base;
	uint64_t first = w->first ? w->first[s] : 0, last = w->last ? w->last[s] : 0;
	uint64_t least = limit < NEVER ? limit : NEVER, again = w->slice->again;
	unsigned preferred = v->kind->longest ? max_len : min_len;
	uint8_t slot[256];

	n = moore_rlayer_list_slots(w, s, min_len, max_len - min_len, slot);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = slot[k], x = to[i];
		uint64_t p = price[i] + v->onward[x].price +
			((uint64_t)(v->open_len[x] != preferred) << LONG_BIT);

		p += ((first >> (i & 63) & 1) + (last >> v->onward[x].end & 1)) * again;
		p = x == except ? NEVER : p;
		best = p < least ? base + i : best;
		least = p < least ? p : least;
	}
	return best;
}

/* A sated leaf takes no detour that costs another node its own; nor does any leaf in the last
 * layer. */
uint32_t
moore_rlayer_detour(const struct moore_rlayer_tree *w, uint32_t s, uint32_t except)
{
	unsigned d = w->dist[s];
	bool modest = w->flags[s] & SATED || w->slice->is_last;

	return moore_rlayer_cheapest(w, s, d, d < 2 ? 3 : d + 1, except,
				     modest ? DEAR : UINT64_MAX);
}

/* With halves: whether leaf s may stay minimal, since another layer takes care of it. */
static bool
may_stay_minimal(const struct moore_rlayer_tree *w, uint32_t s)
{
	const struct moore_rlayer_slice *sl = w->slice;

	return w->v->split && (w->flags[s] & SATED ||
			       (s + w->root + sl->variant + 1) % sl->n_shares != sl->layer);
}

/* With halves: a detour of s that is not too dear beside its present route. */
static uint32_t
cheap_detour(const struct moore_rlayer_tree *w, uint32_t s)
{
	const struct moore_ronward *o = w->v->onward;
	uint64_t now = 0;

	for (uint32_t a = s; o[a].parent != NO_PARENT; a = o[a].parent)
		now += w->v->price[o[a].edge];
	return moore_rlayer_cheapest(w, s, w->dist[s] + 1u, w->dist[s] + 1u, MOORE_NONE,
				     MOORE_DETOUR_WORTH * now);
}

/* ---- all leaves -------------------------------------------------------------------- */

/* Lists the leaves, from node `from` on, that are on detours or not, and whose flags under
 * mask are as given. */
static uint32_t
list_leaves(struct moore_rlayer_tree *w, uint32_t from, bool on_detour, uint8_t mask,
	    uint8_t flags)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t k = 0;

	for (uint32_t i = 0, s = from; i < g->n; i++, s = s + 1 < g->n ? s + 1 : 0) {
		w->v->list[k] = (uint16_t)s;
		k += ((w->flags[s] & (mask | KIDS)) == flags) & g->is_source[s] &
			(w->slot[s] != MOORE_SLOT_NONE) &
			((w->len[s] > w->dist[s]) == on_detour);
	}
	return k;
}

static void
move_to_detours(struct moore_rlayer_tree *w, uint32_t from, uint8_t sated)
{
	uint32_t n = list_leaves(w, from, false, SATED, sated);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = w->v->list[i], e;

		if (w->flags[s] & KIDS)
			continue;
		e = may_stay_minimal(w, s) ? cheap_detour(w, s) :
			moore_rlayer_detour(w, s, MOORE_NONE);
		if (e != MOORE_NONE)
			moore_rlayer_move(w, s, e);
	}
}

void
moore_rlayer_move_leaves(struct moore_rlayer_tree *w, uint32_t from)
{
	move_to_detours(w, from, 0);
	move_to_detours(w, from, SATED);
}

/* The price of x's route without what one leaf adds to it. */
static uint64_t
price_without_leaf(const struct moore_rlayer_tree *w, uint32_t x)
{
	const struct moore_ronward *o = w->v->onward;
	uint64_t sum = 0;

	for (; o[x].parent != NO_PARENT; x = o[x].parent)
		sum += price_at(w, o[x].edge, w->v->load[o[x].edge] - w->n_lids);
	return sum;
}

void
moore_rlayer_even(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t n;

	moore_rlayer_renew_all(w);
	n = list_leaves(w, 0, true, 0, 0);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = w->v->list[i], now, e;
		unsigned len = w->len[s] - 1u;
		uint64_t was;

		if (w->flags[s] & KIDS)
			continue;
		now = g->xadj[s] + w->slot[s];
		was = w->v->price[now];
		w->v->price[now] = price_at(w, now, w->v->load[now] - w->n_lids);
		w->v->onward[g->to[now]].price = price_without_leaf(w, g->to[now]);
		e = moore_rlayer_cheapest(w, s, len, len, MOORE_NONE, DEAR);
		w->v->price[now] = was;
		if (e != MOORE_NONE && e != now)
			moore_rlayer_move(w, s, e);
	}
}

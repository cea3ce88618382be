// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_gates.c - the tree of a layer where every switch is within two hops of every other.
 *
 * A *gate* is a neighbour r of the root d through which detours arrive, and a *relay* a
 * neighbour x of a gate such that the turn x -> r -> d rises.  Each tree has a few gates.
 * Relays keep two hops, so a tree has no more of them than it needs.  The other switches at
 * distance two take a detour of three hops, s -> x -> r -> d, by the cheapest relay among
 * their neighbours, or of four where they have none.  With one gate alone, the first link of a
 * detour would decide its last; with all of them in service most switches would have to stay
 * where they are, since others come through them.
 *
 * A neighbour of the root that is no gate takes a detour, too: of three hops to a relay, or of
 * four by a switch on a detour from where all turns rise.  Switches that come through it
 * minimally take detours of four hops first.
 *
 * layer_relays.c chooses the gates and relays. */
#include <string.h>

#include "route/layers/layer_gates.h"

/* Price of the `len` links from x to the root. */
static inline uint64_t
price_onward(const struct moore_rlayer_tree *w, uint32_t x, unsigned len)
{
	const struct moore_ronward *o = w->v->onward;
	uint64_t sum = 0;

	for (unsigned i = 0; i < len; i++, x = o[x].parent)
		sum += o[x].price;
	return sum;
}

/* How often the pair has begun with this first link, or ended with this last one, up to twice
 * each; routes of the same variant count more. */
static inline uint64_t
uses(const struct moore_rused *u, unsigned first, unsigned last)
{
	return (u->first[0] >> first & 1) + (u->first[1] >> first & 1) +
		(u->last[0] >> last & 1) + (u->last[1] >> last & 1) +
		MOORE_AGAIN_OWN * ((u->own_first >> first & 1) + (u->own_last >> last & 1));
}

/* Adds the load of s to its route. */
static inline void
add_load(struct moore_rlayer_tree *w, uint32_t s)
{
	const struct moore_rgraph *g = w->view->g;
	struct moore_ronward *o = w->v->onward;
	uint32_t *load = w->v->load, root = w->root, n_lids = w->n_lids;
	uint64_t *price = w->v->price, one_more = w->slice->max_lids;

	for (uint32_t a = s; a != root; a = o[a].parent) {
		uint32_t e = o[a].edge;

		load[e] += n_lids;
		o[a].price = price[e] = moore_rlayer_price(g, e, load[e] + one_more);
	}
}

/* The route of s is final: adds its load. */
static inline void
settle(struct moore_rlayer_tree *w, uint32_t s)
{
	uint8_t len = w->len[s], flags = w->flags[s];

	w->flags[s] = (uint8_t)(flags | SETTLED | (len > w->dist[s]) * COVERED);
	w->v->open_len[s] = (uint8_t)(len | !(flags & PASS) * MOORE_LEN_NONE);
	moore_rused_note(w, s, w->slot[s] & 63, w->v->onward[s].end);
	if (w->view->g->is_source[s])
		add_load(w, s);
}

/* Makes e the parent edge of s, which does not lead to the root. */
static inline void
attach(struct moore_rlayer_tree *w, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = w->view->g;
	const uint32_t *rank = w->view->turns->rank;
	struct moore_ronward *o = w->v->onward;
	uint32_t x = g->to[e];
	bool passes = moore_rview_transit(w->view, s) & (rank[e] < rank[o[x].edge]);

	o[s] = (struct moore_ronward){ w->v->price[e], e, (uint16_t)x, o[x].end };
	w->slot[s] = (uint8_t)(e - g->xadj[s]);
	w->len[s] = (uint8_t)(w->len[x] + 1);
	w->flags[s] = (uint8_t)((w->flags[s] & ~PASS) | passes * PASS);
	w->flags[x] |= KIDS;
}

void
moore_rgates_take(struct moore_rlayer_tree *w, uint32_t s, uint32_t e)
{
	attach(w, s, e);
	settle(w, s);
}

/* ---- detours ------------------------------------------------------------------------- */

/* Price of s when it takes edge e to x, which is settled and has `len` links to go. */
static inline uint64_t
price_of(const struct moore_rlayer_tree *w, uint32_t s, uint32_t e, unsigned len)
{
	uint32_t x = w->view->g->to[e];

	return w->v->price[e] + price_onward(w, x, len) +
		uses(&w->used[s], (e - w->view->g->xadj[s]) & 63, w->v->onward[x].end) *
		w->slice->again;
}

/* Returns the cheapest edge of s to a relay. */
static inline uint32_t
cheapest_offer(const struct moore_rlayer_tree *w, uint32_t s)
{
	const struct moore_rtree *t = &w->v->t;
	uint32_t best = MOORE_NONE;
	uint64_t least = NEVER;

	for (uint32_t e = t->first[s]; e != MOORE_NONE; e = t->next[e]) {
		uint64_t p = price_of(w, s, e, 2);

		best = p < least ? e : best;
		least = p < least ? p : least;
	}
	return best;
}

/* The cheapest edge of s to a switch on a detour of three hops from where all turns rise. */
static uint32_t
cheapest_of_four(const struct moore_rlayer_tree *w, uint32_t s)
{
	uint32_t best = MOORE_NONE, first = w->view->g->xadj[s], n;
	uint64_t least = NEVER;		/* the price of an edge that is not open */
	uint8_t slot[256];

	n = moore_rlayer_list_slots(w, s, 3, 0, slot);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = first + slot[i];
		uint64_t p = price_of(w, s, e, 3);

		best = p < least ? e : best;
		least = p < least ? p : least;
	}
	return best;
}

/* Whether s takes four hops rather than three in this tree: every second time. */
static bool
prefers_long(const struct moore_rlayer_tree *w, uint32_t s)
{
	return (s + w->root + w->slice->variant + w->slice->layer) % 2;
}

/* An edge to a detour of the length that s prefers, else of the other. */
static uint32_t
either_detour(const struct moore_rlayer_tree *w, uint32_t s)
{
	uint32_t e = prefers_long(w, s) ? cheapest_of_four(w, s) : cheapest_offer(w, s);

	if (e != MOORE_NONE)
		return e;
	return prefers_long(w, s) ? cheapest_offer(w, s) : cheapest_of_four(w, s);
}

static void
take_detours(struct moore_rlayer_tree *w, uint32_t from)
{
	uint32_t n = w->view->g->n;

	for (uint32_t i = 0, s = from; i < n; i++, s = s + 1 < n ? s + 1 : 0) {
		uint32_t e;

		if (w->dist[s] != 2 || w->flags[s] & SETTLED || !w->view->g->is_source[s] ||
		    (prefers_long(w, s) && w->used[s].n_minimal > 1) ||
		    (e = cheapest_offer(w, s)) == MOORE_NONE)
			continue;
		moore_rgates_take(w, s, e);
	}
}

/* Sends those that come through neighbour r of the root over four hops; false when one
 * cannot. */
static bool
clear_neighbour(struct moore_rlayer_tree *w, uint32_t r)
{
	const struct moore_rgraph *g = w->view->g;

	for (uint32_t o = g->xadj[r]; o < g->xadj[r + 1]; o++) {
		uint32_t c = g->to[o], e;

		if (c == w->root || w->flags[c] & SETTLED || w->dist[c] != 2 ||
		    g->xadj[c] + w->slot[c] != g->rev[o])
			continue;
		if (!g->is_source[c] || (e = cheapest_of_four(w, c)) == MOORE_NONE)
			return false;
		moore_rgates_take(w, c, e);
	}
	return true;
}

static void
detour_neighbour(struct moore_rlayer_tree *w, uint32_t r)
{
	uint32_t e;

	if (!clear_neighbour(w, r))
		return;
	if ((e = either_detour(w, r)) == MOORE_NONE)
		return;
	moore_rgates_take(w, r, e);
}

static void
detour_neighbours(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;

	for (uint32_t o = g->xadj[w->root]; o < g->xadj[w->root + 1]; o++) {
		uint32_t r = g->to[o];

		if (w->dist[r] == 1 && g->is_source[r] && !(w->flags[r] & GATE))
			detour_neighbour(w, r);
	}
}

/* ---- the tree ------------------------------------------------------------------------- */

/* Fills onward[] from the minimal tree in slot[]. */
static void
start_onward(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	const uint8_t *slot = w->slot, *dist = w->dist;
	struct moore_ronward *o = w->v->onward;

	for (uint32_t e = g->xadj[w->root]; e < g->xadj[w->root + 1]; e++) {
		o[g->to[e]].end = (e - g->xadj[w->root]) & 63;
		o[g->to[e]].price = w->v->price[g->rev[e]];
	}
	for (uint32_t s = 0; s < g->n; s++) {
		moore_rlayer_set_parent(g, &o[s], s, slot[s]);
		if (dist[s] == 2)
			o[s].end = o[o[s].parent].end;
	}
}

static void
start(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	uint8_t had_detour = w->is_retry ? EARLIER : w->slice->layer ? COVERED : 0;
	uint8_t *flags = w->flags;
	const uint8_t *dist = w->dist;

	memcpy(w->slot, w->v->minimal->slot + (size_t)w->root * g->n, g->n);
	memcpy(w->len, dist, g->n);
	for (uint32_t s = 0; s < g->n; s++)
		flags[s] = (uint8_t)((flags[s] & had_detour ? EARLIER | COVERED | SATED : 0) |
			(dist[s] == 1 && moore_rview_transit(w->view, s) ? PASS : 0));
	memset(w->v->open_len, MOORE_LEN_NONE, g->n);
	memset(w->v->t.first, 0xff, g->n * sizeof(*w->v->t.first));
	start_onward(w);
	if (w->slice->layer == 0)
		moore_rused_begin_variant(w);
	moore_rused_begin(w);
}

/* Switches without an offer of three hops take four; what is left stays minimal. */
static void
settle_others(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;

	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t e;

		if (w->slot[s] == MOORE_SLOT_NONE || w->flags[s] & SETTLED)
			continue;
		if (w->dist[s] == 2 && g->is_source[s] && (e = either_detour(w, s)) != MOORE_NONE)
			moore_rgates_take(w, s, e);
		else
			settle(w, s);
		w->flags[w->v->onward[s].parent] |= KIDS;
	}
}

/* Whether a switch that is no neighbour of the root has had no detour in this variant. */
static bool
is_some_bare(const struct moore_rlayer_tree *w)
{
	for (uint32_t s = 0; s < w->view->g->n; s++)
		if (w->dist[s] == 2 && w->len[s] == 2 && w->view->g->is_source[s] &&
		    !(w->flags[s] & EARLIER))
			return true;
	return false;
}

static void
take_loads_off(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t a = s; g->is_source[s] && w->slot[s] != MOORE_SLOT_NONE && a != w->root;) {
			uint32_t e = g->xadj[a] + w->slot[a];

			set_load(w, e, w->v->load[e] - w->n_lids);
			a = g->to[e];
		}
}

static void
make_tree(struct moore_rlayer_tree *w, uint32_t from)
{
	start(w);
	moore_rgates_open(w, from);
	take_detours(w, from);
	detour_neighbours(w);
	settle_others(w);
	if (w->slice->layer)
		moore_rlayer_cover(w);
}

/* In the last of several layers, other gates with all of their relays are tried while some pair
 * is bare. */
void
moore_rlayer_by_gates(struct moore_rlayer_tree *w, uint32_t from)
{
	unsigned n_tries = w->slice->is_last && w->slice->layer ? MOORE_GATE_TRIES : 0;

	moore_rused_open(w);
	w->spare_relays = w->slice->spare_relays;
	w->is_retry = false;
	make_tree(w, from);
	for (unsigned i = 0; i < n_tries && is_some_bare(w); i++) {
		take_loads_off(w);
		w->spare_relays = false;
		w->is_retry = true;
		make_tree(w, from);
	}
	for (uint32_t s = 0; w->slice->layer && s < w->view->g->n; s++)
		if (w->len[s] <= w->dist[s] && !(w->flags[s] & EARLIER))
			w->flags[s] &= (uint8_t)~COVERED;
}

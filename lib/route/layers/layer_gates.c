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
 * minimally take detours of four hops first. */
#include <string.h>

#include "base/random.h"
#include "route/layers/layer_tree.h"

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

static inline bool
has_two(uint64_t links)
{
	return links & (links - 1);
}

/* The route of s is final: adds its load. */
static void
settle(struct moore_rlayer_tree *w, uint32_t s)
{
	struct moore_ronward *o = w->v->onward;
	uint8_t len = w->len[s], flags = w->flags[s];

	moore_rused_note(w, s, w->slot[s] & 63, o[s].end);
	w->flags[s] = (uint8_t)(flags | SETTLED | (len > w->dist[s]) * COVERED);
	w->v->open_len[s] = (uint8_t)(len | !(flags & PASS) * MOORE_LEN_NONE);
	if (!w->view->g->is_source[s])
		return;
	for (uint32_t a = s; a != w->root; a = o[a].parent) {
		set_load(w, o[a].edge, w->v->load[o[a].edge] + w->n_lids);
		o[a].price = w->v->price[o[a].edge];
	}
}

/* Makes e the parent edge of s, which does not lead to the root. */
static void
attach(struct moore_rlayer_tree *w, uint32_t s, uint32_t e)
{
	uint32_t x = w->view->g->to[e];
	struct moore_ronward *o = w->v->onward;
	const uint32_t *rank = w->view->turns->rank;

	o[s].price = w->v->price[e];
	o[s].edge = e;
	o[s].parent = (uint16_t)x;
	o[s].end = o[x].end;
	w->slot[s] = (uint8_t)(e - w->view->g->xadj[s]);
	w->len[s] = (uint8_t)(w->len[x] + 1);
	w->flags[s] = (uint8_t)((w->flags[s] & ~PASS) |
		(moore_rview_transit(w->view, s) & (rank[e] < rank[o[x].edge])) * PASS);
	w->flags[x] |= KIDS;
}

/* Whether s may come to x, the head of its edge e. */
static inline bool
is_open(const struct moore_rlayer_tree *w, uint32_t s, uint32_t e)
{
	return w->view->g->flags[e] & w->view->flag &&
		(!w->slice->one_lane || moore_rview_leaf(w->view, w->slot, w->root, s, e));
}

/* ---- gates and relays ---------------------------------------------------------------- */

/* Whether the tail of edge e may be a relay of the gate at its head, whose edge to the root is
 * `in`: the turn rises, and it does not still want a detour of its own. */
static bool
may_relay(const struct moore_rlayer_tree *w, uint32_t e, uint32_t in)
{
	const struct moore_rgraph *g = w->view->g;
	const uint32_t *rank = w->view->turns->rank;
	uint32_t x = g->to[g->rev[e]];

	return g->flags[e] & w->view->flag && w->dist[x] == 2 && rank[e] < rank[in] &&
		moore_rview_transit(w->view, x) &&
		(!w->slice->is_last || !w->slice->layer || w->flags[x] & COVERED);
}

/* Lists the neighbours of gate r, whose edge to the root is `in`, that could be relays. */
static void
open_gate(struct moore_rlayer_tree *w, uint32_t r, uint32_t in)
{
	const struct moore_rgraph *g = w->view->g;
	struct moore_rlayers *v = w->v;

	w->flags[r] |= GATE;
	v->n_open[in]++;
	for (uint32_t o = g->xadj[r]; o < g->xadj[r + 1]; o++) {
		uint32_t x = g->to[o], e = g->rev[o];

		if (w->flags[x] & RELAY || !may_relay(w, e, in))
			continue;
		w->flags[x] |= RELAY;
		v->acc[x] = e;
		v->list[v->n_relays++] = (uint16_t)x;
	}
}

/* Fills rounds[], by slot of the root: how often its neighbour has been a gate for the relays
 * that it can have; UINT64_MAX if it cannot be one.  In the last layer a neighbour that still
 * wants a detour of its own comes after all others. */
static void
count_rounds(const struct moore_rlayer_tree *w, uint64_t *rounds)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t first = g->xadj[w->root], n = g->xadj[w->root + 1] - first;

	for (uint32_t slot = 0; slot < n; slot++) {
		uint32_t in = g->rev[first + slot];
		uint8_t flags = w->flags[g->to[first + slot]];

		rounds[slot] = UINT64_MAX;
		if (!(g->flags[in] & w->view->flag) || !(flags & PASS) || !w->v->n_legal[in])
			continue;
		rounds[slot] = ((uint64_t)w->v->n_open[in] + 1) * 65536 / w->v->n_legal[in];
		if (w->slice->is_last && !(flags & COVERED))
			rounds[slot] += (uint64_t)1 << 40;
	}
}

/* The slot with the fewest rounds; at equal counts the first from slot `from` on. */
static uint32_t
fewest_rounds(const uint64_t *rounds, uint32_t n, uint32_t from)
{
	uint32_t best = MOORE_NONE;
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0, slot = from; i < n; i++, slot = slot + 1 < n ? slot + 1 : 0)
		if (rounds[slot] < least) {
			least = rounds[slot];
			best = slot;
		}
	return best;
}

/* How many neighbours of x would get their first offer of a detour from it. */
static uint32_t
count_unserved(const struct moore_rlayer_tree *w, uint32_t x)
{
	const struct moore_rgraph *g = w->view->g;
	const uint8_t *wish = w->v->wish;
	uint32_t n = 0;

	for (uint32_t o = g->xadj[x], end = g->xadj[x + 1]; o < end; o++)
		n += wish[g->to[o]];
	return n;
}

/* Whether relay x would serve so many percent of its neighbours, or more where one of its two
 * links to the root costs more than the mean. */
static bool
is_worth_it(const struct moore_rlayer_tree *w, uint32_t x, unsigned percent)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t e = w->v->acc[x], degree = g->xadj[x + 1] - g->xadj[x];
	uint64_t p1 = w->v->price[e], p2 = w->v->onward[g->to[e]].price;
	uint32_t in_mean = count_unserved(w, x) * 10000 / (degree * percent);

	return (p1 > p2 ? p1 : p2) < (in_mean + 1) * (w->slice->mean_price / 100 + 1);
}

static void
make_relay(struct moore_rlayer_tree *w, uint32_t x)
{
	const struct moore_rgraph *g = w->view->g;
	uint8_t *wish = w->v->wish;

	for (uint32_t o = g->xadj[x], end = g->xadj[x + 1]; o < end; o++)
		wish[g->to[o]] = 0;
	attach(w, x, w->v->acc[x]);
	settle(w, x);
}

/* Puts the listed switches into random sequence, so that the relays are not all of one gate. */
static void
shuffle_listed(struct moore_rlayer_tree *w)
{
	struct moore_rng rng = { (uint64_t)w->root << 32 | w->slice->variant << 8 | w->slice->layer };
	uint16_t *list = w->v->list;

	for (uint32_t i = 0; i + 1 < w->v->n_relays; i++) {
		uint32_t k = i + moore_rng_below(&rng, w->v->n_relays - i);
		uint16_t x = list[k];

		list[k] = list[i];
		list[i] = x;
	}
}

/* Makes relays of the listed switches that are worth it.  A relay stays minimal in this tree,
 * so with few of them most switches get a detour. */
static void
choose_relays(struct moore_rlayer_tree *w)
{
	static const unsigned percent[] = MOORE_RELAY_PERCENT;
	struct moore_rlayers *v = w->v;
	uint32_t n_listed = v->n_relays;

	shuffle_listed(w);
	v->n_relays = 0;
	for (uint32_t s = 0; s < w->view->g->n; s++)
		v->wish[s] = w->dist[s] == 2;
	for (size_t k = 0; k < ARRAY_LEN(percent); k++)
		for (uint32_t i = v->n_relays; i < n_listed; i++) {
			uint16_t x = v->list[i];

			if (w->spare_relays && !is_worth_it(w, x, percent[k]))
				continue;
			v->list[i] = v->list[v->n_relays];
			v->list[v->n_relays++] = x;
			make_relay(w, x);
		}
}

/* ---- neighbours without a detour ------------------------------------------------------- */

/* A detour x -> y -> gate -> root of three hops along which all turns rise, beside a neighbour
 * of the root that takes it with one hop more. */
struct way {
	uint32_t x, edge;	/* x -> y */
	uint32_t gate;		/* slot of the root */
};

/* Finds a way over edge e to y. */
static bool
find_gate(const struct moore_rlayer_tree *w, uint32_t e, uint32_t except, struct way *out)
{
	const struct moore_rgraph *g = w->view->g;
	const uint32_t *rank = w->view->turns->rank;
	uint32_t y = g->to[e], first = g->xadj[w->root];

	for (uint32_t o = first; o < g->xadj[w->root + 1]; o++) {
		uint32_t z = g->to[o], in = g->rev[o];

		if (z == except || !(w->flags[z] & PASS) || !(g->flags[in] & w->view->flag))
			continue;
		for (uint32_t k = g->xadj[y]; k < g->xadj[y + 1]; k++)
			if (g->to[k] == z && rank[e] < rank[k] && may_relay(w, k, in)) {
				*out = (struct way){ g->to[g->rev[e]], e, o - first };
				return true;
			}
	}
	return false;
}

static bool
find_way(const struct moore_rlayer_tree *w, uint32_t r, struct way *out)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t first = g->xadj[r], n = g->xadj[r + 1] - first;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t o = first + (i + w->slice->layer + w->slice->variant) % n, x = g->to[o];

		if (w->dist[x] != 2 || !g->is_source[x] || !is_open(w, r, o) ||
		    !moore_rview_transit(w->view, x))
			continue;
		for (uint32_t e = g->xadj[x]; e < g->xadj[x + 1]; e++)
			if (is_open(w, x, e) && find_gate(w, e, r, out))
				return true;
	}
	return false;
}

/* After the first layer: finds a way for a neighbour that had a detour in no tree so far.  It
 * waits while others, further away, have none. */
static bool
find_way_for_bare(const struct moore_rlayer_tree *w, struct way *out)
{
	const struct moore_rgraph *g = w->view->g;

	if (!w->slice->layer || w->is_retry)
		return false;
	for (uint32_t o = g->xadj[w->root]; o < g->xadj[w->root + 1]; o++) {
		uint32_t r = g->to[o];

		if (w->dist[r] == 1 && g->is_source[r] && !has_two(w->used[r].first[0]) &&
		    find_way(w, r, out))
			return true;
	}
	return false;
}

/* Sends x along the way if the relay was made. */
static void
take_way(struct moore_rlayer_tree *w, const struct way *way)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t y = g->to[way->edge];

	if (w->flags[way->x] & SETTLED || !(w->flags[y] & SETTLED) ||
	    w->v->onward[y].parent != g->to[g->xadj[w->root] + way->gate])
		return;
	attach(w, way->x, way->edge);
	settle(w, way->x);
}

/* The gate of the way (NULL: none) comes first. */
static void
open_gates(struct moore_rlayer_tree *w, uint32_t from, const struct way *way)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t first = g->xadj[w->root], n = g->xadj[w->root + 1] - first;
	uint64_t rounds[256];

	w->v->n_relays = 0;
	count_rounds(w, rounds);
	if (way) {
		rounds[way->gate] = 0;
		w->flags[way->x] |= RELAY;	/* so it is not listed */
	}
	for (unsigned i = 0; i < w->v->n_gates && i < n / 2; i++) {
		uint32_t slot = fewest_rounds(rounds, n, from % n);

		if (slot == MOORE_NONE)
			break;
		rounds[slot] = UINT64_MAX;
		open_gate(w, g->to[first + slot], g->rev[first + slot]);
	}
	choose_relays(w);
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

/* Lists, for each switch that can begin a detour with a relay, these edges: from first[] over
 * next[] of v->t. */
static void
list_offers(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t *first = w->v->t.first, *next = w->v->t.next;

	memset(first, 0xff, g->n * sizeof(*first));
	for (uint32_t i = 0; i < w->v->n_relays; i++) {
		uint32_t x = w->v->list[i], end = g->xadj[x + 1];

		for (uint32_t o = g->xadj[x]; o < end; o++) {
			uint32_t s = g->to[o], e = g->rev[o];

			if (w->flags[s] & SETTLED || !is_open(w, s, e))
				continue;
			next[e] = first[s];
			first[s] = e;
		}
	}
}

static uint32_t
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

	list_offers(w);
	for (uint32_t i = 0, s = from; i < n; i++, s = s + 1 < n ? s + 1 : 0) {
		uint32_t e;

		if (w->dist[s] != 2 || w->flags[s] & SETTLED || !w->view->g->is_source[s] ||
		    (prefers_long(w, s) && w->used[s].n_minimal > 1) ||
		    (e = cheapest_offer(w, s)) == MOORE_NONE)
			continue;
		attach(w, s, e);
		settle(w, s);
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
		attach(w, c, e);
		settle(w, c);
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
	attach(w, r, e);
	settle(w, r);
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
	struct moore_ronward *o = w->v->onward;

	for (uint32_t s = 0; s < g->n; s++)
		moore_rlayer_set_parent(w, s);
	for (uint32_t e = g->xadj[w->root]; e < g->xadj[w->root + 1]; e++) {
		o[g->to[e]].end = (e - g->xadj[w->root]) & 63;
		o[g->to[e]].price = w->v->price[g->rev[e]];
	}
	for (uint32_t s = 0; s < g->n; s++)
		if (w->len[s] == 2)
			o[s].end = o[o[s].parent].end;
}

static void
start(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	const uint8_t *slot = w->v->minimal->slot + (size_t)w->root * g->n;

	for (uint32_t s = 0; s < g->n; s++) {
		w->slot[s] = slot[s];
		w->len[s] = w->dist[s];
		w->flags[s] = (uint8_t)((w->flags[s] & EARLIER ? EARLIER | COVERED | SATED : 0) |
			(w->dist[s] == 1 && moore_rview_transit(w->view, s) ? PASS : 0));
	}
	memset(w->v->open_len, MOORE_LEN_NONE, g->n);
	start_onward(w);
	if (w->slice->layer == 0) {
		moore_rused_begin(w, true);
		for (uint32_t s = 0; s < g->n; s++)
			if (s != w->root)
				moore_rused_note(w, s, slot[s] & 63, w->v->onward[s].end);
	}
	moore_rused_begin(w, false);
}

/* Switches without an offer of three hops take four; what is left stays minimal. */
static void
settle_others(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;

	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t e;

		if (s == w->root || w->flags[s] & SETTLED)
			continue;
		if (w->dist[s] == 2 && g->is_source[s] && (e = either_detour(w, s)) != MOORE_NONE)
			attach(w, s, e);
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
		for (uint32_t a = s; g->is_source[s] && a != w->root;) {
			uint32_t e = g->xadj[a] + w->slot[a];

			set_load(w, e, w->v->load[e] - w->n_lids);
			a = g->to[e];
		}
}

static void
make_tree(struct moore_rlayer_tree *w, uint32_t from)
{
	struct way way;
	bool has_way;

	start(w);
	has_way = find_way_for_bare(w, &way);
	open_gates(w, from, has_way ? &way : NULL);
	if (has_way)
		take_way(w, &way);
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

	for (uint32_t s = 0; s < w->view->g->n; s++)
		w->flags[s] = w->slice->layer && w->flags[s] & COVERED ? EARLIER : 0;
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
	for (uint32_t s = 0; s < w->view->g->n; s++)
		if (w->len[s] <= w->dist[s] && !(w->flags[s] & EARLIER))
			w->flags[s] &= (uint8_t)~COVERED;
}

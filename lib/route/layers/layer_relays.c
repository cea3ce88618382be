// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_relays.c - which neighbours of the root are gates of a tree, and which of theirs are relays
 * (layer_gates.c has the words).
 *
 * Gates take turns from tree to tree.  The relays are few, and each serves many; where the routes of a
 * neighbour of the root began with few links so far, a gate and a way to it come first. */
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "route/layers/layer_gates.h"

/* ---- gates and relays ---------------------------------------------------------------- */

/* Whether the tail of edge e may be a relay of the gate at its head, whose edge to the root is
 * `in`: the turn rises, and it does not still want a detour of its own. */
static bool
may_relay(const struct moore_rlayer_tree *w, uint32_t e, uint32_t in)
{
	const struct moore_rgraph *g = w->view->g;
	const uint32_t *rank = w->view->turns->rank;
	uint32_t x = moore_rgraph_tail(g, e);

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
	uint32_t first = g->xadj[w->root], n = moore_rgraph_slots(g, w->root);

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
	uint32_t e = w->v->acc[x], degree = moore_rgraph_slots(g, x);
	uint64_t p1 = w->v->price[e], p2 = w->v->onward[g->to[e]].price;
	uint32_t in_mean = count_unserved(w, x) * 10000 / (degree * percent);

	return (p1 > p2 ? p1 : p2) < (in_mean + 1) * (w->slice->mean_price / 100 + 1);
}

/* The neighbours of relay x can begin a detour with it: adds their edges to the lists from first[]
 * over next[] of v->t. */
static void
make_relay(struct moore_rlayer_tree *w, uint32_t x)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t *first = w->v->t.first, *next = w->v->t.next;
	uint8_t *wish = w->v->wish;

	moore_rgates_take(w, x, w->v->acc[x]);
	for (uint32_t o = g->xadj[x], end = g->xadj[x + 1]; o < end; o++) {
		uint32_t s = g->to[o], e = g->rev[o];

		wish[s] = 0;
		if (!is_open(w, e))
			continue;
		next[e] = first[s];
		first[s] = e;
	}
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
	uint32_t n_listed = v->n_relays < w->slice->max_relays ? v->n_relays : w->slice->max_relays;

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

/* ---- neighbours with few detours ------------------------------------------------------- */

/* A detour x -> y -> gate -> root of three hops along which all turns rise, beside a neighbour
 * of the root that takes it with one hop more. */
struct way {
	uint32_t x, edge;	/* x -> y */
	uint32_t gate, beside;	/* slots of the root: of the gate and of that neighbour */
};

/* What a way is sought with. */
struct search {
	uint32_t from;			/* which switches come first */
	const uint64_t *rounds;		/* of gates, as count_rounds() has them; */
	uint64_t most;			/* gates with more are not taken, nor those that cannot be one */
};

/* Finds a way over edge e to y, beside the neighbour in this slot. */
static bool
find_gate(const struct moore_rlayer_tree *w, const struct search *f, uint32_t e, uint32_t beside,
	  struct way *out)
{
	const struct moore_rgraph *g = w->view->g;
	const uint32_t *rank = w->view->turns->rank;
	uint32_t y = g->to[e], first = g->xadj[w->root];

	for (uint32_t o = first; o < g->xadj[w->root + 1]; o++) {
		uint32_t z = g->to[o], in = g->rev[o];

		if (o - first == beside || f->rounds[o - first] > f->most)
			continue;
		for (uint32_t k = g->xadj[y]; k < g->xadj[y + 1]; k++)
			if (g->to[k] == z && rank[e] < rank[k] && may_relay(w, k, in)) {
				*out = (struct way){ moore_rgraph_tail(g, e), e, o - first, beside };
				return true;
			}
	}
	return false;
}

static bool
find_way(const struct moore_rlayer_tree *w, const struct search *f, uint32_t beside, struct way *out)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t r = g->to[g->xadj[w->root] + beside], first = g->xadj[r], n = moore_rgraph_slots(g, r);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t o = first + (i + f->from) % n, x = g->to[o], degree = moore_rgraph_slots(g, x);

		if (w->dist[x] != 2 || !g->is_source[x] || !is_open(w, o) ||
		    !moore_rview_transit(w->view, x))
			continue;
		for (uint32_t k = 0; k < degree; k++) {
			uint32_t e = g->xadj[x] + (k + f->from) % degree;

			if (is_open(w, e) && find_gate(w, f, e, beside, out))
				return true;
		}
	}
	return false;
}

/* The greatest count of rounds among the gates that come next. */
static uint64_t
rounds_of_next(const struct moore_rlayer_tree *w, const uint64_t *rounds, uint32_t n)
{
	uint64_t left[256], most = 0;

	memcpy(left, rounds, n * sizeof(*left));
	for (unsigned i = 0; i < w->slice->n_gates && i < n / 2; i++) {
		uint32_t slot = fewest_rounds(left, n, 0);

		if (slot == MOORE_NONE)
			break;
		most = left[slot];
		left[slot] = UINT64_MAX;
	}
	return most;
}

/* After the first layer of a variant: finds a way for a neighbour whose routes of all trees so far
 * begin with few links: with one more for each variant it would have enough.  Those with the fewest
 * come first, since there is one way in a tree.  Gates that come next are taken if they serve, so that
 * no gate is taken much more often than others. */
static bool
find_way_for_few(const struct moore_rlayer_tree *w, uint32_t from, const uint64_t *rounds,
		 struct way *out)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t first = g->xadj[w->root], n = moore_rgraph_slots(g, w->root);
	struct search next = { from, rounds, 0 }, any = { from, rounds, UINT64_MAX - 1 };
	unsigned enough = 2 + w->slice->variant;
	uint8_t n_firsts[256];

	if (!w->slice->layer || w->is_retry)
		return false;
	next.most = rounds_of_next(w, rounds, n);
	for (uint32_t i = 0; i < n; i++)
		n_firsts[i] = (uint8_t)moore_bits_count(w->used[g->to[first + i]].first[0]);
	for (unsigned few = 0; few < enough && few < n; few++)
		for (uint32_t i = 0; i < n; i++) {
			uint32_t slot = (i + w->slice->layer + w->slice->variant) % n;
			uint32_t r = g->to[first + slot];

			if (n_firsts[slot] == few && w->dist[r] == 1 && g->is_source[r] &&
			    (find_way(w, &next, slot, out) || find_way(w, &any, slot, out)))
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
	moore_rgates_take(w, way->x, way->edge);
}

/* The gate of the way (NULL: none) comes first. */
static void
open_gates(struct moore_rlayer_tree *w, uint32_t from, uint64_t *rounds, const struct way *way)
{
	const struct moore_rgraph *g = w->view->g;
	uint32_t first = g->xadj[w->root], n = moore_rgraph_slots(g, w->root);

	w->v->n_relays = 0;
	if (way) {
		rounds[way->gate] = 0;
		rounds[way->beside] = UINT64_MAX;
		w->flags[way->x] |= RELAY;	/* so it is not listed */
	}
	for (unsigned i = 0; i < w->slice->n_gates && i < n / 2; i++) {
		uint32_t slot = fewest_rounds(rounds, n, from % n);

		if (slot == MOORE_NONE)
			break;
		rounds[slot] = UINT64_MAX;
		open_gate(w, g->to[first + slot], g->rev[first + slot]);
	}
	choose_relays(w);
}

void
moore_rgates_open(struct moore_rlayer_tree *w, uint32_t from)
{
	uint64_t rounds[256];
	struct way way;
	bool has_way;

	count_rounds(w, rounds);
	has_way = find_way_for_few(w, from, rounds, &way);
	open_gates(w, from, rounds, has_way ? &way : NULL);
	if (has_way)
		take_way(w, &way);
}

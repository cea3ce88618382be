// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint_grow.c - a layer's tree under sl-hint.
 *
 * All routes go through a *gate*, the neighbour r of the root that hint_plan.c chose for the layer, or
 * through several where layers share the tree.  Kinds with four hops have one, and let few nodes stand two
 * hops before the root (kinds.h).  Nodes without an admitted route over a gate are served by others that
 * take two hops (hint_serve.c), and those that are left take the shortest route.  Neighbours of the
 * root then take detours of three or four hops: those through which no other comes, or only others
 * that can take four hops themselves.
 *
 * Where a switch has several minimal routes to the root, its detours of three hops meet those of
 * many other pairs on few links (docs/theory.md, section 4).  So in two layers of three it takes
 * four hops, if that excludes none of the detours of three hops that the root could take to it. */
#include <string.h>

#include "route/hint/hint_tree.h"
#include "route/tuning.h"

static bool
is_gate(const struct moore_rhint *h, uint32_t x)
{
	return moore_rhint_gate(h, x) < h->n_gates;
}

static void
mark_beside(struct moore_rhint_tree *w, uint8_t mark)
{
	const struct moore_rgraph *g = w->v->g;

	for (uint32_t e = g->xadj[w->root]; e < g->xadj[w->root + 1]; e++)
		if (g->flags[e] & w->v->flag)
			w->h->beside[g->to[e]] = mark;
}

/* The least loaded edge to r from an open node that others may be routed through. */
static uint32_t
edge_before(const struct moore_rhint_tree *w, uint32_t r)
{
	const struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;
	uint32_t best = MOORE_NONE;

	for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++) {
		uint32_t i = g->to[e], over = g->rev[e];

		if (moore_rhint_is_open(h, i) && g->flags[e] & w->v->flag &&
		    moore_rview_transit(w->v, i) &&
		    (!h->kind->among_hosts || g->is_source[i]) && !h->beside[i] &&
		    (best == MOORE_NONE || h->load[over] < h->load[best]))
			best = over;
	}
	return best;
}

/* Routes of four hops: fixes the last hop r -> root and a few edges to r; the other nodes
 * attach to those with three or four hops. */
static void
grow_long(struct moore_rhint_tree *w, uint32_t r)
{
	const struct moore_rgraph *g = w->h->g;
	uint32_t e;

	moore_rhint_attach_best(w, r, 0);
	for (unsigned k = 0; k < MOORE_HINT_BEFORE && (e = edge_before(w, r)) != MOORE_NONE; k++) {
		uint32_t i = moore_rgraph_tail(g, e);

		moore_rhint_attach(w, i, e, moore_rhint_ok_over(w, i, e));
	}
	moore_rhint_attach_all(w, 2);
	moore_rhint_attach_all(w, 3);
}

/* Open nodes stand behind neighbours of the root that have four hops: for each, one of these
 * goes straight to the root and takes it as a child. */
static void
straighten(struct moore_rhint_tree *w)
{
	struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; moore_rhint_is_open(h, s) && e < g->xadj[s + 1]; e++) {
			uint32_t x = g->to[e];

			if (!(g->flags[e] & w->v->flag) || h->len[x] != 4 || !h->beside[x])
				continue;
			moore_rhint_detach(h, x);
			moore_rhint_attach_best(w, x, 0);
			moore_rhint_attach_best(w, s, 1);
		}
}

/* Fills gate[] with those of all layers that share the tree, each once. */
static void
list_gates(const struct moore_rhint_tree *w, uint32_t layer)
{
	struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;

	h->n_gates = 0;
	for (uint32_t k = layer; k < h->n_layers; k += h->n_apart) {
		const uint8_t last = h->last[(size_t)k * g->n + w->root];

		if (last != MOORE_SLOT_NONE && !is_gate(h, g->to[g->xadj[w->root] + last]))
			h->gate[h->n_gates++] = g->to[g->xadj[w->root] + last];
	}
}

/* Attaches the open neighbours of r to it, whatever tables are right for them. */
static void
attach_beside(struct moore_rhint_tree *w, uint32_t r)
{
	const struct moore_rgraph *g = w->h->g;

	for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++) {
		uint32_t s = g->to[e];

		if (moore_rhint_is_open(w->h, s) && g->flags[e] & w->v->flag)
			moore_rhint_attach(w, s, g->rev[e], moore_rhint_ok_over(w, s, g->rev[e]));
	}
}

/* ---- neighbours of the root --------------------------------------------------------- */

/* Sets acc[] of each node to 1 if another is routed through it, else 0. */
static void
mark_parents(struct moore_rhint *h)
{
	const struct moore_rgraph *g = h->g;

	memset(h->acc, 0, g->n * sizeof(*h->acc));
	for (uint32_t i = 1; i < h->n_queued; i++)
		h->acc[g->to[g->xadj[h->queue[i]] + h->slot[h->queue[i]]]] = 1;
}

/* Whether the root could still take any route of three hops to s that is admitted now if s had
 * a route for which tables `ok` are right.  three[] has the sets of tables that are right for some
 * route of three hops. */
static bool
leaves_three(const struct moore_rhint_tree *w, uint32_t s, uint8_t ok)
{
	static const uint8_t three[] = { OK_TABLES, OK_A | OK_B | OK_C, OK_B | OK_C | OK_D,
		OK_A | OK_C | OK_D, OK_A | OK_B | OK_D, OK_C | OK_D, OK_B | OK_D, OK_A | OK_C,
		OK_A | OK_B };
	const struct moore_rhint *h = w->h;
	uint16_t met = w->met[(size_t)s * h->g->n + w->root];

	for (size_t i = 0; i < ARRAY_LEN(three); i++)
		if (!(met & ~h->meets[three[i]]) && !(three[i] & ok))
			return false;
	return true;
}

/* The way of x, which has no children, over a switch with min_len or 3 hops that is no
 * neighbour of the root: the least loaded one, preferably over a first link not in begun.
 * leave_three: see leaves_three(). */
static struct moore_rway
way_around(const struct moore_rhint_tree *w, uint32_t x, uint64_t begun, unsigned min_len,
	   bool leave_three)
{
	const struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;
	struct moore_rway best = { .price = UINT64_MAX };

	for (uint32_t e = g->xadj[x]; e < g->xadj[x + 1]; e++) {
		uint32_t s = g->to[e];
		uint64_t price;
		uint8_t ok;

		if (h->len[s] < min_len || h->len[s] > 3 || h->beside[s] ||
		    !(g->flags[e] & w->v->flag) || !moore_rhint_lets_pass(w, s, h->len[s]))
			continue;
		price = h->load[e] + h->onward[s] +
			(begun >> ((e - g->xadj[x]) & 63) & 1) * ABOVE_LOADS;
		if (price >= best.price)
			continue;
		ok = moore_rhint_ok_over(w, x, e);
		if (moore_rhint_admits(w, x, ok) &&
		    (!leave_three || leaves_three(w, x, ok)))
			best = (struct moore_rway){ price, e, ok };
	}
	return best;
}

static void
move(struct moore_rhint_tree *w, uint32_t s, const struct moore_rway *way)
{
	struct moore_rhint *h = w->h;

	moore_rhint_detach(h, s);
	moore_rhint_attach(w, s, way->edge, (uint8_t)way->ok);
	h->acc[h->g->to[way->edge]] = 1;
}

static bool
is_kid(const struct moore_rhint_tree *w, uint32_t c, uint32_t e_to_parent)
{
	const struct moore_rhint *h = w->h;

	return c != w->root && !moore_rhint_is_open(h, c) &&
		h->g->xadj[c] + h->slot[c] == e_to_parent;
}

/* Whether every child of neighbour x of the root can take four hops; way[] says how. */
static bool
can_clear(const struct moore_rhint_tree *w, uint32_t x)
{
	struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;

	for (uint32_t e = g->xadj[x]; e < g->xadj[x + 1]; e++) {
		uint32_t c = g->to[e];

		if (!is_kid(w, c, g->rev[e]))
			continue;
		if (h->acc[c] || !g->is_source[c])
			return false;
		h->way[c] = way_around(w, c, 0, 3, true);
		if (h->way[c].price == UINT64_MAX)
			return false;
	}
	return true;
}

/* Sends the children of x that way. */
static void
clear(struct moore_rhint_tree *w, uint32_t x)
{
	const struct moore_rgraph *g = w->h->g;

	for (uint32_t e = g->xadj[x]; e < g->xadj[x + 1]; e++)
		if (is_kid(w, g->to[e], g->rev[e]))
			move(w, g->to[e], &w->h->way[g->to[e]]);
}

/* Sends neighbours of the root that are no gates around by a switch on a detour. */
static void
detour_neighbours(struct moore_rhint_tree *w)
{
	struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;

	moore_rhint_close(h);
	mark_parents(h);
	for (uint32_t o = g->xadj[w->root]; o < g->xadj[w->root + 1]; o++) {
		uint32_t x = g->to[o], slot;
		struct moore_rway way;

		if (h->len[x] != 1 || !g->is_source[x] || (h->acc[x] && is_gate(h, x)))
			continue;
		if (h->acc[x] && !can_clear(w, x))
			continue;
		if (h->acc[x])
			clear(w, x);
		way = way_around(w, x, h->begun[o], 2, false);
		if (way.price == UINT64_MAX)
			continue;
		slot = way.edge - g->xadj[x];
		h->begun[o] = (way.price >= ABOVE_LOADS ? 0 : h->begun[o]) | (uint64_t)1 << (slot & 63);
		move(w, x, &way);
	}
	for (uint32_t o = g->xadj[w->root]; o < g->xadj[w->root + 1]; o++)
		h->recent[o] = (uint8_t)(h->recent[o] / 2 + (h->len[g->to[o]] == 1) * 16);
}

/* ---- pairs with several minimal routes ------------------------------------------------ */

/* All slots of s but a window of a few, which moves on by its width from layer to layer. */
static uint64_t
slots_outside(const struct moore_rhint_tree *w, uint32_t s, uint32_t layer)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t n = g->xadj[s + 1] - g->xadj[s], width = (n + MOORE_HINT_WINDOWS - 1) / MOORE_HINT_WINDOWS;
	uint64_t slots = UINT64_MAX;

	for (uint32_t i = 0; i < width; i++)
		slots &= ~((uint64_t)1 << ((s + w->root + layer / 2 * width + i) % n & 63));
	return slots;
}

/* Whether s takes four hops rather than three in this layer: two times of three, and mostly not
 * when the root takes them to s. */
static bool
prefers_long(uint32_t s, uint32_t root, uint32_t layer)
{
	return (s + root + layer) % 3 != (s < root);
}

static void
detour_ties(struct moore_rhint_tree *w, uint32_t layer)
{
	struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;
	const uint8_t *n_minimal = h->n_minimal + (size_t)w->root * g->n;

	for (uint32_t s = 0; s < g->n; s++) {
		struct moore_rway way;

		if (n_minimal[s] < 2 || h->beside[s] || h->acc[s] || h->len[s] < 2 ||
		    h->len[s] > 3 || !g->is_source[s] || !prefers_long(s, w->root, layer))
			continue;
		way = way_around(w, s, slots_outside(w, s, layer), 3, true);
		if (way.price != UINT64_MAX)
			move(w, s, &way);
	}
}

void
moore_rhint_grow(struct moore_rhint *h, const struct moore_rview *v, uint32_t layer,
		 uint32_t root)
{
	const struct moore_rgraph *g = h->g;
	struct moore_rhint_tree w = { h, v, root, h->met_planned, h->kind, false };
	bool four = h->detour == 1 && h->kind->longest;

	moore_rhint_start(&w);
	mark_beside(&w, 1);
	list_gates(&w, layer);
	if (h->n_gates && four)
		grow_long(&w, h->gate[0]);
	moore_rhint_attach_all(&w, 0);
	for (uint32_t i = 0; i < h->n_gates; i++)
		attach_beside(&w, h->gate[i]);
	moore_rhint_attach_all(&w, 2);
	if (h->n_reached < g->n)
		moore_rhint_serve_rest(&w);
	if (h->detour > 1)
		moore_rhint_attach_all(&w, 3);
	moore_rhint_attach_all(&w, 1);
	if (four)
		straighten(&w);
	if (h->around) {
		detour_neighbours(&w);
		detour_ties(&w, layer);
	}
	mark_beside(&w, 0);
	moore_rhint_close(h);
}

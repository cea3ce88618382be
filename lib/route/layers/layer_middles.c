// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_middles.c - the trees of a layer where the graph has lines or paired classes (middles.h).
 * A *low* switch has endpoints; the root is one.
 *
 * A detour is s -> m -> i -> m' -> root.  The tree is built from its root:
 *   - the middle switches beside it, each of which leads to a last link;
 *   - *intermediates* i below those, which have no detour themselves;
 *   - every other middle switch m below an intermediate, if the turn there is allowed;
 *   - every other low switch s below one of those m, or below one beside the root (choose_parent()).
 * At most one switch of each class can be an intermediate of a tree; each tree draws others.
 *
 * When a switch sends all its traffic to one other, as many links serve it as the routes of all
 * trees begin and end with.  So s takes the m with the first and the last link that it used
 * least, above all in the trees of the same endpoint, and then the route whose middle and last
 * link are loaded least.  A middle switch takes the intermediate by which it leads to the last
 * link that those beside it need most: a low switch needs a pair of first and last links the
 * more, the fewer partners each of the two has and the fewer pairs the switch has. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "route/layers/layer_mtree.h"

#define DAMPING 4		/* loads up to this matter little */

static bool
alloc_root(struct moore_rmtrees *w, size_t n, size_t m)
{
	size_t rows = n * (w->stride + 1);

	w->out = calloc(n, sizeof(*w->out));
	w->n_diverted = calloc(w->stride + 1, sizeof(*w->n_diverted));
	w->via_last = calloc(w->stride + 1, sizeof(*w->via_last));
	w->offer = calloc(m, sizeof(*w->offer));
	w->xoffer = calloc(n, sizeof(*w->xoffer));
	w->shares = calloc(n, sizeof(*w->shares));
	w->n_firsts = calloc(rows, 1);
	w->first_price = calloc(m, sizeof(*w->first_price));
	w->own_firsts = calloc(m, 1);
	w->last_price = calloc(rows, sizeof(*w->last_price));
	w->need = calloc(rows * w->n_groups, sizeof(*w->need));
	w->once = calloc(rows * w->n_groups, sizeof(*w->once));
	w->led_price = calloc(rows, sizeof(*w->led_price));
	w->load_before = calloc(m, sizeof(*w->load_before));
	w->minimal = calloc(n, sizeof(*w->minimal));
	w->n_own = calloc(m, sizeof(*w->n_own));
	return w->out && w->n_diverted && w->via_last && w->offer && w->xoffer && w->shares &&
		w->n_firsts && w->first_price &&
		w->own_firsts && w->last_price && w->need && w->once && w->led_price &&
		w->load_before && w->minimal && w->n_own;
}

static bool
alloc_tree(struct moore_rmtrees *w, size_t n)
{
	w->last = calloc(n, 1);
	w->via = calloc(n, sizeof(*w->via));
	w->draw = calloc(n, sizeof(*w->draw));
	w->is_drawn = calloc(n, 1);
	w->is_between = calloc(n, 1);
	w->is_entered = calloc(n, 1);
	w->has_detour = calloc(n, 1);
	return w->last && w->via && w->draw && w->is_drawn && w->is_between && w->is_entered && w->has_detour;
}

int
moore_rmtrees_init(struct moore_rmtrees *w, const struct moore_rview *v,
		   const struct moore_rmiddles *classes, const uint32_t *n_connected,
		   unsigned n_layers, uint32_t n_hosts, const struct moore_rkind *kind)
{
	const struct moore_rgraph *g = v->g;
	size_t n = (size_t)g->n + 1, m = (size_t)g->n_edges + 1, n_trees = (size_t)n_hosts * n_layers;

	*w = (struct moore_rmtrees){ .v = v, .classes = classes, .n_connected = n_connected,
		.n_layers = n_layers, .n_groups = classes->paired ? MOORE_N_GROUPS : 1,
		.serves_peers = classes->paired && !kind->straight,
		.new_price = classes->paired ? 0 : MOORE_PRICE_NEW * USE,
		.transit_price = classes->paired ? MOORE_PRICE_TRANSIT_PAIRS : MOORE_PRICE_TRANSIT };
	for (uint32_t s = 0; s < g->n; s++)
		if (g->xadj[s + 1] - g->xadj[s] > w->stride)
			w->stride = g->xadj[s + 1] - g->xadj[s];
	w->low = calloc(n, sizeof(*w->low));
	w->middle = calloc(n, sizeof(*w->middle));
	w->load = calloc(m, sizeof(*w->load));
	w->ends = calloc(n_trees + 1, sizeof(*w->ends));
	if (moore_rtree_init(&w->t, g) < 0 || !w->low || !w->middle || !w->load ||
	    !w->ends || !alloc_root(w, n, m) || !alloc_tree(w, n))
		return -MOORE_ENOMEM;
	for (uint32_t s = 0; s < moore_rgraph_n_intended(g); s++) {
		if (g->is_source[s])
			w->low[w->n_low++] = (uint16_t)s;
		else
			w->middle[w->n_middle++] = (uint16_t)s;
	}
	for (uint32_t e = 0; e < g->n_edges; e++)
		w->one_lane |= v->lanes && g->flags[e] & MOORE_EDGE_ONE_LANE;
	return 0;
}

void
moore_rmtrees_fini(struct moore_rmtrees *w)
{
	free(w->low);
	free(w->middle);
	free(w->load);
	free(w->out);
	free(w->n_diverted);
	free(w->via_last);
	free(w->offer);
	free(w->xoffer);
	free(w->shares);
	free(w->n_firsts);
	free(w->first_price);
	free(w->own_firsts);
	free(w->last_price);
	free(w->need);
	free(w->once);
	free(w->led_price);
	free(w->load_before);
	free(w->minimal);
	free(w->n_own);
	free(w->ends);
	free(w->last);
	free(w->via);
	free(w->draw);
	free(w->is_drawn);
	free(w->is_between);
	free(w->is_entered);
	free(w->has_detour);
	moore_rtree_fini(&w->t);
	*w = (struct moore_rmtrees){ 0 };
}

void
moore_rmtrees_start(struct moore_rmtrees *w)
{
	memset(w->load, 0, w->v->g->n_edges * sizeof(*w->load));
	w->n_uses = 0;
}

/* ---- one tree -------------------------------------------------------------------------- */

/* The price of a link in the middle of a detour. */
static uint32_t
price(const struct moore_rmtrees *w, uint32_t e)
{
	uint64_t p = (uint64_t)w->load[e] * w->unit >> 16;

	return p < MAX_LOAD ? (uint32_t)p : MAX_LOAD;
}

/* The price of link e from a middle switch to an intermediate. */
static uint32_t
price_down(const struct moore_rmtrees *w, uint32_t e)
{
	uint64_t p = price(w, e) + (uint64_t)w->n_own[e] * MOORE_PRICE_OWN_TRANSIT * USE;

	return p < MAX_LOAD ? (uint32_t)p : MAX_LOAD;
}

/* The price of a detour over the root's last link in this slot; none where classes are paired. */
static uint32_t
price_last(const struct moore_rmtrees *w, uint8_t slot)
{
	uint32_t degree = moore_rgraph_slots(w->v->g, w->t.root);
	uint64_t p = (uint64_t)w->n_ending[slot] * MOORE_PRICE_ENDING * USE /
		(w->n_ended / (degree + !degree) + DAMPING);

	if (w->classes->paired)
		return 0;
	return p < MAX_LOAD ? (uint32_t)p : MAX_LOAD;
}

/* Marks the one switch of each class that may be an intermediate of this tree: at random in the
 * first layer of a variant, and far from those of its other layers.  Where classes are paired, it
 * is the same in each class, and each root and each draw begins with another.  Elsewhere a switch that is
 * alone in its class is marked as if it had a copy, so that half of the trees have detours for it. */
static void
draw_intermediates(struct moore_rmtrees *w)
{
	const struct moore_rmiddles *c = w->classes;
	uint32_t variant = w->n_built / w->n_layers;
	uint32_t first = variant + c->place[w->t.root] + c->class_of[w->t.root] + w->n_draws;
	struct moore_rng r = { (uint64_t)w->t.root << 32 | w->n_draws << 16 | variant };

	for (uint32_t k = 0; k < c->n_classes; k++) {
		const uint32_t size = c->size[k] > 1 || c->paired ? c->size[k] : 2;
		const uint32_t step = size < w->n_layers ? 1 : size / w->n_layers;

		if (w->n_built % w->n_layers == 0)
			w->draw[k] = c->paired ? first % size : moore_rng_below(&r, size);
		else
			w->draw[k] = (w->draw[k] + step) % size;
	}
	for (uint32_t i = 0; i < w->n_low; i++) {
		uint32_t s = w->low[i], k = c->class_of[s];

		w->is_drawn[s] = k != MOORE_NONE && w->draw[k] == c->place[s];
	}
}

/* Notes the price of a detour by middle switch m, whose parent edge is e.  Where classes are paired,
 * detours with the same last link share their intermediate. */
static void
set_via(struct moore_rmtrees *w, uint32_t m, uint32_t e)
{
	uint32_t onward = price(w, w->out[w->v->g->to[e]]) + price_last(w, w->last[m]);

	w->via[m] = price_down(w, e);
	if (w->classes->paired)
		w->via_last[w->last[m]] = onward;
	else
		w->via[m] += onward;
}

static void
hang_middle_over(struct moore_rmtrees *w, uint32_t m, uint32_t e)
{
	uint32_t i = w->v->g->to[e];

	w->is_between[i] = 1;
	hang(w, i, w->out[i]);
	hang(w, m, e);
	set_via(w, m, e);
}

/* Attaches middle switch m below the intermediate that its earlier trees used least. */
static void
hang_middle(struct moore_rmtrees *w, uint32_t m)
{
	uint32_t *led = w->led_price + (size_t)m * w->stride, least = UINT32_MAX;
	const struct moore_roffer *best = NULL;

	for (uint32_t k = w->xoffer[m]; k < w->xoffer[m + 1]; k++) {
		const struct moore_roffer *o = &w->offer[k];
		uint32_t out, p;

		out = w->out[o->between];
		if (!w->is_drawn[o->between] || w->t.len[w->v->g->to[out]] != 1)
			continue;
		p = led[o->last] + w->once[o->want] + price_down(w, o->edge) + price(w, out) +
			price_last(w, o->last) + (w->is_between[o->between] ? 0 : w->new_price);
		if (p < least) {
			least = p;
			best = o;
		}
	}
	if (!best)
		return;
	hang_middle_over(w, m, best->edge);
	w->is_entered[m] = best->enters;
	led[best->last] += w->once[best->want];
}

/* Whether a low switch may take its edge e as a leaf. */
static bool
is_leaf_legal(const struct moore_rmtrees *w, uint32_t e)
{
	if (w->is_entered[w->v->g->to[e]] && !moore_rview_enters(w->v, w->t.slot, e))
		return false;
	return !w->one_lane || moore_rview_leaf(w->v, w->t.slot, w->t.root, e);
}

/* The cheapest edge of low switch s to a detour; *price is its price, or NEVER. */
static uint32_t
cheapest_detour(const struct moore_rmtrees *w, uint32_t s, uint32_t *price)
{
	const struct moore_rgraph *g = w->v->g;
	const uint32_t *last_price = w->last_price + (size_t)s * w->stride;
	const uint32_t *via_last = w->via_last;
	uint32_t begin = g->xadj[s], n = moore_rgraph_slots(g, s), least = NEVER, best = MOORE_NONE;
	uint32_t e = n ? begin + (w->t.root + 7 * s + w->n_built) % n : begin;

	for (uint32_t k = 0; k < n; k++, e = e + 1 < begin + n ? e + 1 : begin) {
		uint32_t m = g->to[e], last = w->last[m];
		uint32_t p = w->first_price[e] + w->via[m] + via_last[last] + last_price[last];

		if (p < least && is_leaf_legal(w, e)) {
			least = p;
			best = e;
		}
	}
	*price = least;
	return best;
}

/* The edge of low switch s to a middle switch beside the root, with the cheapest first link; *price is that of
 * its first and its last link. */
static uint32_t
cheapest_minimal(const struct moore_rmtrees *w, uint32_t s, uint32_t *price)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t least = NEVER, best = MOORE_NONE;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (w->t.len[g->to[e]] == 1 && w->first_price[e] < least && is_leaf_legal(w, e)) {
			least = w->first_price[e];
			best = e;
		}
	*price = NEVER;
	if (best != MOORE_NONE)
		*price = least + w->last_price[(size_t)s * w->stride + w->last[g->to[best]]];
	return best;
}

/* Returns the parent edge of low switch s: to a detour, if there is one.  But in a graph with lines, s may share
 * several middle switches with the root, as copies in a permuted plan share most of theirs.  Few first links lead
 * to detours then, and if all trees took these, few links would serve the pair.  So when a tree of the variant has
 * a detour for s, the others take a minimal route where that is cheaper. */
static uint32_t
choose_parent(const struct moore_rmtrees *w, uint32_t s)
{
	uint32_t p_detour, p_minimal;
	uint32_t detour = cheapest_detour(w, s, &p_detour), minimal;
	bool among_several = w->classes->lines && w->minimal[s].first == MOORE_SLOT_NONE;

	if (detour != MOORE_NONE && !(among_several && w->has_detour[s]))
		return detour;
	minimal = cheapest_minimal(w, s, &p_minimal);
	return detour == MOORE_NONE || p_minimal < p_detour ? minimal : detour;
}

static void
use_link(struct moore_rmtrees *w, uint32_t e)
{
	w->load[e]++;
	w->n_uses++;
}

static void
hang_low(struct moore_rmtrees *w, uint32_t s)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t e = choose_parent(w, s);

	if (e == MOORE_NONE)
		return;
	hang(w, s, e);
	w->first_price[e] += (MOORE_PRICE_FIRST + MOORE_PRICE_OWN_FIRST) * USE;
	w->own_firsts[e]++;
	w->last_price[(size_t)s * w->stride + w->last[s]] += MOORE_PRICE_LAST * USE;
	if (w->classes->paired) {
		use_link(w, e);
		use_link(w, g->rev[g->xadj[w->t.root] + w->last[s]]);
	}
	if (w->t.len[s] == 4) {
		e = g->xadj[g->to[e]] + w->t.slot[g->to[e]];
		use_link(w, e);
		use_link(w, w->out[g->to[e]]);
		if (w->classes->paired) {
			w->n_own[e]++;
			set_via(w, moore_rgraph_tail(g, e), e);
		}
		w->n_ending[w->last[s]]++;
		w->n_ended++;
		w->has_detour[s] = 1;
	}
}

/* Middle switches without an allowed turn become leaves below a switch two hops away. */
static void
hang_leaf(struct moore_rmtrees *w, uint32_t m)
{
	const struct moore_rgraph *g = w->v->g;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++) {
		uint32_t i = g->to[e];

		if (w->t.len[i] == 2 && is_usable(w, e) &&
		    moore_rview_legal(w->v, w->t.slot, w->t.root, g->xadj[i] + w->t.slot[i]) &&
		    moore_rview_leaf(w->v, w->t.slot, w->t.root, e)) {
			hang(w, m, e);
			return;
		}
	}
}

static uint32_t
count_reached(const struct moore_rmtrees *w)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < w->v->g->n; s++)
		n += w->t.len[s] != MOORE_LEN_NONE;
	return n;
}

/* What routes of the last variant began with counts less from now on. */
static void
start_variant(struct moore_rmtrees *w)
{
	w->has_diverted = false;
	memset(w->has_detour, 0, w->v->g->n);
	for (uint32_t e = 0; e < w->v->g->n_edges; e++) {
		w->first_price[e] -= MOORE_PRICE_OWN_FIRST * USE * w->own_firsts[e];
		w->own_firsts[e] = 0;
	}
}

/* The price of leading the middle switch at the root's edge e to the root by a detour; NEVER if no
 * turn allows it. */
static uint32_t
price_of_diversion(const struct moore_rmtrees *w, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t m = g->to[e], least = NEVER;

	for (uint32_t k = w->xoffer[m]; k < w->xoffer[m + 1]; k++) {
		const struct moore_roffer *o = &w->offer[k];
		uint32_t p = price(w, o->edge) + price(w, w->out[o->between]);

		if (!o->enters && w->t.len[m] == 1 && w->is_drawn[o->between] && p < least)
			least = p;
	}
	return least + w->n_diverted[e - g->xadj[w->t.root]] * USE;
}

/* Where classes are paired, the switches of the root's class, its peers, share all their middle
 * switches with it.  So in one tree of each variant, one of these middle switches leads to the
 * root by a detour over a peer, and the other peers take it. */
static void
divert_last_hop(struct moore_rmtrees *w)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t begin = g->xadj[w->t.root], least = NEVER, best = MOORE_NONE;

	for (uint32_t e = begin; e < g->xadj[w->t.root + 1]; e++) {
		uint32_t p = price_of_diversion(w, e);

		if (p < least) {
			least = p;
			best = e;
		}
	}
	if (best == MOORE_NONE)
		return;
	w->n_diverted[best - begin]++;
	w->t.len[g->to[best]] = MOORE_LEN_NONE;
	w->t.slot[g->to[best]] = MOORE_SLOT_NONE;
	w->has_diverted = true;
}

static void
start_tree(struct moore_rmtrees *w)
{
	if (w->n_built % w->n_layers == 0)
		start_variant(w);
	memset(w->via_last, 0, w->stride * sizeof(*w->via_last));
	memset(w->is_between, 0, w->v->g->n);
	memset(w->is_entered, 0, w->v->g->n);
	for (uint32_t k = 0; k < w->n_middle; k++)
		w->via[w->middle[k]] = NEVER;
	w->unit = (w->transit_price * USE << 14) /
		(w->n_uses / (w->v->g->n_planned + 1) + DAMPING);
	draw_intermediates(w);
	moore_rmtrees_hang_last_hops(w);
	if (w->serves_peers && !w->has_diverted)
		divert_last_hop(w);
}

void
moore_rmtrees_grow(struct moore_rmtrees *w)
{
	uint32_t from = w->t.root + w->n_built, moved = 0;

	start_tree(w);
	for (uint32_t k = 0; k < w->n_middle; k++) {
		uint32_t m = w->middle[(from + k) % w->n_middle];

		if (w->t.len[m] == MOORE_LEN_NONE)
			hang_middle(w, m);
	}
	for (uint32_t k = 0; k < w->n_low; k++) {
		uint32_t s = w->low[(from + k) % w->n_low];

		if (s != w->t.root && !w->is_between[s])
			hang_low(w, s);
	}
	for (uint32_t k = 0; k < w->n_middle; k++)
		if (w->t.len[w->middle[k]] == MOORE_LEN_NONE)
			hang_leaf(w, w->middle[k]);
	if (count_reached(w) < w->n_connected[w->t.root]) {
		moore_rtree_queue(&w->t, w->v->g->n);
		moore_rtree_repair(&w->t, w->v, w->t.root, w->load, w->n_connected[w->t.root], &moved);
	}
}

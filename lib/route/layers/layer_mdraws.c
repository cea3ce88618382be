// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_mdraws.c - all trees of a root, where the graph has lines or paired classes
 * (layer_middles.c has the words).
 *
 * Where there are lines, the intermediates of a tree are drawn at random, and where classes are paired, each
 * draw begins with others.  By some draws a low switch has far fewer pairs of first and last links than by
 * others.  So the trees of a root are drawn
 * again while some low switch can send it less than enough, and of all draws that one is kept by
 * which the worst low switch can send most.
 *
 * What low switch s can send: endpoint i beside s sends to endpoint i beside the root, over the trees
 * of that one or by the minimal route, and all endpoints send equally much.  No other switch
 * sends, so only first and last links of s can be full.  In each round each endpoint sends one unit
 * by the route whose two links have carried least so far, by the sum of squares; after r rounds in
 * which the busiest link has carried m units, s can send at least r/m of full rate. */
#include <string.h>

#include "route/layers/layer_mtree.h"

#define WHOLE ((uint32_t)1 << 10)	/* full rate */
#define ROUNDS 64		/* by then it is within some hundredths of the greatest share */

static uint8_t *
tree_at(const struct moore_rmtrees *w, uint32_t k)
{
	return w->slots + (size_t)k * w->v->g->n * w->v->g->n;
}

/* Finds the first and the last link of low switch s in tree k; false if it has no route. */
static bool
find_ends(const struct moore_rmtrees *w, uint32_t k, uint32_t s, struct moore_rends *ends)
{
	const struct moore_rgraph *g = w->v->g;
	const uint8_t *slot = tree_at(w, k);
	uint32_t e = MOORE_NONE;

	ends->first = slot[s];
	for (uint32_t hops = 0; s != w->t.root && hops < MOORE_LEN_MAX; hops++) {
		if (slot[s] == MOORE_SLOT_NONE)
			return false;
		e = g->xadj[s] + slot[s];
		s = g->to[e];
	}
	ends->last = (uint8_t)(g->rev[e] - g->xadj[s]);
	return s == w->t.root;
}

static uint32_t
square(uint32_t n)
{
	return n * n;
}

/* One endpoint of s sends a unit by one of the n routes ends[], or by s's minimal route if there is just
 * one.  Returns what the busier of the two links has carried. */
static uint32_t
send_unit(struct moore_rmtrees *w, const struct moore_rends *ends, unsigned n, struct moore_rends minimal)
{
	struct moore_rends best = minimal.first != MOORE_SLOT_NONE ? minimal : ends[0];
	uint32_t least = square(w->by_first[best.first]) + square(w->by_last[best.last]);

	for (unsigned i = 0; i < n; i++) {
		uint32_t p = square(w->by_first[ends[i].first]) + square(w->by_last[ends[i].last]);

		if (p < least) {
			least = p;
			best = ends[i];
		}
	}
	w->by_first[best.first]++;
	w->by_last[best.last]++;
	return w->by_first[best.first] > w->by_last[best.last] ? w->by_first[best.first] :
		w->by_last[best.last];
}

/* What low switch s can send, in parts of WHOLE, as far as that is less than enough. */
static uint32_t
share_of(struct moore_rmtrees *w, uint32_t s, uint32_t enough)
{
	uint32_t n = w->n_built, most = 0, share = 0;

	for (uint32_t k = 0; k < n; k++)
		if (!find_ends(w, k, s, &w->ends[k]))
			w->ends[k] = w->minimal[s];
	memset(w->by_first, 0, sizeof(w->by_first));
	memset(w->by_last, 0, sizeof(w->by_last));
	for (uint32_t r = 1; r <= ROUNDS && share < enough; r++) {
		for (uint32_t k = 0; k < n; k += w->n_layers) {
			uint32_t carried = send_unit(w, w->ends + k, w->n_layers, w->minimal[s]);

			most = carried > most ? carried : most;
		}
		share = r * WHOLE / most > share ? r * WHOLE / most : share;
	}
	return share < enough ? share : enough;
}

/* The least that a low switch can send. */
static uint32_t
least_share(struct moore_rmtrees *w, uint32_t enough)
{
	uint32_t least = enough;

	for (uint32_t i = 0; i < w->n_low; i++) {
		uint32_t s = w->low[i];

		if (s != w->t.root)
			least = share_of(w, s, least);
	}
	return least;
}

/* Draws and grows the trees of the root. */
static void
grow_all(struct moore_rmtrees *w, uint32_t draw, uint32_t n_trees)
{
	w->n_draws = draw;
	moore_rmtrees_reset(w);
	while (w->n_built < n_trees) {
		moore_rmtrees_grow(w);
		memcpy(tree_at(w, w->n_built++), w->t.slot, w->v->g->n);
	}
}

/* Does the same after it has taken the loads of an earlier draw away. */
static void
grow_again(struct moore_rmtrees *w, uint32_t draw, uint32_t n_trees)
{
	memcpy(w->load, w->load_before, w->v->g->n_edges * sizeof(*w->load));
	w->n_uses = w->n_uses_before;
	grow_all(w, draw, n_trees);
}

/* No tables carry more than (degree + 1) of 2 * degree parts of full rate when every switch sends
 * (docs/theory.md, section 3). */
static uint32_t
enough_for(const struct moore_rmtrees *w)
{
	uint32_t degree = moore_rgraph_slots(w->v->g, w->t.root);

	return degree ? WHOLE * (degree + 1) / (2 * degree) * MOORE_MIDDLES_ENOUGH / 100 : 0;
}

void
moore_rmtrees_root(struct moore_rmtrees *w, uint32_t root, uint8_t *slots, uint32_t n_trees)
{
	uint32_t enough, share, best = 0, kept = 0, draw = 0;

	w->slots = slots;
	moore_rmtrees_prepare(w, root);
	if (w->classes->paired && w->n_layers == 1) {	/* no draw is enough, and they take time */
		grow_all(w, draw, n_trees);
		return;
	}
	memcpy(w->load_before, w->load, w->v->g->n_edges * sizeof(*w->load));
	w->n_uses_before = w->n_uses;
	grow_all(w, draw, n_trees);
	enough = enough_for(w);
	while ((share = least_share(w, enough)) < enough) {
		if (share > best) {
			best = share;
			kept = draw;
		}
		if (++draw == MOORE_MIDDLES_DRAWS)
			break;
		grow_again(w, draw, n_trees);
	}
	if (share < enough && kept != draw - 1)
		grow_again(w, kept, n_trees);
}

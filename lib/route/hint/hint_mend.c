// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint_mend.c - trees of sl-hint on the links that are up: one for each root that can replace
 * any tree, and the repair of the others. */
#include <string.h>

#include "route/hint/hint_tree.h"

/* Whether others can be routed through p, a node of the tree. */
static bool
may_have_kids(const struct moore_rhint_tree *w, uint32_t p)
{
	return (p == w->root || moore_rview_transit(w->v, p)) && w->h->len[p] < MOORE_LEN_MAX;
}

/* Fills the lists of children of the tree old[]. */
static void
list_kids(struct moore_rhint *h, const uint8_t *old)
{
	const struct moore_rgraph *g = h->g;

	memset(h->kid, 0xff, g->n * sizeof(*h->kid));
	for (uint32_t s = g->n; s--;)
		if (old[s] != MOORE_SLOT_NONE) {
			uint32_t p = g->to[g->xadj[s] + old[s]];

			h->sibling[s] = h->kid[p];
			h->kid[p] = s;
		}
}

/* Attaches the nodes of the tree old[] again, parents first, where they may stay. */
static void
keep(struct moore_rhint_tree *w, const uint8_t *old)
{
	struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;

	list_kids(h, old);
	for (uint32_t i = 0; i < h->n_reached; i++) {
		uint32_t p = h->queue[i];

		struct moore_rhint_on on;

		if (h->kid[p] == MOORE_NONE || !may_have_kids(w, p))
			continue;
		on = moore_rhint_on(w, p);
		for (uint32_t s = h->kid[p]; s != MOORE_NONE; s = h->sibling[s]) {
			uint32_t e = g->xadj[s] + old[s];
			uint8_t ok;

			if (!moore_rhint_is_open(h, s) || !(g->flags[e] & w->v->flag))
				continue;
			ok = moore_rhint_ok_by(&on, w->v->turns->pos[s]);
			if (moore_rhint_admits(w, s, ok))
				moore_rhint_attach(w, s, e, ok);
		}
	}
}

/* Grows the tree over down edges alone, from the root to the greater side, then over up
 * edges: no turn is down-up, so A and D are right for every route, and every connected node
 * is reached (docs/theory.md, section 3). */
static void
grow_monotone(struct moore_rhint_tree *w)
{
	struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;
	const uint32_t *pos = w->v->turns->pos;

	moore_rhint_start(w);
	for (int up = 0; up < 2; up++)
		for (uint32_t i = 0; i < h->n_reached; i++) {
			uint32_t p = h->queue[i];

			if (!may_have_kids(w, p))
				continue;
			for (uint32_t e = g->xadj[p]; e < g->xadj[p + 1]; e++) {
				uint32_t s = g->to[e], over = g->rev[e];

				if (moore_rhint_is_open(h, s) && g->flags[e] & w->v->flag &&
				    (pos[p] < pos[s]) == (bool)up)
					moore_rhint_attach(w, s, over, moore_rhint_ok_over(w, s, over));
			}
		}
}

/* Attaches open nodes, the nearest first. */
static void
attach_rest(struct moore_rhint_tree *w, uint32_t n_connected)
{
	for (unsigned len = 0; w->h->n_reached < n_connected && len < MOORE_LEN_MAX; len++)
		moore_rhint_attach_all(w, len);
}

void
moore_rhint_base(struct moore_rhint *h, const struct moore_rview *v, const uint32_t *n_connected)
{
	for (uint32_t root = 0; root < h->g->n; root++) {
		struct moore_rhint_tree w = { h, v, root, h->met_up, NULL, true };

		moore_rhint_start(&w);
		attach_rest(&w, n_connected[root]);
		if (h->n_reached < n_connected[root])
			grow_monotone(&w);
		moore_rhint_note(&w);
		memcpy(h->base + (size_t)root * h->g->n, h->slot, h->g->n);
	}
}

static bool
all_admitted(const struct moore_rhint_tree *w)
{
	const struct moore_rhint *h = w->h;

	for (uint32_t i = 1; i < h->n_reached; i++)
		if (!moore_rhint_admits(w, h->queue[i], h->ok[h->queue[i]]))
			return false;
	return true;
}

void
moore_rhint_take(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, const uint8_t *slot)
{
	struct moore_rhint_tree w = { h, v, root, h->met_up, NULL, true };

	moore_rhint_start(&w);
	keep(&w, slot);
}

bool
moore_rhint_mend(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, bool with_a,
		 uint32_t n_connected, uint32_t *moved)
{
	struct moore_rhint_tree w = { h, v, root, h->met_up, NULL, with_a };
	uint8_t *old = (uint8_t *)h->acc;

	if (!with_a && h->g->as_planned && h->n_reached == n_connected && all_admitted(&w)) {
		moore_rhint_note(&w);
		return true;
	}
	memcpy(old, h->slot, h->g->n);
	moore_rhint_start(&w);
	keep(&w, old);
	attach_rest(&w, n_connected);
	if (h->n_reached < n_connected) {
		w.with_a = true;
		moore_rhint_start(&w);
		keep(&w, h->base + (size_t)root * h->g->n);
	}
	moore_rhint_note(&w);
	for (uint32_t s = 0; s < h->g->n; s++)
		*moved += old[s] != MOORE_SLOT_NONE && h->slot[s] != old[s];
	return h->n_reached >= n_connected;
}

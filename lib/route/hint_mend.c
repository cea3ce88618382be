// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint_mend.c - trees of sl-hint on what is up: one for each root that serves in need,
 * and the repair of the others. */
#include <string.h>

#include "route/hint_impl.h"

static bool
is_up(const struct moore_rview *v, uint32_t from, uint32_t to)
{
	return v->turns->pos[to] < v->turns->pos[from];
}

/* Put the nodes of old[] back, parents first, as far as they may stay. */
static void
keep(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, const uint8_t *old,
     bool with_a)
{
	const struct moore_rgraph *g = h->g;

	memset(h->kid, 0xff, g->n * sizeof(*h->kid));
	for (uint32_t s = g->n; s--;)
		if (old[s] != MOORE_SLOT_NONE) {
			uint32_t p = g->to[g->xadj[s] + old[s]];

			h->sibling[s] = h->kid[p];
			h->kid[p] = s;
		}
	for (uint32_t i = 0; i < h->n_reached; i++) {
		uint32_t p = h->queue[i];

		if ((p != root && !moore_rview_transit(v, p)) || h->len[p] >= MOORE_LEN_MAX)
			continue;
		for (uint32_t s = h->kid[p]; s != MOORE_NONE; s = h->sibling[s]) {
			uint32_t e = g->xadj[s] + old[s];
			uint8_t ok;

			if (moore_rhint_open(h, s) && g->flags[e] & v->flag &&
			    moore_rhint_admits(h, root, s, ok = moore_rhint_ok_over(h, v, root, s, e), with_a))
				moore_rhint_attach(h, s, e, ok);
		}
	}
}

/* Down from the root's greater side, then up: no turn from down to up at all, so
 * that A and D are right for everybody (tree.c says why nobody is stranded). */
static void
grow_monotone(struct moore_rhint *h, const struct moore_rview *v, uint32_t root)
{
	const struct moore_rgraph *g = h->g;

	moore_rhint_start(h, root);
	for (int up = 0; up < 2; up++)
		for (uint32_t i = 0; i < h->n_reached; i++) {
			uint32_t p = h->queue[i];

			if ((p != root && !moore_rview_transit(v, p)) || h->len[p] >= MOORE_LEN_MAX)
				continue;
			for (uint32_t e = g->xadj[p]; e < g->xadj[p + 1]; e++) {
				uint32_t s = g->to[e];

				if (moore_rhint_open(h, s) && g->flags[e] & v->flag &&
				    is_up(v, s, p) == (bool)up)
					moore_rhint_attach(h, s, g->rev[e], moore_rhint_ok_over(h, v, root, s, g->rev[e]));
			}
		}
}

void
moore_rhint_base(struct moore_rhint *h, const struct moore_rview *v, const uint32_t *n_connected)
{
	h->met = h->met_up;
	for (uint32_t root = 0; root < h->g->n; root++) {
		moore_rhint_start(h, root);
		for (unsigned len = 0; h->n_reached < n_connected[root] && len < MOORE_LEN_MAX; len++)
			moore_rhint_attach_all(h, v, root, len, true);
		if (h->n_reached < n_connected[root])
			grow_monotone(h, v, root);
		moore_rhint_note(h, root);
		memcpy(h->base + (size_t)root * h->g->n, h->slot, h->g->n);
	}
}

static bool
all_admitted(const struct moore_rhint *h, uint32_t root)
{
	for (uint32_t i = 1; i < h->n_reached; i++)
		if (!moore_rhint_admits(h, root, h->queue[i], h->ok[h->queue[i]], false))
			return false;
	return true;
}

bool
moore_rhint_mend(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, bool with_a,
		 uint32_t n_connected, uint32_t *moved)
{
	uint8_t *old = (uint8_t *)h->acc;

	h->met = h->met_up;
	if (!with_a && h->g->as_planned && h->n_reached == n_connected && all_admitted(h, root)) {
		moore_rhint_note(h, root);
		return true;
	}
	memcpy(old, h->slot, h->g->n);
	moore_rhint_start(h, root);
	keep(h, v, root, old, with_a);
	for (unsigned len = 0; h->n_reached < n_connected && len < MOORE_LEN_MAX; len++)
		moore_rhint_attach_all(h, v, root, len, with_a);
	if (h->n_reached < n_connected) {
		moore_rhint_start(h, root);
		keep(h, v, root, h->base + (size_t)root * h->g->n, true);
	}
	moore_rhint_note(h, root);
	for (uint32_t s = 0; s < h->g->n; s++)
		*moved += old[s] != MOORE_SLOT_NONE && h->slot[s] != old[s];
	return h->n_reached >= n_connected;
}

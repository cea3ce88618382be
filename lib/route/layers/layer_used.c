// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_used.c - see layer_used.h. */
#include <stdlib.h>
#include <string.h>

#include "route/layers/layer_tree.h"

/* With so many trees of a root or fewer, their links take less memory than the masks, and little
 * time to read again. */
#define FEW_TREES 8

static void
count_minimal(const struct moore_rgraph *g, uint32_t d, struct moore_rused *used)
{
	for (uint32_t o = g->xadj[d]; o < g->xadj[d + 1]; o++)
		for (uint32_t r = g->to[o], k = g->xadj[r]; k < g->xadj[r + 1]; k++) {
			struct moore_rused *u = &used[g->to[k]];

			u->n_minimal = (uint8_t)(u->n_minimal + (u->n_minimal < 2));
		}
}

bool
moore_rused_init(struct moore_rlayers *v, uint32_t n_trees)
{
	const struct moore_rgraph *g = v->minimal->v->g;
	size_t n = g->n;

	if (n_trees <= FEW_TREES)
		return (v->links = calloc(n + 1, sizeof(*v->links)));
	if (!(v->used = calloc(n * n + 1, sizeof(*v->used))))
		return false;
	for (uint32_t d = 0; d < n; d++)
		count_minimal(g, d, v->used + d * n);
	return true;
}

static inline void
add(struct moore_rused *u, unsigned first, unsigned last)
{
	uint64_t f = (uint64_t)1 << first, l = (uint64_t)1 << last;

	u->first[1] |= u->first[0] & f;
	u->first[0] |= f;
	u->last[1] |= u->last[0] & l;
	u->last[0] |= l;
	u->own_first |= f;
	u->own_last |= l;
}

static void
forget_own(struct moore_rused *used, uint32_t n)
{
	for (uint32_t s = 0; s < n; s++)
		used[s].own_first = used[s].own_last = 0;
}

void
moore_rused_open(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	const struct moore_rused_links *k;

	w->used = w->v->used;
	if (!w->v->links) {
		w->used += (size_t)w->root * g->n;
		return;
	}
	memset(w->used, 0, g->n * sizeof(*w->used));
	count_minimal(g, w->root, w->used);
	k = &w->v->links[w->root];
	for (uint32_t t = 0; t < k->n_trees; t++) {
		const uint8_t *slot = k->slot + (size_t)t * g->n * 2;

		if (t == k->own)
			forget_own(w->used, g->n);
		for (uint32_t s = 0; s < g->n; s++, slot += 2)
			if (slot[0] != MOORE_SLOT_NONE)
				add(&w->used[s], slot[0], slot[1]);
	}
}

void
moore_rused_begin(struct moore_rlayer_tree *w, bool own)
{
	size_t n = w->view->g->n;
	struct moore_rused_links *k = w->v->links ? &w->v->links[w->root] : NULL;
	uint8_t *slot = k ? realloc(k->slot, (k->n_trees + 1) * n * 2) : NULL;

	if (own)
		forget_own(w->used, w->view->g->n);
	if (!k)
		return;
	w->noted = NULL;
	if (!slot) {
		w->v->oom = true;
		return;
	}
	k->slot = slot;
	k->own = own ? k->n_trees : k->own;
	w->noted = slot + k->n_trees++ * n * 2;
	memset(w->noted, MOORE_SLOT_NONE, n * 2);
}

void
moore_rused_note(struct moore_rlayer_tree *w, uint32_t s, uint8_t first, uint8_t last)
{
	add(&w->used[s], first, last);
	if (!w->noted)
		return;
	w->noted[(size_t)s * 2] = first;
	w->noted[(size_t)s * 2 + 1] = last;
}

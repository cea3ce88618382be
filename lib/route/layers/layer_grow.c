// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_grow.c - the tree of a layer, grown while a share of the root's neighbours is out of
 * service as last hops.
 *
 * Nodes behind those neighbours grow around them, one or two hops longer than minimal; and
 * the neighbours, free of children, can take a detour themselves. */
#include "route/layers/layer_tree.h"

/* Another share in each layer and variant.  Nodes that want a detour should be leaves. */
static void
make_wishes(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	const struct moore_rlayer_slice *sl = w->slice;
	uint8_t *wish = w->v->wish;

	for (uint32_t s = 0; s < g->n; s++)
		wish[s] = w->flags[s] & SATED ? 0 : MOORE_WISH_LEAF;
	for (uint32_t e = g->xadj[w->root]; e < g->xadj[w->root + 1]; e++) {
		uint32_t i = e - g->xadj[w->root], shift = sl->variant * (1 + i / sl->n_shares);

		if ((i + w->root + shift) % sl->n_shares == sl->layer)
			wish[g->to[e]] |= MOORE_WISH_SHUT;
	}
}

/* Puts the neighbours behind which nodes are unreached back into service; false when there
 * are none. */
static bool
unblock(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	uint8_t *wish = w->v->wish;
	bool any = false;

	for (uint32_t s = 0; s < g->n; s++) {
		if (w->v->t.len[s] != MOORE_LEN_NONE)
			continue;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (g->flags[e] & w->view->flag && wish[g->to[e]] & MOORE_WISH_SHUT) {
				wish[g->to[e]] = 0;
				any = true;
			}
	}
	return any;
}

void
moore_rlayer_grow(struct moore_rlayer_tree *w, uint32_t n_connected)
{
	struct moore_rlayers *v = w->v;

	make_wishes(w);
	do
		if (moore_rtree_grow_around(&v->t, w->view, w->root, v->load, n_connected, v->wish))
			return;
	while (unblock(w));
	moore_rtree_grow(&v->t, w->view, w->root, v->load, n_connected);
}

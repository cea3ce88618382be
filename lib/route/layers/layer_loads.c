// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_loads.c - the loads of a layer's tree, and the price of every node's route.
 *
 * The price of an edge is kept, since loads change less often than prices are asked for; so
 * is the price of a node's whole route (onward[]).  That one is renewed along the route of a
 * leaf that moves; elsewhere it may be a little old. */
#include <string.h>

#include "route/layers/layer_tree.h"

/* Whether the kind of layers lets others be routed through x. */
static bool
is_of_kind(const struct moore_rlayer_tree *w, uint32_t x)
{
	const struct moore_rgraph *g = w->view->g;
	const struct moore_rkind *k = w->v->kind;

	if (k->straight && w->dist[x] == 1 && w->len[x] > 1)
		return false;
	while (k->among_hosts && w->len[x] > 2 && w->len[x] != MOORE_LEN_NONE)
		x = g->to[g->xadj[x] + w->slot[x]];
	return !k->among_hosts || w->len[x] != 2 || g->is_source[x];
}

/* x is dear while it wants a detour of its own: with a child it could not move to one. */
void
moore_rlayer_set_onward(struct moore_rlayer_tree *w, uint32_t x, uint64_t price)
{
	uint8_t flags = w->flags[x];
	bool dear = !(flags & (KIDS | SATED)) & (w->len[x] == w->dist[x]) &
		w->view->g->is_source[x];
	bool open = flags & PASS && is_of_kind(w, x);

	w->v->open_len[x] = open ? w->len[x] : MOORE_LEN_NONE;
	w->v->onward[x].price = price + dear * DEAR;
}

/* Returns the slot that the edge opposite to e has at its tail, modulo 64. */
static uint8_t
end_slot(const struct moore_rgraph *g, uint32_t e)
{
	return (g->rev[e] - g->xadj[g->to[e]]) & 63;
}

void
moore_rlayer_renew(struct moore_rlayer_tree *w, uint32_t x)
{
	struct moore_ronward *o = w->v->onward;
	uint32_t last = 0;
	uint64_t sum = 0;

	for (uint32_t a = x; o[a].parent != NO_PARENT; a = o[a].parent) {
		last = o[a].edge;
		sum += w->v->price[last];
	}
	if (o[x].parent != NO_PARENT)
		o[x].end = end_slot(w->view->g, last);
	moore_rlayer_set_onward(w, x, sum);
}

/* No leaf moves to the root itself: that is not a detour. */
void
moore_rlayer_renew_all(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;

	for (uint32_t x = 0; x < w->view->g->n; x++)
		moore_rlayer_set_parent(g, &w->v->onward[x], x, w->slot[x]);
	for (uint32_t x = 0; x < w->view->g->n; x++)
		moore_rlayer_renew(w, x);
	w->v->open_len[w->root] = MOORE_LEN_NONE;
}

/* As moore_rlayer_renew_all(), for a tree whose loads are added now, parents first. */
static void
add_loads(struct moore_rlayer_tree *w)
{
	struct moore_rlayers *v = w->v;
	const struct moore_rgraph *g = w->view->g;

	v->onward[w->root].price = 0;
	moore_rlayer_set_parent(g, &v->onward[w->root], w->root, w->slot[w->root]);
	for (uint32_t i = 1; i < v->t.n_reached; i++) {
		uint32_t x = v->list[i], e = g->xadj[x] + w->slot[x], r = g->to[e];

		moore_rlayer_set_parent(g, &w->v->onward[x], x, w->slot[x]);
		set_load(w, e, v->load[e] + v->acc[x] * w->n_lids);
		v->onward[x].end = r == w->root ? end_slot(g, e) : v->onward[r].end;
		/* r has a child, so its own price does not hold DEAR. */
		moore_rlayer_set_onward(w, x, v->onward[r].price + v->price[e]);
	}
	v->open_len[w->root] = MOORE_LEN_NONE;
}

void
moore_rlayer_keep(struct moore_rlayer_tree *w)
{
	struct moore_rlayers *v = w->v;
	const struct moore_rtree *t = &v->t;
	const struct moore_rgraph *g = w->view->g;

	memcpy(w->slot, t->slot, g->n);
	memcpy(w->len, t->len, g->n);
	for (uint32_t s = 0; s < g->n; s++)
		w->flags[s] = (uint8_t)((w->flags[s] & (SATED | COVERED)) | t->pass[s] * PASS |
					t->kids[s] * KIDS);
	for (uint32_t i = 0; i < t->n_reached; i++)
		v->list[i] = (uint16_t)t->queue[i];
	moore_rtree_sources(g, t->slot, v->list, t->n_reached, v->acc);
	if (t->n_reached < g->n)
		moore_rlayer_renew_all(w);
	add_loads(w);
}

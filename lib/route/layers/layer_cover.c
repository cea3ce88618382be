// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_cover.c - detours for nodes that have none yet.
 *
 * Such a node has no neighbour that could take it, or has children and so cannot move.  Its
 * children are sent to other parents; or a neighbour that is sated gives up its own detour,
 * goes back to its minimal length and takes the node as a child. */
#include "route/layers/layer_tree.h"

/* Has a sated neighbour of s give up its detour so that s may attach to it; returns that
 * edge of s, or MOORE_NONE. */
static uint32_t
call_back(struct moore_rlayer_tree *w, uint32_t s, uint32_t except)
{
	const struct moore_rgraph *g = w->view->g;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		uint32_t x = g->to[e], back;

		if (x == except || !(g->flags[e] & w->view->flag) || !is_leaf(w, x) ||
		    !(w->flags[x] & SATED) || w->len[x] <= w->dist[x] || w->dist[x] < w->dist[s])
			continue;
		back = moore_rlayer_cheapest(w, x, w->dist[x] - 1u, w->dist[x] - 1u, s, DEAR);
		if (back == MOORE_NONE || !moore_rview_legal(w->view, w->slot, w->root, back))
			continue;
		moore_rlayer_move(w, x, back);
		if (w->flags[x] & PASS && moore_rview_leaf(w->view, w->slot, w->root, e))
			return e;
	}
	return MOORE_NONE;
}

/* Another parent edge for c, a child of s without children: to a detour; to a minimal route
 * when c is sated; or to a neighbour that gives up its own. */
static uint32_t
other_parent(struct moore_rlayer_tree *w, uint32_t c, uint32_t s)
{
	uint32_t e = moore_rlayer_detour(w, c, s);

	if (e == MOORE_NONE && w->flags[c] & SATED)
		e = moore_rlayer_cheapest(w, c, w->dist[c] - 1u, w->dist[c] - 1u, s, DEAR);
	return e == MOORE_NONE ? call_back(w, c, s) : e;
}

/* Sends the children of s to other parents, and theirs first, down to so many generations
 * below.  False when one cannot go; those before it are gone then. */
static bool
send_children_off(struct moore_rlayer_tree *w, uint32_t s, unsigned generations)
{
	const struct moore_rgraph *g = w->view->g;
	bool all = true;

	w->v->open_len[s] = MOORE_LEN_NONE;	/* takes no leaf meanwhile */
	for (uint32_t o = g->xadj[s]; all && o < g->xadj[s + 1]; o++) {
		uint32_t c = g->to[o], e = MOORE_NONE;

		if (w->v->onward[c].parent != s)
			continue;
		if (!(w->flags[c] & KIDS) ||
		    (generations && send_children_off(w, c, generations - 1)))
			e = other_parent(w, c, s);
		if (e != MOORE_NONE)
			moore_rlayer_move(w, c, e);
		all = e != MOORE_NONE;
	}
	if (all)
		w->flags[s] &= (uint8_t)~KIDS;
	moore_rlayer_renew(w, s);
	return all;
}

static bool
wants_detour(const struct moore_rlayer_tree *w, uint32_t s)
{
	return !(w->flags[s] & SATED) && w->view->g->is_source[s] &&
		w->slot[s] != MOORE_SLOT_NONE && w->len[s] <= w->dist[s] && s != w->root;
}

void
moore_rlayer_cover(struct moore_rlayer_tree *w)
{
	unsigned generations = w->slice->is_last ? MOORE_COVER_DEEP : MOORE_COVER_SHALLOW;
	bool renewed = false;

	for (uint32_t s = 0; s < w->view->g->n; s++) {
		uint32_t e;

		if (!wants_detour(w, s))
			continue;
		if (!renewed)
			moore_rlayer_renew_all(w);
		renewed = true;
		if (w->flags[s] & KIDS && !send_children_off(w, s, generations))
			continue;
		e = moore_rlayer_detour(w, s, MOORE_NONE);
		if (e == MOORE_NONE)
			e = call_back(w, s, MOORE_NONE);
		if (e != MOORE_NONE)
			moore_rlayer_move(w, s, e);
	}
}

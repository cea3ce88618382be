// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tree_held.c - which nodes must stay legal so that the tree reaches all others.
 *
 * Under turns by the order (up, then down) a route of least hops is built for every node: down where
 * nodes above depend on that, else over the neighbour whose route is shorter.  All its turns are allowed.
 * The nodes that pass on the routes of others are *held*: tree_bare.c attaches them by an allowed turn
 * only, and by an edge down if the route of a node above comes down over them.  So each node that is
 * not reached is offered a parent sooner or later: the one that it has here. */
#include <string.h>

#include "route/trees/tree.h"

#define FAR UINT32_MAX

struct held {
	struct moore_rbare *b;
	const struct moore_rview *v;
	uint32_t root;
};

/* Fills down[]: the hops of each node to root by edges down alone, or FAR. */
static void
fill_down(struct held *w)
{
	const struct moore_rgraph *g = w->v->g;
	const uint32_t *pos = w->v->turns->pos;
	uint32_t *down = w->b->down, *queue = w->b->queue, n = 1;

	memset(down, 0xff, g->n * sizeof(*down));
	down[w->root] = 0;
	queue[0] = w->root;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t r = queue[i];

		if (r != w->root && !moore_rview_transit(w->v, r))
			continue;
		for (uint32_t o = g->xadj[r]; o < g->xadj[r + 1]; o++) {
			uint32_t s = g->to[o];

			if (pos[s] < pos[r] && down[s] == FAR) {
				down[s] = down[r] + 1;
				queue[n++] = s;
			}
		}
	}
}

/* The neighbour of s on the side `up` whose hops[] are least; of equal ones, one that is held. */
static uint32_t
nearest(const struct held *w, uint32_t s, bool up, const uint32_t *hops)
{
	const struct moore_rgraph *g = w->v->g;
	const uint32_t *pos = w->v->turns->pos;
	uint64_t least = (uint64_t)FAR << 1;
	uint32_t best = MOORE_NONE;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		uint32_t r = g->to[e];
		uint64_t p = (uint64_t)hops[r] << 1 | !w->b->held[r];

		if ((pos[r] < pos[s]) != up || p >= least || (r != w->root && !moore_rview_transit(w->v, r)))
			continue;
		least = p;
		best = r;
	}
	return best;
}

void
moore_rheld_fill(struct moore_rbare *b, const struct moore_rview *v, uint32_t root)
{
	struct held w = { b, v, root };

	memset(b->held, 0, v->g->n);
	fill_down(&w);
	for (uint32_t i = 0; i < v->g->n; i++) {
		uint32_t s = b->node_at[i], r;

		b->hops[s] = b->down[s];
		if (s == root)
			continue;
		r = b->held[s] == MOORE_HELD_DOWN ? MOORE_NONE : nearest(&w, s, true, b->hops);
		if (r != MOORE_NONE && b->hops[r] < b->down[s]) {
			b->hops[s] = b->hops[r] + 1;
			b->held[r] |= MOORE_HELD;
		} else if ((r = nearest(&w, s, false, b->down)) != MOORE_NONE) {
			b->held[r] = MOORE_HELD_DOWN;
		}
	}
}

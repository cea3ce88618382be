// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tree_bare.c - grows the tree that tree.c grows, but keeps no lists of offers and has no last resort.
 *
 * tree.c notes each offer where it is made, far apart in memory.  Here a node that is offered a parent
 * looks through its own edges, which lie side by side, and finds what it needs to know of a parent in one
 * place.  In a graph that the caches do not hold this takes a fraction of the time. */
#include <stdlib.h>
#include <string.h>

#include "route/trees/tree.h"

#define NONE ((uint64_t)1 << 63)	/* it is no offer */
#define ILLEGAL ((uint64_t)1 << 62)	/* as in tree.c */
#define PINS ((uint64_t)1 << 60)
#define AHEAD 4			/* choose() is given its nodes so far ahead */

struct bare {			/* one tree */
	struct moore_rbare *b;
	struct moore_rtree *t;
	const struct moore_rview *v;
	const uint32_t *load;
	const uint8_t *wish;
	uint32_t *offered, n_offered;
	uint64_t illegal;	/* ILLEGAL, or 0 in a round that reaches every node */
	uint32_t n_illegal;	/* nodes attached by a turn that is not allowed, but in such a round */
	bool is_strict;		/* there must be none */
};

int
moore_rbare_init(struct moore_rbare *b, const struct moore_rview *v)
{
	size_t n = (size_t)v->g->n + 1;

	*b = (struct moore_rbare){ .parent = calloc(n, sizeof(*b->parent)), .met = malloc(n), .held = malloc(n),
		.node_at = malloc(n * sizeof(*b->node_at)), .down = malloc(n * sizeof(*b->down)),
		.hops = malloc(n * sizeof(*b->hops)), .queue = malloc(n * sizeof(*b->queue)) };
	if (!b->parent || !b->met || !b->held || !b->node_at || !b->down || !b->hops || !b->queue)
		return -MOORE_ENOMEM;
	for (uint32_t s = 0; s < v->g->n; s++)
		b->node_at[v->turns->pos[s]] = s;
	return 0;
}

void
moore_rbare_fini(struct moore_rbare *b)
{
	free(b->parent);
	free(b->met);
	free(b->held);
	free(b->node_at);
	free(b->down);
	free(b->hops);
	free(b->queue);
	*b = (struct moore_rbare){ NULL };
}

bool
moore_rbare_suits(const struct moore_rgraph *g)
{
	return g->all_flags & MOORE_EDGE_UP && !(g->some_flags & MOORE_EDGE_ONE_LANE);
}

/* Notes what a route over r meets beyond it, since r makes offers in this round. */
static void
note_onward(struct bare *w, uint32_t r)
{
	const struct moore_rgraph *g = w->v->g;
	struct moore_rtree *t = w->t;
	uint32_t on = g->xadj[r] + t->slot[r];
	struct moore_rparent *p = &w->b->parent[r];

	*p = (struct moore_rparent){ 0, UINT32_MAX, w->b->round };
	if (r == t->root)
		return;
	p->rank = w->v->turns->onto[on];
	p->price = (uint64_t)w->load[on] * g->link_weight[on] + (t->n_offers[r] > 1 ? PINS : 0);
}

/* Lists the nodes to which queue[from..to-1] offer a parent. */
static void
make_offers(struct bare *w, uint32_t from, uint32_t to)
{
	const struct moore_rgraph *g = w->v->g;
	const struct moore_rtree *t = w->t;
	uint32_t *offered = w->offered, n = 0;
	const uint32_t *head = g->to;
	uint8_t *met = w->b->met;

	w->b->round++;
	for (uint32_t i = from; i < to; i++) {
		uint32_t r = t->queue[i], end = g->xadj[r + 1];

		if (!t->pass[r])
			continue;
		note_onward(w, r);
		for (uint32_t o = g->xadj[r]; o < end; o++) {
			uint32_t s = head[o];

			offered[n] = s;		/* most are met: no branch */
			n += !met[s];
			met[s] = 1;
		}
	}
	w->n_offered = n;
}

/* Takes the cheapest offer to s; of equal ones the first.  If s is held and none suits, s waits. */
static void
choose(struct bare *w, uint32_t s)
{
	const struct moore_rgraph *g = w->v->g;
	const struct moore_rparent *parent = w->b->parent;
	const uint32_t *rank = w->v->turns->rank, *load = w->load, round = w->b->round;
	const uint8_t *weight = g->link_weight;
	uint32_t e0 = g->xadj[s], end = g->xadj[s + 1], best = e0, n = 0, r;
	uint32_t up = w->b->held[s] == MOORE_HELD_DOWN ? g->n : 0;	/* the ranks up to it do not suit */
	struct moore_rtree *t = w->t;
	uint64_t least = UINT64_MAX;

	for (uint32_t e = e0; e < end; e++) {
		const struct moore_rparent *q = &parent[g->to[e]];
		uint64_t p = ((uint64_t)load[e] * weight[e] + q->price) |
			((rank[e] >= q->rank) | (rank[e] <= up)) * w->illegal | (q->round != round) * NONE;
		bool less = p < least;

		n += p < NONE;
		least = less ? p : least;
		best = less ? e : best;
	}
	if (w->b->held[s] && least & ILLEGAL) {
		w->b->met[s] = 0;
		return;
	}
	w->n_illegal += (least & ILLEGAL) != 0;
	r = g->to[best];
	t->n_offers[s] = (uint8_t)n;
	t->slot[s] = (uint8_t)(best - e0);
	t->pass[s] = moore_rview_transit(w->v, s) && rank[best] < parent[r].rank &&
		!moore_rview_enters(w->v, t->slot, best) &&
		!(w->wish && r == t->root && w->wish[s] & MOORE_WISH_SHUT);
	w->b->parent[r].price &= ~PINS;		/* it has a child now */
	t->queue[t->n_reached++] = s;
}

/* Asks for what choose() reads of the i-th node that was offered a parent. */
static inline void
fetch(const struct bare *w, uint32_t i)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t e = i < w->n_offered ? g->xadj[w->offered[i]] : 0;

	__builtin_prefetch(&g->to[e]);
	__builtin_prefetch(&w->load[e]);
	__builtin_prefetch(&w->v->turns->rank[e]);
}

static bool
grow(struct bare *w, uint32_t root, uint32_t n_connected)
{
	struct moore_rbare *b = w->b;
	struct moore_rtree *t = w->t;
	uint32_t from = 0, to = 1, n = w->v->g->n;

	if (b->round > UINT32_MAX - MOORE_LEN_MAX) {	/* its numbers are used up */
		memset(b->parent, 0, n * sizeof(*b->parent));
		b->round = 0;
	}
	memset(t->slot, MOORE_SLOT_NONE, n);
	memset(b->met, 0, n);
	b->met[root] = t->pass[root] = 1;
	t->root = t->queue[0] = root;
	t->n_reached = 1;
	t->n_offers[root] = 0;
	for (unsigned len = 0; len < MOORE_LEN_MAX && from < to && to < n_connected &&
	     !(w->is_strict && w->n_illegal); len++) {
		make_offers(w, from, to);
		w->illegal = !w->wish && to + w->n_offered >= n_connected ? 0 : ILLEGAL;
		for (uint32_t i = 0; i < w->n_offered; i++) {
			fetch(w, i + AHEAD);
			choose(w, w->offered[i]);
		}
		from = to;
		to = t->n_reached;
	}
	return t->n_reached >= n_connected;
}

bool
moore_rtree_grow_bare(struct moore_rtree *t, struct moore_rbare *b, const struct moore_rview *v,
		      uint32_t root, const uint32_t *load, uint32_t n_connected, const uint8_t *wish)
{
	struct bare w = { .b = b, .t = t, .v = v, .load = load, .wish = wish, .offered = t->list,
		.is_strict = !wish };

	memset(b->held, 0, v->g->n);
	return grow(&w, root, n_connected);
}

bool
moore_rtree_grow_held(struct moore_rtree *t, struct moore_rbare *b, const struct moore_rview *v,
		      uint32_t root, const uint32_t *load, uint32_t n_connected)
{
	struct bare w = { .b = b, .t = t, .v = v, .load = load, .offered = t->list };

	moore_rheld_fill(b, v, root);
	return grow(&w, root, n_connected);
}

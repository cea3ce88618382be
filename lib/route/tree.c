// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tree.c - one legal in-tree: every switch that has children reaches the root
 * by allowed turns alone.
 *
 * Growing goes hop by hop.  A switch that turns out illegal is a leaf for good;
 * that can strand others behind it.  Those then follow the first spanning tree,
 * all of whose turns are allowed, to the root, and the rest grows around them;
 * if that strands others again and again, everyone follows it.
 *
 * A link of one lane carries both roles on one VL, so even a leaf must be legal
 * across it; a switch that cannot map SLs is always a leaf. */
#include <stdlib.h>
#include <string.h>

#include "route/route_impl.h"

struct grower {
	struct moore_rtree *t;
	const struct moore_rview *v;
	const uint32_t *cost;
	const uint8_t *wish;	/* enum moore_rwish, by node; may be NULL */
	const uint8_t *old;	/* repair: slots to stay with, others being as near */
	uint32_t *level;	/* nodes offered a parent in this round */
	uint32_t n_level;
	bool last;		/* nobody is left beyond this round */
};

int
moore_rtree_init(struct moore_rtree *t, const struct moore_rgraph *g)
{
	size_t n = g->n + 1;

	*t = (struct moore_rtree){
		.slot = malloc(n), .len = malloc(n), .pass = malloc(n), .kids = malloc(n),
		.queue = malloc(2 * n * sizeof(*t->queue)),
		.first = malloc(n * sizeof(*t->first)),
		.next = malloc((g->n_edges + 1) * sizeof(*t->next)),
		.n_offers = malloc(n), .old = malloc(n), .need = malloc(n), .level = malloc(n * sizeof(*t->level)),
		.rank = malloc(n * sizeof(*t->rank)), .cost = malloc(n * sizeof(*t->cost)),
	};
	return t->slot && t->len && t->pass && t->kids && t->queue && t->first && t->next &&
		t->n_offers && t->old && t->need && t->level &&
		t->rank && t->cost ? 0 : -MOORE_ENOMEM;
}

void
moore_rtree_fini(struct moore_rtree *t)
{
	free(t->slot);
	free(t->len);
	free(t->pass);
	free(t->kids);
	free(t->queue);
	free(t->first);
	free(t->next);
	free(t->n_offers);
	free(t->old);
	free(t->need);
	free(t->level);
	free(t->rank);
	free(t->cost);
	*t = (struct moore_rtree){ 0 };
}

void
moore_rtree_start(struct moore_rtree *t, uint32_t n, uint32_t root)
{
	t->root = root;
	memset(t->slot, MOORE_SLOT_NONE, n);
	memset(t->len, MOORE_LEN_NONE, n);
	memset(t->pass, 0, n);
	memset(t->kids, 0, n);
	memset(t->first, 0xff, n * sizeof(*t->first));
	memset(t->n_offers, 0, n);
	t->len[root] = 0;
	t->pass[root] = 1;
	t->queue[0] = root;
	t->n_reached = 1;
}

static uint64_t
edge_cost(const struct grower *w, uint32_t e)
{
	return w->cost ? (uint64_t)w->cost[e] * w->v->g->cost[e] : 0;
}

/* From now on r may take others: note what it costs to go through it. */
static void
open_node(struct grower *w, uint32_t r)
{
	struct moore_rtree *t = w->t;
	uint32_t on = w->v->g->xadj[r] + t->slot[r];

	t->rank[r] = r == t->root ? UINT32_MAX : w->v->turns->rank[on];
	t->cost[r] = r == t->root ? 0 : edge_cost(w, on);
}

/* Let every neighbour of r that is not reached know that r would take it. */
static void
offer(struct grower *w, uint32_t r)
{
	const struct moore_rgraph *g = w->v->g;
	struct moore_rtree *t = w->t;
	uint32_t n = 0, out[256];

	for (uint32_t o = g->xadj[r]; o < g->xadj[r + 1]; o++) {
		out[n] = o;
		n += t->len[g->to[o]] == MOORE_LEN_NONE;	/* mostly not: spare the branch */
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = g->to[out[i]], e = g->rev[out[i]];

		if (!(g->flags[e] & w->v->flag) ||
		    !moore_rview_leaf(w->v, t->slot, t->root, s, e))
			continue;
		w->level[w->n_level] = s;
		w->n_level += t->first[s] == MOORE_NONE;
		t->next[e] = t->first[s];
		t->first[s] = e;
		t->n_offers[s]++;
	}
}

/* How dear edge e is to s: not to disturb who would rather be a leaf, staying legal
 * (unless nobody comes after), then
 * to change nothing, then not to take a switch's freedom away by hanging on it,
 * then load. */
static uint64_t
price(const struct grower *w, uint32_t s, uint32_t e)
{
	const struct moore_rtree *t = w->t;
	uint32_t r = w->v->g->to[e];
	bool illegal = w->v->turns->rank[e] >= t->rank[r];
	bool childless = t->kids[r] == 0;
	bool frees = childless & (t->n_offers[r] > 1);
	uint64_t p = edge_cost(w, e) + t->cost[r];

	if (w->wish)
		p |= (uint64_t)(childless && w->wish[r] & MOORE_WISH_LEAF) << 63 |
			(uint64_t)illegal << 62;
	else
		p |= (uint64_t)(illegal && !w->last) << 62;
	p |= (uint64_t)frees << 60;
	if (w->old && e != w->v->g->xadj[s] + w->old[s])
		p |= (uint64_t)1 << 61;
	return p;
}

static void
attach(struct grower *w, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	struct moore_rtree *t = w->t;
	uint32_t r = g->to[e];

	t->slot[s] = (uint8_t)(e - g->xadj[s]);
	t->len[s] = (uint8_t)(t->len[r] + 1);
	t->pass[s] = moore_rview_transit(w->v, s) && w->v->turns->rank[e] < t->rank[r] &&
		!(w->wish && r == t->root && w->wish[s] & MOORE_WISH_SHUT);
	t->kids[r] = 1;
	t->queue[t->n_reached++] = s;
}

static void
choose(struct grower *w, uint32_t s)
{
	struct moore_rtree *t = w->t;
	uint32_t best = t->first[s], e = t->next[best];
	uint64_t least = e == MOORE_NONE ? 0 : price(w, s, best);

	/* Offers stand in reverse: on equal price the later one has the lower slot. */
	for (; e != MOORE_NONE; e = t->next[e]) {
		uint64_t p = price(w, s, e);
		bool less = (p < least) | ((p == least) & (e < best));

		least = less ? p : least;
		best = less ? e : best;
	}
	attach(w, s, best);
}

/* Rounds of equal length, from what the queue holds (sorted by length). */
static void
grow_rounds(struct grower *w, uint32_t n_connected)
{
	struct moore_rtree *t = w->t;
	uint32_t from = 0, k = 0, n_kept = t->n_reached;
	uint32_t *late = t->queue + w->v->g->n;	/* the kept part, read in step */

	/* Kept nodes (repair) join the round of their own length. */
	memcpy(late, t->queue, n_kept * sizeof(*late));
	t->n_reached = 0;
	for (unsigned len = 0; len < MOORE_LEN_MAX; len++) {
		uint32_t to;

		while (k < n_kept && t->len[late[k]] == len)
			t->queue[t->n_reached++] = late[k++];
		to = t->n_reached;
		if (from == to || to + (n_kept - k) >= n_connected)
			break;
		w->n_level = 0;
		for (uint32_t i = from; i < to; i++)
			if (t->pass[t->queue[i]]) {
				open_node(w, t->queue[i]);
				offer(w, t->queue[i]);
			}
		from = to;
		w->last = !w->wish && to + (n_kept - k) + w->n_level >= n_connected;
		for (uint32_t i = 0; i < w->n_level; i++)
			choose(w, w->level[i]);
	}
	while (k < n_kept)
		t->queue[t->n_reached++] = late[k++];
}

/* Everyone along the spanning tree: every turn legal. */
static void
follow_spanning_tree(struct grower *w, uint32_t root)
{
	const struct moore_rgraph *g = w->v->g;
	const uint32_t *parent = w->v->turns->parent;
	struct moore_rtree *t = w->t;

	moore_rtree_start(t, g->n, root);
	for (uint32_t i = 0; i < t->n_reached; i++) {
		uint32_t r = t->queue[i];

		if (!t->pass[r] || t->len[r] >= MOORE_LEN_MAX)
			continue;
		open_node(w, r);
		for (uint32_t o = g->xadj[r]; o < g->xadj[r + 1]; o++) {
			uint32_t s = g->to[o], e = g->rev[o];

			if (t->len[s] == MOORE_LEN_NONE && (parent[r] == o || parent[s] == e))
				attach(w, s, e);
		}
	}
}

/* Of the tree that follows the spanning tree keep the nodes on the way from those
 * that need it to the root. */
static void
keep_needed(struct moore_rtree *t, const struct moore_rgraph *g)
{
	uint32_t n = t->n_reached, n_kept = 0;

	for (uint32_t i = n; i-- > 1;) {
		uint32_t s = t->queue[i];

		if (t->need[s])
			t->need[g->to[g->xadj[s] + t->slot[s]]] = 1;
	}
	memset(t->kids, 0, g->n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = t->queue[i];

		if (s == t->root || t->need[s]) {
			t->queue[n_kept++] = s;
			if (s != t->root)
				t->kids[g->to[g->xadj[s] + t->slot[s]]] = 1;
			continue;
		}
		t->slot[s] = MOORE_SLOT_NONE;
		t->len[s] = MOORE_LEN_NONE;
		t->pass[s] = 0;
	}
	t->n_reached = n_kept;
}

#define MAX_TRIES 4

bool
moore_rtree_follow(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		   uint32_t n_connected, unsigned attempt)
{
	const struct moore_rgraph *g = v->g;
	struct grower w = { .t = t, .v = v };

	if (attempt == 0)
		memset(t->need, 0, g->n);
	for (uint32_t s = 0; s < g->n; s++)
		t->need[s] |= t->len[s] == MOORE_LEN_NONE;
	follow_spanning_tree(&w, root);
	if (attempt == MAX_TRIES || t->n_reached < n_connected)
		return false;
	keep_needed(t, g);
	return true;
}

static bool
finish(struct grower *w, uint32_t root, uint32_t n_connected)
{
	struct moore_rtree *t = w->t;

	for (unsigned i = 0; t->n_reached < n_connected; i++) {
		if (!moore_rtree_follow(t, w->v, root, n_connected, i))
			break;
		grow_rounds(w, n_connected);
	}
	return t->n_reached >= n_connected;
}

bool
moore_rtree_grow(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		 const uint32_t *cost, uint32_t n_connected)
{
	struct grower w = { .t = t, .v = v, .cost = cost, .level = t->level };

	moore_rtree_start(t, v->g->n, root);
	grow_rounds(&w, n_connected);
	return finish(&w, root, n_connected);
}

bool
moore_rtree_grow_around(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
			const uint32_t *cost, uint32_t n_connected, const uint8_t *wish)
{
	struct grower w = { .t = t, .v = v, .cost = cost, .wish = wish, .level = t->level };

	moore_rtree_start(t, v->g->n, root);
	grow_rounds(&w, n_connected);
	return t->n_reached >= n_connected;
}

/* Of the old tree keep, from the root outward, each node whose link is up, whose
 * parent may pass packets on, and which may hang where it does.  by_len holds
 * the old tree's nodes by length. */
static void
keep(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
     const uint32_t *by_len, uint32_t n_old)
{
	const struct moore_rgraph *g = v->g;

	moore_rtree_start(t, g->n, root);
	for (uint32_t i = 0; i < n_old; i++) {
		uint32_t s = by_len[i], e, r;

		if (s == root || t->old[s] == MOORE_SLOT_NONE)
			continue;
		e = g->xadj[s] + t->old[s];
		r = g->to[e];
		if (t->len[r] == MOORE_LEN_NONE || !t->pass[r] ||
		    !moore_rview_leaf(v, t->slot, t->root, s, e))
			continue;
		t->slot[s] = t->old[s];
		t->len[s] = (uint8_t)(t->len[r] + 1);
		t->pass[s] = moore_rview_transit(v, s) && moore_rview_legal(v, t->slot, t->root, e);
		t->kids[r] = 1;
		t->queue[t->n_reached++] = s;
	}
}

/* Links that are down leave the old tree. */
void
moore_rtree_note_old(struct moore_rtree *t, const struct moore_rview *v)
{
	const struct moore_rgraph *g = v->g;

	memcpy(t->old, t->slot, g->n);
	for (uint32_t s = 0; s < g->n; s++)
		if (t->old[s] != MOORE_SLOT_NONE && !(g->flags[g->xadj[s] + t->old[s]] & v->flag))
			t->old[s] = MOORE_SLOT_NONE;
}

uint32_t
moore_rtree_moved(const struct moore_rtree *t, uint32_t n)
{
	uint32_t moved = 0;

	for (uint32_t s = 0; s < n; s++)
		moved += t->slot[s] != t->old[s] && t->slot[s] != MOORE_SLOT_NONE;
	return moved;
}

bool
moore_rtree_repair(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		   const uint32_t *cost, uint32_t n_connected, uint32_t *moved)
{
	struct grower w = { .t = t, .v = v, .cost = cost, .old = t->old, .level = t->level };
	uint32_t n_old = t->n_reached;
	bool whole;

	moore_rtree_note_old(t, v);
	memcpy(t->level, t->queue, n_old * sizeof(*t->level));
	keep(t, v, root, t->level, n_old);
	grow_rounds(&w, n_connected);
	if (t->n_reached < n_connected)
		moore_rtree_settle(t, v, cost, n_connected);
	whole = finish(&w, root, n_connected);
	*moved += moore_rtree_moved(t, v->g->n);
	return whole;
}

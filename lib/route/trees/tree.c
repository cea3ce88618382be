// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tree.c - grows one in-tree hop by hop from its root.
 *
 * In each round the nodes of equal length offer themselves as parents, and each node that
 * has offers takes the best.  Offers are put into a list for each node; where about as many offers
 * are made as the nodes to come have edges, these look through their edges instead.  A node that
 * turns out not to be legal is a leaf for good, and that can leave others unreached: those follow
 * the spanning tree to the root (tree_follow.c), and the rest is grown around them. */
#include <stdlib.h>
#include <string.h>

#include "route/trees/tree.h"

/* The price of a parent edge is its load below these bits, which count for more. */
#define DISTURBS ((uint64_t)1 << 63)	/* the parent should be a leaf (MOORE_WISH_LEAF) */
#define ILLEGAL ((uint64_t)1 << 62)	/* the node could not have children then */
#define CHANGES ((uint64_t)1 << 61)	/* repair: it is not the edge that the node had */
#define PINS ((uint64_t)1 << 60)	/* the parent has other offers, and with its first
					 * child it could not move to them any more */

struct grower {
	struct moore_rtree *t;
	const struct moore_rview *v;
	const uint32_t *load;	/* by edge; NULL: none */
	const uint8_t *wish;	/* by node: enum moore_rwish; NULL: none */
	const uint8_t *old;	/* by node: slot to prefer among equally short; NULL: none */
	uint32_t *offered;	/* nodes that were offered a parent in this round */
	uint32_t n_offered;
	uint32_t n_open;	/* connected nodes that are not reached before this round */
	uint32_t open_edges;	/* edges of nodes that are not reached */
	bool look;		/* nodes look for offers through their edges in this round */
	uint32_t since;		/* when the first node of this round makes offers */
	bool is_last_round;	/* this round reaches every node, so leaves need not be legal */
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
		.n_offers = malloc(n), .old = malloc(n), .need = malloc(n),
		.list = malloc(n * sizeof(*t->list)),
		.order = malloc(n * sizeof(*t->order)),
		.onto = calloc(n, sizeof(*t->onto)),
	};
	if (g->one_vl && !(t->last = malloc((MOORE_LEN_MAX + 2) * n)))
		return -MOORE_ENOMEM;
	return t->slot && t->len && t->pass && t->kids && t->queue && t->first && t->next &&
		t->n_offers && t->old && t->need && t->list && t->order && t->onto ? 0 : -MOORE_ENOMEM;
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
	free(t->last);
	free(t->list);
	free(t->order);
	free(t->onto);
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

void
moore_rtree_queue(struct moore_rtree *t, uint32_t n)
{
	uint32_t at[MOORE_LEN_NONE + 2] = { 0 };

	for (uint32_t s = 0; s < n; s++)
		at[t->len[s] + 1]++;
	for (unsigned l = 0; l <= MOORE_LEN_NONE; l++)
		at[l + 1] += at[l];
	t->n_reached = at[MOORE_LEN_NONE];
	for (uint32_t s = 0; s < n; s++)
		if (t->len[s] != MOORE_LEN_NONE)
			t->queue[at[t->len[s]]++] = s;
}

static uint64_t
weighted_load(const struct grower *w, uint32_t e)
{
	return w->load ? (uint64_t)w->load[e] * w->v->g->link_weight[e] : 0;
}

/* Before r makes offers. */
static void
note_onward(struct grower *w, uint32_t r)
{
	struct moore_rtree *t = w->t;
	uint32_t on = w->v->g->xadj[r] + t->slot[r];

	t->clock++;
	if (r == t->root)
		t->onto[r] = (struct moore_ronto){ 0, UINT32_MAX, t->clock };
	else
		t->onto[r] = (struct moore_ronto){ weighted_load(w, on), w->v->turns->onto[on], t->clock };
	if (!t->kids[r] && t->n_offers[r] > 1)
		t->onto[r].price |= PINS;
}

/* r offers itself as a parent to each neighbour that is not reached. */
static void
offer(struct grower *w, uint32_t r)
{
	const struct moore_rgraph *g = w->v->g;
	struct moore_rtree *t = w->t;
	uint32_t n = 0, out[256];

	for (uint32_t o = g->xadj[r]; o < g->xadj[r + 1]; o++) {
		out[n] = o;
		n += t->len[g->to[o]] == MOORE_LEN_NONE;	/* most are reached: no branch */
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = g->to[out[i]], e = g->rev[out[i]];

		if (!(g->flags[e] & w->v->flag) ||
		    !moore_rview_leaf(w->v, t->slot, t->root, e))
			continue;
		w->offered[w->n_offered] = s;
		w->n_offered += t->first[s] == MOORE_NONE;
		t->next[e] = t->first[s];
		t->first[s] = e;
		t->n_offers[s]++;
	}
}

static inline uint64_t
price(const struct grower *w, uint32_t s, uint32_t e)
{
	const struct moore_rtree *t = w->t;
	uint32_t r = w->v->g->to[e];
	const struct moore_ronto *on = &t->onto[r];
	bool illegal = w->v->turns->rank[e] >= on->rank;
	uint64_t p = weighted_load(w, e) + on->price;

	if (w->wish)
		p |= (!t->kids[r] && w->wish[r] & MOORE_WISH_LEAF) * DISTURBS | illegal * ILLEGAL;
	else
		p |= (illegal && !w->is_last_round) * ILLEGAL;
	if (w->old && e != w->v->g->xadj[s] + w->old[s])
		p |= CHANGES;
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
	t->pass[s] = moore_rview_transit(w->v, s) && w->v->turns->rank[e] < t->onto[r].rank &&
		!moore_rview_enters(w->v, t->slot, e) &&
		!(w->wish && r == t->root && w->wish[s] & MOORE_WISH_SHUT);
	t->kids[r] = 1;
	t->onto[r].price &= ~PINS;
	t->queue[t->n_reached++] = s;
}

/* Lists the neighbours of r that are not reached, while some node is neither reached nor listed. */
static void
list_open(struct grower *w, uint32_t r)
{
	const uint32_t *head = w->v->g->to, end = w->v->g->xadj[r + 1], n_open = w->n_open;
	uint32_t *offered = w->offered, n = w->n_offered;
	uint8_t *n_offers = w->t->n_offers;
	const uint8_t *len = w->t->len;

	for (uint32_t o = w->v->g->xadj[r]; o < end && n < n_open; o++) {
		const uint32_t s = head[o];
		const bool open = len[s] == MOORE_LEN_NONE;

		offered[n] = s;		/* most are listed: no branch */
		n += open & !n_offers[s];
		n_offers[s] |= open;
	}
	w->n_offered = n;
}

/* Takes the cheapest offer to s, which looks for them through its own edges; of equal ones the first. */
static void
choose_among(struct grower *w, uint32_t s)
{
	const uint32_t *head = w->v->g->to, end = w->v->g->xadj[s + 1], since = w->since;
	const struct moore_ronto *onto = w->t->onto;
	uint32_t best = MOORE_NONE, n = 0;
	uint64_t least = UINT64_MAX;

	for (uint32_t e = w->v->g->xadj[s]; e < end; e++) {
		const bool offers = onto[head[e]].when >= since;
		const uint64_t p = price(w, s, e) | (offers ? 0 : UINT64_MAX);

		n += offers;
		best = p < least ? e : best;
		least = p < least ? p : least;
	}
	w->t->n_offers[s] = (uint8_t)n;
	attach(w, s, best);
}

/* Takes the cheapest offer to s. */
static void
choose(struct grower *w, uint32_t s)
{
	struct moore_rtree *t = w->t;
	uint32_t best = t->first[s], e = t->next[best];
	uint64_t least = e == MOORE_NONE ? 0 : price(w, s, best);

	/* The list is in reverse, so on equal prices the later edge has the lower slot. */
	for (; e != MOORE_NONE; e = t->next[e]) {
		uint64_t p = price(w, s, e);
		bool less = (p < least) | ((p == least) & (e < best));

		least = less ? p : least;
		best = less ? e : best;
	}
	attach(w, s, best);
}

/* Returns the first edge of s, beginning with a different one for each root, to a parent that need not keep
 * a choice of its own; MOORE_NONE: there is none. */
static uint32_t
take_in_turn(const struct grower *w, uint32_t s)
{
	const struct moore_rtree *t = w->t;
	const uint32_t first = w->v->g->xadj[s], n = w->v->g->xadj[s + 1] - first;

	for (uint32_t i = 0, k = n ? (t->root + s) % n : 0; i < n; i++, k = k + 1 < n ? k + 1 : 0) {
		const struct moore_ronto *on = &t->onto[w->v->g->to[first + k]];

		if (on->when >= w->since && !(on->price & PINS) && w->v->g->flags[first + k] & w->v->flag &&
		    moore_rview_leaf(w->v, t->slot, t->root, first + k))
			return first + k;
	}
	return MOORE_NONE;
}

/* Whether s has an edge of the view; a switch that is not planned has none of the planned ones. */
static bool
is_linked(const struct moore_rview *v, uint32_t s)
{
	const struct moore_rgraph *g = v->g;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (g->flags[e] & v->flag)
			return true;
	return false;
}

/* Ends the tree if the nodes that are not reached have no endpoints and each can have a parent.  Otherwise
 * returns false and changes nothing. */
static bool
end_in_turn(struct grower *w)
{
	struct moore_rtree *t = w->t;
	uint32_t n = 0;

	for (uint32_t s = 0; s < w->v->g->n; s++)
		if (t->len[s] == MOORE_LEN_NONE && is_linked(w->v, s)) {
			const uint32_t e = w->v->g->is_source[s] ? MOORE_NONE : take_in_turn(w, s);

			if (e == MOORE_NONE)
				return false;
			w->offered[n++] = s;
			t->order[s] = e;
		}
	for (uint32_t i = 0; i < n; i++) {
		t->n_offers[w->offered[i]] = 1;
		attach(w, w->offered[i], t->order[w->offered[i]]);
	}
	return true;
}

/* One round: the nodes queue[from..to-1], all of one length, make offers. */
static void
make_offers(struct grower *w, uint32_t from, uint32_t to)
{
	const uint32_t *xadj = w->v->g->xadj;
	struct moore_rtree *t = w->t;
	uint32_t n_out = 0;
	bool many_out;

	w->n_offered = 0;
	w->since = t->clock + 1;
	for (uint32_t i = from; i < to; i++) {
		const uint32_t r = t->queue[i], n = xadj[r + 1] - xadj[r];

		w->open_edges -= n;
		n_out += t->pass[r] ? n : 0;
	}
	many_out = 2 * n_out > w->open_edges;
	w->look = moore_rview_whole(w->v) && many_out;
	for (uint32_t i = from; i < to; i++)
		if (t->pass[t->queue[i]])
			note_onward(w, t->queue[i]);
	if (many_out && t->in_turn && end_in_turn(w))
		return;
	for (uint32_t i = from; i < to; i++)
		if (t->pass[t->queue[i]] && w->look)
			list_open(w, t->queue[i]);
		else if (t->pass[t->queue[i]])
			offer(w, t->queue[i]);
}

/* Grows on from the n_reached nodes of the queue; each joins the round of its length. */
static void
grow_rounds(struct grower *w, uint32_t n_connected)
{
	struct moore_rtree *t = w->t;
	uint32_t from = 0, k = 0, n_kept = t->n_reached;
	uint32_t *kept = t->queue + w->v->g->n;

	if (t->clock > UINT32_MAX - w->v->g->n) {	/* its numbers are used up */
		memset(t->onto, 0, w->v->g->n * sizeof(*t->onto));
		t->clock = 0;
	}
	memcpy(kept, t->queue, n_kept * sizeof(*kept));
	t->n_reached = 0;
	w->open_edges = w->v->g->n_edges;
	for (unsigned len = 0; len < MOORE_LEN_MAX; len++) {
		uint32_t to;

		while (k < n_kept && t->len[kept[k]] == len)
			t->queue[t->n_reached++] = kept[k++];
		to = t->n_reached;
		if (from == to || to + (n_kept - k) >= n_connected)
			break;
		w->n_open = n_connected - to - (n_kept - k);
		make_offers(w, from, to);
		from = to;
		w->is_last_round = !w->wish && to + (n_kept - k) + w->n_offered >= n_connected;
		for (uint32_t i = 0; i < w->n_offered; i++)
			if (w->look)
				choose_among(w, w->offered[i]);
			else
				choose(w, w->offered[i]);
	}
	while (k < n_kept)
		t->queue[t->n_reached++] = kept[k++];
}

/* The last resort for nodes that growing did not reach. */
static bool
finish(struct grower *w, uint32_t root, uint32_t n_connected)
{
	struct moore_rtree *t = w->t;

	for (unsigned i = 0; t->n_reached < n_connected && w->v->turns->parent; i++) {
		if (!moore_rtree_follow(t, w->v, root, n_connected, i))
			break;
		grow_rounds(w, n_connected);
	}
	return t->n_reached >= n_connected;
}

bool
moore_rtree_grow(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		 const uint32_t *load, uint32_t n_connected)
{
	struct grower w = { .t = t, .v = v, .load = load, .offered = t->list };

	moore_rtree_start(t, v->g->n, root);
	grow_rounds(&w, n_connected);
	return finish(&w, root, n_connected);
}

bool
moore_rtree_grow_around(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
			const uint32_t *load, uint32_t n_connected, const uint8_t *wish)
{
	struct grower w = { .t = t, .v = v, .load = load, .wish = wish, .offered = t->list };

	moore_rtree_start(t, v->g->n, root);
	grow_rounds(&w, n_connected);
	return t->n_reached >= n_connected;
}

void
moore_rtree_list_offers(struct moore_rtree *t, const struct moore_rview *v, uint32_t s)
{
	const struct moore_rgraph *g = v->g;
	uint32_t *at;

	if (t->first[s] != MOORE_NONE)
		return;
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		const uint32_t r = g->to[e];

		if (t->len[r] + 1 != t->len[s] || !t->pass[r])
			continue;
		for (at = &t->first[s]; *at != MOORE_NONE && t->onto[g->to[*at]].when > t->onto[r].when;)
			at = &t->next[*at];
		t->next[e] = *at;
		*at = e;
	}
}

/* ---- repair ---------------------------------------------------------------------- */

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

/* The same as moore_rtree_bears() for the tree slot[] of root, of which nothing else is known. */
static bool
slots_bear(const struct moore_rview *v, uint32_t root, const uint8_t *slot, uint32_t e)
{
	uint32_t r = v->g->to[e];

	return r == root || moore_rview_enters(v, slot, e) ||
		(slot[r] != MOORE_SLOT_NONE && moore_rview_transit(v, r) &&
		 moore_rview_legal(v, slot, root, v->g->xadj[r] + slot[r]));
}

bool
moore_rtree_is_whole(const struct moore_rview *v, uint32_t root, const uint8_t *slot,
		     uint32_t n_connected)
{
	const struct moore_rgraph *g = v->g;
	uint32_t n = 1;

	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t e = g->xadj[s] + slot[s];

		if (s == root || slot[s] == MOORE_SLOT_NONE)
			continue;
		if (!(g->flags[e] & v->flag) || !slots_bear(v, root, slot, e) ||
		    !moore_rview_leaf(v, slot, root, e))
			return false;
		n++;
	}
	return n >= n_connected;
}

/* Of the old tree keeps, from the root outward, each node that may keep its parent: the
 * link is up, and the parent and the lanes allow it.  by_len[] lists the old tree by length. */
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
		if (t->len[r] == MOORE_LEN_NONE || !moore_rtree_bears(t, v, e) ||
		    !moore_rview_leaf(v, t->slot, t->root, e))
			continue;
		moore_rtree_hang(t, v, s, e);
		t->queue[t->n_reached++] = s;
	}
}

bool
moore_rtree_repair(struct moore_rtree *t, const struct moore_rview *v, uint32_t root,
		   const uint32_t *load, uint32_t n_connected, uint32_t *moved)
{
	struct grower w = { .t = t, .v = v, .load = load, .old = t->old, .offered = t->list };
	uint32_t n_old = t->n_reached;
	bool whole;

	moore_rtree_note_old(t, v);
	memcpy(t->list, t->queue, n_old * sizeof(*t->list));
	keep(t, v, root, t->list, n_old);
	grow_rounds(&w, n_connected);
	if (t->n_reached < n_connected)
		moore_rtree_settle(t, v, load, n_connected);
	whole = finish(&w, root, n_connected);
	*moved += moore_rtree_moved(t, v->g->n);
	return whole;
}

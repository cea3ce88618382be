// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint_serve.c - routes of three hops for nodes of a layer's tree that have none over the
 * neighbour that its routes go through.
 *
 * Such an open node is *served* by a neighbour that takes two hops over another neighbour of
 * the root: an open one, or a leaf at three hops that gives them up.  The cheapest for what
 * it serves is taken first, then the next, until none serves any.  What a node's two hops
 * would be (way[]) does not change meanwhile; how many open nodes could attach to it then
 * (serve[]) is kept up to date as they find parents.  So is the cheapest node of each block. */
#include <string.h>

#include "route/hint/hint_tree.h"
#include "route/tuning.h"

#define BLOCK 32		/* nodes */

/* Whether s has three hops and no children, so that it may take two. */
static bool
may_shorten(const struct moore_rhint *h, uint32_t s)
{
	const struct moore_rgraph *g = h->g;

	if (h->detour != 1 || h->len[s] != 3)
		return false;
	for (uint32_t e = g->xadj[s]; h->kind->longest && e < g->xadj[s + 1]; e++)
		if (h->len[g->to[e]] == 4 && g->xadj[g->to[e]] + h->slot[g->to[e]] == g->rev[e])
			return false;
	return true;
}

/* Returns the price of s: the load on the edges per node gained, cubed, and less the more it
 * gains.  A leaf that gives up three hops counts as one node lost. */
static uint64_t
price_of(const struct moore_rhint *h, uint32_t s)
{
	const struct moore_rserve *r = &h->serve[s];
	uint32_t lost = !moore_rhint_is_open(h, s), n = r->n - lost;
	uint64_t load;

	if (r->n <= lost || (lost && !may_shorten(h, s)))
		return UINT64_MAX;
	load = (r->load + r->n * h->way[s].price) / n;
	return moore_cube(load < 1 << 20 ? load + 1 : 1 << 20) / (h->detour == 1 ? n * n : 1);
}

/* Sets price[s], and the cheapest node of its block in acc[], the first of equals; that becomes
 * MOORE_NONE if it is to be found anew. */
static void
set_price(struct moore_rhint *h, uint32_t s, uint64_t price)
{
	uint32_t *best = &h->acc[s / BLOCK];

	h->price[s] = price;
	if (*best == s)
		*best = MOORE_NONE;
	else if (*best != MOORE_NONE && (price < h->price[*best] ||
					 (price == h->price[*best] && s < *best)))
		*best = s;
}

/* Returns the cheapest node, the first of equals. */
static uint32_t
find_cheapest(struct moore_rhint *h)
{
	uint32_t n = h->g->n, best = 0;

	for (uint32_t from = 0; from < n; from += BLOCK) {
		uint32_t *own = &h->acc[from / BLOCK], end = n - from < BLOCK ? n : from + BLOCK;

		if (*own == MOORE_NONE)
			for (uint32_t s = *own = from; s < end; s++)
				*own = h->price[s] < h->price[*own] ? s : *own;
		best = h->price[*own] < h->price[best] ? *own : best;
	}
	return best;
}

/* Fills serve[s] from way[s], with no open node yet. */
static void
start_serve(struct moore_rhint_tree *w, uint32_t s)
{
	struct moore_rhint *h = w->h;
	const struct moore_rway *way = &h->way[s];
	bool one_lane;

	h->serve[s] = (struct moore_rserve){ 0 };
	if (way->price == UINT64_MAX || !moore_rhint_lets_pass(w, s, 2))
		return;
	one_lane = w->v->lanes && h->g->flags[way->edge] & MOORE_EDGE_ONE_LANE;
	h->serve[s].next = w->v->turns->pos[h->g->to[way->edge]];
	h->serve[s].extend = h->extend[one_lane];
	h->serve[s].ok = way->ok;
}

/* Fills fits[] of the edges of open node c, and counts it at the neighbours that could serve
 * it. */
static void
find_servers(struct moore_rhint_tree *w, uint32_t c)
{
	struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;
	const uint32_t *pos = w->v->turns->pos, *to = g->to, *load = h->load, end = g->xadj[c + 1];
	const uint8_t *flags = g->flags, flag = w->v->flag;
	struct moore_rserve *serve = h->serve;
	uint8_t *fits = h->fits;

	for (uint32_t e = g->xadj[c]; e < end; e++) {
		uint32_t s = to[e];
		struct moore_rserve *r = &serve[s];
		uint8_t ok;

		fits[e] = 0;
		if (!r->extend || !(flags[e] & flag))
			continue;
		ok = r->extend[moore_rhint_turn_at(pos[c], pos[s], r->next)][r->ok];
		if (!moore_rhint_admits(w, c, ok))
			continue;
		fits[e] = ok;
		r->n++;
		r->load += load[e];
	}
}

/* Node c has found a parent, so its neighbours cannot serve it any more. */
static void
withdraw(struct moore_rhint *h, uint32_t c)
{
	const struct moore_rgraph *g = h->g;

	set_price(h, c, price_of(h, c));
	for (uint32_t e = g->xadj[c]; e < g->xadj[c + 1]; e++)
		if (h->fits[e]) {
			uint32_t s = g->to[e];

			h->serve[s].n--;
			h->serve[s].load -= h->load[e];
			set_price(h, s, price_of(h, s));
		}
}

/* Has s, open or a leaf, take two hops, and attaches the open nodes that it serves. */
static void
serve(struct moore_rhint_tree *w, uint32_t s)
{
	struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;
	bool was_open = moore_rhint_is_open(h, s);
	uint32_t from;

	if (!was_open)
		moore_rhint_detach(h, s);
	moore_rhint_attach(w, s, h->way[s].edge, h->way[s].ok);
	from = h->n_reached;
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (moore_rhint_is_open(h, g->to[e]) && h->fits[g->rev[e]])
			moore_rhint_attach(w, g->to[e], g->rev[e], h->fits[g->rev[e]]);
	set_price(h, s, UINT64_MAX);
	for (uint32_t i = from - was_open; i < h->n_reached; i++)
		withdraw(h, h->queue[i]);
}

/* Makes ways over a neighbour of the root dearer, the more often it had one hop in recent
 * trees: a neighbour through which others come to the root seldom has a detour. */
static void
raise_recent(struct moore_rhint_tree *w)
{
	struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;

	for (uint32_t o = g->xadj[w->root]; o < g->xadj[w->root + 1]; o++)
		h->acc[g->to[o]] = h->recent[o];
	for (uint32_t s = 0; s < g->n; s++) {
		struct moore_rway *way = &h->way[s];

		if (way->price != UINT64_MAX)
			way->price += (way->price + 1) * MOORE_HINT_RECENT * h->acc[g->to[way->edge]];
	}
}

void
moore_rhint_serve_rest(struct moore_rhint_tree *w)
{
	struct moore_rhint *h = w->h;
	uint32_t n = h->g->n;

	moore_rhint_list_ways(w, 1, 3);
	if (h->around)
		raise_recent(w);
	for (uint32_t s = 0; s < n; s++)
		start_serve(w, s);
	for (uint32_t s = 0; s < n; s++)
		if (moore_rhint_is_open(h, s))
			find_servers(w, s);
	memset(h->acc, 0xff, (n / BLOCK + 1) * sizeof(*h->acc));
	for (uint32_t s = 0; s < n; s++)
		h->price[s] = price_of(h, s);
	for (uint32_t s; h->price[s = find_cheapest(h)] != UINT64_MAX;)
		serve(w, s);
}

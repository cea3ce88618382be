// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint_serve.c - routes of three hops for nodes of a layer's tree that have none over the
 * neighbour that its routes go through.
 *
 * Such an open node is *served* by a neighbour that takes two hops over another neighbour of
 * the root: an open one, or a leaf at three hops that gives them up.  The cheapest for what
 * it serves is taken first, then the next, until none serves any.  What a node's two hops
 * would be (way[]) does not change meanwhile; how many open nodes could attach to it then
 * (serve[]) is kept up to date as they find parents.
 *
 * Each that gains any makes a bid.  Its price mostly rises as others are served, so it is
 * computed again only when the bid is among the cheapest. */
#include <string.h>

#include "route/hint/hint_tree.h"
#include "route/tuning.h"

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
	uint64_t n = (uint64_t)r->n, load;

	if (r->n <= 0)
		return UINT64_MAX;
	load = r->load / n;
	return moore_cube(load < 1 << 20 ? load + 1 : 1 << 20) / (h->detour == 1 ? n * n : 1);
}

/* ---- bids ---------------------------------------------------------------------------- */

static uint32_t
bin_of(uint64_t price)
{
	uint32_t power = 59 - (uint32_t)__builtin_clzll(price | 16);

	return 16 * power + (uint32_t)(price >> power);
}

/* Bid i is now one of s. */
static void
put_bid(struct moore_rhint *h, uint32_t i, uint32_t s, uint64_t price)
{
	uint32_t bin = bin_of(price);

	h->bid[i] = (struct moore_rbid){ price, s, h->bin[bin] };
	h->bin[bin] = i;
	h->first_bin = bin < h->first_bin ? bin : h->first_bin;
	h->price[s] = price;
}

/* Returns the cheapest node of the first bin, the first of equals, or MOORE_NONE.  Bids that are not of
 * this bin any more are taken out: older ones, and those with nothing to gain. */
static uint32_t
search_bin(struct moore_rhint *h)
{
	uint32_t *at = &h->bin[h->first_bin], best = MOORE_NONE;

	while (*at != MOORE_NONE) {
		struct moore_rbid *b = &h->bid[*at];
		uint64_t price = b->price == h->price[b->s] ? price_of(h, b->s) : UINT64_MAX;

		if (price == UINT64_MAX || bin_of(price) != h->first_bin) {
			uint32_t i = *at;

			*at = b->next;
			if (price != UINT64_MAX)
				put_bid(h, i, b->s, price);
			continue;
		}
		b->price = h->price[b->s] = price;
		if (best == MOORE_NONE || price < h->price[best] ||
		    (price == h->price[best] && b->s < best))
			best = b->s;
		at = &b->next;
	}
	return best;
}

static uint32_t
find_cheapest(struct moore_rhint *h)
{
	uint32_t best = MOORE_NONE;

	while (h->n_gain && (best = search_bin(h)) == MOORE_NONE)
		h->first_bin++;
	return best;
}

/* ---- servers ------------------------------------------------------------------------- */

/* Sets n of a node, which gains less than before. */
static void
set_gain(struct moore_rhint *h, struct moore_rserve *r, int32_t n)
{
	h->n_gain -= (r->n > 0) & (n <= 0);
	r->n = n;
}

/* Fills serve[s] from way[s], with no open node yet. */
static void
start_serve(struct moore_rhint_tree *w, uint32_t s)
{
	struct moore_rhint *h = w->h;
	const struct moore_rway *way = &h->way[s];
	const uint32_t *pos = w->v->turns->pos;
	struct moore_rhint_on on;

	h->serve[s] = (struct moore_rserve){ 0 };
	if (way->price == UINT64_MAX || !moore_rhint_lets_pass(w, s, 2) ||
	    (!moore_rhint_is_open(h, s) && !may_shorten(h, s)))
		return;
	on = moore_rhint_on_by(w, way->edge, pos[s], pos[h->g->to[way->edge]],
			      (uint8_t)way->ok);
	h->serve[s] = (struct moore_rserve){ way->price, 0, -!moore_rhint_is_open(h, s), on.at, on.to,
					     { on.ok[0], on.ok[1], on.ok[2] } };
}

/* Fills fits[] of the edges of open node c, and counts it at the neighbours that could serve
 * it: without branches, since no processor could predict them. */
static void
find_servers(struct moore_rhint_tree *w, uint32_t c)
{
	struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;
	const uint32_t *to = g->to, *load = h->load, end = g->xadj[c + 1], at = w->v->turns->pos[c];
	const uint8_t *flags = g->flags, flag = w->v->flag;
	const uint32_t met = moore_rhint_met(w, c);
	struct moore_rserve *serve = h->serve;
	uint8_t *fits = h->fits;

	for (uint32_t e = g->xadj[c]; e < end; e++) {
		struct moore_rserve *r = &serve[to[e]];
		uint8_t ok = moore_rhint_choose_ok(r->ok, r->at, r->to, at);

		bool can = ((flags[e] & flag) != 0) & moore_rhint_meets(w, met, ok);

		fits[e] = can ? ok : 0;
		r->n += can;
		r->load += can ? load[e] + r->way : 0;
	}
}

/* One of the nodes that s could serve, over an edge with this load, has found a parent.  The price of s
 * rises unless that node cost more than the mean. */
static void
lessen(struct moore_rhint *h, uint32_t s, uint64_t load)
{
	struct moore_rserve *r = &h->serve[s];
	uint64_t own = load + r->way;
	bool falls = (r->n > 1) & (r->load < (uint64_t)r->n * own);

	set_gain(h, r, r->n - 1);
	r->load -= own;
	if (falls && price_of(h, s) < h->price[s])
		put_bid(h, h->n_bids++, s, price_of(h, s));
}

/* Node c has found a parent, so its neighbours cannot serve it any more. */
static void
withdraw(struct moore_rhint *h, uint32_t c)
{
	const struct moore_rgraph *g = h->g;

	set_gain(h, &h->serve[c], may_shorten(h, c) ? h->serve[c].n - 1 : 0);
	for (uint32_t e = g->xadj[c]; e < g->xadj[c + 1]; e++)
		if (h->fits[e])
			lessen(h, g->to[e], h->load[e]);
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
	moore_rhint_attach(w, s, h->way[s].edge, (uint8_t)h->way[s].ok);
	from = h->n_queued;
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (moore_rhint_is_open(h, g->to[e]) && h->fits[g->rev[e]])
			moore_rhint_attach(w, g->to[e], g->rev[e], h->fits[g->rev[e]]);
	set_gain(h, &h->serve[s], 0);
	for (uint32_t i = from - was_open; i < h->n_queued; i++)
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
	memset(h->bin, 0xff, MOORE_N_BINS * sizeof(*h->bin));
	h->n_gain = h->n_bids = 0;
	h->first_bin = MOORE_N_BINS;
	for (uint32_t s = 0; s < n; s++)
		if (h->serve[s].n > 0) {
			h->n_gain++;
			put_bid(h, h->n_bids++, s, price_of(h, s));
		}
	for (uint32_t s; (s = find_cheapest(h)) != MOORE_NONE;)
		serve(w, s);
}

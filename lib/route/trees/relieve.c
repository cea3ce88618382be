// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* relieve.c - profile one-vl: moves routes from overloaded edges to others.
 *
 * Growing takes the shortest legal routes.  Under one-vl many pairs have none of their distance,
 * and longer ones mostly begin with an early edge of the sequence or end with a late one, so a
 * few edges carry far more than the mean.  Here any node whose route has an overloaded edge may
 * take another parent, with all that comes through it, as long as every turn stays legal.
 *
 * A node with children keeps its length, so no cycle can arise.  A leaf may become longer, by one
 * hop more than the shortest route that is legal for it, if an edge of its route is overloaded by
 * more (tuning.h).
 *
 * Trees that were repaired are relieved once more.  There a route that the repair has left alone
 * moves only off edges of much more load, so that few rows of the tables change. */
#include <string.h>

#include "route/trees/balance.h"
#include "route/tuning.h"

struct relief {
	struct moore_rbalance *b;
	uint32_t root;		/* of the tree at hand */
	uint8_t *slot, *len;	/* that tree */
	uint32_t *acc;		/* by node: how many sources route through it */
	uint32_t *after;	/* by node: the greatest rank of an edge by which a child comes, so that
				 * its parent edge has to rank higher; 0 for a leaf */
	uint64_t limit;		/* an edge of more weighted load is overloaded */
	const uint8_t *was;	/* slot[] before the repair; NULL: there was none */
	uint64_t limit_kept;	/* the limit for routes that begin as in was[] */
	bool lengthens;		/* leaves may take longer routes */
	size_t moved;
};

/* The price of a route that begins with edge e, for `more` units more. */
static uint64_t
price(const struct relief *w, uint32_t e, uint32_t more)
{
	const struct moore_rgraph *g = w->b->v->g;
	uint64_t sum = 0;

	for (;; e = g->xadj[g->to[e]] + w->slot[g->to[e]]) {
		uint64_t load = moore_rgraph_weighted(g, e, (uint64_t)w->b->load[e] + more);

		sum += load * load * load;
		if (g->to[e] == w->root)
			return sum;
	}
}

static bool
is_overloaded(const struct relief *w, uint32_t s)
{
	const struct moore_rgraph *g = w->b->v->g;
	uint64_t limit = w->was && w->was[s] == w->slot[s] ? w->limit_kept : w->limit;

	for (; s != w->root; s = g->to[g->xadj[s] + w->slot[s]]) {
		uint32_t e = g->xadj[s] + w->slot[s];

		if (moore_rgraph_weighted(g, e, w->b->load[e]) > limit)
			return true;
	}
	return false;
}

static bool
may_take(const struct relief *w, uint32_t s, uint32_t e)
{
	return w->b->v->turns->rank[e] > w->after[s] &&
		moore_rtree_may_hang(w->b->v, w->slot, w->root, e);
}

/* The greatest length that s may have. */
static unsigned
longest_for(const struct relief *w, uint32_t s)
{
	const struct moore_rgraph *g = w->b->v->g;
	unsigned most = MOORE_LEN_MAX;

	if (!w->lengthens || w->after[s])
		return w->len[s];
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (w->len[g->to[e]] + 2u < most && may_take(w, s, e))
			most = w->len[g->to[e]] + 2u;
	return most > w->len[s] ? most : w->len[s];
}

/* The cheapest parent edge for s, whose load is not counted now. */
static uint32_t
cheapest(const struct relief *w, uint32_t s)
{
	const struct moore_rgraph *g = w->b->v->g;
	uint32_t best = g->xadj[s] + w->slot[s];
	unsigned longest = longest_for(w, s);
	uint64_t least = price(w, best, w->acc[s]);

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		unsigned len = w->len[g->to[e]] + 1u;
		uint64_t p;

		if (len > longest || (w->after[s] && len != longest) || !may_take(w, s, e))
			continue;
		p = price(w, e, w->acc[s]);
		if (p < least) {
			least = p;
			best = e;
		}
	}
	return best;
}

static void
relieve_route(struct relief *w, uint32_t s)
{
	const struct moore_rgraph *g = w->b->v->g;
	uint32_t n = w->acc[s], was = g->xadj[s] + w->slot[s], e;

	moore_rbalance_change(w->b, w->slot, w->root, was, 0 - n);
	e = cheapest(w, s);
	moore_rbalance_change(w->b, w->slot, w->root, e, n);
	if (e == was)
		return;
	moore_rbalance_count_on(w->b, w->slot, w->root, g->to[was], 0 - n);
	moore_rbalance_count_on(w->b, w->slot, w->root, g->to[e], n);
	w->slot[s] = (uint8_t)(e - g->xadj[s]);
	w->len[s] = (uint8_t)(w->len[g->to[e]] + 1);
	if (w->b->v->turns->rank[e] > w->after[g->to[e]])
		w->after[g->to[e]] = w->b->v->turns->rank[e];
	w->moved++;
}

static void
note_children(struct relief *w, const uint16_t *reached, uint32_t n)
{
	const struct moore_rgraph *g = w->b->v->g;
	const uint32_t *rank = w->b->v->turns->rank;

	memset(w->after, 0, g->n * sizeof(*w->after));
	for (uint32_t i = 1; i < n; i++) {
		uint32_t e = g->xadj[reached[i]] + w->slot[reached[i]];

		if (rank[e] > w->after[g->to[e]])
			w->after[g->to[e]] = rank[e];
	}
}

/* Fills reached[] again with the nodes that len[] reaches, by length. */
static void
sort_reached(const struct relief *w, uint16_t *reached)
{
	uint32_t n = w->b->v->g->n, at[MOORE_LEN_NONE + 2] = { 0 };

	for (uint32_t s = 0; s < n; s++)
		at[w->len[s] + 1]++;
	for (unsigned l = 0; l <= MOORE_LEN_NONE; l++)
		at[l + 1] += at[l];
	for (uint32_t s = 0; s < n; s++)
		if (w->len[s] != MOORE_LEN_NONE)
			reached[at[w->len[s]]++] = (uint16_t)s;
}

static void
relieve_tree(struct relief *w, uint32_t root)
{
	const struct moore_rgraph *g = w->b->v->g;
	uint16_t *reached = w->b->reached + (size_t)root * g->n;
	uint32_t n = w->b->n_reached[root];
	size_t moved = w->moved;

	w->root = root;
	w->slot = w->b->slot + (size_t)root * g->n;
	w->len = w->b->len + (size_t)root * g->n;
	moore_rtree_sources(g, w->slot, reached, n, w->acc);
	note_children(w, reached, n);
	for (uint32_t s = 0; s < g->n; s++)
		if (s != root && w->slot[s] != MOORE_SLOT_NONE && w->acc[s] && is_overloaded(w, s))
			relieve_route(w, s);
	if (w->moved != moved)
		sort_reached(w, reached);
}

/* Whether a route to root may have an overloaded edge: not if the repair has left the tree alone and no
 * edge has more load than such routes may have. */
static bool
may_be_overloaded(const struct relief *w, uint32_t root)
{
	const struct moore_rgraph *g = w->b->v->g;

	if (!w->was || memcmp(w->was, w->b->slot + (size_t)root * g->n, g->n) != 0)
		return true;
	for (uint32_t e = 0; e < g->n_edges; e++)
		if (moore_rgraph_weighted(g, e, w->b->load[e]) > w->limit_kept)
			return true;
	return false;
}

/* One round over all trees: relieves edges of so many percent of the mean load.  was: the trees
 * before they were repaired, or NULL. */
static size_t
relieve_round(struct moore_rbalance *b, const uint8_t *was, bool lengthens)
{
	const struct moore_rgraph *g = b->v->g;
	uint64_t percent = lengthens ? MOORE_RELIEF_LONGER : MOORE_RELIEF, sum = 0, n = 0;
	struct relief w = { .b = b, .acc = b->acc, .after = b->after, .lengthens = lengthens };

	for (uint32_t e = 0; e < g->n_edges; e++) {
		sum += moore_rgraph_weighted(g, e, b->load[e]);
		n += (g->flags[e] & b->v->flag) != 0;
	}
	w.limit = n ? sum * percent / 100 / n : 0;
	w.limit_kept = n ? sum * MOORE_RELIEF_KEPT / 100 / n : 0;
	for (uint32_t root = 0; root < g->n; root++) {
		w.was = was ? was + (size_t)root * g->n : NULL;
		if (b->present[root] && may_be_overloaded(&w, root))
			relieve_tree(&w, root);
	}
	return w.moved;
}

void
moore_rbalance_relieve(struct moore_rbalance *b)
{
	for (unsigned i = 0; i < MOORE_RELIEF_ROUNDS; i++)
		if (!relieve_round(b, NULL, false))
			break;
	for (unsigned i = 0; i < MOORE_RELIEF_ROUNDS; i++)
		if (!(relieve_round(b, NULL, true) + relieve_round(b, NULL, false)))
			break;
}

void
moore_rbalance_relieve_repaired(struct moore_rbalance *b, const uint8_t *was)
{
	relieve_round(b, was, false);
	relieve_round(b, was, true);
}

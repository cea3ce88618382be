// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* balance_middles.c - which of its equally short parents each switch without endpoints takes.
 *
 * In a fat tree of three levels the leaves of a pod choose a switch above them, and that chooses a core.
 * A tree that is grown by loads sends all leaves of a pod the same way, so it says little of the loads
 * that remain when these have chosen for themselves.  So in each slice switches without endpoints
 * take one of their parents in turn from root to root, of those with the fewest others behind them, and where
 * that leaves uneven loads they move, with all that is below them, between rounds of the leaves.
 *
 * A switch moves only where each turn from its children and its own stay allowed.  Skipped for trees in
 * which no such switch has children and a choice, as where two hops reach every leaf, and where links
 * have one lane, which leaves cannot take from any parent. */
#include <string.h>

#include "route/trees/balance.h"

/* Whether s, with its children, may come to the root over its edge e. */
static bool
may_move_over(const struct moore_rbalance *b, const uint8_t *slot, uint32_t root, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = b->v->g;

	if (!moore_rview_legal(b->v, slot, root, e))
		return false;
	for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++) {
		const uint32_t child = g->to[k];

		if (child != root && g->xadj[child] + slot[child] == g->rev[k] &&
		    !moore_rturns_allow(b->v->turns, g->rev[k], e))
			return false;
	}
	return true;
}

/* Numbers s, if it has no number, as the next. */
static void
number(const struct moore_rbalance *b, uint32_t s, uint32_t *n)
{
	if (b->rank[s] == MOORE_NONE)
		b->rank[s] = (*n)++;
}

void
moore_rbalance_number(struct moore_rbalance *b)
{
	const struct moore_rgraph *g = b->v->g;
	uint32_t n = 0;

	memset(b->rank, 0xff, g->n * sizeof(*b->rank));
	for (uint32_t s = 0; s < g->n; s++) {
		if (!g->is_source[s] || b->rank[s] != MOORE_NONE)
			continue;
		number(b, s, &n);
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			for (uint32_t r = g->to[e], f = g->xadj[r]; f < g->xadj[r + 1]; f++)
				if (g->flags[e] & g->flags[f] & b->v->flag && g->is_source[g->to[f]])
					number(b, g->to[f], &n);
	}
	for (uint32_t s = 0; s < g->n; s++)
		number(b, s, &n);
}

uint32_t
moore_rbalance_turn(struct moore_rbalance *b, const struct moore_rchoices *all, uint32_t index, unsigned i)
{
	const struct moore_rchoice *c = &all->at[index];
	const struct moore_rgraph *g = b->v->g;
	const uint8_t *slot = b->slot + (size_t)c->root * g->n;
	uint32_t best = c->start, fewest = MOORE_NONE;

	if (index == 0 || c[-1].root != c->root)
		memset(b->acc, 0, g->n * sizeof(*b->acc));
	for (uint32_t k = 0; k < c->n && fewest; k++) {
		const uint32_t at = (b->rank[c->root] + i + k) % c->n, e = g->xadj[c->node] + b->cand[c->cand0 + at];

		if (b->acc[g->to[e]] < fewest && may_move_over(b, slot, c->root, c->node, e)) {
			fewest = b->acc[g->to[e]];
			best = at;
		}
	}
	b->acc[g->to[g->xadj[c->node] + b->cand[c->cand0 + best]]]++;
	return best;
}

void
moore_rbalance_start_middles(struct moore_rbalance *b, unsigned i)
{
	const struct moore_rgraph *g = b->v->g;

	for (uint32_t k = 0; k < b->middles.n; k++) {
		const struct moore_rchoice *c = &b->middles.at[k];

		b->slot[(size_t)c->root * g->n + c->node] = b->cand[c->cand0 + c->start];
	}
	for (uint32_t k = 0; k < b->middles.n; k++) {
		const struct moore_rchoice *c = &b->middles.at[k];

		b->slot[(size_t)c->root * g->n + c->node] =
			b->cand[c->cand0 + moore_rbalance_turn(b, &b->middles, k, i)];
	}
}

/* The cube of the load of e, by which the sum of fourth powers grows there, if it is `by` more. */
static int64_t
cube(const struct moore_rbalance *b, uint32_t e, int64_t by)
{
	const int64_t load = (int64_t)moore_rgraph_weighted(b->v->g, e, (uint64_t)((int64_t)b->load[e] + by));

	return load * load * load;
}

/* About how much the sum of fourth powers falls, for each of them, when n units go over f instead of e:
 * up to where the routes meet. */
static int64_t
gain(const struct moore_rbalance *b, const uint8_t *slot, uint32_t n, uint32_t e, uint32_t f)
{
	const struct moore_rgraph *g = b->v->g;
	const int64_t half = (int64_t)(n + 1) / 2;
	int64_t sum = 0;

	for (;;) {
		sum += cube(b, e, -half) - cube(b, f, half);
		if (g->to[e] == g->to[f])
			return sum;
		e = g->xadj[g->to[e]] + slot[g->to[e]];
		f = g->xadj[g->to[f]] + slot[g->to[f]];
	}
}

/* Moves the switch of c to its best parent.  Returns whether it had another. */
static bool
move_middle(struct moore_rbalance *b, const struct moore_rchoice *c)
{
	const struct moore_rgraph *g = b->v->g;
	uint8_t *slot = b->slot + (size_t)c->root * g->n;
	const uint32_t base = g->xadj[c->node], now = base + slot[c->node], n = b->acc[c->node];
	uint32_t best = now;
	int64_t most = 0;

	for (uint32_t k = 0; k < c->n && n; k++) {
		const uint32_t e = base + b->cand[c->cand0 + k];
		const int64_t more = e == now ? 0 : gain(b, slot, n, now, e);

		if (more > most && may_move_over(b, slot, c->root, c->node, e)) {
			most = more;
			best = e;
		}
	}
	if (best == now)
		return false;
	moore_rbalance_change(b, slot, c->root, now, 0 - n);
	moore_rbalance_count_on(b, slot, c->root, g->to[now], 0 - n);
	slot[c->node] = (uint8_t)(best - base);
	moore_rbalance_change(b, slot, c->root, best, n);
	moore_rbalance_count_on(b, slot, c->root, g->to[best], n);
	return true;
}

size_t
moore_rbalance_move_middles(struct moore_rbalance *b)
{
	const size_t n = b->v->g->n;
	uint32_t root = MOORE_NONE;
	size_t moved = 0;

	for (uint32_t k = 0; k < b->middles.n; k++) {
		const struct moore_rchoice *c = &b->middles.at[k];

		if (!b->present[c->root])
			continue;
		if (c->root != root)
			moore_rtree_sources(b->v->g, b->slot + c->root * n, b->reached + c->root * n,
					    b->n_reached[c->root], b->acc);
		root = c->root;
		moved += move_middle(b, c);
	}
	return moved;
}

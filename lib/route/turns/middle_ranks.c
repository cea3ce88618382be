// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* middle_ranks.c - ranks of links where the graph has lines (middles.h).
 *
 * Middle switches have random numbers, and their links begin with ranks next to these, those to a middle
 * switch just below those from it.  So all turns at middle switches are allowed, and a detour
 * s -> m -> i -> m' -> d is when m has the lesser number.  Then all copies of a line allow the same
 * detours, and whatever the numbers are, some pairs of switches have few.
 *
 * So a search then gives each link a rank of its own.  A step moves one link next to another with which
 * it shares a turn, and the search takes the step back unless it lowers the cost of all pairs
 * (middle_detours.h).  By these steps the copies of a line come to allow different detours.  Links of
 * the spanning tree stay in the middle. */
#include "base/arena.h"
#include "base/random.h"
#include "route/tuning.h"
#include "route/turns/middle_detours.h"
#include "route/turns/turns.h"

#define SPAN ((uint32_t)1 << 29)	/* ranks begin at most so far from the middle */

struct search {
	struct moore_rdetours d;
	struct moore_rng rng;
	uint32_t *rank;		/* by edge */
	const uint32_t *number, *parent;	/* by node */
	uint32_t *free, n_free;	/* planned edges beside the spanning tree */
	uint32_t guard;		/* ranks of the tree are at most so far from the middle */
};

void
moore_rmiddles_number(const struct moore_rgraph *g, uint32_t *number)
{
	uint32_t n = moore_rgraph_n_intended(g);
	struct moore_rng rng = { MOORE_MIDDLES_SEED };

	for (uint32_t s = 0; s < n; s++)
		number[s] = s;
	moore_rng_shuffle(&rng, number, n);
}

/* The rank of the links to the middle switch with this number, of n; those from it have one more. */
static uint32_t
rank_of(const struct search *w, uint32_t number)
{
	uint32_t n = w->guard / 2, apart = SPAN / (n + 1), half = n / 2;

	return number < half ? MOORE_RANK_MIDDLE - w->guard - (half - number) * apart :
		MOORE_RANK_MIDDLE + w->guard + (number - half + 1) * apart;
}

/* Ranks edge e by number alone, and lists it; or ranks e and its opposite where e leads to the root of the
 * spanning tree: numbers rise that way, so ranks do, and they fall on the way back. */
static void
start_edge(struct search *w, const struct moore_rgraph *g, uint32_t e)
{
	uint32_t s = moore_rgraph_tail(g, e), r = g->to[e], from_middle = !g->is_source[s];
	uint32_t number = w->number[from_middle ? s : r];

	if (w->parent[s] == e) {
		w->rank[e] = MOORE_RANK_MIDDLE - w->guard + 2 * number + from_middle;
		w->rank[g->rev[e]] = MOORE_RANK_MIDDLE + w->guard - 2 * number - from_middle;
	} else if (w->parent[r] != g->rev[e]) {
		w->rank[e] = rank_of(w, number) + from_middle;
		w->free[w->n_free++] = e;
	}
}

/* A rank for edge e just above or below that of an edge with which it shares a turn. */
static uint32_t
draw_rank(struct search *w, uint32_t e)
{
	const struct moore_rgraph *g = w->d.g;
	bool is_down = g->is_source[g->to[e]], at_low = moore_rng_below(&w->rng, 2);
	bool above = moore_rng_below(&w->rng, 2);
	uint32_t s = g->to[at_low == is_down ? e : g->rev[e]], first = w->d.xadj[s];
	uint32_t k = w->d.adj[first + moore_rng_below(&w->rng, w->d.xadj[s + 1] - first)];
	uint32_t rank = w->rank[at_low == is_down ? k : g->rev[k]];

	if (rank + w->guard - MOORE_RANK_MIDDLE <= 2 * w->guard)
		rank = above ? MOORE_RANK_MIDDLE + w->guard : MOORE_RANK_MIDDLE - w->guard;
	return above ? rank + 1 : rank - 1;
}

/* The number of steps: MOORE_MIDDLES_TRIES for each link, as far as all steps together look at
 * MOORE_MIDDLES_WORK turns at most.  On an OFT a step looks at about `turns`; elsewhere more classes may be
 * beside a middle switch, and each turn counts for all of them. */
static uint64_t
count_steps(const struct search *w)
{
	uint64_t turns = 4 * (uint64_t)w->d.stride * w->d.most_beside, most = MOORE_MIDDLES_WORK / turns;
	uint64_t n = (uint64_t)MOORE_MIDDLES_TRIES * w->n_free;

	return n < most ? n : most;
}

static void
search(struct search *w)
{
	for (uint64_t n = w->n_free ? count_steps(w) : 0; n-- > 0;) {
		uint32_t e = w->free[moore_rng_below(&w->rng, w->n_free)], was = w->rank[e];
		uint64_t cost = w->d.cost;

		w->rank[e] = draw_rank(w, e);
		moore_rdetours_recount(&w->d, e);
		if (w->d.cost < cost)
			continue;
		w->rank[e] = was;
		moore_rdetours_undo(&w->d);
	}
}

int
moore_rmiddles_rank(const struct moore_rgraph *g, const uint32_t *number, const uint32_t *parent,
		    uint32_t *colour, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct search w = { .rng = { MOORE_MIDDLES_SEED }, .rank = colour, .number = number,
		.parent = parent, .guard = 2 * moore_rgraph_n_intended(g),
		.free = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1, sizeof(*w.free)) };
	int rc = w.free ? 0 : -MOORE_ENOMEM;

	for (uint32_t e = 0; rc == 0 && e < g->n_edges; e++)
		if (moore_rgraph_is_planned(g, e))
			start_edge(&w, g, e);
	if (rc == 0 && (rc = moore_rdetours_init(&w.d, g, colour, &tmp)) == 0)
		search(&w);
	moore_arena_free(&tmp);
	return rc < 0 ? moore_fail_nomem(err) : 0;
}

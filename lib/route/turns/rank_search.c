// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* rank_search.c - ranks of the directed links under which every pair has many detours.
 *
 * A *leg* (x, d) joins two switches at distance two when the turn of some route x -> r -> d
 * rises.  A switch s at distance two from d can begin a detour with each link to an x that
 * has a leg to d; count(s, d) is the number of these links.  When all endpoints of s send to
 * d, it bounds what the detours carry, so the least counts matter most: the search lowers
 * the sum of WORTH^count over all pairs.
 *
 * Method: descent by coordinates.  With all other ranks fixed, each turn of an edge tells
 * above or below which rank it gains and how much; a sweep gives every edge the best rank by
 * these, in random sequence.  Edges of the spanning tree keep the ranks that it needs.
 * Every number is an integer, so the result is the same on every machine. */

#include "base/arena.h"
#include "base/random.h"
#include "route/tuning.h"
#include "route/turns/turns.h"

#define MAX_COUNT 255

/* The planned edges alone. */
struct planned {
	uint32_t n, n_edges;
	uint32_t *xadj, *to, *rev;	/* as in struct moore_rgraph */
	uint32_t *edge;		/* the same edge in struct moore_rgraph */
};

struct search {
	struct planned g;
	uint32_t *rank;		/* by edge */
	uint8_t *fixed;		/* by edge: it belongs to the spanning tree */
	uint8_t *far;		/* [d * n + s]: the distance is two */
	uint8_t *legs;		/* [d * n + x]: routes x -> r -> d that rise */
	uint8_t *count;		/* [d * n + s]; MAX_COUNT if s is not far */
	uint32_t *sequence;	/* edges */
	struct threshold {	/* one for each turn of an edge */
		uint32_t rank;
		int64_t step;	/* what rising past it gains */
	} at[2 * 256];
	int64_t worth[MAX_COUNT + 1];	/* what one first link more is worth to a pair, by its
					 * count; nothing at MAX_COUNT and just below */
};

static void
mark_far(struct search *w)
{
	const struct planned *g = &w->g;

	for (uint32_t d = 0; d < g->n; d++) {
		uint8_t *far = w->far + (size_t)d * g->n;

		for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
			for (uint32_t r = g->to[e], k = g->xadj[r]; k < g->xadj[r + 1]; k++)
				far[g->to[k]] = 1;
		for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
			far[g->to[e]] = 0;
		far[d] = 0;
		for (uint32_t s = 0; s < g->n; s++)
			w->count[(size_t)d * g->n + s] = far[s] ? 0 : MAX_COUNT;
	}
}

/* The turn u -> v -> w becomes allowed (by is 1) or forbidden (-1). */
static void
set_turn(struct search *w, uint32_t u, uint32_t d, int by)
{
	const struct planned *g = &w->g;
	size_t row = (size_t)d * g->n;
	uint8_t was = w->legs[row + u];

	if (!w->far[row + u])
		return;
	w->legs[row + u] = (uint8_t)(was + by);
	if (was != (by < 0))
		return;
	for (uint32_t e = g->xadj[u]; e < g->xadj[u + 1]; e++) {
		size_t s = row + g->to[e];

		w->count[s] = (uint8_t)(w->count[s] + by * w->far[s]);
	}
}

/* What the turn u -> v -> d is worth while it is allowed. */
static int64_t
worth_of_turn(const struct search *w, uint32_t u, uint32_t d, bool is_allowed)
{
	const struct planned *g = &w->g;
	size_t row = (size_t)d * g->n;
	const uint8_t *count = w->count + row;
	int64_t sum = 0;

	if (!w->far[row + u] || w->legs[row + u] > is_allowed)
		return 0;
	for (uint32_t e = g->xadj[u], end = g->xadj[u + 1]; e < end; e++)
		sum += w->worth[count[g->to[e]] - is_allowed];
	return sum;
}

/* Adds a threshold to the n that are sorted by rank, behind those of the same rank. */
static void
add_threshold(struct search *w, uint32_t n, uint32_t rank, int64_t step)
{
	for (; n > 0 && w->at[n - 1].rank > rank; n--)
		w->at[n] = w->at[n - 1];
	w->at[n] = (struct threshold){ rank, step };
}

/* Lists the ranks at which turns of e become allowed or forbidden. */
static uint32_t
list_thresholds(struct search *w, uint32_t e)
{
	const struct planned *g = &w->g;
	uint32_t v = g->to[e], u = g->to[g->rev[e]], n = 0, own = w->rank[e];

	for (uint32_t k = g->xadj[v]; k < g->xadj[v + 1]; k++)
		if (k != g->rev[e])
			add_threshold(w, n++, w->rank[k],
				      -worth_of_turn(w, u, g->to[k], own < w->rank[k]));
	for (uint32_t o = g->xadj[u]; o < g->xadj[u + 1]; o++)
		if (o != e) {
			uint32_t k = g->rev[o];

			add_threshold(w, n++, w->rank[k],
				      worth_of_turn(w, g->to[o], v, w->rank[k] < own));
		}
	return n;
}

/* A rank between low and high, both exclusive where there is room, outside the middle. */
static uint32_t
rank_between(const struct search *w, struct moore_rng *rng, uint32_t low, uint32_t high)
{
	uint32_t r = high - low > 1 ? low + 1 + moore_rng_below(rng, high - low - 1) : low;
	uint32_t from = MOORE_RANK_MIDDLE, to = MOORE_RANK_MIDDLE + 2 * w->g.n + 1;

	if (r < from || r >= to)
		return r;
	return low < from ? from - 1 : to;
}

/* The best rank of e, or its own when no other is better. */
static uint32_t
best_rank(struct search *w, struct moore_rng *rng, uint32_t e)
{
	uint32_t n = list_thresholds(w, e), best = 0, own = 0;
	int64_t sum = 0, most = 0, now = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum += w->at[i].step;
		if (w->at[i].rank < w->rank[e]) {
			own = i + 1;
			now = sum;
		}
		if (sum > most) {
			most = sum;
			best = i + 1;
		}
	}
	if (most <= now)
		best = own;
	return rank_between(w, rng, best ? w->at[best - 1].rank : 0,
			    best < n ? w->at[best].rank : UINT32_MAX);
}

static void
set_rank(struct search *w, uint32_t e, uint32_t rank)
{
	const struct planned *g = &w->g;
	uint32_t v = g->to[e], u = g->to[g->rev[e]], was = w->rank[e];

	for (uint32_t k = g->xadj[v]; k < g->xadj[v + 1]; k++)
		if (k != g->rev[e])
			if ((was < w->rank[k]) != (rank < w->rank[k]))
				set_turn(w, u, g->to[k], rank < w->rank[k] ? 1 : -1);
	for (uint32_t o = g->xadj[u]; o < g->xadj[u + 1]; o++)
		if (o != e) {
			uint32_t k = g->rev[o];

			if ((w->rank[k] < was) != (w->rank[k] < rank))
				set_turn(w, g->to[o], v, w->rank[k] < rank ? 1 : -1);
		}
	w->rank[e] = rank;
}

/* Edges of the tree have the ranks that they will have; all others random ones. */
static void
start(struct search *w, struct moore_rng *rng)
{
	const struct planned *g = &w->g;
	int64_t left = (int64_t)1 << 40;	/* the worth of all further links */

	for (uint32_t e = 0; e < g->n_edges; e++) {
		if (!w->fixed[e])
			w->rank[e] = rank_between(w, rng, 0, UINT32_MAX);
		w->sequence[e] = e;
	}
	mark_far(w);
	for (uint32_t u = 0; u < g->n; u++)
		for (uint32_t e = g->xadj[u]; e < g->xadj[u + 1]; e++)
			for (uint32_t v = g->to[e], k = g->xadj[v]; k < g->xadj[v + 1]; k++)
				if (w->rank[e] < w->rank[k])
					set_turn(w, u, g->to[k], 1);
	for (uint32_t i = 0; i <= MAX_COUNT; i++, left = left * MOORE_RANK_WORTH / 100)
		w->worth[i] = left - left * MOORE_RANK_WORTH / 100;
}

static void
sweep(struct search *w, struct moore_rng *rng)
{
	for (uint32_t i = 0; i < w->g.n_edges; i++) {
		uint32_t k = i + moore_rng_below(rng, w->g.n_edges - i), e = w->sequence[k];

		w->sequence[k] = w->sequence[i];
		w->sequence[i] = e;
		if (!w->fixed[e])
			set_rank(w, e, best_rank(w, rng, e));
	}
}

/* About how many counts a sweep looks at. */
static uint64_t
work_of_sweep(const struct planned *g)
{
	uint64_t work = 1;

	for (uint32_t s = 0; s < g->n; s++) {
		uint64_t degree = g->xadj[s + 1] - g->xadj[s];

		work += 2 * degree * degree * degree;
	}
	return work;
}

/* Copies the planned edges of g, and their ranks in t where the spanning tree has them. */
static void
copy_planned(struct search *w, const struct moore_rgraph *g, const struct moore_rturns *t,
	     uint32_t *number)
{
	uint32_t n = 0;

	w->g.n = moore_rgraph_n_intended(g);
	for (uint32_t s = 0; s < w->g.n; s++) {
		w->g.xadj[s] = n;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			if (!(g->flags[e] & MOORE_EDGE_PLANNED))
				continue;
			number[e] = n;
			w->g.edge[n] = e;
			w->g.to[n] = g->to[e];
			w->fixed[n] = t->parent[s] == e || t->parent[g->to[e]] == g->rev[e];
			w->rank[n] = t->rank[e] - (g->n - w->g.n);
			n++;
		}
	}
	w->g.xadj[w->g.n] = w->g.n_edges = n;
	for (uint32_t e = 0; e < n; e++)
		w->g.rev[e] = number[g->rev[w->g.edge[e]]];
}

static struct search *
alloc_search(struct moore_arena *tmp, const struct moore_rgraph *g)
{
	size_t n = (size_t)g->n + 1, n2 = n * n, m = (size_t)g->n_edges + 1;
	struct search *w = moore_arena_alloc(tmp, 1, sizeof(*w));

	if (!w)
		return NULL;
	w->g.xadj = moore_arena_alloc(tmp, n, sizeof(*w->g.xadj));
	w->g.to = moore_arena_alloc(tmp, m, sizeof(*w->g.to));
	w->g.rev = moore_arena_alloc(tmp, m, sizeof(*w->g.rev));
	w->g.edge = moore_arena_alloc(tmp, m, sizeof(*w->g.edge));
	w->rank = moore_arena_alloc(tmp, m, sizeof(*w->rank));
	w->sequence = moore_arena_alloc(tmp, m, sizeof(*w->sequence));
	w->fixed = moore_arena_alloc(tmp, m, 1);
	w->far = moore_arena_alloc(tmp, n2, 1);
	w->legs = moore_arena_alloc(tmp, n2, 1);
	w->count = moore_arena_alloc(tmp, n2, 1);
	return w->g.xadj && w->g.to && w->g.rev && w->g.edge && w->rank && w->sequence &&
		w->fixed && w->far && w->legs && w->count ? w : NULL;
}

/* Without the ranks between that the spanning tree has. */
static uint32_t
colour_of(const struct search *w, uint32_t e)
{
	uint32_t middle = MOORE_RANK_MIDDLE, above = w->rank[e] - (2 * w->g.n + 1);

	if (w->fixed[e])
		return w->rank[e] < middle + w->g.n ? middle - 1 : middle;
	return w->rank[e] < middle ? w->rank[e] : above;
}

int
moore_rranks_search(const struct moore_rgraph *g, const struct moore_rturns *t, uint32_t *colour,
		    uint64_t seed, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_rng rng = { seed };
	struct search *w = alloc_search(&tmp, g);
	uint64_t n_sweeps;

	if (!w) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	copy_planned(w, g, t, w->sequence);
	n_sweeps = MOORE_RANK_WORK / work_of_sweep(&w->g);
	start(w, &rng);
	for (uint64_t i = 0; i < n_sweeps && i < MOORE_RANK_SWEEPS; i++)
		sweep(w, &rng);
	for (uint32_t e = 0; e < w->g.n_edges; e++)
		colour[w->g.edge[e]] = colour_of(w, e);
	moore_arena_free(&tmp);
	return 0;
}

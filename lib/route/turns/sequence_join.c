// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* sequence_join.c - profile one-vl: the sequence of edges after links of its spanning tree were
 * lost.
 *
 * All turns of a tree go forward if, at each switch, every edge of the tree that comes in stands
 * before every one that goes out, but for the turn back.  This does not depend on the root.  So a
 * link that joins two parts of a tree needs its two edges to fit in; where they do not, edges of
 * the tree around it move: those towards one end of the link to before it, those away from it to
 * behind it.  Then edges that lost turns by that move, too, as long as it gains something.
 *
 * Some links are tried in full, from either end, and the one that costs least is taken.  Turns that
 * were allowed before the loss count most, since routes may use them.  Ranks are far apart
 * (ranks.c), so an edge moves into a gap and all others keep theirs. */
#include <string.h>

#include "base/arena.h"
#include "base/union_find.h"
#include "route/turns/sequence.h"
#include "route/tuning.h"

#define TREE ((int64_t)1 << 32)	/* the value of a turn of the tree: more than all others */

/* Another edge, which the edge at hand has a turn with. */
struct other {
	uint32_t rank;
	int64_t gain;		/* of standing after it: its turn's value, with its sign */
};

/* A link between two parts: edge e, and about what it gains. */
struct joint {
	uint32_t e;
	int64_t gain;
};

struct joining {
	const struct moore_rview *v;
	const uint32_t *old;	/* by edge: the rank before the loss */
	uint32_t *rank;		/* by edge */
	uint8_t *in;		/* by edge: it is in the tree */
	uint32_t *part;		/* by node: union and find */
	uint8_t *single;	/* by node: no link of the tree is there */
	uint64_t *lost_out, *lost_in;	/* by node: what turns that begin or end there were worth */
	uint32_t *node, *up;	/* nodes of a part from its root on; by node: its edge towards it */
	struct other *other;	/* of the edge at hand, by rank */
	uint32_t n_others;
	uint32_t *queue, n_queued;	/* edges that may gain by moving: the last n_edges of them */
	uint8_t *queued;	/* by edge: it is among those not looked at yet */
	uint32_t *was, *best;	/* by edge: ranks of find_best() */
};

/* ---- the value of turns ------------------------------------------------------------------ */

static bool
are_neighbours(const struct moore_rview *v, uint32_t s, uint32_t d)
{
	const struct moore_rgraph *g = v->g;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (g->to[e] == d)
			return g->flags[e] & v->flag;
	return false;
}

/* The value of the turn from edge e to edge k. */
static int64_t
value_of(const struct joining *w, uint32_t e, uint32_t k)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t s = moore_rgraph_tail(g, e), d = g->to[k];

	if (w->in[e] && w->in[k])
		return TREE;
	return (w->old[e] < w->old[k] ? MOORE_JOIN_ALLOWED : 1) *
		(g->is_source[s] && g->is_source[d] && !are_neighbours(w->v, s, d) ?
		 MOORE_JOIN_MINIMAL : 1);
}

static void
list_others(struct joining *w, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t s = moore_rgraph_tail(g, e), r = g->to[e], n = 0;
	struct other *o = w->other;

	for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++)
		if (k != e && g->flags[k] & w->v->flag)
			o[n++] = (struct other){ w->rank[g->rev[k]], value_of(w, g->rev[k], e) };
	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		if (k != g->rev[e] && g->flags[k] & w->v->flag)
			o[n++] = (struct other){ w->rank[k], -value_of(w, e, k) };
	w->n_others = n;
	for (uint32_t i = 1; i < n; i++) {
		struct other x = o[i];
		uint32_t k = i;

		for (; k && o[k - 1].rank > x.rank; k--)
			o[k] = o[k - 1];
		o[k] = x;
	}
}

/* What the present rank of an edge is worth, whose others are listed. */
static int64_t
worth(const struct joining *w, uint32_t rank)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < w->n_others; i++) {
		const struct other *o = &w->other[i];

		sum += o->rank < rank || (o->rank == rank && o->gain < 0) ? o->gain : 0;
	}
	return sum;
}

/* Sets *to to the rank of greatest worth for e, and to the nearest of these; returns what that gains. */
static int64_t
best_rank(struct joining *w, uint32_t e, uint32_t *to)
{
	uint32_t from = 0, was = w->rank[e], least = UINT32_MAX;
	int64_t sum = 0, most = INT64_MIN;

	list_others(w, e);
	for (uint32_t i = 0; i <= w->n_others; i++) {
		uint32_t end = i < w->n_others ? w->other[i].rank : UINT32_MAX;
		uint32_t x = was > from && was < end ? was : from + (end - from) / 2;
		uint32_t far = x < was ? was - x : x - was;

		if (x > from && x < end && (sum > most || (sum == most && far < least))) {
			most = sum;
			least = far;
			*to = x;
		}
		if (i < w->n_others)
			sum += w->other[i].gain;
		from = end;
	}
	return most == INT64_MIN ? 0 : most - worth(w, was);
}

/* ---- moving what gains ---------------------------------------------------------------------- */

/* How many turns of the tree that edge e is in go backward. */
static uint32_t
count_backward(const struct joining *w, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t s = moore_rgraph_tail(g, e), r = g->to[e], n = 0;

	for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++)
		n += k != e && w->in[k] && w->rank[g->rev[k]] >= w->rank[e];
	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		n += k != g->rev[e] && w->in[k] && w->rank[k] <= w->rank[e];
	return n;
}

static void
push(struct joining *w, uint32_t e)
{
	if (!w->queued[e] && w->v->g->flags[e] & w->v->flag) {
		w->queued[e] = 1;
		w->queue[w->n_queued++ % w->v->g->n_edges] = e;
	}
}

static void
push_others(struct joining *w, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t s = moore_rgraph_tail(g, e), r = g->to[e];

	for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++)
		if (k != e)
			push(w, g->rev[k]);
	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		if (k != g->rev[e])
			push(w, k);
}

/* Moves edges around those that have moved, as long as that gains something. */
static void
settle(struct joining *w)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t to;

	memset(w->queued, 0, g->n_edges);
	w->n_queued = 0;
	for (uint32_t e = 0; e < g->n_edges; e++)
		if (w->rank[e] != w->old[e]) {
			push(w, e);
			push_others(w, e);
		}
	for (uint32_t i = 0; i < w->n_queued && i < MOORE_JOIN_LOOKS; i++) {
		uint32_t e = w->queue[i % g->n_edges];

		w->queued[e] = 0;
		if (best_rank(w, e, &to) > 0) {
			w->rank[e] = to;
			push_others(w, e);
		}
	}
}

/* ---- the tree --------------------------------------------------------------------------------- */

/* Lists the nodes of root's part, with their edges towards it. */
static uint32_t
list_part(struct joining *w, uint32_t root)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t n = 1;

	w->node[0] = root;
	w->up[root] = MOORE_NONE;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = w->node[i];

		for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++)
			if (w->in[k] && k != w->up[s]) {
				w->up[g->to[k]] = g->rev[k];
				w->node[n++] = g->to[k];
			}
	}
	return n;
}

/* Makes all turns of root's part of the tree go forward. */
static void
straighten(struct joining *w, uint32_t root)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t n = list_part(w, root), *rank = w->rank;

	for (uint32_t i = 1; i < n; i++) {	/* towards the root: before the next edge */
		uint32_t e = w->up[w->node[i]], next = w->up[g->to[e]];

		if (next != MOORE_NONE && rank[e] >= rank[next])
			rank[e] = rank[next] - 1;
	}
	for (uint32_t i = 1; i < n; i++) {	/* away from it: behind all that come in */
		uint32_t e = g->rev[w->up[w->node[i]]], s = moore_rgraph_tail(g, e);

		for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++)
			if (w->in[k] && k != e && rank[e] <= rank[g->rev[k]])
				rank[e] = rank[g->rev[k]] + 1;
	}
}

static void
join(struct joining *w, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t s = moore_rgraph_tail(g, e), r = g->to[e];

	w->in[e] = w->in[g->rev[e]] = 1;
	w->single[s] = w->single[r] = 0;
	moore_union_join(w->part, s, r);
}

/* Keeps the links of old's tree that are up.  Returns how many are not. */
static uint32_t
keep_tree(struct joining *w, const struct moore_rturns *old)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t n_lost = 0;

	memcpy(w->rank, old->rank, g->n_edges * sizeof(*w->rank));
	memset(w->in, 0, g->n_edges);
	memset(w->single, 1, g->n);
	moore_union_start(w->part, g->n);
	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t e = old->parent[s];

		if (e == MOORE_NONE)
			continue;
		if (g->flags[e] & w->v->flag && moore_rview_transit(w->v, g->to[e]))
			join(w, e);
		else
			n_lost++;
	}
	return n_lost;
}

/* ---- joining its parts ------------------------------------------------------------------------ */

/* Whether edge e may join two parts: others may be routed through its head, and through its tail
 * if that has other links in the tree.  Of two such edges of a link only one does. */
static bool
may_join(const struct joining *w, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t s = moore_rgraph_tail(g, e), r = g->to[e];

	return g->flags[e] & w->v->flag && moore_rview_transit(w->v, r) &&
		(moore_rview_transit(w->v, s) ? s < r : w->single[s]) &&
		moore_union_find(w->part, s) != moore_union_find(w->part, r);
}

/* Sets *to to the best rank of e if it is in the tree.  Returns what it gains, less for each turn of
 * the tree that goes backward. */
static int64_t
try_edge(struct joining *w, uint32_t e, uint32_t *to)
{
	uint32_t was = w->rank[e], n;
	int64_t gain;

	*to = was;
	w->in[e] = 1;
	gain = best_rank(w, e, to);
	w->rank[e] = *to;
	n = count_backward(w, e);
	w->rank[e] = was;
	w->in[e] = 0;
	return gain - (gain + TREE / 2) / TREE * TREE - n * TREE;
}

/* Fills j[] with the best of the links between two parts, at most max of them. */
static uint32_t
list_joints(struct joining *w, struct joint *j, uint32_t max)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t n = 0, to;

	for (uint32_t e = 0; e < g->n_edges; e++) {
		struct joint x = { .e = e };
		uint32_t i;

		if (!may_join(w, e))
			continue;
		x.gain = try_edge(w, e, &to) + try_edge(w, g->rev[e], &to);
		if (n == max && x.gain <= j[n - 1].gain)
			continue;
		n += n < max;
		for (i = n - 1; i && j[i - 1].gain < x.gain; i--)
			j[i] = j[i - 1];
		j[i] = x;
	}
	return n;
}

/* What it costs that a node without endpoints has no neighbour through which it reaches others by
 * all edges: its routes then bend those of the neighbour. */
static uint64_t
price_of_silent(const struct joining *w, uint32_t s)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t least = UINT32_MAX;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		uint32_t r = g->to[e], n = 0, n_closed = 0;

		for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
			if (g->flags[e] & w->v->flag && k != g->rev[e] && g->flags[k] & w->v->flag) {
				n_closed += w->rank[e] >= w->rank[k];
				n++;
			}
		if (n_closed < n && n_closed < least)
			least = n_closed;
	}
	return least == UINT32_MAX ? 0 : (uint64_t)least * MOORE_JOIN_ALLOWED * MOORE_JOIN_MINIMAL;
}

/* The price of the ranks: of turns that were allowed and are not.  The squares of what each switch
 * lost are added up, since what one switch loses passes over the same few links. */
static uint64_t
price_of_ranks(struct joining *w)
{
	const struct moore_rgraph *g = w->v->g;
	uint64_t sum = 0;

	memset(w->lost_in, 0, g->n * sizeof(*w->lost_in));
	for (uint32_t s = 0; s < g->n; s++)
		w->lost_out[s] = g->is_source[s] ? 0 : price_of_silent(w, s);
	for (uint32_t e = 0; e < g->n_edges; e++)
		for (uint32_t r = g->to[e], k = g->xadj[r]; k < g->xadj[r + 1]; k++) {
			if (w->old[e] >= w->old[k] || w->rank[e] < w->rank[k] || k == g->rev[e] ||
			    !(g->flags[e] & g->flags[k] & w->v->flag))
				continue;
			w->lost_out[moore_rgraph_tail(g, e)] += (uint64_t)value_of(w, e, k);
			w->lost_in[g->to[k]] += (uint64_t)value_of(w, e, k);
		}
	for (uint32_t s = 0; s < g->n; s++)
		sum += w->lost_out[s] * w->lost_out[s] + w->lost_in[s] * w->lost_in[s];
	return sum;
}

/* Gives the edges of the link e ranks as a part of the tree, whose turns `root` tells the way of. */
static void
try_joint(struct joining *w, uint32_t e, uint32_t root)
{
	uint32_t back = w->v->g->rev[e], to, to_back;

	try_edge(w, e, &to);
	try_edge(w, back, &to_back);
	w->rank[e] = to;
	w->rank[back] = to_back;
	w->in[e] = w->in[back] = 1;
	straighten(w, root);
	settle(w);
	w->in[e] = w->in[back] = 0;
}

/* Tries n links from either end.  Sets ranks by the best of them, and returns it. */
static uint32_t
find_best(struct joining *w, const struct joint *j, uint32_t n)
{
	const struct moore_rgraph *g = w->v->g;
	size_t bytes = g->n_edges * sizeof(*w->rank);
	uint64_t least = UINT64_MAX;
	uint32_t found = j[0].e;

	memcpy(w->was, w->rank, bytes);
	for (uint32_t i = 0; i < 2 * n; i++) {
		uint32_t e = j[i / 2].e;
		uint64_t price;

		try_joint(w, e, i % 2 ? moore_rgraph_tail(g, e) : g->to[e]);
		if ((price = price_of_ranks(w)) < least) {
			least = price;
			found = e;
			memcpy(w->best, w->rank, bytes);
		}
		memcpy(w->rank, w->was, bytes);
	}
	memcpy(w->rank, w->best, bytes);
	return found;
}

/* How many links to try for each of so many joints. */
static uint32_t
count_tries(const struct moore_rgraph *g, uint32_t n_joints)
{
	uint64_t turns = 1, n;

	for (uint32_t e = 0; e < g->n_edges; e++)
		turns += g->xadj[g->to[e] + 1] - g->xadj[g->to[e]];
	n = MOORE_JOIN_WORK / turns / (n_joints + 1) + 1;
	return n < MOORE_JOIN_TRIES ? (uint32_t)n : MOORE_JOIN_TRIES;
}

/* Returns whether all turns of the tree go forward then. */
static bool
join_all(struct joining *w, uint32_t n_joints)
{
	const struct moore_rgraph *g = w->v->g;
	struct joint j[MOORE_JOIN_TRIES];
	uint32_t max = count_tries(g, n_joints), n;
	bool forward = true;

	while ((n = list_joints(w, j, max)))
		join(w, find_best(w, j, n));
	for (uint32_t e = 0; e < g->n_edges; e++)
		forward &= !w->in[e] || !count_backward(w, e);
	return forward;
}

static bool
alloc(struct joining *w, struct moore_arena *tmp)
{
	size_t n = (size_t)w->v->g->n + 1, m = (size_t)w->v->g->n_edges + 1;

	w->in = moore_arena_alloc(tmp, m, 1);
	w->queued = moore_arena_alloc(tmp, m, 1);
	w->queue = moore_arena_alloc(tmp, m, sizeof(*w->queue));
	w->was = moore_arena_alloc(tmp, m, sizeof(*w->was));
	w->best = moore_arena_alloc(tmp, m, sizeof(*w->best));
	w->part = moore_arena_alloc(tmp, n, sizeof(*w->part));
	w->single = moore_arena_alloc(tmp, n, 1);
	w->lost_out = moore_arena_alloc(tmp, n, sizeof(*w->lost_out));
	w->lost_in = moore_arena_alloc(tmp, n, sizeof(*w->lost_in));
	w->node = moore_arena_alloc(tmp, n, sizeof(*w->node));
	w->up = moore_arena_alloc(tmp, n, sizeof(*w->up));
	w->other = moore_arena_alloc(tmp, 512, sizeof(*w->other));
	return w->in && w->queued && w->queue && w->was && w->best && w->part && w->single &&
		w->lost_out && w->lost_in && w->node && w->up && w->other;
}

int
moore_rsequence_join(struct moore_rturns *t, const struct moore_rview *v,
		     const struct moore_rturns *old, bool *joined, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct joining w = { .v = v, .old = old->rank, .rank = t->rank };
	int rc = 0;

	*joined = false;
	if (!alloc(&w, &tmp))
		rc = moore_fail_nomem(err);
	else if ((*joined = join_all(&w, keep_tree(&w, old))))
		rc = moore_rspanning_root(t, v, old, w.in, err);
	moore_arena_free(&tmp);
	return rc;
}

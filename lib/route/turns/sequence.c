// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* sequence.c - profile one-vl: searches for the sequence of edges in which the most minimal
 * routes are legal.
 *
 * It is the problem of the greatest acyclic subgraph, of which the turns are the arcs: simulated
 * annealing from the sequence of the order (ranks.c).  A move takes one edge out and puts it
 * back into one of the gaps between the edges that it has turns with, chosen among those in
 * which the value of its forward turns is not much less than now.  A turn is worth more if
 * much of what begins or ends where it does goes backward: a switch with few minimal routes
 * sends all its others over the same link.  Turns of the spanning tree are worth so much that
 * they all go forward; ranks.c makes sure of it.
 *
 * Elsewhere: the weights (sequence_weigh.c). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "route/turns/sequence.h"
#include "route/tuning.h"

#define KEYS ((uint64_t)1 << 62)	/* keys are below this */
#define ONE ((uint64_t)1 << 8)		/* of shares and of waste() */

/* The neighbours of an edge in the sequence: edges that it has a turn with. */
struct other {
	uint64_t key;
	int64_t gain;		/* of standing after it: its turn's value, with its sign, which may be 0 */
	uint64_t weight;	/* of the turn */
	uint32_t from, to;	/* the switches at which the turn begins and ends */
	bool before;		/* it is the first edge of the turn */
};

/* The weight of turns that begin, or that end, at a switch. */
struct side {
	uint64_t all, back;	/* of all turns; of those that go backward */
};

struct search {
	const struct moore_rview *v;
	struct moore_rturn_list turns;
	uint64_t *key;		/* by edge: the sequence */
	uint8_t *in_tree;	/* by edge: it is an edge of the spanning tree */
	struct side *out, *in;	/* by switch: turns that begin there, and that end there */
	unsigned power;		/* see moore_rsequence_search() */
	uint64_t tree_bonus;	/* what a turn of the spanning tree is worth besides */
	struct other *other;	/* of the edge at hand, by key */
	uint32_t n_others;
	struct moore_rng rng;
};

/* ---- weights ---------------------------------------------------------------------- */

/* Weighs the turns.  Sets *mean to the mean weight of those on minimal routes. */
static int
weigh(struct search *w, uint64_t *mean, struct moore_err *err)
{
	const struct moore_rgraph *g = w->v->g;
	uint64_t sum = 0, n = 0;
	int rc = moore_rturns_weigh(&w->turns, w->v, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < w->turns.n; i++) {
		sum += w->turns.weight[i];
		n += w->turns.weight[i] != 0;
	}
	*mean = n ? sum / n : MOORE_TURN_WEIGHT;
	w->tree_bonus = *mean * MOORE_SEQUENCE_TREE;
	for (size_t i = 0; i < w->turns.n; i++)
		w->turns.weight[i] += *mean / MOORE_SEQUENCE_IDLE_TURN + 1;
	for (uint32_t e = 0; e < g->n_edges; e++)
		w->in_tree[e] = moore_rspanning_has(g, w->v->turns->parent, e);
	return 0;
}

/* Fills out[] and in[].  Returns the weight of all turns that go backward. */
static uint64_t
weigh_sides(struct search *w)
{
	const struct moore_rgraph *g = w->v->g;
	uint64_t sum = 0;

	memset(w->out, 0, g->n * sizeof(*w->out));
	memset(w->in, 0, g->n * sizeof(*w->in));
	for (uint32_t e = 0; e < g->n_edges; e++)
		for (uint32_t r = g->to[e], k = g->xadj[r]; k < g->xadj[r + 1]; k++) {
			uint64_t weight = w->turns.weight[w->turns.first[e] + k - g->xadj[r]];
			uint64_t back = w->key[e] < w->key[k] ? 0 : weight;

			if (k == g->rev[e])
				continue;
			w->out[moore_rgraph_tail(g, e)].all += weight;
			w->out[moore_rgraph_tail(g, e)].back += back;
			w->in[g->to[k]].all += weight;
			w->in[g->to[k]].back += back;
			sum += back;
		}
	return sum;
}

/* ---- moves ------------------------------------------------------------------------ */

static int
by_key(const void *a, const void *b)
{
	const struct other *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Sorts the others: few are most quickly sorted by insertion. */
static void
sort_others(struct search *w)
{
	struct other *o = w->other;

	if (w->n_others > 64) {
		qsort(o, w->n_others, sizeof(*o), by_key);
		return;
	}
	for (uint32_t i = 1; i < w->n_others; i++) {
		struct other x = o[i];
		uint32_t k = i;

		for (; k && o[k - 1].key > x.key; k--)
			o[k] = o[k - 1];
		o[k] = x;
	}
}

/* How many times a turn is worth its weight because of a side of it, in parts of ONE: a power of
 * the share of that side that goes backward. */
static uint64_t
worth(const struct side *s, unsigned power)
{
	uint64_t share = s->back / (s->all / ONE + 1) * MOORE_SEQUENCE_SHARE, y = ONE;

	while (power--)
		y = y * share / ONE;
	return y * MOORE_SEQUENCE_LACK;
}

/* The value of a turn from edge e to edge k: its weight, and more where much of what begins
 * and ends where it does goes backward. */
static void
add_other(struct search *w, uint32_t e, uint32_t k, bool before)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t r = g->to[e], from = moore_rgraph_tail(g, e), to = g->to[k];
	uint64_t weight = w->turns.weight[w->turns.first[e] + k - g->xadj[r]];
	uint64_t value = weight / ONE *
		(ONE + worth(&w->out[from], w->power) + worth(&w->in[to], w->power));

	if (w->in_tree[e] && w->in_tree[k])
		value += w->tree_bonus;
	w->other[w->n_others++] = (struct other){ w->key[before ? e : k],
		before ? (int64_t)value : -(int64_t)value, weight, from, to, before };
}

static void
list_others(struct search *w, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t s = moore_rgraph_tail(g, e), r = g->to[e];

	w->n_others = 0;
	for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++)
		if (k != e && g->flags[k] & w->v->flag)
			add_other(w, g->rev[k], e, true);
	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		if (k != g->rev[e] && g->flags[k] & w->v->flag)
			add_other(w, e, k, false);
	sort_others(w);
}

/* A random number of exponential distribution, about: its mean is ONE / ln 2. */
static uint64_t
waste(struct moore_rng *rng)
{
	uint64_t r = moore_rng_next(rng) | 1;
	unsigned zeros = (unsigned)__builtin_clzll(r);

	return (zeros + 1) * ONE - ((r << zeros) >> 55 & (ONE - 1));
}

/* Puts e into a gap in which it gains at least `least`, counted from before all others. */
static void
place_in_gap(struct search *w, uint32_t e, int64_t least)
{
	uint64_t from = 0, lo = 0, hi = 0;
	int64_t gain = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i <= w->n_others; i++) {
		uint64_t to = i < w->n_others ? w->other[i].key : KEYS;

		if (gain >= least && to > from + 1 && !moore_rng_below(&w->rng, ++n)) {
			lo = from;
			hi = to;
		}
		if (i < w->n_others)
			gain += w->other[i].gain;
		from = to;
	}
	if (n)
		w->key[e] = lo + 1 + moore_rng_next(&w->rng) % (hi - lo - 1);
}

/* The turn with o now goes forward if it did not, and the other way round; e has moved later. */
static void
turn_around(struct search *w, const struct other *o, bool later)
{
	uint64_t by = o->before == later ? 0 - o->weight : o->weight;

	w->out[o->from].back += by;
	w->in[o->to].back += by;
}

static void
move(struct search *w, uint32_t e, uint64_t heat)
{
	uint64_t was = w->key[e];
	int64_t now = 0;

	list_others(w, e);
	for (uint32_t i = 0; i < w->n_others && w->other[i].key < was; i++)
		now += w->other[i].gain;
	place_in_gap(w, e, now - (int64_t)(heat * waste(&w->rng) / ONE));
	for (uint32_t i = 0; i < w->n_others; i++)
		if ((w->other[i].key < was) != (w->other[i].key < w->key[e]))
			turn_around(w, &w->other[i], w->key[e] > was);
}

/* ---- the search --------------------------------------------------------------------- */

struct entry {
	uint64_t key;
	uint32_t edge;
};

static int
by_entry(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* place[] of each edge in the sequence of key[]. */
static void
number(const struct search *w, struct entry *scratch, uint32_t *place)
{
	uint32_t m = w->v->g->n_edges;

	for (uint32_t e = 0; e < m; e++)
		scratch[e] = (struct entry){ w->key[e], e };
	qsort(scratch, m, sizeof(*scratch), by_entry);
	for (uint32_t i = 0; i < m; i++)
		place[scratch[i].edge] = i;
}

/* Begins with the sequence of the order, evenly spaced. */
static void
begin(struct search *w, struct entry *scratch, uint32_t *place)
{
	uint32_t m = w->v->g->n_edges;

	moore_rranks_by_order(w->v->g, w->v->turns->pos, place);
	for (uint32_t e = 0; e < m; e++)
		w->key[e] = place[e];
	number(w, scratch, place);
	for (uint32_t e = 0; e < m; e++)
		w->key[e] = KEYS / (m + 1) * (place[e] + 1);
}

/* How many times to move each edge. */
static uint32_t
count_rounds(const struct moore_rgraph *g)
{
	uint64_t work = 1, n;

	for (uint32_t e = 0; e < g->n_edges; e++) {
		uint64_t degree = g->xadj[g->to[e] + 1] - g->xadj[g->to[e]];

		work += degree * degree;
	}
	n = MOORE_SEQUENCE_WORK / work;
	return n > MOORE_SEQUENCE_ROUNDS ? MOORE_SEQUENCE_ROUNDS : (uint32_t)n;
}

static void
anneal(struct search *w, uint64_t mean)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t n_rounds = count_rounds(g);
	uint64_t hot = mean / 100 * MOORE_SEQUENCE_HOT, cold = mean / 100 * MOORE_SEQUENCE_COLD;

	for (uint32_t i = 0; i < n_rounds; i++) {
		uint64_t heat = hot - (hot - cold) * i / n_rounds;

		for (uint32_t k = 0; k < g->n_edges; k++) {
			uint32_t e = moore_rng_below(&w->rng, g->n_edges);

			if (g->flags[e] & w->v->flag)
				move(w, e, heat);
		}
	}
}

static int
search(struct search *w, struct entry *scratch, uint32_t *place, struct moore_err *err)
{
	uint64_t mean, weight;
	int rc = weigh(w, &mean, err);

	if (rc < 0)
		return rc;
	begin(w, scratch, place);
	weight = weigh_sides(w);
	anneal(w, mean);
	/* The sequence of the order may be heavier, but uneven: on a hypercube all its minimal
	 * routes are legal, and many pass the first switch. */
	if (w->power > 1 || weigh_sides(w) < weight)
		number(w, scratch, place);
	return 0;
}

int
moore_rsequence_search(const struct moore_rview *v, uint64_t seed, unsigned power,
		       uint32_t *place, struct moore_err *err)
{
	const struct moore_rgraph *g = v->g;
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct search w = { .v = v, .power = power, .rng = { seed } };
	struct entry *scratch;
	int rc;

	if (!(w.turns.first = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1,
						sizeof(*w.turns.first)))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	for (uint32_t e = 0; e < g->n_edges; e++) {
		w.turns.first[e] = w.turns.n;
		w.turns.n += g->xadj[g->to[e] + 1] - g->xadj[g->to[e]];
	}
	w.turns.weight = moore_arena_alloc(&tmp, w.turns.n + 1, sizeof(*w.turns.weight));
	w.key = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1, sizeof(*w.key));
	w.in_tree = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1, 1);
	w.out = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*w.out));
	w.in = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*w.in));
	w.other = moore_arena_alloc(&tmp, 512, sizeof(*w.other));
	scratch = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1, sizeof(*scratch));
	if (w.turns.weight && w.key && w.in_tree && w.out && w.in && w.other && scratch)
		rc = search(&w, scratch, place, err);
	else
		rc = moore_fail_nomem(err);
out:
	moore_arena_free(&tmp);
	return rc;
}

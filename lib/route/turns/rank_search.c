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
 * Every number is an integer, so the result is the same on every machine.
 *
 * Cost: an edge of a graph with degree k has 2k turns, and each reads k counts, from all over
 * n * n bytes.  So four turns are weighed side by side, which lets their reads overlap.  Turns
 * that are forbidden now are all weighed; of those that are allowed, the ones with the nearest
 * ranks, until no rank beyond can win back what their loss would cost. */
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "route/tuning.h"
#include "route/turns/turns.h"

#define MAX_COUNT 255
#define MAX_DEGREE 254		/* below MOORE_SLOT_NONE; so no count is MAX_COUNT */
#define NO_EDGE UINT64_MAX

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
	uint64_t *out, *in;	/* from [xadj[v] + v] on: keys (key_of()) of the edges from v, and of
				 * those to v with the edge that leads back; sorted, then NO_EDGE */
	uint8_t *count;		/* [d * n + s]; MAX_COUNT if s is not at distance two from d */
	uint8_t *legs_to;	/* [d * n + x]: routes x -> r -> d that rise; MAX_COUNT as above */
	uint8_t *legs_from;	/* [x * n + d]: the same */
	uint32_t *sequence;	/* edges */
	int64_t worth[MAX_COUNT + 2];	/* [count + 1]: what one first link more is worth to a pair;
					 * nothing at MAX_COUNT and just below */
};

/* The leg that one turn adds or removes, in a list of legs with one end in common. */
struct leg {
	uint32_t end;		/* its other end */
	uint32_t at;		/* the index of the turn */
};

static uint64_t
key_of(uint32_t rank, uint32_t e)
{
	return (uint64_t)rank << 32 | e;
}

static void
mark_far(struct search *w)
{
	const struct planned *g = &w->g;
	size_t n = g->n;

	memset(w->count, MAX_COUNT, n * n);
	for (uint32_t d = 0; d < n; d++) {
		uint8_t *count = w->count + d * n;

		for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
			for (uint32_t r = g->to[e], k = g->xadj[r]; k < g->xadj[r + 1]; k++)
				count[g->to[k]] = 0;
		for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
			count[g->to[e]] = MAX_COUNT;
		count[d] = MAX_COUNT;
	}
	memcpy(w->legs_to, w->count, n * n);
	memcpy(w->legs_from, w->count, n * n);	/* distances are the same both ways */
}

/* The turn u -> v -> d becomes allowed (by is 1) or forbidden (-1); `was` is the number of legs. */
static void
set_turn(struct search *w, uint32_t u, uint32_t d, uint8_t was, int by)
{
	const uint32_t *to = w->g.to, end = w->g.xadj[u + 1];
	size_t n = w->g.n;
	uint8_t *count = w->count + d * n;

	if (was == MAX_COUNT)
		return;
	w->legs_to[d * n + u] = w->legs_from[u * n + d] = (uint8_t)(was + by);
	if (was != (by < 0))
		return;
	for (uint32_t e = w->g.xadj[u]; e < end; e++) {
		uint8_t *c = count + to[e];

		*c = (uint8_t)(*c + (*c == MAX_COUNT ? 0 : by));
	}
}

/* Sets sum[] of the turns that four legs from u belong to; worth[] is by count. */
static void
weigh_four_from(const struct search *w, const int64_t *worth, uint32_t u, const struct leg *l,
		int64_t *sum)
{
	const struct planned *g = &w->g;
	const uint8_t *a = w->count + (size_t)l[0].end * g->n;
	const uint8_t *b = w->count + (size_t)l[1].end * g->n;
	const uint8_t *c = w->count + (size_t)l[2].end * g->n;
	const uint8_t *d = w->count + (size_t)l[3].end * g->n;
	int64_t of_a = 0, of_b = 0, of_c = 0, of_d = 0;

	for (uint32_t e = g->xadj[u], end = g->xadj[u + 1]; e < end; e++) {
		uint32_t s = g->to[e];

		of_a += worth[a[s]];
		of_b += worth[b[s]];
		of_c += worth[c[s]];
		of_d += worth[d[s]];
	}
	sum[l[0].at] = of_a;
	sum[l[1].at] = of_b;
	sum[l[2].at] = of_c;
	sum[l[3].at] = of_d;
}

static int64_t
weigh_one(const int64_t *worth, const uint8_t *count, const uint32_t *s, uint32_t n)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += worth[count[s[i]]];
	return sum;
}

/* Does the same for four legs to the switch that count[] belongs to. */
static void
weigh_four_to(const struct search *w, const int64_t *worth, const uint8_t *count,
	      const struct leg *l, int64_t *sum)
{
	const struct planned *g = &w->g;
	const uint32_t *s[4];
	uint32_t n[4], least = MAX_DEGREE;
	int64_t of_a = 0, of_b = 0, of_c = 0, of_d = 0;

	for (unsigned i = 0; i < 4; i++) {
		s[i] = g->to + g->xadj[l[i].end];
		n[i] = g->xadj[l[i].end + 1] - g->xadj[l[i].end];
		least = n[i] < least ? n[i] : least;
	}
	for (uint32_t i = 0; i < least; i++) {
		of_a += worth[count[s[0][i]]];
		of_b += worth[count[s[1][i]]];
		of_c += worth[count[s[2][i]]];
		of_d += worth[count[s[3][i]]];
	}
	sum[l[0].at] = of_a + weigh_one(worth, count, s[0] + least, n[0] - least);
	sum[l[1].at] = of_b + weigh_one(worth, count, s[1] + least, n[1] - least);
	sum[l[2].at] = of_c + weigh_one(worth, count, s[2] + least, n[2] - least);
	sum[l[3].at] = of_d + weigh_one(worth, count, s[3] + least, n[3] - least);
}

/* The turns of an edge e from u to v with the edges from v (is_out), which are allowed for ranks of
 * e below that of the other edge; or with the edges to u, which are allowed for ranks above. */
struct side {
	const struct search *w;
	bool is_out;
	uint32_t end;		/* u or v: the end that the legs of all these turns have in common */
	uint32_t opposite;	/* the edge that leads back along e: no turn */
	const uint64_t *key;	/* of the n other edges, sorted; then NO_EDGE */
	uint32_t n, own, above;	/* own, above: the first key from the rank of e on, and above it */
	int64_t worth[MAX_DEGREE + 1];	/* by key: of the turn while it is allowed */
};

/* Finds worth[] of the turns with key[from], key[from + step] and so on, which are all allowed or
 * all forbidden, until `most` of them made or would make a leg.  Returns the next index, or `to`. */
static uint32_t
weigh(struct side *d, uint32_t from, uint32_t to, uint32_t step, bool is_allowed, uint32_t most)
{
	const struct search *w = d->w;
	const uint8_t *legs = (d->is_out ? w->legs_from : w->legs_to) + (size_t)d->end * w->g.n;
	const uint8_t *count = w->count + (size_t)d->end * w->g.n;
	struct leg leg[MAX_DEGREE + 3];
	uint32_t n = 0, i = from;

	for (; i != to && n < most; i += step) {
		leg[n] = (struct leg){ w->g.to[(uint32_t)d->key[i]], i };
		n += legs[leg[n].end] <= is_allowed;
		d->worth[i] = 0;
	}
	for (; n % 4; n++)
		leg[n] = leg[n - 1];
	for (uint32_t k = 0; k < n; k += 4)
		if (d->is_out)
			weigh_four_from(w, w->worth + !is_allowed, d->end, leg + k, d->worth);
		else
			weigh_four_to(w, w->worth + !is_allowed, count, leg + k, d->worth);
	return i;
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

/* A rank that e could have: above those of out->key[i - 1] and in->key[k - 1], and up to those of
 * out->key[i] and in->key[k]. */
struct place {
	uint32_t i, k;
	int64_t gain;		/* by moving there */
};

/* Looks for a better place below the present one; of equals the lowest is the best.  Going down,
 * forbidden turns of `out` are gained and allowed turns of `in` are lost.  `left` is what may still
 * be gained. */
static void
look_down(struct side *out, struct side *in, struct place *best)
{
	struct place at = { out->own, in->own, 0 };
	uint32_t known = in->own - 1;
	int64_t left = 0;

	weigh(out, 0, out->above, 1, false, out->n);
	for (uint32_t i = 0; i < out->own; i++)
		left += out->worth[i];
	while ((at.i || at.k) && at.gain + left >= (best->gain ? best->gain : 1)) {
		if (at.k && (!at.i || in->key[at.k - 1] >> 32 >= out->key[at.i - 1] >> 32)) {
			if (--at.k == known)
				known = weigh(in, at.k, UINT32_MAX, UINT32_MAX, true, 4);
			at.gain -= in->worth[at.k];
		} else {
			at.gain += out->worth[--at.i];
			left -= out->worth[at.i];
		}
		if (at.gain > 0 && at.gain >= best->gain)
			*best = at;
	}
}

/* Looks for a better place above the present one; of equals the lowest is the best. */
static void
look_up(struct side *out, struct side *in, struct place *best)
{
	struct place at = { out->own, in->own, 0 };
	uint32_t known = out->above;
	int64_t left = 0;

	weigh(in, in->own, in->n, 1, false, in->n);
	for (uint32_t k = in->own; k < in->n; k++)
		left += in->worth[k];
	while (at.gain + left > best->gain) {
		if (in->key[at.k] >> 32 < out->key[at.i] >> 32) {
			at.gain += in->worth[at.k];
			left -= in->worth[at.k++];
		} else {
			if (at.i == known)
				known = weigh(out, at.i, out->n, 1, true, 4);
			at.gain -= out->worth[at.i++];
		}
		if (at.gain > best->gain)
			*best = at;
	}
}

static void
start_side(struct side *d, const struct search *w, uint32_t e, bool is_out)
{
	const struct planned *g = &w->g;
	uint32_t v = g->to[e], u = g->to[g->rev[e]], at = is_out ? v : u;

	d->w = w;
	d->is_out = is_out;
	d->end = is_out ? u : v;
	d->opposite = is_out ? g->rev[e] : e;
	d->key = (is_out ? w->out : w->in) + g->xadj[at] + at;
	d->n = g->xadj[at + 1] - g->xadj[at];
	for (d->own = 0; d->key[d->own] >> 32 < w->rank[e];)
		d->own++;
	for (d->above = d->own; d->key[d->above] >> 32 == w->rank[e];)
		d->above++;
}

/* The rank of the turn next below key[i], or 0. */
static uint32_t
rank_below(const struct side *d, uint32_t i)
{
	i -= i && (uint32_t)d->key[i - 1] == d->opposite;
	return i ? (uint32_t)(d->key[i - 1] >> 32) : 0;
}

/* The rank of the first turn from key[i] on, or UINT32_MAX. */
static uint32_t
rank_from(const struct side *d, uint32_t i)
{
	i += (uint32_t)d->key[i] == d->opposite;
	return (uint32_t)(d->key[i] >> 32);
}

/* The best rank of e, or its own when no other is better. */
static uint32_t
best_rank(const struct search *w, struct moore_rng *rng, uint32_t e)
{
	struct side out, in;
	struct place best;
	uint32_t low[2], high[2];

	start_side(&out, w, e, true);
	start_side(&in, w, e, false);
	best = (struct place){ out.own, in.own, 0 };
	look_down(&out, &in, &best);
	look_up(&out, &in, &best);
	low[0] = rank_below(&out, best.i);
	low[1] = rank_below(&in, best.k);
	high[0] = rank_from(&out, best.i);
	high[1] = rank_from(&in, best.k);
	return rank_between(w, rng, low[low[1] > low[0]], high[high[1] < high[0]]);
}

/* Replaces one of n sorted keys. */
static void
change_key(uint64_t *key, uint32_t n, uint64_t was, uint64_t now)
{
	uint32_t i = 0;

	while (key[i] != was)
		i++;
	for (; i > 0 && key[i - 1] > now; i--)
		key[i] = key[i - 1];
	for (; i + 1 < n && key[i + 1] < now; i++)
		key[i] = key[i + 1];
	key[i] = now;
}

static void
set_rank(struct search *w, uint32_t e, uint32_t rank)
{
	const struct planned *g = &w->g;
	uint32_t back = g->rev[e], v = g->to[e], u = g->to[back], was = w->rank[e];
	uint64_t *out = w->out + g->xadj[v] + v, *in = w->in + g->xadj[u] + u;
	const uint8_t *from_u = w->legs_from + (size_t)u * g->n;
	const uint8_t *to_v = w->legs_to + (size_t)v * g->n;

	for (; *out != NO_EDGE; out++) {
		uint32_t o = (uint32_t)*out, other = (uint32_t)(*out >> 32);

		if (o != back && (was < other) != (rank < other))
			set_turn(w, u, g->to[o], from_u[g->to[o]], rank < other ? 1 : -1);
	}
	for (; *in != NO_EDGE; in++) {
		uint32_t o = (uint32_t)*in, other = (uint32_t)(*in >> 32);

		if (o != e && (other < was) != (other < rank))
			set_turn(w, g->to[o], v, to_v[g->to[o]], other < rank ? 1 : -1);
	}
	change_key(w->out + g->xadj[u] + u, g->xadj[u + 1] - g->xadj[u], key_of(was, e),
		   key_of(rank, e));
	change_key(w->in + g->xadj[v] + v, g->xadj[v + 1] - g->xadj[v], key_of(was, back),
		   key_of(rank, back));
	w->rank[e] = rank;
}

static void
sort_edges(struct search *w)
{
	const struct planned *g = &w->g;

	for (uint32_t v = 0; v < g->n; v++) {
		uint64_t *out = w->out + g->xadj[v] + v, *in = w->in + g->xadj[v] + v;
		uint32_t n = 0;

		out[0] = in[0] = NO_EDGE;
		for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++) {
			n++;
			out[n] = in[n] = NO_EDGE;
			change_key(out, n, NO_EDGE, key_of(w->rank[e], e));
			change_key(in, n, NO_EDGE, key_of(w->rank[g->rev[e]], e));
		}
	}
}

/* Edges of the tree have the ranks that they will have; all others random ones. */
static void
draw_ranks(struct search *w, struct moore_rng *rng)
{
	for (uint32_t e = 0; e < w->g.n_edges; e++) {
		if (!w->fixed[e])
			w->rank[e] = rank_between(w, rng, 0, UINT32_MAX);
		w->sequence[e] = e;
	}
}

/* Allocates and fills what sweeps need beside the ranks. */
static bool
prepare(struct search *w, struct moore_arena *tmp)
{
	const struct planned *g = &w->g;
	size_t n = (size_t)g->n + 1, n2 = n * n;
	int64_t left = (int64_t)1 << 40;	/* the worth of all further links */

	w->out = moore_arena_alloc(tmp, n + g->n_edges, sizeof(*w->out));
	w->in = moore_arena_alloc(tmp, n + g->n_edges, sizeof(*w->in));
	w->count = moore_arena_alloc(tmp, n2, 1);
	w->legs_to = moore_arena_alloc(tmp, n2, 1);
	w->legs_from = moore_arena_alloc(tmp, n2, 1);
	if (!w->out || !w->in || !w->count || !w->legs_to || !w->legs_from)
		return false;
	sort_edges(w);
	mark_far(w);
	for (uint32_t u = 0; u < g->n; u++) {
		const uint8_t *legs = w->legs_from + (size_t)u * g->n;

		for (uint32_t e = g->xadj[u]; e < g->xadj[u + 1]; e++)
			for (uint32_t v = g->to[e], k = g->xadj[v]; k < g->xadj[v + 1]; k++)
				if (w->rank[e] < w->rank[k])
					set_turn(w, u, g->to[k], legs[g->to[k]], 1);
	}
	for (uint32_t i = 0; i <= MAX_COUNT; i++, left = left * MOORE_RANK_WORTH / 100)
		w->worth[i + 1] = left - left * MOORE_RANK_WORTH / 100;
	return true;
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
			if (!moore_rgraph_is_planned(g, e))
				continue;
			number[e] = n;
			w->g.edge[n] = e;
			w->g.to[n] = g->to[e];
			w->fixed[n] = moore_rspanning_has(g, t->parent, e);
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
	size_t n = (size_t)g->n + 1, m = (size_t)g->n_edges + 1;
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
	return w->g.xadj && w->g.to && w->g.rev && w->g.edge && w->rank && w->sequence &&
		w->fixed ? w : NULL;
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

/* Draws ranks, and makes all sweeps or none. */
static bool
search(struct search *w, uint64_t seed, struct moore_arena *tmp)
{
	struct moore_rng rng = { seed };

	draw_ranks(w, &rng);
	if (work_of_sweep(&w->g) * MOORE_RANK_SWEEPS > MOORE_RANK_WORK)
		return true;
	if (!prepare(w, tmp))
		return false;
	for (unsigned i = 0; i < MOORE_RANK_SWEEPS; i++)
		sweep(w, &rng);
	return true;
}

int
moore_rranks_search(const struct moore_rgraph *g, const struct moore_rturns *t, uint32_t *colour,
		    uint64_t seed, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct search *w = alloc_search(&tmp, g);
	bool ok = w;

	if (ok) {
		copy_planned(w, g, t, w->sequence);
		ok = search(w, seed, &tmp);
	}
	for (uint32_t e = 0; ok && e < w->g.n_edges; e++)
		colour[w->g.edge[e]] = colour_of(w, e);
	moore_arena_free(&tmp);
	return ok ? 0 : moore_fail_nomem(err);
}

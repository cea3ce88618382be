// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* anneal.c - assigns things to spots by simulated annealing on exchanges.
 *
 * This is a quadratic assignment problem: things with weighted links are put on spots so
 * that the sum of weight times distance becomes small.  One move exchanges the contents of
 * two spots, one of which may be empty; it costs as many steps as the two things have
 * links.  The temperatures are Connolly's ("An improved annealing scheme for the QAP", Eur.
 * J. Oper. Res. 46, 1990): the first and the last one come from a sample of moves, and in
 * between T becomes T / (1 + beta T).  Fujiwara 2014 used Taillard's program of this
 * scheme.  Two things differ from it: pairs of spots are drawn at random, and a descent
 * follows at the end.
 * Elsewhere: what things and spots are (place.c), the lower bound (bound.c). */
#include <stdlib.h>
#include <string.h>

#include "place_impl.h"

#define SAMPLE 1000
#define REPORT_EVERY 4096

int64_t
moore_layout_length(const struct moore_layout *l)
{
	const struct moore_links_of *k = l->links;
	int64_t sum = 0;

	for (uint32_t i = 0; i < k->n; i++)
		for (uint32_t e = k->start[i]; e < k->start[i + 1]; e++)
			if (k->peer[e] > i)
				sum += k->weight[e] * moore_layout_run(l, l->at[i], l->at[k->peer[e]]);
	return sum;
}

/* The gain from moving the thing on spot `from` to spot `to` while all others stay.  Its
 * link to the thing on `to`, if any, is not counted, since an exchange does not change its
 * length. */
static int64_t
delta_one(const struct moore_layout *l, uint32_t from, uint32_t to)
{
	const struct moore_links_of *k = l->links;
	const uint32_t i = l->thing[from];
	int64_t sum = 0;

	if (i == MOORE_NONE)
		return 0;
	for (uint32_t e = k->start[i]; e < k->start[i + 1]; e++) {
		const uint32_t s = l->at[k->peer[e]];

		if (s != to)
			sum += k->weight[e] * (moore_layout_run(l, to, s) - moore_layout_run(l, from, s));
	}
	return sum;
}

int64_t
moore_layout_delta(const struct moore_layout *l, uint32_t a, uint32_t b)
{
	return delta_one(l, a, b) + delta_one(l, b, a);
}

void
moore_layout_swap(struct moore_layout *l, uint32_t a, uint32_t b)
{
	const uint32_t i = l->thing[a], j = l->thing[b];

	l->thing[a] = j;
	l->thing[b] = i;
	if (i != MOORE_NONE)
		l->at[i] = b;
	if (j != MOORE_NONE)
		l->at[j] = a;
}

/* Draws the spot of a thing, and another spot at a different site. */
static bool
draw(const struct moore_layout *l, struct moore_rng *r, uint32_t *a, uint32_t *b)
{
	*a = l->at[moore_rng_below(r, l->links->n)];
	*b = moore_rng_below(r, l->n_spots);
	return l->spot[*a].site != l->spot[*b].site;
}

/* Approximates e^-x for x >= 0 by (1 - x/1024)^1024, to within 1 % where e^-x is above
 * 0.01. */
static double
exp_minus(double x)
{
	double y = 1 - x / 1024;

	if (y <= 0)
		return 0;
	for (int i = 0; i < 10; i++)
		y *= y;
	return y;
}

static double
unit(struct moore_rng *r)
{
	return (double)(moore_rng_next(r) >> 11) / 9007199254740992.0;
}

struct heat {
	double now, beta;
};

/* Chooses Connolly's temperatures: from least + (greatest - least) / 10 down to the least
 * gain in the sample. */
static struct heat
choose_heat(const struct moore_layout *l, struct moore_rng *r, uint64_t iterations, double share)
{
	int64_t least = INT64_MAX, most = 0;
	double first, last;
	uint32_t a, b;

	for (int i = 0; i < SAMPLE; i++) {
		int64_t d;

		if (!draw(l, r, &a, &b) || !(d = moore_layout_delta(l, a, b)))
			continue;
		d = d < 0 ? -d : d;
		least = d < least ? d : least;
		most = d > most ? d : most;
	}
	if (!most)
		return (struct heat){ 1, 0 };
	last = (double)least;
	first = (last + (double)(most - least) / 10) * share;
	first = first < last ? last : first;
	return (struct heat){ first, (first - last) / ((double)iterations * first * last) };
}

static int64_t
cool(struct moore_layout *l, uint64_t iterations, double share, struct moore_rng *r,
     const struct moore_progress *p)
{
	struct heat h = choose_heat(l, r, iterations, share);
	int64_t gained = 0;
	uint32_t a, b;

	for (uint64_t i = 0; i < iterations; i++) {
		if (p->call && i % REPORT_EVERY == 0)
			p->call(p->arg, p->share + p->part * (double)i / (double)iterations);
		h.now /= 1 + h.beta * h.now;
		if (draw(l, r, &a, &b)) {
			int64_t d = moore_layout_delta(l, a, b);

			if (d <= 0 || unit(r) < exp_minus((double)d / h.now)) {
				moore_layout_swap(l, a, b);
				gained += d;
			}
		}
	}
	return gained;
}

/* Makes exchanges that gain until none is left, but at most `tries` of them. */
static int64_t
descend(struct moore_layout *l, uint64_t tries)
{
	int64_t gained = 0, d;
	bool better = true;

	while (better) {
		better = false;
		for (uint32_t i = 0; i < l->links->n; i++)
			for (uint32_t b = 0; b < l->n_spots; b++) {
				const uint32_t a = l->at[i];

				if (!tries--)
					return gained;
				if (l->spot[a].site == l->spot[b].site ||
				    (l->thing[b] != MOORE_NONE && l->thing[b] < i) ||
				    (d = moore_layout_delta(l, a, b)) >= 0)
					continue;
				moore_layout_swap(l, a, b);
				gained += d;
				better = true;
			}
	}
	return gained;
}

int
moore_layout_anneal(struct moore_layout *l, uint64_t iterations, double heat, struct moore_rng *r,
		    const struct moore_progress *progress, struct moore_err *err)
{
	const size_t n = l->links->n * sizeof(*l->at), n_spots = l->n_spots * sizeof(*l->thing);
	uint32_t *at, *thing;

	if (!iterations || l->links->n < 2)
		return 0;
	at = malloc(n);
	thing = malloc(n_spots);
	if (!at || !thing) {
		free(at);
		free(thing);
		return moore_fail_nomem(err);
	}
	memcpy(at, l->at, n);
	memcpy(thing, l->thing, n_spots);
	if (cool(l, iterations, heat, r, progress) + descend(l, iterations) > 0) {
		memcpy(l->at, at, n);
		memcpy(l->thing, thing, n_spots);
	}
	free(at);
	free(thing);
	return 0;
}

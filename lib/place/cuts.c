// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cuts.c - a lower bound on the cable of every arrangement, from the links that cross lines
 * on the floor.
 *
 * A Manhattan route crosses each line between two columns or rows that separates its ends.
 * So the total length is the overheads plus, for every such line, its pitch times the
 * number of links that cross it.  If x of n things lie on one side of a line, at least mu x
 * (n - x) / n links cross it, where mu is the second smallest eigenvalue of the Laplacian
 * (Fiedler, Czech. Math. J. 23, 1973; Mohar, J. Combin. Theory B 47, 1989).  The same
 * inequality bounds how many links stay inside cabinets.  Expanders, such as fabrics of
 * diameter two, have a large mu, so this bound is close; for tori mu is small, and bound.c
 * is better.
 *
 * Invariant: mu is estimated by power iteration and then proven.  The pivots of the factors
 * L D L' show that L - mu I + c J is positive definite, with a margin for rounding errors. */
#include <string.h>

#include "base/arena.h"
#include "place_impl.h"

#define THINGS_MAX 5000		/* the proof takes n^3 / 6 steps and 4 n^2 bytes */
#define ITERATIONS 1000
#define REPORT_EVERY 64
#define MARGIN 1e-9		/* share of the greatest degree; rounding errors are 1000 times
				 * smaller */

struct laplacian {
	const struct moore_links_of *k;
	double *degree;
	double most;		/* the greatest degree */
	double *x, *y;
	double *row;		/* the factors; row i is row[i (i + 1) / 2 ..] */
	double *pivot;
	struct moore_progress progress;	/* the progress of the proof in hand */
};

/* ---- the estimate ------------------------------------------------------------- */

/* Computes y = L x; returns the quotient x'Lx / x'x. */
static double
multiply(struct laplacian *m)
{
	const struct moore_links_of *k = m->k;
	double xx = 0, xy = 0;

	for (uint32_t i = 0; i < k->n; i++) {
		double sum = m->degree[i] * m->x[i];

		for (uint32_t e = k->start[i]; e < k->start[i + 1]; e++)
			sum -= k->weight[e] * m->x[k->peer[e]];
		m->y[i] = sum;
		xx += m->x[i] * m->x[i];
		xy += m->x[i] * sum;
	}
	return xx > 0 ? xy / xx : 0;
}

/* Subtracts the mean of x and scales its greatest element to 1. */
static void
normalise(double *x, uint32_t n)
{
	double mean = 0, most = 0;

	for (uint32_t i = 0; i < n; i++)
		mean += x[i] / n;
	for (uint32_t i = 0; i < n; i++) {
		x[i] -= mean;
		most = x[i] > most ? x[i] : -x[i] > most ? -x[i] : most;
	}
	for (uint32_t i = 0; i < n && most > 0; i++)
		x[i] /= most;
}

/* Estimates mu from above: the quotient of any x is at least mu. */
static double
estimate(struct laplacian *m)
{
	struct moore_rng r = { 1 };	/* any seed would do, but it must be the same each time */
	double mu = 0;

	for (uint32_t i = 0; i < m->k->n; i++)
		m->x[i] = moore_rng_below(&r, 1000000);
	normalise(m->x, m->k->n);
	for (int t = 0; t < ITERATIONS; t++) {
		mu = multiply(m);
		for (uint32_t i = 0; i < m->k->n; i++)
			m->x[i] = 2 * m->most * m->x[i] - m->y[i];
		normalise(m->x, m->k->n);
	}
	return mu;
}

/* ---- the proof ------------------------------------------------------------------ */

static double
dot(const double *a, const double *b, uint32_t n)
{
	double s[4] = { 0 };
	uint32_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (uint32_t k = 0; k < 4; k++)
			s[k] += a[i + k] * b[i + k];
	for (; i < n; i++)
		s[0] += a[i] * b[i];
	return s[0] + s[1] + (s[2] + s[3]);
}

static double *
row_of(const struct laplacian *m, uint32_t i)
{
	return m->row + (size_t)i * (i + 1) / 2;
}

/* True if it is proven that all eigenvalues of the Laplacian but that of the constant
 * vector are at least mu. */
static bool
proven(struct laplacian *m, double mu)
{
	const struct moore_links_of *k = m->k;
	const double c = (mu + m->most) / k->n;

	for (uint32_t i = 0; i < k->n; i++) {
		const double done = (double)i / k->n;
		double *a = row_of(m, i), left;

		if (m->progress.call && i % REPORT_EVERY == 0)
			m->progress.call(m->progress.arg, m->progress.share +
					 m->progress.part * done * done * done);
		for (uint32_t j = 0; j <= i; j++)
			a[j] = c;
		for (uint32_t e = k->start[i]; e < k->start[i + 1]; e++)
			if (k->peer[e] < i)
				a[k->peer[e]] -= k->weight[e];
		left = a[i] + m->degree[i] - mu;
		for (uint32_t j = 0; j < i; j++)
			a[j] -= dot(a, row_of(m, j), j);
		for (uint32_t j = 0; j < i; j++) {
			const double scaled = a[j] / m->pivot[j];

			left -= a[j] * scaled;
			a[j] = scaled;
		}
		if (!(left > MARGIN * m->most))
			return false;
		m->pivot[i] = left;
	}
	return true;
}

/* The greatest lower bound of mu that could be proven; 0 when nothing could be proven, or
 * the proof would take too long. */
static double
connectivity(struct laplacian *m)
{
	const double mu = estimate(m);

	if (mu <= 1e-6 * m->most)
		return 0;
	for (double off = 1e-4; off < 0.5; off *= 4) {
		m->progress.part /= 2;	/* keep the rest for the next attempt */
		if (proven(m, mu * (1 - off)))
			return mu * (1 - off) - MARGIN * m->most;
		m->progress.share += m->progress.part;
	}
	return 0;
}

/* ---- the bound -------------------------------------------------------------------- */

/* A lower bound on the links between x of the things and the others. */
static int64_t
across(double mu, uint32_t n, uint32_t x)
{
	const double v = mu * x * (n - x) / n - 1e-6;
	const int64_t whole = v > 0 ? (int64_t)v : 0;

	return whole + (v > (double)whole);
}

/* A lower bound on the sum, over all lines between the `steps` columns (or rows) with room
 * for `room` things each, of the links across the line.  Free slots are taken where that is
 * best for all lines together: least[f] is the smallest sum over the lines so far with f
 * free slots before the last of them. */
static int64_t
across_lines(double mu, uint32_t n, uint32_t steps, uint32_t room, int64_t *least, int64_t *next)
{
	const uint32_t free_slots = steps * room - n;
	int64_t best = INT64_MAX;

	for (uint32_t f = 0; f <= free_slots; f++)
		least[f] = f ? INT64_MAX : 0;
	for (uint32_t line = 1; line < steps; line++) {
		for (uint32_t f = 0; f <= free_slots; f++) {
			const uint32_t before = line * room;
			int64_t sum = INT64_MAX;

			for (uint32_t d = 0; d <= room && d <= f; d++)
				sum = least[f - d] < sum ? least[f - d] : sum;
			if (sum < INT64_MAX)
				sum = f <= before && before - f <= n ?
					sum + across(mu, n, before - f) : INT64_MAX;
			next[f] = sum;
		}
		memcpy(least, next, (free_slots + 1u) * sizeof(*least));
	}
	for (uint32_t f = 0; f <= free_slots; f++)
		if (free_slots - f <= room && least[f] < best)
			best = least[f];
	return best;
}

/* An upper bound on the links inside cabinets: a thing shares its cabinet with size - 1
 * others, and small sets of things have few links inside. */
static int64_t
most_inside(const struct laplacian *m, double mu, uint32_t size, int64_t links)
{
	const struct moore_links_of *k = m->k;
	const double leave = k->n > size ? mu * (k->n - size) / 2 - 1e-6 : 0;
	int64_t by_cut = links - (leave > 0 ? (int64_t)leave : 0), by_room = 0;

	for (uint32_t i = 0; i < k->n; i++) {
		uint32_t heaviest = 0;
		double most;

		for (uint32_t e = k->start[i]; e < k->start[i + 1]; e++)
			heaviest = k->weight[e] > heaviest ? k->weight[e] : heaviest;
		most = (double)heaviest * (size - 1);
		by_room += (int64_t)(most < m->degree[i] ? most : m->degree[i]);
	}
	return by_room / 2 < by_cut ? by_room / 2 : by_cut;
}

static int64_t
sum_up(const struct laplacian *m, const struct moore_layout *l, const struct moore_grid *g, double mu,
       int64_t *scratch)
{
	const uint32_t n = m->k->n, free_slots = l->n_spots - n;
	int64_t *next = scratch + free_slots + 1, links = 0, sum;

	for (uint32_t e = 0; e < m->k->start[n]; e++)
		links += m->k->weight[e];
	links /= 2;
	sum = links * l->overhead;
	if (l->overhead > l->inside)
		sum -= (l->overhead - l->inside) * most_inside(m, mu, g->size, links);
	sum += g->column_pitch * across_lines(mu, n, g->columns, g->rows * g->size, scratch, next);
	sum += g->row_pitch * across_lines(mu, n, g->rows, g->columns * g->size, scratch, next);
	return sum;
}

int64_t
moore_layout_cut_bound(const struct moore_layout *l, const struct moore_grid *g,
		       const struct moore_progress *progress, struct moore_err *err)
{
	const uint32_t n = l->links->n;
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct laplacian m = { .k = l->links, .progress = *progress };
	int64_t sum, *scratch;

	if (n > THINGS_MAX || l->inside > l->overhead)
		return 0;
	m.degree = moore_arena_alloc(&tmp, n + 1u, sizeof(double));
	m.x = moore_arena_alloc(&tmp, n + 1u, sizeof(double));
	m.y = moore_arena_alloc(&tmp, n + 1u, sizeof(double));
	m.pivot = moore_arena_alloc(&tmp, n + 1u, sizeof(double));
	m.row = moore_arena_alloc(&tmp, ((size_t)n * (n + 1) + 2) / 2, sizeof(double));
	scratch = moore_arena_alloc(&tmp, 2 * ((size_t)l->n_spots - n + 1), sizeof(*scratch));
	if (!m.degree || !m.x || !m.y || !m.pivot || !m.row || !scratch) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t e = m.k->start[i]; e < m.k->start[i + 1]; e++)
			m.degree[i] += m.k->weight[e];
		m.most = m.degree[i] > m.most ? m.degree[i] : m.most;
	}
	sum = sum_up(&m, l, g, connectivity(&m), scratch);
	moore_arena_free(&tmp);
	return sum;
}

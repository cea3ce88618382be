// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lps.c - SpectralFly: the Ramanujan graphs of Lubotzky, Phillips and Sarnak.
 *
 * Switches are the 2x2 matrices over GF(q) with a determinant other than 0, where multiples of
 * one matrix are the same switch: the group PGL(2, q).  Each solution of a0^2 + a1^2 + a2^2 +
 * a3^2 = p, one of each pair with opposite signs, gives a generator, and there are p + 1.  A
 * switch is linked to its products with the generators.  If p is a square modulo q, no product
 * of generators leaves the matrices whose determinant is a square, PSL(2, q), and these alone
 * are the switches; else the graph is bipartite.
 *
 * A switch is the multiple whose first row begins with 1, (1 b; c d), or is (0 1).
 *
 * Sources: Lubotzky, Phillips and Sarnak, Combinatorica 8 (1988); Davidoff, Sarnak and Valette,
 * "Elementary number theory, group theory, and Ramanujan graphs"; Young et al. 2022, section
 * III, for p = 3 modulo 4 too. */
#include <stdlib.h>

#include "topo_build.h"

enum { P, Q, C };

#define MAX_Q 113		/* the greatest prime with at most MOORE_TOPO_SIZE_MAX switches in PSL */
#define MAX_P 251

struct matrix {
	uint32_t a, b, c, d;
};

static bool
is_odd_prime(int64_t n)
{
	for (int64_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return n > 2;
}

/* True if x is a square modulo the prime q, 0 excluded. */
static bool
is_square(uint32_t x, uint32_t q)
{
	for (uint32_t i = 1; i <= q / 2; i++)
		if (i * i % q == x % q)
			return true;
	return false;
}

static bool
are_odd_primes(int64_t p, int64_t q)
{
	return is_odd_prime(p) && is_odd_prime(q) && p != q;
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t p = (uint64_t)param[P], q = (uint64_t)param[Q];
	uint64_t n = 0;

	if (are_odd_primes(param[P], param[Q]))
		n = q * (q * q - 1) / (is_square((uint32_t)p, (uint32_t)q) ? 2 : 1);
	*out = moore_topo_regular(n, p + 1, (uint64_t)param[C]);
}

/* ---- the group -------------------------------------------------------------------- */

static void
fill_inverses(uint32_t *inv, uint32_t q)
{
	for (uint32_t x = 1; x < q; x++)
		for (uint32_t y = 1; y < q; y++)
			if (x * y % q == 1)
				inv[x] = y;
	inv[0] = 0;
}

/* The multiple of m that stands for it; inv[] are the inverses modulo q. */
static struct matrix
normal(struct matrix m, const uint32_t *inv, uint32_t q)
{
	const uint32_t by = inv[m.a ? m.a : m.b];

	return (struct matrix){ m.a * by % q, m.b * by % q, m.c * by % q, m.d * by % q };
}

/* The number of a normal matrix in PGL(2, q): (1 b; c d) with d other than bc, then (0 1; c d)
 * with c other than 0. */
static uint32_t
number_of(struct matrix m, uint32_t q)
{
	const uint32_t hole = m.b * m.c % q;

	if (!m.a)
		return q * q * (q - 1) + (m.c - 1) * q + m.d;
	return (m.b * q + m.c) * (q - 1) + m.d - (m.d > hole);
}

static struct matrix
matrix_of(uint32_t i, uint32_t q)
{
	const uint32_t first = q * q * (q - 1), bc = i / (q - 1), d = i % (q - 1);
	struct matrix m = { 1, bc / q, bc % q, d };

	if (i >= first)
		return (struct matrix){ 0, 1, (i - first) / q + 1, (i - first) % q };
	m.d += d >= m.b * m.c % q;
	return m;
}

static struct matrix
product(struct matrix x, struct matrix y, uint32_t q)
{
	return (struct matrix){
		(x.a * y.a + x.b * y.c) % q, (x.a * y.b + x.b * y.d) % q,
		(x.c * y.a + x.d * y.c) % q, (x.c * y.b + x.d * y.d) % q,
	};
}

static uint32_t
determinant(struct matrix m, uint32_t q)
{
	return (m.a * m.d + (q - m.b) * m.c) % q;
}

/* ---- the generators ----------------------------------------------------------------- */

static uint32_t
modulo(int64_t x, uint32_t q)
{
	const int64_t r = x % q;

	return (uint32_t)(r < 0 ? r + q : r);
}

/* True for one of a solution and its negative, if a[0] has the parity that generators have. */
static bool
is_chosen(const int64_t *a, int64_t p)
{
	if (p % 4 == 1)
		return a[0] > 0 && a[0] % 2;
	return a[0] % 2 == 0 && (a[0] > 0 || (a[0] == 0 && a[1] > 0));
}

/* Returns the matrix of a solution, where x^2 + y^2 = -1. */
static struct matrix
generator(const int64_t *a, int64_t x, int64_t y, uint32_t q)
{
	return (struct matrix){
		modulo(a[0] + a[1] * x + a[3] * y, q), modulo(-a[1] * y + a[2] + a[3] * x, q),
		modulo(-a[1] * y - a[2] + a[3] * x, q), modulo(a[0] - a[1] * x - a[3] * y, q),
	};
}

/* Fills s[] with the p + 1 generators. */
static void
fill_generators(struct matrix *s, int64_t p, uint32_t q)
{
	int64_t a[4], x = 0, y = 0, r = 0;
	uint32_t n = 0;

	while (modulo(x * x + y * y + 1, q))
		if (++y == q) {
			x++;
			y = 0;
		}
	while (r * r < p)
		r++;
	for (a[0] = 0; a[0] <= r; a[0]++)
		for (a[1] = -r; a[1] <= r; a[1]++)
			for (a[2] = -r; a[2] <= r; a[2]++)
				for (a[3] = -r; a[3] <= r; a[3]++)
					if (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3] == p &&
					    is_chosen(a, p) && n <= p)
						s[n++] = generator(a, x, y, q);
}

/* Whether no two of the generators are the same switch, and none is the unit matrix.  With q greater
 * than twice the root of p this is so: two solutions that agree modulo q differ by less than q. */
static bool
are_distinct(int64_t p, uint32_t q)
{
	struct matrix s[MAX_P + 1] = { { 0, 0, 0, 0 } };
	uint32_t inv[MAX_Q], at[MAX_P + 2];

	if ((int64_t)q * q > 4 * p)
		return true;
	fill_inverses(inv, q);
	fill_generators(s, p, q);
	at[p + 1] = number_of((struct matrix){ 1, 0, 0, 1 }, q);
	for (int64_t i = 0; i <= p; i++)
		at[i] = number_of(normal(s[i], inv, q), q);
	for (int64_t i = 0; i <= p + 1; i++)
		for (int64_t k = 0; k < i; k++)
			if (at[i] == at[k])
				return false;
	return true;
}

static int
resolve(int64_t *param, struct moore_err *err)
{
	const int64_t p = param[P], q = param[Q];
	struct moore_topo_counts c;

	if (!are_odd_primes(p, q) || !are_distinct(p, (uint32_t)q))
		return moore_fail(err, MOORE_EINVAL, 0, "p=%lld q=%lld: give two different odd primes, "
				  "with q greater than twice the root of p, or little less",
				  (long long)p, (long long)q);
	if (param[C] == MOORE_TOPO_DERIVED)
		param[C] = (p + 1) / 2;
	counts(param, &c);
	return moore_topo_need_size(c.switches, err);
}

/* ---- the graph ----------------------------------------------------------------------- */

/* Numbers the matrices that are switches; returns how many there are. */
static uint32_t
choose_switches(uint32_t *number, uint32_t n_group, uint32_t q, bool squares_only)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < n_group; i++)
		number[i] = !squares_only || is_square(determinant(matrix_of(i, q), q), q) ? n++ :
			MOORE_NONE;
	return n;
}

static void
fill(struct moore_topo_draft *d, const int64_t *param, const uint32_t *number, uint32_t n_group,
     const uint32_t *inv)
{
	const uint32_t q = (uint32_t)param[Q], n_gen = (uint32_t)param[P] + 1;
	struct matrix s[MAX_P + 1];

	fill_generators(s, param[P], q);
	for (uint32_t i = 0; i < n_group; i++) {
		const struct matrix m = matrix_of(i, q);

		if (number[i] == MOORE_NONE)
			continue;
		moore_topo_draft_switch(d, number[i], (uint16_t)param[C], "l%u-%u-%u-%u", m.a, m.b,
					m.c, m.d);
		for (uint32_t k = 0; k < n_gen; k++) {
			const uint32_t to = number_of(normal(product(m, s[k], q), inv, q), q);

			if (i < to)
				moore_topo_draft_join(d, number[i], number[to]);
		}
	}
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t q = (uint32_t)param[Q], n_group = q * (q * q - 1);
	uint32_t *number = calloc(n_group, sizeof(*number)), inv[MAX_Q];
	struct moore_topo_draft d;
	int rc;

	if (!number)
		return moore_fail_nomem(err);
	fill_inverses(inv, q);
	if ((rc = moore_topo_draft_init(&d, t, err)) == 0) {
		choose_switches(number, n_group, q, is_square((uint32_t)param[P], q));
		fill(&d, param, number, n_group, inv);
		rc = moore_topo_draft_finish(&d, err);
	}
	free(number);
	return rc;
}

const struct moore_topo_family moore_topo_lps = {
	.name = "lps",
	.title = "SpectralFly (Lubotzky-Phillips-Sarnak graph)",
	.source = "Young et al. 2022, section III; Lubotzky, Phillips and Sarnak 1988",
	.param = {
		[P] = { .key = "p", .min = 3, .max = MAX_P, .required = true,
			.help = "links of a switch less one, an odd prime" },
		[Q] = { .key = "q", .min = 5, .max = MAX_Q, .required = true,
			.help = "order of the field, another odd prime, about twice the root of p or more" },
		[C] = MOORE_TOPO_HALF_ITS_LINKS("c"),
	},
	.irregular = true,
	.transitive = true,
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

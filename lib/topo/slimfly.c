// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* slimfly.c - Slim Fly: the graphs of McKay, Miller and Siran, for every prime power q = 4w
 * + delta.
 *
 * There are two subgraphs of q columns with q switches each, (0, x, y) and (1, m, c):
 * 	(0, x, y) - (0, x, y')	when y - y' is in X
 * 	(1, m, c) - (1, m, c')	when c - c' is in X'
 * 	(0, x, y) - (1, m, c)	when y = m*x + c
 * X' is always xi*X, and X = -X makes the links undirected.  For delta 1 and 0, X consists
 * of the even powers of the primitive element xi.  For delta -1 these are not symmetric, so
 * X consists of the first w of them and their negatives (-1 is xi^(2w-1)).
 *
 * The diameter is two: switches in different columns of one subgraph share a switch of the
 * other; in one column, X and the sums of two of its members cover the field; between the
 * subgraphs, X and X' together contain every element but 0.
 *
 * Sources: McKay, Miller and Siran, J. Comb. Theory B 74 (1998); Hafner, "Geometric
 * realisation of the graphs of McKay-Miller-Siran", J. Comb. Theory B 90 (2004);
 * Besta and Hoefler, SC'14; Kathareios et al., SC'15, section 2.1.2. */
#include "moore/math.h"
#include "topo_build.h"

extern const struct moore_topo_family moore_topo_slimfly;	/* the row at the end */

enum { Q, P };

#define MAX_Q 128

static int64_t
degree_of(int64_t q)
{
	const int64_t delta = q % 4 == 3 ? -1 : q % 4;

	return (3 * q - delta) / 2;
}

static int
resolve(int64_t *param, struct moore_err *err)
{
	const int64_t degree = degree_of(param[Q]);

	if (param[P] == MOORE_TOPO_FLOOR)
		param[P] = degree / 2;
	if (param[P] == MOORE_TOPO_CEIL)
		param[P] = (degree + 1) / 2;
	return moore_topo_need_prime_power(&moore_topo_slimfly.param[Q], param[Q], 0, err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t q = (uint64_t)param[Q];

	*out = moore_topo_regular(2 * q * q, (uint64_t)degree_of(param[Q]), (uint64_t)param[P]);
}

/* The exponent of the i-th member of X: the even ones; for delta -1, those of the second
 * half are shifted by the exponent of -1. */
static uint32_t
exponent_at(uint32_t q, uint32_t i)
{
	const uint32_t w = (q + 1) / 4;

	return q % 4 == 3 && i >= w ? 2 * (i - w) + 2 * w - 1 : 2 * i;
}

/* Writes X to set[0] and X' to set[1]; returns their size. */
static uint32_t
fill_generators(const struct moore_gf *f, uint16_t *set[2])
{
	const uint32_t q = f->q, n = (uint32_t)degree_of(q) - q;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t power = 1;

		for (uint32_t e = exponent_at(q, i); e; e--)
			power = moore_gf_mul(f, power, f->generator);
		set[0][i] = (uint16_t)power;
		set[1][i] = (uint16_t)moore_gf_mul(f, power, f->generator);
	}
	return n;
}

static void
join_column(struct moore_topo_draft *d, const struct moore_gf *f, moore_swid first,
	    const uint16_t *set, uint32_t n)
{
	for (uint32_t y = 0; y < f->q; y++) {
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t to = moore_gf_add(f, y, set[i]);

			if (y < to)
				moore_topo_draft_join(d, first + y, first + to);
		}
	}
}

static void
join_subgraphs(struct moore_topo_draft *d, const struct moore_gf *f)
{
	const uint32_t q = f->q;

	for (uint32_t x = 0; x < q; x++) {
		for (uint32_t m = 0; m < q; m++) {
			const uint32_t mx = moore_gf_mul(f, m, x);

			for (uint32_t c = 0; c < q; c++)
				moore_topo_draft_join(d, x * q + moore_gf_add(f, mx, c),
						      (q + m) * q + c);
		}
	}
}

static void
fill(struct moore_topo_draft *d, const struct moore_gf *f, uint16_t *set[2], uint16_t endpoints)
{
	const uint32_t q = f->q, n = fill_generators(f, set);

	for (uint32_t column = 0; column < 2 * q; column++) {
		for (uint32_t y = 0; y < q; y++)
			moore_topo_draft_switch(d, column * q + y, endpoints, "s%u-%u-%u",
						column / q, column % q, y);
		join_column(d, f, column * q, set[column / q], n);
	}
	join_subgraphs(d, f);
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	uint16_t generators[2][MAX_Q], *set[2] = { generators[0], generators[1] };
	struct moore_topo_draft d;
	struct moore_gf *f;
	int rc;

	if ((rc = moore_gf_new(&f, (uint32_t)param[Q], err)) < 0)
		return rc;
	if ((rc = moore_topo_draft_init(&d, t, err)) == 0)
		fill(&d, f, set, (uint16_t)param[P]);
	moore_gf_free(f);
	return rc < 0 ? rc : moore_topo_draft_finish(&d, err);
}

const struct moore_topo_family moore_topo_slimfly = {
	.name = "slimfly",
	.title = "Slim Fly (McKay-Miller-Siran graph)",
	.source = "Besta and Hoefler, SC'14; Kathareios et al., SC'15, section 2.1.2",
	.param = {
		[Q] = { .key = "q", .min = 3, .max = MAX_Q, .required = true,
			.help = "switches in a column, a prime power" },
		[P] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX, .dflt = MOORE_TOPO_FLOOR,
			.symbolic = true,
			.help = "endpoints on each switch, floor or ceil of half its links (default: floor)" },
	},
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

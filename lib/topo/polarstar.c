// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* polarstar.c - PolarStar: the star product (star.h) of a PolarFly and a small graph of d links
 * for each switch, the largest known graphs of diameter three for most degrees.
 *
 * The inner graph has 2d + 2 switches where d is 0 or 3 modulo 4, and is the Paley graph of 2d + 1
 * where d is 2 modulo 4 and that is a prime power.  The first kind consists of d + 1 couples {v,
 * f(v)}.  Of two couples, one gives: one of its two switches is linked to both of the other
 * couple.  So each two switches are linked, or f takes the ends of a link to them.  Every switch
 * has d links if each couple gives an even number of times, and its two switches take turns.
 * There the points of the PolarFly that are orthogonal to themselves have links inside: from each
 * y to f(y).
 *
 * Source: Lakhotia et al., "PolarStar: expanding the scalability horizon of diameter-3 networks",
 * SPAA 2024.  Its Inductive-Quad graphs are of the first kind; ours are made otherwise and have
 * the same numbers and the same property R*. */
#include <stdlib.h>

#include "topo/star.h"

extern const struct moore_topo_family moore_topo_polarstar;	/* the row at the end */
extern const struct moore_topo_family moore_topo_polarfly;

enum { Q, D, P };

static bool
has_couples(int64_t d)
{
	return d % 4 == 0 || d % 4 == 3;
}

static uint64_t
inner_size(int64_t d)
{
	return 2 * (uint64_t)d + (has_couples(d) ? 2 : 1);
}

static int
resolve(int64_t *param, struct moore_err *err)
{
	const int64_t d = param[D];
	int rc;

	if (param[P] == MOORE_TOPO_DERIVED)
		param[P] = (param[Q] + 1 + d) / 2;
	if ((rc = moore_topo_need_prime_power(&moore_topo_polarstar.param[Q], param[Q], 0, err)) < 0)
		return rc;
	if (!has_couples(d) && (d % 4 != 2 || !moore_prime_power(2 * (uint32_t)d + 1, NULL, NULL)))
		return moore_fail(err, MOORE_EINVAL, 0, "d=%lld: give a number that is 0 or 3 modulo 4, or "
				  "one that is 2 modulo 4 where 2d+1 is a prime power", (long long)d);
	return moore_topo_need_size((uint64_t)(param[Q] * param[Q] + param[Q] + 1) * inner_size(d), err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t q = (uint64_t)param[Q], d = (uint64_t)param[D], p = (uint64_t)param[P];
	const uint64_t n = q * q + q + 1, m = inner_size(param[D]);

	*out = (struct moore_topo_counts){
		.switches = n * m,
		.links = q * (q + 1) * (q + 1) / 2 * m + n * m * d / 2 +
			 (has_couples(param[D]) ? (q + 1) * m / 2 : 0),
		.endpoints = n * m * p,
		.degree = (uint32_t)(q + 1 + d),
		.radix = (uint32_t)(q + 1 + d + p),
	};
}

static void
link_places(struct moore_star_inner *in, uint32_t y, uint32_t z)
{
	in->linked[(size_t)y * in->n + z] = in->linked[(size_t)z * in->n + y] = 1;
}

/* Links the couples i and k, of which i gives for the times-th time. */
static void
give(struct moore_star_inner *in, uint32_t i, uint32_t k, uint32_t times)
{
	link_places(in, 2 * i + times % 2, 2 * k);
	link_places(in, 2 * i + times % 2, 2 * k + 1);
}

/* Couple i is the places 2i and 2i + 1.  Of couples i < k, i gives; where a couple would then give
 * an odd number of times, its next couple gives to it instead, or the reverse. */
static int
make_couples(struct moore_star_inner *in, uint32_t d, struct moore_err *err)
{
	int rc = moore_star_inner_new(in, 2 * d + 2, d, err);
	bool swapped = false;	/* i - 1 does not give to i, but takes from it */

	for (uint32_t y = 0; rc == 0 && y < in->n; y++)
		in->image[y] = (uint16_t)(y ^ 1);
	for (uint32_t i = 0; rc == 0 && i <= d; i++) {
		const bool odd = (d - i + swapped) % 2;
		uint32_t times = 0;

		if (swapped)
			give(in, i, i - 1, times++);
		for (uint32_t k = i + 1 + odd; k <= d; k++)
			give(in, i, k, times++);
		swapped = odd;
	}
	return rc;
}

/* Adds the links inside the copies of points that are orthogonal to themselves, which have one
 * link less than others in the PolarFly; degree has room for all points, which are 0. */
static void
add_loops(struct moore_topo_draft *d, const struct moore_topo *outer, uint32_t n_inner, uint32_t q,
	  uint32_t *degree)
{
	for (uint32_t l = 0; l < outer->n_links; l++) {
		degree[outer->link[l].a]++;
		degree[outer->link[l].b]++;
	}
	for (uint32_t x = 0; x < outer->n_switches; x++)
		for (uint32_t y = 0; degree[x] == q && y < n_inner; y += 2)
			moore_topo_draft_join(d, x * n_inner + y, x * n_inner + y + 1);
}

static int
multiply(struct moore_topo *t, const struct moore_topo *outer, const struct moore_star_inner *in,
	 const int64_t *param, struct moore_err *err)
{
	uint32_t *degree = calloc((size_t)outer->n_switches + 1, sizeof(*degree));
	struct moore_topo_draft d;
	int rc = degree ? moore_topo_draft_init(&d, t, err) : moore_fail_nomem(err);

	if (rc == 0) {
		moore_star_fill(&d, outer, in, (uint16_t)param[P]);
		if (has_couples(param[D]))
			add_loops(&d, outer, in->n, (uint32_t)param[Q], degree);
		rc = moore_topo_draft_finish(&d, err);
	}
	free(degree);
	return rc;
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const int64_t outer_param[MOORE_TOPO_MAX_PARAMS] = { param[Q], 0 };
	const uint32_t inner = (uint32_t)param[D];
	struct moore_star_inner in = { 0 };
	struct moore_topo *outer = NULL;
	int rc;

	if ((rc = moore_topo_build(&outer, &moore_topo_polarfly, outer_param, err)) == 0 &&
	    (rc = has_couples(param[D]) ? make_couples(&in, inner, err) :
	     moore_star_paley(&in, 2 * inner + 1, err)) == 0)
		rc = multiply(t, outer, &in, param, err);
	moore_star_inner_free(&in);
	moore_topo_free(outer);
	return rc;
}

const struct moore_topo_family moore_topo_polarstar = {
	.name = "polarstar",
	.title = "PolarStar (star product of a PolarFly and a small graph)",
	.source = "Lakhotia et al., SPAA 2024",
	.param = {
		[Q] = { .key = "q", .min = 2, .max = 128, .required = true,
			.help = "order of the PolarFly, a prime power" },
		[D] = { .key = "d", .min = 2, .max = 127, .required = true,
			.help = "links of a switch inside its copy of the small graph" },
		[P] = MOORE_TOPO_HALF_ITS_LINKS("p"),
	},
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

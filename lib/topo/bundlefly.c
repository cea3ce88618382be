// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* bundlefly.c - BundleFly: the star product (star.h) of a Slim Fly and a Paley graph.  Its
 * diameter is three, and the cables between two copies can be bundled.
 * Sources: Lei, Dong, Liao and Duato, "Bundlefly: a low-diameter topology for multicore fiber",
 * ICS 2020; Young et al. 2022, section IV. */
#include "topo/star.h"

extern const struct moore_topo_family moore_topo_bundlefly;	/* the row at the end */
extern const struct moore_topo_family moore_topo_slimfly;

enum { P, S, C };

static int64_t
degree_of(const int64_t *param)
{
	const int64_t delta = param[S] % 4 == 3 ? -1 : param[S] % 4;

	return (param[P] - 1) / 2 + (3 * param[S] - delta) / 2;
}

static int
resolve(int64_t *param, struct moore_err *err)
{
	const uint64_t s = (uint64_t)param[S];
	int rc;

	if (param[C] == MOORE_TOPO_DERIVED)
		param[C] = degree_of(param) / 2;
	if (param[P] % 4 != 1 || !moore_prime_power((uint32_t)param[P], NULL, NULL))
		return moore_fail(err, MOORE_EINVAL, 0, "p=%lld: give a prime power that is 1 modulo 4, "
				  "such as 5, 9 or 13", (long long)param[P]);
	if ((rc = moore_topo_need_prime_power(&moore_topo_bundlefly.param[S], param[S], 0, err)) < 0)
		return rc;
	return moore_topo_need_size(2 * s * s * (uint64_t)param[P], err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t p = (uint64_t)param[P], s = (uint64_t)param[S];

	*out = moore_topo_regular(2 * p * s * s, (uint64_t)degree_of(param), (uint64_t)param[C]);
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const int64_t outer_param[MOORE_TOPO_MAX_PARAMS] = { param[S], 0 };
	struct moore_star_inner in = { 0 };
	struct moore_topo *outer = NULL;
	struct moore_topo_draft d;
	int rc;

	if ((rc = moore_topo_build(&outer, &moore_topo_slimfly, outer_param, err)) == 0 &&
	    (rc = moore_star_paley(&in, (uint32_t)param[P], err)) == 0 &&
	    (rc = moore_topo_draft_init(&d, t, err)) == 0) {
		moore_star_fill(&d, outer, &in, (uint16_t)param[C]);
		rc = moore_topo_draft_finish(&d, err);
	}
	moore_star_inner_free(&in);
	moore_topo_free(outer);
	return rc;
}

const struct moore_topo_family moore_topo_bundlefly = {
	.name = "bundlefly",
	.title = "BundleFly (star product of a Slim Fly and a Paley graph)",
	.source = "Lei et al., ICS 2020; Young et al. 2022, section IV",
	.param = {
		[P] = { .key = "p", .min = 5, .max = 337, .required = true,
			.help = "switches of a Paley graph, a prime power that is 1 modulo 4" },
		[S] = { .key = "s", .min = 3, .max = 128, .required = true,
			.help = "order of the Slim Fly, a prime power" },
		[C] = MOORE_TOPO_HALF_ITS_LINKS("c"),
	},
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

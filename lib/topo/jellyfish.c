// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* jellyfish.c - Jellyfish: a random graph in which each switch has k links, all joined.
 * Source: Singla, Hong, Popa and Godfrey, "Jellyfish: networking data centers randomly",
 * NSDI 2012. */
#include "topo/stubs.h"

enum { N, K, SEED, P };

static int
resolve(int64_t *param, struct moore_err *err)
{
	if (param[P] == MOORE_TOPO_DERIVED)
		param[P] = param[K] / 2;
	return moore_stubs_check(param[N], param[K], err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	*out = moore_topo_regular((uint64_t)param[N], (uint64_t)param[K], (uint64_t)param[P]);
}

static bool
draw(struct moore_stubs *x, uint32_t *stub, const int64_t *param, struct moore_rng *r)
{
	return moore_stubs_pair(x, stub, x->n * (uint32_t)param[K], r);
}

static void
name(struct moore_topo_draft *d, moore_swid s, const int64_t *param)
{
	moore_topo_draft_switch(d, s, (uint16_t)param[P], "j%u", s);
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t n = (uint32_t)param[N], k = (uint32_t)param[K];
	const struct moore_stubs_family f = { n, k, .each = k, .n_stubs = (size_t)n * k, draw, name,
		"no graph was found that joins all switches: try another seed or a greater k" };

	return moore_stubs_build(t, &f, param, param[SEED], err);
}

const struct moore_topo_family moore_topo_jellyfish = {
	.name = "jellyfish",
	.title = "Jellyfish (random regular graph)",
	.source = "Singla et al., NSDI 2012",
	.param = {
		[N] = { .key = "n", .min = 4, .max = MOORE_TOPO_SIZE_MAX, .required = true,
			.help = "switches" },
		[K] = { .key = "k", .min = 2, .max = MOORE_PORT_MAX, .required = true,
			.help = "links of a switch" },
		[SEED] = { .key = "seed", .min = 0, .max = INT64_MAX, .dflt = 1,
			   .help = "of the links (default: 1)" },
		[P] = MOORE_TOPO_HALF_ITS_LINKS("p"),
	},
	.random = true,
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

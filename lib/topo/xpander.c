// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* xpander.c - Xpander: a random lift of a full mesh.  Of d + 1 groups of k switches, each two are
 * joined by a random perfect matching.
 * Source: Valadarsky, Shahaf, Dinitz and Schapira, "Xpander: towards optimal-performance
 * datacenters", CoNEXT 2016. */
#include "topo/stubs.h"

enum { D, K, SEED, P };

static int
resolve(int64_t *param, struct moore_err *err)
{
	if (param[P] == MOORE_TOPO_DERIVED)
		param[P] = param[D] / 2;
	return moore_topo_need_size((uint64_t)(param[D] + 1) * (uint64_t)param[K], err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t d = (uint64_t)param[D];

	*out = moore_topo_regular((d + 1) * (uint64_t)param[K], d, (uint64_t)param[P]);
}

/* Joins group a to group b by a random matching; order is scratch for k switches. */
static void
match(struct moore_stubs *x, uint32_t a, uint32_t b, uint32_t k, uint32_t *order, struct moore_rng *r)
{
	for (uint32_t i = 0; i < k; i++) {
		const uint32_t at = moore_rng_below(r, i + 1);

		order[i] = order[at];
		order[at] = i;
	}
	for (uint32_t i = 0; i < k; i++)
		moore_stubs_link(x, a * k + i, b * k + order[i]);
}

/* stub[] is scratch for the switches of one group. */
static bool
draw(struct moore_stubs *x, uint32_t *stub, const int64_t *param, struct moore_rng *r)
{
	const uint32_t groups = (uint32_t)param[D] + 1;

	for (uint32_t a = 0; a < groups; a++)
		for (uint32_t b = a + 1; b < groups; b++)
			match(x, a, b, (uint32_t)param[K], stub, r);
	return true;
}

static void
name(struct moore_topo_draft *d, moore_swid s, const int64_t *param)
{
	const uint32_t k = (uint32_t)param[K];

	moore_topo_draft_switch(d, s, (uint16_t)param[P], "x%u-%u", s / k, s % k);
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t d = (uint32_t)param[D], k = (uint32_t)param[K];
	const struct moore_stubs_family f = { (d + 1) * k, d, .each = 0, .n_stubs = k, draw, name,
		"no lift was found that joins all switches: try another seed or a greater d" };

	return moore_stubs_build(t, &f, param, param[SEED], err);
}

static uint32_t
cabinet(const int64_t *param, moore_swid s)
{
	return s / (uint32_t)param[K];
}

const struct moore_topo_family moore_topo_xpander = {
	.name = "xpander",
	.title = "Xpander (random lift of a full mesh)",
	.source = "Valadarsky et al., CoNEXT 2016",
	.param = {
		[D] = { .key = "d", .min = 2, .max = MOORE_PORT_MAX, .required = true,
			.help = "links of a switch; there are d+1 groups" },
		[K] = { .key = "k", .min = 1, .max = MOORE_TOPO_SIZE_MAX, .required = true,
			.help = "switches in a group" },
		[SEED] = { .key = "seed", .min = 0, .max = INT64_MAX, .dflt = 1,
			   .help = "of the matchings between groups (default: 1)" },
		[P] = MOORE_TOPO_HALF_ITS_LINKS("p"),
	},
	.random = true,
	.resolve = resolve,
	.counts = counts,
	.build = build,
	.cabinet = cabinet,
};

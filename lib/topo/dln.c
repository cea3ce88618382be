// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dln.c - a ring with k-2 random shortcuts at each switch, which Fujiwara calls RING-k.
 *
 * Each switch has k-2 stubs, which are paired at random (stubs.h).
 * Source: Koibuchi et al., "A Case for Random Shortcut Topologies for HPC
 * Interconnects", ISCA 2012. */
#include "topo/stubs.h"

enum { N, K, SEED, P };

static int
resolve(int64_t *param, struct moore_err *err)
{
	return moore_stubs_check(param[N], param[K], err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	*out = moore_topo_regular((uint64_t)param[N], (uint64_t)param[K], (uint64_t)param[P]);
}

/* Links the ring and the shortcuts. */
static bool
draw(struct moore_stubs *x, uint32_t *stub, const int64_t *param, struct moore_rng *r)
{
	for (uint32_t s = 0; s < x->n; s++)
		moore_stubs_link(x, s, (s + 1) % x->n);
	return moore_stubs_pair(x, stub, x->n * ((uint32_t)param[K] - 2), r);
}

static void
name(struct moore_topo_draft *d, moore_swid s, const int64_t *param)
{
	moore_topo_draft_switch(d, s, (uint16_t)param[P], "r%u", s);
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t n = (uint32_t)param[N], shortcuts = (uint32_t)param[K] - 2;
	struct moore_stubs_family f = { n, shortcuts + 2, .each = shortcuts,
		.n_stubs = (size_t)n * shortcuts, draw, name, NULL };
	struct moore_buf none = MOORE_BUF_INIT;
	int rc;

	moore_buf_fmt(&none, "no %u shortcuts at each switch were found: try another seed", shortcuts);
	f.none = none.data;
	rc = none.oom ? moore_fail_nomem(err) : moore_stubs_build(t, &f, param, param[SEED], err);
	moore_buf_free(&none);
	return rc;
}

const struct moore_topo_family moore_topo_dln = {
	.name = "dln",
	.title = "Ring with random shortcuts (DLN)",
	.source = "Koibuchi et al., ISCA 2012; RING-k of Fujiwara et al., TPDS 2014",
	.param = {
		[N] = { .key = "n", .min = 4, .max = MOORE_TOPO_SIZE_MAX, .required = true,
			.help = "switches" },
		[K] = { .key = "k", .min = 2, .max = MOORE_PORT_MAX, .required = true,
			.help = "links of a switch, those of the ring included" },
		[SEED] = { .key = "seed", .min = 0, .max = INT64_MAX, .dflt = 1,
			   .help = "of the shortcuts (default: 1)" },
		[P] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX, .dflt = 1,
			.help = "endpoints on each switch (default: 1)" },
	},
	.random = true,
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

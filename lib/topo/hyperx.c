// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hyperx.c - HyperX of two or three dimensions: switches that differ in exactly one coordinate are
 * linked.  The first coordinate varies fastest, so s1 consecutive switches are one cabinet
 * and s2 cabinets are one row.
 * Source: Ahn et al., "HyperX: topology, routing, and packaging of efficient
 * large-scale networks", SC 2009. */
#include "topo_build.h"

enum { S1, S2, S3, P };

static uint64_t
size_of(const int64_t *param)
{
	return (uint64_t)param[S1] * (uint64_t)param[S2] * (uint64_t)param[S3];
}

static int
resolve(int64_t *param, struct moore_err *err)
{
	return moore_topo_need_size(size_of(param), err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	*out = moore_topo_regular(size_of(param), (uint64_t)(param[S1] + param[S2] + param[S3] - 3),
				  (uint64_t)param[P]);
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t n = (uint32_t)size_of(param);
	struct moore_topo_draft d;
	int rc;

	if ((rc = moore_topo_draft_init(&d, t, err)) < 0)
		return rc;
	for (moore_swid s = 0; s < n; s++) {
		uint32_t at[3], rest = s, step = 1;

		for (unsigned i = 0; i < 3; i++, rest /= (uint32_t)param[i - 1])
			at[i] = rest % (uint32_t)param[i];
		moore_topo_draft_switch(&d, s, (uint16_t)param[P], "x%u-%u-%u", at[0], at[1], at[2]);
		for (unsigned i = 0; i < 3; step *= (uint32_t)param[i], i++)
			for (uint32_t k = 1; at[i] + k < (uint32_t)param[i]; k++)
				moore_topo_draft_join(&d, s, s + k * step);
	}
	return moore_topo_draft_finish(&d, err);
}

const struct moore_topo_family moore_topo_hyperx = {
	.name = "hyperx",
	.title = "HyperX of two or three dimensions",
	.source = "Ahn et al., SC 2009; Fujiwara et al., TPDS 2014, section 4.1",
	.transitive = true,
	.param = {
		[S1] = { .key = "s1", .min = 1, .max = MOORE_PORT_MAX, .required = true,
			 .help = "switches in a cabinet" },
		[S2] = { .key = "s2", .min = 1, .max = MOORE_PORT_MAX, .required = true,
			 .help = "cabinets in a row" },
		[S3] = { .key = "s3", .min = 1, .max = MOORE_PORT_MAX, .dflt = 1,
			 .help = "cabinets in a column (default: 1)" },
		[P] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX, .dflt = 1,
			.help = "endpoints on each switch (default: 1)" },
	},
	.n_alike = 3,
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hypercube.c - hypercube and folded hypercube of 2^n switches.
 *
 * Switches whose numbers differ in exactly one bit are linked.  In the folded hypercube,
 * switches whose numbers differ in every bit are linked as well.
 * Sources: Fujiwara et al., "Swap-and-randomize", section 4.1; El-Amawy and
 * Latifi, "Properties and Performance of Folded Hypercubes", TPDS 1991. */
#include "topo_build.h"

enum { N, P };

static int
resolve(int64_t *param, struct moore_err *err)
{
	(void)param;
	(void)err;
	return 0;
}

static void
counts_of(const int64_t *param, uint32_t folds, struct moore_topo_counts *out)
{
	*out = moore_topo_regular((uint64_t)1 << param[N], (uint64_t)param[N] + folds, (uint64_t)param[P]);
}

static int
build_of(struct moore_topo *t, const int64_t *param, bool folded, struct moore_err *err)
{
	const uint32_t n = (uint32_t)1 << param[N];
	struct moore_topo_draft d;
	int rc;

	if ((rc = moore_topo_draft_init(&d, t, err)) < 0)
		return rc;
	for (moore_swid s = 0; s < n; s++) {
		moore_topo_draft_switch(&d, s, (uint16_t)param[P], "c%u", s);
		for (uint32_t bit = 1; bit < n; bit <<= 1)
			if (!(s & bit))
				moore_topo_draft_join(&d, s, s | bit);
		if (folded && s < n / 2)
			moore_topo_draft_join(&d, s, n - 1 - s);
	}
	return moore_topo_draft_finish(&d, err);
}

static void
counts_plain(const int64_t *param, struct moore_topo_counts *out)
{
	counts_of(param, 0, out);
}

static int
build_plain(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	return build_of(t, param, false, err);
}

static void
counts_folded(const int64_t *param, struct moore_topo_counts *out)
{
	counts_of(param, 1, out);
}

static int
build_folded(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	return build_of(t, param, true, err);
}

#define PARAMS { \
	[N] = { .key = "n", .min = 2, .max = 16, .required = true, \
		.help = "dimensions: 2^n switches" }, \
	[P] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX, .dflt = 1, \
		.help = "endpoints on each switch (default: 1)" }, \
}

const struct moore_topo_family moore_topo_hypercube = {
	.name = "hypercube",
	.title = "Hypercube",
	.source = "Fujiwara et al., TPDS 2014, section 4.1",
	.transitive = true,
	.param = PARAMS,
	.resolve = resolve,
	.counts = counts_plain,
	.build = build_plain,
};

const struct moore_topo_family moore_topo_fhypercube = {
	.name = "fhypercube",
	.title = "Folded hypercube",
	.source = "El-Amawy and Latifi, TPDS 1991; Fujiwara et al., TPDS 2014, section 4.1",
	.transitive = true,
	.param = PARAMS,
	.resolve = resolve,
	.counts = counts_folded,
	.build = build_folded,
};

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fattree.c - fat trees of two and of three levels, made of switches with k ports.
 *
 * Two levels: k leaves, each linked to all of s spines.  Three levels: k pods of k/2 leaves and
 * k/2 middle switches, each leaf linked to all middle switches of its pod; the j-th middle
 * switch of every pod is linked to the j-th k/2 of (k/2)^2 roots.
 * Sources: Kathareios et al., SC'15, section 2.2.1; Leiserson 1985; Al-Fares, Loukissas and
 * Vahdat, SIGCOMM 2008. */
#include "topo_build.h"

enum { K, S, P };
enum { K3, P3 };

static int
need_even(int64_t k, struct moore_err *err)
{
	return k % 2 ? moore_fail(err, MOORE_EINVAL, 0, "k=%lld: half of the ports lead up, give an even "
				  "number", (long long)k) : 0;
}

/* ---- two levels --------------------------------------------------------------------------- */

static int
resolve(int64_t *param, struct moore_err *err)
{
	int rc = 0;

	if (param[S] == MOORE_TOPO_DERIVED) {
		rc = need_even(param[K], err);
		param[S] = param[K] / 2;
	}
	if (param[S] >= param[K])
		return moore_fail(err, MOORE_EINVAL, 0, "s=%lld: a leaf has %lld ports, give s=1..%lld",
				  (long long)param[S], (long long)param[K], (long long)param[K] - 1);
	if (param[P] == MOORE_TOPO_DERIVED)
		param[P] = param[K] - param[S];
	return rc;
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t k = (uint64_t)param[K], s = (uint64_t)param[S], p = (uint64_t)param[P];

	*out = (struct moore_topo_counts){
		.switches = k + s,
		.links = k * s,
		.endpoints = k * p,
		.degree = (uint32_t)(k > s ? k : s),
		.radix = (uint32_t)(k > s + p ? k : s + p),
	};
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t k = (uint32_t)param[K], s = (uint32_t)param[S];
	struct moore_topo_draft d;
	int rc;

	if ((rc = moore_topo_draft_init(&d, t, err)) < 0)
		return rc;
	for (uint32_t i = 0; i < k + s; i++)
		moore_topo_draft_switch(&d, i, i < k ? (uint16_t)param[P] : 0, i < k ? "l%u" : "s%u",
					i < k ? i : i - k);
	for (uint32_t leaf = 0; leaf < k; leaf++)
		for (uint32_t spine = 0; spine < s; spine++)
			moore_topo_draft_join(&d, leaf, k + spine);
	return moore_topo_draft_finish(&d, err);
}

/* ---- three levels ---------------------------------------------------------------------------- */

static int
resolve_3(int64_t *param, struct moore_err *err)
{
	if (param[P3] == MOORE_TOPO_DERIVED)
		param[P3] = param[K3] / 2;
	return need_even(param[K3], err);
}

static void
counts_3(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t k = (uint64_t)param[K3], half = k / 2, p = (uint64_t)param[P3];

	*out = (struct moore_topo_counts){
		.switches = 2 * k * half + half * half,
		.links = 2 * k * half * half,
		.endpoints = k * half * p,
		.degree = (uint32_t)k,
		.radix = (uint32_t)(half + p > k ? half + p : k),
	};
}

static int
build_3(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t k = (uint32_t)param[K3], half = k / 2, roots = 2 * k * half;
	struct moore_topo_draft d;
	int rc;

	if ((rc = moore_topo_draft_init(&d, t, err)) < 0)
		return rc;
	for (uint32_t i = 0; i < k * half; i++) {
		const uint32_t pod = i / half, middle = k * half + i;

		moore_topo_draft_switch(&d, i, (uint16_t)param[P3], "l%u-%u", pod, i % half);
		moore_topo_draft_switch(&d, middle, 0, "m%u-%u", pod, i % half);
		for (uint32_t j = 0; j < half; j++) {
			moore_topo_draft_join(&d, i, (k + pod) * half + j);
			moore_topo_draft_join(&d, middle, roots + i % half * half + j);
		}
	}
	for (uint32_t i = 0; i < half * half; i++)
		moore_topo_draft_switch(&d, roots + i, 0, "r%u-%u", i / half, i % half);
	return moore_topo_draft_finish(&d, err);
}

const struct moore_topo_family moore_topo_fattree2 = {
	.name = "fattree2",
	.title = "two-level fat tree",
	.source = "Kathareios et al., SC'15, section 2.2.1",
	.param = {
		[K] = { .key = "k", .min = 2, .max = MOORE_PORT_MAX, .required = true,
			.help = "ports of a switch; there are k leaves" },
		[S] = { .key = "s", .min = 1, .max = MOORE_PORT_MAX - 1, .dflt = MOORE_TOPO_DERIVED,
			.help = "spines (default: k/2)" },
		[P] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX,
			.dflt = MOORE_TOPO_DERIVED, .help = "endpoints on each leaf (default: k-s)" },
	},
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

const struct moore_topo_family moore_topo_fattree3 = {
	.name = "fattree3",
	.title = "three-level fat tree",
	.source = "Al-Fares et al., SIGCOMM 2008; Kathareios et al., SC'15, section 2.2.1",
	.param = {
		[K3] = { .key = "k", .min = 2, .max = MOORE_PORT_MAX, .required = true,
			 .help = "ports of a switch, an even number" },
		[P3] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX,
			 .dflt = MOORE_TOPO_DERIVED, .help = "endpoints on each leaf (default: k/2)" },
	},
	.resolve = resolve_3,
	.counts = counts_3,
	.build = build_3,
};

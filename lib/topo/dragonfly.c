// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dragonfly.c - Dragonfly: g groups of `a` fully linked switches, each with h links to
 * other groups.
 *
 * The a*h links that leave a group lead to the other groups in rotation: link k, at switch
 * k / h, leads to the group k mod (g-1) + 1 further on, where the link of the same round k
 * / (g-1) leads back.  Incomplete rounds stay empty, so every two groups are joined by the
 * same number of links, a*h / (g-1) rounded down.  Since g-1 >= h, no two of them join the
 * same pair of switches.
 * Source: Kim et al., "Technology-Driven, Highly-Scalable Dragonfly Topology",
 * ISCA 2008. */
#include "topo_build.h"

enum { A, G, H, P };

static int
resolve(int64_t *param, struct moore_err *err)
{
	if (param[G] == MOORE_TOPO_DERIVED)
		param[G] = param[A] * param[H] + 1;
	if (param[G] <= param[H] || param[G] > param[A] * param[H] + 1)
		return moore_fail(err, MOORE_EINVAL, 0, "g=%lld: %lld outer links of a group, %lld from "
				  "each switch, reach g=%lld..%lld groups evenly",
				  (long long)param[G], (long long)(param[A] * param[H]),
				  (long long)param[H], (long long)param[H] + 1,
				  (long long)(param[A] * param[H] + 1));
	return moore_topo_need_size((uint64_t)(param[A] * param[G]), err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t a = (uint64_t)param[A], g = (uint64_t)param[G], h = (uint64_t)param[H];
	const uint64_t p = (uint64_t)param[P], rounds = a * h / (g - 1);
	/* The switch that has the first links to other groups has the most of them. */
	const uint64_t outer = rounds * (g - 1) < h ? rounds * (g - 1) : h;

	*out = (struct moore_topo_counts){
		.switches = a * g,
		.links = g * (a * (a - 1) / 2) + g * (g - 1) / 2 * rounds,
		.endpoints = a * g * p,
		.degree = (uint32_t)(a - 1 + outer),
		.radix = (uint32_t)(a - 1 + outer + p),
	};
}

static void
join_groups(struct moore_topo_draft *d, const int64_t *param)
{
	const uint32_t a = (uint32_t)param[A], g = (uint32_t)param[G], h = (uint32_t)param[H];

	for (uint32_t from = 0; from < g; from++) {
		for (uint32_t round = 0; round < a * h / (g - 1); round++) {
			for (uint32_t to = from + 1; to < g; to++) {
				const uint32_t out = round * (g - 1) + to - from - 1;
				const uint32_t back = round * (g - 1) + g - (to - from) - 1;

				moore_topo_draft_join(d, from * a + out / h, to * a + back / h);
			}
		}
	}
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t a = (uint32_t)param[A], n = a * (uint32_t)param[G];
	struct moore_topo_draft d;
	int rc;

	if ((rc = moore_topo_draft_init(&d, t, err)) < 0)
		return rc;
	for (moore_swid s = 0; s < n; s++) {
		moore_topo_draft_switch(&d, s, (uint16_t)param[P], "d%u-%u", s / a, s % a);
		for (moore_swid r = s + 1; r % a; r++)
			moore_topo_draft_join(&d, s, r);
	}
	join_groups(&d, param);
	return moore_topo_draft_finish(&d, err);
}

const struct moore_topo_family moore_topo_dragonfly = {
	.name = "dragonfly",
	.title = "Dragonfly",
	.source = "Kim et al., ISCA 2008; Fujiwara et al., TPDS 2014, section 4.1",
	.param = {
		[A] = { .key = "a", .min = 1, .max = 128, .required = true,
			.help = "switches in a group" },
		[G] = { .key = "g", .min = 2, .max = 16257, .dflt = MOORE_TOPO_DERIVED,
			.help = "groups (default: a*h+1)" },
		[H] = { .key = "h", .min = 1, .max = 127, .required = true,
			.help = "links of a switch to other groups" },
		[P] = { .key = "p", .min = 0, .max = MOORE_PORT_MAX, .dflt = 1,
			.help = "endpoints on each switch (default: 1)" },
	},
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

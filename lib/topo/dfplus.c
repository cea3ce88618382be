// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dfplus.c - Dragonfly+ (Megafly): a group is a complete bipartite graph of l leaves, which have
 * the endpoints, and s spines, each with h links to spines of other groups (groups.h).
 * Sources: Shpiner et al., "Dragonfly+: low cost topology for scaling datacenters", HiPINEB 2017;
 * Flajslik, Borch and Parker, "Megafly", ISC 2018. */
#include "topo/groups.h"

enum { S, L, G, ARR, H, P };

static struct moore_groups
groups_of(const int64_t *param)
{
	const uint32_t s = (uint32_t)param[S], l = (uint32_t)param[L], h = (uint32_t)param[H];

	return (struct moore_groups){ .n = (uint32_t)param[G], .outer = s * h, .each = h,
				      .size = l + s, .first = l, .arrangement = (uint32_t)param[ARR] };
}

static int
resolve(int64_t *param, struct moore_err *err)
{
	struct moore_groups g;
	int rc;

	if (param[L] == MOORE_TOPO_DERIVED)
		param[L] = param[S];
	if (param[H] == MOORE_TOPO_DERIVED)
		param[H] = param[S];
	if (param[G] == MOORE_TOPO_DERIVED)
		param[G] = param[S] * param[H] + 1;
	if (param[P] == MOORE_TOPO_DERIVED)
		param[P] = param[S];
	g = groups_of(param);
	if ((rc = moore_groups_check(&g, "g", err)) < 0)
		return rc;
	return moore_topo_need_size((uint64_t)(g.size * param[G]), err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t s = (uint64_t)param[S], l = (uint64_t)param[L], n = (uint64_t)param[G];
	const uint64_t p = (uint64_t)param[P];
	const struct moore_groups g = groups_of(param);
	const uint64_t spine = l + moore_groups_degree(&g);

	*out = (struct moore_topo_counts){
		.switches = (l + s) * n,
		.links = n * l * s + n * (n - 1) / 2 * moore_groups_rounds(&g),
		.endpoints = l * n * p,
		.degree = (uint32_t)(spine > s ? spine : s),
		.radix = (uint32_t)(spine > s + p ? spine : s + p),
	};
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const struct moore_groups g = groups_of(param);
	const uint32_t l = (uint32_t)param[L];
	struct moore_topo_draft d;
	int rc;

	if ((rc = moore_topo_draft_init(&d, t, err)) < 0)
		return rc;
	for (moore_swid i = 0; i < g.size * g.n; i++) {
		const uint32_t group = i / g.size, at = i % g.size;

		if (at >= l) {
			moore_topo_draft_switch(&d, i, 0, "m%u-s%u", group, at - l);
			continue;
		}
		moore_topo_draft_switch(&d, i, (uint16_t)param[P], "m%u-l%u", group, at);
		for (uint32_t spine = l; spine < g.size; spine++)
			moore_topo_draft_join(&d, i, group * g.size + spine);
	}
	moore_groups_join(&g, &d);
	return moore_topo_draft_finish(&d, err);
}

const struct moore_topo_family moore_topo_dfplus = {
	.name = "dfplus",
	.title = "Dragonfly+ (Megafly)",
	.source = "Shpiner et al., HiPINEB 2017; Flajslik et al., ISC 2018",
	.param = {
		[S] = { .key = "s", .min = 1, .max = 127, .required = true,
			.help = "spines in a group" },
		[L] = { .key = "l", .min = 1, .max = 127, .dflt = MOORE_TOPO_DERIVED,
			.help = "leaves in a group (default: s)" },
		[G] = { .key = "g", .min = 2, .max = 16257, .dflt = MOORE_TOPO_DERIVED,
			.help = "groups (default: s*h+1)" },
		[ARR] = { .key = "arr", .min = MOORE_GROUPS_RELATIVE, .max = MOORE_GROUPS_CIRCULANT,
			  .dflt = MOORE_GROUPS_RELATIVE,
			  .help = "order of outer links: 1 relative, 2 absolute, 3 circulant (default: 1)" },
		[H] = { .key = "h", .min = 1, .max = 127, .dflt = MOORE_TOPO_DERIVED,
			.help = "links of a spine to other groups (default: s)" },
		[P] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX,
			.dflt = MOORE_TOPO_DERIVED, .help = "endpoints on each leaf (default: s)" },
	},
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

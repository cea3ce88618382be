// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dragonfly.c - Dragonfly: g groups of `a` fully linked switches, each with h links to other
 * groups (groups.h); and the same with groups that are a grid, linked along rows and columns.
 *
 * With h = 1 and a + 1 groups it is the canonical Dragonfly of Young et al. 2022.
 * Sources: Kim et al., "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008; for the
 * grid Faanes et al., "Cray Cascade", SC'12, as Jain et al., SC'14, section II, simplify it: 960
 * groups of 6 chassis with 16 switches. */
#include "topo/groups.h"

enum { A, G, ARR, H, P };
enum { GRID_A, GRID_R, GRID_G, GRID_ARR, GRID_H, GRID_P };

/* ---- groups that are a full mesh ------------------------------------------------------- */

static struct moore_groups
groups_of(const int64_t *param)
{
	const uint32_t a = (uint32_t)param[A], h = (uint32_t)param[H];

	return (struct moore_groups){ .n = (uint32_t)param[G], .outer = a * h, .each = h, .size = a,
				      .arrangement = (uint32_t)param[ARR] };
}

static int
resolve(int64_t *param, struct moore_err *err)
{
	struct moore_groups g;
	int rc;

	if (param[G] == MOORE_TOPO_DERIVED)
		param[G] = param[A] * param[H] + 1;
	g = groups_of(param);
	if ((rc = moore_groups_check(&g, "g", err)) < 0)
		return rc;
	return moore_topo_need_size((uint64_t)(param[A] * param[G]), err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t a = (uint64_t)param[A], n = (uint64_t)param[G], p = (uint64_t)param[P];
	const struct moore_groups g = groups_of(param);
	const uint32_t degree = (uint32_t)a - 1 + moore_groups_degree(&g);

	*out = (struct moore_topo_counts){
		.switches = a * n,
		.links = n * (a * (a - 1) / 2) + n * (n - 1) / 2 * moore_groups_rounds(&g),
		.endpoints = a * n * p,
		.degree = degree,
		.radix = degree + (uint32_t)p,
	};
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t a = (uint32_t)param[A], n = a * (uint32_t)param[G];
	const struct moore_groups g = groups_of(param);
	struct moore_topo_draft d;
	int rc;

	if ((rc = moore_topo_draft_init(&d, t, err)) < 0)
		return rc;
	for (moore_swid s = 0; s < n; s++) {
		moore_topo_draft_switch(&d, s, (uint16_t)param[P], "d%u-%u", s / a, s % a);
		for (moore_swid r = s + 1; r % a; r++)
			moore_topo_draft_join(&d, s, r);
	}
	moore_groups_join(&g, &d);
	return moore_topo_draft_finish(&d, err);
}

/* ---- groups that are a grid ---------------------------------------------------------------- */

static struct moore_groups
grids_of(const int64_t *param)
{
	const uint32_t size = (uint32_t)(param[GRID_A] * param[GRID_R]), h = (uint32_t)param[GRID_H];

	return (struct moore_groups){ .n = (uint32_t)param[GRID_G], .outer = size * h, .each = h,
				      .size = size, .arrangement = (uint32_t)param[GRID_ARR] };
}

static int
grid_resolve(int64_t *param, struct moore_err *err)
{
	const int64_t size = param[GRID_A] * param[GRID_R];
	struct moore_groups g;
	int rc;

	if (param[GRID_G] == MOORE_TOPO_DERIVED)
		param[GRID_G] = size * param[GRID_H];
	g = grids_of(param);
	if ((rc = moore_groups_check(&g, "g", err)) < 0)
		return rc;
	return moore_topo_need_size((uint64_t)(size * param[GRID_G]), err);
}

static void
grid_counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t a = (uint64_t)param[GRID_A], r = (uint64_t)param[GRID_R];
	const uint64_t n = (uint64_t)param[GRID_G], p = (uint64_t)param[GRID_P];
	const struct moore_groups g = grids_of(param);
	const uint32_t degree = (uint32_t)(a - 1 + r - 1) + moore_groups_degree(&g);

	*out = (struct moore_topo_counts){
		.switches = a * r * n,
		.links = n * (a * r * (a + r - 2) / 2) + n * (n - 1) / 2 * moore_groups_rounds(&g),
		.endpoints = a * r * n * p,
		.degree = degree,
		.radix = degree + (uint32_t)p,
	};
}

static int
grid_build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const struct moore_groups g = grids_of(param);
	const uint32_t a = (uint32_t)param[GRID_A];
	struct moore_topo_draft d;
	int rc;

	if ((rc = moore_topo_draft_init(&d, t, err)) < 0)
		return rc;
	for (moore_swid s = 0; s < g.size * g.n; s++) {
		moore_topo_draft_switch(&d, s, (uint16_t)param[GRID_P], "d%u-%u-%u", s / g.size,
					s % g.size / a, s % a);
		for (moore_swid to = s + 1; to % a; to++)
			moore_topo_draft_join(&d, s, to);
		for (moore_swid to = s + a; to / g.size == s / g.size; to += a)
			moore_topo_draft_join(&d, s, to);
	}
	moore_groups_join(&g, &d);
	return moore_topo_draft_finish(&d, err);
}

static uint32_t
chassis(const int64_t *param, moore_swid s)
{
	return s / (uint32_t)param[GRID_A];
}

/* ---- the rows -------------------------------------------------------------------------------- */

#define ARRANGEMENT { .key = "arr", .min = MOORE_GROUPS_RELATIVE, .max = MOORE_GROUPS_CIRCULANT, \
		      .dflt = MOORE_GROUPS_RELATIVE, \
		      .help = "order of outer links: 1 relative, 2 absolute, 3 circulant (default: 1)" }

const struct moore_topo_family moore_topo_dragonfly = {
	.name = "dragonfly",
	.title = "Dragonfly",
	.source = "Kim et al., ISCA 2008; Fujiwara et al., TPDS 2014, section 4.1",
	.param = {
		[A] = { .key = "a", .min = 1, .max = 128, .required = true,
			.help = "switches in a group" },
		[G] = { .key = "g", .min = 2, .max = 16257, .dflt = MOORE_TOPO_DERIVED,
			.help = "groups (default: a*h+1)" },
		[ARR] = ARRANGEMENT,
		[H] = { .key = "h", .min = 1, .max = 127, .dflt = 1,
			.help = "links of a switch to other groups (default: 1)" },
		[P] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX, .dflt = 1,
			.help = "endpoints on each switch (default: 1)" },
	},
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

const struct moore_topo_family moore_topo_cascade = {
	.name = "cascade",
	.title = "Dragonfly whose groups are grids (Cray Cascade)",
	.source = "Jain et al., SC'14, section II; Faanes et al., SC'12",
	.param = {
		[GRID_A] = { .key = "a", .min = 2, .max = 128, .dflt = 16,
			     .help = "switches in a chassis, a full mesh (default: 16)" },
		[GRID_R] = { .key = "r", .min = 2, .max = 128, .dflt = 6,
			     .help = "chassis in a group, linked along columns (default: 6)" },
		[GRID_G] = { .key = "g", .min = 2, .max = MOORE_TOPO_SIZE_MAX, .dflt = MOORE_TOPO_DERIVED,
			     .help = "groups (default: a*r*h, which leaves one outer link of each empty)" },
		[GRID_ARR] = ARRANGEMENT,
		[GRID_H] = { .key = "h", .min = 1, .max = 127, .dflt = 10,
			     .help = "links of a switch to other groups (default: 10)" },
		[GRID_P] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX, .dflt = 4,
			     .help = "endpoints on each switch (default: 4)" },
	},
	.resolve = grid_resolve,
	.counts = grid_counts,
	.build = grid_build,
	.cabinet = chassis,
};

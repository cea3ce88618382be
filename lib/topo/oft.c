// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* oft.c - two-level Orthogonal Fat-Tree: two copies (L0 and L2) of the lines of a
 * projective plane of order k-1 below one copy of its points (L1).
 *
 * Switch i of L0 and switch i of L2 are linked to the k points of line i.  Two lines meet
 * in exactly one point, so two switches with endpoints share one L1 switch; the
 * counterparts (0, i) and (2, i) share all k.
 * Source: Kathareios et al., SC'15, section 2.2.4; Valerio, Moser and
 * Melliar-Smith, "Recursively scalable fat-trees as interconnection networks",
 * Phoenix Conf. on Computers and Communications 1994. */
#include <stdlib.h>

#include "moore/math.h"
#include "topo_build.h"

extern const struct moore_topo_family moore_topo_oft;	/* the row at the end */

enum { K, P };

static int
resolve(int64_t *param, struct moore_err *err)
{
	if (param[P] == MOORE_TOPO_DERIVED)
		param[P] = param[K];
	return moore_topo_need_prime_power(&moore_topo_oft.param[K], param[K], -1, err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t k = (uint64_t)param[K], p = (uint64_t)param[P];
	const uint64_t level = k * k - k + 1;

	*out = (struct moore_topo_counts){
		.switches = 3 * level,
		.links = 2 * level * k,
		.endpoints = 2 * level * p,
		.degree = (uint32_t)(2 * k),
		.radix = (uint32_t)(p > k ? k + p : 2 * k),
	};
}

static void
fill(struct moore_topo_draft *d, const uint32_t *point, uint32_t k, uint16_t endpoints)
{
	const uint32_t level = k * k - k + 1;

	for (uint32_t s = 0; s < 3 * level; s++)
		moore_topo_draft_switch(d, s, s / level == 1 ? 0 : endpoints, "o%u-%u",
					s / level, s % level);
	for (uint32_t line = 0; line < level; line++) {
		for (uint32_t i = 0; i < k; i++, point++) {
			moore_topo_draft_join(d, line, level + *point);
			moore_topo_draft_join(d, 2 * level + line, level + *point);
		}
	}
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t k = (uint32_t)param[K];
	uint32_t *point = NULL;
	struct moore_topo_draft d;
	struct moore_gf *f;
	int rc;

	if ((rc = moore_gf_new(&f, k - 1, err)) < 0)
		return rc;
	if (!(point = calloc((size_t)(k * k - k + 1) * k, sizeof(*point)))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	moore_plane_lines(f, point);
	if ((rc = moore_topo_draft_init(&d, t, err)) < 0)
		goto out;
	fill(&d, point, k, (uint16_t)param[P]);
	rc = moore_topo_draft_finish(&d, err);
out:
	free(point);
	moore_gf_free(f);
	return rc;
}

const struct moore_topo_family moore_topo_oft = {
	.name = "oft",
	.title = "two-level Orthogonal Fat-Tree",
	.source = "Kathareios et al., SC'15, section 2.2.4",
	.param = {
		[K] = { .key = "k", .min = 3, .max = 128, .required = true,
			.help = "links of a switch with endpoints, a prime power plus one" },
		[P] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX, .dflt = MOORE_TOPO_DERIVED,
			.help = "endpoints on each L0 and L2 switch (default: k)" },
	},
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

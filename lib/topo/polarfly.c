// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* polarfly.c - PolarFly: the points of the projective plane over GF(q), linked if they are
 * orthogonal (the polarity graph of Erdos, Renyi and Brown).
 *
 * A point is the multiple of a vector (x, y, z) other than 0 whose first coordinate that is not
 * 0 is 1.  For each two points one point is orthogonal to both, so the diameter is two.  The
 * q + 1 points that are orthogonal to themselves have q links, all others q + 1.
 * Sources: Lakhotia et al., "PolarFly: a cost-effective and flexible low-diameter topology",
 * SC'22; Erdos and Renyi 1962; Brown 1966. */
#include "moore/math.h"
#include "topo_build.h"

extern const struct moore_topo_family moore_topo_polarfly;	/* the row at the end */

enum { Q, P };

static int
resolve(int64_t *param, struct moore_err *err)
{
	if (param[P] == MOORE_TOPO_DERIVED)
		param[P] = (param[Q] + 1) / 2;
	return moore_topo_need_prime_power(&moore_topo_polarfly.param[Q], param[Q], 0, err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t q = (uint64_t)param[Q], p = (uint64_t)param[P], n = q * q + q + 1;

	*out = (struct moore_topo_counts){
		.switches = n,
		.links = q * (q + 1) * (q + 1) / 2,
		.endpoints = n * p,
		.degree = (uint32_t)(q + 1),
		.radix = (uint32_t)(q + 1 + p),
	};
}

/* The coordinates of a point: (1, y, z), then (0, 1, z), then (0, 0, 1). */
static void
point_of(uint32_t i, uint32_t q, uint32_t *v)
{
	v[0] = i < q * q;
	v[1] = i < q * q ? i / q : i < q * q + q;
	v[2] = i < q * q + q ? i % q : 1;
}

static bool
orthogonal(const struct moore_gf *f, const uint32_t *v, const uint32_t *w)
{
	uint32_t sum = 0;

	for (int i = 0; i < 3; i++)
		sum = moore_gf_add(f, sum, moore_gf_mul(f, v[i], w[i]));
	return sum == 0;
}

static void
fill(struct moore_topo_draft *d, const struct moore_gf *f, uint16_t endpoints)
{
	const uint32_t q = f->q, n = q * q + q + 1;
	uint32_t v[3], w[3];

	for (uint32_t i = 0; i < n; i++) {
		point_of(i, q, v);
		moore_topo_draft_switch(d, i, endpoints, "f%u-%u-%u", v[0], v[1], v[2]);
		for (uint32_t k = i + 1; k < n; k++) {
			point_of(k, q, w);
			if (orthogonal(f, v, w))
				moore_topo_draft_join(d, i, k);
		}
	}
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	struct moore_topo_draft d;
	struct moore_gf *f;
	int rc;

	if ((rc = moore_gf_new(&f, (uint32_t)param[Q], err)) < 0)
		return rc;
	if ((rc = moore_topo_draft_init(&d, t, err)) == 0) {
		fill(&d, f, (uint16_t)param[P]);
		rc = moore_topo_draft_finish(&d, err);
	}
	moore_gf_free(f);
	return rc;
}

const struct moore_topo_family moore_topo_polarfly = {
	.name = "polarfly",
	.title = "PolarFly (Erdos-Renyi polarity graph)",
	.source = "Lakhotia et al., SC'22",
	.param = {
		[Q] = { .key = "q", .min = 2, .max = 128, .required = true,
			.help = "links of a switch less one, a prime power" },
		[P] = MOORE_TOPO_HALF_ITS_LINKS("p"),
	},
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* torus.c - tori of two, of five, and of up to six dimensions.
 *
 * The coordinates of switch i are the mixed-radix digits of i, of which the last dimension
 * varies fastest.  In each dimension a switch is linked to the next one, and the last to
 * the first.  In a dimension of size two both of these lead to the same switch, so there is
 * one link; in one of size one there is none.
 * Source: Fujiwara et al., "Swap-and-randomize", section 4.1. */
#include "topo_build.h"

#define MAX_DIMS 6

static uint64_t
n_positions(const int64_t *dim, unsigned n_dims)
{
	uint64_t n = 1;

	for (unsigned i = 0; i < n_dims; i++)
		n *= (uint64_t)dim[i];
	return n;
}

static int
resolve_n(const int64_t *param, unsigned n_dims, struct moore_err *err)
{
	return moore_topo_need_size(n_positions(param, n_dims), err);
}

static void
counts_n(const int64_t *param, unsigned n_dims, struct moore_topo_counts *out)
{
	uint32_t degree = 0;

	for (unsigned i = 0; i < n_dims; i++)
		degree += param[i] > 2 ? 2 : (uint32_t)param[i] - 1;
	*out = moore_topo_regular(n_positions(param, n_dims), degree, (uint64_t)param[n_dims]);
}

/* Names a switch by its coordinates: all n of the first two families, else those of dimensions with
 * more than one switch. */
static void
name(struct moore_topo_draft *d, moore_swid s, const int64_t *param, unsigned n_dims,
     const uint32_t *at)
{
	static const char *const form[] = { "", "t%u", "t%u-%u", "t%u-%u-%u", "t%u-%u-%u-%u",
		"t%u-%u-%u-%u-%u", "t%u-%u-%u-%u-%u-%u" };
	uint32_t v[MAX_DIMS] = { 0 };
	unsigned n = 0;

	for (unsigned i = 0; i < n_dims; i++)
		if (n_dims < MAX_DIMS || param[i] > 1)
			v[n++] = at[i];
	moore_topo_draft_switch(d, s, (uint16_t)param[n_dims], form[n], v[0], v[1], v[2], v[3], v[4],
				v[5]);
}

static int
build_n(struct moore_topo *t, const int64_t *param, unsigned n_dims, struct moore_err *err)
{
	const uint32_t n = (uint32_t)n_positions(param, n_dims);
	uint32_t at[MAX_DIMS] = { 0 };
	struct moore_topo_draft d;
	int rc;

	if ((rc = moore_topo_draft_init(&d, t, err)) < 0)
		return rc;
	for (moore_swid s = 0; s < n; s++) {
		uint32_t step = n;

		name(&d, s, param, n_dims, at);
		for (unsigned i = 0; i < n_dims; i++) {
			const uint32_t size = (uint32_t)param[i];

			step /= size;
			if (at[i] + 1 < size)
				moore_topo_draft_join(&d, s, s + step);
			else if (size > 2)
				moore_topo_draft_join(&d, s, s - at[i] * step);
		}
		for (unsigned i = n_dims; i-- > 0 && ++at[i] == (uint32_t)param[i];)
			at[i] = 0;
	}
	return moore_topo_draft_finish(&d, err);
}

static int
resolve_2d(int64_t *param, struct moore_err *err)
{
	return resolve_n(param, 2, err);
}

static void
counts_2d(const int64_t *param, struct moore_topo_counts *out)
{
	counts_n(param, 2, out);
}

static int
build_2d(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	return build_n(t, param, 2, err);
}

static int
resolve_5d(int64_t *param, struct moore_err *err)
{
	return resolve_n(param, 5, err);
}

static void
counts_5d(const int64_t *param, struct moore_topo_counts *out)
{
	counts_n(param, 5, out);
}

static int
build_5d(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	return build_n(t, param, 5, err);
}

static int
resolve_6d(int64_t *param, struct moore_err *err)
{
	if (n_positions(param, MAX_DIMS) == 1)
		return moore_fail(err, MOORE_EINVAL, 0, "torus needs at least a=2");
	return resolve_n(param, MAX_DIMS, err);
}

static void
counts_6d(const int64_t *param, struct moore_topo_counts *out)
{
	counts_n(param, MAX_DIMS, out);
}

static int
build_6d(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	return build_n(t, param, MAX_DIMS, err);
}

#define DIM(k, most, which) { .key = k, .min = 2, .max = most, .required = true, \
			      .help = "switches along the " which " dimension" }
#define MAYBE(k, which) { .key = k, .min = 1, .max = 1000, .dflt = 1, \
			  .help = "switches along the " which " dimension (default: 1)" }
#define ENDPOINTS { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX, .dflt = 1, \
		    .help = "endpoints on each switch (default: 1)" }

const struct moore_topo_family moore_topo_torus2d = {
	.name = "torus2d",
	.title = "2-D torus",
	.source = "Fujiwara et al., TPDS 2014, section 4.1",
	.transitive = true,
	.param = { DIM("a", 100000, "first"), DIM("b", 100000, "second"), ENDPOINTS },
	.n_alike = 2,
	.resolve = resolve_2d,
	.counts = counts_2d,
	.build = build_2d,
};

const struct moore_topo_family moore_topo_torus5d = {
	.name = "torus5d",
	.title = "5-D torus",
	.source = "Fujiwara et al., TPDS 2014, section 4.1",
	.transitive = true,
	.param = {
		DIM("a", 64, "first"), DIM("b", 64, "second"), DIM("c", 64, "third"),
		DIM("d", 64, "fourth"), DIM("e", 64, "fifth"), ENDPOINTS,
	},
	.n_alike = 5,
	.resolve = resolve_5d,
	.counts = counts_5d,
	.build = build_5d,
};

const struct moore_topo_family moore_topo_torus = {
	.name = "torus",
	.title = "torus of up to six dimensions",
	.source = "Dally and Towles, Principles and Practices of Interconnection Networks, chapter 5",
	.transitive = true,
	.param = {
		MAYBE("a", "first"), MAYBE("b", "second"), MAYBE("c", "third"),
		MAYBE("d", "fourth"), MAYBE("e", "fifth"), MAYBE("f", "sixth"), ENDPOINTS,
	},
	.n_alike = MAX_DIMS,
	.resolve = resolve_6d,
	.counts = counts_6d,
	.build = build_6d,
};

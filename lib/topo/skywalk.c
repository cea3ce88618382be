// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* skywalk.c - random links that run along the rows and columns of the floor, after Skywalk.
 *
 * There are x times y cabinets of s switches.  The switches of a cabinet are a full mesh.  Each
 * switch has k random links: half of them, rounded up, to other cabinets of its row, the rest to
 * other cabinets of its column; all of them along the only line where x or y is 1.  So every cable
 * runs in one direction of the floor.
 *
 * Source: Fujiwara, Koibuchi, Matsutani and Casanova, "Skywalk: a topology for HPC networks with
 * low-delay switches", IPDPS 2014: randomness that heeds the floor.  Its parameters are not
 * those here: only its abstract was at hand. */
#include "topo/stubs.h"

enum { X, Y, S, K, SEED, P };

#define LINE_TRIES 100

/* Random links of a switch along its row. */
static int64_t
along_row(const int64_t *param)
{
	if (param[X] == 1 || param[Y] == 1)
		return param[Y] == 1 ? param[K] : 0;
	return (param[K] + 1) / 2;
}

/* The reason why a line of that many cabinets has no graph of so many random links; NULL if it has. */
static const char *
line_fault(int64_t cabinets, int64_t switches, int64_t links)
{
	if (cabinets * switches * links % 2)
		return "an odd number of link ends in a row or column: change k, s, x or y by one";
	if (2 * links > (cabinets - 1) * switches)
		return "too many: at most half the switches in other cabinets of a row or column";
	return NULL;
}

static int
resolve(int64_t *param, struct moore_err *err)
{
	const int64_t row = along_row(param);
	const char *fault = line_fault(param[X], param[S], row);

	if (!fault)
		fault = line_fault(param[Y], param[S], param[K] - row);
	if (fault)
		return moore_fail(err, MOORE_EINVAL, 0, "k=%lld: %s", (long long)param[K], fault);
	if (param[P] == MOORE_TOPO_DERIVED)
		param[P] = (param[S] - 1 + param[K]) / 2;
	return moore_topo_need_size((uint64_t)param[X] * (uint64_t)param[Y] * (uint64_t)param[S], err);
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t n = (uint64_t)param[X] * (uint64_t)param[Y] * (uint64_t)param[S];

	*out = moore_topo_regular(n, (uint64_t)(param[S] - 1 + param[K]), (uint64_t)param[P]);
}

static uint32_t
cabinet(const int64_t *param, moore_swid s)
{
	return s / (uint32_t)param[S];
}

struct line {
	uint32_t first, step, length;	/* cabinets first, first + step, ... */
	uint32_t switches, links;	/* of a cabinet; random ones of a switch */
};

static void
cut_line(struct moore_stubs *x, const struct line *l)
{
	for (uint32_t i = 0; i < l->length * l->switches; i++)
		for (uint32_t k = (i / l->switches + 1) * l->switches; k < l->length * l->switches; k++)
			moore_stubs_cut(x, (l->first + i / l->switches * l->step) * l->switches + i % l->switches,
					(l->first + k / l->switches * l->step) * l->switches + k % l->switches);
}

/* Pairs the stubs of a line.  A patient attempt tries it again before all lines have to be. */
static bool
pair_line(struct moore_stubs *x, uint32_t *stub, const struct line *l, struct moore_rng *r)
{
	for (unsigned tries = x->patient ? LINE_TRIES : 1; tries; tries--) {
		uint32_t n = 0;

		for (uint32_t c = 0; c < l->length; c++)
			for (uint32_t i = 0; i < l->switches; i++)
				for (uint32_t k = 0; k < l->links; k++)
					stub[n++] = (l->first + c * l->step) * l->switches + i;
		if (moore_stubs_pair(x, stub, n, r))
			return true;
		if (x->patient)
			cut_line(x, l);
	}
	return false;
}

/* stub has room for those of the longest line. */
static bool
draw(struct moore_stubs *x, uint32_t *stub, const int64_t *param, struct moore_rng *r)
{
	const uint32_t nx = (uint32_t)param[X], ny = (uint32_t)param[Y], s = (uint32_t)param[S];
	const uint32_t row = (uint32_t)along_row(param), column = (uint32_t)param[K] - row;
	bool ok = true;

	for (uint32_t c = 0; c < nx * ny; c++)
		for (uint32_t i = 0; i < s; i++)
			for (uint32_t k = i + 1; k < s; k++)
				moore_stubs_link(x, c * s + i, c * s + k);
	for (uint32_t j = 0; ok && j < ny; j++)
		ok = pair_line(x, stub, &(struct line){ j * nx, 1, nx, s, row }, r);
	for (uint32_t i = 0; ok && i < nx; i++)
		ok = pair_line(x, stub, &(struct line){ i, nx, ny, s, column }, r);
	return ok;
}

static void
name(struct moore_topo_draft *d, moore_swid i, const int64_t *param)
{
	const uint32_t nx = (uint32_t)param[X], s = (uint32_t)param[S];

	moore_topo_draft_switch(d, i, (uint16_t)param[P], "k%u-%u-%u", i / s % nx, i / s / nx, i % s);
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t nx = (uint32_t)param[X], ny = (uint32_t)param[Y], s = (uint32_t)param[S];
	const uint32_t k = (uint32_t)param[K], longest = nx > ny ? nx : ny;
	const struct moore_stubs_family f = { nx * ny * s, s - 1 + k, .each = 0,
		.n_stubs = (size_t)longest * s * k, draw, name,
		"no random links were found that join all switches: try another seed or a greater k" };

	return moore_stubs_build(t, &f, param, param[SEED], err);
}

const struct moore_topo_family moore_topo_skywalk = {
	.name = "skywalk",
	.title = "Skywalk (random links along rows and columns of the floor)",
	.source = "after Fujiwara et al., IPDPS 2014",
	.param = {
		[X] = { .key = "x", .min = 1, .max = 1000, .required = true,
			.help = "cabinets in a row" },
		[Y] = { .key = "y", .min = 1, .max = 1000, .required = true,
			.help = "cabinets in a column" },
		[S] = { .key = "s", .min = 1, .max = MOORE_PORT_MAX, .required = true,
			.help = "switches in a cabinet, a full mesh" },
		[K] = { .key = "k", .min = 1, .max = MOORE_PORT_MAX, .required = true,
			.help = "random links of a switch" },
		[SEED] = { .key = "seed", .min = 0, .max = INT64_MAX, .dflt = 1,
			   .help = "of the random links (default: 1)" },
		[P] = MOORE_TOPO_HALF_ITS_LINKS("p"),
	},
	.random = true,
	.resolve = resolve,
	.counts = counts,
	.build = build,
	.cabinet = cabinet,
};

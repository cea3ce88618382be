// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* sspt.c - Stacked Single-Path Trees: layers of leaf switches above which lie blocks, such that
 * any two leaves of a layer share exactly one block.  The i-th leaf of every layer is linked to
 * the same blocks.
 *
 * A leaf has r1 blocks and a block r2 leaves of each layer, so the leaves of a layer and the
 * blocks are a Steiner system S(2, r2, 1 + r1 (r2 - 1)).  These are made here:
 *	r2 = 2		all pairs; stacked, the MLFM
 *	r2 = 3		Steiner triple systems (Bose 1939; Skolem 1958), r1 = 0 or 1 modulo 3
 *	r2 = n		lines of the affine space of any dimension over GF(n)
 *	r2 = n + 1	lines of the projective space over GF(n); of a plane and stacked, the OFT
 * In the last two r1 = 1 + n + n^2 and so on, with at least two terms.
 *
 * Source: Kathareios et al., SC'15, section 2.2.2. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "moore/math.h"
#include "topo_build.h"

enum { R1, R2, L, P };

#define MAX_DIMENSIONS 8

enum kind { NONE, PAIRS, TRIPLES, AFFINE, PROJECTIVE };

struct blocks {
	uint32_t r2, n_points, n;	/* n: blocks listed so far */
	uint32_t *point;		/* r2 for each block */
	/* Of affine and projective spaces: */
	const struct moore_gf *f;
	unsigned width;			/* coordinates of a point */
	uint32_t (*at)[MAX_DIMENSIONS];	/* coordinates of each point */
	uint32_t *number;		/* the point of coordinates, read as digits */
	uint64_t *covered;		/* bit a * n_points + b: these two share a block */
};

/* The d for which r1 = 1 + n + ... + n^(d-1), at least 2; 0 if there is none. */
static unsigned
dimension(uint64_t r1, uint64_t n)
{
	uint64_t sum = 1, power = 1;
	unsigned d = 1;

	while (sum < r1) {
		power *= n;
		sum += power;
		d++;
	}
	return sum == r1 && d >= 2 ? d : 0;
}

static enum kind
kind_of(const int64_t *param)
{
	const uint32_t r1 = (uint32_t)param[R1], r2 = (uint32_t)param[R2];

	if (r2 == 2)
		return PAIRS;
	if (r2 == 3 && r1 % 3 != 2)
		return TRIPLES;
	if (moore_prime_power(r2, NULL, NULL) && dimension(r1, r2))
		return AFFINE;
	return moore_prime_power(r2 - 1, NULL, NULL) && dimension(r1, r2 - 1) ? PROJECTIVE : NONE;
}

static int
resolve(int64_t *param, struct moore_err *err)
{
	if (param[L] == MOORE_TOPO_DERIVED)
		param[L] = 2 * param[R1] / param[R2] ? 2 * param[R1] / param[R2] : 1;
	if (param[P] == MOORE_TOPO_DERIVED)
		param[P] = param[R1];
	if (kind_of(param) == NONE)
		return moore_fail(err, MOORE_EINVAL, 0, "r1=%lld r2=%lld: no such tree is known here, give "
				  "r2=2 with any r1, r2=3 with r1=3, 4, 6, 7, 9 and so on, r2=n or r2=n+1 "
				  "with r1=n+1 or r1=n*n+n+1 for a prime power n", (long long)param[R1],
				  (long long)param[R2]);
	return 0;
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t r1 = (uint64_t)param[R1], r2 = (uint64_t)param[R2];
	const uint64_t l = (uint64_t)param[L], p = (uint64_t)param[P];
	const uint64_t leaves = 1 + r1 * (r2 - 1);

	*out = (struct moore_topo_counts){
		.switches = l * leaves + leaves * r1 / r2,
		.links = l * leaves * r1,
		.endpoints = l * leaves * p,
		.degree = (uint32_t)(r1 > l * r2 ? r1 : l * r2),
		.radix = (uint32_t)(r1 + p > l * r2 ? r1 + p : l * r2),
	};
}

/* ---- pairs and triples ------------------------------------------------------------------ */

static void
list_pairs(struct blocks *b)
{
	uint32_t *out = b->point;

	for (uint32_t i = 0; i < b->n_points; i++)
		for (uint32_t k = i + 1; k < b->n_points; k++) {
			*out++ = i;
			*out++ = k;
		}
	b->n = (uint32_t)(out - b->point) / 2;
}

static void
add_triple(struct blocks *b, uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t *out = b->point + 3 * (size_t)b->n++;

	out[0] = x;
	out[1] = y;
	out[2] = z;
}

/* Points are m numbers on each of three levels, and with an even m one more.  Two numbers of one
 * level go with their half sum on the next level: x + y halved modulo an odd m; with an even m, x
 * + y modulo m halved, and half of m added where that is odd.  Then those numbers that are half
 * sums with themselves lack a block over the levels. */
static void
list_triples(struct blocks *b)
{
	const uint32_t m = b->n_points / 3, even = m % 2 == 0;

	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t x = 0; x < m; x++)
			for (uint32_t y = x + 1; y < m; y++) {
				const uint32_t sum = (x + y) % m, half = even ? m / 2 : (m + 1) / 2;
				const uint32_t z = even ? sum / 2 + sum % 2 * half : sum * half % m;

				add_triple(b, i * m + x, i * m + y, (i + 1) % 3 * m + z);
			}
	for (uint32_t x = 0; x < (even ? m / 2 : m); x++)
		add_triple(b, x, m + x, 2 * m + x);
	for (uint32_t x = 0; even && x < m / 2; x++)
		for (uint32_t i = 0; i < 3; i++)
			add_triple(b, b->n_points - 1, i * m + m / 2 + x, (i + 1) % 3 * m + x);
}

/* ---- lines of affine and projective spaces --------------------------------------------------- */

static uint32_t
digits(const struct blocks *b, const uint32_t *v)
{
	uint32_t number = 0;

	for (unsigned i = 0; i < b->width; i++)
		number = number * b->f->q + v[i];
	return number;
}

/* True if the first coordinate that is not 0 is 1. */
static bool
is_normal(const struct blocks *b, const uint32_t *v)
{
	unsigned i = 0;

	while (i < b->width && !v[i])
		i++;
	return i < b->width && v[i] == 1;
}

/* Numbers the points: all vectors, of a projective space the normal ones. */
static void
list_points(struct blocks *b, bool projective)
{
	uint32_t v[MAX_DIMENSIONS] = { 0 }, n = 0, total = 1;

	for (unsigned i = 0; i < b->width; i++)
		total *= b->f->q;
	for (uint32_t k = 0; k < total; k++) {
		uint32_t rest = k;

		for (unsigned i = b->width; i-- > 0; rest /= b->f->q)
			v[i] = rest % b->f->q;
		if (projective && !is_normal(b, v))
			continue;
		memcpy(b->at[n], v, sizeof(v));
		b->number[k] = n++;
	}
}

/* The point t * v + s * w; of a projective space, its normal multiple. */
static uint32_t
combine(const struct blocks *b, uint32_t t, const uint32_t *v, uint32_t s, const uint32_t *w,
	bool projective)
{
	const struct moore_gf *f = b->f;
	uint32_t u[MAX_DIMENSIONS] = { 0 }, by = 0;

	for (unsigned i = 0; i < b->width; i++) {
		u[i] = moore_gf_add(f, moore_gf_mul(f, t, v[i]), moore_gf_mul(f, s, w[i]));
		if (!by && u[i])
			by = f->inv[u[i]];
	}
	for (unsigned i = 0; projective && i < b->width; i++)
		u[i] = moore_gf_mul(f, u[i], by);
	return b->number[digits(b, u)];
}

/* Lists the line through two points. */
static void
add_line(struct blocks *b, uint32_t x, uint32_t y, bool projective)
{
	const struct moore_gf *f = b->f;
	uint32_t *line = b->point + (size_t)b->n++ * b->r2, n = 0;

	/* The points x + t (y - x); or t x + y, and x. */
	for (uint32_t t = 0; t < f->q; t++)
		line[n++] = combine(b, t, b->at[x],
				    projective ? 1 : moore_gf_add(f, 1, f->neg[t]), b->at[y], projective);
	if (projective)
		line[n++] = x;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			moore_bits_set(b->covered, (size_t)line[i] * b->n_points + line[k]);
}

static void
list_lines(struct blocks *b, bool projective)
{
	list_points(b, projective);
	for (uint32_t x = 0; x < b->n_points; x++)
		for (uint32_t y = x + 1; y < b->n_points; y++)
			if (!moore_bits_get(b->covered, (size_t)x * b->n_points + y))
				add_line(b, x, y, projective);
}

static int
make_lines(struct blocks *b, uint32_t r1, bool projective, struct moore_arena *tmp,
	   struct moore_err *err)
{
	const uint32_t q = b->r2 - projective;
	struct moore_gf *f = NULL;
	uint32_t total = 1;
	int rc = 0;

	b->width = dimension(r1, q) + projective;
	for (unsigned i = 0; i < b->width; i++)
		total *= q;
	b->at = moore_arena_alloc(tmp, b->n_points, sizeof(*b->at));
	b->number = moore_arena_alloc(tmp, total, sizeof(*b->number));
	b->covered = moore_arena_alloc(tmp, moore_bits_words((size_t)b->n_points * b->n_points),
				       sizeof(*b->covered));
	if (!b->at || !b->number || !b->covered)
		return moore_fail_nomem(err);
	if ((rc = moore_gf_new(&f, q, err)) < 0)
		return rc;
	b->f = f;
	list_lines(b, projective);
	moore_gf_free(f);
	return 0;
}

/* ---- the network --------------------------------------------------------------------------- */

static int
make_blocks(struct blocks *b, const int64_t *param, struct moore_arena *tmp, struct moore_err *err)
{
	const uint32_t r1 = (uint32_t)param[R1], r2 = (uint32_t)param[R2];
	const enum kind kind = kind_of(param);

	*b = (struct blocks){ .r2 = r2, .n_points = 1 + r1 * (r2 - 1) };
	if (!(b->point = moore_arena_alloc(tmp, (size_t)b->n_points * r1, sizeof(*b->point))))
		return moore_fail_nomem(err);
	if (kind == AFFINE || kind == PROJECTIVE)
		return make_lines(b, r1, kind == PROJECTIVE, tmp, err);
	if (kind == PAIRS)
		list_pairs(b);
	else
		list_triples(b);
	return 0;
}

static void
fill(struct moore_topo_draft *d, const struct blocks *b, uint32_t layers, uint16_t endpoints)
{
	for (uint32_t s = 0; s < layers * b->n_points; s++)
		moore_topo_draft_switch(d, s, endpoints, "t%u-%u", s / b->n_points, s % b->n_points);
	for (uint32_t i = 0; i < b->n; i++) {
		const uint32_t block = layers * b->n_points + i;

		moore_topo_draft_switch(d, block, 0, "b%u", i);
		for (uint32_t k = 0; k < b->r2; k++)
			for (uint32_t l = 0; l < layers; l++)
				moore_topo_draft_join(d, l * b->n_points + b->point[(size_t)i * b->r2 + k],
						      block);
	}
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_topo_draft d;
	struct blocks b;
	int rc;

	if ((rc = make_blocks(&b, param, &tmp, err)) == 0 &&
	    (rc = moore_topo_draft_init(&d, t, err)) == 0) {
		fill(&d, &b, (uint32_t)param[L], (uint16_t)param[P]);
		rc = moore_topo_draft_finish(&d, err);
	}
	moore_arena_free(&tmp);
	return rc;
}

const struct moore_topo_family moore_topo_sspt = {
	.name = "sspt",
	.title = "Stacked Single-Path Trees",
	.source = "Kathareios et al., SC'15, section 2.2.2",
	.param = {
		[R1] = { .key = "r1", .min = 2, .max = 127, .required = true,
			 .help = "links of a switch with endpoints" },
		[R2] = { .key = "r2", .min = 2, .max = 127, .required = true,
			 .help = "links of an upper switch to one layer" },
		[L] = { .key = "l", .min = 1, .max = 127, .dflt = MOORE_TOPO_DERIVED,
			.help = "layers (default: 2*r1/r2, so that all switches have as many ports)" },
		[P] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX,
			.dflt = MOORE_TOPO_DERIVED,
			.help = "endpoints on each switch of a layer (default: r1)" },
	},
	.resolve = resolve,
	.counts = counts,
	.build = build,
};

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/math.h - finite fields and projective planes over them.
 * Pure: every table is determined by its order. */
#ifndef MOORE_MATH_H
#define MOORE_MATH_H

#include "base.h"

MOORE_BEGIN

/* True if q = prime^exponent with q >= 2; then sets *prime and *exponent, which may be
 * NULL. O(sqrt q). */
MOORE_API bool moore_prime_power(uint32_t q, uint32_t *prime, unsigned *exponent);

/* The Galois field GF(q), q a prime power <= 512.  Its elements are 0..q-1; 0 and 1 are the
 * neutral ones.  For q = p^e an element is the number whose base-p digits are the
 * coefficients of its polynomial (least first), modulo the lexicographically least monic
 * irreducible polynomial. */
struct moore_gf {
	uint32_t q, prime;
	unsigned exponent;
	uint32_t generator;	/* least primitive element */
	uint16_t *add, *mul;	/* q x q tables, row-major */
	uint16_t *neg, *inv;	/* inv[0] is 0 */
};

/* -MOORE_EINVAL: q is no prime power or is too large; -MOORE_ENOMEM.  O(q^2). */
MOORE_API int moore_gf_new(struct moore_gf **out, uint32_t q, struct moore_err *err);
MOORE_API void moore_gf_free(struct moore_gf *f);

static inline uint32_t
moore_gf_add(const struct moore_gf *f, uint32_t a, uint32_t b)
{
	return f->add[a * f->q + b];
}

static inline uint32_t
moore_gf_mul(const struct moore_gf *f, uint32_t a, uint32_t b)
{
	return f->mul[a * f->q + b];
}

/* Writes the points of each line of the projective plane of order n over GF(n) to out:
 * n*n+n+1 lines of n+1 points, row by row; the caller provides that many entries.  The
 * arrangement is the maximal-leaves building block of Kathareios 2015, section 2.2.4 (from
 * n-1 orthogonal Latin squares a*x+y).  Any two lines share one point, and any two points
 * one line. */
MOORE_API void moore_plane_lines(const struct moore_gf *f, uint32_t *out);

MOORE_END

#endif

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* gf.c - the tables of a Galois field GF(p^e).
 *
 * An element is the number whose base-p digits are the coefficients of its polynomial.
 * Products are taken modulo x^e + r(x).  The first r for which every element but 0 has an
 * inverse is used: a finite ring of residues is a field exactly if its polynomial is
 * irreducible, so no polynomial has to be factored.
 * Source: Lidl and Niederreiter, "Finite Fields", chapters 1 and 2. */
#include <stdlib.h>

#include "moore/math.h"

#define MAX_ORDER 512

/* Fills in sums and negatives, digit by digit.  The upper digits of a number are a smaller
 * number, whose row is filled in already. */
static void
fill_sums(struct moore_gf *f)
{
	const uint32_t p = f->prime, q = f->q;

	for (uint32_t a = 1; a < q; a++)
		f->neg[a] = (uint16_t)((p - a % p) % p + p * f->neg[a / p]);
	for (uint32_t a = 0; a < q; a++)
		for (uint32_t b = a ? 0 : 1; b < q; b++)
			f->add[a * q + b] = (uint16_t)((a % p + b % p) % p +
						       p * f->add[a / p * q + b / p]);
}

/* Returns t * x modulo x^e + r: the digits move up, and x^e is -r. */
static uint32_t
times_x(const struct moore_gf *f, uint32_t t, uint32_t r)
{
	const uint32_t top = f->q / f->prime;
	uint32_t sum = t % top * f->prime;

	for (uint32_t n = t / top; n; n--)
		sum = moore_gf_add(f, sum, f->neg[r]);
	return sum;
}

/* Fills in products modulo x^e + r, and inverses.  Returns true if the result is a field. */
static bool
fill_products(struct moore_gf *f, uint32_t r)
{
	const uint32_t p = f->prime, q = f->q;

	for (uint32_t a = 1; a < q; a++) {
		uint16_t *row = f->mul + a * q;

		f->inv[a] = 0;
		for (uint32_t b = 1; b < q; b++) {
			row[b] = (uint16_t)(b % p ? moore_gf_add(f, row[b - 1], a) :
					    times_x(f, row[b / p], r));
			if (row[b] == 1)
				f->inv[a] = (uint16_t)b;
		}
		if (!f->inv[a])
			return false;
	}
	return true;
}

static uint32_t
order_of(const struct moore_gf *f, uint32_t a)
{
	uint32_t n = 1;

	for (uint32_t t = a; t != 1; t = moore_gf_mul(f, t, a))
		n++;
	return n;
}

int
moore_gf_new(struct moore_gf **out, uint32_t q, struct moore_err *err)
{
	struct moore_gf *f;
	uint32_t r = 0;

	*out = NULL;
	if (q > MAX_ORDER || !moore_prime_power(q, NULL, NULL))
		return moore_fail(err, MOORE_EINVAL, 0,
				  "GF(%u): no such field here, the order is a prime power up to %u",
				  q, MAX_ORDER);
	if (!(f = calloc(1, sizeof(*f))) ||
	    !(f->add = calloc(2 * ((size_t)q * q + q), sizeof(*f->add)))) {
		free(f);
		return moore_fail_nomem(err);
	}
	moore_prime_power(q, &f->prime, &f->exponent);
	f->q = q;
	f->mul = f->add + (size_t)q * q;
	f->neg = f->mul + (size_t)q * q;
	f->inv = f->neg + q;
	fill_sums(f);
	while (!fill_products(f, r))
		r++;
	for (f->generator = 1; order_of(f, f->generator) != q - 1; )
		f->generator++;
	*out = f;
	return 0;
}

void
moore_gf_free(struct moore_gf *f)
{
	if (f)
		free(f->add);
	free(f);
}

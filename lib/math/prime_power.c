// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* prime_power.c - tests whether q is a power of a prime: it is if dividing by its least
 * factor as often as possible leaves 1. */
#include "moore/math.h"

static uint32_t
least_factor(uint32_t q)
{
	for (uint32_t d = 2; (uint64_t)d * d <= q; d++)
		if (q % d == 0)
			return d;
	return q;
}

bool
moore_prime_power(uint32_t q, uint32_t *prime, unsigned *exponent)
{
	unsigned e = 0;
	uint32_t p;

	if (q < 2)
		return false;
	for (p = least_factor(q); q % p == 0; q /= p)
		e++;
	if (q != 1)
		return false;
	if (prime)
		*prime = p;
	if (exponent)
		*exponent = e;
	return true;
}

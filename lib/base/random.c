// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* random.c - a seeded generator (splitmix64: Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014) and a hash (FNV-1a). */
#include "moore/base.h"

uint64_t
moore_rng_next(struct moore_rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

uint32_t
moore_rng_below(struct moore_rng *r, uint32_t n)
{
	/* The high half of a 32 x 64 bit product: bias below 2^-32. */
	return (uint32_t)((moore_rng_next(r) >> 32) * n >> 32);
}

uint64_t
moore_hash(uint64_t h, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* random.c - the seeded generator. */
#include "base/random.h"

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
	/* Taking the high half of a 32 x 64 bit product keeps the bias below 2^-32. */
	return (uint32_t)((moore_rng_next(r) >> 32) * n >> 32);
}

void
moore_rng_shuffle(struct moore_rng *r, uint32_t *list, uint32_t n)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = moore_rng_below(r, i), x = list[i - 1];

		list[i - 1] = list[k];
		list[k] = x;
	}
}

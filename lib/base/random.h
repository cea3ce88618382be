/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* random.h - a seeded generator: splitmix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014). */
#ifndef MOORE_BASE_RANDOM_H
#define MOORE_BASE_RANDOM_H

#include <stdint.h>

struct moore_rng {
	uint64_t state;		/* at first the seed */
};

uint64_t moore_rng_next(struct moore_rng *r);
/* Returns a number from 0 to n - 1, all equally likely; n > 0. */
uint32_t moore_rng_below(struct moore_rng *r, uint32_t n);
/* Puts list[n] in an order, all equally likely (Durstenfeld, "Algorithm 235", CACM 1964). */
void moore_rng_shuffle(struct moore_rng *r, uint32_t *list, uint32_t n);

#endif

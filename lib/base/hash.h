/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* hash.h - one step of moore_hash(), for loops over values that do not lie side by side in memory. */
#ifndef MOORE_BASE_HASH_H
#define MOORE_BASE_HASH_H

#include <stdint.h>

#define MOORE_HASH_PRIME 0x100000001b3ull	/* of FNV-1a with 64 bits */

static inline uint64_t
moore_hash_step(uint64_t h, uint64_t value)
{
	return (h ^ value) * MOORE_HASH_PRIME;
}

#endif

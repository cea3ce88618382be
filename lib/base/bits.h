/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* bits.h - sets of small numbers, with one bit for each number. */
#ifndef MOORE_BASE_BITS_H
#define MOORE_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t
moore_bits_words(size_t n)
{
	return (n + 63) / 64;
}

static inline bool
moore_bits_get(const uint64_t *b, size_t i)
{
	return b[i / 64] >> (i % 64) & 1;
}

static inline void
moore_bits_set(uint64_t *b, size_t i)
{
	b[i / 64] |= (uint64_t)1 << (i % 64);
}

static inline void
moore_bits_clear(uint64_t *b, size_t i)
{
	b[i / 64] &= ~((uint64_t)1 << (i % 64));
}

/* Returns how many numbers are in the set b, which has one word. */
static inline uint32_t
moore_bits_count(uint64_t b)
{
	b -= b >> 1 & 0x5555555555555555ull;
	b = (b & 0x3333333333333333ull) + (b >> 2 & 0x3333333333333333ull);
	b = (b + (b >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (uint32_t)(b * 0x0101010101010101ull >> 56);
}

#endif

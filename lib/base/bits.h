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

#endif

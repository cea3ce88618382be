/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* sorted.h - search in sorted numbers. */
#ifndef MOORE_BASE_SORTED_H
#define MOORE_BASE_SORTED_H

#include <stdint.h>

/* Returns the index of `want` in a[lo] to a[hi - 1], which rise, or hi if it is not there. */
static inline uint32_t
moore_sorted_find(const uint32_t *a, uint32_t lo, uint32_t hi, uint32_t want)
{
	uint32_t end = hi;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (a[mid] < want)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < end && a[lo] == want ? lo : end;
}

#endif

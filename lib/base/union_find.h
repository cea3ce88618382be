/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* union_find.h - parts of a set of numbers that are joined two at a time (union and find).
 *
 * of[i] leads from i to another number of its part, and at last to one that leads to itself. */
#ifndef MOORE_BASE_UNION_FIND_H
#define MOORE_BASE_UNION_FIND_H

#include <stdbool.h>
#include <stdint.h>

/* Makes each of n numbers a part of its own. */
static inline void
moore_union_start(uint32_t *of, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		of[i] = i;
}

/* Returns the number that stands for the part of i. */
static inline uint32_t
moore_union_find(uint32_t *of, uint32_t i)
{
	while (of[i] != i)
		i = of[i] = of[of[i]];
	return i;
}

/* Joins the parts of a and b; returns whether they were two. */
static inline bool
moore_union_join(uint32_t *of, uint32_t a, uint32_t b)
{
	a = moore_union_find(of, a);
	b = moore_union_find(of, b);
	of[a] = b;
	return a != b;
}

#endif

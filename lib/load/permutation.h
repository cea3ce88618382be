/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* permutation.h - permutations and matchings of the greatest worth, for lib/load alone. */
#ifndef MOORE_LOAD_PERMUTATION_H
#define MOORE_LOAD_PERMUTATION_H

#include "base/arena.h"
#include "moore/base.h"

/* Sets to[i] to a permutation of 0..n-1 for which the sum of worth[i * n + to[i]] is
 * greatest (to within rounding).  O(n^3).  -MOORE_ENOMEM. */
int moore_assign(uint32_t *to, const double *worth, uint32_t n, struct moore_err *err);

struct moore_pair {
	uint32_t a, b;
	double worth;
};
/* Sets mate[v] for n vertices to a matching of the greatest possible size, MOORE_NONE where
 * v is left over.  Prefers pairs with more worth, as far as taking them greedily does; sorts
 * the pairs.  O(n^3).  -MOORE_ENOMEM. */
int moore_match(uint32_t *mate, uint32_t n, struct moore_pair *pair, size_t n_pairs,
		struct moore_err *err);

#endif

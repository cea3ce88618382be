/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* marks.h - vertices in the order of a hash, so that those with the same hash stand together. */
#ifndef MOORE_TOPO_MARKS_H
#define MOORE_TOPO_MARKS_H

#include <stdint.h>
#include <stdlib.h>

struct moore_mark {
	uint64_t hash;
	uint32_t v;
};

static inline int
moore_marks_compare(const void *a, const void *b)
{
	const struct moore_mark *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->v < y->v ? -1 : x->v > y->v;
}

/* Sorts by hash, and vertices with the same hash by number. */
static inline void
moore_marks_sort(struct moore_mark *mark, size_t n)
{
	qsort(mark, n, sizeof(*mark), moore_marks_compare);
}

#endif

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* marks.c - sorts vertices by their hashes.
 *
 * Hashes are spread evenly, so the first bits put the marks into about as many buckets as there are
 * marks.  Few hashes share a bucket; equal ones stay as they are. */
#include <string.h>

#include "topo/marks.h"

/* The bits that number buckets: as many as n has. */
static unsigned
bits_of(uint32_t n)
{
	unsigned bits = 1;

	while (n >>= 1)
		bits++;
	return bits;
}

bool
moore_marks_room(struct moore_marks_room *r, size_t n, struct moore_arena *tmp)
{
	r->mark = moore_arena_alloc(tmp, n + 1, sizeof(*r->mark));
	r->begin = moore_arena_alloc(tmp, 2 * n + 2, sizeof(*r->begin));
	return r->mark && r->begin;
}

void
moore_marks_sort(struct moore_mark *mark, uint32_t n, struct moore_marks_room *r)
{
	const unsigned shift = 64 - bits_of(n);
	const uint32_t n_buckets = (uint32_t)1 << bits_of(n);
	uint32_t *begin = r->begin, sum = 0;

	memset(begin, 0, n_buckets * sizeof(*begin));
	for (uint32_t i = 0; i < n; i++)
		begin[mark[i].hash >> shift]++;
	for (uint32_t k = 0; k < n_buckets; k++) {
		const uint32_t size = begin[k];

		begin[k] = sum;
		sum += size;
	}
	for (uint32_t i = 0; i < n; i++)
		r->mark[begin[mark[i].hash >> shift]++] = mark[i];
	for (uint32_t i = 0; i < n; i++) {
		const struct moore_mark m = r->mark[i];
		uint32_t k = i;

		for (; k && mark[k - 1].hash > m.hash; k--)
			mark[k] = mark[k - 1];
		mark[k] = m;
	}
}

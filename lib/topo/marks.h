/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* marks.h - vertices in the order of a hash, so that those with the same hash stand together. */
#ifndef MOORE_TOPO_MARKS_H
#define MOORE_TOPO_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct moore_mark {
	uint64_t hash;
	uint32_t v;
};

struct moore_marks_room {	/* what sorting needs meanwhile */
	struct moore_mark *mark;
	uint32_t *begin;
};

/* Makes room for n marks, which lives as long as tmp.  False when out of memory. */
bool moore_marks_room(struct moore_marks_room *r, size_t n, struct moore_arena *tmp);
/* Sorts by hash.  Vertices with the same hash keep their sequence.  O(n) if hashes are spread evenly
 * over 64 bits. */
void moore_marks_sort(struct moore_mark *mark, uint32_t n, struct moore_marks_room *r);

#endif

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* arena.c - blocks of 64 KiB or more in a list, each filled from its front. */
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"

#define BLOCK ((size_t)64 << 10)

struct moore_arena_block {
	struct moore_arena_block *next;
	size_t used, size;
	alignas(16) unsigned char mem[];
};

void *
moore_arena_alloc(struct moore_arena *a, size_t n, size_t size)
{
	struct moore_arena_block *b = a->head;
	size_t want;
	void *p;

	if (size && n > (SIZE_MAX - sizeof(*b) - 16) / size)
		return NULL;
	want = (n * size + 15) & ~(size_t)15;
	if (!b || b->size - b->used < want) {
		size_t room = want > BLOCK ? want : BLOCK;

		if (!(b = calloc(1, sizeof(*b) + room)))
			return NULL;
		b->size = room;
		b->next = a->head;
		a->head = b;
	}
	p = b->mem + b->used;
	b->used += want;
	return p;
}

void
moore_arena_free(struct moore_arena *a)
{
	while (a->head) {
		struct moore_arena_block *b = a->head;

		a->head = b->next;
		free(b);
	}
}

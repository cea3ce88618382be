// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mem.c - scratch memory that dies together: blocks of 64 KiB and more, each
 * filled from its front; and arrays that grow. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "moore/base.h"

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

void *
moore_grow(void *array, uint32_t n, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 64;
	void *p;

	if (n < *cap)
		return array;
	if ((p = realloc(array, more * size)))
		*cap = more;
	return p;
}

char *
moore_strndup(const char *s, size_t len)
{
	char *p = malloc(len + 1);

	if (!p)
		return NULL;
	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

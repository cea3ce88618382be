/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* arena.h - scratch memory that is freed all at once. */
#ifndef MOORE_BASE_ARENA_H
#define MOORE_BASE_ARENA_H

#include <stddef.h>

struct moore_arena {
	struct moore_arena_block *head;
};
#define MOORE_ARENA_INIT { NULL }

/* n * size zeroed bytes that live until moore_arena_free(); NULL when out of memory. */
void *moore_arena_alloc(struct moore_arena *a, size_t n, size_t size);
void moore_arena_free(struct moore_arena *a);

#endif

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mem.c - arrays that grow, and copies of text. */
#include <stdlib.h>
#include <string.h>

#include "moore/base.h"

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

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hash.c - FNV-1a, 64 bits. */
#include "base/hash.h"
#include "moore/base.h"

uint64_t
moore_hash(uint64_t h, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		h = moore_hash_step(h, p[i]);
	return h;
}

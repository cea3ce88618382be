/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* since.h - since when each deviation of a plane stands.  Any thread; the caller owns. */
#ifndef MOORED_SINCE_H
#define MOORED_SINCE_H

#include <jansson.h>

#include "moore/base.h"

struct since {
	uint64_t hash;		/* of a deviation, as moore_json_deviation() writes it */
	uint64_t at_ms;		/* of the first scan that found it, and each later scan did, too */
};
struct sinces {
	struct since *of;	/* by hash */
	size_t n;
};

/* The list for these deviations: what old has stays, the others stand since at_ms.  False: out
 * of memory. */
bool sinces_next(struct sinces *out, const struct sinces *old, const json_t *deviations,
		 uint64_t at_ms);
bool sinces_copy(struct sinces *out, const struct sinces *from);
bool sinces_equal(const struct sinces *a, const struct sinces *b);
void sinces_free(struct sinces *s);
/* Gives each deviation the key "since": of the list, or at_ms when it is new. */
void sinces_put(const struct sinces *s, json_t *deviations, uint64_t at_ms);
/* The list as a file of lines, "HASH MS" in hexadecimal, and back.  A line that is no such
 * pair ends the reading: what is before it counts.  False: out of memory. */
bool sinces_write(const struct sinces *s, struct moore_buf *out);
bool sinces_read(struct sinces *out, const char *text, size_t len);

#endif

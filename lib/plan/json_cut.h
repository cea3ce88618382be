/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* json_cut.h - cuts a JSON text into values without building them, so that a parser that
 * builds trees, at up to fifty bytes of memory for a byte of text, gets one small value
 * at a time.
 *
 * Only quotes and brackets are looked at: the parser of a slice checks it.  Each function
 * moves the cursor forward in O(bytes passed) time and allocates nothing. */
#ifndef MOORE_PLAN_JSON_CUT_H
#define MOORE_PLAN_JSON_CUT_H

#include "moore/base.h"

/* Bytes of one value: the longest element of a plan, with every name and label escaped,
 * takes less than 4 KiB. */
#define MOORE_CUT_VALUE_MAX ((size_t)1 << 16)

struct moore_cut {
	const char *text, *at, *end;	/* text..end; at: what comes next */
};

/* Moves past blanks.  Returns the character there, or -1 at the end of the text. */
int moore_cut_peek(struct moore_cut *c);
/* Moves past blanks and then past the character want; false, without moving past
 * anything but blanks, when another one is there. */
bool moore_cut_char(struct moore_cut *c, char want);
/* Moves past blanks and one value, which is then slice..c->at.  -MOORE_ESYNTAX when the
 * text ends inside the value, when it is longer than MOORE_CUT_VALUE_MAX, or when there
 * is none; c stays at its start. */
int moore_cut_value(struct moore_cut *c, const char **slice, struct moore_err *err);
/* Moves past an array, whose first byte is at c->at, and counts its elements.
 * 1, and c inside the array, when it has more than max; -MOORE_ESYNTAX as above. */
int moore_cut_array(struct moore_cut *c, uint32_t max, uint32_t *n, struct moore_err *err);
/* Fills *err with what and the line and column of at.  Returns -MOORE_ESYNTAX. */
int moore_cut_fail(const struct moore_cut *c, const char *at, const char *what,
		   struct moore_err *err);

#endif

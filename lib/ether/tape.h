/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* tape.h - a JSON text as a flat list of its values, for documents that are read in bulk.
 *
 * The answers of a thousand switches are some 80 MB, which jansson reads at 40 MB/s, with an
 * allocation for each value.  A tape has one array, points into the text and copies nothing. */
#ifndef MOORE_TAPE_H
#define MOORE_TAPE_H

#include <string.h>

#include "moore/base.h"

enum moore_json_kind {
	MOORE_JSON_OBJECT, MOORE_JSON_ARRAY, MOORE_JSON_STRING, MOORE_JSON_NUMBER, MOORE_JSON_TRUE,
	MOORE_JSON_FALSE, MOORE_JSON_NULL
};

struct moore_json_item {
	uint32_t at, len;	/* of its text; a string's is without quotes.  len: bytes, or how
				 * many values an array or object has */
	uint32_t next;		/* the item behind it and all that it holds */
	uint8_t kind;		/* enum moore_json_kind */
};

/* An item is named by its index; the first is 1, and 0 is none, of which everything is absent.
 * The values of an array follow it; those of an object each follow their key. */
struct moore_tape {
	const char *text;	/* borrowed */
	struct moore_json_item *item;
	uint32_t n, cap;
};

#define MOORE_TAPE_DEPTH 64
#define MOORE_TAPE_KEYS 1024	/* of an object */

/* Reads a text of less than 4 GiB.  -MOORE_ESYNTAX with err->line, also when a key occurs twice
 * in an object.  Bytes above 0x7f are taken as they are.  O(len) for objects of few keys. */
int moore_tape_read(struct moore_tape *t, const char *text, size_t len, struct moore_err *err);
void moore_tape_fini(struct moore_tape *t);

static inline bool
moore_tape_is(const struct moore_tape *t, uint32_t i, enum moore_json_kind kind)
{
	return i && t->item[i].kind == kind;
}

/* The value of a key; 0 when it is missing, or i is no object. */
uint32_t moore_tape_get(const struct moore_tape *t, uint32_t i, const char *key);
bool moore_tape_is_text(const struct moore_tape *t, uint32_t i, const char *text);
/* Copies a string, its escapes resolved (an escaped character beyond ASCII becomes ?), into out,
 * of size bytes.  False when it is no string, holds a NUL or is too long. */
bool moore_tape_text(const struct moore_tape *t, uint32_t i, char *out, size_t size);
/* A whole number up to max, 0 when it is anything else. */
uint64_t moore_tape_number(const struct moore_tape *t, uint32_t i, uint64_t max);

#endif

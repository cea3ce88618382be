/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/keys.h - files of `key value` lines, in which # starts a comment.  One table has a
 * row for each key; the parser, the defaults, the template and, by tests/conf-keys, the man
 * page come from it.  moore.conf and moored.conf are such files. */
#ifndef MOORE_KEYS_H
#define MOORE_KEYS_H

#include "base.h"

MOORE_BEGIN

#define MOORE_KEYS_MAX 64	/* rows of a table */

enum moore_key_type {
	MOORE_KEY_U32, MOORE_KEY_U64,	/* a number from min to max, decimal or 0x... */
	MOORE_KEY_TEXT,		/* a char array of max bytes; (null) is the empty text */
	MOORE_KEY_WORD,		/* one of words; the field is an enum, the word's position */
	MOORE_KEY_PER_SL,	/* uint8_t[MOORE_N_SL]: numbers from min to max with commas
				 * between; the last one holds for the SLs that follow */
};

struct moore_key {
	const char *key;
	enum moore_key_type type;
	uint64_t min, max;
	const char *words;	/* "any-sl|sl-hint"; NULL unless MOORE_KEY_WORD */
	const char *dflt;	/* as written in the file */
	const char *help;
	size_t offset;		/* of the field in the structure that is filled */
	bool restart;		/* the program takes a new value only when it is restarted */
};

struct moore_keys {
	const struct moore_key *row;
	size_t n;
	const char *head;	/* first lines of the template */
	const char *lister;	/* the command that prints the template, for messages */
};

/* Sets every field to its default. */
MOORE_API void moore_keys_defaults(const struct moore_keys *t, void *out);
/* Sets the fields of the keys that the text has.  line (may be NULL) has room for t->n
 * elements: the line of each key, 0 when the text does not have it.  -MOORE_ESYNTAX sets
 * err->line and err->text: "key: why", with "path:line: " before it unless path is NULL;
 * *out is then partly set.  O(len * keys). */
MOORE_API int moore_keys_parse(const struct moore_keys *t, void *out, const char *path,
			       const char *text, size_t len, unsigned *line,
			       struct moore_err *err);
/* Overwrites a line with blanks, so that moore_keys_parse() finds the next fault of a text after
 * this one.  O(len). */
MOORE_API void moore_keys_skip(char *text, size_t len, unsigned line);
/* The first line that sets this key; 0 when there is none.  O(len). */
MOORE_API unsigned moore_keys_line(const char *text, size_t len, const char *key);
/* Sets the field of one key of the table.  -MOORE_ESYNTAX leaves it as it was. */
MOORE_API int moore_keys_set(const struct moore_keys *t, void *out, const char *key,
			     const char *value, struct moore_err *err);
/* Appends a file with every key, its help and its default. */
MOORE_API void moore_keys_template(const struct moore_keys *t, struct moore_buf *out);

MOORE_END

#endif

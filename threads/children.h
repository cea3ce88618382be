/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* children.h - runs commands that the user has configured for many switches, several at once,
 * without a shell, each bounded in time and output. */
#ifndef MOORE_CHILDREN_H
#define MOORE_CHILDREN_H

#include "moore/base.h"

/* A word of a template, such as "{switch}", and what stands in its place. */
struct child_place {
	const char *name, *value;
};
/* Divides a template at blanks and replaces the places within each word.  The caller frees *argv
 * and argv[0], which holds all words; NULL when out of memory or without a word. */
char **child_words(const char *text, const struct child_place *places, size_t n);

struct child {
	char **argv;			/* ends with NULL */
	const struct moore_buf *input;	/* NULL: none */
	struct moore_buf output;	/* of standard output and error; the caller frees it */
	const char *why;		/* NULL: it ended with 0; else what went wrong */
	/* The runner's own: */
	int pid, in, out, status;
	size_t sent;
	long deadline;
};

#define CHILD_OUTPUT_MAX ((size_t)64 << 20)

/* Runs all of them, `width` at a time; a child that has not ended after `seconds` is killed.
 * At least once a second go_on(arg, share) is told what share of them has ended, 0 to 1; when it
 * returns false, all that run are killed and no more are started.  go_on may be NULL. */
void children_run(struct child *c, size_t n, unsigned width, unsigned seconds,
		  bool (*go_on)(void *arg, double share), void *arg);

#endif

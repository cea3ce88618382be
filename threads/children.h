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
	struct moore_buf output;	/* of standard output; the caller frees it */
	char why[160];			/* "": it ended with 0; else what went wrong: the first line of
					 * its standard error, if there is one */
	/* The runner's own: */
	int pid, in, out, errors;
	bool killed;
	size_t sent, n_why;
	long deadline;
};

struct child_rules {
	unsigned width;			/* how many run at a time */
	unsigned seconds;		/* a child that has not ended by then is killed */
	size_t output_max;		/* likewise one that prints more bytes */
	bool ends_at_failure;		/* once one has failed, no more are started */
	/* Each may be NULL.  go_on is called at least once a second, and when a signal came, with
	 * the share that has ended, 0 to 1; when it returns false, all that run are killed and no
	 * more are started.  ended(arg, i) is called when child i has ended by itself or was late
	 * or too long; it may free the output. */
	bool (*go_on)(void *arg, double share);
	void (*ended)(void *arg, size_t i);
	void *arg;
};

/* Runs all of them. */
void children_run(struct child *c, size_t n, const struct child_rules *rules);
/* Frees the words and outputs of all, and empties them. */
void children_free(struct child *c, size_t n);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* children.h - runs commands that the user has configured for many switches, several at once,
 * without a shell, each bounded in time and output. */
#ifndef MOORE_CLI_CHILDREN_H
#define MOORE_CLI_CHILDREN_H

#include "cli.h"

/* A word of a template, such as "{switch}", and what stands in its place. */
struct cli_place {
	const char *name, *value;
};
/* Divides a template at blanks and replaces the places within each word.  The caller frees *argv
 * and argv[0], which holds all words; NULL when out of memory or without a word. */
char **cli_words(const char *text, const struct cli_place *places, size_t n);

struct cli_child {
	char **argv;			/* ends with NULL */
	const struct moore_buf *input;	/* NULL: none */
	struct moore_buf output;	/* of standard output and error; the caller frees it */
	const char *why;		/* NULL: it ended with 0; else what went wrong */
	/* The runner's own: */
	int pid, in, out, status;
	size_t sent;
	long deadline;
};

#define CLI_CHILD_OUTPUT_MAX ((size_t)64 << 20)

/* Runs all of them, `width` at a time; a child that has not ended after `seconds` is killed. */
void cli_children_run(struct cli_child *c, size_t n, unsigned width, unsigned seconds);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* term.h - the terminal: its size, tables that fit it, the pager. */
#ifndef MOORE_CLI_TERM_H
#define MOORE_CLI_TERM_H

#include "cli.h"

/* Columns of standard output; SIZE_MAX, so that nothing is cut, when it is no terminal. */
size_t cli_width(void);
size_t cli_height(void);	/* rows; SIZE_MAX when it is no terminal */
/* False for bytes that continue a character, and for colour marks. */
bool cli_has_width(char c);

/* Appends text with its long lines wrapped, except rows of tables (wrap.c). */
void cli_wrap(struct moore_buf *out, const struct moore_buf *text);

/* A table, with two spaces between columns.  On a terminal that is too narrow the widest
 * columns of kind CLI_CUT are cut in their middle, since the ends of names differ most. */
struct cli_col {
	const char *head;	/* NULL ends the list */
	enum { CLI_LEFT, CLI_RIGHT, CLI_CUT } how;	/* CLI_CUT: left, may be cut */
};
struct cli_grid {
	const struct cli_col *col;
	char **cell;
	size_t n, cap;
	bool oom;
};
#define CLI_GRID(cols) { .col = (cols) }
/* Adds the next cell, which may hold colour marks. */
void cli_cell(struct cli_grid *g, const char *fmt, ...) MOORE_PRINTF(2, 3);
/* Appends the table with its heads, and frees g. */
void cli_put_grid(struct moore_buf *b, struct cli_grid *g);

/* For --no-pager: cli_page() will show nothing. */
void cli_no_pager(void);
/* Shows out through $PAGER (less) if standard output is a terminal and the text is longer
 * than it.  False when it did not. */
bool cli_page(const struct moore_buf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* term.h - the terminal: its size, tables that fit it, the pager. */
#ifndef MOORE_CLI_TERM_H
#define MOORE_CLI_TERM_H

#include "cli.h"

/* Columns of standard output; SIZE_MAX when it is no terminal: then nothing is cut. */
size_t cli_width(void);
size_t cli_height(void);	/* rows; SIZE_MAX likewise */

/* A table: a row of cells for each row of the answer, two spaces between columns.  On
 * a terminal that is too narrow the widest columns that may be are cut in the middle:
 * ends of names tell more than their middles. */
struct cli_col {
	const char *head;	/* NULL ends the list */
	enum { CLI_LEFT, CLI_RIGHT, CLI_CUT } how;	/* CUT: left, and may be cut */
};
struct cli_grid {
	const struct cli_col *col;
	char **cell;
	size_t n, cap;
	bool oom;
};
#define CLI_GRID(cols) { .col = (cols) }
/* The next cell; colours may stand in it. */
void cli_cell(struct cli_grid *g, const char *fmt, ...) MOORE_PRINTF(2, 3);
/* Append the table, its heads first, and end g. */
void cli_put_grid(struct moore_buf *b, struct cli_grid *g);

/* `--no-pager`. */
void cli_no_pager(void);
/* Show it through $PAGER (less), if standard output is a terminal that it does not fit.
 * False: it was not shown. */
bool cli_page(const struct moore_buf *out);

#endif

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* term.c - the terminal: its size, tables that fit it, the pager.
 *
 * Widths count characters, not bytes; the colour marks of cli.h have no width. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "term.h"

enum { COLS_MAX = 16, CUT_LEAST = 9, BETWEEN = 2 };

void
cli_putf(struct moore_buf *b, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0) {
		b->oom = true;
		return;
	}
	moore_buf_add(b, s, (size_t)n);
	free(s);
}

/* ---- size ------------------------------------------------------------------------------ */

static struct winsize
size_of(void)
{
	struct winsize w = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_col || !w.ws_row)
		w = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	return w;
}

size_t
cli_width(void)
{
	return isatty(STDOUT_FILENO) ? size_of().ws_col : SIZE_MAX;
}

size_t
cli_height(void)
{
	return isatty(STDOUT_FILENO) ? size_of().ws_row : SIZE_MAX;
}

/* ---- tables ---------------------------------------------------------------------------- */

bool
cli_has_width(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80 && !(c >= 1 && c <= 4);
}

static size_t
width_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += cli_has_width(*s);
	return n;
}

void
cli_cell(struct cli_grid *g, const char *fmt, ...)
{
	char **cell = g->cell;
	va_list ap;

	if (g->n == g->cap) {
		size_t cap = 2 * g->cap + 64;

		if (!(cell = reallocarray(cell, cap, sizeof(*cell)))) {
			g->oom = true;
			return;
		}
		g->cell = cell;
		g->cap = cap;
	}
	va_start(ap, fmt);
	if (vasprintf(&cell[g->n], fmt, ap) < 0)
		g->oom = true;
	else
		g->n++;
	va_end(ap);
}

/* Narrows the widest column that may be cut, until the table fits or none can be cut. */
static void
fit(const struct cli_grid *g, size_t *width, size_t n_cols)
{
	size_t total = BETWEEN * (n_cols - 1), at;

	for (size_t i = 0; i < n_cols; i++)
		total += width[i];
	for (; total > cli_width(); total--) {
		at = n_cols;
		for (size_t i = 0; i < n_cols; i++)
			if (g->col[i].how == CLI_CUT && width[i] > CUT_LEAST &&
			    (at == n_cols || width[i] > width[at]))
				at = i;
		if (at == n_cols)
			return;
		width[at]--;
	}
}

/* Appends s in width characters.  Two dots stand for what is cut; colour marks stay. */
static void
put_cut(struct moore_buf *b, const char *s, size_t width)
{
	size_t len = width_of(s), left = (width - 2) / 2, right = width - 2 - left, i = 0;
	bool shown = true;

	for (; *s; s++) {
		if (cli_has_width(*s)) {
			i++;
			shown = i <= left || i > len - right;
			if (i == left + 1)
				moore_buf_add(b, "..", 2);
		}
		if (shown || (*s >= 1 && *s <= 4))
			moore_buf_add(b, s, 1);
	}
}

static void
put_cell(struct moore_buf *b, const struct cli_col *col, const char *s, size_t width, bool last)
{
	size_t len = width_of(s), pad = len < width ? width - len : 0;

	if (col->how == CLI_RIGHT)
		cli_putf(b, "%*s", (int)pad, "");
	if (len > width)
		put_cut(b, s, width);
	else
		cli_putf(b, "%s", s);
	if (!last)
		cli_putf(b, "%*s", (int)(BETWEEN + (col->how == CLI_RIGHT ? 0 : pad)), "");
}

void
cli_put_grid(struct moore_buf *b, struct cli_grid *g)
{
	size_t width[COLS_MAX], n_cols = 0;

	for (; g->col[n_cols].head; n_cols++)
		width[n_cols] = width_of(g->col[n_cols].head);
	for (size_t i = 0; i < g->n; i++)
		if (width_of(g->cell[i]) > width[i % n_cols])
			width[i % n_cols] = width_of(g->cell[i]);
	fit(g, width, n_cols);
	for (size_t i = 0; i < n_cols; i++)
		put_cell(b, &g->col[i], g->col[i].head, width[i], i + 1 == n_cols);
	cli_putf(b, "\n");
	for (size_t i = 0; i < g->n; i++) {
		put_cell(b, &g->col[i % n_cols], g->cell[i], width[i % n_cols],
			 (i + 1) % n_cols == 0);
		if ((i + 1) % n_cols == 0)
			cli_putf(b, "\n");
		free(g->cell[i]);
	}
	b->oom |= g->oom;
	free(g->cell);
	*g = (struct cli_grid){ .col = g->col };
}

/* ---- the pager ---------------------------------------------------------------------------- */

static bool no_pager;

void
cli_no_pager(void)
{
	no_pager = true;
}

static bool
fits(const struct moore_buf *out)
{
	size_t rows = cli_height(), n = 0;

	for (size_t i = 0; i < out->len; i++)
		n += out->data[i] == '\n';
	return n < rows;
}

static void
run_pager(const char *pager, const int *pipe_fd)
{
	dup2(pipe_fd[0], STDIN_FILENO);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	signal(SIGPIPE, SIG_DFL);
	setenv("LESS", "FRX", 0);	/* quit if it fits; colours; no clearing */
	execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	_exit(127);
}

bool
cli_page(const struct moore_buf *out)
{
	const char *pager = getenv("PAGER");
	int fd[2], status = 0;
	ssize_t n = 0;
	pid_t pid;

	if (no_pager || fits(out) || (pager && (!*pager || !strcmp(pager, "cat"))) ||
	    pipe(fd) < 0)
		return false;
	if ((pid = fork()) == 0)
		run_pager(pager ? pager : "less", fd);
	close(fd[0]);
	signal(SIGPIPE, SIG_IGN);	/* the user may quit the pager before the end */
	for (size_t at = 0; pid > 0 && at < out->len; at += n > 0 ? (size_t)n : 0)
		if ((n = write(fd[1], out->data + at, out->len - at)) < 0 && errno != EINTR)
			break;
	close(fd[1]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* 127: the shell found no such program, so the text was not shown. */
	return pid > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

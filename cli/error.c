// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* error.c - messages on standard error: a line each, which is wrapped at words on a terminal.
 * Characters of names that control a terminal never reach it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "term.h"

enum { HANGING = 2 };		/* of the lines after the first */

/* Holds the first message, for --json. */
static json_t *failure;

const char *
cli_file_name(const char *path)
{
	return !strcmp(path, "-") ? "standard input" : path[0] ? path : "\"\"";
}

static void
note_failure(const char *text, const char *file, unsigned line)
{
	if (!failure)
		failure = moore_answer_error(text, file, line);
}

static void
put_message(const char *place, const char *text)
{
	struct moore_buf line = MOORE_BUF_INIT, wrapped = MOORE_BUF_INIT;

	cli_putf(&line, "moorectl: %s%s", place, text);
	if (line.data && isatty(STDERR_FILENO))
		cli_put_words(&wrapped, 0, HANGING, line.data, line.len);
	if (wrapped.data && !line.oom && !wrapped.oom)
		fprintf(stderr, "%s", wrapped.data);
	else
		fprintf(stderr, "moorectl: %s%s\n", place, text);
	moore_buf_free(&wrapped);
	moore_buf_free(&line);
}

static int
complain(const char *place, const char *fmt, va_list ap)
{
	char *s = NULL, *shown;

	cli_idle();
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	if (s && !strncmp(s, ": ", 2) && asprintf(&shown, "\"\"%s", s) >= 0) {	/* of an empty word */
		free(s);
		s = shown;
	}
	if (s)
		moore_text_hide(s);
	put_message(place, s ? s : "out of memory");
	note_failure(s ? s : "out of memory", NULL, 0);
	free(s);
	return CLI_FAIL;
}

int
cli_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain("", fmt, ap);
	va_end(ap);
	return CLI_FAIL;
}

/* The message, which may begin with "--OPTION", at its line of c->file. */
static int
complain_of_file(const struct cli_call *c, const char *text)
{
	struct moore_err err = { .line = c->line };

	if (!strncmp(text, "--", 2)) {
		const size_t n = strcspn(text += 2, " :");

		for (size_t i = 0; i < c->n_given; i++)
			if (strlen(c->given[i].opt->name) == n && !strncmp(c->given[i].opt->name, text, n))
				err.line = c->given[i].line;
	}
	snprintf(err.text, sizeof(err.text), "%s", text);
	return cli_error_at(c->file, &err);
}

int
cli_misuse(const struct cli_call *c, const char *fmt, ...)
{
	char place[64], text[400];
	va_list ap;

	if (c->file) {
		va_start(ap, fmt);
		vsnprintf(text, sizeof(text), fmt, ap);
		va_end(ap);
		return complain_of_file(c, text);
	}
	snprintf(place, sizeof(place), "%s: ", c->cmd->words);
	va_start(ap, fmt);
	complain(place, fmt, ap);
	va_end(ap);
	fprintf(stderr, "try: moorectl %s --help\n", c->cmd->words);
	return CLI_FAIL;
}

int
cli_error_at(const char *file, const struct moore_err *err)
{
	note_failure(err->text, cli_file_name(file), err->line);
	if (err->line)
		return cli_error("%s:%u: %s", cli_file_name(file), err->line, err->text);
	return cli_error("%s: %s", cli_file_name(file), err->text);
}

json_t *
cli_first_error(void)
{
	json_t *j = failure;

	failure = NULL;
	return j;
}

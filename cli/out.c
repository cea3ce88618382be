// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* out.c - prints answers on standard output.
 *
 * Names come from the fabric and may hold any bytes.  Characters that control a terminal or
 * change the direction of text never reach it; bytes that are not UTF-8 never break JSON. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "term.h"

static bool
in_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no && *no);
}

/* Returns the length of the character at s if it must not be printed; else 0. */
static size_t
not_printed(const char *s, size_t len)
{
	return *s == '\n' || *s == '\t' ? 0 : moore_text_hidden(s, len);
}

/* Turns colour marks into escape codes, and other hidden characters into question marks. */
static void
render(struct moore_buf *out, const struct moore_buf *text)
{
	static const char *const code[] = {
		[1] = "\033[31m", [2] = "\033[32m", [3] = "\033[33m", [4] = "\033[0m",
	};
	bool colour = in_colour();
	const char *p = text->data, *end = p + text->len;

	while (p < end) {
		const char *q = p;
		size_t n = 0;

		while (q < end && !(n = not_printed(q, (size_t)(end - q))))
			q++;
		moore_buf_add(out, p, (size_t)(q - p));
		if (q == end)
			break;
		if (*q >= 1 && *q <= 4)
			moore_buf_add(out, code[(int)*q], colour ? strlen(code[(int)*q]) : 0);
		else
			moore_buf_add(out, "?", 1);
		p = q + n;
	}
}

/* How answers are printed: none yet, one, or several that come over time. */
static enum { NO_ANSWER, AN_ANSWER, LINES } answered;

static int
show(const struct moore_buf *out)
{
	return !out->oom && cli_page(out) ? CLI_OK : cli_write("-", out);
}

int
cli_print_text(struct moore_buf *text)
{
	struct moore_buf wrapped = MOORE_BUF_INIT;

	cli_wrap(&wrapped, text);
	moore_buf_free(text);
	return cli_print_data(&wrapped);
}

int
cli_print_data(struct moore_buf *text)
{
	struct moore_buf out = MOORE_BUF_INIT;
	int rc;

	cli_idle();
	if (text->len)
		render(&out, text);
	out.oom |= text->oom;
	rc = show(&out);
	moore_buf_free(&out);
	moore_buf_free(text);
	return rc;
}

int
cli_print_screen(struct moore_buf *text)
{
	struct moore_buf wrapped = MOORE_BUF_INIT, out = MOORE_BUF_INIT;
	int rc;

	cli_idle();
	cli_wrap(&wrapped, text);
	cli_putf(&out, "\033[H\033[2J");
	render(&out, &wrapped);
	out.oom |= wrapped.oom;
	rc = cli_write("-", &out);
	moore_buf_free(&wrapped);
	moore_buf_free(&out);
	moore_buf_free(text);
	return rc;
}

/* Appends j and an end of line, with hidden characters, which only strings hold, as \uXXXX.
 * Frees j. */
static void
put_json(struct moore_buf *out, json_t *j, size_t flags)
{
	char *s = j ? json_dumps(j, flags | JSON_REAL_PRECISION(12)) : NULL;
	const size_t len = s ? strlen(s) : 0;
	size_t n, i, from = 0;

	for (i = 0; i < len; i += n ? n : 1) {
		if (!(n = not_printed(s + i, len - i)))
			continue;
		moore_buf_add(out, s + from, i - from);
		moore_text_put_u(out, s + i, n);
		from = i + n;
	}
	if (s)
		cli_putf(out, "%s\n", s + from);
	out->oom |= !s;
	free(s);
	json_decref(j);
}

int
cli_print_json(json_t *j)
{
	struct moore_buf out = MOORE_BUF_INIT;
	int rc;

	cli_idle();
	answered = AN_ANSWER;
	put_json(&out, j, JSON_INDENT(2));
	rc = show(&out);
	moore_buf_free(&out);
	return rc;
}

int
cli_print_json_line(json_t *j)
{
	struct moore_buf out = MOORE_BUF_INIT;
	int rc;

	answered = LINES;
	put_json(&out, j, JSON_COMPACT);
	rc = cli_write("-", &out);
	moore_buf_free(&out);
	return rc;
}

int
cli_print_failure(int rc)
{
	json_t *j = cli_first_error();

	if (rc == CLI_OK || answered == AN_ANSWER || !j)
		json_decref(j);
	else if (answered == LINES)
		cli_print_json_line(j);
	else
		cli_print_json(j);
	json_decref(cli_first_error());	/* made by the failed attempt to print */
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* out.c - prints answers on standard output and messages on standard error.
 *
 * Names come from the fabric and may hold any bytes.  Characters that control a terminal or
 * change the direction of text never reach it; bytes that are not UTF-8 never break JSON. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "term.h"

/* ---- standard output -------------------------------------------------------- */

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
	struct moore_buf out = MOORE_BUF_INIT;
	int rc;

	cli_idle();
	cli_putf(&out, "\033[H\033[2J");
	render(&out, text);
	out.oom |= text->oom;
	rc = cli_write("-", &out);
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

/* ---- standard error --------------------------------------------------------- */

/* Holds the first message for cli_print_failure(). */
static json_t *failure;

static void
note_failure(const char *text, const char *file, unsigned line)
{
	if (!failure)
		failure = moore_answer_error(text, file, line);
}

int
cli_print_failure(int rc)
{
	json_t *j = failure;

	failure = NULL;
	if (rc == CLI_OK || answered == AN_ANSWER || !j)
		json_decref(j);
	else if (answered == LINES)
		cli_print_json_line(j);
	else
		cli_print_json(j);
	json_decref(failure);		/* made by the failed attempt to print */
	return rc;
}

static int
complain(const char *place, const char *fmt, va_list ap)
{
	char *s = NULL;

	cli_idle();
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	if (s)
		moore_text_hide(s);
	fprintf(stderr, "moorectl: %s%s\n", place, s ? s : "out of memory");
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

int
cli_misuse(const struct cli_call *c, const char *fmt, ...)
{
	char place[64];
	va_list ap;

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

/* ---- progress ---------------------------------------------------------------- */

/* A timer shows progress, so that libmoore's functions need no callback.  Its handler only
 * formats digits and writes, which a signal handler may do. */
static const char *volatile busy_what;
static volatile sig_atomic_t busy_seconds, busy_percent;

static size_t
put_text(char *to, const char *s)
{
	size_t n = strlen(s);

	memcpy(to, s, n);
	return n;
}

static size_t
put_number(char *to, unsigned v)
{
	char t[12];
	size_t n = 0;

	do
		t[n++] = (char)('0' + v % 10);
	while (v /= 10);
	for (size_t i = 0; i < n; i++)
		to[i] = t[n - 1 - i];
	return n;
}

static void
tick(int sig)
{
	char line[128];
	size_t n;
	ssize_t done;

	(void)sig;
	n = put_text(line, "\rmoorectl: ");
	n += put_text(line + n, busy_what);
	n += put_text(line + n, ", ");
	n += put_number(line + n, (unsigned)++busy_seconds);
	n += put_text(line + n, " s");
	if (busy_percent) {
		n += put_text(line + n, ", ");
		n += put_number(line + n, (unsigned)busy_percent);
		n += put_text(line + n, " %");
	}
	n += put_text(line + n, "\033[K");
	done = write(STDERR_FILENO, line, n);
	(void)done;
}

static void
set_timer(long seconds)
{
	struct itimerval t = { { seconds, 0 }, { seconds, 0 } };

	setitimer(ITIMER_REAL, &t, NULL);
}

void
cli_busy(const char *what)	/* a short string literal */
{
	struct sigaction sa = { .sa_handler = tick, .sa_flags = SA_RESTART };

	if (!isatty(STDERR_FILENO))
		return;
	busy_what = what;
	busy_percent = 0;
	sigaction(SIGALRM, &sa, NULL);
	set_timer(1);
}

void
cli_busy_share(void *unused, double share)
{
	(void)unused;
	busy_percent = (sig_atomic_t)(share * 100);
}

void
cli_idle(void)
{
	if (!busy_what)
		return;
	set_timer(0);
	if (busy_seconds)
		fputs("\r\033[K", stderr);
	busy_what = NULL;
	busy_seconds = 0;
}

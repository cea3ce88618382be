// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* wrap.c - text in lines that fit the terminal, or 80 columns where standard output is none.
 *
 * A long line is wrapped at words.  The lines after it begin below its text, past the label that
 * two blanks or more separate from it:
 *
 *   operational    8 VLs on links between switches: assumed, since neither
 *                  moore-op-vls.dump nor --op-vls gives it
 *
 * A line with more such gaps is a row of a table, which stays whole. */
#include <stdlib.h>
#include <string.h>

#include "term.h"

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 20, INDENT = 2 };

/* Columns for a line of text: those of the terminal.  Where standard output is none, $COLUMNS, or
 * 80. */
static size_t
line_width(void)
{
	const char *s = getenv("COLUMNS");
	uint64_t n = 0;

	if (cli_width() != SIZE_MAX)
		return cli_width();
	if (s && moore_text_u64(&s, s + strlen(s), 10, SIZE_MAX, &n) && !*s && n >= LEAST_WIDTH)
		return (size_t)n;
	return USUAL_WIDTH;
}

/* How many bytes of the len at s to print at once when `room` columns are left: all of them, or
 * up to the last comma that fits. */
static size_t
piece_of(const char *s, size_t len, size_t room)
{
	size_t fits = 0, width = 0;

	for (size_t i = 0; i < len; i++) {
		width += cli_has_width(s[i]);
		if (width > room)
			return fits ? fits : len;
		if (s[i] == ',')
			fits = i + 1;
	}
	return len;
}

static size_t
columns_of(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += cli_has_width(s[i]);
	return n;
}

static void
next_line(struct moore_buf *b, size_t indent)
{
	cli_putf(b, "\n%*s", (int)indent, "");
}

void
cli_put_words(struct moore_buf *b, size_t at, size_t indent, const char *text, size_t len)
{
	const size_t width = line_width();
	const char *end = text + len;
	bool first = true;

	for (size_t n, w; text < end; text += n + 1) {
		for (n = 0; text + n < end && text[n] != ' ' && text[n] != '\n'; n++)
			;
		if (!n)		/* a second blank between sentences */
			continue;
		w = columns_of(text, n);
		if (!first && at + 1 + w > width) {
			next_line(b, indent);
			at = indent;
			first = true;
		}
		cli_putf(b, "%s", first ? "" : " ");
		at += !first;
		for (size_t k; at + w > width && (k = piece_of(text, n, width > at ? width - at : 0)) < n;
		     text += k, n -= k, w = columns_of(text, n)) {
			moore_buf_add(b, text, k);
			next_line(b, indent);
			at = indent;
		}
		moore_buf_add(b, text, n);
		at += w;
		first = false;
	}
	cli_putf(b, "\n");
}

void
cli_put_help(struct moore_buf *b, const char *left, size_t at, const char *text)
{
	if (strlen(left) < at)
		cli_putf(b, "%-*s", (int)at, left);
	else
		cli_putf(b, "%s\n%*s", left, (int)at, "");
	cli_put_words(b, at, at, text, strlen(text));
}

/* Counts the gaps of a line after its first word, and finds where the text after the first begins.
 * Marks of colours may stand within a gap. */
static unsigned
gaps_of(const char *s, size_t len, size_t *text)
{
	unsigned n = 0;
	size_t i = strspn(s, " ");

	while (i < len) {
		unsigned blanks = 0;

		for (; i < len && (s[i] == ' ' || !cli_has_width(s[i])); i++)
			blanks += s[i] == ' ';
		if (blanks > 1 && i < len && !n++)
			*text = i;
		i++;
	}
	return n;
}

static void
put_line(struct moore_buf *out, const char *s, size_t len, size_t width)
{
	size_t at = strspn(s, " "), indent = at + INDENT;
	unsigned gaps;

	if (columns_of(s, len) <= width || (gaps = gaps_of(s, len, &at)) > 1) {
		moore_buf_add(out, s, len);
		cli_putf(out, "\n");
		return;
	}
	if (gaps && columns_of(s, at) <= width / 2)
		indent = columns_of(s, at);
	else
		at = strspn(s, " ");
	moore_buf_add(out, s, at);
	cli_put_words(out, columns_of(s, at), indent, s + at, len - at);
}

void
cli_wrap(struct moore_buf *out, const struct moore_buf *text)
{
	const size_t width = line_width();
	const char *q;
	size_t at = 0;

	for (; at < text->len && (q = memchr(text->data + at, '\n', text->len - at)); at = (size_t)(q - text->data) + 1)
		put_line(out, text->data + at, (size_t)(q - text->data) - at, width);
	if (at < text->len)	/* it has no end of line yet */
		moore_buf_add(out, text->data + at, text->len - at);
	out->oom |= text->oom;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* written.c - whether a file that holds neither routes nor classes, such as the addresses of a switch, has
 * every line that is written into it.
 *
 * Their order and further lines are left alone: a file that was made with --fail also has the ports of
 * what failed, and a site may add settings of its own.  But of several lines KEY=VALUE with one key, as in
 * sysctl.conf and env, the last one counts, and no further line of `ip` may undo one before it (undone.c). */
#include <stdlib.h>
#include <string.h>

#include "ether_impl.h"

struct line {
	const char *at;
	size_t len;
};

static int
by_text(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int d = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);

	return d ? d : (x->len > y->len) - (x->len < y->len);
}

/* Takes the next line that is neither empty nor a comment; false at the end of the text. */
static bool
next_line(const char **text, const char *end, struct line *out)
{
	while (*text < end) {
		const char *nl = memchr(*text, '\n', (size_t)(end - *text));

		*out = (struct line){ *text, (size_t)((nl ? nl : end) - *text) };
		*text = nl ? nl + 1 : end;
		if (out->len && *out->at != '#')
			return true;
	}
	return false;
}

static int
split(struct line **out, size_t *n, const char *text, size_t len, struct moore_err *err)
{
	const char *end = text + len;
	struct line line;
	size_t room = 1;

	for (size_t i = 0; i < len; i++)
		room += text[i] == '\n';
	*n = 0;
	if (!(*out = malloc((room + 1) * sizeof(**out))))
		return moore_fail_nomem(err);
	while (next_line(&text, end, &line))
		(*out)[(*n)++] = line;
	qsort(*out, *n, sizeof(**out), by_text);
	return 0;
}

/* What stands before the first = of a line, without blanks around it and the word `export`; empty when there is
 * no = */
static struct line
key_of(const struct line *l)
{
	const char *at = l->at, *end = memchr(at, '=', l->len);

	if (!end)
		return (struct line){ at, 0 };
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (end - at > 7 && !memcmp(at, "export ", 7))
		at += 7;
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return (struct line){ at, (size_t)(end - at) };
}

/* The number of the last line that has the key of `want`, if it differs from `want`; else 0. */
static unsigned
overruled_by(const struct line *want, const char *text, size_t len)
{
	const struct line key = key_of(want);
	const char *from = text, *end = text + len;
	unsigned last = 0, number = 1;
	struct line line;

	while (key.len && next_line(&from, end, &line)) {
		const struct line other = key_of(&line);

		for (; text < line.at; text++)
			number += *text == '\n';
		if (by_text(&key, &other) == 0)
			last = by_text(want, &line) == 0 ? 0 : number;
	}
	return last;
}

/* Leaves those lines of text, in their sequence, that are not among the n sorted ones of known[]. */
static size_t
keep_further(struct line *out, const char *text, size_t len, const struct line *known, size_t n)
{
	const char *end = text + len;
	struct line line;
	size_t n_out = 0;

	while (next_line(&text, end, &line))
		if (!bsearch(&line, known, n, sizeof(*known), by_text))
			out[n_out++] = line;
	return n_out;
}

/* The number of the line of further[] that undoes `want`, whose last place in the file is at `last`; else 0. */
static unsigned
undone_by(const struct line *want, const char *last, const struct line *further, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++) {
		unsigned number = 1;

		if (further[i].at < last || !moore_ether_undoes(further[i].at, further[i].len, want->at, want->len))
			continue;
		for (; text < further[i].at; text++)
			number += *text == '\n';
		return number;
	}
	return 0;
}

/* The last place of a line in the sorted lines has[n], or NULL. */
static const char *
last_place(const struct line *want, const struct line *has, size_t n)
{
	const struct line *at = bsearch(want, has, n, sizeof(*has), by_text);
	const char *last = at ? at->at : NULL;

	while (at && at > has && by_text(at - 1, want) == 0)
		at--;
	for (; at && at < has + n && by_text(at, want) == 0; at++)
		last = at->at > last ? at->at : last;
	return last;
}

int
moore_ether_check_lines(struct moore_ether_faults *f, const struct moore_ether_fault *at, const struct moore_buf *want,
			const char *text, size_t len, struct moore_err *err)
{
	const char *from = want->data, *end = from ? from + want->len : NULL;
	struct line *has = NULL, *known = NULL, *further = NULL, line;
	size_t n, n_known, n_further;
	int rc;

	if (want->oom)
		return moore_fail_nomem(err);
	if ((rc = split(&has, &n, text, len, err)) < 0 ||
	    (rc = split(&known, &n_known, from ? from : "", want->len, err)) < 0 ||
	    (rc = split(&further, &n_further, text, len, err)) < 0)
		goto out;
	n_further = keep_further(further, text, len, known, n_known);
	while (from && next_line(&from, end, &line)) {
		struct moore_ether_fault fault = *at;
		const char *last = last_place(&line, has, n);

		fault.line = overruled_by(&line, text, len);
		if (!fault.line && last)
			fault.line = undone_by(&line, last, further, n_further, text);
		if (!fault.line && last)
			continue;
		memcpy(fault.lacks, line.at, line.len < sizeof(fault.lacks) ? line.len : sizeof(fault.lacks) - 1);
		moore_ether_add_fault(f, &fault);
	}
out:
	free(has);
	free(known);
	free(further);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* written.c - whether a file that holds neither routes nor classes, such as the addresses of a switch, has
 * every line that is written into it.
 *
 * Their order and further lines are left alone: a file that was made with --fail also has the ports of
 * what failed, and a site may add settings of its own.  But of several lines KEY=VALUE with one key, as in
 * sysctl.conf and env, the last one counts. */
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

/* What stands before the first = of a line, without blanks around it; empty when there is no = */
static struct line
key_of(const struct line *l)
{
	const char *at = l->at, *end = memchr(at, '=', l->len);

	if (!end)
		return (struct line){ at, 0 };
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
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

int
moore_ether_check_lines(struct moore_ether_faults *f, const struct moore_ether_fault *at, const struct moore_buf *want,
			const char *text, size_t len, struct moore_err *err)
{
	const char *from = want->data, *end = from ? from + want->len : NULL;
	struct line *has, line;
	size_t n;
	int rc;

	if (want->oom)
		return moore_fail_nomem(err);
	if ((rc = split(&has, &n, text, len, err)) < 0)
		return rc;
	while (from && next_line(&from, end, &line)) {
		struct moore_ether_fault fault = *at;

		fault.line = overruled_by(&line, text, len);
		if (!fault.line && bsearch(&line, has, n, sizeof(*has), by_text))
			continue;
		memcpy(fault.lacks, line.at, line.len < sizeof(fault.lacks) ? line.len : sizeof(fault.lacks) - 1);
		moore_ether_add_fault(f, &fault);
	}
	free(has);
	return 0;
}

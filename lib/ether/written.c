// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* written.c - whether a file that holds neither routes nor classes, such as the addresses of a switch, has
 * every line that is written into it.
 *
 * Their order and further lines are left alone: a file that was made with --fail also has the ports of
 * what failed, and a site may add settings of its own. */
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

		if (bsearch(&line, has, n, sizeof(*has), by_text))
			continue;
		memcpy(fault.lacks, line.at, line.len < sizeof(fault.lacks) ? line.len : sizeof(fault.lacks) - 1);
		moore_ether_add_fault(f, &fault);
	}
	free(has);
	return 0;
}

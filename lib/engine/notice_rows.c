// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* notice_rows.c - hashes of the rows of each switch, as a datagram and back.
 *
 * It is text: "moore-rows 1 SM NUMBER" in hexadecimal, and on the second line eight digits for
 * each switch, rising.  The numbers are a set, so neither side needs the other's order. */
#include <stdlib.h>
#include <string.h>

#include "moore/notice.h"

#define FIRST "moore-rows 1 "
enum { DIGITS = 8 };

static int
by_value(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

void
moore_rows_write(struct moore_buf *out, uint64_t sm, uint64_t number, uint32_t *hash, uint32_t n)
{
	moore_buf_fmt(out, FIRST "%llx %llx\n", (unsigned long long)sm, (unsigned long long)number);
	qsort(hash, n, sizeof(*hash), by_value);
	for (uint32_t i = 0; i < n; i++)
		moore_buf_fmt(out, "%08x", hash[i]);
	moore_buf_add(out, "\n", 1);
}

bool
moore_rows_is(const void *data, size_t len)
{
	return len >= strlen(FIRST) && !memcmp(data, FIRST, strlen(FIRST));
}

static int
refuse(struct moore_err *err, unsigned line)
{
	return moore_fail(err, MOORE_ESYNTAX, line, "not the rows of a sweep: " FIRST "and two numbers, then "
			  "a line of %d digits for each of at most %d switches", DIGITS, MOORE_ROWS_MAX);
}

int
moore_rows_parse(struct moore_rows *out, const void *data, size_t len, struct moore_err *err)
{
	const char *s = data, *end = s + len, *nl;
	struct moore_rows r = { 0 };
	size_t digits;
	uint64_t v;

	*out = r;
	if (!moore_rows_is(data, len) || !(nl = memchr(s, '\n', len)))
		return refuse(err, 1);
	s += strlen(FIRST);
	if (!moore_text_u64(&s, nl, 16, UINT64_MAX, &r.sm) || s == nl || *s++ != ' ' ||
	    !moore_text_u64(&s, nl, 16, UINT64_MAX, &r.number) || s != nl)
		return refuse(err, 1);
	s = nl + 1;
	digits = (size_t)(end - s) - 1;
	if (s == end || end[-1] != '\n' || digits % DIGITS || digits / DIGITS > MOORE_ROWS_MAX)
		return refuse(err, 2);
	r.n = (uint32_t)(digits / DIGITS);
	if (!(r.hash = malloc((r.n + (size_t)1) * sizeof(*r.hash))))
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < r.n; i++) {
		const char *stop = s + DIGITS;

		if (!moore_text_u64(&s, stop, 16, UINT32_MAX, &v) || s != stop ||
		    (i && v < r.hash[i - 1])) {
			free(r.hash);
			return refuse(err, 2);
		}
		r.hash[i] = (uint32_t)v;
	}
	*out = r;
	return 0;
}

void
moore_rows_free(struct moore_rows *r)
{
	free(r->hash);
	*r = (struct moore_rows){ 0 };
}

bool
moore_rows_have(const struct moore_rows *r, uint32_t hash)
{
	return r->n && bsearch(&hash, r->hash, r->n, sizeof(hash), by_value);
}

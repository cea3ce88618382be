// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* drain_text.c - the part of a links file in which programs name the links that they drain.
 *
 * Lines are copied byte for byte, but for those of the part that are to go, so what a person
 * wrote stays, also inside the part. */
#include <stdlib.h>
#include <string.h>

#include "moore/drain.h"

struct line {
	const char *s, *end;	/* without the newline */
	const char *next;
	unsigned number;
};

static bool
next_line(struct line *l, const char *end)
{
	const char *nl;

	if (l->next == end)
		return false;
	l->s = l->next;
	nl = memchr(l->s, '\n', (size_t)(end - l->s));
	l->end = nl ? nl : end;
	l->next = nl ? nl + 1 : end;
	l->number++;
	return true;
}

static bool
is_text(const struct line *l, const char *text)
{
	const char *end = l->end > l->s && l->end[-1] == '\r' ? l->end - 1 : l->end;

	return (size_t)(end - l->s) == strlen(text) && !memcmp(l->s, text, strlen(text));
}

/* Moves *p behind text, if it stands there. */
static bool
skip(const char **p, const char *end, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(end - *p) < n || memcmp(*p, text, n) != 0)
		return false;
	*p += n;
	return true;
}

/* Copies what stands up to `stop`. */
static void
take(const char **p, const char *stop, char *to, size_t size)
{
	size_t n = (size_t)(stop - *p);

	if (n >= size)
		n = size - 1;
	memcpy(to, *p, n);
	to[n] = '\0';
	*p = stop;
}

/* True if the line is of the form that a program writes. */
static bool
read_line(const struct line *l, struct moore_drain_line *out)
{
	const char *p = l->s, *blank;
	uint64_t port;

	*out = (struct moore_drain_line){ 0 };
	if (!skip(&p, l->end, "0x") || !moore_text_u64(&p, l->end, 16, UINT64_MAX, &out->guid) ||
	    !skip(&p, l->end, ":") || !moore_text_u64(&p, l->end, 10, MOORE_PORT_MAX, &port) ||
	    !skip(&p, l->end, " avoid # ") ||
	    !moore_text_u64(&p, l->end, 10, UINT64_MAX, &out->at_s) || !skip(&p, l->end, " "))
		return false;
	out->port = (moore_portnum)port;
	blank = memchr(p, ' ', (size_t)(l->end - p));
	take(&p, blank ? blank : l->end, out->by, sizeof(out->by));
	if (skip(&p, l->end, " "))
		take(&p, l->end, out->why, sizeof(out->why));
	return port && *out->by;
}

/* Finds the lines of the markers: 0 where there is none. */
static int
find_part(const char *text, const char *end, unsigned *begin, unsigned *stop, struct moore_err *err)
{
	struct line l = { .next = text };

	*begin = *stop = 0;
	while (next_line(&l, end)) {
		bool first = is_text(&l, MOORE_DRAIN_BEGIN), last = is_text(&l, MOORE_DRAIN_END);

		if ((first && *begin) || (last && (!*begin || *stop)))
			return moore_fail(err, MOORE_ESYNTAX, l.number, "a marker of moore's lines that "
					  "does not belong here: remove one of both, so that one begin "
					  "is followed by one end");
		if (first)
			*begin = l.number;
		if (last)
			*stop = l.number;
	}
	if (*begin && !*stop)
		return moore_fail(err, MOORE_ESYNTAX, *begin, "moore's lines begin here and have no end: "
				  "write `" MOORE_DRAIN_END "` behind them");
	return 0;
}

int
moore_drain_read(struct moore_drain_line **out, size_t *n, const char *text, size_t len,
		 struct moore_err *err)
{
	struct line l = { .next = text };
	unsigned begin, stop;
	int rc = find_part(text, text + len, &begin, &stop, err);

	*out = NULL;
	*n = 0;
	if (rc < 0)
		return rc;
	*out = calloc((size_t)(stop - begin) + 1, sizeof(**out));
	if (!*out)
		return moore_fail_nomem(err);
	while (next_line(&l, text + len) && l.number < stop)
		if (l.number > begin && read_line(&l, &(*out)[*n]))
			(*n)++;
	return 0;
}

static bool
is_dropped(const struct line *l, const struct moore_drain_line *drop, size_t n)
{
	struct moore_drain_line is;

	if (!read_line(l, &is))
		return false;
	for (size_t i = 0; i < n; i++)
		if (drop[i].guid == is.guid && drop[i].port == is.port)
			return true;
	return false;
}

static void
put_line(struct moore_buf *b, const struct moore_drain_line *l)
{
	size_t at;

	moore_buf_fmt(b, "0x%016llx:%u avoid # %llu %s ", (unsigned long long)l->guid, l->port,
		      (unsigned long long)l->at_s, l->by);
	at = b->len;
	moore_buf_fmt(b, "%s", l->why);
	for (; !b->oom && at < b->len; at++)
		if ((unsigned char)b->data[at] < ' ' || b->data[at] == 127)
			b->data[at] = '?';
	moore_buf_add(b, "\n", 1);
}

static void
copy_line(struct moore_buf *b, const struct line *l)
{
	moore_buf_add(b, l->s, (size_t)(l->next - l->s));
}

/* Writes the lines of the part, or nothing if none is left.  *l is the first marker. */
static void
write_part(struct moore_buf *out, struct line *l, const char *end, unsigned stop,
	   const struct moore_drain_line *drop, size_t n_drop, const struct moore_drain_line *add,
	   size_t n_add)
{
	const size_t start = out->len;
	bool any = n_add > 0;

	copy_line(out, l);
	while (next_line(l, end) && l->number < stop)
		if (!is_dropped(l, drop, n_drop)) {
			copy_line(out, l);
			any = true;
		}
	for (size_t i = 0; i < n_add; i++)
		put_line(out, &add[i]);
	if (any)
		copy_line(out, l);
	else if (!out->oom)
		out->len = start;
}

static void
append_part(struct moore_buf *out, const struct moore_drain_line *add, size_t n_add)
{
	if (out->len && out->data[out->len - 1] != '\n')
		moore_buf_add(out, "\n", 1);
	moore_buf_fmt(out, "%s\n", MOORE_DRAIN_BEGIN);
	for (size_t i = 0; i < n_add; i++)
		put_line(out, &add[i]);
	moore_buf_fmt(out, "%s\n", MOORE_DRAIN_END);
}

int
moore_drain_edit(struct moore_buf *out, const char *text, size_t len,
		 const struct moore_drain_line *drop, size_t n_drop,
		 const struct moore_drain_line *add, size_t n_add, struct moore_err *err)
{
	const char *end = text + len;
	struct line l = { .next = text };
	const size_t was = out->len;
	unsigned begin, stop;
	int rc = find_part(text, end, &begin, &stop, err);

	if (rc < 0)
		return rc;
	while (next_line(&l, end))
		if (l.number == begin)
			write_part(out, &l, end, stop, drop, n_drop, add, n_add);
		else
			copy_line(out, &l);
	if (!begin && n_add)
		append_part(out, add, n_add);
	if (!out->oom)
		return 0;
	out->len = was;
	return moore_fail_nomem(err);
}

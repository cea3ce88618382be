// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* history_frame.c - rows of history as bytes, and back.
 *
 * The body has ROWS rows, with numbers as LEB128: the number of switches, then for each its
 * GUID (8 bytes) and number of ports; the number of rows, then for each the time since the
 * row before, its span, its width, and its values as runs: a number of zeros, then a number
 * of values of 4 bytes each.  All numbers are little-endian.  The hash of a frame detects
 * truncated and changed frames.  The reader does not rely on it: for any input it stays
 * within the bytes given and within CELLS_MAX cells. */
#include <stdlib.h>
#include <string.h>

#include "history_impl.h"

#define SWITCHES_MAX 65536u
#define CELLS_MAX ((uint64_t)1 << 25)
#define MAGIC "MOO1"

/* ---- frames ------------------------------------------------------------------------------ */

static void
put_fixed(struct moore_buf *b, uint64_t v, unsigned bytes)
{
	uint8_t d[8];

	for (unsigned i = 0; i < bytes; i++)
		d[i] = (uint8_t)(v >> 8 * i);
	moore_buf_add(b, d, bytes);
}

static uint64_t
get_fixed(const uint8_t *d, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)d[i] << 8 * i;
	return v;
}

void
moore_frame_write(struct moore_buf *out, const char kind[4], const void *body, size_t len)
{
	moore_buf_add(out, MAGIC, 4);
	moore_buf_add(out, kind, 4);
	put_fixed(out, len, 8);
	put_fixed(out, moore_hash(moore_hash(MOORE_HASH_INIT, kind, 4), body, len), 8);
	moore_buf_add(out, body, len);
}

int
moore_frame_next(const uint8_t **at, const uint8_t *end, char kind[4], const uint8_t **body,
		 size_t *len, struct moore_err *err)
{
	const uint8_t *p = *at;
	uint64_t n;

	if (p == end)
		return 0;
	if ((size_t)(end - p) < 4 || memcmp(p, MAGIC, 4))
		return moore_fail(err, MOORE_ESYNTAX, 0, "not a file of moored's, or not from here on");
	if (end - p < MOORE_FRAME_HEAD || (n = get_fixed(p + 8, 8)) >
	    (uint64_t)(end - p) - MOORE_FRAME_HEAD)
		return moore_fail(err, MOORE_ESYNTAX, 0, "truncated");
	memcpy(kind, p + 4, 4);
	if (get_fixed(p + 16, 8) != moore_hash(moore_hash(MOORE_HASH_INIT, kind, 4),
					       p + MOORE_FRAME_HEAD, (size_t)n))
		return moore_fail(err, MOORE_ESYNTAX, 0, "changed since it was written");
	*body = p + MOORE_FRAME_HEAD;
	*len = (size_t)n;
	*at = *body + n;
	return 1;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void
put_number(struct moore_buf *b, uint64_t v)
{
	uint8_t d[10];
	unsigned n = 0;

	for (; v > 0x7f; v >>= 7)
		d[n++] = (uint8_t)(v | 0x80);
	d[n++] = (uint8_t)v;
	moore_buf_add(b, d, n);
}

static void
put_values(struct moore_buf *b, const uint32_t *v, uint32_t n)
{
	for (uint32_t i = 0, from; i < n;) {
		for (from = i; i < n && !v[i]; i++)
			;
		put_number(b, i - from);
		for (from = i; i < n && v[i]; i++)
			;
		put_number(b, i - from);
		for (; from < i; from++)
			put_fixed(b, v[from], 4);
	}
}

int
moore_history_write(const struct moore_history *h, uint64_t after_ms, uint32_t max_rows,
		    struct moore_buf *out, uint64_t *last, struct moore_err *err)
{
	uint32_t from = moore_history_after(h, after_ms), n = h->n_rows - from;
	struct moore_buf b = MOORE_BUF_INIT;
	uint64_t before = 0;

	n = n < max_rows ? n : max_rows;
	if (n && h->n_columns > CELLS_MAX / n)
		n = (uint32_t)(CELLS_MAX / h->n_columns);
	if (last)
		*last = n ? moore_history_nth(h, from + n - 1)->at_ms : after_ms;
	if (!n)
		return 0;
	put_number(&b, h->n_switches);
	for (uint32_t i = 0; i < h->n_switches; i++) {
		put_fixed(&b, h->sw[i].guid, 8);
		put_fixed(&b, h->sw[i].n_ports, 1);
	}
	put_number(&b, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct moore_history_row *r = moore_history_nth(h, from + i);

		put_number(&b, r->at_ms - before);
		put_number(&b, r->span_ms);
		put_number(&b, r->width);
		put_values(&b, r->v, r->width);
		before = r->at_ms;
	}
	if (!b.oom)
		moore_frame_write(out, MOORE_FRAME_ROWS, b.data, b.len);
	if (b.oom || out->oom) {
		moore_buf_free(&b);
		return moore_fail_nomem(err);
	}
	moore_buf_free(&b);
	return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct bytes {
	const uint8_t *at, *end;
};

static bool
get_number(struct bytes *s, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	for (unsigned shift = 0; s->at < s->end && shift < 63; shift += 7) {
		uint8_t d = *s->at++;

		v |= (uint64_t)(d & 0x7f) << shift;
		if (!(d & 0x80)) {
			*out = v;
			return v <= max;
		}
	}
	return false;
}

struct table {			/* the switches of a body */
	struct moore_history_switch *sw;
	uint32_t n, columns;
};

static int
get_switches(struct bytes *s, struct table *t, struct moore_err *err)
{
	uint64_t n;

	if (!get_number(s, SWITCHES_MAX, &n) || n * 9 > (uint64_t)(s->end - s->at))
		return moore_fail(err, MOORE_ESYNTAX, 0, "its list of switches is cut");
	t->sw = malloc(((size_t)n + 1) * sizeof(*t->sw));
	if (!t->sw)
		return moore_fail_nomem(err);
	for (; t->n < n; s->at += 9) {
		t->sw[t->n++] = (struct moore_history_switch){ get_fixed(s->at, 8), t->columns,
							       s->at[8] };
		t->columns += s->at[8];
	}
	return 0;
}

static bool
get_values(struct bytes *s, uint32_t *v, uint32_t width)
{
	uint64_t n;

	for (uint32_t i = 0; i < width;) {
		if (!get_number(s, width - i, &n))
			return false;
		memset(v + i, 0, (size_t)n * sizeof(*v));
		i += (uint32_t)n;
		if (!get_number(s, width - i, &n) || n * 4 > (uint64_t)(s->end - s->at))
			return false;
		for (; n; n--, s->at += 4)
			v[i++] = (uint32_t)get_fixed(s->at, 4);
	}
	return true;
}

/* Adds one row of the body to h. */
static int
push_row(struct moore_history *h, const struct table *t, const uint32_t *in, uint32_t width,
	 uint64_t at_ms, uint32_t span_ms, struct moore_err *err)
{
	uint32_t *v, hint = 0;

	for (uint32_t i = 0; i < t->n; i++, hint++) {
		hint = moore_history_column(h, t->sw[i].guid, t->sw[i].n_ports, hint);
		if (hint == MOORE_NONE)
			return moore_fail_nomem(err);
	}
	if (!(v = moore_history_blank(h)))
		return moore_fail_nomem(err);
	hint = 0;
	for (uint32_t i = 0; i < t->n; i++, hint++) {
		hint = moore_history_find(h, t->sw[i].guid, t->sw[i].n_ports, hint);
		for (uint32_t k = 0; k < t->sw[i].n_ports; k++)
			if (t->sw[i].column + k < width)
				v[h->sw[hint].column + k] = in[t->sw[i].column + k];
	}
	return moore_history_push(h, at_ms, span_ms, v, h->n_columns, err);
}

/* Reads all rows of the body into h.  With h NULL it only checks them, so that a body is
 * known to be valid before h changes. */
static int
get_rows(struct bytes s, const struct table *t, struct moore_history *h, uint32_t *scratch,
	 struct moore_err *err)
{
	uint64_t n, at = 0, delta, span, width;
	int rc = 0;

	if (!get_number(&s, UINT32_MAX, &n) || (n && t->columns > CELLS_MAX / n) ||
	    n > CELLS_MAX)
		return moore_fail(err, MOORE_ESYNTAX, 0, "it says that it holds more than it could");
	for (; n && !rc; n--) {
		if (!get_number(&s, UINT64_MAX - at, &delta) || !get_number(&s, UINT32_MAX, &span) ||
		    !get_number(&s, t->columns, &width) ||
		    !get_values(&s, scratch, (uint32_t)width))
			return moore_fail(err, MOORE_ESYNTAX, 0, "a row of it cannot be read");
		at += delta;
		if (h && at > moore_history_last(h))
			rc = push_row(h, t, scratch, (uint32_t)width, at, (uint32_t)span, err);
	}
	if (!rc && s.at != s.end)
		return moore_fail(err, MOORE_ESYNTAX, 0, "more follows its rows");
	return rc;
}

int
moore_history_read(struct moore_history *h, const uint8_t *body, size_t len, struct moore_err *err)
{
	struct bytes s = { body, body + len };
	struct table t = { NULL, 0, 0 };
	uint32_t *scratch = NULL;
	int rc = get_switches(&s, &t, err);

	if (!rc && !(scratch = malloc(((size_t)t.columns + 1) * sizeof(*scratch))))
		rc = moore_fail_nomem(err);
	if (!rc && (rc = get_rows(s, &t, NULL, scratch, err)) == 0)
		rc = get_rows(s, &t, h, scratch, err);
	free(scratch);
	free(t.sw);
	return rc;
}

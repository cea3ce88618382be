// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* history.c - rows of rates in a ring.
 *
 * A value has 32 bits: 12 for the rate out, 12 for the rate in, 8 for the wait.  Each part
 * is an unsigned floating-point number: code 0 is zero, any other is 1 + exponent * 2^m +
 * mantissa, with m = 6 for bytes and 3 for ticks.  All ones means "not known", which no
 * rate is encoded as.  So an idle port is 0, and a row of idle ports consists of zeros.
 *
 * Columns are only appended, so older rows are shorter.  Invariant: the width of a row is
 * the number of columns when it was made, and at_ms rises from row to row.
 * Elsewhere: the bytes of a file (history_frame.c). */
#include <stdlib.h>
#include <string.h>

#include "history_impl.h"

#define UNKNOWN UINT32_MAX

/* ---- values ---------------------------------------------------------------------------- */

static uint32_t
pack(uint64_t v, unsigned m, uint32_t top)
{
	unsigned e;
	uint32_t code;

	if (!v)
		return 0;
	e = 63 - (unsigned)__builtin_clzll(v);
	/* Rounds; a carry out of the mantissa gives the next exponent. */
	if (e > m)
		v = ((v >> (e - m - 1)) + 1) >> 1;
	else
		v <<= m - e;
	code = 1 + (e << m) + (uint32_t)(v - ((uint64_t)1 << m));
	return code < top ? code : top;
}

static uint64_t
unpack(uint32_t code, unsigned m)
{
	unsigned e;
	uint64_t v;

	if (!code)
		return 0;
	e = (code - 1) >> m;
	v = ((code - 1) & ((1u << m) - 1)) + (1u << m);
	return e >= m ? v << (e - m) : v >> (m - e);
}

static uint32_t
pack_sample(const struct moore_sample *s)
{
	if (!s->known)
		return UNKNOWN;
	return pack(s->tx, 6, 0xffe) << 20 | pack(s->rx, 6, 0xffe) << 8 | pack(s->wait, 3, 0xfe);
}

static struct moore_sample
unpack_sample(uint32_t v)
{
	if (v == UNKNOWN)
		return (struct moore_sample){ .known = false };
	return (struct moore_sample){ true, unpack(v >> 20, 6), unpack(v >> 8 & 0xfff, 6),
				      unpack(v & 0xff, 3) };
}

/* ---- the ring ---------------------------------------------------------------------------- */

int
moore_history_new(struct moore_history **out, uint32_t max_rows, struct moore_err *err)
{
	struct moore_history *h = calloc(1, sizeof(*h));

	*out = NULL;
	if (!h)
		return moore_fail_nomem(err);
	h->max_rows = max_rows ? max_rows : 1;
	h->row = calloc(h->max_rows, sizeof(*h->row));
	if (!h->row) {
		free(h);
		return moore_fail_nomem(err);
	}
	*out = h;
	return 0;
}

static void
drop_oldest(struct moore_history *h)
{
	free(h->row[h->first].v);
	h->row[h->first].v = NULL;
	h->first = (h->first + 1) % h->max_rows;
	h->n_rows--;
}

void
moore_history_free(struct moore_history *h)
{
	if (!h)
		return;
	while (h->n_rows)
		drop_oldest(h);
	free(h->row);
	free(h->sw);
	free(h);
}

uint32_t
moore_history_find(const struct moore_history *h, uint64_t guid, uint8_t n_ports, uint32_t hint)
{
	if (hint < h->n_switches && h->sw[hint].guid == guid && h->sw[hint].n_ports >= n_ports)
		return hint;
	for (uint32_t i = 0; i < h->n_switches; i++)
		if (h->sw[i].guid == guid && h->sw[i].n_ports >= n_ports)
			return i;
	return MOORE_NONE;
}

uint32_t
moore_history_column(struct moore_history *h, uint64_t guid, uint8_t n_ports, uint32_t hint)
{
	uint32_t i = moore_history_find(h, guid, n_ports, hint);
	struct moore_history_switch *more;

	if (i != MOORE_NONE)
		return i;
	if (!(more = moore_grow(h->sw, h->n_switches, &h->cap_switches, sizeof(*more))))
		return MOORE_NONE;
	h->sw = more;
	h->sw[h->n_switches] = (struct moore_history_switch){ guid, h->n_columns, n_ports };
	h->n_columns += n_ports;
	return h->n_switches++;
}

uint32_t *
moore_history_blank(const struct moore_history *h)
{
	size_t size = ((size_t)h->n_columns + 1) * sizeof(uint32_t);
	uint32_t *v = malloc(size);

	return v ? memset(v, 0xff, size) : NULL;
}

int
moore_history_push(struct moore_history *h, uint64_t at_ms, uint32_t span_ms, uint32_t *v,
		   uint32_t width, struct moore_err *err)
{
	if (h->n_rows && at_ms <= moore_history_last(h)) {
		free(v);
		return moore_fail(err, MOORE_EINVAL, 0, "a row that is not later than the last");
	}
	if (h->n_rows == h->max_rows)
		drop_oldest(h);
	h->row[(h->first + h->n_rows++) % h->max_rows] =
		(struct moore_history_row){ at_ms, span_ms, width, v };
	return 0;
}

/* Forgets everything, when nearly all columns belong to switches that are gone. */
static void
forget(struct moore_history *h)
{
	while (h->n_rows)
		drop_oldest(h);
	h->n_switches = 0;
	h->n_columns = 0;
}

int
moore_history_add(struct moore_history *h, const struct moore_fabric *f,
		  const struct moore_sample *sample, uint64_t at_ms, uint32_t span_ms,
		  struct moore_err *err)
{
	uint32_t *v, hint = 0;

	if (h->n_columns > 4 * f->n_ports + 4096)
		forget(h);
	for (uint32_t s = 0; s < f->n_switches; s++, hint++) {
		hint = moore_history_column(h, f->sw[s].guid, f->sw[s].n_ports, hint);
		if (hint == MOORE_NONE)
			return moore_fail_nomem(err);
	}
	if (!(v = moore_history_blank(h)))
		return moore_fail_nomem(err);
	hint = 0;
	for (uint32_t s = 0; s < f->n_switches; s++, hint++) {
		hint = moore_history_find(h, f->sw[s].guid, f->sw[s].n_ports, hint);
		for (uint32_t k = 1; k <= f->sw[s].n_ports; k++)
			v[h->sw[hint].column + k - 1] = pack_sample(&sample[f->sw[s].port0 + k]);
	}
	return moore_history_push(h, at_ms, span_ms, v, h->n_columns, err);
}

/* ---- reading -------------------------------------------------------------------------------- */

uint32_t
moore_history_rows(const struct moore_history *h)
{
	return h->n_rows;
}

uint64_t
moore_history_first(const struct moore_history *h)
{
	return h->n_rows ? h->row[h->first].at_ms : 0;
}

uint64_t
moore_history_last(const struct moore_history *h)
{
	return h->n_rows ? h->row[(h->first + h->n_rows - 1) % h->max_rows].at_ms : 0;
}

uint32_t
moore_history_after(const struct moore_history *h, uint64_t after_ms)
{
	uint32_t lo = 0, hi = h->n_rows;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (moore_history_nth(h, mid)->at_ms > after_ms)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

bool
moore_history_port(const struct moore_history *h, uint64_t guid, moore_portnum port,
		   uint64_t after_ms, moore_history_fn *fn, void *arg)
{
	uint32_t i = moore_history_find(h, guid, port, 0), col;

	if (i == MOORE_NONE || !port)
		return false;
	col = h->sw[i].column + port - 1;
	for (uint32_t n = moore_history_after(h, after_ms); n < h->n_rows; n++) {
		const struct moore_history_row *r = moore_history_nth(h, n);
		struct moore_sample s = unpack_sample(col < r->width ? r->v[col] : UNKNOWN);

		if (!fn(arg, r->at_ms, r->span_ms, &s))
			break;
	}
	return true;
}

uint64_t
moore_history_row(const struct moore_history *h, const struct moore_fabric *f, uint64_t after_ms,
		  struct moore_sample *sample, uint32_t *span_ms)
{
	uint32_t n = moore_history_after(h, after_ms), hint = 0;
	const struct moore_history_row *r;

	if (n == h->n_rows)
		return 0;
	r = moore_history_nth(h, n);
	*span_ms = r->span_ms;
	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint32_t i = moore_history_find(h, f->sw[s].guid, f->sw[s].n_ports, hint);

		sample[f->sw[s].port0].known = false;
		for (uint32_t k = 1; k <= f->sw[s].n_ports; k++) {
			uint32_t col = i == MOORE_NONE ? UINT32_MAX : h->sw[i].column + k - 1;

			sample[f->sw[s].port0 + k] =
				unpack_sample(col < r->width ? r->v[col] : UNKNOWN);
		}
		hint = i == MOORE_NONE ? hint : i + 1;
	}
	return r->at_ms;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* optics.c - reads the tables of ibdiagnet's files (moore/optics.h), and keeps what is known of
 * each port.  Elsewhere: what mlxlink prints (lib/answer/mlxlink.c).
 *
 * A table is a head and rows with one character between cells: a colon, or a comma outside of
 * quotes.  A row that lacks cells at its end is read as far as it goes. */
#include <stdlib.h>
#include <string.h>

#include "moore/optics.h"
#include "scan.h"

enum { CELLS_MAX = 256 };

struct cell {
	const char *at;
	size_t len;
};

struct table {
	char between;
	uint32_t n;		/* columns of the head */
	int guid, port;		/* columns; -1: not there */
	int value[MOORE_N_OPTIC_VALUES];
};

static const struct {
	const char *name, *column;
	char between;
} values[MOORE_N_OPTIC_VALUES] = {
	[MOORE_OPTIC_FEC] = { "fec", "FEC mode", ':' },
	[MOORE_OPTIC_RAW_BER] = { "raw_ber", "Raw BER", ':' },
	[MOORE_OPTIC_EFFECTIVE_BER] = { "effective_ber", "Effective BER", ':' },
	[MOORE_OPTIC_SYMBOL_BER] = { "symbol_ber", "Symbol BER", ':' },
	[MOORE_OPTIC_TEMPERATURE] = { "temperature", "Temperature", ',' },
	[MOORE_OPTIC_VENDOR] = { "vendor", "Vendor", ',' },
	[MOORE_OPTIC_PART] = { "part", "PN", ',' },
	[MOORE_OPTIC_SERIAL] = { "serial", "SN", ',' },
};

const char *
moore_optic_value_name(enum moore_optic_value v)
{
	return values[v].name;
}

/* ---- rows ---------------------------------------------------------------------------- */

static struct cell
trimmed(const char *at, const char *end)
{
	while (at < end && strchr(" \t\r\"", *at))
		at++;
	while (at < end && strchr(" \t\r\"", end[-1]))
		end--;
	return (struct cell){ at, (size_t)(end - at) };
}

/* Cuts a line into cells, of which the last takes what is left. */
static uint32_t
cut(const char *at, const char *end, char between, struct cell *cell, uint32_t max)
{
	const char *from = at;
	bool quoted = false;
	uint32_t n = 0;

	for (; at < end && n + 1 < max; at++) {
		quoted ^= *at == '"' && between == ',';
		if (*at != between || quoted)
			continue;
		cell[n++] = trimmed(from, at);
		from = at + 1;
	}
	cell[n++] = trimmed(from, end);
	return n;
}

static bool
is_text(struct cell c, const char *text)
{
	return c.len == strlen(text) && !memcmp(c.at, text, c.len);
}

static int
column(const struct cell *head, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (is_text(head[i], name))
			return (int)i;
	return -1;
}

static int
take_head(struct table *t, const struct moore_scan *l, char between, struct moore_err *err)
{
	struct cell head[CELLS_MAX];
	const bool csv = between == ',';

	t->between = between;
	t->n = cut(l->at, l->end, between, head, CELLS_MAX);
	t->guid = column(head, t->n, csv ? "NodeGuid" : "GUID");
	t->port = column(head, t->n, csv ? "PortNum" : "#IB");
	for (int i = 0; i < MOORE_N_OPTIC_VALUES; i++)
		t->value[i] = values[i].between == between ? column(head, t->n, values[i].column) : -1;
	if (t->guid >= 0 && t->port >= 0)
		return 0;
	return moore_fail(err, MOORE_ESYNTAX, l->line, "the head of this table has no columns %s and %s",
			  csv ? "NodeGuid" : "GUID", csv ? "PortNum" : "#IB");
}

static bool
take_number(struct cell c, unsigned base, uint64_t max, uint64_t *out)
{
	const char *at = c.at;

	return moore_text_u64(&at, c.at + c.len, base, max, out) && at == c.at + c.len;
}

void
moore_optic_set(struct moore_optic *row, enum moore_optic_value v, const char *text, size_t len)
{
	char *to = row->value[v];
	struct cell c = trimmed(text, text + len);

	if (is_text(c, "N/A") || is_text(c, "NA") || is_text(c, "-"))
		return;
	if (c.len >= MOORE_OPTIC_SIZE)
		c.len = MOORE_OPTIC_SIZE - 1;
	memcpy(to, c.at, c.len);
	to[c.len] = '\0';
	moore_text_hide(to);
}

static int
take_row(struct moore_optics *t, const struct table *is, const struct moore_scan *l,
	 struct moore_err *err)
{
	struct cell cell[CELLS_MAX];
	const uint32_t n = cut(l->at, l->end, is->between, cell, is->n);
	struct moore_optic row = { .guid = 0 }, *more;
	uint64_t port;

	if ((uint32_t)is->guid >= n || (uint32_t)is->port >= n ||
	    !take_number(cell[is->guid], 0, UINT64_MAX, &row.guid) ||
	    !take_number(cell[is->port], 10, UINT8_MAX, &port)) {
		t->skipped++;
		return 0;
	}
	row.port = (uint32_t)port;
	for (int i = 0; i < MOORE_N_OPTIC_VALUES; i++)
		if (is->value[i] >= 0 && (uint32_t)is->value[i] < n)
			moore_optic_set(&row, (enum moore_optic_value)i, cell[is->value[i]].at,
					cell[is->value[i]].len);
	if (!(more = moore_grow(t->port, t->n, &t->cap, sizeof(*more))))
		return moore_fail_nomem(err);
	t->port = more;
	t->port[t->n++] = row;
	return 0;
}

/* ---- the two files ------------------------------------------------------------------- */

/* The table of ibdiagnet2.net_dump_ext goes to the end of the file. */
static int
read_dump(struct moore_optics *t, struct moore_scan *l, struct moore_err *err)
{
	struct table is;
	int rc = take_head(&is, l, ':', err);

	while (rc == 0 && moore_scan_line(l))
		if (!moore_scan_done(l) && *l->at != '#')
			rc = take_row(t, &is, l, err);
	return rc;
}

static int
read_section(struct moore_optics *t, struct moore_scan *l, struct moore_err *err)
{
	struct table is;
	int rc;

	if (!moore_scan_line(l))
		return moore_fail(err, MOORE_ESYNTAX, l->line, "the file is cut off in CABLE_INFO");
	if ((rc = take_head(&is, l, ',', err)) < 0)
		return rc;
	while (moore_scan_line(l)) {
		if (is_text(trimmed(l->at, l->end), "END_CABLE_INFO"))
			return 0;
		if (!moore_scan_done(l) && (rc = take_row(t, &is, l, err)) < 0)
			return rc;
	}
	return moore_fail(err, MOORE_ESYNTAX, l->line, "the file is cut off in CABLE_INFO");
}

/* ---- all rows ------------------------------------------------------------------------ */

static int
by_port(const void *a, const void *b)
{
	const struct moore_optic *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->port < y->port ? -1 : x->port > y->port;
}

static int
by_row(const void *a, const void *b)
{
	const struct moore_optic *x = a, *y = b;
	int c = by_port(x, y);

	return c ? c : memcmp(x->value, y->value, sizeof(x->value));
}

/* Adds what row has to a row of the same port. */
static void
overlay(struct moore_optic *to, const struct moore_optic *row)
{
	for (int v = 0; v < MOORE_N_OPTIC_VALUES; v++)
		if (*row->value[v])
			memcpy(to->value[v], row->value[v], sizeof(row->value[v]));
}

/* Sorts all rows, and leaves one for each port. */
static void
merge(struct moore_optics *t)
{
	uint32_t n = 0;

	qsort(t->port, t->n, sizeof(*t->port), by_row);
	for (uint32_t i = 0; i < t->n; i++) {
		if (!n || by_port(&t->port[n - 1], &t->port[i]) != 0) {
			t->port[n++] = t->port[i];
			continue;
		}
		overlay(&t->port[n - 1], &t->port[i]);
	}
	t->n = n;
}

int
moore_optics_add(struct moore_optics *t, const char *text, size_t len, struct moore_err *err)
{
	struct moore_scan l = moore_scan_of(text, len);
	struct cell first[2];
	bool found = false;
	int rc = 0;

	while (rc == 0 && moore_scan_line(&l)) {
		cut(l.at, l.end, ':', first, 2);
		if (is_text(first[0], "Ty")) {
			found = true;
			rc = read_dump(t, &l, err);
		} else if (is_text(first[0], "START_CABLE_INFO")) {
			found = true;
			rc = read_section(t, &l, err);
		}
	}
	if (rc == 0 && !found)
		rc = moore_fail(err, MOORE_ESYNTAX, l.line, "this is neither ibdiagnet2.net_dump_ext nor an "
				"ibdiagnet2.db_csv with the section CABLE_INFO");
	if (t->n)
		merge(t);
	return rc;
}

void
moore_optics_free(struct moore_optics *t)
{
	free(t->port);
	*t = (struct moore_optics)MOORE_OPTICS_INIT;
}

/* The first row that is not before `want`. */
static uint32_t
place_of(const struct moore_optics *t, const struct moore_optic *want)
{
	uint32_t lo = 0, hi = t->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (by_port(&t->port[mid], want) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct moore_optic *
moore_optics_find(const struct moore_optics *t, uint64_t guid, uint32_t port)
{
	const struct moore_optic want = { .guid = guid, .port = port };
	const uint32_t at = place_of(t, &want);

	return at < t->n && !by_port(&t->port[at], &want) ? &t->port[at] : NULL;
}

int
moore_optics_put(struct moore_optics *t, const struct moore_optic *row, struct moore_err *err)
{
	const uint32_t at = place_of(t, row);
	struct moore_optic *more;

	if (at < t->n && !by_port(&t->port[at], row)) {
		overlay(&t->port[at], row);
		return 0;
	}
	if (!(more = moore_grow(t->port, t->n, &t->cap, sizeof(*more))))
		return moore_fail_nomem(err);
	t->port = more;
	memmove(&t->port[at + 1], &t->port[at], (t->n - at) * sizeof(*more));
	t->port[at] = *row;
	t->n++;
	return 0;
}

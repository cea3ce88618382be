// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* counted.c - reads and writes moore-counters.dump (moore/counted.h), and adds it up.
 *
 * The names of the columns stand in the file, so that a person can read it and a change of their
 * order is noticed. */
#include <stdlib.h>

#include "base/arena.h"
#include "fabric/scan.h"
#include "moore/counted.h"
#include "moore/errors.h"

#define FILE_NAME "moore-counters.dump"

int
moore_counted_new(struct moore_counted **out, const struct moore_fabric *f, struct moore_err *err)
{
	struct moore_counted *c = calloc(1, sizeof(*c));

	*out = NULL;
	if (!c || !(c->port = calloc((size_t)f->n_ports + 1, sizeof(*c->port)))) {
		free(c);
		return moore_fail_nomem(err);
	}
	c->n_ports = f->n_ports;
	*out = c;
	return 0;
}

void
moore_counted_free(struct moore_counted *c)
{
	if (!c)
		return;
	free(c->port);
	free(c);
}

/* ---- reading ------------------------------------------------------------------------ */

struct reader {
	struct moore_scan l;
	struct moore_guid_map by_guid;
	const struct moore_fabric *f;
	struct moore_counted *c;
	moore_swid sw;		/* of the present section */
	bool columns;
};

static int
expected(const struct reader *r, const char *what, struct moore_err *err)
{
	return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": expected %s", what);
}

static int
take_time(struct reader *r, struct moore_err *err)
{
	if (!moore_scan_num(&r->l, 10, INT64_MAX / 1000, &r->c->at_ms) || !moore_scan_done(&r->l))
		return expected(r, "'read' and milliseconds since 1970", err);
	return 0;
}

static int
take_columns(struct reader *r, struct moore_err *err)
{
	for (int i = 0; i < MOORE_N_COUNTERS; i++)
		if (!moore_scan_skip(&r->l, " ") ||
		    !moore_scan_skip(&r->l, moore_counter_name((enum moore_counter)i)))
			return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": expected column %d to "
					  "be %s; another version of moore wrote this file", i + 1,
					  moore_counter_name((enum moore_counter)i));
	r->columns = true;
	return moore_scan_done(&r->l) ? 0 : expected(r, "the end of the line", err);
}

/* Reads a row such as "12 96 72 - 0 ...". */
static int
take_row(struct reader *r, struct moore_err *err)
{
	struct moore_reading *p;
	uint64_t port;

	if (!moore_scan_num(&r->l, 10, r->f->sw[r->sw].n_ports, &port) || !port)
		return expected(r, "a port of this switch", err);
	p = &r->c->port[r->f->sw[r->sw].port0 + port];
	if (p->at_us)
		return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": port %u has two lines",
				  (unsigned)port);
	for (int i = 0; i < MOORE_N_COUNTERS; i++) {
		if (!moore_scan_skip(&r->l, " "))
			return expected(r, "one value for each column", err);
		if (moore_scan_skip(&r->l, "-"))
			continue;
		if (!moore_scan_num(&r->l, 10, UINT64_MAX, &p->v[i]))
			return expected(r, "a number or -", err);
		p->has |= 1u << i;
	}
	p->at_us = r->c->at_ms ? r->c->at_ms * 1000 : 1;
	return moore_scan_done(&r->l) ? 0 : expected(r, "the end of the line", err);
}

static int
take_line(struct reader *r, struct moore_err *err)
{
	if (moore_scan_note(&r->l))
		return 0;
	if (moore_scan_skip(&r->l, "read "))
		return take_time(r, err);
	if (moore_scan_skip(&r->l, "columns"))
		return take_columns(r, err);
	if (moore_scan_skip(&r->l, "Switch "))
		return moore_scan_header(&r->l, &r->by_guid, FILE_NAME, &r->sw, err);
	if (r->sw == MOORE_NONE || !r->columns)
		return expected(r, "'read', 'columns', or 'Switch 0xGUID' before the ports", err);
	return take_row(r, err);
}

int
moore_dump_parse_counters(struct moore_counted **out, const struct moore_fabric *f, const char *text,
			  size_t len, struct moore_err *err)
{
	struct reader r = { .l = moore_scan_of(text, len), .f = f, .sw = MOORE_NONE };
	struct moore_arena tmp = MOORE_ARENA_INIT;
	int rc;

	*out = NULL;
	if ((rc = moore_scan_switches(&r.by_guid, f, false, &tmp, err)) < 0 ||
	    (rc = moore_counted_new(&r.c, f, err)) < 0)
		goto out;
	while (moore_scan_line(&r.l))
		if ((rc = take_line(&r, err)) < 0)
			goto out;
	if ((rc = moore_scan_end(&r.l, FILE_NAME, err)) < 0)
		goto out;
	*out = r.c;
	r.c = NULL;
out:
	moore_counted_free(r.c);
	moore_arena_free(&tmp);
	return rc;
}

/* ---- writing ------------------------------------------------------------------------ */

static void
put_port(const struct moore_reading *p, unsigned number, struct moore_buf *out)
{
	if (!p->at_us)
		return;
	moore_buf_fmt(out, "%u", number);
	for (int i = 0; i < MOORE_N_COUNTERS; i++)
		if (p->has >> i & 1)
			moore_buf_fmt(out, " %llu", (unsigned long long)p->v[i]);
		else
			moore_buf_fmt(out, " -");
	moore_buf_fmt(out, "\n");
}

void
moore_dump_write_counters(const struct moore_fabric *f, const struct moore_counted *c,
			  struct moore_buf *out)
{
	moore_buf_fmt(out, "read %llu\ncolumns", (unsigned long long)c->at_ms);
	for (int i = 0; i < MOORE_N_COUNTERS; i++)
		moore_buf_fmt(out, " %s", moore_counter_name((enum moore_counter)i));
	moore_buf_fmt(out, "\n");
	for (moore_swid s = 0; s < f->n_switches; s++) {
		moore_buf_fmt(out, "Switch 0x%016llx, \"%s\"\n", (unsigned long long)f->sw[s].guid,
			      f->sw[s].name ? f->sw[s].name : "");
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
			put_port(&c->port[f->sw[s].port0 + p], p, out);
	}
	moore_buf_fmt(out, "#--\n");
}

/* ---- adding up ---------------------------------------------------------------------- */

/* Puts b among the busiest, which are in falling order. */
static void
take_busy(struct moore_measured *m, const struct moore_busy *b)
{
	unsigned at = m->n_busiest;

	if (b->sent <= 0 || (at == MOORE_BUSIEST && m->busiest[at - 1].sent >= b->sent))
		return;
	if (at < MOORE_BUSIEST)
		m->n_busiest++;
	else
		at--;
	for (; at && m->busiest[at - 1].sent < b->sent; at--)
		m->busiest[at] = m->busiest[at - 1];
	m->busiest[at] = *b;
}

void
moore_measured_of(struct moore_measured *out, const struct moore_fabric *f,
		  const struct moore_counted *c)
{
	double sum = 0;

	*out = (struct moore_measured){ .n_links = 0 };
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_reading *r = &c->port[f->sw[s].port0 + p];
			struct moore_busy b = { s, (moore_portnum)p, 4.0 * (double)r->v[MOORE_XMIT_DATA] };

			out->n_ports += r->at_us != 0;
			out->n_errors += moore_errors_any(r);
			if (f->port[f->sw[s].port0 + p].role != MOORE_ROLE_SWITCH)
				continue;
			out->n_links++;
			if (!(r->has >> MOORE_XMIT_DATA & 1))
				continue;
			out->n_read++;
			sum += b.sent;
			take_busy(out, &b);
		}
	out->max = out->n_busiest ? out->busiest[0].sent : 0;
	out->mean = out->n_read ? sum / out->n_read : 0;
}

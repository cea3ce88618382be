// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump_hardware.c - reads and writes moore-hardware.dump (moore/hardware.h).
 *
 * A line of values has all of them, in the order of the tables below, each with its name before
 * it, so that a person can read the file and a change of the order is noticed. */
#include <string.h>

#include "base/arena.h"
#include "guid_map.h"
#include "moore/hardware.h"
#include "scan.h"

#define FILE_NAME "moore-hardware.dump"

struct value {
	const char *name;
	uint32_t max;
};

static const struct value of_switch[MOORE_N_SW_VALUES] = {
	[MOORE_SW_VENDOR] = { "vendor", 0xffffff }, [MOORE_SW_DEVICE] = { "device", 0xffff },
	[MOORE_SW_REVISION] = { "revision", UINT32_MAX }, [MOORE_SW_LFT_CAP] = { "lft_cap", 0xffff },
	[MOORE_SW_LFT_TOP] = { "lft_top", 0xffff }, [MOORE_SW_MFT_CAP] = { "mft_cap", 0xffff },
	[MOORE_SW_MFT_TOP] = { "mft_top", 0xffff }, [MOORE_SW_MAPS_SL] = { "maps_sl", 1 },
	[MOORE_SW_SL_MAPPING] = { "sl_mapping", 3 },
};
static const struct value of_port[MOORE_N_PT_VALUES] = {
	[MOORE_PT_STATE] = { "state", 15 }, [MOORE_PT_WIDTH] = { "width", 255 },
	[MOORE_PT_SPEED] = { "speed", 255 }, [MOORE_PT_MTU_CAP] = { "mtu_cap", 15 },
	[MOORE_PT_MTU] = { "mtu", 15 }, [MOORE_PT_VL_CAP] = { "vl_cap", 15 },
	[MOORE_PT_VLS] = { "vls", 15 }, [MOORE_PT_HIGH_LIMIT] = { "high_limit", 255 },
	[MOORE_PT_HIGH_CAP] = { "high_cap", MOORE_ARB_MAX },
	[MOORE_PT_LOW_CAP] = { "low_cap", MOORE_ARB_MAX },
};
static const char *const of_arb[MOORE_N_ARB] = { "high", "low" };

const char *
moore_switch_value_name(enum moore_switch_value v)
{
	return of_switch[v].name;
}

const char *
moore_port_value_name(enum moore_port_value v)
{
	return of_port[v].name;
}

/* ---- reading ------------------------------------------------------------------------ */

struct reader {
	struct moore_scan l;
	struct moore_guid_map by_guid;
	const struct moore_fabric *f;
	struct moore_hardware *h;
	moore_swid sw;		/* of the present section */
	uint32_t port;		/* of the last line "port", or MOORE_NONE */
};

static bool
take_value(struct moore_scan *l, const struct value *v, uint64_t *out)
{
	moore_scan_spaces(l);
	if (!moore_scan_skip(l, v->name) || !moore_scan_skip(l, " "))
		return false;
	return moore_scan_num(l, 10, v->max, out);
}

static int
expected(const struct reader *r, const char *what, struct moore_err *err)
{
	return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": expected %s", what);
}

static int
take_switch(struct reader *r, struct moore_err *err)
{
	uint64_t v;

	for (int i = 0; i < MOORE_N_SW_VALUES; i++) {
		if (!take_value(&r->l, &of_switch[i], &v))
			return expected(r, of_switch[i].name, err);
		r->h->sw[r->sw][i] = (uint32_t)v;
	}
	return moore_scan_done(&r->l) ? 0 : expected(r, "the end of the line", err);
}

static int
take_port(struct reader *r, struct moore_err *err)
{
	uint64_t v;

	if (!moore_scan_num(&r->l, 10, r->f->sw[r->sw].n_ports, &v))
		return expected(r, "a port of this switch", err);
	r->port = r->f->sw[r->sw].port0 + (uint32_t)v;
	for (int i = 0; i < MOORE_N_PT_VALUES; i++) {
		if (!take_value(&r->l, &of_port[i], &v))
			return expected(r, of_port[i].name, err);
		r->h->port[r->port][i] = (uint16_t)v;
	}
	return moore_scan_done(&r->l) ? 0 : expected(r, "the end of the line", err);
}

static int
take_arb(struct reader *r, int which, struct moore_err *err)
{
	struct moore_arb_entry entry[MOORE_ARB_MAX];
	uint64_t vl, weight;
	unsigned n = 0;

	if (r->port == MOORE_NONE || r->h->arb[r->port][which].read)
		return expected(r, "a line 'port' before each table", err);
	for (; moore_scan_spaces(&r->l), !moore_scan_done(&r->l); n++) {
		if (n == MOORE_ARB_MAX || !moore_scan_num(&r->l, 10, 15, &vl) ||
		    !moore_scan_skip(&r->l, ":") || !moore_scan_num(&r->l, 10, 255, &weight))
			return expected(r, "at most 64 times VL:WEIGHT", err);
		entry[n] = (struct moore_arb_entry){ (uint8_t)vl, (uint8_t)weight };
	}
	return moore_hardware_set_arb(r->h, r->port, which, entry, n, err);
}

static int
take_line(struct reader *r, struct moore_err *err)
{
	if (moore_scan_note(&r->l))
		return 0;
	if (moore_scan_skip(&r->l, "Switch ")) {
		r->port = MOORE_NONE;
		return moore_scan_header(&r->l, &r->by_guid, FILE_NAME, &r->sw, err);
	}
	if (r->sw == MOORE_NONE)
		return expected(r, "'Switch 0xGUID'", err);
	if (moore_scan_skip(&r->l, "has "))
		return take_switch(r, err);
	if (moore_scan_skip(&r->l, "port "))
		return take_port(r, err);
	for (int i = 0; i < MOORE_N_ARB; i++)
		if (moore_scan_skip(&r->l, of_arb[i]))
			return take_arb(r, i, err);
	return expected(r, "'Switch', 'has', 'port', 'high' or 'low'", err);
}

int
moore_dump_parse_hardware(struct moore_hardware **out, const struct moore_fabric *f,
			  const char *text, size_t len, struct moore_err *err)
{
	struct reader r = { .l = moore_scan_of(text, len), .f = f, .sw = MOORE_NONE,
		.port = MOORE_NONE };
	struct moore_arena tmp = MOORE_ARENA_INIT;
	int rc;

	*out = NULL;
	if ((rc = moore_scan_switches(&r.by_guid, f, false, &tmp, err)) < 0 ||
	    (rc = moore_hardware_new(&r.h, f, err)) < 0)
		goto out;
	while (moore_scan_line(&r.l))
		if ((rc = take_line(&r, err)) < 0)
			goto out;
	if ((rc = moore_scan_end(&r.l, FILE_NAME, err)) < 0)
		goto out;
	*out = r.h;
	r.h = NULL;
out:
	moore_hardware_free(r.h);
	moore_arena_free(&tmp);
	return rc;
}

/* ---- writing ------------------------------------------------------------------------ */

static void
put_arb(const struct moore_hardware *h, uint32_t port, int which, struct moore_buf *out)
{
	const struct moore_arb *a = &h->arb[port][which];

	if (!a->read)
		return;
	moore_buf_fmt(out, "%s", of_arb[which]);
	for (unsigned i = 0; i < a->n; i++)
		moore_buf_fmt(out, " %u:%u", h->entry[a->at + i].vl, h->entry[a->at + i].weight);
	moore_buf_fmt(out, "\n");
}

static void
put_port(const struct moore_hardware *h, uint32_t port, unsigned number, struct moore_buf *out)
{
	if (!h->port[port][MOORE_PT_VLS])
		return;
	moore_buf_fmt(out, "port %u", number);
	for (int i = 0; i < MOORE_N_PT_VALUES; i++)
		moore_buf_fmt(out, " %s %u", of_port[i].name, h->port[port][i]);
	moore_buf_fmt(out, "\n");
	for (int i = 0; i < MOORE_N_ARB; i++)
		put_arb(h, port, i, out);
}

void
moore_dump_write_hardware(const struct moore_fabric *f, const struct moore_hardware *h,
			  struct moore_buf *out)
{
	for (moore_swid s = 0; s < f->n_switches; s++) {
		moore_buf_fmt(out, "Switch 0x%016llx, \"%s\"\n", (unsigned long long)f->sw[s].guid,
			      f->sw[s].name ? f->sw[s].name : "");
		if (h->sw[s][MOORE_SW_LFT_CAP]) {
			moore_buf_fmt(out, "has");
			for (int i = 0; i < MOORE_N_SW_VALUES; i++)
				moore_buf_fmt(out, " %s %u", of_switch[i].name, h->sw[s][i]);
			moore_buf_fmt(out, "\n");
		}
		for (unsigned p = 0; p <= f->sw[s].n_ports; p++)
			put_port(h, f->sw[s].port0 + p, p, out);
	}
	moore_buf_fmt(out, "#--\n");
}

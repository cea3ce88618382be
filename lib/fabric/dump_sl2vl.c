// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump_sl2vl.c - reads opensm-sl2vl.dump, as dump_sl2vl_tbl() of OpenSM's osm_dump.c
 * writes it: for each port GUID
 *
 *   Switch 0x0000000000200000, base LID 4, "S0"
 *   #in out : 0  1  2  ... 15
 *   #------
 *   0   1   : 0  1  2  ... 7
 *   #------
 *
 * Sections of channel adapters and routers are skipped, since no packet inside the fabric
 * waits for the link from an endpoint to its switch.  A section without its second rule of
 * dashes is refused, for the reason given in dump_lfts.c. */
#include <string.h>

#include "guid_map.h"
#include "moore/dumps.h"
#include "scan.h"

#define FILE_NAME "opensm-sl2vl.dump"

struct reader {
	struct moore_scan l;
	struct moore_guid_map by_guid;
	moore_swid sw;		/* switch of this section; MOORE_NONE: not a switch's */
	unsigned rules;		/* #--- lines that the section still lacks */
};

static bool
read_row(struct moore_scan *l, uint64_t *in, uint64_t *out, struct moore_sl_row *row)
{
	uint64_t vl;

	if (!moore_scan_num(l, 10, MOORE_PORT_MAX, in))
		return false;
	moore_scan_spaces(l);
	if (!moore_scan_num(l, 10, MOORE_PORT_MAX, out))
		return false;
	moore_scan_spaces(l);
	if (!moore_scan_skip(l, ":"))
		return false;
	for (unsigned sl = 0; sl < MOORE_N_SL; sl++) {
		moore_scan_spaces(l);
		if (!moore_scan_num(l, 10, 15, &vl))
			return false;
		row->vl[sl] = (uint8_t)vl;
	}
	moore_scan_spaces(l);
	return moore_scan_done(l);
}

static int
take_row(struct reader *r, struct moore_sl2vl *t, const struct moore_fabric *f,
	 struct moore_err *err)
{
	struct moore_sl_row row;
	uint64_t in, out;

	if (!r->rules || !read_row(&r->l, &in, &out, &row))
		return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": expected %s", r->rules ?
				  "'IN OUT : 16 VLs of 0 to 15'" :
				  "'Switch 0xGUID, base LID N, \"NAME\"'");
	if (r->sw == MOORE_NONE)
		return 0;
	if (in > f->sw[r->sw].n_ports || out > f->sw[r->sw].n_ports)
		return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": ports %u and %u on "
				  "switch %s, which has %u", (unsigned)in, (unsigned)out,
				  f->sw[r->sw].name, f->sw[r->sw].n_ports);
	return moore_sl2vl_set(t, r->sw, (moore_portnum)in, (moore_portnum)out, &row, err);
}

static int
take_header(struct reader *r, bool of_switch, struct moore_err *err)
{
	uint64_t guid;

	if (r->rules)
		return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": the section above "
				  "does not end; copy the file whole");
	r->rules = 2;
	r->sw = MOORE_NONE;
	if (!moore_scan_num(&r->l, 16, UINT64_MAX, &guid) || !moore_scan_skip(&r->l, ", base LID "))
		return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": expected '0xGUID, "
				  "base LID N'");
	if (!of_switch)
		return 0;
	return moore_scan_switch(&r->l, &r->by_guid, guid, FILE_NAME, &r->sw, err);
}

static int
take_line(struct reader *r, struct moore_sl2vl *t, const struct moore_fabric *f,
	  struct moore_err *err)
{
	static const char *const others[] = { "Channel Adapter ", "Router ", "UNKNOWN " };

	if (moore_scan_done(&r->l))
		return 0;
	if (moore_scan_skip(&r->l, "#")) {
		if (moore_scan_skip(&r->l, "--") && r->rules)
			r->rules--;
		return 0;
	}
	if (moore_scan_skip(&r->l, "Switch "))
		return take_header(r, true, err);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (moore_scan_skip(&r->l, others[i]))
			return take_header(r, false, err);
	return take_row(r, t, f, err);
}

int
moore_dump_parse_sl2vl(struct moore_sl2vl **out, const struct moore_fabric *f,
		       const char *text, size_t len, struct moore_err *err)
{
	struct reader r = { .l = moore_scan_of(text, len), .sw = MOORE_NONE };
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_sl2vl *t = NULL;
	int rc;

	*out = NULL;
	if ((rc = moore_scan_switches(&r.by_guid, f, true, &tmp, err)) < 0 ||
	    (rc = moore_sl2vl_new(&t, f, err)) < 0)
		goto out;
	while (moore_scan_line(&r.l))
		if ((rc = take_line(&r, t, f, err)) < 0)
			goto out;
	if (r.rules) {
		rc = moore_fail(err, MOORE_ESYNTAX, r.l.line, FILE_NAME ": the file ends within a "
				"section; copy it whole");
		goto out;
	}
	*out = t;
	t = NULL;
out:
	moore_sl2vl_free(t);
	moore_arena_free(&tmp);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump_op_vls.c - reads and writes moore-op-vls.dump, the operational VLs of the ports, which
 * no dump of OpenSM holds:
 *
 *   Switch 0x0000000000200000, "S0"
 *   1 2
 *   2 1
 *
 * Port 1 runs two data VLs and port 2 one.  Ports without a link have no line.  The file
 * ends in a line `#--`. */
#include <stdlib.h>

#include "base/arena.h"
#include "guid_map.h"
#include "moore/dumps.h"
#include "scan.h"

#define FILE_NAME "moore-op-vls.dump"

struct reader {
	struct moore_scan l;
	struct moore_guid_map by_guid;
	const struct moore_fabric *f;
	moore_swid sw;		/* switch of the present section */
	uint8_t *lanes;		/* of each port, as in f->port; 0: no line */
};

static bool
is_lanes(uint64_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8 || n == 15;
}

/* Reads a row such as "12 2". */
static int
take_row(struct reader *r, struct moore_err *err)
{
	uint64_t port, lanes;

	if (r->sw == MOORE_NONE)
		return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": expected 'Switch "
				  "0xGUID'");
	if (!moore_scan_num(&r->l, 10, UINT8_MAX, &port))
		goto bad;
	moore_scan_spaces(&r->l);
	if (!moore_scan_num(&r->l, 10, UINT8_MAX, &lanes) || !is_lanes(lanes))
		goto bad;
	moore_scan_spaces(&r->l);
	if (!moore_scan_done(&r->l))
		goto bad;
	if (!port || port > r->f->sw[r->sw].n_ports)
		return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": the switch has no "
				  "port %u; use dumps of the same sweep", (unsigned)port);
	r->lanes[r->f->sw[r->sw].port0 + port] = (uint8_t)lanes;
	return 0;
bad:
	return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": expected 'PORT VLS', VLS "
			  "one of 1, 2, 4, 8 and 15");
}

static int
take_line(struct reader *r, struct moore_err *err)
{
	if (moore_scan_note(&r->l))
		return 0;
	if (moore_scan_skip(&r->l, "Switch "))
		return moore_scan_header(&r->l, &r->by_guid, FILE_NAME, &r->sw, err);
	return take_row(r, err);
}

static int
check_whole(const struct reader *r, struct moore_err *err)
{
	const struct moore_fabric *f = r->f;
	int rc = moore_scan_end(&r->l, FILE_NAME, err);

	if (rc < 0)
		return rc;
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
			if (moore_fabric_port(f, s, (moore_portnum)p)->role &&
			    !r->lanes[f->sw[s].port0 + p])
				return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": switch "
						  "%s port %u has a link and no line; use dumps of the "
						  "same sweep", f->sw[s].name, p);
	return 0;
}

/* A link runs the VLs that both of its ports run. */
static void
set_lanes(const struct reader *r, struct moore_fabric *f)
{
	for (uint32_t i = 0; i < f->n_ports; i++) {
		struct moore_port *p = &f->port[i];
		uint8_t there = p->role != MOORE_ROLE_SWITCH ? 0 :
			r->lanes[f->sw[p->peer].port0 + p->peer_port];

		if (p->role == MOORE_ROLE_SWITCH || p->role == MOORE_ROLE_ENDPOINT)
			p->lanes = there && there < r->lanes[i] ? there : r->lanes[i];
	}
}

int
moore_dump_parse_op_vls(struct moore_fabric *f, const char *text, size_t len,
			struct moore_err *err)
{
	struct reader r = { .l = moore_scan_of(text, len), .f = f, .sw = MOORE_NONE };
	struct moore_arena tmp = MOORE_ARENA_INIT;
	int rc;

	if ((rc = moore_scan_switches(&r.by_guid, f, false, &tmp, err)) < 0)
		goto out;
	if (!(r.lanes = moore_arena_alloc(&tmp, (size_t)f->n_ports + 1, 1))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	while (moore_scan_line(&r.l))
		if ((rc = take_line(&r, err)) < 0)
			goto out;
	if ((rc = check_whole(&r, err)) == 0)
		set_lanes(&r, f);
out:
	moore_arena_free(&tmp);
	return rc;
}

void
moore_dump_write_op_vls(const struct moore_fabric *f, struct moore_buf *out)
{
	for (moore_swid s = 0; s < f->n_switches; s++) {
		moore_buf_fmt(out, "Switch 0x%016llx, \"%s\"\n", (unsigned long long)f->sw[s].guid,
			      f->sw[s].name ? f->sw[s].name : "");
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

			if (port->role)
				moore_buf_fmt(out, "%u %u\n", p, port->lanes);
		}
	}
	moore_buf_fmt(out, "#--\n");
}

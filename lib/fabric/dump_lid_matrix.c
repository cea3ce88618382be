// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump_lid_matrix.c - reads opensm-lid-matrix.dump, and writes it for one tree:
 *
 *   Switch: guid 0x0000000000200000
 *   0x0001: 00 ff ff # portguid 0x0000000000200000
 *   0x0002: 01 02 01 # portguid 0x0000000000200001
 *
 * After a LID stand the fewest hops to it, then those by port 1, 2 and so on; ff is
 * unreachable, and so is a LID without a line.
 *
 * OpenSM takes the first port with the fewest hops towards each member of a multicast group.
 * A file that gives hops to one port alone therefore decides on the tree of every group. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "guid_map.h"
#include "moore/dumps.h"
#include "scan.h"

#define FILE_NAME "opensm-lid-matrix.dump"
#define NO_HOPS MOORE_STOCK_NO_HOPS

/* ---- reading ---------------------------------------------------------------------- */

struct reader {
	struct moore_scan l;
	struct moore_guid_map by_guid;
	const struct moore_fabric *f;
	uint32_t *sw_of;	/* by LID: the switch with that base LID, + 1 */
	moore_swid sw;		/* of the present section */
};

/* Reads the hops of a line; what follows them is not read. */
static int
take_hops(struct reader *r, struct moore_stock_hop *h, struct moore_err *err)
{
	unsigned n_ports = r->f->sw[r->sw].n_ports;
	uint64_t hops;

	moore_scan_spaces(&r->l);
	for (unsigned p = 0; !moore_scan_done(&r->l) && *r->l.at != '#'; p++) {
		if (!moore_scan_num(&r->l, 16, UINT8_MAX, &hops))
			return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": expected hops "
					  "such as 02");
		if (p <= n_ports && (hops < h->n || (hops == h->n && !h->port && hops != NO_HOPS)))
			*h = (struct moore_stock_hop){ (uint8_t)hops, (moore_portnum)p };
		moore_scan_spaces(&r->l);
	}
	return 0;
}

static int
take_line(struct reader *r, struct moore_stock_hop *hops, struct moore_err *err)
{
	struct moore_stock_hop h = { NO_HOPS, 0 };
	uint64_t lid;
	int rc;

	if (moore_scan_done(&r->l) || moore_scan_skip(&r->l, "#"))
		return 0;
	if (moore_scan_skip(&r->l, "Switch: guid "))
		return moore_scan_header(&r->l, &r->by_guid, FILE_NAME, &r->sw, err);
	if (r->sw == MOORE_NONE || r->l.cut || !moore_scan_num(&r->l, 16, UINT16_MAX, &lid) ||
	    !moore_scan_skip(&r->l, ":"))
		return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": expected %s", r->l.cut ?
				  "an end of line; copy the file whole" :
				  "'Switch: guid 0xGUID' and then '0xLID: HOPS ...'");
	rc = take_hops(r, &h, err);
	if (rc == 0 && lid <= r->f->lid_top && r->sw_of[lid])
		hops[(size_t)r->sw * r->f->n_switches + r->sw_of[lid] - 1] = h;
	return rc;
}

int
moore_dump_parse_lid_matrix(struct moore_stock_hop **out, const struct moore_fabric *f,
			    const char *text, size_t len, struct moore_err *err)
{
	struct reader r = { .l = moore_scan_of(text, len), .f = f, .sw = MOORE_NONE };
	size_t n = (size_t)f->n_switches * f->n_switches;
	struct moore_stock_hop *hops = malloc((n + 1) * sizeof(*hops));
	struct moore_arena tmp = MOORE_ARENA_INIT;
	int rc;

	*out = NULL;
	if (!(r.sw_of = moore_arena_alloc(&tmp, (size_t)f->lid_top + 1, sizeof(*r.sw_of))) || !hops) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	for (size_t i = 0; i < n; i++)
		hops[i] = (struct moore_stock_hop){ NO_HOPS, 0 };
	for (moore_swid s = 0; s < f->n_switches; s++)
		r.sw_of[f->sw[s].lid] = f->sw[s].lid ? s + 1 : 0;
	if ((rc = moore_scan_switches(&r.by_guid, f, false, &tmp, err)) < 0)
		goto out;
	while (moore_scan_line(&r.l))
		if ((rc = take_line(&r, hops, err)) < 0)
			goto out;
	*out = hops;
	hops = NULL;
out:
	free(hops);
	moore_arena_free(&tmp);
	return rc;
}

/* ---- writing ------------------------------------------------------------------------ */

struct hops {
	uint32_t n;		/* the distance, along the tree */
	moore_portnum port;	/* the first port on the way */
};

struct walk {
	const struct moore_fabric *f;
	const uint8_t *parent_port;
	struct hops *to;	/* by switch: from the switch at hand */
	moore_swid *queue;
};

/* Whether the link at port p of s is one of the tree. */
static bool
in_tree(const struct walk *w, moore_swid s, moore_portnum p)
{
	const struct moore_port *q = moore_fabric_port(w->f, s, p);

	return q->role == MOORE_ROLE_SWITCH &&
		(w->parent_port[s] == p || w->parent_port[q->peer] == q->peer_port);
}

/* Fills to[] from s; returns how many switches it reaches. */
static uint32_t
walk_from(struct walk *w, moore_swid s)
{
	uint32_t n = 1;

	for (moore_swid d = 0; d < w->f->n_switches; d++)
		w->to[d].n = MOORE_NONE;
	w->to[s] = (struct hops){ 0, 0 };
	w->queue[0] = s;
	for (uint32_t i = 0; i < n; i++)
		for (unsigned p = 1; p <= w->f->sw[w->queue[i]].n_ports; p++) {
			moore_swid at = w->queue[i], d = moore_fabric_port(w->f, at, (moore_portnum)p)->peer;

			if (!in_tree(w, at, (moore_portnum)p) || w->to[d].n != MOORE_NONE)
				continue;
			w->to[d] = (struct hops){ w->to[at].n + 1, i ? w->to[at].port : (moore_portnum)p };
			w->queue[n++] = d;
		}
	return n;
}

/* The hops of each port up to the one that leads to d; OpenSM takes the rest for unreachable. */
static void
put_row(const struct walk *w, moore_swid d, struct moore_buf *out)
{
	const struct hops *h = &w->to[d];

	moore_buf_fmt(out, "0x%04x:", w->f->sw[d].lid);
	for (unsigned p = 0; p < h->port; p++)
		moore_buf_add(out, " ff", 3);
	moore_buf_fmt(out, " %02x\n", h->n < NO_HOPS ? h->n : NO_HOPS - 1);
}

int
moore_dump_write_lid_matrix(const struct moore_fabric *f, const uint8_t *parent_port,
			    struct moore_buf *out, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct walk w = { .f = f, .parent_port = parent_port,
		.to = moore_arena_alloc(&tmp, (size_t)f->n_switches + 1, sizeof(*w.to)),
		.queue = moore_arena_alloc(&tmp, (size_t)f->n_switches + 1, sizeof(*w.queue)) };

	for (moore_swid s = 0; w.to && w.queue && s < f->n_switches; s++) {
		uint32_t n = walk_from(&w, s);

		moore_buf_fmt(out, "Switch: guid 0x%016llx\n", (unsigned long long)f->sw[s].guid);
		for (uint32_t i = 0; i < n; i++)
			if (f->sw[w.queue[i]].lid)
				put_row(&w, w.queue[i], out);
	}
	if (!w.to || !w.queue)
		out->oom = true;
	moore_arena_free(&tmp);
	return out->oom ? moore_fail_nomem(err) : 0;
}

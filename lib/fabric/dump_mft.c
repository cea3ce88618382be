// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump_mft.c - reads opensm.mcfdbs, as dump_mcast_routes() of OpenSM's osm_dump.c
 * writes it; the file is empty when no group has members:
 *
 *   (an empty line)
 *   Switch 0x0000000000200000
 *   LID    : Out Port(s)
 *   0xC000 : 0x001  0x00A
 */
#include <stdlib.h>

#include "base/bits.h"
#include "guid_map.h"
#include "moore/dumps.h"
#include "scan.h"

#define FILE_NAME "opensm.mcfdbs"
#define MLID_FIRST 0xc000
#define N_MLIDS 0x4000

struct reader {
	struct moore_scan l;
	struct moore_guid_map by_guid;
	moore_swid sw;
	uint32_t *group;	/* index + 1 of each MLID's group; 0: not read yet */
};

static int
take_ports(struct reader *r, struct moore_mft *t, uint32_t g, unsigned n_ports,
	   struct moore_err *err)
{
	uint64_t port, *mask = t->mask[(size_t)g * t->n_switches + r->sw];

	for (moore_scan_spaces(&r->l); !moore_scan_done(&r->l); moore_scan_spaces(&r->l)) {
		if (!moore_scan_num(&r->l, 16, n_ports, &port))
			return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": expected port "
					  "numbers 0x000 to 0x%03X, those of this switch", n_ports);
		moore_bits_set(mask, port);
	}
	return 0;
}

static int
take_line(struct reader *r, struct moore_mft *t, const struct moore_fabric *f,
	  struct moore_err *err)
{
	uint64_t mlid;
	int64_t g;

	if (moore_scan_done(&r->l) || moore_scan_skip(&r->l, "LID "))
		return 0;
	if (moore_scan_skip(&r->l, "Switch "))
		return moore_scan_header(&r->l, &r->by_guid, FILE_NAME, &r->sw, err);
	if (r->sw == MOORE_NONE || r->l.cut || !moore_scan_num(&r->l, 16, 0xffff, &mlid) ||
	    mlid < MLID_FIRST || !moore_scan_skip(&r->l, " :"))
		return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": expected %s", r->l.cut ?
				  "an end of line; copy the file whole" :
				  "'Switch 0xGUID' and then '0xMLID : 0xPORT ...', MLIDs from 0xC000");
	if (!r->group[mlid - MLID_FIRST]) {
		if ((g = moore_mft_group(t, (uint16_t)mlid)) < 0)
			return moore_fail_nomem(err);
		r->group[mlid - MLID_FIRST] = (uint32_t)g + 1;
	}
	return take_ports(r, t, r->group[mlid - MLID_FIRST] - 1, f->sw[r->sw].n_ports, err);
}

int
moore_dump_parse_mft(struct moore_mft **out, const struct moore_fabric *f,
		     const char *text, size_t len, struct moore_err *err)
{
	struct reader r = { .l = moore_scan_of(text, len), .sw = MOORE_NONE };
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_mft *t = NULL;
	int rc;

	*out = NULL;
	r.group = moore_arena_alloc(&tmp, N_MLIDS, sizeof(*r.group));
	if (!r.group) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	if ((rc = moore_scan_switches(&r.by_guid, f, false, &tmp, err)) < 0 ||
	    (rc = moore_mft_new(&t, f->n_switches, err)) < 0)
		goto out;
	while (moore_scan_line(&r.l))
		if ((rc = take_line(&r, t, f, err)) < 0)
			goto out;
	*out = t;
	t = NULL;
out:
	moore_mft_free(t);
	moore_arena_free(&tmp);
	return rc;
}

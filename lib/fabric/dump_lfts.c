// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump_lfts.c - reads opensm-lfts.dump, as dump_ucast_lfts() of OpenSM's osm_dump.c
 * writes it:
 *
 *   Unicast lids [0-11] of switch Lid 4 guid 0x0000000000200000 ('S0'):
 *   0x0002 001 # Channel Adapter portguid 0x0000000000100001: 'H0'
 *   11 lids dumped
 *
 * A section without its last line is refused: in a file that was cut short, routes would
 * seem to be missing. */
#include <string.h>

#include "base/bits.h"
#include "guid_map.h"
#include "lfts_lines.h"
#include "moore/dumps.h"

#define FILE_NAME "opensm-lfts.dump"

static bool
read_header(struct moore_scan *l, struct moore_lfts_item *it)
{
	uint64_t top, lid;

	if (!moore_scan_num(l, 10, UINT16_MAX, &top) ||
	    !moore_scan_skip(l, "] of switch Lid ") ||
	    !moore_scan_num(l, 10, MOORE_LID_MAX, &lid) ||
	    !moore_scan_skip(l, " guid ") || !moore_scan_num(l, 16, UINT64_MAX, &it->guid) ||
	    !moore_scan_skip(l, " ('") || l->end - l->at < 3 || memcmp(l->end - 3, "'):", 3))
		return false;
	it->kind = MOORE_LFTS_SWITCH;
	it->lid = (moore_lid)lid;
	it->name = l->at;
	it->name_len = (size_t)(l->end - 3 - l->at);
	return true;
}

static bool
read_row(struct moore_scan *l, struct moore_lfts_item *it)
{
	static const char *const kinds[] = { "Channel Adapter", "Switch", "Router", "UNKNOWN" };
	uint64_t lid, port;

	if (!moore_scan_num(l, 16, MOORE_LID_MAX, &lid) || !moore_scan_skip(l, " ") ||
	    !moore_scan_num(l, 10, MOORE_PORT_MAX, &port) || !moore_scan_skip(l, " # "))
		return false;
	*it = (struct moore_lfts_item){ .kind = MOORE_LFTS_ROW, .lid = (moore_lid)lid,
		.port = (moore_portnum)port };
	if (moore_scan_skip(l, "unknown node and type"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(kinds) && !it->owned; i++)
		it->owned = moore_scan_skip(l, kinds[i]);
	return it->owned && moore_scan_skip(l, " portguid ") &&
	       moore_scan_num(l, 16, UINT64_MAX, &it->guid);
}

int
moore_lfts_next(struct moore_lfts *r, struct moore_lfts_item *it, struct moore_err *err)
{
	struct moore_scan *l = &r->l;
	uint64_t n;

	while (moore_scan_line(l)) {
		if (moore_scan_done(l))
			continue;
		if (!r->open && moore_scan_skip(l, "Unicast lids [0-") && read_header(l, it)) {
			r->open = true;
			return 1;
		}
		if (r->open && l->end - l->at > 2 && l->at[1] == 'x') {
			if (read_row(l, it))
				return 1;
		} else if (r->open && moore_scan_num(l, 10, UINT16_MAX, &n) &&
			   moore_scan_skip(l, " lids dumped")) {
			r->open = false;
			continue;
		}
		return moore_fail(err, MOORE_ESYNTAX, l->line, FILE_NAME ": expected %s; is this "
				  "the file that OpenSM wrote?", r->open ?
				  "'0xLID PORT # ...' or 'N lids dumped'" :
				  "'Unicast lids [0-N] of switch Lid N guid 0x... ('NAME'):'");
	}
	if (r->open)
		return moore_fail(err, MOORE_ESYNTAX, l->line, FILE_NAME ": the file ends within a "
				  "switch; copy it whole");
	return 0;
}

static int
put_row(struct moore_lft *t, const struct moore_fabric *f, moore_swid s,
	const struct moore_lfts_item *it, unsigned line, struct moore_err *err)
{
	if (it->port > f->sw[s].n_ports)
		return moore_fail(err, MOORE_ESYNTAX, line, FILE_NAME ": port %u on switch %s, which "
				  "has %u", it->port, f->sw[s].name, f->sw[s].n_ports);
	/* A LID above all those in use is left over from an earlier sweep. */
	if (it->lid && it->lid <= f->lid_top)
		moore_lft_row(t, s)[it->lid] = it->port;
	return 0;
}

static int
read_sections(struct moore_lft *t, const struct moore_fabric *f, struct moore_lfts *r,
	      const struct moore_guid_map *by_guid, uint64_t *seen, struct moore_err *err)
{
	struct moore_lfts_item it;
	moore_swid s = MOORE_NONE;
	int rc;

	while ((rc = moore_lfts_next(r, &it, err)) > 0) {
		if (it.kind == MOORE_LFTS_ROW) {
			if ((rc = put_row(t, f, s, &it, r->l.line, err)) < 0)
				return rc;
			continue;
		}
		s = moore_guid_map_get(by_guid, it.guid);
		if (s == MOORE_NONE || moore_bits_get(seen, s))
			return moore_fail(err, MOORE_EPLAN, r->l.line, FILE_NAME ": switch 0x%016llx "
					  "%s", (unsigned long long)it.guid, s == MOORE_NONE ?
					  "is not in the fabric; use dumps of the same sweep" :
					  "is listed twice");
		moore_bits_set(seen, s);
	}
	return rc;
}

static int
read_all(struct moore_lft **out, const struct moore_fabric *f, struct moore_lfts r,
	 struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_guid_map by_guid;
	struct moore_lft *t = NULL;
	uint64_t *seen;
	int rc;

	*out = NULL;
	if (!(seen = moore_arena_alloc(&tmp, moore_bits_words(f->n_switches) + 1, sizeof(*seen)))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	if ((rc = moore_scan_switches(&by_guid, f, false, &tmp, err)) < 0 ||
	    (rc = moore_lft_new(&t, f->n_switches, f->lid_top, err)) < 0 ||
	    (rc = read_sections(t, f, &r, &by_guid, seen, err)) < 0)
		goto out;
	*out = t;
	t = NULL;
out:
	moore_lft_free(t);
	moore_arena_free(&tmp);
	return rc;
}

int
moore_dump_parse_lfts(struct moore_lft **out, const struct moore_fabric *f,
		      const char *lfts, size_t len, struct moore_err *err)
{
	return read_all(out, f, (struct moore_lfts){ .l = moore_scan_of(lfts, len) }, err);
}

int
moore_dump_read_lfts(struct moore_lft **out, const struct moore_fabric *f,
		     const struct moore_source *lfts, struct moore_err *err)
{
	return read_all(out, f, (struct moore_lfts){ .l = moore_scan_from(lfts) }, err);
}

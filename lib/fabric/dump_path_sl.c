// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump_path_sl.c - reads and writes moore-path-sl.dump, the SLs that path records give,
 * which no dump of OpenSM holds:
 *
 *   Switch 0x0000000000200000, "S0"
 *   0x0000 0
 *   0x0012 0 2
 *   0x0013
 *
 * Sources at that switch use these SLs for that LID, and none for LID 0x0013; 0x0000
 * stands for every multicast group.  The SLs of a LID without a line are unknown, so the
 * writer gives each LID of a port its line.  The file ends in a line `#--`. */
#include <stdlib.h>

#include "base/bits.h"
#include "guid_map.h"
#include "moore/dumps.h"
#include "scan.h"

#define FILE_NAME "moore-path-sl.dump"

struct reader {
	struct moore_scan l;
	struct moore_guid_map by_guid;
	moore_swid sw;		/* switch of the present section */
	uint64_t *listed;	/* a bit for each (switch, LID) that has a line */
};

/* Reads a row such as "0x0012 0 2". */
static int
take_row(struct reader *r, struct moore_sl_set *t, struct moore_err *err)
{
	uint64_t lid, sl;
	uint16_t sls = 0;

	if (r->sw == MOORE_NONE || !moore_scan_num(&r->l, 0, UINT16_MAX, &lid))
		goto bad;
	while (moore_scan_spaces(&r->l), !moore_scan_done(&r->l)) {
		if (!moore_scan_num(&r->l, 10, MOORE_N_SL - 1, &sl))
			goto bad;
		sls = (uint16_t)(sls | 1u << sl);
	}
	if (lid >= t->stride)
		return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": LID %u is not in the "
				  "fabric; use dumps of the same sweep", (unsigned)lid);
	moore_sl_set_row(t, r->sw)[lid] |= sls;
	moore_bits_set(r->listed, r->sw * t->stride + lid);
	return 0;
bad:
	return moore_fail(err, MOORE_ESYNTAX, r->l.line, FILE_NAME ": expected %s",
			  r->sw == MOORE_NONE ? "'Switch 0xGUID'" : "'0xLID SL SL...', SLs of 0 to 15");
}

static int
take_line(struct reader *r, struct moore_sl_set *t, struct moore_err *err)
{
	if (moore_scan_note(&r->l))
		return 0;
	if (moore_scan_skip(&r->l, "Switch "))
		return moore_scan_header(&r->l, &r->by_guid, FILE_NAME, &r->sw, err);
	return take_row(r, t, err);
}

/* A LID of a port needs a line, and so does 0, which stands for the groups. */
static bool
needs_line(const struct moore_lid_owner *own, size_t lid)
{
	return !lid || own[lid].sw != MOORE_NONE;
}

static int
count_unlisted(const struct reader *r, const struct moore_fabric *f, struct moore_sl_set *t,
	       struct moore_err *err)
{
	struct moore_lid_owner *own;
	int rc = moore_fabric_lids(f, &own, err);

	if (rc < 0)
		return rc;
	for (moore_swid s = 0; s < t->n_switches; s++)
		for (size_t lid = 0; lid < t->stride; lid++) {
			if (!needs_line(own, lid) || moore_bits_get(r->listed, s * t->stride + lid))
				continue;
			if (!t->n_unlisted++) {
				t->unlisted_sw = s;
				t->unlisted_lid = (moore_lid)lid;
			}
		}
	free(own);
	return 0;
}

int
moore_dump_parse_path_sl(struct moore_sl_set **out, const struct moore_fabric *f,
			 const char *text, size_t len, struct moore_err *err)
{
	struct reader r = { .l = moore_scan_of(text, len), .sw = MOORE_NONE };
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_sl_set *t = NULL;
	int rc;

	*out = NULL;
	if ((rc = moore_scan_switches(&r.by_guid, f, false, &tmp, err)) < 0 ||
	    (rc = moore_sl_set_new(&t, f->n_switches, f->lid_top, err)) < 0)
		goto out;
	r.listed = moore_arena_alloc(&tmp, moore_bits_words(t->n_switches * t->stride), 8);
	if (!r.listed) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	while (moore_scan_line(&r.l))
		if ((rc = take_line(&r, t, err)) < 0)
			goto out;
	if ((rc = moore_scan_end(&r.l, FILE_NAME, err)) < 0 ||
	    (rc = count_unlisted(&r, f, t, err)) < 0)
		goto out;
	*out = t;
	t = NULL;
out:
	moore_sl_set_free(t);
	moore_arena_free(&tmp);
	return rc;
}

int
moore_dump_write_path_sl(const struct moore_fabric *f, const struct moore_sl_set *t,
			 struct moore_buf *out, struct moore_err *err)
{
	struct moore_lid_owner *own;
	int rc = moore_fabric_lids(f, &own, err);

	if (rc < 0)
		return rc;
	for (moore_swid s = 0; s < f->n_switches; s++) {
		const uint16_t *row = moore_sl_set_row(t, s);

		moore_buf_fmt(out, "Switch 0x%016llx, \"%s\"\n", (unsigned long long)f->sw[s].guid,
			      f->sw[s].name ? f->sw[s].name : "");
		for (size_t lid = 0; lid < t->stride; lid++) {
			if (!row[lid] && !needs_line(own, lid))
				continue;
			moore_buf_fmt(out, "0x%04x", (unsigned)lid);
			for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
				if (row[lid] >> sl & 1)
					moore_buf_fmt(out, " %u", sl);
			moore_buf_add(out, "\n", 1);
		}
	}
	moore_buf_fmt(out, "#--\n");
	free(own);
	return 0;
}

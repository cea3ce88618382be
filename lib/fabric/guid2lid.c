// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* guid2lid.c - takes LIDs from OpenSM's file guid2lid: lines "0xGUID 0xFIRST 0xLAST" (osm_db),
 * one for each port that has LIDs, among empty lines. */
#include <string.h>

#include "fabric/guid_map.h"
#include "moore/fabric.h"

/* Numbers below n_switches stand for switches, the rest for endpoints. */
static bool
map_guids(const struct moore_fabric *f, struct moore_guid_map *m, struct moore_arena *a)
{
	if (!moore_guid_map_init(m, (size_t)f->n_switches + f->n_endpoints, a))
		return false;
	for (uint32_t i = 0; i < f->n_switches + f->n_endpoints; i++) {
		uint64_t guid = i < f->n_switches ? f->sw[i].port_guid : f->ep[i - f->n_switches].guid;

		*moore_guid_map_slot(m, guid) = (struct moore_guid_slot){ guid, i + 1 };
	}
	return true;
}

/* Reads a number of the line and the blanks before it. */
static bool
read_number(const char **s, const char *end, uint64_t max, uint64_t *out)
{
	while (*s < end && **s == ' ')
		++*s;
	return moore_text_u64(s, end, 0, max, out);
}

static void
set_lids(struct moore_fabric *f, uint32_t i, uint64_t first, uint64_t last)
{
	uint8_t lmc = (uint8_t)(63 - __builtin_clzll(last - first + 1));

	if (i < f->n_switches) {
		f->sw[i].lid = (moore_lid)first;
		f->sw[i].lmc = lmc;
	} else {
		f->ep[i - f->n_switches].lid = (moore_lid)first;
		f->ep[i - f->n_switches].lmc = lmc;
	}
}

/* Reads one line that is not empty. */
static bool
read_line(struct moore_fabric *f, const struct moore_guid_map *m, const char *s, const char *end)
{
	uint64_t guid, first, last;
	uint32_t i;

	if (!read_number(&s, end, UINT64_MAX, &guid) || !read_number(&s, end, MOORE_LID_MAX, &first) ||
	    !read_number(&s, end, MOORE_LID_MAX, &last) || !first || last < first ||
	    last - first >= MOORE_N_OFFSETS)
		return false;
	if ((i = moore_guid_map_slot(m, guid)->value))
		set_lids(f, i - 1, first, last);
	return true;
}

int
moore_fabric_take_lids(struct moore_fabric *f, const char *text, size_t len, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_guid_map m;
	unsigned line = 1;
	int rc = 0;

	if (!map_guids(f, &m, &tmp))
		rc = moore_fail_nomem(err);
	for (uint32_t i = 0; i < f->n_switches; i++)
		f->sw[i].lid = 0;
	for (uint32_t i = 0; i < f->n_endpoints; i++)
		f->ep[i].lid = 0;
	for (const char *s = text, *all = text + len, *nl; rc == 0 && s < all; s = nl + 1, line++) {
		if (!(nl = memchr(s, '\n', (size_t)(all - s))))
			nl = all;
		if (nl > s && !read_line(f, &m, s, nl))
			rc = moore_fail(err, MOORE_ESYNTAX, line, "is no line `0xGUID 0xLID 0xLID`");
	}
	if (rc == 0)
		rc = moore_fabric_seal(f, err);
	moore_arena_free(&tmp);
	return rc;
}

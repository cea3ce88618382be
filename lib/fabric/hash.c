// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hash.c - hashes of tables, so that two programs that observe the same fabric can compare
 * its tables without exchanging them.
 *
 * Invariant: only what both can know is hashed.  A program that reads tables back from the
 * switches knows neither the numbers of distinct rows nor the lanes of ports without a link. */
#include <stdlib.h>

#include "base/arena.h"
#include "moore/tables.h"

struct keyed {			/* a switch or a LID, to be sorted by GUID */
	uint64_t guid;
	uint32_t index;
};

static int
by_guid(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static struct keyed *
switches_of(struct moore_arena *tmp, const struct moore_fabric *f)
{
	struct keyed *sw = moore_arena_alloc(tmp, f->n_switches + 1u, sizeof(*sw));

	for (uint32_t s = 0; sw && s < f->n_switches; s++)
		sw[s] = (struct keyed){ f->sw[s].guid, s };
	if (sw)
		qsort(sw, f->n_switches, sizeof(*sw), by_guid);
	return sw;
}

/* Returns the LIDs sorted by GUID.  The LIDs of one port stay in their order. */
static struct keyed *
lids_of(struct moore_arena *tmp, const struct moore_fabric *f, const struct moore_lid_owner *owner,
	uint32_t *n)
{
	struct keyed *lid = moore_arena_alloc(tmp, (size_t)f->lid_top + 1, sizeof(*lid));

	*n = 0;
	for (uint32_t l = 1; lid && l <= f->lid_top; l++)
		if (owner[l].sw != MOORE_NONE)
			lid[(*n)++] = (struct keyed){ owner[l].ep != MOORE_NONE ?
				f->ep[owner[l].ep].guid : f->sw[owner[l].sw].port_guid, l };
	if (lid)
		qsort(lid, *n, sizeof(*lid), by_guid);
	return lid;
}

int
moore_lft_hash(uint64_t *out, const struct moore_fabric *f, const struct moore_lft *t,
	       struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_lid_owner *owner = NULL;
	uint64_t h = MOORE_HASH_INIT;
	struct keyed *sw, *lid;
	uint8_t *line;
	uint32_t n;
	int rc = moore_fabric_lids(f, &owner, err);

	if (rc < 0)
		return rc;
	sw = switches_of(&tmp, f);
	lid = lids_of(&tmp, f, owner, &n);
	line = moore_arena_alloc(&tmp, (size_t)f->lid_top + 1, 1);
	if (!sw || !lid || !line)
		rc = moore_fail_nomem(err);
	for (uint32_t i = 0; rc == 0 && i < f->n_switches; i++) {
		const uint8_t *row = moore_lft_row(t, sw[i].index);

		for (uint32_t k = 0; k < n; k++)
			line[k] = lid[k].index < t->stride ? row[lid[k].index] : MOORE_NO_PATH;
		h = moore_hash(h, &sw[i].guid, sizeof(sw[i].guid));
		h = moore_hash(h, line, n);
	}
	*out = h;
	free(owner);
	moore_arena_free(&tmp);
	return rc;
}

static bool
has_link(const struct moore_fabric *f, moore_swid s, unsigned port)
{
	return moore_fabric_port(f, s, (moore_portnum)port)->role != MOORE_ROLE_NONE;
}

static uint64_t
hash_lanes(uint64_t h, const struct moore_fabric *f, const struct moore_sl2vl *t, moore_swid s)
{
	for (unsigned in = 0; in <= f->sw[s].n_ports; in++)
		for (unsigned out = 1; (!in || has_link(f, s, in)) && out <= f->sw[s].n_ports; out++)
			if (in != out && has_link(f, s, out)) {
				const uint8_t at[] = { (uint8_t)in, (uint8_t)out };

				h = moore_hash(h, at, sizeof(at));
				h = moore_hash(h, moore_sl2vl_get(t, s, (moore_portnum)in,
					       (moore_portnum)out), sizeof(struct moore_sl_row));
			}
	return h;
}

int
moore_sl2vl_hash(uint64_t *out, const struct moore_fabric *f, const struct moore_sl2vl *t,
		 struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct keyed *sw = switches_of(&tmp, f);
	uint64_t h = MOORE_HASH_INIT;

	if (!sw)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < f->n_switches; i++) {
		h = moore_hash(h, &sw[i].guid, sizeof(sw[i].guid));
		if (f->sw[sw[i].index].maps_sl)
			h = hash_lanes(h, f, t, sw[i].index);
	}
	*out = h;
	moore_arena_free(&tmp);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hash.c - hashes of tables, so that two programs that observe the same fabric can compare
 * its tables without exchanging them.
 *
 * Invariant: only what both can know is hashed.  A program that reads tables back from the
 * switches knows neither the numbers of distinct rows nor the lanes of ports without a link. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
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

/* Returns the LIDs in order of GUIDs.  The LIDs of one port stay in their order. */
static moore_lid *
lids_of(struct moore_arena *tmp, const struct moore_fabric *f, const struct moore_lid_owner *owner,
	uint32_t *n)
{
	struct keyed *key = moore_arena_alloc(tmp, (size_t)f->lid_top + 1, sizeof(*key));
	moore_lid *lid = moore_arena_alloc(tmp, (size_t)f->lid_top + 1, sizeof(*lid));

	*n = 0;
	if (!key || !lid)
		return NULL;
	for (uint32_t l = 1; l <= f->lid_top; l++)
		if (owner[l].sw != MOORE_NONE)
			key[(*n)++] = (struct keyed){ owner[l].ep != MOORE_NONE ?
				f->ep[owner[l].ep].guid : f->sw[owner[l].sw].port_guid, l };
	qsort(key, *n, sizeof(*key), by_guid);
	for (uint32_t k = 0; k < *n; k++)
		lid[k] = (moore_lid)key[k].index;
	return lid;
}

/* Hashes the row of a switch, which holds `stride` LIDs. */
static uint64_t
hash_lft_row(uint64_t h, uint64_t guid, const uint8_t *row, size_t stride, const moore_lid *lid,
	     uint32_t n)
{
	h = moore_hash(h, &guid, sizeof(guid));
	for (uint32_t k = 0; k < n; k++)
		h = moore_hash_step(h, lid[k] < stride ? row[lid[k]] : MOORE_NO_PATH);
	return h;
}

/* Hashes the rows of all switches in order of their GUIDs: into *out, and into each[s]; both may
 * be NULL. */
static int
hash_rows(uint64_t *out, uint32_t *each, const struct moore_fabric *f, const struct moore_lft *t,
	  struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_lid_owner *owner = NULL;
	uint64_t h = MOORE_HASH_INIT;
	struct keyed *sw;
	moore_lid *lid;
	uint32_t n;
	int rc = moore_fabric_lids(f, &owner, err);

	if (rc < 0)
		return rc;
	sw = switches_of(&tmp, f);
	lid = lids_of(&tmp, f, owner, &n);
	if (!sw || !lid)
		rc = moore_fail_nomem(err);
	for (uint32_t i = 0; rc == 0 && i < f->n_switches; i++) {
		const uint8_t *row = moore_lft_row(t, sw[i].index);

		if (out)
			h = hash_lft_row(h, sw[i].guid, row, t->stride, lid, n);
		if (each) {
			uint64_t own = hash_lft_row(MOORE_HASH_INIT, sw[i].guid, row, t->stride, lid, n);

			each[sw[i].index] = (uint32_t)(own ^ own >> 32);
		}
	}
	if (out)
		*out = h;
	free(owner);
	moore_arena_free(&tmp);
	return rc;
}

int
moore_lft_hash(uint64_t *out, const struct moore_fabric *f, const struct moore_lft *t,
	       struct moore_err *err)
{
	return hash_rows(out, NULL, f, t, err);
}

int
moore_lft_hash_each(uint32_t *each, const struct moore_fabric *f, const struct moore_lft *t,
		    struct moore_err *err)
{
	return hash_rows(NULL, each, f, t, err);
}

static bool
has_link(const struct moore_fabric *f, moore_swid s, unsigned port)
{
	return moore_fabric_port(f, s, (moore_portnum)port)->role != MOORE_ROLE_NONE;
}

/* FNV-1a turns h into (h ^ b) * MOORE_HASH_PRIME for each byte b.  As h ^ b is h plus a number that
 * depends only on b and the last byte of h, and so does the last byte of the result, hashing a
 * row of 16 bytes turns h into h * MOORE_HASH_PRIME^16 plus a number that depends only on the row and
 * the last byte of h.  Tables have few rows, so these numbers are made first. */
#define ROWS_MAX 256		/* tables with more rows are hashed byte by byte */

struct sums {
	uint64_t power;		/* MOORE_HASH_PRIME^16 */
	uint64_t (*of)[256];	/* by row and last byte of h; NULL: none are made */
};

static int
sums_init(struct sums *w, struct moore_arena *tmp, const struct moore_sl2vl *t)
{
	*w = (struct sums){ 1, NULL };
	for (size_t i = 0; i < sizeof(struct moore_sl_row); i++)
		w->power *= MOORE_HASH_PRIME;
	if (t->n_rows > ROWS_MAX)
		return 0;
	if (!(w->of = moore_arena_alloc(tmp, (size_t)t->n_rows + 1, sizeof(*w->of))))
		return -MOORE_ENOMEM;
	for (uint32_t r = 0; r < t->n_rows; r++)
		for (uint64_t last = 0; last < 256; last++)
			w->of[r][last] = moore_hash(last, &t->rows[r], sizeof(*t->rows)) -
				last * w->power;
	return 0;
}

static uint64_t
hash_row(uint64_t h, const struct sums *w, const struct moore_sl2vl *t, uint32_t id)
{
	return w->of ? h * w->power + w->of[id][h & 255] :
		moore_hash(h, &t->rows[id], sizeof(*t->rows));
}

static uint64_t
hash_lanes(uint64_t h, const struct moore_fabric *f, const struct moore_sl2vl *t,
	   const struct sums *w, moore_swid s)
{
	const uint16_t *id = t->id + t->base[s];

	for (unsigned in = 0; in <= f->sw[s].n_ports; in++)
		for (unsigned out = 1; (!in || has_link(f, s, in)) && out <= f->sw[s].n_ports; out++)
			if (in != out && has_link(f, s, out)) {
				h = moore_hash_step(moore_hash_step(h, in), out);
				h = hash_row(h, w, t, id[in * t->width[s] + out]);
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
	struct sums sums;

	if (!sw || sums_init(&sums, &tmp, t) < 0) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	for (uint32_t i = 0; i < f->n_switches; i++) {
		h = moore_hash(h, &sw[i].guid, sizeof(sw[i].guid));
		if (f->sw[sw[i].index].maps_sl)
			h = hash_lanes(h, f, t, &sums, sw[i].index);
	}
	*out = h;
	moore_arena_free(&tmp);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* start.c - the dependencies of what the switches hold at the beginning: of the multicast
 * trees, of the LIDs that do not change, and of those that do. */
#include <stdlib.h>
#include <string.h>

#include "motion_impl.h"

#define BLOCK MOORE_LFT_BLOCK

/* ---- multicast ---------------------------------------------------------------------------- */

/* The ports of a group at switch s in any of the trees. */
static bool
has_port(const struct moore_mo_build *b, uint16_t mlid, moore_swid s, unsigned port)
{
	const struct moore_motion_opts *o = b->net.o;

	for (size_t i = 0; i < o->n_mft; i++)
		for (uint32_t g = 0; g < o->mft[i]->n_groups; g++)
			if (o->mft[i]->mlid[g] == mlid &&
			    o->mft[i]->mask[(size_t)g * o->mft[i]->n_switches + s][port / 64] >>
			    port % 64 & 1)
				return true;
	return false;
}

/* In a sl_set, LID 0 stands for all groups. */
static void
hold_group(struct moore_mo_build *b, uint16_t mlid)
{
	moore_mo_ways_clear(&b->ways, 0);
	b->ways.no_return = true;
	for (moore_swid s = 0; s < b->net.n_sw; s++)
		for (unsigned p = 1; p <= b->net.f->sw[s].n_ports; p++)
			if (has_port(b, mlid, s, p))
				moore_mo_ways_add(&b->ways, s, (uint8_t)p, false);
	moore_mo_ways_fill(&b->ways);
	b->ways.no_return = false;
}

static void
hold_groups(struct moore_mo_build *b)
{
	const struct moore_motion_opts *o = b->net.o;

	for (size_t i = 0; i < o->n_mft; i++)
		for (uint32_t g = 0; g < o->mft[i]->n_groups; g++)
			hold_group(b, o->mft[i]->mlid[g]);
}

/* ---- LIDs that do not change ---------------------------------------------------------------- */

/* The LIDs of one switch have mostly equal rows everywhere else, so each distinct column
 * is followed once.  Columns with equal hashes are taken as equal. */
struct distinct {
	uint64_t *seen;
	size_t mask;
	uint8_t (*link)[256];	/* for each switch: a value, or MOORE_NO_PATH if it is no link */
	uint8_t (*block)[BLOCK];	/* for each switch: its rows of a block of LIDs */
	uint8_t *row, *changes;	/* for each switch; for each LID */
	uint64_t hash[BLOCK];
};

static int
get_memory(struct moore_mo_build *b, struct distinct *d)
{
	struct moore_arena *a = &b->tmp;
	size_t n = (size_t)b->net.n_sw + 1, stride = b->held->lft->stride;

	for (d->mask = 1024; d->mask < 2 * stride;)
		d->mask *= 2;
	if (!(d->seen = moore_arena_alloc(a, d->mask--, sizeof(*d->seen))) ||
	    !(d->link = moore_arena_alloc(a, n, sizeof(*d->link))) ||
	    !(d->block = moore_arena_alloc(a, n, sizeof(*d->block))) ||
	    !(d->row = moore_arena_alloc(a, n, 1)) ||
	    !(d->changes = moore_arena_alloc(a, stride, 1)))
		return moore_fail_nomem(b->err);
	for (moore_swid s = 0; s < b->net.n_sw; s++)
		for (unsigned p = 0; p < 256; p++)
			d->link[s][p] = moore_mo_leads_on(&b->net, s, (uint8_t)p) ? (uint8_t)p :
				MOORE_NO_PATH;
	for (uint32_t i = 0; i < b->c.n; i++)
		d->changes[b->c.col[i].lid] = 1;
	return 0;
}

static void
read_block(struct moore_mo_build *b, struct distinct *d, size_t lid0)
{
	for (unsigned i = 0; i < BLOCK; i++)
		d->hash[i] = MOORE_HASH_INIT;
	for (moore_swid s = 0; s < b->net.n_sw; s++) {
		const uint8_t *row = moore_lft_row(b->held->lft, s) + lid0;

		for (unsigned i = 0; i < BLOCK; i++) {
			uint64_t h = (d->hash[i] ^ (d->block[s][i] = d->link[s][row[i]])) *
				0x9e3779b97f4a7c15u;

			d->hash[i] = h ^ h >> 29;
		}
	}
}

/* The SLs that sources may use are a part of the column. */
static uint64_t
add_sls(const struct moore_mo_build *b, moore_lid lid, uint64_t h)
{
	const struct moore_sl_set *set = b->net.o->sl_set;

	for (moore_swid s = 0; set && lid < set->stride && s < b->net.n_sw; s++)
		h = (h ^ moore_sl_set_row(set, s)[lid]) * 0x100000001b3u;
	return h | 1;		/* 0 marks a free place */
}

static bool
is_new(struct distinct *d, uint64_t hash)
{
	size_t at = hash >> 20 & d->mask;

	while (d->seen[at] && d->seen[at] != hash)
		at = (at + 1) & d->mask;
	if (d->seen[at])
		return false;
	d->seen[at] = hash;
	return true;
}

static int
hold_rest(struct moore_mo_build *b)
{
	struct distinct d = { NULL };
	int rc = get_memory(b, &d);

	for (size_t lid0 = 0; rc == 0 && lid0 < b->held->lft->stride; lid0 += BLOCK) {
		read_block(b, &d, lid0);
		for (unsigned i = 0; i < BLOCK; i++) {
			moore_lid lid = (moore_lid)(lid0 + i);

			if (d.changes[lid] || !is_new(&d, add_sls(b, lid, d.hash[i])))
				continue;
			for (moore_swid s = 0; s < b->net.n_sw; s++)
				d.row[s] = d.block[s][i];
			moore_mo_ways_hold(&b->ways, lid, d.row);
		}
	}
	return rc;
}

/* ---- LIDs that change ------------------------------------------------------------------------ */

/* True if switch s drops packets for this LID by this value. */
static bool
is_drop(const struct moore_mo_build *b, moore_lid lid, moore_swid s, uint8_t port)
{
	const struct moore_lid_owner *o = &b->c.own[lid];

	return !moore_mo_leads_on(&b->net, s, port) && (o->sw != s || o->port != port);
}

void
moore_mo_plant(struct moore_mo_build *b, uint32_t i)
{
	const struct moore_mo_column *c = &b->c.col[i];
	const uint8_t *cur = b->c.cur + (size_t)i * b->net.n_sw;

	b->planted = false;
	moore_mo_ways_clear(&b->ways, c->lid);
	for (moore_swid s = 0; s < b->net.n_sw; s++) {
		moore_mo_ways_add(&b->ways, s, cur[s], false);
		b->ways.drops[s] = is_drop(b, c->lid, s, cur[s]);
	}
	for (uint32_t e = c->extra; e != MOORE_NONE; e = b->c.extra[e].then) {
		const struct moore_mo_extra *x = &b->c.extra[e];

		moore_mo_ways_add(&b->ways, x->sw, x->port, x->stale);
		if (!x->stale && is_drop(b, c->lid, x->sw, x->port))
			b->ways.drops[x->sw] = 1;
	}
	moore_mo_ways_fill(&b->ways);
}

void
moore_mo_hold_all(struct moore_mo_build *b)
{
	memcpy(b->order.held, b->base, b->n_cells * sizeof(*b->base));
	for (uint32_t i = 0; i < b->c.n; i++)
		if (b->c.col[i].extra == MOORE_NONE)
			moore_mo_ways_hold(&b->ways, b->c.col[i].lid,
					   b->c.cur + (size_t)i * b->net.n_sw);
		else
			moore_mo_plant(b, i);
}

/* Adds the dependencies of the final rows to base[], if what is held allows it.  Then every
 * order of the channels is one for the final tables too, so that no flip that mixes old
 * and new rows stands in the way of one that does not. */
static int
add_final(struct moore_mo_build *b)
{
	size_t bytes = b->n_cells * sizeof(*b->base);
	uint16_t *rest = malloc(bytes);

	if (!rest)
		return moore_fail_nomem(b->err);
	memcpy(rest, b->base, bytes);
	memcpy(b->order.held, b->base, bytes);
	for (uint32_t i = 0; i < b->c.n; i++)
		moore_mo_ways_hold(&b->ways, b->c.col[i].lid, b->c.fin + (size_t)i * b->net.n_sw);
	memcpy(b->base, b->order.held, bytes);
	memcpy(b->goal.held, b->order.held, bytes);
	moore_mo_sort(&b->goal);
	moore_mo_hold_all(b);
	if (!moore_mo_sort(&b->order)) {
		memcpy(b->base, rest, bytes);
		moore_mo_hold_all(b);
		b->unsafe |= !moore_mo_sort(&b->order);
	}
	free(rest);
	return 0;
}

/* A row that is not known may lead back to the switch that its packets come from. */
static bool
some_unknown(const struct moore_mo_build *b)
{
	const struct moore_fabric *f = b->net.f;

	for (moore_swid s = 0; s < b->net.n_sw; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports && moore_mo_unknown(b->held, s); p++)
			if (moore_mo_leads_on(&b->net, s, (uint8_t)p))
				return true;
	return false;
}

int
moore_mo_start(struct moore_mo_build *b)
{
	int rc;

	b->unknown = b->unsafe = some_unknown(b);
	hold_groups(b);
	if ((rc = hold_rest(b)) < 0)
		return rc;
	memcpy(b->base, b->order.held, b->n_cells * sizeof(*b->base));
	return add_final(b);
}

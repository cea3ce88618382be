// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* start.c - the dependencies of what the switches hold at the beginning: of the multicast
 * trees, of the LIDs that do not change, and of those that do. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/jobs.h"
#include "motion_impl.h"

#define BLOCK MOORE_LFT_BLOCK
#define PART 16			/* columns of one job */

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
	const struct moore_mo_build *b;
	uint64_t *seen;
	size_t mask;
	uint8_t (*link)[256];	/* for each switch: a value, or MOORE_NO_PATH if it is no link */
	uint64_t *hash;		/* for each LID */
	uint8_t *skip;		/* for each LID: it changes, or an equal column is followed */
};

static int
get_memory(struct moore_mo_build *b, struct distinct *d)
{
	struct moore_arena *a = &b->tmp;
	size_t stride = b->held->lft->stride;

	d->b = b;
	for (d->mask = 1024; d->mask < 2 * stride;)
		d->mask *= 2;
	if (!(d->seen = moore_arena_alloc(a, d->mask--, sizeof(*d->seen))) ||
	    !(d->link = moore_arena_alloc(a, b->net.n_sw + 1u, sizeof(*d->link))) ||
	    !(d->hash = moore_arena_alloc(a, stride, sizeof(*d->hash))) ||
	    !(d->skip = moore_arena_alloc(a, stride, 1)))
		return moore_fail_nomem(b->err);
	for (moore_swid s = 0; s < b->net.n_sw; s++)
		for (unsigned p = 0; p < 256; p++)
			d->link[s][p] = moore_mo_leads_on(&b->net, s, (uint8_t)p) ? (uint8_t)p :
				MOORE_NO_PATH;
	for (uint32_t i = 0; i < b->c.n; i++)
		d->skip[b->c.col[i].lid] = 1;
	return 0;
}

/* The SLs that sources may use are a part of the column. */
static uint64_t
add_sls(const struct moore_mo_build *b, size_t lid, uint64_t h)
{
	const struct moore_sl_set *set = b->net.o->sl_set;

	for (moore_swid s = 0; set && lid < set->stride && s < b->net.n_sw; s++)
		h = moore_hash_step(h, moore_sl_set_row(set, s)[lid]);
	return h | 1;		/* 0 marks a free place */
}

static void
hash_block(void *arg, unsigned worker, size_t block)
{
	const struct distinct *d = arg;
	const struct moore_mo_build *b = d->b;
	size_t lid0 = block * BLOCK;
	uint64_t hash[BLOCK];

	(void)worker;
	for (unsigned i = 0; i < BLOCK; i++)
		hash[i] = MOORE_HASH_INIT;
	for (moore_swid s = 0; s < b->net.n_sw; s++) {
		const uint8_t *row = moore_lft_row(b->held->lft, s) + lid0;

		for (unsigned i = 0; i < BLOCK; i++) {
			uint64_t h = (hash[i] ^ d->link[s][row[i]]) * 0x9e3779b97f4a7c15u;

			hash[i] = h ^ h >> 29;
		}
	}
	for (unsigned i = 0; i < BLOCK; i++)
		d->hash[lid0 + i] = add_sls(b, lid0 + i, hash[i]);
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

static void
hold_block(void *arg, unsigned worker, size_t block)
{
	const struct distinct *d = arg;
	const struct moore_mo_build *b = d->b;
	struct moore_mo_holder *h = &b->holder[worker];
	size_t lid0 = block * BLOCK;

	for (moore_swid s = 0; s < b->net.n_sw; s++)
		memcpy(h->block[s], moore_lft_row(b->held->lft, s) + lid0, BLOCK);
	for (unsigned i = 0; i < BLOCK; i++) {
		if (d->skip[lid0 + i])
			continue;
		for (moore_swid s = 0; s < b->net.n_sw; s++)
			h->row[s] = d->link[s][h->block[s][i]];
		moore_mo_ways_hold(&h->ways, (moore_lid)(lid0 + i), h->row);
	}
}

static int
hold_rest(struct moore_mo_build *b)
{
	struct distinct d = { NULL };
	size_t stride = b->held->lft->stride;
	int rc = get_memory(b, &d);

	if (rc < 0)
		return rc;
	moore_jobs_run(b->net.o->jobs, b->n_holders, stride / BLOCK, hash_block, &d);
	for (size_t lid = 0; lid < stride; lid++)
		d.skip[lid] = d.skip[lid] || !is_new(&d, d.hash[lid]);
	moore_mo_hold_side_by_side(b, stride / BLOCK, hold_block, &d);
	return 0;
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

struct rows {
	const struct moore_mo_build *b;
	const uint8_t *of;	/* [column * n_sw + switch] */
	bool all;		/* also of columns with further values */
};

static void
hold_columns(void *arg, unsigned worker, size_t part)
{
	const struct rows *r = arg;
	const struct moore_mo_columns *c = &r->b->c;
	size_t n_sw = r->b->net.n_sw;

	for (size_t i = part * PART; i < c->n && i < (part + 1) * PART; i++)
		if (r->all || c->col[i].extra == MOORE_NONE)
			moore_mo_ways_hold(&r->b->holder[worker].ways, c->col[i].lid, r->of + i * n_sw);
}

void
moore_mo_hold_all(struct moore_mo_build *b)
{
	memcpy(b->order.held, b->base, b->n_cells * sizeof(*b->base));
	moore_mo_hold_side_by_side(b, b->c.n / PART + 1, hold_columns,
				   &(struct rows){ b, b->c.cur, false });
	for (uint32_t i = 0; i < b->c.n; i++)
		if (b->c.col[i].extra != MOORE_NONE)
			moore_mo_plant(b, i);
}

void
moore_mo_set_goal(struct moore_mo_build *b)
{
	memcpy(b->order.held, b->base, b->n_cells * sizeof(*b->base));
	moore_mo_hold_side_by_side(b, b->c.n / PART + 1, hold_columns,
				   &(struct rows){ b, b->c.fin, true });
	memcpy(b->goal.held, b->order.held, b->n_cells * sizeof(*b->base));
	moore_mo_sort(&b->goal);
	b->planted = false;
}

void
moore_mo_add_final(struct moore_mo_build *b)
{
	size_t bytes = b->n_cells * sizeof(*b->base);

	memcpy(b->base, b->rest, bytes);
	moore_mo_set_goal(b);
	memcpy(b->base, b->goal.held, bytes);
	moore_mo_hold_all(b);
	if (!moore_mo_sort(&b->order)) {
		memcpy(b->base, b->rest, bytes);
		moore_mo_hold_all(b);
		b->unsafe |= !moore_mo_sort(&b->order);
	}
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
	if (!(b->rest = moore_arena_alloc(&b->tmp, b->n_cells, sizeof(*b->rest))))
		return moore_fail_nomem(b->err);
	memcpy(b->rest, b->order.held, b->n_cells * sizeof(*b->rest));
	moore_mo_add_final(b);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mix_order.c - finds an order of writes in which no LID ever loops.
 *
 * For a single LID there always is one (Mahajan and Wattenhofer, HotNets 2013): write each
 * switch after its new next switch.  Then the route from a written switch is new to its
 * end, so no loop contains a written switch, and old rows alone make none.  For many LIDs
 * at once there may be no order; a greedy search looks for one.  In rounds by GUID, it
 * writes a switch as soon as, for each LID, the route from its new next switch, with the
 * rows as they are at that time, does not return to it.  If the constraint "after the new
 * next switch" has an order for all LIDs together, the first switch of that order that is
 * not written yet always qualifies, so the search succeeds; it may succeed where that
 * constraint has no order, too.
 *
 * Only LIDs that loop in some combination are constraints.
 *
 * If a mixture can also deadlock, "after the new next switch" is tried first for every LID
 * that changes.  Then a packet sent by a new row meets only new rows, so of the turns that
 * only mixtures make, those from old to new rows remain. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "mix_impl.h"

struct order {
	struct moore_mx *m;
	struct moore_mix *v;
	moore_lid *lid;		/* the LIDs that can loop, in rising order */
	moore_lid *changed;	/* find_strict(): the LIDs that change */
	uint32_t n_lids;
	bool strict;		/* a switch is written after its new next switch */
	uint8_t *done;		/* for each switch: it is written */
	uint32_t *list, n_list;	/* the switches in the order found */
};

static uint8_t
row_now(const struct order *o, moore_swid s, unsigned lid)
{
	return moore_lft_row(o->done[s] ? o->m->now : o->m->was, s)[lid];
}

/* Returns the switch that port out of s leads to, or n_sw. */
static uint32_t
next_of(const struct moore_mx *m, moore_swid s, uint8_t out)
{
	return out > m->k.f->sw[s].n_ports ? m->k.n_sw : m->k.hop[m->k.slot0[s] + out].next;
}

/* True if, once s is written, the route of lid from s comes back to s or ends in another
 * loop. */
static bool
comes_back(const struct order *o, moore_swid s, unsigned lid)
{
	const struct moore_mx *m = o->m;
	uint32_t n = next_of(m, s, moore_lft_row(m->now, s)[lid]), hops = 0;

	while (n != m->k.n_sw && n != s && hops++ < m->k.n_sw)
		n = next_of(m, n, row_now(o, n, lid));
	return n != m->k.n_sw;
}

static bool
differs(const struct moore_mx *m, moore_swid s, unsigned lid)
{
	return moore_lft_row(m->was, s)[lid] != moore_lft_row(m->now, s)[lid];
}

/* True if the new next switch of s still has its old row for lid. */
static bool
goes_on_old(const struct order *o, moore_swid s, unsigned lid)
{
	const struct moore_mx *m = o->m;
	uint32_t n = next_of(m, s, moore_lft_row(m->now, s)[lid]);

	return n != m->k.n_sw && !o->done[n] && differs(m, n, lid);
}

static bool
may_write(const struct order *o, moore_swid s, const moore_lid *lid, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (differs(o->m, s, lid[i]) &&
		    (o->strict ? goes_on_old(o, s, lid[i]) : comes_back(o, s, lid[i])))
			return false;
	return true;
}

/* Puts all switches in list[] in an order in which each may be written, for all of these
 * LIDs, after those before it; returns false if it finds none. */
static bool
find_order(struct order *o, const moore_lid *lid, uint32_t n)
{
	uint32_t n_sw = o->m->k.n_sw, before;

	memset(o->done, 0, n_sw);
	o->n_list = 0;
	do {
		before = o->n_list;
		for (uint32_t i = 0; i < n_sw; i++) {
			moore_swid s = o->m->by_guid[i];

			if (o->done[s] || !may_write(o, s, lid, n))
				continue;
			o->done[s] = 1;
			o->list[o->n_list++] = s;
		}
	} while (o->n_list > before && o->n_list < n_sw);
	return o->n_list == n_sw;
}

/* Counts the LIDs that loop at some moment when switches are written by GUID. */
static void
try_opensm(struct order *o)
{
	uint32_t n_sw = o->m->k.n_sw;

	for (uint32_t i = 0; i < o->n_lids; i++) {
		bool loops = false;

		memset(o->done, 0, n_sw);
		for (uint32_t k = 0; k < n_sw && !loops; k++) {
			moore_swid s = o->m->by_guid[k];

			loops = differs(o->m, s, o->lid[i]) && comes_back(o, s, o->lid[i]);
			o->done[s] = 1;
		}
		o->v->opensm_loop_lids += loops;
	}
}

static bool
block_differs(const struct moore_mx *m, moore_swid s, uint32_t block)
{
	size_t at = (size_t)block * MOORE_LFT_BLOCK;

	return memcmp(moore_lft_row(m->was, s) + at, moore_lft_row(m->now, s) + at,
		      MOORE_LFT_BLOCK) != 0;
}

static void
add_step(struct order *o, uint32_t block, moore_swid s)
{
	if (block_differs(o->m, s, block))
		o->v->step[o->v->n_steps++] = (struct moore_mix_step){ block, s };
}

/* Orders the writes block by block, each block with an order of its own, or by GUID if none
 * of its LIDs can loop or no order was found. */
static void
order_blocks(struct order *o)
{
	struct moore_mix *v = o->v;

	v->n_steps = 0;
	for (uint32_t b = 0, i = 0, k; b < o->m->n_blocks; b++, i = k) {
		const uint32_t *list = o->m->by_guid;

		for (k = i; k < o->n_lids && o->lid[k] / MOORE_LFT_BLOCK == b; k++)
			;
		if (k > i) {
			v->bad_blocks++;
			if (find_order(o, o->lid + i, k - i)) {
				v->ordered_blocks++;
				list = o->list;
			}
		}
		for (uint32_t s = 0; s < o->m->k.n_sw; s++)
			add_step(o, b, list[s]);
	}
}

static void
order_switches(struct order *o)
{
	o->v->n_steps = 0;
	for (uint32_t i = 0; i < o->m->k.n_sw; i++)
		for (uint32_t b = 0; b < o->m->n_blocks; b++)
			add_step(o, b, o->list[i]);
}

/* Finds one order for all LIDs in which each switch follows its new next switch. */
static bool
find_strict(struct order *o)
{
	const struct moore_mx *m = o->m;
	uint32_t n = 0;
	bool found;

	for (uint32_t lid = 1; lid < m->now->stride; lid++)
		for (uint32_t s = 0; s < m->k.n_sw; s++)
			if (differs(m, s, lid)) {
				o->changed[n++] = (moore_lid)lid;
				break;
			}
	o->strict = true;
	found = find_order(o, o->changed, n);
	o->strict = false;
	return found;
}

static size_t
count_steps(const struct moore_mx *m)
{
	size_t n = 0;

	for (uint32_t s = 0; s < m->k.n_sw; s++)
		for (uint32_t b = 0; b < m->n_blocks; b++)
			n += block_differs(m, s, b);
	return n;
}

static int
get_memory(struct order *o, struct moore_err *err)
{
	struct moore_arena *a = &o->m->k.tmp;
	size_t n = (size_t)o->m->k.n_sw + 1;

	if (!(o->done = moore_arena_alloc(a, n, 1)) ||
	    !(o->list = moore_arena_alloc(a, n, sizeof(*o->list))) ||
	    !(o->lid = moore_arena_alloc(a, o->v->loop_lids + 1u, sizeof(*o->lid))) ||
	    !(o->changed = moore_arena_alloc(a, o->m->now->stride, sizeof(*o->changed))) ||
	    !(o->v->step = calloc(count_steps(o->m) + 1, sizeof(*o->v->step))))
		return moore_fail_nomem(err);
	for (uint32_t lid = 0; lid < o->m->n_blocks * MOORE_LFT_BLOCK; lid++)
		if (moore_bits_get(o->m->loops, lid))
			o->lid[o->n_lids++] = (moore_lid)lid;
	return 0;
}

int
moore_mx_order(struct moore_mx *m, struct moore_mix *v, struct moore_err *err)
{
	struct order o = { .m = m, .v = v };
	int rc;

	if ((rc = get_memory(&o, err)) < 0)
		return rc;
	try_opensm(&o);
	order_blocks(&o);
	if (!v->acyclic && find_strict(&o)) {
		order_switches(&o);
		v->order = MOORE_ORDER_SWITCHES;
	} else if (!o.n_lids) {
		v->order = MOORE_ORDER_ANY;
	} else if (find_order(&o, o.lid, o.n_lids)) {
		order_switches(&o);
		v->order = MOORE_ORDER_SWITCHES;
	} else if (v->ordered_blocks == v->bad_blocks) {
		v->order = MOORE_ORDER_BLOCKS;
	} else {
		v->order = MOORE_ORDER_UNKNOWN;
		free(v->step);
		v->step = NULL;
		v->n_steps = 0;
	}
	return 0;
}

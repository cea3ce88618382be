// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* held.c - what each switch may hold, by GUID and LID, from sweep to sweep.
 *
 * OpenSM zeroes its copy (lft) of a block before it sends the block (new_lft), and fills
 * it again from the answer.  So, when no request is outstanding:
 *   - lft equals new_lft: the switch holds these rows;
 *   - lft is as it was: the block was not sent;
 *   - otherwise the block was sent and not answered: the switch holds the rows that it
 *     held before, or the new ones.
 * Nothing is known of a switch that is new or that another subnet manager could have
 * written.  Its blocks are read, unless it has no active link: then no packet meets its
 * rows until OpenSM has written them and activated a link.
 *
 * Invariant: between sends, each row of a switch has one of the values listed for it, if
 * nobody else writes. */
#include "plugin.h"

/* No table of a real switch has a block full of this port number. */
#define POISON 0xfe

enum block_state { UNKNOWN, KNOWN };

struct other {			/* rows that a block may hold instead */
	size_t block;
	uint8_t row[MOORE_LFT_BLOCK];
};

struct mplug_held_switch {
	uint64_t guid;
	size_t n_blocks;
	uint8_t *lft;		/* n_blocks * MOORE_LFT_BLOCK bytes: a value of each row */
	uint8_t *state;		/* of each block */
	struct other *other;	/* of known blocks */
	uint32_t n_other, cap_other;
	bool seen;		/* OpenSM still has this switch */
};

static void
forget_switch(struct mplug_held_switch *s)
{
	free(s->lft);
	free(s->state);
	free(s->other);
}

void
mplug_held_forget(struct mplug_held *h)
{
	for (size_t i = 0; i < h->n; i++)
		forget_switch(&h->sw[i]);
	free(h->sw);
	*h = (struct mplug_held){ .n = 0 };
}

static struct mplug_held_switch *
find(const struct mplug_held *h, uint64_t guid)
{
	size_t lo = 0, hi = h->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (h->sw[mid].guid < guid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < h->n && h->sw[lo].guid == guid ? &h->sw[lo] : NULL;
}

static int
by_guid(const void *a, const void *b)
{
	uint64_t x = ((const struct mplug_held_switch *)a)->guid;
	uint64_t y = ((const struct mplug_held_switch *)b)->guid;

	return (x > y) - (x < y);
}

static uint64_t
guid_of(const osm_switch_t *sw)
{
	return cl_ntoh64(osm_node_get_node_guid(sw->p_node));
}

/* Makes the list hold the switches of OpenSM, in order.  A new one has no known block. */
static int
match_switches(struct mplug_held *h, const cl_qmap_t *tbl)
{
	size_t n = 0, n_max = cl_qmap_count(tbl);
	struct mplug_held_switch *sw = calloc(n_max + 1, sizeof(*sw)), *old;

	if (!sw)
		return -1;
	for (cl_map_item_t *m = cl_qmap_head(tbl); m != cl_qmap_end(tbl); m = cl_qmap_next(m)) {
		const osm_switch_t *s = (const osm_switch_t *)m;

		old = find(h, guid_of(s));
		if (old) {
			sw[n++] = *old;
			old->seen = true;
		} else {
			sw[n++].guid = guid_of(s);
		}
	}
	for (size_t i = 0; i < h->n; i++)
		if (!h->sw[i].seen)
			forget_switch(&h->sw[i]);
	free(h->sw);
	qsort(sw, n, sizeof(*sw), by_guid);
	*h = (struct mplug_held){ .sw = sw, .n = n };
	return 0;
}

/* Makes room for n_blocks; the new ones are unknown. */
static int
grow(struct mplug_held_switch *s, size_t n_blocks)
{
	uint8_t *lft, *state;

	if (s->n_blocks == 0)
		s->n_other = 0;
	if (n_blocks <= s->n_blocks)
		return 0;
	lft = realloc(s->lft, n_blocks * MOORE_LFT_BLOCK);
	if (lft)
		s->lft = lft;
	state = realloc(s->state, n_blocks);
	if (state)
		s->state = state;
	if (!lft || !state)
		return -1;
	memset(lft + s->n_blocks * MOORE_LFT_BLOCK, MOORE_NO_PATH,
	       (n_blocks - s->n_blocks) * MOORE_LFT_BLOCK);
	memset(state + s->n_blocks, UNKNOWN, n_blocks - s->n_blocks);
	s->n_blocks = n_blocks;
	return 0;
}

static void
drop_others(struct mplug_held_switch *s, size_t block)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->n_other; i++)
		if (s->other[i].block != block)
			s->other[kept++] = s->other[i];
	s->n_other = kept;
}

static void
set_block(struct mplug_held_switch *s, size_t block, const uint8_t *row)
{
	memcpy(s->lft + block * MOORE_LFT_BLOCK, row, MOORE_LFT_BLOCK);
	s->state[block] = KNOWN;
	if (s->n_other)
		drop_others(s, block);
}

/* A block that was sent and not answered.  Without memory its rows become unknown. */
static void
add_block(struct mplug_held_switch *s, size_t block, const uint8_t *row)
{
	struct other *o;

	for (uint32_t i = 0; i < s->n_other; i++)
		if (s->other[i].block == block && !memcmp(s->other[i].row, row, MOORE_LFT_BLOCK))
			return;
	o = moore_grow(s->other, s->n_other, &s->cap_other, sizeof(*o));
	if (!o) {
		s->state[block] = UNKNOWN;
		drop_others(s, block);
		return;
	}
	s->other = o;
	o[s->n_other].block = block;
	memcpy(o[s->n_other++].row, row, MOORE_LFT_BLOCK);
}

static size_t
blocks_of(const osm_switch_t *sw)
{
	size_t have = sw->lft_size / (size_t)MOORE_LFT_BLOCK;
	size_t used = sw->max_lid_ho / (size_t)MOORE_LFT_BLOCK + 1;

	return !sw->lft || !sw->new_lft ? 0 : have < used ? have : used;
}

static size_t
note_switch(struct mplug_held_switch *s, const osm_switch_t *sw, bool sent_all)
{
	size_t n = blocks_of(sw), lost = 0;

	if (n == 0)
		s->n_blocks = 0;	/* OpenSM has met this switch anew */
	if (grow(s, n) < 0)
		return 1;
	for (size_t b = 0; b < n; b++) {
		const uint8_t *lft = sw->lft + b * MOORE_LFT_BLOCK;
		const uint8_t *sent = sw->new_lft + b * MOORE_LFT_BLOCK;

		if (!memcmp(lft, sent, MOORE_LFT_BLOCK)) {
			if (sent_all || s->state[b] == KNOWN)
				set_block(s, b, lft);
		} else if (memcmp(lft, s->lft + b * MOORE_LFT_BLOCK, MOORE_LFT_BLOCK)) {
			lost += sent_all;
			if (s->state[b] == KNOWN)
				add_block(s, b, sent);
		}
	}
	return lost;
}

size_t
mplug_held_note(struct mplug_sm *sm, bool sent_all)
{
	const cl_qmap_t *tbl = &sm->osm->subn.sw_guid_tbl;
	size_t lost = 0;

	if (match_switches(&sm->held, tbl) < 0) {
		mplug_held_forget(&sm->held);
		return 1;
	}
	for (cl_map_item_t *m = cl_qmap_head(tbl); m != cl_qmap_end(tbl); m = cl_qmap_next(m)) {
		const osm_switch_t *sw = (const osm_switch_t *)m;

		lost += note_switch(find(&sm->held, guid_of(sw)), sw, sent_all);
	}
	return lost;
}

/* ---- reading what is unknown ------------------------------------------------- */

bool
mplug_carries_data(const osm_switch_t *sw)
{
	for (unsigned n = 1; n < sw->num_ports; n++) {
		const osm_physp_t *p = osm_node_get_physp_ptr(sw->p_node, n);

		if (p && ib_port_info_get_port_state(&p->port_info) == IB_LINK_ACTIVE)
			return true;
	}
	return false;
}

/* The switch drops what goes to a LID above its LinearFDBTop. */
static size_t
blocks_to_read(const struct mplug_sm *sm, const osm_switch_t *sw)
{
	unsigned top = cl_ntoh16(sw->switch_info.lin_top);
	size_t lids = cl_ptr_vector_get_size(&sm->osm->subn.port_lid_tbl);

	if (top > MOORE_LID_MAX)
		top = 0;
	if (lids > top + 1u)
		top = (unsigned)lids - 1;
	return top / MOORE_LFT_BLOCK + 1;
}

/* Asks for the unknown ones of the first n blocks. */
static void
ask(struct mplug_sm *sm, struct mplug_held_switch *s, osm_switch_t *sw, size_t n)
{
	osm_physp_t *p0 = osm_node_get_physp_ptr(sw->p_node, 0);
	osm_madw_context_t context = { .lft_context = { osm_node_get_node_guid(sw->p_node), FALSE } };

	for (size_t b = 0; p0 && b < n; b++) {
		if (s->state[b] == KNOWN)
			continue;
		memset(sw->lft + b * MOORE_LFT_BLOCK, POISON, MOORE_LFT_BLOCK);
		if (osm_req_get(&sm->osm->sm, osm_physp_get_dr_path_ptr(p0), IB_MAD_ATTR_LIN_FWD_TBL,
				cl_hton32((uint32_t)b), FALSE,
				ib_port_info_get_m_key(&p0->port_info), 0, CL_DISP_MSGID_NONE,
				&context) != IB_SUCCESS)
			return;
	}
}

static bool
is_poison(const uint8_t *row)
{
	for (size_t i = 0; i < MOORE_LFT_BLOCK; i++)
		if (row[i] != POISON)
			return false;
	return true;
}

/* Makes the blocks known that were answered. */
static void
take(struct mplug_sm *sm, struct mplug_held_switch *s, osm_switch_t *sw, size_t n)
{
	(void)sm;
	for (size_t b = 0; b < n; b++)
		if (s->state[b] == UNKNOWN && !is_poison(sw->lft + b * MOORE_LFT_BLOCK))
			set_block(s, b, sw->lft + b * MOORE_LFT_BLOCK);
}

/* OpenSM has room for the answers only after it has routed once with so many LIDs. */
static int
prepare(osm_switch_t *sw, size_t n_blocks)
{
	size_t bytes = n_blocks * MOORE_LFT_BLOCK;

	if (sw->lft && sw->lft_size >= bytes)
		return 0;
	return osm_switch_prepare_path_rebuild(sw, (uint16_t)(bytes - 1)) ? -1 : 0;
}

static size_t
count_unknown(const struct mplug_held_switch *s)
{
	size_t n = 0;

	for (size_t b = 0; b < s->n_blocks; b++)
		n += s->state[b] == UNKNOWN;
	return n;
}

/* Calls `what` for each switch with unknown blocks whose rows packets may meet.  Returns the
 * number of unknown blocks before. */
static size_t
each_unknown(struct mplug_sm *sm, bool first,
	     void (*what)(struct mplug_sm *, struct mplug_held_switch *, osm_switch_t *, size_t))
{
	const cl_qmap_t *tbl = &sm->osm->subn.sw_guid_tbl;
	size_t unknown = 0;

	CL_PLOCK_EXCL_ACQUIRE(&sm->osm->lock);
	for (cl_map_item_t *m = cl_qmap_head(tbl); m != cl_qmap_end(tbl); m = cl_qmap_next(m)) {
		osm_switch_t *sw = (osm_switch_t *)m;
		struct mplug_held_switch *s = find(&sm->held, guid_of(sw));
		size_t n = blocks_to_read(sm, sw), left;

		if (!s || !mplug_carries_data(sw) || grow(s, n) < 0 ||
		    !(left = count_unknown(s)) || prepare(sw, n) < 0)
			continue;
		unknown += left;
		if (first || s->state[0] == KNOWN)
			what(sm, s, sw, first ? 1 : n);
	}
	CL_PLOCK_RELEASE(&sm->osm->lock);
	return unknown;
}

/* Reads the first block of each unknown table; or the rest, where the first was answered:
 * a switch that does not answer costs one time-out. */
static size_t
read_round(struct mplug_sm *sm, bool first)
{
	size_t unknown = each_unknown(sm, first, ask);

	if (unknown) {
		wait_for_pending_transactions(&sm->osm->stats);
		each_unknown(sm, first, take);
	}
	return unknown;
}

/* Another subnet manager may have written the tables, or this is the first sweep. */
static bool
took_over(const osm_subn_t *subn)
{
	return subn->first_time_master_sweep || subn->coming_out_of_standby;
}

void
mplug_held_read(struct mplug_sm *sm)
{
	double start = mplug_now_ms();
	size_t unknown, left;

	CL_PLOCK_EXCL_ACQUIRE(&sm->osm->lock);
	mplug_held_note(sm, false);
	if (took_over(&sm->osm->subn))
		for (size_t i = 0; i < sm->held.n; i++)
			sm->held.sw[i].n_blocks = 0;
	CL_PLOCK_RELEASE(&sm->osm->lock);
	unknown = read_round(sm, true);
	if (!unknown)
		return;
	if (!sm->newest || took_over(&sm->osm->subn))
		mplug_packets_strange(sm);
	left = read_round(sm, false);
	if (left)
		left = each_unknown(sm, false, take);
	osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: %zu LFT blocks read from switches, %zu not "
		"answered, %.1f ms\n", unknown - left, left, mplug_now_ms() - start);
}

/* ---- for the builder and the checker ------------------------------------------ */

void
mplug_held_tables_free(struct mplug_held_tables *t)
{
	moore_lft_free(t->lft);
	free(t->more);
	free(t->unknown);
	*t = (struct mplug_held_tables){ .lft = NULL };
}

/* Adds a value of a row.  Returns -1 if memory is out. */
static int
add_value(struct mplug_held_tables *t, moore_swid sw, moore_lid lid, uint8_t port)
{
	struct moore_row *more = moore_grow(t->more, (uint32_t)t->held.n_more, &t->cap_more,
					    sizeof(*more));

	if (!more)
		return -1;
	t->held.more = t->more = more;
	t->more[t->held.n_more++] = (struct moore_row){ sw, lid, port };
	return 0;
}

/* Each row of an unknown block may have any value. */
static int
add_any(struct mplug_held_tables *t, moore_swid s, size_t block, unsigned n_ports)
{
	for (size_t i = 0; i < MOORE_LFT_BLOCK; i++)
		for (unsigned p = 0; p <= n_ports; p++)
			if (block * MOORE_LFT_BLOCK + i < t->lft->stride &&
			    add_value(t, s, (moore_lid)(block * MOORE_LFT_BLOCK + i),
					   (uint8_t)p) < 0)
				return -1;
	return 0;
}

/* The rows of another block that differ from those of the table. */
static int
add_other(struct mplug_held_tables *t, moore_swid s, const struct other *o)
{
	for (size_t i = 0, lid = o->block * MOORE_LFT_BLOCK; i < MOORE_LFT_BLOCK; i++, lid++)
		if (lid < t->lft->stride && o->row[i] != moore_lft_row(t->lft, s)[lid] &&
		    add_value(t, s, (moore_lid)lid, o->row[i]) < 0)
			return -1;
	return 0;
}

static int
fill_switch(struct mplug_held_tables *t, const struct moore_fabric *f, moore_swid s,
	    const struct mplug_held_switch *h)
{
	size_t n = t->lft->stride / MOORE_LFT_BLOCK, known = h ? h->n_blocks - count_unknown(h) : 0;

	if (known == 0) {
		t->unknown[s / 64] |= UINT64_C(1) << s % 64;
		return 0;
	}
	for (size_t b = 0; b < n && b < h->n_blocks; b++)
		if (h->state[b] == KNOWN)
			memcpy(moore_lft_row(t->lft, s) + b * MOORE_LFT_BLOCK,
			       h->lft + b * MOORE_LFT_BLOCK, MOORE_LFT_BLOCK);
		else if (add_any(t, s, b, f->sw[s].n_ports) < 0)
			return -1;
	for (size_t i = 0; i < h->n_other; i++)
		if (add_other(t, s, &h->other[i]) < 0)
			return -1;
	return 0;
}

int
mplug_held_tables(struct mplug_held_tables *t, const struct mplug_held *h,
		  const struct mplug_view *v, struct moore_err *err)
{
	const struct moore_fabric *f = v->f;
	int rc;

	*t = (struct mplug_held_tables){ .lft = NULL };
	if ((rc = moore_lft_new(&t->lft, f->n_switches, f->lid_top, err)) < 0)
		return rc;
	t->unknown = calloc(f->n_switches / 64 + 1, sizeof(*t->unknown));
	t->held = (struct moore_held){ .lft = t->lft, .unknown = t->unknown };
	if (!t->unknown)
		goto nomem;
	for (moore_swid s = 0; s < f->n_switches; s++)
		if (mplug_carries_data(v->sw[s]) &&
		    fill_switch(t, f, s, find(h, f->sw[s].guid)) < 0)
			goto nomem;
	return 0;
nomem:
	mplug_held_tables_free(t);
	return moore_fail_nomem(err);
}

/* A switch without an active link may have been reset.  A switch with one has not been, since
 * a reset takes all its links down and only a subnet manager activates them; so it holds what
 * it held.  OpenSM would send it all blocks again after each change at one of its ports. */
void
mplug_held_distrust(struct mplug_held *h, const struct mplug_view *v)
{
	for (moore_swid s = 0; s < v->f->n_switches; s++) {
		struct mplug_held_switch *of = find(h, v->f->sw[s].guid);
		osm_switch_t *sw = v->sw[s];

		if (mplug_carries_data(sw))
			sw->need_update = 0;
		else if (of)
			of->n_blocks = 0;
		for (size_t b = 0; b < sw->lft_size / (size_t)MOORE_LFT_BLOCK; b++)
			if (!of || b >= of->n_blocks || of->state[b] == UNKNOWN)
				memset(sw->lft + b * MOORE_LFT_BLOCK, POISON, MOORE_LFT_BLOCK);
	}
}

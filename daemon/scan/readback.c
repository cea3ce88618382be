// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* readback.c - the tables as the switches hold them (IBTA 14.2.5.8 to 14.2.5.10).
 *
 * Forwarding tables are read whole each time: a Get brings 64 LIDs.  Lanes take a Get for
 * each pair of ports, so they are read in slices, between which counters have their turn,
 * and only for pairs of ports in use.  A Get that fails leaves what was known. */
#include <stdlib.h>
#include <string.h>

#include "scan/attr.h"

enum { MFT_BLOCK = 32, MFT_PORTS = 16, MLID_FIRST = 0xc000, MFT_BLOCKS_MAX = 512 };

/* ---- forwarding --------------------------------------------------------------------- */

/* Makes room for that many LIDs and blocks of groups; new entries are empty. */
static bool
fit(struct seen_switch *s, uint32_t lids, uint32_t blocks)
{
	size_t size = sizeof(*s->mft) * MFT_BLOCK;
	void *p;

	if (lids != s->lft_size) {
		if (!(p = realloc(s->lft, lids)))
			return false;
		s->lft = p;
		if (lids > s->lft_size)
			memset(s->lft + s->lft_size, MOORE_NO_PATH, lids - s->lft_size);
		s->lft_size = lids;
	}
	if (blocks != s->n_mft) {
		if (!(p = realloc(s->mft, (blocks + 1) * size)))
			return false;
		s->mft = p;
		if (blocks > s->n_mft)
			memset((char *)s->mft + s->n_mft * size, 0, (blocks - s->n_mft) * size);
		s->n_mft = blocks;
	}
	return true;
}

/* A switch that does not report its last group is asked for as many as it can hold. */
static uint32_t
mft_blocks(const struct seen_switch *s)
{
	uint32_t n = s->mft_cap / MFT_BLOCK;

	if (s->mft_top >= MLID_FIRST)
		n = (uint32_t)(s->mft_top - MLID_FIRST) / MFT_BLOCK + 1;
	else if (s->mft_top == MLID_FIRST - 1)
		n = 0;
	return n < MFT_BLOCKS_MAX ? n : MFT_BLOCKS_MAX;
}

static void
ask_tables(struct mad_batch *b, const struct mad_ask *q, struct seen_switch *s, const uint8_t *info)
{
	uint32_t positions = s->n_ports / MFT_PORTS + 1u, blocks;

	attr_switch_info(s, info);
	if (s->lft_top > MOORE_LID_MAX)
		s->lft_top = MOORE_LID_MAX;
	blocks = mft_blocks(s);
	if (!fit(s, ((uint32_t)s->lft_top / MOORE_LFT_BLOCK + 1) * MOORE_LFT_BLOCK, blocks)) {
		b->oom = true;
		return;
	}
	for (uint32_t i = 0; i < s->lft_size / MOORE_LFT_BLOCK; i++)
		mad_add_smp(b, q->to, IB_ATTR_LINEARFORWTBL, i, q->tag);
	for (uint32_t i = 0; i < blocks; i++)
		for (uint32_t k = 0; k < positions; k++)
			mad_add_smp(b, q->to, IB_ATTR_MULTICASTFORWTBL, k << 28 | i, q->tag);
}

static void
take_mft(struct seen_switch *s, uint32_t mod, const uint8_t *data)
{
	uint32_t block = mod & 0x1ff, shift = mod >> 28;

	if (block >= s->n_mft)
		return;
	for (unsigned i = 0; i < MFT_BLOCK; i++) {
		uint64_t *mask = &s->mft[block * MFT_BLOCK + i][shift / 4];
		uint64_t part = (uint64_t)(data[2 * i] << 8 | data[2 * i + 1]);

		*mask &= ~((uint64_t)0xffff << shift % 4 * 16);
		*mask |= part << shift % 4 * 16;
	}
}

static void
on_forwarding(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	struct seen *all = b->arg;
	struct seen_switch *s = &all->sw[q->tag];

	(void)status;
	if (!data)
		return;
	if (q->attr == IB_ATTR_SWITCH_INFO)
		ask_tables(b, q, s, data);
	else if (q->attr == IB_ATTR_MULTICASTFORWTBL)
		take_mft(s, q->mod, data);
	else if ((size_t)q->mod * MOORE_LFT_BLOCK < s->lft_size)
		memcpy(s->lft + (size_t)q->mod * MOORE_LFT_BLOCK, data, MOORE_LFT_BLOCK);
}

enum mad_end
read_forwarding(struct seen *s, const struct ask_with *w)
{
	struct mad_batch b = { .answer = on_forwarding, .arg = s };
	enum mad_end end;

	for (uint32_t i = 0; i < s->n_switches; i++)
		mad_add_smp(&b, mad_add_to(&b, 0, s->sw[i].path, s->sw[i].hops), IB_ATTR_SWITCH_INFO, 0, i);
	end = ask_beside_looks(&b, w);
	mad_batch_fini(&b);
	return end;
}

uint64_t
forwarding_hash(const struct seen *s)
{
	uint64_t h = MOORE_HASH_INIT;

	for (uint32_t i = 0; i < s->n_switches; i++) {
		h = moore_hash(h, &s->sw[i].guid, sizeof(s->sw[i].guid));
		h = moore_hash(h, s->sw[i].lft, s->sw[i].lft_size);
		h = moore_hash(h, s->sw[i].mft, s->sw[i].n_mft * MFT_BLOCK * sizeof(*s->sw[i].mft));
	}
	return h;
}

/* ---- lanes -------------------------------------------------------------------------- */

static void
on_lanes(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	struct seen *all = b->arg;
	struct seen_switch *s = &all->sw[q->tag];

	(void)status;
	if (data && q->attr != IB_ATTR_SLVL_TABLE)
		take_hardware(b, q, s, data);
	else if (data)
		memcpy(s->sl2vl[(q->mod >> 8) * (s->n_ports + 1u) + (q->mod & 0xff)], data, 8);
}

/* Can a packet enter by one and leave by the other?  in == out too: tables that send a packet
 * back are wrong, and the lane that the switch holds for it is reported all the same. */
static bool
in_use(const struct seen_switch *s, uint32_t in, uint32_t out)
{
	return s->port[in].role && s->port[out].role;
}

/* Adds rows of one switch from `from` on, until the batch has max; returns where it ended.  No
 * row has port 0 as its out port: what the in port reports is asked for in that place. */
static uint32_t
ask_lanes(struct mad_batch *b, struct seen_switch *s, uint32_t tag, uint32_t from, uint32_t max)
{
	uint32_t width = s->n_ports + 1u, to;
	const bool maps = s->capability & CAP_SL_MAP;

	if (maps && !s->sl2vl && !(s->sl2vl = calloc((size_t)width * width, sizeof(*s->sl2vl)))) {
		b->oom = true;
		return width * width;
	}
	to = mad_add_to(b, 0, s->path, s->hops);
	for (; from < width * width && b->n_entries < max; from++) {
		uint32_t in = from / width, out = from % width;

		if (!out && s->port[in].role && !ask_hardware(b, s, to, tag, in))
			return width * width;
		if (out && maps && in_use(s, in, out))
			mad_add_smp(b, to, IB_ATTR_SLVL_TABLE, in << 8 | out, tag);
	}
	return from;
}

enum mad_end
read_lanes(struct seen *s, const struct ask_with *w, uint32_t max, uint64_t *at)
{
	struct mad_batch b = { .answer = on_lanes, .arg = s };
	uint32_t i = (uint32_t)(*at >> 32), from = (uint32_t)*at;
	enum mad_end end;

	while (i < s->n_switches && b.n_entries < max) {
		from = ask_lanes(&b, &s->sw[i], i, from, max);
		if (from >= (s->sw[i].n_ports + 1u) * (s->sw[i].n_ports + 1u)) {
			from = 0;
			i++;
		}
	}
	end = b.oom ? MAD_NOMEM : ask_beside_looks(&b, w);
	if (end != MAD_LEFT)
		*at = i < s->n_switches ? (uint64_t)i << 32 | from : 0;
	mad_batch_fini(&b);
	return end;
}

uint64_t
lanes_hash(const struct seen *s)
{
	uint64_t h = MOORE_HASH_INIT;

	for (uint32_t i = 0; i < s->n_switches; i++) {
		h = hardware_hash(h, &s->sw[i]);
		if (s->sw[i].sl2vl)
			h = moore_hash(h, s->sw[i].sl2vl, (s->sw[i].n_ports + (size_t)1) *
				       (s->sw[i].n_ports + (size_t)1) * sizeof(*s->sw[i].sl2vl));
	}
	return h;
}

/* ---- to a snapshot ------------------------------------------------------------------ */

static int
lft_to(const struct seen *s, struct snapshot *to, struct moore_err *err)
{
	int rc = moore_lft_new(&to->lft, s->n_switches, to->fabric->lid_top, err);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < s->n_switches; i++) {
		uint8_t *row = moore_lft_row(to->lft, i);
		size_t n = s->sw[i].lft_size < to->lft->stride ? s->sw[i].lft_size : to->lft->stride;

		memset(row, MOORE_NO_PATH, to->lft->stride);
		if (n > (size_t)s->sw[i].lft_top + 1)
			n = (size_t)s->sw[i].lft_top + 1;
		if (s->sw[i].lft)
			memcpy(row, s->sw[i].lft, n);
	}
	return 0;
}

/* A switch that maps no SLs has no rows: a packet leaves it on the VL that equals its SL, as far
 * as the out port runs that many. */
static struct moore_sl_row
row_of(const struct seen_switch *w, uint32_t k, uint8_t lanes)
{
	struct moore_sl_row row = { { 0 } };

	for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
		if (!(w->capability & CAP_SL_MAP))
			row.vl[sl] = (uint8_t)(sl & moore_lane_mask(lanes));
		else if (w->sl2vl)
			row.vl[sl] = sl & 1 ? w->sl2vl[k][sl / 2] & 15 : w->sl2vl[k][sl / 2] >> 4;
	return row;
}

static int
sl2vl_to(const struct seen *s, struct snapshot *to, struct moore_err *err)
{
	int rc = moore_sl2vl_new(&to->sl2vl, to->fabric, err);

	for (uint32_t i = 0; !rc && i < s->n_switches; i++) {
		const struct seen_switch *w = &s->sw[i];
		uint32_t width = w->n_ports + 1u;

		for (uint32_t k = 0; !rc && k < width * width; k++) {
			struct moore_sl_row row;

			if (!(k % width) || !in_use(w, k / width, k % width))
				continue;
			row = row_of(w, k, moore_fabric_port(to->fabric, i, (moore_portnum)(k % width))->lanes);
			rc = moore_sl2vl_set(to->sl2vl, i, (moore_portnum)(k / width),
					     (moore_portnum)(k % width), &row, err);
		}
	}
	return rc;
}

static int
mft_to(const struct seen *s, struct snapshot *to, struct moore_err *err)
{
	int rc = moore_mft_new(&to->mft, s->n_switches, err);

	for (uint32_t i = 0; !rc && i < s->n_switches; i++)
		for (uint32_t k = 0; k < s->sw[i].n_mft * MFT_BLOCK; k++) {
			const uint64_t *mask = s->sw[i].mft[k];
			int64_t g;

			if (!(mask[0] | mask[1] | mask[2] | mask[3]))
				continue;
			g = moore_mft_group(to->mft, (uint16_t)(MLID_FIRST + k));
			if (g < 0)
				return moore_fail_nomem(err);
			memcpy(to->mft->mask[(size_t)g * s->n_switches + i], mask, 4 * sizeof(*mask));
		}
	return rc;
}

int
seen_tables(const struct seen *s, struct snapshot *to, bool have_lanes, struct moore_err *err)
{
	int rc;

	if (!to->fabric)
		return 0;
	if ((rc = lft_to(s, to, err)) < 0 || (rc = mft_to(s, to, err)) < 0 ||
	    (have_lanes && ((rc = sl2vl_to(s, to, err)) < 0 || (rc = hardware_to(s, to, err)) < 0)))
		return rc;
	if ((to->row_hash = malloc((to->fabric->n_switches + (size_t)1) * sizeof(*to->row_hash))) &&
	    (rc = moore_lft_hash_each(to->row_hash, to->fabric, to->lft, err)) < 0)
		return rc;
	if ((rc = moore_lft_hash(&to->routes_hash, to->fabric, to->lft, err)) == 0 && have_lanes)
		rc = moore_sl2vl_hash(&to->lanes_hash, to->fabric, to->sl2vl, err);
	return rc;
}

static void
inherit_hosts(struct seen *s, const struct seen *old)
{
	for (uint32_t i = 0, k = 0; i < s->n_endpoints; i++) {
		struct seen_endpoint *w = &s->ep[i];
		const struct seen_endpoint *from = &old->ep[k];

		while (k < old->n_endpoints && (from->node_guid < w->node_guid ||
		       (from->node_guid == w->node_guid && from->ca_port < w->ca_port)))
			from = &old->ep[++k];
		if (k == old->n_endpoints)
			return;
		if (from->node_guid != w->node_guid || from->ca_port != w->ca_port)
			continue;
		w->perf = from->perf;
		w->silent = from->silent;
	}
}

void
seen_inherit(struct seen *s, struct seen *old)
{
	s->sa = old->sa;
	inherit_hosts(s, old);
	for (uint32_t i = 0, k = 0; i < s->n_switches; i++) {
		struct seen_switch *w = &s->sw[i], *from;

		while (k < old->n_switches && old->sw[k].guid < w->guid)
			k++;
		if (k == old->n_switches)
			return;
		from = &old->sw[k];
		if (from->guid != w->guid || from->n_ports != w->n_ports)
			continue;
		w->lft = from->lft;
		w->lft_size = from->lft_size;
		w->sl2vl = from->sl2vl;
		w->mft = from->mft;
		w->hardware = from->hardware;
		w->n_mft = from->n_mft;
		w->perf = from->perf;
		from->lft = NULL;
		from->sl2vl = NULL;
		from->mft = NULL;
		from->hardware = NULL;
	}
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_mcast.c - follows every multicast group from every source.
 *
 * A packet that enters a switch by any port leaves by every other port in the group's mask.
 * The mask is not consulted for the port of entry, as in hardware.  A link is put on the
 * work list when it first carries something.  That is enough, since the VL on which a
 * packet leaves a switch does not depend on the VL on which it arrived: if the VLs of a
 * link grow later, only the VLs held at its turns grow. */
#include "base/bits.h"
#include "check_impl.h"

struct flood {
	struct moore_ck *k;
	const uint64_t (*mask)[4];	/* ports of each switch in the group */
	unsigned x;			/* class */
	uint16_t *vls;			/* VLs of each slot's link, for this group and class */
	uint32_t *list, n_list;		/* links that carry something */
	struct moore_channel *at;	/* switch and port of each slot */
};

static void
carry(struct flood *w, uint32_t link, uint16_t vls)
{
	if (vls && !w->vls[link])
		w->list[w->n_list++] = link;
	w->vls[link] |= vls;
}

static void
inject(struct flood *w, moore_swid s)
{
	for (unsigned p = 1; p <= w->k->f->sw[s].n_ports; p++) {
		uint32_t link = w->k->slot0[s] + p;

		if (moore_bits_get(w->mask[s], p) && w->k->hop[link].next != w->k->n_sw &&
		    moore_ck_sls(w->k, s, 0) >> w->k->cls_sl[w->x] & 1)
			carry(w, link, w->k->inject[(size_t)link * w->k->n_cls + w->x]);
	}
}

/* Forwards what link brings to every port of the group, or (hold) notes the VLs that it
 * holds there.  They are also noted at the slot after the last port, so that the link
 * counts as used even if no copy leaves. */
static void
copy(struct flood *w, uint32_t link, bool hold)
{
	struct moore_ck *k = w->k;
	moore_swid s = k->hop[link].next;
	unsigned n_ports = k->f->sw[s].n_ports;
	unsigned in = moore_fabric_port(k->f, w->at[link].sw, w->at[link].port)->peer_port;

	for (unsigned out = 0; out <= n_ports + 1; out++) {
		struct moore_ck_cell *c = &moore_ck_cells(k, link, out)[w->x];

		if (out <= n_ports && (out == in || !moore_bits_get(w->mask[s], out)))
			continue;
		if (hold)
			c->held |= w->vls[link];
		else if (c->out)
			carry(w, k->slot0[s] + out, c->out);
	}
}

static void
flood(struct flood *w)
{
	w->n_list = 0;
	for (uint32_t s = 0; s < w->k->n_sw; s++)
		inject(w, s);
	for (uint32_t i = 0; i < w->n_list; i++)
		copy(w, w->list[i], false);
	for (uint32_t i = 0; i < w->n_list; i++)
		copy(w, w->list[i], true);
	for (uint32_t i = 0; i < w->n_list; i++)
		w->vls[w->list[i]] = 0;
}

int
moore_ck_mcast(struct moore_ck *k, struct moore_err *err)
{
	size_t n = (size_t)k->n_slots + 1;
	struct flood w = { .k = k };

	if (!k->mft || !k->mft->n_groups || !k->n_sw)
		return 0;
	if (!(w.vls = moore_arena_alloc(&k->tmp, n, sizeof(*w.vls))) ||
	    !(w.list = moore_arena_alloc(&k->tmp, n, sizeof(*w.list))) ||
	    !(w.at = moore_arena_alloc(&k->tmp, n, sizeof(*w.at))))
		return moore_fail_nomem(err);
	for (uint32_t s = 0; s < k->n_sw; s++)
		for (unsigned p = 0; p <= k->f->sw[s].n_ports; p++)
			w.at[k->slot0[s] + p] = (struct moore_channel){ s, (moore_portnum)p, 0 };
	for (uint32_t g = 0; g < k->mft->n_groups; g++) {
		w.mask = (const uint64_t (*)[4])&k->mft->mask[(size_t)g * k->n_sw];
		for (w.x = 0; w.x < k->n_cls; w.x++)
			flood(&w);
	}
	return 0;
}

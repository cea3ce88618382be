// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_mcast.c - follows every multicast group from every source.
 *
 * A packet that enters a switch by any port leaves by every other port in the group's mask.
 * The mask is not consulted for the port of entry, as in hardware.  A link is put on the
 * work list when it first carries something.  That is enough, since the VL on which a
 * packet leaves a switch does not depend on the VL on which it arrived: if the VLs of a
 * link grow later, only the VLs held at its turns grow.
 *
 * A packet can circulate in a group if the links that carry something have no order (Kahn
 * 1962) in which each comes after those that bring it packets. */
#include "base/bits.h"
#include "check_impl.h"

struct flood {
	struct moore_ck *k;
	const uint64_t (*mask)[4];	/* ports of each switch in the group */
	unsigned x;			/* class */
	uint16_t *vls;			/* VLs of each slot's link, for this group and class */
	uint32_t *list, n_list;		/* links that carry something */
	struct moore_channel *at;	/* switch and port of each slot */
	uint32_t *deg, *order;		/* for the search for loops */
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

/* True if packets that link brings leave by port out of the switch that it leads to. */
static bool
forwards(const struct flood *w, uint32_t link, unsigned out)
{
	const struct moore_ck *k = w->k;
	const struct moore_channel *at = &w->at[link];

	return out != moore_fabric_port(k->f, at->sw, at->port)->peer_port &&
		moore_bits_get(w->mask[k->hop[link].next], out) &&
		moore_ck_cells(k, link, out)[w->x].out;
}

static bool
circulates(struct flood *w)
{
	const struct moore_ck *k = w->k;
	uint32_t tail = 0;

	for (uint32_t i = 0; i < w->n_list; i++) {
		moore_swid s = k->hop[w->list[i]].next;

		for (unsigned out = 1; out <= k->f->sw[s].n_ports; out++)
			w->deg[k->slot0[s] + out] += forwards(w, w->list[i], out);
	}
	for (uint32_t i = 0; i < w->n_list; i++)
		if (!w->deg[w->list[i]])
			w->order[tail++] = w->list[i];
	for (uint32_t i = 0; i < tail; i++) {
		moore_swid s = k->hop[w->order[i]].next;

		for (unsigned out = 1; out <= k->f->sw[s].n_ports; out++)
			if (forwards(w, w->order[i], out) && !--w->deg[k->slot0[s] + out])
				w->order[tail++] = k->slot0[s] + out;
	}
	for (uint32_t i = 0; i < w->n_list; i++)
		w->deg[w->list[i]] = 0;
	return tail < w->n_list;
}

/* Returns true if loops are searched for and a packet can circulate. */
static bool
flood(struct flood *w)
{
	bool loops;

	w->n_list = 0;
	for (uint32_t s = 0; s < w->k->n_sw; s++)
		inject(w, s);
	for (uint32_t i = 0; i < w->n_list; i++)
		copy(w, w->list[i], false);
	for (uint32_t i = 0; i < w->n_list; i++)
		copy(w, w->list[i], true);
	loops = w->deg && circulates(w);
	for (uint32_t i = 0; i < w->n_list; i++)
		w->vls[w->list[i]] = 0;
	return loops;
}

int
moore_ck_mcast(struct moore_ck *k, struct moore_ck_loops *loops, struct moore_err *err)
{
	size_t n = (size_t)k->n_slots + 1;
	struct flood w = { .k = k };

	if (!k->mft || !k->mft->n_groups || !k->n_sw)
		return 0;
	if (!(w.vls = moore_arena_alloc(&k->tmp, n, sizeof(*w.vls))) ||
	    !(w.list = moore_arena_alloc(&k->tmp, n, sizeof(*w.list))) ||
	    !(w.at = moore_arena_alloc(&k->tmp, n, sizeof(*w.at))) ||
	    (loops && !(w.deg = moore_arena_alloc(&k->tmp, n, sizeof(*w.deg)))) ||
	    (loops && !(w.order = moore_arena_alloc(&k->tmp, n, sizeof(*w.order)))))
		return moore_fail_nomem(err);
	for (uint32_t s = 0; s < k->n_sw; s++)
		for (unsigned p = 0; p <= k->f->sw[s].n_ports; p++)
			w.at[k->slot0[s] + p] = (struct moore_channel){ s, (moore_portnum)p, 0 };
	for (uint32_t g = 0; g < k->mft->n_groups; g++) {
		bool circles = false;

		w.mask = (const uint64_t (*)[4])&k->mft->mask[(size_t)g * k->n_sw];
		for (w.x = 0; w.x < k->n_cls; w.x++)
			circles |= flood(&w);
		if (circles && !loops->n++)
			loops->mlid = k->mft->mlid[g];
	}
	return 0;
}

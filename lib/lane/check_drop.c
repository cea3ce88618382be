// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_drop.c - counts the table entries in use that map to VL 15, where the packet is
 * discarded.  Most tables have none, and then the count is skipped. */
#include "base/bits.h"
#include "check_impl.h"

/* named[slot]: the SLs on which sources at the switch may send packets out of that slot, to
 * a LID or to a multicast group. */
static void
mark_named(const struct moore_ck *k, uint16_t *named)
{
	for (uint32_t s = 0; s < k->n_sw; s++) {
		const uint8_t *row = moore_lft_row(k->lft, s);

		for (unsigned lid = 1; lid <= k->f->lid_top; lid++)
			if (row[lid] <= k->f->sw[s].n_ports && moore_ck_is_addressed(k, lid))
				named[k->slot0[s] + row[lid]] |= moore_ck_sls(k, s, lid);
		for (uint32_t g = 0; k->mft && g < k->mft->n_groups; g++)
			for (unsigned p = 0; p <= k->f->sw[s].n_ports; p++)
				if (moore_bits_get(k->mft->mask[(size_t)g * k->n_sw + s], p))
					named[k->slot0[s] + p] |= moore_ck_sls(k, s, 0);
	}
}

/* The number of SLs of class x among sls, if this entry maps them to VL 15; else 0. */
static unsigned
sls_dropped(const struct moore_ck *k, moore_swid s, unsigned in, unsigned out, unsigned x,
	    uint16_t sls)
{
	if (moore_ck_vl(k, s, in, out, k->cls_sl[x]) < MOORE_VL_DROP)
		return 0;
	return (unsigned)__builtin_popcount(k->cls_mask[x] & sls);
}

/* Counts the dropping entries (in, out) of switch s where in is a source. */
static uint64_t
from_source(const struct moore_ck *k, const uint16_t *named, moore_swid s, unsigned in)
{
	uint64_t n = 0;

	for (unsigned out = 1; out <= k->f->sw[s].n_ports; out++)
		for (unsigned x = 0; x < k->n_cls; x++)
			if (out != in && moore_fabric_port(k->f, s, (moore_portnum)out)->role)
				n += sls_dropped(k, s, in, out, x, named[k->slot0[s] + out]);
	return n;
}

/* Counts the dropping entries (in, out) of the switch that link leads to, where in is the
 * port at which link arrives. */
static uint64_t
from_link(const struct moore_ck *k, uint32_t link, unsigned in)
{
	moore_swid s = k->hop[link].next;
	uint64_t n = 0;

	for (unsigned out = 1; out <= k->f->sw[s].n_ports; out++)
		for (unsigned x = 0; x < k->n_cls; x++)
			if (moore_ck_cells(k, link, out)[x].held &&
			    moore_fabric_port(k->f, s, (moore_portnum)out)->role)
				n += sls_dropped(k, s, in, out, x, k->sl_used);
	return n;
}

int
moore_ck_dropped(struct moore_ck *k, struct moore_verdict *v, struct moore_err *err)
{
	uint16_t *named;

	if (!k->drops)
		return 0;
	named = moore_arena_alloc(&k->tmp, k->n_slots, sizeof(*named));
	if (!named)
		return moore_fail_nomem(err);
	mark_named(k, named);
	for (uint32_t s = 0; s < k->n_sw; s++)
		for (unsigned p = 0; p <= k->f->sw[s].n_ports; p++) {
			uint32_t link = k->slot0[s] + p;

			if (k->hop[link].next != k->n_sw)
				v->dropped += from_link(k, link, moore_fabric_port(k->f, s,
							(moore_portnum)p)->peer_port);
			else if (moore_ck_is_source(k, s, p))
				v->dropped += from_source(k, named, s, p);
		}
	return 0;
}

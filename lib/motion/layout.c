// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layout.c - the fabric and its SL2VL tables as flat arrays: where each slot leads, on
 * which VLs sources enter a link, and on which VLs packets leave by each turn. */
#include "motion_impl.h"

#define VL_DROP 15	/* data packets that are mapped to VL 15 are dropped */

static bool
alike(const struct moore_sl2vl *t, unsigned a, unsigned b)
{
	for (uint32_t r = 0; t && r < t->n_rows; r++)
		if (t->rows[r].vl[a] != t->rows[r].vl[b])
			return false;
	return true;
}

/* With a set of SLs, each SL is a class of its own: sources may use one and not another. */
static void
find_classes(struct moore_mo_net *n)
{
	const struct moore_sl_set *set = n->o->sl_set;
	uint16_t used = set ? 0 : UINT16_MAX;

	for (size_t i = 0; set && i < set->n_switches * set->stride; i++)
		used |= set->sl[i];
	for (unsigned sl = 0; sl < MOORE_N_SL; sl++) {
		unsigned c = set ? n->n_cls : 0;

		if (!(used >> sl & 1))
			continue;
		while (c < n->n_cls && !(alike(n->o->sl2vl, sl, n->cls_sl[c]) &&
					 alike(n->o->other, sl, n->cls_sl[c])))
			c++;
		if (c == n->n_cls)
			n->cls_sl[n->n_cls++] = (uint8_t)sl;
		n->cls_mask[c] |= (uint16_t)(1u << sl);
	}
	if (!n->n_cls)
		n->n_cls = 1;	/* nobody sends: one class without an SL */
}

static void
find_vls(struct moore_mo_net *n, const struct moore_sl2vl *t)
{
	for (uint32_t r = 0; t && r < t->n_rows; r++)
		for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
			if (t->rows[r].vl[sl] < VL_DROP && t->rows[r].vl[sl] >= n->n_vl)
				n->n_vl = t->rows[r].vl[sl] + 1u;
}

static void
find_links(struct moore_mo_net *n)
{
	const struct moore_fabric *f = n->f;

	for (moore_swid s = 0; s < n->n_sw; s++)
		for (unsigned p = 0; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);
			uint32_t slot = f->sw[s].port0 + p;

			n->next[slot] = MOORE_NONE;
			if (q->role == MOORE_ROLE_ENDPOINT)
				n->has_ep[s] = 1;
			if (q->role != MOORE_ROLE_SWITCH)
				continue;
			n->next[slot] = q->peer;
			n->turn0[slot] = n->n_turns;
			n->n_turns += f->sw[q->peer].n_ports + 1u;
		}
}

/* The VLs on which packets of class x leave s by port out that entered by port in. */
static uint16_t
leave_on(const struct moore_mo_net *n, moore_swid s, unsigned in, unsigned out, unsigned x)
{
	const struct moore_sl2vl *const t[] = { n->o->sl2vl, n->o->other };
	unsigned vls = 0;

	for (unsigned i = 0; i < ARRAY_LEN(t) && t[i]; i++) {
		uint8_t vl = moore_sl2vl_get(t[i], s, (moore_portnum)in,
					     (moore_portnum)out)->vl[n->cls_sl[x]];

		vls |= vl < VL_DROP ? 1u << vl : 0;
	}
	return (uint16_t)vls;
}

static void
fill_link(struct moore_mo_net *n, moore_swid s, unsigned port)
{
	const struct moore_port *q = moore_fabric_port(n->f, s, (moore_portnum)port);
	uint32_t link = n->f->sw[s].port0 + port;

	for (unsigned in = 0; in <= n->f->sw[s].n_ports; in++) {
		uint8_t role = moore_fabric_port(n->f, s, (moore_portnum)in)->role;

		for (unsigned x = 0; x < n->n_cls; x++)
			if (role == MOORE_ROLE_ENDPOINT || role == MOORE_ROLE_SELF)
				n->inject[(size_t)link * n->n_cls + x] |=
					leave_on(n, s, in, port, x);
	}
	for (unsigned out = 0; out <= n->f->sw[q->peer].n_ports; out++)
		for (unsigned x = 0; x < n->n_cls; x++)
			if (n->next[n->f->sw[q->peer].port0 + out] != MOORE_NONE)
				n->leave[moore_mo_cell(n, link, out) + x] =
					leave_on(n, q->peer, q->peer_port, out, x);
}

int
moore_mo_layout(struct moore_mo_net *n, const struct moore_fabric *f,
		const struct moore_motion_opts *o, struct moore_arena *a, struct moore_err *err)
{
	n->f = f;
	n->o = o;
	n->n_sw = f->n_switches;
	n->n_slots = f->n_ports;
	n->n_vl = 1;
	find_classes(n);
	find_vls(n, o->sl2vl);
	find_vls(n, o->other);
	if (!(n->has_ep = moore_arena_alloc(a, (size_t)n->n_sw + 1, 1)) ||
	    !(n->next = moore_arena_alloc(a, (size_t)n->n_slots + 1, sizeof(*n->next))) ||
	    !(n->turn0 = moore_arena_alloc(a, (size_t)n->n_slots + 1, sizeof(*n->turn0))))
		return moore_fail_nomem(err);
	find_links(n);
	if (!(n->leave = moore_arena_alloc(a, ((size_t)n->n_turns + 1) * n->n_cls,
					   sizeof(*n->leave))) ||
	    !(n->inject = moore_arena_alloc(a, ((size_t)n->n_slots + 1) * n->n_cls,
					    sizeof(*n->inject))))
		return moore_fail_nomem(err);
	for (moore_swid s = 0; s < n->n_sw; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
			if (n->next[f->sw[s].port0 + p] != MOORE_NONE)
				fill_link(n, s, p);
	return 0;
}

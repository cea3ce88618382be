// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_net.c - lays out the fabric and its SL2VL tables for the walk: where each slot
 * leads, on which VLs sources enter it, and on which VL packets leave each turn. */
#include <string.h>

#include "check_impl.h"

/* True if some row of this table maps the two SLs to different VLs. */
static bool
tells_apart(const struct moore_sl2vl *t, unsigned a, unsigned b)
{
	for (uint32_t r = 0; t && r < t->n_rows; r++)
		if (t->rows[r].vl[a] != t->rows[r].vl[b])
			return true;
	return false;
}

/* Returns the SLs that some source uses for some destination.  (The sums of eight are one step for
 * the processor.) */
static uint16_t
sls_used(const struct moore_ck *k)
{
	const struct moore_sl_set *set = k->opts.sl_set;
	size_t n = set ? set->n_switches * set->stride : 0, i = 0;
	uint16_t all[8] = { set ? 0 : UINT16_MAX };

	for (; i + ARRAY_LEN(all) <= n; i += ARRAY_LEN(all))
		for (unsigned a = 0; a < ARRAY_LEN(all); a++)
			all[a] |= set->sl[i + a];
	for (; i < n; i++)
		all[0] |= set->sl[i];
	for (unsigned a = 1; a < ARRAY_LEN(all); a++)
		all[0] |= all[a];
	return all[0] & k->opts.sl_mask;
}

static void
find_classes(struct moore_ck *k)
{
	const struct moore_sl2vl *t = k->sl2vl;

	k->sl_used = sls_used(k);
	for (unsigned sl = 0; sl < MOORE_N_SL; sl++) {
		unsigned c = k->opts.sl_set ? k->n_cls : 0;

		if (!(k->sl_used >> sl & 1))
			continue;
		while (c < k->n_cls && (tells_apart(t, sl, k->cls_sl[c]) ||
					tells_apart(k->other, sl, k->cls_sl[c])))
			c++;
		if (c == k->n_cls)
			k->cls_sl[k->n_cls++] = (uint8_t)sl;
		k->cls_mask[c] |= (uint16_t)(1u << sl);
		for (uint32_t r = 0; r < t->n_rows; r++)
			k->drops |= t->rows[r].vl[sl] >= MOORE_VL_DROP;
	}
	if (!k->n_cls)		/* no source sends: one class without an SL */
		k->n_cls = 1;
}

static void
find_links(struct moore_ck *k)
{
	for (uint32_t i = 0; i < k->n_slots; i++)
		k->hop[i] = (struct moore_ck_hop){ k->n_sw, 0 };
	for (uint32_t s = 0; s < k->n_sw; s++)
		for (unsigned p = 0; p <= k->f->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(k->f, s, (moore_portnum)p);

			if (port->role == MOORE_ROLE_ENDPOINT)
				k->has_ep[s] = 1;
			if (port->role != MOORE_ROLE_SWITCH)
				continue;
			k->hop[k->slot0[s] + p].next = port->peer;
			k->n_links++;
		}
}

/* Gives each link its turns.  begin is scratch for each switch. */
static void
lay_out(struct moore_ck *k, uint32_t *begin)
{
	uint32_t turns = 1;	/* turn 0 stands for "not a link" */

	find_links(k);
	for (uint32_t i = 0; i < k->n_slots; i++)
		if (k->hop[i].next != k->n_sw)
			k->n_in[k->hop[i].next]++;
	for (uint32_t s = 0; s < k->n_sw; s++) {
		begin[s] = turns;
		turns += k->n_in[s] * (k->f->sw[s].n_ports + 2u);
	}
	for (uint32_t i = 0; i < k->n_slots; i++)
		if (k->hop[i].next != k->n_sw)
			k->hop[i].turns = begin[k->hop[i].next]++;
	k->n_turns = turns;
	for (uint32_t s = 0; s < k->n_sw; s++) {
		k->into0[s + 1] = k->into0[s] + k->n_in[s];
		begin[s] = k->into0[s];
	}
	for (uint32_t s = 0; s < k->n_sw; s++)
		for (unsigned p = 0; p <= k->f->sw[s].n_ports; p++) {
			const uint32_t i = k->slot0[s] + p;

			if (k->hop[i].next == k->n_sw)
				continue;
			k->in_port[begin[k->hop[i].next]] =
				moore_fabric_port(k->f, s, (moore_portnum)p)->peer_port;
			k->into[begin[k->hop[i].next]++] = i;
		}
}

/* The VLs on which packets of class x leave by a port with these lanes. */
static inline uint16_t
vls_of(const struct moore_ck *k, const struct moore_sl_row *row, unsigned x, unsigned lanes)
{
	const uint8_t vl = row->vl[k->cls_sl[x]];

	return (uint16_t)(vl < MOORE_VL_DROP ? 1u << (vl & lanes) : 0);
}

/* Adds to the turns of all links to switch s the VLs on which packets leave by table t, and to vls[] those
 * of each class. */
static inline void
fill_cells(struct moore_ck *k, const struct moore_sl2vl *t, const unsigned n_cls, moore_swid s, uint16_t *vls)
{
	const uint32_t first = k->into0[s], n_in = k->n_in[s];
	const uint16_t *id = t->id + t->base[s];

	for (unsigned out = 1; n_in && out <= k->f->sw[s].n_ports; out++) {
		const unsigned lanes = moore_lane_mask(moore_fabric_port(k->f, s, (moore_portnum)out)->lanes);
		struct moore_ck_cell *c = moore_ck_cells(k, k->into[first], out);

		if (k->hop[k->slot0[s] + out].next == k->n_sw)
			continue;
		for (uint32_t i = 0; i < n_in; i++) {
			const struct moore_sl_row *row = &t->rows[id[k->in_port[first + i] * t->width[s] + out]];

			for (unsigned x = 0; x < n_cls; x++, c++) {
				const uint16_t more = vls_of(k, row, x, lanes);

				c->out |= more;
				vls[x] |= more;
			}
		}
	}
}

/* Adds to each link that leaves s the VLs on which sources enter it by table t. */
static inline void
fill_inject(struct moore_ck *k, const struct moore_sl2vl *t, const unsigned n_cls, moore_swid s)
{
	for (unsigned in = 0; in <= k->f->sw[s].n_ports; in++) {
		const uint16_t *id = t->id + t->base[s] + (size_t)in * t->width[s];

		if (!moore_ck_is_source(k, s, in))
			continue;
		for (unsigned out = 1; out <= k->f->sw[s].n_ports; out++) {
			const uint32_t link = k->slot0[s] + out;
			const uint8_t lanes = moore_fabric_port(k->f, s, (moore_portnum)out)->lanes;

			if (k->hop[link].next == k->n_sw)
				continue;
			for (unsigned x = 0; x < n_cls; x++)
				k->inject[(size_t)link * n_cls + x] |=
					vls_of(k, &t->rows[id[out]], x, moore_lane_mask(lanes));
		}
	}
}

/* Fills in the turns of the links to switch s, and how sources enter those that leave it. */
static void
fill_lanes(void *arg, unsigned worker, size_t s)
{
	struct moore_ck *k = arg;
	const struct moore_sl2vl *const t[] = { k->sl2vl, k->other };
	uint16_t vls[MOORE_N_SL] = { 0 };

	(void)worker;
	for (unsigned i = 0; i < ARRAY_LEN(t) && t[i]; i++)
		if (k->n_cls == 1) {	/* the usual case: no inner loop */
			fill_cells(k, t[i], 1, (moore_swid)s, vls);
			fill_inject(k, t[i], 1, (moore_swid)s);
		} else {
			fill_cells(k, t[i], k->n_cls, (moore_swid)s, vls);
			fill_inject(k, t[i], k->n_cls, (moore_swid)s);
		}
	memcpy(&k->vls[s * k->n_cls], vls, k->n_cls * sizeof(*vls));
}

static int
find_parts(struct moore_ck *k, struct moore_err *err)
{
	uint32_t *stack = moore_arena_alloc(&k->tmp, (size_t)k->n_sw + 1, sizeof(*stack));

	if (!stack)
		return moore_fail_nomem(err);
	for (uint32_t s = 0; s < k->n_sw; s++)
		k->part[s] = MOORE_NONE;
	for (uint32_t root = 0; root < k->n_sw; root++) {
		uint32_t n = 0;

		if (k->part[root] != MOORE_NONE)
			continue;
		k->part[root] = k->n_parts;
		stack[n++] = root;
		while (n) {
			uint32_t s = stack[--n];

			for (uint32_t i = k->slot0[s]; i < k->slot0[s + 1]; i++) {
				uint32_t to = k->hop[i].next;

				if (to == k->n_sw || k->part[to] != MOORE_NONE)
					continue;
				k->part[to] = k->n_parts;
				stack[n++] = to;
			}
		}
		k->n_parts++;
	}
	return 0;
}

int
moore_ck_net(struct moore_ck *k, struct moore_err *err)
{
	struct moore_arena *a = &k->tmp;
	uint32_t *begin;

	k->n_sw = k->f->n_switches;
	k->n_slots = k->f->n_ports + k->n_sw;
	find_classes(k);
	if (!(k->slot0 = moore_arena_alloc(a, (size_t)k->n_sw + 1, sizeof(*k->slot0))) ||
	    !(k->hop = moore_arena_alloc(a, (size_t)k->n_slots + 1, sizeof(*k->hop))) ||
	    !(k->has_ep = moore_arena_alloc(a, (size_t)k->n_sw + 1, 1)) ||
	    !(begin = moore_arena_alloc(a, (size_t)k->n_sw + 1, sizeof(*begin))) ||
	    !(k->n_in = moore_arena_alloc(a, (size_t)k->n_sw + 2, sizeof(*k->n_in))) ||
	    !(k->into0 = moore_arena_alloc(a, (size_t)k->n_sw + 1, sizeof(*k->into0))) ||
	    !(k->into = moore_arena_alloc(a, (size_t)k->n_slots + 1, sizeof(*k->into))) ||
	    !(k->in_port = moore_arena_alloc(a, (size_t)k->n_slots + 1, 1)) ||
	    !(k->part = moore_arena_alloc(a, (size_t)k->n_sw + 1, sizeof(*k->part))) ||
	    !(k->vls = moore_arena_alloc(a, ((size_t)k->n_sw + 1) * k->n_cls, sizeof(*k->vls))) ||
	    !(k->inject = moore_arena_alloc(a, ((size_t)k->n_slots + 1) * k->n_cls,
					    sizeof(*k->inject))))
		return moore_fail_nomem(err);
	for (uint32_t s = 0; s < k->n_sw; s++)
		k->slot0[s + 1] = k->slot0[s] + k->f->sw[s].n_ports + 2u;
	lay_out(k, begin);
	k->cell = moore_arena_alloc(a, moore_ck_n_cells(k), sizeof(*k->cell));
	if (!k->cell)
		return moore_fail_nomem(err);
	moore_ck_each_switch(k, fill_lanes, k);
	return find_parts(k, err);
}

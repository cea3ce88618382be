// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* look.c - did the fabric change?  One Get for each link and for each free port, from us
 * outwards: what lies behind a cut is not asked, so nothing waits for it. */
#include <string.h>

#include "scan/attr.h"

struct look {
	const struct seen *s;
	bool changed;
};

static bool
differs(const struct seen *s, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	const struct seen_switch *sw = &s->sw[q->tag];
	struct seen_port now = { 0 };

	if (!data)
		return !status;
	if (!q->mod)
		return attr_field(data, IB_PORT_LID_F) != sw->lid ||
		       attr_field(data, IB_PORT_SMLID_F) != s->sm_lid;
	now.state = (uint8_t)attr_field(data, IB_PORT_STATE_F);
	now.phys = (uint8_t)attr_field(data, IB_PORT_PHYS_STATE_F);
	return port_is_up(&now) != port_is_up(&sw->port[q->mod]) || now.state != sw->port[q->mod].state ||
	       attr_field(data, IB_PORT_OPER_VLS_F) != sw->port[q->mod].op_vls;
}

static void
on_look(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	struct look *l = b->arg;

	l->changed |= differs(l->s, q, data, status);
	b->enough = l->changed;
}

/* Is this the end of its link that is asked?  It is the end nearer to us: when the link is
 * cut, the way to the other end may be cut with it. */
static bool
is_near_end(const struct seen *s, uint32_t i, unsigned k)
{
	const struct seen_port *p = &s->sw[i].port[k];

	if (p->role != MOORE_ROLE_SWITCH)
		return true;
	return s->sw[i].hops != s->sw[p->peer].hops ? s->sw[i].hops < s->sw[p->peer].hops :
	       i < p->peer;
}

static enum mad_end
look_at(struct look *l, const struct ask_with *w, unsigned hops)
{
	struct mad_batch b = { .answer = on_look, .arg = l, .late_max = MAD_PATIENT };
	enum mad_end end;

	for (uint32_t i = 0; i < l->s->n_switches; i++) {
		const struct seen_switch *sw = &l->s->sw[i];
		uint32_t to;

		if (sw->hops != hops)
			continue;
		to = mad_add_to(&b, 0, sw->path, sw->hops);
		for (uint32_t k = 0; k <= sw->n_ports; k++)
			if (is_near_end(l->s, i, k))
				mad_add_smp(&b, to, IB_ATTR_PORT_INFO, k, i);
	}
	end = mad_run(w->mad, &b, w->beat, w->stop);
	mad_batch_fini(&b);
	return end;
}

enum mad_end
seen_changed(const struct seen *s, const struct ask_with *w, bool *changed)
{
	struct look l = { .s = s };
	enum mad_end end = MAD_DONE;
	unsigned top = 0;

	for (uint32_t i = 0; i < s->n_switches; i++)
		top = s->sw[i].hops > top ? s->sw[i].hops : top;
	for (unsigned h = 0; h <= top && end == MAD_DONE && !l.changed; h++)
		end = look_at(&l, w, h);
	*changed = l.changed;
	return end;
}

/* ---- batches between whose Gets a look goes ----------------------------------------- */

enum mad_end
ask_beside_looks(struct mad_batch *b, const struct ask_with *w)
{
	enum mad_end end;

	b->late_max = w->late ? w->late_max : MAD_PATIENT;
	do {
		b->pause_us = w->look_us ? *w->look_us : 0;
		end = mad_run(w->mad, b, w->beat, w->stop);
	} while (end == MAD_PAUSED && w->look(w->arg));
	if (w->late && end == MAD_DONE)
		*w->late = b->late;
	return end == MAD_PAUSED ? MAD_LEFT : end;
}

/* ---- the same fabric? --------------------------------------------------------------- */

uint64_t
seen_hash(const struct seen *s)
{
	uint64_t h = moore_hash(MOORE_HASH_INIT, &s->sm_lid, sizeof(s->sm_lid));

	for (uint32_t i = 0; i < s->n_switches; i++) {
		const struct seen_switch *w = &s->sw[i];

		h = moore_hash(h, &w->guid, sizeof(w->guid));
		h = moore_hash(h, &w->lid, sizeof(w->lid));
		h = moore_hash(h, w->desc, strlen(w->desc));
		for (unsigned k = 0; k <= w->n_ports; k++) {
			const struct seen_port *x = &w->port[k];
			uint32_t v[] = { x->state, x->phys, x->op_vls, x->role, x->peer, x->peer_port,
				x->rate.width, x->rate.speed };

			h = moore_hash(h, v, sizeof(v));
		}
	}
	for (uint32_t i = 0; i < s->n_endpoints; i++) {
		const struct seen_endpoint *e = &s->ep[i];
		uint32_t v[] = { e->sw, e->port, e->lid, e->lmc, e->op_vls };

		h = moore_hash(h, &e->guid, sizeof(e->guid));
		h = moore_hash(h, e->desc, strlen(e->desc));
		h = moore_hash(h, v, sizeof(v));
	}
	return h;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* walk.c - finds the fabric: a walk by directed routes, breadth first, with many SMPs on
 * their way at once.
 *
 * libibnetdisc walks too, but opens a port of its own each time and waits for one dead port
 * after the other; this walk shares the port, the bound and the time-outs with all other
 * MADs.  The tests compare the two.  GUIDs tell switches apart.  A link counts when its two
 * ends agree, and the first link found at a port keeps it, so that two devices with one GUID
 * spoil only their own links. */
#include <stdlib.h>
#include <string.h>

#include "scan/attr.h"

enum { HOPS_MAX = 62 };
#define TAG_ENDPOINT 0x80000000u	/* in a tag: the rest is an endpoint */

/* A Get of NodeInfo on its way: through this port of this switch.  MOORE_NONE: to our own
 * node, or out of this port of our own CA. */
struct probe {
	uint32_t sw;
	moore_portnum port;
};

struct walk {
	struct seen *s;
	struct probe *probe;
	uint32_t n_probes, cap_probes;
	bool oom;
};

static void
ask_node(struct walk *w, struct mad_batch *b, uint32_t sw, moore_portnum port)
{
	struct seen_switch *from = sw == MOORE_NONE ? NULL : &w->s->sw[sw];
	uint8_t path[64] = { 0 }, hops = 0;
	struct probe *more;

	if (from) {
		if (from->hops >= HOPS_MAX || from->port[port].asked)
			return;
		from->port[port].asked = true;
		memcpy(path, from->path, sizeof(path));
		hops = (uint8_t)(from->hops + 1);
		path[hops] = port;
	} else if (port) {	/* out of our CA */
		path[1] = port;
		hops = 1;
	}
	if (!(more = moore_grow(w->probe, w->n_probes, &w->cap_probes, sizeof(*more)))) {
		w->oom = true;
		return;
	}
	w->probe = more;
	w->probe[w->n_probes] = (struct probe){ sw, port };
	mad_add_smp(b, mad_add_to(b, 0, path, hops), IB_ATTR_NODE_INFO, 0, w->n_probes++);
}

/* Enters a link between two switches, unless one of its ports has a link already. */
static void
join(struct seen *s, uint32_t a, moore_portnum pa, uint32_t b, moore_portnum pb)
{
	struct seen_port *x = &s->sw[a].port[pa], *y = &s->sw[b].port[pb];

	if (a == b || !pb || x->role || y->role)
		return;
	x->role = y->role = MOORE_ROLE_SWITCH;
	x->peer = b;
	x->peer_port = pb;
	y->peer = a;
	y->peer_port = pa;
	y->asked = true;
}

static uint32_t
new_switch(struct walk *w, struct mad_batch *b, const struct mad_ask *q, const uint8_t *info,
	   uint64_t guid)
{
	struct seen *s = w->s;
	const struct probe *p = &w->probe[q->tag];
	uint32_t i = s->n_switches;
	struct seen_switch *n = seen_room(s);

	w->oom |= !n;
	if (!n)
		return MOORE_NONE;
	*n = (struct seen_switch){ .guid = guid, .n_ports = (uint8_t)attr_field(info, IB_NODE_NPORTS_F),
				   .port_guid = attr_field64(info, IB_NODE_PORT_GUID_F) };
	if (!n->n_ports || n->n_ports > MOORE_PORT_MAX)
		return MOORE_NONE;
	if (p->sw != MOORE_NONE) {
		memcpy(n->path, s->sw[p->sw].path, sizeof(n->path));
		n->hops = (uint8_t)(s->sw[p->sw].hops + 1);
	} else {
		n->hops = p->port != 0;
	}
	n->path[n->hops] = p->port;
	n->port = calloc((size_t)n->n_ports + 1, sizeof(*n->port));
	w->oom |= !n->port;
	if (!n->port)
		return MOORE_NONE;
	for (unsigned k = 0; k <= n->n_ports; k++)
		n->port[k].peer = MOORE_NONE;
	seen_keep(s);
	mad_add_smp(b, q->to, IB_ATTR_NODE_DESC, 0, i);
	mad_add_smp(b, q->to, IB_ATTR_SWITCH_INFO, 0, i);
	for (uint32_t k = 0; k <= n->n_ports; k++)
		mad_add_smp(b, q->to, IB_ATTR_PORT_INFO, k, i);
	return i;
}

static void
found_switch(struct walk *w, struct mad_batch *b, const struct mad_ask *q, const uint8_t *info)
{
	struct seen *s = w->s;
	struct probe p = w->probe[q->tag];
	uint64_t guid = attr_field64(info, IB_NODE_GUID_F);
	uint32_t local = attr_field(info, IB_NODE_LOCAL_PORT_F);
	uint32_t i = seen_find(s, guid);

	if (i == MOORE_NONE && (i = new_switch(w, b, q, info, guid)) == MOORE_NONE)
		return;
	if (p.sw == MOORE_NONE) {
		/* The switch next to us.  Our own port, which answered before it, is its endpoint. */
		if (p.port && s->n_endpoints && local <= s->sw[i].n_ports && local) {
			struct seen_port *at = &s->sw[i].port[local];

			at->role = MOORE_ROLE_ENDPOINT;
			at->peer = 0;
			at->peer_port = s->ep[0].ca_port;
			at->asked = true;
			s->ep[0].sw = i;
			s->ep[0].port = (moore_portnum)local;
		}
		return;
	}
	if (local <= s->sw[i].n_ports)
		join(s, p.sw, p.port, i, (moore_portnum)local);
}

static void
found_endpoint(struct walk *w, struct mad_batch *b, const struct mad_ask *q, const uint8_t *info,
	     bool router)
{
	struct seen *s = w->s;
	struct probe p = w->probe[q->tag];
	struct seen_endpoint *e;
	uint32_t i = s->n_endpoints;

	if ((p.sw != MOORE_NONE && s->sw[p.sw].port[p.port].role) ||
	    (p.sw == MOORE_NONE && p.port))	/* back to back with us */
		return;
	if (!(e = moore_grow(s->ep, i, &s->cap_endpoints, sizeof(*e)))) {
		w->oom = true;
		return;
	}
	s->ep = e;
	e += i;
	*e = (struct seen_endpoint){ .sw = p.sw, .port = p.port, .router = router,
		.guid = attr_field64(info, IB_NODE_PORT_GUID_F),
		.node_guid = attr_field64(info, IB_NODE_GUID_F),
		.ca_port = (uint8_t)attr_field(info, IB_NODE_LOCAL_PORT_F),
		.node_ports = (uint8_t)attr_field(info, IB_NODE_NPORTS_F) };
	if (!e->ca_port || e->ca_port > e->node_ports || e->node_ports > MOORE_PORT_MAX)
		return;
	if (p.sw != MOORE_NONE) {
		struct seen_port *at = &s->sw[p.sw].port[p.port];

		at->role = MOORE_ROLE_ENDPOINT;
		at->peer = i;
		at->peer_port = e->ca_port;
	}
	s->n_endpoints++;
	mad_add_smp(b, q->to, IB_ATTR_NODE_DESC, 0, TAG_ENDPOINT | i);
	mad_add_smp(b, q->to, IB_ATTR_PORT_INFO, e->ca_port, TAG_ENDPOINT | i);
	if (p.sw == MOORE_NONE) {
		s->self_path1 = e->ca_port;
		ask_node(w, b, MOORE_NONE, e->ca_port);
	}
}

static void
switch_port(struct walk *w, struct mad_batch *b, uint32_t i, uint32_t k, const uint8_t *info)
{
	struct seen_switch *s = &w->s->sw[i];
	struct seen_port *p = &s->port[k];

	p->op_vls = (uint8_t)attr_field(info, IB_PORT_OPER_VLS_F);
	if (!k) {
		s->lid = (moore_lid)attr_field(info, IB_PORT_LID_F);
		s->lmc = (uint8_t)attr_field(info, IB_PORT_LMC_F);
		s->capability = attr_field(info, IB_PORT_CAPMASK_F);
		p->role = MOORE_ROLE_SELF;
		if (!i && !w->s->self_path1)	/* we are a switch */
			w->s->sm_lid = (moore_lid)attr_field(info, IB_PORT_SMLID_F);
		return;
	}
	p->state = (uint8_t)attr_field(info, IB_PORT_STATE_F);
	p->phys = (uint8_t)attr_field(info, IB_PORT_PHYS_STATE_F);
	p->rate = attr_rate(info);
	if (port_is_up(p))
		ask_node(w, b, i, (moore_portnum)k);
}

static void
endpoint_port(struct seen *s, struct seen_endpoint *e, const uint8_t *info)
{
	e->lid = (moore_lid)attr_field(info, IB_PORT_LID_F);
	e->lmc = (uint8_t)attr_field(info, IB_PORT_LMC_F);
	e->op_vls = (uint8_t)attr_field(info, IB_PORT_OPER_VLS_F);
	e->rate = attr_rate(info);
	if (e == s->ep)
		s->sm_lid = (moore_lid)attr_field(info, IB_PORT_SMLID_F);
}

static void
on_answer(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	struct walk *w = b->arg;
	struct seen *s = w->s;
	uint32_t i = q->tag & ~TAG_ENDPOINT;
	bool end = q->tag & TAG_ENDPOINT;

	(void)status;
	if (!data) {
		s->n_unanswered++;
		return;
	}
	switch (q->attr) {
	case IB_ATTR_NODE_INFO:
		if (attr_field(data, IB_NODE_TYPE_F) == IB_NODE_SWITCH)
			found_switch(w, b, q, data);
		else
			found_endpoint(w, b, q, data, attr_field(data, IB_NODE_TYPE_F) == IB_NODE_ROUTER);
		break;
	case IB_ATTR_NODE_DESC:
		attr_desc(end ? s->ep[i].desc : s->sw[i].desc, data);
		break;
	case IB_ATTR_SWITCH_INFO:
		attr_switch_info(&s->sw[i], data);
		break;
	case IB_ATTR_PORT_INFO:
		if (end)
			endpoint_port(s, &s->ep[i], data);
		else
			switch_port(w, b, i, q->mod, data);
		break;
	}
}

int
seen_discover(struct seen **out, const struct ask_with *with, struct moore_err *err)
{
	struct seen *s = calloc(1, sizeof(*s));
	struct walk w = { .s = s };
	struct mad_batch b = { .answer = on_answer, .arg = &w, .late_max = MAD_PATIENT };
	enum mad_end end;

	*out = NULL;
	if (!s)
		return moore_fail_nomem(err);
	ask_node(&w, &b, MOORE_NONE, 0);
	end = mad_run(with->mad, &b, with->beat, with->stop);
	mad_batch_fini(&b);
	free(w.probe);
	if (end == MAD_DONE && !w.oom && s->n_switches && seen_order(s) == 0) {
		struct manager_state m = { 0 };

		if (s->sm_lid)
			ask_manager(s, with, NULL, &m);
		memcpy(s->sm, m.text, sizeof(s->sm));
		*out = s;
		return 0;
	}
	if (end == MAD_DONE && !w.oom && !s->n_switches)
		moore_fail(err, MOORE_EUNREACH, 0, "no switch answers at the other end of our port");
	else if (end == MAD_SILENT)
		moore_fail(err, MOORE_EUNREACH, 0, "no SMP is answered, not even by our own port");
	else
		moore_fail_nomem(err);
	seen_free(s);
	return -err->code;
}

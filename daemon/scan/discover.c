// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* discover.c - who is there: a walk by directed routes, breadth first, many SMPs at
 * once; and the look whether anything changed since.
 *
 * libibnetdisc walks too, but opens a port of its own each time and waits for a
 * dead port alone; ours shares the port, its bound and its patience with all other
 * MADs.  The tests compare the two.  A switch is who it is by GUID.  A link counts
 * when its two ends agree; the first to say so wins, so that two devices with one
 * GUID spoil only themselves.
 *
 * The plan of what was seen is made as text in ibnetdiscover's form: its names, and
 * its rules for devices that share one, are those that moorectl shows elsewhere. */
#include <infiniband/mad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/seen.h"

enum { STATE_DOWN = 1, PHYS_LINK_UP = 5, CAP_SL_MAP = 1 << 6, HOPS_MAX = 62 };
#define TAG_ENDPOINT 0x80000000u	/* in a tag: the rest is an endpoint */

void
seen_free(struct seen *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_switches; i++) {
		free(s->sw[i].port);
		free(s->sw[i].lft);
		free(s->sw[i].sl2vl);
		free(s->sw[i].mft);
	}
	free(s->sw);
	free(s->ep);
	free(s->by_guid);
	free(s);
}

/* ---- attributes ------------------------------------------------------------------------ */

static uint32_t
field(const uint8_t *data, enum MAD_FIELDS f)
{
	return mad_get_field((void *)(uintptr_t)data, 0, f);
}

static struct moore_rate
rate_of(const uint8_t *info)
{
	static const uint8_t width[] = { [1] = 1, [2] = 4, [4] = 8, [8] = 12, [16] = 2 };
	static const uint8_t speed[] = { [1] = 1, [2] = 2, [4] = 3 };
	static const uint8_t ext[] = { [1] = 5, [2] = 6, [4] = 7, [8] = 8 };
	uint32_t w = field(info, IB_PORT_LINK_WIDTH_ACTIVE_F);
	uint32_t s = field(info, IB_PORT_LINK_SPEED_ACTIVE_F);
	uint32_t e = field(info, IB_PORT_LINK_SPEED_EXT_ACTIVE_F);
	struct moore_rate r = { 0, 0 };

	if (e < ARRAY_LEN(ext) && ext[e])
		r.speed = ext[e];
	else if (s < ARRAY_LEN(speed))
		r.speed = speed[s];
	if (r.speed && w < ARRAY_LEN(width))
		r.width = width[w];
	return r;
}

static bool
is_up(const struct seen_port *p)
{
	return p->state > STATE_DOWN && p->phys == PHYS_LINK_UP;
}

/* A description is up to 64 bytes of anything. */
static void
take_desc(char desc[DESC_MAX + 1], const uint8_t *data)
{
	memcpy(desc, data, DESC_MAX);
	desc[DESC_MAX] = '\0';
	for (char *c = desc; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '_';
}

/* ---- the walk ---------------------------------------------------------------------------- */

struct probe {			/* "who is there?" on its way */
	uint32_t sw;		/* from; MOORE_NONE: ourselves */
	moore_portnum port;
};

struct walk {
	struct seen *s;
	struct probe *probe;
	uint32_t n_probes, cap_probes;
	bool oom;
};

static uint32_t
slot_of(const struct seen *s, uint64_t guid)
{
	uint32_t i = (uint32_t)((guid * 0x9e3779b97f4a7c15ull) >> 40) & (s->n_slots - 1);

	while (s->by_guid[i] != MOORE_NONE && s->sw[s->by_guid[i]].guid != guid)
		i = (i + 1) & (s->n_slots - 1);
	return i;
}

static bool
rehash(struct walk *w)
{
	struct seen *s = w->s;

	if (2 * (s->n_switches + 1) <= s->n_slots)
		return true;
	free(s->by_guid);
	s->n_slots = s->n_slots ? 2 * s->n_slots : 256;
	s->by_guid = malloc(s->n_slots * sizeof(*s->by_guid));
	w->oom |= !s->by_guid;
	if (!s->by_guid)
		return false;
	memset(s->by_guid, 0xff, s->n_slots * sizeof(*s->by_guid));
	for (uint32_t i = 0; i < s->n_switches; i++)
		s->by_guid[slot_of(s, s->sw[i].guid)] = i;
	return true;
}

static void
ask(struct mad_batch *b, uint32_t to, uint16_t attr, uint32_t mod, uint32_t tag)
{
	mad_add(b, (struct mad_ask){ .to = to, .mod = mod, .tag = tag, .attr = attr,
				     .class = MAD_SMP_DIRECT });
}

static void
ask_who(struct walk *w, struct mad_batch *b, uint32_t sw, moore_portnum port)
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
	ask(b, mad_add_to(b, 0, path, hops), IB_ATTR_NODE_INFO, 0, w->n_probes++);
}

/* The two ends say the same, and no one said otherwise before. */
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
	struct seen_switch *n;

	if (!(n = moore_grow(s->sw, i, &s->cap_switches, sizeof(*n)))) {
		w->oom = true;
		return MOORE_NONE;
	}
	s->sw = n;
	if (!rehash(w))
		return MOORE_NONE;
	n += i;
	*n = (struct seen_switch){ .guid = guid, .n_ports = (uint8_t)field(info, IB_NODE_NPORTS_F),
				   .port_guid = mad_get_field64((void *)(uintptr_t)info, 0,
								IB_NODE_PORT_GUID_F) };
	if (!n->n_ports || n->n_ports > MOORE_PORT_MAX)
		return MOORE_NONE;
	if (p->sw != MOORE_NONE) {
		memcpy(n->path, s->sw[p->sw].path, sizeof(n->path));
		n->hops = (uint8_t)(s->sw[p->sw].hops + 1);
	} else {
		n->hops = p->port != 0;
	}
	n->path[n->hops] = p->port;
	n->answers = true;
	n->port = calloc((size_t)n->n_ports + 1, sizeof(*n->port));
	w->oom |= !n->port;
	if (!n->port)
		return MOORE_NONE;
	for (unsigned k = 0; k <= n->n_ports; k++)
		n->port[k].peer = MOORE_NONE;
	s->by_guid[slot_of(s, guid)] = i;
	s->n_switches++;
	ask(b, q->to, IB_ATTR_NODE_DESC, 0, i);
	ask(b, q->to, IB_ATTR_SWITCH_INFO, 0, i);
	for (uint32_t k = 0; k <= n->n_ports; k++)
		ask(b, q->to, IB_ATTR_PORT_INFO, k, i);
	return i;
}

static void
met_switch(struct walk *w, struct mad_batch *b, const struct mad_ask *q, const uint8_t *info)
{
	struct seen *s = w->s;
	struct probe p = w->probe[q->tag];
	uint64_t guid = mad_get_field64((void *)(uintptr_t)info, 0, IB_NODE_GUID_F);
	uint32_t local = field(info, IB_NODE_LOCAL_PORT_F);
	uint32_t i = s->n_slots ? s->by_guid[slot_of(s, guid)] : MOORE_NONE;

	if (i == MOORE_NONE && (i = new_switch(w, b, q, info, guid)) == MOORE_NONE)
		return;
	if (p.sw == MOORE_NONE) {
		/* Beside us: our own port is one of its endpoints, and asked before it. */
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
met_endpoint(struct walk *w, struct mad_batch *b, const struct mad_ask *q, const uint8_t *info,
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
		.guid = mad_get_field64((void *)(uintptr_t)info, 0, IB_NODE_PORT_GUID_F),
		.node_guid = mad_get_field64((void *)(uintptr_t)info, 0, IB_NODE_GUID_F),
		.ca_port = (uint8_t)field(info, IB_NODE_LOCAL_PORT_F),
		.node_ports = (uint8_t)field(info, IB_NODE_NPORTS_F) };
	if (!e->ca_port || e->ca_port > e->node_ports || e->node_ports > MOORE_PORT_MAX)
		return;
	if (p.sw != MOORE_NONE) {
		struct seen_port *at = &s->sw[p.sw].port[p.port];

		at->role = MOORE_ROLE_ENDPOINT;
		at->peer = i;
		at->peer_port = e->ca_port;
	}
	s->n_endpoints++;
	ask(b, q->to, IB_ATTR_NODE_DESC, 0, TAG_ENDPOINT | i);
	ask(b, q->to, IB_ATTR_PORT_INFO, e->ca_port, TAG_ENDPOINT | i);
	if (p.sw == MOORE_NONE) {
		s->self_path1 = e->ca_port;
		ask_who(w, b, MOORE_NONE, e->ca_port);
	}
}

static void
switch_port(struct walk *w, struct mad_batch *b, uint32_t i, uint32_t k, const uint8_t *info)
{
	struct seen_switch *s = &w->s->sw[i];
	struct seen_port *p = &s->port[k];

	p->op_vls = (uint8_t)field(info, IB_PORT_OPER_VLS_F);
	if (!k) {
		s->lid = (moore_lid)field(info, IB_PORT_LID_F);
		s->lmc = (uint8_t)field(info, IB_PORT_LMC_F);
		s->capability = field(info, IB_PORT_CAPMASK_F);
		p->role = MOORE_ROLE_SELF;
		if (!i && !w->s->self_path1)	/* we are a switch */
			w->s->sm_lid = (moore_lid)field(info, IB_PORT_SMLID_F);
		return;
	}
	p->state = (uint8_t)field(info, IB_PORT_STATE_F);
	p->phys = (uint8_t)field(info, IB_PORT_PHYS_STATE_F);
	p->rate = rate_of(info);
	if (is_up(p))
		ask_who(w, b, i, (moore_portnum)k);
}

static void
switch_info(struct seen_switch *s, const uint8_t *info)
{
	s->lft_top = (uint16_t)field(info, IB_SW_LINEAR_FDB_TOP_F);
	s->mft_cap = (uint16_t)field(info, IB_SW_MCAST_FDB_CAP_F);
	s->mft_top = (uint16_t)field(info, IB_SW_MCAST_FDB_TOP_F);
}

static void
endpoint_port(struct seen *s, struct seen_endpoint *e, const uint8_t *info)
{
	e->lid = (moore_lid)field(info, IB_PORT_LID_F);
	e->lmc = (uint8_t)field(info, IB_PORT_LMC_F);
	e->op_vls = (uint8_t)field(info, IB_PORT_OPER_VLS_F);
	e->rate = rate_of(info);
	if (e == s->ep)
		s->sm_lid = (moore_lid)field(info, IB_PORT_SMLID_F);
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
		if (field(data, IB_NODE_TYPE_F) == IB_NODE_SWITCH)
			met_switch(w, b, q, data);
		else
			met_endpoint(w, b, q, data, field(data, IB_NODE_TYPE_F) == IB_NODE_ROUTER);
		break;
	case IB_ATTR_NODE_DESC:
		take_desc(end ? s->ep[i].desc : s->sw[i].desc, data);
		break;
	case IB_ATTR_SWITCH_INFO:
		switch_info(&s->sw[i], data);
		break;
	case IB_ATTR_PORT_INFO:
		if (end)
			endpoint_port(s, &s->ep[i], data);
		else
			switch_port(w, b, i, q->mod, data);
		break;
	}
}

/* ---- in order ------------------------------------------------------------------------------------ */

static int
by_guid(const void *a, const void *b)
{
	const struct seen_switch *x = a, *y = b;

	return (x->guid > y->guid) - (x->guid < y->guid);
}

struct ep_ref {
	struct seen_endpoint e;
	uint32_t was;
};

static int
by_node_guid(const void *a, const void *b)
{
	const struct seen_endpoint *x = &((const struct ep_ref *)a)->e;
	const struct seen_endpoint *y = &((const struct ep_ref *)b)->e;

	if (x->node_guid != y->node_guid)
		return x->node_guid > y->node_guid ? 1 : -1;
	return x->ca_port - y->ca_port;
}

/* The order of discovery leaves no trace: switches by GUID, endpoints by node GUID and
 * port.  What two devices claim to be, the first is. */
static int
put_in_order(struct seen *s)
{
	struct ep_ref *r = malloc(((size_t)s->n_endpoints + 1) * sizeof(*r));
	uint64_t *guid = malloc(((size_t)s->n_switches + 1) * sizeof(*guid));
	uint32_t n = 0;

	if (!r || !guid) {
		free(r);
		free(guid);
		return -1;
	}
	for (uint32_t i = 0; i < s->n_switches; i++)
		guid[i] = s->sw[i].guid;
	qsort(s->sw, s->n_switches, sizeof(*s->sw), by_guid);
	memset(s->by_guid, 0xff, s->n_slots * sizeof(*s->by_guid));
	for (uint32_t i = 0; i < s->n_switches; i++)
		s->by_guid[slot_of(s, s->sw[i].guid)] = i;
	for (uint32_t i = 0; i < s->n_endpoints; i++)
		r[i] = (struct ep_ref){ s->ep[i], i };
	qsort(r, s->n_endpoints, sizeof(*r), by_node_guid);
	for (uint32_t i = 0; i < s->n_switches; i++)
		for (unsigned k = 1; k <= s->sw[i].n_ports; k++) {
			struct seen_port *p = &s->sw[i].port[k];

			if (p->role == MOORE_ROLE_SWITCH)
				p->peer = s->by_guid[slot_of(s, guid[p->peer])];
			else if (p->role == MOORE_ROLE_ENDPOINT)
				p->role = MOORE_ROLE_NONE;	/* until it is found again */
		}
	for (uint32_t i = 0; i < s->n_endpoints; i++) {
		struct seen_endpoint *e = &r[i].e;
		struct seen_port *p;

		if (e->sw == MOORE_NONE || (n && s->ep[n - 1].node_guid == e->node_guid &&
					    s->ep[n - 1].ca_port == e->ca_port))
			continue;
		e->sw = s->by_guid[slot_of(s, guid[e->sw])];
		p = &s->sw[e->sw].port[e->port];
		p->role = MOORE_ROLE_ENDPOINT;
		p->peer = n;
		s->ep[n++] = *e;
	}
	s->n_endpoints = n;
	free(r);
	free(guid);
	return 0;
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
	ask_who(&w, &b, MOORE_NONE, 0);
	end = mad_run(with->mad, &b, with->beat, with->stop);
	mad_batch_fini(&b);
	free(w.probe);
	if (end == MAD_DONE && !w.oom && s->n_switches && put_in_order(s) == 0) {
		struct manager_state m = { 0 };

		if (s->sm_lid)
			ask_manager(s, with, &m);
		memcpy(s->sm, m.text, sizeof(s->sm));
		*out = s;
		return 0;
	}
	if (end == MAD_DONE && !w.oom && !s->n_switches)
		moore_fail(err, MOORE_EUNREACH, 0, "no switch answers at the other end of our port");
	else if (end == MAD_SILENT)
		moore_fail(err, MOORE_EUNREACH, 0, "nobody answers SMPs, not even our own port");
	else
		moore_fail_nomem(err);
	seen_free(s);
	return -err->code;
}

/* ---- changes ---------------------------------------------------------------------------------------- */

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
		return field(data, IB_PORT_LID_F) != sw->lid ||
		       field(data, IB_PORT_SMLID_F) != s->sm_lid;
	now.state = (uint8_t)field(data, IB_PORT_STATE_F);
	now.phys = (uint8_t)field(data, IB_PORT_PHYS_STATE_F);
	return is_up(&now) != is_up(&sw->port[q->mod]) || now.state != sw->port[q->mod].state ||
	       field(data, IB_PORT_OPER_VLS_F) != sw->port[q->mod].op_vls;
}

static void
on_look(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	struct look *l = b->arg;

	l->changed |= differs(l->s, q, data, status);
	b->enough = l->changed;
}

/* Is this end of a link the one to ask?  The nearer to us: it says that the link is cut
 * where the way to the other end is cut with it. */
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
				ask(&b, to, IB_ATTR_PORT_INFO, k, i);
	}
	end = mad_run(w->mad, &b, w->beat, w->stop);
	mad_batch_fini(&b);
	return end;
}

/* From us outwards: who lies behind a cut is not asked, and nobody waits for it. */

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

/* ---- the snapshot -------------------------------------------------------------------------------------- */

static void
put_switch(struct moore_buf *b, const struct seen *s, const struct seen_switch *sw)
{
	moore_buf_fmt(b, "switchguid=0x%llx(%llx)\nSwitch\t%u \"S-%016llx\"\t\t# \"%s\" base port 0\n",
		      (unsigned long long)sw->guid, (unsigned long long)sw->port_guid, sw->n_ports,
		      (unsigned long long)sw->guid, sw->desc);
	for (unsigned k = 1; k <= sw->n_ports; k++) {
		const struct seen_port *p = &sw->port[k];

		if (p->role == MOORE_ROLE_NONE)
			continue;
		moore_buf_fmt(b, "[%u]\t\"%c-%016llx\"[%u]\t# ", k,
			      p->role == MOORE_ROLE_SWITCH ? 'S' : s->ep[p->peer].router ? 'R' : 'H',
			      (unsigned long long)(p->role == MOORE_ROLE_SWITCH ?
						   s->sw[p->peer].guid : s->ep[p->peer].node_guid),
			      p->peer_port);
		moore_rate_put(b, p->rate);
		moore_buf_fmt(b, "\n");
	}
	moore_buf_fmt(b, "\n");
}

static void
put_endpoints(struct moore_buf *b, const struct seen *s)
{
	for (uint32_t i = 0; i < s->n_endpoints; i++) {
		const struct seen_endpoint *e = &s->ep[i];

		if (!i || s->ep[i - 1].node_guid != e->node_guid)
			moore_buf_fmt(b, "\n%s\t%u \"%c-%016llx\"\t\t# \"%s\"\n",
				      e->router ? "Rt" : "Ca", e->node_ports, e->router ? 'R' : 'H',
				      (unsigned long long)e->node_guid, e->desc);
		moore_buf_fmt(b, "[%u](%llx) \t\"S-%016llx\"[%u]\t\t# ", e->ca_port,
			      (unsigned long long)e->guid, (unsigned long long)s->sw[e->sw].guid,
			      e->port);
		moore_rate_put(b, s->sw[e->sw].port[e->port].rate);
		moore_buf_fmt(b, "\n");
	}
}

static int
make_plan(const struct seen *s, struct moore_plan **out, struct moore_err *err)
{
	const struct moore_plan_format *form = moore_plan_format_find("ibnetdiscover");
	struct moore_buf b = MOORE_BUF_INIT;
	int rc;

	for (uint32_t i = 0; i < s->n_switches; i++)
		put_switch(&b, s, &s->sw[i]);
	put_endpoints(&b, s);
	rc = b.oom ? moore_fail_nomem(err) : form->parse(out, b.data, b.len, err);
	moore_buf_free(&b);
	return rc;
}

static uint8_t
lanes_of(uint8_t a, uint8_t b)
{
	static const uint8_t lanes[] = { 1, 1, 2, 4, 8, 15 };
	uint8_t code = a < b ? a : b;

	return lanes[code < ARRAY_LEN(lanes) ? code : ARRAY_LEN(lanes) - 1];
}

static int
fill_names(const struct seen *s, const struct moore_plan *p, struct moore_fabric *f)
{
	for (uint32_t i = 0; i < s->n_switches; i++) {
		const struct seen_switch *w = &s->sw[i];

		f->sw[i] = (struct moore_switch){ .guid = w->guid, .port_guid = w->port_guid,
			.name = moore_strndup(p->sw[i].name, strlen(p->sw[i].name)), .lid = w->lid,
			.lmc = w->lmc, .n_ports = w->n_ports,
			.maps_sl = w->capability & CAP_SL_MAP };
		if (!f->sw[i].name)
			return -1;
	}
	for (uint32_t i = 0; i < s->n_endpoints; i++) {
		const struct seen_endpoint *e = &s->ep[i];

		f->ep[i] = (struct moore_endpoint){ .guid = e->guid, .node_guid = e->node_guid,
			.name = moore_strndup(p->ep[i].name, strlen(p->ep[i].name)),
			.ca_port = e->ca_port, .router = e->router, .sw = MOORE_NONE, .lid = e->lid,
			.lmc = e->lmc };
		if (!f->ep[i].name)
			return -1;
	}
	return 0;
}

static int
make_fabric(const struct seen *s, const struct moore_plan *p, struct moore_fabric **out,
	    struct moore_err *err)
{
	struct moore_fabric *f;
	uint32_t n_ports = 0;
	int rc;

	for (uint32_t i = 0; i < s->n_switches; i++)
		n_ports += s->sw[i].n_ports + 1u;
	if ((rc = moore_fabric_new(&f, s->n_switches, s->n_endpoints, n_ports, err)) < 0)
		return rc;
	if (fill_names(s, p, f) < 0) {
		moore_fabric_free(f);
		return moore_fail_nomem(err);
	}
	moore_fabric_layout(f);
	for (uint32_t i = 0; i < s->n_switches; i++)
		for (unsigned k = 1; k <= s->sw[i].n_ports; k++) {
			const struct seen_port *x = &s->sw[i].port[k];

			if (x->role == MOORE_ROLE_ENDPOINT)
				moore_fabric_attach(f, x->peer, i, (moore_portnum)k,
						    lanes_of(x->op_vls, s->ep[x->peer].op_vls));
			else if (x->role == MOORE_ROLE_SWITCH && x->peer > i)
				moore_fabric_link(f, i, (moore_portnum)k, x->peer, x->peer_port,
						  lanes_of(x->op_vls,
							   s->sw[x->peer].port[x->peer_port].op_vls));
		}
	if ((rc = moore_fabric_seal(f, err)) < 0)
		moore_fabric_free(f);
	else
		*out = f;
	return rc;
}

int
seen_snapshot(const struct seen *s, struct snapshot **out, struct moore_err *err)
{
	struct snapshot *n = calloc(1, sizeof(*n));
	struct moore_err why;
	int rc;

	*out = NULL;
	if (!n)
		return moore_fail_nomem(err);
	atomic_init(&n->refs, 1);
	memcpy(n->sm, s->sm, sizeof(n->sm));
	n->sa = s->sa;
	if ((rc = make_plan(s, &n->seen, err)) < 0) {
		snapshot_put(n);
		return rc;
	}
	/* LIDs that are not set, or not yet apart, are a state: the tables wait for them. */
	if (s->sm_lid)
		make_fabric(s, n->seen, &n->fabric, &why);
	*out = n;
	return 0;
}

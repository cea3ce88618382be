// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* observed.c - the snapshot of what was seen: its plan (names, cables, rates) and its fabric
 * (LIDs, lanes).  Names follow the rules of every other reader of a discovery. */
#include <stdlib.h>
#include <string.h>

#include "moore/seen.h"
#include "scan/seen.h"

enum { CAP_SL_MAP = 1 << 6 };

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

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* observed.c - the snapshot of what was seen: its plan (names, cables, rates) and its fabric
 * (LIDs, lanes).  Names follow the rules of every other reader of a discovery. */
#include <stdlib.h>
#include <string.h>

#include "moore/seen.h"
#include "scan/attr.h"

/* ---- the plan ----------------------------------------------------------------------- */

struct walked {
	struct moore_walked_node *node;
	struct moore_walked_link *link;
	uint32_t n_nodes, n_links;
};

static void
walk_switches(const struct seen *s, struct walked *w)
{
	for (uint32_t i = 0; i < s->n_switches; i++) {
		const struct seen_switch *sw = &s->sw[i];

		w->node[w->n_nodes++] = (struct moore_walked_node){ sw->guid, sw->desc, 'S', sw->n_ports };
		for (unsigned k = 1; k <= sw->n_ports; k++) {
			const struct seen_port *p = &sw->port[k];

			if (p->role == MOORE_ROLE_SWITCH && p->peer > i)
				w->link[w->n_links++] = (struct moore_walked_link){ { i, p->peer },
					{ (moore_portnum)k, p->peer_port }, 0,
					{ p->rate, s->sw[p->peer].port[p->peer_port].rate } };
		}
	}
}

/* Ports of one CA are neighbours, and one node. */
static void
walk_endpoints(const struct seen *s, struct walked *w)
{
	for (uint32_t i = 0; i < s->n_endpoints; i++) {
		const struct seen_endpoint *e = &s->ep[i];
		struct moore_rate rate = s->sw[e->sw].port[e->port].rate;

		if (!i || s->ep[i - 1].node_guid != e->node_guid)
			w->node[w->n_nodes++] = (struct moore_walked_node){ e->node_guid, e->desc,
				e->router ? 'R' : 'H', e->node_ports };
		w->link[w->n_links++] = (struct moore_walked_link){ { e->sw, w->n_nodes - 1 },
			{ e->port, e->ca_port }, e->guid, { rate, rate } };
	}
}

static int
make_plan(const struct seen *s, struct moore_plan **out, struct moore_err *err)
{
	size_t links = s->n_endpoints, nodes = (size_t)s->n_switches + s->n_endpoints;
	struct walked w = { 0 };
	int rc;

	for (uint32_t i = 0; i < s->n_switches; i++)
		links += s->sw[i].n_ports;
	w.node = malloc((nodes + 1) * sizeof(*w.node));
	w.link = malloc((links + 1) * sizeof(*w.link));
	if (w.node && w.link) {
		walk_switches(s, &w);
		walk_endpoints(s, &w);
		rc = moore_plan_from_walk(out, w.node, w.n_nodes, w.link, w.n_links, err);
	} else {
		rc = moore_fail_nomem(err);
	}
	free(w.node);
	free(w.link);
	return rc;
}

/* ---- the fabric --------------------------------------------------------------------- */

static uint8_t
lanes_of(uint8_t a, uint8_t b)
{
	return moore_lanes_of_code(a < b ? a : b);
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

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fabric.c - makes, cables, checks and copies a fabric in memory.
 *
 * All ports lie in one array, switch after switch, each with port 0 first, so that an
 * algorithm visits them without a pointer for each switch.  An endpoint that is not plugged
 * in has sw == MOORE_NONE.
 *
 * Elsewhere: names and LIDs (find.c), from a plan (from_plan.c), from OpenSM's dumps
 * (dump_*.c). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "moore/fabric.h"

int
moore_fabric_new(struct moore_fabric **out, uint32_t n_switches, uint32_t n_endpoints,
		 uint32_t n_ports_total, struct moore_err *err)
{
	struct moore_fabric *f = calloc(1, sizeof(*f));

	*out = NULL;
	if (!f)
		return moore_fail_nomem(err);
	f->sw = calloc((size_t)n_switches + 1, sizeof(*f->sw));
	f->ep = calloc((size_t)n_endpoints + 1, sizeof(*f->ep));
	f->port = calloc((size_t)n_ports_total + 1, sizeof(*f->port));
	if (!f->sw || !f->ep || !f->port) {
		moore_fabric_free(f);
		return moore_fail_nomem(err);
	}
	f->n_switches = n_switches;
	f->n_endpoints = n_endpoints;
	f->n_ports = n_ports_total;
	f->lid_max = MOORE_LID_MAX;
	for (uint32_t i = 0; i < n_ports_total; i++)
		f->port[i].peer = MOORE_NONE;
	for (uint32_t e = 0; e < n_endpoints; e++)
		f->ep[e].sw = MOORE_NONE;
	*out = f;
	return 0;
}

void
moore_fabric_free(struct moore_fabric *f)
{
	if (!f)
		return;
	for (uint32_t s = 0; s < f->n_switches; s++)
		free(f->sw[s].name);
	for (uint32_t e = 0; e < f->n_endpoints; e++)
		free(f->ep[e].name);
	free(f->sw);
	free(f->ep);
	free(f->port);
	free(f);
}

void
moore_fabric_layout(struct moore_fabric *f)
{
	uint32_t at = 0;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		f->sw[s].port0 = at;
		f->port[at].role = MOORE_ROLE_SELF;
		f->port[at].peer = s;
		at += 1u + f->sw[s].n_ports;
	}
}

static struct moore_port *
port_of(struct moore_fabric *f, moore_swid s, moore_portnum p)
{
	return &f->port[f->sw[s].port0 + p];
}

void
moore_fabric_link(struct moore_fabric *f, moore_swid a, moore_portnum pa,
		  moore_swid b, moore_portnum pb, uint8_t lanes)
{
	*port_of(f, a, pa) = (struct moore_port){ b, pb, MOORE_ROLE_SWITCH, lanes };
	*port_of(f, b, pb) = (struct moore_port){ a, pa, MOORE_ROLE_SWITCH, lanes };
}

void
moore_fabric_attach(struct moore_fabric *f, moore_epid e, moore_swid s, moore_portnum p,
		    uint8_t lanes)
{
	*port_of(f, s, p) = (struct moore_port){ e, 0, MOORE_ROLE_ENDPOINT, lanes };
	f->ep[e].sw = s;
	f->ep[e].port = p;
}

void
moore_fabric_cut(struct moore_fabric *f, moore_swid s, moore_portnum p)
{
	static const struct moore_port empty = { .peer = MOORE_NONE };
	struct moore_port *port = port_of(f, s, p);

	if (port->role == MOORE_ROLE_SWITCH) {
		*port_of(f, port->peer, port->peer_port) = empty;
	} else if (port->role == MOORE_ROLE_ENDPOINT) {
		f->ep[port->peer].sw = MOORE_NONE;
		f->ep[port->peer].port = 0;
	}
	if (port->role != MOORE_ROLE_SELF)
		*port = empty;
}

/* ---- the invariants ------------------------------------------------------ */

static int
seal_port(const struct moore_fabric *f, moore_swid s, moore_portnum n, struct moore_err *err)
{
	const struct moore_port *p = moore_fabric_port(f, s, n), *q;
	const char *name = f->sw[s].name;

	if (p->role == MOORE_ROLE_SELF ? n != 0 : n == 0)
		return moore_fail(err, MOORE_EPLAN, 0, "switch %s port %u: port 0, and no other, "
				  "is the switch's own", name, n);
	if (p->role != MOORE_ROLE_SWITCH && p->role != MOORE_ROLE_ENDPOINT)
		return 0;
	if (!p->lanes || p->lanes > 15)
		return moore_fail(err, MOORE_EPLAN, 0, "switch %s port %u: %u lanes, not 1 to 15",
				  name, n, p->lanes);
	if (p->role == MOORE_ROLE_ENDPOINT) {
		if (p->peer < f->n_endpoints && f->ep[p->peer].sw == s && f->ep[p->peer].port == n)
			return 0;
		return moore_fail(err, MOORE_EPLAN, 0, "switch %s port %u: its endpoint is "
				  "plugged in elsewhere", name, n);
	}
	if (p->peer < f->n_switches && p->peer_port && p->peer_port <= f->sw[p->peer].n_ports) {
		q = moore_fabric_port(f, p->peer, p->peer_port);
		if (q->role == MOORE_ROLE_SWITCH && q->peer == s && q->peer_port == n)
			return 0;
	}
	return moore_fail(err, MOORE_EPLAN, 0, "switch %s port %u: the far end of its link "
			  "does not lead back", name, n);
}

static int
seal_switches(const struct moore_fabric *f, struct moore_err *err)
{
	uint32_t at = 0;
	int rc;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		if (f->sw[s].port0 != at || f->n_ports - at < 1u + f->sw[s].n_ports)
			return moore_fail(err, MOORE_EPLAN, 0, "switch %s: its ports are not laid "
					  "out; the fabric has room for %u", f->sw[s].name, f->n_ports);
		at += 1u + f->sw[s].n_ports;
	}
	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 0; p <= f->sw[s].n_ports; p++)
			if ((rc = seal_port(f, s, (moore_portnum)p, err)) < 0)
				return rc;
	return 0;
}

static int
seal_endpoints(const struct moore_fabric *f, struct moore_err *err)
{
	for (uint32_t e = 0; e < f->n_endpoints; e++) {
		const struct moore_endpoint *ep = &f->ep[e];
		const struct moore_port *p;

		if (ep->sw == MOORE_NONE)
			continue;
		if (ep->sw < f->n_switches && ep->port && ep->port <= f->sw[ep->sw].n_ports) {
			p = moore_fabric_port(f, ep->sw, ep->port);
			if (p->role == MOORE_ROLE_ENDPOINT && p->peer == e)
				continue;
		}
		return moore_fail(err, MOORE_EPLAN, 0, "endpoint %s: the port it is plugged into "
				  "holds something else", ep->name);
	}
	return 0;
}

/* Marks lid..lid+2^lmc-1 in the bit set used as the owner's. */
static int
seal_lids(struct moore_fabric *f, uint64_t *used, const char *kind, const char *name,
	  moore_lid lid, uint8_t lmc, struct moore_err *err)
{
	unsigned n = 1u << (lmc & 7);

	if (!lid)
		return 0;
	if (lmc > 7 || lid % n || lid + n - 1 > f->lid_max)
		return moore_fail(err, MOORE_ELID, 0, "%s %s: base LID %u with LMC %u is not a "
				  "multiple of %u below 0x%x", kind, name, lid, lmc, n,
				  f->lid_max + 1);
	for (unsigned i = lid; i < lid + n; i++) {
		if (moore_bits_get(used, i))
			return moore_fail(err, MOORE_ELID, 0, "%s %s: LID %u belongs to another "
					  "port already", kind, name, i);
		moore_bits_set(used, i);
	}
	if (lid + n - 1 > f->lid_top)
		f->lid_top = (moore_lid)(lid + n - 1);
	return 0;
}

int
moore_fabric_seal(struct moore_fabric *f, struct moore_err *err)
{
	uint64_t *used;
	int rc;

	if ((rc = seal_switches(f, err)) < 0 || (rc = seal_endpoints(f, err)) < 0)
		return rc;
	if (!(used = calloc((size_t)f->lid_max / 64 + 1, sizeof(*used))))
		return moore_fail_nomem(err);
	f->lid_top = 0;
	for (uint32_t s = 0; s < f->n_switches && rc == 0; s++)
		rc = seal_lids(f, used, "switch", f->sw[s].name, f->sw[s].lid, f->sw[s].lmc, err);
	for (uint32_t e = 0; e < f->n_endpoints && rc == 0; e++)
		rc = seal_lids(f, used, "endpoint", f->ep[e].name, f->ep[e].lid, f->ep[e].lmc, err);
	free(used);
	return rc;
}

static bool
copy_name(char **to, const char *name)
{
	return !name || (*to = moore_strndup(name, strlen(name)));
}

int
moore_fabric_copy(struct moore_fabric **out, const struct moore_fabric *f, struct moore_err *err)
{
	struct moore_fabric *g;
	int rc = moore_fabric_new(&g, f->n_switches, f->n_endpoints, f->n_ports, err);
	bool ok = true;

	*out = NULL;
	if (rc < 0)
		return rc;
	g->lid_top = f->lid_top;
	g->lid_max = f->lid_max;
	memcpy(g->port, f->port, f->n_ports * sizeof(*f->port));
	for (uint32_t s = 0; s < f->n_switches; s++) {
		g->sw[s] = f->sw[s];
		g->sw[s].name = NULL;
		ok = copy_name(&g->sw[s].name, f->sw[s].name) && ok;
	}
	for (uint32_t e = 0; e < f->n_endpoints; e++) {
		g->ep[e] = f->ep[e];
		g->ep[e].name = NULL;
		ok = copy_name(&g->ep[e].name, f->ep[e].name) && ok;
	}
	if (!ok) {
		moore_fabric_free(g);
		return moore_fail_nomem(err);
	}
	*out = g;
	return 0;
}

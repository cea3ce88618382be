// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* racks.c - between the network that routes IP and the fabric that the router and the checker
 * know: prefixes are LIDs, a route is a row of a forwarding table. */
#include <stdlib.h>
#include <string.h>

#include "ether_impl.h"

/* The plan with the first host of each switch alone; it borrows all but the list of hosts. */
static int
thin(struct moore_plan *out, const struct moore_plan *p, struct moore_err *err)
{
	uint8_t *has = calloc((size_t)p->n_switches + 1, 1);

	*out = *p;
	out->n_endpoints = 0;
	out->ep = malloc((p->n_endpoints + 1) * sizeof(*out->ep));
	for (moore_epid e = 0; has && out->ep && e < p->n_endpoints; e++)
		if (!has[p->ep[e].sw]++)
			out->ep[out->n_endpoints++] = p->ep[e];
	if (!has || !out->ep) {
		free(has);
		free(out->ep);
		return moore_fail_nomem(err);
	}
	free(has);
	return 0;
}

int
moore_ether_racks(struct moore_fabric **out, const struct moore_ether *x, struct moore_err *err)
{
	struct moore_plan racks;
	uint8_t lmc = 0;
	int rc;

	*out = NULL;
	while (1u << lmc < x->opts.n_layers)
		lmc++;
	if ((rc = thin(&racks, x->plan, err)) < 0)
		return rc;
	rc = moore_fabric_from_plan(out, &racks, lmc, err);
	free(racks.ep);
	return rc;
}

/* The endpoint of a switch, or MOORE_NONE. */
static moore_epid
rack_of(const struct moore_fabric *racks, moore_swid s)
{
	for (unsigned p = 1; p <= racks->sw[s].n_ports; p++) {
		const struct moore_port *port = moore_fabric_port(racks, s, (moore_portnum)p);

		if (port->role == MOORE_ROLE_ENDPOINT)
			return port->peer;
	}
	return MOORE_NONE;
}

moore_lid
moore_ether_lid(const struct moore_fabric *racks, moore_swid s, uint32_t layer)
{
	moore_epid e = rack_of(racks, s);

	return e == MOORE_NONE ? racks->sw[s].lid : (moore_lid)(racks->ep[e].lid + layer);
}

/* ---- from tables to the routes of a switch ----------------------------------------------- */

/* The address by which a neighbour is the next hop: on a numbered link its end there. */
static void
set_next_hop(const struct moore_ether *x, struct moore_ether_route *r, unsigned ip,
	     const struct moore_ether_peer *peer)
{
	struct moore_addr on_link = x->link[ip][peer->end ^ 1];

	if (on_link.is_set)
		r->via = on_link;
	else if (ip == MOORE_IP6 || x->opts.next_hop_inet6)
		r->via = moore_ether_local(peer->sw, peer->port);
	else
		r->via = x->self[ip][(size_t)peer->sw * x->opts.n_layers];
	r->onlink = !on_link.is_set && ip == MOORE_IP4 && !x->opts.next_hop_inet6;
}

static int
add_prefix(struct moore_ether_config *out, const struct moore_ether *x, moore_swid s, moore_swid d,
	   uint32_t layer, moore_portnum port, struct moore_err *err)
{
	const struct moore_ether_peer *peer = moore_ether_peer(x, s, port);
	int rc = 0;

	for (unsigned ip = 0; ip < MOORE_N_IP && rc == 0; ip++) {
		struct moore_ether_route r = { .port = port,
			.to = x->prefix[ip][(size_t)d * x->opts.n_layers + layer] };

		if (!r.to.is_set)
			continue;
		set_next_hop(x, &r, ip, peer);
		rc = moore_ether_config_add(out, &r, err);
	}
	return rc;
}

/* The hosts of a switch whose port is not known to be down. */
static int
add_hosts(struct moore_ether_config *out, const struct moore_ether *x, moore_swid s,
	  struct moore_err *err)
{
	int rc = 0;

	for (unsigned p = 1; p <= x->plan->sw[s].ports; p++) {
		moore_epid e = moore_ether_peer(x, s, (moore_portnum)p)->ep;

		for (unsigned ip = 0; e != MOORE_NONE && ip < MOORE_N_IP; ip++)
			for (uint32_t l = 0; l < x->opts.n_layers && rc == 0; l++) {
				struct moore_ether_route r = { .port = (moore_portnum)p,
					.to = x->host[ip][(size_t)e * x->opts.n_layers + l] };

				if (r.to.is_set)
					rc = moore_ether_config_add(out, &r, err);
			}
	}
	return rc;
}

int
moore_ether_config(struct moore_ether_config *out, const struct moore_ether *x,
		   const struct moore_fabric *racks, const struct moore_lft *lft, moore_swid s,
		   struct moore_err *err)
{
	const uint8_t *row = moore_lft_row(lft, s);
	int rc;

	*out = (struct moore_ether_config){ 0 };
	if ((rc = moore_ether_set_classes(out, x, s, err)) == 0)
		rc = add_hosts(out, x, s, err);
	for (moore_swid d = 0; d < racks->n_switches && rc == 0; d++) {
		uint32_t n = rack_of(racks, d) == MOORE_NONE ? 1 : x->opts.n_layers;

		for (uint32_t l = 0; l < n && d != s && rc == 0; l++) {
			uint8_t port = row[moore_ether_lid(racks, d, l)];

			if (port != MOORE_NO_PATH &&
			    moore_fabric_port(racks, s, port)->role == MOORE_ROLE_SWITCH)
				rc = add_prefix(out, x, s, d, l, port, err);
		}
	}
	if (rc < 0)
		moore_ether_config_fini(out);
	else
		moore_ether_config_sort(out);
	return rc;
}

/* ---- from the routes of a switch to tables ------------------------------------------------- */

static void
add_fault(struct moore_ether_faults *f, enum moore_ether_fault_kind kind, moore_swid s,
	  const struct moore_addr *to, unsigned line)
{
	moore_ether_add_fault(f, &(struct moore_ether_fault){ .kind = (uint8_t)kind, .sw = s,
			      .to = *to, .line = line });
}

/* The number of routes that sort before the address with that length. */
static uint32_t
first_at(const struct moore_ether_config *c, const struct moore_addr *a, unsigned len)
{
	uint32_t low = 0, high = c->n_routes;
	struct moore_addr key = *a;

	key.len = (uint8_t)len;
	for (unsigned i = len; i < 128; i++)
		key.byte[i / 8] = (uint8_t)(key.byte[i / 8] & ~(0x80u >> i % 8));
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (moore_ether_addr_order(&c->route[mid].to, &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The route with the longest prefix that holds all of `to`; NULL when there is none. */
static const struct moore_ether_route *
match(const struct moore_ether_config *c, const struct moore_addr *to)
{
	for (unsigned len = to->len + 1u; len-- > 0;) {
		uint32_t i = first_at(c, to, len);
		const struct moore_addr *at = i < c->n_routes ? &c->route[i].to : NULL;

		if (at && at->len == len && moore_addr_within(to, at))
			return &c->route[i];
	}
	return NULL;
}

/* Says whether the next hop is an address that the switch at the other end has. */
static bool
is_its_address(const struct moore_ether *x, const struct moore_ether_peer *peer,
	       const struct moore_ether_route *r)
{
	struct moore_addr local = moore_ether_local(peer->sw, peer->port);

	if (moore_addr_equal(&r->via, &local))
		return true;
	for (unsigned ip = 0; ip < MOORE_N_IP; ip++) {
		if (moore_addr_equal(&r->via, &x->link[ip][peer->end ^ 1]))
			return true;
		for (uint32_t l = 0; l < x->opts.n_layers && r->onlink; l++)
			if (moore_addr_equal(&r->via, &x->self[ip][(size_t)peer->sw * x->opts.n_layers + l]))
				return true;
	}
	return false;
}

/* The port to which the routes send a prefix, and what is wrong with it. */
static uint8_t
port_to(struct moore_ether_faults *faults, const struct moore_ether *x, moore_swid s,
	const struct moore_ether_config *c, const struct moore_addr *to)
{
	const struct moore_ether_route *r = match(c, to);
	const struct moore_ether_peer *peer;

	if (!r)
		return MOORE_NO_PATH;
	peer = r->port <= x->plan->sw[s].ports ? moore_ether_peer(x, s, r->port) : NULL;
	if (!peer || peer->sw == MOORE_NONE) {
		add_fault(faults, MOORE_ETHER_NO_LINK, s, to, r->line);
		return MOORE_NO_PATH;
	}
	if (!is_its_address(x, peer, r))
		add_fault(faults, MOORE_ETHER_WRONG_HOP, s, to, r->line);
	/* Routes to parts of the prefix, which sort after it. */
	for (const struct moore_ether_route *q = &c->route[first_at(c, to, to->len)];
	     q < c->route + c->n_routes && moore_addr_within(&q->to, to); q++)
		if (q->port != r->port) {
			add_fault(faults, MOORE_ETHER_SPLIT, s, to, q->line);
			break;
		}
	return r->port;
}

static void
check_hosts(struct moore_ether_faults *faults, const struct moore_ether *x, moore_swid s,
	    const struct moore_ether_config *c, enum moore_ip ip)
{
	for (unsigned p = 1; p <= x->plan->sw[s].ports; p++) {
		moore_epid e = moore_ether_peer(x, s, (moore_portnum)p)->ep;

		for (uint32_t l = 0; e != MOORE_NONE && l < x->opts.n_layers; l++) {
			const struct moore_addr *to = &x->host[ip][(size_t)e * x->opts.n_layers + l];
			const struct moore_ether_route *r = to->is_set ? match(c, to) : NULL;

			if (to->is_set && (!r || r->port != p || r->via.is_set))
				add_fault(faults, MOORE_ETHER_NO_HOST, s, to, r ? r->line : 0);
		}
	}
}

/* The rows of destination switch d, those of its port 0 and of LIDs without a layer too. */
static void
take_switch(struct moore_lft *lft, struct moore_ether_faults *faults, const struct moore_ether *x,
	    const struct moore_fabric *racks, moore_swid s, moore_swid d,
	    const struct moore_ether_config *c, enum moore_ip ip)
{
	uint8_t *row = moore_lft_row(lft, s);
	moore_epid e = rack_of(racks, d);
	const struct moore_addr *prefix = &x->prefix[ip][(size_t)d * x->opts.n_layers];
	uint8_t base = s == d ? 0 : port_to(faults, x, s, c, prefix);

	row[racks->sw[d].lid] = base;
	for (uint32_t l = 0; e != MOORE_NONE && l < 1u << racks->ep[e].lmc; l++)
		row[racks->ep[e].lid + l] = s == d ? racks->ep[e].port :
			!l || l >= x->opts.n_layers ? base : port_to(faults, x, s, c, prefix + l);
}

int
moore_ether_take_config(struct moore_lft *lft, struct moore_ether_faults *faults,
			const struct moore_ether *x, const struct moore_fabric *racks, moore_swid s,
			const struct moore_ether_config *c, enum moore_ip ip, struct moore_err *err)
{
	if (!x->opts.range[ip].is_set)
		return moore_fail(err, MOORE_EINVAL, 0, "the network has no such addresses");
	for (moore_swid d = 0; d < racks->n_switches; d++)
		take_switch(lft, faults, x, racks, s, d, c, ip);
	check_hosts(faults, x, s, c, ip);
	return 0;
}

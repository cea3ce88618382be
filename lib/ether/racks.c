// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* racks.c - between the network that routes IP and the fabric that the router and the checker
 * know: prefixes are LIDs, a route is a row of a forwarding table. */
#include <stdlib.h>
#include <string.h>

#include "ether_impl.h"

#define SWITCHES_MAX 65534	/* whose tables are judged as a whole */
#define LIDS_MAX (1u << 26)	/* more than any table that memory holds */

/* The plan with one endpoint at each switch that has hosts, or at each switch; it borrows all but
 * the lists of endpoints and switches. */
static int
thin(struct moore_plan *out, const struct moore_plan *p, bool all, struct moore_err *err)
{
	uint8_t *has = calloc((size_t)p->n_switches + 1, 1);

	*out = *p;
	out->n_endpoints = 0;
	out->ep = malloc(((size_t)p->n_endpoints + p->n_switches + 1) * sizeof(*out->ep));
	out->sw = malloc(((size_t)p->n_switches + 1) * sizeof(*out->sw));
	if (!has || !out->ep || !out->sw) {
		free(has);
		free(out->ep);
		free(out->sw);
		return moore_fail_nomem(err);
	}
	memcpy(out->sw, p->sw, p->n_switches * sizeof(*out->sw));
	for (moore_epid e = 0; e < p->n_endpoints; e++)
		if (!has[p->ep[e].sw]++)
			out->ep[out->n_endpoints++] = p->ep[e];
	for (moore_swid s = 0; all && s < p->n_switches; s++)
		if (!has[s] && p->sw[s].ports < MOORE_PORT_MAX) {
			out->sw[s].ports++;
			out->ep[out->n_endpoints++] = (struct moore_plan_endpoint){ .sw = s, .ca_port = 1,
				.name = p->sw[s].name, .port = out->sw[s].ports };
		}
	free(has);
	return 0;
}

static uint32_t
n_families(const struct moore_ether *x)
{
	return (uint32_t)x->opts.range[MOORE_IP4].is_set + x->opts.range[MOORE_IP6].is_set;
}

/* Layers in which a switch has a prefix. */
static uint32_t
layers_of(const struct moore_ether *x, moore_swid s)
{
	unsigned ip = x->opts.range[MOORE_IP4].is_set ? MOORE_IP4 : MOORE_IP6;
	const struct moore_addr *prefix = &x->prefix[ip][(size_t)s * x->opts.n_layers];

	return x->opts.n_layers > 1 && prefix[1].is_set ? x->opts.n_layers : 1;
}

static uint8_t
lmc_of(uint32_t n_prefixes)
{
	uint8_t lmc = 0;

	while (1u << lmc < n_prefixes)
		lmc++;
	return lmc;
}

bool
moore_ether_in_parts(const struct moore_ether *x)
{
	return x->plan->n_switches > MOORE_ETHER_WHOLE_MAX;
}

/* A switch with an endpoint needs no LID of its own: the endpoint stands for it, and a verdict
 * would count its prefix twice. */
static void
drop_switch_lids(struct moore_fabric *racks)
{
	for (moore_epid e = 0; e < racks->n_endpoints; e++)
		racks->sw[racks->ep[e].sw].lid = 0;
}

/* Takes away the LIDs that stand for no prefix, as far as a number of LIDs is a power of two; so a
 * verdict counts each prefix once. */
static void
keep_prefixes(struct moore_fabric *racks, const struct moore_ether *x)
{
	for (moore_swid s = 0; s < racks->n_switches; s++)
		racks->sw[s].lid = 0;
	for (moore_epid e = 0; e < racks->n_endpoints; e++)
		racks->ep[e].lmc = lmc_of(layers_of(x, racks->ep[e].sw) * n_families(x));
}

int
moore_ether_racks(struct moore_fabric **out, const struct moore_ether *x, enum moore_racks kind,
		  struct moore_err *err)
{
	uint32_t n = x->opts.n_layers * (kind == MOORE_RACKS_JUDGED ? n_families(x) : 1);
	struct moore_plan racks;
	int rc;

	*out = NULL;
	if (kind == MOORE_RACKS_JUDGED && x->plan->n_switches > SWITCHES_MAX)
		return moore_fail(err, MOORE_ELID, 0, "%u switches: files are judged for at most %d; moorectl "
				  "ethernet emit judges the tables of more while it makes them",
				  x->plan->n_switches, SWITCHES_MAX);
	if ((rc = thin(&racks, x->plan, kind == MOORE_RACKS_JUDGED, err)) < 0)
		return rc;
	rc = moore_fabric_from_plan_to(out, &racks, lmc_of(n), LIDS_MAX, err);
	free(racks.ep);
	free(racks.sw);
	if (rc == 0 && kind == MOORE_RACKS_JUDGED)
		keep_prefixes(*out, x);
	else if (rc == 0)
		drop_switch_lids(*out);
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

/* What LID number i of a rack stands for: the layers of IPv4, then those of IPv6. */
static bool
target_at(const struct moore_ether *x, moore_swid d, uint32_t i, struct moore_ether_target *out)
{
	uint32_t layers = layers_of(x, d);

	*out = (struct moore_ether_target){ d, i % layers,
		!x->opts.range[MOORE_IP4].is_set || i >= layers ? MOORE_IP6 : MOORE_IP4 };
	return i < layers * n_families(x) &&
		x->prefix[out->ip][(size_t)d * x->opts.n_layers + out->layer].is_set;
}

bool
moore_ether_target(const struct moore_ether *x, const struct moore_fabric *racks, moore_lid lid,
		   struct moore_ether_target *out)
{
	moore_epid e = 0, high = racks->n_endpoints;

	/* Endpoints have their LIDs in the order of the list (moore_fabric_from_plan()). */
	while (high - e > 1) {
		moore_epid mid = e + (high - e) / 2;

		if (racks->ep[mid].lid <= lid)
			e = mid;
		else
			high = mid;
	}
	if (!racks->n_endpoints || lid < racks->ep[e].lid)
		return false;
	return target_at(x, racks->ep[e].sw, (uint32_t)lid - racks->ep[e].lid, out);
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

struct moore_ether_route
moore_ether_route_over(const struct moore_ether *x, moore_swid s, const struct moore_ether_target *to,
		       moore_portnum port)
{
	struct moore_ether_route r = { .port = port,
		.to = x->prefix[to->ip][(size_t)to->sw * x->opts.n_layers + to->layer] };

	set_next_hop(x, &r, to->ip, moore_ether_peer(x, s, port));
	return r;
}

static int
add_prefix(struct moore_ether_config *out, const struct moore_ether *x, moore_swid s, moore_swid d,
	   uint32_t layer, moore_portnum port, struct moore_err *err)
{
	int rc = 0;

	for (unsigned ip = 0; ip < MOORE_N_IP && rc == 0; ip++) {
		const struct moore_ether_target to = { d, layer, (enum moore_ip)ip };
		struct moore_ether_route r = moore_ether_route_over(x, s, &to, port);

		if (r.to.is_set)
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

/* The LIDs that stand for the prefixes of a switch in the routed racks, one for each layer. */
struct lids {
	moore_lid first;
	uint32_t n;
};

static struct lids
lids_of(const struct moore_ether *x, const struct moore_fabric *racks, moore_swid s)
{
	moore_epid e = rack_of(racks, s);

	if (e == MOORE_NONE)
		return (struct lids){ racks->sw[s].lid, 1 };
	return (struct lids){ racks->ep[e].lid, x->opts.n_layers };
}

int
moore_ether_count_routes(uint64_t *out, const struct moore_ether *x, const struct moore_fabric *racks,
			 const struct moore_lft *part, moore_lid first, struct moore_err *err)
{
	moore_swid *at = malloc(part->stride * sizeof(*at));	/* by column: whose prefix it is */
	uint64_t n = 0;

	if (!at)
		return moore_fail_nomem(err);
	memset(at, 0xff, part->stride * sizeof(*at));
	for (moore_swid d = 0; d < racks->n_switches; d++) {
		const struct lids of = lids_of(x, racks, d);

		for (uint32_t l = 0; l < of.n; l++)
			if (of.first + l >= first && of.first + l - first < part->stride)
				at[of.first + l - first] = d;
	}
	for (moore_swid s = 0; s < racks->n_switches; s++) {
		const uint8_t *row = moore_lft_row(part, s);

		for (size_t i = 0; i < part->stride; i++)
			n += (at[i] != MOORE_NONE) & (at[i] != s) & (row[i] != MOORE_NO_PATH);
	}
	free(at);
	*out = n * n_families(x);
	return 0;
}

int
moore_ether_config(struct moore_ether_config *out, const struct moore_ether *x,
		   const struct moore_fabric *racks, const uint8_t *row, moore_swid s,
		   struct moore_err *err)
{
	int rc;

	*out = (struct moore_ether_config){ 0 };
	if ((rc = moore_ether_set_classes(out, x, s, err)) == 0)
		rc = add_hosts(out, x, s, err);
	for (moore_swid d = 0; d < racks->n_switches && rc == 0; d++) {
		const struct lids at = lids_of(x, racks, d);

		for (uint32_t l = 0; l < at.n && d != s && rc == 0; l++) {
			uint8_t port = row[at.first + l];

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

/* The number of routes that sort before the prefix of that length around an address. */
static uint32_t
first_at(const struct moore_ether_config *c, const struct moore_addr *a, unsigned len)
{
	struct moore_addr key = *a;

	key.len = (uint8_t)len;
	for (unsigned i = len; i < 128; i++)
		key.byte[i / 8] = (uint8_t)(key.byte[i / 8] & ~(0x80u >> i % 8));
	return moore_ether_config_find(c, &key);
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

/* One switch, while its rows are filled in. */
struct taking {
	struct moore_ether_tables *t;
	struct moore_ether_faults *faults;
	const struct moore_ether *x;
	const struct moore_fabric *racks;
	moore_swid s;
	const struct moore_ether_config *c;
	struct moore_err *err;
};

/* The port to which a route sends a prefix, and what is wrong with it.  Packets to a next hop that is not
 * the switch at that port are lost. */
static uint8_t
port_of(const struct taking *w, const struct moore_ether_route *r, const struct moore_addr *to)
{
	const struct moore_ether_peer *peer = r->port <= w->x->plan->sw[w->s].ports ?
		moore_ether_peer(w->x, w->s, r->port) : NULL;

	if (!peer || peer->sw == MOORE_NONE) {
		add_fault(w->faults, MOORE_ETHER_NO_LINK, w->s, to, r->line);
		return MOORE_NO_PATH;
	}
	if (is_its_address(w->x, peer, r))
		return r->port;
	add_fault(w->faults, MOORE_ETHER_WRONG_HOP, w->s, to, r->line);
	return MOORE_NO_PATH;
}

/* Whether a route to a part of a prefix leads elsewhere than to that port, or nowhere; that fault is added. */
static bool
is_split(const struct taking *w, const struct moore_ether_route *q, uint8_t port, const struct moore_addr *to)
{
	if (q->port == port)
		return port_of(w, q, to) == MOORE_NO_PATH;
	add_fault(w->faults, MOORE_ETHER_SPLIT, w->s, to, q->line);
	return true;
}

/* Adds the fault of the first route to a part of the prefix that leads elsewhere than r, the one to the
 * prefix, or nowhere. */
static void
check_parts(const struct taking *w, const struct moore_ether_route *r, const struct moore_addr *to)
{
	const struct moore_ether_config *c = w->c;

	/* Routes to parts of a prefix sort after it. */
	for (const struct moore_ether_route *q = &c->route[first_at(c, to, to->len)];
	     q < c->route + c->n_routes && moore_addr_within(&q->to, to); q++)
		if (!moore_addr_equal(&q->to, &r->to) && is_split(w, q, r->port, to))
			return;
}

/* Adds a further value to the row of a LID. */
static int
add_value(const struct taking *w, struct moore_row **list, uint32_t *n, uint32_t *cap,
	  const struct moore_row *row)
{
	struct moore_row *grown = moore_grow(*list, *n, cap, sizeof(*grown));

	if (!grown)
		return moore_fail_nomem(w->err);
	*list = grown;
	grown[(*n)++] = *row;
	return 0;
}

/* Fills in the row of a LID, which stands for the prefix. */
static int
take_prefix(const struct taking *w, const struct moore_addr *to, moore_lid lid)
{
	const struct moore_ether_route *r = match(w->c, to);
	uint32_t n = r ? moore_ether_config_hops(w->c, (uint32_t)(r - w->c->route)) : 0;
	uint32_t n_all = n + (r ? moore_ether_config_backups(w->c, (uint32_t)(r - w->c->route) + n) : 0);
	uint8_t first = r ? port_of(w, r, to) : MOORE_NO_PATH;
	struct moore_ether_tables *t = w->t;
	int rc = 0;

	moore_lft_row(t->lft, w->s)[lid] = first;
	for (uint32_t i = 1; i < n && rc == 0; i++)
		rc = add_value(w, &t->more, &t->n_more, &t->cap_more,
			       &(struct moore_row){ w->s, lid, port_of(w, &r[i], to) });
	for (uint32_t i = n; i < n_all && rc == 0; i++)
		rc = add_value(w, &t->backup, &t->n_backup, &t->cap_backup,
			       &(struct moore_row){ w->s, lid, port_of(w, &r[i], to) });
	if (first != MOORE_NO_PATH)
		check_parts(w, r, to);
	return rc;
}

/* Says whether all routes that match an address lead to the host at that port. */
static bool
leads_to_host(const struct taking *w, const struct moore_ether_route *r, unsigned port)
{
	uint32_t n = r ? moore_ether_config_hops(w->c, (uint32_t)(r - w->c->route)) : 0;

	for (uint32_t i = 0; i < n; i++)
		if (r[i].port != port || r[i].via.is_set)
			return false;
	return n;
}

static void
check_hosts(const struct taking *w, enum moore_ip ip)
{
	const struct moore_ether *x = w->x;

	for (unsigned p = 1; p <= x->plan->sw[w->s].ports; p++) {
		moore_epid e = moore_ether_peer(x, w->s, (moore_portnum)p)->ep;

		for (uint32_t l = 0; e != MOORE_NONE && l < x->opts.n_layers; l++) {
			const struct moore_addr *to = &x->host[ip][(size_t)e * x->opts.n_layers + l];
			const struct moore_ether_route *r = to->is_set ? match(w->c, to) : NULL;

			if (to->is_set && !leads_to_host(w, r, p))
				add_fault(w->faults, MOORE_ETHER_NO_HOST, w->s, to, r ? r->line : 0);
		}
	}
}

/* The prefix that LID number i of a rack stands for; NULL for none. */
static const struct moore_addr *
prefix_at(const struct moore_ether *x, moore_swid d, uint32_t i)
{
	struct moore_ether_target to;

	return target_at(x, d, i, &to) ? &x->prefix[to.ip][(size_t)d * x->opts.n_layers + to.layer] : NULL;
}

/* At switch s, the rows of the LIDs of switch d that stand for nothing are that of its first prefix. */
static void
repeat_rows(struct moore_lft *lft, const struct moore_ether *x, const struct moore_fabric *racks,
	    moore_swid s, moore_swid d)
{
	const struct moore_endpoint *ep = &racks->ep[rack_of(racks, d)];
	uint8_t *row = moore_lft_row(lft, s);

	for (uint32_t i = 1; i < 1u << ep->lmc; i++)
		if (!prefix_at(x, d, i))
			row[ep->lid + i] = row[ep->lid];
}

/* The rows of destination switch d. */
static int
take_switch(const struct taking *w, moore_swid d)
{
	const struct moore_endpoint *ep = &w->racks->ep[rack_of(w->racks, d)];
	int rc = 0;

	for (uint32_t i = 0; i < 1u << ep->lmc && rc == 0; i++) {
		const struct moore_addr *to = prefix_at(w->x, d, i);

		if (w->s == d)
			moore_lft_row(w->t->lft, w->s)[ep->lid + i] = ep->port;
		else if (to)
			rc = take_prefix(w, to, ep->lid + i);
	}
	repeat_rows(w->t->lft, w->x, w->racks, w->s, d);
	return rc;
}

int
moore_ether_take_config(struct moore_ether_tables *t, struct moore_ether_faults *faults,
			const struct moore_ether *x, const struct moore_fabric *racks, moore_swid s,
			const struct moore_ether_config *c, struct moore_err *err)
{
	const struct taking w = { t, faults, x, racks, s, c, err };
	int rc = 0;

	for (moore_swid d = 0; d < racks->n_switches && rc == 0; d++)
		if (rack_of(racks, d) != MOORE_NONE)
			rc = take_switch(&w, d);
	for (unsigned ip = 0; ip < MOORE_N_IP; ip++)
		if (x->opts.range[ip].is_set)
			check_hosts(&w, (enum moore_ip)ip);
	return rc;
}

int
moore_ether_tables_init(struct moore_ether_tables *t, const struct moore_fabric *racks,
			struct moore_err *err)
{
	*t = (struct moore_ether_tables){ NULL };
	return moore_lft_new(&t->lft, racks->n_switches, racks->lid_top, err);
}

void
moore_ether_tables_prefer(struct moore_ether_tables *t, const struct moore_ether_tables *was,
			  const struct moore_ether *x, const struct moore_fabric *racks)
{
	for (uint32_t i = 0; i < t->n_more; i++) {
		struct moore_row *r = &t->more[i];
		uint8_t *first = &moore_lft_row(t->lft, r->sw)[r->lid], port = *first;

		if (moore_lft_row(was->lft, r->sw)[r->lid] == r->port) {
			*first = r->port;
			r->port = port;
		}
	}
	for (moore_swid s = 0; t->n_more && s < racks->n_switches; s++)
		for (moore_swid d = 0; d < racks->n_switches; d++)
			if (rack_of(racks, d) != MOORE_NONE)
				repeat_rows(t->lft, x, racks, s, d);
}

void
moore_ether_tables_fini(struct moore_ether_tables *t)
{
	moore_lft_free(t->lft);
	free(t->more);
	free(t->backup);
	*t = (struct moore_ether_tables){ NULL };
}

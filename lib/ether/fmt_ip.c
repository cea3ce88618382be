// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_ip.c - the files that `ip -batch` of iproute2 loads, in this order: interfaces,
 * neighbours, routes; and the kernel's settings that they rest on.  The reader takes the
 * routes back. */
#include <string.h>

#include "ether_impl.h"

/* ---- interfaces -------------------------------------------------------------------- */

static void
put_address(struct moore_buf *b, const struct moore_addr *a, const char *len, const char *dev,
	    unsigned port)
{
	if (!a->is_set)
		return;
	moore_buf_fmt(b, "addr replace ");
	moore_addr_put(b, a);
	moore_buf_fmt(b, "%s dev %s", len, dev);
	if (port)
		moore_buf_fmt(b, "%u", port);
	moore_buf_fmt(b, "%s\n", a->ip == MOORE_IP6 ? " nodad" : "");
}

static void
put_addresses(const struct moore_ether *x, moore_swid s, moore_portnum port, struct moore_buf *b)
{
	const struct moore_ether_peer *peer = moore_ether_peer(x, s, port);
	struct moore_addr local = moore_ether_local(s, port);

	put_address(b, &local, "/64", MOORE_PORT_PREFIX, port);
	if (peer->sw == MOORE_NONE)
		return;
	put_address(b, &x->link[MOORE_IP4][peer->end], "/31", MOORE_PORT_PREFIX, port);
	put_address(b, &x->link[MOORE_IP6][peer->end], "/127", MOORE_PORT_PREFIX, port);
}

static void
put_port(const struct moore_ether *x, moore_swid s, moore_portnum port, struct moore_buf *b)
{
	char mac[MOORE_MAC_TEXT];

	moore_ether_mac(mac, s, port);
	moore_buf_fmt(b, "link set dev " MOORE_PORT_PREFIX "%u address %s mtu %u up\n", port, mac,
		      x->opts.mtu);
	put_addresses(x, s, port, b);
}

static bool
is_used(const struct moore_ether_peer *peer)
{
	return peer->sw != MOORE_NONE || peer->ep != MOORE_NONE;
}

int
moore_ether_put_interfaces(const struct moore_ether *x, moore_swid s,
			   const struct moore_ether_config *c, struct moore_buf *b,
			   struct moore_err *err)
{
	(void)c;
	(void)err;
	moore_buf_fmt(b, "link set dev lo up\n");
	for (unsigned ip = 0; ip < MOORE_N_IP; ip++)
		for (uint32_t l = 0; l < x->opts.n_layers; l++)
			put_address(b, &x->self[ip][(size_t)s * x->opts.n_layers + l],
				    ip == MOORE_IP4 ? "/32" : "/128", "lo", 0);
	for (unsigned p = 1; p <= x->plan->sw[s].ports; p++)
		if (is_used(moore_ether_peer(x, s, (moore_portnum)p)))
			put_port(x, s, (moore_portnum)p, b);
	return 0;
}

/* ---- neighbours ---------------------------------------------------------------------- */

static void
put_neighbour(struct moore_buf *b, const struct moore_addr *a, const char *mac, unsigned port)
{
	if (!a->is_set)
		return;
	moore_buf_fmt(b, "neigh replace ");
	moore_addr_put(b, a);
	moore_buf_fmt(b, " lladdr %s dev " MOORE_PORT_PREFIX "%u nud permanent\n", mac, port);
}

static void
put_switch_at(const struct moore_ether *x, const struct moore_ether_peer *peer, unsigned port,
	      struct moore_buf *b)
{
	struct moore_addr local = moore_ether_local(peer->sw, peer->port);
	char mac[MOORE_MAC_TEXT];

	moore_ether_mac(mac, peer->sw, peer->port);
	put_neighbour(b, &local, mac, port);
	put_neighbour(b, &x->self[MOORE_IP4][(size_t)peer->sw * x->opts.n_layers], mac, port);
	for (unsigned ip = 0; ip < MOORE_N_IP; ip++)
		put_neighbour(b, &x->link[ip][peer->end ^ 1], mac, port);
}

static void
put_neighbours_at(const struct moore_ether *x, moore_swid s, moore_portnum port, struct moore_buf *b)
{
	const struct moore_ether_peer *peer = moore_ether_peer(x, s, port);
	char mac[MOORE_MAC_TEXT];

	if (peer->sw != MOORE_NONE)
		put_switch_at(x, peer, port, b);
	if (peer->ep == MOORE_NONE)
		return;
	moore_ether_host_mac(mac, peer->ep);
	for (unsigned ip = 0; ip < MOORE_N_IP; ip++)
		for (uint32_t l = 0; l < x->opts.n_layers; l++)
			put_neighbour(b, &x->host[ip][(size_t)peer->ep * x->opts.n_layers + l], mac, port);
}

int
moore_ether_put_neighbours(const struct moore_ether *x, moore_swid s,
			   const struct moore_ether_config *c, struct moore_buf *b,
			   struct moore_err *err)
{
	(void)c;
	(void)err;
	for (unsigned p = 1; p <= x->plan->sw[s].ports; p++)
		put_neighbours_at(x, s, (moore_portnum)p, b);
	return 0;
}

void
moore_ether_put_port(const struct moore_ether *x, moore_swid s, moore_portnum port, struct moore_buf *b)
{
	put_addresses(x, s, port, b);
	put_neighbours_at(x, s, port, b);
}

/* ---- routes -------------------------------------------------------------------------- */

static void
put_hop(const struct moore_ether_route *r, struct moore_buf *b)
{
	if (r->via.is_set) {
		moore_buf_fmt(b, r->via.ip != r->to.ip ? " via inet6 " : " via ");
		moore_addr_put(b, &r->via);
	}
	moore_buf_fmt(b, " dev " MOORE_PORT_PREFIX "%u%s", r->port, r->onlink ? " onlink" : "");
}

void
moore_ether_put_edit(const struct moore_ether *x, const struct moore_ether_route *r, uint32_t n_hops,
		     struct moore_buf *b)
{
	moore_buf_fmt(b, "route %s ", n_hops ? "replace" : "del");
	moore_addr_put(b, &r->to);
	if (n_hops == 1)
		put_hop(r, b);
	moore_buf_fmt(b, " proto %u", x->opts.protocol);
	if (r->is_backup)
		moore_buf_fmt(b, " metric %d", MOORE_ETHER_BACKUP_METRIC);
	for (uint32_t i = 0; n_hops > 1 && i < n_hops; i++) {
		moore_buf_fmt(b, " nexthop");
		put_hop(&r[i], b);
	}
	moore_buf_fmt(b, "\n");
}

int
moore_ether_put_routes(const struct moore_ether *x, moore_swid s,
		       const struct moore_ether_config *c, struct moore_buf *b,
		       struct moore_err *err)
{
	(void)s;
	(void)err;
	for (uint32_t i = 0, n; i < c->n_routes; i += n) {
		n = moore_ether_config_hops(c, i);
		moore_ether_put_edit(x, &c->route[i], n, b);
	}
	return 0;
}

/* ---- the kernel's settings --------------------------------------------------------------- */

static bool
has_sets(const struct moore_ether_config *c)
{
	for (uint32_t i = 1; i < c->n_routes; i++)
		if (moore_addr_equal(&c->route[i].to, &c->route[i - 1].to) && !c->route[i].is_backup)
			return true;
	return false;
}

/* rp_filter drops packets that come in where the route back does not go out, which is common
 * when a layer has routes of its own; the kernel takes the greater of `all` and the port.  Among
 * several next hops, the kernel chooses by addresses alone unless told to use ports, too. */
int
moore_ether_put_sysctl(const struct moore_ether *x, moore_swid s,
		       const struct moore_ether_config *c, struct moore_buf *b,
		       struct moore_err *err)
{
	static const char *const all[] = {
		"net.ipv4.ip_forward = 1", "net.ipv4.conf.all.forwarding = 1",
		"net.ipv6.conf.all.disable_ipv6 = 0", "net.ipv6.conf.all.forwarding = 1",
		"net.ipv4.conf.all.rp_filter = 0", "net.ipv4.conf.default.rp_filter = 0",
		"net.ipv4.conf.all.ignore_routes_with_linkdown = 1",
		"net.ipv4.conf.default.ignore_routes_with_linkdown = 1",
		"net.ipv6.conf.all.ignore_routes_with_linkdown = 1",
		"net.ipv6.conf.default.ignore_routes_with_linkdown = 1",
		"net.ipv6.conf.all.keep_addr_on_down = 1",
	};
	static const char *const port[] = {
		"net.ipv4.conf." MOORE_PORT_PREFIX "%u.forwarding = 1\n",
		"net.ipv6.conf." MOORE_PORT_PREFIX "%u.disable_ipv6 = 0\n",
		"net.ipv4.conf." MOORE_PORT_PREFIX "%u.rp_filter = 0\n",
		"net.ipv4.conf." MOORE_PORT_PREFIX "%u.ignore_routes_with_linkdown = 1\n",
		"net.ipv6.conf." MOORE_PORT_PREFIX "%u.ignore_routes_with_linkdown = 1\n",
	};

	(void)err;
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		moore_buf_fmt(b, "%s\n", all[i]);
	if (has_sets(c))
		moore_buf_fmt(b, "net.ipv4.fib_multipath_hash_policy = 1\n"
			      "net.ipv6.fib_multipath_hash_policy = 1\n");
	for (unsigned p = 1; p <= x->plan->sw[s].ports; p++)
		if (is_used(moore_ether_peer(x, s, (moore_portnum)p))) {
			for (size_t i = 0; i < ARRAY_LEN(port); i++)
				moore_buf_fmt(b, port[i], p);
		}
	return 0;
}

/* ---- reading routes back --------------------------------------------------------------- */

static bool
is_word(const struct moore_ether_word *w, const char *text)
{
	return w->len == strlen(text) && !memcmp(w->at, text, w->len);
}

static int
read_addr(struct moore_ether_line *w, struct moore_ether_word *at, struct moore_addr *out)
{
	if (!moore_ether_next_word(w, at))
		return moore_ether_fail_at(w, at, "an address is missing at the end of the line");
	return moore_ether_take_addr(w, at, out);
}

static int
read_via(struct moore_ether_line *w, struct moore_ether_route *r)
{
	struct moore_ether_line before = *w;
	struct moore_ether_word at;

	if (!moore_ether_next_word(w, &at) || !is_word(&at, "inet6"))
		*w = before;
	return read_addr(w, &at, &r->via);
}

static int
read_dev(struct moore_ether_line *w, struct moore_ether_route *r)
{
	struct moore_ether_word at;

	if (moore_ether_next_word(w, &at) && moore_ether_read_port(at.at, at.len, &r->port) == 0)
		return 0;
	return moore_ether_fail_at(w, &at, "is no port of a switch: they are " MOORE_PORT_PREFIX
				   "1 to " MOORE_PORT_PREFIX "254");
}

static int
read_protocol(struct moore_ether_line *w, uint64_t *out)
{
	struct moore_ether_word at;
	const char *digits;

	if (moore_ether_next_word(w, &at) && (digits = at.at, moore_text_u64(&digits, w->end, 10, 255, out)))
		return 0;
	return moore_ether_fail_at(w, &at, "is no protocol number from 0 to 255");
}

static int
read_metric(struct moore_ether_line *w, struct moore_ether_route *r)
{
	struct moore_ether_word at;
	const char *digits;
	uint64_t metric;

	if (moore_ether_next_word(w, &at) &&
	    (digits = at.at, moore_text_u64(&digits, w->end, 10, UINT32_MAX, &metric)) &&
	    metric == MOORE_ETHER_BACKUP_METRIC) {
		r->is_backup = true;
		return 0;
	}
	return moore_ether_fail_at(w, &at, "is no metric that is known here: 2048 is that of a backup");
}

/* Adds the route that was read, which must name a port. */
static int
end_hop(const struct moore_ether_line *w, const struct moore_ether_route *r,
	struct moore_ether_config *c)
{
	if (!r->port)
		return moore_fail(w->err, MOORE_ESYNTAX, w->line, "the route names no port: add dev "
				  MOORE_PORT_PREFIX "1 or another");
	return moore_ether_config_add(c, r, w->err);
}

/* The words after the destination: those of one next hop, or, after each word "nexthop", those of
 * one of several.  *protocol stays as it is if the line names none. */
static int
read_hops(struct moore_ether_line *w, struct moore_ether_route *r, uint64_t *protocol,
	  struct moore_ether_config *c)
{
	const struct moore_ether_route empty = *r;
	struct moore_ether_word at;
	bool several = false;
	int rc = 0;

	while (rc == 0 && moore_ether_next_word(w, &at)) {
		if (is_word(&at, "via")) {
			rc = read_via(w, r);
		} else if (is_word(&at, "dev")) {
			rc = read_dev(w, r);
		} else if (is_word(&at, "proto")) {
			rc = read_protocol(w, protocol);
		} else if (is_word(&at, "metric")) {
			rc = read_metric(w, r);
		} else if (is_word(&at, "onlink")) {
			r->onlink = true;
		} else if (is_word(&at, "nexthop")) {
			rc = several ? end_hop(w, r, c) : 0;
			*r = empty;
			several = true;
		} else {
			rc = moore_ether_fail_at(w, &at, "is not a word of a route that is known here");
		}
	}
	return rc < 0 ? rc : end_hop(w, r, c);
}

static int
read_line(struct moore_ether_line *w, const struct moore_ether *x, struct moore_ether_config *c)
{
	struct moore_ether_route r = { .line = w->line };
	uint32_t n_before = c->n_routes;
	uint64_t of = UINT64_MAX;
	struct moore_ether_word at;
	int rc;

	if (!moore_ether_next_word(w, &at))
		return 0;
	if (!is_word(&at, "route"))
		return moore_ether_fail_at(w, &at, "is no route: this file holds lines \"route replace PREFIX ...\"");
	if (!moore_ether_next_word(w, &at) || (!is_word(&at, "replace") && !is_word(&at, "add")))
		return moore_ether_fail_at(w, &at, "is neither replace nor add");
	if ((rc = read_addr(w, &at, &r.to)) < 0 || (rc = read_hops(w, &r, &of, c)) < 0)
		return rc;
	if (of != x->opts.protocol && moore_ether_is_part(x, MOORE_NONE, &r.to))
		return moore_fail(w->err, MOORE_ESYNTAX, w->line, "a route of another protocol than %u takes packets of "
				  "the network: leave it out", x->opts.protocol);
	if (of != x->opts.protocol)
		c->n_routes = n_before;		/* of another program */
	return 0;
}

/* A later line to the same prefix replaces the route of an earlier one, or, with "add", fails. */
static int
refuse_second(struct moore_ether_config *c, struct moore_err *err)
{
	moore_ether_config_sort(c);
	for (uint32_t i = 1; i < c->n_routes; i++) {
		const struct moore_ether_route *a = &c->route[i - 1], *b = &c->route[i];

		if (a->line != b->line && a->is_backup == b->is_backup && moore_addr_equal(&a->to, &b->to))
			return moore_fail(err, MOORE_ESYNTAX, a->line > b->line ? a->line : b->line,
					  "line %u has another route to this prefix: leave one of them",
					  a->line > b->line ? b->line : a->line);
	}
	return 0;
}

int
moore_ether_read_routes(const struct moore_ether *x, moore_swid s, const char *text, size_t len,
			struct moore_ether_config *c, struct moore_err *err)
{
	const char *end = text + len;
	unsigned line = 0;
	int rc = 0;

	(void)s;
	while (text < end && rc == 0) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		struct moore_ether_line w = { text, nl ? nl : end, ++line, err };

		rc = read_line(&w, x, c);
		text = nl ? nl + 1 : end;
	}
	return rc < 0 ? rc : refuse_second(c, err);
}

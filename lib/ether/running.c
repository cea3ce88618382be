// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* running.c - reads the routes of a running Linux switch: what `ip -N -json route show` prints, a
 * list, or FRR's `show ip route json`, an object.  Routes of other protocols are left alone.  FRR
 * has no protocol of ours: there, static routes to our ranges over ports of the switch are. */
#include <string.h>

#include <jansson.h>

#include "ether_impl.h"

#define HASH_SEED 1			/* else jansson makes one from the clock */
#define ROUTES_MAX 4000000
#define KERNEL_METRIC6 1024		/* that the kernel gives a route of IPv6 without one */

struct reader {
	const struct moore_ether *x;
	moore_swid s;
	size_t index;			/* of the route in the list */
	struct moore_err *err;
};

static int
wrong(const struct reader *r, const char *key, const char *why)
{
	return moore_fail(r->err, MOORE_ESYNTAX, 0, "[%zu].%s: %s", r->index, key, why);
}

static int
get_addr(const struct reader *r, const json_t *v, const char *key, struct moore_addr *out)
{
	struct moore_err why;

	if (!json_is_string(v))
		return wrong(r, key, "an address is wanted");
	if (moore_addr_parse(out, json_string_value(v), json_string_length(v), &why) < 0)
		return wrong(r, key, why.text);
	return 0;
}

static bool
has_flag(const json_t *route, const char *flag)
{
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(route, "flags"), i, v)
		if (json_is_string(v) && !strcmp(json_string_value(v), flag))
			return true;
	return false;
}

/* Without -N, ip prints the name that the machine may give to a protocol: such a route would not
 * count as ours. */
static bool
is_ours(const struct reader *r, const json_t *route)
{
	const json_t *v = json_object_get(route, "protocol");
	const char *s = json_is_string(v) ? json_string_value(v) : "";
	uint64_t n;

	return moore_text_u64(&s, s + strlen(s), 10, 255, &n) && !*s && n == r->x->opts.protocol;
}

/* True for a prefix to which the network has routes. */
static bool
is_target(const struct moore_ether *x, const struct moore_addr *to)
{
	const size_t n_prefixes = (size_t)x->plan->n_switches * x->opts.n_layers;
	const size_t n_hosts = (size_t)x->plan->n_endpoints * x->opts.n_layers;

	if (!x->opts.range[to->ip].is_set || !moore_addr_within(to, &x->opts.range[to->ip]))
		return false;
	for (size_t i = 0; i < n_prefixes; i++)
		if (moore_addr_equal(to, &x->prefix[to->ip][i]))
			return true;
	for (size_t i = 0; i < n_hosts; i++)
		if (moore_addr_equal(to, &x->host[to->ip][i]))
			return true;
	return false;
}

/* Fails if this route of another program takes packets from ours: it is to a part of a prefix of another switch;
 * or if a route of ours would replace it: the kernel replaces the route of the same prefix and metric, whatever
 * its protocol. */
static int
refuse_foreign(const struct reader *r, const json_t *route)
{
	const json_t *dst = json_object_get(route, "dst"), *has = json_object_get(route, "metric");
	const char *protocol = json_string_value(json_object_get(route, "protocol"));
	struct moore_addr to;
	struct moore_err why;
	json_int_t metric, ours;

	if (!json_is_string(dst) ||
	    moore_addr_parse(&to, json_string_value(dst), json_string_length(dst), &why) < 0)
		return 0;
	ours = to.ip == MOORE_IP4 ? 0 : KERNEL_METRIC6;
	metric = has ? json_integer_value(has) : ours;
	if (is_target(r->x, &to) ? metric < ours : moore_ether_is_part(r->x, r->s, &to))
		return moore_fail(r->err, MOORE_ESYNTAX, 0, "[%zu].protocol: the route to %.60s is of protocol %.30s, and "
				  "takes packets of the network: remove it", r->index, json_string_value(dst),
				  protocol ? protocol : "none");
	if ((metric != MOORE_ETHER_BACKUP_METRIC && metric != ours) || !is_target(r->x, &to))
		return 0;
	return moore_fail(r->err, MOORE_ESYNTAX, 0, "[%zu].protocol: the route to %.60s is of protocol %.30s, and one "
			  "of ours would replace it: remove it, or give it a greater metric", r->index,
			  json_string_value(dst), protocol ? protocol : "none");
}

/* The port, next hop and flags of a route, or of one of its next hops. */
static int
read_hop(const struct reader *r, const json_t *hop, struct moore_ether_route *out)
{
	const json_t *dev = json_object_get(hop, "dev"), *gateway = json_object_get(hop, "gateway");
	const json_t *via = json_object_get(json_object_get(hop, "via"), "host");

	if (!json_is_string(dev) ||
	    moore_ether_read_port(json_string_value(dev), json_string_length(dev), &out->port) < 0)
		return wrong(r, "dev", "a route of this protocol leaves by an interface that is no port");
	out->onlink = has_flag(hop, "onlink");
	if (gateway || via)
		return get_addr(r, gateway ? gateway : via, gateway ? "gateway" : "via.host", &out->via);
	return 0;
}

static int
read_route(const struct reader *r, const json_t *route, struct moore_ether_config *c)
{
	const json_t *hops = json_object_get(route, "nexthops"), *hop;
	struct moore_ether_route out = { .port = 0 };
	size_t i;
	int rc;

	if (!json_is_object(route))
		return moore_fail(r->err, MOORE_ESYNTAX, 0, "[%zu]: a route is wanted", r->index);
	if (!is_ours(r, route))
		return refuse_foreign(r, route);
	if ((rc = get_addr(r, json_object_get(route, "dst"), "dst", &out.to)) < 0)
		return rc;
	out.is_backup = json_integer_value(json_object_get(route, "metric")) == MOORE_ETHER_BACKUP_METRIC;
	if (!hops)
		return (rc = read_hop(r, route, &out)) < 0 ? rc : moore_ether_config_add(c, &out, r->err);
	json_array_foreach(hops, i, hop)
		if ((rc = read_hop(r, hop, &out)) < 0 ||
		    (rc = moore_ether_config_add(c, &out, r->err)) < 0)
			return rc;
	return 0;
}

/* ---- FRR ----------------------------------------------------------------------------------- */

#define FRR_BACKUP_DISTANCE 20

static bool
is_ours_in_frr(const struct reader *r, const json_t *route, const struct moore_addr *to)
{
	const struct moore_addr *range = r->x->opts.range;
	const char *protocol = json_string_value(json_object_get(route, "protocol"));

	return protocol && !strcmp(protocol, "static") && range[to->ip].is_set &&
		moore_addr_within(to, &range[to->ip]);
}

/* Reads a next hop; *ours is false if it leaves by an interface that is no port. */
static int
read_frr_hop(const struct reader *r, const json_t *hop, struct moore_ether_route *out, bool *ours)
{
	const json_t *dev = json_object_get(hop, "interfaceName"), *via = json_object_get(hop, "ip");

	*ours = json_is_string(dev) && moore_ether_read_port(json_string_value(dev),
							     json_string_length(dev), &out->port) == 0;
	out->onlink = json_is_true(json_object_get(hop, "onLink"));
	out->via = (struct moore_addr){ .is_set = false };
	return via ? get_addr(r, via, "nexthops.ip", &out->via) : 0;
}

static int
read_frr_route(const struct reader *r, const json_t *route, struct moore_ether_config *c)
{
	struct moore_ether_route out = { .port = 0 };
	const json_t *hop;
	size_t i;
	int rc;

	if (!json_is_object(route))
		return moore_fail(r->err, MOORE_ESYNTAX, 0, "[%zu]: a route is wanted", r->index);
	if ((rc = get_addr(r, json_object_get(route, "prefix"), "prefix", &out.to)) < 0)
		return rc;
	if (!is_ours_in_frr(r, route, &out.to))
		return 0;
	out.is_backup = json_integer_value(json_object_get(route, "distance")) == FRR_BACKUP_DISTANCE;
	json_array_foreach(json_object_get(route, "nexthops"), i, hop) {
		bool ours;

		if ((rc = read_frr_hop(r, hop, &out, &ours)) < 0 ||
		    (ours && (rc = moore_ether_config_add(c, &out, r->err)) < 0))
			return rc;
	}
	return 0;
}

/* Each member is a list of routes to one prefix. */
static int
read_frr(struct reader *r, json_t *root, struct moore_ether_config *c)
{
	const json_t *routes, *route;
	const char *prefix;
	size_t i;
	int rc = 0;

	json_object_foreach(root, prefix, routes) {
		if (!json_is_array(routes))
			return moore_fail(r->err, MOORE_ESYNTAX, 0, "%.60s: a list of routes is wanted, as "
					  "FRR's show ip route json prints it", prefix);
		json_array_foreach(routes, i, route)
			if (rc == 0)
				rc = read_frr_route(r, route, c);
		r->index++;
	}
	return rc;
}

int
moore_ether_read_running(const struct moore_ether *x, moore_swid s, const char *text, size_t len,
			 struct moore_ether_config *c, struct moore_err *err)
{
	struct reader r = { .x = x, .s = s, .err = err };
	json_error_t why;
	json_t *root, *route;
	int rc = 0;

	json_object_seed(HASH_SEED);
	if (!(root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why)))
		return moore_fail(err, MOORE_ESYNTAX, why.line > 0 ? (unsigned)why.line : 0, "%s",
				  why.text);
	if (json_is_object(root) && json_object_size(root) <= ROUTES_MAX)
		rc = read_frr(&r, root, c);
	else if (!json_is_array(root) || json_array_size(root) > ROUTES_MAX)
		rc = moore_fail(err, MOORE_ESYNTAX, 0, "a list of at most %d routes is wanted, as ip -json "
				"route show prints it, or what FRR's show ip route json prints", ROUTES_MAX);
	else
		json_array_foreach(root, r.index, route)
			if ((rc = read_route(&r, route, c)) < 0)
				break;
	json_decref(root);
	return rc;
}

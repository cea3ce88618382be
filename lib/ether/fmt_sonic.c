// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_sonic.c - config_db.json: what a SONiC switch needs of its configuration database, to be
 * merged into the one that its platform gives it (config load).
 *
 * Static routes of SONiC know no next hop off the link, so links must be numbered.  A backup is a
 * next hop of greater distance: SONiC makes each next hop a route of FRR, which uses the smallest
 * distance of those whose port has carrier.  Classes are
 * a chain of maps: DSCP to traffic class by in port; traffic class to priority group (the class
 * in which a packet arrives), to queue (that in which it leaves) and to DSCP.  A traffic class
 * stands for each way to treat a packet; 0 is the lossy one.  Priority group n and queue n
 * belong to PFC priority n. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "ether_impl.h"

#define HASH_SEED 1			/* else jansson makes one from the clock */
#define TC_MAX 8
#define LANES_OF_PORT 4			/* port n is interface Ethernet<4(n-1)> */
#define PREFIX "Ethernet"
#define VRF "default|"
#define DEFAULT_DISTANCE "0"		/* stands for that of static routes, 1 */

static void
put_name(struct moore_buf *b, unsigned port)
{
	moore_buf_fmt(b, PREFIX "%u", (port - 1) * LANES_OF_PORT);
}

/* ---- writing: a table is an object of objects ------------------------------------------- */

/* Returns root[table][key], made when it is not there; NULL when out of memory. */
static json_t *
entry(json_t *root, const char *table, const char *key)
{
	json_t *t = json_object_get(root, table), *e;

	if (!t && (!(t = json_object()) || json_object_set_new(root, table, t) < 0))
		return NULL;
	if ((e = json_object_get(t, key)))
		return e;
	return (e = json_object()) && json_object_set_new(t, key, e) == 0 ? e : NULL;
}

/* Every value of the database is a string.  False when out of memory. */
static bool
set_text(json_t *e, const char *key, const char *value)
{
	return e && json_object_set_new(e, key, json_string(value)) == 0;
}

static bool
set_number(json_t *e, unsigned key, unsigned value)
{
	struct moore_buf k = MOORE_BUF_INIT, v = MOORE_BUF_INIT;
	bool ok;

	moore_buf_fmt(&k, "%u", key);
	moore_buf_fmt(&v, "%u", value);
	ok = !k.oom && !v.oom && set_text(e, k.data, v.data);
	moore_buf_free(&k);
	moore_buf_free(&v);
	return ok;
}

/* table[interface] = {}, and table[interface|address/len] = {}. */
static bool
put_address(json_t *root, const char *table, const char *name, const struct moore_addr *a,
	    unsigned len)
{
	struct moore_buf key = MOORE_BUF_INIT;
	bool ok = entry(root, table, name);

	if (a->is_set) {
		moore_buf_fmt(&key, "%s|", name);
		moore_addr_put(&key, a);
		moore_buf_fmt(&key, "/%u", len);
		ok = ok && !key.oom && entry(root, table, key.data);
	}
	moore_buf_free(&key);
	return ok;
}

static bool
put_addresses(json_t *root, const struct moore_ether *x, moore_swid s)
{
	bool ok = true;

	for (unsigned ip = 0; ip < MOORE_N_IP; ip++)
		for (uint32_t l = 0; l < x->opts.n_layers && ok; l++)
			ok = put_address(root, "LOOPBACK_INTERFACE", "Loopback0",
					 &x->self[ip][(size_t)s * x->opts.n_layers + l],
					 moore_addr_bits((uint8_t)ip));
	for (unsigned p = 1; p <= x->plan->sw[s].ports && ok; p++) {
		const struct moore_ether_peer *peer = moore_ether_peer(x, s, (moore_portnum)p);
		struct moore_buf name = MOORE_BUF_INIT, mtu = MOORE_BUF_INIT;

		if (peer->sw == MOORE_NONE && peer->ep == MOORE_NONE)
			continue;
		put_name(&name, p);
		moore_buf_fmt(&mtu, "%u", x->opts.mtu);
		ok = !name.oom && !mtu.oom && set_text(entry(root, "PORT", name.data), "mtu", mtu.data) &&
			set_text(entry(root, "PORT", name.data), "admin_status", "up") &&
			entry(root, "INTERFACE", name.data);
		for (unsigned ip = 0; ip < MOORE_N_IP && ok && peer->sw != MOORE_NONE; ip++)
			ok = put_address(root, "INTERFACE", name.data, &x->link[ip][peer->end],
					 moore_addr_bits((uint8_t)ip) - 1u);
		moore_buf_free(&name);
		moore_buf_free(&mtu);
	}
	return ok;
}

/* The route with the next hops r[0] .. r[n_hops - 1], backups last. */
static bool
put_route(json_t *root, const struct moore_ether_route *r, uint32_t n_hops)
{
	static const char *const on_link[MOORE_N_IP] = { "0.0.0.0", "::" };
	struct moore_buf key = MOORE_BUF_INIT, via = MOORE_BUF_INIT, name = MOORE_BUF_INIT;
	struct moore_buf distance = MOORE_BUF_INIT;
	json_t *e;
	bool ok;

	moore_buf_fmt(&key, VRF);
	moore_addr_put(&key, &r->to);
	if (r->to.len == moore_addr_bits(r->to.ip))
		moore_buf_fmt(&key, "/%u", r->to.len);
	for (uint32_t i = 0; i < n_hops; i++) {
		moore_buf_fmt(&via, "%s", i ? "," : "");
		if (r[i].via.is_set)
			moore_addr_put(&via, &r[i].via);
		else
			moore_buf_fmt(&via, "%s", on_link[r->to.ip]);
		moore_buf_fmt(&name, "%s", i ? "," : "");
		put_name(&name, r[i].port);
		moore_buf_fmt(&distance, "%s%s", i ? "," : "",
			      r[i].is_backup ? MOORE_FRR_BACKUP_DISTANCE : DEFAULT_DISTANCE);
	}
	ok = !key.oom && !via.oom && !name.oom && !distance.oom &&
		(e = entry(root, "STATIC_ROUTE", key.data)) &&
		set_text(e, "nexthop", via.data) && set_text(e, "ifname", name.data) &&
		set_text(e, "advertise", "false") &&
		(!r[n_hops - 1].is_backup || set_text(e, "distance", distance.data));
	moore_buf_free(&key);
	moore_buf_free(&via);
	moore_buf_free(&name);
	moore_buf_free(&distance);
	return ok;
}

/* ---- writing: the chain of classes --------------------------------------------------------- */

struct chain {
	struct moore_ether_class way[TC_MAX];	/* of each traffic class; 0 is lossy */
	unsigned n;
};

static bool
same_way(const struct moore_ether_class *a, const struct moore_ether_class *b)
{
	return a->arrives == b->arrives && a->leaves == b->leaves && a->dscp == b->dscp;
}

/* The traffic class that treats packets so, a new one if need be; TC_MAX when there is no room. */
static unsigned
class_for(struct chain *c, const struct moore_ether_class *way)
{
	unsigned i = 0;

	if (way->leaves == MOORE_ETHER_LOSSY)
		return 0;
	while (i < c->n && !same_way(&c->way[i], way))
		i++;
	if (i == c->n && c->n < TC_MAX)
		c->way[c->n++] = *way;
	return i;
}

/* The map of a port: hosts' ports have one, switches' ports another. */
static int
put_dscp(json_t *root, const struct moore_ether_config *c, struct chain *chain, unsigned port,
	 const char *map, struct moore_err *err)
{
	json_t *e = entry(root, "DSCP_TO_TC_MAP", map);

	for (unsigned d = 0; d < MOORE_N_DSCP; d++) {
		unsigned tc = class_for(chain, &c->by_dscp[port * MOORE_N_DSCP + d]);

		if (tc == TC_MAX)
			return moore_fail(err, MOORE_EINVAL, 0, "SONiC has %d traffic classes, and the classes "
					  "need more", TC_MAX);
		if (!set_number(e, d, tc))
			return moore_fail_nomem(err);
	}
	return 0;
}

static bool
put_chain(json_t *root, const struct chain *c)
{
	json_t *group = entry(root, "TC_TO_PRIORITY_GROUP_MAP", "moore");
	json_t *queue = entry(root, "TC_TO_QUEUE_MAP", "moore");
	json_t *dscp = entry(root, "TC_TO_DSCP_MAP", "moore");
	json_t *pause = entry(root, "MAP_PFC_PRIORITY_TO_QUEUE", "moore");
	json_t *paused = entry(root, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "moore");
	bool ok = true;

	for (unsigned i = 0; i < c->n && ok; i++) {
		const struct moore_ether_class *w = &c->way[i];

		ok = set_number(group, i, i ? w->arrives : 0) && set_number(queue, i, i ? w->leaves : 0) &&
			set_number(dscp, i, w->dscp);
	}
	for (unsigned p = 0; p < 8 && ok; p++)
		ok = set_number(pause, p, p) && set_number(paused, p, p);
	return ok;
}

static bool
bind_port(json_t *root, unsigned port, const char *map, unsigned pfc)
{
	static const char *const maps[] = { "tc_to_pg_map", "tc_to_queue_map", "tc_to_dscp_map",
		"pfc_to_queue_map", "pfc_to_pg_map" };
	struct moore_buf name = MOORE_BUF_INIT, enabled = MOORE_BUF_INIT;
	json_t *e;
	bool ok;

	put_name(&name, port);
	moore_buf_add(&enabled, "", 0);
	for (unsigned p = 0; p < 8; p++)
		if (pfc >> p & 1)
			moore_buf_fmt(&enabled, "%s%u", enabled.len ? "," : "", p);
	ok = !name.oom && !enabled.oom && (e = entry(root, "PORT_QOS_MAP", name.data)) &&
		set_text(e, "dscp_to_tc_map", map) &&
		set_text(e, "pfc_enable", enabled.data ? enabled.data : "");
	for (size_t i = 0; i < ARRAY_LEN(maps) && ok; i++)
		ok = set_text(e, maps[i], "moore");
	moore_buf_free(&name);
	moore_buf_free(&enabled);
	return ok;
}

static int
put_classes(json_t *root, const struct moore_ether *x, moore_swid s,
	    const struct moore_ether_config *c, struct moore_err *err)
{
	struct chain chain = { .way = { { MOORE_ETHER_LOSSY, MOORE_ETHER_LOSSY, 0 } }, .n = 1 };
	bool done[2] = { false, false };
	int rc = 0;

	for (unsigned p = 1; p <= x->plan->sw[s].ports && rc == 0; p++) {
		const struct moore_ether_peer *peer = moore_ether_peer(x, s, (moore_portnum)p);
		bool host = peer->ep != MOORE_NONE;
		const char *map = host ? "moore_host" : "moore_switch";

		if (!host && peer->sw == MOORE_NONE)
			continue;
		if (!done[host])
			rc = put_dscp(root, c, &chain, p, map, err);
		done[host] = true;
		if (rc == 0 && !bind_port(root, p, map, c->pfc[p]))
			rc = moore_fail_nomem(err);
	}
	return rc < 0 ? rc : put_chain(root, &chain) ? 0 : moore_fail_nomem(err);
}

static bool
is_numbered(const struct moore_ether *x)
{
	for (unsigned ip = 0; ip < MOORE_N_IP; ip++)
		if (x->opts.range[ip].is_set && !x->opts.links[ip].is_set)
			return false;
	return true;
}

static int
put_root(json_t *root, const struct moore_ether *x, moore_swid s,
	 const struct moore_ether_config *c, struct moore_err *err)
{
	bool ok = set_text(entry(root, "DEVICE_METADATA", "localhost"), "hostname", x->plan->sw[s].name) &&
		put_addresses(root, x, s);

	for (uint32_t i = 0, n; i < c->n_routes && ok; i += n) {
		n = moore_ether_config_hops(c, i);
		n += moore_ether_config_backups(c, i + n);
		ok = put_route(root, &c->route[i], n);
	}
	if (!ok)
		return moore_fail_nomem(err);
	return c->by_dscp ? put_classes(root, x, s, c, err) : 0;
}

int
moore_ether_put_sonic(const struct moore_ether *x, moore_swid s, const struct moore_ether_config *c,
		      struct moore_buf *b, struct moore_err *err)
{
	char *text;
	json_t *root;
	int rc;

	if (!is_numbered(x))
		return moore_fail(err, MOORE_EINVAL, 0, "static routes of SONiC name next hops on the link "
				  "alone: number the links (--links-ipv4, --links-ipv6)");
	json_object_seed(HASH_SEED);
	if (!(root = json_object()))
		return moore_fail_nomem(err);
	if ((rc = put_root(root, x, s, c, err)) == 0) {
		if ((text = json_dumps(root, JSON_INDENT(1)))) {
			moore_buf_fmt(b, "%s\n", text);
			free(text);
		} else {
			rc = moore_fail_nomem(err);
		}
	}
	json_decref(root);
	return rc;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int
wrong(struct moore_err *err, const char *table, const char *key, const char *why)
{
	return moore_fail(err, MOORE_EPLAN, 0, "%s[\"%.60s\"]: %s", table, key, why);
}

/* Reads "Ethernet12" as the number of a port of the switch. */
static bool
read_name(const struct moore_ether *x, moore_swid s, const char *at, size_t len, unsigned *port)
{
	const char *end = at + len;
	uint64_t n;

	if (strncmp(at, PREFIX, strlen(PREFIX)) != 0)
		return false;
	at += strlen(PREFIX);
	if (!moore_text_u64(&at, end, 10, MOORE_PORT_MAX * LANES_OF_PORT, &n) || at != end ||
	    n % LANES_OF_PORT || n / LANES_OF_PORT >= x->plan->sw[s].ports)
		return false;
	*port = (unsigned)(n / LANES_OF_PORT) + 1;
	return true;
}

/* The address that stands for none: the destination is on the link itself. */
static bool
is_zero(const struct moore_addr *a)
{
	static const uint8_t zero[sizeof(a->byte)];

	return !memcmp(a->byte, zero, sizeof(zero));
}

static const char *
text_of(const json_t *e, const char *key)
{
	const json_t *v = json_object_get(e, key);

	return json_is_string(v) ? json_string_value(v) : "";
}

/* Reads a distance: that of a static route, or of a backup. */
static bool
read_distance(const char *at, size_t len, bool *is_backup)
{
	*is_backup = len == strlen(MOORE_FRR_BACKUP_DISTANCE) &&
		!memcmp(at, MOORE_FRR_BACKUP_DISTANCE, len);
	return *is_backup || (len == 1 && (*at == '0' || *at == '1'));
}

/* The prefix of a route in the key of its entry; *ours is false when the route is of another VRF, or
 * leads out of the network's ranges: then it is somebody else's. */
static int
read_prefix(const struct moore_ether *x, const char *key, struct moore_addr *to, bool *ours, struct moore_err *err)
{
	const char *at = strchr(key, '|') ? key + strlen(VRF) : key;
	struct moore_err why;

	*ours = at == key || !strncmp(key, VRF, strlen(VRF));
	if (!*ours)
		return 0;
	if (moore_addr_parse(to, at, strlen(at), &why) < 0)
		return wrong(err, "STATIC_ROUTE", key, why.text);
	*ours = x->opts.range[to->ip].is_set && moore_addr_within(to, &x->opts.range[to->ip]);
	return 0;
}

/* Reads nexthop, ifname and distance, if there is one: lists of equal length, with a comma between
 * two items. */
static int
read_route(const struct moore_ether *x, moore_swid s, const char *key, const json_t *e,
	   struct moore_ether_config *c, struct moore_err *err)
{
	const char *via = text_of(e, "nexthop"), *name = text_of(e, "ifname");
	const char *far = text_of(e, "distance");
	struct moore_ether_route r = { .port = 0 };
	struct moore_err why;
	bool more, has_far = *far;
	unsigned port;
	int rc = read_prefix(x, key, &r.to, &more, err);

	while (rc == 0 && more) {
		size_t via_len = strcspn(via, ","), name_len = strcspn(name, ",");
		size_t far_len = strcspn(far, ",");

		if (!read_name(x, s, name, name_len, &port))
			return wrong(err, "STATIC_ROUTE", key, "ifname is no port of the switch");
		if (moore_addr_parse(&r.via, via, via_len, &why) < 0)
			return wrong(err, "STATIC_ROUTE", key, "nexthop is no address");
		if (has_far && !read_distance(far, far_len, &r.is_backup))
			return wrong(err, "STATIC_ROUTE", key, "distance is none that is known here: "
				     MOORE_FRR_BACKUP_DISTANCE " is that of a backup");
		if (!via[via_len] != !name[name_len])
			return wrong(err, "STATIC_ROUTE", key, "nexthop and ifname are lists of two lengths");
		if (has_far && !via[via_len] != !far[far_len])
			return wrong(err, "STATIC_ROUTE", key, "nexthop and distance are lists of two lengths");
		r.via.is_set = !is_zero(&r.via);
		r.port = (moore_portnum)port;
		rc = moore_ether_config_add(c, &r, err);
		more = via[via_len];
		via += via_len + more;
		name += name_len + more;
		far += far_len + (has_far && more);
	}
	return rc;
}

/* Reads a map from numbers to numbers; what is not listed is 0. */
static int
read_map(const json_t *root, const char *table, const char *name, unsigned n, uint8_t *out,
	 unsigned max, struct moore_err *err)
{
	const json_t *map = json_object_get(json_object_get(root, table), name), *v;
	const char *key;

	memset(out, 0, n);
	if (!json_is_object(map))
		return wrong(err, table, name, "there is no such map");
	json_object_foreach((json_t *)(uintptr_t)map, key, v) {
		const char *k = key, *t = json_is_string(v) ? json_string_value(v) : "";
		uint64_t from, to;

		if (!moore_text_u64(&k, k + strlen(k), 10, n - 1, &from) || *k ||
		    !moore_text_u64(&t, t + strlen(t), 10, max, &to) || *t)
			return wrong(err, table, name, "a number is missing or too large");
		out[from] = (uint8_t)to;
	}
	return 0;
}

struct maps {
	uint8_t group[TC_MAX], queue[TC_MAX], dscp[TC_MAX];	/* by traffic class */
	uint8_t paused[TC_MAX], pauses[TC_MAX];	/* by priority: the queue that it stops, the group that sends it */
	char name[5][64];	/* of the maps, which must be one for all ports */
};

static int
read_chain(const json_t *root, const char *port, const json_t *e, struct maps *m,
	   struct moore_err *err)
{
	static const struct { const char *key, *table; unsigned max; } map[] = {
		{ "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", 7 },
		{ "tc_to_queue_map", "TC_TO_QUEUE_MAP", 7 },
		{ "tc_to_dscp_map", "TC_TO_DSCP_MAP", MOORE_N_DSCP - 1 },
		{ "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", 7 },
		{ "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", 7 },
	};
	uint8_t *const out[] = { m->group, m->queue, m->dscp, m->paused, m->pauses };
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(map); i++) {
		const json_t *v = json_object_get(e, map[i].key);
		const char *name = json_is_string(v) ? json_string_value(v) : "";

		if (!*name || strlen(name) >= sizeof(m->name[i]))
			return wrong(err, "PORT_QOS_MAP", port, "one of its maps is missing");
		if (!strcmp(m->name[i], name))
			continue;
		if (*m->name[i])
			return wrong(err, "PORT_QOS_MAP", port, "ports with different maps cannot be judged "
				     "here, but for dscp_to_tc_map");
		if ((rc = read_map(root, map[i].table, name, TC_MAX, out[i], map[i].max, err)) < 0)
			return rc;
		memcpy(m->name[i], name, strlen(name) + 1);
	}
	return 0;
}

static int
read_pfc(const char *port, const json_t *e, uint8_t *out, struct moore_err *err)
{
	const json_t *v = json_object_get(e, "pfc_enable");
	const char *at = json_is_string(v) ? json_string_value(v) : "", *end = at + strlen(at);
	uint64_t n;

	*out = 0;
	while (at < end) {
		if (!moore_text_u64(&at, end, 10, 7, &n) || (at < end && *at++ != ','))
			return wrong(err, "PORT_QOS_MAP", port, "pfc_enable is no list of priorities");
		*out = (uint8_t)(*out | 1u << n);
	}
	return 0;
}

/* The one priority that a map leads to a queue or group; LOSSY when it is none, or one of several. */
static uint8_t
priority_to(const uint8_t map[TC_MAX], uint8_t to)
{
	uint8_t found = MOORE_ETHER_LOSSY;

	for (uint8_t p = 0; p < TC_MAX; p++)
		if (map[p] == to) {
			if (found != MOORE_ETHER_LOSSY)
				return MOORE_ETHER_LOSSY;
			found = p;
		}
	return found;
}

/* The maps of a port; those of ports that the plan lacks, and of all ports together ("global"), are not ours. */
static int
read_port(const struct moore_ether *x, moore_swid s, const json_t *root, const char *name,
	  const json_t *e, struct maps *m, struct moore_ether_config *c, struct moore_err *err)
{
	const json_t *v = json_object_get(e, "dscp_to_tc_map");
	uint8_t tc[MOORE_N_DSCP];
	unsigned port;
	int rc;

	if (!read_name(x, s, name, strlen(name), &port))
		return 0;
	if ((rc = read_chain(root, name, e, m, err)) < 0 ||
	    (rc = read_map(root, "DSCP_TO_TC_MAP", json_is_string(v) ? json_string_value(v) : "",
			   MOORE_N_DSCP, tc, TC_MAX - 1, err)) < 0 ||
	    (rc = read_pfc(name, e, &c->pfc[port], err)) < 0)
		return rc;
	for (unsigned d = 0; d < MOORE_N_DSCP; d++)
		if (m->group[tc[d]] && m->queue[tc[d]])
			c->by_dscp[port * MOORE_N_DSCP + d] = (struct moore_ether_class){
				priority_to(m->pauses, m->group[tc[d]]),
				priority_to(m->paused, m->queue[tc[d]]), m->dscp[tc[d]] };
	return 0;
}

static int
read_classes(const struct moore_ether *x, moore_swid s, const json_t *root, struct moore_ether_config *c,
	     struct moore_err *err)
{
	json_t *ports = json_object_get(root, "PORT_QOS_MAP"), *e;
	struct maps m = { .name = { "" } };
	const char *key;
	int rc = moore_ether_classes_new(c, x, s, err);

	if (rc == 0)
		json_object_foreach(ports, key, e)
			if ((rc = read_port(x, s, root, key, e, &m, c, err)) < 0)
				break;
	return rc;
}

static int
read_routes(const struct moore_ether *x, moore_swid s, const json_t *root, struct moore_ether_config *c,
	    struct moore_err *err)
{
	json_t *routes = json_object_get(root, "STATIC_ROUTE"), *e;
	const char *key;
	int rc = 0;

	json_object_foreach(routes, key, e)
		if ((rc = read_route(x, s, key, e, c, err)) < 0)
			break;
	return rc;
}

/* Each value of an entry that is written must be in the one that is there; NULL, or the key that differs. */
static const char *
differing(json_t *want, const json_t *has)
{
	const char *key;
	json_t *v;

	json_object_foreach(want, key, v)
		if (!json_equal(v, json_object_get(has, key)))
			return key;
	return NULL;
}

/* Fails if a port of ours is a member of a VLAN or port channel, which has no addresses of its own, or belongs to
 * a VRF, where the static routes of the default one are not. */
static int
check_free(const json_t *root, const char *port, struct moore_err *err)
{
	static const char *const tables[] = { "VLAN_MEMBER", "PORTCHANNEL_MEMBER" };
	const json_t *of = json_object_get(json_object_get(root, "INTERFACE"), port);
	const char *key, *at;
	json_t *e;

	if (*text_of(of, "vrf_name") && strcmp(text_of(of, "vrf_name"), "default"))
		return wrong(err, "INTERFACE", port, "is in a VRF, which the routes are not");
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		json_object_foreach(json_object_get(root, tables[i]), key, e)
			if ((at = strchr(key, '|')) && !strcmp(at + 1, port))
				return wrong(err, tables[i], key, "the port routes packets by addresses of its own: take it out");
	return 0;
}

/* The interfaces and addresses that the next hops rest on, and the MTU, must be there; others may. */
static int
check_addresses(const struct moore_ether *x, moore_swid s, const json_t *root, struct moore_err *err)
{
	json_t *want = json_object(), *table, *e;
	const char *name, *key, *differs;
	int rc = want && put_addresses(want, x, s) ? 0 : moore_fail_nomem(err);

	if (rc == 0)
		json_object_foreach(want, name, table)
			json_object_foreach(table, key, e) {
				const json_t *has = json_object_get(json_object_get(root, name), key);

				if (rc == 0 && !json_is_object(has))
					rc = wrong(err, name, key, "is missing");
				else if (rc == 0 && (differs = differing(e, has)))
					rc = moore_fail(err, MOORE_EPLAN, 0, "%s[\"%.60s\"].%s: should be %s", name, key,
							differs, text_of(e, differs));
				else if (rc == 0 && !strcmp(name, "PORT"))
					rc = check_free(root, key, err);
			}
	json_decref(want);
	return rc;
}

static int
read_database(const struct moore_ether *x, moore_swid s, const char *text, size_t len, bool is_whole,
	      struct moore_ether_config *c, struct moore_err *err)
{
	json_error_t why;
	json_t *root;
	int rc;

	json_object_seed(HASH_SEED);
	if (!(root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why)))
		return moore_fail(err, MOORE_ESYNTAX, why.line > 0 ? (unsigned)why.line : 0, "%s",
				  why.text);
	if ((rc = read_routes(x, s, root, c, err)) == 0 && is_whole &&
	    (rc = read_classes(x, s, root, c, err)) == 0)
		rc = check_addresses(x, s, root, err);
	json_decref(root);
	return rc;
}

int
moore_ether_read_sonic(const struct moore_ether *x, moore_swid s, const char *text, size_t len,
		       struct moore_ether_config *c, struct moore_err *err)
{
	return read_database(x, s, text, len, true, c, err);
}

int
moore_ether_read_sonic_routes(const struct moore_ether *x, moore_swid s, const char *text, size_t len,
			      struct moore_ether_config *c, struct moore_err *err)
{
	return read_database(x, s, text, len, false, c, err);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* addresses.c - addresses.json: every switch, port, host, layer and prefix of a network.
 * The plan beside it says what is cabled to what; this file says what it is called in IP. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "ether_impl.h"

#define HASH_SEED 1			/* else jansson makes one from the clock */
#define VERSION 1

static const char *const range_key[MOORE_N_IP] = { "ipv4", "ipv6" };
static const char *const links_key[MOORE_N_IP] = { "links_ipv4", "links_ipv6" };
static const char *const self_key[MOORE_N_IP] = { "ipv4_self", "ipv6_self" };

/* ---- writing ------------------------------------------------------------------------- */

static void
put_addr(struct moore_buf *b, const char *key, const struct moore_addr *a)
{
	if (!a->is_set)
		return;
	moore_buf_fmt(b, ", \"%s\": \"", key);
	moore_addr_put(b, a);
	moore_buf_fmt(b, "\"");
}

static void
put_head(const struct moore_ether *x, struct moore_buf *b)
{
	const struct moore_ether_opts *o = &x->opts;

	moore_buf_fmt(b, "{\n\"moore_addresses\": %d,\n\"layers\": %u, \"protocol\": %u, \"mtu\": %u, "
		      "\"next_hop\": \"%s\"", VERSION, o->n_layers, o->protocol, o->mtu,
		      o->next_hop_inet6 ? "inet6" : "onlink");
	for (unsigned ip = 0; ip < MOORE_N_IP; ip++) {
		put_addr(b, range_key[ip], &o->range[ip]);
		put_addr(b, links_key[ip], &o->links[ip]);
	}
	moore_buf_fmt(b, ",\n\"classes\": [");
	for (unsigned c = 0; c < o->n_classes; c++)
		moore_buf_fmt(b, "%s{\"dscp\": %u, \"priority\": %u}", c ? ", " : "", o->dscp[c],
			      o->priority[c]);
	moore_buf_fmt(b, "],\n");
}

static void
put_ports(const struct moore_ether *x, moore_swid s, struct moore_buf *b)
{
	const char *comma = "";

	for (unsigned p = 1; p <= x->plan->sw[s].ports; p++) {
		const struct moore_ether_peer *peer = moore_ether_peer(x, s, (moore_portnum)p);
		struct moore_addr local = moore_ether_local(s, (moore_portnum)p);
		char mac[MOORE_MAC_TEXT];

		if (peer->sw == MOORE_NONE && peer->ep == MOORE_NONE)
			continue;
		moore_ether_mac(mac, s, (moore_portnum)p);
		moore_buf_fmt(b, "%s\n   {\"port\": %u, \"name\": \"" MOORE_PORT_PREFIX "%u\", "
			      "\"mac\": \"%s\"", comma, p, p, mac);
		put_addr(b, "local", &local);
		if (peer->sw != MOORE_NONE) {
			moore_buf_fmt(b, ", \"to\": \"%s\", \"to_port\": %u", x->plan->sw[peer->sw].name,
				      peer->port);
			for (unsigned ip = 0; ip < MOORE_N_IP; ip++)
				put_addr(b, range_key[ip], &x->link[ip][peer->end]);
		} else {
			moore_buf_fmt(b, ", \"to\": \"%s\"", x->plan->ep[peer->ep].name);
		}
		moore_buf_fmt(b, "}");
		comma = ",";
	}
}

static void
put_switch(const struct moore_ether *x, moore_swid s, struct moore_buf *b)
{
	const char *comma = "";

	moore_buf_fmt(b, "  {\"name\": \"%s\", \"prefixes\": [", x->plan->sw[s].name);
	for (uint32_t l = 0; l < x->opts.n_layers; l++) {
		size_t at = (size_t)s * x->opts.n_layers + l;

		if (!x->prefix[MOORE_IP4][at].is_set && !x->prefix[MOORE_IP6][at].is_set)
			continue;
		moore_buf_fmt(b, "%s\n   {\"layer\": %u", comma, l);
		for (unsigned ip = 0; ip < MOORE_N_IP; ip++) {
			put_addr(b, range_key[ip], &x->prefix[ip][at]);
			put_addr(b, self_key[ip], &x->self[ip][at]);
		}
		moore_buf_fmt(b, "}");
		comma = ",";
	}
	moore_buf_fmt(b, "],\n   \"ports\": [");
	put_ports(x, s, b);
	moore_buf_fmt(b, "]}");
}

static void
put_host(const struct moore_ether *x, moore_epid e, struct moore_buf *b)
{
	const struct moore_plan_endpoint *ep = &x->plan->ep[e];
	char mac[MOORE_MAC_TEXT];

	moore_ether_host_mac(mac, e);
	moore_buf_fmt(b, "  {\"name\": \"%s\", \"ca_port\": %u, \"switch\": \"%s\", \"port\": %u, "
		      "\"mac\": \"%s\", \"addresses\": [", ep->name, ep->ca_port,
		      x->plan->sw[ep->sw].name, ep->port, mac);
	for (uint32_t l = 0; l < x->opts.n_layers; l++) {
		moore_buf_fmt(b, "%s\n   {\"layer\": %u", l ? "," : "", l);
		for (unsigned ip = 0; ip < MOORE_N_IP; ip++)
			put_addr(b, range_key[ip], &x->host[ip][(size_t)e * x->opts.n_layers + l]);
		moore_buf_fmt(b, "}");
	}
	moore_buf_fmt(b, "]}");
}

int
moore_ether_write_addresses(const struct moore_ether *x, struct moore_buf *out,
			    struct moore_err *err)
{
	put_head(x, out);
	moore_buf_fmt(out, "\"switches\": [\n");
	for (moore_swid s = 0; s < x->plan->n_switches; s++) {
		moore_buf_fmt(out, s ? ",\n" : "");
		put_switch(x, s, out);
	}
	moore_buf_fmt(out, "],\n\"hosts\": [\n");
	for (moore_epid e = 0; e < x->plan->n_endpoints; e++) {
		moore_buf_fmt(out, e ? ",\n" : "");
		put_host(x, e, out);
	}
	moore_buf_fmt(out, "]\n}\n");
	return out->oom ? moore_fail_nomem(err) : 0;
}

/* ---- reading ------------------------------------------------------------------------- */

struct reader {
	struct moore_ether *x;
	const char *list;	/* "switches" or "hosts" */
	size_t index;
	struct moore_err *err;
};

static int
wrong(const struct reader *r, const char *key, const char *why)
{
	if (r->list)
		return moore_fail(r->err, MOORE_EPLAN, 0, "%s[%zu].%s: %s", r->list, r->index, key, why);
	return moore_fail(r->err, MOORE_EPLAN, 0, "%s: %s", key, why);
}

/* Reads a number within 0..max; a key that is missing is wrong. */
static int
get_number(const struct reader *r, const json_t *from, const char *key, uint32_t max, uint32_t *out)
{
	const json_t *v = json_object_get(from, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > max)
		return wrong(r, key, "a number in its range is wanted");
	*out = (uint32_t)json_integer_value(v);
	return 0;
}

/* Reads an address; a key that is missing leaves it unset. */
static int
get_addr(const struct reader *r, const json_t *from, const char *key, unsigned ip,
	 struct moore_addr *out)
{
	const json_t *v = json_object_get(from, key);
	struct moore_err why;

	if (!v)
		return 0;
	if (!json_is_string(v))
		return wrong(r, key, "an address is wanted");
	if (moore_addr_parse(out, json_string_value(v), json_string_length(v), &why) < 0)
		return wrong(r, key, why.text);
	return out->ip == ip ? 0 : wrong(r, key, "an address of the other family is there");
}

static int
read_classes(const struct reader *r, const json_t *root, struct moore_ether_opts *o)
{
	const json_t *list = json_object_get(root, "classes"), *c;
	uint32_t n;
	size_t i;
	int rc = 0;

	if (!json_is_array(list) || !json_array_size(list) ||
	    json_array_size(list) > MOORE_ETHER_CLASSES_MAX)
		return wrong(r, "classes", "a list of one or two classes is wanted");
	o->n_classes = (uint8_t)json_array_size(list);
	json_array_foreach(list, i, c) {
		if ((rc = get_number(r, c, "dscp", 63, &n)) < 0)
			return rc;
		o->dscp[i] = (uint8_t)n;
		if ((rc = get_number(r, c, "priority", 7, &n)) < 0)
			return rc;
		o->priority[i] = (uint8_t)n;
	}
	return 0;
}

static int
read_head(const struct reader *r, const json_t *root, struct moore_ether_opts *o)
{
	const json_t *hop = json_object_get(root, "next_hop");
	uint32_t n;
	int rc;

	moore_ether_defaults(o);
	if ((rc = get_number(r, root, "moore_addresses", VERSION, &n)) < 0 ||
	    (rc = get_number(r, root, "layers", MOORE_ETHER_LAYERS_MAX, &o->n_layers)) < 0 ||
	    (rc = get_number(r, root, "mtu", UINT32_MAX, &o->mtu)) < 0 ||
	    (rc = get_number(r, root, "protocol", 255, &n)) < 0 ||
	    (rc = read_classes(r, root, o)) < 0)
		return rc;
	o->protocol = (uint8_t)n;
	o->next_hop_inet6 = json_is_string(hop) && !strcmp(json_string_value(hop), "inet6");
	for (unsigned ip = 0; ip < MOORE_N_IP && rc == 0; ip++)
		if ((rc = get_addr(r, root, range_key[ip], ip, &o->range[ip])) == 0)
			rc = get_addr(r, root, links_key[ip], ip, &o->links[ip]);
	return rc < 0 ? rc : moore_ether_check_opts(o, r->err);
}

/* The layer that an element of a list is about. */
static int
get_layer(const struct reader *r, const json_t *from, uint32_t *out)
{
	return get_number(r, from, "layer", r->x->opts.n_layers - 1, out);
}

static int
read_prefixes(const struct reader *r, const json_t *list, moore_swid s)
{
	struct moore_ether *x = r->x;
	const json_t *p;
	uint32_t layer;
	size_t i;
	int rc = 0;

	json_array_foreach(list, i, p) {
		if ((rc = get_layer(r, p, &layer)) < 0)
			return rc;
		for (unsigned ip = 0; ip < MOORE_N_IP && rc == 0; ip++) {
			size_t at = (size_t)s * x->opts.n_layers + layer;

			if ((rc = get_addr(r, p, range_key[ip], ip, &x->prefix[ip][at])) == 0)
				rc = get_addr(r, p, self_key[ip], ip, &x->self[ip][at]);
		}
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
read_links(const struct reader *r, const json_t *list, moore_swid s)
{
	const json_t *p;
	uint32_t port;
	size_t i;
	int rc = 0;

	json_array_foreach(list, i, p) {
		const struct moore_ether_peer *peer;

		if ((rc = get_number(r, p, "port", r->x->plan->sw[s].ports, &port)) < 0)
			return rc;
		peer = moore_ether_peer(r->x, s, (moore_portnum)port);
		for (unsigned ip = 0; peer->sw != MOORE_NONE && ip < MOORE_N_IP && rc == 0; ip++)
			rc = get_addr(r, p, range_key[ip], ip, &r->x->link[ip][peer->end]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
read_host(const struct reader *r, const json_t *list, moore_epid e)
{
	struct moore_ether *x = r->x;
	const json_t *p;
	uint32_t layer;
	size_t i;
	int rc = 0;

	json_array_foreach(list, i, p) {
		if ((rc = get_layer(r, p, &layer)) < 0)
			return rc;
		for (unsigned ip = 0; ip < MOORE_N_IP && rc == 0; ip++)
			rc = get_addr(r, p, range_key[ip], ip,
				      &x->host[ip][(size_t)e * x->opts.n_layers + layer]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static const char *
name_of(const json_t *from)
{
	const json_t *v = json_object_get(from, "name");

	return json_is_string(v) ? json_string_value(v) : "";
}

static int
read_lists(struct reader *r, const json_t *root)
{
	const json_t *switches = json_object_get(root, "switches"), *at;
	const json_t *hosts = json_object_get(root, "hosts");
	const struct moore_plan *p = r->x->plan;
	int rc = 0;

	if (json_array_size(switches) != p->n_switches)
		return wrong(r, "switches", "the plan has another number of them");
	if (json_array_size(hosts) != p->n_endpoints)
		return wrong(r, "hosts", "the plan has another number of them");
	r->list = "switches";
	json_array_foreach(switches, r->index, at) {
		if (strcmp(name_of(at), p->sw[r->index].name))
			return wrong(r, "name", "the plan has another switch there");
		if ((rc = read_prefixes(r, json_object_get(at, "prefixes"), (moore_swid)r->index)) < 0 ||
		    (rc = read_links(r, json_object_get(at, "ports"), (moore_swid)r->index)) < 0)
			return rc;
	}
	r->list = "hosts";
	json_array_foreach(hosts, r->index, at) {
		if (strcmp(name_of(at), p->ep[r->index].name))
			return wrong(r, "name", "the plan has another host there");
		if ((rc = read_host(r, json_object_get(at, "addresses"), (moore_epid)r->index)) < 0)
			return rc;
	}
	r->list = NULL;
	return 0;
}

/* ---- the addresses must fit one another ------------------------------------------------- */

static int
by_order(const void *a, const void *b)
{
	return moore_addr_order(a, b);
}

/* Prefixes of one family must not overlap: sorted, none may lie within the one before. */
static int
check_prefixes(const struct reader *r, unsigned ip)
{
	const struct moore_ether *x = r->x;
	size_t n = 0, all = (size_t)x->plan->n_switches * x->opts.n_layers;
	struct moore_addr *list = malloc((all + 1) * sizeof(*list));
	struct moore_buf text = MOORE_BUF_INIT;
	int rc = 0;

	if (!list)
		return moore_fail_nomem(r->err);
	for (size_t i = 0; i < all; i++)
		if (x->prefix[ip][i].is_set)
			list[n++] = x->prefix[ip][i];
	qsort(list, n, sizeof(*list), by_order);
	for (size_t i = 1; i < n && rc == 0; i++)
		if (moore_addr_within(&list[i], &list[i - 1])) {
			moore_addr_put(&text, &list[i]);
			rc = moore_fail(r->err, MOORE_EPLAN, 0, "switches: the prefix %s is there twice, "
					"or within another", text.data ? text.data : "");
		}
	moore_buf_free(&text);
	free(list);
	return rc;
}

/* Each host has an address in each prefix of its switch. */
static int
check_hosts(struct reader *r, unsigned ip)
{
	const struct moore_ether *x = r->x;
	uint32_t n = x->opts.n_layers;

	r->list = "hosts";
	for (r->index = 0; r->index < x->plan->n_endpoints; r->index++)
		for (uint32_t l = 0; l < n && x->opts.range[ip].is_set; l++) {
			const struct moore_addr *a = &x->host[ip][r->index * n + l];
			const struct moore_addr *of = &x->prefix[ip][(size_t)x->plan->ep[r->index].sw * n + l];

			if (!a->is_set || !of->is_set || !moore_addr_within(a, of))
				return wrong(r, "addresses", "one of them is not in the prefix of its "
					     "switch and layer");
		}
	r->list = NULL;
	return 0;
}

static int
read_root(struct moore_ether **out, struct moore_plan *p, const json_t *root, struct moore_err *err)
{
	struct reader r = { .err = err };
	struct moore_ether_opts o;
	int rc = read_head(&r, root, &o);

	if (rc < 0) {
		moore_plan_free(p);
		return rc;
	}
	if ((rc = moore_ether_new(&r.x, p, &o, err)) < 0)
		return rc;
	rc = read_lists(&r, root);
	for (unsigned ip = 0; ip < MOORE_N_IP && rc == 0; ip++)
		if ((rc = check_prefixes(&r, ip)) == 0)
			rc = check_hosts(&r, ip);
	if (rc < 0)
		moore_ether_free(r.x);
	else
		*out = r.x;
	return rc;
}

int
moore_ether_read_addresses(struct moore_ether **out, struct moore_plan *p, const char *text,
			   size_t len, struct moore_err *err)
{
	json_error_t why;
	json_t *root;
	int rc;

	*out = NULL;
	json_object_seed(HASH_SEED);
	if (!(root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why))) {
		moore_plan_free(p);
		return moore_fail(err, MOORE_ESYNTAX, why.line > 0 ? (unsigned)why.line : 0, "%s",
				  why.text);
	}
	rc = read_root(out, p, root, err);
	json_decref(root);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* number.c - gives the switches, hosts and links of a plan their addresses.
 *
 * A prefix of layer l of switch s is number l * switches + s of its range, so the prefixes of a
 * layer are consecutive.  Within a prefix the switch itself has number 1, and its host j (from
 * 0, in plan order) number 2 + j. */
#include <stdlib.h>
#include <string.h>

#include "ether_impl.h"
#include "plan/plan_parts.h"

#define IP6_PREFIX_BITS 64	/* of a subnet, as hosts expect it (RFC 4291 2.5.1) */

static const char *const ip_name[MOORE_N_IP] = { [MOORE_IP4] = "IPv4", [MOORE_IP6] = "IPv6" };

void
moore_ether_defaults(struct moore_ether_opts *o)
{
	*o = (struct moore_ether_opts){ .n_layers = 4, .protocol = 109, .mtu = 9000,
		.n_classes = 2, .dscp = { 26, 34 }, .priority = { 3, 4 } };
}

/* ---- a network without addresses -------------------------------------------------- */

static int
find_peers(struct moore_ether *x)
{
	const struct moore_plan *p = x->plan;
	uint32_t n = 0;

	if (!(x->port0 = malloc((p->n_switches + 1) * sizeof(*x->port0))))
		return -1;
	for (moore_swid s = 0; s < p->n_switches; s++) {
		x->port0[s] = n;
		n += p->sw[s].ports + 1u;
	}
	if (!(x->peer = malloc((n + 1) * sizeof(*x->peer))))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		x->peer[i] = (struct moore_ether_peer){ .sw = MOORE_NONE, .ep = MOORE_NONE };
	for (moore_epid e = 0; e < p->n_endpoints; e++)
		x->peer[x->port0[p->ep[e].sw] + p->ep[e].port].ep = e;
	for (uint32_t c = 0; c < p->n_cables; c++)
		for (unsigned end = 0; end < 2; end++) {
			const struct moore_plan_cable *k = &p->cable[c];

			x->peer[x->port0[k->sw[end]] + k->port[end]] = (struct moore_ether_peer){
				.sw = k->sw[!end], .port = k->port[!end], .end = c * 2 + end,
				.ep = MOORE_NONE };
		}
	return 0;
}

int
moore_ether_new(struct moore_ether **out, struct moore_plan *p, const struct moore_ether_opts *o,
		struct moore_err *err)
{
	struct moore_ether *x = calloc(1, sizeof(*x));
	size_t n_prefixes = (size_t)p->n_switches * o->n_layers + 1;
	size_t n_hosts = (size_t)p->n_endpoints * o->n_layers + 1;
	bool ok = x;

	*out = NULL;
	if (!x) {
		moore_plan_free(p);
		return moore_fail_nomem(err);
	}
	x->opts = *o;
	x->plan = p;
	for (unsigned ip = 0; ip < MOORE_N_IP; ip++) {
		x->prefix[ip] = calloc(n_prefixes, sizeof(struct moore_addr));
		x->self[ip] = calloc(n_prefixes, sizeof(struct moore_addr));
		x->host[ip] = calloc(n_hosts, sizeof(struct moore_addr));
		x->link[ip] = calloc((size_t)p->n_cables * 2 + 1, sizeof(struct moore_addr));
		ok = ok && x->prefix[ip] && x->self[ip] && x->host[ip] && x->link[ip];
	}
	if (!ok || find_peers(x) < 0) {
		moore_ether_free(x);
		return moore_fail_nomem(err);
	}
	*out = x;
	return 0;
}

void
moore_ether_free(struct moore_ether *x)
{
	if (!x)
		return;
	for (unsigned ip = 0; ip < MOORE_N_IP; ip++) {
		free(x->prefix[ip]);
		free(x->self[ip]);
		free(x->host[ip]);
		free(x->link[ip]);
	}
	free(x->port0);
	free(x->peer);
	moore_plan_free(x->plan);
	free(x);
}

/* ---- ranges ------------------------------------------------------------------------ */

static bool
overlap(const struct moore_addr *a, const struct moore_addr *b)
{
	return moore_addr_within(a, b) || moore_addr_within(b, a);
}

/* Addresses that no host or link can have: a kernel refuses them, or takes them for others. */
static int
check_usable(const struct moore_addr *range, struct moore_err *err)
{
	static const struct { struct moore_addr range; const char *text; } taken[] = {
		{ { .ip = MOORE_IP4, .len = 8 }, "0.0.0.0/8, this network" },
		{ { .ip = MOORE_IP4, .len = 8, .byte = { 127 } }, "127.0.0.0/8, the loopback" },
		{ { .ip = MOORE_IP4, .len = 3, .byte = { 224 } }, "224.0.0.0/3, multicast and reserved" },
		{ { .ip = MOORE_IP6, .len = 8 }, "::/8, the loopback and reserved" },
		{ { .ip = MOORE_IP6, .len = 10, .byte = { 0xfe, 0x80 } },
		  "fe80::/10, the link-local addresses of the ports" },
		{ { .ip = MOORE_IP6, .len = 8, .byte = { 0xff } }, "ff00::/8, multicast" },
	};

	for (size_t i = 0; range->is_set && i < ARRAY_LEN(taken); i++)
		if (overlap(range, &taken[i].range))
			return moore_fail(err, MOORE_EINVAL, 0, "a range overlaps %s: choose another, such as "
					  "%s", taken[i].text, range->ip == MOORE_IP4 ? "10.0.0.0/8" : "fd00::/48");
	return 0;
}

int
moore_ether_check_opts(const struct moore_ether_opts *o, struct moore_err *err)
{
	const struct moore_addr *all[] = { &o->range[0], &o->links[0], &o->range[1], &o->links[1] };

	if (!o->n_layers || o->n_layers > MOORE_ETHER_LAYERS_MAX)
		return moore_fail(err, MOORE_EINVAL, 0, "%u layers: choose 1 to %d", o->n_layers,
				  MOORE_ETHER_LAYERS_MAX);
	if (!o->range[MOORE_IP4].is_set && !o->range[MOORE_IP6].is_set)
		return moore_fail(err, MOORE_EINVAL, 0, "no range of addresses: give one for IPv4, "
				  "IPv6 or both");
	if (o->n_layers > MOORE_N_OFFSETS / 2 && o->range[MOORE_IP4].is_set && o->range[MOORE_IP6].is_set)
		return moore_fail(err, MOORE_EINVAL, 0, "%u layers of both families are more than the checker "
				  "takes: choose up to %d", o->n_layers, MOORE_N_OFFSETS / 2);
	if (o->next_hop_inet6 && !o->range[MOORE_IP4].is_set)
		return moore_fail(err, MOORE_EINVAL, 0, "without IPv4 there is no next hop to choose");
	if (!o->n_classes || o->n_classes > MOORE_ETHER_CLASSES_MAX)
		return moore_fail(err, MOORE_EINVAL, 0, "%u lossless classes: 1 or 2 are used",
				  o->n_classes);
	for (unsigned i = 0; i < o->n_classes; i++)
		if (!o->priority[i] || !o->dscp[i])
			return moore_fail(err, MOORE_EINVAL, 0, "%s 0 is that of lossy traffic: choose another for "
					  "the lossless classes", o->priority[i] ? "DSCP" : "priority");
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (check_usable(all[i], err) < 0)
			return -MOORE_EINVAL;
	for (size_t i = 0; i < ARRAY_LEN(all); i += 2)
		if (all[i]->is_set && all[i + 1]->is_set && overlap(all[i], all[i + 1]))
			return moore_fail(err, MOORE_EINVAL, 0, "the ranges of hosts and links overlap: "
					  "choose two that do not");
	return 0;
}

static uint32_t
most_hosts(const struct moore_ether *x)
{
	uint32_t most = 0;

	for (moore_swid s = 0; s < x->plan->n_switches; s++) {
		uint32_t n = 0;

		for (unsigned p = 1; p <= x->plan->sw[s].ports; p++)
			n += moore_ether_peer(x, s, (moore_portnum)p)->ep != MOORE_NONE;
		most = n > most ? n : most;
	}
	return most;
}

/* Fails unless the range holds that many prefixes of that length. */
static int
check_room(const struct moore_addr *range, unsigned ip, unsigned len, uint64_t n, struct moore_err *err)
{
	unsigned bits = 0;

	while ((uint64_t)1 << bits < n)
		bits++;
	if (range->len + bits <= len)
		return 0;
	return moore_fail(err, MOORE_EINVAL, 0, "the %s range /%u is too small for %llu prefixes of "
			  "/%u: give one of /%d or larger%s", ip_name[ip], range->len,
			  (unsigned long long)n, len, bits > len ? 0 : (int)(len - bits),
			  bits > len ? " (none is: take fewer layers)" : "");
}

static unsigned
prefix_len(const struct moore_ether *x, unsigned ip)
{
	unsigned bits = 2;

	if (ip == MOORE_IP6)
		return IP6_PREFIX_BITS;
	while ((uint32_t)1 << bits < most_hosts(x) + 3)	/* the first and the last are not used */
		bits++;
	return 32 - bits;
}

/* ---- numbering ----------------------------------------------------------------------- */

static void
number_switch(struct moore_ether *x, unsigned ip, moore_swid s, uint32_t layer, unsigned len)
{
	const struct moore_addr *range = &x->opts.range[ip];
	uint64_t n = (uint64_t)layer * x->plan->n_switches + s, j = 2;
	size_t at = (size_t)s * x->opts.n_layers + layer;
	uint8_t all = moore_addr_bits((uint8_t)ip);
	struct moore_addr prefix = moore_addr_part(range, (uint8_t)len, n);

	for (unsigned p = 1; p <= x->plan->sw[s].ports; p++) {
		moore_epid e = moore_ether_peer(x, s, (moore_portnum)p)->ep;

		if (e != MOORE_NONE)
			x->host[ip][(size_t)e * x->opts.n_layers + layer] =
				moore_addr_part(&prefix, all, j++);
	}
	if (layer && j == 2)
		return;
	x->prefix[ip][at] = prefix;
	x->self[ip][at] = moore_addr_part(&prefix, all, 1);
}

static int
number_family(struct moore_ether *x, unsigned ip, struct moore_err *err)
{
	uint64_t n = (uint64_t)x->opts.n_layers * x->plan->n_switches;
	unsigned len = prefix_len(x, ip);
	uint8_t all = moore_addr_bits((uint8_t)ip);
	int rc = 0;

	if (x->opts.range[ip].is_set && (rc = check_room(&x->opts.range[ip], ip, len, n, err)) == 0)
		for (moore_swid s = 0; s < x->plan->n_switches; s++)
			for (uint32_t l = 0; l < x->opts.n_layers; l++)
				number_switch(x, ip, s, l, len);
	if (rc == 0 && x->opts.links[ip].is_set &&
	    (rc = check_room(&x->opts.links[ip], ip, all - 1u, x->plan->n_cables, err)) == 0)
		for (uint32_t i = 0; i < x->plan->n_cables * 2; i++)
			x->link[ip][i] = moore_addr_part(&x->opts.links[ip], all, i);
	return rc;
}

int
moore_ether_number(struct moore_ether **out, struct moore_plan *p, const struct moore_ether_opts *o,
		   struct moore_err *err)
{
	int rc = moore_ether_check_opts(o, err);

	*out = NULL;
	if (rc < 0) {
		moore_plan_free(p);
		return rc;
	}
	if ((rc = moore_ether_new(out, p, o, err)) < 0)
		return rc;
	for (unsigned ip = 0; ip < MOORE_N_IP && rc == 0; ip++)
		rc = number_family(*out, ip, err);
	if (rc < 0) {
		moore_ether_free(*out);
		*out = NULL;
	}
	return rc;
}

/* ---- what follows from numbers alone ----------------------------------------------------- */

struct moore_addr
moore_ether_local(moore_swid s, moore_portnum port)
{
	return (struct moore_addr){ .ip = MOORE_IP6, .len = 128, .is_set = true, .byte = { 0xfe, 0x80,
		[10] = (uint8_t)(s >> 24), [11] = (uint8_t)(s >> 16), [12] = (uint8_t)(s >> 8),
		[13] = (uint8_t)s, [15] = port } };
}

static void
put_mac(char out[MOORE_MAC_TEXT], const uint8_t byte[6])
{
	static const char hex[] = "0123456789abcdef";

	for (unsigned i = 0; i < 6; i++) {
		out[i * 3] = hex[byte[i] >> 4];
		out[i * 3 + 1] = hex[byte[i] & 15];
		out[i * 3 + 2] = i < 5 ? ':' : '\0';
	}
}

/* Both are locally administered (IEEE 802, 8.2.2): bit 1 of the first byte. */
void
moore_ether_mac(char out[MOORE_MAC_TEXT], moore_swid s, moore_portnum port)
{
	put_mac(out, (const uint8_t[6]){ 0x02, port, (uint8_t)(s >> 24), (uint8_t)(s >> 16),
					 (uint8_t)(s >> 8), (uint8_t)s });
}

void
moore_ether_host_mac(char out[MOORE_MAC_TEXT], moore_epid e)
{
	put_mac(out, (const uint8_t[6]){ 0x06, 0, (uint8_t)(e >> 24), (uint8_t)(e >> 16),
					 (uint8_t)(e >> 8), (uint8_t)e });
}

bool
moore_ether_is_part(const struct moore_ether *x, moore_swid s, const struct moore_addr *a)
{
	const size_t n = (size_t)x->plan->n_switches * x->opts.n_layers;

	if (!x->opts.range[a->ip].is_set || !moore_addr_within(a, &x->opts.range[a->ip]))
		return false;
	for (size_t i = 0; i < n; i++)
		if (i / x->opts.n_layers != s && x->prefix[a->ip][i].is_set && moore_addr_within(a, &x->prefix[a->ip][i]))
			return true;
	return false;
}

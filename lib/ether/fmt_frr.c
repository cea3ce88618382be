// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_frr.c - frr.conf: the routes for zebra and staticd of FRR, which load it as a file (-f).
 *
 * FRR gives the kernel's routes a protocol number of its own (196).  Its static routes take no
 * IPv6 next hop for an IPv4 prefix.  Addresses of interfaces stay with interfaces.ipbatch. */
#include <string.h>

#include "ether_impl.h"

static const char *const command[MOORE_N_IP] = { [MOORE_IP4] = "ip route ", [MOORE_IP6] = "ipv6 route " };

static void
put_route(const struct moore_ether_route *r, struct moore_buf *b)
{
	moore_buf_fmt(b, "%s", command[r->to.ip]);
	moore_addr_put(b, &r->to);
	if (r->to.len == moore_addr_bits(r->to.ip))
		moore_buf_fmt(b, "/%u", r->to.len);
	if (r->via.is_set) {
		moore_buf_fmt(b, " ");
		moore_addr_put(b, &r->via);
	}
	moore_buf_fmt(b, " " MOORE_PORT_PREFIX "%u%s%s\n", r->port,
		      r->is_backup ? " " MOORE_FRR_BACKUP_DISTANCE : "", r->onlink ? " onlink" : "");
}

int
moore_ether_put_frr(const struct moore_ether *x, moore_swid s, const struct moore_ether_config *c,
		    struct moore_buf *b, struct moore_err *err)
{
	if (x->opts.next_hop_inet6 && x->opts.range[MOORE_IP4].is_set)
		return moore_fail(err, MOORE_EINVAL, 0, "FRR takes no IPv6 next hop for an IPv4 prefix: "
				  "leave out --next-hop inet6");
	if (strchr(x->plan->sw[s].name, ' '))
		return moore_fail(err, MOORE_EINVAL, 0, "FRR takes no host name with blanks: rename the "
				  "switch in the plan");
	moore_buf_fmt(b, "frr defaults datacenter\nhostname %s\n!\n", x->plan->sw[s].name);
	for (uint32_t i = 0; i < c->n_routes; i++)
		put_route(&c->route[i], b);
	moore_buf_fmt(b, "!\nend\n");
	return 0;
}

/* ---- reading ------------------------------------------------------------------------- */

static bool
starts(const struct moore_ether_line *w, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(w->end - w->at) >= n && !memcmp(w->at, text, n);
}

/* Reads the words after the prefix: [NEXT HOP] PORT [20] [onlink]. */
static int
read_rest(struct moore_ether_line *w, struct moore_ether_route *r)
{
	struct moore_ether_word at;
	bool is_there = moore_ether_next_word(w, &at);
	int rc;

	if (is_there && moore_ether_read_port(at.at, at.len, &r->port) < 0) {
		if ((rc = moore_ether_take_addr(w, &at, &r->via)) < 0)
			return rc;
		is_there = moore_ether_next_word(w, &at);
		if (!is_there || moore_ether_read_port(at.at, at.len, &r->port) < 0)
			return moore_ether_fail_at(w, &at, "is no port of a switch: they are "
						   MOORE_PORT_PREFIX "1 to " MOORE_PORT_PREFIX "254");
	}
	if (!is_there)
		return moore_ether_fail_at(w, &at, "a port is missing at the end of the line");
	while (moore_ether_next_word(w, &at))
		if (at.len == 6 && !memcmp(at.at, "onlink", 6))
			r->onlink = true;
		else if (at.len == strlen(MOORE_FRR_BACKUP_DISTANCE) &&
			 !memcmp(at.at, MOORE_FRR_BACKUP_DISTANCE, at.len))
			r->is_backup = true;
		else
			return moore_ether_fail_at(w, &at, "is not a word of a route that is known here");
	return 0;
}

static int
read_line(struct moore_ether_line *w, struct moore_ether_config *c)
{
	static const char *const other[] = { "!", "frr defaults ", "hostname ", "log ", "end" };
	struct moore_ether_route r = { .line = w->line };
	struct moore_ether_word at;
	unsigned ip = 0;
	int rc;

	if (w->at == w->end)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(other); i++)
		if (starts(w, other[i]))
			return 0;
	while (ip < MOORE_N_IP && !starts(w, command[ip]))
		ip++;
	if (ip == MOORE_N_IP) {
		at = (struct moore_ether_word){ w->at, (size_t)(w->end - w->at) };
		return moore_ether_fail_at(w, &at, "is no route: this file holds lines \"ip route PREFIX ...\"");
	}
	w->at += strlen(command[ip]);
	if (!moore_ether_next_word(w, &at))
		return moore_ether_fail_at(w, &at, "a prefix is missing at the end of the line");
	if ((rc = moore_ether_take_addr(w, &at, &r.to)) < 0 || (rc = read_rest(w, &r)) < 0)
		return rc;
	return moore_ether_config_add(c, &r, w->err);
}

int
moore_ether_read_frr(const struct moore_ether *x, moore_swid s, const char *text, size_t len,
		     struct moore_ether_config *c, struct moore_err *err)
{
	const char *end = text + len;
	unsigned line = 0;
	int rc = 0;

	(void)x;
	(void)s;
	while (text < end && rc == 0) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		struct moore_ether_line w = { text, nl ? nl : end, ++line, err };

		rc = read_line(&w, c);
		text = nl ? nl + 1 : end;
	}
	return rc;
}

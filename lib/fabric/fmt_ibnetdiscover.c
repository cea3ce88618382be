// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_ibnetdiscover.c - reads and writes what ibnetdiscover prints (ibnetdiscover(8),
 * "Topology file format").
 *
 * A record is a header ("Switch 8 "S-<node GUID>" # "description" ...") and a
 * line for each cabled port ("[1] "H-<node GUID>"[1](<port GUID>) # ...").
 * Elsewhere: listing.c makes a plan of the nodes and lines. */
#include <stdlib.h>
#include <string.h>

#include "listing.h"

/* ---- writing ----------------------------------------------------------------- */

static void
put_ids(struct moore_buf *b, const char *kind, uint64_t guid)
{
	moore_buf_fmt(b, "\nvendid=0x0\ndevid=0x0\nsysimgguid=0x%llx\n%sguid=0x%llx",
		      (unsigned long long)guid, kind, (unsigned long long)guid);
}

/* An unknown rate is written as the slowest, since the format requires one. */
static void
put_rate(struct moore_buf *b, const struct moore_plan *p, struct moore_rate own)
{
	const struct moore_rate rate = moore_plan_rate(p, own);

	moore_rate_put(b, rate.width ? rate : (struct moore_rate){ 4, 1 });
	moore_buf_fmt(b, "\n");
}

static void
put_switch_port(struct moore_buf *b, const struct moore_plan *p,
		const struct moore_plan_wiring *w, const uint64_t *node_guid,
		const struct moore_plan_ref *plug)
{
	const struct moore_plan_endpoint *e = &p->ep[plug->index];
	const struct moore_plan_cable *c = &p->cable[plug->index];
	int far = plug->kind == MOORE_PLAN_CABLE_A;

	moore_buf_fmt(b, "[%u]\t", (unsigned)(plug->key & 0xff));
	if (plug->kind == MOORE_PLAN_ENDPOINT)
		moore_buf_fmt(b, "\"H-%016llx\"[%u](%llx) \t\t# \"%s\" lid 0 ",
			      (unsigned long long)node_guid[plug->index], e->ca_port,
			      (unsigned long long)w->ep_guid[plug->index], e->name);
	else
		moore_buf_fmt(b, "\"S-%016llx\"[%u]\t\t# \"%s\" lid 0 ",
			      (unsigned long long)w->sw_guid[c->sw[far]], c->port[far],
			      p->sw[c->sw[far]].name);
	put_rate(b, p, plug->kind == MOORE_PLAN_ENDPOINT ? e->rate : c->rate);
}

static void
put_ca(struct moore_buf *b, const struct moore_plan *p, const struct moore_plan_wiring *w,
       const struct moore_plan_ca *ca)
{
	put_ids(b, "ca", ca->guid);
	moore_buf_fmt(b, "\nCa\t%u \"H-%016llx\"\t\t# \"%s\"\n", ca->ports,
		      (unsigned long long)ca->guid, ca->name);
	for (uint32_t j = ca->start; j < ca->start + ca->n; j++) {
		const struct moore_plan_endpoint *e = &p->ep[w->ep[j]];

		moore_buf_fmt(b, "[%u](%llx) \t\"S-%016llx\"[%u]\t\t# lid 0 lmc 0 \"%s\" lid 0 ",
			      e->ca_port, (unsigned long long)w->ep_guid[w->ep[j]],
			      (unsigned long long)w->sw_guid[e->sw], e->port, p->sw[e->sw].name);
		put_rate(b, p, e->rate);
	}
}

int
moore_plan_write_ibnetdiscover(const struct moore_plan *p, struct moore_buf *out,
			       struct moore_err *err)
{
	struct moore_plan_wiring w;
	uint64_t *node_guid = NULL;	/* of each endpoint's CA */
	size_t at = 0;
	int rc;

	if ((rc = moore_plan_wiring_init(&w, p, err)) < 0)
		return rc;
	if (!(node_guid = malloc(((size_t)p->n_endpoints + 1) * sizeof(*node_guid)))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	for (uint32_t i = 0; i < w.n_cas; i++)
		for (uint32_t j = w.ca[i].start; j < w.ca[i].start + w.ca[i].n; j++)
			node_guid[w.ep[j]] = w.ca[i].guid;
	moore_buf_fmt(out, "#\n# Topology file: written from a plan\n#\n");
	for (uint32_t i = 0; i < p->n_switches; i++) {
		put_ids(out, "switch", w.sw_guid[i]);
		moore_buf_fmt(out, "(%llx)\nSwitch\t%u \"S-%016llx\"\t\t# \"%s\" base port 0 lid 0 "
			      "lmc 0\n", (unsigned long long)w.sw_guid[i], p->sw[i].ports,
			      (unsigned long long)w.sw_guid[i], p->sw[i].name);
		for (; at < w.n_plugs && w.plug[at].key >> 8 == i; at++)
			put_switch_port(out, p, &w, node_guid, &w.plug[at]);
	}
	for (uint32_t i = 0; i < w.n_cas; i++)
		put_ca(out, p, &w, &w.ca[i]);
	rc = moore_plan_written(out, err);
out:
	free(node_guid);
	moore_plan_wiring_fini(&w);
	return rc;
}

/* ---- reading ---------------------------------------------------------------------- */

struct line {
	const char *s, *end;
	unsigned number;
};

static bool
take(struct line *l, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(l->end - l->s) < n || memcmp(l->s, word, n))
		return false;
	l->s += n;
	return true;
}

static void
skip_blanks(struct line *l)
{
	while (l->s < l->end && (*l->s == ' ' || *l->s == '\t'))
		l->s++;
}

static bool
take_number(struct line *l, unsigned base, uint64_t max, uint64_t *out)
{
	return moore_text_u64(&l->s, l->end, base, max, out);
}

/* Reads "[3]", a port in 1..max, and the "[ext 7]" that grouped listings append. */
static bool
take_port(struct line *l, moore_portnum max, moore_portnum *out)
{
	uint64_t v, ext;

	if (!take(l, "[") || !take_number(l, 10, max, &v) || !v || !take(l, "]"))
		return false;
	*out = (moore_portnum)v;
	return !take(l, "[ext ") || (take_number(l, 10, UINT32_MAX, &ext) && take(l, "]"));
}

/* "S-0002c90300a1b2c0" in quotes */
static bool
take_id(struct line *l, char *kind, uint64_t *guid)
{
	skip_blanks(l);
	if (l->end - l->s < 3 || l->s[0] != '"' || !memchr("SHR", l->s[1], 3))
		return false;
	*kind = l->s[1];
	l->s += 2;
	return take(l, "-") && take_number(l, 16, UINT64_MAX, guid) && take(l, "\"");
}

/* The description is between the first and the last quote, since it may hold quotes. */
static void
take_description(struct line *l, const char **desc, size_t *len)
{
	const char *from = memchr(l->s, '"', (size_t)(l->end - l->s)), *to = l->end;

	*desc = l->s;
	*len = 0;
	if (!from)
		return;
	while (*--to != '"')
		;
	if (to == from)
		return;
	*desc = from + 1;
	*len = (size_t)(to - from - 1);
}

/* The rate is the last word of a port line; any other word leaves it unknown. */
static void
take_rate(const struct line *l, struct moore_rate *rate)
{
	const char *end = l->end, *s;

	while (end > l->s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	for (s = end; s > l->s && s[-1] != ' ' && s[-1] != '\t'; s--)
		;
	moore_rate_read(&s, end, rate);
}

static int
read_header(struct moore_listing *d, struct line *l, char kind)
{
	struct moore_listed_node *n = moore_listing_node(d);
	uint64_t ports;

	if (!n)
		return -MOORE_ENOMEM;
	n->line = l->number;
	skip_blanks(l);
	if (!take_number(l, 10, MOORE_PORT_MAX, &ports) || !ports)
		return moore_fail(d->err, MOORE_ESYNTAX, l->number, "a node's number of ports is "
				  "1..%d", MOORE_PORT_MAX);
	if (!take_id(l, &n->kind, &n->guid) || n->kind != kind)
		return moore_fail(d->err, MOORE_ESYNTAX, l->number, "want the node's id in quotes, as "
				  "in \"%c-0002c90300a1b2c0\"", kind);
	if (d->n_nodes == MOORE_PLAN_COUNT_MAX)
		return moore_fail(d->err, MOORE_EPLAN, l->number, "more than %d nodes",
				  MOORE_PLAN_COUNT_MAX);
	n->ports = (moore_portnum)ports;
	take_description(l, &n->desc, &n->desc_len);
	d->n_nodes++;
	return 0;
}

static int
read_port(struct moore_listing *d, struct line *l)
{
	struct moore_listed_link *k = moore_listing_link(d);
	const struct moore_listed_node *n = d->n_nodes ? &d->node[d->n_nodes - 1] : NULL;
	uint64_t peer_port_guid;

	if (!k)
		return -MOORE_ENOMEM;
	if (!n)
		return moore_fail(d->err, MOORE_ESYNTAX, l->number, "a port before the first node");
	k->node = d->n_nodes - 1;
	k->line = l->number;
	if (!take_port(l, n->ports, &k->port))
		return moore_fail(d->err, MOORE_ESYNTAX, l->number, "want a port in brackets, 1..%u as "
				  "line %u says", n->ports, n->line);
	if (take(l, "(") && (!take_number(l, 16, UINT64_MAX, &k->port_guid) || !take(l, ")")))
		return moore_fail(d->err, MOORE_ESYNTAX, l->number, "want the port GUID between ( and )");
	if (!take_id(l, &k->peer_kind, &k->peer_guid) ||
	    !take_port(l, MOORE_PORT_MAX, &k->peer_port) ||
	    (take(l, "(") && (!take_number(l, 16, UINT64_MAX, &peer_port_guid) || !take(l, ")"))))
		return moore_fail(d->err, MOORE_ESYNTAX, l->number, "want the peer's id and port, as in "
				  "\"S-0002c90300a1b2c0\"[7]");
	if (d->n_links == 2 * MOORE_PLAN_COUNT_MAX)
		return moore_fail(d->err, MOORE_EPLAN, l->number, "more than %d links",
				  MOORE_PLAN_COUNT_MAX);
	take_rate(l, &k->rate);
	d->n_links++;
	return 0;
}

static int
read_line(struct moore_listing *d, struct line *l)
{
	static const struct {
		const char *word;
		char kind;
	} headers[] = { { "Switch", 'S' }, { "Ca", 'H' }, { "Rt", 'R' } };
	static const char *const noise[] = { "#", "vendid=", "devid=", "sysimgguid=", "switchguid=",
		"caguid=", "rtguid=", "Chassis ", "Non-Chassis ", "Hostname: " };

	skip_blanks(l);
	if (l->s == l->end)
		return 0;
	if (*l->s == '[')
		return read_port(d, l);
	for (size_t i = 0; i < ARRAY_LEN(noise); i++)
		if (take(l, noise[i]))
			return 0;
	for (size_t i = 0; i < ARRAY_LEN(headers); i++)
		if (take(l, headers[i].word))
			return read_header(d, l, headers[i].kind);
	return moore_fail(d->err, MOORE_ESYNTAX, l->number, "not a line that ibnetdiscover prints: want "
			  "Switch, Ca, Rt, a port in brackets or an identifier such as vendid=");
}

int
moore_listing_ibnetdiscover(struct moore_listing *d, const char *text, size_t len)
{
	const char *end = text + len;
	unsigned number = 0;
	int rc = 0;

	while (!rc && text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		struct line l = { text, nl ? nl : end, ++number };

		if (l.end > l.s && l.end[-1] == '\r')
			l.end--;
		rc = read_line(d, &l);
		text = nl ? nl + 1 : end;
	}
	return rc;
}

int
moore_plan_parse_ibnetdiscover(struct moore_plan **out, const char *text, size_t len,
			       struct moore_err *err)
{
	struct moore_listing d = { .err = err };
	int rc;

	*out = NULL;
	if ((rc = moore_listing_ibnetdiscover(&d, text, len)) == 0)
		rc = moore_listing_plan(&d, out);
	moore_listing_fini(&d);
	return rc;
}

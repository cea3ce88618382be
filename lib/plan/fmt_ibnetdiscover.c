// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_ibnetdiscover.c - a plan from and as what ibnetdiscover prints
 * (ibnetdiscover(8), "Topology file format").
 *
 * A record is a header ("Switch 8 "S-<node GUID>" # "description" ...") and a
 * line for each cabled port ("[1] "H-<node GUID>"[1](<port GUID>) # ...").
 * Every link stands in both records; reading checks that the two agree, sorts
 * lines by (node, port), and takes each link from its first line.  So a plan
 * keeps the file's order of nodes and is sorted by port inside them. */
#include <stdlib.h>
#include <string.h>

#include "plan_parts.h"

/* ---- writing ----------------------------------------------------------------- */

static void
put_ids(struct moore_buf *b, const char *kind, uint64_t guid)
{
	moore_buf_fmt(b, "\nvendid=0x0\ndevid=0x0\nsysimgguid=0x%llx\n%sguid=0x%llx",
		      (unsigned long long)guid, kind, (unsigned long long)guid);
}

/* What a plan leaves open is written as the slowest: the form has no word for it. */
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

/* ---- reading: lines ------------------------------------------------------------ */

struct node {
	uint64_t guid;
	const char *desc;	/* inside the text */
	size_t desc_len;
	char *name;
	uint32_t index;		/* of a switch in the plan */
	unsigned line;
	char kind;		/* as in its id: S, H or R */
	moore_portnum ports;
};

struct link {			/* one port line */
	uint32_t node, peer;	/* peer: resolved after the last line */
	uint64_t port_guid, peer_guid;
	unsigned line;
	char peer_kind;
	moore_portnum port, peer_port;
	struct moore_rate rate;
};

struct dump {
	struct node *node;
	struct link *link;
	uint32_t n_nodes, node_cap, n_links, link_cap;
	struct moore_plan_ref *by_guid;	/* nodes by (GUID, kind) */
	struct moore_plan_ref *by_port;	/* links by (node, port) */
	struct moore_err *err;
};

struct line {
	const char *s, *end;
	unsigned number;
};

/* The array with room for element n; NULL, and the array as it was, on failure. */
static void *
grow(struct dump *d, void *array, uint32_t n, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 64;
	void *p = array;

	if (n < *cap)
		return array;
	if ((p = realloc(array, more * size)))
		*cap = more;
	else
		moore_fail_nomem(d->err);
	return p;
}

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

/* "[3]", a port in 1..max, and in grouped listings "[ext 7]" behind it */
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

/* The description is between the first and the last quote: it may hold some. */
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

/* The last word of a port line; unknown when it is none. */
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
read_header(struct dump *d, struct line *l, char kind)
{
	struct node *n = grow(d, d->node, d->n_nodes, &d->node_cap, sizeof(*n));
	uint64_t ports;

	if (!n)
		return -MOORE_ENOMEM;
	d->node = n;
	n += d->n_nodes;
	*n = (struct node){ .line = l->number };
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
read_port(struct dump *d, struct line *l)
{
	struct link *k = grow(d, d->link, d->n_links, &d->link_cap, sizeof(*k));
	const struct node *n = d->n_nodes ? &d->node[d->n_nodes - 1] : NULL;
	uint64_t peer_port_guid;

	if (!k)
		return -MOORE_ENOMEM;
	d->link = k;
	k += d->n_links;
	if (!n)
		return moore_fail(d->err, MOORE_ESYNTAX, l->number, "a port before the first node");
	*k = (struct link){ .node = d->n_nodes - 1, .line = l->number };
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
read_line(struct dump *d, struct line *l)
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

static int
read_lines(struct dump *d, const char *text, size_t len)
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

/* ---- reading: links -------------------------------------------------------------- */

#define ID "\"%c-%016llx\""
#define ID_OF(n) (n)->kind, (unsigned long long)(n)->guid

static int
index_nodes(struct dump *d)
{
	struct moore_plan_ref *r = malloc(((size_t)d->n_nodes + 1) * sizeof(*r));

	if (!(d->by_guid = r))
		return moore_fail_nomem(d->err);
	for (uint32_t i = 0; i < d->n_nodes; i++)
		r[i] = (struct moore_plan_ref){ "", d->node[i].guid, i, d->node[i].kind };
	moore_plan_refs_sort(r, d->n_nodes);
	for (uint32_t i = 1; i < d->n_nodes; i++) {
		const struct node *n = &d->node[r[i].index];

		if (r[i].key == r[i - 1].key && r[i].kind == r[i - 1].kind)
			return moore_fail(d->err, MOORE_EPLAN, n->line, ID " is listed on line %u already: "
					  "list each node once (ibnetdiscover without -g)", ID_OF(n),
					  d->node[r[i - 1].index].line);
	}
	return 0;
}

static int
index_links(struct dump *d)
{
	struct moore_plan_ref *r = malloc(((size_t)d->n_links + 1) * sizeof(*r));

	if (!(d->by_port = r))
		return moore_fail_nomem(d->err);
	for (uint32_t i = 0; i < d->n_links; i++) {
		struct link *k = &d->link[i];

		k->peer = moore_plan_refs_find(d->by_guid, d->n_nodes, "", k->peer_guid, k->peer_kind);
		if (k->peer == MOORE_NONE)
			return moore_fail(d->err, MOORE_EPLAN, k->line, "\"%c-%016llx\" has no record in "
					  "this file: is the listing complete?", k->peer_kind,
					  (unsigned long long)k->peer_guid);
		r[i] = (struct moore_plan_ref){ "", moore_plan_plug_key(k->node, k->port), i, 0 };
	}
	moore_plan_refs_sort(r, d->n_links);
	for (uint32_t i = 1; i < d->n_links; i++)
		if (r[i].key == r[i - 1].key)
			return moore_fail(d->err, MOORE_EPLAN, d->link[r[i].index].line, "port %u is on "
					  "line %u already", d->link[r[i].index].port,
					  d->link[r[i - 1].index].line);
	return 0;
}

static int
check_link(const struct dump *d, const struct link *k)
{
	const struct node *n = &d->node[k->node], *peer = &d->node[k->peer];
	uint32_t i = moore_plan_refs_find(d->by_port, d->n_links, "",
					  moore_plan_plug_key(k->peer, k->peer_port), 0);
	const struct link *back = i == MOORE_NONE ? NULL : &d->link[i];

	if (!back)
		return moore_fail(d->err, MOORE_EPLAN, k->line, "the record of " ID " (line %u) has no "
				  "line for its port %u: a link must be listed at both ends; take the "
				  "listing again", ID_OF(peer), peer->line, k->peer_port);
	if (back->peer != k->node || back->peer_port != k->port)
		return moore_fail(d->err, MOORE_EPLAN, k->line, "this leads to " ID "[%u], but line %u "
				  "says that port leads to " ID "[%u]: take the listing again",
				  ID_OF(peer), k->peer_port, back->line, ID_OF(&d->node[back->peer]),
				  back->peer_port);
	if (n->kind != 'S' && peer->kind != 'S')
		return moore_fail(d->err, MOORE_EPLAN, k->line, ID " is cabled to " ID ": one end of a "
				  "link must be a switch", ID_OF(n), ID_OF(peer));
	if (k->peer == k->node)
		return moore_fail(d->err, MOORE_EPLAN, k->line, "switch " ID " is cabled to itself: "
				  "unplug it, or take both lines out", ID_OF(n));
	return 0;
}

/* ---- reading: names ----------------------------------------------------------------- */

/* A description as a name: what a name cannot hold becomes _, ends are trimmed,
 * and it is cut to max bytes; an empty one is the node's id. */
static char *
make_name(const struct node *n, size_t max)
{
	struct moore_buf b = MOORE_BUF_INIT;
	const char *s = n->desc, *end = s + n->desc_len;
	size_t len;

	while (s < end && *s == ' ')
		s++;
	while (s < end && end[-1] == ' ')
		end--;
	for (; s < end; s += len ? len : 1) {
		len = moore_utf8_len(s, (size_t)(end - s));
		if (b.len + (len ? len : 1) > max)
			break;
		if (!len || (unsigned char)*s < 0x20 || *s == 0x7f || *s == '"' || *s == '\\')
			moore_buf_fmt(&b, "_");
		else
			moore_buf_add(&b, s, len);
	}
	if (!b.len)
		moore_buf_fmt(&b, "%c-%016llx", n->kind, (unsigned long long)n->guid);
	if (b.oom)
		moore_buf_free(&b);
	return b.data;
}

/* Every node of a name that more than one has gets its GUID behind it. */
static bool
make_unique(struct dump *d, struct moore_plan_ref *r, size_t n)
{
	struct moore_buf b = MOORE_BUF_INIT;
	bool ok = true;

	for (size_t from = 0, to; ok && from < n; from = to) {
		for (to = from + 1; to < n && !strcmp(r[to].name, r[from].name); to++)
			;
		for (size_t i = from; ok && to - from > 1 && i < to; i++) {
			struct node *node = &d->node[r[i].index];
			char *base = make_name(node, MOORE_NAME_MAX - 17);

			b.len = 0;
			moore_buf_fmt(&b, "%s-%016llx", base, (unsigned long long)node->guid);
			free(base);
			base = base && !b.oom ? moore_strndup(b.data, b.len) : NULL;
			ok = base != NULL;
			if (ok) {
				free(node->name);
				node->name = base;
			}
		}
	}
	moore_buf_free(&b);
	return ok;
}

static int
name_nodes(struct dump *d)
{
	struct moore_plan_ref *r = malloc(((size_t)d->n_nodes + 1) * sizeof(*r));
	size_t n = 0;
	bool ok = r != NULL;

	for (uint32_t i = 0; ok && i < d->n_nodes; i++) {
		struct node *node = &d->node[i];

		ok = (node->name = make_name(node, MOORE_NAME_MAX)) != NULL;
		r[n++] = (struct moore_plan_ref){ node->name, 0, i, 0 };
	}
	if (ok) {
		moore_plan_refs_sort(r, n);
		ok = make_unique(d, r, n);
	}
	free(r);
	return ok ? 0 : moore_fail_nomem(d->err);
}

/* ---- reading: the plan ----------------------------------------------------------------- */

/* Is k the line that the plan takes this switch-to-switch link from? */
static bool
is_cable(const struct dump *d, const struct link *k)
{
	return d->node[k->node].kind == 'S' && d->node[k->peer].kind == 'S' &&
	       moore_plan_plug_key(k->node, k->port) < moore_plan_plug_key(k->peer, k->peer_port);
}

static struct moore_plan *
new_plan(struct dump *d)
{
	uint32_t n_switches = 0, n_endpoints = 0, n_cables = 0;

	for (uint32_t i = 0; i < d->n_nodes; i++)
		if (d->node[i].kind == 'S')
			d->node[i].index = n_switches++;
	for (uint32_t i = 0; i < d->n_links; i++) {
		n_endpoints += d->node[d->link[i].node].kind != 'S';
		n_cables += is_cable(d, &d->link[i]);
	}
	return moore_plan_new(n_switches, n_endpoints, n_cables);
}

/* One rate for all is the plan's, and nobody's own. */
static void
share_rate(struct moore_plan *p, const struct moore_rate *all)
{
	p->rate = *all;
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		p->ep[i].rate = (struct moore_rate){ 0 };
	for (uint32_t i = 0; i < p->n_cables; i++)
		p->cable[i].rate = (struct moore_rate){ 0 };
}

static bool
same_rates(const struct dump *d)
{
	for (uint32_t i = 1; i < d->n_links; i++)
		if (d->link[i].rate.width != d->link[0].rate.width ||
		    d->link[i].rate.speed != d->link[0].rate.speed)
			return false;
	return d->n_links > 0;
}

static int
fill_plan(const struct dump *d, struct moore_plan *p)
{
	struct moore_plan_endpoint *e = p->ep;
	struct moore_plan_cable *c = p->cable;

	for (uint32_t i = 0; i < d->n_nodes; i++) {
		struct node *n = &d->node[i];

		if (n->kind != 'S')
			continue;
		p->sw[n->index] = (struct moore_plan_switch){ .name = n->name, .guid = n->guid,
							      .ports = n->ports };
		n->name = NULL;		/* now the plan's */
	}
	for (uint32_t i = 0; i < d->n_links; i++) {
		const struct link *k = &d->link[d->by_port[i].index];
		const struct node *n = &d->node[k->node], *peer = &d->node[k->peer];

		if (n->kind != 'S') {
			*e = (struct moore_plan_endpoint){ .name = moore_strndup(n->name, strlen(n->name)),
				.guid = k->port_guid, .ca_port = k->port, .sw = peer->index,
				.port = k->peer_port, .rate = k->rate };
			if (!e++->name)
				return moore_fail_nomem(d->err);
		} else if (is_cable(d, k)) {
			*c++ = (struct moore_plan_cable){ .sw = { n->index, peer->index },
							  .port = { k->port, k->peer_port },
							  .rate = k->rate };
		}
	}
	if (same_rates(d))
		share_rate(p, &d->link[0].rate);
	return moore_plan_check(p, NULL, d->err);
}

static int
resolve(struct dump *d)
{
	int rc;

	if ((rc = index_nodes(d)) < 0 || (rc = index_links(d)) < 0)
		return rc;
	for (uint32_t i = 0; !rc && i < d->n_links; i++)
		rc = check_link(d, &d->link[i]);
	return rc < 0 ? rc : name_nodes(d);
}

static void
dump_fini(struct dump *d)
{
	for (uint32_t i = 0; i < d->n_nodes; i++)
		free(d->node[i].name);
	free(d->node);
	free(d->link);
	free(d->by_guid);
	free(d->by_port);
}

int
moore_plan_parse_ibnetdiscover(struct moore_plan **out, const char *text, size_t len,
			       struct moore_err *err)
{
	struct dump d = { .err = err };
	struct moore_plan *p = NULL;
	int rc;

	*out = NULL;
	if ((rc = read_lines(&d, text, len)) < 0 || (rc = resolve(&d)) < 0)
		goto out;
	if (!(p = new_plan(&d))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	if ((rc = fill_plan(&d, p)) < 0)
		goto out;
	*out = p;
	p = NULL;			/* now the caller's */
out:
	moore_plan_free(p);
	dump_fini(&d);
	return rc;
}

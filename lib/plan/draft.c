// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* draft.c - makes a plan from nodes and links that are given by name.
 *
 * Names are looked up in a hash table (open addressing, at most half full); a port that is
 * used twice is found by sorting.  Elsewhere: the grammars (fmt_*.c), the invariants of a
 * plan (plan_check.c). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "draft.h"

/* ---- nodes ------------------------------------------------------------------------ */

static uint32_t
find_slot(const struct moore_draft *d, const char *name, size_t len)
{
	uint32_t s = (uint32_t)moore_hash(MOORE_HASH_INIT, name, len) & (d->n_slots - 1);

	while (d->slot[s]) {
		const char *other = d->node[d->slot[s] - 1].name;

		if (strlen(other) == len && !memcmp(other, name, len))
			break;
		s = (s + 1) & (d->n_slots - 1);
	}
	return s;
}

static bool
widen(struct moore_draft *d)
{
	uint32_t *old = d->slot, n = d->n_slots ? d->n_slots * 2 : 256;

	if (2 * (d->n_nodes + 1) <= d->n_slots)
		return true;
	if (!(d->slot = calloc(n, sizeof(*d->slot)))) {
		d->slot = old;
		moore_fail_nomem(d->err);
		return false;
	}
	d->n_slots = n;
	for (uint32_t i = 0; i < d->n_nodes; i++)
		d->slot[find_slot(d, d->node[i].name, strlen(d->node[i].name))] = i + 1;
	free(old);
	return true;
}

static bool
check_name(struct moore_draft *d, const char *name, size_t len, unsigned line)
{
	const char *what = !len ? "an empty name" : len > MOORE_NAME_MAX ? "a name of more than 63 bytes" :
			   NULL;

	for (size_t i = 0, n; !what && i < len; i += n) {
		n = moore_utf8_len(name + i, len - i);
		if (!n || (unsigned char)name[i] < 0x20 || strchr("\"\\\x7f", name[i]))
			what = "a name with a quote, a backslash, a control character or what is not UTF-8";
	}
	if (what)
		moore_fail(d->err, MOORE_ESYNTAX, line, "%s: a node has 1..%d printable bytes: rename it",
			   what, MOORE_NAME_MAX);
	return !what;
}

uint32_t
moore_draft_node(struct moore_draft *d, const char *name, size_t len, unsigned line)
{
	struct moore_draft_node *n;
	uint32_t s;

	if (!check_name(d, name, len, line) || !widen(d))
		return MOORE_NONE;
	s = find_slot(d, name, len);
	if (d->slot[s])
		return d->slot[s] - 1;
	if (d->n_nodes == 2 * MOORE_PLAN_COUNT_MAX) {
		moore_fail(d->err, MOORE_EPLAN, line, "more than %d nodes", 2 * MOORE_PLAN_COUNT_MAX);
		return MOORE_NONE;
	}
	if (!(n = moore_grow(d->node, d->n_nodes, &d->node_cap, sizeof(*n)))) {
		moore_fail_nomem(d->err);
		return MOORE_NONE;
	}
	d->node = n;
	n += d->n_nodes;
	*n = (struct moore_draft_node){ .name = moore_strndup(name, len), .line = line };
	if (!n->name) {
		moore_fail_nomem(d->err);
		return MOORE_NONE;
	}
	d->slot[s] = ++d->n_nodes;
	return d->n_nodes - 1;
}

struct moore_draft_node *
moore_draft_find(struct moore_draft *d, const char *name)
{
	uint32_t s;

	if (!d->n_slots)
		return NULL;
	s = find_slot(d, name, strlen(name));
	return d->slot[s] ? &d->node[d->slot[s] - 1] : NULL;
}

int
moore_draft_link(struct moore_draft *d, const struct moore_draft_link *link)
{
	struct moore_draft_link *k;

	if (d->n_links == 4 * MOORE_PLAN_COUNT_MAX)
		return moore_fail(d->err, MOORE_EPLAN, link->line, "more than %d links",
				  4 * MOORE_PLAN_COUNT_MAX);
	if (!(k = moore_grow(d->link, d->n_links, &d->link_cap, sizeof(*k))))
		return moore_fail_nomem(d->err);
	d->link = k;
	k[d->n_links++] = *link;
	return 0;
}

void
moore_draft_free(struct moore_draft *d)
{
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		free(d->node[i].name);
		free(d->node[i].shown);
		free(d->node[i].cabinet);
	}
	for (uint32_t i = 0; i < d->n_links; i++)
		free(d->link[i].label);
	free(d->node);
	free(d->link);
	free(d->slot);
}

/* ---- links ------------------------------------------------------------------------------ */

/* Checks plug r, which is at the same port as r[-1]: both may only be the same link, listed
 * at its two ends. */
static int
check_twice(struct moore_draft *d, const struct moore_plan_ref *r)
{
	const struct moore_draft_link *k = &d->link[r->index], *first = &d->link[r[-1].index];
	const int e = r->kind, f = r[-1].kind;

	if (d->twice && k->node[!e] == first->node[!f] && k->port[!e] == first->port[!f])
		return 0;
	return moore_fail(d->err, MOORE_EPLAN, k->line, "port %u of \"%s\" is on line %u already: a port "
			  "takes one cable", k->port[e], d->node[k->node[e]].name, first->line);
}

static int
check_nodes(struct moore_draft *d, const struct moore_draft_link *k)
{
	for (int e = 0; e < 2; e++) {
		const struct moore_draft_node *n = &d->node[k->node[e]];

		if (d->declare && !n->declared)
			return moore_fail(d->err, MOORE_EPLAN, k->line, "\"%s\" has no record: is the text "
					  "complete?", n->name);
		if (n->ports && k->port[e] > n->ports)
			return moore_fail(d->err, MOORE_EPLAN, k->line, "port %u of \"%s\": it has %u as "
					  "line %u says", k->port[e], n->name, n->ports, n->line);
	}
	if (k->node[0] == k->node[1])
		return moore_fail(d->err, MOORE_EPLAN, k->line, "\"%s\" is cabled to itself",
				  d->node[k->node[0]].name);
	if (d->node[k->node[0]].ca && d->node[k->node[1]].ca)
		return moore_fail(d->err, MOORE_EPLAN, k->line, "\"%s\" and \"%s\" are both endpoints: one "
				  "end of a link must be a switch", d->node[k->node[0]].name,
				  d->node[k->node[1]].name);
	return 0;
}

/* Sets a bit in keep for each link, but clears it for the second listing of a link. */
static int
check_links(struct moore_draft *d, uint64_t *keep)
{
	const size_t n = 2 * (size_t)d->n_links;
	struct moore_plan_ref *r = malloc((n + 1) * sizeof(*r));
	int rc = r ? 0 : moore_fail_nomem(d->err);

	for (uint32_t i = 0; !rc && i < d->n_links; i++) {
		rc = check_nodes(d, &d->link[i]);
		moore_bits_set(keep, i);
		for (int e = 0; e < 2; e++)	/* sorted by port, then by place in the text */
			r[2 * i + (uint32_t)e] = (struct moore_plan_ref){ "",
				(uint64_t)d->link[i].node[e] << 8 | d->link[i].port[e], i, 0 };
	}
	if (!rc)
		moore_plan_refs_sort(r, n);
	for (size_t i = 0; !rc && i < n; i++) {
		const struct moore_draft_link *k = &d->link[r[i].index];

		r[i].kind = ((uint64_t)k->node[1] << 8 | k->port[1]) == r[i].key;
		if (i && r[i].key == r[i - 1].key) {
			rc = check_twice(d, &r[i]);
			moore_bits_clear(keep, r[i].index);
		}
	}
	free(r);
	return rc;
}

/* ---- the plan -------------------------------------------------------------------- */

static moore_portnum
at_least(moore_portnum a, moore_portnum b)
{
	return a > b ? a : b;
}

/* Makes a plan with room for everything.  Switches are numbered in the order of their
 * records, which is not the order in which links first name them. */
static struct moore_plan *
new_plan(struct moore_draft *d, const uint64_t *keep)
{
	struct moore_plan_ref *r = malloc((d->n_nodes + 1u) * sizeof(*r));
	uint32_t n_switches = 0, n_endpoints = 0, n_cables = 0;

	if (!r)
		return NULL;
	for (uint32_t i = 0; i < d->n_nodes; i++)
		r[i] = (struct moore_plan_ref){ "", d->node[i].line, i, 0 };
	moore_plan_refs_sort(r, d->n_nodes);
	for (uint32_t i = 0; i < d->n_nodes; i++)
		if (!d->node[r[i].index].ca)
			d->node[r[i].index].index = n_switches++;
	free(r);
	for (uint32_t i = 0; i < d->n_links; i++) {
		bool end = d->node[d->link[i].node[0]].ca || d->node[d->link[i].node[1]].ca;

		if (moore_bits_get(keep, i)) {
			n_endpoints += end;
			n_cables += !end;
		}
	}
	return moore_plan_new(n_switches, n_endpoints, n_cables);
}

static int
fill_switches(struct moore_draft *d, struct moore_plan *p)
{
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		struct moore_draft_node *n = &d->node[i];
		const char *name = n->shown ? n->shown : n->name;

		if (n->ca)
			continue;
		p->sw[n->index] = (struct moore_plan_switch){ .name = moore_strndup(name, strlen(name)),
			.guid = n->guid, .ports = n->ports ? n->ports : 1, .cabinet = n->cabinet,
			.unit = n->unit };
		n->cabinet = NULL;	/* now the plan's */
		if (!p->sw[n->index].name)
			return moore_fail_nomem(d->err);
	}
	return 0;
}

static int
fill_links(struct moore_draft *d, struct moore_plan *p, const uint64_t *keep)
{
	struct moore_plan_endpoint *ep = p->ep;
	struct moore_plan_cable *c = p->cable;

	for (uint32_t i = 0; i < d->n_links; i++) {
		struct moore_draft_link *k = &d->link[i];
		const struct moore_draft_node *n[2] = { &d->node[k->node[0]], &d->node[k->node[1]] };
		const int ca = n[1]->ca;

		if (!moore_bits_get(keep, i))
			continue;
		for (int e = 0; e < 2; e++)
			if (!n[e]->ca)
				p->sw[n[e]->index].ports = at_least(p->sw[n[e]->index].ports, k->port[e]);
		if (!n[0]->ca && !n[1]->ca) {
			*c++ = (struct moore_plan_cable){ { n[0]->index, n[1]->index },
				{ k->port[0], k->port[1] }, { 0 }, k->length, k->label };
			k->label = NULL;	/* now the plan's */
			continue;
		}
		const char *name = n[ca]->shown ? n[ca]->shown : n[ca]->name;

		*ep = (struct moore_plan_endpoint){ .name = moore_strndup(name, strlen(name)),
			.guid = n[ca]->guid ? n[ca]->guid + k->port[ca] : 0, .ca_port = k->port[ca],
			.sw = n[!ca]->index, .port = k->port[!ca] };
		if (!ep++->name)
			return moore_fail_nomem(d->err);
	}
	return 0;
}

int
moore_draft_finish(struct moore_draft *d, struct moore_plan **out)
{
	uint64_t *keep = calloc(moore_bits_words(d->n_links) + 1, sizeof(*keep));
	struct moore_plan *p = NULL;
	int rc = keep ? check_links(d, keep) : moore_fail_nomem(d->err);

	*out = NULL;
	if (!rc && !(p = new_plan(d, keep)))
		rc = moore_fail_nomem(d->err);
	if (!rc && (rc = fill_switches(d, p)) == 0 && (rc = fill_links(d, p, keep)) == 0 &&
	    (rc = moore_plan_check(p, NULL, d->err)) == 0) {
		*out = p;
		p = NULL;		/* now the caller's */
	}
	moore_plan_free(p);
	free(keep);
	return rc;
}

/* ---- lines and records ----------------------------------------------------------- */

bool
moore_text_line(struct moore_text *t, const char **line, size_t *len)
{
	const char *nl, *stop;

	if (t->s == t->end)
		return false;
	nl = memchr(t->s, '\n', (size_t)(t->end - t->s));
	stop = nl ? nl : t->end;
	*line = t->s;
	*len = (size_t)(stop - t->s) - (stop > t->s && stop[-1] == '\r');
	t->s = nl ? nl + 1 : t->end;
	t->line++;
	return true;
}

bool
moore_text_port(const char *s, size_t len, moore_portnum *out)
{
	const char *end = s + len;
	uint64_t v;

	if (!moore_text_u64(&s, end, 10, MOORE_PORT_MAX, &v) || s != end || !v)
		return false;
	*out = (moore_portnum)v;
	return true;
}

static void
trim(struct moore_buf *b)
{
	size_t from = 0;

	while (b->len && (b->data[b->len - 1] == ' ' || b->data[b->len - 1] == '\t'))
		b->data[--b->len] = '\0';
	while (from < b->len && (b->data[from] == ' ' || b->data[from] == '\t'))
		from++;
	if (from) {
		memmove(b->data, b->data + from, b->len - from + 1);
		b->len -= from;
	}
}

/* Writes c < 0x10000 as UTF-8 to `to` and returns the number of bytes, at most 3. */
static size_t
put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | c >> 12);
	to[1] = (char)(0x80 | (c >> 6 & 0x3f));
	to[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

/* What a spreadsheet could run when a field begins with it; see moore_csv_put(). */
#define FORMULA "=+-@\t\r'"

/* Is there a \uXXXX at s (NUL-terminated) that moore_csv_put() writes? */
static bool
read_escape(const char *s, uint32_t *c)
{
	char utf8[4] = "";
	const char *end;
	uint64_t v;

	if (s[0] != '\\' || s[1] != 'u' || strnlen(s, 6) < 6)
		return false;
	end = s += 2;
	if (!moore_text_u64(&end, s + 4, 16, 0xffff, &v) || end != s + 4 || !v)
		return false;
	*c = (uint32_t)v;
	return v == '\\' || moore_text_hidden(utf8, put_utf8(utf8, *c));
}

/* Undoes in place what moore_csv_put() does to a field besides quoting it. */
static void
undo_escapes(struct moore_buf *b)
{
	const char *from = b->data;
	char *to = b->data;
	uint32_t c;

	from += *from == '\'' && from[1] && strchr(FORMULA, from[1]);
	while (*from) {
		if (read_escape(from, &c)) {
			to += put_utf8(to, c);
			from += 6;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	b->len = (size_t)(to - b->data);
}

/* One field from t->s on, to the comma, line end or text end after it. */
static int
read_field(struct moore_csv *c, struct moore_buf *b, struct moore_err *err)
{
	struct moore_text *t = &c->text;

	const bool quoted = t->s < t->end && *t->s == '"';

	moore_buf_add(b, "", 0);
	if (quoted) {
		for (t->s++; t->s < t->end; t->s++) {
			if (*t->s == '"' && (t->s + 1 == t->end || t->s[1] != '"'))
				break;
			t->s += *t->s == '"';
			t->line += *t->s == '\n';
			moore_buf_add(b, t->s, 1);
		}
		if (t->s == t->end)
			return moore_fail(err, MOORE_ESYNTAX, c->line, "a quote that is not closed");
		t->s++;
	}
	while (t->s < t->end && *t->s != ',' && *t->s != '\n' && *t->s != '\r')
		moore_buf_add(b, t->s++, 1);
	if (b->oom)
		return moore_fail_nomem(err);
	if (b->len && memchr(b->data, 0, b->len))
		return moore_fail(err, MOORE_ESYNTAX, c->line, "a NUL byte");
	if (!quoted)
		trim(b);
	undo_escapes(b);
	return 0;
}

int
moore_csv_next(struct moore_csv *c, struct moore_err *err)
{
	struct moore_text *t = &c->text;
	bool any = false, more = true;
	int rc;

	if (!t->line && t->end - t->s >= 3 && !memcmp(t->s, "\xef\xbb\xbf", 3))
		t->s += 3;		/* the byte order mark of a spreadsheet */
	while (!any && t->s < t->end) {
		struct moore_buf rest = MOORE_BUF_INIT;

		c->line = ++t->line;
		moore_csv_free(c);
		for (c->n = 0, more = true; more; c->n += c->n <= MOORE_CSV_FIELDS) {
			struct moore_buf *b = c->n < MOORE_CSV_FIELDS ? &c->field[c->n] : &rest;

			b->len = 0;
			if ((rc = read_field(c, b, err)) < 0) {
				moore_buf_free(&rest);
				return rc;
			}
			any |= b->len > 0;
			more = t->s < t->end && *t->s == ',';
			t->s += more;
		}
		moore_buf_free(&rest);
		t->s += t->s < t->end && *t->s == '\r';
		t->s += t->s < t->end && *t->s == '\n';
	}
	return any;
}

const char *
moore_csv_field(const struct moore_csv *c, size_t i)
{
	return i < c->n && c->field[i].data ? c->field[i].data : "";
}

void
moore_csv_free(struct moore_csv *c)
{
	for (size_t i = 0; i < MOORE_CSV_FIELDS; i++)
		moore_buf_free(&c->field[i]);
}

void
moore_csv_put(struct moore_buf *b, const char *s)
{
	const size_t len = s ? strlen(s) : 0;
	const bool quote = len && (s[strcspn(s, ",\"\r\n")] || *s == ' ' || s[len - 1] == ' ');
	uint32_t c;

	moore_buf_fmt(b, "%s%s", quote ? "\"" : "", len && strchr(FORMULA, *s) ? "'" : "");
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		if ((n = moore_text_hidden(s + i, len - i)))
			moore_text_put_u(b, s + i, n);
		else if (read_escape(s + i, &c))
			moore_buf_fmt(b, "\\u005c");
		else
			moore_buf_fmt(b, "%s%c", s[i] == '"' ? "\"" : "", s[i]);
	}
	moore_buf_fmt(b, "%s", quote ? "\"" : "");
}

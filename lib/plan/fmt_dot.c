// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_dot.c - reads and writes a plan as a Graphviz graph, in two dialects.
 *
 * dot: port numbers are the labels at the ends of an edge; endpoints are boxes. ptm: the
 * topology.dot of Cumulus' Prescriptive Topology Manager, in which an interface follows the
 * node's name: "sw1":"swp1" -- "h1":"eth0".  Port n of a switch is swp<n>, port n of a host
 * eth<n-1>; a node with a swp is a switch.
 *
 * The reader knows graph { }, node and edge statements with attribute lists, attributes of
 * the graph, and comments.  It refuses subgraphs, directed edges and chains of edges, and
 * skips attributes other than those above.
 *
 * Lost: GUIDs, rates, lengths, labels, cabinets, ports without a cable, the family; in ptm
 * also switches without a cable.  Names hold no quote or backslash, so they need no escaping. */
#include <string.h>

#include "draft.h"

/* ---- writing ----------------------------------------------------------------- */

static void
put_edge(struct moore_buf *b, const char *tail, unsigned tail_port, const char *head,
	 unsigned head_port)
{
	moore_buf_fmt(b, "\t\"%s\" -- \"%s\" [taillabel=\"%u\", headlabel=\"%u\"];\n", tail, head,
		      tail_port, head_port);
}

int
moore_plan_write_dot(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	struct moore_plan_wiring w;
	int rc;

	if ((rc = moore_plan_wiring_init(&w, p, err)) < 0)
		return rc;
	moore_buf_fmt(out, "graph moore {\n");
	for (uint32_t i = 0; i < p->n_switches; i++)
		moore_buf_fmt(out, "\t\"%s\";\n", p->sw[i].name);
	for (uint32_t i = 0; i < w.n_cas; i++)
		moore_buf_fmt(out, "\t\"%s\" [shape=box];\n", w.ca[i].name);
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		put_edge(out, p->sw[p->ep[i].sw].name, p->ep[i].port, p->ep[i].name,
			 p->ep[i].ca_port);
	for (uint32_t i = 0; i < p->n_cables; i++)
		put_edge(out, p->sw[p->cable[i].sw[0]].name, p->cable[i].port[0],
			 p->sw[p->cable[i].sw[1]].name, p->cable[i].port[1]);
	moore_buf_fmt(out, "}\n");
	moore_plan_wiring_fini(&w);
	return moore_plan_written(out, err);
}

int
moore_plan_write_ptm(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	int rc = moore_plan_check(p, NULL, err);

	if (rc < 0)
		return rc;
	moore_buf_fmt(out, "graph G {\n");
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		moore_buf_fmt(out, "\t\"%s\":\"swp%u\" -- \"%s\":\"eth%u\"\n", p->sw[p->ep[i].sw].name,
			      p->ep[i].port, p->ep[i].name, p->ep[i].ca_port - 1u);
	for (uint32_t i = 0; i < p->n_cables; i++)
		moore_buf_fmt(out, "\t\"%s\":\"swp%u\" -- \"%s\":\"swp%u\"\n",
			      p->sw[p->cable[i].sw[0]].name, p->cable[i].port[0],
			      p->sw[p->cable[i].sw[1]].name, p->cable[i].port[1]);
	moore_buf_fmt(out, "}\n");
	return moore_plan_written(out, err);
}

/* ---- reading: tokens ------------------------------------------------------------- */

struct token {
	const char *s;		/* an id without its quotes, or the character(s) */
	size_t len;		/* 0 at the end of the text */
	unsigned line;
	bool id;
};

struct reader {
	struct moore_draft d;
	const char *s, *end;
	unsigned line;
	struct token t;		/* the present token */
	bool ptm;
};

static int
wrong(struct reader *r, const char *want)
{
	return moore_fail(r->d.err, MOORE_ESYNTAX, r->t.line, "\"%.*s\": want %s",
			  (int)(r->t.len < 40 ? r->t.len : 40), r->t.s, want);
}

/* Skips blanks and comments; // and # begin comments that end with the line. */
static int
skip(struct reader *r)
{
	for (; r->s < r->end; r->s++) {
		const bool slash = *r->s == '/' && r->s + 1 < r->end;

		if (*r->s == '#' || (slash && r->s[1] == '/')) {
			while (r->s < r->end && *r->s != '\n')
				r->s++;
		} else if (slash && r->s[1] == '*') {
			const char *inside = r->s + 2;
			const unsigned from = r->line;

			for (r->s = inside; r->s < r->end &&
			     !(*r->s == '/' && r->s > inside && r->s[-1] == '*'); r->s++)
				r->line += *r->s == '\n';
			if (r->s == r->end)
				return moore_fail(r->d.err, MOORE_ESYNTAX, from, "a comment that is not "
						  "closed: add */");
		} else if (!strchr(" \t\r\n", *r->s) || !*r->s) {
			return 0;
		}
		if (r->s == r->end)
			return 0;
		r->line += *r->s == '\n';
	}
	return 0;
}

static bool
in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '.' || (unsigned char)c >= 0x80;
}

static int
next(struct reader *r)
{
	const char *from;
	int rc;

	if ((rc = skip(r)) < 0)
		return rc;
	from = r->s;
	r->t = (struct token){ from, 0, r->line, false };
	if (r->s == r->end)
		return 0;
	if (*r->s == '"') {
		for (r->s++; r->s < r->end && *r->s != '"'; r->s++)
			if (*r->s == '\n' || *r->s == '\\')
				break;
		if (r->s == r->end || *r->s != '"')
			return moore_fail(r->d.err, MOORE_ESYNTAX, r->line, "a quote that is not closed on "
					  "its line, or a backslash: names hold none");
		r->s++;
		r->t = (struct token){ from + 1, (size_t)(r->s - from) - 2, r->line, true };
		return 0;
	}
	while (r->s < r->end && in_word(*r->s))
		r->s++;
	r->t.id = r->s > from;
	if (r->s == from)
		r->s += r->s + 1 < r->end && *r->s == '-' && (r->s[1] == '-' || r->s[1] == '>') ? 2 : 1;
	r->t.len = (size_t)(r->s - from);
	return 0;
}

/* True at the end of the text.  An empty id has no length either, but id is set. */
static bool
at_end(const struct reader *r)
{
	return !r->t.len && !r->t.id;
}

static bool
is(const struct reader *r, const char *s)
{
	return r->t.len == strlen(s) && !memcmp(r->t.s, s, r->t.len) && (!r->t.id || in_word(*s));
}

static bool
is_keyword(const struct reader *r, const char *word)
{
	return r->t.id && is(r, word) && (r->t.s == r->s - r->t.len);	/* not quoted */
}

/* ---- reading: statements ------------------------------------------------------------ */

struct attributes {		/* the attributes that matter; length 0 when absent */
	struct token tail, head, shape;
};

/* Reads attribute lists, if there are any: [a=b, c=d] [..] */
static int
read_attributes(struct reader *r, struct attributes *a)
{
	int rc;

	while (is(r, "[")) {
		if ((rc = next(r)) < 0)
			return rc;
		while (!is(r, "]")) {
			struct token key = r->t;

			if (!r->t.id)
				return wrong(r, "an attribute or ]");
			if ((rc = next(r)) < 0)
				return rc;
			if (!is(r, "="))
				return wrong(r, "= and a value");
			if ((rc = next(r)) < 0)
				return rc;
			if (!r->t.id)
				return wrong(r, "a value");
			if (key.len == 9 && !memcmp(key.s, "taillabel", 9))
				a->tail = r->t;
			if (key.len == 9 && !memcmp(key.s, "headlabel", 9))
				a->head = r->t;
			if (key.len == 5 && !memcmp(key.s, "shape", 5))
				a->shape = r->t;
			if ((rc = next(r)) < 0)
				return rc;
			if ((is(r, ",") || is(r, ";")) && (rc = next(r)) < 0)
				return rc;
		}
		if ((rc = next(r)) < 0)
			return rc;
	}
	return 0;
}

/* Reads NAME or NAME:INTERFACE; *port has length 0 without an interface. */
static int
read_end(struct reader *r, uint32_t *node, struct token *port)
{
	int rc;

	*port = (struct token){ 0 };
	if (!r->t.id)
		return wrong(r, "the name of a node");
	if ((*node = moore_draft_node(&r->d, r->t.s, r->t.len, r->t.line)) == MOORE_NONE)
		return -r->d.err->code;
	if ((rc = next(r)) < 0 || !is(r, ":"))
		return rc;
	if ((rc = next(r)) < 0)
		return rc;
	if (!r->t.id)
		return wrong(r, "an interface behind the colon");
	*port = r->t;
	return next(r);
}

/* Reads an interface: swp<n> is port n of a switch, <any><n> is port n + 1 of a host. */
static int
read_interface(struct reader *r, const struct token *t, uint32_t node, moore_portnum *out)
{
	size_t from = t->len;
	const bool sw = t->len > 3 && !memcmp(t->s, "swp", 3);
	struct moore_draft_node *n = &r->d.node[node];
	const char *s;
	uint64_t v;

	while (from && t->s[from - 1] >= '0' && t->s[from - 1] <= '9')
		from--;
	s = t->s + from;
	if (!from || (sw && from != 3) ||
	    !moore_text_u64(&s, t->s + t->len, 10, MOORE_PORT_MAX - (sw ? 0 : 1), &v) || (sw && !v))
		return moore_fail(r->d.err, MOORE_ESYNTAX, t->line, "interface \"%.*s\": want swp<n> at a "
				  "switch and a name with a number behind it, as eth0, at a host; ports "
				  "that are broken out have no counterpart",
				  (int)(t->len < 40 ? t->len : 40), t->s);
	if (n->declared && n->ca == sw)
		return moore_fail(r->d.err, MOORE_EPLAN, t->line, "\"%s\" has a swp and another interface: "
				  "a switch has swp<n> only", n->name);
	n->declared = true;
	n->ca = !sw;
	*out = (moore_portnum)(sw ? v : v + 1);
	return 0;
}

static int
read_label(struct reader *r, const struct token *t, const char *which, unsigned line,
	   moore_portnum *out)
{
	if (!t->len || !moore_text_port(t->s, t->len, out))
		return moore_fail(r->d.err, MOORE_ESYNTAX, line, "%s: want a port, 1..%d, as in "
				  "[taillabel=\"1\", headlabel=\"2\"]", which, MOORE_PORT_MAX);
	return 0;
}

static int
read_edge(struct reader *r, struct moore_draft_link *k, const struct token *tail)
{
	struct attributes a = { 0 };
	struct token head;
	int rc;

	if ((rc = next(r)) < 0 || (rc = read_end(r, &k->node[1], &head)) < 0)
		return rc;
	if (is(r, "--"))
		return wrong(r, "one edge in a statement");
	if ((rc = read_attributes(r, &a)) < 0)
		return rc;
	if (!r->ptm) {
		if ((rc = read_label(r, &a.tail, "taillabel", k->line, &k->port[0])) < 0 ||
		    (rc = read_label(r, &a.head, "headlabel", k->line, &k->port[1])) < 0)
			return rc;
		return moore_draft_link(&r->d, k);
	}
	if (!tail->len || !head.len)
		return moore_fail(r->d.err, MOORE_ESYNTAX, k->line, "want an interface at both ends, as in "
				  "\"sw1\":\"swp1\" -- \"sw2\":\"swp1\"");
	if ((rc = read_interface(r, tail, k->node[0], &k->port[0])) < 0 ||
	    (rc = read_interface(r, &head, k->node[1], &k->port[1])) < 0)
		return rc;
	return moore_draft_link(&r->d, k);
}

/* Reads a node statement.  In ptm only edges tell what a node is, so a node needs one. */
static int
read_node(struct reader *r, struct moore_draft_node *n)
{
	struct attributes a = { 0 };
	int rc = read_attributes(r, &a);

	if (rc < 0 || r->ptm)
		return rc;
	n->ca = a.shape.len == 3 && !memcmp(a.shape.s, "box", 3);
	return 0;
}

static int
read_statement(struct reader *r)
{
	struct moore_draft_link k = { .line = r->t.line };
	struct attributes a = { 0 };
	struct token tail, first = r->t;
	int rc;

	if (is(r, ";"))
		return next(r);
	if (is_keyword(r, "graph") || is_keyword(r, "node") || is_keyword(r, "edge"))
		return (rc = next(r)) < 0 ? rc : read_attributes(r, &a);
	if (is_keyword(r, "subgraph") || is(r, "{"))
		return wrong(r, "no subgraph: give all edges in the graph itself");
	if (!r->t.id)
		return wrong(r, "a node, an edge or }");
	{			/* graph attribute: ID = ID */
		const struct reader saved = *r;

		if ((rc = next(r)) < 0)
			return rc;
		if (is(r, "=")) {
			if ((rc = next(r)) < 0)
				return rc;
			return r->t.id ? next(r) : wrong(r, "a value");
		}
		r->s = saved.s;
		r->line = saved.line;
		r->t = first;
	}
	if ((rc = read_end(r, &k.node[0], &tail)) < 0)
		return rc;
	if (is(r, "->"))
		return wrong(r, "-- : cables have no direction");
	if (is(r, "--"))
		return read_edge(r, &k, &tail);
	return read_node(r, &r->d.node[k.node[0]]);
}

static int
read_graph(struct reader *r)
{
	int rc;

	if ((rc = next(r)) < 0)
		return rc;
	if (is_keyword(r, "strict") && (rc = next(r)) < 0)
		return rc;
	if (!is_keyword(r, "graph"))
		return wrong(r, "graph NAME { ... }");
	if ((rc = next(r)) < 0 || (r->t.id && (rc = next(r)) < 0))
		return rc;
	if (!is(r, "{"))
		return wrong(r, "{");
	if ((rc = next(r)) < 0)
		return rc;
	while (!rc && !is(r, "}")) {
		if (at_end(r))
			return moore_fail(r->d.err, MOORE_ESYNTAX, r->t.line, "the graph is not closed: want }");
		rc = read_statement(r);
	}
	if (rc < 0 || (rc = next(r)) < 0)
		return rc;
	return at_end(r) ? 0 : wrong(r, "nothing after the graph");
}

static int
parse(struct moore_plan **out, const char *text, size_t len, bool ptm, struct moore_err *err)
{
	struct moore_err own;
	struct reader r = { .d = { .err = err ? err : &own, .declare = ptm }, .s = text, .end = text + len,
			    .line = 1, .ptm = ptm };
	int rc = read_graph(&r);

	*out = NULL;
	for (uint32_t i = 0; !rc && ptm && i < r.d.n_nodes; i++)
		if (!r.d.node[i].declared)	/* a node statement without an edge */
			rc = moore_fail(r.d.err, MOORE_EPLAN, r.d.node[i].line, "\"%s\" has no edge: take "
					"it out", r.d.node[i].name);
	if (!rc)
		rc = moore_draft_finish(&r.d, out);
	moore_draft_free(&r.d);
	return rc;
}

int
moore_plan_parse_dot(struct moore_plan **out, const char *text, size_t len, struct moore_err *err)
{
	return parse(out, text, len, false, err);
}

int
moore_plan_parse_ptm(struct moore_plan **out, const char *text, size_t len, struct moore_err *err)
{
	return parse(out, text, len, true, err);
}

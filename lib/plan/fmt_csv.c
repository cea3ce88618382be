// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_csv.c - reads and writes a plan as a list of cables (RFC 4180 quoting, lines end in
 * LF).
 *
 * Node b in the row of an endpoint is its CA.  Lost: GUIDs, rates, cabinets, ports and
 * switches without a cable, the family. */
#include <stdlib.h>
#include <string.h>

#include "draft.h"

enum { KIND, A_SWITCH, A_PORT, B_NODE, B_PORT, LENGTH, LABEL, N_FIELDS };
static const char *const head[] = { "kind", "a_switch", "a_port", "b_node", "b_port", "length_m",
				    "label" };

/* ---- writing ----------------------------------------------------------------- */

static void
put_row(struct moore_buf *b, const char *kind, const char *const node[2], const moore_portnum *port)
{
	moore_buf_fmt(b, "%s", kind);
	for (int k = 0; k < 2; k++) {
		moore_buf_fmt(b, ",");
		moore_csv_put(b, node[k]);
		moore_buf_fmt(b, ",%u", port[k]);
	}
	moore_buf_fmt(b, ",");
}

int
moore_plan_write_csv(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	int rc = moore_plan_check(p, NULL, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < N_FIELDS; i++)
		moore_buf_fmt(out, "%s%s", i ? "," : "", head[i]);
	moore_buf_fmt(out, "\n");
	for (uint32_t i = 0; i < p->n_cables; i++) {
		const struct moore_plan_cable *c = &p->cable[i];

		put_row(out, "cable", (const char *const[2]){ p->sw[c->sw[0]].name,
			p->sw[c->sw[1]].name }, c->port);
		if (c->length > 0)
			moore_plan_put_metres(out, c->length);
		moore_buf_fmt(out, ",");
		moore_csv_put(out, c->label);
		moore_buf_fmt(out, "\n");
	}
	for (uint32_t i = 0; i < p->n_endpoints; i++) {
		const struct moore_plan_endpoint *e = &p->ep[i];

		put_row(out, "endpoint", (const char *const[2]){ p->sw[e->sw].name, e->name },
			(const moore_portnum[2]){ e->port, e->ca_port });
		moore_buf_fmt(out, ",\n");
	}
	return moore_plan_written(out, err);
}

/* ---- reading -------------------------------------------------------------------- */

static int
read_head(const struct moore_csv *c, struct moore_err *err)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		if (c->n != N_FIELDS || strcmp(moore_csv_field(c, i), head[i]))
			return moore_fail(err, MOORE_ESYNTAX, c->line, "want the line kind,a_switch,a_port,"
					  "b_node,b_port,length_m,label first");
	return 0;
}

/* Reads end e of a row.  A node must be a switch in all its rows, or an endpoint in all. */
static int
read_end(struct moore_draft *d, const struct moore_csv *c, struct moore_draft_link *k,
	 int e, bool ca)
{
	const char *name = moore_csv_field(c, e ? B_NODE : A_SWITCH);
	const char *port = moore_csv_field(c, e ? B_PORT : A_PORT);
	struct moore_draft_node *n;

	if ((k->node[e] = moore_draft_node(d, name, strlen(name), c->line)) == MOORE_NONE)
		return -d->err->code;
	n = &d->node[k->node[e]];
	if (n->declared && n->ca != ca)
		return moore_fail(d->err, MOORE_EPLAN, c->line, "\"%s\" is %s on line %u: rename one", name,
				  n->ca ? "an endpoint" : "a switch", n->line);
	n->declared = true;
	n->ca = ca;
	if (!moore_text_port(port, strlen(port), &k->port[e]))
		return moore_fail(d->err, MOORE_ESYNTAX, c->line, "%s: \"%.40s\" is no port: a port is "
				  "1..%d", head[e ? B_PORT : A_PORT], port, MOORE_PORT_MAX);
	return 0;
}

static int
read_row(struct moore_draft *d, const struct moore_csv *c)
{
	const char *kind = moore_csv_field(c, KIND), *length = moore_csv_field(c, LENGTH);
	const char *label = moore_csv_field(c, LABEL);
	struct moore_draft_link k = { .line = c->line };
	const bool ca = !strcmp(kind, "endpoint");
	int rc;

	if (!ca && strcmp(kind, "cable"))
		return moore_fail(d->err, MOORE_ESYNTAX, c->line, "kind: \"%.40s\": it is cable or endpoint",
				  kind);
	if (c->n > N_FIELDS)
		return moore_fail(d->err, MOORE_ESYNTAX, c->line, "more than %d fields: quote what holds a "
				  "comma", N_FIELDS);
	if ((rc = read_end(d, c, &k, 0, false)) < 0 || (rc = read_end(d, c, &k, 1, ca)) < 0)
		return rc;
	if (*length && !moore_plan_read_metres(length, strlen(length), &k.length))
		return moore_fail(d->err, MOORE_ESYNTAX, c->line, "length_m: \"%.40s\": metres, 0..%d",
				  length, MOORE_PLAN_METRES_MAX);
	if (*label && !ca && !(k.label = moore_strndup(label, strlen(label))))
		return moore_fail_nomem(d->err);
	if ((rc = moore_draft_link(d, &k)) < 0)
		free(k.label);
	return rc;
}

int
moore_plan_parse_csv(struct moore_plan **out, const char *text, size_t len, struct moore_err *err)
{
	struct moore_err own;
	struct moore_draft d = { .err = err ? err : &own };
	struct moore_csv c = { .text = { text, text + len, 0 } };
	int rc = moore_csv_next(&c, d.err);

	*out = NULL;
	if (rc == 0)
		rc = moore_fail(d.err, MOORE_ESYNTAX, 0, "an empty list");
	if (rc > 0)
		rc = read_head(&c, d.err);
	while (rc >= 0 && (rc = moore_csv_next(&c, d.err)) > 0)
		rc = read_row(&d, &c);
	if (rc == 0)
		rc = moore_draft_finish(&d, out);
	moore_csv_free(&c);
	moore_draft_free(&d);
	return rc;
}

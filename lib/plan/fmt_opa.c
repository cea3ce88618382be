// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_opa.c - reads and writes a plan as the link list of Omni-Path's opaxlattopology (its
 * topology.csv).
 *
 * Fifteen fields: rack group, rack, name, name-2, port and type of the source, then of the
 * destination; label, length and details of the cable.  The links begin after the line whose
 * first field is "Rack Group" and end at an empty name.  An empty rack, group or type is that
 * of the line above; an empty port is 1 for a host.  Types: FI (host), SW (edge switch), CL
 * and CS (leaf and spine of a chassis, whose name is name and name-2).  Fields hold no comma.
 *
 * A rack is a cabinet here; a group has no counterpart.  Lost: GUIDs, rates, units, the
 * floor, ports and switches without a cable, the family.
 *
 * Source: opa-ff, IbaTools/opaxlattopology. */
#include <stdlib.h>
#include <string.h>

#include "draft.h"

enum { GROUP, RACK, NAME, NAME2, PORT, TYPE, N_END, LABEL = 2 * N_END, LENGTH, DETAILS, N_FIELDS };

#define HEAD "Source,,,,,,Destination,,,,,,Cable,,\n" \
	"Rack Group,Rack,Name,Name-2,Port,Type,Rack Group,Rack,Name,Name-2,Port,Type," \
	"Label,Length,Details\n"

/* ---- writing ----------------------------------------------------------------- */

static int
put_field(struct moore_buf *b, const char *what, uint32_t i, const char *s, struct moore_err *err)
{
	struct moore_buf as_csv = MOORE_BUF_INIT;
	bool plain;

	moore_csv_put(&as_csv, s);
	plain = !s || as_csv.oom || !strcmp(as_csv.data, s);
	moore_buf_add(b, as_csv.data, as_csv.len);
	b->oom |= as_csv.oom;
	moore_buf_free(&as_csv);
	return plain ? 0 : moore_fail(err, MOORE_EPLAN, 0, "%s[%u]: \"%s\" holds a comma, a quote or a "
				      "hidden character, has a blank at an end or begins like a formula, "
				      "which this format cannot: rename it", what, i, s);
}

/* The rack of a switch without a cabinet: an empty field would mean the rack of the line
 * above. */
#define NO_RACK "-"

static int
put_switch(struct moore_buf *b, const struct moore_plan *p, uint32_t i, moore_portnum port,
	   struct moore_err *err)
{
	const struct moore_plan_switch *s = &p->sw[i];
	int rc;

	moore_buf_fmt(b, ",");
	if (!s->cabinet)
		moore_buf_fmt(b, NO_RACK);
	else if ((rc = put_field(b, "switches", i, s->cabinet, err)) < 0)
		return rc;
	moore_buf_fmt(b, ",");
	if ((rc = put_field(b, "switches", i, s->name, err)) < 0)
		return rc;
	moore_buf_fmt(b, ",,%u,SW", port);
	return 0;
}

static int
put_endpoint(struct moore_buf *b, const struct moore_plan *p, uint32_t i, struct moore_err *err)
{
	const struct moore_plan_endpoint *e = &p->ep[i];
	int rc;

	moore_buf_fmt(b, "," NO_RACK ",");
	if ((rc = put_field(b, "endpoints", i, e->name, err)) < 0)
		return rc;
	moore_buf_fmt(b, ",,%u,FI,", e->ca_port);
	if ((rc = put_switch(b, p, e->sw, e->port, err)) == 0)
		moore_buf_fmt(b, ",,,\n");
	return rc;
}

static int
put_cable(struct moore_buf *b, const struct moore_plan *p, uint32_t i, struct moore_err *err)
{
	const struct moore_plan_cable *c = &p->cable[i];
	int rc;

	if ((rc = put_switch(b, p, c->sw[0], c->port[0], err)) < 0)
		return rc;
	moore_buf_fmt(b, ",");
	if ((rc = put_switch(b, p, c->sw[1], c->port[1], err)) < 0)
		return rc;
	moore_buf_fmt(b, ",");
	if ((rc = put_field(b, "cables", i, c->label, err)) < 0)
		return rc;
	moore_buf_fmt(b, ",");
	if (c->length > 0)
		moore_plan_put_metres(b, c->length);
	moore_buf_fmt(b, ",\n");
	return 0;
}

int
moore_plan_write_opa(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	const size_t before = out->len;
	int rc = moore_plan_check(p, NULL, err);

	moore_buf_fmt(out, HEAD);
	for (uint32_t i = 0; !rc && i < p->n_endpoints; i++)
		rc = put_endpoint(out, p, i, err);
	for (uint32_t i = 0; !rc && i < p->n_cables; i++)
		rc = put_cable(out, p, i, err);
	return moore_plan_end(out, before, rc, err);
}

/* ---- reading -------------------------------------------------------------------- */

struct reader {
	struct moore_draft d;
	struct moore_csv c;
	struct moore_buf rack[2], type[2];	/* of the line above */
};

/* Returns the field of the present line, or when it is empty that of the line above. */
static const char *
inherit(struct moore_buf *above, const char *now)
{
	if (*now) {
		above->len = 0;
		moore_buf_add(above, now, strlen(now));
	}
	return above->data ? above->data : "";
}

static int
set_node(struct reader *r, struct moore_draft_node *n, const char *type, const char *rack)
{
	const bool ca = !strcmp(type, "FI");
	struct moore_err *err = r->d.err;

	if (n->declared && n->ca != ca)
		return moore_fail(err, MOORE_EPLAN, r->c.line, "\"%s\" is %s on line %u: one name, one type",
				  n->name, n->ca ? "a host" : "a switch", n->line);
	if (!ca && *rack && strcmp(rack, NO_RACK) && !n->cabinet &&
	    !(n->cabinet = moore_strndup(rack, strlen(rack))))
		return moore_fail_nomem(err);
	n->declared = true;
	n->ca = ca;
	return 0;
}

static int
read_end(struct reader *r, struct moore_draft_link *k, int e)
{
	const size_t at = e ? N_END : 0;
	const char *rack = inherit(&r->rack[e], moore_csv_field(&r->c, at + RACK));
	const char *type = inherit(&r->type[e], moore_csv_field(&r->c, at + TYPE));
	const char *port = moore_csv_field(&r->c, at + PORT), *name2 = moore_csv_field(&r->c, at + NAME2);
	struct moore_err *err = r->d.err;
	struct moore_buf name = MOORE_BUF_INIT;

	if (r->rack[e].oom || r->type[e].oom)
		return moore_fail_nomem(err);
	if (strcmp(type, "FI") && strcmp(type, "SW") && strcmp(type, "CL") && strcmp(type, "CS"))
		return moore_fail(err, MOORE_ESYNTAX, r->c.line, "type \"%.40s\": it is FI, SW, CL or CS",
				  type);
	moore_buf_fmt(&name, "%s", moore_csv_field(&r->c, at + NAME));
	if (*type == 'C' && *name2)
		moore_buf_fmt(&name, " %s", name2);
	if (name.oom) {
		moore_buf_free(&name);
		return moore_fail_nomem(err);
	}
	k->node[e] = moore_draft_node(&r->d, name.len ? name.data : "", name.len, r->c.line);
	moore_buf_free(&name);
	if (k->node[e] == MOORE_NONE)
		return -err->code;
	k->port[e] = 1;
	if ((*port || strcmp(type, "FI")) && !moore_text_port(port, strlen(port), &k->port[e]))
		return moore_fail(err, MOORE_ESYNTAX, r->c.line, "port \"%.40s\": a port is 1..%d", port,
				  MOORE_PORT_MAX);
	return set_node(r, &r->d.node[k->node[e]], type, rack);
}

/* Reads a length: "3", "3m" or "3 m". */
static int
read_length(struct reader *r, double *out)
{
	const char *s = moore_csv_field(&r->c, LENGTH);
	size_t len = strlen(s);

	if (len && (s[len - 1] == 'm' || s[len - 1] == 'M'))
		len--;
	while (len && s[len - 1] == ' ')
		len--;
	if (*s && !moore_plan_read_metres(s, len, out))
		return moore_fail(r->d.err, MOORE_ESYNTAX, r->c.line, "length \"%.40s\": metres, 0..%d", s,
				  MOORE_PLAN_METRES_MAX);
	return 0;
}

static int
read_row(struct reader *r)
{
	const char *label = moore_csv_field(&r->c, LABEL);
	struct moore_draft_link k = { .line = r->c.line };
	int rc;

	if (r->c.n > N_FIELDS)
		return moore_fail(r->d.err, MOORE_ESYNTAX, r->c.line, "more than %d fields: a field must not "
				  "hold a comma", N_FIELDS);
	if ((rc = read_end(r, &k, 0)) < 0 || (rc = read_end(r, &k, 1)) < 0 ||
	    (rc = read_length(r, &k.length)) < 0)
		return rc;
	if (*label && !(k.label = moore_strndup(label, strlen(label))))
		return moore_fail_nomem(r->d.err);
	if ((rc = moore_draft_link(&r->d, &k)) < 0)
		free(k.label);
	return rc;
}

static int
read_rows(struct reader *r)
{
	bool links = false;
	int rc;

	while ((rc = moore_csv_next(&r->c, r->d.err)) > 0) {
		if (!links) {
			links = !strcmp(moore_csv_field(&r->c, 0), "Rack Group");
			continue;
		}
		if (!*moore_csv_field(&r->c, NAME) ||
		    !strncmp(moore_csv_field(&r->c, 0), "Core Name:", 10))
			return 0;		/* the chassis follow */
		if ((rc = read_row(r)) < 0)
			return rc;
	}
	if (rc == 0 && !links)
		return moore_fail(r->d.err, MOORE_ESYNTAX, 0, "no line begins with \"Rack Group\": the links "
				  "follow that one");
	return rc;
}

int
moore_plan_parse_opa(struct moore_plan **out, const char *text, size_t len, struct moore_err *err)
{
	struct moore_err own;
	struct reader r = { .d = { .err = err ? err : &own },
			    .c = { .text = { text, text + len, 0 } } };
	int rc = read_rows(&r);

	*out = NULL;
	if (rc == 0)
		rc = moore_draft_finish(&r.d, out);
	for (int e = 0; e < 2; e++) {
		moore_buf_free(&r.rack[e]);
		moore_buf_free(&r.type[e]);
	}
	moore_csv_free(&r.c);
	moore_draft_free(&r.d);
	return rc;
}

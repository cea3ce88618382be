// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_netbox.c - reads and writes a plan as the CSV of cables, and writes the CSV of devices, of
 * two inventories: what NetBox 4 imports in bulk, and the same with the names that Nautobot 2
 * gives to such columns (untested with either).
 *
 * A cable joins two interfaces.  As in ptm, swp<n> is port n of a switch and eth<n> is port n+1
 * of an endpoint; ib<n> is read as eth<n>.  The columns may stand in any order and others
 * beside them.  Lengths are kept in hundredths there, so they are rounded up to a centimetre.
 * The CSV of devices may follow that of the cables in one text; it gives switches their cabinets
 * and units.
 *
 * NetBox takes a comma for a separator of two devices and keeps what moore_csv_put() adds to a
 * field, so names that hold a comma or would be changed are refused.
 *
 * Lost: GUIDs, rates, ports and switches without a cable, the family; of the cables alone, also
 * cabinets. */
#include <stdlib.h>
#include <string.h>

#include "draft.h"

enum { A_DEVICE, A_TYPE, A_NAME, B_DEVICE, B_TYPE, B_NAME, N_NEEDED, STATUS = N_NEEDED, LABEL, LENGTH,
       UNIT, N_COLUMNS };

static const struct form {
	const char *head[N_COLUMNS], *planned;	/* columns of cables, and the value of the status */
	const char *devices, *planned_device;	/* columns of devices */
	const char *rack;
} forms[] = {
	{ { "side_a_device", "side_a_type", "side_a_name", "side_b_device", "side_b_type", "side_b_name",
	    "status", "label", "length", "length_unit" }, "planned",
	  "name,role,manufacturer,device_type,status,site,rack,position,face", "planned", "rack" },
	{ { "termination_a__device__name", "termination_a_type", "termination_a__name",
	    "termination_b__device__name", "termination_b_type", "termination_b__name", "status__name",
	    "label", "length", "length_unit" }, "Planned",
	  "name,role__name,device_type__manufacturer__name,device_type__model,status__name,location__name,"
	  "rack__name,position,face", "Planned", "rack__name" },
};
enum { NETBOX, NAUTOBOT };

static const struct {
	const char *prefix;
	bool ca;
	unsigned first;		/* the port whose interface has number 0 */
} interfaces[] = { { "swp", false, 0 }, { "eth", true, 1 }, { "ib", true, 1 } };

static const struct {
	const char *name;
	double metres;
} units[] = { { "m", 1 }, { "cm", 0.01 }, { "km", 1000 }, { "ft", 0.3048 }, { "in", 0.0254 } };

/* ---- writing ----------------------------------------------------------------- */

static int
put_name(struct moore_buf *b, const char *list, uint32_t i, const char *name, struct moore_err *err)
{
	struct moore_buf as_csv = MOORE_BUF_INIT;
	bool same;

	moore_csv_put(&as_csv, name);
	same = as_csv.oom || !strcmp(as_csv.data, name);
	moore_buf_add(b, as_csv.data, as_csv.len);
	b->oom |= as_csv.oom;
	moore_buf_free(&as_csv);
	return same ? 0 : moore_fail(err, MOORE_EPLAN, 0, "%s[%u]: \"%s\" holds a comma or a hidden "
				     "character, has a blank at an end or begins like a formula, which "
				     "NetBox would not read as it is: rename it", list, i, name);
}

static int
put_end(struct moore_buf *b, const char *list, uint32_t i, const char *name, unsigned port, bool ca,
	struct moore_err *err)
{
	int rc = put_name(b, list, i, name, err);

	moore_buf_fmt(b, ",dcim.interface,%s%u", interfaces[ca].prefix, port - interfaces[ca].first);
	return rc;
}

static void
put_rest(struct moore_buf *b, const struct form *form, const char *label, double length)
{
	moore_buf_fmt(b, ",%s,", form->planned);
	moore_csv_put(b, label);
	if (length > 0) {
		double cm = (double)(uint64_t)(length * 100);

		cm += cm < length * 100 - 1e-6;
		moore_buf_fmt(b, ",");
		moore_plan_put_metres(b, cm / 100);
		moore_buf_fmt(b, ",m\n");
	} else {
		moore_buf_fmt(b, ",,\n");
	}
}

static int
write_cables(const struct form *form, const struct moore_plan *p, struct moore_buf *out,
	     struct moore_err *err)
{
	const size_t before = out->len;
	int rc = moore_plan_check(p, NULL, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < N_COLUMNS; i++)
		moore_buf_fmt(out, "%s%s", i ? "," : "", form->head[i]);
	moore_buf_fmt(out, "\n");
	for (uint32_t i = 0; !rc && i < p->n_cables; i++) {
		const struct moore_plan_cable *c = &p->cable[i];

		rc = put_end(out, "switches", c->sw[0], p->sw[c->sw[0]].name, c->port[0], false, err);
		moore_buf_fmt(out, ",");
		if (!rc)
			rc = put_end(out, "switches", c->sw[1], p->sw[c->sw[1]].name, c->port[1], false, err);
		put_rest(out, form, c->label, c->length);
	}
	for (uint32_t i = 0; !rc && i < p->n_endpoints; i++) {
		const struct moore_plan_endpoint *e = &p->ep[i];

		rc = put_end(out, "switches", e->sw, p->sw[e->sw].name, e->port, false, err);
		moore_buf_fmt(out, ",");
		if (!rc)
			rc = put_end(out, "endpoints", i, e->name, e->ca_port, true, err);
		put_rest(out, form, NULL, 0);
	}
	return moore_plan_end(out, before, rc, err);
}

int
moore_plan_write_netbox(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	return write_cables(&forms[NETBOX], p, out, err);
}

int
moore_plan_write_nautobot(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	return write_cables(&forms[NAUTOBOT], p, out, err);
}

/* A plan does not know manufacturer, device type and site, which both require: these
 * columns are empty, to be filled in.  An endpoint has no place of its own. */
static int
put_devices(struct moore_buf *out, const struct form *form, const struct moore_plan *p,
	    const struct moore_plan_wiring *w, struct moore_err *err)
{
	int rc = 0;

	moore_buf_fmt(out, "%s\n", form->devices);
	for (uint32_t i = 0; !rc && i < p->n_switches; i++) {
		rc = put_name(out, "switches", i, p->sw[i].name, err);
		moore_buf_fmt(out, ",switch,,,%s,,", form->planned_device);
		if (!rc && p->sw[i].cabinet)
			rc = put_name(out, "switches", i, p->sw[i].cabinet, err);
		if (p->sw[i].unit)
			moore_buf_fmt(out, ",%u,front\n", p->sw[i].unit);
		else
			moore_buf_fmt(out, ",,\n");
	}
	for (uint32_t i = 0; !rc && i < w->n_cas; i++) {
		rc = put_name(out, "endpoints", w->ca[i].first, w->ca[i].name, err);
		moore_buf_fmt(out, ",endpoint,,,%s,,,,\n", form->planned_device);
	}
	return rc;
}

static int
write_devices(const struct form *form, const struct moore_plan *p, struct moore_buf *out,
	      struct moore_err *err)
{
	const size_t before = out->len;
	struct moore_plan_wiring w;
	int rc = moore_plan_wiring_init(&w, p, err);

	if (rc < 0)
		return rc;
	rc = put_devices(out, form, p, &w, err);
	moore_plan_wiring_fini(&w);
	return moore_plan_end(out, before, rc, err);
}

int
moore_plan_write_netboxdevices(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	return write_devices(&forms[NETBOX], p, out, err);
}

int
moore_plan_write_nautobotdevices(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	return write_devices(&forms[NAUTOBOT], p, out, err);
}

/* ---- reading -------------------------------------------------------------------- */

struct reader {
	struct moore_draft d;
	struct moore_csv c;
	const struct form *form;
	size_t column[N_COLUMNS];	/* MOORE_CSV_FIELDS: the text does not have it */
	bool devices;			/* the rows are devices; name, rack and position are in these: */
	size_t name, rack, position;
};

static const char *
field(const struct reader *r, int column)
{
	return moore_csv_field(&r->c, r->column[column]);
}

/* The number of the column with this head in the present row; MOORE_CSV_FIELDS: none. */
static size_t
column_of(const struct reader *r, const char *head)
{
	size_t k = 0;

	while (k < r->c.n && k < MOORE_CSV_FIELDS && strcmp(moore_csv_field(&r->c, k), head))
		k++;
	return k < r->c.n ? k : MOORE_CSV_FIELDS;
}

static int
read_head(struct reader *r)
{
	for (size_t i = 0; i < N_COLUMNS; i++) {
		r->column[i] = column_of(r, r->form->head[i]);
		if (i < N_NEEDED && r->column[i] == MOORE_CSV_FIELDS)
			return moore_fail(r->d.err, MOORE_ESYNTAX, r->c.line, "no column %s: the first line "
					  "names the columns of an import of cables", r->form->head[i]);
	}
	return 0;
}

/* Is this row the head of the devices? */
static bool
begins_devices(struct reader *r)
{
	r->name = column_of(r, "name");
	r->rack = column_of(r, r->form->rack);
	r->position = column_of(r, "position");
	return r->name < MOORE_CSV_FIELDS && r->rack < MOORE_CSV_FIELDS && r->position < MOORE_CSV_FIELDS;
}

/* Takes the place of a switch; other devices are skipped.  Positions may be written 5.0. */
static int
read_device(struct reader *r)
{
	struct moore_draft_node *n = moore_draft_find(&r->d, moore_csv_field(&r->c, r->name));
	const char *rack = moore_csv_field(&r->c, r->rack), *unit = moore_csv_field(&r->c, r->position);
	const char *s = unit, *end = unit + strlen(unit);
	uint64_t v = 0;

	if (!n || n->ca || !*rack)
		return 0;
	if (n->cabinet)
		return moore_fail(r->d.err, MOORE_EPLAN, r->c.line, "\"%s\" is listed twice", n->name);
	if (*unit && (!moore_text_u64(&s, end, 10, UINT32_MAX, &v) || (s != end && strcmp(s, ".0"))))
		return moore_fail(r->d.err, MOORE_ESYNTAX, r->c.line, "position: \"%.20s\": a whole number "
				  "of units", unit);
	n->unit = (unsigned)v;
	n->cabinet = moore_strndup(rack, strlen(rack));
	return n->cabinet ? 0 : moore_fail_nomem(r->d.err);
}

/* Reads an interface such as swp3. */
static int
read_interface(const struct reader *r, const char *name, bool *ca, moore_portnum *port)
{
	for (size_t i = 0; i < ARRAY_LEN(interfaces); i++) {
		const size_t n = strlen(interfaces[i].prefix);
		const char *s = name + n, *end = name + strlen(name);
		uint64_t number;

		if (strncmp(name, interfaces[i].prefix, n))
			continue;
		*ca = interfaces[i].ca;
		if (moore_text_u64(&s, end, 10, MOORE_PORT_MAX, &number) && s == end &&
		    number + interfaces[i].first >= 1 && number + interfaces[i].first <= MOORE_PORT_MAX) {
			*port = (moore_portnum)(number + interfaces[i].first);
			return 0;
		}
	}
	return moore_fail(r->d.err, MOORE_ESYNTAX, r->c.line, "interface \"%.40s\": it is swp1..%d of a "
			  "switch, or eth0 or ib0 and so on of an endpoint", name, MOORE_PORT_MAX);
}

/* Reads a side of a row.  A device is a switch in all its rows, or an endpoint in all. */
static int
read_side(struct reader *r, struct moore_draft_link *k, int e)
{
	const char *device = field(r, e ? B_DEVICE : A_DEVICE), *type = field(r, e ? B_TYPE : A_TYPE);
	struct moore_draft_node *n;
	bool ca = false;
	int rc;

	if (strcmp(type, "dcim.interface"))
		return moore_fail(r->d.err, MOORE_ESYNTAX, r->c.line, "%s: \"%.40s\": the cables of a fabric "
				  "join interfaces: dcim.interface", r->form->head[e ? B_TYPE : A_TYPE], type);
	if ((rc = read_interface(r, field(r, e ? B_NAME : A_NAME), &ca, &k->port[e])) < 0)
		return rc;
	if ((k->node[e] = moore_draft_node(&r->d, device, strlen(device), r->c.line)) == MOORE_NONE)
		return -r->d.err->code;
	n = &r->d.node[k->node[e]];
	if (n->declared && n->ca != ca)
		return moore_fail(r->d.err, MOORE_EPLAN, r->c.line, "\"%s\" is %s on line %u: a switch has "
				  "interfaces swp<n>, an endpoint eth<n>", device,
				  n->ca ? "an endpoint" : "a switch", n->line);
	n->declared = true;
	n->ca = ca;
	return 0;
}

static int
read_length(struct reader *r, double *out)
{
	const char *length = field(r, LENGTH), *unit = field(r, UNIT);

	if (!*length)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (!strcmp(unit, units[i].name) && moore_plan_read_metres(length, strlen(length), out) &&
		    *out * units[i].metres <= MOORE_PLAN_METRES_MAX) {
			*out *= units[i].metres;
			return 0;
		}
	return moore_fail(r->d.err, MOORE_ESYNTAX, r->c.line, "length: \"%.40s\" \"%.10s\": a number, and "
			  "m, cm, km, ft or in; at most %d m", length, unit, MOORE_PLAN_METRES_MAX);
}

static int
read_row(struct reader *r)
{
	struct moore_draft_link k = { .line = r->c.line };
	const char *label = field(r, LABEL);
	int rc;

	if (r->devices)
		return read_device(r);
	if ((r->devices = begins_devices(r)))
		return 0;
	if ((rc = read_side(r, &k, 0)) < 0 || (rc = read_side(r, &k, 1)) < 0 ||
	    (rc = read_length(r, &k.length)) < 0)
		return rc;
	if (*label && !r->d.node[k.node[0]].ca && !r->d.node[k.node[1]].ca &&
	    !(k.label = moore_strndup(label, strlen(label))))
		return moore_fail_nomem(r->d.err);
	if ((rc = moore_draft_link(&r->d, &k)) < 0)
		free(k.label);
	return rc;
}

static int
parse(const struct form *form, struct moore_plan **out, const char *text, size_t len, struct moore_err *err)
{
	struct moore_err own;
	struct reader r = { .d = { .err = err ? err : &own }, .c = { .text = { text, text + len, 0 } },
			    .form = form };
	int rc = moore_csv_next(&r.c, r.d.err);

	*out = NULL;
	if (rc == 0)
		rc = moore_fail(r.d.err, MOORE_ESYNTAX, 0, "an empty list");
	if (rc > 0)
		rc = read_head(&r);
	while (rc >= 0 && (rc = moore_csv_next(&r.c, r.d.err)) > 0)
		rc = read_row(&r);
	if (rc == 0)
		rc = moore_draft_finish(&r.d, out);
	moore_csv_free(&r.c);
	moore_draft_free(&r.d);
	return rc;
}

int
moore_plan_parse_netbox(struct moore_plan **out, const char *text, size_t len, struct moore_err *err)
{
	return parse(&forms[NETBOX], out, text, len, err);
}

int
moore_plan_parse_nautobot(struct moore_plan **out, const char *text, size_t len, struct moore_err *err)
{
	return parse(&forms[NAUTOBOT], out, text, len, err);
}

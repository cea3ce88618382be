// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* find.c - everything that a word can mean: switches and endpoints of the fabric and of the
 * plan, and planned cables; where each stands, and what it is connected to.
 *
 * A device that the fabric and the plan both have is listed once, with the links that the
 * fabric has; one that only the plan has is listed with its planned links.  Where devices
 * stand, and the labels of cables, are known from the plan alone. */
#include <string.h>

#include "answer/answer_impl.h"

#define A_PLACED OBJ("'switch?':" STR ",'endpoint?':" STR ",'port':" INT ",'cabinet':" \
	OR_NULL("string") ",'unit':" OR_NULL("integer") ",'label':" OR_NULL("string"))

#define A_MATCH OBJ("'kind':{'type':'string','enum':['switch','endpoint','cable']},'name':" \
	OR_NULL("string") ",'planned':" OR_NULL("boolean") ",'found':" OR_NULL("boolean") \
	",'guid?':" OR_NULL("string") ",'port_guid?':" OR_NULL("string") ",'node_guid?':" \
	OR_NULL("string") ",'lid?':" OR_NULL("integer") ",'lids?':" INT ",'cabinet?':" \
	OR_NULL("string") ",'unit?':" OR_NULL("integer") ",'length_m?':" NUM ",'links':" \
	LIST_OF(OBJ("'cable':" OR_NULL("string") ",'here':" A_PLACED ",'there':" A_PLACED)))

const char moore_schema_find[] = OBJ("'ok':" BOOL ",'what':" STR ",'matches':" LIST_OF(A_MATCH));

struct jack {			/* a port of a switch, or of an endpoint if ep is not NULL */
	const struct moore_switch *sw;
	const struct moore_endpoint *ep;
	unsigned port;
	const struct moore_plan_switch *at;	/* the planned switch; NULL: none, or an endpoint */
};

/* ---- from the fabric to the plan, and back ---------------------------------------------- */

static bool
same_device(uint64_t guid, const char *name, uint64_t other_guid, const char *other_name)
{
	return guid && other_guid ? guid == other_guid :
		name && other_name && !strcmp(name, other_name);
}

static const struct moore_plan_switch *
planned_switch(const struct moore_find *x, const struct moore_switch *s)
{
	for (uint32_t i = 0; x->plan && i < x->plan->n_switches; i++)
		if (same_device(s->guid, s->name, x->plan->sw[i].guid, x->plan->sw[i].name))
			return &x->plan->sw[i];
	return NULL;
}

static bool
is_planned_endpoint(const struct moore_find *x, const struct moore_endpoint *e)
{
	for (uint32_t i = 0; x->plan && i < x->plan->n_endpoints; i++)
		if (e->ca_port == x->plan->ep[i].ca_port &&
		    same_device(e->guid, e->name, x->plan->ep[i].guid, x->plan->ep[i].name))
			return true;
	return false;
}

static const struct moore_switch *
found_switch(const struct moore_find *x, const struct moore_switch *s)
{
	for (uint32_t i = 0; x->fabric && i < x->fabric->n_switches; i++)
		if (same_device(s->guid, s->name, x->fabric->sw[i].guid, x->fabric->sw[i].name))
			return &x->fabric->sw[i];
	return NULL;
}

static const struct moore_endpoint *
found_endpoint(const struct moore_find *x, const struct moore_endpoint *e)
{
	for (uint32_t i = 0; x->fabric && i < x->fabric->n_endpoints; i++)
		if (e->ca_port == x->fabric->ep[i].ca_port &&
		    same_device(e->guid, e->name, x->fabric->ep[i].guid, x->fabric->ep[i].name))
			return &x->fabric->ep[i];
	return NULL;
}

/* ---- one jack ------------------------------------------------------------------------- */

/* Switches of the outline are those of the plan, in the same order. */
static struct jack
switch_jack(const struct moore_find *x, const struct moore_fabric *f, moore_swid s, unsigned port)
{
	return (struct jack){ .sw = &f->sw[s], .port = port,
			      .at = f == x->outline ? &x->plan->sw[s] : planned_switch(x, &f->sw[s]) };
}

static struct jack
endpoint_jack(const struct moore_fabric *f, moore_epid e)
{
	return (struct jack){ .ep = &f->ep[e], .port = f->ep[e].ca_port };
}

static const char *
jack_name(struct jack j)
{
	return j.ep ? j.ep->name : j.sw->name;
}

/* Appends CABINET-UNIT-PORT; nothing where the plan does not say where the switch stands. */
static void
put_label(struct moore_buf *b, const struct moore_find *x, struct jack j)
{
	if (j.at && j.at->cabinet && j.at->unit)
		moore_work_label(b, x->plan, (moore_swid)(j.at - x->plan->sw), (moore_portnum)j.port);
}

static json_t *
json_label(const struct moore_find *x, struct jack j)
{
	struct moore_buf b = MOORE_BUF_INIT;

	put_label(&b, x, j);
	return b.len || b.oom ? moore_json_text(&b) : json_null();
}

static json_t *
json_cabinet(const struct moore_plan_switch *at)
{
	return at && at->cabinet ? moore_json_name(at->cabinet) : json_null();
}

static json_t *
json_unit(const struct moore_plan_switch *at)
{
	return at && at->unit ? json_integer(at->unit) : json_null();
}

static json_t *
json_jack(const struct moore_find *x, struct jack j)
{
	return json_pack("{s:o, s:i, s:o, s:o, s:o}", j.ep ? "endpoint" : "switch",
			 moore_json_name(jack_name(j)), "port", (int)j.port, "cabinet",
			 json_cabinet(j.at), "unit", json_unit(j.at), "label", json_label(x, j));
}

/* A jack is called by its label or as NAME[PORT]. */
static bool
jack_matches(const struct moore_find *x, struct jack j, const char *what)
{
	struct moore_buf label = MOORE_BUF_INIT, name = MOORE_BUF_INIT;
	bool found;

	put_label(&label, x, j);
	moore_buf_fmt(&name, "%s[%u]", jack_name(j), j.port);
	found = (label.len && !label.oom && !strcmp(label.data, what)) ||
		(!name.oom && !strcmp(name.data, what));
	moore_buf_free(&label);
	moore_buf_free(&name);
	return found;
}

/* ---- links ------------------------------------------------------------------------------ */

/* The plan's own label of the cable at a jack; NULL when it has none. */
static const char *
own_label(const struct moore_find *x, struct jack j)
{
	for (uint32_t i = 0; j.at && i < x->plan->n_cables; i++)
		for (int e = 0; e < 2; e++)
			if (&x->plan->sw[x->plan->cable[i].sw[e]] == j.at &&
			    x->plan->cable[i].port[e] == j.port)
				return x->plan->cable[i].label;
	return NULL;
}

static json_t *
json_link(const struct moore_find *x, struct jack here, struct jack there)
{
	const char *own = there.ep ? NULL : own_label(x, here);

	return json_pack("{s:o, s:o, s:o}", "cable", own ? moore_json_name(own) : json_null(), "here",
			 json_jack(x, here), "there", json_jack(x, there));
}

static json_t *
links_of_switch(const struct moore_find *x, const struct moore_fabric *f, moore_swid s)
{
	json_t *list = json_array();

	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

		if (port->role == MOORE_ROLE_SWITCH)
			list = moore_json_add(list, json_link(x, switch_jack(x, f, s, p),
				switch_jack(x, f, port->peer, port->peer_port)));
		else if (port->role == MOORE_ROLE_ENDPOINT)
			list = moore_json_add(list, json_link(x, switch_jack(x, f, s, p),
				endpoint_jack(f, port->peer)));
	}
	return list;
}

static json_t *
links_of_endpoint(const struct moore_find *x, const struct moore_fabric *f, moore_epid e)
{
	const struct moore_endpoint *ep = &f->ep[e];
	json_t *list = json_array();

	if (ep->sw != MOORE_NONE)
		list = moore_json_add(list, json_link(x, endpoint_jack(f, e),
			switch_jack(x, f, ep->sw, ep->port)));
	return list;
}

/* ---- one match ---------------------------------------------------------------------------- */

static json_t *
json_flag(bool known, bool value)
{
	return known ? json_boolean(value) : json_null();
}

static json_t *
json_lid(moore_lid lid)
{
	return lid ? json_integer(lid) : json_null();
}

static json_t *
json_switch(const struct moore_find *x, const struct moore_fabric *f, moore_swid s)
{
	const struct moore_plan_switch *at = switch_jack(x, f, s, 0).at;
	const struct moore_switch *sw = &f->sw[s];

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o}", "kind", "switch",
		"name", moore_json_name(sw->name), "planned", json_flag(x->plan, at), "found",
		json_flag(x->fabric, f == x->fabric), "guid", moore_json_guid(sw->guid), "port_guid",
		moore_json_guid(sw->port_guid), "lid", json_lid(sw->lid), "lids",
		sw->lid ? 1 << sw->lmc : 0, "cabinet", json_cabinet(at), "unit", json_unit(at), "links",
		links_of_switch(x, f, s));
}

static json_t *
json_endpoint(const struct moore_find *x, const struct moore_fabric *f, moore_epid e)
{
	const struct moore_endpoint *ep = &f->ep[e];
	const struct moore_plan_switch *at = ep->sw == MOORE_NONE ? NULL :
		switch_jack(x, f, ep->sw, ep->port).at;

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o}", "kind", "endpoint",
		"name", moore_json_name(ep->name), "planned", json_flag(x->plan, is_planned_endpoint(x, ep)),
		"found", json_flag(x->fabric, f == x->fabric), "guid", moore_json_guid(ep->guid),
		"node_guid", moore_json_guid(ep->node_guid), "lid", json_lid(ep->lid), "lids",
		ep->lid ? 1 << ep->lmc : 0, "cabinet", json_cabinet(at), "links",
		links_of_endpoint(x, f, e));
}

/* The fabric has this very cable: both devices, joined at both ports. */
static bool
is_found_cable(const struct moore_find *x, struct jack a, struct jack b)
{
	const struct moore_switch *s = found_switch(x, a.sw), *to;
	const struct moore_endpoint *e;
	const struct moore_port *p;

	if (!s || a.port > s->n_ports)
		return false;
	p = moore_fabric_port(x->fabric, (moore_swid)(s - x->fabric->sw), (moore_portnum)a.port);
	if (b.ep)
		return (e = found_endpoint(x, b.ep)) && p->role == MOORE_ROLE_ENDPOINT &&
			&x->fabric->ep[p->peer] == e;
	return (to = found_switch(x, b.sw)) && p->role == MOORE_ROLE_SWITCH &&
		&x->fabric->sw[p->peer] == to && p->peer_port == b.port;
}

static json_t *
json_cable(const struct moore_find *x, const char *own, double length, struct jack a, struct jack b)
{
	json_t *o = json_pack("{s:s, s:o, s:b, s:o, s:o}", "kind", "cable", "name",
		own ? moore_json_name(own) : json_null(), "planned", 1, "found",
		json_flag(x->fabric, x->fabric && is_found_cable(x, a, b)), "links",
		moore_json_add(json_array(), json_link(x, a, b)));

	return length > 0 ? moore_json_set(o, "length_m", json_real(length)) : o;
}

static json_t *
add_cables(json_t *list, const struct moore_find *x, const char *what)
{
	const struct moore_plan *p = x->plan;

	for (uint32_t i = 0; p && i < p->n_cables; i++) {
		const struct moore_plan_cable *c = &p->cable[i];
		const struct jack a = switch_jack(x, x->outline, c->sw[0], c->port[0]);
		const struct jack b = switch_jack(x, x->outline, c->sw[1], c->port[1]);

		if ((c->label && !strcmp(c->label, what)) || jack_matches(x, a, what) ||
		    jack_matches(x, b, what))
			list = moore_json_add(list, json_cable(x, c->label, c->length, a, b));
	}
	for (uint32_t i = 0; p && i < p->n_endpoints; i++) {
		const struct jack a = switch_jack(x, x->outline, p->ep[i].sw, p->ep[i].port);
		const struct jack b = endpoint_jack(x->outline, i);

		if (jack_matches(x, a, what) || jack_matches(x, b, what))
			list = moore_json_add(list, json_cable(x, NULL, 0, a, b));
	}
	return list;
}

/* ---- all matches --------------------------------------------------------------------------- */

/* A planned device that the fabric has, too, matches as that of the fabric. */
static json_t *
add_devices(json_t *list, const struct moore_find *x, const struct moore_fabric *f, const char *what)
{
	const bool again = f != x->fabric;

	for (uint32_t s = 0; f && s < f->n_switches; s++)
		if (moore_switch_matches(&f->sw[s], what) && !(again && found_switch(x, &f->sw[s])))
			list = moore_json_add(list, json_switch(x, f, s));
	for (uint32_t e = 0; f && e < f->n_endpoints; e++)
		if (moore_endpoint_matches(&f->ep[e], what) && !(again && found_endpoint(x, &f->ep[e])))
			list = moore_json_add(list, json_endpoint(x, f, e));
	return list;
}

json_t *
moore_answer_find(const struct moore_find *x, const char *what)
{
	json_t *list = json_array();

	list = add_devices(list, x, x->fabric, what);
	list = add_devices(list, x, x->outline, what);
	list = add_cables(list, x, what);
	return json_pack("{s:b, s:o, s:o}", "ok", json_array_size(list) > 0, "what",
			 moore_json_name(what), "matches", list);
}

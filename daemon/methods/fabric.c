// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fabric.c - what was found: from the last snapshot, and the loads of links from
 * the last poll of counters. */
#include <string.h>

#include "methods/methods.h"
#include "planned.h"
#include "state.h"
#include "watch/hot.h"
#include "watch/sweeps.h"

static json_t *
json_lid(moore_lid lid)
{
	return lid ? json_integer(lid) : json_null();
}

/* Cabinet and unit are the plan's: a fabric does not report where a switch stands. */
static json_t *
json_switch(const struct snapshot *s, const struct planned *plan, uint32_t i)
{
	const struct moore_plan_switch *p = &s->seen->sw[i];
	const struct moore_plan_switch *at = plan ? planned_switch(plan, p->name) : NULL;
	const struct moore_switch *f = s->fabric ? &s->fabric->sw[i] : NULL;

	if (!at)
		at = p;
	return json_pack("{s:o, s:o, s:i, s:o, s:o, s:o, s:o}", "name", moore_json_name(p->name), "guid",
			 moore_json_guid(p->guid), "ports", p->ports, "lid",
			 f ? json_lid(f->lid) : json_null(), "lmc",
			 f ? json_integer(f->lmc) : json_null(), "cabinet",
			 at->cabinet ? moore_json_name(at->cabinet) : json_null(), "unit",
			 at->unit ? json_integer(at->unit) : json_null());
}

static json_t *
json_endpoint(const struct snapshot *s, uint32_t i)
{
	const struct moore_plan_endpoint *p = &s->seen->ep[i];
	const struct moore_endpoint *f = s->fabric ? &s->fabric->ep[i] : NULL;

	return json_pack("{s:o, s:o, s:i, s:o, s:i, s:o, s:o, s:o}", "name", moore_json_name(p->name),
			 "guid", moore_json_guid(p->guid), "ca_port", p->ca_port, "switch",
			 p->sw == MOORE_NONE ? json_null() : moore_json_name(s->seen->sw[p->sw].name),
			 "port", p->port, "lid", f ? json_lid(f->lid) : json_null(), "lmc",
			 f ? json_integer(f->lmc) : json_null(), "rate", moore_json_rate(p->rate));
}

static json_t *
json_end(const struct moore_plan *p, moore_swid sw, moore_portnum port)
{
	return json_pack("{s:o, s:i}", "switch", moore_json_name(p->sw[sw].name), "port", port);
}

/* What the poll found of the port at end e of a cable.  The poll may be of another snapshot: then
 * only a link that is the same in both is known.  NULL: it is not. */
static const struct moore_use *
use_of(const struct hot_copy *h, const struct moore_plan *p, const struct moore_plan_cable *c, int e)
{
	const struct moore_fabric *f = h ? h->snap->fabric : NULL;
	moore_swid s = c->sw[e], to = c->sw[!e];
	const struct moore_port *at;

	if (!f || s >= f->n_switches || to >= f->n_switches || c->port[e] > f->sw[s].n_ports ||
	    strcmp(f->sw[s].name, p->sw[s].name) || strcmp(f->sw[to].name, p->sw[to].name))
		return NULL;
	at = &f->port[f->sw[s].port0 + c->port[e]];
	if (at->role != MOORE_ROLE_SWITCH || at->peer != to || at->peer_port != c->port[!e])
		return NULL;
	return &h->use[f->sw[s].port0 + c->port[e]];
}

/* What end e of a cable sends, as a share of what the link can carry. */
static json_t *
json_load(const struct hot_copy *h, const struct moore_plan *p, const struct moore_plan_cable *c,
	  int e)
{
	const struct moore_use *use = use_of(h, p, c, e);

	return moore_json_share(use ? use->load : -1);
}

static json_t *
json_cable(const struct hot_copy *h, const struct moore_plan *p, const struct moore_plan_cable *c)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "a", json_end(p, c->sw[0], c->port[0]), "b",
			 json_end(p, c->sw[1], c->port[1]), "rate",
			 moore_json_rate(moore_plan_rate(p, c->rate)), "load", json_load(h, p, c, 0),
			 "load_back", json_load(h, p, c, 1));
}

/* ---- lists ------------------------------------------------------------------------- */

static json_t *
run_summary(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_SEEN, e);

	if (!s)
		return NULL;
	return from_sweep(s, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o}",
		"took_ms", moore_json_count(s->took_ms), "sm", s->sm[0] ? moore_json_name(s->sm) : json_null(),
		"switches", moore_json_count(s->seen->n_switches), "endpoints",
		moore_json_count(s->seen->n_endpoints), "cables", moore_json_count(s->seen->n_cables), "lid_top",
		s->fabric ? json_integer(s->fabric->lid_top) : json_null(), "tables_sweep",
		s->lft ? moore_json_count(s->tables_scan) : json_null(), "lanes_read",
		s->sl2vl != NULL, "told", json_sweep_told(c->d, s)));
}

static json_t *
run_switches(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_SEEN, e);
	json_t *list = s ? json_array() : NULL;

	for (uint32_t i = 0; s && i < s->seen->n_switches; i++)
		json_array_append_new(list, json_switch(s, c->plan, i));
	return s ? from_sweep(s, json_pack("{s:o}", "switches", list)) : NULL;
}

/* The snapshot, and in *sw the switch that params name, MOORE_NONE for all.  NULL fills *e. */
static const struct snapshot *
asked_switch(const struct call *c, moore_swid *sw, struct rpc_error *e)
{
	const char *name = json_string_value(json_object_get(c->params, "switch"));
	const struct snapshot *s = call_snapshot(c, NEED_SEEN, e);

	*sw = MOORE_NONE;
	if (!s || !name)
		return s;
	for (uint32_t i = 0; i < s->seen->n_switches && *sw == MOORE_NONE; i++)
		if (!strcmp(s->seen->sw[i].name, name))
			*sw = i;
	if (*sw != MOORE_NONE)
		return s;
	rpc_fail(e, RPC_NOT_FOUND, "%.100s: no switch of that name was found", name);
	return NULL;
}

static json_t *
run_endpoints(struct call *c, struct rpc_error *e)
{
	moore_swid at;
	const struct snapshot *s = asked_switch(c, &at, e);
	json_t *list = s ? json_array() : NULL;

	for (uint32_t i = 0; s && i < s->seen->n_endpoints; i++)
		if (at == MOORE_NONE || s->seen->ep[i].sw == at)
			json_array_append_new(list, json_endpoint(s, i));
	return s ? from_sweep(s, json_pack("{s:o}", "endpoints", list)) : NULL;
}

static json_t *
run_links(struct call *c, struct rpc_error *e)
{
	moore_swid at;
	const struct snapshot *s = asked_switch(c, &at, e);
	json_t *list = s ? json_array() : NULL;

	for (uint32_t i = 0; s && i < s->seen->n_cables; i++) {
		const struct moore_plan_cable *k = &s->seen->cable[i];

		if (at == MOORE_NONE || k->sw[0] == at || k->sw[1] == at)
			json_array_append_new(list, json_cable(c->own, s->seen, k));
	}
	return s ? from_sweep(s, json_pack("{s:o}", "links", list)) : NULL;
}

/* Lists instead of objects: half the bytes of fabric.links are names, which do not change. */
static json_t *
run_loads(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_SEEN, e);
	const struct hot_copy *h = c->own;
	json_t *load[2] = { NULL, NULL }, *wait[2] = { NULL, NULL };

	for (int end = 0; s && end < 2; end++) {
		load[end] = json_array();
		wait[end] = json_array();
		for (uint32_t i = 0; i < s->seen->n_cables; i++) {
			const struct moore_use *use = use_of(h, s->seen, &s->seen->cable[i], end);

			json_array_append_new(load[end], moore_json_share(use ? use->load : -1));
			json_array_append_new(wait[end], moore_json_share(use ? use->wait : -1));
		}
	}
	return !s ? NULL : from_sweep(s, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
		"poll", h ? moore_json_count(h->number) : json_null(),
		"polled_ms", h ? moore_json_count(h->at_ms) : json_null(),
		"load", load[0], "load_back", load[1], "wait", wait[0], "wait_back", wait[1]));
}

static bool
take_loads(struct call *c, struct rpc_error *e)
{
	(void)e;
	c->own = hot_copy(c->d, asked_plane(c));
	return true;		/* without: no load is known */
}

static json_t *
run_find(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_FABRIC, e);
	struct moore_err err;
	moore_swid sw;
	moore_epid ep;

	if (!s)
		return NULL;
	if (view_find(c->view, json_string_value(json_object_get(c->params, "what")), &sw, &ep,
		      &err) < 0)
		return rpc_fail(e, RPC_NOT_FOUND, "%s", err.text);
	return from_sweep(s, json_pack("{s:s, s:o}", "kind", sw != MOORE_NONE ? "switch" : "endpoint",
		sw != MOORE_NONE ? "switch" : "endpoint",
		sw != MOORE_NONE ? json_switch(s, c->plan, sw) : json_endpoint(s, ep)));
}

static json_t *
run_locate(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_FABRIC, e);
	struct moore_fabric *outline = NULL;
	struct moore_err err;
	json_t *answer;

	if (!s)
		return NULL;
	if (c->plan && moore_fabric_outline(&outline, c->plan->plan, &err) < 0)
		return rpc_fail(e, RPC_FAILED, "%s", err.text);
	answer = moore_answer_find(&(struct moore_find){ .fabric = s->fabric, .outline = outline,
		.plan = c->plan ? c->plan->plan : NULL },
		json_string_value(json_object_get(c->params, "what")));
	moore_fabric_free(outline);
	return from_sweep(s, answer);
}

static json_t *
run_get(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_SEEN, e);
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_err err;
	json_t *plan;

	if (!s)
		return NULL;
	if (moore_plan_write(s->seen, &b, &err) < 0) {
		moore_buf_free(&b);
		return rpc_fail(e, RPC_INTERNAL, "%s", err.text);
	}
	plan = json_loadb(b.data, b.len, 0, NULL);
	moore_buf_free(&b);
	return from_sweep(s, json_pack("{s:o}", "plan", plan));
}

#define A_SWITCH "{'type':'object','properties':{'name':" STR ",'guid':" OR_NULL("string") \
	",'ports':" INT ",'lid':" OR_NULL("integer") ",'lmc':" OR_NULL("integer") ",'cabinet':" \
	OR_NULL("string") ",'unit':" OR_NULL("integer") "}}"
#define AN_ENDPOINT "{'type':'object','properties':{'name':" STR ",'guid':" OR_NULL("string") \
	",'ca_port':" INT ",'switch':" OR_NULL("string") ",'port':" INT ",'lid':" \
	OR_NULL("integer") ",'lmc':" OR_NULL("integer") ",'rate':" OR_NULL("string") "}}"
#define AN_END "{'type':'object','properties':{'switch':" STR ",'port':" INT "}}"
#define SHARES "{'type':'array','items':" OR_NULL("number") "}"
#define A_LINK "{'type':'object','properties':{'a':" AN_END ",'b':" AN_END ",'rate':" \
	OR_NULL("string") ",'load':" OR_NULL("number") ",'load_back':" OR_NULL("number") "}}"

const struct method methods_fabric[] = {
	{ "fabric.summary", "Returns the size of the fabric that the last scan found, and how "
	  "much of its tables was read.", ACCESS_READ,
	  P(PLANE), R(SWEEP "'took_ms':" INT ",'sm':" OR_NULL("string") ",'switches':" INT
		      ",'endpoints':" INT ",'cables':" INT ",'lid_top':" OR_NULL("integer")
		      ",'tables_sweep':" OR_NULL("integer") ",'lanes_read':" BOOL ",'told':" A_SWEEP_TOLD),
	  run_summary, TAKES_NO_TIME, NULL, NULL },
	{ "fabric.switches", "Returns every switch.", ACCESS_READ, P(PLANE),
	  R(SWEEP "'switches':{'type':'array','items':" A_SWITCH "}"), run_switches, TAKES_A_MOMENT,
	  NULL, NULL },
	{ "fabric.links", "Returns every link between switches, with the load of each "
	  "direction as a share of its capacity; with switch, those of one switch.", ACCESS_READ,
	  P(PLANE ",'switch':" NAME), R(SWEEP "'links':{'type':'array','items':" A_LINK "}"),
	  run_links, TAKES_A_MOMENT, take_loads, drop_copy },
	{ "fabric.loads", "Returns the load and the wait of each link of fabric.links, in its order "
	  "and with its names, as lists: null is not known. The order holds while sweep is the "
	  "same.", ACCESS_READ, P(PLANE),
	  R(SWEEP "'poll':" OR_NULL("integer") ",'polled_ms':" OR_NULL("integer") ",'load':" SHARES
	    ",'load_back':" SHARES ",'wait':" SHARES ",'wait_back':" SHARES),
	  run_loads, TAKES_A_MOMENT, take_loads, drop_copy },
	{ "fabric.endpoints", "Returns every endpoint (CA port); with switch, those at one "
	  "switch.",
	  ACCESS_READ, P(PLANE ",'switch':" NAME),
	  R(SWEEP "'endpoints':{'type':'array','items':" AN_ENDPOINT "}"), run_endpoints,
	  TAKES_A_MOMENT, NULL,
	  NULL },
	{ "fabric.get", "Returns the whole fabric, in the form of docs/plan.schema.json.", ACCESS_READ,
	  P(PLANE),
	  R(SWEEP "'plan':" OBJECT), run_get, TAKES_A_MOMENT, NULL, NULL },
	{ "fabric.find", "Finds a switch or endpoint by name, NAME:CA_PORT, 0x GUID or LID.", ACCESS_READ,
	  P_REQ("'what'", PLANE ",'what':" NAME),
	  R(SWEEP "'kind':{'type':'string','enum':['switch','endpoint']},'switch':" A_SWITCH
	    ",'endpoint':" AN_ENDPOINT), run_find, TAKES_NO_TIME, NULL, NULL },
	{ "fabric.locate", "Returns every switch, endpoint and planned cable that a LID, GUID, name "
	  "or label means, where it stands and what it is connected to.", ACCESS_READ,
	  P_REQ("'what'", PLANE ",'what':" NAME), ANSWER("find"), run_locate, TAKES_A_MOMENT, NULL,
	  NULL },
	{ 0 }
};

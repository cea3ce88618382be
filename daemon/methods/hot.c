// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hot.c - hotspots.* and path.select: from the last poll of counters. */
#include <stdlib.h>
#include <string.h>

#include "watch/hot.h"
#include "records/past.h"
#include "methods/methods.h"
#include "state.h"

#define ALARMS_MAX 1000		/* of one answer */

static json_int_t
asked_limit(const struct call *c, json_int_t most)
{
	const json_t *limit = json_object_get(c->params, "limit");

	return limit ? json_integer_value(limit) : most;
}

static json_t *
no_poll(struct rpc_error *e)
{
	return rpc_fail(e, RPC_NO_FABRIC, "no counters were read yet, or memory ran out: "
			"system.status says why");
}

static struct moore_link_name
name_of(const struct hot_place *at)
{
	return (struct moore_link_name){ at->from, at->to, at->port, at->to_port };
}

/* ---- hotspots.list ----------------------------------------------------------------- */

/* The label of the planned cable at a port; NULL: there is no plan, or no label. */
static const char *
cable_label(const struct planned *plan, const char *from, unsigned port)
{
	const struct moore_plan_cable *k = plan ? planned_cable(plan, from, (moore_portnum)port) : NULL;

	return k ? k->label : NULL;
}

static struct moore_hotspot
spot_of(const struct hot_plane *p, const struct planned *plan, const struct moore_alarm *a)
{
	const struct moore_port_traffic *t = &p->port[a->port].traffic;
	struct hot_place at;

	hot_place_of(p->snap, a->port, &at);
	return (struct moore_hotspot){ .alarm = *a, .at = name_of(&at),
		.cable = cable_label(plan, at.from, at.port), .load = t->tx, .wait = t->wait,
		.for_s = (p->at_us - a->since_us) / 1000000 };
}

static json_t *
run_list(struct call *c, struct rpc_error *e)
{
	const struct hot_plane *p = hot_plane(c->d, asked_plane(c));
	struct moore_alarm *a = malloc(ALARMS_MAX * sizeof(*a));
	struct moore_hotspot *spot = calloc(ALARMS_MAX, sizeof(*spot));
	uint32_t total, n = (uint32_t)asked_limit(c, ALARMS_MAX);
	json_t *answer = NULL;

	if (!p || !a || !spot) {
		no_poll(e);
		goto out;
	}
	total = moore_hot_alarms(p->hot, a, n);
	n = total < n ? total : n;
	for (uint32_t i = 0; i < n; i++)
		spot[i] = spot_of(p, c->plan, &a[i]);
	answer = from_sweep(p->snap, moore_answer_hotspots(&(struct moore_hot_poll){
		.number = p->number, .at_ms = p->at_ms, .load = moore_hot_load(p->hot),
		.wait = moore_hot_wait(p->hot, MOORE_LINK_FABRIC),
		.wait_edge = moore_hot_wait(p->hot, MOORE_LINK_EDGE) }, spot, n, total));
out:
	free(spot);
	free(a);
	return answer;
}

/* ---- errors.list ------------------------------------------------------------------- */

static struct moore_error_port
errors_at(const struct hot_plane *p, const struct planned *plan, uint32_t port)
{
	struct hot_place at;

	hot_place_of(p->snap, port, &at);
	return (struct moore_error_port){ .at = name_of(&at), .guid = at.guid,
		.cable = cable_label(plan, at.from, at.port), .now = &p->last[port], .since = &p->errors[port], .now_us = p->at_us };
}

/* The same of the HCA port of an endpoint, which the cable connects with that of a switch. */
static struct moore_error_port
errors_at_host(const struct hot_plane *p, const struct planned *plan, moore_epid e)
{
	const struct moore_fabric *f = p->snap->fabric;
	const struct moore_endpoint *x = &f->ep[e];
	const char *sw = x->sw == MOORE_NONE ? NULL : f->sw[x->sw].name;

	return (struct moore_error_port){ .at = { x->name ? x->name : "", sw ? sw : "", x->ca_port, x->port },
		.hca = true, .guid = x->node_guid, .cable = sw ? cable_label(plan, sw, x->port) : NULL,
		.now = &p->host[e], .since = &p->host_errors[e], .now_us = p->at_us };
}

static json_t *
run_errors(struct call *c, struct rpc_error *e)
{
	const struct hot_plane *p = hot_plane(c->d, asked_plane(c));
	struct moore_error_port *port = calloc(ALARMS_MAX, sizeof(*port));
	uint32_t total = 0, n = (uint32_t)asked_limit(c, ALARMS_MAX);
	json_t *answer = NULL;

	if (!p || !port) {
		no_poll(e);
		goto out;
	}
	for (moore_swid s = 0; s < p->snap->fabric->n_switches; s++)
		for (unsigned k = 1; k <= p->snap->fabric->sw[s].n_ports; k++) {
			uint32_t i = p->snap->fabric->sw[s].port0 + k;

			if (p->last[i].at_us && moore_errors_any(&p->last[i]) && total++ < n)
				port[total - 1] = errors_at(p, c->plan, i);
		}
	for (moore_epid i = 0; i < p->snap->fabric->n_endpoints; i++)
		if (p->host[i].at_us && moore_errors_any(&p->host[i]) && total++ < n)
			port[total - 1] = errors_at_host(p, c->plan, i);
	answer = from_sweep(p->snap, moore_answer_errors(&(struct moore_hot_poll){
		.number = p->number, .at_ms = p->at_ms }, port, total < n ? total : n, total));
out:
	free(port);
	return answer;
}

/* ---- hotspots.history -------------------------------------------------------------- */

/* The finding of an event that was kept, as it is in the log; its cause, score and duration are
 * not kept.  NULL: it is of another plane, or not before the time. */
static json_t *
kept_finding(const struct past_event *x, unsigned plane, json_int_t before_ms)
{
	json_t *o = json_loadb(x->text, x->len, 0, NULL), *p = json_object_get(o, "params"), *made = NULL;
	const char *finding = json_string_value(json_object_get(p, "finding"));
	const char *from = json_string_value(json_object_get(p, "switch"));
	const char *to = json_string_value(json_object_get(p, "peer"));
	json_int_t at_ms = json_integer_value(json_object_get(p, "at_ms"));
	struct moore_alarm a = { .value = json_number_value(json_object_get(p, "value")) };
	unsigned kind = 0;

	while (finding && kind < MOORE_N_FINDINGS &&
	       strcmp(moore_finding_name((enum moore_finding)kind), finding))
		kind++;
	if (finding && kind < MOORE_N_FINDINGS && at_ms < before_ms &&
	    json_integer_value(json_object_get(p, "plane")) == plane) {
		a.kind = (enum moore_finding)kind;
		made = moore_json_alarm(&a, &(struct moore_link_name){ from ? from : "", to ? to : "",
			(moore_portnum)json_integer_value(json_object_get(p, "port")),
			(moore_portnum)json_integer_value(json_object_get(p, "peer_port")) }, 0);
		json_object_set_new(made, "at_ms", json_integer(at_ms));
		json_object_set(made, "raised", json_object_get(p, "raised"));
		json_object_set_new(made, "cause", json_null());
	}
	json_decref(o);
	return made;
}

/* Appends findings from before the log, which a restart empties: from the events that are kept. */
static void
add_kept(struct call *c, json_t *list, json_int_t limit, json_int_t before_ms)
{
	size_t n;
	const struct past_event *x = past_events(c->d, &n);

	while (n-- > 0 && (json_int_t)json_array_size(list) < limit)
		if (!strcmp(x[n].kind, "hotspot")) {
			json_t *o = kept_finding(&x[n], asked_plane(c), before_ms);

			if (o)
				json_array_append_new(list, o);
		}
}

static json_t *
run_history(struct call *c, struct rpc_error *e)
{
	const struct hot_plane *p = hot_plane(c->d, asked_plane(c));
	json_int_t limit = asked_limit(c, HOT_LOG), first_ms = INT64_MAX;
	json_t *list;

	if (!p)
		return no_poll(e);
	list = json_array();
	for (uint64_t i = p->n_logged; i-- > 0 && p->n_logged - i <= HOT_LOG &&
				       (json_int_t)json_array_size(list) < limit;) {
		const struct hot_entry *x = &p->log[i % HOT_LOG];
		json_t *o = moore_json_alarm(&x->alarm, &(struct moore_link_name){ x->from, x->to,
			x->port, x->to_port }, (x->alarm.at_us - x->alarm.since_us) / 1000000);

		first_ms = (json_int_t)x->at_ms;
		json_object_set_new(o, "at_ms", moore_json_count(x->at_ms));
		json_object_set_new(o, "raised", json_boolean(x->alarm.raised));
		json_object_set_new(o, "cause", x->why ? json_incref(x->why) : json_null());
		json_array_append_new(list, o);
	}
	add_kept(c, list, limit, first_ms);
	return from_sweep(p->snap, json_pack("{s:I, s:o}", "total", (json_int_t)p->n_logged, "events",
					     list));
}

/* ---- hotspots.explain -------------------------------------------------------------- */

static bool
prepare_copy(struct call *c, struct rpc_error *e)
{
	c->own = hot_copy(c->d, asked_plane(c));
	if (!c->own)
		no_poll(e);
	return c->own != NULL;
}

static json_t *
json_cause(const struct hot_copy *h, const struct planned *plan, const struct moore_cause *c,
	   double misfit)
{
	const struct moore_use *use = &h->use[c->port];
	struct hot_place at;

	hot_place_of(h->snap, c->port, &at);
	return from_sweep(h->snap, moore_answer_explain(
		&(struct moore_hot_poll){ .number = h->number, .at_ms = h->at_ms },
		h->snap->fabric, c, &(struct moore_hotspot){ .at = name_of(&at),
		.cable = cable_label(plan, at.from, at.port), .load = use->load,
		.wait = use->wait }, misfit));
}

/* The port asked for: "switch" by name or GUID, and "port". */
static bool
asked_port(const struct call *c, const struct hot_copy *h, uint32_t *port, struct rpc_error *e)
{
	const struct moore_fabric *f = h->snap->fabric;
	const char *name = json_string_value(json_object_get(c->params, "switch"));
	json_int_t n = json_integer_value(json_object_get(c->params, "port"));
	struct moore_err err;
	moore_swid sw;
	moore_epid ep;

	if (moore_fabric_find(f, name, &sw, &ep, &err) < 0 || sw == MOORE_NONE) {
		rpc_fail(e, RPC_NOT_FOUND, "%.100s: no switch of that name was found", name);
		return false;
	}
	if (n > f->sw[sw].n_ports || moore_fabric_port(f, sw, (moore_portnum)n)->role ==
	    MOORE_ROLE_NONE) {
		rpc_fail(e, RPC_NOT_FOUND, "%.100s:%d: there is no link", name, (int)n);
		return false;
	}
	*port = f->sw[sw].port0 + (uint32_t)n;
	return true;
}

static json_t *
run_explain(struct call *c, struct rpc_error *e)
{
	const struct hot_copy *h = c->own;
	struct moore_demand *d = NULL;
	struct moore_cause cause;
	struct moore_err err;
	json_t *o = NULL;
	double misfit;
	uint32_t port;

	if (!asked_port(c, h, &port, e))
		return NULL;
	if (!h->snap->lft)
		return refuse_unread(h->snap, e);
	if (moore_demand_estimate(&d, h->snap->fabric, h->snap->lft,
				  &(struct moore_loads){ h->tx, h->rx }, &misfit, &err) < 0 ||
	    moore_cause_of(&cause, d, port, h->line, &err) < 0)
		rpc_fail(e, RPC_FAILED, "%s", err.text);
	else
		o = json_cause(h, c->plan, &cause, misfit);
	moore_demand_free(d);
	return o;
}

/* ---- path.select ------------------------------------------------------------------- */

static const struct moore_ugal *
asked_form(const struct call *c)
{
	const char *name = json_string_value(json_object_get(c->params, "form"));
	const struct moore_ugal *u = moore_ugal_at(0);

	for (size_t i = 0; name && (u = moore_ugal_at(i)) && strcmp(u->name, name);)
		i++;
	return u;
}

/* One pair of params; false fills *e. */
static bool
read_pair(const struct moore_fabric *f, const json_t *pair, struct moore_choice *c,
	  struct rpc_error *e)
{
	const char *from = json_string_value(json_object_get(pair, "from"));
	const char *to = json_string_value(json_object_get(pair, "to"));
	struct moore_err err;
	moore_swid sw;
	moore_epid ep;

	if (moore_fabric_find(f, from, &sw, &ep, &err) < 0) {
		rpc_fail(e, RPC_NOT_FOUND, "%s", err.text);
		return false;
	}
	c->from = sw != MOORE_NONE ? sw : f->ep[ep].sw;
	if (moore_fabric_find(f, to, &sw, &ep, &err) < 0 || ep == MOORE_NONE) {
		rpc_fail(e, RPC_NOT_FOUND, "%.100s: no endpoint of that name was found", to);
		return false;
	}
	c->ep = ep;
	c->bytes = json_number_value(json_object_get(pair, "bytes_per_s"));
	return true;
}

static json_t *
json_choice(const struct hot_copy *h, const struct moore_choice *c)
{
	json_t *list = json_array(), *o;

	for (unsigned k = 0; k < c->n_offsets; k++) {
		struct hot_place at;

		if (c->hops[k] == UINT16_MAX)
			continue;
		o = json_pack("{s:i, s:i, s:o}", "offset", (int)k, "hops", (int)c->hops[k], "queue",
			      moore_json_share(c->queue[k]));
		if (c->worst[k] != MOORE_NONE) {
			hot_place_of(h->snap, c->worst[k], &at);
			json_object_set_new(o, "fullest", json_pack("{s:o, s:i}", "switch",
							moore_json_name(at.from), "port", at.port));
		}
		json_array_append_new(list, o);
	}
	if (c->offset == MOORE_N_OFFSETS)
		return json_pack("{s:n, s:n, s:b, s:o}", "offset", "lid", "minimal", 0, "offsets", list);
	return json_pack("{s:i, s:i, s:b, s:o}", "offset", (int)c->offset, "lid",
			 h->snap->fabric->ep[c->ep].lid + c->offset, "minimal", (int)c->minimal,
			 "offsets", list);
}

static json_t *
run_select(struct call *c, struct rpc_error *e)
{
	const struct hot_copy *h = c->own;
	const json_t *pairs = json_object_get(c->params, "pairs");
	size_t n = json_array_size(pairs);
	struct moore_choice *choice = calloc(1, sizeof(*choice));
	json_t *list = json_array();
	struct moore_err err;
	bool good = choice && h->snap->lft;

	if (!h->snap->lft)
		refuse_unread(h->snap, e);
	else if (!choice)
		rpc_fail(e, RPC_FAILED, "out of memory");
	for (size_t i = 0; good && i < n; i++) {
		memset(choice, 0, sizeof(*choice));
		good = read_pair(h->snap->fabric, json_array_get(pairs, i), choice, e);
		if (good && moore_path_select(h->snap->fabric, h->snap->lft, h->line, h->use,
					      asked_form(c), choice, 1, &err) < 0) {
			rpc_fail(e, RPC_FAILED, "%s", err.text);
			good = false;
		}
		if (good)
			json_array_append_new(list, json_choice(h, choice));
	}
	free(choice);
	if (!good) {
		json_decref(list);
		return NULL;
	}
	return from_sweep(h->snap, json_pack("{s:I, s:s, s:o}", "poll", (json_int_t)h->number, "form",
					     asked_form(c)->name, "choices", list));
}

/* ---- the rows ---------------------------------------------------------------------- */

#define NUM "{'type':'number'}"
#define PORT "{'type':'integer','minimum':1,'maximum':254}"
#define LIMIT "'limit':{'type':'integer','minimum':0,'maximum':1000}"
#define A_PLACE "'switch':" STR ",'port':" INT ",'peer':" OR_NULL("string") ",'peer_port':" INT
#define AN_ALARM "'finding':" STR ",'text':" STR ",'value':" OR_NULL("number") ",'peak':" \
	OR_NULL("number") ",'score':" NUM ",'rank':" INT ",'for_s':" INT "," A_PLACE
#define A_SUSPECT "{'type':'object','properties':{'from':" STR ",'to':" STR ",'source':" \
	OR_NULL("string") ",'dest':" OR_NULL("string") ",'offset':" INT ",'bytes_per_s':" \
	OR_NULL("integer") ",'share':" OR_NULL("number") ",'certainty':" OR_NULL("number") \
	",'other_offset':" OR_NULL("integer") ",'other_idle':" OR_NULL("number") "}}"
#define A_CAUSE "'suspects':{'type':'array','items':" A_SUSPECT "},'remedy':{'type':'object'," \
	"'properties':{'try':" STR ",'text':" STR "}}"
#define A_CHOICE "{'type':'object','properties':{'offset':" OR_NULL("integer") ",'lid':" \
	OR_NULL("integer") ",'minimal':" BOOL ",'offsets':" LIST "}}"

const struct method methods_hot[] = {
	{ "hotspots.list", "Returns the findings that are raised now: links that are hot, on "
	  "which packets wait, with errors, flapping, slow or narrow; and the spread of load "
	  "and wait over all links.", ACCESS_READ, P(PLANE "," LIMIT),
	  ANSWER("hotspots"), run_list, TAKES_NO_TIME, NULL, NULL },
	{ "errors.list", "Returns the ports of switches, and then those of hosts, whose error counters "
	  "are not 0 (hca: a host's, and switch and guid are those of the host): each counter, how much of "
	  "it `rose` since since_ms, when moored first read the port, per hour, and when it rose last. transmit_wait, in ticks, stands beside them.", ACCESS_READ,
	  P(PLANE "," LIMIT),
	  ANSWER("errors"), run_errors, TAKES_NO_TIME, NULL, NULL },
	{ "hotspots.explain", "Explains the load of the link that leaves a switch by a port: "
	  "the routes over it by offset, the pairs of switches that send most over it (an "
	  "estimate from all loads, with its certainty), how idle their other offsets are, and "
	  "the change to try.", ACCESS_READ,
	  P_REQ("'switch','port'", PLANE ",'switch':" NAME ",'port':" PORT),
	  ANSWER("explain"), run_explain, TAKES_LONG, prepare_copy, drop_copy },
	{ "hotspots.history", "Returns findings that were raised and cleared, the latest "
	  "first. cause is what hotspots.explain returned when a load or a wait was raised: "
	  "three suspects and the change to try. Behind the findings of this run, of which there were "
	  "total, come those of earlier ones as far as their events are kept, without cause, peak, score "
	  "and rank (0).", ACCESS_READ,
	  P(PLANE "," LIMIT),
	  R(SWEEP "'total':" INT ",'events':{'type':'array','items':{'type':'object','properties':{"
	    AN_ALARM ",'at_ms':" INT ",'raised':" BOOL ",'cause':{'type':['object','null'],'properties':{"
	    "'misfit':" OR_NULL("number") "," A_CAUSE "}}}}}"), run_history, TAKES_NO_TIME, NULL, NULL },
	{ "path.select", "Chooses the offset to send on, for each pair in turn, by UGAL's "
	  "comparison on the loads of the last poll; the traffic that a pair announces "
	  "(bytes_per_s) counts for the pairs after it.",
	  ACCESS_READ, P_REQ("'pairs'", PLANE ",'form':{'type':'string','enum':['path','kathareios',"
	  "'yebenes']},'pairs':{'type':'array','maxItems':4096,'items':{'type':'object',"
	  "'additionalProperties':false,'required':['from','to'],'properties':{'from':" NAME ",'to':"
	  NAME ",'bytes_per_s':{'type':'number','minimum':0}}}}"),
	  R(SWEEP "'poll':" INT ",'form':" STR ",'choices':{'type':'array','items':" A_CHOICE "}"),
	  run_select, TAKES_LONG, prepare_copy, drop_copy },
	{ 0 }
};

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* shadow.c - the tables in force beside those that the engine computes for the same fabric.
 *
 * Its parts are other answers, so that a figure here is the figure there. */
#include "answer/answer_impl.h"

#define SHARES OBJ("'uniform':" NUM ",'worst':" NUM)
#define WAY OBJ("'ok':" BOOL ",'stages':" LIST_OF(OBJ("'lanes':" STR ",'ok':" BOOL ",'why':" \
	OR_NULL("string") ",'steps?':" ENGINE_STEPS)))
#define OF(answer) "{'answer':'" answer "'}"
#define BUSY OBJ(LINK_KEYS ",'bytes':" INT ",'over_mean':" NUM ",'predicted_over_mean':" NUM)
#define COUNTERS OBJ_OR_NULL("'at_ms':" OR_NULL("integer") ",'links':" INT ",'links_read':" INT "," \
	LOAD_KEYS ",'busiest':" LIST_OF(BUSY) ",'ports':" INT ",'ports_with_errors':" INT \
	",'errors':" LIST_OF(OBJ(LINK_KEYS ",'counters':" ANY_OBJECT)))
#define ERRORS_MAX 10		/* ports that are listed */

const char moore_schema_shadow[] = OBJ("'ok':" BOOL ",'capture?':" OF("capture") ",'lmc':" INT
	",'today':" OF("verdict") ",'today_shares':" SHARES ",'counters':" COUNTERS ",'cables?':" OF("check")
	",'why':" OR_NULL("string") ",'preconditions':" LIST_OF(OBJ("'what':" STR ",'met':"
		OR_NULL("boolean") ",'text':" STR))
	",'moore?':" OF("route") ",'moore_shares?':" SHARES
	",'writes?':" OBJ("'blocks':" INT ",'blocks_of':" INT ",'sl2vl_rows':" OR_NULL("integer")
		",'sl2vl_rows_of':" INT)
	",'there?':" WAY ",'back?':" WAY);

/* ---- preconditions ----------------------------------------------------------------------- */

struct precondition {
	const char *what;
	enum { NOT_MET, MET, UNKNOWN } met;
	const char *text;
};

static json_t *
json_precondition(const struct precondition *p)
{
	return json_pack("{s:s, s:o, s:s}", "what", p->what, "met", p->met == UNKNOWN ? json_null() :
			 json_boolean(p->met == MET), "text", p->text);
}

/* The fewest VLs of a link between switches; 15 when there is none. */
static unsigned
fewest_lanes(const struct moore_fabric *f)
{
	unsigned least = 15;

	for (uint32_t i = 0; i < f->n_ports; i++)
		if (f->port[i].role == MOORE_ROLE_SWITCH && f->port[i].lanes < least)
			least = f->port[i].lanes;
	return least;
}

static struct precondition
on_lanes(const struct moore_answer_tables *t)
{
	if (!t->op_vls)
		return (struct precondition){ "two VLs", UNKNOWN, "no operational VLs were captured: compare "
			"`smpquery portinfo`, and name them with --op-vls" };
	if (fewest_lanes(t->f) < 2)
		return (struct precondition){ "two VLs", NOT_MET, "a link between switches runs one VL: "
			"set max_op_vls 2 or more in opensm.conf; profile one-vl needs one" };
	return (struct precondition){ "two VLs", MET, "every link between switches runs two or more" };
}

static struct precondition
on_qos(const struct moore_answer_tables *t)
{
	if (t->no_lanes)
		return (struct precondition){ "QoS", NOT_MET, "no SL to VL tables were captured: OpenSM "
			"programs them with `qos TRUE`" };
	return (struct precondition){ "QoS", MET, "OpenSM programs SL to VL tables" };
}

static struct precondition
on_plan(const struct moore_shadow *x)
{
	if (!x->planned)
		return (struct precondition){ "plan", UNKNOWN, "none was given: the fabric's own cables are "
			"taken as intended unless a family is recognised" };
	if (x->result && x->result->plan_unused)
		return (struct precondition){ "plan", NOT_MET, "no switch of it has a name or GUID of the "
			"fabric, so routes were computed without it: do this at the site, or with a "
			"capture whose names were kept" };
	return (struct precondition){ "plan", MET, "routes are those of the plan" };
}

static struct precondition
on_sl_mapping(const struct moore_answer_tables *t)
{
	if (!t->sl_maps)
		return (struct precondition){ "SL mapping", UNKNOWN, "dumps do not tell whether switches map "
			"SLs: let moored take the capture" };
	for (moore_swid s = 0; s < t->f->n_switches; s++)
		if (!t->f->sw[s].maps_sl)
			return (struct precondition){ "SL mapping", NOT_MET, "a switch reports that it maps no "
				"SLs, so moore routes nothing through it: `moorectl accept` names it" };
	return (struct precondition){ "SL mapping", MET, "every switch reports that it maps SLs" };
}

static json_t *
json_preconditions(const struct moore_shadow *x, bool *met)
{
	const struct precondition all[] = { on_lanes(&x->today), on_qos(&x->today), on_plan(x),
		on_sl_mapping(&x->today),
		{ "OpenSM", UNKNOWN, "its version, plugin and settings: `moorectl doctor` at the site" },
	};
	json_t *list = json_array();

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		*met &= all[i].met != NOT_MET;
		list = moore_json_add(list, json_precondition(&all[i]));
	}
	return list;
}

/* ---- counters ---------------------------------------------------------------------------- */

/* The mean load that the tables give a port which leads to a switch. */
static double
mean_predicted(const struct moore_fabric *f, const double *load)
{
	double sum = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_ports; i++)
		if (f->port[i].role == MOORE_ROLE_SWITCH) {
			sum += load[i];
			n++;
		}
	return n ? sum / n : 0;
}

static json_t *
json_busiest(const struct moore_shadow *x, const struct moore_measured *m)
{
	const struct moore_fabric *f = x->today.f;
	const double mean = mean_predicted(f, x->predicted);
	json_t *list = json_array();

	for (unsigned i = 0; i < m->n_busiest; i++) {
		const struct moore_busy *b = &m->busiest[i];
		const double load = x->predicted[f->sw[b->sw].port0 + b->port];

		list = moore_json_add(list, moore_json_merge(moore_json_link(f, b->sw, b->port),
			json_pack("{s:o, s:f, s:f}", "bytes", moore_json_bytes(b->sent), "over_mean",
				  b->sent / m->mean, "predicted_over_mean", mean > 0 ? load / mean : 0)));
	}
	return list;
}

/* The error counters of a port that are not 0. */
static json_t *
json_errors(const struct moore_reading *r)
{
	json_t *o = json_object();

	for (enum moore_counter c = 0; c < MOORE_N_COUNTERS; c++)
		if (moore_counter_is_error(c) && r->has >> c & 1 && r->v[c])
			o = moore_json_set(o, moore_counter_name(c), json_integer((json_int_t)r->v[c]));
	return o;
}

static json_t *
json_bad_ports(const struct moore_fabric *f, const struct moore_counted *c)
{
	json_t *list = json_array();
	unsigned n = 0;

	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports && n < ERRORS_MAX; p++) {
			const struct moore_reading *r = &c->port[f->sw[s].port0 + p];

			if (!moore_errors_any(r))
				continue;
			n++;
			list = moore_json_add(list, moore_json_set(moore_json_link(f, s, (moore_portnum)p),
								   "counters", json_errors(r)));
		}
	return list;
}

static json_t *
json_counters(const struct moore_shadow *x)
{
	const struct moore_counted *c = x->counted;
	struct moore_measured m;
	json_t *o;

	if (!c)
		return json_null();
	moore_measured_of(&m, x->today.f, c);
	o = json_pack("{s:o, s:I, s:I, s:o, s:I, s:I, s:o}", "at_ms", c->at_ms ?
		json_integer((json_int_t)c->at_ms) : json_null(), "links", (json_int_t)m.n_links,
		"links_read", (json_int_t)m.n_read, "busiest", json_busiest(x, &m),
		"ports", (json_int_t)m.n_ports, "ports_with_errors", (json_int_t)m.n_errors,
		"errors", json_bad_ports(x->today.f, c));
	return moore_json_merge(o, moore_json_load(m.max, m.mean));
}

/* ---- the answer ------------------------------------------------------------------------------ */

static json_t *
json_shares(const struct moore_shadow_shares *s)
{
	return json_pack("{s:f, s:f}", "uniform", s->uniform, "worst", s->worst);
}

static json_t *
json_writes(const struct moore_shadow *x)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "blocks", moore_json_count(x->churn->changed.blocks),
		"blocks_of", moore_json_count(x->churn->all.blocks), "sl2vl_rows",
		x->today.no_lanes ? json_null() : moore_json_count(x->lanes.changed),
		"sl2vl_rows_of", moore_json_count(x->lanes.all));
}

static json_t *
json_stage(const struct moore_shadow *x, const struct moore_shadow_stage *s, bool narrow)
{
	json_t *o = json_pack("{s:s, s:b, s:o}", "lanes", narrow ? "one" : "all", "ok",
			      s->steps && moore_engine_steps_ok(s->steps), "why", s->steps ? json_null() :
			      moore_json_name(s->why));

	return s->steps ? moore_json_set(o, "steps", moore_json_engine_steps(x->today.f, s->steps)) : o;
}

/* The stages, and whether all can be gone. */
static json_t *
json_way(const struct moore_shadow *x, bool back)
{
	json_t *list = json_array();
	bool ok = true;

	for (unsigned i = 0; i < x->n_stages; i++) {
		const struct moore_shadow_stage *s = &x->stage[back][i];

		ok = ok && s->steps && moore_engine_steps_ok(s->steps);
		list = moore_json_add(list, json_stage(x, s, x->n_stages > 1 && (i == 0) == !back));
	}
	return moore_json_set(json_pack("{s:b}", "ok", ok), "stages", list);
}

/* What the engine computes, and the way there and back. */
static json_t *
add_moore(json_t *o, const struct moore_shadow *x)
{
	o = moore_json_set(o, "moore", moore_answer_route(x->today.f, x->result, x->stats, NULL));
	o = moore_json_set(o, "moore_shares", json_shares(&x->shares[1]));
	o = moore_json_set(o, "writes", json_writes(x));
	o = moore_json_set(o, "there", json_way(x, false));
	return moore_json_set(o, "back", json_way(x, true));
}

static bool
is_ok(const json_t *o, const char *part)
{
	const json_t *p = json_object_get(o, part);

	return !p || json_is_true(json_object_get(p, "ok"));
}

json_t *
moore_answer_shadow(const struct moore_shadow *x)
{
	bool ok = x->result && !(x->stats->missing_links + x->stats->missing_switches);
	json_t *o = json_pack("{s:o, s:n, s:i}", "preconditions", json_preconditions(x, &ok), "why",
			      "lmc", moore_fabric_lmc(x->today.f));

	if (x->capture)
		o = moore_json_set(o, "capture", moore_answer_capture(x->capture));
	o = moore_json_set(o, "today", moore_answer_verdict(&x->today, x->asked, x->verdict, x->dangling));
	o = moore_json_set(o, "today_shares", json_shares(&x->shares[0]));
	o = moore_json_set(o, "counters", json_counters(x));
	if (x->wire)
		o = moore_json_set(o, "cables", moore_answer_check(x->wire));
	if (x->result)
		o = add_moore(o, x);
	else
		o = moore_json_set(o, "why", moore_json_name(x->why));
	ok = ok && is_ok(o, "today") && is_ok(o, "cables") && is_ok(o, "moore") && is_ok(o, "there") &&
		is_ok(o, "back");
	return moore_json_set(o, "ok", json_boolean(ok));
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hot.c - links that stand out, and why one does. */
#include "answer/answer_impl.h"

#define PLACE_KEYS "'switch':" STR ",'port':" INT ",'peer':" OR_NULL("string") ",'peer_port':" INT
#define ALARM_KEYS "'finding':" STR ",'text':" STR ",'value':" OR_NULL("number") ",'peak':" \
	OR_NULL("number") ",'score':" NUM ",'rank':" INT ",'for_s':" INT "," PLACE_KEYS
#define A_SUMMARY OBJ("'links':" INT ",'directed_links':" INT ",'min':" OR_NULL("number") ",'q1':" \
	OR_NULL("number") ",'median':" OR_NULL("number") ",'q3':" OR_NULL("number") ",'max':" \
	OR_NULL("number") ",'mean':" OR_NULL("number") ",'mad':" OR_NULL("number"))
#define A_SUSPECT OBJ("'from':" STR ",'to':" STR ",'source':" OR_NULL("string") ",'dest':" \
	OR_NULL("string") ",'offset':" INT ",'bytes_per_s':" OR_NULL("integer") ",'share':" \
	OR_NULL("number") ",'certainty':" OR_NULL("number") ",'other_offset':" OR_NULL("integer") \
	",'other_idle':" OR_NULL("number"))
#define CAUSE_KEYS "'misfit':" OR_NULL("number") ",'suspects':" LIST_OF(A_SUSPECT) ",'remedy':" \
	OBJ("'try':" STR ",'text':" STR)

const char moore_schema_hotspots[] = OBJ("'ok':" BOOL ",'poll':" INT ",'polled_ms':" INT ",'total':" INT
	",'load':" A_SUMMARY ",'wait':" A_SUMMARY ",'wait_edge':" A_SUMMARY ",'hotspots':"
	LIST_OF(OBJ(ALARM_KEYS ",'cable':" OR_NULL("string") ",'load':" OR_NULL("number")
		",'wait':" OR_NULL("number"))));

const char moore_schema_errors[] = OBJ("'ok':" BOOL ",'poll':" INT ",'polled_ms':" INT ",'total':" INT
	",'ports':" LIST_OF(OBJ(PLACE_KEYS ",'hca':" BOOL ",'guid':" OR_NULL("string") ",'optics?':" OPTIC ",'cable':" OR_NULL("string") ",'since_ms':" OR_NULL("integer")
		",'counters':" LIST_OF(OBJ("'counter':" STR ",'value':" INT ",'rose':" INT
			",'per_hour':" OR_NULL("number") ",'last_ms':" OR_NULL("integer"))))));

const char moore_schema_explain[] = OBJ("'poll':" INT ",'polled_ms':" INT ",'cable':" OR_NULL("string")
	",'load':" OR_NULL("number") ",'wait':" OR_NULL("number") ",'bytes_per_s':"
	OR_NULL("integer") ",'explained':" OR_NULL("integer") ",'routes':" LIST_OF(INT) ","
	PLACE_KEYS "," CAUSE_KEYS);

static json_t *
or_null(const char *name)
{
	return name && *name ? moore_json_name(name) : json_null();
}

/* PLACE_KEYS */
static json_t *
json_place(const struct moore_link_name *at)
{
	return json_pack("{s:o, s:i, s:o, s:i}", "switch", moore_json_name(at->from),
			 "port", at->port, "peer", or_null(at->to), "peer_port", at->to_port);
}

/* ---- what stands out ---------------------------------------------------------------- */

json_t *
moore_json_alarm(const struct moore_alarm *a, const struct moore_link_name *at, uint64_t for_s)
{
	json_t *o = json_pack("{s:s, s:s, s:o, s:o, s:f, s:I, s:I}", "finding",
		moore_finding_name(a->kind), "text", moore_finding_help(a->kind),
		"value", moore_json_share(a->value), "peak", moore_json_share(a->peak),
		"score", a->score, "rank", (json_int_t)a->rank, "for_s", (json_int_t)for_s);

	return moore_json_merge(o, json_place(at));
}

static json_t *
json_summary(const struct moore_summary *s)
{
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "links", (json_int_t)s->n,
		"directed_links", (json_int_t)s->n, "min", moore_json_share(s->min),
		"q1", moore_json_share(s->q1), "median", moore_json_share(s->median),
		"q3", moore_json_share(s->q3), "max", moore_json_share(s->max),
		"mean", moore_json_share(s->mean), "mad", moore_json_share(s->mad));
}

json_t *
moore_answer_hotspots(const struct moore_hot_poll *p, const struct moore_hotspot *spot, uint32_t n,
		      uint32_t total)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++) {
		const struct moore_hotspot *s = &spot[i];
		json_t *o = moore_json_alarm(&s->alarm, &s->at, s->for_s);

		list = moore_json_add(list, moore_json_merge(o, json_pack("{s:o, s:o, s:o}",
			"cable", or_null(s->cable), "load", moore_json_share(s->load),
			"wait", moore_json_share(s->wait))));
	}
	return json_pack("{s:b, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "ok", !total,
		"poll", (json_int_t)p->number, "polled_ms", (json_int_t)p->at_ms,
		"total", (json_int_t)total, "load", json_summary(p->load),
		"wait", json_summary(p->wait), "wait_edge", json_summary(p->wait_edge),
		"hotspots", list);
}

/* ---- errors -------------------------------------------------------------------------- */

/* A monotonic time as wall clock, since the wall clock of one moment is known. */
static json_t *
json_when(const struct moore_hot_poll *p, uint64_t now_us, uint64_t us)
{
	return us ? json_integer((json_int_t)(p->at_ms - (now_us - us) / 1000)) : json_null();
}

static json_t *
json_counter(const struct moore_hot_poll *p, const struct moore_error_port *e, enum moore_counter c)
{
	double hours = (double)(e->now_us - e->since->first_us) / 3.6e9;
	bool known = e->since->first_us && hours > 0;

	return json_pack("{s:s, s:I, s:I, s:o, s:o}", "counter", moore_counter_name(c),
		"value", (json_int_t)e->now->v[c], "rose", (json_int_t)e->since->rose[c],
		"per_hour", known ? json_real((double)e->since->rose[c] / hours) : json_null(),
		"last_ms", json_when(p, e->now_us, e->since->last_us[c]));
}

/* The error counters that are not 0, and beside them how long packets waited. */
json_t *
moore_answer_counters(const struct moore_hot_poll *p, const struct moore_error_port *e)
{
	json_t *list = json_array();

	for (enum moore_counter c = 0; c < MOORE_N_COUNTERS; c++)
		if (e->now->has >> c & 1 && e->now->v[c] &&
		    (moore_counter_is_error(c) || c == MOORE_XMIT_WAIT))
			list = moore_json_add(list, json_counter(p, e, c));
	return list;
}

static json_t *
json_error_port(const struct moore_hot_poll *p, const struct moore_error_port *e)
{
	return moore_json_merge(json_place(&e->at), json_pack("{s:b, s:o, s:o, s:o, s:o}", "hca", e->hca,
		"guid", moore_json_guid(e->guid), "cable", or_null(e->cable), "since_ms",
		json_when(p, e->now_us, e->since->first_us), "counters", moore_answer_counters(p, e)));
}

json_t *
moore_answer_optic(const struct moore_optic *o)
{
	json_t *all = o ? json_object() : json_null();

	for (int v = 0; o && v < MOORE_N_OPTIC_VALUES; v++)
		json_object_set_new(all, moore_optic_value_name(v), *o->value[v] ?
				    moore_json_name(o->value[v]) : json_null());
	return all;
}

json_t *
moore_answer_errors(const struct moore_hot_poll *p, const struct moore_error_port *port, uint32_t n,
		    uint32_t total)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++)
		list = moore_json_add(list, json_error_port(p, &port[i]));
	return json_pack("{s:b, s:I, s:I, s:I, s:o}", "ok", !total, "poll", (json_int_t)p->number,
		"polled_ms", (json_int_t)p->at_ms, "total", (json_int_t)total, "ports", list);
}

/* ---- why ------------------------------------------------------------------------------ */

static json_t *
json_endpoint(const struct moore_fabric *f, moore_epid e)
{
	return e == MOORE_NONE ? json_null() : moore_json_name(f->ep[e].name);
}

static json_t *
json_suspect(const struct moore_fabric *f, const struct moore_suspect *s)
{
	bool other = s->other < MOORE_N_OFFSETS;

	return json_pack("{s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o}",
		"from", moore_json_name(f->sw[s->from].name),
		"to", moore_json_name(f->sw[s->to].name), "source", json_endpoint(f, s->source),
		"dest", json_endpoint(f, s->dest), "offset", s->offset,
		"bytes_per_s", moore_json_bytes(s->bytes), "share", moore_json_share(s->share),
		"certainty", moore_json_share(s->certainty),
		"other_offset", other ? json_integer(s->other) : json_null(),
		"other_idle", other ? moore_json_share(s->idle) : json_null());
}

static unsigned
percent(double share)
{
	return (unsigned)(100 * share + 0.5);
}

/* The change to try, as a sentence. */
static json_t *
json_advice(const struct moore_fabric *f, const struct moore_cause *c,
	    const struct moore_link_name *at)
{
	const struct moore_suspect *s = &c->suspect[0];
	struct moore_buf b = MOORE_BUF_INIT;

	switch (c->remedy) {
	case MOORE_TRY_OFFSET:
	case MOORE_TRY_SPLIT:
		moore_buf_fmt(&b, "send %sfrom %s to %s on offset %u (LID %u): its fullest link is %u %% "
			      "idle", c->remedy == MOORE_TRY_SPLIT ? "half of what goes " : "",
			      f->sw[s->from].name, f->ep[s->dest].name, s->other,
			      f->ep[s->dest].lid + s->other, percent(s->idle));
		break;
	case MOORE_TRY_WEIGHT:
		moore_buf_fmt(&b, "%s: give the link a weight (\"%s:%u weight 2\" in the links file of "
			      "moore.conf) and let OpenSM route again", s->share < MOORE_CAUSE_MAIN ?
			      "no one pair carries it" : "the first pair's other ways are no better",
			      at->from, at->port);
		break;
	case MOORE_TRY_LAYERS:
		moore_buf_fmt(&b, "%u %% of it goes from %s to %s, which has one LID and so one way: set "
			      "lmc 1 in opensm.conf and send it on offset 1, or run it elsewhere",
			      percent(s->share), f->sw[s->from].name, f->ep[s->dest].name);
		break;
	case MOORE_TRY_SPREAD:
		moore_buf_fmt(&b, "several send to %s at once: no route helps; spread them in time, or "
			      "give the receiver more ports", at->to);
		break;
	default:
		moore_buf_fmt(&b, "%s", c->n_suspects ? "one sender fills the link of its receiver: "
			      "nothing else shares it" : "nothing is known to send over it now");
	}
	return moore_json_text(&b);
}

json_t *
moore_json_cause(const struct moore_fabric *f, const struct moore_cause *c,
		 const struct moore_link_name *at, double misfit, unsigned most)
{
	json_t *suspects = json_array();

	for (unsigned i = 0; i < c->n_suspects && i < most; i++)
		suspects = moore_json_add(suspects, json_suspect(f, &c->suspect[i]));
	return json_pack("{s:o, s:o, s:{s:s, s:o}}", "misfit", moore_json_share(misfit),
			 "suspects", suspects, "remedy", "try", moore_remedy_name(c->remedy),
			 "text", json_advice(f, c, at));
}

json_t *
moore_answer_explain(const struct moore_hot_poll *p, const struct moore_fabric *f,
		     const struct moore_cause *c, const struct moore_hotspot *link, double misfit)
{
	json_t *routes = json_array(), *o;

	for (unsigned k = 0; k < c->n_offsets; k++)
		routes = moore_json_add(routes, moore_json_count(c->routes[k]));
	o = json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "poll", (json_int_t)p->number,
		"polled_ms", (json_int_t)p->at_ms, "cable", or_null(link->cable),
		"load", moore_json_share(link->load), "wait", moore_json_share(link->wait),
		"bytes_per_s", moore_json_bytes(c->load),
		"explained", moore_json_bytes(c->explained), "routes", routes);
	o = moore_json_merge(o, json_place(&link->at));
	return moore_json_merge(o, moore_json_cause(f, c, &link->at, misfit, MOORE_CAUSE_FLOWS));
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* verdict.c - the checker's verdict, of tables that were read and of those that the
 * engine has just computed. */
#include "answer/answer_impl.h"

#define A_CHANNEL OBJ(LINK_KEYS ",'vl':" INT)
#define CYCLE LIST_OF(OBJ("'from':" A_CHANNEL ",'to':" A_CHANNEL ",'example':" \
	OBJ("'source':" STR ",'lid':" INT ",'destination':" STR ",'sl':" INT)))
#define TOLD_KEYS "'at_ms':" INT ",'number':" INT ",'state':" STR ",'up':" BOOL ",'why':" \
	OR_NULL("string") ",'topology':" OR_NULL("string") ",'profile':" OR_NULL("string") \
	",'layers':" OR_NULL("string") ",'switches':" INT ",'endpoints':" INT \
	",'missing_links':" INT ",'missing_switches':" INT ",'blocks':" INT ",'hash':" \
	OR_NULL("string") ",'routes_held':" OR_NULL("boolean") ",'lanes_held':" OR_NULL("boolean")

const char moore_schema_verdict[] = OBJ("'switches':" INT ",'endpoints':" INT
	",'multicast_groups':" INT ",'lanes_dumped':" BOOL ",'asked':" OBJ("'hint':" BOOL
	",'sls':" LIST_OF(INT) ",'base_lids':" BOOL ",'endpoints_only':" BOOL) "," VERDICT_KEYS
	",'dangling':" INT ",'dangling_example?':" OBJ("'switch':" STR ",'lid':" INT ",'port':" INT)
	",'unlisted?':" INT ",'unlisted_example?':" OBJ("'switch':" STR ",'lid':" INT
		",'destination':" STR)
	",'cycle?':" CYCLE
	",'example?':" OBJ("'switch':" STR ",'lid':" INT ",'destination':" STR)
	",'expected':" OBJ_OR_NULL("'routes':" INT ",'routes_differ':" INT ",'example':"
		OBJ_OR_NULL("'switch':" STR ",'lid':" INT ",'port':" INT ",'expected':" INT)
		",'lanes_differ':" INT)
	",'expected_why?':" STR ",'sa':" OBJ_OR_NULL("'asked':" INT ",'answered':" INT ",'sls':"
		LIST_OF(INT) ",'ok':" BOOL ",'sound':" BOOL ",'heard_ms':" INT)
	",'adaptive_routing':{'type':'null'},'told':" OBJ_OR_NULL(TOLD_KEYS)
	",'stock?':" OBJ("'hops':" STR ",'trees':" INT ",'safe':" INT ",'together':" BOOL
		",'everyone':" OR_NULL("string") ",'list':" LIST_OF(OBJ("'root':" OR_NULL("string")
			",'mlid':" OR_NULL("integer") ",'safe':" BOOL))
		",'cycle?':" CYCLE));

const char moore_schema_route[] = OBJ("'topology':" STR ",'switches':" INT ",'endpoints':" INT
	",'hash':" OR_NULL("string") ",'missing_switches':" INT ",'missing_links':" INT
	",'extra_links':" INT ",'repaired':" INT ",'avoided_links':" INT ",'drained_switches':" INT
	",'unknown_link_rules':" INT ",'unknown_link_line':" OR_NULL("integer") "," VERDICT_KEYS
	",'steps?':" ENGINE_STEPS);

/* ---- both ------------------------------------------------------------------------ */

static json_t *
json_hottest(const struct moore_fabric *f, const struct moore_verdict *v)
{
	return v->mean_load > 0 ? moore_json_link(f, v->hottest.sw, v->hottest.port) : json_null();
}

json_t *
moore_json_add_verdict(json_t *o, const struct moore_fabric *f, const struct moore_verdict *v,
		       bool sound, const char *op_vls)
{
	o = moore_json_merge(o, json_pack("{s:b, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I}",
		"ok", sound, "sound", sound, "acyclic", v->acyclic,
		"pairs", (json_int_t)v->pairs, "unreachable", (json_int_t)v->unreachable,
		"loops", (json_int_t)v->loops, "partitioned", (json_int_t)v->partitioned,
		"dropped", (json_int_t)v->dropped,
		"hops", moore_json_histogram(v->hops, MOORE_HOPS_MAX),
		"vls", moore_json_bits(v->vls), "channels", (json_int_t)v->n_channels,
		"dependencies", (json_int_t)v->n_dependencies));
	o = moore_json_merge(o, moore_json_load(v->max_load, v->mean_load));
	o = moore_json_set(o, "hottest", json_hottest(f, v));
	return moore_json_set(o, "op_vls", moore_json_op_vls(f, op_vls));
}

/* ---- tables that were read ----------------------------------------------------------- */

static json_t *
json_channel(const struct moore_fabric *f, const struct moore_channel *ch)
{
	return moore_json_set(moore_json_link(f, ch->sw, ch->port), "vl", json_integer(ch->vl));
}

/* The name of a switch; MOORE_NONE is null. */
static json_t *
json_switch(const struct moore_fabric *f, moore_swid s)
{
	return s == MOORE_NONE ? json_null() : moore_json_name(f->sw[s].name);
}

/* Where the example packet of a dependency enters the fabric. */
static json_t *
json_source(const struct moore_fabric *f, const struct moore_dependency *d)
{
	const struct moore_port *p = moore_fabric_port(f, d->src_sw, d->src_port);
	bool ep = d->src_port && p->role == MOORE_ROLE_ENDPOINT;

	return moore_json_name(ep ? f->ep[p->peer].name : f->sw[d->src_sw].name);
}

static json_t *
json_cycle(const struct moore_answer_tables *t, const struct moore_dependency *cycle, uint32_t len)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < len; i++) {
		const struct moore_dependency *d = &cycle[i];

		list = moore_json_add(list, json_pack("{s:o, s:o, s:{s:o, s:i, s:o, s:i}}",
			"from", json_channel(t->f, &d->from),
			"to", json_channel(t->f, &cycle[(i + 1) % len].from),
			"example", "source", json_source(t->f, d), "lid", d->dlid,
			"destination", moore_json_owner(t, d->dlid), "sl", d->sl));
	}
	return list;
}

/* The question, beside the answer. */
static json_t *
json_asked(const struct moore_check_opts *o)
{
	return json_pack("{s:b, s:o, s:b, s:b}", "hint", o->sl_set != NULL, "sls",
			 moore_json_bits(o->sl_mask), "base_lids", o->base_lids_only,
			 "endpoints_only", o->endpoints_only);
}

/* Pairs that moore-path-sl.dump has no line for: the SLs that they send on are unknown. */
static json_t *
add_unlisted(json_t *o, const struct moore_answer_tables *t, const struct moore_sl_set *set)
{
	if (!set)
		return o;
	o = moore_json_set(o, "unlisted", moore_json_count(set->n_unlisted));
	return !set->n_unlisted ? o : moore_json_set(o, "unlisted_example",
		json_pack("{s:o, s:i, s:o}", "switch", moore_json_name(t->f->sw[set->unlisted_sw].name),
			  "lid", (int)set->unlisted_lid, "destination",
			  moore_json_owner(t, set->unlisted_lid)));
}

static json_t *
add_faults(json_t *o, const struct moore_answer_tables *t, const struct moore_verdict *v,
	   const struct moore_dangling *d)
{
	const struct moore_fabric *f = t->f;

	o = moore_json_set(o, "dangling", moore_json_count(d->n));
	if (d->n)
		o = moore_json_set(o, "dangling_example", json_pack("{s:o, s:i, s:i}", "switch",
			moore_json_name(f->sw[d->sw].name), "lid", (int)d->lid, "port", d->port));
	if (!v->acyclic)
		o = moore_json_set(o, "cycle", json_cycle(t, v->cycle, v->cycle_len));
	if (v->unreachable)
		o = moore_json_set(o, "example", json_pack("{s:o, s:i, s:o}", "switch",
			moore_json_name(f->sw[v->bad_sw].name), "lid", v->bad_lid, "destination",
			moore_json_owner(t, v->bad_lid)));
	return o;
}

json_t *
moore_answer_verdict(const struct moore_answer_tables *t, const struct moore_check_opts *asked,
		     const struct moore_verdict *v, const struct moore_dangling *d)
{
	bool sound = v->sound && !d->n && !(asked->sl_set && asked->sl_set->n_unlisted);
	json_t *o = json_pack("{s:i, s:i, s:i, s:b, s:o}", "switches", (int)t->f->n_switches,
			      "endpoints", (int)t->f->n_endpoints, "multicast_groups",
			      t->mft ? (int)t->mft->n_groups : 0, "lanes_dumped", !t->no_lanes,
			      "asked", json_asked(asked));

	o = moore_json_add_verdict(o, t->f, v, sound, t->op_vls);
	o = add_unlisted(add_faults(o, t, v, d), t, asked->sl_set);
	return moore_json_merge(o, json_pack("{s:n, s:n, s:n, s:n}", "expected", "sa",
					     "adaptive_routing", "told"));
}

json_t *
moore_answer_add_stock(json_t *verdict, const struct moore_answer_tables *t,
		       const struct moore_stock_verdict *v, bool hops_read)
{
	json_t *list = json_array(), *o;

	for (uint32_t i = 0; i < v->n; i++)
		list = moore_json_add(list, json_pack("{s:o, s:o, s:b}", "root",
			json_switch(t->f, v->tree[i].root), "mlid", v->tree[i].mlid ?
			json_integer(v->tree[i].mlid) : json_null(), "safe", v->tree[i].safe));
	o = json_pack("{s:s, s:I, s:I, s:b, s:o, s:o}", "hops", hops_read ? "file" : "shortest",
		      "trees", (json_int_t)v->n, "safe", (json_int_t)v->n_safe, "together", v->together,
		      "everyone", json_switch(t->f, v->everyone), "list", list);
	if (v->cycle_len)
		o = moore_json_set(o, "cycle", json_cycle(t, v->cycle, v->cycle_len));
	if (!v->together)
		verdict = moore_json_set(verdict, "ok", json_false());
	return moore_json_set(verdict, "stock", o);
}

/* ---- tables that the engine computed --------------------------------------------------- */

json_t *
moore_answer_route(const struct moore_fabric *seen, const struct moore_engine_result *r,
		   const struct moore_route_stats *s, const struct moore_engine_steps *steps)
{
	json_t *o = json_pack("{s:o, s:i, s:i, s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o}",
			      "topology", moore_json_name(r->topology),
			      "switches", (int)seen->n_switches,
			      "endpoints", (int)seen->n_endpoints, "hash", moore_json_guid(r->hash),
			      "missing_switches", (int)s->missing_switches,
			      "missing_links", (int)s->missing_links,
			      "extra_links", (int)s->extra_links, "repaired", (int)s->repaired,
			      "avoided_links", (int)s->avoided_links,
			      "drained_switches", (int)s->drained_switches,
			      "unknown_link_rules", (int)s->unknown_rules, "unknown_link_line",
			      s->unknown_rules ? json_integer(s->unknown_line) : json_null());

	o = moore_json_add_verdict(o, seen, r->verdict, r->verdict->sound, NULL);
	if (!steps)
		return o;
	o = moore_json_set(o, "ok", json_boolean(r->verdict->sound && moore_engine_steps_ok(steps)));
	return moore_json_set(o, "steps", moore_json_engine_steps(seen, steps));
}

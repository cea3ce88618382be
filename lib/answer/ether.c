// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether.c - what the configurations of Ethernet switches do. */
#include "answer/answer_impl.h"

static const char *const kind_name[] = {
	[MOORE_ETHER_NO_LINK] = "no-link",
	[MOORE_ETHER_WRONG_HOP] = "wrong-next-hop", [MOORE_ETHER_NO_HOST] = "host-not-routed",
	[MOORE_ETHER_SPLIT] = "split-prefix", [MOORE_ETHER_DROPS_CLASS] = "lossy",
	[MOORE_ETHER_OTHER_CLASS] = "other-class", [MOORE_ETHER_MIXED_CLASS] = "mixed-classes",
	[MOORE_ETHER_INCOMPLETE] = "incomplete-file",
};

const char moore_schema_ether[] = OBJ("'ok':" BOOL ",'switches':" INT ",'hosts':" INT ",'layers':" INT
	",'classes':" LIST_OF(OBJ("'dscp':" INT ",'priority':" INT))
	",'tables':" LIST_OF(OBJ("'format':" STR ",'routes':" INT
		",'classes_read':" BOOL ",'faults':" INT ",'fault_list':" LIST_OF(OBJ("'kind':" STR
			",'switch':" STR ",'to':" OR_NULL("string") ",'line':" OR_NULL("integer")
			",'port':" OR_NULL("integer") ",'dscp':" OR_NULL("integer")
			",'file?':" STR ",'host?':" OR_NULL("string") ",'lacks?':" OR_NULL("string")))
		"," VERDICT_KEYS
		",'sets':" OBJ_OR_NULL("'routes':" INT ",'next_hops':" INT ",'sound':" BOOL
			",'acyclic':" BOOL ",'loops':" INT ",'unreachable':" INT
			",'cycle?':" LIST_OF(OBJ(LINK_KEYS ",'class':" INT)))
		",'backups':" OBJ_OR_NULL("'routes':" INT ",'backed':" INT ",'links':" INT
			",'sound':" BOOL ",'bad_links':" INT ",'bad?':" OBJ(LINK_KEYS ",'acyclic':" BOOL
			",'loops':" INT ",'unreachable':" INT ",'cycle':" LIST_OF(OBJ(LINK_KEYS
			",'class':" INT))))
		",'example?':" OBJ_OR_NULL("'switch':" STR ",'to':" STR ",'layer':" INT ",'prefix':" STR)
		",'cycle?':" LIST_OF(OBJ(LINK_KEYS ",'class':" INT)))));

static json_t *
json_addr(const struct moore_addr *a)
{
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *o;

	if (!a->is_set)
		return json_null();
	moore_addr_put(&b, a);
	o = b.data ? json_string(b.data) : NULL;
	moore_buf_free(&b);
	return o;
}

static json_t *
json_or_null(unsigned n)
{
	return n ? json_integer(n) : json_null();
}

/* Adds the file that is incomplete, and what it lacks. */
static json_t *
add_file(json_t *o, const struct moore_ether *x, const struct moore_ether_fault *fault)
{
	o = moore_json_set(o, "file", json_string(fault->file));
	o = moore_json_set(o, "host", fault->host == MOORE_NONE ? json_null() :
			   moore_json_name(x->plan->ep[fault->host].name));
	return moore_json_set(o, "lacks", *fault->lacks ? json_string(fault->lacks) : json_null());
}

static json_t *
json_faults(const struct moore_ether *net, const struct moore_fabric *f, const struct moore_ether_faults *faults)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < faults->n_kept; i++) {
		const struct moore_ether_fault *x = &faults->kept[i];
		json_t *o = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "kind",
			kind_name[x->kind], "switch", moore_json_name(f->sw[x->sw].name), "to",
			json_addr(&x->to), "line", json_or_null(x->line), "port", json_or_null(x->port),
			"dscp", x->port ? json_integer(x->dscp) : json_null());

		list = moore_json_add(list, *x->file ? add_file(o, net, x) : o);
	}
	return list;
}

static json_t *
json_channel(const struct moore_fabric *f, const struct moore_channel *c)
{
	return moore_json_set(moore_json_link(f, c->sw, c->port), "class", json_integer(c->vl));
}

static json_t *
json_cycle(const struct moore_fabric *f, const struct moore_verdict *v)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < v->cycle_len; i++)
		list = moore_json_add(list, json_channel(f, &v->cycle[i].from));
	return list;
}

/* True if no choice among the next hops loops, loses packets or closes a cycle. */
static bool
sets_are_sound(const struct moore_mix_held *v)
{
	return !v || (v->safe && !v->interrupted);
}

static json_t *
json_held_cycle(const struct moore_fabric *f, const struct moore_mix_held *v)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < v->cycle_len; i++)
		list = moore_json_add(list, json_channel(f, &v->cycle[i]));
	return list;
}

static json_t *
json_sets(const struct moore_fabric *f, const struct moore_ether_judged *j)
{
	const struct moore_mix_held *v = j->sets;
	json_t *o;

	if (!v)
		return json_null();
	o = json_pack("{s:o, s:o, s:b, s:b, s:i, s:o}", "routes", moore_json_count(j->n_sets),
		      "next_hops", moore_json_count(j->n_set_hops), "sound", sets_are_sound(v), "acyclic",
		      v->acyclic, "loops", (int)v->loop_lids, "unreachable", moore_json_count(v->interrupted));
	return v->acyclic ? o : moore_json_set(o, "cycle", json_held_cycle(f, v));
}

/* While any single link is down. */
static json_t *
json_backups(const struct moore_fabric *f, const struct moore_ether_backed *k)
{
	json_t *o, *bad;

	if (!k->n_backed)
		return json_null();
	o = json_pack("{s:o, s:o, s:i, s:b, s:i}", "routes", moore_json_count(k->n_routes), "backed",
		      moore_json_count(k->n_backed), "links", (int)k->cuts.n_links, "sound", !k->cuts.n_bad,
		      "bad_links", (int)k->cuts.n_bad);
	if (!k->cuts.bad)
		return o;
	bad = moore_json_set(moore_json_link(f, k->cuts.sw, k->cuts.port), "acyclic", json_boolean(k->cuts.bad->acyclic));
	bad = moore_json_set(bad, "loops", json_integer(k->cuts.bad->loop_lids));
	bad = moore_json_set(bad, "unreachable", moore_json_count(k->cuts.bad->interrupted));
	return moore_json_set(o, "bad", moore_json_set(bad, "cycle", json_held_cycle(f, k->cuts.bad)));
}

static bool
is_sound(const struct moore_ether_judged *j)
{
	return j->verdict->sound && !j->faults.n && sets_are_sound(j->sets) && !j->backed.cuts.n_bad;
}

/* The first pair that is unreachable. */
static json_t *
json_example(const struct moore_ether *x, const struct moore_fabric *f, const struct moore_verdict *v)
{
	struct moore_ether_target to;
	const struct moore_addr *prefix;

	if (!moore_ether_target(x, f, v->bad_lid, &to))
		return json_null();
	prefix = &x->prefix[to.ip][(size_t)to.sw * x->opts.n_layers + to.layer];
	return json_pack("{s:o, s:o, s:i, s:o}", "switch", moore_json_name(f->sw[v->bad_sw].name), "to",
			 moore_json_name(f->sw[to.sw].name), "layer", (int)to.layer, "prefix",
			 json_addr(prefix));
}

static json_t *
json_judged(const struct moore_ether *x, const struct moore_fabric *f,
	    const struct moore_ether_judged *j)
{
	const struct moore_verdict *v = j->verdict;
	json_t *o = json_pack("{s:s, s:o, s:b, s:o, s:o}", "format", j->format, "routes",
			      moore_json_count(j->n_routes), "classes_read", j->has_classes, "faults", moore_json_count(j->faults.n),
			      "fault_list", json_faults(x, f, &j->faults));

	o = moore_json_set(moore_json_add_verdict(o, f, v, is_sound(j), NULL), "sets", json_sets(f, j));
	o = moore_json_set(o, "backups", json_backups(f, &j->backed));
	if (v->unreachable)
		o = moore_json_set(o, "example", json_example(x, f, v));
	return v->acyclic ? o : moore_json_set(o, "cycle", json_cycle(f, v));
}

json_t *
moore_answer_ether(const struct moore_ether *x, const struct moore_fabric *racks,
		   const struct moore_ether_judged *judged, size_t n)
{
	json_t *tables = json_array(), *classes = json_array();
	bool ok = n;

	for (size_t i = 0; i < n; i++) {
		ok = ok && is_sound(&judged[i]);
		tables = moore_json_add(tables, json_judged(x, racks, &judged[i]));
	}
	for (unsigned i = 0; i < x->opts.n_classes; i++)
		classes = moore_json_add(classes, json_pack("{s:i, s:i}", "dscp", x->opts.dscp[i],
			"priority", x->opts.priority[i]));
	return json_pack("{s:b, s:i, s:i, s:i, s:o, s:o}", "ok", ok, "switches",
			 (int)x->plan->n_switches, "hosts", (int)x->plan->n_endpoints, "layers",
			 (int)x->opts.n_layers, "classes", classes, "tables", tables);
}

/* ---- the difference ------------------------------------------------------------------------ */

const char moore_schema_ether_diff[] = OBJ("'ok':" BOOL ",'edits':" INT ",'removed':" INT
	",'loads':" INT ",'steps_to_load':" INT ",'last_waits':" BOOL ",'steps':{'anyOf':[{'type':'null'}," ENGINE_STEPS "]}");

json_t *
moore_answer_ether_diff(const struct moore_fabric *racks, const struct moore_engine_steps *steps,
			uint32_t n_steps, bool last_waits, uint32_t n_edits, uint32_t n_removed,
			uint32_t n_loads)
{
	return json_pack("{s:b, s:I, s:I, s:I, s:I, s:b, s:o}", "ok", !n_edits, "edits", (json_int_t)n_edits,
			 "removed", (json_int_t)n_removed, "loads", (json_int_t)n_loads, "steps_to_load",
			 (json_int_t)n_steps, "last_waits", last_waits, "steps", steps ? moore_json_engine_steps(racks, steps) :
			 json_null());
}

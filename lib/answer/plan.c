// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* plan.c - topologies, plans, and where a plan's cabinets stand. */
#include <math.h>

#include "answer/answer_impl.h"

#define PARAMETER OBJ("'key':" STR ",'min':" INT ",'max':" INT ",'required':" BOOL \
	",'symbolic':" BOOL ",'default':{'type':['string','integer','null']},'help':" STR)

const char moore_schema_families[] = OBJ("'families':" LIST_OF(OBJ("'family':" STR ",'title':" STR
	",'source':" STR ",'parameters':" LIST_OF(PARAMETER))));

#define TOPO_KEYS "'family':" STR ",'parameters':" ANY_OBJECT ",'switches':" INT \
	",'degree':" INT ",'radix':" INT ",'endpoints':" INT ",'links':" INT ",'cables':" INT \
	",'ports_per_endpoint':" OR_NULL("number") ",'links_per_endpoint':" OR_NULL("number") \
	",'mu1':" OR_NULL("number") ",'second_eigenvalue':" OR_NULL("number") ",'bisection':" \
	OR_NULL("integer") ",'bisection_bound':" OR_NULL("integer") ",'shortest_paths':" \
	OR_NULL("number") ",'moore_efficiency':" OR_NULL("number") ",'lids':" \
	LIST_OF(OBJ("'lmc':" INT ",'lids':" INT ",'suffice':" BOOL)) ",'switch_ports':" OR_NULL("integer") \
	",'endpoint_diameter':" OR_NULL("integer") ",'endpoint_distance':" OR_NULL("number") "," METRICS_KEYS

const char moore_schema_topo[] = OBJ(TOPO_KEYS);

#define REPORT_KEYS "'name':" STR ",'lmc':" OR_NULL("integer") ",'throughput_uniform':" OR_NULL("number") \
	",'throughput_worst':" OR_NULL("number") ",'throughput_shortest':" OR_NULL("number") \
	",'cable_m':" OR_NULL("number") ",'longest_m':" OR_NULL("number") "," TOPO_KEYS

const char moore_schema_topo_find[] = OBJ("'ok':" BOOL ",'endpoints':" INT ",'radix':" OR_NULL("integer")
	",'diameter':" OR_NULL("integer") ",'found':" LIST_OF(OBJ("'ports_per_wanted':" NUM
	",'links_per_wanted':" NUM "," REPORT_KEYS)));

const char moore_schema_topo_compare[] = OBJ("'topologies':" LIST_OF(OBJ(REPORT_KEYS)));

const char moore_schema_plan[] = OBJ("'family':" OR_NULL("string") ",'parameters':" ANY_OBJECT
	",'permutation_seed':" OR_NULL("integer") ",'switches':" INT ",'endpoints':" INT
	",'cables':" INT ",'parts':" INT ",'ports':" INT ",'ports_used':" INT
	",'switches_with_guid':" INT ",'switches_placed':" INT ",'cables_measured':" INT
	",'cable_metres':" NUM ",'total_m':" NUM "," METRICS_KEYS);

const char moore_schema_plan_check[] = OBJ("'ok':" BOOL ",'valid':" BOOL ",'parts':"
	OR_NULL("integer") ",'error':" AN_ERROR_OR_NULL);

const char moore_schema_place[] = OBJ("'model':" STR ",'assign':" STR ",'cabinets':" INT
	",'rows':" INT ",'columns':" INT ",'cables':" INT ",'inside':" INT ",'before_m':" NUM
	",'total_m':" NUM ",'longest_m':" NUM ",'bound_m':" NUM ",'gap':" NUM
	",'bound_any_m':" NUM ",'gap_any':" NUM);

/* ---- topologies ------------------------------------------------------------------ */

json_t *
moore_json_metrics(const struct moore_graph_metrics *m)
{
	return json_pack("{s:o, s:f, s:o}", "diameter", m->diameter == MOORE_NONE ? json_null() :
			 json_integer(m->diameter), "mean_distance", m->mean_distance, "girth",
			 m->girth ? json_integer(m->girth) : json_null());
}

static json_t *
json_default(const struct moore_topo_param *p)
{
	if (p->required)
		return json_null();
	return p->dflt == MOORE_TOPO_FLOOR ? json_string("floor") :
	       p->dflt == MOORE_TOPO_CEIL ? json_string("ceil") :
	       json_integer((json_int_t)p->dflt);
}

static json_t *
json_family(const struct moore_topo_family *f)
{
	json_t *params = json_array();

	for (size_t i = 0; i < MOORE_TOPO_MAX_PARAMS && f->param[i].key; i++) {
		const struct moore_topo_param *p = &f->param[i];

		params = moore_json_add(params, json_pack("{s:s, s:I, s:I, s:b, s:b, s:o, s:s}",
			"key", p->key, "min", (json_int_t)p->min, "max", (json_int_t)p->max,
			"required", p->required, "symbolic", p->symbolic,
			"default", json_default(p), "help", p->help));
	}
	return json_pack("{s:s, s:s, s:s, s:o}", "family", f->name, "title", f->title,
			 "source", f->source, "parameters", params);
}

json_t *
moore_answer_families(void)
{
	const struct moore_topo_family *f;
	json_t *list = json_array();

	for (size_t i = 0; (f = moore_topo_family_at(i)); i++)
		list = moore_json_add(list, json_family(f));
	return json_pack("{s:o}", "families", list);
}

static json_t *
json_per_endpoint(uint64_t n, uint64_t endpoints)
{
	return endpoints ? json_real((double)n / (double)endpoints) : json_null();
}

/* Ports of switches that are sold: InfiniBand's 24 (SDR), 36 (QDR to EDR), 40 and, split, 80 (HDR), 64 and
 * 128 (NDR), 144 (XDR); Ethernet's 32, 48, 64, 128 and 256, which is more than MOORE_PORT_MAX. */
static const uint32_t sold[] = { 24, 32, 36, 40, 48, 64, 80, 128, 144, 256 };

/* The fewest ports of a switch on the market that suffice; null if none has so many. */
static json_t *
json_sold(uint32_t radix)
{
	for (size_t i = 0; i < ARRAY_LEN(sold); i++)
		if (sold[i] >= radix)
			return json_integer(sold[i]);
	return json_null();
}

/* The unicast LIDs that switches and endpoints take at LMC 0, 1, and 2: the greatest one. */
static json_t *
json_lids(const struct moore_topo_counts *n)
{
	json_t *list = json_array();

	for (int lmc = 0; lmc <= 2; lmc++) {
		const uint64_t step = (uint64_t)1 << lmc;	/* those of an endpoint are aligned */
		const uint64_t lids = (n->switches + step) / step * step - 1 + n->endpoints * step;

		list = moore_json_add(list, json_pack("{s:i, s:I, s:b}", "lmc", lmc, "lids",
						      (json_int_t)lids, "suffice",
						      lids <= MOORE_LID_MAX));
	}
	return list;
}

/* The share of the switches that a graph of this degree and diameter has at most: 1 + d + d (d - 1) +
 * ... (the Moore bound). */
static json_t *
json_moore_efficiency(const struct moore_topo_counts *n, uint32_t diameter)
{
	if (diameter == MOORE_NONE || !diameter)
		return json_null();
	return json_real((double)n->switches / moore_bound(n->degree, diameter));
}

/* Rounded to 1e-6: what is found by iteration is not exact to the last digit. */
static json_t *
json_eigenvalue(double x)
{
	return isnan(x) ? json_null() : json_real((double)(int64_t)(x * 1e6 + (x < 0 ? -0.5 : 0.5)) / 1e6);
}

static json_t *
json_found(int64_t n)
{
	return n < 0 ? json_null() : json_integer((json_int_t)n);
}

static json_t *
json_structure(const struct moore_structure *s)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "mu1", json_eigenvalue(s->mu1),
			 "second_eigenvalue", json_eigenvalue(s->second),
			 "bisection", json_found(s->bisection), "bisection_bound",
			 json_found(s->bisection_bound), "shortest_paths",
			 s->shortest_paths < 0 ? json_null() : json_real(s->shortest_paths));
}

/* Ports in use and links, those to endpoints included, for each endpoint: as Kathareios et
 * al. (SC'15, table 2) count cost. */
json_t *
moore_answer_topo(const struct moore_topo_report *r)
{
	const struct moore_topo_counts *n = &r->n;
	const bool ends = r->s.ends_diameter != MOORE_NONE;
	json_t *params = json_object(), *o;

	for (size_t i = 0; i < MOORE_TOPO_MAX_PARAMS && r->t->family->param[i].key; i++)
		params = moore_json_set(params, r->t->family->param[i].key,
					json_integer((json_int_t)r->t->param[i]));
	o = json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"family", r->t->family->name, "parameters", params,
		"switches", (json_int_t)n->switches, "degree", (json_int_t)n->degree,
		"radix", (json_int_t)n->radix, "endpoints", (json_int_t)n->endpoints,
		"links", (json_int_t)n->links, "cables", (json_int_t)n->links,
		"ports_per_endpoint", json_per_endpoint(2 * n->links + n->endpoints, n->endpoints),
		"links_per_endpoint", json_per_endpoint(n->links + n->endpoints, n->endpoints),
		"moore_efficiency", json_moore_efficiency(n, r->m.diameter), "lids", json_lids(n),
		"switch_ports", json_sold(n->radix),
		"endpoint_diameter", ends ? json_integer(r->s.ends_diameter) : json_null(),
		"endpoint_distance", ends ? json_real(r->s.ends_distance) : json_null());
	return moore_json_merge(moore_json_merge(o, moore_json_metrics(&r->m)), json_structure(&r->s));
}

/* The parameters that differ from their defaults: "slimfly q=13 p=9". */
static json_t *
json_topo_name(const struct moore_topo *t)
{
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *name;

	moore_buf_fmt(&b, "%s", t->family->name);
	for (size_t i = 0; i < MOORE_TOPO_MAX_PARAMS && t->family->param[i].key; i++)
		if (t->param[i] != t->family->param[i].dflt || t->family->param[i].endpoints)
			moore_buf_fmt(&b, " %s=%lld", t->family->param[i].key, (long long)t->param[i]);
	name = b.oom ? NULL : json_string(b.data);
	moore_buf_free(&b);
	return name;
}

static json_t *
json_at_least_0(double x)
{
	return x < 0 ? json_null() : json_real(x);
}

static json_t *
json_report(const struct moore_topo_report *r)
{
	json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", json_topo_name(r->t),
			      "lmc", r->lmc < 0 ? json_null() : json_integer(r->lmc),
			      "throughput_uniform", json_at_least_0(r->uniform),
			      "throughput_worst", json_at_least_0(r->worst),
			      "throughput_shortest", json_at_least_0(r->shortest),
			      "cable_m", json_at_least_0(r->metres), "longest_m", json_at_least_0(r->longest));

	return moore_json_merge(o, moore_answer_topo(r));
}

static json_t *
json_limit(uint32_t limit)
{
	return limit ? json_integer(limit) : json_null();
}

json_t *
moore_answer_topo_find(const struct moore_topo_report *r, size_t n, uint64_t wanted, uint32_t radix,
		       uint32_t diameter)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		const uint64_t links = r[i].n.links;
		json_t *o = json_report(&r[i]);

		o = moore_json_set(o, "ports_per_wanted", json_per_endpoint(2 * links + wanted, wanted));
		o = moore_json_set(o, "links_per_wanted", json_per_endpoint(links + wanted, wanted));
		list = moore_json_add(list, o);
	}
	return json_pack("{s:b, s:o, s:o, s:o, s:o}", "ok", n > 0, "endpoints", moore_json_count(wanted),
			 "radix", json_limit(radix), "diameter", json_limit(diameter), "found", list);
}

json_t *
moore_answer_topo_compare(const struct moore_topo_report *r, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		list = moore_json_add(list, json_report(&r[i]));
	return json_pack("{s:o}", "topologies", list);
}

/* ---- plans -------------------------------------------------------------------------- */

json_t *
moore_answer_plan(const struct moore_plan *p, const struct moore_plan_sums *s)
{
	json_t *params = json_object(), *o;

	for (size_t i = 0; i < p->n_params; i++)
		params = moore_json_set(params, p->key[i], json_integer((json_int_t)p->value[i]));
	o = json_pack("{s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:I, s:I, s:i, s:i, s:i, s:f, s:f}",
		"family", p->family ? moore_json_name(p->family) : json_null(),
		"parameters", params, "permutation_seed",
		p->permuted ? json_integer((json_int_t)p->permutation_seed) : json_null(),
		"switches", (int)p->n_switches, "endpoints", (int)p->n_endpoints,
		"cables", (int)p->n_cables, "parts", (int)s->parts,
		"ports", (json_int_t)s->ports, "ports_used", (json_int_t)s->ports_used,
		"switches_with_guid", (int)s->guids, "switches_placed", (int)s->placed,
		"cables_measured", (int)s->measured, "cable_metres", s->metres,
		"total_m", s->metres);
	return moore_json_merge(o, moore_json_metrics(&s->metrics));
}

json_t *
moore_answer_plan_check(const char *file, const struct moore_err *fault, uint32_t parts)
{
	bool ok = !fault && parts <= 1;

	return json_pack("{s:b, s:b, s:o, s:o}", "ok", ok, "valid", ok,
			 "parts", fault ? json_null() : json_integer(parts), "error",
			 fault ? moore_json_error(fault->text, file, fault->line) : json_null());
}

/* ---- places --------------------------------------------------------------------------- */

/* By how much a total exceeds a lower bound, as a share of that. */
static double
gap(double total, double bound)
{
	return bound > 0 ? total / bound - 1 : 0;
}

json_t *
moore_answer_place(const struct moore_place_opts *o, const struct moore_place_report *r,
		   uint32_t n_cables)
{
	static const char *const assign[] = {
		[MOORE_PLACE_SEQUENTIAL] = "sequential", [MOORE_PLACE_STRUCTURE] = "structure",
		[MOORE_PLACE_REFINED] = "refined",
	};

	return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
		"model", o->model->name, "assign", assign[o->assign],
		"cabinets", (int)r->cabinets, "rows", (int)r->rows, "columns", (int)r->columns,
		"cables", (int)n_cables, "inside", (int)r->inside, "before_m", r->before,
		"total_m", r->total, "longest_m", r->longest, "bound_m", r->bound,
		"gap", gap(r->total, r->bound), "bound_any_m", r->bound_any,
		"gap_any", gap(r->total, r->bound_any));
}

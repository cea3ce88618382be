// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* quality.c - how good routes are, and how much traffic of a pattern they carry. */
#include "answer/answer_impl.h"

#define SPREAD OBJ("'min':" NUM ",'q1':" NUM ",'median':" NUM ",'q3':" NUM ",'max':" NUM \
	",'mean':" NUM ",'max_over_mean':" NUM ",'hottest':" OBJ_OR_NULL(LINK_KEYS))
#define SOME_PAIRS OBJ("'pairs':" INT ",'longer':" INT ",'longer_share':" NUM)
#define DISTANCE OBJ("'all':" SOME_PAIRS ",'at_one':" SOME_PAIRS ",'at_two':" SOME_PAIRS)

const char moore_schema_quality[] = OBJ("'switches':" INT ",'sources':" INT ",'endpoints':" INT
	",'links':" INT ",'directed_links':" INT ",'partitioned':" INT ",'offsets':"
	LIST_OF(OBJ("'offset':" INT ",'hops':" ANY_OBJECT ",'no_route':" INT
		",'three_hops_at_two':" INT ",'three_hops_at_two_share':" NUM ",'distance':" DISTANCE
		",'load':" SPREAD "," LOAD_KEYS))
	",'load':" SPREAD "," LOAD_KEYS ",'distance':" DISTANCE ",'disjoint':" ANY_OBJECT
	",'mean_disjoint':" NUM ",'exact':" BOOL ",'worst':" OBJ_OR_NULL("'switch':" STR
		",'endpoint':" STR ",'disjoint':" INT ",'hops':" INT));

#define BOUND_KEYS "'load':" OR_NULL("number") ",'max_load':" OR_NULL("number") \
	",'throughput':" OR_NULL("number") ",'over_minimal':" OR_NULL("number")
#define WAYS OBJ_OR_NULL("'mean':" NUM ",'least':" INT)

const char moore_schema_patterns[] = OBJ("'worst':" OBJ_OR_NULL("'pattern':" STR ",'throughput':"
	NUM ",'bound':" NUM ",'hottest':" OBJ_OR_NULL(LINK_KEYS)) ",'patterns':" LIST_OF(OBJ(
	"'pattern':" STR ",'flows':" INT ",'unrouted':" INT ",'idle':" INT ",'sends':"
	LIST_OF(LIST_OF(STR)) ",'offsets':" LIST_OF(OBJ_OR_NULL(BOUND_KEYS)) ",'even':" OBJ(BOUND_KEYS)
	",'global':" OBJ(BOUND_KEYS) ",'shares':" LIST_OF(OR_NULL("number"))
	",'pair':" OBJ_OR_NULL(BOUND_KEYS) ",'bound':" OBJ_OR_NULL(BOUND_KEYS)
	",'hottest':" OBJ_OR_NULL(LINK_KEYS) ",'first_links':" WAYS ",'last_links':" WAYS)));

/* ---- quality ---------------------------------------------------------------------- */

static double
share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static json_t *
json_pairs(const struct moore_quality_pairs *p)
{
	static const char *const key[] = { "all", "at_one", "at_two" };
	json_t *o = json_object();

	for (int d = 0; d < 3; d++)
		o = moore_json_set(o, key[d], json_pack("{s:o, s:o, s:f}", "pairs",
			moore_json_count(p->n[d]), "longer", moore_json_count(p->longer[d]),
			"longer_share", share(p->longer[d], p->n[d])));
	return o;
}

static json_t *
json_spread(const struct moore_fabric *f, const struct moore_link_load *s)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "min", s->min, "q1", s->q1,
			 "median", s->median, "q3", s->q3, "max", s->max, "mean", s->mean,
			 "max_over_mean", s->mean > 0 ? s->max / s->mean : 0.0, "hottest",
			 s->max > 0 ? moore_json_link(f, s->sw, s->port) : json_null());
}

static json_t *
json_offset(const struct moore_fabric *f, const struct moore_quality_offset *o, uint32_t k)
{
	json_t *j = json_pack("{s:i, s:o, s:o, s:o, s:f, s:o, s:o}",
		"offset", (int)k, "hops", moore_json_histogram(o->hops, MOORE_HOPS_MAX),
		"no_route", moore_json_count(o->no_route),
		"three_hops_at_two", moore_json_count(o->three_hops),
		"three_hops_at_two_share", share(o->three_hops, o->pairs.n[2]),
		"distance", json_pairs(&o->pairs), "load", json_spread(f, &o->load));

	return moore_json_merge(j, moore_json_load(o->load.max, o->load.mean));
}

static json_t *
json_worst(const struct moore_fabric *f, const struct moore_quality *q)
{
	if (q->worst_sw == MOORE_NONE)
		return json_null();
	return json_pack("{s:o, s:o, s:i, s:i}", "switch", moore_json_name(f->sw[q->worst_sw].name),
			 "endpoint", moore_json_name(f->ep[q->worst_ep].name), "disjoint",
			 (int)q->worst_disjoint, "hops", (int)q->worst_hops);
}

json_t *
moore_answer_quality(const struct moore_fabric *f, const struct moore_quality *q)
{
	json_t *list = json_array(), *o;

	for (uint32_t k = 0; k < q->n_offsets; k++)
		list = moore_json_add(list, json_offset(f, &q->offset[k], k));
	o = json_pack("{s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:f, s:b, s:o}",
		"switches", (int)f->n_switches, "sources", (int)q->n_sources,
		"endpoints", (int)q->n_endpoints, "links", (int)q->n_links,
		"directed_links", (int)q->n_links,
		"partitioned", moore_json_count(q->partitioned), "offsets", list,
		"load", json_spread(f, &q->load), "distance", json_pairs(&q->pairs),
		"disjoint", moore_json_histogram(q->disjoint, q->n_offsets),
		"mean_disjoint", q->mean_disjoint, "exact", q->exact, "worst", json_worst(f, q));
	return moore_json_merge(o, moore_json_load(q->load.max, q->load.mean));
}

/* ---- patterns of traffic ------------------------------------------------------------ */

/* What a greatest load allows; null without flows, which load nothing, and where no shares serve
 * all flows. */
static json_t *
json_bound(const struct moore_saturation *s, double load)
{
	if (load <= 0)
		return json_pack("{s:n, s:n, s:n, s:n}", "load", "max_load", "throughput",
				 "over_minimal");
	return json_pack("{s:f, s:f, s:f, s:o}", "load", load, "max_load", load, "throughput",
			 moore_throughput(load), "over_minimal", s->alone[0] > 0 && load > 0 ?
			 json_real(s->alone[0] / load) : json_null());
}

static json_t *
json_hottest(const struct moore_fabric *f, const struct moore_saturation *s)
{
	return s->hot_sw != MOORE_NONE && s->n_flows ? moore_json_link(f, s->hot_sw, s->hot_port) :
		json_null();
}

/* Which switch sends to which: pairs of names. */
static json_t *
json_sends(const struct moore_fabric *f, const moore_swid *to)
{
	json_t *list = json_array();

	for (moore_swid s = 0; s < f->n_switches; s++)
		if (to[s] != MOORE_NONE)
			list = moore_json_add(list, json_pack("[o, o]",
				moore_json_name(f->sw[s].name), moore_json_name(f->sw[to[s]].name)));
	return list;
}

/* The pattern that carries least of full rate, UNIFORM aside; null without flows. */
static json_t *
json_least(const struct moore_fabric *f, const struct moore_saturation *s, size_t n)
{
	const struct moore_saturation *worst = NULL;

	for (size_t i = 0; i < n; i++)
		if (s[i].n_flows && s[i].pattern != MOORE_PATTERN_UNIFORM &&
		    (!worst || s[i].pair > worst->pair))
			worst = &s[i];
	if (!worst)
		return json_null();
	return json_pack("{s:s, s:f, s:f, s:o}", "pattern", moore_pattern_name(worst->pattern),
			 "throughput", moore_throughput(worst->pair),
			 "bound", moore_throughput(worst->pair_bound), "hottest",
			 json_hottest(f, worst));
}

static json_t *
json_pattern(const struct moore_fabric *f, const struct moore_saturation *s, const moore_swid *to)
{
	bool uniform = s->pattern == MOORE_PATTERN_UNIFORM;	/* has no bound of each flow */
	json_t *alone = json_array(), *shares = json_array();

	for (uint32_t k = 0; k < s->n_offsets; k++) {
		alone = moore_json_add(alone, s->alone[k] > 0 ? json_bound(s, s->alone[k]) :
				       json_null());
		shares = moore_json_add(shares, s->global > 0 ? json_real(s->share[k]) : json_null());
	}
	return json_pack("{s:s, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"pattern", moore_pattern_name(s->pattern), "flows", (int)s->n_flows,
		"unrouted", (int)s->n_unrouted, "idle", (int)s->idle,
		"sends", json_sends(f, to), "offsets", alone, "even", json_bound(s, s->even),
		"global", json_bound(s, s->global), "shares", shares,
		"pair", uniform ? json_null() : json_bound(s, s->pair),
		"bound", uniform ? json_null() : json_bound(s, s->pair_bound),
		"hottest", json_hottest(f, s),
		"first_links", uniform ? json_null() :
		json_pack("{s:f, s:i}", "mean", s->first.mean, "least", (int)s->first.least),
		"last_links", uniform ? json_null() :
		json_pack("{s:f, s:i}", "mean", s->last.mean, "least", (int)s->last.least));
}

json_t *
moore_answer_patterns(const struct moore_fabric *f, const struct moore_saturation *s,
		      const moore_swid *to, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		list = moore_json_add(list, json_pattern(f, &s[i], to + i * f->n_switches));
	return json_pack("{s:o, s:o}", "worst", json_least(f, s, n), "patterns", list);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* simulate.c - what packets find on the tables: throughput, latency, stalls. */
#include "answer/answer_impl.h"

#define STUCK OBJ_OR_NULL("'switch':" STR ",'port':" INT ",'vl':" INT ",'buffers':" INT)
#define LOST OBJ_OR_NULL("'switch':" STR ",'lid':" INT)
#define LOSSES OBJ("'wire':" INT ",'port':" INT ",'row':" INT ",'loop':" INT ",'node':" INT)
#define PHASE OBJ("'name':" STR ",'from_ns':" NUM ",'to_ns':" NUM ",'made':" INT ",'received':" INT ",'stale':" INT \
	",'accepted':" NUM ",'latency_mean':" NUM ",'latency_p99':" NUM ",'lost':" LOSSES)
#define SIMULATED_ROW OBJ("'routing':" STR ",'pattern':" STR ",'placement':" STR ",'programmable':" BOOL \
	",'load':" NUM ",'offered':" NUM ",'accepted':" NUM ",'accepted_ci':" NUM ",'saturated':" BOOL \
	",'latency_mean':" NUM ",'latency_ci':" OR_NULL("number") ",'latency_p50':" NUM ",'latency_p99':" NUM \
	",'warm_up':" NUM ",'packets':" INT ",'hops':" INT ",'dropped':" INT ",'first_drop':" LOST \
	",'completion_ns':" OR_NULL("number") ",'share':" OR_NULL("number") ",'stalled':" BOOL ",'stuck':" STUCK \
	",'seed':" INT ",'carried':" OR_NULL("number") ",'motion':" OR_NULL("string") \
	",'stalled_ns':" OR_NULL("number") ",'phases':" LIST_OF(PHASE))

const char moore_schema_simulate[] = OBJ("'switches':" INT ",'nodes':" INT ",'processes':" INT ",'seed':"
	INT ",'lmc':" INT ",'packet':" INT ",'buffer':" INT ",'queues':" STR ",'arbiter':" STR ",'detour':" STR
	",'speedup':" NUM ",'rate':" NUM ",'length':" INT
	",'ugal':" OBJ("'candidates':" INT ",'weight':" NUM ",'cost':" STR ",'threshold':" INT ",'bias':" INT)
	",'not_modelled':" LIST_OF(STR) ",'rows':" LIST_OF(SIMULATED_ROW));

static json_t *
json_stuck(const struct moore_fabric *f, const struct moore_sim_result *x)
{
	return !x->stalled ? json_null() :
		json_pack("{s:s, s:i, s:i, s:i}", "switch", f->sw[x->stuck_sw].name, "port", x->stuck_port,
			  "vl", x->stuck_vl, "buffers", (int)x->stuck);
}

static json_t *
json_first_drop(const struct moore_fabric *f, const struct moore_sim_result *x)
{
	return x->drop_sw == MOORE_NONE ? json_null() :
		json_pack("{s:s, s:i}", "switch", f->sw[x->drop_sw].name, "lid", (int)x->drop_lid);
}

static json_t *
json_phase(const struct moore_sim_phase *p, const char *name, double ns)
{
	json_t *lost = json_object();

	for (enum moore_sim_loss l = 0; l < MOORE_N_SIM_LOSSES; l++)
		json_object_set_new(lost, moore_sim_loss_name(l), moore_json_count(p->lost[l]));
	return json_pack("{s:s, s:f, s:f, s:o, s:o, s:o, s:f, s:f, s:f, s:o}", "name", name, "from_ns",
			 (double)p->from * ns, "to_ns", (double)p->to * ns, "made", moore_json_count(p->made),
			 "received", moore_json_count(p->received), "stale", moore_json_count(p->stale), "accepted",
			 p->accepted, "latency_mean", p->latency_mean * ns, "latency_p99", p->latency_p99 * ns,
			 "lost", lost);
}

static json_t *
json_phases(const struct moore_sim_result *x, double ns)
{
	static const char *const name[] = { "before", "cut", "after", "repair", "repaired" };
	json_t *list = json_array();

	for (uint32_t i = 0; i < x->n_phases; i++)
		list = moore_json_add(list, json_phase(&x->phase[i], i < ARRAY_LEN(name) ? name[i] : "later", ns));
	return list;
}

static json_t *
json_row(const struct moore_fabric *f, const struct moore_simulation *p, double ns)
{
	const struct moore_sim_result *x = &p->result;
	const bool done = p->exchange && x->completion;
	const bool known = p->exchange || x->latency_ci_known;	/* an exchange has no latency: all of it is 0 */

	return json_pack("{s:s, s:s, s:s, s:b, s:f, s:f, s:f, s:f, s:b, s:f, s:o, s:f, s:f, s:f, s:o, s:o, s:o,"
			 " s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:s?, s:o, s:o}",
			 "routing", moore_sim_routing_name(p->routing), "pattern", p->pattern,
			 "placement", p->placement, "programmable", moore_sim_routing_programmable(p->routing),
			 "load", p->load, "offered", x->offered, "accepted", x->accepted, "accepted_ci",
			 x->accepted_ci, "saturated", x->saturated, "latency_mean", x->latency_mean * ns,
			 "latency_ci", known ? json_real(x->latency_ci * ns) : json_null(),
			 "latency_p50", x->latency_p50 * ns, "latency_p99", x->latency_p99 * ns,
			 "warm_up", (double)x->warm_up * ns, "packets", moore_json_count(x->packets), "hops", moore_json_count(x->hops), "dropped",
			 moore_json_count(x->dropped), "first_drop", json_first_drop(f, x),
			 "completion_ns", done ? json_real((double)x->completion * ns) : json_null(),
			 "share", done ? json_real(x->share) : json_null(), "stalled", x->stalled,
			 "stuck", json_stuck(f, x), "seed", moore_json_count(x->seed),
			 "carried", p->carried > 0 ? json_real(p->carried) : json_null(), "motion", p->motion,
			 "stalled_ns", x->stalled ? json_real((double)x->stalled_at * ns) : json_null(), "phases",
			 json_phases(x, ns));
}

/* Threshold and bias are packets. */
static json_t *
json_ugal(const struct moore_sim_opts *o)
{
	return json_pack("{s:i, s:f, s:s, s:i, s:i}", "candidates", (int)o->ugal_candidates, "weight", o->ugal_weight,
			 "cost", o->ugal_by_hops ? "hops" : "constant", "threshold", (int)o->ugal_threshold,
			 "bias", (int)o->ugal_bias);
}

static json_t *
json_not_modelled(void)
{
	static const char *const what[] = {
		"packets of several lengths", "classes of service", "congestion control", "end-to-end retries",
		"timeouts of packets", "the arbitration inside a particular ASIC", "adapters and processors of hosts",
	};
	json_t *list = json_array();

	for (size_t i = 0; i < ARRAY_LEN(what); i++)
		list = moore_json_add(list, json_string(what[i]));
	return list;
}

json_t *
moore_answer_simulate(const struct moore_fabric *f, const struct moore_simulation *p, size_t n,
		      const struct moore_simulated *how)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < n; i++)
		rows = moore_json_add(rows, json_row(f, &p[i], how->ns));
	return json_pack("{s:i, s:i, s:i, s:o, s:i, s:i, s:i, s:s, s:s, s:s, s:f, s:f, s:i, s:o, s:o, s:o}",
			 "switches", (int)f->n_switches, "nodes", (int)f->n_endpoints,
			 "processes", (int)how->processes, "seed", moore_json_count(how->opts->seed), "lmc", how->lmc, "packet", (int)how->packet,
			 "buffer", (int)how->opts->buffer, "queues", moore_sim_queues_name(how->opts->queues),
			 "arbiter", moore_sim_arbiter_name(how->opts->arbiter),
			 "detour", moore_sim_detour_name(how->opts->detour), "speedup", how->speedup,
			 "rate", how->rate, "length", (int)how->opts->length, "ugal",
			 json_ugal(how->opts), "not_modelled", json_not_modelled(), "rows", rows);
}

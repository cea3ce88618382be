// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* simulate_ready.c - what a simulation needs before its points can run: options, a fabric with tables, nodes,
 * traffic. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load/simulate.h"

#define POINTS_MAX 1000

/* What a tick is: the time in which a link carries so many bytes. */
#define TICK_BYTES 16

#define WIRE_NS 50.0		/* Kathareios et al. (SC'15), section 4.1 */
#define SWITCH_NS 100.0
#define NS_PER_METRE 5.0

/* ---- options ------------------------------------------------------------------------------ */

static const char *
routing_name(unsigned i)
{
	return moore_sim_routing_name((enum moore_sim_routing)i);
}

static const char *
queues_name(unsigned i)
{
	return moore_sim_queues_name((enum moore_sim_queues)i);
}

static const char *
arbiter_name(unsigned i)
{
	return moore_sim_arbiter_name((enum moore_sim_arbiter)i);
}

static const char *
detour_name(unsigned i)
{
	return moore_sim_detour_name((enum moore_sim_detour)i);
}

/* Reads one name; *out is the default before, and its number after. */
static int
read_name(const struct cli_simulation *s, const char *opt, const char *(*name)(unsigned), unsigned *out)
{
	unsigned kind[CLI_PREDICT_LIST], n = 0;
	const int rc = cli_opt_names(s->c, opt, name(*out), name, kind, &n);

	if (rc == CLI_OK && n != 1)
		return cli_misuse(s->c, "--%s: give one name", opt);
	if (rc == CLI_OK)
		*out = kind[0];
	return rc;
}

static int
read_switch(struct cli_simulation *s)
{
	unsigned queues = s->o.queues, arbiter = s->o.arbiter, detour = s->o.detour;
	int rc;

	if ((rc = read_name(s, "queues", queues_name, &queues)) != CLI_OK ||
	    (rc = read_name(s, "arbiter", arbiter_name, &arbiter)) != CLI_OK ||
	    (rc = read_name(s, "detour", detour_name, &detour)) != CLI_OK)
		return rc;
	s->o.detour = (enum moore_sim_detour)detour;
	s->o.queues = (enum moore_sim_queues)queues;
	s->o.arbiter = (enum moore_sim_arbiter)arbiter;
	return CLI_OK;
}

static int
read_loads(struct cli_simulation *s)
{
	const char *text = cli_opt(s->c, "load") ? cli_opt(s->c, "load") : "0.1,0.5,0.9", *p = text;

	for (char *end = NULL; !end || *end; p = end + 1) {
		const double v = strtod(p, &end);

		if (end == p || (*end && *end != ',') || !(v >= 0.001 && v <= 1))
			return cli_misuse(s->c, "--load %s: give numbers from 0.001 to 1 with commas between, "
					  "for instance 0.1,0.5,0.9", text);
		if (s->n_loads == CLI_SIM_LOADS)
			return cli_misuse(s->c, "--load: over %d numbers: give the others in a second call", CLI_SIM_LOADS);
		s->load[s->n_loads++] = v;
	}
	return CLI_OK;
}

int
cli_sim_number(const struct cli_call *c, const char *opt, double least, double most, double *out)
{
	const char *text = cli_opt(c, opt);
	char *end;

	if (!text)
		return CLI_OK;
	*out = strtod(text, &end);
	if (end == text || *end || !(*out >= least && *out <= most))
		return cli_misuse(c, "--%s %s: not a number from %g to %g", opt, text, least, most);
	return CLI_OK;
}

static const char *
cost_name(unsigned i)
{
	static const char *const name[] = { "constant", "hops" };

	return i < ARRAY_LEN(name) ? name[i] : NULL;
}

/* The threshold is a percentage of --buffer, which was read before. */
static int
read_ugal(struct cli_simulation *s)
{
	uint64_t n = s->o.ugal_candidates, bias = 0;
	unsigned by_hops = s->o.ugal_by_hops;
	double percent = 0;
	int rc;

	if ((rc = cli_opt_u64(s->c, "ugal-candidates", 1, MOORE_N_OFFSETS, &n)) != CLI_OK ||
	    (rc = cli_sim_number(s->c, "ugal-weight", 0, 1000000, &s->o.ugal_weight)) != CLI_OK ||
	    (rc = read_name(s, "ugal-cost", cost_name, &by_hops)) != CLI_OK ||
	    (rc = cli_sim_number(s->c, "ugal-threshold", 0, 100000, &percent)) != CLI_OK ||
	    (rc = cli_opt_u64(s->c, "ugal-bias", 0, 1000000, &bias)) != CLI_OK)
		return rc;
	s->o.ugal_candidates = (uint32_t)n;
	s->o.ugal_by_hops = by_hops;
	s->o.ugal_threshold = (uint32_t)(percent * s->o.buffer / 100 + 0.999);
	s->o.ugal_bias = (uint32_t)bias;
	return CLI_OK;
}

/* Rounds to ticks; a link takes one at least. */
static uint32_t
ticks_of(const struct cli_simulation *s, double ns)
{
	return ns < s->how.ns ? 1 : (uint32_t)(ns / s->how.ns + 0.5);
}

static void
set_ticks(struct cli_simulation *s, uint64_t packet, double rate)
{
	s->how.packet = (uint32_t)packet;
	s->how.rate = rate;
	s->how.ns = TICK_BYTES * 8.0 / s->how.rate;
	s->o.packet = (uint32_t)((packet + TICK_BYTES - 1) / TICK_BYTES);
	s->o.cross = (uint32_t)(s->o.packet / s->how.speedup + 0.999);
	s->o.wire = ticks_of(s, WIRE_NS);
	s->o.sw = ticks_of(s, SWITCH_NS);
}

static const char *
exchange_name(unsigned i)
{
	return moore_sim_exchange_name((enum moore_sim_exchange)i);
}

static const char *
traffic_name(const struct cli_simulation *s, unsigned pattern)
{
	return s->exchange ? exchange_name(pattern) : cli_job_pattern(pattern);
}

static int
read_torus(struct cli_simulation *s)
{
	const char *text = cli_opt(s->c, "torus"), *p = text;

	if (text && !s->exchange)
		return cli_misuse(s->c, "--torus: of --exchange neighbours");
	for (unsigned d = 0; text && d < ARRAY_LEN(s->torus); d++) {
		char *end;
		const unsigned long v = strtoul(p, &end, 10);

		if (*p < '0' || *p > '9' || v < 1 || v > 100000 || *end != (d + 1 < ARRAY_LEN(s->torus) ? ',' : '\0'))
			return cli_misuse(s->c, "--torus %s: give three sides from 1 to 100000, for instance 12,14,19", text);
		s->torus[d] = (uint32_t)v;
		p = end + 1;
	}
	return CLI_OK;
}

static int
read_traffic(struct cli_simulation *s)
{
	struct cli_prediction *j = &s->job;
	int rc;

	s->exchange = cli_opt(s->c, "exchange") != NULL;
	s->message = 65536;
	if (!s->exchange && cli_opt(s->c, "message"))
		return cli_misuse(s->c, "--message: of what --exchange names");
	if (s->exchange && (cli_opt(s->c, "load") || cli_opt(s->c, "pattern")))
		return cli_misuse(s->c, "--exchange: stands in place of --load and --pattern");
	if ((rc = read_torus(s)) != CLI_OK ||
	    (rc = cli_opt_u64(s->c, "message", 1, (uint64_t)1 << 40, &s->message)) != CLI_OK)
		return rc;
	if (!s->exchange)
		return cli_opt_names(s->c, "pattern", "uniform", cli_job_pattern, j->pattern, &j->n_patterns);
	s->n_loads = 1;
	return cli_opt_names(s->c, "exchange", "alltoall", exchange_name, j->pattern, &j->n_patterns);
}

int
cli_simulation_options(struct cli_simulation *s, const struct cli_call *c)
{
	uint64_t processes = 0, packet = 2048, rate = 100, buffer = 24, length, seed = 1, lmc = 0;
	struct cli_prediction *j = &s->job;
	int rc;

	*s = (struct cli_simulation){ .c = c, .job = { .c = c } };
	moore_sim_defaults(&s->o);
	s->how.speedup = 2;
	length = s->o.length;
	if ((rc = cli_opt_names(c, "routing", "min", routing_name, s->routing, &s->n_routings)) != CLI_OK ||
	    (rc = read_traffic(s)) != CLI_OK ||
	    (rc = cli_opt_names(c, "placement", "linear", cli_job_placement, j->placement,
				&j->n_placements)) != CLI_OK ||
	    (!s->exchange && (rc = read_loads(s)) != CLI_OK) ||
	    (rc = cli_sim_number(s->c, "speedup", 1, 100, &s->how.speedup)) != CLI_OK ||
	    (rc = read_switch(s)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "processes", 2, 100000000, &processes)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "lmc", 0, 7, &lmc)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "seed", 0, INT64_MAX, &seed)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "packet", TICK_BYTES, 65536, &packet)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "buffer", 1, 4096, &buffer)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "rate", 1, 10000, &rate)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "length", MOORE_SIM_BLOCKS, 100000000, &length)) != CLI_OK)
		return rc;
	if (j->n_placements != 1)
		return cli_misuse(c, "--placement: give one name");
	if (!s->exchange && (rc = cli_predict_patterns(j)) != CLI_OK)
		return rc;
	j->processes = (uint32_t)processes;
	s->how.lmc = (uint8_t)lmc;
	s->o.buffer = s->o.out_queue = (uint32_t)buffer;
	s->o.length = (uint32_t)length;
	s->o.seed = seed;
	set_ticks(s, packet, (double)rate);
	if ((rc = cli_sim_vlarb(s)) != CLI_OK || (rc = cli_sim_cut_options(s)) != CLI_OK)
		return rc;
	s->n_points = (size_t)s->n_routings * j->n_patterns * s->n_loads * s->cut.n_motions;
	if (s->n_points > POINTS_MAX)
		return cli_misuse(c, "over %d points: name fewer routings, patterns or loads", POINTS_MAX);
	return read_ugal(s);
}

/* ---- the fabric and the job ------------------------------------------------------------------ */

/* Takes the tables of a directory as they are. */
static int
load_tables(const struct cli_call *c, struct cli_sim_world *w)
{
	static const char *const for_plans[] = { "lmc", "profile", "layers" };
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(for_plans); i++)
		if (cli_opt(c, for_plans[i]))
			return cli_misuse(c, "--%s: %s is a directory of tables, which are taken as they are: "
					  "give a plan", for_plans[i], c->arg[0]);
	if ((rc = cli_load_tables(c->arg[0], &w->dumps)) != CLI_OK)
		return rc;
	w->t = (struct moore_sim_tables){ w->dumps.f, w->dumps.lft, w->dumps.sl2vl, w->dumps.sl_set };
	return CLI_OK;
}

int
cli_sim_world_load(const struct cli_call *c, struct moore_plan *plan, struct cli_sim_world *w)
{
	int rc;

	*w = (struct cli_sim_world){ .dumps = { NULL } };
	if (!plan && cli_is_tables(c->arg[0]))
		return load_tables(c, w);
	if ((rc = cli_route(c, plan, &w->r)) != CLI_OK)
		return rc;
	w->t = (struct moore_sim_tables){ w->r.seen, w->r.result->lft, w->r.result->sl2vl, w->r.result->sl_set };
	return CLI_OK;
}

void
cli_sim_world_free(struct cli_sim_world *w)
{
	cli_routing_free(&w->r);
	cli_tables_free(&w->dumps);
}

/* The fastest rate of the plan, in Gbit/s; 0: it names none. */
static double
fastest(const struct moore_plan *p)
{
	double most = 0;

	for (uint32_t i = 0; i < p->n_cables; i++)
		most = fmax(most, moore_rate_gbit(moore_plan_rate(p, p->cable[i].rate)));
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		most = fmax(most, moore_rate_gbit(moore_plan_rate(p, p->ep[i].rate)));
	return most;
}

static void
set_rate(struct cli_simulation *s, moore_swid w, moore_portnum port, struct moore_rate own)
{
	const double gbit = moore_rate_gbit(moore_plan_rate(s->world->r.plan, own));

	if (gbit > 0 && gbit < s->how.rate)
		s->packet_of[s->world->t.f->sw[w].port0 + port] = (uint32_t)(s->o.packet * s->how.rate / gbit + 0.999);
}

/* Without --rate, links have the rates of the plan, and --rate's default where it names none. */
static int
set_rates(struct cli_simulation *s)
{
	const struct moore_plan *p = s->world->r.plan;
	const double most = cli_opt(s->c, "rate") ? 0 : fastest(p);

	if (most <= 0)
		return CLI_OK;
	if (!(s->packet_of = calloc((size_t)s->world->t.f->n_ports + 1, sizeof(*s->packet_of))))
		return cli_error("out of memory");
	set_ticks(s, s->how.packet, most);
	for (uint32_t i = 0; i < p->n_cables; i++)
		for (int end = 0; end < 2; end++)
			set_rate(s, p->cable[i].sw[end], p->cable[i].port[end], p->cable[i].rate);
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		set_rate(s, p->ep[i].sw, p->ep[i].port, p->ep[i].rate);
	s->o.packet_of = s->packet_of;
	return CLI_OK;
}

static int
set_cables(struct cli_simulation *s)
{
	const struct moore_plan *p = s->world->r.plan;
	const struct moore_fabric *f = s->world->t.f;
	int rc;

	if (!p)
		return CLI_OK;
	if ((rc = set_rates(s)) != CLI_OK)
		return rc;
	if (!(s->wire = calloc((size_t)f->n_ports + 1, sizeof(*s->wire))))
		return cli_error("out of memory");
	for (uint32_t i = 0; i < p->n_cables; i++)
		for (int end = 0; end < 2; end++) {
			const struct moore_plan_cable *k = &p->cable[i];

			if (k->length > 0)
				s->wire[f->sw[k->sw[end]].port0 + k->port[end]] =
					ticks_of(s, k->length * NS_PER_METRE);
		}
	s->o.wire_of = s->wire;
	return CLI_OK;
}

int
cli_simulation_place(struct cli_simulation *s, const struct cli_sim_world *w)
{
	const struct moore_fabric *f = w->t.f;
	struct cli_prediction *j = &s->job;
	struct moore_floor floor;
	struct moore_err err;
	int rc;

	s->world = w;
	if (w->dumps.f)
		s->how.lmc = f->n_endpoints ? f->ep[0].lmc : 0;
	if ((rc = set_cables(s)) != CLI_OK)
		return rc;
	j->plan = w->r.plan;
	if (j->plan && (rc = cli_predict_floor(j)) != CLI_OK)
		return rc;
	if (!j->processes)
		j->processes = f->n_endpoints;
	if (j->processes < 2)
		return cli_misuse(s->c, "%s: has fewer than two nodes", s->c->arg[0]);
	if (j->processes > f->n_endpoints)
		return cli_misuse(s->c, "--processes: %u processes do not fit on %u nodes", j->processes,
				  f->n_endpoints);
	floor = (struct moore_floor){ j->cabinet, j->group };
	if (!(j->node = calloc((size_t)j->processes + 1, sizeof(*j->node))))
		return cli_error("out of memory");
	if (moore_job_place(j->node, j->processes, f, &floor, NULL, (enum moore_job_placement)j->placement[0],
			    s->o.seed, &err) < 0)
		return cli_misuse(s->c, "--placement: %s", err.text);
	s->how.processes = j->processes;
	return (rc = cli_sim_floor_ready(s)) == CLI_OK ? cli_sim_cut_ready(s) : rc;
}

/* A part of a ring is that of one process; all are whole packets. */
static int
make_exchange(struct cli_simulation *s, unsigned i)
{
	const struct cli_prediction *j = &s->job;
	const uint64_t parts = j->pattern[i] == MOORE_SIM_RING ? j->processes : 1;
	const uint64_t bytes = (s->message + parts - 1) / parts;
	struct moore_err err;
	uint32_t n;

	if (moore_sim_messages(&s->messages[i], &n, (enum moore_sim_exchange)j->pattern[i], j->node, j->processes,
			       s->torus[0] ? s->torus : NULL, (bytes + s->how.packet - 1) / s->how.packet, s->o.seed, &err) < 0)
		return cli_misuse(s->c, "%s", err.text);
	s->traffic[i] = (struct moore_sim_traffic){ .message = s->messages[i], .n_messages = n };
	return CLI_OK;
}

static int
make_traffic(struct cli_simulation *s, unsigned i)
{
	const struct cli_prediction *j = &s->job;
	struct moore_sim_flow *own;
	struct moore_flow *flow = NULL;
	uint64_t total = 0;
	uint32_t n = 0;

	if (s->exchange)
		return make_exchange(s, i);
	s->traffic[i] = (struct moore_sim_traffic){ .node = j->node, .n_nodes = j->processes };
	if (moore_job_pattern_kind((enum moore_job_pattern)j->pattern[i]) == MOORE_JOB_EVEN)
		return CLI_OK;
	if (cli_predict_flows(j, j->pattern[i], s->world->t.f, s->world->t.lft, s->o.seed, &flow, &n) != CLI_OK)
		return CLI_FAIL;
	for (uint32_t k = 0; k < n; k++)
		total += (uint64_t)flow[k].amount;
	own = s->flow[i] = total < UINT32_MAX ? calloc((size_t)total + 1, sizeof(*own)) : NULL;
	for (uint32_t k = 0, at = 0; own && k < n; k++)	/* a flow of two messages counts twice */
		for (double left = flow[k].amount; left > 0; left--)
			own[at++] = (struct moore_sim_flow){ flow[k].from, flow[k].to };
	free(flow);
	s->traffic[i].flow = own;
	s->traffic[i].n_flows = (uint32_t)total;
	return own ? CLI_OK : cli_error("out of memory");
}

/* ---- points ---------------------------------------------------------------------------------- */

int
cli_simulation_point(struct cli_simulation *s, size_t i, struct moore_sim_point *point,
		     struct moore_simulation *row)
{
	const struct cli_prediction *j = &s->job;
	const struct cli_sim_cut *cut = &s->cut;
	const size_t k = i / s->n_loads / cut->n_motions;	/* of routings and patterns */
	const unsigned p = (unsigned)(k / s->n_routings), motion = cut->motion[i / s->n_loads % cut->n_motions];
	const enum moore_sim_routing routing = (enum moore_sim_routing)s->routing[k % s->n_routings];
	const double load = s->load[i % s->n_loads];
	int rc;

	if (!s->traffic[p].flow && !s->traffic[p].node && !s->traffic[p].message && (rc = make_traffic(s, p)) != CLI_OK)
		return rc;
	if (routing == MOORE_SIM_SHARES && !s->share[p] && (rc = cli_sim_shares(s, p)) != CLI_OK)
		return rc;
	*point = (struct moore_sim_point){ .routing = routing, .traffic = &s->traffic[p], .load = load,
					   .script = cut->wanted ? &cut->script[motion] : NULL, .sent = s->sent };
	*row = (struct moore_simulation){ .routing = routing, .load = load, .exchange = s->exchange,
					  .pattern = traffic_name(s, j->pattern[p]),
					  .carried = routing == MOORE_SIM_SHARES ? s->carried[p] : 0,
					  .motion = cut->wanted ? cli_sim_motion_name(motion) : NULL,
					  .placement = cli_job_placement(j->placement[0]) };
	return CLI_OK;
}

void
cli_simulation_free(struct cli_simulation *s)
{
	for (unsigned i = 0; i < s->job.n_patterns; i++) {
		free(s->flow[i]);
		free(s->messages[i]);
		free(s->share[i]);
	}
	cli_sim_cut_free(&s->cut);
	free(s->job.cabinet);
	free(s->job.group);
	free(s->job.node);
	free(s->wire);
	free(s->packet_of);
	free(s->sent);
}

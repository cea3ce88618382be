// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_sim.c - the simulator against known answers: queues whose waits have formulas, the saturation of
 * input queues, latencies computed by hand, a ring that must deadlock; and its books at every step. */
#include "harness.h"
#include "moore/engine.h"
#include "moore/shares.h"
#include "moore/sim.h"
#include "plan_of.h"
#include "shuffled_jobs.h"
#include "sim/sim_impl.h"

/* ---- a fabric with its tables -------------------------------------------------------------------- */

struct bed {
	struct moore_fabric *f;
	struct moore_engine_result *r;
	struct moore_sim_tables tables;
	struct moore_sim_opts o;
	moore_epid *node;
	struct moore_sim_traffic uniform;
	double *share;		/* of each sender: all offsets alike */
};

static struct bed
bed_of(const char *family, const char *params, uint8_t lmc)
{
	struct moore_plan *p = plan_of(family, params);
	struct moore_conf conf;
	struct bed b;

	moore_conf_defaults(&conf);
	moore_sim_defaults(&b.o);
	assert_int_equal(moore_fabric_from_plan(&b.f, p, lmc, NULL), 0);
	assert_int_equal(moore_engine_run(&b.r, b.f, p, &conf, NULL, NULL, NULL), 0);
	moore_plan_free(p);
	b.tables = (struct moore_sim_tables){ b.f, b.r->lft, b.r->sl2vl, NULL };
	b.node = calloc(b.f->n_endpoints, sizeof(*b.node));
	for (uint32_t i = 0; i < b.f->n_endpoints; i++)
		b.node[i] = i;
	b.share = calloc((size_t)b.f->n_endpoints << lmc, sizeof(*b.share));
	for (uint32_t i = 0; i < b.f->n_endpoints << lmc; i++)
		b.share[i] = 1.0 / (1u << lmc);
	b.uniform = (struct moore_sim_traffic){ .node = b.node, .n_nodes = b.f->n_endpoints, .share = b.share,
						.n_offsets = 1u << lmc };
	return b;
}

static void
bed_free(struct bed *b)
{
	moore_engine_result_free(b->r);
	moore_fabric_free(b->f);
	free(b->node);
	free(b->share);
}

static struct moore_sim_result
simulate(const struct bed *b, enum moore_sim_routing routing, const struct moore_sim_traffic *t, double load)
{
	const struct moore_sim_point point = { .routing = routing, .traffic = t, .load = load };
	struct moore_sim_result x;
	struct moore_err err = { .text = "" };

	if (moore_simulate(&x, &point, 1, &b->tables, &b->o, NULL, &err) < 0)
		fail_msg("%s", err.text);
	return x;
}

static bool
within(double got, double want, double share)
{
	if (got > want * (1 - share) && got < want * (1 + share))
		return true;
	print_error("%f is not within %g of %f\n", got, share, want);
	return false;
}

/* Ticks of a packet alone over that many links between switches. */
static uint64_t
alone(const struct moore_sim_opts *o, uint32_t links)
{
	return (uint64_t)o->wire * (links + 2) + (uint64_t)o->sw * (links + 1) + o->packet;
}

/* ---- queues with formulas -------------------------------------------------------------------------- */

/* A host sends to its neighbour at the switch: the source queue is M/D/1, whose mean wait in packet
 * times is load / (2 (1 - load)) (Pollaczek and Khinchine). */
static void
test_one_queue(void **state)
{
	static const double load[] = { 0.2, 0.5, 0.8 };
	const struct moore_sim_flow flow = { 0, 1 };
	const struct moore_sim_traffic t = { .flow = &flow, .n_flows = 1 };
	struct bed b = bed_of("hyperx", "s1=2 s2=2 p=2", 0);
	(void)state;

	b.o.seed = test_seed();
	b.o.length = 4000000;
	for (size_t i = 0; i < ARRAY_LEN(load); i++) {
		const struct moore_sim_result x = simulate(&b, MOORE_SIM_MIN, &t, load[i]);
		const double wait = (x.latency_mean - (double)alone(&b.o, 0)) / b.o.packet;
		const double ci = x.latency_ci / b.o.packet / wait;

		CHECK("M/D/1", within(wait, load[i] / (2 * (1 - load[i])), 0.01 + ci) && ci < 0.02);
		CHECK("the interval holds the mean", within(wait, load[i] / (2 * (1 - load[i])), 2 * ci));
		CHECK("all is accepted", within(x.accepted, load[i], 0.01) && !x.saturated);
	}
	bed_free(&b);
}

/* Many hosts that send little each to one: what comes to its port is nearly Poisson, so the wait in the
 * switch is nearly that of M/D/1. */
static void
test_many_to_one(void **state)
{
	struct moore_sim_flow flow[40];
	struct moore_sim_traffic t = { .flow = flow, .n_flows = 40 };
	struct bed b = bed_of("hyperx", "s1=2 s2=2 p=41", 0);
	struct moore_sim_result x;
	(void)state;

	for (uint32_t i = 0; i < 40; i++)
		flow[i] = (struct moore_sim_flow){ i + 1, 0 };
	b.o.seed = test_seed();
	b.o.length = 1000000;
	x = simulate(&b, MOORE_SIM_MIN, &t, 0.7 / 40);
	CHECK("M/D/1", within((x.latency_mean - (double)alone(&b.o, 0)) / b.o.packet, 0.7 / 0.6, 0.04));
	bed_free(&b);
}

/* Karol, Hluchyj and Morgan, "Input versus output queueing on a space-division packet switch", IEEE
 * Trans. Commun. 35 (1987), table I: throughput of saturated inputs with one queue each.  A queue for each
 * output instead lets one switch carry all (McKeown, Mekkittikul, Anantharam and Walrand, "Achieving 100 %
 * throughput in an input-queued switch", IEEE Trans. Commun. 47, 1999). */
static void
test_input_queues(void **state)
{
	const uint64_t seed = test_seed();
	static const struct { const char *params; uint32_t n; double low, high; } T[] = {
		{ "s1=2 s2=2 p=2", 2, 0.75, 0.75 }, { "s1=2 s2=2 p=3", 3, 0.6825, 0.6825 },
		{ "s1=2 s2=2 p=4", 4, 0.6553, 0.6553 }, { "s1=2 s2=2 p=8", 8, 0.6184, 0.6184 },
		{ "s1=2 s2=2 p=16", 16, 0.5858, 0.6184 }, { "s1=2 s2=2 p=48", 48, 0.5858, 0.595 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct bed b = bed_of("hyperx", T[i].params, 0);
		const uint32_t n = T[i].n;
		struct moore_sim_flow *flow = calloc((size_t)n * n, sizeof(*flow));
		struct moore_sim_traffic t = { .flow = flow, .n_flows = n * n };
		struct moore_sim_result x;

		for (uint32_t k = 0; k < n * n; k++)
			flow[k] = (struct moore_sim_flow){ k / n, k % n };
		b.o.queues = MOORE_SIM_FIFO;
		b.o.cross = b.o.packet;
		b.o.seed = seed;
		b.o.length = 1000000 / n;
		x = simulate(&b, MOORE_SIM_MIN, &t, 1);
		CHECK(T[i].params, x.accepted > T[i].low * 0.99 && x.accepted < T[i].high * 1.01);
		CHECK("queues grow", x.saturated);
		b.o.cross = b.o.packet / 4;
		x = simulate(&b, MOORE_SIM_MIN, &t, 0.9);
		CHECK("a crossbar of four times the rate keeps up", within(x.accepted, 0.9, 0.01) && !x.saturated);
		b.o.queues = MOORE_SIM_VOQ;
		b.o.cross = b.o.packet;
		b.o.buffer = 64 * n;
		x = simulate(&b, MOORE_SIM_MIN, &t, 0.95);
		CHECK("virtual output queues keep up without a speed-up", within(x.accepted, 0.95, 0.01));
		x = simulate(&b, MOORE_SIM_MIN, &t, 1);
		CHECK("nearly all of full load", x.accepted > 0.985);
		free(flow);
		bed_free(&b);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_queue), cmocka_unit_test(test_many_to_one),
	};

	return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}

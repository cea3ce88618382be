// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_sim.c - the simulator against known answers: queues whose waits have formulas, the saturation of
 * input queues, latencies computed by hand, a ring that must deadlock; and its books at every step. */
#include <math.h>

#include "harness.h"
#include "moore/engine.h"
#include "moore/shares.h"
#include "shuffled_jobs.h"
#include "sim_bed.h"
#include "sim/sim_impl.h"

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
	for (size_t i = 0; i < ARRAY_LEN(load); i += test_stride()) {
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

	for (size_t i = 0; i < ARRAY_LEN(T); i += test_stride()) {
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

/* ---- one packet ------------------------------------------------------------------------------------ */

/* Steps until the first packet of a host was received; it makes no other. */
static void
receive_one(struct sim *s, moore_epid from)
{
	while (!s->received) {
		assert_true(moore_sim_step(s));
		s->host[from].sends = !s->made;
	}
}

/* Steps until a packet was received, and returns its latency. */
static uint64_t
first_latency(const struct bed *b, enum moore_sim_routing routing, const struct moore_sim_flow *flow,
	      uint64_t *hops)
{
	const struct moore_sim_traffic t = { .flow = flow, .n_flows = 1, .share = b->share,
					     .n_offsets = b->uniform.n_offsets };
	const struct moore_sim_point point = { .routing = routing, .traffic = &t, .load = 0.001 };
	uint64_t latency = 0;
	struct sim s;

	assert_int_equal(moore_sim_init(&s, &point, &b->tables, &b->o, NULL), 0);
	receive_one(&s, flow->from);
	for (unsigned i = 0; i < MOORE_SIM_BLOCKS; i++)
		latency += s.block[i].latency;
	*hops = s.hops;
	moore_sim_fini(&s);
	return latency;
}

static void
test_alone(void **state)
{
	static const struct { const char *family, *params; uint8_t lmc; } T[] = {
		{ "slimfly", "q=5 p=2", 2 }, { "torus", "a=6", 0 }, { "oft", "k=3", 1 },
	};
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct bed b = bed_of(T[i].family, T[i].params, T[i].lmc);
		uint32_t *wire = calloc(b.f->n_ports, sizeof(*wire));
		uint64_t hops;

		b.o.length = 100000;
		for (unsigned k = 0; k < 200; k++) {
			const struct moore_sim_flow flow = { moore_rng_below(&rng, b.f->n_endpoints),
							     moore_rng_below(&rng, b.f->n_endpoints) };
			const enum moore_sim_routing routing = moore_rng_below(&rng, MOORE_N_SIM_ROUTINGS);
			const uint64_t got = first_latency(&b, routing, &flow, &hops);

			CHECK_EQ(T[i].params, got, alone(&b.o, (uint32_t)hops - 2));
			CHECK("Slim Fly is of diameter 2", i || routing != MOORE_SIM_MIN || hops <= 4);
		}
		for (uint32_t k = 0; k < b.f->n_ports; k++)
			wire[k] = 100;
		b.o.wire_of = wire;
		CHECK_EQ("cables", first_latency(&b, MOORE_SIM_MIN, &(struct moore_sim_flow){ 0, 1 }, &hops),
			 100 * hops + b.o.sw * (hops - 1) + b.o.packet);
		free(wire);
		bed_free(&b);
	}
}

/* Kathareios et al. (SC'15), section 3.2: routes over a random switch have 2 to 4 links on a Slim Fly, 4 on OFT and
 * MLFM, and every switch with endpoints but both ends is a middle.  Without any load, UGAL sends none there. */
static void
test_middle(void **state)
{
	static const struct { const char *family, *params; uint32_t least, most; } T[] = {
		{ "slimfly", "q=5", 2, 4 }, { "oft", "k=4", 4, 4 }, { "mlfm", "h=4", 4, 4 },
	};
	const uint64_t seed = test_seed();
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct bed b = bed_of(T[i].family, T[i].params, 0);
		const struct moore_sim_flow flow = { 0, b.f->n_endpoints - 1 };
		uint32_t most = 0, least = MOORE_NONE;
		struct moore_sl_set *set;
		struct moore_sim_point point = { .routing = MOORE_SIM_MIDDLE, .traffic = &b.uniform, .load = 0.5 };
		struct moore_sim_result x;
		uint64_t hops;

		b.o.length = 100000;
		for (unsigned k = 0; k < 100; k++) {
			b.o.seed = seed + k;
			first_latency(&b, MOORE_SIM_MIDDLE, &flow, &hops);
			most = hops - 2 > most ? (uint32_t)hops - 2 : most;
			least = hops - 2 < least ? (uint32_t)hops - 2 : least;
			first_latency(&b, MOORE_SIM_UGAL_MIDDLE, &flow, &hops);
			CHECK("UGAL without load", hops == 2 + 2 || (T[i].least == 2 && hops == 2 + 1));
		}
		CHECK_EQ(T[i].params, least, T[i].least);
		CHECK_EQ(T[i].params, most, T[i].most);
		assert_int_equal(moore_sl_set_new(&set, b.f->n_switches, b.f->lid_top, NULL), 0);
		b.tables.sl_set = set;
		CHECK_EQ("SLs of sources", moore_simulate(&x, &point, 1, &b.tables, &b.o, NULL, NULL), -MOORE_EINVAL);
		moore_sl_set_free(set);
		bed_free(&b);
	}
}

/* Yebenes et al. (HOTI 2017), section IV: on a Slim Fly VAL_nta never comes to a switch twice, and VAL_3h has two or
 * three links.  Switches of an OFT that have links to all others have no nodes, so nothing changes there. */
static void
test_detours(void **state)
{
	static const struct { const char *family, *params; enum moore_sim_detour d; uint32_t least, most; } T[] = {
		{ "slimfly", "q=5", MOORE_SIM_DETOUR_NTA, 2, 4 }, { "slimfly", "q=7", MOORE_SIM_DETOUR_NTA, 2, 4 },
		{ "slimfly", "q=5", MOORE_SIM_DETOUR_VALIANT3, 2, 3 }, { "slimfly", "q=4", MOORE_SIM_DETOUR_VALIANT3, 2, 3 },
		{ "oft", "k=4", MOORE_SIM_DETOUR_NTA, 4, 4 }, { "oft", "k=3", MOORE_SIM_DETOUR_VALIANT3, 4, 4 },
	};
	const uint64_t seed = test_seed();
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct bed b = bed_of(T[i].family, T[i].params, 0);
		const struct moore_sim_flow flow = { 0, b.f->n_endpoints - 1 };
		uint32_t most = 0, least = MOORE_NONE;
		uint64_t hops;

		b.o.length = 100000;
		b.o.detour = T[i].d;
		for (unsigned k = 0; k < 200; k++) {
			b.o.seed = seed + k;
			CHECK_EQ("a packet alone", first_latency(&b, MOORE_SIM_MIDDLE, &flow, &hops),
				 alone(&b.o, (uint32_t)hops - 2));
			most = hops - 2 > most ? (uint32_t)hops - 2 : most;
			least = hops - 2 < least ? (uint32_t)hops - 2 : least;
		}
		CHECK_EQ(T[i].params, least, T[i].least);
		CHECK_EQ(T[i].params, most, T[i].most);
		bed_free(&b);
	}
}

/* Links between switches that the first packet of a flow crosses, where 100 packets wait for port `full`. */
static uint32_t
links_past(const struct bed *b, enum moore_sim_routing routing, const struct moore_sim_flow *flow, uint32_t full)
{
	const struct moore_sim_traffic t = { .flow = flow, .n_flows = 1 };
	const struct moore_sim_point point = { .routing = routing, .traffic = &t, .load = 0.001 };
	uint64_t hops;
	struct sim s;

	assert_int_equal(moore_sim_init(&s, &point, &b->tables, &b->o, NULL), 0);
	s.channel[full].pending += 100;
	receive_one(&s, flow->from);
	hops = s.hops;
	moore_sim_fini(&s);
	return (uint32_t)hops - 2;
}

/* A queue in the second switch of a minimal route is unknown to the first: UGAL-L goes there, and PAR goes on over a
 * middle, in five links at most.  A queue in the first switch turns both away. */
static void
test_par(void **state)
{
	struct bed b = bed_of("slimfly", "q=5", 0);
	const moore_swid from = b.f->ep[0].sw;
	const uint64_t seed = test_seed();
	(void)state;

	b.o.length = 100000;
	b.o.ugal_candidates = 32;	/* so that not all of them begin with the full port */
	for (moore_epid to = 0; to < b.f->n_endpoints; to++) {
		const struct moore_sim_flow flow = { 0, to };
		const moore_lid lid = b.f->ep[to].lid;
		const uint32_t first = b.f->sw[from].port0 + moore_lft_row(b.r->lft, from)[lid];
		const struct moore_port *next = &b.f->port[first];
		uint32_t second, links;

		if (b.f->ep[to].sw == from || next->peer == b.f->ep[to].sw)
			continue;
		second = b.f->sw[next->peer].port0 + moore_lft_row(b.r->lft, next->peer)[lid];
		b.o.seed = seed + to;
		b.o.ugal_threshold = 0;
		CHECK_EQ("UGAL-L", links_past(&b, MOORE_SIM_UGAL_MIDDLE, &flow, second), 2);
		links = links_past(&b, MOORE_SIM_PAR, &flow, second);
		CHECK("PAR turns in the second switch", links > 2 && links <= 5);
		links = links_past(&b, MOORE_SIM_PAR, &flow, first);
		CHECK("PAR turns in the first switch", links > 2 && links <= 4);
		b.o.ugal_threshold = UINT32_MAX;
		CHECK_EQ("a threshold that no queue reaches", links_past(&b, MOORE_SIM_PAR, &flow, second), 2);
	}
	bed_free(&b);
}

/* A host with a slow link, and a slow link between switches: a packet alone takes the time of its slowest link once at
 * each, less what it overlaps, and all that the slow link carries is its rate. */
static void
test_rates(void **state)
{
	const struct moore_sim_flow flow[] = { { 0, 2 }, { 1, 3 } };
	const struct moore_sim_traffic t = { .flow = flow, .n_flows = 2 };
	struct bed b = bed_of("torus", "a=6 p=2", 0);
	uint32_t *packet = calloc(b.f->n_ports, sizeof(*packet));
	const uint32_t wire = moore_lft_row(b.r->lft, b.f->ep[0].sw)[b.f->ep[2].lid];
	const struct moore_port *far = moore_fabric_port(b.f, b.f->ep[0].sw, (moore_portnum)wire);
	const struct moore_sim_point point = { .traffic = &t, .load = 0.5 };
	struct moore_sim_result x;
	struct moore_err err;
	uint64_t hops;
	(void)state;

	b.o.packet_of = packet;
	packet[b.f->sw[b.f->ep[0].sw].port0 + b.f->ep[0].port] = 4 * b.o.packet;
	CHECK_EQ("a slow host", first_latency(&b, MOORE_SIM_MIN, flow, &hops), alone(&b.o, 1) + 3 * b.o.packet);
	packet[b.f->sw[b.f->ep[2].sw].port0 + b.f->ep[2].port] = 2 * b.o.packet;
	CHECK_EQ("and one that receives slowly", first_latency(&b, MOORE_SIM_MIN, flow, &hops),
		 alone(&b.o, 1) + 4 * b.o.packet);
	packet[b.f->sw[b.f->ep[0].sw].port0 + b.f->ep[0].port] = packet[b.f->sw[b.f->ep[2].sw].port0 + b.f->ep[2].port] = 0;
	packet[b.f->sw[b.f->ep[0].sw].port0 + wire] = packet[b.f->sw[far->peer].port0 + far->peer_port] = 4 * b.o.packet;
	b.o.seed = test_seed();
	x = simulate(&b, MOORE_SIM_MIN, &t, 1);
	CHECK("two hosts share a quarter", within(x.accepted, 1.0 / 8, 0.01) && x.saturated);
	packet[b.f->sw[b.f->ep[0].sw].port0 + b.f->ep[0].port] = packet[b.f->sw[b.f->ep[1].sw].port0 + b.f->ep[1].port] =
		8 * b.o.packet;
	b.o.length = 64000;
	x = simulate(&b, MOORE_SIM_MIN, &t, 0.9);
	CHECK("of slow hosts it carries all that they send", within(x.offered, 0.9, 0.05) && !x.saturated);
	packet[0] = b.o.packet - 1;
	CHECK_EQ("too fast", moore_simulate(&x, &point, 1, &b.tables, &b.o, NULL, &err), -MOORE_EINVAL);
	CHECK_STR("why", err.text, "a link is faster than `packet`");
	free(packet);
	bed_free(&b);
}

/* Every switch but two is a middle, equally often: chi-squared of 47 degrees of freedom is below 82 in 99.9 %. */
static void
test_middles_even(void **state)
{
	struct bed b = bed_of("slimfly", "q=5 p=1", 0);
	const struct moore_sim_flow flow = { 0, 1 };
	const struct moore_sim_traffic t = { .flow = &flow, .n_flows = 1 };
	const struct moore_sim_point point = { .routing = MOORE_SIM_MIDDLE, .traffic = &t, .load = 1 };
	uint32_t *seen = calloc(b.f->n_switches, sizeof(*seen));
	double chi = 0, n = 0;
	struct sim s;
	(void)state;

	b.o.seed = test_seed();
	b.o.length = 20000;
	assert_int_equal(moore_sim_init(&s, &point, &b.tables, &b.o, NULL), 0);
	for (uint64_t made = 0; moore_sim_step(&s);)
		for (uint32_t k = 0; s.made > made && k < s.fresh_packet; k++)	/* the new one is at its host still */
			if (s.packet[k].hops == 0 && s.middle[k] < SIM_PASSED) {
				seen[b.f->ep[s.middle[k]].sw]++;
				n++;
				made = s.made;
				break;
			}
	for (moore_swid w = 0; w < b.f->n_switches; w++)
		chi += w < 2 ? 0 : (seen[w] - n / 48) * (seen[w] - n / 48) / (n / 48);
	CHECK("both ends are none", !seen[b.f->ep[0].sw] && !seen[b.f->ep[1].sw] && n > 15000);
	CHECK("all others equally often", chi < 82);
	free(seen);
	moore_sim_fini(&s);
	bed_free(&b);
}

/* Two lanes of one link that both have packets share it by the tables of turns. */
static void
test_weights(void **state)
{
	static const struct { const char *why; struct moore_sim_vlarb arb; double ratio; } T[] = {
		{ "3 to 1", { .low = { { 0, 3 }, { 1, 1 } }, .n_low = 2, .high_limit = 1 }, 3 },
		{ "a VL that comes twice", { .low = { { 1, 2 }, { 0, 2 }, { 1, 3 } }, .n_low = 3, .high_limit = 1 }, 2.0 / 5 },
		{ "entries that are skipped", { .low = { { 0, 0 }, { 1, 1 }, { 9, 4 }, { 0, 4 } }, .n_low = 4, .high_limit = 1 }, 4 },
		{ "four of the high table, then one", { .high = { { 0, 1 } }, .low = { { 1, 7 } }, .n_high = 1, .n_low = 1,
		  .high_limit = 4 }, 4 },
		{ "turns within the high table", { .high = { { 0, 1 }, { 1, 1 } }, .low = { { 0, 1 } }, .n_high = 2, .n_low = 1,
		  .high_limit = 2 }, 2 },
		{ "without a limit", { .high = { { 0, 1 }, { 1, 2 } }, .low = { { 0, 1 } }, .n_high = 2, .n_low = 1,
		  .high_limit = MOORE_SIM_NO_LIMIT }, 0.5 },
	};
	const struct moore_sim_flow flow[] = { { 0, 2 }, { 1, 2 } };
	const struct moore_sim_traffic t = { .flow = flow, .n_flows = 2 };
	const struct moore_sim_point point = { .traffic = &t, .load = 1 };
	struct bed b = bed_of("hyperx", "s1=2 s2=2 p=3", 0);
	struct moore_sl_row second = { { 0 } };
	struct moore_sim_vlarb lame = T[0].arb;
	struct moore_sl2vl *lanes;
	struct moore_sim_result x;
	struct moore_err err;
	struct sim s;
	(void)state;

	memset(second.vl, 1, sizeof(second.vl));
	assert_int_equal(moore_sl2vl_new(&lanes, b.f, NULL), 0);
	assert_int_equal(moore_sl2vl_set(lanes, b.f->ep[1].sw, b.f->ep[1].port, b.f->ep[2].port, &second, NULL), 0);
	b.tables.sl2vl = lanes;
	b.o.length = 64000;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		b.o.vlarb = &T[i].arb;
		assert_int_equal(moore_sim_init(&s, &point, &b.tables, &b.o, NULL), 0);
		while (moore_sim_step(&s))
			;
		CHECK(T[i].why, within((double)s.host[0].due / (double)s.host[1].due, T[i].ratio, 0.02));
		moore_sim_fini(&s);
	}
	lame.n_low = 1;
	b.o.vlarb = &lame;
	CHECK_EQ("no turn", moore_simulate(&x, &point, 1, &b.tables, &b.o, NULL, &err), -MOORE_EINVAL);
	CHECK_STR("why", err.text, "packets have 2 VLs, and VL 1 has no turn");
	lame = (struct moore_sim_vlarb){ .n_low = MOORE_SIM_TURNS_MAX + 1, .high_limit = 1 };
	CHECK_EQ("too long", moore_simulate(&x, &point, 1, &b.tables, &b.o, NULL, &err), -MOORE_EINVAL);
	moore_sl2vl_free(lanes);
	bed_free(&b);
}

/* Three hosts of a switch send to those of one other: UGAL takes other offsets, too, and gets more than
 * offset 0 alone, unless its numbers forbid all others. */
static void
test_ugal(void **state)
{
	static const struct {
		const char *why;
		double weight;
		bool by_hops;
		uint32_t n, threshold, bias;
		bool minimal;
	} T[] = {
		{ "as the paper", 1, true, 4, 0, 0, false },
		{ "a threshold that no queue reaches", 1, true, 4, UINT32_MAX, 0, true },
		{ "a bias that no queue reaches", 1, true, 4, 0, 1000000, true },
		{ "a constant weight", 2, false, 4, 0, 0, false },
		{ "Yebenes: q_min <= 2 q_val + T", 2, false, 1, 0, 4, false },
	};
	static const enum moore_sim_routing both[] = { MOORE_SIM_UGAL, MOORE_SIM_UGAL_G };
	struct bed b = bed_of("slimfly", "q=5", 2);
	struct moore_sim_flow *flow = calloc(b.f->n_endpoints, sizeof(*flow));
	const struct moore_sim_traffic t = { .flow = flow, .n_flows = b.f->n_endpoints };
	double minimal, accepted;
	(void)state;

	for (uint32_t i = 0; i < b.f->n_endpoints; i++)
		flow[i] = (struct moore_sim_flow){ i, (i + 3) % b.f->n_endpoints };
	b.o.seed = test_seed();
	minimal = simulate(&b, MOORE_SIM_MIN, &t, 0.9).latency_mean;
	accepted = simulate(&b, MOORE_SIM_MIN, &t, 0.9).accepted;
	for (size_t i = 0; i < ARRAY_LEN(T); i += test_stride())
		for (unsigned k = 0; k < ARRAY_LEN(both); k++) {
			struct moore_sim_result x;

			b.o.ugal_weight = T[i].weight;
			b.o.ugal_by_hops = T[i].by_hops;
			b.o.ugal_candidates = T[i].n;
			b.o.ugal_threshold = T[i].threshold;
			b.o.ugal_bias = T[i].bias;
			x = simulate(&b, both[k], &t, 0.9);
			CHECK(T[i].why, (x.latency_mean == minimal) == T[i].minimal);
			CHECK(T[i].why, T[i].minimal || x.accepted > 1.3 * accepted);
		}
	free(flow);
	bed_free(&b);
}

/* Links of a route between switches, with the one to the node, and the packets that wait for all its ports. */
static uint32_t
look_along(const struct sim *s, moore_swid w, moore_lid lid, uint32_t *queues, uint32_t *first)
{
	uint32_t links = 0;

	*queues = 0;
	for (const struct moore_port *p = NULL; !p || p->role == MOORE_ROLE_SWITCH; links++) {
		w = p ? p->peer : w;
		p = moore_fabric_port(s->f, w, moore_lft_row(s->lft, w)[lid]);
		*queues += s->channel[p - s->f->port].pending;
		*first = links ? *first : *queues;
	}
	return links;
}

/* What each of four offsets costs by the formulas of Kathareios et al., section 3.3. */
static void
find_costs(const struct sim *s, moore_swid from, moore_lid base, double *cost)
{
	uint32_t all, first, hops = 1;

	for (uint32_t k = 0; k < 4; k++) {
		const uint32_t links = look_along(s, from, base + k, &all, &first);

		hops = k ? hops : links;
		cost[k] = s->point.routing == MOORE_SIM_UGAL_G ? all : first;
		if (k && s->point.routing == MOORE_SIM_UGAL && s->o.ugal_by_hops)
			cost[k] *= (double)links / hops;
		if (k)
			cost[k] = cost[k] * s->o.ugal_weight + s->o.ugal_bias;
	}
}

/* Where each port has some number of packets, the first packet takes the offset that costs least: with so many
 * candidates, UGAL sees all of them. */
static void
least_cost(struct bed *b, const char *why, enum moore_sim_routing routing, struct moore_rng *rng)
{
	const uint32_t n = b->f->n_endpoints;
	const struct moore_sim_flow flow = { moore_rng_below(rng, n), moore_rng_below(rng, n) };
	const struct moore_sim_traffic t = { .flow = &flow, .n_flows = 1 };
	const struct moore_sim_point point = { .routing = routing, .traffic = &t, .load = 0.001 };
	const moore_lid base = b->f->ep[flow.to].lid;
	double cost[4], least = UINT32_MAX;
	struct sim s;

	b->o.length = 100000;
	b->o.ugal_candidates = 64;
	b->o.ugal_by_hops = moore_rng_below(rng, 2);
	b->o.ugal_bias = moore_rng_below(rng, 100);
	b->o.ugal_weight = 0.5 * moore_rng_below(rng, 5);
	assert_int_equal(moore_sim_init(&s, &point, &b->tables, &b->o, NULL), 0);
	for (uint32_t i = 0; i < s.n_ports; i++)
		s.channel[i].pending = moore_rng_below(rng, 1000);
	find_costs(&s, b->f->ep[flow.from].sw, base, cost);
	for (unsigned k = 0; k < 4; k++)
		least = cost[k] < least ? cost[k] : least;
	while (!s.made)
		assert_true(moore_sim_step(&s));
	CHECK(why, within(cost[s.packet[0].lid - base] + 1, least + 1, 1e-9));
	moore_sim_fini(&s);
}

static void
test_ugal_costs(void **state)
{
	static const struct { const char *family, *params; } T[] = {
		{ "slimfly", "q=4" }, { "slimfly", "q=5" }, { "oft", "k=5" }, { "mlfm", "h=5" }, { "polarfly", "q=5" },
		{ "dragonfly", "a=4 h=2" }, { "torus", "a=5 b=3 p=2" },
	};
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct bed b = bed_of(T[i].family, T[i].params, 2);

		for (unsigned round = 0; round < test_rounds(120); round++)
			least_cost(&b, T[i].params, round % 2 ? MOORE_SIM_UGAL : MOORE_SIM_UGAL_G, &rng);
		bed_free(&b);
	}
}

/* All on offset 0 is minimal, bit for bit; all alike is nearly what each in turn gets; and what a linear programme
 * finds for each sender is accepted. */
static void
test_shares(void **state)
{
	struct bed b = bed_of("slimfly", "q=5", 2);
	const uint32_t n = b.f->n_endpoints;
	struct moore_sim_flow *flow = calloc(n, sizeof(*flow));
	struct moore_amount *a = calloc(n, sizeof(*a));
	struct moore_sim_traffic t = { .flow = flow, .n_flows = n, .share = b.share, .n_offsets = 4 };
	struct moore_sim_point none = { .routing = MOORE_SIM_SHARES, .traffic = &t, .load = 0.9 };
	struct moore_shares *s;
	struct moore_sim_result x;
	struct moore_err err;
	(void)state;

	for (uint32_t i = 0; i < n; i++) {
		flow[i] = (struct moore_sim_flow){ i, (i + 3) % n };
		a[i] = (struct moore_amount){ i, (i + 3) % n, 1 };
	}
	b.o.seed = test_seed();
	x = simulate(&b, MOORE_SIM_SHARES, &t, 0.9);
	CHECK("as in turn", within(x.accepted, simulate(&b, MOORE_SIM_ALL, &t, 0.9).accepted, 0.05));
	assert_int_equal(moore_shares_find(&s, b.f, b.r->lft, a, n, 0, 0.01, NULL), 0);
	for (uint32_t h = 0; h < s->n_hosts; h++)
		memcpy(&b.share[s->host[h] * 4], &s->share[h * 4], 4 * sizeof(*b.share));
	x = simulate(&b, MOORE_SIM_SHARES, &t, 1 / s->greatest);
	CHECK("what the programme finds is accepted", x.accepted > 0.97 / s->greatest && s->greatest < 2);
	CHECK("and most of it where all is offered", simulate(&b, MOORE_SIM_SHARES, &t, 1).accepted > 0.9 / s->greatest);
	for (uint32_t i = 0; i < 4 * n; i++)
		b.share[i] = i % 4 == 0;
	CHECK("minimal", simulate(&b, MOORE_SIM_SHARES, &t, 0.3).latency_mean ==
	      simulate(&b, MOORE_SIM_MIN, &t, 0.3).latency_mean);
	none.traffic = &(struct moore_sim_traffic){ .flow = flow, .n_flows = n };
	CHECK_EQ("no shares", moore_simulate(&x, &none, 1, &b.tables, &b.o, NULL, &err), -MOORE_EINVAL);
	CHECK_STR("why", err.text, "needs the shares of the senders");
	moore_shares_free(s);
	free(flow);
	free(a);
	bed_free(&b);
}

/* ---- exchanges --------------------------------------------------------------------------------------- */

static struct moore_sim_result
exchange(const struct bed *b, const struct moore_sim_message *m, uint32_t n)
{
	const struct moore_sim_traffic t = { .message = m, .n_messages = n };

	return simulate(b, MOORE_SIM_MIN, &t, 0);
}

/* By hand: hosts at one switch.  A message of n packets takes n - 1 packet times longer than one packet;
 * a phase of a ring or tree begins when the last byte of the one before has come. */
static void
test_exchange(void **state)
{
	static const struct { const char *why; uint32_t n, times, more; struct moore_sim_message m[8]; } T[] = {
		{ "two hosts, both ways", 2, 1, 9, { { 0, 1, 10, 0 }, { 1, 0, 10, 0 } } },
		{ "two messages of a host take turns", 2, 1, 19, { { 0, 1, 10, 0 }, { 0, 2, 10, 0 } } },
		{ "all to all of three, each at full rate", 6, 1, 7,
		  { { 0, 1, 4, 0 }, { 0, 2, 4, 0 }, { 1, 2, 4, 0 }, { 1, 0, 4, 0 }, { 2, 0, 4, 0 }, { 2, 1, 4, 0 } } },
		{ "a ring of two phases", 6, 2, 8,
		  { { 0, 1, 5, 0 }, { 0, 1, 5, 1 }, { 1, 2, 5, 0 }, { 1, 2, 5, 1 }, { 2, 0, 5, 0 }, { 2, 0, 5, 1 } } },
		/* up: 2 hosts to one, 2 * 5 packets at its link; down: 2 messages of one host */
		{ "a tree up and down", 4, 2, 18,
		  { { 1, 0, 5, 0 }, { 2, 0, 5, 0 }, { 0, 1, 5, 2 }, { 0, 2, 5, 2 } } },
	};
	const struct moore_sim_message unordered[] = { { 0, 1, 1, 1 }, { 0, 1, 1, 0 } };
	const struct moore_sim_traffic wrong = { .message = unordered, .n_messages = 2 };
	struct bed b = bed_of("hyperx", "s1=2 s2=2 p=3", 0);
	const struct moore_sim_point point = { .traffic = &wrong };
	struct moore_sim_result x;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		const uint64_t want = T[i].times * alone(&b.o, 0) + (uint64_t)T[i].more * b.o.packet;
		uint64_t packets = 0;

		x = exchange(&b, T[i].m, T[i].n);
		for (uint32_t k = 0; k < T[i].n; k++)
			packets += T[i].m[k].packets;
		CHECK_EQ(T[i].why, x.completion, want);
		CHECK_EQ(T[i].why, x.packets, packets);
		CHECK(T[i].why, x.share > 0 && x.share <= 1 && !x.stalled && !x.dropped);
	}
	x = exchange(&b, &(struct moore_sim_message){ 0, 1, 3, 1 }, 1);
	CHECK("a message that waits for ever", x.completion == 0 && x.share == 0 && !x.stalled);
	CHECK_EQ("order", moore_simulate(&x, &point, 1, &b.tables, &b.o, NULL, NULL), -MOORE_EINVAL);
	bed_free(&b);
}

/* By hand for hosts at one switch, where p packets have `alone` and p - 1 packet times: a ring of three sends
 * a part in each of 4 phases; at the root of a tree of three, 2 p packets come in and 2 p go out. */
static void
test_messages(void **state)
{
	static const struct { enum moore_sim_exchange x; uint32_t n, p, messages, times, more; } T[] = {
		{ MOORE_SIM_ALL_TO_ALL, 2, 7, 2, 1, 6 }, { MOORE_SIM_NEIGHBOURS, 2, 7, 2, 1, 6 },
		{ MOORE_SIM_NEIGHBOURS, 3, 7, 6, 1, 13 }, { MOORE_SIM_RING, 2, 7, 4, 2, 12 },
		{ MOORE_SIM_RING, 3, 5, 12, 4, 16 }, { MOORE_SIM_TREE, 2, 7, 2, 2, 12 },
		{ MOORE_SIM_TREE, 3, 5, 4, 2, 18 },
	};
	struct bed b = bed_of("hyperx", "s1=2 s2=2 p=3", 0);
	struct moore_sim_message *m;
	struct moore_err err;
	uint32_t n;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		assert_int_equal(moore_sim_messages(&m, &n, T[i].x, b.node, T[i].n, NULL, T[i].p, 1, NULL), 0);
		CHECK_EQ("messages", n, T[i].messages);
		CHECK_EQ(moore_sim_exchange_name(T[i].x), exchange(&b, m, n).completion,
			 T[i].times * alone(&b.o, 0) + (uint64_t)T[i].more * b.o.packet);
		free(m);
	}
	for (enum moore_sim_exchange x = 0; x < MOORE_N_SIM_EXCHANGES; x++) {
		struct moore_sim_result done;

		assert_int_equal(moore_sim_messages(&m, &n, x, b.node, b.f->n_endpoints, NULL, 3, test_seed(), NULL), 0);
		done = exchange(&b, m, n);
		CHECK("all come", done.completion && done.packets == (uint64_t)n * 3);
		free(m);
		CHECK_OOM("messages", moore_sim_messages(&m, &n, x, b.node, 5, NULL, 3, 1, NULL), free(m));
	}
	/* By hand: process 4 of 3 x 4 x 1 is (1, 1, 0), next to (2, 1, 0), (0, 1, 0), (1, 2, 0) and (1, 0, 0). */
	assert_int_equal(moore_sim_messages(&m, &n, MOORE_SIM_NEIGHBOURS, b.node, 12, (uint32_t[]){ 3, 4, 1 }, 1, 1, NULL), 0);
	CHECK_EQ("four neighbours each", n, 48);
	CHECK("of process 4", m[16].to == 5 && m[17].to == 3 && m[18].to == 7 && m[19].to == 1 && m[19].from == 4);
	free(m);
	assert_int_equal(moore_sim_messages(&m, &n, MOORE_SIM_NEIGHBOURS, b.node, 12, (uint32_t[]){ 2, 2, 3 }, 1, 1, NULL), 0);
	CHECK_EQ("two sides of two", n, 48);
	free(m);
	CHECK_EQ("another torus", moore_sim_messages(&m, &n, MOORE_SIM_NEIGHBOURS, b.node, 12, (uint32_t[]){ 3, 4, 2 }, 1, 1, &err),
		 -MOORE_EINVAL);
	CHECK_STR("why", err.text, "a torus of 3 x 4 x 2 is not one of 12 processes");
	CHECK_OOM("torus", moore_sim_messages(&m, &n, MOORE_SIM_NEIGHBOURS, b.node, 12, (uint32_t[]){ 3, 4, 1 }, 1, 1, NULL), free(m));
	CHECK_EQ("alone", moore_sim_messages(&m, &n, MOORE_SIM_RING, b.node, 1, NULL, 1, 1, &err), -MOORE_EINVAL);
	CHECK("past the last", !moore_sim_exchange_name(MOORE_N_SIM_EXCHANGES) && !m);
	bed_free(&b);
}

/* All to all with random offsets and one place in each buffer: the books at every step to the end. */
static void
test_exchange_audit(void **state)
{
	struct bed b = bed_of("slimfly", "q=3 p=2", 1);
	const uint32_t n = b.f->n_endpoints;
	struct moore_sim_message *m = calloc((size_t)n * n, sizeof(*m));
	struct moore_sim_traffic t = { .message = m };
	const struct moore_sim_point point = { .routing = MOORE_SIM_INR, .traffic = &t };
	uint32_t *slot;
	struct sim s;
	(void)state;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 1; k < n; k++)
			m[t.n_messages++] = (struct moore_sim_message){ i, (i + k) % n, 2, k / 4 };
	b.o.seed = test_seed();
	b.o.buffer = b.o.out_queue = 1;
	assert_int_equal(moore_sim_init(&s, &point, &b.tables, &b.o, NULL), 0);
	slot = calloc((size_t)s.n_channels * s.n_vl, sizeof(*slot));
	while (moore_sim_step(&s))
		if (moore_sim_audit(&s, slot))
			fail_msg("exchange: %s", moore_sim_audit(&s, slot));
	CHECK_EQ("all packets", s.received, 2 * (uint64_t)t.n_messages);
	CHECK_EQ("all messages", s.n_open, 0);
	free(slot);
	free(m);
	moore_sim_fini(&s);
	bed_free(&b);
}

/* ---- deadlock --------------------------------------------------------------------------------------- */

/* Every packet goes round the ring in one direction. */
static struct moore_lft *
one_way(const struct moore_fabric *f)
{
	struct moore_lft *t;

	assert_int_equal(moore_lft_new(&t, f->n_switches, f->lid_top, NULL), 0);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

			if (port->role == MOORE_ROLE_SWITCH && port->peer == (s + 1) % f->n_switches)
				memset(moore_lft_row(t, s), (int)p, t->stride);
		}
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		moore_lft_row(t, f->ep[e].sw)[f->ep[e].lid] = f->ep[e].port;
	return t;
}

static void
test_ring(void **state)
{
	struct bed b = bed_of("torus", "a=8", 0);
	struct moore_lft *lft = one_way(b.f);
	struct moore_sl2vl *one;
	struct moore_sim_result x;
	(void)state;

	b.o.seed = test_seed();
	assert_int_equal(moore_sl2vl_new(&one, b.f, NULL), 0);
	x = simulate(&b, MOORE_SIM_MIN, &b.uniform, 1);
	CHECK("the tables of moore", !x.stalled && !x.dropped && x.accepted > 0.2);
	b.tables.lft = lft;
	b.tables.sl2vl = one;
	for (b.o.queues = 0; b.o.queues < MOORE_N_SIM_QUEUES; b.o.queues++) {
		x = simulate(&b, MOORE_SIM_MIN, &b.uniform, 1);
		CHECK("round on one lane", x.stalled && !x.dropped);
		CHECK_EQ("all of the ring", x.stuck, 8);
		CHECK("a port of the ring",
		      moore_fabric_port(b.f, x.stuck_sw, x.stuck_port)->role == MOORE_ROLE_SWITCH);
		CHECK_EQ("lane", x.stuck_vl, 0);
		CHECK("nothing more is received", x.accepted < 0.01);
		x = simulate(&b, MOORE_SIM_MIN, &b.uniform, 0.05);
		CHECK("a ring with little traffic moves", !x.stalled && !x.saturated);
	}
	moore_sl2vl_free(one);
	moore_lft_free(lft);
	bed_free(&b);
}

/* What the checker accepts never stalls, though a buffer has room for one packet. */
static void
test_sound(void **state)
{
	static const struct { const char *family, *params; uint8_t lmc; } T[] = {
		{ "slimfly", "q=5 p=4", 2 }, { "oft", "k=4", 2 }, { "mlfm", "h=4", 2 }, { "torus", "a=4 b=4 p=2", 1 },
		{ "dragonfly", "a=4 h=2", 1 }, { "jellyfish", "n=20 k=4 p=3", 2 },
	};
	const uint64_t seed = test_seed();
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i += test_stride())
		for (enum moore_sim_routing r = 0; r < MOORE_N_SIM_ROUTINGS; r++) {
			struct bed b = bed_of(T[i].family, T[i].params, T[i].lmc);
			struct moore_sim_result x;

			b.o.seed = seed;
			b.o.buffer = b.o.out_queue = 1;
			b.o.length = 500;
			for (b.o.queues = 0; b.o.queues < MOORE_N_SIM_QUEUES; b.o.queues++) {
				x = simulate(&b, r, &b.uniform, 1);
				CHECK(T[i].params, !x.stalled && !x.dropped && x.accepted > 0.05);
			}
			bed_free(&b);
		}
}

/* Packets go on between other nodes while the ring stands, so no pause would tell of it. */
static void
partial_stall(enum moore_sim_queues queues)
{
	struct bed b = bed_of("torus", "a=8 p=2", 0);
	struct moore_lft *lft = one_way(b.f);
	struct moore_sim_flow flow[16];
	const struct moore_sim_traffic t = { .flow = flow, .n_flows = 16 };
	const struct moore_sim_point point = { .traffic = &t, .load = 1 };
	struct moore_sl2vl *one;
	uint32_t where, stuck = 0;
	uint64_t received;
	uint32_t *mark;
	struct sim s;

	for (uint32_t i = 0; i < 16; i++)
		flow[i] = (struct moore_sim_flow){ i, i % 2 ? i : (i + 6) % 16 };
	assert_int_equal(moore_sl2vl_new(&one, b.f, NULL), 0);
	b.tables.lft = lft;
	b.tables.sl2vl = one;
	b.o.seed = test_seed();
	b.o.queues = queues;
	assert_int_equal(moore_sim_init(&s, &point, &b.tables, &b.o, NULL), 0);
	mark = calloc((size_t)s.n_ports * s.n_vl, sizeof(*mark));
	while (!stuck && moore_sim_step(&s)) {
		memset(mark, 0, (size_t)s.n_ports * s.n_vl * sizeof(*mark));
		stuck = moore_sim_find_stall(&s, mark, &where);
	}
	CHECK_EQ("the ring", stuck, 8);
	received = s.received;
	for (unsigned i = 0; i < 100000 && moore_sim_step(&s); i++)
		;
	CHECK("others receive", s.received > received + 1000);
	memset(mark, 0, (size_t)s.n_ports * s.n_vl * sizeof(*mark));
	CHECK_EQ("the ring stands for ever", moore_sim_find_stall(&s, mark, &where), 8);
	free(mark);
	moore_sim_fini(&s);
	moore_sl2vl_free(one);
	moore_lft_free(lft);
	bed_free(&b);
}

static void
test_partial_stall(void **state)
{
	(void)state;
	for (enum moore_sim_queues q = 0; q < MOORE_N_SIM_QUEUES; q++)
		partial_stall(q);
}

/* Rows without a port, and rows that lead round for ever. */
static void
test_dropped(void **state)
{
	const struct moore_sim_flow flow[] = { { 0, 5 } };
	const struct moore_sim_traffic t = { .flow = flow, .n_flows = 1 };
	struct bed b = bed_of("torus", "a=8", 0);
	struct moore_lft *lft = one_way(b.f);
	struct moore_sim_result x;
	(void)state;

	b.tables.lft = lft;
	moore_lft_row(lft, b.f->ep[5].sw)[b.f->ep[5].lid] = MOORE_NO_PATH;
	x = simulate(&b, MOORE_SIM_MIN, &t, 0.1);
	CHECK("no path", x.dropped > 100 && x.packets == 0 && x.drop_sw == b.f->ep[5].sw &&
	      x.drop_lid == b.f->ep[5].lid);
	moore_lft_row(lft, b.f->ep[5].sw)[b.f->ep[5].lid] = moore_lft_row(lft, b.f->ep[5].sw)[b.f->ep[0].lid];
	x = simulate(&b, MOORE_SIM_MIN, &t, 0.01);
	CHECK("a loop", x.dropped > 10 && x.packets == 0 && x.hops > 60 * x.dropped);
	moore_lft_row(lft, b.f->ep[5].sw)[b.f->ep[5].lid] = b.f->ep[5].port;
	moore_lft_row(lft, b.f->ep[3].sw)[b.f->ep[5].lid] = b.f->ep[3].port;
	x = simulate(&b, MOORE_SIM_MIN, &t, 0.1);
	CHECK("a wrong node", x.dropped > 100 && x.packets == 0);
	moore_lft_free(lft);
	bed_free(&b);
}

/* ---- changes during the run --------------------------------------------------------------------- */

/* The tables of a plan whose links are cut at one end each, and the steps to them from those of b. */
struct cut {
	struct moore_fabric *f;
	struct moore_engine_result *r;
	struct moore_engine_steps *there, *back;
};

static struct cut
cut_of(const struct bed *b, const char *family, const char *params, const struct moore_sim_link *link, size_t n)
{
	struct moore_plan *p = plan_of(family, params);
	struct moore_motion_opts opts = { .sl2vl = b->r->sl2vl };
	struct moore_conf conf;
	struct cut c;

	moore_conf_defaults(&conf);
	assert_int_equal(moore_fabric_copy(&c.f, b->f, NULL), 0);
	for (size_t i = 0; i < n; i++)
		moore_fabric_cut(c.f, link[i].sw, link[i].port);
	assert_int_equal(moore_engine_run(&c.r, c.f, p, &conf, NULL, NULL, NULL), 0);
	assert_int_equal(moore_engine_steps(&c.there, c.f, &(struct moore_held){ .lft = b->r->lft }, c.r->lft, &opts,
					    NULL), 0);
	assert_int_equal(moore_engine_steps(&c.back, b->f, &(struct moore_held){ .lft = c.r->lft }, b->r->lft, &opts,
					    NULL), 0);
	moore_plan_free(p);
	return c;
}

static void
cut_free(struct cut *c)
{
	moore_engine_steps_free(c->there);
	moore_engine_steps_free(c->back);
	moore_engine_result_free(c->r);
	moore_fabric_free(c->f);
}

/* Links go down, steps follow, the links come up again, steps follow. */
static struct moore_sim_script
script_of(const struct bed *b, const struct cut *c, const struct moore_sim_link *link, size_t n, bool safe)
{
	const struct moore_sim_turn turn[] = {
		{ .at = 100 * b->o.packet, .kind = MOORE_SIM_DOWN, .link = link, .n_links = n, .was = b->r->lft,
		  .now = c->r->lft, .motion = safe ? c->there->motion : NULL },
		{ .at = 300 * b->o.packet, .kind = MOORE_SIM_UP, .link = link, .n_links = n, .was = c->r->lft,
		  .now = b->r->lft, .motion = safe ? c->back->motion : NULL },
	};
	const struct moore_sim_pace pace = { .detect = 20 * b->o.packet, .step = 10 * b->o.packet,
					     .wait = 5 * b->o.packet, .seed = b->o.seed };
	struct moore_sim_script s;

	CHECK_OOM("script", moore_sim_script_make(&s, turn, 2, &pace, NULL), free(s.change));
	assert_int_equal(moore_sim_script_make(&s, turn, 2, &pace, NULL), 0);
	return s;
}

/* A port of switch w that leads to another switch. */
static struct moore_sim_link
link_of(const struct moore_fabric *f, moore_swid w)
{
	struct moore_sim_link l = { w, 1 };

	while (moore_fabric_port(f, w, l.port)->role != MOORE_ROLE_SWITCH)
		l.port++;
	return l;
}

/* Links from switch w to the node of a LID, plus 1, by its rows as they are now; where these do not lead to a node,
 * what stands for that. */
static unsigned
walk(const struct sim *s, moore_swid w, moore_lid lid)
{
	for (unsigned hops = 1; hops < MOORE_HOPS_MAX; hops++) {
		const uint8_t out = moore_lft_row(s->lft, w)[lid];
		const struct moore_port *p = out > s->f->sw[w].n_ports ? NULL : moore_fabric_port(s->f, w, out);

		if (!p || p->role != MOORE_ROLE_SWITCH)
			return p && p->role == MOORE_ROLE_ENDPOINT ? hops + 1 : MOORE_HOPS_MAX + 1;
		w = p->peer;
	}
	return MOORE_HOPS_MAX + 1;
}

/* What UGAL remembers of the lengths of routes is true after each change of a row. */
static void
audit_lengths(const struct sim *s)
{
	for (moore_swid w = 0; w < s->f->n_switches; w++)
		for (moore_lid lid = 0; lid < s->lft->stride; lid++) {
			const uint8_t far = s->far[(size_t)w * s->lft->stride + lid];

			if (far && far != walk(s, w, lid))
				fail_msg("the route from switch %u to LID %u has %u links, not %u", w, lid, walk(s, w, lid) - 1,
					 far - 1u);
		}
}

/* At each event: what was made was received, was lost, or is counted where it is. */
static void
audit_cut(struct bed *b, const struct moore_sim_script *script, enum moore_sim_routing routing)
{
	const struct moore_sim_point point = { .routing = routing, .traffic = &b->uniform, .load = 0.7, .script = script };
	uint32_t *slot;
	size_t made = 0;
	struct sim s;

	assert_int_equal(moore_sim_init(&s, &point, &b->tables, &b->o, NULL), 0);
	slot = calloc((size_t)s.n_channels * s.n_vl, sizeof(*slot));
	while (moore_sim_step(&s)) {
		if (moore_sim_audit(&s, slot))
			fail_msg("%s: %s", moore_sim_routing_name(routing), moore_sim_audit(&s, slot));
		if (s.far && s.changes->next > made)
			audit_lengths(&s);
		made = s.changes->next;
	}
	CHECK_EQ("all changes are made", s.changes->next, script->n);
	for (size_t i = 0; i < s.f->n_switches * s.lft->stride; i++)
		if (s.lft->row[i] != b->r->lft->row[i] || s.changes->left[i])
			fail_msg("the tables at the end are not those of the beginning");
	CHECK("packets are lost", s.changes->phase[1].lost[MOORE_SIM_LOST_PORT] > 0);
	s.changes->phase[1].lost[MOORE_SIM_LOST_LOOP]++;
	CHECK_STR("a wrong count is found", moore_sim_audit(&s, slot), "phases");
	free(slot);
	moore_sim_fini(&s);
}

static void
test_cut_audit(void **state)
{
	static const struct { const char *family, *params; uint8_t lmc; uint32_t buffer; enum moore_sim_queues queues; } T[] = {
		{ "slimfly", "q=3 p=2", 1, 2, MOORE_SIM_FIFO }, { "torus", "a=4 b=4 p=1", 0, 1, MOORE_SIM_VOQ },
		{ "oft", "k=3", 1, 4, MOORE_SIM_VOQ },
	};
	static const enum moore_sim_routing routing[] = {
		MOORE_SIM_MIN, MOORE_SIM_ALL, MOORE_SIM_UGAL, MOORE_SIM_UGAL_G, MOORE_SIM_UGAL_MIDDLE,
	};
	const uint64_t seed = test_seed();
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		for (int safe = 0; safe < 2; safe++) {
			struct bed b = bed_of(T[i].family, T[i].params, T[i].lmc);
			const struct moore_sim_link link[] = { link_of(b.f, 0), link_of(b.f, b.f->n_switches - 1) };
			struct cut c = cut_of(&b, T[i].family, T[i].params, link, 2);
			struct moore_sim_script script;

			b.o.seed = seed;
			b.o.length = 512;
			b.o.buffer = T[i].buffer;
			b.o.queues = T[i].queues;
			script = script_of(&b, &c, link, 2, safe);
			for (size_t k = 0; k < ARRAY_LEN(routing); k += test_stride())
				audit_cut(&b, &script, routing[k]);
			free(script.change);
			cut_free(&c);
			bed_free(&b);
		}
}

/* By hand: one flow over one link between two switches.  While the link is down all that arrives is lost at its
 * port, after that nothing is. */
static void
test_cut_counts(void **state)
{
	struct bed b = bed_of("hyperx", "s1=2 s2=2 p=1", 0);
	const struct moore_sim_flow flow = { 0, 1 };
	const struct moore_sim_traffic t = { .flow = &flow, .n_flows = 1 };
	const uint8_t out = moore_lft_row(b.r->lft, b.f->ep[0].sw)[b.f->ep[1].lid];
	const uint64_t packet = b.o.packet, down = 1000 * packet, up = 3000 * packet;
	struct moore_sim_change change[] = {
		{ .at = down, .kind = MOORE_SIM_PHASE },
		{ .at = down, .kind = MOORE_SIM_DOWN, .sw = b.f->ep[0].sw, .port = out },
		{ .at = up, .kind = MOORE_SIM_PHASE },
		{ .at = up, .kind = MOORE_SIM_UP, .sw = b.f->ep[0].sw, .port = out },
	};
	const struct moore_sim_script script = { change, ARRAY_LEN(change) };
	struct moore_sim_point point = { .traffic = &t, .load = 1, .script = &script };
	struct moore_sim_result x;
	const struct moore_sim_phase *p = x.phase;
	(void)state;

	assert_int_equal(moore_fabric_port(b.f, b.f->ep[0].sw, out)->role, MOORE_ROLE_SWITCH);
	b.o.length = 6400;
	assert_int_equal(moore_simulate(&x, &point, 1, &b.tables, &b.o, NULL, NULL), 0);
	CHECK_EQ("three phases", x.n_phases, 3);
	CHECK("their times", p[0].from == 0 && p[0].to == down && p[1].to == up && p[2].to == 6400 * packet);
	CHECK_EQ("one was on the wire", p[1].lost[MOORE_SIM_LOST_WIRE], 1);
	CHECK("the others come to a dead port", p[1].lost[MOORE_SIM_LOST_PORT] + 5 > p[1].made &&
	      p[1].made > 1950 && p[1].received < 5);
	CHECK_EQ("no other loss", x.dropped, p[1].lost[MOORE_SIM_LOST_WIRE] + p[1].lost[MOORE_SIM_LOST_PORT]);
	CHECK("then all arrive", p[2].received + 5 > p[2].made && p[2].made > 3300 && p[2].latency_mean > 0);
	CHECK("no row was replaced", !p[0].stale && !p[1].stale && !p[2].stale);
	change[1] = (struct moore_sim_change){ .at = up - 1, .kind = MOORE_SIM_ROW, .sw = b.f->ep[0].sw,
					       .lid = b.f->ep[1].lid, .port = MOORE_NO_PATH };
	assert_int_equal(moore_simulate(&x, &point, 1, &b.tables, &b.o, NULL, NULL), 0);
	CHECK("the row was stale until it changed", p[1].stale > 1950 && p[1].stale <= p[1].made + 1 && !p[0].stale);
	CHECK("no packet has a row then", p[2].lost[MOORE_SIM_LOST_ROW] + 5 > p[2].made && !p[1].lost[MOORE_SIM_LOST_ROW]);
	bed_free(&b);
}

/* Routes on a ring that leave out its link from `gap` to the next switch: no cycle can arise on one lane. */
static struct moore_lft *
line(const struct moore_fabric *f, uint32_t gap)
{
	struct moore_lft *t = one_way(f);
	const uint32_t n = f->n_switches;

	for (moore_swid s = 0; s < n; s++)
		for (moore_epid e = 0; e < f->n_endpoints; e++) {
			const uint32_t from = (s + n - gap - 1) % n, to = (f->ep[e].sw + n - gap - 1) % n;
			const moore_swid next = to > from ? (s + 1) % n : (s + n - 1) % n;

			for (unsigned p = 1; from != to && p <= f->sw[s].n_ports; p++)
				if (moore_fabric_port(f, s, (moore_portnum)p)->role == MOORE_ROLE_SWITCH &&
				    moore_fabric_port(f, s, (moore_portnum)p)->peer == next)
					moore_lft_row(t, s)[f->ep[e].lid] = (uint8_t)p;
		}
	return t;
}

/* A ring on one lane, first without the link from 7 to 0, then without that from 3 to 4.  Each is a line; where
 * switches 4 to 7 have the new rows and 0 to 3 the old ones, the flow of each to the one opposite goes round the ring,
 * four links each, which is a cycle. */
static void
test_cut_stalls(void **state)
{
	struct bed b = bed_of("torus", "a=8", 0);
	struct moore_lft *was = line(b.f, 7), *now = line(b.f, 3);
	struct moore_sim_flow flow[8];
	const struct moore_sim_traffic t = { .flow = flow, .n_flows = 8 };
	struct moore_sim_turn turn = { .at = 100 * b.o.packet, .kind = MOORE_SIM_UP, .was = was, .now = now };
	struct moore_sim_pace pace = { .detect = b.o.packet, .step = 800 * b.o.packet, .wait = 400 * b.o.packet };
	struct moore_sim_script script;
	struct moore_sim_point point = { .traffic = &t, .load = 1, .script = &script };
	struct moore_engine_steps *steps;
	struct moore_sl2vl *one;
	unsigned stalled[2] = { 0, 0 };
	const uint64_t seed = test_seed();
	(void)state;

	assert_int_equal(moore_sl2vl_new(&one, b.f, NULL), 0);
	assert_int_equal(moore_engine_steps(&steps, b.f, &(struct moore_held){ .lft = was }, now,
					    &(struct moore_motion_opts){ .sl2vl = one }, NULL), 0);
	for (uint32_t i = 0; i < 8; i++)
		flow[i] = (struct moore_sim_flow){ i, (i + 4) % 8 };
	b.tables.lft = was;
	b.tables.sl2vl = one;
	b.o.buffer = b.o.out_queue = 4;
	for (unsigned i = 0; i < 10; i++)
		for (int safe = 0; safe < 2; safe++) {
			struct moore_sim_result x;

			pace.seed = b.o.seed = seed + i;
			turn.motion = safe ? steps->motion : NULL;
			assert_int_equal(moore_sim_script_make(&script, &turn, 1, &pace, NULL), 0);
			assert_int_equal(moore_simulate(&x, &point, 1, &b.tables, &b.o, NULL, NULL), 0);
			stalled[safe] += x.stalled;
			CHECK("in the mixture", !x.stalled || (x.stuck > 1 && x.n_phases >= 2 && x.stalled_at > turn.at));
			CHECK("or all arrive in the end", x.stalled || (x.n_phases == 3 && x.phase[2].accepted > 0.2));
			free(script.change);
		}
	CHECK("all rows at once stall in some orders", stalled[0] > 0);
	CHECK_EQ("steps never do", stalled[1], 0);
	moore_engine_steps_free(steps);
	moore_sl2vl_free(one);
	moore_lft_free(was);
	moore_lft_free(now);
	bed_free(&b);
}

static void
test_cut_refused(void **state)
{
	struct bed b = bed_of("torus", "a=4", 0);
	struct moore_sim_change change[] = {
		{ .at = 5, .kind = MOORE_SIM_PHASE }, { .at = 9, .kind = MOORE_SIM_PHASE }, { .at = 10 }, { .at = 11 }, { .at = 12 },
		{ .at = 13 }, { .at = 14 }, { .at = 15 },
	};
	struct moore_sim_script script = { change, 2 };
	struct moore_sim_point point = { .traffic = &b.uniform, .load = 0.5, .script = &script };
	static const struct { const char *why; struct moore_sim_change c; } T[] = {
		{ "no such switch", { .at = 9, .kind = MOORE_SIM_DOWN, .sw = 4, .port = 1 } },
		{ "no such port", { .at = 9, .kind = MOORE_SIM_DOWN, .port = 200 } },
		{ "port 0", { .at = 9, .kind = MOORE_SIM_UP } },
		{ "no such LID", { .at = 9, .kind = MOORE_SIM_ROW, .lid = 10000 } },
		{ "no such kind", { .at = 9, .kind = MOORE_N_SIM_CHANGES } },
		{ "out of order", { .at = 4, .kind = MOORE_SIM_PHASE } },
	};
	const struct moore_sim_turn turn[] = { { .at = 5, .was = b.r->lft, .now = b.r->lft }, { .at = 6, .was = b.r->lft, .now = b.r->lft },
		{ .at = 5000, .was = b.r->lft, .now = b.r->lft }, { .at = 6000, .was = b.r->lft, .now = b.r->lft } };
	const struct moore_sim_pace pace = { .step = 10 }, no_time = { .step = 0 };
	struct moore_sim_result x;
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_simulate(&x, &point, 1, &b.tables, &b.o, NULL, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		change[1] = T[i].c;
		CHECK_EQ(T[i].why, moore_simulate(&x, &point, 1, &b.tables, &b.o, NULL, &err), -MOORE_EINVAL);
		CHECK_STR(T[i].why, err.text, "a script names what the fabric has not");
	}
	change[1] = (struct moore_sim_change){ .at = 9, .kind = MOORE_SIM_PHASE };
	script.n = MOORE_SIM_PHASES;
	CHECK_EQ("too many phases", moore_simulate(&x, &point, 1, &b.tables, &b.o, NULL, NULL), -MOORE_EINVAL);
	CHECK_EQ("too soon", moore_sim_script_make(&script, turn, 2, &pace, &err), -MOORE_EINVAL);
	CHECK_STR("why", err.text, "before the tables of the change before are out");
	CHECK_EQ("no time", moore_sim_script_make(&script, turn, 1, &no_time, NULL), -MOORE_EINVAL);
	CHECK_EQ("too many", moore_sim_script_make(&script, turn, 4, &pace, NULL), -MOORE_EINVAL);
	CHECK("nothing is left", !script.change && !script.n);
	for (enum moore_sim_loss l = 0; l < MOORE_N_SIM_LOSSES; l++)
		CHECK("losses are named", moore_sim_loss_name(l));
	CHECK("past the last", !moore_sim_loss_name(MOORE_N_SIM_LOSSES));
	bed_free(&b);
}

/* ---- the books -------------------------------------------------------------------------------------- */

static void
test_audit(void **state)
{
	static const struct {
		const char *family, *params;
		uint8_t lmc;
		uint32_t buffer, out;
		enum moore_sim_queues queues;
	} T[] = {
		{ "slimfly", "q=5 p=2", 2, 1, 1, MOORE_SIM_FIFO }, { "oft", "k=3", 1, 2, 3, MOORE_SIM_VOQ },
		{ "torus", "a=3 b=3 p=2", 0, 3, 2, MOORE_SIM_FIFO }, { "slimfly", "q=5 p=2", 2, 4, 2, MOORE_SIM_VOQ },
		{ "hyperx", "s1=3 s2=3 p=30", 0, 2, 1, MOORE_SIM_FIFO },
		{ "hyperx", "s1=3 s2=3 p=70", 0, 2, 1, MOORE_SIM_VOQ },
	};
	const uint64_t seed = test_seed();
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		for (enum moore_sim_routing r = 0; r < MOORE_N_SIM_ROUTINGS; r++) {
			struct bed b = bed_of(T[i].family, T[i].params, T[i].lmc);
			const struct moore_sim_point point = { .routing = r, .traffic = &b.uniform, .load = 0.9 };
			uint32_t *slot;
			struct sim s;

			b.o.buffer = T[i].buffer;
			b.o.out_queue = T[i].out;
			b.o.queues = T[i].queues;
			b.o.arbiter = i % 2 ? MOORE_SIM_FARTHEST : MOORE_SIM_TURNS;
			b.o.seed = seed;
			assert_int_equal(moore_sim_init(&s, &point, &b.tables, &b.o, NULL), 0);
			slot = calloc((size_t)s.n_channels * s.n_vl, sizeof(*slot));
			for (unsigned k = 0; k < test_rounds(3000) && moore_sim_step(&s); k++)
				if (moore_sim_audit(&s, slot))
					fail_msg("%s %s: %s", T[i].family, moore_sim_routing_name(r), moore_sim_audit(&s, slot));
			CHECK("many packets", s.made > 20);
			s.n_in[s.channel[s.n_ports].down * s.n_vl]++;
			CHECK("a wrong count is found", moore_sim_audit(&s, slot));
			s.n_in[s.channel[s.n_ports].down * s.n_vl]--;
			s.lines[0] ^= 1;
			CHECK("a wrong set of lines is found", s.n_lines == 1 || moore_sim_audit(&s, slot));
			free(slot);
			moore_sim_fini(&s);
			bed_free(&b);
		}
}

static void
test_same_bits(void **state)
{
	struct bed b = bed_of("slimfly", "q=5 p=2", 2);
	const struct moore_jobs jobs = { test_run_shuffled, 3 };
	struct moore_sim_point point[2 * MOORE_N_SIM_ROUTINGS];
	struct moore_sim_result *x = calloc(2, sizeof(point) / sizeof(*point) * sizeof(*x)), *y = x + ARRAY_LEN(point);
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(point); i++)
		point[i] = (struct moore_sim_point){ .routing = (enum moore_sim_routing)(i / 2), .traffic = &b.uniform,
						      .load = i % 2 ? 0.4 : 0.9 };
	b.o.length = 200;
	b.o.seed = test_seed();
	for (int i = 0; i < 2; i++)
		assert_int_equal(moore_simulate(i ? y : x, point, ARRAY_LEN(point), &b.tables, &b.o,
						i ? &jobs : NULL, NULL), 0);
	CHECK("any jobs", !memcmp(x, y, ARRAY_LEN(point) * sizeof(*x)));
	b.o.seed++;
	assert_int_equal(moore_simulate(y, point, 1, &b.tables, &b.o, NULL, NULL), 0);
	CHECK("another seed", x->latency_mean != y->latency_mean);
	free(x);
	bed_free(&b);
}

/* ---- random numbers and statistics ------------------------------------------------------------------- */

static void
test_exponential(void **state)
{
	struct moore_rng r = { test_seed() };
	const unsigned n = 1000000;
	double sum = 0, squares = 0;
	(void)state;

	for (unsigned i = 0; i < n; i++) {
		const double x = (double)moore_sim_exponential(&r) / 4294967296.0;

		sum += x / n;
		squares += x * x / n;
	}
	CHECK("mean", within(sum, 1, 0.005));
	CHECK("second moment", within(squares, 2, 0.02));
}

/* A run that begins low, and then alternates about its mean: warm-up is the beginning alone. */
static void
test_judge(void **state)
{
	struct sim_block block[MOORE_SIM_BLOCKS] = { { 0 } };
	uint64_t *sum = calloc(SIM_BINS, sizeof(*sum));
	struct moore_sim_result x = { 0 };
	unsigned last = 0;
	(void)state;

	for (uint64_t t = 0; t < 100000; t += 7) {
		CHECK("bins rise", moore_sim_bin_of(t) >= last && moore_sim_bin_of(t) < SIM_BINS);
		last = moore_sim_bin_of(t);
	}
	CHECK("the last bin", moore_sim_bin_of(UINT64_MAX) == SIM_BINS - 1);
	for (unsigned i = 0; i < MOORE_SIM_BLOCKS; i++) {
		block[i].bin = calloc(SIM_BINS, sizeof(uint32_t));
		block[i].received = i < 5 ? 40 : i % 2 ? 99 : 101;
		block[i].offered = 100;
		block[i].latency = block[i].received * (i < 9 ? 100 : 1000);
		block[i].bin[moore_sim_bin_of(i < 9 ? 100 : 1000)] = (uint32_t)block[i].received;
	}
	moore_sim_judge(&x, block, 1280, 20.0 / 128, sum);
	CHECK_EQ("the longer warm-up", x.warm_up, 9 * 1280);
	CHECK("accepted", within(x.accepted, 0.5, 0.002) && within(x.offered, 0.5, 0.001));
	CHECK("the interval of latency", x.latency_ci < 1e-9);
	CHECK("that of accepted is of arrivals at random", within(x.accepted_ci, 1.96 * x.accepted / sqrt((double)x.packets), 1e-3));
	CHECK("latency", within(x.latency_mean, 1000, 1e-9) && within(x.latency_p50, 1000, 0.01) &&
	      within(x.latency_p99, 1000, 0.01) && !x.saturated);
	for (unsigned i = 0; i < MOORE_SIM_BLOCKS; i++)
		block[i].latency = block[i].received * (1000 + 100 * i);
	moore_sim_judge(&x, block, 1280, 20.0 / 128, sum);
	CHECK_EQ("latency grows, so received packets decide", x.warm_up, 5 * 1280);
	for (unsigned i = 0; i < MOORE_SIM_BLOCKS; i++)
		block[i].offered = 103;
	moore_sim_judge(&x, block, 1280, 20.0 / 128, sum);
	CHECK("more is offered than accepted", x.saturated);
	for (unsigned i = 0; i < MOORE_SIM_BLOCKS; i++)
		free(block[i].bin);
	free(sum);
}

/* The packets that the hosts at port p of all switches have yet to send, with half of all received. */
static uint64_t
left_at_half(const struct sim *s, unsigned p)
{
	uint64_t left = 0;

	for (uint32_t e = 0; e < s->f->n_endpoints; e++)
		left += s->f->ep[e].port == p ? s->host[e].left : 0;
	return left;
}

/* Packets that begin their route and those that pass have VLs of their own, and share the outputs.  All ports of a
 * switch get equally many turns, also when these alternate with turns of the other VL. */
static void
test_fair(void **state)
{
	static const struct { const char *family, *params; uint8_t lmc; enum moore_sim_routing routing; } T[] = {
		{ "mlfm", "h=4", 0, MOORE_SIM_MIDDLE }, { "slimfly", "q=5 p=4", 2, MOORE_SIM_INR },
	};
	(void)state;

	for (size_t i = 0; i < 2 * ARRAY_LEN(T); i++) {
		struct bed b = bed_of(T[i / 2].family, T[i / 2].params, T[i / 2].lmc);
		struct moore_sim_traffic t = { NULL };
		const struct moore_sim_point point = { .routing = T[i / 2].routing, .traffic = &t };
		struct moore_sim_message *m;
		uint64_t left[4];
		struct sim s;

		b.o.queues = i % 2;
		b.o.seed = test_seed();
		assert_int_equal(moore_sim_messages(&m, &t.n_messages, MOORE_SIM_ALL_TO_ALL, b.node, b.f->n_endpoints,
						    NULL, 16, 1, NULL), 0);
		t.message = m;
		assert_int_equal(moore_sim_init(&s, &point, &b.tables, &b.o, NULL), 0);
		while (s.received < 8 * (uint64_t)t.n_messages && moore_sim_step(&s))
			;
		for (unsigned p = 0; p < 4; p++)
			left[p] = left_at_half(&s, p + 1);
		for (unsigned p = 1; p < 4; p++)
			CHECK(T[i / 2].family, within((double)left[p], (double)left[0], 0.05));
		free(m);
		moore_sim_fini(&s);
		bed_free(&b);
	}
}

/* Beyond the load at which the fullest link of random offsets is full, what is accepted falls and swings,
 * with either kind of queues: an output that serves its inputs in turn lets packets begin a route as
 * often as others end theirs, and buffers are full of those that began.  Where packets that have gone
 * farthest go first, most of what the fullest link allows is accepted, at any time. */
static void
test_swings(void **state)
{
	struct bed b = bed_of("slimfly", "q=5", 2);
	(void)state;

	b.o.seed = test_seed();
	for (b.o.queues = 0; b.o.queues < MOORE_N_SIM_QUEUES; b.o.queues += test_stride()) {
		struct moore_sim_result x;
		double turns;

		b.o.arbiter = MOORE_SIM_TURNS;
		b.o.length = 6400;
		x = simulate(&b, MOORE_SIM_INR, &b.uniform, 0.65);
		CHECK("carried", !x.saturated && x.accepted_ci < 0.01);
		turns = simulate(&b, MOORE_SIM_INR, &b.uniform, 0.95).accepted;
		b.o.arbiter = MOORE_SIM_FARTHEST;
		x = simulate(&b, MOORE_SIM_INR, &b.uniform, 0.95);
		CHECK("no less, at any time", x.accepted - x.accepted_ci > 0.65);
		CHECK("turns accept less where more is offered", turns < 0.95 * x.accepted);
	}
	bed_free(&b);
}

/* ---- refusals ---------------------------------------------------------------------------------------- */

static void
test_refused(void **state)
{
	struct bed b = bed_of("hyperx", "s1=2 s2=2 p=2", 0), other = bed_of("hyperx", "s1=2 s2=3 p=2", 0);
	const struct moore_sim_traffic none = { .node = b.node, .n_nodes = 1 };
	struct moore_sim_point point = { .traffic = &b.uniform, .load = 1.5 };
	struct moore_sim_tables bad = b.tables;
	struct moore_sim_opts o = b.o;
	struct moore_sim_result x;
	struct moore_err err;
	(void)state;

#define REFUSED(part) do { \
		CHECK_EQ(part, moore_simulate(&x, &point, 1, &bad, &o, NULL, &err), \
			 -MOORE_EINVAL); \
		CHECK_STR("why", err.text, part); \
	} while (0)
	REFUSED("give a load of 0.001 to 1");
	point.load = 0.5;
	bad = other.tables;
	bad.f = b.f;
	REFUSED("another fabric");
	bad = b.tables;
	o.buffer = 0;
	REFUSED("buffer is 0: give 1 to");
	o = b.o;
	o.queues = MOORE_N_SIM_QUEUES;
	REFUSED("queues is 2: give 0 to 1");
	o = b.o;
	o.ugal_weight = -1;
	REFUSED("give a ugal_weight of 0 to");
	o = b.o;
	o.arbiter = MOORE_N_SIM_ARBITERS;
	REFUSED("arbiter is 2: give 0 to 1");
	o = b.o;
	o.buffer = 4000;
	o.memory = 1 << 20;
	REFUSED("the bound is 1 MB");
	o = b.o;
	point.traffic = &none;
	REFUSED("fewer than two nodes");
	point.traffic = &b.uniform;
	o.length = 64;
	o.buffer = 1;
	CHECK_OOM("simulate", moore_simulate(&x, &point, 1, &b.tables, &o, NULL, NULL), (void)0);
	for (enum moore_sim_routing r = 0; r < MOORE_N_SIM_ROUTINGS; r++)
		CHECK("named", moore_sim_routing_name(r) && moore_sim_routing_help(r) &&
		      moore_sim_routing_programmable(r) == (r != MOORE_SIM_UGAL && r != MOORE_SIM_UGAL_G &&
							    r != MOORE_SIM_MIDDLE && r != MOORE_SIM_UGAL_MIDDLE &&
							    r != MOORE_SIM_PAR));
	CHECK("detours are named", moore_sim_detour_name(MOORE_SIM_DETOUR_VALIANT3) && !moore_sim_detour_name(MOORE_N_SIM_DETOURS));
	CHECK("arbiters are named", moore_sim_arbiter_name(MOORE_SIM_TURNS) &&
	      moore_sim_arbiter_name(MOORE_SIM_FARTHEST) && !moore_sim_arbiter_name(MOORE_N_SIM_ARBITERS));
	CHECK("queues are named", moore_sim_queues_name(MOORE_SIM_VOQ) && !moore_sim_queues_name(MOORE_N_SIM_QUEUES));
	CHECK("past the last", !moore_sim_routing_name(MOORE_N_SIM_ROUTINGS) &&
	      !moore_sim_routing_help(MOORE_N_SIM_ROUTINGS));
	bed_free(&b);
	bed_free(&other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_queue), cmocka_unit_test(test_many_to_one),
		cmocka_unit_test(test_input_queues), cmocka_unit_test(test_alone), cmocka_unit_test(test_weights),
		cmocka_unit_test(test_middle), cmocka_unit_test(test_middles_even), cmocka_unit_test(test_detours),
		cmocka_unit_test(test_par), cmocka_unit_test(test_rates), cmocka_unit_test(test_ugal), cmocka_unit_test(test_ugal_costs),
		cmocka_unit_test(test_shares), cmocka_unit_test(test_exchange), cmocka_unit_test(test_exchange_audit),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_ring), cmocka_unit_test(test_sound), cmocka_unit_test(test_partial_stall),
		cmocka_unit_test(test_dropped), cmocka_unit_test(test_cut_audit), cmocka_unit_test(test_cut_counts),
		cmocka_unit_test(test_cut_stalls), cmocka_unit_test(test_cut_refused), cmocka_unit_test(test_audit),
		cmocka_unit_test(test_same_bits), cmocka_unit_test(test_fair), cmocka_unit_test(test_swings), cmocka_unit_test(test_exponential), cmocka_unit_test(test_judge),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}

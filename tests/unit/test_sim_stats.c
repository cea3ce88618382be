// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_sim_stats.c - percentiles against sorted numbers and a distribution with a formula, and how often the
 * confidence intervals of a simulation hold the known mean. */
#include <math.h>

#include "harness.h"
#include "sim_bed.h"
#include "sim/sim_impl.h"

/* A host sends to its neighbour at the switch: its source queue is M/D/1. */
static const struct moore_sim_flow one_flow = { 0, 1 };
static const struct moore_sim_traffic one_queue = { .flow = &one_flow, .n_flows = 1 };

/* Ticks of a packet alone between two hosts of a switch. */
static double
alone(const struct moore_sim_opts *o)
{
	return 2 * o->wire + o->sw + o->packet;
}

/* ---- percentiles -------------------------------------------------------------------------------- */

static int
cmp_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Numbers of all magnitudes, of which each share has an exact place when they are sorted. */
static void
test_sorted(void **state)
{
	static const double share[] = { 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1 };
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (unsigned round = 0; round < test_rounds(200); round++) {
		const uint32_t n = 1 + moore_rng_below(&rng, round % 2 ? 5000 : 20);
		const unsigned top = 1 + moore_rng_below(&rng, 40);
		uint64_t *x = calloc(n, sizeof(*x));
		uint64_t *bin = calloc(SIM_BINS, sizeof(*bin));

		for (uint32_t i = 0; i < n; i++) {
			x[i] = moore_rng_next(&rng) >> (64 - top) >> moore_rng_below(&rng, top);
			bin[moore_sim_bin_of(x[i])]++;
		}
		qsort(x, n, sizeof(*x), cmp_numbers);
		for (size_t k = 0; k < ARRAY_LEN(share); k++) {
			const double want = (double)x[(uint32_t)ceil(share[k] * n) - 1];
			const double got = moore_sim_percentile(bin, n, share[k]);

			if (fabs(got - want) > 0.01 * want)
				fail_msg("%g of %u numbers: %f is not %f", share[k], n, got, want);
		}
		free(x);
		free(bin);
	}
}

/* The share of packets that wait at most t packet times in M/D/1 (Erlang 1909). */
static double
waits_at_most(double load, double t)
{
	double sum = 0, term;

	for (unsigned k = 0; k <= (unsigned)t; k++) {
		term = exp(load * (t - k));
		for (unsigned i = 1; i <= k; i++)
			term *= load * (k - t) / i;
		sum += term;
	}
	return (1 - load) * sum;
}

static double
wait_of_share(double load, double share)
{
	double low = 0, high = 64;

	while (high - low > 1e-6) {
		const double middle = (low + high) / 2;

		if (waits_at_most(load, middle) < share)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static void
test_waits(void **state)
{
	static const double load[] = { 0.2, 0.5, 0.8 };
	struct bed b = bed_of("hyperx", "s1=2 s2=2 p=2", 0);
	(void)state;

	b.o.seed = test_seed();
	b.o.length = 4000000;
	for (size_t i = 0; i < ARRAY_LEN(load); i++) {
		const struct moore_sim_result x = simulate(&b, MOORE_SIM_MIN, &one_queue, load[i]);
		const double p50 = alone(&b.o) + b.o.packet * wait_of_share(load[i], 0.5);
		const double p99 = alone(&b.o) + b.o.packet * wait_of_share(load[i], 0.99);

		CHECK("p50 of M/D/1", fabs(x.latency_p50 - p50) < 0.01 * p50);
		CHECK("p99 of M/D/1", fabs(x.latency_p99 - p99) < 0.02 * p99);
	}
	bed_free(&b);
}

/* ---- confidence intervals --------------------------------------------------------------------------- */

struct held {			/* of n runs: how many gave an interval of latency, and what held its known mean */
	unsigned n, given, latency, accepted;
};

/* Runs with seeds of their own, of the queue whose mean M/D/1 has. */
static struct held
run_often(struct bed *b, double load, uint32_t length, unsigned n, uint64_t seed)
{
	const double mean = alone(&b->o) + b->o.packet * load / (2 * (1 - load));
	struct held h = { .n = n };

	b->o.length = length;
	for (unsigned k = 0; k < n; k++) {
		struct moore_sim_result x;

		b->o.seed = seed + k;
		x = simulate(b, MOORE_SIM_MIN, &one_queue, load);
		h.given += x.latency_ci_known;
		h.latency += x.latency_ci_known && fabs(x.latency_mean - mean) <= x.latency_ci;
		h.accepted += fabs(x.accepted - load) <= x.accepted_ci;
	}
	print_message("# load %.2f, length %u: %u runs, %u intervals of latency, %u hold the mean; %u of accepted hold the "
		      "load\n", load, length, n, h.given, h.latency, h.accepted);
	return h;
}

/* A run that is long enough for an interval of latency gives one that holds the mean nearly always, at any load; a run
 * that is too short gives none.  Of what is accepted, all runs give one, unless the run of bad luck looks saturated. */
static void
test_coverage(void **state)
{
	static const struct { double load; uint32_t length; unsigned rounds; bool given; } T[] = {
		{ 0.2, 3200, 200, true }, { 0.5, 3200, 200, true }, { 0.5, 32000, 200, true },
		{ 0.8, 3200, 200, false }, { 0.8, 13000, 200, true }, { 0.9, 3200, 200, false },
		{ 0.95, 3200, 200, false }, { 0.95, 25600, 100, false }, { 0.95, 210000, 40, true },
		{ 0.98, 3200, 200, false }, { 0.98, 102400, 20, false }, { 0.98, 1300000, 0, true },
	};
	struct bed b = bed_of("hyperx", "s1=2 s2=2 p=2", 0);
	const uint64_t seed = test_seed();
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		/* At 0.98, only the soak runs long enough. */
		const unsigned n = T[i].rounds ? test_rounds(T[i].rounds) : getenv("MOORE_SOAK") ? 200 : 0;
		const struct held h = run_often(&b, T[i].load, T[i].length, n, seed);

		CHECK("an interval where the run is long enough", T[i].given ? h.given > 0.98 * n - 1 : !h.given);
		CHECK("it holds the mean", h.latency >= 0.85 * h.given);
		CHECK("accepted", h.accepted >= 0.85 * n);
	}
	bed_free(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorted), cmocka_unit_test(test_waits), cmocka_unit_test(test_coverage),
	};

	return cmocka_run_group_tests_name("sim_stats", tests, NULL, NULL);
}

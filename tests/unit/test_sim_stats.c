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

/* Of many runs with seeds of their own, some 95 % have an interval that holds the mean which M/D/1 has; runs are long
 * enough for ten parts that hardly depend on each other. */
static void
test_coverage(void **state)
{
	static const double load[] = { 0.2, 0.5 };
	const unsigned n = 300;
	struct bed b = bed_of("hyperx", "s1=2 s2=2 p=2", 0);
	const uint64_t seed = test_seed();
	(void)state;

	b.o.length = 32000;
	for (size_t i = 0; i < ARRAY_LEN(load); i++) {
		const double mean = alone(&b.o) + b.o.packet * load[i] / (2 * (1 - load[i]));
		unsigned latency = 0, accepted = 0;

		for (unsigned k = 0; k < n; k++) {
			struct moore_sim_result x;

			b.o.seed = seed + k;
			x = simulate(&b, MOORE_SIM_MIN, &one_queue, load[i]);
			latency += fabs(x.latency_mean - mean) <= x.latency_ci;
			accepted += fabs(x.accepted - load[i]) <= x.accepted_ci;
		}
		CHECK("latency", latency > 0.88 * n && latency < 0.995 * n);
		CHECK("accepted", accepted > 0.88 * n && accepted < 0.995 * n);
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

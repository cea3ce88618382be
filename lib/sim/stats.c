// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* stats.c - from blocks of equal time to means, percentiles and intervals.
 *
 * Warm-up: MSER (White, "An effective truncation heuristic for bias reduction in simulation output",
 * Simulation 69, 1997).  Of all beginnings up to half of the run, the one is left out after which the
 * squared standard error of the mean of what is left is least; it is asked of received packets and of
 * latency, and the longer counts.  Beyond saturation, latency grows without end and has its least
 * at the limit: then received packets alone decide.
 *
 * Confidence: what is left is cut into batches, whose means are taken as independent.  Of latency, batches of each
 * length are tried that leave LEAST_BATCHES, and the widest interval counts: short ones are too alike where waits are
 * long, and a few long ones may be alike by chance.  Of what is accepted, BATCHES are made; hosts make packets at
 * random instants, so the interval is at least that of as many independent arrivals, unless links decide what is
 * accepted.  Whether the run is long enough for an interval of latency at all: enough.c. */
#include <string.h>

#include "sim/sim_impl.h"

#define BATCHES 10
#define LEAST_BATCHES 6
#define KEEPS_UP 0.99		/* of what is offered; below, source queues grow */
#define NORMAL 1.959964		/* 97.5 % of the normal distribution */

unsigned
moore_sim_bin_of(uint64_t x)
{
	unsigned shift;

	if (x < 1u << SIM_BIN_BITS)
		return (unsigned)x;
	shift = 63 - SIM_BIN_BITS - (unsigned)__builtin_clzll(x);
	return ((shift + 1) << SIM_BIN_BITS) + (unsigned)(x >> shift) - (1u << SIM_BIN_BITS);
}

/* Returns the middle of a bin. */
static double
bin_middle(unsigned bin)
{
	const unsigned shift = bin >> SIM_BIN_BITS, low = bin & ((1u << SIM_BIN_BITS) - 1);

	if (!shift)
		return bin;
	return ((double)((uint64_t)(low + (1u << SIM_BIN_BITS)) << (shift - 1))) +
		((double)((uint64_t)1 << (shift - 1)) - 1) / 2;
}

double
moore_sim_root(double x)
{
	double y = x > 1 ? x : 1;

	for (int i = 0; i < 200 && x > 0; i++) {
		const double better = (y + x / y) / 2;

		if (better >= y)
			break;
		y = better;
	}
	return x > 0 ? y : 0;
}

double
moore_sim_mean_latency(const struct sim_block *b)
{
	return b->received ? (double)b->latency / (double)b->received : 0;
}

static double
received(const struct sim_block *b)
{
	return (double)b->received;
}

/* Returns how many blocks to leave out; *at_end: the best beginning was the last that was tried. */
static unsigned
mser(const struct sim_block *block, double (*of)(const struct sim_block *), bool *at_end)
{
	const unsigned n = MOORE_SIM_BLOCKS;
	double sum = 0, squares = 0, least = 0;
	unsigned best = 0;

	for (unsigned d = n; d-- > 0;) {
		const double x = of(&block[d]), left = n - d;
		double error;

		sum += x;
		squares += x * x;
		error = (squares - sum * sum / left) / (left * left);
		if (d == n / 2 || (d < n / 2 && error <= least)) {
			least = error;
			best = d;
		}
	}
	*at_end = best == n / 2;
	return best;
}

/* 97.5 % of Student's t, by its expansion in the number of degrees of freedom (Abramowitz and Stegun, 26.7.5): within
 * 0.2 % for five and more. */
static double
student(unsigned n)
{
	static const double z = NORMAL, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
	const double m = 4.0 * n;

	return z + (z3 + z) / m + (5 * z5 + 16 * z3 + 3 * z) / (6 * m * m) +
		(3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (6 * m * m * m);
}

/* Half the width of the 95 % interval of the mean of x[0..n-1]. */
static double
interval(const double *x, unsigned n)
{
	double mean = 0, squares = 0;

	for (unsigned i = 0; i < n; i++)
		mean += x[i] / n;
	for (unsigned i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	return student(n - 1) * moore_sim_root(squares / (n - 1) / n);
}

/* Adds up n blocks. */
static struct sim_block
sum_of(const struct sim_block *block, unsigned n)
{
	struct sim_block sum = { 0 };

	for (unsigned i = 0; i < n; i++) {
		sum.received += block[i].received;
		sum.latency += block[i].latency;
		sum.offered += block[i].offered;
	}
	return sum;
}

/* full: packets of a block at full rate. */
static double
accepted_interval(const struct sim_block *block, unsigned first, double full)
{
	const unsigned each = (MOORE_SIM_BLOCKS - first) / BATCHES;
	double x[BATCHES];

	for (unsigned i = 0; i < BATCHES; i++)
		x[i] = (double)sum_of(&block[MOORE_SIM_BLOCKS - (i + 1) * each], each).received / (full * each);
	return interval(x, BATCHES);
}

static double
latency_interval(const struct sim_block *block, unsigned first)
{
	const unsigned left = MOORE_SIM_BLOCKS - first;
	double x[MOORE_SIM_BLOCKS], widest = 0;

	for (unsigned each = 1; left / each >= LEAST_BATCHES; each++) {
		const unsigned n = left / each;
		double width;

		for (unsigned i = 0; i < n; i++) {
			const struct sim_block sum = sum_of(&block[MOORE_SIM_BLOCKS - (i + 1) * each], each);

			x[i] = moore_sim_mean_latency(&sum);
		}
		width = interval(x, n);
		widest = width > widest ? width : widest;
	}
	return widest;
}

void
moore_sim_sum_bins(uint64_t *sum, const struct sim_block *block, unsigned n)
{
	memset(sum, 0, SIM_BINS * sizeof(*sum));
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < SIM_BINS; k++)
			sum[k] += block[i].bin[k];
}

double
moore_sim_percentile(const uint64_t *bin, uint64_t n, double share)
{
	const double rank = share * (double)n;
	uint64_t sum = 0;

	for (unsigned i = 0; i < SIM_BINS; i++) {
		sum += bin[i];
		if (sum && (double)sum >= rank)
			return bin_middle(i);
	}
	return 0;
}

void
moore_sim_judge(struct moore_sim_result *out, const struct sim_block *block, uint64_t block_ticks,
		double full_rate, uint64_t *bin)
{
	const double full = (double)block_ticks * full_rate;	/* packets of a block at full rate */
	bool by_rate, by_latency;
	const unsigned rate = mser(block, received, &by_rate), latency = mser(block, moore_sim_mean_latency, &by_latency);
	const unsigned first = !by_latency && latency > rate ? latency : rate;
	const struct sim_block sum = sum_of(&block[first], MOORE_SIM_BLOCKS - first);
	const double all = full * (MOORE_SIM_BLOCKS - first), by_arrivals = NORMAL * moore_sim_root((double)sum.received) / all;

	moore_sim_sum_bins(bin, &block[first], MOORE_SIM_BLOCKS - first);
	out->warm_up = first * block_ticks;
	out->packets = sum.received;
	out->offered = (double)sum.offered / all;
	out->accepted = (double)sum.received / all;
	out->latency_mean = moore_sim_mean_latency(&sum);
	out->latency_p50 = moore_sim_percentile(bin, sum.received, 0.5);
	out->latency_p99 = moore_sim_percentile(bin, sum.received, 0.99);
	out->latency_ci = latency_interval(block, first);
	out->accepted_ci = accepted_interval(block, first, full);
	out->saturated = out->accepted + out->accepted_ci < KEEPS_UP * out->offered;
	if (!out->saturated && out->accepted_ci < by_arrivals)
		out->accepted_ci = by_arrivals;
}

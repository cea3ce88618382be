// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* enough.c - whether a run is long enough for a confidence interval of its mean latency.
 *
 * Close to saturation, queues change slowly.  A run that is short against that looks steadier than it is,
 * and most of all where it happened to have few busy times, so the scatter of its parts cannot show it.
 * Two things that hardly depend on chance do:
 *
 * A queue is a random walk of arrivals: one that packets wait w packet times in takes about (2 w)^2 of
 * them to become another.  The run must have WALKS such times.  This holds for whatever makes packets
 * wait.
 *
 * A link at a load of x needs 1 / (1 - x)^2 packet times for the same (Whitt, "Planning queueing
 * simulations", Management Science 35, 1989), and its mean wait comes from few long waits, which batches
 * of one queue do not show until it had BUSY such times.  Queues alike have them together; a packet
 * crosses several that are not independent, so of all links that are as full, one counts for as many as
 * a packet crosses.  The load is that of arrivals without end, not of those that the run has drawn:
 * their number and the waits rise together. */
#include "sim/sim_impl.h"

/* Both were chosen by intervals of 400 runs of 1, 4 and 16 queues M/D/1 at loads of 0.2 to 0.98, each of
 * 3,200 to 819,200 packet times: of those that are long enough, 90 to 100 % held the mean.  With 32 and
 * 256, or 64 and 128, it was 88 % of some.  (tests/unit/test_sim_stats.c repeats some of them.) */
#define WALKS 64
#define BUSY 256

#define ALIKE 0.9		/* of the load of the fullest link: it is as full */

/* The mean of what packets wait, in packet times of the fastest link: latency without what a packet alone would take. */
static double
mean_wait(const struct sim *s, double latency)
{
	double alone = 0;

	for (uint32_t i = 0; i < s->n_channels; i++) {
		const struct sim_channel *c = &s->channel[i];

		alone += (double)c->sent * (c->down != MOORE_NONE ? sim_to_crossbar(s, c) : c->wire + c->packet);
	}
	alone /= (double)s->received;
	return latency > alone ? (latency - alone) / s->o.packet : 0;
}

/* What a link would carry in a run without end, as a share of its rate: what a host offers; of other links, what they
 * have carried, less twice the standard deviation of as many arrivals, since the fullest of many is so by chance, too. */
static double
load_of(const struct sim *s, uint32_t i)
{
	const struct sim_channel *c = &s->channel[i];
	const double n = (double)c->sent, sure = n - 2 * moore_sim_root(n);

	if (sim_is_host(s, i))
		return s->host[i - s->n_ports].sends ? s->point.load : 0;
	return sure > 0 ? sure * c->packet / (double)s->end : 0;
}

bool
moore_sim_is_enough(const struct sim *s, const struct moore_sim_result *x)
{
	const double wait = mean_wait(s, x->latency_mean), time = (double)(s->end - x->warm_up) / s->o.packet;
	double load = 0, queues = 0, left;

	for (uint32_t i = 0; i < s->n_channels; i++) {
		const double of = load_of(s, i);

		load = of > load ? of : load;
	}
	for (uint32_t i = 0; i < s->n_channels; i++)
		queues += load_of(s, i) >= ALIKE * load;
	queues *= (double)s->made / (double)s->hops;
	left = load < 1 ? 1 - load : 0;
	return time >= WALKS * 4 * wait * wait && (queues > 1 ? queues : 1) * time * left * left >= BUSY;
}

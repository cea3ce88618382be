/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/saturation.h - how much of what endpoints can inject the routes carry before a link
 * is full, by traffic pattern, from the tables alone.
 *
 * An endpoint at full rate sends one unit, which is as much as a link carries.  The bound
 * on throughput is 1 over the greatest load of a link between switches, and at most 1.  A
 * flow may be spread over the offsets of its destination; what is optimised is the share of
 * each. */
#ifndef MOORE_SATURATION_H
#define MOORE_SATURATION_H

#include "base.h"
#include "tables.h"

MOORE_BEGIN

/* UNIFORM: every endpoint sends evenly to all others.
 * The others are the worst cases of minimal routing: all endpoints of a switch send to those
 * of one other switch.
 * SHIFT: each switch sends to the next that has endpoints (Kathareios et al., SC'15,
 *	section 4.2, for MLFM and OFT);
 * OVERLAP: switches at distance two exchange everything, in pairs whose shortest routes
 *	share their middle link (the same, for Slim Fly): greedily on paths a-b-c-d, a with c
 *	and b with d; of the switches left over, those at distance two are paired without
 *	overlap, and the rest are idle;
 * CROSS: each half of the switches, in their order, sends to the other half, shifted by
 *	the least number that puts every sender two hops from its receiver; a half for
 *	which there is no such number does not send. */
enum moore_pattern {
	MOORE_PATTERN_UNIFORM,
	MOORE_PATTERN_SHIFT,
	MOORE_PATTERN_OVERLAP,
	MOORE_PATTERN_CROSS,
	MOORE_N_PATTERNS,
};

struct moore_saturation {
	enum moore_pattern pattern;
	uint32_t n_offsets;
	uint32_t n_flows;		/* between endpoints at different switches */
	uint32_t idle;			/* switches with endpoints that do not send */
	/* Different first and different last links of the routes of all flows from one
	 * switch, over all offsets: the mean and the least over the switches (0 for
	 * UNIFORM). */
	struct moore_ways {
		double mean;
		uint32_t least;
	} first, last;
	/* The greatest load of a link: */
	double alone[MOORE_N_OFFSETS];	/* everything in this offset; 0: it lacks routes */
	double even;			/* every flow spread evenly over its offsets */
	double global;			/* the same shares for all flows, the best found */
	double share[MOORE_N_OFFSETS];	/* the shares of `global` */
	double pair;			/* individual shares for each flow, the best found; */
	double pair_bound;		/* lower bound of it for any shares */
	moore_swid hot_sw;		/* a link with the greatest load of `pair` (of `global` */
	moore_portnum hot_port;		/* for UNIFORM, where pair is not computed) */
};

/* Borrows f and lft for the call.  -MOORE_EINVAL if they do not fit or no endpoint has a
 * LID; -MOORE_ENOMEM.  UNIFORM: O(LIDs * switches); others: O(rounds * endpoints * offsets
 * * hops). */
MOORE_API int moore_saturation_measure(struct moore_saturation *out, const struct moore_fabric *f,
				       const struct moore_lft *lft, enum moore_pattern pattern,
				       struct moore_err *err);
/* True if the pattern is a worst case of this kind of fabric: SHIFT where no two switches
 * with endpoints are linked, OVERLAP and CROSS where some are, UNIFORM always. */
MOORE_API bool moore_pattern_fits(const struct moore_fabric *f, enum moore_pattern pattern);
MOORE_API const char *moore_pattern_name(enum moore_pattern pattern);

/* Bound on throughput, as a share of what endpoints inject. */
static inline double
moore_throughput(double greatest_load)
{
	return greatest_load > 1 ? 1 / greatest_load : 1;
}

MOORE_END

#endif

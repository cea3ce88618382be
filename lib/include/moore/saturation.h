/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/saturation.h - how much of what endpoints can inject the routes carry
 * before a link is full, by traffic pattern, read off the tables alone.
 *
 * An endpoint at full rate sends one unit, as much as a link carries; the bound
 * on throughput is one over the greatest load of a link between switches (at
 * most 1).  A flow may be spread over the offsets of its destination; what is
 * chosen is the share of each. */
#ifndef MOORE_SATURATION_H
#define MOORE_SATURATION_H

#include "base.h"
#include "tables.h"

MOORE_BEGIN

/* UNIFORM: every endpoint sends evenly to all others.
 * The worst cases of minimal routing send all of a switch to one other:
 * SHIFT: to the next that has endpoints (Kathareios et al., SC'15, section 4.2,
 *	for MLFM and OFT);
 * OVERLAP: switches at distance two exchange everything, in pairs whose shortest
 *	routes share their middle link (the same, for Slim Fly): greedily on paths
 *	a-b-c-d, a with c and b with d; who is left over is paired at distance two
 *	without overlap, or is idle;
 * CROSS: one half of the switches to the other, shifted by the least number that
 *	keeps them two apart (Yebenes et al., HPCC 2017, algorithm 2). */
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
	/* Distinct links among the routes of all flows from one switch, over all
	 * offsets: the mean and the fewest (0 for UNIFORM). */
	struct moore_ways {
		double mean;
		uint32_t least;
	} first, last;
	/* The greatest load of a link: */
	double alone[MOORE_N_OFFSETS];	/* all in this offset; 0: it lacks routes */
	double even;			/* every flow evenly over its offsets */
	double global;			/* the same shares for all flows, the best found */
	double share[MOORE_N_OFFSETS];	/* those shares */
	double pair;			/* each flow its own shares, the best found; */
	double pair_bound;		/* no shares can do better than this */
	moore_swid hot_sw;		/* a link with the greatest load of `pair` (of `global` */
	moore_portnum hot_port;		/* for UNIFORM, where pair is not computed) */
};

/* Borrows both for the call.  -MOORE_EINVAL when they do not fit or no endpoint
 * has a LID; -MOORE_ENOMEM.  UNIFORM: O(LIDs * switches); others: O(rounds *
 * endpoints * offsets * hops). */
MOORE_API int moore_saturation_measure(struct moore_saturation *out, const struct moore_fabric *f,
				       const struct moore_lft *lft, enum moore_pattern pattern,
				       struct moore_err *err);
/* Is it a worst case of this kind of fabric?  SHIFT where no two switches with
 * endpoints are linked, OVERLAP and CROSS where some are; UNIFORM always. */
MOORE_API bool moore_pattern_fits(const struct moore_fabric *f, enum moore_pattern pattern);
MOORE_API const char *moore_pattern_name(enum moore_pattern pattern);

/* Bounds on throughput, as a share of what endpoints inject. */
static inline double
moore_throughput(double greatest_load)
{
	return greatest_load > 1 ? 1 / greatest_load : 1;
}

MOORE_END

#endif

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
 * In all other patterns, the endpoints of a switch send to those of one other switch, the
 * i-th to the i-th, and no switch receives from two.  Three depend on the graph alone:
 * SHIFT: each switch sends to the next that has endpoints (Kathareios et al., SC'15,
 *	section 4.2, for MLFM and OFT);
 * OVERLAP: switches at distance two exchange everything, in pairs whose shortest routes
 *	share their middle link (the same, for Slim Fly): greedily on paths a-b-c-d, a with c
 *	and b with d; of the switches left over, those at distance two are paired without
 *	overlap, and the rest are idle;
 * YEBENES: Algorithm 2 of Yebenes et al. (HOTI 2017), for Slim Fly: the first q^2 switches
 *	send to (s + A) mod q^2 of the others, and these to (s + B) mod q^2 of the first,
 *	with the least A that puts every pair at distance two, and B = q - A where that does
 *	(as for the primes from 5 to 31), else the next that does; there are none for q = 4
 *	and 8, and then nobody sends.
 * In the others, the tables are searched for what they carry worst:
 * MATCHING: switches exchange everything along a maximum matching of links between them: the
 *	first one in order of the switches, random ones, and those dearest at the prices of
 *	the programmes of these;
 * SINGLE: one switch sends to one other: the worst of all pairs;
 * RANDOM: permutations at distance two, the worst of some random ones;
 * ADVERSARY: permutations at distance two.  The prices of a programme give every pair of
 *	switches a worth; the permutation of the greatest worth is next, until nothing gets
 *	worse.  The search starts from SHIFT, OVERLAP and YEBENES, from random permutations,
 *	from the worst of the shifts by 2, 3 and so on (eight for each random permutation), and
 *	as often as from random ones from near the worst that it found.  Where switches have the
 *	same neighbours in groups of at least three in the mean, as the columns of an MLFM, it
 *	also starts from permutations of groups (four for each random permutation), of which
 *	exchanges of two targets have made the worst they can, if these are worse than all
 *	before.  At last it exchanges targets of the worst permutation, first those of which the
 *	prices lose least, as long as that makes it worse: at most 64 programmes for each random
 *	permutation, fewer in proportion where they have more than 2,000 routes, but four;
 * ANYWHERE: the same for pairs at any distance. */
enum moore_pattern {
	MOORE_PATTERN_UNIFORM,
	MOORE_PATTERN_SHIFT,
	MOORE_PATTERN_OVERLAP,
	MOORE_PATTERN_YEBENES,
	MOORE_PATTERN_MATCHING,
	MOORE_PATTERN_SINGLE,
	MOORE_PATTERN_RANDOM,
	MOORE_PATTERN_ADVERSARY,
	MOORE_PATTERN_ANYWHERE,
	MOORE_N_PATTERNS,
};

/* The effort of MATCHING, RANDOM, ADVERSARY and ANYWHERE. */
struct moore_saturation_opts {
	uint64_t seed;
	unsigned starts;	/* random permutations (or matchings) that each begins with */
};

struct moore_saturation {
	enum moore_pattern pattern;
	uint32_t n_offsets;
	uint32_t n_flows;		/* between endpoints at different switches */
	uint32_t n_unrouted;		/* flows without a route, which are not counted there */
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
	double global;			/* the same shares for all flows, the best found; 0: no offset
					 * has routes for all of them */
	double share[MOORE_N_OFFSETS];	/* the shares of `global` */
	double pair;			/* individual shares for each flow, the best found; */
	double pair_bound;		/* lower bound of it for any shares: at most 0.5 % less */
	moore_swid hot_sw;		/* a link with the greatest load of `pair` (of `global` */
	moore_portnum hot_port;		/* for UNIFORM, where pair is not computed) */
};

/* Borrows f and lft for the call.  Sets to[s], where to is not NULL, to the switch that s
 * sends to, or MOORE_NONE (always for UNIFORM).  -MOORE_EINVAL if f and lft do not fit or no
 * endpoint has a LID; -MOORE_ENOMEM.  UNIFORM: O(LIDs * switches); SHIFT, OVERLAP and YEBENES:
 * O(steps * endpoints * offsets * hops), with some hundred steps; SINGLE: O(switches *
 * endpoints * offsets * hops); MATCHING and RANDOM: for each start, some ten times the programme,
 * O(LIDs * switches) and O(switches^3); ADVERSARY and ANYWHERE: the same, up to 64 more programmes,
 * and where there are groups, some hundred programmes of one flow for each group. */
MOORE_API int moore_saturation_measure(struct moore_saturation *out, moore_swid *to,
				       const struct moore_fabric *f, const struct moore_lft *lft,
				       enum moore_pattern pattern,
				       const struct moore_saturation_opts *opts,
				       struct moore_err *err);
/* True if the pattern is a worst case of this kind of fabric: SHIFT where no two switches
 * with endpoints are linked, OVERLAP, YEBENES and MATCHING where some are, the others
 * always. */
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

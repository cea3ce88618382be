/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/draws.h - what is left of a fabric and of its routes when links fail at random (Young
 * et al. 2022, section IV-A, for the graph; routes and their judgement beside it). */
#ifndef MOORE_DRAWS_H
#define MOORE_DRAWS_H

#include "base.h"

MOORE_BEGIN

struct moore_draw {
	uint32_t failed;	/* links between switches that were removed */
	bool connected;		/* all switches are still joined; else diameter is 0 */
	uint32_t diameter;
	double mean_distance;	/* over the pairs of switches that are joined */
	int64_t bisection;	/* fewest links found between halves of the endpoints, by the caller; -1: unknown */
	double partitioned;	/* share of pairs (switch, LID) that no links join, 0..1 */
	bool sound;		/* the fabric was routed, and the checker accepted the tables */
	/* Shares of full rate that the routes carry, 0..1, if sound and connected: of uniform
	 * traffic, and of the worst pattern that moore_saturation_measure() finds from one start. */
	double uniform, worst;
};

/* Draws i * n_draws to (i + 1) * n_draws - 1 are those of the share share[i]. */
struct moore_draws {
	uint32_t n_links, n_shares, n_draws;
	uint64_t seed;
	const double *share;
	const struct moore_draw *draw;
};

MOORE_END

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/quality.h - how good routes are, from the tables alone: their length, how evenly
 * they load the links, and how many routes of each pair share no link.
 *
 * A *pair* is (switch with endpoints, endpoint at another switch).  The *route* of a pair
 * in an offset is where the tables lead from that switch, for the endpoint's base LID plus
 * the offset.  Lengths are hops between switches.  The *distance* of a pair is the length
 * of a shortest path in the fabric, and a route is *longer* when it exceeds that. */
#ifndef MOORE_QUALITY_H
#define MOORE_QUALITY_H

#include "base.h"
#include "tables.h"

MOORE_BEGIN

#define MOORE_QUALITY_EXACT 8		/* greatest number of offsets for which disjoint routes
					 * are counted exactly */

/* The load of the directed links between switches when each switch with endpoints sends one
 * unit to each endpoint LID; the distribution over the links is as in Jain et al. (SC
 * 2014).  A quartile between two values is interpolated. */
struct moore_link_load {
	double min, q1, median, q3, max, mean;
	moore_swid sw;			/* a link with the greatest load; sw is MOORE_NONE */
	moore_portnum port;		/* when there is no link */
};

/* Counts of pairs by distance: [0] all, [1] at distance one, [2] at distance two. */
struct moore_quality_pairs {
	uint64_t n[3];			/* pairs that are connected */
	uint64_t longer[3];		/* those with a route longer than the distance */
};

struct moore_quality_offset {
	struct moore_quality_pairs pairs;	/* longer: in this offset */
	uint64_t three_hops;		/* pairs at distance two routed over three hops */
	uint64_t no_route;		/* connected pairs that the tables do not serve */
	uint64_t hops[MOORE_HOPS_MAX + 1];
	struct moore_link_load load;
};

struct moore_quality {
	uint32_t n_offsets, n_links;	/* directed, between switches */
	uint32_t n_sources, n_endpoints;	/* switches with endpoints; endpoints with a LID */
	struct moore_quality_offset *offset;	/* n_offsets */
	struct moore_link_load load;	/* all offsets together */
	struct moore_quality_pairs pairs;	/* longer: in some offset */
	uint64_t partitioned;		/* unconnected pairs; not counted elsewhere */
	/* Pairs by the greatest number of their routes of which no two share a directed
	 * link.  With more than MOORE_QUALITY_EXACT offsets they are counted greedily
	 * (shortest first), and the numbers are lower bounds. */
	uint64_t disjoint[MOORE_N_OFFSETS + 1];
	double mean_disjoint;
	bool exact;
	/* A pair with the fewest disjoint routes; of several, one with the longest route. */
	moore_swid worst_sw;		/* MOORE_NONE when there is no pair */
	moore_epid worst_ep;
	uint32_t worst_disjoint, worst_hops;
};

/* Borrows f and lft for the call; the caller frees *out with moore_quality_free().
 * -MOORE_EINVAL if they do not fit or no endpoint has a LID; -MOORE_ENOMEM. O(endpoints *
 * (E + offsets * switches * hops)). */
MOORE_API int moore_quality_measure(struct moore_quality **out, const struct moore_fabric *f,
				    const struct moore_lft *lft, struct moore_err *err);
MOORE_API void moore_quality_free(struct moore_quality *q);	/* NULL is fine */

MOORE_END

#endif

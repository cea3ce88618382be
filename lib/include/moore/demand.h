/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/demand.h - the traffic matrix that explains measured link loads, and from it the
 * flows that fill a hot link. */
#ifndef MOORE_DEMAND_H
#define MOORE_DEMAND_H

#include "base.h"
#include "counters.h"
#include "fabric.h"
#include "tables.h"

MOORE_BEGIN

/* Measured bytes per second, by port; negative where unknown. */
struct moore_loads {
	const double *tx;	/* sent by the port */
	const double *rx;	/* received by it */
};

/* An estimate of the bytes per second from each switch to each endpoint LID which, routed
 * by the tables, gives the measured loads.  The method is tomogravity (Zhang, Roughan,
 * Duffield, Greenberg, SIGMETRICS 2003): a gravity model (a source sends to each
 * destination in proportion to what that destination receives) is fitted to the loads of
 * the links by multiplicative steps that lessen the Kullback-Leibler divergence. */
struct moore_demand;

/* Borrows f and lft until *out is freed.  *misfit (may be NULL) is the share of all measured
 * load, 0..1, that the estimate does not explain.  -MOORE_EINVAL when the tables do not fit
 * the fabric; -MOORE_ENOMEM.
 * O(rounds * switches * LIDs * hops) time; 4 bytes of memory for each pair of a sending
 * switch and a LID of a receiving endpoint. */
MOORE_API int moore_demand_estimate(struct moore_demand **out, const struct moore_fabric *f,
				    const struct moore_lft *lft, const struct moore_loads *loads,
				    double *misfit, struct moore_err *err);
MOORE_API void moore_demand_free(struct moore_demand *d);

/* ---- why a link is hot ----------------------------------------------------------- */

#define MOORE_CAUSE_FLOWS 10
#define MOORE_CAUSE_MAIN 0.25	/* a flow with this share of the load is worth moving */

/* The estimated traffic over the link between one pair of switches. */
struct moore_suspect {
	moore_swid from, to;
	moore_epid source;	/* the endpoint at from that sends most; MOORE_NONE: unknown */
	moore_epid dest;	/* the endpoint at to that receives most of this traffic */
	uint16_t offset;	/* the LID offset of dest that receives most of it */
	double bytes;		/* per second, over this link */
	double share;		/* of the link's load */
	double most;		/* the greatest bytes that the counters along the routes allow */
	double certainty;	/* bytes / most: 1 when nothing else can explain the counters,
				 * near 0 when many other flows can */
	uint16_t other;		/* the best other offset; MOORE_N_OFFSETS: there is none */
	double idle;		/* free share of the fullest link of that offset's route */
};

enum moore_remedy {
	MOORE_TRY_NOTHING,	/* no known route carries traffic here */
	MOORE_TRY_OFFSET,	/* move the first suspect's traffic to its other offset */
	MOORE_TRY_SPLIT,	/* move half of it: all of it would fill that route too */
	MOORE_TRY_WEIGHT,	/* many small flows, or one without a better route: give the
				 * link a weight, so that others avoid it, and route again */
	MOORE_TRY_LAYERS,	/* one pair that has no other offset: raise the LMC */
	MOORE_TRY_SPREAD,	/* many senders, one receiver: no route helps; place them apart */
	MOORE_N_REMEDIES
};
MOORE_API const char *moore_remedy_name(enum moore_remedy r);

struct moore_cause {
	uint32_t port;
	double load;		/* measured, bytes per second; negative: unknown */
	double explained;	/* of these, what the estimate puts on the link */
	uint32_t n_offsets;
	/* By offset: routes over the link from a switch with endpoints to an endpoint. */
	uint64_t routes[MOORE_N_OFFSETS];
	uint32_t n_suspects;	/* greatest first */
	struct moore_suspect suspect[MOORE_CAUSE_FLOWS];
	enum moore_remedy remedy;
};

/* line[], by port, turns bytes into shares.  O(switches * LIDs * hops). */
MOORE_API int moore_cause_of(struct moore_cause *out, const struct moore_demand *d, uint32_t port,
			     const struct moore_line *line, struct moore_err *err);

MOORE_END

#endif

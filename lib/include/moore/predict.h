/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/predict.h - the traffic that a job puts on each link, by pattern, placement and routing: the
 * model of Jain et al., "Maximizing Throughput on a Dragonfly Network", SC'14, sections III and IV,
 * on any fabric.
 *
 * All messages are taken to be in flight at once.  Amounts are in any unit; links between switches
 * are alike. */
#ifndef MOORE_PREDICT_H
#define MOORE_PREDICT_H

#include "base.h"
#include "fabric.h"
#include "jobs.h"
#include "tables.h"

MOORE_BEGIN

/* ---- the job: messages between processes ------------------------------------------------- */

enum moore_job_pattern {
	MOORE_JOB_UNIFORM,	/* every process to all others, 1 in all */
	MOORE_JOB_ALLTOALL,	/* every process to all others, 1 to each */
	MOORE_JOB_PERMUTATION,	/* to one other, drawn at random */
	MOORE_JOB_SHIFT,	/* to the process half of all further on */
	MOORE_JOB_STENCIL2,	/* to the neighbours in a periodic grid of 2, 3, or 4 dimensions, */
	MOORE_JOB_STENCIL3,	/* whose sides are as alike as the number of processes allows */
	MOORE_JOB_STENCIL4,
	MOORE_JOB_MANY,		/* to all others of a line of a 3-D grid, along its second side */
	MOORE_JOB_SPREAD,	/* to 6 to 20 others, drawn from all */
	MOORE_JOB_MESH,		/* to 6 to 20 others, at most 30 processes away */
	MOORE_JOB_OVERLAP,	/* all nodes of a switch to those of another one: as moore/saturation.h has it, */
	MOORE_JOB_YEBENES,
	MOORE_JOB_WORST,	/* and that of all its patterns which the tables carry worst */
	MOORE_N_JOB_PATTERNS
};
MOORE_API const char *moore_job_pattern_name(enum moore_job_pattern p);	/* NULL past the last */

enum moore_job_kind {
	MOORE_JOB_EVEN,		/* all processes to all others: moore_traffic.uniform, without a list of flows */
	MOORE_JOB_OF_PROCESSES,	/* moore_job_flows() */
	MOORE_JOB_OF_SWITCHES	/* moore_job_switch_flows(): on all nodes, whatever the placement */
};
MOORE_API enum moore_job_kind moore_job_pattern_kind(enum moore_job_pattern p);

enum moore_job_placement {	/* which nodes get the processes, in their order */
	MOORE_PLACED_RDN,	/* random nodes, */
	MOORE_PLACED_RDR,	/* switches, */
	MOORE_PLACED_RDC,	/* cabinets, */
	MOORE_PLACED_RDG,	/* or groups of these, and all nodes of each in order */
	MOORE_PLACED_RRN,	/* a node, or the nodes of a switch, of each group in turn */
	MOORE_PLACED_RRR,
	MOORE_PLACED_LINEAR,	/* in order */
	MOORE_N_PLACEMENTS
};
MOORE_API const char *moore_job_placement_name(enum moore_job_placement p);	/* NULL past the last */

/* Where switches stand, by switch; NULL where that is not known. */
struct moore_floor {
	const uint32_t *cabinet, *group;
};

/* Fills node[0..n-1], where process i runs.  taken[], by endpoint, is true for nodes that are not
 * free; may be NULL.  -MOORE_EINVAL: fewer than n nodes are free, or the floor is not known;
 * -MOORE_ENOMEM.  O(endpoints log endpoints). */
MOORE_API int moore_job_place(moore_epid *node, uint32_t n, const struct moore_fabric *f,
			      const struct moore_floor *floor, const bool *taken,
			      enum moore_job_placement placement, uint64_t seed, struct moore_err *err);

struct moore_flow {
	moore_epid from, to;
	double amount;
};

struct moore_traffic {
	/* Either flows, or, if uniform, each of n_nodes nodes sends 1 in all, evenly to all others. */
	bool uniform;
	const struct moore_flow *flow;
	uint32_t n_flows;
	const moore_epid *node;
	uint32_t n_nodes;
	const uint8_t *routing;	/* of each flow, with OWN: AD, AI or AH */
};

/* Makes the flows of a pattern between n processes, of amount 1 for each message; none for UNIFORM and for
 * patterns of switches.
 * Process i runs on node[i / per_node]; messages between two nodes are joined to one flow where
 * they lie side by side, and those within a node are none.  The caller frees *out with free().
 * -MOORE_EINVAL: ALLTOALL of over 8,192 processes; -MOORE_ENOMEM.  O(messages), in the memory of the flows. */
MOORE_API int moore_job_flows(struct moore_flow **out, uint32_t *n_flows, enum moore_job_pattern pattern,
			      const moore_epid *node, uint32_t n, uint32_t per_node, uint64_t seed,
			      struct moore_err *err);

/* Makes the flows of a pattern of switches: the k-th node of each switch sends 1 to the k-th of the other.
 * lft is of f.  The caller frees *out with free().  -MOORE_EINVAL: no switch has one to send to, or the tables
 * are of another fabric; -MOORE_ENOMEM.  The cost of moore_saturation_measure(), for WORST of all its patterns. */
MOORE_API int moore_job_switch_flows(struct moore_flow **out, uint32_t *n_flows, enum moore_job_pattern pattern,
				     const struct moore_fabric *f, const struct moore_lft *lft, uint64_t seed,
				     struct moore_err *err);

/* ---- the routing ---------------------------------------------------------------------- */

enum moore_routing {
	MOORE_ROUTING_SD,	/* static direct: evenly over all shortest paths */
	MOORE_ROUTING_SI,	/* static indirect: over a random switch, each way by shortest paths */
	MOORE_ROUTING_AD,	/* adaptive direct: over shortest paths, by what their links have left */
	MOORE_ROUTING_AI,	/* adaptive indirect: the same over random switches */
	MOORE_ROUTING_AH,	/* adaptive hybrid: over both, as UGAL with global knowledge does */
	MOORE_ROUTING_TABLES,	/* by forwarding tables, evenly over the LIDs of each destination */
	MOORE_ROUTING_OWN,	/* adaptive: each flow by a routing of its own */
	MOORE_N_ROUTINGS
};
MOORE_API const char *moore_routing_name(enum moore_routing r);	/* NULL past the last */

struct moore_predict_opts {
	enum moore_routing routing;
	uint64_t seed;			/* of AI and AH */
	/* UNIFORM and SI send to all switches; with more than that many, so many of them that are
	 * spread over all stand for them.  0: all. */
	uint32_t sample;
	const struct moore_lft *lft;	/* of TABLES */
	const struct moore_jobs *jobs;	/* may be NULL */
};

struct moore_predicted {
	double *load;		/* by port that sends, indexed as f->port[]; the caller frees it */
	double lost;		/* amounts without a path */
	uint32_t sampled;	/* switches that stood for all; 0: all were taken */
	double variance;	/* of a link's load, because of that: the mean over links */
};

/* Borrows all but *out.  -MOORE_EINVAL: over 20,000,000 pairs of switches for AD, AI or AH, the tables
 * do not fit, or OWN without a routing for each flow; -MOORE_ENOMEM.  SD and SI: O(switches that receive * links).  AD: O(rounds * pairs * hops), and a
 * search over all links for every 64 switches that receive.  AI: O(rounds * (pairs + links)).  AH: both. */
MOORE_API int moore_predict(struct moore_predicted *out, const struct moore_fabric *f,
			    const struct moore_traffic *t, const struct moore_predict_opts *o,
			    struct moore_err *err);

/* ---- a placement that is searched for ------------------------------------------------------ */

struct moore_job_search {
	enum moore_routing routing;	/* SD, or TABLES with lft */
	const struct moore_lft *lft;
	const bool *taken;		/* by endpoint: nodes that are not free; may be NULL */
	uint64_t seed, iterations;
	void (*progress)(void *arg, double share);	/* may be NULL; share is 0..1 */
	void *arg;
};

/* Puts the processes on other nodes so that the greatest load of a link falls: simulated annealing,
 * which moves a process to a free node or exchanges two.  flow[i].from and .to are processes,
 * 0..n-1; node[] is where they run before and after, and the result is never worse.  The same
 * arguments give the same result.  -MOORE_EINVAL: another routing, or tables of another fabric;
 * -MOORE_ENOMEM.  O(iterations * flows of a process * links on their paths), and 9 bytes for each pair
 * of switches with SD. */
MOORE_API int moore_job_search(moore_epid *node, uint32_t n, const struct moore_fabric *f,
			       const struct moore_flow *flow, uint32_t n_flows,
			       const struct moore_job_search *o, struct moore_err *err);

MOORE_END

#endif

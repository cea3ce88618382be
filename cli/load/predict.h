/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* predict.h - what `moorectl predict`, `whatif`, `place-job` and `simulate` share: the traffic that a job
 * puts on links, for each routing, pattern and placement that is named. */
#ifndef CLI_PREDICT_H
#define CLI_PREDICT_H

#include "online.h"

#define CLI_PREDICT_LIST 16	/* names of one option */
#define CLI_PREDICT_ROWS 1024
#define CLI_PREDICT_PROCESSES 100000000

struct cli_world {		/* a fabric, whole or cut, and its tables */
	struct moore_fabric *f;
	struct moore_engine_result *result;	/* NULL unless routing by tables is asked for */
	bool cut;
	moore_epid *node;	/* by node of the whole fabric: the same one here, or MOORE_NONE; of a cut one */
};

struct cli_prediction {
	const struct cli_call *c;
	struct moore_plan *plan;
	struct cli_world world[2];
	unsigned n_worlds;
	uint32_t *cabinet, *group;		/* by switch of the whole fabric; NULL: not placed */
	unsigned routing[CLI_PREDICT_LIST], n_routings;
	unsigned pattern[CLI_PREDICT_LIST], n_patterns;
	unsigned placement[CLI_PREDICT_LIST], n_placements;
	struct moore_amount *matrix;		/* of --matrix, in place of patterns */
	uint32_t n_amounts;
	uint8_t *own;				/* routing of each flow, of several jobs with --routing own */
	bool mixed;				/* flows of several jobs, so node[] is that of the last */
	moore_epid *node;			/* of the whole fabric, where processes run */
	uint32_t nodes, processes, per_node;	/* that it runs on, and that run on them */
	uint64_t seed, lmc, sample;
	struct moore_prediction *row;
	size_t n_rows;
	struct moore_buf loads;	/* of --loads: a line for each link in each row */
	double *load;		/* of the last row, by port of the first fabric, if wanted; 1 is what the
				 * busiest node sends or receives */
	bool load_wanted;
};

/* Runs a verb that works on a prediction, and frees what it holds (cmd_predict.c). */
int cli_predict_call(const struct cli_call *c, int (*verb)(struct cli_prediction *r));
/* Reads options, plan and matrix, and makes the fabrics: all that rows need. */
int cli_predict_ready(struct cli_prediction *r, bool whatif);

/* Reads the options of the verbs (predict_run.c). */
int cli_predict_options(struct cli_prediction *r);
/* Refuses options that patterns of switches have no use for. */
int cli_predict_patterns(const struct cli_prediction *r);
/* Makes the flows of a pattern that is not even, on r->node or between all switches of f, which has the tables lft.
 * The caller frees *flow. */
int cli_predict_flows(const struct cli_prediction *r, unsigned pattern, const struct moore_fabric *f,
		      const struct moore_lft *lft, uint64_t seed, struct moore_flow **flow, uint32_t *n);
/* Adds the fabric of r->plan, without what --fail names if it is to be cut, and its tables if some routing
 * needs them. */
int cli_predict_world(struct cli_prediction *r, bool cut);
/* Numbers the cabinets, and their rows as groups, if all switches are placed. */
int cli_predict_floor(struct cli_prediction *r);
/* Adds the rows of a job on all fabrics by all routings.  flow[] is of the whole fabric, and is changed;
 * NULL: uniform traffic of r->node. */
int cli_predict_rows(struct cli_prediction *r, struct moore_flow *flow, uint32_t n_flows, const char *pattern,
		     const char *placement);

/* Adds the rows of all that is named: patterns with placements, jobs, or a matrix (predict_jobs.c). */
int cli_predict_all(struct cli_prediction *r);

/* Prints the rows, and draws them if --svg is given (predict_show.c). */
int cli_predict_show(struct cli_prediction *r);

/* place-job, with what the caller then frees (place_job.c). */
int cli_place_job(struct cli_prediction *r);

/* Reads a list of names with commas between, or dflt: out[] gets their numbers, at most CLI_PREDICT_LIST. */
int cli_opt_names(const struct cli_call *c, const char *option, const char *dflt,
		  const char *(*name)(unsigned), unsigned *out, unsigned *n);
/* The names of patterns and placements by number; NULL past the last. */
const char *cli_job_pattern(unsigned i);
const char *cli_job_placement(unsigned i);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* simulate.h - what `moorectl simulate` and `moorectl campaign` share: the points that the options of simulate
 * name, on one fabric.  A function that fails has printed the reason. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "load/predict.h"

#define CLI_SIM_LOADS 100

struct cli_sim_world {			/* a fabric and its tables: */
	struct cli_routing r;		/* of a plan, */
	struct cli_tables dumps;	/* or of a directory, */
	struct moore_sim_tables t;	/* and what either holds */
};

/* Links that go down during the run, and may come up again (simulate_cut.c). */
struct cli_sim_cut {
	bool wanted;
	unsigned motion[CLI_PREDICT_LIST], n_motions;	/* how rows go out: 0 safe, 1 fast; without a cut, n is 1 */
	uint64_t at, repair_at;		/* ticks; repair_at 0: never */
	struct moore_sim_pace pace;
	struct moore_sim_link *link;
	size_t n_links;
	struct moore_fabric *f;		/* without the links, */
	struct moore_engine_result *routed;	/* its tables, */
	struct moore_engine_steps *there, *back;	/* and the steps to them and back */
	struct moore_sim_script script[2];	/* by motion */
};

struct cli_simulation {
	const struct cli_call *c;	/* its options are those of simulate */
	const struct cli_sim_world *world;
	struct cli_prediction job;	/* its floor, nodes, processes and placement */
	unsigned routing[CLI_PREDICT_LIST], n_routings;
	double load[CLI_SIM_LOADS];
	unsigned n_loads;
	size_t n_points;		/* patterns * routings * motions * loads */
	struct moore_sim_opts o;
	struct moore_simulated how;
	struct moore_sim_vlarb vlarb;	/* of --opensm-conf */
	uint64_t *sent;		/* by port: packets that it has sent; of --floor, else NULL */
	uint32_t *wire, *packet_of;	/* by port: ticks of the cable, and of a packet where the plan has its rate */
	struct cli_sim_cut cut;
	struct moore_sim_flow *flow[CLI_PREDICT_LIST];		/* by pattern; NULL: uniform */
	bool exchange;		/* patterns are exchanges, of messages of so many bytes; one load, of no account */
	uint64_t message;
	uint32_t torus[3];	/* sides of that of neighbours; 0: as alike as possible */
	struct moore_sim_message *messages[CLI_PREDICT_LIST];
	double *share[CLI_PREDICT_LIST];	/* by pattern; NULL: not needed, or not found yet */
	double carried[CLI_PREDICT_LIST];	/* of them: the load at which the first link is full */
	struct moore_sim_traffic traffic[CLI_PREDICT_LIST];	/* no flow, node or message: not made yet */
};

/* Routes the plan (taken; NULL: the first argument names a plan, or a directory of dumps).  The caller calls
 * cli_sim_world_free() whatever is returned. */
int cli_sim_world_load(const struct cli_call *c, struct moore_plan *plan, struct cli_sim_world *w);
void cli_sim_world_free(struct cli_sim_world *w);

/* Reads the options of c, which s borrows.  The caller calls cli_simulation_free() whatever is returned. */
int cli_simulation_options(struct cli_simulation *s, const struct cli_call *c);
/* Places the processes on w, which s borrows. */
int cli_simulation_place(struct cli_simulation *s, const struct cli_sim_world *w);
/* Point i of s->n_points, and the row that its result belongs to: the loads of the first motion come first, the
 * motions of the first routing before those of the second, the routings of the first pattern before those of the
 * second.  Makes the traffic that it needs. */
int cli_simulation_point(struct cli_simulation *s, size_t i, struct moore_sim_point *point,
			 struct moore_simulation *row);
void cli_simulation_free(struct cli_simulation *s);

/* Reads a number; *out is the default before. */
int cli_sim_number(const struct cli_call *c, const char *opt, double least, double most, double *out);

/* simulate_vlarb.c: reads the VL arbitration of --opensm-conf; the length of a packet is known. */
int cli_sim_vlarb(struct cli_simulation *s);

/* simulate_shares.c: finds the shares of all senders for pattern i, and what the links carry with them. */
int cli_sim_shares(struct cli_simulation *s, unsigned i);

/* simulate_cut.c.  The first reads the options of s that need no fabric; the second, when the length of a tick is known,
 * reads times, routes without the links that go down, and finds the steps.  Points are made afterwards. */
int cli_sim_cut_options(struct cli_simulation *s);
int cli_sim_cut_ready(struct cli_simulation *s);
void cli_sim_cut_free(struct cli_sim_cut *x);
const char *cli_sim_motion_name(unsigned i);	/* NULL past the last */

/* simulate_floor.c: checks that --floor can be drawn, and makes s->sent; draws the floor after the one run. */
int cli_sim_floor_ready(struct cli_simulation *s);
int cli_sim_put_floor(const struct cli_simulation *s, const struct moore_simulation *row, struct moore_buf *out);

/* Draws the rows of an answer, n_loads to a curve and n_routings curves to a pattern (simulate_svg.c). */
void cli_simulate_put_svg(struct moore_buf *b, const json_t *answer, size_t n_loads, size_t n_routings);

#endif

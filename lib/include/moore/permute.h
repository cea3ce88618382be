/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/permute.h - exchanges ends of cables at random inside cabinets, so that distances
 * in a plan fall and no cable needs another length.
 * Source: Fujiwara et al., "Swap-and-randomize: A Method for Building Low-latency HPC
 * Interconnects", TPDS 2014, section 3. */
#ifndef MOORE_PERMUTE_H
#define MOORE_PERMUTE_H

#include "plan.h"

MOORE_BEGIN

/* Gives each switch a cabinet, in plan order, `size` switches to each, as in the paper; for
 * myriclos as in its table 1, whatever the size.  Cabinets are named c00, c01, ...; they
 * have no floor, so lengths are unchanged.
 * -MOORE_EINVAL if some switch has a cabinet already or size is 0. */
MOORE_API int moore_plan_fill_cabinets(struct moore_plan *p, uint32_t size,
				       struct moore_err *err);

enum moore_permute_method {
	MOORE_PERMUTE_TWO_CAB,	/* swaps cables inside a cabinet, then those between two */
	MOORE_PERMUTE_THREE_CAB,	/* inside a cabinet, then those among three cabinets */
	MOORE_PERMUTE_ONE_STEP,	/* inside and between two cabinets at once */
	MOORE_N_PERMUTE
};
/* "two-cab", "three-cab", "one-step"; NULL past the end. */
MOORE_API const char *moore_permute_name(enum moore_permute_method m);

struct moore_permute_opts {
	enum moore_permute_method method;
	double fraction;	/* probability that a swap is allowed, 0..1 */
	uint32_t trials;	/* at least 1 */
	uint64_t seed;
	/* Called after each trial with the share of trials done, 0..1; may be NULL. */
	void (*progress)(void *arg, double share);
	void *arg;
};

struct moore_switch_port {		/* a switch port; sw MOORE_NONE: plugged in nowhere */
	moore_swid sw;
	moore_portnum port;
};

struct moore_cable_move {		/* one end of a cable moves */
	uint32_t cable;
	uint8_t end;		/* 0 or 1 */
	struct moore_switch_port from, to;
};

struct moore_permutation {
	struct moore_graph_metrics before, after;
	uint32_t n_trials, best;	/* best: the trial that was taken, from 0 */
	struct moore_graph_metrics *trial;	/* metrics of each trial */
	uint32_t n_swaps;	/* swaps in the best trial */
	uint32_t n_moves;	/* by cable and end, without ends that are back in place */
	struct moore_cable_move *move;
};

/* Makes n trials and takes the one of least diameter, then of least mean distance, then the
 * first.  *p becomes that trial (cable ends, permuted, permutation_seed), and *out
 * describes the change; the caller frees it with moore_permutation_free().  Ends are
 * exchanged only between cables at ports of one cabinet, so each cable keeps its cabinets,
 * length and label, and each port its use.  No swap makes a cable from a switch to itself,
 * or a second cable between two switches.
 *
 * -MOORE_EINVAL: an option is out of range, a switch has no cabinet, there are more than
 * 2000 cabinets, or every trial disconnects the fabric.  On failure *p is unchanged.
 *
 * O(trials * (cables * degree * R + M)), where M is the cost of one measurement of the
 * graph, and R, the number of times a cable is drawn, is 1 for two-cab and at most the
 * number of cabinets for the others. */
MOORE_API int moore_permute(struct moore_plan *p, const struct moore_permute_opts *opts,
			    struct moore_permutation **out, struct moore_err *err);
MOORE_API void moore_permutation_free(struct moore_permutation *r);	/* NULL is fine */

/* Checks that two plans need the same cables: equally many of each length between each pair
 * of cabinets.  -MOORE_EPLAN names the first pair where they differ. */
MOORE_API int moore_permute_check(const struct moore_plan *a, const struct moore_plan *b,
				  struct moore_err *err);

MOORE_END

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/permute.h - swap ends of cables at random, inside cabinets, so that a
 * plan's distances fall and no cable needs another length.
 * Source: Fujiwara et al., "Swap-and-randomize: A Method for Building Low-latency
 * HPC Interconnects", TPDS 2014, section 3. */
#ifndef MOORE_PERMUTE_H
#define MOORE_PERMUTE_H

#include "plan.h"

MOORE_BEGIN

/* Switches without a cabinet get one in plan order, `size` switches to each, as
 * the paper has it; myriclos as its table 1 says, whatever the size.  Cabinets are
 * c00, c01, ...; there is no floor then, so lengths stay as they are.
 * -MOORE_EINVAL when some switch has a cabinet or size is 0. */
MOORE_API int moore_plan_fill_cabinets(struct moore_plan *p, uint32_t size,
				       struct moore_err *err);

enum moore_permute_method {
	MOORE_PERMUTE_TWO_CAB,	/* cables inside a cabinet; then those of two cabinets */
	MOORE_PERMUTE_THREE_CAB,	/* then those among three instead */
	MOORE_PERMUTE_ONE_STEP,	/* cables inside and between two cabinets at once */
	MOORE_N_PERMUTE
};
/* "two-cab", "three-cab", "one-step"; NULL past the end. */
MOORE_API const char *moore_permute_name(enum moore_permute_method m);

struct moore_permute_opts {
	enum moore_permute_method method;
	double fraction;	/* chance that a swap is allowed, 0..1 */
	uint32_t trials;	/* at least 1 */
	uint64_t seed;
	/* May be NULL: called after each trial, 0..1. */
	void (*progress)(void *arg, double share);
	void *arg;
};

struct moore_switch_port {		/* a switch port; sw MOORE_NONE: in none */
	moore_swid sw;
	moore_portnum port;
};

struct moore_cable_move {		/* of one end of a cable */
	uint32_t cable;
	uint8_t end;		/* 0 or 1 */
	struct moore_switch_port from, to;
};

struct moore_permutation {
	struct moore_graph_metrics before, after;
	uint32_t n_trials, best;	/* the trial taken, from 0 */
	struct moore_graph_metrics *trial;	/* n_trials */
	uint32_t n_swaps;	/* in the best trial */
	uint32_t n_moves;	/* by cable and end; an end that came back moves not */
	struct moore_cable_move *move;
};

/* Of n trials keep the one of least diameter, then mean distance, then the first;
 * *p becomes it (cable ends, permuted, permutation_seed) and *out says what
 * changed.  Ends are exchanged between cables at ports in one cabinet only, so
 * each cable keeps its cabinets, length and label, and each port its use.  No
 * cable joins a switch to itself, and no swap makes a second cable of a pair.
 * -MOORE_EINVAL: an option is out of range, a switch has no cabinet, there are more
 * than 2000 cabinets, or every trial fell apart; then *p is as it was.
 * O(trials * (cables * degree * R + a measure)), where R, how often a cable is
 * drawn, is 1 for two-cab and up to the number of cabinets for the others. */
MOORE_API int moore_permute(struct moore_plan *p, const struct moore_permute_opts *opts,
			    struct moore_permutation **out, struct moore_err *err);
MOORE_API void moore_permutation_free(struct moore_permutation *r);	/* NULL is fine */

/* Do two plans need the same cables?  Equally many for each pair of cabinets and
 * length.  -MOORE_EPLAN names the first pair where they do not. */
MOORE_API int moore_permute_check(const struct moore_plan *a, const struct moore_plan *b,
				  struct moore_err *err);

MOORE_END

#endif

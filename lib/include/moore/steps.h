/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/steps.h - from one wiring to another while the fabric runs: an order of
 * moves in steps, with at most so many cables unplugged at a time. */
#ifndef MOORE_STEPS_H
#define MOORE_STEPS_H

#include "permute.h"
#include "plan.h"

MOORE_BEGIN

struct moore_steps {
	uint32_t n_cables;	/* of the new plan, by its index */
	uint32_t n_ahead;	/* cables not yet where the new plan has them */
	uint32_t n_out;		/* of these now in no port, or in one only */
	struct moore_switch_port *now;	/* 2 * n_cables, before the first step: end b of
				 * cable i is now[2 * i + 1] */
	uint32_t n_steps, n_moves;
	uint32_t *first;	/* step i: move[first[i]..first[i+1]-1] */
	struct moore_cable_move *move;	/* ports by the new plan's switches */
};

/* A step unplugs the ends it moves, all of them, and then plugs them in.  Cables
 * that it touches count as gone all the while, and the others keep the switches in
 * as few parts as the present and the new plan do.  Most cables move once, straight
 * to their place; where the cables that hold each other's ports are more than
 * max_cables, two exchange ends, and one may wait at a port that is not its own.
 *
 * The plans have the same switches by name and equally many cables: a cable is
 * known by its label when all have unique ones, else by its place in the list.
 * present (NULL: the old plan) says what is plugged in now, its switches known by
 * GUID, else by name; a cable of which there is nothing is taken to be out.  What
 * is left of an earlier list of steps, at any point of it, is found from that.
 *
 * -MOORE_EPLAN when the plans or the present do not correspond; -MOORE_EINVAL when
 * no next step is found for max_cables; err says which and why.
 * O(steps * cables + moves * cables). */
MOORE_API int moore_steps_build(struct moore_steps **out, const struct moore_plan *old_plan,
				const struct moore_plan *new_plan, const struct moore_plan *present,
				uint32_t max_cables, struct moore_err *err);
MOORE_API void moore_steps_free(struct moore_steps *s);	/* NULL is fine */

/* The new plan's cables (room for n_cables) that join two switches during a step,
 * those it touches left out; step n_steps: after the last.  Labels are the new
 * plan's own.  Returns how many. */
MOORE_API uint32_t moore_steps_cables(const struct moore_steps *s,
				      const struct moore_plan *new_plan,
				      uint32_t step, struct moore_plan_cable *cable);

MOORE_END

#endif

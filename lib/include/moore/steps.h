/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/steps.h - rewires a running fabric: an order of moves in steps, with a limit on the
 * cables that are unplugged at a time. */
#ifndef MOORE_STEPS_H
#define MOORE_STEPS_H

#include "permute.h"
#include "plan.h"

MOORE_BEGIN

struct moore_steps {
	uint32_t n_cables;	/* cables of the new plan, which are numbered by it */
	uint32_t n_ahead;	/* cables that are not yet where the new plan has them */
	uint32_t n_out;		/* those of them that are now in no port, or in one only */
	struct moore_switch_port *now;	/* 2 * n_cables ports before the first step: end b of
					 * cable i is in now[2 * i + 1] */
	uint32_t n_steps, n_moves;
	uint32_t *first;	/* step i is move[first[i]..first[i+1]-1] */
	struct moore_cable_move *move;	/* ports of the new plan's switches */
};

/* A step unplugs all the ends that it moves and then plugs them in.  During the step its
 * cables count as absent, and the others keep the switches in no more connected parts than
 * there are in the present wiring or in the new plan, whichever has more.  Most cables move
 * once, directly to their place.  If more than max_cables cables occupy each other's ports,
 * two of them exchange ends, and one may wait at a port that is not its own.
 *
 * The plans have the same switches by name and equally many cables.  A cable is identified
 * by its label if all cables have unique ones, else by its index.  present (NULL: the old
 * plan) is what is plugged in now; its switches are identified by GUID, else by name, and a
 * cable without any end in it counts as unplugged.  So the remaining steps can be computed
 * at any point of an earlier list of steps.
 *
 * The caller frees *out with moore_steps_free().  -MOORE_EPLAN if the plans or the present
 * wiring do not correspond; -MOORE_EINVAL if no next step is found for max_cables; err says
 * which and why.
 * O(steps * cables + moves * cables). */
MOORE_API int moore_steps_build(struct moore_steps **out, const struct moore_plan *old_plan,
				const struct moore_plan *new_plan, const struct moore_plan *present,
				uint32_t max_cables, struct moore_err *err);
MOORE_API void moore_steps_free(struct moore_steps *s);	/* NULL is fine */

/* Writes the cables that join two switches during a step, without those that it moves, to
 * cable[], which has room for n_cables, and returns their number.  step n_steps means after
 * the last step.  Labels belong to new_plan. */
MOORE_API uint32_t moore_steps_cables(const struct moore_steps *s,
				      const struct moore_plan *new_plan,
				      uint32_t step, struct moore_plan_cable *cable);

MOORE_END

#endif

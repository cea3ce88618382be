/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* steps_impl.h - what steps.c and steps_state.c share: numbered ports, and the present and
 * the final port of each cable end. */
#ifndef MOORE_STEPS_IMPL_H
#define MOORE_STEPS_IMPL_H

#include "moore/steps.h"

struct ports {			/* the ports of a plan; first[s] + n is port n of switch s */
	uint32_t n_switches;
	uint32_t *first;	/* n_switches + 1 elements */
	moore_swid *sw;		/* the switch of each port */
};

int moore_ports_init(struct ports *x, const struct moore_plan *p, struct moore_arena *tmp,
		     struct moore_err *err);

static inline uint32_t
moore_ports_count(const struct ports *x)
{
	return x->first[x->n_switches];
}

static inline struct moore_switch_port
moore_ports_plug(const struct ports *x, uint32_t port)
{
	if (port == MOORE_NONE)
		return (struct moore_switch_port){ MOORE_NONE, 0 };
	return (struct moore_switch_port){ x->sw[port], (moore_portnum)(port - x->first[x->sw[port]]) };
}

/* Finds the port of each cable end (2 for each cable of the new plan) at present, or
 * MOORE_NONE, and in the new plan.  Errors are those of moore_steps_build(). */
int moore_steps_state(const struct ports *x, const struct moore_plan *old_plan,
		      const struct moore_plan *new_plan, const struct moore_plan *present,
		      uint32_t **at, uint32_t **want, struct moore_arena *tmp,
		      struct moore_err *err);

#endif

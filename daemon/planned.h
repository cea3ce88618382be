/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* planned.h - the plan that is in force: constant, and shared by counted references. */
#ifndef MOORED_PLANNED_H
#define MOORED_PLANNED_H

#include <stdatomic.h>

#include "moore/plan.h"

struct planned {
	atomic_uint refs;
	struct moore_plan *plan;
	char path[512];
	uint64_t hash;		/* of the file's bytes */
	struct planned_end *end;	/* ends of cables, by switch and port */
	const struct moore_plan_switch **by_name;
};
/* Takes plan, also on failure. */
int planned_new(struct planned **out, struct moore_plan *plan, const char *path, uint64_t hash,
		struct moore_err *err);
int planned_read(struct planned **out, const char *path, struct moore_err *err);
struct planned *planned_get(struct planned *p);	/* NULL is fine */
void planned_put(struct planned *p);		/* NULL is fine; frees the last reference */
/* NULL: no planned switch has that name.  O(log switches). */
const struct moore_plan_switch *planned_switch(const struct planned *p, const char *name);
/* The planned cable at a port of a switch; NULL: none.  O(log cables). */
const struct moore_plan_cable *planned_cable(const struct planned *p, const char *sw,
					     moore_portnum port);

#endif

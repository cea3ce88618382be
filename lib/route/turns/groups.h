/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* groups.h - groups of switches that have most of their links inside, as in a Dragonfly, and
 * ranks that allow all their shortest routes. */
#ifndef MOORE_ROUTE_GROUPS_H
#define MOORE_ROUTE_GROUPS_H

#include "route/turns/turns.h"

struct moore_rgroups {
	uint32_t n;		/* 0: the graph has none */
	uint32_t *of;		/* by node: its group; MOORE_NONE for a node that is not planned */
};

/* The groups of the planned graph.  End *s with moore_rgroups_fini(), on error too.
 * -MOORE_ENOMEM; O(edges * degree). */
int moore_rgroups_find(struct moore_rgroups *s, const struct moore_rgraph *g);
void moore_rgroups_fini(struct moore_rgroups *s);

/* Fills colour[] of the planned edges, and t->parent, t->pos and t->rank with a spanning tree that
 * fits them, for moore_rspanning_close() to start from.  -MOORE_ENOMEM; O(edges + n log n). */
int moore_rgroups_rank(const struct moore_rview *v, const struct moore_rgroups *s, uint32_t *colour,
		       struct moore_rturns *t, struct moore_err *err);

#endif

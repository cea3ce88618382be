/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* intended.h - which fabric the routes are computed for.
 *
 *   intended.c   the choice
 *   kept.c       what is seen against the graph that was kept
 *   complete.c   what is seen, with what a family's graph has besides
 *   core.c       what is seen, without switches that hang from it
 *   by_guid.c    the same fabric in the order that complete.c counts on
 *   renumber.c   the copy that both are */
#ifndef MOORE_ENGINE_INTENDED_H
#define MOORE_ENGINE_INTENDED_H

#include "moore/engine.h"
#include "moore/topo.h"

struct moore_intended {
	enum moore_intent is;
	struct moore_fabric *fabric;	/* NULL: the fabric that is seen */
	char topology[96];
	bool keep, kept_differs;	/* as in struct moore_engine_result */
	uint32_t n_unknown;		/* missing switches whose GUID is not known */
};

/* Chooses without a plan.  kept may be NULL.  End *out with moore_fabric_free(fabric). */
int moore_intended_choose(struct moore_intended *out, const struct moore_fabric *seen,
			  const struct moore_plan *kept, struct moore_err *err);

/* Sets *whole to whether the fabric has as many switches and links as a graph of some family, so that it
 * most likely is one and moore_intended_choose() leaves it as it is seen. */
int moore_intended_looks_whole(bool *whole, const struct moore_fabric *seen, struct moore_err *err);

/* The plan as a fabric in which a switch has a GUID only if the plan gives one.  If it gives all,
 * the switches are in the order of their GUIDs, as complete.c has them: so the tables are the same
 * with the plan and without. */
int moore_intended_of_plan(struct moore_fabric **out, const struct moore_plan *plan,
			   struct moore_err *err);

/* Writes "slimfly q=5", after prefix, or "graph" in place of a family. */
void moore_intended_name(const struct moore_plan *plan, const char *prefix, char *text,
			 size_t size);

struct moore_kept_diff {
	uint32_t missing;	/* switches, and linked pairs of switches, that are not seen */
	uint32_t extra;		/* those that are seen and not kept */
	uint32_t moved;		/* ports that lead elsewhere than kept, or to a new endpoint */
	uint32_t hosts;		/* endpoints that are not seen */
};
/* Compares by GUID.  O(n log n). */
int moore_kept_compare(struct moore_kept_diff *out, const struct moore_plan *kept,
		       const struct moore_fabric *seen, struct moore_err *err);

/* Copies f; switch s has number to[s] in the copy, and the others in to[] are left out, with their links and
 * endpoints.  lid_top stays that of f.  -MOORE_ENOMEM.  O(ports). */
int moore_intended_renumber(struct moore_fabric **out, const struct moore_fabric *f, const moore_swid *to,
			    struct moore_err *err);

/* Copies f without the switches that hang from it (core.c).  *out is NULL if there are none, or too many
 * for the rest to be what counts.  -MOORE_ENOMEM.  O(ports). */
int moore_intended_core(struct moore_fabric **out, const struct moore_fabric *f, struct moore_err *err);

/* If switches hang from *f, and the rest is a family's graph, replaces *f by the rest.  -MOORE_ENOMEM. */
int moore_intended_take_core(struct moore_fabric **f, struct moore_err *err);

/* Copies f with its switches in the order of their GUIDs. */
int moore_intended_by_guid(struct moore_fabric **out, const struct moore_fabric *f,
			   struct moore_err *err);

/* Makes the fabric of which seen is the given part: seen, with the links and switches that it
 * lacks.  A missing link takes a free port near the other links; a missing switch has no GUID,
 * and as many endpoints as the others if switches in its place have any. */
int moore_complete(struct moore_fabric **out, const struct moore_fabric *seen,
		   const struct moore_topo_part *part, struct moore_err *err);

#endif

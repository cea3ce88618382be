/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* problems.h - what is wrong with the subnet managers and the tables of a plane: a part.
 *
 * Each problem is a row of the table in problems.c.  It is raised when its condition has held
 * for the seconds of its row, and cleared when the condition ends.  Both are logged and sent
 * as an event; system.status lists what is raised, and is not ok meanwhile. */
#ifndef MOORED_PROBLEMS_H
#define MOORED_PROBLEMS_H

#include <jansson.h>

#include "part.h"

extern const struct part part_problems;

enum problem_kind { PROBLEM_TWO_MASTERS, PROBLEM_MANAGER_LOST, PROBLEM_TABLES, PROBLEM_UNSOUND,
	PROBLEM_SWEEP, N_PROBLEMS };

/* ---- when a condition becomes a problem (pure) -------------------------------------- */

struct problem {
	uint64_t first_ms;	/* monotonic: the condition holds since then; 0: it does not */
	bool raised;
	char text[400];		/* as raised last */
};
enum problem_step { PROBLEM_SAME, PROBLEM_RAISED, PROBLEM_CLEARED };
/* text is what is wrong now, "" for nothing.  PROBLEM_RAISED: it was raised, or its text is
 * another. */
enum problem_step problem_step(struct problem *p, const char *text, uint64_t now_ms,
			       uint64_t after_ms);

/* ---- what others ask ---------------------------------------------------------------- */

/* Judges all conditions now, so that what is raised fits what the other parts answer. */
void problems_look(struct moored *d);
/* True if a problem of the plane is raised. */
bool problems_any(const struct moored *d, unsigned plane);
/* [{"what","since_ms","text"},..] */
json_t *json_problems(const struct moored *d, unsigned plane);

#endif

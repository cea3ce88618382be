/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* managers.h - the subnet managers of one plane: which were heard, and which are lost.
 *
 * Pure: the scanner reports which managers answered a question, the caller passes the clock.
 * A manager is known by the GUID of its port from the first answer on.  One that misses
 * MANAGER_ROUNDS questions in a row is lost, until it answers again or is forgotten. */
#ifndef MOORED_MANAGERS_H
#define MOORED_MANAGERS_H

#include "scan/scanner.h"

enum { MANAGER_ROUNDS = 4 };	/* of 5 s, or of 2.5 s while no master answers */

struct known_manager {
	struct manager_heard last;
	uint64_t heard_ms;	/* wall clock */
	unsigned missed;	/* questions in a row */
};

struct managers {
	struct known_manager of[MANAGERS_MAX];
	unsigned n;
	uint64_t round;		/* of the last report */
	uint64_t master, was;	/* GUIDs; 0: none yet */
	uint64_t changed_ms;	/* wall clock at which master became another */
	uint64_t changes;
	unsigned two;		/* rounds in a row in which more than one was master */
};

/* A report that repeats a round changes nothing.  True: another master than before. */
bool managers_hear(struct managers *m, const struct manager_state *s, uint64_t now_ms);
bool manager_lost(const struct known_manager *k);
/* How many are in this state (SM_MASTER, ..) and not lost. */
unsigned managers_in(const struct managers *m, unsigned state);
unsigned managers_lost(const struct managers *m);
/* Forgets those that are lost. */
void managers_forget(struct managers *m);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* due.h - what the scanner of one plane does next.
 *
 * struct due holds when each step is due and what is pending.  next_step() reads it, the
 * other functions record what happened.  All are pure: times are microseconds of a
 * monotonic clock that the caller passes in; the wall clock has no part in it.
 *
 *   open     REOPEN_US after the last attempt, while there is no umad port
 *   look     each look_gap: one Get for each link, so that nobody has to announce a change
 *   walk     at first; when a look found a change; at rewalk_at, when ports that are up led
 *            to devices that did not answer the last walk
 *   manager  each MANAGER_US: SMInfo of the master subnet manager
 *   poll     each poll_us: all counters of switches, and those of some endpoints
 *   tables   after a walk, then each SETTLE_US until they no longer change, then each scan_us
 *   lanes    in slices: all of them after tables changed, else one slice each scan_us
 *   records  some path records of the SA after lanes were read, and each scan_us
 *
 * A look that is demanded (look_at is 0) comes before all else.  Otherwise the steps take
 * turns in this order, so that a poll that takes longer than poll_us delays the tables and
 * does not starve them.
 *
 * A walk that finds the fabric unchanged doubles the time to the next look, or to the next
 * walk to ports without an answer, up to scan_us: a flapping port does not become a load. */
#ifndef MOORED_DUE_H
#define MOORED_DUE_H

#include <stdbool.h>
#include <stdint.h>

#include "scan/scanner.h"

enum { LOOK_US = 500000, SETTLE_US = 500000, REOPEN_US = 2000000, MANAGER_US = 5000000,
	MANAGER_RETRY_US = 2500000, MANAGER_MISSES = 5 };
#define NEVER UINT64_MAX

enum step { STEP_WAIT, STEP_OPEN, STEP_LOOK, STEP_WALK, STEP_MANAGER, STEP_POLL, STEP_TABLES,
	STEP_LANES, STEP_RECORDS, N_STEPS };

/* Batches that stop when answers are late, so that a look can find out why; one that was
 * stopped is patient the next time. */
enum reading { READ_COUNTERS, READ_TABLES, READ_RECORDS, N_READINGS };

struct due {
	uint64_t poll_us, scan_us;	/* poll_ms and sweep_s of moored.conf(5) */
	uint64_t open_at, look_at, rewalk_at, manager_at, poll_at, tables_at;
	uint64_t look_gap, rewalk_gap;
	enum step last;		/* the last step that began */
	/* What there is.  The caller sets snapshot, LIDs (the snapshot has them) and tables. */
	bool have_port, have_snapshot, have_lids, have_tables, have_lanes;
	/* What is pending. */
	bool changed;		/* a look found a change that no walk has followed */
	bool walked;		/* the fabric changed after the last reading of tables */
	bool lanes, lanes_slice, records;	/* all lanes; one slice; records */
	bool patient[N_READINGS];
	/* How the master subnet manager was last heard of. */
	uint64_t manager_heard;	/* when it answered last, or was asked first; 0: never */
	unsigned manager_misses;	/* questions without an answer since then */
};

struct next {
	enum step step;
	uint64_t until;		/* of STEP_WAIT: when the next step is due */
};

void due_init(struct due *d, uint32_t poll_ms, uint32_t scan_s);
struct next next_step(const struct due *d, uint64_t now);
/* Before a step that next_step() returned: sets when steps of a fixed period are due again. */
void due_begin(struct due *d, enum step s, uint64_t now);

/* ---- requests from outside ---------------------------------------------------------- */

void due_look_now(struct due *d);	/* the device reported an event */
void due_kick(struct due *d);		/* look, and read tables, at once */

/* ---- what came of a step; now is the time at which it ended ------------------------- */

void due_opened(struct due *d, uint64_t now, bool opened);
void due_lost(struct due *d, uint64_t now);	/* the device of the port is gone */

enum look { LOOK_SAME, LOOK_CHANGED, LOOK_UNKNOWN /* no link, or no answers */ };
void due_looked(struct due *d, uint64_t now, enum look found);
/* The next look is one look_gap from now. */
void due_rest(struct due *d, uint64_t now);

enum walk { WALK_SAME, WALK_NEW, WALK_FAILED };
/* unanswered: some ports are up and lead to a device that did not answer. */
void due_walked(struct due *d, uint64_t from, uint64_t now, enum walk found, bool unanswered);

/* left: the batch stopped because answers were late.  Then a look is demanded. */
void due_read(struct due *d, enum reading r, bool left);
void due_tables(struct due *d, uint64_t now, bool new_tables);
void due_tables_failed(struct due *d, uint64_t now);
void due_lanes(struct due *d, bool whole, bool at_end);	/* at_end: it was the last slice */
void due_records(struct due *d, bool whole);

/* found: what one question found; MANAGER_SILENT is one question without an answer. */
void due_manager(struct due *d, uint64_t now, enum manager found);
/* MANAGER_MISSES questions in a row had no answer.  That is less than 20 s after the last
 * answer, plus what a MAD waits, unless other steps hold the thread. */
bool due_manager_silent(const struct due *d);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/motion.h - from what the switches hold to the final tables, in safe steps.
 *
 * A step is a set of rows that are written at the same time, in any order; the next step
 * begins when all of them are acknowledged.  Each step is chosen such that no mixture of
 * the rows before and after it can deadlock or loop, and that no packet of a live pair is
 * dropped.  A pair is (switch, LID); it is live while every mixture of what is held
 * delivers its packets.  The final tables alone decide what is reached; the steps depend on
 * what is held as well.  Packets that a switch without endpoints sends itself may be dropped for
 * some steps, other than those to opts.first, if the change takes fewer steps so.
 *
 * Rows of which several values are held are sent again with the first step: with their
 * value in held.lft, if the step has no other.  So are all rows of a switch of which nothing is
 * known: with no-path, if the step has no other.  So that step may be empty.
 *
 * A packet that a switch forwarded under a row may stay in a buffer after the row has
 * changed, and meet rows that are younger by several steps.  Between two steps with
 * `wait` = false this does no harm: the rows of all steps since the last wait are safe
 * together.  A step with `wait` = true may begin only when the packets that were in
 * the fabric before the rows of the previous step were acknowledged have left it.
 *
 * docs/theory.md, "Tables in motion", has the argument.  moore_mix_held() (mix.h), which
 * shares nothing with this, judges the steps before they are sent. */
#ifndef MOORE_MOTION_H
#define MOORE_MOTION_H

#include "base.h"
#include "held.h"
#include "jobs.h"
#include "tables.h"

MOORE_BEGIN

struct moore_motion_opts {
	const struct moore_sl2vl *sl2vl;	/* as the ports apply it */
	const struct moore_sl2vl *other;	/* another that may be in force; or NULL */
	/* SLs that sources use once they have asked for path records again; NULL: any SL on any
	 * LID.  Under sl-hint the rows held may be unsafe with them: see start_unsafe. */
	const struct moore_sl_set *sl_set;
	/* Multicast trees, old and new, that may be in force during the steps. */
	const struct moore_mft *const *mft;
	size_t n_mft;
	const moore_lid *first;		/* LIDs whose rows change first, such as the SM's */
	size_t n_first;
	/* Rows that no switch holds any more, but that packets in the fabric may have followed. */
	const struct moore_row *past;
	size_t n_past;
	bool drop_first;	/* the rows that change become no-path in the first step */
	const struct moore_jobs *jobs;	/* may be NULL; the steps do not depend on it */
};

struct moore_motion_step {
	size_t first, n;		/* row[first] .. row[first + n - 1] */
	bool wait;			/* packets of the steps before must have left */
	uint32_t no_path;		/* rows that this step sets to no-path */
	/* Pairs, of all switches that have an endpoint: */
	uint64_t back;			/* dead before the sequence, alive after this step */
	uint64_t interrupted;		/* alive before, and dropped by this step: a last resort */
};

struct moore_motion {
	struct moore_row *row;
	uint32_t n_rows, cap_rows;
	struct moore_motion_step *step;	/* none when nothing changes */
	uint32_t n_steps, cap_steps;
	uint64_t dead;			/* pairs that were dead at the beginning and live at the end */
	/* What is held could deadlock already, as it could if rows are not known: steps cannot
	 * mend that, so the rows that change are dropped first. */
	bool start_unsafe;
};

/* Finds the steps from held to now, tables of the switches of f in one stride.  Ports that
 * are gone have no role in f; rows that lead to them are dead.  The caller frees *out with
 * moore_motion_free().  -MOORE_ENOMEM; -MOORE_EINVAL if tables and fabric do not fit;
 * -MOORE_EUNSAFE if the final tables themselves can deadlock on the lanes of opts.
 * Deterministic.  O(switches * LIDs), and for each LID that changes O(switches) for each
 * step and, for each row that changes, the channels between both ends of its turns in the
 * order of channels. */
MOORE_API int moore_motion_build(struct moore_motion **out, const struct moore_fabric *f,
				 const struct moore_held *held, const struct moore_lft *now,
				 const struct moore_motion_opts *opts, struct moore_err *err);
MOORE_API void moore_motion_free(struct moore_motion *m);	/* NULL is fine */

/* Finds further values for the rows of the LIDs whose bit is set in lids (bit l: LID l), so that
 * each row has at most n_max values (1..254), all on routes of as many hops as its value in lft.
 * No mixture of them can loop, or deadlock on the lanes of opts, of which only sl2vl, other and
 * sl_set count.  The caller frees *more, sorted by LID, with free().  -MOORE_ENOMEM;
 * -MOORE_EINVAL if tables and fabric do not fit; -MOORE_EUNSAFE if lft itself can deadlock.
 * Deterministic.  O(switches * LIDs) and, for each value that is tried, the channels between both
 * ends of its turns in the order of channels. */
MOORE_API int moore_motion_widen(struct moore_row **more, size_t *n_more,
				 const struct moore_fabric *f, const struct moore_lft *lft,
				 const uint64_t *lids, unsigned n_max,
				 const struct moore_motion_opts *opts, struct moore_err *err);

MOORE_END

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/engine.h - from a fabric to tables that the checker accepted, and from the tables in
 * force to those.  The OpenSM plugin calls it at each heavy sweep, and moorectl off line. */
#ifndef MOORE_ENGINE_H
#define MOORE_ENGINE_H

#include "base.h"
#include "check.h"
#include "conf.h"
#include "mix.h"
#include "motion.h"
#include "route.h"
#include "tables.h"

MOORE_BEGIN

enum moore_intent {		/* the fabric that routes were computed for */
	MOORE_INTENT_SEEN,	/* the fabric as it is seen */
	MOORE_INTENT_PLAN,
	MOORE_INTENT_KEPT,	/* the graph kept from an earlier sweep */
	MOORE_INTENT_FAMILY,	/* the family's graph of which the fabric was recognised as a part */
};

struct moore_engine_result {
	struct moore_route *route;	/* kept for multicast */
	const struct moore_lft *lft;	/* inside route */
	struct moore_sl2vl *sl2vl;	/* effective */
	struct moore_sl_set *sl_set;	/* what sources may use; NULL: any SL on any LID */
	struct moore_verdict *verdict;	/* of the checker: sound */
	char topology[96];		/* "slimfly q=5", "planned slimfly q=5 p=4", or "" (unrecognised) */
	enum moore_intent intent;
	bool plan_unused;		/* a plan was given, but no switch of it was found */
	bool keep;			/* the fabric is complete: moore_engine_keep() it in place
					 * of conf->kept */
	bool kept_differs;		/* conf->kept was not used: the fabric is no part of it */
	uint32_t n_unknown;		/* missing switches whose GUID, and so whose place among the
					 * others, is not known */
	uint64_t hash;			/* of the settings, the plan and the tables, by GUID */
	uint64_t routes_hash, lanes_hash;	/* of the tables alone: moore_lft_hash() */
};

/* moore_engine_run() calls now (may be NULL) at each mark, so that the caller can time the
 * stages: the library has no clock.  With several workers (conf->jobs) lanes are set, and the
 * check is prepared, while routes are computed, unless lanes follow these; the marks of both then come
 * one after the other. */
enum moore_engine_mark { MOORE_MARK_ROUTED, MOORE_MARK_LANES, MOORE_MARK_CHECKED };

/* plan may be NULL; then the kept graph of conf is used as long as all that is seen is part of
 * it, else the family's graph of which the fabric is a part.  Borrows seen, which must
 * outlive *out.  Fails as moore_route_build(), or with -MOORE_EUNSAFE when the checker rejects
 * the computed tables, which would be a defect of this library. */
MOORE_API int moore_engine_run(struct moore_engine_result **out,
			       const struct moore_fabric *seen, const struct moore_plan *plan,
			       const struct moore_conf *conf,
			       void (*now)(void *arg, enum moore_engine_mark), void *arg,
			       struct moore_err *err);
MOORE_API void moore_engine_result_free(struct moore_engine_result *r);

/* Receives the tables of a fabric in parts: row s of part holds the LIDs from first on. */
struct moore_engine_taker {
	void (*take)(void *arg, const struct moore_lft *part, moore_lid first);
	void *arg;
};
#define MOORE_ENGINE_PART 1024	/* LIDs of a part */

/* Makes and judges tables that memory cannot hold (moore_route_part(), moore_check_part()).  Of conf
 * only profile (not sl-hint), lanes and jobs count.  Some parts may be taken before this fails; then
 * they are not proven.  Fails as moore_engine_run().  Memory: O(links * ports + LIDs), and some
 * kilobytes for each switch. */
MOORE_API int moore_engine_run_parts(struct moore_verdict **out, const struct moore_fabric *f,
				     const struct moore_conf *conf,
				     const struct moore_engine_taker *taker, struct moore_err *err);

/* The plugin keeps the graph in this file, in the directory OSM_CACHE_DIR, else OpenSM's own. */
#define MOORE_KEPT_FILE "moore-kept.json"

/* Makes the graph to keep of a fabric that was routed with this result's topology.  The caller
 * ends *out with moore_plan_free().  Fails as moore_plan_from_fabric(). */
MOORE_API int moore_engine_keep(struct moore_plan **out, const struct moore_fabric *seen,
				const char *topology, struct moore_err *err);

struct moore_engine_step {	/* what moore_mix_held() found */
	bool safe;		/* every mixture with the rows before this step */
	bool safe_together;	/* every mixture of the rows since the last wait that was planned */
	/* Pairs that were live before the first step and that a mixture of this step drops. */
	uint64_t interrupted;
};

struct moore_engine_steps {
	struct moore_motion *motion;
	struct moore_engine_step *step;	/* motion->n_steps of them */
	struct moore_err why;	/* what could happen in the first unsafe step; code 0: all are safe */
};

/* Finds the steps from held to now, as moore_motion_build(), and judges them.  Where the rows
 * since a wait are not safe together, each step waits.  -MOORE_ENOMEM; -MOORE_EINVAL if
 * tables and fabric do not fit.  Costs the build, and moore_mix_held() for each wait; where a
 * mixture is unsafe or interrupts a pair, for each step. */
MOORE_API int moore_engine_steps(struct moore_engine_steps **out, const struct moore_fabric *f,
				 const struct moore_held *held, const struct moore_lft *now,
				 const struct moore_motion_opts *opts, struct moore_err *err);
MOORE_API void moore_engine_steps_free(struct moore_engine_steps *s);	/* NULL is fine */

MOORE_END

#endif

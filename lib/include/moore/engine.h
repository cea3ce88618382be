/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/engine.h - from a fabric to tables that the checker accepted.  The OpenSM plugin calls
 * it at each heavy sweep, and `moorectl route` off line. */
#ifndef MOORE_ENGINE_H
#define MOORE_ENGINE_H

#include "base.h"
#include "check.h"
#include "conf.h"
#include "route.h"
#include "tables.h"

MOORE_BEGIN

struct moore_engine_result {
	struct moore_route *route;	/* kept for multicast */
	const struct moore_lft *lft;	/* inside route */
	struct moore_sl2vl *sl2vl;	/* effective */
	struct moore_sl_set *sl_set;	/* what sources may use; NULL: any SL on any LID */
	struct moore_verdict *verdict;	/* of the checker: sound */
	char topology[96];		/* "slimfly q=5", "planned slimfly q=5 p=4", or "" (unrecognised) */
	bool plan_unused;		/* a plan was given, but no switch of it was found */
	uint64_t hash;			/* of the settings, the plan and the tables, by GUID */
	uint64_t routes_hash, lanes_hash;	/* of the tables alone: moore_lft_hash() */
};

/* moore_engine_run() calls now (may be NULL) at each mark, so that the caller can time the
 * stages: the library has no clock. */
enum moore_engine_mark { MOORE_MARK_ROUTED, MOORE_MARK_LANES, MOORE_MARK_CHECKED };

/* plan may be NULL.  Borrows seen, which must outlive *out.  Fails as moore_route_build(),
 * or with -MOORE_EUNSAFE when the checker rejects the computed tables, which would be a
 * defect of this library. */
MOORE_API int moore_engine_run(struct moore_engine_result **out,
			       const struct moore_fabric *seen, const struct moore_plan *plan,
			       const struct moore_conf *conf,
			       void (*now)(void *arg, enum moore_engine_mark), void *arg,
			       struct moore_err *err);
MOORE_API void moore_engine_result_free(struct moore_engine_result *r);

MOORE_END

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/accept.h - does a switch keep the tables that the proof of deadlock freedom rests on?
 *
 * Compares what was read of a switch with what OpenSM has programmed there.  A switch that stores
 * a table can still disregard it when it forwards: only traffic tells that, so a verdict here is
 * about tables alone. */
#ifndef MOORE_ACCEPT_H
#define MOORE_ACCEPT_H

#include "base.h"
#include "hardware.h"
#include "tables.h"

MOORE_BEGIN

enum moore_accept_row {
	MOORE_ACCEPT_SL2VL,	/* one row for each (in, out) pair of ports */
	MOORE_ACCEPT_VLS,	/* operational VLs, to which rows are masked */
	MOORE_ACCEPT_ARB,	/* weights of VL arbitration */
	MOORE_ACCEPT_NO_PATH,	/* forwarding rows, 255 among them */
	MOORE_ACCEPT_TOP,	/* the greatest LID that is forwarded */
	MOORE_ACCEPT_LMC,	/* all LIDs of an endpoint lead to it */
	MOORE_N_ACCEPT
};
enum moore_accept_verdict { MOORE_ACCEPT_UNKNOWN, MOORE_ACCEPT_NO, MOORE_ACCEPT_YES };

struct moore_accept_side {	/* what is not known is NULL */
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	const struct moore_sl2vl *sl2vl;
	const struct moore_hardware *hardware;	/* of what was programmed: unused */
	bool vls;		/* lanes of f are operational VLs, and not assumed */
};

struct moore_accepted {
	moore_swid sw;
	struct {
		enum moore_accept_verdict verdict;
		struct moore_buf why;	/* a sentence without a full stop */
	} row[MOORE_N_ACCEPT];
};

/* Judges switch s of read->f.  read->hardware NULL: nothing was read from a switch, so nothing
 * can be told.  programmed->f may be NULL, or have other switches as well; they are joined by
 * GUID, and forwarding rows by LID.  After 0, *out ends with moore_accepted_free().
 * -MOORE_ENOMEM.  O(LIDs + ports^2). */
MOORE_API int moore_accept(struct moore_accepted *out, const struct moore_accept_side *read,
			   const struct moore_accept_side *programmed, moore_swid s,
			   struct moore_err *err);
MOORE_API void moore_accepted_free(struct moore_accepted *a);

MOORE_END

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* records.h - whether the files in state_dir can be written, which a full disk prevents.
 *
 * Each part that writes there reports here how it went.  The log has one line when that
 * changes; system.status and the metrics tell it for as long as it lasts. */
#ifndef MOORED_RECORDS_H
#define MOORED_RECORDS_H

#include "log.h"

enum record { RECORD_HISTORY, RECORD_EVENTS, RECORD_WIRING, N_RECORDS };
struct records {		/* zeroed to begin with */
	struct {
		struct log_gate gate;
		char why[400];	/* "" while it can be written */
	} of[N_RECORDS];
};

/* The loop's thread reports that the files of this record were written, or why not. */
void records_written(struct records *r, enum record which);
void records_failed(struct records *r, enum record which, const char *why);
/* Reports one of the two of a job that has ended: `why` is empty where a worker stopped before it
 * tried, which says nothing. */
void records_ended(struct records *r, enum record which, bool written, const char *why);
/* There is nothing to write any more. */
void records_forget(struct records *r, enum record which);
/* Why a record cannot be written; "" when all can. */
const char *records_error(const struct records *r);

#endif

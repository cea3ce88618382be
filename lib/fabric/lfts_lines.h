/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* lfts_lines.h - opensm-lfts.dump as a sequence of items: a section for each
 * switch, in it a row for each LID.  Both readers of that file (its LIDs, its
 * routes) stand on this. */
#ifndef MOORE_FABRIC_LFTS_LINES_H
#define MOORE_FABRIC_LFTS_LINES_H

#include "scan.h"

struct moore_lfts_item {
	enum { MOORE_LFTS_SWITCH, MOORE_LFTS_ROW } kind;
	moore_lid lid;		/* the switch's own, or the row's */
	uint64_t guid;		/* of the switch; or port GUID of the LID's owner */
	bool owned;		/* OpenSM knew who has the row's LID */
	moore_portnum port;	/* of a row */
	const char *name;	/* of a switch */
	size_t name_len;
};

struct moore_lfts {
	struct moore_scan l;
	bool open;		/* within a section */
};

/* 1: *it is the next item; 0: the end; or -MOORE_ESYNTAX. */
int moore_lfts_next(struct moore_lfts *r, struct moore_lfts_item *it, struct moore_err *err);

#endif

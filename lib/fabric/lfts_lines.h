/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* lfts_lines.h - reads opensm-lfts.dump as a sequence of items: a section for each switch,
 * with a row for each LID.  Both readers of the file use it, the one of its LIDs and the one
 * of its routes. */
#ifndef MOORE_FABRIC_LFTS_LINES_H
#define MOORE_FABRIC_LFTS_LINES_H

#include "scan.h"

struct moore_lfts_item {
	enum { MOORE_LFTS_SWITCH, MOORE_LFTS_ROW } kind;
	moore_lid lid;		/* LID of the switch, or of the row */
	uint64_t guid;		/* GUID of the switch, or port GUID of the row's owner */
	bool owned;		/* OpenSM knew the owner of the row's LID */
	moore_portnum port;	/* out port of a row */
	const char *name;	/* name of a switch */
	size_t name_len;
};

struct moore_lfts {
	struct moore_scan l;
	bool open;		/* inside a section */
};

/* Returns 1 with the next item in *it, 0 at the end of the text, or -MOORE_ESYNTAX. */
int moore_lfts_next(struct moore_lfts *r, struct moore_lfts_item *it, struct moore_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/held.h - the rows that switches may hold while tables change.
 *
 * A switch holds one value for each LID, but the sender of the tables does not always know
 * which: a write that was not acknowledged leaves the old or the new value, and a switch
 * that was reset may hold anything.  So a row is a set of values.  A mixture is any choice
 * of one value from the set of each row. */
#ifndef MOORE_HELD_H
#define MOORE_HELD_H

#include "base.h"
#include "tables.h"

MOORE_BEGIN

struct moore_row {		/* a value of the row of one LID at one switch */
	moore_swid sw;
	moore_lid lid;
	uint8_t port;		/* or MOORE_NO_PATH */
};

struct moore_held {
	const struct moore_lft *lft;	/* one value of each row */
	const struct moore_row *more;	/* further values, in any order; repeats do no harm */
	size_t n_more;
	/* Bit s: the rows of switch s are not known: each may have any value.  NULL: none. */
	const uint64_t *unknown;
};

MOORE_END

#endif

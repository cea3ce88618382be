/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/select.h - chooses the LID offset to send on by the load of the links: the
 * comparison of UGAL. */
#ifndef MOORE_SELECT_H
#define MOORE_SELECT_H

#include "base.h"
#include "counters.h"
#include "fabric.h"
#include "tables.h"

MOORE_BEGIN

/* A form of UGAL.  The shortest route is taken unless, for another,
 *	queue(minimal) > weight * queue(other) * (by_hops ? hops(other)/hops(minimal) : 1)
 *			 + threshold.
 * queue() estimates the occupancy of an output by b / (1 - b), the mean number in an M/M/1
 * queue that is busy (sends, or waits to send) for the share b of the time. */
struct moore_ugal {
	const char *name, *source;
	double weight, threshold;
	bool by_hops;
	bool local;		/* queue() of the first link (UGAL-L); else of the fullest */
};
MOORE_API const struct moore_ugal *moore_ugal_at(size_t i);	/* NULL past the end */

struct moore_use {		/* of a port */
	double load, wait;	/* shares; negative (unknown) counts as 0 */
};

struct moore_choice {
	/* Set by the caller; bytes is what will be sent per second, 0 for a question only. */
	moore_swid from;
	moore_epid ep;
	double bytes;
	/* Set by moore_path_select(). */
	uint16_t offset;	/* chosen; MOORE_N_OFFSETS when no offset has a route */
	bool minimal;		/* no other offset has a shorter route */
	uint16_t n_offsets;
	uint16_t hops[MOORE_N_OFFSETS];	/* between switches; UINT16_MAX: no route */
	double queue[MOORE_N_OFFSETS];
	uint32_t worst[MOORE_N_OFFSETS];	/* port of the fullest link; MOORE_NONE */
};

/* Chooses for c[0], c[1], ... in turn.  The bytes of a choice are added to use[], so they
 * count for the choices after it.  -MOORE_EINVAL when a switch or endpoint does not exist.
 * O(n * offsets * hops). */
MOORE_API int moore_path_select(const struct moore_fabric *f, const struct moore_lft *lft,
				const struct moore_line *line, struct moore_use *use,
				const struct moore_ugal *form, struct moore_choice *c, size_t n,
				struct moore_err *err);

MOORE_END

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* mix_impl.h - the stages that judge a change of tables.
 *
 *   mix.c        the procedure, and tables of two fabrics in one shape
 *   mix_walk.c   for each LID the graph of old and new next hops: loops, VLs held
 *   mix_order.c  an order of writes in which nothing loops
 *   churn.c      how much changes, and how much must change
 *
 * Dependencies are computed from turns by the checker's own code (check_impl.h). */
#ifndef MOORE_LANE_MIX_IMPL_H
#define MOORE_LANE_MIX_IMPL_H

#include "lane/check_impl.h"
#include "moore/mix.h"

struct moore_mx {
	struct moore_ck k;		/* fabric, lanes, turns */
	const struct moore_lft *was, *now;
	uint32_t n_blocks;
	uint64_t *loops;		/* bit set of the LIDs that loop in some combination */
	/* When each block is written: [block * n_sw + switch].  NULL: at any time. */
	const uint32_t *when;
	uint32_t *by_guid;		/* switches in GUID order */
};

/* Returns the switch that port out of s leads to, or n_sw. */
static inline uint32_t
moore_mx_next(const struct moore_mx *m, moore_swid s, uint8_t out)
{
	return out > m->k.f->sw[s].n_ports ? m->k.n_sw : m->k.hop[m->k.slot0[s] + out].next;
}

/* Notes in k's cells the VLs held in any combination, or (m->when) in those that can occur
 * in that order of writes, and in *v the counts of LIDs, loops and dead rows. */
int moore_mx_walk(struct moore_mx *m, struct moore_mix *v, struct moore_err *err);
int moore_mx_order(struct moore_mx *m, struct moore_mix *v, struct moore_err *err);

#endif

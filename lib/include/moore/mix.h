/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/mix.h - what may happen while old tables are replaced by new ones.
 *
 * Tables go out in blocks of 64 LIDs, switch by switch, while traffic runs: for
 * a time each switch holds, for each LID, its old or its new row, in any
 * combination.  Two sound tables can mix into a loop, or into a cycle of waiting
 * packets.  This judges every combination at once, from tables alone, like
 * moore/check.h. */
#ifndef MOORE_MIX_H
#define MOORE_MIX_H

#include "base.h"
#include "check.h"
#include "tables.h"

MOORE_BEGIN

struct moore_mix_tables {
	const struct moore_lft *lft;
	const struct moore_sl2vl *sl2vl;
};

/* One write: block number (LID / 64) of a switch. */
struct moore_mix_step {
	uint32_t block;
	moore_swid sw;
};

enum moore_mix_order {
	MOORE_ORDER_ANY,	/* nothing loops in whatever order blocks go out */
	MOORE_ORDER_SWITCHES,	/* switch after switch, each with all its blocks */
	MOORE_ORDER_BLOCKS,	/* block after block, each with an order of its own */
	MOORE_ORDER_UNKNOWN,	/* none was found in which whole blocks go out */
};

struct moore_mix {
	bool safe;		/* no loops and acyclic: any combination is sound */
	uint32_t lids;		/* with a route in either table */
	uint32_t lids_changed;	/* of these with a row that differs */
	uint32_t loop_lids;	/* of these that some combination sends in circles */
	moore_lid loop_lid;	/* one of them, and a shortest loop of all */
	struct moore_channel *loop;	/* switch and out port; vl unused */
	uint32_t loop_len;
	bool acyclic;		/* dependencies of all combinations together */
	uint32_t n_channels;
	uint64_t n_dependencies;
	struct moore_channel *cycle;	/* a shortest one; NULL when acyclic */
	uint32_t cycle_len;
	/* (switch, LID) of which one row leads on and the other to nothing */
	uint64_t dead_old;	/* the old one: lost until it is replaced */
	uint64_t dead_new;	/* the new one: the LID left, or is cut off */

	/* Writing every changed block in the order of step[], no LID ever loops. */
	enum moore_mix_order order;
	struct moore_mix_step *step;	/* NULL when order is UNKNOWN */
	uint32_t n_steps;
	bool order_acyclic;	/* nor can waiting packets form a cycle, in that order */
	uint32_t bad_blocks;	/* block numbers that hold a LID of loop_lids, */
	uint32_t ordered_blocks;	/* and of these, those for which an order was found */
	/* OpenSM's order is by block, then by switch GUID: LIDs that loop in it. */
	uint32_t opensm_loop_lids;
};

/* f: ports and roles as they are now; what is gone has no role.  Rows of both
 * tables are by f's switches and the same LIDs (moore_mix_carry()).
 * -MOORE_ENOMEM; -MOORE_EINVAL when tables and fabric do not fit.
 * O(LIDs * switches * distinct SL columns + dependencies), and for LIDs that can
 * loop O(switches) times their changed rows at worst. */
MOORE_API int moore_mix_judge(struct moore_mix **out, const struct moore_fabric *f,
			      const struct moore_mix_tables *was,
			      const struct moore_mix_tables *now, struct moore_err *err);
MOORE_API void moore_mix_free(struct moore_mix *m);

/* Bring tables of two fabrics to one shape: of f's switches (by GUID) and
 * stride bytes a row.  A switch that from does not have gets no routes and, in
 * *sl2vl, the rows of now.  sl2vl may be NULL: then only rows are carried. */
MOORE_API int moore_mix_carry(struct moore_lft **lft, struct moore_sl2vl **sl2vl,
			      const struct moore_fabric *f, size_t stride,
			      const struct moore_fabric *from, const struct moore_mix_tables *was,
			      const struct moore_mix_tables *now, struct moore_err *err);

/* ---- churn ------------------------------------------------------------------ */

struct moore_churn_count {
	uint64_t rows, blocks;	/* (switch, LID) and (switch, LID / 64) */
};

struct moore_churn {
	struct moore_churn_count all;		/* that exist */
	struct moore_churn_count changed;	/* that differ */
	/* Of LIDs that are joined: rows whose old route does not arrive any more. */
	struct moore_churn_count lost;
	/* What every table that delivers all that is connected must change: rows
	 * that lead to nothing now. */
	struct moore_churn_count forced;
	/* What every table that also sends base LIDs the shortest way must change:
	 * besides, rows of base LIDs whose next switch is not nearer to the LID
	 * than the switch itself is. */
	struct moore_churn_count shortest;
};

/* Both tables as for moore_mix_judge().  O(switches * (links + LIDs)). */
MOORE_API int moore_churn(struct moore_churn *out, const struct moore_fabric *f,
			  const struct moore_lft *was, const struct moore_lft *now,
			  struct moore_err *err);

MOORE_END

#endif

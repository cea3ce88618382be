/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/mix.h - what can happen while old tables are replaced by new ones.
 *
 * Tables are sent in blocks of 64 LIDs, switch by switch, while traffic runs.  So for a
 * time each switch has, for each LID, its old or its new row, in any combination.  Two
 * sound tables can mix into a loop, or into a deadlock.  The functions here judge every
 * combination at once, from the tables alone, like moore/check.h. */
#ifndef MOORE_MIX_H
#define MOORE_MIX_H

#include "base.h"
#include "check.h"
#include "held.h"
#include "jobs.h"
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
	MOORE_ORDER_ANY,	/* nothing loops in any order of the blocks */
	MOORE_ORDER_SWITCHES,	/* switch by switch, each with all its blocks */
	MOORE_ORDER_BLOCKS,	/* block by block, each with its own order of switches */
	MOORE_ORDER_UNKNOWN,	/* no order of whole blocks was found */
};

struct moore_mix {
	bool safe;		/* no loops and acyclic: every combination is sound */
	uint32_t lids;		/* LIDs with a route in either table */
	uint32_t lids_changed;	/* those of them with a row that differs */
	uint32_t loop_lids;	/* those of them that loop in some combination */
	moore_lid loop_lid;	/* LID of a shortest loop in any combination */
	struct moore_channel *loop;	/* switch and out port; vl unused */
	uint32_t loop_len;
	bool acyclic;		/* dependencies of all combinations form no cycle */
	uint32_t n_channels;
	uint64_t n_dependencies;
	struct moore_channel *cycle;	/* a shortest one; NULL when acyclic */
	uint32_t cycle_len;
	/* Pairs (switch, LID) of which one row leads on and this one leads to nothing. */
	uint64_t dead_old;	/* the old one: packets are lost until it is replaced */
	uint64_t dead_new;	/* the new one: the LID is gone or unreachable */

	/* If every changed block is written in the order of step[], no LID ever loops. */
	enum moore_mix_order order;
	struct moore_mix_step *step;	/* NULL when order is UNKNOWN */
	uint32_t n_steps;
	bool order_acyclic;	/* in that order no deadlock can arise either */
	uint32_t bad_blocks;	/* block numbers with a LID that can loop, */
	uint32_t ordered_blocks;	/* and those of them for which an order was found */
	/* LIDs that loop in OpenSM's order: by block, then by switch GUID. */
	uint32_t opensm_loop_lids;
};

/* Judges the change.  f has the ports and roles of the present fabric; ports that are gone
 * have no role.  The rows of both tables are by f's switches and the same LIDs
 * (moore_mix_carry()).  The caller frees *out with moore_mix_free().
 * -MOORE_ENOMEM; -MOORE_EINVAL if tables and fabric do not fit.
 * O(LIDs * switches * distinct SL columns + dependencies), and for LIDs that can loop
 * O(switches) times their changed rows at worst. */
MOORE_API int moore_mix_judge(struct moore_mix **out, const struct moore_fabric *f,
			      const struct moore_mix_tables *was,
			      const struct moore_mix_tables *now, struct moore_err *err);
MOORE_API void moore_mix_free(struct moore_mix *m);

/* Brings the tables `was` of fabric `from` into the shape of f: switches by GUID, stride
 * bytes a row.  A switch that `from` does not have gets no routes.  Where `from` has no link
 * at the in or the out port, *sl2vl has the rows of now, since the lanes of a link are set
 * before it carries data.  sl2vl may be NULL; then only routes are carried over. */
MOORE_API int moore_mix_carry(struct moore_lft **lft, struct moore_sl2vl **sl2vl,
			      const struct moore_fabric *f, size_t stride,
			      const struct moore_fabric *from, const struct moore_mix_tables *was,
			      const struct moore_mix_tables *now, struct moore_err *err);

/* ---- sets of rows ------------------------------------------------------------ */

struct moore_mix_lanes {
	const struct moore_sl2vl *sl2vl;	/* as the ports apply it */
	const struct moore_sl2vl *other;	/* another that may be in force; NULL: there is none */
	/* SLs that sources use, none for LIDs beyond it; NULL: any SL on any LID. */
	const struct moore_sl_set *sl_set;
	/* Multicast tables: each switch may have the mask of any of them, for each group. */
	const struct moore_mft *const *mft;
	size_t n_mft;
};

struct moore_mix_held {
	bool safe;			/* no LID loops, no group loops, and acyclic */
	uint32_t lids;			/* LIDs that some row sends to a port in use */
	uint32_t lids_mixed;		/* of these, LIDs that have a row of several values */
	uint32_t loop_lids;		/* LIDs that loop in some mixture */
	moore_lid loop_lid;		/* the least of them, or 0 */
	uint32_t loop_groups;		/* multicast groups in which a packet can circulate */
	uint16_t loop_mlid;		/* one of them, or 0 */
	bool acyclic;			/* dependencies of all mixtures form no cycle */
	uint32_t n_channels;
	uint64_t n_dependencies;
	struct moore_channel *cycle;	/* a shortest one; NULL when acyclic */
	uint32_t cycle_len;
	/* Pairs (switch with endpoints, LID), the owner's switch included, by rows alone: */
	uint64_t live;			/* pairs that every mixture of `before` connects */
	uint64_t interrupted;		/* of these, pairs that some mixture of `held` drops */
	moore_swid interrupted_sw;	/* one of them, of the least LID, or MOORE_NONE */
	moore_lid interrupted_lid;
};

/* Judges every mixture of what the switches may hold, in the present fabric f.  A row of
 * unknown value may lead out of every port that has a role, or drop.  A value that names a
 * port without a role, or one that the switch does not have, drops.  Multicast is judged
 * with the union of the masks of each switch.
 * before (may be NULL, and has the same stride) is what the switches held when the change
 * began; without it, live and interrupted are 0.  jobs may be NULL.  The caller frees *out with
 * moore_mix_held_free().  -MOORE_ENOMEM; -MOORE_EINVAL if tables and fabric do not fit.
 * About the cost of moore_check() and, for each LID with several values in a row or other
 * rows than before, O(switches + values) for each class of SLs. */
MOORE_API int moore_mix_held(struct moore_mix_held **out, const struct moore_fabric *f,
			     const struct moore_held *held, const struct moore_held *before,
			     const struct moore_mix_lanes *lanes, const struct moore_jobs *jobs,
			     struct moore_err *err);
MOORE_API void moore_mix_held_free(struct moore_mix_held *m);	/* NULL is fine */

/* Judges several mixtures of one change.  What is the same in all of them is walked once:
 * the groups, and the LIDs that are not in the bit set `lids`, whose rows are those of
 * before->lft.  Borrows all but lids.  Errors as for moore_mix_held(), and -MOORE_EINVAL for
 * a mixture in which other LIDs change. */
struct moore_mix_series;
MOORE_API int moore_mix_series_new(struct moore_mix_series **out, const struct moore_fabric *f,
				   const struct moore_held *before, const uint64_t *lids,
				   const struct moore_mix_lanes *lanes,
				   const struct moore_jobs *jobs, struct moore_err *err);
/* The caller frees *out with moore_mix_held_free(). */
MOORE_API int moore_mix_series_judge(struct moore_mix_held **out,
				     const struct moore_mix_series *s,
				     const struct moore_held *held, struct moore_err *err);
MOORE_API void moore_mix_series_free(struct moore_mix_series *s);	/* NULL is fine */

/* ---- single cuts ------------------------------------------------------------- */

struct moore_mix_cuts {
	uint32_t n_links, n_bad;	/* links judged, and of these with a loop, a cycle or a loss */
	moore_swid sw;			/* the first bad one, at this switch and port */
	moore_portnum port;
	struct moore_mix_held *bad;	/* what happens there; NULL when n_bad is 0 */
};

/* Judges, for each link between switches, every mixture of `rows` in which rows whose value leads
 * over that link hold their backups as well: the values in backup[], at both of its ends.
 * Borrows all for the call; jobs may be NULL.  The caller frees out->bad with
 * moore_mix_held_free().  Errors as for moore_mix_held().  O(links) times its cost. */
MOORE_API int moore_mix_cuts(struct moore_mix_cuts *out, const struct moore_fabric *f,
			     const struct moore_held *rows, const struct moore_row *backup,
			     uint32_t n_backup, const struct moore_mix_lanes *lanes,
			     const struct moore_jobs *jobs, struct moore_err *err);

/* ---- churn ------------------------------------------------------------------ */

struct moore_churn_count {
	uint64_t rows, blocks;	/* pairs (switch, LID), and pairs (switch, LID / 64) */
};

struct moore_churn {
	struct moore_churn_count all;		/* that exist */
	struct moore_churn_count changed;	/* that differ */
	/* Rows whose old route no longer arrives, of LIDs to which the switch is still
	 * connected. */
	struct moore_churn_count lost;
	/* What must change in every table that delivers all connected pairs: rows of such
	 * LIDs whose port leads to nothing now. */
	struct moore_churn_count forced;
	/* What must change in every table that also routes base LIDs on shortest paths:
	 * those rows, and rows of base LIDs whose next switch is not nearer to the LID than
	 * the switch itself. */
	struct moore_churn_count shortest;
};

/* Counts the changes between both tables, which are as for moore_mix_judge().  O(switches *
 * (links + LIDs)). */
MOORE_API int moore_churn(struct moore_churn *out, const struct moore_fabric *f,
			  const struct moore_lft *was, const struct moore_lft *now,
			  struct moore_err *err);

/* SL to VL rows of (in port or 0, out port) pairs of ports with links. */
struct moore_lane_churn {
	uint64_t all, changed;
};
/* Both tables are of f.  O(switches * ports^2). */
MOORE_API void moore_sl2vl_churn(struct moore_lane_churn *out, const struct moore_fabric *f,
				 const struct moore_sl2vl *was, const struct moore_sl2vl *now);

MOORE_END

#endif

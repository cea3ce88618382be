/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/check.h - decides from tables alone whether traffic can deadlock.
 * The checker shares nothing with the router but base and the types of tables.  It follows
 * the routes to each LID with states (switch, in port, VL), builds the graph of dependencies
 * between channels (a channel is a directed switch-to-switch link on a VL), and searches it
 * for a cycle (Dally and Seitz 1987).  It assumes that endpoints accept every packet. */
#ifndef MOORE_CHECK_H
#define MOORE_CHECK_H

#include "base.h"
#include "jobs.h"
#include "stock.h"
#include "tables.h"

MOORE_BEGIN

struct moore_check_opts {
	uint16_t sl_mask;	/* SLs that may be used; 0 means all 16 */
	bool base_lids_only;	/* only base LIDs are addressed */
	bool endpoints_only;	/* port 0 of switches neither sends nor is addressed */
	/* The SLs of sl_mask that the sources at each switch use for each LID; NULL: every
	 * source uses all of them for every LID. */
	const struct moore_sl_set *sl_set;
	const struct moore_jobs *jobs;	/* may be NULL; the verdict does not depend on it */
};

struct moore_channel {
	moore_swid sw;
	moore_portnum port;	/* out port at sw, a switch link */
	uint8_t vl;
};

/* One step of a cycle: a packet that holds channel `from` waits for that of the next step.
 * The other fields are an example of such a packet. */
struct moore_dependency {
	struct moore_channel from;
	moore_swid src_sw;	/* where the example packet enters the fabric */
	moore_portnum src_port;	/* 0 or an endpoint port */
	moore_lid dlid;		/* unicast LID, or the MLID of a multicast group */
	uint8_t sl;
};

struct moore_verdict {
	bool sound;		/* acyclic, unreachable == 0 and dropped == 0 */
	bool acyclic;
	uint64_t pairs;		/* (source switch, LID) walked, source != owner's switch */
	uint64_t unreachable;	/* pairs that are connected and have no route */
	uint64_t loops;		/* unreachable pairs whose route loops */
	uint64_t partitioned;	/* pairs that are not connected; not a fault of the tables */
	uint64_t dropped;	/* (switch, in, out, SL) in use that map to VL 15 */
	uint64_t hops[MOORE_HOPS_MAX + 1];	/* pairs by switch-to-switch hops */
	uint16_t vls;		/* bit v: VL v is used on some switch-to-switch link */
	uint32_t n_channels;	/* used */
	uint64_t n_dependencies;
	/* Load of directed switch-to-switch links when each switch with endpoints sends one
	 * unit to each endpoint LID (without endpoints: each switch to each switch LID). */
	double max_load, mean_load;
	struct moore_channel hottest;	/* vl unused */
	/* The first pair that is unreachable: of the least LID, then of the first switch. */
	moore_swid bad_sw;
	moore_lid bad_lid;
	/* If acyclic: the channels in a topological order (each dependency goes forward). */
	struct moore_channel *order;	/* n_channels of them; NULL when cyclic */
	/* If not: a shortest cycle. */
	struct moore_dependency *cycle;
	uint32_t cycle_len;
};

/* mft may be NULL.  -MOORE_ENOMEM; -MOORE_EINVAL when tables and fabric do not
 * fit.  O(LIDs * switches + dependencies) and, for each LID, its switches to which others send
 * times distinct SL columns; each worker of opts->jobs takes memory for one bit for each (link,
 * out port, SL column, VL) and some KiB for each switch. */
MOORE_API int moore_check(struct moore_verdict **out, const struct moore_fabric *f,
			  const struct moore_lft *lft, const struct moore_sl2vl *sl2vl,
			  const struct moore_mft *mft, const struct moore_check_opts *opts,
			  struct moore_err *err);
MOORE_API void moore_verdict_free(struct moore_verdict *v);

/* ---- tables that memory cannot hold ----------------------------------------------- */

/* Judges tables whose rows come some LIDs at a time. */
struct moore_check_parts;	/* opaque */
#define MOORE_CHECK_PART 256	/* LIDs: the first LID of a part is a multiple of it, and so is the length
				 * of each part but the last */

/* Each part will have rows of n_lids LIDs.  Any SL may be used.  Borrows f, sl2vl and jobs (may be
 * NULL).  -MOORE_ENOMEM; -MOORE_EINVAL if some SL maps to VL 15.  Memory: O(links * ports + LIDs). */
MOORE_API int moore_check_parts_new(struct moore_check_parts **out, const struct moore_fabric *f,
				    const struct moore_sl2vl *sl2vl, const struct moore_jobs *jobs,
				    size_t n_lids, struct moore_err *err);
/* Walks the routes to the LIDs from first on: row s of part holds n_lids of them, or fewer in the last
 * part.  Each LID is walked once. */
MOORE_API void moore_check_part(struct moore_check_parts *p, const struct moore_lft *part,
				moore_lid first);
/* The verdict on all parts, as moore_check() gives it for the whole; but a cycle has no examples
 * (src_sw is MOORE_NONE).  Called once.  -MOORE_ENOMEM. */
MOORE_API int moore_check_parts_end(struct moore_verdict **out, struct moore_check_parts *p,
				    struct moore_err *err);
MOORE_API void moore_check_parts_free(struct moore_check_parts *p);	/* NULL is fine */

/* ---- the multicast trees that OpenSM builds by itself --------------------------- */

struct moore_stock_tree {
	moore_swid root;	/* MOORE_NONE: the group has no member */
	uint16_t mlid;		/* 0: of no group, but of all endpoints from this root */
	bool safe;		/* acyclic together with unicast, without other trees */
};

struct moore_stock_verdict {
	struct moore_stock_tree *tree;
	uint32_t n, n_safe;
	bool together;		/* acyclic with unicast and all trees */
	moore_swid everyone;	/* the root of a group of all endpoints, or MOORE_NONE */
	/* If some tree is not safe: a shortest cycle of unicast with the first such tree. */
	struct moore_dependency *cycle;
	uint32_t cycle_len;
};

/* Judges the trees that OpenSM builds with these hops (moore_stock_hops()): one for each group,
 * of which only the members count; or, when groups is NULL or has none, one from each switch
 * to all endpoints, of which every tree of a group is a part.  opts and errors as in
 * moore_check().  The caller ends *out with moore_stock_verdict_free().  Time of
 * moore_check() + O(trees * switches * ports^2). */
MOORE_API int moore_check_stock(struct moore_stock_verdict **out, const struct moore_fabric *f,
				const struct moore_lft *lft, const struct moore_sl2vl *sl2vl,
				const struct moore_stock_hop *hops,
				const struct moore_mft *groups,
				const struct moore_check_opts *opts, struct moore_err *err);
MOORE_API void moore_stock_verdict_free(struct moore_stock_verdict *v);

MOORE_END

#endif

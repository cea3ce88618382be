/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* snapshot.h - the fabric as one scan found it: constant, counted, shared.
 *
 * The scanner's thread makes snapshots, the loop's thread serves them, a worker
 * may hold one while it computes.  Nothing in a snapshot but the two atomics changes once
 * it was handed on: a change makes a new snapshot. */
#ifndef MOORED_SNAPSHOT_H
#define MOORED_SNAPSHOT_H

#include <stdatomic.h>

#include "moore/fabric.h"
#include "moore/hardware.h"
#include "moore/plan.h"
#include "moore/tables.h"

enum plane_state {
	PLANE_NO_DEVICE,	/* there is no umad port of that name */
	PLANE_DOWN,		/* the port is there, its link is not active */
	PLANE_UNREACHED,	/* active, but discovery failed: see why[] */
	PLANE_UP,
};

struct sa_read {		/* path records asked of the SA */
	uint32_t asked, answered;	/* in this round over all pairs of endpoints */
	uint16_t sls;		/* bit of each SL that was in one since the tables changed */
	uint64_t next, left;	/* where to go on, and pairs left of the round: the scanner's */
};

struct snapshot {
	atomic_uint refs;
	uint64_t scan;		/* number, from 1, over all planes; survives restarts */
	uint64_t at_ms;		/* wall clock, when discovery ended */
	uint32_t took_ms;
	unsigned plane;		/* index in the configuration */
	bool is_ethernet;	/* LIDs stand for prefixes, lanes for classes */
	char sm[64];		/* "0x... prio 0 master"; "" when unknown */
	/* The same switches and endpoints, in the same order, in both. */
	struct moore_plan *seen;	/* names, GUIDs, cables and their rates */
	struct moore_fabric *fabric;	/* LIDs, lanes; NULL when LIDs are not set yet */
	/* Read back from the switches; NULL until they were.  tables_scan says when. */
	struct moore_lft *lft;
	struct moore_sl2vl *sl2vl;
	struct moore_mft *mft;
	struct moore_hardware *hardware;	/* with sl2vl */
	uint64_t tables_scan;
	uint64_t routes_hash, lanes_hash;	/* moore_lft_hash(), ..; 0: not read */
	uint32_t *row_hash;	/* moore_lft_hash_each(); NULL: not read */
	struct sa_read sa;	/* asked is 0: not yet, or there is no SM */
	atomic_ullong sa_heard_ms;	/* wall clock when the SA last answered; the scanner
					 * sets it anew while the answers stay the same */
};

static inline struct snapshot *
snapshot_get(struct snapshot *s)
{
	atomic_fetch_add(&s->refs, 1);
	return s;
}
void snapshot_put(struct snapshot *s);	/* NULL is fine; frees the last reference */

/* A snapshot with indexes of its LIDs and names: constant and counted too. */
struct view {
	atomic_uint refs;
	struct snapshot *snap;
	struct moore_lid_owner *owner;	/* of LIDs 0..lid_top; NULL without snap->fabric */
	struct view_name *name;		/* by name, for view_find() */
	uint32_t n_names;
};
/* Takes the reference to snap, also on failure (-1: out of memory). */
int view_new(struct view **out, struct snapshot *snap);
struct view *view_get(struct view *v);	/* NULL is fine */
void view_put(struct view *v);		/* NULL is fine */
/* As moore_fabric_find() of snap->fabric, O(log n) for a plain name.  0 or -MOORE_EINVAL. */
int view_find(const struct view *v, const char *what, moore_swid *sw, moore_epid *ep,
	      struct moore_err *err);

#endif

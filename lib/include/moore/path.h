/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/path.h - the way of a packet: the forwarding tables followed hop by hop, and the VL
 * on each link.  Pure; the tables are borrowed for the call. */
#ifndef MOORE_PATH_H
#define MOORE_PATH_H

#include "tables.h"

MOORE_BEGIN

struct moore_hop {
	moore_swid sw;
	moore_portnum in;	/* 0: sent by the switch itself */
	uint8_t out;		/* MOORE_NO_PATH or above n_ports: no route from here */
	uint8_t vl;		/* VL on the link of out; 0 if out is 0 */
};

struct moore_path {
	moore_swid sw;		/* set by the caller: the switch where the packet enters, */
	moore_portnum in;	/* the port there, lid (1..lid_top) and sl */
	moore_lid lid;
	uint8_t sl;
	struct moore_hop *hop;	/* the caller's array, with room for n_switches */
	uint32_t n_hops;
	const char *fault;	/* why the packet does not arrive; NULL when it does */
};

/* Fills hop, n_hops and fault.  owner comes from moore_fabric_lids().  O(hops). */
MOORE_API void moore_path_walk(const struct moore_fabric *f, const struct moore_lft *lft,
			       const struct moore_sl2vl *sl2vl,
			       const struct moore_lid_owner *owner, struct moore_path *p);

/* Routes to a port at which the fabric has nothing. */
struct moore_dangling {
	uint64_t n;
	moore_swid sw;		/* one of them: switch, LID and port */
	unsigned lid;
	uint8_t port;
};
/* Counts them.  O(switches * LIDs). */
MOORE_API void moore_lft_dangling(const struct moore_fabric *f, const struct moore_lft *lft,
				  struct moore_dangling *out);

MOORE_END

#endif

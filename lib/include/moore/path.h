/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/path.h - follows a packet hop by hop through the forwarding tables, with its VL on
 * each link.  Pure; the tables are borrowed for the call. */
#ifndef MOORE_PATH_H
#define MOORE_PATH_H

#include "tables.h"

MOORE_BEGIN

struct moore_hop {
	moore_swid sw;
	moore_portnum in;	/* 0: sent by the switch itself */
	uint8_t out;		/* MOORE_NO_PATH, or above n_ports: no route from here */
	uint8_t vl;		/* on the link out; 0 where out is 0 */
};

struct moore_path {
	/* Set by the caller: where the packet enters, its LID (1..lid_top) and its SL. */
	moore_swid sw;
	moore_portnum in;
	moore_lid lid;
	uint8_t sl;
	struct moore_hop *hop;	/* the caller's, with room for n_switches */
	uint32_t n_hops;
	const char *fault;	/* why it does not arrive; NULL when it does */
};

/* Fills in hop, n_hops and fault.  owner comes from moore_fabric_lids().  O(hops). */
MOORE_API void moore_path_walk(const struct moore_fabric *f, const struct moore_lft *lft,
			       const struct moore_sl2vl *sl2vl,
			       const struct moore_lid_owner *owner, struct moore_path *p);

/* Routes that lead to a port without a cable. */
struct moore_dangling {
	uint64_t n;
	/* The first one that was found. */
	moore_swid sw;
	unsigned lid;
	uint8_t port;
};
/* Counts these routes.  O(switches * LIDs). */
MOORE_API void moore_lft_dangling(const struct moore_fabric *f, const struct moore_lft *lft,
				  struct moore_dangling *out);

MOORE_END

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/stock.h - the multicast trees that OpenSM builds by itself (osm_mcast_mgr.c), when the
 * routing engine builds none.  The root of a group is the first switch, in OpenSM's sequence,
 * whose farthest member is nearest; from there each switch sends towards each member by the
 * first port with the fewest hops.  So the tree of a group is a part of the tree that has the
 * same root and all switches with endpoints as members. */
#ifndef MOORE_STOCK_H
#define MOORE_STOCK_H

#include "base.h"
#include "fabric.h"

MOORE_BEGIN

#define MOORE_STOCK_NO_HOPS 255

struct moore_stock_hop {
	uint8_t n;		/* the fewest hops; MOORE_STOCK_NO_HOPS: unreachable */
	moore_portnum port;	/* the first port with as many; 0: none */
};

/* Returns the hops [from * n_switches + to] along shortest paths, as OpenSM counts them without
 * lid_matrix_dump_file; to be freed with free().  -MOORE_ENOMEM.  O(switches * links). */
MOORE_API int moore_stock_hops(struct moore_stock_hop **out, const struct moore_fabric *f,
			       struct moore_err *err);

/* Fails if hops lack a way that links give, as those of a file that was cut off do: trees of such
 * hops reach fewer members than OpenSM's.  -MOORE_EPLAN.  O(switches * links). */
MOORE_API int moore_stock_hops_whole(const struct moore_fabric *f, const struct moore_stock_hop *hops,
				     struct moore_err *err);

/* The ports of each switch in a group, as in struct moore_mft.  Of members[], only ports to
 * endpoints and port 0 count: these are the group's members. */
typedef uint64_t moore_mcast_ports[4];

/* Sets the ports to all endpoints in members[].  O(switches * ports). */
MOORE_API void moore_stock_everyone(const struct moore_fabric *f, moore_mcast_ports *members);
/* Returns the root that OpenSM on a little-endian host takes; MOORE_NONE when the group has no
 * member.  O(switches^2). */
MOORE_API moore_swid moore_stock_root(const struct moore_fabric *f,
				      const struct moore_stock_hop *hops,
				      const moore_mcast_ports *members);
/* Sets tree[] to the members' ports and those of the links from root to them.  A member
 * without a way from root is left out.  Without members root may be MOORE_NONE.
 * O(switches * (ports + hops)). */
MOORE_API void moore_stock_tree(const struct moore_fabric *f, const struct moore_stock_hop *hops,
				moore_swid root, const moore_mcast_ports *members,
				moore_mcast_ports *tree);

MOORE_END

#endif

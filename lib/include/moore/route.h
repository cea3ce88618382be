/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/route.h - next hops: balanced shortest legal in-trees.
 *
 * Safety (docs/theory.md): directed links carry a rank; a turn is allowed when
 * the rank rises.  In each in-tree a switch that has children is legal: from it
 * on every turn is allowed.  With VL 0 for packets that enter from an endpoint
 * or port 0 and VL 1 for those that enter from a switch, no cycle of waiting
 * packets can exist, whatever the SL, LID and source.  What takes an entry turn counts as
 * coming from an endpoint: moore_route_entries().
 *
 * The tables are a function of (intended graph, what is missing): rank, trees
 * and balance are computed for the intended graph, then repaired for what is
 * missing.  Same input, same output, bit for bit. */
#ifndef MOORE_ROUTE_H
#define MOORE_ROUTE_H

#include "base.h"
#include "jobs.h"
#include "links.h"
#include "profile.h"
#include "tables.h"

MOORE_BEGIN

/* What a search found for an intended graph: it costs more than the rest of a build and does
 * not depend on what is missing, so a caller that routes again and again keeps it. */
struct moore_ranks;		/* opaque */
MOORE_API void moore_ranks_free(struct moore_ranks *k);	/* NULL is fine */

/* The trees that were grown for an intended graph: they do not depend on what is missing, so a
 * build that has them only repairs them. */
struct moore_grown;		/* opaque */
MOORE_API void moore_grown_free(struct moore_grown *g);	/* NULL is fine */

struct moore_route_opts {
	uint64_t seed;		/* breaks ties between equal choices */
	enum moore_profile profile;
	enum moore_layers layers;
	const struct moore_links *links;	/* what to spare; may be NULL */
	bool lanes_as_seen;	/* a link that has one lane is intended so; false: only if
				 * intended is NULL */
	bool by_roles;		/* lanes can follow nothing but the roles of ports: no entry turns */
	struct moore_ranks **ranks;	/* the caller's, at first a pointer to NULL; replaced when
					 * the intended graph is another; the tables are the same
					 * without it.  NULL: nothing is kept */
	struct moore_grown **grown;	/* likewise; replaced when the intended graph, hosts, LIDs of
					 * each host or settings are others.  It becomes NULL when
					 * memory runs out, when it would need more than 128 MiB,
					 * and under sl-hint */
	const struct moore_jobs *jobs;	/* may be NULL; the routes do not depend on it */
};

struct moore_route;		/* opaque: the trees, ranks and LFTs of one fabric */

/* Routes every (switch, LID) of seen.  intended is the fabric as planned, with switches
 * matched by GUID, else by name; NULL stands for seen.  Borrows seen, which must outlive
 * *out.  -MOORE_EUNREACH when some connected pair has no safe route: err names a switch
 * that would have to forward packets but cannot map SLs.  -MOORE_ENOMEM.
 * O(S * E) for the trees plus the bytes of the tables. */
MOORE_API int moore_route_build(struct moore_route **out, const struct moore_fabric *seen,
				const struct moore_fabric *intended,
				const struct moore_route_opts *opts, struct moore_err *err);
MOORE_API void moore_route_free(struct moore_route *r);	/* NULL is fine */

/* The number of switches of intended that seen has, matched as moore_route_build() does.
 * -MOORE_ENOMEM.  O(S log S). */
MOORE_API int moore_route_matches(uint32_t *n, const struct moore_fabric *seen,
				  const struct moore_fabric *intended, struct moore_err *err);

/* The LFTs; they live as long as r. */
MOORE_API const struct moore_lft *moore_route_lft(const struct moore_route *r);

/* The numbers of the ports of seen in entry turns, as moore_lane_effective() wants them; NULL if
 * there are no such turns, as under one-vl or with one LID for each host.  They follow from the
 * intended fabric, whatever is missing, but where the spanning tree needs an entry turn because other
 * links are missing. */
MOORE_API const uint8_t *moore_route_entries(const struct moore_route *r);

/* Profile sl-hint: the order of the switches of seen, which lanes follow: place of each, 0 the
 * greatest.  All places are 0 under other profiles, and where layers pass switches without
 * endpoints (OFT, MLFM): there sl-hint has the routes of any-sl, and all tables are D. */
MOORE_API const uint32_t *moore_route_order(const struct moore_route *r);

/* Profile sl-hint: the tables (bit t: enum moore_hint_table) that are right for packets
 * from slid to dlid and back; at least one is, and all are where the order has only zeros.  Else
 * table A for a LID that no port has.  O(1). */
MOORE_API uint8_t moore_route_right(const struct moore_route *r, moore_lid slid, moore_lid dlid);
/* The SLs that sources may use under sl-hint, as SLs of class 0: every table that
 * moore_route_right() gives, and table A for base LIDs, switch LIDs and groups.  The caller
 * ends it with moore_sl_set_free().  O(switches * LIDs). */
MOORE_API int moore_route_sl_set(const struct moore_route *r, struct moore_sl_set **out,
				 struct moore_err *err);

struct moore_route_stats {
	uint32_t missing_links;		/* planned switch pairs without a live link */
	uint32_t extra_links;		/* live switch pairs that are not planned */
	uint32_t unused_links;		/* one-lane links left out beside wider ones */
	uint32_t one_lane_links;	/* one-lane links in use under the full rule */
	uint32_t missing_switches;
	uint32_t repaired;		/* (switch, tree) that left their intended route */
	uint32_t avoided_links;		/* not used, because a rule says `avoid` */
	uint32_t drained_switches;	/* switches through which no route passes, for that reason */
	uint32_t unknown_rules;		/* lines of opts->links that name no known switch */
	unsigned unknown_line;		/* the first of them */
};
MOORE_API void moore_route_stats(const struct moore_route *r, struct moore_route_stats *out);

/* A missing link: the switches of seen that it should join, and their planned ports.  sw[1] is
 * MOORE_NONE when that switch is missing, too. */
struct moore_route_gap {
	moore_swid sw[2];
	moore_portnum port[2];
};
/* Writes the first missing links, at most max of them, in the order of the intended fabric, and
 * returns how many it wrote.  A link between two missing switches is none of them.  O(E). */
MOORE_API size_t moore_route_gaps(const struct moore_route *r, struct moore_route_gap *out,
				  size_t max);

/* ---- tables that memory cannot hold ---------------------------------------------------- */

/* Makes the rows of some LIDs after those of others.  Offset 0 is minimal; at offset l from 1 on all
 * packets for a switch arrive over its l-th neighbour, in an order by ranks, or as few more as legal
 * routes need.  Ranks follow the order of the switches, and a tree heeds the load of the trees of
 * earlier LIDs, but none is changed later; so these are not the tables of moore_route_build(), which are
 * more even.  No plan, no rules of links, any-sl or one-vl. */
struct moore_route_parts;	/* opaque */
#define MOORE_ROUTE_PART 256	/* LIDs whose trees do not heed the load of each other */

/* Borrows seen and opts->jobs.  Of opts only profile and jobs count.  -MOORE_ENOMEM.  Memory:
 * O(links + switches) for each worker, and MOORE_ROUTE_PART bytes for each switch. */
MOORE_API int moore_route_parts_new(struct moore_route_parts **out, const struct moore_fabric *seen,
				    const struct moore_route_opts *opts, struct moore_err *err);
/* Fills part with the rows of the LIDs from first on, as many as part->stride, a multiple of
 * MOORE_ROUTE_PART.  Called for each LID once, in their sequence.  Fails as moore_route_build().
 * O(LIDs * E). */
MOORE_API int moore_route_part(struct moore_route_parts *p, struct moore_lft *part, moore_lid first,
			       struct moore_err *err);
MOORE_API void moore_route_parts_free(struct moore_route_parts *p);	/* NULL is fine */

/* A short multicast tree over the n switches in members (in any order, with repeats) that
 * uses only allowed turns.  The group's number chooses among equal trees, so that groups
 * spread over links.  Fills parent_port[n_switches]: the port towards the root, 0 at the
 * root, MOORE_NO_PATH at switches outside the tree, which holds the members and the
 * switches that connect them.  -MOORE_EUNREACH when members are not connected: the tree then
 * covers those connected to members[0], and err names one of the others.  O(members * E). */
MOORE_API int moore_route_mcast(const struct moore_route *r, uint16_t group,
				const moore_swid *members, size_t n,
				uint8_t *parent_port, struct moore_err *err);

MOORE_END

#endif

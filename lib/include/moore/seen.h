/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/seen.h - the wiring as a discovery reports it: a plan, and beside it the faults
 * that no plan can hold. */
#ifndef MOORE_SEEN_H
#define MOORE_SEEN_H

#include "base.h"
#include "plan.h"

MOORE_BEGIN

struct moore_seen {
	struct moore_plan *plan;	/* moore_plan_check() accepts it */
	uint32_t n_loops;		/* cables from a switch to itself */
	struct moore_seen_loop {
		moore_swid sw;
		moore_portnum port[2];
	} *loop;
	uint32_t n_one_sided;		/* links that only one end reports; they are in plan */
	struct moore_seen_port {	/* the end that does not report it */
		moore_swid sw;
		moore_portnum port;
	} *one_sided;
};

/* Reads ibnetdiscover's listing, opensm-subnet.lst or a plan in JSON; the first bytes tell
 * which.  The caller ends *out with moore_seen_free().  Fails as moore_plan_format.parse
 * does, except that loops and links reported by one end are accepted.  O(size log size). */
MOORE_API int moore_seen_parse(struct moore_seen **out, const char *text, size_t len,
			       struct moore_err *err);
MOORE_API void moore_seen_free(struct moore_seen *s);	/* NULL is fine */

/* ---- from a walk of the fabric ------------------------------------------------------- */

struct moore_walked_node {
	uint64_t guid;		/* of the node; no two of one kind have the same */
	const char *desc;	/* NodeDescription */
	char kind;		/* S switch, H channel adapter, R router */
	moore_portnum ports;
};
struct moore_walked_link {
	uint32_t node[2];	/* node[0] is a switch, node[1] comes behind it in the array */
	moore_portnum port[2];
	uint64_t port_guid;	/* of port[1] when node[1] is no switch */
	struct moore_rate rate[2];	/* as each end reports it; the plan takes the first */
};

/* Makes the plan that moore_seen_parse() makes of ibnetdiscover's listing of the same fabric.
 * Switches come before all other nodes and each link once.  The plan has switches, cables and
 * endpoints in the order of these arrays.  The caller ends *out with moore_plan_free().
 * -MOORE_EPLAN as moore_plan_check(); -MOORE_ENOMEM.  O(n log n). */
MOORE_API int moore_plan_from_walk(struct moore_plan **out, const struct moore_walked_node *node,
				   uint32_t n_nodes, const struct moore_walked_link *link,
				   uint32_t n_links, struct moore_err *err);

MOORE_END

#endif

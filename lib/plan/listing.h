/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* listing.h - nodes, and at each port what is plugged in there: what discoveries
 * print, whatever their form, on its way to a plan.
 *
 * A reader adds nodes and, for each end that tells of one, links; both stay where
 * the text has them until moore_listing_plan() resolves peers, checks that the
 * two ends of a link agree, and makes names of descriptions. */
#ifndef MOORE_PLAN_LISTING_H
#define MOORE_PLAN_LISTING_H

#include "plan/plan_parts.h"
#include "moore/wire.h"

struct moore_listed_node {
	uint64_t guid;
	const char *desc;	/* inside the text */
	size_t desc_len;
	char *name;
	uint32_t index;		/* of a switch in the plan */
	unsigned line;
	char kind;		/* as in its id: S, H or R */
	moore_portnum ports;
};

struct moore_listed_link {			/* one port line */
	uint32_t node, peer;	/* peer: resolved after the last line */
	uint64_t port_guid, peer_guid;
	unsigned line;
	char peer_kind;
	moore_portnum port, peer_port;
	struct moore_rate rate;
};

struct moore_listing {
	struct moore_listed_node *node;
	struct moore_listed_link *link;
	uint32_t n_nodes, node_cap, n_links, link_cap;
	struct moore_plan_ref *by_guid;	/* nodes by (GUID, kind) */
	struct moore_plan_ref *by_port;	/* links by (node, port) */
	struct moore_seen *seen;	/* takes loops and links listed at one end; NULL: errors */
	struct moore_err *err;
};

/* Room for one more; NULL when memory ran out (then err says so).  The caller
 * fills it and counts it in n_nodes or n_links. */
struct moore_listed_node *moore_listing_node(struct moore_listing *d);
struct moore_listed_link *moore_listing_link(struct moore_listing *d);
/* What was added, as a plan that moore_plan_check() accepts. */
int moore_listing_plan(struct moore_listing *d, struct moore_plan **out);
void moore_listing_fini(struct moore_listing *d);

/* Two readers. */
int moore_listing_ibnetdiscover(struct moore_listing *d, const char *text, size_t len);
int moore_listing_subnet(struct moore_listing *d, const char *text, size_t len);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* listing.h - nodes, and for each port the port at the other end of its cable: what every
 * form of discovery holds.
 *
 * A reader adds the nodes and the port lines as the text has them; names point into the
 * text.  moore_listing_plan() then finds the peers, checks that both ends of each link
 * agree, and makes names of descriptions. */
#ifndef MOORE_FABRIC_LISTING_H
#define MOORE_FABRIC_LISTING_H

#include "plan/plan_parts.h"
#include "moore/seen.h"

struct moore_listed_node {
	uint64_t guid;
	const char *desc;	/* inside the text */
	size_t desc_len;
	char *name;
	uint32_t index;		/* switches: index in the plan */
	unsigned line;
	char kind;		/* as in its id: S, H or R */
	moore_portnum ports;
};

struct moore_listed_link {			/* one port line */
	uint32_t node, peer;	/* peer: set by moore_listing_plan() */
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
	struct moore_seen *seen;	/* receives loops and one-sided links; NULL: they are errors */
	struct moore_err *err;
};

/* Returns room for one more, zeroed; NULL (and err is set) when out of memory.  The caller
 * fills it and adds 1 to n_nodes or n_links. */
struct moore_listed_node *moore_listing_node(struct moore_listing *d);
struct moore_listed_link *moore_listing_link(struct moore_listing *d);
/* Makes a plan, which moore_plan_check() accepts, from what was added. */
int moore_listing_plan(struct moore_listing *d, struct moore_plan **out);
void moore_listing_fini(struct moore_listing *d);

/* Gives each node its name, unique among all: the description, with _ for characters that a
 * name cannot hold, and with the GUID behind it where several nodes have it. */
int moore_listing_names(struct moore_listing *d);
/* All rates of p are equal: they become the plan's rate instead. */
void moore_listing_share_rate(struct moore_plan *p, const struct moore_rate *all);

/* The readers. */
int moore_listing_ibnetdiscover(struct moore_listing *d, const char *text, size_t len);
int moore_listing_subnet(struct moore_listing *d, const char *text, size_t len);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/fabric.h - a fabric as a subnet manager sees it: switches, their ports
 * and what is at the other end of each, endpoints, GUIDs, LIDs, lanes.
 * Built by an adapter (from OpenSM, from dumps, from a plan) and then constant. */
#ifndef MOORE_FABRIC_H
#define MOORE_FABRIC_H

#include "base.h"
#include "plan.h"

MOORE_BEGIN

enum moore_role {
	MOORE_ROLE_NONE = 0,	/* nothing plugged in, or down */
	MOORE_ROLE_SWITCH,	/* a link to another switch */
	MOORE_ROLE_ENDPOINT,	/* a CA or router port: packets enter on VL 0 */
	MOORE_ROLE_SELF,	/* port 0: the switch's own management port */
};

struct moore_port {
	uint32_t peer;		/* moore_swid or moore_epid by role; MOORE_NONE */
	moore_portnum peer_port;	/* of a switch peer */
	uint8_t role;		/* enum moore_role */
	uint8_t lanes;		/* operational data VLs of the link: 1, 2, 4, 8 or 15 */
};

struct moore_switch {
	uint64_t guid;		/* node GUID */
	uint64_t port_guid;	/* of port 0 */
	char *name;		/* NodeDescription */
	moore_lid lid;		/* base LID of port 0; 0 when it has none */
	uint8_t lmc;		/* of port 0 */
	moore_portnum n_ports;	/* external ports: 1..n_ports */
	bool maps_sl;		/* CapabilityMask.IsSLMappingSupported on port 0 */
	uint32_t port0;		/* fabric.port[port0 + n] is port n */
};

struct moore_endpoint {
	uint64_t guid;		/* port GUID */
	uint64_t node_guid;
	char *name;		/* NodeDescription of its node */
	uint8_t ca_port;	/* port number at the node */
	bool router;		/* a router port rather than a CA port */
	moore_swid sw;
	moore_portnum port;	/* where on the switch */
	moore_lid lid;		/* base LID; 0 when it has none */
	uint8_t lmc;
};

struct moore_fabric {
	uint32_t n_switches, n_endpoints, n_ports;
	struct moore_switch *sw;
	struct moore_endpoint *ep;
	struct moore_port *port;
	moore_lid lid_top;	/* greatest LID in use */
};

/* ---- building ------------------------------------------------------------ */

/* Room for that many; n_ports_total counts port 0 of each switch too.  Every
 * field zero but peer = MOORE_NONE; the caller then fills sw[], lays out
 * port0 by moore_fabric_layout(), and links. */
MOORE_API int moore_fabric_new(struct moore_fabric **out, uint32_t n_switches,
			       uint32_t n_endpoints, uint32_t n_ports_total,
			       struct moore_err *err);
MOORE_API void moore_fabric_free(struct moore_fabric *f);
/* Set port0 of every switch from n_ports, and port 0's role. */
MOORE_API void moore_fabric_layout(struct moore_fabric *f);
/* Join two switch ports, or a switch port and ep[e] (sets ep sw and port). */
MOORE_API void moore_fabric_link(struct moore_fabric *f, moore_swid a, moore_portnum pa,
				 moore_swid b, moore_portnum pb, uint8_t lanes);
MOORE_API void moore_fabric_attach(struct moore_fabric *f, moore_epid e, moore_swid s,
				   moore_portnum p, uint8_t lanes);
/* Take a link or attachment away (both ends become ROLE_NONE). */
MOORE_API void moore_fabric_cut(struct moore_fabric *f, moore_swid s, moore_portnum p);
/* All of the above held to its invariants: links symmetric, endpoints where
 * their ports say, LID ranges disjoint and aligned to their LMC, lid_top set
 * (this sets it).  -MOORE_EPLAN, -MOORE_ELID. */
MOORE_API int moore_fabric_seal(struct moore_fabric *f, struct moore_err *err);
MOORE_API int moore_fabric_copy(struct moore_fabric **out, const struct moore_fabric *f,
				struct moore_err *err);

static inline const struct moore_port *
moore_fabric_port(const struct moore_fabric *f, moore_swid s, moore_portnum p)
{
	return &f->port[f->sw[s].port0 + p];
}

/* A plan as a fabric with everything up: GUIDs of moore_plan_guids(), 8 lanes,
 * SLs mapped.  LIDs in GUID order: first the switches (LMC 0), then the
 * endpoints, each 2^lmc LIDs aligned.  -MOORE_ELID when they exceed 0xbfff. */
MOORE_API int moore_fabric_from_plan(struct moore_fabric **out, const struct moore_plan *p,
				     uint8_t lmc, struct moore_err *err);

/* ---- names and LIDs ------------------------------------------------------ */

struct moore_lid_owner {
	moore_swid sw;		/* switch that the LID's port is at (or is) */
	moore_portnum port;	/* its port: 0 for the switch itself */
	moore_epid ep;		/* MOORE_NONE for a switch */
	uint16_t offset;	/* LID minus base LID */
};

/* Who owns each LID 0..lid_top: an array of lid_top+1 (sw == MOORE_NONE where
 * no one), to be freed with free().  O(lid_top). */
MOORE_API int moore_fabric_lids(const struct moore_fabric *f, struct moore_lid_owner **out,
				struct moore_err *err);

/* By name, by "0x" GUID, or by "lid N"/"N" LID; an endpoint also as NAME:CA_PORT.
 * Exactly one of *sw and *ep is set, the other MOORE_NONE.  -MOORE_EINVAL when
 * nothing, or more than one thing, has that name.  O(switches + endpoints). */
MOORE_API int moore_fabric_find(const struct moore_fabric *f, const char *what,
				moore_swid *sw, moore_epid *ep, struct moore_err *err);

MOORE_END

#endif

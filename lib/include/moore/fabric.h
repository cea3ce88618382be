/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/fabric.h - a fabric as a subnet manager discovers it: switches, their ports and the
 * peer of each, endpoints, GUIDs, LIDs, lanes.  An adapter builds it from OpenSM, from dumps
 * or from a plan; after that it is constant. */
#ifndef MOORE_FABRIC_H
#define MOORE_FABRIC_H

#include "base.h"
#include "plan.h"

MOORE_BEGIN

enum moore_role {
	MOORE_ROLE_NONE = 0,	/* nothing is plugged in, or the link is down */
	MOORE_ROLE_SWITCH,	/* a link to another switch */
	MOORE_ROLE_ENDPOINT,	/* a CA or router port: packets enter on VL 0 */
	MOORE_ROLE_SELF,	/* port 0: the switch's own management port */
};

struct moore_port {
	uint32_t peer;		/* a moore_swid or moore_epid, by role; or MOORE_NONE */
	moore_portnum peer_port;	/* port of the peer, if that is a switch */
	uint8_t role;		/* enum moore_role */
	uint8_t lanes;		/* operational data VLs of the link: 1, 2, 4, 8 or 15 */
};

struct moore_switch {
	uint64_t guid;		/* node GUID */
	uint64_t port_guid;	/* of port 0 */
	char *name;		/* NodeDescription */
	moore_lid lid;		/* base LID of port 0; 0: none */
	uint8_t lmc;		/* of port 0 */
	moore_portnum n_ports;	/* external ports: 1..n_ports */
	bool maps_sl;		/* CapabilityMask.IsSLMappingSupported on port 0 */
	uint32_t port0;		/* fabric.port[port0 + n] is port n */
};

struct moore_endpoint {
	uint64_t guid;		/* port GUID */
	uint64_t node_guid;
	char *name;		/* NodeDescription of its node */
	uint8_t ca_port;	/* number of the port at its node */
	bool router;		/* a router port rather than a CA port */
	moore_swid sw;
	moore_portnum port;	/* switch and port that it is plugged into */
	moore_lid lid;		/* base LID; 0 when it has none */
	uint8_t lmc;
};

struct moore_fabric {
	uint32_t n_switches, n_endpoints, n_ports;
	struct moore_switch *sw;
	struct moore_endpoint *ep;
	struct moore_port *port;
	moore_lid lid_top;	/* greatest LID in use */
	moore_lid lid_max;	/* greatest that may be in use: MOORE_LID_MAX but for racks (ether.h) */
};

/* ---- building ------------------------------------------------------------ */

/* Makes a fabric of that size; n_ports_total counts port 0 of each switch too.  Every field
 * is 0 except peer, which is MOORE_NONE.  The caller fills sw[], calls moore_fabric_layout(),
 * then adds links. */
MOORE_API int moore_fabric_new(struct moore_fabric **out, uint32_t n_switches,
			       uint32_t n_endpoints, uint32_t n_ports_total,
			       struct moore_err *err);
MOORE_API void moore_fabric_free(struct moore_fabric *f);
/* Sets port0 of every switch from n_ports, and the role of port 0. */
MOORE_API void moore_fabric_layout(struct moore_fabric *f);
/* Joins two switch ports; or a switch port and ep[e], whose sw and port it sets. */
MOORE_API void moore_fabric_link(struct moore_fabric *f, moore_swid a, moore_portnum pa,
				 moore_swid b, moore_portnum pb, uint8_t lanes);
MOORE_API void moore_fabric_attach(struct moore_fabric *f, moore_epid e, moore_swid s,
				   moore_portnum p, uint8_t lanes);
/* Removes a link or an attached endpoint: both ends become MOORE_ROLE_NONE. */
MOORE_API void moore_fabric_cut(struct moore_fabric *f, moore_swid s, moore_portnum p);
/* Checks the invariants and sets lid_top: links are symmetric, endpoints are where their
 * ports say, LID ranges are disjoint and aligned to their LMC.  -MOORE_EPLAN, -MOORE_ELID,
 * -MOORE_ENOMEM. */
MOORE_API int moore_fabric_seal(struct moore_fabric *f, struct moore_err *err);
/* Replaces all LIDs and LMCs by those of OpenSM's file guid2lid, then seals f.  -MOORE_ESYNTAX
 * sets err->line; otherwise as moore_fabric_seal().  A port that the file lacks has LID 0.
 * -MOORE_ENOMEM.  On failure the LIDs of f are undefined.  O(len). */
MOORE_API int moore_fabric_take_lids(struct moore_fabric *f, const char *text, size_t len,
				     struct moore_err *err);
MOORE_API int moore_fabric_copy(struct moore_fabric **out, const struct moore_fabric *f,
				struct moore_err *err);

static inline const struct moore_port *
moore_fabric_port(const struct moore_fabric *f, moore_swid s, moore_portnum p)
{
	return &f->port[f->sw[s].port0 + p];
}

/* The data VLs that IBTA's code for VLs (1..5) stands for: 1, 2, 4, 8 or 15.  A lesser code counts as
 * 1, a greater one as 5. */
static inline uint8_t
moore_lanes_of_code(uint64_t code)
{
	static const uint8_t lanes[] = { 1, 1, 2, 4, 8, 15 };

	return lanes[code < 5 ? code : 5];
}

/* Returns the least such code for that many lanes or more. */
static inline uint8_t
moore_code_of_lanes(unsigned lanes)
{
	return lanes > 8 ? 5 : lanes > 4 ? 4 : lanes > 2 ? 3 : lanes > 1 ? 2 : 1;
}

/* The mask that OpenSM applies to VLs on a port with that many lanes (1, 2, 4, 8 or 15).
 * VL 15 is not masked. */
static inline uint8_t
moore_lane_mask(uint8_t lanes)
{
	return lanes >= 15 ? 15 : lanes >= 8 ? 7 : lanes >= 4 ? 3 : lanes >= 2 ? 1 : 0;
}

/* Makes the fabric of a plan with everything up: the GUIDs of moore_plan_guids(), 8 lanes,
 * SLs mapped.  LIDs are in the order of GUIDs: first the switches (LMC 0), then the
 * endpoints, each with 2^lmc aligned LIDs.  -MOORE_ELID when they exceed 0xbfff. */
MOORE_API int moore_fabric_from_plan(struct moore_fabric **out, const struct moore_plan *p,
				     uint8_t lmc, struct moore_err *err);
/* The same, but -MOORE_ELID when the LIDs exceed lid_max. */
MOORE_API int moore_fabric_from_plan_to(struct moore_fabric **out, const struct moore_plan *p,
					uint8_t lmc, moore_lid lid_max, struct moore_err *err);

/* The same without LIDs, and with the GUIDs that the plan gives alone (0: none): for questions
 * about the plan as it is, of any size.  -MOORE_ENOMEM. */
MOORE_API int moore_fabric_outline(struct moore_fabric **out, const struct moore_plan *p,
				   struct moore_err *err);

/* Makes the plan of a fabric as it is: switches in its order, their links, and the endpoints
 * that are plugged into one, with GUIDs.  Names are NodeDescriptions, made unique.  The caller
 * ends *out with moore_plan_free().  -MOORE_EPLAN as moore_plan_check(); -MOORE_ENOMEM. */
MOORE_API int moore_plan_from_fabric(struct moore_plan **out, const struct moore_fabric *f,
				     struct moore_err *err);

/* ---- names and LIDs ------------------------------------------------------ */

struct moore_lid_owner {
	moore_swid sw;		/* the switch that it is plugged into, or that has the LID */
	moore_portnum port;	/* the port there; 0 for the switch itself */
	moore_epid ep;		/* MOORE_NONE for a switch */
	uint16_t offset;	/* LID minus base LID */
};

/* Returns the owner of each LID 0..lid_top, in an array to be freed with free(); sw is
 * MOORE_NONE where there is none.  O(lid_top). */
MOORE_API int moore_fabric_lids(const struct moore_fabric *f, struct moore_lid_owner **out,
				struct moore_err *err);

/* Returns the greatest LMC that every endpoint with a LID has; 0 for a fabric without endpoints. */
MOORE_API uint8_t moore_fabric_lmc(const struct moore_fabric *f);

/* Finds a switch or an endpoint by name, by GUID ("0x..."), or by LID ("N", "0xN" or "lid N");
 * an endpoint also as NAME:CA_PORT.  Exactly one of *sw and *ep is set, the other is
 * MOORE_NONE.  -MOORE_EINVAL when nothing matches or more than one does.  O(switches +
 * endpoints). */
MOORE_API int moore_fabric_find(const struct moore_fabric *f, const char *what,
				moore_swid *sw, moore_epid *ep, struct moore_err *err);

/* Whether the word can mean this switch or endpoint, in any of those ways; an endpoint also by
 * the GUID of its node.  One word can mean several. */
MOORE_API bool moore_switch_matches(const struct moore_switch *s, const char *what);
MOORE_API bool moore_endpoint_matches(const struct moore_endpoint *e, const char *what);

MOORE_END

#endif

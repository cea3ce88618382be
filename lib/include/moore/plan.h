/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/plan.h - the intended fabric: named switches, endpoints and cables.
 * One JSON file, versioned; schema in docs/plan.schema.json.  Invariants of a
 * plan that moore_plan_check() accepted: names unique, every port used once and
 * within 1..ports of its switch, no cable from a switch to itself. */
#ifndef MOORE_PLAN_H
#define MOORE_PLAN_H

#include "base.h"
#include "topo.h"

MOORE_BEGIN

#define MOORE_PLAN_VERSION 1
/* Bytes of the text of a plan, for who reads a file: of the greatest one (a million
 * switches, endpoints and cables each, at 178 bytes), and of the greatest that one subnet
 * can hold (49,151 switches and endpoints, which is all unicast LIDs, and a million
 * cables, at 160 bytes).  338 switches with 3042 endpoints take 0.5 MB. */
#define MOORE_PLAN_BYTES_MAX ((size_t)512 << 20)
#define MOORE_PLAN_SUBNET_BYTES_MAX ((size_t)160 << 20)
#define MOORE_NAME_MAX 63	/* NodeDescription is 64 bytes (IBTA 14.2.5.2) */

struct moore_rate {		/* of a link, as ibnetdiscover says it: "4xEDR" */
	uint8_t width;		/* lanes: 1, 2, 4, 8 or 12; 0 when unknown */
	uint8_t speed;		/* in rising order, from 1: SDR DDR QDR FDR10 FDR EDR HDR NDR XDR */
};

struct moore_plan_cabinet {	/* a place on the floor grid */
	char *name;		/* unique; switches name it */
	unsigned row, column;	/* from 0 */
};

struct moore_plan_switch {
	char *name;
	uint64_t guid;		/* node GUID; 0 when unknown */
	moore_portnum ports;	/* external ports, 1..254 */
	char *cabinet;		/* NULL when not placed */
	unsigned unit;		/* rack unit from the bottom, from 1; 0 when not placed */
};

struct moore_plan_endpoint {	/* one CA port */
	char *name;		/* of its node; (name, ca_port) is unique */
	uint64_t guid;		/* port GUID; 0 when unknown */
	uint8_t ca_port;	/* from 1 */
	moore_swid sw;		/* where it is plugged in */
	moore_portnum port;
	struct moore_rate rate;	/* 0x: that of the plan */
};

struct moore_plan_cable {	/* switch to switch */
	moore_swid sw[2];
	moore_portnum port[2];
	struct moore_rate rate;	/* 0x: that of the plan */
	double length;		/* metres; 0 when unknown */
	char *label;		/* NULL when none */
};

struct moore_plan {
	char *family;		/* registry name; NULL when general */
	char (*key)[16];	/* topology parameters as read or built, n_params of them */
	int64_t *value;
	size_t n_params;
	bool permuted;		/* links were swapped: permutation_seed says how */
	uint64_t permutation_seed;
	struct moore_rate rate;	/* of what says none of its own */
	/* The floor: cabinets on a grid; none when nothing is placed. */
	double column_pitch, row_pitch;	/* metres from one to the next */
	uint32_t n_cabinets;
	struct moore_plan_cabinet *cabinet;
	uint32_t n_switches, n_endpoints, n_cables;
	struct moore_plan_switch *sw;
	struct moore_plan_endpoint *ep;
	struct moore_plan_cable *cable;
};

/* Switch ports: endpoints on 1..p, then links in the order of the neighbours'
 * indices.  Endpoint j (from 0) of switch NAME is NAME-h<j>.
 * -MOORE_EINVAL more than 254 ports on a switch. */
MOORE_API int moore_plan_from_topo(struct moore_plan **out, const struct moore_topo *t,
				   struct moore_err *err);
MOORE_API void moore_plan_free(struct moore_plan *p);

/* JSON.  Parsing checks everything (moore_plan_check included); err->line is
 * the line of a syntax error, and other errors name the place as
 * "cables[12].b.port: ...".  Unknown keys are errors.  O(size). */
MOORE_API int moore_plan_parse(struct moore_plan **out, const char *text, size_t len,
			       struct moore_err *err);
MOORE_API int moore_plan_write(const struct moore_plan *p, struct moore_buf *out,
			       struct moore_err *err);

/* The invariants above.  A plan whose switches are not connected is accepted;
 * *n_parts (may be NULL) tells.  O(size log size). */
MOORE_API int moore_plan_check(const struct moore_plan *p, uint32_t *n_parts,
			       struct moore_err *err);

/* GUIDs used where the plan gives none: those that ibsim gives by default, in
 * plan order.  Switch i: 0x200000+i.  Endpoints: the node GUIDs of distinct
 * names in order of first appearance start at 0x100000, spaced by ports+1;
 * port GUID = node GUID + ca_port.  Returns arrays of n_switches and n_endpoints
 * (given GUIDs kept), to be freed with free(). */
MOORE_API int moore_plan_guids(const struct moore_plan *p, uint64_t **sw_guid,
			       uint64_t **ep_guid, struct moore_err *err);

/* ---- rates ------------------------------------------------------------------ */

/* Read "4xEDR" at *s and move *s past it; false, and *s unmoved, when it is none. */
MOORE_API bool moore_rate_read(const char **s, const char *end, struct moore_rate *out);
/* Append it; nothing when it is unknown. */
MOORE_API void moore_rate_put(struct moore_buf *b, struct moore_rate r);
/* What a cable or an endpoint should run at: its own rate, else the plan's. */
static inline struct moore_rate
moore_plan_rate(const struct moore_plan *p, struct moore_rate own)
{
	return own.width ? own : p->rate;
}

/* ---- other formats: one table row each ---------------------------------- */

struct moore_plan_format {
	const char *name;	/* "ibsim" */
	const char *help;
	int (*write)(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err);
	int (*parse)(struct moore_plan **out, const char *text, size_t len, struct moore_err *err);
	/* either may be NULL */
	const char *lost;	/* what of a plan it cannot hold */
};
MOORE_API const struct moore_plan_format *moore_plan_format_at(size_t i);	/* NULL past the end */
MOORE_API const struct moore_plan_format *moore_plan_format_find(const char *name);

/* Append s (NULL: "") as a field of CSV that a spreadsheet takes for text and that shows
 * what it holds.  Quoted as in RFC 4180 where needed; what begins with = + - @ tab CR or '
 * gets an apostrophe before it; a character of moore_text_hidden() becomes \uXXXX, and a
 * backslash that would read as such \u005c.  The readers of csv and opa undo all three. */
MOORE_API void moore_csv_put(struct moore_buf *b, const char *s);

MOORE_END

#endif

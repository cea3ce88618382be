/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/plan.h - the intended fabric: named switches, endpoints and cables, in one versioned
 * JSON file (schema: docs/plan.schema.json).
 *
 * Once moore_plan_check() has accepted a plan, its names are unique, every port is used at
 * most once and lies within 1..ports of its switch, and no cable joins a switch to itself. */
#ifndef MOORE_PLAN_H
#define MOORE_PLAN_H

#include "base.h"
#include "topo.h"

MOORE_BEGIN

#define MOORE_PLAN_VERSION 1
/* The longest text of a plan, for callers that read files: of any plan (a million switches,
 * endpoints and cables each, at 178 bytes an element), and of one subnet (49,151 switches and
 * endpoints, as many as there are unicast LIDs, and a million cables, at 160 bytes). A plan
 * of 338 switches and 3042 endpoints has 0.5 MB. */
#define MOORE_PLAN_BYTES_MAX ((size_t)512 << 20)
#define MOORE_PLAN_SUBNET_BYTES_MAX ((size_t)160 << 20)
#define MOORE_NAME_MAX 63	/* NodeDescription is 64 bytes (IBTA 14.2.5.2) */

struct moore_rate {		/* rate of a link, printed as ibnetdiscover does: "4xEDR" */
	uint8_t width;		/* lanes: 1, 2, 4, 8 or 12; 0 when unknown */
	uint8_t speed;		/* in rising order, from 1: SDR DDR QDR FDR10 FDR EDR HDR NDR XDR */
};

struct moore_plan_cabinet {	/* a cabinet and its place on the floor grid */
	char *name;		/* unique; struct moore_plan_switch refers to it */
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
	char *name;		/* name of its node; (name, ca_port) is unique */
	uint64_t guid;		/* port GUID; 0 when unknown */
	uint8_t ca_port;	/* from 1 */
	moore_swid sw;		/* the switch and port that it is plugged into */
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
	char *family;		/* name of the topology family; NULL for a general graph */
	char (*key)[16];	/* names of the topology's parameters, n_params of them */
	int64_t *value;
	size_t n_params;
	bool permuted;		/* links were exchanged, by permutation_seed */
	uint64_t permutation_seed;
	struct moore_rate rate;	/* of cables and endpoints without a rate of their own */
	/* The floor, a grid of cabinets; n_cabinets is 0 when nothing is placed. */
	double column_pitch, row_pitch;	/* metres from one cabinet to the next */
	uint32_t n_cabinets;
	struct moore_plan_cabinet *cabinet;
	uint32_t n_switches, n_endpoints, n_cables;
	struct moore_plan_switch *sw;
	struct moore_plan_endpoint *ep;
	struct moore_plan_cable *cable;
};

/* Makes the plan of a topology.  At each switch endpoints take ports 1..p, then come links in
 * the order of the neighbours' indices.  Endpoint j (from 0) of switch NAME is NAME-h<j>.
 * -MOORE_EINVAL when a switch needs more than 254 ports. */
MOORE_API int moore_plan_from_topo(struct moore_plan **out, const struct moore_topo *t,
				   struct moore_err *err);
MOORE_API void moore_plan_free(struct moore_plan *p);

/* Reads and writes JSON.  Parsing also runs moore_plan_check().  err->line is the line of a
 * syntax error; other errors name the place: "cables[12].b.port: ...".  Unknown keys are
 * errors.  O(size) time; memory for the plan and at most 4 MiB besides. */
MOORE_API int moore_plan_parse(struct moore_plan **out, const char *text, size_t len,
			       struct moore_err *err);
MOORE_API int moore_plan_write(const struct moore_plan *p, struct moore_buf *out,
			       struct moore_err *err);

/* Checks the invariants above.  A plan whose switches are not all connected is accepted;
 * *n_parts (may be NULL) becomes the number of its connected parts.  O(size log size). */
MOORE_API int moore_plan_check(const struct moore_plan *p, uint32_t *n_parts,
			       struct moore_err *err);

/* Makes the plan of a part of whole: of `switches` of its switches, of all its cables between
 * these, and at each of them of at most `endpoints` of its endpoints, the first ones.  What stage
 * has (NULL: nothing) is built already: its switches, cables and endpoints come first, in its
 * order, and stay.  The other switches are chosen so that most pairs of switches with endpoints
 * are at distance one or two.  A part of all switches has the family of whole, others none.
 * progress (may be NULL) is called now and then with the share that is done, 0..1.
 * -MOORE_EPLAN if stage is no part of whole, with the place in stage; -MOORE_EINVAL when whole
 * has fewer switches or stage more, or if a choice is needed among more than 2048;
 * -MOORE_ENOMEM.  O(switches * n * (n + degree^2)), and 2 n^2 bytes, n switches of whole. */
MOORE_API int moore_plan_grow(struct moore_plan **out, const struct moore_plan *whole,
			      const struct moore_plan *stage, uint32_t switches, uint32_t endpoints,
			      void (*progress)(void *arg, double share), void *arg,
			      struct moore_err *err);

/* Returns the GUIDs of all switches and endpoints, in arrays to be freed with free(): those
 * of the plan, and where it gives none, ibsim's defaults in plan order.  Switch i has
 * 0x200000+i.  The nodes of endpoints, in the order in which their names first appear, start
 * at 0x100000 and are ports+1 apart; a port's GUID is its node's + ca_port. */
MOORE_API int moore_plan_guids(const struct moore_plan *p, uint64_t **sw_guid,
			       uint64_t **ep_guid, struct moore_err *err);

/* ---- rates ------------------------------------------------------------------ */

/* Reads a rate such as "4xEDR" at *s and moves *s past it.  False, with *s unmoved, when
 * there is none. */
MOORE_API bool moore_rate_read(const char **s, const char *end, struct moore_rate *out);
/* Appends a rate; nothing when it is unknown. */
MOORE_API void moore_rate_put(struct moore_buf *b, struct moore_rate r);
/* Returns the Gbit/s of data that a link carries; 0 when its rate is unknown. */
MOORE_API double moore_rate_gbit(struct moore_rate r);
/* Returns the rate that a cable or an endpoint should have: its own, else the plan's. */
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
	const char *lost;	/* what of a plan the format cannot hold */
};
MOORE_API const struct moore_plan_format *moore_plan_format_at(size_t i);	/* NULL past the end */
MOORE_API const struct moore_plan_format *moore_plan_format_find(const char *name);

/* Appends s (NULL: "") as a field of CSV.  A field that begins with = + - @ tab CR or ' gets
 * an apostrophe before it, so that no spreadsheet takes it for a formula.  A character of
 * moore_text_hidden() is written as \uXXXX, and a backslash that would read as one as
 * \u005c.  Fields are quoted as in RFC 4180 where needed.  The readers of csv and opa undo
 * all of this. */
MOORE_API void moore_csv_put(struct moore_buf *b, const char *s);

MOORE_END

#endif

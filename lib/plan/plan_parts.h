/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* plan_parts.h - what the files of lib/plan share: limits, sorted references
 * into a plan, and the wiring as the text formats need it. */
#ifndef MOORE_PLAN_PARTS_H
#define MOORE_PLAN_PARTS_H

#include "moore/plan.h"

#define MOORE_PLAN_COUNT_MAX 1000000	/* switches, endpoints, cables: each */
#define MOORE_PLAN_METRES_MAX 1000000
#define MOORE_PLAN_TEXT_MAX 255		/* bytes of a cabinet or a label */
#define MOORE_PLAN_UNIT_MAX 1000
#define MOORE_PLAN_PARAMS_MAX 16
#define MOORE_PLAN_GRID_MAX 100000	/* rows and columns of the floor */

/* Zeroed, arrays included; NULL when out of memory. */
struct moore_plan *moore_plan_new(uint32_t n_switches, uint32_t n_endpoints, uint32_t n_cables);

/* Bytes of the UTF-8 character at s (len > 0 bytes are there); 0 when it is none. */
size_t moore_utf8_len(const char *s, size_t len);

/* ---- references: an element of a plan under the key it is sorted by ------ */

enum moore_plan_kind {
	MOORE_PLAN_SWITCH, MOORE_PLAN_ENDPOINT, MOORE_PLAN_CABLE, MOORE_PLAN_CABINET,
	MOORE_PLAN_CABLE_A, MOORE_PLAN_CABLE_B	/* its ends */
};

struct moore_plan_ref {		/* ordered by name, key, kind, index */
	const char *name;	/* "" where the key says all */
	uint64_t key;
	uint32_t index;
	int kind;
};

void moore_plan_refs_sort(struct moore_plan_ref *r, size_t n);
/* Index of the element under exactly (name, key, kind); MOORE_NONE when absent. */
uint32_t moore_plan_refs_find(const struct moore_plan_ref *r, size_t n, const char *name,
			      uint64_t key, int kind);
/* -MOORE_EPLAN when two neighbours have one name and key; what says of what. */
int moore_plan_refs_unique(const struct moore_plan_ref *r, size_t n, const char *what,
			   struct moore_err *err);

/* Key of a switch port among references. */
static inline uint64_t
moore_plan_plug_key(moore_swid sw, moore_portnum port)
{
	return (uint64_t)sw << 8 | port;
}

/* ---- wiring: who is plugged in where ------------------------------------- */

struct moore_plan_ca {		/* endpoints of one name */
	const char *name;
	uint64_t guid;		/* of the node: that of a port less its number */
	uint32_t first;		/* least of its endpoint indices */
	uint32_t start, n;	/* its endpoints: wiring.ep[start..start+n-1], by ca_port */
	uint8_t ports;		/* greatest ca_port */
};

struct moore_plan_wiring {
	struct moore_plan_ref *plug;	/* every used switch port, sorted by plug key */
	size_t n_plugs;
	struct moore_plan_ca *ca;	/* in order of first appearance */
	uint32_t n_cas;
	uint32_t *ep;
	uint64_t *sw_guid, *ep_guid;	/* as moore_plan_guids() */
};

/* Every used switch port, sorted by plug key: n_endpoints + 2 n_cables; NULL
 * when out of memory. */
struct moore_plan_ref *moore_plan_plugs(const struct moore_plan *p);

/* Check p and fill *w; node GUIDs are distinct.  End it with _fini. */
int moore_plan_wiring_init(struct moore_plan_wiring *w, const struct moore_plan *p,
			   struct moore_err *err);
void moore_plan_wiring_fini(struct moore_plan_wiring *w);

/* Shortest decimal that reads back as the same number; 0 <= v <= METRES_MAX. */
void moore_plan_put_metres(struct moore_buf *b, double v);

/* The whole of s as a number from 0 to METRES_MAX, in the JSON's grammar. */
bool moore_plan_read_metres(const char *s, size_t len, double *out);

/* Out of memory while *out grew? */
static inline int
moore_plan_written(const struct moore_buf *out, struct moore_err *err)
{
	return out->oom ? moore_fail_nomem(err) : 0;
}

#endif

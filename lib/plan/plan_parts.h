/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* plan_parts.h - what the files of lib/plan share: limits, sorted references to the elements
 * of a plan, and its wiring as the text formats need it. */
#ifndef MOORE_PLAN_PARTS_H
#define MOORE_PLAN_PARTS_H

#include "moore/plan.h"

#define MOORE_PLAN_COUNT_MAX 4000000	/* of switches, of endpoints and of cables */
#define MOORE_PLAN_METRES_MAX 1000000
#define MOORE_PLAN_TEXT_MAX 255		/* bytes of a cabinet's name or a label */
#define MOORE_PLAN_UNIT_MAX 1000
#define MOORE_PLAN_PARAMS_MAX 16
#define MOORE_PLAN_GRID_MAX 100000	/* rows and columns of the floor */

/* Returns a plan with zeroed arrays of these lengths; NULL when out of memory. */
struct moore_plan *moore_plan_new(uint32_t n_switches, uint32_t n_endpoints, uint32_t n_cables);

/* ---- references: an element of a plan under the key it is sorted by ------ */

enum moore_plan_kind {
	MOORE_PLAN_SWITCH, MOORE_PLAN_ENDPOINT, MOORE_PLAN_CABLE, MOORE_PLAN_CABINET,
	MOORE_PLAN_CABLE_A, MOORE_PLAN_CABLE_B	/* the ends of a cable */
};

struct moore_plan_ref {		/* sorted by name, key, kind, index */
	const char *name;	/* "" when sorting needs the key alone */
	uint64_t key;
	uint32_t index;
	int kind;
};

void moore_plan_refs_sort(struct moore_plan_ref *r, size_t n);
/* Returns the index of the element with this name, key and kind; MOORE_NONE when there is
 * none. */
uint32_t moore_plan_refs_find(const struct moore_plan_ref *r, size_t n, const char *name,
			      uint64_t key, int kind);
/* -MOORE_EPLAN when two references have the same name and key; what names the field in the
 * error. */
int moore_plan_refs_unique(const struct moore_plan_ref *r, size_t n, const char *what,
			   struct moore_err *err);

/* The key by which references to a switch port are sorted. */
static inline uint64_t
moore_plan_plug_key(moore_swid sw, moore_portnum port)
{
	return (uint64_t)sw << 8 | port;
}

/* ---- wiring: what is plugged in where ------------------------------------ */

struct moore_plan_ca {		/* the endpoints that share a name */
	const char *name;
	uint64_t guid;		/* node GUID: that of a port minus the port's number */
	uint32_t first;		/* the least of its endpoint indices */
	uint32_t start, n;	/* its endpoints: wiring.ep[start..start+n-1], by ca_port */
	uint8_t ports;		/* greatest ca_port */
};

struct moore_plan_wiring {
	struct moore_plan_ref *plug;	/* every used switch port, sorted by plug key */
	size_t n_plugs;
	struct moore_plan_ca *ca;	/* in the order in which their names first appear */
	uint32_t n_cas;
	uint32_t *ep;
	uint64_t *sw_guid, *ep_guid;	/* as from moore_plan_guids() */
};

/* Returns every used switch port of p, which names only switches that it has: n_endpoints + 2 n_cables
 * of them, sorted by plug key; NULL when out of memory. */
struct moore_plan_ref *moore_plan_plugs(const struct moore_plan *p);

/* Checks p and fills *w, with distinct node GUIDs.  End it with moore_plan_wiring_fini(). */
int moore_plan_wiring_init(struct moore_plan_wiring *w, const struct moore_plan *p,
			   struct moore_err *err);
void moore_plan_wiring_fini(struct moore_plan_wiring *w);

/* Appends the shortest decimal that reads back as v; 0 <= v <= MOORE_PLAN_METRES_MAX. */
void moore_plan_put_metres(struct moore_buf *b, double v);

/* Reads s as a JSON number from 0 to MOORE_PLAN_METRES_MAX; false when it is anything else. */
bool moore_plan_read_metres(const char *s, size_t len, double *out);

/* Returns -MOORE_ENOMEM if memory ran out while *out grew. */
static inline int
moore_plan_written(const struct moore_buf *out, struct moore_err *err)
{
	return out->oom ? moore_fail_nomem(err) : 0;
}

/* The same for a writer that may fail: if rc is an error, *out is as long as before. */
static inline int
moore_plan_end(struct moore_buf *out, size_t before, int rc, struct moore_err *err)
{
	if (rc < 0)
		out->len = before;
	return rc < 0 ? rc : moore_plan_written(out, err);
}

#endif

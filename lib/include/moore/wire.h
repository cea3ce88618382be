/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/wire.h - compares the observed cabling with the plan: which observed switch is which
 * planned one, what deviates, and the fewest cable ends to move.
 *
 * Words.  A *jack* is what one end of a cable is plugged into: a port of a switch or an
 * endpoint.  A *slot* is a place for a switch: slot i is planned switch i, and the slots
 * from n_switches of the plan on hold observed switches that the plan does not have.
 * Endpoints have slots in the same way.  Pure: same input, same answer. */
#ifndef MOORE_WIRE_H
#define MOORE_WIRE_H

#include "plan.h"
#include "seen.h"

MOORE_BEGIN

/* ---- matching and deviations --------------------------------------------------- */

enum moore_wire_verdict {
	MOORE_WIRE_MISSING, MOORE_WIRE_EXTRA, MOORE_WIRE_WRONG_PEER, MOORE_WIRE_WRONG_PORT,
	MOORE_WIRE_DUPLICATE, MOORE_WIRE_LOOPBACK, MOORE_WIRE_ONE_SIDED, MOORE_WIRE_SLOW,
	MOORE_WIRE_NARROW, MOORE_WIRE_SWAPPED, MOORE_WIRE_MIRRORED, MOORE_WIRE_MISSING_SWITCH,
	MOORE_WIRE_MISSING_ENDPOINT, MOORE_WIRE_MOVED, MOORE_WIRE_UNKNOWN,
	MOORE_WIRE_VERDICTS
};
struct moore_wire_text {
	const char *name;	/* "wrong-peer" */
	const char *help;	/* one line */
};
MOORE_API const struct moore_wire_text *moore_wire_text(enum moore_wire_verdict v);

struct moore_wire_jack {	/* a switch as a whole has port 0 */
	bool endpoint;
	uint32_t slot;		/* MOORE_NONE: no such jack */
	uint8_t port;		/* of the switch, or of the CA */
};

struct moore_deviation {
	enum moore_wire_verdict verdict;
	/* The ends of the cable, first the one that plan and fabric have in common; slot
	 * MOORE_NONE: no such end.  SWAPPED: planned[] are the two switches.  UNKNOWN:
	 * observed[0] is the device, planned[0] the slot whose cables it has. */
	struct moore_wire_jack planned[2], observed[2];
	struct moore_rate planned_rate, observed_rate;	/* of SLOW and NARROW */
	uint32_t cable;		/* of the plan; MOORE_NONE */
	uint32_t count;		/* MISSING_SWITCH: cables that are missing with it.  MIRRORED:
				 * switches that have the cables of another one */
};

struct moore_wire_cable {	/* also the cable of an endpoint */
	uint32_t jack[2];	/* see moore_wire.jack */
	struct moore_rate rate;
	uint32_t index;		/* of the plan's cables or endpoints */
	bool endpoint;
	/* Cables of the other side (observed for a planned one), or MOORE_NONE.  mate: the
	 * cable that the shortest repair turns into this one, or this one into.  twin: the
	 * cable that a report shows beside it. */
	uint32_t mate, twin;
};

struct moore_wire_cables {
	struct moore_wire_cable *cable;
	uint32_t n;
	uint32_t *at;		/* by jack: index in cable[]; MOORE_NONE: no cable */
};

struct moore_wire {
	const struct moore_plan *plan;		/* borrowed, as is seen */
	const struct moore_seen *seen;
	/* For each observed switch: the planned switch that has its GUID or name, and the slot
	 * whose cables it has.  The two differ where switches are exchanged. */
	moore_swid *self, *role;
	moore_swid *occupant;	/* of each slot: observed switch, or MOORE_NONE */
	moore_epid *ep_slot;	/* of each observed endpoint */
	moore_epid *stand_in;	/* of each planned endpoint: the observed one at its port, if the
				 * plan does not have that and the planned one was not found;
				 * else MOORE_NONE */
	uint32_t n_slots, n_ep_slots;
	const struct moore_plan_switch **sw;	/* name and place of each slot */
	const struct moore_plan_endpoint **ep;
	struct moore_wire_jack *jack;
	uint32_t n_jacks;
	/* How many switches were matched by each; the others are unknown. */
	uint32_t by_guid, by_name, by_structure;
	bool eps_by_place;	/* no endpoint has a known GUID or name: each counts as the one
				 * that is planned at its port */
	uint32_t n_displaced;	/* switches with role != self */
	bool mirrored;		/* MOORE_WIRE_IMAGE or more of them, and more than half of
				 * the switches that have a name */
	/* Exchanging the switches of these pairs of slots, in order, gives role == self
	 * everywhere; empty when mirrored. */
	uint32_t n_exchanges;
	moore_swid (*exchange)[2];
	bool image;		/* with these roles at most the ports of cables deviate */
	/* planned leaves out cables to switches or endpoints that were not found. */
	struct moore_wire_cables planned, observed;
	uint32_t n_deviations;
	struct moore_deviation *deviation;
	struct moore_arena *mem;	/* holds all arrays above */
};

/* Matches switches by GUID where the plan gives one, else by name, else by their cables.
 * A switch then takes the role of another slot if that slot's cables fit better by more
 * than MOORE_WIRE_EXCHANGE ends.  Borrows plan and seen until *out is freed.
 * O(cables log cables) for each of at most 16 rounds; the search for an image in which no
 * switch is known by GUID or name is bounded. */
#define MOORE_WIRE_EXCHANGE 2	/* the cost of exchanging two switches, in cable ends */
#define MOORE_WIRE_IMAGE 8	/* fewer displaced switches are exchanges, not a mirror */
MOORE_API int moore_wire_check(struct moore_wire **out, const struct moore_plan *plan,
			       const struct moore_seen *seen, struct moore_err *err);
MOORE_API void moore_wire_free(struct moore_wire *w);

/* ---- repair ------------------------------------------------------------------- */

struct moore_repair_move {	/* one end of one cable */
	uint32_t cable;		/* of w->observed; n and above: a new cable */
	uint8_t end;		/* 0 or 1 */
	uint32_t from, to;	/* jacks; MOORE_NONE: unplugged */
	uint32_t step;		/* from 1: pull all ends of a step, then plug them in */
	bool parts;		/* during the step, switches that were connected are not */
};

struct moore_repair {
	uint32_t n_moves, n_steps, n_new;	/* n_new: cables that are not in the fabric yet */
	struct moore_repair_move *move;		/* in order */
	uint32_t lower_bound;	/* once the exchanges are done, every repair has this many moves */
	bool optimal;		/* this is the shortest possible list */
	uint32_t n_parting;	/* steps that disconnect connected switches */
};

/* The fewest moves that turn the observed cables into the planned ones, once w's exchanges
 * are done.  A jack holds at most one planned and one observed cable, so these form
 * alternating paths and rings.  One with o observed and p planned cables needs
 * 2 max(o, p) moves less the number of jacks that two of them share.  This is proven for
 * the roles of w.  Where roles were guessed (several switches without a name, a mirrored
 * wiring, unknown endpoints at unplanned ports), optimal is false unless the lower bound is
 * met.  O(cables), and for each step a search around its cables. */
MOORE_API int moore_wire_repair(struct moore_repair **out, const struct moore_wire *w,
				struct moore_err *err);
MOORE_API void moore_repair_free(struct moore_repair *r);

/* Makes the plan that the observed fabric fulfils: names and places of the old plan, cables
 * at the observed ports.  -MOORE_EPLAN unless w->image. */
MOORE_API int moore_wire_accept(struct moore_plan **out, const struct moore_wire *w,
				struct moore_err *err);

MOORE_END

#endif

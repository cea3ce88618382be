/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/wire.h - the fabric as it is cabled against the plan: who is who, what
 * deviates, and the fewest cable ends to move.
 *
 * Words.  A *jack* is where one end of a cable goes: a port of a switch or an
 * endpoint.  A *slot* is a place among switches: slot i < n_switches of the plan
 * is planned switch i, those behind are observed switches that the plan does
 * not know; endpoints have slots likewise.  Pure: same input, same answer. */
#ifndef MOORE_WIRE_H
#define MOORE_WIRE_H

#include "plan.h"
#include "seen.h"

MOORE_BEGIN

/* ---- who is who, and what deviates -------------------------------------------- */

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
	uint32_t slot;		/* MOORE_NONE: nowhere */
	uint8_t port;		/* of the switch, or of the CA */
};

struct moore_deviation {
	enum moore_wire_verdict verdict;
	/* Ends of the cable, the end that both have first; slot MOORE_NONE where
	 * there is none.  SWAPPED: planned[0] and [1] are the two switches.  MIRRORED: count
	 * tells how many switches stand for another.  UNKNOWN: observed[0] is the device,
	 * planned[0] what it stands for. */
	struct moore_wire_jack planned[2], observed[2];
	struct moore_rate planned_rate, observed_rate;	/* of SLOW and NARROW */
	uint32_t cable;		/* of the plan; MOORE_NONE */
	uint32_t count;		/* MISSING_SWITCH: cables that are missing with it */
};

struct moore_wire_cable {	/* also the cable of an endpoint */
	uint32_t jack[2];	/* see moore_wire.jack */
	struct moore_rate rate;
	uint32_t index;		/* of the plan's cables or endpoints */
	bool endpoint;
	/* Of the other side's cables, or MOORE_NONE: the one that it becomes in the fewest
	 * moves, and the one that a person takes it for. */
	uint32_t mate, twin;
};

struct moore_wire_cables {
	struct moore_wire_cable *cable;
	uint32_t n;
	uint32_t *at;		/* by jack; MOORE_NONE: nothing there */
};

struct moore_wire {
	const struct moore_plan *plan;		/* borrowed, as is seen */
	const struct moore_seen *seen;
	/* Of each observed switch: the planned switch that it is by GUID or name, and
	 * the slot whose cables it has.  They differ where switches are exchanged. */
	moore_swid *self, *role;
	moore_swid *occupant;	/* of each slot: observed switch, or MOORE_NONE */
	moore_epid *ep_slot;	/* of each observed endpoint */
	uint32_t n_slots, n_ep_slots;
	const struct moore_plan_switch **sw;	/* name and place of each slot */
	const struct moore_plan_endpoint **ep;
	struct moore_wire_jack *jack;
	uint32_t n_jacks;
	uint32_t by_guid, by_name, by_structure;	/* switches bound; the rest are unknown */
	bool eps_by_place;	/* no endpoint is known: each is the one planned where it stands */
	uint32_t n_displaced;	/* switches whose role is not their own */
	bool mirrored;		/* MOORE_WIRE_IMAGE or more, and over half of those with a name */
	uint32_t n_exchanges;	/* of what stands at two slots; in this order all come home; */
	moore_swid (*exchange)[2];	/* none when mirrored */
	bool image;		/* under these roles nothing but ports, if anything, deviates */
	/* Cables to switches or endpoints that are not there are left out of planned. */
	struct moore_wire_cables planned, observed;
	uint32_t n_deviations;
	struct moore_deviation *deviation;
	struct moore_arena *mem;	/* holds all arrays above */
};

/* Compare.  Switches are bound by GUID where the plan gives one, else by name,
 * else by what they are cabled to; roles are then moved where another slot's
 * cables fit better by more than MOORE_WIRE_EXCHANGE ends.  Borrows plan and seen.
 * O(cables log cables) for each round of at most 16; an image without any known
 * switch is looked for with bounded effort. */
#define MOORE_WIRE_EXCHANGE 2	/* what exchanging two switches costs, in cable ends */
#define MOORE_WIRE_IMAGE 8	/* switches out of place, below which they are exchanged */
MOORE_API int moore_wire_check(struct moore_wire **out, const struct moore_plan *plan,
			       const struct moore_seen *seen, struct moore_err *err);
MOORE_API void moore_wire_free(struct moore_wire *w);

/* ---- repair ------------------------------------------------------------------- */

struct moore_repair_move {	/* one end of one cable */
	uint32_t cable;		/* of w->observed; n and above: a new cable */
	uint8_t end;		/* 0 or 1 */
	uint32_t from, to;	/* jacks; MOORE_NONE: unplugged */
	uint32_t step;		/* from 1: pull all ends of a step, then plug them in */
	bool parts;		/* while the step is done, switches that were joined are not */
};

struct moore_repair {
	uint32_t n_moves, n_steps, n_new;	/* n_new cables are taken from store */
	struct moore_repair_move *move;		/* in order */
	uint32_t lower_bound;	/* after the exchanges no list of moves is shorter */
	bool optimal;
	uint32_t n_parting;	/* steps that part joined switches */
};

/* The fewest moves that turn the observed cables into the planned ones, once
 * w's exchanges are done.  Every jack holds at most one cable of each kind, so
 * planned and observed cables form alternating paths and rings, and the best
 * assignment has a closed form: 2 max(o, p) less the pairs that share a jack.
 * It is proven for the roles of w; where those were guessed (more than one switch
 * without a name, a mirrored wiring, endpoints of unknown names at unplanned ports)
 * optimal is false unless the lower bound is met.  O(cables), and for each step a
 * search around its cables. */
MOORE_API int moore_wire_repair(struct moore_repair **out, const struct moore_wire *w,
				struct moore_err *err);
MOORE_API void moore_repair_free(struct moore_repair *r);

/* The plan that the fabric as it stands fulfils: names and places stay, cables go
 * where they are.  -MOORE_EPLAN unless w->image. */
MOORE_API int moore_wire_accept(struct moore_plan **out, const struct moore_wire *w,
				struct moore_err *err);

MOORE_END

#endif

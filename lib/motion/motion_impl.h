/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* motion_impl.h - the parts that build the steps of a change.
 *
 *   motion.c    the procedure: cuts the change into steps
 *   flip.c      one step: which rows change in it
 *   meet.c      a shorter way, made from both ends
 *   start.c     the dependencies of what is held at the beginning
 *   widen.c     rows with several values, outside of any change
 *   hold.c      what many LIDs hold, side by side
 *   columns.c   the rows by LID: what they are, were and shall be
 *   ways.c      the mixture of one LID: its ways and the VLs on them
 *   order.c     the dependencies of all LIDs together, in an order without a cycle
 *   layout.c    the fabric and its SL2VL tables as flat arrays
 *
 * To flip a row is to add its new value to the mixture.  That adds dependencies between
 * channels; the flip stands if these close no cycle, and is undone otherwise.
 *
 * A slot is a port of a switch, numbered as in moore_fabric.port; a slot whose port leads to
 * a switch is a link.  A channel is a link and a VL: slot * n_vl + VL.  A turn is a link and
 * a port of the switch that it leads to; cell (turn0[link] + port) * n_cls + class holds
 * the VLs on which packets of a class of SLs arrive that make this turn. */
#ifndef MOORE_MOTION_IMPL_H
#define MOORE_MOTION_IMPL_H

#include "base/arena.h"
#include "moore/motion.h"

struct moore_mo_net {
	const struct moore_fabric *f;
	const struct moore_motion_opts *o;
	uint32_t n_sw, n_slots, n_turns;
	unsigned n_vl;			/* VLs 0 .. n_vl - 1 occur */
	unsigned n_cls;			/* classes of SLs that all rows map alike */
	uint8_t cls_sl[MOORE_N_SL];	/* one SL of each */
	uint16_t cls_mask[MOORE_N_SL];
	uint8_t *has_ep;		/* for each switch: it has an endpoint */
	uint32_t *next;			/* of each slot: the switch there, or MOORE_NONE */
	uint32_t *turn0;		/* of each link: its first turn */
	uint16_t *leave;		/* [cell]: VLs on which packets leave that make the turn */
	uint16_t *inject;		/* [slot * n_cls + class]: VLs on which sources enter */
};

static inline size_t
moore_mo_cell(const struct moore_mo_net *n, uint32_t link, unsigned port)
{
	return ((size_t)n->turn0[link] + port) * n->n_cls;
}

int moore_mo_layout(struct moore_mo_net *n, const struct moore_fabric *f,
		    const struct moore_motion_opts *o, struct moore_arena *a,
		    struct moore_err *err);

/* ---- order.c ------------------------------------------------------------------------- */

struct moore_mo_undo {
	uint16_t *where, was;
};

struct moore_mo_order {
	const struct moore_mo_net *n;
	uint32_t n_channels;
	uint16_t *held;			/* [cell]: VLs held before the turn */
	uint32_t *at;			/* [channel]: its place; every dependency goes forward */
	bool ordered;			/* at[] is valid and is kept so by moore_mo_hold() */
	uint32_t *seen, stamp;		/* scratch of the searches */
	uint32_t *fwd, *back, *place, n_fwd, n_back;
	struct moore_mo_undo *log;	/* what changed since moore_mo_begin() */
	uint32_t n_log, cap_log;
	bool oom;
};

int moore_mo_order_init(struct moore_mo_order *g, const struct moore_mo_net *n,
			struct moore_arena *a, struct moore_err *err);
void moore_mo_order_free(struct moore_mo_order *g);
/* Orders the channels by the dependencies in held[].  Returns false if they have a cycle. */
bool moore_mo_sort(struct moore_mo_order *g);
/* Adds VLs to a turn's cell of class x.  If the order is valid, it stays so; returns false
 * if there is none with the new dependencies. */
bool moore_mo_hold(struct moore_mo_order *g, uint32_t link, unsigned port, unsigned x,
		   uint16_t vls);
/* Sets *where, such that moore_mo_undo() restores all that was set since moore_mo_begin(). */
bool moore_mo_set(struct moore_mo_order *g, uint16_t *where, uint16_t value);
void moore_mo_begin(struct moore_mo_order *g);
void moore_mo_undo(struct moore_mo_order *g);

/* ---- ways.c -------------------------------------------------------------------------- */

struct moore_mo_way {		/* a value of a row that leads to a switch */
	uint32_t link;
	moore_swid from, to;
	uint32_t out, in;	/* the next way out of from, and into to; MOORE_NONE: none */
	bool stale;		/* packets may have taken it, but none takes it any more */
};

struct moore_mo_ways {		/* of one LID */
	const struct moore_mo_net *n;
	struct moore_mo_order *g;
	moore_lid lid;
	struct moore_mo_way *way;
	uint32_t n_ways, cap;
	uint16_t *vls;		/* [way * n_cls + class]: VLs on which packets take the way */
	uint32_t *out, *in;	/* for each switch, its first way out and in */
	uint32_t *queue;
	uint8_t *queued;
	uint8_t *drops;		/* for each switch: its packets may be dropped */
	bool no_return;		/* no packet goes back where it came from: multicast */
};

int moore_mo_ways_init(struct moore_mo_ways *w, const struct moore_mo_net *n,
		       struct moore_mo_order *g, uint32_t cap, struct moore_arena *a,
		       struct moore_err *err);
/* Empties the mixture, for a LID. */
void moore_mo_ways_clear(struct moore_mo_ways *w, moore_lid lid);
/* Adds the way of a row's value if it leads to a switch and is not there. */
void moore_mo_ways_add(struct moore_mo_ways *w, moore_swid s, uint8_t port, bool stale);
/* Fills in the VLs of all ways and what they hold, without regard to the order. */
void moore_mo_ways_fill(struct moore_mo_ways *w);
/* The same for a LID with one value for each row, faster; no mixture is set up. */
void moore_mo_ways_hold(struct moore_mo_ways *w, moore_lid lid, const uint8_t *row);
/* Adds a way with all that follows from it, or returns false and leaves all as it was. */
bool moore_mo_ways_flip(struct moore_mo_ways *w, moore_swid s, uint8_t port);
/* Marks in drops[] also the switches from which packets may go to one that is marked. */
void moore_mo_ways_spread(struct moore_mo_ways *w);

/* ---- columns.c ----------------------------------------------------------------------- */

struct moore_mo_extra {		/* a further value that a row has or had */
	moore_swid sw;
	uint8_t port;
	bool stale;		/* no switch holds it any more, but packets may have taken it */
	uint32_t then;		/* the next of the same LID; MOORE_NONE: none */
};

struct moore_mo_column {	/* a LID with a row that changes */
	moore_lid lid;
	uint32_t extra;		/* first of its further values */
	uint32_t left;		/* rows that are not final yet */
	uint32_t n_former;	/* further values at the beginning */
};

struct moore_mo_columns {
	struct moore_mo_column *col;
	uint32_t n, *of;	/* of[lid]: the number of the LID's column */
	uint8_t *cur, *fin;	/* [column * n_sw + switch] */
	struct moore_mo_extra *extra;
	uint32_t n_extra, cap_extra, most_extra;	/* most of one LID */
	struct moore_lid_owner *own;	/* of each LID of the tables */
};

int moore_mo_columns_init(struct moore_mo_columns *c, const struct moore_mo_net *n,
			  const struct moore_held *held, const struct moore_lft *now,
			  struct moore_arena *a, struct moore_err *err);
/* Fills the columns with what is held at the beginning. */
int moore_mo_columns_begin(struct moore_mo_columns *c, const struct moore_mo_net *n,
			   const struct moore_held *h, const struct moore_lft *now,
			   struct moore_err *err);
/* Fills the columns with one value for each row, [column * n_sw + switch], and its final one. */
void moore_mo_columns_between(struct moore_mo_columns *c, const struct moore_mo_net *n,
			      const uint8_t *from, const uint8_t *to);
/* Makes columns for the same LIDs, still to be filled.  They borrow of[] and own[]. */
int moore_mo_columns_copy(struct moore_mo_columns *c, const struct moore_mo_columns *from,
			  const struct moore_mo_net *n, struct moore_err *err);
void moore_mo_columns_free(struct moore_mo_columns *c);
/* True if nothing is known of the rows of switch s. */
bool moore_mo_unknown(const struct moore_held *h, moore_swid s);
bool moore_mo_stale(struct moore_mo_columns *c, uint32_t col, moore_swid s, uint8_t port);

/* ---- motion.c, flip.c, start.c --------------------------------------------------------- */

struct moore_mo_holder {	/* of one worker */
	struct moore_mo_order cells;	/* only held[] */
	struct moore_mo_ways ways;
	uint8_t (*block)[MOORE_LFT_BLOCK];	/* for each switch: its rows of a block of LIDs */
	uint8_t *row;			/* for each switch */
};

struct moore_mo_build {
	struct moore_mo_net net;
	struct moore_mo_order order;
	struct moore_mo_ways ways;
	/* The dependencies of the final tables and of all detours, and the mixture of the final
	 * rows of one LID and its detours: planted is false until that is set up. */
	struct moore_mo_order goal;
	struct moore_mo_ways goal_ways;
	bool planted;
	struct moore_mo_holder *holder;
	unsigned n_holders;
	struct moore_mo_columns c;
	struct moore_motion *m;
	const struct moore_held *held;
	const struct moore_lft *now;
	const uint8_t *from, *to;	/* with both, the change is from and to these columns instead */
	bool backward;		/* the steps will be taken in the reverse order */
	size_t n_cells;
	uint16_t *rest;		/* [cell]: held by multicast and by the LIDs that do not change */
	uint16_t *base;		/* [cell]: the same, and, if what is held allows it, by the final rows */
	uint8_t *was_dead;	/* [column * n_sw + switch]: a pair that is dead at the beginning */
	uint8_t *before;	/* the value before of each row of the step: room for all */
	uint32_t cap_before;
	uint8_t *live, *hops;	/* for each switch, scratch */
	moore_swid *todo;
	bool unknown;		/* rows of a switch that has links are not known */
	bool unsafe;		/* what is held has a cycle, or may have */
	bool yields;		/* rows that carry no pair may become no-path (flip.c) */
	bool detours;		/* in step 1, rows may take values that are neither old nor final, */
	bool detoured;		/* and one did */
	struct moore_arena tmp;
	struct moore_err *err;
};

/* Whether the first step drops the rows that change, without a try to flip them. */
static inline bool
moore_mo_drops_first(const struct moore_mo_build *b)
{
	return b->unsafe || b->net.o->drop_first;
}

static inline bool
moore_mo_leads_on(const struct moore_mo_net *n, moore_swid s, uint8_t port)
{
	return port <= n->f->sw[s].n_ports && n->next[n->f->sw[s].port0 + port] != MOORE_NONE;
}

static inline moore_swid
moore_mo_next(const struct moore_mo_net *n, moore_swid s, uint8_t port)
{
	return n->next[n->f->sw[s].port0 + port];
}

/* Makes *to a second build of what b is to do.  It borrows what never changes in b. */
int moore_mo_copy(struct moore_mo_build *to, const struct moore_mo_build *b);
void moore_mo_end(struct moore_mo_build *b);
/* Builds the better of two sequences, with and without detours; b is at its beginning. */
int moore_mo_build_better(struct moore_motion **out, struct moore_mo_build *b);
/* True if a sequence interrupts no pair and is as short as most are. */
bool moore_mo_is_fine(const struct moore_motion *m);
bool moore_mo_is_better(const struct moore_motion *a, const struct moore_motion *b);
/* Replaces *m, which b has built, if it is long and a better sequence is found. */
int moore_mo_meet(struct moore_motion **m, struct moore_mo_build *b);

/* Makes a holder for each worker, in b->tmp. */
int moore_mo_holders_init(struct moore_mo_build *b);
/* Runs n jobs that hold LIDs in the ways of their worker's holder, and adds all that they held
 * to b->order.held. */
void moore_mo_hold_side_by_side(struct moore_mo_build *b, size_t n,
				void (*job)(void *arg, unsigned worker, size_t i), void *arg);
/* Fills rest[] and base[]. */
int moore_mo_start(struct moore_mo_build *b);
/* Fills base[] from rest[]: with the dependencies of the final rows, every order of the channels
 * is one for the final tables too, so that no flip that mixes old and new rows stands in the way
 * of one that does not.  Sets unsafe if what is held has a cycle. */
void moore_mo_add_final(struct moore_mo_build *b);
/* Lets the dependencies be those of base[] and of the columns as they are. */
void moore_mo_hold_all(struct moore_mo_build *b);
/* Lets goal be base[] and the final rows, without detours.  The order's dependencies are lost. */
void moore_mo_set_goal(struct moore_mo_build *b);
/* Sets up the mixture of a column, with drops[] for switches whose own value drops. */
void moore_mo_plant(struct moore_mo_build *b, uint32_t col);

/* One step each; they return false when memory is out.  Flips what can be flipped. */
bool moore_mo_flip(struct moore_mo_build *b);
/* Live rows that are not final take detours where they can. */
bool moore_mo_evade(struct moore_mo_build *b);
/* Sets to no-path the rows that are not final of LIDs that cannot change in the next step otherwise,
 * or of all if none is left, and counts the live pairs that this drops. */
bool moore_mo_drop(struct moore_mo_build *b);
/* Takes back the rows of the last step. */
void moore_mo_take_back(struct moore_mo_build *b);
/* How many pairs that were dead at the beginning are delivered by the rows as they are. */
uint64_t moore_mo_back(struct moore_mo_build *b);

#endif

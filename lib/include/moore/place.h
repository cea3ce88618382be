/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/place.h - where switches and cabinets stand, and what cables that takes.
 *
 * Cabinets stand on a grid; a cable inside one has a fixed length, and one
 * between two an overhead for its ends and the Manhattan way between them.
 * Lengths are whole millimetres inside, so that totals do not depend on the order
 * of sums; pitches are rounded to one. */
#ifndef MOORE_PLACE_H
#define MOORE_PLACE_H

#include "plan.h"

MOORE_BEGIN

/* ---- cable runs: one table row each ------------------------------------------ */

struct moore_place_model {
	const char *name, *source;
	uint32_t cabinet_size;		/* switches in a cabinet */
	double column_pitch, row_pitch;	/* metres */
	double inside;			/* metres of a cable inside a cabinet */
	double overhead;		/* metres at both ends together, between cabinets */
	bool square_room;		/* the room is square; else the count of cabinets */
};
MOORE_API const struct moore_place_model *moore_place_model_at(size_t i);	/* NULL past the end */
MOORE_API const struct moore_place_model *moore_place_model_find(const char *name);

/* ---- placement ------------------------------------------------------------------- */

enum moore_place_assign {	/* of switches to cabinets */
	MOORE_PLACE_SEQUENTIAL,	/* in plan order, as Fujiwara 2014 section 4 */
	MOORE_PLACE_STRUCTURE,	/* what belongs together by the family's structure, and
				 * within it whatever has most links into the cabinet */
	MOORE_PLACE_REFINED,	/* the better of the two, then switches exchanged */
};

struct moore_place_opts {
	const struct moore_place_model *model;
	uint32_t cabinet_size;		/* 0: that of the model */
	double column_pitch, row_pitch;	/* metres; 0: those of the model */
	enum moore_place_assign assign;
	uint64_t iterations;		/* tries of each annealing; 0: none, cabinets stay
					 * in rows */
	uint64_t seed;
	void (*progress)(void *arg, double share);	/* may be NULL; share is 0..1 */
	void *arg;
};

struct moore_place_report {	/* lengths in metres, endpoints' cables left out */
	uint32_t cabinets, rows, columns;
	uint32_t inside;	/* cables inside a cabinet */
	double before;		/* total with the cabinets in rows, in their order */
	double total, longest;
	double bound;		/* no place of these cabinets on this floor has less */
	double bound_any;	/* nor has any assignment of switches to that many cabinets */
};

/* Give every switch a cabinet and a unit, from 1 at the bottom, every cabinet a
 * place and a name (row A, B.., then column 01, 02..), and every cable its length;
 * what the plan said of those is gone, labels stay.  Same plan and opts, same
 * result.  On failure the plan is as it was.
 * Each bound is the better of two: Gilmore's and Lawler's, with a dual solution in
 * place of the best one; and by the links across each line between columns or rows,
 * of which there are many where the Laplacian's second least eigenvalue is large
 * (to 5000 cabinets, or switches).  O(iterations * links of a cabinet + n^3) for n
 * of those, O(n^2 * links of one) beyond.
 * -MOORE_EINVAL a size or pitch out of range; -MOORE_EPLAN an invalid plan. */
MOORE_API int moore_place(struct moore_plan *p, const struct moore_place_opts *opts,
			  struct moore_place_report *out, struct moore_err *err);

/* ---- stock: what cables can be bought ---------------------------------------------- */

struct moore_stock {
	double length;		/* metres */
	bool optical;		/* else copper */
	double price;		/* each; 0 when unknown */
};
struct moore_catalogue {
	struct moore_stock *stock;	/* shortest first; copper before optical */
	uint32_t n;
};

/* Lines "length,copper|optical[,price]", metres; # begins a comment.
 * -MOORE_ESYNTAX names the line. */
MOORE_API int moore_catalogue_parse(struct moore_catalogue **out, const char *text, size_t len,
				    struct moore_err *err);
/* Copper of 1, 2, 3 and 5 m and optical of 5 to 100 m, without prices: an example. */
MOORE_API int moore_catalogue_example(struct moore_catalogue **out, struct moore_err *err);
MOORE_API void moore_catalogue_free(struct moore_catalogue *c);
/* The shortest stock that reaches; MOORE_NONE when none does. */
MOORE_API uint32_t moore_catalogue_pick(const struct moore_catalogue *c, double metres);

/* ---- the work: who plugs what in where ------------------------------------------------ */

enum moore_work_order {
	MOORE_WORK_PAIR,	/* by the two cabinets; by crew at once, as crews get runs */
	MOORE_WORK_BUNDLE,	/* by cabinet and the row of the other, or inside: what
				 * runs together */
};

struct moore_work {		/* one cable of the plan, or one endpoint's */
	uint32_t index;		/* in plan->cable, or plan->ep */
	bool endpoint;
	uint8_t first;		/* the end of cable[index] that comes first */
	uint32_t cabinet[2];	/* index in plan->cabinet of both ends; an endpoint's is
				 * that of its switch */
	uint32_t crew, bundle;	/* from 1 */
	uint32_t stock;		/* in the catalogue; MOORE_NONE for endpoints */
};

/* All cables and endpoints, n_cables + n_endpoints of them, to be freed with
 * free().  Crews get runs of the list by pair, with equally many lines to one
 * line; so a crew stays in one part of the floor.
 * -MOORE_EPLAN a switch without a cabinet on the floor and a unit of its own, a
 * cable without a length or too long for the catalogue; -MOORE_EINVAL no crew. */
MOORE_API int moore_work_list(struct moore_work **out, const struct moore_plan *p,
			      const struct moore_catalogue *c, enum moore_work_order order,
			      uint32_t n_crews, struct moore_err *err);
/* The label of a switch port: cabinet-unit-port, unique in a plan that
 * moore_work_list() takes. */
MOORE_API void moore_work_label(struct moore_buf *b, const struct moore_plan *p, moore_swid sw,
				moore_portnum port);

MOORE_END

#endif

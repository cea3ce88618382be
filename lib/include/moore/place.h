/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/place.h - puts switches and cabinets onto a floor and determines the cables needed.
 *
 * Cabinets stand on a grid.  A cable inside a cabinet has a fixed length; a cable between
 * two cabinets has the Manhattan distance between them plus a fixed overhead for its ends.
 * Lengths are computed in whole millimetres, so that totals do not depend on the order of
 * summation; pitches are rounded to millimetres. */
#ifndef MOORE_PLACE_H
#define MOORE_PLACE_H

#include "plan.h"

MOORE_BEGIN

/* ---- models of a floor: one table row each ------------------------------------ */

struct moore_place_model {
	const char *name, *source;
	uint32_t cabinet_size;		/* switches in a cabinet */
	double column_pitch, row_pitch;	/* metres */
	double inside;			/* metres of a cable inside a cabinet */
	double overhead;		/* metres for both ends of a cable between cabinets */
	bool square_room;		/* the room is square; else the number of cabinets is */
};
MOORE_API const struct moore_place_model *moore_place_model_at(size_t i);	/* NULL past the end */
MOORE_API const struct moore_place_model *moore_place_model_find(const char *name);

/* ---- placement ------------------------------------------------------------------- */

enum moore_place_assign {	/* of switches to cabinets */
	MOORE_PLACE_SEQUENTIAL,	/* in plan order, as in Fujiwara 2014, section 4 */
	MOORE_PLACE_STRUCTURE,	/* by the family's structure; within one of its parts,
				 * next the switch with most links into the cabinet */
	MOORE_PLACE_REFINED,	/* the better of the two, improved by exchanging switches */
};

struct moore_place_opts {
	const struct moore_place_model *model;
	uint32_t cabinet_size;		/* 0: that of the model */
	double column_pitch, row_pitch;	/* metres; 0: those of the model */
	enum moore_place_assign assign;
	uint64_t iterations;		/* of each annealing; 0: none, cabinets stay in rows */
	uint64_t seed;
	void (*progress)(void *arg, double share);	/* may be NULL; share is 0..1 */
	void *arg;
};

struct moore_place_report {	/* lengths in metres, without endpoints' cables */
	uint32_t cabinets, rows, columns;
	uint32_t inside;	/* cables inside a cabinet */
	double before;		/* total with the cabinets in rows, in order */
	double total, longest;
	double bound;		/* lower bound of total for any places of these cabinets on this
				 * floor */
	double bound_any;	/* and for any assignment of switches to that many cabinets */
};

/* Gives every switch a cabinet and a unit (from 1 at the bottom), every cabinet a place and
 * a name (row A, B.., then column 01, 02..), and every cable its length.  What the plan had
 * of these is replaced; labels stay.  The same plan and opts give the same result.  On
 * failure the plan is unchanged.
 *
 * Each bound is the better of two: that of Gilmore and Lawler, with a dual solution instead
 * of the best one; and one from the links that cross each line between columns or rows, of
 * which there are many if the second least eigenvalue of the Laplacian is large (computed
 * for at most 5000 cabinets, or switches).  With n cabinets or switches, O(iterations *
 * links of a cabinet + n^3) up to 5000, and O(n^2 * links of one) above.
 *
 * -MOORE_EINVAL: a size or pitch is out of range; -MOORE_EPLAN: the plan is invalid. */
MOORE_API int moore_place(struct moore_plan *p, const struct moore_place_opts *opts,
			  struct moore_place_report *out, struct moore_err *err);

/* ---- stock: the cables that can be bought ------------------------------------------ */

struct moore_stock {
	double length;		/* metres */
	bool optical;		/* else copper */
	double price;		/* of one cable; 0 when unknown */
};
struct moore_catalogue {
	struct moore_stock *stock;	/* shortest first; copper before optical */
	uint32_t n;
};

/* Reads lines "length,copper|optical[,price]" with lengths in metres; # begins a comment.
 * The caller frees *out with moore_catalogue_free().  -MOORE_ESYNTAX names the line. */
MOORE_API int moore_catalogue_parse(struct moore_catalogue **out, const char *text, size_t len,
				    struct moore_err *err);
/* Makes an example: copper of 1, 2, 3 and 5 m and optical of 5 to 100 m, without prices. */
MOORE_API int moore_catalogue_example(struct moore_catalogue **out, struct moore_err *err);
MOORE_API void moore_catalogue_free(struct moore_catalogue *c);
/* Returns the shortest stock that is long enough, or MOORE_NONE. */
MOORE_API uint32_t moore_catalogue_pick(const struct moore_catalogue *c, double metres);

/* ---- the work: lists of cables to plug in ----------------------------------------------- */

enum moore_work_order {
	MOORE_WORK_PAIR,	/* by the two cabinets, and so also by crew */
	MOORE_WORK_BUNDLE,	/* by cabinet and the row of the other one (or inside): cables
				 * that run together */
};

struct moore_work {		/* one cable of the plan, or an endpoint's */
	uint32_t index;		/* in plan->cable, or plan->ep */
	bool endpoint;
	uint8_t first;		/* which end of cable[index] is listed first */
	uint32_t cabinet[2];	/* index in plan->cabinet of both ends; for an endpoint that of
				 * its switch, twice */
	uint32_t crew, bundle;	/* from 1 */
	uint32_t stock;		/* in the catalogue; MOORE_NONE for endpoints */
};

/* Lists all cables and endpoints (n_cables + n_endpoints lines) in *out, which the caller
 * frees with free().  Each crew gets consecutive lines of the list by pair, and the numbers
 * of lines differ by at most one, so a crew stays in one part of the floor.
 * -MOORE_EPLAN: a switch has no cabinet on the floor or no unit of its own, or a cable has no
 * length or is too long for the catalogue; -MOORE_EINVAL: there is no crew. */
MOORE_API int moore_work_list(struct moore_work **out, const struct moore_plan *p,
			      const struct moore_catalogue *c, enum moore_work_order order,
			      uint32_t n_crews, struct moore_err *err);
/* Appends the label of a switch port: cabinet-unit-port.  It is unique in a plan that
 * moore_work_list() accepts. */
MOORE_API void moore_work_label(struct moore_buf *b, const struct moore_plan *p, moore_swid sw,
				moore_portnum port);

MOORE_END

#endif

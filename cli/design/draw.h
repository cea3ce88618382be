/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* draw.h - the picture of a plan: places of its nodes, by structure or on the floor, and links between
 * them.  A node is a switch or a cabinet, a part is what is drawn close together. */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include "moore/plan.h"

#define DRAW_LABELS 64		/* parts beyond this number have none */

struct draw_node {
	double x, y;
	uint32_t part;
	bool hollow;		/* a switch without endpoints */
	bool row;		/* its part lies in a row by itself */
	const char *name;
};

struct draw_label {
	double x, y;
	const char *anchor;
	char text[64];
};

struct draw_line {
	uint32_t a, b;		/* nodes, a < b */
	uint32_t links;		/* that it stands for */
	double load;		/* of the fullest of them; negative: not known */
};

struct drawing {
	double width, height, size;	/* of the picture and of a node, in pixels; the width is at least
					 * what it is before nodes are placed */
	double near;			/* no node lies between two that are so near to one another */
	double bent_from;		/* lines aslant that are so long bend; 0: none */
	bool round;			/* lines bend towards the middle */
	struct draw_node *node;
	uint32_t n_nodes, n_parts;
	struct draw_label *label;
	uint32_t n_labels;
	struct draw_line *line;
	uint32_t n_lines;
};

/* Places the switches by the coordinates in their names: planes below one another, each a row or a column
 * for each part, or, with a single plane, a ring; or by one of the two that follow, whichever suits the
 * family (draw_structure.c).  Borrows names from the plan. */
int cli_draw_structure(struct drawing *d, const struct moore_plan *p);
/* A grid, if all names are coordinates (draw_grid.c). */
bool cli_draw_grid(struct drawing *d, const struct moore_plan *p);
/* For a SpectralFly: fills order[] with the switches as they follow one another on a ring that looks the
 * same when it is turned by one part of d->n_parts, and sets the parts.  False for other names, and when
 * memory ran out (draw_orbits.c). */
bool cli_draw_orbits(struct drawing *d, uint32_t *order, const struct moore_plan *p);
/* Places the cabinets on the floor: node i is p->cabinet[i] (draw_floor.c). */
int cli_draw_floor(struct drawing *d, const struct moore_plan *p);

/* Joins lines between the same nodes, counts their links and keeps the greatest load; drops those from a
 * node to itself.  Afterwards the fullest come last (draw_lines.c). */
void cli_draw_join(struct drawing *d);
/* Replaces the nodes of each part by one in their middle, if there are too many lines to see. */
int cli_draw_gather(struct drawing *d);

/* Appends the picture; subtitle says what the colours are (draw_lines.c). */
void cli_draw_put(struct moore_buf *b, struct drawing *d, const char *title, const char *subtitle);
void cli_draw_free(struct drawing *d);

#endif

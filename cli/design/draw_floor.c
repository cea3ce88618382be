// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* draw_floor.c - places of cabinets, seen from above. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"
#include "design/draw.h"

enum { MARGIN = 48, HEAD = 64, SCALE = 44, SIZE = 22, LABELLED = 400 };	/* in pixels; SCALE to a metre */

int
cli_draw_floor(struct drawing *d, const struct moore_plan *p)
{
	const double across = fmax(SCALE * p->column_pitch, SIZE + 12), down = fmax(SCALE * p->row_pitch, SIZE + 20);
	uint32_t columns = 0, rows = 0;

	if (!p->n_cabinets)
		return cli_error("the plan has no cabinets: `moorectl plan place` makes them");
	d->node = calloc(p->n_cabinets, sizeof(*d->node));
	d->label = calloc(p->n_cabinets, sizeof(*d->label));
	if (!d->node || !d->label)
		return cli_error("out of memory");
	d->n_nodes = d->n_parts = p->n_cabinets;
	d->size = SIZE;
	for (uint32_t i = 0; i < p->n_cabinets; i++) {
		columns = p->cabinet[i].column >= columns ? p->cabinet[i].column + 1 : columns;
		rows = p->cabinet[i].row >= rows ? p->cabinet[i].row + 1 : rows;
	}
	d->width = fmax(d->width, columns * across + 2 * MARGIN);
	d->height = HEAD + rows * down + MARGIN;
	for (uint32_t i = 0; i < p->n_cabinets; i++) {
		const struct moore_plan_cabinet *c = &p->cabinet[i];
		struct draw_node *n = &d->node[i];

		*n = (struct draw_node){ .x = d->width / 2 + (c->column + 0.5 - columns / 2.0) * across,
					 .y = HEAD + (c->row + 0.5) * down, .part = i, .hollow = true,
					 .name = c->name };
		if (p->n_cabinets <= LABELLED) {
			struct draw_label *l = &d->label[d->n_labels++];

			*l = (struct draw_label){ .x = n->x, .y = n->y + SIZE / 2.0 + 10, .anchor = "middle" };
			snprintf(l->text, sizeof(l->text), "%s", c->name);
		}
	}
	return CLI_OK;
}

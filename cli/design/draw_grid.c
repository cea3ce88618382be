// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* draw_grid.c - places of switches whose names are coordinates: `t1-0-3`.
 *
 * The last dimension runs across and the one before it down.  A third one puts such planes side by side, a
 * fourth one puts rows of planes below one another, and so on in turn.  Each plane lies a little lower, or
 * more to the right, than the one before it, so that links between planes do not hide behind switches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "design/draw.h"

enum {				/* in pixels */
	MARGIN = 48, HEAD = 84, PITCH = 44, GAP = 30, SHEAR = 26,
	DIMS = 6,
};

enum { ACROSS, DOWN };

struct grid {
	uint32_t n_dims, size[DIMS];
	uint32_t n_outer;	/* the first dimensions, beyond those of a plane */
	unsigned axis[DIMS];
	double step[DIMS];	/* between neighbours of a dimension */
	double shear[DIMS];	/* and along the other axis */
	double extent[2];	/* across and down */
	double straight;	/* the step to the next plane */
};

/* Reads the coordinates that a name ends with, and returns how many; 0 if the name has another form. */
static uint32_t
read_name(const char *name, uint32_t at[DIMS])
{
	const char *text = name + strcspn(name, "0123456789");
	uint32_t n = 0;

	for (; n < DIMS; text++) {
		char *end;
		const unsigned long v = strtoul(text, &end, 10);

		if (end == text || v > 1000000)
			return 0;
		at[n++] = (uint32_t)v;
		text = end;
		if (!*text)
			return n;
		if (*text != '-')
			return 0;
	}
	return 0;
}

/* False if the names are not coordinates of as many dimensions. */
static bool
measure(struct grid *g, const struct moore_plan *p)
{
	uint32_t at[DIMS];

	*g = (struct grid){ .n_dims = p->n_switches ? read_name(p->sw[0].name, at) : 0 };
	for (uint32_t s = 0; s < p->n_switches; s++) {
		if (!g->n_dims || read_name(p->sw[s].name, at) != g->n_dims)
			return false;
		for (uint32_t i = 0; i < g->n_dims; i++)
			g->size[i] = at[i] >= g->size[i] ? at[i] + 1 : g->size[i];
	}
	return g->n_dims > 0;
}

/* Dimensions of one switch take no turn. */
static void
set_steps(struct grid *g)
{
	unsigned turns = 0;

	g->extent[ACROSS] = g->extent[DOWN] = PITCH;
	g->straight = 0;
	for (uint32_t i = g->n_dims; i-- > 0;) {
		const unsigned axis = turns % 2 ? DOWN : ACROSS;

		if (g->size[i] == 1)
			continue;
		g->axis[i] = axis;
		g->step[i] = g->extent[axis] + (turns < 2 ? 0 : GAP);
		g->extent[axis] += (g->size[i] - 1) * g->step[i];
		if (turns >= 2) {
			g->shear[i] = SHEAR;
			g->extent[!axis] += (g->size[i] - 1) * SHEAR;
			g->straight = turns < 4 ? fmax(g->straight, g->step[i]) : g->straight;
		}
		if (++turns == 2)
			g->n_outer = i;
	}
}

/* The first switch of a plane has the plane's name above it. */
static void
label_plane(struct drawing *d, const struct grid *g, uint32_t s, const uint32_t at[DIMS])
{
	const struct draw_node *n = &d->node[s];
	const char *end = n->name;
	struct draw_label *l = &d->label[d->n_labels];

	for (uint32_t i = g->n_outer; i < g->n_dims; i++)
		if (at[i])
			return;
	if (!g->n_outer || d->n_labels == DRAW_LABELS)
		return;
	for (uint32_t i = 0; i < g->n_outer; i++)
		end += strcspn(end, "-") + 1;
	*l = (struct draw_label){ .x = n->x - 4, .y = n->y - 18, .anchor = "end" };
	snprintf(l->text, sizeof(l->text), "%.*s", (int)(end - n->name - 1), n->name);
	d->n_labels++;
}

bool
cli_draw_grid(struct drawing *d, const struct moore_plan *p)
{
	uint32_t at[DIMS] = { 0 };
	struct grid g = { 0 };

	if (!measure(&g, p))
		return false;
	set_steps(&g);
	d->width = fmax(d->width, g.extent[ACROSS] + 2 * MARGIN);
	d->height = g.extent[DOWN] + HEAD + MARGIN;
	d->near = PITCH + 1;
	d->bent_from = hypot(g.straight, SHEAR) + 1;
	for (uint32_t s = 0; s < p->n_switches; s++) {
		struct draw_node *n = &d->node[s];

		read_name(n->name, at);
		n->x = (d->width - g.extent[ACROSS] + PITCH) / 2;
		n->y = HEAD + PITCH / 2.0;
		for (uint32_t i = 0; i < g.n_dims; i++) {
			n->x += at[i] * (g.axis[i] == ACROSS ? g.step[i] : g.shear[i]);
			n->y += at[i] * (g.axis[i] == ACROSS ? g.shear[i] : g.step[i]);
		}
		label_plane(d, &g, s, at);
	}
	return true;
}

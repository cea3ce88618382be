// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* draw_structure.c - places of switches by the coordinates that their names hold.
 *
 * A name is a letter and numbers with dashes between, the last of which counts the switches of a part: a
 * column of a Slim Fly, a group of a Dragonfly, a layer of an MLFM.  Switches whose names begin with
 * other letters, such as leaves and spines, lie in planes of their own; in some families the first number
 * names the plane, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "design/draw.h"

enum {				/* in pixels */
	MARGIN = 40, HEAD = 64, PITCH = 18, ROW_PITCH = 11, COLUMN = 52, PLANE = 84, LEVEL = 150,
	RADIUS = 380, SIZE = 8,
	BETWEEN = 3,		/* places of switches between the parts of a row, for the name of one */
	ROW_MAX = 170,		/* places in a level of a tree, beyond which its parts become columns */
};

/* Families whose first number names a plane, whose names are matrices, and whose names are coordinates. */
static const char *const numbered[] = { "slimfly", "bundlefly", "oft", NULL };
static const char *const matrices[] = { "lps", NULL };
static const char *const gridded[] = { "torus", "torus2d", "torus5d", "hyperx", NULL };

struct place {			/* of a switch in the structure */
	const char *plane, *part;	/* the beginnings of its name that name them, */
	size_t plane_len, part_len;	/* so long */
	uint32_t sw;
};

static bool
is_of(const struct moore_plan *p, const char *const *families)
{
	for (; p->family && *families; families++)
		if (!strcmp(p->family, *families))
			return true;
	return false;
}

/* A plan without a family has names of any form: all its switches are one part. */
static void
find_place(const struct moore_plan *p, uint32_t s, struct place *out)
{
	const char *name = p->sw[s].name, *last = strrchr(name, '-');

	*out = (struct place){ .plane = name, .part = name, .sw = s };
	if (!p->family)
		return;
	out->plane_len = is_of(p, numbered) ? strcspn(name, "-") : strcspn(name, "0123456789");
	out->part_len = last ? (size_t)(last - name) : out->plane_len;
}

static bool
same(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && !memcmp(a, b, a_len);
}

struct structure {
	struct place *place;		/* by switch */
	uint32_t *plane_of, *size;	/* by part: its plane, and its switches */
	uint32_t n_planes;
};

/* Numbers the parts and the planes in the order of the plan, in which the switches of a part follow one
 * another and so do the parts of a plane. */
static void
number_parts(struct structure *t, struct drawing *d, const struct moore_plan *p)
{
	for (uint32_t s = 0; s < p->n_switches; s++) {
		const struct place *now = &t->place[s], *was = s ? now - 1 : NULL;

		find_place(p, s, &t->place[s]);
		if (!was || !same(was->plane, was->plane_len, now->plane, now->plane_len))
			t->n_planes++;
		if (!was || !same(was->part, was->part_len, now->part, now->part_len))
			t->plane_of[d->n_parts++] = t->n_planes - 1;
		d->node[s].part = d->n_parts - 1;
		t->size[d->n_parts - 1]++;
	}
}

static void
label_part(struct drawing *d, const struct structure *t, uint32_t s, double x, double y, const char *anchor)
{
	struct draw_label *l = &d->label[d->n_labels];
	const struct place *at = &t->place[s];

	if (d->n_parts > DRAW_LABELS || !at->part_len)
		return;
	d->n_labels++;
	*l = (struct draw_label){ .x = x, .y = y, .anchor = anchor };
	snprintf(l->text, sizeof(l->text), "%.*s", (int)at->part_len, at->part);
}

/* ---- planes below one another ---------------------------------------------------------------- */

struct plane {
	uint32_t part, parts;	/* the first part, and how many there are */
	uint32_t sw, switches;
	uint32_t highest;	/* switches of the largest part */
};

static struct plane
measure_plane(const struct structure *t, const struct drawing *d, uint32_t plane)
{
	struct plane out = { 0 };

	for (uint32_t i = 0; i < d->n_parts; i++) {
		if (t->plane_of[i] < plane) {
			out.part++;
			out.sw += t->size[i];
		} else if (t->plane_of[i] == plane) {
			out.parts++;
			out.switches += t->size[i];
			out.highest = t->size[i] > out.highest ? t->size[i] : out.highest;
		}
	}
	return out;
}

/* Whether the planes are the levels of a tree: hosts are on the first, and none on the last. */
static bool
is_tree(const struct drawing *d)
{
	return !d->node[0].hollow && d->node[d->n_nodes - 1].hollow;
}

/* The switches of a row, and the places between its parts. */
static double
slots(const struct plane *l)
{
	return l->switches + BETWEEN * (l->parts - 1.0);
}

static void
place_row(struct drawing *d, const struct structure *t, const struct plane *l, double y)
{
	const double step = fmin(PITCH * 1.5, (d->width - 2 * MARGIN) / slots(l));
	const double left = (d->width - slots(l) * step) / 2;

	for (uint32_t i = 0; i < l->switches; i++) {
		struct draw_node *n = &d->node[l->sw + i];

		n->x = left + (i + BETWEEN * (n->part - l->part) + 0.5) * step;
		n->y = y;
		n->row = true;
		if (i == 0 || n->part != n[-1].part)
			label_part(d, t, l->sw + i, n->x - SIZE, y + 4, "end");
	}
}

static void
place_columns(struct drawing *d, const struct structure *t, const struct plane *l, double y)
{
	const double left = (d->width - l->parts * (double)COLUMN) / 2;
	uint32_t part = MOORE_NONE, down = 0;

	for (uint32_t s = l->sw; s < l->sw + l->switches; s++, down++) {
		struct draw_node *n = &d->node[s];

		n->x = left + (n->part - l->part + 0.5) * COLUMN;
		if (n->part != part) {
			label_part(d, t, s, n->x, y - 10, "middle");
			part = n->part;
			down = 0;
		}
		n->y = y + down * PITCH;
	}
}

/* A plane of one part is a row, and so is each level of a tree if it is not too wide; otherwise each of
 * its parts is a column. */
static void
place_in_planes(struct drawing *d, const struct structure *t)
{
	const bool tree = is_tree(d);
	bool rows = tree;
	double y = HEAD + MARGIN, level;

	for (uint32_t i = 0; i < t->n_planes; i++) {
		const struct plane l = measure_plane(t, d, i);

		rows = rows && slots(&l) <= ROW_MAX;
	}
	for (uint32_t i = 0; i < t->n_planes; i++) {
		const struct plane l = measure_plane(t, d, i);
		const double wide = rows ? slots(&l) * ROW_PITCH : l.parts > 1 ? l.parts * (double)COLUMN :
			l.switches * PITCH * 1.5;

		d->width = fmax(d->width, wide + 2 * MARGIN);
	}
	level = fmax(LEVEL, d->width / 8);
	for (uint32_t i = 0; i < t->n_planes; i++) {
		const struct plane l = measure_plane(t, d, tree ? t->n_planes - 1 - i : i);
		const bool row = rows || l.parts == 1;

		(row ? place_row : place_columns)(d, t, &l, y);
		y += (row ? 1 : l.highest) * PITCH + (rows ? level : PLANE);
	}
	d->height = y - (rows ? level : PLANE) + MARGIN;
}

/* ---- a ring --------------------------------------------------------------------------------- */

/* The parts follow one another on a circle, with a gap of one switch between them.  order[] has the switches
 * as they follow one another; those of a part have a label if they have a name in common. */
static void
place_on_ring(struct drawing *d, const struct structure *t, const uint32_t *order)
{
	const double gap = d->n_parts > 1 ? 1 : 0, slots = d->n_nodes + gap * d->n_parts;
	const double centre_x = fmax(d->width / 2, RADIUS + 2 * MARGIN), centre_y = RADIUS + MARGIN + HEAD;
	uint32_t begin = 0;

	d->round = true;
	d->width = 2 * centre_x;
	d->height = 2 * centre_y;
	d->size = fmin(SIZE, 2 * M_PI * RADIUS / slots * 0.8);
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		struct draw_node *n = &d->node[order[i]];
		const double angle = 2 * M_PI * (i + gap * n->part) / slots - M_PI / 2;

		n->x = centre_x + RADIUS * cos(angle);
		n->y = centre_y + RADIUS * sin(angle);
		if (i + 1 == d->n_nodes || d->node[order[i + 1]].part != n->part) {
			const double middle = 2 * M_PI * ((begin + i) / 2.0 + gap * n->part) / slots - M_PI / 2;

			label_part(d, t, order[i], centre_x + (RADIUS + 12) * cos(middle),
				   centre_y + (RADIUS + 12) * sin(middle) + 4, cos(middle) < -0.1 ? "end" :
				   cos(middle) > 0.1 ? "start" : "middle");
			begin = i + 1;
		}
	}
}

static int
place(struct drawing *d, const struct structure *t, const struct moore_plan *p)
{
	uint32_t *order;

	if (is_of(p, gridded) && cli_draw_grid(d, p))
		return CLI_OK;
	if (t->n_planes > 1) {
		place_in_planes(d, t);
		return CLI_OK;
	}
	if (!(order = calloc((size_t)p->n_switches + 1, sizeof(*order))))
		return cli_error("out of memory");
	if (is_of(p, matrices) && cli_draw_orbits(d, order, p))
		memset(t->place, 0, p->n_switches * sizeof(*t->place));
	else
		for (uint32_t s = 0; s < p->n_switches; s++)
			order[s] = s;
	place_on_ring(d, t, order);
	free(order);
	return CLI_OK;
}

int
cli_draw_structure(struct drawing *d, const struct moore_plan *p)
{
	const size_t n = (size_t)p->n_switches + 1;
	struct structure t = { .place = calloc(n, sizeof(*t.place)), .plane_of = calloc(n, sizeof(uint32_t)),
			       .size = calloc(n, sizeof(uint32_t)) };
	int rc;

	if (t.place && t.plane_of && t.size && (d->node = calloc(n, sizeof(*d->node))) &&
	    (d->label = calloc(DRAW_LABELS + 1, sizeof(*d->label)))) {
		d->n_nodes = p->n_switches;
		d->size = SIZE;
		number_parts(&t, d, p);
		for (uint32_t s = 0; s < p->n_switches; s++) {
			d->node[s].name = p->sw[s].name;
			d->node[s].hollow = true;
		}
		for (uint32_t i = 0; i < p->n_endpoints; i++)
			d->node[p->ep[i].sw].hollow = false;
		rc = place(d, &t, p);
	} else {
		rc = cli_error("out of memory");
	}
	free(t.place);
	free(t.plane_of);
	free(t.size);
	return rc;
}

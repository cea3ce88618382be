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
	MARGIN = 40, HEAD = 64, PITCH = 18, COLUMN = 52, PLANE = 84, RADIUS = 380, SIZE = 8,
	PARTS_LABELLED = 64,
};

/* Families whose first number names a plane. */
static const char *const numbered[] = { "slimfly", "bundlefly", "oft" };

struct place {			/* of a switch in the structure */
	const char *plane, *part;	/* the beginnings of its name that name them, */
	size_t plane_len, part_len;	/* so long */
	uint32_t sw;
};

static bool
plane_is_numbered(const struct moore_plan *p)
{
	for (size_t i = 0; p->family && i < ARRAY_LEN(numbered); i++)
		if (!strcmp(p->family, numbered[i]))
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
	out->plane_len = plane_is_numbered(p) ? strcspn(name, "-") : strcspn(name, "0123456789");
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

	if (d->n_parts > PARTS_LABELLED || !at->part_len)
		return;
	d->n_labels++;
	*l = (struct draw_label){ .x = x, .y = y, .anchor = anchor };
	snprintf(l->text, sizeof(l->text), "%.*s", (int)at->part_len, at->part);
}

/* ---- planes below one another ---------------------------------------------------------------- */

/* A plane of one part is a row; otherwise each of its parts is a column. */
static void
measure_plane(const struct structure *t, const struct drawing *d, uint32_t plane, uint32_t *parts,
	      uint32_t *highest)
{
	*parts = *highest = 0;
	for (uint32_t i = 0; i < d->n_parts; i++)
		if (t->plane_of[i] == plane) {
			++*parts;
			*highest = t->size[i] > *highest ? t->size[i] : *highest;
		}
}

static double
width_of(uint32_t parts, uint32_t highest)
{
	return parts > 1 ? (double)parts * COLUMN : (double)highest * PITCH * 1.5;
}

static void
place_in_planes(struct drawing *d, const struct structure *t, const struct moore_plan *p)
{
	uint32_t s = 0, part = 0, parts, highest;
	double y = HEAD + MARGIN;

	for (uint32_t plane = 0; plane < t->n_planes; plane++) {
		measure_plane(t, d, plane, &parts, &highest);
		d->width = fmax(d->width, width_of(parts, highest) + 2 * MARGIN);
	}
	for (uint32_t plane = 0; plane < t->n_planes; plane++) {
		measure_plane(t, d, plane, &parts, &highest);
		for (uint32_t k = 0; k < parts; k++, part++) {
			const double left = (d->width - width_of(parts, highest)) / 2;
			const double step = parts > 1 ? 0 : PITCH * 1.5, down = parts > 1 ? PITCH : 0;
			const double x = left + (parts > 1 ? (k + 0.5) * COLUMN : step / 2);

			label_part(d, t, s, parts > 1 ? x : left - 6, y - (parts > 1 ? 10 : -4),
				   parts > 1 ? "middle" : "end");
			for (uint32_t i = 0; s < p->n_switches && d->node[s].part == part; s++, i++) {
				d->node[s].x = x + i * step;
				d->node[s].y = y + i * down;
				d->node[s].row = parts == 1;
			}
		}
		y += (parts > 1 ? highest : 1) * PITCH + PLANE;
	}
	d->height = y - PLANE + MARGIN;
}

/* ---- a ring --------------------------------------------------------------------------------- */

/* The parts follow one another on a circle, with a gap of one switch between them. */
static void
place_on_ring(struct drawing *d, const struct structure *t, const struct moore_plan *p)
{
	const double gap = d->n_parts > 1 ? 1 : 0, slots = p->n_switches + gap * d->n_parts;
	const double centre_x = fmax(d->width / 2, RADIUS + 2 * MARGIN), centre_y = RADIUS + MARGIN + HEAD;
	uint32_t begin = 0;

	d->round = true;
	d->width = 2 * centre_x;
	d->height = centre_y + RADIUS + 2 * MARGIN;
	d->size = fmin(SIZE, 2 * M_PI * RADIUS / slots * 0.8);
	for (uint32_t s = 0; s < p->n_switches; s++) {
		const double angle = 2 * M_PI * (s + gap * d->node[s].part) / slots - M_PI / 2;

		d->node[s].x = centre_x + RADIUS * cos(angle);
		d->node[s].y = centre_y + RADIUS * sin(angle);
		if (s + 1 == p->n_switches || d->node[s + 1].part != d->node[s].part) {
			const double middle = 2 * M_PI * ((begin + s) / 2.0 + gap * d->node[s].part) / slots - M_PI / 2;

			label_part(d, t, s, centre_x + (RADIUS + 12) * cos(middle),
				   centre_y + (RADIUS + 12) * sin(middle) + 4, cos(middle) < -0.1 ? "end" :
				   cos(middle) > 0.1 ? "start" : "middle");
			begin = s + 1;
		}
	}
}

int
cli_draw_structure(struct drawing *d, const struct moore_plan *p)
{
	const size_t n = (size_t)p->n_switches + 1;
	struct structure t = { .place = calloc(n, sizeof(*t.place)), .plane_of = calloc(n, sizeof(uint32_t)),
			       .size = calloc(n, sizeof(uint32_t)) };
	const bool good = t.place && t.plane_of && t.size && (d->node = calloc(n, sizeof(*d->node))) &&
		(d->label = calloc(PARTS_LABELLED + 1, sizeof(*d->label)));

	if (good) {
		d->n_nodes = p->n_switches;
		d->size = SIZE;
		number_parts(&t, d, p);
		for (uint32_t s = 0; s < p->n_switches; s++) {
			d->node[s].name = p->sw[s].name;
			d->node[s].hollow = true;
		}
		for (uint32_t i = 0; i < p->n_endpoints; i++)
			d->node[p->ep[i].sw].hollow = false;
		if (t.n_planes > 1)
			place_in_planes(d, &t, p);
		else
			place_on_ring(d, &t, p);
	}
	free(t.place);
	free(t.plane_of);
	free(t.size);
	return good ? CLI_OK : cli_error("out of memory");
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cables_floor.c - the floor in pictures: once with all cabinets, and once for each group of
 * cables with the ways from its first cabinet to the others.
 *
 * In these fabrics nearly every two cabinets have a cable, so one picture of all cables shows
 * nothing.  The ways of one group form a tree: they leave the cabinet at its front, follow
 * the aisle, cross the rows between two columns, and follow the aisle of the other row.  So
 * no way passes over a cabinet or ends at two.  Distances are not to scale.
 *
 * The outlines and names of all cabinets are written once, and each picture refers to them. */
#include <stdlib.h>
#include <string.h>

#include "cabling/cables.h"
#include "svg.h"

/* In pixels.  A way runs in the middle of the AISLE below a row of cabinets, and in the
 * middle of the gap between two columns; NAME_MAX_LETTERS letters fit into a cabinet. */
enum { CELL = 50, WIDTH = 38, HEIGHT = 28, AISLE = 18, MARGIN = 10, NAME_MAX_LETTERS = 5 };

static int
x_of(const struct moore_plan_cabinet *c)
{
	return MARGIN + (int)c->column * CELL + CELL / 2;
}

static int
top_of(const struct moore_plan_cabinet *c)
{
	return MARGIN + (int)c->row * (HEIGHT + AISLE);
}

static int
aisle_of(const struct moore_plan_cabinet *c)
{
	return top_of(c) + HEIGHT + AISLE / 2;
}

static void
begin(struct moore_buf *b, const struct moore_plan *p, const char *class)
{
	unsigned rows = 0, columns = 0;

	for (uint32_t c = 0; c < p->n_cabinets; c++) {
		rows = p->cabinet[c].row >= rows ? p->cabinet[c].row + 1 : rows;
		columns = p->cabinet[c].column >= columns ? p->cabinet[c].column + 1 : columns;
	}
	cli_putf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" width=\"%u\" "
		 "viewBox=\"0 0 %u %u\" font-family=\"sans-serif\" font-size=\"11\" "
		 "text-anchor=\"middle\">\n", class, 2 * MARGIN + columns * CELL,
		 2 * MARGIN + columns * CELL, 2 * MARGIN + rows * (HEIGHT + AISLE));
}

static void
put_box(struct moore_buf *b, const struct moore_plan_cabinet *c, const char *look)
{
	cli_putf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" %s/>\n", x_of(c) - WIDTH / 2,
		 top_of(c), WIDTH, HEIGHT, look);
}

/* A long name is squeezed, so that it stays inside its cabinet. */
static void
put_name(struct moore_buf *b, const struct moore_plan_cabinet *c, const char *look)
{
	cli_putf(b, "<text x=\"%d\" y=\"%d\"%s%s>", x_of(c), top_of(c) + 12, look,
		 strlen(c->name) <= NAME_MAX_LETTERS ? "" :
		 " textLength=\"34\" lengthAdjust=\"spacingAndGlyphs\"");
	moore_buf_xml(b, c->name);
	cli_putf(b, "</text>\n");
}

static void
put_count(struct moore_buf *b, const struct moore_plan_cabinet *c, uint32_t n, const char *look)
{
	cli_putf(b, "<text x=\"%d\" y=\"%d\" font-size=\"9\"%s>%u</text>\n", x_of(c), top_of(c) + 24,
		 look, n);
}

/* Counts the ends of cables between switches in each cabinet; a cable inside counts once. */
static uint32_t *
count_all(const struct cli_cables *k)
{
	uint32_t *n = calloc(k->plan->n_cabinets + 1u, sizeof(*n));

	for (size_t i = 0; n && i < k->n_work; i++) {
		const struct moore_work *w = &k->work[i];

		if (w->endpoint)
			continue;
		n[w->cabinet[0]]++;
		n[w->cabinet[1]] += w->cabinet[0] != w->cabinet[1];
	}
	return n;
}

void
cli_put_cables_floor(struct moore_buf *b, const struct cli_cables *k)
{
	const struct moore_plan *p = k->plan;
	uint32_t *n = count_all(k);

	if (!n) {
		b->oom = true;
		return;
	}
	begin(b, p, "all");
	cli_putf(b, "<g id=\"floor\">\n");
	for (uint32_t c = 0; c < p->n_cabinets; c++) {
		put_box(b, &p->cabinet[c], "fill=\"#fff\" stroke=\"#888\"");
		put_name(b, &p->cabinet[c], "");
	}
	cli_putf(b, "</g>\n");
	for (uint32_t c = 0; c < p->n_cabinets; c++)
		put_count(b, &p->cabinet[c], n[c], "");
	cli_putf(b, "</svg>\n");
	free(n);
}

static void
put_way(struct moore_buf *b, const struct moore_plan_cabinet *from,
	const struct moore_plan_cabinet *to)
{
	cli_putf(b, "<polyline points=\"%d,%d %d,%d", x_of(from), top_of(from) + HEIGHT, x_of(from),
		 aisle_of(from));
	if (from->row != to->row) {
		const int gap = x_of(from) + (to->column < from->column ? -CELL / 2 : CELL / 2);

		cli_putf(b, " %d,%d %d,%d", gap, aisle_of(from), gap, aisle_of(to));
	}
	cli_putf(b, " %d,%d %d,%d\"/>\n", x_of(to), aisle_of(to), x_of(to), top_of(to) + HEIGHT);
}

void
cli_put_cables_ways(struct moore_buf *b, const struct cli_cables *k, size_t i, size_t n)
{
	const struct moore_plan *p = k->plan;
	const uint32_t from = k->work[i].cabinet[0];
	uint32_t *count = calloc(p->n_cabinets + 1u, sizeof(*count));

	if (!count) {
		b->oom = true;
		return;
	}
	for (size_t w = i; w < i + n; w++)
		count[k->work[w].cabinet[1]]++;
	begin(b, p, "ways");
	cli_putf(b, "<use href=\"#floor\"/>\n<g fill=\"none\" stroke=\"#b30000\" stroke-width=\"2\">\n");
	for (uint32_t c = 0; c < p->n_cabinets; c++)
		if (count[c] && c != from)
			put_way(b, &p->cabinet[from], &p->cabinet[c]);
	cli_putf(b, "</g>\n");
	for (uint32_t c = 0; c < p->n_cabinets; c++) {
		const char *ink = c == from ? " fill=\"#fff\"" : "";

		if (!count[c] && c != from)
			continue;
		put_box(b, &p->cabinet[c], c == from ? "fill=\"#08306b\" stroke=\"#000\"" :
			"fill=\"#fdd0a2\" stroke=\"#000\"");
		put_name(b, &p->cabinet[c], ink);
		if (count[c])
			put_count(b, &p->cabinet[c], count[c], ink);
	}
	cli_putf(b, "</svg>\n");
	free(count);
}

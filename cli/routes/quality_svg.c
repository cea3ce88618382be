// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* quality_svg.c - a quality report as a picture, one row for each offset: the distribution
 * of load over its mean as a box plot, and the pairs by hops as a bar. Below the rows, a
 * bar shows the pairs by disjoint routes. The SVG needs no script, font or style sheet from
 * elsewhere. */
#include <stdio.h>

#include "cli.h"
#include "svg.h"

enum {				/* in pixels */
	ROW = 26, BAR = 14, LEFT = 84, PANEL = 360, GAP = 56, WIDTH = LEFT + 2 * PANEL + 2 * GAP,
	TOP = 72,
};

/* Hops 1, 2, 3, 4, 5 and more, no route. The colours also differ in brightness. */
static const struct { const char *fill, *label; } hop_kind[] = {
	{ "#c6dbef", "1 hop" }, { "#6baed6", "2" }, { "#2171b5", "3" }, { "#08306b", "4" },
	{ "#3f007d", "5 or more" }, { "#d7301f", "no route" },
};
enum { HOP_KINDS = ARRAY_LEN(hop_kind), NO_ROUTE = HOP_KINDS - 1, LONG = NO_ROUTE - 1 };

struct axis {			/* the axis of load over its mean */
	double top, step;
};

static double
relative(const struct moore_link_load *s, double load)
{
	return s->mean > 0 ? load / s->mean : 0;
}

static struct axis
choose_axis(const struct moore_quality *q)
{
	struct axis a = { 1, 0.5 };

	/* The sum of all offsets is at least as even as each of them, so it fits, too. */
	for (uint32_t k = 0; k < q->n_offsets; k++)
		if (relative(&q->offset[k].load, q->offset[k].load.max) > a.top)
			a.top = relative(&q->offset[k].load, q->offset[k].load.max);
	while (a.top > 6 * a.step)
		a.step *= 2;
	a.top = a.step * ((int)(a.top / a.step) + 1);
	return a;
}

static void
put_axis(struct moore_buf *b, const struct axis *a, int bottom)
{
	char label[32];

	for (double v = 0; v <= a->top + a->step / 2; v += a->step) {
		double x = LEFT + v / a->top * PANEL;

		cli_putf(b, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>\n", x,
			 TOP - 6, x, bottom);
		snprintf(label, sizeof(label), "%g", v);
		cli_svg_text(b, x, bottom + 15, "middle", label);
	}
	cli_putf(b, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#888\" "
		 "stroke-dasharray=\"4 3\"/>\n", LEFT + PANEL / a->top, TOP - 6,
		 LEFT + PANEL / a->top, bottom);
}

static void
put_box(struct moore_buf *b, const struct moore_link_load *s, const struct axis *a, int y)
{
	const double v[] = { s->min, s->q1, s->median, s->q3, s->max };
	double x[ARRAY_LEN(v)], mid = y + BAR / 2.0;
	char label[32];

	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		x[i] = LEFT + relative(s, v[i]) / a->top * PANEL;
	cli_putf(b, "<path d=\"M%.1f %.1fH%.1fM%.1f %.1fH%.1fM%.1f %dV%dM%.1f %dV%d\" "
		 "stroke=\"#333\" fill=\"none\"/>\n", x[0], mid, x[1], x[3], mid, x[4], x[0], y + 3,
		 y + BAR - 3, x[4], y + 3, y + BAR - 3);
	cli_putf(b, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#9ecae1\" "
		 "stroke=\"#333\"/>\n<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#000\" "
		 "stroke-width=\"2\"/>\n", x[1], y, x[3] - x[1], BAR, x[2], y, x[2], y + BAR);
	snprintf(label, sizeof(label), "%.2f", relative(s, s->max));
	cli_svg_text(b, x[4] + 5, y + 11, "start", label);
}

static void
put_hops(struct moore_buf *b, const struct moore_quality_offset *o, int y)
{
	double x = LEFT + PANEL + GAP, all = o->pairs.n[0] ? (double)o->pairs.n[0] : 1;
	uint64_t n[HOP_KINDS] = { 0 };

	for (int h = 1; h <= MOORE_HOPS_MAX; h++)
		n[h - 1 < LONG ? h - 1 : LONG] += o->hops[h];
	n[NO_ROUTE] = o->no_route;
	for (int i = 0; i < HOP_KINDS; i++) {
		double w = (double)n[i] / all * PANEL;

		if (!n[i])
			continue;
		cli_putf(b, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
			 x, y, w, BAR, hop_kind[i].fill);
		if (w > 44)
			cli_putf(b, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"%s\">"
				 "%.1f%%</text>\n", x + w / 2, y + 11, i < 2 ? "#000" : "#fff",
				 100 * (double)n[i] / all);
		x += w;
	}
}

static void
put_legend(struct moore_buf *b)
{
	double x = LEFT + PANEL + GAP;

	for (int i = 0; i < HOP_KINDS; i++) {
		cli_putf(b, "<rect x=\"%.1f\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", x,
			 TOP - 26, hop_kind[i].fill);
		cli_svg_text(b, x + 14, TOP - 17, "start", hop_kind[i].label);
		x += i == LONG ? 82 : i == 0 ? 62 : 38;
	}
}

static void
put_disjoint(struct moore_buf *b, const struct moore_quality *q, int y)
{
	char label[64];

	snprintf(label, sizeof(label), "Routes of a pair that share no link (%smean %.2f)",
		 q->exact ? "" : "found greedily, ", q->mean_disjoint);
	cli_putf(b, "<g font-weight=\"bold\">");
	cli_svg_text(b, LEFT, y, "start", label);
	cli_putf(b, "</g>\n");
	y += 12;
	for (uint32_t n = 0; n <= q->n_offsets; n++) {
		double part = q->pairs.n[0] ? (double)q->disjoint[n] / (double)q->pairs.n[0] : 0;

		if (!q->disjoint[n])
			continue;
		snprintf(label, sizeof(label), "%u", n);
		cli_svg_text(b, LEFT - 8, y + 11, "end", label);
		cli_putf(b, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#6baed6\"/>\n",
			 LEFT, y, part * PANEL, BAR);
		snprintf(label, sizeof(label), "%.2f%%", 100 * part);
		cli_svg_text(b, LEFT + part * PANEL + 5, y + 11, "start", label);
		y += ROW;
	}
}

static uint32_t
count_bars(const struct moore_quality *q)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i <= q->n_offsets; i++)
		n += q->disjoint[i] != 0;
	return n;
}

void
cli_put_quality_svg(struct moore_buf *b, const struct moore_quality *q)
{
	int rows = (int)q->n_offsets + (q->n_offsets > 1), bottom = TOP + rows * ROW;
	int height = bottom + 72 + (int)count_bars(q) * ROW;
	struct axis a = choose_axis(q);
	char label[32];

	cli_putf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		 "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n"
		 "<title>Quality of routes</title>\n"
		 "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", WIDTH, height, WIDTH, height);
	cli_putf(b, "<g font-weight=\"bold\">\n");
	cli_svg_text(b, LEFT, 24, "start", "Load of links between switches, over its mean");
	cli_svg_text(b, LEFT + PANEL + GAP, 24, "start", "Pairs by hops");
	cli_putf(b, "</g>\n");
	cli_svg_text(b, LEFT, 40, "start", "least, quartiles, greatest");
	put_legend(b);
	put_axis(b, &a, bottom);
	for (uint32_t k = 0; k < q->n_offsets; k++) {
		snprintf(label, sizeof(label), "offset %u", k);
		cli_svg_text(b, LEFT - 8, TOP + (int)k * ROW + 11, "end", label);
		put_box(b, &q->offset[k].load, &a, TOP + (int)k * ROW);
		put_hops(b, &q->offset[k], TOP + (int)k * ROW);
	}
	if (q->n_offsets > 1) {
		cli_svg_text(b, LEFT - 8, TOP + (rows - 1) * ROW + 11, "end", "all");
		put_box(b, &q->load, &a, TOP + (rows - 1) * ROW);
	}
	put_disjoint(b, q, bottom + 50);
	cli_putf(b, "</svg>\n");
}

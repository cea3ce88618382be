// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* draw_lines.c - lines between nodes, and the picture as SVG. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"
#include "design/draw.h"
#include "svg.h"

#define LINES_MAX 8000		/* beyond which nobody sees single ones */
#define BEND 40			/* at most, in pixels */

/* From no load to the greatest: each is darker than the one before, so that grey prints tell them apart. */
static const char *const colour[] = { "#d9e2ec", "#a6c8e0", "#fdae61", "#e8602c", "#a50f15" };
#define UNKNOWN "#6b7f94"
enum { COLOURS = ARRAY_LEN(colour) };

static int
by_nodes(const void *x, const void *y)
{
	const struct draw_line *l = x, *m = y;

	if (l->a != m->a)
		return l->a < m->a ? -1 : 1;
	return l->b < m->b ? -1 : l->b > m->b;
}

static int
by_load(const void *x, const void *y)
{
	const struct draw_line *l = x, *m = y;

	if (l->load != m->load)
		return l->load < m->load ? -1 : 1;
	return by_nodes(x, y);
}

void
cli_draw_join(struct drawing *d)
{
	uint32_t n = 0;

	if (d->n_lines)
		qsort(d->line, d->n_lines, sizeof(*d->line), by_nodes);
	for (uint32_t i = 0; i < d->n_lines; i++) {
		const struct draw_line *l = &d->line[i];

		if (l->a == l->b)
			continue;
		if (n && by_nodes(&d->line[n - 1], l) == 0) {
			d->line[n - 1].links += l->links;
			d->line[n - 1].load = fmax(d->line[n - 1].load, l->load);
		} else {
			d->line[n++] = *l;
		}
	}
	d->n_lines = n;
	if (n)
		qsort(d->line, n, sizeof(*d->line), by_load);
}

int
cli_draw_gather(struct drawing *d)
{
	struct draw_node *middle;
	uint32_t *count;

	if (d->n_lines <= LINES_MAX || d->n_parts < 3)
		return CLI_OK;
	middle = calloc(d->n_parts, sizeof(*middle));
	count = calloc(d->n_parts, sizeof(*count));
	if (!middle || !count) {
		free(middle);
		free(count);
		return cli_error("out of memory");
	}
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		struct draw_node *m = &middle[d->node[i].part];

		m->x += d->node[i].x;
		m->y += d->node[i].y;
		m->part = d->node[i].part;
		m->name = "";
		count[m->part]++;
	}
	for (uint32_t i = 0; i < d->n_parts; i++) {
		middle[i].x /= count[i];
		middle[i].y /= count[i];
	}
	for (uint32_t i = 0; i < d->n_lines; i++) {
		const uint32_t a = d->node[d->line[i].a].part, b = d->node[d->line[i].b].part;

		d->line[i].a = a < b ? a : b;
		d->line[i].b = a < b ? b : a;
	}
	free(d->node);
	free(count);
	d->node = middle;
	d->n_nodes = d->n_parts;
	cli_draw_join(d);
	return CLI_OK;
}

static const char *
colour_of(double load, double most)
{
	const int i = most > 0 ? (int)(load / most * COLOURS) : 0;

	return load < 0 ? UNKNOWN : colour[i < COLOURS ? i : COLOURS - 1];
}

/* Bends a line: on a ring towards the middle; elsewhere to the side, if there may be nodes between its
 * ends, behind which it would hide. */
static void
put_line(struct moore_buf *b, const struct drawing *d, const struct draw_line *l)
{
	const struct draw_node *p = &d->node[l->a], *q = &d->node[l->b];
	const double far = hypot(q->x - p->x, q->y - p->y);
	double x = (p->x + q->x) / 2, y = (p->y + q->y) / 2;

	if (d->round) {
		const double pull = fmin(0.8, far / d->width);

		x += (d->width / 2 - x) * pull;
		y += (d->height / 2 - y) * pull;
	} else if (far < d->near) {
		;			/* straight */
	} else if (fabs(p->x - q->x) < 1 && !(p->row && q->row)) {
		x += fmin(far / 4, 24);
	} else if (fabs(p->y - q->y) < 1) {
		y -= fmin(far / 4, BEND);
	} else if (d->bent_from > 0 && far > d->bent_from) {
		x += fabs(p->y - q->y) / far * BEND;
		y -= fabs(p->x - q->x) / far * BEND;
	}
	cli_putf(b, "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\"/>\n", p->x, p->y, x, y, q->x, q->y);
}

/* Lines of one colour and width follow one another, so the pair of them is written once. */
static void
put_lines(struct moore_buf *b, const struct drawing *d, double most)
{
	const char *was = NULL;
	double width = 0;

	for (uint32_t i = 0; i < d->n_lines; i++) {
		const struct draw_line *l = &d->line[i];
		const char *now = colour_of(l->load, most);
		const double wide = fmin(0.8 + 0.6 * log2(l->links), 6);

		if (now != was || wide != width)
			cli_putf(b, "%s<g fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-opacity=\"%s\">\n",
				 was ? "</g>\n" : "", now, wide, l->load < 0 ? "0.45" : "0.8");
		was = now;
		width = wide;
		put_line(b, d, l);
	}
	if (was)
		cli_putf(b, "</g>\n");
}

static void
put_nodes(struct moore_buf *b, const struct drawing *d)
{
	const double s = d->size;

	for (uint32_t i = 0; i < d->n_nodes; i++) {
		const struct draw_node *n = &d->node[i];

		cli_putf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" stroke=\"#243447\">",
			 n->x - s / 2, n->y - s / 2, s, s, n->hollow ? "#fff" : "#243447");
		cli_svg_title(b, n->name);
		cli_putf(b, "</rect>\n");
	}
}

static void
put_legend(struct moore_buf *b, double most)
{
	enum { LEFT = 16, TOP = 46, BOX = 28, HIGH = 8 };
	char label[32];

	for (int i = 0; i < COLOURS; i++)
		cli_svg_rect(b, LEFT + i * BOX, TOP, BOX, HIGH, colour[i]);
	cli_svg_text(b, LEFT, TOP + HIGH + 12, "start", "0");
	snprintf(label, sizeof(label), "%.3g", most);
	cli_svg_text(b, LEFT + COLOURS * BOX, TOP + HIGH + 12, "end", label);
}

void
cli_draw_put(struct moore_buf *b, struct drawing *d, const char *title, const char *subtitle)
{
	const double most = d->n_lines ? d->line[d->n_lines - 1].load : -1;

	cli_svg_begin(b, (int)d->width, (int)d->height, title);
	cli_svg_bold(b, 16, 20, title);
	cli_svg_text(b, 16, 36, "start", subtitle);
	if (most >= 0)
		put_legend(b, most);
	put_lines(b, d, most);
	put_nodes(b, d);
	cli_putf(b, "<g stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">\n");
	for (uint32_t i = 0; i < d->n_labels; i++)
		cli_svg_text(b, d->label[i].x, d->label[i].y, d->label[i].anchor, d->label[i].text);
	cli_putf(b, "</g>\n");
	cli_svg_end(b);
}

void
cli_draw_free(struct drawing *d)
{
	free(d->node);
	free(d->label);
	free(d->line);
}

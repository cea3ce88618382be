// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cables_html.c - the cable list as a page to print: the floor as a picture, the cables to
 * order, and the lists with a box to tick.  The page is one file without script, font or
 * style sheet of its own.
 *
 * In the picture a cabinet is the darker, the more cables end in it.  Only the cabinet pairs
 * with most cables have a line, since in these fabrics nearly every pair has some cable, and
 * lines for all would fill the picture. */
#include <stdlib.h>
#include <string.h>

#include "cables.h"

enum { SCALE = 60, MARGIN = 24, LINES_MAX = 200 };	/* SCALE: pixels for a metre */

static void
put_escaped(struct moore_buf *b, const char *s)
{
	size_t n;

	for (; *s; s += n) {
		const size_t hidden = moore_text_hidden(s, strlen(s));
		const char *as = *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : *s == '&' ? "&amp;" :
				 *s == '"' ? "&quot;" : hidden ? "&#xfffd;" : NULL;

		n = hidden ? hidden : 1;
		if (as)
			cli_putf(b, "%s", as);
		else
			moore_buf_add(b, s, 1);
	}
}

/* ---- the floor ----------------------------------------------------------------------- */

struct trunk {			/* a pair of cabinets and the number of their cables */
	uint32_t a, b, n;
};

static int
pair_cmp(const void *x, const void *y)
{
	const struct trunk *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->b > q->b) - (p->b < q->b);
}

static int
size_cmp(const void *x, const void *y)
{
	const struct trunk *p = x, *q = y;

	if (p->n != q->n)
		return p->n > q->n ? -1 : 1;
	return pair_cmp(x, y);
}

/* Fills t with the trunks, those with most cables first, and returns their number. */
static size_t
find_trunks(struct trunk *t, const struct cli_cables *k)
{
	size_t n = 0, m = 0;

	for (size_t i = 0; i < k->n_work; i++) {
		const uint32_t *c = k->work[i].cabinet;

		if (c[0] != c[1])
			t[n++] = (struct trunk){ c[0] < c[1] ? c[0] : c[1], c[0] < c[1] ? c[1] : c[0], 1 };
	}
	qsort(t, n, sizeof(*t), pair_cmp);
	for (size_t i = 0; i < n; i++) {
		if (m && !pair_cmp(&t[m - 1], &t[i]))
			t[m - 1].n++;
		else
			t[m++] = t[i];
	}
	qsort(t, m, sizeof(*t), size_cmp);
	return m;
}

static double
x_of(const struct cli_cables *k, uint32_t cabinet)
{
	return MARGIN + (k->plan->cabinet[cabinet].column + 0.5) * k->plan->column_pitch * SCALE;
}

static double
y_of(const struct cli_cables *k, uint32_t cabinet)
{
	return MARGIN + (k->plan->cabinet[cabinet].row + 0.5) * k->plan->row_pitch * SCALE;
}

static void
put_cabinet(struct moore_buf *b, const struct cli_cables *k, uint32_t c, double share)
{
	const double w = k->plan->column_pitch * SCALE * 0.92;
	const double h = k->plan->row_pitch * SCALE < w * 2 ? k->plan->row_pitch * SCALE * 0.7 : w * 1.4;

	cli_putf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#2171b5\" "
		 "fill-opacity=\"%.2f\" stroke=\"#333\"/>\n<text x=\"%.1f\" y=\"%.1f\" "
		 "text-anchor=\"middle\">", x_of(k, c) - w / 2, y_of(k, c) - h / 2, w, h,
		 0.05 + 0.45 * share, x_of(k, c), y_of(k, c) + 4);
	put_escaped(b, k->plan->cabinet[c].name);
	cli_putf(b, "</text>\n");
}

static void
put_floor(struct moore_buf *b, const struct cli_cables *k, const struct trunk *t, size_t n_trunks,
	  const uint32_t *load)
{
	const struct moore_plan *p = k->plan;
	uint32_t rows = 0, columns = 0, most = 1;

	for (uint32_t c = 0; c < p->n_cabinets; c++) {
		rows = p->cabinet[c].row >= rows ? p->cabinet[c].row + 1 : rows;
		columns = p->cabinet[c].column >= columns ? p->cabinet[c].column + 1 : columns;
		most = load[c] > most ? load[c] : most;
	}
	cli_putf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		 "font-family=\"sans-serif\" font-size=\"11\">\n",
		 2 * MARGIN + columns * p->column_pitch * SCALE,
		 2 * MARGIN + rows * p->row_pitch * SCALE);
	for (size_t i = 0; i < n_trunks && i < LINES_MAX; i++)
		cli_putf(b, "<polyline fill=\"none\" stroke=\"#d7301f\" stroke-opacity=\"0.4\" "
			 "stroke-width=\"%.1f\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n",
			 0.4 + 2.6 * t[i].n / t[0].n, x_of(k, t[i].a), y_of(k, t[i].a), x_of(k, t[i].b),
			 y_of(k, t[i].a), x_of(k, t[i].b), y_of(k, t[i].b));
	for (uint32_t c = 0; c < p->n_cabinets; c++)
		put_cabinet(b, k, c, (double)load[c] / most);
	cli_putf(b, "</svg>\n<p>%u cabinets; the pitch is %g m along a row and %g m between rows. "
		 "Darker: more cables. Lines: the %zu of %zu cabinet pairs with most cables.</p>\n",
		 p->n_cabinets, p->column_pitch, p->row_pitch,
		 n_trunks < LINES_MAX ? n_trunks : LINES_MAX, n_trunks);
}

static void
put_picture(struct moore_buf *b, const struct cli_cables *k)
{
	struct trunk *t = malloc((k->n_work + 1) * sizeof(*t));
	uint32_t *load = calloc(k->plan->n_cabinets + 1u, sizeof(*load));

	for (size_t i = 0; load && i < k->n_work; i++)
		for (int e = 0; e < 2; e++)
			load[k->work[i].cabinet[e]] += !k->work[i].endpoint;
	if (t && load)
		put_floor(b, k, t, find_trunks(t, k), load);
	else
		b->oom = true;
	free(t);
	free(load);
}

/* ---- the lists -------------------------------------------------------------------------- */

static void
put_stock(struct moore_buf *b, const struct cli_cables *k)
{
	cli_putf(b, "<h2>To order</h2>\n<table><tr><th>length, m<th>medium<th>pieces<th>price</tr>\n");
	for (uint32_t s = 0; s < k->catalogue->n; s++) {
		const struct moore_stock *stock = &k->catalogue->stock[s];

		if (!k->pieces[s])
			continue;
		cli_putf(b, "<tr><td>%g<td>%s<td>%u<td>", stock->length, cli_stock_kind(stock),
			 k->pieces[s]);
		if (stock->price > 0)
			cli_putf(b, "%.2f", k->pieces[s] * stock->price);
		cli_putf(b, "</tr>\n");
	}
	cli_putf(b, "<tr><th>%.1f, of which %.1f are routed<th><th>%u<th>", k->bought,
		 k->metres, k->plan->n_cables);
	if (k->price > 0)
		cli_putf(b, "%.2f", k->price);
	cli_putf(b, "</tr>\n</table>\n");
}

static void
put_line(struct moore_buf *b, const struct cli_cables *k, const struct moore_work *w)
{
	struct cli_cable_line l;

	cli_cable_line(k, w, &l);
	cli_putf(b, "<tr><td>&#9744;");
	for (int e = 0; e < 2; e++) {
		cli_putf(b, "<td>");
		put_escaped(b, cli_cable_label(&l, e));
	}
	cli_putf(b, "<td>");
	if (l.stock)
		cli_putf(b, "%g m %s", l.stock->length, cli_stock_kind(l.stock));
	for (int e = 0; e < 2; e++) {
		cli_putf(b, "<td>");
		put_escaped(b, l.node[e]);
		cli_putf(b, " [%u]", l.port[e]);
	}
	cli_putf(b, "<td>");
	put_escaped(b, l.own ? l.own : "");
	cli_putf(b, "</tr>\n");
	cli_cable_line_free(&l);
}

static void
put_lists(struct moore_buf *b, const struct cli_cables *k)
{
	for (size_t i = 0; i < k->n_work; i++) {
		if (cli_cables_starts(k, i)) {
			struct moore_buf heading = MOORE_BUF_INIT;

			cli_cables_heading(&heading, k, i);
			cli_putf(b, "%s<h3>", i ? "</table>\n" : "");
			put_escaped(b, heading.data ? heading.data : "");
			moore_buf_free(&heading);
			cli_putf(b, "</h3>\n<table><tr><th><th>from<th>to<th>cable<th>from<th>to<th>label"
				 "</tr>\n");
		}
		put_line(b, k, &k->work[i]);
	}
	cli_putf(b, "%s", k->n_work ? "</table>\n" : "");
}

void
cli_put_cables_html(struct moore_buf *b, const struct cli_cables *k)
{
	cli_putf(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
		 "<title>Cables</title>\n<style>body{font:12px sans-serif;margin:2em}"
		 "table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:1px 6px;"
		 "text-align:left}h3{margin:1em 0 .2em;break-after:avoid}tr{break-inside:avoid}"
		 "svg{max-width:100%%;max-height:90vh}</style></head>\n<body>\n<h1>Cables</h1>\n"
		 "<p>A label is cabinet-unit-port.</p>\n");
	put_picture(b, k);
	put_stock(b, k);
	put_lists(b, k);
	cli_putf(b, "</body>\n</html>\n");
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* simulate_svg.c - throughput and latency over the load, a curve for each routing and pattern: its colour tells the
 * routing, its dashes the pattern.  Latency has a logarithmic axis, and ends before the first load that is not accepted
 * in full: from there on, latency grows with the run. */
#include <math.h>

#include "load/simulate.h"
#include "svg.h"

enum { TOP = 48, SIDE = 300, LEFT = 60, GAP = 90, LINE = 18 };	/* in pixels; a panel is a square */

static const char *const colour[] = {
	"#1b6ca8", "#d1495b", "#2e8b57", "#8d5a97", "#c98a1b", "#3d4f5f", "#17a2b8", "#a0522d", "#e377c2", "#8a9a20",
};
static const char *const dashes[] = { "none", "7 3", "2 2", "9 3 2 3", "14 4", "4 2 1 2" };

struct curves {
	const json_t *rows;
	size_t n_loads;			/* rows of a curve, which follow one another */
	size_t n_routings;		/* curves of a pattern, which follow one another */
	double low, high;		/* of latency, powers of ten */
};

/* The colour of the curve that begins with this row. */
static const char *
paint_of(const struct curves *c, size_t first)
{
	return colour[first / c->n_loads % c->n_routings % ARRAY_LEN(colour)];
}

/* Opens a line in the manner of that curve; its path is next. */
static void
begin_line(struct moore_buf *b, const struct curves *c, size_t first)
{
	cli_putf(b, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-dasharray=\"%s\" d=\"",
		 paint_of(c, first), dashes[first / c->n_loads / c->n_routings % ARRAY_LEN(dashes)]);
}

static double
x_of(int panel, double load)
{
	return LEFT + panel * (SIDE + GAP) + load * SIDE;
}

static double
y_of(const struct curves *c, int panel, const json_t *row)
{
	const double share = panel == 0 ? cli_num(row, "accepted") :
		(log10(fmax(cli_num(row, "latency_mean"), 1)) - c->low) / (c->high - c->low);

	return TOP + SIDE * (1 - fmin(fmax(share, 0), 1));
}

static void
find_range(struct curves *c)
{
	const json_t *row;
	size_t i;

	c->low = 9;
	c->high = 0;
	json_array_foreach(c->rows, i, row) {
		const double latency = log10(fmax(cli_num(row, "latency_mean"), 1));

		if (cli_yes(row, "saturated"))
			continue;
		c->low = fmin(c->low, floor(latency));
		c->high = fmax(c->high, ceil(latency));
	}
	if (c->high <= c->low)
		c->high = c->low + 1;
}

/* A horizontal line at a share of the height, with its number. */
static void
put_level(struct moore_buf *b, int panel, double share, const char *label)
{
	const double left = x_of(panel, 0), y = TOP + SIDE * (1 - share);

	if (share > 0)
		cli_svg_rect(b, left, y - 0.5, SIDE, 1, "#e8e8e8");
	cli_svg_text(b, left - 6, y + 4, "end", label);
}

static void
put_axes(struct moore_buf *b, const struct curves *c, int panel)
{
	const double left = x_of(panel, 0), bottom = TOP + SIDE;
	char label[32];

	for (int i = 0; i <= 5; i++) {
		snprintf(label, sizeof(label), "%g", i / 5.0);
		cli_svg_text(b, x_of(panel, i / 5.0), bottom + 15, "middle", label);
		if (panel == 0)
			put_level(b, panel, i / 5.0, label);
	}
	for (double p = c->low; panel == 1 && p <= c->high; p++) {
		snprintf(label, sizeof(label), "%.0f", pow(10, p));
		put_level(b, panel, (p - c->low) / (c->high - c->low), label);
	}
	cli_putf(b, "<path d=\"M%.1f %dV%.1fH%.1f\" fill=\"none\" stroke=\"#333\"/>\n", left, TOP, bottom,
		 left + SIDE);
	cli_svg_text(b, left + SIDE / 2.0, bottom + 32, "middle", "load offered, as a share of full rate");
	cli_svg_bold(b, left, TOP - 12, panel == 0 ? "accepted, as a share of full rate" :
		     "mean latency, ns, where all is accepted");
}

/* A line through the points of a curve, and a dot on each, so that a single load is seen, too. */
static void
put_curve(struct moore_buf *b, const struct curves *c, int panel, size_t first)
{
	size_t end = first;

	while (end < first + c->n_loads && !(panel == 1 && cli_yes(json_array_get(c->rows, end), "saturated")))
		end++;
	if (end == first)
		return;
	begin_line(b, c, first);
	for (size_t i = first; i < end; i++) {
		const json_t *row = json_array_get(c->rows, i);

		cli_putf(b, "%c%.1f %.1f", i > first ? 'L' : 'M', x_of(panel, cli_num(row, "load")), y_of(c, panel, row));
	}
	cli_putf(b, "\"/>\n");
	for (size_t i = first; i < end; i++) {
		const json_t *row = json_array_get(c->rows, i);

		cli_putf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\" fill=\"%s\"/>\n", x_of(panel, cli_num(row, "load")),
			 y_of(c, panel, row), paint_of(c, first));
	}
}

static void
put_name(struct moore_buf *b, const struct curves *c, size_t first)
{
	const json_t *row = json_array_get(c->rows, first);
	const double x = x_of(1, 1) + 24, y = TOP + 10 + (double)(first / c->n_loads) * LINE;
	char name[96];

	snprintf(name, sizeof(name), "%s, %s", cli_str(row, "routing"), cli_str(row, "pattern"));
	begin_line(b, c, first);
	cli_putf(b, "M%.1f %.1fh30\"/>\n", x, y - 4);
	cli_svg_text(b, x + 37, y, "start", name);
}

void
cli_simulate_put_svg(struct moore_buf *b, const json_t *answer, size_t n_loads, size_t n_routings)
{
	struct curves c = { .rows = json_object_get(answer, "rows"), .n_loads = n_loads, .n_routings = n_routings };
	const size_t n = json_array_size(c.rows);
	const int names = TOP + (int)(n / n_loads) * LINE;

	find_range(&c);
	cli_svg_begin(b, (int)x_of(1, 1) + 220, names > TOP + SIDE + 44 ? names : TOP + SIDE + 44,
		      "Throughput and latency");
	for (int panel = 0; panel < 2; panel++) {
		put_axes(b, &c, panel);
		for (size_t i = 0; i < n; i += n_loads)
			put_curve(b, &c, panel, i);
	}
	for (size_t i = 0; i < n; i += n_loads)
		put_name(b, &c, i);
	cli_svg_end(b);
}

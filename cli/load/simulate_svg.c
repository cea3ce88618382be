// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* simulate_svg.c - throughput and latency over the load, a curve for each routing and pattern.  Latency has a
 * logarithmic axis, and ends with the first load that is not accepted in full: beyond it, latency grows with
 * the run. */
#include <math.h>

#include "load/simulate.h"
#include "svg.h"

enum { TOP = 48, SIDE = 300, LEFT = 60, GAP = 90, LINE = 18 };	/* in pixels; a panel is a square */

static const char *const colour[] = { "#1b6ca8", "#d1495b", "#2e8b57", "#8d5a97", "#c98a1b", "#3d4f5f" };

struct curves {
	const json_t *rows;
	size_t n_loads;			/* rows of a curve, which follow one another */
	double low, high;		/* of latency, powers of ten */
};

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

static void
put_axes(struct moore_buf *b, const struct curves *c, int panel)
{
	const double left = x_of(panel, 0), bottom = TOP + SIDE;
	char label[32];

	for (int i = 0; i <= 5; i++) {
		snprintf(label, sizeof(label), "%g", i / 5.0);
		cli_svg_text(b, x_of(panel, i / 5.0), bottom + 15, "middle", label);
		if (panel == 0)
			cli_svg_text(b, left - 6, bottom - SIDE * i / 5.0 + 4, "end", label);
	}
	for (double p = c->low; panel == 1 && p <= c->high; p++) {
		snprintf(label, sizeof(label), "%.0f", pow(10, p));
		cli_svg_text(b, left - 6, bottom - SIDE * (p - c->low) / (c->high - c->low) + 4, "end", label);
	}
	cli_putf(b, "<path d=\"M%.1f %dV%.1fH%.1f\" fill=\"none\" stroke=\"#333\"/>\n", left, TOP, bottom,
		 left + SIDE);
	cli_svg_text(b, left + SIDE / 2.0, bottom + 32, "middle", "load offered, as a share of full rate");
	cli_svg_bold(b, left, TOP - 12, panel == 0 ? "accepted, as a share of full rate" : "mean latency, ns");
}

static void
put_curve(struct moore_buf *b, const struct curves *c, int panel, size_t first)
{
	const char *paint = colour[first / c->n_loads % ARRAY_LEN(colour)];
	const bool dashed = first / c->n_loads >= ARRAY_LEN(colour);
	bool begun = false;

	cli_putf(b, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s d=\"", paint,
		 dashed ? " stroke-dasharray=\"5 3\"" : "");
	for (size_t i = first; i < first + c->n_loads; i++) {
		const json_t *row = json_array_get(c->rows, i);

		if (panel == 1 && cli_yes(row, "saturated"))
			break;
		cli_putf(b, "%c%.1f %.1f", begun ? 'L' : 'M', x_of(panel, cli_num(row, "load")), y_of(c, panel, row));
		begun = true;
	}
	cli_putf(b, "%s\"/>\n", begun ? "" : "M0 0");
}

static void
put_name(struct moore_buf *b, const struct curves *c, size_t first)
{
	const json_t *row = json_array_get(c->rows, first);
	const double x = x_of(1, 1) + 24, y = TOP + 10 + (double)(first / c->n_loads) * LINE;
	char name[96];

	snprintf(name, sizeof(name), "%s, %s", cli_str(row, "routing"), cli_str(row, "pattern"));
	cli_svg_rect(b, x, y - 6, 14, 4, colour[first / c->n_loads % ARRAY_LEN(colour)]);
	cli_svg_text(b, x + 20, y, "start", name);
}

void
cli_simulate_put_svg(struct moore_buf *b, const json_t *answer, size_t n_loads)
{
	struct curves c = { .rows = json_object_get(answer, "rows"), .n_loads = n_loads };
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

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* predict_show.c - the rows as text and as box plots. */
#include <math.h>

#include "load/predict.h"
#include "svg.h"

/* ---- the answer --------------------------------------------------------------------------------------- */

static void
put_rows(struct moore_buf *b, const json_t *answer)
{
	const json_t *rows = json_object_get(answer, "rows"), *o;
	double sampled = 0, error = 0;
	size_t i;

	cli_putf(b, "%lld switches, %lld nodes, %lld processes\n\n"
		 "%-7s %-11s %-9s %-3s %7s %7s %7s %7s %7s %6s\n", cli_int(answer, "switches"),
		 cli_int(answer, "nodes"), cli_int(answer, "processes"), "routing", "pattern", "placed",
		 "cut", "q1", "median", "mean", "q3", "max", "rate %");
	json_array_foreach(rows, i, o) {
		cli_putf(b, "%-7s %-11s %-9s %-3s %7.3f %7.3f %7.3f %7.3f %7.3f %6.2f", cli_str(o, "routing"),
			 cli_str(o, "pattern"), cli_str(o, "placement"), cli_yes(o, "cut") ? "yes" : "no",
			 cli_num(o, "q1"), cli_num(o, "median"), cli_num(o, "mean"), cli_num(o, "q3"),
			 cli_num(o, "max"), 100 * cli_num(o, "saturation"));
		if (cli_num(o, "lost") > 0)
			cli_putf(b, "  %.2g %% lost", 100 * cli_num(o, "lost"));
		cli_putf(b, "\n");
		sampled = fmax(sampled, cli_num(o, "sampled"));
		error = fmax(error, cli_num(o, "error"));
	}
	cli_putf(b, "\nLoad of links between switches; what the busiest process sends or receives is 1.\n"
		 "rate: the share of full rate at which it can send before a link is full.\n"
		 "InfiniBand can run tables alone; the other routings are models.\n");
	if (sampled > 0)
		cli_putf(b, "%.0f switches that are spread over all stand for those that receive (--sample), so\n"
			 "that the load of a link is off by %.2g (standard error).\n", sampled, error);
}

enum { BAR = 14, ROW = 22, LEFT = 300, WIDE = 460, TOP = 40 };

/* Draws a box plot for each row, all on one axis. */
static void
put_svg(struct moore_buf *b, const json_t *answer)
{
	const json_t *rows = json_object_get(answer, "rows"), *o;
	double most = 0;
	size_t i;

	json_array_foreach(rows, i, o)
		most = cli_num(o, "max") > most ? cli_num(o, "max") : most;
	cli_svg_begin(b, LEFT + WIDE + 80, TOP + (int)json_array_size(rows) * ROW + 10, "Load of links");
	cli_svg_bold(b, LEFT, 20, "Load of links between switches: least, quartiles, greatest; the dot is the mean");
	json_array_foreach(rows, i, o) {
		const char *const key[] = { "min", "q1", "median", "q3", "max" };
		const double y = TOP + (double)i * ROW;
		char name[160], label[32];
		double x[ARRAY_LEN(key)];

		for (size_t k = 0; k < ARRAY_LEN(key); k++)
			x[k] = LEFT + (most > 0 ? cli_num(o, key[k]) / most * WIDE : 0);
		snprintf(name, sizeof(name), "%s, %s, %s%s", cli_str(o, "routing"), cli_str(o, "pattern"),
			 cli_str(o, "placement"), cli_yes(o, "cut") ? ", cut" : "");
		snprintf(label, sizeof(label), "%.3g", cli_num(o, "max"));
		cli_svg_text(b, LEFT - 8, y + 11, "end", name);
		cli_svg_rect(b, x[0], y + BAR / 2.0 - 0.5, x[4] - x[0], 1, "#333");
		cli_svg_rect(b, x[1], y, x[3] - x[1], BAR, "#9ecae1");
		cli_svg_rect(b, x[2] - 1, y, 2, BAR, "#000");
		cli_putf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#cb181d\"/>\n",
			 LEFT + (most > 0 ? cli_num(o, "mean") / most * WIDE : 0), y + BAR / 2.0);
		cli_svg_text(b, x[4] + 5, y + 11, "start", label);
	}
	cli_svg_end(b);
}

int
cli_predict_show(struct cli_prediction *r)
{
	json_t *answer = moore_answer_predict(r->world[0].f, r->row, r->n_rows, r->processes, r->seed,
					      (uint8_t)r->lmc);
	struct moore_buf b = MOORE_BUF_INIT;
	int rc = CLI_OK;

	if (answer && cli_opt(r->c, "svg")) {
		put_svg(&b, answer);
		rc = cli_write(cli_opt(r->c, "svg"), &b);
		moore_buf_free(&b);
	}
	if (rc == CLI_OK && cli_opt(r->c, "loads"))
		rc = cli_write(cli_opt(r->c, "loads"), &r->loads);
	if (rc == CLI_OK)
		return cli_show(r->c, answer, put_rows, NULL);
	json_decref(answer);
	return rc;
}

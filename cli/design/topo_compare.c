// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* topo_compare.c - `moorectl topo compare`: topologies side by side, as a table and as bars. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "online.h"
#include "design/report.h"
#include "svg.h"

#define TOPOLOGIES_MAX 32

/* What is compared: keys of the answer. */
static const struct row {
	const char *key, *head, *form;
	double times;
	unsigned at;		/* where the key has a list */
} rows[] = {
	{ "switches", "switches", "%.0f", 1, 0 },
	{ "endpoints", "endpoints", "%.0f", 1, 0 },
	{ "radix", "radix", "%.0f", 1, 0 },
	{ "switch_ports", "ports of a sold switch", "%.0f", 1, 0 },
	{ "links", "links between switches", "%.0f", 1, 0 },
	{ "ports_per_endpoint", "ports per endpoint", "%.3f", 1, 0 },
	{ "links_per_endpoint", "links per endpoint", "%.3f", 1, 0 },
	{ "endpoint_diameter", "diameter", "%.0f", 1, 0 },
	{ "endpoint_distance", "mean distance", "%.4f", 1, 0 },
	{ "girth", "girth", "%.0f", 1, 0 },
	{ "mu1", "mu1", "%.4f", 1, 0 },
	{ "second_eigenvalue", "second eigenvalue", "%.4f", 1, 0 },
	{ "bisection", "bisection, links", "%.0f", 1, 0 },
	{ "shortest_paths", "shortest paths", "%.2f", 1, 0 },
	{ "moore_efficiency", "of Moore bound, %", "%.3g", 100, 0 },
	{ "throughput_shortest", "uniform, all paths, %", "%.1f", 100, 0 },
	{ "throughput_uniform", "uniform, % of rate", "%.1f", 100, 0 },
	{ "throughput_worst", "worst, % of rate", "%.1f", 100, 0 },
	{ "lmc", "these at LMC", "%.0f", 1, 0 },
	{ "lids", "LIDs at LMC 0", "%.0f", 1, 0 },
	{ "lids", "LIDs at LMC 1", "%.0f", 1, 1 },
	{ "lids", "LIDs at LMC 2", "%.0f", 1, 2 },
	{ "cable_m", "cables, m", "%.0f", 1, 0 },
	{ "longest_m", "longest cable, m", "%.1f", 1, 0 },
};

/* The value of a topology in a row; NULL if it has none. */
static const json_t *
value_of(const json_t *o, const struct row *r)
{
	const json_t *v = json_object_get(o, r->key);

	if (json_is_array(v))
		v = json_object_get(json_array_get(v, r->at), r->key);
	return json_is_number(v) ? v : NULL;
}

static void
format(char *text, size_t size, const json_t *o, const struct row *r)
{
	const json_t *v = value_of(o, r);

	snprintf(text, size, "-");
	if (v)
		snprintf(text, size, r->form, r->times * json_number_value(v));
}

/* ---- as a table, with as many columns as fit ---------------------------------------------- */

enum { HEAD = 23, COLUMN = 14, COLUMNS = 4 };

/* Writes the words of a name below each other, the i-th of each topology on one line. */
static void
put_names(struct moore_buf *b, const json_t *list, size_t from, size_t to)
{
	bool more = true;

	for (size_t line = 0; more; line++) {
		more = false;
		for (size_t i = from; i < to; i++) {
			const char *at = cli_str(json_array_get(list, i), "name");
			int len;

			for (size_t k = 0; k < line && at; k++)
				at = (at = strchr(at, ' ')) ? at + 1 : NULL;
			len = at ? (int)strcspn(at, " ") : 0;
			more = more || (at && at[len]);
			cli_putf(b, "%*s%*.*s", i == from ? HEAD : 0, "", COLUMN, len, at ? at : "");
		}
		cli_putf(b, "\n");
	}
}

static void
put_compared(struct moore_buf *b, const json_t *answer)
{
	const json_t *list = json_object_get(answer, "topologies");
	const size_t n = json_array_size(list);

	for (size_t from = 0; from < n; from += COLUMNS) {
		const size_t to = from + COLUMNS < n ? from + COLUMNS : n;

		cli_putf(b, from ? "\n" : "");
		put_names(b, list, from, to);
		for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
			cli_putf(b, "%-*s", HEAD, rows[r].head);
			for (size_t i = from; i < to; i++) {
				char text[32];

				format(text, sizeof(text), json_array_get(list, i), &rows[r]);
				cli_putf(b, "%*s", COLUMN, text);
			}
			cli_putf(b, "\n");
		}
	}
	cli_putf(b, "\ndiameter, mean distance: between switches with endpoints\n"
		 "uniform, all paths: %% of rate, evenly over all shortest paths\n"
		 "uniform, worst: by the routes of moore, in the patterns of `moorectl quality`.\n"
		 "No cycle of turns may close on its two lanes, which costs graphs with routes of\n"
		 "three and more hops (Jellyfish, SpectralFly) more than the others.\n"
		 "LIDs: InfiniBand has %d\n"
		 "-: not defined, or not measured\n", MOORE_LID_MAX);
}

/* ---- as bars ---------------------------------------------------------------------------------- */

enum { BAR = 14, GAP = 4, TOP = 44, LEFT = 190, LETTER = 7, WIDE = 260, VALUE = 80, PANELS = 2 };

static const char *const colour[] = { "#2171b5", "#cb181d", "#238b45", "#d9a400", "#6a51a3", "#525252" };

/* Where the bars of a panel begin: right of the longest name. */
static int
left_of_bars(const json_t *list)
{
	int left = LEFT;
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o) {
		const int wide = LETTER * ((int)strlen(cli_str(o, "name")) + 2);

		left = wide > left ? wide : left;
	}
	return left;
}

static bool
any_has(const json_t *list, const struct row *r)
{
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
		if (value_of(o, r))
			return true;
	return false;
}

/* One panel: a bar for each topology that has this value, from x on. */
static void
put_panel(struct moore_buf *b, const json_t *list, const struct row *r, double x, double y)
{
	double most = 0;
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
		most = fmax(json_number_value(value_of(o, r)), most);
	cli_svg_bold(b, x, y - 6, r->head);
	json_array_foreach(list, i, o) {
		const double at = y + (double)i * (BAR + GAP);
		const double wide = most > 0 ? fmax(json_number_value(value_of(o, r)), 0) / most * WIDE : 0;
		char text[32];

		format(text, sizeof(text), o, r);
		cli_svg_text(b, x - 6, at + BAR - 3, "end", cli_str(o, "name"));
		cli_svg_rect(b, x, at, wide, BAR, colour[i % ARRAY_LEN(colour)]);
		cli_svg_text(b, x + wide + 5, at + BAR - 3, "start", text);
	}
}

static void
put_svg(struct moore_buf *b, const json_t *answer)
{
	const json_t *list = json_object_get(answer, "topologies");
	const int high = (int)json_array_size(list) * (BAR + GAP) + 34;
	const int left = left_of_bars(list), panel = left + WIDE + VALUE;
	int n = 0;

	for (size_t r = 0; r < ARRAY_LEN(rows); r++)
		n += any_has(list, &rows[r]);
	cli_svg_begin(b, PANELS * panel, TOP + (n + PANELS - 1) / PANELS * high, "Topologies side by side");
	n = 0;
	for (size_t r = 0; r < ARRAY_LEN(rows); r++)
		if (any_has(list, &rows[r])) {
			put_panel(b, list, &rows[r], left + n % PANELS * panel, TOP + n / PANELS * high);
			n++;
		}
	cli_svg_end(b);
}

/* ---- the verb ------------------------------------------------------------------------------------ */

/* Builds and measures the topology of the words from..to-1. */
static int
measure(const struct cli_call *c, size_t from, size_t to, struct moore_topo_report *r)
{
	struct cli_call one = *c;
	struct moore_topo *t = NULL;
	struct moore_err err;
	int rc;

	one.arg = c->arg + from;
	one.n_args = to - from;
	if ((rc = cli_build_topo(&one, &t)) != CLI_OK)
		return rc;
	r->t = t;
	if (cli_report_graph(r, t, &err) < 0 || (!cli_has(c, "quick") && cli_report_worth(r, &err) < 0))
		return cli_error("%s: %s", t->family->name, err.text);
	return CLI_OK;
}

static int
measure_all(const struct cli_call *c, struct moore_topo_report *r, size_t *n)
{
	int rc = CLI_OK;

	cli_busy("building, routing, placing");
	for (size_t from = 0, to; rc == CLI_OK && from < c->n_args; from = to) {
		for (to = from + 1; to < c->n_args && strchr(c->arg[to], '=');)
			to++;
		if (*n == TOPOLOGIES_MAX)
			return cli_misuse(c, "over %d topologies: give fewer", TOPOLOGIES_MAX);
		rc = measure(c, from, to, &r[(*n)++]);
		cli_busy_share(NULL, (double)to / (double)c->n_args);
	}
	return rc;
}

static int
write_svg(const struct cli_call *c, const json_t *answer)
{
	struct moore_buf b = MOORE_BUF_INIT;
	int rc;

	if (!cli_opt(c, "svg"))
		return CLI_OK;
	put_svg(&b, answer);
	rc = cli_write(cli_opt(c, "svg"), &b);
	moore_buf_free(&b);
	return rc;
}

int
cmd_topo_compare(const struct cli_call *c)
{
	struct moore_topo_report r[TOPOLOGIES_MAX] = { { .t = NULL } };
	json_t *answer = NULL;
	size_t n = 0;
	int rc;

	if ((rc = measure_all(c, r, &n)) == CLI_OK)
		answer = moore_answer_topo_compare(r, n);
	if (rc == CLI_OK && answer)
		rc = write_svg(c, answer);
	if (rc == CLI_OK)
		rc = cli_show(c, answer, put_compared, NULL);
	else
		json_decref(answer);
	for (size_t i = 0; i < n; i++)
		moore_topo_free((struct moore_topo *)r[i].t);
	return rc;
}

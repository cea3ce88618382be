// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* shadow.c - the answer of `moorectl shadow` as lines and as a page: a table of the tables in
 * force beside moore's, then cables, the way there and back, and preconditions.
 *
 * A row of the table is a function of a verdict, which both sides have.  The page holds the same
 * lines as the terminal, with colours as classes, so the two cannot differ. */
#include <string.h>

#include "routes/shadow.h"
#include "svg.h"
#include "cabling/wire.h"

/* ---- the table ------------------------------------------------------------------------------ */

static void
cell_safe(struct cli_grid *g, const json_t *v, const json_t *shares)
{
	(void)shares;
	if (cli_yes(v, "sound"))
		cli_cell(g, CLI_GREEN "yes" CLI_PLAIN);
	else if (!cli_yes(v, "acyclic"))
		cli_cell(g, CLI_RED "NO" CLI_PLAIN ", packets can wait in a circle");
	else
		cli_cell(g, CLI_RED "NO" CLI_PLAIN ", some packets do not arrive");
}

static void
cell_unreachable(struct cli_grid *g, const json_t *v, const json_t *shares)
{
	(void)shares;
	cli_cell(g, "%lld of %lld", cli_int(v, "unreachable"), cli_int(v, "pairs"));
}

static void
cell_hops(struct cli_grid *g, const json_t *v, const json_t *shares)
{
	double sum = 0, n = 0;
	const char *hops;
	const json_t *count;
	const char *last = "-";

	(void)shares;
	json_object_foreach(json_object_get(v, "hops"), hops, count) {
		unsigned h = 0;

		for (const char *p = hops; *p >= '0' && *p <= '9'; p++)
			h = h * 10 + (unsigned)(*p - '0');
		sum += h * json_number_value(count);
		n += json_number_value(count);
		last = hops;
	}
	cli_cell(g, "%s, mean %.2f", last, n > 0 ? sum / n : 0);
}

static void
cell_vls(struct cli_grid *g, const json_t *v, const json_t *shares)
{
	struct moore_buf b = MOORE_BUF_INIT;
	const json_t *vl;
	size_t i;

	(void)shares;
	json_array_foreach(json_object_get(v, "vls"), i, vl)
		cli_putf(&b, "%s%lld", i ? " " : "", (long long)json_integer_value(vl));
	cli_cell(g, "%s", b.len ? b.data : "-");
	moore_buf_free(&b);
}

static void
cell_load(struct cli_grid *g, const json_t *v, const json_t *shares)
{
	(void)shares;
	cli_cell(g, "%.2f times the mean", cli_num(v, "max_over_mean_load"));
}

static void
cell_uniform(struct cli_grid *g, const json_t *v, const json_t *shares)
{
	(void)v;
	cli_cell(g, "%.1f %% of full rate", 100 * cli_num(shares, "uniform"));
}

static void
cell_worst(struct cli_grid *g, const json_t *v, const json_t *shares)
{
	(void)v;
	cli_cell(g, "%.1f %% of full rate", 100 * cli_num(shares, "worst"));
}

static const struct {
	const char *what;
	void (*cell)(struct cli_grid *g, const json_t *verdict, const json_t *shares);
} rows[] = {
	{ "free of deadlock", cell_safe }, { "pairs without route", cell_unreachable },
	{ "hops", cell_hops }, { "VLs in use", cell_vls }, { "greatest load", cell_load },
	{ "uniform traffic", cell_uniform }, { "worst traffic found", cell_worst },
};

/* What the counters say, in the unit of the predicted load above it; moore's is not in force. */
static void
add_measured(struct cli_grid *g, const json_t *counters)
{
	cli_cell(g, "measured load");
	if (cli_int(counters, "links_read") && cli_num(counters, "mean_load") > 0)
		cli_cell(g, "%.2f times the mean", cli_num(counters, "max_over_mean_load"));
	else
		cli_cell(g, json_is_null(counters) ? "not known" : "nothing was sent");
	cli_cell(g, "-");
}

static void
put_table(struct moore_buf *b, const json_t *o)
{
	static const struct cli_col col[] = {
		{ "", CLI_LEFT }, { "TODAY", CLI_LEFT }, { "MOORE", CLI_LEFT }, { 0 }
	};
	const json_t *moore = json_object_get(o, "moore");
	struct cli_grid g = CLI_GRID(col);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cli_cell(&g, "%s", rows[i].what);
		rows[i].cell(&g, json_object_get(o, "today"), json_object_get(o, "today_shares"));
		if (moore)
			rows[i].cell(&g, moore, json_object_get(o, "moore_shares"));
		else
			cli_cell(&g, "-");
		if (rows[i].cell == cell_load)
			add_measured(&g, json_object_get(o, "counters"));
	}
	cli_put_grid(b, &g);
}

/* ---- the rest ------------------------------------------------------------------------------- */

static void
put_fabric(struct moore_buf *b, const json_t *o)
{
	const json_t *today = json_object_get(o, "today"), *moore = json_object_get(o, "moore");
	const char *topology = cli_str(moore, "topology");

	cli_putf(b, "fabric         %lld switches, %lld endpoints, LMC %lld\n",
		 cli_int(today, "switches"), cli_int(today, "endpoints"), cli_int(o, "lmc"));
	cli_putf(b, "topology       %s\n", *topology ? topology : "not recognised");
}

static void
put_cables(struct moore_buf *b, const json_t *o)
{
	const json_t *cables = json_object_get(o, "cables"), *moore = json_object_get(o, "moore"), *d;
	const json_t *list = json_object_get(cables, "deviations");
	long long links = cli_int(moore, "missing_links"), switches = cli_int(moore, "missing_switches");
	size_t i;

	cli_putf(b, "\n");
	if (cables && !json_array_size(list))
		cli_putf(b, "cables         " CLI_GREEN "as planned" CLI_PLAIN "\n");
	json_array_foreach(list, i, d)
		cli_put_deviation(b, d);
	if (links || switches)
		cli_putf(b, "cables         " CLI_RED "%lld link%s and %lld switch%s of this topology are "
			 "missing" CLI_PLAIN "%s\n", links, MOORE_S(links), switches, MOORE_ES(switches), cables ? "" : "; --plan names them");
	else if (!cables)
		cli_putf(b, "cables         %s\n", *cli_str(moore, "topology") ?
			 CLI_GREEN "all links of this topology are there" CLI_PLAIN :
			 "not judged: no family is recognised; --plan compares them with a plan");
}

static void
put_busiest(struct moore_buf *b, const json_t *busiest)
{
	const json_t *l;
	size_t i;

	if (json_array_size(busiest))
		cli_putf(b, "most data      by port, beside what today's routes predict if all send evenly to all:\n");
	json_array_foreach(busiest, i, l) {
		cli_putf(b, "  ");
		cli_put_link(b, l);
		cli_putf(b, ": ");
		cli_put_bytes(b, cli_num(l, "bytes"));
		cli_putf(b, ", %.2f times the mean; predicted %.2f times\n", cli_num(l, "over_mean"),
			 cli_num(l, "predicted_over_mean"));
	}
}

static void
put_errors(struct moore_buf *b, const json_t *c)
{
	const json_t *list = json_object_get(c, "errors"), *port, *value;
	const long long n = cli_int(c, "ports_with_errors");
	const char *name;
	size_t i;

	if (!n) {
		cli_putf(b, "errors         " CLI_GREEN "none" CLI_PLAIN " at %lld ports\n", cli_int(c, "ports"));
		return;
	}
	cli_putf(b, "errors         " CLI_RED "%lld of %lld ports" CLI_PLAIN " counted errors%s\n", n,
		 cli_int(c, "ports"), (size_t)n > json_array_size(list) ? "; the first ones:" : ":");
	json_array_foreach(list, i, port) {
		const char *between = ": ";

		cli_putf(b, "  ");
		cli_put_link(b, port);
		json_object_foreach(json_object_get(port, "counters"), name, value) {
			cli_putf(b, "%s%s %lld", between, name, (long long)json_integer_value(value));
			between = ", ";
		}
		cli_putf(b, "\n");
	}
}

static void
put_counters(struct moore_buf *b, const json_t *o)
{
	const json_t *c = json_object_get(o, "counters");

	cli_putf(b, "\n");
	if (!c || json_is_null(c)) {
		cli_putf(b, "counters       not captured, so the load and errors of the links are not known: let "
			 "moored take the capture\n");
		return;
	}
	cli_putf(b, "counters       of %lld of %lld ports between switches, since their last reset",
		 cli_int(c, "links_read"), cli_int(c, "links"));
	if (cli_int(c, "at_ms"))
		cli_put_when(b, ", read %Y-%m-%d %H:%M:%S", cli_int(c, "at_ms"));
	cli_putf(b, "\n");
	put_busiest(b, json_object_get(c, "busiest"));
	put_errors(b, c);
}

static void
put_way(struct moore_buf *b, const char *heading, const json_t *way)
{
	const json_t *stages = json_object_get(way, "stages"), *s;
	size_t i;

	cli_putf(b, "\n%s\n", heading);
	json_array_foreach(stages, i, s) {
		if (json_array_size(stages) > 1)
			cli_putf(b, "stage %zu        %s\n", i + 1, !strcmp(cli_str(s, "lanes"), "one") ?
				 "every link counts as one lane, so that any SL to VL rows may be in force" :
				 "with moore's SL to VL rows in force");
		if (*cli_str(s, "why"))
			cli_putf(b, "steps          " CLI_RED "none" CLI_PLAIN ": %s\n", cli_str(s, "why"));
		else
			cli_put_table_steps(b, json_object_get(s, "steps"), CLI_STEPS_OF_LIDS);
	}
}

static void
put_writes(struct moore_buf *b, const json_t *o)
{
	const json_t *w = json_object_get(o, "writes");

	if (*cli_str(o, "why"))
		cli_putf(b, "moore          " CLI_RED "cannot route this fabric" CLI_PLAIN ": %s\n",
			 cli_str(o, "why"));
	if (!w)
		return;
	cli_putf(b, "changes        %lld of %lld LFT blocks, ", cli_int(w, "blocks"),
		 cli_int(w, "blocks_of"));
	if (json_is_null(json_object_get(w, "sl2vl_rows")))
		cli_putf(b, "%lld SL to VL rows, none of which is known\n", cli_int(w, "sl2vl_rows_of"));
	else
		cli_putf(b, "%lld of %lld SL to VL rows\n", cli_int(w, "sl2vl_rows"),
			 cli_int(w, "sl2vl_rows_of"));
	put_way(b, "from today's tables to moore's", json_object_get(o, "there"));
	put_way(b, "from moore's tables back to today's", json_object_get(o, "back"));
}

static void
put_preconditions(struct moore_buf *b, const json_t *o)
{
	const json_t *p, *met;
	size_t i;

	cli_putf(b, "\n");
	json_array_foreach(json_object_get(o, "preconditions"), i, p) {
		met = json_object_get(p, "met");
		cli_putf(b, "%-14s %s" CLI_PLAIN ": %s\n", cli_str(p, "what"), json_is_null(met) ?
			 CLI_YELLOW "not known" : json_is_true(met) ? CLI_GREEN "met" : CLI_RED "NOT met",
			 cli_str(p, "text"));
	}
}

void
cli_put_shadow(struct moore_buf *b, const json_t *o)
{
	put_fabric(b, o);
	cli_putf(b, "\n");
	put_table(b, o);
	put_counters(b, o);
	put_cables(b, o);
	put_writes(b, o);
	put_preconditions(b, o);
}

/* ---- the page ------------------------------------------------------------------------------- */

/* Appends the lines with their colour marks as elements. */
static void
put_marked(struct moore_buf *b, char *text)
{
	static const char *const element[] = { "<b class=\"bad\">", "<b class=\"good\">",
		"<b class=\"unsure\">", "</b>" };
	char *end;

	for (; *text; text = end) {
		char mark;

		end = text + strcspn(text, CLI_RED CLI_GREEN CLI_YELLOW CLI_PLAIN);
		mark = *end;
		*end = '\0';
		moore_buf_xml(b, text);
		*end = mark;
		if (mark)
			cli_putf(b, "%s", element[*end++ - CLI_RED[0]]);
	}
}

void
cli_put_shadow_html(struct moore_buf *b, const json_t *o, const char *title)
{
	struct moore_buf lines = MOORE_BUF_INIT;

	cli_put_shadow(&lines, o);
	cli_putf(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Shadow: ");
	moore_buf_xml(b, title);
	cli_putf(b, "</title>\n<style>body{font:14px sans-serif;margin:2em}pre{font:13px/1.4 monospace;"
		 "white-space:pre-wrap}.bad{color:#b00}.good{color:#060}.unsure{color:#850}</style></head>\n"
		 "<body>\n<h1>Shadow: ");
	moore_buf_xml(b, title);
	cli_putf(b, "</h1>\n<p>The tables in force beside those that moore computes for the same fabric. "
		 "Nothing was written to it.</p>\n<pre>");
	if (lines.data)
		put_marked(b, lines.data);
	cli_putf(b, "</pre>\n</body>\n</html>\n");
	b->oom |= lines.oom;
	moore_buf_free(&lines);
}

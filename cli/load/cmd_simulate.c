// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_simulate.c - `moorectl simulate`: one point for each routing, pattern and load, all at once. */
#include <stdlib.h>
#include <string.h>

#include "load/simulate.h"
#include "threads.h"

/* Runs all points; row[], point[] and result[] have room for them. */
static int
run_points(struct cli_simulation *s, struct moore_simulation *row, struct moore_sim_point *point,
	   struct moore_sim_result *result)
{
	const struct moore_jobs jobs = threads_lend(0);
	struct moore_err err;
	int rc;

	cli_busy("finding who sends to whom");
	for (size_t i = 0; i < s->n_points; i++)
		if ((rc = cli_simulation_point(s, i, &point[i], &row[i])) != CLI_OK)
			return rc;
	cli_busy("simulating");
	if (moore_simulate(result, point, s->n_points, &s->world->t, &s->o, &jobs, &err) < 0)
		return cli_error("%s", err.text);
	for (size_t i = 0; i < s->n_points; i++)
		row[i].result = result[i];
	return CLI_OK;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void
put_stall(struct moore_buf *b, const json_t *o)
{
	const json_t *stuck = json_object_get(o, "stuck");

	if (cli_yes(o, "stalled"))
		cli_putf(b, "  " CLI_RED "stalled" CLI_PLAIN ": %lld full buffers wait for each other, one at %s[%lld], "
			 "VL %lld\n", cli_int(stuck, "buffers"), cli_str(stuck, "switch"), cli_int(stuck, "port"),
			 cli_int(stuck, "vl"));
}

static void
put_trouble(struct moore_buf *b, const json_t *o)
{
	const json_t *lost = json_object_get(o, "first_drop");

	put_stall(b, o);
	if (cli_int(o, "dropped"))
		cli_putf(b, "  " CLI_RED "dropped" CLI_PLAIN ": %lld packets, the first at %s, for LID %lld\n",
			 cli_int(o, "dropped"), cli_str(lost, "switch"), cli_int(lost, "lid"));
}

/* Names the routings of the answer that are beyond static InfiniBand, and what no run models.  All patterns have the
 * same routings, so the rows of the first one have them all. */
static void
put_limits(struct moore_buf *b, const json_t *answer)
{
	const json_t *rows = json_object_get(answer, "rows"), *o;
	const char *pattern = cli_str(json_array_get(rows, 0), "pattern"), *last = "", *before = "";
	size_t i;

	json_array_foreach(rows, i, o)
		if (!cli_yes(o, "programmable") && strcmp(pattern, cli_str(o, "pattern")) == 0 &&
		    strcmp(last, cli_str(o, "routing")) != 0) {
			last = cli_str(o, "routing");
			cli_putf(b, "%s%s", *before ? before : "Beyond static InfiniBand: ", last);
			before = ", ";
		}
	cli_putf(b, "%s", *before ? ".\n" : "");
	before = "Not modelled: ";
	json_array_foreach(json_object_get(answer, "not_modelled"), i, o) {
		cli_putf(b, "%s%s", before, json_string_value(o));
		before = ", ";
	}
	cli_putf(b, ".\n");
}

static void
put_exchanges(struct moore_buf *b, const json_t *answer)
{
	const json_t *rows = json_object_get(answer, "rows"), *o;
	size_t i;

	cli_putf(b, "%lld switches, %lld nodes, %lld processes\n\n%-7s %-11s %-6s %14s %6s\n",
		 cli_int(answer, "switches"), cli_int(answer, "nodes"), cli_int(answer, "processes"), "routing",
		 "exchange", "placed", "completion ns", "share");
	json_array_foreach(rows, i, o) {
		cli_putf(b, "%-7s %-11s %-6s %14.0f %6.4f\n", cli_str(o, "routing"), cli_str(o, "pattern"),
			 cli_str(o, "placement"), cli_num(o, "completion_ns"), cli_num(o, "share"));
		put_trouble(b, o);
	}
	cli_putf(b, "\nshare: packets as a share of what the links of all nodes carry until completion.\n");
	put_limits(b, answer);
}

static void
put_phases(struct moore_buf *b, const json_t *row)
{
	const json_t *phases = json_object_get(row, "phases"), *p, *n;
	const char *why, *between = "";
	size_t i;

	cli_putf(b, "\n%s, %s, load %.3g, %s\n  %-8s %8s %8s %7s %6s %7s %6s %6s\n", cli_str(row, "routing"),
		 cli_str(row, "pattern"), cli_num(row, "load"), cli_str(row, "motion"), "phase", "until us", "accepted",
		 "mean ns", "p99 ns", "sent", "stale", "lost");
	json_array_foreach(phases, i, p) {
		long long lost = 0;

		json_object_foreach(json_object_get(p, "lost"), why, n)
			lost += json_integer_value(n);
		cli_putf(b, "  %-8s %8.1f %8.4f %7.0f %6.0f %7lld %6lld %6lld", cli_str(p, "name"),
			 cli_num(p, "to_ns") / 1000, cli_num(p, "accepted"), cli_num(p, "latency_mean"),
			 cli_num(p, "latency_p99"), cli_int(p, "made"), cli_int(p, "stale"), lost);
		between = "  ";
		json_object_foreach(json_object_get(p, "lost"), why, n)
			if (json_integer_value(n)) {
				cli_putf(b, "%s%s", between, why);
				between = ",";
			}
		cli_putf(b, "\n");
	}
	put_stall(b, row);
}

static void
put_changes(struct moore_buf *b, const json_t *answer)
{
	const json_t *rows = json_object_get(answer, "rows"), *o;
	size_t i;

	cli_putf(b, "%lld switches, %lld nodes, %lld processes\n", cli_int(answer, "switches"),
		 cli_int(answer, "nodes"), cli_int(answer, "processes"));
	json_array_foreach(rows, i, o)
		put_phases(b, o);
	cli_putf(b, "\naccepted: share of full rate; stale: packets that a row has forwarded which was\n"
		 "yet to change; lost: with the causes that `moorectl simulate --help` lists.\n");
	put_limits(b, answer);
}

/* True if the mean latency of a row has no interval because the run is too short, not because latency grows. */
static bool
is_short(const json_t *row)
{
	return json_is_null(json_object_get(row, "latency_ci")) && !cli_yes(row, "saturated") && !cli_yes(row, "stalled");
}

static void
put_rows(struct moore_buf *b, const json_t *answer)
{
	const json_t *rows = json_object_get(answer, "rows"), *o;
	const char *before = "\n";
	bool some_short = false;
	size_t i;

	cli_putf(b, "%lld switches, %lld nodes, %lld processes\n\n%-7s %-11s %-6s %5s %9s %6s %8s %8s %8s\n",
		 cli_int(answer, "switches"), cli_int(answer, "nodes"), cli_int(answer, "processes"), "routing",
		 "pattern", "placed", "load", "accepted", "+-", "mean ns", "p50 ns", "p99 ns");
	json_array_foreach(rows, i, o) {
		cli_putf(b, "%-7s %-11s %-6s %5.3g %8.4f%s %6.4f %8.0f%s%8.0f %8.0f\n", cli_str(o, "routing"),
			 cli_str(o, "pattern"), cli_str(o, "placement"), cli_num(o, "load"),
			 cli_num(o, "accepted"), cli_yes(o, "saturated") ? "*" : " ", cli_num(o, "accepted_ci"),
			 cli_num(o, "latency_mean"), is_short(o) ? "?" : " ", cli_num(o, "latency_p50"),
			 cli_num(o, "latency_p99"));
		some_short |= is_short(o);
		put_trouble(b, o);
	}
	json_array_foreach(rows, i, o)
		if (cli_num(o, "carried") > 0) {
			cli_putf(b, "%s%s, %s, load %.3g: shares of offsets with which the links carry %.4f\n",
				 before, cli_str(o, "routing"), cli_str(o, "pattern"), cli_num(o, "load"),
				 cli_num(o, "carried"));
			before = "";
		}
	cli_putf(b, "\nload, accepted: shares of full rate; +- is half of the 95 %% confidence interval.\n"
		 "*: less is accepted than offered, so latencies grow with the run.\n%s",
		 some_short ? "?: the interval of this mean is not known; run longer, with --length.\n" : "");
	put_limits(b, answer);
}

/* Returns whether a packet was lost while no link or row was changing: in each phase with an even number. */
static bool
loses_at_rest(const json_t *row)
{
	const json_t *phases = json_object_get(row, "phases"), *n;
	const char *why;

	for (size_t i = 0; i < json_array_size(phases); i += 2)
		json_object_foreach(json_object_get(json_array_get(phases, i), "lost"), why, n)
			if (json_integer_value(n))
				return true;
	return false;
}

static bool
in_trouble(const json_t *answer)
{
	const json_t *rows = json_object_get(answer, "rows"), *o;
	size_t i;

	json_array_foreach(rows, i, o)
		if (cli_yes(o, "stalled") || loses_at_rest(o) ||
		    (cli_int(o, "dropped") && !json_array_size(json_object_get(o, "phases"))))
			return true;
	return false;
}

static int
draw_floor(const struct cli_simulation *s, const struct moore_simulation *row)
{
	struct moore_buf b = MOORE_BUF_INIT;
	int rc = cli_sim_put_floor(s, row, &b);

	if (rc == CLI_OK)
		rc = cli_write(cli_opt(s->c, "floor"), &b);
	moore_buf_free(&b);
	return rc;
}

static int
show(struct cli_simulation *s, json_t *answer)
{
	const char *to = cli_opt(s->c, "svg");
	struct moore_buf b = MOORE_BUF_INIT;
	int rc = CLI_OK;

	if (answer && to) {
		cli_simulate_put_svg(&b, answer, s->n_loads, s->n_routings);
		rc = cli_write(to, &b);
		moore_buf_free(&b);
	}
	if (rc == CLI_OK)
		return cli_show(s->c, answer, s->exchange ? put_exchanges : s->cut.wanted ? put_changes : put_rows,
				in_trouble);
	json_decref(answer);
	return rc;
}

static int
simulate(struct cli_simulation *s)
{
	struct moore_simulation *row = calloc(s->n_points + 1, sizeof(*row));
	struct moore_sim_point *point = calloc(s->n_points + 1, sizeof(*point));
	struct moore_sim_result *result = calloc(s->n_points + 1, sizeof(*result));
	int rc = row && point && result ? run_points(s, row, point, result) : cli_error("out of memory");

	s->how.opts = &s->o;
	if (rc == CLI_OK && s->sent)
		rc = draw_floor(s, row);
	if (rc == CLI_OK)
		rc = show(s, moore_answer_simulate(s->world->t.f, row, s->n_points, &s->how));
	free(row);
	free(point);
	free(result);
	return rc;
}

int
cmd_simulate(const struct cli_call *c)
{
	struct cli_sim_world world = { .dumps = { NULL } };
	struct cli_simulation s;
	int rc;

	if (cli_opt(c, "svg") && cli_opt(c, "exchange"))
		return cli_misuse(c, "--svg: draws curves over the load, which --exchange has not");
	if (cli_opt(c, "svg") && cli_opt(c, "cut"))
		return cli_misuse(c, "--svg: draws means of a run, of which --cut changes the fabric");
	if ((rc = cli_simulation_options(&s, c)) == CLI_OK && (rc = cli_sim_world_load(c, NULL, &world)) == CLI_OK &&
	    (rc = cli_simulation_place(&s, &world)) == CLI_OK)
		rc = simulate(&s);
	cli_simulation_free(&s);
	cli_sim_world_free(&world);
	return rc;
}

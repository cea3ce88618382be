// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_quality.c - `moorectl quality`: how long, even and independent the routes are, and how
 * much traffic of a pattern they carry; of the tables in a directory of dumps, or of those
 * that the engine computes for a plan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "online.h"

#define STARTS 4		/* random ones of each search for the worst permutation; */
#define SEED 1			/* with this seed they are those of docs/measurements/layers.md */

/* ---- quality in words ----------------------------------------------------------------- */

/* The greatest number of hops of any route, at least 1. */
static int
last_hop(const json_t *offsets)
{
	const json_t *o, *n;
	const char *hops;
	int top = 1;
	size_t k;

	json_array_foreach(offsets, k, o)
		json_object_foreach(json_object_get(o, "hops"), hops, n)
			if (atoi(hops) > top)
				top = atoi(hops);
	return top;
}

static double
percent(const json_t *o, const char *which)
{
	return 100 * cli_num(json_object_get(json_object_get(o, "distance"), which), "longer_share");
}

static void
put_hops(struct moore_buf *b, const json_t *offsets)
{
	int top = last_hop(offsets);
	const json_t *o;
	char key[12];
	size_t k;

	cli_putf(b, "\npairs by hops, and the share with a route longer than their distance\noffset");
	for (int h = 1; h <= top; h++)
		cli_putf(b, "%8d%s", h, h == MOORE_HOPS_MAX ? "+" : "");
	cli_putf(b, "%9s %8s %11s %11s\n", "no route", "longer", "3 hops at 2", "longer at 2");
	json_array_foreach(offsets, k, o) {
		cli_putf(b, "%6zu", k);
		for (int h = 1; h <= top; h++) {
			snprintf(key, sizeof(key), "%d", h);
			cli_putf(b, "%8lld", cli_int(json_object_get(o, "hops"), key));
		}
		cli_putf(b, "%9lld %7.2f%% %10.2f%% %10.2f%%\n", cli_int(o, "no_route"),
			 percent(o, "all"), 100 * cli_num(o, "three_hops_at_two_share"),
			 percent(o, "at_two"));
	}
}

static void
put_spread(struct moore_buf *b, const json_t *s)
{
	cli_putf(b, "%8.6g %8.6g %8.6g %8.6g %8.6g %8.5g %9.2f\n", cli_num(s, "min"), cli_num(s, "q1"),
		 cli_num(s, "median"), cli_num(s, "q3"), cli_num(s, "max"), cli_num(s, "mean"),
		 cli_num(s, "max_over_mean"));
}

/* Appends the link with the greatest load, if there is one, with the offsets that load it so. */
static void
put_hottest(struct moore_buf *b, const json_t *load, const char *offsets)
{
	const json_t *hottest = json_object_get(load, "hottest");

	if (!json_is_object(hottest))
		return;
	cli_putf(b, "greatest on    ");
	cli_put_link(b, hottest);
	cli_putf(b, ": %s\n", offsets);
}

static void
put_load(struct moore_buf *b, const json_t *answer)
{
	const json_t *offsets = json_object_get(answer, "offsets"), *o;
	char name[32];
	size_t k;

	cli_putf(b, "\nload of %lld directed links: one unit from each switch to each LID\noffset %8s %8s %8s %8s %8s %8s %9s\n",
		 cli_int(answer, "directed_links"), "least", "q1", "median", "q3", "greatest", "mean",
		 "over mean");
	json_array_foreach(offsets, k, o) {
		cli_putf(b, "%6zu ", k);
		put_spread(b, json_object_get(o, "load"));
	}
	if (json_array_size(offsets) > 1) {
		cli_putf(b, "   all ");
		put_spread(b, json_object_get(answer, "load"));
	}
	json_array_foreach(offsets, k, o) {
		snprintf(name, sizeof(name), "offset %zu", k);
		put_hottest(b, json_object_get(o, "load"), name);
	}
	if (json_array_size(offsets) > 1)
		put_hottest(b, json_object_get(answer, "load"), "all");
}

static void
put_pairs(struct moore_buf *b, const json_t *answer)
{
	const json_t *all = json_object_get(json_object_get(answer, "distance"), "all"), *n;
	const json_t *worst = json_object_get(answer, "worst");
	const char *routes, *sep = "";
	long long pairs = cli_int(all, "pairs");

	cli_putf(b, "\nlonger         %.2f%% of pairs have a route longer than their distance in "
		 "some offset: %.2f%% at distance one, %.2f%% at two\n", percent(answer, "all"),
		 percent(answer, "at_one"), percent(answer, "at_two"));
	cli_putf(b, "disjoint       %s%.3f routes on average share no link, of %zu:",
		 cli_yes(answer, "exact") ? "" : "at least ", cli_num(answer, "mean_disjoint"),
		 json_array_size(json_object_get(answer, "offsets")));
	json_object_foreach(json_object_get(answer, "disjoint"), routes, n) {
		cli_putf(b, "%s %s for %.2f%%", sep, routes, pairs ?
			 100 * (double)json_integer_value(n) / (double)pairs : 0);
		sep = ",";
	}
	cli_putf(b, "\n");
	if (json_is_object(worst))
		cli_putf(b, "worst          %s to %s: %lld disjoint, the longest of %lld hops\n",
			 cli_str(worst, "switch"), cli_str(worst, "endpoint"),
			 cli_int(worst, "disjoint"), cli_int(worst, "hops"));
}

static void
put_quality(struct moore_buf *b, const json_t *answer)
{
	const json_t *d = json_object_get(answer, "distance");
	const json_t *offsets = json_object_get(answer, "offsets");
	long long all = cli_int(json_object_get(d, "all"), "pairs");
	long long one = cli_int(json_object_get(d, "at_one"), "pairs");
	long long two = cli_int(json_object_get(d, "at_two"), "pairs");

	cli_putf(b, "fabric         %lld switches, %lld of them with endpoints; %lld endpoints of %zu "
		 "LIDs\n", cli_int(answer, "switches"), cli_int(answer, "sources"),
		 cli_int(answer, "endpoints"), json_array_size(offsets));
	cli_putf(b, "pairs          %lld (switch, endpoint elsewhere): %lld at distance one, %lld "
		 "at two, %lld beyond\n", all, one, two, all - one - two);
	if (cli_int(answer, "partitioned"))
		cli_putf(b, "partitioned    " CLI_YELLOW "%lld pairs that no links connect" CLI_PLAIN
			 "\n", cli_int(answer, "partitioned"));
	put_hops(b, offsets);
	put_load(b, answer);
	put_pairs(b, answer);
}

/* ---- patterns of traffic in words ----------------------------------------------------- */

static void
put_bound(struct moore_buf *b, const char *what, const json_t *bound)
{
	cli_putf(b, "  %-28s %9.4g %11.2f%%", what, cli_num(bound, "load"),
		 100 * cli_num(bound, "throughput"));
	if (json_is_number(json_object_get(bound, "over_minimal")))
		cli_putf(b, " %10.2f", cli_num(bound, "over_minimal"));
	cli_putf(b, "\n");
}

static void
put_alone(struct moore_buf *b, const json_t *offsets)
{
	const json_t *o;
	char what[64];
	size_t k;

	json_array_foreach(offsets, k, o) {
		snprintf(what, sizeof(what), "offset %zu alone", k);
		if (json_is_object(o))
			put_bound(b, what, o);
		else
			cli_putf(b, "  %-28s some pairs have no route\n", what);
	}
}

static void
put_equal(struct moore_buf *b, const json_t *p)
{
	const json_t *global = json_object_get(p, "global"), *share;
	static const char what[] = "best shares, equal for all";
	size_t k;

	if (json_is_null(json_object_get(global, "load"))) {
		cli_putf(b, "  %-28s no offset has routes for all pairs\n", what);
		return;
	}
	put_bound(b, what, global);
	cli_putf(b, "    for each offset:");
	json_array_foreach(json_object_get(p, "shares"), k, share)
		cli_putf(b, " %.2f", json_number_value(share));
	cli_putf(b, "\n");
}

/* What only patterns other than uniform have: shares of each flow. */
static void
put_each_flow(struct moore_buf *b, const json_t *p)
{
	const json_t *first = json_object_get(p, "first_links");
	const json_t *last = json_object_get(p, "last_links");

	put_bound(b, "best shares of each flow", json_object_get(p, "pair"));
	put_bound(b, "upper bound", json_object_get(p, "bound"));
	cli_putf(b, "  distinct links of all routes of a switch:\n"
		 "    first: mean %.1f, fewest %lld; last: mean %.1f, fewest %lld\n", cli_num(first, "mean"),
		 cli_int(first, "least"), cli_num(last, "mean"), cli_int(last, "least"));
}

static void
put_pattern(struct moore_buf *b, const json_t *p)
{
	cli_putf(b, "%s: ", cli_str(p, "pattern"));
	if (!cli_int(p, "flows")) {
		if (cli_int(p, "unrouted"))
			cli_putf(b, CLI_YELLOW "none of its %lld flows has a route\n" CLI_PLAIN,
				 cli_int(p, "unrouted"));
		else
			cli_putf(b, "this pattern has no flows here: no switch has one to send to\n");
		return;
	}
	cli_putf(b, "%lld flows", cli_int(p, "flows"));
	if (cli_int(p, "idle"))
		cli_putf(b, ", %lld switch%s idle", cli_int(p, "idle"), MOORE_ES(cli_int(p, "idle")));
	if (cli_int(p, "unrouted"))
		cli_putf(b, CLI_YELLOW ", %lld more have no route" CLI_PLAIN, cli_int(p, "unrouted"));
	cli_putf(b, "\n  %-28s %9s %12s %10s\n", "", "load", "throughput", "times min");
	put_alone(b, json_object_get(p, "offsets"));
	put_bound(b, "all offsets evenly", json_object_get(p, "even"));
	put_equal(b, p);
	if (json_is_object(json_object_get(p, "pair")))
		put_each_flow(b, p);
	if (json_is_object(json_object_get(p, "hottest"))) {
		cli_putf(b, "  greatest on ");
		cli_put_link(b, json_object_get(p, "hottest"));
		cli_putf(b, "\n");
	}
}

/* Prints the worst of all patterns, and a line for each. */
static void
put_worst(struct moore_buf *b, const json_t *answer)
{
	const json_t *worst = json_object_get(answer, "worst"), *p;
	size_t i;

	if (json_is_null(worst))
		return;
	cli_putf(b, "worst          %.2f%% of full rate: %s (at most %.2f%%)\nfull link      ",
		 100 * cli_num(worst, "throughput"), cli_str(worst, "pattern"),
		 100 * cli_num(worst, "bound"));
	cli_put_link(b, json_object_get(worst, "hottest"));
	cli_putf(b, "\n\n%-14s %9s %9s %14s %9s %10s\n", "pattern", "flows", "idle",
		 "of full rate", "at most", "times min");
	json_array_foreach(json_object_get(answer, "patterns"), i, p) {
		const json_t *pair = json_object_get(p, "pair");

		cli_putf(b, "%-14s %9lld %9lld", cli_str(p, "pattern"), cli_int(p, "flows"),
			 cli_int(p, "idle"));
		if (cli_int(p, "flows"))
			cli_putf(b, " %13.2f%% %8.2f%%", 100 * cli_num(pair, "throughput"),
				 100 * cli_num(json_object_get(p, "bound"), "throughput"));
		if (cli_int(p, "flows") && json_is_number(json_object_get(pair, "over_minimal")))
			cli_putf(b, " %10.2f", cli_num(pair, "over_minimal"));
		cli_putf(b, "\n");
	}
	cli_putf(b, "\n");
}

static void
put_patterns(struct moore_buf *b, const json_t *answer)
{
	const json_t *p;
	size_t i;

	put_worst(b, answer);
	json_array_foreach(json_object_get(answer, "patterns"), i, p)
		put_pattern(b, p);
}

/* Measures the patterns that fit, with room for the answer in s and to. */
static int
measure_patterns(const struct cli_call *c, const struct moore_fabric *f,
		 const struct moore_lft *lft, struct moore_saturation *s, moore_swid *to)
{
	const bool uniform = !strcmp(cli_opt(c, "pattern"), "uniform");
	const struct moore_saturation_opts opts = { .seed = SEED, .starts = STARTS };
	struct moore_err err;
	size_t n = 0;

	for (enum moore_pattern p = 0; p < MOORE_N_PATTERNS; p++) {
		if (uniform != (p == MOORE_PATTERN_UNIFORM) || !moore_pattern_fits(f, p))
			continue;
		cli_busy(moore_pattern_name(p));
		if (moore_saturation_measure(&s[n], to + n * f->n_switches, f, lft, p, &opts, &err) < 0)
			return cli_error_at(c->arg[0], &err);
		n++;
	}
	return cli_show(c, moore_answer_patterns(f, s, to, n), put_patterns, NULL);
}

static int
saturate(const struct cli_call *c, const struct moore_fabric *f, const struct moore_lft *lft)
{
	struct moore_saturation *s = calloc(MOORE_N_PATTERNS, sizeof(*s));
	moore_swid *to = calloc(MOORE_N_PATTERNS * ((size_t)f->n_switches + 1), sizeof(*to));
	int rc = s && to ? measure_patterns(c, f, lft, s, to) : cli_error("out of memory");

	free(to);
	free(s);
	return rc;
}

/* ---- the verb ---------------------------------------------------------------------- */

static int
measure(const struct cli_call *c, const struct moore_fabric *f, const struct moore_lft *lft)
{
	const char *svg = cli_opt(c, "svg");
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_quality *q = NULL;
	struct moore_err err;
	int rc = CLI_OK;

	if (cli_opt(c, "pattern"))
		return saturate(c, f, lft);
	cli_busy("measuring");
	if (moore_quality_measure(&q, f, lft, &err) < 0)
		return cli_error_at(c->arg[0], &err);
	if (svg) {
		cli_put_quality_svg(&b, q);
		rc = cli_write(svg, &b);
		moore_buf_free(&b);
	}
	if (rc == CLI_OK)
		rc = cli_show(c, moore_answer_quality(f, q), put_quality, NULL);
	moore_quality_free(q);
	return rc;
}

static int
measure_dumps(const struct cli_call *c)
{
	static const char *const for_plans[] = { "lmc", "conf", "profile", "layers", "fail",
		"fail-share" };
	struct cli_tables t = { NULL };
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(for_plans); i++)
		if (cli_opt(c, for_plans[i]))
			return cli_misuse(c, "--%s: %s is a directory of tables, which are judged "
					  "as they are: give a plan", for_plans[i], c->arg[0]);
	if ((rc = cli_load_tables(c->arg[0], &t)) == CLI_OK)
		rc = measure(c, t.f, t.lft);
	cli_tables_free(&t);
	return rc;
}

int
cmd_quality(const struct cli_call *c)
{
	const char *pattern = cli_opt(c, "pattern");
	struct cli_routing r;
	int rc;

	if (pattern && strcmp(pattern, "uniform") && strcmp(pattern, "worst"))
		return cli_misuse(c, "--pattern %s: no such pattern: it is uniform or worst", pattern);
	if (pattern && cli_opt(c, "svg"))
		return cli_misuse(c, "--svg: cannot draw a --pattern: leave one of them out");
	if (!cli_opt(c, "fail-share") && (cli_opt(c, "draws") || cli_opt(c, "seed") || cli_opt(c, "drawn")))
		return cli_misuse(c, "--draws, --seed, --drawn: they are of the links of --fail-share: give it "
				  "too");
	if (cli_opt(c, "fail-share") && (pattern || cli_opt(c, "svg")))
		return cli_misuse(c, "--fail-share: prints figures of its own: leave --pattern and --svg "
				  "out");
	if (cli_is_tables(c->arg[0]))
		return measure_dumps(c);
	if (cli_opt(c, "fail-share"))
		return cli_quality_draws(c);
	if ((rc = cli_route_plan(c, &r)) == CLI_OK)
		rc = measure(c, r.seen, r.result->lft);
	cli_routing_free(&r);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_quality.c - `moorectl quality`: how long, how even and how independent the
 * routes are that a directory of dumps holds or that a plan would get, and how
 * much traffic of a pattern they carry. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

static double
share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static double
over_mean(const struct moore_link_load *s)
{
	return s->mean > 0 ? s->max / s->mean : 0;
}

static int
last_hop(const struct moore_quality *q)
{
	int top = 1;

	for (uint32_t k = 0; k < q->n_offsets; k++)
		for (int h = 0; h <= MOORE_HOPS_MAX; h++)
			if (q->offset[k].hops[h] && h > top)
				top = h;
	return top;
}

/* ---- text -------------------------------------------------------------------------- */

static void
put_hops(struct moore_buf *b, const struct moore_quality *q)
{
	int top = last_hop(q);

	cli_putf(b, "\npairs by hops, and of these longer than their distance\noffset");
	for (int h = 1; h <= top; h++)
		cli_putf(b, "%9d%s", h, h == MOORE_HOPS_MAX ? "+" : "");
	cli_putf(b, "%10s %8s %11s %11s\n", "no route", "longer", "3 hops of 2", "longer of 2");
	for (uint32_t k = 0; k < q->n_offsets; k++) {
		const struct moore_quality_offset *o = &q->offset[k];

		cli_putf(b, "%6u", k);
		for (int h = 1; h <= top; h++)
			cli_putf(b, "%9llu", (unsigned long long)o->hops[h]);
		cli_putf(b, "%10llu %7.2f%% %10.2f%% %10.2f%%\n", (unsigned long long)o->no_route,
			 100 * share(o->pairs.longer[0], o->pairs.n[0]),
			 100 * share(o->three_hops, o->pairs.n[2]),
			 100 * share(o->pairs.longer[2], o->pairs.n[2]));
	}
}

static void
put_spread(struct moore_buf *b, const struct moore_fabric *f, const struct moore_link_load *s)
{
	cli_putf(b, "%8.6g %8.6g %8.6g %8.6g %8.6g %8.5g %9.2f", s->min, s->q1, s->median, s->q3,
		 s->max, s->mean, over_mean(s));
	if (s->max > 0) {
		cli_putf(b, "  %s[%u] -> ", f->sw[s->sw].name, s->port);
		cli_put_peer(b, f, s->sw, s->port);
	}
	cli_putf(b, "\n");
}

static void
put_load(struct moore_buf *b, const struct moore_fabric *f, const struct moore_quality *q)
{
	cli_putf(b, "\nload of the %u directed links between switches: one unit from each switch "
		 "to each LID\noffset %8s %8s %8s %8s %8s %8s %9s  %s\n", q->n_links, "least", "q1",
		 "median", "q3", "greatest", "mean", "over mean", "greatest on");
	for (uint32_t k = 0; k < q->n_offsets; k++) {
		cli_putf(b, "%6u ", k);
		put_spread(b, f, &q->offset[k].load);
	}
	if (q->n_offsets == 1)
		return;
	cli_putf(b, "   all ");
	put_spread(b, f, &q->load);
}

static void
put_pairs(struct moore_buf *b, const struct moore_fabric *f, const struct moore_quality *q)
{
	const struct moore_quality_pairs *p = &q->pairs;
	const char *sep = "";

	cli_putf(b, "\nlonger         %.2f%% of pairs have a route longer than their distance in "
		 "some offset: %.2f%% at distance one, %.2f%% at two\n",
		 100 * share(p->longer[0], p->n[0]), 100 * share(p->longer[1], p->n[1]),
		 100 * share(p->longer[2], p->n[2]));
	cli_putf(b, "disjoint       %s%.3f routes on average share no link, of %u:",
		 q->exact ? "" : "at least ", q->mean_disjoint, q->n_offsets);
	for (uint32_t n = 0; n <= q->n_offsets; n++)
		if (q->disjoint[n]) {
			cli_putf(b, "%s %u for %.2f%%", sep, n, 100 * share(q->disjoint[n], p->n[0]));
			sep = ",";
		}
	cli_putf(b, "\n");
	if (q->worst_sw != MOORE_NONE)
		cli_putf(b, "worst          %s to %s: %u disjoint, the longest of %u hops\n",
			 f->sw[q->worst_sw].name, f->ep[q->worst_ep].name, q->worst_disjoint,
			 q->worst_hops);
}

static int
answer_text(const struct moore_fabric *f, const struct moore_quality *q)
{
	struct moore_buf b = MOORE_BUF_INIT;
	const struct moore_quality_pairs *p = &q->pairs;

	cli_putf(&b, "fabric         %u switches, %u of them with endpoints; %u endpoints of %u "
		 "LIDs\n", f->n_switches, q->n_sources, q->n_endpoints, q->n_offsets);
	cli_putf(&b, "pairs          %llu (switch, endpoint elsewhere): %llu at distance one, %llu "
		 "at two, %llu beyond\n", (unsigned long long)p->n[0], (unsigned long long)p->n[1],
		 (unsigned long long)p->n[2], (unsigned long long)(p->n[0] - p->n[1] - p->n[2]));
	if (q->partitioned)
		cli_putf(&b, "partitioned    " CLI_YELLOW "%llu pairs that no link joins" CLI_PLAIN
			 "\n", (unsigned long long)q->partitioned);
	put_hops(&b, q);
	put_load(&b, f, q);
	put_pairs(&b, f, q);
	return cli_print_text(&b);
}

/* ---- JSON -------------------------------------------------------------------------- */

static json_t *
json_count(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *
json_pairs(const struct moore_quality_pairs *p)
{
	static const char *const key[] = { "all", "at_one", "at_two" };
	json_t *o = json_object();

	for (int d = 0; d < 3; d++)
		json_object_set_new(o, key[d], json_pack("{s:o, s:o, s:f}", "pairs",
			json_count(p->n[d]), "longer", json_count(p->longer[d]),
			"longer_share", share(p->longer[d], p->n[d])));
	return o;
}

static json_t *
json_spread(const struct moore_fabric *f, const struct moore_link_load *s)
{
	json_t *on = json_null();

	if (s->max > 0)
		on = json_pack("{s:o, s:i, s:o}", "switch", cli_json_name(f->sw[s->sw].name),
			       "port", s->port, "peer", cli_json_peer(f, s->sw, s->port));
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "min", s->min, "q1", s->q1,
			 "median", s->median, "q3", s->q3, "max", s->max, "mean", s->mean,
			 "max_over_mean", over_mean(s), "hottest", on);
}

/* Counts by number, those that are 0 left out. */
static json_t *
json_histogram(const uint64_t *count, uint32_t last)
{
	json_t *o = json_object();
	char key[12];

	for (uint32_t i = 0; i <= last; i++)
		if (count[i]) {
			snprintf(key, sizeof(key), "%u", i);
			json_object_set_new(o, key, json_count(count[i]));
		}
	return o;
}

static int
answer_json(const struct moore_fabric *f, const struct moore_quality *q)
{
	json_t *list = json_array(), *worst = json_null();

	for (uint32_t k = 0; k < q->n_offsets; k++) {
		const struct moore_quality_offset *o = &q->offset[k];

		json_array_append_new(list, json_pack("{s:i, s:o, s:o, s:o, s:f, s:o, s:o}",
			"offset", (int)k, "hops", json_histogram(o->hops, MOORE_HOPS_MAX),
			"no_route", json_count(o->no_route),
			"three_hops_at_two", json_count(o->three_hops),
			"three_hops_at_two_share", share(o->three_hops, o->pairs.n[2]),
			"distance", json_pairs(&o->pairs), "load", json_spread(f, &o->load)));
	}
	if (q->worst_sw != MOORE_NONE)
		worst = json_pack("{s:o, s:o, s:i, s:i}", "switch",
				  cli_json_name(f->sw[q->worst_sw].name), "endpoint",
				  cli_json_name(f->ep[q->worst_ep].name), "disjoint",
				  (int)q->worst_disjoint, "hops", (int)q->worst_hops);
	return cli_print_json(json_pack("{s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:f, s:b, s:o}",
		"switches", (int)f->n_switches, "sources", (int)q->n_sources,
		"endpoints", (int)q->n_endpoints, "links", (int)q->n_links,
		"partitioned", json_count(q->partitioned), "offsets", list,
		"load", json_spread(f, &q->load), "distance", json_pairs(&q->pairs),
		"disjoint", json_histogram(q->disjoint, q->n_offsets),
		"mean_disjoint", q->mean_disjoint, "exact", q->exact, "worst", worst));
}

/* ---- throughput ---------------------------------------------------------------------- */

static bool
is_uniform(const struct moore_saturation *s)
{
	return s->pattern == MOORE_PATTERN_UNIFORM;
}

static void
put_bound(struct moore_buf *b, const char *what, const struct moore_saturation *s, double load)
{
	cli_putf(b, "  %-28s %9.4g %11.2f%%", what, load, 100 * moore_throughput(load));
	if (s->alone[0] > 0 && load > 0)
		cli_putf(b, " %10.2f", s->alone[0] / load);
	cli_putf(b, "\n");
}

static void
put_saturation(struct moore_buf *b, const struct moore_fabric *f, const struct moore_saturation *s)
{
	char what[64];

	cli_putf(b, "%s: %u flows", moore_pattern_name(s->pattern), s->n_flows);
	if (s->idle)
		cli_putf(b, ", %u switches idle", s->idle);
	cli_putf(b, "\n  %-28s %9s %12s %10s\n", "", "load", "throughput", "times min");
	for (uint32_t k = 0; k < s->n_offsets; k++) {
		snprintf(what, sizeof(what), "offset %u alone", k);
		if (s->alone[k] > 0)
			put_bound(b, what, s, s->alone[k]);
		else
			cli_putf(b, "  %-28s it lacks routes\n", what);
	}
	put_bound(b, "all evenly", s, s->even);
	put_bound(b, "best shares, for all alike", s, s->global);
	cli_putf(b, "    these are:");
	for (uint32_t k = 0; k < s->n_offsets; k++)
		cli_putf(b, " %.2f", s->share[k]);
	cli_putf(b, "\n");
	if (!is_uniform(s)) {
		put_bound(b, "best shares of each flow", s, s->pair);
		put_bound(b, "no shares beat", s, s->pair_bound);
		cli_putf(b, "  of all routes of a switch, distinct first links: mean %.1f, fewest %u; "
			 "last links: mean %.1f, fewest %u\n", s->first.mean, s->first.least,
			 s->last.mean, s->last.least);
	}
	if (s->hot_sw != MOORE_NONE) {
		cli_putf(b, "  greatest on %s[%u] -> ", f->sw[s->hot_sw].name, s->hot_port);
		cli_put_peer(b, f, s->hot_sw, s->hot_port);
		cli_putf(b, "\n");
	}
}

static json_t *
json_bound(const struct moore_saturation *s, double load)
{
	return json_pack("{s:f, s:f, s:o}", "load", load, "throughput", moore_throughput(load),
			 "over_minimal", s->alone[0] > 0 && load > 0 ?
			 json_real(s->alone[0] / load) : json_null());
}

static json_t *
json_ways(const struct moore_saturation *s, const struct moore_ways *w)
{
	return is_uniform(s) ? json_null() :
	       json_pack("{s:f, s:i}", "mean", w->mean, "least", (int)w->least);
}

static json_t *
json_saturation(const struct moore_fabric *f, const struct moore_saturation *s)
{
	json_t *alone = json_array(), *share = json_array(), *on = json_null();

	for (uint32_t k = 0; k < s->n_offsets; k++) {
		json_array_append_new(alone, s->alone[k] > 0 ? json_bound(s, s->alone[k]) :
				      json_null());
		json_array_append_new(share, json_real(s->share[k]));
	}
	if (s->hot_sw != MOORE_NONE)
		on = json_pack("{s:o, s:i, s:o}", "switch", cli_json_name(f->sw[s->hot_sw].name),
			       "port", s->hot_port, "peer", cli_json_peer(f, s->hot_sw, s->hot_port));
	return json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "pattern", moore_pattern_name(s->pattern), "flows", (int)s->n_flows,
			 "idle", (int)s->idle, "offsets", alone, "even", json_bound(s, s->even),
			 "global", json_bound(s, s->global), "shares", share,
			 "pair", is_uniform(s) ? json_null() : json_bound(s, s->pair),
			 "bound", is_uniform(s) ? json_null() : json_bound(s, s->pair_bound),
			 "hottest", on, "first_links", json_ways(s, &s->first),
			 "last_links", json_ways(s, &s->last));
}

static int
saturate(const struct cli_call *c, const struct moore_fabric *f, const struct moore_lft *lft)
{
	bool uniform = !strcmp(cli_opt(c, "pattern"), "uniform");
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *list = json_array();
	struct moore_saturation s;
	struct moore_err err;

	cli_busy("measuring");
	for (int p = 0; p < MOORE_N_PATTERNS; p++) {
		if (uniform != (p == MOORE_PATTERN_UNIFORM) || !moore_pattern_fits(f, p))
			continue;
		if (moore_saturation_measure(&s, f, lft, p, &err) < 0) {
			moore_buf_free(&b);
			json_decref(list);
			return cli_error_at(c->arg[0], &err);
		}
		put_saturation(&b, f, &s);
		json_array_append_new(list, json_saturation(f, &s));
	}
	if (!c->json) {
		json_decref(list);
		return cli_print_text(&b);
	}
	moore_buf_free(&b);
	return cli_print_json(list);
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
		rc = c->json ? answer_json(f, q) : answer_text(f, q);
	moore_quality_free(q);
	return rc;
}

static int
measure_dumps(const struct cli_call *c)
{
	static const char *const for_plans[] = { "lmc", "conf", "profile", "layers", "fail" };
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
	struct stat st;
	int rc;

	if (pattern && strcmp(pattern, "uniform") && strcmp(pattern, "worst"))
		return cli_misuse(c, "--pattern %s: no such pattern: it is uniform or worst", pattern);
	if (pattern && cli_opt(c, "svg"))
		return cli_misuse(c, "--svg: there is no picture of a --pattern: leave one out");
	if (stat(c->arg[0], &st) == 0 && S_ISDIR(st.st_mode))
		return measure_dumps(c);
	if ((rc = cli_route_plan(c, &r)) == CLI_OK)
		rc = measure(c, r.seen, r.result->lft);
	cli_routing_free(&r);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_shadow.c - `moorectl shadow`: what the engine would program, beside the tables in force.
 *
 * It runs the checker on the tables that were read, the engine on the fabric that was read, and
 * finds the steps from one to the other and back.  Nothing is written but the page of --html.
 *
 * Where SL to VL rows change, the plugin goes there in two stages (opensm-plugin/lanes.c): first
 * to routes that are safe on one lane, whatever the rows are, and when the rows are set, to those
 * that rely on all lanes.  The way back is the same, reversed. */
#include <stdlib.h>
#include <string.h>

#include "design/report.h"
#include "routes/live.h"
#include "routes/shadow.h"
#include "threads.h"
#include "cabling/wire.h"

struct shadow {
	const char *from;
	struct cli_tables was;
	struct moore_buf file;		/* of the capture, whose members lie in it */
	struct moore_capture capture;
	struct moore_plan *plan;
	struct moore_seen *cables;
	struct moore_links *links;
	struct moore_conf conf;
	struct moore_jobs jobs;
	struct moore_check_opts asked;
	struct moore_verdict *verdict;
	struct moore_dangling dangling;
	struct moore_engine_result *result;
	struct moore_route_stats stats;
	struct moore_churn churn;
	struct moore_fabric *narrow;	/* the same fabric with one lane on each link, */
	struct moore_engine_result *one;	/* and its routes; NULL when no row changes */
	struct cli_table_steps way[2][MOORE_SHADOW_STAGES];	/* there, back */
	struct moore_err no_way[2][MOORE_SHADOW_STAGES];
	struct moore_predicted predicted;	/* of today's tables, if there are counters */
	struct moore_wire *wire;
	struct moore_err why;		/* the engine cannot route */
	struct moore_shadow x;
};

/* ---- reading ---------------------------------------------------------------------------- */

static int
load(const struct cli_call *c, struct shadow *s)
{
	const char *plan = cli_opt(c, "plan"), *conf = cli_opt(c, "conf");
	uint64_t at;
	int rc;

	moore_conf_defaults(&s->conf);
	cli_busy("reading");
	if ((conf && (rc = cli_load_conf(conf, &s->conf)) != CLI_OK) ||
	    (rc = cli_conf_options(c, &s->conf)) != CLI_OK ||
	    (rc = cli_load_links(&s->conf, &s->links)) != CLI_OK ||
	    (plan && (rc = cli_load_plan(plan, &s->plan)) != CLI_OK) ||
	    (rc = c->n_args ? cli_load_tables(s->from, &s->was) :
	     cli_load_live(c, "moorectl shadow CAPTURE|DIR", &s->was, &at)) != CLI_OK ||
	    (rc = cli_set_op_vls(c, &s->was)) != CLI_OK ||
	    (plan && (rc = c->n_args ? cli_load_seen(s->from, &s->cables) :
		      cli_ask_seen(c, &s->cables)) != CLI_OK))
		return rc;
	if (!c->n_args || !cli_is_capture(s->from))
		return CLI_OK;
	rc = cli_open_capture(s->from, &s->file, &s->capture);
	s->x.capture = rc == CLI_OK ? &s->capture : NULL;
	return rc;
}

/* ---- computing -------------------------------------------------------------------------- */

/* The tables in force: what they do, and whether the cables are those of the plan. */
static int
judge_today(struct shadow *s)
{
	const struct cli_tables *t = &s->was;
	struct moore_err err;

	cli_busy("checking");
	s->asked = (struct moore_check_opts){ .jobs = &s->jobs, .sl_set = t->sl_set };
	moore_lft_dangling(t->f, t->lft, &s->dangling);
	if (moore_check(&s->verdict, t->f, t->lft, t->sl2vl, t->mft, &s->asked, &err) < 0 ||
	    (s->plan && moore_wire_check(&s->wire, s->plan, s->cables, &err) < 0))
		return cli_error_at(s->from, &err);
	return CLI_OK;
}

/* The tables that the engine computed, with these lanes, on this fabric. */
static struct cli_tables
tables_of(const struct moore_engine_result *r, struct moore_fabric *f, struct moore_sl2vl *sl2vl)
{
	return (struct cli_tables){ .f = f, .lft = (struct moore_lft *)r->lft, .sl2vl = sl2vl,
		.sl_set = r->sl_set };
}

/* Returns CLI_FOUND, with s->why, if the engine cannot route f. */
static int
route(struct shadow *s, const struct moore_fabric *f, struct moore_engine_result **out)
{
	int rc = moore_engine_run(out, f, s->plan, &s->conf, NULL, NULL, &s->why);

	if (rc == -MOORE_ENOMEM)
		return cli_error_at(s->from, &s->why);
	return rc < 0 ? CLI_FOUND : CLI_OK;
}

static int
run_engine(struct shadow *s)
{
	int rc;

	cli_busy("routing");
	if ((rc = route(s, s->was.f, &s->result)) == CLI_OK)
		moore_route_stats(s->result->route, &s->stats);
	return rc;
}

/* Routes the fabric as if each link had one lane. */
static int
run_narrow(struct shadow *s)
{
	if (moore_fabric_copy(&s->narrow, s->was.f, &s->why) < 0)
		return cli_error_at(s->from, &s->why);
	for (uint32_t i = 0; i < s->narrow->n_ports; i++)
		if (s->narrow->port[i].role)
			s->narrow->port[i].lanes = 1;
	return route(s, s->narrow, &s->one);
}

static int
find_stage(struct shadow *s, unsigned stage, const struct cli_tables *was,
	   const struct cli_tables *now)
{
	const unsigned back = s->x.n_stages - 1 - stage;
	const int rc[2] = {
		cli_try_table_steps(&s->way[0][stage], s->from, was, now, &s->no_way[0][stage]),
		cli_try_table_steps(&s->way[1][back], s->from, now, was, &s->no_way[1][back]),
	};

	return rc[0] == CLI_FAIL || rc[1] == CLI_FAIL ? CLI_FAIL : CLI_OK;
}

static int
find_stages(struct shadow *s)
{
	struct cli_tables all = tables_of(s->result, s->was.f, s->result->sl2vl), was = s->was, one;
	int rc;

	s->x.n_stages = s->x.lanes.changed ? 2 : 1;
	if (!s->x.lanes.changed)
		return find_stage(s, 0, &s->was, &all);
	if ((rc = run_narrow(s)) != CLI_OK)
		return rc;
	was.f = s->narrow;
	one = tables_of(s->one, s->narrow, s->one->sl2vl);
	if ((rc = find_stage(s, 0, &was, &one)) != CLI_OK)
		return rc;
	one = tables_of(s->one, s->was.f, s->result->sl2vl);
	return find_stage(s, 1, &one, &all);
}

/* What is written, and the steps there and back. */
static int
find_way(struct shadow *s)
{
	struct moore_err err;
	int rc;

	moore_sl2vl_churn(&s->x.lanes, s->was.f, s->was.sl2vl, s->result->sl2vl);
	if (moore_churn(&s->churn, s->was.f, s->was.lft, s->result->lft, &err) < 0)
		return cli_error_at(s->from, &err);
	rc = find_stages(s);
	if (rc == CLI_FOUND) {		/* not even on one lane */
		moore_engine_result_free(s->result);
		s->result = NULL;
		rc = CLI_OK;
	}
	return rc;
}

static int
find_worst(struct shadow *s)
{
	const struct moore_lft *lft[2] = { s->was.lft, s->result ? s->result->lft : NULL };
	struct moore_err err;

	cli_busy("searching the worst traffic");
	for (int i = 0; i < 2 && lft[i]; i++)
		if (cli_worst_share(&s->x.shares[i].uniform, &s->x.shares[i].worst, s->was.f, lft[i], 0,
				    &err) < 0)
			return cli_error_at(s->from, &err);
	return CLI_OK;
}

/* Predicts the load of today's tables, to stand beside what the counters say. */
static int
predict_today(struct shadow *s)
{
	const struct moore_fabric *f = s->was.f;
	moore_epid *node = malloc(((size_t)f->n_endpoints + 1) * sizeof(*node));
	const struct moore_predict_opts o = { .routing = MOORE_ROUTING_TABLES, .lft = s->was.lft,
		.jobs = &s->jobs };
	struct moore_traffic t = { .uniform = true, .node = node };
	struct moore_err err;
	int rc = node ? 0 : moore_fail_nomem(&err);

	cli_busy("predicting");
	for (moore_epid e = 0; rc == 0 && e < f->n_endpoints; e++)
		if (f->ep[e].sw != MOORE_NONE)
			node[t.n_nodes++] = e;
	if (rc == 0)
		rc = moore_predict(&s->predicted, f, &t, &o, &err);
	free(node);
	return rc < 0 ? cli_error_at(s->from, &err) : CLI_OK;
}

static int
compute(struct shadow *s)
{
	int rc;

	s->jobs = threads_lend(s->conf.threads);
	s->conf.jobs = &s->jobs;
	if ((rc = judge_today(s)) != CLI_OK ||
	    (s->was.counted && (rc = predict_today(s)) != CLI_OK))
		return rc;
	if ((rc = run_engine(s)) == CLI_OK)
		rc = find_way(s);
	return rc == CLI_FAIL ? rc : find_worst(s);
}

/* ---- the verb --------------------------------------------------------------------------- */

static int
show(const struct cli_call *c, struct shadow *s)
{
	const char *html = cli_opt(c, "html");
	struct moore_buf page = MOORE_BUF_INIT;
	json_t *answer;
	int rc = CLI_OK;

	s->x.today = cli_answer_tables(&s->was);
	s->x.asked = &s->asked;
	s->x.verdict = s->verdict;
	s->x.dangling = &s->dangling;
	s->x.counted = s->was.counted;
	s->x.predicted = s->predicted.load;
	s->x.wire = s->wire;
	s->x.planned = s->plan;
	s->x.result = s->result;
	s->x.stats = &s->stats;
	s->x.why = s->why.text;
	s->x.churn = &s->churn;
	for (unsigned i = 0; i < 2 * s->x.n_stages; i++) {
		struct moore_shadow_stage *to = &s->x.stage[i % 2][i / 2];

		*to = (struct moore_shadow_stage){ s->way[i % 2][i / 2].steps,
			s->no_way[i % 2][i / 2].text };
	}
	answer = moore_answer_shadow(&s->x);
	if (html && answer) {
		cli_put_shadow_html(&page, answer, cli_file_name(s->from));
		rc = cli_write(html, &page);
		moore_buf_free(&page);
	}
	if (rc == CLI_OK)
		return cli_show(c, answer, cli_put_shadow, cli_not_ok);
	json_decref(answer);
	return rc;
}

int
cmd_shadow(const struct cli_call *c)
{
	struct shadow s = { .from = c->n_args ? c->arg[0] : "moored", .file = MOORE_BUF_INIT };
	int rc = load(c, &s);

	if (rc == CLI_OK && (rc = compute(&s)) == CLI_OK)
		rc = show(c, &s);
	for (int i = 0; i < 2 * MOORE_SHADOW_STAGES; i++)
		cli_table_steps_free(&s.way[i % 2][i / 2]);
	moore_engine_result_free(s.one);
	moore_fabric_free(s.narrow);
	moore_wire_free(s.wire);
	free(s.predicted.load);
	moore_seen_free(s.cables);
	moore_engine_result_free(s.result);
	moore_verdict_free(s.verdict);
	moore_links_free(s.links);
	moore_plan_free(s.plan);
	moore_buf_free(&s.file);
	cli_tables_free(&s.was);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_steps.c - `moorectl plan steps`: an order of moves from one plan to another
 * that keeps the fabric running, and what the fabric is worth at each step. */
#include <stdlib.h>
#include <string.h>

#include "online.h"
#include "threads.h"

struct work {
	struct moore_plan *old, *new, *present;
	struct moore_conf conf;
	struct moore_jobs jobs;		/* conf.jobs */
	uint64_t lmc, max_cables;
	struct moore_steps *steps;
	struct moore_step_judged *step;	/* n_steps of them */
};

/* ---- input ------------------------------------------------------------------------------ */

/* A plan begins with a brace, and ibnetdiscover's output never does. */
static int
load_state(const char *path, struct moore_plan **out)
{
	const struct moore_plan_format *seen = moore_plan_format_find("ibnetdiscover");
	struct moore_buf text;
	struct moore_err err;
	int rc = cli_read(path, &text);

	if (rc != CLI_OK)
		return rc;
	rc = text.len && text.data[strspn(text.data, " \t\r\n")] == '{' ?
	     moore_plan_parse(out, text.data, text.len, &err) :
	     seen->parse(out, text.data, text.len, &err);
	moore_buf_free(&text);
	return rc < 0 ? cli_error_at(path, &err) : CLI_OK;
}

static int
load(const struct cli_call *c, struct work *w)
{
	const char *conf = cli_opt(c, "conf"), *state = cli_opt(c, "state");
	int rc;

	moore_conf_defaults(&w->conf);
	if (!cli_opt(c, "max-cables"))
		return cli_misuse(c, "--max-cables K is missing: how many cables may be unplugged at a time?");
	if ((rc = cli_opt_u64(c, "max-cables", 1, 1000000, &w->max_cables)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "lmc", 0, 7, &w->lmc)) != CLI_OK ||
	    (conf && (rc = cli_load_conf(conf, &w->conf)) != CLI_OK) ||
	    (rc = cli_load_plan(c->arg[0], &w->old)) != CLI_OK ||
	    (rc = cli_load_plan(c->arg[1], &w->new)) != CLI_OK)
		return rc;
	w->jobs = threads_lend(w->conf.threads);
	w->conf.jobs = &w->jobs;
	return state ? load_state(state, &w->present) : CLI_OK;
}

/* ---- judging ------------------------------------------------------------------------------ */

static int
measure(const struct moore_plan *p, struct moore_graph_metrics *m, struct moore_err *err)
{
	struct moore_topo_link *link = calloc((size_t)p->n_cables + 1, sizeof(*link));
	int rc;

	if (!link)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < p->n_cables; i++)
		link[i] = (struct moore_topo_link){ p->cable[i].sw[0], p->cable[i].sw[1] };
	rc = moore_graph_measure(p->n_switches, link, p->n_cables, p->n_switches, m, NULL, NULL, err);
	free(link);
	return rc;
}

/* What the engine makes of the cables that stay in during a step. */
static int
judge_step(const struct work *w, const struct moore_plan *during, struct moore_step_judged *s)
{
	struct moore_engine_result *r = NULL;
	struct moore_fabric *f = NULL;
	struct moore_err err;
	int rc;

	if (measure(during, &s->metrics, &err) < 0 ||
	    moore_fabric_from_plan(&f, during, (uint8_t)w->lmc, &err) < 0)
		return cli_error("%s", err.text);
	rc = moore_engine_run(&r, f, NULL, &w->conf, NULL, NULL, &err);
	s->routed = rc == 0;
	if (s->routed) {
		s->safe = r->verdict->sound;
		s->max_load = r->verdict->max_load;
		s->mean_load = r->verdict->mean_load;
	} else {
		memcpy(s->why, err.text, sizeof(s->why));
	}
	moore_engine_result_free(r);
	moore_fabric_free(f);
	return rc == -MOORE_ENOMEM ? cli_error("%s", err.text) : CLI_OK;
}

static int
judge(struct work *w)
{
	struct moore_plan during = *w->new;
	int rc = CLI_OK;

	during.cable = calloc((size_t)w->new->n_cables + 1, sizeof(*during.cable));
	w->step = calloc((size_t)w->steps->n_steps + 1, sizeof(*w->step));
	if (!during.cable || !w->step)
		rc = cli_error("out of memory");
	for (uint32_t i = 0; i < w->steps->n_steps && rc == CLI_OK; i++) {
		during.n_cables = moore_steps_cables(w->steps, w->new, i, during.cable);
		rc = judge_step(w, &during, &w->step[i]);
		cli_busy_share(NULL, (double)(i + 1) / w->steps->n_steps);
	}
	free(during.cable);
	return rc;
}

/* ---- the answer in words -------------------------------------------------------------------- */

static void
put_step(struct moore_buf *b, const json_t *s)
{
	const long long n = cli_int(s, "cables");

	cli_putf(b, "step %lld: %lld cable%s unplugged, diameter ", cli_int(s, "step"), n, MOORE_S(n));
	if (json_is_integer(json_object_get(s, "diameter")))
		cli_putf(b, "%lld", cli_int(s, "diameter"));
	else
		cli_putf(b, "none (not connected, as before)");
	if (json_is_number(json_object_get(s, "max_load")))
		cli_putf(b, ", greatest load %.0f (mean %.1f), %s\n", cli_num(s, "max_load"),
			 cli_num(s, "mean_load"), cli_yes(s, "safe") ? CLI_GREEN "safe" CLI_PLAIN :
			 CLI_RED "NOT safe" CLI_PLAIN);
	else
		cli_putf(b, ", " CLI_RED "NOT routed" CLI_PLAIN ": %s\n", cli_str(s, "error"));
	cli_put_moves(b, json_object_get(s, "moves"), "  ");
}

static void
put_steps(struct moore_buf *b, const json_t *answer)
{
	const json_t *steps = json_object_get(answer, "steps"), *s;
	const long long moves = cli_int(answer, "moves"), most = cli_int(answer, "max_cables");
	size_t i;

	cli_putf(b, "cables         %lld of %lld are not where the new plan has them; %lld of these "
		 "are unplugged\n",
		 cli_int(answer, "ahead"), cli_int(answer, "cables"), cli_int(answer, "out"));
	cli_putf(b, "steps          %zu, %lld move%s, at most %lld cable%s at a time\n",
		 json_array_size(steps), moves, MOORE_S(moves), most, MOORE_S(most));
	json_array_foreach(steps, i, s)
		put_step(b, s);
}

static int
answer_impossible(const struct cli_call *c, const struct work *w, const struct moore_err *err)
{
	if (c->json)
		return cli_show(c, moore_answer_no_steps(err->text, w->max_cables), NULL, cli_not_ok);
	cli_error("%s", err->text);
	return CLI_FOUND;
}

int
cmd_plan_steps(const struct cli_call *c)
{
	struct work w = { NULL };
	struct moore_err err;
	int rc, failed;

	cli_busy("ordering the moves");
	if ((rc = load(c, &w)) != CLI_OK)
		goto out;
	failed = moore_steps_build(&w.steps, w.old, w.new, w.present, (uint32_t)w.max_cables, &err);
	if (failed == -MOORE_EINVAL)
		rc = answer_impossible(c, &w, &err);
	else if (failed < 0)
		rc = cli_error("%s", err.text);
	else if ((rc = judge(&w)) == CLI_OK)
		rc = cli_show(c, moore_answer_steps(w.new, w.steps, w.step, w.max_cables), put_steps,
			      cli_not_ok);
out:
	free(w.step);
	moore_steps_free(w.steps);
	moore_plan_free(w.old);
	moore_plan_free(w.new);
	moore_plan_free(w.present);
	return rc;
}

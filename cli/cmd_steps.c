// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_steps.c - `moorectl plan steps`: an order of moves from one plan to another
 * that keeps the fabric running, and what the fabric is worth at each step. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

struct step {			/* while its cables are unplugged */
	struct moore_graph_metrics m;
	bool routed, safe;
	double max_load, mean_load;
	char why[sizeof(((struct moore_err *)0)->text)];	/* not routed */
};

struct work {
	struct moore_plan *old, *new, *present;
	struct moore_conf conf;
	uint64_t lmc, max_cables;
	struct moore_steps *steps;
	struct step *step;		/* n_steps of them */
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
	rc = moore_graph_measure(p->n_switches, link, p->n_cables, m, NULL, NULL, err);
	free(link);
	return rc;
}

/* What the engine makes of the cables that stay in during a step. */
static int
judge_step(const struct work *w, const struct moore_plan *during, struct step *s)
{
	struct moore_engine_result *r = NULL;
	struct moore_fabric *f = NULL;
	struct moore_err err;
	int rc;

	if (measure(during, &s->m, &err) < 0 ||
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

/* ---- answers ----------------------------------------------------------------------------- */

static uint32_t
n_moves_of(const struct moore_steps *s, uint32_t i)
{
	return s->first[i + 1] - s->first[i];
}

/* Cables that a step touches: how many differ among its moves. */
static int
count_touched(const struct moore_steps *s, uint32_t i, bool *seen)
{
	int n = 0;

	for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++) {
		n += !seen[s->move[k].cable];
		seen[s->move[k].cable] = true;
	}
	for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
		seen[s->move[k].cable] = false;
	return n;
}

static json_t *
json_step(const struct work *w, uint32_t i, bool *seen)
{
	const struct moore_steps *s = w->steps;
	const struct step *t = &w->step[i];
	json_t *o = json_pack("{s:i, s:i, s:o, s:b, s:b, s:o, s:o, s:o}", "step", (int)i + 1,
			      "cables", count_touched(s, i, seen), "moves",
			      cli_json_moves(w->new, s->move + s->first[i], n_moves_of(s, i)),
			      "connected", t->m.diameter != MOORE_NONE, "safe", t->safe,
			      "max_load", t->routed ? json_real(t->max_load) : json_null(),
			      "mean_load", t->routed ? json_real(t->mean_load) : json_null(),
			      "error", t->routed ? json_null() : json_string(t->why));

	cli_json_metrics(o, &t->m);
	return o;
}

static void
put_step(struct moore_buf *b, const struct work *w, uint32_t i, bool *seen)
{
	const struct moore_steps *s = w->steps;
	const struct step *t = &w->step[i];

	cli_putf(b, "step %u: %d cables out, diameter ", i + 1, count_touched(s, i, seen));
	if (t->m.diameter == MOORE_NONE)
		cli_putf(b, "none (in parts, as before)");
	else
		cli_putf(b, "%u", t->m.diameter);
	if (t->routed)
		cli_putf(b, ", greatest load %.0f (mean %.1f), %s\n", t->max_load, t->mean_load,
			 t->safe ? CLI_GREEN "safe" CLI_PLAIN : CLI_RED "NOT safe" CLI_PLAIN);
	else
		cli_putf(b, ", " CLI_RED "NOT routed" CLI_PLAIN ": %s\n", t->why);
	cli_put_moves(b, w->new, s->move + s->first[i], n_moves_of(s, i), "  ");
}

static int
answer(const struct cli_call *c, const struct work *w)
{
	const struct moore_steps *s = w->steps;
	bool *seen = calloc((size_t)s->n_cables + 1, sizeof(*seen)), safe = true;
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *list = c->json ? json_array() : NULL;
	int rc;

	if (!seen)
		return cli_error("out of memory");
	cli_putf(&b, "cables         %u of %u are not where the new plan has them, %u of them out\n",
		 s->n_ahead, s->n_cables, s->n_out);
	cli_putf(&b, "steps          %u, %u moves, at most %llu cables at a time\n", s->n_steps,
		 s->n_moves, (unsigned long long)w->max_cables);
	for (uint32_t i = 0; i < s->n_steps; i++) {
		safe &= w->step[i].safe;
		if (c->json)
			json_array_append_new(list, json_step(w, i, seen));
		else
			put_step(&b, w, i, seen);
	}
	rc = !c->json ? cli_print_text(&b) :
	     cli_print_json(json_pack("{s:b, s:b, s:I, s:i, s:i, s:i, s:i, s:o}", "possible", 1,
				      "safe", safe, "max_cables", (json_int_t)w->max_cables,
				      "cables", (int)s->n_cables, "ahead", (int)s->n_ahead,
				      "out", (int)s->n_out, "moves", (int)s->n_moves, "steps", list));
	if (c->json)
		moore_buf_free(&b);
	free(seen);
	return rc != CLI_OK ? rc : safe ? CLI_OK : CLI_FOUND;
}

static int
answer_impossible(const struct cli_call *c, const struct work *w, const struct moore_err *err)
{
	int rc = CLI_OK;

	if (c->json)
		rc = cli_print_json(json_pack("{s:b, s:I, s:s}", "possible", 0, "max_cables",
					      (json_int_t)w->max_cables, "error", err->text));
	else
		cli_error("%s", err->text);
	return rc == CLI_OK ? CLI_FOUND : rc;
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
		rc = answer(c, &w);
out:
	free(w.step);
	moore_steps_free(w.steps);
	moore_plan_free(w.old);
	moore_plan_free(w.new);
	moore_plan_free(w.present);
	return rc;
}

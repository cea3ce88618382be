// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_permute.c - `moorectl plan permute`: a plan with links swapped at random,
 * what that does to distances, and which cable ends move. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- moves ------------------------------------------------------------------------- */

static void
put_plug(struct moore_buf *b, const struct moore_plan *p, struct moore_switch_port at)
{
	const struct moore_plan_switch *s;

	if (at.sw == MOORE_NONE) {
		cli_putf(b, "(out)");
		return;
	}
	s = &p->sw[at.sw];
	cli_putf(b, "%s%s%s:%u", s->cabinet ? s->cabinet : "", s->cabinet ? "/" : "", s->name, at.port);
}

void
cli_put_moves(struct moore_buf *b, const struct moore_plan *p, const struct moore_cable_move *move,
	      uint32_t n, const char *indent)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct moore_cable_move *m = &move[i];
		const char *label = p->cable[m->cable].label;

		if (label)
			cli_putf(b, "%s%s", indent, label);
		else
			cli_putf(b, "%scables[%u]", indent, m->cable);
		cli_putf(b, " %c  ", "ab"[m->end]);
		put_plug(b, p, m->from);
		cli_putf(b, " -> ");
		put_plug(b, p, m->to);
		cli_putf(b, "\n");
	}
}

static json_t *
json_plug(const struct moore_plan *p, struct moore_switch_port at)
{
	const struct moore_plan_switch *s;

	if (at.sw == MOORE_NONE)
		return json_null();
	s = &p->sw[at.sw];
	return json_pack("{s:o, s:i, s:o}", "switch", cli_json_name(s->name), "port", at.port,
			 "cabinet", s->cabinet ? cli_json_name(s->cabinet) : json_null());
}

json_t *
cli_json_moves(const struct moore_plan *p, const struct moore_cable_move *move, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++) {
		const char *label = p->cable[move[i].cable].label;

		json_array_append_new(list, json_pack("{s:i, s:o, s:s, s:o, s:o}",
			"cable", (int)move[i].cable, "label", label ? cli_json_name(label) : json_null(),
			"end", move[i].end ? "b" : "a", "from", json_plug(p, move[i].from),
			"to", json_plug(p, move[i].to)));
	}
	return list;
}

/* ---- the verb ------------------------------------------------------------------------ */

static int
read_method(const struct cli_call *c, struct moore_permute_opts *o)
{
	const char *word = cli_opt(c, "method"), *name;

	for (int m = 0; word && (name = moore_permute_name((enum moore_permute_method)m)); m++)
		if (!strcmp(word, name)) {
			o->method = (enum moore_permute_method)m;
			return CLI_OK;
		}
	return word ? cli_misuse(c, "--method %s: it is two-cab, three-cab or one-step", word) : CLI_OK;
}

static int
read_opts(const struct cli_call *c, struct moore_permute_opts *o)
{
	const char *fraction = cli_opt(c, "fraction"), *to = cli_opt(c, "output");
	uint64_t trials = 20;
	char *end;
	int rc;

	*o = (struct moore_permute_opts){ .fraction = 1, .seed = 1, .progress = cli_busy_share };
	if (!to)
		return cli_misuse(c, "-o FILE is missing: name a file for the new plan");
	if (!strcmp(to, "-") && c->json)
		return cli_misuse(c, "-o -: standard output takes the plan or the JSON answer, not both");
	if ((rc = read_method(c, o)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "trials", 1, 1000000, &trials)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "seed", 0, INT64_MAX, &o->seed)) != CLI_OK)
		return rc;
	o->trials = (uint32_t)trials;
	if (fraction) {
		o->fraction = strtod(fraction, &end);
		if (!*fraction || *end || !(o->fraction >= 0 && o->fraction <= 1))
			return cli_misuse(c, "--fraction %s: not a number from 0 to 1", fraction);
	}
	return CLI_OK;
}

/* Permutation needs cabinets: the plan's, or those that the user asks for. */
static int
need_cabinets(const struct cli_call *c, struct moore_plan *p)
{
	const char *given = cli_opt(c, "cabinet-size");
	uint32_t placed = 0;
	uint64_t size = 16;
	struct moore_err err;
	int rc;

	if ((rc = cli_opt_u64(c, "cabinet-size", 1, 1000000, &size)) != CLI_OK)
		return rc;
	for (uint32_t s = 0; s < p->n_switches; s++)
		placed += p->sw[s].cabinet != NULL;
	if (!given && placed < p->n_switches)
		return cli_error("%s: %u of %u switches stand in no cabinet: place the plan first, or "
				 "give --cabinet-size 16 to fill cabinets in order, 16 switches to each",
				 cli_file_name(c->arg[0]), p->n_switches - placed, p->n_switches);
	if (!given)
		return CLI_OK;
	if (moore_plan_fill_cabinets(p, (uint32_t)size, &err) < 0)
		return cli_error("%s: %s: drop --cabinet-size", cli_file_name(c->arg[0]), err.text);
	return CLI_OK;
}

static json_t *
json_metrics(const struct moore_graph_metrics *m)
{
	json_t *o = json_object();

	cli_json_metrics(o, m);
	return o;
}

static int
answer(const struct cli_call *c, const struct moore_plan *p, const struct moore_permute_opts *o,
       const struct moore_permutation *r)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (c->json)
		return cli_print_json(json_pack("{s:s, s:f, s:I, s:i, s:i, s:i, s:o, s:o, s:b, s:o}",
			"method", moore_permute_name(o->method), "fraction", o->fraction,
			"seed", (json_int_t)o->seed, "trials", (int)r->n_trials,
			"best_trial", (int)r->best + 1, "swaps", (int)r->n_swaps,
			"before", json_metrics(&r->before), "after", json_metrics(&r->after),
			"same_lengths", 1, "moves", cli_json_moves(p, r->move, r->n_moves)));
	cli_putf(&b, "wrote          %s\n", cli_opt(c, "output"));
	cli_putf(&b, "method         %s, trial %u of %u, seed %llu\n", moore_permute_name(o->method),
		 r->best + 1, r->n_trials, (unsigned long long)o->seed);
	cli_putf(&b, "before\n");
	cli_put_metrics(&b, &r->before);
	cli_putf(&b, "after\n");
	cli_put_metrics(&b, &r->after);
	if (r->after.mean_distance > r->before.mean_distance)
		cli_putf(&b, CLI_YELLOW "longer" CLI_PLAIN "         these links were shorter as they were: "
			 "swapping helps where distances are long\n");
	cli_putf(&b, "swaps          %u\n", r->n_swaps);
	cli_putf(&b, "cables         as many of each length between each two cabinets as before\n");
	cli_putf(&b, "moves          %u cable ends\n", r->n_moves);
	cli_put_moves(&b, p, r->move, r->n_moves, "  ");
	return cli_print_text(&b);
}

int
cmd_plan_permute(const struct cli_call *c)
{
	struct moore_plan *p = NULL, *old = NULL;
	struct moore_permutation *r = NULL;
	struct moore_buf json = MOORE_BUF_INIT;
	struct moore_permute_opts opts;
	struct moore_err err;
	int rc;

	if ((rc = read_opts(c, &opts)) != CLI_OK || (rc = cli_load_plan(c->arg[0], &p)) != CLI_OK ||
	    (rc = need_cabinets(c, p)) != CLI_OK)
		goto out;
	cli_busy("permuting");
	if (moore_plan_write(p, &json, &err) < 0 ||
	    moore_plan_parse(&old, json.data, json.len, &err) < 0 ||
	    moore_permute(p, &opts, &r, &err) < 0 || moore_permute_check(old, p, &err) < 0) {
		rc = cli_error_at(c->arg[0], &err);
		goto out;
	}
	json.len = 0;
	if (moore_plan_write(p, &json, &err) < 0) {
		rc = cli_error_at(c->arg[0], &err);
		goto out;
	}
	cli_idle();
	if ((rc = cli_write(cli_opt(c, "output"), &json)) == CLI_OK &&
	    strcmp(cli_opt(c, "output"), "-") != 0)
		rc = answer(c, p, &opts, r);
out:
	moore_buf_free(&json);
	moore_permutation_free(r);
	moore_plan_free(old);
	moore_plan_free(p);
	return rc;
}

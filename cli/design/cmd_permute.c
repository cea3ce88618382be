// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_permute.c - `moorectl plan permute`: a plan with links swapped at random,
 * what that does to distances, and which cable ends move. */
#include <stdlib.h>
#include <string.h>

#include "online.h"

/* ---- moves ------------------------------------------------------------------------- */

static void
put_plug(struct moore_buf *b, const json_t *at)
{
	const char *cabinet = cli_str(at, "cabinet");

	if (json_is_object(at))
		cli_putf(b, "%s%s%s:%lld", cabinet, *cabinet ? "/" : "", cli_str(at, "switch"),
			 cli_int(at, "port"));
	else
		cli_putf(b, "(out)");
}

void
cli_put_moves(struct moore_buf *b, const json_t *moves, const char *indent)
{
	const json_t *m;
	size_t i;

	json_array_foreach(moves, i, m) {
		if (*cli_str(m, "label"))
			cli_putf(b, "%s%s", indent, cli_str(m, "label"));
		else
			cli_putf(b, "%scables[%lld]", indent, cli_int(m, "cable"));
		cli_putf(b, " %s  ", cli_str(m, "end"));
		put_plug(b, json_object_get(m, "from"));
		cli_putf(b, " -> ");
		put_plug(b, json_object_get(m, "to"));
		cli_putf(b, "\n");
	}
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

static void
put_permutation(struct moore_buf *b, const json_t *answer)
{
	const json_t *before = json_object_get(answer, "before");
	const json_t *after = json_object_get(answer, "after");
	const json_t *moves = json_object_get(answer, "moves");

	cli_putf(b, "method         %s, trial %lld of %lld, seed %llu\n", cli_str(answer, "method"),
		 cli_int(answer, "best_trial"), cli_int(answer, "trials"),
		 (unsigned long long)cli_int(answer, "seed"));
	cli_putf(b, "before\n");
	cli_put_metrics(b, before);
	cli_putf(b, "after\n");
	cli_put_metrics(b, after);
	if (cli_num(after, "mean_distance") > cli_num(before, "mean_distance"))
		cli_putf(b, CLI_YELLOW "longer" CLI_PLAIN "         the old links gave shorter distances: "
			 "swapping helps only where distances are long\n");
	cli_putf(b, "swaps          %lld\n", cli_int(answer, "swaps"));
	cli_putf(b, "cables         every two cabinets keep the same number of cables of each length\n");
	cli_putf(b, "moves          %zu cable ends\n", json_array_size(moves));
	cli_put_moves(b, moves, "  ");
}

static int
answer(const struct cli_call *c, const struct moore_plan *p, const struct moore_permute_opts *o,
       const struct moore_permutation *r)
{
	struct moore_buf b = MOORE_BUF_INIT;
	int rc;

	cli_putf(&b, "wrote          %s\n", cli_opt(c, "output"));
	rc = c->json ? CLI_OK : cli_print_text(&b);
	moore_buf_free(&b);
	return rc != CLI_OK ? rc : cli_show(c, moore_answer_permutation(p, o, r), put_permutation, NULL);
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

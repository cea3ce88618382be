// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_change.c - `moorectl change`: from one set of dumps to the next, how much changes, how
 * much must, what may go wrong if all rows go out at once, and an order of writes, or with
 * --steps a sequence of steps, in which it does not. */
#include <stdlib.h>
#include <string.h>

#include "online.h"

struct change {
	struct cli_tables was, now;
	struct moore_lft *old_lft, *new_lft;	/* of now's switches, in one stride */
	struct moore_sl2vl *old_sl2vl;
	struct moore_mix *mix;
	struct moore_churn churn;
	struct cli_table_steps way;	/* of --steps */
	uint32_t gone, added;		/* switches */
};

static int
judge(struct change *x, struct moore_err *err)
{
	const struct moore_mix_tables was = { x->was.lft, x->was.sl2vl };
	const struct moore_mix_tables now = { x->now.lft, x->now.sl2vl };
	const struct moore_fabric *f = x->now.f;
	size_t stride = was.lft->stride > now.lft->stride ? was.lft->stride : now.lft->stride;
	int rc;

	if ((rc = moore_mix_carry(&x->old_lft, &x->old_sl2vl, f, stride, x->was.f, &was, &now,
				  err)) < 0 ||
	    (rc = moore_mix_carry(&x->new_lft, NULL, f, stride, f, &now, &now, err)) < 0 ||
	    (rc = moore_churn(&x->churn, f, x->old_lft, x->new_lft, err)) < 0)
		return rc;
	return moore_mix_judge(&x->mix, f, &(struct moore_mix_tables){ x->old_lft, x->old_sl2vl },
			       &(struct moore_mix_tables){ x->new_lft, now.sl2vl }, err);
}

/* ---- the answer in words ------------------------------------------------------------- */

static void
put_least(struct moore_buf *b, const char *what, const json_t *churn, const char *key)
{
	const json_t *least = json_object_get(churn, key);
	long long changed = cli_int(json_object_get(churn, "changed"), "blocks");
	long long rows = cli_int(least, "rows"), blocks = cli_int(least, "blocks");

	cli_putf(b, "%s%lld row%s in %lld block%s", what, rows, MOORE_S(rows), blocks, MOORE_S(blocks));
	if (blocks)
		cli_putf(b, " (%.2f times as many blocks change)", (double)changed / (double)blocks);
	cli_putf(b, "\n");
}

static void
put_churn(struct moore_buf *b, const json_t *x)
{
	const json_t *c = json_object_get(x, "churn"), *changed = json_object_get(c, "changed");
	const long long rows = cli_int(changed, "rows"), dead = cli_int(x, "dead_new");

	cli_putf(b, "switches       %lld, %lld gone, %lld new\n", cli_int(x, "switches"),
		 cli_int(x, "gone"), cli_int(x, "new"));
	cli_putf(b, "changed        %lld row%s in %lld of %lld blocks\n", rows, MOORE_S(rows),
		 cli_int(changed, "blocks"), cli_int(json_object_get(c, "all"), "blocks"));
	put_least(b, "routes lost    ", c, "lost");
	put_least(b, "at least       ", c, "forced");
	put_least(b, "if shortest    ", c, "shortest");
	cli_putf(b, "dead ends      %lld row%s led to nothing until replaced, %lld lead%s to nothing now\n",
		 cli_int(x, "dead_old"), MOORE_S(cli_int(x, "dead_old")), dead, dead == 1 ? "s" : "");
}

static void
put_links(struct moore_buf *b, const json_t *links)
{
	const json_t *link;
	size_t i;

	json_array_foreach(links, i, link) {
		cli_putf(b, "  %zu. ", i + 1);
		cli_put_link(b, link);
		if (json_object_get(link, "vl"))
			cli_putf(b, " on VL %lld", cli_int(link, "vl"));
		cli_putf(b, "\n");
	}
}

static void
put_mix(struct moore_buf *b, const json_t *x)
{
	const json_t *loop = json_object_get(x, "loop"), *cycle = json_object_get(x, "cycle");

	if (cli_yes(x, "safe"))
		cli_putf(b, CLI_GREEN "safe" CLI_PLAIN ": no combination of old and new rows loops or "
			 "can deadlock: %lld LIDs, %lld dependencies\n", cli_int(x, "lids"),
			 cli_int(x, "dependencies"));
	if (loop) {
		cli_putf(b, CLI_RED "NOT safe" CLI_PLAIN ": %lld of %lld LIDs can run in circles while "
			 "some switches have new rows and others old ones, for example LID %lld (%s):\n",
			 cli_int(x, "loop_lids"), cli_int(x, "lids"), cli_int(loop, "lid"),
			 cli_str(loop, "destination"));
		put_links(b, json_object_get(loop, "links"));
	}
	if (cycle) {
		cli_putf(b, CLI_RED "NOT safe" CLI_PLAIN ": packets routed by a mixture of old and new "
			 "rows on these %zu links can wait for one another:\n", json_array_size(cycle));
		put_links(b, cycle);
	}
}

static const struct {
	const char *kind, *text;
} orders[] = {
	{ "any", "no order of writes makes a loop" },
	{ "switches", "switch by switch in this order no LID ever loops" },
	{ "blocks", "no order for all blocks was found, but block by block, each with its own, no LID "
		    "ever loops" },
	{ "unknown", "no order of whole blocks without loops was found" },
};

static void
put_switches(struct moore_buf *b, const json_t *steps)
{
	const char *before = "";
	const json_t *s;
	size_t i;

	cli_putf(b, "              ");
	json_array_foreach(steps, i, s) {
		if (strcmp(cli_str(s, "switch"), before))
			cli_putf(b, " %s", cli_str(s, "switch"));
		before = cli_str(s, "switch");
	}
	cli_putf(b, "\n");
}

static void
put_order(struct moore_buf *b, const json_t *x)
{
	const json_t *order = json_object_get(x, "order");
	const char *kind = cli_str(order, "kind");

	if (cli_yes(x, "safe"))
		return;
	for (size_t i = 0; i < ARRAY_LEN(orders); i++)
		if (!strcmp(orders[i].kind, kind))
			cli_putf(b, "order          %s%s\n", orders[i].text, !strcmp(kind, "unknown") ? "" :
				 cli_yes(order, "acyclic") ? ", nor can packets deadlock" :
				 ", but packets could deadlock");
	if (!strcmp(kind, "switches"))
		put_switches(b, json_object_get(order, "steps"));
	if (cli_int(order, "opensm_loop_lids"))
		cli_putf(b, "OpenSM's order lets %lld LIDs loop for a time (by block, then by switch "
			 "GUID)\n", cli_int(order, "opensm_loop_lids"));
	else if (cli_int(x, "loop_lids"))
		cli_putf(b, "OpenSM's order makes no loop, if every write is answered before the next\n");
}

static void
put_change(struct moore_buf *b, const json_t *answer)
{
	put_churn(b, answer);
	cli_put_op_vls(b, answer);
	if (json_object_get(answer, "steps")) {
		cli_putf(b, "all at once    %s\n", cli_yes(answer, "safe") ? "safe" :
			 "not safe; change without --steps has an example");
		cli_put_table_steps(b, json_object_get(answer, "steps"), CLI_STEPS_OF_LIDS);
		return;
	}
	put_mix(b, answer);
	put_order(b, answer);
}

/* ---- the verb --------------------------------------------------------------------- */

static int
match_switches(struct change *x)
{
	uint32_t *old_of = cli_old_switches(x->was.f, x->now.f);

	if (!old_of)
		return CLI_FAIL;
	cli_fewer_lanes(x->now.f, x->was.f, old_of);
	for (moore_swid s = 0; s < x->now.f->n_switches; s++)
		x->added += old_of[s] == MOORE_NONE;
	x->gone = x->was.f->n_switches - (x->now.f->n_switches - x->added);
	free(old_of);
	return CLI_OK;
}

static int
show(const struct cli_call *c, const struct change *x)
{
	const struct moore_answer_tables now = cli_answer_tables(&x->now);

	return cli_show(c, moore_answer_change(&now, &x->churn, x->mix, x->gone, x->added,
					       x->way.steps), put_change, cli_not_ok);
}

static int
compare(const struct cli_call *c, struct change *x)
{
	struct moore_err err;
	int rc;

	cli_busy("comparing");
	if ((rc = cli_load_tables(c->arg[0], &x->was)) != CLI_OK ||
	    (rc = cli_load_tables(c->arg[1], &x->now)) != CLI_OK ||
	    (rc = cli_set_op_vls(c, &x->was)) != CLI_OK ||
	    (rc = cli_set_op_vls(c, &x->now)) != CLI_OK ||
	    (rc = match_switches(x)) != CLI_OK ||
	    (cli_has(c, "steps") &&
	     (rc = cli_table_steps(&x->way, c->arg[0], &x->was, &x->now)) != CLI_OK))
		return rc;
	cli_busy("comparing");
	return judge(x, &err) < 0 ? cli_error_at(c->arg[1], &err) : show(c, x);
}

int
cmd_change(const struct cli_call *c)
{
	struct change x = { .mix = NULL };
	int rc = compare(c, &x);

	cli_table_steps_free(&x.way);
	moore_mix_free(x.mix);
	moore_lft_free(x.old_lft);
	moore_lft_free(x.new_lft);
	moore_sl2vl_free(x.old_sl2vl);
	cli_tables_free(&x.was);
	cli_tables_free(&x.now);
	return rc;
}

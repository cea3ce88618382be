// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_repair.c - `moorectl repair`: which cables to reseat, and which cable ends to move, step
 * by step in an order that keeps the switches joined; or, where the wiring is an image of the
 * plan, the plan that it fulfils. */
#include <stdlib.h>
#include <string.h>

#include "cabling/wire.h"

/* ---- the answer in words ---------------------------------------------------------------- */

static void
put_move(struct moore_buf *b, const json_t *m)
{
	const json_t *from = json_object_get(m, "from"), *to = json_object_get(m, "to");

	cli_putf(b, "  step %-5lld %s: ", cli_int(m, "step"), cli_str(m, "cable"));
	if (json_is_object(from)) {
		cli_putf(b, "pull it from ");
		cli_put_floor(b, from);
	}
	if (json_is_object(to)) {
		cli_putf(b, "%splug it into ", json_is_object(from) ? ", " : "");
		cli_put_floor(b, to);
	}
	cli_putf(b, "%s\n", cli_yes(m, "parts") ?
		 CLI_YELLOW " (disconnects some switches during this step)" CLI_PLAIN : "");
}

/* The cabinet in which the crew stands: of the end that is pulled, else of where it goes. */
static const char *
cabinet_of(const json_t *m)
{
	const char *from = cli_str(json_object_get(m, "from"), "cabinet");

	return *from ? from : cli_str(json_object_get(m, "to"), "cabinet");
}

struct entry {
	const json_t *move;
	size_t i;
};

static int
entry_cmp(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	const long long step_a = cli_int(a->move, "step"), step_b = cli_int(b->move, "step");
	int d = step_a != step_b ? (step_a > step_b) - (step_a < step_b) :
		strcmp(cabinet_of(a->move), cabinet_of(b->move));

	return d ? d : (a->i > b->i) - (a->i < b->i);
}

/* In the order of the steps, since a later one may need a jack that an earlier one frees;
 * within a step by cabinet. */
static void
put_moves(struct moore_buf *b, const json_t *moves)
{
	size_t n = json_array_size(moves);
	struct entry *e = calloc(n + 1, sizeof(*e));
	const char *at = "";

	if (!e) {
		b->oom = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		e[i] = (struct entry){ json_array_get(moves, i), i };
	qsort(e, n, sizeof(*e), entry_cmp);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(cabinet_of(e[i].move), at))
			cli_putf(b, "cabinet %s\n", cabinet_of(e[i].move));
		at = cabinet_of(e[i].move);
		put_move(b, e[i].move);
	}
	free(e);
}

static void
put_reseat(struct moore_buf *b, const json_t *answer)
{
	const json_t *list = json_object_get(answer, "reseat"), *x;
	size_t i;

	if (!json_array_size(list))
		return;
	cli_putf(b, "reseat both ends first, and replace a cable only if that does not help:\n");
	json_array_foreach(list, i, x)
		cli_putf(b, "  %-9s %s%s%s\n", cli_str(x, "verdict"), cli_str(x, "label"),
			 *cli_str(x, "label") ? ": " : "", cli_str(x, "text"));
	if (cli_int(answer, "new_cables"))
		cli_putf(b, "a link that comes up needs no new cable: then list the moves again\n");
}

static void
put_sums(struct moore_buf *b, const json_t *answer)
{
	long long moves = (long long)json_array_size(json_object_get(answer, "moves"));
	long long steps = cli_int(answer, "steps"), new = cli_int(answer, "new_cables");
	long long parting = cli_int(answer, "parting_steps");

	if (cli_yes(answer, "ok")) {
		cli_putf(b, CLI_GREEN "nothing to move" CLI_PLAIN "%s\n",
			 cli_int(answer, "deviations") ? "; moorectl check lists the other deviations" : "");
		return;
	}
	cli_putf(b, "%lld move%s of cable ends in %lld step%s, %lld new cable%s: ", moves, MOORE_S(moves),
		 steps, MOORE_S(steps), new, MOORE_S(new));
	if (cli_yes(answer, "optimal"))
		cli_putf(b, "this is the shortest possible list%s\n",
			 json_array_size(json_object_get(answer, "exchanges")) ?
			 " after the exchanges" : "");
	else
		cli_putf(b, "at least %lld are needed; a shorter list may exist, since names do not "
			 "identify every device\n", cli_int(answer, "lower_bound"));
	if (parting)
		cli_putf(b, CLI_YELLOW "%lld of the steps disconnect%s switches that were connected: no "
			 "order that avoids this was found" CLI_PLAIN "\n", parting, parting == 1 ? "s" : "");
	if (cli_yes(answer, "image"))
		cli_putf(b, "every cable connects the right devices, except for names or port "
			 "numbers: --accept FILE writes a plan that the fabric matches as it is\n");
}

static void
put_repair(struct moore_buf *b, const json_t *answer)
{
	const json_t *x;
	size_t i;

	json_array_foreach(json_object_get(answer, "exchanges"), i, x) {
		cli_putf(b, "exchange    ");
		cli_put_floor(b, json_object_get(x, "a"));
		cli_putf(b, " and ");
		cli_put_floor(b, json_object_get(x, "b"));
		cli_putf(b, ", or swap their names; the moves below apply after that\n");
	}
	put_reseat(b, answer);
	if (cli_int(answer, "steps"))
		cli_putf(b, "the steps in order; in each, pull all its ends, then plug them in:\n");
	put_moves(b, json_object_get(answer, "moves"));
	put_sums(b, answer);
}

/* ---- the verb ---------------------------------------------------------------------------- */

static int
accept(const struct cli_wire *x, const char *to)
{
	struct moore_buf json = MOORE_BUF_INIT;
	struct moore_plan *p = NULL;
	struct moore_err err;
	int rc;

	if (moore_wire_accept(&p, x->w, &err) < 0 || moore_plan_write(p, &json, &err) < 0)
		rc = cli_error_at(x->fabric, &err);
	else
		rc = cli_write(to, &json);
	moore_buf_free(&json);
	moore_plan_free(p);
	return rc;
}

int
cmd_repair(const struct cli_call *c)
{
	const char *to = cli_opt(c, "accept");
	struct moore_repair *r = NULL;
	struct moore_err err;
	struct cli_wire x;
	int rc;

	if ((rc = cli_wire_load(c, &x)) != CLI_OK)
		goto out;
	if (to) {
		rc = accept(&x, to);
		goto out;
	}
	if (moore_wire_repair(&r, x.w, &err) < 0)
		rc = cli_error_at(x.fabric, &err);
	else
		rc = cli_show(c, moore_answer_repair(x.w, r), put_repair, cli_not_ok);
out:
	moore_repair_free(r);
	cli_wire_free(&x);
	return rc;
}

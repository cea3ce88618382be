// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_repair.c - `moorectl repair`: which cable ends to move, cabinet by cabinet, in
 * an order that keeps the switches joined; or, where the wiring is an image of the
 * plan, the plan that it fulfils. */
#include <stdlib.h>
#include <string.h>

#include "wire.h"

static const struct moore_wire_jack nowhere = { false, MOORE_NONE, 0 };

static struct moore_wire_jack
jack_at(const struct moore_wire *w, uint32_t jack)
{
	return jack == MOORE_NONE ? nowhere : w->jack[jack];
}

/* What the crew finds on it or at its ends: its label if the plan has one for the
 * cable that it is to become, else where its ends are now. */
static void
put_cable(struct moore_buf *b, const struct moore_wire *w, uint32_t cable)
{
	const struct moore_wire_cable *o, *p;

	if (cable >= w->observed.n) {
		cli_putf(b, "new %u", cable - w->observed.n + 1);
		return;
	}
	o = &w->observed.cable[cable];
	p = o->mate == MOORE_NONE ? NULL : &w->planned.cable[o->mate];
	if (p && !p->endpoint && w->plan->cable[p->index].label)
		cli_putf(b, "%s: ", w->plan->cable[p->index].label);
	cli_put_jack(b, w, w->jack[o->jack[0]], false);
	cli_putf(b, " -- ");
	cli_put_jack(b, w, w->jack[o->jack[1]], false);
}

/* ---- as JSON ------------------------------------------------------------------------ */

static json_t *
json_move(const struct moore_wire *w, const struct moore_repair_move *m)
{
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *o;

	put_cable(&b, w, m->cable);
	o = json_pack("{s:o, s:s, s:o, s:o, s:i, s:b}", "cable",
		      b.oom ? NULL : cli_json_name(b.data), "end", m->end ? "b" : "a",
		      "from", cli_json_jack(w, jack_at(w, m->from)),
		      "to", cli_json_jack(w, jack_at(w, m->to)), "step", (int)m->step,
		      "parts", m->parts);
	moore_buf_free(&b);
	return o;
}

static json_t *
json_repair(const struct moore_wire *w, const struct moore_repair *r)
{
	json_t *moves = json_array(), *exchanges = json_array();

	for (uint32_t i = 0; i < w->n_exchanges; i++)
		json_array_append_new(exchanges, json_pack("{s:o, s:o}",
			"a", cli_json_jack(w, (struct moore_wire_jack){ false, w->exchange[i][0], 0 }),
			"b", cli_json_jack(w, (struct moore_wire_jack){ false, w->exchange[i][1], 0 })));
	for (uint32_t i = 0; i < r->n_moves; i++)
		json_array_append_new(moves, json_move(w, &r->move[i]));
	return json_pack("{s:o, s:o, s:b, s:i, s:i, s:i, s:i, s:b, s:b, s:i}", "exchanges", exchanges,
		"moves", moves, "optimal", r->optimal, "lower_bound", (int)r->lower_bound,
		"steps", (int)r->n_steps, "new_cables", (int)r->n_new,
		"parting_steps", (int)r->n_parting, "mirrored", w->mirrored, "image", w->image,
		"deviations", (int)w->n_deviations);
}

/* ---- as text -------------------------------------------------------------------------- */

struct entry {			/* a move under its cabinet */
	const char *cabinet;	/* "" when it has none */
	uint32_t i;
};

static int
entry_cmp(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	int d = strcmp(a->cabinet, b->cabinet);

	return d ? d : (a->i > b->i) - (a->i < b->i);
}

static void
put_move(struct moore_buf *b, const struct moore_wire *w, const struct moore_repair_move *m)
{
	cli_putf(b, "  step %-5u ", m->step);
	put_cable(b, w, m->cable);
	cli_putf(b, ": ");
	if (m->from != MOORE_NONE) {
		cli_putf(b, "pull it from ");
		cli_put_jack(b, w, jack_at(w, m->from), true);
	}
	if (m->to != MOORE_NONE) {
		cli_putf(b, "%splug it into ", m->from != MOORE_NONE ? ", " : "");
		cli_put_jack(b, w, jack_at(w, m->to), true);
	}
	cli_putf(b, "%s\n", m->parts ? CLI_YELLOW " (parts switches meanwhile)" CLI_PLAIN : "");
}

/* Where the crew stands: at what is pulled, else at what is plugged. */
static const char *
cabinet_of_move(const struct moore_wire *w, const struct moore_repair_move *m)
{
	const char *from = cli_cabinet_of(w, jack_at(w, m->from));
	const char *to = cli_cabinet_of(w, jack_at(w, m->to));

	return from ? from : to ? to : "";
}

static bool
put_moves(struct moore_buf *b, const struct moore_wire *w, const struct moore_repair *r)
{
	struct entry *e = calloc((size_t)r->n_moves + 1, sizeof(*e));

	if (!e)
		return false;
	for (uint32_t i = 0; i < r->n_moves; i++)
		e[i] = (struct entry){ cabinet_of_move(w, &r->move[i]), i };
	qsort(e, r->n_moves, sizeof(*e), entry_cmp);
	for (uint32_t i = 0; i < r->n_moves; i++) {
		if (*e[i].cabinet && (!i || strcmp(e[i].cabinet, e[i - 1].cabinet)))
			cli_putf(b, "cabinet %s\n", e[i].cabinet);
		put_move(b, w, &r->move[e[i].i]);
	}
	free(e);
	return true;
}

static const char *
s_of(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void
put_sums(struct moore_buf *b, const struct moore_wire *w, const struct moore_repair *r)
{
	if (!r->n_moves && !w->n_exchanges && !w->mirrored) {
		cli_putf(b, CLI_GREEN "nothing to move" CLI_PLAIN "%s\n",
			 w->n_deviations ? "; moorectl check says what else deviates" : "");
		return;
	}
	cli_putf(b, "%u move%s of cable ends in %u step%s, %u new cable%s: ", r->n_moves,
		 s_of(r->n_moves), r->n_steps, s_of(r->n_steps), r->n_new, s_of(r->n_new));
	if (r->optimal)
		cli_putf(b, "no list is shorter%s\n", w->n_exchanges ? " after the exchanges" : "");
	else
		cli_putf(b, "at least %u are needed; more is not known, since names do not tell "
			 "what is what\n", r->lower_bound);
	if (r->n_parting)
		cli_putf(b, CLI_YELLOW "%u of the steps part%s switches that were joined: no order was "
			 "found that does not" CLI_PLAIN "\n", r->n_parting,
			 r->n_parting == 1 ? "s" : "");
	if (w->image)
		cli_putf(b, "every cable is between the right devices, names or ports apart: "
			 "--accept FILE writes the plan that the fabric fulfils as it is\n");
}

static int
answer(const struct cli_call *c, const struct moore_wire *w, const struct moore_repair *r)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (c->json)
		return cli_print_json(json_repair(w, r));
	for (uint32_t i = 0; i < w->n_exchanges; i++) {
		cli_putf(&b, "exchange    ");
		cli_put_jack(&b, w, (struct moore_wire_jack){ false, w->exchange[i][0], 0 }, true);
		cli_putf(&b, " and ");
		cli_put_jack(&b, w, (struct moore_wire_jack){ false, w->exchange[i][1], 0 }, true);
		cli_putf(&b, ", or their names; the moves are for after that\n");
	}
	if (!put_moves(&b, w, r))
		b.oom = true;
	put_sums(&b, w, r);
	return cli_print_text(&b);
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
		rc = answer(c, x.w, r);
	if (rc == CLI_OK && (r->n_moves || x.w->n_exchanges || x.w->mirrored))
		rc = CLI_FOUND;
out:
	moore_repair_free(r);
	cli_wire_free(&x);
	return rc;
}

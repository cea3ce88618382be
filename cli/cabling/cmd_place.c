// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_place.c - `moorectl plan place`: cabinets onto the floor.
 * Elsewhere: what to do with them then (cmd_cables.c). */
#include <stdlib.h>
#include <string.h>

#include "online.h"

static const char *const assigns[] = {
	[MOORE_PLACE_SEQUENTIAL] = "sequential",
	[MOORE_PLACE_STRUCTURE] = "structure",
	[MOORE_PLACE_REFINED] = "refined",
};

static int
read_assign(const struct cli_call *c, struct moore_place_opts *o)
{
	const char *s = cli_opt(c, "assign");

	for (size_t i = 0; s && i < ARRAY_LEN(assigns); i++)
		if (!strcmp(assigns[i], s)) {
			o->assign = (enum moore_place_assign)i;
			return CLI_OK;
		}
	return s ? cli_misuse(c, "--assign %s: it is sequential, structure or refined", s) : CLI_OK;
}

static int
read_model(const struct cli_call *c, struct moore_place_opts *o)
{
	const char *s = cli_opt(c, "model");

	o->model = s ? moore_place_model_find(s) : moore_place_model_at(0);
	return o->model ? CLI_OK : cli_misuse(c, "--model %s: it is fujiwara or young", s);
}

/* Reads a pitch such as "0.6x2.1": metres along a row, and from row to row. */
static int
read_pitch(const struct cli_call *c, struct moore_place_opts *o)
{
	const char *s = cli_opt(c, "pitch");
	char *end;

	if (!s)
		return CLI_OK;
	o->column_pitch = strtod(s, &end);
	if (end != s && *end == 'x') {
		const char *depth = end + 1;

		o->row_pitch = strtod(depth, &end);
		if (end != depth && !*end && o->column_pitch > 0 && o->row_pitch > 0)
			return CLI_OK;
	}
	return cli_misuse(c, "--pitch %s: want metres WIDTHxDEPTH, as in 0.6x2.1", s);
}

static int
read_opts(const struct cli_call *c, struct moore_place_opts *o)
{
	uint64_t size = 0;
	int rc;

	*o = (struct moore_place_opts){ .assign = MOORE_PLACE_REFINED, .iterations = 2000000,
					.seed = 1, .progress = cli_busy_share };
	if ((rc = read_assign(c, o)) != CLI_OK || (rc = read_model(c, o)) != CLI_OK ||
	    (rc = read_pitch(c, o)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "cabinet-size", 1, 1000, &size)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "iterations", 0, 100000000000, &o->iterations)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "seed", 0, UINT64_MAX, &o->seed)) != CLI_OK)
		return rc;
	o->cabinet_size = (uint32_t)size;
	return CLI_OK;
}

static void
put_report(struct moore_buf *b, const json_t *r)
{
	double before = cli_num(r, "before_m"), total = cli_num(r, "total_m");

	cli_putf(b, "cabinets       %lld in %lld row%s of %lld, model %s\n", cli_int(r, "cabinets"),
		 cli_int(r, "rows"), MOORE_S(cli_int(r, "rows")), cli_int(r, "columns"), cli_str(r, "model"));
	cli_putf(b, "cables         %lld, %lld of them inside a cabinet; longest %.1f m\n",
		 cli_int(r, "cables"), cli_int(r, "inside"), cli_num(r, "longest_m"));
	cli_putf(b, "before         %.1f m%s\n", before, !strcmp(cli_str(r, "assign"), "refined") ?
		 ", switches in plan order, cabinets in rows" : ", cabinets in rows");
	cli_putf(b, "total          %.1f m, %+.1f %%\n", total,
		 before > 0 ? 100 * (total / before - 1) : 0);
	cli_putf(b, "bound          %.1f m for these cabinets: at most %.1f %% from the best\n",
		 cli_num(r, "bound_m"), 100 * cli_num(r, "gap"));
	cli_putf(b, "               %.1f m for any assignment: at most %.1f %%\n",
		 cli_num(r, "bound_any_m"), 100 * cli_num(r, "gap_any"));
}

static int
deliver(const struct cli_call *c, const struct moore_plan *p, const struct moore_place_opts *o,
	const struct moore_place_report *r)
{
	struct moore_buf json = MOORE_BUF_INIT, text = MOORE_BUF_INIT;
	const char *to = cli_opt(c, "output");
	struct moore_err err;
	int rc;

	cli_idle();
	if (moore_plan_write(p, &json, &err) < 0)
		rc = cli_error_at(c->arg[0], &err);
	else
		rc = cli_write(to, &json);
	moore_buf_free(&json);
	if (rc != CLI_OK || !strcmp(to, "-"))
		return rc;
	cli_putf(&text, "wrote          %s\n", to);
	rc = c->json ? CLI_OK : cli_print_text(&text);
	moore_buf_free(&text);
	return rc == CLI_OK ? cli_show(c, moore_answer_place(o, r, p->n_cables), put_report, NULL) : rc;
}

int
cmd_plan_place(const struct cli_call *c)
{
	struct moore_place_report r;
	struct moore_place_opts o;
	struct moore_plan *p = NULL;
	struct moore_err err;
	int rc;

	if (!cli_opt(c, "output"))
		return cli_misuse(c, "-o FILE is missing: the plan with cabinets goes there");
	if ((rc = read_opts(c, &o)) != CLI_OK || (rc = cli_load_plan(c->arg[0], &p)) != CLI_OK)
		return rc;
	cli_busy("placing");
	if (moore_place(p, &o, &r, &err) < 0)
		rc = cli_error_at(c->arg[0], &err);
	else
		rc = deliver(c, p, &o, &r);
	moore_plan_free(p);
	return rc;
}

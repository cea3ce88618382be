// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_place.c - `moorectl plan place`: cabinets onto the floor.
 * Elsewhere: what to do with them then (cmd_cables.c). */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

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

/* "0.6x2.1": along a row, and from row to row */
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

static double
gap(double total, double bound)
{
	return bound > 0 ? total / bound - 1 : 0;
}

static json_t *
json_report(const struct moore_place_opts *o, const struct moore_place_report *r, uint32_t n_cables)
{
	return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
			 "model", o->model->name, "assign", assigns[o->assign], "cabinets",
			 (int)r->cabinets, "rows", (int)r->rows, "columns", (int)r->columns, "cables",
			 (int)n_cables, "inside", (int)r->inside, "before_m", r->before, "total_m",
			 r->total, "longest_m", r->longest, "bound_m", r->bound, "gap",
			 gap(r->total, r->bound), "bound_any_m", r->bound_any, "gap_any",
			 gap(r->total, r->bound_any));
}

static void
put_report(struct moore_buf *b, const struct moore_place_opts *o,
	   const struct moore_place_report *r, uint32_t n_cables)
{
	cli_putf(b, "cabinets       %u in %u rows of %u, model %s\n", r->cabinets, r->rows, r->columns,
		 o->model->name);
	cli_putf(b, "cables         %u, %u of them inside a cabinet; longest %.1f m\n", n_cables,
		 r->inside, r->longest);
	cli_putf(b, "before         %.1f m%s\n", r->before, o->assign == MOORE_PLACE_REFINED ?
		 ", switches in plan order, cabinets in rows" : ", cabinets in rows");
	cli_putf(b, "total          %.1f m, %+.1f %%\n", r->total,
		 r->before > 0 ? 100 * (r->total / r->before - 1) : 0);
	cli_putf(b, "bound          %.1f m for these cabinets: at most %.1f %% from the best\n", r->bound,
		 100 * gap(r->total, r->bound));
	cli_putf(b, "               %.1f m for any assignment: at most %.1f %%\n", r->bound_any,
		 100 * gap(r->total, r->bound_any));
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
	if (c->json)
		return cli_print_json(json_report(o, r, p->n_cables));
	cli_putf(&text, "wrote          %s\n", to);
	put_report(&text, o, r, p->n_cables);
	return cli_print_text(&text);
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

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_draw.c - `moorectl plan draw`: a plan as a picture, with or without the loads of a job. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "design/draw.h"
#include "load/predict.h"

#define WIDTH 700		/* at least, in pixels: what the subtitle needs */

static int
load_links(struct cli_prediction *r)
{
	int rc;

	if ((rc = cli_predict_ready(r, false)) != CLI_OK)
		return rc;
	if (r->n_routings > 1 || r->n_patterns > 1 || r->n_placements > 1)
		return cli_misuse(r->c, "give one routing, one pattern and one placement");
	r->load_wanted = true;
	return cli_predict_all(r);
}

/* The load of a cable in the direction in which it is greater. */
static double
load_of(const struct cli_prediction *r, const struct moore_plan_cable *c)
{
	const struct moore_fabric *f = r->world[0].f;

	return fmax(r->load[f->sw[c->sw[0]].port0 + c->port[0]], r->load[f->sw[c->sw[1]].port0 + c->port[1]]);
}

/* Adds a line for each cable; nodes are switches, or cabinets where cabinet[] is given. */
static int
add_lines(struct drawing *d, const struct cli_prediction *r, const uint32_t *cabinet)
{
	const struct moore_plan *p = r->plan;

	if (!(d->line = calloc((size_t)p->n_cables + 1, sizeof(*d->line))))
		return cli_error("out of memory");
	for (uint32_t i = 0; i < p->n_cables; i++) {
		const struct moore_plan_cable *c = &p->cable[i];
		const uint32_t a = cabinet ? cabinet[c->sw[0]] : c->sw[0], b = cabinet ? cabinet[c->sw[1]] : c->sw[1];

		d->line[d->n_lines++] = (struct draw_line){ a < b ? a : b, a < b ? b : a, 1,
							    r->load ? load_of(r, c) : -1 };
	}
	return CLI_OK;
}

static void
put_titles(char *title, size_t title_size, char *subtitle, size_t size, const struct cli_prediction *r,
	   const struct drawing *d, uint32_t joined)
{
	const struct moore_plan *p = r->plan;
	int n = snprintf(title, title_size, "%s", p->family ? p->family : "general graph");

	for (size_t i = 0; i < p->n_params && n >= 0 && (size_t)n < title_size; i++)
		n += snprintf(title + n, title_size - (size_t)n, " %s=%lld", p->key[i], (long long)p->value[i]);
	n = snprintf(subtitle, size, "%u switches, %u cables%s", p->n_switches, p->n_cables,
		     joined > d->n_lines ? ", each line stands for several" : "");
	if (r->load)
		snprintf(subtitle + n, size - (size_t)n, "; load of links: %s, %s, %s; what a node can send is 1",
			 moore_routing_name(r->row[0].routing), r->row[0].pattern, r->row[0].placement);
}

static int
draw(struct drawing *d, struct cli_prediction *r, struct moore_buf *out)
{
	const bool on_floor = cli_has(r->c, "floor");
	char title[160], subtitle[240];
	int rc;

	if ((rc = on_floor ? cli_draw_floor(d, r->plan) : cli_draw_structure(d, r->plan)) != CLI_OK ||
	    (on_floor && !r->cabinet && (rc = cli_predict_floor(r)) != CLI_OK))
		return rc;
	if (on_floor && !r->cabinet)
		return cli_error("some switch of the plan is in no cabinet: `moorectl plan place` places them");
	if ((rc = add_lines(d, r, on_floor ? r->cabinet : NULL)) != CLI_OK)
		return rc;
	cli_draw_join(d);
	if (!on_floor && (rc = cli_draw_gather(d)) != CLI_OK)
		return rc;
	put_titles(title, sizeof(title), subtitle, sizeof(subtitle), r, d, r->plan->n_cables);
	cli_draw_put(out, d, title, subtitle);
	return CLI_OK;
}

static int
draw_plan(struct cli_prediction *r)
{
	const bool loaded = cli_opt(r->c, "routing") || cli_opt(r->c, "pattern") || cli_opt(r->c, "placement");
	struct drawing d = { .width = WIDTH };
	struct moore_buf out = MOORE_BUF_INIT;
	int rc = loaded ? load_links(r) : cli_predict_options(r);

	if (rc == CLI_OK && !loaded)
		rc = cli_load_plan(r->c->arg[0], &r->plan);
	if (rc == CLI_OK)
		rc = draw(&d, r, &out);
	if (rc == CLI_OK)
		rc = cli_deliver(r->c, cli_opt(r->c, "svg"), r->plan, &out);
	cli_draw_free(&d);
	moore_buf_free(&out);
	return rc;
}

int
cmd_plan_draw(const struct cli_call *c)
{
	return cli_predict_call(c, draw_plan);
}

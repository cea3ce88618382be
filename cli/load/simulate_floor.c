// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* simulate_floor.c - the floor from above, its cables coloured by what they have carried in a run.  A line between two
 * cabinets has the load of their fullest cable, in the direction in which that is greater. */
#include <math.h>
#include <stdlib.h>

#include "design/draw.h"
#include "load/simulate.h"

#define WIDTH 700		/* at least, in pixels: what the subtitle needs */

int
cli_sim_floor_ready(struct cli_simulation *s)
{
	const struct cli_call *c = s->c;

	if (!cli_opt(c, "floor"))
		return CLI_OK;
	if (s->n_points != 1)
		return cli_misuse(c, "--floor: draws one run: give one routing, one pattern and one load");
	if (!s->job.plan)
		return cli_misuse(c, "--floor: %s is a directory of tables, and the floor is that of a plan: give one",
				  c->arg[0]);
	if (!s->job.cabinet)
		return cli_misuse(c, "--floor: some switch of the plan is in no cabinet: `moorectl plan place` places them");
	s->sent = calloc((size_t)s->world->t.f->n_ports + 1, sizeof(*s->sent));
	return s->sent ? CLI_OK : cli_error("out of memory");
}

/* The share of the run in which a cable has carried packets, in the direction in which it is greater. */
static double
load_of(const struct cli_simulation *s, const struct moore_plan_cable *c, double ticks)
{
	double most = 0;

	for (int end = 0; end < 2; end++) {
		const uint32_t port = s->world->t.f->sw[c->sw[end]].port0 + c->port[end];
		const uint32_t packet = s->packet_of && s->packet_of[port] ? s->packet_of[port] : s->o.packet;

		most = fmax(most, (double)s->sent[port] * packet / ticks);
	}
	return most;
}

static void
put_subtitle(char *text, size_t size, const struct moore_simulation *row, double us)
{
	int n = snprintf(text, size, "%s, %s", moore_sim_routing_name(row->routing), row->pattern);

	if (!row->exchange)
		n += snprintf(text + n, size - (size_t)n, ", load %.3g", row->load);
	snprintf(text + n, size - (size_t)n, ": share of its rate that the fullest cable of each line has carried in %.1f us", us);
}

static double
duration(const struct cli_simulation *s, const struct moore_sim_result *x)
{
	const double run = (double)s->o.length * s->o.packet;

	return x->stalled ? (double)x->stalled_at : x->completion ? (double)x->completion : run;
}

int
cli_sim_put_floor(const struct cli_simulation *s, const struct moore_simulation *row, struct moore_buf *out)
{
	const struct moore_plan *p = s->job.plan;
	const double ticks = duration(s, &row->result);
	struct drawing d = { .width = WIDTH };
	char subtitle[200];
	int rc = cli_draw_floor(&d, p);

	if (rc == CLI_OK && !(d.line = calloc((size_t)p->n_cables + 1, sizeof(*d.line))))
		rc = cli_error("out of memory");
	for (uint32_t i = 0; rc == CLI_OK && i < p->n_cables; i++) {
		const struct moore_plan_cable *c = &p->cable[i];
		const uint32_t a = s->job.cabinet[c->sw[0]], b = s->job.cabinet[c->sw[1]];

		d.line[d.n_lines++] = (struct draw_line){ a < b ? a : b, a < b ? b : a, 1, load_of(s, c, ticks) };
	}
	if (rc == CLI_OK) {
		cli_draw_join(&d);
		put_subtitle(subtitle, sizeof(subtitle), row, ticks * s->how.ns / 1000);
		cli_draw_put(out, &d, p->family ? p->family : "general graph", subtitle);
	}
	cli_draw_free(&d);
	return rc;
}

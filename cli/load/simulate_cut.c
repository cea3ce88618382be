// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* simulate_cut.c - links that go down during a simulation and come up again, with the steps by which moore brings new
 * tables to the switches. */
#include <stdlib.h>
#include <string.h>

#include "load/simulate.h"

enum { SAFE, FAST };

const char *
cli_sim_motion_name(unsigned i)
{
	static const char *const name[] = { [SAFE] = "safe", [FAST] = "fast" };

	return i < ARRAY_LEN(name) ? name[i] : NULL;
}

/* ---- options --------------------------------------------------------------------------------- */

/* Reads microseconds as ticks; *out is the default before. */
static int
read_time(const struct cli_simulation *s, const char *opt, uint64_t *out)
{
	const double least = s->how.ns / 1000;
	double us = (double)*out * s->how.ns / 1000;
	const int rc = cli_sim_number(s->c, opt, least, 1e9, &us);

	if (rc == CLI_OK && cli_opt(s->c, opt))
		*out = (uint64_t)(us * 1000 / s->how.ns + 0.5);
	return rc;
}

static int
read_times(struct cli_simulation *s)
{
	const uint64_t end = (uint64_t)s->o.length * s->o.packet;
	struct cli_sim_cut *x = &s->cut;
	int rc;

	x->at = end / 4;
	x->pace = (struct moore_sim_pace){ .detect = (uint64_t)(20000 / s->how.ns), .step = (uint64_t)(10000 / s->how.ns),
					   .wait = (uint64_t)(20000 / s->how.ns), .seed = s->o.seed };
	if ((rc = read_time(s, "cut-at", &x->at)) != CLI_OK || (rc = read_time(s, "repair-at", &x->repair_at)) != CLI_OK ||
	    (rc = read_time(s, "detect", &x->pace.detect)) != CLI_OK ||
	    (rc = read_time(s, "step", &x->pace.step)) != CLI_OK ||
	    (rc = read_time(s, "wait", &x->pace.wait)) != CLI_OK)
		return rc;
	if (x->at >= end || x->repair_at >= end)
		return cli_misuse(s->c, "--%s: the run ends after %.1f us: give an earlier time, or a greater --length",
				  x->at >= end ? "cut-at" : "repair-at", (double)end * s->how.ns / 1000);
	return CLI_OK;
}

int
cli_sim_cut_options(struct cli_simulation *s)
{
	static const char *const only[] = { "cut-at", "repair-at", "motion", "detect", "step", "wait" };
	struct cli_sim_cut *x = &s->cut;

	x->wanted = cli_opt(s->c, "cut") != NULL;
	x->n_motions = 1;
	for (size_t i = 0; i < ARRAY_LEN(only) && !x->wanted; i++)
		if (cli_opt(s->c, only[i]))
			return cli_misuse(s->c, "--%s: of the link that --cut names", only[i]);
	if (!x->wanted)
		return CLI_OK;
	x->n_motions = 0;
	if (s->exchange)
		return cli_misuse(s->c, "--cut: packets are lost, so an exchange would never end: give --load");
	return cli_opt_names(s->c, "motion", "safe", cli_sim_motion_name, x->motion, &x->n_motions);
}

/* ---- the links, and routes without them --------------------------------------------------------- */

static int
find_links(struct cli_simulation *s)
{
	const struct moore_fabric *f = s->world->t.f;
	struct cli_sim_cut *x = &s->cut;
	int rc = CLI_OK;

	if (!(x->link = calloc(s->c->n_given + 1, sizeof(*x->link))))
		return cli_error("out of memory");
	for (size_t i = 0; i < s->c->n_given && rc == CLI_OK; i++) {
		struct moore_sim_link *l = &x->link[x->n_links];
		const char *what = s->c->given[i].value;

		if (strcmp(s->c->given[i].opt->name, "cut") != 0)
			continue;
		if ((rc = cli_find_port(s->c, "cut", f, what, &l->sw, &l->port)) != CLI_OK)
			continue;
		x->n_links++;
		if (l->sw == MOORE_NONE || !l->port || moore_fabric_port(f, l->sw, l->port)->role != MOORE_ROLE_SWITCH)
			rc = cli_misuse(s->c, "--cut %s: is no link between two switches: give NAME:PORT of one end", what);
	}
	return rc;
}

/* Routes without the links, and finds the steps there and back. */
static int
route_around(struct cli_simulation *s, struct moore_err *err)
{
	const struct cli_routing *r = &s->world->r;
	const struct moore_sim_tables *t = &s->world->t;
	struct moore_motion_opts opts = { .sl2vl = t->sl2vl, .jobs = &r->jobs };
	struct cli_sim_cut *x = &s->cut;
	int rc;

	if ((rc = moore_fabric_copy(&x->f, t->f, err)) < 0)
		return rc;
	for (size_t i = 0; i < x->n_links; i++)
		moore_fabric_cut(x->f, x->link[i].sw, x->link[i].port);
	if ((rc = moore_engine_run(&x->routed, x->f, r->plan, &r->conf, NULL, NULL, err)) < 0 ||
	    (rc = moore_engine_steps(&x->there, x->f, &(struct moore_held){ .lft = t->lft }, x->routed->lft, &opts,
				     err)) < 0)
		return rc;
	return moore_engine_steps(&x->back, t->f, &(struct moore_held){ .lft = x->routed->lft }, t->lft, &opts, err);
}

/* The links come up before the new tables of the cut are out, whose script was written. */
static int
repair_too_soon(const struct cli_simulation *s, unsigned motion, const struct moore_sim_script *cut)
{
	return cli_misuse(s->c, "--repair-at %s: the tables without the link are out only after %.1f us with motion %s: "
			  "give a later time, or shorter --detect, --step and --wait", cli_opt(s->c, "repair-at"),
			  (double)cut->change[cut->n - 1].at * s->how.ns / 1000, cli_sim_motion_name(motion));
}

static int
write_script(struct cli_simulation *s, unsigned motion)
{
	struct cli_sim_cut *x = &s->cut;
	const struct moore_lft *was = s->world->t.lft, *now = x->routed->lft;
	const struct moore_sim_turn turn[] = {
		{ .at = x->at, .kind = MOORE_SIM_DOWN, .link = x->link, .n_links = x->n_links,
		  .was = was, .now = now, .motion = motion == FAST ? NULL : x->there->motion },
		{ .at = x->repair_at, .kind = MOORE_SIM_UP, .link = x->link, .n_links = x->n_links,
		  .was = now, .now = was, .motion = motion == FAST ? NULL : x->back->motion },
	};
	struct moore_sim_script *script = &x->script[motion];
	struct moore_err err;

	if (script->change)	/* the motion was named twice */
		return CLI_OK;
	if (moore_sim_script_make(script, turn, 1, &x->pace, &err) < 0)
		return cli_error("%s", err.text);
	if (!x->repair_at)
		return CLI_OK;
	if (x->repair_at <= script->change[script->n - 1].at)
		return repair_too_soon(s, motion, script);
	free(script->change);
	return moore_sim_script_make(script, turn, 2, &x->pace, &err) < 0 ? cli_error("%s", err.text) : CLI_OK;
}

static int
write_scripts(struct cli_simulation *s)
{
	int rc = CLI_OK;

	for (unsigned i = 0; i < s->cut.n_motions && rc == CLI_OK; i++)
		rc = write_script(s, s->cut.motion[i]);
	return rc;
}

int
cli_sim_cut_ready(struct cli_simulation *s)
{
	struct moore_err err;
	int rc;

	if (!s->cut.wanted)
		return CLI_OK;
	if (!s->world->r.plan)
		return cli_misuse(s->c, "--cut: %s is a directory of tables, and moore's routes without the link follow "
				  "from a plan: give one", s->c->arg[0]);
	if (s->world->t.sl_set)
		return cli_misuse(s->c, "--cut: with profile sl-hint, sources change their SLs later than switches their "
				  "rows, which is not simulated");
	if ((rc = read_times(s)) != CLI_OK || (rc = find_links(s)) != CLI_OK)
		return rc;
	cli_busy("routing without the link");
	return route_around(s, &err) < 0 ? cli_error("%s", err.text) : write_scripts(s);
}

void
cli_sim_cut_free(struct cli_sim_cut *x)
{
	for (unsigned i = 0; i < 2; i++)
		free(x->script[i].change);
	moore_engine_steps_free(x->there);
	moore_engine_steps_free(x->back);
	moore_engine_result_free(x->routed);
	moore_fabric_free(x->f);
	free(x->link);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether_make.c - runs the engine on the racks: as a whole, or in parts where memory cannot hold all
 * tables; then the rows of the drawn switches are kept. */
#include <stdlib.h>
#include <string.h>

#include "ethernet/ether.h"
#include "threads.h"

void
cli_ether_made_fini(struct cli_ether_made *m)
{
	if (!m->whole)
		moore_verdict_free(m->verdict);
	moore_engine_result_free(m->whole);
	moore_lft_free(m->kept);
	free(m->row_of);
	*m = (struct cli_ether_made){ NULL };
}

const uint8_t *
cli_ether_row(const struct cli_ether_made *m, moore_swid s)
{
	return moore_lft_row(m->lft, m->row_of ? m->row_of[s] : s);
}

/* ---- in parts ------------------------------------------------------------------------------ */

struct taking {
	const struct cli_ether *e;
	const uint8_t *drawn;
	struct cli_ether_made *out;
	int rc;
	struct moore_err err;
};

static void
take(void *arg, const struct moore_lft *part, moore_lid first)
{
	struct taking *t = arg;
	const struct moore_fabric *f = t->e->racks;
	size_t left = t->out->kept->stride - first, n = left < part->stride ? left : part->stride;
	uint64_t n_routes;

	for (moore_swid s = 0; s < f->n_switches; s++)
		if (t->drawn[s])
			memcpy(moore_lft_row(t->out->kept, t->out->row_of[s]) + first, moore_lft_row(part, s), n);
	if (t->rc == 0)
		t->rc = moore_ether_count_routes(&n_routes, t->e->x, f, part, first, &t->err);
	if (t->rc == 0)
		t->out->n_routes += n_routes;
	cli_busy_share(NULL, (double)first / f->lid_top);
}

static int
make_parts(const struct cli_call *c, const struct cli_ether *e, const uint8_t *drawn, uint32_t n_drawn,
	   const struct moore_conf *conf, struct cli_ether_made *out)
{
	struct taking t = { .e = e, .drawn = drawn, .out = out };
	const struct moore_engine_taker taker = { take, &t };
	moore_swid row = 0;
	struct moore_err err;

	if (!(out->row_of = calloc((size_t)e->racks->n_switches + 1, sizeof(*out->row_of))))
		return cli_error("out of memory");
	for (moore_swid s = 0; s < e->racks->n_switches; s++)
		out->row_of[s] = drawn[s] ? row++ : MOORE_NONE;
	if (moore_lft_new(&out->kept, n_drawn, e->racks->lid_top, &err) < 0)
		return cli_error("%s", err.text);
	out->lft = out->kept;
	if (moore_engine_run_parts(&out->verdict, e->racks, conf, &taker, &err) < 0)
		return cli_error_at(c->arg[0], &err);
	return t.rc < 0 ? cli_error("%s", t.err.text) : CLI_OK;
}

/* ---- as a whole ------------------------------------------------------------------------------ */

static int
make_whole(const struct cli_call *c, const struct cli_ether *e, uint32_t n_drawn,
	   const struct moore_conf *conf, struct cli_ether_made *out)
{
	struct moore_err err;

	if (moore_engine_run(&out->whole, e->racks, NULL, conf, NULL, NULL, &err) < 0)
		return cli_error_at(c->arg[0], &err);
	out->verdict = out->whole->verdict;
	out->lft = out->whole->lft;
	/* If every switch gets files, the routes are counted in these. */
	if (n_drawn < e->racks->n_switches &&
	    moore_ether_count_routes(&out->n_routes, e->x, e->racks, out->lft, 0, &err) < 0)
		return cli_error("%s", err.text);
	return CLI_OK;
}

int
cli_ether_make(const struct cli_call *c, const struct cli_ether *e, const uint8_t *drawn,
	       uint32_t n_drawn, struct cli_ether_made *out)
{
	struct moore_jobs jobs;
	struct moore_conf conf;

	*out = (struct cli_ether_made){ NULL };
	moore_conf_defaults(&conf);
	conf.profile = e->x->opts.n_classes == 1 ? MOORE_PROFILE_ONE_VL : MOORE_PROFILE_ANY_SL;
	conf.by_roles = true;
	jobs = threads_lend(conf.threads);
	conf.jobs = &jobs;
	cli_busy("routing");
	if (moore_ether_in_parts(e->x))
		return make_parts(c, e, drawn, n_drawn, &conf, out);
	return make_whole(c, e, n_drawn, &conf, out);
}

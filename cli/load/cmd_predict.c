// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_predict.c - `moorectl predict`, `whatif` and `place-job`: the verbs. */
#include <stdlib.h>

#include "load/predict.h"

/* ---- the verbs ---------------------------------------------------------------------------------------- */

static int
load_matrix(struct cli_prediction *r)
{
	const char *path = cli_opt(r->c, "matrix");
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_err err;
	int rc;

	if (!path)
		return CLI_OK;
	if ((rc = cli_read(path, &text)) == CLI_OK &&
	    moore_amounts_parse(&r->matrix, &r->n_amounts, r->world[0].f, text.data, text.len, &err) < 0)
		rc = cli_error_at(path, &err);
	if (rc == CLI_OK && !r->n_amounts)
		rc = cli_error("%s: holds no amount between two nodes: a line is SOURCE DESTINATION AMOUNT",
			       cli_file_name(path));
	moore_buf_free(&text);
	return rc;
}

int
cli_predict_ready(struct cli_prediction *r, bool whatif)
{
	int rc;

	if ((rc = cli_predict_options(r)) != CLI_OK || (rc = cli_predict_patterns(r)) != CLI_OK ||
	    (rc = cli_load_plan(r->c->arg[0], &r->plan)) != CLI_OK ||
	    (rc = cli_predict_world(r, false)) != CLI_OK || (whatif && (rc = cli_predict_world(r, true)) != CLI_OK) ||
	    (rc = cli_predict_floor(r)) != CLI_OK || (rc = load_matrix(r)) != CLI_OK)
		return rc;
	if (!r->processes && (uint64_t)r->world[0].f->n_endpoints * r->per_node > CLI_PREDICT_PROCESSES)
		return cli_misuse(r->c, "--per-node %u: over %d processes: give --processes", r->per_node,
				  CLI_PREDICT_PROCESSES);
	if (!r->processes)
		r->processes = r->world[0].f->n_endpoints * r->per_node;
	if (r->processes <= r->per_node)
		return cli_error("%s: the processes fill fewer than two nodes", r->c->arg[0]);
	r->nodes = (r->processes - 1) / r->per_node + 1;
	return CLI_OK;
}

static int
predict(struct cli_prediction *r, bool whatif)
{
	int rc;

	if ((rc = cli_predict_ready(r, whatif)) != CLI_OK || (rc = cli_predict_all(r)) != CLI_OK)
		return rc;
	return cli_predict_show(r);
}

int
cli_predict_call(const struct cli_call *c, int (*verb)(struct cli_prediction *r))
{
	struct cli_prediction r = { .c = c, .loads = MOORE_BUF_INIT };
	const int rc = verb(&r);

	for (unsigned i = 0; i < r.n_worlds; i++) {
		moore_engine_result_free(r.world[i].result);
		moore_fabric_free(r.world[i].f);
		free(r.world[i].node);
	}
	moore_plan_free(r.plan);
	free(r.cabinet);
	free(r.group);
	free(r.matrix);
	free(r.node);
	free(r.row);
	free(r.load);
	free(r.own);
	moore_buf_free(&r.loads);
	return rc;
}

static int
predict_whole(struct cli_prediction *r)
{
	return predict(r, false);
}

static int
predict_cut(struct cli_prediction *r)
{
	return predict(r, true);
}

int
cmd_predict(const struct cli_call *c)
{
	return cli_predict_call(c, predict_whole);
}

int
cmd_place_job(const struct cli_call *c)
{
	return cli_predict_call(c, cli_place_job);
}

int
cmd_whatif(const struct cli_call *c)
{
	if (!cli_has(c, "fail"))
		return cli_misuse(c, "--fail NAME[:PORT] is missing: what fails");
	return cli_predict_call(c, predict_cut);
}

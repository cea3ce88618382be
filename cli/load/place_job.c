// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* place_job.c - a placement that is searched for, beside nodes in order and random ones. */
#include <stdlib.h>
#include <string.h>

#include "load/predict.h"

/* ---- a placement that is searched for ------------------------------------------------------------------ */

#define ITERATIONS 400000

/* Marks the nodes that a file names, one in a line, as taken. */
static int
read_busy(const struct cli_prediction *r, bool *taken)
{
	const struct moore_fabric *f = r->world[0].f;
	const char *path = cli_opt(r->c, "busy");
	struct moore_buf text = MOORE_BUF_INIT;
	unsigned line = 1;
	int rc = path ? cli_read(path, &text) : CLI_OK;

	for (char *at = text.data, *end; rc == CLI_OK && at && *at; at = end + 1, line++) {
		struct moore_err err;
		moore_swid sw;
		moore_epid ep;
		bool last;

		end = at + strcspn(at, "\n");
		last = !*end;
		*end = '\0';
		if (end > at && end[-1] == '\r')
			end[-1] = '\0';
		if (*at && *at != '#') {
			if (moore_fabric_find(f, at, &sw, &ep, &err) < 0 || ep == MOORE_NONE)
				rc = cli_error("%s:%u: %s: not the name of a node", path, line, at);
			else
				taken[ep] = true;
		}
		if (last)
			break;
	}
	moore_buf_free(&text);
	return rc;
}

/* Sets where the processes of each flow run. */
static void
seat(struct moore_flow *out, const struct moore_flow *flow, uint32_t n, const moore_epid *node)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = (struct moore_flow){ node[flow[i].from], node[flow[i].to], flow[i].amount };
}

/* Adds the rows of linear, random and searched placements of the flows between processes. */
static int
compare_placements(struct cli_prediction *r, const struct moore_flow *flow, uint32_t n, struct moore_flow *seated,
		   const bool *taken)
{
	const struct cli_world *w = &r->world[0];
	const struct moore_job_search o = { .routing = (enum moore_routing)r->routing[0],
		.lft = w->result ? w->result->lft : NULL, .taken = taken, .seed = r->seed,
		.iterations = ITERATIONS, .progress = cli_busy_share };
	const struct moore_floor floor = { r->cabinet, r->group };
	const enum moore_job_placement tried[] = { MOORE_PLACED_LINEAR, MOORE_PLACED_RDN };
	const char *pattern = moore_job_pattern_name((enum moore_job_pattern)r->pattern[0]);
	struct moore_err err;
	int rc = CLI_OK;

	for (size_t i = 0; i < ARRAY_LEN(tried) && rc == CLI_OK; i++) {
		if (moore_job_place(r->node, r->processes, w->f, &floor, taken, tried[i], r->seed, &err) < 0)
			return cli_error("%s", err.text);
		seat(seated, flow, n, r->node);
		rc = cli_predict_rows(r, seated, n, pattern, moore_job_placement_name(tried[i]));
	}
	if (rc != CLI_OK)
		return rc;
	cli_busy("searching");
	if (moore_job_search(r->node, r->processes, w->f, flow, n, &o, &err) < 0)
		return cli_error("%s", err.text);
	seat(seated, flow, n, r->node);
	return cli_predict_rows(r, seated, n, pattern, "searched");
}

static int
search(struct cli_prediction *r)
{
	moore_epid *process = calloc((size_t)r->processes + 1, sizeof(*process));
	bool *taken = calloc((size_t)r->world[0].f->n_endpoints + 1, sizeof(*taken));
	struct moore_flow *flow = NULL, *seated = NULL;
	struct moore_err err;
	uint32_t n = 0;
	int rc = process && taken ? read_busy(r, taken) : cli_error("out of memory");

	for (uint32_t i = 0; i < r->processes && process; i++)
		process[i] = i;
	if (rc == CLI_OK && moore_job_flows(&flow, &n, (enum moore_job_pattern)r->pattern[0], process,
					    r->processes, 1, r->seed, &err) < 0)
		rc = cli_error("%s", err.text);
	if (rc == CLI_OK && !(seated = calloc((size_t)n + 1, sizeof(*seated))))
		rc = cli_error("out of memory");
	if (rc == CLI_OK)
		rc = compare_placements(r, flow, n, seated, taken);
	free(process);
	free(taken);
	free(flow);
	free(seated);
	return rc;
}

/* Writes the names of the nodes, one in a line, in the order of the processes. */
static int
write_nodes(const struct cli_prediction *r)
{
	const char *to = cli_opt(r->c, "output");
	struct moore_buf b = MOORE_BUF_INIT;
	int rc = CLI_OK;

	for (uint32_t i = 0; i < r->processes && to; i++)
		cli_putf(&b, "%s\n", r->world[0].f->ep[r->node[i]].name);
	if (to)
		rc = cli_write(to, &b);
	moore_buf_free(&b);
	return rc;
}

int
cli_place_job(struct cli_prediction *r)
{
	int rc;

	if ((rc = cli_predict_options(r)) != CLI_OK)
		return rc;
	if (!cli_opt(r->c, "pattern") || !r->processes || r->n_patterns > 1 || r->n_routings > 1 ||
	    moore_job_pattern_kind((enum moore_job_pattern)r->pattern[0]) != MOORE_JOB_OF_PROCESSES)
		return cli_misuse(r->c, "give --processes N, one --pattern of processes that do not all send to all "
				  "others, and one --routing, SD or tables");
	r->nodes = r->processes;
	r->node = calloc((size_t)r->processes + 1, sizeof(*r->node));
	r->row = calloc(CLI_PREDICT_ROWS, sizeof(*r->row));
	if (!r->node || !r->row)
		return cli_error("out of memory");
	if ((rc = cli_load_plan(r->c->arg[0], &r->plan)) != CLI_OK || (rc = cli_predict_world(r, false)) != CLI_OK ||
	    (rc = search(r)) != CLI_OK || (rc = write_nodes(r)) != CLI_OK)
		return rc;
	return cli_predict_show(r);
}

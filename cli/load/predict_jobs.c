// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* predict_jobs.c - what runs on the fabric: one job in a pattern and a placement, several jobs together, or
 * the messages of a file. */
#include <stdlib.h>
#include <string.h>

#include "load/predict.h"

static int
run_job(struct cli_prediction *r, enum moore_job_pattern pattern, enum moore_job_placement placement)
{
	const bool even = moore_job_pattern_kind(pattern) == MOORE_JOB_EVEN;
	const struct moore_floor floor = { r->cabinet, r->group };
	const struct cli_world *w = &r->world[0];
	struct moore_flow *flow = NULL;
	struct moore_err err;
	uint32_t n = 0;
	int rc;

	if (moore_job_place(r->node, r->nodes, w->f, &floor, NULL, placement, r->seed, &err) < 0)
		return cli_error("%s", err.text);
	if (!even && (rc = cli_predict_flows(r, pattern, w->f, w->result ? w->result->lft : NULL, r->seed, &flow,
					     &n)) != CLI_OK)
		return rc;
	rc = cli_predict_rows(r, even ? NULL : flow, n, moore_job_pattern_name(pattern),
		      moore_job_placement_name(placement));
	free(flow);
	return rc;
}

static int
run_matrix(struct cli_prediction *r)
{
	struct moore_flow *flow = calloc((size_t)r->n_amounts + 1, sizeof(*flow));
	int rc;

	if (!flow)
		return cli_error("out of memory");
	for (uint32_t i = 0; i < r->n_amounts; i++)
		flow[i] = (struct moore_flow){ r->matrix[i].from, r->matrix[i].to, r->matrix[i].amount };
	rc = cli_predict_rows(r, flow, r->n_amounts, cli_opt(r->c, "matrix"), "as named");
	free(flow);
	return rc;
}

/* ---- a mix of jobs ----------------------------------------------------------------------------- */

struct job {
	unsigned pattern, placement;
	uint32_t processes;
	double amount;		/* of a message */
	enum moore_routing routing;	/* MOORE_N_ROUTINGS: none of its own */
};

/* Reads what follows a placement: [:AMOUNT][:ROUTING]. */
static bool
read_rest(const char *text, struct job *j)
{
	char *end;

	if (*text == ':' && (text[1] < 'A' || text[1] > 'z')) {
		j->amount = strtod(text + 1, &end);
		if (end == text + 1)
			return false;
		text = end;
	}
	for (unsigned r = MOORE_ROUTING_AD; *text == ':' && r <= MOORE_ROUTING_AH; r++)
		if (strcasecmp(text + 1, moore_routing_name((enum moore_routing)r)) == 0) {
			j->routing = (enum moore_routing)r;
			return true;
		}
	return !*text;
}

static bool
has_own(const struct cli_prediction *r)
{
	return r->n_routings == 1 && r->routing[0] == MOORE_ROUTING_OWN;
}

/* Reads PATTERN:PROCESSES:PLACEMENT[:AMOUNT][:ROUTING]. */
static int
read_job(const struct cli_prediction *r, const char *text, struct job *j)
{
	char pattern[32] = "", processes[10] = "", placement[32] = "";	/* of up to 9 digits */
	int end = 0;

	*j = (struct job){ .amount = 1, .routing = MOORE_N_ROUTINGS };
	sscanf(text, "%31[^:]:%9[0-9]:%31[^:]%n", pattern, processes, placement, &end);
	j->processes = (uint32_t)strtoul(processes, NULL, 10);
	while (cli_job_pattern(j->pattern) && strcasecmp(cli_job_pattern(j->pattern), pattern) != 0)
		j->pattern++;
	while (cli_job_placement(j->placement) && strcasecmp(cli_job_placement(j->placement), placement) != 0)
		j->placement++;
	if (!end || !read_rest(text + end, j) || !cli_job_pattern(j->pattern) ||
	    !cli_job_placement(j->placement) || j->processes < 2 || !(j->amount > 0 && j->amount < 1e12))
		return cli_misuse(r->c, "--job %s: give PATTERN:PROCESSES:PLACEMENT, such as "
				  "stencil3:512:RDR, and if you like :AMOUNT of a message, and :AD, :AI or :AH", text);
	if ((j->routing != MOORE_N_ROUTINGS) != has_own(r))
		return cli_misuse(r->c, has_own(r) ? "--routing own: --job %s names none: add :AD, :AI or :AH" :
				  "--job %s: it names a routing, which --routing own uses", text);
	if (j->pattern == MOORE_JOB_UNIFORM)
		return cli_misuse(r->c, "--job %s: uniform traffic is not mixed with other jobs: use alltoall or "
				  "spread", text);
	if (moore_job_pattern_kind((enum moore_job_pattern)j->pattern) == MOORE_JOB_OF_SWITCHES)
		return cli_misuse(r->c, "--job %s: the pattern is one of all nodes: use --pattern", text);
	return CLI_OK;
}

/* Places one job, which --job gives as text, on nodes that are free, and appends its flows. */
static int
add_job(struct cli_prediction *r, const char *text, const struct job *j, uint64_t seed, bool *taken,
	struct moore_flow **all, uint32_t *n)
{
	uint8_t *routing;
	const struct moore_floor floor = { r->cabinet, r->group };
	struct moore_flow *flow = NULL, *grown;
	struct moore_err err;
	const uint32_t nodes = (j->processes - 1) / r->per_node + 1;
	uint32_t n_flows = 0;

	if (nodes > r->world[0].f->n_endpoints)
		return cli_error("--job %s: %u nodes are needed, but the fabric has %u: give fewer processes", text,
				 nodes, r->world[0].f->n_endpoints);
	if (moore_job_place(r->node, nodes, r->world[0].f, &floor, taken,
			    (enum moore_job_placement)j->placement, seed, &err) < 0 ||
	    moore_job_flows(&flow, &n_flows, (enum moore_job_pattern)j->pattern, r->node, j->processes,
			    r->per_node, seed, &err) < 0)
		return cli_error("--job %s: %s", text, err.text);
	if (!(grown = realloc(*all, ((size_t)*n + n_flows + 1) * sizeof(*grown)))) {
		free(flow);
		return cli_error("out of memory");
	}
	*all = grown;
	if (!(routing = realloc(r->own, (size_t)*n + n_flows + 1))) {
		free(flow);
		return cli_error("out of memory");
	}
	r->own = routing;
	for (uint32_t i = 0; i < n_flows; i++) {
		routing[*n] = (uint8_t)j->routing;
		grown[*n] = flow[i];
		grown[(*n)++].amount *= j->amount;
	}
	for (uint32_t i = 0; i < nodes; i++)
		taken[r->node[i]] = true;
	free(flow);
	return CLI_OK;
}

/* Runs all jobs of --job together.  Each has a seed of its own, by its number among the jobs. */
static int
run_mix(struct cli_prediction *r)
{
	bool *taken = calloc((size_t)r->world[0].f->n_endpoints + 1, sizeof(*taken));
	struct moore_flow *all = NULL;
	uint32_t n = 0, processes = 0, n_jobs = 0;
	int rc = taken ? CLI_OK : cli_error("out of memory");

	for (size_t i = 0; i < r->c->n_given && rc == CLI_OK; i++) {
		const char *text = r->c->given[i].value;
		struct job j;

		if (strcmp(r->c->given[i].opt->name, "job") != 0 || (rc = read_job(r, text, &j)) != CLI_OK)
			continue;
		rc = add_job(r, text, &j, r->seed + n_jobs++, taken, &all, &n);
		processes += j.processes;
	}
	r->processes = processes;
	r->mixed = true;
	if (rc == CLI_OK)
		rc = cli_predict_rows(r, all, n, "jobs", "mixed");
	free(all);
	free(taken);
	return rc;
}

int
cli_predict_all(struct cli_prediction *r)
{
	int rc = CLI_OK;

	r->node = calloc((size_t)r->nodes + 1, sizeof(*r->node));
	r->row = calloc(CLI_PREDICT_ROWS, sizeof(*r->row));
	if (!r->node || !r->row)
		return cli_error("out of memory");
	if (r->matrix)
		return run_matrix(r);
	if (cli_opt(r->c, "job"))
		return run_mix(r);
	for (unsigned i = 0; i < r->n_patterns; i++)
		for (unsigned k = 0; k < r->n_placements && rc == CLI_OK; k++)
			rc = run_job(r, (enum moore_job_pattern)r->pattern[i],
				     (enum moore_job_placement)r->placement[k]);
	return rc;
}

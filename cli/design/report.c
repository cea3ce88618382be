// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* report.c - measures a topology with the same engine, judge and placement that later run it. */
#include <stdlib.h>

#include "cli.h"
#include "design/report.h"
#include "design/structure.h"
#include "moore/predict.h"
#include "threads.h"

#define ROUTED_MAX 700		/* switches: their routes are judged within half a minute */
#define PLACED_MAX 6000		/* and these are placed within one */
#define LMC_MAX 2

void
cli_report_begin(struct moore_topo_report *r, const struct moore_topo *t)
{
	*r = (struct moore_topo_report){ .t = t, .lmc = -1, .uniform = -1, .worst = -1, .shortest = -1,
					 .metres = -1, .longest = -1 };
	cli_structure_unknown(&r->s);
	t->family->counts(t->param, &r->n);
}

int
cli_report_graph(struct moore_topo_report *r, const struct moore_topo *t, struct moore_err *err)
{
	const struct cli_graph g = { t->n_switches, t->link, t->n_links, t->endpoints };
	const bool transitive = t->family->transitive;
	int rc;

	cli_report_begin(r, t);
	if ((rc = moore_graph_measure(t->n_switches, t->link, t->n_links, transitive ? 1 : t->n_switches,
				      &r->m, cli_busy_share, NULL, err)) < 0)
		return rc;
	return cli_structure(&r->s, &g, transitive, err);
}

int
cli_worst_share(double *uniform, double *worst, const struct moore_fabric *f,
		const struct moore_lft *lft, uint64_t seed, struct moore_err *err)
{
	const struct moore_saturation_opts opts = { .seed = seed, .starts = 1 };
	moore_swid *to = calloc((size_t)f->n_switches + 1, sizeof(*to));
	struct moore_saturation s;
	int rc = to ? 0 : moore_fail_nomem(err);

	*uniform = *worst = 1;
	for (enum moore_pattern p = 0; rc == 0 && p < MOORE_N_PATTERNS; p++) {
		double carried;

		if (!moore_pattern_fits(f, p) ||
		    (rc = moore_saturation_measure(&s, to, f, lft, p, &opts, err)) < 0)
			continue;
		carried = moore_throughput(p != MOORE_PATTERN_UNIFORM ? s.pair : s.global > 0 ? s.global : s.even);
		if (p == MOORE_PATTERN_UNIFORM)
			*uniform = carried;
		else if (s.n_flows && carried < *worst)
			*worst = carried;
	}
	free(to);
	return rc;
}

/* The share of full rate at which uniform traffic fills the first link if it goes evenly over all
 * shortest paths. */
static int
judge_paths(double *share, const struct moore_fabric *f, struct moore_err *err)
{
	const struct moore_predict_opts o = { .routing = MOORE_ROUTING_SD };
	moore_epid *node = calloc((size_t)f->n_endpoints + 1, sizeof(*node));
	const struct moore_traffic t = { .uniform = true, .node = node, .n_nodes = f->n_endpoints };
	struct moore_predicted p;
	double most = 1;
	int rc = node ? 0 : moore_fail_nomem(err);

	for (moore_epid e = 0; node && e < f->n_endpoints; e++)
		node[e] = e;
	if (rc == 0 && (rc = moore_predict(&p, f, &t, &o, err)) == 0) {
		for (uint32_t i = 0; i < f->n_ports; i++)
			if (f->port[i].role == MOORE_ROLE_SWITCH && p.load[i] > most)
				most = p.load[i];
		free(p.load);
		*share = 1 / most;
	}
	free(node);
	return rc;
}

/* Routes the plan with this LMC and judges the routes. */
static int
judge_routes(struct moore_topo_report *r, const struct moore_plan *p, uint8_t lmc, struct moore_err *err)
{
	struct moore_engine_result *result = NULL;
	struct moore_fabric *f = NULL;
	struct moore_jobs jobs;
	struct moore_conf conf;
	int rc;

	moore_conf_defaults(&conf);
	jobs = threads_lend(conf.threads);
	conf.jobs = &jobs;
	if ((rc = moore_fabric_from_plan(&f, p, lmc, err)) == 0 &&
	    (rc = judge_paths(&r->shortest, f, err)) == 0 &&
	    (rc = moore_engine_run(&result, f, p, &conf, NULL, NULL, err)) == 0 &&
	    (rc = cli_worst_share(&r->uniform, &r->worst, f, result->lft, 0, err)) == 0)
		r->lmc = lmc;
	moore_engine_result_free(result);
	moore_fabric_free(f);
	return rc;
}

static int
measure_cables(struct moore_topo_report *r, struct moore_plan *p, struct moore_err *err)
{
	const struct moore_place_opts o = { .model = moore_place_model_at(0), .iterations = 200000, .seed = 1,
					    .assign = MOORE_PLACE_REFINED };
	struct moore_place_report placed;
	const int rc = moore_place(p, &o, &placed, err);

	if (rc < 0)
		return rc;
	r->metres = placed.total;
	r->longest = placed.longest;
	return 0;
}

/* The greatest LMC for which there are LIDs, -1 if there is none. */
static int
greatest_lmc(const struct moore_topo_counts *n)
{
	int lmc = LMC_MAX;

	while (lmc >= 0 && n->switches + ((n->endpoints + 1) << lmc) > MOORE_LID_MAX)
		lmc--;
	return lmc;
}

int
cli_report_worth(struct moore_topo_report *r, struct moore_err *err)
{
	const int lmc = greatest_lmc(&r->n);
	struct moore_plan *p = NULL;
	int rc = 0;

	if (r->n.switches > PLACED_MAX)
		return 0;
	if ((rc = moore_plan_from_topo(&p, r->t, err)) < 0)
		return rc;
	if (r->n.switches <= ROUTED_MAX && r->n.endpoints > 1 && lmc >= 0)
		rc = judge_routes(r, p, (uint8_t)lmc, err);
	if (rc == 0)
		rc = measure_cables(r, p, err);
	moore_plan_free(p);
	return rc;
}

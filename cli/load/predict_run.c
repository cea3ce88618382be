// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* predict_run.c - options, fabrics, and one row for each routing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load/predict.h"
#include "threads.h"

/* ---- options ------------------------------------------------------------------------------ */

int
cli_opt_names(const struct cli_call *c, const char *option, const char *dflt, const char *(*name)(unsigned),
	      unsigned *out, unsigned *n)
{
	const char *text = cli_opt(c, option) ? cli_opt(c, option) : dflt;
	char known[256] = "";

	for (unsigned i = 0; name(i); i++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known), i ? ", %s" : "%s", name(i));
	for (const char *at = text; *n < CLI_PREDICT_LIST; at += strcspn(at, ",") + 1) {
		const size_t len = strcspn(at, ",");
		unsigned i = 0;

		while (name(i) && (strlen(name(i)) != len || strncasecmp(name(i), at, len) != 0))
			i++;
		if (!name(i))
			return cli_misuse(c, "--%s %.*s: give one or several of %s, with commas between",
					  option, (int)len, at, known);
		out[(*n)++] = i;
		if (!at[len])
			return CLI_OK;
	}
	return cli_misuse(c, "--%s: over %d names", option, CLI_PREDICT_LIST);
}

static const char *
routing_name(unsigned i)
{
	return moore_routing_name((enum moore_routing)i);
}

const char *
cli_job_pattern(unsigned i)
{
	return moore_job_pattern_name((enum moore_job_pattern)i);
}

const char *
cli_job_placement(unsigned i)
{
	return moore_job_placement_name((enum moore_job_placement)i);
}

static bool
of_switches(unsigned pattern)
{
	return moore_job_pattern_kind((enum moore_job_pattern)pattern) == MOORE_JOB_OF_SWITCHES;
}

int
cli_predict_patterns(const struct cli_prediction *r)
{
	static const char *const unused[] = { "processes", "placement", "per-node" };

	for (unsigned i = 0; i < r->n_patterns; i++)
		for (size_t k = 0; of_switches(r->pattern[i]) && k < ARRAY_LEN(unused); k++)
			if (cli_opt(r->c, unused[k]))
				return cli_misuse(r->c, "--pattern %s: all nodes of a switch send to those of another "
						  "one, so leave --%s out", cli_job_pattern(r->pattern[i]), unused[k]);
	return CLI_OK;
}

int
cli_predict_options(struct cli_prediction *r)
{
	const struct cli_call *c = r->c;
	uint64_t processes = 0, per_node = 1;
	int rc;

	r->seed = 1;
	r->sample = 4096;
	if ((rc = cli_opt_names(c, "routing", "tables", routing_name, r->routing, &r->n_routings)) != CLI_OK ||
	    (rc = cli_opt_names(c, "pattern", "uniform", cli_job_pattern, r->pattern, &r->n_patterns)) != CLI_OK ||
	    (rc = cli_opt_names(c, "placement", "linear", cli_job_placement, r->placement, &r->n_placements)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "processes", 2, CLI_PREDICT_PROCESSES, &processes)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "per-node", 1, 10000, &per_node)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "lmc", 0, 7, &r->lmc)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "sample", 1, UINT32_MAX, &r->sample)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "seed", 0, INT64_MAX, &r->seed)) != CLI_OK)
		return rc;
	if (cli_opt(c, "job") && (cli_opt(c, "pattern") || cli_opt(c, "placement") || processes ||
				  cli_opt(c, "matrix")))
		return cli_misuse(c, "--job: it names patterns, placements and processes, so leave those "
				  "options and --matrix out");
	for (unsigned i = 0; i < r->n_routings; i++)
		if (r->routing[i] == MOORE_ROUTING_OWN && (!cli_opt(c, "job") || r->n_routings > 1))
			return cli_misuse(c, "--routing own: it stands alone, and each --job names its routing");
	if (cli_opt(c, "matrix") && (cli_opt(c, "pattern") || cli_opt(c, "placement") || processes))
		return cli_misuse(c, "--matrix: it names the nodes, so leave --pattern, --placement and "
				  "--processes out");
	r->processes = (uint32_t)processes;
	r->per_node = (uint32_t)per_node;
	return CLI_OK;
}

/* ---- the fabric -------------------------------------------------------------------------------- */

/* True if some routing, or the search for a pattern, needs tables. */
static bool
by_tables(const struct cli_prediction *r)
{
	for (unsigned i = 0; i < r->n_patterns; i++)
		if (of_switches(r->pattern[i]))
			return true;
	for (unsigned i = 0; i < r->n_routings; i++)
		if (r->routing[i] == MOORE_ROUTING_TABLES)
			return true;
	return false;
}

/* Finds the nodes of a cut fabric, which are in the order of the whole one. */
static int
match_nodes(const struct moore_fabric *whole, struct cli_world *w)
{
	moore_epid i = 0;

	if (!(w->node = calloc((size_t)whole->n_endpoints + 1, sizeof(*w->node))))
		return cli_error("out of memory");
	for (moore_epid e = 0; e < whole->n_endpoints; e++)
		w->node[e] = i < w->f->n_endpoints && w->f->ep[i].guid == whole->ep[e].guid ? i++ : MOORE_NONE;
	return CLI_OK;
}

int
cli_predict_world(struct cli_prediction *r, bool cut)
{
	struct cli_world *w = &r->world[r->n_worlds++];
	const moore_lid lid_max = by_tables(r) ? MOORE_LID_MAX : 1u << 30;
	struct moore_jobs jobs = threads_lend(0);
	struct moore_conf conf;
	struct moore_err err;
	int rc = CLI_OK;

	w->cut = cut;
	if (moore_fabric_from_plan_to(&w->f, r->plan, (uint8_t)r->lmc, lid_max, &err) < 0)
		return cli_error_at(r->c->arg[0], &err);
	if (cut && ((rc = cli_fail_parts(r->c, &w->f)) != CLI_OK ||
		    (rc = match_nodes(r->world[0].f, w)) != CLI_OK))
		return rc;
	moore_conf_defaults(&conf);
	conf.jobs = &jobs;
	if (by_tables(r) && moore_engine_run(&w->result, w->f, r->plan, &conf, NULL, NULL, &err) < 0)
		return cli_error_at(r->c->arg[0], &err);
	return CLI_OK;
}

static int
by_name(const void *x, const void *y)
{
	const struct moore_plan_cabinet *const *a = x, *const *b = y;

	return strcmp((*a)->name, (*b)->name);
}

/* Fills r->cabinet and r->group; false if some switch is not placed.  sorted has room for all cabinets. */
static bool
find_cabinets(struct cli_prediction *r, const struct moore_plan_cabinet **sorted)
{
	const struct moore_plan *p = r->plan;

	for (uint32_t i = 0; i < p->n_cabinets; i++)
		sorted[i] = &p->cabinet[i];
	qsort(sorted, p->n_cabinets, sizeof(*sorted), by_name);
	for (uint32_t s = 0; s < p->n_switches; s++) {
		const struct moore_plan_cabinet wanted = { .name = p->sw[s].cabinet }, *key = &wanted;
		const struct moore_plan_cabinet **found = !wanted.name ? NULL :
			bsearch(&key, sorted, p->n_cabinets, sizeof(*sorted), by_name);

		if (!found)
			return false;
		r->cabinet[s] = (uint32_t)(*found - p->cabinet);
		r->group[s] = (*found)->row;
	}
	return true;
}

int
cli_predict_floor(struct cli_prediction *r)
{
	const struct moore_plan *p = r->plan;
	const struct moore_plan_cabinet **sorted = calloc((size_t)p->n_cabinets + 1, sizeof(*sorted));

	r->cabinet = calloc((size_t)p->n_switches + 1, sizeof(*r->cabinet));
	r->group = calloc((size_t)p->n_switches + 1, sizeof(*r->group));
	if (!sorted || !r->cabinet || !r->group) {
		free(sorted);
		return cli_error("out of memory");
	}
	if (!find_cabinets(r, sorted)) {
		free(r->cabinet);
		free(r->group);
		r->cabinet = r->group = NULL;
	}
	free(sorted);
	return CLI_OK;
}

/* ---- flows ----------------------------------------------------------------------------------------- */

int
cli_predict_flows(const struct cli_prediction *r, unsigned pattern, const struct moore_fabric *f,
		  const struct moore_lft *lft, uint64_t seed, struct moore_flow **flow, uint32_t *n)
{
	const enum moore_job_pattern p = (enum moore_job_pattern)pattern;
	struct moore_err err;
	int rc;

	if (of_switches(pattern))
		cli_busy("finding who sends to whom");
	rc = of_switches(pattern) ? moore_job_switch_flows(flow, n, p, f, lft, seed, &err) :
		moore_job_flows(flow, n, p, r->node, r->processes, r->per_node ? r->per_node : 1, seed, &err);
	return rc == -MOORE_EINVAL ? cli_misuse(r->c, "--pattern %s", err.text) :
		rc < 0 ? cli_error("%s", err.text) : CLI_OK;
}

/* ---- one row --------------------------------------------------------------------------------------- */

/* The most that one node sends, or receives. */
static double
most_of_a_node(const struct moore_fabric *f, const struct moore_traffic *t, double *sum)
{
	double most = t->uniform ? 1 : 0;

	for (int sends = 0; sends < 2 && !t->uniform; sends++) {
		memset(sum, 0, ((size_t)f->n_endpoints + 1) * sizeof(*sum));
		for (uint32_t i = 0; i < t->n_flows; i++) {
			double *at = &sum[sends ? t->flow[i].from : t->flow[i].to];

			*at += t->flow[i].amount;
			most = *at > most ? *at : most;
		}
	}
	return most > 0 ? most : 1;
}

static int
summarize(struct moore_prediction *row, const struct moore_fabric *f, const struct moore_traffic *t,
	  struct moore_predicted *p)
{
	double *load = calloc((size_t)f->n_ports + f->n_endpoints + 1, sizeof(*load));
	double all = t->uniform ? t->n_nodes : 0, most;
	uint32_t n = 0;

	if (!load)
		return cli_error("out of memory");
	most = most_of_a_node(f, t, load);
	for (uint32_t i = 0; i < f->n_ports; i++) {
		p->load[i] /= most;
		if (f->port[i].role == MOORE_ROLE_SWITCH)
			load[n++] = p->load[i];
	}
	for (uint32_t i = 0; i < t->n_flows && !t->uniform; i++)
		all += t->flow[i].amount;
	moore_summarize(&row->load, load, n);
	row->saturation = row->load.max > 1 ? 1 / row->load.max : 1;
	row->lost = all > 0 ? p->lost / all : 0;
	row->sampled = p->sampled;
	row->error = sqrt(p->variance) / most;
	free(load);
	return CLI_OK;
}

static void
note_word(struct cli_prediction *r, const char *word)
{
	moore_csv_put(&r->loads, word);
	cli_putf(&r->loads, ",");
}

/* Notes the load of each link between switches in a direction. */
static void
note_loads(struct cli_prediction *r, const struct moore_fabric *f, const struct moore_prediction *row, const double *load)
{
	if (!r->n_rows)
		cli_putf(&r->loads, "routing,pattern,placement,cut,switch,port,peer,peer_port,load\n");
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

			if (port->role != MOORE_ROLE_SWITCH)
				continue;
			cli_putf(&r->loads, "%s,", moore_routing_name(row->routing));
			note_word(r, row->pattern);	/* may be the name of a file */
			cli_putf(&r->loads, "%s,%s,", row->placement, row->cut ? "yes" : "no");
			note_word(r, f->sw[s].name);
			cli_putf(&r->loads, "%u,", p);
			note_word(r, f->sw[port->peer].name);
			cli_putf(&r->loads, "%u,%.9g\n", port->peer_port, load[f->sw[s].port0 + p]);
		}
}

static int
add_row(struct cli_prediction *r, const struct cli_world *w, enum moore_routing routing, const struct moore_traffic *t,
	const char *pattern, const char *placement)
{
	const struct moore_jobs jobs = threads_lend(0);
	const struct moore_predict_opts o = { .routing = routing, .seed = r->seed, .sample = (uint32_t)r->sample,
					      .lft = w->result ? w->result->lft : NULL, .jobs = &jobs };
	struct moore_prediction *row = &r->row[r->n_rows];
	struct moore_predicted p;
	struct moore_err err;
	int rc;

	if (r->n_rows == CLI_PREDICT_ROWS)
		return cli_misuse(r->c, "over %d combinations: name fewer", CLI_PREDICT_ROWS);
	cli_busy(moore_routing_name(routing));
	if (moore_predict(&p, w->f, t, &o, &err) < 0)
		return cli_error("%s", err.text);
	*row = (struct moore_prediction){ .routing = routing, .pattern = pattern, .placement = placement,
					  .cut = w->cut };
	rc = summarize(row, w->f, t, &p);
	if (cli_opt(r->c, "loads"))
		note_loads(r, w->f, row, p.load);
	if (r->load_wanted) {
		free(r->load);
		r->load = p.load;
	} else {
		free(p.load);
	}
	r->n_rows++;
	return rc;
}

/* Moves a node to the fabric that was cut. */
static bool
move(const struct cli_world *w, moore_epid *node)
{
	*node = w->node[*node];
	return *node != MOORE_NONE;
}

/* Moves the nodes of a job to the fabric that was cut. */
static int
move_job(struct cli_prediction *r, const struct cli_world *w, struct moore_flow *flow, uint32_t n_flows)
{
	bool good = true;

	for (uint32_t i = 0; good && !r->matrix && !r->mixed && i < r->nodes; i++)
		good = move(w, &r->node[i]);
	for (uint32_t i = 0; good && i < n_flows; i++)
		good = move(w, &flow[i].from) && move(w, &flow[i].to);
	return good ? CLI_OK : cli_error("a process of the job runs on a node that fails: leave its switch up");
}

int
cli_predict_rows(struct cli_prediction *r, struct moore_flow *flow, uint32_t n_flows, const char *pattern,
		 const char *placement)
{
	struct moore_traffic t = { .uniform = !flow, .flow = flow, .n_flows = n_flows, .node = r->node,
				   .n_nodes = r->nodes, .routing = r->own };
	int rc = CLI_OK;

	for (unsigned w = 0; w < r->n_worlds && rc == CLI_OK; w++) {
		const struct cli_world *world = &r->world[w];

		if (world->cut)
			rc = move_job(r, world, flow, n_flows);
		for (unsigned k = 0; k < r->n_routings && rc == CLI_OK; k++)
			rc = add_row(r, world, (enum moore_routing)r->routing[k], &t, pattern, placement);
	}
	return rc;
}

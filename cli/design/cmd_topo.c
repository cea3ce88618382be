// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_topo.c - `moorectl topo`: the registered families, and what a member of
 * one costs and how far its switches are apart.
 *
 * Cost is counted as Kathareios et al. (SC'15, table 2) do: all switch ports in
 * use and all links, those to the endpoints included, for each endpoint. */
#include <string.h>

#include "online.h"
#include "design/report.h"

static void
put_families(struct moore_buf *b, const json_t *answer)
{
	const json_t *f, *p;
	size_t i, k;

	json_array_foreach(json_object_get(answer, "families"), i, f) {
		cli_putf(b, "%s - %s (%s)\n", cli_str(f, "family"), cli_str(f, "title"),
			 cli_str(f, "source"));
		json_array_foreach(json_object_get(f, "parameters"), k, p)
			cli_putf(b, "  %s=%lld..%lld%s  %s%s\n", cli_str(p, "key"), cli_int(p, "min"),
				 cli_int(p, "max"), cli_yes(p, "symbolic") ? "|floor|ceil" : "",
				 cli_str(p, "help"), cli_yes(p, "required") ? " (required)" : "");
	}
}

int
cmd_topo_list(const struct cli_call *c)
{
	return cli_show(c, moore_answer_families(), put_families, NULL);
}

/* ---- FAMILY KEY=VALUE... ------------------------------------------------------- */

static const char *
family_name_at(const void *arg, size_t i)
{
	const struct moore_topo_family *f = moore_topo_family_at(i);

	(void)arg;
	return f ? f->name : NULL;
}

int
cli_build_topo(const struct cli_call *c, struct moore_topo **out)
{
	const struct moore_topo_family *f = moore_topo_family_find(c->arg[0]);
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_err err;
	const char *near;

	if (!f) {
		near = cli_nearest(c->arg[0], family_name_at, NULL);
		return cli_misuse(c, "%s: no such family%s%s%s: `moorectl topo list` names them",
				  c->arg[0], near ? " (did you mean " : "", near ? near : "",
				  near ? "?)" : "");
	}
	if (moore_topo_params_parse(f, param, c->arg + 1, c->n_args - 1, &err) < 0)
		return cli_misuse(c, "%s", err.text);
	if (moore_topo_build(out, f, param, &err) < 0)
		return cli_error("%s: %s", f->name, err.text);
	return CLI_OK;
}

/* ---- show --------------------------------------------------------------------------- */

void
cli_put_metrics(struct moore_buf *b, const json_t *metrics)
{
	if (json_is_integer(json_object_get(metrics, "diameter")))
		cli_putf(b, "diameter       %lld\n", cli_int(metrics, "diameter"));
	else
		cli_putf(b, "diameter       none: the switches are not connected\n");
	cli_putf(b, "mean distance  %.4f\n", cli_num(metrics, "mean_distance"));
	if (cli_int(metrics, "girth"))
		cli_putf(b, "girth          %lld\n", cli_int(metrics, "girth"));
	else
		cli_putf(b, "girth          none: no cycle\n");
}

/* LIDs rise with the LMC, so those of the first ones suffice. */
static void
put_lids(struct moore_buf *b, const json_t *lids)
{
	long long last = -1;
	const json_t *x;
	size_t i;

	json_array_foreach(lids, i, x) {
		cli_putf(b, "%s%lld", i ? ", " : "LIDs           ", cli_int(x, "lids"));
		if (cli_yes(x, "suffice"))
			last = cli_int(x, "lmc");
	}
	if (last < 0)
		cli_putf(b, " at LMC 0, 1, 2: InfiniBand has %u\n", MOORE_LID_MAX);
	else
		cli_putf(b, " at LMC 0, 1, 2: up to LMC %lld there are enough\n", last);
}

static void
put_structure(struct moore_buf *b, const json_t *t)
{
	const double paths = cli_num(t, "shortest_paths");

	if (json_is_integer(json_object_get(t, "endpoint_diameter")) &&
	    cli_int(t, "endpoint_diameter") != cli_int(t, "diameter"))
		cli_putf(b, "endpoints      diameter %lld, mean distance %.4f between switches that have any\n",
			 cli_int(t, "endpoint_diameter"), cli_num(t, "endpoint_distance"));
	if (json_is_number(json_object_get(t, "mu1")))
		cli_putf(b, "mu1            %.4f; second eigenvalue %.4f of the degree\n", cli_num(t, "mu1"),
			 cli_num(t, "second_eigenvalue"));
	if (json_is_integer(json_object_get(t, "bisection"))) {
		cli_putf(b, "bisection      %lld links found", cli_int(t, "bisection"));
		if (json_is_integer(json_object_get(t, "bisection_bound")))
			cli_putf(b, ", no fewer than %lld", cli_int(t, "bisection_bound"));
		cli_putf(b, "\n");
	}
	if (json_is_number(json_object_get(t, "shortest_paths")))
		cli_putf(b, paths < 1e6 ? "paths          %.2f shortest ones between two switches, in the mean\n" :
			 "paths          %.2e shortest ones between two switches, in the mean\n", paths);
	if (json_is_number(json_object_get(t, "moore_efficiency")))
		cli_putf(b, "Moore bound    %.3g %% of the most switches with this degree and diameter\n",
			 100 * cli_num(t, "moore_efficiency"));
	put_lids(b, json_object_get(t, "lids"));
	if (json_is_integer(json_object_get(t, "switch_ports")))
		cli_putf(b, "sold           switches with %lld ports hold the radix\n", cli_int(t, "switch_ports"));
	else
		cli_putf(b, "sold           no switch on the market has so many ports\n");
}

static void
put_topo(struct moore_buf *b, const json_t *t)
{
	const struct moore_topo_family *f = moore_topo_family_find(cli_str(t, "family"));
	const char *key;
	json_t *value;

	cli_putf(b, "%s", cli_str(t, "family"));
	json_object_foreach(json_object_get(t, "parameters"), key, value)
		cli_putf(b, " %s=%lld", key, json_integer_value(value));
	cli_putf(b, "  %s\nswitches       %lld\n", f ? f->title : "", cli_int(t, "switches"));
	cli_putf(b, "degree         %lld switch-to-switch ports\n", cli_int(t, "degree"));
	cli_putf(b, "radix          %lld ports\n", cli_int(t, "radix"));
	cli_putf(b, "endpoints      %lld\n", cli_int(t, "endpoints"));
	cli_putf(b, "links          %lld between switches\n", cli_int(t, "links"));
	cli_put_metrics(b, t);
	if (cli_int(t, "endpoints"))
		cli_putf(b, "cost           %.3f switch ports and %.3f links for each endpoint\n",
			 cli_num(t, "ports_per_endpoint"), cli_num(t, "links_per_endpoint"));
	put_structure(b, t);
}

int
cmd_topo_show(const struct cli_call *c)
{
	struct moore_topo_report r;
	struct moore_topo *t = NULL;
	struct moore_err err;
	int rc;

	cli_busy("building and measuring");
	if ((rc = cli_build_topo(c, &t)) != CLI_OK)
		return rc;
	if (cli_report_graph(&r, t, &err) < 0)
		rc = cli_error("%s: %s", t->family->name, err.text);
	else
		rc = cli_show(c, moore_answer_topo(&r), put_topo, NULL);
	moore_topo_free(t);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_topo.c - `moorectl topo`: the registered families, and what a member of
 * one costs and how far its switches are apart.
 *
 * Cost is counted as Kathareios et al. (SC'15, table 2) do: all switch ports in
 * use and all links, those to the endpoints included, for each endpoint. */
#include <string.h>

#include "cli.h"

static json_t *
json_param(const struct moore_topo_param *p)
{
	return json_pack("{s:s, s:I, s:I, s:b, s:b, s:o, s:s}", "key", p->key,
			 "min", (json_int_t)p->min, "max", (json_int_t)p->max,
			 "required", p->required, "symbolic", p->symbolic,
			 "default", p->required ? json_null() :
				p->dflt == MOORE_TOPO_FLOOR ? json_string("floor") :
				p->dflt == MOORE_TOPO_CEIL ? json_string("ceil") :
				json_integer((json_int_t)p->dflt),
			 "help", p->help);
}

static json_t *
json_family(const struct moore_topo_family *f)
{
	json_t *params = json_array();

	for (size_t i = 0; i < MOORE_TOPO_MAX_PARAMS && f->param[i].key; i++)
		json_array_append_new(params, json_param(&f->param[i]));
	return json_pack("{s:s, s:s, s:s, s:o}", "family", f->name, "title", f->title,
			 "source", f->source, "parameters", params);
}

static void
put_family(struct moore_buf *b, const struct moore_topo_family *f)
{
	cli_putf(b, "%s - %s (%s)\n", f->name, f->title, f->source);
	for (size_t i = 0; i < MOORE_TOPO_MAX_PARAMS && f->param[i].key; i++) {
		const struct moore_topo_param *p = &f->param[i];

		cli_putf(b, "  %s=%lld..%lld%s  %s%s\n", p->key, (long long)p->min,
			 (long long)p->max, p->symbolic ? "|floor|ceil" : "", p->help,
			 p->required ? " (required)" : "");
	}
}

int
cmd_topo_list(const struct cli_call *c)
{
	struct moore_buf text = MOORE_BUF_INIT;
	json_t *list = c->json ? json_array() : NULL;
	const struct moore_topo_family *f;

	for (size_t i = 0; (f = moore_topo_family_at(i)); i++) {
		if (c->json)
			json_array_append_new(list, json_family(f));
		else
			put_family(&text, f);
	}
	return c->json ? cli_print_json(list) : cli_print_text(&text);
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
cli_put_metrics(struct moore_buf *b, const struct moore_graph_metrics *m)
{
	if (m->diameter == MOORE_NONE)
		cli_putf(b, "diameter       none: the switches are not connected\n");
	else
		cli_putf(b, "diameter       %u\n", m->diameter);
	cli_putf(b, "mean distance  %.4f\n", m->mean_distance);
	if (m->girth)
		cli_putf(b, "girth          %u\n", m->girth);
	else
		cli_putf(b, "girth          none: no cycle\n");
}

int
cli_json_metrics(json_t *o, const struct moore_graph_metrics *m)
{
	return json_object_set_new(o, "diameter", m->diameter == MOORE_NONE ? json_null() :
				   json_integer(m->diameter)) |
	       json_object_set_new(o, "mean_distance", json_real(m->mean_distance)) |
	       json_object_set_new(o, "girth", m->girth ? json_integer(m->girth) : json_null());
}

static json_t *
json_per_endpoint(uint64_t n, uint64_t endpoints)
{
	return endpoints ? json_real((double)n / (double)endpoints) : json_null();
}

static int
show_json(const struct moore_topo *t, const struct moore_topo_counts *n,
	  const struct moore_graph_metrics *m)
{
	json_t *params = json_object(), *o;

	for (size_t i = 0; i < MOORE_TOPO_MAX_PARAMS && t->family->param[i].key; i++)
		json_object_set_new(params, t->family->param[i].key,
				    json_integer((json_int_t)t->param[i]));
	o = json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o}",
		      "family", t->family->name, "parameters", params,
		      "switches", (json_int_t)n->switches, "degree", (json_int_t)n->degree,
		      "radix", (json_int_t)n->radix, "endpoints", (json_int_t)n->endpoints,
		      "links", (json_int_t)n->links,
		      "ports_per_endpoint",
		      json_per_endpoint(2 * n->links + n->endpoints, n->endpoints),
		      "links_per_endpoint",
		      json_per_endpoint(n->links + n->endpoints, n->endpoints));
	if (o && cli_json_metrics(o, m) != 0) {
		json_decref(o);
		o = NULL;
	}
	return cli_print_json(o);
}

static int
show_text(const struct moore_topo *t, const struct moore_topo_counts *n,
	  const struct moore_graph_metrics *m)
{
	struct moore_buf b = MOORE_BUF_INIT;

	cli_putf(&b, "%s", t->family->name);
	for (size_t i = 0; i < MOORE_TOPO_MAX_PARAMS && t->family->param[i].key; i++)
		cli_putf(&b, " %s=%lld", t->family->param[i].key, (long long)t->param[i]);
	cli_putf(&b, "  %s\nswitches       %llu\n", t->family->title,
		 (unsigned long long)n->switches);
	cli_putf(&b, "degree         %u switch-to-switch ports\n", n->degree);
	cli_putf(&b, "radix          %u ports\n", n->radix);
	cli_putf(&b, "endpoints      %llu\n", (unsigned long long)n->endpoints);
	cli_putf(&b, "links          %llu between switches\n", (unsigned long long)n->links);
	cli_put_metrics(&b, m);
	if (n->endpoints)
		cli_putf(&b, "cost           %.3f switch ports and %.3f links for each endpoint\n",
			 (double)(2 * n->links + n->endpoints) / (double)n->endpoints,
			 (double)(n->links + n->endpoints) / (double)n->endpoints);
	return cli_print_text(&b);
}

int
cmd_topo_show(const struct cli_call *c)
{
	struct moore_graph_metrics m;
	struct moore_topo_counts n;
	struct moore_topo *t = NULL;
	struct moore_err err;
	int rc;

	cli_busy("building and measuring");
	if ((rc = cli_build_topo(c, &t)) != CLI_OK)
		return rc;
	t->family->counts(t->param, &n);
	if (moore_graph_measure(t->n_switches, t->link, t->n_links, &m, cli_busy_share, NULL,
				&err) < 0)
		rc = cli_error("%s: %s", t->family->name, err.text);
	else
		rc = c->json ? show_json(t, &n, &m) : show_text(t, &n, &m);
	moore_topo_free(t);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_plan.c - `moorectl plan`: make, show, check and convert plans. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- what is in a plan ------------------------------------------------------------ */

struct plan_sums {
	uint32_t parts, guids, placed, measured;
	uint64_t ports, ports_used;
	double metres;
	struct moore_graph_metrics m;
};

static int
link_order(const void *pa, const void *pb)
{
	const struct moore_topo_link *a = pa, *b = pb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->b > b->b) - (a->b < b->b);
}

static int
measure_plan(const struct moore_plan *p, struct moore_graph_metrics *m, struct moore_err *err)
{
	struct moore_topo_link *link = calloc((size_t)p->n_cables + 1, sizeof(*link));
	int rc;

	if (!link)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < p->n_cables; i++) {
		const moore_swid *sw = p->cable[i].sw;

		link[i].a = sw[0] < sw[1] ? sw[0] : sw[1];
		link[i].b = sw[0] < sw[1] ? sw[1] : sw[0];
	}
	qsort(link, p->n_cables, sizeof(*link), link_order);
	rc = moore_graph_measure(p->n_switches, link, p->n_cables, m, cli_busy_share, NULL, err);
	free(link);
	return rc;
}

static int
sum_plan(const struct moore_plan *p, struct plan_sums *s, struct moore_err *err)
{
	int rc;

	*s = (struct plan_sums){ 0 };
	if ((rc = moore_plan_check(p, &s->parts, err)) < 0 ||
	    (rc = measure_plan(p, &s->m, err)) < 0)
		return rc;
	for (uint32_t i = 0; i < p->n_switches; i++) {
		s->ports += p->sw[i].ports;
		s->guids += p->sw[i].guid != 0;
		s->placed += p->sw[i].cabinet != NULL;
	}
	s->ports_used = 2 * (uint64_t)p->n_cables + p->n_endpoints;
	for (uint32_t i = 0; i < p->n_cables; i++) {
		s->measured += p->cable[i].length > 0;
		s->metres += p->cable[i].length;
	}
	return 0;
}

static json_t *
json_plan(const struct moore_plan *p, const struct plan_sums *s)
{
	json_t *params = json_object(), *o;

	for (size_t i = 0; i < p->n_params; i++)
		json_object_set_new(params, p->key[i], json_integer((json_int_t)p->value[i]));
	o = json_pack("{s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:I, s:I, s:i, s:i, s:i, s:f}",
		      "family", p->family ? json_string(p->family) : json_null(),
		      "parameters", params, "permutation_seed",
		      p->permuted ? json_integer((json_int_t)p->permutation_seed) : json_null(),
		      "switches", (int)p->n_switches, "endpoints", (int)p->n_endpoints,
		      "cables", (int)p->n_cables, "parts", (int)s->parts,
		      "ports", (json_int_t)s->ports, "ports_used", (json_int_t)s->ports_used,
		      "switches_with_guid", (int)s->guids, "switches_placed", (int)s->placed,
		      "cables_measured", (int)s->measured, "cable_metres", s->metres);
	if (o && cli_json_metrics(o, &s->m) != 0) {
		json_decref(o);
		o = NULL;
	}
	return o;
}

static void
put_plan(struct moore_buf *b, const struct moore_plan *p, const struct plan_sums *s)
{
	cli_putf(b, "topology       %s", p->family ? p->family : "general");
	for (size_t i = 0; i < p->n_params; i++)
		cli_putf(b, " %s=%lld", p->key[i], (long long)p->value[i]);
	if (p->permuted)
		cli_putf(b, ", links permuted with seed %llu",
			 (unsigned long long)p->permutation_seed);
	cli_putf(b, "\nswitches       %u, %u with a GUID, %u placed in a cabinet\n",
		 p->n_switches, s->guids, s->placed);
	cli_putf(b, "endpoints      %u\n", p->n_endpoints);
	cli_putf(b, "cables         %u between switches", p->n_cables);
	if (s->measured)
		cli_putf(b, ", %.1f m in the %u with a length", s->metres, s->measured);
	cli_putf(b, "\nports          %llu, %llu in use\n", (unsigned long long)s->ports,
		 (unsigned long long)s->ports_used);
	if (s->parts > 1)
		cli_putf(b, CLI_YELLOW "parts          %u that no cable joins" CLI_PLAIN "\n",
			 s->parts);
	cli_put_metrics(b, &s->m);
}

/* Show a plan, after what was done with it. */
static int
answer_plan(const struct cli_call *c, const char *place, const struct moore_plan *p,
	    const char *done)
{
	struct moore_buf text = MOORE_BUF_INIT;
	struct plan_sums s;
	struct moore_err err;

	if (sum_plan(p, &s, &err) < 0)
		return cli_error_at(place, &err);
	if (c->json)
		return cli_print_json(json_plan(p, &s));
	cli_putf(&text, "%s", done);
	put_plan(&text, p, &s);
	return cli_print_text(&text);
}

/* Write what was made to -o FILE, and then say what it is; to standard output,
 * and then nothing else. */
static int
deliver(const struct cli_call *c, const struct moore_plan *p, struct moore_buf *data)
{
	const char *to = cli_opt(c, "output");
	char done[256];
	int rc;

	cli_idle();
	rc = cli_write(to ? to : "-", data);
	if (rc != CLI_OK || !to || !strcmp(to, "-"))
		return rc;
	snprintf(done, sizeof(done), "wrote          %.200s\n", to);
	return answer_plan(c, to, p, done);
}

/* ---- verbs ----------------------------------------------------------------------------- */

int
cmd_plan_new(const struct cli_call *c)
{
	struct moore_buf json = MOORE_BUF_INIT;
	struct moore_topo *t = NULL;
	struct moore_plan *p = NULL;
	struct moore_err err;
	int rc;

	cli_busy("building the plan");
	if ((rc = cli_build_topo(c, &t)) != CLI_OK)
		goto out;
	if (moore_plan_from_topo(&p, t, &err) < 0 || moore_plan_write(p, &json, &err) < 0)
		rc = cli_error("%s: %s", c->arg[0], err.text);
	else
		rc = deliver(c, p, &json);
out:
	moore_buf_free(&json);
	moore_plan_free(p);
	moore_topo_free(t);
	return rc;
}

int
cmd_plan_show(const struct cli_call *c)
{
	struct moore_plan *p = NULL;
	int rc;

	cli_busy("measuring");
	if ((rc = cli_load_plan(c->arg[0], &p)) == CLI_OK)
		rc = answer_plan(c, c->arg[0], p, "");
	moore_plan_free(p);
	return rc;
}

static int
answer_check(const struct cli_call *c, const struct moore_err *fault, uint32_t parts)
{
	struct moore_buf text = MOORE_BUF_INIT;
	const char *file = cli_file_name(c->arg[0]);
	bool bad = fault || parts > 1;
	int rc;

	if (c->json) {
		rc = cli_print_json(json_pack("{s:b, s:o, s:o}", "valid", !bad,
			"parts", fault ? json_null() : json_integer(parts),
			"error", !fault ? json_null() :
			json_pack("{s:o, s:o}", "line", fault->line ? json_integer(fault->line) :
				  json_null(), "text", cli_json_name(fault->text))));
	} else if (fault) {
		rc = cli_error_at(c->arg[0], fault);
	} else if (parts > 1) {
		rc = cli_error("%s: %u parts that no cable joins: switches in different parts "
			       "will not reach each other; add the missing cables", file, parts);
	} else {
		cli_putf(&text, "%s: " CLI_GREEN "valid" CLI_PLAIN ", in one part\n", file);
		return cli_print_text(&text);
	}
	/* In text the finding is the message; only JSON can fail to be printed. */
	return c->json && rc != CLI_OK ? rc : bad ? CLI_FOUND : CLI_OK;
}

int
cmd_plan_check(const struct cli_call *c)
{
	struct moore_plan *p = NULL;
	struct moore_err err;
	uint32_t parts = 0;
	int rc;

	cli_busy("checking the plan");
	rc = cli_try_plan(c->arg[0], &p, &err);
	if (rc == CLI_OK && moore_plan_check(p, &parts, &err) < 0)
		rc = CLI_FOUND;
	moore_plan_free(p);
	if (rc == CLI_FAIL)
		return rc;
	return answer_check(c, rc == CLI_FOUND ? &err : NULL, parts);
}

/* ---- other formats ----------------------------------------------------------------------- */

struct formats {
	bool parse;		/* only those that can be read, else only written */
};

static const char *
format_name_at(const void *arg, size_t i)
{
	const struct formats *want = arg;
	const struct moore_plan_format *f;

	for (size_t k = 0; (f = moore_plan_format_at(k)); k++)
		if ((want->parse ? f->parse != NULL : f->write != NULL) && i-- == 0)
			return f->name;
	return NULL;
}

/* The format that --to or --from names. */
static int
find_format(const struct cli_call *c, const char *opt, bool parse,
	    const struct moore_plan_format **out)
{
	const struct formats want = { parse };
	const char *name = cli_opt(c, opt), *other;
	struct moore_buf all = MOORE_BUF_INIT;
	int rc;

	*out = name ? moore_plan_format_find(name) : NULL;
	if (*out && (parse ? (*out)->parse != NULL : (*out)->write != NULL))
		return CLI_OK;
	for (size_t i = 0; (other = format_name_at(&want, i)); i++)
		cli_putf(&all, "%s%s", i ? ", " : "", other);
	if (name)
		rc = cli_misuse(c, "--%s %s: no such format: it is one of %s", opt, name,
				all.data);
	else
		rc = cli_misuse(c, "--%s FORMAT is missing: it is one of %s", opt, all.data);
	moore_buf_free(&all);
	return rc;
}

int
cmd_plan_export(const struct cli_call *c)
{
	const struct moore_plan_format *format;
	struct moore_buf data = MOORE_BUF_INIT;
	struct moore_plan *p = NULL;
	struct moore_err err;
	int rc;

	cli_busy("exporting");
	if ((rc = find_format(c, "to", false, &format)) != CLI_OK ||
	    (rc = cli_load_plan(c->arg[0], &p)) != CLI_OK)
		return rc;
	if (format->write(p, &data, &err) < 0)
		rc = cli_error_at(c->arg[0], &err);
	else
		rc = deliver(c, p, &data);
	moore_buf_free(&data);
	moore_plan_free(p);
	return rc;
}

int
cmd_plan_import(const struct cli_call *c)
{
	struct moore_buf text = MOORE_BUF_INIT, json = MOORE_BUF_INIT;
	const struct moore_plan_format *format;
	struct moore_plan *p = NULL;
	struct moore_err err;
	int rc;

	cli_busy("importing");
	if ((rc = find_format(c, "from", true, &format)) != CLI_OK ||
	    (rc = cli_read(c->arg[0], &text)) != CLI_OK)
		return rc;
	if (format->parse(&p, text.data, text.len, &err) < 0 ||
	    moore_plan_write(p, &json, &err) < 0)
		rc = cli_error_at(c->arg[0], &err);
	else
		rc = deliver(c, p, &json);
	moore_buf_free(&text);
	moore_buf_free(&json);
	moore_plan_free(p);
	return rc;
}

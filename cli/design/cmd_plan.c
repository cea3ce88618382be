// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_plan.c - `moorectl plan`: make, show, check and convert plans. */
#include <stdlib.h>
#include <string.h>

#include "online.h"

/* ---- what is in a plan ------------------------------------------------------------ */

static int
link_order(const void *pa, const void *pb)
{
	const struct moore_topo_link *a = pa, *b = pb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->b > b->b) - (a->b < b->b);
}

/* The family's graph of a plan's parameters; NULL when they are not those of the family. */
static struct moore_topo *
build_family(const struct moore_topo_family *f, const struct moore_plan *p)
{
	char text[MOORE_TOPO_MAX_PARAMS][40];
	const char *word[MOORE_TOPO_MAX_PARAMS];
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_topo *t = NULL;

	for (size_t i = 0; i < p->n_params; i++) {
		snprintf(text[i], sizeof(text[i]), "%s=%lld", p->key[i], (long long)p->value[i]);
		word[i] = text[i];
	}
	if (moore_topo_params_parse(f, param, word, p->n_params, NULL) == 0)
		moore_topo_build(&t, f, param, NULL);
	return t;
}

/* Whether the cables, sorted, are those of the plan's family, in which all switches are alike. */
static bool
is_transitive(const struct moore_plan *p, const struct moore_topo_link *link)
{
	const struct moore_topo_family *f = p->family ? moore_topo_family_find(p->family) : NULL;
	struct moore_topo *t = NULL;
	bool alike;

	if (!f || !f->transitive || p->n_params > MOORE_TOPO_MAX_PARAMS ||
	    !(t = build_family(f, p)))
		return false;
	alike = t->n_switches == p->n_switches && t->n_links == p->n_cables;
	for (uint32_t i = 0; alike && i < t->n_links; i++)
		alike = link_order(&t->link[i], &link[i]) == 0;
	moore_topo_free(t);
	return alike;
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
	rc = moore_graph_measure(p->n_switches, link, p->n_cables, is_transitive(p, link) ? 1 : p->n_switches,
				 m, cli_busy_share, NULL, err);
	free(link);
	return rc;
}

static int
sum_plan(const struct moore_plan *p, struct moore_plan_sums *s, struct moore_err *err)
{
	int rc;

	*s = (struct moore_plan_sums){ 0 };
	if ((rc = moore_plan_check(p, &s->parts, err)) < 0 ||
	    (rc = measure_plan(p, &s->metrics, err)) < 0)
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

static void
put_plan(struct moore_buf *b, const json_t *p)
{
	const char *family = cli_str(p, "family"), *key;
	json_t *value;

	cli_putf(b, "topology       %s", *family ? family : "general");
	json_object_foreach(json_object_get(p, "parameters"), key, value)
		cli_putf(b, " %s=%lld", key, json_integer_value(value));
	if (json_is_integer(json_object_get(p, "permutation_seed")))
		cli_putf(b, ", links permuted with seed %llu",
			 (unsigned long long)cli_int(p, "permutation_seed"));
	cli_putf(b, "\nswitches       %lld, %lld with a GUID, %lld placed in a cabinet\n",
		 cli_int(p, "switches"), cli_int(p, "switches_with_guid"),
		 cli_int(p, "switches_placed"));
	cli_putf(b, "endpoints      %lld\n", cli_int(p, "endpoints"));
	cli_putf(b, "cables         %lld between switches", cli_int(p, "cables"));
	if (cli_int(p, "cables_measured"))
		cli_putf(b, ", %.1f m in the %lld with a length", cli_num(p, "total_m"),
			 cli_int(p, "cables_measured"));
	cli_putf(b, "\nports          %lld, %lld in use\n", cli_int(p, "ports"),
		 cli_int(p, "ports_used"));
	if (cli_int(p, "parts") > 1)
		cli_putf(b, CLI_YELLOW "parts          %lld that no cable connects" CLI_PLAIN "\n",
			 cli_int(p, "parts"));
	cli_put_metrics(b, p);
}

/* Prints what a plan has. */
static int
answer_plan(const struct cli_call *c, const char *place, const struct moore_plan *p)
{
	struct moore_plan_sums s;
	struct moore_err err;

	if (sum_plan(p, &s, &err) < 0)
		return cli_error_at(place, &err);
	return cli_show(c, moore_answer_plan(p, &s), put_plan, NULL);
}

int
cli_deliver(const struct cli_call *c, const char *to, const struct moore_plan *p, const struct moore_buf *data)
{
	struct moore_buf done = MOORE_BUF_INIT;
	int rc;

	cli_idle();
	rc = cli_write(to ? to : "-", data);
	if (rc != CLI_OK || !to || !strcmp(to, "-"))
		return rc;
	cli_putf(&done, "wrote          %s\n", to);
	rc = c->json ? CLI_OK : cli_print_text(&done);
	moore_buf_free(&done);
	return rc == CLI_OK ? answer_plan(c, to, p) : rc;
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
		rc = cli_deliver(c, cli_opt(c, "output"), p, &json);
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
		rc = answer_plan(c, c->arg[0], p);
	moore_plan_free(p);
	return rc;
}

static int
answer_check(const struct cli_call *c, const struct moore_err *fault, uint32_t parts)
{
	struct moore_buf text = MOORE_BUF_INIT;
	const char *file = cli_file_name(c->arg[0]);

	if (c->json)
		return cli_show(c, moore_answer_plan_check(file, fault, parts), NULL, cli_not_ok);
	if (fault)
		cli_error_at(c->arg[0], fault);
	else if (parts > 1)
		cli_error("%s: %u parts that no cable connects: switches in different parts "
			  "will not reach each other; add the missing cables", file, parts);
	if (fault || parts > 1)
		return CLI_FOUND;
	cli_putf(&text, "%s: " CLI_GREEN "valid" CLI_PLAIN " and connected\n", file);
	return cli_print_text(&text);
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
		rc = cli_deliver(c, cli_opt(c, "output"), p, &data);
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
		rc = cli_deliver(c, cli_opt(c, "output"), p, &json);
	moore_buf_free(&text);
	moore_buf_free(&json);
	moore_plan_free(p);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_env.c - `moorectl env`: what lib/engine/env.c advises, as lines for a shell. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "moore/env.h"

/* ---- what is asked -------------------------------------------------------------------- */

static int
read_use(const struct cli_call *c, struct moore_env *e)
{
	const char *s = cli_opt(c, "use");

	if (!moore_env_use(e, s))
		return cli_misuse(c, "--use %s: it is minimal, valiant, all, or a list of LID "
				  "offsets like 0,2-3", s);
	if (e->use.last < e->n_lids)
		return CLI_OK;
	cli_error("--use %s: offset %u has no LID: ports have %u, offsets 0 to %u; a greater `lmc` "
		  "in opensm.conf gives more", s, e->use.last, e->n_lids, e->n_lids - 1);
	return CLI_FOUND;
}

/* The LMC that all endpoints have. */
static int
lmc_of_tables(const char *dir, uint64_t *lmc)
{
	struct cli_tables t = { NULL };
	int rc = cli_load_tables(dir, &t);

	*lmc = 7;
	for (moore_epid e = 0; rc == CLI_OK && e < t.f->n_endpoints; e++)
		if (t.f->ep[e].lid && t.f->ep[e].lmc < *lmc)
			*lmc = t.f->ep[e].lmc;
	if (rc == CLI_OK && !t.f->n_endpoints)
		rc = cli_error("%s: holds no endpoint, so no LMC: say --lmc N", dir);
	cli_tables_free(&t);
	return rc;
}

static int
lmc_of_conf(const char *path, uint64_t *lmc)
{
	struct cli_setting s;
	struct moore_buf text;
	const char *p = s.value;
	int rc = cli_read(path, &text);

	if (rc != CLI_OK)
		return rc;
	cli_find_setting(text.data, "lmc", &s);
	moore_buf_free(&text);
	*lmc = 0;
	if (s.line && (!moore_text_u64(&p, p + strlen(p), 0, 7, lmc) || *p))
		return cli_error("%s:%u: lmc: \"%s\" is not a number from 0 to 7",
				 cli_file_name(path), s.line, s.value);
	return CLI_OK;
}

static int
read_lmc(const struct cli_call *c, uint64_t *lmc)
{
	const char *tables = cli_opt(c, "tables"), *conf = cli_opt(c, "opensm-conf");
	int n = (cli_opt(c, "lmc") != NULL) + (tables != NULL) + (conf != NULL);

	if (n != 1)
		return cli_misuse(c, "%s: the LMC of the fabric comes from one of --lmc N, "
				  "--tables DIR and --opensm-conf FILE", n ? "too much" : "missing");
	if (tables)
		return lmc_of_tables(tables, lmc);
	if (conf)
		return lmc_of_conf(conf, lmc);
	return cli_opt_u64(c, "lmc", 0, 7, lmc);
}

static int
read_class(const struct cli_call *c, const struct moore_conf *conf, struct moore_env *e)
{
	uint64_t class = 0;
	int rc = cli_opt_u64(c, "class", 0, MOORE_CLASS_MAX, &class);

	if (rc != CLI_OK || moore_env_class(e, conf, (unsigned)class))
		return rc;
	cli_error("--class %u: no SL has this class: say --classes as in moore.conf, and there give "
		  "it one", (unsigned)class);
	return CLI_FOUND;
}

static int
read_advice(const struct cli_call *c, struct moore_env *e)
{
	struct moore_conf conf;
	uint64_t lmc = 0;
	int rc;

	moore_conf_defaults(&conf);
	if ((rc = cli_conf_options(c, &conf)) != CLI_OK || (rc = read_class(c, &conf, e)) != CLI_OK ||
	    (rc = read_lmc(c, &lmc)) != CLI_OK)
		return rc;
	e->n_lids = 1u << lmc;
	return read_use(c, e);
}

/* ---- what is answered ----------------------------------------------------------------- */

static json_t *
put_transport(const struct moore_env_answer *t, struct moore_buf *b)
{
	struct moore_buf offsets = MOORE_BUF_INIT;
	json_t *list = json_array(), *o;

	moore_env_put(&offsets, &t->use);
	if (t->refused)
		cli_putf(b, "# %s %s\n", t->transport, t->refused);
	else
		cli_putf(b, "# %s: offset%s %s\n", t->what, t->use.n > 1 ? "s" : "", offsets.data);
	for (unsigned i = 0; i < t->n_settings; i++) {
		const struct moore_env_setting *s = &t->setting[i];

		cli_putf(b, "export %s=%s\t# %s\n", s->name, s->value, s->why);
		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", s->name, "value",
						      s->value, "why", s->why));
	}
	o = json_pack("{s:s, s:s, s:o, s:o}", "transport", t->transport, "offsets", offsets.data,
		      "settings", list, "refused",
		      t->refused ? json_string(t->refused) : json_null());
	moore_buf_free(&offsets);
	return o;
}

static int
answer(const struct cli_call *c, const struct moore_env *e)
{
	const char *target = c->arg[0], *last = NULL, *name = "";
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_env_answer t;
	json_t *list = json_array();
	bool any = false;
	int rc;

	for (size_t i = 0; (rc = moore_env_answer(e, target, i, &t)) > 0; i++) {
		json_array_append_new(list, put_transport(&t, &b));
		any |= !t.refused;
		if (t.refused) {
			last = t.refused;
			name = t.transport;
		}
	}
	if (rc == 0 && c->json) {
		rc = cli_print_json(json_pack("{s:s, s:i, s:s, s:O}", "target", target, "lids",
			(int)e->n_lids, "profile", e->hint ? "sl-hint" : "any-sl", "transports",
			list));
	} else if (rc == 0 && any) {
		rc = cli_print_text(&b);
		b = (struct moore_buf)MOORE_BUF_INIT;
	} else {
		rc = rc ? cli_error("out of memory") : CLI_OK;
		if (rc == CLI_OK)
			cli_error("%s: %s %s", target, name, last);
	}
	moore_buf_free(&b);
	json_decref(list);
	return rc != CLI_OK ? rc : any ? CLI_OK : CLI_FOUND;
}

static const char *
target_at(const void *unused, size_t i)
{
	(void)unused;
	return moore_env_target(i);
}

int
cmd_env(const struct cli_call *c)
{
	const char *near = cli_nearest(c->arg[0], target_at, NULL), *t;
	struct moore_env e = { .n_lids = 1 };
	int rc;

	for (size_t i = 0; (t = moore_env_target(i)); i++)
		if (!strcmp(c->arg[0], t))
			return (rc = read_advice(c, &e)) != CLI_OK ? rc : answer(c, &e);
	return cli_misuse(c, "%s: no such target: it is ucx, openmpi, mvapich2, nccl, rdma_cm or "
			  "all%s%s%s", c->arg[0], near ? " (did you mean " : "", near ? near : "",
			  near ? "?)" : "");
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_env.c - `moorectl env`: what lib/engine/env.c advises, as lines for a shell. */
#include <string.h>
#include <unistd.h>

#include "online.h"

/* ---- the question -------------------------------------------------------------------- */

static int
read_use(const struct cli_call *c, struct moore_env *e)
{
	const char *s = cli_opt(c, "use");

	if (!moore_env_use(e, s))
		return cli_misuse(c, "--use %s: it is minimal, valiant, all, or a list of LID "
				  "offsets like 0,2-3", s);
	if (e->use.last < e->n_lids)
		return CLI_OK;
	cli_error("--use %s: offset %u has no LID: each port has %u, offsets 0 to %u; a greater `lmc` "
		  "in opensm.conf gives more", s, e->use.last, e->n_lids, e->n_lids - 1);
	return CLI_FOUND;
}

/* Reads the moore.conf of --opensm-conf: the one that it names, else that of the installation if
 * there is one. */
static int
read_moore_conf(const char *opensm_conf, struct moore_conf *conf)
{
	char path[sizeof(((struct cli_setting *)0)->value)];

	if (!cli_moore_conf_of(opensm_conf, path, sizeof(path)) && access(path, F_OK) != 0)
		return CLI_OK;
	return cli_load_conf(path, conf);
}

/* What the settings rely on: in profile sl-hint that their SL is safe on base LIDs, else that any
 * SL is safe on any LID. */
static int
check_tables(const char *dir, const struct cli_tables *t, const struct moore_env *e)
{
	const unsigned sl_mask = e->hint ? 1u << e->sl : 0;
	int rc = cli_judge_tables(dir, t, (uint16_t)sl_mask, e->hint);

	if (rc == CLI_FOUND && t->sl_set && !e->hint)
		cli_error("%s: not every SL is safe on every LID with these tables, and "
			  "moore-path-sl.dump is of profile sl-hint: give --profile sl-hint", dir);
	else if (rc == CLI_FOUND && e->hint)
		cli_error("%s: SL %u is not safe on base LIDs with these tables: see `moorectl verify %s "
			  "--sl %u --lids base --sources endpoints`", dir, e->sl, dir, e->sl);
	else if (rc == CLI_FOUND)
		cli_error("%s: not every SL is safe on every LID with these tables: see `moorectl verify "
			  "%s --sources endpoints`", dir, dir);
	return rc;
}

static int
lmc_of_tables(const char *dir, const struct moore_env *e, uint64_t *lmc)
{
	struct cli_tables t = { NULL };
	int rc = cli_load_tables(dir, &t);

	if (rc == CLI_OK && !t.f->n_endpoints)
		rc = cli_error("%s: holds no endpoint from which to take the LMC: give --lmc N", dir);
	if (rc == CLI_OK)
		rc = check_tables(dir, &t, e);
	if (rc == CLI_OK)
		*lmc = moore_fabric_lmc(t.f);
	cli_tables_free(&t);
	return rc;
}

static int
lmc_of_conf(const char *path, const char *text, uint64_t *lmc)
{
	struct cli_setting s;
	const char *p = s.value;

	cli_find_setting(text, "lmc", &s);
	*lmc = 0;
	if (s.line && (!moore_text_u64(&p, p + strlen(p), 0, 7, lmc) || *p))
		return cli_error("%s:%u: lmc: \"%s\" is not a number from 0 to 7",
				 cli_file_name(path), s.line, s.value);
	return CLI_OK;
}

static int
read_lmc(const struct cli_call *c, const struct moore_env *e, const char *opensm_conf, uint64_t *lmc)
{
	const char *tables = cli_opt(c, "tables"), *conf = cli_opt(c, "opensm-conf");
	int n = (cli_opt(c, "lmc") != NULL) + (tables != NULL) + (conf != NULL);

	if (n != 1)
		return cli_misuse(c, "%s: the LMC of the fabric comes from one of --lmc N, "
				  "--tables DIR and --opensm-conf FILE", n ? "too much" : "missing");
	if (tables)
		return lmc_of_tables(tables, e, lmc);
	if (conf)
		return lmc_of_conf(conf, opensm_conf, lmc);
	return cli_opt_u64(c, "lmc", 0, 7, lmc);
}

static int
read_class(const struct cli_call *c, const struct moore_conf *conf, struct moore_env *e)
{
	uint64_t class = 0;
	int rc = cli_opt_u64(c, "class", 0, MOORE_CLASS_MAX, &class);

	if (rc != CLI_OK || moore_env_class(e, conf, (unsigned)class))
		return rc;
	cli_error("--class %u: no SL has this class: assign one in `classes` of moore.conf, and give "
		  "the same list with --classes", (unsigned)class);
	return CLI_FOUND;
}

/* opensm_conf is the text of --opensm-conf, or "". */
static int
read_advice(const struct cli_call *c, const char *opensm_conf, struct moore_env *e)
{
	struct moore_conf conf;
	uint64_t lmc = 0;
	int rc;

	moore_conf_defaults(&conf);
	if (cli_opt(c, "opensm-conf") && !cli_opt(c, "profile") &&
	    (rc = read_moore_conf(opensm_conf, &conf)) != CLI_OK)
		return rc;
	if ((rc = cli_conf_options(c, &conf)) != CLI_OK || (rc = read_class(c, &conf, e)) != CLI_OK ||
	    (rc = read_lmc(c, e, opensm_conf, &lmc)) != CLI_OK)
		return rc;
	e->n_lids = 1u << lmc;
	return read_use(c, e);
}

static int
read_question(const struct cli_call *c, struct moore_env *e)
{
	const char *path = cli_opt(c, "opensm-conf");
	struct moore_buf text = MOORE_BUF_INIT;
	int rc = path ? cli_read(path, &text) : CLI_OK;

	if (rc == CLI_OK)
		rc = read_advice(c, path ? text.data : "", e);
	moore_buf_free(&text);
	return rc;
}

/* ---- the answer in words ---------------------------------------------------------------- */

/* Appends text as comments of a shell, and frees it. */
static void
put_comment(struct moore_buf *b, struct moore_buf *text)
{
	struct moore_buf lines = MOORE_BUF_INIT;
	const size_t indent = 2;	/* where the mark goes */

	cli_put_words(&lines, indent, indent, text->data, text->len);
	for (size_t at = 0, n; at < lines.len; at += n + 1 + indent) {
		n = strcspn(lines.data + at, "\n");
		cli_putf(b, "# %.*s\n", (int)n, lines.data + at);
	}
	b->oom |= text->oom || lines.oom;
	moore_buf_free(&lines);
	moore_buf_free(text);
}

static void
put_env(struct moore_buf *b, const json_t *answer)
{
	struct moore_buf text = MOORE_BUF_INIT;
	const json_t *t, *s, *offsets;
	size_t i, k;

	json_array_foreach(json_object_get(answer, "transports"), i, t) {
		offsets = json_object_get(t, "offsets");
		if (*cli_str(t, "refused"))
			cli_putf(&text, "%s %s", cli_str(t, "transport"), cli_str(t, "refused"));
		else
			cli_putf(&text, "%s: offset%s %s", cli_str(t, "what"),
				 strpbrk(json_string_value(offsets), ",-") ? "s" : "",
				 json_string_value(offsets));
		put_comment(b, &text);
		json_array_foreach(json_object_get(t, "settings"), k, s) {
			cli_putf(&text, "%s", cli_str(s, "why"));
			put_comment(b, &text);
			cli_putf(b, "export %s=%s\n", cli_str(s, "name"), cli_str(s, "value"));
		}
	}
}

/* All transports refuse: the reason of the last is a message, so that a shell that reads
 * the lines gets none. */
static int
refuse(json_t *answer)
{
	const json_t *list = json_object_get(answer, "transports");
	const json_t *t = json_array_get(list, json_array_size(list) - 1);

	cli_error("%s: %s %s", cli_str(answer, "target"), cli_str(t, "transport"),
		  cli_str(t, "refused"));
	json_decref(answer);
	return CLI_FOUND;
}

static int
answer(const struct cli_call *c, const struct moore_env *e)
{
	json_t *j = moore_answer_env(e, c->arg[0]);

	return j && cli_not_ok(j) && !c->json ? refuse(j) : cli_show_script(c, j, put_env, cli_not_ok);
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
			return (rc = read_question(c, &e)) != CLI_OK ? rc : answer(c, &e);
	return cli_misuse(c, "%s: no such target: it is ucx, openmpi, mvapich2, nccl, rdma_cm or "
			  "all%s%s%s", c->arg[0], near ? " (did you mean " : "", near ? near : "",
			  near ? "?)" : "");
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_conf.c - `moorectl conf`: moore.conf with its defaults, and whether a given one is
 * right: all its faults, and those of the files that it names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "moore/keys.h"
#include "online.h"

enum { FAULTS_MAX = 100 };

/* A moore.conf and what is wrong with it. */
struct check {
	struct moore_buf text;		/* lines with a fault are overwritten with blanks */
	struct moore_conf conf;
	struct moore_err fault[FAULTS_MAX];
	size_t n;
};

int
cmd_conf(const struct cli_call *c)
{
	struct moore_buf text = MOORE_BUF_INIT;

	if (c->json)
		return cli_print_json(moore_answer_conf());
	moore_conf_template(&text);
	return cli_print_data(&text);
}

static void
add(struct check *k, const struct moore_err *err)
{
	if (k->n < FAULTS_MAX)
		k->fault[k->n++] = *err;
}

/* Reads the text as often as it has faults. */
static int
find_faults(struct check *k)
{
	struct moore_err err;
	int rc;

	while ((rc = moore_conf_parse(&k->conf, k->text.data, k->text.len, &err)) < 0) {
		if (rc == -MOORE_ENOMEM)
			return cli_error("%s", err.text);
		add(k, &err);
		if (!err.line || k->n == FAULTS_MAX)
			return CLI_OK;
		moore_keys_skip(k->text.data, k->text.len, err.line);
	}
	return CLI_OK;
}

static int
try_plan(const char *path, struct moore_err *err)
{
	struct moore_plan *p;
	int rc = cli_try_plan(path, &p, err);

	moore_plan_free(p);
	return rc;
}

static int
try_links(const char *path, struct moore_err *err)
{
	struct moore_links *l;
	int rc = cli_try_links(path, &l, err);

	moore_links_free(l);
	return rc;
}

/* Reports when the file that a key names is missing, or has a fault. */
static int
check_file(struct check *k, const char *key, const char *path,
	   int (*try_it)(const char *path, struct moore_err *err))
{
	unsigned line = moore_keys_line(k->text.data, k->text.len, key);
	struct moore_err inner = { 0 }, err;
	struct stat st;
	int rc;

	if (!*path)
		return CLI_OK;
	if (stat(path, &st) < 0 || access(path, R_OK) < 0)
		moore_fail(&err, MOORE_ESYNTAX, line, "%s: %s: %s", key, path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		moore_fail(&err, MOORE_ESYNTAX, line, "%s: %s: is no regular file", key, path);
	else if ((rc = try_it(path, &inner)) != CLI_FOUND)
		return rc;
	else if (inner.line)
		moore_fail(&err, MOORE_ESYNTAX, line, "%s: %s:%u: %s", key, path, inner.line, inner.text);
	else
		moore_fail(&err, MOORE_ESYNTAX, line, "%s: %s: %s", key, path, inner.text);
	add(k, &err);
	return CLI_OK;
}

static int
by_line(const void *a, const void *b)
{
	const struct moore_err *x = a, *y = b;

	return x->line < y->line ? -1 : x->line > y->line;
}

static int
examine(struct check *k, const char *path)
{
	int rc = cli_read_at_most(path, CLI_CONF_MAX, "configuration", &k->text);

	moore_conf_defaults(&k->conf);
	if (rc != CLI_OK || (rc = find_faults(k)) != CLI_OK ||
	    (rc = check_file(k, "plan", k->conf.plan, try_plan)) != CLI_OK ||
	    (rc = check_file(k, "links", k->conf.links, try_links)) != CLI_OK)
		return rc;
	qsort(k->fault, k->n, sizeof(*k->fault), by_line);
	return CLI_OK;
}

static int
show(const struct cli_call *c, const struct check *k)
{
	const char *file = cli_file_name(c->arg[0]);
	struct moore_buf text = MOORE_BUF_INIT;

	if (c->json)
		return cli_show(c, moore_answer_conf_check(file, &k->conf, k->fault, k->n), NULL,
				cli_not_ok);
	for (size_t i = 0; i < k->n; i++)
		cli_error_at(c->arg[0], &k->fault[i]);
	if (k->n == FAULTS_MAX)
		cli_error("%s: %d faults are shown, there may be more", file, FAULTS_MAX);
	if (k->n)
		return CLI_FOUND;
	cli_putf(&text, "%s: " CLI_GREEN "valid" CLI_PLAIN "\n", file);
	return cli_print_text(&text);
}

int
cmd_conf_check(const struct cli_call *c)
{
	struct check *k = calloc(1, sizeof(*k));
	int rc;

	if (!k)
		return cli_error("out of memory");
	if ((rc = examine(k, c->arg[0])) == CLI_OK)
		rc = show(c, k);
	moore_buf_free(&k->text);
	free(k);
	return rc;
}

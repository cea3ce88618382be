// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* load.c - loads plans, configurations and files of links, and finds the switch or endpoint that a
 * name means. */
#include <string.h>

#include "cli.h"

/* ---- one file ------------------------------------------------------------------ */

/* Ends reading a file whose text is parsed: CLI_FOUND when it is wrong. */
static int
end_reading(const char *path, struct moore_buf *text, int parsed, const struct moore_err *err)
{
	moore_buf_free(text);
	if (parsed == -MOORE_ENOMEM)
		return cli_error_at(path, err);
	return parsed < 0 ? CLI_FOUND : CLI_OK;
}

int
cli_try_plan(const char *path, struct moore_plan **out, struct moore_err *err)
{
	struct moore_buf text;
	int rc = cli_read_at_most(path, MOORE_PLAN_BYTES_MAX, "plan", &text);

	*out = NULL;
	if (rc != CLI_OK)
		return rc;
	return end_reading(path, &text, moore_plan_parse(out, text.data, text.len, err), err);
}

int
cli_load_plan(const char *path, struct moore_plan **out)
{
	struct moore_err err;
	int rc = cli_try_plan(path, out, &err);

	return rc == CLI_FOUND ? cli_error_at(path, &err) : rc;
}

uint64_t
cli_plan_hash(const struct moore_plan *p)
{
	struct moore_buf b = MOORE_BUF_INIT;
	uint64_t h = 0;

	if (moore_plan_write(p, &b, NULL) == 0)
		h = moore_hash(MOORE_HASH_INIT, b.data, b.len);
	moore_buf_free(&b);
	return h;
}

int
cli_try_conf(const char *path, struct moore_conf *out, struct moore_err *err)
{
	struct moore_buf text;
	int rc = cli_read_at_most(path, CLI_CONF_MAX, "configuration", &text);

	if (rc != CLI_OK)
		return rc;
	return end_reading(path, &text, moore_conf_parse(out, text.data, text.len, err), err);
}

int
cli_load_conf(const char *path, struct moore_conf *out)
{
	struct moore_err err;
	int rc = cli_try_conf(path, out, &err);

	return rc == CLI_FOUND ? cli_error_at(path, &err) : rc;
}

int
cli_try_links(const char *path, struct moore_links **out, struct moore_err *err)
{
	struct moore_buf text;
	int rc = cli_read_at_most(path, CLI_CONF_MAX, "links file", &text);

	*out = NULL;
	if (rc != CLI_OK)
		return rc;
	return end_reading(path, &text, moore_links_parse(out, text.data, text.len, err), err);
}

/* ---- names ------------------------------------------------------------------------- */

static const char *
fabric_name_at(const void *arg, size_t i)
{
	const struct moore_fabric *f = arg;

	if (i < f->n_switches)
		return f->sw[i].name ? f->sw[i].name : "";
	i -= f->n_switches;
	if (i < f->n_endpoints)
		return f->ep[i].name ? f->ep[i].name : "";
	return NULL;
}

int
cli_find(const struct moore_fabric *f, const char *what, moore_swid *sw, moore_epid *ep)
{
	struct moore_err err;
	const char *near;

	if (moore_fabric_find(f, what, sw, ep, &err) == 0)
		return CLI_OK;
	near = cli_nearest(what, fabric_name_at, f);
	if (near && strcmp(near, what) != 0)
		return cli_error("%s: did you mean %s?", err.text, near);
	return cli_error("%s", err.text);
}

int
cli_find_switch(const struct moore_fabric *f, const char *what, moore_swid *sw)
{
	moore_epid ep;
	int rc = cli_find(f, what, sw, &ep);

	if (rc == CLI_OK && *sw == MOORE_NONE)
		return cli_error("%s: is an endpoint: name a switch; it is plugged into %s[%u]",
				 what, f->ep[ep].sw == MOORE_NONE ? "nothing" :
				 f->sw[f->ep[ep].sw].name, f->ep[ep].port);
	return rc;
}

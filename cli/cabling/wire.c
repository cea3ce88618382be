// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* wire.c - the plan and the fabric that `check`, `repair` and `watch` compare, from files or
 * from moored. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cabling/wire.h"

#define SUBNET "opensm-subnet.lst"

/* ---- reading -------------------------------------------------------------------- */

static int
load_seen(const char *path, struct moore_seen **out)
{
	struct moore_buf text;
	struct moore_err err;
	int rc = cli_read(path, &text);

	if (rc != CLI_OK)
		return rc;
	if (moore_seen_parse(out, text.data ? text.data : "", text.len, &err) < 0)
		rc = cli_error_at(path, &err);
	moore_buf_free(&text);
	return rc;
}

/* Reads the cables from the plan in a capture, since its opensm-subnet.lst has one rate for all. */
static int
load_captured(const char *path, struct moore_seen **out)
{
	const struct moore_member *m;
	struct moore_capture c;
	struct moore_buf file;
	struct moore_err err;
	int rc = cli_open_capture(path, &file, &c);

	if (rc != CLI_OK)
		return rc;
	m = &c.member[c.member[MOORE_CAPTURED_PLAN].name ? MOORE_CAPTURED_PLAN : MOORE_CAPTURED_SUBNET];
	if (moore_seen_parse(out, m->data, m->len, &err) < 0)
		rc = cli_error_at(path, &err);
	moore_buf_free(&file);
	return rc;
}

/* If path is a directory of dumps, its opensm-subnet.lst lists the cables. */
int
cli_load_seen(const char *path, struct moore_seen **out)
{
	struct stat st;
	char *in_dir;
	int rc;

	if (cli_is_capture(path))
		return load_captured(path, out);
	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return load_seen(path, out);
	if (!(in_dir = cli_path_join(path, SUBNET)))
		return cli_error("out of memory");
	if (stat(in_dir, &st) == 0)
		rc = load_seen(in_dir, out);
	else
		rc = cli_error("%s: no such file: OpenSM writes it when its log_flags include 0x40; "
			       "or name a file that ibnetdiscover printed", in_dir);
	free(in_dir);
	return rc;
}

static int
compare(struct cli_wire *x)
{
	struct moore_err err;

	if (moore_wire_check(&x->w, x->plan, x->seen, &err) < 0)
		return cli_error_at(x->fabric, &err);
	return CLI_OK;
}

/* Asks moored, and stores the plan in its answer as text. */
static int
ask_text(const struct cli_call *c, struct cli_client *cl, const char *method, json_t **answer,
	 struct moore_buf *text)
{
	char *s;
	int rc;

	/* All planes share one plan, so plan.* takes no --plane. */
	rc = !strncmp(method, "plan.", 5) ? cli_call(cl, method, NULL, answer, NULL) :
		cli_online_ask(c, cl, method, NULL, answer);
	if (rc != CLI_OK)
		return rc;
	s = json_dumps(json_object_get(*answer, "plan"), JSON_COMPACT);
	if (s)
		moore_buf_add(text, s, strlen(s));
	free(s);
	return s && !text->oom ? CLI_OK : cli_error("out of memory");
}

static int
ask_plan(const struct cli_call *c, struct cli_client *cl, struct moore_plan **out)
{
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_err err;
	json_t *answer = NULL;
	int rc = ask_text(c, cl, "plan.get", &answer, &text);

	if (rc == CLI_OK && moore_plan_parse(out, text.data, text.len, &err) < 0)
		rc = cli_error("moored's plan: %s", err.text);
	json_decref(answer);
	moore_buf_free(&text);
	return rc;
}

static int
ask_fabric(const struct cli_call *c, struct cli_client *cl, struct cli_wire *x)
{
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_err err;
	json_t *answer = NULL;
	int rc = ask_text(c, cl, "fabric.get", &answer, &text);

	x->fabric = "the fabric that moored found";
	x->sweep = cli_int(answer, "sweep");
	x->at_ms = cli_int(answer, "at_ms");
	if (rc == CLI_OK && moore_seen_parse(&x->seen, text.data, text.len, &err) < 0)
		rc = cli_error_at(x->fabric, &err);
	json_decref(answer);
	moore_buf_free(&text);
	return rc;
}

int
cli_ask_seen(const struct cli_call *c, struct moore_seen **out)
{
	struct cli_wire x = { NULL };
	struct cli_client cl;
	int rc = cli_connect(&cl, NULL);

	if (rc == CLI_OK)
		rc = ask_fabric(c, &cl, &x);
	cli_disconnect(&cl);
	*out = x.seen;
	return rc;
}

int
cli_wire_ask(const struct cli_call *c, struct cli_client *cl, struct cli_wire *out)
{
	int rc;

	*out = (struct cli_wire){ NULL };
	if ((rc = ask_plan(c, cl, &out->plan)) != CLI_OK ||
	    (rc = ask_fabric(c, cl, out)) != CLI_OK)
		return rc;
	return compare(out);
}

static int
load_files(const struct cli_call *c, struct cli_wire *out)
{
	int rc;

	out->fabric = c->arg[1];
	if ((rc = cli_load_plan(c->arg[0], &out->plan)) != CLI_OK ||
	    (rc = cli_load_seen(c->arg[1], &out->seen)) != CLI_OK)
		return rc;
	return compare(out);
}

int
cli_wire_load(const struct cli_call *c, struct cli_wire *out)
{
	struct cli_client cl;
	int rc;

	*out = (struct cli_wire){ NULL };
	cli_busy("comparing");
	if (c->n_args == 2)
		return load_files(c, out);
	if ((rc = cli_connect(&cl, "name PLAN and FABRIC")) == CLI_OK) {
		if (!c->n_args)
			rc = cli_wire_ask(c, &cl, out);
		else if ((rc = cli_load_plan(c->arg[0], &out->plan)) == CLI_OK &&
			 (rc = ask_fabric(c, &cl, out)) == CLI_OK)
			rc = compare(out);
	}
	cli_disconnect(&cl);
	return rc;
}

void
cli_wire_free(struct cli_wire *x)
{
	moore_wire_free(x->w);
	moore_seen_free(x->seen);
	moore_plan_free(x->plan);
}

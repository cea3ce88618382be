// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_accept.c - `moorectl accept`: do these switches keep the tables that OpenSM wrote to them?
 *
 * It reads, and writes nothing: OpenSM programs the switches, moored reads them back, and this
 * compares the two. */
#include <stdlib.h>
#include <string.h>

#include "routes/live.h"

static struct moore_accept_side
side_of(const struct cli_tables *t)
{
	return (struct moore_accept_side){ .f = t->f, .lft = t->lft, .hardware = t->hardware,
		.sl2vl = t->no_lanes ? NULL : t->sl2vl, .vls = t->op_vls };
}

/* ---- as lines --------------------------------------------------------------------------- */

static void
put_switch(struct moore_buf *b, const json_t *sw)
{
	struct moore_buf left = MOORE_BUF_INIT, text = MOORE_BUF_INIT;
	const json_t *row;
	size_t i;

	cli_putf(b, "%s (%s)\n", cli_str(sw, "switch"), cli_str(sw, "guid"));
	if (json_is_integer(json_object_get(sw, "device")))
		cli_putf(b, "  %lld ports, vendor 0x%llx, device %lld, revision 0x%llx\n",
			 cli_int(sw, "ports"), cli_int(sw, "vendor"), cli_int(sw, "device"),
			 cli_int(sw, "revision"));
	json_array_foreach(json_object_get(sw, "rows"), i, row) {
		left.len = text.len = 0;
		cli_putf(&left, "  %s", cli_str(row, "tables"));
		cli_putf(&text, "%s: %s", cli_str(row, "what"), cli_str(row, "evidence"));
		cli_put_help(b, left.data, 23, text.data);
	}
	b->oom |= left.oom || text.oom;
	moore_buf_free(&left);
	moore_buf_free(&text);
}

static void
put_accept(struct moore_buf *b, const json_t *answer)
{
	const json_t *sw;
	size_t i;

	json_array_foreach(json_object_get(answer, "switches"), i, sw)
		put_switch(b, sw);
	cli_putf(b, "These are the tables alone.  Whether a switch obeys them when it forwards cannot\n"
		 "be told here, for any row: docs/capture.md has the procedure with two hosts.\n");
}

/* ---- the verb ---------------------------------------------------------------------------- */

static int
judge(const struct cli_call *c, const struct cli_tables *read, const struct cli_tables *programmed)
{
	const struct moore_accept_side is = side_of(read), was = side_of(programmed);
	struct moore_accepted *a = calloc(c->n_args, sizeof(*a));
	struct moore_err err;
	int rc = a ? CLI_OK : cli_error("out of memory");

	for (size_t i = 0; rc == CLI_OK && i < c->n_args; i++) {
		moore_swid s;

		if ((rc = cli_find_switch(read->f, c->arg[i], &s)) == CLI_OK &&
		    moore_accept(&a[i], &is, &was, s, &err) < 0)
			rc = cli_error_at(c->arg[i], &err);
	}
	if (rc == CLI_OK)
		rc = cli_show(c, moore_answer_accept(&is, a, c->n_args), put_accept, cli_not_ok);
	for (size_t i = 0; a && i < c->n_args; i++)
		moore_accepted_free(&a[i]);
	free(a);
	return rc;
}

int
cmd_accept(const struct cli_call *c)
{
	const char *tables = cli_opt(c, "tables"), *dir = cli_opt(c, "programmed");
	struct cli_tables read = { NULL }, programmed = { NULL };
	uint64_t at;
	int rc;

	cli_busy("reading");
	if ((rc = tables ? cli_load_tables(tables, &read) :
	     cli_load_live(c, "moorectl accept SWITCH... --tables CAPTURE|DIR", &read, &at)) == CLI_OK &&
	    (!dir || (rc = cli_load_tables(dir, &programmed)) == CLI_OK))
		rc = judge(c, &read, &programmed);
	cli_tables_free(&programmed);
	cli_tables_free(&read);
	return rc;
}

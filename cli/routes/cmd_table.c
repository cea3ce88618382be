// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_table.c - `moorectl table`: one switch's tables, equal rows together; from files,
 * or as moored read them back from the switch. */
#include <stdio.h>
#include <string.h>

#include "online.h"

/* ---- linear forwarding ------------------------------------------------------------------- */

/* Prints a rising list of numbers as ranges. */
static void
put_ranges(struct moore_buf *b, const json_t *list)
{
	size_t n = json_array_size(list), from, i = 0;
	long long first, last;

	while (i < n) {
		from = i;
		first = json_integer_value(json_array_get(list, i));
		while (++i < n && json_integer_value(json_array_get(list, i)) ==
				  first + (long long)(i - from))
			;
		last = json_integer_value(json_array_get(list, i - 1));
		cli_putf(b, last > first ? "%s%lld-%lld" : "%s%lld", from ? "," : "", first, last);
	}
}

static void
put_lft(struct moore_buf *b, const json_t *answer)
{
	const json_t *row, *port, *lids;
	size_t i;

	json_array_foreach(json_object_get(answer, "rows"), i, row) {
		port = json_object_get(row, "port");
		lids = json_object_get(row, "lids");
		if (json_is_integer(port)) {
			cli_putf(b, "port %-3lld to ", json_integer_value(port));
			if (json_integer_value(port))
				cli_put_place(b, json_object_get(row, "peer"));
			else
				cli_putf(b, "%s itself", cli_str(answer, "switch"));
		} else {
			cli_putf(b, CLI_RED "no route, or to a port that the switch does not have" CLI_PLAIN);
		}
		cli_putf(b, ": %zu LID%s: ", json_array_size(lids),
			 MOORE_S(json_array_size(lids)));
		put_ranges(b, lids);
		cli_putf(b, "\n");
	}
}

/* ---- SL to VL ---------------------------------------------------------------------------- */

static void
put_sl2vl(struct moore_buf *b, const json_t *answer)
{
	const json_t *row, *vl;
	size_t i, sl;

	json_array_foreach(json_object_get(answer, "rows"), i, row) {
		cli_putf(b, "in ");
		put_ranges(b, json_object_get(row, "in"));
		cli_putf(b, "  out ");
		put_ranges(b, json_object_get(row, "out"));
		cli_putf(b, "  VL of SL 0..15:");
		json_array_foreach(json_object_get(row, "vls"), sl, vl)
			cli_putf(b, " %lld", json_integer_value(vl));
		cli_putf(b, "\n");
	}
}

/* ---- from files or from moored ------------------------------------------------------------- */

/* A table of one switch: how moored is asked for it, and how files answer. */
struct kind {
	struct cli_online online;
	json_t *(*answer)(const struct moore_answer_tables *t, moore_swid s);
	bool of_lanes;
};

static int
show_from_files(const struct cli_call *c, const struct kind *k)
{
	struct moore_answer_tables view;
	struct cli_tables t = { NULL };
	moore_swid s;
	int rc;

	if ((rc = cli_load_tables(cli_opt(c, "tables"), &t)) != CLI_OK ||
	    (rc = cli_find_switch(t.f, c->arg[0], &s)) != CLI_OK)
		goto out;
	if (k->of_lanes && t.no_lanes) {
		rc = cli_error("%s/opensm-sl2vl.dump: no such file: OpenSM writes it with `qos "
			       "TRUE` and log_flags 0x40", cli_opt(c, "tables"));
		goto out;
	}
	view = cli_answer_tables(&t);
	rc = cli_show(c, k->answer(&view, s), k->online.put, NULL);
out:
	cli_tables_free(&t);
	return rc;
}

static int
show(const struct cli_call *c, const struct kind *k)
{
	if (cli_opt(c, "tables"))
		return show_from_files(c, k);
	return cli_online(c, &k->online, json_pack("{s:o}", "switch", moore_json_name(c->arg[0])));
}

int
cmd_table_lft(const struct cli_call *c)
{
	static const struct kind lft = { { "routes.table", put_lft, NULL,
		"moorectl table lft SWITCH --tables DIR" }, moore_answer_lft, false };

	return show(c, &lft);
}

int
cmd_table_sl2vl(const struct cli_call *c)
{
	static const struct kind sl2vl = { { "vls.table", put_sl2vl, NULL,
		"moorectl table sl2vl SWITCH --tables DIR" }, moore_answer_sl2vl, true };

	return show(c, &sl2vl);
}

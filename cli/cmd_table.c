// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_table.c - `moorectl table`: one switch's tables, equal rows together; from files,
 * or as moored read them back from the switch. */
#include <stdio.h>
#include <string.h>

#include "online.h"

/* Load --tables and find the switch. */
static int
open_switch(const struct cli_call *c, struct cli_tables *t, moore_swid *s)
{
	int rc = cli_load_tables(cli_opt(c, "tables"), t);

	if (rc != CLI_OK)
		return rc;
	rc = cli_find_switch(t->f, c->arg[0], s);
	if (rc != CLI_OK)
		cli_tables_free(t);
	return rc;
}

/* ---- linear forwarding: the LIDs of each port ------------------------------------------ */

/* A list of numbers that rise, as ranges. */
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

struct lft_group {
	const struct cli_tables *t;
	const uint8_t *row;
	uint8_t port;
};

/* A LID that no one owns and that has no route says nothing. */
static bool
lid_in_group(const void *arg, unsigned lid)
{
	const struct lft_group *g = arg;

	return g->row[lid] == g->port &&
	       (g->port != MOORE_NO_PATH || g->t->owner[lid].sw != MOORE_NONE);
}

static json_t *
json_lids(const struct lft_group *g)
{
	json_t *lids = json_array();

	for (unsigned lid = 1; lid <= g->t->f->lid_top; lid++)
		if (lid_in_group(g, lid))
			json_array_append_new(lids, json_integer(lid));
	return lids;
}

static void
add_lft_group(json_t *rows, const struct lft_group *g, moore_swid s)
{
	bool real = g->port <= g->t->f->sw[s].n_ports;
	json_t *lids = json_lids(g);

	if (json_array_size(lids))
		json_array_append_new(rows, json_pack("{s:o, s:o, s:O}",
			"port", real ? json_integer(g->port) : json_null(),
			"peer", real ? cli_json_peer(g->t->f, s, g->port) : json_null(),
			"lids", lids));
	json_decref(lids);
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
			cli_putf(b, CLI_RED "no route, or to a port that it has not" CLI_PLAIN);
		}
		cli_putf(b, ": %zu LIDs: ", json_array_size(lids));
		put_ranges(b, lids);
		cli_putf(b, "\n");
	}
}

static int
ask(const struct cli_call *c, const struct cli_online *how)
{
	return cli_online(c, how, json_pack("{s:o}", "switch", cli_json_name(c->arg[0])));
}

int
cmd_table_lft(const struct cli_call *c)
{
	static const struct cli_online how = { "routes.table", put_lft, NULL,
		"moorectl table lft SWITCH --tables DIR" };
	struct cli_tables t = { NULL };
	struct lft_group g;
	json_t *rows;
	moore_swid s;
	int rc;

	if (!cli_opt(c, "tables"))
		return ask(c, &how);
	if ((rc = open_switch(c, &t, &s)) != CLI_OK)
		return rc;
	rows = json_array();
	g = (struct lft_group){ .t = &t, .row = moore_lft_row(t.lft, s) };
	for (unsigned port = 0; port <= MOORE_NO_PATH; port++) {
		g.port = (uint8_t)port;
		add_lft_group(rows, &g, s);
	}
	rc = cli_show(c, json_pack("{s:o, s:o, s:o}", "switch", cli_json_name(t.f->sw[s].name),
				   "guid", cli_json_guid(t.f->sw[s].guid), "rows", rows),
		      put_lft, NULL);
	cli_tables_free(&t);
	return rc;
}

/* ---- SL to VL: in ports that treat every out port alike, then out ports ---------------- */

struct sl_group {
	const struct cli_tables *t;
	moore_swid s;
	moore_portnum in, out;	/* the first of the group */
};

static unsigned
row_id(const struct sl_group *g, unsigned in, unsigned out)
{
	const struct moore_sl2vl *m = g->t->sl2vl;

	return m->id[m->base[g->s] + (size_t)in * m->width[g->s] + out];
}

/* Does in treat every out port as g->in does? */
static bool
same_in(const void *arg, unsigned in)
{
	const struct sl_group *g = arg;

	for (unsigned out = 1; out <= g->t->f->sw[g->s].n_ports; out++)
		if (row_id(g, in, out) != row_id(g, g->in, out))
			return false;
	return true;
}

static bool
same_out(const void *arg, unsigned out)
{
	const struct sl_group *g = arg;

	return row_id(g, g->in, out) == row_id(g, g->in, g->out);
}

static json_t *
json_ports(const struct sl_group *g, unsigned first, bool (*pick)(const void *, unsigned))
{
	json_t *list = json_array();

	for (unsigned p = first; p <= g->t->f->sw[g->s].n_ports; p++)
		if (pick(g, p))
			json_array_append_new(list, json_integer(p));
	return list;
}

static void
add_sl_row(json_t *rows, const struct sl_group *g)
{
	const uint8_t *vl = moore_sl2vl_get(g->t->sl2vl, g->s, g->in, g->out)->vl;
	json_t *vls = json_array();

	for (int sl = 0; sl < MOORE_N_SL; sl++)
		json_array_append_new(vls, json_integer(vl[sl]));
	json_array_append_new(rows, json_pack("{s:o, s:o, s:o}", "in", json_ports(g, 0, same_in),
					      "out", json_ports(g, 1, same_out), "vls", vls));
}

static json_t *
json_sl_groups(struct sl_group *g)
{
	bool in_done[MOORE_PORT_MAX + 1] = { false }, out_done[MOORE_PORT_MAX + 1];
	unsigned n = g->t->f->sw[g->s].n_ports;
	json_t *rows = json_array();

	for (unsigned in = 0; in <= n; in++) {
		if (in_done[in])
			continue;
		g->in = (moore_portnum)in;
		for (unsigned i = in; i <= n; i++)
			in_done[i] |= same_in(g, i);
		memset(out_done, 0, sizeof(out_done));
		for (unsigned out = 1; out <= n; out++) {
			if (out_done[out])
				continue;
			g->out = (moore_portnum)out;
			for (unsigned o = out; o <= n; o++)
				out_done[o] |= same_out(g, o);
			add_sl_row(rows, g);
		}
	}
	return rows;
}

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

int
cmd_table_sl2vl(const struct cli_call *c)
{
	static const struct cli_online how = { "vls.table", put_sl2vl, NULL,
		"moorectl table sl2vl SWITCH --tables DIR" };
	struct cli_tables t = { NULL };
	struct sl_group g = { .t = &t };
	int rc;

	if (!cli_opt(c, "tables"))
		return ask(c, &how);
	if ((rc = open_switch(c, &t, &g.s)) != CLI_OK)
		return rc;
	if (t.no_lanes)
		rc = cli_error("%s/opensm-sl2vl.dump: no such file: OpenSM writes it with `qos "
			       "TRUE` and log_flags 0x40", cli_opt(c, "tables"));
	else
		rc = cli_show(c, json_pack("{s:o, s:o, s:o}",
			"switch", cli_json_name(t.f->sw[g.s].name),
			"guid", cli_json_guid(t.f->sw[g.s].guid), "rows", json_sl_groups(&g)),
			put_sl2vl, NULL);
	cli_tables_free(&t);
	return rc;
}

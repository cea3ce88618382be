// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_table.c - `moorectl table`: one switch's tables, equal rows together. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* Load --tables and find the switch. */
static int
open_switch(const struct cli_call *c, struct cli_tables *t, moore_swid *s)
{
	const char *dir = cli_opt(c, "tables");
	int rc;

	if (!dir)
		return cli_misuse(c, "--tables DIR is missing: the directory of the dumps");
	if ((rc = cli_load_tables(dir, t)) != CLI_OK)
		return rc;
	rc = cli_find_switch(t->f, c->arg[0], s);
	if (rc != CLI_OK)
		cli_tables_free(t);
	return rc;
}

/* ---- linear forwarding: the LIDs of each port ------------------------------------------ */

/* LIDs first..last where pick(arg, i) holds, as ranges. */
static void
put_ranges(struct moore_buf *b, unsigned first, unsigned last,
	   bool (*pick)(const void *arg, unsigned i), const void *arg)
{
	const char *sep = "";
	unsigned i = first, start;

	while (i <= last) {
		if (!pick(arg, i)) {
			i++;
			continue;
		}
		for (start = i; i <= last && pick(arg, i); i++)
			;
		if (i - 1 > start)
			cli_putf(b, "%s%u-%u", sep, start, i - 1);
		else
			cli_putf(b, "%s%u", sep, start);
		sep = ",";
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
put_lft_group(struct moore_buf *b, json_t *rows, const struct lft_group *g, moore_swid s)
{
	bool real = g->port <= g->t->f->sw[s].n_ports;
	unsigned n = 0;

	for (unsigned lid = 1; lid <= g->t->f->lid_top; lid++)
		n += lid_in_group(g, lid);
	if (!n)
		return;
	if (rows) {
		json_array_append_new(rows, json_pack("{s:o, s:o, s:o}",
			"port", real ? json_integer(g->port) : json_null(),
			"peer", real ? cli_json_peer(g->t->f, s, g->port) : json_null(),
			"lids", json_lids(g)));
		return;
	}
	if (real) {
		cli_putf(b, "port %-3u to ", g->port);
		cli_put_peer(b, g->t->f, s, g->port);
	} else if (g->port == MOORE_NO_PATH) {
		cli_putf(b, CLI_RED "no route" CLI_PLAIN);
	} else {
		cli_putf(b, CLI_RED "port %u, which it has not" CLI_PLAIN, g->port);
	}
	cli_putf(b, ": %u LIDs: ", n);
	put_ranges(b, 1, g->t->f->lid_top, lid_in_group, g);
	cli_putf(b, "\n");
}

int
cmd_table_lft(const struct cli_call *c)
{
	json_t *rows = c->json ? json_array() : NULL;
	struct moore_buf b = MOORE_BUF_INIT;
	struct cli_tables t = { NULL };
	struct lft_group g;
	moore_swid s;
	int rc = open_switch(c, &t, &s);

	if (rc != CLI_OK) {
		json_decref(rows);
		return rc;
	}
	g = (struct lft_group){ .t = &t, .row = moore_lft_row(t.lft, s) };
	for (unsigned port = 0; port <= MOORE_NO_PATH; port++) {
		g.port = (uint8_t)port;
		put_lft_group(&b, rows, &g, s);
	}
	if (c->json)
		rc = cli_print_json(json_pack("{s:o, s:o, s:o}",
			"switch", cli_json_name(t.f->sw[s].name),
			"guid", cli_json_guid(t.f->sw[s].guid), "rows", rows));
	else
		rc = cli_print_text(&b);
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
put_sl_row(struct moore_buf *b, json_t *rows, const struct sl_group *g)
{
	const uint8_t *vl = moore_sl2vl_get(g->t->sl2vl, g->s, g->in, g->out)->vl;
	unsigned last = g->t->f->sw[g->s].n_ports;
	json_t *vls;

	if (rows) {
		vls = json_array();
		for (int sl = 0; sl < MOORE_N_SL; sl++)
			json_array_append_new(vls, json_integer(vl[sl]));
		json_array_append_new(rows, json_pack("{s:o, s:o, s:o}",
			"in", json_ports(g, 0, same_in), "out", json_ports(g, 1, same_out),
			"vls", vls));
		return;
	}
	cli_putf(b, "in ");
	put_ranges(b, 0, last, same_in, g);
	cli_putf(b, "  out ");
	put_ranges(b, 1, last, same_out, g);
	cli_putf(b, "  VL of SL 0..15:");
	for (int sl = 0; sl < MOORE_N_SL; sl++)
		cli_putf(b, " %u", vl[sl]);
	cli_putf(b, "\n");
}

static void
put_sl_groups(struct moore_buf *b, json_t *rows, struct sl_group *g)
{
	bool in_done[MOORE_PORT_MAX + 1] = { false }, out_done[MOORE_PORT_MAX + 1];
	unsigned n = g->t->f->sw[g->s].n_ports;

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
			put_sl_row(b, rows, g);
		}
	}
}

int
cmd_table_sl2vl(const struct cli_call *c)
{
	json_t *rows = c->json ? json_array() : NULL;
	struct moore_buf b = MOORE_BUF_INIT;
	struct cli_tables t = { NULL };
	struct sl_group g = { .t = &t };
	int rc = open_switch(c, &t, &g.s);

	if (rc == CLI_OK && t.no_lanes) {
		rc = cli_error("%s/opensm-sl2vl.dump: no such file: OpenSM writes it with `qos "
			       "TRUE` and log_flags 0x40", cli_opt(c, "tables"));
		cli_tables_free(&t);
	}
	if (rc != CLI_OK) {
		json_decref(rows);
		return rc;
	}
	put_sl_groups(&b, rows, &g);
	if (c->json)
		rc = cli_print_json(json_pack("{s:o, s:o, s:o}",
			"switch", cli_json_name(t.f->sw[g.s].name),
			"guid", cli_json_guid(t.f->sw[g.s].guid), "rows", rows));
	else
		rc = cli_print_text(&b);
	cli_tables_free(&t);
	return rc;
}

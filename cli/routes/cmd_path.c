// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_path.c - `moorectl path`: how A reaches B, hop by hop and lane by lane:
 * on tables in files, or on those that moored read from the switches. */
#include <stdlib.h>

#include "online.h"

/* ---- the question ------------------------------------------------------------------- */

static int
find_source(const struct cli_tables *t, const char *what, struct moore_path *w)
{
	moore_swid s;
	moore_epid e;
	int rc = cli_find(t->f, what, &s, &e);

	if (rc != CLI_OK)
		return rc;
	if (e != MOORE_NONE && t->f->ep[e].sw == MOORE_NONE)
		return cli_error("%s: is plugged into no switch", what);
	w->sw = e != MOORE_NONE ? t->f->ep[e].sw : s;
	w->in = e != MOORE_NONE ? t->f->ep[e].port : 0;
	return CLI_OK;
}

static int
find_target(const struct cli_call *c, const struct cli_tables *t, const char *what,
	    uint64_t offset, struct moore_path *w)
{
	moore_swid s;
	moore_epid e;
	moore_lid base;
	uint8_t lmc;
	int rc = cli_find(t->f, what, &s, &e);

	if (rc != CLI_OK)
		return rc;
	base = e != MOORE_NONE ? t->f->ep[e].lid : t->f->sw[s].lid;
	lmc = e != MOORE_NONE ? t->f->ep[e].lmc : t->f->sw[s].lmc;
	if (!base || base > t->f->lid_top || t->owner[base].sw == MOORE_NONE)
		return cli_error("%s: has no LID: nothing can be sent to it", what);
	if (offset >= (uint64_t)1 << lmc)
		return cli_misuse(c, "--offset %llu: %s has LMC %u: offsets 0 to %u",
				  (unsigned long long)offset, what, lmc, (1u << lmc) - 1);
	w->lid = (moore_lid)(base + offset);
	return CLI_OK;
}

/* ---- the answer ----------------------------------------------------------------------- */

static void
put_hop(struct moore_buf *b, const json_t *h)
{
	const json_t *out = json_object_get(h, "out"), *vl = json_object_get(h, "vl");

	cli_putf(b, "  %s  in %lld", cli_str(h, "switch"), cli_int(h, "in"));
	if (!json_is_integer(out)) {
		cli_putf(b, "  no route\n");
		return;
	}
	cli_putf(b, "  out %lld", json_integer_value(out));
	if (json_is_integer(vl))
		cli_putf(b, "  VL %lld", json_integer_value(vl));
	cli_putf(b, "  to ");
	if (json_integer_value(out))
		cli_put_place(b, json_object_get(h, "peer"));
	else
		cli_putf(b, "%s itself", cli_str(h, "switch"));
	cli_putf(b, "\n");
}

static void
put_path(struct moore_buf *b, const json_t *way)
{
	const json_t *h;
	size_t i;

	cli_putf(b, "%s to %s, LID %lld, SL %lld\n", cli_str(way, "from"), cli_str(way, "to"),
		 cli_int(way, "lid"), cli_int(way, "sl"));
	json_array_foreach(json_object_get(way, "hops"), i, h)
		put_hop(b, h);
	if (!cli_yes(way, "delivered"))
		cli_putf(b, CLI_RED "not delivered" CLI_PLAIN ": %s\n", cli_str(way, "fault"));
	else
		cli_putf(b, "delivered after %lld hops between switches\n",
			 cli_int(way, "switch_hops"));
}

/* ---- the verb --------------------------------------------------------------------------- */

static int
ask(const struct cli_call *c, uint64_t offset, uint64_t sl)
{
	static const struct cli_online how = { "routes.path", put_path, cli_not_ok,
		"moorectl path A B --tables DIR" };

	return cli_online(c, &how, json_pack("{s:o, s:o, s:i, s:i}", "from",
		moore_json_name(c->arg[0]), "to", moore_json_name(c->arg[1]), "offset", (int)offset,
		"sl", (int)sl));
}

static int
from_files(const struct cli_call *c, const char *dir, uint64_t offset, struct moore_path *w)
{
	struct moore_answer_tables view;
	struct cli_tables t = { NULL };
	int rc = cli_load_tables(dir, &t);

	if (rc == CLI_OK)
		rc = cli_set_op_vls(c, &t);
	if (rc == CLI_OK && !(w->hop = calloc((size_t)t.f->n_switches + 1, sizeof(*w->hop))))
		rc = cli_error("out of memory");
	if (rc == CLI_OK && (rc = find_source(&t, c->arg[0], w)) == CLI_OK &&
	    (rc = find_target(c, &t, c->arg[1], offset, w)) == CLI_OK) {
		moore_path_walk(t.f, t.lft, t.sl2vl, t.owner, w);
		view = cli_answer_tables(&t);
		rc = cli_show(c, moore_answer_path(&view, c->arg[0], c->arg[1], w), put_path, cli_not_ok);
	}
	free(w->hop);
	cli_tables_free(&t);
	return rc;
}

int
cmd_path(const struct cli_call *c)
{
	const char *dir = cli_opt(c, "tables");
	struct moore_path w = { 0 };
	uint64_t offset = 0, sl = 0;
	int rc;

	if ((rc = cli_opt_u64(c, "offset", 0, 127, &offset)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "sl", 0, MOORE_N_SL - 1, &sl)) != CLI_OK)
		return rc;
	w.sl = (uint8_t)sl;
	return dir ? from_files(c, dir, offset, &w) : ask(c, offset, sl);
}

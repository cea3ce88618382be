// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* table.c - the tables of one switch, equal rows together. */
#include <string.h>

#include "answer/answer_impl.h"

#define OF_SWITCH(row) OBJ("'switch':" STR ",'guid':" OR_NULL("string") ",'rows':" LIST_OF(row))

const char moore_schema_lft[] = OF_SWITCH(OBJ("'port':" OR_NULL("integer") ",'peer':" A_PEER
	",'lids':" LIST_OF(INT)));
const char moore_schema_sl2vl[] = OF_SWITCH(OBJ("'in':" LIST_OF(INT) ",'out':" LIST_OF(INT)
	",'vls':" LIST_OF(INT)));

static json_t *
of_switch(const struct moore_answer_tables *t, moore_swid s, json_t *rows)
{
	return json_pack("{s:o, s:o, s:o}", "switch", moore_json_name(t->f->sw[s].name),
			 "guid", moore_json_guid(t->f->sw[s].guid), "rows", rows);
}

/* ---- linear forwarding: the LIDs of each port ------------------------------------ */

/* LIDs with that port.  A LID without owner and route is left out. */
static json_t *
json_lids(const struct moore_answer_tables *t, moore_swid s, unsigned port)
{
	const uint8_t *row = moore_lft_row(t->lft, s);
	json_t *lids = json_array();

	for (unsigned lid = 1; lid <= t->f->lid_top && lid < t->lft->stride; lid++)
		if (row[lid] == port &&
		    (port != MOORE_NO_PATH || t->owner[lid].sw != MOORE_NONE))
			lids = moore_json_add(lids, json_integer(lid));
	return lids;
}

json_t *
moore_answer_lft(const struct moore_answer_tables *t, moore_swid s)
{
	json_t *rows = json_array(), *lids;

	for (unsigned port = 0; port <= MOORE_NO_PATH; port++) {
		bool real = port <= t->f->sw[s].n_ports;

		lids = json_lids(t, s, port);
		if (lids && !json_array_size(lids)) {
			json_decref(lids);
			continue;
		}
		rows = moore_json_add(rows, json_pack("{s:o, s:o, s:o}",
			"port", real ? json_integer(port) : json_null(),
			"peer", real ? moore_json_peer(t->f, s, (moore_portnum)port) : json_null(),
			"lids", lids));
	}
	return of_switch(t, s, rows);
}

/* ---- SL to VL: in ports that treat every out port alike, then out ports ------------- */

struct group {
	const struct moore_sl2vl *m;
	moore_swid sw;
	unsigned n, in, out;	/* ports; the first of the group */
};

static unsigned
row_id(const struct group *g, unsigned in, unsigned out)
{
	return g->m->id[g->m->base[g->sw] + (size_t)in * g->m->width[g->sw] + out];
}

static bool
same_in(const struct group *g, unsigned in)
{
	for (unsigned out = 1; out <= g->n; out++)
		if (row_id(g, in, out) != row_id(g, g->in, out))
			return false;
	return true;
}

static bool
same_out(const struct group *g, unsigned out)
{
	return row_id(g, g->in, out) == row_id(g, g->in, g->out);
}

/* The ports of a group, marked as done. */
static json_t *
take_ports(const struct group *g, unsigned first, bool (*same)(const struct group *, unsigned),
	   bool *done)
{
	json_t *list = json_array();

	for (unsigned p = first; p <= g->n; p++)
		if (same(g, p)) {
			done[p] = true;
			list = moore_json_add(list, json_integer(p));
		}
	return list;
}

static json_t *
json_vls(const struct group *g)
{
	const uint8_t *vl = moore_sl2vl_get(g->m, g->sw, (moore_portnum)g->in,
					    (moore_portnum)g->out)->vl;
	json_t *list = json_array();

	for (int sl = 0; sl < MOORE_N_SL; sl++)
		list = moore_json_add(list, json_integer(vl[sl]));
	return list;
}

/* The rows of the in ports that are as g->in. */
static json_t *
add_out_groups(json_t *rows, struct group *g, json_t *ins)
{
	bool done[MOORE_PORT_MAX + 1] = { false };
	json_t *outs;

	for (g->out = 1; g->out <= g->n; g->out++)
		if (!done[g->out]) {
			outs = take_ports(g, 1, same_out, done);
			rows = moore_json_add(rows, json_pack("{s:O, s:o, s:o}", "in", ins, "out",
							      outs, "vls", json_vls(g)));
		}
	return rows;
}

json_t *
moore_answer_sl2vl(const struct moore_answer_tables *t, moore_swid s)
{
	struct group g = { t->sl2vl, s, t->f->sw[s].n_ports, 0, 0 };
	bool done[MOORE_PORT_MAX + 1] = { false };
	json_t *rows = json_array(), *ins;

	for (g.in = 0; g.in <= g.n; g.in++) {
		if (done[g.in])
			continue;
		ins = take_ports(&g, 0, same_in, done);
		rows = add_out_groups(rows, &g, ins);
		json_decref(ins);
	}
	return of_switch(t, s, rows);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_path.c - `moorectl path`: how A reaches B, hop by hop and lane by lane. */
#include <stdlib.h>

#include "cli.h"

struct hop {
	moore_swid sw;
	moore_portnum in, out;
	uint8_t vl;
};

struct way {			/* what is asked, and what was found */
	moore_swid sw;		/* where the packet enters */
	moore_portnum in;
	moore_lid lid;
	uint8_t sl;
	struct hop *hop;
	uint32_t n_hops;
	const char *fault;	/* why it does not arrive; NULL when it does */
};

static bool
arrived(const struct cli_tables *t, const struct hop *h, moore_lid lid)
{
	return t->owner[lid].sw == h->sw && t->owner[lid].port == h->out;
}

/* Follow the tables; w->hop has room for one hop on each switch. */
static void
walk(const struct cli_tables *t, struct way *w)
{
	moore_swid s = w->sw;
	moore_portnum in = w->in;

	while (w->n_hops < t->f->n_switches) {
		struct hop *h = &w->hop[w->n_hops++];
		const struct moore_port *p;
		uint8_t out = moore_lft_row(t->lft, s)[w->lid];

		*h = (struct hop){ s, in, out, 0 };
		if (out == MOORE_NO_PATH || out > t->f->sw[s].n_ports) {
			w->fault = "the switch has no route to the LID";
			return;
		}
		if (out)
			h->vl = moore_sl2vl_get(t->sl2vl, s, in, out)->vl[w->sl];
		if (h->vl == 15) {
			w->fault = "the SL maps to VL 15, which drops the packet";
			return;
		}
		if (arrived(t, h, w->lid))
			return;
		p = moore_fabric_port(t->f, s, out);
		if (p->role != MOORE_ROLE_SWITCH) {
			w->fault = "the route leaves the switches at the wrong port";
			return;
		}
		s = p->peer;
		in = p->peer_port;
	}
	w->fault = "the route runs in circles";
}

/* ---- the question ------------------------------------------------------------------- */

static int
find_source(const struct cli_tables *t, const char *what, struct way *w)
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
	    uint64_t offset, struct way *w)
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

static json_t *
json_way(const struct cli_call *c, const struct cli_tables *t, const struct way *w)
{
	json_t *hops = json_array();

	for (uint32_t i = 0; i < w->n_hops; i++) {
		const struct hop *h = &w->hop[i];
		bool out = h->out <= t->f->sw[h->sw].n_ports;

		json_array_append_new(hops, json_pack("{s:o, s:o, s:i, s:o, s:o, s:o}",
			"switch", cli_json_name(t->f->sw[h->sw].name),
			"guid", cli_json_guid(t->f->sw[h->sw].guid), "in", h->in,
			"out", out ? json_integer(h->out) : json_null(),
			"vl", out && h->out && !t->no_lanes ? json_integer(h->vl) : json_null(),
			"peer", out ? cli_json_peer(t->f, h->sw, h->out) : json_null()));
	}
	return json_pack("{s:o, s:o, s:i, s:i, s:b, s:o, s:i, s:o}",
			 "from", cli_json_name(c->arg[0]), "to", cli_json_name(c->arg[1]),
			 "lid", w->lid, "sl", w->sl, "delivered", !w->fault,
			 "fault", w->fault ? json_string(w->fault) : json_null(),
			 "switch_hops", w->n_hops ? (int)w->n_hops - 1 : 0, "hops", hops);
}

static void
put_way(struct moore_buf *b, const struct cli_call *c, const struct cli_tables *t,
	const struct way *w)
{
	cli_putf(b, "%s to %s, LID %u, SL %u\n", c->arg[0], c->arg[1], w->lid, w->sl);
	for (uint32_t i = 0; i < w->n_hops; i++) {
		const struct hop *h = &w->hop[i];

		cli_putf(b, "  %s  in %u", t->f->sw[h->sw].name, h->in);
		if (h->out > t->f->sw[h->sw].n_ports) {
			cli_putf(b, "  no route\n");
			continue;
		}
		cli_putf(b, "  out %u", h->out);
		if (h->out && !t->no_lanes)
			cli_putf(b, "  VL %u", h->vl);
		cli_putf(b, "  to ");
		cli_put_peer(b, t->f, h->sw, h->out);
		cli_putf(b, "\n");
	}
	if (w->fault)
		cli_putf(b, CLI_RED "not delivered" CLI_PLAIN ": %s\n", w->fault);
	else
		cli_putf(b, "delivered after %u hops between switches\n", w->n_hops - 1);
}

int
cmd_path(const struct cli_call *c)
{
	const char *dir = cli_opt(c, "tables");
	struct moore_buf text = MOORE_BUF_INIT;
	struct cli_tables t = { NULL };
	struct way w = { 0 };
	uint64_t offset = 0, sl = 0;
	int rc;

	if (!dir)
		return cli_misuse(c, "--tables DIR is missing: the directory of the dumps");
	if ((rc = cli_opt_u64(c, "offset", 0, 127, &offset)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "sl", 0, MOORE_N_SL - 1, &sl)) != CLI_OK ||
	    (rc = cli_load_tables(dir, &t)) != CLI_OK)
		return rc;
	w.sl = (uint8_t)sl;
	w.hop = calloc((size_t)t.f->n_switches + 1, sizeof(*w.hop));
	if (!w.hop) {
		rc = cli_error("out of memory");
	} else if ((rc = find_source(&t, c->arg[0], &w)) == CLI_OK &&
		   (rc = find_target(c, &t, c->arg[1], offset, &w)) == CLI_OK) {
		walk(&t, &w);
		if (c->json)
			rc = cli_print_json(json_way(c, &t, &w));
		else
			put_way(&text, c, &t, &w), rc = cli_print_text(&text);
		if (rc == CLI_OK && w.fault)
			rc = CLI_FOUND;
	}
	free(w.hop);
	cli_tables_free(&t);
	return rc;
}

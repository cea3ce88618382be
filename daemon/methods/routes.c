// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* routes.c - where the tables lead that the switches hold.
 *
 * routes.path needs a few look-ups and answers at once; what walks all tables runs on the
 * worker.  Elsewhere: the answers themselves (moore/answer.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moore/moore.h"
#include "watch/expected.h"
#include "watch/sweeps.h"
#include "methods/methods.h"
#include "state.h"
#include "threads.h"

/* ---- the question ------------------------------------------------------------------ */

static struct moore_answer_tables
tables_of(const struct call *c)
{
	const struct snapshot *s = c->view->snap;

	return (struct moore_answer_tables){ .f = s->fabric, .lft = s->lft, .sl2vl = s->sl2vl,
		.mft = s->mft, .owner = c->view->owner,
		.op_vls = s->is_ethernet ? "classes" : "portinfo" };
}

static const char *
text_param(const struct call *c, const char *key)
{
	return json_string_value(json_object_get(c->params, key));
}

static bool
find(const struct call *c, const char *key, moore_swid *sw, moore_epid *ep, struct rpc_error *e)
{
	struct moore_err err;

	if (view_find(c->view, text_param(c, key), sw, ep, &err) == 0)
		return true;
	rpc_fail(e, RPC_NOT_FOUND, "%s: %s", key, err.text);
	return false;
}

static bool
find_switch(const struct call *c, moore_swid *sw, struct rpc_error *e)
{
	moore_epid ep;

	if (!find(c, "switch", sw, &ep, e))
		return false;
	if (*sw == MOORE_NONE)
		rpc_fail(e, RPC_NOT_FOUND, "switch: %.100s is an endpoint", text_param(c, "switch"));
	return *sw != MOORE_NONE;
}

/* ---- path -------------------------------------------------------------------------- */

static bool
path_ends(const struct call *c, const struct moore_fabric *f, struct moore_path *p,
	  struct rpc_error *e)
{
	json_int_t offset = json_integer_value(json_object_get(c->params, "offset"));
	moore_swid s;
	moore_epid a;
	moore_lid base;
	unsigned lmc;

	if (!find(c, "from", &s, &a, e))
		return false;
	p->sw = a != MOORE_NONE ? f->ep[a].sw : s;
	p->in = a != MOORE_NONE ? f->ep[a].port : 0;
	if (p->sw == MOORE_NONE) {
		rpc_fail(e, RPC_NOT_FOUND, "from: %.100s is plugged into no switch",
			 text_param(c, "from"));
		return false;
	}
	if (!find(c, "to", &s, &a, e))
		return false;
	base = a != MOORE_NONE ? f->ep[a].lid : f->sw[s].lid;
	lmc = a != MOORE_NONE ? f->ep[a].lmc : f->sw[s].lmc;
	if (!base || base > f->lid_top || c->view->owner[base].sw == MOORE_NONE)
		rpc_fail(e, RPC_NOT_FOUND, "to: %.100s has no LID", text_param(c, "to"));
	else if (offset >= (json_int_t)1 << lmc)
		rpc_fail(e, RPC_PARAMS, "params.offset: %.100s has LMC %u: offsets 0 to %u",
			 text_param(c, "to"), lmc, (1u << lmc) - 1);
	p->lid = (moore_lid)(base + offset);
	return !e->code;
}

static json_t *
run_path(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_TABLES, e);
	struct moore_answer_tables t;
	struct moore_path p = { 0 };
	json_t *answer;

	if (!s || !path_ends(c, s->fabric, &p, e))
		return NULL;
	t = tables_of(c);
	p.sl = (uint8_t)json_integer_value(json_object_get(c->params, "sl"));
	if (!(p.hop = malloc(s->fabric->n_switches * sizeof(*p.hop))))
		return rpc_fail(e, RPC_INTERNAL, "out of memory");
	moore_path_walk(t.f, t.lft, t.sl2vl, t.owner, &p);
	answer = moore_answer_path(&t, text_param(c, "from"), text_param(c, "to"), &p);
	free(p.hop);
	return from_sweep(s, answer);
}

/* ---- tables ------------------------------------------------------------------------ */

static json_t *
of_switch(const struct call *c, struct rpc_error *e,
	  json_t *(*answer)(const struct moore_answer_tables *t, moore_swid s))
{
	const struct snapshot *s = call_snapshot(c, NEED_TABLES, e);
	struct moore_answer_tables t;
	moore_swid sw;

	if (!s || !find_switch(c, &sw, e))
		return NULL;
	t = tables_of(c);
	return from_sweep(s, answer(&t, sw));
}

static json_t *
run_table(struct call *c, struct rpc_error *e)
{
	return of_switch(c, e, moore_answer_lft);
}

static json_t *
run_vls(struct call *c, struct rpc_error *e)
{
	return of_switch(c, e, moore_answer_sl2vl);
}

/* ---- verify ------------------------------------------------------------------------ */

/* The verdict on the SLs of the path records that were read; null when none was. */
static json_t *
json_sa(const struct snapshot *s, const struct moore_check_opts *o, bool sound)
{
	struct moore_check_opts only = *o;
	struct moore_verdict *v = NULL;
	json_t *sls;
	struct moore_err err;

	if (!s->sa.answered)
		return json_null();
	/* Tables that are sound on all the SLs asked about are sound on any of them. */
	if (!sound || (o->sl_mask && s->sa.sls & ~o->sl_mask)) {
		only.sl_mask = s->sa.sls;
		if (moore_check(&v, s->fabric, s->lft, s->sl2vl, s->mft, &only, &err) < 0)
			return json_null();
		sound = v->sound;
		moore_verdict_free(v);
	}
	sls = json_array();
	for (int sl = 0; sl < MOORE_N_SL; sl++)
		if (s->sa.sls >> sl & 1)
			sls = moore_json_add(sls, json_integer(sl));
	return json_pack("{s:o, s:o, s:o, s:b, s:b, s:o}", "asked",
		moore_json_count(s->sa.asked), "answered",
			 moore_json_count(s->sa.answered), "sls", sls, "ok", sound, "sound", sound,
			 "heard_ms", moore_json_count(atomic_load(&s->sa_heard_ms)));
}

static json_t *
run_verify(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_TABLES, e);
	const struct moore_jobs jobs = threads_lend(0);
	struct moore_check_opts o = {
		.base_lids_only = json_is_true(json_object_get(c->params, "base_lids")),
		.endpoints_only = json_is_true(json_object_get(c->params, "endpoints_only")),
		.jobs = &jobs,
	};
	struct moore_answer_tables t;
	struct moore_verdict *v = NULL;
	struct moore_dangling d;
	struct moore_err err;
	json_t *sl, *answer;
	size_t i;

	if (!s)
		return NULL;
	json_array_foreach(json_object_get(c->params, "sls"), i, sl)
		o.sl_mask = (uint16_t)(o.sl_mask | 1u << json_integer_value(sl));
	if (moore_check(&v, s->fabric, s->lft, s->sl2vl, s->mft, &o, &err) < 0)
		return rpc_fail(e, RPC_FAILED, "%s", err.text);
	moore_lft_dangling(s->fabric, s->lft, &d);
	t = tables_of(c);
	answer = moore_answer_verdict(&t, &o, v, &d);
	if (answer) {
		json_object_set_new(answer, "sa", json_sa(s, &o, v->sound));
		add_expected(answer, s, c->plan, c->own);
	}
	moore_verdict_free(v);
	return from_sweep(s, answer);
}

/* What OpenSM's plugin reported belongs to the loop's thread. */
static json_t *
finish_verify(struct call *c, json_t *result, struct rpc_error *e)
{
	if (result)
		json_object_set_new(result, "told", json_sweep_told(c->d, c->view->snap));
	return drop_own(c, result, e);
}

/* ---- quality ----------------------------------------------------------------------- */

static json_t *
run_quality(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_TABLES, e);
	struct moore_quality *q = NULL;
	struct moore_err err;
	json_t *answer;

	if (!s)
		return NULL;
	if (moore_quality_measure(&q, s->fabric, s->lft, &err) < 0)
		return rpc_fail(e, RPC_FAILED, "%s", err.text);
	answer = moore_answer_quality(s->fabric, q);
	moore_quality_free(q);
	return from_sweep(s, answer);
}

/* ---- the table --------------------------------------------------------------------- */

#define SL "{'type':'integer','minimum':0,'maximum':15}"

const struct method methods_routes[] = {
	{ "routes.path", "Returns the route from `from` to `to`, hop by hop and lane by lane, "
	  "by the tables that the switches hold. Both are a name, NAME:CA_PORT, 0x GUID or "
	  "LID; offset is the LID of to, less its base LID.", ACCESS_READ,
	  P_REQ("'from','to'", PLANE ",'from':" NAME ",'to':" NAME ",'offset':{'type':'integer',"
		"'minimum':0,'maximum':127},'sl':" SL),
	  ANSWER("path"),
	  run_path, TAKES_NO_TIME, NULL, NULL },
	{ "routes.table", "Returns a switch's forwarding table: the LIDs of each port.", ACCESS_READ,
	  P_REQ("'switch'", PLANE ",'switch':" NAME),
	  ANSWER("lft"), run_table, TAKES_A_MOMENT, NULL, NULL },
	{ "routes.verify", "Decides whether traffic on these tables can deadlock. With sls, "
	  "only these SLs are used; with base_lids, only base LIDs; with endpoints_only, "
	  "switches neither send nor are addressed. expected compares with what engine moore "
	  "computes from plan, or else the kept graph, and moore_conf: rows that differ were "
	  "written by another engine or manager, or from other settings; it is null on "
	  "Ethernet. adaptive_routing is null: not read, and where it is on for an SL the "
	  "answer does not hold for that SL. sa judges the same tables "
	  "on the SLs that the SA's path records name: of `asked` pairs of endpoints spread "
	  "over all (4096 at a time), `answered` had one, the last at `heard_ms`; null when "
	  "none was read.",
	  ACCESS_READ, P(PLANE ",'sls':{'type':'array','maxItems':16,'items':" SL "},'base_lids':" BOOL
			 ",'endpoints_only':" BOOL),
	  ANSWER("verdict"), run_verify,
	  TAKES_LONG, take_moore_conf, finish_verify },
	{ "routes.quality", "Returns how long, even and independent the routes are.", ACCESS_READ,
	  P(PLANE),
	  ANSWER("quality"), run_quality, TAKES_LONG, NULL, NULL },
	{ "vls.table", "Returns a switch's SL to VL tables, with equal tables together.", ACCESS_READ,
	  P_REQ("'switch'", PLANE ",'switch':" NAME),
	  ANSWER("sl2vl"), run_vls, TAKES_A_MOMENT, NULL, NULL },
	{ 0 }
};

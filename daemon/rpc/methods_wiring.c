// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* methods_wiring.c - is the fabric cabled as planned, and what is to be moved: the
 * fields are those of `moorectl check` and `moorectl repair` with --json. */
#include <stdlib.h>

#include "rpc/methods.h"
#include "watch/wiring.h"

static bool
compare(const struct call *c, struct wired *x, struct rpc_error *e)
{
	struct moore_err err;

	if (!call_snapshot(c, NEED_SEEN, e))
		return false;
	if (!c->plan)
		rpc_fail(e, RPC_NO_PLAN, "there is no plan: set plan in moored.conf(5), or start "
			 "moored with --plan");
	else if (wired_check(x, c->view, c->plan, &err) < 0)
		rpc_fail(e, RPC_FAILED, "%s", err.text);
	return !e->code;
}

/* ---- check --------------------------------------------------------------------------------- */

static json_t *
json_counts(const struct moore_wire *w)
{
	uint32_t n[MOORE_WIRE_VERDICTS] = { 0 };
	json_t *o = json_object();

	for (uint32_t i = 0; i < w->n_deviations; i++)
		n[w->deviation[i].verdict]++;
	for (int v = 0; v < MOORE_WIRE_VERDICTS; v++)
		if (n[v])
			json_object_set_new(o, moore_wire_text(v)->name, json_count(n[v]));
	return o;
}

static json_t *
run_check(struct call *c, struct rpc_error *e)
{
	const struct moore_wire *w;
	struct wired x = { .w = NULL };
	json_t *o;

	if (!compare(c, &x, e))
		return NULL;
	w = x.w;
	o = json_pack("{s:b, s:o, s:o, s:b, s:{s:i, s:i, s:i}, s:i, s:i, s:i}",
		"ok", !w->n_deviations, "deviations", json_deviations(w), "counts", json_counts(w),
		"image", w->image, "bound", "guid", (int)w->by_guid, "name", (int)w->by_name,
		"structure", (int)w->by_structure, "switches", (int)w->seen->plan->n_switches,
		"endpoints", (int)w->seen->plan->n_endpoints,
		"cables", (int)w->seen->plan->n_cables);
	wired_free(&x);
	return from_sweep(c->view->snap, o);
}

/* ---- repair -------------------------------------------------------------------------------- */

static json_t *
json_place(const struct moore_wire *w, uint32_t jack)
{
	return jack == MOORE_NONE ? json_null() : json_jack(w, w->jack[jack]);
}

static json_t *
json_move(const struct moore_wire *w, const struct moore_repair_move *m)
{
	return json_pack("{s:o, s:s, s:o, s:o, s:i, s:b}", "cable", json_cable_of(w, m->cable),
		"end", m->end ? "b" : "a", "from", json_place(w, m->from), "to",
		json_place(w, m->to), "step", (int)m->step, "parts", m->parts);
}

static json_t *
json_repair(const struct moore_wire *w, const struct moore_repair *r)
{
	json_t *moves = json_array(), *exchanges = json_array();

	for (uint32_t i = 0; i < w->n_exchanges; i++) {
		const moore_swid *s = w->exchange[i];

		json_array_append_new(exchanges, json_pack("{s:o, s:o}",
			"a", json_jack(w, (struct moore_wire_jack){ false, s[0], 0 }),
			"b", json_jack(w, (struct moore_wire_jack){ false, s[1], 0 })));
	}
	for (uint32_t i = 0; i < r->n_moves; i++)
		json_array_append_new(moves, json_move(w, &r->move[i]));
	return json_pack("{s:o, s:o, s:b, s:i, s:i, s:i, s:i, s:b, s:b, s:i}", "exchanges", exchanges,
		"moves", moves, "optimal", r->optimal, "lower_bound", (int)r->lower_bound,
		"steps", (int)r->n_steps, "new_cables", (int)r->n_new,
		"parting_steps", (int)r->n_parting, "mirrored", w->mirrored, "image", w->image,
		"deviations", (int)w->n_deviations);
}

static json_t *
run_repair(struct call *c, struct rpc_error *e)
{
	struct wired x = { .w = NULL };
	struct moore_repair *r = NULL;
	struct moore_err err;
	json_t *o = NULL;

	if (!compare(c, &x, e))
		return NULL;
	if (moore_wire_repair(&r, x.w, &err) < 0)
		rpc_fail(e, RPC_FAILED, "%s", err.text);
	else
		o = json_repair(x.w, r);
	moore_repair_free(r);
	wired_free(&x);
	return o ? from_sweep(c->view->snap, o) : NULL;
}

/* ---- watch --------------------------------------------------------------------------------- */

static json_t *
run_watch(struct call *c, struct rpc_error *e)
{
	(void)e;
	if (c->client)
		server_subscribe(c->client, server_subscribed(c->client) | 1u << EVENT_WIRING);
	return json_pack("{s:o}", "last", wiring_last(c->d, (unsigned)json_integer_value(
		json_object_get(c->params, "plane"))));
}

/* ---- the table ------------------------------------------------------------------------------- */

#define A_JACK "{'type':['object','null'],'properties':{'switch':" STR ",'endpoint':" STR \
	",'port':" INT ",'cabinet':" STR ",'unit':" INT "}}"
#define DEVIATIONS "{'type':'array','items':{'type':'object','properties':{'verdict':" STR ",'a':" \
	A_JACK ",'b':" A_JACK ",'planned':" OR_NULL("string") ",'observed':" OR_NULL("string") \
	",'label':" STR ",'switches':" INT ",'cables':" INT "}}}"

const struct method methods_wiring[] = {
	{ "wiring.check", "Is the fabric of the last sweep cabled as planned, and what is where?",
	  ACCESS_READ, P(PLANE),
	  R(SWEEP "'ok':" BOOL ",'deviations':" DEVIATIONS ",'counts':" OBJECT ",'image':" BOOL
	    ",'bound':" OBJECT ",'switches':" INT ",'endpoints':" INT ",'cables':" INT), run_check,
	  TAKES_A_MOMENT, NULL, NULL },
	{ "wiring.repair", "Which cable ends to move, in an order that keeps the switches joined.",
	  ACCESS_READ, P(PLANE),
	  R(SWEEP "'exchanges':{'type':'array','items':{'type':'object','properties':{'a':" A_JACK
	    ",'b':" A_JACK "}}},'moves':{'type':'array','items':{'type':'object','properties':{'end':{"
	    "'type':'string','enum':['a','b']},'from':" A_JACK ",'to':" A_JACK ",'step':" INT
	    ",'parts':" BOOL ",'cable':" STR "}}},'optimal':" BOOL
	    ",'lower_bound':" INT ",'steps':" INT ",'new_cables':" INT ",'parting_steps':" INT
	    ",'mirrored':" BOOL ",'image':" BOOL ",'deviations':" INT), run_repair, TAKES_LONG, NULL, NULL },
	{ "wiring.watch", "The verdict of the last sweep that was compared, and from now on, on this "
	  "connection, event.wiring whenever it changes: what appeared and what cleared (50 of each "
	  "at most, and how many).", ACCESS_READ, P(PLANE),
	  R("'last':{'type':['object','null'],'properties':{" SWEEP "'deviations':" DEVIATIONS "}}"),
	  run_watch, TAKES_NO_TIME, NULL, NULL },
	{ 0 }
};

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* wiring.c - whether the fabric is cabled as planned, and which cable ends to move.
 * Elsewhere: the answers themselves (moore/answer.h). */
#include <stdlib.h>

#include "methods/methods.h"
#include "part.h"
#include "rpc/server.h"
#include "state.h"
#include "watch/since.h"
#include "watch/wiring.h"

static bool
compare(const struct call *c, struct wired *x, struct rpc_error *e)
{
	struct moore_err err;

	if (!c->plan)
		rpc_fail(e, RPC_NO_PLAN, "there is no plan: set plan in moored.conf(5), or start "
			 "moored with --plan");
	else if (call_snapshot(c, NEED_SEEN, e) &&
		 wired_check(x, c->view, c->plan, &err) < 0)
		rpc_fail(e, RPC_FAILED, "%s", err.text);
	return !e->code;
}

static bool
prepare_check(struct call *c, struct rpc_error *e)
{
	c->own = wiring_since(c->d, asked_plane(c));
	if (!c->own)
		rpc_fail(e, RPC_INTERNAL, "out of memory");
	return c->own != NULL;
}

static json_t *
finish_check(struct call *c, json_t *result, struct rpc_error *e)
{
	(void)e;
	sinces_free(c->own);
	free(c->own);
	return result;
}

static json_t *
run_check(struct call *c, struct rpc_error *e)
{
	struct wired x = { .w = NULL };
	json_t *answer;

	if (!compare(c, &x, e))
		return NULL;
	answer = moore_answer_check(x.w);
	wired_free(&x);
	sinces_put(c->own, json_object_get(answer, "deviations"), c->view->snap->at_ms);
	return from_sweep(c->view->snap, answer);
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
		o = moore_answer_repair(x.w, r);
	moore_repair_free(r);
	wired_free(&x);
	return o ? from_sweep(c->view->snap, o) : NULL;
}

/* ---- watch ------------------------------------------------------------------------- */

static json_t *
run_watch(struct call *c, struct rpc_error *e)
{
	(void)e;
	if (c->client)
		server_subscribe(c->client, server_subscribed(c->client) | 1u << EVENT_WIRING);
	return json_pack("{s:o}", "last", wiring_last(c->d, asked_plane(c)));
}

/* ---- the table --------------------------------------------------------------------- */

const struct method methods_wiring[] = {
	{ "wiring.check", "Compares the cables of the last scan with the plan, and reports "
	  "each deviation. since is the time of the first scan that found it, in milliseconds; "
	  "each scan that moored compared after it found it, too.",
	  ACCESS_READ, P(PLANE),
	  ANSWER("check"), run_check,
	  TAKES_A_MOMENT, prepare_check, finish_check },
	{ "wiring.repair", "Returns the cable ends to move, in an order that keeps the "
	  "switches connected.",
	  ACCESS_READ, P(PLANE),
	  ANSWER("repair"), run_repair, TAKES_LONG, NULL, NULL },
	{ "wiring.watch", "Returns the verdict of the last scan that was compared, and sends "
	  "from now on, on this connection, event.wiring whenever it changes: what appeared "
	  "and what cleared (50 of each at most, and how many).", ACCESS_READ, P(PLANE),
	  R("'last':{'type':['object','null'],'properties':{" SWEEP "'deviations':" LIST "}}"),
	  run_watch, TAKES_NO_TIME, NULL, NULL },
	{ 0 }
};

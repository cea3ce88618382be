// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* history.c - rates as they were: of one port as numbers, of all as the frames
 * that a recording is made of (moore/history.h). */
#include <stdlib.h>
#include <string.h>

#include "records/history.h"
#include "methods/methods.h"
#include "state.h"

enum { EXPORT_ROWS = 10 };

static uint64_t
after_of(const struct call *c)
{
	json_int_t after = json_integer_value(json_object_get(c->params, "after_ms"));

	return after > 0 ? (uint64_t)after : 0;
}

/* ---- one port ---------------------------------------------------------------------- */

struct series {
	unsigned n, max;
	struct {
		uint64_t at_ms;
		uint32_t span_ms;
		struct moore_sample s;
	} row[];
};

static bool
add_sample(void *arg, uint64_t at_ms, uint32_t span_ms, const struct moore_sample *s)
{
	struct series *q = arg;

	q->row[q->n].at_ms = at_ms;
	q->row[q->n].span_ms = span_ms;
	q->row[q->n].s = *s;
	return ++q->n < q->max;
}

/* The switch port that params name; false fills *e. */
static bool
asked_port(struct call *c, const struct snapshot *s, moore_swid *sw, moore_portnum *port,
	   struct rpc_error *e)
{
	json_int_t n = json_integer_value(json_object_get(c->params, "port"));
	struct moore_err err;
	moore_epid ep;

	*port = (moore_portnum)n;
	if (view_find(c->view, json_string_value(json_object_get(c->params, "switch")), sw, &ep,
		      &err) < 0)
		rpc_fail(e, RPC_NOT_FOUND, "switch: %s", err.text);
	else if (*sw == MOORE_NONE || n > s->fabric->sw[*sw].n_ports)
		rpc_fail(e, RPC_NOT_FOUND, "there is no such switch port");
	return !e->code;
}

/* Copies the rows: history is the loop's, and JSON of 3,600 rows takes 25 ms. */
static bool
prepare_port(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_FABRIC, e);
	json_int_t rows = json_integer_value(json_object_get(c->params, "rows"));
	const struct moore_history *h = s ? history_of(c->d, s->plane) : NULL;
	unsigned max = rows > 0 ? (unsigned)rows : 300;
	struct series *q;
	moore_portnum port;
	moore_swid sw;

	if (!s || !asked_port(c, s, &sw, &port, e))
		return false;
	q = malloc(sizeof(*q) + max * sizeof(q->row[0]));
	if (!q) {
		rpc_fail(e, RPC_INTERNAL, "out of memory");
		return false;
	}
	q->n = 0;
	q->max = max;
	if (h)
		moore_history_port(h, s->fabric->sw[sw].guid, port, after_of(c), add_sample, q);
	c->own = q;
	return true;
}

static json_t *
run_port(struct call *c, struct rpc_error *e)
{
	const struct series *q = c->own;
	json_t *list = json_array();

	(void)e;
	for (unsigned i = 0; i < q->n; i++)
		if (q->row[i].s.known)
			json_array_append_new(list, json_pack("[I, i, I, I, I]",
				(json_int_t)q->row[i].at_ms, (int)q->row[i].span_ms,
				(json_int_t)q->row[i].s.tx, (json_int_t)q->row[i].s.rx,
				(json_int_t)q->row[i].s.wait));
	return from_sweep(c->view->snap, json_pack("{s:o}", "rows", list));
}

/* ---- all of them ------------------------------------------------------------------- */

struct export {
	struct moore_buf frames;
	uint64_t last_ms;
	bool with_plan;
};

static bool
prepare_export(struct call *c, struct rpc_error *e)
{
	struct export *x = calloc(1, sizeof(*x));
	const struct moore_history *h = c->view ? history_of(c->d, c->view->snap->plane) : NULL;
	struct moore_err err;

	if (!x || (h && moore_history_write(h, after_of(c), EXPORT_ROWS, &x->frames, &x->last_ms,
					    &err) < 0)) {
		free(x);
		rpc_fail(e, RPC_INTERNAL, "out of memory");
		return false;
	}
	if (!h)
		x->last_ms = after_of(c);
	x->with_plan = json_is_true(json_object_get(c->params, "fabric"));
	c->own = x;
	return true;
}

static json_t *
run_export(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_SEEN, e);
	struct export *x = c->own;
	struct moore_buf all = MOORE_BUF_INIT, plan = MOORE_BUF_INIT;
	struct moore_err err;
	json_t *data;

	if (!s)
		return NULL;
	if (x->with_plan && moore_plan_write(s->seen, &plan, &err) == 0)
		moore_frame_write(&all, MOORE_FRAME_PLAN, plan.data, plan.len);
	moore_buf_add(&all, x->frames.data, x->frames.len);
	data = all.oom ? NULL : json_base64(&all);
	moore_buf_free(&plan);
	moore_buf_free(&all);
	if (!data)
		return rpc_fail(e, RPC_INTERNAL, "out of memory");
	return from_sweep(s, json_pack("{s:o, s:I}", "data", data, "last_ms", (json_int_t)x->last_ms));
}

static json_t *
finish_export(struct call *c, json_t *result, struct rpc_error *e)
{
	struct export *x = c->own;

	(void)e;
	moore_buf_free(&x->frames);
	free(x);
	return result;
}

#define AFTER "'after_ms':{'type':'integer','minimum':0," \
	"'description':'rows later than this; the last_ms of the answer before (0)'}"

const struct method methods_history[] = {
	{ "history.port", "Returns the rates of a switch port as rows of [at_ms, span_ms, "
	  "bytes out, bytes in, waiting ticks], each per second.", ACCESS_READ,
	  P_REQ("'switch','port'", PLANE ",'switch':" NAME ",'port':{'type':'integer','minimum':1,"
		"'maximum':254}," AFTER ",'rows':{'type':'integer','minimum':1,'maximum':3600}"),
	  R(SWEEP "'rows':" LIST), run_port, TAKES_A_MOMENT, prepare_port, drop_own },
	{ "history.export", "Returns the rates of all ports as the next frames of a recording, "
	  "in base64; with fabric, the fabric comes first.", ACCESS_READ,
	  P(PLANE "," AFTER ",'fabric':" BOOL),
	  R(SWEEP "'data':" STR ",'last_ms':" INT), run_export, TAKES_A_MOMENT, prepare_export,
	  finish_export },
	{ 0 }
};

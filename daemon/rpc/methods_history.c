// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* methods_history.c - rates as they were: of one port as numbers, of all as the frames
 * that a recording is made of (moore/history.h). */
#include <stdlib.h>
#include <string.h>

#include "watch/history.h"
#include "rpc/methods.h"
#include "state.h"

enum { EXPORT_ROWS = 10 };

static uint64_t
after_of(const struct call *c)
{
	json_int_t after = json_integer_value(json_object_get(c->params, "after_ms"));

	return after > 0 ? (uint64_t)after : 0;
}

/* ---- one port ---------------------------------------------------------------------------- */

struct series {
	json_t *list;
	unsigned n, max;
};

static bool
add_sample(void *arg, uint64_t at_ms, uint32_t span_ms, const struct moore_sample *s)
{
	struct series *q = arg;

	if (s->known)
		json_array_append_new(q->list, json_pack("[I, i, I, I, I]", (json_int_t)at_ms,
			(int)span_ms, (json_int_t)s->tx, (json_int_t)s->rx, (json_int_t)s->wait));
	return ++q->n < q->max;
}

static json_t *
run_port(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_FABRIC, e);
	json_int_t port = json_integer_value(json_object_get(c->params, "port"));
	json_int_t rows = json_integer_value(json_object_get(c->params, "rows"));
	struct series q = { NULL, 0, rows > 0 ? (unsigned)rows : 300 };
	const struct moore_history *h;
	struct moore_err err;
	moore_swid sw;
	moore_epid ep;

	if (!s)
		return NULL;
	if (view_find(c->view, json_string_value(json_object_get(c->params, "switch")), &sw, &ep,
		      &err) < 0)
		return rpc_fail(e, RPC_NOT_FOUND, "switch: %s", err.text);
	if (sw == MOORE_NONE || port > s->fabric->sw[sw].n_ports)
		return rpc_fail(e, RPC_NOT_FOUND, "there is no such switch port");
	h = history_of(c->d, s->plane);
	q.list = json_array();
	if (h)
		moore_history_port(h, s->fabric->sw[sw].guid, (moore_portnum)port, after_of(c),
				   add_sample, &q);
	return from_sweep(s, json_pack("{s:o}", "rows", q.list));
}

/* ---- all of them --------------------------------------------------------------------------- */

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
base64(const struct moore_buf *b)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = malloc((b->len + 2) / 3 * 4 + 1), *t = text;
	const uint8_t *d = (const uint8_t *)b->data;
	json_t *j;

	if (!text)
		return NULL;
	for (size_t i = 0; i < b->len; i += 3) {
		size_t n = b->len - i;
		uint32_t v = (uint32_t)d[i] << 16 | (n > 1 ? (uint32_t)d[i + 1] << 8 : 0) |
			     (n > 2 ? d[i + 2] : 0);

		*t++ = digit[v >> 18];
		*t++ = digit[v >> 12 & 63];
		*t++ = n > 1 ? digit[v >> 6 & 63] : '=';
		*t++ = n > 2 ? digit[v & 63] : '=';
	}
	j = json_stringn_nocheck(text, (size_t)(t - text));
	free(text);
	return j;
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
	data = all.oom ? NULL : base64(&all);
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
	{ "history.port", "Rates of a switch port: rows of [at_ms, span_ms, bytes out, bytes in, "
	  "waiting ticks], each a second.", ACCESS_READ,
	  P_REQ("'switch','port'", PLANE ",'switch':" NAME ",'port':{'type':'integer','minimum':1,"
		"'maximum':254}," AFTER ",'rows':{'type':'integer','minimum':1,'maximum':3600}"),
	  R(SWEEP "'rows':" LIST), run_port, TAKES_NO_TIME, NULL, NULL },
	{ "history.export", "Rates of all ports as the next frames of a recording, in base64; with "
	  "fabric: the fabric first.", ACCESS_READ, P(PLANE "," AFTER ",'fabric':" BOOL),
	  R(SWEEP "'data':" STR ",'last_ms':" INT), run_export, TAKES_A_MOMENT, prepare_export,
	  finish_export },
	{ 0 }
};

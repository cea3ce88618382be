// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* plan.c - the intended fabric, as it is in force. */
#include <stdlib.h>

#include "methods/methods.h"
#include "state.h"

static json_t *
no_plan(struct rpc_error *e)
{
	return rpc_fail(e, RPC_NO_PLAN, "there is no plan: set plan in moored.conf(5), or start "
			"moored with --plan");
}

static json_t *
json_params(const struct moore_plan *p)
{
	json_t *o = json_object();

	for (size_t i = 0; i < p->n_params; i++)
		json_object_set_new(o, p->key[i], json_integer(p->value[i]));
	return o;
}

static json_t *
run_summary(struct call *c, struct rpc_error *e)
{
	const struct moore_plan *p = c->plan ? c->plan->plan : NULL;

	if (!p)
		return no_plan(e);
	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:i, s:i, s:i, s:i, s:o}", "path",
		moore_json_name(c->plan->path), "hash", moore_json_guid(c->plan->hash), "family",
		p->family ? moore_json_name(p->family) : json_null(), "params", json_params(p), "permuted",
		p->permuted, "switches", (int)p->n_switches, "endpoints", (int)p->n_endpoints,
		"cables", (int)p->n_cables, "cabinets", (int)p->n_cabinets, "rate",
		moore_json_rate(p->rate));
}

static json_t *
run_get(struct call *c, struct rpc_error *e)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_err err;
	json_t *j;

	if (!c->plan)
		return no_plan(e);
	if (moore_plan_write(c->plan->plan, &b, &err) < 0) {
		moore_buf_free(&b);
		return rpc_fail(e, RPC_INTERNAL, "%s", err.text);
	}
	j = json_loadb(b.data, b.len, 0, NULL);
	moore_buf_free(&b);
	return json_pack("{s:o, s:o, s:o}", "path", moore_json_name(c->plan->path), "hash",
			 moore_json_guid(c->plan->hash), "plan", j);
}

const struct method methods_plan[] = {
	{ "plan.summary", "Returns which plan is in force, and its size.", ACCESS_READ, P(""),
	  R("'path':" STR ",'hash':" STR ",'family':{'type':['string','null']},'params':" OBJECT
	    ",'permuted':" BOOL ",'switches':" INT ",'endpoints':" INT ",'cables':" INT
	    ",'cabinets':" INT ",'rate':{'type':['string','null']}"), run_summary, TAKES_NO_TIME, NULL,
	  NULL },
	{ "plan.get", "Returns the whole plan, in the form of docs/plan.schema.json.", ACCESS_READ, P(""),
	  R("'path':" STR ",'hash':" STR ",'plan':" OBJECT), run_get, TAKES_A_MOMENT, NULL, NULL },
	{ 0 }
};

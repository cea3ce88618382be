// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* job.c - what a job is to set, for the LMC that the fabric has now. */
#include <stdlib.h>

#include "watch/expected.h"
#include "methods/methods.h"
#include "moore/env.h"

/* The LMC that all endpoints have. */
static unsigned
least_lmc(const struct moore_fabric *f)
{
	unsigned lmc = 7;

	for (moore_epid e = 0; e < f->n_endpoints; e++)
		if (f->ep[e].lid && f->ep[e].lmc < lmc)
			lmc = f->ep[e].lmc;
	return f->n_endpoints ? lmc : 0;
}

static bool
read_question(const struct call *c, struct moore_env *q, struct rpc_error *e)
{
	const char *use = json_string_value(json_object_get(c->params, "use"));
	json_int_t class = json_integer_value(json_object_get(c->params, "class"));
	struct moore_links *links;
	struct moore_conf conf;
	struct moore_err err;

	if (conf_for_routes(c->own, &conf, &links, &err) < 0)
		rpc_fail(e, RPC_FAILED, "moore_conf: %s", err.text);
	else if (!moore_env_class(q, &conf, (unsigned)class))
		rpc_fail(e, RPC_NOT_FOUND, "class %d: no SL has this class: classes of moore.conf(5) "
			 "gives it one", (int)class);
	else if (!moore_env_use(q, use))
		rpc_fail(e, RPC_PARAMS, "params.use: it is minimal, valiant, all, or a list of LID "
			 "offsets like 0,2-3");
	else if (q->use.last >= q->n_lids)
		rpc_fail(e, RPC_PARAMS, "params.use: offset %u has no LID: ports have %u", q->use.last,
			 q->n_lids);
	moore_links_free(links);
	return !e->code;
}

static json_t *
json_transport(const struct moore_env_answer *t)
{
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *list = json_array(), *o;

	for (unsigned i = 0; i < t->n_settings; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", t->setting[i].name,
			"value", t->setting[i].value, "why", t->setting[i].why));
	moore_env_put(&b, &t->use);
	o = json_pack("{s:s, s:s, s:o, s:o}", "transport", t->transport, "offsets",
		      b.oom ? NULL : b.data, "settings", list, "refused",
		      t->refused ? json_string(t->refused) : json_null());
	moore_buf_free(&b);
	return o;
}

static json_t *
run_env(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_FABRIC, e);
	const char *target = json_string_value(json_object_get(c->params, "target"));
	struct moore_env_answer t;
	struct moore_env q = { .n_lids = s ? 1u << least_lmc(s->fabric) : 1 };
	json_t *list;

	if (!s || !read_question(c, &q, e))
		return NULL;
	list = json_array();
	for (size_t i = 0; moore_env_answer(&q, target, i, &t) > 0; i++)
		json_array_append_new(list, json_transport(&t));
	return from_sweep(s, json_pack("{s:s, s:i, s:s, s:o}", "target", target, "lids",
		(int)q.n_lids, "profile", q.hint ? "sl-hint" : "any-sl", "transports", list));
}

const struct method methods_job[] = {
	{ "job.env", "The settings by which a job uses the LID offsets that the fabric has now, as "
	  "moorectl env: use is minimal, valiant, all, or a list of offsets like 0,2-3.", ACCESS_READ,
	  P_REQ("'target'", PLANE ",'target':{'type':'string','enum':['ucx','openmpi','mvapich2','nccl',"
		"'rdma_cm','all']},'use':" NAME ",'class':{'type':'integer','minimum':0,'maximum':6}"),
	  R(SWEEP "'target':" STR ",'lids':" INT ",'profile':" STR ",'transports':{'type':'array','items':"
	    "{'type':'object','properties':{'transport':" STR ",'offsets':" STR ",'refused':"
	    OR_NULL("string") ",'settings':{'type':'array','items':{'type':'object','properties':{"
	    "'name':" STR ",'value':" STR ",'why':" STR "}}}}}}"), run_env, TAKES_A_MOMENT, take_moore_conf,
	  drop_own },
	{ 0 }
};

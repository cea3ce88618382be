// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* job.c - what a job is to set, for the LMC that the fabric has now. */
#include <stdlib.h>

#include "watch/expected.h"
#include "methods/methods.h"
#include "moore/env.h"

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
		rpc_fail(e, RPC_PARAMS, "params.use: offset %u has no LID: each port has %u", q->use.last,
			 q->n_lids);
	moore_links_free(links);
	return !e->code;
}

static json_t *
run_env(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_infiniband(c, NEED_FABRIC, "the settings of a host are in "
						  "hosts/HOST/env of the directory of moorectl ethernet emit", e);
	struct moore_env q = { .n_lids = s ? 1u << moore_fabric_lmc(s->fabric) : 1 };

	if (!s || !read_question(c, &q, e))
		return NULL;
	return from_sweep(s, moore_answer_env(&q, json_string_value(json_object_get(c->params,
										    "target"))));
}

const struct method methods_job[] = {
	{ "job.env", "Returns the settings by which a job uses the LID offsets that the fabric "
	  "has now, as moorectl env prints them; use is minimal, valiant, all, or a list of "
	  "offsets such as 0,2-3.", ACCESS_READ,
	  P_REQ("'target'", PLANE ",'target':{'type':'string','enum':['ucx','openmpi','mvapich2','nccl',"
		"'rdma_cm','all']},'use':" NAME ",'class':{'type':'integer','minimum':0,'maximum':6}"),
	  ANSWER("env"), run_env, TAKES_A_MOMENT, take_moore_conf,
	  drop_own },
	{ 0 }
};

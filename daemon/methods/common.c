// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* common.c - what methods share. */
#include <stdlib.h>
#include <string.h>

#include "methods/methods.h"
#include "state.h"

const struct snapshot *
call_snapshot(const struct call *c, enum need need, struct rpc_error *e)
{
	const struct snapshot *s = c->view ? c->view->snap : NULL;

	if (!s)
		rpc_fail(e, RPC_NO_FABRIC, "no fabric was found yet: system.status says why");
	else if (need >= NEED_FABRIC && !s->fabric)
		rpc_fail(e, RPC_NO_FABRIC, "scan %llu found no LIDs: is a subnet manager running?",
			 (unsigned long long)s->scan);
	else if (need >= NEED_TABLES && s->lft && !s->sl2vl)
		rpc_fail(e, RPC_NO_FABRIC, "scan %llu read the switches' routes, but not their lanes or "
			 "classes: system.status says why", (unsigned long long)s->scan);
	else if (need >= NEED_TABLES && !s->lft)
		rpc_fail(e, RPC_NO_FABRIC, "scan %llu has not read the switches' tables yet",
			 (unsigned long long)s->scan);
	else
		return s;
	return NULL;
}

bool
take_moore_conf(struct call *c, struct rpc_error *e)
{
	c->own = strdup(c->d->conf.moore_conf);
	if (!c->own)
		rpc_fail(e, RPC_INTERNAL, "out of memory");
	return c->own != NULL;
}

json_t *
drop_own(struct call *c, json_t *result, struct rpc_error *e)
{
	(void)e;
	free(c->own);
	return result;
}

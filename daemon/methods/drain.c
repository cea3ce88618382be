// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* drain.c - drain.propose: whether links may be drained, and what it costs.  moored writes the links
 * file by itself only if the key `drain` allows it; moorectl drain writes it with the rights of its user. */
#include <stdlib.h>
#include <string.h>

#include "methods/methods.h"
#include "state.h"
#include "watch/drains.h"

struct question {
	char moore_conf[sizeof(((struct moored_conf *)NULL)->moore_conf)];
	uint32_t most;
	size_t n;
	struct drain_want want[DRAINS_MAX];
};

/* Reads the links of params; false fills *e. */
static bool
read_links(const struct call *c, const struct moore_fabric *f, struct question *q,
	   struct rpc_error *e)
{
	const json_t *list = json_object_get(c->params, "links"), *link;
	struct moore_err err;
	moore_swid sw;
	moore_epid ep;
	size_t i;

	json_array_foreach(list, i, link) {
		const char *name = json_string_value(json_object_get(link, "switch"));

		if (view_find(c->view, name, &sw, &ep, &err) < 0 || sw == MOORE_NONE) {
			rpc_fail(e, RPC_NOT_FOUND, "%.100s: no switch of that name was found", name);
			return false;
		}
		q->want[q->n++] = (struct drain_want){ f->sw[sw].guid,
			(moore_portnum)json_integer_value(json_object_get(link, "port")), NULL };
	}
	return true;
}

static bool
prepare(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_infiniband(c, NEED_FABRIC, "moorectl ethernet emit --fail makes "
						  "routes without a link, and ethernet apply loads them", e);
	struct question *q = s ? calloc(1, sizeof(*q)) : NULL;

	if (s && !q)
		rpc_fail(e, RPC_INTERNAL, "out of memory");
	if (!q)
		return false;
	memcpy(q->moore_conf, c->d->conf.moore_conf, sizeof(q->moore_conf));
	q->most = c->d->conf.drain_most;
	if (!json_object_get(c->params, "links"))
		q->n = drains_wanted(c->d, s->plane, q->want);
	else if (!read_links(c, s->fabric, q, e)) {
		free(q);
		return false;
	}
	c->own = q;
	return true;
}

static json_t *
run(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = c->view->snap;
	const struct question *q = c->own;
	struct moore_drain_link link[DRAINS_MAX];
	struct moore_drain_cost cost;
	struct moore_err err;
	json_t *answer = NULL;
	struct drains x;

	if (drains_read(&x, s->fabric, q->moore_conf, &err) < 0 ||
	    drains_judge(&x, s->fabric, q->want, q->n, q->most, link, &err) < 0 ||
	    drains_cost(&cost, &x, s->fabric, c->plan ? c->plan->plan : NULL, link, q->n, &err) < 0)
		rpc_fail(e, RPC_FAILED, "%s", err.text);
	else
		answer = moore_answer_drain(x.conf.links, q->most, &cost, x.line, x.n_lines, link, q->n);
	drains_free(&x);
	return answer ? from_sweep(s, answer) : NULL;
}

const struct method methods_drain[] = {
	{ "drain.propose", "Judges whether these links (default: those with errors or flaps now) may be "
	  "drained: at most drain_most of moored.conf, never one of a switch's last two, and never one "
	  "whose ends the others do not connect. drained are the lines that programs wrote into the "
	  "file; load_before and load_after are the greatest load of a link in the engine's tables "
	  "with the file as it is, and with the links that are fine. Changes nothing.", ACCESS_READ,
	  P(PLANE ",'links':{'type':'array','maxItems':64,'items':{'type':'object',"
	    "'additionalProperties':false,'required':['switch','port'],'properties':{'switch':" NAME
	    ",'port':{'type':'integer','minimum':1,'maximum':254}}}}"),
	  ANSWER("drain"), run, TAKES_LONG, prepare, drop_own },
	{ 0 }
};

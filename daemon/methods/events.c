// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* events.c - sends events to the clients that subscribed; each kind is a table row. */
#include <stdlib.h>
#include <string.h>

#include "part.h"
#include "rpc/rpc.h"
#include "rpc/server.h"
#include "methods/methods.h"
#include "state.h"

static const struct {
	const char *name, *method, *help;
} kinds[N_EVENTS] = {
	[EVENT_SWEEP] = { "sweep", "event.sweep", "a scan found the fabric changed" },
	[EVENT_STATE] = { "state", "event.state", "a plane comes, goes, or cannot be reached" },
	[EVENT_RELOAD] = { "reload", "event.reload", "configuration and plan were read again" },
	[EVENT_WIRING] = { "wiring", "event.wiring", "a verdict on the cabling came or went" },
	[EVENT_MANAGER] = { "manager", "event.manager",
			    "the master subnet manager answers no more, answers again, or is another" },
	[EVENT_PROBLEM] = { "problem", "event.problem",
			    "a problem of subnet managers or of the tables came, changed or went" },
	[EVENT_HOTSPOT] = { "hotspot", "event.hotspot", "a hotspot came or went" },
};

void
event_publish(struct moored *d, enum event_kind kind, json_t *params)
{
	size_t len;
	char *line;

	if (!d->server || !server_count(d->server).subscribers) {
		json_decref(params);
		return;
	}
	line = rpc_notification(kinds[kind].method, params, &len);
	if (line)
		server_broadcast(d->server, kind, line, len);
	free(line);
}

/* The bits of the kinds that params names; all when it names none. */
static uint32_t
read_kinds(const json_t *params)
{
	const json_t *list = json_object_get(params, "kinds");
	uint32_t mask = 0;
	json_t *one;
	size_t i;

	if (!list)
		return (1u << N_EVENTS) - 1;
	json_array_foreach(list, i, one)
		for (unsigned k = 0; k < N_EVENTS; k++)
			if (!strcmp(json_string_value(one), kinds[k].name))
				mask |= 1u << k;
	return mask;
}

static json_t *
set_kinds(struct call *c, uint32_t mask)
{
	json_t *list = json_array();

	if (c->client)
		server_subscribe(c->client, mask);
	for (unsigned k = 0; k < N_EVENTS; k++)
		if (mask >> k & 1)
			json_array_append_new(list, json_string(kinds[k].name));
	return json_pack("{s:o}", "kinds", list);
}

static json_t *
run_subscribe(struct call *c, struct rpc_error *e)
{
	(void)e;
	return set_kinds(c, (c->client ? server_subscribed(c->client) : 0) |
			 read_kinds(c->params));
}

static json_t *
run_unsubscribe(struct call *c, struct rpc_error *e)
{
	(void)e;
	return set_kinds(c, (c->client ? server_subscribed(c->client) : 0) &
			 ~read_kinds(c->params));
}

#define KINDS "{'type':'array','maxItems':16,'items':{'type':'string'," \
	"'enum':['sweep','state','reload','wiring','hotspot','manager','problem']}}"

const struct method methods_events[] = {
	{ "events.subscribe", "Sends events of these kinds (default: all) on this connection "
	  "from now on, as notifications event.KIND; event.lost reports how many a slow reader "
	  "missed.", ACCESS_READ,
	  P("'kinds':" KINDS), R("'kinds':" KINDS), run_subscribe, TAKES_NO_TIME, NULL, NULL },
	{ "events.unsubscribe", "Stops sending events of these kinds (default: all).", ACCESS_READ,
	  P("'kinds':" KINDS), R("'kinds':" KINDS), run_unsubscribe, TAKES_NO_TIME, NULL, NULL },
	{ 0 }
};

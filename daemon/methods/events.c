// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* events.c - sends events to the clients that subscribed, and those of the past to clients that ask;
 * each kind is a table row. */
#include <stdlib.h>
#include <string.h>

#include "page/page.h"
#include "part.h"
#include "rpc/rpc.h"
#include "rpc/server.h"
#include "methods/methods.h"
#include "state.h"
#include "records/past.h"

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
	[EVENT_DRAIN] = { "drain", "event.drain", "moored drained a link, or ended that" },
	[EVENT_HOTSPOT] = { "hotspot", "event.hotspot", "a hotspot came or went" },
};

void
event_publish(struct moored *d, enum event_kind kind, json_t *params)
{
	size_t len;
	char *line;

	past_add(d, kinds[kind].method, params);
	if (!page_listens(d) && (!d->server || !server_count(d->server).subscribers)) {
		json_decref(params);
		return;
	}
	line = rpc_notification(kinds[kind].method, params, &len);
	if (line && d->server)
		server_broadcast(d->server, kind, line, len);
	if (line)
		page_event(d, line, len);
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

/* ---- the past ---------------------------------------------------------------------- */

enum { PAGE = 100, PAGE_BYTES = 256 << 10 };

struct page {
	struct moore_buf text;	/* a JSON list */
	uint64_t next;		/* number of the last event of the page; 0: no event follows */
	uint64_t first_ms;	/* of the oldest event that is kept; 0: none is */
};

static json_int_t
asked(const struct call *c, const char *key, json_int_t otherwise)
{
	const json_t *v = json_object_get(c->params, key);

	return v ? json_integer_value(v) : otherwise;
}

static bool
is_asked(const struct past_event *e, uint32_t mask, json_int_t since, json_int_t until)
{
	if ((json_int_t)e->at_ms < since || (json_int_t)e->at_ms >= until)
		return false;
	for (unsigned k = 0; k < N_EVENTS; k++)
		if (!strcmp(e->kind, kinds[k].name))
			return mask >> k & 1;
	return false;		/* a later version wrote it */
}

/* Copies the texts: the events are the loop's, and reading a page as JSON takes some ms. */
static void
fill_page(const struct call *c, struct page *p, const struct past_event *e, size_t n)
{
	json_int_t since = asked(c, "since_ms", 0), until = asked(c, "until_ms", INT64_MAX);
	json_int_t limit = asked(c, "limit", PAGE), got = 0;
	uint64_t after = (uint64_t)asked(c, "after", 0), last = 0;
	uint32_t mask = read_kinds(c->params);

	p->first_ms = n ? e[0].at_ms : 0;
	moore_buf_add(&p->text, "[", 1);
	for (size_t i = 0; i < n; i++) {
		if (e[i].number <= after || !is_asked(&e[i], mask, since, until))
			continue;
		if (got == limit || (got && p->text.len + e[i].len > PAGE_BYTES)) {
			p->next = last;
			break;
		}
		moore_buf_add(&p->text, ",", got++ ? 1 : 0);
		moore_buf_add(&p->text, e[i].text, e[i].len);
		last = e[i].number;
	}
	moore_buf_add(&p->text, "]", 1);
}

static bool
prepare_past(struct call *c, struct rpc_error *e)
{
	struct page *p = c->own = calloc(1, sizeof(*p));
	const struct past_event *list;
	size_t n;

	if (p) {
		list = past_events(c->d, &n);
		fill_page(c, p, list, n);
	}
	if (p && !p->text.oom)
		return true;
	if (p)
		moore_buf_free(&p->text);
	free(p);
	rpc_fail(e, RPC_INTERNAL, "out of memory");
	return false;
}

static json_t *
run_past(struct call *c, struct rpc_error *e)
{
	const struct page *p = c->own;
	json_t *list = json_loadb(p->text.data, p->text.len, 0, NULL);

	if (!list)
		return rpc_fail(e, RPC_INTERNAL, "out of memory");
	return json_pack("{s:o, s:o, s:o}", "events", list, "next",
			 p->next ? moore_json_count(p->next) : json_null(), "first_ms",
			 p->first_ms ? moore_json_count(p->first_ms) : json_null());
}

static json_t *
finish_past(struct call *c, json_t *result, struct rpc_error *e)
{
	struct page *p = c->own;

	(void)e;
	moore_buf_free(&p->text);
	free(p);
	return result;
}

#define KINDS "{'type':'array','maxItems':16,'items':{'type':'string'," \
	"'enum':['sweep','state','reload','wiring','hotspot','manager','problem','drain']}}"

#define AT_MS "{'type':'integer','minimum':0}"

const struct method methods_events[] = {
	{ "events.subscribe", "Sends events of these kinds (default: all) on this connection "
	  "from now on, as notifications event.KIND; event.lost reports how many a slow reader "
	  "missed.", ACCESS_READ,
	  P("'kinds':" KINDS), R("'kinds':" KINDS), run_subscribe, TAKES_NO_TIME, NULL, NULL },
	{ "events.unsubscribe", "Stops sending events of these kinds (default: all).", ACCESS_READ,
	  P("'kinds':" KINDS), R("'kinds':" KINDS), run_unsubscribe, TAKES_NO_TIME, NULL, NULL },
	{ "events.past", "Returns events of the past, the oldest first: those of these kinds "
	  "(default: all) from since_ms on and before until_ms. next is null when the page is the "
	  "last, else the value of after that asks for the next page. A page ends after limit "
	  "events (100), or 256 KiB. first_ms is the time of the oldest event that moored keeps.",
	  ACCESS_READ,
	  P("'kinds':" KINDS ",'since_ms':" AT_MS ",'until_ms':" AT_MS ",'after':" AT_MS ","
	    "'limit':{'type':'integer','minimum':1,'maximum':1000}"),
	  R("'events':{'type':'array','items':{'type':'object','properties':{'number':" INT ",'at_ms':"
	    INT ",'method':" STR ",'params':" OBJECT "}}},'next':" OR_NULL("integer") ",'first_ms':"
	    OR_NULL("integer")), run_past, TAKES_A_MOMENT, prepare_past, finish_past },
	{ 0 }
};

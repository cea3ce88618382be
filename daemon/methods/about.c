// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* about.c - history.of: what happened to one link, switch or endpoint, or to the whole fabric.
 *
 * The events, the rates and the counters are those of events.past, history.port and errors.list.
 * prepare() copies what belongs to the loop; run() reads the events and leaves those that name
 * what is asked for. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "methods/methods.h"
#include "state.h"
#include "records/history.h"
#include "watch/hot.h"
#include "records/past.h"

enum { EVENTS = 200, EVENTS_BYTES = 2 << 20 };

struct about {
	char name[MOORE_NAME_MAX + 1];	/* of the switch or endpoint; "" for the whole fabric */
	unsigned port;		/* 0: no link is asked for */
	json_int_t since_ms, limit;
	struct moore_buf events;	/* a JSON list, the latest first */
	bool cut;		/* EVENTS_BYTES were reached */
	bool measured;		/* there is a switch port: */
	struct moore_port_past load;
	json_t *counters;	/* NULL: none were read */
};

/* ---- does an event name it? ------------------------------------------------------------------ */

/* Does text contain NAME[PORT], or without a port NAME[ or just NAME? */
static bool
text_names(const struct about *a, const char *text)
{
	const size_t len = strlen(a->name);
	char end[16] = "[";

	if (a->port)
		snprintf(end, sizeof(end), "[%u]", a->port);
	else if (!strcmp(text, a->name))
		return true;
	for (const char *at = text; (at = strstr(at, a->name)); at++)
		if ((at == text || isspace((unsigned char)at[-1])) && !strncmp(at + len, end, strlen(end)))
			return true;
	return false;
}

static bool
has_end(const struct about *a, const json_t *o, const char *name, const char *port)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s && !strcmp(s, a->name) && json_integer_value(json_object_get(o, port)) == a->port;
}

static bool
names_it(const struct about *a, const json_t *v)
{
	const char *key;
	json_t *x;
	size_t i;

	if (json_is_string(v))
		return text_names(a, json_string_value(v));
	if (a->port && (has_end(a, v, "switch", "port") || has_end(a, v, "peer", "peer_port")))
		return true;
	json_object_foreach((json_t *)v, key, x)
		if (names_it(a, x))
			return true;
	json_array_foreach(v, i, x)
		if (names_it(a, x))
			return true;
	return false;
}

/* ---- on the loop ------------------------------------------------------------------------------- */

/* Copies the events whose text has the name, the latest first. */
static void
copy_events(struct about *a, const struct moored *d)
{
	size_t n, got = 0;
	const struct past_event *e = past_events(d, &n);

	moore_buf_add(&a->events, "[", 1);
	while (n-- > 0 && (json_int_t)e[n].at_ms >= a->since_ms) {
		if (!memmem(e[n].text, e[n].len, a->name, strlen(a->name)))
			continue;
		a->cut = a->events.len + e[n].len > EVENTS_BYTES;
		if (a->cut)
			break;
		moore_buf_add(&a->events, ",", got++ ? 1 : 0);
		moore_buf_add(&a->events, e[n].text, e[n].len);
	}
	moore_buf_add(&a->events, "]", 1);
}

static bool
add_row(void *arg, uint64_t at_ms, uint32_t span_ms, const struct moore_sample *s)
{
	struct moore_port_past *l = arg;

	if (!s->known)
		return true;
	l->first_ms = l->rows ? l->first_ms : at_ms - span_ms;
	l->rows++;
	l->seconds += span_ms / 1e3;
	l->bytes_out += (double)s->tx * span_ms / 1e3;
	l->bytes_in += (double)s->rx * span_ms / 1e3;
	if (s->tx > l->most_out) {
		l->most_out = s->tx;
		l->most_ms = at_ms;
	}
	return true;
}

static void
copy_port(struct about *a, const struct moored *d, const struct snapshot *s, moore_swid sw,
	  moore_portnum port)
{
	const struct moore_history *h = history_of(d, s->plane);
	const struct hot_plane *p = hot_plane(d, s->plane);
	const uint64_t guid = s->fabric->sw[sw].guid;

	a->measured = true;
	if (h)
		moore_history_port(h, guid, port, (uint64_t)a->since_ms, add_row, &a->load);
	for (moore_swid i = 0; p && i < p->snap->fabric->n_switches; i++) {
		const struct moore_switch *x = &p->snap->fabric->sw[i];
		const uint32_t k = x->port0 + port;

		if (x->guid == guid && port <= x->n_ports && p->last[k].at_us)
			a->counters = moore_answer_counters(&(struct moore_hot_poll){ .number = p->number,
				.at_ms = p->at_ms }, &(struct moore_error_port){ .now = &p->last[k],
				.since = &p->errors[k], .now_us = p->at_us });
	}
}

/* Finds what is asked for; false fills *e. */
static bool
find(struct call *c, const struct snapshot *s, struct about *a, struct rpc_error *e)
{
	const char *what = json_string_value(json_object_get(c->params, "what")), *name;
	const struct moore_fabric *f = s->fabric;
	struct moore_err err;
	moore_swid sw;
	moore_epid ep;

	if (!what && a->port)
		rpc_fail(e, RPC_PARAMS, "port: name its switch in what");
	if (!what)
		return !a->port;
	if (view_find(c->view, what, &sw, &ep, &err) < 0) {
		rpc_fail(e, RPC_NOT_FOUND, "what: %s", err.text);
		return false;
	}
	if (a->port && (sw == MOORE_NONE || a->port > f->sw[sw].n_ports)) {
		rpc_fail(e, RPC_NOT_FOUND, "there is no such switch port");
		return false;
	}
	name = sw != MOORE_NONE ? f->sw[sw].name : f->ep[ep].name;
	snprintf(a->name, sizeof(a->name), "%s", name ? name : "");
	if (a->port)
		copy_port(a, c->d, s, sw, (moore_portnum)a->port);
	else if (sw == MOORE_NONE && f->ep[ep].sw != MOORE_NONE)
		copy_port(a, c->d, s, f->ep[ep].sw, f->ep[ep].port);
	return true;
}

static json_t *
finish(struct call *c, json_t *result, struct rpc_error *e)
{
	struct about *a = c->own;

	(void)e;
	moore_buf_free(&a->events);
	json_decref(a->counters);
	free(a);
	return result;
}

static bool
prepare(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_FABRIC, e);
	const json_t *limit = json_object_get(c->params, "limit");
	struct about *a = s ? calloc(1, sizeof(*a)) : NULL;

	if (s && !a)
		rpc_fail(e, RPC_INTERNAL, "out of memory");
	if (!a)
		return false;
	a->port = (unsigned)json_integer_value(json_object_get(c->params, "port"));
	a->since_ms = json_integer_value(json_object_get(c->params, "since_ms"));
	a->limit = limit ? json_integer_value(limit) : EVENTS;
	c->own = a;
	if (find(c, s, a, e)) {
		copy_events(a, c->d);
		return true;
	}
	finish(c, NULL, e);
	c->own = NULL;
	return false;
}

/* ---- on a worker ---------------------------------------------------------------------------------- */

static json_t *
run(struct call *c, struct rpc_error *e)
{
	const struct about *a = c->own;
	json_t *all = json_loadb(a->events.data, a->events.len, 0, NULL), *list = json_array(), *event;
	bool cut = a->cut;
	size_t i;

	if (!all || !list) {
		json_decref(all);
		json_decref(list);
		return rpc_fail(e, RPC_INTERNAL, "out of memory");
	}
	json_array_foreach(all, i, event) {
		if (a->name[0] && !names_it(a, json_object_get(event, "params")))
			continue;
		if ((json_int_t)json_array_size(list) == a->limit) {
			cut = true;
			break;
		}
		json_array_insert(list, 0, event);
	}
	json_decref(all);
	return from_sweep(c->view->snap, moore_answer_history(a->name[0] ? a->name : NULL, a->port, list, cut,
		a->measured ? &a->load : NULL, json_incref(a->counters)));
}

const struct method methods_about[] = {
	{ "history.of", "Returns what happened to a switch, an endpoint, with port a link, or without what the "
	  "whole fabric, since a time: the events that name it, the oldest first (`cut`: earlier ones were left out), the rates of its "
	  "port, and its error counters with how much of each rose since moored first read it. load and "
	  "counters are null for a switch and the fabric, and where nothing was read.", ACCESS_READ,
	  P(PLANE ",'what':" NAME ",'port':{'type':'integer','minimum':1,'maximum':254},"
		"'since_ms':{'type':'integer','minimum':0},'limit':{'type':'integer','minimum':1,"
		"'maximum':1000}"),
	  ANSWER("history"), run, TAKES_A_MOMENT, prepare, finish },
	{ 0 }
};

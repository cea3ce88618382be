/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* method.h - a method of JSON-RPC, and one call of it.  rpc/ dispatches calls; methods/ has
 * the methods. */
#ifndef MOORED_METHOD_H
#define MOORED_METHOD_H

#include <jansson.h>
#include <stdbool.h>

#include "moore/base.h"

struct moored;			/* state.h */
struct view;			/* snapshot.h */
struct planned;			/* planned.h */

enum access { ACCESS_NONE, ACCESS_READ, ACCESS_CHANGE };

/* One request.  The references are taken before run() and given back after it, so run() may
 * be called on a worker; only the loop's thread uses d. */
struct call {
	struct moored *d;	/* NULL on the worker */
	json_t *params;		/* an object, valid by the method's schema */
	enum access access;	/* what the peer may do */
	void *client;		/* for subscriptions; NULL in tests */
	struct view *view;	/* of the plane asked for; NULL when it has no scan yet */
	struct planned *plan;	/* NULL when there is none */
	void *own;		/* from prepare() by run() to finish() */
};

enum rpc_code {			/* JSON-RPC 2.0 section 5.1, and ours */
	RPC_PARSE = -32700, RPC_REQUEST = -32600, RPC_METHOD = -32601, RPC_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_DENIED = -32001,	/* the peer may not */
	RPC_NO_FABRIC = -32002,	/* nothing was found yet, or no tables were read */
	RPC_NO_PLAN = -32003,
	RPC_NOT_FOUND = -32004,	/* no switch, endpoint, link of that name */
	RPC_BUSY = -32005,	/* too much outstanding: ask again */
	RPC_FAILED = -32006,	/* it was tried; text says what came of it */
};
struct rpc_error {
	int code;		/* enum rpc_code */
	char text[400];
};
/* Fill *e and return NULL: `return rpc_fail(e, RPC_NOT_FOUND, ...)`. */
json_t *rpc_fail(struct rpc_error *e, int code, const char *fmt, ...) MOORE_PRINTF(3, 4);

/* How long run() takes.  TAKES_ONCE: the answer never changes, and is made at the start.
 * TAKES_NO_TIME: below 1 ms, on the loop.  The others run on a worker (enum work): about
 * 100 ms at q=13, or more. */
enum takes { TAKES_ONCE, TAKES_NO_TIME, TAKES_A_MOMENT, TAKES_LONG };

struct method {
	const char *name;	/* "fabric.links"; NULL ends a table */
	const char *help;	/* one line */
	enum access access;
	const char *params, *result;	/* JSON Schema, as text: see schema.h */
	json_t *(*run)(struct call *c, struct rpc_error *e);	/* NULL: *e is filled */
	enum takes takes;
	/* Of one on a worker, each may be NULL; both on the loop's thread with c->d set.
	 * prepare() gives run() what it needs in c->own; false fills *e and ends the call.
	 * finish() takes run()'s result (NULL when it failed or never ran), gives the answer
	 * and ends c->own. */
	bool (*prepare)(struct call *c, struct rpc_error *e);
	json_t *(*finish)(struct call *c, json_t *result, struct rpc_error *e);
};
/* How schemas are written in a row: JSON with ' for ", which methods_init() reads.  P() and R()
 * are params and result, an object with these properties; params are optional unless P_REQ()
 * lists them. */
#define P(properties) "{'type':'object','additionalProperties':false,'properties':{" \
	properties "}}"
#define P_REQ(required, properties) "{'type':'object','additionalProperties':false," \
	"'required':[" required "],'properties':{" properties "}}"
#define R(properties) "{'type':'object','properties':{" properties "}}"
#define PLANE "'plane':{'type':'integer','minimum':0,'maximum':7," \
	"'description':'index in planes of moored.conf(5) (0)'}"
#define NAME "{'type':'string','minLength':1,'maxLength':200}"
#define INT "{'type':'integer'}"
#define STR "{'type':'string'}"
#define BOOL "{'type':'boolean'}"
#define LIST "{'type':'array'}"
#define OBJECT "{'type':'object'}"
#define OR_NULL(type) "{'type':['" type "','null']}"
/* The result is an answer of moore/answer.h and the sweep it is from. */
#define ANSWER(name) "=" name
#define SWEEP_KEYS "'sweep':" INT ",'plane':" INT ",'at_ms':" INT	/* of from_sweep() */
#define SWEEP SWEEP_KEYS ","

/* The tables that make up the one table, in rpc/registry.c; a new one is a line there. */
extern const struct method methods_system[], methods_fabric[], methods_plan[],
	methods_routes[], methods_wiring[], methods_hot[], methods_history[],
	methods_job[], methods_events[], methods_drain[], methods_about[], methods_dump[];

#endif

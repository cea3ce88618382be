/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moored.h - what the parts of the daemon hand to each other.
 *
 *   main.c      options, signals, start and stop
 *   state.c     struct moored: planes, plan, reload; the table of parts
 *   snapshot.c  the end of snapshots and polls
 *   view.c      a snapshot with indexes of its LIDs and names
 *   planned.c   the plan that is in force
 *   json.c      JSON values that answers and events share
 *   conf.c      moored.conf: one table row for each key
 *   loop.c      the one libevent base; posts from other threads come in here
 *   work.c      threads for what takes long
 *   log.c       the log: journal or standard error, and gates for repeated messages
 *   notify.c    messages to systemd, its watchdog and its sockets
 *   file.c      a whole file, bounded
 *
 *   scan/       a thread for each plane, which alone sends MADs: scanner.h is its contract, due.h
 *               what it does when, seen.h what it knows, mad.h how it asks
 *   rpc/        listen.c the Unix socket, server.c its peers (bytes only), rpc.c JSON-RPC 2.0 (no
 *               descriptor), methods*.c one table of methods, schema.c, events.c
 *   watch/      parts that follow the fabric: wiring.c verdicts, hot.c hotspots (why.c their causes),
 *               history.c rings of rates (store.c keeps them), metrics.c
 *               Prometheus text (http.c serves it), expected.c the engine's tables,
 *               sweeps.c what OpenSM's plugin says of its sweeps
 *
 * Threads.  The loop's thread owns struct moored and everything in it.  Others
 * see only what they were given (a snapshot reference, a copy), and answer by
 * loop_post().  Nothing on the loop's thread waits for a MAD, a file of unbounded
 * size, or a lock that is held across either. */
#ifndef MOORED_H
#define MOORED_H

#include <event2/event.h>
#include <jansson.h>

#include "moore/plan.h"
#include "scan/scanner.h"
#include "snapshot.h"

#define MOORED_PLANES_MAX 8

/* Descriptors that clients of the socket cannot take. */
enum {
	FDS_HTTP = 64,		/* connections to the metrics' port */
	FDS_OWN = 64,		/* devices, files, what libraries open */
};

/* ---- configuration (conf.c) ------------------------------------------------- */

struct moored_conf {		/* moored.conf(5); each key is a row in conf.c */
	char plan[512];		/* path of the intended fabric; "" for none */
	char socket[108];
	char group[64];		/* may read; changes are for root and the daemon's user */
	char state_dir[512];	/* history and the number of the last scan; "" keeps nothing */
	char moore_conf[512];	/* of the plugin, for what-if routes; "" for defaults */
	char planes[256];	/* "mlx5_0:1,mlx5_1:1"; "" is the first active port */
	char metrics[64];	/* ADDRESS:PORT; "" serves none */
	uint32_t poll_ms;	/* between counter polls */
	uint32_t sweep_s;	/* between light checks for changes */
	uint32_t history_s;
	uint32_t outstanding;	/* MADs at once */
	uint32_t clients;	/* connections at once, up to CONF_CLIENTS_MAX */
};
#define CONF_CLIENTS_MAX 60000
/* Read a whole regular file of at most max bytes, and a NUL after it (file.c).
 * -MOORE_EINVAL it cannot be opened or read; -MOORE_ESYNTAX it is no regular file, or
 * larger; -MOORE_ENOMEM.  The caller frees *out after success. */
int file_read(const char *path, size_t max, struct moore_buf *out, struct moore_err *err);

/* ---- the loop (loop.c) ------------------------------------------------------- */

struct loop;
int loop_new(struct loop **out);
void loop_free(struct loop *l);	/* posts that did not run are lost with what they hold */
struct event_base *loop_base(struct loop *l);
/* From any thread: fn(arg) runs soon on the loop's thread, in order of posting. */
int loop_post(struct loop *l, void (*fn)(void *arg), void *arg);	/* -1: out of memory */
/* Priorities of events (event_priority_set()).  Those of LOOP_FIRST run before any other, so
 * they must be few; an event has LOOP_REST unless it is set. */
enum { LOOP_FIRST, LOOP_REST, LOOP_PRIORITIES };

/* ---- JSON-RPC (rpc.h, methods.c) ------------------------------------------------ */

enum access { ACCESS_NONE, ACCESS_READ, ACCESS_CHANGE };

struct moored;			/* state.h */
struct view;
struct planned;

/* One request.  The references are taken before run() and given back after it, so
 * run() may stand on a worker; d is for the loop's thread alone. */
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
	RPC_NO_FABRIC = -32002,	/* nothing was swept yet, or no tables read: text says why */
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
/* The tables that make up the one table, in methods.c; a new one is a line there. */
extern const struct method methods_system[], methods_fabric[], methods_plan[],
	methods_routes[], methods_wiring[], methods_hot[], methods_history[],
	methods_job[], methods_events[];

/* ---- events (events.c) ----------------------------------------------------------- */

enum event_kind { EVENT_SWEEP, EVENT_STATE, EVENT_RELOAD, EVENT_WIRING, EVENT_HOTSPOT, EVENT_MANAGER,
	N_EVENTS };
/* Tell who subscribed: the notification "event.NAME".  Takes params. */
void event_publish(struct moored *d, enum event_kind kind, json_t *params);

/* ---- parts that follow the fabric (state.c calls them) ------------------------------ */

/* All on the loop's thread; each may be NULL.  A new part is a line in state.c. */
struct part {
	const char *name;
	int (*start)(struct moored *d);	/* -1: the daemon does not start */
	void (*snapshot)(struct moored *d, struct view *v);	/* borrowed */
	void (*polled)(struct moored *d, const struct poll *p);	/* borrowed */
	void (*plan)(struct moored *d);	/* d->plan or d->conf changed */
	void (*stop)(struct moored *d);		/* also when start() was never called */
};

#endif

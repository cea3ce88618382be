/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moored.h - what the parts of the daemon hand to each other.
 *
 *   main.c      options, configuration, signals, start and stop
 *   conf.c      moored.conf: one table row for each key
 *   loop.c      the one libevent base; posts from other threads come in here
 *   server.c    the Unix socket: peers, limits, slow readers (bytes only)
 *   rpc.c       JSON-RPC 2.0: bytes in, bytes out; no descriptor
 *   methods*.c  one table of methods: name, access, schema, function
 *   work.c      a thread for answers that take long
 *   sweep.c     the thread that owns the MAD port: discovery, tables, counters
 *   mad.c       pipelined MADs over libibumad, a bounded number outstanding
 *   history.c   rings of rates; store.c keeps them over a restart
 *   watch.c     verdicts on each new snapshot; hotspots on each poll; events
 *   metrics.c   Prometheus text; http.c serves it
 *   notify.c    systemd
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
#include "snapshot.h"

#define MOORED_PLANES_MAX 8

/* ---- configuration (conf.c) ------------------------------------------------- */

struct moored_conf {		/* moored.conf(5); each key is a row in conf.c */
	char plan[512];		/* path of the intended fabric; "" for none */
	char socket[108];
	char group[64];		/* may read; changes are for root and the daemon's user */
	char state_dir[512];	/* history and the sweep number; "" keeps nothing */
	char moore_conf[512];	/* of the plugin, for what-if routes; "" for defaults */
	char planes[256];	/* "mlx5_0:1,mlx5_1:1"; "" is the first active port */
	char metrics[64];	/* ADDRESS:PORT; "" serves none */
	uint32_t poll_ms;	/* between counter polls */
	uint32_t sweep_s;	/* between light checks for changes */
	uint32_t history_s;
	uint32_t outstanding;	/* MADs at once */
	uint32_t clients;	/* connections at once */
};
int moored_conf_read(struct moored_conf *c, const char *path);	/* 0, or -1 and a message */

/* ---- the loop (loop.c) ------------------------------------------------------- */

struct loop;
int loop_new(struct loop **out);
void loop_free(struct loop *l);
struct event_base *loop_base(struct loop *l);
/* From any thread: fn(arg) runs soon on the loop's thread, in order of posting. */
int loop_post(struct loop *l, void (*fn)(void *arg), void *arg);

/* ---- counters of one poll (sweep.c -> watch.c, history.c) ---------------------- */

/* Indices are those of snapshot.fabric->port[]; of each switch port, port 0 too
 * (unused).  Values are absolute, as the ports said them, never reset. */
enum counter {
	CNT_XMIT_DATA,		/* words of 4 bytes */
	CNT_RCV_DATA,
	CNT_XMIT_PKTS,
	CNT_RCV_PKTS,
	CNT_XMIT_WAIT,		/* ticks */
	CNT_SYMBOL_ERROR, CNT_LINK_RECOVERED, CNT_LINK_DOWNED, CNT_RCV_ERROR,
	CNT_RCV_REMOTE_PHYSICAL, CNT_XMIT_DISCARD, CNT_LOCAL_INTEGRITY, CNT_BUFFER_OVERRUN,
	CNT_VL15_DROPPED,
	N_COUNTERS
};
struct port_counters {
	uint64_t at_us;		/* monotonic; 0: this port did not answer */
	uint32_t has;		/* bit of each counter that it has */
	uint64_t v[N_COUNTERS];
};
struct poll {
	struct snapshot *snap;	/* a reference */
	uint64_t number, at_ms;
	uint32_t took_us, n_asked, n_failed;
	struct port_counters *port;	/* snap->fabric->n_ports of them */
};
void poll_free(struct poll *p);

/* ---- the sweeper (sweep.c): its own thread ------------------------------------- */

struct sweeper;
struct sweeper_calls {		/* all on the loop's thread */
	void (*snapshot)(void *arg, struct snapshot *s);	/* the receiver's reference */
	void (*polled)(void *arg, struct poll *p);		/* the receiver's */
	void (*state)(void *arg, unsigned plane, enum plane_state s, const char *why);
	void *arg;
};
int sweeper_start(struct sweeper **out, struct loop *l, const struct moored_conf *c,
		  uint64_t first_sweep, const struct sweeper_calls *calls);
/* Look again now (after a change that someone saw). */
void sweeper_kick(struct sweeper *s);
void sweeper_stop(struct sweeper *s);

/* ---- JSON-RPC (rpc.c, methods.c) ------------------------------------------------ */

enum access { ACCESS_READ, ACCESS_CHANGE };

struct moored;
struct call {			/* of one request */
	struct moored *d;
	json_t *params;		/* valid by the method's schema */
	enum access access;	/* what the peer may do */
	void *client;		/* for subscriptions; NULL in tests */
};
struct rpc_error {
	int code;		/* JSON-RPC 2.0 section 5.1, or ours from -32000 down */
	char text[400];
};

/* How a method answers: on the loop's thread at once; or its `prepare` takes what it
 * needs (references) into a job that a worker runs. */
struct method {
	const char *name;	/* "fabric.links" */
	const char *help;	/* one line */
	enum access access;
	const char *params, *result;	/* JSON Schema, as text */
	json_t *(*run)(struct call *c, struct rpc_error *e);	/* NULL: *e is filled */
	bool slow;		/* run() is called on the worker with what it captured */
};

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* state.h - struct moored: what the loop's thread owns.
 *
 *   main.c      options, signals, start and stop
 *   state.c     struct moored: planes, plan, the table of parts
 *   reload.c    configuration and plan, read at the start and again
 *   conf.c      moored.conf: one table row for each key
 *   planned.c   the plan that is in force
 *   snapshot.c  the fabric as one scan found it, with indexes of its LIDs and names
 *   loop.c      the event loop; posts from other threads come in here
 *   work.c      worker threads for what takes long
 *   log.c       the log: journal or standard error, and gates for repeated messages
 *   notify.c    messages to systemd, its watchdog and the sockets that it passes
 *   json.c      JSON values that answers and events share
 *   file.c      reads a whole file, of bounded size
 *
 *   scan/       threads that own the MAD ports: they walk the fabric, read tables, poll counters
 *   http/       HTTP/1.1 on a port, bounded: http.c connections, head.c heads of requests
 *   page/       the web page, its files, and the methods that it may call
 *   rpc/        JSON-RPC 2.0 on a Unix socket: listen.c the socket, client.c its peers, rpc.c
 *               lines of requests and answers (no descriptor), registry.c and schema.c
 *   methods/    the methods and events, one file for each group of names
 *   watch/      parts that follow the fabric: wiring.c verdicts, hot.c hotspots (why.c their
 *               causes), expected.c the engine's tables, sweeps.c what OpenSM's plugin
 *               reports of its sweeps, managers.c which subnet managers answer, sound.c
 *               whether the tables are sound, problems.c what of it is wrong, drains.c which
 *               links may be drained, drainer.c drains them
 *   records/    what was: history.c rates, past.c events; store.c keeps both on disk, and
 *               records.c knows whether that succeeds
 *   metrics/    metrics.c Prometheus text (of planes, ports and the plan in a file each),
 *               scrape.c serves it
 *
 * rpc/ knows neither watch/, records/ nor metrics/, and they do not know it; methods/ and page/
 * know all.
 *
 * Threads.  The loop's thread owns struct moored and all that hangs on it.  Other threads use
 * only what they were given (a reference to a snapshot, a copy), and answer by loop_post().
 * The loop's thread never waits for a MAD, for a file of unbounded size, or for a lock that
 * is held across either. */
#ifndef MOORED_STATE_H
#define MOORED_STATE_H

#include "conf.h"
#include "loop.h"
#include "planned.h"
#include "scan/scanner.h"
#include "snapshot.h"
#include "watch/managers.h"
#include "records/records.h"
#include "work.h"

struct call;
struct rpc_error;		/* method.h, both */

struct plane {
	char name[64];		/* "mlx5_0:1"; "" is the first active port */
	enum plane_state state;
	char why[200];
	struct view *view;	/* of its last scan; NULL before the first */
	struct manager_state manager;	/* the master subnet manager */
	struct managers managers;	/* all of them */
};

/* Descriptors that clients of the socket cannot take. */
enum {
	FDS_METRICS = 64,	/* connections to the metrics' port */
	FDS_PAGE = 128,		/* connections to the page's port */
	FDS_OWN = 64,		/* devices, files, what libraries open */
};

struct moored {
	struct moored_conf conf;
	char conf_path[512];	/* "" when none is read */
	bool conf_named;	/* by --config: then it has to be there */
	const char *plan_option, *socket_option;	/* win over the configuration; or NULL */
	struct loop *loop;
	struct server *server;
	struct worker *worker[N_WORK];
	struct scanner *scanner;
	bool stuck;		/* it did not stop: the process can only _exit */
	struct event *watchdog;
	struct wiring *wiring;	/* of wiring.c */
	struct hot *hot;	/* hot.c */
	struct history *history;	/* history.c */
	struct sweeps *sweeps;	/* sweeps.c */
	struct sound *sound;	/* sound.c */
	struct problems *problems;	/* problems.c */
	struct drainer *drainer;	/* drainer.c */
	struct past *past;	/* past.c */
	struct records records;	/* records.c */
	struct web *web;	/* page/page.c; NULL: the page is not served */
	struct scrapes *scrapes;	/* scrape.c; NULL: metrics are not served */
	struct planned *plan;	/* NULL: none */
	int64_t readers;	/* number of conf.group; -1: none */
	char conf_error[400], plan_error[400];	/* of the last reload; "" when it was right */
	uint64_t started_ms, reloads;
	struct plane plane[MOORED_PLANES_MAX];
	unsigned n_planes;
	uint64_t scan;		/* number of the last, over all planes */
	int exit_code;
};

/* Starts and stops what runs beside the server: workers, parts, scanner.  -1: the log has the
 * reason, and state_stop() is still to be called. */
int state_start(struct moored *d);
void state_stop(struct moored *d);
/* Tells the parts that d->plan or d->conf changed. */
void state_plan_changed(struct moored *d);
/* Take and give back the references of a call (struct rpc_host). */
bool state_capture(struct moored *d, struct call *c, struct rpc_error *e);
void state_release(struct call *c);

/* ---- configuration and plan (reload.c) --------------------------------------------- */

/* Read both for the first time: 0, or -1 with *err. */
int state_configure(struct moored *d, struct moore_err *err);
/* Reading them again takes three steps, so that no file is read on the loop's thread. */
struct reload;
struct reload *reload_new(const struct moored *d);	/* loop; NULL: out of memory */
void reload_read(struct reload *r);			/* any thread */
/* On the loop: what is right comes into force; what is wrong goes to conf_error or plan_error
 * and to the log.  Frees r.  True when both are right. */
bool reload_apply(struct moored *d, struct reload *r);
void reload_free(struct reload *r);			/* instead of reload_apply() */
/* The three steps in turn, the second on a worker (SIGHUP). */
void state_reload(struct moored *d);

const char *plane_state_name(enum plane_state s);	/* "no-device" */

#endif

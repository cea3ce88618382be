/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* state.h - what the loop's thread owns. */
#ifndef MOORED_STATE_H
#define MOORED_STATE_H

#include "moored.h"
#include "planned.h"
#include "rpc/rpc.h"
#include "rpc/server.h"
#include "work.h"

/* ---- a snapshot with what makes it quick to ask --------------------------------- */

struct view {			/* constant and counted, as the snapshot is */
	atomic_uint refs;
	struct snapshot *snap;
	struct moore_lid_owner *owner;	/* of LIDs 0..lid_top; NULL without snap->fabric */
	struct view_name *name;		/* by name, for view_find() */
	uint32_t n_names;
};
/* Takes the reference to snap, also on failure (-1: out of memory). */
int view_new(struct view **out, struct snapshot *snap);
struct view *view_get(struct view *v);	/* NULL is fine */
void view_put(struct view *v);		/* NULL is fine */
/* As moore_fabric_find() of snap->fabric, O(log n) for a plain name.  0 or -MOORE_EINVAL. */
int view_find(const struct view *v, const char *what, moore_swid *sw, moore_epid *ep,
	      struct moore_err *err);

/* ---- the daemon --------------------------------------------------------------------- */

struct plane {
	char name[64];		/* "mlx5_0:1"; "" is the first active port */
	enum plane_state state;
	char why[200];
	struct view *view;	/* of its last scan; NULL before the first */
	struct manager_state manager;	/* the master subnet manager */
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
	struct history *history;	/* history.c */
	struct sweeps *sweeps;	/* sweeps.c */
	struct web *web;	/* http.c; NULL: metrics are not served */
	struct planned *plan;	/* NULL: none */
	int64_t readers;	/* number of conf.group; -1: none */
	char conf_error[400], plan_error[400];	/* of the last reload; "" when it was right */
	uint64_t started_ms, reloads;
	struct plane plane[MOORED_PLANES_MAX];
	unsigned n_planes;
	uint64_t scan;		/* number of the last, over all planes */
	int exit_code;
};

/* Read configuration and plan for the first time: 0, or -1 with *err. */
int state_configure(struct moored *d, struct moore_err *err);
/* Start and stop what runs beside the server: worker, parts, scanner. */
int state_start(struct moored *d);
void state_stop(struct moored *d);
/* The references of a call, as struct rpc_host wants them. */
void state_capture(struct moored *d, struct call *c);
void state_release(struct call *c);

/* Reading again takes three steps, so that no file is read on the loop's thread. */
struct reload;
struct reload *reload_new(const struct moored *d);	/* loop; NULL: out of memory */
void reload_read(struct reload *r);			/* any thread */
/* Loop: what was right is in force, what was wrong is in *_error and in the log; frees r.
 * True when all was right. */
bool reload_apply(struct moored *d, struct reload *r);
void reload_free(struct reload *r);			/* without applying it */
/* The three in turn, on the worker (SIGHUP). */
void state_reload(struct moored *d);

const char *plane_state_name(enum plane_state s);	/* "no-device" */

#endif

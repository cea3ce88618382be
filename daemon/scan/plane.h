/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* plane.h - one plane of the scanner: its thread, and what that thread tells the loop. */
#ifndef MOORED_PLANE_H
#define MOORED_PLANE_H

#include <infiniband/verbs.h>
#include <pthread.h>

#include "conf.h"
#include "loop.h"
#include "scan/due.h"
#include "scan/seen.h"

struct plane_thread {
	struct scanner *scanner;
	unsigned index;
	char ca[64], name[64];	/* as configured; as opened */
	int port;
	pthread_t thread;
	bool runs;
	int wake;		/* eventfd */
	atomic_ullong beat;	/* monotonic ms: the thread was alive then */
	atomic_bool kicked;
	/* All below is the thread's own. */
	struct due due;
	struct mad_port *mad;
	struct ibv_context *verbs;	/* for its asynchronous events; NULL: none */
	struct seen *seen;
	struct snapshot *snap;	/* of seen, the last that was handed on */
	uint32_t late[N_READINGS];	/* late answers of the last reading that was whole */
	uint64_t topology, forwarding, lanes;	/* hashes of what was found and read last */
	uint64_t lanes_at;	/* where the next slice of lanes begins */
	uint64_t tables_scan, polls;
	struct host_turn hosts;
	struct manager_state manager;	/* as the loop was told last */
	struct manager_ports managers;	/* where they were when all ports were asked */
	uint64_t managers_at;	/* when to ask all ports again */
};

struct scanner {
	struct loop *loop;
	struct scanner_calls calls;
	struct moored_conf conf;
	atomic_ullong next_scan;
	atomic_bool stop;
	struct event *watch;
	unsigned n_planes;
	struct plane_thread plane[MOORED_PLANES_MAX];
};

/* The threads of a plane of InfiniBand and of one of Ethernet switches; arg is a struct
 * plane_thread.  They end when scanner->stop is set. */
void *plane_run(void *arg);
void *ether_run(void *arg);

/* ---- to the loop (tell.c): each is one call of struct scanner_calls ----------------- */

void tell_snapshot(struct plane_thread *p, struct snapshot *s);	/* takes the reference */
void tell_poll(struct plane_thread *p, struct poll *n);		/* takes n */
void tell_manager(struct plane_thread *p);
void tell_state(struct plane_thread *p, enum plane_state state, const char *why);

#endif

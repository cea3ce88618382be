/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* work.h - threads for what takes long; each does one thing after the other. */
#ifndef MOORED_WORK_H
#define MOORED_WORK_H

#include <stdbool.h>

#include "loop.h"


#define WORK_QUEUE_MAX 256	/* waiting; more is refused, so that a flood costs no memory */

/* The daemon has one for each, so that nobody's long question keeps others waiting, and
 * nobody's questions the verdict on the fabric. */
enum work {
	WORK_OWN,	/* verdicts, history */
	WORK_SHORT,	/* answers, files to reload: in order */
	WORK_LONG,	/* answers that take long */
	N_WORK
};

struct worker;
int worker_start(struct worker **out, struct loop *l);
/* run(arg) on the worker's thread, then done(arg) on the loop's.  -1 when the queue
 * is full, or w is NULL (moored stops): neither is called. */
int worker_add(struct worker *w, void (*run)(void *arg), void (*done)(void *arg), void *arg);
/* Drop what waits (its done() is called) and wait for what runs, ms at most.  True
 * when the thread ended and w is gone; false: it goes on and needs what it was given. */
bool worker_stop(struct worker *w, unsigned ms);
unsigned worker_waiting(struct worker *w);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* work.h - worker threads for what takes long; each runs its jobs in order. */
#ifndef MOORED_WORK_H
#define MOORED_WORK_H

#include <stdbool.h>

#include "loop.h"

#define WORK_QUEUE_MAX 256	/* jobs that wait; more are refused, which bounds memory */

/* The daemon has one worker for each kind, so that a long answer does not delay short ones,
 * and answers do not delay the verdict on the cabling. */
enum work {
	WORK_OWN,	/* verdicts, history */
	WORK_SHORT,	/* short answers, reloads, metrics */
	WORK_LONG,	/* long answers */
	N_WORK
};

struct worker;
int worker_start(struct worker **out, struct loop *l);
/* Calls run(arg) on the worker's thread, then done(arg) on the loop's.  -1: the queue is full,
 * or w is NULL (moored stops), and neither is called. */
int worker_add(struct worker *w, void (*run)(void *arg), void (*done)(void *arg), void *arg);
/* Drops the jobs that wait (their done() is called) and waits for the running one, ms at most.
 * True: the thread ended and w is freed.  False: the job still runs. */
bool worker_stop(struct worker *w, unsigned ms);
unsigned worker_waiting(struct worker *w);

#endif

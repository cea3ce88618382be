/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* threads.h - the threads that plugin, daemon and moorectl lend to the library
 * (moore/jobs.h). */
#ifndef MOORE_THREADS_H
#define MOORE_THREADS_H

#include <moore/jobs.h>

#include <pthread.h>
#include <stdbool.h>

/* Runs jobs on n threads, the caller's included.  0: as many as this process has processors.
 * At most MOORE_THREADS_MAX.  Threads start when run() is called and have ended when the outermost
 * run() of this thread returns; where one cannot be created, the others do its work. */
struct moore_jobs threads_lend(unsigned n);

/* Starts a thread that blocks all signals and may run jobs.  The caller joins *t; false if it cannot be
 * created. */
bool threads_start(pthread_t *t, void *(*run)(void *arg), void *arg);

#endif

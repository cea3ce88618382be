// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* threads.c - runs jobs on threads that live no longer than one call.
 *
 * Every thread, the caller's included, takes the next job from one counter until none is
 * left.  So the caller finishes all jobs alone when no thread can be created.  The threads
 * block all signals: these reach the thread that expects them, such as OpenSM's. */
#include <moore/conf.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "threads.h"

#define STACK_BYTES ((size_t)512 << 10)	/* the library's functions need a few KiB */

struct round {
	void (*job)(void *arg, unsigned worker, size_t i);
	void *arg;
	size_t n;
	atomic_size_t next;	/* the job that is taken next */
};

struct helper {
	struct round *round;
	unsigned worker;
	pthread_t thread;
};

static void
take_jobs(struct round *r, unsigned worker)
{
	for (size_t i; (i = atomic_fetch_add(&r->next, 1)) < r->n;)
		r->job(r->arg, worker, i);
}

static void *
help(void *arg)
{
	struct helper *h = arg;

	take_jobs(h->round, h->worker);
	return NULL;
}

/* Creates up to n threads, and returns how many there are. */
static unsigned
start(struct helper *h, unsigned n, struct round *r)
{
	pthread_attr_t attr;
	sigset_t all, old;
	unsigned k = 0;

	if (pthread_attr_init(&attr))
		return 0;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	for (; k < n; k++) {
		h[k] = (struct helper){ .round = r, .worker = k + 1 };
		if (pthread_create(&h[k].thread, &attr, help, &h[k]))
			break;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return k;
}

static void
run(unsigned width, size_t n, void (*job)(void *arg, unsigned worker, size_t i), void *arg)
{
	struct round r = { .job = job, .arg = arg, .n = n };
	struct helper h[MOORE_THREADS_MAX];
	unsigned n_helpers = start(h, width - 1, &r);

	take_jobs(&r, 0);
	for (unsigned k = 0; k < n_helpers; k++)
		pthread_join(h[k].thread, NULL);
}

/* The processors that this process may run on; 1 when that is not known. */
static unsigned
processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

struct moore_jobs
threads_lend(unsigned n)
{
	if (n == 0)
		n = processors();
	return (struct moore_jobs){ run, n < MOORE_THREADS_MAX ? n : MOORE_THREADS_MAX };
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* threads.c - runs jobs on threads that live no longer than the outermost call.
 *
 * Each call is a round, whose jobs every thread in it, the caller's included, takes from one
 * counter until none is left.  So the caller finishes all jobs alone when no thread can be created.
 * A job may run jobs itself: then threads that have nothing else to do help in the inner round, since
 * many a round takes no longer than starting a thread, and so does a caller that waits for the last jobs
 * of its round, in the rounds that these have opened.  The threads block all signals: these reach the
 * thread that expects them, such as OpenSM's. */
#include <moore/conf.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "threads.h"

#define YIELDS 2000		/* some 0.5 ms: longer than most waits, and than waking a thread takes */
#define STACK_BYTES ((size_t)512 << 10)	/* the library's functions need a few KiB */

struct round {
	void (*job)(void *arg, unsigned worker, size_t i);
	void *arg;
	size_t n;
	atomic_size_t next;	/* the job that is taken next */
	/* Under the lock of the crew: */
	unsigned width, n_workers;	/* those that there may be, and those that have come so far */
	unsigned n_helping;		/* threads of the crew that are in the round */
	struct round *before;	/* the round that was opened before */
	const struct round *outer;	/* a job of it has opened this one; NULL: the outermost */
};

struct crew {			/* the threads of one outermost call, and the rounds in it */
	pthread_mutex_t lock;
	pthread_cond_t told;
	atomic_uint news;	/* counts what threads may wait for: a round, its end, the end of all */
	struct round *open;	/* the latest round that its caller has not left */
	bool ends;
	unsigned n_tried, n_threads;	/* threads that were to be created, and that were */
	pthread_t thread[MOORE_THREADS_MAX];
};

/* Of this thread; NULL while it runs no jobs. */
static _Thread_local struct crew *crew;
static _Thread_local const struct round *now;	/* whose job it runs */

static void
take_jobs(struct round *r, unsigned worker)
{
	const struct round *outer = now;

	now = r;
	for (size_t i; (i = atomic_fetch_add(&r->next, 1)) < r->n;)
		r->job(r->arg, worker, i);
	now = outer;
}

static bool
is_within(const struct round *r, const struct round *outer)
{
	while (r && r != outer)
		r = r->outer;
	return r == outer;
}

/* Returns the latest round within `outer` (NULL: of all) that has work for one more, or NULL. */
static struct round *
find_work(const struct crew *c, const struct round *outer)
{
	struct round *r = c->open;

	while (r && (r->n_workers == r->width || atomic_load(&r->next) >= r->n || !is_within(r, outer)))
		r = r->before;
	return r;
}

/* The lock is held. */
static void
tell(struct crew *c)
{
	atomic_fetch_add(&c->news, 1);
	pthread_cond_broadcast(&c->told);
}

/* Waits for news; the lock is held before and after.  Many a wait is shorter than waking a thread, so
 * at first it only gives way to other threads. */
static void
wait_for_news(struct crew *c)
{
	const unsigned seen = atomic_load(&c->news);

	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < YIELDS && atomic_load(&c->news) == seen; i++)
		sched_yield();
	pthread_mutex_lock(&c->lock);
	if (atomic_load(&c->news) == seen)
		pthread_cond_wait(&c->told, &c->lock);
}

/* Helps in a round within `outer`, or waits for news; the lock is held before and after. */
static void
help_or_wait(struct crew *c, const struct round *outer)
{
	struct round *r = find_work(c, outer);
	unsigned worker;

	if (!r) {
		wait_for_news(c);
		return;
	}
	worker = r->n_workers++;
	r->n_helping++;
	pthread_mutex_unlock(&c->lock);
	take_jobs(r, worker);
	pthread_mutex_lock(&c->lock);
	if (--r->n_helping == 0)
		tell(c);
}

static void *
help(void *arg)
{
	struct crew *c = crew = arg;

	pthread_mutex_lock(&c->lock);
	while (!c->ends)
		help_or_wait(c, NULL);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

bool
threads_start(pthread_t *t, void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attr;
	sigset_t all, old;
	bool ok;

	if (pthread_attr_init(&attr))
		return false;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	ok = pthread_create(t, &attr, run, arg) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return ok;
}

/* Creates n threads. */
static void
grow(struct crew *c, unsigned n)
{
	for (pthread_t t; n && threads_start(&t, help, c); n--) {
		pthread_mutex_lock(&c->lock);
		c->thread[c->n_threads++] = t;
		pthread_mutex_unlock(&c->lock);
	}
}

/* Waits for the end of a thread that has nothing left to do. */
static void
join(pthread_t t)
{
	for (unsigned i = 0; i < YIELDS; i++) {
		if (pthread_tryjoin_np(t, NULL) == 0)
			return;
		sched_yield();
	}
	pthread_join(t, NULL);
}

/* Runs the jobs of r in crew c. */
static void
run_in(struct crew *c, struct round *r)
{
	struct round **at = &c->open;
	unsigned n_more = 0;

	pthread_mutex_lock(&c->lock);
	r->before = c->open;
	c->open = r;
	if (r->width > c->n_tried + 1) {
		n_more = r->width - 1 - c->n_tried;
		c->n_tried = r->width - 1;
	}
	tell(c);
	pthread_mutex_unlock(&c->lock);
	grow(c, n_more);
	take_jobs(r, 0);
	pthread_mutex_lock(&c->lock);
	while (*at != r)
		at = &(*at)->before;
	*at = r->before;
	while (r->n_helping)
		help_or_wait(c, r);
	pthread_mutex_unlock(&c->lock);
}

static void
run(unsigned width, size_t n, void (*job)(void *arg, unsigned worker, size_t i), void *arg)
{
	struct round r = { .job = job, .arg = arg, .n = n, .n_workers = 1, .width = width, .outer = now };
	struct crew own = { .lock = PTHREAD_MUTEX_INITIALIZER, .told = PTHREAD_COND_INITIALIZER };

	if (width > n)
		r.width = n ? (unsigned)n : 1;
	if (crew) {
		run_in(crew, &r);
		return;
	}
	crew = &own;
	run_in(&own, &r);
	crew = NULL;
	pthread_mutex_lock(&own.lock);
	own.ends = true;
	tell(&own);
	pthread_mutex_unlock(&own.lock);
	for (unsigned k = 0; k < own.n_threads; k++)
		join(own.thread[k]);
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

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_threads.c - the threads that adapters lend to the library: each job runs once, whatever
 * threads can be created, and no thread takes a signal or stays. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "harness.h"

#include "base/jobs.h"
#include "moore/conf.h"
#include "threads.h"

enum { N_MAX = 100, N_SIGNALS = 31 };	/* signals 32 and 33 belong to the C library */

static int create_at_most = MOORE_THREADS_MAX;	/* the linker directs pthread_create here (--wrap) */

int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg);

int
__wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
	if (create_at_most == 0)
		return EAGAIN;
	create_at_most--;
	return __real_pthread_create(t, a, f, arg);
}

static unsigned
n_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned n = 0;

	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

#ifdef __SANITIZE_THREAD__
enum { N_OWN = 2 };		/* ThreadSanitizer has a thread of its own */
#else
enum { N_OWN = 1 };
#endif

/* The kernel lists a thread for a moment after it was joined. */
static bool
is_alone(void)
{
	const struct timespec moment = { 0, 1000000 };
	unsigned tries = 0;

	while (n_threads() > N_OWN && tries++ < 5000)
		nanosleep(&moment, NULL);
	return tries <= 5000;
}

struct seen {
	unsigned width;
	atomic_uint times[N_MAX];	/* by job */
	atomic_uint busy[MOORE_THREADS_MAX];	/* by worker: calls at this moment */
	atomic_uint wrong;
};

static void
note(void *arg, unsigned worker, size_t i)
{
	struct seen *s = arg;

	if (worker >= s->width || atomic_fetch_add(&s->busy[worker], 1) != 0)
		atomic_fetch_add(&s->wrong, 1);
	else
		atomic_fetch_add(&s->times[i], 1);
	sched_yield();
	if (worker < s->width)
		atomic_fetch_sub(&s->busy[worker], 1);
}

static void
test_each_job_once(void **state)
{
	static const size_t n[] = { 0, 1, 2, 3, 16, 17, N_MAX };
	(void)state;

	for (unsigned width = 1; width <= MOORE_THREADS_MAX; width++)
		for (unsigned fails = 0; fails < 3; fails++)
			for (size_t k = 0; k < ARRAY_LEN(n); k++) {
				const struct moore_jobs jobs = threads_lend(width);
				struct seen s = { .width = width };
				char why[80];

				snprintf(why, sizeof(why), "%zu jobs, width %u, creation %u", n[k], width,
					 fails);
				create_at_most = fails == 0 ? MOORE_THREADS_MAX : (int)fails - 1;
				jobs.run(jobs.width, n[k], note, &s);
				for (size_t i = 0; i < N_MAX; i++)
					CHECK_EQ(why, s.times[i], i < n[k]);
				CHECK_EQ(why, s.wrong, 0);
				CHECK(why, is_alone());
			}
	create_at_most = MOORE_THREADS_MAX;
}

enum { N_OUTER = 5 };

struct outer {
	struct moore_jobs jobs;
	struct seen inner[N_OUTER], all;
};

/* Runs jobs itself. */
static void
run_more(void *arg, unsigned worker, size_t i)
{
	struct outer *o = arg;

	note(&o->all, worker, i);
	for (unsigned k = 0; k < 3; k++)
		o->jobs.run(o->jobs.width, N_MAX / 2, note, &o->inner[i]);
}

static void
test_jobs_that_run_jobs(void **state)
{
	(void)state;
	for (unsigned width = 2; width <= MOORE_THREADS_MAX; width++)
		for (unsigned fails = 0; fails < 3; fails++) {
			struct outer o = { .jobs = threads_lend(width), .all.width = N_OUTER };
			char why[80];

			snprintf(why, sizeof(why), "width %u, creation %u", width, fails);
			for (unsigned i = 0; i < N_OUTER; i++)
				o.inner[i].width = width;
			create_at_most = fails == 0 ? MOORE_THREADS_MAX : (int)fails - 1;
			o.jobs.run(2, N_OUTER, run_more, &o);
			CHECK(why, create_at_most >= (fails == 0 ? MOORE_THREADS_MAX - (int)width + 1 : 0));
			for (unsigned i = 0; i < N_OUTER; i++) {
				for (size_t k = 0; k < N_MAX; k++)
					CHECK_EQ(why, o.inner[i].times[k], k < N_MAX / 2 ? 3 : 0);
				CHECK_EQ(why, o.all.times[i], 1);
				CHECK_EQ(why, o.inner[i].wrong, 0);
			}
			CHECK_EQ(why, o.all.wrong, 0);
			CHECK(why, is_alone());
		}
	create_at_most = MOORE_THREADS_MAX;
}

struct meeting {
	unsigned width;
	atomic_uint here, open_signals;
};

/* Returns when as many jobs as there are workers have begun. */
static void
meet(void *arg, unsigned worker, size_t i)
{
	const time_t begun = time(NULL);
	struct meeting *m = arg;
	sigset_t blocked;

	(void)i;
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	for (int sig = 1; sig <= N_SIGNALS && worker > 0; sig++)
		if (sig != SIGKILL && sig != SIGSTOP && !sigismember(&blocked, sig))
			atomic_fetch_add(&m->open_signals, 1);
	atomic_fetch_add(&m->here, 1);
	while (atomic_load(&m->here) < m->width && time(NULL) < begun + 60)
		sched_yield();
}

static void
test_at_the_same_time(void **state)
{
	const struct moore_jobs jobs = threads_lend(4);
	struct meeting m = { .width = 4 };
	sigset_t before, after;
	(void)state;

	sigemptyset(&before);
	sigaddset(&before, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	jobs.run(4, 4, meet, &m);
	CHECK_EQ("helpers block every signal", m.open_signals, 0);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (int sig = 1; sig <= N_SIGNALS; sig++)
		CHECK_EQ("the caller's mask stays", sigismember(&after, sig), sig == SIGUSR2);
}

struct halves {
	struct moore_jobs jobs;
	struct meeting both, inner;
};

/* Of two jobs, each on a thread of its own, the one that the caller does not run needs two threads. */
static void
run_half(void *arg, unsigned worker, size_t i)
{
	struct halves *h = arg;

	meet(&h->both, worker, i);
	if (worker > 0)
		h->jobs.run(2, 2, meet, &h->inner);
}

/* A caller that waits helps in what it waits for. */
static void
test_caller_helps(void **state)
{
	struct halves h = { .jobs = threads_lend(2), .both.width = 2, .inner.width = 2 };
	(void)state;

	for (unsigned k = 0; k < 100; k++) {
		create_at_most = 1;
		h.both.here = h.inner.here = 0;
		h.jobs.run(2, 2, run_half, &h);
		CHECK_EQ("both were there", h.inner.here, 2);
	}
	create_at_most = MOORE_THREADS_MAX;
}

static void
run_twice(void *arg, unsigned worker, size_t i)
{
	const struct moore_jobs *jobs = arg;
	struct seen s = { .width = jobs->width };

	(void)worker;
	(void)i;
	jobs->run(jobs->width, N_MAX, note, &s);
	jobs->run(jobs->width, N_MAX, note, &s);
	for (size_t k = 0; k < N_MAX; k++)
		CHECK_EQ("each job once in each round", s.times[k], 2);
	CHECK_EQ("no worker twice at a time", s.wrong, 0);
}

static void
test_kept(void **state)
{
	(void)state;
	for (unsigned width = 1; width <= 4; width++) {
		struct moore_jobs jobs = threads_lend(width);

		create_at_most = MOORE_THREADS_MAX;
		moore_jobs_keep(&jobs, run_twice, &jobs);
		CHECK_EQ("threads are created once", create_at_most, MOORE_THREADS_MAX - (int)width + 1);
		CHECK("and have ended", is_alone());
	}
	create_at_most = MOORE_THREADS_MAX;
}

static void
test_width(void **state)
{
	(void)state;
	CHECK_EQ("as asked", threads_lend(3).width, 3);
	CHECK_EQ("at most", threads_lend(1000).width, MOORE_THREADS_MAX);
	CHECK("the processors there are", threads_lend(0).width >= 1 &&
	      threads_lend(0).width <= MOORE_THREADS_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_job_once),
		cmocka_unit_test(test_jobs_that_run_jobs),
		cmocka_unit_test(test_at_the_same_time),
		cmocka_unit_test(test_caller_helps),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

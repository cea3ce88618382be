// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* work.c - a worker's thread and its bounded queue.
 *
 * A job uses only what it was given: references that stay valid while it runs, and nothing of
 * struct moored. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "work.h"

struct job {
	struct job *next;
	void (*run)(void *arg);
	void (*done)(void *arg);
	void *arg;
};

struct worker {
	struct loop *loop;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more, ended;
	struct job *head, **tail;
	unsigned waiting;
	bool stop, gone;
};

static struct job *
next_job(struct worker *w)
{
	struct job *j;

	pthread_mutex_lock(&w->lock);
	while (!w->head && !w->stop)
		pthread_cond_wait(&w->more, &w->lock);
	if (w->stop) {
		w->gone = true;
		pthread_cond_signal(&w->ended);
		pthread_mutex_unlock(&w->lock);
		return NULL;
	}
	j = w->head;
	if (!(w->head = j->next))
		w->tail = &w->head;
	w->waiting--;
	pthread_mutex_unlock(&w->lock);
	return j;
}

static void *
work(void *arg)
{
	static const struct timespec moment = { 0, 10000000 };
	struct worker *w = arg;
	struct job *j;

	while ((j = next_job(w))) {
		j->run(j->arg);
		while (loop_post(w->loop, j->done, j->arg) < 0)
			nanosleep(&moment, NULL);	/* out of memory; done() must be called */
		free(j);
	}
	return NULL;
}

int
worker_start(struct worker **out, struct loop *l)
{
	struct worker *w = calloc(1, sizeof(*w));
	sigset_t all, old;
	int rc;

	*out = NULL;
	if (!w)
		return -1;
	w->loop = l;
	w->tail = &w->head;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->more, NULL);
	pthread_cond_init(&w->ended, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);	/* only the loop's thread takes signals */
	rc = pthread_create(&w->thread, NULL, work, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc) {
		free(w);
		return -1;
	}
	*out = w;
	return 0;
}

int
worker_add(struct worker *w, void (*run)(void *arg), void (*done)(void *arg), void *arg)
{
	struct job *j = w ? malloc(sizeof(*j)) : NULL;
	bool full;

	if (!j)
		return -1;
	*j = (struct job){ NULL, run, done, arg };
	pthread_mutex_lock(&w->lock);
	full = w->waiting >= WORK_QUEUE_MAX || w->stop;
	if (!full) {
		*w->tail = j;
		w->tail = &j->next;
		w->waiting++;
		pthread_cond_signal(&w->more);
	}
	pthread_mutex_unlock(&w->lock);
	if (full)
		free(j);
	return full ? -1 : 0;
}

unsigned
worker_waiting(struct worker *w)
{
	unsigned n;

	pthread_mutex_lock(&w->lock);
	n = w->waiting;
	pthread_mutex_unlock(&w->lock);
	return n;
}

bool
worker_stop(struct worker *w, unsigned ms)
{
	struct job *dropped, *next;
	struct timespec until;
	bool gone;

	if (!w)
		return true;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	dropped = w->head;
	w->head = NULL;
	w->tail = &w->head;
	pthread_cond_signal(&w->more);
	while (!w->gone && pthread_cond_clockwait(&w->ended, &w->lock, CLOCK_MONOTONIC,
						  &until) != ETIMEDOUT)
		;
	gone = w->gone;
	pthread_mutex_unlock(&w->lock);
	for (; dropped; dropped = next) {
		next = dropped->next;
		dropped->done(dropped->arg);
		free(dropped);
	}
	if (!gone)
		return false;
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->more);
	pthread_cond_destroy(&w->ended);
	pthread_mutex_destroy(&w->lock);
	free(w);
	return true;
}

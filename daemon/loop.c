// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* loop.c - the one event base, and posts from other threads.
 *
 * Only the loop's thread touches the base, so libevent's own locking stays off.  Others
 * append to a list and write to an eventfd; the lock guards the list alone and is never
 * held across a call.
 *
 * Invariant: no source of work keeps the loop from the others.  Of posts, POSTS run
 * before everything else has its turn.  Signals and the watchdog (LOOP_FIRST) run within
 * SLICE_MS, however many clients are ready. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "loop.h"
#include "log.h"

enum { POSTS = 32, SLICE_MS = 10 };

struct post {
	struct post *next;
	void (*fn)(void *arg);
	void *arg;
};

struct loop {
	struct event_base *base;
	struct event *wake;
	int fd;
	pthread_mutex_t lock;
	struct post *head, **tail;
};

/* The first post; NULL: there is none. */
static struct post *
take_post(struct loop *l)
{
	struct post *p;

	pthread_mutex_lock(&l->lock);
	p = l->head;
	if (p && !(l->head = p->next))
		l->tail = &l->head;
	pthread_mutex_unlock(&l->lock);
	return p;
}

static void
wake(const struct loop *l)
{
	uint64_t one = 1;

	/* A full eventfd is readable already. */
	if (write(l->fd, &one, sizeof(one)) < 0)
		return;
}

static void
on_wake(evutil_socket_t fd, short what, void *arg)
{
	struct loop *l = arg;
	struct post *p;
	uint64_t n;

	(void)what;
	if (read(fd, &n, sizeof(n)) < 0)
		return;
	for (unsigned i = 0; i < POSTS; i++) {
		if (!(p = take_post(l)))
			return;
		p->fn(p->arg);
		free(p);
	}
	wake(l);		/* there may be more */
}

/* libevent's own messages, one of which can come at every turn of the loop. */
static void
on_libevent_log(int severity, const char *text)
{
	static struct log_gate gate;

	log_gated(&gate, severity >= EVENT_LOG_ERR ? LOG_ERR : severity == EVENT_LOG_WARN ?
		  LOG_WARNING : LOG_DEBUG, "libevent: %s", text);
}

static struct event_base *
base_new(void)
{
	static const struct timeval slice = { 0, SLICE_MS * 1000 };
	struct event_config *c = event_config_new();
	struct event_base *base = NULL;

	if (c && event_config_set_max_dispatch_interval(c, &slice, -1, LOOP_FIRST + 1) == 0)
		base = event_base_new_with_config(c);
	if (c)
		event_config_free(c);
	if (base && event_base_priority_init(base, LOOP_PRIORITIES) < 0) {
		event_base_free(base);
		base = NULL;
	}
	return base;
}

int
loop_new(struct loop **out)
{
	struct loop *l = calloc(1, sizeof(*l));

	*out = NULL;
	if (!l)
		return -1;
	event_set_log_callback(on_libevent_log);
	pthread_mutex_init(&l->lock, NULL);
	l->tail = &l->head;
	l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	l->base = base_new();
	if (l->fd >= 0 && l->base)
		l->wake = event_new(l->base, l->fd, EV_READ | EV_PERSIST, on_wake, l);
	if (!l->wake || event_add(l->wake, NULL) < 0) {
		loop_free(l);
		return -1;
	}
	*out = l;
	return 0;
}

void
loop_free(struct loop *l)
{
	struct post *p;

	if (!l)
		return;
	while ((p = take_post(l)))
		free(p);
	if (l->wake)
		event_free(l->wake);
	if (l->base)
		event_base_free(l->base);
	if (l->fd >= 0)
		close(l->fd);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

struct event_base *
loop_base(struct loop *l)
{
	return l->base;
}

int
loop_post(struct loop *l, void (*fn)(void *arg), void *arg)
{
	struct post *p = malloc(sizeof(*p));

	if (!p)
		return -1;
	*p = (struct post){ NULL, fn, arg };
	pthread_mutex_lock(&l->lock);
	*l->tail = p;
	l->tail = &p->next;
	pthread_mutex_unlock(&l->lock);
	wake(l);
	return 0;
}

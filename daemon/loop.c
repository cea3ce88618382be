// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* loop.c - the one event base, and the door by which other threads come in.
 *
 * libevent's own locking stays off: only the loop's thread touches the base.
 * Others append to a list and write to an eventfd; the lock guards the list's
 * two pointers and is never held across a call. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "log.h"
#include "moored.h"

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

static struct post *
take_all(struct loop *l)
{
	struct post *p;

	pthread_mutex_lock(&l->lock);
	p = l->head;
	l->head = NULL;
	l->tail = &l->head;
	pthread_mutex_unlock(&l->lock);
	return p;
}

static void
on_wake(evutil_socket_t fd, short what, void *arg)
{
	struct post *p, *next;
	uint64_t n;

	(void)what;
	if (read(fd, &n, sizeof(n)) < 0)
		return;
	for (p = take_all(arg); p; p = next) {
		next = p->next;
		p->fn(p->arg);
		free(p);
	}
}

/* libevent's own messages, one of which can come at every turn of the loop. */
static void
on_libevent_log(int severity, const char *text)
{
	static struct log_gate gate;

	log_gated(&gate, severity >= EVENT_LOG_ERR ? LOG_ERR : severity == EVENT_LOG_WARN ?
		  LOG_WARNING : LOG_DEBUG, "libevent: %s", text);
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
	l->base = event_base_new();
	if (l->fd >= 0 && l->base)
		l->wake = event_new(l->base, l->fd, EV_READ | EV_PERSIST, on_wake, l);
	if (!l->wake || event_add(l->wake, NULL) < 0) {
		loop_free(l);
		return -1;
	}
	*out = l;
	return 0;
}

/* What was posted and did not run is lost with what it held. */
void
loop_free(struct loop *l)
{
	struct post *p, *next;

	if (!l)
		return;
	for (p = take_all(l); p; p = next) {
		next = p->next;
		free(p);
	}
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
	uint64_t one = 1;

	if (!p)
		return -1;
	*p = (struct post){ NULL, fn, arg };
	pthread_mutex_lock(&l->lock);
	*l->tail = p;
	l->tail = &p->next;
	pthread_mutex_unlock(&l->lock);
	/* A full eventfd is one that wakes already. */
	if (write(l->fd, &one, sizeof(one)) < 0)
		return 0;
	return 0;
}

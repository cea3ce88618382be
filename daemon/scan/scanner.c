// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* scanner.c - start and stop of the threads, one for each plane (plane.c).
 *
 * A thread that hangs in the kernel, or in a simulator that was stopped, cannot report
 * that itself: a timer of the loop watches when each was last alive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "scan/plane.h"

enum { STUCK_MS = 3000, STOP_MS = 1500 };

static bool
is_ether(const struct plane_thread *p)
{
	return !strcmp(p->ca, PLANE_ETHERNET);
}

static void
on_watch(evutil_socket_t fd, short what, void *arg)
{
	struct scanner *w = arg;
	uint64_t now = mono_us() / 1000;

	(void)fd, (void)what;
	for (unsigned i = 0; i < w->n_planes; i++) {
		char why[120];

		if (!w->plane[i].runs || is_ether(&w->plane[i]) ||
		    atomic_load(&w->plane[i].beat) + STUCK_MS > now)
			continue;
		snprintf(why, sizeof(why), "the port sends no MADs: its device or driver hangs");
		w->calls.state(w->calls.arg, i, PLANE_UNREACHED, why);
	}
}

static int
start_watch(struct scanner *w)
{
	struct timeval each = { 1, 0 };

	w->watch = event_new(loop_base(w->loop), -1, EV_PERSIST, on_watch, w);
	return w->watch ? event_add(w->watch, &each) : -1;
}

static void
name_planes(struct scanner *w)
{
	const char *s = w->conf.planes;

	do {
		struct plane_thread *p = &w->plane[w->n_planes];
		struct plane_name name;

		s = moored_conf_plane(&name, s);
		*p = (struct plane_thread){ .scanner = w, .index = w->n_planes++, .wake = -1 };
		due_init(&p->due, w->conf.poll_ms, w->conf.sweep_s);
		strcpy(p->ca, name.device);
		p->port = name.port;
	} while (*s && w->n_planes < MOORED_PLANES_MAX);
}

int
scanner_start(struct scanner **out, struct loop *l, const struct moored_conf *c,
	      uint64_t first_scan, const struct scanner_calls *calls)
{
	struct scanner *w = calloc(1, sizeof(*w));

	*out = NULL;
	if (!w)
		return -1;
	w->loop = l;
	w->calls = *calls;
	w->conf = *c;
	atomic_init(&w->next_scan, first_scan);
	name_planes(w);
	for (unsigned i = 0; i < w->n_planes; i++) {
		struct plane_thread *p = &w->plane[i];

		p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		atomic_store(&p->beat, mono_us() / 1000);
		p->runs = p->wake >= 0 && pthread_create(&p->thread, NULL,
			is_ether(p) ? ether_run : plane_run, p) == 0;
		if (!p->runs) {
			scanner_stop(w);
			return -1;
		}
	}
	if (start_watch(w) < 0) {
		scanner_stop(w);
		return -1;
	}
	*out = w;
	return 0;
}

static void
wake(struct plane_thread *p)
{
	uint64_t one = 1;

	/* A write fails when the eventfd is full, and then it wakes the thread already. */
	if (write(p->wake, &one, sizeof(one)) < 0)
		return;
}

void
scanner_kick(struct scanner *w)
{
	for (unsigned i = 0; i < w->n_planes; i++) {
		atomic_store(&w->plane[i].kicked, true);
		wake(&w->plane[i]);
	}
}

bool
scanner_stop(struct scanner *w)
{
	struct timespec until;
	bool ended = true;

	atomic_store(&w->stop, true);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += STOP_MS / 1000 + 1;
	for (unsigned i = 0; i < w->n_planes; i++) {
		struct plane_thread *p = &w->plane[i];

		if (p->runs) {
			wake(p);
			ended &= pthread_clockjoin_np(p->thread, NULL, CLOCK_MONOTONIC, &until) == 0;
		}
	}
	if (w->watch)
		event_free(w->watch);
	if (!ended)
		return false;	/* a thread still needs the rest */
	for (unsigned i = 0; i < w->n_planes; i++)
		if (w->plane[i].wake >= 0)
			close(w->plane[i].wake);
	free(w);
	return true;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* notify.c - messages to systemd (sd_notify), its watchdog, and the sockets that it passes. */
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include <systemd/sd-daemon.h>

#include "clock.h"
#include "notify.h"

void
notify_ready(const char *status)
{
	sd_notifyf(0, "READY=1\nSTATUS=%s", status);
}

void
notify_reloading(void)
{
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long)mono_us());
}

void
notify_stopping(void)
{
	sd_notify(0, "STOPPING=1\nSTATUS=stopping");
}

static void
on_watchdog(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what, (void)arg;
	sd_notify(0, "WATCHDOG=1");
}

/* The loop itself sends the watchdog's messages, so systemd restarts a moored whose loop hangs. */
struct event *
notify_watchdog(struct event_base *base)
{
	struct timeval half;
	struct event *e;
	uint64_t us;

	if (sd_watchdog_enabled(0, &us) <= 0)
		return NULL;
	half = (struct timeval){ (time_t)(us / 2000000), (suseconds_t)(us / 2 % 1000000) };
	e = event_new(base, -1, EV_PERSIST, on_watchdog, NULL);
	if (e && event_priority_set(e, LOOP_FIRST) == 0)
		event_add(e, &half);
	return e;
}

int
passed_socket(int type)
{
	int n = sd_listen_fds(0);

	for (int fd = SD_LISTEN_FDS_START; fd < SD_LISTEN_FDS_START + n; fd++)
		if (sd_is_socket_unix(fd, type, type == SOCK_STREAM ? 1 : -1, NULL, 0) > 0) {
			evutil_make_socket_nonblocking(fd);
			return fd;
		}
	return -1;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* notify.c - what systemd is told, and the log.
 *
 * Under systemd a line goes to the journal with fields (MOORE_PLANE=, MOORE_SWEEP=,
 * ...), so that `journalctl MOORE_PLANE=0` finds what belongs together; elsewhere, or
 * with --foreground, it is a line on standard error. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <time.h>

#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

#include "notify.h"

enum { FIELDS_MAX = 8 };

static bool to_journal;

/* Is standard error what systemd connected to the journal? */
static bool
stderr_is_journal(void)
{
	const char *s = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return s && sscanf(s, "%llu:%llu", &dev, &ino) == 2 && fstat(2, &st) == 0 &&
	       st.st_dev == dev && st.st_ino == ino;
}

void
log_open(bool foreground)
{
	to_journal = !foreground && stderr_is_journal();
}

static void
log_stderr(int level, const char *text)
{
	static const char *const word[] = { "emergency", "alert", "critical", "error", "warning",
		"notice", "info", "debug" };
	char stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", localtime_r(&now, &tm));
	fprintf(stderr, "%s moored: %s%s%s\n", stamp, level <= LOG_WARNING ? word[level] : "",
		level <= LOG_WARNING ? ": " : "", text);
}

static void
log_journal(int level, const struct log_field *field, const char *text)
{
	struct iovec v[FIELDS_MAX + 2];
	char *s[FIELDS_MAX + 2];
	int n = 0;

	n += asprintf(&s[n], "MESSAGE=%s", text) >= 0;
	n += asprintf(&s[n], "PRIORITY=%d", level) >= 0;
	for (; field && field->name && n < FIELDS_MAX + 2; field++)
		n += asprintf(&s[n], "MOORE_%s=%s", field->name, field->value) >= 0;
	for (int i = 0; i < n; i++)
		v[i] = (struct iovec){ s[i], strlen(s[i]) };
	sd_journal_sendv(v, n);
	while (n)
		free(s[--n]);
}

void
log_say(int level, const struct log_field *field, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *p = text; *p; p++)	/* names come from the fabric */
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	if (to_journal)
		log_journal(level, field, text);
	else
		log_stderr(level, text);
}

/* ---- systemd -------------------------------------------------------------------- */

void
notify_ready(const char *status)
{
	sd_notifyf(0, "READY=1\nSTATUS=%s", status);
}

void
notify_status(const char *status)
{
	sd_notifyf(0, "STATUS=%s", status);
}

void
notify_reloading(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
		   (unsigned long long)t.tv_sec * 1000000 + (unsigned long long)t.tv_nsec / 1000);
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

/* The beat comes from the loop: a loop that stands still is what to restart for. */
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
	if (e)
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

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* notify.h - the log, and what systemd is told (nothing when it is not there).
 * log_say() may be called on any thread; log_open() before there are any. */
#ifndef MOORED_NOTIFY_H
#define MOORED_NOTIFY_H

#include <syslog.h>

#include "moored.h"

struct log_field {
	const char *name;	/* "PLANE": MOORE_PLANE= in the journal; NULL ends the list */
	const char *value;
};
void log_open(bool foreground);
/* level: LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO; field may be NULL. */
void log_say(int level, const struct log_field *field, const char *fmt, ...) MOORE_PRINTF(3, 4);

void notify_ready(const char *status);
void notify_status(const char *status);
void notify_reloading(void);	/* notify_ready() ends it */
void notify_stopping(void);
/* The Unix socket of that type that systemd hands over; -1: none. */
int passed_socket(int type);
/* A timer that keeps systemd's watchdog quiet; NULL when it is not asked for. */
struct event *notify_watchdog(struct event_base *base);

#endif

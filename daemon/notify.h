/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* notify.h - messages to systemd; without systemd these functions do nothing. */
#ifndef MOORED_NOTIFY_H
#define MOORED_NOTIFY_H

#include "loop.h"

void notify_ready(const char *status);
void notify_reloading(void);	/* notify_ready() ends it */
void notify_stopping(void);
/* The Unix socket of that type that systemd passed; -1: none. */
int passed_socket(int type);
/* A timer that answers systemd's watchdog; NULL when the watchdog is off. */
struct event *notify_watchdog(struct event_base *base);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* log.h - the log: journal entries with fields under systemd, else lines on standard error.
 * Any thread may log once log_open() was called. */
#ifndef MOORED_LOG_H
#define MOORED_LOG_H

#include <syslog.h>

#include "moore/base.h"

struct log_field {
	const char *name;	/* "PLANE": MOORE_PLANE= in the journal; NULL ends the list */
	const char *value;
};
void log_open(bool foreground);
/* level: LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO; field may be NULL. */
void log_say(int level, const struct log_field *field, const char *fmt, ...) MOORE_PRINTF(3, 4);

/* Text as it is logged: characters of moore_text_hidden() and bytes that are no UTF-8 become \xNN.
 * The result is cut to size, between two characters. */
void log_escape(char *out, size_t size, const char *text);

/* ---- messages that may come again and again ---------------------------------------- */

/* Passes a message when its text differs from the last one that passed, and an equal one
 * once an hour; never two within a second.  Counts the others.  Zeroed to begin with. */
struct log_gate {
	uint64_t hash;		/* of the last text that passed */
	uint64_t at_us;		/* when that was; 0: none did */
	uint64_t held;		/* messages counted since */
};
/* Does text pass at now_us (monotonic, above 0)?  Then *held is how many did not since the
 * last that passed. */
bool log_gate_pass(struct log_gate *g, uint64_t now_us, const char *text, uint64_t *held);
/* log_say() through a gate, with the count of those held back.  One thread for each gate. */
void log_gated(struct log_gate *g, int level, const char *fmt, ...) MOORE_PRINTF(3, 4);
/* What was wrong is right again: logs fmt and the count when something passed g before, and
 * opens g. */
void log_gate_over(struct log_gate *g, int level, const char *what);

#endif

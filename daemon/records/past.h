/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* past.h - the events that were published: the latest of them, kept over restarts. */
#ifndef MOORED_PAST_H
#define MOORED_PAST_H

#include "part.h"

struct past_event {
	uint64_t number;	/* counts up by one; never the same twice */
	uint64_t at_ms;		/* wall clock when it was published */
	char kind[16];		/* "wiring" */
	char *text;		/* {"number":..,"at_ms":..,"method":..,"params":{..}} */
	size_t len;
};

extern const struct part part_past;
/* Keep one more event, whose method is "event.KIND".  Borrows params. */
void past_add(struct moored *d, const char *method, json_t *params);
/* The events that are kept, oldest first, numbers rising; valid until the next past_add(). */
const struct past_event *past_events(const struct moored *d, size_t *n);

#endif

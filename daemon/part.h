/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* part.h - parts of the daemon that follow the fabric (watch/), and what they tell clients. */
#ifndef MOORED_PART_H
#define MOORED_PART_H

#include <jansson.h>

#include "scan/scanner.h"
#include "snapshot.h"

struct moored;			/* state.h */

/* All on the loop's thread; each may be NULL.  A new part is a line in state.c. */
struct part {
	const char *name;
	int (*start)(struct moored *d);	/* -1: the daemon does not start */
	void (*snapshot)(struct moored *d, struct view *v);	/* borrowed */
	void (*polled)(struct moored *d, const struct poll *p);	/* borrowed */
	void (*plan)(struct moored *d);	/* d->plan or d->conf changed */
	void (*stop)(struct moored *d);		/* also when start() was never called */
};

/* ---- events (methods/events.c) ----------------------------------------------------- */

enum event_kind { EVENT_SWEEP, EVENT_STATE, EVENT_RELOAD, EVENT_WIRING, EVENT_HOTSPOT, EVENT_MANAGER,
	EVENT_PROBLEM, EVENT_DRAIN, N_EVENTS };
/* Send the notification "event.NAME" to the clients that subscribed to it.  Takes params. */
void event_publish(struct moored *d, enum event_kind kind, json_t *params);

#endif

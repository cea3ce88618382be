/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* wiring.h - what was found against what is planned. */
#ifndef MOORED_WIRING_H
#define MOORED_WIRING_H

#include "part.h"
#include "moore/wire.h"
#include "state.h"

struct wired {
	struct moore_seen seen;		/* the snapshot's; w borrows it */
	struct moore_wire *w;
};
/* Any thread.  Borrows both; *out stays where it is until wired_free().  0, or as
 * moore_wire_check(). */
int wired_check(struct wired *out, const struct view *v, const struct planned *p,
		struct moore_err *err);
void wired_free(struct wired *x);

/* Follows the scans: EVENT_WIRING tells what came and what went. */
extern const struct part part_wiring;
/* The last verdict of a plane; null before the first. */
json_t *wiring_last(const struct moored *d, unsigned plane);

#endif

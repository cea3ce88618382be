/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* wiring.h - compares the observed fabric with the plan. */
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

/* Compares after each scan; EVENT_WIRING has the deviations that appeared and cleared. */
extern const struct part part_wiring;
/* The last verdict of a plane; null before the first. */
json_t *wiring_last(const struct moored *d, unsigned plane);
/* A copy of what is known of its deviations (since.h), on the heap; NULL: out of memory. */
struct sinces *wiring_since(const struct moored *d, unsigned plane);

#endif

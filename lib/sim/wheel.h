/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* wheel.h - events in order of time, when no event is far ahead.
 *
 * A wheel of buckets, one for each tick; an event lies at most n - 1 ticks ahead, so each bucket
 * holds the events of one tick, in the order in which they were added.  A bit for each bucket finds
 * the next one that is not empty (R. Brown, "Calendar queues", CACM 1988, with days of one tick). */
#ifndef MOORE_SIM_WHEEL_H
#define MOORE_SIM_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct sim_event {
	uint32_t next;		/* in its bucket, or in the list of free events; MOORE_NONE: the last */
	uint32_t at;		/* a port or a channel */
	uint32_t x;		/* by kind */
	uint8_t kind, vl;
};

struct sim_wheel {
	uint32_t n;		/* buckets, a power of two */
	uint32_t *head, *tail;
	uint64_t *full;		/* bit set of buckets that are not empty */
	struct sim_event *event;
	uint32_t free_event, fresh_event;	/* those from fresh_event on were never used */
};

/* Makes room for n_events at a time, each less than span ticks ahead.  False: out of memory. */
bool moore_sim_wheel_init(struct sim_wheel *w, uint32_t span, uint32_t n_events, struct moore_arena *mem);
uint64_t moore_sim_wheel_memory(uint32_t span, uint32_t n_events);

/* Adds an event at time t, which is now at least and less than now + n. */
static inline void
sim_wheel_add(struct sim_wheel *w, uint64_t t, uint8_t kind, uint32_t at, uint8_t vl, uint32_t x)
{
	const uint32_t b = (uint32_t)t & (w->n - 1);
	const uint32_t i = w->free_event == UINT32_MAX ? w->fresh_event++ : w->free_event;
	struct sim_event *e = &w->event[i];

	if (i == w->free_event)
		w->free_event = e->next;
	*e = (struct sim_event){ UINT32_MAX, at, x, kind, vl };
	if (w->head[b] == UINT32_MAX) {
		w->head[b] = i;
		w->full[b / 64] |= (uint64_t)1 << b % 64;
	} else {
		w->event[w->tail[b]].next = i;
	}
	w->tail[b] = i;
}

/* Takes the first event of time t; false if there is none. */
static inline bool
sim_wheel_take(struct sim_wheel *w, uint64_t t, struct sim_event *out)
{
	const uint32_t b = (uint32_t)t & (w->n - 1), i = w->head[b];

	if (i == UINT32_MAX)
		return false;
	*out = w->event[i];
	if ((w->head[b] = out->next) == UINT32_MAX)
		w->full[b / 64] &= ~((uint64_t)1 << b % 64);
	w->event[i].next = w->free_event;
	w->free_event = i;
	return true;
}

/* The time of the next event from t on; UINT64_MAX: there is none. */
uint64_t moore_sim_wheel_next(const struct sim_wheel *w, uint64_t t);

#endif

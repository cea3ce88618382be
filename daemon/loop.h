/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* loop.h - the one event loop of the daemon. */
#ifndef MOORED_LOOP_H
#define MOORED_LOOP_H

#include <event2/event.h>

struct loop;
int loop_new(struct loop **out);
void loop_free(struct loop *l);	/* posts that did not run are lost with what they hold */
struct event_base *loop_base(struct loop *l);
/* From any thread: fn(arg) runs soon on the loop's thread, in order of posting. */
int loop_post(struct loop *l, void (*fn)(void *arg), void *arg);	/* -1: out of memory */
/* Priorities of events (event_priority_set()).  Those of LOOP_FIRST run before any other, so
 * they must be few; an event has LOOP_REST unless it is set. */
enum { LOOP_FIRST, LOOP_REST, LOOP_PRIORITIES };

#endif

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tell.c - what a plane's thread hands to the loop, as posts that the loop runs. */
#include <stdio.h>
#include <stdlib.h>

#include "scan/plane.h"

struct told {
	struct scanner_calls calls;
	struct snapshot *snap;	/* one of these, or none: then the plane's state */
	struct poll *poll;
	bool of_manager;
	struct manager_state manager;
	unsigned plane;
	enum plane_state state;
	char why[200];
};

static void
on_told(void *arg)
{
	struct told *t = arg;

	if (t->snap)
		t->calls.snapshot(t->calls.arg, t->snap);
	else if (t->poll)
		t->calls.polled(t->calls.arg, t->poll);
	else if (t->of_manager)
		t->calls.manager(t->calls.arg, t->plane, &t->manager);
	else
		t->calls.state(t->calls.arg, t->plane, t->state, t->why);
	free(t);
}

/* Posts a copy of t.  When memory is out, nobody is told. */
static void
post(struct plane_thread *p, struct told t)
{
	struct told *copy = malloc(sizeof(*copy));

	t.calls = p->scanner->calls;
	t.plane = p->index;
	if (copy) {
		*copy = t;
		if (loop_post(p->scanner->loop, on_told, copy) == 0)
			return;
	}
	free(copy);
	snapshot_put(t.snap);
	poll_free(t.poll);
}

void
tell_snapshot(struct plane_thread *p, struct snapshot *s)
{
	post(p, (struct told){ .snap = s });
}

void
tell_poll(struct plane_thread *p, struct poll *n)
{
	post(p, (struct told){ .poll = n });
}

void
tell_manager(struct plane_thread *p)
{
	post(p, (struct told){ .of_manager = true, .manager = p->manager });
}

void
tell_state(struct plane_thread *p, enum plane_state state, const char *why)
{
	struct told t = { .state = state };

	snprintf(t.why, sizeof(t.why), "%s", why);
	post(p, t);
}

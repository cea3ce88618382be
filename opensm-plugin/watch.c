// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* watch.c - asks for a sweep when the links file has changed, so that moorectl drain and moored
 * need no right to signal OpenSM, and nothing has to know its process.
 *
 * While the subnet is up, a timer compares the file each LOOK_MS with what the last sweep read.
 * A change counts when two looks in a row find the same, so that a file is not read while it is
 * being written.  The sweep is asked for once, also if it cannot read the file. */
#include "plugin.h"

enum { LOOK_MS = 1000 };

void
mplug_watch_forget(struct mplug_watch *w)
{
	if (!w->timer_set)
		return;
	cl_spinlock_acquire(&w->lock);
	w->ending = true;
	cl_spinlock_release(&w->lock);
	cl_timer_destroy(&w->timer);
	cl_spinlock_destroy(&w->lock);
	w->timer_set = false;
}

/* True if the file is another than the last sweep read, and the same as at the last look. */
static bool
has_changed(struct mplug_watch *w, const struct stat *now)
{
	bool same = mplug_same_file(now, &w->seen);

	w->seen = *now;
	if (!same || mplug_same_file(now, &w->read))
		return false;
	w->read = *now;
	return true;
}

/* Runs in the thread of the timers. */
static void
look(void *context)
{
	struct mplug_sm *sm = context;
	struct mplug_watch *w = &sm->watch;
	bool changed = false;
	struct stat now;

	cl_spinlock_acquire(&w->lock);
	if (*w->path && stat(w->path, &now) == 0)
		changed = has_changed(w, &now);
	if (!w->ending)
		cl_timer_start(&w->timer, LOOK_MS);
	cl_spinlock_release(&w->lock);
	if (changed && sm->osm->subn.sm_state == IB_SMINFO_STATE_MASTER) {
		osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: %s has changed: a sweep is asked for\n",
			w->path);
		mplug_ask_for_sweep(sm);
	}
}

void
mplug_watch_note(struct mplug_sm *sm)
{
	struct mplug_watch *w = &sm->watch;

	if (!w->timer_set)
		return;
	cl_spinlock_acquire(&w->lock);
	memcpy(w->path, sm->settings.conf.links, sizeof(w->path));
	w->read = sm->settings.links_st;
	cl_spinlock_release(&w->lock);
}

void
mplug_watch_up(struct mplug_sm *sm)
{
	struct mplug_watch *w = &sm->watch;

	if (w->timer_set || cl_spinlock_init(&w->lock) != CL_SUCCESS)
		return;
	w->timer_set = cl_timer_init(&w->timer, look, sm) == CL_SUCCESS;
	mplug_watch_note(sm);
	if (w->timer_set)
		cl_timer_start(&w->timer, LOOK_MS);
}

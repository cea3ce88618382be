// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* plane.c - the thread of one plane: it carries out the steps that due.c names.
 *
 * The thread owns its umad port and its struct seen; it sends Gets only.
 *
 * A look that comes due while counters or tables are read goes between their Gets.  When
 * more of their answers are late than in the last whole reading, as after a cut, the
 * reading stops and a look follows; if that finds nothing, the next reading waits. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"
#include "scan/plane.h"

enum { LANES_AT_ONCE = 16384, WAIT_US = 1000000, MANAGERS_US = 10000000 };

static void
tell_up(struct plane_thread *p)
{
	char why[200];

	if (!p->seen->n_unanswered) {
		tell_state(p, PLANE_UP, p->verbs ? "" : "no verbs device, so changes are found by "
			   "polling");
		return;
	}
	snprintf(why, sizeof(why), "%u requests of the last scan had no answer: some ports are up "
		 "and lead to a device that does not answer", p->seen->n_unanswered);
	tell_state(p, PLANE_UP, why);
}

/* ---- how MADs are sent on this thread ----------------------------------------------- */

static struct ask_with
with(struct plane_thread *p)
{
	return (struct ask_with){ .mad = p->mad, .beat = &p->beat, .stop = &p->scanner->stop };
}

/* The look amid a reading; false: stop reading. */
static bool
look_beside(void *arg)
{
	struct plane_thread *p = arg;
	struct ask_with w = with(p);

	if (seen_changed(p->seen, &w, &p->due.changed) != MAD_DONE || p->due.changed)
		return false;
	due_rest(&p->due, mono_us());
	return true;
}

static struct ask_with
with_looks(struct plane_thread *p, enum reading r)
{
	struct ask_with w = with(p);

	w.late_max = p->due.patient[r] ? MAD_PATIENT : p->late[r];
	w.late = &p->late[r];
	w.look_us = &p->due.look_at;
	w.look = look_beside;
	w.arg = p;
	return w;
}

static bool
was_whole(struct plane_thread *p, enum reading r, enum mad_end end)
{
	due_read(&p->due, r, end == MAD_LEFT);
	return end == MAD_DONE;
}

/* ---- looks and walks ---------------------------------------------------------------- */

/* Makes a snapshot of what is known now: p->snap, and one for the loop. */
static void
publish(struct plane_thread *p, uint32_t took_ms, bool tables_new)
{
	struct snapshot *s;
	struct moore_err err;

	if (seen_snapshot(p->seen, &s, &err) < 0) {
		tell_state(p, PLANE_UNREACHED, err.text);
		return;
	}
	s->scan = atomic_fetch_add(&p->scanner->next_scan, 1);
	s->at_ms = wall_ms();
	s->took_ms = took_ms;
	s->plane = p->index;
	if (tables_new) {
		p->tables_scan = s->scan;
		p->due.have_tables = true;
	}
	s->tables_scan = p->tables_scan;
	if (p->due.have_tables && seen_tables(p->seen, s, p->due.have_lanes, &err) < 0) {
		snapshot_put(s);
		tell_state(p, PLANE_UNREACHED, err.text);
		return;
	}
	atomic_init(&s->sa_heard_ms, s->sa.answered && p->snap ? atomic_load(&p->snap->sa_heard_ms) : 0);
	snapshot_put(p->snap);
	p->snap = snapshot_get(s);
	p->due.have_snapshot = true;
	p->due.have_lids = s->fabric != NULL;
	tell_snapshot(p, s);
}

static void
walk(struct plane_thread *p)
{
	struct ask_with w = with(p);
	uint64_t from = mono_us(), h;
	enum walk found;
	struct moore_err err;
	struct seen *s;

	if (seen_discover(&s, &w, &err) < 0) {
		due_walked(&p->due, from, mono_us(), WALK_FAILED, false);
		if (!atomic_load(&p->scanner->stop))
			tell_state(p, PLANE_UNREACHED, err.text);
		return;
	}
	h = seen_hash(s);
	if (p->seen)
		seen_inherit(s, p->seen);
	seen_free(p->seen);
	p->seen = s;
	found = p->snap && h == p->topology ? WALK_SAME : WALK_NEW;
	if (found == WALK_NEW) {
		p->topology = h;
		p->lanes_at = 0;
		publish(p, (uint32_t)((mono_us() - from) / 1000), false);
	}
	due_walked(&p->due, from, mono_us(), found, s->n_unanswered > 0);
	tell_up(p);
}

static void
close_port(struct plane_thread *p)
{
	if (p->verbs)
		ibv_close_device(p->verbs);
	p->verbs = NULL;
	mad_close(p->mad);
	p->mad = NULL;
}

static void
look(struct plane_thread *p)
{
	struct ask_with w = with(p);
	bool changed = false;
	enum mad_end end = seen_changed(p->seen, &w, &changed);

	if (end == MAD_SILENT)
		tell_state(p, PLANE_UNREACHED, "the fabric does not answer SMPs any more");
	else if (end == MAD_DONE && !changed)
		tell_up(p);
	due_looked(&p->due, mono_us(), end != MAD_DONE ? LOOK_UNKNOWN : changed ? LOOK_CHANGED :
		   LOOK_SAME);
}

static void
look_or_walk(struct plane_thread *p, enum step s)
{
	if (!mad_there(p->mad)) {
		close_port(p);	/* an open port stays dead when its device comes back */
		due_lost(&p->due, mono_us());
		tell_state(p, PLANE_NO_DEVICE, "the device of our own port is gone");
	} else if (!mad_active(p->mad)) {
		tell_state(p, PLANE_DOWN, "our own port has no link");
		due_looked(&p->due, mono_us(), LOOK_UNKNOWN);
	} else if (s == STEP_LOOK) {
		look(p);
	} else {
		walk(p);
		due_rest(&p->due, mono_us());
	}
}

/* ---- tables, lanes, records, counters ----------------------------------------------- */

static void
read_tables(struct plane_thread *p)
{
	struct ask_with w = with_looks(p, READ_TABLES);
	uint64_t from = mono_us(), h;

	if (!was_whole(p, READ_TABLES, read_forwarding(p->seen, &w))) {
		due_tables_failed(&p->due, mono_us());
		return;
	}
	h = forwarding_hash(p->seen);
	if (h == p->forwarding && p->due.have_tables && !p->due.walked) {
		due_tables(&p->due, mono_us(), false);
		return;
	}
	/* LIDs may have moved with the tables although no link changed. */
	if (!p->due.walked && p->due.have_tables)
		walk(p);
	p->forwarding = h;
	p->seen->sa = (struct sa_read){ 0 };
	due_tables(&p->due, mono_us(), true);
	publish(p, (uint32_t)((mono_us() - from) / 1000), true);
}

static void
read_some_lanes(struct plane_thread *p)
{
	struct ask_with w = with_looks(p, READ_TABLES);
	bool whole = was_whole(p, READ_TABLES, read_lanes(p->seen, &w, LANES_AT_ONCE, &p->lanes_at));
	bool had = p->due.have_lanes, at_end = !p->lanes_at;
	uint64_t h;

	due_lanes(&p->due, whole, at_end);
	if (!whole || !at_end)
		return;
	h = lanes_hash(p->seen);
	if (had && h == p->lanes)
		return;
	p->lanes = h;
	publish(p, 0, true);
}

/* Whether what is known of path records must be published: new SLs, a first reading, or a round with
 * other counts than the last. */
static bool
is_news(const struct sa_read *told, const struct sa_read *now)
{
	return now->sls != told->sls || (!told->asked && now->asked) ||
		(!now->left && (now->asked != told->asked || now->answered != told->answered));
}

static void
read_some_records(struct plane_thread *p)
{
	struct ask_with w = with_looks(p, READ_RECORDS);
	struct sa_read was = p->seen->sa;
	bool whole = was_whole(p, READ_RECORDS, read_records(p->seen, &w));

	due_records(&p->due, whole);
	if (!whole) {
		p->seen->sa = was;
		return;
	}
	if (is_news(&p->snap->sa, &p->seen->sa))
		publish(p, 0, false);
	if (p->seen->sa.answered > (was.left ? was.answered : 0))
		atomic_store(&p->snap->sa_heard_ms, wall_ms());
}

static void
poll_counters(struct plane_thread *p)
{
	struct ask_with w = with_looks(p, READ_COUNTERS), patient = w;
	struct poll *n = calloc(1, sizeof(*n));

	if (n)
		n->port = calloc(p->snap->fabric->n_ports, sizeof(*n->port));
	if (!n || !n->port) {
		poll_free(n);
		return;
	}
	n->snap = snapshot_get(p->snap);
	n->number = ++p->polls;
	n->at_ms = wall_ms();
	if (!was_whole(p, READ_COUNTERS, read_counters(p->seen, &w, n))) {
		poll_free(n);
		return;
	}
	patient.late = NULL;
	read_hosts(p->seen, &patient, n, &p->hosts, p->due.poll_us);
	tell_poll(p, n);
}

/* ---- the subnet manager ------------------------------------------------------------- */

/* Each MANAGERS_US, asks all ports which of them have a manager. */
static void
look_for_managers(struct plane_thread *p)
{
	struct ask_with w = with(p);
	struct manager_ports found;

	w.look_us = &p->due.look_at;
	w.look = look_beside;
	w.arg = p;
	if (mono_us() < p->managers_at || find_managers(p->seen, &w, &found) != MAD_DONE)
		return;
	p->managers = found;
	p->managers_at = mono_us() + MANAGERS_US;
}

static void
check_manager(struct plane_thread *p)
{
	struct ask_with w = with(p);
	enum manager was = p->manager.found, now;
	uint64_t at;

	look_for_managers(p);
	ask_manager(p->seen, &w, &p->managers, &p->manager);
	at = mono_us();
	now = p->manager.found;
	due_manager(&p->due, at, now);
	if (due_manager_silent(&p->due))
		manager_silent(&p->manager);
	else if (now == MANAGER_SILENT)
		p->manager.found = was;		/* one question without an answer is not silence */
	p->manager.heard_ms = p->due.manager_heard ? wall_ms() - (at - p->due.manager_heard) / 1000 : 0;
	tell_manager(p);
}

/* ---- the port, and events of its device --------------------------------------------- */

/* A device may serve MADs and not verbs; then only looks find changes. */
static void
open_verbs(struct plane_thread *p)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	size_t n = strcspn(p->name, ":");

	for (struct ibv_device **d = list; d && *d && !p->verbs; d++)
		if (strlen(ibv_get_device_name(*d)) == n &&
		    !strncmp(ibv_get_device_name(*d), p->name, n))
			p->verbs = ibv_open_device(*d);
	if (list)
		ibv_free_device_list(list);
	log_say(LOG_INFO, NULL, "%s: %s", p->name, p->verbs ? "changes are found by events of the device" :
		"there is no verbs device, so changes are found by polling");
}

static void
open_port(struct plane_thread *p)
{
	struct moore_err err;
	int rc = mad_open(&p->mad, p->ca, p->port, p->scanner->conf.outstanding, p->name, &err);

	due_opened(&p->due, mono_us(), rc == 0);
	if (rc < 0)
		tell_state(p, PLANE_NO_DEVICE, err.text);
	else
		open_verbs(p);
}

static void
on_device_event(struct plane_thread *p)
{
	struct ibv_async_event e;
	bool gone;

	due_look_now(&p->due);
	if (ibv_get_async_event(p->verbs, &e) == 0) {
		gone = e.event_type == IBV_EVENT_DEVICE_FATAL;
		ibv_ack_async_event(&e);
		if (!gone)
			return;
	}
	close_port(p);
	p->due.have_port = false;
}

/* Waits until that time, or until a kick or an event of the device. */
static void
wait_until(struct plane_thread *p, uint64_t until)
{
	struct pollfd f[2] = { { .fd = p->wake, .events = POLLIN },
			       { .fd = p->verbs ? p->verbs->async_fd : -1, .events = POLLIN } };
	uint64_t now = mono_us(), n;

	if (until <= now)
		return;
	/* Briefly: a thread that waits must not be taken for one that hangs. */
	until = until - now < WAIT_US ? until : now + WAIT_US;
	if (poll(f, 2, (int)((until - now) / 1000) + 1) <= 0)
		return;
	if (f[0].revents && read(p->wake, &n, sizeof(n)) < 0)
		return;
	if (f[1].revents)
		on_device_event(p);
}

/* ---- the thread --------------------------------------------------------------------- */

static void
take_step(struct plane_thread *p, struct next n)
{
	due_begin(&p->due, n.step, mono_us());
	switch (n.step) {
	case STEP_OPEN:
		open_port(p);
		break;
	case STEP_LOOK:
	case STEP_WALK:
		look_or_walk(p, n.step);
		break;
	case STEP_MANAGER:
		check_manager(p);
		break;
	case STEP_POLL:
		poll_counters(p);
		break;
	case STEP_TABLES:
		read_tables(p);
		break;
	case STEP_LANES:
		read_some_lanes(p);
		break;
	case STEP_RECORDS:
		read_some_records(p);
		break;
	case STEP_WAIT:
	case N_STEPS:
		wait_until(p, n.until);
		break;
	}
}

void *
plane_run(void *arg)
{
	struct plane_thread *p = arg;

	while (!atomic_load(&p->scanner->stop)) {
		atomic_store(&p->beat, mono_us() / 1000);
		if (atomic_exchange(&p->kicked, false))
			due_kick(&p->due);
		take_step(p, next_step(&p->due, mono_us()));
	}
	close_port(p);
	seen_free(p->seen);
	snapshot_put(p->snap);
	return NULL;
}

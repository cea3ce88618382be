// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* scanner.c - one thread for each plane: when to walk, to look, to read tables and to
 * read counters, and what the loop is told.
 *
 * A plane's thread owns its umad port and its struct seen; it sends Gets only.
 *
 *   walk     at first, and when a look, an event or a kick says that something changed
 *   look     every LOOK_MS: a Get for each link.  Nobody has to announce a change
 *   tables   after a walk, then each SETTLE_MS until they stand still, then each sweep_s
 *   lanes    after tables changed, in slices; else a slice each sweep_s
 *   records  some of the SA's after lanes were read, and each sweep_s
 *   counters every poll_ms, without any of the above
 *
 * A look that is due goes between the Gets of counters and tables.  Where a link is
 * cut, answers stay out: these are left when more of them are late than the last time,
 * and a look goes first.  When that finds nothing, they are waited for.
 *
 * A walk that finds what was there before doubles the time to the next look, or to the
 * next walk to ports that are up and lead to nobody, up to sweep_s: a port that comes
 * and goes does not become a load.
 *
 * A thread that hangs in the kernel, or in a simulator that stands still, cannot say
 * so itself: a timer of the loop watches its heart beat. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "scan/seen.h"

enum { LOOK_MS = 500, SETTLE_MS = 500, REOPEN_MS = 2000, LANES_AT_ONCE = 16384, STUCK_MS = 3000,
	STOP_MS = 1500 };

enum reading { READ_COUNTERS, READ_TABLES, READ_RECORDS, N_READINGS };

struct plane_thread {
	struct scanner *w;
	unsigned index;
	char ca[64], name[64];	/* as configured; as opened */
	int port;
	pthread_t thread;
	bool runs;
	atomic_ullong beat;	/* ms */
	atomic_bool kicked;
	int wake;		/* eventfd */
	/* The thread's own. */
	struct mad_port *mad;
	struct ibv_context *verbs;
	struct seen *seen;
	struct snapshot *snap;	/* the last that was handed on; of seen */
	uint64_t look_us, tables_us, poll_us;	/* when each is due */
	uint32_t look_ms;
	uint32_t late[N_READINGS];	/* of the last that was whole */
	bool patient[N_READINGS];	/* the last was left */
	bool changed;		/* said by a look amid something else */
	uint64_t again_us;	/* when to walk again to who did not answer */
	uint32_t again_ms;
	uint64_t topology_hash, forwarding, lanes;
	uint64_t lanes_at;
	bool lanes_run, records_run, have_lanes, walked;	/* since tables were read */
	uint64_t tables_scan, polls;
};

struct scanner {
	struct loop *loop;
	struct scanner_calls calls;
	struct moored_conf conf;
	atomic_ullong next_scan;
	atomic_bool stop;
	struct event *watch;
	unsigned n_planes;
	struct plane_thread plane[MOORED_PLANES_MAX];
};

static uint64_t
wall_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- to the loop --------------------------------------------------------------------------- */

struct told {
	struct scanner_calls calls;
	struct snapshot *snap;
	struct poll *poll;
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
	else
		t->calls.state(t->calls.arg, t->plane, t->state, t->why);
	free(t);
}

/* Takes snap and poll. */
static void
tell(struct plane_thread *p, struct snapshot *snap, struct poll *poll, enum plane_state state,
     const char *why)
{
	struct told *t = calloc(1, sizeof(*t));

	if (t) {
		*t = (struct told){ .calls = p->w->calls, .snap = snap, .poll = poll,
				    .plane = p->index, .state = state };
		snprintf(t->why, sizeof(t->why), "%s", why);
		if (loop_post(p->w->loop, on_told, t) == 0)
			return;
	}
	free(t);
	snapshot_put(snap);
	poll_free(poll);
}

static void
tell_state(struct plane_thread *p, enum plane_state state, const char *why)
{
	tell(p, NULL, NULL, state, why);
}

static void
tell_up(struct plane_thread *p)
{
	char why[200];

	if (!p->seen->n_unanswered)
		tell_state(p, PLANE_UP, p->verbs ? "" : "no verbs device: changes are looked for");
	else {
		snprintf(why, sizeof(why), "%u questions of the last walk had no answer: ports that "
			 "are up and lead to nobody", p->seen->n_unanswered);
		tell_state(p, PLANE_UP, why);
	}
}

/* ---- walk and tables ----------------------------------------------------------------------------- */

static struct ask_with
with(struct plane_thread *p)
{
	return (struct ask_with){ .mad = p->mad, .beat = &p->beat, .stop = &p->w->stop };
}

static bool
look_beside(void *arg)
{
	struct plane_thread *p = arg;
	struct ask_with w = with(p);

	if (seen_changed(p->seen, &w, &p->changed) != MAD_DONE || p->changed)
		return false;
	p->look_us = mono_us() + p->look_ms * (uint64_t)1000;
	return true;
}

static struct ask_with
with_looks(struct plane_thread *p, enum reading r)
{
	struct ask_with w = with(p);

	w.late_max = p->patient[r] ? MAD_PATIENT : p->late[r];
	w.late = &p->late[r];
	w.look_us = &p->look_us;
	w.look = look_beside;
	w.arg = p;
	return w;
}

/* Was it whole?  If it was left, a look goes before anything else. */
static bool
was_whole(struct plane_thread *p, enum reading r, enum mad_end end)
{
	p->patient[r] = end == MAD_LEFT;
	if (end == MAD_LEFT)
		p->look_us = 0;
	return end == MAD_DONE;
}

/* A snapshot of what is known now: p->snap, and to the loop. */
static void
publish(struct plane_thread *p, uint32_t took_ms, bool tables_new)
{
	struct snapshot *s;
	struct moore_err err;

	if (seen_snapshot(p->seen, &s, &err) < 0) {
		tell_state(p, PLANE_UNREACHED, err.text);
		return;
	}
	s->scan = atomic_fetch_add(&p->w->next_scan, 1);
	s->at_ms = wall_ms();
	s->took_ms = took_ms;
	s->plane = p->index;
	if (tables_new)
		p->tables_scan = s->scan;
	s->tables_scan = p->tables_scan;
	if (p->tables_scan && seen_tables(p->seen, s, p->have_lanes, &err) < 0) {
		snapshot_put(s);
		tell_state(p, PLANE_UNREACHED, err.text);
		return;
	}
	snapshot_put(p->snap);
	p->snap = snapshot_get(s);
	tell(p, s, NULL, PLANE_UP, "");
}

static uint64_t
topology_hash(const struct seen *s)
{
	uint64_t h = moore_hash(MOORE_HASH_INIT, &s->sm_lid, sizeof(s->sm_lid));

	for (uint32_t i = 0; i < s->n_switches; i++) {
		const struct seen_switch *w = &s->sw[i];

		h = moore_hash(h, &w->guid, sizeof(w->guid));
		h = moore_hash(h, &w->lid, sizeof(w->lid));
		h = moore_hash(h, w->desc, strlen(w->desc));
		for (unsigned k = 0; k <= w->n_ports; k++) {
			const struct seen_port *x = &w->port[k];
			uint32_t v[] = { x->state, x->phys, x->op_vls, x->role, x->peer, x->peer_port,
				x->rate.width, x->rate.speed };

			h = moore_hash(h, v, sizeof(v));
		}
	}
	for (uint32_t i = 0; i < s->n_endpoints; i++) {
		const struct seen_endpoint *e = &s->ep[i];
		uint32_t v[] = { e->sw, e->port, e->lid, e->lmc, e->op_vls };

		h = moore_hash(h, &e->guid, sizeof(e->guid));
		h = moore_hash(h, e->desc, strlen(e->desc));
		h = moore_hash(h, v, sizeof(v));
	}
	return h;
}

/* Twice as long as the last time, when that was for nothing. */
static uint32_t
longer(const struct plane_thread *p, uint32_t ms)
{
	return 2 * ms < p->w->conf.sweep_s * 1000 ? 2 * ms : p->w->conf.sweep_s * 1000;
}

static void
walk(struct plane_thread *p)
{
	struct ask_with w = with(p);
	uint64_t from = mono_us(), h;
	bool again = from >= p->again_us;
	struct moore_err err;
	struct seen *s;

	p->changed = false;
	if (seen_discover(&s, &w, &err) < 0) {
		if (!atomic_load(&p->w->stop))
			tell_state(p, PLANE_UNREACHED, err.text);
		return;
	}
	h = topology_hash(s);
	if (p->seen)
		seen_inherit(s, p->seen);
	seen_free(p->seen);
	p->seen = s;
	if (p->snap && h == p->topology_hash) {
		p->look_ms = again ? p->look_ms : longer(p, p->look_ms);
		p->again_ms = longer(p, p->again_ms);
	} else {
		p->look_ms = p->again_ms = LOOK_MS;
		memset(p->patient, 0, sizeof(p->patient));
		p->topology_hash = h;
		publish(p, (uint32_t)((mono_us() - from) / 1000), false);
		p->tables_us = mono_us();
		p->lanes_at = 0;
		p->walked = true;
	}
	p->again_us = s->n_unanswered ? mono_us() + p->again_ms * (uint64_t)1000 : UINT64_MAX;
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
	/* Who did not answer the last walk may answer the next. */
	bool changed = !p->seen || !p->snap || p->changed || mono_us() >= p->again_us;
	enum mad_end end = MAD_DONE;

	if (!mad_there(p->mad)) {
		close_port(p);	/* what is open stays dead when the device comes back */
		tell_state(p, PLANE_NO_DEVICE, "the device of our own port is gone");
		return;
	}
	if (!mad_active(p->mad)) {
		tell_state(p, PLANE_DOWN, "our own port has no link");
		return;
	}
	if (!changed)
		end = seen_changed(p->seen, &w, &changed);
	if (end == MAD_SILENT) {
		tell_state(p, PLANE_UNREACHED, "the fabric does not answer SMPs any more");
	} else if (end == MAD_DONE && changed) {
		walk(p);
	} else if (end == MAD_DONE) {
		p->look_ms = LOOK_MS;
		tell_up(p);
	}
}

static void
read_tables(struct plane_thread *p)
{
	struct ask_with w = with_looks(p, READ_TABLES);
	uint64_t from = mono_us(), h;

	p->tables_us = from + p->w->conf.sweep_s * (uint64_t)1000000;
	if (!p->snap->fabric)
		return;
	if (!was_whole(p, READ_TABLES, read_forwarding(p->seen, &w))) {
		if (p->patient[READ_TABLES])
			p->tables_us = from;
		return;
	}
	h = forwarding_hash(p->seen);
	if (h == p->forwarding && p->tables_scan && !p->walked) {
		p->lanes_run |= !p->have_lanes;
		p->records_run = true;
		return;
	}
	/* LIDs may have moved with the tables, where no link did. */
	if (!p->walked && p->tables_scan)
		walk(p);
	p->walked = false;
	p->forwarding = h;
	p->lanes_run = p->records_run = true;
	p->seen->sa = (struct sa_read){ 0 };
	p->tables_us = mono_us() + SETTLE_MS * 1000;
	publish(p, (uint32_t)((mono_us() - from) / 1000), true);
}

static void
read_some_lanes(struct plane_thread *p)
{
	struct ask_with w = with_looks(p, READ_TABLES);
	uint64_t h;

	if (!was_whole(p, READ_TABLES, read_lanes(p->seen, &w, LANES_AT_ONCE, &p->lanes_at))) {
		/* Whoever finds out why walks again. */
		p->lanes_run &= p->patient[READ_TABLES];
		return;
	}
	if (p->lanes_at)
		return;
	p->lanes_run = false;
	h = lanes_hash(p->seen);
	if (h == p->lanes && p->have_lanes)
		return;
	p->lanes = h;
	p->have_lanes = true;
	publish(p, 0, true);
}

static void
read_some_records(struct plane_thread *p)
{
	struct ask_with w = with_looks(p, READ_RECORDS);
	struct sa_read was = p->seen->sa;

	if (!was_whole(p, READ_RECORDS, read_records(p->seen, &w))) {
		p->records_run &= p->patient[READ_RECORDS];
		p->seen->sa = was;
		return;
	}
	p->records_run = false;
	if (p->seen->sa.sls != was.sls || (!was.asked && p->seen->sa.asked))
		publish(p, 0, false);
}

/* ---- counters ------------------------------------------------------------------------------------- */

static void
poll_counters(struct plane_thread *p)
{
	struct ask_with w = with_looks(p, READ_COUNTERS);
	struct poll *n = calloc(1, sizeof(*n));

	if (n)
		n->port = calloc(p->snap->fabric->n_ports, sizeof(*n->port));
	if (!n || !n->port) {
		free(n);
		return;
	}
	n->snap = snapshot_get(p->snap);
	n->number = ++p->polls;
	n->at_ms = wall_ms();
	if (was_whole(p, READ_COUNTERS, read_counters(p->seen, &w, n)))
		tell(p, NULL, n, PLANE_UP, "");
	else
		poll_free(n);
}

/* ---- the port, and events of the device ------------------------------------------------------------- */

/* A device may be there for MADs and not for verbs: then changes are looked for. */
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
	log_say(LOG_INFO, NULL, "%s: device events: %s", p->name, p->verbs ? "heard" :
		"there is no verbs device; changes are looked for all the same");
}

static bool
open_port(struct plane_thread *p)
{
	struct moore_err err;

	if (p->mad)
		return true;
	if (mad_open(&p->mad, p->ca, p->port, p->w->conf.outstanding, p->name, &err) < 0) {
		tell_state(p, PLANE_NO_DEVICE, err.text);
		return false;
	}
	open_verbs(p);
	return true;
}

/* True when the device itself is gone. */
static bool
device_event(struct plane_thread *p)
{
	struct ibv_async_event e;
	bool gone;

	if (ibv_get_async_event(p->verbs, &e) < 0)
		return true;
	gone = e.event_type == IBV_EVENT_DEVICE_FATAL;
	ibv_ack_async_event(&e);
	return gone;
}

/* Until then, a kick, or an event. */
static void
wait_until(struct plane_thread *p, uint64_t until_us)
{
	struct pollfd f[2] = { { .fd = p->wake, .events = POLLIN },
			       { .fd = p->verbs ? p->verbs->async_fd : -1, .events = POLLIN } };
	uint64_t now = mono_us(), n;

	atomic_store(&p->beat, now / 1000);
	if (until_us <= now || poll(f, 2, (int)((until_us - now) / 1000) + 1) <= 0)
		return;
	if (f[0].revents && read(p->wake, &n, sizeof(n)) < 0)
		return;
	if (f[1].revents) {
		p->look_us = 0;
		if (device_event(p))
			close_port(p);
	}
}

/* ---- the thread ---------------------------------------------------------------------------------------- */

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void
step(struct plane_thread *p)
{
	uint64_t now = mono_us(), poll_us = p->w->conf.poll_ms * (uint64_t)1000;

	if (atomic_exchange(&p->kicked, false)) {
		p->look_us = p->tables_us = 0;
		p->look_ms = LOOK_MS;
	}
	if (now >= p->look_us) {
		look(p);
		p->look_us = mono_us() + p->look_ms * (uint64_t)1000;
	}
	if (!p->snap || !p->mad)
		return;
	if (p->snap->fabric && now >= p->poll_us) {
		p->poll_us = p->poll_us + 2 * poll_us > now ? p->poll_us + poll_us : now + poll_us;
		poll_counters(p);
	}
	if (p->look_us && mono_us() >= p->tables_us) {
		bool periodic = !p->lanes_run && p->have_lanes;

		read_tables(p);
		if (periodic && !p->lanes_run && p->snap->fabric)
			read_some_lanes(p);
	}
	if (p->look_us && p->lanes_run && p->snap->fabric)
		read_some_lanes(p);
	else if (p->look_us && p->records_run && p->have_lanes && p->snap->fabric)
		read_some_records(p);
}

static void *
run(void *arg)
{
	struct plane_thread *p = arg;

	while (!atomic_load(&p->w->stop)) {
		uint64_t until;

		if (!open_port(p)) {
			wait_until(p, mono_us() + REOPEN_MS * 1000);
			continue;
		}
		step(p);
		until = p->look_us;
		if (p->snap)
			until = least(until, p->tables_us);
		if (p->snap && p->snap->fabric)
			until = p->lanes_run || (p->records_run && p->have_lanes) ? 0 : least(until, p->poll_us);
		wait_until(p, until);
	}
	close_port(p);
	seen_free(p->seen);
	snapshot_put(p->snap);
	return NULL;
}

/* ---- start and stop ---------------------------------------------------------------------------------------- */

static void
on_watch(evutil_socket_t fd, short what, void *arg)
{
	struct scanner *w = arg;
	uint64_t now = mono_us() / 1000;

	(void)fd, (void)what;
	for (unsigned i = 0; i < w->n_planes; i++) {
		char why[120];

		if (!w->plane[i].runs || atomic_load(&w->plane[i].beat) + STUCK_MS > now)
			continue;
		snprintf(why, sizeof(why), "the port takes no MADs: its device or driver stands still");
		w->calls.state(w->calls.arg, i, PLANE_UNREACHED, why);
	}
}

static int
start_watch(struct scanner *w)
{
	struct timeval each = { 1, 0 };

	w->watch = event_new(loop_base(w->loop), -1, EV_PERSIST, on_watch, w);
	return w->watch ? event_add(w->watch, &each) : -1;
}

/* "mlx5_0:1,mlx5_1:1" */
static void
name_planes(struct scanner *w)
{
	const char *s = w->conf.planes;

	do {
		struct plane_thread *p = &w->plane[w->n_planes];
		size_t n = strcspn(s, ","), ca = strcspn(s, ":,");

		*p = (struct plane_thread){ .w = w, .index = w->n_planes++, .wake = -1,
					    .look_ms = LOOK_MS, .again_ms = LOOK_MS };
		snprintf(p->ca, sizeof(p->ca), "%.*s", (int)(ca < n ? ca : n), s);
		p->port = ca < n ? atoi(s + ca + 1) : 0;
		s += n + (s[n] == ',');
	} while (*s && w->n_planes < MOORED_PLANES_MAX);
}

int
scanner_start(struct scanner **out, struct loop *l, const struct moored_conf *c,
	      uint64_t first_scan, const struct scanner_calls *calls)
{
	struct scanner *w = calloc(1, sizeof(*w));

	*out = NULL;
	if (!w)
		return -1;
	w->loop = l;
	w->calls = *calls;
	w->conf = *c;
	atomic_init(&w->next_scan, first_scan);
	name_planes(w);
	for (unsigned i = 0; i < w->n_planes; i++) {
		struct plane_thread *p = &w->plane[i];

		p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		atomic_store(&p->beat, mono_us() / 1000);
		p->runs = p->wake >= 0 && pthread_create(&p->thread, NULL, run, p) == 0;
		if (!p->runs) {
			scanner_stop(w);
			return -1;
		}
	}
	if (start_watch(w) < 0) {
		scanner_stop(w);
		return -1;
	}
	*out = w;
	return 0;
}

static void
wake(struct plane_thread *p)
{
	uint64_t one = 1;

	/* A full eventfd is one that wakes already. */
	if (write(p->wake, &one, sizeof(one)) < 0)
		return;
}

void
scanner_kick(struct scanner *w)
{
	for (unsigned i = 0; i < w->n_planes; i++) {
		atomic_store(&w->plane[i].kicked, true);
		wake(&w->plane[i]);
	}
}

bool
scanner_stop(struct scanner *w)
{
	struct timespec until;
	bool ended = true;

	atomic_store(&w->stop, true);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += STOP_MS / 1000 + 1;
	for (unsigned i = 0; i < w->n_planes; i++) {
		struct plane_thread *p = &w->plane[i];

		if (p->runs) {
			wake(p);
			ended &= pthread_clockjoin_np(p->thread, NULL, CLOCK_MONOTONIC, &until) == 0;
		}
	}
	if (w->watch)
		event_free(w->watch);
	if (!ended)
		return false;	/* a thread still needs the rest */
	for (unsigned i = 0; i < w->n_planes; i++)
		if (w->plane[i].wake >= 0)
			close(w->plane[i].wake);
	free(w);
	return true;
}

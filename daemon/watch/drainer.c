// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* drainer.c - drains links with errors or flaps, and ends that when they were quiet.
 *
 * With `drain on`, every LOOK_S a worker judges the links with a finding, and writes those that
 * are fine into the links file.  A line of moored's own goes when neither end of the link had a
 * finding for drain_quiet_s, nor was it drained later than that.  When findings were last there is
 * kept in memory alone, so after a restart the time counts from the start.  Lines of people and of
 * moorectl stay.
 *
 * Elsewhere: the rule and the files (drains.c). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "json.h"
#include "links_file.h"
#include "log.h"
#include "watch/drainer.h"
#include "watch/drains.h"

enum { LOOK_S = 5, BAD_MAX = 1024 /* ends that had a finding lately */ };

struct bad {
	uint64_t guid, last_ms;
	moore_portnum port;
};

struct drainer {
	struct event *timer;
	bool busy;
	struct bad bad[BAD_MAX];
	size_t n_bad;
	uint64_t started_ms;
	struct log_gate failed;
};

struct job {
	struct moored *d;
	struct view *view;
	struct moored_conf conf;
	struct bad *bad;
	size_t n_bad, n;
	uint64_t now_ms, started_ms;
	struct drain_want want[DRAINS_MAX];
	struct moore_drain_link link[DRAINS_MAX];
	struct moore_drain_line add[DRAINS_MAX], *drop;
	size_t n_add, n_drop;
	struct moore_err err;
	int rc;
};

/* ---- on a worker ------------------------------------------------------------------------- */

static uint64_t
last_bad(const struct job *j, uint64_t guid, unsigned port)
{
	for (size_t i = 0; i < j->n_bad; i++)
		if (j->bad[i].guid == guid && j->bad[i].port == port)
			return j->bad[i].last_ms;
	return j->started_ms;
}

/* The time since which the link of a line was quiet. */
static uint64_t
quiet_since(const struct job *j, const struct moore_fabric *f, const struct moore_drain_line *l)
{
	uint64_t at = l->at_s * 1000, own = last_bad(j, l->guid, l->port), other = 0;

	for (moore_swid s = 0; s < f->n_switches; s++) {
		const struct moore_port *q = l->port <= f->sw[s].n_ports ?
			moore_fabric_port(f, s, l->port) : NULL;

		if (f->sw[s].guid == l->guid && q && q->role == MOORE_ROLE_SWITCH)
			other = last_bad(j, f->sw[q->peer].guid, q->peer_port);
	}
	at = own > at ? own : at;
	return other > at ? other : at;
}

static int
choose(struct job *j, const struct moore_fabric *f, struct drains *x)
{
	int rc = drains_judge(x, f, j->want, j->n, j->conf.drain_most, j->link, &j->err);

	if (rc < 0)
		return rc;
	j->drop = calloc(x->n_lines + 1, sizeof(*j->drop));
	if (!j->drop)
		return moore_fail_nomem(&j->err);
	for (size_t i = 0; i < j->n; i++)
		if (j->link[i].verdict == MOORE_DRAIN_FINE)
			j->add[j->n_add++] = drains_line(&j->link[i], "moored", j->now_ms / 1000);
	for (size_t i = 0; i < x->n_lines; i++)
		if (!strcmp(x->line[i].by, "moored") && quiet_since(j, f, &x->line[i]) +
		    (uint64_t)j->conf.drain_quiet_s * 1000 <= j->now_ms)
			j->drop[j->n_drop++] = x->line[i];
	return 0;
}

static void
job_run(void *arg)
{
	struct job *j = arg;
	const struct moore_fabric *f = j->view->snap->fabric;
	struct drains x;

	if ((j->rc = drains_read(&x, f, j->conf.moore_conf, &j->err)) == 0 &&
	    (j->rc = choose(j, f, &x)) == 0 && (j->n_add || j->n_drop))
		j->rc = links_file_change(x.conf.links, j->drop, j->n_drop, j->add, j->n_add, &j->err);
	drains_free(&x);
}

/* ---- on the loop --------------------------------------------------------------------------- */

static void
tell(const struct job *j, const struct moore_drain_line *l, bool drained)
{
	log_say(LOG_WARNING, NULL, "drain: 0x%016" PRIx64 " port %u %s: %s", l->guid, l->port,
		drained ? "is drained" : "was quiet and is used again", l->why);
	event_publish(j->d, EVENT_DRAIN, json_pack("{s:i, s:b, s:o, s:i, s:o}", "plane",
		(int)j->view->snap->plane, "drained", (int)drained, "guid", moore_json_guid(l->guid), "port",
		(int)l->port, "why", moore_json_name(l->why)));
}

static void
job_done(void *arg)
{
	struct job *j = arg;
	struct drainer *r = j->d->drainer;

	if (r)
		r->busy = false;
	for (size_t i = 0; r && j->rc == 0 && i < j->n_add; i++)
		tell(j, &j->add[i], true);
	for (size_t i = 0; r && j->rc == 0 && i < j->n_drop; i++)
		tell(j, &j->drop[i], false);
	if (r && j->rc < 0 && j->err.text[0])
		log_gated(&r->failed, LOG_ERR, "drain: %s", j->err.text);
	else if (r && j->rc == 0)
		log_gate_over(&r->failed, LOG_NOTICE, "drain: the links file can be used again");
	view_put(j->view);
	free(j->bad);
	free(j->drop);
	free(j);
}

/* Notes which ends have a finding now.  The oldest makes room for a new one. */
static void
note_bad(struct drainer *r, const struct drain_want *w, uint64_t now_ms)
{
	size_t i, oldest = 0;

	for (i = 0; i < r->n_bad; i++) {
		if (r->bad[i].guid == w->guid && r->bad[i].port == w->port)
			break;
		if (r->bad[i].last_ms < r->bad[oldest].last_ms)
			oldest = i;
	}
	if (i == BAD_MAX)
		i = oldest;
	else if (i == r->n_bad)
		r->n_bad++;
	r->bad[i] = (struct bad){ w->guid, now_ms, w->port };
}

static void
look(struct moored *d, struct view *v)
{
	struct drainer *r = d->drainer;
	struct job *j = calloc(1, sizeof(*j));

	if (!j || !(j->bad = calloc(BAD_MAX, sizeof(*j->bad)))) {
		free(j);
		return;
	}
	j->d = d;
	j->view = view_get(v);
	j->conf = d->conf;
	j->now_ms = wall_ms();
	j->started_ms = r->started_ms;
	j->n = drains_wanted(d, v->snap->plane, j->want);
	for (size_t i = 0; i < j->n; i++)
		note_bad(r, &j->want[i], j->now_ms);
	memcpy(j->bad, r->bad, r->n_bad * sizeof(*j->bad));
	j->n_bad = r->n_bad;
	r->busy = true;
	if (worker_add(d->worker[WORK_OWN], job_run, job_done, j) < 0) {
		j->rc = -MOORE_ENOMEM;	/* the queue is full: the next timer tries again */
		job_done(j);
	}
}

/* Of the first InfiniBand plane alone that has SL2VL tables: moore.conf is of one fabric. */
static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct moored *d = arg;

	(void)fd, (void)what;
	if (d->conf.drain != DRAIN_ON || d->drainer->busy)
		return;
	for (unsigned i = 0; i < d->n_planes; i++) {
		struct view *v = d->plane[i].view;

		if (v && !v->snap->is_ethernet && v->snap->fabric && v->snap->sl2vl) {
			look(d, v);
			return;
		}
	}
}

static int
start(struct moored *d)
{
	const struct timeval every = { LOOK_S, 0 };

	d->drainer = calloc(1, sizeof(*d->drainer));
	if (!d->drainer)
		return -1;
	d->drainer->started_ms = wall_ms();
	d->drainer->timer = event_new(loop_base(d->loop), -1, EV_PERSIST, on_timer, d);
	return d->drainer->timer ? event_add(d->drainer->timer, &every) : -1;
}

static void
stop(struct moored *d)
{
	if (d->drainer && d->drainer->timer)
		event_free(d->drainer->timer);
	free(d->drainer);
	d->drainer = NULL;
}

const struct part part_drainer = { .name = "drainer", .start = start, .stop = stop };

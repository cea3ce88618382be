// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* state.c - struct moored: its parts start and stop with it, and hear what the scanner
 * reports of planes, snapshots and counters. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "json.h"
#include "log.h"
#include "method.h"
#include "page/page.h"
#include "part.h"
#include "state.h"
#include "watch/drainer.h"
#include "records/history.h"
#include "watch/hot.h"
#include "metrics/metrics.h"
#include "records/past.h"
#include "watch/problems.h"
#include "watch/sound.h"
#include "watch/sweeps.h"
#include "watch/wiring.h"

/* The parts that follow the fabric, each a file of watch/; and the page. */
static const struct part *const parts[] = {
	&part_past,		/* first: the others publish events */
	&part_wiring, &part_hot, &part_history, &part_scrape, &part_sweeps, &part_sound,
	&part_problems, &part_drainer, &part_page,
	NULL
};

#define EACH_PART(p) (const struct part *const *p = parts; *p; p++)

const char *
plane_state_name(enum plane_state s)
{
	static const char *const name[] = { "no-device", "down", "unreached", "up" };

	return name[s];
}

/* ---- what the scanner reports ------------------------------------------------------ */

static void
log_scan(const struct snapshot *s)
{
	char plane[8], scan[24];
	struct log_field f[] = { { "PLANE", plane }, { "SWEEP", scan }, { NULL, NULL } };

	snprintf(plane, sizeof(plane), "%u", s->plane);
	snprintf(scan, sizeof(scan), "%llu", (unsigned long long)s->scan);
	log_say(LOG_INFO, f, "scan %s of plane %s: %u switches, %u endpoints, %u cables, %s tables, in "
		"%u ms", scan, plane, s->seen->n_switches, s->seen->n_endpoints, s->seen->n_cables,
		s->lft ? "with" : "no", s->took_ms);
}

static void
on_snapshot(void *arg, struct snapshot *s)
{
	struct moored *d = arg;
	struct plane *p = &d->plane[s->plane];
	struct view *v;

	if (view_new(&v, s) < 0) {
		log_say(LOG_ERR, NULL, "a scan is dropped: out of memory");
		return;
	}
	view_put(p->view);
	p->view = v;
	log_scan(v->snap);
	d->scan = v->snap->scan > d->scan ? v->snap->scan : d->scan;
	for EACH_PART(q)
		if ((*q)->snapshot)
			(*q)->snapshot(d, v);
	event_publish(d, EVENT_SWEEP, json_pack("{s:I, s:i, s:I, s:I, s:I}",
		"sweep", (json_int_t)v->snap->scan, "plane", (int)v->snap->plane,
		"at_ms", (json_int_t)v->snap->at_ms,
		"switches", (json_int_t)v->snap->seen->n_switches,
		"endpoints", (json_int_t)v->snap->seen->n_endpoints));
}

static void
on_polled(void *arg, struct poll *poll)
{
	struct moored *d = arg;

	for EACH_PART(p)
		if ((*p)->polled)
			(*p)->polled(d, poll);
	poll_free(poll);
}

static void
on_state(void *arg, unsigned plane, enum plane_state state, const char *why)
{
	struct moored *d = arg;
	struct plane *p = &d->plane[plane < d->n_planes ? plane : 0];
	char index[8];
	struct log_field f[] = { { "PLANE", index }, { NULL, NULL } };

	snprintf(index, sizeof(index), "%u", plane);
	if (plane >= d->n_planes || (p->state == state && !strncmp(p->why, why, sizeof(p->why) - 1)))
		return;
	p->state = state;
	snprintf(p->why, sizeof(p->why), "%s", why);
	log_say(state == PLANE_UP ? LOG_NOTICE : LOG_WARNING, f, "plane %s%s%u: %s%s%s", p->name,
		p->name[0] ? " = " : "", plane, plane_state_name(state), why[0] ? ": " : "", why);
	event_publish(d, EVENT_STATE, json_pack("{s:i, s:o, s:s, s:o}", "plane", (int)plane, "name",
		moore_json_name(p->name), "state", plane_state_name(state), "why", moore_json_name(p->why)));
}

/* What changed about the master, as a line of the log. */
static void
log_manager(const struct plane *p, unsigned plane, const struct manager_state *m)
{
	char index[8];
	struct log_field f[] = { { "PLANE", index }, { NULL, NULL } };
	unsigned long long silent_s = (wall_ms() - m->heard_ms) / 1000;

	snprintf(index, sizeof(index), "%u", plane);
	if (m->found == MANAGER_SILENT)
		log_say(LOG_WARNING, f, "plane %u: no master subnet manager has answered at LID %u for "
			"%llu s: %s", plane, m->lid, silent_s, m->text);
	else if (m->found == MANAGER_ANSWERS && p->managers.was && m->guid != p->manager.guid)
		log_say(LOG_NOTICE, f, "plane %u: another subnet manager is master, at LID %u: %s; "
			"before, it was 0x%016llx", plane, m->lid, m->text,
			(unsigned long long)p->managers.was);
	else if (m->found == MANAGER_ANSWERS)
		log_say(LOG_NOTICE, f, "plane %u: the subnet manager at LID %u %s%s%s", plane, m->lid,
			p->manager.found == MANAGER_SILENT ? "answers again" : "answers",
			m->text[0] ? ": " : "", m->text);
}

static void
publish_manager(struct moored *d, unsigned plane, const struct manager_state *m, bool another)
{
	const char *what = another ? "another" : m->found == MANAGER_ANSWERS ? "answers" : "silent";

	event_publish(d, EVENT_MANAGER, json_pack("{s:i, s:s, s:s, s:b, s:i, s:I, s:o}",
		"plane", (int)plane, "what", what, "sm", m->text, "answers", m->found == MANAGER_ANSWERS,
		"lid", (int)m->lid, "heard_ms", (json_int_t)m->heard_ms, "was",
		another ? moore_json_guid(d->plane[plane].managers.was) : json_null()));
}

static void
on_manager(void *arg, unsigned plane, const struct manager_state *m)
{
	struct moored *d = arg;
	struct plane *p = &d->plane[plane < d->n_planes ? plane : 0];
	bool same = p->manager.found == m->found &&
		    (m->found == MANAGER_SILENT || !strcmp(p->manager.text, m->text));
	bool another;

	if (plane >= d->n_planes)
		return;
	another = managers_hear(&p->managers, m, wall_ms());
	if (!same) {
		log_manager(p, plane, m);
		publish_manager(d, plane, m, another);
	}
	p->manager = *m;
}

/* ---- start and stop ---------------------------------------------------------------- */

static void
name_planes(struct moored *d)
{
	const char *s = d->conf.planes;

	do {
		struct plane *p = &d->plane[d->n_planes++];
		struct plane_name name;

		s = moored_conf_plane(&name, s);
		strcpy(p->name, name.text);
		strcpy(p->why, "not scanned yet");
	} while (*s && d->n_planes < MOORED_PLANES_MAX);
	if (*s)
		log_say(LOG_WARNING, NULL, "planes: more than %d: %s is left out",
			MOORED_PLANES_MAX, s);
}

int
state_start(struct moored *d)
{
	struct scanner_calls calls = { on_snapshot, on_polled, on_state, on_manager, d };

	d->started_ms = wall_ms();
	name_planes(d);
	for (unsigned i = 0; i < N_WORK; i++)
		if (worker_start(&d->worker[i], d->loop) < 0) {
			log_say(LOG_ERR, NULL, "cannot start a thread");
			return -1;
		}
	for EACH_PART(p)
		if ((*p)->start && (*p)->start(d) < 0)
			return -1;
	if (scanner_start(&d->scanner, d->loop, &d->conf, d->scan + 1, &calls) < 0) {
		log_say(LOG_ERR, NULL, "cannot start the scanner");
		return -1;
	}
	return 0;
}

void
state_plan_changed(struct moored *d)
{
	for EACH_PART(p)
		if ((*p)->plan)
			(*p)->plan(d);
}

void
state_stop(struct moored *d)
{
	d->stuck = d->scanner && !scanner_stop(d->scanner);
	d->scanner = NULL;
	for EACH_PART(p)
		if ((*p)->stop)
			(*p)->stop(d);
	for (unsigned i = 0; i < d->n_planes; i++)
		view_put(d->plane[i].view);
	planned_put(d->plan);
	d->n_planes = 0;
	d->plan = NULL;
}

/* ---- the references of a call ------------------------------------------------------ */

bool
state_capture(struct moored *d, struct call *c, struct rpc_error *e)
{
	json_int_t plane = json_integer_value(json_object_get(c->params, "plane"));

	c->view = plane >= 0 && plane < (json_int_t)d->n_planes ? view_get(d->plane[plane].view) :
		  NULL;
	c->plan = planned_get(d->plan);
	if (plane <= 0 || plane < (json_int_t)d->n_planes)
		return true;
	rpc_fail(e, RPC_PARAMS, "params.plane: there is no plane %lld: moored has %u, from 0 on (key planes of "
		 "moored.conf)", (long long)plane, d->n_planes);
	return false;
}

void
state_release(struct call *c)
{
	view_put(c->view);
	planned_put(c->plan);
	c->view = NULL;
	c->plan = NULL;
}

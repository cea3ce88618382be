// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* state.c - struct moored: planes as the scanner tells of them, the plan, reload.
 *
 * What is wrong in a file that is read again changes nothing: the last good one
 * stays in force and system.status says why. */
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf.h"
#include "watch/history.h"
#include "watch/hot.h"
#include "rpc/methods.h"
#include "watch/metrics.h"
#include "log.h"
#include "notify.h"
#include "state.h"
#include "watch/sweeps.h"
#include "watch/wiring.h"

/* Parts that follow the fabric; each of these is a file of its own. */
static const struct part *const parts[] = {
	&part_wiring, &part_hot, &part_history, &part_http, &part_sweeps,
	NULL
};

#define EACH_PART(p) (const struct part *const *p = parts; *p; p++)

const char *
plane_state_name(enum plane_state s)
{
	static const char *const name[] = { "no-device", "down", "unreached", "up" };

	return name[s];
}

static uint64_t
wall_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- configuration, the first time and again --------------------------------------------- */

struct reload {
	char conf_path[512];
	bool conf_named;
	const char *plan_option, *socket_option;
	struct moored_conf conf;
	struct planned *plan;
	int64_t readers;
	struct moore_err conf_err, plan_err;	/* code 0: right */
};

struct reload *
reload_new(const struct moored *d)
{
	struct reload *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	memcpy(r->conf_path, d->conf_path, sizeof(r->conf_path));
	r->conf_named = d->conf_named;
	r->plan_option = d->plan_option;
	r->socket_option = d->socket_option;
	return r;
}

/* Here and not when someone connects: names of groups may be a network away. */
static void
read_group(struct reload *r)
{
	const struct group *g = r->conf.group[0] ? getgrnam(r->conf.group) : NULL;

	r->readers = g ? (int64_t)g->gr_gid : -1;
	if (r->conf.group[0] && !g)
		moore_fail(&r->conf_err, MOORE_EINVAL, 0, "%.200s: group: %s: there is no such group: "
			   "make it (groupadd --system), or name another", r->conf_path,
			   r->conf.group);
}

void
reload_read(struct reload *r)
{
	if (!r->conf_named && access(r->conf_path, F_OK) != 0)
		moored_conf_defaults(&r->conf);
	else if (moored_conf_read(&r->conf, r->conf_path, &r->conf_err) < 0)
		return;
	if (r->plan_option)
		strcpy(r->conf.plan, r->plan_option);
	if (r->socket_option)
		strcpy(r->conf.socket, r->socket_option);
	read_group(r);
	if (r->conf.plan[0])
		planned_read(&r->plan, r->conf.plan, &r->plan_err);
}

void
reload_free(struct reload *r)
{
	if (r)
		planned_put(r->plan);
	free(r);
}

int
state_configure(struct moored *d, struct moore_err *err)
{
	struct reload *r = reload_new(d);
	int rc = 0;

	if (!r)
		return moore_fail_nomem(err);
	reload_read(r);
	if (r->conf_err.code || r->plan_err.code) {
		*err = r->conf_err.code ? r->conf_err : r->plan_err;
		rc = -1;
	} else {
		d->conf = r->conf;
		d->plan = r->plan;
		d->readers = r->readers;
		r->plan = NULL;
	}
	reload_free(r);
	return rc;
}

static void
apply_conf(struct moored *d, const struct reload *r)
{
	struct moore_buf stale = MOORE_BUF_INIT;

	moored_conf_take_live(&d->conf, &r->conf, &stale);
	d->readers = r->readers;
	if (stale.len)
		log_say(LOG_WARNING, NULL, "reload: these keys take a restart: %s", stale.data);
	moore_buf_free(&stale);
}

bool
reload_apply(struct moored *d, struct reload *r)
{
	bool conf_good = !r->conf_err.code, good = conf_good && !r->plan_err.code;

	d->reloads++;
	memcpy(d->conf_error, r->conf_err.text, sizeof(d->conf_error));
	if (conf_good) {
		memcpy(d->plan_error, r->plan_err.text, sizeof(d->plan_error));
		apply_conf(d, r);
	}
	if (good) {
		planned_put(d->plan);
		d->plan = r->plan;
		r->plan = NULL;
		for EACH_PART(p)
			if ((*p)->plan)
				(*p)->plan(d);
		log_say(LOG_NOTICE, NULL, "reload: done; plan %s",
			d->plan ? d->plan->path : "none");
	} else {
		log_say(LOG_ERR, NULL, "reload: %s; the last good %s stays in force",
			conf_good ? r->plan_err.text : r->conf_err.text,
			conf_good ? "plan" : "configuration");
	}
	reload_free(r);
	event_publish(d, EVENT_RELOAD, json_pack("{s:b, s:o, s:o}", "good", good, "config_error",
		json_name(d->conf_error), "plan_error", json_name(d->plan_error)));
	return good;
}

struct sighup {
	struct moored *d;
	struct reload *r;
};

static void
sighup_read(void *arg)
{
	struct sighup *s = arg;

	reload_read(s->r);
}

static void
sighup_apply(void *arg)
{
	struct sighup *s = arg;

	reload_apply(s->d, s->r);
	notify_ready(s->d->conf_error[0] || s->d->plan_error[0] ?
		     "serving; the last reload was refused" : "serving");
	free(s);
}

void
state_reload(struct moored *d)
{
	struct sighup *s = malloc(sizeof(*s));
	struct reload *r = reload_new(d);

	notify_reloading();
	if (s && r) {
		*s = (struct sighup){ d, r };
		if (worker_add(d->worker[WORK_SHORT], sighup_read, sighup_apply, s) == 0)
			return;
	}
	log_say(LOG_ERR, NULL, "reload: not tried: memory or the queue of work is full");
	free(s);
	free(r);
	notify_ready("serving");
}

/* ---- what the scanner tells --------------------------------------------------------------- */

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
		json_name(p->name), "state", plane_state_name(state), "why", json_name(p->why)));
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
	else if (m->found == MANAGER_ANSWERS)
		log_say(LOG_NOTICE, f, "plane %u: the subnet manager at LID %u %s%s%s", plane, m->lid,
			p->manager.found == MANAGER_SILENT ? "answers again" : "answers",
			m->text[0] ? ": " : "", m->text);
}

static void
on_manager(void *arg, unsigned plane, const struct manager_state *m)
{
	struct moored *d = arg;
	struct plane *p = &d->plane[plane < d->n_planes ? plane : 0];
	bool same = p->manager.found == m->found &&
		    (m->found == MANAGER_SILENT || !strcmp(p->manager.text, m->text));

	if (plane >= d->n_planes)
		return;
	if (!same) {
		log_manager(p, plane, m);
		event_publish(d, EVENT_MANAGER, json_pack("{s:i, s:s, s:b, s:i, s:I}", "plane", (int)plane,
			"sm", m->text, "answers", m->found == MANAGER_ANSWERS, "lid", (int)m->lid,
			"heard_ms", (json_int_t)m->heard_ms));
	}
	p->manager = *m;
}

/* ---- start and stop -------------------------------------------------------------------------- */

/* "mlx5_0:1,mlx5_1:1" to planes; none named is one plane without a name. */
static void
name_planes(struct moored *d)
{
	const char *s = d->conf.planes;

	do {
		size_t n = strcspn(s, ",");
		struct plane *p = &d->plane[d->n_planes++];

		snprintf(p->name, sizeof(p->name), "%.*s", (int)n, s);
		strcpy(p->why, "not looked at yet");
		s += n + (s[n] == ',');
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

/* ---- what a call stands on -------------------------------------------------------------------- */

void
state_capture(struct moored *d, struct call *c)
{
	json_int_t plane = json_integer_value(json_object_get(c->params, "plane"));

	c->view = plane >= 0 && plane < (json_int_t)d->n_planes ? view_get(d->plane[plane].view) :
		  NULL;
	c->plan = planned_get(d->plan);
}

void
state_release(struct call *c)
{
	view_put(c->view);
	planned_put(c->plan);
	c->view = NULL;
	c->plan = NULL;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* reload.c - configuration and plan, read at the start and again.
 *
 * When a file is wrong that is read again, what was in force stays in force, and
 * system.status has the reason.  No file is read on the loop's thread. */
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "log.h"
#include "notify.h"
#include "part.h"
#include "state.h"

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

/* The group is looked up here, and not when a client connects, since names of groups may come
 * over the network. */
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
		log_say(LOG_WARNING, NULL, "reload: these keys change only at a restart: %s", stale.data);
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
		state_plan_changed(d);
		log_say(LOG_NOTICE, NULL, "reload: done; plan %s",
			d->plan ? d->plan->path : "none");
	} else {
		log_say(LOG_ERR, NULL, "reload: %s; the last good %s stays in force",
			conf_good ? r->plan_err.text : r->conf_err.text,
			conf_good ? "plan" : "configuration");
	}
	reload_free(r);
	event_publish(d, EVENT_RELOAD, json_pack("{s:b, s:o, s:o}", "good", good, "config_error",
		moore_json_name(d->conf_error), "plan_error", moore_json_name(d->plan_error)));
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
	log_say(LOG_ERR, NULL, "reload: not tried: out of memory, or too much work is queued");
	free(s);
	free(r);
	notify_ready("serving");
}

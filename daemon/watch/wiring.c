// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* wiring.c - the verdict on the cabling after each scan, and what changed in it.
 *
 * A worker computes one verdict at a time for each plane.  Scans and plans that come meanwhile
 * lead to one more when it is done, so a fabric that changes all the time queues no work. */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "moore/answer.h"
#include "log.h"
#include "watch/wiring.h"

enum { TOLD = 50 };		/* deviations in one event; the rest is a number */

struct wiring {
	struct {
		bool running, again;
		json_t *last;	/* {"sweep":..,"deviations":[..]}; NULL before the first */
	} plane[MOORED_PLANES_MAX];
};

struct job {
	struct moored *d;
	struct view *view;
	struct planned *plan;
	json_t *deviations;	/* NULL: *err says why */
	struct moore_err err;
};

/* ---- the comparison ---------------------------------------------------------------- */

int
wired_check(struct wired *out, const struct view *v, const struct planned *p,
	    struct moore_err *err)
{
	*out = (struct wired){ .seen.plan = v->snap->seen };
	return moore_wire_check(&out->w, p->plan, &out->seen, err);
}

void
wired_free(struct wired *x)
{
	moore_wire_free(x->w);
}

/* ---- what changed ------------------------------------------------------------------ */

/* The items as a set: an object whose keys are their texts. */
static json_t *
as_set(const json_t *list)
{
	json_t *set = json_object(), *one;
	size_t i;

	json_array_foreach(list, i, one) {
		char *key = json_dumps(one, JSON_COMPACT);

		if (key)
			json_object_set(set, key, one);
		free(key);
	}
	return set;
}

/* Adds to o what only list has: the first TOLD under key, and how many under n_key. */
static void
add_news(json_t *o, const char *key, const char *n_key, const json_t *list, const json_t *other)
{
	json_t *news = json_array(), *set = as_set(list), *not = as_set(other), *one;
	const char *text;
	json_int_t n = 0;

	json_object_foreach(set, text, one)
		if (!json_object_get(not, text) && n++ < TOLD)
			json_array_append(news, one);
	json_object_set_new(o, key, news);
	json_object_set_new(o, n_key, json_integer(n));
	json_decref(set);
	json_decref(not);
}

static void
tell(struct moored *d, const struct snapshot *s, const json_t *now, const json_t *before)
{
	size_t n = json_array_size(now);
	char plane[8], scan[24];
	struct log_field f[] = { { "PLANE", plane }, { "SWEEP", scan }, { NULL, NULL } };
	json_t *o = from_sweep(s, json_pack("{s:b, s:I}", "ok", !n, "deviations", (json_int_t)n));

	add_news(o, "appeared", "n_appeared", now, before);
	add_news(o, "cleared", "n_cleared", before, now);
	snprintf(plane, sizeof(plane), "%u", s->plane);
	snprintf(scan, sizeof(scan), "%llu", (unsigned long long)s->scan);
	log_say(n ? LOG_WARNING : LOG_NOTICE, f, "wiring of plane %s: %zu deviations (%lld new, %lld "
		"gone) at scan %s", plane, n,
		(long long)json_integer_value(json_object_get(o, "n_appeared")),
		(long long)json_integer_value(json_object_get(o, "n_cleared")), scan);
	event_publish(d, EVENT_WIRING, o);
}

/* ---- after each sweep -------------------------------------------------------------- */

static void look(struct moored *d, struct view *v);

static void
job_run(void *arg)
{
	struct job *j = arg;
	struct wired x;

	if (wired_check(&x, j->view, j->plan, &j->err) == 0)
		j->deviations = moore_json_deviations(x.w);
	wired_free(&x);
}

static void
job_done(void *arg)
{
	struct job *j = arg;
	const struct snapshot *s = j->view->snap;
	struct wiring *w = j->d->wiring;
	json_t **last = &w->plane[s->plane].last, *before;
	bool first = !*last;

	w->plane[s->plane].running = false;
	if (!j->deviations && j->err.code)
		log_say(LOG_ERR, NULL, "wiring: %s", j->err.text);
	before = json_object_get(*last, "deviations");
	if (j->deviations) {
		if (first || !json_equal(before, j->deviations))
			tell(j->d, s, j->deviations, before);
		json_decref(*last);
		*last = from_sweep(s, json_pack("{s:o}", "deviations", j->deviations));
	}
	if (w->plane[s->plane].again)
		look(j->d, j->d->plane[s->plane].view);
	view_put(j->view);
	planned_put(j->plan);
	free(j);
}

static void
look(struct moored *d, struct view *v)
{
	struct wiring *w = d->wiring;
	struct job *j;
	unsigned p;

	if (!v)
		return;
	p = v->snap->plane;
	w->plane[p].again = w->plane[p].running;
	if (!d->plan || w->plane[p].running || !(j = calloc(1, sizeof(*j))))
		return;
	*j = (struct job){ .d = d, .view = view_get(v), .plan = planned_get(d->plan) };
	w->plane[p].running = worker_add(d->worker[WORK_OWN], job_run, job_done, j) == 0;
	if (w->plane[p].running)
		return;
	view_put(j->view);	/* the queue is full: the next scan is compared */
	planned_put(j->plan);
	free(j);
}

static int
start(struct moored *d)
{
	d->wiring = calloc(1, sizeof(*d->wiring));
	return d->wiring ? 0 : -1;
}

static void
on_plan(struct moored *d)
{
	for (unsigned i = 0; i < d->n_planes; i++) {
		if (!d->plan) {
			json_decref(d->wiring->plane[i].last);
			d->wiring->plane[i].last = NULL;
		}
		look(d, d->plane[i].view);
	}
}

static void
stop(struct moored *d)
{
	for (unsigned i = 0; d->wiring && i < MOORED_PLANES_MAX; i++)
		json_decref(d->wiring->plane[i].last);
	free(d->wiring);
	d->wiring = NULL;
}

json_t *
wiring_last(const struct moored *d, unsigned plane)
{
	json_t *last = d->wiring->plane[plane].last;

	return last ? json_incref(last) : json_null();
}

const struct part part_wiring = { "wiring", start, look, NULL, on_plan, stop };

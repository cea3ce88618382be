// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* wiring.c - the verdict on the cabling after each scan, and what changed in it.
 *
 * A worker computes one verdict at a time for each plane.  Scans and plans that come meanwhile
 * lead to one more when it is done, so a fabric that changes all the time queues no work.
 *
 * The job also finds since when each deviation stands (since.c).  It writes the file
 * "since-PLANE" when that changed, so a restart of moored does not make old deviations new.
 * A file that cannot be written is tried again every RETRY_S. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "moore/answer.h"
#include "file.h"
#include "log.h"
#include "watch/since.h"
#include "records/store.h"
#include "watch/wiring.h"

enum { TOLD = 50 };		/* deviations in one event; the rest is a number */
enum { RETRY_S = 20 };
#define SINCE_MAX ((size_t)64 << 20)	/* bytes of a file of since.c: 2 million deviations */

struct wiring {
	struct {
		bool running, again;
		json_t *last;	/* {"sweep":..,"deviations":[..]}; NULL before the first */
		struct sinces since;
		bool unwritten;	/* its file is older */
	} plane[MOORED_PLANES_MAX];
	struct event *retry;
};

struct job {
	struct moored *d;
	struct view *view;
	struct planned *plan;
	char dir[512];
	struct sinces old, since;	/* before this scan, and with it */
	bool write;		/* even when both are equal */
	bool wrote;
	json_t *deviations;	/* NULL: *err says why */
	struct moore_err err, unwritten;
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
	log_say(n ? LOG_WARNING : LOG_NOTICE, f, "wiring of plane %s: %zu deviation%s (%lld new, %lld "
		"gone) at scan %s", plane, n, MOORE_S(n),
		(long long)json_integer_value(json_object_get(o, "n_appeared")),
		(long long)json_integer_value(json_object_get(o, "n_cleared")), scan);
	event_publish(d, EVENT_WIRING, o);
}

/* ---- after each sweep -------------------------------------------------------------- */

static void look(struct moored *d, struct view *v);

static void
file_of(char *out, size_t size, unsigned plane)
{
	snprintf(out, size, "since-%u", plane);
}

static void
find_since(struct job *j)
{
	const struct snapshot *s = j->view->snap;
	struct moore_buf text = MOORE_BUF_INIT;
	char name[16];

	if (!sinces_next(&j->since, &j->old, j->deviations, s->at_ms) || !j->dir[0] ||
	    (!j->write && sinces_equal(&j->since, &j->old)))
		return;
	file_of(name, sizeof(name), s->plane);
	if (sinces_write(&j->since, &text))
		j->wrote = store_write(j->dir, name, text.data ? text.data : "", text.len,
				       &j->unwritten) == 0;
	moore_buf_free(&text);
}

static void
job_run(void *arg)
{
	struct job *j = arg;
	struct wired x;

	if (wired_check(&x, j->view, j->plan, &j->err) == 0)
		j->deviations = moore_json_deviations(x.w);
	wired_free(&x);
	if (j->deviations)
		find_since(j);
}

static void
job_free(struct job *j)
{
	view_put(j->view);
	planned_put(j->plan);
	sinces_free(&j->old);
	sinces_free(&j->since);
	free(j);
}

static void
take_since(struct wiring *w, unsigned plane, struct job *j)
{
	static const struct timeval later = { RETRY_S, 0 };
	struct sinces old = w->plane[plane].since;

	if (!j->since.of)
		return;		/* out of memory: what was known stays */
	w->plane[plane].since = j->since;
	j->since = old;
	w->plane[plane].unwritten = j->unwritten.text[0];
	if (j->wrote)
		records_written(&j->d->records, RECORD_WIRING);
	if (!w->plane[plane].unwritten)
		return;
	records_failed(&j->d->records, RECORD_WIRING, j->unwritten.text);
	event_add(w->retry, &later);
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
		take_since(w, s->plane, j);
	}
	if (w->plane[s->plane].again)
		look(j->d, j->d->plane[s->plane].view);
	job_free(j);
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
	strcpy(j->dir, d->conf.state_dir);
	j->write = w->plane[p].unwritten;
	w->plane[p].running = sinces_copy(&j->old, &w->plane[p].since) &&
			      worker_add(d->worker[WORK_OWN], job_run, job_done, j) == 0;
	if (!w->plane[p].running)
		job_free(j);	/* the queue is full: the next scan is compared */
}

/* Without a readable file all deviations stand since the first scan. */
static void
read_since(struct moored *d, unsigned plane)
{
	char name[16], path[600];
	struct moore_buf b;
	struct moore_err err;

	file_of(name, sizeof(name), plane);
	snprintf(path, sizeof(path), "%s/%s", d->conf.state_dir, name);
	if (access(path, F_OK) != 0)
		return;
	if (file_read(path, SINCE_MAX, &b, &err) < 0) {
		log_say(LOG_WARNING, NULL, "wiring: %s", err.text);
		return;
	}
	sinces_read(&d->wiring->plane[plane].since, b.data, b.len);
	moore_buf_free(&b);
}

static void
on_retry(evutil_socket_t fd, short what, void *arg)
{
	struct moored *d = arg;

	(void)fd, (void)what;
	for (unsigned i = 0; i < d->n_planes; i++)
		if (d->wiring->plane[i].unwritten)
			look(d, d->plane[i].view);
}

static int
start(struct moored *d)
{
	d->wiring = calloc(1, sizeof(*d->wiring));
	if (!d->wiring)
		return -1;
	for (unsigned i = 0; d->conf.state_dir[0] && i < d->n_planes; i++)
		read_since(d, i);
	d->wiring->retry = event_new(loop_base(d->loop), -1, 0, on_retry, d);
	return d->wiring->retry ? 0 : -1;
}

static void
on_plan(struct moored *d)
{
	for (unsigned i = 0; i < d->n_planes; i++) {
		if (!d->plan) {
			json_decref(d->wiring->plane[i].last);
			d->wiring->plane[i].last = NULL;
			d->wiring->plane[i].unwritten = false;
			records_forget(&d->records, RECORD_WIRING);
		}
		look(d, d->plane[i].view);
	}
}

static void
stop(struct moored *d)
{
	for (unsigned i = 0; d->wiring && i < MOORED_PLANES_MAX; i++) {
		json_decref(d->wiring->plane[i].last);
		sinces_free(&d->wiring->plane[i].since);
	}
	if (d->wiring && d->wiring->retry)
		event_free(d->wiring->retry);
	free(d->wiring);
	d->wiring = NULL;
}

json_t *
wiring_last(const struct moored *d, unsigned plane)
{
	json_t *last = d->wiring->plane[plane].last;

	return last ? json_incref(last) : json_null();
}

struct sinces *
wiring_since(const struct moored *d, unsigned plane)
{
	struct sinces *s = malloc(sizeof(*s));

	if (s && !sinces_copy(s, &d->wiring->plane[plane].since)) {
		free(s);
		return NULL;
	}
	return s;
}

const struct part part_wiring = { "wiring", start, look, NULL, on_plan, stop };

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* history.c - turns two polls into a row of rates, and rows into files.
 *
 * lib/load/counters.c computes what a port counted between two readings, so a wrap or a
 * restart of a switch makes no spike.  At most ROWS_MAX rows are kept.  Where polls are more
 * frequent than that, only some end a row, and the row covers the time since the last.
 *
 * A worker writes files every SAVE_S, and reads them once at the start; rows that were made
 * meanwhile are appended to those of the files.  The file "sweep" holds a number at least as
 * great as that of any scan: SWEEPS_AHEAD is added, so numbers may jump but never go back. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "records/history.h"
#include "moore/counters.h"
#include "log.h"
#include "state.h"
#include "records/store.h"

enum { ROWS_MAX = 3600, SAVE_S = 20, SWEEPS_AHEAD = 1000 };

struct before {			/* the reading at the end of the last row */
	struct snapshot *snap;
	struct moore_reading *port;
	uint64_t at_us;
};

struct history {
	struct moore_history *of[MOORED_PLANES_MAX];
	struct before before[MOORED_PLANES_MAX];
	uint64_t saved_ms[MOORED_PLANES_MAX];
	uint64_t sweep_kept;
	uint32_t rows, row_ms;
	bool loading, saving;
	bool sweep_unreadable;	/* the file "sweep" stays as it is */
	struct event *save;
};

const struct moore_history *
history_of(const struct moored *d, unsigned plane)
{
	return d->history && plane < MOORED_PLANES_MAX ? d->history->of[plane] : NULL;
}

/* ---- rows -------------------------------------------------------------------------- */

static struct moore_reading *
readings(const struct poll *p)
{
	size_t size = p->snap->fabric->n_ports * sizeof(*p->port);
	struct moore_reading *r = malloc(size + 1);

	if (r)
		memcpy(r, p->port, size);
	return r;
}

static uint64_t
per_second(const struct moore_port_traffic *r, enum moore_counter c, double unit)
{
	double v = r->has >> c & 1 ? (double)r->delta[c] * unit / r->seconds : 0;

	return v < 1e18 ? (uint64_t)(v + 0.5) : (uint64_t)1e18;
}

static void
sample_switch(const struct moore_switch *s, const struct moore_switch *was,
	      const struct moore_reading *before, const struct moore_reading *now,
	      struct moore_sample *out)
{
	static const struct moore_line no_line = { 0, 0 };

	for (unsigned k = 1; k <= s->n_ports; k++) {
		struct moore_port_traffic r = { 0 };
		struct moore_sample *o = &out[s->port0 + k];

		if (was && k <= was->n_ports)
			moore_traffic_between(&r, &before[was->port0 + k], &now[s->port0 + k], &no_line);
		o->known = r.seconds > 0 && r.has >> MOORE_XMIT_DATA & 1;
		if (!o->known)
			continue;
		o->tx = per_second(&r, MOORE_XMIT_DATA, 4);
		o->rx = per_second(&r, MOORE_RCV_DATA, 4);
		o->wait = per_second(&r, MOORE_XMIT_WAIT, 1);
	}
}

/* Both fabrics have their switches by GUID. */
static void
sample_all(const struct moore_fabric *f, const struct moore_fabric *was,
	   const struct moore_reading *before, const struct moore_reading *now,
	   struct moore_sample *out)
{
	for (uint32_t i = 0, k = 0; i < f->n_switches; i++) {
		while (k < was->n_switches && was->sw[k].guid < f->sw[i].guid)
			k++;
		sample_switch(&f->sw[i], k < was->n_switches && was->sw[k].guid == f->sw[i].guid ?
			      &was->sw[k] : NULL, before, now, out);
	}
}

static void
add_row(struct moored *d, const struct poll *p, const struct before *b,
	const struct moore_reading *now, uint64_t at_us)
{
	const struct moore_fabric *f = p->snap->fabric;
	struct moore_history **h = &d->history->of[p->snap->plane];
	struct moore_sample *s = calloc((size_t)f->n_ports + 1, sizeof(*s));
	struct moore_err err = { 0 };
	uint64_t at = p->at_ms;

	if (s && (*h || moore_history_new(h, d->history->rows, &err) == 0)) {
		sample_all(f, b->snap->fabric, b->port, now, s);
		/* A clock that was set back must not end the history. */
		if (at <= moore_history_last(*h))
			at = moore_history_last(*h) + 1;
		moore_history_add(*h, f, s, at, (uint32_t)((at_us - b->at_us) / 1000), &err);
	}
	if (!s || err.code)
		log_say(LOG_ERR, NULL, "history: a row is lost: %s", s ? err.text : "out of memory");
	free(s);
}

static void
on_polled(struct moored *d, const struct poll *p)
{
	struct before *b = &d->history->before[p->snap->plane];
	struct moore_reading *now;
	uint64_t at_us = 0;

	for (uint32_t i = 0; i < p->snap->fabric->n_ports; i++)
		if (p->port[i].at_us > at_us)
			at_us = p->port[i].at_us;
	if (!at_us || (b->snap && at_us < b->at_us + d->history->row_ms * (uint64_t)1000))
		return;
	now = readings(p);
	if (!now)
		return;
	if (b->snap)
		add_row(d, p, b, now, at_us);
	snapshot_put(b->snap);
	free(b->port);
	*b = (struct before){ snapshot_get(p->snap), now, at_us };
}

/* ---- to files ---------------------------------------------------------------------- */

struct saving {
	struct moored *d;
	char dir[512];
	struct moore_buf rows[MOORED_PLANES_MAX];
	uint64_t last_ms[MOORED_PLANES_MAX], keep_ms[MOORED_PLANES_MAX];
	uint64_t sweep;		/* for the file "sweep"; 0: the file needs no change */
	bool good, wrote;
	struct moore_err err;
};

static void
save_files(void *arg)
{
	struct saving *s = arg;
	char text[32];

	s->good = true;
	for (unsigned i = 0; i < MOORED_PLANES_MAX && s->good; i++)
		if (s->rows[i].len) {
			s->wrote = true;
			s->good = store_add(s->dir, i, s->last_ms[i], &s->rows[i], &s->err) == 0;
			store_expire(s->dir, i, s->keep_ms[i]);
		}
	if (s->sweep && s->good) {
		s->wrote = true;
		snprintf(text, sizeof(text), "%" PRIu64 "\n", s->sweep);
		s->good = store_write(s->dir, "sweep", text, strlen(text), &s->err) == 0;
	}
}

static void
saved(void *arg)
{
	struct saving *s = arg;
	struct history *h = s->d->history;

	for (unsigned i = 0; i < MOORED_PLANES_MAX; i++) {
		if (h && s->good && s->rows[i].len)
			h->saved_ms[i] = s->last_ms[i];
		moore_buf_free(&s->rows[i]);
	}
	if (h && s->good && s->sweep)
		h->sweep_kept = s->sweep;
	if (h) {
		h->saving = false;
		records_ended(&s->d->records, RECORD_HISTORY, s->good && s->wrote, s->err.text);
	}
	free(s);
}

static struct saving *
what_to_save(struct moored *d)
{
	struct history *h = d->history;
	struct saving *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->d = d;
	strcpy(s->dir, d->conf.state_dir);
	if (!h->sweep_unreadable && d->scan + SWEEPS_AHEAD / 2 > h->sweep_kept)
		s->sweep = d->scan + SWEEPS_AHEAD;
	for (unsigned i = 0; i < MOORED_PLANES_MAX; i++)
		if (h->of[i]) {
			moore_history_write(h->of[i], h->saved_ms[i], ROWS_MAX, &s->rows[i],
					    &s->last_ms[i], &s->err);
			s->keep_ms[i] = moore_history_first(h->of[i]);
		}
	return s;
}

static void
on_save(evutil_socket_t fd, short what, void *arg)
{
	struct moored *d = arg;
	struct history *h = d->history;
	struct saving *s;

	(void)fd, (void)what;
	if (h->loading || h->saving || !(s = what_to_save(d)))
		return;
	h->saving = worker_add(d->worker[WORK_OWN], save_files, saved, s) == 0;
	if (!h->saving)
		saved(s);	/* the queue is full: the next timer tries again */
}

/* ---- from files -------------------------------------------------------------------- */

struct loading {
	struct moored *d;
	char dir[512];
	uint32_t rows;
	struct moore_history *of[MOORED_PLANES_MAX];
};

static void
say_bad(const char *text)
{
	log_say(LOG_WARNING, NULL, "history: %s", text);
}

static void
load_files(void *arg)
{
	struct loading *l = arg;
	struct moore_err err;

	for (unsigned i = 0; i < MOORED_PLANES_MAX; i++)
		if (moore_history_new(&l->of[i], l->rows, &err) < 0 ||
		    store_load(l->dir, i, l->of[i], say_bad, &err) < 0) {
			say_bad(err.text);
			return;
		}
}

/* Appends the rows that were made while the files were read. */
static void
take_over(struct history *h, unsigned plane, struct moore_history *old)
{
	struct moore_buf b = MOORE_BUF_INIT;
	const uint8_t *at, *body;
	struct moore_err err;
	size_t len;
	char kind[4];

	h->saved_ms[plane] = moore_history_last(old);
	if (h->of[plane] && moore_history_write(h->of[plane], 0, ROWS_MAX, &b, NULL, &err) == 0 &&
	    b.len) {
		at = (const uint8_t *)b.data;
		if (moore_frame_next(&at, at + b.len, kind, &body, &len, &err) != 1 ||
		    moore_history_read(old, body, len, &err) < 0)
			say_bad(err.text);
	}
	moore_buf_free(&b);
	moore_history_free(h->of[plane]);
	h->of[plane] = old;
}

static void
loaded(void *arg)
{
	struct loading *l = arg;
	struct history *h = l->d->history;

	for (unsigned i = 0; i < MOORED_PLANES_MAX; i++) {
		if (h && l->of[i] && moore_history_rows(l->of[i])) {
			log_say(LOG_INFO, NULL, "history: %u rows of plane %u were read from state_dir",
				moore_history_rows(l->of[i]), i);
			take_over(h, i, l->of[i]);
		} else {
			moore_history_free(l->of[i]);
		}
	}
	if (h)
		h->loading = false;
	free(l);
}

static void
start_loading(struct moored *d)
{
	struct loading *l = calloc(1, sizeof(*l));

	if (!l)
		return;
	l->d = d;
	l->rows = d->history->rows;
	strcpy(l->dir, d->conf.state_dir);
	d->history->loading = worker_add(d->worker[WORK_OWN], load_files, loaded, l) == 0;
	if (!d->history->loading)
		free(l);
}

/* ---- start and stop ---------------------------------------------------------------- */

static void
keep_sweep(struct moored *d, uint64_t sweep)
{
	struct moore_err err;
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 "\n", sweep);
	if (d->history->sweep_unreadable)
		return;
	if (store_write(d->conf.state_dir, "sweep", text, strlen(text), &err) == 0)
		d->history->sweep_kept = sweep;
	else
		records_failed(&d->records, RECORD_HISTORY, err.text);
}

static int
start_keeping(struct moored *d)
{
	struct timeval each = { SAVE_S, 0 };

	if (mkdir(d->conf.state_dir, 0750) < 0 && access(d->conf.state_dir, W_OK) < 0)
		log_say(LOG_WARNING, NULL, "%s: cannot be written: history, events and the number of "
			"the last scan are lost when moored ends (state_dir)", d->conf.state_dir);
	d->history->sweep_unreadable = !store_sweep(d->conf.state_dir, &d->scan, say_bad);
	keep_sweep(d, d->scan + SWEEPS_AHEAD);
	start_loading(d);
	d->history->save = event_new(loop_base(d->loop), -1, EV_PERSIST, on_save, d);
	return d->history->save ? event_add(d->history->save, &each) : -1;
}

static int
start(struct moored *d)
{
	uint64_t rows = (uint64_t)d->conf.history_s * 1000 / d->conf.poll_ms + 1;

	d->history = calloc(1, sizeof(*d->history));
	if (!d->history)
		return -1;
	d->history->rows = rows < ROWS_MAX ? (uint32_t)rows : ROWS_MAX;
	/* A poll may come early by half an interval. */
	if (rows > ROWS_MAX)
		d->history->row_ms = (uint32_t)((uint64_t)d->conf.history_s * 1000 / ROWS_MAX -
						d->conf.poll_ms / 2);
	return d->conf.state_dir[0] ? start_keeping(d) : 0;
}

static void
stop(struct moored *d)
{
	struct history *h = d->history;
	struct saving *s;

	if (!h)
		return;
	if (h->save)
		event_free(h->save);
	if (h->save && !h->loading && !d->stuck && (s = what_to_save(d))) {
		save_files(s);
		saved(s);
		keep_sweep(d, d->scan);
	}
	for (unsigned i = 0; i < MOORED_PLANES_MAX; i++) {
		moore_history_free(h->of[i]);
		snapshot_put(h->before[i].snap);
		free(h->before[i].port);
	}
	free(h);
	d->history = NULL;
}

const struct part part_history = { .name = "history", .start = start, .polled = on_polled,
				   .stop = stop };

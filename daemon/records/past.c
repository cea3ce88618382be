// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* past.c - keeps the events that were published: a part.
 *
 * At most KEEP_BYTES of text and KEEP_MS of time are kept; the oldest events go first.  The
 * files of store.c hold the same events.  A worker writes the file that grows, as a whole
 * and under another name first, SAVE_MS after an event; when it has SEGMENT bytes the next
 * file begins.  So a crash costs the events of the last second, and no file is half. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "log.h"
#include "state.h"
#include "records/past.h"
#include "records/store.h"

enum { SAVE_MS = 1000, SEGMENT = 128 << 10, KEEP_BYTES = 8 << 20 };
#define KEEP_MS (30ull * 24 * 3600 * 1000)

struct past {
	struct past_event *event;
	size_t n, room;
	size_t bytes;		/* of all texts */
	uint64_t next;		/* number of the next event */
	uint64_t segment;	/* number of the first event of the file that grows */
	bool saving, again;	/* again: events came while a worker was writing */
	struct event *save;	/* NULL: no state_dir */
};

const struct past_event *
past_events(const struct moored *d, size_t *n)
{
	*n = d->past ? d->past->n : 0;
	return d->past ? d->past->event : NULL;
}

/* ---- the events in memory ---------------------------------------------------------- */

static void
drop_old(struct past *p, uint64_t now_ms)
{
	size_t old = 0;

	while (old < p->n && (p->bytes > KEEP_BYTES || p->event[old].at_ms + KEEP_MS < now_ms)) {
		p->bytes -= p->event[old].len;
		free(p->event[old++].text);
	}
	if (!old)
		return;
	p->n -= old;
	memmove(p->event, p->event + old, p->n * sizeof(*p->event));
}

/* Takes text.  False: out of memory. */
static bool
append(struct past *p, uint64_t at_ms, const char *method, char *text)
{
	const char *dot = strchr(method, '.');
	struct past_event *e;

	if (p->n == p->room) {
		size_t room = p->room ? 2 * p->room : 256;

		e = realloc(p->event, room * sizeof(*e));
		if (!e) {
			free(text);
			return false;
		}
		p->event = e;
		p->room = room;
	}
	e = &p->event[p->n++];
	*e = (struct past_event){ .number = p->next++, .at_ms = at_ms, .text = text,
				  .len = strlen(text) };
	snprintf(e->kind, sizeof(e->kind), "%s", dot ? dot + 1 : method);
	p->bytes += e->len;
	return true;
}

void
past_add(struct moored *d, const char *method, json_t *params)
{
	static const struct timeval soon = { SAVE_MS / 1000, SAVE_MS % 1000 * 1000 };
	struct past *p = d->past;
	uint64_t at_ms = wall_ms();
	json_t *o;
	char *text;

	if (!p || !params)
		return;
	o = json_pack("{s:I, s:I, s:s, s:O}", "number", (json_int_t)p->next, "at_ms",
		      (json_int_t)at_ms, "method", method, "params", params);
	text = o ? json_dumps(o, JSON_COMPACT) : NULL;
	json_decref(o);
	if (!text || !append(p, at_ms, method, text)) {
		log_say(LOG_ERR, NULL, "events: one is not kept: out of memory");
		return;
	}
	drop_old(p, at_ms);
	p->again = true;
	if (p->save && !p->saving && !event_pending(p->save, EV_TIMEOUT, NULL))
		event_add(p->save, &soon);
}

/* ---- to files ---------------------------------------------------------------------- */

struct saving {
	struct moored *d;
	char dir[512];
	struct moore_buf text;
	uint64_t segment, oldest, upto;
	bool good;
	struct moore_err err;
};

static void
save_file(void *arg)
{
	struct saving *s = arg;

	s->good = store_events_write(s->dir, s->segment, &s->text, &s->err) == 0;
	store_events_expire(s->dir, s->oldest);
}

static void
saved(void *arg)
{
	static const struct timeval later = { 20, 0 };
	struct saving *s = arg;
	struct past *p = s->d->past;

	if (p) {
		p->saving = false;
		if (s->good && s->text.len >= SEGMENT)
			p->segment = s->upto;
		records_ended(&s->d->records, RECORD_EVENTS, s->good, s->err.text);
		p->again |= !s->good;
		if (p->again && p->save)
			event_add(p->save, s->good ? &(struct timeval){ 1, 0 } : &later);
	}
	moore_buf_free(&s->text);
	free(s);
}

static struct saving *
what_to_save(struct moored *d)
{
	struct past *p = d->past;
	struct saving *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->d = d;
	strcpy(s->dir, d->conf.state_dir);
	s->segment = p->segment;
	s->upto = p->next;
	s->oldest = p->n ? p->event[0].number : p->next;
	for (size_t i = 0; i < p->n; i++)
		if (p->event[i].number >= p->segment) {
			moore_buf_add(&s->text, p->event[i].text, p->event[i].len);
			moore_buf_add(&s->text, "\n", 1);
		}
	if (s->text.oom) {
		moore_buf_free(&s->text);
		free(s);
		return NULL;
	}
	p->again = false;
	return s;
}

static void
on_save(evutil_socket_t fd, short what, void *arg)
{
	struct moored *d = arg;
	struct past *p = d->past;
	struct saving *s;

	(void)fd, (void)what;
	if (p->saving || !(s = what_to_save(d)))
		return;
	p->saving = worker_add(d->worker[WORK_OWN], save_file, saved, s) == 0;
	if (!p->saving)
		saved(s);	/* the queue is full: tried again later */
}

/* ---- from files -------------------------------------------------------------------- */

static void
say_bad(const char *text)
{
	log_say(LOG_WARNING, NULL, "events: %s", text);
}

/* One line of the file whose first event is number `segment`.  False: it is no event. */
static bool
take_line(void *arg, uint64_t segment, const char *line, size_t len)
{
	struct past *p = arg;
	json_t *o = json_loadb(line, len, 0, NULL);
	const char *method = json_string_value(json_object_get(o, "method"));
	json_int_t number = json_integer_value(json_object_get(o, "number"));
	json_int_t at_ms = json_integer_value(json_object_get(o, "at_ms"));
	bool good = method && number > 0 && (uint64_t)number >= p->next && at_ms > 0 &&
		    json_is_object(json_object_get(o, "params"));
	char *text = good ? strndup(line, len) : NULL;

	if (good) {
		p->next = (uint64_t)number;
		p->segment = segment;
		if (text && append(p, (uint64_t)at_ms, method, text))
			drop_old(p, 0);
	}
	json_decref(o);
	return good;
}

/* The last file grows on if it has room. */
static void
find_segment(struct past *p)
{
	size_t bytes = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->event[i].number >= p->segment)
			bytes += p->event[i].len + 1;
	if (!bytes || bytes >= SEGMENT)
		p->segment = p->next;
}

/* ---- start and stop ---------------------------------------------------------------- */

static int
start(struct moored *d)
{
	struct past *p = d->past = calloc(1, sizeof(*p));

	if (!p)
		return -1;
	p->next = p->segment = 1;
	if (!d->conf.state_dir[0])
		return 0;
	store_events_load(d->conf.state_dir, take_line, p, say_bad);
	drop_old(p, wall_ms());
	find_segment(p);
	if (p->n)
		log_say(LOG_INFO, NULL, "events: %zu were read from state_dir", p->n);
	p->save = event_new(loop_base(d->loop), -1, 0, on_save, d);
	return p->save ? 0 : -1;
}

static void
stop(struct moored *d)
{
	struct past *p = d->past;
	struct saving *s;

	if (!p)
		return;
	if (p->save)
		event_free(p->save);
	if (p->save && p->again && !d->stuck && (s = what_to_save(d))) {
		p->save = NULL;
		save_file(s);
		saved(s);
	}
	for (size_t i = 0; i < p->n; i++)
		free(p->event[i].text);
	free(p->event);
	free(p);
	d->past = NULL;
}

const struct part part_past = { .name = "past", .start = start, .stop = stop };

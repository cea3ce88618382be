// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* problems.c - problems of the subnet managers and of the tables, one table row each.
 *
 * All conditions are judged every LOOK_MS from what the other parts know, so that no part
 * has to announce that its state has changed, and for each system.status, whose lines shall agree.  Elsewhere: which managers answer
 * (managers.c), what the plugin reported (sweeps.c), whether the tables are sound (sound.c). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "json.h"
#include "log.h"
#include "loop.h"
#include "state.h"
#include "watch/managers.h"
#include "watch/problems.h"
#include "watch/sound.h"
#include "watch/sweeps.h"

enum { LOOK_MS = 2000, SHOWN = 3 /* managers named in a text */ };

struct problems {
	struct event *timer;
	struct {
		struct problem p;
		uint64_t since_ms;	/* wall clock */
	} of[MOORED_PLANES_MAX][N_PROBLEMS];
};

/* ---- the conditions ----------------------------------------------------------------- */

static const char *
name_at(const struct snapshot *s, uint64_t port_guid)
{
	const struct moore_fabric *f = s ? s->fabric : NULL;

	for (uint32_t i = 0; f && i < f->n_endpoints; i++)
		if (f->ep[i].guid == port_guid)
			return f->ep[i].name;
	for (uint32_t i = 0; f && i < f->n_switches; i++)
		if (f->sw[i].guid == port_guid || f->sw[i].port_guid == port_guid)
			return f->sw[i].name;
	return NULL;
}

/* Adds "0x... (name) LID 3" to a list of which it is number *n. */
static void
put_one(struct moore_buf *b, const struct snapshot *s, const struct manager_heard *h, unsigned *n)
{
	const char *name = name_at(s, h->guid);

	if ((*n)++ < SHOWN)
		moore_buf_fmt(b, "%s0x%016" PRIx64 "%s%s%s at LID %u", *n > 1 ? ", " : "", h->guid,
			      name ? " (" : "", name ? name : "", name ? ")" : "", h->lid);
}

static void
put_rest(struct moore_buf *b, unsigned n)
{
	if (n > SHOWN)
		moore_buf_fmt(b, " and %u more", n - SHOWN);
}

static void
two_masters(const struct moored *d, unsigned plane, struct moore_buf *b)
{
	const struct managers *m = &d->plane[plane].managers;
	const struct view *v = d->plane[plane].view;
	unsigned n = 0;

	if (m->two < 2)		/* while one hands over to another, both may say master once */
		return;
	moore_buf_fmt(b, "several subnet managers are master, and each overwrites the other's tables: ");
	for (unsigned i = 0; i < m->n; i++)
		if (!m->of[i].missed && m->of[i].last.state == SM_MASTER)
			put_one(b, v ? v->snap : NULL, &m->of[i].last, &n);
	put_rest(b, n);
}

static void
manager_is_lost(const struct moored *d, unsigned plane, struct moore_buf *b)
{
	const struct plane *p = &d->plane[plane];
	unsigned n = 0;

	for (unsigned i = 0; i < p->managers.n; i++) {
		const struct known_manager *k = &p->managers.of[i];

		/* A silent master that nothing replaced has a line of its own in the status. */
		if (!manager_lost(k) || k->last.guid == p->managers.master)
			continue;
		if (!n)
			moore_buf_fmt(b, "no answer any more from the subnet manager ");
		put_one(b, p->view ? p->view->snap : NULL, &k->last, &n);
		if (n <= SHOWN)
			moore_buf_fmt(b, ", %s until then", manager_state_name(k->last.state));
	}
	put_rest(b, n);
	if (n)
		moore_buf_fmt(b, "; %u standby %s left; a reload of moored forgets it",
			      managers_in(&p->managers, SM_STANDBY),
			      managers_in(&p->managers, SM_STANDBY) == 1 ? "is" : "are");
}

static const struct snapshot *
snapshot_of(const struct moored *d, unsigned plane)
{
	return d->plane[plane].view ? d->plane[plane].view->snap : NULL;
}

static void
not_ours(const struct moored *d, unsigned plane, struct moore_buf *b)
{
	const struct snapshot *s = snapshot_of(d, plane);
	moore_swid first[SHOWN];
	uint32_t n;

	if (sweeps_tables_by(d, s, wall_ms()) != BY_OTHER)
		return;
	moore_buf_fmt(b, "the switches hold tables that OpenSM's plugin did not compute: another "
		      "routing engine or program wrote them");
	if ((n = sweeps_others(d, s, first, SHOWN)) == MOORE_NONE)
		return;
	if (n)
		moore_buf_fmt(b, "; %u of %u switches hold other routes", n, s->fabric->n_switches);
	else
		moore_buf_fmt(b, "; the routes of all switches are its own, lanes are not");
	for (uint32_t i = 0; i < n && i < SHOWN && n < s->fabric->n_switches; i++)
		moore_buf_fmt(b, "%s%s", i ? ", " : ": ", s->fabric->sw[first[i]].name);
	if (n < s->fabric->n_switches)
		put_rest(b, n);
}

static void
unsound(const struct moored *d, unsigned plane, struct moore_buf *b)
{
	const struct soundness *s = sound_last(d, plane);

	if (s->known && !s->sound)
		moore_buf_fmt(b, "traffic on the tables of scan %" PRIu64 " can deadlock or get lost: "
			      "moorectl verify says where", s->scan);
}

static void
refused(const struct moored *d, unsigned plane, struct moore_buf *b)
{
	uint64_t at_ms;
	const struct moore_notice *n = sweeps_last(d, snapshot_of(d, plane), &at_ms);

	if (n && n->state != MOORE_NOTICE_ROUTED)
		moore_buf_fmt(b, "OpenSM's plugin refused its last sweep: %s; %s", n->why,
			      n->state == MOORE_NOTICE_KEPT ? "the last good routes stay" :
			      "no routes are set");
}

/* after_s: a condition shorter than that is part of normal work. */
static const struct {
	const char *name;
	uint64_t after_s;
	void (*put)(const struct moored *d, unsigned plane, struct moore_buf *b);
} rows[N_PROBLEMS] = {
	[PROBLEM_TWO_MASTERS] = { "two-masters", 0, two_masters },
	[PROBLEM_MANAGER_LOST] = { "manager-lost", 0, manager_is_lost },
	[PROBLEM_TABLES] = { "tables-other", 5, not_ours },
	[PROBLEM_UNSOUND] = { "tables-unsound", 10, unsound },
	[PROBLEM_SWEEP] = { "sweep-refused", 0, refused },
};

/* ---- raised and cleared ------------------------------------------------------------- */

enum problem_step
problem_step(struct problem *p, const char *text, uint64_t now_ms, uint64_t after_ms)
{
	bool was = p->raised;

	if (!*text) {
		*p = (struct problem){ 0 };
		return was ? PROBLEM_CLEARED : PROBLEM_SAME;
	}
	if (!p->first_ms)
		p->first_ms = now_ms;
	if (now_ms - p->first_ms < after_ms || (was && !strncmp(p->text, text, sizeof(p->text) - 1)))
		return PROBLEM_SAME;
	p->raised = true;
	snprintf(p->text, sizeof(p->text), "%s", text);
	return PROBLEM_RAISED;
}

static void
tell(struct moored *d, unsigned plane, const char *name, const char *text, bool raised)
{
	char index[8];
	struct log_field f[] = { { "PLANE", index }, { NULL, NULL } };

	snprintf(index, sizeof(index), "%u", plane);
	log_say(raised ? LOG_WARNING : LOG_NOTICE, f, "plane %u: %s%s: %s", plane, name,
		raised ? "" : " is over", text);
	event_publish(d, EVENT_PROBLEM, json_pack("{s:i, s:s, s:b, s:I, s:o}", "plane", (int)plane,
		"what", name, "raised", raised, "at_ms", (json_int_t)wall_ms(), "text",
		moore_json_name(text)));
}

static void
look_at(struct moored *d, unsigned plane)
{
	struct moore_buf b = MOORE_BUF_INIT;

	for (unsigned k = 0; k < N_PROBLEMS; k++) {
		struct problem *p = &d->problems->of[plane][k].p, was = *p;
		enum problem_step step;

		b.len = 0;
		rows[k].put(d, plane, &b);
		moore_buf_add(&b, "", 1);
		if (b.oom)
			break;
		step = problem_step(p, b.data, mono_us() / 1000 + 1, rows[k].after_s * 1000);
		if (step == PROBLEM_SAME)
			continue;
		if (!was.raised)
			d->problems->of[plane][k].since_ms = wall_ms();
		tell(d, plane, rows[k].name, p->raised ? p->text : was.text, p->raised);
	}
	moore_buf_free(&b);
}

void
problems_look(struct moored *d)
{
	for (unsigned i = 0; d->problems && i < d->n_planes; i++)
		look_at(d, i);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	problems_look(arg);
}

static int
start(struct moored *d)
{
	struct timeval every = { LOOK_MS / 1000, 0 };

	d->problems = calloc(1, sizeof(*d->problems));
	if (!d->problems)
		return -1;
	d->problems->timer = event_new(loop_base(d->loop), -1, EV_PERSIST, on_timer, d);
	return d->problems->timer ? event_add(d->problems->timer, &every) : -1;
}

static void
stop(struct moored *d)
{
	if (d->problems && d->problems->timer)
		event_free(d->problems->timer);
	free(d->problems);
	d->problems = NULL;
}

/* A manager that was taken out of service is no problem after a reload. */
static void
on_plan(struct moored *d)
{
	for (unsigned i = 0; i < d->n_planes; i++)
		managers_forget(&d->plane[i].managers);
}

const struct part part_problems = { .name = "problems", .start = start, .plan = on_plan,
	.stop = stop };

/* ---- what others ask ---------------------------------------------------------------- */

bool
problems_any(const struct moored *d, unsigned plane)
{
	for (unsigned k = 0; d->problems && k < N_PROBLEMS; k++)
		if (d->problems->of[plane][k].p.raised)
			return true;
	return false;
}

json_t *
json_problems(const struct moored *d, unsigned plane)
{
	json_t *list = json_array();

	for (unsigned k = 0; d->problems && k < N_PROBLEMS; k++)
		if (d->problems->of[plane][k].p.raised)
			json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "what", rows[k].name,
				"since_ms", moore_json_count(d->problems->of[plane][k].since_ms), "text",
				moore_json_name(d->problems->of[plane][k].p.text)));
	return list;
}

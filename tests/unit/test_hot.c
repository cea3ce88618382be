// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_hot.c - a day of polls under a fake clock: findings are raised and cleared where a
 * fault was simulated, and nowhere else. */
#include "harness.h"
#include "fabrics.h"
#include "moore/hot.h"

#define FULL 12.5e9
#define DAY 86400u
#define NEVER 0xffffffffu

enum what { HOT, WAITS, ERRS, FLAPS, DROPS, SLOW, NARROW, MUTE, GONE };

/* A fault on the link-th link between switches, from second `from` for `len` seconds. */
static const struct trouble {
	const char *why;
	enum what what;
	unsigned link, from, len;
	double how;		/* share of the bandwidth or of the time; or events per second */
	int kind;		/* expected finding; -1: none */
	unsigned raised, cleared;	/* greatest delay in seconds after the start and after the
					 * end */
} troubles[] = {
	{ "a hot link", HOT, 3, 3600, 60, 0.9, MOORE_FIND_LOAD, 7, 17 },
	{ "again, so it is raised again", HOT, 3, 4000, 300, 0.8, MOORE_FIND_LOAD, 7, 17 },
	{ "three seconds are too short", HOT, 5, 5000, 3, 0.9, -1, 0, 0 },
	{ "a pause shorter than the wait does not end it", HOT, 7, 6000, 60, 0.97, MOORE_FIND_LOAD, 7, NEVER },
	{ "its second half", HOT, 7, 6070, 60, 0.97, -1, 0, 0 },
	{ "packets wait", WAITS, 9, 10000, 120, 0.4, MOORE_FIND_WAIT, 7, 17 },
	{ "a little waiting is no finding", WAITS, 11, 11000, 120, 0.03, -1, 0, 0 },
	{ "thirty errors in ten seconds", ERRS, 13, 20000, 10, 3, MOORE_FIND_ERRORS, 8, 1500 },
	{ "an error in ten minutes", ERRS, 15, 1000, 80000, 1.0 / 600, -1, 0, 0 },
	{ "down five times in a minute", FLAPS, 17, 30000, 60, 5.0 / 60, MOORE_FIND_FLAPS, 40, 1600 },
	{ "down once an hour", FLAPS, 19, 1000, 80000, 1.0 / 3600, -1, 0, 0 },
	{ "packets thrown away", DROPS, 21, 35000, 10, 50, MOORE_FIND_DISCARDS, 4, 2500 },
	{ "slow", SLOW, 23, 40000, 600, 0, MOORE_FIND_SLOW, 1, 2 },
	{ "narrow", NARROW, 25, 40000, 600, 0, MOORE_FIND_NARROW, 1, 2 },
	{ "mute for a minute", MUTE, 27, 50000, 60, 0, MOORE_FIND_SILENT, 12, 4 },
	{ "mute for five seconds", MUTE, 29, 50000, 5, 0, -1, 0, 0 },
	{ "unplugged while hot: cleared at once", HOT, 31, 60000, 60, 0.97, MOORE_FIND_LOAD, 7, NEVER },
	{ "the unplugging", GONE, 31, 60030, 60, 0, -1, 0, 0 },
};

struct day {
	struct moore_fabric *f;
	uint32_t *link;		/* port index of each directed link between switches */
	uint32_t n_links;
	struct moore_reading *was, *now;
	struct moore_hot_port *port;
	struct moore_hot *hot;
	struct moore_rng r;
	unsigned at;
	struct seen {
		unsigned port, kind, at;
		bool raised;
	} seen[256];
	unsigned n_seen;
};

static void
event(void *arg, const struct moore_alarm *a)
{
	struct day *d = arg;

	if (d->n_seen == ARRAY_LEN(d->seen))
		fail_msg("more events than there can be");
	d->seen[d->n_seen++] = (struct seen){ a->port, a->kind, d->at, a->raised };
}

static void
day_new(struct day *d)
{
	d->f = test_family("slimfly", "q=3 p=1", 0);
	d->link = calloc(d->f->n_ports, sizeof(*d->link));
	d->was = calloc(d->f->n_ports, sizeof(*d->was));
	d->now = calloc(d->f->n_ports, sizeof(*d->now));
	d->port = calloc(d->f->n_ports, sizeof(*d->port));
	for (uint32_t i = 0; i < d->f->n_ports; i++) {
		d->now[i].has = (1u << MOORE_N_COUNTERS) - 1;
		/* Both kinds of counters wrap in the course of the day. */
		d->now[i].v[MOORE_XMIT_DATA] = UINT64_MAX - moore_rng_below(&d->r, 1u << 31) * 40000ull;
		d->now[i].v[MOORE_XMIT_WAIT] = moore_rng_below(&d->r, 1u << 31);
		if (d->f->port[i].role == MOORE_ROLE_SWITCH)
			d->link[d->n_links++] = i;
	}
	assert_int_equal(moore_hot_new(&d->hot, d->f, NULL), 0);
}

static const struct trouble *
trouble_at(const struct day *d, uint32_t port, enum what what)
{
	for (size_t k = 0; k < ARRAY_LEN(troubles); k++) {
		const struct trouble *t = &troubles[k];

		if (t->what == what && d->link[t->link] == port && d->at >= t->from &&
		    d->at < t->from + t->len)
			return t;
	}
	return NULL;
}

/* How many events of t happen in the present second. */
static uint64_t
events_of(const struct day *d, const struct trouble *t)
{
	return (uint64_t)((d->at - t->from + 1) * t->how) - (uint64_t)((d->at - t->from) * t->how);
}

static void
count(struct day *d, uint32_t i)
{
	static const struct { enum what what; enum moore_counter counter; } T[] = {
		{ ERRS, MOORE_SYMBOL_ERROR }, { FLAPS, MOORE_LINK_DOWNED }, { DROPS, MOORE_XMIT_DISCARD },
	};
	/* An application on all endpoints, which is busy every other half hour. */
	double load = d->at % 3600 < 1800 ? 0.3 : 0.7, wait = 0.005;
	const struct trouble *t;
	uint64_t *v = d->now[i].v;

	load += (moore_rng_below(&d->r, 101) - 50.0) / 1000;
	if ((t = trouble_at(d, i, HOT)))
		load = t->how;
	if ((t = trouble_at(d, i, WAITS)))
		wait = t->how;
	v[MOORE_XMIT_DATA] += (uint64_t)(load * FULL / 4);
	v[MOORE_XMIT_WAIT] = (v[MOORE_XMIT_WAIT] + (uint64_t)(wait * FULL / 8)) & 0xffffffff;
	for (size_t k = 0; k < ARRAY_LEN(T); k++)
		if ((t = trouble_at(d, i, T[k].what)))
			v[T[k].counter] += events_of(d, t);
	if (d->at == 70000)		/* all counters are reset */
		memset(v, 0, sizeof(d->now[i].v));
}

static void
poll_port(struct day *d, uint32_t i)
{
	static const struct moore_line line = { FULL, 8 };
	struct moore_hot_port *p = &d->port[i];
	bool gone = trouble_at(d, i, GONE);

	count(d, i);
	d->f->port[i].role = gone ? MOORE_ROLE_NONE :
			     d->f->port[i].peer != MOORE_NONE && d->f->port[i].role == MOORE_ROLE_NONE ?
			     MOORE_ROLE_SWITCH : d->f->port[i].role;
	p->answered = !trouble_at(d, i, MUTE);
	p->should = p->is = (struct moore_rate){ 4, 6 };
	if (trouble_at(d, i, SLOW))
		p->is.speed = 3;
	if (trouble_at(d, i, NARROW))
		p->is.width = 1;
	d->now[i].at_us = p->answered ? (uint64_t)d->at * 1000000 + moore_rng_below(&d->r, 50000) + 1 : 0;
	moore_traffic_between(&p->traffic, &d->was[i], &d->now[i], &line);
	if (p->answered)
		d->was[i] = d->now[i];
}

/* Checks that the events of t came in time, and removes them from the list of events. */
static void
expect(struct day *d, const struct trouble *t)
{
	unsigned found = 0;

	for (unsigned k = 0; k < d->n_seen; k++) {
		struct seen *s = &d->seen[k];
		unsigned from = s->raised ? t->from : t->from + t->len;
		unsigned within = s->raised ? t->raised : t->cleared;

		if (s->port != d->link[t->link] || (int)s->kind != t->kind || s->at < t->from ||
		    (within != NEVER && (s->at < from || s->at > from + within)))
			continue;
		if (found >> s->raised & 1)
			continue;
		found |= 1u << s->raised;
		s->port = NEVER;
	}
	CHECK_EQ(t->why, found, t->kind < 0 ? 0 : 3);
}

static void
day(void **state)
{
	struct day d = { .r = { test_seed() } };
	long live;

	(void)state;
	day_new(&d);
	live = alloc_live;
	for (d.at = 1; d.at < DAY; d.at++) {
		if (d.at > 65000 && d.at < 65060)	/* the daemon does not run for a minute */
			continue;
		for (uint32_t i = 0; i < d.f->n_ports; i++)
			poll_port(&d, i);
		assert_int_equal(moore_hot_step(d.hot, d.f, d.port, (uint64_t)d.at * 1000000 + 1, event,
						&d, NULL), 0);
	}
	CHECK("memory does not grow", alloc_live == live);
	print_message("# %u ports, %u polls, %u events\n", d.f->n_ports, DAY - 60, d.n_seen);
	for (size_t k = 0; k < ARRAY_LEN(troubles); k++)
		if (troubles[k].kind >= 0)
			expect(&d, &troubles[k]);
	for (unsigned k = 0; k < d.n_seen; k++)
		if (d.seen[k].port != NEVER)
			fail_msg("%s %s at port %u at %u: nothing was wrong there",
				 moore_finding_name(d.seen[k].kind), d.seen[k].raised ? "raised" : "cleared",
				 d.seen[k].port, d.seen[k].at);
	assert_int_equal(moore_hot_alarms(d.hot, NULL, 0), 0);
	moore_hot_free(d.hot);
	moore_fabric_free(d.f);
	free(d.link);
	free(d.was);
	free(d.now);
	free(d.port);
}

/* The fabric loses a switch: alarms of other ports move with their port, and those of the
 * lost switch are cleared. */
static void
moves(void **state)
{
	struct day d = { .r = { test_seed() } };
	struct moore_fabric *less;
	struct moore_alarm a[4];
	uint32_t slow[2];

	(void)state;
	day_new(&d);
	less = test_without(d.f, 1);
	slow[0] = d.f->sw[1].port0 + 5;
	slow[1] = d.f->sw[7].port0 + 5;
	for (unsigned k = 0; k < 2; k++)
		d.port[slow[k]].is = (struct moore_rate){ 4, 3 };
	for (uint32_t i = 0; i < d.f->n_ports; i++) {
		d.port[i].should = (struct moore_rate){ 4, 6 };
		d.port[i].answered = true;
	}
	assert_int_equal(moore_hot_step(d.hot, d.f, d.port, 1000, event, &d, NULL), 0);
	assert_int_equal(d.n_seen, 2);
	assert_int_equal(moore_hot_step(d.hot, less, d.port, 1000, event, &d, NULL), -MOORE_EINVAL);
	assert_int_equal(moore_hot_move(d.hot, d.f, less, 2000, event, &d, NULL), 0);
	assert_int_equal(d.n_seen, 3);
	assert_int_equal(d.seen[2].port, slow[0]);
	assert_false(d.seen[2].raised);
	assert_int_equal(moore_hot_alarms(d.hot, a, 4), 1);
	assert_int_equal(a[0].port, less->sw[6].port0 + 5);
	assert_int_equal(a[0].kind, MOORE_FIND_SLOW);
	moore_hot_free(d.hot);
	moore_fabric_free(less);
	moore_fabric_free(d.f);
	free(d.link);
	free(d.was);
	free(d.now);
	free(d.port);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(day),
		cmocka_unit_test(moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

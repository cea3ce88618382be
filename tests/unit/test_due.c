// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_due.c - the next step of a plane's scanner under a fake clock.  Each row gives a
 * time, the step that must come then, and its result.  poll_ms is 1000 and sweep_s is 10. */
#include "harness.h"
#include "scan/due.h"

#define T0 ((uint64_t)1 << 40)	/* any time that is not near 0 */

enum came {			/* the result of the row's step */
	NOTHING,
	OPENED, NO_PORT, LOST, SAME, CHANGED, UNKNOWN,
	W_NEW, W_NO_LIDS, W_LONELY, W_SAME, W_SAME_LONELY, W_FAILED,
	POLLED, POLL_LEFT, T_NEW, T_SAME, T_LEFT, T_MOVED, L_SOME, L_END, L_LEFT, R_DONE, R_LEFT,
};
enum before { NONE, KICK, EVENT };	/* what happens before the row */

struct row {
	const char *why;
	uint64_t ms;		/* time of the step since T0 */
	enum before before;
	enum step want;
	enum came came;
	uint64_t took_ms;	/* duration of the step */
	uint64_t until_ms;	/* end of STEP_WAIT; 0: not compared */
};

/* Reports the result of a look, of a walk, or of opening the port. */
static void
happen_found(struct due *d, enum came came, uint64_t from, uint64_t now)
{
	static const enum look look[] = { [SAME] = LOOK_SAME, [CHANGED] = LOOK_CHANGED,
		[UNKNOWN] = LOOK_UNKNOWN };
	static const enum walk walk[] = { [W_NEW] = WALK_NEW, [W_NO_LIDS] = WALK_NEW,
		[W_LONELY] = WALK_NEW, [W_SAME] = WALK_SAME, [W_SAME_LONELY] = WALK_SAME,
		[W_FAILED] = WALK_FAILED };

	if (came == OPENED || came == NO_PORT) {
		due_opened(d, now, came == OPENED);
	} else if (came == LOST) {
		due_lost(d, now);
	} else if (came <= UNKNOWN) {
		due_looked(d, now, look[came]);
	} else {
		if (walk[came] == WALK_NEW) {
			d->have_snapshot = true;
			d->have_lids = came != W_NO_LIDS;
		}
		due_walked(d, from, now, walk[came], came == W_LONELY || came == W_SAME_LONELY);
		due_rest(d, now);
	}
}

static void
happen(struct due *d, const struct row *r, uint64_t from, uint64_t now)
{
	switch (r->came) {
	case NOTHING:
		break;
	case POLLED:
	case POLL_LEFT:
		due_read(d, READ_COUNTERS, r->came == POLL_LEFT);
		break;
	case T_LEFT:
		due_read(d, READ_TABLES, true);
		due_tables_failed(d, now);
		break;
	case T_MOVED:	/* new tables: a walk within the step finds new LIDs too */
		due_walked(d, from, now, WALK_NEW, false);
		/* fall through */
	case T_NEW:
	case T_SAME:
		due_read(d, READ_TABLES, false);
		due_tables(d, now, r->came != T_SAME);
		d->have_tables = true;
		break;
	case L_SOME:
	case L_END:
	case L_LEFT:
		due_read(d, READ_TABLES, r->came == L_LEFT);
		due_lanes(d, r->came != L_LEFT, r->came == L_END);
		break;
	case R_DONE:
	case R_LEFT:
		due_read(d, READ_RECORDS, r->came == R_LEFT);
		due_records(d, r->came == R_DONE);
		break;
	default:
		happen_found(d, r->came, from, now);
	}
}

static void
play(struct due *d, const struct row *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t now = T0 + r[i].ms * 1000;
		struct next next;
		struct due was;

		if (r[i].before == KICK)
			due_kick(d);
		else if (r[i].before == EVENT)
			due_look_now(d);
		was = *d;
		next = next_step(d, now);
		CHECK("next_step() changes nothing", !memcmp(&was, d, sizeof(was)));
		CHECK_EQ(r[i].why, next.step, r[i].want);
		if (r[i].until_ms)
			CHECK_EQ(r[i].why, next.until, T0 + r[i].until_ms * 1000);
		due_begin(d, next.step, now);
		happen(d, &r[i], now, now + r[i].took_ms * 1000);
	}
}
#define PLAY(d, rows) play(d, rows, ARRAY_LEN(rows))

static const struct row start[] = {
	{ "there is no port yet", 0, NONE, STEP_OPEN, NO_PORT, 0, 0 },
	{ "and is tried again after 2 s", 1, NONE, STEP_WAIT, NOTHING, 0, 2000 },
	{ "the second attempt", 2000, NONE, STEP_OPEN, OPENED, 0, 0 },
	{ "a walk comes first", 2000, NONE, STEP_WALK, W_NO_LIDS, 0, 0 },
	{ "nothing is read without LIDs", 2001, NONE, STEP_WAIT, NOTHING, 0, 2500 },
	{ "a look half a second later", 2500, NONE, STEP_LOOK, CHANGED, 0, 0 },
	{ "the change is walked to at once", 2501, NONE, STEP_WALK, W_NEW, 0, 0 },
	{ "LIDs are set: counters", 2600, NONE, STEP_POLL, POLLED, 0, 0 },
	{ "tables", 2700, NONE, STEP_TABLES, T_NEW, 0, 0 },
	{ "a slice of lanes", 2701, NONE, STEP_LANES, L_SOME, 0, 0 },
	{ "another", 2702, NONE, STEP_LANES, L_SOME, 300, 0 },
	{ "a look takes its turn", 3010, NONE, STEP_LOOK, SAME, 0, 0 },
	{ "the last slice", 3011, NONE, STEP_LANES, L_END, 0, 0 },
	{ "records follow lanes", 3012, NONE, STEP_RECORDS, R_DONE, 0, 0 },
	{ "tables settle", 3013, NONE, STEP_WAIT, NOTHING, 0, 3200 },
	{ "tables again, half a second after the last", 3200, NONE, STEP_TABLES, T_SAME, 0, 0 },
	{ "a slice of lanes each time that tables are the same", 3201, NONE, STEP_LANES, L_SOME, 0, 0 },
	{ "and some records", 3202, NONE, STEP_RECORDS, R_DONE, 0, 0 },
	{ "then all is quiet", 3203, NONE, STEP_WAIT, NOTHING, 0, 3510 },
	{ "a look", 3510, NONE, STEP_LOOK, SAME, 0, 0 },
	{ "a poll one period after the last", 3600, NONE, STEP_POLL, POLLED, 0, 0 },
};

static void
test_start(void **state)
{
	struct due d;

	(void)state;
	due_init(&d, 1000, 10);
	d.manager_at = NEVER;	/* tested in test_manager() */
	PLAY(&d, start);
	CHECK_EQ("tables are due sweep_s later", d.tables_at, T0 + 13200000);
}

/* A scanner at rest: the port is up, all has been read, and a look and a poll were at time
 * 0. */
static struct due
resting(void)
{
	struct due d;

	due_init(&d, 1000, 10);
	d.have_port = d.have_snapshot = d.have_lids = d.have_tables = d.have_lanes = true;
	d.last = STEP_WAIT;
	d.look_at = T0 + 500000;
	d.poll_at = T0 + 1000000;
	d.tables_at = T0 + 10000000;
	d.manager_at = d.rewalk_at = NEVER;
	return d;
}

static void
test_cut(void **state)
{
	static const struct row rows[] = {
		{ "half a second after the last", 500, NONE, STEP_LOOK, SAME, 0, 0 },
		{ "a cut amid a poll: answers are late", 1000, NONE, STEP_POLL, POLL_LEFT, 200, 0 },
		{ "a look finds out why", 1200, NONE, STEP_LOOK, CHANGED, 10, 0 },
		{ "a walk follows", 1210, NONE, STEP_WALK, W_NEW, 100, 0 },
		{ "tables follow a walk, the poll is not yet due", 1310, NONE, STEP_TABLES, T_NEW, 0, 0 },
		{ "tables may have settled; lanes", 1311, NONE, STEP_LANES, L_END, 0, 0 },
		{ "records", 1312, NONE, STEP_RECORDS, R_DONE, 0, 0 },
		{ "tables again while OpenSM writes them", 1810, NONE, STEP_LOOK, SAME, 0, 0 },
		{ "others: the walk within the step", 1811, NONE, STEP_TABLES, T_MOVED, 100, 0 },
		{ "lanes once more", 1912, NONE, STEP_LANES, L_END, 0, 0 },
		{ "records once more", 1913, NONE, STEP_RECORDS, R_DONE, 0, 0 },
		{ "the poll keeps to its beat", 2000, NONE, STEP_POLL, POLLED, 0, 0 },
	};
	struct due d = resting();

	(void)state;
	PLAY(&d, rows);
}

static void
test_late_answers(void **state)
{
	static const struct row rows[] = {
		{ "a look and a poll are due", 1000, NONE, STEP_LOOK, SAME, 0, 0 },
		{ "left, as answers are late", 1000, NONE, STEP_POLL, POLL_LEFT, 200, 0 },
		{ "the look finds nothing", 1200, NONE, STEP_LOOK, SAME, 0, 0 },
		{ "so nothing else is demanded", 1201, NONE, STEP_WAIT, NOTHING, 0, 1700 },
		{ "a look", 1700, NONE, STEP_LOOK, SAME, 0, 0 },
		{ "the next poll waits for late answers", 2000, NONE, STEP_POLL, POLLED, 900, 0 },
		{ "and the one after does not", 2900, NONE, STEP_LOOK, SAME, 0, 0 },
	};
	struct due d = resting();

	(void)state;
	play(&d, rows, 3);
	CHECK("patient", d.patient[READ_COUNTERS] && !d.patient[READ_TABLES]);
	play(&d, rows + 3, 4);
	CHECK("no longer", !d.patient[READ_COUNTERS]);
}

/* A link goes up and down: each look finds a change, and each walk finds the same fabric as
 * before. */
static void
test_flapping(void **state)
{
	static const struct row rows[] = {
		{ "a look", 500, NONE, STEP_LOOK, CHANGED, 0, 0 },
		{ "the link is back already", 500, NONE, STEP_WALK, W_SAME, 0, 0 },
		{ "the next look after 1 s", 500, NONE, STEP_WAIT, NOTHING, 0, 1000 },
		{ "a poll meanwhile", 1000, NONE, STEP_POLL, POLLED, 0, 0 },
		{ "after 1 s", 1500, NONE, STEP_LOOK, CHANGED, 0, 0 },
		{ "the same", 1500, NONE, STEP_WALK, W_SAME, 0, 0 },
		{ "polls go on", 2000, NONE, STEP_POLL, POLLED, 0, 0 },
		{ "polls go on", 3000, NONE, STEP_POLL, POLLED, 0, 0 },
		{ "after 2 s", 3500, NONE, STEP_LOOK, CHANGED, 0, 0 },
		{ "the same", 3500, NONE, STEP_WALK, W_SAME, 0, 0 },
		{ "not before 4 s", 7499, NONE, STEP_POLL, POLLED, 0, 0 },
		{ "after 4 s", 7500, NONE, STEP_LOOK, CHANGED, 0, 0 },
		{ "the same", 7500, NONE, STEP_WALK, W_SAME, 0, 0 },
		{ "8 s are next", 15500, NONE, STEP_POLL, POLLED, 0, 0 },
		{ "tables", 15500, NONE, STEP_TABLES, T_SAME, 0, 0 },
		{ "lanes", 15500, NONE, STEP_LANES, L_SOME, 0, 0 },
		{ "records", 15500, NONE, STEP_RECORDS, R_DONE, 0, 0 },
		{ "after 8 s", 15500, NONE, STEP_LOOK, CHANGED, 0, 0 },
		{ "the same", 15500, NONE, STEP_WALK, W_SAME, 0, 0 },
		{ "a kick ends the back-off", 15501, KICK, STEP_LOOK, CHANGED, 0, 0 },
		{ "other than before", 15501, NONE, STEP_WALK, W_NEW, 0, 0 },
	};
	struct due d = resting();

	(void)state;
	play(&d, rows, ARRAY_LEN(rows) - 2);
	CHECK_EQ("sweep_s at most", d.look_gap, 10000000);
	play(&d, rows + ARRAY_LEN(rows) - 2, 2);
	CHECK_EQ("from the start", d.look_gap, LOOK_US);
	CHECK_EQ("tables are read", d.tables_at, T0 + 15501000);
}

/* Ports that are up but lead to devices that do not answer. */
static void
test_lonely(void **state)
{
	static const struct row rows[] = {
		{ "a kick", 0, KICK, STEP_LOOK, CHANGED, 0, 0 },
		{ "someone does not answer", 0, NONE, STEP_WALK, W_LONELY, 0, 0 },
		{ "tables", 0, NONE, STEP_TABLES, T_SAME, 0, 0 },
		{ "lanes", 0, NONE, STEP_LANES, L_SOME, 0, 0 },
		{ "records", 0, NONE, STEP_RECORDS, R_DONE, 0, 0 },
		{ "a walk in place of a look", 500, NONE, STEP_WALK, W_SAME_LONELY, 0, 0 },
		{ "a poll has its turn", 1000, NONE, STEP_POLL, POLLED, 0, 0 },
		{ "a look", 1000, NONE, STEP_LOOK, SAME, 0, 0 },
		{ "the next walk after twice the time", 1500, NONE, STEP_WALK, W_SAME_LONELY, 0, 0 },
		{ "looks go on each half second", 2000, NONE, STEP_POLL, POLLED, 0, 0 },
		{ "looks go on each half second", 2000, NONE, STEP_LOOK, SAME, 0, 0 },
		{ "polls go on", 3500, NONE, STEP_POLL, POLLED, 0, 0 },
		{ "it answers: no more walks", 3500, NONE, STEP_WALK, W_NEW, 0, 0 },
	};
	struct due d = resting();

	(void)state;
	d.tables_at = 0;
	PLAY(&d, rows);
	CHECK_EQ("never", d.rewalk_at, NEVER);
	CHECK_EQ("looks were not held back", d.look_gap, LOOK_US);
}

/* If each reading of the tables finds changes, they are read every SETTLE_US, and every
 * other step still gets its turn. */
static void
test_restless(void **state)
{
	struct due d = resting();
	unsigned n[N_STEPS] = { 0 };
	uint64_t now = T0;

	(void)state;
	d.tables_at = T0;
	for (unsigned i = 0; i < 1000; i++) {
		struct next next = next_step(&d, now);
		struct row r = { .came = next.step == STEP_TABLES ? T_NEW : next.step == STEP_LANES ? L_SOME :
				 next.step == STEP_POLL ? POLLED : next.step == STEP_LOOK ? SAME : NOTHING };

		n[next.step]++;
		due_begin(&d, next.step, now);
		happen(&d, &r, now, now + 100000);
		now += 100000;	/* each step takes a tenth of a second */
	}
	CHECK("looks", n[STEP_LOOK] > 120);
	CHECK("polls keep their period", n[STEP_POLL] >= 90);
	CHECK("tables", n[STEP_TABLES] > 120);
	CHECK("lanes have their turns", n[STEP_LANES] > 300);
	CHECK_EQ("records wait for whole lanes", n[STEP_RECORDS], 0);
	CHECK_EQ("it never rests", n[STEP_WAIT], 0);
}

/* Readings that take longer than their period alternate with all other steps. */
static void
test_slow(void **state)
{
	struct due d = resting();
	unsigned n[N_STEPS] = { 0 };
	uint64_t now = T0;

	(void)state;
	d.poll_us = 1000;
	for (unsigned i = 0; i < 300; i++) {
		struct next next = next_step(&d, now);
		struct row r = { .came = next.step == STEP_TABLES ? T_SAME : next.step == STEP_LANES ? L_SOME :
				 next.step == STEP_POLL ? POLLED : next.step == STEP_LOOK ? SAME :
				 next.step == STEP_RECORDS ? R_DONE : NOTHING };

		n[next.step]++;
		due_begin(&d, next.step, now);
		now += 600000;	/* longer than the period of looks, too */
		happen(&d, &r, now, now);
	}
	CHECK("every look", n[STEP_LOOK] > 100);
	CHECK("as many polls", n[STEP_POLL] > 100);
	CHECK("tables each 10 s", n[STEP_TABLES] >= 12);
	CHECK("lanes and records with them", n[STEP_LANES] >= 12 && n[STEP_RECORDS] >= 12);
}

/* If the thread hangs in a MAD for a minute, each step runs once afterwards, not sixty
 * times. */
static void
test_hung(void **state)
{
	static const struct row rows[] = {
		{ "a look that hangs for a minute", 500, NONE, STEP_LOOK, UNKNOWN, 60000, 0 },
		{ "one poll", 60500, NONE, STEP_POLL, POLLED, 0, 0 },
		{ "tables", 60500, NONE, STEP_TABLES, T_LEFT, 0, 0 },
		{ "a look first", 60501, NONE, STEP_LOOK, SAME, 0, 0 },
		{ "then tables, waited for", 60501, NONE, STEP_TABLES, T_SAME, 100, 0 },
		{ "lanes", 60601, NONE, STEP_LANES, L_LEFT, 0, 0 },
		{ "a look first", 60602, NONE, STEP_LOOK, SAME, 0, 0 },
		{ "records", 60602, NONE, STEP_RECORDS, R_LEFT, 0, 0 },
		{ "a look first", 60603, NONE, STEP_LOOK, SAME, 0, 0 },
		{ "records once more", 60603, NONE, STEP_RECORDS, R_DONE, 0, 0 },
		{ "no poll is made up for", 60604, NONE, STEP_WAIT, NOTHING, 0, 61103 },
	};
	struct due d = resting();

	(void)state;
	PLAY(&d, rows);
	CHECK_EQ("the next poll", d.poll_at, T0 + 61500000);
}

/* The manager is asked every 5 s, and 2.5 s after an unanswered question.  Five unanswered
 * questions in a row mean that it is silent. */
static void
test_manager(void **state)
{
	static const struct {
		const char *why;
		uint64_t ms;		/* since T0: when the step is due, and not before */
		enum manager found;
		uint64_t heard_ms;
		bool silent;
	} rows[] = {
		{ "the first question", 0, MANAGER_ANSWERS, 0, false },
		{ "after 5 s", 5000, MANAGER_ANSWERS, 5000, false },
		{ "no answer", 10000, MANAGER_SILENT, 5000, false },
		{ "sooner now", 12500, MANAGER_SILENT, 5000, false },
		{ "an answer begins anew", 15000, MANAGER_ANSWERS, 15000, false },
		{ "no answer", 20000, MANAGER_SILENT, 15000, false },
		{ "no answer", 22500, MANAGER_SILENT, 15000, false },
		{ "our port does not answer: no miss", 25000, MANAGER_UNKNOWN, 15000, false },
		{ "no answer", 30000, MANAGER_SILENT, 15000, false },
		{ "no answer", 32500, MANAGER_SILENT, 15000, false },
		{ "five", 35000, MANAGER_SILENT, 15000, true },
		{ "our port does not answer: as before", 37500, MANAGER_UNKNOWN, 15000, true },
		{ "it is back", 42500, MANAGER_ANSWERS, 42500, false },
		{ "no manager ever set a LID", 47500, MANAGER_NONE, 0, false },
		{ "a LID and no answer: counted from here", 52500, MANAGER_SILENT, 52500, false },
	};
	struct due d = resting();

	(void)state;
	d.last = STEP_WALK;	/* its turn is next */
	d.look_at = d.poll_at = d.tables_at = NEVER;
	d.manager_at = T0;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t now = T0 + rows[i].ms * 1000;

		CHECK_EQ(rows[i].why, next_step(&d, now - 1).step, STEP_WAIT);
		CHECK_EQ(rows[i].why, next_step(&d, now - 1).until, now);
		CHECK_EQ(rows[i].why, next_step(&d, now).step, STEP_MANAGER);
		due_begin(&d, STEP_MANAGER, now);
		due_manager(&d, now, rows[i].found);
		CHECK_EQ(rows[i].why, d.manager_heard, rows[i].heard_ms || i < 1 ? T0 + rows[i].heard_ms * 1000 : 0);
		CHECK_EQ(rows[i].why, due_manager_silent(&d), rows[i].silent);
	}
	d.have_snapshot = false;
	CHECK_EQ("not before a first walk", next_step(&d, T0 * 2).step, STEP_WAIT);
}

static void
test_port(void **state)
{
	static const struct row rows[] = {
		{ "an event of the device: a look at once", 100, EVENT, STEP_LOOK, UNKNOWN, 0, 0 },
		{ "no link: each half second", 101, NONE, STEP_WAIT, NOTHING, 0, 600 },
		{ "the device is gone", 600, NONE, STEP_LOOK, LOST, 0, 0 },
		{ "without a port nothing else is due", 601, NONE, STEP_WAIT, NOTHING, 0, 1100 },
		{ "half a second later", 1100, NONE, STEP_OPEN, NO_PORT, 0, 0 },
		{ "then each 2 s", 1101, NONE, STEP_WAIT, NOTHING, 0, 3100 },
		{ "a kick tries at once", 1200, KICK, STEP_OPEN, OPENED, 0, 0 },
		{ "and looks at once", 1200, NONE, STEP_LOOK, CHANGED, 0, 0 },
		{ "a walk that fails", 1200, NONE, STEP_WALK, W_FAILED, 0, 0 },
		{ "the rest goes on with what was known", 1200, NONE, STEP_POLL, POLLED, 0, 0 },
		{ "the rest goes on with what was known", 1200, NONE, STEP_TABLES, T_SAME, 0, 0 },
	};
	struct due d = resting();

	(void)state;
	PLAY(&d, rows);
}

/* Clocks that start at 0, and sums that exceed the range of the clock. */
static void
test_edges(void **state)
{
	struct due d = resting();
	struct next n;

	(void)state;
	due_init(&d, UINT32_MAX, UINT32_MAX);
	n = next_step(&d, 0);
	CHECK_EQ("at time 0 all is due", n.step, STEP_OPEN);
	due_opened(&d, 0, true);
	CHECK_EQ("at time 0 all is due", next_step(&d, 0).step, STEP_WALK);
	d = resting();
	for (size_t i = 0; i < 3; i++) {
		uint64_t now = UINT64_MAX - i;

		d.last = STEP_WAIT;
		d.look_at = NEVER;
		d.poll_at = d.tables_at = now;
		due_begin(&d, STEP_POLL, now);
		due_begin(&d, STEP_TABLES, now);
		due_looked(&d, now, LOOK_SAME);
		due_opened(&d, now, true);
		CHECK("no sum wraps", d.poll_at == NEVER && d.tables_at == NEVER &&
		      d.look_at == NEVER && d.open_at == NEVER);
	}
	d.look_at = NEVER;
	n = next_step(&d, T0);
	CHECK_EQ("nothing is ever due", n.step, STEP_WAIT);
	CHECK_EQ("nothing is ever due", n.until, NEVER);
	d.look_gap = UINT64_MAX / 4;
	due_walked(&d, 0, T0, WALK_SAME, true);
	CHECK_EQ("back-off ends at sweep_s", d.look_gap, d.scan_us);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_late_answers), cmocka_unit_test(test_flapping),
		cmocka_unit_test(test_lonely), cmocka_unit_test(test_restless),
		cmocka_unit_test(test_slow), cmocka_unit_test(test_hung), cmocka_unit_test(test_port),
		cmocka_unit_test(test_manager),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

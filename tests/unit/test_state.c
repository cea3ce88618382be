// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_state.c - struct moored without a fabric and without a server: a scanner that the test
 * speaks for, snapshots and polls that it makes, files that it writes. */
#include <stdatomic.h>
#include <unistd.h>

#include "harness.h"

#include "file.h"
#include "method.h"
#include "part.h"
#include "plan_of.h"
#include "state.h"
#include "watch/hot.h"
#include "watch/problems.h"

/* ---- a scanner that does nothing ---------------------------------------------------- */

static struct {
	struct scanner_calls calls;
	uint64_t first;
	unsigned kicks;
	bool fails, hangs;
} fake;

int
scanner_start(struct scanner **out, struct loop *l, const struct moored_conf *c, uint64_t first,
	      const struct scanner_calls *calls)
{
	(void)l, (void)c;
	*out = fake.fails ? NULL : (struct scanner *)&fake;
	fake.calls = *calls;
	fake.first = first;
	return fake.fails ? -1 : 0;
}

void
scanner_kick(struct scanner *s)
{
	(void)s;
	fake.kicks++;
}

bool
scanner_stop(struct scanner *s)
{
	(void)s;
	return !fake.hangs;
}

/* ---- what it reports ------------------------------------------------------------------- */

static struct moored d;
static char dir[64];

static struct snapshot *
snapshot(unsigned plane, uint64_t scan)
{
	struct snapshot *s = calloc(1, sizeof(*s));

	atomic_init(&s->refs, 1);
	s->plane = plane;
	s->scan = scan;
	s->seen = plan_of("slimfly", "q=3");
	CHECK_EQ("a fabric", moore_fabric_from_plan(&s->fabric, s->seen, 0, NULL), 0);
	return s;
}

static struct poll *
poll_of(struct snapshot *s, uint64_t number)
{
	struct poll *p = calloc(1, sizeof(*p));

	p->snap = snapshot_get(s);
	p->number = number;
	p->at_ms = number * 1000;
	p->port = calloc(s->fabric->n_ports, sizeof(*p->port));
	for (uint32_t i = 0; i < s->fabric->n_ports; i++)
		p->port[i].at_us = number * 1000000;
	return p;
}

static void
write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	CHECK("a file", f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void
write_plan(const char *word)
{
	struct moore_plan *p = plan_of("slimfly", word);
	struct moore_buf b = MOORE_BUF_INIT;

	CHECK_EQ("a plan", moore_plan_write(p, &b, NULL), 0);
	write_file("plan.json", b.data);
	moore_buf_free(&b);
	moore_plan_free(p);
}

static int
set_up(void **state)
{
	(void)state;
	memset(&d, 0, sizeof(d));
	memset(&fake, 0, sizeof(fake));
	strcpy(dir, "/tmp/moore-state.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(d.conf_path, sizeof(d.conf_path), "%s/moored.conf", dir);
	d.conf_named = true;
	return loop_new(&d.loop);
}

static int
tear_down(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_WORK; i++) {
		CHECK("a worker ends", worker_stop(d.worker[i], 20000));
		d.worker[i] = NULL;
	}
	state_stop(&d);
	loop_free(d.loop);
	for (const char *const *n = (const char *const[]){ "moored.conf", "plan.json", NULL }; *n; n++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", dir, *n);
		unlink(path);
	}
	return rmdir(dir);
}

static void
configure(const char *more)
{
	char text[600];
	struct moore_err err;

	snprintf(text, sizeof(text), "state_dir (null)\nmetrics (null)\nsocket %s/s\n%s", dir, more);
	write_file("moored.conf", text);
	CHECK_EQ("a configuration", state_configure(&d, &err), 0);
}

/* ---- tests --------------------------------------------------------------------------------- */

static void
test_planes(void **state)
{
	(void)state;
	configure("planes mlx5_0:1,mlx5_1:2\n");
	CHECK_EQ("start", state_start(&d), 0);
	CHECK_EQ("two planes", d.n_planes, 2);
	CHECK("their names", !strcmp(d.plane[0].name, "mlx5_0:1") && !strcmp(d.plane[1].name, "mlx5_1:2"));
	CHECK_EQ("scans begin at 1", fake.first, 1);
	CHECK("no device yet", d.plane[1].state == PLANE_NO_DEVICE);
	fake.calls.state(fake.calls.arg, 1, PLANE_DOWN, "no link");
	CHECK("a state and its reason", d.plane[1].state == PLANE_DOWN && !strcmp(d.plane[1].why, "no link"));
	CHECK("of one plane", d.plane[0].state == PLANE_NO_DEVICE);
	fake.calls.state(fake.calls.arg, 7, PLANE_UP, "");
	CHECK("a plane that is not ours", d.plane[0].state == PLANE_NO_DEVICE);
}

static void
test_many_planes(void **state)
{
	(void)state;
	configure("planes a,b,c,d,e,f,g,h,i,j\n");
	CHECK_EQ("start", state_start(&d), 0);
	CHECK_EQ("no more than fit", d.n_planes, MOORED_PLANES_MAX);
}

static void
test_snapshots(void **state)
{
	struct call c = { .params = json_object() };
	struct rpc_error e = { 0 };
	struct snapshot *s, *old;

	(void)state;
	configure("planes a,b\n");
	CHECK_EQ("start", state_start(&d), 0);
	CHECK("nothing was found yet", state_capture(&d, &c, &e) && !c.view && !c.plan);
	state_release(&c);

	fake.calls.snapshot(fake.calls.arg, snapshot(0, 5));
	fake.calls.snapshot(fake.calls.arg, snapshot(1, 6));
	CHECK_EQ("the last scan", d.scan, 6);
	CHECK("each plane has its own", d.plane[0].view->snap->scan == 5 && d.plane[1].view->snap->scan == 6);
	json_object_set_new(c.params, "plane", json_integer(1));
	CHECK("it is there", state_capture(&d, &c, &e));
	old = c.view->snap;
	CHECK_EQ("the plane that is asked for", old->scan, 6);
	fake.calls.snapshot(fake.calls.arg, snapshot(1, 7));
	CHECK("a call keeps its snapshot", c.view->snap == old && old->seen->n_switches == 18);
	CHECK_EQ("others get the new one", d.plane[1].view->snap->scan, 7);
	state_release(&c);
	json_object_set_new(c.params, "plane", json_integer(2));
	CHECK("a plane that there is not", !state_capture(&d, &c, &e) && !c.view && e.code);
	state_release(&c);
	json_decref(c.params);

	s = snapshot_get(d.plane[0].view->snap);
	CHECK("no poll yet", !hot_plane(&d, 0));
	fake.calls.polled(fake.calls.arg, poll_of(s, 1));
	fake.calls.polled(fake.calls.arg, poll_of(s, 2));
	CHECK("polls reach the parts", hot_plane(&d, 0) && hot_plane(&d, 0)->number == 2);
	CHECK("of one plane", !hot_plane(&d, 1));
	snapshot_put(s);
}

/* A reload as SIGHUP makes it, without the worker. */
static bool
reload(void)
{
	struct reload *r = reload_new(&d);

	reload_read(r);
	return reload_apply(&d, r);
}

static void
test_reload(void **state)
{
	struct planned *held;
	char key[100];

	(void)state;
	write_plan("q=3");
	snprintf(key, sizeof(key), "plan %s/plan.json\n", dir);
	configure(key);
	CHECK_EQ("start", state_start(&d), 0);
	CHECK_EQ("the plan", d.plan->plan->n_switches, 18);
	held = planned_get(d.plan);

	write_file("plan.json", "{");
	CHECK("a plan that is none", !reload());
	CHECK("the last one stays", d.plan == held);
	CHECK_STR("the reason", d.plan_error, "plan.json:1: ");
	CHECK("the configuration is right", !d.conf_error[0]);

	write_file("moored.conf", "colour blue\n");
	CHECK("a configuration that is none", !reload());
	CHECK_STR("the reason", d.conf_error, "moored.conf:1: colour");
	CHECK_STR("nothing is known of the plan", d.plan_error, "plan.json:1: ");

	write_plan("q=5");
	write_file("moored.conf", key);
	CHECK("both are right", reload());
	CHECK("no error", !d.conf_error[0] && !d.plan_error[0]);
	CHECK_EQ("the new plan", d.plan->plan->n_switches, 50);
	CHECK_EQ("held elsewhere", held->plan->n_switches, 18);
	planned_put(held);
	CHECK_EQ("all are counted", d.reloads, 3);
	CHECK("keys that take a restart stay", !d.conf.metrics[0]);
}

static void
test_failures(void **state)
{
	(void)state;
	configure("");
	fake.fails = true;
	CHECK_EQ("no scanner", state_start(&d), -1);
	fake.fails = false;
}

static void
test_stuck(void **state)
{
	(void)state;
	configure("");
	CHECK_EQ("start", state_start(&d), 0);
	fake.hangs = true;
	for (size_t i = 0; i < N_WORK; i++) {
		worker_stop(d.worker[i], 20000);
		d.worker[i] = NULL;
	}
	state_stop(&d);
	CHECK("a scanner that hangs", d.stuck);
}

/* ---- problems ------------------------------------------------------------------------------ */

static const struct {
	const char *why, *text;
	uint64_t at_ms;
	enum problem_step step;
	bool raised;
} steps[] = {
	{ "nothing is wrong", "", 1000, PROBLEM_SAME, false },
	{ "a condition that is new", "x", 2000, PROBLEM_SAME, false },
	{ "shorter than 5 s", "x", 6999, PROBLEM_SAME, false },
	{ "its text does not matter", "y", 7000, PROBLEM_RAISED, true },
	{ "raised once", "y", 9000, PROBLEM_SAME, true },
	{ "again with another text", "z", 9001, PROBLEM_RAISED, true },
	{ "over at once", "", 9002, PROBLEM_CLEARED, false },
	{ "and that once", "", 9003, PROBLEM_SAME, false },
	{ "a new one counts from its own start", "x", 20000, PROBLEM_SAME, false },
	{ "over before it was raised", "", 24000, PROBLEM_SAME, false },
	{ "so the next counts anew", "x", 24001, PROBLEM_SAME, false },
	{ "so the next counts anew", "x", 29000, PROBLEM_SAME, false },
	{ "5 s", "x", 29001, PROBLEM_RAISED, true },
};

static void
test_problem_steps(void **state)
{
	struct problem p = { 0 };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		CHECK_EQ(steps[i].why, problem_step(&p, steps[i].text, steps[i].at_ms, 5000), steps[i].step);
		CHECK_EQ(steps[i].why, p.raised, steps[i].raised);
	}
}

/* A manager that misses its rounds is lost until a reload; one question alone, whatever it
 * finds, raises nothing. */
static void
test_managers(void **state)
{
	struct manager_state m = { .found = MANAGER_ANSWERS, .guid = 0xa, .n_sm = 2, .sm = {
		{ 0xa, 1, 0, SM_MASTER }, { 0xb, 2, 0, SM_STANDBY } } };

	(void)state;
	configure("");
	CHECK_EQ("start", state_start(&d), 0);
	for (m.round = 1; m.round <= 1 + MANAGER_ROUNDS; m.round++) {
		fake.calls.manager(fake.calls.arg, 0, &m);
		m.n_sm = 1;
	}
	CHECK_EQ("the standby is lost", managers_lost(&d.plane[0].managers), 1);
	CHECK("nothing is raised yet", !problems_any(&d, 0));
	CHECK("a reload", reload());
	CHECK_EQ("forgets it", managers_lost(&d.plane[0].managers), 0);
	CHECK_EQ("and keeps the master", d.plane[0].managers.n, 1);
}

#define STATE_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(test_planes), STATE_TEST(test_many_planes), STATE_TEST(test_snapshots),
		STATE_TEST(test_reload), STATE_TEST(test_failures), STATE_TEST(test_stuck), STATE_TEST(test_managers),
		cmocka_unit_test(test_problem_steps),
	};

	return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_loop.c - posts run in order and give other events their turn.  A worker runs jobs in
 * order, refuses a job that does not fit, and returns those that it did not run. */
#include <pthread.h>
#include <semaphore.h>

#include "loop.h"
#include "harness.h"
#include "work.h"

static struct {
	struct loop *loop;
	unsigned ran, turns, worst, since_turn;
	unsigned order[1000];
	struct event *turn;
} t;

static void
note(void *arg)
{
	t.order[t.ran++] = (unsigned)(uintptr_t)arg;
	if (++t.since_turn > t.worst)
		t.worst = t.since_turn;
	if (t.ran == ARRAY_LEN(t.order))
		event_base_loopexit(loop_base(t.loop), NULL);
}

/* Another event that is always ready. */
static void
on_turn(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what, (void)arg;
	t.turns++;
	t.since_turn = 0;
	event_active(t.turn, EV_TIMEOUT, 0);
}

static void
test_posts(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	CHECK_EQ("a loop", loop_new(&t.loop), 0);
	t.turn = event_new(loop_base(t.loop), -1, 0, on_turn, NULL);
	event_active(t.turn, EV_TIMEOUT, 0);
	for (uintptr_t i = 0; i < ARRAY_LEN(t.order); i++)
		CHECK_EQ("a post", loop_post(t.loop, note, (void *)i), 0);
	event_base_dispatch(loop_base(t.loop));
	CHECK_EQ("all run", t.ran, ARRAY_LEN(t.order));
	for (unsigned i = 0; i < ARRAY_LEN(t.order); i++)
		CHECK_EQ("in order", t.order[i], i);
	CHECK("others have their turn", t.worst <= 32 && t.turns >= ARRAY_LEN(t.order) / 32);
	event_free(t.turn);
	CHECK_EQ("a post that does not run", loop_post(t.loop, note, NULL), 0);
	loop_free(t.loop);
}

static void
stay_ready(evutil_socket_t fd, short what, void *arg)
{
	struct timespec moment = { 0, 1000000 };

	(void)fd, (void)what;
	nanosleep(&moment, NULL);
	t.since_turn++;
	event_active(*(struct event **)arg, EV_TIMEOUT, 0);
}

static void
on_first(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what, (void)arg;
	if (t.since_turn > t.worst)
		t.worst = t.since_turn;
	t.since_turn = 0;
	if (++t.turns == 10)
		event_base_loopexit(loop_base(t.loop), NULL);
}

/* 500 events that take 1 ms each are always ready.  A timer of 10 ms with LOOP_FIRST runs
 * between them, without waiting for all of them. */
static void
test_first(void **state)
{
	struct event *busy[500], *first;

	(void)state;
	memset(&t, 0, sizeof(t));
	CHECK_EQ("a loop", loop_new(&t.loop), 0);
	for (size_t i = 0; i < ARRAY_LEN(busy); i++) {
		busy[i] = event_new(loop_base(t.loop), -1, 0, stay_ready, &busy[i]);
		event_active(busy[i], EV_TIMEOUT, 0);
	}
	first = event_new(loop_base(t.loop), -1, EV_PERSIST, on_first, NULL);
	CHECK_EQ("a priority", event_priority_set(first, LOOP_FIRST), 0);
	event_add(first, &(struct timeval){ 0, 10000 });
	event_base_dispatch(loop_base(t.loop));
	CHECK("far fewer than all come before it", t.worst > 0 && t.worst < 100);
	for (size_t i = 0; i < ARRAY_LEN(busy); i++)
		event_free(busy[i]);
	event_free(first);
	loop_free(t.loop);
}

/* ---- the worker -------------------------------------------------------------------------- */

struct job {
	unsigned number;
	bool ran, done;
};

static sem_t gate;
static unsigned n_ran, n_done;

static void
job_run(void *arg)
{
	struct job *j = arg;

	sem_wait(&gate);
	CHECK_EQ("in order", j->number, n_ran);
	n_ran++;
	j->ran = true;
}

static void
job_done(void *arg)
{
	((struct job *)arg)->done = true;
	n_done++;
	if (n_done == n_ran)
		event_base_loopexit(loop_base(t.loop), NULL);
}

static void
test_worker(void **state)
{
	static struct job job[WORK_QUEUE_MAX + 2];
	struct worker *w;
	unsigned taken = 0;

	(void)state;
	sem_init(&gate, 0, 0);
	n_ran = n_done = 0;
	CHECK_EQ("a loop", loop_new(&t.loop), 0);
	CHECK_EQ("a worker", worker_start(&w, t.loop), 0);
	CHECK_EQ("none", worker_add(NULL, job_run, job_done, NULL), -1);
	job[0].number = 0;
	CHECK_EQ("the first", worker_add(w, job_run, job_done, &job[0]), 0);
	while (worker_waiting(w))	/* wait until it runs */
		;
	for (unsigned i = 1; i < ARRAY_LEN(job); i++) {
		job[i].number = i;
		taken += worker_add(w, job_run, job_done, &job[i]) == 0;
	}
	CHECK_EQ("the queue is bounded", taken, WORK_QUEUE_MAX);
	CHECK_EQ("all of it waits", worker_waiting(w), WORK_QUEUE_MAX);
	for (unsigned i = 0; i < 10; i++)
		sem_post(&gate);
	while (worker_waiting(w) != WORK_QUEUE_MAX - 10)
		;
	event_base_loop(loop_base(t.loop), EVLOOP_NO_EXIT_ON_EMPTY);
	CHECK_EQ("done on the loop", n_done, 10);

	/* The eleventh job is running and waits for the gate, so it cannot end in time. */
	CHECK("it still runs", !worker_stop(w, 20));
	for (unsigned i = 0; i < WORK_QUEUE_MAX + 1; i++)
		CHECK("what did not run is given back", i == 10 || job[i].done);
	CHECK("it did not run", !job[11].ran && !job[WORK_QUEUE_MAX].ran);
	CHECK_EQ("no more is taken", worker_add(w, job_run, job_done, &job[0]), -1);
	sem_post(&gate);
	CHECK("now it ends", worker_stop(w, 20000));
	loop_free(t.loop);
	sem_destroy(&gate);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_posts),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_worker),
	};

	return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}

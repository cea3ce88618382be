// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_managers.c - which subnet managers are known, lost and master, round by round. */
#include "harness.h"
#include "watch/managers.h"

#define A { 0xa, 1, 0, SM_MASTER }
#define A_STANDBY { 0xa, 1, 0, SM_STANDBY }
#define B { 0xb, 2, 0, SM_STANDBY }
#define B_MASTER { 0xb, 2, 0, SM_MASTER }

static const struct {
	const char *why;
	unsigned times;			/* rounds like this one */
	struct manager_heard sm[3];	/* those that answer; up to GUID 0 */
	uint64_t master;		/* that answers as the master of our port; 0: none */
	uint64_t changes;
	unsigned n_master, n_standby, n_lost, two;	/* afterwards */
} T[] = {
	{ "one master: not another", 1, { A }, 0xa, 0, 1, 0, 0, 0 },
	{ "a standby appears", 2, { A, B }, 0xa, 0, 1, 1, 0, 0 },
	{ "three rounds without an answer are no loss", 3, { A }, 0xa, 0, 1, 1, 0, 0 },
	{ "it answers: counted anew", 1, { A, B }, 0xa, 0, 1, 1, 0, 0 },
	{ "four rounds: lost", 4, { A }, 0xa, 0, 1, 0, 1, 0 },
	{ "it is back", 1, { B, A }, 0xa, 0, 1, 1, 0, 0 },
	{ "nobody answers for a moment", 3, { { 0 } }, 0, 0, 1, 1, 0, 0 },
	{ "the standby is master: another", 1, { B_MASTER }, 0xb, 1, 1, 0, 1, 0 },
	{ "the old one is back as standby", 1, { B_MASTER, A_STANDBY }, 0xb, 1, 1, 1, 0, 0 },
	{ "both are master, and ours is the same", 1, { B_MASTER, A }, 0xb, 1, 2, 0, 0, 1 },
	{ "and once more", 1, { B_MASTER, A }, 0xb, 1, 2, 0, 0, 2 },
	{ "one gives way", 1, { B, A }, 0xa, 2, 1, 1, 0, 0 },
	{ "both are gone", 4, { { 0 } }, 0, 2, 0, 0, 2, 0 },
};

static void
rounds(void **state)
{
	struct managers m = { 0 };
	struct manager_state s = { .found = MANAGER_ANSWERS };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		uint64_t was = m.changes;
		bool another = false;

		for (s.n_sm = 0; s.n_sm < ARRAY_LEN(T[i].sm) && T[i].sm[s.n_sm].guid; s.n_sm++)
			s.sm[s.n_sm] = T[i].sm[s.n_sm];
		s.guid = T[i].master;
		s.found = T[i].master ? MANAGER_ANSWERS : MANAGER_SILENT;
		for (unsigned k = 0; k < T[i].times; k++) {
			s.round++;
			another |= managers_hear(&m, &s, 1000 * s.round);
		}
		CHECK_EQ(T[i].why, m.changes, T[i].changes);
		CHECK_EQ(T[i].why, another, T[i].changes != was);
		CHECK_EQ(T[i].why, managers_in(&m, SM_MASTER), T[i].n_master);
		CHECK_EQ(T[i].why, managers_in(&m, SM_STANDBY), T[i].n_standby);
		CHECK_EQ(T[i].why, managers_lost(&m), T[i].n_lost);
		CHECK_EQ(T[i].why, m.two, T[i].two);
		CHECK("the same round again changes nothing", !managers_hear(&m, &s, 0));
		CHECK_EQ("the same round again changes nothing", managers_lost(&m), T[i].n_lost);
	}
	CHECK_EQ("the last change", m.was, 0xb);
	managers_forget(&m);
	CHECK_EQ("forgotten", m.n, 0);
	CHECK_EQ("but the change is not", m.changes, 2);
}

/* A place is free for a new manager only when one is lost. */
static void
full(void **state)
{
	struct managers m = { 0 };
	struct manager_state s = { .found = MANAGER_UNKNOWN, .n_sm = MANAGERS_MAX };
	(void)state;

	for (unsigned i = 0; i < MANAGERS_MAX; i++)
		s.sm[i] = (struct manager_heard){ i + 1, 1, 0, SM_STANDBY };
	s.round++;
	managers_hear(&m, &s, 1);
	s.sm[0].guid = 100;
	for (unsigned i = 1; i <= MANAGER_ROUNDS; i++) {
		s.round++;
		managers_hear(&m, &s, 1);
		CHECK_EQ("all places are taken", m.n, MANAGERS_MAX);
		CHECK_EQ("the new one waits until the old one is lost", m.of[0].last.guid,
			 i < MANAGER_ROUNDS ? 1 : 100);
	}
	CHECK_EQ("none is lost now", managers_lost(&m), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rounds), cmocka_unit_test(full) };

	return cmocka_run_group_tests_name("managers", tests, NULL, NULL);
}

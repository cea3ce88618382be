// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_log.c - no control character reaches the log, and repeated messages are counted
 * instead of written. */
#include "harness.h"
#include "log.h"

static const struct {
	const char *why, *in, *out;
} T[] = {
	{ "plain", "s0-0-0: no LID", "s0-0-0: no LID" },
	{ "escape sequence", "\033[31mred", "\\x1b[31mred" },
	{ "new line", "a\nb\tc\r", "a\\x0ab\\x09c\\x0d" },
	{ "delete", "a\177", "a\\x7f" },
	{ "UTF-8 stays", "M\303\274nchen \342\202\254 \360\237\230\200",
	  "M\303\274nchen \342\202\254 \360\237\230\200" },
	{ "control character of C1 (CSI)", "a\302\23331m", "a\\xc2\\x9b31m" },
	{ "text turned around", "a\342\200\256b", "a\\xe2\\x80\\xaeb" },
	{ "Latin-1", "M\374nchen", "M\\xfcnchen" },
	{ "cut within a character", "a\342\202", "a\\xe2\\x82" },
	{ "longer than need be", "\300\212", "\\xc0\\x8a" },
	{ "a surrogate", "\355\240\200", "\\xed\\xa0\\x80" },
};

static void
test_escape(void **state)
{
	char out[100];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		log_escape(out, sizeof(out), T[i].in);
		if (strcmp(out, T[i].out))
			fail_msg("%s: \"%s\", not \"%s\"", T[i].why, out, T[i].out);
	}
	log_escape(out, 6, "ab\033\033");
	CHECK("cut between characters", !strcmp(out, "ab"));
	log_escape(out, 7, "ab\033\033");
	CHECK("as much as fits", !strcmp(out, "ab\\x1b"));
}

static void
test_gate(void **state)
{
	static const struct {
		const char *why, *text;
		double at_s;
		bool passes;
		unsigned held;
	} S[] = {
		{ "the first", "disk is full", 100, true, 0 },
		{ "again", "disk is full", 120, false, 0 },
		{ "and again", "disk is full", 140, false, 0 },
		{ "another", "not permitted", 160, true, 2 },
		{ "two in a second", "disk is full", 160.5, false, 0 },
		{ "later", "disk is full", 162, true, 1 },
		{ "less than an hour", "disk is full", 3761, false, 0 },
		{ "an hour", "disk is full", 3762, true, 1 },
	};
	struct log_gate g = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(S); i++) {
		uint64_t held = 0;

		CHECK_EQ(S[i].why, log_gate_pass(&g, (uint64_t)(S[i].at_s * 1e6), S[i].text, &held),
			 S[i].passes);
		CHECK_EQ(S[i].why, held, S[i].held);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escape),
		cmocka_unit_test(test_gate),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_errors.c - error counters added up over readings, resets and unknown differences. */
#include "harness.h"
#include "moore/errors.h"

#define HAS(c) (1u << (c))
#define S 1000000u

static const struct {
	const char *why;
	double seconds;
	uint32_t has;
	uint64_t symbols, downed;	/* differences */
	uint64_t at_us, want_first, want_symbols, want_last;
} T[] = {
	{ "the first reading has no difference", 0, 0, 0, 0, 10 * S, 0, 0, 0 },
	{ "counts begin at the reading before", 5, HAS(MOORE_SYMBOL_ERROR), 3, 0, 15 * S, 10 * S, 3, 15 * S },
	{ "nothing rose", 5, HAS(MOORE_SYMBOL_ERROR), 0, 0, 20 * S, 10 * S, 3, 15 * S },
	{ "an unknown difference adds nothing", 5, HAS(MOORE_LINK_DOWNED), 9, 1, 25 * S, 10 * S, 3, 15 * S },
	{ "no answer adds nothing", 0, HAS(MOORE_SYMBOL_ERROR), 9, 0, 30 * S, 10 * S, 3, 15 * S },
	{ "it rises again", 10, HAS(MOORE_SYMBOL_ERROR), 4, 0, 40 * S, 10 * S, 7, 40 * S },
};

static void
added_up(void **state)
{
	struct moore_port_errors e = { 0 };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_port_traffic t = { .seconds = T[i].seconds, .has = T[i].has };

		t.delta[MOORE_SYMBOL_ERROR] = T[i].symbols;
		t.delta[MOORE_LINK_DOWNED] = T[i].downed;
		moore_errors_add(&e, &t, T[i].at_us);
		CHECK_EQ(T[i].why, e.first_us, T[i].want_first);
		CHECK_EQ(T[i].why, e.rose[MOORE_SYMBOL_ERROR], T[i].want_symbols);
		CHECK_EQ(T[i].why, e.last_us[MOORE_SYMBOL_ERROR], T[i].want_last);
	}
	CHECK_EQ("the other counter", e.rose[MOORE_LINK_DOWNED], 1);
	CHECK_EQ("the other counter", e.last_us[MOORE_LINK_DOWNED], 25 * S);
}

static void
what_is_an_error(void **state)
{
	unsigned n = 0;
	(void)state;

	for (enum moore_counter c = 0; c < MOORE_N_COUNTERS; c++) {
		struct moore_reading r = { .at_us = 1, .has = HAS(c) };

		CHECK("it has a name", *moore_counter_name(c));
		CHECK("0 is no error", !moore_errors_any(&r));
		r.v[c] = 1;
		CHECK_EQ(moore_counter_name(c), moore_errors_any(&r), moore_counter_is_error(c));
		r.has = 0;
		CHECK("what was not read is no error", !moore_errors_any(&r));
		n += moore_counter_is_error(c);
	}
	CHECK_EQ("all but data, packets and wait", n, MOORE_N_COUNTERS - 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(added_up), cmocka_unit_test(what_is_an_error),
	};

	return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_base.c - text buffers, numbers, arenas and the random generator. */
#include "harness.h"

static void
test_format(void **state)
{
	static const struct {
		const char *why, *want;
		uint64_t v;
		int kind;
	} T[] = {
		{ "a GUID is zero padded", "0x000000000000abcd", 0xabcd, 0 },
		{ "the greatest number", "18446744073709551615", UINT64_MAX, 1 },
		{ "zero has one digit", "0", 0, 1 },
		{ "negative", "-42", (uint64_t)-42, 2 },
		{ "least int64", "-9223372036854775808", (uint64_t)INT64_MIN, 2 },
		{ "left, padded", "7   |", 7, 3 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_buf b = MOORE_BUF_INIT;

		switch (T[i].kind) {
		case 0: moore_buf_fmt(&b, "0x%016llx", (unsigned long long)T[i].v); break;
		case 1: moore_buf_fmt(&b, "%llu", (unsigned long long)T[i].v); break;
		case 2: moore_buf_fmt(&b, "%lld", (long long)T[i].v); break;
		default: moore_buf_fmt(&b, "%-4u|", (unsigned)T[i].v); break;
		}
		if (strcmp(b.data, T[i].want))
			fail_msg("%s: %s is not %s", T[i].why, b.data, T[i].want);
		moore_buf_free(&b);
	}
}

static void
test_numbers(void **state)
{
	static const struct {
		const char *why, *text;
		unsigned base;
		uint64_t max;
		int ok;
		uint64_t want;
		size_t rest;
	} T[] = {
		{ "decimal", "42]", 10, 254, 1, 42, 1 },
		{ "hex by prefix", "0x1f", 0, 255, 1, 31, 0 },
		{ "over max", "256", 10, 255, 0, 0, 3 },
		{ "far over max", "99999999999999999999999", 10, UINT64_MAX, 0, 0, 23 },
		{ "a digit over a small max", "9", 10, 3, 0, 0, 1 },
		{ "no digits", "x", 10, 9, 0, 0, 1 },
		{ "a sign is not a digit", "-1", 10, 9, 0, 0, 2 },
		{ "greatest", "0xffffffffffffffff", 16, UINT64_MAX, 1, UINT64_MAX, 0 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		const char *s = T[i].text, *end = s + strlen(s);
		uint64_t v = 0;

		CHECK_EQ(T[i].why, moore_text_u64(&s, end, T[i].base, T[i].max, &v), T[i].ok);
		CHECK_EQ(T[i].why, v, T[i].want);
		CHECK_EQ(T[i].why, end - s, T[i].rest);
	}
}

static void
test_errors(void **state)
{
	struct moore_err err;
	char big[1000];
	(void)state;

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	CHECK_EQ("code", moore_fail(&err, MOORE_EINVAL, 7, "%s", big), -MOORE_EINVAL);
	CHECK_EQ("a long text is cut", strlen(err.text), sizeof(err.text) - 1);
	CHECK_EQ("line", err.line, 7);
	CHECK_EQ("no err is fine", moore_fail(NULL, MOORE_EINVAL, 0, "x"), -MOORE_EINVAL);
}

static void
test_arena(void **state)
{
	struct moore_arena a = MOORE_ARENA_INIT;
	unsigned char *p;
	(void)state;

	for (size_t n = 1; n < 200000; n *= 3) {
		p = moore_arena_alloc(&a, n, 1);
		CHECK("room", p != NULL);
		CHECK("zeroed", p[0] == 0 && p[n - 1] == 0);
		CHECK_EQ("aligned", (uintptr_t)p % 16, 0);
		memset(p, 0xff, n);
	}
	CHECK("overflow is refused", !moore_arena_alloc(&a, SIZE_MAX / 2, 4));
	moore_arena_free(&a);
}

static void
test_rng(void **state)
{
	struct moore_rng r = { test_seed() };
	unsigned seen[7] = { 0 };
	(void)state;

	for (unsigned i = 0; i < 70000; i++)
		seen[moore_rng_below(&r, 7)]++;
	for (unsigned i = 0; i < 7; i++)
		CHECK("even", seen[i] > 9500 && seen[i] < 10500);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_arena),
		cmocka_unit_test(test_rng),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}

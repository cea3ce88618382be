// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_notice.c - the notice of a sweep: its text, letter for letter, and what the reader
 * accepts, cuts and refuses. */
#include "harness.h"

#include "moore/notice.h"

#define TOP "moore-sweep 1\n"
#define MUST "sm 1\nnumber 1\n"

static const struct moore_notice FULL = {
	.sm = 0x2c903000a1b2c, .number = 70, .state = MOORE_NOTICE_REFUSED, .up = 1,
	.profile = MOORE_PROFILE_SL_HINT, .layers = MOORE_LAYERS_INR,
	.hash = 0x123456789abcdef, .routes = UINT64_MAX, .lanes = 10,
	.switches = 338, .endpoints = 3042, .missing_links = 11, .missing_switches = 2,
	.blocks = 16, .step = 2, .steps = 5, .topology = "slimfly q=13", .why = "MR01: qos is FALSE",
};
#define FULL_TEXT \
	TOP "sm 2c903000a1b2c\nnumber 70\nstate 2\nup 1\nprofile 1\nlayers 3\n" \
	"hash 123456789abcdef\nroutes ffffffffffffffff\nlanes a\nswitches 338\nendpoints 3042\n" \
	"missing_links 11\nmissing_switches 2\nblocks 16\nstep 2\nsteps 5\ntopology slimfly q=13\n" \
	"why MR01: qos is FALSE\n"

static void
text_of(struct moore_buf *b, const struct moore_notice *n)
{
	b->len = 0;
	moore_notice_write(b, n);
	moore_buf_add(b, "", 1);
}

static void
written_and_read(void **state)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_notice n;
	(void)state;

	text_of(&b, &FULL);
	assert_string_equal(b.data, FULL_TEXT);
	memset(&n, 0xff, sizeof(n));
	CHECK_EQ("read back", moore_notice_parse(&n, b.data, b.len - 1, NULL), 0);
	CHECK("unchanged", !memcmp(&n, &FULL, sizeof(n)));
	snprintf(n.why, sizeof(n.why), "two\nlines\n");
	text_of(&b, &n);
	CHECK_STR("a newline is written as a space", b.data, "\nwhy two lines \n");
	moore_buf_free(&b);
}

static void
states(void **state)
{
	static const char *const want[] = { "routed", "kept", "refused" };
	(void)state;

	for (unsigned i = 0; i < MOORE_N_NOTICES; i++)
		assert_string_equal(moore_notice_state_name(i), want[i]);
}

static void
accepted_and_refused(void **state)
{
	static const struct {
		const char *text;
		unsigned line;		/* of the error */
		const char *error;	/* NULL: accepted */
	} T[] = {
		{ TOP MUST, 0, NULL },
		{ TOP MUST "later yes\n", 0, NULL },
		{ TOP MUST "s yes\nsmx yes\nhas 1\n", 0, NULL },
		{ TOP MUST "why \n", 0, NULL },
		{ TOP MUST "state 2\nup 1\nprofile 1\nlayers 3\n", 0, NULL },
		{ TOP MUST "switches 4294967295\nhash FFFFFFFFFFFFFFFF\n", 0, NULL },
		{ TOP "sm 1\nnumber 9223372036854775807\n", 0, NULL },
		{ "", 1, "not a notice of a sweep" },
		{ "moore-sweep 1", 1, "not a notice of a sweep" },
		{ "moore-sweep 2\n" MUST, 1, "not a notice of a sweep" },
		{ "moore-sweep 10\n" MUST, 1, "not a notice of a sweep" },
		{ TOP, 0, "the field sm or number is missing or 0" },
		{ TOP "sm 1\n", 0, "the field sm or number is missing or 0" },
		{ TOP "number 1\n", 0, "the field sm or number is missing or 0" },
		{ TOP "sm 0\nnumber 1\n", 0, "the field sm or number is missing or 0" },
		{ TOP MUST "up 1", 4, "the line is truncated" },
		{ TOP MUST "up\n", 4, "no value" },
		{ TOP MUST "up\nx 1\n", 4, "no value" },
		{ TOP MUST "\n", 4, "no value" },
		{ TOP "x 1\n" MUST "up \n", 5, "up: invalid value" },
		{ TOP MUST "up 2\n", 4, "up: invalid value" },
		{ TOP MUST "up 1x\n", 4, "up: invalid value" },
		{ TOP MUST "up 1 \n", 4, "up: invalid value" },
		{ TOP MUST "state 3\n", 4, "state: invalid value" },
		{ TOP MUST "profile 2\n", 4, "profile: invalid value" },
		{ TOP MUST "layers 4\n", 4, "layers: invalid value" },
		{ TOP MUST "step 4294967296\n", 4, "step: invalid value" },
		{ TOP MUST "switches 4294967296\n", 4, "switches: invalid value" },
		{ TOP MUST "switches a\n", 4, "switches: invalid value" },
		{ TOP MUST "hash g\n", 4, "hash: invalid value" },
		{ TOP "number 9223372036854775808\n", 2, "number: invalid value" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		size_t len = strlen(T[i].text);
		char *exact = malloc(len ? len : 1);	/* so that a read beyond the end is noticed */
		struct moore_err err = { 0 };
		struct moore_notice n;

		memcpy(exact, T[i].text, len);
		CHECK_EQ(T[i].text, moore_notice_parse(&n, exact, len, &err),
			 T[i].error ? -MOORE_ESYNTAX : 0);
		CHECK_EQ(T[i].text, err.line, T[i].line);
		if (T[i].error)
			CHECK_STR(T[i].text, err.text, T[i].error);
		free(exact);
	}
}

/* Texts are cut to their field, the last value of a key counts, and control characters are
 * replaced. */
static void
texts(void **state)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_notice n;
	char xs[sizeof(n.topology) + 1];
	(void)state;

	memset(xs, 'x', sizeof(xs));
	for (unsigned len = sizeof(n.topology) - 2; len <= sizeof(n.topology) + 1; len++) {
		b.len = 0;
		moore_buf_fmt(&b, TOP MUST "topology ");
		moore_buf_add(&b, xs, len);
		moore_buf_fmt(&b, "\n");
		CHECK_EQ("accepted", moore_notice_parse(&n, b.data, b.len, NULL), 0);
		CHECK_EQ("cut", strlen(n.topology), len < sizeof(n.topology) ? len : sizeof(n.topology) - 1);
		CHECK_EQ("the field after it", n.why[0], 0);
	}
	b.len = 0;
	moore_buf_fmt(&b, TOP MUST "why a longer one\nwhy \t\x1f a~\x7f\xc3\xa9\n");
	CHECK_EQ("accepted", moore_notice_parse(&n, b.data, b.len, NULL), 0);
	assert_string_equal(n.why, "?? a~?\xc3\xa9");
	CHECK_EQ("nothing is left of the first value", n.why[strlen(n.why) + 1], 0);
	CHECK_EQ("nor at its end", n.why[11], 0);
	moore_buf_free(&b);
}

static void
size_limit(void **state)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_notice n;
	struct moore_err err;
	(void)state;

	moore_buf_fmt(&b, TOP MUST "x ");
	while (b.len < MOORE_NOTICE_MAX - 1)
		moore_buf_add(&b, "y", 1);
	moore_buf_add(&b, "\n", 1);
	CHECK_EQ("the greatest", moore_notice_parse(&n, b.data, b.len, &err), 0);
	b.data[b.len - 1] = 'y';
	moore_buf_add(&b, "\n", 1);
	CHECK_EQ("one byte more", moore_notice_parse(&n, b.data, b.len, &err), -MOORE_ESYNTAX);
	CHECK_EQ("at line 1", err.line, 1);
	moore_buf_free(&b);
}

/* ---- the rows of each switch --------------------------------------------------------------- */

static void
rows_written_and_read(void **state)
{
	struct moore_buf b = MOORE_BUF_INIT;
	uint32_t hash[] = { UINT32_MAX, 7, 0xabc, 7 };
	struct moore_rows r;
	(void)state;

	moore_rows_write(&b, 0x2c903000a1b2c, 70, hash, ARRAY_LEN(hash));
	moore_buf_add(&b, "", 1);
	assert_string_equal(b.data, "moore-rows 1 2c903000a1b2c 46\n000000070000000700000abcffffffff\n");
	CHECK("it is one", moore_rows_is(b.data, b.len) && !moore_rows_is(FULL_TEXT, sizeof(FULL_TEXT)));
	CHECK_OOM("read back", moore_rows_parse(&r, b.data, b.len - 1, NULL), (void)0);
	CHECK("whose", r.sm == 0x2c903000a1b2c && r.number == 70 && r.n == 4);
	CHECK("it has these", moore_rows_have(&r, 7) && moore_rows_have(&r, 0xabc) &&
	      moore_rows_have(&r, UINT32_MAX));
	CHECK("and no others", !moore_rows_have(&r, 6) && !moore_rows_have(&r, 8) && !moore_rows_have(&r, 0));
	moore_rows_free(&r);
	CHECK("none", !r.n && !moore_rows_have(&r, 0));
	moore_buf_free(&b);
}

static void
rows_accepted_and_refused(void **state)
{
	static const struct { const char *why, *text; int rc; unsigned line; } T[] = {
		{ "no switch", "moore-rows 1 a b\n\n", 0, 0 },
		{ "capitals", "moore-rows 1 A B\n0000ABCD\n", 0, 0 },
		{ "no line", "moore-rows 1 a b", -MOORE_ESYNTAX, 1 },
		{ "no second line", "moore-rows 1 a b\n", -MOORE_ESYNTAX, 2 },
		{ "one number", "moore-rows 1 a\n\n", -MOORE_ESYNTAX, 1 },
		{ "three numbers", "moore-rows 1 a b c\n\n", -MOORE_ESYNTAX, 1 },
		{ "another version", "moore-rows 2 a b\n\n", -MOORE_ESYNTAX, 1 },
		{ "too great", "moore-rows 1 a 10000000000000000\n\n", -MOORE_ESYNTAX, 1 },
		{ "truncated", "moore-rows 1 a b\n0000000100000\n", -MOORE_ESYNTAX, 2 },
		{ "no end", "moore-rows 1 a b\n00000001", -MOORE_ESYNTAX, 2 },
		{ "no digit", "moore-rows 1 a b\n0000000g\n", -MOORE_ESYNTAX, 2 },
		{ "a sign", "moore-rows 1 a b\n-0000001\n", -MOORE_ESYNTAX, 2 },
		{ "falling", "moore-rows 1 a b\n0000000200000001\n", -MOORE_ESYNTAX, 2 },
	};
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_rows r;
	struct moore_err err;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		CHECK_EQ(T[i].why, moore_rows_parse(&r, T[i].text, strlen(T[i].text), &err), T[i].rc);
		CHECK(T[i].why, !T[i].rc || (err.line == T[i].line && !r.hash));
		moore_rows_free(&r);
	}
	moore_buf_fmt(&b, "moore-rows 1 a b\n");
	for (unsigned i = 0; i <= MOORE_ROWS_MAX; i++)
		moore_buf_fmt(&b, "00000000");
	moore_buf_fmt(&b, "\n");
	CHECK_EQ("one switch too many", moore_rows_parse(&r, b.data, b.len, &err), -MOORE_ESYNTAX);
	b.data[b.len - 9] = '\n';
	CHECK_EQ("the most", moore_rows_parse(&r, b.data, b.len - 8, &err), 0);
	CHECK("fits a datagram", r.n == MOORE_ROWS_MAX && b.len - 8 <= MOORE_ROWS_BYTES);
	moore_rows_free(&r);
	moore_buf_free(&b);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_and_read),
		cmocka_unit_test(states),
		cmocka_unit_test(accepted_and_refused),
		cmocka_unit_test(texts),
		cmocka_unit_test(size_limit),
		cmocka_unit_test(rows_written_and_read),
		cmocka_unit_test(rows_accepted_and_refused),
	};

	return cmocka_run_group_tests_name("notice", tests, NULL, NULL);
}

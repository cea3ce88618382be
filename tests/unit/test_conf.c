// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_conf.c - what the reader of moore.conf accepts, and its errors for what it refuses. */
#include "harness.h"

#include "moore/conf.h"

static void
test_parse(void **state)
{
	static const struct {
		const char *why, *text;
		int want;
		unsigned line;
		const char *message, *plan;
		uint64_t seed;
	} T[] = {
		{ "empty: the defaults", "", 0, 0, NULL, "", 0 },
		{ "comments and blank lines", "# x\n\n  \t\n#seed 4\n", 0, 0, NULL, "", 0 },
		{ "both keys", "plan /a/b c.json\nseed 7\n", 0, 0, NULL, "/a/b c.json", 7 },
		{ "no newline at the end", "seed 0x10", 0, 0, NULL, "", 16 },
		{ "a comment after a value", "seed 3 # three\n", 0, 0, NULL, "", 3 },
		{ "a # inside a path", "plan /a#b\n", 0, 0, NULL, "/a#b", 0 },
		{ "(null) is none, as OpenSM writes it", "plan (null)\n", 0, 0, NULL, "", 0 },
		{ "DOS line ends", "seed 5\r\n", 0, 0, NULL, "", 5 },
		{ "unknown key", "\nsed 1\n", -MOORE_ESYNTAX, 2, "sed: unknown key", "", 0 },
		{ "no value", "seed\n", -MOORE_ESYNTAX, 1, "seed: has no value", "", 0 },
		{ "not a number", "seed x1\n", -MOORE_ESYNTAX, 1, "not a number from 0 to 18446744073709551615", "", 0 },
		{ "a number and more", "seed 1 2\n", -MOORE_ESYNTAX, 1, "not a number", "", 0 },
		{ "negative", "seed -1\n", -MOORE_ESYNTAX, 1, "not a number", "", 0 },
		{ "too large", "seed 18446744073709551616\n", -MOORE_ESYNTAX, 1, "not a number", "", 0 },
		{ "a word", "profile sl-hint\n", 0, 0, NULL, "", 0 },
		{ "a kind of layers", "layers inr\n", 0, 0, NULL, "", 0 },
		{ "no such kind", "layers valiant4\n", -MOORE_ESYNTAX, 1,
		  "\"valiant4\" is none of valiant3|nta|valiant|inr", "", 0 },
		{ "no such word", "profile sl\n", -MOORE_ESYNTAX, 1, "\"sl\" is none of any-sl|sl-hint", "", 0 },
		{ "sl-hint has four classes", "profile sl-hint\nclasses 0,3\n", 0, 0, NULL, "", 0 },
		{ "sl-hint beside a path", "profile sl-hint\nlinks /a\nplan /p\n", 0, 0, NULL, "/p", 0 },
		{ "and no fifth", "classes 0,4\nprofile sl-hint\n", -MOORE_ESYNTAX, 1,
		  "classes: SL 1 has class 4, and profile sl-hint has the classes 0 to 3", "", 0 },
		{ "twice", "seed 1\nplan x\nseed 1\n", -MOORE_ESYNTAX, 3, "seed: set twice", "", 0 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_conf c;
		struct moore_err err = { 0 };

		moore_conf_defaults(&c);
		CHECK_EQ(T[i].why, moore_conf_parse(&c, T[i].text, strlen(T[i].text), &err), T[i].want);
		CHECK_EQ(T[i].why, err.line, T[i].line);
		if (T[i].message)
			CHECK_STR(T[i].why, err.text, T[i].message);
		CHECK_STR(T[i].why, c.plan, T[i].plan);
		CHECK_EQ(T[i].why, strlen(c.plan), strlen(T[i].plan));
		CHECK_EQ(T[i].why, c.seed, T[i].seed);
	}
}

static void
test_classes(void **state)
{
	static const struct {
		const char *why, *text;
		int want;
		uint8_t of[MOORE_N_SL];
	} T[] = {
		{ "default: one class", "", 0, { 0 } },
		{ "the last holds for the rest", "classes 0,1\n", 0,
		  { 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ "all sixteen", "classes 0,1,2,3,4,5,6,0,0,0,0,0,0,0,0,5\n", 0,
		  { 0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 5 } },
		{ "class 7 would have VL 15", "classes 7\n", -MOORE_ESYNTAX, { 0 } },
		{ "seventeen", "classes 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n", -MOORE_ESYNTAX, { 0 } },
		{ "a comma at the end", "classes 0,1,\n", -MOORE_ESYNTAX, { 0 } },
		{ "a comma first", "classes ,1\n", -MOORE_ESYNTAX, { 0 } },
		{ "two commas", "classes 0,,1\n", -MOORE_ESYNTAX, { 0 } },
		{ "blanks", "classes 0, 1\n", -MOORE_ESYNTAX, { 0 } },
		{ "no number", "classes gold\n", -MOORE_ESYNTAX, { 0 } },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_conf c;
		struct moore_err err = { 0 };

		moore_conf_defaults(&c);
		CHECK_EQ(T[i].why, moore_conf_parse(&c, T[i].text, strlen(T[i].text), &err), T[i].want);
		CHECK(T[i].why, !memcmp(c.lanes.sl_class, T[i].of, sizeof(T[i].of)));
		if (T[i].want)
			CHECK_STR(T[i].why, err.text, "is not 1 to 16 numbers from 0 to 6");
	}
}

static void
test_long_path(void **state)
{
	char text[3000] = "plan ";
	struct moore_conf c = { .seed = 9 };
	struct moore_err err;
	(void)state;

	memset(text + 5, 'x', sizeof(text) - 6);
	text[sizeof(text) - 1] = '\0';
	CHECK_EQ("refused", moore_conf_parse(&c, text, strlen(text), &err), -MOORE_ESYNTAX);
	CHECK_STR("says why", err.text, "longer than 1023 bytes");
	CHECK_EQ("and leaves *c as it was", c.seed, 9);
}

static void
test_set(void **state)
{
	static const struct {
		const char *why, *key, *value;
		int want;
	} T[] = {
		{ "a word", "profile", "sl-hint", 0 },
		{ "a map", "classes", "0,1", 0 },
		{ "no map at all", "classes", "", -MOORE_ESYNTAX },
		{ "no word of it", "profile", "none", -MOORE_ESYNTAX },
		{ "no class of the profile that is set", "classes", "4", -MOORE_ESYNTAX },
	};
	struct moore_conf c, was;
	struct moore_err err;
	(void)state;

	moore_conf_defaults(&c);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		was = c;
		err.line = 0;
		CHECK_EQ(T[i].why, moore_conf_set(&c, T[i].key, T[i].value, &err), T[i].want);
		CHECK_EQ(T[i].why, !memcmp(&c, &was, sizeof(c)), T[i].want != 0);
		CHECK_EQ("no line of a file", err.line, 0);
	}
	CHECK_EQ("the profile", c.profile, MOORE_PROFILE_SL_HINT);
	CHECK_EQ("the class", c.lanes.sl_class[15], 1);
}

/* Two classes; SL 4 asks for the second. */
static void
test_policy(void **state)
{
	static const struct moore_lane_opts o = { { 0, 0, 0, 0, 1, 1, 1, 1 } };
	static const struct {
		const char *why, *text;
		bool partitions;
		unsigned n, line, wrong;
	} T[] = {
		{ "nothing", "", true, 0, 0, 0 },
		{ "no SL", "Default=0x7fff, ipoib : ALL=full;\n", true, 0, 0, 0 },
		{ "class 0 and class 1", "A=1,sl=0:ALL;\nB=2, sl = 4 : ALL;\n", true, 2, 0, 0 },
		{ "a table's number", "A=1,ipoib:ALL;\nB=2,sl=1:ALL;\n", true, 1, 2, 1 },
		{ "the first of them", "A=1,sl=0:ALL;\nB=2,sl=8:ALL;\nC=3,sl=9:ALL;", true, 3, 2, 8 },
		{ "of a group", "A=1,sl=4 : mgid=ff12::1,sl=5 ;", true, 2, 1, 5 },
		{ "a comment", "#A=1,sl=1:ALL;\nB=2:ALL; # sl=1\n", true, 0, 0, 0 },
		{ "a name that ends so", "Wessl=1,defmember=full:ALL;\n", true, 0, 0, 0 },
		{ "no SL of that number", "A=1,sl=16:ALL;\n", true, 0, 0, 0 },
		{ "a level", "qos-levels\n qos-level\n  name: DEFAULT\n  SL : 2\n", false, 1, 4, 2 },
		{ "a simple rule", "qos-ulps\n default : 0\n any, pkey 0x0ABC : 6\nend-qos-ulps\n",
		  false, 2, 3, 6 },
		{ "other numbers", "qos-ulps\nend-qos-ulps\nport-groups\n use: 7\n", false, 0, 0, 0 },
		{ "rules with ports", "qos-ulps\n sdp, port-num 30000 : 4\n", false, 1, 0, 0 },
		{ "words that stand first or behind each separator",
		  "sl=0\n sl=0\n\tsl=0\nA,sl=0\nA:sl=0\nA;sl=0\nsl=0,sl=5", true, 8, 7, 5 },
		{ "blanks of all kinds", "A=1, SL\t\r =\r\t 4:ALL;\r\n", true, 1, 0, 0 },
		{ "hexadecimal", "A=1,sl=0x5:ALL;\n", true, 1, 1, 5 },
		{ "empty lines count", "\n\n#\nA=1,sl=1:ALL;\n", true, 1, 4, 1 },
		{ "SL 15, and no more", "A=1,sl=15:ALL;\nA=1,sl=17:ALL;\n", true, 1, 1, 15 },
		{ "another first letter", "A=1,tl=5", true, 0, 0, 0 },
		{ "another first letter of a level", "tl: 5", false, 0, 0, 0 },
		{ "a letter of the word at the end", "A=1,s", true, 0, 0, 0 },
		{ "the word at the end", "A=1,sl", true, 0, 0, 0 },
		{ "blanks at the end", "A=1,sl ", true, 0, 0, 0 },
		{ "no number at the end", "A=1,sl=", true, 0, 0, 0 },
		{ "blanks in its place", "A=1,sl= ", true, 0, 0, 0 },
		{ "one digit at the end", "A=1,sl=5", true, 1, 1, 5 },
		{ "a colon is of the other file", "A=1,sl:5", true, 0, 0, 0 },
		{ "= is of the other file", "sl=5", false, 0, 0, 0 },
		{ "a level's word at the end", "sl", false, 0, 0, 0 },
		{ "a level's blank at the end", "sl ", false, 0, 0, 0 },
		{ "a level without a number", "sl:", false, 0, 0, 0 },
		{ "a level in tabs", "\t\tsl\t:\t5", false, 1, 1, 5 },
		{ "a longer word", "slow: 5\nname: sl: 5\n", false, 0, 0, 0 },
		{ "no rule without a colon", "qos-ulps\n 5\n5\nsl 5\n", false, 0, 0, 0 },
		{ "the last colon counts", "qos-ulps\nany, pkey 1:2 :4\n", false, 1, 0, 0 },
		{ "a rule that is only a colon", "qos-ulps\n :5\n", false, 1, 2, 5 },
		{ "a rule that ends with a colon", "qos-ulps\n default :", false, 0, 0, 0 },
		{ "rules in capitals, and a level after them",
		  "QOS-ULPS\ndefault : 4\nEnd-Qos-Ulps\nx: 5\nsl: 6\n", false, 2, 5, 6 },
		{ "a level's line among rules", "qos-ulps\nsl: 5\n", false, 1, 2, 5 },
		{ "a control character is not a hyphen", "qos\rulps\nx: 5\n", false, 0, 0, 0 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		size_t len = strlen(T[i].text);
		char *exact = malloc(len ? len : 1);	/* so that a read beyond the end is noticed */
		struct moore_policy_sls f;

		memcpy(exact, T[i].text, len);
		f = moore_policy_scan(exact, len, T[i].partitions, &o);
		free(exact);
		CHECK_EQ(T[i].why, f.n, T[i].n);
		CHECK_EQ(T[i].why, f.wrong_line, T[i].line);
		CHECK_EQ(T[i].why, f.wrong, T[i].wrong);
	}
}

/* SL 8 means class 1, so SL 4 is its first; but SL 4 itself means class 0. */
static void
test_policy_meaning(void **state)
{
	static const struct moore_lane_opts o = { { [8] = 1 } };
	static const char text[] = "sl=0\nsl=4\n";
	struct moore_policy_sls f = moore_policy_scan(text, strlen(text), true, &o);
	(void)state;

	CHECK_EQ("both are found", f.n, 2);
	CHECK_EQ("the second is wrong", f.wrong_line, 2);
	CHECK_EQ("it is SL 4", f.wrong, 4);
}

static void
test_template(void **state)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_conf c, d;
	struct moore_err err;
	(void)state;

	moore_conf_template(&b);
	moore_conf_defaults(&d);
	CHECK_EQ("the template parses", moore_conf_parse(&c, b.data, b.len, &err), 0);
	CHECK("and holds the defaults", !memcmp(&c, &d, sizeof(c)));
	assert_string_equal(moore_conf_key_at(0)->key, "plan");
	for (size_t i = 0; moore_conf_key_at(i); i++)
		CHECK_STR("every key stands in it", b.data, moore_conf_key_at(i)->key);
	moore_buf_free(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_long_path),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_policy),
		cmocka_unit_test(test_policy_meaning),
		cmocka_unit_test(test_template),
	};

	return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}

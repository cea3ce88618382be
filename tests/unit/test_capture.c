// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_capture.c - captures: pseudonyms, and the archive.  `tar` reads what tar.c writes, and
 * the other way round, in tests/cli/capture.bats. */
#include "harness.h"

#include "moore/answer.h"
#include "moore/capture.h"
#include "plan_of.h"

/* ---- the keyed hash ------------------------------------------------------------------- */

/* SipHash's authors give these values for key 00 01 .. 0f and text 00 01 .. (len - 1). */
static void
test_siphash(void **state)
{
	static const struct {
		size_t len;
		uint64_t want;
	} T[] = {
		{ 0, 0x726fdb47dd0e0e31 }, { 1, 0x74f839c593dc67fd }, { 7, 0xab0200f58b01d137 },
		{ 8, 0x93f5f5799a932462 }, { 15, 0xa129ca6149be45e5 },
	};
	uint8_t key[MOORE_KEY_BYTES], text[16];
	(void)state;

	for (uint8_t i = 0; i < 16; i++)
		key[i] = text[i] = i;
	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		if (moore_keyed_hash(key, text, T[i].len) != T[i].want)
			fail_msg("%zu bytes: %llx", T[i].len,
				 (unsigned long long)moore_keyed_hash(key, text, T[i].len));
}

/* ---- pseudonyms ----------------------------------------------------------------------- */

static struct moore_fabric *
fabric(void)
{
	struct moore_plan *p = plan_of("slimfly", "q=3 p=2");
	struct moore_fabric *f;

	assert_int_equal(moore_fabric_from_plan(&f, p, 1, NULL), 0);
	moore_plan_free(p);
	return f;
}

static void
test_pseudonyms(void **state)
{
	const uint8_t key[MOORE_KEY_BYTES] = { 7 }, other[MOORE_KEY_BYTES] = { 8 };
	struct moore_fabric *was = fabric(), *a = fabric(), *b = fabric(), *c = fabric();
	(void)state;

	free(a->ep[1].name);		/* two hosts of one name */
	a->ep[1].name = moore_strndup(a->ep[0].name, strlen(a->ep[0].name));
	a->sw[2].port_guid = 0;
	assert_int_equal(moore_fabric_pseudonyms(a, key, NULL), 0);
	assert_int_equal(moore_fabric_pseudonyms(b, key, NULL), 0);
	assert_int_equal(moore_fabric_pseudonyms(c, other, NULL), 0);
	for (moore_swid s = 0; s < was->n_switches; s++) {
		CHECK("a GUID is replaced", a->sw[s].guid != was->sw[s].guid && a->sw[s].guid >> 56 == 2);
		CHECK("one key, one GUID", a->sw[s].guid == b->sw[s].guid);
		CHECK("another key, another GUID", a->sw[s].guid != c->sw[s].guid);
		CHECK("a name is replaced", !strncmp(a->sw[s].name, "sw-", 3) &&
		      !strcmp(a->sw[s].name, b->sw[s].name) && strcmp(a->sw[s].name, c->sw[s].name));
		CHECK("LIDs stay", a->sw[s].lid == was->sw[s].lid);
	}
	CHECK("equal names stay equal", !strcmp(a->ep[0].name, a->ep[1].name));
	CHECK("others do not become equal", strcmp(a->ep[0].name, a->ep[2].name) != 0);
	CHECK("no GUID stays none", a->sw[2].port_guid == 0);
	assert_memory_equal(a->port, was->port, was->n_ports * sizeof(*was->port));
	moore_fabric_free(was);
	moore_fabric_free(a);
	moore_fabric_free(b);
	moore_fabric_free(c);
}

/* ---- the archive ---------------------------------------------------------------------- */

static void
add(struct moore_buf *b, const char *name, const char *text)
{
	moore_tar_head(b, name, strlen(text), 1000);
	moore_buf_add(b, text, strlen(text));
	moore_tar_pad(b, strlen(text));
}

/* A capture of two members; the reader does not look into them. */
static struct moore_buf
archive(void)
{
	struct moore_capture c = { .at = 1000 };
	struct moore_buf b = MOORE_BUF_INIT;
	char *manifest;
	json_t *o;

	for (int i = MOORE_CAPTURED_SUBNET; i <= MOORE_CAPTURED_LFTS; i++) {
		c.member[i] = (struct moore_member){ moore_captured_name(i), "text", 4 };
		c.hash[i] = moore_hash(MOORE_HASH_INIT, "text", 4);
		add(&b, c.member[i].name, "text");
	}
	o = moore_answer_capture(&c);
	manifest = json_dumps(o, 0);
	add(&b, MOORE_MANIFEST, manifest);
	moore_tar_end(&b);
	json_decref(o);
	free(manifest);
	return b;
}

static void
test_round_trip(void **state)
{
	struct moore_buf b = archive();
	struct moore_capture c;
	(void)state;

	assert_int_equal(moore_capture_open(&c, b.data, b.len, NULL), 0);
	assert_int_equal(c.at, 1000);
	CHECK("the members are there", c.member[MOORE_CAPTURED_LFTS].len == 4 &&
	      !memcmp(c.member[MOORE_CAPTURED_LFTS].data, "text", 4));
	CHECK("and no other", !c.member[MOORE_CAPTURED_PLAN].name);
	moore_buf_free(&b);
}

/* Every cut is noticed, but within the last block of zeros, and every changed byte that the
 * reader uses. */
static void
test_damage(void **state)
{
	struct moore_buf b = archive();
	const size_t manifest = 4 * 512;	/* behind two members of two blocks each */
	struct moore_capture c;
	struct moore_err err;
	(void)state;

	for (size_t len = 0; len <= b.len - 1024; len++)
		if (moore_capture_open(&c, b.data, len, &err) == 0)
			fail_msg("cut to %zu of %zu bytes: accepted", len, b.len);
	for (size_t i = 0; i < manifest; i++) {
		if (i % 1024 >= 516)
			continue;	/* the padding of a member means nothing */
		b.data[i] ^= 4;
		if (moore_capture_open(&c, b.data, b.len, &err) == 0)
			fail_msg("byte %zu changed: accepted", i);
		b.data[i] ^= 4;
	}
	moore_buf_free(&b);
}

/* What else an archive may hold is refused, with the reason. */
static void
test_hostile(void **state)
{
	static const struct {
		const char *why, *name, *text;
	} T[] = {
		{ "a path", "../opensm-lfts.dump", "plain names" },
		{ "an absolute path", "/etc/passwd", "plain names" },
		{ "a hidden file", ".profile", "plain names" },
		{ "an option", "-rf", "plain names" },
		{ "a control character", "a\033b", "plain names" },
		{ "no name", "", "plain names" },
		{ "a file of something else", "passwd", "no member of a capture has this name" },
		{ "a member twice", "opensm-lfts.dump", "occurs twice" },
		{ "a member that is not listed", "plan.json", "does not list it" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_buf b = MOORE_BUF_INIT, rest = archive();
		struct moore_capture c;
		struct moore_err err;

		add(&b, T[i].name, "x");
		moore_buf_add(&b, rest.data, rest.len);
		CHECK(T[i].why, moore_capture_open(&c, b.data, b.len, &err) == -MOORE_ESYNTAX);
		if (!strstr(err.text, T[i].text))
			fail_msg("%s: %s", T[i].why, err.text);
		moore_buf_free(&b);
		moore_buf_free(&rest);
	}
}

/* A header may claim any size and be of any type, with the right sum. */
static void
test_headers(void **state)
{
	static const struct {
		const char *why, *bytes;
		size_t at;
		const char *text;
	} T[] = {
		{ "8 GiB", "77777777777", 124, "cut off" },
		{ "a size in binary", "\200\377\377\377\377\377\377\377\377\377\377", 124, "no number" },
		{ "a negative size", "-0000000001", 124, "no number" },
		{ "a symbolic link", "2", 156, "plain names" },
		{ "a folder", "5", 156, "plain names" },
		{ "a device", "4", 156, "plain names" },
		{ "a long name of GNU tar", "L", 156, "plain names" },
		{ "another magic", "zip", 257, "no tar archive" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_buf b = archive();
		struct moore_capture c;
		struct moore_err err;
		unsigned sum = 0;

		memcpy(b.data + T[i].at, T[i].bytes, strlen(T[i].bytes));
		memset(b.data + 148, ' ', 8);
		for (size_t k = 0; k < 512; k++)
			sum += (uint8_t)b.data[k];
		snprintf(b.data + 148, 8, "%06o", sum);
		CHECK(T[i].why, moore_capture_open(&c, b.data, b.len, &err) == -MOORE_ESYNTAX);
		if (!strstr(err.text, T[i].text))
			fail_msg("%s: %s", T[i].why, err.text);
		moore_buf_free(&b);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_siphash),
		cmocka_unit_test(test_pseudonyms),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_headers),
	};

	return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_answer.c - answers when memory runs out, values that are unknown, and how schemas
 * are written out.  That answers follow their schemas is tested on what moorectl prints
 * (tests/answers.py). */
#include "harness.h"
#include "fabrics.h"
#include "moore/answer.h"
#include "moore/conf.h"

/* A square of switches with an endpoint each; routes by the port that leads ahead. */
static struct {
	struct moore_fabric *f;
	struct moore_lft *lft;
	struct moore_sl2vl *sl2vl;
	struct moore_lid_owner *owner;
	struct moore_verdict *v;
	struct moore_quality *q;
	struct moore_answer_tables t;
} square;

static int
set_up(void **state)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 } };
	static const struct moore_check_opts all = { 0 };
	static const uint16_t one[4] = { 1, 1, 1, 1 };
	struct moore_fabric *f = test_fabric(4, link, 4, one, 1);

	(void)state;
	json_set_alloc_funcs(malloc, free);	/* those that fail on demand */
	square.f = f;
	if (moore_lft_new(&square.lft, 4, f->lid_top, NULL) < 0 ||
	    moore_sl2vl_new(&square.sl2vl, f, NULL) < 0 ||
	    moore_fabric_lids(f, &square.owner, NULL) < 0)
		return -1;
	for (moore_swid s = 0; s < 4; s++)
		for (unsigned lid = 1; lid <= f->lid_top; lid++) {
			const struct moore_lid_owner *o = &square.owner[lid];

			if (o->sw != MOORE_NONE)
				moore_lft_row(square.lft, s)[lid] = o->sw == s ? o->port : 2;
		}
	square.t = (struct moore_answer_tables){ .f = f, .lft = square.lft, .sl2vl = square.sl2vl,
		.owner = square.owner };
	return moore_check(&square.v, f, square.lft, square.sl2vl, NULL, &all, NULL) |
	       moore_quality_measure(&square.q, f, square.lft, NULL);
}

static int
tear_down(void **state)
{
	(void)state;
	moore_quality_free(square.q);
	moore_verdict_free(square.v);
	free(square.owner);
	moore_sl2vl_free(square.sl2vl);
	moore_lft_free(square.lft);
	moore_fabric_free(square.f);
	return 0;
}

/* ---- memory ------------------------------------------------------------------------ */

static json_t *
make_verdict(void)
{
	static const struct moore_check_opts all = { 0 };
	const struct moore_dangling d = { .n = 1, .lid = 3, .port = 2 };

	return moore_answer_verdict(&square.t, &all, square.v, &d);
}

static json_t *
make_path(void)
{
	struct moore_hop hop[4];
	struct moore_path p = { .sw = 0, .in = 1, .lid = square.f->ep[2].lid, .hop = hop };

	moore_path_walk(square.f, square.lft, square.sl2vl, square.owner, &p);
	return moore_answer_path(&square.t, "sw0", "sw\xff", &p);
}

static json_t *
make_lft(void)
{
	return moore_answer_lft(&square.t, 1);
}

static json_t *
make_sl2vl(void)
{
	return moore_answer_sl2vl(&square.t, 1);
}

static json_t *
make_quality(void)
{
	return moore_answer_quality(square.f, square.q);
}

static json_t *
make_error(void)
{
	return moore_answer_error("no such file", "a/b", 3);
}

/* With each allocation failing in turn the answer is NULL, never one that lacks a part.
 * Schemas are left out: jansson's parser drops a byte when its buffer cannot grow. */
static void
test_memory(void **state)
{
	static const struct {
		const char *why;
		json_t *(*make)(void);
	} T[] = {
		{ "verdict with a cycle", make_verdict }, { "path", make_path }, { "lft", make_lft },
		{ "sl2vl", make_sl2vl }, { "quality", make_quality }, { "error", make_error },
		{ "families", moore_answer_families }, { "conf", moore_answer_conf },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		json_t *whole = T[i].make(), *j = NULL;
		long n = 0;

		CHECK(T[i].why, whole);
		for (; !j && n < 100000; n++) {
			alloc_count = 0;
			alloc_fail_at = n;
			j = T[i].make();
			alloc_fail_at = -1;
			CHECK(T[i].why, !j || json_equal(j, whole));
		}
		CHECK(T[i].why, j && n > 1);
		json_decref(j);
		json_decref(whole);
	}
}

/* ---- values --------------------------------------------------------------------------- */

static void
test_values(void **state)
{
	static const struct {
		const char *why, *json;
	} T[] = {
		{ "an unknown GUID", "null" }, { "a GUID", "\"0x0000000000000102\"" },
		{ "no rate", "null" }, { "no share", "null" }, { "a share", "0.333333" },
		{ "no bytes", "null" }, { "bytes", "7" }, { "no name", "\"\"" },
		{ "a name that is not UTF-8", "\"s?1\"" },
		{ "an error without a place",
		  "{\"error\":{\"file\":null,\"line\":null,\"text\":\"x\"},\"ok\":false}" },
	};
	json_t *j[] = {
		moore_json_guid(0), moore_json_guid(0x102), moore_json_rate((struct moore_rate){ 0 }),
		moore_json_share(-1), moore_json_share(1 / 3.0), moore_json_bytes(-1),
		moore_json_bytes(7.9), moore_json_name(NULL), moore_json_name("s\xff" "1"),
		moore_answer_error("x", NULL, 0),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		char *s = json_dumps(j[i], JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_COMPACT |
				     JSON_REAL_PRECISION(9));

		CHECK_STR(T[i].why, s, T[i].json);
		free(s);
		json_decref(j[i]);
	}
}

/* ---- schemas ---------------------------------------------------------------------------- */

static void
test_schemas(void **state)
{
	const struct moore_answer *a;

	(void)state;
	for (size_t i = 0; (a = moore_answer_at(i)); i++) {
		json_t *schema = moore_answer_schema(a->name), *key;
		char *s = json_dumps(schema, JSON_COMPACT);
		size_t k;

		CHECK(a->name, s && !strchr(s, '?') && !strchr(s, '\''));
		CHECK(a->name, json_is_false(json_object_get(schema, "additionalProperties")));
		json_array_foreach(json_object_get(schema, "required"), k, key)
			CHECK(a->name, json_object_get(json_object_get(schema, "properties"),
						       json_string_value(key)));
		CHECK(a->name, k > 0);
		free(s);
		json_decref(schema);
	}
	CHECK("there is no such answer", !moore_answer_schema("nothing"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory), cmocka_unit_test(test_values),
		cmocka_unit_test(test_schemas),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

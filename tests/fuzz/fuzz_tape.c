// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_tape.c - any bytes as JSON, against jansson: both accept the same texts, and what they
 * read is the same.  Not compared: texts with escapes, with bytes that are not ASCII or with
 * numbers beyond 64 bits, where the tape is simpler by intent. */
#include <jansson.h>

#include "driver.h"
#include "ether/tape.h"

static const char fuzz_name[] = "JSON on a tape";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"{\"lldp\": [{\"interface\": [{\"name\": \"swp1\", \"n\": -12.5e+3, \"on\": true, \"off\": false,"
		" \"none\": null, \"list\": [], \"object\": {}}, 0, 7, \"\"]}]}\n",
		"[{}, {\"a\": {\"a\": [[1, 2], [3]]}, \"b\": \"x y\"}, -0, 0.1, 10E5]",
		"{\"a\": 1, \"b\": {\"a\": 2}, \"c\\u0041\\n\\\"\": \"\\\\\"}",
		NULL
	};

	return seeds;
}

static void
must(bool good)
{
	if (!good)
		abort();
}

static void same(const struct moore_tape *t, uint32_t i, json_t *j);

static void
same_object(const struct moore_tape *t, uint32_t i, json_t *j)
{
	const char *key;
	json_t *value;

	must(json_object_size(j) == t->item[i].len);
	json_object_foreach(j, key, value)
		same(t, moore_tape_get(t, i, key), value);
}

static void
same(const struct moore_tape *t, uint32_t i, json_t *j)
{
	uint32_t x = i + 1;
	char text[4096];

	must(i);
	must(json_is_object(j) == moore_tape_is(t, i, MOORE_JSON_OBJECT));
	must(json_is_true(j) == moore_tape_is(t, i, MOORE_JSON_TRUE));
	must(json_is_false(j) == moore_tape_is(t, i, MOORE_JSON_FALSE));
	must(json_is_null(j) == moore_tape_is(t, i, MOORE_JSON_NULL));
	must(json_is_number(j) == moore_tape_is(t, i, MOORE_JSON_NUMBER));
	if (json_is_object(j))
		same_object(t, i, j);
	for (size_t k = 0; json_is_array(j) && k < json_array_size(j); k++, x = t->item[x].next)
		same(t, x, json_array_get(j, k));
	must(!json_is_array(j) || (t->item[i].len == json_array_size(j) && x == t->item[i].next));
	if (json_is_string(j) && json_string_length(j) < sizeof(text))
		must(moore_tape_text(t, i, text, sizeof(text)) && !strcmp(text, json_string_value(j)));
	if (json_is_integer(j) && json_integer_value(j) >= 0)
		must(moore_tape_number(t, i, INT64_MAX) == (uint64_t)json_integer_value(j));
}

static bool
is_plain(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (data[i] == '\\' || data[i] >= 0x80)
			return false;
	return true;
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	struct moore_tape t;
	struct moore_err err;
	json_error_t why;
	json_t *j;
	int rc = moore_tape_read(&t, (const char *)data, len, &err);

	must(rc == 0 || (rc == -MOORE_ESYNTAX && err.line));
	if (is_plain(data, len)) {
		j = json_loadb((const char *)data, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
		must((j && rc == 0) || (!j && (rc < 0 || strstr(why.text, "too big") ||
					       strstr(why.text, "overflow"))));
		if (j)
			same(&t, 1, j);
		json_decref(j);
	}
	moore_tape_fini(&t);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_schema.c - values against schemas, keyword by keyword, and schemas with keywords
 * that the validator does not implement. */
#include <jansson.h>

#include "daemon/rpc/schema.h"
#include "harness.h"

static const struct {
	const char *why, *schema, *value, *complaint;	/* NULL: the value satisfies the schema */
} T[] = {
	{ "an integer is an integer", "{'type':'integer'}", "1", NULL },
	{ "an integer is a number", "{'type':'number'}", "1", NULL },
	{ "a real is no integer", "{'type':'integer'}", "1.0", "want integer" },
	{ "a boolean is no integer", "{'type':'integer'}", "true", "want integer" },
	{ "null is null", "{'type':'null'}", "null", NULL },
	{ "one of two types", "{'type':['string','null']}", "null", NULL },
	{ "none of two types", "{'type':['string','null']}", "3", "want string or null" },
	{ "required is there", "{'required':['a']}", "{'a':null}", NULL },
	{ "required is not there", "{'required':['a']}", "{'b':1}", "a is missing" },
	{ "required says nothing of others", "{'required':['a']}", "3", NULL },
	{ "a property has its schema", "{'properties':{'a':{'type':'string'}}}", "{'a':1}",
	  "params.a: want string" },
	{ "an absent property has none", "{'properties':{'a':{'type':'string'}}}", "{}", NULL },
	{ "unknown may be there", "{'properties':{'a':{}}}", "{'b':1}", NULL },
	{ "unknown may not be there", "{'properties':{'a':{}},'additionalProperties':false}",
	  "{'b':1}", "b is not known" },
	{ "one of a list", "{'enum':['x','y']}", "'y'", NULL },
	{ "none of a list", "{'enum':['x','y']}", "'z'", "none of x, y" },
	{ "at the minimum", "{'minimum':2}", "2", NULL },
	{ "below it", "{'minimum':2}", "1", "1 is below 2" },
	{ "at the maximum", "{'maximum':2}", "2", NULL },
	{ "above it", "{'maximum':2}", "3", "3 is above 2" },
	{ "bounds say nothing of text", "{'maximum':2}", "'300'", NULL },
	{ "short enough", "{'maxLength':2}", "'ab'", NULL },
	{ "too long", "{'maxLength':2}", "'abc'", "longer than 2" },
	{ "too short", "{'minLength':1}", "''", "too short" },
	{ "each item", "{'items':{'type':'integer'}}", "[1,2,'x']", "params[2]: want integer" },
	{ "too many items", "{'maxItems':2}", "[1,2,3]", "more than 2" },
	{ "a place deep inside",
	  "{'properties':{'a':{'items':{'properties':{'b':{'maximum':1}}}}}}",
	  "{'a':[{'b':0},{'b':9}]}", "params.a[1].b: 9 is above 1" },
};

static json_t *
read_json(const char *text)
{
	char copy[400];
	json_t *j;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	j = json_loads(copy, JSON_DECODE_ANY, NULL);
	CHECK(text, j);
	return j;
}

static void
test_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		json_t *schema = read_json(T[i].schema), *value = read_json(T[i].value);
		char why[200] = "";

		CHECK(T[i].why, schema_valid(schema, why, sizeof(why)));
		CHECK_EQ(T[i].why, schema_check(schema, value, why, sizeof(why)), !T[i].complaint);
		if (T[i].complaint)
			CHECK_STR(T[i].why, why, T[i].complaint);
		json_decref(schema);
		json_decref(value);
	}
}

static const struct {
	const char *why, *schema, *complaint;
} BAD[] = {
	{ "a keyword that nobody checks", "{'pattern':'x'}", "params.pattern" },
	{ "a type that there is not", "{'type':'int'}", "params.type" },
	{ "no type at all", "{'type':[]}", "params.type" },
	{ "additionalProperties with a schema", "{'additionalProperties':{}}", "additionalProp" },
	{ "a limit that is a text", "{'maximum':'3'}", "params.maximum" },
	{ "a negative count", "{'maxItems':-1}", "params.maxItems" },
	{ "an enum of numbers", "{'enum':[1]}", "params.enum" },
	{ "a fault inside", "{'properties':{'a':{'items':{'max':1}}}}",
	  "params.properties.a.items.max" },
	{ "no object", "[]", "no schema" },
};

static void
test_schemas(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
		json_t *schema = read_json(BAD[i].schema);
		char why[200] = "";

		CHECK(BAD[i].why, !schema_valid(schema, why, sizeof(why)));
		CHECK_STR(BAD[i].why, why, BAD[i].complaint);
		json_decref(schema);
	}
}

/* A complaint fits its buffer, however long the quoted text is. */
static void
test_long(void **state)
{
	json_t *schema = read_json("{'additionalProperties':false}"), *value = json_object();
	char key[5000], why[40];

	(void)state;
	memset(key, 'k', sizeof(key) - 1);
	key[sizeof(key) - 1] = '\0';
	json_object_set_new(value, key, json_null());
	for (size_t n = 1; n <= sizeof(why); n++) {
		memset(why, 'x', sizeof(why));
		CHECK("unknown", !schema_check(schema, value, why, n));
		CHECK("ends", memchr(why, '\0', n));
	}
	json_decref(schema);
	json_decref(value);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_schemas),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_plan.c - plans made from a topology, their JSON, their invariants and their GUIDs. */
#include <math.h>
#include <time.h>

#include <jansson.h>

#include "harness.h"
#include "random_plan.h"

/* A plan with every field, laid out as the writer does. */
static const char full[] =
"{\n"
"\"moore_plan\": 1,\n"
"\"topology\": {\"family\": \"slimfly\", \"q\": 5, \"p\": -1},\n"
"\"permutation_seed\": 7,\n"
"\"switches\": [\n"
"  {\"name\": \"leaf 1\", \"ports\": 5, \"guid\": \"0x0002c90300000010\", \"cabinet\": \"R1 \\\"A\\\"\", \"unit\": 40},\n"
"  {\"name\": \"s1\", \"ports\": 4},\n"
"  {\"name\": \"s2\", \"ports\": 36, \"cabinet\": \"R2\"}\n"
"],\n"
"\"endpoints\": [\n"
"  {\"name\": \"h0\", \"switch\": \"leaf 1\", \"port\": 1},\n"
"  {\"name\": \"h1 mlx5_0\", \"switch\": \"s1\", \"port\": 4, \"guid\": \"0x0002c90300000101\"},\n"
"  {\"name\": \"h0\", \"switch\": \"s1\", \"port\": 1, \"ca_port\": 2}\n"
"],\n"
"\"cables\": [\n"
"  {\"a\": {\"switch\": \"leaf 1\", \"port\": 3}, \"b\": {\"switch\": \"s1\", \"port\": 3}, \"length\": 2.3, \"label\": \"C-1, \\\"blue\\\" \\\\ x\"},\n"
"  {\"a\": {\"switch\": \"leaf 1\", \"port\": 5}, \"b\": {\"switch\": \"s2\", \"port\": 1}, \"length\": 3},\n"
"  {\"a\": {\"switch\": \"s1\", \"port\": 2}, \"b\": {\"switch\": \"s2\", \"port\": 3}}\n"
"]\n"
"}\n";

static int
parse(struct moore_plan **p, const char *text, struct moore_err *err)
{
	return moore_plan_parse(p, text, strlen(text), err);
}

static void
test_full(void **state)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_plan *p;
	uint32_t parts = 0;
	(void)state;

	CHECK_EQ("reads", parse(&p, full, NULL), 0);
	assert_string_equal(p->family, "slimfly");
	assert_string_equal(p->key[1], "p");
	CHECK_EQ("parameters", p->n_params, 2);
	CHECK_EQ("q", p->value[0], 5);
	CHECK_EQ("p", p->value[1], -1);
	CHECK_EQ("seed", p->permuted && p->permutation_seed == 7, 1);
	assert_string_equal(p->sw[0].cabinet, "R1 \"A\"");
	CHECK_EQ("unit", p->sw[0].unit, 40);
	CHECK_EQ("guid", p->sw[0].guid, 0x0002c90300000010);
	CHECK_EQ("no guid", p->sw[1].guid, 0);
	CHECK_EQ("ports", p->sw[2].ports, 36);
	CHECK_EQ("one port by default", p->ep[1].ca_port, 1);
	CHECK_EQ("ca_port", p->ep[2].ca_port, 2);
	CHECK_EQ("switch by name", p->ep[2].sw, 1);
	assert_string_equal(p->cable[0].label, "C-1, \"blue\" \\ x");
	CHECK("length", p->cable[0].length == 2.3 && p->cable[1].length == 3 &&
	      p->cable[2].length == 0);
	CHECK_EQ("cable end", p->cable[2].sw[1], 2);
	CHECK_EQ("cable port", p->cable[2].port[1], 3);
	CHECK_EQ("check", moore_plan_check(p, &parts, NULL), 0);
	CHECK_EQ("in one piece", parts, 1);
	CHECK_EQ("writes", moore_plan_write(p, &b, NULL), 0);
	assert_string_equal(b.data, full);
	moore_buf_free(&b);
	moore_plan_free(p);
}

/* A copy of full[] in which the first `from` is replaced by `to`; if `from` is "", a copy
 * of `to` alone. */
static char *
edited(const char *from, const char *to)
{
	const char *at = strstr(full, from);
	char *t = NULL;

	if (!*from)
		return strdup(to);
	CHECK(from, at != NULL);
	CHECK(from, asprintf(&t, "%.*s%s%s", (int)(at - full), full, to, at + strlen(from)) > 0);
	return t;
}

#define PORT4 "\"s1\", \"port\": 4"
#define NAME_64 "0123456789012345678901234567890123456789012345678901234567890123"

static const struct {
	const char *why, *from, *to;
	int rc;
	unsigned line;
	const char *text;
} bad[] = {
	{ "a rate that is none", "\"switches\"", "\"rate\": \"4xFAST\", \"switches\"", MOORE_ESYNTAX, 0, "rate: \"4xFAST\" is not a rate" },
	{ "a width that is none", "\"switches\"", "\"rate\": \"3xEDR\", \"switches\"", MOORE_ESYNTAX, 0, "rate: \"3xEDR\" is not a rate" },
	{ "a rate with more behind it", "\"switches\"", "\"rate\": \"4xEDRs\", \"switches\"", MOORE_ESYNTAX, 0, "rate: \"4xEDRs\" is not a rate" },
	{ "a cabinet that is not on the floor", "\"switches\"", "\"floor\": {\"column_pitch\": 0.6, \"row_pitch\": 2.1, \"cabinets\": [{\"name\": \"R2\", \"row\": 0, \"column\": 1}]}, \"switches\"", MOORE_EPLAN, 0, "switches[0].cabinet: there is no cabinet" },
	{ "two cabinets on one place", "\"switches\"", "\"floor\": {\"column_pitch\": 0.6, \"row_pitch\": 2.1, \"cabinets\": [{\"name\": \"R2\", \"row\": 0, \"column\": 1}, {\"name\": \"R1 \\\"A\\\"\", \"row\": 0, \"column\": 1}]}, \"switches\"", MOORE_EPLAN, 0, "floor.cabinets[1].row, column: the same as that of" },
	{ "two cabinets of one name", "\"switches\"", "\"floor\": {\"column_pitch\": 0.6, \"row_pitch\": 2.1, \"cabinets\": [{\"name\": \"R2\", \"row\": 0, \"column\": 1}, {\"name\": \"R2\", \"row\": 1, \"column\": 1}]}, \"switches\"", MOORE_EPLAN, 0, "floor.cabinets[1].name: the same as that of" },
	{ "a floor of no width", "\"switches\"", "\"floor\": {\"column_pitch\": 0, \"row_pitch\": 2.1, \"cabinets\": [{\"name\": \"R2\", \"row\": 0, \"column\": 1}]}, \"switches\"", MOORE_ESYNTAX, 0, "floor.column_pitch: out of range" },
	{ "nothing", "", "", MOORE_ESYNTAX, 0, "the file is empty" },
	{ "blanks", "", " \n\t", MOORE_ESYNTAX, 0, "the file is empty" },
	{ "no object", "", "[1]", MOORE_ESYNTAX, 0, "found an array, want an object" },
	{ "cut short", "", "{\"moore_plan\": 1,\n\"switches\": [", MOORE_ESYNTAX, 2, "column 13" },
	{ "a comma too many", "\"port\": 1},", "\"port\": 1,},", MOORE_ESYNTAX, 11, "string or '}' expected" },
	{ "two values", "]\n}\n", "]\n}\n{}", MOORE_ESYNTAX, 21, "end of file expected" },
	{ "a key twice", "\"ports\": 4", "\"ports\": 4, \"ports\": 4", MOORE_ESYNTAX, 7, "duplicate object key" },
	{ "no UTF-8", "leaf 1", "leaf\xff", MOORE_ESYNTAX, 6, "unable to decode byte 0xff" },
	{ "NUL inside", "leaf 1", "leaf\\u0000", MOORE_ESYNTAX, 6, "\\u0000 is not allowed" },
	{ "beyond 64 bits", "\"ports\": 4", "\"ports\": 99999999999999999999", MOORE_ESYNTAX, 7, "too big integer" },
	{ "infinite", "2.3", "1e999", MOORE_ESYNTAX, 16, "real number overflow" },
	{ "NaN", "2.3", "NaN", MOORE_ESYNTAX, 16, "invalid token" },
	{ "no version", "\"moore_plan\": 1,", "", MOORE_ESYNTAX, 0, "moore_plan: missing" },
	{ "a later version", "\"moore_plan\": 1", "\"moore_plan\": 2, \"new\": 1", MOORE_ESYNTAX, 0, "moore_plan: this is version 2; this program reads version 1" },
	{ "version as text", "\"moore_plan\": 1", "\"moore_plan\": \"1\"", MOORE_ESYNTAX, 0, "moore_plan: found a string, want an integer" },
	{ "unknown key", "\"permutation_seed\"", "\"seed\"", MOORE_ESYNTAX, 0, "seed: unknown key: the known ones are moore_plan, topology, permutation_seed, rate, floor, switches, endpoints, cables" },
	{ "unknown key of a switch", "\"cabinet\": \"R2\"", "\"rack\": \"R2\"", MOORE_ESYNTAX, 0, "switches[2].rack: unknown key: the known ones are name, ports, guid, cabinet, unit" },
	{ "a key that would move the terminal", "\"cabinet\": \"R2\"", "\"\\u001b[31m\": 1", MOORE_ESYNTAX, 0, "switches[2]. [31m: unknown key" },
	{ "unknown key of an end", "\"switch\": \"s2\", \"port\": 3", "\"switch\": \"s2\", \"prt\": 3", MOORE_ESYNTAX, 0, "cables[2].b.prt: unknown key: the known ones are switch, port" },
	{ "no switches key", "\"switches\"", "\"sw\"", MOORE_ESYNTAX, 0, "sw: unknown key" },
	{ "key missing", ", \"ports\": 4", "", MOORE_ESYNTAX, 0, "switches[1].ports: missing: want an integer" },
	{ "list as object", "\"cables\": [", "\"cables\": {}, \"x\": [", MOORE_ESYNTAX, 0, "cables: found an object, want an array" },
	{ "element of no object", "{\"name\": \"s1\", \"ports\": 4}", "null", MOORE_ESYNTAX, 0, "switches[1]: found null, want an object" },
	{ "end of no object", "{\"switch\": \"s2\", \"port\": 3}", "true", MOORE_ESYNTAX, 0, "cables[2].b: found true, want an object" },
	{ "ports not whole", "\"ports\": 4", "\"ports\": 4.5", MOORE_ESYNTAX, 0, "switches[1].ports: found a real number, want an integer 1..254" },
	{ "no ports", "\"ports\": 4", "\"ports\": 0", MOORE_ESYNTAX, 0, "switches[1].ports: 0 is out of range: 1..254" },
	{ "too many ports", "\"ports\": 4", "\"ports\": 255", MOORE_ESYNTAX, 0, "switches[1].ports: 255 is out of range: 1..254" },
	{ "a port past the switch's", "\"s2\", \"port\": 3", "\"s2\", \"port\": 300", MOORE_EPLAN, 0, "cables[2].b.port: 300 is out of range: ports are 1..36 of switch \"s2\"" },
	{ "port 256 is not port 0", PORT4, "\"s1\", \"port\": 257", MOORE_EPLAN, 0, "endpoints[1].port: 257 is out of range: ports are 1..4 of switch \"s1\"" },
	{ "port negative", PORT4, "\"s1\", \"port\": -1", MOORE_EPLAN, 0, "endpoints[1].port: -1 is out of range" },
	{ "port 0", PORT4, "\"s1\", \"port\": 0", MOORE_EPLAN, 0, "endpoints[1].port: 0 is out of range" },
	{ "port as text", PORT4, "\"s1\", \"port\": \"4\"", MOORE_ESYNTAX, 0, "endpoints[1].port: found a string, want an integer" },
	{ "ca_port 0", "\"ca_port\": 2", "\"ca_port\": 0", MOORE_ESYNTAX, 0, "endpoints[2].ca_port: 0 is out of range: 1..254" },
	{ "unknown switch", PORT4, "\"s9\", \"port\": 4", MOORE_EPLAN, 0, "endpoints[1].switch: there is no switch \"s9\"" },
	{ "an endpoint is no switch", "\"switch\": \"s2\", \"port\": 3", "\"switch\": \"h0\", \"port\": 3", MOORE_EPLAN, 0, "cables[2].b.switch: there is no switch \"h0\"" },
	{ "GUID as number", "\"0x0002c90300000010\"", "12", MOORE_ESYNTAX, 0, "switches[0].guid: found an integer, want a GUID" },
	{ "GUID 0", "\"0x0002c90300000010\"", "\"0x0\"", MOORE_ESYNTAX, 0, "switches[0].guid: \"0x0\" is not a GUID" },
	{ "GUID too long", "\"0x0002c90300000010\"", "\"0x10002c90300000010\"", MOORE_ESYNTAX, 0, "switches[0].guid: \"0x10002c90300000010\" is not a GUID" },
	{ "GUID with a tail", "\"0x0002c90300000010\"", "\"0x12z\"", MOORE_ESYNTAX, 0, "switches[0].guid: \"0x12z\" is not" },
	{ "GUID without 0x", "\"0x0002c90300000010\"", "\"0002c90300000010\"", MOORE_ESYNTAX, 0, "switches[0].guid: \"0002c90300000010\" is not" },
	{ "GUID twice", "\"0x0002c90300000101\"", "\"0x0002c90300000010\"", MOORE_EPLAN, 0, "endpoints[1].guid: the same as that of switches[0]" },
	{ "GUID of a port below its number", "\"0x0002c90300000101\"", "\"0x1\"", MOORE_EPLAN, 0, "endpoints[1].guid: 0x1 is no GUID" },
	{ "length 0", "\"length\": 3", "\"length\": 0", MOORE_ESYNTAX, 0, "cables[1].length: out of range: metres, above 0" },
	{ "length negative", "2.3", "-2.3", MOORE_ESYNTAX, 0, "cables[0].length: out of range" },
	{ "length too great", "2.3", "1000000.5", MOORE_ESYNTAX, 0, "cables[0].length: out of range" },
	{ "length as text", "2.3", "\"2.3 m\"", MOORE_ESYNTAX, 0, "cables[0].length: found a string, want a number of metres" },
	{ "unit without a cabinet", "\"ports\": 4", "\"ports\": 4, \"unit\": 3", MOORE_EPLAN, 0, "switches[1].unit: 3: a unit is" },
	{ "unit 0", "\"unit\": 40", "\"unit\": 0", MOORE_ESYNTAX, 0, "switches[0].unit: 0 is out of range: 1..1000" },
	{ "seed negative", "_seed\": 7", "_seed\": -7", MOORE_ESYNTAX, 0, "permutation_seed: found an integer, want an integer from 0" },
	{ "seed as any text", "_seed\": 7", "_seed\": \"0x\"", MOORE_ESYNTAX, 0, "permutation_seed: found a string, want" },
	{ "family missing", "\"family\": \"slimfly\", ", "", MOORE_ESYNTAX, 0, "topology.family: missing" },
	{ "family of strange letters", "slimfly", "Slim Fly", MOORE_EPLAN, 0, "topology.family: it must have" },
	{ "parameter not whole", "\"q\": 5", "\"q\": 5.0", MOORE_ESYNTAX, 0, "topology.q: found a real number, want an integer" },
	{ "parameter's name too long", "\"q\": 5", "\"q234567890123456\": 5", MOORE_ESYNTAX, 0, "topology.q234567890123456: a parameter's name" },
	{ "parameter's name strange", "\"q\": 5", "\"Q\": 5", MOORE_EPLAN, 0, "\"Q\" cannot be a parameter" },
	{ "too many parameters", "\"q\": 5", "\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1,\"k\":1,\"l\":1,\"m\":1,\"n\":1,\"o\":1", MOORE_ESYNTAX, 0, "topology: 17 keys: at most 16" },
	{ "a switch that is used by its old name", "\"s1\", \"ports\"", "\"s01\", \"ports\"", MOORE_EPLAN, 0, "endpoints[1].switch: there is no switch \"s1\"" },
	{ "an empty name", "h1 mlx5_0", "", MOORE_EPLAN, 0, "endpoints[1].name: 0 bytes: it must have 1..63" },
	{ "a name too long", "h1 mlx5_0", NAME_64, MOORE_EPLAN, 0, "endpoints[1].name: 64 bytes: it must have 1..63" },
	{ "a quote in a name", "h1 mlx5_0", "h\\\"1", MOORE_EPLAN, 0, "endpoints[1].name: \"h\"1\" holds \"" },
	{ "a backslash in a name", "h1 mlx5_0", "h\\\\1", MOORE_EPLAN, 0, "endpoints[1].name: \"h\\1\" holds \\" },
	{ "a line break in a name", "h1 mlx5_0", "h\\n1", MOORE_EPLAN, 0, "endpoints[1].name: control character 0x0a" },
	{ "a control character in a label", "C-1", "C\\u007f1", MOORE_EPLAN, 0, "cables[0].label: control character 0x7f" },
	{ "an empty cabinet", "\"R2\"", "\"\"", MOORE_EPLAN, 0, "switches[2].cabinet: 0 bytes: it must have 1..255" },
	{ "a switch twice", "\"s2\", \"ports\"", "\"leaf 1\", \"ports\"", MOORE_EPLAN, 0, "switches[2].name: the same as that of switches[0]" },
	{ "a switch and an endpoint of one name", "h1 mlx5_0", "s2", MOORE_EPLAN, 0, "endpoints[1].name: \"s2\" is also the name of switches[2]" },
	{ "a CA port twice", ", \"ca_port\": 2", "", MOORE_EPLAN, 0, "endpoints[2]: port 1 of \"h0\" is also endpoints[0]" },
	{ "an endpoint's port used by a cable", PORT4, "\"s1\", \"port\": 3", MOORE_EPLAN, 0, "cables[0].b.port: port 3 of switch \"s1\" is used by endpoints[1] already" },
	{ "two cables in a port", "\"s2\", \"port\": 3", "\"s2\", \"port\": 1", MOORE_EPLAN, 0, "cables[2].b.port: port 1 of switch \"s2\" is used by cables[1].b already" },
	{ "two endpoints in a port", "\"port\": 1, \"ca_port\"", "\"port\": 4, \"ca_port\"", MOORE_EPLAN, 0, "endpoints[2].port: port 4 of switch \"s1\" is used by endpoints[1] already" },
	{ "a cable to itself", "\"switch\": \"s2\", \"port\": 3", "\"switch\": \"s1\", \"port\": 1", MOORE_EPLAN, 0, "cables[2]: from switch \"s1\" to itself" },
	{ "no switch", "", "{\"moore_plan\": 1, \"switches\": [], \"endpoints\": [], \"cables\": []}", MOORE_EPLAN, 0, "switches: there is none" },
};

static void
test_bad(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char *text = edited(bad[i].from, bad[i].to);
		struct moore_plan *p = (struct moore_plan *)text;
		struct moore_err err = { 0 };

		CHECK_EQ(bad[i].why, parse(&p, text, &err), -bad[i].rc);
		CHECK(bad[i].why, !p);
		CHECK_STR(bad[i].why, err.text, bad[i].text);
		CHECK_EQ(bad[i].why, err.line, bad[i].line);
		CHECK_EQ(bad[i].why, parse(&p, text, NULL), -bad[i].rc);
		free(text);
	}
}

static const struct {
	const char *why, *from, *to;
} good[] = {
	{ "a floor", "\"switches\"", "\"floor\": {\"column_pitch\": 0.6, \"row_pitch\": 2.1,\n\"cabinets\": [\n"
	  "  {\"name\": \"R2\", \"row\": 0, \"column\": 1},\n  {\"name\": \"R1 \\\"A\\\"\", \"row\": 0, \"column\": 0}\n]},\n\"switches\"" },
	{ "a rate", "\"switches\"", "\"rate\": \"12xFDR10\",\n\"switches\"" },
	{ "a name of 63 bytes", "h1 mlx5_0", "012345678901234567890123456789012345678901234567890123456789012" },
	{ "a name of other letters", "h1 mlx5_0", "h\u00fc\u20ac\U0001f600" },
	{ "255 bytes are a cabinet", "R2", NAME_64 NAME_64 NAME_64 "012345678901234567890123456789012345678901234567890123456789012" },
	{ "no topology", "\"topology\": {\"family\": \"slimfly\", \"q\": 5, \"p\": -1},\n", "" },
	{ "a family without parameters", ", \"q\": 5, \"p\": -1", "" },
	{ "least parameter", "-1}", "-9223372036854775808}" },
	{ "seed 0 is a seed", "_seed\": 7", "_seed\": 0" },
	{ "the greatest seed in digits", "_seed\": 7", "_seed\": 9007199254740992" },
	{ "a seed past exact numbers", "_seed\": 7", "_seed\": \"0xffffffffffffffff\"" },
	{ "a length needs all digits", "2.3", "0.30000000000000004" },
	{ "a tiny length", "2.3", "1e-300" },
	{ "the greatest length", "2.3", "1000000" },
	{ "parallel cables", "\"switch\": \"s2\", \"port\": 3", "\"switch\": \"leaf 1\", \"port\": 4" },
	{ "the greatest GUID", "0x0002c90300000101", "0xffffffffffffffff" },
};

static void
test_good(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		char *text = edited(good[i].from, good[i].to);
		struct moore_buf b = MOORE_BUF_INIT;
		struct moore_err err = { 0 };
		struct moore_plan *p;

		if (parse(&p, text, &err) < 0)
			fail_msg("%s: %s", good[i].why, err.text);
		CHECK_EQ(good[i].why, moore_plan_write(p, &b, NULL), 0);
		CHECK_STR(good[i].why, b.data, good[i].to);
		CHECK_EQ(good[i].why, strcmp(b.data, text), 0);
		moore_buf_free(&b);
		moore_plan_free(p);
		free(text);
	}
}

/* `head` followed by n times `unit`: the start of a text larger than any plan. */
static char *
repeated(const char *head, const char *unit, size_t n)
{
	size_t h = strlen(head), u = strlen(unit);
	char *t = malloc(h + n * u + 1);

	assert_non_null(t);
	memcpy(t, head, h + 1);
	for (size_t i = 0; i < n; i++)
		memcpy(t + h + i * u, unit, u + 1);
	return t;
}

static size_t json_bytes, json_peak;	/* memory that jansson holds: now, and the most so far */

static void *
json_take(size_t n)
{
	size_t *p = malloc(n + 16);

	if (!p)
		return NULL;
	*p = n;
	json_bytes += n;
	json_peak = json_bytes > json_peak ? json_bytes : json_peak;
	return p + 2;
}

static void
json_drop(void *p)
{
	if (!p)
		return;
	json_bytes -= ((size_t *)p)[-2];
	free((size_t *)p - 2);
}

/* One byte of text may cost fifty bytes as a tree, so the reader makes a tree of only one
 * element at a time. */
static void
test_memory(void **state)
{
	static const struct {
		const char *why, *head, *unit;
		size_t n;
		int rc;
		const char *text;
	} T[] = {
		{ "brackets", "", "[", 100000, -MOORE_ESYNTAX, "found an array, want an object" },
		{ "nesting", "{\"topology\": ", "[", 10000, -MOORE_ESYNTAX, "inside a value" },
		{ "nesting of an element", "{\"switches\": [", "[", 100000, -MOORE_ESYNTAX,
		  "column 14: this value is longer than 65536 bytes" },
		{ "arrays in an array", "{\"topology\": [[]", ",[]", 100000, -MOORE_ESYNTAX,
		  "this value is longer than 65536 bytes" },
		{ "empty arrays as switches", "{\"switches\": [[]", ",[]", 6000000, -MOORE_EPLAN,
		  "switches: more than 4000000 of them" },
		{ "empty arrays as cabinets", "{\"floor\": {\"cabinets\": [[]", ",[]", 6000000,
		  -MOORE_EPLAN, "floor.cabinets: more than 4000000 of them" },
		{ "a list that is no list of a plan", "{\"hosts\": [0", ",0", 3000000, -MOORE_ESYNTAX,
		  "this value is longer than 65536 bytes" },
		{ "a string", "{\"rate\": \"", "\\\"", 100000, -MOORE_ESYNTAX,
		  "this value is longer than 65536 bytes" },
		{ "keys", "{\"k\": 0", ", \"k\": 0", 100000, -MOORE_ESYNTAX, "duplicate object key" },
	};
	json_malloc_t take;
	json_free_t drop;
	(void)state;

	json_get_alloc_funcs(&take, &drop);
	json_set_alloc_funcs(json_take, json_drop);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		char *t = repeated(T[i].head, T[i].unit, T[i].n);
		struct moore_plan *p;
		struct moore_err err;

		json_peak = 0;
		CHECK_EQ(T[i].why, parse(&p, t, &err), T[i].rc);
		CHECK_STR(T[i].why, err.text, T[i].text);
		CHECK(T[i].why, json_peak < 1 << 16);
		CHECK_EQ(T[i].why, json_bytes, 0);
		free(t);
	}
	json_set_alloc_funcs(take, drop);
}

/* The reader passes only slices of the text to jansson, so it could accept what jansson
 * would refuse as a whole.  Both read random changes of a valid plan here. */
static void
test_no_laxer(void **state)
{
	static const char with[] = "{}[]\",:\\ 0a\n";
	struct moore_rng rng = { test_seed() };
	unsigned n_bad = 0;
	(void)state;

	for (unsigned k = 0; k < 20000; k++) {
		char *t = strdup(full);
		size_t len = strlen(t);
		struct moore_plan *p;
		struct moore_err err;
		json_t *j;
		int rc;

		for (unsigned m = 1 + moore_rng_below(&rng, 3); m--;) {
			size_t at = moore_rng_below(&rng, (uint32_t)len);

			if (moore_rng_below(&rng, 3))
				t[at] = with[moore_rng_below(&rng, sizeof(with) - 1)];
			else
				memmove(t + at, t + at + 1, len-- - at);
		}
		j = json_loadb(t, len, JSON_REJECT_DUPLICATES, NULL);
		rc = moore_plan_parse(&p, t, len, &err);
		n_bad += !j;
		if (!j && rc == 0)
			fail_msg("accepted: %s", t);
		if (j && rc < 0 && err.line)
			fail_msg("refused: line %u: %s: %s", err.line, err.text, t);
		moore_plan_free(p);
		json_decref(j);
		free(t);
	}
	CHECK("both kinds were met", n_bad > 1000 && n_bad < 19000);
}

/* ---- a plan in memory with a wrong field -------------------------------------- */

static void
check_fails(const char *why, struct moore_plan *p, const char *text)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_err err = { 0 };

	CHECK_EQ(why, moore_plan_check(p, NULL, &err), -MOORE_EPLAN);
	CHECK_STR(why, err.text, text);
	CHECK_EQ(why, moore_plan_write(p, &b, NULL), -MOORE_EPLAN);
	CHECK_EQ("nothing is written of it", b.len, 0);
}

/* Changes one field, expects the check to refuse the plan, and restores the field. */
#define BROKEN(why, field, value, text) \
	do { \
		__typeof__(field) good_ = (field); \
		(field) = (value); \
		check_fails(why, p, text); \
		(field) = good_; \
	} while (0)

static void
test_check(void **state)
{
	char bad_utf8[][6] = { "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80", "\xff" };
	char tab[] = "a\tb";
	struct moore_plan *p;
	(void)state;

	CHECK_EQ("reads", parse(&p, full, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(bad_utf8); i++)
		BROKEN("overlong, surrogate, too great, cut, stray", p->sw[1].name, bad_utf8[i],
		       "switches[1].name: byte 0x");
	BROKEN("control character", p->sw[1].cabinet, tab, "switches[1].cabinet: control character 0x09");
	BROKEN("no name", p->ep[0].name, NULL, "endpoints[0].name: 0 bytes");
	BROKEN("ports past 254", p->sw[0].ports, 255, "switches[0].ports: 255 is out of range");
	BROKEN("ca_port", p->ep[0].ca_port, 0, "endpoints[0].ca_port: 0 is out of range");
	BROKEN("index", p->ep[0].sw, 3, "endpoints[0].switch: there is no switches[3]");
	BROKEN("index", p->cable[0].sw[1], MOORE_NONE, "cables[0].b.switch: there is no switches[4294967295]");
	BROKEN("port", p->cable[0].port[0], 0, "cables[0].a.port: 0 is out of range: ports are 1..5");
	BROKEN("length", p->cable[0].length, (double)NAN, "cables[0].length: out of range");
	BROKEN("length", p->cable[0].length, (double)INFINITY, "cables[0].length: out of range");
	BROKEN("length", p->cable[0].length, -1.0, "cables[0].length: out of range");
	BROKEN("count", p->n_cables, 4000001, "a plan holds at most 4000000");
	BROKEN("parameters", p->n_params, 17, "topology: 17 parameters");
	BROKEN("reserved key", p->key[0][0], 0, "cannot be a parameter");
	BROKEN("a key twice", p->key[0][0], 'p', "topology.p: given twice");
	moore_plan_free(p);
}

static void
test_parts(void **state)
{
	static const struct {
		const char *why;
		uint32_t n_cables, want;
	} T[] = {
		{ "no cable", 0, 3 }, { "one joins two", 1, 2 }, { "all", 2, 1 }, { "a cycle", 3, 1 },
	};
	struct moore_plan *p;
	(void)state;

	CHECK_EQ("reads", parse(&p, full, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		uint32_t parts = 99, all = p->n_cables;

		p->n_cables = T[i].n_cables;
		CHECK_EQ(T[i].why, moore_plan_check(p, &parts, NULL), 0);
		CHECK_EQ(T[i].why, parts, T[i].want);
		p->n_cables = all;
	}
	moore_plan_free(p);
}

/* ---- round trips ------------------------------------------------------------------- */

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool
same_rate(struct moore_rate a, struct moore_rate b)
{
	return a.width == b.width && a.speed == b.speed;
}

static bool
same_floor(const struct moore_plan *a, const struct moore_plan *b)
{
	bool same = a->n_cabinets == b->n_cabinets && same_rate(a->rate, b->rate) &&
		    (!a->n_cabinets || (a->column_pitch == b->column_pitch && a->row_pitch == b->row_pitch));

	for (uint32_t i = 0; same && i < a->n_cabinets; i++)
		same = same_text(a->cabinet[i].name, b->cabinet[i].name) &&
		       a->cabinet[i].row == b->cabinet[i].row && a->cabinet[i].column == b->cabinet[i].column;
	return same;
}

static bool
same_plan(const struct moore_plan *a, const struct moore_plan *b)
{
	bool same = same_text(a->family, b->family) && a->n_params == b->n_params &&
		    a->permuted == b->permuted && a->permutation_seed == b->permutation_seed &&
		    a->n_switches == b->n_switches && a->n_endpoints == b->n_endpoints &&
		    a->n_cables == b->n_cables && same_floor(a, b);

	for (size_t i = 0; same && i < a->n_params; i++)
		same = !strcmp(a->key[i], b->key[i]) && a->value[i] == b->value[i];
	for (uint32_t i = 0; same && i < a->n_switches; i++)
		same = same_text(a->sw[i].name, b->sw[i].name) && a->sw[i].guid == b->sw[i].guid &&
		       a->sw[i].ports == b->sw[i].ports && a->sw[i].unit == b->sw[i].unit &&
		       same_text(a->sw[i].cabinet, b->sw[i].cabinet);
	for (uint32_t i = 0; same && i < a->n_endpoints; i++)
		same = same_text(a->ep[i].name, b->ep[i].name) && a->ep[i].guid == b->ep[i].guid &&
		       a->ep[i].ca_port == b->ep[i].ca_port && a->ep[i].sw == b->ep[i].sw &&
		       a->ep[i].port == b->ep[i].port && same_rate(a->ep[i].rate, b->ep[i].rate);
	for (uint32_t i = 0; same && i < a->n_cables; i++)
		same = !memcmp(a->cable[i].sw, b->cable[i].sw, sizeof(a->cable[i].sw)) &&
		       !memcmp(a->cable[i].port, b->cable[i].port, sizeof(a->cable[i].port)) &&
		       a->cable[i].length == b->cable[i].length &&
		       same_rate(a->cable[i].rate, b->cable[i].rate) &&
		       same_text(a->cable[i].label, b->cable[i].label);
	return same;
}

static void
test_round_trip(void **state)
{
	struct moore_rng r = { test_seed() };
	(void)state;

	for (unsigned i = test_rounds(300); i; i--) {
		struct moore_buf b = MOORE_BUF_INIT, again = MOORE_BUF_INIT;
		struct moore_plan *p = random_plan(&r), *q;
		struct moore_err err = { 0 };

		CHECK_EQ("a random plan is valid", moore_plan_write(p, &b, &err), 0);
		if (moore_plan_parse(&q, b.data, b.len, &err) < 0)
			fail_msg("%s in %s", err.text, b.data);
		CHECK("read back", same_plan(p, q));
		CHECK_EQ("writes", moore_plan_write(q, &again, NULL), 0);
		CHECK_EQ("the same bytes", strcmp(b.data, again.data), 0);
		moore_plan_free(p);
		moore_plan_free(q);
		moore_buf_free(&b);
		moore_buf_free(&again);
	}
}

/* ---- from a topology ------------------------------------------------------------------ */

static const struct moore_topo_family fly = {
	.name = "fly",
	.param = { { .key = "size" }, { .key = "hosts", .symbolic = true } },
};

/* A topology of n switches with a link (a, b), a < b, if (a * b + b) % mod < most. */
static void
make_topo(struct moore_topo *t, uint32_t n, uint16_t endpoints, unsigned mod, unsigned most)
{
	*t = (struct moore_topo){ .family = &fly, .param = { n, endpoints }, .n_switches = n };
	t->name = calloc(n, sizeof(*t->name));
	t->endpoints = calloc(n, sizeof(*t->endpoints));
	t->link = calloc((size_t)n * n / 2 + 1, sizeof(*t->link));
	for (uint32_t a = 0; a < n; a++) {
		snprintf(t->name[a], sizeof(t->name[a]), "s%u", a);
		t->endpoints[a] = endpoints;
		for (uint32_t b = a + 1; b < n; b++)
			if ((a * b + b) % mod < most)
				t->link[t->n_links++] = (struct moore_topo_link){ a, b };
	}
}

static void
free_topo(struct moore_topo *t)
{
	free(t->name);
	free(t->endpoints);
	free(t->link);
}

/* Checks the ports of one switch: first the endpoints, then the neighbours in rising order. */
static void
check_ports(const struct moore_plan *p, moore_swid sw, uint32_t n_endpoints)
{
	uint32_t last = 0, n = 0;
	char name[64];

	for (unsigned port = 1; port <= p->sw[sw].ports; port++) {
		uint32_t e, peer = MOORE_NONE;

		for (e = 0; e < p->n_endpoints; e++)
			if (p->ep[e].sw == sw && p->ep[e].port == port)
				break;
		CHECK_EQ("endpoints are on 1..p", e < p->n_endpoints, port <= n_endpoints);
		if (port <= n_endpoints) {
			snprintf(name, sizeof(name), "%s-h%u", p->sw[sw].name, port - 1);
			assert_string_equal(p->ep[e].name, name);
			continue;
		}
		for (uint32_t c = 0; c < p->n_cables; c++)
			for (int k = 0; k < 2; k++)
				if (p->cable[c].sw[k] == sw && p->cable[c].port[k] == port)
					peer = p->cable[c].sw[!k];
		CHECK("every port is used", peer != MOORE_NONE);
		CHECK("neighbours rise", !n++ || peer > last);
		last = peer;
	}
}

static void
test_from_topo(void **state)
{
	static const struct {
		const char *why;
		uint32_t n;
		uint16_t endpoints;
		unsigned mod, most;
	} T[] = {
		{ "one switch alone", 1, 0, 1, 0 }, { "one switch", 1, 3, 1, 0 },
		{ "full mesh", 9, 2, 1, 1 }, { "sparse", 30, 4, 7, 2 }, { "no links", 4, 1, 1, 0 },
		{ "254 ports exactly", 2, 253, 1, 1 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo t;
		struct moore_plan *p;

		make_topo(&t, T[i].n, T[i].endpoints, T[i].mod, T[i].most);
		CHECK_EQ(T[i].why, moore_plan_from_topo(&p, &t, NULL), 0);
		CHECK_EQ(T[i].why, moore_plan_check(p, NULL, NULL), 0);
		CHECK_EQ(T[i].why, p->n_cables, t.n_links);
		CHECK_EQ(T[i].why, p->n_endpoints, T[i].n * T[i].endpoints);
		assert_string_equal(p->family, "fly");
		CHECK_EQ(T[i].why, p->n_params, 2);
		assert_string_equal(p->key[1], "hosts");
		CHECK_EQ(T[i].why, p->value[0], T[i].n);
		CHECK_EQ(T[i].why, p->permuted, 0);
		for (uint32_t s = 0; p->n_cables + p->n_endpoints && s < p->n_switches; s++)
			check_ports(p, s, T[i].endpoints);
		moore_plan_free(p);
		free_topo(&t);
	}
}

static void
test_too_big(void **state)
{
	static const struct {
		const char *why;
		uint32_t n;
		uint16_t endpoints;
		unsigned most;
		const char *text;
	} T[] = {
		{ "endpoints and links", 2, 254, 1, "\"s0\": 254 endpoints and 1 links need 255 ports" },
		{ "the endpoint parameter", 2, 65535, 1, "lower hosts" },
		{ "links alone do not fit: the size", 256, 0, 1, "255 links need 255 ports, and an InfiniBand switch has at most 254: lower size" },
		{ "too many in all", 16000, 254, 0, "16000 switches, 4064000 endpoints and 0 links: a plan holds at most 4000000 of each: lower size" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo t;
		struct moore_plan *p;
		struct moore_err err;

		make_topo(&t, T[i].n, T[i].endpoints, 1, T[i].most);
		CHECK_EQ(T[i].why, moore_plan_from_topo(&p, &t, &err), -MOORE_EINVAL);
		CHECK_STR(T[i].why, err.text, T[i].text);
		CHECK(T[i].why, !p);
		free_topo(&t);
	}
}

/* ---- GUIDs ------------------------------------------------------------------------------ */

static void
test_guids(void **state)
{
	static const struct {
		const char *why;
		uint64_t sw0, ep0, ep1;		/* GUIDs in the plan: of switch 0, h0 port 1 and
						 * h1 */
		uint64_t want_sw0, want_ep[3];	/* expected GUIDs: of h0 port 1, h1, h0 port 2 */
	} T[] = {
		{ "ibsim's own: h0 takes 0x100000..2", 0, 0, 0,
		  0x200000, { 0x100001, 0x100004, 0x100002 } },
		{ "given ones are kept", 0x77, 0, 0x88, 0x77, { 0x100001, 0x88, 0x100002 } },
		{ "ports of a CA follow the one that is given", 0, 0x555, 0,
		  0x200000, { 0x555, 0x100004, 0x556 } },
	};
	uint64_t *sw, *ep;
	struct moore_plan *p;
	struct moore_err err;
	(void)state;

	CHECK_EQ("reads", parse(&p, full, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		p->sw[0].guid = T[i].sw0;
		p->ep[0].guid = T[i].ep0;
		p->ep[1].guid = T[i].ep1;
		CHECK_EQ(T[i].why, moore_plan_guids(p, &sw, &ep, NULL), 0);
		CHECK_EQ(T[i].why, sw[0], T[i].want_sw0);
		CHECK_EQ(T[i].why, sw[2], 0x200002);
		for (int k = 0; k < 3; k++)
			CHECK_EQ(T[i].why, ep[k], T[i].want_ep[k]);
		free(sw);
		free(ep);
	}
	p->ep[1].guid = 0x200001;
	CHECK_EQ("one given is another's default", moore_plan_guids(p, &sw, &ep, &err), -MOORE_EPLAN);
	CHECK_STR("both are named", err.text, "endpoints[1].guid");
	CHECK_STR("both are named", err.text, "switches[1]");
	CHECK("nothing comes of it", !sw && !ep);
	moore_plan_free(p);
}

/* ---- memory and time ---------------------------------------------------------------------- */

static void
test_oom(void **state)
{
	struct moore_buf b = MOORE_BUF_INIT;
	uint64_t *sw, *ep;
	struct moore_topo t;
	struct moore_plan *p;
	uint32_t parts;
	(void)state;

	make_topo(&t, 4, 2, 1, 1);
	CHECK_OOM("from_topo", moore_plan_from_topo(&p, &t, NULL), moore_plan_free(p));
	CHECK_OOM("parse", parse(&p, full, NULL), (void)0);
	CHECK_OOM("write", (moore_buf_free(&b), moore_plan_write(p, &b, NULL)), moore_buf_free(&b));
	CHECK_OOM("check", moore_plan_check(p, &parts, NULL), (void)0);
	CHECK_OOM("guids", moore_plan_guids(p, &sw, &ep, NULL), (free(sw), free(ep)));
	moore_plan_free(p);
	free_topo(&t);
}

/* A plan of 3,000 switches, 42,000 endpoints and 60,000 cables is parsed within a second. */
static void
test_speed(void **state)
{
	struct moore_topo t = { .n_switches = 3000 };
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_plan *p;
	clock_t start;
	(void)state;

	t.name = calloc(t.n_switches, sizeof(*t.name));
	t.endpoints = calloc(t.n_switches, sizeof(*t.endpoints));
	t.link = calloc(60000, sizeof(*t.link));
	for (uint32_t a = 0; a < t.n_switches; a++) {
		snprintf(t.name[a], sizeof(t.name[a]), "s%u-%u-%u", a % 2, a / 2 % 40, a);
		t.endpoints[a] = 14;
		for (uint32_t k = 0; k < t.n_switches; k++) {
			uint32_t d = k > a ? k - a : 0;

			if ((d >= 1 && d <= 20) || (d && t.n_switches - d <= 20))
				t.link[t.n_links++] = (struct moore_topo_link){ a, k };
		}
	}
	CHECK_EQ("links", t.n_links, 60000);
	CHECK_EQ("from_topo", moore_plan_from_topo(&p, &t, NULL), 0);
	CHECK_EQ("write", moore_plan_write(p, &b, NULL), 0);
	moore_plan_free(p);
	start = clock();
	CHECK_EQ("parse", moore_plan_parse(&p, b.data, b.len, NULL), 0);
	print_message("# %.3f s of CPU for %zu bytes\n", (double)(clock() - start) / CLOCKS_PER_SEC,
		      b.len);
#ifndef __SANITIZE_ADDRESS__
	CHECK("within a second", clock() - start < CLOCKS_PER_SEC);
#endif
	moore_plan_free(p);
	moore_buf_free(&b);
	free_topo(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full), cmocka_unit_test(test_bad), cmocka_unit_test(test_good),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_no_laxer), cmocka_unit_test(test_check),
		cmocka_unit_test(test_parts), cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_from_topo), cmocka_unit_test(test_too_big),
		cmocka_unit_test(test_guids), cmocka_unit_test(test_oom),
		cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}

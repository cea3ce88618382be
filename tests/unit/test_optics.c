// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_optics.c - what is read from files of ibdiagnet and mlxlink.  The samples are made by hand after the
 * descriptions of programs that read such files; none is of a real fabric. */
#include "harness.h"
#include "moore/optics.h"

#define HEAD "# run by root\nTy : #   : #IB : GUID               : LID : Sta : FEC mode      : RTR : Raw BER : " \
	"Effective BER : Symbol BER : Symbol Err : Node Desc\n"
#define DUMP HEAD \
	"SW : 1/1 : 1   : 0xb8cef60300a1b2c3 : 10 (0xa) : ACT : RS-FEC (544,514) : NO-RTR : 3e-09 : 1.5e-254 : " \
	"1.5e-254 : 0 : \"MF0;leaf:MQM9700/U1\"\n" \
	"SW : 1/2 : 2   : 0xb8cef60300a1b2c3 : 10 (0xa) : ACT : NO-FEC : NO-RTR : N/A : 2e-12 : N/A : 7 : \"x:y\"\n\n"
#define CSV "# INDEX_TABLE\nSTART_NODES\nNodeDesc,NodeGUID\n\"a\",0x1\nEND_NODES\nSTART_CABLE_INFO\n" \
	"NodeGuid,PortGuid,PortNum,Vendor,OUI,PN,SN,Rev,Temperature,SupplyVoltage\n" \
	"0xb8cef60300a1b2c3,0xb8cef60300a1b2c3,1,\"Mellanox        \",0x2c9,\"MCP1600,A\",\"MT2013VS01234\"," \
	"\"A2\",\"42C\",\"3.3\"\n" \
	"0xb8cef60300a1b2c3,0xb8cef60300a1b2c3,3,\"NVIDIA\",0x2c9,\"NA\",\"MT9\",A,N/A,NA\n" \
	"0xb8cef60300a1b2c3,0xb8cef60300a1b2c3,x\nEND_CABLE_INFO\nSTART_PM_INFO\n"

/* Reads both files from blocks of exactly their size. */
static int
read_two(struct moore_optics *t, const char *a, const char *b, struct moore_err *err)
{
	const char *text[] = { a, b };
	int rc = 0;

	*t = (struct moore_optics)MOORE_OPTICS_INIT;
	for (int i = 0; i < 2 && rc == 0 && text[i]; i++) {
		char *block = __real_malloc(strlen(text[i]) + 1);

		memcpy(block, text[i], strlen(text[i]));
		rc = moore_optics_add(t, block, strlen(text[i]), err);
		__real_free(block);
	}
	if (rc < 0)
		moore_optics_free(t);
	return rc;
}

static void
test_both(void **state)
{
	static const struct {
		const char *why;
		uint32_t port;
		const char *want[MOORE_N_OPTIC_VALUES];
	} T[] = {
		{ "in both files", 1, { "RS-FEC (544,514)", "3e-09", "1.5e-254", "1.5e-254", "42C", "Mellanox",
		  "MCP1600,A", "MT2013VS01234" } },
		{ "in one", 2, { "NO-FEC", "", "2e-12", "", "", "", "", "" } },
		{ "in the other", 3, { "", "", "", "", "", "NVIDIA", "", "MT9" } },
	};
	struct moore_optics t;
	(void)state;

	for (int order = 0; order < 2; order++) {
		assert_int_equal(read_two(&t, order ? CSV : DUMP, order ? DUMP : CSV, NULL), 0);
		CHECK_EQ("ports", t.n, 3);
		CHECK_EQ("a row without a port", t.skipped, 1);
		for (size_t i = 0; i < ARRAY_LEN(T); i++) {
			const struct moore_optic *o = moore_optics_find(&t, 0xb8cef60300a1b2c3, T[i].port);

			CHECK(T[i].why, o);
			for (int v = 0; v < MOORE_N_OPTIC_VALUES; v++)
				if (strcmp(o->value[v], T[i].want[v]) != 0)
					fail_msg("%s: %s is \"%s\"", T[i].why, moore_optic_value_name(v), o->value[v]);
		}
		CHECK("another port", !moore_optics_find(&t, 0xb8cef60300a1b2c3, 4));
		CHECK("another switch", !moore_optics_find(&t, 1, 1));
		moore_optics_free(&t);
	}
}

static void
test_refused(void **state)
{
	static const struct {
		const char *why, *text, *error;
		unsigned line;
	} T[] = {
		{ "an empty file", "", "neither", 0 },
		{ "another file", "hello\n", "neither", 1 },
		{ "no section of cables", "START_NODES\nNodeGUID\nEND_NODES\n", "neither", 3 },
		{ "no column of ports", "Ty : # : GUID : Raw BER\n", "GUID and #IB", 1 },
		{ "no column of GUIDs", "START_CABLE_INFO\nPortNum,SN\nEND_CABLE_INFO\n", "NodeGuid and PortNum", 2 },
		{ "cut off before the head", "START_CABLE_INFO\n", "cut off", 1 },
		{ "cut off in the rows", "START_CABLE_INFO\nNodeGuid,PortNum\n0x1,1\n", "cut off", 3 },
	};
	struct moore_optics t;
	struct moore_err err;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		CHECK_EQ(T[i].why, read_two(&t, T[i].text, NULL, &err), -MOORE_ESYNTAX);
		CHECK_STR(T[i].why, err.text, T[i].error);
		CHECK_EQ(T[i].why, err.line, T[i].line);
	}
}

static void
test_odd_rows(void **state)
{
	static const char text[] = "Ty:#IB:GUID:Raw BER:Node Desc\n"
		"SW:1:0x1:01234567890123456789012345678901234567890123456789:x\n"	/* longer than a value may be */
		"SW:2:0x1:a\033[31mb\n"					/* what a terminal would obey */
		"SW:256:0x1:1:x\nSW:-1:0x1:1\nSW:1:0xfffffffffffffffff:1\nSW:1\n:\n"
		"SW:3:0x1:1e-9:x\nSW:3:0x1:2e-9:y\n";
	struct moore_optics t;
	(void)state;

	assert_int_equal(read_two(&t, text, NULL, NULL), 0);
	CHECK_EQ("ports", t.n, 3);
	CHECK_EQ("rows without a port", t.skipped, 5);
	CHECK_EQ("cut to its room", strlen(moore_optics_find(&t, 1, 1)->value[MOORE_OPTIC_RAW_BER]), 47);
	CHECK_STR("no control character", moore_optics_find(&t, 1, 2)->value[MOORE_OPTIC_RAW_BER], "a?[31mb");
	CHECK_STR("one of two values", moore_optics_find(&t, 1, 3)->value[MOORE_OPTIC_RAW_BER], "2e-9");
	moore_optics_free(&t);
}

static void
test_oom(void **state)
{
	struct moore_optics t;
	(void)state;

	CHECK_OOM("reading", read_two(&t, DUMP, CSV, NULL), moore_optics_free(&t));
}

/* ---- mlxlink ------------------------------------------------------------------------- */

#define LINK_TEXT \
	"\nOperational Info\n----------------\n" \
	"State                              : Active\n" \
	"FEC                                : \033[32mInterleaved_Standard_RS_FEC_PLR - (546,516)\033[0m \n" \
	"\nFEC Capability Info\n-------------------\nFEC                                : wrong section\n" \
	"\nPhysical Counters and BER Info\n------------------------------\n" \
	"Time Since Last Clear [Min]        : 1000.5\n" \
	"Symbol BER                         : 15E-255\n" \
	"Effective Physical BER             : 1E-14\r\n" \
	"Raw Physical BER                   : 5E-9\n" \
	"Raw Physical BER Per Lane          : 1,2,3,4\n" \
	"\nModule Info\n-----------\n" \
	"Temperature [C]                    : 54 [-5..75]\n" \
	"Vendor Name                        : NVIDIA\n" \
	"Vendor Part Number                 : MMA4Z00-NS : A\n" \
	"Vendor Serial Number               : MT2244FT08776\n"
#define LINK_JSON \
	"\n{\"status\" : {\"code\" : 0, \"message\" : \"success\"},\n\"result\" : {\"output\" : {\n" \
	"\"Operational Info\" : {\"FEC\" : \"Interleaved_Standard_RS_FEC_PLR - (546,516)\"},\n" \
	"\"FEC Capability Info\" : {\"FEC\" : \"wrong section\"},\n" \
	"\"Physical Counters and BER Info\" : {\"Symbol BER\" : \"15E-255\", \"Raw Physical BER\" : \"5E-9\",\n" \
	"\"Effective Physical BER\" : \"1E-14\", \"Raw Physical Errors Per Lane\" : {\"values\" : [\"1\"]}},\n" \
	"\"Module Info\" : {\"Temperature [C]\" : \"54 [-5..75]\", \"Vendor Name\" : \"NVIDIA\",\n" \
	"\"Vendor Part Number\" : \"MMA4Z00-NS : A\", \"Vendor Serial Number\" : \"MT2244FT08776\"}}}}\n"

static int
read_link(struct moore_optics *t, uint64_t guid, uint32_t port, const char *text, struct moore_err *err)
{
	char *block = __real_malloc(strlen(text) + 1);
	int rc;

	memcpy(block, text, strlen(text));
	rc = moore_optics_add_mlxlink(t, guid, port, block, strlen(text), err);
	__real_free(block);
	return rc;
}

static void
test_mlxlink(void **state)
{
	static const char *const text[] = { LINK_TEXT, LINK_JSON };
	static const char *const want[MOORE_N_OPTIC_VALUES] = {
		"Interleaved_Standard_RS_FEC_PLR - (546,516)", "5E-9", "1E-14", "15E-255", "54 [-5..75]",
		"NVIDIA", "MMA4Z00-NS : A", "MT2244FT08776" };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(text); i++) {
		struct moore_optics t = MOORE_OPTICS_INIT;
		const struct moore_optic *o;

		assert_int_equal(read_link(&t, 7, 2, text[i], NULL), 0);
		assert_non_null(o = moore_optics_find(&t, 7, 2));
		for (int v = 0; v < MOORE_N_OPTIC_VALUES; v++)
			CHECK_STR(moore_optic_value_name(v), o->value[v], want[v]);
		moore_optics_free(&t);
	}
}

/* Ports come in any order, and a second file of a port replaces what it has. */
static void
test_mlxlink_ports(void **state)
{
	static const struct {
		uint64_t guid;
		uint32_t port;
	} T[] = { { 7, 2 }, { 7, 10 }, { 1, 3 }, { 9, 1 }, { 7, 1 }, { 7, 2 } };
	struct moore_optics t = MOORE_OPTICS_INIT;
	(void)state;

	assert_int_equal(moore_optics_add(&t, CSV, strlen(CSV), NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		assert_int_equal(read_link(&t, T[i].guid, T[i].port, "Module Info\n-----------\n"
					   "Vendor Name : x\nVendor Serial Number : N/A\n", NULL), 0);
	assert_int_equal(read_link(&t, 0xb8cef60300a1b2c3, 1, "{\"result\": {\"output\": {\"Module Info\": "
				   "{\"Temperature [C]\": 77, \"Vendor Name\": [\"y\"]}}}}", NULL), 0);
	CHECK_EQ("ports", t.n, 7);
	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		CHECK_STR("found", moore_optics_find(&t, T[i].guid, T[i].port)->value[MOORE_OPTIC_VENDOR], "x");
	for (uint32_t i = 1; i < t.n; i++)
		CHECK("in order", t.port[i - 1].guid < t.port[i].guid || t.port[i - 1].port < t.port[i].port);
	CHECK_STR("a number", moore_optics_find(&t, 0xb8cef60300a1b2c3, 1)->value[MOORE_OPTIC_TEMPERATURE], "77");
	CHECK_STR("what is no text is left", moore_optics_find(&t, 0xb8cef60300a1b2c3, 1)->value[MOORE_OPTIC_VENDOR],
		  "Mellanox");
	moore_optics_free(&t);
}

static void
test_mlxlink_refused(void **state)
{
	static const struct {
		const char *why, *text, *error;
		unsigned line;
		int rc;
	} T[] = {
		{ "an empty file", "", "no output of mlxlink", 0, -MOORE_ESYNTAX },
		{ "another file", "hello\nworld\n", "no output of mlxlink", 2, -MOORE_ESYNTAX },
		{ "a section of PCIe", "PCIe Operational Info\n---------------------\nFEC : x\n", "none of the", 3,
		  -MOORE_ESYNTAX },
		{ "broken JSON", "{\n\"result\": {\n", "no JSON of mlxlink", 3, -MOORE_ESYNTAX },
		{ "other JSON", "{\"result\": 5}", "none of the", 0, -MOORE_ESYNTAX },
		{ "a key twice", "{\"a\": 1, \"a\": 2}", "no JSON of mlxlink", 1, -MOORE_ESYNTAX },
		{ "it failed", "{\"status\": {\"code\": 1, \"message\": \"No such device\"}}", "failed, so nothing is "
		  "known of this port: No such device", 0, -MOORE_EINVAL },
		{ "it failed without a word", "{\"status\": {\"code\": 3}}", "does not say why", 0, -MOORE_EINVAL },
	};
	struct moore_optics t = MOORE_OPTICS_INIT;
	struct moore_err err;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		CHECK_EQ(T[i].why, read_link(&t, 1, 1, T[i].text, &err), T[i].rc);
		CHECK_STR(T[i].why, err.text, T[i].error);
		CHECK_EQ(T[i].why, err.line, T[i].line);
	}
	CHECK_EQ("nothing was added", t.n, 0);
	CHECK_OOM("text", moore_optics_add_mlxlink(&t, 1, 1, LINK_TEXT, strlen(LINK_TEXT), &err), (void)0);
	moore_optics_free(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_mlxlink),
		cmocka_unit_test(test_mlxlink_ports),
		cmocka_unit_test(test_mlxlink_refused), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_odd_rows), cmocka_unit_test(test_oom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_optics.c - what is read from ibdiagnet's files.  The samples are made by hand after the
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
		"SW:1:0x1:0123456789012345678901234567890123456789:x\n"	/* longer than a value may be */
		"SW:2:0x1:a\033[31mb\n"					/* what a terminal would obey */
		"SW:256:0x1:1:x\nSW:-1:0x1:1\nSW:1:0xfffffffffffffffff:1\nSW:1\n:\n"
		"SW:3:0x1:1e-9:x\nSW:3:0x1:2e-9:y\n";
	struct moore_optics t;
	(void)state;

	assert_int_equal(read_two(&t, text, NULL, NULL), 0);
	CHECK_EQ("ports", t.n, 3);
	CHECK_EQ("rows without a port", t.skipped, 5);
	CHECK_EQ("cut to its room", strlen(moore_optics_find(&t, 1, 1)->value[MOORE_OPTIC_RAW_BER]), 31);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_odd_rows), cmocka_unit_test(test_oom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_formats.c - plans in the text formats of fabric tools.
 *
 * REAL is what ibnetdiscover (rdma-core 44) printed of NET on ibsim 0.10, and NET is what
 * moore writes of PLAN.  So the reader is tested on the tool's own output, and the writer
 * is compared with it record by record. */
#include "harness.h"
#include "random_plan.h"
#include "moore/place.h"
#include "moore/topo.h"

static const char plan[] =
"{\n"
"\"moore_plan\": 1,\n"
"\"topology\": {\"family\": \"slimfly\", \"q\": 5, \"p\": -1},\n"
"\"permutation_seed\": 7,\n"
"\"switches\": [\n"
"  {\"name\": \"rack1 leaf\", \"ports\": 5, \"guid\": \"0x0002c90300000010\", \"cabinet\": \"R1 \\\"A\\\"\", \"unit\": 40},\n"
"  {\"name\": \"s1\", \"ports\": 4},\n"
"  {\"name\": \"s2\", \"ports\": 3, \"cabinet\": \"R2\"}\n"
"],\n"
"\"endpoints\": [\n"
"  {\"name\": \"h0\", \"switch\": \"rack1 leaf\", \"port\": 1},\n"
"  {\"name\": \"h1 mlx5_0\", \"switch\": \"s1\", \"port\": 4, \"guid\": \"0x0002c90300000101\"},\n"
"  {\"name\": \"h0\", \"switch\": \"s1\", \"port\": 1, \"ca_port\": 2}\n"
"],\n"
"\"cables\": [\n"
"  {\"a\": {\"switch\": \"rack1 leaf\", \"port\": 3}, \"b\": {\"switch\": \"s1\", \"port\": 3}, \"length\": 2.5, \"label\": \"C-1, \\\"blue\\\" \\\\ x\"},\n"
"  {\"a\": {\"switch\": \"rack1 leaf\", \"port\": 5}, \"b\": {\"switch\": \"s2\", \"port\": 1}, \"length\": 3},\n"
"  {\"a\": {\"switch\": \"s1\", \"port\": 2}, \"b\": {\"switch\": \"s2\", \"port\": 3}}\n"
"]\n"
"}\n";

static const char net[] =
"# ibsim -s -N 5 -S 3 -P 18 FILE\n"
"\n"
"switchguid=0x2c90300000010\n"
"Switch\t5 \"rack1 leaf\"\n"
"[1]\t\"h0\"[1]\t# lid 0 4xSDR\n"
"[3]\t\"s1\"[3]\t# lid 0 4xSDR\n"
"[5]\t\"s2\"[1]\t# lid 0 4xSDR\n"
"\n"
"switchguid=0x200001\n"
"Switch\t4 \"s1\"\n"
"[1]\t\"h0\"[2]\t# lid 0 4xSDR\n"
"[2]\t\"s2\"[3]\t# lid 0 4xSDR\n"
"[3]\t\"rack1 leaf\"[3]\t# lid 0 4xSDR\n"
"[4]\t\"h1 mlx5_0\"[1]\t# lid 0 4xSDR\n"
"\n"
"switchguid=0x200002\n"
"Switch\t3 \"s2\"\n"
"[1]\t\"rack1 leaf\"[5]\t# lid 0 4xSDR\n"
"[3]\t\"s1\"[2]\t# lid 0 4xSDR\n"
"\n"
"caguid=0x100000\n"
"Hca\t2 \"h0\"\n"
"[1]\t\"rack1 leaf\"[1]\t# lid 0 4xSDR\n"
"[2]\t\"s1\"[1]\t# lid 0 4xSDR\n"
"\n"
"caguid=0x2c90300000100\n"
"Hca\t1 \"h1 mlx5_0\"\n"
"[1]\t\"s1\"[4]\t# lid 0 4xSDR\n";

static const char real[] =
"#\n"
"# Topology file: generated on Sat Nov 21 09:34:28 2026\n"
"#\n"
"# Initiated from node 0000000000100000 port 0000000000100001\n"
"\n"
"vendid=0x0\n"
"devid=0x0\n"
"sysimgguid=0x200002\n"
"switchguid=0x200002(200002)\n"
"Switch\t3 \"S-0000000000200002\"\t\t# \"s2\" base port 0 lid 0 lmc 0\n"
"[1]\t\"S-0002c90300000010\"[5]\t\t# \"rack1 leaf\" lid 0 4xSDR\n"
"[3]\t\"S-0000000000200001\"[2]\t\t# \"s1\" lid 0 4xSDR\n"
"\n"
"vendid=0x0\n"
"devid=0x0\n"
"sysimgguid=0x200001\n"
"switchguid=0x200001(200001)\n"
"Switch\t4 \"S-0000000000200001\"\t\t# \"s1\" base port 0 lid 0 lmc 0\n"
"[1]\t\"H-0000000000100000\"[2](100002) \t\t# \"h0\" lid 0 4xSDR\n"
"[2]\t\"S-0000000000200002\"[3]\t\t# \"s2\" lid 0 4xSDR\n"
"[3]\t\"S-0002c90300000010\"[3]\t\t# \"rack1 leaf\" lid 0 4xSDR\n"
"[4]\t\"H-0002c90300000100\"[1](2c90300000101) \t\t# \"h1 mlx5_0\" lid 0 4xSDR\n"
"\n"
"vendid=0x0\n"
"devid=0x0\n"
"sysimgguid=0x2c90300000010\n"
"switchguid=0x2c90300000010(2c90300000010)\n"
"Switch\t5 \"S-0002c90300000010\"\t\t# \"rack1 leaf\" base port 0 lid 0 lmc 0\n"
"[1]\t\"H-0000000000100000\"[1](100001) \t\t# \"h0\" lid 0 4xSDR\n"
"[3]\t\"S-0000000000200001\"[3]\t\t# \"s1\" lid 0 4xSDR\n"
"[5]\t\"S-0000000000200002\"[1]\t\t# \"s2\" lid 0 4xSDR\n"
"\n"
"vendid=0x0\n"
"devid=0x0\n"
"sysimgguid=0x2c90300000100\n"
"caguid=0x2c90300000100\n"
"Ca\t1 \"H-0002c90300000100\"\t\t# \"h1 mlx5_0\"\n"
"[1](2c90300000101) \t\"S-0000000000200001\"[4]\t\t# lid 0 lmc 0 \"s1\" lid 0 4xSDR\n"
"\n"
"vendid=0x0\n"
"devid=0x0\n"
"sysimgguid=0x100000\n"
"caguid=0x100000\n"
"Ca\t2 \"H-0000000000100000\"\t\t# \"h0\"\n"
"[1](100001) \t\"S-0002c90300000010\"[1]\t\t# lid 0 lmc 0 \"rack1 leaf\" lid 0 4xSDR\n"
"[2](100002) \t\"S-0000000000200001\"[1]\t\t# lid 0 lmc 0 \"s1\" lid 0 4xSDR\n";

/* PLAN as the reader of REAL returns it: nodes in the order of REAL, GUIDs known, cables in
 * the order of the first record that has them. */
static const char imported[] =
"{\n"
"\"moore_plan\": 1,\n"
"\"rate\": \"4xSDR\",\n"
"\"switches\": [\n"
"  {\"name\": \"s2\", \"ports\": 3, \"guid\": \"0x0000000000200002\"},\n"
"  {\"name\": \"s1\", \"ports\": 4, \"guid\": \"0x0000000000200001\"},\n"
"  {\"name\": \"rack1 leaf\", \"ports\": 5, \"guid\": \"0x0002c90300000010\"}\n"
"],\n"
"\"endpoints\": [\n"
"  {\"name\": \"h1 mlx5_0\", \"switch\": \"s1\", \"port\": 4, \"guid\": \"0x0002c90300000101\"},\n"
"  {\"name\": \"h0\", \"switch\": \"rack1 leaf\", \"port\": 1, \"guid\": \"0x0000000000100001\"},\n"
"  {\"name\": \"h0\", \"switch\": \"s1\", \"port\": 1, \"ca_port\": 2, \"guid\": \"0x0000000000100002\"}\n"
"],\n"
"\"cables\": [\n"
"  {\"a\": {\"switch\": \"s2\", \"port\": 1}, \"b\": {\"switch\": \"rack1 leaf\", \"port\": 5}},\n"
"  {\"a\": {\"switch\": \"s2\", \"port\": 3}, \"b\": {\"switch\": \"s1\", \"port\": 2}},\n"
"  {\"a\": {\"switch\": \"s1\", \"port\": 3}, \"b\": {\"switch\": \"rack1 leaf\", \"port\": 3}}\n"
"]\n"
"}\n";

static const char dot[] =
"graph moore {\n"
"\t\"rack1 leaf\";\n"
"\t\"s1\";\n"
"\t\"s2\";\n"
"\t\"h0\" [shape=box];\n"
"\t\"h1 mlx5_0\" [shape=box];\n"
"\t\"rack1 leaf\" -- \"h0\" [taillabel=\"1\", headlabel=\"1\"];\n"
"\t\"s1\" -- \"h1 mlx5_0\" [taillabel=\"4\", headlabel=\"1\"];\n"
"\t\"s1\" -- \"h0\" [taillabel=\"1\", headlabel=\"2\"];\n"
"\t\"rack1 leaf\" -- \"s1\" [taillabel=\"3\", headlabel=\"3\"];\n"
"\t\"rack1 leaf\" -- \"s2\" [taillabel=\"5\", headlabel=\"1\"];\n"
"\t\"s1\" -- \"s2\" [taillabel=\"2\", headlabel=\"3\"];\n"
"}\n";

static const char csv[] =
"kind,a_switch,a_port,b_node,b_port,length_m,label\n"
"cable,rack1 leaf,3,s1,3,2.5,\"C-1, \"\"blue\"\" \\ x\"\n"
"cable,rack1 leaf,5,s2,1,3,\n"
"cable,s1,2,s2,3,,\n"
"endpoint,rack1 leaf,1,h0,1,,\n"
"endpoint,s1,4,h1 mlx5_0,1,,\n"
"endpoint,s1,1,h0,2,,\n";

static const char ptm[] =
"graph G {\n"
"\t\"rack1 leaf\":\"swp1\" -- \"h0\":\"eth0\"\n"
"\t\"s1\":\"swp4\" -- \"h1 mlx5_0\":\"eth0\"\n"
"\t\"s1\":\"swp1\" -- \"h0\":\"eth1\"\n"
"\t\"rack1 leaf\":\"swp3\" -- \"s1\":\"swp3\"\n"
"\t\"rack1 leaf\":\"swp5\" -- \"s2\":\"swp1\"\n"
"\t\"s1\":\"swp2\" -- \"s2\":\"swp3\"\n"
"}\n";

static struct moore_plan *
plan_of(const char *text)
{
	struct moore_plan *p;
	struct moore_err err;

	if (moore_plan_parse(&p, text, strlen(text), &err) < 0)
		fail_msg("%s", err.text);
	return p;
}

static int
import(struct moore_plan **p, const char *text, size_t len, struct moore_err *err)
{
	return moore_plan_format_find("ibnetdiscover")->parse(p, text, len, err);
}

static void
test_table(void **state)
{
	static const char *const names[] = { "ibsim", "ibnetdiscover", "dot", "ptm", "csv", "opa",
		"slurm" };
	const struct moore_plan_format *f;
	size_t n = 0;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		CHECK(names[i], moore_plan_format_at(i) == moore_plan_format_find(names[i]));
		CHECK(names[i], moore_plan_format_at(i)->write != NULL);
		CHECK(names[i], moore_plan_format_at(i)->parse != NULL);
	}
	for (size_t i = 0; (f = moore_plan_format_at(i)); i++, n++) {
		CHECK(f->name, f->write || f->parse);
		CHECK(f->name, f->help && f->lost);
		CHECK(f->name, moore_plan_format_find(f->name) == f);
	}
	CHECK("no less than these", n >= ARRAY_LEN(names));
	CHECK("past the end", !moore_plan_format_at(n));
	CHECK("unknown", !moore_plan_format_find("hibsim"));
}

static void
test_write(void **state)
{
	static const struct {
		const char *format, *want;
	} T[] = { { "ibsim", net }, { "dot", dot }, { "csv", csv }, { "ptm", ptm } };
	struct moore_plan *p = plan_of(plan);
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_buf b = MOORE_BUF_INIT;

		CHECK_EQ(T[i].format, moore_plan_format_find(T[i].format)->write(p, &b, NULL), 0);
		assert_string_equal(b.data, T[i].want);
		moore_buf_free(&b);
	}
	moore_plan_free(p);
}

/* ---- ibnetdiscover ------------------------------------------------------------------- */

/* Every record that moore writes is in the tool's text, byte for byte, and none is missing. */
static void
test_write_ibnetdiscover(void **state)
{
	struct moore_plan *p = plan_of(plan);
	struct moore_buf b = MOORE_BUF_INIT;
	size_t ours = 0, theirs = 0;
	(void)state;

	CHECK_EQ("writes", moore_plan_format_find("ibnetdiscover")->write(p, &b, NULL), 0);
	for (char *at = strstr(b.data, "\n\nvendid"), *next; at; at = next, ours++) {
		char *record;

		next = strstr(at + 2, "\n\nvendid");
		record = next ? strndup(at, (size_t)(next + 1 - at)) : strdup(at);
		if (!strstr(real, record))
			fail_msg("ibnetdiscover does not print: %s", record);
		free(record);
	}
	for (const char *at = real; (at = strstr(at, "vendid")); at++)
		theirs++;
	CHECK_EQ("all of them", ours, theirs);
	moore_buf_free(&b);
	moore_plan_free(p);
}

static void
test_import(void **state)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_plan *p;
	(void)state;

	CHECK_EQ("reads", import(&p, real, strlen(real), NULL), 0);
	CHECK_EQ("writes", moore_plan_write(p, &b, NULL), 0);
	assert_string_equal(b.data, imported);
	moore_plan_free(p);
	moore_buf_free(&b);
}

static int
line_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What ibnetdiscover's text keeps of a plan with these GUIDs: a line for each switch,
 * endpoint and cable, sorted.  The caller frees it. */
static char *
wiring_text(const struct moore_plan *p, const uint64_t *sw_guid, const uint64_t *ep_guid)
{
	size_t n = 0, max = (size_t)p->n_switches + p->n_endpoints + p->n_cables, len = 1;
	char **line = calloc(max + 1, sizeof(*line)), *all;

	for (uint32_t i = 0; i < p->n_switches; i++)
		len += (size_t)asprintf(&line[n++], "switch %s %u %llx\n", p->sw[i].name,
					p->sw[i].ports, (unsigned long long)sw_guid[i]);
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		len += (size_t)asprintf(&line[n++], "endpoint %s %u %llx at %s %u\n", p->ep[i].name,
					p->ep[i].ca_port, (unsigned long long)ep_guid[i],
					p->sw[p->ep[i].sw].name, p->ep[i].port);
	for (uint32_t i = 0; i < p->n_cables; i++) {
		const struct moore_plan_cable *c = &p->cable[i];
		int a = strcmp(p->sw[c->sw[0]].name, p->sw[c->sw[1]].name) > 0;

		len += (size_t)asprintf(&line[n++], "cable %s %u to %s %u\n", p->sw[c->sw[a]].name,
					c->port[a], p->sw[c->sw[!a]].name, c->port[!a]);
	}
	qsort(line, n, sizeof(*line), line_cmp);
	all = calloc(len, 1);
	for (size_t i = 0, at = 0; i < n; i++) {
		size_t l = strlen(line[i]);

		memcpy(all + at, line[i], l);
		at += l;
		free(line[i]);
	}
	free(line);
	return all;
}

/* Compares names, GUIDs, ports and cables of a plan that was exported and read again. */
static void
test_import_export(void **state)
{
	struct moore_rng r = { test_seed() };
	(void)state;

	for (unsigned i = test_rounds(300); i; i--) {
		struct moore_plan *p = random_plan(&r), *q;
		struct moore_buf b = MOORE_BUF_INIT;
		struct moore_err err = { 0 };
		uint64_t *sw[2], *ep[2];
		char *want, *got;

		if (moore_plan_format_find("ibnetdiscover")->write(p, &b, &err) < 0)
			fail_msg("%s", err.text);
		if (import(&q, b.data, b.len, &err) < 0)
			fail_msg("line %u: %s of\n%s", err.line, err.text, b.data);
		CHECK_EQ("GUIDs", moore_plan_guids(p, &sw[0], &ep[0], NULL), 0);
		CHECK_EQ("GUIDs", moore_plan_guids(q, &sw[1], &ep[1], NULL), 0);
		want = wiring_text(p, sw[0], ep[0]);
		got = wiring_text(q, sw[1], ep[1]);
		assert_string_equal(got, want);
		for (int k = 0; k < 2; k++) {
			free(sw[k]);
			free(ep[k]);
		}
		free(want);
		free(got);
		moore_plan_free(p);
		moore_plan_free(q);
		moore_buf_free(&b);
	}
}

/* A listing of an older version, grouped, with oddities of real fabrics: equal and missing
 * descriptions, a router, an aggregation node on a 41st port, external ports, a slot, CR
 * LF, ports out of order, a CA without a cable. */
static const char wild[] =
"#\n"
"# Topology file: generated on Tue Jun  5 14:15:10 2007\n"
"#\n"
"# Max of 3 hops discovered\n"
"# Initiated from node 0008f10403960558 port 0008f10403960559\n"
"\n"
"Chassis 1 (guid 0x8f104003f0838)\n"
"\n"
"# Spine Nodes\n"
"vendid=0x8f1\n"
"devid=0x5a06\n"
"sysimgguid=0x8f10400410000\t\t# Chassis 1\n"
"switchguid=0x8f10400410001(8f10400410001)\t# ISR9288 spine 1\n"
"Switch\t24 \"S-0008f10400410001\"\t\t# \"ISR9024 \"Voltaire\"\" enhanced port 0 lid 6 lmc 2\n"
"[22][ext 7]\t\"H-0008f10403960100\"[1](8f10403960101) \t\t# \"MT23108\" lid 4 4xSDR s=1 w=2 v=3\n"
"[10]\t\"S-0008f10400410002\"[3][ext 9]\t\t# \"\" lid 3 4xFDR10\n"
"[1]\t\"R-0008f10403960300\"[2](8f10403960302) \t\t# \"gw\" lid 9 4x??? slot 1\r\n"
"\n"
"# Line Nodes\n"
"vendid=0x2c9\n"
"devid=0xd2f0\n"
"switchguid=0x8f10400410002(8f10400410002)\n"
"Switch\t41 \"S-0008f10400410002\"\t\t# \"\" base port 0 lid 3 lmc 0\n"
"[41]\t\"H-0008f10403960400\"[1](8f10403960400) \t\t# \"Mellanox Technologies Aggregation Node\" lid 77 4xHDR\n"
"[3]\t\"S-0008f10400410001\"[10]\t\t# \"ISR9024 \"Voltaire\"\" lid 6 4xFDR10\n"
"[7]\t\"H-0008f10403960200\"[2](8f10403960202) \t\t# \"MT23108\" lid 5 4xSDR\n"
"\n"
"Non-Chassis Nodes\n"
"\n"
"vendid=0x8f1\n"
"devid=0x5a06\n"
"caguid=0x8f10403960100\n"
"Ca\t2 \"H-0008f10403960100\"\t\t# \"MT23108\"\n"
"[1](8f10403960101) \t\"S-0008f10400410001\"[22][ext 7]\t\t# lid 4 lmc 2 \"ISR9024 \"Voltaire\"\" lid 6 4xSDR\n"
"\n"
"caguid=0x8f10403960200\n"
"Ca\t2 \"H-0008f10403960200\"\t\t# \"MT23108\"\n"
"[2](8f10403960202) \t\"S-0008f10400410002\"[7]\t\t# lid 5 lmc 2 \"\" lid 3 4xSDR\n"
"\n"
"caguid=0x8f10403960400\n"
"Ca\t1 \"H-0008f10403960400\"\t\t# \"Mellanox Technologies Aggregation Node with a name longer than sixty-three\"\n"
"[1](8f10403960400) \t\"S-0008f10400410002\"[41]\t\t# lid 77 lmc 0 \"\" lid 3 4xHDR\n"
"\n"
"caguid=0x8f10403960500\n"
"Ca\t1 \"H-0008f10403960500\"\t\t# \"alone\"\n"
"\n"
"rtguid=0x8f10403960300\n"
"Rt\t2 \"R-0008f10403960300\"\t\t# \"gw \xff\xc3\xa9\x1b[m\\ \"\n"
"[2](8f10403960302) \t\"S-0008f10400410001\"[1]\t\t# lid 9 lmc 0 \"ISR9024 \"Voltaire\"\" lid 6 4x???\n";

static void
test_wild(void **state)
{
	static const struct {
		const char *name;
		uint64_t guid;
		unsigned ca_port, sw, port;
	} E[] = {
		{ "MT23108-0008f10403960100", 0x8f10403960101, 1, 0, 22 },
		{ "MT23108-0008f10403960200", 0x8f10403960202, 2, 1, 7 },
		{ "Mellanox Technologies Aggregation Node with a name longer than ",
		  0x8f10403960400, 1, 1, 41 },
		{ "gw _\xc3\xa9_[m_", 0x8f10403960302, 2, 0, 1 },
	};
	struct moore_err err = { 0 };
	struct moore_plan *p;
	(void)state;

	if (import(&p, wild, strlen(wild), &err) < 0)
		fail_msg("line %u: %s", err.line, err.text);
	CHECK_EQ("switches", p->n_switches, 2);
	assert_string_equal(p->sw[0].name, "ISR9024 _Voltaire_");
	assert_string_equal(p->sw[1].name, "S-0008f10400410002");
	CHECK_EQ("41 ports", p->sw[1].ports, 41);
	CHECK_EQ("endpoints", p->n_endpoints, ARRAY_LEN(E));
	for (size_t i = 0; i < ARRAY_LEN(E); i++) {
		assert_string_equal(p->ep[i].name, E[i].name);
		CHECK_EQ(E[i].name, p->ep[i].guid, E[i].guid);
		CHECK_EQ(E[i].name, p->ep[i].ca_port, E[i].ca_port);
		CHECK_EQ(E[i].name, p->ep[i].sw, E[i].sw);
		CHECK_EQ(E[i].name, p->ep[i].port, E[i].port);
	}
	CHECK_EQ("cables", p->n_cables, 1);
	CHECK_EQ("a", p->cable[0].sw[0] == 0 && p->cable[0].port[0] == 10, 1);
	CHECK_EQ("b", p->cable[0].sw[1] == 1 && p->cable[0].port[1] == 3, 1);
	moore_plan_free(p);
}

#define PORT_S2 "[1]\t\"S-0002c90300000010\"[5]"	/* on line 11; its other end is on line 30 */

static const struct {
	const char *why, *from, *to;
	int rc;
	unsigned line;
	const char *text;
} bad[] = {
	{ "nothing", NULL, "", MOORE_EPLAN, 0, "switches: there is none" },
	{ "another file", "vendid", "{", MOORE_ESYNTAX, 6, "not a line that ibnetdiscover prints" },
	{ "a warning of the tool", "vendid", "ibwarn: [1] x", MOORE_ESYNTAX, 6, "not a line that ibnetdiscover prints" },
	{ "an unknown kind of node", "Switch\t3", "???\t3", MOORE_ESYNTAX, 10, "not a line" },
	{ "no ports", "Switch\t3", "Switch\t0", MOORE_ESYNTAX, 10, "a node's number of ports is 1..254" },
	{ "too many ports", "Switch\t3", "Switch\t255", MOORE_ESYNTAX, 10, "a node's number of ports is 1..254" },
	{ "no number", "Switch\t3", "Switch\t", MOORE_ESYNTAX, 10, "a node's number of ports" },
	{ "ibsim's own text", "\"S-0000000000200002\"\t", "\"s2\"\t", MOORE_ESYNTAX, 10, "want the node's id in quotes, as in \"S-" },
	{ "a switch named as a CA", "\"S-0000000000200002\"\t", "\"H-0000000000200002\"\t", MOORE_ESYNTAX, 10, "want the node's id" },
	{ "GUID too long", "\"S-0000000000200002\"\t", "\"S-10000000000200002\"\t", MOORE_ESYNTAX, 10, "want the node's id" },
	{ "cut in the id", "\"S-0000000000200002\"\t", "\"S-\n", MOORE_ESYNTAX, 10, "want the node's id" },
	{ "a port before any node", "vendid", "[1]", MOORE_ESYNTAX, 6, "a port before the first node" },
	{ "port 0", PORT_S2, "[0]\t\"S-0002c90300000010\"[5]", MOORE_ESYNTAX, 11, "want a port in brackets, 1..3 as line 10 says" },
	{ "port past the switch's", PORT_S2, "[4]\t\"S-0002c90300000010\"[5]", MOORE_ESYNTAX, 11, "1..3 as line 10 says" },
	{ "no bracket", PORT_S2, "[1\t\"S-0002c90300000010\"[5]", MOORE_ESYNTAX, 11, "want a port in brackets" },
	{ "cut after the port", PORT_S2, "[1]\n", MOORE_ESYNTAX, 11, "want the peer's id and port" },
	{ "peer without a port", PORT_S2, "[1]\t\"S-0002c90300000010\"", MOORE_ESYNTAX, 11, "want the peer's id and port" },
	{ "port GUID cut", "\n[1](100001)", "\n[1](", MOORE_ESYNTAX, 45, "want the port GUID" },
	{ "peer's port GUID cut", "[2](100002)", "[2](100002", MOORE_ESYNTAX, 19, "want the peer's id and port" },
	{ "unknown peer", PORT_S2, "[1]\t\"S-0002c90300000011\"[5]", MOORE_EPLAN, 11, "\"S-0002c90300000011\" has no record in this file" },
	{ "a CA of a switch's GUID is another node", PORT_S2, "[1]\t\"H-0002c90300000010\"[5]", MOORE_EPLAN, 11, "\"H-0002c90300000010\" has no record" },
	{ "listed at one end alone", PORT_S2 "\t\t# \"rack1 leaf\" lid 0 4xSDR\n", "", MOORE_EPLAN, 30, "the record of \"S-0000000000200002\" (line 10) has no line for its port 1" },
	{ "the ends disagree", PORT_S2, "[1]\t\"S-0002c90300000010\"[3]", MOORE_EPLAN, 11, "this leads to \"S-0002c90300000010\"[3], but line 30 says that port leads to \"S-0000000000200001\"[3]" },
	{ "a port twice", "[3]\t\"S-0000000000200001\"[2]", "[1]\t\"S-0000000000200001\"[2]", MOORE_EPLAN, 12, "port 1 is on line 11 already" },
	{ "a node twice", "Switch\t4 \"S-0000000000200001\"", "Switch\t4 \"S-0000000000200002\"", MOORE_EPLAN, 18, "\"S-0000000000200002\" is listed on line 10 already" },
	{ "two CAs back to back", NULL, "Ca\t1 \"H-1\"\n[1](2)\t\"H-3\"[1](4)\nCa\t1 \"H-3\"\n[1](4)\t\"H-1\"[1](2)\n", MOORE_EPLAN, 2, "\"H-0000000000000001\" is cabled to \"H-0000000000000003\": one end of a link must be a switch" },
	{ "a loop", NULL, "Switch\t2 \"S-1\"\n[1]\t\"S-1\"[2]\n[2]\t\"S-1\"[1]\n", MOORE_EPLAN, 2, "switch \"S-0000000000000001\" is cabled to itself" },
	{ "a port into itself", NULL, "Switch\t2 \"S-1\"\n[1]\t\"S-1\"[1]\n", MOORE_EPLAN, 2, "is cabled to itself" },
	{ "one GUID at two ports", "\n[2](100002)", "\n[2](100001)", MOORE_EPLAN, 0, "endpoints[2].guid: the same as that of endpoints[1]" },
};

static void
test_bad(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const char *from = bad[i].from, *at = from ? strstr(real, from) : NULL;
		struct moore_err err = { 0 };
		struct moore_plan *p;
		char *text = NULL;

		CHECK(bad[i].why, !from || at);
		CHECK(bad[i].why, (at ? asprintf(&text, "%.*s%s%s", (int)(at - real), real, bad[i].to,
						 at + strlen(from)) :
					asprintf(&text, "%s", bad[i].to)) >= 0);
		CHECK_EQ(bad[i].why, import(&p, text, strlen(text), &err), -bad[i].rc);
		CHECK_STR(bad[i].why, err.text, bad[i].text);
		CHECK_EQ(bad[i].why, err.line, bad[i].line);
		CHECK(bad[i].why, !p);
		free(text);
	}
}

/* ---- the others ---------------------------------------------------------------------------- */

static int
read_as(const char *format, struct moore_plan **p, const char *text, struct moore_err *err)
{
	return moore_plan_format_find(format)->parse(p, text, strlen(text), err);
}

enum { GUIDS = 1, PORTS = 2, FREE = 4, LENGTHS = 8, CABINETS = 16, NO_CABLES = 32 };

/* What a format keeps of a plan, as sorted lines.  The caller frees it. */
static char *
held_text(const struct moore_plan *p, unsigned held)
{
	size_t n = 0, max = (size_t)p->n_switches + p->n_endpoints + p->n_cables, len = 1;
	char **line = calloc(max + 1, sizeof(*line)), *all;
	uint64_t *sw_guid, *ep_guid;
	uint8_t *used = calloc(p->n_switches + 1, 1);

	CHECK_EQ("GUIDs", moore_plan_guids(p, &sw_guid, &ep_guid, NULL), 0);
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		used[p->ep[i].sw] = 1;
	for (uint32_t i = 0; i < p->n_cables && !(held & NO_CABLES); i++)
		used[p->cable[i].sw[0]] = used[p->cable[i].sw[1]] = 1;
	for (uint32_t i = 0; i < p->n_switches; i++) {
		const struct moore_plan_switch *s = &p->sw[i];

		if (used[i] || held & FREE)
			len += (size_t)asprintf(&line[n++], "switch %s %u %llx %s\n", s->name,
						held & PORTS ? s->ports : 0,
						held & GUIDS ? (unsigned long long)sw_guid[i] : 0,
						held & CABINETS && s->cabinet ? s->cabinet : "");
	}
	for (uint32_t i = 0; i < p->n_endpoints; i++) {
		const struct moore_plan_endpoint *e = &p->ep[i];

		len += (size_t)asprintf(&line[n++], "endpoint %s %u %llx at %s %u\n", e->name, e->ca_port,
					held & GUIDS ? (unsigned long long)ep_guid[i] : 0,
					p->sw[e->sw].name, e->port);
	}
	for (uint32_t i = 0; i < p->n_cables && !(held & NO_CABLES); i++) {
		const struct moore_plan_cable *c = &p->cable[i];
		int a = strcmp(p->sw[c->sw[0]].name, p->sw[c->sw[1]].name) > 0;

		len += (size_t)asprintf(&line[n++], "cable %s %u to %s %u, %.17g, %s\n",
					p->sw[c->sw[a]].name, c->port[a], p->sw[c->sw[!a]].name,
					c->port[!a], held & LENGTHS ? c->length : 0,
					held & LENGTHS && c->label ? c->label : "");
	}
	qsort(line, n, sizeof(*line), line_cmp);
	all = calloc(len, 1);
	for (size_t i = 0, at = 0; i < n; i++) {
		size_t l = strlen(line[i]);

		memcpy(all + at, line[i], l);
		at += l;
		free(line[i]);
	}
	free(line);
	free(used);
	free(sw_guid);
	free(ep_guid);
	return all;
}

/* Replaces all characters in the plan's texts that a format cannot express. */
static void
plain_texts(struct moore_plan *p, const char *bad)
{
	char *text[4 * 16 + 80 + 80];
	size_t n = 0;

	for (uint32_t i = 0; i < p->n_switches; i++) {
		text[n++] = p->sw[i].name;
		text[n++] = p->sw[i].cabinet;
	}
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		text[n++] = p->ep[i].name;
	for (uint32_t i = 0; i < p->n_cables; i++)
		text[n++] = p->cable[i].label;
	for (uint32_t i = 0; i < p->n_cabinets; i++)
		text[n++] = p->cabinet[i].name;
	for (size_t i = 0; i < n; i++)
		for (char *s = text[i]; s && *s; s++)
			if (strchr(bad, *s))	/* each by a character of its own, so that texts
						 * stay different */
				*s = "KLMNOPQ"[strchr(bad, *s) - bad];
}

/* For each format: characters that it cannot express, and what it keeps of a plan. */
static const struct {
	const char *format, *cannot;
	unsigned held;
} trips[] = {
	{ "ibsim", "#@", GUIDS | PORTS | FREE }, { "dot", "", FREE }, { "ptm", "", 0 },
	{ "csv", "", LENGTHS }, { "opa", ",\"=+-@'", LENGTHS | CABINETS },
	{ "ibnetdiscover", NULL, GUIDS | PORTS | FREE }, { "slurm", NULL, NO_CABLES },
	{ "netbox", ",=+-@'", 0 }, { "nautobot", ",=+-@'", 0 },
};

/* A plan that is exported and read again has everything that the format keeps.  The random
 * plans have names of every kind, GUIDs, free ports, parallel cables and lengths. */
static void
test_round_trips(void **state)
{
	struct moore_rng r = { test_seed() };
	(void)state;

	for (unsigned i = test_rounds(500); i; i--)
		for (size_t k = 0; k < ARRAY_LEN(trips) && trips[k].cannot; k++) {
			struct moore_plan *p = random_plan(&r), *q;
			struct moore_buf b = MOORE_BUF_INIT;
			struct moore_err err = { 0 };
			char *want, *got;

			plain_texts(p, trips[k].cannot);
			for (uint32_t e = 0; e < p->n_endpoints; e++)	/* in ibsim, port GUIDs
									 * follow from the node's */
				p->ep[e].guid = 0;
			if (moore_plan_format_find(trips[k].format)->write(p, &b, &err) < 0)
				fail_msg("%s: %s", trips[k].format, err.text);
			if (read_as(trips[k].format, &q, b.data, &err) < 0) {
				if (!p->n_endpoints && !p->n_cables && !(trips[k].held & FREE))
					goto next;	/* the format kept nothing of this plan */
				fail_msg("%s line %u: %s of\n%s", trips[k].format, err.line, err.text, b.data);
			}
			want = held_text(p, trips[k].held);
			got = held_text(q, trips[k].held);
			assert_string_equal(got, want);
			free(want);
			free(got);
			moore_plan_free(q);
next:
			moore_plan_free(p);
			moore_buf_free(&b);
		}
}

/* Names that a spreadsheet would execute, or that would display misleadingly, are written
 * in a harmless form and read back unchanged. */
static void
test_csv_harmless(void **state)
{
	static const struct {
		const char *why, *name, *field;
	} T[] = {
		{ "a formula", "=1+1", "'=1+1" }, { "plus", "+1", "'+1" }, { "minus", "-h", "'-h" },
		{ "at", "@SUM(1)", "'@SUM(1)" }, { "an apostrophe", "'=1", "''=1" },
		{ "an apostrophe alone", "'", "''" }, { "two", "''", "'''" },
		{ "quoted besides", "=a,b", "\"'=a,b\"" }, { "in the middle", "a=1", "a=1" },
		{ "a blank first", " =1", "\" =1\"" },
		{ "turned around", "a\xe2\x80\xae" "b", "a\\u202eb" },
		{ "turned around first", "\xe2\x80\xae=1", "\\u202e=1" },
		{ "C1", "\xc2\x9b" "2J", "\\u009b2J" }, { "an Arabic mark", "\xd8\x9c", "\\u061c" },
		{ "what reads like an escape", "\\u202e", "\\u005cu202e" },
		{ "and like that one", "\\u005c", "\\u005cu005c" },
		{ "what does not", "\\u0041 \\x \\", "\\u0041 \\x \\" },
		{ "other scripts", "\xd7\xa9\xc3\xa9", "\xd7\xa9\xc3\xa9" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_plan *p = plan_of(plan), *q;
		struct moore_buf b = MOORE_BUF_INIT;
		struct moore_err err = { 0 };
		char want[100];

		free(p->sw[0].cabinet);		/* opa cannot express its quotes */
		p->sw[0].cabinet = NULL;
		p->sw[0].unit = 0;
		free(p->cable[0].label);
		p->cable[0].label = strdup(T[i].name);
		if (!strchr(T[i].name, '\\')) {	/* no name may contain a backslash */
			free(p->sw[2].name);
			p->sw[2].name = strdup(T[i].name);
		}
		CHECK_EQ(T[i].why, moore_plan_format_find("csv")->write(p, &b, &err), 0);
		snprintf(want, sizeof(want), "3,s1,3,2.5,%s\n", T[i].field);
		CHECK_STR(T[i].why, b.data, want);
		if (read_as("csv", &q, b.data, &err) < 0)
			fail_msg("%s: %s", T[i].why, err.text);
		CHECK(T[i].why, !strcmp(q->cable[0].label, T[i].name));
		CHECK(T[i].why, !strcmp(q->sw[2].name, p->sw[2].name));
		moore_buf_free(&b);
		if (moore_plan_format_find("opa")->write(p, &b, &err) < 0)
			CHECK_STR(T[i].why, err.text, "begins like a formula, which this format cannot");
		CHECK_EQ(T[i].why, err.code ? -err.code : 0, strcmp(T[i].field, T[i].name) ? -MOORE_EPLAN : 0);
		moore_plan_free(q);
		moore_plan_free(p);
		moore_buf_free(&b);
	}
}

/* The plan of a family member, placed so that it has cabinets and lengths. */
static struct moore_plan *
plan_of_family(const char *family, const char *params)
{
	const struct moore_topo_family *f = moore_topo_family_find(family);
	struct moore_place_opts o = { .model = moore_place_model_at(0), .iterations = 1000 };
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_place_report report;
	char copy[64], *save = NULL;
	const char *word[4];
	struct moore_plan *p = NULL;
	struct moore_topo *t = NULL;
	struct moore_err err = { 0 };
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", params);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		word[n++] = w;
	if (moore_topo_params_parse(f, param, word, n, &err) < 0 ||
	    moore_topo_build(&t, f, param, &err) < 0 || moore_plan_from_topo(&p, t, &err) < 0 ||
	    moore_place(p, &o, &report, &err) < 0)
		fail_msg("%s %s: %s", family, params, err.text);
	moore_topo_free(t);
	return p;
}

/* The wiring of whole families survives export and import, with the ports of switches and
 * endpoints; for Slurm, which endpoint is at which switch, in the order of ports. */
static void
test_families(void **state)
{
	static const struct {
		const char *family, *params;
	} T[] = {
		{ "slimfly", "q=5" }, { "slimfly", "q=4" }, { "mlfm", "h=4" }, { "oft", "k=4" },
		{ "torus2d", "a=4 b=5" }, { "dragonfly", "a=4 h=2" }, { "hyperx", "s1=3 s2=3 s3=2" },
		{ "myriclos", "n=128" }, { "fhypercube", "n=4" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_plan *p = plan_of_family(T[i].family, T[i].params), *q;

		for (size_t k = 0; k < ARRAY_LEN(trips); k++) {
			const struct moore_plan_format *f = moore_plan_format_find(trips[k].format);
			struct moore_buf b = MOORE_BUF_INIT, again = MOORE_BUF_INIT;
			struct moore_err err = { 0 };
			char *want, *got;

			if (f->write(p, &b, &err) < 0 || f->parse(&q, b.data, b.len, &err) < 0)
				fail_msg("%s as %s: line %u: %s", T[i].family, f->name, err.line, err.text);
			want = held_text(p, trips[k].held);
			got = held_text(q, trips[k].held);
			assert_string_equal(got, want);
			CHECK_EQ("cables", q->n_cables, trips[k].held & NO_CABLES ? 0 : p->n_cables);
			CHECK_EQ("written once more", f->write(q, &again, &err), 0);
			CHECK_EQ(f->name, again.len, b.len);
			free(want);
			free(got);
			moore_plan_free(q);
			moore_buf_free(&again);
			moore_buf_free(&b);
		}
		moore_plan_free(p);
	}
}

/* Excel's "CSV UTF-8" begins with a byte order mark. */
static void
test_csv_marked(void **state)
{
	char text[sizeof(csv) + 3];
	struct moore_err err = { 0 };
	struct moore_plan *p;
	(void)state;

	snprintf(text, sizeof(text), "\xef\xbb\xbf%s", csv);
	if (read_as("csv", &p, text, &err) < 0)
		fail_msg("line %u: %s", err.line, err.text);
	CHECK_EQ("cables", p->n_cables, 3);
	moore_plan_free(p);
}

/* Checks which node is at which switch, and names that the tree contains twice. */
static void
test_slurm(void **state)
{
	static const char text[] =
	"# a comment\r\n"
	"SwitchName=a Nodes=n[08-11],m LinkSpeed=100\r\n"
	"switchname=b nodes=k[0,2-3]x # another\n"
	"\n"
	"SwitchName=up Switches=a,b\n"
	"SwitchName=fabric Switches=a,b\n";
	static const char *const names[] = { "n08", "n09", "n10", "n11", "m", "k0x", "k2x", "k3x" };
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_err err = { 0 };
	struct moore_plan *p;
	(void)state;

	if (read_as("slurm", &p, text, &err) < 0)
		fail_msg("line %u: %s", err.line, err.text);
	CHECK_EQ("a, b, up", p->n_switches, 3);
	CHECK_EQ("nodes", p->n_endpoints, ARRAY_LEN(names));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		assert_string_equal(p->ep[i].name, names[i]);
		CHECK_EQ(names[i], p->ep[i].sw, i > 4);
		CHECK_EQ(names[i], p->ep[i].port, i > 4 ? i - 4 : i + 1);
	}
	CHECK_EQ("up to a and b", p->n_cables, 2);
	CHECK_EQ("the port after the nodes", p->cable[0].port[1], 6);
	CHECK_EQ("writes", moore_plan_format_find("slurm")->write(p, &b, &err), 0);
	CHECK_STR("leaf", b.data, "\nSwitchName=a Nodes=n08,n09,n10,n11,m\nSwitchName=b Nodes=k0x,k2x,k3x\n"
		  "SwitchName=fabric Switches=a,b\n");
	moore_plan_free(p);
	moore_buf_free(&b);
}

/* A spreadsheet as cable planners write it: lines before the heading, empty cells, a
 * chassis, units after lengths, text after the links. */
static void
test_opa_sheet(void **state)
{
	static const char text[] =
	"My cluster,,,,,,,,,,,,,,\r\n"
	"Source,,,,,,Destination,,,,,,Cable,,\r\n"
	"Rack Group,Rack,Name,Name-2,Port,Type,Rack Group,Rack,Name,Name-2,Port,Type,Label,Length,Details\r\n"
	"row1,r1,host1,,,FI,row1,r2,edge1,,1,SW,H1,2m,AOC\r\n"
	",,host2,,,,,,edge1,,2,,,3 m,\r\n"
	",r2,edge1,,40,SW,row2,r9,core1,L101,1,CL,E1,20,\r\n"
	",,,,,,,,,,,,,,\r\n"
	"Core Name:core1,Core Group:row2,Core Rack:r9,Core Size:288,Core Full:0\r\n";
	struct moore_err err = { 0 };
	struct moore_plan *p;
	(void)state;

	if (read_as("opa", &p, text, &err) < 0)
		fail_msg("line %u: %s", err.line, err.text);
	CHECK_EQ("edge and leaf", p->n_switches, 2);
	assert_string_equal(p->sw[0].name, "edge1");
	assert_string_equal(p->sw[0].cabinet, "r2");
	assert_string_equal(p->sw[1].name, "core1 L101");
	assert_string_equal(p->sw[1].cabinet, "r9");
	CHECK_EQ("hosts", p->n_endpoints, 2);
	CHECK_EQ("type of the line above", p->ep[1].ca_port, 1);
	CHECK_EQ("cables", p->n_cables, 1);
	CHECK_EQ("metres", p->cable[0].length, 20);
	assert_string_equal(p->cable[0].label, "E1");
	moore_plan_free(p);
}

/* Constructs that occur in ibsim's examples and in PTM's documentation, but that moore does
 * not write. */
static void
test_foreign(void **state)
{
	static const char sim[] =
	"# a comment\n"
	"switchguid=0x10\nhcaguids=0x100\n"
	"Switch\t8 \"Switch1\"\t# \"leaf one\" base port 0 lid 2 lmc 0\n"
	"[1]\t\"Hca1\"[1]\n"
	"# a comment between ports\n"
	"[2]\t\"Hca1\"[2] w=3 s=1\n"
	"[3]\t\"Switch2\"[3]\n"
	"\n"
	"devid=0x12\nnoise that ibsim skips\n"
	"Switch 8 \"Switch2\"\n"
	"\n"
	"Hca\t2 \"Hca1\"\t# \"same\"\n"
	"[1]\t\"Switch1\"[1]\n"
	"\n"
	"Ca 1 \"Hca2\" # \"same\"\n"
	"[1] \"Switch2\"\n";
	static const char dots[] =
	"/* plan */ strict graph \"G\" {\n"
	"graph [hostidtype=\"hostname\" , version=\"1:0\", date=\"06/26/2013\"]\n"
	"rankdir = LR; node [shape=box]\n"
	"// one edge a line\n"
	"spine1:swp1--leaf1:\"swp49\" [BFD=\"upMinTx=150\"][x=1;y=2];\n"
	"\"leaf1\":\"swp1\" -- host1:ens0 # end\n"
	"host1\n"
	"}\n";
	struct moore_err err = { 0 };
	struct moore_plan *p;
	(void)state;

	if (read_as("ibsim", &p, sim, &err) < 0)
		fail_msg("line %u: %s", err.line, err.text);
	CHECK_EQ("one cable from one end", p->n_cables, 1);
	CHECK_EQ("endpoints", p->n_endpoints, 3);
	assert_string_equal(p->sw[0].name, "leaf one");
	CHECK_EQ("GUIDs count on", p->sw[1].guid, 0x11);
	assert_string_equal(p->ep[0].name, "Hca1");
	CHECK_EQ("port GUID", p->ep[1].guid, 0x102);
	assert_string_equal(p->ep[2].name, "Hca2");
	CHECK_EQ("by ports and one", p->ep[2].guid, 0x104);
	CHECK_EQ("port 1 is what ibsim takes", p->ep[2].port, 1);
	moore_plan_free(p);
	if (read_as("ptm", &p, dots, &err) < 0)
		fail_msg("line %u: %s", err.line, err.text);
	CHECK_EQ("switches", p->n_switches, 2);
	CHECK_EQ("port", p->cable[0].port[1], 49);
	CHECK_EQ("host", p->ep[0].ca_port, 1);
	moore_plan_free(p);
}

#define SIM "Switch 4 \"a\"\n"
#define CSV "kind,a_switch,a_port,b_node,b_port,length_m,label\n"
#define OPA "Rack Group\n"
#define NETBOX "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name\n"

static const struct {
	const char *why, *format, *text;
	int rc;
	unsigned line;
	const char *part;
} bad_others[] = {
	{ "nothing", "ibsim", "", MOORE_EPLAN, 0, "switches: there is none" },
	{ "a port before a node", "ibsim", "[1] \"a\"[1]\n", MOORE_ESYNTAX, 1, "want a header such as" },
	{ "no ports", "ibsim", "Switch \"a\"\n", MOORE_ESYNTAX, 1, "want a number of ports, 1..254" },
	{ "a quote is open", "ibsim", "Switch 4 \"a\n", MOORE_ESYNTAX, 1, "want the node's id in quotes" },
	{ "port past the switch's", "ibsim", SIM "[5] \"b\"[1]\n\nSwitch 4 \"b\"\n", MOORE_EPLAN, 2, "port 5 of \"a\": it has 4 as line 1 says" },
	{ "port 0", "ibsim", SIM "[0] \"b\"[1]\n", MOORE_ESYNTAX, 2, "want a port in brackets" },
	{ "no record", "ibsim", SIM "[1] \"b\"[1]\n", MOORE_EPLAN, 2, "\"b\" has no record" },
	{ "ends disagree", "ibsim", SIM "[1] \"b\"[1]\n\nSwitch 4 \"b\"\n[1] \"a\"[2]\n", MOORE_EPLAN, 5, "port 1 of \"b\" is on line 2 already" },
	{ "two records", "ibsim", SIM "\n" SIM, MOORE_EPLAN, 3, "has a record on line 1 already" },
	{ "an alias", "ibsim", SIM "[1] \"@b\"\n", MOORE_ESYNTAX, 2, "no alias" },
	{ "a module", "ibsim", "module=\"x\"\n", MOORE_ESYNTAX, 1, "module: not supported" },
	{ "an include", "ibsim", "\ninclude \"x\"\n", MOORE_ESYNTAX, 2, "include: not supported" },
	{ "a GUID", "ibsim", "switchguid=x\n", MOORE_ESYNTAX, 1, "want a GUID" },
	{ "itself", "ibsim", SIM "[1] \"a\"[2]\n", MOORE_EPLAN, 2, "\"a\" is cabled to itself" },
	{ "two hosts", "ibsim", "Hca 1 \"a\"\n[1] \"b\"[1]\n\nHca 1 \"b\"\n", MOORE_EPLAN, 2, "are both endpoints" },

	{ "nothing", "csv", "", MOORE_ESYNTAX, 0, "an empty list" },
	{ "no heading", "csv", "cable,a,1,b,1,,\n", MOORE_ESYNTAX, 1, "want the line kind," },
	{ "a kind", "csv", CSV "wire,a,1,b,1,,\n", MOORE_ESYNTAX, 2, "kind: \"wire\"" },
	{ "a port", "csv", CSV "\ncable,a,0,b,1,,\n", MOORE_ESYNTAX, 3, "a_port: \"0\" is no port" },
	{ "a length", "csv", CSV "cable,a,1,b,1,1e9,\n", MOORE_ESYNTAX, 2, "length_m: \"1e9\"" },
	{ "twice", "csv", CSV "cable,a,1,b,1,,\ncable,a,1,b,1,,\n", MOORE_EPLAN, 3, "port 1 of \"a\" is on line 2 already" },
	{ "no name", "csv", CSV "cable,,1,b,1,,\n", MOORE_ESYNTAX, 2, "an empty name" },
	{ "fields", "csv", CSV "cable,a,1,b,1,,x,y\n", MOORE_ESYNTAX, 2, "more than 7 fields" },
	{ "both kinds", "csv", CSV "cable,a,1,b,1,,\nendpoint,a,2,b,1,,\n", MOORE_EPLAN, 3, "\"b\" is a switch on line 2" },
	{ "a quote is open", "csv", CSV "cable,\"a,1\n\n", MOORE_ESYNTAX, 2, "a quote that is not closed" },

	{ "another file", "dot", "digraph {}", MOORE_ESYNTAX, 1, "\"digraph\": want graph NAME" },
	{ "cut", "dot", "graph {\na -- b [taillabel=1,headlabel=1]\n", MOORE_ESYNTAX, 3, "the graph is not closed" },
	{ "an arrow", "dot", "graph {\na -> b\n}", MOORE_ESYNTAX, 2, "cables have no direction" },
	{ "a chain", "dot", "graph {\na -- b -- c\n}", MOORE_ESYNTAX, 2, "one edge in a statement" },
	{ "no ports", "dot", "graph {\na -- b\n}", MOORE_ESYNTAX, 2, "taillabel: want a port" },
	{ "a part", "dot", "graph {\nsubgraph x {\n}}", MOORE_ESYNTAX, 2, "no subgraph" },
	{ "a comment is open", "dot", "graph {\n/*/", MOORE_ESYNTAX, 2, "a comment that is not closed" },
	{ "a quote is open", "dot", "graph {\n\"a\n\"}", MOORE_ESYNTAX, 2, "a quote that is not closed" },
	{ "after the end", "dot", "graph { a }\nb", MOORE_ESYNTAX, 2, "nothing after the graph" },

	{ "no interface", "ptm", "graph G {\na -- b\n}", MOORE_ESYNTAX, 2, "want an interface at both ends" },
	{ "broken out", "ptm", "graph G {\na:swp1s0 -- b:swp1\n}", MOORE_ESYNTAX, 2, "interface \"swp1s0\"" },
	{ "swp0", "ptm", "graph G {\na:swp0 -- b:swp1\n}", MOORE_ESYNTAX, 2, "interface \"swp0\"" },
	{ "a switch with an eth", "ptm", "graph G {\na:swp1 -- b:swp1\na:eth0 -- b:swp2\n}", MOORE_EPLAN, 3, "\"a\" has a swp and another interface" },
	{ "a node alone", "ptm", "graph G {\na:swp1 -- b:swp1\nc\n}", MOORE_EPLAN, 3, "\"c\" has no edge" },

	{ "no heading", "opa", "a,b,c\n", MOORE_ESYNTAX, 0, "no line begins with \"Rack Group\"" },
	{ "a type", "opa", OPA ",,a,,1,XX,,,b,,1,SW\n", MOORE_ESYNTAX, 2, "type \"XX\"" },
	{ "no port", "opa", OPA ",,a,,,SW,,,b,,1,SW\n", MOORE_ESYNTAX, 2, "port \"\"" },
	{ "a length", "opa", OPA ",,a,,1,SW,,,b,,1,SW,,far\n", MOORE_ESYNTAX, 2, "length \"far\"" },
	{ "commas", "opa", OPA ",,a,,1,SW,,,b,,1,SW,x,1,y,z\n", MOORE_ESYNTAX, 2, "more than 15 fields" },
	{ "two types", "opa", OPA ",,a,,1,SW,,,b,,1,SW\n,,b,,2,FI,,,a,,2,SW\n", MOORE_EPLAN, 3, "\"b\" is a switch on line 2" },

	{ "one word", "ibdm", "SW4\n", MOORE_ESYNTAX, 1, "is no system" },
	{ "no system", "ibdm", " P1 -> SW4 a P1\n", MOORE_ESYNTAX, 1, "a link before the first system" },
	{ "no arrow", "ibdm", "SW4 a\n P1 SW4 b P1\n", MOORE_ESYNTAX, 2, "is no link" },
	{ "a port by another name", "ibdm", "SW4 a\n L1/P1 -> SW4 b P1\n", MOORE_ESYNTAX, 2, "P1 to P254" },
	{ "two types", "ibdm", "SW4 a\n P1 -> HCA1 b P1\nSW4 b\n", MOORE_EPLAN, 3, "\"b\" is an endpoint on line 2" },
	{ "a port too many", "ibdm", "SW1 a\n P2 -> HCA1 b P1\n", MOORE_EPLAN, 2, "port 2" },

	{ "an unknown key", "slurm", "NodeName=a\n", MOORE_ESYNTAX, 1, "want SwitchName=, Nodes=" },
	{ "no switch", "slurm", "Nodes=a\n", MOORE_ESYNTAX, 1, "want SwitchName= before" },
	{ "falling", "slurm", "SwitchName=s Nodes=n[3-1]\n", MOORE_ESYNTAX, 1, "want rising ranges" },
	{ "a bracket is open", "slurm", "SwitchName=s Nodes=n[3\n", MOORE_ESYNTAX, 1, "want ] behind" },
	{ "two brackets", "slurm", "SwitchName=s Nodes=n[3]m[2]\n", MOORE_ESYNTAX, 1, "one pair of brackets" },
	{ "a list without end", "slurm", "SwitchName=s Nodes=n[0-4000000000]\n", MOORE_EPLAN, 1, "more than 254 nodes" },
	{ "the same at the top", "slurm", "SwitchName=fabric Nodes=n[0-4000000000]\n", MOORE_EPLAN, 1, "more than 1000000 names" },
	{ "no head", "netbox", "a,b\n", MOORE_ESYNTAX, 1, "no column side_a_device" },
	{ "a power cable", "netbox", NETBOX "a,dcim.powerport,swp1,b,dcim.interface,swp1\n", MOORE_ESYNTAX, 2, "side_a_type: \"dcim.powerport\"" },
	{ "no port", "netbox", NETBOX "a,dcim.interface,swp0,b,dcim.interface,swp1\n", MOORE_ESYNTAX, 2, "interface \"swp0\"" },
	{ "another name", "netbox", NETBOX "a,dcim.interface,Po1,b,dcim.interface,swp1\n", MOORE_ESYNTAX, 2, "interface \"Po1\"" },
	{ "twice", "netbox", NETBOX "a,dcim.interface,swp1,b,dcim.interface,swp1\nname,rack,position\na,R,1\na,R,2\n", MOORE_EPLAN, 5, "\"a\" is listed twice" },
	{ "half a unit", "netbox", NETBOX "a,dcim.interface,swp1,b,dcim.interface,swp1\nname,rack,position\na,R,1.5\n", MOORE_ESYNTAX, 4, "position: \"1.5\"" },
	{ "no head", "nautobot", NETBOX, MOORE_ESYNTAX, 1, "no column termination_a__device__name" },
	{ "both", "netbox", NETBOX "a,dcim.interface,swp1,b,dcim.interface,eth0\nb,dcim.interface,swp2,c,dcim.interface,swp1\n", MOORE_EPLAN, 3, "\"b\" is an endpoint on line 2" },
	{ "no names", "slurm", "SwitchName=s Nodes=\n", MOORE_ESYNTAX, 1, "want names behind the =" },
};

static void
test_bad_others(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(bad_others); i++) {
		struct moore_err err = { 0 };
		struct moore_plan *p;
		char why[100];

		snprintf(why, sizeof(why), "%s: %s", bad_others[i].format, bad_others[i].why);
		CHECK_EQ(why, read_as(bad_others[i].format, &p, bad_others[i].text, &err), -bad_others[i].rc);
		CHECK_STR(why, err.text, bad_others[i].part);
		CHECK_EQ(why, err.line, bad_others[i].line);
		CHECK(why, !p);
	}
}

/* ---- what a format cannot say ------------------------------------------------------------- */

static void
test_unsayable(void **state)
{
	static const struct {
		const char *why, *format, *from, *to, *text;
	} T[] = {
		{ "ibsim's modules", "ibsim", "\"s2\", \"ports\": 3", "\"s#\", \"ports\": 3", "switches[2].name: \"s#\" holds # or @" },
		{ "ibsim's aliases", "ibsim", "h1 mlx5_0", "h1@x", "endpoints[1].name: \"h1@x\" holds # or @" },
		{ "port GUIDs not in a row", "ibsim", "\"port\": 1},", "\"port\": 1, \"guid\": \"0x0002c90300000201\"},",
		  "endpoints[2].guid: 0x2c90300000999: ibsim numbers the ports of a CA in a row, so port 2 of \"h0\" would be 0x2c90300000202" },
		{ "two nodes of one GUID", "ibnetdiscover", "0x0002c90300000101", "0x0002c90300000011", "the same as that of" },
		{ "a quote", "opa", "h1 mlx5_0", "h1,mlx5_0", "switches[0]: \"R1 \"A\"\" holds a comma, a quote" },
		{ "a blank", "slurm", "h0", "h0", "switches[0].name: \"rack1 leaf\": Slurm's names hold no blank" },
		{ "two nodes of one GUID", "ibsim", "0x0002c90300000101", "0x0002c90300000011", "the same as that of" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		const char *at = strstr(plan, T[i].from);
		struct moore_buf b = MOORE_BUF_INIT;
		struct moore_err err = { 0 };
		struct moore_plan *p;
		char *text, *s2;

		CHECK(T[i].why, at && asprintf(&text, "%.*s%s%s", (int)(at - plan), plan, T[i].to,
					       at + strlen(T[i].from)) > 0);
		while ((s2 = strstr(text, "\"s2\"")) && strstr(T[i].to, "s#"))
			memcpy(s2, "\"s#\"", 4);
		p = plan_of(text);
		if (strstr(T[i].text, "999"))
			p->ep[2].guid = 0x2c90300000999;
		CHECK_EQ(T[i].why, moore_plan_format_find(T[i].format)->write(p, &b, &err), -MOORE_EPLAN);
		CHECK_STR(T[i].why, err.text, T[i].text);
		CHECK_EQ("nothing is written", b.len, 0);
		moore_buf_free(&b);
		moore_plan_free(p);
		free(text);
	}
}

static void
test_oom(void **state)
{
	struct moore_plan *p, *q;
	(void)state;

	p = plan_of(plan);
	for (size_t i = 0; moore_plan_format_at(i); i++) {
		const struct moore_plan_format *f = moore_plan_format_at(i);
		struct moore_buf b = MOORE_BUF_INIT;

		if (!strcmp(f->name, "slurm")) {	/* it has no name with a blank */
			strcpy(p->sw[0].name, "leaf");
			strcpy(p->ep[1].name, "h1");
		}
		if (!strcmp(f->name, "opa"))	/* nor this one with a quote and a comma */
			for (uint32_t k = 0; k < p->n_switches + p->n_cables; k++) {
				char *s = k < p->n_switches ? p->sw[k].cabinet :
					  p->cable[k - p->n_switches].label;

				for (; s && *s; s++)
					*s = strchr("\",", *s) ? '_' : *s;
			}
		if (!f->write)
			continue;
		CHECK_OOM(f->name, (moore_buf_free(&b), f->write(p, &b, NULL)), moore_buf_free(&b));
		CHECK_EQ(f->name, f->write(p, &b, NULL), 0);
		if (f->parse)
			CHECK_OOM(f->name, f->parse(&q, b.data, b.len, NULL), moore_plan_free(q));
		moore_buf_free(&b);
	}
	CHECK_OOM("import", import(&q, wild, strlen(wild), NULL), moore_plan_free(q));
	moore_plan_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table), cmocka_unit_test(test_write),
		cmocka_unit_test(test_write_ibnetdiscover), cmocka_unit_test(test_import),
		cmocka_unit_test(test_import_export), cmocka_unit_test(test_wild),
		cmocka_unit_test(test_round_trips), cmocka_unit_test(test_csv_harmless), cmocka_unit_test(test_csv_marked), cmocka_unit_test(test_families), cmocka_unit_test(test_slurm),
		cmocka_unit_test(test_opa_sheet), cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_bad_others), cmocka_unit_test(test_bad), cmocka_unit_test(test_unsayable),
		cmocka_unit_test(test_oom),
	};

	return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}

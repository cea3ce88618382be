// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_counted.c - moore-counters.dump read and written, and the counters added up. */
#include <string.h>

#include "harness.h"
#include "moore/counted.h"
#include "moore/dumps.h"
#include "opensm_dumps.h"

#define COLUMNS "columns transmit_data receive_data transmit_packets receive_packets transmit_wait " \
	"symbol_error link_error_recovery link_downed receive_errors receive_remote_physical_errors " \
	"transmit_discards local_link_integrity_errors excessive_buffer_overrun_errors vl15_dropped\n"
#define ZEROS " 0 0 0 0 0 0 0 0 0 0"	/* ten of the fourteen */
#define S0_HEAD "Switch 0x0000000000200000, \"S0\"\n"

static struct moore_fabric *
fabric(void)
{
	struct moore_fabric *f;
	struct moore_err err;

	assert_int_equal(moore_dump_parse_fabric(&f, SUBNET_LST, strlen(SUBNET_LST), LFTS_DUMP,
						 strlen(LFTS_DUMP), &err), 0);
	return f;
}

static int
parse(struct moore_counted **c, const struct moore_fabric *f, const char *text, struct moore_err *err)
{
	return moore_dump_parse_counters(c, f, text, strlen(text), err);
}

static void
refused(void **state)
{
	static const struct {
		const char *why, *text, *error;
	} bad[] = {
		{ "cut off", "read 5\n" COLUMNS S0_HEAD, "#--" },
		{ "no columns", S0_HEAD "1 4 4 1 1" ZEROS "\n#--\n", "'columns'" },
		{ "no section", COLUMNS "1 4 4 1 1" ZEROS "\n#--\n", "'Switch 0xGUID'" },
		{ "a stranger", COLUMNS "Switch 0x999\n#--\n", "0x0000000000000999" },
		{ "columns in another order", "columns receive_data\n#--\n", "column 1 to be transmit_data" },
		{ "a column more", "columns transmit_data receive_data transmit_packets receive_packets "
		  "transmit_wait symbol_error link_error_recovery link_downed receive_errors "
		  "receive_remote_physical_errors transmit_discards local_link_integrity_errors "
		  "excessive_buffer_overrun_errors vl15_dropped temperature\n#--\n", "the end of the line" },
		{ "no time", "read yesterday\n#--\n", "milliseconds" },
		{ "too late a time", "read 9223372036854775807\n#--\n", "milliseconds" },
		{ "port 0", COLUMNS S0_HEAD "0 4 4 1 1" ZEROS "\n#--\n", "a port of this switch" },
		{ "no such port", COLUMNS S0_HEAD "5 4 4 1 1" ZEROS "\n#--\n", "a port of this switch" },
		{ "a value missing", COLUMNS S0_HEAD "1 4 4 1" ZEROS "\n#--\n", "one value for each" },
		{ "a value more", COLUMNS S0_HEAD "1 4 4 1 1 1" ZEROS "\n#--\n", "the end of the line" },
		{ "no number", COLUMNS S0_HEAD "1 4 4 one 1" ZEROS "\n#--\n", "a number or -" },
		{ "over 64 bits", COLUMNS S0_HEAD "1 18446744073709551616 4 1 1" ZEROS "\n#--\n", "a number" },
		{ "a port twice", COLUMNS S0_HEAD "1 4 4 1 1" ZEROS "\n1 4 4 1 1" ZEROS "\n#--\n", "two lines" },
		{ "words", COLUMNS S0_HEAD "hello\n#--\n", "a port of this switch" },
	};
	struct moore_fabric *f = fabric();
	struct moore_counted *c;
	struct moore_err err;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CHECK(bad[i].why, parse(&c, f, bad[i].text, &err) < 0);
		CHECK_STR(bad[i].why, err.text, bad[i].error);
		CHECK(bad[i].why, err.line && !c);
	}
	moore_fabric_free(f);
}

static void
read_and_written(void **state)
{
	static const char text[] = "read 1764097000123\n" COLUMNS S0_HEAD
		"1 18446744073709551615 0 7 - - 3" " 0 0 0 0 0 0 0 0\n"
		"3 - - - -" " - - - - - - - - - -\n"
		"Switch 0x0000000000200001, \"S1\"\nSwitch 0x0000000000200002, \"S2\"\n#--\n";
	struct moore_fabric *f = fabric();
	struct moore_buf b = MOORE_BUF_INIT;
	const struct moore_reading *r;
	struct moore_counted *c;
	struct moore_err err;
	(void)state;

	CHECK_OOM("reading", parse(&c, f, text, &err), (void)0);
	r = &c->port[f->sw[0].port0];
	CHECK_EQ("when", c->at_ms, 1764097000123);
	CHECK_EQ("of each port", r[1].at_us, 1764097000123000);
	CHECK_EQ("the greatest value", r[1].v[MOORE_XMIT_DATA], UINT64_MAX);
	CHECK_EQ("a counter that the port has not", r[1].has >> MOORE_XMIT_WAIT & 1, 0);
	CHECK_EQ("the one after it", r[1].v[MOORE_SYMBOL_ERROR], 3);
	CHECK("a port without a line", !r[2].at_us && !r[2].has);
	CHECK("a port with a line and no counter", r[3].at_us && !r[3].has);
	moore_dump_write_counters(f, c, &b);
	assert_string_equal(b.data, text);
	moore_buf_free(&b);
	moore_counted_free(c);
	/* Without a time, what answered is still told from what did not. */
	assert_int_equal(parse(&c, f, COLUMNS S0_HEAD "1 4 4 1 1" ZEROS "\n#--\n", &err), 0);
	CHECK_EQ("no time", c->at_ms, 0);
	CHECK_EQ("no time", c->port[f->sw[0].port0 + 1].at_us, 1);
	moore_counted_free(c);
	moore_counted_free(NULL);
	moore_fabric_free(f);
}

/* Sets what port i sent, in words. */
static void
sent(struct moore_counted *c, uint32_t i, uint64_t words)
{
	c->port[i].at_us = 1;
	c->port[i].has |= 1u << MOORE_XMIT_DATA;
	c->port[i].v[MOORE_XMIT_DATA] = words;
}

static void
added_up(void **state)
{
	struct moore_fabric *f = fabric();
	struct moore_measured m;
	struct moore_counted *c;
	struct moore_err err;
	uint32_t n = 0;
	(void)state;

	assert_int_equal(moore_counted_new(&c, f, &err), 0);
	moore_measured_of(&m, f, c);
	CHECK("nothing is known", m.n_links && !m.n_read && !m.n_ports && !m.n_busiest && !m.n_errors);
	CHECK("nothing is known", m.max == 0 && m.mean == 0);
	/* The later a link, the more it sent; ports to endpoints send most, and do not count. */
	for (uint32_t i = 0; i < f->n_ports; i++)
		if (f->port[i].role == MOORE_ROLE_SWITCH)
			sent(c, i, 10 * ++n);
		else if (f->port[i].role == MOORE_ROLE_ENDPOINT)
			sent(c, i, 1000);
	moore_measured_of(&m, f, c);
	CHECK_EQ("all are read", m.n_read, n);
	CHECK_EQ("all are read", m.n_links, n);
	CHECK("a word has four bytes", m.max == 40.0 * n && m.mean == 20.0 * (n + 1));
	CHECK_EQ("the busiest", m.n_busiest, n < MOORE_BUSIEST ? n : MOORE_BUSIEST);
	for (unsigned i = 0; i < m.n_busiest; i++) {
		const struct moore_busy *b = &m.busiest[i];

		CHECK("in falling order", b->sent == 40.0 * (n - i));
		CHECK_EQ("a link", f->port[f->sw[b->sw].port0 + b->port].role, MOORE_ROLE_SWITCH);
	}
	c->port[f->sw[0].port0 + 1].has |= 1u << MOORE_LINK_DOWNED;
	c->port[f->sw[0].port0 + 1].v[MOORE_LINK_DOWNED] = 1;
	moore_measured_of(&m, f, c);
	CHECK_EQ("errors", m.n_errors, 1);
	moore_counted_free(c);
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(read_and_written),
		cmocka_unit_test(added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

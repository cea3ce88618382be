// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_shares.c - traffic matrices read, and shares of offsets against cases solved by hand and,
 * on small random graphs, against every division in eighths. */
#include "harness.h"
#include "fabrics.h"
#include "moore/shares.h"

/* ---- matrices ------------------------------------------------------------------------ */

static const struct {
	const char *text, *want;	/* "from>to=amount", or part of the message */
	unsigned line;		/* 0: accepted */
} texts[] = {
	{ "h0 h1 5\n", "0>1=5", 0 },
	{ "# all\n\nh0 h1 5 # none\nh1  h0 7", "0>1=5 1>0=7", 0 },
	{ "h0 h1 5\r\nh2\th3\t6\r\n", "0>1=5 2>3=6", 0 },
	{ "0x100003 0x100001 1\nh2:1 h3 2\n", "1>0=1 2>3=2", 0 },
	{ "h0 h0 5\nh0 h1 0\n", "", 0 },
	{ "h0 h1 5\nh0 h1 6\n", "0>1=5 0>1=6", 0 },
	{ "", "", 0 },
	{ "h0 h1\n", "SOURCE DESTINATION AMOUNT", 1 },
	{ "\nh0 h1 5 6\n", "names that hold blanks need tabs", 2 },
	{ "h0 h1 -5\n", "whole number", 1 },
	{ "h0 h1 5.5\n", "whole number", 1 },
	{ "h0 h1 99999999999999999999\n", "whole number from 0 to 18446744073709551615", 1 },
	{ "h0 h9 5\n", "h9: nothing in the fabric has that name", 1 },
	{ "sw0 h1 5\n", "sw0: is a switch", 1 },
};

static void
put_amounts(struct moore_buf *b, const struct moore_amount *a, uint32_t n)
{
	moore_buf_add(b, "", 0);
	for (uint32_t i = 0; i < n; i++)
		moore_buf_fmt(b, "%s%u>%u=%u", i ? " " : "", a[i].from, a[i].to, (unsigned)a[i].amount);
}

/* A square 0-1-2-3 with one endpoint at each switch.  Offset 0 goes one switch ahead at each
 * hop, offset 1 one back. */
static struct moore_fabric *
square(struct moore_lft **lft)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 } };
	static const uint16_t one[4] = { 1, 1, 1, 1 };
	/* Ports: 1 the endpoint; switch 0 has 2 ahead and 3 back, the others the reverse. */
	struct moore_fabric *f = test_fabric(4, link, 4, one, 1);

	assert_int_equal(moore_lft_new(lft, 4, f->lid_top, NULL), 0);
	for (moore_epid e = 0; e < 4; e++)
		for (moore_swid s = 0; s < 4; s++)
			for (unsigned k = 0; k < 2; k++)
				moore_lft_row(*lft, s)[f->ep[e].lid + k] = s == f->ep[e].sw ? 1 :
					(s == 0) == (k == 0) ? 2 : 3;
	return f;
}

static void
reads(void **state)
{
	struct moore_lft *lft;
	struct moore_fabric *f = square(&lft);
	struct moore_err err;
	struct moore_amount *a;
	uint32_t n;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct moore_buf b = MOORE_BUF_INIT;
		int rc = moore_amounts_parse(&a, &n, f, texts[i].text, strlen(texts[i].text), &err);

		put_amounts(&b, a, n);
		CHECK_EQ(texts[i].text, rc, texts[i].line ? -MOORE_ESYNTAX : 0);
		CHECK_EQ(texts[i].text, rc < 0 ? err.line : 0, texts[i].line);
		if (texts[i].line)
			CHECK_STR(texts[i].text, err.text, texts[i].want);
		else
			assert_string_equal(b.data, texts[i].want);
		moore_buf_free(&b);
		free(a);
	}
	f->ep[1].lid = 0;
	CHECK_EQ("no LID", moore_amounts_parse(&a, &n, f, "h0 h1 5", 7, &err), -MOORE_ESYNTAX);
	CHECK_STR("no LID", err.text, "h1: has no LID");
	moore_lft_free(lft);
	moore_fabric_free(f);
}

/* ---- by hand ---------------------------------------------------------------------------- */

static const struct {
	const char *why, *text;
	double base, even, best;
	unsigned ranks;
	double with_ranks;
} by_hand[] = {
	{ "half ahead, half back", "h0 h1 4", 4, 2, 2, 2, 2 },
	{ "one process cannot do both", "h0 h1 4", 4, 2, 2, 1, 4 },
	{ "three processes: two thirds on one", "h0 h1 3", 3, 1.5, 1.5, 3, 2 },
	{ "a host has the same shares for all its destinations", "h0 h1 3\nh0 h2 1", 4, 2, 2, 4, 2 },
	{ "opposite ways share no link", "h0 h2 4\nh2 h0 4", 4, 2, 2, 2, 2 },
	/* h0 uses 0>1, or 0>3>2>1; h1 uses 1>2, or 1>0>3>2: a back, b back; 3 > 2 has a + b */
	{ "two neighbours, each a third back", "h0 h1 3\nh1 h2 3", 3, 3, 2, 3, 2 },
};

static bool
is(double got, double want)
{
	return got > want * 0.99 - 1e-9 && got < want * 1.01 + 1e-9;
}

static struct moore_shares *
find(const struct moore_fabric *f, const struct moore_lft *lft, const char *text, unsigned ranks)
{
	struct moore_shares *s = NULL;
	struct moore_amount *a;
	uint32_t n;

	assert_int_equal(moore_amounts_parse(&a, &n, f, text, strlen(text), NULL), 0);
	assert_int_equal(moore_shares_find(&s, f, lft, a, n, ranks, 0.005, NULL), 0);
	free(a);
	return s;
}

static void
solves(void **state)
{
	struct moore_lft *lft;
	struct moore_fabric *f = square(&lft);
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(by_hand); i++) {
		struct moore_shares *s = find(f, lft, by_hand[i].text, by_hand[i].ranks);

		CHECK(by_hand[i].why, is(s->base, by_hand[i].base));
		CHECK(by_hand[i].why, is(s->even, by_hand[i].even));
		CHECK(by_hand[i].why, is(s->greatest, by_hand[i].best));
		CHECK(by_hand[i].why, s->bound <= by_hand[i].best + 1e-9 && s->bound >= s->greatest / 1.0051);
		CHECK(by_hand[i].why, is(s->with_ranks, by_hand[i].with_ranks));
		CHECK(by_hand[i].why, s->sw != MOORE_NONE);
		for (uint32_t h = 0; h < s->n_hosts; h++)
			CHECK(by_hand[i].why, is(s->share[2 * h] + s->share[2 * h + 1], 1));
		moore_shares_free(s);
	}
	moore_lft_free(lft);
	moore_fabric_free(f);
}

/* ---- tables that lack routes ---------------------------------------------------------------- */

static void
unusable(void **state)
{
	struct moore_lft *lft;
	struct moore_fabric *f = square(&lft);
	struct moore_amount one = { 0, 1, 4 };
	struct moore_shares *s;
	struct moore_err err;
	(void)state;

	moore_lft_row(lft, 0)[f->ep[1].lid] = MOORE_NO_PATH;
	s = find(f, lft, "h0 h1 4", 1);
	CHECK("base LIDs do not serve", s->base < 0);
	CHECK_EQ("so the other offset is taken", s->rank_offset[0], 1);
	CHECK("wholly", is(s->greatest, 4) && is(s->even, 4));
	moore_shares_free(s);
	moore_lft_row(lft, 0)[f->ep[1].lid + 1] = MOORE_NO_PATH;
	CHECK_EQ("no offset", moore_shares_find(&s, f, lft, &one, 1, 0, 0.01, &err), -MOORE_EINVAL);
	CHECK_STR("no offset", err.text, "h0: no offset leads");
	CHECK_EQ("nothing is sent", moore_shares_find(&s, f, lft, NULL, 0, 0, 0.01, &err), 0);
	CHECK_EQ("nothing is sent", s->n_hosts, 0);
	CHECK_EQ("nothing is sent", s->sw, MOORE_NONE);
	moore_shares_free(s);
	moore_lft_free(lft);
	moore_fabric_free(f);
}

/* Of two switches, h0 and h1 are at the first. */
static void
within_a_switch(void **state)
{
	static const struct moore_topo_link link[] = { { 0, 1 } };
	static const uint16_t ends[2] = { 2, 1 };
	struct moore_fabric *f = test_fabric(2, link, 1, ends, 0);
	struct moore_lft *lft;
	struct moore_shares *s;
	(void)state;

	assert_int_equal(moore_lft_new(&lft, 2, f->lid_top, NULL), 0);
	moore_lft_row(lft, 0)[f->ep[1].lid] = f->ep[1].port;
	s = find(f, lft, "h0 h1 4", 2);
	CHECK("no link is loaded", s->greatest <= 0 && s->bound <= 0 && s->sw == MOORE_NONE);
	CHECK("base LIDs", is(s->share[0], 1));
	moore_shares_free(s);
	moore_lft_free(lft);
	moore_fabric_free(f);
}

/* ---- every division ----------------------------------------------------------------------------- */

#define HOSTS 4
#define PARTS 8

/* The greatest load if each host i puts part[i] eighths of amounts[i] to each other host on
 * offset 1. */
static double
greatest(const struct moore_fabric *f, const struct moore_lft *lft, const unsigned *amounts,
	 const unsigned *part)
{
	unsigned load[HOSTS][16] = { { 0 } }, top = 0;

	for (unsigned i = 0; i < HOSTS * HOSTS * 2; i++) {
		const unsigned from = i / 2 % HOSTS, to = i / 2 / HOSTS, k = i % 2;
		const unsigned units = amounts[from * HOSTS + to] * (k ? part[from] : PARTS - part[from]);

		for (moore_swid at = from; at != to;) {
			uint8_t p = moore_lft_row(lft, at)[f->ep[to].lid + k];

			if ((load[at][p] += units) > top)
				top = load[at][p];
			at = moore_fabric_port(f, at, p)->peer;
		}
	}
	return (double)top / PARTS;
}

/* Each offset of each LID goes one way round the square. */
static void
every_division(void **state)
{
	struct moore_rng rng = { test_seed() };
	struct moore_lft *lft;
	struct moore_fabric *f = square(&lft);
	(void)state;

	for (unsigned round = 0; round < test_rounds(30); round++) {
		unsigned amounts[HOSTS * HOSTS], part[HOSTS] = { 0 };
		struct moore_buf b = MOORE_BUF_INIT;
		struct moore_shares *s;
		double best = 1e9;
		unsigned i;

		for (i = 0; i < HOSTS * HOSTS; i++) {
			amounts[i] = i / HOSTS == i % HOSTS ? 0 : moore_rng_below(&rng, 5);
			moore_buf_fmt(&b, "h%u h%u %u\n", i / HOSTS, i % HOSTS, amounts[i]);
		}
		for (moore_epid e = 0; e < HOSTS; e++) {
			const unsigned turn = moore_rng_below(&rng, 2);

			for (moore_swid at = 0; at < HOSTS; at++)
				for (unsigned k = 0; k < 2; k++)
					moore_lft_row(lft, at)[f->ep[e].lid + k] = at == e ? 1 :
						(at == 0) == (k == turn) ? 2 : 3;
		}
		do {
			double load = greatest(f, lft, amounts, part);

			best = load < best ? load : best;
			for (i = 0; i < HOSTS && part[i] == PARTS; i++)
				part[i] = 0;
			if (i < HOSTS)
				part[i]++;
		} while (i < HOSTS);
		s = find(f, lft, b.data, PARTS);
		CHECK("no division beats the bound", s->bound <= best + 1e-9);
		CHECK("no division beats the shares found", s->greatest <= best * 1.0051 + 1e-9);
		CHECK("eighths are a division", s->with_ranks >= best - 1e-9);
		moore_shares_free(s);
		moore_buf_free(&b);
	}
	moore_lft_free(lft);
	moore_fabric_free(f);
}

static void
out_of_memory(void **state)
{
	struct moore_lft *lft;
	struct moore_fabric *f = square(&lft);
	const struct moore_amount pairs[] = { { 0, 1, 4 }, { 1, 2, 3 }, { 0, 2, 1 } };
	struct moore_amount *a = NULL;
	struct moore_shares *s = NULL;
	struct moore_err err;
	uint32_t n;
	(void)state;

	CHECK_OOM("a matrix", moore_amounts_parse(&a, &n, f, "h0 h1 5", 7, &err), free(a));
	CHECK_OOM("shares", moore_shares_find(&s, f, lft, pairs, 3, 2, 0.01, &err),
		  moore_shares_free(s));
	moore_lft_free(lft);
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads),
		cmocka_unit_test(solves),
		cmocka_unit_test(unusable),
		cmocka_unit_test(within_a_switch),
		cmocka_unit_test(every_division),
		cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

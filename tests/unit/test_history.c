// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_history.c - rates of a day under a fake clock: values against the true ones, rings,
 * switches that disappear and return, and files that are cut, changed or of another kind. */
#include "harness.h"
#include "moore/history.h"
#include "moore/counters.h"

enum { SECOND = 1000 };

/* n switches of 4 ports, with GUIDs from `guid` on. */
static struct moore_fabric *
fabric(uint32_t n, uint64_t guid)
{
	struct moore_fabric *f;

	if (moore_fabric_new(&f, n, 0, n * 5, NULL) < 0)
		abort();
	for (uint32_t i = 0; i < n; i++) {
		f->sw[i].guid = guid + i;
		f->sw[i].n_ports = 4;
	}
	moore_fabric_layout(f);
	return f;
}

static uint64_t
spread(struct moore_rng *r)
{
	return moore_rng_next(r) >> (4 + moore_rng_below(r, 60));
}

static struct moore_sample
made(uint64_t seed)
{
	struct moore_rng r = { seed };
	struct moore_sample s = { moore_rng_below(&r, 8) != 0, spread(&r), spread(&r),
				  spread(&r) >> 29 };

	if (moore_rng_below(&r, 2))
		s.tx = s.rx = s.wait = 0;
	return s;
}

static bool
near(uint64_t got, uint64_t want, uint64_t part)
{
	return (got > want ? got - want : want - got) <= want / part;
}

static bool
same(const struct moore_sample *got, const struct moore_sample *want)
{
	if (!want->known)
		return !got->known;
	return got->known && near(got->tx, want->tx, 128) && near(got->rx, want->rx, 128) &&
	       near(got->wait, want->wait, 16);
}

static void
add(struct moore_history *h, const struct moore_fabric *f, uint64_t at)
{
	struct moore_sample s[64] = { { 0 } };
	struct moore_err err;

	for (uint32_t i = 0; i < f->n_switches; i++)
		for (unsigned k = 1; k <= 4; k++)
			s[f->sw[i].port0 + k] = made(f->sw[i].guid * 1000 + k + at);
	CHECK_EQ("a row", moore_history_add(h, f, s, at, SECOND, &err), 0);
}

struct walk {
	uint64_t guid, at;
	unsigned port, rows;
	bool was_there;
};

static bool
on_row(void *arg, uint64_t at_ms, uint32_t span_ms, const struct moore_sample *s)
{
	struct walk *w = arg;
	struct moore_sample want = made(w->guid * 1000 + w->port + at_ms);

	CHECK_EQ("span", span_ms, SECOND);
	CHECK("rows rise", at_ms > w->at);
	CHECK("within rounding", !w->was_there || same(s, &want));
	w->at = at_ms;
	w->rows++;
	return true;
}

static unsigned
rows_of(const struct moore_history *h, uint64_t guid, unsigned port, uint64_t after)
{
	struct walk w = { .guid = guid, .port = port, .was_there = true };

	return moore_history_port(h, guid, (moore_portnum)port, after, on_row, &w) ? w.rows : 0;
}

static void
test_a_day(void **state)
{
	struct moore_fabric *f = fabric(3, 100);
	struct moore_history *h;

	(void)state;
	assert_int_equal(moore_history_new(&h, 3600, NULL), 0);
	for (uint64_t t = 1; t <= 86400; t++)
		add(h, f, t * SECOND);
	CHECK_EQ("an hour is kept", moore_history_rows(h), 3600);
	CHECK_EQ("the last one", moore_history_first(h), (86400 - 3599) * SECOND);
	CHECK_EQ("of every port", rows_of(h, 102, 4, 0), 3600);
	CHECK_EQ("from a time on", rows_of(h, 100, 1, 86390 * SECOND), 10);
	CHECK_EQ("of no port", rows_of(h, 102, 5, 0), 0);
	CHECK_EQ("of no switch", rows_of(h, 7, 1, 0), 0);
	moore_history_free(h);
	moore_fabric_free(f);
}

static void
test_values(void **state)
{
	struct moore_rng r = { test_seed() };
	struct moore_fabric *f = fabric(1, 1);
	struct moore_history *h;

	(void)state;
	assert_int_equal(moore_history_new(&h, 4, NULL), 0);
	for (unsigned i = 1; i <= test_rounds(20000); i++) {
		struct moore_sample in[5] = { { 0 } }, out[5];
		uint32_t span;

		for (unsigned k = 1; k < 5; k++)
			in[k] = (struct moore_sample){ true, spread(&r), spread(&r), spread(&r) >> 29 };
		assert_int_equal(moore_history_add(h, f, in, i, 1, NULL), 0);
		CHECK_EQ("the row", moore_history_row(h, f, i - 1, out, &span), i);
		for (unsigned k = 1; k < 5; k++)
			CHECK("a value to 1 in 128", same(&out[k], &in[k]));
	}
	moore_history_free(h);
	moore_fabric_free(f);
}

static void
test_switches_come_and_go(void **state)
{
	struct moore_fabric *f[] = { fabric(4, 100), fabric(3, 101), fabric(5, 99) };
	struct moore_history *h;
	struct moore_sample row[64];
	uint32_t span;

	(void)state;
	assert_int_equal(moore_history_new(&h, 100, NULL), 0);
	for (uint64_t t = 0; t < 30; t++)
		add(h, f[t / 10], (t + 1) * SECOND);
	CHECK_EQ("always there", rows_of(h, 102, 2, 0), 30);
	moore_history_row(h, f[2], 14 * SECOND, row, &span);
	CHECK("gone for a while", !row[f[2]->sw[1].port0 + 1].known);	/* 100 */
	CHECK("not yet there", !row[f[2]->sw[0].port0 + 1].known);	/* 99 */
	CHECK_EQ("a clock that was set back", moore_history_add(h, f[0], row, 1, 1, NULL),
		 -MOORE_EINVAL);
	CHECK_EQ("costs no row", moore_history_rows(h), 30);
	/* After a thousand fabrics, one after the other, old columns do not accumulate. */
	for (uint64_t t = 40; t < 2040; t++) {
		struct moore_fabric *g = fabric(4, t * 1000);

		add(h, g, t * SECOND);
		moore_fabric_free(g);
	}
	CHECK("begun anew at times", moore_history_rows(h) <= 100 && moore_history_rows(h) > 0);
	moore_history_free(h);
	for (size_t i = 0; i < ARRAY_LEN(f); i++)
		moore_fabric_free(f[i]);
}

static int
read_all(struct moore_history *h, const struct moore_buf *b, size_t len, struct moore_err *err)
{
	const uint8_t *at = (const uint8_t *)b->data, *end = at + len, *body;
	size_t n;
	char kind[4];
	int rc;

	while ((rc = moore_frame_next(&at, end, kind, &body, &n, err)) == 1)
		if ((rc = moore_history_read(h, body, n, err)) < 0)
			break;
	return rc;
}

static void
test_files(void **state)
{
	struct moore_fabric *f = fabric(3, 100), *g = fabric(4, 99);
	struct moore_history *h, *back;
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_err err;
	uint64_t last = 0;

	(void)state;
	assert_int_equal(moore_history_new(&h, 100, NULL), 0);
	for (uint64_t t = 1; t <= 20; t++)
		add(h, t <= 10 ? f : g, t * SECOND);
	for (int i = 0; i < 3; i++)
		assert_int_equal(moore_history_write(h, last, 7, &b, &last, &err), 0);
	CHECK_EQ("all is written", last, 20 * SECOND);
	assert_int_equal(moore_history_new(&back, 100, NULL), 0);
	CHECK_OOM("reading", read_all(back, &b, b.len, &err), (void)0);
	CHECK_EQ("all is back", moore_history_rows(back), 20);
	CHECK_EQ("as it was", rows_of(back, 101, 3, 0), 20);
	CHECK_EQ("twice is once", read_all(back, &b, b.len, &err), 0);
	CHECK_EQ("twice is once", moore_history_rows(back), 20);
	for (size_t cut = 1; cut < b.len; cut++) {
		struct moore_history *part;
		int rc;

		assert_int_equal(moore_history_new(&part, 100, NULL), 0);
		rc = read_all(part, &b, cut, &err);
		CHECK("cut anywhere but between frames is an error", rc == -MOORE_ESYNTAX ||
		      moore_history_rows(part) % 7 == 0);
		CHECK("whole frames are read", moore_history_rows(part) <= 14 + 6);
		moore_history_free(part);
	}
	for (size_t i = 0; i < b.len; i++) {
		struct moore_history *part;

		assert_int_equal(moore_history_new(&part, 100, NULL), 0);
		b.data[i] ^= 0x20;
		CHECK_EQ("a changed bit", read_all(part, &b, b.len, &err), -MOORE_ESYNTAX);
		b.data[i] ^= 0x20;
		moore_history_free(part);
	}
	moore_buf_free(&b);
	moore_history_free(back);
	moore_history_free(h);
	moore_fabric_free(f);
	moore_fabric_free(g);
}

/* What is kept of a large fabric, Slim Fly q=13 p=9 with 338 switches of 28 ports: 3,600 rows, of
 * an hour or of seven days (history_s 604800, a row each 168 s).  moored saves each 20 s, so in a
 * week's files each row is a frame of its own; the disk gives whole blocks of 4 KiB. */
static void
test_size_of_a_week(void **state)
{
	struct moore_buf one = MOORE_BUF_INIT;
	uint64_t last, disk;
	struct moore_fabric *f;
	struct moore_history *h;
	struct moore_sample *s;
	long before = alloc_live;

	(void)state;
	assert_int_equal(moore_fabric_new(&f, 338, 0, 338 * 29, NULL), 0);
	for (uint32_t i = 0; i < 338; i++) {
		f->sw[i].guid = i + 1;
		f->sw[i].n_ports = 28;
	}
	moore_fabric_layout(f);
	s = calloc(f->n_ports, sizeof(*s));
	assert_non_null(s);
	for (uint32_t i = 0; i < f->n_ports; i++)
		s[i] = (struct moore_sample){ true, i * 1000003ull, i * 999983ull, i };
	assert_int_equal(moore_history_new(&h, 3600, NULL), 0);
	for (uint64_t t = 1; t <= 3700; t++)
		assert_int_equal(moore_history_add(h, f, s, t * SECOND, SECOND, NULL), 0);
	print_message("# 3,600 rows of 9,464 ports: %ld MiB of memory\n", (alloc_live - before) >> 20);
	CHECK("under 140 MiB", alloc_live - before < 140l << 20);
	assert_int_equal(moore_history_write(h, 0, 1, &one, &last, NULL), 0);
	disk = 3600 * ((one.len + 4095) / 4096 * 4096) + (8 << 20) + (256 << 10);
	moore_buf_free(&one);
	print_message("# with 8 MiB of events: %llu MiB on disk\n", (unsigned long long)(disk >> 20));
	CHECK("a week is under 256 MiB", disk < 256u << 20);
	moore_history_free(h);
	moore_fabric_free(f);
	free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_day), cmocka_unit_test(test_values),
		cmocka_unit_test(test_switches_come_and_go), cmocka_unit_test(test_files),
		cmocka_unit_test(test_size_of_a_week),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_grow.c - plans of parts: the choice of switches against all choices there are, and what
 * is built stays.
 *
 * The oracle reads only the plans: distances in the part by Floyd and Warshall. */
#include "harness.h"
#include "moore/plan.h"
#include "plan_of.h"

#define MOST 64

/* Two for each pair of switches with endpoints that is adjacent, one for each at distance two;
 * -1 when the part is not connected. */
static int
worth(const struct moore_plan *p, uint64_t in)
{
	static uint8_t d[MOST][MOST];
	uint64_t ends = 0;
	int sum = 0;

	memset(d, MOST, sizeof(d));
	for (uint32_t i = 0; i < p->n_cables; i++) {
		const moore_swid *sw = p->cable[i].sw;

		if (in >> sw[0] & in >> sw[1] & 1)
			d[sw[0]][sw[1]] = d[sw[1]][sw[0]] = 1;
	}
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		ends |= (uint64_t)1 << p->ep[i].sw;
	for (uint32_t k = 0; k < p->n_switches; k++)
		for (uint32_t a = 0; a < p->n_switches; a++)
			for (uint32_t b = 0; b < p->n_switches; b++)
				if (d[a][k] + d[k][b] < d[a][b])
					d[a][b] = (uint8_t)(d[a][k] + d[k][b]);
	for (uint32_t a = 0; a < p->n_switches; a++)
		for (uint32_t b = 0; b < a; b++)
			if (in >> a & in >> b & 1) {
				if (d[a][b] >= MOST)
					return -1;
				if (ends >> a & ends >> b & 1)
					sum += d[a][b] == 1 ? 2 : d[a][b] == 2;
			}
	return sum;
}

static uint32_t
find_switch(const struct moore_plan *p, const char *name)
{
	for (uint32_t s = 0; s < p->n_switches; s++)
		if (!strcmp(p->sw[s].name, name))
			return s;
	fail_msg("no switch %s", name);
	return 0;
}

static uint64_t
switches_of(const struct moore_plan *part, const struct moore_plan *whole)
{
	uint64_t in = 0;

	for (uint32_t s = 0; s < part->n_switches; s++)
		in |= (uint64_t)1 << find_switch(whole, part->sw[s].name);
	return in;
}

static struct moore_plan *
grow(const struct moore_plan *whole, const struct moore_plan *stage, uint32_t n, uint32_t endpoints)
{
	struct moore_plan *p = NULL;
	struct moore_err err = { 0 };

	if (moore_plan_grow(&p, whole, stage, n, endpoints, NULL, NULL, &err) < 0)
		fail_msg("%u switches: %s", n, err.text);
	assert_int_equal(p->n_switches, n);
	assert_int_equal(moore_plan_check(p, NULL, &err), 0);
	return p;
}

/* The greatest worth of any n switches. */
static int
best_of_all(const struct moore_plan *p, uint32_t n)
{
	uint64_t in = ((uint64_t)1 << n) - 1;
	int best = -1;

	while (in >> p->n_switches == 0) {		/* the next number with as many bits */
		uint64_t low = in & -in, up = in + low;
		int w = worth(p, in);

		best = w > best ? w : best;
		in = up | ((in ^ up) >> 2) / low;
	}
	return best;
}

static void
test_no_choice_is_better(void **state)
{
	static const struct { const char *family, *params; uint32_t n; } T[] = {
		{ "hypercube", "n=4", 5 }, { "hypercube", "n=4", 8 }, { "hypercube", "n=4", 11 },
		{ "slimfly", "q=3", 4 }, { "slimfly", "q=3", 9 }, { "oft", "k=3", 5 }, { "oft", "k=3", 8 },
		{ "mlfm", "h=3", 7 }, { "mlfm", "h=2", 5 }, { "torus2d", "a=4 b=4", 7 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(T) / sizeof(*T); i += test_stride()) {
		struct moore_plan *whole = plan_of(T[i].family, T[i].params);
		struct moore_plan *part = grow(whole, NULL, T[i].n, UINT32_MAX);

		CHECK_EQ(T[i].family, worth(whole, switches_of(part, whole)), best_of_all(whole, T[i].n));
		moore_plan_free(part);
		moore_plan_free(whole);
	}
}

/* The Hoffman-Singleton graph, Slim Fly q=5, holds Petersen graphs: ten switches of three links
 * at distance two, more than any other ten have (the Moore bound of degree three). */
static void
test_petersen(void **state)
{
	struct moore_plan *whole = plan_of("slimfly", "q=5");
	struct moore_plan *part = grow(whole, NULL, 10, 1);
	(void)state;

	assert_int_equal(part->n_cables, 15);
	assert_int_equal(worth(whole, switches_of(part, whole)), 15 * 2 + 30);
	assert_int_equal(part->n_endpoints, 10);
	assert_null(part->family);
	moore_plan_free(part);
	moore_plan_free(whole);
}

static bool
same_cable(const struct moore_plan *a, const struct moore_plan *b, uint32_t i)
{
	bool same = true;

	for (int e = 0; e < 2; e++)
		same &= a->cable[i].port[e] == b->cable[i].port[e] &&
			!strcmp(a->sw[a->cable[i].sw[e]].name, b->sw[b->cable[i].sw[e]].name);
	return same;
}

/* Grows in stages to the whole: what is built keeps its place, its ports and its GUIDs. */
static void
test_stages(void **state)
{
	static const uint32_t sizes[] = { 7, 7, 20, 33, 50 };
	struct moore_plan *whole = plan_of("slimfly", "q=5 p=3"), *was = NULL;
	(void)state;

	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
		struct moore_plan *now = grow(whole, was, sizes[k], (uint32_t)k + 1);
		uint64_t *sw[2], *ep[2];

		assert_true(worth(whole, switches_of(now, whole)) >= 0);
		if (was) {
			assert_int_equal(moore_plan_guids(was, &sw[0], &ep[0], NULL), 0);
			assert_int_equal(moore_plan_guids(now, &sw[1], &ep[1], NULL), 0);
			assert_memory_equal(sw[0], sw[1], was->n_switches * sizeof(*sw[0]));
			assert_memory_equal(ep[0], ep[1], was->n_endpoints * sizeof(*ep[0]));
			for (uint32_t i = 0; i < was->n_cables; i++)
				assert_true(same_cable(was, now, i));
			for (int i = 0; i < 2; i++) {
				free(sw[i]);
				free(ep[i]);
			}
		}
		moore_plan_free(was);
		was = now;
	}
	assert_int_equal(was->n_cables, whole->n_cables);
	assert_int_equal(was->n_endpoints, whole->n_endpoints);
	assert_string_equal(was->family, "slimfly");
	moore_plan_free(was);
	moore_plan_free(whole);
}

static void
test_refused(void **state)
{
	struct moore_plan *whole = plan_of("slimfly", "q=3");
	struct moore_plan *stage = grow(whole, NULL, 9, 1), *p = NULL;
	struct moore_plan *big = plan_of("fhypercube", "n=12");
	moore_portnum port = stage->cable[4].port[1];
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_plan_grow(&p, whole, stage, 8, 1, NULL, NULL, &err), -MOORE_EINVAL);
	assert_string_equal(err.text, "8 switches: 9 are built already");
	assert_int_equal(moore_plan_grow(&p, whole, NULL, 19, 1, NULL, NULL, &err), -MOORE_EINVAL);
	assert_string_equal(err.text, "19 switches: the whole plan has 18");
	stage->cable[4].port[1] = (moore_portnum)(port + 1);
	assert_int_equal(moore_plan_grow(&p, whole, stage, 9, 1, NULL, NULL, &err), -MOORE_EPLAN);
	assert_non_null(strstr(err.text, "cables[4]: the whole plan has no cable from port"));
	stage->cable[4].port[1] = port;
	stage->ep[2].port++;
	assert_int_equal(moore_plan_grow(&p, whole, stage, 9, 1, NULL, NULL, &err), -MOORE_EPLAN);
	assert_non_null(strstr(err.text, "endpoints[2]: the whole plan has no"));
	stage->ep[2].port--;
	stage->sw[3].name[0] = 'x';
	assert_int_equal(moore_plan_grow(&p, whole, stage, 9, 1, NULL, NULL, &err), -MOORE_EPLAN);
	assert_non_null(strstr(err.text, "switches[3]: \"x"));
	assert_int_equal(moore_plan_grow(&p, big, NULL, 9, 1, NULL, NULL, &err), -MOORE_EINVAL);
	assert_non_null(strstr(err.text, "at most 2048"));
	moore_plan_free(big);
	moore_plan_free(stage);
	moore_plan_free(whole);
}

static void
test_out_of_memory(void **state)
{
	struct moore_plan *whole = plan_of("slimfly", "q=3"), *p = NULL;
	struct moore_plan *stage = grow(whole, NULL, 9, 1);
	(void)state;

	CHECK_OOM("grow", moore_plan_grow(&p, whole, stage, 12, 1, NULL, NULL, NULL), moore_plan_free(p));
	moore_plan_free(stage);
	moore_plan_free(whole);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_choice_is_better),
		cmocka_unit_test(test_petersen),
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

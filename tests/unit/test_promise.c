// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_promise.c - the tables are worth what is promised, however switches are numbered and wherever
 * hosts are.
 *
 * A fabric's switches are numbered in the order of their GUIDs, which the factory gave out: leaves and
 * middle switches come mixed.  Some switches have no hosts, and a plan may name none at all.  Cables may be
 * crossed, by mistake or since the plan was permuted.  The figures are those that the routing engine promises
 * for each family (docs/measurements/layers.md). */
#include "harness.h"

#include "fabrics.h"
#include "moore/quality.h"
#include "moore/route.h"
#include "moore/saturation.h"

struct promise {
	const char *family, *params;
	double worst, load, covered;	/* least share of full rate, greatest over mean, share of pairs */
	double disjoint;		/* routes of a pair that share no link, of four */
};

static const struct promise promises[] = {
	{ "slimfly", "q=5 p=4", 0.33, 1.35, 0.995, 0 }, { "slimfly", "q=7 p=5", 0.38, 1.35, 0.995, 0 },
	{ "oft", "k=5", 0.36, 1.7, 0.95, 0 }, { "oft", "k=6", 0.39, 1.7, 0.95, 0 }, { "mlfm", "h=6", 0.39, 1.5, 0.95, 0 },
	{ "mlfm", "h=7", 0.39, 1.5, 0.95, 0 },
};

static double
worst_share(const struct moore_fabric *f, const struct moore_lft *lft)
{
	const struct moore_saturation_opts opts = { .seed = 1, .starts = 1 };
	double least = 1;

	for (int p = MOORE_PATTERN_SHIFT; p <= MOORE_PATTERN_ADVERSARY; p++) {
		struct moore_saturation s;

		if (!moore_pattern_fits(f, p))
			continue;
		assert_int_equal(moore_saturation_measure(&s, NULL, f, lft, p, &opts, NULL), 0);
		if (moore_throughput(s.pair) < least)
			least = moore_throughput(s.pair);
	}
	return least;
}

/* Only on a full fabric can all links carry the same, and of fewer pairs more may be such as no detour is
 * left for. */
static void
hold(const struct promise *x, const char *what, const struct moore_fabric *f,
     const struct moore_fabric *intended, bool is_full)
{
	const struct moore_route_opts opts = { .seed = 0 };
	struct moore_quality *q = NULL;
	struct moore_route *r = NULL;

	assert_int_equal(moore_route_build(&r, f, intended, &opts, NULL), 0);
	assert_int_equal(moore_quality_measure(&q, f, moore_route_lft(r), NULL), 0);
	CHECK(what, worst_share(f, moore_route_lft(r)) >= x->worst);
	CHECK(what, !is_full || q->load.max <= x->load * q->load.mean);
	CHECK(what, q->mean_disjoint >= x->disjoint);
	CHECK(what, (double)q->pairs.longer[2] >= (x->covered - (is_full ? 0 : 0.05)) * (double)q->pairs.n[2]);
	moore_quality_free(q);
	moore_route_free(r);
}

static void
any_order(void **state)
{
	struct moore_rng r = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(promises); i++)
		for (unsigned round = 0, n = test_rounds(2); round < n; round++) {
			struct moore_fabric *f = test_family(promises[i].family, promises[i].params, 2);
			char what[64];

			snprintf(what, sizeof(what), "%s %s, order %u", promises[i].family, promises[i].params,
				 round);
			test_deal_guids(f, &r);
			hold(&promises[i], what, f, NULL, true);
			moore_fabric_free(f);
		}
}

/* Takes all hosts of so many switches out of a hundred, at random. */
static void
empty_switches(struct moore_rng *r, struct moore_plan *p, uint32_t percent)
{
	for (moore_swid s = 0; s < p->n_switches; s++)
		if (moore_rng_below(r, 100) < percent)
			plan_take_hosts(p, s);
}

/* The plan has no hosts, or there is none. */
static void
few_hosts(void **state)
{
	struct moore_rng r = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(promises); i++)
		for (uint32_t percent = 0; percent <= 60; percent += 30) {
			struct moore_plan *whole = plan_of(promises[i].family, promises[i].params);
			struct moore_plan *built = plan_of(promises[i].family, promises[i].params);
			struct moore_fabric *f, *intended;
			char what[80];

			empty_switches(&r, whole, 100);
			empty_switches(&r, built, percent);
			assert_int_equal(moore_fabric_from_plan(&f, built, 2, NULL), 0);
			assert_int_equal(moore_fabric_from_plan(&intended, whole, 2, NULL), 0);
			snprintf(what, sizeof(what), "%s %s, %u %% empty", promises[i].family,
				 promises[i].params, percent);
			hold(&promises[i], what, f, intended, !percent);
			hold(&promises[i], what, f, NULL, !percent);
			moore_fabric_free(intended);
			moore_fabric_free(f);
			moore_plan_free(built);
			moore_plan_free(whole);
		}
}

/* Returns marks by switch, to be freed: true where it has hosts. */
static bool *
mark_leaves(const struct moore_plan *p)
{
	bool *is_leaf = calloc(p->n_switches, 1);

	for (uint32_t i = 0; i < p->n_endpoints; i++)
		is_leaf[p->ep[i].sw] = true;
	return is_leaf;
}

/* A fabric in which some cables are crossed, and which nobody planned so, is worth nearly as much. */
static void
crossed_cables(void **state)
{
	static const struct promise T[] = {
		{ "oft", "k=6", 0.16, 1.7, 0.95, 2.7 }, { "mlfm", "h=7", 0.14, 2.5, 0.95, 2.8 },
	};
	struct moore_rng r = { test_seed() };
	(void)state;

	for (unsigned k = 0; k < 3 * ARRAY_LEN(T); k++) {
		const struct promise *x = &T[k / 3];
		const unsigned n_crossed = 1u << 2 * (k % 3);
		struct moore_plan *p = plan_of(x->family, x->params);
		bool *is_leaf = mark_leaves(p);
		struct moore_fabric *f;
		char what[80];

		for (unsigned i = 0; i < n_crossed; i++) {
			struct moore_plan_cable *a = &p->cable[moore_rng_below(&r, p->n_cables)];
			struct moore_plan_cable *b = &p->cable[moore_rng_below(&r, p->n_cables)];

			plan_cross_cables(a, is_leaf[a->sw[0]], b, is_leaf[b->sw[0]]);	/* at middle switches */
		}
		assert_int_equal(moore_fabric_from_plan(&f, p, 2, NULL), 0);
		snprintf(what, sizeof(what), "%s %s, %u exchanges", x->family, x->params, n_crossed);
		hold(x, what, f, NULL, true);
		moore_fabric_free(f);
		moore_plan_free(p);
		free(is_leaf);
	}
}

/* Where a crossed cable joins two leaves, and another two middle switches, sl-hint still has detours. */
static void
odd_cables(void **state)
{
	const struct moore_route_opts hinted = { .profile = MOORE_PROFILE_SL_HINT };
	struct moore_plan *p = plan_of("oft", "k=5");
	struct moore_plan_cable *a = &p->cable[3], *b = &p->cable[p->n_cables - 3];
	bool *is_leaf = mark_leaves(p);
	struct moore_quality *q = NULL;
	struct moore_route *r = NULL;
	struct moore_fabric *f;
	(void)state;

	plan_cross_cables(a, is_leaf[a->sw[0]], b, !is_leaf[b->sw[0]]);
	free(is_leaf);
	assert_int_equal(moore_fabric_from_plan(&f, p, 2, NULL), 0);
	assert_int_equal(moore_route_build(&r, f, NULL, &hinted, NULL), 0);
	assert_int_equal(moore_quality_measure(&q, f, moore_route_lft(r), NULL), 0);
	CHECK_EQ("two leaves are neighbours", q->pairs.n[1] > 0, 1);
	CHECK("detours", 10 * q->pairs.longer[2] >= 9 * q->pairs.n[2]);
	moore_quality_free(q);
	moore_route_free(r);
	moore_fabric_free(f);
	moore_plan_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order),
		cmocka_unit_test(few_hosts),
		cmocka_unit_test(crossed_cables),
		cmocka_unit_test(odd_cables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

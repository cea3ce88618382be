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
#include "moore/permute.h"
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

	for (size_t i = 0; i < ARRAY_LEN(promises); i += test_stride())
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

	for (size_t i = 0; i < ARRAY_LEN(promises); i += test_stride())
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

/* Pairs of cables of p exchange ends: at middle switches, or one at its leaf, so that one cable of each pair
 * joins two leaves and the other two middle switches. */
static void
cross(struct moore_rng *r, struct moore_plan *p, unsigned n_pairs, bool odd)
{
	bool *is_leaf = mark_leaves(p);

	for (unsigned i = 0; i < n_pairs;) {
		struct moore_plan_cable *a = &p->cable[moore_rng_below(r, p->n_cables)];
		struct moore_plan_cable *b = &p->cable[moore_rng_below(r, p->n_cables)];
		const unsigned at_a = is_leaf[a->sw[0]], at_b = is_leaf[b->sw[0]] ^ odd;

		if (is_leaf[a->sw[0]] == is_leaf[a->sw[1]] || is_leaf[b->sw[0]] == is_leaf[b->sw[1]] ||
		    a->sw[!at_a] == b->sw[at_b] || b->sw[!at_b] == a->sw[at_a])
			continue;
		plan_cross_cables(a, at_a, b, at_b);
		i++;
	}
	free(is_leaf);
}

/* A fabric in which some cables are crossed, and which nobody planned so, is worth nearly as much. */
static void
crossed_cables(void **state)
{
	static const struct promise T[] = {
		{ "oft", "k=6", 0.24, 1.7, 0.95, 2.7 }, { "mlfm", "h=7", 0.14, 2.5, 0.95, 2.8 },
	};
	struct moore_rng r = { test_seed() };
	(void)state;

	for (unsigned k = 0; k < 4 * ARRAY_LEN(T); k += test_stride()) {
		const struct promise *x = &T[k / 4];
		const bool odd = k / 2 % 2;
		const unsigned n_crossed = k % 2 ? 12 : 1;
		struct moore_plan *p = plan_of(x->family, x->params);
		struct moore_fabric *f;
		char what[80];

		cross(&r, p, n_crossed, odd);
		assert_int_equal(moore_fabric_from_plan(&f, p, 2, NULL), 0);
		snprintf(what, sizeof(what), "%s %s, %u exchanges%s", x->family, x->params, n_crossed,
			 odd ? " at a leaf" : "");
		hold(x, what, f, NULL, true);
		moore_fabric_free(f);
		moore_plan_free(p);
	}
}

/* In a permuted plan few switches or none are copies of others, and each pair has detours nevertheless. */
static void
permuted(void **state)
{
	static const struct promise T[] = {
		{ "oft", "k=6", 0.28, 1.7, 0.95, 2.6 }, { "oft", "k=8", 0.28, 1.7, 0.95, 2.6 },
		{ "mlfm", "h=7", 0.28, 1.7, 0.95, 2.6 },
	};
	struct moore_permute_opts opts = { .trials = 1, .seed = test_seed() };
	(void)state;

	for (unsigned k = 0; k < 2 * ARRAY_LEN(T); k += test_stride()) {
		const struct promise *x = &T[k / 2];
		struct moore_plan *p = plan_of(x->family, x->params);
		struct moore_permutation *how = NULL;
		struct moore_fabric *f;
		char what[80];

		opts.fraction = k % 2 ? 1 : 0.5;
		assert_int_equal(moore_plan_fill_cabinets(p, 16, NULL), 0);
		assert_int_equal(moore_permute(p, &opts, &how, NULL), 0);
		assert_int_equal(moore_fabric_from_plan(&f, p, 2, NULL), 0);
		snprintf(what, sizeof(what), "%s %s, permuted by %g", x->family, x->params, opts.fraction);
		hold(x, what, f, NULL, true);
		moore_permutation_free(how);
		moore_fabric_free(f);
		moore_plan_free(p);
	}
}

/* Where a cable joins two leaves, sl-hint has as many detours as any-sl, and these two send to each other over
 * it.  (The hosts of each are five, and others may come through the leaf to one of them.) */
static void
odd_cables(void **state)
{
	const struct moore_route_opts hinted = { .profile = MOORE_PROFILE_SL_HINT };
	struct moore_rng r = { test_seed() };
	struct moore_plan *p = plan_of("oft", "k=5");
	struct moore_quality *q = NULL;
	struct moore_route *route = NULL;
	struct moore_fabric *f;
	(void)state;

	cross(&r, p, 1, true);
	assert_int_equal(moore_fabric_from_plan(&f, p, 2, NULL), 0);
	assert_int_equal(moore_route_build(&route, f, NULL, &hinted, NULL), 0);
	assert_int_equal(moore_quality_measure(&q, f, moore_route_lft(route), NULL), 0);
	CHECK_EQ("two leaves are neighbours", q->pairs.n[1], 2 * 5);
	CHECK("they use it", q->offset[0].hops[1] >= 2 * 5 - 3);
	CHECK("detours", 100 * q->pairs.longer[2] >= 95 * q->pairs.n[2]);
	moore_quality_free(q);
	moore_route_free(route);
	moore_fabric_free(f);
	moore_plan_free(p);
}

/* In a fat tree, or with leaves and spines, minimal routes use all links, so all LIDs are minimal: those of a
 * pair share no link, and switches that send to each other have the rate of their links upward. */
static void
fat_trees(void **state)
{
	static const struct promise T[] = {
		{ "fattree2", "k=8", 0.99, 1.02, 0, 3.99 }, { "fattree2", "k=10 s=3", 0.42, 1.03, 0, 2.99 },
		{ "fattree3", "k=6", 0.99, 1.1, 0, 2.99 }, { "fattree3", "k=8", 0.99, 1.1, 0, 3.99 },
		{ "myriclos", "n=64", 0.49, 1.02, 0, 1.99 },
	};
	struct moore_rng r = { test_seed() };
	(void)state;

	for (unsigned k = 0; k < 3 * ARRAY_LEN(T); k += test_stride()) {
		const struct promise *x = &T[k / 3];
		struct moore_fabric *f = test_family(x->family, x->params, 2);
		char what[64];

		if (k % 3)
			test_deal_guids(f, &r);
		snprintf(what, sizeof(what), "%s %s, order %u", x->family, x->params, k % 3);
		hold(x, what, f, NULL, true);
		moore_fabric_free(f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order),
		cmocka_unit_test(few_hosts),
		cmocka_unit_test(crossed_cables),
		cmocka_unit_test(permuted),
		cmocka_unit_test(odd_cables),
		cmocka_unit_test(fat_trees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

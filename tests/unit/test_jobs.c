// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_jobs.c - routing, judging and finding steps give the same bits for any number of workers,
 * whatever the order of their jobs: without jobs, in an order turned round, and on real
 * threads. */
#include "harness.h"

#include "fabrics.h"
#include "moore/engine.h"
#include "moore/motion.h"
#include "shuffled_jobs.h"
#include "threads.h"

enum { N_WAYS = 5 };

static const char *const way_name[N_WAYS] = { "none", "2 in reverse", "3 in reverse", "16 in reverse",
					      "4 threads" };

/* Returns NULL for the first way. */
static const struct moore_jobs *
jobs_of(unsigned way, struct moore_jobs *to)
{
	static const unsigned width[N_WAYS] = { 0, 2, 3, 16, 0 };

	*to = width[way] ? (struct moore_jobs){ test_run_shuffled, width[way] } : threads_lend(4);
	return way ? to : NULL;
}

static const struct {
	const char *why, *family, *params;
	uint8_t lmc;
	const char *conf;
	unsigned cut;		/* percent of the links */
} T[] = {
	{ "slimfly LMC 0", "slimfly", "q=9", 0, "", 0 },
	{ "slimfly LMC 2", "slimfly", "q=5 p=4", 2, "", 0 },
	{ "slimfly LMC 1, nta", "slimfly", "q=7", 1, "layers nta\n", 0 },
	{ "slimfly with cuts", "slimfly", "q=7", 1, "", 8 },
	{ "sl-hint", "slimfly", "q=5 p=4", 2, "profile sl-hint\n", 0 },
	{ "sl-hint with cuts", "slimfly", "q=5 p=4", 2, "profile sl-hint\n", 10 },
	{ "oft", "oft", "k=5", 2, "", 0 },
	{ "oft with cuts", "oft", "k=5", 2, "", 8 },
	{ "mlfm", "mlfm", "h=6", 2, "", 0 },
	{ "sl-hint on mlfm", "mlfm", "h=6", 1, "profile sl-hint\nclasses 0,0,0,0,1\n", 0 },
	{ "torus", "torus2d", "a=8 b=8", 2, "", 5 },
};

/* ---- equal ----------------------------------------------------------------------------- */

static void
same_verdict(const char *why, const struct moore_verdict *a, const struct moore_verdict *b)
{
	struct moore_verdict x = *a, y = *b;

	CHECK(why, !x.order == !y.order && !x.cycle == !y.cycle && x.n_channels == y.n_channels &&
	      x.cycle_len == y.cycle_len);
	CHECK(why, !x.order || !memcmp(x.order, y.order, x.n_channels * sizeof(*x.order)));
	CHECK(why, !x.cycle || !memcmp(x.cycle, y.cycle, x.cycle_len * sizeof(*x.cycle)));
	x.order = y.order = NULL;
	x.cycle = y.cycle = NULL;
	CHECK(why, !memcmp(&x, &y, sizeof(x)));
}

static void
same_held(const char *why, const struct moore_mix_held *a, const struct moore_mix_held *b)
{
	struct moore_mix_held x = *a, y = *b;

	CHECK(why, !x.cycle == !y.cycle && x.cycle_len == y.cycle_len);
	CHECK(why, !x.cycle || !memcmp(x.cycle, y.cycle, x.cycle_len * sizeof(*x.cycle)));
	x.cycle = y.cycle = NULL;
	CHECK(why, !memcmp(&x, &y, sizeof(x)));
}

static void
same_result(const char *why, const struct moore_engine_result *a, const struct moore_engine_result *b)
{
	struct moore_route_stats x, y;

	CHECK_EQ(why, b->hash, a->hash);
	CHECK(why, !memcmp(a->lft->row, b->lft->row, a->lft->stride * a->lft->n_switches));
	CHECK(why, !a->sl_set == !b->sl_set);
	CHECK(why, !a->sl_set || !memcmp(a->sl_set->sl, b->sl_set->sl, a->sl_set->n_switches *
					 a->sl_set->stride * sizeof(*a->sl_set->sl)));
	moore_route_stats(a->route, &x);
	moore_route_stats(b->route, &y);
	CHECK(why, !memcmp(&x, &y, sizeof(x)));
	same_verdict(why, a->verdict, b->verdict);
}

/* ---- the engine and its judges ----------------------------------------------------------- */

static void
test_engine_run(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *whole = test_family(T[i].family, T[i].params, T[i].lmc), *f;
		struct moore_engine_result *r[N_WAYS];
		struct moore_plan *plan = NULL;
		struct moore_rng rng = { i };
		struct moore_conf conf;
		struct moore_jobs jobs;
		struct moore_err err;

		assert_int_equal(moore_fabric_copy(&f, whole, NULL), 0);
		if (test_cut_some(f, &rng, T[i].cut))
			assert_int_equal(moore_plan_from_fabric(&plan, whole, &err), 0);
		assert_int_equal(moore_fabric_seal(f, NULL), 0);
		assert_int_equal(moore_conf_parse(&conf, T[i].conf, strlen(T[i].conf), NULL), 0);
		for (unsigned way = 0; way < N_WAYS; way++) {
			char why[120];

			snprintf(why, sizeof(why), "%s, jobs: %s", T[i].why, way_name[way]);
			conf.jobs = jobs_of(way, &jobs);
			CHECK_EQ(why, moore_engine_run(&r[way], f, plan, &conf, NULL, NULL, &err), 0);
			same_result(why, r[0], r[way]);
		}
		for (unsigned way = 0; way < N_WAYS; way++)
			moore_engine_result_free(r[way]);
		moore_plan_free(plan);
		moore_fabric_free(whole);
		moore_fabric_free(f);
	}
}

/* Lanes that drop packets are refused with the same words. */
static void
test_refused(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=5 p=4", 0);
	struct moore_err err[N_WAYS];
	struct moore_conf conf;
	struct moore_jobs jobs;
	unsigned p = 1;
	(void)state;

	while (moore_fabric_port(f, 3, (moore_portnum)p)->role != MOORE_ROLE_ENDPOINT)
		p++;
	f->sw[3].maps_sl = false;
	f->port[f->sw[3].port0 + p].lanes = 15;
	moore_conf_defaults(&conf);
	for (unsigned way = 0; way < N_WAYS; way++) {
		struct moore_engine_result *r;

		conf.jobs = jobs_of(way, &jobs);
		CHECK_EQ(way_name[way], moore_engine_run(&r, f, NULL, &conf, NULL, NULL, &err[way]),
			 -MOORE_EUNSAFE);
		CHECK_STR(way_name[way], err[way].text, "SL 15 is VL 15");
		CHECK(way_name[way], !strcmp(err[way].text, err[0].text));
	}
	moore_fabric_free(f);
}

enum { N_BAD = 60 };

/* Draws values for some rows. */
static void
draw(struct moore_row *row, const struct moore_fabric *f, struct moore_rng *rng)
{
	for (int i = 0; i < N_BAD; i++) {
		moore_swid s = moore_rng_below(rng, f->n_switches);

		row[i] = (struct moore_row){ s, (moore_lid)(1 + moore_rng_below(rng, f->lid_top)),
			i % 3 ? (uint8_t)(1 + moore_rng_below(rng, f->sw[s].n_ports)) : MOORE_NO_PATH };
	}
}

/* Judges tables with faults, and mixtures with these: loops, cycles and pairs without a route
 * lie in several blocks of LIDs. */
static void
judge_bad(const char *why, const struct moore_fabric *f, const struct moore_engine_result *r,
	  const struct moore_row *row)
{
	struct moore_mix_lanes lanes = { .sl2vl = r->sl2vl, .sl_set = r->sl_set };
	struct moore_held before = { .lft = r->lft }, held = { r->lft, row, N_BAD, NULL };
	struct moore_mix_held *m[N_WAYS];
	struct moore_verdict *v[N_WAYS];
	struct moore_lft *bad;
	struct moore_jobs jobs;

	assert_int_equal(moore_lft_new(&bad, f->n_switches, f->lid_top, NULL), 0);
	memcpy(bad->row, r->lft->row, bad->stride * bad->n_switches);
	for (int i = 0; i < N_BAD; i++)
		moore_lft_row(bad, row[i].sw)[row[i].lid] = row[i].port;
	for (unsigned way = 0; way < N_WAYS; way++) {
		const struct moore_check_opts opts = { .sl_set = r->sl_set,
			.jobs = jobs_of(way, &jobs) };

		CHECK_EQ(why, moore_check(&v[way], f, bad, r->sl2vl, NULL, &opts, NULL), 0);
		CHECK_EQ(why, moore_mix_held(&m[way], f, &held, &before, &lanes, opts.jobs, NULL), 0);
		same_verdict(why, v[0], v[way]);
		same_held(why, m[0], m[way]);
	}
	CHECK(why, v[0]->unreachable && v[0]->loops && m[0]->loop_lids && m[0]->interrupted);
	for (unsigned way = 0; way < N_WAYS; way++) {
		moore_verdict_free(v[way]);
		moore_mix_held_free(m[way]);
	}
	moore_lft_free(bad);
}

/* Finds the steps from tables with faults to those of r. */
static void
leave_bad(const char *why, const struct moore_fabric *f, const struct moore_engine_result *r,
	  const struct moore_row *row)
{
	struct moore_engine_steps *s[N_WAYS];
	struct moore_lft *bad;
	struct moore_jobs jobs;

	assert_int_equal(moore_lft_new(&bad, f->n_switches, f->lid_top, NULL), 0);
	memcpy(bad->row, r->lft->row, bad->stride * bad->n_switches);
	for (int i = 0; i < N_BAD; i++)
		moore_lft_row(bad, row[i].sw)[row[i].lid] = row[i].port;
	for (unsigned way = 0; way < N_WAYS; way++) {
		const struct moore_held held = { .lft = bad };
		const struct moore_motion_opts opts = { .sl2vl = r->sl2vl, .sl_set = r->sl_set,
			.jobs = jobs_of(way, &jobs) };
		const struct moore_motion *a, *b;

		CHECK_EQ(why, moore_engine_steps(&s[way], f, &held, r->lft, &opts, NULL), 0);
		a = s[0]->motion;
		b = s[way]->motion;
		CHECK(why, a->n_rows == b->n_rows && a->n_steps == b->n_steps);
		for (uint32_t i = 0; i < a->n_rows; i++)
			CHECK(why, a->row[i].sw == b->row[i].sw && a->row[i].lid == b->row[i].lid &&
			      a->row[i].port == b->row[i].port);
	}
	for (unsigned way = 0; way < N_WAYS; way++)
		moore_engine_steps_free(s[way]);
	moore_lft_free(bad);
}

static void
test_bad_tables(void **state)
{
	struct moore_rng rng = { test_seed() };
	unsigned rounds = test_rounds(8);
	(void)state;

	for (unsigned i = 0; i < rounds; i++) {
		struct moore_fabric *f = test_family("slimfly", "q=5 p=4", 2);
		struct moore_engine_result *r;
		struct moore_row row[N_BAD];
		struct moore_conf conf;
		char why[40];

		snprintf(why, sizeof(why), "round %u", i);
		moore_conf_defaults(&conf);
		conf.profile = i % 2 ? MOORE_PROFILE_SL_HINT : MOORE_PROFILE_ANY_SL;
		assert_int_equal(moore_engine_run(&r, f, NULL, &conf, NULL, NULL, NULL), 0);
		draw(row, f, &rng);
		judge_bad(why, f, r, row);
		leave_bad(why, f, r, row);
		moore_engine_result_free(r);
		moore_fabric_free(f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_engine_run),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bad_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

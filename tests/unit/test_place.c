// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_place.c - floors against the papers' formulas and against exhaustive search.
 *
 * Lengths are computed again from the cabinets of the placed plan, by the papers' formulas.
 * Where all arrangements can be tried one by one, the bounds and the result are compared
 * with the best one. */
#include <math.h>

#include "harness.h"
#include "moore/place.h"
#include "moore/topo.h"
#include "plan_of.h"

/* ---- plans to place --------------------------------------------------------------- */

/* A plan of switches joined by the given pairs. */
static struct moore_plan *
plan_of_links(unsigned n, const uint8_t (*link)[2], unsigned n_links)
{
	struct moore_buf b = MOORE_BUF_INIT;
	unsigned port[256] = { 0 };
	struct moore_plan *p;
	struct moore_err err = { 0 };

	moore_buf_fmt(&b, "{\"moore_plan\": 1, \"switches\": [");
	for (unsigned i = 0; i < n; i++)
		moore_buf_fmt(&b, "%s{\"name\": \"s%u\", \"ports\": 200}", i ? ", " : "", i);
	moore_buf_fmt(&b, "], \"endpoints\": [], \"cables\": [");
	for (unsigned i = 0; i < n_links; i++)
		moore_buf_fmt(&b, "%s{\"a\": {\"switch\": \"s%u\", \"port\": %u}, "
			      "\"b\": {\"switch\": \"s%u\", \"port\": %u}}", i ? ", " : "", link[i][0],
			      ++port[link[i][0]], link[i][1], ++port[link[i][1]]);
	moore_buf_fmt(&b, "]}");
	if (moore_plan_parse(&p, b.data, b.len, &err) < 0)
		fail_msg("%s of %s", err.text, b.data);
	moore_buf_free(&b);
	return p;
}

static struct moore_plan *
plan_of_ring(unsigned n)
{
	uint8_t link[256][2];

	for (unsigned i = 0; i < n; i++) {
		link[i][0] = (uint8_t)i;
		link[i][1] = (uint8_t)((i + 1) % n);
	}
	return plan_of_links(n, (const uint8_t (*)[2])link, n);
}

static struct moore_place_report
place(struct moore_plan *p, const char *model, enum moore_place_assign assign, uint64_t iterations,
      uint64_t seed)
{
	struct moore_place_opts o = { .model = moore_place_model_find(model), .assign = assign,
				      .iterations = iterations, .seed = seed };
	struct moore_place_report r;
	struct moore_err err = { 0 };

	if (moore_place(p, &o, &r, &err) < 0)
		fail_msg("%s", err.text);
	return r;
}

static char *
json_of(const struct moore_plan *p)
{
	struct moore_buf b = MOORE_BUF_INIT;

	CHECK_EQ("writes", moore_plan_write(p, &b, NULL), 0);
	return b.data;
}

#define CHECK_NEAR(why, got, want) \
	do { \
		double got_ = (got), want_ = (want); \
		if (!(fabs(got_ - want_) < 1e-6)) \
			fail_msg("%s: %s is %.6f, not %.6f", why, #got, got_, want_); \
	} while (0)

/* ---- models ------------------------------------------------------------------------- */

static const struct moore_plan_cabinet *
cabinet_of(const struct moore_plan *p, uint32_t sw)
{
	for (uint32_t c = 0; c < p->n_cabinets; c++)
		if (!strcmp(p->cabinet[c].name, p->sw[sw].cabinet))
			return &p->cabinet[c];
	fail_msg("%s is in no cabinet", p->sw[sw].name);
	return NULL;
}

/* Fujiwara 2014, section 7.1: cabinets are 0.6 m wide and 2.1 m deep.  A cable takes 2 m
 * inside a cabinet; between two it takes the Manhattan distance, and 2 m more at each end. */
static double
fujiwara_run(const struct moore_plan_cabinet *a, const struct moore_plan_cabinet *b)
{
	if (a == b)
		return 2;
	return 2 + 2 + 0.6 * abs((int)a->column - (int)b->column) +
	       2.1 * abs((int)a->row - (int)b->row);
}

/* Young 2022, section VII: a cable takes 4 + 2 |xi - xj| + 0.6 |yi - yj| between cabinets,
 * and 2 m inside one. */
static double
young_run(const struct moore_plan_cabinet *a, const struct moore_plan_cabinet *b)
{
	if (a == b)
		return 2;
	return 4 + 2. * abs((int)a->row - (int)b->row) + 0.6 * abs((int)a->column - (int)b->column);
}

static const struct {
	const char *model;
	double (*run)(const struct moore_plan_cabinet *a, const struct moore_plan_cabinet *b);
	uint32_t size;
	double column, row;
} models[] = {
	{ "fujiwara", fujiwara_run, 16, 0.6, 2.1 },
	{ "young", young_run, 2, 0.6, 2.0 },
};

/* By hand: a ring of 64 in four cabinets has 15 cables inside each.  Between them, A01-A02
 * takes 4.6 m, A02-B01 4 + 0.6 + 2.1, B01-B02 4.6, B02-A01 6.7.  The best order is around
 * the square: 4.6, 6.1, 4.6, 6.1.  The other case is a ring of 10 in a row of five
 * cabinets. */
static void
test_by_hand(void **state)
{
	struct moore_plan *p = plan_of_ring(64), *q = plan_of_ring(10);
	struct moore_place_report r = place(p, "fujiwara", MOORE_PLACE_SEQUENTIAL, 0, 1);
	(void)state;

	CHECK_EQ("cabinets", r.cabinets * 100 + r.rows * 10 + r.columns, 422);
	CHECK_EQ("inside", r.inside, 60);
	CHECK_NEAR("in rows", r.total, 60 * 2 + 4.6 + 6.7 + 4.6 + 6.7);
	CHECK_NEAR("longest", r.longest, 6.7);
	CHECK_NEAR("nothing was done", r.before, r.total);
	assert_string_equal(p->sw[0].cabinet, "A01");
	assert_string_equal(p->sw[63].cabinet, "B02");
	CHECK_EQ("units from the bottom", p->sw[15].unit, 16);
	CHECK_NEAR("a cable", p->cable[31].length, 6.7);
	r = place(p, "fujiwara", MOORE_PLACE_SEQUENTIAL, 10000, 1);
	CHECK_NEAR("the best", r.total, 60 * 2 + 4.6 + 6.1 + 4.6 + 6.1);

	r = place(q, "young", MOORE_PLACE_SEQUENTIAL, 0, 1);
	CHECK_EQ("y = ceil(sqrt(2 * 5 / 0.6)), x = ceil(5 / y)", r.columns * 10 + r.rows, 51);
	CHECK_NEAR("in a row", r.total, 5 * 2 + 4 * 4.6 + 6.4);
	moore_plan_free(p);
	moore_plan_free(q);
}

/* Every cable of a placed family has the length of the paper's formula, and the report has
 * their sum. */
static void
test_formulas(void **state)
{
	static const char *const T[][2] = { { "slimfly", "q=5" }, { "mlfm", "h=4" }, { "oft", "k=4" },
					    { "torus2d", "a=8 b=9" }, { "dragonfly", "a=4 h=2" } };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T) * ARRAY_LEN(models); i++) {
		const size_t m = i % ARRAY_LEN(models);
		const char *const *t = T[i / ARRAY_LEN(models)];
		struct moore_plan *p = plan_of(t[0], t[1]);
		struct moore_place_report r = place(p, models[m].model, MOORE_PLACE_REFINED, 5000, 1);
		double sum = 0, longest = 0;
		uint32_t inside = 0;

		for (uint32_t k = 0; k < p->n_cables; k++) {
			const struct moore_plan_cabinet *a = cabinet_of(p, p->cable[k].sw[0]);
			const struct moore_plan_cabinet *b = cabinet_of(p, p->cable[k].sw[1]);
			const double want = models[m].run(a, b);

			CHECK_NEAR(t[0], p->cable[k].length, want);
			sum += want;
			longest = want > longest ? want : longest;
			inside += a == b;
		}
		CHECK_NEAR(t[0], r.total, sum);
		CHECK_NEAR(t[0], r.longest, longest);
		CHECK_EQ(t[0], r.inside, inside);
		CHECK_EQ(t[0], r.cabinets, (p->n_switches + models[m].size - 1) / models[m].size);
		CHECK_EQ(t[0], p->n_cabinets, r.cabinets);
		CHECK_NEAR("column pitch", p->column_pitch, models[m].column);
		CHECK_NEAR("row pitch", p->row_pitch, models[m].row);
		CHECK_EQ("a plan still", moore_plan_check(p, NULL, NULL), 0);
		moore_plan_free(p);
	}
}

/* The floors that the papers give for c cabinets. */
static void
test_floors(void **state)
{
	static const struct {
		const char *model, *family, *params;
		unsigned cabinets, rows, columns;
	} T[] = {
		{ "fujiwara", "torus2d", "a=16 b=16", 16, 4, 4 },	/* q = ceil(sqrt(c)) */
		{ "fujiwara", "slimfly", "q=5", 4, 2, 2 },		/* 50 switches */
		{ "fujiwara", "slimfly", "q=7", 7, 3, 3 },
		{ "fujiwara", "torus2d", "a=8 b=10", 5, 3, 2 },		/* r = ceil(c / q) */
		{ "young", "slimfly", "q=9", 81, 5, 17 },
		{ "young", "slimfly", "q=13", 169, 8, 24 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_plan *p = plan_of(T[i].family, T[i].params);
		struct moore_place_report r = place(p, T[i].model, MOORE_PLACE_SEQUENTIAL, 0, 1);

		CHECK_EQ(T[i].params, r.cabinets, T[i].cabinets);
		CHECK_EQ(T[i].params, r.rows, T[i].rows);
		CHECK_EQ(T[i].params, r.columns, T[i].columns);
		moore_plan_free(p);
	}
}

/* ---- bounds ------------------------------------------------------------------------------ */

struct search {			/* tries all ways to put things on spots */
	const struct moore_plan *p;
	uint32_t n, n_spots, size;
	uint32_t columns;
	double column, row;
	const uint32_t *group;	/* by switch: the thing that contains it */
	uint32_t spot[16];
	bool taken[16];
	double best;
};

static double
arranged(const struct search *s)
{
	double sum = 0;

	for (uint32_t i = 0; i < s->p->n_cables; i++) {
		const uint32_t a = s->spot[s->group[s->p->cable[i].sw[0]]] / s->size;
		const uint32_t b = s->spot[s->group[s->p->cable[i].sw[1]]] / s->size;

		sum += a == b ? 2 : 4 + s->column * abs((int)(a % s->columns) - (int)(b % s->columns)) +
				    s->row * abs((int)(a / s->columns) - (int)(b / s->columns));
	}
	return sum;
}

static void
search(struct search *s, uint32_t i)
{
	if (i == s->n) {
		const double v = arranged(s);

		s->best = v < s->best ? v : s->best;
		return;
	}
	for (uint32_t k = 0; k < s->n_spots; k++) {
		if (s->taken[k] || (s->size > 1 && k % s->size && !s->taken[k - 1]))
			continue;	/* the places of a cabinet are equivalent */
		s->taken[k] = true;
		s->spot[i] = k;
		search(s, i + 1);
		s->taken[k] = false;
	}
}

static double
best_of(const struct moore_plan *p, const struct moore_place_report *r, const uint32_t *group,
	uint32_t n, uint32_t size)
{
	struct search s = { .p = p, .n = n, .n_spots = r->rows * r->columns * size, .size = size,
			    .columns = r->columns, .column = p->column_pitch, .row = p->row_pitch,
			    .group = group, .best = 1e9 };

	search(&s, 0);
	return s.best;
}

/* Neither bound is above the best of all arrangements, and the result is not below it; most
 * often it is the best.  Some floors have free places. */
static void
test_bounds(void **state)
{
	struct moore_rng r = { test_seed() };
	unsigned rounds = test_rounds(150), best = 0, best_any = 0;
	(void)state;

	for (unsigned round = 0; round < rounds; round++) {
		const unsigned n = 2 + moore_rng_below(&r, 6), n_links = 1 + moore_rng_below(&r, 24);
		const uint32_t size = 1 + moore_rng_below(&r, 2);
		const struct moore_place_opts o = { .model = moore_place_model_at(moore_rng_below(&r, 2)),
			.cabinet_size = size, .column_pitch = 0.1 * (1 + moore_rng_below(&r, 30)),
			.row_pitch = 0.1 * (1 + moore_rng_below(&r, 30)), .assign = MOORE_PLACE_REFINED,
			.iterations = 3000, .seed = round };
		uint32_t self[8], group[8];
		struct moore_place_report rep;
		struct moore_err err = { 0 };
		struct moore_plan *p;
		uint8_t link[24][2];
		double all, these;

		for (unsigned i = 0; i < n_links; i++) {
			link[i][0] = (uint8_t)moore_rng_below(&r, n);
			link[i][1] = (uint8_t)((link[i][0] + 1 + moore_rng_below(&r, n - 1)) % n);
		}
		p = plan_of_links(n, (const uint8_t (*)[2])link, n_links);
		if (moore_place(p, &o, &rep, &err) < 0)
			fail_msg("%s", err.text);
		for (unsigned i = 0; i < n; i++) {
			self[i] = i;
			group[i] = (uint32_t)(cabinet_of(p, i) - p->cabinet);
		}
		these = best_of(p, &rep, group, rep.cabinets, 1);
		all = best_of(p, &rep, self, n, size);
		if (rep.bound > these + 1e-6 || rep.bound_any > all + 1e-6 || rep.total < all - 1e-6 ||
		    rep.total < these - 1e-6)
			fail_msg("round %u: total %f, best %f of these and %f of all, bounds %f and %f", round,
				 rep.total, these, all, rep.bound, rep.bound_any);
		best += rep.total < these + 1e-6;
		best_any += rep.total < all + 1e-6;
		moore_plan_free(p);
	}
	print_message("# the best of its cabinets in %u of %u, the best of all in %u\n", best, rounds,
		      best_any);
	CHECK("cabinets stand best nearly always", best >= rounds * 95 / 100);
	CHECK("so do switches", best_any >= rounds * 80 / 100);
}

/* Whole families, without search: the bounds stay below the result of every way of placing. */
static void
test_bounds_of_families(void **state)
{
	static const char *const T[][2] = { { "slimfly", "q=7" }, { "mlfm", "h=6" }, { "oft", "k=6" },
					    { "torus2d", "a=12 b=12" }, { "hypercube", "n=7" },
					    { "torus2d", "a=2 b=40" } };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T) * ARRAY_LEN(models); i++) {
		struct moore_plan *p = plan_of(T[i / 2][0], T[i / 2][1]);

		for (int assign = MOORE_PLACE_SEQUENTIAL; assign <= MOORE_PLACE_REFINED; assign++) {
			struct moore_place_report r = place(p, models[i % 2].model,
							    (enum moore_place_assign)assign, 20000, 3);

			CHECK(T[i / 2][0], r.bound <= r.total + 1e-6 && r.bound_any <= r.total + 1e-6);
			CHECK(T[i / 2][0], r.bound > 0 && r.bound_any >= 2 * p->n_cables);
		}
		moore_plan_free(p);
	}
}

/* All arrangements of a complete graph on a full floor are equally long, so both bounds
 * must equal the total: a bound that is too weak fails. */
static void
test_tight(void **state)
{
	uint8_t link[630][2];
	unsigned n_links = 0;
	struct moore_plan *p;
	(void)state;

	for (unsigned i = 0; i < 36; i++)
		for (unsigned k = 0; k < i; k++, n_links++) {
			link[n_links][0] = (uint8_t)i;
			link[n_links][1] = (uint8_t)k;
		}
	p = plan_of_links(36, (const uint8_t (*)[2])link, n_links);
	for (uint32_t size = 1; size <= 3; size += 2) {	/* 6 x 6 and 4 x 3 cabinets */
		const struct moore_place_opts o = { .model = moore_place_model_at(0), .cabinet_size = size };
		struct moore_place_report r;

		CHECK_EQ("placed", moore_place(p, &o, &r, NULL), 0);
		CHECK_EQ("a full floor", r.rows * r.columns * size, 36);
		CHECK("these cabinets", r.bound <= r.total && r.bound > r.total * 0.999);
		CHECK("any assignment", r.bound_any <= r.total && r.bound_any > r.total * 0.999);
	}
	moore_plan_free(p);
}

/* The greatest distance from the bounds, in per cent: the figures that docs/placement.md
 * gives for such fabrics hold for small ones, too. */
static void
test_gaps(void **state)
{
	static const struct {
		const char *family, *params, *model;
		double these, any;
	} T[] = {
		{ "slimfly", "q=9", "young", 5, 5 }, { "slimfly", "q=7", "fujiwara", 6, 10 },
		{ "mlfm", "h=7", "fujiwara", 4, 30 }, { "oft", "k=6", "fujiwara", 3, 15 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_plan *p = plan_of(T[i].family, T[i].params);
		struct moore_place_report r = place(p, T[i].model, MOORE_PLACE_REFINED, 200000, 1);

		print_message("# %s %s: %.1f %%, any assignment %.1f %%\n", T[i].family, T[i].params,
			      100 * (r.total / r.bound - 1), 100 * (r.total / r.bound_any - 1));
		CHECK(T[i].params, r.total < r.bound * (1 + T[i].these / 100));
		CHECK(T[i].params, r.total < r.bound_any * (1 + T[i].any / 100));
		moore_plan_free(p);
	}
}

/* ---- annealing ----------------------------------------------------------------------------- */

static void
test_seeds(void **state)
{
	static const char *const T[][2] = { { "slimfly", "q=7" }, { "mlfm", "h=5" }, { "oft", "k=6" },
					    { "torus2d", "a=10 b=10" }, { "dln", "n=100 k=6" } };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		unsigned different = 0;
		char *first = NULL;

		for (uint64_t seed = 1; seed < 5; seed++) {
			struct moore_plan *p = plan_of(T[i][0], T[i][1]);
			struct moore_plan *q = plan_of(T[i][0], T[i][1]);
			const struct moore_place_report rows = place(q, "young", MOORE_PLACE_SEQUENTIAL, 0, seed);
			const struct moore_place_report seq = place(q, "young", MOORE_PLACE_SEQUENTIAL, 3000, seed);
			const struct moore_place_report str = place(q, "young", MOORE_PLACE_STRUCTURE, 3000, seed);
			const struct moore_place_report a = place(p, "young", MOORE_PLACE_REFINED, 3000, seed);
			const struct moore_place_report b = place(q, "young", MOORE_PLACE_REFINED, 3000, seed);
			char *ja = json_of(p), *jb = json_of(q);

			assert_string_equal(ja, jb);	/* the earlier placing makes no difference */
			CHECK_NEAR("the same report", a.total, b.total);
			CHECK(T[i][0], seq.total <= rows.total && str.total <= str.before);
			CHECK(T[i][0], a.total <= seq.total && a.total <= str.total);
			CHECK_NEAR("before: in plan order, in rows", a.before, rows.total);
			different += first && strcmp(first, ja);
			free(jb);
			if (first)
				free(ja);
			else
				first = ja;
			moore_plan_free(p);
			moore_plan_free(q);
		}
		CHECK("a seed matters", different > 0);
		free(first);
	}
}

static void
on_progress(void *arg, double share)
{
	double *last = arg;

	CHECK("it rises from 0 to 1", share >= *last && share <= 1);
	*last = share;
}

static void
test_progress(void **state)
{
	struct moore_plan *p = plan_of("slimfly", "q=5");
	double last = 0;
	struct moore_place_opts o = { .model = moore_place_model_at(1), .iterations = 20000,
				      .assign = MOORE_PLACE_REFINED, .progress = on_progress, .arg = &last };
	struct moore_place_report r;
	(void)state;

	CHECK_EQ("placed", moore_place(p, &o, &r, NULL), 0);
	CHECK("it got on", last > 0.9);
	moore_plan_free(p);
}

/* Placing removes the old places from the plan and keeps everything else. */
static void
test_what_stays(void **state)
{
	struct moore_plan *p = plan_of_ring(5);
	(void)state;

	p->sw[1].cabinet = strdup("old");
	p->sw[1].unit = 7;
	p->cable[2].label = strdup("blue");
	p->cable[2].length = 99;
	place(p, "young", MOORE_PLACE_REFINED, 1000, 1);
	for (uint32_t i = 0; i < 5; i++)
		CHECK("a unit in a cabinet", strcmp(p->sw[i].cabinet, "old") && p->sw[i].unit <= 2);
	assert_string_equal(p->cable[2].label, "blue");
	CHECK("length", p->cable[2].length < 10);
	moore_plan_free(p);
}

static void
test_bad_opts(void **state)
{
	static const struct {
		const char *why;
		uint32_t size;
		double column, row;
		const char *text;
	} T[] = {
		{ "a cabinet of a tower", 1001, 0, 0, "1001 switches in a cabinet: a cabinet has 1..1000" },
		{ "no pitch", 0, 0.0001, 1, "pitch of cabinets: 0.001..100" },
		{ "a field", 0, 1, 101, "pitch of cabinets" },
		{ "below", 0, -1, 1, "pitch of cabinets" },
	};
	struct moore_plan *p = plan_of_ring(9);
	char *before = json_of(p), *after;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		const struct moore_place_opts o = { .model = moore_place_model_at(0),
			.cabinet_size = T[i].size, .column_pitch = T[i].column, .row_pitch = T[i].row };
		struct moore_place_report r;
		struct moore_err err = { 0 };

		CHECK_EQ(T[i].why, moore_place(p, &o, &r, &err), -MOORE_EINVAL);
		CHECK_STR(T[i].why, err.text, T[i].text);
	}
	after = json_of(p);
	assert_string_equal(before, after);
	free(before);
	free(after);
	moore_plan_free(p);
}

/* If an allocation fails, the plan stays as it was. */
static int
place_or_keep(struct moore_plan *p, const char *before, const struct moore_place_opts *o)
{
	const long fail_at = alloc_fail_at;
	struct moore_place_report r;
	int rc = moore_place(p, o, &r, NULL);

	if (rc < 0) {
		char *after;

		alloc_fail_at = -1;
		after = json_of(p);
		assert_string_equal(before, after);
		free(after);
		alloc_fail_at = fail_at;
	}
	return rc;
}

static void
test_oom(void **state)
{
	const struct moore_place_opts o = { .model = moore_place_model_at(1), .iterations = 100,
					    .assign = MOORE_PLACE_REFINED };
	struct moore_plan *p = plan_of("slimfly", "q=3");
	char *before = json_of(p);
	struct moore_catalogue *c;
	struct moore_work *w;
	(void)state;

	CHECK_OOM("place", place_or_keep(p, before, &o), free(before));
	CHECK_OOM("catalogue", moore_catalogue_parse(&c, "1,copper\n20,optical\n", 20, NULL),
		  (void)0);
	CHECK_OOM("work", moore_work_list(&w, p, c, MOORE_WORK_BUNDLE, 2, NULL), free(w));
	moore_catalogue_free(c);
	moore_plan_free(p);
}

/* ---- stock ------------------------------------------------------------------------------------ */

static void
test_catalogue(void **state)
{
	static const char text[] =
	"# what we can get\n"
	"\n"
	"10,optical,120\r\n"
	"5,optical,99.50  # the same length\n"
	"5,copper,60\n"
	"1.5,copper,20\t\n"
	"100,optical,";
	static const struct {
		double metres, length, price;
		bool optical;
	} T[] = {
		{ 0.2, 1.5, 20, false }, { 1.5, 1.5, 20, false }, { 1.5001, 5, 60, false },
		{ 5, 5, 60, false }, { 5.1, 10, 120, true }, { 99.9, 100, 0, true },
	};
	struct moore_catalogue *c;
	struct moore_err err = { 0 };
	(void)state;

	if (moore_catalogue_parse(&c, text, strlen(text), &err) < 0)
		fail_msg("line %u: %s", err.line, err.text);
	CHECK_EQ("all", c->n, 5);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		const uint32_t s = moore_catalogue_pick(c, T[i].metres);

		CHECK("it reaches", s != MOORE_NONE);
		CHECK_NEAR("length", c->stock[s].length, T[i].length);
		CHECK_NEAR("price", c->stock[s].price, T[i].price);
		CHECK_EQ("optical above the copper", c->stock[s].optical, T[i].optical);
	}
	CHECK_EQ("longer than all", moore_catalogue_pick(c, 100.1), MOORE_NONE);
	moore_catalogue_free(c);
	CHECK_EQ("the example", moore_catalogue_example(&c, NULL), 0);
	CHECK_EQ("5 m is copper", c->stock[moore_catalogue_pick(c, 4.6)].optical, 0);
	CHECK_EQ("6.7 m is optical", c->stock[moore_catalogue_pick(c, 6.7)].optical, 1);
	moore_catalogue_free(c);
}

static void
test_bad_catalogue(void **state)
{
	static const struct {
		const char *text;
		unsigned line;
		const char *part;
	} T[] = {
		{ "", 0, "no cable in the catalogue" },
		{ "# none\n\n", 0, "no cable in the catalogue" },
		{ "1,copper\n3\n", 2, "want a length in metres, copper or optical" },
		{ "0,copper\n", 1, "want a length" },
		{ "-1,copper\n", 1, "want a length" },
		{ "nan,copper\n", 1, "want a length" },
		{ "3,fibre\n", 1, "\"fibre\": the kind is copper or optical" },
		{ "3,copperx\n", 1, "the kind is copper or optical" },
		{ "3,copper,cheap\n", 1, "\"cheap\": the price is a number" },
		{ "3,copper,-2\n", 1, "\"-2\": the price is a number" },
		{ "3,copper,2,x\n", 1, "\"2,x\": the price is a number" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_catalogue *c;
		struct moore_err err = { 0 };

		CHECK_EQ(T[i].text, moore_catalogue_parse(&c, T[i].text, strlen(T[i].text), &err),
			 -MOORE_ESYNTAX);
		CHECK_EQ(T[i].text, err.line, T[i].line);
		CHECK_STR(T[i].text, err.text, T[i].part);
		CHECK("none", !c);
	}
}

/* ---- work ---------------------------------------------------------------------------------------- */

/* Checks that each cable and endpoint is listed once, that crews get equal shares, and that
 * lines are sorted by crew or by bundle.  A bundle leads from one cabinet to one row, or
 * stays inside the cabinet. */
static void
check_work(const struct moore_plan *p, const struct moore_work *w, enum moore_work_order order,
	   uint32_t crews)
{
	const size_t n = (size_t)p->n_cables + p->n_endpoints;
	uint32_t *share = calloc(crews + 1, sizeof(*share));
	uint8_t *seen = calloc(n, 1);

	for (size_t i = 0; i < n; i++) {
		const struct moore_plan_cabinet *a = &p->cabinet[w[i].cabinet[0]];
		const struct moore_plan_cabinet *b = &p->cabinet[w[i].cabinet[1]];

		CHECK("once", !seen[w[i].index + (w[i].endpoint ? p->n_cables : 0)]++);
		CHECK("a crew that is there", w[i].crew >= 1 && w[i].crew <= crews);
		share[w[i].crew]++;
		if (w[i].endpoint) {
			CHECK("of its switch", cabinet_of(p, p->ep[w[i].index].sw) == a && a == b);
			continue;
		}
		CHECK("its ends", cabinet_of(p, p->cable[w[i].index].sw[w[i].first]) == a &&
		      cabinet_of(p, p->cable[w[i].index].sw[!w[i].first]) == b);
		CHECK("the first is first", a->row < b->row || (a->row == b->row && a->column <= b->column));
		for (size_t k = i; k-- && !w[k].endpoint && w[k].bundle == w[i].bundle;)
			CHECK("a bundle", w[k].cabinet[0] == w[i].cabinet[0] &&
			      p->cabinet[w[k].cabinet[1]].row == b->row &&
			      (w[k].cabinet[0] == w[k].cabinet[1]) == (a == b));
		if (order == MOORE_WORK_BUNDLE)
			CHECK("bundles follow one another", !i || w[i].bundle == w[i - 1].bundle ||
			      w[i].bundle == w[i - 1].bundle + 1);
		else
			CHECK("crews follow one another", !i || w[i].crew == w[i - 1].crew ||
			      w[i].crew == w[i - 1].crew + 1);
	}
	for (uint32_t k = 1; k <= crews; k++)
		CHECK("equal shares", share[k] == n / crews || share[k] == n / crews + 1);
	free(share);
	free(seen);
}

static int
text_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
check_labels(const struct moore_plan *p)
{
	const size_t n = 2 * (size_t)p->n_cables;
	char **label = calloc(n, sizeof(*label));

	for (size_t i = 0; i < n; i++) {
		struct moore_buf b = MOORE_BUF_INIT;

		moore_work_label(&b, p, p->cable[i / 2].sw[i % 2], p->cable[i / 2].port[i % 2]);
		label[i] = b.data;
	}
	qsort(label, n, sizeof(*label), text_cmp);
	for (size_t i = 0; i < n; i++)
		CHECK("a label of its own", !i || strcmp(label[i], label[i - 1]));
	for (size_t i = 0; i < n; i++)
		free(label[i]);
	free(label);
}

static void
test_work(void **state)
{
	static const char *const T[][2] = { { "slimfly", "q=5" }, { "mlfm", "h=4" }, { "oft", "k=4" } };
	struct moore_catalogue *c;
	(void)state;

	CHECK_EQ("catalogue", moore_catalogue_example(&c, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_plan *p = plan_of(T[i][0], T[i][1]);
		struct moore_err err = { 0 };
		struct moore_work *w;

		place(p, "young", MOORE_PLACE_REFINED, 1000, 1);
		for (uint32_t crews = 1; crews < 8; crews += 3)
			for (int order = MOORE_WORK_PAIR; order <= MOORE_WORK_BUNDLE; order++) {
				if (moore_work_list(&w, p, c, (enum moore_work_order)order, crews, &err) < 0)
					fail_msg("%s", err.text);
				check_work(p, w, (enum moore_work_order)order, crews);
				free(w);
			}
		check_labels(p);
		moore_plan_free(p);
	}
	moore_catalogue_free(c);
}

static void
test_bad_work(void **state)
{
	static const char text[] = "1,copper\n4,optical\n";
	struct moore_plan *p = plan_of_ring(6);
	struct moore_catalogue *c, *small;
	struct moore_err err = { 0 };
	struct moore_work *w;
	(void)state;

	CHECK_EQ("catalogue", moore_catalogue_example(&c, NULL), 0);
	CHECK_EQ("a small one", moore_catalogue_parse(&small, text, strlen(text), NULL), 0);
	CHECK_EQ("not placed", moore_work_list(&w, p, c, MOORE_WORK_PAIR, 1, &err), -MOORE_EPLAN);
	CHECK_STR("not placed", err.text, "\"s0\" has no cabinet on the floor, or no unit: place the plan first");
	place(p, "young", MOORE_PLACE_SEQUENTIAL, 0, 1);
	CHECK_EQ("no crew", moore_work_list(&w, p, c, MOORE_WORK_PAIR, 0, &err), -MOORE_EINVAL);
	CHECK_EQ("too long", moore_work_list(&w, p, small, MOORE_WORK_PAIR, 1, &err), -MOORE_EPLAN);
	CHECK_STR("too long", err.text, "cables[1]: 4.6 m: longer than every cable of the catalogue");
	p->sw[1].unit = p->sw[0].unit;
	CHECK_EQ("a unit twice", moore_work_list(&w, p, c, MOORE_WORK_PAIR, 1, &err), -MOORE_EPLAN);
	CHECK_STR("a unit twice", err.text, "unit");
	p->sw[1].unit = 2;
	p->cable[3].length = 0;
	CHECK_EQ("no length", moore_work_list(&w, p, c, MOORE_WORK_PAIR, 1, &err), -MOORE_EPLAN);
	CHECK_STR("no length", err.text, "cables[3]: no length: place the plan first");
	CHECK("none", !w);
	moore_catalogue_free(small);
	moore_catalogue_free(c);
	moore_plan_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand), cmocka_unit_test(test_formulas),
		cmocka_unit_test(test_floors), cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_bounds_of_families), cmocka_unit_test(test_tight),
		cmocka_unit_test(test_gaps), cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_progress), cmocka_unit_test(test_what_stays),
		cmocka_unit_test(test_bad_opts), cmocka_unit_test(test_oom),
		cmocka_unit_test(test_catalogue), cmocka_unit_test(test_bad_catalogue),
		cmocka_unit_test(test_work), cmocka_unit_test(test_bad_work),
	};

	return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}

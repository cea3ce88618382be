// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_families.c - families of the papers beyond the first ones, against printed values and
 * against the properties by which they are defined: brute force on adjacency matrices. */
#include "moore/math.h"
#include "topo_look.h"

static struct moore_graph_metrics
metrics_of(const char *spec, const struct moore_topo *t)
{
	struct moore_graph_metrics m;

	CHECK_EQ(spec, moore_graph_measure(t->n_switches, t->link, t->n_links,
					   t->family->transitive ? 1 : t->n_switches, &m, NULL, NULL,
					   NULL), 0);
	return m;
}

/* Young et al. 2022, Table I: the digits as printed. */
static void
test_young_table_1(void **state)
{
	static const struct { const char *spec; uint32_t routers, radix, diameter; const char *distance; uint32_t girth; } T[] = {
		{ "lps p=11 q=7", 168, 12, 3, "2.39", 3 }, { "bundlefly p=13 s=3", 234, 11, 3, "2.56", 3 },
		{ "lps p=23 q=11", 660, 24, 3, "2.35", 3 }, { "bundlefly p=37 s=3", 666, 23, 3, "2.61", 3 },
		{ "lps p=53 q=17", 2448, 54, 3, "2.32", 3 }, { "bundlefly p=97 s=4", 3104, 54, 3, "2.76", 3 },
		{ "dragonfly a=12", 156, 12, 3, "2.70", 3 }, { "dragonfly a=12 arr=2", 156, 12, 3, "2.70", 3 },
		{ "dragonfly a=12 arr=3", 156, 12, 3, "2.70", 3 }, { "dragonfly a=24", 600, 24, 3, "2.84", 3 },
		{ "dragonfly a=53", 2862, 53, 3, "2.93", 3 }, { "dragonfly a=69", 4830, 69, 3, "2.94", 3 },
		{ "dragonfly a=85 arr=3", 7310, 85, 3, "2.95", 3 },
		{ "lps p=71 q=17", 4896, 72, 4, "2.61", 4 }, { "lps p=89 q=19", 6840, 90, 4, "2.61", 4 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_graph_metrics m;
		struct moore_topo *t;
		struct rows r;
		char text[16];

		CHECK_EQ(T[i].spec, build_spec(&t, T[i].spec, NULL), 0);
		check_contract(t);
		r = rows_of(t);
		for (uint32_t s = 0; s < t->n_switches; s++)
			CHECK_EQ(T[i].spec, r.degree[s], T[i].radix);
		m = metrics_of(T[i].spec, t);
		snprintf(text, sizeof(text), "%.2f", m.mean_distance);
		CHECK_EQ(T[i].spec, t->n_switches, T[i].routers);
		CHECK_EQ(T[i].spec, m.diameter, T[i].diameter);
		CHECK_STR(T[i].spec, text, T[i].distance);
		CHECK_EQ(T[i].spec, m.girth, T[i].girth);
		rows_free(&r);
		moore_topo_free(t);
	}
}

/* ---- LPS --------------------------------------------------------------------------- */

static bool
two_colours(const struct moore_topo *t)
{
	uint8_t *colour = calloc(t->n_switches, 1);
	bool ok = true, changed = true;

	colour[0] = 1;
	while (changed) {
		changed = false;
		for (uint32_t l = 0; l < t->n_links; l++) {
			uint8_t *a = &colour[t->link[l].a], *b = &colour[t->link[l].b];

			ok &= !*a || *a != *b;
			if (!*a != !*b) {
				*(*a ? b : a) = *a ? 3 - *a : 3 - *b;
				changed = true;
			}
		}
	}
	free(colour);
	return ok;
}

/* Each pair of small primes: the closed forms, one degree, connected; bipartite exactly on PGL; and
 * the distances from the first switch are those from all. */
static void
test_lps(void **state)
{
	static const unsigned prime[] = { 3, 5, 7, 11, 13, 17, 19, 23, 29, 31 };
	unsigned built = 0;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(prime); i++)
		for (size_t k = 1; k < 6; k++) {
			const unsigned p = prime[i], q = prime[k];
			struct moore_graph_metrics one, all;
			struct moore_topo *t;
			char spec[32];

			snprintf(spec, sizeof(spec), "lps p=%u q=%u", p, q);
			/* Up to twice the root of p, generators may be alike; of these primes, for 5 alone. */
			if (p == q || (q == 5 && p > 23)) {
				CHECK_EQ(spec, build_spec(&t, spec, NULL), -MOORE_EINVAL);
				continue;
			}
			CHECK_EQ(spec, build_spec(&t, spec, NULL), 0);
			check_contract(t);
			CHECK_EQ(spec, two_colours(t), t->n_switches == q * (q * q - 1));
			one = metrics_of(spec, t);
			CHECK_EQ(spec, moore_graph_measure(t->n_switches, t->link, t->n_links, t->n_switches,
							   &all, NULL, NULL, NULL), 0);
			CHECK_EQ(spec, one.diameter, all.diameter);
			CHECK(spec, one.diameter != MOORE_NONE && one.mean_distance == all.mean_distance);
			built++;
			moore_topo_free(t);
		}
	CHECK_EQ("pairs", built, 10 * 5 - 5 - 2);
}

/* ---- planes, stars, trees ---------------------------------------------------------------- */

/* Any two points have exactly one point that is orthogonal to both: a common neighbour, or one
 * of them. */
static void
test_polarfly(void **state)
{
	static const unsigned orders[] = { 2, 3, 4, 5, 7, 8, 9, 11 };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		const unsigned q = orders[i];
		struct moore_topo *t = must_build("polarfly", "q", q);
		struct rows r = rows_of(t);
		uint32_t n_short = 0;

		check_contract(t);
		for (uint32_t a = 0; a < t->n_switches; a++) {
			n_short += r.degree[a] == q;
			for (uint32_t b = a + 1; b < t->n_switches; b++)
				CHECK_EQ("one", common(&r, a, b) + (adjacent(&r, a, b) &&
					 (r.degree[a] == q || r.degree[b] == q)), 1);
		}
		CHECK_EQ("orthogonal to themselves", n_short, q + 1);
		rows_free(&r);
		moore_topo_free(t);
	}
}

static void
test_stars_have_diameter_three(void **state)
{
	static const char *const specs[] = { "polarstar q=2 d=3", "polarstar q=3 d=2", "polarstar q=4 d=3",
		"polarstar q=5 d=4", "polarstar q=5 d=6", "polarstar q=7 d=7", "polarstar q=8 d=4",
		"polarstar q=3 d=11", "bundlefly p=5 s=3", "bundlefly p=9 s=4", "bundlefly p=13 s=5",
		"bundlefly p=17 s=7", "bundlefly p=25 s=4" };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		struct moore_topo *t;

		CHECK_EQ(specs[i], build_spec(&t, specs[i], NULL), 0);
		check_contract(t);
		CHECK_EQ(specs[i], metrics_of(specs[i], t).diameter, 3);
		moore_topo_free(t);
	}
}

/* Any two leaves of a layer share one upper switch, and the i-th leaves of all layers share all
 * theirs. */
static void
check_trees(const char *spec, const struct moore_topo *t, uint32_t r1, uint32_t r2, uint32_t layers)
{
	const uint32_t n = 1 + r1 * (r2 - 1);
	struct rows r = rows_of(t);

	for (uint32_t a = 0; a < layers * n; a++) {
		CHECK_EQ(spec, r.degree[a], r1);
		for (uint32_t b = a + 1; b < layers * n; b++)
			CHECK_EQ(spec, common(&r, a, b), a % n == b % n ? r1 : 1);
	}
	for (uint32_t s = layers * n; s < t->n_switches; s++)
		CHECK_EQ(spec, r.degree[s], r2 * layers);
	rows_free(&r);
}

static void
test_sspt(void **state)
{
	static const struct { uint32_t r1, r2, l; } T[] = {
		{ 2, 2, 2 }, { 5, 2, 5 }, { 9, 2, 1 }, { 3, 3, 2 }, { 4, 3, 2 }, { 6, 3, 4 }, { 7, 3, 4 },
		{ 9, 3, 6 }, { 10, 3, 2 }, { 12, 3, 1 }, { 13, 3, 1 }, { 15, 3, 1 }, { 16, 3, 1 },
		{ 4, 4, 2 }, { 5, 4, 2 }, { 13, 4, 1 }, { 21, 4, 1 }, { 6, 5, 2 }, { 5, 5, 2 }, { 21, 5, 1 },
		{ 31, 5, 1 }, { 8, 8, 2 }, { 9, 8, 2 }, { 10, 9, 1 }, { 31, 6, 1 }, { 40, 4, 1 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t;
		char spec[48];

		snprintf(spec, sizeof(spec), "sspt r1=%u r2=%u l=%u", T[i].r1, T[i].r2, T[i].l);
		CHECK_EQ(spec, build_spec(&t, spec, NULL), 0);
		check_contract(t);
		check_trees(spec, t, T[i].r1, T[i].r2, T[i].l);
		moore_topo_free(t);
	}
}

/* ---- random families ------------------------------------------------------------------------ */

static void
check_random(const char *spec)
{
	struct moore_topo *t, *again;
	struct moore_err err = { 0 };
	struct rows r;

	if (build_spec(&t, spec, &err) < 0)
		fail_msg("%s: %s", spec, err.text);
	check_contract(t);
	r = rows_of(t);
	for (uint32_t s = 1; s < t->n_switches; s++)
		CHECK_EQ(spec, r.degree[s], r.degree[0]);
	CHECK(spec, metrics_of(spec, t).diameter != MOORE_NONE);
	CHECK_EQ(spec, build_spec(&again, spec, NULL), 0);
	CHECK("the seed says all", !memcmp(t->link, again->link, t->n_links * sizeof(*t->link)));
	rows_free(&r);
	moore_topo_free(t);
	moore_topo_free(again);
}

static void
test_random_families(void **state)
{
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (unsigned round = test_rounds(50); round; round--) {
		const uint32_t k = 3 + moore_rng_below(&rng, 6), seed = moore_rng_below(&rng, 1000000);
		char spec[96];

		snprintf(spec, sizeof(spec), "jellyfish n=%u k=%u seed=%u",
			 2 * k + 2 * moore_rng_below(&rng, 30), k, seed);
		check_random(spec);
		snprintf(spec, sizeof(spec), "xpander d=%u k=%u seed=%u", k,
			 1 + moore_rng_below(&rng, 12), seed);
		check_random(spec);
		snprintf(spec, sizeof(spec), "skywalk x=%u y=%u s=%u k=%u seed=%u",
			 7 + moore_rng_below(&rng, 4), 7 + moore_rng_below(&rng, 4),
			 2 * (1 + moore_rng_below(&rng, 2)), k, seed);
		check_random(spec);
	}
}

/* Lines of three cabinets often cannot be paired in one go; with many of them one always fails. */
static void
test_skywalk_short_lines(void **state)
{
	static const char *const T[] = { "skywalk x=4 y=3 s=4 k=4 seed=%u", "skywalk x=3 y=5 s=4 k=6 seed=%u",
		"skywalk x=3 y=12 s=4 k=6 seed=%u", "skywalk x=4 y=20 s=4 k=4 seed=%u" };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		for (unsigned seed = 1; seed <= 8; seed++) {
			char spec[64];

			snprintf(spec, sizeof(spec), T[i], seed);
			check_random(spec);
		}
}

/* All cables between cabinets stay in a row or a column, as many in each direction. */
static void
test_skywalk_lines(void **state)
{
	uint32_t row = 0, column = 0;
	struct moore_topo *t;
	(void)state;

	CHECK_EQ("built", build_spec(&t, "skywalk x=8 y=5 s=4 k=6 seed=3", NULL), 0);
	for (uint32_t l = 0; l < t->n_links; l++) {
		const uint32_t a = t->family->cabinet(t->param, t->link[l].a);
		const uint32_t b = t->family->cabinet(t->param, t->link[l].b);

		if (a == b)
			continue;
		row += a / 8 == b / 8;
		column += a % 8 == b % 8;
	}
	CHECK_EQ("along rows", row, 8 * 5 * 4 * 3 / 2);
	CHECK_EQ("along columns", column, 8 * 5 * 4 * 3 / 2);
	moore_topo_free(t);
}

/* ---- trees, groups, grids -------------------------------------------------------------------- */

static void
test_known_sizes(void **state)
{
	static const struct { const char *spec; uint32_t switches, links, radix, endpoints, diameter; } T[] = {
		{ "fattree2 k=36", 54, 648, 36, 648, 2 }, { "fattree2 k=9 s=3", 12, 27, 9, 54, 2 },
		{ "fattree2 k=2", 3, 2, 2, 2, 2 },
		{ "fattree3 k=4", 20, 32, 4, 16, 4 }, { "fattree3 k=8", 80, 256, 8, 128, 4 },
		{ "dfplus s=2", 20, 30, 4, 20, 4 }, { "dfplus s=3 l=4 h=2 g=5", 35, 70, 6, 60, 5 },
		{ "cascade a=4 r=3 h=2 g=9", 108, 378, 11, 432, 4 },
		{ "torus a=3 b=4 c=5", 60, 180, 7, 60, 5 }, { "torus c=6 f=2", 12, 18, 4, 12, 4 },
		{ "torus a=2 b=2 c=2 d=2 e=2 f=2", 64, 192, 7, 64, 6 }, { "torus a=7", 7, 7, 3, 7, 3 },
		{ "hyperx s1=5 s2=4", 20, 70, 8, 20, 2 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo_counts c;
		struct moore_topo *t;

		CHECK_EQ(T[i].spec, build_spec(&t, T[i].spec, NULL), 0);
		check_contract(t);
		t->family->counts(t->param, &c);
		CHECK_EQ(T[i].spec, c.switches, T[i].switches);
		CHECK_EQ(T[i].spec, c.links, T[i].links);
		CHECK_EQ(T[i].spec, c.radix, T[i].radix);
		CHECK_EQ(T[i].spec, c.endpoints, T[i].endpoints);
		CHECK_EQ(T[i].spec, metrics_of(T[i].spec, t).diameter, T[i].diameter);
		moore_topo_free(t);
	}
}

/* Jain et al., SC'14, section II: 92,160 routers with 30 network ports and 4 nodes, in 960 groups,
 * each two of them joined by one link; a message takes at most 5 hops. */
static void
test_jain(void **state)
{
	struct moore_topo_counts c;
	struct moore_graph_metrics m;
	struct moore_topo *t;
	uint32_t degree[2] = { 0 };
	(void)state;

	CHECK_EQ("built", build_spec(&t, "cascade", NULL), 0);
	t->family->counts(t->param, &c);
	CHECK_EQ("routers", t->n_switches, 92160);
	CHECK_EQ("nodes", c.endpoints, 368640);
	CHECK_EQ("links", t->n_links, 960 * 96 * 20 / 2 + 960 * 959 / 2);
	CHECK_EQ("ports", c.radix, 34);
	for (uint32_t l = 0; l < t->n_links; l++) {
		degree[0] += t->link[l].a == 0;
		degree[1] += t->link[l].a == 95 || t->link[l].b == 95;
	}
	CHECK_EQ("of the first router", degree[0], 30);
	CHECK_EQ("of the last one of a group, which has a port left", degree[1], 29);
	CHECK_EQ("measured from some", moore_graph_measure(t->n_switches, t->link, t->n_links, 8, &m, NULL,
							   NULL, NULL), 0);
	CHECK_EQ("hops", m.diameter, 5);
	moore_topo_free(t);
}

/* In every arrangement each two groups are joined by as many links. */
static void
test_groups(void **state)
{
	static const char *const form[] = { "dragonfly a=%u h=%u g=%u arr=%u", "dfplus s=%u h=%u g=%u arr=%u",
		"cascade a=2 r=%u h=%u g=%u arr=%u" };
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (unsigned round = test_rounds(100); round; round--)
		for (size_t i = 0; i < ARRAY_LEN(form); i++) {
			const uint32_t a = 2 + moore_rng_below(&rng, 6), h = 1 + moore_rng_below(&rng, 4);
			const uint32_t g = h + 1 + moore_rng_below(&rng, a * h - h + 1);
			uint32_t between[32][32] = { { 0 } }, size;
			struct moore_topo *t;
			char spec[64];

			snprintf(spec, sizeof(spec), form[i], a, h, g, 1 + moore_rng_below(&rng, 3));
			CHECK_EQ(spec, build_spec(&t, spec, NULL), 0);
			check_contract(t);
			size = t->n_switches / g;
			for (uint32_t l = 0; l < t->n_links; l++)
				between[t->link[l].a / size][t->link[l].b / size]++;
			for (uint32_t x = 0; x < g; x++)
				for (uint32_t y = x + 1; y < g; y++)
					CHECK_EQ(spec, between[x][y], (i == 2 ? 2 : 1) * a * h / (g - 1));
			moore_topo_free(t);
		}
}

/* ---- names and mistakes ------------------------------------------------------------------- */

static void
test_recognised(void **state)
{
	static const struct { const char *spec, *want; } T[] = {
		{ "lps p=3 q=5", "lps p=3 q=5" }, { "lps p=5 q=11", "lps p=5 q=11" },
		{ "bundlefly p=5 s=3", "bundlefly p=5 s=3" }, { "polarfly q=5", "polarfly q=5" },
		{ "polarstar q=3 d=3", "polarstar q=3 d=3" }, { "sspt r1=6 r2=3", "sspt r1=6 r2=3 l=4" },
		{ "sspt r1=4 r2=2", "mlfm h=4 l=4" }, { "sspt r1=4 r2=4", "oft k=4" },
		{ "jellyfish n=40 k=6", "" }, { "fattree2 k=12", "fattree2 k=12 s=6" },
		{ "fattree3 k=6", "fattree3 k=6" }, { "dragonfly a=5", "dragonfly a=5 g=6" },
		{ "cascade a=4 r=3 h=2 g=9", "cascade a=4 r=3 g=9 h=2" }, { "dfplus s=2", "dfplus s=2 l=2 g=5 h=2" },
		{ "torus b=3 d=4 f=5", "torus a=3 b=4 c=5" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t;
		char text[64];

		CHECK_EQ(T[i].spec, build_spec(&t, T[i].spec, NULL), 0);
		CHECK_EQ(T[i].spec, moore_topo_recognise(t->n_switches, t->link, t->n_links, text, NULL), 0);
		CHECK(T[i].spec, !strcmp(text, T[i].want));
		moore_topo_free(t);
	}
}

static void
test_mistakes(void **state)
{
	static const struct { const char *spec, *part; } T[] = {
		{ "lps p=9 q=7", "two different odd primes" }, { "lps p=7 q=7", "two different odd primes" },
		{ "lps p=29 q=5", "twice the root of p" }, { "lps p=3 q=113", "1442784 switches" },
		{ "bundlefly p=7 s=3", "1 modulo 4" }, { "bundlefly p=13 s=6", "nearest choices are s=5 and s=7" },
		{ "polarfly q=6", "prime power" }, { "polarstar q=5 d=5", "0 or 3 modulo 4" },
		{ "polarstar q=5 d=10", "2d+1 is a prime power" }, { "sspt r1=5 r2=3", "no such tree is known" },
		{ "sspt r1=10 r2=6", "no such tree" }, { "jellyfish n=9 k=3", "needs an even k" },
		{ "lps p=4 q=9", "nearest that fit: p=3 q=7, or p=3 q=11" },
		{ "fattree3 k=7", "even number; nearest that fit: k=6, or k=8" },
		{ "fattree2 k=8 s=8", "give s=1..7" }, { "torus b=1", "at least a=2" },
		{ "dfplus s=2 h=2 g=9", "nearest that fit" },
		{ "dfplus s=2 h=2 g=50", "nearest that fit: s=7 g=50 h=7" },
		{ "polarstar q=7 d=5", "nearest that fit: q=7 d=4, or q=7 d=6" },
		{ "slimfly q=3000", "nearest that fit: q=128" },
		{ "slimfly q=9 p=255", "nearest that fit: q=9 p=254" },
		{ "slimfly q=6 p=300", "nearest that fit: q=5 p=254, or q=7 p=254" },
		{ "mlfm h=254", "nearest that fit: h=127" }, { "mlfm h=9000", "nearest that fit: h=127" },
		{ "torus2d a=100000 b=100000", "nearest that fit: a=1000 b=1000" },
		{ "cascade g=100000", "nearest that fit: g=961" }, { "torus p=300", "nearest that fit: a=2 p=254" },
		{ "dragonfly a=2 g=16257", "nearest that fit: a=2 g=3" },
		{ "dragonfly a=128 g=16257 h=127", "nearest that fit: a=128 g=7812 h=127" },
		{ "hyperx s1=254 s2=254 s3=200", "nearest that fit: s1=254 s2=254 s3=15" },
		{ "dfplus s=127 l=127 g=3", "nearest that fit: s=2 l=127 g=3" },
		{ "jellyfish n=5 k=3 seed=9223372036854775807", "nearest that fit: n=5 k=2, or n=6 k=3" },
		{ "skywalk x=4 y=4 s=1 k=6", "at most half" }, { "skywalk x=3 y=3 s=1 k=2", "odd number of link ends" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_err err = { 0 };
		struct moore_topo *t;

		CHECK_EQ(T[i].spec, build_spec(&t, T[i].spec, &err), -MOORE_EINVAL);
		CHECK_STR(T[i].spec, err.text, T[i].part);
	}
}

static void
test_out_of_memory(void **state)
{
	static const char *const specs[] = { "lps p=3 q=5", "bundlefly p=5 s=3", "polarfly q=3",
		"polarstar q=2 d=3", "polarstar q=2 d=2", "sspt r1=3 r2=3", "sspt r1=5 r2=4",
		"jellyfish n=12 k=4", "xpander d=4 k=3", "skywalk x=4 y=3 s=2 k=4",
		"fattree2 k=4", "fattree3 k=4", "cascade a=2 r=2 h=1", "dfplus s=2", "torus a=3 b=2 c=2" };
	struct moore_topo *t;
	struct moore_err err;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(specs); i++)
		CHECK_OOM(specs[i], build_spec(&t, specs[i], &err), moore_topo_free(t));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_young_table_1),
		cmocka_unit_test(test_lps),
		cmocka_unit_test(test_polarfly),
		cmocka_unit_test(test_stars_have_diameter_three),
		cmocka_unit_test(test_sspt),
		cmocka_unit_test(test_random_families),
		cmocka_unit_test(test_skywalk_lines),
		cmocka_unit_test(test_skywalk_short_lines),
		cmocka_unit_test(test_known_sizes),
		cmocka_unit_test(test_jain),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_recognised),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_topo.c - families against the properties that the papers state, measures against
 * naive twins, and parameters against a table of mistakes.
 *
 * The oracles read only the links: adjacency as bit rows, common neighbours by
 * intersection, distances by Floyd and Warshall, girth by removing each link in turn. */
#include "harness.h"
#include "moore/math.h"
#include "moore/topo.h"
#include "topo/marks.h"
#include "topo/topo_build.h"
#include "topo_look.h"

/* ---- families ------------------------------------------------------------ */

static void
test_registry(void **state)
{
	size_t n = 0;
	(void)state;

	for (const struct moore_topo_family *f; (f = moore_topo_family_at(n)); n++) {
		CHECK("found by name", moore_topo_family_find(f->name) == f);
		CHECK("says what and whence", f->title && f->source);
		for (size_t i = 0; i < MOORE_TOPO_MAX_PARAMS && f->param[i].key; i++)
			CHECK("help names the default", f->param[i].required ||
			      strstr(f->param[i].help, "(default: "));
	}
	CHECK("the families of the first release, and those that came since", n >= 11);
	CHECK("the end stays the end", !moore_topo_family_at(SIZE_MAX));
	CHECK("unknown", !moore_topo_family_find("slim"));
	CHECK("empty", !moore_topo_family_find(""));
}

static void
test_known_sizes(void **state)
{
	static const struct {
		const char *why, *spec;
		uint32_t switches, links, degree, endpoints;
	} T[] = {
		{ "Hoffman-Singleton", "slimfly q=5 p=4", 50, 175, 7, 200 },
		{ "Kathareios: q=13, p=9", "slimfly q=13", 338, 3211, 19, 3042 },
		{ "Kathareios: q=13, p=10", "slimfly q=13 p=ceil", 338, 3211, 19, 3380 },
		{ "an even degree: floor is ceil", "slimfly q=8 p=ceil", 128, 768, 12, 768 },
		{ "Kathareios: k=12", "oft k=12", 399, 3192, 24, 3192 },
		{ "no endpoints", "oft k=4 p=0", 39, 104, 8, 0 },
		{ "Kathareios: h=15", "mlfm h=15", 360, 3600, 30, 3600 },
		{ "one layer", "mlfm h=4 l=1 p=2", 15, 20, 4, 10 },
		{ "more layers than h", "mlfm h=2 l=5", 18, 30, 10, 30 },
		{ "Fujiwara: n=12", "torus2d a=64 b=64", 4096, 8192, 4, 4096 },
		{ "a row of two has one link", "torus2d a=2 b=5 p=0", 10, 15, 3, 0 },
		{ "Fujiwara: n=9", "torus5d a=4 b=4 c=4 d=4 e=2", 512, 2304, 9, 512 },
		{ "Fujiwara: n=12", "torus5d a=8 b=8 c=4 d=4 e=4 p=8", 4096, 20480, 10, 32768 },
		{ "Fujiwara: degree n", "hypercube n=12", 4096, 24576, 12, 4096 },
		{ "Fujiwara: degree n+1", "fhypercube n=12", 4096, 26624, 13, 4096 },
		{ "two dimensions folded: a full mesh", "fhypercube n=2", 4, 6, 3, 4 },
		{ "table 1: 32 nodes", "myriclos n=32", 6, 8, 4, 32 },
		{ "table 1: 64 nodes", "myriclos n=64", 12, 32, 8, 64 },
		{ "table 1: 128 nodes", "myriclos n=128", 24, 128, 16, 128 },
		{ "table 1: 256 nodes", "myriclos n=256", 80, 512, 16, 256 },
		{ "table 1: 512 nodes", "myriclos n=512", 160, 1024, 16, 512 },
		{ "table 1: 1024 nodes", "myriclos n=1024", 320, 2048, 16, 1024 },
		{ "table 1: 2048 nodes", "myriclos n=2048", 896, 6144, 16, 2048 },
		{ "table 1: 4096 nodes", "myriclos n=4096", 1792, 12288, 16, 4096 },
		{ "Fujiwara: degree 35", "dragonfly a=32 h=4 g=128", 4096, 71616, 35, 4096 },
		{ "balanced, all groups", "dragonfly a=4 h=2", 36, 90, 5, 36 },
		{ "several links between groups", "dragonfly a=16 h=8 g=16", 256, 2880, 23, 256 },
		{ "Fujiwara: degree 45", "hyperx s1=16 s2=16 s3=16", 4096, 92160, 45, 4096 },
		{ "a plane", "hyperx s1=3 s2=4 s3=1 p=2", 12, 30, 5, 24 },
		{ "RING-4", "dln n=4096 k=4", 4096, 8192, 4, 4096 },
		{ "as dense as can be", "dln n=20 k=10 seed=7", 20, 100, 10, 20 },
		{ "an odd number of switches", "dln n=9 k=4 p=3", 9, 18, 4, 27 },
		{ "the ring alone", "dln n=7 k=2", 7, 7, 2, 7 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo_counts c;
		struct moore_topo *t;

		CHECK_EQ(T[i].why, build_spec(&t, T[i].spec, NULL), 0);
		t->family->counts(t->param, &c);
		CHECK_EQ(T[i].why, c.switches, T[i].switches);
		CHECK_EQ(T[i].why, c.links, T[i].links);
		CHECK_EQ(T[i].why, c.degree, T[i].degree);
		CHECK_EQ(T[i].why, c.endpoints, T[i].endpoints);
		check_contract(t);
		moore_topo_free(t);
	}
}

static void
test_greatest_sizes(void **state)
{
	static const struct {
		const char *why, *family;
		int64_t param[MOORE_TOPO_MAX_PARAMS];
		uint64_t switches, links;
	} T[] = {
		{ "slimfly q=128", "slimfly", { 128, 254 }, 32768, 3145728 },
		{ "mlfm at all its limits", "mlfm", { 254, 127, 254 }, 64770, 8225790 },
		{ "oft k=128", "oft", { 128, 254 }, 48771, 4161792 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t;

		CHECK_EQ(T[i].why, moore_topo_build(&t, moore_topo_family_find(T[i].family),
						    T[i].param, NULL), 0);
		CHECK_EQ(T[i].why, t->n_switches, T[i].switches);
		CHECK_EQ(T[i].why, t->n_links, T[i].links);
		moore_topo_free(t);
	}
}

/* Checks by the adjacency rows that every switch reaches every other within two links. */
static void
check_diameter_two(const char *why, const struct rows *r, uint32_t n)
{
	uint64_t *reach = malloc(r->words * sizeof(*reach));

	for (uint32_t a = 0; a < n; a++) {
		memcpy(reach, r->bit + a * r->words, r->words * sizeof(*reach));
		moore_bits_set(reach, a);
		for (uint32_t b = 0; b < n; b++)
			for (size_t w = 0; adjacent(r, a, b) && w < r->words; w++)
				reach[w] |= r->bit[b * r->words + w];
		for (uint32_t b = 0; b < n; b++)
			CHECK(why, moore_bits_get(reach, b));
	}
	free(reach);
}

static void
test_slimfly_small(void **state)
{
	(void)state;

	for (uint32_t q = 3; q <= 32; q++) {
		const uint32_t degree = q % 4 == 3 ? (3 * q + 1) / 2 :
					q % 4 == 1 ? (3 * q - 1) / 2 : 3 * q / 2;
		struct moore_topo *t;
		struct rows r;
		char why[32];

		if (!moore_prime_power(q, NULL, NULL))
			continue;
		snprintf(why, sizeof(why), "q=%u", q);
		t = must_build("slimfly", "q", q);
		check_contract(t);
		r = rows_of(t);
		CHECK_EQ(why, t->n_switches, 2 * q * q);
		for (uint32_t s = 0; s < t->n_switches; s++) {
			CHECK_EQ(why, r.degree[s], degree);
			CHECK_EQ(why, t->endpoints[s], degree / 2);
		}
		check_diameter_two(why, &r, t->n_switches);
		rows_free(&r);
		moore_topo_free(t);
	}
}

/* Names are coordinates.  If q is prime, the field is the integers modulo q. */
static void
test_slimfly_coordinates(void **state)
{
	static const uint32_t primes[] = { 3, 5, 7, 13 };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(primes); i++) {
		const uint32_t q = primes[i];
		struct moore_topo *t = must_build("slimfly", "q", q);
		struct rows r = rows_of(t);
		char name[40];

		for (uint32_t a = 0; a < t->n_switches; a++) {
			const uint32_t x = a / q % q, y = a % q;

			snprintf(name, sizeof(name), "s%u-%u-%u", a / (q * q), x, y);
			CHECK_EQ(name, strcmp(t->name[a], name), 0);
			for (uint32_t b = q * q; a < q * q && b < 2 * q * q; b++) {
				const uint32_t m = b / q % q, c = b % q;

				CHECK_EQ("cross links", adjacent(&r, a, b), y == (m * x + c) % q);
			}
			for (uint32_t b = 0; b < t->n_switches; b++)
				CHECK("groups are columns", !adjacent(&r, a, b) || a / q == b / q ||
				      a / (q * q) != b / (q * q));
		}
		rows_free(&r);
		moore_topo_free(t);
	}
}

/* Orders that are too large for adjacency rows. */
static void
test_slimfly_large(void **state)
{
	static const uint32_t orders[] = { 49, 64, 81, 121, 125, 127, 128 };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(orders); i += test_stride()) {
		struct moore_topo *t = must_build("slimfly", "q", orders[i]);
		struct moore_graph_metrics m;
		const double n = t->n_switches, degree = 2.0 * t->n_links / n;
		const double mean = (degree + 2 * (n - 1 - degree)) / (n - 1);

		CHECK_EQ("measured", moore_graph_measure(t->n_switches, t->link, t->n_links, t->n_switches, &m,
							 NULL, NULL, NULL), 0);
		CHECK_EQ("diameter two", m.diameter, 2);
		CHECK("mean distance of a regular graph of diameter two",
		      m.mean_distance > mean - 1e-9 && m.mean_distance < mean + 1e-9);
		moore_topo_free(t);
	}
}

/* Checks that no two switches with endpoints are adjacent, and that they share as many
 * neighbours as shared() returns. */
static void
check_shared(const struct moore_topo *t, const struct rows *r,
	     uint32_t (*shared)(const struct moore_topo *t, uint32_t a, uint32_t b))
{
	for (uint32_t a = 0; a < t->n_switches; a++) {
		for (uint32_t b = 0; t->endpoints[a] && b < a; b++) {
			if (!t->endpoints[b])
				continue;
			CHECK("not adjacent", !adjacent(r, a, b));
			CHECK_EQ("minimal paths", common(r, a, b), shared(t, a, b));
		}
	}
}

static uint32_t
oft_shared(const struct moore_topo *t, uint32_t a, uint32_t b)
{
	const uint32_t k = (uint32_t)t->param[0], level = k * k - k + 1;

	return a % level == b % level ? k : 1;
}

static uint32_t
mlfm_shared(const struct moore_topo *t, uint32_t a, uint32_t b)
{
	const uint32_t h = (uint32_t)t->param[0];

	return a % (h + 1) == b % (h + 1) ? h : 1;
}

static void
test_oft(void **state)
{
	(void)state;

	for (uint32_t k = 3; k <= 18; k++) {
		const uint32_t level = k * k - k + 1;
		struct moore_topo *t;
		struct rows r;
		char name[32];

		if (!moore_prime_power(k - 1, NULL, NULL))
			continue;
		t = must_build("oft", "k", k);
		check_contract(t);
		r = rows_of(t);
		CHECK_EQ("switches", t->n_switches, 3 * level);
		for (uint32_t s = 0; s < t->n_switches; s++) {
			snprintf(name, sizeof(name), "o%u-%u", s / level, s % level);
			CHECK_EQ(name, strcmp(t->name[s], name), 0);
			CHECK_EQ(name, t->endpoints[s], s / level == 1 ? 0 : k);
			CHECK_EQ(name, r.degree[s], s / level == 1 ? 2 * k : k);
		}
		check_shared(t, &r, oft_shared);
		rows_free(&r);
		moore_topo_free(t);
	}
}

static void
test_mlfm(void **state)
{
	(void)state;

	for (uint32_t h = 2; h <= 20; h++) {
		struct moore_topo *t = must_build("mlfm", "h", h);
		const uint32_t locals = h * (h + 1);
		struct rows r = rows_of(t);
		char name[32];
		uint32_t global = locals;

		check_contract(t);
		for (uint32_t s = 0; s < locals; s++) {
			snprintf(name, sizeof(name), "l%u-%u", s / (h + 1), s % (h + 1));
			CHECK_EQ(name, strcmp(t->name[s], name), 0);
			CHECK_EQ(name, t->endpoints[s], h);
			CHECK_EQ(name, r.degree[s], h);
		}
		for (uint32_t a = 0; a <= h; a++) {
			for (uint32_t b = a + 1; b <= h; b++, global++) {
				snprintf(name, sizeof(name), "g%u-%u", a, b);
				CHECK_EQ(name, strcmp(t->name[global], name), 0);
				CHECK_EQ(name, r.degree[global], 2 * h);
				CHECK("its own columns", adjacent(&r, a, global) &&
				      adjacent(&r, locals - h - 1 + b, global));
			}
		}
		CHECK_EQ("switches", t->n_switches, global);
		check_shared(t, &r, mlfm_shared);
		rows_free(&r);
		moore_topo_free(t);
	}
}

/* Checks the links of the regular families by the digits of the switch numbers. */
static void
test_coordinates(void **state)
{
	static const struct {
		const char *spec;
		uint32_t radix[5];	/* base of each digit, the fastest last; 0 ends */
		enum { RING, MESH, CUBE } kind;	/* which are linked: neighbours in one digit; any in one
						 * digit; as RING, and opposites */
	} T[] = {
		{ "torus2d a=3 b=5", { 3, 5 }, RING },
		{ "torus2d a=2 b=4", { 2, 4 }, RING },
		{ "torus5d a=3 b=2 c=4 d=2 e=3", { 3, 2, 4, 2, 3 }, RING },
		{ "hypercube n=4", { 2, 2, 2, 2 }, RING },
		{ "fhypercube n=5", { 2, 2, 2, 2, 2 }, CUBE },
		{ "hyperx s1=4 s2=3 s3=2", { 2, 3, 4 }, MESH },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t;
		struct rows r;

		CHECK_EQ(T[i].spec, build_spec(&t, T[i].spec, NULL), 0);
		r = rows_of(t);
		for (uint32_t a = 0; a < t->n_switches; a++)
			for (uint32_t b = 0; b < t->n_switches; b++) {
				uint32_t x = a, y = b, differ = 0, digits = 0;
				bool near = false;

				for (int k = 4; k >= 0; k--) {
					const uint32_t n = T[i].radix[k];

					if (!n)
						continue;
					digits++;
					if (x % n != y % n) {
						differ++;
						near = T[i].kind == MESH || (x + 1) % n == y % n ||
						       (y + 1) % n == x % n;
					}
					x /= n;
					y /= n;
				}
				CHECK_EQ(T[i].spec, adjacent(&r, a, b), (differ == 1 && near) ||
					 (T[i].kind == CUBE && differ == digits));
			}
		rows_free(&r);
		moore_topo_free(t);
	}
}

/* Checks that any two groups have equally many links, and that no switch has more than h
 * links to other groups. */
static void
test_dragonfly(void **state)
{
	(void)state;

	for (uint32_t a = 1; a <= 5; a++)
		for (uint32_t h = 1; h <= 4; h++)
			for (uint32_t g = 2; g <= a * h + 2; g++) {
				uint32_t between[25][25] = { { 0 } };
				struct moore_topo *t;
				struct rows r;
				char spec[64];

				snprintf(spec, sizeof(spec), "dragonfly a=%u h=%u g=%u", a, h, g);
				if (g <= h || g > a * h + 1) {
					CHECK_EQ(spec, build_spec(&t, spec, NULL), -MOORE_EINVAL);
					continue;
				}
				CHECK_EQ(spec, build_spec(&t, spec, NULL), 0);
				check_contract(t);
				r = rows_of(t);
				for (uint32_t s = 0; s < t->n_switches; s++) {
					CHECK(spec, r.degree[s] <= a - 1 + h);
					for (uint32_t k = s / a * a; k < s / a * a + a; k++)
						CHECK_EQ(spec, adjacent(&r, s, k), s != k);
				}
				for (uint32_t l = 0; l < t->n_links; l++)
					between[t->link[l].a / a][t->link[l].b / a]++;
				for (uint32_t x = 0; x < g; x++)
					for (uint32_t y = x + 1; y < g; y++)
						CHECK_EQ(spec, between[x][y], a * h / (g - 1));
				rows_free(&r);
				moore_topo_free(t);
			}
}

/* Checks what table 1 of the paper implies: 16 ports, the switches of each tier, cabinets,
 * and the distance between first-tier switches over the fewest tiers. */
static void
test_myriclos(void **state)
{
	static const struct { uint32_t nodes, tier[4], cabinets, diameter; } T[] = {
		{ 32, { 4, 2 }, 1, 2 }, { 64, { 8, 4 }, 1, 2 }, { 128, { 16, 8 }, 1, 2 },
		{ 256, { 32, 32, 16 }, 2, 4 }, { 512, { 64, 64, 32 }, 3, 4 },
		{ 1024, { 128, 128, 64 }, 6, 4 }, { 2048, { 256, 256, 256, 128 }, 12, 6 },
		{ 4096, { 512, 512, 512, 256 }, 24, 6 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t = must_build("myriclos", "n", T[i].nodes);
		uint32_t tier[5] = { 0 }, cabinets = 0;
		struct moore_graph_metrics m;
		struct rows r = rows_of(t);

		check_contract(t);
		for (uint32_t s = 0; s < t->n_switches; s++) {
			const uint32_t c = t->family->cabinet(t->param, s);

			tier[t->name[s][1] - '0']++;
			CHECK("16 ports", T[i].nodes < 128 || r.degree[s] + t->endpoints[s] == 16);
			CHECK("nodes at the first tier", t->endpoints[s] == (t->name[s][1] == '1' ? 8 : 0));
			CHECK("cabinets in order", c == cabinets || c + 1 == cabinets);
			cabinets = c >= cabinets ? c + 1 : cabinets;
		}
		for (uint32_t k = 0; k < 4; k++)
			CHECK_EQ("tier", tier[k + 1], T[i].tier[k]);
		CHECK_EQ("cabinets with switches", cabinets, T[i].cabinets);
		for (uint32_t l = 0; l < t->n_links; l++)
			CHECK_EQ("between tiers", abs(t->name[t->link[l].a][1] -
						     t->name[t->link[l].b][1]), 1);
		CHECK_EQ("measured", moore_graph_measure(t->n_switches, t->link, t->n_links, t->n_switches, &m,
							 NULL, NULL, NULL), 0);
		CHECK_EQ("diameter", m.diameter, T[i].diameter);
		rows_free(&r);
		moore_topo_free(t);
	}
}

static void
test_dln(void **state)
{
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (unsigned round = test_rounds(200); round; round--) {
		const uint32_t n = 4 + moore_rng_below(&rng, 60), half = n / 2;
		const uint32_t k = 2 + moore_rng_below(&rng, half - 1);
		const uint32_t seed = moore_rng_below(&rng, 1000000);
		struct moore_topo *t, *again;
		struct moore_err err = { 0 };
		struct rows r;
		char spec[64];

		snprintf(spec, sizeof(spec), "dln n=%u k=%u seed=%u", n, k, seed);
		if (n % 2 && k % 2) {
			CHECK_EQ(spec, build_spec(&t, spec, NULL), -MOORE_EINVAL);
			continue;
		}
		if (build_spec(&t, spec, &err) < 0)
			fail_msg("%s: %s", spec, err.text);
		check_contract(t);
		r = rows_of(t);
		for (uint32_t s = 0; s < n; s++) {
			CHECK_EQ(spec, r.degree[s], k);
			CHECK(spec, adjacent(&r, s, (s + 1) % n));
		}
		CHECK_EQ(spec, build_spec(&again, spec, NULL), 0);
		CHECK("the seed says all", !memcmp(t->link, again->link, t->n_links * sizeof(*t->link)));
		rows_free(&r);
		moore_topo_free(t);
		moore_topo_free(again);
	}
}

static void
test_recognise(void **state)
{
	static const struct { const char *spec, *want; } T[] = {
		{ "slimfly q=7", "slimfly q=7" }, { "oft k=5", "oft k=5" },
		{ "mlfm h=4 l=2", "mlfm h=4 l=2" },
		{ "torus2d a=7 b=5", "torus2d a=5 b=7" },
		{ "torus5d a=3 b=4 c=2 d=5 e=3", "torus5d a=2 b=3 c=3 d=4 e=5" },
		{ "hypercube n=7", "hypercube n=7" }, { "fhypercube n=7", "fhypercube n=7" },
		{ "myriclos n=256", "myriclos n=256" }, { "myriclos n=2048", "myriclos n=2048" },
		{ "dragonfly a=4 h=2", "dragonfly a=4 g=9 h=2" },
		{ "dragonfly a=6 h=3 g=7", "dragonfly a=6 g=7 h=3" },
		{ "hyperx s1=5 s2=3 s3=4", "hyperx s1=3 s2=4 s3=5" },
		{ "sspt r1=12 r2=3", "sspt r1=12 r2=3 l=8" },
		{ "sspt r1=16 r2=3 l=1", "sspt r1=16 r2=3 l=1" },
		{ "sspt r1=24 r2=3", "sspt r1=24 r2=3 l=16" }, { "sspt r1=36 r2=3", "sspt r1=36 r2=3 l=24" },
		{ "sspt r1=51 r2=3 l=1", "sspt r1=51 r2=3 l=1" },
		{ "slimfly q=27", "slimfly q=27" },
		{ "dln n=50 k=6", "" },
	};
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t;
		uint32_t *image;
		char text[64];

		CHECK_EQ(T[i].spec, build_spec(&t, T[i].spec, NULL), 0);
		image = calloc(t->n_switches, sizeof(*image));
		for (uint32_t s = 0; s < t->n_switches; s++) {
			const uint32_t k = moore_rng_below(&rng, s + 1);

			image[s] = image[k];
			image[k] = s;
		}
		for (uint32_t l = 0; l < t->n_links; l++)
			t->link[l] = (struct moore_topo_link){ image[t->link[l].a],
							       image[t->link[l].b] };
		CHECK_EQ(T[i].spec, moore_topo_recognise(t->n_switches, t->link, t->n_links, text,
							 NULL), 0);
		if (strcmp(text, T[i].want))
			fail_msg("%s: recognised as \"%s\"", T[i].spec, text);
		CHECK_EQ(T[i].spec, moore_topo_guess(t->n_switches, t->n_links, text, NULL), 0);
		CHECK("some family has graphs with these numbers", *text || !*T[i].want);
		free(image);
		moore_topo_free(t);
	}
}

/* ---- parameters ---------------------------------------------------------- */

static void
test_param_errors(void **state)
{
	static const struct { const char *why, *spec, *part; } T[] = {
		{ "unknown key", "slimfly q=5 x=3", "x=3: slimfly has no such parameter, it takes q=, p=" },
		{ "a key's beginning", "mlfm h=5 =3", "no such parameter, it takes h=, l=, p=" },
		{ "a word without value", "slimfly q", "give q=3..128" },
		{ "missing q", "slimfly", "slimfly needs q=3..128" },
		{ "missing though p is there", "slimfly p=3", "slimfly needs q=" },
		{ "missing k", "oft p=3", "oft needs k=3..128" },
		{ "6 is no prime power", "slimfly q=6", "nearest choices are q=5 and q=7" },
		{ "126 is none, 128 is", "slimfly q=126", "nearest choices are q=125 and q=127" },
		{ "2 leaves no Slim Fly", "slimfly q=2", "out of range, give q=3..128" },
		{ "one too many", "slimfly q=129", "q=129: out of range, give q=3..128" },
		{ "beyond any number", "slimfly q=99999999999999999999", "not a whole number" },
		{ "the greatest number", "slimfly q=9223372036854775807", "out of range" },
		{ "negative, and floor's own value", "slimfly q=5 p=-1", "p=-1: not a whole number, give p=0..254, floor or ceil" },
		{ "endpoints beyond ports", "slimfly q=5 p=255", "p=255: out of range, give p=0..254" },
		{ "given twice", "slimfly q=5 q=7", "q=7: q is given twice" },
		{ "given twice alike", "oft k=4 p=4 p=4", "p=4: p is given twice" },
		{ "no value", "slimfly q=", "q=: not a whole number" },
		{ "rest after the number", "slimfly q=5x", "q=5x: not a whole number" },
		{ "a sign", "slimfly q=+5", "not a whole number" },
		{ "two equal signs", "slimfly q==5", "not a whole number" },
		{ "hexadecimal", "slimfly q=0x5", "not a whole number" },
		{ "symbols have their place", "slimfly q=floor", "q=floor: not a whole number" },
		{ "not for every p", "oft k=4 p=ceil", "p=ceil: not a whole number, give p=0..254" },
		{ "symbols are exact", "slimfly q=5 p=floors", "not a whole number" },
		{ "k-1 is no prime power", "oft k=7", "6 is none, the nearest choices are k=6 and k=8" },
		{ "no plane of order 1", "oft k=2", "out of range, give k=3..128" },
		{ "a mesh of two", "mlfm h=1", "h=1: out of range, give h=2..254" },
		{ "no layer", "mlfm h=4 l=0", "l=0: out of range, give l=1..127" },
		{ "h as the default of l", "mlfm h=128", "l=128: out of range, give l=1..127" },
		{ "too many switches", "torus2d a=1024 b=1024", "1048576 switches: a topology of this family has at most 1000000" },
		{ "five numbers", "torus5d a=4 b=4 c=4 d=4", "torus5d needs e=2..64" },
		{ "no power of two", "myriclos n=96", "n=96: the nodes are a power of two" },
		{ "groups no link reaches", "dragonfly a=2 h=1 g=4", "reach g=2..3 groups" },
		{ "doubled links", "dragonfly a=4 h=3 g=3", "reach g=4..13 groups" },
		{ "odd stubs", "dln n=9 k=3", "an odd number of switches needs an even k" },
		{ "too dense", "dln n=8 k=5", "give k=2..4" },
		{ "a long word is cut", "mlfm hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh=1", "hhhh: mlfm has no" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t;
		struct moore_err err = { 0 };

		CHECK_EQ(T[i].why, build_spec(&t, T[i].spec, &err), -MOORE_EINVAL);
		CHECK_STR(T[i].why, err.text, T[i].part);
		CHECK(T[i].why, !t);
		CHECK_EQ(T[i].why, err.code, MOORE_EINVAL);
		CHECK_EQ("no err is fine", build_spec(&t, T[i].spec, NULL), -MOORE_EINVAL);
	}
}

static void
test_params_resolved(void **state)
{
	static const struct { const char *why, *spec; int64_t want[3]; } T[] = {
		{ "floor by default", "slimfly q=5", { 5, 3 } },
		{ "floor by name", "slimfly q=5 p=floor", { 5, 3 } },
		{ "ceil", "slimfly p=ceil q=5", { 5, 4 } },
		{ "a number", "slimfly q=5 p=0", { 5, 0 } },
		{ "p follows k", "oft k=5", { 5, 5 } },
		{ "unless given", "oft k=5 p=1", { 5, 1 } },
		{ "l and p follow h", "mlfm h=3", { 3, 3, 3 } },
		{ "each on its own", "mlfm l=2 h=3", { 3, 2, 3 } },
		{ "leading zeros are decimal", "mlfm h=010", { 10, 10, 10 } },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t;

		CHECK_EQ(T[i].why, build_spec(&t, T[i].spec, NULL), 0);
		for (size_t j = 0; j < 3; j++)
			CHECK_EQ(T[i].why, t->param[j], T[i].want[j]);
		moore_topo_free(t);
	}
}

/* Parameters that the parser did not check, as they come from a plan file. */
static void
test_build_refuses(void **state)
{
	static const struct {
		const char *why, *family;
		int64_t param[MOORE_TOPO_MAX_PARAMS];
	} T[] = {
		{ "zero", "slimfly", { 0, 0 } },
		{ "negative", "slimfly", { -5, 0 } },
		{ "least number", "oft", { INT64_MIN, 0 } },
		{ "greatest number", "mlfm", { INT64_MAX, 1, 1 } },
		{ "no prime power", "slimfly", { 12, 0 } },
		{ "unknown symbol", "slimfly", { 5, -4 } },
		{ "floor where none is", "oft", { 4, MOORE_TOPO_FLOOR } },
		{ "p too large", "mlfm", { 4, 4, 65536 } },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t = NULL;
		struct moore_err err;

		CHECK_EQ(T[i].why, moore_topo_build(&t, moore_topo_family_find(T[i].family),
						    T[i].param, &err), -MOORE_EINVAL);
		CHECK(T[i].why, !t);
	}
}

/* ---- the draft detects a family with a defect ---------------------------- */

static int
defect_resolve(int64_t *param, struct moore_err *err)
{
	(void)param;
	(void)err;
	return 0;
}

static void
defect_counts(const int64_t *param, struct moore_topo_counts *out)
{
	(void)param;
	*out = (struct moore_topo_counts){
		.switches = 3, .links = 2, .endpoints = 3, .degree = 2, .radix = 3,
	};
}

/* Each two decimal digits of the first parameter, from the last, are the ends of a link. */
static int
defect_build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	struct moore_topo_draft d;
	int rc = moore_topo_draft_init(&d, t, err);

	if (rc < 0)
		return rc;
	for (uint32_t s = 0; s < 3; s++)
		moore_topo_draft_switch(&d, s, 1, "%*s%u", (int)param[1], "n", s);
	for (int64_t v = param[0]; v; v /= 100)
		moore_topo_draft_join(&d, (uint32_t)(v / 10 % 10), (uint32_t)(v % 10));
	return moore_topo_draft_finish(&d, err);
}

static const struct moore_topo_family defect = {
	.name = "defect",
	.param = {
		{ .key = "links", .min = 0, .max = INT64_MAX, .help = "" },
		{ .key = "width", .min = 0, .max = 100, .help = "" },
	},
	.resolve = defect_resolve,
	.counts = defect_counts,
	.build = defect_build,
};

static void
test_draft(void **state)
{
	static const struct {
		const char *why;
		int64_t links;
		int rc;
		const char *part;
		int64_t width;
	} T[] = {
		{ "fine, in any order and direction", 2110, 0, "", 1 },
		{ "doubled", 1001, -MOORE_EPLAN, "two links join n0 and n1", 1 },
		{ "one missing", 10, -MOORE_EPLAN, "1 links, not the 2", 1 },
		{ "none", 0, -MOORE_EPLAN, "0 links, not the 2", 1 },
		{ "one too many", 201021, -MOORE_EPLAN, "3 links, not the 2", 1 },
		{ "to itself", 2210, -MOORE_EPLAN, "link 2-2 does not join two", 1 },
		{ "past the last switch", 2310, -MOORE_EPLAN, "link 2-3 does not join two", 1 },
		{ "a name as long as can be", 2110, 0, "", 30 },
		{ "a name too long", 2110, -MOORE_EPLAN, "switch 0 has no name of 1..31", 31 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		const int64_t param[MOORE_TOPO_MAX_PARAMS] = { T[i].links, T[i].width };
		struct moore_err err = { 0 };
		struct moore_topo *t;

		CHECK_EQ(T[i].why, moore_topo_build(&t, &defect, param, &err), T[i].rc);
		CHECK_STR(T[i].why, err.text, T[i].part);
		CHECK_EQ(T[i].why, t != NULL, T[i].rc == 0);
		if (t)
			check_contract(t);
		moore_topo_free(t);
	}
}

/* ---- measures ------------------------------------------------------------ */

enum { FAR = 1 << 20 };

static uint32_t *
naive_distances(uint32_t n, const struct moore_topo_link *link, size_t n_links, size_t without)
{
	uint32_t *d = malloc(((size_t)n * n + 1) * sizeof(*d));

	for (size_t i = 0; i < (size_t)n * n; i++)
		d[i] = i / n == i % n ? 0 : FAR;
	for (size_t i = 0; i < n_links; i++) {
		const struct moore_topo_link l = link[i];

		/* Parallel links count as one, so all of them are left out together. */
		if (without < n_links && ((l.a == link[without].a && l.b == link[without].b) ||
					  (l.a == link[without].b && l.b == link[without].a)))
			continue;
		d[(size_t)l.a * n + l.b] = d[(size_t)l.b * n + l.a] = 1;
	}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++)
				if (d[i * n + k] + d[k * n + j] < d[i * n + j])
					d[i * n + j] = d[i * n + k] + d[k * n + j];
	return d;
}

/* For each link, the shortest cycle through it is one link longer than the distance of its
 * ends without it. */
static uint32_t
naive_girth(uint32_t n, const struct moore_topo_link *link, size_t n_links)
{
	uint32_t best = FAR;

	for (size_t i = 0; i < n_links; i++) {
		uint32_t *d = naive_distances(n, link, n_links, i);

		if (d[link[i].a * n + link[i].b] + 1 < best)
			best = d[link[i].a * n + link[i].b] + 1;
		free(d);
	}
	return best < FAR ? best : 0;
}

static void
check_measures(const char *why, uint32_t n, const struct moore_topo_link *link, size_t n_links,
	       bool girth_too)
{
	uint32_t *d = naive_distances(n, link, n_links, n_links), depth = 0;
	uint64_t sum = 0, pairs = 0;
	struct moore_graph_metrics m;
	double mean;

	for (size_t i = 0; i < (size_t)n * n; i++) {
		if (d[i] && d[i] < FAR) {
			sum += d[i];
			pairs++;
		}
		depth = d[i] > depth ? d[i] : depth;
	}
	mean = pairs ? (double)sum / (double)pairs : 0;
	CHECK_EQ(why, moore_graph_measure(n, link, n_links, n, &m, NULL, NULL, NULL), 0);
	CHECK_EQ(why, m.diameter, depth < FAR ? depth : MOORE_NONE);
	CHECK(why, m.mean_distance > mean - 1e-9 && m.mean_distance < mean + 1e-9);
	if (girth_too)
		CHECK_EQ(why, m.girth, naive_girth(n, link, n_links));
	free(d);
}

static void
random_links(struct moore_rng *r, uint32_t n, struct moore_topo_link *link, size_t n_links)
{
	for (size_t i = 0; i < n_links; i++) {
		const uint32_t a = moore_rng_below(r, n), b = moore_rng_below(r, n - 1);

		link[i] = (struct moore_topo_link){ a, b < a ? b : b + 1 };
	}
}

static void
test_measures_random(void **state)
{
	struct moore_rng r = { test_seed() };
	struct moore_topo_link link[60], *many = calloc(1200, sizeof(*many));
	(void)state;

	for (unsigned round = test_rounds(400); round; round--) {
		const uint32_t n = 2 + moore_rng_below(&r, 24);
		const size_t n_links = moore_rng_below(&r, 60);

		random_links(&r, n, link, n_links);
		check_measures("random graph", n, link, n_links, true);
	}
	/* more switches than one search has sources */
	for (unsigned round = test_rounds(2); round; round--) {
		const uint32_t n = 513 + moore_rng_below(&r, 40);

		random_links(&r, n, many, 1200);
		check_measures("random graph of two batches", n, many, 1200, false);
	}
	free(many);
}

/* Writes a path or a cycle of n switches. */
static size_t
path(struct moore_topo_link *link, uint32_t n, bool closed)
{
	for (uint32_t i = 0; i + 1 < n; i++)
		link[i] = (struct moore_topo_link){ i, i + 1 };
	if (closed)
		link[n - 1] = (struct moore_topo_link){ n - 1, 0 };
	return closed ? n : n - 1;
}

static void
test_measures_known(void **state)
{
	static const struct {
		const char *why, *spec;
		uint32_t diameter, girth;
	} T[] = {
		{ "Hoffman-Singleton: the only Moore graph of degree 7", "slimfly q=5", 2, 5 },
		{ "counterparts share switches", "oft k=4", 3, 4 },
		{ "counterparts share switches", "mlfm h=4", 4, 4 },
		{ "a full mesh with a switch on each link", "mlfm h=4 l=1", 4, 6 },
	};
	struct moore_graph_metrics m;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t;

		CHECK_EQ(T[i].why, build_spec(&t, T[i].spec, NULL), 0);
		CHECK_EQ(T[i].why, moore_graph_measure(t->n_switches, t->link, t->n_links, t->n_switches, &m,
						       NULL, NULL, NULL), 0);
		CHECK_EQ(T[i].why, m.diameter, T[i].diameter);
		CHECK_EQ(T[i].why, m.girth, T[i].girth);
		moore_topo_free(t);
	}
}

static void
test_measures_edges(void **state)
{
	enum { N = 1500 };
	static const struct moore_topo_link bad[] = { { 0, 1 }, { 2, 2 }, { 1, 3 } };
	static struct moore_topo_link link[N];
	struct moore_graph_metrics m, kept;
	struct moore_err err;
	(void)state;

	for (uint32_t n = 0; n < 2; n++) {
		memset(&m, 0xff, sizeof(m));
		CHECK_EQ("no link", moore_graph_measure(n, NULL, 0, n, &m, NULL, NULL, NULL), 0);
		CHECK("all zero", !m.diameter && m.mean_distance <= 0 && !m.girth);
	}
	CHECK_EQ("two parts", moore_graph_measure(2, NULL, 0, 2, &m, NULL, NULL, NULL), 0);
	CHECK_EQ("disconnected", m.diameter, MOORE_NONE);
	CHECK_EQ("a long path", moore_graph_measure(N, link, path(link, N, false), N, &m,
						    NULL, NULL, NULL), 0);
	CHECK_EQ("its diameter", m.diameter, N - 1);
	CHECK_EQ("a tree has no girth", m.girth, 0);
	CHECK_EQ("a long cycle", moore_graph_measure(N, link, path(link, N, true), N, &m,
						     NULL, NULL, NULL), 0);
	CHECK_EQ("its diameter", m.diameter, N / 2);
	CHECK_EQ("its girth", m.girth, N);
	kept = m;
	for (size_t i = 1; i < ARRAY_LEN(bad); i++) {
		CHECK_EQ("refused", moore_graph_measure(3, bad, i + 1, 3, &m, NULL, NULL, &err),
			 -MOORE_EINVAL);
		CHECK_STR("which", err.text, "link 1: 2-2 does not join two of 3 switches");
		CHECK_EQ("as it was", m.girth, kept.girth);
	}
	CHECK_EQ("past the last", moore_graph_measure(3, bad + 2, 1, 3, &m, NULL, NULL, &err),
		 -MOORE_EINVAL);
	CHECK_STR("which", err.text, "link 0: 1-3 does not join two of 3 switches");
}

/* Where all switches are alike, one stands for all, at any of its places in the list. */
static void
test_transitive(void **state)
{
	static const char *const specs[] = { "torus2d a=5 b=8", "torus2d a=2 b=70", "torus2d a=40 b=40",
		"torus5d a=2 b=3 c=4 d=2 e=3", "hypercube n=7", "fhypercube n=7", "hyperx s1=3 s2=4 s3=5" };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		struct moore_graph_metrics all, one;
		struct moore_topo *t;

		CHECK_EQ(specs[i], build_spec(&t, specs[i], NULL), 0);
		CHECK("said", t->family->transitive);
		CHECK_EQ("all", moore_graph_measure(t->n_switches, t->link, t->n_links, t->n_switches,
						    &all, NULL, NULL, NULL), 0);
		CHECK_EQ("one", moore_graph_measure(t->n_switches, t->link, t->n_links, 1, &one, NULL,
						    NULL, NULL), 0);
		CHECK_EQ(specs[i], one.diameter, all.diameter);
		CHECK_EQ(specs[i], one.girth, all.girth);
		CHECK("mean distance", one.mean_distance > all.mean_distance - 1e-9 &&
		      one.mean_distance < all.mean_distance + 1e-9);
		moore_topo_free(t);
	}
}

struct told {
	unsigned calls;
	double last;
};

static void
tell(void *arg, double share)
{
	struct told *t = arg;

	CHECK("rises", share > t->last && share <= 1);
	t->last = share;
	t->calls++;
}

static int
by_hash(const void *a, const void *b)
{
	const struct moore_mark *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->v > y->v) - (x->v < y->v);
}

/* Marks of random hashes, of which many are equal or differ in the last bits alone. */
static void
test_marks(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 2, 3, 64, 65, 1000 };
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_rng rng = { test_seed() };
	struct moore_mark mark[1000], want[1000];
	struct moore_marks_room room;

	(void)state;
	CHECK("room", moore_marks_room(&room, 1000, &tmp));
	for (size_t k = 0; k < ARRAY_LEN(sizes); k++)
		for (uint32_t n_hashes = 1; n_hashes <= 1024; n_hashes *= 4) {
			const uint32_t n = sizes[k];

			for (uint32_t v = 0; v < n; v++) {
				struct moore_rng r = { moore_rng_below(&rng, n_hashes) / 2 };

				mark[v] = (struct moore_mark){ moore_rng_next(&r) ^ moore_rng_below(&rng, 2), v };
			}
			memcpy(want, mark, n * sizeof(*mark));
			qsort(want, n, sizeof(*want), by_hash);
			moore_marks_sort(mark, n, &room);
			for (uint32_t i = 0; i < n; i++)
				CHECK("sorted, equal ones as they were",
				      mark[i].hash == want[i].hash && mark[i].v == want[i].v);
		}
	moore_arena_free(&tmp);
}

static void
test_progress(void **state)
{
	struct moore_topo *t = must_build("slimfly", "q", 32);
	struct moore_graph_metrics m;
	struct told told = { 0, 0 };
	(void)state;

	CHECK_EQ("measured", moore_graph_measure(t->n_switches, t->link, t->n_links, t->n_switches,
						 &m, tell, &told, NULL), 0);
	CHECK("now and then", told.calls > 1 && told.calls < 100);
	CHECK("to the end", told.last >= 1);
	moore_topo_free(t);
}

static void
test_out_of_memory(void **state)
{
	static const char *const specs[] = { "slimfly q=4", "oft k=4", "mlfm h=3", "torus2d a=3 b=3",
		"myriclos n=256", "dragonfly a=2 h=2", "hyperx s1=2 s2=2 s3=2", "dln n=12 k=4" };
	struct moore_graph_metrics m;
	struct moore_topo *t;
	struct moore_err err;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		CHECK_OOM(specs[i], build_spec(&t, specs[i], &err), moore_topo_free(t));
		CHECK_EQ(specs[i], build_spec(&t, specs[i], NULL), 0);
		CHECK_OOM("measure", moore_graph_measure(t->n_switches, t->link, t->n_links,
							 t->n_switches, &m, NULL, NULL, &err), (void)m);
		moore_topo_free(t);
	}
	alloc_count = 0;
	alloc_fail_at = 0;
	CHECK_EQ("the list of parameters", build_spec(&t, "mlfm x=3", &err), -MOORE_ENOMEM);
	alloc_fail_at = -1;
	moore_topo_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registry),
		cmocka_unit_test(test_known_sizes),
		cmocka_unit_test(test_greatest_sizes),
		cmocka_unit_test(test_slimfly_small),
		cmocka_unit_test(test_slimfly_coordinates),
		cmocka_unit_test(test_slimfly_large),
		cmocka_unit_test(test_oft),
		cmocka_unit_test(test_mlfm),
		cmocka_unit_test(test_coordinates),
		cmocka_unit_test(test_dragonfly),
		cmocka_unit_test(test_myriclos),
		cmocka_unit_test(test_dln),
		cmocka_unit_test(test_recognise),
		cmocka_unit_test(test_param_errors),
		cmocka_unit_test(test_params_resolved),
		cmocka_unit_test(test_build_refuses),
		cmocka_unit_test(test_draft),
		cmocka_unit_test(test_measures_random),
		cmocka_unit_test(test_measures_known),
		cmocka_unit_test(test_measures_edges),
		cmocka_unit_test(test_transitive),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests_name("topo", tests, NULL, NULL);
}

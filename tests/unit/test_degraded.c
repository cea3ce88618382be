// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_degraded.c - recognition of graphs from which switches and links are missing.
 *
 * Each row removes switches and links at random from a family's graph, renumbers the rest
 * at random, and expects the family back.  The oracle reads only the links: a matrix of the
 * whole says whether each image is a link, and no two switches may have the same image. */
#include "harness.h"
#include "moore/topo.h"

struct cut {			/* a graph that lost something */
	uint32_t n;
	struct moore_topo_link *link;
	size_t n_links;
};

static struct moore_topo *
build(const char *spec)
{
	char copy[128], *save = NULL, *name;
	const char *words[8];
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_topo *t;
	size_t n = 0;

	strcpy(copy, spec);
	name = strtok_r(copy, " ", &save);
	while (n < 8 && (words[n] = strtok_r(NULL, " ", &save)))
		n++;
	assert_int_equal(moore_topo_params_parse(moore_topo_family_find(name), param, words, n, NULL), 0);
	assert_int_equal(moore_topo_build(&t, moore_topo_family_find(name), param, NULL), 0);
	return t;
}

/* number[s] becomes a random number of 0..*n-1 for each switch that stays, MOORE_NONE for the
 * others. */
static uint32_t
remove_switches(struct moore_rng *r, uint32_t n, uint32_t lost, uint32_t *number)
{
	uint32_t *order = calloc(n, sizeof(*order));

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t k = moore_rng_below(r, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		number[order[i]] = i < n - lost ? i : MOORE_NONE;
	free(order);
	return n - lost;
}

static struct cut
cut(const struct moore_topo *t, struct moore_rng *r, uint32_t switches, uint32_t links)
{
	uint32_t *number = calloc(t->n_switches, sizeof(*number));
	struct cut c = { .link = calloc(t->n_links + 2, sizeof(*c.link)) };

	c.n = remove_switches(r, t->n_switches, switches, number);
	for (uint32_t i = 0; i < t->n_links; i++) {
		const uint32_t a = number[t->link[i].a], b = number[t->link[i].b];

		if (a != MOORE_NONE && b != MOORE_NONE)
			c.link[c.n_links++] = (struct moore_topo_link){ a, b };
	}
	for (uint32_t i = 0; i < links; i++) {
		const uint32_t k = moore_rng_below(r, (uint32_t)c.n_links--);

		c.link[k] = c.link[c.n_links];
	}
	free(number);
	return c;
}

/* Whether the map is one to one and takes each link to a link of whole. */
static bool
is_proof(const struct cut *c, const struct moore_topo_part *p)
{
	const uint32_t n = p->whole->n_switches;
	uint8_t *linked = calloc((size_t)n * n, 1), *used = calloc(n, 1);
	bool good = true;

	for (uint32_t i = 0; i < p->whole->n_links; i++) {
		const struct moore_topo_link *l = &p->whole->link[i];

		linked[(size_t)l->a * n + l->b] = linked[(size_t)l->b * n + l->a] = 1;
	}
	for (uint32_t v = 0; v < c->n; v++)
		good = good && p->image[v] < n && !used[p->image[v]]++;
	for (size_t i = 0; good && i < c->n_links; i++)
		good = linked[(size_t)p->image[c->link[i].a] * n + p->image[c->link[i].b]];
	free(linked);
	free(used);
	return good;
}

static struct moore_topo_part *
recognise(const struct cut *c)
{
	struct moore_topo_part *p;
	struct moore_err err;

	if (moore_topo_recognise_part(&p, c->n, c->link, c->n_links, &err) < 0)
		fail_msg("%s", err.text);
	return p;
}

/* t is NULL when none is expected; else the member, or another that is no larger: a HyperX of
 * 1 by 8 by 8 is also a Dragonfly, and a full mesh of 30 without a switch is one of 29. */
static void
expect(const struct cut *c, const char *what, const struct moore_topo *t)
{
	struct moore_topo_part *p = recognise(c);

	if (!p != !t || (p && (p->whole->n_switches > t->n_switches ||
			       p->whole->n_links > t->n_links)))
		fail_msg("%s: recognised as \"%s\"", what, p ? p->text : "");
	if (p && !is_proof(c, p))
		fail_msg("%s: the map is no proof", what);
	moore_topo_part_free(p);
}

/* ---- parts of a member --------------------------------------------------------- */

/* With so many of a thousand links missing, the search may use up its effort: at q=8 without 5 % of
 * the links, in one of 50 to 150 draws. */
#define MANY 30
#define DRAWS 3

/* Cuts at random; if many links are missing and the graph is not recognised, anew. */
static struct cut
draw(const struct moore_topo *t, struct moore_rng *r, uint32_t switches, uint32_t links, bool many)
{
	struct cut c = cut(t, r, switches, links);

	for (unsigned i = 1; many && i < DRAWS; i++) {
		struct moore_topo_part *p = recognise(&c);
		const bool found = p != NULL;

		moore_topo_part_free(p);
		if (found)
			break;
		free(c.link);
		c = cut(t, r, switches, links);
	}
	return c;
}

static void
test_parts(void **state)
{
	static const char *const T[] = {
		"slimfly q=3", "slimfly q=4", "slimfly q=5", "slimfly q=7", "slimfly q=8",
		"slimfly q=9", "slimfly q=11", "slimfly q=13", "slimfly q=16", "slimfly q=17",
		"mlfm h=4 l=4", "mlfm h=6 l=6", "mlfm h=6 l=3", "mlfm h=15 l=15", "oft k=4", "oft k=6",
		"oft k=9", "oft k=10", "oft k=12", "hypercube n=5", "hypercube n=9",
		"torus2d a=5 b=7", "torus2d a=16 b=20", "torus5d a=2 b=3 c=3 d=4 e=5",
		"torus5d a=3 b=3 c=3 d=3 e=3", "fhypercube n=6", "fhypercube n=9",
		"myriclos n=128", "myriclos n=256", "myriclos n=512", "myriclos n=1024",
		"dragonfly a=4 g=9 h=2", "dragonfly a=6 g=7 h=3", "hyperx s1=3 s2=4 s3=5",
		"hyperx s1=1 s2=8 s3=8", "hyperx s1=1 s2=1 s3=30", "hyperx s1=7 s2=7 s3=7",
	};
	/* Of the links, so many in a thousand are removed, but at least one. */
	static const struct { uint32_t switches, links; } LOSS[] = {
		{ 0, 1 }, { 0, 10 }, { 0, 50 }, { 1, 0 }, { 2, 0 }, { 1, 30 },
	};
	struct moore_rng r = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t = build(T[i]);

		for (size_t k = 0; k < ARRAY_LEN(LOSS); k += test_stride()) {
			const uint32_t share = t->n_links * LOSS[k].links / 1000;
			const uint32_t links = LOSS[k].links && !share ? 1 : share;
			struct cut c = draw(t, &r, LOSS[k].switches, links, LOSS[k].links >= MANY);
			char what[128];

			snprintf(what, sizeof(what), "%s without %u switches and %u links", T[i],
				 LOSS[k].switches, links);
			expect(&c, what, t);
			free(c.link);
		}
		moore_topo_free(t);
	}
}

static void
expect_member(const char *spec, uint32_t switches, uint32_t links, struct moore_rng *r)
{
	struct moore_topo *t = build(spec);
	struct cut c = cut(t, r, switches, links);
	struct moore_topo_part *p = recognise(&c);

	if (!p || p->whole->n_switches != t->n_switches || p->whole->n_links != t->n_links)
		fail_msg("%s without %u switches and %u links: recognised as \"%s\"", spec,
			 switches, links, p ? p->text : "");
	CHECK(spec, is_proof(&c, p));
	moore_topo_part_free(p);
	free(c.link);
	moore_topo_free(t);
}

/* A few links or a switch are missing, of any family and with any parameters: the member is found
 * itself, not another of which more would be missing. */
static void
test_little_lost(void **state)
{
	/* Without a switch, the first few are smaller members. */
	static const char *const T[] = {
		"fattree2 k=12", "fattree2 k=12 s=4", "fattree2 k=16 s=7", "torus a=30",
		"cascade a=2 r=2 g=5 h=2", "cascade a=4 r=2 g=5 h=2",
		"cascade a=3 r=3 g=7 arr=2 h=2", "fattree3 k=4", "fattree3 k=8", "dfplus s=2",
		"dfplus s=4 g=5", "dfplus s=5", "dragonfly a=4 g=5 h=2", "dragonfly a=4 h=2 arr=2",
		"dragonfly a=4 h=2 arr=3", "dragonfly a=6 h=3", "dragonfly a=6 h=3 arr=2",
		"dragonfly a=6 h=3 arr=3", "dragonfly a=8 h=4", "mlfm h=6 l=3", "sspt r1=6 r2=3",
		"sspt r1=6 r2=5", "sspt r1=9 r2=3", "sspt r1=12 r2=3", "sspt r1=12 r2=3 l=1", "lps p=3 q=5", "bundlefly p=5 s=4", "bundlefly p=9 s=3",
		"polarfly q=4", "polarfly q=7", "polarstar q=3 d=3", "polarstar q=4 d=4",
		"torus a=4 b=3 c=5", "hyperx s1=4 s2=3", "hypercube n=5",
	};
	const size_t n_links_only = 4;
	struct moore_rng r = { test_seed() };
	(void)state;

	for (size_t i = n_links_only; i < 4 * ARRAY_LEN(T); i++) {
		const char *spec = T[i % ARRAY_LEN(T)];
		const uint32_t links = (uint32_t)(i / ARRAY_LEN(T));

		expect_member(spec, !links, links, &r);
	}
}

/* Five links or two switches are missing of families with few symmetries, where few pairs of vertices
 * are right to begin with. */
static void
test_more_lost(void **state)
{
	static const struct { const char *spec; bool switches; } T[] = {
		{ "sspt r1=9 r2=3", false }, { "sspt r1=12 r2=3 l=1", false }, { "sspt r1=16 r2=3", false },
		{ "bundlefly p=5 s=5", true }, { "bundlefly p=9 s=4", true }, { "bundlefly p=13 s=3", true },
		{ "polarstar q=5 d=6", true }, { "polarstar q=4 d=3", true }, { "polarfly q=16", true },
		{ "cascade a=3 r=2 h=2", true }, { "cascade a=4 r=3 g=9 h=2", true },
		{ "dragonfly a=7 h=3 arr=2", false },
		{ "dfplus s=5 l=7 arr=2", false }, { "dfplus s=8 g=20", true }, { "dfplus s=8", false },
		{ "lps p=3 q=13", true }, { "torus a=12 b=12 c=12", true }, { "torus2d a=24 b=31", true },
	};
	struct moore_rng r = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i += test_stride()) {
		expect_member(T[i].spec, 0, 5, &r);
		if (T[i].switches)
			expect_member(T[i].spec, 2, 0, &r);
	}
}

/* One link or one switch is missing of a large member. */
static void
test_large(void **state)
{
	static const char *const T[] = {
		"sspt r1=30 r2=3", "cascade a=16 r=6 h=10 g=17", "bundlefly p=17 s=7", "lps p=23 q=11",
	};
	struct moore_rng r = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i += test_stride()) {
		expect_member(T[i], 0, 1, &r);
		expect_member(T[i], 1, 0, &r);
	}
}

/* Where the effort may not suffice, an answer is right or there is none. */
static void
test_hard_parts(void **state)
{
	static const char *const T[] = { "dragonfly a=8 g=33 h=4", "myriclos n=2048" };
	struct moore_rng r = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t = build(T[i]);
		struct cut c = cut(t, &r, 2, t->n_links / 50);
		struct moore_topo_part *p = recognise(&c);

		print_message("# %s: %s\n", T[i], p ? p->text : "not recognised");
		if (p)
			CHECK(T[i], is_proof(&c, p));
		moore_topo_part_free(p);
		free(c.link);
		moore_topo_free(t);
	}
}

/* ---- graphs that are no part ------------------------------------------------------- */

static struct cut
grid(uint32_t a, uint32_t b, bool wrap)
{
	struct cut c = { .n = a * b, .link = calloc(2 * a * b + 1, sizeof(*c.link)) };

	for (uint32_t v = 0; v < c.n; v++) {
		if (v % b + 1 < b)
			c.link[c.n_links++] = (struct moore_topo_link){ v, v + 1 };
		else if (wrap && b > 2)
			c.link[c.n_links++] = (struct moore_topo_link){ v - v % b, v };
		if (v + b < c.n)
			c.link[c.n_links++] = (struct moore_topo_link){ v, v + b };
	}
	return c;
}

static void
test_others(void **state)
{
	static const struct { const char *why; uint32_t a, b; bool wrap; const char *of; } T[] = {
		{ "a ring of 6, less than the least size", 1, 6, true, NULL },
		{ "a ring", 1, 30, true, "torus a=30" }, { "a row", 1, 12, false, "torus a=12" },
		{ "a mesh", 4, 5, false, NULL }, { "two switches", 1, 2, false, NULL },
		{ "one switch", 1, 1, false, NULL },
	};
	struct moore_topo_part *p;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t = T[i].of ? build(T[i].of) : NULL;
		struct cut c = grid(T[i].a, T[i].b, T[i].wrap);

		expect(&c, T[i].why, t);
		moore_topo_free(t);
		free(c.link);
	}
	assert_int_equal(moore_topo_recognise_part(&p, 0, NULL, 0, NULL), 0);
	assert_null(p);
}

static void
test_extra_and_parallel(void **state)
{
	struct moore_topo *t = build("slimfly q=5");
	struct moore_rng r = { test_seed() };
	struct cut c = cut(t, &r, 0, 0);
	uint8_t linked[50 * 50] = { 0 };
	uint32_t far = 1;
	(void)state;

	for (size_t i = 0; i < c.n_links; i++)
		linked[c.link[i].a * 50 + c.link[i].b] = linked[c.link[i].b * 50 + c.link[i].a] = 1;
	while (linked[far])
		far++;
	expect(&c, "nothing is missing", t);
	c.link[3] = (struct moore_topo_link){ 0, far };
	expect(&c, "one link is elsewhere", NULL);
	c.link[3] = c.link[4];
	expect(&c, "one link is doubled", NULL);
	free(c.link);
	c = cut(t, &r, 0, 40);
	expect(&c, "40 links of 175 are missing", NULL);
	free(c.link);
	c = cut(t, &r, 9, 0);
	expect(&c, "9 switches of 50 are missing", NULL);
	free(c.link);
	moore_topo_free(t);
}

/* ---- determinism, memory ---------------------------------------------------------------- */

static void
test_same_again(void **state)
{
	struct moore_topo *t = build("oft k=6");
	struct moore_rng r = { test_seed() };
	struct cut c = cut(t, &r, 2, 9);
	struct moore_topo_part *p = recognise(&c), *q = recognise(&c);
	(void)state;

	assert_non_null(p);
	assert_non_null(q);
	assert_string_equal(p->text, "oft k=6");
	assert_memory_equal(p->image, q->image, c.n * sizeof(*p->image));
	moore_topo_part_free(p);
	moore_topo_part_free(q);
	free(c.link);
	moore_topo_free(t);
}

static void
test_oom(void **state)
{
	/* The second is found when links are added, not by the first attempt to embed it. */
	static const struct { const char *spec; uint32_t switches; } T[] = {
		{ "torus2d a=4 b=5", 1 }, { "sspt r1=6 r2=3", 0 },
	};
	struct moore_rng r = { 1 };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t = build(T[i].spec);
		struct cut c = cut(t, &r, T[i].switches, 1);
		struct moore_topo_part *p = NULL;

		CHECK_OOM(T[i].spec, moore_topo_recognise_part(&p, c.n, c.link, c.n_links, NULL),
			  moore_topo_part_free(p));
		free(c.link);
		moore_topo_free(t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_little_lost),
		cmocka_unit_test(test_more_lost),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_hard_parts),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_extra_and_parallel),
		cmocka_unit_test(test_same_again),
		cmocka_unit_test(test_oom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_isomorph.c - the library's map of one graph onto another, against igraph.
 *
 * Each graph is relabelled at random: the library must find a map, which is checked here
 * link by link.  Then two links exchange ends, or two vertices exchange colours, and
 * igraph's BLISS decides whether the graphs are still isomorphic.  Pairs of graphs that
 * colour refinement cannot tell apart are compared in the same way.  VF2 replaces BLISS for
 * parallel links, which BLISS does not support. */
#include "harness.h"
#include "igraph_oracle.h"
#include "relabel.h"
#include "topo/isomorph.h"

/* ---- graphs ---------------------------------------------------------------- */

struct named {
	uint32_t n;
	size_t n_links;
	struct moore_topo_link *link;
};

static struct named
named_new(uint32_t n)
{
	return (struct named){ n, 0, calloc((size_t)n * n + 1, sizeof(struct moore_topo_link)) };
}

static void
join(struct named *g, uint32_t a, uint32_t b)
{
	g->link[g->n_links++] = (struct moore_topo_link){ a, b };
}

/* Equal rows or columns: strongly regular (16, 6, 2, 2). */
static struct named
rook(void)
{
	struct named g = named_new(16);

	for (uint32_t a = 0; a < 16; a++)
		for (uint32_t b = a + 1; b < 16; b++)
			if (a / 4 == b / 4 || a % 4 == b % 4)
				join(&g, a, b);
	return g;
}

/* Vertices are linked if they differ by (0,1), (1,0) or (1,1) modulo 4: another graph with
 * the same parameters. */
static struct named
shrikhande(void)
{
	struct named g = named_new(16);

	for (uint32_t v = 0; v < 16; v++) {
		const uint32_t x = v / 4, y = v % 4, right = (x + 1) % 4, up = (y + 1) % 4;

		join(&g, v, 4 * x + up);
		join(&g, v, 4 * right + y);
		join(&g, v, 4 * right + up);
	}
	return g;
}

/* Vertices are pairs out of 8, linked if they share an element: strongly regular (28, 12,
 * 6, 4).  For the Chang graph the pairs of a perfect matching are switched (Seidel 1967). */
static struct named
pairs_of_8(bool chang)
{
	struct named g = named_new(28);
	uint32_t x[28], y[28], n = 0;

	for (uint32_t a = 0; a < 8; a++)
		for (uint32_t b = a + 1; b < 8; b++, n++) {
			x[n] = a;
			y[n] = b;
		}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < n; k++) {
			const bool share = x[i] == x[k] || x[i] == y[k] || y[i] == x[k] || y[i] == y[k];
			const bool in_i = x[i] / 2 == y[i] / 2, in_k = x[k] / 2 == y[k] / 2;

			if (share != (chang && in_i != in_k))
				join(&g, i, k);
		}
	return g;
}

/* 12 vertices in rings of `size`: two of six, three of four, or one of twelve. */
static struct named
rings(uint32_t size)
{
	struct named g = named_new(12);

	for (uint32_t v = 0; v < 12; v++)
		join(&g, v, v / size * size + (v + 1) % size);
	return g;
}

static struct named
bipartite(void)
{
	struct named g = named_new(24);

	for (uint32_t a = 0; a < 12; a++)
		for (uint32_t b = 12; b < 24; b++)
			join(&g, a, b);
	return g;
}

/* ---- the library's answer and igraph's ------------------------------------------ */

static unsigned compared[2];		/* pairs that are not isomorphic, and pairs that are */

static void
check_map(const char *why, const struct named *a, const struct named *b, const uint32_t *colour,
	  const uint32_t *image)
{
	const uint32_t n = a->n;
	uint32_t *times = calloc((size_t)n * n, sizeof(*times)), *taken = calloc(n, sizeof(*taken));

	for (uint32_t v = 0; v < n; v++) {
		CHECK(why, image[v] < n && !taken[image[v]]++);
		CHECK_EQ(why, colour[n + image[v]], colour[v]);
	}
	for (size_t i = 0; i < b->n_links; i++) {
		times[b->link[i].a * n + b->link[i].b]++;
		times[b->link[i].b * n + b->link[i].a] += b->link[i].a != b->link[i].b;
	}
	for (size_t i = 0; i < a->n_links; i++) {
		const uint32_t x = image[a->link[i].a], y = image[a->link[i].b];

		CHECK(why, times[x * n + y]);
		times[x * n + y]--;
		times[y * n + x] -= x != y;
	}
	free(times);
	free(taken);
}

static bool
compare(const char *why, enum oracle_how how, const struct named *a, const struct named *b,
	const uint32_t *colour)
{
	uint32_t *scratch = calloc(2 * a->n, sizeof(*scratch)), *image = calloc(a->n, sizeof(*image));
	bool oom = false, ours, theirs;

	CHECK_EQ(why, a->n, b->n);
	CHECK_EQ(why, a->n_links, b->n_links);
	memcpy(scratch, colour, 2 * a->n * sizeof(*scratch));
	ours = moore_topo_map(a->n, a->link, b->link, a->n_links, scratch, image, &oom);
	theirs = oracle_alike(how, a->n, a->link, b->link, a->n_links, colour);
	CHECK(why, !oom);
	if (ours != theirs)
		fail_msg("%s: %s here, and igraph says %s", why, ours ? "alike" : "not alike",
			 ours ? "not alike" : "alike");
	if (ours)
		check_map(why, a, b, colour, image);
	compared[ours]++;
	free(scratch);
	free(image);
	return ours;
}

/* ---- the tests -------------------------------------------------------------------- */

/* Compares g with a relabelled copy, which is isomorphic; then with two colours exchanged;
 * then, up to three times, after two links exchanged an end. */
static void
around(struct moore_rng *r, const char *why, enum oracle_how how, const struct named *g,
       uint32_t n_colours)
{
	struct named h = named_new(g->n);
	uint32_t *colour = calloc(2 * g->n, sizeof(*colour)), v = g->n + moore_rng_below(r, g->n);

	for (uint32_t i = 0; i < g->n; i++)
		colour[i] = moore_rng_below(r, n_colours);
	h.n_links = g->n_links;
	relabel(r, g->n, g->link, g->n_links, colour, h.link, colour + g->n);
	CHECK(why, compare(why, how, g, &h, colour));
	if (n_colours > 1) {	/* two colours exchanged: isomorphic only by an automorphism */
		uint32_t w = g->n + moore_rng_below(r, g->n), t = colour[v];

		colour[v] = colour[w];
		colour[w] = t;
		compare(why, how, g, &h, colour);
		colour[w] = colour[v];
		colour[v] = t;
	}
	for (int k = 0; k < 3 && relabel_switch(r, h.link, h.n_links); k++)
		compare(why, how, g, &h, colour);
	free(colour);
	free(h.link);
}

/* Tests the least member of a family that has no row below. */
static void
around_least(struct moore_rng *r, const struct moore_topo_family *f)
{
	int64_t param[MOORE_TOPO_MAX_PARAMS] = { 0 };
	struct moore_topo *t;
	struct named g;

	for (size_t i = 0; i < MOORE_TOPO_MAX_PARAMS && f->param[i].key; i++)
		param[i] = f->param[i].required ? f->param[i].min : f->param[i].dflt;
	CHECK_EQ(f->name, moore_topo_build(&t, f, param, NULL), 0);
	g = (struct named){ t->n_switches, t->n_links, t->link };
	around(r, f->name, ORACLE_BLISS, &g, 3);
	moore_topo_free(t);
}

static void
test_families(void **state)
{
	static const char *const specs[] = { "slimfly q=3", "slimfly q=4", "slimfly q=5",
		"slimfly q=7", "slimfly q=8", "slimfly q=9", "slimfly q=11", "oft k=3", "oft k=4",
		"oft k=6", "mlfm h=3", "mlfm h=5", "hypercube n=3", "hypercube n=5", "hypercube n=7",
		"fhypercube n=4", "fhypercube n=6", "torus2d a=3 b=3", "torus2d a=4 b=4",
		"torus2d a=5 b=9", "torus5d a=2 b=2 c=3 d=3 e=2", "myriclos n=32", "myriclos n=128",
		"dragonfly a=4 g=9 h=2", "dragonfly a=3 g=4 h=1", "hyperx s1=4 s2=4 s3=1",
		"hyperx s1=2 s2=3 s3=4", "dln n=40 k=4", "dln n=100 k=6",
		"sspt r1=4 r2=3", "lps p=3 q=5", "bundlefly p=5 s=3", "polarfly q=4",
		"polarstar q=3 d=3", "jellyfish n=30 k=4", "xpander d=4 k=6", "skywalk x=4 y=4 s=2 k=4",
		"fattree2 k=6", "fattree3 k=4", "cascade a=3 r=2 g=6 h=1", "dfplus s=3", "torus a=3 b=4 c=2",
		"dln n=600 k=4" /* more images than can be tried one by one */ };
	struct moore_rng r = { test_seed() };
	uint32_t n_families = 0;

	(void)state;
	memset(compared, 0, sizeof(compared));
	for (size_t i = 0; moore_topo_family_at(i); i++) {
		const char *name = moore_topo_family_at(i)->name;
		bool any = false;

		for (size_t k = 0; k < ARRAY_LEN(specs); k++)
			any |= !strncmp(specs[k], name, strlen(name)) && specs[k][strlen(name)] == ' ';
		if (!any)
			around_least(&r, moore_topo_family_at(i));
		n_families++;
	}
	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		struct moore_topo *t = relabel_build(specs[i]);
		struct named g;

		CHECK(specs[i], t);
		g = (struct named){ t->n_switches, t->n_links, t->link };
		for (unsigned k = 0; k < test_rounds(4); k++)
			around(&r, specs[i], ORACLE_BLISS, &g, k % 2 ? 3 : 1);
		moore_topo_free(t);
	}
	print_message("# %u families: %u pairs alike, %u not, as igraph says\n", n_families,
		      compared[true], compared[false]);
	CHECK("both answers were asked for", compared[true] && compared[false]);
}

static void
test_regular(void **state)
{
	const struct {
		const char *why;
		struct named a, b;
		bool alike;
	} T[] = {
		{ "lattice 4 x 4", rook(), rook(), true },
		{ "Shrikhande", shrikhande(), shrikhande(), true },
		{ "the lattice is not Shrikhande's graph", rook(), shrikhande(), false },
		{ "T(8)", pairs_of_8(false), pairs_of_8(false), true },
		{ "Chang", pairs_of_8(true), pairs_of_8(true), true },
		{ "T(8) is not Chang's graph", pairs_of_8(false), pairs_of_8(true), false },
		{ "K12,12", bipartite(), bipartite(), true },
		{ "two rings of 6", rings(6), rings(6), true },
		{ "two rings of 6, three of 4", rings(6), rings(4), false },
		{ "two rings of 6, one of 12", rings(6), rings(12), false },
	};
	struct moore_rng r = { test_seed() };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		uint32_t *colour = calloc(2 * T[i].a.n, sizeof(*colour));

		CHECK_EQ(T[i].why, compare(T[i].why, ORACLE_BLISS, &T[i].a, &T[i].b, colour), T[i].alike);
		for (unsigned k = 0; k < test_rounds(20); k++)
			around(&r, T[i].why, ORACLE_BLISS, &T[i].a, k % 2 ? 2 : 1);
		free(colour);
	}
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		free(T[i].a.link);
		free(T[i].b.link);
	}
}

/* Small random graphs with parallel links: every answer must be igraph's. */
static void
test_parallel(void **state)
{
	struct named g = named_new(14);
	struct moore_rng r = { test_seed() };

	(void)state;
	for (unsigned k = 0; k < test_rounds(400); k++) {
		g.n = 4 + moore_rng_below(&r, 11);
		g.n_links = 0;
		for (uint32_t i = 0; i < 2 * g.n; i++) {
			const uint32_t a = moore_rng_below(&r, g.n), b = moore_rng_below(&r, g.n);

			if (a != b)
				join(&g, a, b);
		}
		around(&r, "random", ORACLE_VF2, &g, k % 3 + 1);
	}
	free(g.link);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_families), cmocka_unit_test(test_regular),
		cmocka_unit_test(test_parallel),
	};

	oracle_init();
	return cmocka_run_group_tests_name("isomorph", tests, NULL, NULL);
}

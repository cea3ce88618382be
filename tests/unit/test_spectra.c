// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_spectra.c - what placement proves of the second least eigenvalue of the Laplacian,
 * against LAPACK's value (by way of igraph).  The value is not in the library's interface,
 * so its source is compiled into this test. */
#include "harness.h"
#include "igraph_oracle.h"
#include "relabel.h"

#include "place/cuts.c"		/* NOLINT */

static double
by_lapack(const struct moore_topo *t)
{
	igraph_matrix_t a;
	igraph_vector_t value;
	double mu;

	assert_int_equal(igraph_matrix_init(&a, t->n_switches, t->n_switches), 0);
	assert_int_equal(igraph_vector_init(&value, 1), 0);
	for (uint32_t i = 0; i < t->n_links; i++) {
		const uint32_t x = t->link[i].a, y = t->link[i].b;

		MATRIX(a, x, y) -= 1;
		MATRIX(a, y, x) -= 1;
		MATRIX(a, x, x) += 1;
		MATRIX(a, y, y) += 1;
	}
	assert_int_equal(igraph_lapack_dsyevr(&a, IGRAPH_LAPACK_DSYEV_SELECT, 0, 0, 0, 2, 2, 1e-12,
					      &value, NULL, NULL), 0);
	mu = VECTOR(value)[0];
	igraph_matrix_destroy(&a);
	igraph_vector_destroy(&value);
	return mu;
}

/* Computes it from compressed neighbour lists, in scratch memory. */
static double
by_moore(const struct moore_topo *t)
{
	const uint32_t n = t->n_switches;
	uint32_t *start = calloc(n + 2, sizeof(*start)), *peer = calloc(2 * t->n_links, sizeof(*peer));
	uint32_t *weight = calloc(2 * t->n_links, sizeof(*weight));
	struct moore_links_of k = { .n = n, .start = start, .peer = peer, .weight = weight };
	struct laplacian m = { .k = &k, .degree = calloc(n, sizeof(double)),
		.x = calloc(n, sizeof(double)), .y = calloc(n, sizeof(double)),
		.pivot = calloc(n, sizeof(double)),
		.row = calloc((size_t)n * (n + 1) / 2, sizeof(double)) };
	double mu;

	for (uint32_t i = 0; i < t->n_links; i++) {
		m.degree[t->link[i].a]++;
		m.degree[t->link[i].b]++;
	}
	for (uint32_t v = 0, at = 0; v < n; v++) {
		start[v] = at;
		for (uint32_t i = 0; i < t->n_links; i++)
			if (t->link[i].a == v || t->link[i].b == v) {
				weight[at] = 1;
				peer[at++] = t->link[i].a == v ? t->link[i].b : t->link[i].a;
			}
		start[v + 1] = at;
		m.most = m.degree[v] > m.most ? m.degree[v] : m.most;
	}
	mu = connectivity(&m);
	free(start);
	free(peer);
	free(weight);
	free(m.degree);
	free(m.x);
	free(m.y);
	free(m.pivot);
	free(m.row);
	return mu;
}

static void
test_connectivity(void **state)
{
	static const struct { const char *spec; double exact; } T[] = {	/* 0: not known by hand */
		{ "slimfly q=5", 5 },	/* Hoffman-Singleton graph: adjacency eigenvalues 7, 2 and
					 * -3 */
		{ "slimfly q=7", 0 }, { "slimfly q=9", 0 }, { "slimfly q=13", 0 },
		{ "oft k=4", 0 }, { "oft k=8", 0 }, { "mlfm h=8", 0 }, { "hypercube n=7", 2 },
		{ "fhypercube n=6", 4 }, { "torus2d a=4 b=4", 2 }, { "torus2d a=9 b=7", 0 },
		{ "torus5d a=3 b=3 c=3 d=2 e=2", 0 }, { "dragonfly a=4 g=9 h=2", 0 },
		{ "hyperx s1=5 s2=4 s3=3", 3 }, { "dln n=200 k=8", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t = relabel_build(T[i].spec);
		double ours, theirs;

		CHECK(T[i].spec, t);
		ours = by_moore(t);
		theirs = by_lapack(t);
		if (T[i].exact > 0)
			CHECK(T[i].spec, theirs > T[i].exact - 1e-9 && theirs < T[i].exact + 1e-9);
		if (ours > theirs || ours < 0.999 * theirs)
			fail_msg("%s: at least %.9f is proven, it is %.9f", T[i].spec, ours, theirs);
		moore_topo_free(t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_connectivity) };

	oracle_init();
	return cmocka_run_group_tests_name("spectra", tests, NULL, NULL);
}

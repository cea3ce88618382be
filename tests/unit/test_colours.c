// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_colours.c - the search for ranks that give every pair a detour, over many seeds.
 *
 * A pair of switches at distance two is bare when no route of three hops joins them whose
 * last turn is allowed.  The oracle walks all such routes over the ranks.  Takes a second;
 * with MOORE_SOAK more seeds and larger graphs, for a minute. */
#include "harness.h"

#include "fabrics.h"
#include "route/tuning.h"
#include "route/turns/turns.h"

static bool
is_neighbour(const struct moore_rgraph *g, uint32_t s, uint32_t t)
{
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (g->to[e] == t)
			return true;
	return false;
}

/* Whether some route s -> a -> r -> d has a last turn that rises. */
static bool
has_detour(const struct moore_rgraph *g, const uint32_t *rank, uint32_t s, uint32_t d)
{
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		for (uint32_t a = g->to[e], k = g->xadj[a]; k < g->xadj[a + 1]; k++)
			for (uint32_t r = g->to[k], o = g->xadj[r]; o < g->xadj[r + 1]; o++)
				if (a != d && r != s && g->to[o] == d && rank[k] < rank[o])
					return true;
	return false;
}

static bool
is_at_two(const struct moore_rgraph *g, uint32_t s, uint32_t d)
{
	if (s == d || is_neighbour(g, s, d))
		return false;
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (is_neighbour(g, g->to[e], d))
			return true;
	return false;
}

static uint32_t
count_bare(const struct moore_rgraph *g, const uint32_t *rank)
{
	uint32_t bare = 0;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t d = 0; d < g->n; d++)
			bare += is_at_two(g, s, d) && !has_detour(g, rank, s, d);
	return bare;
}

/* Bare pairs that are left after a search from this seed. */
static uint32_t
search_from(const struct moore_rgraph *g, uint64_t seed)
{
	uint8_t *half = calloc(g->n, 1), *entry_wanted = calloc(g->n_edges, 1);
	uint32_t *colour = calloc(g->n_edges, sizeof(*colour)), bare;
	struct moore_rturns t;
	struct moore_rview v = { g, MOORE_EDGE_PLANNED, true, &t };

	assert_int_equal(moore_rturns_init(&t, g, half, entry_wanted, false), 0);
	assert_int_equal(moore_rturns_build(&t, &v, NULL, colour, NULL), 0);
	assert_int_equal(moore_rranks_search(g, &t, colour, seed, NULL), 0);
	assert_int_equal(moore_rturns_build(&t, &v, NULL, colour, NULL), 0);
	bare = count_bare(g, t.rank);
	moore_rturns_fini(&t);
	free(half);
	free(entry_wanted);
	free(colour);
	return bare;
}

/* What a seed may leave; `own` is what MOORE_RANK_SEED leaves. */
static void
test_seeds(void **state)
{
	static const struct {
		const char *params;
		uint32_t most, own;
		bool soak;
	} T[] = {
		{ "q=3", 1, 0, false },
		{ "q=4", 5, 0, false },
		{ "q=5", 2, 0, false },
		{ "q=7", 0, 0, false },
		{ "q=8", 0, 0, true },
		{ "q=9", 1, 0, true },
		{ "q=11", 0, 0, true },
	};
	bool soak = test_rounds(1) > 1;
	uint64_t n_seeds = test_rounds(8);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		uint32_t worst = 0, served = 0;
		struct moore_fabric *f;
		struct moore_rgraph g;

		if (T[i].soak && !soak)
			continue;
		f = test_family("slimfly", T[i].params, 0);
		assert_int_equal(moore_rgraph_build(&g, f, NULL, NULL, MOORE_RGRAPH_MINIMAL, NULL), 0);
		CHECK_EQ(T[i].params, search_from(&g, MOORE_RANK_SEED), T[i].own);
		for (uint64_t seed = 1; seed <= n_seeds; seed++) {
			uint32_t bare = search_from(&g, seed);

			served += !bare;
			worst = bare > worst ? bare : worst;
		}
		print_message("# slimfly %s: %u of %u seeds serve every pair; at most %u left\n",
			      T[i].params, served, (unsigned)n_seeds, worst);
		CHECK(T[i].params, worst <= T[i].most);
		moore_rgraph_fini(&g);
		moore_fabric_free(f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_seeds) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_middles.c - classes of switches, ranks of the links of an OFT and an MLFM, and the spanning
 * tree among them, on the intact graph and after each cut. */
#include "harness.h"

#include "fabrics.h"
#include "base/random.h"
#include "route/turns/middles.h"
#include "route/turns/pairs.h"
#include "route/tuning.h"
#include "route/turns/turns.h"

struct graph {
	struct moore_fabric *f;
	struct moore_rgraph g;
	struct moore_rmiddles c;
	uint8_t *half, *entry_wanted;
	uint32_t *colour;
	struct moore_rturns first, t;
	struct moore_rview v;
};

static void
start_fabric(struct graph *x, struct moore_fabric *f)
{
	x->f = f;
	assert_int_equal(moore_rgraph_build(&x->g, x->f, NULL, NULL, MOORE_RGRAPH_MINIMAL, NULL), 0);
	assert_int_equal(moore_rmiddles_find(&x->c, &x->g), 0);
	x->half = calloc(x->g.n, 1);
	x->entry_wanted = calloc(x->g.n_edges, 1);
	x->colour = calloc(x->g.n_edges, sizeof(*x->colour));
	x->v = (struct moore_rview){ &x->g, MOORE_EDGE_PLANNED, true, &x->t };
	assert_int_equal(moore_rturns_init(&x->first, &x->g, x->half, x->entry_wanted, false), 0);
	assert_int_equal(moore_rturns_init(&x->t, &x->g, x->half, x->entry_wanted, false), 0);
	x->t.close = true;
}

static void
start(struct graph *x, const char *family, const char *params)
{
	start_fabric(x, test_family(family, params, 0));
}

static void
rank(struct graph *x)
{
	if (x->c.paired) {
		assert_int_equal(moore_rmiddles_rank_pairs(&x->g, &x->c, x->colour, NULL), 0);
	} else {
		moore_rmiddles_number(&x->g, x->first.pos);
		moore_rmiddles_tree(&x->g, x->first.pos, x->first.parent);
		assert_int_equal(moore_rmiddles_rank(&x->g, x->first.pos, x->first.parent, x->colour,
						     NULL), 0);
		memcpy(x->first.rank, x->colour, x->g.n_edges * sizeof(*x->colour));
	}
	assert_int_equal(moore_rturns_build(&x->t, &x->v, x->c.paired ? NULL : &x->first, x->colour,
					    NULL), 0);
}

static void
end(struct graph *x)
{
	moore_rturns_fini(&x->first);
	moore_rturns_fini(&x->t);
	moore_rmiddles_fini(&x->c);
	moore_rgraph_fini(&x->g);
	moore_fabric_free(x->f);
	free(x->half);
	free(x->entry_wanted);
	free(x->colour);
}

static void
test_classes(void **state)
{
	static const struct {
		const char *family, *params;
		bool lines, paired;
		uint32_t n_classes, size;
	} T[] = {
		{ "oft", "k=3", true, false, 7, 2 },
		{ "oft", "k=4", true, false, 13, 2 },
		{ "oft", "k=6", true, false, 31, 2 },
		{ "mlfm", "h=3", false, true, 4, 3 },
		{ "mlfm", "h=4", false, true, 5, 4 },
		{ "mlfm", "h=5 l=2", false, true, 6, 2 },
		{ "slimfly", "q=5", false, false, 0, 0 },
		{ "hypercube", "n=4 p=2", false, false, 0, 0 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct graph x;

		start(&x, T[i].family, T[i].params);
		CHECK_EQ(T[i].params, x.c.lines, T[i].lines);
		CHECK_EQ(T[i].params, x.c.paired, T[i].paired);
		CHECK_EQ(T[i].params, x.c.n_classes, T[i].n_classes);
		for (uint32_t k = 0; k < x.c.n_classes; k++)
			CHECK_EQ(T[i].params, x.c.size[k], T[i].size);
		end(&x);
	}
}

/* ---- room ------------------------------------------------------------------------------ */

struct pairs {
	uint8_t rises[64][64];	/* by first and last link */
	uint32_t n_first, n_last;
	int of_last[64];
	uint8_t is_seen[64];
};

/* Whether first link a can be in one more pair (Kuhn). */
static bool
augment(struct pairs *p, uint32_t a)
{
	for (uint32_t b = 0; b < p->n_last; b++) {
		if (!p->rises[a][b] || p->is_seen[b])
			continue;
		p->is_seen[b] = 1;
		if (p->of_last[b] < 0 || augment(p, (uint32_t)p->of_last[b])) {
			p->of_last[b] = (int)a;
			return true;
		}
	}
	return false;
}

static uint32_t
find_edge(const struct moore_rgraph *g, uint32_t s, uint32_t t)
{
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (g->to[e] == t)
			return e;
	return MOORE_NONE;
}

/* Whether some detour s -> m -> i -> m' -> d rises from its second link on. */
static bool
is_rising(const struct moore_rgraph *g, const uint32_t *r, uint32_t s, uint32_t m, uint32_t m2,
	  uint32_t d)
{

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++) {
		uint32_t i = g->to[e], on = find_edge(g, i, m2);

		if (i != s && i != d && on != MOORE_NONE && r[e] < r[on] &&
		    r[on] < r[find_edge(g, m2, d)])
			return true;
	}
	return false;
}

/* The number of detours from s to d that have no first or last link in common. */
static uint32_t
count_disjoint(const struct moore_rgraph *g, const uint32_t *rank, uint32_t s, uint32_t d)
{
	struct pairs p = { .n_first = g->xadj[s + 1] - g->xadj[s],
		.n_last = g->xadj[d + 1] - g->xadj[d] };
	uint32_t n = 0;

	memset(p.of_last, 0xff, sizeof(p.of_last));
	for (uint32_t a = 0; a < p.n_first; a++)
		for (uint32_t b = 0; b < p.n_last; b++) {
			uint32_t m = g->to[g->xadj[s] + a], m2 = g->to[g->xadj[d] + b];

			p.rises[a][b] = m != m2 && find_edge(g, m, d) == MOORE_NONE &&
				find_edge(g, m2, s) == MOORE_NONE && is_rising(g, rank, s, m, m2, d);
		}
	for (uint32_t a = 0; a < p.n_first; a++) {
		memset(p.is_seen, 0, sizeof(p.is_seen));
		n += augment(&p, a);
	}
	return n;
}

/* With the spanning tree's ranks in place, which leave each pair as much room as the colours alone;
 * switches of one class are left out. */
static void
test_room(void **state)
{
	static const struct {
		const char *family, *params;
		uint32_t least;
		double mean;
	} T[] = {
		{ "oft", "k=3", 1, 1.5 },
		{ "oft", "k=4", 1, 2.3 },
		{ "oft", "k=5", 2, 3.2 },
		{ "oft", "k=6", 2, 4.2 },
		{ "oft", "k=8", 4, 6.2 },
		{ "oft", "k=9", 3, 7.2 },
		{ "mlfm", "h=4", 1, 2.0 },
		{ "mlfm", "h=6", 2, 3.2 },
		{ "mlfm", "h=7", 3, 3.8 },
		{ "mlfm", "h=10", 4, 5.6 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		uint32_t least = UINT32_MAX, n = 0, sum = 0;
		struct graph x;

		start(&x, T[i].family, T[i].params);
		rank(&x);
		for (uint32_t s = 0; s < x.g.n; s++)
			for (uint32_t d = 0; d < x.g.n; d++) {
				uint32_t room;

				if (!x.g.is_source[s] || !x.g.is_source[d] ||
				    x.c.class_of[s] == x.c.class_of[d])
					continue;
				room = count_disjoint(&x.g, x.t.rank, s, d);
				CHECK(T[i].params, room >= count_disjoint(&x.g, x.colour, s, d));
				least = room < least ? room : least;
				sum += room;
				n++;
			}
		print_message("# %s %s: disjoint detours of a pair %.3f, at least %u\n", T[i].family,
			      T[i].params, (double)sum / n, least);
		CHECK(T[i].params, least >= T[i].least);
		CHECK(T[i].params, sum >= T[i].mean * n);
		end(&x);
	}
}

/* Switches with endpoints in rows and columns, each with one link to the middle switch of its row and one
 * to that of its column: lines with two links each, where a pair in another row and column has two
 * detours. */
static void
test_few_links(void **state)
{
	enum { ROWS = 4, COLUMNS = 5, LOW = ROWS * COLUMNS };
	struct moore_topo_link link[2 * LOW];
	uint16_t endpoints[LOW + ROWS + COLUMNS] = { 0 };
	uint32_t n = 0;
	struct graph x;

	(void)state;
	for (uint32_t s = 0; s < LOW; s++) {
		link[2 * s] = (struct moore_topo_link){ s, LOW + s / COLUMNS };
		link[2 * s + 1] = (struct moore_topo_link){ s, LOW + ROWS + s % COLUMNS };
		endpoints[s] = 1;
	}
	start_fabric(&x, test_fabric(LOW + ROWS + COLUMNS, link, 2 * LOW, endpoints, 0));
	assert_true(x.c.lines);
	rank(&x);
	for (uint32_t s = 0; s < LOW; s++)
		for (uint32_t d = 0; d < LOW; d++)
			if (s / COLUMNS != d / COLUMNS && s % COLUMNS != d % COLUMNS)
				n += count_disjoint(&x.g, x.t.rank, s, d);
	print_message("# %u of %u detours\n", n, 2 * LOW * (ROWS - 1) * (COLUMNS - 1));
	assert_true(100 * n >= 55 * 2 * LOW * (ROWS - 1) * (COLUMNS - 1));
	end(&x);
}

/* ---- what columns can send at once ------------------------------------------------------- */

#define MAX_N 9

/* The greatest number of arcs in use that classes of the set leave, of the run that begins with
 * a -> c: no two of them follow each other. */
static uint32_t
most_of_run(const struct moore_rpairs *p, uint32_t set, uint32_t a, uint32_t c, bool was_used)
{
	uint32_t n = p->n, b = p->to[a], with = 0, without;

	if (c == a || c == b || p->number[a * n + c] >= p->number[c * n + b])
		return 0;
	without = most_of_run(p, set, c, b, false);
	if (!was_used)
		with = (set >> a & 1) + most_of_run(p, set, c, b, true);
	return with > without ? with : without;
}

/* For each set of classes, what they can send together bounds what each of them can. */
static double
bound_of_sets(const struct moore_rpairs *p)
{
	uint32_t n = p->n;
	double least = n;

	for (uint32_t set = 1; set < 1u << n; set++) {
		double most = 0;

		for (uint32_t x = 0; x < n * n; x++) {
			uint32_t a = x / n, c = x % n, before = p->from[c];

			if (before == a || before == c || p->number[before * n + a] >= p->number[x])
				most += most_of_run(p, set, a, c, false);
		}
		most /= __builtin_popcount(set);
		least = most < least ? most : least;
	}
	return least;
}

static void
check_permutation(const struct moore_rpairs *p)
{
	for (uint32_t a = 0; a < p->n; a++)
		CHECK("a permutation without fixed points", p->to[a] != a && p->from[p->to[a]] == a);
}

/* Random numbers, all shifts and a bad permutation: never more than any set of classes can send, and
 * little less than the set that can send least. */
static void
test_share(void **state)
{
	struct moore_rng rng = { test_seed() };
	double sum = 0;
	unsigned n_open = 0;

	(void)state;
	for (uint32_t i = 0; i < 30; i++) {
		struct moore_arena tmp = MOORE_ARENA_INIT;
		uint32_t n = 4 + i % (MAX_N - 3), number[MAX_N * MAX_N], best = UINT32_MAX;
		struct moore_rpairs p;

		for (uint32_t k = 0; k < n * n; k++)
			number[k] = k;
		moore_rng_shuffle(&rng, number, n * n);
		assert_true(moore_rpairs_init(&p, n, number, &tmp));
		for (uint32_t shift = 1; shift <= n; shift++) {
			double bound;
			uint32_t share;

			if (shift < n) {
				moore_rpairs_shift(&p, shift);
				share = moore_rpairs_share(&p);
				best = share < best ? share : best;
			} else {
				share = moore_rpairs_worst(&p, &rng);
			}
			check_permutation(&p);
			bound = bound_of_sets(&p);
			CHECK("no more than possible", share <= bound * MOORE_PAIRS_ROUNDS);
			if (bound > 0) {
				sum += share / (bound * MOORE_PAIRS_ROUNDS);
				n_open++;
			}
		}
		moore_arena_free(&tmp);
	}
	print_message("# %.3f of the bound on average\n", sum / n_open);
	CHECK("little less than possible", n_open > 5 && sum > 0.9 * n_open);
}

/* Values of cuts that are kept up to date are those that are found anew. */
static void
test_bad_permutations(void **state)
{
	struct moore_rng rng = { test_seed() };
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint32_t n = MAX_N, number[MAX_N * MAX_N];
	struct moore_rpairs p;
	struct moore_rcuts c;

	(void)state;
	for (uint32_t k = 0; k < n * n; k++)
		number[k] = k;
	moore_rng_shuffle(&rng, number, n * n);
	assert_true(moore_rpairs_init(&p, n, number, &tmp));
	assert_true(moore_rcuts_init(&c, n, number, &tmp));
	for (unsigned i = 0; i < 100; i++) {	/* more than there is room for */
		moore_rpairs_worst(&p, &rng);
		moore_rcuts_add(&c, &p);
	}
	CHECK("room is bounded", c.n_cuts == c.n_room);
	moore_rcuts_begin(&c);
	for (unsigned i = 0; i < 1000; i++) {
		uint32_t arc[] = { moore_rng_below(&rng, n * n), moore_rng_below(&rng, n * n) };
		uint32_t of = number[arc[0]], kept[256];

		number[arc[0]] = number[arc[1]];
		number[arc[1]] = of;
		moore_rcuts_change(&c, arc, 2);
		for (uint32_t k = 0; k < c.n_cuts; k++)
			kept[k] = c.cut[k].value;
		moore_rcuts_begin(&c);
		for (uint32_t k = 0; k < c.n_cuts; k++)
			CHECK("kept up to date", c.cut[k].value == kept[k]);
	}
	moore_arena_free(&tmp);
}

/* ---- the spanning tree -------------------------------------------------------------------- */

/* Whether the edges are a spanning tree of which all turns are allowed. */
static bool
is_good_tree(const struct moore_rgraph *g, const struct moore_rturns *t)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < g->n; s++) {
		n += t->parent[s] != MOORE_NONE;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			for (uint32_t o = g->xadj[s]; o < g->xadj[s + 1]; o++) {
				bool in = t->parent[s] == e || t->parent[g->to[e]] == g->rev[e];
				bool out = t->parent[s] == o || t->parent[g->to[o]] == g->rev[o];

				if (in && out && e != o && t->rank[g->rev[e]] >= t->rank[o])
					return false;
			}
		if (t->parent[s] != MOORE_NONE && t->pos[g->to[t->parent[s]]] >= t->pos[s])
			return false;
	}
	return n + 1 == g->n;
}

/* Counts the turns at links that are up which both rankings allow, and checks that those which
 * common.c allows are some of them.  Returns the percentage that it allows. */
static unsigned
compare_common(const struct moore_rgraph *g, const struct moore_rturns *a,
	       const struct moore_rturns *b)
{
	struct moore_rturns c;
	unsigned n = 0, n_both = 0;

	assert_int_equal(moore_rturns_common(&c, g, a, b), 0);
	for (uint32_t s = 0; c.rank && s < g->n; s++)
		for (uint32_t i = g->xadj[s]; i < g->xadj[s + 1]; i++)
			for (uint32_t o = g->xadj[s]; o < g->xadj[s + 1]; o++) {
				uint32_t in = g->rev[i];
				bool both = a->rank[in] < a->rank[o] && b->rank[in] < b->rank[o];

				if (i == o || !(g->flags[i] & g->flags[o] & MOORE_EDGE_UP))
					continue;
				n_both += both;
				n += c.rank[in] < c.onto[o];
				assert_true(both || c.rank[in] >= c.onto[o]);
			}
	moore_rturns_fini(&c);
	return n_both ? 100 * n / n_both : 100;
}

/* Cuts each link in turn; ranks change at few links, and not at all if the link is not in the
 * tree. */
static void
cut_each(const char *family, const char *params)
{
	struct moore_rturns after;
	unsigned least = 100, percent;
	uint32_t most = 0;
	struct graph x;

	start(&x, family, params);
	rank(&x);
	assert_true(is_good_tree(&x.g, &x.t));
	assert_int_equal(moore_rturns_init(&after, &x.g, x.half, x.entry_wanted, false), 0);
	after.close = true;
	for (uint32_t e = 0; e < x.g.n_edges; e++) {
		uint32_t back = x.g.rev[e], n_changed = 0;
		bool in_tree = x.t.parent[x.g.to[e]] == back || x.t.parent[x.g.to[back]] == e;

		x.g.flags[e] = x.g.flags[back] = 0;
		assert_int_equal(moore_rturns_build(&after, &x.v, &x.t, x.colour, NULL), 0);
		assert_true(is_good_tree(&x.g, &after));
		for (uint32_t k = 0; k < x.g.n_edges; k++)
			n_changed += after.rank[k] != x.t.rank[k];
		assert_true(in_tree || !n_changed);
		most = n_changed > most ? n_changed : most;
		percent = compare_common(&x.g, &x.t, &after);
		least = percent < least ? percent : least;
		x.g.flags[e] = x.g.flags[back] = MOORE_EDGE_PLANNED | MOORE_EDGE_UP;
	}
	print_message("# %s %s: a cut link changes the ranks of at most %u of %u edges; at least %u %% "
		      "of the turns that stay allowed are common ones\n", family, params, most,
		      x.g.n_edges, least);
	assert_true(most <= x.g.n_edges / 8 && least >= 95);
	moore_rturns_fini(&after);
	end(&x);
}

static void
test_cuts(void **state)
{
	(void)state;

	cut_each("oft", "k=6");
	cut_each("mlfm", "h=6");
}

/* On an intact OFT the tree's ranks are its colours.  On an intact MLFM only the links of the other
 * switches of the root's class need ranks that are not: one each, both ways. */
static void
test_natural_tree(void **state)
{
	static const struct {
		const char *family, *params;
	} T[] = {
		{ "oft", "k=3" }, { "oft", "k=5" }, { "oft", "k=6" },
		{ "mlfm", "h=3" }, { "mlfm", "h=5" }, { "mlfm", "h=6" }, { "mlfm", "h=11" },
		{ "mlfm", "h=6 l=3" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		uint32_t n_changed = 0;
		struct graph x;

		start(&x, T[i].family, T[i].params);
		rank(&x);
		assert_true(is_good_tree(&x.g, &x.t));
		for (uint32_t e = 0; e < x.g.n_edges; e++)
			n_changed += x.t.rank[e] != x.colour[e];
		CHECK(T[i].params, n_changed <= (x.c.paired ? 2 * (x.c.size[0] - 1) : 0));
		end(&x);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_few_links),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_bad_permutations),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_natural_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

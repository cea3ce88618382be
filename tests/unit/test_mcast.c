// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_mcast.c - how many trees of random groups pass through the same switch, how large
 * the trees are, and that all of them together with unicast are acyclic. */
#include "harness.h"

#include "fabrics.h"
#include "moore/check.h"
#include "moore/lane.h"
#include "moore/route.h"

enum { GROUPS = 400 };

struct spread {
	double hot;		/* share of groups that pass through the busiest switch */
	double links;		/* links of a tree for each member but one */
};

/* Adds the tree to mask; counts its links at each switch. */
static void
walk(const struct moore_fabric *f, const uint8_t *parent, uint64_t (*mask)[4], unsigned *links)
{
	for (uint32_t s = 0; s < f->n_switches; s++) {
		const struct moore_port *p;

		if (parent[s] == 0 || parent[s] == MOORE_NO_PATH)
			continue;
		p = moore_fabric_port(f, s, parent[s]);
		moore_bits_set(mask[s], parent[s]);
		moore_bits_set(mask[p->peer], p->peer_port);
		links[s]++;
		links[p->peer]++;
	}
}

static void
judge(const char *why, const struct moore_fabric *f, const struct moore_route *r,
      const struct moore_mft *m)
{
	static const struct moore_lane_opts one_class = { { 0 } };
	static const struct moore_check_opts all = { 0 };
	struct moore_verdict *v = NULL;
	struct moore_sl2vl *lanes = NULL;

	assert_int_equal(moore_lane_effective(&lanes, f, &one_class, moore_route_entries(r), NULL), 0);
	assert_int_equal(moore_check(&v, f, moore_route_lft(r), lanes, m, &all, NULL), 0);
	CHECK(why, v->sound);
	moore_verdict_free(v);
	moore_sl2vl_free(lanes);
}

/* Groups of n random switches with endpoints; the member host is on the first port that has
 * one. */
static struct spread
try_groups(const char *why, const struct moore_fabric *f, unsigned n, struct moore_rng *rng)
{
	static const struct moore_route_opts plain = { 0 };
	unsigned *through = calloc(f->n_switches, sizeof(*through));
	unsigned *links = malloc(f->n_switches * sizeof(*links)), sum = 0, most = 0, steps = 0;
	uint8_t *parent = malloc(f->n_switches);
	moore_swid member[64];
	struct moore_route *r;
	struct moore_mft *m;

	assert_int_equal(moore_route_build(&r, f, NULL, &plain, NULL), 0);
	assert_int_equal(moore_mft_new(&m, f->n_switches, NULL), 0);
	for (unsigned g = 0; g < GROUPS; g++) {
		int64_t at = moore_mft_group(m, (uint16_t)(0xc000 + g));
		uint64_t (*mask)[4] = m->mask + (size_t)at * f->n_switches;

		memset(links, 0, f->n_switches * sizeof(*links));
		for (unsigned i = 0; i < n; i++) {
			const struct moore_endpoint *e = &f->ep[moore_rng_below(rng, f->n_endpoints)];

			member[i] = e->sw;
			moore_bits_set(mask[e->sw], e->port);
		}
		CHECK_EQ(why, moore_route_mcast(r, (uint16_t)(0xc000 + g), member, n, parent, NULL), 0);
		walk(f, parent, mask, links);
		for (uint32_t s = 0; s < f->n_switches; s++) {
			sum += links[s];
			through[s] += links[s] > 1;
		}
		steps += n - 1;
	}
	for (uint32_t s = 0; s < f->n_switches; s++)
		most = through[s] > most ? through[s] : most;
	judge(why, f, r, m);
	moore_mft_free(m);
	moore_route_free(r);
	free(through);
	free(links);
	free(parent);
	return (struct spread){ (double)most / GROUPS, sum / 2.0 / steps };
}

static void
test_spread(void **state)
{
	static const struct {
		const char *family, *params;
		uint8_t lmc;
		unsigned members;
		double hot, links;	/* upper bounds */
	} T[] = {
		{ "slimfly", "q=5 p=4", 0, 2, 0.34, 2.9 },
		{ "slimfly", "q=5 p=4", 0, 4, 0.72, 2.4 },
		{ "slimfly", "q=5 p=4", 0, 30, 1, 1.06 },
		{ "slimfly", "q=5 p=4", 2, 2, 0.76, 7.1 },
		{ "slimfly", "q=5 p=4", 2, 4, 1, 4.6 },
		{ "slimfly", "q=5 p=4", 2, 30, 1, 1.31 },
		{ "slimfly", "q=9 p=4", 0, 4, 0.73, 2.6 },
		{ "slimfly", "q=9 p=4", 2, 4, 1, 5.4 },
		{ "mlfm", "h=6", 0, 4, 0.36, 2.1 },
		{ "mlfm", "h=6", 2, 2, 0.1, 2.1 },
		{ "mlfm", "h=6", 2, 4, 0.97, 2.4 },
		{ "oft", "k=6", 0, 4, 0.3, 2.3 },
		{ "oft", "k=6", 2, 2, 0.43, 3.7 },
		{ "oft", "k=6", 2, 4, 1, 3.6 },
	};
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, T[i].lmc);
		struct spread s = try_groups(T[i].params, f, T[i].members, &rng);

		print_message("# %s %s LMC %u, groups of %u: %.3f of them through the busiest switch, "
			      "%.2f links for each further member\n", T[i].family, T[i].params, T[i].lmc,
			      T[i].members, s.hot, s.links);
		CHECK(T[i].params, s.hot <= T[i].hot);
		CHECK(T[i].params, s.links <= T[i].links);
		moore_fabric_free(f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spread),
	};

	return cmocka_run_group_tests_name("mcast", tests, NULL, NULL);
}

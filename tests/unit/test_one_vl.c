// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_one_vl.c - profile one-vl: the routes of all LIDs together have no cycle of waiting
 * links, so that no SL2VL table and no number of lanes can make one.
 *
 * The judge here follows every route and takes links for channels.  It shares nothing with
 * the router or with the checker, which is asked besides, with random SL2VL tables. */
#include "harness.h"

#include "fabrics.h"
#include "moore/check.h"
#include "moore/mix.h"
#include "moore/quality.h"
#include "moore/route.h"

static const struct moore_route_opts one_vl = { .profile = MOORE_PROFILE_ONE_VL };

/* ---- the judge ------------------------------------------------------------------------ */

struct judge {
	const struct moore_fabric *f;
	uint8_t *waits;		/* [n_ports * 256 + out port]: a packet that has left by the port may
				 * leave the next switch by that one */
	uint32_t *n_in;		/* by port: links that wait for it */
	uint32_t *queue;
};

static bool
is_link(const struct moore_fabric *f, uint32_t port)
{
	return f->port[port].role == MOORE_ROLE_SWITCH;
}

/* Follows the route of every switch to the LID, and notes which link waits for which. */
static void
follow(struct judge *j, const char *why, const struct moore_lft *t, moore_lid lid, moore_swid root)
{
	for (moore_swid s = 0; s < j->f->n_switches; s++) {
		uint32_t before = MOORE_NONE, hops = 0;

		for (moore_swid at = s; at != root; hops++) {
			uint8_t out = moore_lft_row(t, at)[lid];
			uint32_t port = j->f->sw[at].port0 + out;

			CHECK(why, out <= j->f->sw[at].n_ports && is_link(j->f, port));
			CHECK(why, hops < j->f->n_switches);
			if (before != MOORE_NONE)
				j->waits[(size_t)before * 256 + out] = 1;
			before = port;
			at = j->f->port[port].peer;
		}
	}
}

/* The link for which `port` waits over `out`, or MOORE_NONE. */
static uint32_t
next_link(const struct judge *j, uint32_t port, unsigned out)
{
	return j->waits[(size_t)port * 256 + out] ? j->f->sw[j->f->port[port].peer].port0 + out :
		MOORE_NONE;
}

/* Takes links away that nothing waits for, until none is left. */
static bool
is_acyclic(struct judge *j)
{
	uint32_t n = 0, n_links = 0, next;

	for (uint32_t p = 0; p < j->f->n_ports; p++)
		for (unsigned out = 0; out < 256; out++)
			if ((next = next_link(j, p, out)) != MOORE_NONE)
				j->n_in[next]++;
	for (uint32_t p = 0; p < j->f->n_ports; p++) {
		n_links += is_link(j->f, p);
		if (is_link(j->f, p) && !j->n_in[p])
			j->queue[n++] = p;
	}
	for (uint32_t i = 0; i < n; i++)
		for (unsigned out = 0; out < 256; out++)
			if ((next = next_link(j, j->queue[i], out)) != MOORE_NONE && !--j->n_in[next])
				j->queue[n++] = next;
	return n == n_links;
}

static bool
is_safe(const char *why, const struct moore_fabric *f, const struct moore_lft *t)
{
	struct judge j = { .f = f, .waits = calloc(f->n_ports, 256),
		.n_in = calloc(f->n_ports + 1, sizeof(*j.n_in)),
		.queue = calloc(f->n_ports + 1, sizeof(*j.queue)) };
	struct moore_lid_owner *own;
	bool safe;

	assert_int_equal(moore_fabric_lids(f, &own, NULL), 0);
	for (uint32_t lid = 1; lid <= f->lid_top; lid++)
		if (own[lid].sw != MOORE_NONE)
			follow(&j, why, t, (moore_lid)lid, own[lid].sw);
	safe = is_acyclic(&j);
	free(own);
	free(j.queue);
	free(j.n_in);
	free(j.waits);
	return safe;
}

/* ---- random lanes ----------------------------------------------------------------------- */

/* Gives each link 1, 2, 4, 8 or 15 lanes and each row of the tables random VLs but 15; some
 * switches cannot map SLs. */
static struct moore_sl2vl *
random_lanes(struct moore_fabric *f, struct moore_rng *r)
{
	static const uint8_t lanes[] = { 1, 2, 4, 8, 15 };
	struct moore_sl2vl *t = NULL;

	assert_int_equal(moore_sl2vl_new(&t, f, NULL), 0);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned o = 1; o <= f->sw[s].n_ports; o++) {
			struct moore_port *q = &f->port[f->sw[s].port0 + o];

			if (q->role == MOORE_ROLE_SWITCH && q->peer > s)
				q->lanes = f->port[f->sw[q->peer].port0 + q->peer_port].lanes =
					lanes[moore_rng_below(r, ARRAY_LEN(lanes))];
			for (unsigned i = 0; i <= f->sw[s].n_ports; i++) {
				struct moore_sl_row row;

				for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
					row.vl[sl] = (uint8_t)moore_rng_below(r, 15);
				assert_int_equal(moore_sl2vl_set(t, s, (moore_portnum)i, (moore_portnum)o,
								 &row, NULL), 0);
			}
		}
	return t;
}

static void
check_lanes(const char *why, struct moore_fabric *f, const struct moore_lft *t, struct moore_rng *r)
{
	static const struct moore_check_opts all = { 0 };
	struct moore_sl2vl *lanes = random_lanes(f, r);
	struct moore_verdict *v = NULL;

	CHECK_EQ(why, moore_check(&v, f, t, lanes, NULL, &all, NULL), 0);
	CHECK(why, v->sound);
	moore_verdict_free(v);
	moore_sl2vl_free(lanes);
}

/* Routes seen, as a part of intended (NULL: of itself), and judges the routes. */
static void
check_routes(const char *why, struct moore_fabric *seen, const struct moore_fabric *intended,
	     struct moore_rng *r)
{
	struct moore_route *route = NULL;
	struct moore_err err = { 0 };

	if (moore_route_build(&route, seen, intended, &one_vl, &err) < 0)
		fail_msg("%s: %s", why, err.text);
	CHECK(why, is_safe(why, seen, moore_route_lft(route)));
	check_lanes(why, seen, moore_route_lft(route), r);
	moore_route_free(route);
}

/* ---- tests ------------------------------------------------------------------------------ */

static const struct {
	const char *family, *params;
} FAMILIES[] = {
	{ "slimfly", "q=3" }, { "slimfly", "q=4" }, { "slimfly", "q=5" }, { "oft", "k=4" },
	{ "mlfm", "h=4" }, { "torus2d", "a=4 b=5" }, { "hypercube", "n=4" },
	{ "dragonfly", "a=4 h=2" },
};

static void
test_families(void **state)
{
	struct moore_rng r = { test_seed() };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(FAMILIES); i++)
		for (uint8_t lmc = 0; lmc < 2; lmc++) {
			struct moore_fabric *f = test_family(FAMILIES[i].family, FAMILIES[i].params, lmc);

			check_routes(FAMILIES[i].params, f, NULL, &r);
			moore_fabric_free(f);
		}
}

static bool
is_connected(const struct moore_fabric *f)
{
	uint32_t *queue = calloc(f->n_switches, sizeof(*queue)), n = 1;
	uint8_t *seen = calloc(f->n_switches, 1);

	seen[0] = 1;
	for (uint32_t i = 0; i < n; i++)
		for (unsigned p = 1; p <= f->sw[queue[i]].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, queue[i], (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && !seen[q->peer]) {
				seen[q->peer] = 1;
				queue[n++] = q->peer;
			}
		}
	free(queue);
	free(seen);
	return n == f->n_switches;
}

/* A part of each family's links, routed as what is left of the whole. */
static void
test_degraded(void **state)
{
	struct moore_rng r = { test_seed() + 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(FAMILIES); i++)
		for (unsigned draw = 0; draw < 4; draw++) {
			struct moore_fabric *whole = test_family(FAMILIES[i].family, FAMILIES[i].params, 0);
			struct moore_fabric *f = draw % 3 ? test_shuffled(whole, &r) :
				test_without(whole, moore_rng_below(&r, whole->n_switches));

			test_cut_some(f, &r, draw * 6);
			if (is_connected(f))
				check_routes(FAMILIES[i].params, f, whole, &r);
			moore_fabric_free(f);
			moore_fabric_free(whole);
		}
}

static void
test_any_graph(void **state)
{
	struct moore_rng r = { test_seed() + 2 };

	(void)state;
	for (unsigned i = 0; i < test_rounds(60); i++) {
		uint32_t n = 1 + moore_rng_below(&r, 24);
		struct moore_fabric *f = test_random_fabric(&r, n, moore_rng_below(&r, 3 * n), i & 1);

		check_routes("a random graph", f, NULL, &r);
		moore_fabric_free(f);
	}
}

/* What routes cost, against bounds that they keep with some room. */
static void
test_short(void **state)
{
	static const struct {
		const char *family, *params;
		double longer, load;	/* share of longer routes; greatest load over mean */
	} T[] = {
		{ "slimfly", "q=4", 0.21, 1.5 },
		{ "slimfly", "q=5", 0.25, 1.5 },
		{ "slimfly", "q=7", 0.23, 1.5 },
		{ "hyperx", "s1=6 s2=6 s3=1", 0.04, 1.5 },
		{ "hypercube", "n=6", 0.06, 1.5 },
		{ "oft", "k=6", 0, 1.1 },
		{ "mlfm", "h=6", 0, 1.1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, 0);
		struct moore_route *route = NULL;
		struct moore_quality *q = NULL;

		CHECK_EQ(T[i].params, moore_route_build(&route, f, NULL, &one_vl, NULL), 0);
		CHECK_EQ(T[i].params, moore_quality_measure(&q, f, moore_route_lft(route), NULL), 0);
		CHECK(T[i].params, (double)q->pairs.longer[0] <=
		      T[i].longer * (double)q->pairs.n[0]);
		CHECK(T[i].params, q->load.max <= T[i].load * q->load.mean);
		moore_quality_free(q);
		moore_route_free(route);
		moore_fabric_free(f);
	}
}

struct cuts {			/* of single links */
	unsigned n;
	double changed;		/* blocks that change, of those with a lost route */
	double load;		/* the greatest, over the mean */
};

/* Cuts the link at that port, routes again, and joins it. */
static void
cut(const char *why, struct moore_fabric *f, const struct moore_fabric *whole,
    const struct moore_route *was, struct moore_route_opts *opts, uint32_t port, struct cuts *c)
{
	struct moore_port a = f->port[port];
	struct moore_route *route = NULL;
	struct moore_quality *q = NULL;
	struct moore_churn churn;
	moore_swid s = f->port[f->sw[a.peer].port0 + a.peer_port].peer;

	moore_fabric_cut(f, a.peer, a.peer_port);
	CHECK_EQ(why, moore_route_build(&route, f, whole, opts, NULL), 0);
	CHECK(why, is_safe(why, f, moore_route_lft(route)));
	CHECK_EQ(why, moore_churn(&churn, f, moore_route_lft(was), moore_route_lft(route), NULL), 0);
	CHECK_EQ(why, moore_quality_measure(&q, f, moore_route_lft(route), NULL), 0);
	c->n++;
	c->load = q->load.max > c->load * q->load.mean ? q->load.max / q->load.mean : c->load;
	c->changed += (double)churn.changed.blocks / (double)churn.lost.blocks;
	moore_quality_free(q);
	moore_route_free(route);
	moore_fabric_link(f, s, (moore_portnum)(port - f->sw[s].port0), a.peer, a.peer_port, a.lanes);
}

/* What a lost link costs, against bounds that hold with some room. */
static void
test_cuts(void **state)
{
	static const struct {
		const char *family, *params;
		unsigned every;		/* one link in so many is cut, with sanitizers fewer */
		double changed;		/* greatest mean */
		double load;
	} T[] = {
		{ "slimfly", "q=5", 5, 1.4, 1.7 },
		{ "slimfly", "q=7", 40, 1.2, 1.7 },
		{ "oft", "k=6", 7, 1, 2.9 },
		{ "mlfm", "h=6", 5, 1, 1.9 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, 0);
		struct moore_fabric *whole = test_family(T[i].family, T[i].params, 0);
		struct moore_ranks *ranks = NULL;
		struct moore_route_opts opts = { .profile = MOORE_PROFILE_ONE_VL, .ranks = &ranks };
		struct moore_route *was = NULL;
		struct cuts c = { 0 };

		CHECK_EQ(T[i].params, moore_route_build(&was, f, whole, &opts, NULL), 0);
		for (uint32_t p = 0, n = 0; p < f->n_ports; p++)
			if (is_link(f, p) && n++ % (2 * T[i].every * TEST_SHARE) == 0)
				cut(T[i].params, f, whole, was, &opts, p, &c);
		CHECK(T[i].params, c.changed <= T[i].changed * c.n);
		if (c.load > T[i].load)
			fail_msg("%s: the greatest load is %.2f times the mean", T[i].params, c.load);
		moore_route_free(was);
		moore_ranks_free(ranks);
		moore_fabric_free(f);
		moore_fabric_free(whole);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_degraded),
		cmocka_unit_test(test_any_graph),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

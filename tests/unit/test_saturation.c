// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_saturation.c - bounds of traffic patterns against cases solved by hand and, on small
 * random graphs, against every division of the flows in sixteenths. */
#include "harness.h"
#include "fabrics.h"
#include "moore/route.h"
#include "moore/saturation.h"

static const struct moore_saturation_opts opts = { .seed = 1, .starts = 2 };

static uint8_t
port_to(const struct moore_fabric *f, moore_swid s, moore_swid n)
{
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

		if (q->role == MOORE_ROLE_SWITCH && q->peer == n)
			return (uint8_t)p;
	}
	return MOORE_NO_PATH;
}

/* ---- by hand ------------------------------------------------------------------ */

/* A square 0-1-2-3 with one endpoint at each switch.  Each hop at offset k goes step[k]
 * switches ahead: 1, or 3 (back); 9 leaves the LID without a route. */
static struct moore_lft *
square_tables(struct moore_fabric **f, uint8_t lmc, const char *step)
{
	static const struct moore_topo_link square[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 } };
	static const uint16_t one[4] = { 1, 1, 1, 1 };
	struct moore_lft *lft = NULL;

	*f = test_fabric(4, square, 4, one, lmc);
	assert_int_equal(moore_lft_new(&lft, 4, (*f)->lid_top, NULL), 0);
	for (moore_epid e = 0; e < 4; e++)
		for (unsigned k = 0; k < 1u << lmc; k++)
			for (moore_swid s = 0; s < 4; s++)
				moore_lft_row(lft, s)[(*f)->ep[e].lid + k] = step[k] == '9' ?
					MOORE_NO_PATH : s == (*f)->ep[e].sw ? (*f)->ep[e].port :
					port_to(*f, s, (s + (unsigned)(step[k] - '0')) % 4);
	return lft;
}

static const struct row {
	const char *why;
	uint8_t lmc;
	const char *step;
	enum moore_pattern pattern;
	unsigned flows, ways;
	double alone[2], even, global, pair;	/* pair 0: not computed */
} rows[] = {
	{ "one ahead, one link each", 0, "1", MOORE_PATTERN_SHIFT, 4, 1, { 1 }, 1, 1, 1 },
	{ "one ahead the long way", 0, "3", MOORE_PATTERN_SHIFT, 4, 1, { 3 }, 3, 3, 3 },
	{ "a quarter goes round: 3/4 ahead, 3 * 1/4 back", 1, "13", MOORE_PATTERN_SHIFT, 4, 2,
	  { 1, 3 }, 1.5, 0.75, 0.75 },
	{ "the same twice helps nobody", 1, "11", MOORE_PATTERN_SHIFT, 4, 1, { 1, 1 }, 1, 1, 1 },
	{ "an offset without routes is left out", 1, "19", MOORE_PATTERN_SHIFT, 4, 1, { 1, 0 }, 1, 1, 1 },
	{ "opposite corners share links", 0, "1", MOORE_PATTERN_OVERLAP, 4, 1, { 2 }, 2, 2, 2 },
	{ "both ways round", 1, "13", MOORE_PATTERN_OVERLAP, 4, 2, { 2, 2 }, 1, 1, 1 },
	{ "any permutation at distance two is the same one", 1, "13", MOORE_PATTERN_RANDOM, 4, 2,
	  { 2, 2 }, 1, 1, 1 },
	{ "and no other is worse", 1, "13", MOORE_PATTERN_ADVERSARY, 4, 2, { 2, 2 }, 1, 1, 1 },
	/* each endpoint sends a third to each other one; a link ahead is on 1 + 2 + 3
	 * routes */
	{ "everybody to everybody, ahead", 0, "1", MOORE_PATTERN_UNIFORM, 12, 1, { 2 }, 2, 2, 0 },
	{ "everybody to everybody, both ways", 1, "13", MOORE_PATTERN_UNIFORM, 12, 2, { 2, 2 }, 1, 1, 0 },
	{ "an offset without routes takes nothing", 1, "19", MOORE_PATTERN_UNIFORM, 12, 1, { 2, 0 }, 2, 2, 0 },
};

static bool
is(double got, double want)		/* to the precision of the iteration */
{
	return got > want * 0.99 - 1e-9 && got < want * 1.01 + 1e-9;
}

static void
by_hand(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *r = &rows[i];
		struct moore_saturation s;
		struct moore_fabric *f;
		struct moore_lft *lft = square_tables(&f, r->lmc, r->step);

		CHECK_EQ(r->why, moore_saturation_measure(&s, NULL, f, lft, r->pattern, &opts, NULL), 0);
		CHECK_EQ(r->why, s.n_offsets, 1 << r->lmc);
		CHECK_EQ(r->why, s.n_flows, r->flows);
		CHECK_EQ(r->why, s.idle, 0);
		for (unsigned k = 0; k < s.n_offsets; k++)
			CHECK(r->why, is(s.alone[k], r->alone[k]));
		CHECK(r->why, is(s.even, r->even));
		if (r->pattern != MOORE_PATTERN_UNIFORM) {
			CHECK_EQ(r->why, s.first.least, r->ways);
			CHECK_EQ(r->why, s.last.least, r->ways);
			CHECK(r->why, is(s.first.mean, r->ways) && is(s.last.mean, r->ways));
		}
		CHECK(r->why, is(s.global, r->global));
		CHECK(r->why, is(s.pair, r->pair));
		CHECK(r->why, s.pair_bound <= s.pair + 1e-9);
		CHECK(r->why, s.pair_bound >= r->pair * 0.99);
		moore_lft_free(lft);
		moore_fabric_free(f);
	}
}

/* Without the route to offset 0 of one endpoint and to offset 1 of another, no offset serves all
 * pairs; without either, pairs have no route. */
static void
routes_missing(void **state)
{
	static const struct {
		const char *why;
		enum moore_pattern pattern;
		moore_epid other;	/* whose offset 1 has no route; offset 0 lacks that to endpoint 0 */
		unsigned flows, unrouted;
		double even;
	} T[] = {
		/* From 0 to 1 go three thirds for 1, and halves of two thirds for 2 and of one
		 * for 3. */
		{ "each lacks another", MOORE_PATTERN_UNIFORM, 1, 12, 0, 1.5 },
		{ "one lacks both", MOORE_PATTERN_UNIFORM, 0, 9, 3, 1 },
		/* From 1 to 0 goes all for 0, and halves of what 1 and 2 send. */
		{ "each lacks another, by a shift", MOORE_PATTERN_SHIFT, 1, 4, 0, 2 },
		{ "one lacks both, by a shift", MOORE_PATTERN_SHIFT, 0, 3, 1, 1.5 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_saturation s;
		struct moore_fabric *f;
		struct moore_lft *lft = square_tables(&f, 1, "13");

		for (moore_swid sw = 0; sw < 4; sw++) {
			moore_lft_row(lft, sw)[f->ep[0].lid] = MOORE_NO_PATH;
			moore_lft_row(lft, sw)[f->ep[T[i].other].lid + 1] = MOORE_NO_PATH;
		}
		CHECK_EQ(T[i].why, moore_saturation_measure(&s, NULL, f, lft, T[i].pattern, &opts, NULL), 0);
		CHECK_EQ(T[i].why, s.n_flows, T[i].flows);
		CHECK_EQ(T[i].why, s.n_unrouted, T[i].unrouted);
		CHECK(T[i].why, is(s.alone[0], 0) && is(s.alone[1], 0) && is(s.global, 0));
		CHECK(T[i].why, is(s.even, T[i].even));
		moore_lft_free(lft);
		moore_fabric_free(f);
	}
}

/* ---- the patterns of the papers -------------------------------------------------- */

static const struct {
	const char *why, *family, *params;
	enum moore_pattern pattern;
	bool fits;
} kinds[] = {
	{ "Slim Fly: switches with endpoints are linked", "slimfly", "q=5", MOORE_PATTERN_OVERLAP, true },
	{ "the other paper's", "slimfly", "q=5", MOORE_PATTERN_YEBENES, true },
	{ "no two with endpoints are linked", "oft", "k=4", MOORE_PATTERN_MATCHING, false },
	{ "a shift is no worst case there", "slimfly", "q=5", MOORE_PATTERN_SHIFT, false },
	{ "OFT: middle switches between", "oft", "k=4", MOORE_PATTERN_SHIFT, true },
	{ "MLFM likewise", "mlfm", "h=4", MOORE_PATTERN_SHIFT, true },
	{ "nothing there is two apart and linked", "mlfm", "h=4", MOORE_PATTERN_OVERLAP, false },
	{ "uniform is for all", "oft", "k=4", MOORE_PATTERN_UNIFORM, true },
};

static void
fits(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct moore_fabric *f = test_family(kinds[i].family, kinds[i].params, 0);

		CHECK_EQ(kinds[i].why, moore_pattern_fits(f, kinds[i].pattern), kinds[i].fits);
		moore_fabric_free(f);
	}
}

/* Minimal tables: each LID is routed by the lowest port that leads nearer. */
static struct moore_lft *
minimal(const struct moore_fabric *f)
{
	uint32_t *dist = calloc(f->n_switches, sizeof(*dist));
	struct moore_lft *lft = NULL;

	assert_int_equal(moore_lft_new(&lft, f->n_switches, f->lid_top, NULL), 0);
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		const struct moore_endpoint *ep = &f->ep[e];

		memset(dist, 0xff, f->n_switches * sizeof(*dist));
		dist[ep->sw] = 0;
		moore_lft_row(lft, ep->sw)[ep->lid] = ep->port;
		for (uint32_t d = 0; d < 3; d++)
			for (moore_swid s = 0; s < f->n_switches; s++)
				for (unsigned p = 1; dist[s] > d + 1 && p <= f->sw[s].n_ports; p++) {
					const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

					if (q->role != MOORE_ROLE_SWITCH || dist[q->peer] != d)
						continue;
					dist[s] = d + 1;
					moore_lft_row(lft, s)[ep->lid] = (uint8_t)p;
				}
	}
	free(dist);
	return lft;
}

static const struct {
	const char *why, *family, *params;
	enum moore_pattern pattern;
	unsigned per_switch;
	double load;		/* of minimal routes, according to the papers */
} papers[] = {
	{ "2p: two flows of p meet", "slimfly", "q=5 p=4", MOORE_PATTERN_OVERLAP, 4, 8 },
	{ "2p at another size", "slimfly", "q=7 p=5", MOORE_PATTERN_OVERLAP, 5, 10 },
	{ "k", "oft", "k=4", MOORE_PATTERN_SHIFT, 4, 4 },
	{ "h", "mlfm", "h=4", MOORE_PATTERN_SHIFT, 4, 4 },
};

static void
as_in_the_papers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(papers); i++) {
		struct moore_fabric *f = test_family(papers[i].family, papers[i].params, 0);
		struct moore_lft *lft = minimal(f);
		struct moore_saturation s;

		CHECK_EQ(papers[i].why, moore_saturation_measure(&s, NULL, f, lft, papers[i].pattern, &opts, NULL), 0);
		CHECK(papers[i].why, is(s.alone[0], papers[i].load));
		CHECK_EQ(papers[i].why, s.n_flows, f->n_endpoints - s.idle * papers[i].per_switch);
		moore_lft_free(lft);
		moore_fabric_free(f);
	}
}

/* Layers under any-sl: how much they raise the rate of a switch that sends everything to
 * one other switch, over the minimal 1/2p. */
static void
layers_help(void **state)
{
	static const struct {
		enum moore_pattern pattern;
		double times;
	} worst[] = { { MOORE_PATTERN_OVERLAP, 7 }, { MOORE_PATTERN_YEBENES, 2.99 } };
	struct moore_fabric *f = test_family("slimfly", "q=13 p=9", 2);
	const struct moore_route_opts plain = { .seed = 0 };
	struct moore_route *r = NULL;
	(void)state;

	CHECK_EQ("routed", moore_route_build(&r, f, NULL, &plain, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(worst); i++) {
		struct moore_saturation s;

		CHECK_EQ("measured", moore_saturation_measure(&s, NULL, f, moore_route_lft(r),
							      worst[i].pattern, &opts, NULL), 0);
		print_message("# q=13 p=9 %s: %.2f times minimal\n", moore_pattern_name(worst[i].pattern),
			      s.alone[0] / s.pair);
		CHECK("as many times minimal", s.alone[0] / s.pair >= worst[i].times);
	}
	moore_route_free(r);
	moore_fabric_free(f);
}

/* ---- every division ---------------------------------------------------------------- */

/* A random in-tree towards ep's switch. */
static void
random_tree(struct moore_rng *rng, const struct moore_fabric *f, struct moore_lft *lft,
	    const struct moore_endpoint *ep, unsigned lid)
{
	bool in[8] = { false };
	unsigned left = f->n_switches - 1;

	in[ep->sw] = true;
	moore_lft_row(lft, ep->sw)[lid] = ep->port;
	while (left) {
		moore_swid s = moore_rng_below(rng, f->n_switches);
		unsigned p = 1 + moore_rng_below(rng, f->sw[s].n_ports);
		const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

		if (in[s] || q->role != MOORE_ROLE_SWITCH || !in[q->peer])
			continue;
		in[s] = true;
		left--;
		moore_lft_row(lft, s)[lid] = (uint8_t)p;
	}
}

#define FLOWS 4
#define PARTS 16

/* The greatest load if switch s sends to s + 1 and puts part[s] sixteenths on offset 1. */
static double
greatest(const struct moore_fabric *f, const struct moore_lft *lft, const unsigned *part)
{
	unsigned load[8][16] = { { 0 } }, top = 0;

	for (moore_swid s = 0; s < FLOWS; s++)
		for (unsigned k = 0; k < 2; k++) {
			unsigned lid = f->ep[(s + 1) % FLOWS].lid + k, units = k ? part[s] : PARTS - part[s];

			for (moore_swid at = s; at != (s + 1) % FLOWS;) {
				uint8_t p = moore_lft_row(lft, at)[lid];

				if ((load[at][p] += units) > top)
					top = load[at][p];
				at = moore_fabric_port(f, at, p)->peer;
			}
		}
	return (double)top / PARTS;
}

static void
every_division(void **state)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 }, { 0, 2 } };
	static const uint16_t one[FLOWS] = { 1, 1, 1, 1 };
	struct moore_rng rng = { test_seed() };

	(void)state;
	for (unsigned round = 0; round < test_rounds(20); round++) {
		struct moore_fabric *f = test_fabric(FLOWS, link, ARRAY_LEN(link), one, 1);
		struct moore_lft *lft = NULL;
		struct moore_saturation got;
		unsigned part[FLOWS] = { 0 };
		double best = 1e9;
		int i;

		assert_int_equal(moore_lft_new(&lft, FLOWS, f->lid_top, NULL), 0);
		for (moore_epid e = 0; e < FLOWS; e++)
			for (unsigned k = 0; k < 2; k++)
				random_tree(&rng, f, lft, &f->ep[e], f->ep[e].lid + k);
		do {
			double load = greatest(f, lft, part);

			best = load < best ? load : best;
			for (i = 0; i < FLOWS && part[i] == PARTS; i++)
				part[i] = 0;
			if (i < FLOWS)
				part[i]++;
		} while (i < FLOWS);
		CHECK_EQ("it is measured", moore_saturation_measure(&got, NULL, f, lft, MOORE_PATTERN_SHIFT,
								    &opts, NULL), 0);
		CHECK("no division beats the bound", got.pair_bound <= best + 1e-9);
		CHECK("no division beats the shares found", got.pair <= best * 1.02);
		CHECK("the bound is near", got.pair_bound >= got.pair * 0.99);
		CHECK("own shares are no worse than common ones", got.pair <= got.global * 1.02);
		moore_lft_free(lft);
		moore_fabric_free(f);
	}
}

static void
out_of_memory(void **state)
{
	struct moore_saturation s;
	struct moore_fabric *f;
	struct moore_lft *lft = square_tables(&f, 1, "13");
	struct moore_err err;

	(void)state;
	CHECK_OOM("flows", moore_saturation_measure(&s, NULL, f, lft, MOORE_PATTERN_SHIFT, &opts, &err), (void)0);
	moore_lft_free(lft);
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(routes_missing),
		cmocka_unit_test(fits),
		cmocka_unit_test(as_in_the_papers),
		cmocka_unit_test(layers_help),
		cmocka_unit_test(every_division),
		cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

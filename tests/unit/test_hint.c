// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_hint.c - profile sl-hint: the four tables by brute force, and routes in which every
 * pair of LIDs has an SL that is right in both directions.  A table is tested link by link
 * against its definition, and the checker tests all routes together. */
#include "harness.h"

#include "fabrics.h"
#include "moore/check.h"
#include "moore/dumps.h"
#include "moore/conf.h"
#include "moore/engine.h"
#include "moore/lane.h"
#include "moore/quality.h"
#include "moore/route.h"
#include "moore/saturation.h"

enum { A, B, C, D };
enum { DDD, DDU, DUD, DUU, UDD, UDU, UUD, UUU };	/* a bit for each hop, the first hop
							 * highest; 1 is up */

/* True if the table is right for the route over switches with these places in the order:
 * the VL never falls, and it rises at each turn from down to up. */
static bool
right(unsigned table, const uint32_t *place, unsigned n_hops)
{
	unsigned vl = 0;

	for (unsigned i = 1; i < n_hops; i++) {
		const uint32_t *p = place + i;
		unsigned next = moore_hint_vl(table, p[-1], p[0], p[1]);

		if (next < vl || (next == vl && p[0] > p[-1] && p[1] < p[0]))
			return false;
		vl = next;
	}
	return true;
}

static unsigned
pattern(const uint32_t *place, unsigned n_hops)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < n_hops; i++)
		bits = bits << 1 | (place[i + 1] < place[i]);
	return bits;
}

/* All routes of three hops: every order of four switches. */
enum { N_WAYS = 24 };

static void
ways(uint32_t place[N_WAYS][4])
{
	unsigned n = 0;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t p[4] = { i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6 };

		if ((1u << p[0] | 1u << p[1] | 1u << p[2] | 1u << p[3]) == 15)
			memcpy(place[n++], p, sizeof(p));
	}
	assert_int_equal(n, N_WAYS);
}

/* True if the turn from up to down leads to a greater switch than it comes from. */
static bool
greater(const uint32_t *p)
{
	return p[1] < p[0] && p[2] > p[1] ? p[2] < p[0] : p[3] < p[1];
}

static void
test_patterns(void **state)
{
	/* masks of the patterns for which the table is wrong, if the turn from up to down
	 * leads to a lesser switch, and to a greater one */
	static const struct {
		const char *why;
		unsigned table, wrong[2];
	} T[] = {
		{ "A is wrong only for duu, dud", A, { 1 << DUU | 1 << DUD, 1 << DUU | 1 << DUD } },
		{ "B is wrong for dud, uud to a lesser, udu, udd to a greater", B,
		  { 1 << DUD | 1 << UUD, 1 << UDU | 1 << UDD } },
		{ "C is wrong for dud, uud to a greater, udu, udd to a lesser", C,
		  { 1 << UDU | 1 << UDD, 1 << DUD | 1 << UUD } },
		{ "D is wrong only for udu, ddu", D, { 1 << UDU | 1 << DDU, 1 << UDU | 1 << DDU } },
	};
	uint32_t way[N_WAYS][4];
	(void)state;

	ways(way);
	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		for (unsigned w = 0; w < N_WAYS; w++) {
			CHECK_EQ(T[i].why, right(T[i].table, way[w], 3),
				 !(T[i].wrong[greater(way[w])] >> pattern(way[w], 3) & 1));
			CHECK("two hops are right in every table", right(T[i].table, way[w], 2));
		}
}

static void
test_pairs(void **state)
{
	uint32_t way[N_WAYS][4];
	unsigned without = 0;
	(void)state;

	ways(way);
	for (unsigned i = 0; i < N_WAYS; i++)
		for (unsigned k = 0; k < N_WAYS; k++) {
			unsigned p = pattern(way[i], 3), q = pattern(way[k], 3);
			bool some = false;

			for (unsigned t = A; t <= D; t++)
				some |= right(t, way[i], 3) && right(t, way[k], 3);
			CHECK_EQ("every pair but dud with udu of one kind has a table", some,
				 !(((p == DUD && q == UDU) || (p == UDU && q == DUD)) &&
				   greater(way[i]) == greater(way[k])));
			without += !some;
		}
	CHECK("some pairs have none", without);
}

/* Routes up, down, up, down over an indirect switch i: table C is right if i comes before
 * both ends in the order, B if it comes after both, and no other table. */
static void
test_four_hops(void **state)
{
	(void)state;

	for (uint32_t s = 2; s < 5; s++)
		for (uint32_t i = 2; i < 5; i++)
			for (uint32_t d = 2; d < 5; d++) {
				const uint32_t place[5] = { s, 0, i, 1, d };
				bool above = i < s && i < d, below = i > s && i > d;

				if (s == i || i == d || s == d)
					continue;
				CHECK("A", !right(A, place, 4));
				CHECK_EQ("B", right(B, place, 4), below);
				CHECK_EQ("C", right(C, place, 4), above);
				CHECK("D", !right(D, place, 4));
			}
}

/* Tries all orders of five switches: what is possible for four hops on two lanes. */
static void
test_four_hops_in_general(void **state)
{
	enum { DUDU = 5, UDUD = 10 };
	static const char *const why[] = {
		[DUDU] = "dudu turns from down to up twice: three lanes",
		[UDUD] = "udud over a switch between its ends has none", [15] = "uuuu",
	};
	unsigned n = 0, none[16] = { 0 }, meet = 0, right_in[120];
	(void)state;

	for (uint32_t i = 0; i < 3125; i++) {
		uint32_t p[5] = { i % 5, i / 5 % 5, i / 25 % 5, i / 125 % 5, i / 625 }, seen = 0;

		for (unsigned k = 0; k < 5; k++)
			seen |= 1u << p[k];
		if (seen != 31)
			continue;
		right_in[n] = 0;
		for (unsigned t = A; t <= D; t++)
			right_in[n] |= (unsigned)right(t, p, 4) << t;
		none[pattern(p, 4)] += !right_in[n++];
	}
	assert_int_equal(n, 120);
	for (unsigned k = 0; k < 16; k++)
		CHECK_EQ(why[k] ? why[k] : "the others have a table", none[k],
			 k == DUDU ? 16 : k == UDUD ? 6 : 0);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < n; k++)
			meet += (right_in[i] & right_in[k]) != 0;
	CHECK_EQ("two of five pairs of routes have a table in common", meet, 5878);
}

/* Tries all 16 rules that depend only on directions: none is right for both dud and udu. */
static void
test_none_covers_the_rest(void **state)
{
	(void)state;

	for (unsigned rule = 0; rule < 16; rule++) {
		/* bit (in_up * 2 + out_up) of the rule is the VL after that turn */
		unsigned du = rule >> 1 & 1, ud = rule >> 2 & 1;
		bool dud = du && ud, udu = du && !ud;

		CHECK("one of them is wrong", !(dud && udu));
	}
}

/* ---- routes -------------------------------------------------------------------- */

static const struct moore_lane_opts one_class = { { 0 } };

static const struct moore_route_opts hinted = { .profile = MOORE_PROFILE_SL_HINT };

static struct moore_route_opts
of_kind(enum moore_layers layers)
{
	return (struct moore_route_opts){ .profile = MOORE_PROFILE_SL_HINT, .layers = layers };
}

/* True if the SL's table is right from switch s to that LID on these lanes. */
static bool
right_on(const struct moore_fabric *f, const struct moore_route *r, const struct moore_sl2vl *lanes,
	 const struct moore_lid_owner *own, moore_swid s, unsigned lid, unsigned sl)
{
	const uint32_t *pos = moore_route_order(r);
	int vl = -1;
	bool was_up = true;
	unsigned in = 0;

	for (unsigned hops = 0; s != own[lid].sw; hops++) {
		uint8_t out = moore_lft_row(moore_route_lft(r), s)[lid];
		const struct moore_port *p = moore_fabric_port(f, s, out);
		int next = moore_sl2vl_get(lanes, s, (moore_portnum)in, out)->vl[sl];
		bool up = pos[p->peer] < pos[s];

		CHECK("routed", out != MOORE_NO_PATH && hops < 200);
		if (next == 15)
			return false;
		next &= 1;	/* masks merge classes, but keep which VL of its pair it is */
		if (f->sw[s].maps_sl && (next < vl || (next == vl && !was_up && up)))
			return false;
		vl = f->sw[s].maps_sl ? next : 0;
		was_up = up;
		in = p->peer_port;
		s = p->peer;
	}
	return true;
}

/* For random pairs of LIDs, checks that the SL is right in both directions and in the set. */
static void
try_pairs(const struct moore_fabric *f, const struct moore_route *r,
	  const struct moore_lane_opts *o, const struct moore_sl2vl *lanes, const struct moore_sl_set *set, struct moore_rng *rng,
	  unsigned n)
{
	struct moore_lid_owner *own;
	const uint32_t top = f->lid_top;

	assert_int_equal(moore_fabric_lids(f, &own, NULL), 0);
	while (n--) {
		moore_lid a = (moore_lid)(1 + moore_rng_below(rng, top));
		moore_lid b = (moore_lid)(1 + moore_rng_below(rng, top));
		uint8_t asked = (uint8_t)moore_rng_below(rng, MOORE_N_SL);
		uint8_t sl = moore_lane_hint_sl(o, asked, moore_route_right(r, a, b));
		moore_swid s = own[a].sw, d = own[b].sw;

		if (s == MOORE_NONE || d == MOORE_NONE ||
		    moore_lft_row(moore_route_lft(r), s)[b] == MOORE_NO_PATH)
			continue;
		CHECK_EQ("the class that was asked for", sl / 4, o->sl_class[asked]);
		CHECK_EQ("asked from the other side", moore_lane_hint_sl(o, asked,
			 moore_route_right(r, b, a)), sl);
		CHECK("right there", right_on(f, r, lanes, own, s, b, sl));
		CHECK("right back", right_on(f, r, lanes, own, d, a, sl));
		CHECK("in the set", moore_sl_set_row(set, s)[b] >> sl & 1);
		CHECK("base LIDs take table A", own[a].offset || own[b].offset ||
		      moore_lane_hint_sl(o, asked & 12, moore_route_right(r, a, b)) % 4 == A);
		CHECK("SL 0 serves base and switch LIDs", (own[b].offset && own[b].ep != MOORE_NONE) ||
		      right_on(f, r, lanes, own, s, b, 0));
	}
	free(own);
}

static struct moore_verdict *
judge(const char *why, const struct moore_fabric *seen, const struct moore_route *r,
      const struct moore_lane_opts *o, struct moore_rng *rng)
{
	struct moore_sl2vl *lanes = NULL;
	struct moore_sl_set *set = NULL;
	struct moore_verdict *v = NULL;
	struct moore_err err = { 0 };

	CHECK_EQ(why, moore_lane_hint_effective(&lanes, seen, o, moore_route_order(r),
						moore_route_entries(r), &err), 0);
	CHECK_EQ(why, moore_route_sl_set(r, &set, &err), 0);
	moore_lane_hint_spread(o, set);
	CHECK_EQ(why, moore_check(&v, seen, moore_route_lft(r), lanes, NULL,
				  &(struct moore_check_opts){ .sl_set = set }, &err), 0);
	CHECK(why, v->acyclic);
	CHECK_EQ(why, v->unreachable, 0);
	CHECK_EQ(why, v->dropped, 0);
	CHECK(why, v->sound);
	try_pairs(seen, r, o, lanes, set, rng, 3000);
	moore_sl_set_free(set);
	moore_sl2vl_free(lanes);
	return v;
}

static struct moore_verdict *
route_and_judge(const char *why, const struct moore_fabric *seen,
		const struct moore_fabric *intended, const struct moore_lane_opts *o,
		enum moore_layers layers, struct moore_rng *rng)
{
	const struct moore_route_opts opts = of_kind(layers);
	struct moore_verdict *v;
	struct moore_route *r;
	struct moore_err err;

	if (moore_route_build(&r, seen, intended, &opts, &err) < 0)
		fail_msg("%s: %s", why, err.text);
	v = judge(why, seen, r, o, rng);
	moore_route_free(r);
	return v;
}

static bool
are_neighbours(const struct moore_fabric *f, moore_swid a, moore_swid b)
{
	for (unsigned p = 1; p <= f->sw[a].n_ports; p++) {
		const struct moore_port *q = moore_fabric_port(f, a, (moore_portnum)p);

		if (q->role == MOORE_ROLE_SWITCH && q->peer == b)
			return true;
	}
	return false;
}

/* Pairs of a switch and an endpoint at distance two with several routes of two hops. */
static uint64_t
count_ties(const struct moore_fabric *f)
{
	uint8_t *ways = malloc(f->n_switches);
	uint64_t n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		memset(ways, 0, f->n_switches);
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *a = moore_fabric_port(f, s, (moore_portnum)p);

			for (unsigned o = 1; a->role == MOORE_ROLE_SWITCH && o <= f->sw[a->peer].n_ports; o++) {
				const struct moore_port *b = moore_fabric_port(f, a->peer, (moore_portnum)o);

				if (b->role == MOORE_ROLE_SWITCH)
					ways[b->peer]++;
			}
		}
		for (moore_epid e = 0; e < f->n_endpoints; e++)
			n += f->ep[e].sw != s && ways[f->ep[e].sw] > 1 && !are_neighbours(f, s, f->ep[e].sw);
	}
	free(ways);
	return n;
}

/* Checks the quality of all offsets together and of each layer. */
static void
judge_quality(const char *why, const struct moore_fabric *f, double load, unsigned three,
	      unsigned indirect)
{
	unsigned deg = (f->n_ports - f->n_switches - f->n_endpoints) / f->n_switches;
	/* A tree enters its root through one neighbour.  All switches have three hops,
	 * except the root's other neighbours, that neighbour, and the neighbours of that
	 * neighbour. */
	uint64_t most = (uint64_t)(f->n_switches - 2 * deg) * f->n_endpoints, ties = count_ties(f);
	struct moore_quality *q;
	struct moore_route *r;

	assert_int_equal(moore_route_build(&r, f, NULL, &hinted, NULL), 0);
	assert_int_equal(moore_quality_measure(&q, f, moore_route_lft(r), NULL), 0);
	print_message("# %s: load %.3f, longer %.1f of 100, three hops or four of those that can", why,
		      q->load.max / q->load.mean, 100 * (double)q->pairs.longer[0] / (double)q->pairs.n[0]);
	for (unsigned k = 1; k < q->n_offsets; k++) {
		print_message(" %.2f", 100 * (double)q->offset[k].pairs.longer[2] / (double)most);
		CHECK(why, 100 * q->offset[k].pairs.longer[2] >= three * most || !three);
		/* of pairs at distance two only those with several minimal routes */
		CHECK(why, !three || q->offset[k].hops[4] <= q->pairs.n[1] + ties);
		CHECK_EQ(why, q->offset[k].hops[5], 0);
	}
	print_message("\n");
	CHECK(why, q->load.max <= load * q->load.mean);
	CHECK(why, 100 * q->pairs.longer[0] >= indirect * q->pairs.n[0]);
	moore_quality_free(q);
	moore_route_free(r);
}

static void
test_families(void **state)
{
	static const struct {
		const char *family, *params;
		double load;		/* greatest over mean load, all offsets together */
		unsigned three;		/* least share (per cent) of routes of three hops or four in
					 * each layer, of those possible */
		unsigned indirect;	/* least share (per cent) of pairs with a longer route in
					 * some layer */
	} T[] = {
		{ "slimfly", "q=5 p=4", 1.25, 99, 99 },
		{ "slimfly", "q=7 p=4", 1.35, 98, 99 },
		{ "slimfly", "q=9 p=4", 1.25, 97, 99 },
		{ "slimfly", "q=11 p=8", 1.35, 97, 99 },
		{ "slimfly", "q=13 p=9", 1.3, 97, 99 },
		{ "mlfm", "h=4", 1.5, 0, 92 },
		{ "mlfm", "h=6", 1.4, 0, 96 },
		{ "oft", "k=4", 1.6, 0, 93 },
		{ "oft", "k=6", 1.55, 0, 98 },
	};
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, 2);
		struct moore_verdict *v = route_and_judge(T[i].params, f, NULL, &one_class,
							MOORE_LAYERS_VALIANT3, &rng);

		CHECK_EQ("two lanes", v->vls & ~3, 0);
		judge_quality(T[i].params, f, T[i].load, T[i].three, T[i].indirect);
		moore_verdict_free(v);
		moore_fabric_free(f);
	}
}

/* Trees at offset 1 of the endpoints of switch s: columns that differ elsewhere than at s. */
static uint32_t
count_trees(const struct moore_fabric *f, const struct moore_lft *t, moore_swid s)
{
	uint32_t n = 0;

	for (moore_epid a = 0; a < f->n_endpoints; a++) {
		bool is_new = f->ep[a].sw == s;

		for (moore_epid b = 0; is_new && b < a; b++) {
			bool differ = f->ep[b].sw != s;

			for (moore_swid x = 0; !differ && x < f->n_switches; x++)
				differ = x != s && moore_lft_row(t, x)[f->ep[a].lid + 1] !=
					moore_lft_row(t, x)[f->ep[b].lid + 1];
			is_new = differ;
		}
		n += is_new;
	}
	return n;
}

/* With two LIDs, the hosts of a switch of a large fabric share trees.  Such a tree comes to the switch over
 * several links, so that none stands out. */
static void
test_shared_trees(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=23 p=14", 1);
	struct moore_rng rng = { test_seed() };
	struct moore_quality *q;
	struct moore_route *r;
	uint32_t n_trees;
	(void)state;

	assert_int_equal(moore_route_build(&r, f, NULL, &hinted, NULL), 0);
	moore_verdict_free(judge("q=23", f, r, &one_class, &rng));
	assert_int_equal(moore_quality_measure(&q, f, moore_route_lft(r), NULL), 0);
	n_trees = count_trees(f, moore_route_lft(r), 500);
	print_message("# trees %u, load %.3f, longer %.1f %%\n", n_trees,
		      q->load.max / q->load.mean, 100 * (double)q->pairs.longer[0] / (double)q->pairs.n[0]);
	assert_int_equal(n_trees, 7);
	assert_true(q->load.max <= 1.6 * q->load.mean);
	assert_true(100 * q->pairs.longer[0] >= 85 * q->pairs.n[0]);
	moore_quality_free(q);
	moore_route_free(r);
	moore_fabric_free(f);
}

/* In the order, the groups of a Slim Fly follow one another, those of the two kinds in turn. */
static void
test_order(void **state)
{
	static const uint32_t sizes[] = { 4, 5, 7, 8, 9 };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		uint32_t q = sizes[i], switch_at[2 * 9 * 9];
		char params[32];
		struct moore_fabric *f;
		struct moore_route *r;

		snprintf(params, sizeof(params), "q=%u p=1", q);
		f = test_family("slimfly", params, 2);
		assert_int_equal(moore_route_build(&r, f, NULL, &hinted, NULL), 0);
		for (uint32_t s = 0; s < f->n_switches; s++)
			switch_at[moore_route_order(r)[s]] = s;
		for (uint32_t k = 0; k < f->n_switches; k++) {
			CHECK_EQ(params, switch_at[k] / q, switch_at[k / q * q] / q);
			CHECK_EQ(params, switch_at[k] / (q * q), k / q % 2);
		}
		moore_route_free(r);
		moore_fabric_free(f);
	}
}

static void
test_worst_case(void **state)
{
	static const struct {
		enum moore_pattern pattern;
		double percent;		/* least share of full rate */
	} T[] = {
		{ MOORE_PATTERN_OVERLAP, 40 }, { MOORE_PATTERN_MATCHING, 35 }, { MOORE_PATTERN_SINGLE, 35 },
		{ MOORE_PATTERN_RANDOM, 40 }, { MOORE_PATTERN_ANYWHERE, 38 },
	};
	static const char *const params[] = { "q=7 p=5", "q=8 p=6", "q=9 p=6" };
	const struct moore_saturation_opts effort = { .seed = 1, .starts = 1 };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(params); i += test_stride()) {
		struct moore_fabric *f = test_family("slimfly", params[i], 2);
		struct moore_route *r;

		assert_int_equal(moore_route_build(&r, f, NULL, &hinted, NULL), 0);
		for (size_t k = 0; k < ARRAY_LEN(T); k++) {
			struct moore_saturation s;

			assert_int_equal(moore_saturation_measure(&s, NULL, f, moore_route_lft(r),
					 T[k].pattern, &effort, NULL), 0);
			print_message("# %s %s: %.1f %%\n", params[i], moore_pattern_name(T[k].pattern),
				      100 * moore_throughput(s.pair));
			CHECK(params[i], 100 * moore_throughput(s.pair) >= T[k].percent);
		}
		moore_route_free(r);
		moore_fabric_free(f);
	}
}

/* ---- kinds of layers ------------------------------------------------------------ */

/* The same switches and links, with one endpoint at every second switch. */
static struct moore_fabric *
half_empty(const struct moore_fabric *f)
{
	struct moore_topo_link *link = malloc((f->n_ports + 1) * sizeof(*link));
	uint16_t *ep = calloc(f->n_switches + 1, sizeof(*ep));
	struct moore_fabric *g;
	size_t n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		ep[s] = s % 2;
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && q->peer > s)
				link[n++] = (struct moore_topo_link){ .a = s, .b = q->peer };
		}
	}
	g = test_fabric(f->n_switches, link, n, ep, 2);
	free(link);
	free(ep);
	return g;
}

static moore_swid
next_to(const struct moore_fabric *f, const struct moore_route *r, moore_swid s, unsigned lid)
{
	return moore_fabric_port(f, s, moore_lft_row(moore_route_lft(r), s)[lid])->peer;
}

/* Counts routes to endpoints at offsets other than 0. */
struct detours {
	unsigned hops[8];
	unsigned round;		/* pass a neighbour of the destination that is not their last
				 * switch */
	unsigned beside;	/* have four hops, from a neighbour of the destination */
	unsigned over_empty;	/* pass a switch without endpoints two hops before the destination */
};

static struct detours
count_detours(const struct moore_fabric *f, enum moore_layers layers)
{
	const struct moore_route_opts opts = of_kind(layers);
	struct moore_lid_owner *own;
	struct detours n = { { 0 }, 0, 0, 0 };
	struct moore_route *r;

	assert_int_equal(moore_route_build(&r, f, NULL, &opts, NULL), 0);
	assert_int_equal(moore_fabric_lids(f, &own, NULL), 0);
	for (unsigned lid = 1; lid <= f->lid_top; lid++)
		for (moore_swid s = 0; s < f->n_switches && own[lid].sw != MOORE_NONE; s++) {
			moore_swid way[8] = { s };
			unsigned hops = 0;

			if (own[lid].ep == MOORE_NONE || !own[lid].offset)
				continue;
			for (; way[hops] != own[lid].sw; hops++) {
				assert_in_range(hops, 0, 6);
				way[hops + 1] = next_to(f, r, way[hops], lid);
			}
			for (unsigned i = 1; i + 1 < hops; i++)
				n.round += are_neighbours(f, way[i], own[lid].sw);
			n.beside += hops == 4 && are_neighbours(f, s, own[lid].sw);
			n.over_empty += hops > 2 && moore_fabric_port(f, way[hops - 2], 1)->role !=
				MOORE_ROLE_ENDPOINT;
			n.hops[hops]++;
		}
	free(own);
	moore_route_free(r);
	return n;
}

static void
test_kinds(void **state)
{
	static const struct {
		const char *why, *family, *params;
		enum moore_layers layers;
		unsigned three, four;	/* least shares of routes, in per cent */
		bool half_empty, straight, among_hosts;
		unsigned between;	/* neighbours have half as many detours as direct routes */
	} T[] = {
		{ "valiant3 has four hops between neighbours, and for those that make way", "slimfly", "q=5 p=4",
			MOORE_LAYERS_VALIANT3, 68, 0, 0, 1, 0, 1 },
		{ "valiant", "slimfly", "q=5 p=4", MOORE_LAYERS_VALIANT, 35, 40, 0, 0, 0, 0 },
		{ "valiant goes round", "slimfly", "q=7 p=5", MOORE_LAYERS_VALIANT, 30, 50, 0, 0, 0, 0 },
		{ "nta does not", "slimfly", "q=7 p=5", MOORE_LAYERS_NTA, 29, 52, 0, 1, 0, 0 },
		{ "inr, endpoints everywhere", "slimfly", "q=9 p=6", MOORE_LAYERS_INR, 28, 55, 0, 0, 1, 0 },
		{ "valiant over empty switches", "slimfly", "q=7 p=1", MOORE_LAYERS_VALIANT, 25, 48, 1, 0, 0, 0 },
		{ "inr too, as they count as sources", "slimfly", "q=7 p=1", MOORE_LAYERS_INR, 25, 48, 1, 0, 0, 0 },
		{ "oft: all kinds are nta", "oft", "k=4", MOORE_LAYERS_VALIANT, 0, 44, 0, 1, 1, 0 },
		{ "mlfm: nta", "mlfm", "h=6", MOORE_LAYERS_NTA, 0, 44, 0, 1, 1, 0 },
		{ "mlfm: inr", "mlfm", "h=6", MOORE_LAYERS_INR, 0, 45, 0, 0, 1, 0 },
	};
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *whole = test_family(T[i].family, T[i].params, 2);
		struct moore_fabric *f = T[i].half_empty ? half_empty(whole) : test_shuffled(whole, &rng);
		struct detours n = count_detours(f, T[i].layers);
		unsigned all = f->n_switches * f->n_endpoints * 3;
		struct moore_verdict *v = route_and_judge(T[i].why, f, NULL, &one_class,
							  T[i].layers, &rng);

		print_message("# %s %s: of 100 three hops %.1f, four %.1f; round %u, empty %u\n", T[i].params,
			      T[i].why, 100. * n.hops[3] / all, 100. * n.hops[4] / all, n.round, n.over_empty);
		CHECK(T[i].why, 100 * n.hops[3] >= T[i].three * all);
		CHECK(T[i].why, 100 * n.hops[4] >= T[i].four * all);
		/* A neighbour's children take four hops where they make way for its detour. */
		CHECK(T[i].why, T[i].four || 100 * (n.hops[4] - n.beside) <= 5 * all);
		CHECK(T[i].why, !T[i].between || 2 * n.beside > T[i].between * n.hops[1]);
		CHECK(T[i].why, !T[i].straight || !n.round);
		/* one per cent of the routes may have no other way */
		CHECK(T[i].why, !T[i].among_hosts || 100 * n.over_empty <= all);
		CHECK(T[i].why, T[i].among_hosts || !T[i].half_empty || 10 * n.over_empty > all);
		CHECK_EQ("two lanes", v->vls & ~3, 0);
		moore_verdict_free(v);
		moore_fabric_free(f);
		moore_fabric_free(whole);
	}
}

/* Gives links one lane or more, and makes some edge switches unable to map SLs. */
static void
spoil(struct moore_fabric *f, struct moore_rng *r)
{
	static const uint8_t lanes[] = { 2, 4, 8 };	/* not 15, with which a switch that maps
							 * no SLs drops SL 15 as VL 15 */

	for (uint32_t s = 0; s < f->n_switches; s++) {
		unsigned links = 0;

		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			struct moore_port *q = &f->port[f->sw[s].port0 + p];

			links += q->role == MOORE_ROLE_SWITCH;
			if (q->role == MOORE_ROLE_SWITCH && q->peer > s)
				q->lanes = f->port[f->sw[q->peer].port0 + q->peer_port].lanes =
					moore_rng_below(r, 8) ? lanes[moore_rng_below(r, 3)] : 1;
		}
		f->sw[s].maps_sl = links > 1;
	}
}

static void
test_random(void **state)
{
	struct moore_rng rng = { test_seed() };
	unsigned rounds = test_rounds(150);
	(void)state;

	for (unsigned i = 0; i < rounds; i++) {
		uint32_t n = 2 + moore_rng_below(&rng, 30);
		struct moore_fabric *plan = test_random_fabric(&rng, n, moore_rng_below(&rng, 3 * n),
							      (uint8_t)moore_rng_below(&rng, 3));
		struct moore_fabric *seen = test_shuffled(plan, &rng);
		struct moore_lane_opts o;
		struct moore_verdict *v;

		if (i % 2)
			test_cut_some(seen, &rng, 15);
		if (i % 3 == 0)
			spoil(seen, &rng);
		assert_int_equal(moore_fabric_seal(seen, NULL), 0);
		for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
			o.sl_class[sl] = (uint8_t)moore_rng_below(&rng, i % MOORE_HINT_CLASSES + 1);
		v = route_and_judge("random", seen, i % 4 < 2 ? plan : NULL, &o,
				    moore_rng_below(&rng, MOORE_N_LAYERS), &rng);
		moore_verdict_free(v);
		moore_fabric_free(seen);
		moore_fabric_free(plan);
	}
}

static void
test_degraded(void **state)
{
	static const char *const T[][2] = { { "slimfly", "q=5 p=2" }, { "oft", "k=3" }, { "mlfm", "h=3" } };
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (unsigned i = 0; i < test_rounds(24); i++) {
		const char *const *t = T[i % ARRAY_LEN(T)];
		struct moore_fabric *plan = test_family(t[0], t[1], 2);
		struct moore_fabric *seen = test_without(plan, moore_rng_below(&rng, plan->n_switches));

		test_cut_some(seen, &rng, 2 * i % 30);
		moore_verdict_free(route_and_judge(t[1], seen, plan, &one_class,
						   moore_rng_below(&rng, MOORE_N_LAYERS), &rng));
		moore_fabric_free(seen);
		moore_fabric_free(plan);
	}
}

/* Where layers pass switches without endpoints, the routes are those of any-sl, and every SL of
 * every class in use is safe. */
static void
test_middles(void **state)
{
	static const char *const T[][2] = { { "oft", "k=4" }, { "mlfm", "h=4" }, { "sspt", "r1=4 r2=4" } };
	const struct moore_lane_opts o = { { 0, 0, 0, 0, 1, 1, 1, 1, 2 } };
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (unsigned i = 0; i < 2 * ARRAY_LEN(T); i++) {
		const char *const *t = T[i / 2];
		struct moore_fabric *plan = test_family(t[0], t[1], 2), *f = test_shuffled(plan, &rng);
		struct moore_route *r[2];
		struct moore_sl_set *set;
		const struct moore_lft *lft;

		test_cut_some(f, &rng, i % 2 * 10);
		moore_verdict_free(route_and_judge(t[0], f, plan, &o, MOORE_LAYERS_VALIANT3, &rng));
		assert_int_equal(moore_route_build(&r[0], f, plan, &hinted, NULL), 0);
		assert_int_equal(moore_route_build(&r[1], f, plan,
				 &(struct moore_route_opts){ .profile = MOORE_PROFILE_ANY_SL }, NULL), 0);
		lft = moore_route_lft(r[0]);
		CHECK(t[0], !memcmp(lft->row, moore_route_lft(r[1])->row, f->n_switches * lft->stride));
		assert_int_equal(moore_route_sl_set(r[0], &set, NULL), 0);
		moore_lane_hint_spread(&o, set);
		for (uint32_t s = 0; s < f->n_switches; s++)
			CHECK_EQ(t[0], moore_sl_set_row(set, s)[f->ep[0].lid + 1], 0xfff);
		moore_sl_set_free(set);
		moore_route_free(r[0]);
		moore_route_free(r[1]);
		moore_fabric_free(f);
		moore_fabric_free(plan);
	}
}

/* ---- the dump of SLs -------------------------------------------------------------- */

static void
test_dump(void **state)
{
	static const struct {
		const char *why, *text, *error;
	} bad[] = {
		{ "cut off", "Switch 0x200000\n0x1 0\n", "#--" },
		{ "no section", "0x1 0\n#--\n", "Switch" },
		{ "a stranger", "Switch 0x999\n#--\n", "0x0000000000000999" },
		{ "no LID of the fabric", "Switch 0x200000\n0xbff0 0\n#--\n", "LID" },
		{ "SL 16", "Switch 0x200000\n0x1 16\n#--\n", "0 to 15" },
		{ "words", "Switch 0x200000\n0x1 x\n#--\n", "0 to 15" },
	};
	struct moore_fabric *f = test_family("slimfly", "q=3", 1);
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_sl_set *set = NULL, *again;
	struct moore_rng rng = { test_seed() };
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_sl_set_new(&set, f->n_switches, f->lid_top, NULL), 0);
	for (size_t i = 0; i < f->n_switches * set->stride; i++)
		set->sl[i] = (uint16_t)(moore_rng_next(&rng) & moore_rng_next(&rng));
	assert_int_equal(moore_dump_write_path_sl(f, set, &text, NULL), 0);
	CHECK_OOM("reading", moore_dump_parse_path_sl(&again, f, text.data, text.len, &err),
		  CHECK("what was written is read", !memcmp(again->sl, set->sl, f->n_switches *
			set->stride * sizeof(*set->sl)));
		  CHECK_EQ("every LID has its line", again->n_unlisted, 0);
		  moore_sl_set_free(again));
	CHECK_EQ("no line", moore_dump_parse_path_sl(&again, f, "#--\n", 4, NULL), 0);
	CHECK_EQ("all pairs and the groups", again->n_unlisted,
		 (uint64_t)f->n_switches * (f->n_switches + 2 * f->n_endpoints + 1));
	CHECK_EQ("the first", again->unlisted_lid, 0);
	moore_sl_set_free(again);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CHECK(bad[i].why, moore_dump_parse_path_sl(&again, f, bad[i].text,
							   strlen(bad[i].text), &err) < 0);
		CHECK(bad[i].why, !again);
		CHECK_STR(bad[i].why, err.text, bad[i].error);
	}
	moore_buf_free(&text);
	moore_sl_set_free(set);
	moore_fabric_free(f);
}

/* SL = 4 * class + table.  Where SLs are not mapped, SL 15 is VL 15, which drops packets. */
static void
test_sl_15(void **state)
{
	static const struct {
		const char *why, *classes;
		uint8_t lanes;
		bool maps;
		int want;
	} T[] = {
		{ "class 3, table D is dropped", "0,0,0,0,1,1,1,1,2,2,2,2,3", 15, false, -MOORE_EUNSAFE },
		{ "not where VLs end before 15", "0,0,0,0,1,1,1,1,2,2,2,2,3", 8, false, 0 },
		{ "nor where SLs are mapped", "0,0,0,0,1,1,1,1,2,2,2,2,3", 15, true, 0 },
		{ "nor without class 3", "0,0,0,0,1,1,1,1,2", 15, false, 0 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family("slimfly", "q=5 p=2", 1);
		struct moore_engine_result *r;
		struct moore_conf conf;
		struct moore_err err = { 0 };

		moore_conf_defaults(&conf);
		CHECK_EQ(T[i].why, moore_conf_set(&conf, "profile", "sl-hint", NULL), 0);
		CHECK_EQ(T[i].why, moore_conf_set(&conf, "classes", T[i].classes, NULL), 0);
		f->sw[7].maps_sl = T[i].maps;
		for (uint32_t p = 0; p < f->n_ports; p++)
			f->port[p].lanes = T[i].lanes;
		CHECK_EQ(T[i].why, moore_engine_run(&r, f, NULL, &conf, NULL, NULL, &err), T[i].want);
		CHECK(T[i].why, !T[i].want || (strstr(err.text, "sw7") && strstr(err.text, "max_op_vls")));
		moore_engine_result_free(r);
		moore_fabric_free(f);
	}
}

/* The hash depends on profile, layers and classes: two managers that differ in one of them
 * would give out different SLs. */
static void
test_hash(void **state)
{
	static const char *const T[][3] = {
		{ "profile", "any-sl", "sl-hint" }, { "layers", "valiant3", "valiant" },
		{ "layers", "valiant", "inr" }, { "classes", "0", "0,0,0,0,1" },
	};
	struct moore_fabric *f = test_family("slimfly", "q=3", 0);	/* without layers */
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		uint64_t hash[2];

		for (unsigned k = 0; k < 2; k++) {
			struct moore_engine_result *r;
			struct moore_conf conf;

			moore_conf_defaults(&conf);
			moore_conf_set(&conf, T[i][0], T[i][1 + k], NULL);
			assert_int_equal(moore_engine_run(&r, f, NULL, &conf, NULL, NULL, NULL), 0);
			hash[k] = r->hash;
			moore_engine_result_free(r);
		}
		CHECK(T[i][2], hash[0] != hash[1]);
	}
	moore_fabric_free(f);
}

static void
test_oom(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=3", 1);
	struct moore_sl2vl *lanes;
	struct moore_sl_set *set;
	struct moore_route *r;
	struct moore_err err;
	(void)state;

	CHECK_OOM("routes", moore_route_build(&r, f, NULL, &hinted, &err), );
	CHECK_OOM("lanes", moore_lane_hint_effective(&lanes, f, &one_class, moore_route_order(r), NULL, &err),
		  moore_sl2vl_free(lanes));
	CHECK_OOM("SLs", moore_route_sl_set(r, &set, &err), moore_sl_set_free(set));
	CHECK_EQ("a LID that no one has", moore_route_right(r, 0, 0xbfff), 1 << A);
	moore_route_free(r);
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_four_hops),
		cmocka_unit_test(test_four_hops_in_general),
		cmocka_unit_test(test_none_covers_the_rest),
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_sl_15),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_oom),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_degraded),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_shared_trees),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_worst_case),
		cmocka_unit_test(test_middles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_hint.c - profile sl-hint: the four tables by brute force, and routes of
 * which every pair of LIDs has an SL that is right both ways.  Right is what the
 * definition says, link by link, and what the checker says of all together. */
#include "harness.h"

#include "fabrics.h"
#include "moore/check.h"
#include "moore/conf.h"
#include "moore/lane.h"
#include "moore/route.h"

enum { A, B, C, D };
enum { DDD, DDU, DUD, DUU, UDD, UDU, UUD, UUU };	/* first hop in the high bit; 1 is up */

/* Along it the VL never falls, and no down-up turn leaves it as it was. */
static bool
right(unsigned table, const bool *up, unsigned n)
{
	unsigned vl = 0;

	for (unsigned i = 1; i < n; i++) {
		unsigned next = moore_lane_hint(table, up[i - 1], up[i]);

		if (next < vl || (next == vl && !up[i - 1] && up[i]))
			return false;
		vl = next;
	}
	return true;
}

static bool
right3(unsigned table, unsigned pattern)
{
	const bool up[3] = { pattern >> 2 & 1, pattern >> 1 & 1, pattern & 1 };

	return right(table, up, 3);
}

static void
test_patterns(void **state)
{
	static const struct {
		const char *why;
		unsigned table, wrong;
	} T[] = {
		{ "A is wrong only for duu, dud", A, 1 << DUU | 1 << DUD },
		{ "B is wrong only for udu, udd, duu", B, 1 << UDU | 1 << UDD | 1 << DUU },
		{ "C is wrong only for uud, dud", C, 1 << UUD | 1 << DUD },
		{ "D is wrong only for udu, ddu", D, 1 << UDU | 1 << DDU },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		for (unsigned p = 0; p < 8; p++)
			CHECK_EQ(T[i].why, right3(T[i].table, p), !(T[i].wrong >> p & 1));
	for (unsigned two = 0; two < 4; two++)
		for (unsigned t = A; t <= D; t++)
			CHECK("two hops are right in every table",
			      right(t, (const bool[]){ two >> 1, two & 1 }, 2));
}

static void
test_pairs(void **state)
{
	(void)state;

	for (unsigned p = 0; p < 8; p++)
		for (unsigned q = 0; q < 8; q++) {
			bool some = false;

			for (unsigned t = A; t <= D; t++)
				some |= right3(t, p) && right3(t, q);
			CHECK_EQ("every pair but dud with udu has a table", some,
				 !((p == DUD && q == UDU) || (p == UDU && q == DUD)));
		}
	for (unsigned p = 0; p < 8; p++)
		CHECK_EQ("two of A, C and D are right for all but dud",
			 right3(A, p) + right3(C, p) + right3(D, p) >= 2, p != DUD);
}

/* No rule of this kind has a table for dud with udu: all 16 of them. */
static void
test_none_covers_the_rest(void **state)
{
	(void)state;

	for (unsigned rule = 0; rule < 16; rule++) {
		/* bit in_up * 2 + out_up; VL of hops 2 and 3 */
		unsigned du = rule >> 1 & 1, ud = rule >> 2 & 1;
		bool dud = du && ud, udu = du && !ud;

		CHECK("one of them is wrong", !(dud && udu));
	}
}

/* ---- routes -------------------------------------------------------------------- */

static const struct moore_lane_opts one_class = { { 0 } };

static const struct moore_route_opts hinted = { .profile = MOORE_PROFILE_SL_HINT };

/* Is the table right from switch s to that LID?  On the lanes as they are. */
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
		next &= 1;	/* masks fold classes, and keep which of its pair a VL is */
		if (f->sw[s].maps_sl && (next < vl || (next == vl && !was_up && up)))
			return false;
		vl = f->sw[s].maps_sl ? next : 0;
		was_up = up;
		in = p->peer_port;
		s = p->peer;
	}
	return true;
}

/* Pairs of LIDs, tried at random: the SL serves both, and is in the set. */
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
route_and_judge(const char *why, const struct moore_fabric *seen,
		const struct moore_fabric *intended, const struct moore_lane_opts *o,
		struct moore_rng *rng)
{
	struct moore_sl2vl *lanes = NULL;
	struct moore_sl_set *set = NULL;
	struct moore_verdict *v = NULL;
	struct moore_route *r = NULL;
	struct moore_err err = { 0 };

	if (moore_route_build(&r, seen, intended, &hinted, &err) < 0)
		fail_msg("%s: %s", why, err.text);
	CHECK_EQ(why, moore_lane_hint_effective(&lanes, seen, o, moore_route_order(r), &err), 0);
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
	moore_route_free(r);
	return v;
}

static void
test_families(void **state)
{
	static const struct {
		const char *family, *params;
		double load;		/* greatest over mean, all offsets together */
		unsigned three;		/* hops in a layer, of 100 with one neighbour before each root */
	} T[] = {
		{ "slimfly", "q=5 p=4", 1.45, 92 },
		{ "slimfly", "q=7 p=4", 1.5, 94 },
		{ "slimfly", "q=9 p=4", 1.55, 94 },
		{ "mlfm", "h=4", 9, 0 },
		{ "oft", "k=4", 9, 0 },
	};
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, 2);
		struct moore_verdict *v = route_and_judge(T[i].params, f, NULL, &one_class, &rng);
		unsigned deg = (f->n_ports - f->n_switches - f->n_endpoints) / f->n_switches;
		uint64_t most = (uint64_t)(f->n_switches - 2 * deg) * f->n_endpoints * 3;
		double load = v->max_load / v->mean_load;

		print_message("# %s %s: %llu of %llu three hops, load %.3f\n", T[i].family, T[i].params,
			      (unsigned long long)v->hops[3], (unsigned long long)most, load);
		CHECK(T[i].params, load <= T[i].load);
		CHECK(T[i].params, 100 * v->hops[3] >= T[i].three * most || !T[i].three);
		CHECK_EQ("no longer ones", T[i].three ? v->hops[4] : 0, 0);
		CHECK_EQ("two lanes", v->vls & ~3, 0);
		moore_verdict_free(v);
		moore_fabric_free(f);
	}
}

/* Links of one lane and of more, and edge switches that cannot map SLs. */
static void
spoil(struct moore_fabric *f, struct moore_rng *r)
{
	static const uint8_t lanes[] = { 2, 4, 8 };	/* VL = SL = 15 would drop where 15 are */

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
		v = route_and_judge("random", seen, i % 4 < 2 ? plan : NULL, &o, &rng);
		moore_verdict_free(v);
		moore_fabric_free(seen);
		moore_fabric_free(plan);
	}
}

static void
test_degraded(void **state)
{
	struct moore_fabric *plan = test_family("slimfly", "q=5 p=2", 2);
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (unsigned i = 0; i < test_rounds(12); i++) {
		struct moore_fabric *seen = test_without(plan, moore_rng_below(&rng, 50));

		test_cut_some(seen, &rng, 2 * i % 30);
		moore_verdict_free(route_and_judge("q=5 with losses", seen, plan, &one_class, &rng));
		moore_fabric_free(seen);
	}
	moore_fabric_free(plan);
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
	moore_dump_write_path_sl(f, set, &text);
	CHECK_OOM("reading", moore_dump_parse_path_sl(&again, f, text.data, text.len, &err),
		  CHECK("what was written is read", !memcmp(again->sl, set->sl, f->n_switches *
			set->stride * sizeof(*set->sl)));
		  moore_sl_set_free(again));
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
	CHECK_OOM("lanes", moore_lane_hint_effective(&lanes, f, &one_class, moore_route_order(r), &err),
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
		cmocka_unit_test(test_none_covers_the_rest),
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_oom),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_degraded),
		cmocka_unit_test(test_families),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_lane.c - SL to VL: the pairs of lanes of the classes, what remains of them on ports
 * with fewer lanes, and that no mixture of lanes and classes has a cycle that the checker
 * finds. */
#include "harness.h"

#include "fabrics.h"
#include "moore/check.h"
#include "moore/lane.h"
#include "moore/route.h"

static void
test_table(void **state)
{
	static const struct {
		const char *why;
		uint8_t cls, lanes;
		uint8_t from_host, from_switch;
	} T[] = {
		{ "one class", 0, 2, 0, 1 },
		{ "one class, one lane", 0, 1, 0, 0 },
		{ "class 1 on two lanes folds to class 0", 1, 2, 0, 1 },
		{ "class 6 on two lanes too", 6, 2, 0, 1 },
		{ "class 1 on four lanes is itself", 1, 4, 2, 3 },
		{ "class 2 on four lanes folds to 0", 2, 4, 0, 1 },
		{ "class 3 on four lanes folds to 1", 3, 4, 2, 3 },
		{ "class 5 on four lanes folds to 1", 5, 4, 2, 3 },
		{ "class 3 on eight lanes is itself", 3, 8, 6, 7 },
		{ "class 4 on eight lanes folds to 0", 4, 8, 0, 1 },
		{ "class 6 on eight lanes folds to 2", 6, 8, 4, 5 },
		{ "class 6 on fifteen lanes is itself", 6, 15, 12, 13 },
	};
	static const struct moore_topo_link line[] = { { 0, 1 }, { 1, 2 } };
	static const uint16_t ep[] = { 1, 1, 1 };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_fabric(3, line, 2, ep, 0);
		struct moore_lane_opts o = { { 0 } };
		const struct moore_sl_row *host, *sw, *self;
		struct moore_sl2vl *t = NULL;

		/* Switch 1: port 1 leads to a host, 2 to switch 0, 3 to switch 2. */
		f->port[f->sw[1].port0 + 3].lanes = T[i].lanes;
		o.sl_class[5] = T[i].cls;
		assert_int_equal(moore_lane_effective(&t, f, &o, NULL, NULL), 0);
		self = moore_sl2vl_get(t, 1, 0, 3);
		host = moore_sl2vl_get(t, 1, 1, 3);
		sw = moore_sl2vl_get(t, 1, 2, 3);
		CHECK_EQ(T[i].why, self->vl[5], T[i].from_host);
		CHECK_EQ(T[i].why, host->vl[5], T[i].from_host);
		CHECK_EQ(T[i].why, sw->vl[5], T[i].from_switch);
		CHECK_EQ("other SLs are of class 0", sw->vl[4], T[i].lanes > 1);
		moore_sl2vl_free(t);
		moore_fabric_free(f);
	}
}

static void
test_sets(void **state)
{
	static const struct {
		const char *why;
		struct moore_lane_opts o;
		uint8_t needed;
		uint16_t on1, on2, on4, on8, on15;
	} T[] = {
		{ "one class", { { 0 } }, 2, 1, 3, 3, 3, 3 },
		{ "two", { { 0, 1 } }, 4, 1, 3, 0xf, 0xf, 0xf },
		{ "0 and 2", { { 0, 2 } }, 8, 1, 3, 3, 0x33, 0x33 },
		{ "0 to 3", { { 0, 1, 2, 3 } }, 8, 1, 3, 0xf, 0xff, 0xff },
		{ "0 to 6", { { 0, 1, 2, 3, 4, 5, 6 } }, 15, 1, 3, 0xf, 0xff, 0x3fff },
		{ "6 and 0: nothing between", { { 6 } }, 15, 1, 3, 3, 0x33, 0x3003 },
		{ "0 and 4: eight lanes hold four classes", { { 0, 4 } }, 15, 1, 3, 3, 3, 0x303 },
		{ "class 1 for all, and SL 0 of sl-hint", { { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } },
			4, 1, 3, 0xf, 0xf, 0xf },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		CHECK_EQ(T[i].why, moore_lane_needed(&T[i].o), T[i].needed);
		CHECK_EQ(T[i].why, moore_lane_vls(&T[i].o, 1), T[i].on1);
		CHECK_EQ(T[i].why, moore_lane_vls(&T[i].o, 2), T[i].on2);
		CHECK_EQ(T[i].why, moore_lane_vls(&T[i].o, 4), T[i].on4);
		CHECK_EQ(T[i].why, moore_lane_vls(&T[i].o, 8), T[i].on8);
		CHECK_EQ(T[i].why, moore_lane_vls(&T[i].o, 15), T[i].on15);
	}
}

static void
test_hint_sl(void **state)
{
	enum { A = 1, B = 2, C = 4, D = 8 };
	static const struct moore_lane_opts one = { { 0 } }, by_four = { { 0, 0, 0, 0, 1, 1, 1, 1,
		2, 2, 2, 2, 3, 3, 3, 3 } }, second = { { 0, 1 } }, beyond = { { 0, 6 } },
		first_third = { { 2 } }, all_second = { { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } };
	static const struct {
		const char *why;
		const struct moore_lane_opts *o;
		uint8_t asked, right, sl;
	} T[] = {
		{ "the first right table", &one, 0, B | D, 1 },
		{ "SL 0 where it is right", &one, 0, A | D, 0 },
		{ "what was asked for, if right", &one, 3, A | D, 3 },
		{ "not if wrong", &one, 2, A | D, 0 },
		{ "of class 0, like all", &one, 9, C, 2 },
		{ "class 1 by its first SL", &by_four, 4, A | C, 4 },
		{ "another table of class 1", &by_four, 4, C, 6 },
		{ "class 1, as asked", &by_four, 7, A | D, 7 },
		{ "class 3", &by_four, 12, B, 13 },
		{ "a table's number that means class 1", &second, 1, B, 5 },
		{ "SL 5 is class 0 in this map", &second, 0, B, 1 },
		{ "classes beyond the last are the last", &beyond, 1, A, 12 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		CHECK_EQ(T[i].why, moore_lane_hint_sl(T[i].o, T[i].asked, T[i].right), T[i].sl);
	CHECK_EQ("classes 0 and 3", moore_lane_hint_classes(&beyond), 1 | 1 << 3);
	CHECK_EQ("class 0 always", moore_lane_hint_classes(&all_second), 1 | 1 << 1);
	CHECK_EQ("the class of SL 0 alone", moore_lane_hint_classes(&first_third), 1 | 1 << 2);
	for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
		CHECK_EQ("groups: table A of a class in use", moore_lane_hint_group(&beyond, (uint8_t)sl),
			 sl == 0 || sl == 12);
}

/* SL sets name tables; each set is repeated for the SLs of each class in use. */
static void
test_hint_spread(void **state)
{
	static const struct moore_lane_opts o = { { 0, 2 } };	/* classes 0 and 2 */
	struct moore_sl_set *t;
	(void)state;

	assert_int_equal(moore_sl_set_new(&t, 3, 100, NULL), 0);
	for (size_t i = 0; i < 3 * t->stride; i++)
		t->sl[i] = (uint16_t)(i % 16);
	moore_lane_hint_spread(&o, t);
	for (size_t i = 0; i < 3 * t->stride; i++)
		CHECK_EQ("SLs 0 to 3 and 8 to 11", t->sl[i], i % 16 | i % 16 << 8);
	moore_sl_set_free(t);
}

/* When memory runs out, no table is left behind. */
static void
test_oom(void **state)
{
	static const struct moore_topo_link line[] = { { 0, 1 }, { 1, 2 } };
	static const uint16_t ep[] = { 1, 1, 1 };
	static const struct moore_lane_opts o = { { 0 } };
	struct moore_fabric *f = test_fabric(3, line, 2, ep, 0);
	struct moore_sl2vl *t = NULL;
	int rc = -1;
	(void)state;

	for (long at = 0; rc < 0; at++) {
		t = (struct moore_sl2vl *)&rc;
		alloc_count = 0;
		alloc_fail_at = at;
		rc = moore_lane_effective(&t, f, &o, NULL, NULL);
		alloc_fail_at = -1;
		CHECK("a table or a failure", rc == 0 || (rc == -MOORE_ENOMEM && !t));
	}
	moore_sl2vl_free(t);
	moore_fabric_free(f);
}

/* Packets at switch 1 of three in a row: port 1 leads to a host, 2 to switch 0, 3 to switch
 * 2. */
static void
test_hint_rows(void **state)
{
	static const uint32_t valley[] = { 0, 2, 1 }, hill[] = { 1, 0, 2 }, slope[] = { 2, 1, 0 };
	static const struct {
		const char *why;
		const uint32_t *pos;
		uint8_t in, out, lanes;
		uint8_t vl[MOORE_N_SL];	/* SLs 0 to 3 are class 0, 8 to 11 class 2 */
	} T[] = {
		{ "a host sends", hill, 1, 2, 15, { 0, 0, 0, 0, 15, 15, 15, 15, 4, 4, 4, 4, 15, 15, 15, 15 } },
		{ "from down to up", valley, 3, 2, 15,
		  { 1, 1, 1, 1, 15, 15, 15, 15, 5, 5, 5, 5, 15, 15, 15, 15 } },
		{ "from up to down, to a lesser switch", hill, 2, 3, 15,
		  { 0, 0, 1, 1, 15, 15, 15, 15, 4, 4, 5, 5, 15, 15, 15, 15 } },
		{ "from up to down, to a greater switch", hill, 3, 2, 15,
		  { 0, 1, 0, 1, 15, 15, 15, 15, 4, 5, 4, 5, 15, 15, 15, 15 } },
		{ "from up to up", slope, 2, 3, 15,
		  { 0, 1, 1, 1, 15, 15, 15, 15, 4, 5, 5, 5, 15, 15, 15, 15 } },
		{ "from down to down", slope, 3, 2, 15,
		  { 0, 0, 0, 1, 15, 15, 15, 15, 4, 4, 4, 5, 15, 15, 15, 15 } },
		{ "to a host", hill, 2, 1, 15, { 1, 1, 1, 1, 15, 15, 15, 15, 5, 5, 5, 5, 15, 15, 15, 15 } },
		{ "class 2 on four lanes is class 0", valley, 3, 2, 4,
		  { 1, 1, 1, 1, 15, 15, 15, 15, 1, 1, 1, 1, 15, 15, 15, 15 } },
		{ "one lane", valley, 3, 2, 1, { 0, 0, 0, 0, 15, 15, 15, 15, 0, 0, 0, 0, 15, 15, 15, 15 } },
	};
	static const struct moore_topo_link line[] = { { 0, 1 }, { 1, 2 } };
	static const uint16_t ep[] = { 1, 1, 1 };
	static const struct moore_lane_opts o = { { 0, 2 } };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_fabric(3, line, 2, ep, 0);
		struct moore_sl2vl *t = NULL;

		f->port[f->sw[1].port0 + T[i].out].lanes = T[i].lanes;
		assert_int_equal(moore_lane_hint_effective(&t, f, &o, T[i].pos, NULL, NULL), 0);
		for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
			CHECK_EQ(T[i].why, moore_sl2vl_get(t, 1, T[i].in, T[i].out)->vl[sl], T[i].vl[sl]);
		for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
			CHECK_EQ("port 0 is no link, so nothing maps to it", moore_sl2vl_get(t, 1, T[i].in, 0)->vl[sl], 0);
		moore_sl2vl_free(t);
		moore_fabric_free(f);
	}
}

/* Gives each link a random number of lanes, the same in both directions. */
static void
mix_lanes(struct moore_fabric *f, struct moore_rng *r)
{
	static const uint8_t lanes[] = { 1, 2, 4, 8, 15 };

	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			struct moore_port *q = &f->port[f->sw[s].port0 + p];

			if (q->role == MOORE_ROLE_SWITCH && q->peer >= s)
				q->lanes = f->port[f->sw[q->peer].port0 + q->peer_port].lanes =
					lanes[moore_rng_below(r, ARRAY_LEN(lanes))];
		}
}

/* Random rows from the tables of two class maps, as in the middle of an update. */
static struct moore_sl2vl *
half_updated(struct moore_rng *r, const struct moore_fabric *f)
{
	struct moore_sl2vl *t[2] = { NULL };
	struct moore_lane_opts o;

	for (int k = 0; k < 2; k++) {
		unsigned n = 1 + moore_rng_below(r, MOORE_CLASS_MAX + 1);

		for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
			o.sl_class[sl] = (uint8_t)moore_rng_below(r, n);
		assert_int_equal(moore_lane_effective(&t[k], f, &o, NULL, NULL), 0);
	}
	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned out = 1; out <= f->sw[s].n_ports; out++)
			for (unsigned in = 0; in <= f->sw[s].n_ports; in++)
				if (moore_rng_below(r, 2) &&
				    moore_fabric_port(f, s, (moore_portnum)out)->role)
					assert_int_equal(moore_sl2vl_set(t[0], s, (moore_portnum)in,
						(moore_portnum)out, moore_sl2vl_get(t[1], s,
						(moore_portnum)in, (moore_portnum)out), NULL), 0);
	moore_sl2vl_free(t[1]);
	return t[0];
}

static void
judge(const char *why, const struct moore_fabric *f, const struct moore_lft *lft,
      struct moore_sl2vl *lanes)
{
	static const struct moore_check_opts any = { 0 };
	struct moore_verdict *v = NULL;

	assert_int_equal(moore_check(&v, f, lft, lanes, NULL, &any, NULL), 0);
	CHECK(why, v->acyclic);
	CHECK(why, v->sound);
	moore_verdict_free(v);
	moore_sl2vl_free(lanes);
}

/* With any map of classes, any lanes and any fabric, the tables are sound for any SL on any
 * LID, also while the tables of one map replace those of another. */
static void
test_random(void **state)
{
	static const struct moore_route_opts plain = { 0 };
	struct moore_rng r = { test_seed() };
	(void)state;

	for (unsigned i = 0; i < test_rounds(600); i++) {
		uint32_t n = 2 + moore_rng_below(&r, 24);
		struct moore_fabric *f = test_random_fabric(&r, n, moore_rng_below(&r, 2 * n + 1), 0);
		struct moore_lane_opts o;
		struct moore_sl2vl *lanes = NULL;
		struct moore_route *route = NULL;
		struct moore_err err;

		mix_lanes(f, &r);
		test_cut_some(f, &r, moore_rng_below(&r, 20));
		for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
			o.sl_class[sl] = (uint8_t)moore_rng_below(&r, MOORE_CLASS_MAX + 1);
		if (moore_route_build(&route, f, NULL, &plain, &err) < 0)
			fail_msg("round %u: %s", i, err.text);
		assert_int_equal(moore_lane_effective(&lanes, f, &o, NULL, NULL), 0);
		judge("classes", f, moore_route_lft(route), lanes);
		judge("half updated", f, moore_route_lft(route), half_updated(&r, f));
		moore_route_free(route);
		moore_fabric_free(f);
	}
}

/* The checker does take lanes into account: if first and later hops share a VL, the same
 * routes are cyclic on a ring, for all classes. */
static void
test_awake(void **state)
{
	static const struct moore_topo_link ring[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 0, 4 } };
	static const uint16_t ep[] = { 1, 1, 1, 1, 1 };
	static const struct moore_check_opts any = { 0 };
	static const struct moore_route_opts plain = { 0 };
	struct moore_fabric *f = test_fabric(5, ring, 5, ep, 0);
	struct moore_route *route = NULL;
	struct moore_sl2vl *lanes = NULL;
	struct moore_verdict *v = NULL;
	(void)state;

	assert_int_equal(moore_route_build(&route, f, NULL, &plain, NULL), 0);
	assert_int_equal(moore_sl2vl_new(&lanes, f, NULL), 0);	/* VL 0 for all */
	assert_int_equal(moore_check(&v, f, moore_route_lft(route), lanes, NULL, &any, NULL), 0);
	CHECK("a ring on one VL", !v->acyclic);
	moore_verdict_free(v);
	moore_sl2vl_free(lanes);
	moore_route_free(route);
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_hint_sl),
		cmocka_unit_test(test_hint_spread),
		cmocka_unit_test(test_oom),
		cmocka_unit_test(test_hint_rows),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_awake),
	};

	return cmocka_run_group_tests_name("lane", tests, NULL, NULL);
}

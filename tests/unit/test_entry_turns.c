// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_entry_turns.c - turns of an MLFM that routes only ever begin with (docs/theory.md, "Entry turns"): as
 * many for each link, none in transit, and the same whatever is missing. */
#include "base/random.h"
#include "fabrics.h"
#include "harness.h"
#include "moore/check.h"
#include "moore/lane.h"
#include "moore/route.h"

static const struct moore_lane_opts one_class = { { 0 } };

static struct moore_route *
routed(const char *why, const struct moore_fabric *seen, const struct moore_fabric *plan,
       const struct moore_route_opts *opts)
{
	struct moore_route *r = NULL;
	struct moore_err err;

	if (moore_route_build(&r, seen, plan, opts, &err) < 0)
		fail_msg("%s: %s", why, err.text);
	return r;
}

/* Whether the turn from port in to port out of s is an entry turn, as moore/lane.h defines it. */
static bool
is_entry(const struct moore_fabric *f, const uint8_t *entry, moore_swid s, unsigned in, unsigned out)
{
	const uint32_t at = f->sw[s].port0;

	return entry && entry[at + in] > 1 && entry[at + out] > 1 && entry[at + in] / 2 == entry[at + out] / 2 &&
		entry[at + in] != entry[at + out];
}

static bool
has_hosts(const struct moore_fabric *f, moore_swid s)
{
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
		if (moore_fabric_port(f, s, (moore_portnum)p)->role == MOORE_ROLE_ENDPOINT)
			return true;
	return false;
}

/* Judges the tables on the lanes that follow from entry[]. */
static struct moore_verdict *
judged(const struct moore_fabric *f, const struct moore_route *r, const uint8_t *entry)
{
	static const struct moore_check_opts all = { 0 };
	struct moore_verdict *v = NULL;
	struct moore_sl2vl *lanes;

	assert_int_equal(moore_lane_effective(&lanes, f, &one_class, entry, NULL), 0);
	assert_int_equal(moore_check(&v, f, moore_route_lft(r), lanes, NULL, &all, NULL), 0);
	moore_sl2vl_free(lanes);
	return v;
}

static void
check_sound(const char *why, const struct moore_fabric *f, const struct moore_route *r)
{
	struct moore_verdict *v = judged(f, r, moore_route_entries(r));

	CHECK(why, v->sound);
	moore_verdict_free(v);
}

/* Follows every route to every LID: its first turn alone may be an entry turn, and then it began at a switch with
 * endpoints, and over a link of several lanes or from a switch that nothing passes.  Returns how many routes begin with one. */
static uint64_t
follow_all(const char *why, const struct moore_fabric *f, const struct moore_route *r)
{
	const uint8_t *entry = moore_route_entries(r);
	uint64_t n = 0;

	for (moore_swid from = 0; from < f->n_switches; from++)
		for (uint32_t lid = 1; lid <= f->lid_top; lid++) {
			moore_swid s = from;
			unsigned in = 0;

			for (unsigned hops = 0; hops < 64; hops++) {
				moore_portnum port = moore_lft_row(moore_route_lft(r), s)[lid];
				const struct moore_port *q;

				if (port > f->sw[s].n_ports)
					break;
				q = moore_fabric_port(f, s, port);
				if (q->role != MOORE_ROLE_SWITCH)
					break;
				if (is_entry(f, entry, s, in, port)) {
					CHECK(why, hops == 1 && has_hosts(f, from) && !has_hosts(f, s));
					CHECK(why, moore_fabric_port(f, s, (moore_portnum)in)->lanes > 1 ||
					      !f->sw[from].maps_sl);
					n++;
				}
				s = q->peer;
				in = q->peer_port;
			}
		}
	return n;
}

/* At a middle switch each link has entry turns with one in five of the links of the other column, but for
 * links of column 0 that are left to the spanning tree. */
static void
test_even(void **state)
{
	static const char *const T[] = { "h=4", "h=5", "h=7", "h=8 p=2", "h=13 p=1" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family("mlfm", T[i], 1);
		struct moore_route *r = routed(T[i], f, NULL, &(struct moore_route_opts){ 0 });
		const uint8_t *entry = moore_route_entries(r);
		uint32_t n_links = 0, n_none = 0, h = 0;

		assert_non_null(entry);
		for (moore_swid m = 0; m < f->n_switches; m++) {
			if (has_hosts(f, m)) {
				for (unsigned p = 0; p <= f->sw[m].n_ports; p++)
					CHECK(T[i], !entry[f->sw[m].port0 + p]);
				continue;
			}
			h = f->sw[m].n_ports / 2u;
			for (unsigned in = 1; in <= f->sw[m].n_ports; in++) {
				uint32_t n = 0;

				for (unsigned out = 1; out <= f->sw[m].n_ports; out++)
					n += is_entry(f, entry, m, in, out);
				CHECK(T[i], n <= h / 5 + 1 && n <= h - 1);
				n_none += n < h / 5 || !n;
				n_links++;
			}
		}
		CHECK(T[i], n_none * (h < 5 ? 2 : 4) < n_links);
		moore_route_free(r);
		moore_fabric_free(f);
	}
}

/* Whether the turn from in to out is an entry turn.  Checks its row in each class: without classes[] that of
 * sl-hint, where turns between other switches depend on more. */
static bool
check_row(const struct moore_fabric *f, const uint8_t *entry, const struct moore_sl_row *row,
	  const struct moore_lane_opts *classes, moore_swid s, unsigned in, unsigned out)
{
	const bool enters = is_entry(f, entry, s, in, out);
	const bool leaves = enters || moore_fabric_port(f, s, (moore_portnum)in)->role != MOORE_ROLE_SWITCH;

	for (unsigned sl = 0; sl < 12; sl++)
		if (classes || leaves)
			CHECK_EQ("VL", row->vl[sl], 2u * (classes ? classes->sl_class[sl] : sl / 4) + !leaves);
	return enters;
}

/* Under either profile and in each class, what takes an entry turn leaves on the lane of what comes from
 * endpoints. */
static void
test_rows(void **state)
{
	static const struct moore_lane_opts classes = { { 0, 1, 2, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0 } };
	struct moore_fabric *f = test_family("mlfm", "h=4 p=2", 1);
	struct moore_route *r = routed("h=4", f, NULL, &(struct moore_route_opts){ 0 });
	const uint8_t *entry = moore_route_entries(r);

	(void)state;
	for (unsigned hint = 0; hint < 2; hint++) {
		const uint32_t *pos = hint ? moore_route_order(r) : NULL;
		struct moore_sl2vl *l;
		unsigned n_entry = 0;

		assert_int_equal(moore_lane_hint_effective(&l, f, &classes, pos, entry, NULL), 0);
		for (moore_swid s = 0; s < f->n_switches; s++)
			for (unsigned in = 0; in <= f->sw[s].n_ports; in++)
				for (unsigned out = 1; out <= f->sw[s].n_ports; out++)
					n_entry += check_row(f, entry, moore_sl2vl_get(l, s, (moore_portnum)in,
									       (moore_portnum)out),
							     hint ? NULL : &classes, s, in, out);
		CHECK("some are entry turns", n_entry);
		moore_sl2vl_free(l);
	}
	moore_route_free(r);
	moore_fabric_free(f);
}

/* The checker rejects the same tables on lanes that follow the roles of ports alone: so entry turns are
 * needed, and the checker sees them. */
static void
test_needed(void **state)
{
	static const enum moore_profile T[] = { MOORE_PROFILE_ANY_SL, MOORE_PROFILE_SL_HINT };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		for (uint8_t lmc = 1; lmc <= 2; lmc++) {
			struct moore_fabric *f = test_family("mlfm", "h=6", lmc);
			struct moore_route *r = routed("h=6", f, NULL,
						       &(struct moore_route_opts){ .profile = T[i] });
			struct moore_verdict *v = judged(f, r, NULL);

			CHECK("by roles", !v->acyclic);
			moore_verdict_free(v);
			check_sound("h=6", f, r);
			CHECK("routes begin with entry turns", follow_all("h=6", f, r) > 0);
			moore_route_free(r);
			moore_fabric_free(f);
		}
}

static void
test_none(void **state)
{
	static const struct {
		const char *why, *family, *params;
		uint8_t lmc;
		struct moore_route_opts opts;
	} T[] = {
		{ "no layers", "mlfm", "h=6", 0, { 0 } },
		{ "one lane", "mlfm", "h=6", 2, { .profile = MOORE_PROFILE_ONE_VL } },
		{ "lanes that follow roles", "mlfm", "h=6", 2, { .by_roles = true } },
		{ "too few switches in a column", "mlfm", "h=3", 2, { 0 } },
		{ "endpoints everywhere", "slimfly", "q=5 p=2", 2, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, T[i].lmc);
		struct moore_route *r = routed(T[i].why, f, NULL, &T[i].opts);

		CHECK(T[i].why, !moore_route_entries(r));
		moore_route_free(r);
		moore_fabric_free(f);
	}
}

/* Links are cut at random, up to nearly all.  Sides stay, but where the spanning tree needs an entry turn. */
static void
test_cuts(void **state)
{
	static const char *const T[] = { "h=4 p=2", "h=5 p=1", "h=6 p=1" };
	struct moore_rng rng = { test_seed() };
	uint64_t n_gone = 0, n_kept = 0;

	(void)state;
	for (unsigned i = 0; i < 36; i++) {
		const char *why = T[i % ARRAY_LEN(T)];
		struct moore_fabric *plan = test_family("mlfm", why, 1 + i % 2), *f;
		struct moore_route *whole = routed(why, plan, NULL, &(struct moore_route_opts){ 0 });
		const uint8_t *was = moore_route_entries(whole), *now;
		struct moore_route *r;

		assert_int_equal(moore_fabric_copy(&f, plan, NULL), 0);
		test_cut_some(f, &rng, 1 + moore_rng_below(&rng, 75));
		r = routed(why, f, plan, &(struct moore_route_opts){ 0 });
		check_sound(why, f, r);
		follow_all(why, f, r);
		now = moore_route_entries(r);
		for (uint32_t p = 0; p < f->n_ports; p++) {
			const bool up = f->port[p].role == MOORE_ROLE_SWITCH;

			CHECK(why, !now || !now[p] || (was[p] == now[p] && up));
			n_gone += was[p] && up && !(now && now[p]);
			n_kept += now && now[p];
		}
		moore_route_free(r);
		moore_route_free(whole);
		moore_fabric_free(f);
		moore_fabric_free(plan);
	}
	print_message("# %llu ports keep their sides, and %llu lose theirs to the spanning tree\n",
		      (unsigned long long)n_kept, (unsigned long long)n_gone);
	CHECK("both happen", n_gone && n_kept > 100 * n_gone / 10);
}

/* Links have one lane at random, and some switches cannot map SLs. */
static void
test_one_lane(void **state)
{
	struct moore_rng rng = { test_seed() };
	uint64_t n = 0;

	(void)state;
	for (unsigned i = 0; i < test_rounds(12); i++) {
		const char *why = i % 2 ? "h=6 p=1" : "h=4 p=2";
		struct moore_fabric *plan = test_family("mlfm", why, 1 + i % 2), *f;
		struct moore_route *r;

		assert_int_equal(moore_fabric_copy(&f, plan, NULL), 0);
		test_narrow_some(f, &rng, 5 * (i % 12));
		for (moore_swid s = 0; s < f->n_switches; s++)
			f->sw[s].maps_sl &= moore_rng_below(&rng, 20) > i % 3;
		r = routed(why, f, plan, &(struct moore_route_opts){ 0 });
		check_sound(why, f, r);
		n += follow_all(why, f, r);
		moore_route_free(r);
		moore_fabric_free(f);
		moore_fabric_free(plan);
	}
	CHECK("some routes begin with entry turns", n > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_even),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_needed),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_one_lane),
	};

	return cmocka_run_group_tests_name("entry_turns", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_intended.c - the fabric that routes are computed for without a plan: the kept graph,
 * the family's graph, or the fabric itself.
 *
 * Tables are compared by moore_lft_hash() and block by block, with those of the intact fabric
 * and with those that a plan gives. */
#include "harness.h"
#include "fabrics.h"
#include "engine/intended.h"
#include "moore/engine.h"
#include "moore/tables.h"
#include "plan_of.h"
#include "shuffled_jobs.h"

#define BLOCK 64		/* LIDs in a block of a forwarding table */

static struct moore_fabric *
fabric_of(const char *family, const char *word, uint8_t lmc)
{
	struct moore_plan *p = plan_of(family, word);
	struct moore_fabric *f;

	assert_int_equal(moore_fabric_from_plan(&f, p, lmc, NULL), 0);
	moore_plan_free(p);
	return f;
}

static struct moore_plan *
plan_from(const struct moore_fabric *f, const char *family)
{
	struct moore_plan *p;

	assert_int_equal(moore_plan_from_fabric(&p, f, NULL), 0);
	if (family) {
		p->family = moore_strndup(family, strlen(family));
		assert_non_null(p->family);
	}
	return p;
}

static struct moore_fabric *
copy_of(const struct moore_fabric *f)
{
	struct moore_fabric *g;

	assert_int_equal(moore_fabric_copy(&g, f, NULL), 0);
	return g;
}

static struct moore_engine_result *
run_on(const struct moore_jobs *jobs, const struct moore_fabric *f, const struct moore_plan *plan,
       const struct moore_plan *kept)
{
	struct moore_engine_result *r;
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	conf.kept = kept;
	conf.jobs = jobs;
	if (moore_engine_run(&r, f, plan, &conf, NULL, NULL, &err) < 0)
		fail_msg("%s", err.text);
	return r;
}

static struct moore_engine_result *
run(const struct moore_fabric *f, const struct moore_plan *plan, const struct moore_plan *kept)
{
	return run_on(NULL, f, plan, kept);
}

/* Pieces of `size` rows that differ between the tables of two fabrics whose switches are the
 * same but for switch gone (MOORE_NONE: none) of the first. */
static size_t
changed(const struct moore_lft *was, const struct moore_lft *now, moore_swid gone, size_t size)
{
	size_t n = 0;

	for (moore_swid s = 0, t = 0; s < was->n_switches; s++) {
		if (s == gone)
			continue;
		for (size_t b = 0; b + size <= was->stride && b + size <= now->stride; b += size)
			n += memcmp(moore_lft_row(was, s) + b, moore_lft_row(now, t) + b, size) != 0;
		t++;
	}
	return n;
}

/* The port of a link between switches, the one that r draws. */
static void
draw_link(const struct moore_fabric *f, struct moore_rng *r, moore_swid *s, moore_portnum *p)
{
	do {
		*s = moore_rng_below(r, f->n_switches);
		*p = (moore_portnum)(1 + moore_rng_below(r, f->sw[*s].n_ports));
	} while (moore_fabric_port(f, *s, *p)->role != MOORE_ROLE_SWITCH);
}

static const struct { const char *family, *word; uint8_t lmc; } FABRICS[] = {
	{ "slimfly", "q=5", 0 }, { "slimfly", "q=5", 2 }, { "slimfly", "q=7", 1 }, { "oft", "k=4", 2 },
	{ "mlfm", "h=4", 2 }, { "hypercube", "n=4", 1 },
};

/* ---- cuts ------------------------------------------------------------------------- */

static void
one_link(void **state)
{
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < 3 * ARRAY_LEN(FABRICS); i++) {
		const size_t k = i % ARRAY_LEN(FABRICS);
		struct moore_fabric *f = fabric_of(FABRICS[k].family, FABRICS[k].word, FABRICS[k].lmc);
		struct moore_plan *plan = plan_from(f, NULL);
		struct moore_engine_result *was = run(f, NULL, NULL), *planned_was = run(f, plan, NULL);
		struct moore_engine_result *r, *kept, *planned;
		moore_swid s;
		moore_portnum p;

		draw_link(f, &rng, &s, &p);
		moore_fabric_cut(f, s, p);
		r = run(f, NULL, NULL);
		kept = run(f, NULL, plan);
		planned = run(f, plan, NULL);
		CHECK_EQ(FABRICS[k].family, r->intent, MOORE_INTENT_FAMILY);
		CHECK_EQ(FABRICS[k].family, kept->intent, MOORE_INTENT_KEPT);
		CHECK("recognised or kept, the tables are the same", r->routes_hash == kept->routes_hash);
		CHECK("and so is the hash that is logged", r->hash == kept->hash);
		CHECK("as little changes as with a plan", 2 * changed(was->lft, r->lft, MOORE_NONE, BLOCK) <=
		      3 * changed(planned_was->lft, planned->lft, MOORE_NONE, BLOCK));
		CHECK("nothing is kept", !r->keep && !kept->keep && !r->n_unknown);
		moore_engine_result_free(was);
		moore_engine_result_free(planned_was);
		moore_engine_result_free(r);
		moore_engine_result_free(kept);
		moore_engine_result_free(planned);
		moore_plan_free(plan);
		moore_fabric_free(f);
	}
}

/* The same plan, read from its text. */
static struct moore_plan *
reread(const struct moore_plan *p)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_plan *again;

	assert_int_equal(moore_plan_write(p, &b, NULL), 0);
	assert_int_equal(moore_plan_parse(&again, b.data, b.len, NULL), 0);
	moore_buf_free(&b);
	return again;
}

static void
one_switch(void **state)
{
	struct moore_rng rng = { test_seed() };
	size_t with = 0, without = 0;	/* rows that change */
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(FABRICS); i++) {
		struct moore_fabric *f = fabric_of(FABRICS[i].family, FABRICS[i].word, FABRICS[i].lmc);
		const moore_swid gone = moore_rng_below(&rng, f->n_switches);
		struct moore_fabric *g = test_without(f, gone);
		struct moore_plan *plan = plan_from(f, NULL), *again = reread(plan);
		struct moore_engine_result *was = run(f, NULL, NULL), *alone = run(g, NULL, NULL);
		struct moore_engine_result *kept = run(g, NULL, again);

		CHECK_EQ("recognised", alone->intent, MOORE_INTENT_FAMILY);
		CHECK_EQ("its place is not known", alone->n_unknown, 1);
		CHECK_EQ("kept", kept->intent, MOORE_INTENT_KEPT);
		CHECK_EQ("its place is known", kept->n_unknown, 0);
		CHECK("kept changes no more", changed(was->lft, kept->lft, gone, 1) <=
		      changed(was->lft, alone->lft, gone, 1));
		with += changed(was->lft, kept->lft, gone, 1);
		without += changed(was->lft, alone->lft, gone, 1);
		moore_engine_result_free(was);
		moore_engine_result_free(alone);
		moore_engine_result_free(kept);
		moore_plan_free(plan);
		moore_plan_free(again);
		moore_fabric_free(f);
		moore_fabric_free(g);
	}
	print_message("# rows that change: %zu with the kept graph, %zu without\n", with, without);
	CHECK("in all, kept changes less than half", 2 * with < without);
}

/* The same degraded fabric in whatever order an adapter lists it. */
static void
any_order(void **state)
{
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(FABRICS); i++) {
		struct moore_fabric *whole = fabric_of(FABRICS[i].family, FABRICS[i].word, FABRICS[i].lmc);
		struct moore_fabric *f = test_without(whole, moore_rng_below(&rng, whole->n_switches)), *g;
		struct moore_engine_result *a, *b;
		moore_portnum p;
		moore_swid s;

		draw_link(f, &rng, &s, &p);
		moore_fabric_cut(f, s, p);
		g = test_shuffled(f, &rng);
		a = run(f, NULL, NULL);
		b = run(g, NULL, NULL);
		CHECK_EQ(FABRICS[i].family, a->intent, MOORE_INTENT_FAMILY);
		CHECK("the same tables", a->routes_hash == b->routes_hash);
		CHECK("and the same hash that is logged", a->hash == b->hash);
		moore_engine_result_free(a);
		moore_engine_result_free(b);
		moore_fabric_free(g);
		moore_fabric_free(f);
		moore_fabric_free(whole);
	}
}

/* A plan that gives the GUIDs of all switches, in whatever order: its tables are those without it. */
static void
plan_in_any_order(void **state)
{
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(FABRICS); i++) {
		struct moore_fabric *f = fabric_of(FABRICS[i].family, FABRICS[i].word, FABRICS[i].lmc);
		struct moore_fabric *g = test_shuffled(f, &rng);
		struct moore_plan *plan = plan_from(g, NULL);
		moore_portnum p;
		moore_swid s;

		for (unsigned cut = 0; cut < 2; cut++) {
			struct moore_engine_result *a = run(f, NULL, NULL), *b = run(f, plan, NULL);

			CHECK_EQ(FABRICS[i].family, b->intent, MOORE_INTENT_PLAN);
			CHECK(cut ? "a link is missing" : "nothing is missing",
			      a->routes_hash == b->routes_hash);
			moore_engine_result_free(a);
			moore_engine_result_free(b);
			draw_link(f, &rng, &s, &p);
			moore_fabric_cut(f, s, p);
		}
		moore_plan_free(plan);
		moore_fabric_free(f);
		moore_fabric_free(g);
	}
}

/* Given as the intended fabric, the fabric itself changes nothing, whatever its lanes are. */
static void
the_fabric_itself(void **state)
{
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (unsigned i = 0; i < 20; i++) {
		struct moore_fabric *f = fabric_of("slimfly", i % 2 ? "q=4" : "q=5", (uint8_t)(i % 3));
		struct moore_fabric *g;
		struct moore_route *a, *b;
		struct moore_route_opts opts = { .lanes_as_seen = true,
			.profile = i % 4 == 3 ? MOORE_PROFILE_SL_HINT : MOORE_PROFILE_ANY_SL };

		for (moore_swid s = 0; s < f->n_switches; s++)
			for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
				struct moore_port *q = &f->port[f->sw[s].port0 + p];

				if (q->role == MOORE_ROLE_SWITCH && q->peer > s &&
				    moore_rng_below(&rng, 20) < i / 4)
					q->lanes = f->port[f->sw[q->peer].port0 + q->peer_port].lanes = 1;
			}
		g = copy_of(f);
		assert_int_equal(moore_route_build(&a, f, NULL, &opts, NULL), 0);
		assert_int_equal(moore_route_build(&b, f, g, &opts, NULL), 0);
		CHECK_EQ("the same tables", changed(moore_route_lft(a), moore_route_lft(b), MOORE_NONE, 1), 0);
		moore_route_free(a);
		moore_route_free(b);
		moore_fabric_free(f);
		moore_fabric_free(g);
	}
}

/* ---- what is kept --------------------------------------------------------------------- */

enum change { NOTHING, CUT, HOST_GONE, HOST_NEW, SWAP, CUT_AND_SWAP, OTHER_SWITCH };

/* Exchanges the far ends of two links. */
static void
swap_links(struct moore_fabric *f)
{
	struct moore_port a, b;
	moore_swid s = 0, t = f->n_switches - 1;
	moore_portnum p = f->sw[s].n_ports, q = f->sw[t].n_ports;

	a = *moore_fabric_port(f, s, p);
	b = *moore_fabric_port(f, t, q);
	moore_fabric_cut(f, s, p);
	moore_fabric_cut(f, t, q);
	moore_fabric_link(f, s, p, b.peer, b.peer_port, 8);
	moore_fabric_link(f, t, q, a.peer, a.peer_port, 8);
}

static struct moore_fabric *
changed_fabric(const struct moore_fabric *intact, enum change c)
{
	struct moore_fabric *f = copy_of(intact);

	if (c == CUT || c == CUT_AND_SWAP)
		moore_fabric_cut(f, 7, f->sw[7].n_ports);
	if (c == SWAP || c == CUT_AND_SWAP)
		swap_links(f);
	if (c == HOST_GONE)
		moore_fabric_cut(f, 5, 1);
	if (c == OTHER_SWITCH)
		f->sw[3].guid += 0x1000000;
	return f;
}

/* For each change against each kept graph: what the routes are for, whether the fabric is to
 * be kept, and whether a line has to say that the kept graph was of no use. */
static void
decisions(void **state)
{
	static const struct {
		const char *why;
		enum change kept, seen;
		bool family;	/* the kept graph is named as a family's */
		enum moore_intent intent;
		bool keep, differs;
	} T[] = {
		{ "the kept graph itself", NOTHING, NOTHING, true, MOORE_INTENT_KEPT, false, false },
		{ "a cable is gone", NOTHING, CUT, true, MOORE_INTENT_KEPT, false, false },
		{ "an endpoint is gone", NOTHING, HOST_GONE, true, MOORE_INTENT_KEPT, false, false },
		{ "an endpoint is new", HOST_GONE, NOTHING, true, MOORE_INTENT_SEEN, true, false },
		{ "a switch was replaced", NOTHING, OTHER_SWITCH, true, MOORE_INTENT_SEEN, true, false },
		{ "a wrong cable keeps the family", NOTHING, SWAP, true, MOORE_INTENT_SEEN, false, true },
		{ "another general graph", CUT_AND_SWAP, NOTHING, false, MOORE_INTENT_SEEN, true, false },
		{ "a general graph grew", CUT_AND_SWAP, SWAP, false, MOORE_INTENT_SEEN, true, false },
		{ "a general graph lost a cable", SWAP, CUT_AND_SWAP, false, MOORE_INTENT_KEPT, false, false },
		{ "a general graph that became whole", SWAP, NOTHING, false, MOORE_INTENT_SEEN, true, false },
	};
	struct moore_fabric *intact = fabric_of("slimfly", "q=5", 0);
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *was = changed_fabric(intact, T[i].kept);
		struct moore_fabric *f = changed_fabric(intact, T[i].seen);
		struct moore_plan *kept = plan_from(was, T[i].family ? "slimfly" : NULL);
		struct moore_engine_result *r = run(f, NULL, kept);

		CHECK_EQ(T[i].why, r->intent, T[i].intent);
		CHECK_EQ(T[i].why, r->keep, T[i].keep);
		CHECK_EQ(T[i].why, r->kept_differs, T[i].differs);
		moore_engine_result_free(r);
		moore_plan_free(kept);
		moore_fabric_free(was);
		moore_fabric_free(f);
	}
	moore_fabric_free(intact);
}

static void
first_sight(void **state)
{
	struct moore_fabric *f = fabric_of("slimfly", "q=5", 0), *g = changed_fabric(f, SWAP);
	struct moore_fabric *h = changed_fabric(f, CUT);
	struct moore_plan *p = plan_from(f, NULL);
	struct moore_engine_result *r;
	(void)state;

	r = run(f, NULL, NULL);
	CHECK("a family's graph is kept", r->keep && r->intent == MOORE_INTENT_SEEN);
	moore_engine_result_free(r);
	r = run(g, NULL, NULL);
	CHECK("so is an unrecognised one", r->keep && !*r->topology);
	moore_engine_result_free(r);
	r = run(h, NULL, NULL);
	CHECK("a part of a family's graph is not", !r->keep);
	moore_engine_result_free(r);
	r = run(f, p, NULL);
	CHECK("nor is anything beside a plan", !r->keep && r->intent == MOORE_INTENT_PLAN);
	moore_engine_result_free(r);
	moore_plan_free(p);
	moore_fabric_free(f);
	moore_fabric_free(g);
	moore_fabric_free(h);
}

/* ---- memory ------------------------------------------------------------------------------ */

/* moore-kept.json may hold anything that is a plan. */
static void
a_graph_of_too_many_lids(void **state)
{
	struct moore_plan *kept = plan_of("hypercube", "n=8 p=200");
	struct moore_fabric *f = fabric_of("hypercube", "n=3 p=1", 0);
	struct moore_engine_result *r;

	(void)state;
	for (moore_swid s = 0; s < f->n_switches; s++)
		kept->sw[s].guid = f->sw[s].guid;
	r = run(f, NULL, kept);
	CHECK_EQ("is not used", r->intent, MOORE_INTENT_SEEN);
	CHECK("and replaced", r->keep);
	CHECK("no words for it", !r->kept_differs);
	moore_engine_result_free(r);
	moore_fabric_free(f);
	moore_plan_free(kept);
}

/* On several workers a fabric with the numbers of a family is routed while it is recognised.  This one
 * has 12 switches and 18 links, as torus2d a=2 b=6, but is a fat tree without two links. */
static void
numbers_of_another(void **state)
{
	const struct moore_jobs jobs = { test_run_shuffled, 3 };
	struct moore_fabric *f = fabric_of("fattree2", "k=10 s=2", 0);
	(void)state;

	for (unsigned cuts = 0; cuts <= 2; cuts++) {
		struct moore_engine_result *a = run(f, NULL, NULL), *b = run_on(&jobs, f, NULL, NULL);

		CHECK_EQ("the intended fabric", a->intent, cuts ? MOORE_INTENT_FAMILY : MOORE_INTENT_SEEN);
		CHECK_EQ("the same on several workers", b->intent, a->intent);
		CHECK("the same name", !strcmp(a->topology, b->topology) && *a->topology);
		CHECK("the same tables", a->hash == b->hash);
		moore_engine_result_free(a);
		moore_engine_result_free(b);
		for (unsigned p = 1; p <= f->sw[cuts].n_ports; p++)
			if (moore_fabric_port(f, cuts, (moore_portnum)p)->role == MOORE_ROLE_SWITCH) {
				moore_fabric_cut(f, cuts, (moore_portnum)p);
				break;
			}
	}
	moore_fabric_free(f);
}

static void
oom(void **state)
{
	struct moore_fabric *f = fabric_of("slimfly", "q=3", 0), *g = test_without(f, 2);
	struct moore_plan *p = NULL, *kept = plan_from(f, NULL);
	struct moore_engine_result *r = NULL;
	struct moore_conf conf;
	(void)state;

	moore_conf_defaults(&conf);
	CHECK_OOM("plan", moore_plan_from_fabric(&p, f, NULL), moore_plan_free(p));
	CHECK_OOM("recognised", moore_engine_run(&r, g, NULL, &conf, NULL, NULL, NULL),
		  moore_engine_result_free(r));
	conf.kept = kept;
	CHECK_OOM("kept", moore_engine_run(&r, g, NULL, &conf, NULL, NULL, NULL),
		  moore_engine_result_free(r));
	moore_plan_free(kept);
	moore_fabric_free(f);
	moore_fabric_free(g);
}

/* ---- the core ------------------------------------------------------------------------------ */

/* A ring of n switches with an endpoint each, and a chain of n_hanging more from the first. */
static struct moore_fabric *
ring_with_chain(uint32_t n, uint32_t n_hanging)
{
	const uint32_t all = n + n_hanging;
	struct moore_fabric *f;

	assert_int_equal(moore_fabric_new(&f, all, all, all * 5, NULL), 0);
	for (moore_swid s = 0; s < all; s++)
		f->sw[s] = (struct moore_switch){ .guid = s + 1, .lid = (moore_lid)(s + 1), .n_ports = 4,
			.maps_sl = true, .name = moore_strndup("s", 1) };
	moore_fabric_layout(f);
	for (moore_swid s = 0; s < n; s++)
		moore_fabric_link(f, s, 1, (s + 1) % n, 2, 8);
	for (uint32_t i = 0; i < n_hanging; i++)
		moore_fabric_link(f, i ? n + i - 1 : 0, 3, n + i, 2, 8);
	for (moore_epid e = 0; e < all; e++) {
		f->ep[e] = (struct moore_endpoint){ .guid = 1000 + e, .lid = (moore_lid)(1000 + e),
			.name = moore_strndup("h", 1) };
		moore_fabric_attach(f, e, e, 4, 8);
	}
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	return f;
}

static struct moore_fabric *
core_of(uint32_t n, uint32_t n_hanging)
{
	struct moore_fabric *f = ring_with_chain(n, n_hanging), *core;

	assert_int_equal(moore_intended_core(&core, f, NULL), 0);
	moore_fabric_free(f);
	return core;
}

static void
what_hangs(void **state)
{
	struct moore_fabric *core = core_of(20, 2);

	(void)state;
	assert_non_null(core);
	assert_int_equal(core->n_switches, 20);
	assert_int_equal(core->n_endpoints, 20);
	for (moore_swid s = 0; s < 20; s++) {
		assert_int_equal(core->sw[s].guid, s + 1);
		assert_int_equal(moore_fabric_port(core, s, 1)->peer, (s + 1) % 20);
		assert_int_equal(moore_fabric_port(core, s, 3)->role, MOORE_ROLE_NONE);
		assert_int_equal(core->ep[s].guid, 1000 + s);
	}
	moore_fabric_free(core);
	assert_null(core_of(20, 0));	/* nothing hangs */
	assert_null(core_of(20, 3));	/* more than one in eight */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_link),
		cmocka_unit_test(one_switch),
		cmocka_unit_test(any_order),
		cmocka_unit_test(plan_in_any_order),
		cmocka_unit_test(the_fabric_itself),
		cmocka_unit_test(decisions),
		cmocka_unit_test(first_sight),
		cmocka_unit_test(a_graph_of_too_many_lids),
		cmocka_unit_test(numbers_of_another),
		cmocka_unit_test(what_hangs),
		cmocka_unit_test(oom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

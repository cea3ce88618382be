// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_parts.c - tables that come in parts: routed and judged as a whole would be, in memory that does
 * not grow with the pairs of switches.  moore_check() on the collected rows is the oracle. */
#include "harness.h"
#include "fabrics.h"
#include "moore/engine.h"
#include "moore/lane.h"
#include "route/turns/turns.h"
#include "route/trees/tree.h"
#include "shuffled_jobs.h"

/* ---- what the engine makes ------------------------------------------------------------------- */

struct taken {
	struct moore_lft *lft;
	unsigned n_parts;
};

static void
take(void *arg, const struct moore_lft *part, moore_lid first)
{
	struct taken *t = arg;

	for (uint32_t s = 0; s < part->n_switches; s++)
		for (size_t i = 0; i < part->stride && first + i < t->lft->stride; i++)
			moore_lft_row(t->lft, s)[first + i] = moore_lft_row(part, s)[i];
	t->n_parts++;
}

static void
drop(void *arg, const struct moore_lft *part, moore_lid first)
{
	(void)arg;
	(void)part;
	(void)first;
}

static int
run(struct moore_verdict **v, struct taken *t, const struct moore_fabric *f, enum moore_profile profile,
    const struct moore_jobs *jobs)
{
	const struct moore_engine_taker taker = { take, t };
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	conf.profile = profile;
	conf.jobs = jobs;
	*t = (struct taken){ NULL };
	if (moore_lft_new(&t->lft, f->n_switches, f->lid_top, &err) < 0)
		abort();
	return moore_engine_run_parts(v, f, &conf, &taker, &err);
}

static void
check_same(const char *why, const struct moore_verdict *a, const struct moore_verdict *b)
{
	CHECK_EQ(why, a->sound, b->sound);
	CHECK_EQ(why, a->acyclic, b->acyclic);
	CHECK_EQ(why, a->pairs, b->pairs);
	CHECK_EQ(why, a->unreachable, b->unreachable);
	CHECK_EQ(why, a->partitioned, b->partitioned);
	CHECK_EQ(why, a->n_channels, b->n_channels);
	CHECK_EQ(why, a->n_dependencies, b->n_dependencies);
	CHECK_EQ(why, a->cycle_len, b->cycle_len);
	CHECK_EQ(why, a->vls, b->vls);
	CHECK(why, a->max_load == b->max_load && a->mean_load == b->mean_load);
	CHECK(why, !memcmp(a->hops, b->hops, sizeof(a->hops)));
}

static void
check_made(const char *why, const struct moore_fabric *f, enum moore_profile profile)
{
	const struct moore_jobs shuffled = { test_run_shuffled, 3 };
	const struct moore_check_opts opts = { .sl_mask = 1 };
	struct moore_verdict *v, *again, *whole;
	struct moore_sl2vl *lanes;
	struct taken t, u;
	struct moore_conf conf;

	moore_conf_defaults(&conf);
	CHECK_EQ(why, run(&v, &t, f, profile, NULL), 0);
	CHECK_EQ(why, run(&again, &u, f, profile, &shuffled), 0);
	CHECK(why, !memcmp(t.lft->row, u.lft->row, t.lft->stride * f->n_switches));
	check_same(why, again, v);
	CHECK(why, v->sound && (v->pairs || f->n_switches < 2));
	CHECK_EQ(why, profile == MOORE_PROFILE_ONE_VL ? moore_sl2vl_new(&lanes, f, NULL) :
		 moore_lane_effective(&lanes, f, &conf.lanes, NULL, NULL), 0);
	CHECK_EQ(why, moore_check(&whole, f, t.lft, lanes, NULL, &opts, NULL), 0);
	check_same(why, v, whole);
	moore_verdict_free(v);
	moore_verdict_free(again);
	moore_verdict_free(whole);
	moore_sl2vl_free(lanes);
	moore_lft_free(t.lft);
	moore_lft_free(u.lft);
}

static void
test_families(void **state)
{
	static const struct { const char *family, *params; } all[] = {
		{ "slimfly", "q=5 p=2" }, { "oft", "k=4" }, { "mlfm", "h=4" }, { "torus", "a=3 b=4 c=5" },
		{ "torus", "a=9" }, { "hyperx", "s1=3 s2=3 s3=2" }, { "dragonfly", "a=4 h=2" },
		{ "torus2d", "a=16 b=33" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		for (uint8_t lmc = 0; lmc < 3; lmc += 2) {
			struct moore_fabric *f = test_family(all[i].family, all[i].params, lmc);

			check_made(all[i].family, f, MOORE_PROFILE_ANY_SL);
			check_made(all[i].family, f, MOORE_PROFILE_ONE_VL);
			moore_fabric_free(f);
		}
}

/* Also with parallel links, switches without endpoints, and links that are cut, maybe all at one
 * switch. */
static void
test_random(void **state)
{
	struct moore_rng r = { test_seed() };

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct moore_fabric *f = test_random_fabric(&r, 1 + moore_rng_below(&r, 40),
							    moore_rng_below(&r, 60), (uint8_t)moore_rng_below(&r, 3));

		for (unsigned n = moore_rng_below(&r, 4); n > 0; n--) {
			moore_swid s = moore_rng_below(&r, f->n_switches);

			if (f->sw[s].n_ports)
				moore_fabric_cut(f, s, (moore_portnum)(1 + moore_rng_below(&r, f->sw[s].n_ports)));
		}
		check_made("a random fabric", f, i % 2 ? MOORE_PROFILE_ONE_VL : MOORE_PROFILE_ANY_SL);
		moore_fabric_free(f);
	}
}

/* The longest route to the LIDs of one offset. */
static unsigned
longest(const struct moore_fabric *f, const struct moore_lft *t, unsigned offset)
{
	unsigned most = 0;

	for (moore_epid e = 0; e < f->n_endpoints; e++)
		for (moore_swid s = 0; s < f->n_switches; s++) {
			unsigned hops = 0;
			moore_swid at = s;

			for (; at != f->ep[e].sw; hops++)
				at = moore_fabric_port(f, at, moore_lft_row(t, at)[f->ep[e].lid + offset])->peer;
			most = hops > most ? hops : most;
		}
	return most;
}

static void
test_layers(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=5 p=1", 1);
	struct moore_verdict *v;
	struct taken t;

	(void)state;
	CHECK_EQ("a Slim Fly", run(&v, &t, f, MOORE_PROFILE_ANY_SL, NULL), 0);
	CHECK_EQ("layer 0 is minimal", longest(f, t.lft, 0), 2);
	CHECK("layer 1 goes over a switch between", longest(f, t.lft, 1) > 2);
	CHECK("some routes have three hops", v->hops[3] > 0);
	moore_verdict_free(v);
	moore_lft_free(t.lft);
	moore_fabric_free(f);
}

static void
test_too_long(void **state)
{
	struct moore_fabric *f = test_family("torus", "a=402", 0);
	struct moore_engine_taker taker = { drop, NULL };
	struct moore_verdict *v;
	struct moore_conf conf;
	struct moore_err err;

	(void)state;
	moore_conf_defaults(&conf);
	CHECK_EQ("a ring", moore_engine_run_parts(&v, f, &conf, &taker, &err), -MOORE_EUNREACH);
	CHECK_STR("a ring", err.text, "switch \"sw0\" is not within 200 hops of every switch");
	moore_fabric_free(f);
}

/* ---- the tree of the two growers ----------------------------------------------------------------- */

/* Whether u reaches all nodes, those with children by turns that are allowed. */
static bool
is_whole(const struct moore_rview *v, const struct moore_rtree *u)
{
	const struct moore_rgraph *g = v->g;

	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t r = s, n = 0;

		for (; r != u->root && u->slot[r] != MOORE_SLOT_NONE && n < g->n; n++) {
			uint32_t e = g->xadj[r] + u->slot[r], on;

			r = g->to[e];
			on = g->xadj[r] + u->slot[r];
			if (n && r != u->root && v->turns->rank[e] >= v->turns->rank[on])
				return false;
		}
		if (r != u->root)
			return false;
	}
	return u->n_reached == g->n;
}

/* Grows the tree of root around some neighbours by tree.c and by tree_bare.c.  Returns whether the latter
 * went without held nodes. */
static bool
grow_both(const char *why, const struct moore_rview *v, uint32_t root, const uint32_t *load, uint32_t shut)
{
	const struct moore_rgraph *g = v->g;
	uint8_t *wish = calloc((size_t)g->n + 1, 1);
	struct moore_rtree t = { 0 }, u = { 0 };
	struct moore_rbare b;
	bool done;

	for (uint32_t o = g->xadj[root]; o < g->xadj[root + 1]; o++)
		wish[g->to[o]] = o - g->xadj[root] < shut ? MOORE_WISH_SHUT : 0;
	CHECK_EQ(why, moore_rtree_init(&t, g) | moore_rtree_init(&u, g) | moore_rbare_init(&b, v), 0);
	b.round = UINT32_MAX - 1;
	for (unsigned again = 0; again < 2; again++) {
		done = moore_rtree_grow_bare(&u, &b, v, root, load, g->n, shut ? wish : NULL);
		if (shut)
			CHECK_EQ(why, moore_rtree_grow_around(&t, v, root, load, g->n, wish), done);
		else if (done)
			CHECK(why, moore_rtree_grow(&t, v, root, load, g->n));
		if (!shut && !done) {
			CHECK(why, moore_rtree_grow_held(&u, &b, v, root, load, g->n));
			CHECK(why, is_whole(v, &u));
		}
		CHECK(why, !done || !memcmp(t.slot, u.slot, g->n));
		CHECK(why, !done || !memcmp(t.queue, u.queue, g->n * sizeof(*t.queue)));
	}
	moore_rtree_fini(&t);
	moore_rtree_fini(&u);
	moore_rbare_fini(&b);
	free(wish);
	return done;
}

static void
test_bare(void **state)
{
	static const struct { const char *family, *params; } all[] = {
		{ "slimfly", "q=5" }, { "oft", "k=4" }, { "torus", "a=3 b=4 c=5" }, { "hyperx", "s1=3 s2=3 s3=2" },
		{ "torus", "a=9 b=7" },
	};
	struct moore_rng r = { test_seed() };
	unsigned n = 0, n_done = 0;

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		const char *why = i % 2 ? all[i / 2 % ARRAY_LEN(all)].family : "a random fabric";
		struct moore_fabric *f = i % 2 ? test_family(why, all[i / 2 % ARRAY_LEN(all)].params, 0) :
			test_random_fabric(&r, 2 + moore_rng_below(&r, 40), moore_rng_below(&r, 60), 0);
		struct moore_rturns turns = { 0 };
		struct moore_rgraph g = { 0 };
		const struct moore_rview v = { &g, MOORE_EDGE_UP, true, &turns };
		uint8_t *half = calloc(f->n_switches + 1, 1), *entry_wanted;
		uint32_t *load;

		CHECK_EQ(why, moore_rgraph_build(&g, f, NULL, NULL, MOORE_RGRAPH_MINIMAL, NULL), 0);
		entry_wanted = calloc((size_t)g.n_edges + 1, 1);
		CHECK_EQ(why, moore_rturns_init(&turns, &g, half, entry_wanted, false) |
			 moore_rturns_build(&turns, &v, NULL, NULL, NULL), 0);
		CHECK(why, moore_rbare_suits(&g));
		load = calloc((size_t)g.n_edges + 1, sizeof(*load));
		for (uint32_t e = 0; e < g.n_edges; e++)
			load[e] = moore_rng_below(&r, 1 + i % 3 * 50);
		for (uint32_t root = 0; root < g.n; root++, n++)
			n_done += grow_both(why, &v, root, load, moore_rng_below(&r, 3));
		free(load);
		free(half);
		free(entry_wanted);
		moore_rturns_fini(&turns);
		moore_rgraph_fini(&g);
		moore_fabric_free(f);
	}
	print_message("# %u of %u trees without held nodes\n", n_done, n);
	CHECK("both happen", n_done > n / 4 && n_done < n * 3 / 4);
}

/* ---- what the checker says of parts ------------------------------------------------------------ */

/* Everything goes round a ring of n switches in one sense, on one VL. */
static void
test_cyclic(void **state)
{
	const struct moore_check_opts opts = { .sl_mask = 1 };
	struct moore_fabric *f = test_family("torus", "a=5", 0);
	struct moore_lft *lft = NULL, *part = NULL;
	struct moore_verdict *v, *whole;
	struct moore_check_parts *p;
	struct moore_sl2vl *lanes;

	(void)state;
	CHECK_EQ("room", moore_sl2vl_new(&lanes, f, NULL) | moore_lft_new(&lft, 5, f->lid_top, NULL) |
		 moore_lft_new(&part, 5, MOORE_CHECK_PART - 1, NULL), 0);
	for (moore_swid s = 0; s < 5; s++)
		for (unsigned q = 1; q <= f->sw[s].n_ports; q++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)q);

			if (port->role == MOORE_ROLE_SWITCH && port->peer == (s + 1) % 5)
				memset(moore_lft_row(lft, s), (int)q, lft->stride);
		}
	for (moore_swid s = 0; s < 5; s++)
		moore_lft_row(lft, s)[f->sw[s].lid] = 0;
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		moore_lft_row(lft, f->ep[e].sw)[f->ep[e].lid] = f->ep[e].port;
	for (moore_swid s = 0; s < 5; s++)
		memcpy(moore_lft_row(part, s), moore_lft_row(lft, s), lft->stride);
	CHECK_EQ("whole", moore_check(&whole, f, lft, lanes, NULL, &opts, NULL), 0);
	CHECK_EQ("parts", moore_check_parts_new(&p, f, lanes, NULL, MOORE_CHECK_PART, NULL), 0);
	moore_check_part(p, part, 0);
	CHECK_EQ("end", moore_check_parts_end(&v, p, NULL), 0);
	check_same("a ring in one sense", v, whole);
	CHECK("it is cyclic", !v->sound && !v->acyclic && v->cycle_len == 5);
	CHECK_EQ("there is no example", v->cycle[0].src_sw, MOORE_NONE);
	moore_verdict_free(v);
	moore_verdict_free(whole);
	moore_check_parts_free(p);
	moore_sl2vl_free(lanes);
	moore_lft_free(lft);
	moore_lft_free(part);
	moore_fabric_free(f);
}

/* ---- memory --------------------------------------------------------------------------------------- */

static void
test_oom(void **state)
{
	struct moore_fabric *f = test_family("torus", "a=3 b=3", 1);
	const struct moore_engine_taker taker = { drop, NULL };
	struct moore_verdict *v;
	struct moore_conf conf;

	(void)state;
	moore_conf_defaults(&conf);
	CHECK_OOM("a torus", moore_engine_run_parts(&v, f, &conf, &taker, NULL), moore_verdict_free(v));
	moore_fabric_free(f);
}

/* Peak memory for each switch. */
static long
peak(const char *params)
{
	struct moore_fabric *f = test_family("torus", params, 0);
	const struct moore_engine_taker taker = { drop, NULL };
	struct moore_verdict *v;
	struct moore_conf conf;
	long before = alloc_peak = alloc_live, n = (long)f->n_switches;

	moore_conf_defaults(&conf);
	CHECK_EQ(params, moore_engine_run_parts(&v, f, &conf, &taker, NULL), 0);
	CHECK(params, v->sound);
	moore_verdict_free(v);
	moore_fabric_free(f);
	return (alloc_peak - before) / n;
}

static void
test_linear(void **state)
{
	long few = peak("a=6 b=6 c=6"), many = peak("a=12 b=12 c=12");

	(void)state;
	print_message("# %ld and %ld bytes for each switch of 216 and 1,728\n", few, many);
	CHECK("memory grows with the switches, not with their pairs", many < few * 5 / 4);
}

/* ---- size ------------------------------------------------------------------------------------------ */

/* The last trees of a torus of 100,000 switches.  All of them take about an hour of one processor. */
static void
test_large(void **state)
{
	const struct moore_route_opts opts = { .profile = MOORE_PROFILE_ANY_SL };
	struct moore_plan *plan = plan_of("torus", "a=10 b=10 c=10 d=10 e=10");
	struct moore_check_parts *check = NULL;
	struct moore_route_parts *route = NULL;
	struct moore_verdict *v = NULL;
	struct moore_sl2vl *lanes = NULL;
	struct moore_lft *part = NULL;
	struct moore_conf conf;
	struct moore_fabric *f;
	moore_lid first;

	(void)state;
	moore_conf_defaults(&conf);
	CHECK_EQ("fabric", moore_fabric_from_plan_to(&f, plan, 0, 1u << 26, NULL), 0);
	for (moore_swid s = 0; s < f->n_switches; s++)
		f->sw[s].lid = 0;
	first = f->lid_top / MOORE_ROUTE_PART * MOORE_ROUTE_PART;
	CHECK_EQ("room", moore_route_parts_new(&route, f, &opts, NULL) | moore_lane_effective(&lanes, f, &conf.lanes, NULL, NULL) |
		 moore_check_parts_new(&check, f, lanes, NULL, MOORE_ROUTE_PART, NULL) |
		 moore_lft_new(&part, f->n_switches, MOORE_ROUTE_PART - 1, NULL), 0);
	CHECK_EQ("trees", moore_route_part(route, part, first, NULL), 0);
	moore_check_part(check, part, first);
	CHECK_EQ("verdict", moore_check_parts_end(&v, check, NULL), 0);
	CHECK("sound", v->sound && v->acyclic && !v->unreachable);
	CHECK_EQ("pairs", v->pairs, (f->lid_top - first + 1) * 99999ull);
	print_message("# %u trees of 100,000\n", (unsigned)(f->lid_top - first + 1));
	moore_verdict_free(v);
	moore_check_parts_free(check);
	moore_route_parts_free(route);
	moore_sl2vl_free(lanes);
	moore_lft_free(part);
	moore_fabric_free(f);
	moore_plan_free(plan);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_bare),
		cmocka_unit_test(test_cyclic),
		cmocka_unit_test(test_oom),
		cmocka_unit_test(test_linear),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_grown.c - trees that are kept from build to build change no bit of a route.
 *
 * One keep goes through changes of many fabrics, one upon the other: links and switches are
 * lost and come back, links lose lanes, rules spare links, the intended graph, the profile and
 * the layers change.  Each route is compared with that of a build which keeps nothing. */
#include "fabrics.h"
#include "harness.h"
#include "moore/lane.h"
#include "moore/route.h"
#include "shuffled_jobs.h"

static const struct moore_jobs shuffled = { test_run_shuffled, 3 };

static struct moore_fabric *
copy(const struct moore_fabric *f)
{
	struct moore_fabric *g;

	assert_int_equal(moore_fabric_copy(&g, f, NULL), 0);
	return g;
}

/* ---- comparing --------------------------------------------------------------------- */

static void
compare(const char *why, const struct moore_route *a, const struct moore_route *b,
	const struct moore_fabric *f, struct moore_rng *rng, enum moore_profile profile)
{
	struct moore_route_stats sa, sb;
	uint8_t tree[2][256];

	CHECK(why, !memcmp(moore_route_lft(a)->row, moore_route_lft(b)->row,
			   moore_route_lft(a)->stride * f->n_switches));
	CHECK(why, !memcmp(moore_route_order(a), moore_route_order(b),
			   f->n_switches * sizeof(uint32_t)));
	moore_route_stats(a, &sa);
	moore_route_stats(b, &sb);
	CHECK(why, !memcmp(&sa, &sb, sizeof(sa)));
	for (unsigned i = 0; i < 200 && profile == MOORE_PROFILE_SL_HINT; i++) {
		moore_lid s = (moore_lid)(1 + moore_rng_below(rng, f->lid_top));
		moore_lid d = (moore_lid)(1 + moore_rng_below(rng, f->lid_top));

		CHECK_EQ(why, moore_route_right(a, s, d), moore_route_right(b, s, d));
	}
	for (uint16_t i = 0; i < 4; i++) {
		moore_swid m[3];

		for (unsigned k = 0; k < 3; k++)
			m[k] = moore_rng_below(rng, f->n_switches);
		CHECK_EQ(why, moore_route_mcast(a, i, m, 3, tree[0], NULL),
			 moore_route_mcast(b, i, m, 3, tree[1], NULL));
		CHECK(why, !memcmp(tree[0], tree[1], f->n_switches));
	}
}

/* ---- one build ----------------------------------------------------------------------- */

struct walk {
	struct moore_rng rng;
	const struct moore_fabric *whole, *other;	/* other: a few links less */
	struct moore_fabric *seen;
	const struct moore_fabric *intended;	/* whole, other or NULL */
	struct moore_route_opts opts;
	struct moore_link_rule rule;
	struct moore_links rules;
	struct moore_grown *grown;
	unsigned n, n_failed, n_reused, n_repaired;
};

/* Trees were reused if the build allocated less than one without a keep. */
static void
build_both(struct walk *w, const char *why)
{
	struct moore_route_opts with = w->opts;
	struct moore_route *a = NULL, *b = NULL;
	struct moore_route_stats st;
	long n_plain, n_kept;
	int rc;

	alloc_count = 0;
	rc = moore_route_build(&a, w->seen, w->intended, &w->opts, NULL);
	n_plain = alloc_count;
	with.grown = &w->grown;
	with.jobs = moore_rng_below(&w->rng, 2) ? &shuffled : NULL;
	alloc_count = 0;
	CHECK_EQ(why, moore_route_build(&b, w->seen, w->intended, &with, NULL), rc);
	n_kept = alloc_count;
	w->n++;
	if (rc < 0) {
		CHECK_EQ(why, rc, -MOORE_EUNREACH);
		w->n_failed++;
		return;
	}
	compare(why, a, b, w->seen, &w->rng, w->opts.profile);
	CHECK(why, (w->grown != NULL) == (w->opts.profile != MOORE_PROFILE_SL_HINT));
	moore_route_stats(b, &st);
	w->n_reused += n_kept < n_plain;
	w->n_repaired += n_kept < n_plain && st.repaired;
	moore_route_free(a);
	moore_route_free(b);
}

/* ---- what changes between two builds ---------------------------------------------------- */

static void
lose_links(struct walk *w)
{
	test_cut_some(w->seen, &w->rng, 1 + moore_rng_below(&w->rng, 4));
}

static void
lose_switch(struct walk *w)
{
	struct moore_fabric *f;

	if (w->seen->n_switches < 3)
		return;
	f = test_without(w->seen, moore_rng_below(&w->rng, w->seen->n_switches));
	moore_fabric_free(w->seen);
	w->seen = f;
}

static void
restore(struct walk *w)
{
	moore_fabric_free(w->seen);
	w->seen = copy(w->whole);
}

static void
lower_lanes(struct walk *w)
{
	moore_swid s = moore_rng_below(&w->rng, w->seen->n_switches);
	unsigned p = 1 + moore_rng_below(&w->rng, w->seen->sw[s].n_ports);
	struct moore_port *q = &w->seen->port[w->seen->sw[s].port0 + p];

	if (q->role == MOORE_ROLE_SWITCH)
		q->lanes = w->seen->port[w->seen->sw[q->peer].port0 + q->peer_port].lanes = 1;
}

static void
choose_intended(struct walk *w)
{
	const struct moore_fabric *of[] = { w->whole, w->other, NULL };

	w->intended = of[moore_rng_below(&w->rng, 3)];
	w->opts.lanes_as_seen = w->intended && moore_rng_below(&w->rng, 2);
}

static void
choose_profile(struct walk *w)
{
	static const enum moore_profile of[] = { MOORE_PROFILE_ANY_SL, MOORE_PROFILE_ANY_SL,
		MOORE_PROFILE_ANY_SL, MOORE_PROFILE_SL_HINT, MOORE_PROFILE_ONE_VL };

	w->opts.profile = of[moore_rng_below(&w->rng, ARRAY_LEN(of))];
	w->opts.seed = moore_rng_below(&w->rng, 3);
	w->opts.layers = (enum moore_layers)moore_rng_below(&w->rng, 4);
}

static void
spare_link(struct walk *w)
{
	const struct moore_fabric *f = w->seen;

	w->rule.guid = f->sw[moore_rng_below(&w->rng, f->n_switches)].guid;
	w->rule.port = (moore_portnum)moore_rng_below(&w->rng, 6);
	w->rule.weight = moore_rng_below(&w->rng, 2) ? MOORE_LINK_AVOID : 3;
	w->opts.links = w->opts.links ? NULL : &w->rules;
}

static void
unplug_host(struct walk *w)
{
	const struct moore_endpoint *ep;

	if (!w->seen->n_endpoints)
		return;
	ep = &w->seen->ep[moore_rng_below(&w->rng, w->seen->n_endpoints)];
	if (ep->sw != MOORE_NONE)
		moore_fabric_cut(w->seen, ep->sw, ep->port);
}

static void
forbid_transit(struct walk *w)
{
	moore_swid s = moore_rng_below(&w->rng, w->seen->n_switches);

	w->seen->sw[s].maps_sl ^= 1;
}

/* A random port that leads to a switch; 0 if it does not. */
static moore_portnum
draw_link(struct walk *w, moore_swid s)
{
	unsigned p = 1 + moore_rng_below(&w->rng, w->seen->sw[s].n_ports);

	return moore_fabric_port(w->seen, s, (moore_portnum)p)->role == MOORE_ROLE_SWITCH ?
		(moore_portnum)p : 0;
}

/* Two cables change places at one end, so that each switch has as many as before. */
static void
swap_cables(struct walk *w)
{
	struct moore_fabric *f = w->seen;
	moore_swid a = moore_rng_below(&w->rng, f->n_switches);
	moore_swid b = moore_rng_below(&w->rng, f->n_switches);
	moore_portnum p = draw_link(w, a), q = draw_link(w, b);
	struct moore_port x = *moore_fabric_port(f, a, p), y = *moore_fabric_port(f, b, q);

	if (!p || !q || a == b || x.peer == b || y.peer == a || x.peer == y.peer)
		return;
	moore_fabric_cut(f, a, p);
	moore_fabric_cut(f, b, q);
	moore_fabric_link(f, a, p, y.peer, y.peer_port, x.lanes);
	moore_fabric_link(f, b, q, x.peer, x.peer_port, y.lanes);
}

static const struct {
	const char *why;
	void (*change)(struct walk *w);
	unsigned often;		/* of 27 */
} CHANGES[] = {
	{ "links are lost", lose_links, 8 },
	{ "all is there again", restore, 4 },
	{ "a switch is lost", lose_switch, 1 },
	{ "a link has one lane", lower_lanes, 1 },
	{ "another intended graph", choose_intended, 3 },
	{ "another profile", choose_profile, 2 },
	{ "a link is spared", spare_link, 2 },
	{ "a host is away", unplug_host, 2 },
	{ "a switch maps SLs no more, or again", forbid_transit, 2 },
	{ "cables were swapped", swap_cables, 2 },
};

static void
change(struct walk *w, const char **why)
{
	unsigned draw = moore_rng_below(&w->rng, 27), i = 0;

	for (; draw >= CHANGES[i].often; i++)
		draw -= CHANGES[i].often;
	CHANGES[i].change(w);
	*why = CHANGES[i].why;
}

/* ---- the tests ------------------------------------------------------------------------ */

static void
test_walk(void **state)
{
	static const struct {
		const char *family, *params;
	} T[] = { { "slimfly", "q=3" }, { "slimfly", "q=4 p=2" }, { "slimfly", "q=5 p=3" }, { "oft", "k=3" },
		  { "oft", "k=4" }, { "mlfm", "h=4" }, { "dragonfly", "a=4 h=1 p=2" },
		  { "hypercube", "n=4 p=2" }, { "torus2d", "a=3 b=4" }, { "dln", "n=24 k=4 p=2" }, { NULL, NULL } };
	struct walk w = { .rng = { test_seed() } };
	char why[128];
	(void)state;

	w.rules = (struct moore_links){ .rule = &w.rule, .n = 1 };
	for (unsigned i = 0; i < test_rounds(40); i++) {
		size_t k = moore_rng_below(&w.rng, ARRAY_LEN(T));
		uint8_t lmc = (uint8_t)moore_rng_below(&w.rng, 4);
		struct moore_fabric *whole = T[k].family ? test_family(T[k].family, T[k].params, lmc) :
			test_random_fabric(&w.rng, 2 + moore_rng_below(&w.rng, 30), 40, lmc);
		struct moore_fabric *other = copy(whole);

		test_cut_some(other, &w.rng, 3);
		w.whole = whole;
		w.other = other;
		w.seen = copy(whole);
		w.intended = whole;
		w.opts = (struct moore_route_opts){ .lanes_as_seen = true };
		for (unsigned step = 0; step < 12; step++) {
			const char *what = "first";

			if (step)
				change(&w, &what);
			snprintf(why, sizeof(why), "%s LMC %u, round %u, step %u: %s",
				 T[k].family ? T[k].family : "random", lmc, i, step, what);
			build_both(&w, why);
		}
		moore_fabric_free(w.seen);
		moore_fabric_free(whole);
		moore_fabric_free(other);
	}
	print_message("# %u builds, of which %u fail and %u reuse trees, %u of these repair them\n", w.n,
		      w.n_failed, w.n_reused, w.n_repaired);
	CHECK("trees are reused", w.n_reused > w.n / 4 && w.n_repaired > w.n / 8);
	CHECK("and grown anew", w.n_reused < w.n * 3 / 4);
	CHECK("most succeed", w.n_failed < w.n / 4);
	moore_grown_free(w.grown);
}

/* A cut, and its repair, use the trees that the intact fabric left, with a plan or without. */
static void
test_reused(void **state)
{
	static const struct {
		const char *family, *params;
		uint8_t lmc;
	} T[] = { { "slimfly", "q=7 p=4", 2 }, { "slimfly", "q=5", 0 }, { "oft", "k=4", 2 }, { "mlfm", "h=4", 2 },
		  { "dragonfly", "a=4 h=2 p=2", 1 } };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, T[i].lmc), *g = copy(f);
		struct moore_grown *grown = NULL;
		struct moore_route_opts opts = { .grown = &grown, .lanes_as_seen = true };
		struct moore_route *r[3];
		long n[3];

		for (unsigned p = 1, cut = 0; !cut; p++)
			if ((cut = moore_fabric_port(g, 0, (moore_portnum)p)->role == MOORE_ROLE_SWITCH))
				moore_fabric_cut(g, 0, (moore_portnum)p);
		for (unsigned k = 0; k < 3; k++) {
			alloc_count = 0;
			assert_int_equal(moore_route_build(&r[k], k == 1 ? g : f, k == 1 ? f : NULL, &opts,
							   NULL), 0);
			n[k] = alloc_count;
		}
		CHECK(T[i].family, n[1] < n[0] && n[2] < n[0]);
		CHECK(T[i].family, !memcmp(moore_route_lft(r[0])->row, moore_route_lft(r[2])->row,
					   moore_route_lft(r[0])->stride * f->n_switches));
		for (unsigned k = 0; k < 3; k++)
			moore_route_free(r[k]);
		moore_grown_free(grown);
		moore_fabric_free(f);
		moore_fabric_free(g);
	}
}

/* Whatever allocation fails, the build fails or its tables are right; what is kept then is
 * complete or NULL. */
static void
test_memory(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=3 p=1", 1), *g = copy(f);
	struct moore_grown *grown = NULL;
	const struct moore_route_opts plain = { .seed = 1 }, keep = { .seed = 1, .grown = &grown };
	struct moore_route *want, *r = NULL;
	struct moore_rng rng = { 1 };
	unsigned without = 0;
	long at = 0;
	(void)state;

	moore_fabric_cut(g, 0, 3);
	assert_int_equal(moore_route_build(&want, g, f, &plain, NULL), 0);
	do {
		int rc;

		for (unsigned again = 0; again < 2; again++) {	/* with what the first one kept */
			alloc_count = 0;
			alloc_fail_at = again ? -1 : at;
			rc = moore_route_build(&r, g, f, &keep, NULL);
			alloc_fail_at = -1;
			without += rc == 0 && !grown;
			CHECK("it fails or succeeds", rc == 0 || (rc == -MOORE_ENOMEM && !again && !r));
			if (rc == 0)
				compare("without some memory", want, r, g, &rng, MOORE_PROFILE_ANY_SL);
			moore_route_free(r);
			r = NULL;
		}
		moore_grown_free(grown);
		grown = NULL;
	} while (at++ < 400);
	CHECK("nothing is kept where there is no memory for it", without > 2);
	moore_route_free(want);
	moore_fabric_free(f);
	moore_fabric_free(g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_reused),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests_name("grown", tests, NULL, NULL);
}

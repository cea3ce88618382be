// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_route.c - routes are shortest on intact fabrics, balanced, deadlock-free and
 * complete on every connected fabric, and the same bits for the same fabric.  The checker
 * judges deadlock freedom; test_check.c compares the checker itself with brute force. */
#include "harness.h"

#include "fabrics.h"
#include "moore/check.h"
#include "moore/lane.h"
#include "moore/route.h"

static const struct moore_route_opts plain = { 0 };
static const struct moore_lane_opts one_class = { { 0 } };

/* Routes the fabric and runs the checker on the tables. */
static struct moore_route *
route_checked(const char *why, const struct moore_fabric *seen,
	      const struct moore_fabric *intended, struct moore_verdict **verdict)
{
	static const struct moore_check_opts all = { 0 };
	struct moore_route *r = NULL;
	struct moore_sl2vl *lanes = NULL;
	struct moore_err err = { 0 };

	if (moore_route_build(&r, seen, intended, &plain, &err) < 0)
		fail_msg("%s: %s", why, err.text);
	CHECK_EQ(why, moore_lane_effective(&lanes, seen, &one_class, moore_route_entries(r), &err), 0);
	CHECK_EQ(why, moore_check(verdict, seen, moore_route_lft(r), lanes, NULL, &all, &err), 0);
	moore_sl2vl_free(lanes);
	CHECK(why, (*verdict)->acyclic);
	CHECK_EQ(why, (*verdict)->loops, 0);
	CHECK_EQ(why, (*verdict)->unreachable, 0);
	CHECK(why, (*verdict)->sound);
	return r;
}

/* The greatest load of a directed link over the mean load, if each switch with endpoints
 * sends one unit to each LID that take() accepts. */
static double
max_over_mean(const struct moore_fabric *f, const struct moore_lft *t,
	      bool (*take)(const struct moore_fabric *, const struct moore_lid_owner *))
{
	unsigned *load = calloc(f->n_ports, sizeof(*load)), max = 0, n_links = 0;
	bool *source = calloc(f->n_switches, sizeof(*source));
	struct moore_lid_owner *owner;
	double sum = 0;

	assert_int_equal(moore_fabric_lids(f, &owner, NULL), 0);
	for (uint32_t e = 0; e < f->n_endpoints; e++)
		source[f->ep[e].sw] = true;
	for (uint32_t lid = 1; lid <= f->lid_top; lid++)
		for (uint32_t s = 0; s < f->n_switches; s++) {
			uint32_t at = s;

			if (!source[s] || owner[lid].sw == MOORE_NONE || !take(f, &owner[lid]))
				continue;
			while (at != owner[lid].sw) {
				uint32_t p = f->sw[at].port0 + moore_lft_row(t, at)[lid];

				load[p]++;
				at = f->port[p].peer;
			}
		}
	for (uint32_t p = 0; p < f->n_ports; p++)
		if (f->port[p].role == MOORE_ROLE_SWITCH) {
			n_links++;
			sum += load[p];
			max = load[p] > max ? load[p] : max;
		}
	free(owner);
	free(load);
	free(source);
	return max * n_links / sum;
}

static bool
second_hosts(const struct moore_fabric *f, const struct moore_lid_owner *o)
{
	(void)f;
	return o->ep != MOORE_NONE && o->port == 2;
}

static bool
all_hosts(const struct moore_fabric *f, const struct moore_lid_owner *o)
{
	(void)f;
	return o->ep != MOORE_NONE;
}

static bool
switches_with_hosts(const struct moore_fabric *f, const struct moore_lid_owner *o)
{
	return o->ep == MOORE_NONE && moore_fabric_port(f, o->sw, 1)->role == MOORE_ROLE_ENDPOINT;
}

static void
test_balance(void **state)
{
	static const struct {
		const char *family, *params;
		double pairs, hosts;	/* greatest over mean load: one unit for each pair of
					 * switches; all endpoint LIDs */
	} T[] = {
		{ "slimfly", "q=5 p=4", 1.0, 1.0 },
		{ "slimfly", "q=7", 1.25, 1.20 },
		{ "slimfly", "q=9", 1.06, 1.06 },
		{ "slimfly", "q=13 p=9", 1.08, 1.08 },
		{ "oft", "k=6", 1.10, 1.01 },
		{ "oft", "k=12", 1.10, 1.01 },
		{ "mlfm", "h=6", 1.18, 1.06 },
		{ "mlfm", "h=15", 1.10, 1.05 },
		/* Orders by distance. */
		{ "fattree3", "k=6", 1.32, 1.13 }, { "fattree3", "k=8", 1.32, 1.2 },
		{ "polarstar", "q=3 d=3", 1.7, 1.7 },
		{ "jellyfish", "n=60 k=6", 1.5, 1.5 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, 0);
		struct moore_verdict *v = NULL;
		struct moore_route *r = route_checked(T[i].params, f, NULL, &v);
		const struct moore_lft *t = moore_route_lft(r);
		double switches = max_over_mean(f, t, switches_with_hosts);
		double second = max_over_mean(f, t, second_hosts);
		double hosts = max_over_mean(f, t, all_hosts);

		print_message("# %s %s: %.4f %.4f %.4f\n", T[i].family, T[i].params, switches,
			      second, hosts);
		CHECK(T[i].params, switches <= T[i].pairs);
		CHECK(T[i].params, second <= T[i].pairs);
		CHECK(T[i].params, hosts <= T[i].hosts);
		CHECK_EQ("two lanes", v->vls & ~3, 0);
		moore_verdict_free(v);
		moore_route_free(r);
		moore_fabric_free(f);
	}
}

/* Oracle for distances: hops between switches by Floyd and Warshall. */
static uint8_t *
distances(const struct moore_fabric *f)
{
	size_t n = f->n_switches;
	uint8_t *d = malloc(n * n);

	memset(d, 100, n * n);
	for (size_t s = 0; s < n; s++) {
		d[s * n + s] = 0;
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, (uint32_t)s, (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && q->peer != s)
				d[s * n + q->peer] = 1;
		}
	}
	for (size_t k = 0; k < n; k++)
		for (size_t a = 0; a < n; a++)
			for (size_t b = 0; b < n; b++)
				if (d[a * n + k] + d[k * n + b] < d[a * n + b])
					d[a * n + b] = (uint8_t)(d[a * n + k] + d[k * n + b]);
	return d;
}

static int
hops(const struct moore_fabric *f, const struct moore_lft *t, uint32_t s, uint32_t d, uint32_t lid)
{
	int n = 0;

	for (; s != d && n < 300; n++) {
		uint8_t p = moore_lft_row(t, s)[lid];

		if (p == MOORE_NO_PATH)
			return 1000;
		s = moore_fabric_port(f, s, p)->peer;
	}
	return n;
}

static void
test_minimal(void **state)
{
	static const struct {
		const char *family, *params;
	} T[] = {
		{ "slimfly", "q=3" }, { "slimfly", "q=4" }, { "slimfly", "q=5" }, { "slimfly", "q=7" },
		{ "oft", "k=4" }, { "oft", "k=6" }, { "mlfm", "h=4" }, { "mlfm", "h=6" },
		/* Diameter three: hops lead inside a group, to another, and inside that. */
		{ "dragonfly", "a=3 h=1" }, { "dragonfly", "a=3 h=2 arr=2" }, { "dragonfly", "a=4 h=2" },
		{ "dragonfly", "a=4 h=3 arr=2" }, { "dragonfly", "a=4 h=4 arr=3" },
		{ "dragonfly", "a=4 h=6 g=20" }, { "dragonfly", "a=5 h=2 g=6" },
		{ "dragonfly", "a=6 h=6 arr=2" }, { "dfplus", "s=3" }, { "dfplus", "s=4 l=2 h=2 g=5" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, i % 2);
		struct moore_verdict *v = NULL;
		struct moore_route *r = route_checked(T[i].params, f, NULL, &v);
		uint8_t *d = distances(f);

		for (uint32_t e = 0; e < f->n_endpoints; e++)
			for (uint32_t s = 0; s < f->n_switches; s++) {
				uint32_t to = f->ep[e].sw;

				if (moore_fabric_port(f, s, 1)->role != MOORE_ROLE_ENDPOINT)
					continue;
				CHECK_EQ(T[i].params,
					 hops(f, moore_route_lft(r), s, to, f->ep[e].lid),
					 d[s * f->n_switches + to]);
			}
		free(d);
		moore_verdict_free(v);
		moore_route_free(r);
		moore_fabric_free(f);
	}
}

static int
longest(const struct moore_fabric *f, const struct moore_lft *t)
{
	int most = 0;

	for (uint32_t e = 0; e < f->n_endpoints; e++)
		for (uint32_t s = 0; s < f->n_switches; s++) {
			int n = hops(f, t, s, f->ep[e].sw, f->ep[e].lid);

			if (moore_fabric_port(f, s, 1)->role == MOORE_ROLE_ENDPOINT && n > most)
				most = n;
		}
	return most;
}

/* If there are layers, routes to base LIDs have at most one hop more than without layers,
 * with a plan and without. */
static void
test_base_beside_layers(void **state)
{
	static const struct {
		const char *family, *params, *why;
	} T[] = {
		{ "dln", "n=24 k=4", "the tree of the colours is nearly a path: 20 hops for 5" },
		{ "dln", "n=32 k=3 seed=7", "few links at a switch" },
		{ "dln", "n=64 k=6", "more switches: 50 hops for 7" },
		{ "dragonfly", "a=4 h=1 p=2", "few links between groups: 11 hops for 5" },
		{ "torus2d", "a=6 b=6", "long ways: 14 hops for 8" },
		{ "torus5d", "a=3 b=3 c=3 d=2 e=2", "9 hops for 5" },
		{ "hypercube", "n=7", "10 hops for 7" },
		{ "hyperx", "s1=3 s2=3 s3=2 p=2", "colours cost nothing" },
		{ "slimfly", "q=5", "nor here" },
		{ "myriclos", "n=64", "nor through halves" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		int alone = 0;

		for (uint8_t lmc = 0; lmc < 3; lmc++) {
			struct moore_fabric *f = test_family(T[i].family, T[i].params, lmc);

			for (int plan = 0; plan < 2; plan++) {
				struct moore_verdict *v = NULL;
				struct moore_route *r = route_checked(T[i].why, f, plan ? f : NULL, &v);
				int most = longest(f, moore_route_lft(r));

				if (!lmc)
					alone = most;
				CHECK(T[i].why, most <= alone + 1);
				moore_verdict_free(v);
				moore_route_free(r);
			}
			moore_fabric_free(f);
		}
	}
}

/* With four LIDs for each endpoint: how many pairs (switch with endpoints, endpoint) have a
 * longer route in some layer, separately for pairs at distance two and for neighbours, and
 * how balanced the load is. */
static void
test_layers(void **state)
{
	static const struct {
		const char *family, *params;
		double apart, adjacent;		/* least shares of pairs that have a longer route */
		double load;			/* upper bound of greatest over mean load, all
						 * LIDs */
	} T[] = {
		/* q=5: no two neighbours are joined by a route of three hops. */
		{ "slimfly", "q=5 p=4", 1, 0.95, 1.35 },
		{ "slimfly", "q=7", 1, 0.99, 1.35 },
		{ "slimfly", "q=9", 1, 0.99, 1.25 },
		{ "slimfly", "q=11 p=3", 1, 0.99, 1.35 },
		{ "slimfly", "q=13 p=4", 1, 0.99, 1.25 },
		/* Of the 61 (265) other switches one, the counterpart, has no detour of
		 * four hops. */
		{ "oft", "k=6", 0.96, 0, 1.55 },
#ifndef __SANITIZE_ADDRESS__	/* half a minute */
		{ "oft", "k=12 p=2", 0.996, 0, 1.7 },
#endif
		{ "mlfm", "h=6", 0.96, 0, 1.4 },
		{ "mlfm", "h=10", 0.99, 0, 1.4 },
		/* Six trees for each root do not balance as well as 45 do. */
		{ "mlfm", "h=15 p=2", 0.99, 0, 1.7 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, 2);
		struct moore_verdict *v = NULL;
		struct moore_route *r = route_checked(T[i].params, f, NULL, &v);
		const struct moore_lft *t = moore_route_lft(r);
		double n[3] = { 0 }, longer[3] = { 0 };
		double load = max_over_mean(f, t, all_hosts);

		for (uint32_t e = 0; e < f->n_endpoints; e++)
			for (uint32_t s = 0; s < f->n_switches; s++) {
				uint32_t to = f->ep[e].sw, lid = f->ep[e].lid;
				int least = hops(f, t, s, to, lid);
				bool has = false;

				if (moore_fabric_port(f, s, 1)->role != MOORE_ROLE_ENDPOINT || s == to)
					continue;
				assert_in_range(least, 1, 2);
				for (unsigned o = 1; o < 4; o++)
					has |= hops(f, t, s, to, lid + o) > least;
				n[least]++;
				longer[least] += has;
			}
		print_message("# %s %s: apart %.5f, adjacent %.5f, load %.3f\n", T[i].family,
			      T[i].params, longer[2] / n[2], n[1] ? longer[1] / n[1] : 0, load);
		CHECK(T[i].params, longer[2] >= T[i].apart * n[2]);
		CHECK(T[i].params, longer[1] >= T[i].adjacent * n[1]);
		CHECK(T[i].params, load <= T[i].load);
		moore_verdict_free(v);
		moore_route_free(r);
		moore_fabric_free(f);
	}
}

/* With two trees for each root and many links at a switch, the last links of the one that is not
 * minimal must not stand out. */
static void
test_few_trees(void **state)
{
	static const struct { const char *params; double load; } T[] = {
		{ "q=19 p=1", 2.9 },
		{ "q=25 p=1", 2.4 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family("slimfly", T[i].params, 1);
		struct moore_verdict *v = NULL;
		struct moore_route *r = route_checked(T[i].params, f, NULL, &v);
		double load = max_over_mean(f, moore_route_lft(r), all_hosts);

		print_message("# %s: load %.3f\n", T[i].params, load);
		CHECK(T[i].params, load <= T[i].load);
		moore_verdict_free(v);
		moore_route_free(r);
		moore_fabric_free(f);
	}
}

/* With four LIDs for each endpoint, any two neighbours have a detour to some LID: else all
 * endpoints of the one would share one link to those of the other. */
static void
test_neighbours(void **state)
{
	static const char *const params[] = { "q=5 p=3", "q=5 p=4", "q=7" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(params); i++) {
		struct moore_fabric *f = test_family("slimfly", params[i], 2);
		struct moore_verdict *v = NULL;
		struct moore_route *r = route_checked(params[i], f, NULL, &v);
		const struct moore_lft *t = moore_route_lft(r);
		uint32_t n = f->n_switches;
		uint8_t *is_beside = calloc((size_t)n * n, 1), *has = calloc((size_t)n * n, 1);

		assert_true(is_beside && has);
		for (uint32_t e = 0; e < f->n_endpoints; e++)
			for (uint32_t s = 0, to = f->ep[e].sw; s < n; s++)
				for (unsigned o = 0; s != to && o < 4; o++) {
					int h = hops(f, t, s, to, f->ep[e].lid + o);

					is_beside[s * n + to] |= h == 1;
					has[s * n + to] |= h > 1;
				}
		for (size_t k = 0; k < (size_t)n * n; k++)
			CHECK(params[i], !is_beside[k] || has[k]);
		free(is_beside);
		free(has);
		moore_verdict_free(v);
		moore_route_free(r);
		moore_fabric_free(f);
	}
}

/* With one layer alone most pairs have a detour, too: some must stay minimal, since others come
 * through them. */
static void
test_one_layer(void **state)
{
	static const char *const PARAMS[] = { "q=5", "q=7", "q=8" };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(PARAMS); i++) {
		struct moore_fabric *f = test_family("slimfly", PARAMS[i], 1);
		struct moore_verdict *v = NULL;
		struct moore_route *r = route_checked(PARAMS[i], f, NULL, &v);
		const struct moore_lft *t = moore_route_lft(r);
		uint32_t n = 0, longer = 0;

		for (uint32_t e = 0; e < f->n_endpoints; e++)
			for (uint32_t s = 0; s < f->n_switches; s++) {
				if (hops(f, t, s, f->ep[e].sw, f->ep[e].lid) != 2)
					continue;
				n++;
				longer += hops(f, t, s, f->ep[e].sw, f->ep[e].lid + 1u) > 2;
			}
		CHECK(PARAMS[i], longer > 0.6 * n);
		moore_verdict_free(v);
		moore_route_free(r);
		moore_fabric_free(f);
	}
}

/* The endpoints of a switch together use all shortest paths of a pair that has many. */
static void
test_diversity(void **state)
{
	struct moore_fabric *f = test_family("oft", "k=6", 0);
	struct moore_verdict *v = NULL;
	struct moore_route *r = route_checked("oft k=6", f, NULL, &v);
	uint32_t half = f->n_switches / 3;
	(void)state;

	for (uint32_t s = 0; s < half; s++) {
		uint64_t used = 0;

		for (uint32_t e = 0; e < f->n_endpoints; e++)
			if (f->ep[e].sw == s + 2 * half)	/* the counterpart of s */
				used |= 1ull << moore_lft_row(moore_route_lft(r), s)[f->ep[e].lid];
		CHECK_EQ("six hosts, six ways", __builtin_popcountll(used), 6);
	}
	moore_verdict_free(v);
	moore_route_free(r);
	moore_fabric_free(f);
}

/* ---- degraded, odd, random -------------------------------------------------- */

static unsigned
rows_changed(const struct moore_fabric *f, const struct moore_lft *a,
	     const struct moore_fabric *g, const struct moore_lft *b)
{
	unsigned n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++)
		for (uint32_t t = 0; t < g->n_switches; t++) {
			if (f->sw[s].guid != g->sw[t].guid)
				continue;
			for (uint32_t lid = 1; lid <= g->lid_top; lid++)
				n += moore_lft_row(a, s)[lid] != moore_lft_row(b, t)[lid];
		}
	return n;
}

static void
test_single_failures(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=5 p=4", 0);
	struct moore_verdict *v = NULL;
	struct moore_route *whole = route_checked("whole", f, f, &v);
	unsigned worst = 0;
	(void)state;

	moore_verdict_free(v);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		struct moore_fabric *g;
		struct moore_route *r;

		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);
			unsigned changed;

			if (q->role != MOORE_ROLE_SWITCH || q->peer < s)
				continue;
			assert_int_equal(moore_fabric_copy(&g, f, NULL), 0);
			moore_fabric_cut(g, s, (moore_portnum)p);
			r = route_checked("one link cut, planned", g, f, &v);
			moore_verdict_free(v);
			changed = rows_changed(f, moore_route_lft(whole), g, moore_route_lft(r));
			worst = changed > worst ? changed : worst;
			moore_route_free(r);
			r = route_checked("one link cut, no plan", g, NULL, &v);
			moore_verdict_free(v);
			moore_route_free(r);
			moore_fabric_free(g);
		}
		g = test_without(f, s);
		r = route_checked("one switch gone, planned", g, f, &v);
		moore_verdict_free(v);
		moore_route_free(r);
		r = route_checked("one switch gone, no plan", g, NULL, &v);
		moore_verdict_free(v);
		moore_route_free(r);
		moore_fabric_free(g);
	}
	/* A cut link carried 2 x 7 trees of 5 LIDs; their routes move to other links. */
	print_message("# most rows changed by one cut link: %u of %u\n", worst, 50 * 250);
	CHECK("little changes", worst < 50 * 250 / 50);
	moore_route_free(whole);
	moore_fabric_free(f);
}

static bool
same_tables(const struct moore_fabric *f, const struct moore_lft *a,
	    const struct moore_fabric *g, const struct moore_lft *b)
{
	return rows_changed(f, a, g, b) == 0;
}

/* Gives some links one lane, and makes some edge switches unable to map SLs. */
static void
spoil(struct moore_fabric *f, struct moore_rng *r)
{
	unsigned one_lane = moore_rng_below(r, 40);

	for (uint32_t s = 0; s < f->n_switches; s++) {
		unsigned links = 0;

		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			struct moore_port *q = &f->port[f->sw[s].port0 + p];

			links += q->role == MOORE_ROLE_SWITCH;
			if (q->role == MOORE_ROLE_SWITCH && q->peer > s &&
			    moore_rng_below(r, 100) < one_lane)
				q->lanes = f->port[f->sw[q->peer].port0 + q->peer_port].lanes = 1;
		}
		if (links == 1 && moore_rng_below(r, 4) == 0)
			f->sw[s].maps_sl = false;
	}
	/* Two such switches in a row would cut each other off, so only one is kept. */
	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && !f->sw[s].maps_sl)
				f->sw[q->peer].maps_sl = true;
		}
}

/* A switch alone has endpoints and no link, with one LID for each endpoint and with layers. */
static void
test_no_links(void **state)
{
	(void)state;
	for (uint8_t lmc = 0; lmc <= 2; lmc++) {
		struct moore_fabric *f = test_fabric(1, NULL, 0, (uint16_t[]){ 2 }, lmc);
		struct moore_verdict *v;

		moore_route_free(route_checked("one switch", f, f, &v));
		moore_verdict_free(v);
		moore_fabric_free(f);
	}
}

static void
test_random(void **state)
{
	struct moore_rng r = { test_seed() };
	(void)state;

	for (unsigned i = 0; i < test_rounds(1500); i++) {
		uint32_t n = 1 + moore_rng_below(&r, 30);
		struct moore_fabric *f = test_random_fabric(&r, n, moore_rng_below(&r, 2 * n + 1),
							    (uint8_t)moore_rng_below(&r, 3));
		struct moore_fabric *g, *h;
		struct moore_route *a, *b;
		struct moore_verdict *v;
		char why[64];

		snprintf(why, sizeof(why), "round %u, %u switches", i, n);
		spoil(f, &r);
		assert_int_equal(moore_fabric_copy(&g, f, NULL), 0);
		test_cut_some(g, &r, moore_rng_below(&r, 30));
		a = route_checked(why, g, f, &v);
		moore_verdict_free(v);
		h = test_shuffled(g, &r);
		b = route_checked(why, h, f, &v);
		moore_verdict_free(v);
		CHECK(why, same_tables(g, moore_route_lft(a), h, moore_route_lft(b)));
		moore_route_free(a);
		moore_route_free(b);
		/* The same without a plan, and with the plan of another fabric. */
		a = route_checked(why, g, NULL, &v);
		moore_verdict_free(v);
		b = route_checked(why, h, NULL, &v);
		moore_verdict_free(v);
		CHECK(why, same_tables(g, moore_route_lft(a), h, moore_route_lft(b)));
		moore_route_free(a);
		moore_route_free(b);
		a = route_checked(why, f, g, &v);
		moore_verdict_free(v);
		moore_route_free(a);
		moore_fabric_free(f);
		moore_fabric_free(g);
		moore_fabric_free(h);
	}
}

static void
test_families_degraded(void **state)
{
	static const struct {
		const char *family, *params;
	} T[] = {
		{ "slimfly", "q=4 p=1" }, { "slimfly", "q=7 p=1" },
		{ "oft", "k=4 p=1" }, { "mlfm", "h=4 p=1" }, { "mlfm", "h=5 l=2 p=1" },
		{ "dragonfly", "a=4 h=2 p=1" }, { "dragonfly", "a=5 h=3 g=8 p=1 arr=2" },
		{ "cascade", "a=4 r=3 h=1 g=6 p=1" }, { "dragonfly", "a=4 h=3 p=1 arr=3" },
	};
	struct moore_rng r = { test_seed() };
	(void)state;

	for (unsigned i = 0; i < test_rounds(108); i++) {
		size_t k = i % ARRAY_LEN(T);
		struct moore_fabric *f = test_family(T[k].family, T[k].params, (uint8_t)(i / ARRAY_LEN(T) % 3));
		struct moore_fabric *g;
		struct moore_route *a;
		struct moore_verdict *v;

		assert_int_equal(moore_fabric_copy(&g, f, NULL), 0);
		test_cut_some(g, &r, 1 + moore_rng_below(&r, 60));
		a = route_checked(T[k].params, g, f, &v);
		moore_verdict_free(v);
		moore_route_free(a);
		a = route_checked(T[k].params, g, NULL, &v);
		moore_verdict_free(v);
		moore_route_free(a);
		moore_fabric_free(f);
		moore_fabric_free(g);
	}
}

/* The plan lacks one switch of the fabric: each switch in turn, with and without endpoints. */
static void
test_one_more(void **state)
{
	static const char *const T[][2] = { { "oft", "k=4 p=1" }, { "mlfm", "h=4 p=1" }, { "slimfly", "q=3 p=1" } };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i][0], T[i][1], 2);

		for (moore_swid s = 0; s < f->n_switches; s++) {
			struct moore_fabric *plan = test_without(f, s);
			struct moore_verdict *v;

			moore_route_free(route_checked(T[i][1], f, plan, &v));
			moore_verdict_free(v);
			moore_fabric_free(plan);
		}
		moore_fabric_free(f);
	}
}

static void
test_history(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=5 p=4", 1), *g;
	struct moore_verdict *v;
	struct moore_route *a = route_checked("planned", f, f, &v), *b;
	(void)state;

	moore_verdict_free(v);
	b = route_checked("unplanned", f, NULL, &v);
	moore_verdict_free(v);
	CHECK("with nothing missing the plan changes nothing",
	      same_tables(f, moore_route_lft(a), f, moore_route_lft(b)));
	moore_route_free(b);
	/* The failure of a host changes no row of another endpoint. */
	assert_int_equal(moore_fabric_copy(&g, f, NULL), 0);
	moore_fabric_cut(g, f->ep[0].sw, f->ep[0].port);
	b = route_checked("one host off, planned", g, f, &v);
	moore_verdict_free(v);
	CHECK_EQ("only the dead host's rows", rows_changed(f, moore_route_lft(a), g, moore_route_lft(b)),
		 50 * 2);
	moore_route_free(a);
	moore_route_free(b);
	moore_fabric_free(f);
	moore_fabric_free(g);
}

/* ---- what is refused ---------------------------------------------------------- */

static void
test_refused(void **state)
{
	static const struct moore_topo_link path[] = { { 0, 1 }, { 1, 2 } };
	static const uint16_t ep[] = { 1, 1, 1 };
	struct moore_fabric *f = test_fabric(3, path, 2, ep, 0);
	struct moore_route *r = NULL;
	struct moore_verdict *v;
	struct moore_err err;
	(void)state;

	f->sw[0].maps_sl = false;
	r = route_checked("a leaf may lack SL mapping", f, NULL, &v);
	moore_verdict_free(v);
	moore_route_free(r);
	f->sw[1].maps_sl = false;
	CHECK_EQ("the middle may not", moore_route_build(&r, f, NULL, &plain, &err), -MOORE_EUNREACH);
	CHECK("no route is given", !r);
	CHECK_STR("it is named", err.text, "\"sw1\" (0x0000000000200001) cannot map SLs");
	moore_fabric_free(f);
}

static void
test_one_lane_ring(void **state)
{
	static const struct moore_topo_link ring[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 0, 4 } };
	static const uint16_t ep[] = { 1, 1, 1, 1, 1 };
	struct moore_fabric *f = test_fabric(5, ring, 5, ep, 0);
	struct moore_route_stats st;
	struct moore_verdict *v;
	struct moore_route *r;
	(void)state;

	for (uint32_t p = 0; p < f->n_ports; p++)
		if (f->port[p].role == MOORE_ROLE_SWITCH)
			f->port[p].lanes = 1;
	r = route_checked("a ring of one lane", f, NULL, &v);
	moore_route_stats(r, &st);
	CHECK_EQ("all links are in use under the full rule", st.one_lane_links, 5);
	CHECK_EQ("on one lane", v->vls, 1);
	moore_verdict_free(v);
	moore_route_free(r);
	moore_fabric_free(f);
}

static void
test_parallel(void **state)
{
	static const struct moore_topo_link twice[] = { { 0, 1 }, { 0, 1 }, { 0, 1 } };
	static const uint16_t ep[] = { 6, 6 };
	struct moore_fabric *f = test_fabric(2, twice, 3, ep, 0);
	struct moore_route_stats st;
	struct moore_verdict *v;
	struct moore_route *r = route_checked("three cables", f, NULL, &v);
	unsigned used[16] = { 0 };
	(void)state;

	moore_verdict_free(v);
	for (uint32_t e = 0; e < 6; e++)
		used[moore_lft_row(moore_route_lft(r), 1)[f->ep[e].lid]]++;
	for (unsigned p = 7; p <= 9; p++)
		CHECK_EQ("each carries a third", used[p], 2);
	moore_route_free(r);
	f->port[f->sw[0].port0 + 7].lanes = f->port[f->sw[1].port0 + 7].lanes = 1;
	r = route_checked("one of them has one lane", f, NULL, &v);
	moore_verdict_free(v);
	moore_route_stats(r, &st);
	CHECK_EQ("it is left out", st.unused_links, 1);
	for (uint32_t e = 0; e < 6; e++)
		CHECK("unused", moore_lft_row(moore_route_lft(r), 1)[f->ep[e].lid] != 7);
	moore_route_free(r);
	moore_fabric_free(f);
}

/* ---- multicast ---------------------------------------------------------------- */

/* Turns a tree of parents into port masks, with the ports of the member hosts. */
static void
add_group(struct moore_mft *m, const struct moore_fabric *f, uint16_t mlid,
	  const uint8_t *parent, const bool *member)
{
	int64_t g = moore_mft_group(m, mlid);

	for (uint32_t s = 0; s < f->n_switches; s++) {
		const struct moore_port *q;

		if (member[s])
			m->mask[(size_t)g * f->n_switches + s][0] |= 1;	/* port 0 is a member */
		if (parent[s] == MOORE_NO_PATH || parent[s] == 0)
			continue;
		q = moore_fabric_port(f, s, parent[s]);
		m->mask[(size_t)g * f->n_switches + s][parent[s] / 64] |= 1ull << parent[s] % 64;
		m->mask[(size_t)g * f->n_switches + q->peer][q->peer_port / 64] |=
			1ull << q->peer_port % 64;
	}
}

/* Checks that all members are in one tree, which has exactly one root. */
static void
check_tree(const char *why, const struct moore_fabric *f, const uint8_t *parent, const bool *member)
{
	unsigned roots = 0;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint32_t at = s, steps = 0;

		CHECK(why, !member[s] || parent[s] != MOORE_NO_PATH);
		roots += parent[s] == 0;
		while (parent[at] != MOORE_NO_PATH && parent[at] != 0 && steps++ < 1000)
			at = moore_fabric_port(f, at, parent[at])->peer;
		CHECK(why, steps < 1000);
		CHECK(why, parent[s] == MOORE_NO_PATH || parent[at] == 0);
	}
	CHECK_EQ(why, roots, 1);
}

static void
mcast_round(const char *why, struct moore_rng *rng, const struct moore_fabric *f,
	    const struct moore_route *r)
{
	static const struct moore_check_opts all = { 0 };
	moore_swid *members = malloc(f->n_switches * sizeof(*members));
	bool *member = calloc(f->n_switches, sizeof(*member));
	uint8_t *parent = malloc(f->n_switches);
	struct moore_verdict *v = NULL;
	struct moore_sl2vl *lanes;
	struct moore_mft *m;
	struct moore_err err;

	assert_int_equal(moore_mft_new(&m, f->n_switches, NULL), 0);
	for (unsigned g = 0; g < 6; g++) {
		uint32_t n = 1 + moore_rng_below(rng, f->n_switches);

		memset(member, 0, f->n_switches * sizeof(*member));
		for (uint32_t i = 0; i < n; i++)
			member[members[i] = moore_rng_below(rng, f->n_switches)] = true;
		if (moore_route_mcast(r, (uint16_t)(0xc000 + g), members, n, parent, &err) < 0)
			fail_msg("%s: %s", why, err.text);
		check_tree(why, f, parent, member);
		add_group(m, f, (uint16_t)(0xc000 + g), parent, member);
	}
	assert_int_equal(moore_lane_effective(&lanes, f, &one_class, moore_route_entries(r), NULL), 0);
	assert_int_equal(moore_check(&v, f, moore_route_lft(r), lanes, m, &all, &err), 0);
	CHECK(why, v->sound);
	moore_verdict_free(v);
	moore_sl2vl_free(lanes);
	moore_mft_free(m);
	free(members);
	free(member);
	free(parent);
}

static void
test_mcast(void **state)
{
	struct moore_rng rng = { test_seed() };
	struct moore_fabric *f;
	struct moore_verdict *v;
	struct moore_route *r;
	(void)state;

	for (unsigned i = 0; i < test_rounds(200); i++) {
		uint32_t n = 1 + moore_rng_below(&rng, 24);

		f = test_random_fabric(&rng, n, moore_rng_below(&rng, 2 * n + 1), 0);
		spoil(f, &rng);
		r = route_checked("random", f, NULL, &v);
		moore_verdict_free(v);
		mcast_round("random", &rng, f, r);
		moore_route_free(r);
		moore_fabric_free(f);
	}
	f = test_family("slimfly", "q=5 p=4", 0);
	r = route_checked("slimfly", f, NULL, &v);
	moore_verdict_free(v);
	for (unsigned i = 0; i < 20; i++)
		mcast_round("slimfly", &rng, f, r);
	moore_route_free(r);
	moore_fabric_free(f);
}

/* The trees of small groups have different roots. */
static void
test_mcast_roots(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=5 p=4", 0);
	struct moore_verdict *v;
	struct moore_route *r = route_checked("slimfly", f, NULL, &v);
	struct moore_rng rng = { test_seed() };
	unsigned rooted[50] = { 0 }, distinct = 0;
	uint8_t parent[50];
	(void)state;

	moore_verdict_free(v);
	for (unsigned g = 0; g < 400; g++) {
		moore_swid m[3];

		for (unsigned i = 0; i < 3; i++)
			m[i] = moore_rng_below(&rng, 50);
		assert_int_equal(moore_route_mcast(r, (uint16_t)(0xc000 + g), m, 3, parent, NULL), 0);
		for (unsigned s = 0; s < 50; s++)
			rooted[s] += parent[s] == 0;
	}
	for (unsigned s = 0; s < 50; s++)
		distinct += rooted[s] > 0;
	print_message("# roots in use: %u of 50\n", distinct);
	CHECK("many roots", distinct >= 20);
	moore_route_free(r);
	moore_fabric_free(f);
}

static void
test_mcast_partition(void **state)
{
	static const struct moore_topo_link two[] = { { 0, 1 }, { 2, 3 } };
	static const uint16_t ep[] = { 1, 1, 1, 1 };
	static const moore_swid m[] = { 2, 1, 3 };
	struct moore_fabric *f = test_fabric(4, two, 2, ep, 0);
	struct moore_verdict *v;
	struct moore_route *r = route_checked("two parts", f, NULL, &v);
	uint8_t parent[4];
	struct moore_err err;
	(void)state;

	CHECK_EQ("parts cannot reach each other", v->partitioned, 4 * 4);
	moore_verdict_free(v);
	CHECK_EQ("one member is cut off", moore_route_mcast(r, 0xc001, m, 3, parent, &err),
		 -MOORE_EUNREACH);
	CHECK("the others are served", parent[2] != MOORE_NO_PATH && parent[3] != MOORE_NO_PATH);
	CHECK("the lost one is not", parent[1] == MOORE_NO_PATH);
	moore_route_free(r);
	moore_fabric_free(f);
}

/* Ranks that are kept change no table, and those of another graph are not used. */
static void
test_kept_ranks(void **state)
{
	static const char *const PARAMS[] = { "q=5", "q=5", "q=4", "q=5" };
	struct moore_ranks *ranks = NULL, *was = NULL;
	struct moore_rng rng = { 3 };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(PARAMS); i++) {
		struct moore_fabric *f = test_family("slimfly", PARAMS[i], 2), *g;
		struct moore_route_opts keep = { .ranks = &ranks };
		struct moore_route *a = NULL, *b = NULL;

		assert_int_equal(moore_fabric_copy(&g, f, NULL), 0);
		test_cut_some(g, &rng, 5);
		assert_int_equal(moore_route_build(&a, g, f, &plain, NULL), 0);
		assert_int_equal(moore_route_build(&b, g, f, &keep, NULL), 0);
		CHECK(PARAMS[i], ranks != NULL);
		CHECK_EQ(PARAMS[i], ranks == was, i == 1);
		CHECK(PARAMS[i], !memcmp(moore_route_lft(a)->row, moore_route_lft(b)->row,
					 moore_route_lft(a)->stride * f->n_switches));
		was = ranks;
		moore_route_free(a);
		moore_route_free(b);
		moore_fabric_free(f);
		moore_fabric_free(g);
	}
	moore_ranks_free(ranks);
}

static void
test_memory(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=3 p=1", 1), *g;
	struct moore_route *r = NULL;
	struct moore_sl2vl *lanes = NULL;
	struct moore_ranks *ranks = NULL;
	const struct moore_route_opts keep = { .ranks = &ranks };
	(void)state;

	assert_int_equal(moore_fabric_copy(&g, f, NULL), 0);
	moore_fabric_cut(g, 0, 3);
	CHECK_OOM("route", moore_route_build(&r, g, f, &keep, NULL), moore_route_free(r));
	moore_ranks_free(ranks);
	CHECK_OOM("lanes", moore_lane_effective(&lanes, f, &one_class, NULL, NULL), moore_sl2vl_free(lanes));
	moore_fabric_free(f);
	moore_fabric_free(g);
}

/* Peak heap is at most twice the bytes of the tables plus 64 MiB. */
static void
test_footprint(void **state)
{
	static const struct {
		const char *family, *params;
	} T[] = { { "slimfly", "q=13 p=9" }, { "oft", "k=12" }, { "mlfm", "h=15" }, { "slimfly", "q=25 p=19" } };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, 0);
		struct moore_route *r = NULL;
		long before = alloc_live, tables;

		alloc_peak = alloc_live;
		assert_int_equal(moore_route_build(&r, f, NULL, &plain, NULL), 0);
		tables = (long)(moore_route_lft(r)->stride * f->n_switches);
		print_message("# %s %s: tables %ld KiB, heap at its peak %ld KiB\n", T[i].family,
			      T[i].params, tables >> 10, (alloc_peak - before) >> 10);
		CHECK(T[i].params, alloc_peak - before < 2 * tables + (64L << 20));
		moore_route_free(r);
		moore_fabric_free(f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balance),
		cmocka_unit_test(test_minimal),
		cmocka_unit_test(test_diversity),
		cmocka_unit_test(test_base_beside_layers),
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_few_trees),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_one_layer),
		cmocka_unit_test(test_single_failures),
		cmocka_unit_test(test_no_links),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_families_degraded),
		cmocka_unit_test(test_one_more),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_one_lane_ring),
		cmocka_unit_test(test_parallel),
		cmocka_unit_test(test_mcast),
		cmocka_unit_test(test_mcast_roots),
		cmocka_unit_test(test_mcast_partition),
		cmocka_unit_test(test_kept_ranks),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_footprint),
	};

	return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_campaign.c - routes random fabrics with random failures, and checks that all
 * connected endpoints are reachable, that no deadlock is possible, that routes stay short,
 * and that the tables depend only on the fabric as it is.
 *
 * Each draw has a seed of its own, made of the printed seed and its number.  A failure
 * prints that seed; with $MOORE_SEED set to it, the failing draw is the first one.  `make
 * soak` makes more draws.  The oracles are the checker, which test_check.c compares with
 * brute force, and distances by breadth-first search. */
#include "harness.h"

#include "fabrics.h"
#include "moore/check.h"
#include "moore/conf.h"
#include "moore/lane.h"
#include "moore/permute.h"
#include "moore/route.h"

static const struct moore_lane_opts one_class = { { 0 } };

/* ---- topologies ---------------------------------------------------------------- */

#define MAX_LINKS 4096
#define MAX_SWITCHES 512

struct graph {
	struct moore_rng *r;
	uint32_t n;
	size_t m;
	struct moore_topo_link link[MAX_LINKS];
	uint16_t ep[MAX_SWITCHES];
	uint32_t n_edge;	/* only switches below this have endpoints; 0: any */
	bool given;		/* ep[] holds the greatest number of endpoints of each switch */
	bool minimal;		/* diameter two: every route must be a shortest one */
};

static void
join(struct graph *g, uint32_t a, uint32_t b)
{
	if (a != b && g->m < MAX_LINKS)
		g->link[g->m++] = (struct moore_topo_link){ a < b ? a : b, a < b ? b : a };
}

struct spec {
	const char *family, *params;
};

/* Permutes some cable ends within cabinets of three or more switches. */
static void
permute(struct graph *g, struct moore_plan *p)
{
	struct moore_permutation *result = NULL;
	const struct moore_permute_opts opts = {
		.method = (enum moore_permute_method)moore_rng_below(g->r, MOORE_N_PERMUTE),
		.fraction = (1 + moore_rng_below(g->r, 10)) / 10., .trials = 1,
		.seed = moore_rng_next(g->r),
	};
	struct moore_err err;

	if (!p->sw[0].cabinet && moore_plan_fill_cabinets(p, 3 + moore_rng_below(g->r, 6), &err) < 0)
		fail_msg("cabinets: %s", err.text);
	/* if the permuted fabric would fall apart, the plan stays as it was */
	if (moore_permute(p, &opts, &result, &err) < 0 && !strstr(err.text, "apart"))
		fail_msg("permute: %s", err.text);
	moore_permutation_free(result);
}

/* Draws one of n family members; in one of three draws its links are permuted. */
static void
draw_plan(struct graph *g, const struct spec *spec, uint32_t n, bool minimal)
{
	const struct spec *drawn = &spec[moore_rng_below(g->r, n)];
	struct moore_plan *p = plan_of(drawn->family, drawn->params);
	bool permuted = moore_rng_below(g->r, 3) == 0;

	if (permuted)
		permute(g, p);
	g->n = p->n_switches;
	for (uint32_t c = 0; c < p->n_cables; c++)
		join(g, p->cable[c].sw[0], p->cable[c].sw[1]);
	for (uint32_t e = 0; e < p->n_endpoints; e++)
		g->ep[p->ep[e].sw]++;
	g->given = true;
	g->minimal = minimal && !permuted;
	moore_plan_free(p);
}

static void
draw_diameter_two(struct graph *g)
{
	static const struct spec T[] = {
		{ "slimfly", "q=3" }, { "slimfly", "q=4" }, { "slimfly", "q=5" },
		{ "oft", "k=3" }, { "oft", "k=4" }, { "mlfm", "h=3" }, { "mlfm", "h=4" },
		{ "mlfm", "h=5 l=2" },
	};

	draw_plan(g, T, ARRAY_LEN(T), true);
}

static void
draw_longer(struct graph *g)
{
	static const struct spec T[] = {
		{ "torus2d", "a=4 b=5 p=2" }, { "torus5d", "a=2 b=2 c=2 d=2 e=2" },
		{ "hypercube", "n=3 p=2" }, { "hypercube", "n=5" }, { "fhypercube", "n=4 p=2" },
		{ "hyperx", "s1=3 s2=3 s3=2 p=2" }, { "hyperx", "s1=4 s2=2 s3=2" },
		{ "dragonfly", "a=4 h=1 p=2" }, { "dragonfly", "a=3 h=2" },
		{ "dln", "n=24 k=4 p=2" }, { "dln", "n=32 k=3 seed=7" },
		{ "myriclos", "n=32" }, { "myriclos", "n=64" }, { "myriclos", "n=128" },
	};

	draw_plan(g, T, ARRAY_LEN(T), false);
}

/* A dimension of size two makes parallel links. */
static void
draw_torus(struct graph *g)
{
	uint32_t dims = 2 + moore_rng_below(g->r, 2), step = 1;
	uint32_t side[3];

	g->n = 1;
	for (uint32_t d = 0; d < dims; d++)
		g->n *= side[d] = 2 + moore_rng_below(g->r, dims == 2 ? 6 : 3);
	for (uint32_t d = 0; d < dims; step *= side[d++])
		for (uint32_t s = 0; s < g->n; s++) {
			uint32_t at = s / step % side[d];

			join(g, s, s - at * step + (at + 1) % side[d] * step);
		}
}

/* The pairing model: joins half links in random order, two by two. */
static void
draw_regular(struct graph *g)
{
	uint32_t degree = 3 + moore_rng_below(g->r, 3), half[40 * 5], n_half = 0;

	g->n = 6 + 2 * moore_rng_below(g->r, 17);
	for (uint32_t i = 0; i < g->n * degree; i++) {
		uint32_t k = moore_rng_below(g->r, ++n_half);

		half[i] = half[k];
		half[k] = i / degree;
	}
	for (uint32_t i = 0; i + 1 < n_half; i += 2)
		join(g, half[i], half[i + 1]);
}

/* k pods of k/2 edge and k/2 middle switches, and k*k/4 top switches; edge switches come
 * first. */
static void
draw_fat_tree(struct graph *g)
{
	uint32_t k = 4 + 2 * moore_rng_below(g->r, 3), h = k / 2;

	g->n_edge = k * h;
	g->n = 2 * k * h + h * h;
	for (uint32_t pod = 0; pod < k; pod++)
		for (uint32_t i = 0; i < h; i++)
			for (uint32_t j = 0; j < h; j++) {
				join(g, pod * h + i, (k + pod) * h + j);
				join(g, (k + pod) * h + j, 2 * k * h + j * h + i);
			}
}

static void
draw_ring(struct graph *g)
{
	g->n = 3 + moore_rng_below(g->r, 20);
	for (uint32_t s = 0; s < g->n; s++)
		join(g, s, (s + 1) % g->n);
}

static void
draw_tree(struct graph *g)
{
	g->n = 1 + moore_rng_below(g->r, 40);
	for (uint32_t s = 1; s < g->n; s++)
		join(g, s, moore_rng_below(g->r, s));
	for (uint32_t i = moore_rng_below(g->r, 2 * g->n); i; i--)
		join(g, moore_rng_below(g->r, g->n), moore_rng_below(g->r, g->n));
}

static const struct {
	const char *name;
	void (*draw)(struct graph *g);
} TOPOLOGY[] = {
	{ "diameter two", draw_diameter_two },
	{ "longer", draw_longer },	{ "torus", draw_torus },
	{ "random regular", draw_regular },
	{ "fat tree", draw_fat_tree },	{ "ring", draw_ring },
	{ "tree and more", draw_tree },
};

static const struct {
	const char *name;
	struct moore_route_opts opts;
} PROFILE[] = {
	{ "any-sl", { .profile = MOORE_PROFILE_ANY_SL } },
	{ "any-sl, nta", { .layers = MOORE_LAYERS_NTA } },
	{ "any-sl, valiant", { .layers = MOORE_LAYERS_VALIANT } },
	{ "any-sl, inr", { .layers = MOORE_LAYERS_INR } },
	{ "sl-hint", { .profile = MOORE_PROFILE_SL_HINT } },
	{ "sl-hint, nta", { .profile = MOORE_PROFILE_SL_HINT, .layers = MOORE_LAYERS_NTA } },
	{ "sl-hint, valiant", { .profile = MOORE_PROFILE_SL_HINT, .layers = MOORE_LAYERS_VALIANT } },
	{ "sl-hint, inr", { .profile = MOORE_PROFILE_SL_HINT, .layers = MOORE_LAYERS_INR } },
};

/* ---- a draw ---------------------------------------------------------------------- */

/* Spreads endpoints unevenly, leaves some switches without, and doubles some links. */
static void
dress(struct graph *g)
{
	unsigned most = moore_rng_below(g->r, 5), doubled = moore_rng_below(g->r, 3) ? 0 : 30;
	size_t m = g->m;

	if (g->given && moore_rng_below(g->r, 2))
		return;
	for (uint32_t s = 0; s < g->n; s++)
		if (!g->given && (!g->n_edge || s < g->n_edge))
			g->ep[s] = (uint16_t)moore_rng_below(g->r, most + 1);
		else if (g->ep[s])
			g->ep[s] = (uint16_t)moore_rng_below(g->r, g->ep[s] + 1u);
	for (size_t i = 0; i < m; i++)
		if (moore_rng_below(g->r, 100) < doubled)
			join(g, g->link[i].a, g->link[i].b);
}

/* Some neighbouring endpoints become two ports of one host. */
static void
pair_hosts(struct moore_fabric *f, struct moore_rng *r)
{
	for (uint32_t e = 1; e < f->n_endpoints; e += 2)
		if (moore_rng_below(r, 3) == 0) {
			f->ep[e].node_guid = f->ep[e - 1].node_guid;
			f->ep[e].ca_port = 2;
		}
}

static struct moore_fabric *
lose_switches(const struct moore_fabric *f, struct moore_rng *r, unsigned percent)
{
	uint32_t order[MAX_SWITCHES] = { 0 }, n = 1;

	for (uint32_t s = 1; s < f->n_switches; s++)
		if (moore_rng_below(r, 100) >= percent)
			order[n++] = s;
	return test_rebuild(f, order, n);
}

struct draw {
	char why[160];
	size_t profile;
	bool intact, minimal, narrow;
	struct moore_fabric *plan, *seen;
};

static void
draw(struct draw *d, struct moore_rng *r, uint64_t seed, unsigned links, unsigned switches)
{
	static struct graph g;
	size_t k = moore_rng_below(r, ARRAY_LEN(TOPOLOGY));
	unsigned lmc = moore_rng_below(r, 4), cut, lost;

	memset(&g, 0, sizeof(g));
	g.r = r;
	TOPOLOGY[k].draw(&g);
	dress(&g);
	cut = moore_rng_below(r, 4) ? moore_rng_below(r, links + 1) : 0;
	lost = moore_rng_below(r, 3) || !switches ? 0 : moore_rng_below(r, switches + 1);
	d->profile = moore_rng_below(r, ARRAY_LEN(PROFILE));
	snprintf(d->why, sizeof(d->why), "MOORE_SEED=%llu: %s of %u switches, LMC %u, %s, %u %% of links, %u %% of switches",
		 (unsigned long long)seed, TOPOLOGY[k].name, g.n, lmc, PROFILE[d->profile].name, cut, lost);
	d->plan = test_fabric(g.n, g.link, g.m, g.ep, (uint8_t)lmc);
	pair_hosts(d->plan, r);
	d->narrow = moore_rng_below(r, 4) == 0;
	if (d->narrow)
		test_narrow_some(d->plan, r, moore_rng_below(r, 40));
	d->seen = lose_switches(d->plan, r, lost);
	cut = test_cut_some(d->seen, r, cut);
	d->intact = !cut && d->seen->n_switches == d->plan->n_switches;
	d->minimal = g.minimal;
}

/* ---- what must hold ----------------------------------------------------------------- */

static struct moore_route *
routed(const struct draw *d, const struct moore_fabric *seen, const struct moore_fabric *plan)
{
	struct moore_route *r = NULL;
	struct moore_err err;

	if (moore_route_build(&r, seen, plan, &PROFILE[d->profile].opts, &err) < 0)
		fail_msg("%s: %s", d->why, err.text);
	return r;
}

static bool
is_hinted(const struct draw *d)
{
	return PROFILE[d->profile].opts.profile == MOORE_PROFILE_SL_HINT;
}

/* Both directions of a pair of LIDs get the same SL, and the set allows it both ways. */
static void
check_sls(const struct draw *d, const struct moore_fabric *f, const struct moore_route *r,
	  const struct moore_sl_set *set, struct moore_rng *rng)
{
	const struct moore_endpoint *ep = f->ep;

	for (unsigned i = 0; i < 500 && f->n_endpoints; i++) {
		const struct moore_endpoint *a = &ep[moore_rng_below(rng, f->n_endpoints)];
		const struct moore_endpoint *b = &ep[moore_rng_below(rng, f->n_endpoints)];
		moore_lid from = (moore_lid)(a->lid + moore_rng_below(rng, 1u << a->lmc));
		moore_lid to = (moore_lid)(b->lid + moore_rng_below(rng, 1u << b->lmc));
		uint8_t sl;

		if (moore_lft_row(moore_route_lft(r), a->sw)[to] == MOORE_NO_PATH)
			continue;
		sl = moore_lane_hint_sl(&one_class, 0, moore_route_right(r, from, to));
		CHECK_EQ(d->why, moore_lane_hint_sl(&one_class, 0, moore_route_right(r, to, from)), sl);
		CHECK(d->why, moore_sl_set_row(set, a->sw)[to] >> sl & 1);
		CHECK(d->why, moore_sl_set_row(set, b->sw)[from] >> sl & 1);
	}
}

/* Checks every SL on every LID, or under sl-hint the SLs that it gives out. */
static void
check_safe(const struct draw *d, const struct moore_fabric *f, const struct moore_route *r,
	   struct moore_rng *rng)
{
	struct moore_sl2vl *lanes = NULL;
	struct moore_sl_set *set = NULL;
	struct moore_verdict *v = NULL;

	if (is_hinted(d)) {
		CHECK_EQ(d->why, moore_lane_hint_effective(&lanes, f, &one_class, moore_route_order(r),
							   moore_route_entries(r), NULL), 0);
		CHECK_EQ(d->why, moore_route_sl_set(r, &set, NULL), 0);
		check_sls(d, f, r, set, rng);
	} else {
		CHECK_EQ(d->why, moore_lane_effective(&lanes, f, &one_class, moore_route_entries(r), NULL), 0);
	}
	CHECK_EQ(d->why, moore_check(&v, f, moore_route_lft(r), lanes, NULL,
				     &(struct moore_check_opts){ .sl_set = set }, NULL), 0);
	CHECK(d->why, v->acyclic);
	CHECK_EQ(d->why, v->loops, 0);
	CHECK_EQ(d->why, v->unreachable, 0);
	CHECK_EQ(d->why, is_hinted(d) ? v->dropped : 0, 0);
	CHECK(d->why, v->sound);
	moore_verdict_free(v);
	moore_sl_set_free(set);
	moore_sl2vl_free(lanes);
}

/* Distances in hops from every switch to `to`; MOORE_NONE if there is no path. */
static void
breadth(const struct moore_fabric *f, uint32_t to, uint32_t *dist)
{
	uint32_t queue[MAX_SWITCHES], n = 0;

	memset(dist, 0xff, f->n_switches * sizeof(*dist));
	dist[queue[n++] = to] = 0;
	for (uint32_t i = 0; i < n; i++)
		for (unsigned p = 1; p <= f->sw[queue[i]].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, queue[i], (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && dist[q->peer] == MOORE_NONE) {
				dist[q->peer] = dist[queue[i]] + 1;
				queue[n++] = q->peer;
			}
		}
}

static uint32_t
walk(const struct moore_fabric *f, const struct moore_lft *t, uint32_t s, uint32_t to, uint32_t lid)
{
	uint32_t n = 0;

	for (; s != to && n < MAX_SWITCHES; n++)
		s = moore_fabric_port(f, s, moore_lft_row(t, s)[lid])->peer;
	return n;
}

static bool
has_hosts(const struct moore_fabric *f, uint32_t s)
{
	return f->sw[s].n_ports && moore_fabric_port(f, s, 1)->role == MOORE_ROLE_ENDPOINT;
}

static unsigned most_times, n_longer, n_pairs;	/* printed at the end */

/* Routes to base LIDs on an intact graph of diameter two are exactly as long as the
 * distance. With layers, a few pairs of the smallest MLFMs take more hops, so that middle
 * switches without endpoints are reachable, too.
 *
 * On other fabrics the proof bounds a route only by the longest rising chain of the order.
 * In 40,000 draws the longest route had 4.5 diameters on damaged fabrics, and 5 where some
 * links have one lane. */
static void
check_short(const struct draw *d, const struct moore_fabric *f, const struct moore_lft *t)
{
	uint32_t (*dist)[MAX_SWITCHES] = calloc(f->n_switches, sizeof(*dist)), far = 0;
	uint32_t times = d->narrow ? 6 : d->intact ? 4 : 5;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		breadth(f, s, dist[s]);
		for (uint32_t a = 0; a < f->n_switches; a++)
			far = dist[s][a] != MOORE_NONE && dist[s][a] > far ? dist[s][a] : far;
	}
	for (uint32_t e = 0; e < f->n_endpoints; e++)
		for (uint32_t s = 0; s < f->n_switches; s++) {
			uint32_t least = dist[f->ep[e].sw][s], n;

			if (least == MOORE_NONE || !has_hosts(f, s))
				continue;
			n = walk(f, t, s, f->ep[e].sw, f->ep[e].lid);
			CHECK(d->why, n >= least);
			if (n > times * far)
				fail_msg("%s: %u hops, %u times the diameter is %u", d->why, n, times, times * far);
			if (d->minimal && d->intact && !d->narrow && !f->ep[e].lmc)
				CHECK_EQ(d->why, n, least);
			most_times = n * 100 > most_times * far ? n * 100 / far : most_times;
			n_longer += n > least;
			n_pairs++;
		}
	free(dist);
}

/* True if both have the same rows, and the same sl-hint tables for pairs of close LIDs. */
static bool
same_by_guid(const struct moore_fabric *f, const struct moore_route *a,
	     const struct moore_fabric *g, const struct moore_route *b)
{
	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint32_t t = 0;

		while (g->sw[t].guid != f->sw[s].guid)
			t++;
		if (memcmp(moore_lft_row(moore_route_lft(a), s), moore_lft_row(moore_route_lft(b), t),
			   f->lid_top + 1u))
			return false;
	}
	for (unsigned from = 1; from <= f->lid_top; from++)
		for (unsigned to = from + 1; to <= f->lid_top && to < from + 32; to++)
			if (moore_route_right(a, (moore_lid)from, (moore_lid)to) !=
			    moore_route_right(b, (moore_lid)from, (moore_lid)to))
				return false;
	return true;
}

/* Checks a draw with the plan (or without: NULL).  The routes are safe and short; they are
 * the same bits after another fabric was routed, and if the switches come in another order. */
static void
check_draw(const struct draw *d, const struct moore_fabric *plan, struct moore_rng *rng)
{
	struct moore_fabric *shuffled = test_shuffled(d->seen, rng);
	struct moore_route *a = routed(d, d->seen, plan), *between, *b;

	check_safe(d, d->seen, a, rng);
	check_short(d, d->seen, moore_route_lft(a));
	between = routed(d, d->plan, NULL);
	b = routed(d, shuffled, plan);
	CHECK(d->why, same_by_guid(d->seen, a, shuffled, b));
	moore_route_free(b);
	moore_route_free(between);
	b = routed(d, d->seen, plan);
	CHECK(d->why, same_by_guid(d->seen, a, d->seen, b));
	moore_route_free(b);
	moore_route_free(a);
	moore_fabric_free(shuffled);
}

static void
campaign(unsigned rounds, unsigned links, unsigned switches)
{
	uint64_t seed = test_seed();

	most_times = n_longer = n_pairs = 0;
	for (unsigned i = 0; i < rounds; i++) {
		struct moore_rng rng = { seed + i };
		struct draw d;

		draw(&d, &rng, seed + i, links, switches);
		check_draw(&d, moore_rng_below(&rng, 4) ? d.plan : NULL, &rng);
		moore_fabric_free(d.plan);
		moore_fabric_free(d.seen);
	}
	print_message("# %u draws: longest route %u.%02u diameters, %u of %u pairs not minimal\n",
		      rounds, most_times / 100, most_times % 100, n_longer, n_pairs);
}

static void
test_anything(void **state)
{
	(void)state;
	campaign(test_rounds(1500), 40, 20);
}

static void
test_failing_links(void **state)
{
	(void)state;
	campaign(test_rounds(500), 20, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_anything),
		cmocka_unit_test(test_failing_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

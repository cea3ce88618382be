// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_campaign.c - random fabrics, random failures: whatever is connected is
 * reached, nothing can deadlock, routes stay short, and the tables are a function
 * of what is there.  Every draw comes from the printed seed; `make soak` draws
 * more.  Judges: the checker, itself held to brute force in test_check.c, and
 * distances by breadth-first search. */
#include "harness.h"

#include "fabrics.h"
#include "moore/check.h"
#include "moore/conf.h"
#include "moore/lane.h"
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
	uint32_t n_edge;	/* endpoints sit on switches below this; 0: on any */
	bool minimal;		/* diameter two: nothing may be longer than it must */
};

static void
join(struct graph *g, uint32_t a, uint32_t b)
{
	if (a != b && g->m < MAX_LINKS)
		g->link[g->m++] = (struct moore_topo_link){ a < b ? a : b, a < b ? b : a };
}

static void
draw_family(struct graph *g)
{
	static const struct {
		const char *family, *params;
	} T[] = {
		{ "slimfly", "q=3" }, { "slimfly", "q=4" }, { "slimfly", "q=5" },
		{ "oft", "k=3" }, { "oft", "k=4" }, { "mlfm", "h=3" }, { "mlfm", "h=4" },
		{ "mlfm", "h=5 l=2" },
	};
	size_t k = moore_rng_below(g->r, ARRAY_LEN(T));
	struct moore_fabric *f = test_family(T[k].family, T[k].params, 0);

	g->n = f->n_switches;
	for (uint32_t s = 0; s < g->n; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && q->peer > s)
				join(g, s, q->peer);
			g->ep[s] = (uint16_t)(g->ep[s] + (q->role == MOORE_ROLE_ENDPOINT));
		}
	g->minimal = true;
	moore_fabric_free(f);
}

/* Sides of two make parallel links. */
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

static void
draw_hypercube(struct graph *g)
{
	g->n = 2u << moore_rng_below(g->r, 5);
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t bit = 1; bit < g->n; bit *= 2)
			if (!(s & bit))
				join(g, s, s | bit);
}

/* The pairing model: half links in random order, joined two by two. */
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

/* k pods of k/2 edge and k/2 middle switches, k*k/4 on top: edges first. */
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
	{ "family", draw_family },	{ "torus", draw_torus },
	{ "hypercube", draw_hypercube },	{ "random regular", draw_regular },
	{ "fat tree", draw_fat_tree },	{ "ring", draw_ring },
	{ "tree and more", draw_tree },
};

/* What is routed by, and what the checker then allows everyone to use. */
static const struct {
	const char *name;
	struct moore_route_opts opts;
	struct moore_check_opts may;
} PROFILE[] = {
	{ "any-sl", { .profile = MOORE_PROFILE_ANY_SL }, { 0 } },
	{ "any-sl, nta", { .layers = MOORE_LAYERS_NTA }, { 0 } },
	{ "any-sl, valiant", { .layers = MOORE_LAYERS_VALIANT }, { 0 } },
	{ "any-sl, inr", { .layers = MOORE_LAYERS_INR }, { 0 } },
};

/* ---- a draw ---------------------------------------------------------------------- */

/* Endpoints spread unevenly, some switches without; some links doubled. */
static void
dress(struct graph *g)
{
	unsigned most = moore_rng_below(g->r, 5), doubled = moore_rng_below(g->r, 3) ? 0 : 30;
	size_t m = g->m;

	if (g->minimal && moore_rng_below(g->r, 2))
		return;
	for (uint32_t s = 0; s < g->n; s++)
		if (!g->minimal && (!g->n_edge || s < g->n_edge))
			g->ep[s] = (uint16_t)moore_rng_below(g->r, most + 1);
		else if (g->ep[s])
			g->ep[s] = (uint16_t)moore_rng_below(g->r, g->ep[s] + 1u);
	for (size_t i = 0; i < m; i++)
		if (moore_rng_below(g->r, 100) < doubled)
			join(g, g->link[i].a, g->link[i].b);
}

/* Neighbouring endpoints become two ports of one host. */
static void
pair_hosts(struct moore_fabric *f, struct moore_rng *r)
{
	for (uint32_t e = 1; e < f->n_endpoints; e += 2)
		if (moore_rng_below(r, 3) == 0) {
			f->ep[e].node_guid = f->ep[e - 1].node_guid;
			f->ep[e].ca_port = 2;
		}
}

static void
narrow_some(struct moore_fabric *f, struct moore_rng *r, unsigned percent)
{
	for (uint32_t p = 0; p < f->n_ports; p++) {
		struct moore_port *q = &f->port[p];

		if (q->role == MOORE_ROLE_SWITCH && moore_rng_below(r, 100) < percent)
			q->lanes = f->port[f->sw[q->peer].port0 + q->peer_port].lanes = 1;
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
	char why[128];
	size_t profile;
	bool intact, minimal, narrow;
	struct moore_fabric *plan, *seen;
};

static void
draw(struct draw *d, struct moore_rng *r, unsigned i, unsigned links, unsigned switches)
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
	snprintf(d->why, sizeof(d->why), "draw %u: %s of %u switches, LMC %u, %s, %u %% of links, %u %% of switches",
		 i, TOPOLOGY[k].name, g.n, lmc, PROFILE[d->profile].name, cut, lost);
	d->plan = test_fabric(g.n, g.link, g.m, g.ep, (uint8_t)lmc);
	pair_hosts(d->plan, r);
	d->narrow = moore_rng_below(r, 4) == 0;
	if (d->narrow)
		narrow_some(d->plan, r, moore_rng_below(r, 40));
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

static void
check_safe(const struct draw *d, const struct moore_fabric *f, const struct moore_route *r)
{
	struct moore_sl2vl *lanes = NULL;
	struct moore_verdict *v = NULL;

	CHECK_EQ(d->why, moore_lane_effective(&lanes, f, &one_class, NULL), 0);
	CHECK_EQ(d->why, moore_check(&v, f, moore_route_lft(r), lanes, NULL,
				     &PROFILE[d->profile].may, NULL), 0);
	CHECK(d->why, v->acyclic);
	CHECK_EQ(d->why, v->loops, 0);
	CHECK_EQ(d->why, v->unreachable, 0);
	CHECK(d->why, v->sound);
	moore_verdict_free(v);
	moore_sl2vl_free(lanes);
}

/* Hops from every switch to `to`, by breadth; MOORE_NONE where not joined. */
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

static unsigned most_times, n_longer, n_pairs;	/* told at the end */

/* Base LIDs: exactly the distance on an intact graph of diameter two; beside layers
 * a few pairs of the smallest MLFMs take more hops, so that middle switches without
 * endpoints are reached too.  Elsewhere
 * the proof bounds a route by the longest rising chain of the order alone; the
 * longest seen is five diameters, and six where some links have one lane. */
static void
check_short(const struct draw *d, const struct moore_fabric *f, const struct moore_lft *t)
{
	uint32_t (*dist)[MAX_SWITCHES] = calloc(f->n_switches, sizeof(*dist)), far = 0;

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
			CHECK(d->why, n <= (d->narrow ? 8 : 5) * far);
			if (d->minimal && d->intact && !d->narrow && !f->ep[e].lmc)
				CHECK_EQ(d->why, n, least);
			most_times = n * 100 > most_times * far ? n * 100 / far : most_times;
			n_longer += n > least;
			n_pairs++;
		}
	free(dist);
}

static bool
same_by_guid(const struct moore_fabric *f, const struct moore_lft *a,
	     const struct moore_fabric *g, const struct moore_lft *b)
{
	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint32_t t = 0;

		while (g->sw[t].guid != f->sw[s].guid)
			t++;
		if (memcmp(moore_lft_row(a, s), moore_lft_row(b, t), f->lid_top + 1u))
			return false;
	}
	return true;
}

/* With the plan (or, plan == NULL, without): safe, short, the same bits again
 * after another fabric was routed, and the same in another order. */
static void
check_draw(const struct draw *d, const struct moore_fabric *plan, struct moore_rng *rng)
{
	struct moore_fabric *shuffled = test_shuffled(d->seen, rng);
	struct moore_route *a = routed(d, d->seen, plan), *between, *b;

	check_safe(d, d->seen, a);
	check_short(d, d->seen, moore_route_lft(a));
	between = routed(d, d->plan, NULL);
	b = routed(d, shuffled, plan);
	CHECK(d->why, same_by_guid(d->seen, moore_route_lft(a), shuffled, moore_route_lft(b)));
	moore_route_free(b);
	moore_route_free(between);
	b = routed(d, d->seen, plan);
	CHECK(d->why, same_by_guid(d->seen, moore_route_lft(a), d->seen, moore_route_lft(b)));
	moore_route_free(b);
	moore_route_free(a);
	moore_fabric_free(shuffled);
}

static void
campaign(unsigned rounds, unsigned links, unsigned switches)
{
	struct moore_rng rng = { test_seed() };

	most_times = n_longer = n_pairs = 0;
	for (unsigned i = 0; i < rounds; i++) {
		struct draw d;

		draw(&d, &rng, i, links, switches);
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

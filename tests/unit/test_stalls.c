// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_stalls.c - packets on tables that the checker has accepted never stall, and those of OpenSM's minhop do.
 *
 * Each draw is a fabric of some family and size, perhaps with links cut, its tables, and a run beyond what they carry:
 * `make soak` makes 10,000 draws.  The oracle is the stall detector, which looks at buffers alone. */
#include "harness.h"
#include "moore/engine.h"
#include "moore/sim.h"
#include "plan_of.h"

#define DRAWS 500		/* MOORE_SOAK is 20 in `make soak` */

static const struct { const char *family; const char *params[6]; } sizes[] = {
	{ "slimfly", { "q=3", "q=3 p=4", "q=4", "q=5", "q=5 p=1", "q=7 p=1" } },
	{ "mlfm", { "h=2", "h=3", "h=3 l=5", "h=4", "h=4 l=2", "h=5 p=1" } },
	{ "oft", { "k=3", "k=3 p=1", "k=4", "k=4 p=2", "k=5 p=1", "k=3 p=5" } },
	{ "torus", { "a=3", "a=8 p=2", "a=4 b=4", "a=5 b=3 p=2", "a=3 b=3 c=3", "a=7 b=2 p=3" } },
	{ "hypercube", { "n=2 p=3", "n=3 p=2", "n=4", "n=4 p=2", "n=5", "n=3" } },
	{ "dragonfly", { "a=2", "a=3 p=2", "a=4", "a=2 h=2", "a=4 h=1 p=2", "a=3 h=2" } },
	{ "hyperx", { "s1=2 s2=2 p=3", "s1=3 s2=3 p=2", "s1=4 s2=3", "s1=3 s2=2 s3=2", "s1=4 s2=4", "s1=5 s2=2 p=2" } },
	{ "jellyfish", { "n=8 k=3 p=2", "n=12 k=4", "n=20 k=3", "n=15 k=4 p=2", "n=24 k=5", "n=10 k=5 p=3" } },
};

/* What one draw is about, for the message of a failure. */
struct draw {
	const char *family, *params;
	uint8_t lmc;
	unsigned profile, layers, n_cut, pattern;
	struct moore_sim_opts o;
	enum moore_sim_routing routing;
	double load;
};

static struct draw
draw_of(struct moore_rng *r)
{
	static const enum moore_profile profile[] = { MOORE_PROFILE_ANY_SL, MOORE_PROFILE_SL_HINT, MOORE_PROFILE_ONE_VL };
	const size_t family = moore_rng_below(r, ARRAY_LEN(sizes));
	struct draw d = { .family = sizes[family].family, .params = sizes[family].params[moore_rng_below(r, 6)] };

	d.lmc = (uint8_t)moore_rng_below(r, 4);
	d.profile = profile[moore_rng_below(r, ARRAY_LEN(profile))];
	d.layers = moore_rng_below(r, MOORE_N_LAYERS);
	d.n_cut = moore_rng_below(r, 4);
	d.pattern = moore_rng_below(r, 4);
	moore_sim_defaults(&d.o);
	d.o.packet = 16 + moore_rng_below(r, 200);
	d.o.cross = d.o.packet / (1 + moore_rng_below(r, 4)) + 1;
	d.o.wire = 1 + moore_rng_below(r, 200);
	d.o.buffer = 1 + moore_rng_below(r, 6);
	d.o.out_queue = 1 + moore_rng_below(r, 6);
	d.o.queues = moore_rng_below(r, MOORE_N_SIM_QUEUES);
	d.o.arbiter = moore_rng_below(r, MOORE_N_SIM_ARBITERS);
	d.o.detour = moore_rng_below(r, MOORE_N_SIM_DETOURS);
	d.o.sl = (uint8_t)moore_rng_below(r, MOORE_N_SL);
	d.o.length = 400;
	d.o.seed = moore_rng_next(r);
	d.routing = moore_rng_below(r, MOORE_N_SIM_ROUTINGS);
	if (d.profile == MOORE_PROFILE_SL_HINT && (d.routing == MOORE_SIM_MIDDLE || d.routing == MOORE_SIM_UGAL_MIDDLE ||
						       d.routing == MOORE_SIM_PAR))
		d.routing = MOORE_SIM_MIN;	/* these need tables for any SL */
	d.load = 0.2 + 0.2 * moore_rng_below(r, 5);
	return d;
}

/* Routes the fabric without up to n links, drawn by their ports.  Pairs that these part have no path. */
static struct moore_engine_result *
route_cut(struct moore_fabric *f, const struct moore_plan *p, const struct moore_conf *conf, unsigned n,
	  struct moore_rng *r, struct moore_fabric **out)
{
	struct moore_engine_result *x = NULL;

	assert_int_equal(moore_fabric_copy(out, f, NULL), 0);
	for (unsigned i = 0; i < n; i++) {
		const moore_swid s = moore_rng_below(r, f->n_switches);
		const moore_portnum port = (moore_portnum)(1 + moore_rng_below(r, f->sw[s].n_ports));

		if (moore_fabric_port(*out, s, port)->role == MOORE_ROLE_SWITCH)
			moore_fabric_cut(*out, s, port);
	}
	if (moore_engine_run(&x, *out, p, conf, NULL, NULL, NULL) == 0)
		return x;
	moore_fabric_free(*out);
	*out = NULL;
	return NULL;
}

/* Each node sends to one other (a random permutation), to one that is a few further, all to one, or to any. */
static uint32_t
draw_flows(struct moore_sim_flow *flow, const struct moore_fabric *f, unsigned pattern, struct moore_rng *r)
{
	const uint32_t n = f->n_endpoints, shift = 1 + moore_rng_below(r, n - 1);

	for (uint32_t i = 0; i < n; i++)
		flow[i] = (struct moore_sim_flow){ i, pattern == 1 ? (i + shift) % n : pattern == 2 ? shift : i };
	for (uint32_t i = n - 1; i > 0 && pattern == 0; i--) {
		const uint32_t k = moore_rng_below(r, i + 1);
		const moore_epid other = flow[i].to;

		flow[i].to = flow[k].to;
		flow[k].to = other;
	}
	return pattern < 3 ? n : 0;
}

/* Returns whether the fabric could be routed. */
static bool
try(const struct draw *d, struct moore_rng *r)
{
	struct moore_plan *p = plan_of(d->family, d->params);
	struct moore_fabric *all, *f;
	struct moore_engine_result *x;
	struct moore_sim_result found;
	struct moore_sim_traffic t = { .n_nodes = 0 };
	const struct moore_sim_point point = { .routing = d->routing, .traffic = &t, .load = d->load };
	struct moore_sim_flow *flow;
	struct moore_conf conf;
	struct moore_err err = { .text = "" };
	moore_epid *node;
	double *share;

	moore_conf_defaults(&conf);
	conf.profile = d->profile;
	conf.layers = d->layers;
	assert_int_equal(moore_fabric_from_plan(&all, p, d->lmc, NULL), 0);
	x = route_cut(all, p, &conf, d->n_cut, r, &f);
	moore_fabric_free(all);
	moore_plan_free(p);
	if (!x)
		return false;
	flow = calloc(f->n_endpoints, sizeof(*flow));
	node = calloc(f->n_endpoints, sizeof(*node));
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		node[e] = e;
	if ((t.n_flows = draw_flows(flow, f, d->pattern, r)))
		t.flow = flow;
	t.node = node;
	t.n_nodes = f->n_endpoints;
	t.n_offsets = 1u << d->lmc;
	t.share = share = calloc((size_t)f->n_endpoints << d->lmc, sizeof(*share));
	for (uint32_t i = 0; i < f->n_endpoints << d->lmc; i++)
		share[i] = i % t.n_offsets == i / t.n_offsets % t.n_offsets;
	if (moore_simulate(&found, &point, 1, &(struct moore_sim_tables){ f, x->lft, x->sl2vl, x->sl_set }, &d->o, NULL,
			   &err) < 0)
		fail_msg("%s", err.text);
	if (found.stalled || (!d->n_cut && (found.dropped || !found.packets)))
		fail_msg("%s %s, LMC %u, profile %u, layers %u, %u links cut, pattern %u, routing %s, load %g, seed %llu: "
			 "stalled %d, dropped %llu, received %llu", d->family, d->params, d->lmc, d->profile, d->layers,
			 d->n_cut, d->pattern, moore_sim_routing_name(d->routing), d->load,
			 (unsigned long long)d->o.seed, found.stalled, (unsigned long long)found.dropped,
			 (unsigned long long)found.packets);
	free(flow);
	free(node);
	free(share);
	moore_engine_result_free(x);
	moore_fabric_free(f);
	return true;
}

static void
test_accepted(void **state)
{
	struct moore_rng rng = { test_seed() };
	const unsigned rounds = test_rounds(DRAWS);
	unsigned routed = 0;
	(void)state;

	for (unsigned i = 0; i < rounds; i++) {
		struct moore_rng own = { moore_rng_next(&rng) };
		const struct draw d = draw_of(&own);

		routed += try(&d, &own);
	}
	print_message("# %u draws, %u of them routed and simulated\n", rounds, routed);
	CHECK("most are", routed > rounds * 3 / 4);
}

/* ---- minhop ------------------------------------------------------------------------------------- */

/* Links from each switch to switch `to`. */
static void
distances(const struct moore_fabric *f, moore_swid to, uint32_t *far)
{
	bool more = true;

	for (moore_swid s = 0; s < f->n_switches; s++)
		far[s] = s == to ? 0 : MOORE_NONE;
	for (uint32_t d = 0; more; d++) {
		more = false;
		for (uint32_t i = 0; i < f->n_switches; i++)
			for (unsigned p = 1; far[i] == d && p <= f->sw[i].n_ports; p++) {
				const struct moore_port *port = moore_fabric_port(f, i, (moore_portnum)p);

				if (port->role == MOORE_ROLE_SWITCH && far[port->peer] == MOORE_NONE) {
					far[port->peer] = d + 1;
					more = true;
				}
			}
	}
}

/* As osm_ucast_mgr.c of OpenSM: of the ports with the fewest hops, the one that the fewest LIDs have. */
static struct moore_lft *
minhop(const struct moore_fabric *f)
{
	uint32_t *far = calloc(f->n_switches, sizeof(*far)), *used = calloc(f->n_ports, sizeof(*used));
	struct moore_lft *t;

	assert_int_equal(moore_lft_new(&t, f->n_switches, f->lid_top, NULL), 0);
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		distances(f, f->ep[e].sw, far);
		for (moore_swid s = 0; s < f->n_switches; s++) {
			unsigned best = 0;

			for (unsigned p = 1; s != f->ep[e].sw && p <= f->sw[s].n_ports; p++) {
				const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

				if (port->role == MOORE_ROLE_SWITCH && far[port->peer] + 1 == far[s] &&
				    (!best || used[f->sw[s].port0 + p] < used[f->sw[s].port0 + best]))
					best = p;
			}
			best = s == f->ep[e].sw ? f->ep[e].port : best;
			used[f->sw[s].port0 + best]++;
			moore_lft_row(t, s)[f->ep[e].lid] = (uint8_t)best;
		}
	}
	free(far);
	free(used);
	return t;
}

/* All packets are on one lane, where these tables are cyclic: each fabric stalls within a million ticks. */
static void
test_minhop(void **state)
{
	static const struct { const char *family, *params; } T[] = {
		{ "torus", "a=8 p=4" }, { "torus", "a=4 b=4 p=4" }, { "torus", "a=5 b=5 p=4" }, { "slimfly", "q=5 p=4" },
		{ "slimfly", "q=7 p=6" },
	};
	const uint64_t seed = test_seed();
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_plan *p = plan_of(T[i].family, T[i].params);
		struct moore_sim_traffic t = { .n_nodes = 0 };
		const struct moore_sim_point point = { .traffic = &t, .load = 1 };
		struct moore_sim_result x;
		struct moore_sim_opts o;
		struct moore_sl2vl *one;
		struct moore_fabric *f;
		struct moore_lft *lft;
		moore_epid *node;

		assert_int_equal(moore_fabric_from_plan(&f, p, 0, NULL), 0);
		assert_int_equal(moore_sl2vl_new(&one, f, NULL), 0);
		lft = minhop(f);
		node = calloc(f->n_endpoints, sizeof(*node));
		for (moore_epid e = 0; e < f->n_endpoints; e++)
			node[e] = e;
		t.node = node;
		t.n_nodes = f->n_endpoints;
		moore_sim_defaults(&o);
		o.seed = seed;
		o.buffer = o.out_queue = 2;
		o.length = 1000000 / o.packet;
		assert_int_equal(moore_simulate(&x, &point, 1, &(struct moore_sim_tables){ f, lft, one, NULL }, &o, NULL, NULL), 0);
		print_message("# %s %s: stalled %d after %llu ticks\n", T[i].family, T[i].params, x.stalled,
			      (unsigned long long)x.stalled_at);
		CHECK(T[i].params, x.stalled && !x.dropped && x.stuck > 2 && x.stalled_at <= 1000000);
		free(node);
		moore_lft_free(lft);
		moore_sl2vl_free(one);
		moore_fabric_free(f);
		moore_plan_free(p);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted), cmocka_unit_test(test_minhop),
	};

	return cmocka_run_group_tests_name("stalls", tests, NULL, NULL);
}

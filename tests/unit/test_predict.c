// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_predict.c - the load model: static routings beside an enumeration of all shortest paths, all
 * routings by what flows into and out of each switch, and patterns and placements by what defines them. */
#include "harness.h"
#include "moore/engine.h"
#include "moore/predict.h"
#include "plan_of.h"
#include "shuffled_jobs.h"

#define NEAR(what, a, b) CHECK(what, (a) - (b) < 1e-9 + 1e-6 * (b) && (b) - (a) < 1e-9 + 1e-6 * (b))

static struct moore_fabric *
fabric_of_plan(const char *family, const char *params)
{
	struct moore_plan *p = plan_of(family, params);
	struct moore_fabric *f;

	assert_int_equal(moore_fabric_from_plan(&f, p, 0, NULL), 0);
	moore_plan_free(p);
	return f;
}

/* ---- all shortest paths, one by one ----------------------------------------------------- */

static void
distances(const struct moore_fabric *f, moore_swid to, uint32_t *far)
{
	bool more = true;

	for (uint32_t s = 0; s < f->n_switches; s++)
		far[s] = s == to ? 0 : MOORE_NONE;
	for (uint32_t d = 0; more; d++) {
		more = false;
		for (uint32_t s = 0; s < f->n_switches; s++)
			for (unsigned p = 1; far[s] == d && p <= f->sw[s].n_ports; p++) {
				const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

				if (port->role == MOORE_ROLE_SWITCH && far[port->peer] == MOORE_NONE) {
					far[port->peer] = d + 1;
					more = true;
				}
			}
	}
}

/* Counts the shortest paths from s. */
static uint32_t
count_paths(const struct moore_fabric *f, moore_swid s, const uint32_t *far)
{
	uint32_t n = far[s] == 0;

	for (unsigned p = 1; far[s] && p <= f->sw[s].n_ports; p++) {
		const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

		if (port->role == MOORE_ROLE_SWITCH && far[port->peer] + 1 == far[s])
			n += count_paths(f, port->peer, far);
	}
	return n;
}

/* A link carries the share of the shortest paths that lead over it: those to its near end times those
 * from its far end. */
static void
add_direct(const struct moore_fabric *f, moore_swid from, moore_swid to, double amount, double *load)
{
	uint32_t *far = calloc(f->n_switches, sizeof(*far)), *back = calloc(f->n_switches, sizeof(*back));

	distances(f, to, far);
	distances(f, from, back);
	for (uint32_t s = 0; s < f->n_switches && from != to; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

			if (port->role == MOORE_ROLE_SWITCH && back[s] + 1 + far[port->peer] == far[from])
				load[f->sw[s].port0 + p] += amount * count_paths(f, s, back) *
					count_paths(f, port->peer, far) / count_paths(f, from, far);
		}
	free(far);
	free(back);
}

static struct moore_flow *
random_flows(struct moore_rng *r, const struct moore_fabric *f, uint32_t n)
{
	struct moore_flow *flow = calloc(n + 1, sizeof(*flow));

	for (uint32_t i = 0; i < n; i++)
		flow[i] = (struct moore_flow){ moore_rng_below(r, f->n_endpoints),
			moore_rng_below(r, f->n_endpoints), 1 + moore_rng_below(r, 5) };
	return flow;
}

static const struct { const char *family, *params; } fabrics[] = {
	{ "slimfly", "q=5 p=2" }, { "oft", "k=3" }, { "mlfm", "h=3" }, { "fattree3", "k=4" },
	{ "torus", "a=4 b=3" }, { "dragonfly", "a=4 h=2" }, { "jellyfish", "n=20 k=4 p=2" },
	{ "hyperx", "s1=3 s2=4" },
};

static void
test_static(void **state)
{
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(fabrics); i++) {
		struct moore_fabric *f = fabric_of_plan(fabrics[i].family, fabrics[i].params);
		const uint32_t n = 30;
		struct moore_flow *flow = random_flows(&rng, f, n);
		const struct moore_traffic t = { .flow = flow, .n_flows = n };

		for (enum moore_routing r = MOORE_ROUTING_SD; r <= MOORE_ROUTING_SI; r++) {
			const struct moore_predict_opts o = { .routing = r };
			double *want = calloc(f->n_ports + 1, sizeof(*want));
			struct moore_predicted p;

			for (uint32_t k = 0; k < n; k++) {
				const moore_swid a = f->ep[flow[k].from].sw, b = f->ep[flow[k].to].sw;

				if (a != b && r == MOORE_ROUTING_SD)
					add_direct(f, a, b, flow[k].amount, want);
				for (moore_swid s = 0; a != b && r == MOORE_ROUTING_SI && s < f->n_switches; s++) {
					add_direct(f, a, s, flow[k].amount / f->n_switches, want);
					add_direct(f, s, b, flow[k].amount / f->n_switches, want);
				}
			}
			assert_int_equal(moore_predict(&p, f, &t, &o, NULL), 0);
			for (uint32_t k = 0; k < f->n_ports; k++)
				NEAR(fabrics[i].family, p.load[k], want[k]);
			CHECK("nothing is lost", p.lost == 0);
			free(p.load);
			free(want);
		}
		free(flow);
		moore_fabric_free(f);
	}
}

/* Paths of 290 and of 300 hops, of which there are two of the latter. */
static void
test_far(void **state)
{
	struct moore_fabric *f = fabric_of_plan("torus", "a=600");
	struct moore_flow flow[] = { { 0, 290, 1 }, { 0, 300, 4 }, { 5, 6, 1 } };
	const struct moore_traffic t = { .flow = flow, .n_flows = 3 };
	const struct moore_predict_opts o = { .routing = MOORE_ROUTING_SD };
	struct moore_predicted p;
	double sum = 0, most = 0;
	(void)state;

	assert_int_equal(moore_predict(&p, f, &t, &o, NULL), 0);
	for (uint32_t k = 0; k < f->n_ports; k++) {
		sum += p.load[k];
		most = p.load[k] > most ? p.load[k] : most;
	}
	NEAR("hops", sum, 290 + 4 * 300 + 1);
	NEAR("greatest", most, 4);
	CHECK("nothing is lost", p.lost == 0);
	free(p.load);
	moore_fabric_free(f);
}

/* Uniform traffic is that of all pairs as flows. */
static void
test_uniform(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(fabrics); i++) {
		struct moore_fabric *f = fabric_of_plan(fabrics[i].family, fabrics[i].params);
		const uint32_t n = f->n_endpoints / 2 + 1;	/* some of the nodes */
		struct moore_flow *flow = calloc((size_t)n * n, sizeof(*flow));
		moore_epid *node = calloc(n, sizeof(*node));
		uint32_t n_flows = 0;

		for (uint32_t a = 0; a < n; a++)
			node[a] = a;
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				if (a != b)
					flow[n_flows++] = (struct moore_flow){ a, b, 1.0 / (n - 1) };
		for (enum moore_routing r = MOORE_ROUTING_SD; r <= MOORE_ROUTING_SI; r++) {
			const struct moore_traffic one = { .uniform = true, .node = node, .n_nodes = n };
			const struct moore_traffic other = { .flow = flow, .n_flows = n_flows };
			const struct moore_jobs jobs = { test_run_shuffled, 3 };
			const struct moore_predict_opts o = { .routing = r }, with = { .routing = r, .jobs = &jobs };
			struct moore_predicted p, q, z;

			assert_int_equal(moore_predict(&p, f, &one, &o, NULL), 0);
			assert_int_equal(moore_predict(&q, f, &other, &o, NULL), 0);
			assert_int_equal(moore_predict(&z, f, &one, &with, NULL), 0);
			for (uint32_t k = 0; k < f->n_ports; k++)
				NEAR(fabrics[i].family, p.load[k], q.load[k]);
			CHECK("any workers", !memcmp(p.load, z.load, f->n_ports * sizeof(*p.load)));
			free(p.load);
			free(q.load);
			free(z.load);
		}
		free(flow);
		free(node);
		moore_fabric_free(f);
	}
}

/* A sample of the switches that receive is near the whole. */
static void
test_sample(void **state)
{
	struct moore_fabric *f = fabric_of_plan("slimfly", "q=7 p=1");
	moore_epid node[98];
	const struct moore_traffic t = { .uniform = true, .node = node, .n_nodes = 98 };
	const struct moore_predict_opts o = { .sample = 49 }, all = { .sample = 98 };
	struct moore_predicted p, q;
	double sum[2] = { 0, 0 }, off = 0;
	uint32_t n = 0;
	(void)state;

	for (uint32_t i = 0; i < 98; i++)
		node[i] = i;
	assert_int_equal(moore_predict(&p, f, &t, &o, NULL), 0);
	assert_int_equal(moore_predict(&q, f, &t, &all, NULL), 0);
	CHECK_EQ("sampled", p.sampled, 49);
	CHECK_EQ("not sampled", q.sampled, 0);
	for (uint32_t k = 0; k < f->n_ports; k++) {
		sum[0] += p.load[k];
		sum[1] += q.load[k];
		off += (p.load[k] - q.load[k]) * (p.load[k] - q.load[k]);
		n += q.load[k] > 0;
	}
	off /= n;
	CHECK("variance", off < 4 * p.variance && off > p.variance / 4);
	CHECK("no variance", !(q.variance > 0));
	CHECK("the mean is near", sum[0] > 0.95 * sum[1] && sum[0] < 1.05 * sum[1]);
	free(p.load);
	free(q.load);
	moore_fabric_free(f);
}

/* ---- any routing: what flows in flows out ------------------------------------------------------ */

static void
test_balance(void **state)
{
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(fabrics); i++) {
		struct moore_fabric *f = fabric_of_plan(fabrics[i].family, fabrics[i].params);
		struct moore_engine_result *result;
		struct moore_conf conf;
		struct moore_flow *flow = random_flows(&rng, f, 40);
		const struct moore_traffic t = { .flow = flow, .n_flows = 40 };

		moore_conf_defaults(&conf);
		assert_int_equal(moore_engine_run(&result, f, NULL, &conf, NULL, NULL, NULL), 0);
		for (enum moore_routing r = 0; r < MOORE_ROUTING_OWN; r++) {
			const struct moore_predict_opts o = { .routing = r, .seed = test_seed(), .lft = result->lft };
			double *more = calloc(f->n_switches, sizeof(*more)), hops = 0, least = 0;
			uint32_t *far = calloc(f->n_switches, sizeof(*far));
			struct moore_predicted p;

			assert_int_equal(moore_predict(&p, f, &t, &o, NULL), 0);
			for (uint32_t s = 0; s < f->n_switches; s++)
				for (unsigned k = 1; k <= f->sw[s].n_ports; k++) {
					const uint32_t at = f->sw[s].port0 + k;

					hops += p.load[at];
					CHECK("loads are of links", p.load[at] == 0 ||
					      f->port[at].role == MOORE_ROLE_SWITCH);
					if (f->port[at].role != MOORE_ROLE_SWITCH)
						continue;
					more[s] += p.load[at];
					more[f->port[at].peer] -= p.load[at];
				}
			for (uint32_t k = 0; k < 40; k++) {
				more[f->ep[flow[k].from].sw] -= flow[k].amount;
				more[f->ep[flow[k].to].sw] += flow[k].amount;
				distances(f, f->ep[flow[k].to].sw, far);
				least += flow[k].amount * far[f->ep[flow[k].from].sw];
			}
			for (uint32_t s = 0; s < f->n_switches; s++)
				CHECK(moore_routing_name(r), more[s] < 1e-4 && more[s] > -1e-4);
			CHECK("no path is shorter than the shortest", hops > least - 1e-3);
			CHECK("direct ones are", (r != MOORE_ROUTING_SD && r != MOORE_ROUTING_AD) || hops < least + 1e-3);
			CHECK("nothing is lost", p.lost == 0);
			free(p.load);
			free(more);
			free(far);
		}
		free(flow);
		moore_engine_result_free(result);
		moore_fabric_free(f);
	}
}

/* Two flows, of which one has a second path: adaptive direct routing moves it there. */
static void
test_adapts(void **state)
{
	struct moore_fabric *f = fabric_of_plan("torus", "a=4");
	struct moore_flow flow[] = { { 0, 2, 1 }, { 0, 1, 1 } };
	const struct moore_traffic t = { .flow = flow, .n_flows = 2 };
	double most[2] = { 0, 0 };
	(void)state;

	for (int i = 0; i < 2; i++) {
		const struct moore_predict_opts o = { .routing = i ? MOORE_ROUTING_AD : MOORE_ROUTING_SD };
		struct moore_predicted p;

		assert_int_equal(moore_predict(&p, f, &t, &o, NULL), 0);
		for (uint32_t k = 0; k < f->n_ports; k++)
			most[i] = p.load[k] > most[i] ? p.load[k] : most[i];
		free(p.load);
	}
	NEAR("static", most[0], 1.5);
	CHECK("adaptive", most[1] < 1.4);
	moore_fabric_free(f);
}

static void
test_disconnected(void **state)
{
	struct moore_fabric *f = fabric_of_plan("torus", "a=4");
	struct moore_flow flow[] = { { 0, 2, 3 } };
	const struct moore_traffic t = { .flow = flow, .n_flows = 1 };
	const struct moore_traffic uniform = { .uniform = true, .node = (moore_epid[]){ 0, 1 }, .n_nodes = 2 };
	(void)state;

	for (unsigned p = 1; p <= f->sw[0].n_ports; p++)
		if (moore_fabric_port(f, 0, (moore_portnum)p)->role == MOORE_ROLE_SWITCH)
			moore_fabric_cut(f, 0, (moore_portnum)p);
	for (enum moore_routing r = 0; r < MOORE_ROUTING_TABLES; r++) {
		const struct moore_predict_opts o = { .routing = r };
		struct moore_predicted p;

		assert_int_equal(moore_predict(&p, f, &t, &o, NULL), 0);
		if (r != MOORE_ROUTING_SI)
			NEAR(moore_routing_name(r), p.lost, 3);
		else
			CHECK("SI", p.lost > 0);
		free(p.load);
		assert_int_equal(moore_predict(&p, f, &uniform, &o, NULL), 0);
		CHECK("uniform, cut", p.lost > 0);
		free(p.load);
	}
	moore_fabric_free(f);
}

/* Adaptive routings take uniform traffic, too: on a torus, where all links are alike, direct ones load them
 * as static routing does in sum, and indirect ones more. */
static void
test_adaptive_uniform(void **state)
{
	struct moore_fabric *f = fabric_of_plan("torus", "a=4");
	moore_epid node[16];
	const struct moore_traffic t = { .uniform = true, .node = node, .n_nodes = f->n_endpoints };
	double sum[MOORE_N_ROUTINGS] = { 0 };
	(void)state;

	assert_true(f->n_endpoints <= ARRAY_LEN(node));
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		node[e] = e;
	for (enum moore_routing r = 0; r < MOORE_ROUTING_TABLES; r++) {
		const struct moore_predict_opts o = { .routing = r };
		struct moore_predicted p;

		assert_int_equal(moore_predict(&p, f, &t, &o, NULL), 0);
		for (uint32_t i = 0; i < f->n_ports; i++)
			sum[r] += p.load[i];
		free(p.load);
	}
	NEAR("AD", sum[MOORE_ROUTING_AD], sum[MOORE_ROUTING_SD]);
	CHECK("AI", sum[MOORE_ROUTING_AI] > 1.2 * sum[MOORE_ROUTING_SD]);
	CHECK("AH", sum[MOORE_ROUTING_AH] > sum[MOORE_ROUTING_AD] && sum[MOORE_ROUTING_AH] < sum[MOORE_ROUTING_AI]);
	moore_fabric_free(f);
}

/* ---- adaptive direct routing, solved on lists of paths ------------------------------------------- */

enum { FEW = 4, FAR = 8, MANY = 200 };

struct choice {			/* of a flow between switches: all of its shortest paths, FEW at most */
	moore_swid from, to;
	double amount, got[FEW], asked[FEW];
	uint32_t port[FEW][FAR], hops;
	unsigned n;
};

static void
list_paths(const struct moore_fabric *f, struct choice *c, const uint32_t *far, moore_swid s, uint32_t *port,
	   uint32_t hops)
{
	if (far[s] == 0) {
		assert_true(c->n < FEW);
		memcpy(c->port[c->n++], port, hops * sizeof(*port));
		c->hops = hops;
	}
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *to = moore_fabric_port(f, s, (moore_portnum)p);

		if (to->role != MOORE_ROLE_SWITCH || far[to->peer] + 1 != far[s])
			continue;
		assert_true(hops < FAR);
		port[hops] = f->sw[s].port0 + p;
		list_paths(f, c, far, to->peer, port, hops + 1);
	}
}

static uint32_t
list_choices(const struct moore_fabric *f, const struct moore_flow *flow, uint32_t n_flows, struct choice *c)
{
	uint32_t *far = calloc(f->n_switches, sizeof(*far)), port[FAR], n = 0;

	for (uint32_t i = 0; i < n_flows; i++) {
		const moore_swid from = f->ep[flow[i].from].sw, to = f->ep[flow[i].to].sw;
		uint32_t k = 0;

		while (k < n && (c[k].from != from || c[k].to != to))
			k++;
		if (from == to)
			continue;
		if (k == n) {
			c[n++] = (struct choice){ .from = from, .to = to };
			distances(f, to, far);
			list_paths(f, &c[k], far, from, port, 0);
		}
		c[k].amount += flow[i].amount;
	}
	free(far);
	return n;
}

static double
least_on(const struct choice *c, unsigned k, const double *value)
{
	double least = 1e9;

	for (uint32_t h = 0; h < c->hops; h++)
		least = value[c->port[k][h]] < least ? value[c->port[k][h]] : least;
	return least;
}

/* One round of Jain et al., section III: requests by what paths have left, then what the links give. */
static void
one_round(struct choice *c, uint32_t n, double *left, double *asked, double *share, size_t n_ports)
{
	memset(asked, 0, n_ports * sizeof(*asked));
	for (uint32_t i = 0; i < n; i++) {
		double sum = 0;

		for (unsigned k = 0; k < c[i].n; k++)
			sum += c[i].asked[k] = least_on(&c[i], k, left);
		for (unsigned k = 0; k < c[i].n; k++) {
			c[i].asked[k] = sum > 0 ? c[i].asked[k] / sum * c[i].amount : 0;
			for (uint32_t h = 0; h < c[i].hops; h++)
				asked[c[i].port[k][h]] += c[i].asked[k];
		}
	}
	for (size_t p = 0; p < n_ports; p++)
		share[p] = asked[p] > 0 ? left[p] / asked[p] : 0;
	for (uint32_t i = 0; i < n; i++)
		for (unsigned k = 0; k < c[i].n; k++) {
			double got = c[i].asked[k] * least_on(&c[i], k, share);

			got = got > 1 ? 1 : got;
			c[i].got[k] += got;
			for (uint32_t h = 0; h < c[i].hops; h++)
				left[c[i].port[k][h]] -= got;
		}
	for (size_t p = 0; p < n_ports; p++)
		left[p] = left[p] > 1e-6 ? left[p] : 0;
}

static void
test_adaptive_direct(void **state)
{
	static const struct { const char *family, *params; } T[] = {
		{ "torus", "a=5 b=3" }, { "hyperx", "s1=3 s2=4" }, { "slimfly", "q=5 p=2" },
	};
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t t = 0; t < ARRAY_LEN(T); t++) {
		struct moore_fabric *f = fabric_of_plan(T[t].family, T[t].params);
		const size_t n_ports = (size_t)f->n_ports + 1;
		struct moore_flow *flow = random_flows(&rng, f, MANY);
		struct choice *c = calloc(MANY, sizeof(*c));
		double *left = calloc(n_ports, sizeof(*left)), *asked = calloc(n_ports, sizeof(*asked));
		double *want = calloc(n_ports, sizeof(*want));
		const uint32_t n = list_choices(f, flow, MANY, c);
		const struct moore_traffic traffic = { .flow = flow, .n_flows = MANY };
		const struct moore_predict_opts o = { .routing = MOORE_ROUTING_AD, .seed = test_seed() };
		struct moore_predicted p;

		for (size_t k = 0; k < n_ports; k++)
			left[k] = 1;
		for (unsigned round = 0; round < 50; round++)
			one_round(c, n, left, asked, want, n_ports);
		memset(want, 0, n_ports * sizeof(*want));
		for (uint32_t i = 0; i < n; i++) {
			double sum = 0;

			for (unsigned k = 0; k < c[i].n; k++)
				sum += c[i].got[k];
			for (unsigned k = 0; k < c[i].n; k++)
				for (uint32_t h = 0; h < c[i].hops; h++)
					want[c[i].port[k][h]] += c[i].amount * c[i].got[k] / sum;
		}
		assert_int_equal(moore_predict(&p, f, &traffic, &o, NULL), 0);
		for (size_t k = 0; k < f->n_ports; k++)
			CHECK(T[t].family, p.load[k] - want[k] < 1e-3 && want[k] - p.load[k] < 1e-3);
		free(p.load);
		free(want);
		free(asked);
		free(left);
		free(c);
		free(flow);
		moore_fabric_free(f);
	}
}

/* The result of adaptive routings is the same bits for any workers, also over 254 hops. */
static void
test_adaptive_workers(void **state)
{
	static const struct { const char *family, *params; } T[] = {
		{ "slimfly", "q=5 p=2" }, { "dragonfly", "a=4 h=2" }, { "torus", "a=600" },
	};
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = fabric_of_plan(T[i].family, T[i].params);
		struct moore_flow *flow = random_flows(&rng, f, MANY);
		const struct moore_traffic t = { .flow = flow, .n_flows = MANY };
		const struct moore_jobs jobs = { test_run_shuffled, 3 };

		for (enum moore_routing r = MOORE_ROUTING_AD; r <= MOORE_ROUTING_AH; r++) {
			const struct moore_predict_opts o = { .routing = r, .seed = 7 };
			const struct moore_predict_opts with = { .routing = r, .seed = 7, .jobs = &jobs };
			struct moore_predicted p, q;

			assert_int_equal(moore_predict(&p, f, &t, &o, NULL), 0);
			assert_int_equal(moore_predict(&q, f, &t, &with, NULL), 0);
			CHECK(T[i].family, !memcmp(p.load, q.load, f->n_ports * sizeof(*p.load)));
			CHECK("nothing is lost", p.lost == 0 && q.lost == 0);
			free(p.load);
			free(q.load);
		}
		free(flow);
		moore_fabric_free(f);
	}
}

static double
sum_of_loads(const struct moore_fabric *f, const struct moore_traffic *t, enum moore_routing r)
{
	const struct moore_predict_opts o = { .routing = r, .seed = 7 };
	struct moore_predicted p;
	double sum = 0;

	assert_int_equal(moore_predict(&p, f, t, &o, NULL), 0);
	for (uint32_t k = 0; k < f->n_ports; k++)
		sum += p.load[k];
	CHECK("nothing is lost", p.lost == 0);
	free(p.load);
	return sum;
}

/* Each flow by a routing of its own: the same as one for all if they agree, and in between if not. */
static void
test_own_routing(void **state)
{
	struct moore_fabric *f = fabric_of_plan("dragonfly", "a=4 h=2");
	struct moore_rng rng = { test_seed() };
	struct moore_flow *flow = random_flows(&rng, f, MANY);
	uint8_t routing[MANY];
	struct moore_traffic t = { .flow = flow, .n_flows = MANY, .routing = routing };
	const struct moore_predict_opts o = { .routing = MOORE_ROUTING_OWN };
	double one[MOORE_N_ROUTINGS], direct, both;
	struct moore_predicted p;
	(void)state;

	for (enum moore_routing r = MOORE_ROUTING_AD; r <= MOORE_ROUTING_AH; r++) {
		memset(routing, (int)r, sizeof(routing));
		one[r] = sum_of_loads(f, &t, r);
		NEAR(moore_routing_name(r), sum_of_loads(f, &t, MOORE_ROUTING_OWN), one[r]);
	}
	/* Direct paths have a fixed length: those of the first half stay as long beside indirect ones. */
	t.n_flows = MANY / 2;
	direct = sum_of_loads(f, &t, MOORE_ROUTING_AD);
	t.n_flows = MANY;
	memset(routing, MOORE_ROUTING_AD, MANY / 2);
	memset(routing + MANY / 2, MOORE_ROUTING_AI, MANY / 2);
	both = sum_of_loads(f, &t, MOORE_ROUTING_OWN);
	CHECK("in between", both > 1.02 * one[MOORE_ROUTING_AD] && both < 0.98 * one[MOORE_ROUTING_AI] && both > direct);
	t.routing = NULL;
	CHECK_EQ("none named", moore_predict(&p, f, &t, &o, NULL), -MOORE_EINVAL);
	free(flow);
	moore_fabric_free(f);
}

/* ---- a placement that is searched for ------------------------------------------------------------ */

static double
greatest_of(const struct moore_fabric *f, const struct moore_flow *flow, uint32_t n, const moore_epid *node)
{
	struct moore_flow *seated = calloc(n + 1, sizeof(*seated));
	const struct moore_traffic t = { .flow = seated, .n_flows = n };
	const struct moore_predict_opts o = { .routing = MOORE_ROUTING_SD };
	struct moore_predicted p;
	double most = 0;

	for (uint32_t i = 0; i < n; i++)
		seated[i] = (struct moore_flow){ node[flow[i].from], node[flow[i].to], flow[i].amount };
	assert_int_equal(moore_predict(&p, f, &t, &o, NULL), 0);
	for (uint32_t k = 0; k < f->n_ports; k++)
		most = p.load[k] > most ? p.load[k] : most;
	free(p.load);
	free(seated);
	return most;
}

/* The least greatest load over all placements, by trying them. */
static double
best_of_all(const struct moore_fabric *f, const struct moore_flow *flow, uint32_t n_flows, moore_epid *node,
	    uint32_t i, uint32_t n, bool *used)
{
	double best = 1e9;

	if (i == n)
		return greatest_of(f, flow, n_flows, node);
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		double here;

		if (used[e])
			continue;
		used[e] = true;
		node[i] = e;
		here = best_of_all(f, flow, n_flows, node, i + 1, n, used);
		best = here < best ? here : best;
		used[e] = false;
	}
	return best;
}

static void
test_search(void **state)
{
	static const struct { const char *family, *params; uint32_t n; } T[] = {
		{ "torus", "a=5", 4 }, { "hyperx", "s1=2 s2=3", 5 }, { "torus", "a=3 b=2", 5 },
	};
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = fabric_of_plan(T[i].family, T[i].params);
		const struct moore_job_search o = { .routing = MOORE_ROUTING_SD, .seed = test_seed(),
						    .iterations = 20000 };
		struct moore_flow flow[8];
		moore_epid node[8], other[8];
		bool used[16] = { false };

		for (uint32_t k = 0; k < 8; k++) {
			flow[k].from = moore_rng_below(&rng, T[i].n);
			flow[k].to = (flow[k].from + 1 + moore_rng_below(&rng, T[i].n - 1)) % T[i].n;
			flow[k].amount = 1 + moore_rng_below(&rng, 3);
		}
		for (uint32_t k = 0; k < T[i].n; k++)
			node[k] = k;
		assert_int_equal(moore_job_search(node, T[i].n, f, flow, 8, &o, NULL), 0);
		NEAR(T[i].params, greatest_of(f, flow, 8, node),
		     best_of_all(f, flow, 8, other, 0, T[i].n, used));
		moore_fabric_free(f);
	}
}

/* Kathareios et al. (SC'15), section 4.4: tori of 12 x 14 x 19 and 13 x 13 x 18 processes, the first side in one switch
 * or row. */
static void
test_sides(void **state)
{
	static const struct { uint32_t side[3]; } T[] = { { { 12, 14, 19 } }, { { 13, 13, 18 } }, { { 4, 5, 6 } } };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		const uint32_t x = T[i].side[0], y = T[i].side[1], z = T[i].side[2], all = x * y * z;
		const uint32_t want[6] = { 1, x - 1, x, x * (y - 1), x * y, x * y * (z - 1) };
		moore_epid *process = calloc(all, sizeof(*process));
		struct moore_flow *flow;
		uint32_t n, found = 0;

		for (uint32_t k = 0; k < all; k++)
			process[k] = k;
		assert_int_equal(moore_job_flows(&flow, &n, MOORE_JOB_STENCIL3, process, all, 1, 1, NULL), 0);
		for (uint32_t k = 0; k < n; k++)
			for (unsigned d = 0; flow[k].from == 0 && d < 6; d++)
				found |= (uint32_t)(flow[k].to == want[d]) << d;
		CHECK_EQ("the neighbours of the first process", found, 63);
		free(flow);
		free(process);
	}
}

/* On a larger fabric: better than where it began, on free nodes alone, and the same again. */
static void
test_search_larger(void **state)
{
	struct moore_fabric *f = fabric_of_plan("slimfly", "q=5 p=3");
	struct moore_flow *flow;
	moore_epid process[64], node[64], again[64], start[64];
	bool taken[150] = { false }, seen[150] = { false };
	struct moore_job_search o = { .taken = taken, .seed = 5, .iterations = 50000 };
	const struct moore_floor none = { NULL, NULL };
	struct moore_err err;
	uint32_t n;
	(void)state;

	for (uint32_t i = 0; i < 150; i++)
		taken[i] = i % 3 == 1;
	for (uint32_t i = 0; i < 64; i++)
		process[i] = i;
	assert_int_equal(moore_job_flows(&flow, &n, MOORE_JOB_STENCIL3, process, 64, 1, 1, NULL), 0);
	assert_int_equal(moore_job_place(start, 64, f, &none, taken, MOORE_PLACED_RDN, 1, NULL), 0);
	memcpy(node, start, sizeof(node));
	memcpy(again, start, sizeof(node));
	assert_int_equal(moore_job_search(node, 64, f, flow, n, &o, NULL), 0);
	assert_int_equal(moore_job_search(again, 64, f, flow, n, &o, NULL), 0);
	CHECK("the same", !memcmp(node, again, sizeof(node)));
	CHECK("better by 30 %", greatest_of(f, flow, n, node) < 0.7 * greatest_of(f, flow, n, start));
	for (uint32_t i = 0; i < 64; i++) {
		CHECK("free", !taken[node[i]] && !seen[node[i]]);
		seen[node[i]] = true;
	}
	o.routing = MOORE_ROUTING_AD;
	CHECK_EQ("other routing", moore_job_search(node, 64, f, flow, n, &o, &err), -MOORE_EINVAL);
	o.routing = MOORE_ROUTING_TABLES;
	CHECK_EQ("no tables", moore_job_search(node, 64, f, flow, n, &o, &err), -MOORE_EINVAL);
	o.routing = MOORE_ROUTING_SD;
	o.iterations = 10;
	CHECK_OOM("search", moore_job_search(node, 64, f, flow, n, &o, NULL), (void)0);
	free(flow);
	moore_fabric_free(f);
}

static void
test_oom(void **state)
{
	struct moore_fabric *f = fabric_of_plan("hyperx", "s1=2 s2=2");
	struct moore_flow flow[] = { { 0, 3, 1 }, { 1, 2, 1 } };
	const struct moore_traffic t = { .flow = flow, .n_flows = 2 };
	const struct moore_floor none = { NULL, NULL };
	moore_epid node[4];
	(void)state;

	for (enum moore_routing r = 0; r < MOORE_ROUTING_TABLES; r++) {
		const struct moore_predict_opts o = { .routing = r };
		struct moore_predicted p;

		CHECK_OOM(moore_routing_name(r), moore_predict(&p, f, &t, &o, NULL), free(p.load));
	}
	CHECK_OOM("place", moore_job_place(node, 4, f, &none, NULL, MOORE_PLACED_RDN, 1, NULL), (void)0);
	for (enum moore_job_pattern p = MOORE_JOB_PERMUTATION; p < MOORE_N_JOB_PATTERNS; p++) {
		struct moore_flow *made;
		uint32_t n;

		CHECK_OOM(moore_job_pattern_name(p), moore_job_flows(&made, &n, p, node, 4, 1, 1, NULL), free(made));
	}
	moore_fabric_free(f);
}

/* ---- patterns and placements ------------------------------------------------------------------------ */

static void
test_patterns(void **state)
{
	moore_epid node[120];
	(void)state;

	for (uint32_t i = 0; i < 120; i++)
		node[i] = 1000 + i;
	for (enum moore_job_pattern p = 0; p < MOORE_N_JOB_PATTERNS; p++) {
		uint32_t n, sends[120] = { 0 }, takes[120] = { 0 };
		const char *name = moore_job_pattern_name(p);
		struct moore_flow *flow;

		assert_int_equal(moore_job_flows(&flow, &n, p, node, 120, 1, 7, NULL), 0);
		CHECK_EQ(name, n == 0, p == MOORE_JOB_UNIFORM ||
			 moore_job_pattern_kind(p) == MOORE_JOB_OF_SWITCHES);
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t from = flow[i].from - 1000, to = flow[i].to - 1000;

			CHECK(name, from < 120 && to < 120 && from != to);
			sends[from]++;
			takes[to]++;
			CHECK(name, p != MOORE_JOB_MESH || (from + 30 >= to && to + 30 >= from));
		}
		for (uint32_t i = 0; i < 120; i++) {
			/* 120 = 10 x 12 = 4 x 5 x 6 = 3 x 2 x 4 x 5 in some order */
			const uint32_t want = p == MOORE_JOB_PERMUTATION || p == MOORE_JOB_SHIFT ? 1 :
				p == MOORE_JOB_STENCIL2 ? 4 : p == MOORE_JOB_STENCIL3 ? 6 :
				p == MOORE_JOB_STENCIL4 ? 7 : p == MOORE_JOB_MANY ? 4 :
				p == MOORE_JOB_ALLTOALL ? 119 : 0;

			if (want) {
				CHECK_EQ(name, sends[i], want);
				CHECK_EQ(name, takes[i], want);
			} else {
				CHECK(name, sends[i] <= 20);
			}
		}
		free(flow);
	}
	CHECK("past the last", !moore_job_pattern_name(MOORE_N_JOB_PATTERNS));
}

/* The nodes of each switch send to those of one other switch, one to one; the worst pattern loads the tables of a Slim Fly
 * no less than the others do. */
static void
test_switch_patterns(void **state)
{
	struct moore_fabric *f = fabric_of_plan("slimfly", "q=5 p=3"), *tree = fabric_of_plan("oft", "k=3");
	struct moore_engine_result *result, *of_tree;
	double most[MOORE_N_JOB_PATTERNS] = { 0 };
	struct moore_conf conf;
	struct moore_flow *flow;
	struct moore_err err;
	uint32_t n;
	(void)state;

	moore_conf_defaults(&conf);
	assert_int_equal(moore_engine_run(&result, f, NULL, &conf, NULL, NULL, NULL), 0);
	assert_int_equal(moore_engine_run(&of_tree, tree, NULL, &conf, NULL, NULL, NULL), 0);
	for (enum moore_job_pattern p = MOORE_JOB_OVERLAP; p <= MOORE_JOB_WORST; p++) {
		const struct moore_predict_opts o = { .routing = MOORE_ROUTING_TABLES, .lft = result->lft };
		moore_swid to[50], from[50];
		struct moore_predicted predicted;

		assert_int_equal(moore_job_switch_flows(&flow, &n, p, f, result->lft, 1, NULL), 0);
		memset(to, 255, sizeof(to));
		memset(from, 255, sizeof(from));
		for (uint32_t i = 0; i < n; i++) {
			const moore_swid a = f->ep[flow[i].from].sw, b = f->ep[flow[i].to].sw;

			CHECK("one unit to another switch", a != b && flow[i].amount == 1);
			CHECK("to one switch", to[a] == MOORE_NONE || to[a] == b);
			CHECK("from one switch", from[b] == MOORE_NONE || from[b] == a);
			to[a] = b;
			from[b] = a;
		}
		assert_int_equal(moore_predict(&predicted, f, &(struct moore_traffic){ .flow = flow, .n_flows = n }, &o,
					       NULL), 0);
		for (uint32_t k = 0; k < f->n_ports; k++)
			most[p] = predicted.load[k] > most[p] ? predicted.load[k] : most[p];
		free(predicted.load);
		free(flow);
		CHECK_OOM(moore_job_pattern_name(p), moore_job_switch_flows(&flow, &n, p, f, result->lft, 1, NULL),
			  free(flow));
	}
	NEAR("two switches share a link", most[MOORE_JOB_OVERLAP], 6);
	CHECK("the worst", most[MOORE_JOB_WORST] >= most[MOORE_JOB_OVERLAP] && most[MOORE_JOB_WORST] >= most[MOORE_JOB_YEBENES]);
	CHECK_EQ("no Slim Fly", moore_job_switch_flows(&flow, &n, MOORE_JOB_YEBENES, tree, of_tree->lft, 1, &err),
		 -MOORE_EINVAL);
	CHECK_STR("no Slim Fly", err.text, "yebenes: no switch has one to send to");
	moore_engine_result_free(result);
	moore_engine_result_free(of_tree);
	moore_fabric_free(f);
	moore_fabric_free(tree);
}

/* Several processes on a node: what each pair of nodes exchanges is the sum over their processes, and what
 * stays on a node is left out. */
static void
test_per_node(void **state)
{
	enum { PER = 3, NODES = 40 };
	moore_epid each[NODES * PER], node[NODES];
	(void)state;

	for (uint32_t i = 0; i < NODES * PER; i++)
		each[i] = node[i / PER] = i / PER;
	for (enum moore_job_pattern p = MOORE_JOB_UNIFORM + 1; p < MOORE_N_JOB_PATTERNS; p++) {
		const char *name = moore_job_pattern_name(p);
		double sum[NODES][NODES] = { { 0 } };
		struct moore_flow *one, *joined;
		uint32_t n_one, n_joined;

		assert_int_equal(moore_job_flows(&one, &n_one, p, each, NODES * PER, 1, 7, NULL), 0);
		assert_int_equal(moore_job_flows(&joined, &n_joined, p, node, NODES * PER, PER, 7, NULL), 0);
		for (uint32_t i = 0; i < n_one; i++)
			if (one[i].from != one[i].to)
				sum[one[i].from][one[i].to] += one[i].amount;
		for (uint32_t i = 0; i < n_joined; i++) {
			CHECK(name, joined[i].from != joined[i].to && joined[i].amount >= 1);
			sum[joined[i].from][joined[i].to] -= joined[i].amount;
		}
		for (uint32_t i = 0; i < NODES * NODES; i++)
			NEAR(name, sum[i / NODES][i % NODES], 0);
		CHECK(name, n_joined <= n_one);
		free(one);
		free(joined);
	}
}

static void
test_placements(void **state)
{
	struct moore_fabric *f = fabric_of_plan("hyperx", "s1=6 s2=4 p=3");
	uint32_t cabinet[24], group[24];
	const struct moore_floor floor = { cabinet, group }, none = { NULL, NULL };
	bool taken[72] = { false };
	struct moore_err err;
	moore_epid node[72];
	(void)state;

	for (uint32_t s = 0; s < 24; s++) {
		cabinet[s] = s / 3;
		group[s] = s / 6;
	}
	for (enum moore_job_placement p = 0; p < MOORE_N_PLACEMENTS; p++) {
		const char *name = moore_job_placement_name(p);
		bool seen[72] = { false };

		assert_int_equal(moore_job_place(node, 72, f, &floor, NULL, p, 3, NULL), 0);
		for (uint32_t i = 0; i < 72; i++) {
			const moore_swid s = f->ep[node[i]].sw;
			const moore_swid before = i ? f->ep[node[i - 1]].sw : s;

			CHECK(name, !seen[node[i]]);
			seen[node[i]] = true;
			if (p == MOORE_PLACED_RDR)
				CHECK(name, i % 3 == 0 || s == before);
			if (p == MOORE_PLACED_RDC)
				CHECK(name, i % 9 == 0 || cabinet[s] == cabinet[before]);
			if (p == MOORE_PLACED_RDG)
				CHECK(name, i % 18 == 0 || group[s] == group[before]);
			if (p == MOORE_PLACED_RRN)
				CHECK_EQ(name, group[s], i % 4);
			if (p == MOORE_PLACED_RRR)
				CHECK_EQ(name, group[s], i / 3 % 4);
		}
		CHECK_EQ(name, moore_job_place(node, 73, f, &floor, NULL, p, 3, &err), -MOORE_EINVAL);
		CHECK_EQ(name, moore_job_place(node, 9, f, &none, NULL, p, 3, &err),
			 p == MOORE_PLACED_RDN || p == MOORE_PLACED_RDR || p == MOORE_PLACED_LINEAR ? 0 :
			 -MOORE_EINVAL);
	}
	taken[5] = true;
	assert_int_equal(moore_job_place(node, 71, f, &floor, taken, MOORE_PLACED_RDN, 3, NULL), 0);
	for (uint32_t i = 0; i < 71; i++)
		CHECK("free", node[i] != 5);
	assert_int_equal(moore_job_place(node, 72, f, &floor, taken, MOORE_PLACED_RDN, 3, &err), -MOORE_EINVAL);
	CHECK_STR("few", err.text, "72 nodes are needed, but 71 are free");
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sides),
		cmocka_unit_test(test_static), cmocka_unit_test(test_far), cmocka_unit_test(test_uniform), cmocka_unit_test(test_sample),
		cmocka_unit_test(test_balance), cmocka_unit_test(test_adapts),
		cmocka_unit_test(test_disconnected), cmocka_unit_test(test_adaptive_uniform),
		cmocka_unit_test(test_adaptive_direct), cmocka_unit_test(test_adaptive_workers), cmocka_unit_test(test_own_routing),
		cmocka_unit_test(test_patterns), cmocka_unit_test(test_switch_patterns),
		cmocka_unit_test(test_per_node), cmocka_unit_test(test_placements), cmocka_unit_test(test_oom), cmocka_unit_test(test_search),
		cmocka_unit_test(test_search_larger),
	};

	return cmocka_run_group_tests_name("predict", tests, NULL, NULL);
}

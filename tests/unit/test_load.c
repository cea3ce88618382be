// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_load.c - counters, hot links, their causes and the choice of paths: small cases by
 * hand, random ones against naive twins, and traffic whose senders are known. */
#include <time.h>

#include "harness.h"
#include "fabrics.h"
#include "moore/demand.h"
#include "moore/engine.h"
#include "moore/hot.h"
#include "moore/select.h"

#define TOP UINT64_MAX
#define WAITS (1u << MOORE_XMIT_WAIT)
#define DATA (1u << MOORE_XMIT_DATA)
#define DOWNS (1u << MOORE_LINK_DOWNED)

/* ---- counters ------------------------------------------------------------------------ */

static const struct {
	const char *why;
	enum moore_counter c;
	uint64_t at[2], v[2];	/* microseconds, values */
	uint32_t has[2];
	bool known, restarted;
	uint64_t delta;
} deltas[] = {
	{ "plain", MOORE_XMIT_DATA, { 1, 1000001 }, { 5, 9 }, { DATA, DATA }, true, false, 4 },
	{ "nothing moved", MOORE_XMIT_DATA, { 1, 2 }, { 5, 5 }, { DATA, DATA }, true, false, 0 },
	{ "64 bits begin again", MOORE_XMIT_DATA, { 1, 2 }, { TOP - 1, 3 }, { DATA, DATA }, true, false, 5 },
	{ "set back: counts since", MOORE_XMIT_DATA, { 1, 2 }, { 1000000, 7 }, { DATA, DATA }, true, true, 7 },
	{ "set back to nothing", MOORE_XMIT_DATA, { 1, 2 }, { 1000000, 0 }, { DATA, DATA }, true, true, 0 },
	{ "the first reading lacks it", MOORE_XMIT_DATA, { 1, 2 }, { 5, 9 }, { 0, DATA }, false, false, 0 },
	{ "the second lacks it", MOORE_XMIT_DATA, { 1, 2 }, { 5, 9 }, { DATA, 0 }, false, false, 0 },
	{ "no first answer", MOORE_XMIT_DATA, { 0, 2 }, { 5, 9 }, { DATA, DATA }, false, false, 0 },
	{ "no second answer", MOORE_XMIT_DATA, { 1, 0 }, { 5, 9 }, { DATA, DATA }, false, false, 0 },
	{ "the same reading twice", MOORE_XMIT_DATA, { 2, 2 }, { 5, 9 }, { DATA, DATA }, false, false, 0 },
	{ "out of order", MOORE_XMIT_DATA, { 3, 2 }, { 5, 9 }, { DATA, DATA }, false, false, 0 },
	{ "32 bits begin again", MOORE_XMIT_WAIT, { 1, 2 }, { 0xfffffff0, 0x10 }, { WAITS, WAITS }, true, false, 0x20 },
	{ "32 bits set back", MOORE_XMIT_WAIT, { 1, 2 }, { 0x80000000, 0x10 }, { WAITS, WAITS }, true, true, 0x10 },
	{ "32 bits at their top", MOORE_XMIT_WAIT, { 1, 2 }, { 0xfffffff0, 0xffffffff }, { WAITS, WAITS }, false, false, 0 },
	{ "32 bits that are 64", MOORE_XMIT_WAIT, { 1, 2 }, { 0xfffffff0, 0x1fffffff0 }, { WAITS, WAITS }, true, false, 0x100000000 },
	{ "wide and set back", MOORE_XMIT_WAIT, { 1, 2 }, { 0x1fffffff0, 5 }, { WAITS, WAITS }, true, true, 5 },
	{ "8 bits at their top", MOORE_LINK_DOWNED, { 1, 2 }, { 254, 255 }, { DOWNS, DOWNS }, false, false, 0 },
	{ "8 bits never wrap", MOORE_LINK_DOWNED, { 1, 2 }, { 250, 2 }, { DOWNS, DOWNS }, true, true, 2 },
};

static void
counters(void **state)
{
	static const struct moore_line line = { 100, 8 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(deltas); i++) {
		struct moore_reading r[2] = { { deltas[i].at[0], deltas[i].has[0], { 0 } },
					      { deltas[i].at[1], deltas[i].has[1], { 0 } } };
		struct moore_port_traffic out;

		r[0].v[deltas[i].c] = deltas[i].v[0];
		r[1].v[deltas[i].c] = deltas[i].v[1];
		moore_traffic_between(&out, &r[0], &r[1], &line);
		CHECK_EQ(deltas[i].why, out.has >> deltas[i].c & 1, deltas[i].known);
		CHECK_EQ(deltas[i].why, out.restarted, deltas[i].restarted);
		if (deltas[i].known)
			CHECK_EQ(deltas[i].why, out.delta[deltas[i].c], deltas[i].delta);
	}
}

static bool
near(double a, double b)
{
	return a > b - 1e-6 && a < b + 1e-6;
}

static void
shares(void **state)
{
	struct moore_reading a = { 1000000, DATA | WAITS, { 0 } }, b = a;
	struct moore_line line = { moore_rate_bytes((struct moore_rate){ 4, 6 }), 8 };
	struct moore_port_traffic r;

	(void)state;
	assert_true(near(line.bytes_per_s, 12.5e9));		/* 4x EDR */
	b.at_us += 2500000;					/* an uneven interval: 2.5 s */
	b.v[MOORE_XMIT_DATA] = (uint64_t)(0.4 * 2.5 * 12.5e9 / 4);
	b.v[MOORE_XMIT_WAIT] = (uint64_t)(0.1 * 2.5 * 12.5e9 / 8);
	moore_traffic_between(&r, &a, &b, &line);
	assert_true(near(r.seconds, 2.5) && near(r.tx, 0.4) && near(r.wait, 0.1));
	assert_true(r.rx < 0);
	b.v[MOORE_XMIT_DATA] *= 9;
	moore_traffic_between(&r, &a, &b, &line);
	assert_true(near(r.tx, 1));		/* capped at what the link can carry */
	line.bytes_per_s = 0;
	moore_traffic_between(&r, &a, &b, &line);
	assert_true(r.tx < 0 && r.wait < 0 && r.has == (DATA | WAITS));
	assert_true(moore_rate_bytes((struct moore_rate){ 0, 0 }) < 1e-9);
}

/* ---- statistics ------------------------------------------------------------------------- */

static int
cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
naive_median(double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), cmp);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void
spreads(void **state)
{
	struct moore_rng r = { test_seed() };
	struct moore_summary s;
	double v[40], w[40];

	(void)state;
	moore_summarize(&s, v, 0);
	assert_int_equal(s.n, 0);
	for (unsigned round = 0; round < test_rounds(2000); round++) {
		unsigned n = 1 + moore_rng_below(&r, 39), wide = 1 + moore_rng_below(&r, 30);
		double m, sum = 0;

		for (unsigned i = 0; i < n; i++)
			sum += v[i] = w[i] = (double)moore_rng_below(&r, wide);
		moore_summarize(&s, v, n);
		m = naive_median(w, n);
		CHECK("median", near(s.median, m));
		CHECK("mean", near(s.mean, sum / n));
		CHECK("ends", near(s.min, w[0]) && near(s.max, w[n - 1]));
		CHECK("quartiles in order", s.q1 <= m && m <= s.q3 && s.q1 >= s.min && s.q3 <= s.max);
		for (unsigned i = 0; i < n; i++)
			w[i] = w[i] > m ? w[i] - m : m - w[i];
		CHECK("mad", near(s.mad, naive_median(w, n)));
	}
}

/* ---- estimating the traffic between switches ------------------------------------- */

/* A fabric with the engine's routes. */
struct routed {
	struct moore_fabric *f;
	struct moore_engine_result *r;
};

static struct routed
route_family(const char *family, const char *params, uint8_t lmc)
{
	struct routed x = { test_family(family, params, lmc), NULL };
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	if (moore_engine_run(&x.r, x.f, NULL, &conf, NULL, NULL, &err) < 0)
		fail_msg("%s %s: %s", family, params, err.text);
	return x;
}

static void
unroute(struct routed *x)
{
	moore_engine_result_free(x->r);
	moore_fabric_free(x->f);
}

/* Follows the route, independently of the library: adds bytes from endpoint a to offset k
 * of endpoint b. */
static void
send(const struct routed *x, double *tx, double *rx, moore_epid a, moore_epid b, unsigned k,
     double bytes)
{
	const struct moore_endpoint *from = &x->f->ep[a], *to = &x->f->ep[b];
	moore_swid s = from->sw;

	rx[x->f->sw[s].port0 + from->port] += bytes;
	for (unsigned hops = 0; hops < 20; hops++) {
		uint8_t out = moore_lft_row(x->r->lft, s)[to->lid + k];
		const struct moore_port *p = moore_fabric_port(x->f, s, out);

		tx[x->f->sw[s].port0 + out] += bytes;
		if (p->role == MOORE_ROLE_ENDPOINT)
			return;
		rx[x->f->sw[p->peer].port0 + p->peer_port] += bytes;
		s = p->peer;
	}
	fail_msg("a route runs in circles");
}

struct heavy {
	moore_epid a, b;
	unsigned k;
};

#define FULL 12.5e9

/* All endpoints send to all others on offset 0, each pair up to half more or less than
 * `each`; then the heavy pairs are added. */
static void
traffic(const struct routed *x, struct moore_rng *r, double *tx, double *rx, double each,
	struct heavy *h, unsigned n, double bytes, unsigned offsets)
{
	uint32_t n_ep = x->f->n_endpoints;

	memset(tx, 0, x->f->n_ports * sizeof(*tx));
	memset(rx, 0, x->f->n_ports * sizeof(*rx));
	for (moore_epid a = 0; a < n_ep; a++)
		for (moore_epid b = 0; b < n_ep; b++)
			if (a != b)
				send(x, tx, rx, a, b, 0, each * FULL / n_ep *
				     (0.5 + moore_rng_below(r, 1001) / 1000.0));
	for (unsigned i = 0; i < n; i++) {
		do {
			h[i].a = moore_rng_below(r, n_ep);
			h[i].b = moore_rng_below(r, n_ep);
		} while (x->f->ep[h[i].a].sw == x->f->ep[h[i].b].sw);
		h[i].k = moore_rng_below(r, offsets);
		send(x, tx, rx, h[i].a, h[i].b, h[i].k, bytes);
	}
}

static bool
named(const struct moore_cause *c, const struct routed *x, const struct heavy *h, unsigned top)
{
	for (unsigned i = 0; i < c->n_suspects && i < top; i++)
		if (c->suspect[i].from == x->f->ep[h->a].sw && c->suspect[i].to == x->f->ep[h->b].sw)
			return true;
	return false;
}

static const struct {
	const char *why, *params;
	uint8_t lmc;
	unsigned offsets;	/* offsets that heavy flows use */
	double each, bytes;	/* background of an endpoint, and one heavy flow, as shares of a
				 * link */
	unsigned n, seeds;
} pairs[] = {
	{ "base LIDs", "q=13 p=9", 0, 1, 0.2, 0.5, 10, 3 },
	{ "twice as many LIDs, half of them never used", "q=13 p=9", 1, 1, 0.2, 0.5, 10, 1 },
	{ "heavy ones on any offset", "q=13 p=9", 1, 2, 0.2, 0.5, 10, 2 },
	{ "four LIDs each, heavy ones on any", "q=13 p=9", 2, 4, 0.2, 0.5, 10, 1 },
	{ "as heavy as an endpoint's share of the rest", "q=13 p=9", 0, 1, 0.2, 0.2, 10, 2 },
	{ "sixty heavy ones", "q=13 p=9", 0, 1, 0.2, 0.3, 60, 2 },
	{ "nothing else", "q=13 p=9", 0, 1, 0, 0.5, 10, 1 },
};

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* First suspects by tenths of certainty: how many there are, and how many are a heavy pair. */
static unsigned sure[11], right[11];

static void
judge_first(const struct routed *x, const struct moore_cause *c, const struct heavy *h, unsigned n)
{
	unsigned tenth = c->n_suspects ? (unsigned)(c->suspect[0].certainty * 10) : 0;

	sure[tenth]++;
	for (unsigned i = 0; i < n; i++)
		if (named(c, x, &h[i], 1)) {
			right[tenth]++;
			return;
		}
}

/* True if h[i] is among the first three suspects of each link between switches on its
 * route. */
static bool
named_everywhere(const struct routed *x, const struct moore_demand *d,
		 const struct moore_line *line, const struct heavy *h, unsigned n, unsigned i)
{
	moore_swid s = x->f->ep[h[i].a].sw;
	moore_lid lid = (moore_lid)(x->f->ep[h[i].b].lid + h[i].k);
	bool good = true;

	while (s != x->f->ep[h[i].b].sw) {
		uint32_t port = x->f->sw[s].port0 + moore_lft_row(x->r->lft, s)[lid];
		struct moore_cause c;

		assert_int_equal(moore_cause_of(&c, d, port, line, NULL), 0);
		good = good && named(&c, x, &h[i], 3);
		judge_first(x, &c, h, n);
		s = x->f->port[port].peer;
	}
	return good;
}

static void
one_seed(const struct routed *x, size_t row, uint64_t seed, const struct moore_line *line)
{
	double *tx = calloc(x->f->n_ports, sizeof(*tx)), *rx = calloc(x->f->n_ports, sizeof(*rx));
	struct moore_rng r = { seed };
	struct moore_demand *d;
	struct heavy h[60];
	unsigned found = 0;
	double misfit, took;

	traffic(x, &r, tx, rx, pairs[row].each, h, pairs[row].n, pairs[row].bytes * FULL,
		pairs[row].offsets);
	took = seconds();
	assert_int_equal(moore_demand_estimate(&d, x->f, x->r->lft, &(struct moore_loads){ tx, rx },
					       &misfit, NULL), 0);
	took = seconds() - took;
	for (unsigned j = 0; j < pairs[row].n; j++)
		found += named_everywhere(x, d, line, h, pairs[row].n, j);
	print_message("# %s: seed %llu: %u of %u pairs named on each of their links; %.2f s of a processor, misfit "
		      "%.4f\n", pairs[row].why, (unsigned long long)seed, found, pairs[row].n, took,
		      misfit);
	CHECK(pairs[row].why, found * 10 >= 9 * pairs[row].n);
	moore_demand_free(d);
	free(tx);
	free(rx);
}

static void
hot_pairs(void **state)
{
	uint64_t seed = test_seed();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i += test_stride()) {
		struct routed x = route_family("slimfly", pairs[i].params, pairs[i].lmc);
		struct moore_line *line = calloc(x.f->n_ports, sizeof(*line));

		for (uint32_t p = 0; p < x.f->n_ports; p++)
			line[p] = (struct moore_line){ FULL, 8 };
		for (unsigned k = 0; k < test_rounds(pairs[i].seeds); k++)
			one_seed(&x, i, seed + k, line);
		free(line);
		unroute(&x);
	}
	for (unsigned i = 0; i < ARRAY_LEN(sure); i++)
		if (sure[i])
			print_message("# certainty from %.1f: %u of %u first suspects are heavy pairs\n",
				      i / 10.0, right[i], sure[i]);
}

/* ---- small fabrics, by brute force ----------------------------------------------- */

/* Random tables: for each LID a random spanning tree that grows from the destination. */
static struct moore_lft *
random_tables(struct moore_rng *r, const struct moore_fabric *f)
{
	struct moore_lft *lft = NULL;

	assert_int_equal(moore_lft_new(&lft, f->n_switches, f->lid_top, NULL), 0);
	for (uint32_t s = 0; s < f->n_switches; s++)
		memset(moore_lft_row(lft, s), MOORE_NO_PATH, lft->stride);
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		for (unsigned k = 0; k < 1u << f->ep[e].lmc; k++) {
			unsigned lid = f->ep[e].lid + k, left = f->n_switches - 1;

			moore_lft_row(lft, f->ep[e].sw)[lid] = f->ep[e].port;
			while (left) {		/* a link from a switch outside the tree to one
						 * inside */
				moore_swid s = moore_rng_below(r, f->n_switches);
				unsigned n = 1 + moore_rng_below(r, f->sw[s].n_ports);
				const struct moore_port *p = moore_fabric_port(f, s, (moore_portnum)n);

				if (p->role != MOORE_ROLE_SWITCH ||
				    moore_lft_row(lft, s)[lid] != MOORE_NO_PATH ||
				    moore_lft_row(lft, p->peer)[lid] == MOORE_NO_PATH)
					continue;
				moore_lft_row(lft, s)[lid] = (uint8_t)n;
				left--;
			}
		}
	return lft;
}

/* Follows a route independently of the library: returns its number of links, or 0 if there
 * is no route. */
static unsigned
walk(const struct moore_fabric *f, const struct moore_lft *lft, moore_swid s, unsigned lid,
     uint32_t *port)
{
	for (unsigned n = 0; n < 60;) {
		uint8_t out = moore_lft_row(lft, s)[lid];

		if (out == MOORE_NO_PATH)
			return 0;
		port[n++] = f->sw[s].port0 + out;
		if (f->port[port[n - 1]].role == MOORE_ROLE_ENDPOINT)
			return n;
		s = f->port[port[n - 1]].peer;
	}
	return 0;
}

static void
check_routes(const struct moore_fabric *f, const struct moore_lft *lft, const struct moore_cause *c)
{
	uint64_t want[MOORE_N_OFFSETS] = { 0 };
	uint8_t *hosts = calloc(f->n_switches + 1, 1);
	uint32_t port[64];

	for (moore_epid e = 0; e < f->n_endpoints; e++)
		hosts[f->ep[e].sw] = 1;
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		for (unsigned k = 0; k < 1u << f->ep[e].lmc; k++)
			for (moore_swid s = 0; s < f->n_switches; s++) {
				unsigned n = hosts[s] ? walk(f, lft, s, f->ep[e].lid + k, port) : 0;

				for (unsigned i = 0; i < n; i++)
					want[k] += port[i] == c->port;
			}
	for (unsigned k = 0; k < c->n_offsets; k++)
		CHECK_EQ("routes over the link", c->routes[k], want[k]);
	free(hosts);
}

/* If only one pair sends, it is the only suspect, with all of the load. */
static void
one_pair(struct moore_rng *r, const struct moore_fabric *f, const struct moore_lft *lft)
{
	double *tx = calloc(f->n_ports, sizeof(*tx)), *rx = calloc(f->n_ports, sizeof(*rx));
	struct moore_line *line = calloc(f->n_ports, sizeof(*line));
	moore_epid a = moore_rng_below(r, f->n_endpoints), b = moore_rng_below(r, f->n_endpoints);
	unsigned k = moore_rng_below(r, 1u << f->ep[b].lmc), n;
	struct moore_demand *d;
	struct moore_cause c;
	uint32_t port[64];

	n = walk(f, lft, f->ep[a].sw, f->ep[b].lid + k, port);
	rx[f->sw[f->ep[a].sw].port0 + f->ep[a].port] += 1e9;
	for (unsigned i = 0; i < n; i++)
		tx[port[i]] += 1e9;
	for (uint32_t i = 0; i < f->n_ports; i++)	/* the load is also known from the
							 * counters of the other end */
		if (f->port[i].role == MOORE_ROLE_SWITCH)
			rx[f->sw[f->port[i].peer].port0 + f->port[i].peer_port] = tx[i];
	if (n > 1)
		tx[port[0]] = -1;
	assert_int_equal(moore_demand_estimate(&d, f, lft, &(struct moore_loads){ tx, rx }, NULL, NULL), 0);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(moore_cause_of(&c, d, port[i], line, NULL), 0);
		CHECK("the link's load is known", near(c.load, 1e9));
		CHECK("a suspect", c.n_suspects == 1);
		CHECK_EQ("from", c.suspect[0].from, f->ep[a].sw);
		CHECK_EQ("to", c.suspect[0].to, f->ep[b].sw);
		CHECK_EQ("source", c.suspect[0].source, a);
		CHECK_EQ("dest", c.suspect[0].dest, b);
		CHECK("all of it", c.suspect[0].share > 0.95 && c.suspect[0].certainty > 0.95);
		check_routes(f, lft, &c);
	}
	moore_demand_free(d);
	free(tx);
	free(rx);
	free(line);
}

static double
queue(const struct moore_use *u)
{
	double b = (u->load > 0 ? u->load : 0) + (u->wait > 0 ? u->wait : 0);

	b = b > 0.99 ? 0.99 : b;
	return b / (1 - b);
}

/* The path comparison, written again from its definition. */
static void
check_choice(const struct moore_fabric *f, const struct moore_lft *lft, const struct moore_use *use,
	     const struct moore_ugal *u, const struct moore_choice *c)
{
	unsigned least = 1000, hops[8];
	double q[8], q_min = 1e9, best = 1e9;
	uint32_t port[64];

	for (unsigned k = 0; k < c->n_offsets; k++) {
		unsigned n = walk(f, lft, c->from, f->ep[c->ep].lid + k, port);

		hops[k] = n - 1;
		q[k] = 0;
		for (unsigned i = 0; i + 1 < n && !(u->local && i); i++)
			q[k] = queue(&use[port[i]]) > q[k] ? queue(&use[port[i]]) : q[k];
		CHECK("queue", near(q[k], c->queue[k]));
		least = hops[k] < least ? hops[k] : least;
	}
	for (unsigned k = 0; k < c->n_offsets; k++)
		if (hops[k] == least && q[k] < q_min)
			q_min = q[k];
	for (unsigned k = 0; k < c->n_offsets; k++) {
		double cost = u->weight * q[k] * (u->by_hops && least ? (double)hops[k] / least : 1);

		if (hops[k] > least && least && cost < best)
			best = cost;
	}
	CHECK("minimal unless another is cheaper by the threshold",
	      c->minimal == !(best < q_min - u->threshold));
	CHECK("of the least hops", !c->minimal || (hops[c->offset] == least && near(q[c->offset], q_min)));
	CHECK("of the least cost", c->minimal || near(best, u->weight * q[c->offset] *
	      (u->by_hops ? (double)hops[c->offset] / least : 1)));
}

static void
choices(struct moore_rng *r, const struct moore_fabric *f, const struct moore_lft *lft)
{
	struct moore_use *use = calloc(f->n_ports, sizeof(*use));
	struct moore_line *line = calloc(f->n_ports, sizeof(*line));
	const struct moore_ugal *u;

	for (uint32_t i = 0; i < f->n_ports; i++) {
		use[i] = (struct moore_use){ moore_rng_below(r, 12) / 10.0 - 0.1,
					     moore_rng_below(r, 4) / 10.0 };
		line[i].bytes_per_s = 1e9;
	}
	for (size_t k = 0; (u = moore_ugal_at(k)); k++)
		for (moore_epid e = 0; e < f->n_endpoints; e++) {
			struct moore_choice c = { .from = moore_rng_below(r, f->n_switches), .ep = e };

			assert_int_equal(moore_path_select(f, lft, line, use, u, &c, 1, NULL), 0);
			check_choice(f, lft, use, u, &c);
		}
	free(use);
	free(line);
}

static void
small(void **state)
{
	struct moore_rng r = { test_seed() };

	(void)state;
	for (unsigned round = 0; round < test_rounds(200); round++) {
		struct moore_fabric *f = test_random_fabric(&r, 2 + moore_rng_below(&r, 9),
							    moore_rng_below(&r, 12),
							    (uint8_t)moore_rng_below(&r, 3));
		struct moore_lft *lft = random_tables(&r, f);

		if (f->n_endpoints) {
			one_pair(&r, f, lft);
			choices(&r, f, lft);
		}
		moore_lft_free(lft);
		moore_fabric_free(f);
	}
}

/* A square: a choice counts as load for the next one, so that equal paths share the
 * traffic. */
static void
choices_spread(void **state)
{
	static const struct moore_topo_link square[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 } };
	static const uint16_t one[4] = { 1, 1, 1, 1 };
	struct moore_fabric *f = test_fabric(4, square, 4, one, 1);
	struct moore_use use[16] = { { 0, 0 } };
	struct moore_line line[16];
	struct moore_choice c[4];
	struct moore_lft *lft;
	unsigned n[2] = { 0, 0 };

	(void)state;
	assert_int_equal(moore_lft_new(&lft, 4, f->lid_top, NULL), 0);
	for (unsigned k = 0; k < 2; k++) {	/* to switch 2: offset 0 over switch 1, offset 1
						 * over switch 3 */
		unsigned lid = f->ep[2].lid + k;

		moore_lft_row(lft, 0)[lid] = k ? 3 : 2;
		moore_lft_row(lft, 1)[lid] = 3;
		moore_lft_row(lft, 3)[lid] = 2;
		moore_lft_row(lft, 2)[lid] = 1;
	}
	for (unsigned i = 0; i < 16; i++)
		line[i] = (struct moore_line){ 1e9, 8 };
	for (unsigned i = 0; i < 4; i++)
		c[i] = (struct moore_choice){ .from = 0, .ep = 2, .bytes = 2e8 };
	assert_int_equal(moore_path_select(f, lft, line, use, moore_ugal_at(0), c, 4, NULL), 0);
	for (unsigned i = 0; i < 4; i++)
		n[c[i].offset]++;
	assert_int_equal(n[0], 2);
	assert_int_equal(n[1], 2);
	c[0].ep = 99;
	assert_int_equal(moore_path_select(f, lft, line, use, moore_ugal_at(0), c, 1, NULL), -MOORE_EINVAL);
	moore_lft_free(lft);
	moore_fabric_free(f);
}

static void
no_memory(void **state)
{
	struct moore_rng r = { 5 };
	struct moore_fabric *f = test_random_fabric(&r, 8, 8, 1);
	struct moore_lft *lft = random_tables(&r, f);
	double *v = calloc(f->n_ports, sizeof(*v));
	struct moore_line *line = calloc(f->n_ports, sizeof(*line));
	struct moore_hot_port *port = calloc(f->n_ports, sizeof(*port));
	struct moore_demand *d;
	struct moore_hot *h, *kept;
	struct moore_cause c;

	(void)state;
	for (uint32_t i = 0; i < f->n_ports; i++)
		v[i] = i;
	CHECK_OOM("estimate", moore_demand_estimate(&d, f, lft, &(struct moore_loads){ v, v }, NULL, NULL),
		  (void)0);
	CHECK_OOM("cause", moore_cause_of(&c, d, f->sw[0].port0 + 1, line, NULL), (void)0);
	assert_int_equal(moore_cause_of(&c, d, 0, line, NULL), -MOORE_EINVAL);
	assert_int_equal(moore_cause_of(&c, d, f->n_ports, line, NULL), -MOORE_EINVAL);
	CHECK_OOM("new", moore_hot_new(&h, f, NULL), moore_hot_free(h));
	assert_int_equal(moore_hot_new(&kept, f, NULL), 0);
	CHECK_OOM("step", moore_hot_step(kept, f, port, 1, NULL, NULL, NULL), (void)0);
	CHECK_OOM("move", moore_hot_move(kept, f, f, 1, NULL, NULL, NULL), (void)0);
	moore_hot_free(kept);
	moore_demand_free(d);
	free(port);
	free(line);
	free(v);
	moore_lft_free(lft);
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters),
		cmocka_unit_test(shares),
		cmocka_unit_test(spreads),
		cmocka_unit_test(hot_pairs),
		cmocka_unit_test(small),
		cmocka_unit_test(choices_spread),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

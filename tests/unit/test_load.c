// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_load.c - counters, hot links, their causes, path choice: by hand on small cases,
 * against naive twins on random ones, and with traffic of which we know who sends. */
#include <time.h>

#include "harness.h"
#include "fabrics.h"
#include "moore/engine.h"
#include "moore/load.h"

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
		struct moore_port_rate out;

		r[0].v[deltas[i].c] = deltas[i].v[0];
		r[1].v[deltas[i].c] = deltas[i].v[1];
		moore_rate_of(&out, &r[0], &r[1], &line);
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
	struct moore_port_rate r;

	(void)state;
	assert_true(near(line.bytes_per_s, 12.5e9));		/* 4x EDR */
	b.at_us += 2500000;					/* uneven: 2.5 s */
	b.v[MOORE_XMIT_DATA] = (uint64_t)(0.4 * 2.5 * 12.5e9 / 4);
	b.v[MOORE_XMIT_WAIT] = (uint64_t)(0.1 * 2.5 * 12.5e9 / 8);
	moore_rate_of(&r, &a, &b, &line);
	assert_true(near(r.seconds, 2.5) && near(r.tx, 0.4) && near(r.wait, 0.1));
	assert_true(r.rx < 0);
	b.v[MOORE_XMIT_DATA] *= 9;
	moore_rate_of(&r, &a, &b, &line);
	assert_true(near(r.tx, 1));		/* more than it carries is all of it */
	line.bytes_per_s = 0;
	moore_rate_of(&r, &a, &b, &line);
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
	struct moore_load_spread s;
	double v[40], w[40];

	(void)state;
	moore_load_spread(&s, v, 0);
	assert_int_equal(s.n, 0);
	for (unsigned round = 0; round < test_rounds(2000); round++) {
		unsigned n = 1 + moore_rng_below(&r, 39), wide = 1 + moore_rng_below(&r, 30);
		double m, sum = 0;

		for (unsigned i = 0; i < n; i++)
			sum += v[i] = w[i] = (double)moore_rng_below(&r, wide);
		moore_load_spread(&s, v, n);
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

/* ---- who sends to whom --------------------------------------------------------------------- */

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

/* The walk of this test, of its own: add bytes from endpoint a to endpoint b's offset. */
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

/* Everybody to everybody on offset 0, up to half more or less; then the heavy ones. */
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
	unsigned offsets;	/* that heavy flows are on */
	double each, bytes;	/* background of an endpoint; a heavy flow: shares of a link */
	unsigned seeds;
} pairs[] = {
	{ "base LIDs", "q=13 p=9", 0, 1, 0.2, 0.5, 3 },
	{ "twice as many, half of them never used", "q=13 p=9", 1, 1, 0.2, 0.5, 2 },
	{ "heavy ones on any offset", "q=13 p=9", 1, 2, 0.2, 0.5, 2 },
	{ "as heavy as an endpoint's share of the rest", "q=13 p=9", 0, 1, 0.2, 0.2, 2 },
};

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* On each link between switches of its route: among the first three? */
static unsigned
links_named(const struct routed *x, const struct moore_demand *d, const struct moore_line *line,
	    const struct heavy *h, unsigned *n, unsigned *right, unsigned *sure)
{
	moore_swid s = x->f->ep[h->a].sw;
	moore_lid lid = (moore_lid)(x->f->ep[h->b].lid + h->k);
	unsigned good = 0;

	for (*n = 0; s != x->f->ep[h->b].sw; ++*n) {
		uint32_t port = x->f->sw[s].port0 + moore_lft_row(x->r->lft, s)[lid];
		struct moore_cause c;

		assert_int_equal(moore_cause_of(&c, d, port, line, NULL), 0);
		good += named(&c, x, h, 3);
		if (c.n_suspects && c.suspect[0].certainty >= 0.5) {
			++*sure;
			*right += named(&c, x, h, 1);
		}
		s = x->f->port[port].peer;
	}
	return good;
}

static void
hot_pairs(void **state)
{
	uint64_t seed = test_seed();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		struct routed x = route_family("slimfly", pairs[i].params, pairs[i].lmc);
		double *tx = calloc(x.f->n_ports, sizeof(*tx)), *rx = calloc(x.f->n_ports, sizeof(*rx));
		struct moore_line *line = calloc(x.f->n_ports, sizeof(*line));

		for (uint32_t p = 0; p < x.f->n_ports; p++)
			line[p] = (struct moore_line){ FULL, 8 };
		for (unsigned k = 0; k < pairs[i].seeds; k++) {
			struct moore_rng r = { seed + k };
			struct heavy h[10];
			struct moore_demand *d;
			unsigned found = 0, n, right = 0, sure = 0;
			double misfit, start;

			traffic(&x, &r, tx, rx, pairs[i].each, h, 10, pairs[i].bytes * FULL,
				pairs[i].offsets);
			start = seconds();
			assert_int_equal(moore_demand_estimate(&d, x.f, x.r->lft,
				&(struct moore_loads){ tx, rx }, &misfit, NULL), 0);
			start = seconds() - start;
			for (unsigned j = 0; j < 10; j++)
				found += links_named(&x, d, line, &h[j], &n, &right, &sure) == n;
			print_message("# %s, seed %llu: %u of 10 named on all their links; of %u first "
				      "suspects of certainty 0.5 or more %u were right; %.2f s, misfit "
				      "%.4f\n", pairs[i].why, (unsigned long long)(seed + k), found, sure,
				      right, start, misfit);
			CHECK(pairs[i].why, found >= 9);
			moore_demand_free(d);
		}
		free(tx);
		free(rx);
		free(line);
		unroute(&x);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters),
		cmocka_unit_test(shares),
		cmocka_unit_test(spreads),
		cmocka_unit_test(hot_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

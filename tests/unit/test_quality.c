// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_quality.c - the quality report against cases counted by hand and against a naive
 * twin.  The twin follows each route alone, finds distances by Floyd and Warshall, and
 * disjoint routes by trying every subset. */
#include "harness.h"
#include "fabrics.h"
#include "moore/quality.h"

/* ---- by hand --------------------------------------------------------------- */

/* A square 0-1-2-3 with an endpoint on port 1 of each switch.  test_fabric() puts the
 * links, in the order below, on the next free ports. */
static const struct moore_topo_link square[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 } };

static uint8_t
port_to(const struct moore_fabric *f, moore_swid s, moore_swid n)
{
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

		if (q->role == MOORE_ROLE_SWITCH && q->peer == n)
			return (uint8_t)p;
	}
	return MOORE_NO_PATH;
}

/* Makes tables in which each hop at offset k goes step[k] switches ahead: 1, or 3 (back). 0
 * is the shorter way, ahead if both are equal; 9 leaves the LID without a route. */
static struct moore_quality *
square_quality(uint8_t lmc, const char *step, struct moore_fabric **f)
{
	static const uint16_t one[4] = { 1, 1, 1, 1 };
	struct moore_quality *q = NULL;
	struct moore_lft *lft = NULL;
	struct moore_err err = { 0 };

	*f = test_fabric(4, square, 4, one, lmc);
	assert_int_equal(moore_lft_new(&lft, 4, (*f)->lid_top, NULL), 0);
	for (moore_epid e = 0; e < 4; e++)
		for (unsigned k = 0; k < 1u << lmc; k++)
			for (moore_swid s = 0; s < 4; s++) {
				unsigned ahead = (4 + (*f)->ep[e].sw - s) % 4;
				unsigned by = step[k] == '0' ? (ahead == 3 ? 3 : 1) :
					      (unsigned)(step[k] - '0');

				moore_lft_row(lft, s)[(*f)->ep[e].lid + k] = by == 9 ?
					MOORE_NO_PATH : !ahead ? (*f)->ep[e].port :
					port_to(*f, s, (s + by) % 4);
			}
	if (moore_quality_measure(&q, *f, lft, &err) < 0)
		fail_msg("%s", err.text);
	moore_lft_free(lft);
	return q;
}

static const struct row {
	const char *why;
	uint8_t lmc;
	const char *step;		/* one character for each offset */
	uint64_t longer[3];		/* pairs with a longer route in some offset */
	uint64_t disjoint[3];
	uint64_t hops[4];		/* of the last offset */
	uint64_t longer_last, three_last, no_route_last;
	unsigned min, max;		/* load, over all offsets */
	unsigned worst_disjoint, worst_hops;
} rows[] = {
	/* 12 pairs: 8 are at distance one, 4 at distance two */
	{ "shortest: nothing longer, one route each", 0, "0",
	  { 0, 0, 0 }, { 0, 12, 0 }, { 0, 8, 4, 0 }, 0, 0, 0, 1, 3, 1, 2 },
	{ "all ahead: pairs one back take three hops", 0, "1",
	  { 4, 4, 0 }, { 0, 12, 0 }, { 0, 4, 4, 4 }, 4, 0, 0, 0, 6, 1, 3 },
	{ "ahead and back: every pair has two disjoint routes", 1, "13",
	  { 8, 8, 0 }, { 0, 0, 12 }, { 0, 4, 4, 4 }, 4, 0, 0, 6, 6, 2, 3 },
	{ "the same twice is one route", 1, "11",
	  { 4, 4, 0 }, { 0, 12, 0 }, { 0, 4, 4, 4 }, 4, 0, 0, 0, 12, 1, 3 },
	{ "an offset without routes", 1, "19",
	  { 4, 4, 0 }, { 0, 12, 0 }, { 0, 0, 0, 0 }, 0, 0, 12, 0, 6, 1, 3 },
	{ "no route at all", 0, "9",
	  { 0, 0, 0 }, { 12, 0, 0 }, { 0, 0, 0, 0 }, 0, 0, 12, 0, 0, 0, 0 },
	{ "eight offsets, counted exactly", 3, "11113333",
	  { 8, 8, 0 }, { 0, 0, 12 }, { 0, 4, 4, 4 }, 4, 0, 0, 24, 24, 2, 3 },
	{ "sixteen, greedily", 4, "1111333311113333",
	  { 8, 8, 0 }, { 0, 0, 12 }, { 0, 4, 4, 4 }, 4, 0, 0, 48, 48, 2, 3 },
};

static void
by_hand(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *r = &rows[i];
		struct moore_fabric *f;
		struct moore_quality *q = square_quality(r->lmc, r->step, &f);
		const struct moore_quality_offset *last = &q->offset[q->n_offsets - 1];

		CHECK_EQ(r->why, q->n_offsets, 1 << r->lmc);
		CHECK_EQ(r->why, q->n_links, 8);
		CHECK_EQ(r->why, q->n_sources, 4);
		CHECK_EQ(r->why, q->pairs.n[0], 12);
		CHECK_EQ(r->why, q->pairs.n[1], 8);
		CHECK_EQ(r->why, q->pairs.n[2], 4);
		CHECK_EQ(r->why, q->partitioned, 0);
		for (int d = 0; d < 3; d++) {
			CHECK_EQ(r->why, q->pairs.longer[d], r->longer[d]);
			CHECK_EQ(r->why, q->disjoint[d], r->disjoint[d]);
		}
		for (int h = 0; h < 4; h++)
			CHECK_EQ(r->why, last->hops[h], r->hops[h]);
		CHECK_EQ(r->why, last->pairs.longer[0], r->longer_last);
		CHECK_EQ(r->why, last->three_hops, r->three_last);
		CHECK_EQ(r->why, last->no_route, r->no_route_last);
		CHECK_EQ(r->why, q->load.min, r->min);
		CHECK_EQ(r->why, q->load.max, r->max);
		CHECK_EQ(r->why, q->worst_disjoint, r->worst_disjoint);
		CHECK_EQ(r->why, q->worst_hops, r->worst_hops);
		CHECK_EQ(r->why, q->exact, r->lmc <= 3);
		moore_quality_free(q);
		moore_fabric_free(f);
	}
}

/* In the case "shortest" each of the 4 links ahead carries 3 routes (one of one hop, the
 * first hop of one and the second hop of another), and each of the 4 links back carries 1.
 * So these are the quartiles of 1 1 1 1 3 3 3 3. */
static void
quartiles(void **state)
{
	struct moore_fabric *f;
	struct moore_quality *q = square_quality(0, "0", &f);

	(void)state;
	CHECK_EQ("q1", q->load.q1 * 100, 100);
	CHECK_EQ("median lies between", q->load.median * 100, 200);
	CHECK_EQ("q3", q->load.q3 * 100, 300);
	CHECK_EQ("mean", q->load.mean * 100, 200);
	CHECK_EQ("the hottest link leads ahead", q->load.port, port_to(f, q->load.sw, (q->load.sw + 1) % 4));
	moore_quality_free(q);
	moore_fabric_free(f);
}

/* ---- a naive twin ------------------------------------------------------------ */

enum { N_MAX = 12, ROUTE_MAX = 32 };

struct twin_route {
	int hops;			/* -1: no route */
	uint32_t slot[ROUTE_MAX];
};

static void
twin_follow(const struct moore_fabric *f, const struct moore_lft *lft, moore_swid s,
	    const struct moore_endpoint *ep, unsigned lid, struct twin_route *r)
{
	for (r->hops = 0; r->hops < ROUTE_MAX; r->hops++) {
		uint8_t out = moore_lft_row(lft, s)[lid];

		if (out > f->sw[s].n_ports)
			break;
		if (s == ep->sw && out == ep->port)
			return;
		if (moore_fabric_port(f, s, out)->role != MOORE_ROLE_SWITCH)
			break;
		r->slot[r->hops] = f->sw[s].port0 + out;
		s = moore_fabric_port(f, s, out)->peer;
	}
	r->hops = -1;
}

static bool
twin_disjoint(const struct twin_route *a, const struct twin_route *b)
{
	for (int i = 0; i < a->hops; i++)
		for (int j = 0; j < b->hops; j++)
			if (a->slot[i] == b->slot[j])
				return false;
	return true;
}

static unsigned
twin_most(const struct twin_route *r, unsigned n)
{
	unsigned most = 0;

	for (unsigned set = 0; set < 1u << n; set++) {
		unsigned size = 0;
		bool ok = true;

		for (unsigned a = 0; a < n; a++) {
			if (!(set >> a & 1))
				continue;
			size++;
			ok &= r[a].hops >= 0;
			for (unsigned b = 0; b < a; b++)
				ok &= !(set >> b & 1) || twin_disjoint(&r[a], &r[b]);
		}
		most = ok && size > most ? size : most;
	}
	return most;
}

static void
twin_distances(const struct moore_fabric *f, unsigned d[N_MAX][N_MAX])
{
	for (unsigned a = 0; a < f->n_switches; a++)
		for (unsigned b = 0; b < f->n_switches; b++)
			d[a][b] = a == b ? 0 : port_to(f, a, b) != MOORE_NO_PATH ? 1 : 1000;
	for (unsigned m = 0; m < f->n_switches; m++)
		for (unsigned a = 0; a < f->n_switches; a++)
			for (unsigned b = 0; b < f->n_switches; b++)
				if (d[a][m] + d[m][b] < d[a][b])
					d[a][b] = d[a][m] + d[m][b];
}

struct twin {
	struct moore_quality q;
	struct moore_quality_offset o[8];
	uint64_t load[9][256];		/* [8]: all offsets */
};

static void
twin_pair(struct twin *t, const struct moore_fabric *f, const struct moore_lft *lft,
	  moore_swid s, const struct moore_endpoint *ep, unsigned d)
{
	static struct twin_route r[8];
	bool longer = false;

	for (unsigned k = 0; k < 1u << ep->lmc; k++) {
		struct moore_quality_offset *o = &t->o[k];

		twin_follow(f, lft, s, ep, ep->lid + k, &r[k]);
		o->no_route += r[k].hops < 0;
		o->three_hops += d == 2 && r[k].hops == 3;
		o->pairs.longer[0] += r[k].hops > (int)d;
		longer |= r[k].hops > (int)d;
		if (r[k].hops >= 0)
			o->hops[r[k].hops]++;
		for (int h = 0; h < r[k].hops; h++) {
			t->load[k][r[k].slot[h]]++;
			t->load[8][r[k].slot[h]]++;
		}
	}
	t->q.pairs.n[0]++;
	t->q.pairs.longer[0] += longer;
	t->q.pairs.longer[1] += longer && d == 1;
	t->q.pairs.longer[2] += longer && d == 2;
	t->q.disjoint[twin_most(r, 1u << ep->lmc)]++;
}

static void
twin_measure(struct twin *t, const struct moore_fabric *f, const struct moore_lft *lft)
{
	static unsigned d[N_MAX][N_MAX];

	memset(t, 0, sizeof(*t));
	twin_distances(f, d);
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		for (moore_swid s = 0; s < f->n_switches; s++) {
			bool source = false;

			for (moore_epid x = 0; x < f->n_endpoints; x++)
				source |= f->ep[x].sw == s;
			if (!source || s == f->ep[e].sw)
				continue;
			if (d[s][f->ep[e].sw] >= 1000)
				t->q.partitioned++;
			else
				twin_pair(t, f, lft, s, &f->ep[e], d[s][f->ep[e].sw]);
		}
}

/* Random entries: mostly a link that leads nearer or any link, sometimes an invalid port. */
static void
random_tables(struct moore_rng *r, const struct moore_fabric *f, struct moore_lft *lft)
{
	static unsigned d[N_MAX][N_MAX];

	twin_distances(f, d);
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		for (unsigned lid = f->ep[e].lid; lid < f->ep[e].lid + (1u << f->ep[e].lmc); lid++)
			for (moore_swid s = 0; s < f->n_switches; s++) {
				unsigned n = f->sw[s].n_ports, kind = moore_rng_below(r, 20);
				uint8_t *at = &moore_lft_row(lft, s)[lid];

				if (s == f->ep[e].sw && kind) {
					*at = f->ep[e].port;
					continue;
				}
				for (int tries = 0; tries < 20 && n; tries++) {
					const struct moore_port *p;

					*at = (uint8_t)(1 + moore_rng_below(r, n));
					p = moore_fabric_port(f, s, *at);
					if (kind < 4 || (p->role == MOORE_ROLE_SWITCH &&
					    d[p->peer][f->ep[e].sw] < d[s][f->ep[e].sw]))
						break;
				}
				if (kind == 19)
					*at = (uint8_t)moore_rng_below(r, 256);
			}
}

static void
check_spread(const struct moore_fabric *f, const struct moore_link_load *s, const uint64_t *load)
{
	uint64_t sum = 0, top = 0, low = UINT64_MAX;
	unsigned n = 0, at_most_median = 0;

	for (moore_swid w = 0; w < f->n_switches; w++)
		for (unsigned p = 1; p <= f->sw[w].n_ports; p++) {
			uint64_t x = load[f->sw[w].port0 + p];

			if (moore_fabric_port(f, w, (moore_portnum)p)->role != MOORE_ROLE_SWITCH)
				continue;
			n++;
			sum += x;
			top = x > top ? x : top;
			low = x < low ? x : low;
			at_most_median += (double)x <= s->median;
		}
	CHECK_EQ("mean", (s->mean * n + 0.5), sum);
	CHECK_EQ("greatest", s->max, top);
	if (!n)
		return;
	CHECK_EQ("least", s->min, low);
	CHECK("half lie below the median", 2 * at_most_median >= n);
	CHECK_EQ("the named link has it", load[f->sw[s->sw].port0 + s->port], top);
	CHECK("in order", s->min <= s->q1 && s->q1 <= s->median && s->median <= s->q3 &&
	      s->q3 <= s->max);
}

static void
against_twin(void **state)
{
	struct moore_rng r = { test_seed() };
	static struct twin t;

	(void)state;
	for (unsigned round = 0; round < test_rounds(300); round++) {
		uint8_t lmc = (uint8_t)moore_rng_below(&r, 4);
		struct moore_fabric *f = test_random_fabric(&r, 2 + moore_rng_below(&r, N_MAX - 1),
							    moore_rng_below(&r, 16), lmc);
		struct moore_quality *q = NULL;
		struct moore_lft *lft = NULL;
		uint64_t pairs = 0;

		test_cut_some(f, &r, moore_rng_below(&r, 3) ? 0 : 25);
		assert_int_equal(moore_lft_new(&lft, f->n_switches, f->lid_top, NULL), 0);
		random_tables(&r, f, lft);
		if (moore_quality_measure(&q, f, lft, NULL) < 0) {
			CHECK_EQ("refused only without endpoints", f->n_endpoints, 0);
			goto next;
		}
		twin_measure(&t, f, lft);
		CHECK_EQ("partitioned", q->partitioned, t.q.partitioned);
		CHECK_EQ("pairs", q->pairs.n[0], t.q.pairs.n[0]);
		for (int d = 0; d < 3; d++)
			CHECK_EQ("longer", q->pairs.longer[d], t.q.pairs.longer[d]);
		for (unsigned k = 0; k <= MOORE_N_OFFSETS; k++) {
			CHECK_EQ("disjoint", q->disjoint[k], t.q.disjoint[k]);
			pairs += q->disjoint[k];
		}
		CHECK_EQ("each pair once", pairs, q->pairs.n[0]);
		for (unsigned k = 0; k < q->n_offsets; k++) {
			CHECK_EQ("no route", q->offset[k].no_route, t.o[k].no_route);
			CHECK_EQ("longer", q->offset[k].pairs.longer[0], t.o[k].pairs.longer[0]);
			CHECK_EQ("three", q->offset[k].three_hops, t.o[k].three_hops);
			for (int h = 0; h <= MOORE_HOPS_MAX; h++)
				CHECK_EQ("hops", q->offset[k].hops[h], t.o[k].hops[h]);
			check_spread(f, &q->offset[k].load, t.load[k]);
		}
		check_spread(f, &q->load, t.load[8]);
next:
		moore_quality_free(q);
		moore_lft_free(lft);
		moore_fabric_free(f);
	}
}

/* ---- refusals ---------------------------------------------------------------- */

static void
refusals(void **state)
{
	static const uint16_t none[4] = { 0 }, one[4] = { 1, 1, 1, 1 };
	struct moore_fabric *empty = test_fabric(4, square, 4, none, 0);
	struct moore_fabric *f = test_fabric(4, square, 4, one, 2);
	struct moore_quality *q = (void *)1;
	struct moore_lft *lft = NULL;
	struct moore_err err;

	(void)state;
	assert_int_equal(moore_lft_new(&lft, 4, f->lid_top, NULL), 0);
	CHECK_EQ("no endpoints", moore_quality_measure(&q, empty, lft, &err), -MOORE_EINVAL);
	CHECK("nothing is given", !q);
	CHECK_STR("no endpoints", err.text, "no endpoint has a LID");
	lft->n_switches = 3;
	CHECK_EQ("other switches", moore_quality_measure(&q, f, lft, &err), -MOORE_EINVAL);
	lft->n_switches = 4;
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		f->ep[e].lid = (moore_lid)(f->ep[e].lid + 64);
	CHECK_EQ("LIDs beyond the rows", moore_quality_measure(&q, f, lft, &err), -MOORE_EINVAL);
	CHECK_STR("LIDs beyond the rows", err.text, "end before LID");
	moore_quality_free(NULL);
	moore_lft_free(lft);
	moore_fabric_free(f);
	moore_fabric_free(empty);
}

static void
memory(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=5 p=2", 1);
	struct moore_quality *q = NULL;
	struct moore_lft *lft = NULL;

	(void)state;
	assert_int_equal(moore_lft_new(&lft, f->n_switches, f->lid_top, NULL), 0);
	CHECK_OOM("quality", moore_quality_measure(&q, f, lft, NULL), moore_quality_free(q));
	moore_lft_free(lft);
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(quartiles),
		cmocka_unit_test(against_twin),
		cmocka_unit_test(refusals),
		cmocka_unit_test(memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

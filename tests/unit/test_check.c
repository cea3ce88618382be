// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_check.c - the checker against cases with a known answer, and against a naive twin.
 * The twin moves every packet of every source, LID and SL step by step, collects the
 * dependencies in a matrix, and finds cycles by Floyd and Warshall. */
#include "harness.h"

#include "fabrics.h"
#include "moore/check.h"

struct net {
	struct moore_fabric *f;
	struct moore_lft *lft;
	struct moore_sl2vl *sl2vl;
	struct moore_mft *mft;
};

static void
net_free(struct net *n)
{
	moore_mft_free(n->mft);
	moore_sl2vl_free(n->sl2vl);
	moore_lft_free(n->lft);
	moore_fabric_free(n->f);
}

static char *
name_of(char kind, unsigned i)
{
	char t[16];

	snprintf(t, sizeof(t), "%c%u", kind, i);
	return moore_strndup(t, strlen(t));
}

/* Switches with n_ports ports each, without cables. */
static struct net
net_new(uint32_t n_sw, uint32_t n_ep, moore_portnum n_ports)
{
	struct net n = { NULL, NULL, NULL, NULL };

	assert_int_equal(moore_fabric_new(&n.f, n_sw, n_ep, n_sw * (n_ports + 1u), NULL), 0);
	for (uint32_t s = 0; s < n_sw; s++) {
		n.f->sw[s].guid = n.f->sw[s].port_guid = 0x200000 + s;
		n.f->sw[s].n_ports = n_ports;
		n.f->sw[s].name = name_of('S', s);
	}
	for (uint32_t e = 0; e < n_ep; e++) {
		n.f->ep[e].guid = n.f->ep[e].node_guid = 0x100000 + e;
		n.f->ep[e].ca_port = 1;
		n.f->ep[e].name = name_of('H', e);
	}
	moore_fabric_layout(n.f);
	return n;
}

static void
net_tables(struct net *n)
{
	struct moore_err err = { 0 };

	if (moore_fabric_seal(n->f, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(moore_lft_new(&n->lft, n->f->n_switches, n->f->lid_top, NULL), 0);
	assert_int_equal(moore_sl2vl_new(&n->sl2vl, n->f, NULL), 0);
	assert_int_equal(moore_mft_new(&n->mft, n->f->n_switches, NULL), 0);
}

/* ---- cases with a known answer ----------------------------------------------- */

/* A ring of n switches: port 1 is the endpoint, 2 leads to the next switch, 3 to the
 * previous one.  Switch i has LID 1+i, and its endpoint n+1+i. */
static struct net
ring(unsigned n, bool shortest)
{
	struct net r = net_new(n, n, 3);

	for (unsigned i = 0; i < n; i++) {
		moore_fabric_link(r.f, i, 2, (i + 1) % n, 3, 8);
		moore_fabric_attach(r.f, i, i, 1, 8);
		r.f->sw[i].lid = (moore_lid)(1 + i);
		r.f->ep[i].lid = (moore_lid)(n + 1 + i);
	}
	net_tables(&r);
	for (unsigned s = 0; s < n; s++)
		for (unsigned d = 0; d < n; d++) {
			unsigned ahead = (d + n - s) % n;
			uint8_t port = !shortest || ahead <= n / 2 ? 2 : 3;

			moore_lft_row(r.lft, s)[1 + d] = s == d ? 0 : port;
			moore_lft_row(r.lft, s)[n + 1 + d] = s == d ? 1 : port;
		}
	return r;
}

/* Sets the VL of the SLs in sl_mask at every switch: `first` for packets that come from an
 * endpoint or from port 0, `later` for those that come from a switch. */
static void
lanes(struct net *n, unsigned sl_mask, uint8_t first, uint8_t later)
{
	for (uint32_t s = 0; s < n->f->n_switches; s++)
		for (unsigned in = 0; in <= n->f->sw[s].n_ports; in++)
			for (unsigned out = 0; out <= n->f->sw[s].n_ports; out++) {
				moore_portnum i = (moore_portnum)in, o = (moore_portnum)out;
				struct moore_sl_row row = *moore_sl2vl_get(n->sl2vl, s, i, o);

				for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
					if (sl_mask >> sl & 1)
						row.vl[sl] = moore_fabric_port(n->f, s, i)->role ==
							MOORE_ROLE_SWITCH ? later : first;
				assert_int_equal(moore_sl2vl_set(n->sl2vl, s, i, o, &row, NULL), 0);
			}
}

static void
two_vls(struct net *n)
{
	lanes(n, 0xffff, 0, 1);
}

static void
identity(struct net *n)
{
	for (unsigned sl = 0; sl < 15; sl++)
		lanes(n, 1u << sl, (uint8_t)sl, (uint8_t)sl);
}

static void
run_lanes(struct net *n, uint8_t lanes)
{
	two_vls(n);
	for (uint32_t i = 0; i < n->f->n_ports; i++)
		n->f->port[i].lanes = lanes;
}

static void
two_vls_on_two_lanes(struct net *n)
{
	run_lanes(n, 2);
}

static void
two_vls_on_one_lane(struct net *n)
{
	run_lanes(n, 1);
}

static void
vls_0_and_2_on_two_lanes(struct net *n)
{
	run_lanes(n, 2);
	lanes(n, 0xffff, 0, 2);
}

static void
one_link_of_one_lane(struct net *n)	/* S0 to S1: no cycle is left through VL 1 alone */
{
	run_lanes(n, 2);
	n->f->port[n->f->sw[0].port0 + 2].lanes = 1;
	n->f->port[n->f->sw[1].port0 + 3].lanes = 1;
}

static void
two_vls_but_sl3(struct net *n)
{
	lanes(n, 0xffff, 0, 1);
	lanes(n, 1u << 3, 0, 0);
}

static void
sl3_dropped_later(struct net *n)
{
	lanes(n, 0xffff, 0, 1);
	lanes(n, 1u << 3, 0, 15);
}

static void
date_line(struct net *n)
{
	struct moore_sl_row row;

	memset(&row, 1, sizeof(row));
	moore_sl2vl_set(n->sl2vl, 0, 3, 2, &row, NULL);
}

static void
cut_open(struct net *n)		/* without the link between the last and the first switch: a line */
{
	unsigned last = n->f->n_switches - 1;

	moore_fabric_cut(n->f, last, 2);
	for (unsigned s = 0; s <= last; s++)
		for (unsigned d = 0; d <= last; d++)
			if (s != d) {
				moore_lft_row(n->lft, s)[1 + d] = d > s ? 2 : 3;
				moore_lft_row(n->lft, s)[last + 2 + d] = d > s ? 2 : 3;
			}
}

static void
cut_in_two(struct net *n)	/* without the first link of that line, too */
{
	cut_open(n);
	moore_fabric_cut(n->f, 0, 2);
}

static void
forward_and_back(struct net *n)	/* S0 and S1 pass LID 3 (S2) to each other */
{
	two_vls(n);
	moore_lft_row(n->lft, 1)[3] = 3;
}

static void
no_path(struct net *n)
{
	two_vls(n);
	moore_lft_row(n->lft, 1)[3] = MOORE_NO_PATH;
}

static void
foreign_port0(struct net *n)
{
	two_vls(n);
	moore_lft_row(n->lft, 1)[3] = 0;
}

static void
wrong_endpoint(struct net *n)
{
	two_vls(n);
	moore_lft_row(n->lft, 1)[8] = 1;
}

static void
owner_astray(struct net *n)	/* S2 has no route to its own LID */
{
	two_vls(n);
	moore_lft_row(n->lft, 2)[3] = MOORE_NO_PATH;
}

static void
beyond_ports(struct net *n)
{
	two_vls(n);
	moore_lft_row(n->lft, 1)[3] = 77;
}

static void
no_host_at_0(struct net *n)
{
	moore_fabric_cut(n->f, 0, 1);
	n->f->ep[0].lid = 0;
	moore_lft_row(n->lft, 0)[6] = MOORE_NO_PATH;
}

static void
mcast_ring(struct net *n)	/* every switch copies to both neighbours */
{
	int64_t g = moore_mft_group(n->mft, 0xc001);

	two_vls(n);
	for (unsigned s = 0; s < n->f->n_switches; s++)
		n->mft->mask[(size_t)g * n->f->n_switches + s][0] = 1 << 2 | 1 << 3;
}

static void
mcast_tree(struct net *n)	/* the same without the link between S4 and S0 */
{
	mcast_ring(n);
	n->mft->mask[4][0] &= ~((uint64_t)1 << 2);
	n->mft->mask[0][0] &= ~((uint64_t)1 << 3);
}

static void
mcast_ring_and_drop(struct net *n)
{
	mcast_ring(n);
	lanes(n, 0xffff, 0, 15);
}

#define ALL 0
#define SL(n) (1u << (n))
static const struct {
	const char *why;
	unsigned n;
	bool shortest;
	void (*tweak)(struct net *);
	struct moore_check_opts opts;
	bool sound, acyclic;
	uint32_t cycle_len;
	uint64_t pairs, unreachable, loops, partitioned, dropped;
} cases[] = {
	{ "one VL, one way round", 5, false, NULL, { ALL, 0, 0, NULL, NULL }, 0, 0, 5, 40, 0, 0, 0, 0 },
	{ "one VL, the shorter way", 5, true, NULL, { ALL, 0, 0, NULL, NULL }, 0, 0, 5, 40, 0, 0, 0, 0 },
	{ "one way round has long routes: two VLs are too few", 5, false, two_vls,
		{ ALL, 0, 0, NULL, NULL }, 0, 0, 5, 40, 0, 0, 0, 0 },
	{ "two hops, two VLs", 5, true, two_vls, { ALL, 0, 0, NULL, NULL }, 1, 1, 0, 40, 0, 0, 0, 0 },
	{ "two VLs, and links that run two", 5, true, two_vls_on_two_lanes, { ALL, 0, 0, NULL, NULL },
		1, 1, 0, 40, 0, 0, 0, 0 },
	{ "two VLs, but links run one", 5, true, two_vls_on_one_lane, { ALL, 0, 0, NULL, NULL },
		0, 0, 5, 40, 0, 0, 0, 0 },
	{ "VL 2 is VL 0 on two lanes", 5, true, vls_0_and_2_on_two_lanes, { ALL, 0, 0, NULL, NULL },
		0, 0, 5, 40, 0, 0, 0, 0 },
	{ "one link of one lane closes no cycle", 5, true, one_link_of_one_lane, { ALL, 0, 0, NULL, NULL },
		1, 1, 0, 40, 0, 0, 0, 0 },
	{ "VL = SL is one VL for each SL", 5, true, identity, { ALL, 0, 0, NULL, NULL }, 0, 0, 5, 40, 0, 0, 0, 0 },
	{ "a date line that the in port cannot tell", 5, false, date_line, { ALL, 0, 0, NULL, NULL },
		0, 0, 5, 40, 0, 0, 0, 0 },
	{ "a line has no cycle", 5, true, cut_open, { ALL, 0, 0, NULL, NULL }, 1, 1, 0, 40, 0, 0, 0, 0 },
	{ "a part of its own is no fault", 5, true, cut_in_two, { ALL, 0, 0, NULL, NULL }, 1, 1, 0, 40, 0, 0, 16, 0 },
	{ "the cycle of SL 3", 5, true, two_vls_but_sl3, { ALL, 0, 0, NULL, NULL }, 0, 0, 5, 40, 0, 0, 0, 0 },
	{ "the cycle of SL 3, asked for alone", 5, true, two_vls_but_sl3, { SL(3), 0, 0, NULL, NULL },
		0, 0, 5, 40, 0, 0, 0, 0 },
	{ "the others have none", 5, true, two_vls_but_sl3, { 0xfff7, 0, 0, NULL, NULL }, 1, 1, 0, 40, 0, 0, 0, 0 },
	/* at each switch: in 2 out 1, in 2 out 3, in 3 out 1, in 3 out 2 */
	{ "VL 15 drops, wherever the turn is used", 5, true, sl3_dropped_later, { ALL, 0, 0, NULL, NULL },
		0, 1, 0, 40, 0, 0, 0, 20 },
	{ "nobody uses that SL", 5, true, sl3_dropped_later, { 0xfff7, 0, 0, NULL, NULL }, 1, 1, 0, 40, 0, 0, 0, 0 },
	/* S0 and S1 no longer reach LID 3; S4 and S3 do */
	{ "a loop of two", 5, true, forward_and_back, { ALL, 0, 0, NULL, NULL }, 0, 0, 2, 40, 2, 2, 0, 0 },
	{ "no path on the way", 5, true, no_path, { ALL, 0, 0, NULL, NULL }, 0, 1, 0, 40, 2, 0, 0, 0 },
	{ "port 0 of another switch", 5, true, foreign_port0, { ALL, 0, 0, NULL, NULL }, 0, 1, 0, 40, 2, 0, 0, 0 },
	{ "another switch's endpoint", 5, true, wrong_endpoint, { ALL, 0, 0, NULL, NULL }, 0, 1, 0, 40, 2, 0, 0, 0 },
	{ "a port that is not there", 5, true, beyond_ports, { ALL, 0, 0, NULL, NULL }, 0, 1, 0, 40, 2, 0, 0, 0 },
	{ "the owner's own entry is wrong", 5, true, owner_astray, { ALL, 0, 0, NULL, NULL }, 0, 1, 0, 41, 5, 0, 0, 0 },
	{ "endpoints alone leave S0 without first hops", 5, true, no_host_at_0, { ALL, 0, 1, NULL, NULL },
		1, 1, 0, 12, 0, 0, 0, 0 },
	{ "port 0 closes the cycle", 5, true, no_host_at_0, { ALL, 0, 0, NULL, NULL }, 0, 0, 5, 36, 0, 0, 0, 0 },
	{ "multicast that goes round", 5, true, mcast_ring, { ALL, 0, 0, NULL, NULL }, 0, 0, 5, 40, 0, 0, 0, 0 },
	{ "multicast on a tree", 5, true, mcast_tree, { ALL, 0, 0, NULL, NULL }, 1, 1, 0, 40, 0, 0, 0, 0 },
	/* 16 SLs x 5 switches x in ports 2 and 3 x out port 1 (unicast) and the other port
	 * (unicast and multicast) */
	{ "multicast dropped", 5, true, mcast_ring_and_drop, { ALL, 0, 0, NULL, NULL }, 0, 1, 0, 40, 0, 0, 0, 320 },
	{ "a bigger ring", 9, false, NULL, { ALL, 0, 0, NULL, NULL }, 0, 0, 9, 144, 0, 0, 0, 0 },
	{ "the least ring has no cycle", 2, true, NULL, { ALL, 0, 0, NULL, NULL }, 1, 1, 0, 4, 0, 0, 0, 0 },
};

static void
test_cases(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct net n = ring(cases[i].n, cases[i].shortest);
		struct moore_err err = { 0 };
		struct moore_verdict *v;

		if (cases[i].tweak)
			cases[i].tweak(&n);
		assert_int_equal(moore_fabric_seal(n.f, NULL), 0);
		if (moore_check(&v, n.f, n.lft, n.sl2vl, n.mft, &cases[i].opts, &err) < 0)
			fail_msg("%s: %s", cases[i].why, err.text);
		CHECK_EQ(cases[i].why, v->acyclic, cases[i].acyclic);
		CHECK_EQ(cases[i].why, v->cycle_len, cases[i].cycle_len);
		CHECK_EQ(cases[i].why, v->pairs, cases[i].pairs);
		CHECK_EQ(cases[i].why, v->unreachable, cases[i].unreachable);
		CHECK_EQ(cases[i].why, v->loops, cases[i].loops);
		CHECK_EQ(cases[i].why, v->partitioned, cases[i].partitioned);
		CHECK_EQ(cases[i].why, v->dropped, cases[i].dropped);
		CHECK_EQ(cases[i].why, v->sound, cases[i].sound);
		CHECK(cases[i].why, v->acyclic ? v->order && !v->cycle : v->cycle && !v->order);
		moore_verdict_free(v);
		net_free(&n);
	}
}

static void
test_known_examples(void **state)
{
	struct net n = ring(5, true);
	struct moore_verdict *v;
	(void)state;

	two_vls_but_sl3(&n);
	assert_int_equal(moore_check(&v, n.f, n.lft, n.sl2vl, NULL,
				     &(struct moore_check_opts){ 0 }, NULL), 0);
	for (uint32_t i = 0; i < v->cycle_len; i++)
		CHECK_EQ("only SL 3 makes it", v->cycle[i].sl, 3);
	CHECK_EQ("hops", v->hops[1], 20);
	CHECK_EQ("hops", v->hops[2], 20);
	/* towards each endpoint, from each side: the last link carries 2 routes, the one
	 * before it 1 */
	CHECK_EQ("load", (int)v->max_load, 3);
	CHECK_EQ("load", (int)v->mean_load, 3);
	CHECK("all links are equal, so the first is shown", v->hottest.sw == 0 && v->hottest.port == 2);
	moore_verdict_free(v);
	mcast_ring(&n);
	assert_int_equal(moore_check(&v, n.f, n.lft, n.sl2vl, n.mft,
				     &(struct moore_check_opts){ 0 }, NULL), 0);
	for (uint32_t i = 0; i < v->cycle_len; i++)
		CHECK_EQ("the example is a multicast packet", v->cycle[i].dlid, 0xc001);
	moore_verdict_free(v);
	net_free(&n);
}

/* A ring of 66, one way round, but S1 goes back to S0.  Routes of more than 64 hops count as
 * 64.  Towards each of the two LIDs of S0 there is one of each length from 1 to 64, and that
 * of S1; towards each of the 130 others there is one of each length from 1 to 65. */
static void
test_long_routes(void **state)
{
	struct net n = ring(66, false);
	struct moore_verdict *v;
	(void)state;

	moore_lft_row(n.lft, 1)[1] = moore_lft_row(n.lft, 1)[67] = 3;
	assert_int_equal(moore_check(&v, n.f, n.lft, n.sl2vl, NULL,
				     &(struct moore_check_opts){ 0 }, NULL), 0);
	CHECK_EQ("pairs", v->pairs, 132 * 65);
	CHECK_EQ("all arrive", v->unreachable, 0);
	CHECK_EQ("one hop", v->hops[1], 132 + 2);
	CHECK_EQ("63 hops", v->hops[63], 132);
	CHECK_EQ("64 hops and more", v->hops[64], 2 + 130 * 2);
	moore_verdict_free(v);
	net_free(&n);
}

/* The checker reads tables 256 LIDs at a time: LIDs on both sides of that border give what
 * LIDs 1 to 10 give. */
static void
test_high_lids(void **state)
{
	static const moore_lid lid[] = { 250, 251, 255, 256, 257, 258, 511, 512, 513, 1000 };
	struct net low = ring(5, true), high = ring(5, true);
	struct moore_verdict *v, *w;
	(void)state;

	two_vls_but_sl3(&low);
	two_vls_but_sl3(&high);
	for (unsigned i = 0; i < 5; i++) {
		high.f->sw[i].lid = lid[i];
		high.f->ep[i].lid = lid[5 + i];
	}
	assert_int_equal(moore_fabric_seal(high.f, NULL), 0);
	moore_lft_free(high.lft);
	assert_int_equal(moore_lft_new(&high.lft, 5, 1000, NULL), 0);
	moore_lft_row(low.lft, 1)[3] = moore_lft_row(low.lft, 3)[8] = MOORE_NO_PATH;
	for (unsigned s = 0; s < 5; s++)
		for (unsigned i = 0; i < 10; i++)
			moore_lft_row(high.lft, s)[lid[i]] = moore_lft_row(low.lft, s)[1 + i];
	assert_int_equal(moore_check(&v, low.f, low.lft, low.sl2vl, NULL,
				     &(struct moore_check_opts){ 0 }, NULL), 0);
	assert_int_equal(moore_check(&w, high.f, high.lft, high.sl2vl, NULL,
				     &(struct moore_check_opts){ 0 }, NULL), 0);
	CHECK_EQ("pairs", w->pairs, v->pairs);
	CHECK_EQ("unreachable", w->unreachable, v->unreachable);
	CHECK_EQ("dependencies", w->n_dependencies, v->n_dependencies);
	CHECK_EQ("length of the cycle", w->cycle_len, v->cycle_len);
	CHECK_EQ("greatest load", (int)w->max_load, (int)v->max_load);
	CHECK_EQ("the first bad pair", w->bad_lid, lid[v->bad_lid - 1]);
	for (unsigned h = 1; h < 5; h++)
		CHECK_EQ("hops", w->hops[h], v->hops[h]);
	moore_verdict_free(v);
	moore_verdict_free(w);
	net_free(&low);
	net_free(&high);
}

/* Two endpoints of one switch, whose LIDs are 256 apart: each is one walk of its block. */
static void
test_256_apart(void **state)
{
	struct net n = net_new(1, 2, 2);
	struct moore_verdict *v;
	(void)state;

	for (unsigned e = 0; e < 2; e++) {
		moore_fabric_attach(n.f, e, 0, (moore_portnum)(1 + e), 8);
		n.f->ep[e].lid = (moore_lid)(10 + 256 * e);
	}
	net_tables(&n);
	moore_lft_row(n.lft, 0)[10] = 1;
	moore_lft_row(n.lft, 0)[266] = 2;
	assert_int_equal(moore_check(&v, n.f, n.lft, n.sl2vl, NULL,
				     &(struct moore_check_opts){ 0 }, NULL), 0);
	CHECK("sound, without hops", v->sound && !v->pairs);
	moore_verdict_free(v);
	net_free(&n);
}

/* Two LIDs of an endpoint of S3, of which S4 has no route to the first: the routes of S4 and
 * of S0, which go by S4, are lost, but those to the second LID are not. */
static void
test_two_lids(void **state)
{
	struct net n = ring(5, true);
	struct moore_verdict *v;
	(void)state;

	two_vls(&n);
	n.f->ep[3].lid = 20;
	n.f->ep[3].lmc = 1;
	assert_int_equal(moore_fabric_seal(n.f, NULL), 0);
	for (unsigned s = 0; s < 5; s++)
		moore_lft_row(n.lft, s)[20] = moore_lft_row(n.lft, s)[21] = moore_lft_row(n.lft, s)[9];
	moore_lft_row(n.lft, 4)[20] = 0;
	assert_int_equal(moore_check(&v, n.f, n.lft, n.sl2vl, NULL,
				     &(struct moore_check_opts){ 0 }, NULL), 0);
	CHECK_EQ("11 LIDs", v->pairs, 44);
	CHECK_EQ("of S0 and S4, to one LID", v->unreachable, 2);
	CHECK_EQ("this one", v->bad_lid, 20);
	moore_verdict_free(v);
	net_free(&n);
}

/* Only S0 sends, only to the multicast group and only on SL 3: the copies still go round. */
static void
test_one_sender(void **state)
{
	struct net n = ring(5, true);
	struct moore_sl_set *set;
	struct moore_verdict *v;
	(void)state;

	mcast_ring(&n);
	assert_int_equal(moore_sl_set_new(&set, 5, n.f->lid_top, NULL), 0);
	memset(set->sl, 0, 5 * set->stride * sizeof(*set->sl));
	set->sl[0] = 1 << 3;
	assert_int_equal(moore_check(&v, n.f, n.lft, n.sl2vl, n.mft,
				     &(struct moore_check_opts){ .sl_set = set }, NULL), 0);
	CHECK_EQ("a cycle", v->cycle_len, 5);
	for (uint32_t i = 0; i < v->cycle_len; i++) {
		CHECK_EQ("S0 sends", v->cycle[i].src_sw, 0);
		CHECK_EQ("on SL 3", v->cycle[i].sl, 3);
	}
	moore_verdict_free(v);
	moore_sl_set_free(set);
	net_free(&n);
}

static void
test_misfits(void **state)
{
	struct net a = ring(5, true), b = ring(6, true), c = net_new(5, 0, 4);
	static const struct moore_check_opts opts;
	struct moore_sl_set *set;
	struct moore_err err;
	struct moore_verdict *v;
	(void)state;

	net_tables(&c);
	v = (struct moore_verdict *)&err;
	CHECK_EQ("another fabric's LFTs", moore_check(&v, a.f, b.lft, a.sl2vl, NULL, &opts, &err),
		 -MOORE_EINVAL);
	CHECK("no verdict", !v);
	CHECK_STR("it says which", err.text, "LFT");
	CHECK_EQ("of no line", err.line, 0);
	CHECK_EQ("another fabric's lanes", moore_check(&v, a.f, a.lft, b.sl2vl, NULL, &opts, &err),
		 -MOORE_EINVAL);
	CHECK_EQ("other numbers of ports", moore_check(&v, a.f, a.lft, c.sl2vl, NULL, &opts, &err),
		 -MOORE_EINVAL);
	CHECK_STR("it says which", err.text, "S0");
	CHECK_EQ("of no line", err.line, 0);
	CHECK_EQ("another fabric's groups", moore_check(&v, a.f, a.lft, a.sl2vl, b.mft, &opts, &err),
		 -MOORE_EINVAL);
	CHECK_EQ("of no line", err.line, 0);
	CHECK("no verdict", !v);
	assert_int_equal(moore_sl_set_new(&set, 6, 12, NULL), 0);
	CHECK_EQ("another fabric's SLs", moore_check(&v, a.f, a.lft, a.sl2vl, NULL,
		 &(struct moore_check_opts){ .sl_set = set }, &err), -MOORE_EINVAL);
	CHECK("no verdict", !v);
	CHECK_EQ("of no line", err.line, 0);
	moore_sl_set_free(set);
	a.f->sw[4].lid = 64;
	assert_int_equal(moore_fabric_seal(a.f, NULL), 0);
	CHECK_EQ("LFTs that end before LID 64", moore_check(&v, a.f, a.lft, a.sl2vl, NULL, &opts, &err),
		 -MOORE_EINVAL);
	net_free(&a);
	net_free(&b);
	net_free(&c);
}

static void
test_oom(void **state)
{
	static const struct moore_check_opts opts;
	struct net bad = ring(5, false), good = ring(5, true);
	struct moore_verdict *v;
	struct moore_err err;
	(void)state;

	mcast_ring(&bad);
	sl3_dropped_later(&good);
	CHECK_OOM("a cycle", moore_check(&v, bad.f, bad.lft, bad.sl2vl, bad.mft, &opts, &err),
		  moore_verdict_free(v));
	CHECK_OOM("an order", moore_check(&v, good.f, good.lft, good.sl2vl, NULL, &opts, &err),
		  moore_verdict_free(v));
	net_free(&bad);
	net_free(&good);
}

/* ---- the twin ------------------------------------------------------------------ */

#define MAX_PORTS 6
#define MAX_SLOTS (7 * (MAX_PORTS + 1))
#define MAX_CHANNELS (MAX_SLOTS * 15)
#define FAR 0x3fff

struct twin {
	const struct net *n;
	struct moore_check_opts o;
	struct moore_lid_owner *own;
	bool used[MAX_CHANNELS], dropped[MAX_SLOTS][MAX_PORTS + 1][MOORE_N_SL];
	uint16_t index[MAX_CHANNELS];		/* number of a used channel */
	unsigned n_used;
	uint8_t *dep;				/* [MAX_CHANNELS][MAX_CHANNELS] */
	/* a dependency to look for, and whether it was found */
	unsigned want_from, want_to;
	bool made;
};

static unsigned
chan(const struct twin *t, moore_swid s, unsigned port, unsigned vl)
{
	return (t->n->f->sw[s].port0 + port) * 15 + vl;
}

static void
depend(struct twin *t, unsigned from, unsigned to)
{
	t->dep[(size_t)from * MAX_CHANNELS + to] = 1;
	t->made |= from == t->want_from && to == t->want_to;
}

static bool
addressed(const struct twin *t, unsigned lid)
{
	return t->own[lid].sw != MOORE_NONE && (!t->o.base_lids_only || !t->own[lid].offset) &&
	       (!t->o.endpoints_only || t->own[lid].ep != MOORE_NONE);
}

static bool
source(const struct twin *t, moore_swid s, unsigned p)
{
	unsigned role = moore_fabric_port(t->n->f, s, (moore_portnum)p)->role;

	return role == MOORE_ROLE_ENDPOINT || (p == 0 && !t->o.endpoints_only);
}

/* VL 15 drops a packet, and other VLs wrap around at the lanes of the out port. */
static unsigned
on_lanes(unsigned vl, const struct moore_port *p)
{
	return vl == 15 || p->lanes == 15 || !p->lanes ? vl : vl % p->lanes;
}

/* The channel that a packet takes when it leaves s by port `out`; -1 if it ends there. */
static int
leave(struct twin *t, moore_swid s, unsigned in, unsigned out, unsigned sl)
{
	const struct moore_port *p = moore_fabric_port(t->n->f, s, (moore_portnum)out);
	unsigned vl = on_lanes(moore_sl2vl_get(t->n->sl2vl, s, (moore_portnum)in,
					       (moore_portnum)out)->vl[sl], p);

	if (p->role != MOORE_ROLE_SWITCH && p->role != MOORE_ROLE_ENDPOINT)
		return -1;
	if (vl == 15) {
		t->dropped[t->n->f->sw[s].port0 + in][out][sl] = true;
		return -1;
	}
	if (p->role == MOORE_ROLE_ENDPOINT)
		return -1;
	t->used[chan(t, s, out, vl)] = true;
	return (int)chan(t, s, out, vl);
}

static void
send_unicast(struct twin *t, moore_swid s, unsigned in, unsigned lid, unsigned sl)
{
	const struct moore_fabric *f = t->n->f;
	int prev = -1, now;

	for (unsigned step = 0; step < 3 * MAX_SLOTS; step++) {
		unsigned out = moore_lft_row(t->n->lft, s)[lid];
		const struct moore_port *p;

		if (out > f->sw[s].n_ports || (!step && out == in))
			return;
		if ((now = leave(t, s, in, out, sl)) < 0)
			return;
		if (prev >= 0)
			depend(t, (unsigned)prev, (unsigned)now);
		prev = now;
		p = moore_fabric_port(f, s, (moore_portnum)out);
		in = p->peer_port;
		s = p->peer;
	}
}

static void
send_multicast(struct twin *t, moore_swid s, unsigned in, uint32_t g, unsigned sl, int prev,
	       bool *seen)
{
	const uint64_t *mask = t->n->mft->mask[(size_t)g * t->n->f->n_switches + s];

	for (unsigned out = 0; out <= t->n->f->sw[s].n_ports; out++) {
		const struct moore_port *p = moore_fabric_port(t->n->f, s, (moore_portnum)out);
		int now;

		if (out == in || !(mask[0] >> out & 1) || (now = leave(t, s, in, out, sl)) < 0)
			continue;
		if (prev >= 0)
			depend(t, (unsigned)prev, (unsigned)now);
		if (seen[now])
			continue;
		seen[now] = true;
		send_multicast(t, p->peer, p->peer_port, g, sl, now, seen);
	}
}

static bool
uses(const struct twin *t, moore_swid s, unsigned lid, unsigned sl)
{
	const struct moore_sl_set *set = t->o.sl_set;

	return !set || set->sl[s * set->stride + lid] >> sl & 1;
}

static void
send_from(struct twin *t, moore_swid s, unsigned in)
{
	for (unsigned sl = 0; sl < MOORE_N_SL; sl++) {
		if (t->o.sl_mask && !(t->o.sl_mask >> sl & 1))
			continue;
		for (unsigned lid = 1; lid <= t->n->f->lid_top; lid++)
			if (addressed(t, lid) && uses(t, s, lid, sl))
				send_unicast(t, s, in, lid, sl);
		for (uint32_t g = 0; uses(t, s, 0, sl) && g < t->n->mft->n_groups; g++) {
			bool seen[MAX_CHANNELS] = { false };

			send_multicast(t, s, in, g, sl, -1, seen);
		}
	}
}

static struct twin *
twin_new(const struct net *n, const struct moore_check_opts *o)
{
	struct twin *t = calloc(1, sizeof(*t));

	t->n = n;
	t->o = *o;
	t->dep = calloc(MAX_CHANNELS, MAX_CHANNELS);
	t->want_from = t->want_to = UINT32_MAX;
	assert_int_equal(moore_fabric_lids(n->f, &t->own, NULL), 0);
	for (uint32_t s = 0; s < n->f->n_switches; s++)
		for (unsigned p = 0; p <= n->f->sw[s].n_ports; p++)
			if (source(t, s, p))
				send_from(t, s, p);
	for (unsigned c = 0; c < MAX_CHANNELS; c++)
		if (t->used[c])
			t->index[t->n_used++] = (uint16_t)c;
	return t;
}

static void
twin_free(struct twin *t)
{
	free(t->own);
	free(t->dep);
	free(t);
}

/* The length of a shortest cycle, or 0. */
static unsigned
twin_girth(const struct twin *t)
{
	unsigned n = t->n_used, best = FAR;
	uint16_t *d = malloc((size_t)n * n * sizeof(*d) + 1);

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < n; j++)
			d[i * n + j] = t->dep[(size_t)t->index[i] * MAX_CHANNELS + t->index[j]] ? 1 : FAR;
	for (unsigned k = 0; k < n; k++)
		for (unsigned i = 0; i < n; i++)
			for (unsigned j = 0; j < n; j++)
				if (d[i * n + k] + d[k * n + j] < d[i * n + j])
					d[i * n + j] = (uint16_t)(d[i * n + k] + d[k * n + j]);
	for (unsigned i = 0; i < n; i++)
		if (d[i * n + i] < best)
			best = d[i * n + i];
	free(d);
	return best == FAR ? 0 : best;
}

static bool
connected(const struct moore_fabric *f, moore_swid a, moore_swid b)
{
	bool reach[8] = { false };

	reach[a] = true;
	for (uint32_t round = 0; round < f->n_switches; round++)
		for (uint32_t s = 0; s < f->n_switches; s++)
			for (unsigned p = 1; reach[s] && p <= f->sw[s].n_ports; p++) {
				const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

				if (q->role == MOORE_ROLE_SWITCH)
					reach[q->peer] = true;
			}
	return reach[b];
}

enum { DEAD = -1, ROUND = -2 };

/* The hops from s to the owner of the LID, or DEAD or ROUND.  slots[] receives the ports
 * passed. */
static int
route(const struct twin *t, moore_swid s, unsigned lid, unsigned *slots)
{
	for (int hops = 0; hops <= (int)t->n->f->n_switches; hops++) {
		unsigned out = moore_lft_row(t->n->lft, s)[lid];
		const struct moore_port *p;

		if (s == t->own[lid].sw && out == t->own[lid].port)
			return hops;
		if (out > t->n->f->sw[s].n_ports)
			return DEAD;
		p = moore_fabric_port(t->n->f, s, (moore_portnum)out);
		if (p->role != MOORE_ROLE_SWITCH)
			return DEAD;
		slots[hops] = t->n->f->sw[s].port0 + out;
		s = p->peer;
	}
	return ROUND;
}

struct tally {
	uint64_t pairs, unreachable, loops, partitioned, hops[MOORE_HOPS_MAX + 1];
	unsigned load[MAX_SLOTS], links;
};

static void
tally_pair(const struct twin *t, struct tally *y, moore_swid s, unsigned lid, bool loads)
{
	unsigned slots[16];
	int h = route(t, s, lid, slots);

	for (int i = 0; loads && i < h; i++)
		y->load[slots[i]]++;
	if (h == 0 || (t->o.endpoints_only && !test_has_endpoint(t->n->f, s)))
		return;
	y->pairs++;
	if (h > 0) {
		y->hops[h]++;
	} else if (!connected(t->n->f, s, t->own[lid].sw)) {
		y->partitioned++;
	} else {
		y->unreachable++;
		y->loops += h == ROUND;
	}
}

static struct tally
tally(const struct twin *t)
{
	const struct moore_fabric *f = t->n->f;
	struct tally y = { 0 };
	bool any_ep = false;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		any_ep |= test_has_endpoint(f, s);
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
			y.links += moore_fabric_port(f, s, (moore_portnum)p)->role == MOORE_ROLE_SWITCH;
	}
	for (unsigned lid = 1; lid <= f->lid_top; lid++)
		for (uint32_t s = 0; addressed(t, lid) && s < f->n_switches; s++)
			tally_pair(t, &y, s, lid, any_ep ? t->own[lid].ep != MOORE_NONE &&
				   test_has_endpoint(f, s) : true);
	return y;
}

/* ---- random nets ---------------------------------------------------------------- */

static uint32_t
below(struct moore_rng *r, uint32_t n)
{
	return moore_rng_below(r, n);
}

static moore_portnum
free_port(const struct moore_fabric *f, moore_swid s, struct moore_rng *r)
{
	unsigned p = 1 + below(r, MAX_PORTS);

	return moore_fabric_port(f, s, (moore_portnum)p)->role ? 0 : (moore_portnum)p;
}

static uint8_t
link_lanes(struct moore_rng *r)
{
	static const uint8_t lanes[] = { 1, 2, 4, 8, 15 };

	return below(r, 3) ? 8 : lanes[below(r, ARRAY_LEN(lanes))];
}

static void
random_cables(struct net *n, struct moore_rng *r)
{
	struct moore_fabric *f = n->f;
	moore_lid lid = 1;

	for (unsigned i = 0; i < 3 * f->n_switches; i++) {
		moore_swid a = below(r, f->n_switches), b = below(r, f->n_switches);
		moore_portnum pa = free_port(f, a, r), pb = free_port(f, b, r);

		if (pa && pb && (a != b || (pa != pb && !below(r, 20))))
			moore_fabric_link(f, a, pa, b, pb, link_lanes(r));
	}
	for (uint32_t e = 0; e < f->n_endpoints; e++) {
		moore_swid s = below(r, f->n_switches);
		moore_portnum p = free_port(f, s, r);

		if (!p)
			continue;
		moore_fabric_attach(f, e, s, p, link_lanes(r));
		f->ep[e].lmc = (uint8_t)below(r, 2);
		lid = (moore_lid)(lid + (lid & 1));
		f->ep[e].lid = lid;
		lid = (moore_lid)(lid + (1u << f->ep[e].lmc) + below(r, 2));
	}
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (below(r, 5))
			f->sw[s].lid = lid++;
}

/* Grows a random in-tree for each LID, then in some cases overwrites a few entries. */
static void
random_routes(struct net *n, struct moore_rng *r)
{
	const struct moore_fabric *f = n->f;
	unsigned noise = below(r, 3) ? 0 : 1 + below(r, 12);
	struct moore_lid_owner *own;

	assert_int_equal(moore_fabric_lids(f, &own, NULL), 0);
	for (unsigned lid = 1; lid <= f->lid_top; lid++) {
		bool in_tree[8] = { false };
		unsigned tries = own[lid].sw == MOORE_NONE ? 0 : 200;

		if (tries) {
			in_tree[own[lid].sw] = true;
			moore_lft_row(n->lft, own[lid].sw)[lid] = own[lid].port;
		}
		while (tries--) {
			moore_swid s = below(r, f->n_switches);
			unsigned p = 1 + below(r, MAX_PORTS);
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (in_tree[s] || q->role != MOORE_ROLE_SWITCH || !in_tree[q->peer])
				continue;
			in_tree[s] = true;
			moore_lft_row(n->lft, s)[lid] = (uint8_t)p;
		}
	}
	free(own);
	while (f->lid_top && noise--)
		moore_lft_row(n->lft, below(r, f->n_switches))[1 + below(r, f->lid_top)] =
			below(r, 6) ? (uint8_t)below(r, MAX_PORTS + 2) : MOORE_NO_PATH;
}

static void
random_lanes(struct net *n, struct moore_rng *r)
{
	unsigned kind = below(r, 4), vls = 1 + below(r, 3);
	bool drops = !below(r, 4);

	if (kind < 2) {
		if (kind)
			two_vls(n);
		return;
	}
	for (uint32_t s = 0; s < n->f->n_switches; s++)
		for (unsigned in = 0; in <= MAX_PORTS; in++)
			for (unsigned out = 0; out <= MAX_PORTS; out++) {
				struct moore_sl_row row;

				for (unsigned sl = 0; sl < MOORE_N_SL; sl++) {
					row.vl[sl] = (uint8_t)below(r, vls);
					if (sl && kind == 3)
						row.vl[sl] = sl < 14 ? row.vl[0] : row.vl[sl];
					if (drops && !below(r, 30))
						row.vl[sl] = 15;
				}
				assert_int_equal(moore_sl2vl_set(n->sl2vl, s, (moore_portnum)in,
								 (moore_portnum)out, &row, NULL), 0);
			}
}

static void
random_groups(struct net *n, struct moore_rng *r)
{
	for (unsigned g = below(r, 4) ? 0 : 1 + below(r, 2); g; g--) {
		int64_t i = moore_mft_group(n->mft, (uint16_t)(0xc000 + g));

		for (uint32_t s = 0; s < n->f->n_switches; s++)
			if (below(r, 3))
				n->mft->mask[(size_t)i * n->f->n_switches + s][0] =
					moore_rng_next(r) & moore_rng_next(r) & 0x7f;
	}
}

static struct net
random_net(struct moore_rng *r)
{
	struct net n = net_new(1 + below(r, 7), below(r, 6), MAX_PORTS);

	random_cables(&n, r);
	net_tables(&n);
	random_routes(&n, r);
	random_lanes(&n, r);
	random_groups(&n, r);
	return n;
}

/* In half the cases NULL (any SL on any LID), else random SLs for each switch and LID. */
static struct moore_sl_set *
random_set(const struct net *n, struct moore_rng *r)
{
	uint16_t many = (uint16_t)(below(r, 2) ? UINT16_MAX : 0);
	struct moore_sl_set *t;

	if (below(r, 2))
		return NULL;
	assert_int_equal(moore_sl_set_new(&t, n->f->n_switches, n->f->lid_top, NULL), 0);
	for (size_t i = 0; i < n->f->n_switches * t->stride; i++)
		t->sl[i] = (uint16_t)((moore_rng_next(r) & moore_rng_next(r)) |
				      (below(r, 2) ? many : 0));
	return t;
}

/* ---- the comparison -------------------------------------------------------------- */

static void
compare_cycle(struct twin *t, const struct moore_verdict *v)
{
	for (uint32_t i = 0; i < v->cycle_len; i++) {
		const struct moore_dependency *d = &v->cycle[i];
		const struct moore_channel *to = &v->cycle[(i + 1) % v->cycle_len].from;
		bool seen[MAX_CHANNELS] = { false };

		t->want_from = chan(t, d->from.sw, d->from.port, d->from.vl);
		t->want_to = chan(t, to->sw, to->port, to->vl);
		t->made = false;
		CHECK("the example's source sends", source(t, d->src_sw, d->src_port));
		CHECK("an SL that it uses", uses(t, d->src_sw, d->dlid < 0xc000 ? d->dlid : 0, d->sl));
		CHECK("on an SL in use", !t->o.sl_mask || t->o.sl_mask >> d->sl & 1);
		if (d->dlid >= 0xc000) {
			send_multicast(t, d->src_sw, d->src_port,
				       (uint32_t)moore_mft_group(t->n->mft, (uint16_t)d->dlid), d->sl, -1, seen);
		} else {
			CHECK("to a LID in use", addressed(t, d->dlid));
			send_unicast(t, d->src_sw, d->src_port, d->dlid, d->sl);
		}
		CHECK("the example makes the dependency", t->made);
	}
}

static void
compare_order(const struct twin *t, const struct moore_verdict *v)
{
	unsigned rank[MAX_CHANNELS] = { 0 };

	for (uint32_t i = 0; i < v->n_channels; i++) {
		unsigned c = chan(t, v->order[i].sw, v->order[i].port, v->order[i].vl);

		CHECK("each channel in use once", t->used[c] && !rank[c]);
		rank[c] = i + 1;
	}
	for (unsigned a = 0; a < t->n_used; a++)
		for (unsigned b = 0; b < t->n_used; b++)
			CHECK("dependencies go forward",
			      !t->dep[(size_t)t->index[a] * MAX_CHANNELS + t->index[b]] ||
			      rank[t->index[a]] < rank[t->index[b]]);
}

static void
compare_counts(const struct twin *t, const struct moore_verdict *v)
{
	uint64_t deps = 0, dropped = 0;
	unsigned vls = 0;

	for (unsigned a = 0; a < t->n_used; a++)
		for (unsigned b = 0; b < t->n_used; b++)
			deps += t->dep[(size_t)t->index[a] * MAX_CHANNELS + t->index[b]];
	for (unsigned a = 0; a < t->n_used; a++)
		vls |= 1u << t->index[a] % 15;
	for (size_t i = 0; i < sizeof(t->dropped); i++)
		dropped += ((const uint8_t *)t->dropped)[i];
	CHECK_EQ("channels", v->n_channels, t->n_used);
	CHECK_EQ("dependencies", v->n_dependencies, deps);
	CHECK_EQ("VLs", v->vls, vls);
	CHECK_EQ("dropped", v->dropped, dropped);
}

static void
compare_tally(const struct twin *t, const struct moore_verdict *v)
{
	struct tally y = tally(t);
	unsigned top = 0, sum = 0, slots[16];

	CHECK_EQ("pairs", v->pairs, y.pairs);
	CHECK_EQ("unreachable", v->unreachable, y.unreachable);
	CHECK_EQ("loops", v->loops, y.loops);
	CHECK_EQ("partitioned", v->partitioned, y.partitioned);
	for (unsigned h = 0; h <= MOORE_HOPS_MAX; h++)
		CHECK_EQ("hops", v->hops[h], y.hops[h]);
	for (unsigned i = 0; i < MAX_SLOTS; i++) {
		top = y.load[i] > top ? y.load[i] : top;
		sum += y.load[i];
	}
	CHECK_EQ("greatest load", v->max_load, top);
	CHECK("mean load", !y.links ? v->mean_load == 0 :
	      v->mean_load > (double)sum / y.links - 1e-9 && v->mean_load < (double)sum / y.links + 1e-9);
	CHECK_EQ("the hottest link has it", y.load[t->n->f->sw[v->hottest.sw].port0 + v->hottest.port],
		 top);
	CHECK("the pair shown is bad", !v->unreachable || route(t, v->bad_sw, v->bad_lid, slots) < 0);
}

static void
test_twin(void **state)
{
	struct moore_rng r = { test_seed() };
	unsigned rounds = test_rounds(10000), cyclic = 0, mcast = 0, bad = 0, sets = 0;
	(void)state;

	for (unsigned i = 0; i < rounds; i++) {
		struct net n = random_net(&r);
		struct moore_check_opts o = { below(&r, 3) ? 0 : (uint16_t)moore_rng_next(&r),
			!below(&r, 3), !below(&r, 3), NULL, NULL };
		struct moore_sl_set *set = random_set(&n, &r);
		struct twin *t;
		unsigned girth;
		struct moore_verdict *v;

		o.sl_set = set;
		t = twin_new(&n, &o);
		girth = twin_girth(t);
		assert_int_equal(moore_check(&v, n.f, n.lft, n.sl2vl, n.mft, &o, NULL), 0);
		CHECK_EQ("acyclic", v->acyclic, !girth);
		CHECK_EQ("length of a shortest cycle", v->cycle_len, girth);
		compare_counts(t, v);
		compare_tally(t, v);
		if (girth)
			compare_cycle(t, v);
		else
			compare_order(t, v);
		CHECK_EQ("sound", v->sound, !girth && !v->unreachable && !v->dropped);
		cyclic += !!girth;
		for (uint32_t c = 0; c < v->cycle_len; c++)
			if (v->cycle[c].dlid >= 0xc000) {
				mcast++;
				break;
			}
		bad += !!v->unreachable;
		sets += set && v->cycle_len;
		moore_sl_set_free(set);
		moore_verdict_free(v);
		twin_free(t);
		net_free(&n);
	}
	print_message("# %u nets: %u cyclic (%u with multicast, %u under a set), %u with "
		      "unreachable pairs\n", rounds, cyclic, mcast, sets, bad);
	CHECK("every kind came up", cyclic && mcast && sets && bad && cyclic < rounds);
}

/* ---- the trees that OpenSM builds by itself ------------------------------------------- */

static void
two_vls_on_a_line(struct net *n)
{
	two_vls(n);
	cut_open(n);
}

static void
hosts_0_and_2(struct net *n)
{
	int64_t g = moore_mft_group(n->mft, 0xc007);

	two_vls(n);
	n->mft->mask[(size_t)g * n->f->n_switches + 0][0] = 1 << 1 | 1 << 2;
	n->mft->mask[(size_t)g * n->f->n_switches + 2][0] = 1 << 1;
}

static const struct {
	const char *why;
	void (*tweak)(struct net *);
	uint32_t n, n_safe;
	bool together, cycle;
	moore_swid root0;	/* of the first tree */
	uint16_t mlid;
	uint64_t ports1;	/* of S1 in the first tree */
} stock[] = {
	{ "one VL: unicast goes round by itself", identity, 5, 0, false, true, 0, 0, 0xe },
	{ "two VLs: each tree leaves one link of the ring out", two_vls, 5, 5, false, false, 0, 0, 0xe },
	{ "a line is its only tree", two_vls_on_a_line, 5, 5, true, false, 0, 0, 0xe },
	{ "a group has its root between its members, and only links to them", hosts_0_and_2,
		1, 1, true, false, 1, 0xc007, 0xc },
};

static void
test_stock(void **state)
{
	static const struct moore_check_opts all;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(stock); i++) {
		struct net n = ring(5, true);
		moore_mcast_ports members[5], tree[5];
		struct moore_stock_verdict *v;
		struct moore_stock_hop *hops;

		stock[i].tweak(&n);
		CHECK_OOM(stock[i].why, moore_stock_hops(&hops, n.f, NULL), (void)0);
		CHECK_OOM(stock[i].why, moore_check_stock(&v, n.f, n.lft, n.sl2vl, hops, n.mft, &all, NULL),
			  (void)0);
		CHECK_EQ(stock[i].why, v->n, stock[i].n);
		CHECK_EQ(stock[i].why, v->n_safe, stock[i].n_safe);
		CHECK_EQ(stock[i].why, v->together, stock[i].together);
		CHECK_EQ(stock[i].why, v->cycle_len > 0, stock[i].cycle);
		CHECK_EQ(stock[i].why, v->tree[0].root, stock[i].root0);
		CHECK_EQ(stock[i].why, v->tree[0].mlid, stock[i].mlid);
		if (n.mft->n_groups)
			memcpy(members, n.mft->mask, sizeof(members));
		else
			moore_stock_everyone(n.f, members);
		moore_stock_tree(n.f, hops, v->tree[0].root, members, tree);
		CHECK_EQ(stock[i].why, tree[1][0], stock[i].ports1);
		moore_stock_verdict_free(v);
		free(hops);
		net_free(&n);
	}
}

/* The trees of all groups of n or, without groups, from each switch to all endpoints.
 * moore_check() must judge them alike. */
static struct moore_mft *
stock_trees(const struct net *n, const struct moore_stock_hop *hops)
{
	moore_mcast_ports everyone[16];
	const uint32_t n_groups = n->mft->n_groups;
	struct moore_mft *t;

	assert_true(n->f->n_switches <= ARRAY_LEN(everyone));
	moore_stock_everyone(n->f, everyone);
	assert_int_equal(moore_mft_new(&t, n->f->n_switches, NULL), 0);
	for (uint32_t g = 0; g < (n_groups ? n_groups : n->f->n_switches); g++) {
		const moore_mcast_ports *members = n_groups ?
			&n->mft->mask[(size_t)g * n->f->n_switches] : everyone;
		moore_swid root = n_groups ? moore_stock_root(n->f, hops, members) : g;
		uint16_t mlid = n_groups ? n->mft->mlid[g] : (uint16_t)(0xc000 + g);

		assert_int_equal(moore_mft_group(t, mlid), g);
		moore_stock_tree(n->f, hops, root, members, &t->mask[(size_t)g * n->f->n_switches]);
	}
	return t;
}

static bool
acyclic_with(const struct net *n, const struct moore_mft *mft, const struct moore_check_opts *o)
{
	struct moore_verdict *v;
	bool acyclic;

	assert_int_equal(moore_check(&v, n->f, n->lft, n->sl2vl, mft, o, NULL), 0);
	acyclic = v->acyclic;
	moore_verdict_free(v);
	return acyclic;
}

static void
test_stock_like_check(void **state)
{
	unsigned safe = 0, unsafe = 0;
	struct moore_rng r = { 12 };
	(void)state;

	for (unsigned i = 0; i < 300; i++) {
		struct net n = random_net(&r);
		struct moore_check_opts o = { below(&r, 2) ? 0 : (uint16_t)moore_rng_next(&r),
			!below(&r, 3), !below(&r, 3), NULL, NULL };
		struct moore_stock_verdict *v;
		struct moore_stock_hop *hops;
		struct moore_mft *trees;

		if (n.mft->n_groups)	/* one without members after the others */
			assert_true(moore_mft_group(n.mft, 0xdfff) > 0);
		assert_int_equal(moore_stock_hops(&hops, n.f, NULL), 0);
		assert_int_equal(moore_check_stock(&v, n.f, n.lft, n.sl2vl, hops, n.mft, &o, NULL), 0);
		trees = stock_trees(&n, hops);
		for (uint32_t g = 0; g < trees->n_groups; g++) {
			struct moore_mft one = *trees;

			one.n_groups = 1;
			one.mlid += g;
			one.mask += (size_t)g * one.n_switches;
			CHECK_EQ("a tree alone", v->tree[g].safe, acyclic_with(&n, &one, &o));
			safe += v->tree[g].safe;
			unsafe += !v->tree[g].safe;
		}
		if (trees->n_groups)
			CHECK_EQ("all trees", v->together, acyclic_with(&n, trees, &o));
		CHECK_EQ("a cycle is told", v->cycle_len > 0, v->n_safe < v->n);
		moore_mft_free(trees);
		moore_stock_verdict_free(v);
		free(hops);
		net_free(&n);
	}
	CHECK("both came up", safe && unsafe);
}

/* A star has a switch with over 64 links: each leaf sends to each other one by its middle. */
static void
test_star(void **state)
{
	enum { LEAVES = 150, MIDDLE = LEAVES };
	struct moore_topo_link link[LEAVES];
	uint16_t endpoints[LEAVES + 1] = { 0 };
	struct moore_check_opts o = { .endpoints_only = true };
	struct moore_fabric *f;
	struct moore_sl2vl *sl2vl;
	struct moore_verdict *v;
	struct moore_lft *lft;
	(void)state;

	for (uint32_t s = 0; s < LEAVES; s++) {
		link[s] = (struct moore_topo_link){ s, MIDDLE };
		endpoints[s] = 1;
	}
	f = test_fabric(LEAVES + 1, link, LEAVES, endpoints, 0);
	assert_int_equal(moore_lft_new(&lft, f->n_switches, f->lid_top, NULL), 0);
	assert_int_equal(moore_sl2vl_new(&sl2vl, f, NULL), 0);
	for (uint32_t e = 0; e < LEAVES; e++) {		/* endpoint e is behind port 1 of leaf e */
		for (uint32_t s = 0; s < LEAVES; s++)
			moore_lft_row(lft, s)[f->ep[e].lid] = s == e ? 1 : 2;
		moore_lft_row(lft, MIDDLE)[f->ep[e].lid] = (uint8_t)(e + 1);
	}
	moore_lft_row(lft, 140)[f->ep[149].lid] = MOORE_NO_PATH;
	moore_lft_row(lft, MIDDLE)[f->ep[70].lid] = 131;	/* back and forth, but for leaf 70 */
	assert_int_equal(moore_check(&v, f, lft, sl2vl, NULL, &o, NULL), 0);
	CHECK_EQ("pairs", v->pairs, LEAVES * (LEAVES - 1));
	CHECK_EQ("unreachable", v->unreachable, 1 + LEAVES - 1);
	CHECK_EQ("loops", v->loops, LEAVES - 1);
	CHECK_EQ("the others have two hops", v->hops[2], LEAVES * (LEAVES - 1) - LEAVES);
	CHECK_EQ("channels", v->n_channels, 2 * LEAVES - 1);	/* nothing leads to leaf 70 */
	/* From each leaf to each other one, less 140 to 149 and those to 70, and for LID 70 the turn at
	 * leaf 130 and those at the middle, of which only that from leaf 130 to itself is new. */
	CHECK_EQ("dependencies", v->n_dependencies,
		 LEAVES * (LEAVES - 1) - 1 - (LEAVES - 1) + 2);
	CHECK_EQ("a loop is a cycle", v->cycle_len, 2);
	CHECK_EQ("greatest load", (unsigned)v->max_load, LEAVES - 1);
	moore_verdict_free(v);
	moore_lft_free(lft);
	moore_sl2vl_free(sl2vl);
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_known_examples),
		cmocka_unit_test(test_long_routes),
		cmocka_unit_test(test_high_lids),
		cmocka_unit_test(test_256_apart),
		cmocka_unit_test(test_two_lids),
		cmocka_unit_test(test_one_sender),
		cmocka_unit_test(test_misfits),
		cmocka_unit_test(test_oom),
		cmocka_unit_test(test_star),
		cmocka_unit_test(test_twin),
		cmocka_unit_test(test_stock),
		cmocka_unit_test(test_stock_like_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

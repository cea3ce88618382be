// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_mix.c - the judge of table changes against brute force: all combinations of old and
 * new rows, with packets followed one by one.  Churn is tested against its definition. */
#include "harness.h"

#include "fabrics.h"
#include "moore/engine.h"
#include "moore/lane.h"
#include "moore/mix.h"
#include "moore/route.h"

static const struct moore_lane_opts one_class = { { 0 } }, two_classes = { { 0, 1 } };

/* ---- the naive twin --------------------------------------------------------- */

enum { MAX_SW = 6, MAX_CH = 64 * 16 };

struct twin {
	const struct moore_fabric *f;
	struct moore_mix_tables t[2];
	unsigned mask;			/* bit s: switch s has its new row */
	uint32_t loop_lids, loop_len;
	bool edge[MAX_CH][MAX_CH];	/* dependencies found in all combinations */
};

static unsigned
channel(const struct moore_fabric *f, moore_swid s, unsigned port, unsigned vl)
{
	return (f->sw[s].port0 + port) * 16 + vl;
}

/* Follows one packet.  At each switch the SL2VL can be the old or the new one, so a packet
 * has a set of VLs.  Returns true if the packet runs in a loop. */
static bool
follow(struct twin *w, moore_swid s, unsigned in, unsigned lid, unsigned sl, uint32_t *len)
{
	unsigned from_port = 0, from_vls = 0, seen_at[MAX_SW + 1];
	moore_swid from = MOORE_NONE;

	for (unsigned i = 0; i < MAX_SW + 1; i++)
		seen_at[i] = UINT32_MAX;
	for (uint32_t hops = 0; hops < 4 * MAX_SW; hops++) {
		uint8_t out = moore_lft_row(w->t[w->mask >> s & 1].lft, s)[lid];
		const struct moore_port *p;
		unsigned vls = 0;

		if (out > w->f->sw[s].n_ports)
			return false;
		p = moore_fabric_port(w->f, s, out);
		if (p->role != MOORE_ROLE_SWITCH)
			return false;
		if (seen_at[s] != UINT32_MAX)
			*len = hops - seen_at[s];
		seen_at[s] = hops;
		for (int k = 0; k < 2; k++)
			vls |= 1u << moore_sl2vl_get(w->t[k].sl2vl, s, (moore_portnum)in, out)->vl[sl];
		vls &= 0x7fff;
		for (unsigned v = 0; from != MOORE_NONE && v < 15; v++)
			for (unsigned x = 0; from_vls >> v & 1 && x < 15; x++)
				if (vls >> x & 1)
					w->edge[channel(w->f, from, from_port, v)]
					       [channel(w->f, s, out, x)] = true;
		if (!vls)
			return false;
		from = s, from_port = out, from_vls = vls;
		s = p->peer;
		in = p->peer_port;
	}
	return true;
}

static void
naive_lid(struct twin *w, unsigned lid)
{
	uint32_t n = w->f->n_switches;
	bool loops = false;

	for (w->mask = 0; w->mask < 1u << n; w->mask++)
		for (moore_swid s = 0; s < n; s++)
			for (unsigned in = 0; in <= w->f->sw[s].n_ports; in++) {
				uint8_t role = moore_fabric_port(w->f, s, (moore_portnum)in)->role;

				for (unsigned sl = 0; sl < 16; sl++) {
					uint32_t len = 0;

					if (role != MOORE_ROLE_ENDPOINT && role != MOORE_ROLE_SELF)
						continue;
					if (!follow(w, s, in, lid, sl, &len))
						continue;
					loops = true;
					if (!w->loop_len || len < w->loop_len)
						w->loop_len = len;
				}
			}
	w->loop_lids += loops;
}

static bool
visit(const struct twin *w, unsigned n, uint8_t *colour, unsigned c)
{
	if (colour[c])
		return colour[c] == 2;
	colour[c] = 1;
	for (unsigned d = 0; d < n; d++)
		if (w->edge[c][d] && !visit(w, n, colour, d))
			return false;
	colour[c] = 2;
	return true;
}

static bool
naive_acyclic(const struct twin *w, uint64_t *n_edges)
{
	unsigned n = w->f->n_ports * 16;
	uint8_t colour[MAX_CH] = { 0 };
	bool ok = true;

	*n_edges = 0;
	for (unsigned c = 0; c < n; c++) {
		ok &= visit(w, n, colour, c);
		for (unsigned d = 0; d < n; d++)
			*n_edges += w->edge[c][d];
	}
	return ok;
}

static bool
leads_on(const struct moore_fabric *f, const struct moore_lft *t, moore_swid s, unsigned lid)
{
	const uint8_t out = moore_lft_row(t, s)[lid];

	return out <= f->sw[s].n_ports && moore_fabric_port(f, s, out)->role != MOORE_ROLE_NONE;
}

/* Counts LIDs and dead rows as moore/mix.h defines them. */
static void
compare_counts(const char *why, const struct moore_fabric *f, const struct moore_lft *was,
	       const struct moore_lft *now, const struct moore_mix *m)
{
	uint64_t lids = 0, lids_changed = 0, dead_old = 0, dead_new = 0;

	for (unsigned lid = 1; lid < was->stride; lid++) {
		bool any = false, changed = false;

		for (moore_swid s = 0; s < f->n_switches; s++) {
			const bool old = leads_on(f, was, s, lid), new = leads_on(f, now, s, lid);

			any |= old || new;
			changed |= moore_lft_row(was, s)[lid] != moore_lft_row(now, s)[lid];
			dead_old += !old && new;
			dead_new += old && !new;
		}
		lids += any;
		lids_changed += any && changed;
	}
	CHECK_EQ(why, m->lids, lids);
	CHECK_EQ(why, m->lids_changed, lids_changed);
	CHECK_EQ(why, m->dead_old, dead_old);
	CHECK_EQ(why, m->dead_new, dead_new);
}

/* On one journey a packet can use both the old and the new row of a switch only if it
 * visits the switch twice, that is on a loop.  In that case the judge may count more turns. */
static void
compare(const char *why, const struct moore_fabric *f, const struct moore_mix_tables *was,
	const struct moore_mix_tables *now, struct moore_mix **out)
{
	static struct twin w;
	struct moore_err err;
	uint64_t n_edges;
	bool acyclic;

	memset(&w, 0, sizeof(w));
	w.f = f;
	w.t[0] = *was;
	w.t[1] = *now;
	CHECK(why, f->n_ports * 16 <= MAX_CH && f->n_switches <= MAX_SW);
	for (unsigned lid = 1; lid < was->lft->stride; lid++)
		naive_lid(&w, lid);
	acyclic = naive_acyclic(&w, &n_edges);
	CHECK_EQ(why, moore_mix_judge(out, f, was, now, &err), 0);
	CHECK_EQ(why, (*out)->loop_lids, w.loop_lids);
	CHECK_EQ(why, (*out)->loop_len, w.loop_len);
	CHECK_EQ(why, (*out)->acyclic, acyclic);
	CHECK_EQ(why, (*out)->safe, acyclic && !w.loop_lids);
	CHECK(why, (*out)->n_dependencies >= n_edges);
	if (!w.loop_lids)
		CHECK_EQ(why, (*out)->n_dependencies, n_edges);
	compare_counts(why, f, was->lft, now->lft, *out);
}

/* ---- what the judge reports, followed step by step ----------------------------- */

/* True if some switch's packets to a LID go round: out[] has its row at each switch. */
static bool
goes_round(const struct moore_fabric *f, const uint8_t *out)
{
	for (moore_swid s0 = 0; s0 < f->n_switches; s0++) {
		moore_swid s = s0;
		uint32_t hops = 0;

		for (; hops <= f->n_switches; hops++) {
			if (out[s] > f->sw[s].n_ports ||
			    moore_fabric_port(f, s, out[s])->role != MOORE_ROLE_SWITCH)
				break;
			s = moore_fabric_port(f, s, out[s])->peer;
		}
		if (hops > f->n_switches)
			return true;
	}
	return false;
}

/* True if a LID has a loop after the first n steps. */
static bool
loops_after(const struct moore_fabric *f, const struct moore_lft *was, const struct moore_lft *now,
	    const struct moore_mix_step *step, uint32_t n)
{
	uint8_t *out = malloc(f->n_switches);
	bool loops = false;

	assert_non_null(out);
	for (unsigned lid = 1; lid < was->stride && !loops; lid++) {
		for (moore_swid s = 0; s < f->n_switches; s++) {
			bool done = false;

			for (uint32_t i = 0; i < n; i++)
				done |= step[i].sw == s && step[i].block == lid / 64;
			out[s] = moore_lft_row(done ? now : was, s)[lid];
		}
		loops = goes_round(f, out);
	}
	free(out);
	return loops;
}

static void
check_order(const char *why, const struct moore_fabric *f, const struct moore_lft *was,
	    const struct moore_lft *now, const struct moore_mix *m)
{
	uint32_t changed = 0;

	for (moore_swid s = 0; s < f->n_switches; s++)
		for (size_t b = 0; b < was->stride / 64; b++)
			changed += memcmp(moore_lft_row(was, s) + 64 * b,
					  moore_lft_row(now, s) + 64 * b, 64) != 0;
	if (m->order == MOORE_ORDER_UNKNOWN) {
		CHECK(why, !m->step && !m->n_steps && m->loop_lids);
		CHECK_EQ("without an order, only what holds in any", m->order_acyclic, m->acyclic);
		return;
	}
	CHECK("what holds in any order holds in this one", m->order_acyclic || !m->acyclic);
	CHECK_EQ(why, m->n_steps, changed);
	for (uint32_t n = 0; n <= m->n_steps; n++)
		CHECK(why, !loops_after(f, was, now, m->step, n));
	/* Each block is written once. */
	for (uint32_t i = 0; i < m->n_steps; i++)
		for (uint32_t k = 0; k < i; k++)
			CHECK(why, m->step[i].sw != m->step[k].sw ||
			      m->step[i].block != m->step[k].block);
}

/* The step that writes the block of (s, lid); n_steps if none does, because both rows are
 * equal. */
static uint32_t
written(const struct moore_mix *m, moore_swid s, unsigned lid)
{
	uint32_t i = 0;

	while (i < m->n_steps && (m->step[i].sw != s || m->step[i].block != lid / 64))
		i++;
	return i;
}

struct packet {
	unsigned lid, sl, in;
	moore_swid at, from;
	unsigned from_port, from_vls;
	uint32_t time;		/* at least so many steps are done */
};

/* Follows all journeys of a packet while steps are made; time never runs backwards. */
static void
journey(struct twin *w, const struct moore_mix *m, struct packet p, unsigned depth)
{
	for (int row = 0; depth < 2 * MAX_SW && row < 2; row++) {
		uint32_t at = written(m, p.at, p.lid);
		uint8_t out = moore_lft_row(w->t[row].lft, p.at)[p.lid];
		struct packet next = p;
		unsigned vls = 0;

		if ((!row && p.time > at) || out > w->f->sw[p.at].n_ports ||
		    moore_fabric_port(w->f, p.at, out)->role != MOORE_ROLE_SWITCH)
			continue;
		for (int k = 0; k < 2; k++)
			vls |= 1u << moore_sl2vl_get(w->t[k].sl2vl, p.at, (moore_portnum)p.in,
						     out)->vl[p.sl];
		vls &= 0x7fff;
		for (unsigned v = 0; p.from != MOORE_NONE && v < 15; v++)
			for (unsigned x = 0; p.from_vls >> v & 1 && x < 15; x++)
				if (vls >> x & 1)
					w->edge[channel(w->f, p.from, p.from_port, v)]
					       [channel(w->f, p.at, out, x)] = true;
		if (!vls)
			continue;
		next.from = p.at, next.from_port = out, next.from_vls = vls;
		next.in = moore_fabric_port(w->f, p.at, out)->peer_port;
		next.at = moore_fabric_port(w->f, p.at, out)->peer;
		next.time = row && at < m->n_steps && p.time <= at ? at + 1 : p.time;
		journey(w, m, next, depth + 1);
	}
}

/* If the judge reports the order as acyclic, no journeys together make a cycle. */
static void
check_journeys(const char *why, const struct moore_fabric *f, const struct moore_mix_tables *was,
	       const struct moore_mix_tables *now, const struct moore_mix *m)
{
	static struct twin w;
	uint64_t n_edges;

	if (m->order == MOORE_ORDER_UNKNOWN || !m->order_acyclic)
		return;
	memset(&w, 0, sizeof(w));
	w.f = f;
	w.t[0] = *was;
	w.t[1] = *now;
	for (unsigned lid = 1; lid < was->lft->stride; lid++)
		for (moore_swid s = 0; s < f->n_switches; s++)
			for (unsigned in = 0; in <= f->sw[s].n_ports; in++)
				for (unsigned sl = 0; sl < 16; sl++)
					if (moore_fabric_port(f, s, (moore_portnum)in)->role >=
					    MOORE_ROLE_ENDPOINT)
						journey(&w, m, (struct packet){ .lid = lid, .sl = sl,
							.in = in, .at = s, .from = MOORE_NONE }, 0);
	CHECK(why, naive_acyclic(&w, &n_edges));
}

/* True if the LID loops when the n switches of the least GUIDs have their new rows. */
static bool
loops_by_guid(const struct moore_fabric *f, const struct moore_lft *was, const struct moore_lft *now,
	      unsigned lid, uint32_t n)
{
	uint8_t *out = malloc(f->n_switches);
	bool loops;

	assert_non_null(out);
	for (moore_swid s = 0; s < f->n_switches; s++) {
		uint32_t before = 0;

		for (moore_swid t = 0; t < f->n_switches; t++)
			before += f->sw[t].guid < f->sw[s].guid;
		out[s] = moore_lft_row(before < n ? now : was, s)[lid];
	}
	loops = goes_round(f, out);
	free(out);
	return loops;
}

static void
check_opensm(const char *why, const struct moore_fabric *f, const struct moore_lft *was,
	     const struct moore_lft *now, const struct moore_mix *m)
{
	uint32_t lids = 0;

	for (unsigned lid = 1; lid < was->stride; lid++) {
		bool loops = false;

		for (uint32_t n = 0; n <= f->n_switches; n++)
			loops |= loops_by_guid(f, was, now, lid, n);
		lids += loops;
	}
	CHECK_EQ(why, m->opensm_loop_lids, lids);
}

/* Checks that the reported loop is one: each link leads to the next switch and is in the
 * old or new row of the LID. */
static void
check_loop(const char *why, const struct moore_fabric *f, const struct moore_lft *was,
	   const struct moore_lft *now, const struct moore_mix *m)
{
	for (uint32_t i = 0; i < m->loop_len; i++) {
		const struct moore_channel *c = &m->loop[i];

		CHECK_EQ(why, moore_fabric_port(f, c->sw, c->port)->peer,
			 m->loop[(i + 1) % m->loop_len].sw);
		CHECK(why, moore_lft_row(was, c->sw)[m->loop_lid] == c->port ||
		      moore_lft_row(now, c->sw)[m->loop_lid] == c->port);
	}
}

/* Gives each pair of ports one of four rows of random VLs. */
static struct moore_sl2vl *
random_lanes(const struct moore_fabric *f, struct moore_rng *r)
{
	struct moore_sl_row row[4];
	struct moore_sl2vl *t;
	struct moore_err err;

	for (unsigned i = 0; i < 4; i++)
		for (unsigned sl = 0; sl < 16; sl++)
			row[i].vl[sl] = (uint8_t)(moore_rng_below(r, 12) ? moore_rng_below(r, 3) : 15);
	assert_int_equal(moore_sl2vl_new(&t, f, &err), 0);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned in = 0; in <= f->sw[s].n_ports; in++)
			for (unsigned out = 1; out <= f->sw[s].n_ports; out++)
				assert_int_equal(moore_sl2vl_set(t, s, (moore_portnum)in, (moore_portnum)out,
								 &row[moore_rng_below(r, 4)], &err), 0);
	return t;
}

static void
test_twin(void **state)
{
	struct moore_rng r = { test_seed() };
	unsigned n = test_rounds(200), orders[4] = { 0 }, cycles = 0, loops = 0, saved = 0;
	char why[64];

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		struct moore_fabric *f = test_random_fabric(&r, 2 + moore_rng_below(&r, MAX_SW - 1),
							    moore_rng_below(&r, 4), 0);
		bool lanes = i % 3 == 0;
		struct moore_lft *was = test_random_trees(f, &r, 200), *now;
		struct moore_sl2vl *l0 = NULL, *l1 = NULL;
		struct moore_err err;
		struct moore_mix *m;

		snprintf(why, sizeof(why), "round %u", i);
		if (lanes) {
			l0 = random_lanes(f, &r);
			l1 = random_lanes(f, &r);
		} else {
			assert_int_equal(moore_lane_effective(&l0, f, &one_class, NULL, &err), 0);
		}
		if (i % 2)
			test_cut_some(f, &r, 20);
		now = test_random_trees(f, &r, 200);
		if (!lanes)
			assert_int_equal(moore_lane_effective(&l1, f, &one_class, NULL, &err), 0);
		compare(why, f, &(struct moore_mix_tables){ was, l0 },
			&(struct moore_mix_tables){ now, l1 }, &m);
		check_order(why, f, was, now, m);
		check_journeys(why, f, &(struct moore_mix_tables){ was, l0 },
			       &(struct moore_mix_tables){ now, l1 }, m);
		check_loop(why, f, was, now, m);
		check_opensm(why, f, was, now, m);
		orders[m->order]++;
		cycles += !m->acyclic;
		loops += m->loop_lids > 0;
		saved += !m->acyclic && m->order_acyclic;
		moore_mix_free(m);
		moore_lft_free(was);
		moore_lft_free(now);
		moore_sl2vl_free(l0);
		moore_sl2vl_free(l1);
		moore_fabric_free(f);
	}
	print_message("# orders: any %u, switches %u, blocks %u, unknown %u; %u loop, %u cyclic, "
		      "%u of these not in their order, of %u\n", orders[0], orders[1], orders[2],
		      orders[3], loops, cycles, saved, n);
	CHECK("each case occurs", orders[0] && orders[1] && orders[3] && saved && loops < n);
}

/* ---- cases by hand ------------------------------------------------------------- */

/* A ring of three.  LIDs 1, 2, 3 belong to the switches.  Ports 1 and 2 are in the order of
 * the links 0-1, 0-2, 1-2. */
static const struct {
	const char *why;
	uint8_t was[3], now[3];		/* rows of LID 3 (switch 2) */
	bool cut;			/* the link 0-2 is cut */
	bool swapped;			/* S1 has the least GUID, S0 the next */
	int loop_lids, loop_len, acyclic, opensm, order, dead_old;
	uint32_t first, second;		/* the order, if there is one */
} T[] = {
	{ "nothing changes", { 2, 2, 0 }, { 2, 2, 0 }, false, false, 0, 0, 1, 0, MOORE_ORDER_ANY, 0, 0, 0 },
	{ "one switch goes a longer way, the other is as it was: no loop",
	  { 2, 2, 0 }, { 1, 2, 0 }, true, false, 0, 0, 1, 0, MOORE_ORDER_ANY, 1, 0, 0 },
	{ "0 and 1 change sides: 0 -> 1 old meets 1 -> 0 new",
	  { 1, 2, 0 }, { 2, 1, 0 }, false, false, 1, 2, 0, 0, MOORE_ORDER_SWITCHES, 0, 0, 1 },
	{ "the same, but GUID order is the wrong one",
	  { 1, 2, 0 }, { 2, 1, 0 }, false, true, 1, 2, 0, 1, MOORE_ORDER_SWITCHES, 0, 0, 1 },
	{ "the other way round, GUID order is the wrong one",
	  { 2, 1, 0 }, { 1, 2, 0 }, false, false, 1, 2, 0, 1, MOORE_ORDER_SWITCHES, 0, 1, 0 },
	{ "and when the link to 2 is lost, no route came by it",
	  { 2, 1, 0 }, { 1, 2, 0 }, true, false, 1, 2, 0, 1, MOORE_ORDER_SWITCHES, 1, 1, 0 },
	{ "the LID is gone", { 2, 2, 0 }, { MOORE_NO_PATH, MOORE_NO_PATH, MOORE_NO_PATH },
	  false, false, 0, 0, 1, 0, MOORE_ORDER_ANY, 0, 0, 0 },
	{ "the LID is new", { MOORE_NO_PATH, MOORE_NO_PATH, MOORE_NO_PATH }, { 2, 2, 0 },
	  false, false, 0, 0, 1, 0, MOORE_ORDER_ANY, 3, 0, 0 },
};

static struct moore_fabric *
ring(void)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
	static const uint16_t ep[3] = { 0 };

	return test_fabric(3, link, ARRAY_LEN(link), ep, 0);
}

static struct moore_lft *
rows(const struct moore_fabric *f, unsigned lid, const uint8_t *row)
{
	struct moore_err err;
	struct moore_lft *t;

	assert_int_equal(moore_lft_new(&t, f->n_switches, f->lid_top, &err), 0);
	for (moore_swid s = 0; s < f->n_switches; s++)
		moore_lft_row(t, s)[lid] = row[s];
	return t;
}

/* Of loops of equal length, that of the first LID is the example. */
static void
test_equal_loops(void **state)
{
	static const uint8_t straight[] = { 1, 2, 0 }, round[] = { 1, 2, 1 };
	struct moore_fabric *f = ring();
	struct moore_lft *was = rows(f, 2, straight), *now = rows(f, 2, round);
	struct moore_lane_opts any = { 0 };
	struct moore_sl2vl *l;
	struct moore_mix *m;

	(void)state;
	for (moore_swid s = 0; s < f->n_switches; s++) {
		moore_lft_row(was, s)[3] = straight[s];
		moore_lft_row(now, s)[3] = round[s];
	}
	assert_int_equal(moore_lane_effective(&l, f, &any, NULL, NULL), 0);
	compare("equal loops", f, &(struct moore_mix_tables){ was, l },
		&(struct moore_mix_tables){ now, l }, &m);
	assert_true(m->loop_lids == 2 && m->loop_len == 3 && m->loop_lid == 2);
	check_loop("equal loops", f, was, now, m);
	moore_mix_free(m);
	moore_sl2vl_free(l);
	moore_lft_free(was);
	moore_lft_free(now);
	moore_fabric_free(f);
}

/* 0 -> 1 or 2 -> 3 -> 4 or 5 -> 0: the shortest loop has four switches, and two ways lead to each
 * of those in the middle.  Nobody has LID 0. */
static void
test_diamonds(void **state)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 3 }, { 3, 4 },
		{ 3, 5 }, { 4, 0 }, { 5, 0 } };
	static const uint16_t none[6] = { 0 };
	static const uint8_t a[6] = { 1, 2, 2, 3, 2, 2 }, b[6] = { 2, 2, 2, 4, 2, 2 };
	struct moore_fabric *f = test_fabric(6, link, ARRAY_LEN(link), none, 0);
	struct moore_lft *was = rows(f, 1, a), *now = rows(f, 1, b);
	struct moore_sl2vl *l;
	struct moore_mix *m;
	(void)state;

	assert_int_equal(moore_lane_effective(&l, f, &one_class, NULL, NULL), 0);
	moore_lft_row(was, 0)[0] = moore_lft_row(now, 0)[0] = 1;
	compare("diamonds", f, &(struct moore_mix_tables){ was, l },
		&(struct moore_mix_tables){ now, l }, &m);
	CHECK_EQ("four switches", m->loop_len, 4);
	check_loop("diamonds", f, was, now, m);
	moore_mix_free(m);
	moore_lft_free(was);
	moore_lft_free(now);
	moore_sl2vl_free(l);
	moore_fabric_free(f);
}

static void
swap_guids(struct moore_fabric *f)
{
	uint64_t guid = f->sw[0].guid;

	f->sw[0].guid = f->sw[1].guid;
	f->sw[1].guid = guid;
}

static void
by_hand(const struct moore_lane_opts *classes)
{
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = ring();
		struct moore_lft *was = rows(f, 3, T[i].was), *now = rows(f, 3, T[i].now);
		struct moore_sl2vl *l;
		struct moore_mix *m;
		struct moore_err err;

		assert_int_equal(moore_lane_effective(&l, f, classes, NULL, &err), 0);
		if (T[i].cut)
			moore_fabric_cut(f, 0, 2);
		if (T[i].swapped)
			swap_guids(f);
		compare(T[i].why, f, &(struct moore_mix_tables){ was, l },
			&(struct moore_mix_tables){ now, l }, &m);
		CHECK_EQ(T[i].why, m->lids, 1);
		CHECK_EQ(T[i].why, m->lids_changed, memcmp(T[i].was, T[i].now, 3) != 0);
		CHECK_EQ(T[i].why, m->loop_lids, T[i].loop_lids);
		CHECK_EQ(T[i].why, m->loop_len, T[i].loop_len);
		CHECK_EQ(T[i].why, m->loop_lids ? m->loop_lid : 3, 3);
		CHECK_EQ(T[i].why, m->acyclic, T[i].acyclic);
		CHECK_EQ(T[i].why, m->opensm_loop_lids, T[i].opensm);
		CHECK_EQ(T[i].why, m->order, T[i].order);
		CHECK_EQ(T[i].why, m->dead_old, T[i].dead_old);
		if (m->order == MOORE_ORDER_SWITCHES) {
			CHECK_EQ(T[i].why, m->step[0].sw, T[i].first);
			CHECK_EQ(T[i].why, m->step[1].sw, T[i].second);
			CHECK(T[i].why, m->order_acyclic);
		}
		check_order(T[i].why, f, was, now, m);
		moore_mix_free(m);
		moore_lft_free(was);
		moore_lft_free(now);
		moore_sl2vl_free(l);
		moore_fabric_free(f);
	}
}

static void
test_by_hand(void **state)
{
	(void)state;
	by_hand(&one_class);
	by_hand(&two_classes);
}

/* The ring of three with LID 1 of S0: S1 and S2 change sides, so the turns of a mixture that
 * can deadlock are those of the last links.  In the order found they are ruled out. */
static void
test_last_links(void **state)
{
	static const uint8_t a[3] = { 0, 2, 1 }, b[3] = { 0, 1, 2 };
	struct moore_fabric *f = ring();
	struct moore_lft *was = rows(f, 1, a), *now = rows(f, 1, b);
	struct moore_sl2vl *l;
	struct moore_mix *m;
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_lane_effective(&l, f, &two_classes, NULL, &err), 0);
	compare("S1 and S2", f, &(struct moore_mix_tables){ was, l },
		&(struct moore_mix_tables){ now, l }, &m);
	CHECK_EQ("a mixture can deadlock", m->acyclic, 0);
	CHECK_EQ("one switch after the other", m->order, MOORE_ORDER_SWITCHES);
	CHECK_EQ("S1 first", m->step[0].sw, 1);
	CHECK_EQ("then it cannot", m->order_acyclic, 1);
	moore_mix_free(m);
	moore_lft_free(was);
	moore_lft_free(now);
	moore_sl2vl_free(l);
	moore_fabric_free(f);
}

/* Four switches, each linked to each; S3 is the destination.  Port p of a switch leads to
 * the p-th of the three others. */
static void
test_guid_rounds(void **state)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 },
		{ 1, 3 }, { 2, 3 } };
	static const uint16_t ep[4] = { 0 };
	static const struct {
		const char *why;
		bool swapped, one_vl;
		int acyclic;		/* in the order found */
		unsigned n_lids;	/* of each of two blocks */
		uint8_t was[2][4], now[2][4];	/* rows of LIDs with odd and even numbers */
		uint32_t order[3];
	} R[] = {
		{ "S0 and S1 follow S2, the one with the lesser GUID first", false, false, 1, 63,
		  { { 3, 3, 1, 0 }, { 3, 3, 1, 0 } }, { { 2, 2, 3, 0 }, { 2, 2, 3, 0 } }, { 2, 0, 1 } },
		{ "and if that is S1", true, false, 1, 63,
		  { { 3, 3, 1, 0 }, { 3, 3, 1, 0 } }, { { 2, 2, 3, 0 }, { 2, 2, 3, 0 } }, { 2, 1, 0 } },
		/* for one LID S0 follows S1, for the other S1 follows S0; but neither loops while
		 * both follow S2 */
		{ "not each after its new next switch, yet without loops", false, false, 1, 2,
		  { { 3, 3, 2, 0 }, { 3, 3, 1, 0 } }, { { 1, 2, 3, 0 }, { 2, 1, 3, 0 } }, { 2, 0, 1 } },
		/* S0 is written before S1, so packets go 0 -> 1 -> 3; LIDs 5 and 6 go 1 -> 3 -> 0 and
		 * 3 -> 0 -> 1 */
		{ "on one VL, that order can deadlock", false, true, 0, 2,
		  { { 3, 3, 2, 0 }, { 3, 3, 1, 0 } }, { { 1, 2, 3, 0 }, { 2, 1, 3, 0 } }, { 2, 0, 1 } },
	};
	static const uint8_t steady[2][4] = { { 0, 3, MOORE_NO_PATH, 1 }, { 1, 0, MOORE_NO_PATH, 1 } };
	struct moore_err err;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(R); i++) {
		struct moore_fabric *f = test_fabric(4, link, ARRAY_LEN(link), ep, 0);
		struct moore_lft *was, *now;
		struct moore_sl2vl *l;
		struct moore_mix *m;

		f->sw[3].lid = 127;
		assert_int_equal(moore_fabric_seal(f, &err), 0);
		assert_int_equal(moore_lft_new(&was, 4, f->lid_top, &err), 0);
		assert_int_equal(moore_lft_new(&now, 4, f->lid_top, &err), 0);
		for (unsigned lid = 1; lid <= 64 + R[i].n_lids; lid++)
			for (moore_swid s = 0; s < 4 && (lid - 1) % 64 < R[i].n_lids; s++) {
				moore_lft_row(was, s)[lid] = R[i].was[!(lid & 1)][s];
				moore_lft_row(now, s)[lid] = R[i].now[!(lid & 1)][s];
			}
		if (R[i].swapped)
			swap_guids(f);
		for (moore_swid s = 0; R[i].one_vl && s < 4; s++)
			for (unsigned k = 0; k < 2; k++)
				moore_lft_row(was, s)[5 + k] = moore_lft_row(now, s)[5 + k] = steady[k][s];
		if (R[i].one_vl)
			assert_int_equal(moore_sl2vl_new(&l, f, &err), 0);
		else
			assert_int_equal(moore_lane_effective(&l, f, &one_class, NULL, &err), 0);
		assert_int_equal(moore_mix_judge(&m, f, &(struct moore_mix_tables){ was, l },
						 &(struct moore_mix_tables){ now, l }, &err), 0);
		CHECK_EQ(R[i].why, m->loop_lids, 2 * R[i].n_lids);
		CHECK_EQ(R[i].why, m->order, MOORE_ORDER_SWITCHES);
		check_order(R[i].why, f, was, now, m);
		for (unsigned k = 0; k < 6; k++)
			CHECK_EQ(R[i].why, m->step[k].sw, R[i].order[k / 2]);
		CHECK_EQ(R[i].why, m->order_acyclic, R[i].acyclic);
		moore_mix_free(m);
		moore_lft_free(was);
		moore_lft_free(now);
		moore_sl2vl_free(l);
		moore_fabric_free(f);
	}
}

/* Four switches in a row.  What S0 sends is dropped, so only packets of S1 go over two
 * links: one dependency, from VL 1 to VL 0. */
static void
test_dropped(void **state)
{
	static const struct moore_topo_link line[] = { { 0, 1 }, { 1, 2 }, { 2, 3 } };
	static const uint16_t ep[4] = { 0 };
	static const uint8_t row[4] = { 1, 2, 2, 0 };
	struct moore_fabric *f = test_fabric(4, line, ARRAY_LEN(line), ep, 0);
	struct moore_lft *t = NULL;
	struct moore_sl_row vl;
	struct moore_sl2vl *l;
	struct moore_mix *m;
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_lft_new(&t, 4, f->lid_top, &err), 0);
	for (moore_swid s = 0; s < 4; s++)
		moore_lft_row(t, s)[4] = row[s];
	assert_int_equal(moore_sl2vl_new(&l, f, &err), 0);
	memset(&vl, 15, sizeof(vl));
	assert_int_equal(moore_sl2vl_set(l, 0, 0, 1, &vl, &err), 0);
	memset(&vl, 1, sizeof(vl));
	assert_int_equal(moore_sl2vl_set(l, 1, 0, 2, &vl, &err), 0);
	compare("dropped at S0", f, &(struct moore_mix_tables){ t, l },
		&(struct moore_mix_tables){ t, l }, &m);
	CHECK_EQ("of S1 alone", m->n_dependencies, 1);
	moore_mix_free(m);
	moore_lft_free(t);
	moore_sl2vl_free(l);
	moore_fabric_free(f);
}

/* Two LIDs that require opposite orders: if they share a block no order exists; in two
 * blocks each has an order of its own. */
static void
test_opposite(void **state)
{
	static const struct {
		const char *why;
		unsigned lid[2];
		int order;
		uint32_t bad, ordered;
	} O[] = {
		{ "in one block", { 3, 4 }, MOORE_ORDER_UNKNOWN, 1, 0 },
		{ "in two blocks", { 3, 64 }, MOORE_ORDER_BLOCKS, 2, 2 },
		{ "in two blocks with two between", { 3, 200 }, MOORE_ORDER_BLOCKS, 2, 2 },
	};
	static const uint8_t a[3] = { 1, 2, 0 }, b[3] = { 2, 1, 0 };
	struct moore_err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(O); i++) {
		struct moore_fabric *f = ring();
		struct moore_lft *was, *now;
		struct moore_sl2vl *l;
		struct moore_mix *m;

		f->sw[2].lid = (moore_lid)O[i].lid[1];
		assert_int_equal(moore_fabric_seal(f, &err), 0);
		was = rows(f, O[i].lid[0], a);
		now = rows(f, O[i].lid[0], b);
		for (moore_swid s = 0; s < 3; s++) {
			moore_lft_row(was, s)[O[i].lid[1]] = b[s];
			moore_lft_row(now, s)[O[i].lid[1]] = a[s];
		}
		assert_int_equal(moore_lane_effective(&l, f, &one_class, NULL, &err), 0);
		assert_int_equal(moore_mix_judge(&m, f, &(struct moore_mix_tables){ was, l },
						 &(struct moore_mix_tables){ now, l }, &err), 0);
		CHECK_EQ(O[i].why, m->loop_lids, 2);
		CHECK_EQ(O[i].why, m->order, O[i].order);
		CHECK_EQ(O[i].why, m->bad_blocks, O[i].bad);
		CHECK_EQ(O[i].why, m->ordered_blocks, O[i].ordered);
		check_order(O[i].why, f, was, now, m);
		moore_mix_free(m);
		moore_lft_free(was);
		moore_lft_free(now);
		moore_sl2vl_free(l);
		moore_fabric_free(f);
	}
}

/* ---- churn ----------------------------------------------------------------------- */

/* Each link of a planned Slim Fly is lost in turn.  Intact routes do not change, and no
 * more rows change than shortest routing requires. */
static void
test_links(void **state)
{
	struct moore_plan *plan = plan_of("slimfly", "q=5");
	struct moore_engine_result *was, *now;
	struct moore_conf conf;
	struct moore_fabric *f;
	struct moore_err err;
	unsigned n = 0;

	(void)state;
	moore_conf_defaults(&conf);
	assert_int_equal(moore_fabric_from_plan(&f, plan, 0, &err), 0);
	assert_int_equal(moore_engine_run(&was, f, plan, &conf, NULL, NULL, &err), 0);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			struct moore_port a = *moore_fabric_port(f, s, (moore_portnum)p);
			struct moore_churn c;
			struct moore_mix *m;

			if (a.role != MOORE_ROLE_SWITCH || a.peer < s)
				continue;
			moore_fabric_cut(f, s, (moore_portnum)p);
			assert_int_equal(moore_engine_run(&now, f, plan, &conf, NULL, NULL, &err), 0);
			assert_int_equal(moore_churn(&c, f, was->lft, now->lft, &err), 0);
			assert_int_equal(moore_mix_judge(&m, f,
				&(struct moore_mix_tables){ was->lft, was->sl2vl },
				&(struct moore_mix_tables){ now->lft, now->sl2vl }, &err), 0);
			CHECK("bounds are in order", c.forced.blocks <= c.shortest.blocks &&
			      c.forced.blocks <= c.lost.blocks && c.forced.rows > 0);
			CHECK("three times the least", c.changed.blocks <= 3 * c.shortest.blocks);
			CHECK("no more than what was lost", c.changed.rows <= c.lost.rows);
			CHECK_EQ("each lost row was a dead end", m->dead_old, c.forced.rows);
			CHECK("an order of switches exists, and is safe",
			      m->order <= MOORE_ORDER_SWITCHES && m->order_acyclic);
			moore_mix_free(m);
			moore_engine_result_free(now);
			moore_fabric_link(f, s, (moore_portnum)p, a.peer, a.peer_port, a.lanes);
			n++;
		}
	CHECK_EQ("every link", n, 175);
	moore_engine_result_free(was);
	moore_fabric_free(f);
	moore_plan_free(plan);
}

/* The ring of three again, with LID 3 and without link 0-2. */
static const struct {
	const char *why;
	uint8_t was[3], now[3];
	unsigned changed, lost, forced, shortest;
} C[] = {
	{ "one row leads to nothing, one must change, one does", { 2, 2, 0 }, { 1, 2, 0 }, 1, 1, 1, 1 },
	{ "1 went through 0: both are lost, but 1 need not know a lost link to be wrong",
	  { 2, 1, 0 }, { 1, 2, 0 }, 2, 2, 1, 2 },
	{ "no path before, and one now", { MOORE_NO_PATH, 2, 0 }, { 1, 2, 0 }, 1, 1, 1, 1 },
	{ "what was whole and changed all the same", { 1, 2, 0 }, { 1, MOORE_NO_PATH, 0 }, 1, 0, 0, 0 },
	{ "the owner's own row was wrong: no one arrived", { 1, 2, 2 }, { 1, 2, 0 }, 1, 1, 1, 1 },
};

static void
churn_of(moore_lid lid)
{
	for (size_t i = 0; i < ARRAY_LEN(C); i++) {
		struct moore_fabric *f = ring();
		struct moore_lft *was, *now;
		struct moore_churn c;
		struct moore_err err;

		moore_fabric_cut(f, 0, 2);
		f->sw[0].lid = f->sw[1].lid = 0;	/* only the LID of S2 */
		f->sw[2].lid = lid;
		assert_int_equal(moore_fabric_seal(f, &err), 0);
		was = rows(f, lid, C[i].was);
		now = rows(f, lid, C[i].now);
		CHECK_EQ(C[i].why, moore_churn(&c, f, was, now, &err), 0);
		CHECK_EQ(C[i].why, c.changed.rows, C[i].changed);
		CHECK_EQ(C[i].why, c.changed.blocks, C[i].changed);
		CHECK_EQ(C[i].why, c.lost.rows, C[i].lost);
		CHECK_EQ(C[i].why, c.forced.rows, C[i].forced);
		CHECK_EQ(C[i].why, c.shortest.rows, C[i].shortest);
		/* no block holds two of these rows */
		CHECK_EQ(C[i].why, c.lost.blocks, C[i].lost);
		CHECK_EQ(C[i].why, c.forced.blocks, C[i].forced);
		CHECK_EQ(C[i].why, c.shortest.blocks, C[i].shortest);
		CHECK_EQ(C[i].why, c.all.blocks, 3 * (lid / 64 + 1));
		moore_lft_free(was);
		moore_lft_free(now);
		moore_fabric_free(f);
	}
}

static void
test_churn(void **state)
{
	(void)state;
	churn_of(3);
	churn_of(64);	/* the first LID of its block */
	churn_of(127);	/* the last */
}

/* A ring of three with an endpoint at switch 0.  Rows from a port to itself do not count. */
static void
test_lane_churn(void **state)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
	static const struct moore_sl_row row = { { 1 } };
	static const uint16_t ep[3] = { 1 };
	struct moore_fabric *f = test_fabric(3, link, ARRAY_LEN(link), ep, 0);
	struct moore_lane_churn c;
	struct moore_sl2vl *was, *now;
	(void)state;

	assert_int_equal(moore_sl2vl_new(&was, f, NULL), 0);
	assert_int_equal(moore_sl2vl_new(&now, f, NULL), 0);
	assert_int_equal(moore_sl2vl_set(now, 1, 2, 2, &row, NULL), 0);
	moore_sl2vl_churn(&c, f, was, now);
	CHECK_EQ("four ports that send to three, and twice three to two", c.all, 9 + 4 + 4);
	CHECK_EQ("none changes", c.changed, 0);
	assert_int_equal(moore_sl2vl_set(now, 0, 0, 3, &row, NULL), 0);
	assert_int_equal(moore_sl2vl_set(now, 2, 1, 2, &row, NULL), 0);
	moore_sl2vl_churn(&c, f, was, now);
	CHECK_EQ("two change", c.changed, 2);
	moore_sl2vl_free(was);
	moore_sl2vl_free(now);
	moore_fabric_free(f);
}

/* ---- tables that do not fit ------------------------------------------------------- */

static void
test_misfits(void **state)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
	static const uint16_t host_at_1[3] = { 0, 1 }, none[2] = { 0 };
	struct moore_fabric *f = ring(), *g = test_fabric(3, link, 3, host_at_1, 0),
		*two = test_fabric(2, link, 1, none, 0);
	struct moore_lft *t, *of_two, *longer;
	struct moore_sl2vl *l, *l_host, *l_two;
	struct moore_churn c;
	struct moore_mix *m;
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_lft_new(&t, 3, 3, &err), 0);
	assert_int_equal(moore_lft_new(&of_two, 2, 3, &err), 0);
	assert_int_equal(moore_lft_new(&longer, 3, 100, &err), 0);
	assert_int_equal(moore_lane_effective(&l, f, &one_class, NULL, &err), 0);
	assert_int_equal(moore_lane_effective(&l_host, g, &one_class, NULL, &err), 0);
	assert_int_equal(moore_lane_effective(&l_two, two, &one_class, NULL, &err), 0);
	for (unsigned short_of_lids = 0; short_of_lids < 2; short_of_lids++) {
		const struct {
			const char *why, *text;
			struct moore_mix_tables was, now;
		} M[] = {
			{ "too few old rows", "old LFTs", { of_two, l }, { t, l } },
			{ "too few new rows", "new LFTs", { t, l }, { of_two, l } },
			{ "old rows are longer", "old LFTs", { longer, l }, { t, l } },
			{ "old SL2VL of two switches", "old SL2VL", { t, l_two }, { t, l } },
			{ "new SL2VL of two switches", "new SL2VL", { t, l }, { t, l_two } },
			{ "old SL2VL with a port more", "old SL2VL: switch sw1 has 2 ports in the fabric "
			  "and 3 in the table", { t, l_host }, { t, l } },
			{ "new SL2VL with a port more", "new SL2VL: switch sw1 has 2 ports in the fabric "
			  "and 3 in the table", { t, l }, { t, l_host } },
		};

		for (size_t i = 0; i < ARRAY_LEN(M); i++) {
			m = (struct moore_mix *)&err;
			CHECK_EQ(M[i].why, moore_mix_judge(&m, f, &M[i].was, &M[i].now, &err), -MOORE_EINVAL);
			CHECK(M[i].why, !m);
			CHECK_STR(M[i].why, err.text, short_of_lids ? "old LFTs" : M[i].text);
			CHECK_EQ(M[i].why, err.line, 0);
		}
		CHECK_EQ("churn, old", moore_churn(&c, f, of_two, t, &err), -MOORE_EINVAL);
		CHECK_EQ("churn, new", moore_churn(&c, f, t, of_two, &err), -MOORE_EINVAL);
		CHECK_EQ("churn, old longer", moore_churn(&c, f, longer, t, &err), -MOORE_EINVAL);
		CHECK_EQ("churn, new longer", moore_churn(&c, f, t, longer, &err), -MOORE_EINVAL);
		CHECK_EQ("of no line", err.line, 0);
		CHECK_EQ("churn, both", moore_churn(&c, f, t, t, &err), short_of_lids ? -MOORE_EINVAL : 0);
		f->sw[2].lid = 64;	/* rows end before LID 64 */
		assert_int_equal(moore_fabric_seal(f, &err), 0);
	}
	moore_lft_free(t);
	moore_lft_free(of_two);
	moore_lft_free(longer);
	moore_sl2vl_free(l);
	moore_sl2vl_free(l_host);
	moore_sl2vl_free(l_two);
	moore_fabric_free(f);
	moore_fabric_free(g);
	moore_fabric_free(two);
}

/* ---- two fabrics, memory ----------------------------------------------------------- */

/* Checks that switch s of `to` has the rows of switch was of `from`. */
static void
same_lanes(const char *why, const struct moore_sl2vl *to, moore_swid s,
	   const struct moore_sl2vl *from, moore_swid was)
{
	CHECK_EQ(why, to->width[s], from->width[was]);
	for (unsigned in = 0; in < to->width[s]; in++)
		for (unsigned out = 0; out < to->width[s]; out++)
			CHECK(why, memcmp(moore_sl2vl_get(to, s, (moore_portnum)in, (moore_portnum)out),
					  moore_sl2vl_get(from, was, (moore_portnum)in, (moore_portnum)out),
					  sizeof(struct moore_sl_row)) == 0);
}

/* Checks that switch s of `to` has the rows of switch was of h, except on links that h does
 * not have: these have those of now. */
static void
old_lanes(const struct moore_sl2vl *to, moore_swid s, const struct moore_fabric *h,
	  const struct moore_sl2vl *old, moore_swid was, const struct moore_sl2vl *now)
{
	for (unsigned in = 0; in < to->width[s]; in++)
		for (unsigned out = 0; out < to->width[s]; out++) {
			bool both = moore_fabric_port(h, was, (moore_portnum)in)->role != MOORE_ROLE_NONE &&
				moore_fabric_port(h, was, (moore_portnum)out)->role != MOORE_ROLE_NONE;
			const struct moore_sl_row *want = both ?
				moore_sl2vl_get(old, was, (moore_portnum)in, (moore_portnum)out) :
				moore_sl2vl_get(now, s, (moore_portnum)in, (moore_portnum)out);

			CHECK("old rows on old links", memcmp(want, moore_sl2vl_get(to, s,
			      (moore_portnum)in, (moore_portnum)out), sizeof(*want)) == 0);
		}
}

/* Without switch 5, and with it again.  Old tables have one class, new ones two. */
static void
test_carry_lanes(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=4", 0), *h = test_without(f, 5);
	struct moore_sl2vl *lf, *lh, *l2;
	struct moore_lft *t, *t2;
	struct moore_err err;
	int rc = -1;
	(void)state;

	assert_int_equal(moore_lft_new(&t, f->n_switches, f->lid_top, &err), 0);
	assert_int_equal(moore_lane_effective(&lf, f, &one_class, NULL, &err), 0);
	assert_int_equal(moore_lane_effective(&lh, h, &two_classes, NULL, &err), 0);
	assert_int_equal(moore_sl2vl_set(lf, 0, 1, 0, &(struct moore_sl_row){ .vl = { 3 } }, &err), 0);
	f->sw[7].n_ports--;	/* as if it had had a port less */
	for (long at = 0; rc < 0; at++) {
		t2 = (struct moore_lft *)&err;
		l2 = (struct moore_sl2vl *)&err;
		alloc_count = 0;
		alloc_fail_at = at;
		rc = moore_mix_carry(&t2, &l2, h, t->stride, f, &(struct moore_mix_tables){ t, lf },
				     &(struct moore_mix_tables){ t, lh }, &err);
		alloc_fail_at = -1;
		CHECK("nothing is left of a failure", rc == 0 || (rc == -MOORE_ENOMEM && !t2 && !l2));
	}
	for (moore_swid s = 0; s < h->n_switches; s++)
		if (s == 6)
			same_lanes("other ports: as the new tables", l2, s, lh, s);
		else
			same_lanes("as before", l2, s, lf, s < 5 ? s : s + 1);
	moore_lft_free(t2);
	moore_sl2vl_free(l2);
	f->sw[7].n_ports++;
	memset(t->row, 1, t->n_switches * t->stride);
	CHECK_EQ("back", moore_mix_carry(&t2, &l2, f, t->stride, h, &(struct moore_mix_tables){ t, lh },
					 &(struct moore_mix_tables){ t, lf }, &err), 0);
	for (moore_swid s = 0; s < f->n_switches; s++) {
		CHECK_EQ("routes of a new switch", moore_lft_row(t2, s)[1], s == 5 ? MOORE_NO_PATH : 1);
		if (s == 5)
			same_lanes("a new switch: as the new tables", l2, s, lf, s);
		else
			old_lanes(l2, s, h, lh, s < 5 ? s : s - 1, lf);
	}
	moore_lft_free(t);
	moore_lft_free(t2);
	moore_sl2vl_free(lf);
	moore_sl2vl_free(lh);
	moore_sl2vl_free(l2);
	moore_fabric_free(f);
	moore_fabric_free(h);
}

static void
test_carry(void **state)
{
	struct moore_rng r = { test_seed() };
	struct moore_fabric *f = test_family("slimfly", "q=4", 0), *g = test_shuffled(f, &r);
	struct moore_fabric *h = test_without(f, 5);
	struct moore_sl2vl *lf, *lh, *l2;
	struct moore_lft *t, *t2;
	struct moore_err err;

	(void)state;
	assert_int_equal(moore_lft_new(&t, f->n_switches, f->lid_top, &err), 0);
	for (moore_swid s = 0; s < f->n_switches; s++)
		memset(moore_lft_row(t, s), (int)s, t->stride);
	assert_int_equal(moore_lane_effective(&lf, f, &one_class, NULL, &err), 0);
	assert_int_equal(moore_lane_effective(&lh, h, &one_class, NULL, &err), 0);
	CHECK_OOM("every allocation", moore_mix_carry(&t2, NULL, g, t->stride + 64, f,
		&(struct moore_mix_tables){ t, lf }, NULL, &err), (void)0);
	CHECK_EQ("as long as they were asked for", t2->stride, t->stride + 64);
	for (moore_swid s = 0; s < g->n_switches; s++) {
		CHECK_EQ("rows follow GUIDs", moore_lft_row(t2, s)[1], g->sw[s].guid - 0x200000);
		CHECK_EQ("what is longer has no path", moore_lft_row(t2, s)[t->stride], MOORE_NO_PATH);
	}
	moore_lft_free(t2);
	CHECK_OOM("with lanes", moore_mix_carry(&t2, &l2, h, t->stride, f,
		&(struct moore_mix_tables){ t, lf }, &(struct moore_mix_tables){ t, lh }, &err), (void)0);
	CHECK_EQ("a switch is gone", t2->n_switches, f->n_switches - 1);
	CHECK_EQ("the rest moves up", moore_lft_row(t2, 5)[1], 6);
	moore_lft_free(t2);
	moore_sl2vl_free(l2);
	CHECK_EQ("LFTs of another fabric", moore_mix_judge(&(struct moore_mix *){ NULL }, h,
		&(struct moore_mix_tables){ t, lh }, &(struct moore_mix_tables){ t, lh }, &err),
		-MOORE_EINVAL);
	CHECK_STR("says so", err.text, "old LFTs");
	moore_lft_free(t);
	moore_sl2vl_free(lf);
	moore_sl2vl_free(lh);
	moore_fabric_free(f);
	moore_fabric_free(g);
	moore_fabric_free(h);
}

static void
test_memory(void **state)
{
	static const uint8_t a[3] = { 2, 1, 0 }, b[3] = { 1, 2, 0 };
	struct moore_fabric *f = ring();
	struct moore_lft *was = rows(f, 3, a), *now = rows(f, 3, b);
	struct moore_churn c;
	struct moore_sl2vl *l;
	struct moore_mix *m;
	struct moore_err err;

	(void)state;
	assert_int_equal(moore_lane_effective(&l, f, &one_class, NULL, &err), 0);
	CHECK_OOM("judge", moore_mix_judge(&m, f, &(struct moore_mix_tables){ was, l },
					   &(struct moore_mix_tables){ now, l }, &err),
		  moore_mix_free(m));
	CHECK_OOM("churn", moore_churn(&c, f, was, now, &err), (void)0);
	moore_lft_free(was);
	moore_lft_free(now);
	moore_sl2vl_free(l);
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_loops),
		cmocka_unit_test(test_twin),
		cmocka_unit_test(test_diamonds),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_last_links),
		cmocka_unit_test(test_guid_rounds),
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_opposite),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_churn),
		cmocka_unit_test(test_lane_churn),
		cmocka_unit_test(test_misfits),
		cmocka_unit_test(test_carry),
		cmocka_unit_test(test_carry_lanes),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

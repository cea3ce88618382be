// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_mix_held.c - the judge of what switches may hold against brute force.
 *
 * Two oracles on small random graphs.  One enumerates the mixtures of each LID (each switch
 * selects one of its values) and follows the packets of each: loops, drops, dependencies.
 * The other lets a packet take any value at any switch and finds all its states (switch, in
 * port, VL), since a row may change while a packet is on its way. */
#include "harness.h"

#include "fabrics.h"
#include "moore/engine.h"
#include "moore/lane.h"
#include "moore/mix.h"
#include "shuffled_jobs.h"

enum { MAX_SW = 5, MAX_LID = 64, MAX_VALUES = 32, MAX_CH = 48 * 16, MAX_MFT = 3 };

/* ---- the oracles ------------------------------------------------------------------- */

struct values {
	uint8_t n, port[MAX_VALUES];
};

struct oracle {
	const struct moore_fabric *f;
	const struct moore_mix_lanes *lanes;
	struct values held[MAX_SW][MAX_LID], before[MAX_SW][MAX_LID];
	bool seen[MAX_CH], edge[MAX_CH][MAX_CH];	/* channels and dependencies in any mixture, */
	bool fixed[MAX_CH][MAX_CH];	/* and dependencies in a mixture that does not change */
	bool state[MAX_SW][48][16];
	bool dropped[MAX_SW][MAX_LID];	/* pairs that a mixture interrupts */
	unsigned lids, mixed, loop_lids, loop_lid, loop_groups, fixed_groups, live, interrupted;
	unsigned dropped_lid;		/* the least LID of these */
};

static void
add_value(struct values *v, unsigned port)
{
	for (unsigned i = 0; i < v->n; i++)
		if (v->port[i] == port)
			return;
	v->port[v->n++] = (uint8_t)port;
}

/* Lists the values of each row; all ports that lead nowhere count as one value. */
static void
list_values(const struct moore_fabric *f, const struct moore_held *h,
	    struct values v[MAX_SW][MAX_LID])
{
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned lid = 1; lid < h->lft->stride; lid++) {
			struct values *x = &v[s][lid];
			unsigned ports = f->sw[s].n_ports, port = moore_lft_row(h->lft, s)[lid];

			x->n = 0;
			if (h->unknown && h->unknown[0] >> s & 1) {
				for (unsigned p = 0; p <= ports; p++)
					if (moore_fabric_port(f, s, (moore_portnum)p)->role)
						add_value(x, p);
				add_value(x, MOORE_NO_PATH);
				continue;
			}
			add_value(x, port > ports ? MOORE_NO_PATH : port);
			for (size_t i = 0; i < h->n_more; i++) {
				port = h->more[i].port;
				if (h->more[i].sw == s && h->more[i].lid == lid)
					add_value(x, port > ports ? MOORE_NO_PATH : port);
			}
		}
}

static const struct moore_port *
port_of(const struct oracle *o, moore_swid s, unsigned port)
{
	static const struct moore_port none = { .role = MOORE_ROLE_NONE };

	return port > o->f->sw[s].n_ports ? &none :
		moore_fabric_port(o->f, s, (moore_portnum)port);
}

static bool
sends(const struct oracle *o, moore_swid s, unsigned in, unsigned lid, unsigned sl)
{
	const struct moore_sl_set *set = o->lanes->sl_set;
	unsigned role = port_of(o, s, in)->role;

	if (role != MOORE_ROLE_ENDPOINT && role != MOORE_ROLE_SELF)
		return false;
	return !set || (lid < set->stride && set->sl[s * set->stride + lid] >> sl & 1);
}

static unsigned
vl_of(const struct oracle *o, unsigned table, moore_swid s, unsigned in, unsigned out, unsigned sl)
{
	const struct moore_sl2vl *t = table ? o->lanes->other : o->lanes->sl2vl;

	return t ? moore_sl2vl_get(t, s, (moore_portnum)in, (moore_portnum)out)->vl[sl] : 15;
}

static unsigned
channel(const struct oracle *o, moore_swid s, unsigned port, unsigned vl)
{
	return (o->f->sw[s].port0 + port) * 16 + vl;
}

static void roam(struct oracle *o, moore_swid s, unsigned in, unsigned vl, unsigned lid,
		 unsigned group, unsigned sl);

/* A packet that came over channel `from` (or MAX_CH) leaves s by port out. */
static void
leave(struct oracle *o, moore_swid s, unsigned in, unsigned out, unsigned from, unsigned lid,
      unsigned group, unsigned sl)
{
	const struct moore_port *p = port_of(o, s, out);

	if (p->role != MOORE_ROLE_SWITCH)
		return;
	for (unsigned table = 0; table < 2; table++) {
		unsigned vl = vl_of(o, table, s, in, out, sl), to = channel(o, s, out, vl);

		if (vl == 15)
			continue;
		o->seen[to] = true;
		if (from < MAX_CH)
			o->edge[from][to] = true;
		roam(o, p->peer, p->peer_port, vl, lid, group, sl);
	}
}

static bool
in_mask(const struct moore_mft *m, moore_swid s, unsigned out, unsigned group)
{
	for (unsigned g = 0; g < m->n_groups; g++)
		if (m->mlid[g] == group && m->mask[g * m->n_switches + s][0] >> out & 1)
			return true;
	return false;
}

/* The ports by which a packet may leave s: any value of the LID or, if lid is 0, any port of
 * the group in any table. */
static bool
may_leave(const struct oracle *o, moore_swid s, unsigned in, unsigned out, unsigned lid,
	  unsigned group)
{
	for (unsigned i = 0; lid && i < o->held[s][lid].n; i++)
		if (o->held[s][lid].port[i] == out)
			return true;
	for (unsigned t = 0; !lid && t < o->lanes->n_mft && out != in; t++)
		if (in_mask(o->lanes->mft[t], s, out, group))
			return true;
	return false;
}

static void
roam(struct oracle *o, moore_swid s, unsigned in, unsigned vl, unsigned lid, unsigned group,
     unsigned sl)
{
	const struct moore_port *back = port_of(o, s, in);
	unsigned from = channel(o, back->peer, back->peer_port, vl);

	if (o->state[s][in][vl])
		return;
	o->state[s][in][vl] = true;
	for (unsigned out = 0; out <= o->f->sw[s].n_ports; out++)
		if (may_leave(o, s, in, out, lid, group))
			leave(o, s, in, out, from, lid, group, sl);
}

/* Finds all states of the packets to a LID or group, on every SL. */
static void
roam_all(struct oracle *o, unsigned lid, unsigned group)
{
	for (unsigned sl = 0; sl < 16; sl++) {
		memset(o->state, 0, sizeof(o->state));
		for (moore_swid s = 0; s < o->f->n_switches; s++)
			for (unsigned in = 0; in <= o->f->sw[s].n_ports; in++)
				for (unsigned out = 0; out <= o->f->sw[s].n_ports; out++)
					if (sends(o, s, in, lid, sl) && may_leave(o, s, in, out, lid, group))
						leave(o, s, in, out, MAX_CH, lid, group, sl);
	}
}

/* ---- mixtures of a LID ---------------------------------------------------------------- */

/* Makes the next choice of values; returns false after the last one. */
static bool
next_choice(uint8_t *choice, const uint8_t *n, unsigned n_sw)
{
	for (unsigned s = 0; s < n_sw; s++) {
		if (++choice[s] < n[s])
			return true;
		choice[s] = 0;
	}
	return false;
}

/* Follows the rows from s: 1 if they lead to the owner, 0 if they drop, -1 if they loop. */
static int
follow(const struct oracle *o, struct values v[MAX_SW][MAX_LID], const uint8_t *choice,
       moore_swid s, unsigned lid, const struct moore_lid_owner *own)
{
	for (unsigned hops = 0; hops <= o->f->n_switches; hops++) {
		unsigned out = v[s][lid].port[choice[s]];
		const struct moore_port *p = port_of(o, s, out);

		if (p->role != MOORE_ROLE_SWITCH)
			return own->sw == s && own->port == out;
		s = p->peer;
	}
	return -1;
}

/* Notes the dependencies of one packet in a mixture that does not change. */
static void
note_fixed(struct oracle *o, const uint8_t *choice, moore_swid s, unsigned in, unsigned lid,
	   unsigned sl)
{
	unsigned from = 0, hops = 0;		/* from, to: bit sets of VLs */
	moore_swid at = MOORE_NONE;
	unsigned at_port = 0;

	for (; hops < 3 * MAX_SW; hops++) {
		unsigned out = o->held[s][lid].port[choice[s]], to = 0;
		const struct moore_port *p = port_of(o, s, out);

		if (p->role != MOORE_ROLE_SWITCH)
			return;
		for (unsigned t = 0; t < 2; t++)
			to |= 1u << vl_of(o, t, s, in, out, sl);
		to &= 0x7fff;
		for (unsigned a = 0; a < 15 && at != MOORE_NONE; a++)
			for (unsigned b = 0; from >> a & 1 && b < 15; b++)
				if (to >> b & 1)
					o->fixed[channel(o, at, at_port, a)][channel(o, s, out, b)] = true;
		if (!to)
			return;
		from = to, at = s, at_port = out;
		s = p->peer, in = p->peer_port;
	}
}

static void
note_fixed_all(struct oracle *o, const uint8_t *choice, unsigned lid)
{
	for (moore_swid s = 0; s < o->f->n_switches; s++)
		for (unsigned in = 0; in <= o->f->sw[s].n_ports; in++)
			for (unsigned sl = 0; sl < 16; sl++)
				if (sends(o, s, in, lid, sl))
					note_fixed(o, choice, s, in, lid, sl);
}

/* Sets all[s] if every mixture delivers the packets of s.  Returns true if one loops. */
static bool
try_mixtures(struct oracle *o, struct values v[MAX_SW][MAX_LID], unsigned lid,
	     const struct moore_lid_owner *own, bool *all, bool note)
{
	uint8_t choice[MAX_SW] = { 0 }, n[MAX_SW];
	bool loops = false;

	for (moore_swid s = 0; s < o->f->n_switches; s++) {
		all[s] = true;
		n[s] = v[s][lid].n;
	}
	do {
		for (moore_swid s = 0; s < o->f->n_switches; s++) {
			int end = follow(o, v, choice, s, lid, own);

			all[s] &= end == 1;
			loops |= end < 0;
		}
		if (note)
			note_fixed_all(o, choice, lid);
	} while (next_choice(choice, n, o->f->n_switches));
	return loops;
}

static void
judge_lid(struct oracle *o, unsigned lid, const struct moore_lid_owner *own, bool note)
{
	bool was[MAX_SW], is[MAX_SW], route = false, mixed = false;

	for (moore_swid s = 0; s < o->f->n_switches; s++) {
		mixed |= o->held[s][lid].n > 1;
		for (unsigned i = 0; i < o->held[s][lid].n; i++)
			route |= port_of(o, s, o->held[s][lid].port[i])->role != MOORE_ROLE_NONE;
	}
	o->lids += route;
	o->mixed += route && mixed;
	try_mixtures(o, o->before, lid, own, was, false);
	if (try_mixtures(o, o->held, lid, own, is, note) && !o->loop_lids++)
		o->loop_lid = lid;
	for (moore_swid s = 0; s < o->f->n_switches; s++) {
		bool ep = false;

		for (unsigned p = 1; p <= o->f->sw[s].n_ports; p++)
			ep |= port_of(o, s, p)->role == MOORE_ROLE_ENDPOINT;
		o->live += ep && was[s];
		o->dropped[s][lid] = ep && was[s] && !is[s];
		if (o->dropped[s][lid] && !o->interrupted++)
			o->dropped_lid = lid;
	}
}

/* ---- multicast ------------------------------------------------------------------------- */

/* True if copies of a packet that is at s circulate; choice[s] (or NULL: any) is the table
 * whose mask s has.  colour: 1 on the way, 2 done. */
static bool
circulates(const struct oracle *o, moore_swid s, unsigned in, unsigned group, unsigned sl,
	   const uint8_t *choice, uint8_t colour[MAX_SW][48])
{
	bool loops = false;

	if (colour[s][in])
		return colour[s][in] == 1;
	colour[s][in] = 1;
	for (unsigned out = 1; out <= o->f->sw[s].n_ports; out++) {
		const struct moore_port *p = port_of(o, s, out);
		bool may = choice ? out != in && in_mask(o->lanes->mft[choice[s]], s, out, group) :
			may_leave(o, s, in, out, 0, group);

		if (!may || p->role != MOORE_ROLE_SWITCH ||
		    (vl_of(o, 0, s, in, out, sl) == 15 && vl_of(o, 1, s, in, out, sl) == 15))
			continue;
		loops |= circulates(o, p->peer, p->peer_port, group, sl, choice, colour);
	}
	colour[s][in] = 2;
	return loops;
}

static bool
group_loops(const struct oracle *o, unsigned group, const uint8_t *choice)
{
	bool loops = false;

	for (unsigned sl = 0; sl < 16; sl++)
		for (moore_swid s = 0; s < o->f->n_switches; s++)
			for (unsigned in = 0; in <= o->f->sw[s].n_ports; in++) {
				uint8_t colour[MAX_SW][48] = { { 0 } };

				loops |= sends(o, s, in, 0, sl) &&
					circulates(o, s, in, group, sl, choice, colour);
			}
	return loops;
}

static void
judge_group(struct oracle *o, unsigned group)
{
	uint8_t choice[MAX_SW] = { 0 }, n[MAX_SW];
	bool loops = false;

	memset(n, (int)o->lanes->n_mft, sizeof(n));
	do
		loops |= group_loops(o, group, choice);
	while (!loops && next_choice(choice, n, o->f->n_switches));
	o->fixed_groups += loops;
	o->loop_groups += group_loops(o, group, NULL);
	roam_all(o, 0, group);
}

/* ---- both sides compared ----------------------------------------------------------------- */

static bool
visit(const struct oracle *o, uint8_t *colour, unsigned c)
{
	if (colour[c])
		return colour[c] == 2;
	colour[c] = 1;
	for (unsigned d = 0; d < MAX_CH; d++)
		if (o->edge[c][d] && !visit(o, colour, d))
			return false;
	colour[c] = 2;
	return true;
}

static bool
has_no_cycle(const struct oracle *o, unsigned *n_edges, unsigned *n_channels)
{
	uint8_t colour[MAX_CH] = { 0 };
	bool ok = true;

	*n_edges = *n_channels = 0;
	for (unsigned c = 0; c < MAX_CH; c++) {
		*n_channels += o->seen[c];
		ok = ok && (!o->seen[c] || visit(o, colour, c));
		for (unsigned d = 0; o->seen[c] && d < MAX_CH; d++)
			*n_edges += o->edge[c][d];
	}
	return ok;
}

/* In a mixture that does not change, a packet uses one value of each row.  So without loops
 * such mixtures make the same dependencies, and with loops they may make fewer. */
static void
compare_fixed(const char *why, const struct oracle *o)
{
	for (unsigned c = 0; c < MAX_CH; c++)
		for (unsigned d = 0; o->seen[c] && d < MAX_CH; d++) {
			CHECK(why, o->edge[c][d] || !o->fixed[c][d]);
			if (!o->loop_lids && !o->lanes->n_mft)
				CHECK_EQ(why, o->fixed[c][d], o->edge[c][d]);
		}
}

static bool
drops_some(const struct moore_mix_lanes *l)
{
	bool drops = l->sl_set != NULL;

	for (unsigned i = 0; i < 2; i++) {
		const struct moore_sl2vl *t = i ? l->other : l->sl2vl;

		for (uint32_t r = 0; t && r < t->n_rows; r++)
			for (unsigned sl = 0; sl < 16; sl++)
				drops |= t->rows[r].vl[sl] == 15;
	}
	return drops;
}

static void
ask_oracle(struct oracle *o, const struct moore_fabric *f, const struct moore_held *held,
	   const struct moore_held *before, const struct moore_mix_lanes *lanes, bool note)
{
	static const struct moore_lid_owner nobody = { .sw = MOORE_NONE };
	struct moore_lid_owner *own;
	struct moore_err err;

	memset(o, 0, sizeof(*o));
	o->f = f;
	o->lanes = lanes;
	assert_int_equal(moore_fabric_lids(f, &own, &err), 0);
	list_values(f, held, o->held);
	list_values(f, before, o->before);
	for (unsigned lid = 1; lid < held->lft->stride; lid++) {
		judge_lid(o, lid, lid <= f->lid_top ? &own[lid] : &nobody, note);
		roam_all(o, lid, 0);
	}
	for (unsigned group = 0xc000; lanes->n_mft && group < 0xc003; group++)
		judge_group(o, group);
	free(own);
}

/* Checks that the cycle is one of the oracle's. */
static void
check_cycle(const char *why, const struct oracle *o, const struct moore_mix_held *m)
{
	CHECK_EQ(why, m->cycle != NULL, !m->acyclic);
	for (uint32_t i = 0; i < m->cycle_len; i++) {
		const struct moore_channel *a = &m->cycle[i], *b = &m->cycle[(i + 1) % m->cycle_len];

		CHECK(why, o->edge[channel(o, a->sw, a->port, a->vl)]
				  [channel(o, b->sw, b->port, b->vl)]);
	}
}

/* A series in which any LID may change judges what held before the change and then this
 * mixture, as if each were judged alone. */
static void
judge_in_series(const char *why, const struct moore_fabric *f, const struct moore_held *held,
		const struct moore_held *before, const struct moore_mix_lanes *lanes,
		const struct moore_mix_held *alone)
{
	static const uint64_t all[1024] = { [0 ... 1023] = UINT64_MAX };
	struct moore_mix_series *s;
	struct moore_mix_held *m;
	struct moore_err err;

	assert_true(before->lft->stride <= 64 * ARRAY_LEN(all));
	assert_int_equal(moore_mix_series_new(&s, f, before, all, lanes, NULL, &err), 0);
	assert_int_equal(moore_mix_series_judge(&m, s, before, &err), 0);
	CHECK_EQ(why, m->live, alone->live);
	CHECK_EQ(why, m->interrupted, 0);
	moore_mix_held_free(m);
	assert_int_equal(moore_mix_series_judge(&m, s, held, &err), 0);
	CHECK_EQ(why, m->lids, alone->lids);
	CHECK_EQ(why, m->lids_mixed, alone->lids_mixed);
	CHECK_EQ(why, m->loop_lids, alone->loop_lids);
	CHECK_EQ(why, m->loop_lid, alone->loop_lid);
	CHECK_EQ(why, m->loop_groups, alone->loop_groups);
	CHECK_EQ(why, m->n_channels, alone->n_channels);
	CHECK_EQ(why, m->n_dependencies, alone->n_dependencies);
	CHECK_EQ(why, m->acyclic, alone->acyclic);
	CHECK_EQ(why, m->safe, alone->safe);
	CHECK_EQ(why, m->live, alone->live);
	CHECK_EQ(why, m->interrupted, alone->interrupted);
	CHECK_EQ(why, m->interrupted_lid, alone->interrupted_lid);
	moore_mix_held_free(m);
	moore_mix_series_free(s);
}

static struct moore_mix_held *
compare(const char *why, const struct moore_fabric *f, const struct moore_held *held,
	const struct moore_held *before, const struct moore_mix_lanes *lanes, bool note)
{
	static struct oracle o;
	struct moore_mix_held *m = NULL;
	unsigned n_edges, n_channels;
	struct moore_err err;
	bool acyclic;

	ask_oracle(&o, f, held, before, lanes, note);
	acyclic = has_no_cycle(&o, &n_edges, &n_channels);
	CHECK_EQ(why, moore_mix_held(&m, f, held, before, lanes, NULL, &err), 0);
	CHECK_EQ(why, m->lids, o.lids);
	CHECK_EQ(why, m->lids_mixed, o.mixed);
	CHECK_EQ(why, m->loop_lid, o.loop_lid);
	CHECK_EQ(why, m->loop_lids, o.loop_lids);
	CHECK_EQ(why, m->loop_lid != 0, o.loop_lids != 0);
	CHECK_EQ(why, m->loop_groups, o.loop_groups);
	CHECK_EQ(why, m->loop_mlid != 0, o.loop_groups != 0);
	CHECK(why, o.fixed_groups <= o.loop_groups);
	if (!drops_some(lanes))
		CHECK_EQ(why, o.fixed_groups, o.loop_groups);
	CHECK_EQ(why, m->n_channels, n_channels);
	CHECK_EQ(why, m->n_dependencies, n_edges);
	CHECK_EQ(why, m->acyclic, acyclic);
	CHECK_EQ(why, m->safe, acyclic && !o.loop_lids && !o.loop_groups);
	CHECK_EQ(why, m->live, o.live);
	CHECK_EQ(why, m->interrupted, o.interrupted);
	CHECK_EQ(why, m->interrupted_sw != MOORE_NONE, o.interrupted != 0);
	CHECK_EQ(why, m->interrupted_lid, o.dropped_lid);
	CHECK(why, !o.interrupted || o.dropped[m->interrupted_sw][m->interrupted_lid]);
	check_cycle(why, &o, m);
	if (before)
		judge_in_series(why, f, held, before, lanes, m);
	if (note)
		compare_fixed(why, &o);
	return m;
}

/* ---- random cases -------------------------------------------------------------------------- */

/* Up to n further values, some of them as in `now`; any LID of the table, 0 included. */
static size_t
random_more(const struct moore_fabric *f, const struct moore_lft *now, struct moore_rng *r,
	    struct moore_row *row, unsigned n)
{
	unsigned count = moore_rng_below(r, n + 1);
	bool wild = moore_rng_below(r, 4) == 0;

	for (unsigned i = 0; i < count; i++) {
		moore_swid s = moore_rng_below(r, f->n_switches);
		unsigned lid = moore_rng_below(r, (moore_rng_below(r, 8) ? f->lid_top : 63u) + 1);

		row[i] = (struct moore_row){ s, (moore_lid)lid, moore_lft_row(now, s)[lid] };
		if (moore_rng_below(r, 6) == 0)
			row[i].port = MOORE_NO_PATH;
		if (wild && moore_rng_below(r, 2))
			row[i].port = (uint8_t)moore_rng_below(r, f->sw[s].n_ports + 4u);
		if (moore_rng_below(r, 8) == 0 && i)
			row[i] = row[i - 1];
	}
	return count;
}

/* Sets one row to any port, so that the LID may loop or drop without a further value. */
static void
spoil(const struct moore_fabric *f, struct moore_lft *t, struct moore_rng *r)
{
	moore_swid s = moore_rng_below(r, f->n_switches);
	unsigned lid = 1 + moore_rng_below(r, f->lid_top);

	moore_lft_row(t, s)[lid] = (uint8_t)moore_rng_below(r, f->sw[s].n_ports + 2u);
}

/* VLs of random rows; SLs with the same remainder by 3 are treated alike. */
static struct moore_sl2vl *
random_lanes(const struct moore_fabric *f, struct moore_rng *r, bool drops)
{
	struct moore_sl_row row[4];
	struct moore_sl2vl *t;
	struct moore_err err;

	for (unsigned i = 0; i < 4; i++)
		for (unsigned sl = 0; sl < 16; sl++)
			row[i].vl[sl] = sl >= 3 ? row[i].vl[sl % 3] :
				(uint8_t)(drops && !moore_rng_below(r, 8) ? 15 : moore_rng_below(r, 3));
	assert_int_equal(moore_sl2vl_new(&t, f, &err), 0);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned in = 0; in <= f->sw[s].n_ports; in++)
			for (unsigned out = 1; out <= f->sw[s].n_ports; out++)
				assert_int_equal(moore_sl2vl_set(t, s, (moore_portnum)in, (moore_portnum)out,
								 &row[moore_rng_below(r, 4)], &err), 0);
	return t;
}

static struct moore_sl_set *
random_sl_set(const struct moore_fabric *f, struct moore_rng *r)
{
	struct moore_sl_set *t;
	struct moore_err err;

	assert_int_equal(moore_sl_set_new(&t, f->n_switches, f->lid_top, &err), 0);
	for (size_t i = 0; i < t->n_switches * t->stride; i++)
		t->sl[i] = (uint16_t)(moore_rng_below(r, 4) ? 1u << moore_rng_below(r, 4) : 0);
	return t;
}

/* Up to three groups whose masks are those of a random tree, with some noise. */
static struct moore_mft *
random_mft(const struct moore_fabric *f, const struct moore_lft *trees, struct moore_rng *r)
{
	struct moore_mft *t;
	struct moore_err err;

	assert_int_equal(moore_mft_new(&t, f->n_switches, &err), 0);
	for (unsigned i = moore_rng_below(r, 4); i-- > 0;) {
		int64_t g = moore_mft_group(t, (uint16_t)(0xc000 + moore_rng_below(r, 3)));
		unsigned lid = 1 + moore_rng_below(r, f->lid_top);
		bool noise = moore_rng_below(r, 3) == 0;

		assert_true(g >= 0);
		for (moore_swid s = 0; s < f->n_switches; s++) {
			unsigned out = moore_lft_row(trees, s)[lid];
			const struct moore_port *p = out > f->sw[s].n_ports ? NULL :
				moore_fabric_port(f, s, (moore_portnum)out);

			if (p && p->role == MOORE_ROLE_SWITCH) {
				t->mask[(size_t)g * f->n_switches + s][0] |= 1ull << out;
				t->mask[(size_t)g * f->n_switches + p->peer][0] |= 1ull << p->peer_port;
			}
			if (noise && moore_rng_below(r, 3) == 0)
				t->mask[(size_t)g * f->n_switches + s][0] |=
					1ull << moore_rng_below(r, f->sw[s].n_ports + 1u);
		}
	}
	return t;
}

struct tally {
	unsigned safe, loops, cyclic, groups, interrupted, unknown;
};

static void
one_case(struct moore_rng *r, unsigned i, struct tally *n)
{
	struct moore_fabric *f = test_random_fabric(r, 2 + moore_rng_below(r, MAX_SW - 1),
						    moore_rng_below(r, 4), 0);
	struct moore_lft *was = test_random_trees(f, r, 100), *now, *other;
	struct moore_row row[2][16];
	uint64_t unknown = 1ull << moore_rng_below(r, f->n_switches);
	bool is_unknown = moore_rng_below(r, 8) == 0, sls = i % 4 == 3;
	struct moore_sl2vl *l[2] = { random_lanes(f, r, i % 2), random_lanes(f, r, i % 2) };
	struct moore_sl_set *set = sls ? random_sl_set(f, r) : NULL;
	struct moore_mft *mft[MAX_MFT];
	struct moore_mix_lanes lanes = { l[0], i % 3 ? NULL : l[1], set,
		(const struct moore_mft *const *)mft, i % 5 < 3 ? 0 : moore_rng_below(r, MAX_MFT) + 1 };
	struct moore_held held = { .more = row[0] }, before = { .more = row[1] };
	struct moore_mix_held *m;
	char why[64];

	snprintf(why, sizeof(why), "case %u", i);
	CHECK("the oracle has room", f->n_ports * 16 <= MAX_CH);
	if (i % 2)
		test_cut_some(f, r, 20);
	now = test_random_trees(f, r, 100);
	other = test_random_trees(f, r, 100);
	for (unsigned k = 0; k < MAX_MFT; k++)
		mft[k] = random_mft(f, k ? now : was, r);
	if (moore_rng_below(r, 4) == 0)
		spoil(f, was, r);
	held.lft = moore_rng_below(r, 3) ? was : now;
	before.lft = moore_rng_below(r, 4) ? was : other;
	held.n_more = random_more(f, held.lft == was ? now : other, r, row[0], i % 3 ? 3 : 16);
	before.n_more = random_more(f, now, r, row[1], moore_rng_below(r, 2) ? 0 : 6);
	held.unknown = is_unknown ? &unknown : NULL;
	before.unknown = is_unknown && moore_rng_below(r, 3) == 0 ? &unknown : NULL;
	m = compare(why, f, &held, &before, &lanes, i % 3 != 0 && !is_unknown);
	n->safe += m->safe;
	n->loops += m->loop_lids > 0;
	n->cyclic += !m->acyclic && !m->loop_lids && !m->loop_groups;
	n->groups += m->loop_groups > 0;
	n->interrupted += m->interrupted > 0;
	n->unknown += is_unknown;
	moore_mix_held_free(m);
	for (unsigned k = 0; k < MAX_MFT; k++)
		moore_mft_free(mft[k]);
	moore_sl_set_free(set);
	moore_sl2vl_free(l[0]);
	moore_sl2vl_free(l[1]);
	moore_lft_free(was);
	moore_lft_free(now);
	moore_lft_free(other);
	moore_fabric_free(f);
}

static void
test_twin(void **state)
{
	struct moore_rng r = { test_seed() };
	unsigned n = test_rounds(400);
	struct tally t = { 0 };

	(void)state;
	for (unsigned i = 0; i < n; i++)
		one_case(&r, i, &t);
	print_message("# of %u: %u safe, %u with loops, %u only cyclic, %u with groups that loop, %u "
		      "interrupt, %u with a switch that is unknown\n", n, t.safe, t.loops, t.cyclic,
		      t.groups, t.interrupted, t.unknown);
	CHECK("each case occurs", t.safe && t.loops && t.cyclic && t.groups && t.interrupted &&
	      t.unknown);
}

/* ---- two tables -------------------------------------------------------------------------- */

/* Lists the rows of `now` that differ from those of `was`. */
static size_t
changed_rows(const struct moore_lft *was, const struct moore_lft *now, struct moore_row **row)
{
	size_t n = 0;

	*row = calloc(was->n_switches * was->stride + 1, sizeof(**row));
	for (moore_swid s = was->n_switches; s-- > 0;)
		for (unsigned lid = 1; lid < was->stride; lid++)
			if (moore_lft_row(was, s)[lid] != moore_lft_row(now, s)[lid])
				(*row)[n++] = (struct moore_row){ s, (moore_lid)lid, moore_lft_row(now, s)[lid] };
	return n;
}

/* Both judges of the same two tables agree. */
static void
agree(const char *why, const struct moore_fabric *f, const struct moore_mix_tables *was,
      const struct moore_mix_tables *now)
{
	struct moore_mix_lanes lanes = { .sl2vl = now->sl2vl, .other = was->sl2vl };
	struct moore_held held = { .lft = was->lft };
	struct moore_mix_held *h;
	struct moore_row *row;
	struct moore_mix *m;
	struct moore_err err;

	held.n_more = changed_rows(was->lft, now->lft, &row);
	held.more = row;
	assert_int_equal(moore_mix_judge(&m, f, was, now, &err), 0);
	assert_int_equal(moore_mix_held(&h, f, &held, NULL, &lanes, NULL, &err), 0);
	CHECK_EQ(why, h->safe, m->safe);
	CHECK_EQ(why, h->lids, m->lids);
	CHECK_EQ(why, h->lids_mixed, m->lids_changed);
	CHECK_EQ(why, h->loop_lids, m->loop_lids);
	CHECK_EQ(why, h->acyclic, m->acyclic);
	CHECK_EQ(why, h->n_channels, m->n_channels);
	CHECK_EQ(why, h->n_dependencies, m->n_dependencies);
	CHECK_EQ(why, h->cycle_len, m->cycle_len);
	CHECK_EQ("no `before`, no pairs", h->live + h->interrupted, 0);
	moore_mix_free(m);
	moore_mix_held_free(h);
	free(row);
}

static void
test_two_tables(void **state)
{
	static const struct { const char *family, *params; uint8_t lmc; } T[] = {
		{ "slimfly", "q=4", 0 }, { "slimfly", "q=5 p=2", 1 }, { "oft", "k=3", 2 },
	};
	struct moore_rng r = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, T[i].lmc);
		struct moore_engine_result *was, *now;
		struct moore_mix_tables a, b;
		struct moore_conf conf;
		struct moore_err err;

		moore_conf_defaults(&conf);
		assert_int_equal(moore_engine_run(&was, f, NULL, &conf, NULL, NULL, &err), 0);
		test_cut_some(f, &r, 10);
		assert_int_equal(moore_engine_run(&now, f, NULL, &conf, NULL, NULL, &err), 0);
		a = (struct moore_mix_tables){ was->lft, was->sl2vl };
		b = (struct moore_mix_tables){ now->lft, now->sl2vl };
		agree("the same tables", f, &b, &b);
		agree("a cut", f, &a, &b);
		agree("a repair", f, &b, &a);
		moore_engine_result_free(was);
		moore_engine_result_free(now);
		moore_fabric_free(f);
	}
}

/* ---- cases by hand ------------------------------------------------------------------------- */

/* A ring of three with an endpoint at switch 0 alone.  Port 1 of switch 0 is the endpoint's,
 * LID 4.  Otherwise ports are in the order of the links 0-1, 0-2, 1-2. */
static struct moore_fabric *
ring(void)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
	static const uint16_t ep[3] = { 1 };

	return test_fabric(3, link, ARRAY_LEN(link), ep, 0);
}

#define ROWS(...) (const struct moore_row[]){ __VA_ARGS__ }, \
	sizeof((const struct moore_row[]){ __VA_ARGS__ }) / sizeof(struct moore_row)
#define NO_ROWS NULL, 0

/* The same with a switch 3 that has no link. */
static struct moore_fabric *
ring_and_one(void)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
	static const uint16_t ep[4] = { 1 };

	return test_fabric(4, link, ARRAY_LEN(link), ep, 0);
}

/* Rows of LID 3, which is switch 2's: 0 -> 2 <- 1 at first. */
static const struct {
	const char *why;
	const struct moore_row *more;
	size_t n_more;
	const struct moore_row *was;	/* rows of `before` that differ */
	size_t n_was;
	uint64_t unknown;
	unsigned lids, mixed, loops, live, interrupted;
} H[] = {
	{ "nothing changes", NO_ROWS, NO_ROWS, 0, 1, 0, 0, 1, 0 },
	{ "a value twice is one", ROWS({ 0, 3, 3 }, { 0, 3, 3 }), NO_ROWS, 0, 1, 0, 0, 1, 0 },
	{ "the longer way", ROWS({ 0, 3, 2 }), NO_ROWS, 0, 1, 1, 0, 1, 0 },
	{ "each by the other", ROWS({ 1, 3, 1 }, { 0, 3, 2 }), NO_ROWS, 0, 1, 1, 1, 1, 1 },
	{ "to no path", ROWS({ 0, 3, MOORE_NO_PATH }), NO_ROWS, 0, 1, 1, 0, 1, 1 },
	{ "to a port that the switch does not have", ROWS({ 0, 3, 4 }), NO_ROWS, 0, 1, 1, 0, 1, 1 },
	{ "to an endpoint", ROWS({ 0, 3, 1 }), NO_ROWS, 0, 1, 1, 0, 1, 1 },
	{ "a switch without endpoints does not count", ROWS({ 1, 3, MOORE_NO_PATH }), NO_ROWS,
	  0, 1, 1, 0, 1, 0 },
	{ "but packets through it do", ROWS({ 1, 3, MOORE_NO_PATH }, { 0, 3, 2 }), NO_ROWS,
	  0, 1, 1, 0, 1, 1 },
	{ "what may have been dropped before is not interrupted", ROWS({ 0, 3, MOORE_NO_PATH }),
	  ROWS({ 0, 3, MOORE_NO_PATH }), 0, 1, 1, 0, 0, 0 },
	{ "LID 0 is nobody's", ROWS({ 0, 0, 2 }), NO_ROWS, 0, 1, 0, 0, 1, 0 },
	{ "a LID without an owner can loop", ROWS({ 0, 9, 2 }, { 1, 9, 1 }), NO_ROWS, 0, 2, 1, 1, 1, 0 },
	{ "a LID without an owner and without a way", ROWS({ 0, 9, 70 }), NO_ROWS, 0, 1, 0, 0, 1, 0 },
	{ "switch 1 is unknown; no row leads to it", NO_ROWS, NO_ROWS, 2, 63, 63, 0, 1, 0 },
	{ "a row leads to it", ROWS({ 0, 3, 2 }), NO_ROWS, 2, 63, 63, 1, 1, 1 },
	{ "switch 0 is unknown", NO_ROWS, NO_ROWS, 1, 63, 63, 0, 1, 1 },
	{ "two unknown neighbours", NO_ROWS, NO_ROWS, 3, 63, 63, 63, 1, 1 },
	{ "further values at an unknown switch", ROWS({ 0, 3, 2 }, { 1, 3, 1 }, { 2, 3, 0 }), NO_ROWS,
	  2, 63, 63, 1, 1, 1 },
	{ "a switch without links is unknown: a row names its port 0 or nothing", NO_ROWS, NO_ROWS,
	  8, 63, 63, 0, 1, 0 },
	{ "no switch has this number", NO_ROWS, NO_ROWS, 16, 1, 0, 0, 1, 0 },
};

static struct moore_lft *
rows_of_lid_3(const struct moore_fabric *f)
{
	static const uint8_t row[3] = { 3, 2, 0 };
	struct moore_err err;
	struct moore_lft *t;

	assert_int_equal(moore_lft_new(&t, f->n_switches, f->lid_top, &err), 0);
	for (moore_swid s = 0; s < 3; s++)
		moore_lft_row(t, s)[3] = row[s];
	return t;
}

static void
test_by_hand(void **state)
{
	static const struct moore_lane_opts one_class = { { 0 } };
	static const uint64_t beyond = 1 << 4;		/* no switch has this number */
	struct moore_fabric *f = ring_and_one();
	struct moore_lft *t = rows_of_lid_3(f);
	struct moore_mix_lanes lanes = { .other = NULL };
	struct moore_sl2vl *l;
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_lane_effective(&l, f, &one_class, NULL, &err), 0);
	lanes.sl2vl = l;
	moore_lft_row(t, 3)[3] = 0;
	for (size_t i = 0; i < ARRAY_LEN(H); i++) {
		struct moore_held held = { t, H[i].more, H[i].n_more, &H[i].unknown };
		struct moore_held before = { t, H[i].was, H[i].n_was, &beyond };
		struct moore_mix_held *m = compare(H[i].why, f, &held, &before, &lanes, false);

		CHECK_EQ(H[i].why, m->lids, H[i].lids);
		CHECK_EQ(H[i].why, m->lids_mixed, H[i].mixed);
		CHECK_EQ(H[i].why, m->loop_lids, H[i].loops);
		CHECK_EQ(H[i].why, m->live, H[i].live);
		CHECK_EQ(H[i].why, m->interrupted, H[i].interrupted);
		if (m->interrupted)
			CHECK("the pair", m->interrupted_sw == 0 && m->interrupted_lid == 3);
		moore_mix_held_free(m);
	}
	moore_lft_free(t);
	moore_sl2vl_free(l);
	moore_fabric_free(f);
}

/* No row of a LID without an owner changes, and its packets circulate. */
static void
test_lasting_loop(void **state)
{
	struct moore_fabric *f = ring();
	struct moore_lft *t = rows_of_lid_3(f);
	struct moore_held held = { .lft = t };
	struct moore_mix_held *m;
	struct moore_sl2vl *l;
	(void)state;

	moore_lft_row(t, 0)[9] = 2;
	moore_lft_row(t, 1)[9] = 1;
	assert_int_equal(moore_sl2vl_new(&l, f, NULL), 0);
	m = compare("it loops", f, &held, &held, &(struct moore_mix_lanes){ .sl2vl = l }, false);
	CHECK_EQ("LIDs 3 and 9 have routes", m->lids, 2);
	CHECK_EQ("LID 9 loops", m->loop_lid, 9);
	moore_mix_held_free(m);
	moore_lft_free(t);
	moore_sl2vl_free(l);
	moore_fabric_free(f);
}

/* A row of the LID differs from before: packets of switch 0 to switch 2 are dropped. */
static void
test_later_blocks(void **state)
{
	static const moore_lid lid[] = { 3, 63, 64, 127, 128, 200, MOORE_LID_MAX };
	static const struct moore_lane_opts one_class = { { 0 } };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(lid); i++) {
		struct moore_fabric *f = ring();
		struct moore_lft *was, *now;
		struct moore_mix_held *m;
		struct moore_sl2vl *l;

		f->sw[2].lid = lid[i];
		assert_int_equal(moore_fabric_seal(f, NULL), 0);
		assert_int_equal(moore_lane_effective(&l, f, &one_class, NULL, NULL), 0);
		assert_int_equal(moore_lft_new(&was, 3, f->lid_top, NULL), 0);
		assert_int_equal(moore_lft_new(&now, 3, f->lid_top, NULL), 0);
		moore_lft_row(was, 0)[lid[i]] = 3;
		moore_lft_row(was, 2)[lid[i]] = moore_lft_row(now, 2)[lid[i]] = 0;

		const struct moore_held before = { .lft = was }, held = { .lft = now };
		const struct moore_mix_lanes lanes = { .sl2vl = l };

		assert_int_equal(moore_mix_held(&m, f, &held, &before, &lanes, NULL, NULL), 0);
		CHECK_EQ("it was live", m->live, 1);
		CHECK_EQ("and is dropped", m->interrupted, 1);
		CHECK("the pair", m->interrupted_sw == 0 && m->interrupted_lid == lid[i]);
		moore_mix_held_free(m);
		moore_lft_free(was);
		moore_lft_free(now);
		moore_sl2vl_free(l);
		moore_fabric_free(f);
	}
}

/* LIDs 3 and 600, which different workers walk, were live and loop now.  Whichever worker finds
 * what first, the least LID is named. */
static void
test_workers(void **state)
{
	static const struct { moore_swid sw; moore_lid lid; uint8_t was, now; } R[] = {
		{ 0, 3, 3, 2 }, { 1, 3, MOORE_NO_PATH, 1 }, { 2, 3, 0, 0 },
		{ 0, 600, 2, 3 }, { 2, 600, MOORE_NO_PATH, 1 }, { 1, 600, 0, 0 },
	};
	struct moore_fabric *f = ring();
	struct moore_lft *was, *now;
	struct moore_sl2vl *l;
	(void)state;

	f->sw[1].lid = 600;
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	assert_int_equal(moore_sl2vl_new(&l, f, NULL), 0);
	assert_int_equal(moore_lft_new(&was, 3, f->lid_top, NULL), 0);
	assert_int_equal(moore_lft_new(&now, 3, f->lid_top, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(R); i++) {
		moore_lft_row(was, R[i].sw)[R[i].lid] = R[i].was;
		moore_lft_row(now, R[i].sw)[R[i].lid] = R[i].now;
	}
	for (unsigned width = 1; width <= 3; width++) {
		const struct moore_held before = { .lft = was }, held = { .lft = now };
		const struct moore_mix_lanes lanes = { .sl2vl = l };
		const struct moore_jobs jobs = { test_run_shuffled, width };
		struct moore_mix_held *m;

		assert_int_equal(moore_mix_held(&m, f, &held, &before, &lanes, &jobs, NULL), 0);
		CHECK("both loop", m->loop_lids == 2 && m->loop_lid == 3);
		CHECK("both were live", m->live == 2 && m->interrupted == 2);
		CHECK("the pair", m->interrupted_sw == 0 && m->interrupted_lid == 3);
		CHECK_EQ("links 0-1 and 0-2, both ways", m->n_channels, 4);
		moore_mix_held_free(m);
	}
	moore_lft_free(was);
	moore_lft_free(now);
	moore_sl2vl_free(l);
	moore_fabric_free(f);
}

/* Groups on the ring, with masks of two tables. */
static const struct {
	const char *why;
	uint64_t mask[2][3];
	unsigned loops;
} G[] = {
	{ "a tree", { { 4, 6, 4 }, { 4, 6, 4 } }, 0 },
	{ "another tree", { { 12, 2, 2 }, { 12, 2, 2 } }, 0 },
	{ "both trees together make a ring", { { 4, 6, 4 }, { 12, 2, 2 } }, 1 },
	{ "one table has the ring", { { 12, 6, 6 }, { 0, 0, 0 } }, 1 },
	{ "the ports of the endpoint and of the switches themselves", { { 3, 1, 1 }, { 6, 3, 1 } }, 0 },
};

static void
test_groups(void **state)
{
	struct moore_fabric *f = ring();
	struct moore_lft *t = rows_of_lid_3(f);
	struct moore_held held = { .lft = t };
	struct moore_sl2vl *l;
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_sl2vl_new(&l, f, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(G); i++) {
		struct moore_mft *mft[2];
		struct moore_mix_lanes lanes = { .sl2vl = l, .n_mft = 2,
			.mft = (const struct moore_mft *const *)mft };
		struct moore_mix_held *m;

		for (unsigned k = 0; k < 2; k++) {
			assert_int_equal(moore_mft_new(&mft[k], 3, &err), 0);
			assert_int_equal((int)moore_mft_group(mft[k], 0xc001), 0);
			for (moore_swid s = 0; s < 3; s++)
				mft[k]->mask[s][0] = G[i].mask[k][s];
		}
		m = compare(G[i].why, f, &held, &held, &lanes, false);
		CHECK_EQ(G[i].why, m->loop_groups, G[i].loops);
		CHECK_EQ(G[i].why, m->loop_mlid, G[i].loops ? 0xc001 : 0);
		CHECK_EQ(G[i].why, m->safe, !G[i].loops);
		moore_mix_held_free(m);
		moore_mft_free(mft[0]);
		moore_mft_free(mft[1]);
	}
	moore_lft_free(t);
	moore_sl2vl_free(l);
	moore_fabric_free(f);
}

static void
add_port(struct moore_mft *t, moore_swid s, unsigned port)
{
	t->mask[s][port / 64] |= 1ull << port % 64;
}

/* A ring of switches whose links have ports beyond the 192nd: the first table has the links 0-1
 * and 1-2, the second the link 0-2. */
static void
test_groups_of_many_ports(void **state)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
	static const uint16_t ep[3] = { 200, 200, 200 };
	static const struct { unsigned table; moore_swid sw; unsigned port; } P[] = {
		{ 0, 0, 201 }, { 0, 1, 201 }, { 0, 1, 202 }, { 0, 2, 202 }, { 1, 0, 202 }, { 1, 2, 201 },
	};
	struct moore_fabric *f = test_fabric(3, link, ARRAY_LEN(link), ep, 0);
	struct moore_lft *t;
	struct moore_mft *mft[2];
	struct moore_sl2vl *l;
	(void)state;

	assert_int_equal(moore_sl2vl_new(&l, f, NULL), 0);
	assert_int_equal(moore_lft_new(&t, 3, f->lid_top, NULL), 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(moore_mft_new(&mft[i], 3, NULL), 0);
		assert_int_equal((int)moore_mft_group(mft[i], 0xc000), 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(P); i++)
		add_port(mft[P[i].table], P[i].sw, P[i].port);
	for (unsigned n = 1; n <= 2; n++) {
		const struct moore_held held = { .lft = t };
		const struct moore_mix_lanes lanes = { .sl2vl = l, .n_mft = n,
			.mft = (const struct moore_mft *const *)mft };
		struct moore_mix_held *m;

		assert_int_equal(moore_mix_held(&m, f, &held, NULL, &lanes, NULL, NULL), 0);
		CHECK_EQ("both tables together make a ring", m->loop_groups, n - 1);
		moore_mix_held_free(m);
	}
	moore_mft_free(mft[0]);
	moore_mft_free(mft[1]);
	moore_lft_free(t);
	moore_sl2vl_free(l);
	moore_fabric_free(f);
}

/* ---- tables that do not fit, memory ---------------------------------------------------------- */

/* Checks that these are rejected with a message that begins with text. */
static void
refuse(const char *text, const struct moore_fabric *f, struct moore_held held,
       struct moore_held before, struct moore_mix_lanes lanes)
{
	struct moore_err err;
	struct moore_mix_held *m = (struct moore_mix_held *)&err;

	CHECK_EQ(text, moore_mix_held(&m, f, &held, &before, &lanes, NULL, &err), -MOORE_EINVAL);
	CHECK(text, !m);
	CHECK_STR(text, err.text, text);
	CHECK(text, strstr(err.text, text) == err.text);
	CHECK_EQ(text, err.line, 0);
}

static void
test_unfit_rows(void **state)
{
	static const struct moore_row beyond[] = { { 3, 1, 0 }, { 0, 64, 0 } };
	static const struct moore_row second[] = { { 0, 1, 0 }, { 0, 64, 0 } };
	struct moore_fabric *f = ring();
	struct moore_lft *t = rows_of_lid_3(f), *of_two, *longer;
	struct moore_held held = { .lft = t };
	struct moore_mix_lanes lanes = { .sl2vl = NULL };
	struct moore_mix_series *s = (struct moore_mix_series *)f;
	static const uint64_t none[1] = { 0 };
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_lft_new(&of_two, 2, 3, &err), 0);
	assert_int_equal(moore_lft_new(&longer, 3, 100, &err), 0);
	CHECK_EQ("series", moore_mix_series_new(&s, f, &(struct moore_held){ .lft = of_two }, none, &lanes,
						NULL, &err), -MOORE_EINVAL);
	CHECK("no series", !s);
	refuse("LFTs: made for", f, (struct moore_held){ .lft = of_two }, held, lanes);
	refuse("old LFTs: made for", f, held, (struct moore_held){ .lft = of_two }, lanes);
	refuse("old LFTs: made for", f, held, (struct moore_held){ .lft = longer }, lanes);
	refuse("rows: switch 3, LID 1: not in the LFTs", f,
	       (struct moore_held){ t, &beyond[0], 1, NULL }, held, lanes);
	refuse("rows: switch 0, LID 64: not in the LFTs", f,
	       (struct moore_held){ t, &beyond[1], 1, NULL }, held, lanes);
	refuse("rows: switch 0, LID 64: not in the LFTs", f,
	       (struct moore_held){ t, second, 2, NULL }, held, lanes);
	refuse("old rows: switch 3, LID 1: not in the LFTs", f, held,
	       (struct moore_held){ t, beyond, 2, NULL }, lanes);
	moore_lft_free(t);
	moore_lft_free(of_two);
	moore_lft_free(longer);
	moore_fabric_free(f);
}

/* A series was made for LIDs that do not change in it. */
static void
test_unfit_series(void **state)
{
	static const uint64_t lid_2[1] = { 1 << 2 }, lid_3[1] = { 1 << 3 }, sw_1[1] = { 1 << 1 };
	static const uint64_t sw_3[1] = { 1 << 3 };
	static const uint64_t not_0[1] = { ~1ull };
	static const struct moore_row more[] = { { 1, 3, 1 } }, first[] = { { 1, 1, 1 } };
	struct moore_fabric *f = ring();
	struct moore_lft *t = rows_of_lid_3(f), *other = rows_of_lid_3(f);
	const struct moore_held rest = { .lft = t }, several = { t, more, 1, NULL };
	const struct moore_held unknown = { t, NULL, 0, sw_1 };
	const struct {
		const char *why;
		const struct moore_held *before;
		const uint64_t *lids;
		struct moore_held held;
		int want;
	} T[] = {
		{ "nothing changes", &rest, lid_2, rest, 0 },
		{ "a further value", &rest, lid_2, several, -MOORE_EINVAL },
		{ "a further value of the first LID", &rest, lid_2, { t, first, 1, NULL }, -MOORE_EINVAL },
		{ "another row", &rest, lid_2, { .lft = other }, -MOORE_EINVAL },
		{ "unknown rows", &rest, lid_2, unknown, -MOORE_EINVAL },
		{ "unknown rows of no switch", &rest, lid_2, { t, NULL, 0, sw_3 }, 0 },
		{ "unknown rows, of announced LIDs", &rest, not_0, unknown, 0 },
		{ "an announced LID has a further value", &rest, lid_3, several, 0 },
		{ "an announced LID has another row", &rest, lid_3, { .lft = other }, 0 },
		{ "a LID that had several values need not be announced", &several, lid_2, several, 0 },
		{ "nor one that had unknown rows", &unknown, lid_2, rest, 0 },
	};
	struct moore_sl2vl *l;
	struct moore_err err;
	(void)state;

	moore_lft_row(other, 1)[3] = MOORE_NO_PATH;
	assert_int_equal(moore_sl2vl_new(&l, f, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_mix_lanes lanes = { .sl2vl = l };
		struct moore_mix_series *s;
		struct moore_mix_held *m;

		assert_int_equal(moore_mix_series_new(&s, f, T[i].before, T[i].lids, &lanes, NULL, &err), 0);
		CHECK_EQ(T[i].why, moore_mix_series_judge(&m, s, &T[i].held, &err), T[i].want);
		CHECK_EQ(T[i].why, m != NULL, T[i].want == 0);
		CHECK(T[i].why, m || !err.line);
		moore_mix_held_free(m);
		moore_mix_series_free(s);
	}
	moore_mix_series_free(NULL);
	moore_lft_free(t);
	moore_lft_free(other);
	moore_sl2vl_free(l);
	moore_fabric_free(f);
}

static void
test_unfit_lanes(void **state)
{
	static const uint16_t none[3] = { 0 };
	static const struct moore_topo_link link[] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
	struct moore_fabric *f = ring(), *bare = test_fabric(3, link, 3, none, 0);
	struct moore_lft *t = rows_of_lid_3(f);
	struct moore_held held = { .lft = t };
	struct moore_sl2vl *l, *l_bare;
	struct moore_sl_set *of_two, *shorter;
	struct moore_mft *trees[2];
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_sl2vl_new(&l, f, &err), 0);
	assert_int_equal(moore_sl2vl_new(&l_bare, bare, &err), 0);
	assert_int_equal(moore_sl_set_new(&of_two, 2, 4, &err), 0);
	assert_int_equal(moore_sl_set_new(&shorter, 3, 3, &err), 0);
	assert_int_equal(moore_mft_new(&trees[0], 3, &err), 0);
	assert_int_equal(moore_mft_new(&trees[1], 2, &err), 0);
	refuse("SL2VL: switch sw0 has 3 ports in the fabric and 2 in the table", f, held, held,
	       (struct moore_mix_lanes){ .sl2vl = l_bare });
	refuse("other SL2VL: switch sw0", f, held, held,
	       (struct moore_mix_lanes){ .sl2vl = l, .other = l_bare });
	refuse("SLs in use: made for", f, held, held,
	       (struct moore_mix_lanes){ .sl2vl = l, .sl_set = of_two });
	refuse("SLs in use: made for", f, held, held,
	       (struct moore_mix_lanes){ .sl2vl = l, .sl_set = shorter });
	for (unsigned i = 0; i < 2; i++)
		refuse("multicast tables: made for", f, held, held, (struct moore_mix_lanes){ .sl2vl = l,
			.mft = (const struct moore_mft *const *)trees + i, .n_mft = 2 - i });
	moore_lft_free(t);
	moore_sl2vl_free(l);
	moore_sl2vl_free(l_bare);
	moore_sl_set_free(of_two);
	moore_sl_set_free(shorter);
	moore_mft_free(trees[0]);
	moore_mft_free(trees[1]);
	moore_fabric_free(f);
	moore_fabric_free(bare);
}

/* Loops, a cycle, groups: everything that allocates. */
static void
test_memory(void **state)
{
	static const struct moore_row each[] = { { 1, 3, 1 }, { 0, 3, 2 } };
	struct moore_fabric *f = ring();
	struct moore_lft *t = rows_of_lid_3(f);
	struct moore_held held = { t, each, 2, NULL }, before = { t, each, 1, NULL };
	struct moore_mft *trees;
	const struct moore_mft *mft[1];
	struct moore_mix_lanes lanes = { .mft = mft, .n_mft = 1 };
	struct moore_mix_held *m;
	struct moore_sl2vl *l;
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_sl2vl_new(&l, f, &err), 0);
	assert_int_equal(moore_mft_new(&trees, 3, &err), 0);
	assert_int_equal((int)moore_mft_group(trees, 0xc000), 0);
	lanes.sl2vl = l;
	mft[0] = trees;
	CHECK_OOM("judge", moore_mix_held(&m, f, &held, &before, &lanes, NULL, &err),
		  moore_mix_held_free(m));
	moore_mix_held_free(NULL);
	moore_mft_free(trees);
	moore_lft_free(t);
	moore_sl2vl_free(l);
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twin),
		cmocka_unit_test(test_two_tables),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_lasting_loop),
		cmocka_unit_test(test_later_blocks),
		cmocka_unit_test(test_workers),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_groups_of_many_ports),
		cmocka_unit_test(test_unfit_rows),
		cmocka_unit_test(test_unfit_series),
		cmocka_unit_test(test_unfit_lanes),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

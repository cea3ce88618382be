// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* match.c - decides for each observed switch which planned switch it is, and which planned
 * switch's cables it has.
 *
 * The first (self) follows from the GUID or the name.  The second (role) starts from the
 * first and is then voted on: each cable to a switch whose role is trusted, and each known
 * endpoint, votes for the planned switch that the plan has at this end.  A switch at which
 * fewer than half of the ports agree with its role follows a majority of votes.  So two
 * switches that stand in each other's place exchange roles, a switch without a known name
 * gets the role that its neighbours vote for, and a few wrong cables are outvoted.
 * Elsewhere: wirings that are an image as a whole (image.c). */
#include <stdlib.h>
#include <string.h>

#include "fabric/guid_map.h"
#include "plan/plan_parts.h"
#include "wire/wire_impl.h"

#define ROUNDS 16
#define SWAPS 128		/* unnamed switches with wrong cables for which exchanges of two
				 * are tried */
#define TRUSTED 4		/* votes of a known endpoint, or of a switch that agrees with its
				 * own role */

/* ---- both sides by switch port ------------------------------------------------ */

static void
put_peer(struct moore_side *s, moore_swid sw, moore_portnum port, struct moore_side_peer peer)
{
	s->at[s->base[sw] + port - 1] = peer;
}

bool
moore_side_init(struct moore_side *s, const struct moore_plan *p, const struct moore_seen *seen,
		struct moore_arena *mem)
{
	uint32_t n = 0;

	s->p = p;
	if (!(s->base = moore_arena_alloc(mem, (size_t)p->n_switches + 1, sizeof(*s->base))))
		return false;
	for (uint32_t i = 0; i < p->n_switches; n += p->sw[i++].ports)
		s->base[i] = n;
	s->base[p->n_switches] = n;
	if (!(s->at = moore_arena_alloc(mem, (size_t)n + 1, sizeof(*s->at))))
		return false;
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		put_peer(s, p->ep[i].sw, p->ep[i].port, (struct moore_side_peer){ i, p->ep[i].ca_port,
			 MOORE_PEER_ENDPOINT });
	for (uint32_t i = 0; i < p->n_cables; i++) {
		const struct moore_plan_cable *c = &p->cable[i];

		for (int k = 0; k < 2; k++)
			put_peer(s, c->sw[k], c->port[k], (struct moore_side_peer){ c->sw[!k],
				 c->port[!k], MOORE_PEER_SWITCH });
	}
	for (uint32_t i = 0; seen && i < seen->n_loops; i++)
		for (int k = 0; k < 2; k++)
			put_peer(s, seen->loop[i].sw, seen->loop[i].port[k], (struct moore_side_peer){
				 seen->loop[i].sw, seen->loop[i].port[!k], MOORE_PEER_SWITCH });
	return true;
}

/* ---- by GUID, else by name ------------------------------------------------------- */

/* Binds the switches that are not bound yet by GUID, or by name.  Returns how many it
 * bound. */
static uint32_t
bind_switches(struct moore_match *m, struct moore_plan_ref *r, bool guid)
{
	const struct moore_plan *want = m->want.p, *have = m->have.p;
	uint32_t n = 0, bound = 0;

	for (uint32_t i = 0; i < want->n_switches; i++)
		if (m->occupant[i] == MOORE_NONE && (!guid || want->sw[i].guid))
			r[n++] = (struct moore_plan_ref){ guid ? "" : want->sw[i].name,
				guid ? want->sw[i].guid : 0, i, MOORE_PLAN_SWITCH };
	moore_plan_refs_sort(r, n);
	for (uint32_t o = 0; o < have->n_switches; o++) {
		uint32_t s;

		if (m->self[o] != MOORE_NONE || (guid && !have->sw[o].guid))
			continue;
		s = moore_plan_refs_find(r, n, guid ? "" : have->sw[o].name,
					 guid ? have->sw[o].guid : 0, MOORE_PLAN_SWITCH);
		if (s == MOORE_NONE)
			continue;
		m->self[o] = s;
		m->occupant[s] = o;
		bound++;
	}
	return bound;
}

static uint32_t
bind_endpoints(struct moore_match *m, struct moore_plan_ref *r, uint8_t *taken, bool guid)
{
	const struct moore_plan *want = m->want.p, *have = m->have.p;
	uint32_t n = 0, bound = 0;

	for (uint32_t i = 0; i < want->n_endpoints; i++)
		if (!taken[i] && (!guid || want->ep[i].guid))
			r[n++] = (struct moore_plan_ref){ guid ? "" : want->ep[i].name,
				guid ? want->ep[i].guid : want->ep[i].ca_port, i, MOORE_PLAN_ENDPOINT };
	moore_plan_refs_sort(r, n);
	for (uint32_t e = 0; e < have->n_endpoints; e++) {
		uint32_t i;

		if (m->ep[e] != MOORE_NONE || (guid && !have->ep[e].guid))
			continue;
		i = moore_plan_refs_find(r, n, guid ? "" : have->ep[e].name,
					 guid ? have->ep[e].guid : have->ep[e].ca_port,
					 MOORE_PLAN_ENDPOINT);
		if (i == MOORE_NONE)
			continue;
		m->ep[e] = i;
		taken[i] = 1;
		bound++;
	}
	return bound;
}

static uint32_t *
none(struct moore_arena *mem, uint32_t n)
{
	uint32_t *a = moore_arena_alloc(mem, (size_t)n + 1, sizeof(*a));

	if (a)
		memset(a, 0xff, ((size_t)n + 1) * sizeof(*a));
	return a;
}

int
moore_match_names(struct moore_match *m)
{
	const struct moore_plan *want = m->want.p, *have = m->have.p;
	uint32_t most = want->n_switches > want->n_endpoints ? want->n_switches : want->n_endpoints;
	struct moore_plan_ref *r = moore_arena_alloc(m->tmp, (size_t)most + 1, sizeof(*r));
	uint8_t *taken = moore_arena_alloc(m->tmp, (size_t)want->n_endpoints + 1, 1);

	m->self = none(m->tmp, have->n_switches);
	m->role = none(m->tmp, have->n_switches);
	m->occupant = none(m->tmp, want->n_switches);
	m->ep = none(m->tmp, have->n_endpoints);
	if (!r || !taken || !m->self || !m->role || !m->occupant || !m->ep)
		return moore_fail_nomem(m->err);
	m->by_guid = bind_switches(m, r, true);
	m->by_name = bind_switches(m, r, false);
	bind_endpoints(m, r, taken, true);
	bind_endpoints(m, r, taken, false);
	memcpy(m->role, m->self, have->n_switches * sizeof(*m->role));
	return 0;
}

/* ---- votes ------------------------------------------------------------------------ */

static bool
counts(const struct moore_match *m, const struct moore_side_peer *p)
{
	return p->kind == MOORE_PEER_SWITCH || (p->kind == MOORE_PEER_ENDPOINT && !m->mute);
}

/* True if the cable at this port of o leads where o's role requires. */
static bool
agrees(const struct moore_match *m, moore_swid o, unsigned port)
{
	const struct moore_side_peer *have = moore_side_at(&m->have, o, port), *want;

	if (m->role[o] == MOORE_NONE || !counts(m, have))
		return false;
	want = moore_side_at(&m->want, m->role[o], port);
	if (want->kind != have->kind)
		return false;
	if (have->kind == MOORE_PEER_ENDPOINT)
		return m->ep[have->peer] == want->peer;
	return want->port == have->port && m->role[have->peer] == want->peer;
}

static uint32_t
agreement(const struct moore_match *m, moore_swid o)
{
	uint32_t n = 0;

	for (unsigned p = 1; p <= m->have.p->sw[o].ports; p++)
		n += agrees(m, o, p);
	return n;
}

static uint32_t
plugs(const struct moore_match *m, const struct moore_side *s, moore_swid sw)
{
	uint32_t n = 0;

	for (unsigned p = 1; p <= s->p->sw[sw].ports; p++)
		n += counts(m, moore_side_at(s, sw, p));
	return n;
}

struct ballot {
	moore_swid sw[2 * 256];
	uint32_t weight[2 * 256];
	unsigned n;
	uint32_t total;
};

static void
vote(struct ballot *b, moore_swid s, uint32_t weight)
{
	unsigned i;

	for (i = 0; i < b->n && b->sw[i] != s; i++)
		;
	if (i == b->n) {
		b->sw[b->n] = s;
		b->weight[b->n++] = 0;
	}
	b->weight[i] += weight;
	b->total += weight;
}

/* Collects the votes of o's cables for the planned switch that o should be. */
static void
poll(const struct moore_match *m, const uint8_t *trusted, moore_swid o, struct ballot *b)
{
	b->n = 0;
	b->total = 0;
	for (unsigned p = 1; p <= m->have.p->sw[o].ports; p++) {
		const struct moore_side_peer *have = moore_side_at(&m->have, o, p), *far;
		uint32_t weight;

		if (!counts(m, have))
			continue;
		if (have->kind == MOORE_PEER_ENDPOINT && m->ep[have->peer] != MOORE_NONE) {
			vote(b, m->want.p->ep[m->ep[have->peer]].sw, TRUSTED);
		} else if (have->kind == MOORE_PEER_SWITCH && m->role[have->peer] != MOORE_NONE) {
			weight = trusted[have->peer] ? TRUSTED : 1;
			far = moore_side_at(&m->want, m->role[have->peer], have->port);
			if (far->kind == MOORE_PEER_SWITCH)
				vote(b, far->peer, weight);
		}
	}
}

struct bid {
	moore_swid o, s;
	uint32_t weight;
};

static int
bid_cmp(const void *x, const void *y)
{
	const struct bid *a = x, *b = y;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->o > b->o) - (a->o < b->o);
}

static void
swap_roles(struct moore_match *m, moore_swid a, moore_swid b)
{
	moore_swid t = m->role[a];

	m->role[a] = m->role[b];
	m->role[b] = t;
	m->occupant[m->role[a]] = a;
	m->occupant[m->role[b]] = b;
}

/* Finds the role with most votes for o, among all roles or only the free ones.  Returns
 * true if it has a majority of the votes. */
static bool
make_bid(const struct moore_match *m, const uint8_t *trusted, moore_swid o, bool free_only,
	 struct bid *out)
{
	struct ballot b;

	poll(m, trusted, o, &b);
	*out = (struct bid){ o, MOORE_NONE, 0 };
	for (unsigned i = 0; i < b.n; i++)
		if (b.weight[i] > out->weight &&
		    !(free_only && m->occupant[b.sw[i]] != MOORE_NONE))
			*out = (struct bid){ o, b.sw[i], b.weight[i] };
	return out->weight * 2 > b.total;
}

static void
trust(const struct moore_match *m, uint8_t *trusted)
{
	for (moore_swid o = 0; o < m->have.p->n_switches; o++) {
		uint32_t want = m->role[o] == MOORE_NONE ? 0 : plugs(m, &m->want, m->role[o]);
		uint32_t have = plugs(m, &m->have, o);

		trusted[o] = m->role[o] != MOORE_NONE &&
			2 * agreement(m, o) >= (want < have ? want : have);
	}
}

/* Gives each slot to the switch with most votes for it, unless a trusted switch holds the
 * slot.  A switch that loses its slot has no role until the next round. */
static bool
give_roles(struct moore_match *m, const uint8_t *trusted, const struct bid *bid, uint32_t n,
	   uint8_t *given)
{
	bool changed = false;

	memset(given, 0, m->want.p->n_switches);
	for (uint32_t i = 0; i < n; i++) {
		moore_swid s = bid[i].s, holder = m->occupant[s], old = m->role[bid[i].o];

		if (given[s] || (holder != MOORE_NONE && trusted[holder]))
			continue;
		given[s] = 1;
		if (holder == bid[i].o)
			continue;
		if (holder != MOORE_NONE)
			m->role[holder] = MOORE_NONE;
		if (old != MOORE_NONE && m->occupant[old] == bid[i].o)
			m->occupant[old] = MOORE_NONE;
		m->role[bid[i].o] = s;
		m->occupant[s] = bid[i].o;
		changed = true;
	}
	return changed;
}

/* A named switch without a role takes its own slot.  If another switch holds that slot, it
 * takes that switch's own slot, and so on along the ring of exchanges until one is free. */
static void
close_rings(struct moore_match *m)
{
	for (moore_swid o = 0; o < m->have.p->n_switches; o++) {
		moore_swid s = m->self[o];
		uint32_t steps = 0;

		if (m->role[o] != MOORE_NONE || s == MOORE_NONE)
			continue;
		while (s != MOORE_NONE && m->occupant[s] != MOORE_NONE &&
		       steps++ < m->have.p->n_switches)
			s = m->self[m->occupant[s]];
		if (s == MOORE_NONE || m->occupant[s] != MOORE_NONE)
			continue;
		m->role[o] = s;
		m->occupant[s] = o;
	}
}

/* A switch without a role takes the free slot with most votes, majority or not.  If no
 * switch has a known name, those left over take any free slot. */
static void
place_rest(struct moore_match *m, const uint8_t *trusted, struct bid *bid, uint8_t *given)
{
	bool any = !m->by_guid && !m->by_name;
	uint32_t n = 0;
	moore_swid s = 0;

	for (moore_swid o = 0; o < m->have.p->n_switches; o++)
		if (m->role[o] == MOORE_NONE) {
			make_bid(m, trusted, o, true, &bid[n]);
			n += bid[n].weight > 0;
		}
	qsort(bid, n, sizeof(*bid), bid_cmp);
	give_roles(m, trusted, bid, n, given);
	for (moore_swid o = 0; any && o < m->have.p->n_switches; o++) {
		while (s < m->want.p->n_switches && m->occupant[s] != MOORE_NONE)
			s++;
		if (m->role[o] != MOORE_NONE || s == m->want.p->n_switches)
			continue;
		m->role[o] = s;
		m->occupant[s] = o;
	}
}

/* Exchanges the roles of two unnamed switches as long as that makes more ports agree. */
static void
improve(struct moore_match *m, moore_swid *list)
{
	uint32_t n = 0, rounds = 0;
	bool again = true;

	for (moore_swid o = 0; o < m->have.p->n_switches && n < SWAPS; o++)
		if (m->self[o] == MOORE_NONE && m->role[o] != MOORE_NONE &&
		    agreement(m, o) < plugs(m, &m->have, o))
			list[n++] = o;
	while (n && rounds++ < ROUNDS && again) {
		again = false;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t k = 0; k < i; k++) {
				uint32_t before = agreement(m, list[i]) + agreement(m, list[k]);

				swap_roles(m, list[i], list[k]);
				if (agreement(m, list[i]) + agreement(m, list[k]) > before)
					again = true;
				else
					swap_roles(m, list[i], list[k]);
			}
	}
}

struct scratch {		/* arrays of settle() and of the functions it calls */
	uint8_t *trusted, *given;
	struct bid *bid;
	moore_swid *list;
};

static int
settle(struct moore_match *m, struct scratch *x)
{
	uint32_t n = m->have.p->n_switches;
	bool changed = true;

	x->trusted = moore_arena_alloc(m->tmp, (size_t)n + 1, 1);
	x->given = moore_arena_alloc(m->tmp, (size_t)m->want.p->n_switches + 1, 1);
	x->bid = moore_arena_alloc(m->tmp, (size_t)n + 1, sizeof(*x->bid));
	x->list = moore_arena_alloc(m->tmp, SWAPS, sizeof(*x->list));
	if (!x->trusted || !x->given || !x->bid || !x->list)
		return moore_fail_nomem(m->err);
	for (int round = 0; changed && round < ROUNDS; round++) {
		uint32_t n_bids = 0;

		trust(m, x->trusted);
		for (moore_swid o = 0; o < n; o++)
			if (!x->trusted[o] && make_bid(m, x->trusted, o, false, &x->bid[n_bids]))
				n_bids++;
		qsort(x->bid, n_bids, sizeof(*x->bid), bid_cmp);
		changed = give_roles(m, x->trusted, x->bid, n_bids, x->given);
	}
	close_rings(m);
	return 0;
}

/* ---- is it worth it? ---------------------------------------------------------------- */

/* True if the plan has a cable from switch `from` to switch `to`; if port is not 0, at
 * exactly these ports. */
static bool
leads(const struct moore_match *m, moore_swid from, moore_swid to, unsigned port,
      unsigned far_port)
{
	unsigned last = port ? port : m->want.p->sw[from].ports;

	for (unsigned q = port ? port : 1; q <= last; q++) {
		const struct moore_side_peer *w = moore_side_at(&m->want, from, q);

		if (w->kind == MOORE_PEER_SWITCH && w->peer == to && (!port || w->port == far_port))
			return true;
	}
	return false;
}

static uint64_t
share(const struct moore_match *m, const moore_swid *role, bool ports)
{
	uint64_t there = 0, all = 0;

	for (moore_swid o = 0; o < m->have.p->n_switches; o++)
		for (unsigned p = 1; p <= m->have.p->sw[o].ports; p++) {
			const struct moore_side_peer *h = moore_side_at(&m->have, o, p);

			if (h->kind != MOORE_PEER_SWITCH)
				continue;
			all++;
			there += role[o] != MOORE_NONE && role[h->peer] != MOORE_NONE &&
				leads(m, role[o], role[h->peer], ports ? p : 0, h->port);
		}
	return all ? 100 * there / all : 100;
}

uint64_t
moore_match_share(const struct moore_match *m, const moore_swid *role)
{
	return share(m, role, false);
}

/* True if most named switches have the role of another switch. */
static bool
is_dealt_anew(const struct moore_match *m)
{
	uint32_t named = 0, displaced = 0;

	for (moore_swid o = 0; o < m->have.p->n_switches; o++) {
		named += m->self[o] != MOORE_NONE;
		displaced += m->self[o] != MOORE_NONE && m->role[o] != m->self[o];
	}
	return displaced >= MOORE_WIRE_IMAGE && 2 * displaced > named;
}

static uint64_t
total_agreement(struct moore_match *m, moore_swid *role)
{
	moore_swid *was = m->role;
	uint64_t sum = 0;

	m->role = role;
	for (moore_swid o = 0; o < m->have.p->n_switches; o++)
		sum += agreement(m, o);
	m->role = was;
	return sum;
}

/* True if the names are wrong altogether: under the names, most cables do not lead where
 * the plan wants them, and under the roles most do.  If most switches are joined as planned
 * either way, ports and endpoints decide. */
static bool
is_image(struct moore_match *m)
{
	uint64_t fit;

	if (!is_dealt_anew(m) || (fit = moore_match_share(m, m->role)) < 50)
		return false;
	return moore_match_share(m, m->self) < 50 ||
		(fit >= MOORE_MATCH_DOUBT && share(m, m->self, true) < 50 &&
		 total_agreement(m, m->role) > 2 * total_agreement(m, m->self));
}

/* Writes the switches of the ring of displaced switches through o to ring[] and returns
 * their number; 0 if it is no ring, since some switch stands in a slot that no switch on it
 * owns. */
static uint32_t
ring_of(const struct moore_match *m, moore_swid o, moore_swid *ring)
{
	uint32_t n = 0;
	moore_swid at = o;

	do {
		ring[n++] = at;
		if (m->self[at] == MOORE_NONE || m->role[at] == MOORE_NONE)
			return 0;
		at = m->occupant[m->self[at]];
	} while (at != MOORE_NONE && at != o && n < m->have.p->n_switches);
	return at == o ? n : 0;
}

/* The number of ports at which the switches of a ring agree with their roles; a cable
 * between two of them counts once. */
static uint32_t
ring_agreement(struct moore_match *m, const moore_swid *ring, uint32_t n)
{
	uint32_t out = 0, in = 0;

	for (uint32_t i = 0; i < n; i++)
		m->mark[ring[i]] = 1;
	for (uint32_t i = 0; i < n; i++)
		for (unsigned p = 1; p <= m->have.p->sw[ring[i]].ports; p++) {
			const struct moore_side_peer *h = moore_side_at(&m->have, ring[i], p);

			if (!agrees(m, ring[i], p))
				continue;
			if (h->kind == MOORE_PEER_SWITCH && m->mark[h->peer])
				in++;
			else
				out++;
		}
	for (uint32_t i = 0; i < n; i++)
		m->mark[ring[i]] = 0;
	return out + in / 2;
}

/* Each switch of the ring takes its own slot (own), or the slot of the one before it. */
static void
take_slots(struct moore_match *m, const moore_swid *ring, uint32_t n, bool own)
{
	for (uint32_t i = 0; i < n; i++) {
		moore_swid s = own ? m->self[ring[i]] : m->self[ring[(i + n - 1) % n]];

		m->role[ring[i]] = s;
		m->occupant[s] = ring[i];
	}
}

/* Exchanges the switches of a ring if that makes more cables agree than the exchange costs,
 * with all other switches in their present roles. */
static bool
weigh_ring(struct moore_match *m, const moore_swid *ring, uint32_t n)
{
	uint32_t without;

	take_slots(m, ring, n, true);
	without = ring_agreement(m, ring, n);
	take_slots(m, ring, n, false);
	if (ring_agreement(m, ring, n) > without + MOORE_WIRE_EXCHANGE * (n - 1))
		return true;
	take_slots(m, ring, n, true);
	return false;
}

/* Gives a displaced switch that is on no ring its own slot; the switch that held it has no
 * role then. */
static void
send_home(struct moore_match *m, moore_swid o)
{
	moore_swid holder = m->occupant[m->self[o]];

	if (m->role[o] != MOORE_NONE && m->occupant[m->role[o]] == o)
		m->occupant[m->role[o]] = MOORE_NONE;
	if (holder != MOORE_NONE && holder != o)
		m->role[holder] = MOORE_NONE;
	m->role[o] = m->self[o];
	m->occupant[m->self[o]] = o;
}

static void
send_strays_home(struct moore_match *m, moore_swid *ring)
{
	bool again = true;

	while (again) {
		again = false;
		for (moore_swid o = 0; o < m->have.p->n_switches; o++)
			if (m->self[o] != MOORE_NONE && m->role[o] != m->self[o] &&
			    !ring_of(m, o, ring)) {
				send_home(m, o);
				again = true;
			}
	}
}

/* Writes all rings of displaced switches to ring[], one after the other, and gives every
 * switch on them its own slot.  For the first switch i of each ring, end[i] is where the
 * next ring begins.  Returns the number of switches. */
static uint32_t
take_rings(struct moore_match *m, moore_swid *ring, uint32_t *end)
{
	uint32_t n = 0;

	for (moore_swid o = 0; o < m->have.p->n_switches; o++)
		if (m->self[o] != MOORE_NONE && m->role[o] != m->self[o]) {
			uint32_t k = ring_of(m, o, ring + n);

			take_slots(m, ring + n, k, true);
			end[n] = n + k;
			n += k;
		}
	return n;
}

/* Weighs each ring in turn, until no decision changes any more.  On a ring that does not
 * gain as a whole, exchanges of two neighbours are weighed. */
static void
weigh_rings(struct moore_match *m, moore_swid *ring, const uint32_t *end, uint8_t *done,
	    uint32_t n)
{
	bool again = true;

	for (int round = 0; again && round < ROUNDS; round++) {
		again = false;
		for (uint32_t i = 0; i < n; i = end[i]) {
			bool gains = weigh_ring(m, ring + i, end[i] - i);

			again |= gains != done[i];
			done[i] = gains;
		}
	}
	for (uint32_t i = 0; i < n; i = end[i])
		for (uint32_t k = i; !done[i] && k < end[i]; k++) {
			moore_swid pair[2] = { ring[k], ring[k + 1 < end[i] ? k + 1 : i] };

			if (m->role[pair[0]] == m->self[pair[0]] && m->role[pair[1]] == m->self[pair[1]])
				weigh_ring(m, pair, 2);
		}
}

static int
weigh(struct moore_match *m)
{
	uint32_t n = m->have.p->n_switches;
	moore_swid *ring = moore_arena_alloc(m->tmp, (size_t)n + 1, sizeof(*ring));
	uint32_t *end = moore_arena_alloc(m->tmp, (size_t)n + 1, sizeof(*end));
	uint8_t *done = moore_arena_alloc(m->tmp, (size_t)n + 1, 1);

	m->mark = moore_arena_alloc(m->tmp, (size_t)n + 1, 1);
	if (!ring || !end || !done || !m->mark)
		return moore_fail_nomem(m->err);
	send_strays_home(m, ring);
	if ((m->image = is_image(m)))
		return 0;
	m->mute = false;	/* names are right, so endpoints vote again */
	weigh_rings(m, ring, end, done, take_rings(m, ring, end));
	return 0;
}

/* Each endpoint that is not bound by GUID or name is taken for the one that is planned at its
 * port, if that was not found elsewhere.  If any other is bound, it stands in for the planned
 * one; if none is, the names say nothing. */
static int
bind_endpoints_by_place(struct moore_match *m)
{
	const struct moore_plan *have = m->have.p;
	uint8_t *found = moore_arena_alloc(m->tmp, (size_t)m->want.p->n_endpoints + 1, 1);

	if (!found || !(m->stand_in = none(m->tmp, m->want.p->n_endpoints)))
		return moore_fail_nomem(m->err);
	m->eps_by_place = have->n_endpoints > 0;
	for (uint32_t e = 0; e < have->n_endpoints; e++)
		if (m->ep[e] != MOORE_NONE) {
			found[m->ep[e]] = 1;
			m->eps_by_place = false;
		}
	for (uint32_t e = 0; e < have->n_endpoints; e++) {
		moore_swid s = m->role[have->ep[e].sw];
		const struct moore_side_peer *want = s == MOORE_NONE || m->ep[e] != MOORE_NONE ? NULL :
			moore_side_at(&m->want, s, have->ep[e].port);

		if (!want || want->kind != MOORE_PEER_ENDPOINT || found[want->peer])
			continue;
		m->ep[e] = want->peer;
		if (!m->eps_by_place)
			m->stand_in[want->peer] = e;
	}
	return 0;
}

/* In an image, endpoints may have moved with the cables, or stayed with the names of the
 * switches; true if more of them stayed. */
static bool
endpoints_stay(const struct moore_match *m)
{
	const struct moore_plan *have = m->have.p;
	uint32_t stay = 0, follow = 0;

	for (uint32_t e = 0; e < have->n_endpoints; e++) {
		moore_swid o = have->ep[e].sw, s;

		if (m->ep[e] == MOORE_NONE)
			continue;
		s = m->want.p->ep[m->ep[e]].sw;
		stay += s == m->self[o];
		follow += s == m->role[o];
	}
	return stay > follow;
}

int
moore_match_roles(struct moore_match *m)
{
	bool oom = false, exact = false, image;
	struct scratch x;
	uint64_t doubt;
	int rc;

	if ((rc = settle(m, &x)) < 0)
		return rc;
	doubt = is_dealt_anew(m) ? 100 : MOORE_MATCH_DOUBT;
	image = moore_match_share(m, m->role) < doubt && moore_match_image(m, doubt, &exact, &oom);
	if (oom)
		return moore_fail_nomem(m->err);
	if (image) {
		m->mute = endpoints_stay(m);
		if (!exact && (rc = settle(m, &x)) < 0)
			return rc;
	}
	if (!exact) {
		trust(m, x.trusted);
		place_rest(m, x.trusted, x.bid, x.given);
		improve(m, x.list);
	}
	if ((rc = weigh(m)) < 0)
		return rc;
	return bind_endpoints_by_place(m);
}

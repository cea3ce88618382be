// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* image.c - tests whether the wiring, ignoring names, is an image of the plan: the same
 * graph with other switches in the roles.
 *
 * Port numbers make this fast.  The image of one switch determines, port by port, the
 * images of its neighbours.  So each planned switch is tried as the image of one observed
 * switch, and the trial is given up as soon as half of the ports compared disagree.
 * Several observed switches are tried as the start, since any of them may have wrong
 * cables.  Where port numbers are no help, the bare graphs are mapped onto each other
 * (topo/isomorph.c), which only finds an exact image. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "topo/isomorph.h"
#include "wire/wire_impl.h"

#define SEEDS 5
#define PATIENCE 48		/* ports compared before a trial may be given up */
#define EFFORT 20000000		/* ports compared in all trials together */

struct trial {
	moore_swid *role, *occupant;	/* as in struct moore_match */
	moore_swid *queue;		/* the observed switches that have a role */
	uint32_t n;
	uint32_t looked, agreed;	/* ports with cables to switches: compared, and equal */
	uint32_t hosts, hosts_agreed;	/* ports with known endpoints: compared, and equal */
	uint64_t effort;
};

/* Cables between switches count first; endpoints decide between images that agree equally. */
static uint64_t
score(uint32_t agreed, uint32_t hosts)
{
	return (uint64_t)agreed << 32 | hosts;
}

static void
trial_reset(struct trial *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		t->occupant[t->role[t->queue[i]]] = MOORE_NONE;
		t->role[t->queue[i]] = MOORE_NONE;
	}
	t->effort += t->looked;
	t->n = t->looked = t->agreed = t->hosts = t->hosts_agreed = 0;
}

static void
trial_give(struct trial *t, moore_swid o, moore_swid s)
{
	t->role[o] = s;
	t->occupant[s] = o;
	t->queue[t->n++] = o;
}

/* Compares every port of o with the same port of its image, and gives roles to new
 * neighbours. */
static void
look(const struct moore_match *m, struct trial *t, moore_swid o)
{
	moore_swid s = t->role[o];

	for (unsigned p = 1; p <= m->have.p->sw[o].ports; p++) {
		const struct moore_side_peer *h = moore_side_at(&m->have, o, p);
		const struct moore_side_peer *w = moore_side_at(&m->want, s, p);

		if (h->kind == MOORE_PEER_ENDPOINT && m->ep[h->peer] != MOORE_NONE) {
			t->hosts++;
			t->hosts_agreed += w->kind == MOORE_PEER_ENDPOINT && w->peer == m->ep[h->peer];
		}
		if (h->kind != MOORE_PEER_SWITCH)
			continue;
		t->looked++;
		if (w->kind != MOORE_PEER_SWITCH || w->port != h->port)
			continue;
		if (t->role[h->peer] == MOORE_NONE && t->occupant[w->peer] == MOORE_NONE)
			trial_give(t, h->peer, w->peer);
		t->agreed += t->role[h->peer] == w->peer;
	}
}

static bool
follow(const struct moore_match *m, struct trial *t, moore_swid o, moore_swid s)
{
	trial_reset(t);
	trial_give(t, o, s);
	for (uint32_t i = 0; i < t->n; i++) {
		look(m, t, t->queue[i]);
		if (t->looked >= PATIENCE && 2 * t->agreed < t->looked)
			return false;
	}
	return t->n * 2 > m->have.p->n_switches && t->agreed * 2 > t->looked;
}

/* The score of the present roles. */
static uint64_t
score_now(const struct moore_match *m)
{
	uint32_t n = 0, hosts = 0;

	for (moore_swid o = 0; o < m->have.p->n_switches; o++)
		for (unsigned p = 1; m->role[o] != MOORE_NONE && p <= m->have.p->sw[o].ports; p++) {
			const struct moore_side_peer *h = moore_side_at(&m->have, o, p);
			const struct moore_side_peer *w = moore_side_at(&m->want, m->role[o], p);

			if (h->kind != w->kind)
				continue;
			hosts += h->kind == MOORE_PEER_ENDPOINT && m->ep[h->peer] == w->peer;
			n += h->kind == MOORE_PEER_SWITCH && w->port == h->port &&
				m->role[h->peer] == w->peer;
		}
	return score(n, hosts);
}

static bool
by_ports(struct moore_match *m, struct trial *t)
{
	uint32_t n = m->have.p->n_switches;
	uint64_t best = score_now(m);
	bool found = false;

	for (uint32_t k = 0; k < SEEDS && k < n; k++) {
		moore_swid o = (moore_swid)((uint64_t)k * n / (n < SEEDS ? n : SEEDS));

		for (moore_swid s = 0; s < m->want.p->n_switches && t->effort < EFFORT; s++) {
			if (!follow(m, t, o, s) || score(t->agreed, t->hosts_agreed) <= best)
				continue;
			best = score(t->agreed, t->hosts_agreed);
			found = true;
			memcpy(m->role, t->role, n * sizeof(*m->role));
			memcpy(m->occupant, t->occupant,
			       m->want.p->n_switches * sizeof(*m->occupant));
			if (t->agreed == t->looked && t->hosts_agreed == t->hosts)
				return true;
		}
	}
	return found;
}

static struct moore_topo_link *
links_of(const struct moore_side *side, struct moore_arena *tmp)
{
	const struct moore_plan *p = side->p;
	struct moore_topo_link *link = moore_arena_alloc(tmp, (size_t)p->n_cables + 1, sizeof(*link));

	for (uint32_t i = 0; link && i < p->n_cables; i++)
		link[i] = (struct moore_topo_link){ p->cable[i].sw[0], p->cable[i].sw[1] };
	return link;
}

/* Switches with equally many endpoints get the same colour; if `told`, only switches with
 * the same known endpoints do. */
static void
colour_switches(const struct moore_match *m, bool told, uint32_t *colour)
{
	const struct moore_plan *have = m->have.p, *want = m->want.p;
	uint32_t n = have->n_switches;

	memset(colour, 0, 2 * (size_t)n * sizeof(*colour));
	for (uint32_t i = 0; i < have->n_endpoints; i++)
		colour[have->ep[i].sw]++;
	for (uint32_t i = 0; i < want->n_endpoints; i++)
		colour[n + want->ep[i].sw]++;
	for (uint32_t e = 0; told && e < have->n_endpoints; e++)
		if (m->ep[e] != MOORE_NONE) {
			moore_swid s = want->ep[m->ep[e]].sw;

			colour[have->ep[e].sw] = colour[n + s] = 256 + s;
		}
}

static bool
by_graph(struct moore_match *m, bool *oom)
{
	uint32_t n = m->have.p->n_switches, n_cables = m->have.p->n_cables;
	uint32_t *colour = moore_arena_alloc(m->tmp, 2 * (size_t)n + 1, sizeof(*colour));
	uint32_t *image = moore_arena_alloc(m->tmp, (size_t)n + 1, sizeof(*image));
	struct moore_topo_link *have, *want;
	bool found = false;

	if (n != m->want.p->n_switches || n_cables != m->want.p->n_cables)
		return false;
	if (!colour || !image || !(have = links_of(&m->have, m->tmp)) ||
	    !(want = links_of(&m->want, m->tmp))) {
		*oom = true;
		return false;
	}
	for (int told = 1; told >= 0 && !found && !*oom; told--) {
		colour_switches(m, told, colour);
		found = moore_topo_map(n, have, want, n_cables, colour, image, oom);
	}
	for (moore_swid o = 0; found && o < n; o++) {
		m->role[o] = image[o];
		m->occupant[image[o]] = o;
	}
	return found;
}

bool
moore_match_image(struct moore_match *m, uint64_t doubt, bool *exact, bool *oom)
{
	uint32_t n = m->have.p->n_switches;
	struct trial t = { 0 };
	bool found;

	t.role = moore_arena_alloc(m->tmp, (size_t)n + 1, sizeof(*t.role));
	t.queue = moore_arena_alloc(m->tmp, (size_t)n + 1, sizeof(*t.queue));
	t.occupant = moore_arena_alloc(m->tmp, (size_t)m->want.p->n_switches + 1,
				       sizeof(*t.occupant));
	if (!t.role || !t.queue || !t.occupant) {
		*oom = true;
		return false;
	}
	memset(t.role, 0xff, n * sizeof(*t.role));
	memset(t.occupant, 0xff, m->want.p->n_switches * sizeof(*t.occupant));
	found = by_ports(m, &t);
	*exact = (!found || moore_match_share(m, m->role) < doubt) && by_graph(m, oom);
	return found || *exact;
}

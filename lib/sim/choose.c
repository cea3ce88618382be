// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* choose.c - the route of each packet: the offset of its LID, or a middle over which it goes.
 *
 * Tables give a packet one route for each offset, and the routings of moore/sim.h differ in what decides on the
 * offset: chance, shares, or queues.  A route over a middle follows the rows of two base LIDs, one after the other, which
 * no switch does that holds tables alone.  Lengths of routes are kept in far[], since UGAL asks for them with every
 * packet; change.c forgets those of a LID when a row of it changes. */
#include "sim/sim_impl.h"

#define MIDDLE_TRIES 64

/* ---- routes and their queues ---------------------------------------------------------------- */

/* Links from switch w to the node of a LID; MOORE_HOPS_MAX where its route does not arrive. */
static uint32_t
hops_to(struct sim *s, moore_swid w, moore_lid lid)
{
	uint8_t *far = &s->far[(size_t)w * s->lft->stride + lid];
	uint32_t hops = 1;

	if (*far)
		return *far - 1u;
	for (moore_swid at = w; hops < MOORE_HOPS_MAX; hops++) {
		const uint8_t out = moore_lft_row(s->lft, at)[lid];
		const struct moore_port *p = out > s->f->sw[at].n_ports ? NULL : moore_fabric_port(s->f, at, out);

		if (!p || p->role != MOORE_ROLE_SWITCH) {
			hops = p && p->role == MOORE_ROLE_ENDPOINT ? hops : MOORE_HOPS_MAX;
			break;
		}
		at = p->peer;
	}
	*far = (uint8_t)(hops + 1);
	return hops;
}

/* Packets of the first switch that leave by the port of this LID. */
static uint32_t
queue_to(const struct sim *s, moore_swid w, moore_lid lid)
{
	const uint8_t out = moore_lft_row(s->lft, w)[lid];

	return out > s->f->sw[w].n_ports ? UINT32_MAX : s->channel[s->f->sw[w].port0 + out].pending;
}

/* The same, summed over all switches of the route. */
static uint32_t
queues_to(const struct sim *s, moore_swid w, moore_lid lid)
{
	const struct moore_port *p;
	uint32_t sum = 0;

	for (unsigned hops = 0; hops < MOORE_HOPS_MAX; hops++) {
		const uint8_t out = moore_lft_row(s->lft, w)[lid];

		if (out > s->f->sw[w].n_ports)
			break;
		sum += s->channel[s->f->sw[w].port0 + out].pending;
		p = moore_fabric_port(s->f, w, out);
		if (p->role != MOORE_ROLE_SWITCH)
			break;
		w = p->peer;
	}
	return sum;
}

/* ---- the offset ------------------------------------------------------------------------------- */

/* Chooses among offset 0 and others (struct moore_sim_opts has the rule); hops are those of offset 0. */
static uint32_t
ugal(struct sim *s, struct sim_host *h, moore_swid w, moore_lid base, uint32_t n)
{
	const bool global = s->point.routing == MOORE_SIM_UGAL_G, by_hops = s->o.ugal_by_hops && !global;
	const uint32_t hops = by_hops ? hops_to(s, w, base) : 1, queue = queue_to(s, w, base);
	uint32_t best = 0;
	double least = global ? queues_to(s, w, base) : queue;

	if (n == 1 || queue < s->o.ugal_threshold)
		return 0;
	for (uint32_t i = 0; i < s->o.ugal_candidates; i++) {
		const uint32_t k = 1 + moore_rng_below(&h->choices, n - 1), far = hops_to(s, w, base + k);
		const double c = by_hops ? s->o.ugal_weight * far / hops : s->o.ugal_weight;
		const double cost = far == MOORE_HOPS_MAX ? UINT32_MAX :
			c * (global ? queues_to : queue_to)(s, w, base + k) + s->o.ugal_bias;

		if (cost < least) {
			least = cost;
			best = k;
		}
	}
	return best;
}

/* The offset whose packets are most behind its share: none is ever ahead or behind by more than the number of
 * offsets. */
static uint32_t
by_shares(struct sim *s, uint32_t e, uint32_t n)
{
	const struct moore_sim_traffic *t = s->point.traffic;
	double *debt = s->host[e].debt;
	uint32_t best = 0;

	if (n != t->n_offsets)
		return 0;
	for (uint32_t k = 0; k < n; k++) {
		debt[k] += t->share[(size_t)e * n + k];
		best = debt[k] > debt[best] ? k : best;
	}
	debt[best]--;
	return best;
}

uint32_t
moore_sim_choose_offset(struct sim *s, uint32_t e, const struct moore_endpoint *to)
{
	const moore_swid w = s->channel[s->n_ports + e].sw;
	struct sim_host *h = &s->host[e];
	const uint32_t n = 1u << to->lmc;

	switch (n > 1 ? s->point.routing : MOORE_SIM_MIN) {
	case MOORE_SIM_VALIANT:
		return 1 + moore_rng_below(&h->choices, n - 1);
	case MOORE_SIM_INR:
		return moore_rng_below(&h->choices, n);
	case MOORE_SIM_UGAL:
	case MOORE_SIM_UGAL_G:
		return ugal(s, h, w, to->lid, n);
	case MOORE_SIM_SHARES:
		return by_shares(s, e, n);
	case MOORE_SIM_ALL:
		return h->turn++ % n;
	default:
		return 0;
	}
}

/* ---- routes over a middle --------------------------------------------------------------------- */

/* Whether a packet for this node that comes to switch w on its way to a middle leaves it here. */
static bool
leaves_early(struct sim *s, moore_swid w, const struct moore_endpoint *to)
{
	return s->node_port[w] &&
		(s->o.detour == MOORE_SIM_DETOUR_VALIANT3 ||
		 (s->o.detour == MOORE_SIM_DETOUR_NTA && hops_to(s, w, to->lid) <= 2));
}

/* A random node that `from` has a row for, at a switch other than both; MOORE_NONE: none was found. */
static moore_epid
draw_middle(const struct sim *s, struct moore_rng *rng, moore_swid from, moore_swid to)
{
	for (unsigned i = 0; i < MIDDLE_TRIES; i++) {
		const moore_epid e = moore_rng_below(rng, s->f->n_endpoints);
		const moore_swid w = s->f->ep[e].sw;

		if (w != MOORE_NONE && w != from && w != to && s->f->ep[e].lid &&
		    moore_lft_row(s->lft, from)[s->f->ep[e].lid] != MOORE_NO_PATH)
			return e;
	}
	return MOORE_NONE;
}

/* Links from switch w over a middle to a node, with the one to the node; MOORE_HOPS_MAX at least where a route does not
 * arrive. */
static uint32_t
links_over(struct sim *s, moore_swid w, const struct moore_endpoint *middle, const struct moore_endpoint *to)
{
	moore_swid at = w;
	uint32_t links = 0;

	while (at != middle->sw && links < MOORE_HOPS_MAX && !(links && leaves_early(s, at, to))) {
		const uint8_t out = moore_lft_row(s->lft, at)[middle->lid];
		const struct moore_port *p = out > s->f->sw[at].n_ports ? NULL : moore_fabric_port(s->f, at, out);

		if (!p || p->role != MOORE_ROLE_SWITCH)
			return MOORE_HOPS_MAX;
		at = p->peer;
		links++;
	}
	return links + hops_to(s, at, to->lid);
}

/* Chooses the shortest route, which is none, or that over one of a few nodes: UGAL-L as above. */
static moore_epid
ugal_middle(struct sim *s, struct moore_rng *rng, moore_swid w, const struct moore_endpoint *to)
{
	const uint32_t hops = hops_to(s, w, to->lid), queue = queue_to(s, w, to->lid);
	moore_epid best = MOORE_NONE;
	double least = queue;

	for (uint32_t i = 0; queue >= s->o.ugal_threshold && i < s->o.ugal_candidates; i++) {
		const moore_epid e = draw_middle(s, rng, w, to->sw);
		const struct moore_endpoint *middle = &s->f->ep[e == MOORE_NONE ? 0 : e];
		const uint32_t far = e == MOORE_NONE ? 0 : links_over(s, w, middle, to);
		const double c = s->o.ugal_by_hops ? s->o.ugal_weight * far / hops : s->o.ugal_weight;
		const double cost = c * queue_to(s, w, middle->lid) + s->o.ugal_bias;

		if (e != MOORE_NONE && far < MOORE_HOPS_MAX && cost < least) {
			least = cost;
			best = e;
		}
	}
	return best;
}

void
moore_sim_choose_middle(struct sim *s, uint32_t e, uint32_t k)
{
	const moore_swid w = s->channel[s->n_ports + e].sw;
	struct sim_packet *p = &s->packet[k];
	const struct moore_endpoint *to = &s->f->ep[p->ep];
	moore_epid middle = MOORE_NONE;

	if (to->sw != w)
		middle = s->point.routing == MOORE_SIM_MIDDLE ? draw_middle(s, &s->host[e].choices, w, to->sw) :
			ugal_middle(s, &s->host[e].choices, w, to);
	s->middle[k] = middle;
	if (middle != MOORE_NONE)
		p->lid = s->f->ep[middle].lid;
}

bool
moore_sim_pass_middle(struct sim *s, moore_swid w, uint32_t k)
{
	struct sim_packet *p = &s->packet[k];
	const struct moore_endpoint *to = &s->f->ep[p->ep];

	if (s->middle[k] >= SIM_PASSED ||
	    (s->f->ep[s->middle[k]].sw != w && (p->hops == 1 || !leaves_early(s, w, to))))
		return false;
	s->middle[k] = SIM_PASSED;
	p->lid = to->lid;
	p->stage++;
	return true;
}

bool
moore_sim_judge_again(struct sim *s, moore_swid w, uint32_t k)
{
	struct sim_packet *p = &s->packet[k];
	const struct moore_endpoint *to = &s->f->ep[p->ep];

	if (s->point.routing != MOORE_SIM_PAR || p->hops != 2 || s->middle[k] != MOORE_NONE || to->sw == w ||
	    !s->node_port[w] || (s->middle[k] = ugal_middle(s, &s->choices, w, to)) == MOORE_NONE)
		return false;
	p->lid = s->f->ep[s->middle[k]].lid;
	p->stage++;
	return true;
}

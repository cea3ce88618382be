// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* source.c - hosts: when a packet is made, where it goes, and when its link takes it.
 *
 * A host's source queue has no bound and takes no memory: the next packet is drawn when the one
 * before it leaves the queue, with the time at which it was made, which may be long past.  Both
 * streams of random numbers belong to the host alone, so the arrivals of two routings are the same. */
#include "sim/sim_impl.h"

/* J. von Neumann, "Various techniques used in connection with random digits" (1951): the first number
 * of a falling run of odd length, plus the count of runs before it that were even. */
uint64_t
moore_sim_exponential(struct moore_rng *r)
{
	for (uint64_t whole = 0;; whole++) {
		const uint64_t first = moore_rng_next(r);
		uint64_t last = first, next;
		unsigned run = 1;

		while ((next = moore_rng_next(r)) < last) {
			last = next;
			run++;
		}
		if (run % 2)
			return whole << 32 | first >> 32;
	}
}

static void
draw_due(struct sim *s, struct sim_host *h)
{
	const uint64_t x = moore_sim_exponential(&h->arrivals);
	uint64_t block;

	/* x * gap / 2^32, where gap < 2^47 as build.c bounds packet and load. */
	h->due += (x >> 32) * h->gap + ((x & UINT32_MAX) * (h->gap >> 16) >> 16) +
		((x & UINT32_MAX) * (h->gap & 0xffff) >> 32);
	block = (h->due >> SIM_FRACTION) / s->block_ticks;
	if (block < MOORE_SIM_BLOCKS)
		s->block[block].offered++;
}

void
moore_sim_count_rest(struct sim *s)
{
	for (uint32_t i = 0; !s->message && i < s->f->n_endpoints; i++)
		while (s->host[i].sends && s->host[i].due >> SIM_FRACTION < s->end)
			draw_due(s, &s->host[i]);
}

/* ---- what each host sends ------------------------------------------------------------------- */

void
moore_sim_place_lists(struct sim *s)
{
	uint32_t n = 0;

	for (uint32_t e = 0; e < s->f->n_endpoints; e++) {
		s->host[e].first = n;
		s->host[e].sends = s->host[e].n > 0;
		n += s->host[e].n;
		s->host[e].n = 0;
	}
}

static void
give_flows(struct sim *s)
{
	const struct moore_sim_traffic *t = s->point.traffic;

	for (uint32_t i = 0; i < t->n_flows; i++)
		s->host[t->flow[i].from].n++;
	moore_sim_place_lists(s);
	for (uint32_t i = 0; i < t->n_flows; i++) {
		struct sim_host *h = &s->host[t->flow[i].from];

		s->to[h->first + h->n++] = t->flow[i].to;
	}
}

void
moore_sim_start(struct sim *s)
{
	const struct moore_sim_traffic *t = s->point.traffic;

	if (s->message)
		moore_sim_start_exchange(s);
	else if (t->flow)
		give_flows(s);
	for (uint32_t i = 0; !s->message && !t->flow && i < t->n_nodes; i++) {
		s->host[t->node[i]].sends = true;
		s->host[t->node[i]].first = i;
	}
	for (uint32_t e = 0; e < s->f->n_endpoints; e++) {
		struct sim_host *h = &s->host[e];
		struct moore_rng seed = { s->o.seed + e * 0x9e3779b97f4a7c15ull };

		if (!h->sends)
			continue;
		s->full_rate += 1.0 / s->channel[s->n_ports + e].packet;
		if (!s->message)
			h->gap = (uint64_t)((double)s->channel[s->n_ports + e].packet / s->point.load *
					    (1 << SIM_FRACTION) + 0.5);
		h->arrivals.state = moore_rng_next(&seed) ^ 0x5851f42d4c957f2dull;
		h->choices.state = moore_rng_next(&seed) ^ 0x14057b7ef767814full;
		if (!s->message)
			draw_due(s, h);
		moore_sim_inject(s, e);
	}
}

static moore_epid
draw_destination(const struct sim *s, struct sim_host *h)
{
	const struct moore_sim_traffic *t = s->point.traffic;
	uint32_t k;

	if (t->flow)
		return s->to[h->first + (h->n > 1 ? moore_rng_below(&h->choices, h->n) : 0)];
	k = moore_rng_below(&h->choices, t->n_nodes - 1);
	return t->node[k < h->first ? k : k + 1];
}

/* ---- injection -------------------------------------------------------------------------------- */

static unsigned
choose_sl(const struct sim *s, moore_swid w, moore_lid lid)
{
	const unsigned sls = s->sl_set ? moore_sl_set_row(s->sl_set, w)[lid] : 0;

	return sls ? (unsigned)__builtin_ctz(sls) & 15 : s->o.sl & 15u;
}

static uint32_t
new_packet(struct sim *s)
{
	const uint32_t k = s->free_packet;

	s->n_packets++;
	if (k == MOORE_NONE)
		return s->fresh_packet++;
	s->free_packet = s->packet[k].next;
	return k;
}

/* Sends a packet of message m; without an exchange, m is MOORE_NONE. */
static void
send_packet(struct sim *s, uint32_t e, uint32_t m)
{
	struct sim_channel *c = &s->channel[s->n_ports + e];
	struct sim_host *h = &s->host[e];
	const moore_epid to = s->message ? s->message[m].to : draw_destination(s, h);
	const uint32_t k = new_packet(s);
	struct sim_packet *p = &s->packet[k];

	s->made++;
	if (s->changes)
		sim_phase(s)->made++;
	p->born = s->message ? m : h->due >> SIM_FRACTION;
	p->ep = to;
	p->lid = s->f->ep[to].lid + moore_sim_choose_offset(s, e, &s->f->ep[to]);
	if (s->middle)
		moore_sim_choose_middle(s, e, k);
	p->sl = choose_sl(s, c->sw, p->lid) & 15;
	p->hops = p->stale = 0;
	p->stage = 0;
	c->link_busy = true;
	s->credit[(size_t)(s->n_ports + e) * s->n_vl]--;
	s->hops++;
	c->sent++;
	sim_wheel_add(&s->wheel, s->now + sim_to_crossbar(s, c), SIM_ARRIVE, c->down, 0, k);
	sim_wheel_add(&s->wheel, s->now + c->packet, SIM_FREE, s->n_ports + e, 0, 0);
	if (!s->message)
		draw_due(s, h);
}

void
moore_sim_inject(struct sim *s, uint32_t e)
{
	const uint32_t c = s->n_ports + e;
	struct sim_host *h = &s->host[e];
	uint64_t due = h->due >> SIM_FRACTION;

	if (!h->sends || s->channel[c].link_busy || !s->credit[(size_t)c * s->n_vl])
		return;
	if (s->message) {
		const uint32_t m = moore_sim_next_message(s, h);

		if (m != MOORE_NONE)
			send_packet(s, e, m);
		return;
	}
	if (due <= s->now) {
		send_packet(s, e, MOORE_NONE);
		return;
	}
	if (h->armed)
		return;
	/* A time beyond the wheel is reached in several turns. */
	due = due - s->now < s->wheel.n ? due : s->now + s->wheel.n - 1;
	sim_wheel_add(&s->wheel, due, SIM_DUE, e, 0, 0);
	h->armed = true;
}

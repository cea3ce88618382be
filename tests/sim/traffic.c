// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* traffic.c - decides which endpoint sends to which: at random, by a permutation, or in the
 * worst case for these routes. */
#include "sim.h"

uint64_t rng;
static size_t chosen;	/* index of the pattern; from 1 on each endpoint has a fixed partner */

uint32_t
below(uint32_t n)		/* splitmix64; n is far below 2^32, so the bias is negligible */
{
	uint64_t z = rng += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)((z ^ z >> 31) % n);
}

static uint32_t
any_other(uint32_t from)
{
	for (unsigned tries = 0; tries < 100; tries++) {
		uint32_t to = below(n_ep);

		if (reaches(from, to))
			return to;
	}
	return NONE;
}

/* Draws a random cyclic permutation, so that no endpoint sends to itself. */
static void
draw_perm(void)
{
	uint32_t *a = room(n_ep, sizeof(*a));

	for (uint32_t e = 0, k; e < n_ep; e++) {
		k = below(e + 1);
		a[e] = a[k];
		a[k] = e;
	}
	for (uint32_t i = 0; i < n_ep; i++)
		ep[a[i]].partner = reaches(a[i], a[(i + 1) % n_ep]) ? a[(i + 1) % n_ep] : NONE;
	free(a);
}

/* The greatest load on the route to this LID if one more switch uses it; if `count`, adds
 * that load.  Returns 1 for a route of a single link, and 0 for one that is broken. */
static unsigned
pile(unsigned *load, uint32_t from, uint16_t lid, uint32_t to, bool count)
{
	unsigned worst = 0, hops = 0;

	for (uint32_t s = from; s != to && hops < HOPS_MAX; hops++) {
		uint8_t out = sw[s].lft[lid];
		unsigned *l = &load[s * 256 + out];

		if (out > sw[s].n_ports || sw[s].port[out].sw == NONE)
			return 0;
		*l += count;
		worst = *l + 1 > worst ? *l + 1 : worst;
		s = sw[s].port[out].sw;
	}
	return hops > 1 ? worst : 1;
}

/* All endpoints of a switch send to those of one other switch, and each switch receives
 * from one other, so that as many routes as possible share links (after Kathareios et al.,
 * SC 2015, and Yebenes et al., two papers that also search for the worst case). */
static void
draw_worst(void)
{
	unsigned *load = room((size_t)n_sw * 256, sizeof(*load));
	uint32_t *first = room(n_sw, sizeof(*first)), *order = room(n_sw, sizeof(*order));
	bool *taken = room(n_sw, sizeof(*taken));

	memset(first, 0xff, n_sw * sizeof(*first));
	for (uint32_t e = n_ep; e-- > 0;)
		first[ep[e].sw] = e;
	for (uint32_t s = 0, k; s < n_sw; s++) {
		k = below(s + 1);
		order[s] = order[k];
		order[k] = s;
	}
	for (uint32_t i = 0; i < n_sw; i++) {
		uint32_t s = order[i], best = NONE;
		unsigned most = 0;

		for (uint32_t d = 0; d < n_sw; d++) {
			unsigned m = s == d || taken[d] || first[s] == NONE || first[d] == NONE ?
				0 : pile(load, s, ep[first[d]].lid, d, false);

			if (m > most) {
				most = m;
				best = d;
			}
		}
		if (best == NONE)
			continue;
		taken[best] = true;
		pile(load, s, ep[first[best]].lid, best, true);
		for (uint32_t e = 0, to = first[best]; e < n_ep; e++) {
			if (ep[e].sw != s)
				continue;
			ep[e].partner = reaches(e, to) ? to : NONE;
			do
				to = (to + 1) % n_ep;
			while (ep[to].sw != best);
		}
	}
	free(load);
	free(first);
	free(order);
	free(taken);
}

static void
draw_none(void)
{
}

static const struct {
	const char *name;
	void (*draw)(void);
} pattern[] = { { "random", draw_none }, { "perm", draw_perm }, { "worst", draw_worst } };

bool
know_pattern(const char *name)
{
	for (size_t k = 0; k < sizeof(pattern) / sizeof(*pattern); k++)
		if (!strcmp(pattern[k].name, name)) {
			chosen = k;
			return true;
		}
	return false;
}

void
draw_pattern(void)
{
	pattern[chosen].draw();
}

/* Packets whose SL has no lane are not sent. */
void
refill(uint32_t e)
{
	struct ep *a = &ep[e];
	uint32_t to = chosen ? a->partner : any_other(e);

	if (a->ready || to == NONE)
		return;
	a->next = (struct packet){ .to = to, .sl = (uint8_t)(opt.sl < 0 ? below(N_SL) : (unsigned)opt.sl) };
	a->next.lid = (uint16_t)(ep[to].lid + (opt.all_lids ? below(ep[to].n_lids) : 0));
	next_hop(a->sw, a->port, &a->next);
	a->ready = a->next.vl < N_VL;
	dropped += !a->ready;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* middle_detours.c - the detours of each pair of switches, counted again after each change of a rank.
 *
 * When all endpoints of s send to d, no shares use more first links s -> m than those whose m reaches
 * some last link of d, nor more last links than are reached; both without those of the minimal route.
 * When all switches send, detours also need links in their middle, and the more detours a pair has,
 * the better it can do without those that others need.  So a pair costs less with each first
 * link, each last link and each detour more. */
#include <string.h>

#include "route/tuning.h"
#include "route/turns/middle_detours.h"

#define NO_SLOT 255
#define LINK ((uint64_t)1 << 12)	/* what a pair costs with the most first links, and the most last */
#define MOST_COST ((uint64_t)1 << 38)	/* of a pair; sums fit 64 bits */
#define MAX_WAYS 8

/* ---- what middle switches reach -------------------------------------------------------- */

static uint32_t
edge_between(const struct moore_rdetours *w, uint32_t low, uint32_t middle)
{
	return w->edge[(size_t)low * w->n_middles + middle];
}

/* The low switches by which middle switch m reaches the last link m2 -> d, as bits. */
static uint8_t
find_ways(const struct moore_rdetours *w, uint32_t m, uint32_t m2, uint32_t d)
{
	const uint32_t *rank = w->rank, *rev = w->g->rev, *x = &w->xbetween[(size_t)m * w->n_middles + m2];
	const uint32_t last = rank[rev[edge_between(w, d, m2)]];
	uint8_t ways = 0;

	for (uint32_t k = 0; k < x[1] - x[0] && k < MAX_WAYS; k++) {
		uint32_t i = w->between[x[0] + k], up = rank[edge_between(w, i, m2)];

		if (rank[rev[edge_between(w, i, m)]] < up && up < last)
			ways = (uint8_t)(ways | 1u << k);
	}
	return ways;
}

/* The bit of low switch i among the ways from m to m2, beside both of which it is. */
static unsigned
way_of(const struct moore_rdetours *w, uint32_t m, uint32_t i, uint32_t m2)
{
	const uint32_t *x = &w->xbetween[(size_t)m * w->n_middles + m2];
	uint32_t k = 0;

	while (w->between[x[0] + k] != i)
		k++;
	return k < MAX_WAYS ? 1u << k : 0;
}

static uint64_t
cost_of_detours(const struct moore_rdetours *w, uint32_t n)
{
	return w->by_detours[n < w->most_detours ? n : w->most_detours];
}

/* A pair has `by` first or last links more. */
static void
add_links(struct moore_rdetours *w, uint8_t *n, int by)
{
	w->cost -= w->by_links[*n];
	*n = (uint8_t)(*n + by);
	w->cost += w->by_links[*n];
}

/* A change of what m reaches: `more` detours for each sender, and whether m begins (1) or ceases (-1)
 * to reach the last link; n_others: the other last links of d that it reaches. */
struct step {
	uint32_t m, d;
	uint8_t slot, n_others;
	int more, reaches;
};

/* Notes it for the senders of class a, which are beside m. */
static void
count_for(struct moore_rdetours *w, const struct step *s, uint32_t a)
{
	size_t pair = (size_t)a * w->n_low + s->d;
	uint8_t common = w->common[pair], *ending = &w->ending[pair * w->stride + s->slot];
	const uint8_t *ways = w->ways + ((size_t)s->m * w->n_low + s->d) * w->stride;

	if (common == s->slot)
		return;
	w->cost -= cost_of_detours(w, w->n_detours[pair]);
	w->n_detours[pair] = (uint16_t)(w->n_detours[pair] + s->more);
	w->cost += cost_of_detours(w, w->n_detours[pair]);
	if (!s->reaches)
		return;
	if (s->n_others == (common != NO_SLOT && ways[common]))
		add_links(w, &w->firsts[pair], s->reaches);
	*ending = (uint8_t)(*ending + s->reaches);
	if (*ending == (s->reaches > 0))
		add_links(w, &w->lasts[pair], s->reaches);
}

static void
set_ways(struct moore_rdetours *w, uint32_t m, uint32_t d, uint8_t slot, uint8_t now)
{
	uint8_t *ways = &w->ways[((size_t)m * w->n_low + d) * w->stride + slot], was = *ways;
	uint8_t *n_reached = &w->n_reached[(size_t)m * w->n_low + d];
	struct step s = { m, d, slot, (uint8_t)(*n_reached - (was != 0)),
		__builtin_popcount(now) - __builtin_popcount(was), (now != 0) - (was != 0) };

	*ways = now;
	*n_reached = (uint8_t)(*n_reached + s.reaches);
	for (uint32_t k = w->xadj[w->middle[m]]; k < w->xadj[w->middle[m] + 1]; k++) {
		uint32_t i = w->at[w->g->to[w->adj[k]]], a = w->class_of[i];

		if (w->first[a] == i && a != w->class_of[d])
			count_for(w, &s, a);
	}
}

/* Notes that middle switch m reaches d's last link in the slot by these ways now. */
static void
change_ways(struct moore_rdetours *w, uint32_t m, uint32_t d, uint8_t slot, uint8_t now)
{
	uint8_t was = w->ways[((size_t)m * w->n_low + d) * w->stride + slot];

	if (was == now)
		return;
	w->change[w->n_changes++] = (struct moore_rway_change){ (uint16_t)m, (uint16_t)d, slot, was };
	set_ways(w, m, d, slot, now);
}

/* Checks the last link m2 -> d with all that come to it from m. */
static void
check_last(struct moore_rdetours *w, uint32_t m, uint32_t m2, uint32_t d)
{
	uint8_t slot = (uint8_t)(edge_between(w, d, m2) - w->g->xadj[w->low[d]]);

	change_ways(w, m, d, slot, find_ways(w, m, m2, d));
}

/* Checks the detours over m -> i -> m2, with each last link from m2. */
static void
check_turn(struct moore_rdetours *w, uint32_t m, uint32_t i, uint32_t m2)
{
	const struct moore_rgraph *g = w->g;
	uint32_t up = edge_between(w, i, m2);
	bool rises = w->rank[g->rev[edge_between(w, i, m)]] < w->rank[up];
	unsigned bit = way_of(w, m, i, m2);

	for (uint32_t k = w->xadj[w->middle[m2]]; k < w->xadj[w->middle[m2] + 1]; k++) {
		uint32_t last = w->adj[k], d = w->at[g->to[last]], slot = g->rev[last] - g->xadj[g->to[last]];
		unsigned others = w->ways[((size_t)m * w->n_low + d) * w->stride + slot] & ~bit;

		if (edge_between(w, d, m) == MOORE_NONE)
			change_ways(w, m, d, (uint8_t)slot, (uint8_t)(others |
				    (rises && w->rank[up] < w->rank[last] ? bit : 0)));
	}
}

void
moore_rdetours_recount(struct moore_rdetours *w, uint32_t e)
{
	const struct moore_rgraph *g = w->g;
	bool is_down = g->is_source[g->to[e]];
	uint32_t i = w->at[g->to[is_down ? e : g->rev[e]]];
	uint32_t m = w->at[g->to[is_down ? g->rev[e] : e]], node = w->low[i];

	w->n_changes = 0;
	for (uint32_t k = w->xadj[node]; k < w->xadj[node + 1]; k++) {
		uint32_t other = w->at[g->to[w->adj[k]]];

		if (other != m)
			check_turn(w, is_down ? m : other, i, is_down ? other : m);
	}
	for (uint32_t x = 0; is_down && x < w->n_middles; x++)	/* as the last link */
		if (edge_between(w, i, x) == MOORE_NONE)
			check_last(w, x, m, i);
}

void
moore_rdetours_undo(struct moore_rdetours *w)
{
	while (w->n_changes) {
		const struct moore_rway_change *c = &w->change[--w->n_changes];

		set_ways(w, c->m, c->d, c->slot, c->was);
	}
}

/* ---- the first count -------------------------------------------------------------------- */

static void
list_nodes(struct moore_rdetours *w)
{
	const struct moore_rgraph *g = w->g;

	for (uint32_t s = 0, n = 0; s < moore_rgraph_n_intended(g); s++) {
		w->xadj[s] = n;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e))
				w->adj[n++] = e;
		w->xadj[s + 1] = n;
		if (!g->is_source[s]) {
			w->at[s] = w->n_middles;
			w->middle[w->n_middles++] = s;
		} else if (n > w->xadj[s]) {
			w->at[s] = w->n_low;
			w->low[w->n_low++] = s;
			if (w->adj[n - 1] - g->xadj[s] >= w->stride)
				w->stride = w->adj[n - 1] - g->xadj[s] + 1;
		}
	}
}

static void
note_edges(struct moore_rdetours *w)
{
	for (uint32_t i = 0; i < w->n_low; i++)
		for (uint32_t s = w->low[i], k = w->xadj[s]; k < w->xadj[s + 1]; k++)
			w->edge[(size_t)i * w->n_middles + w->at[w->g->to[w->adj[k]]]] = w->adj[k];
}

/* Whether low switch t is beside all middle switches that i is beside, and no others. */
static bool
is_copy(const struct moore_rdetours *w, uint32_t i, uint32_t t)
{
	for (uint32_t m = 0; m < w->n_middles; m++)
		if ((edge_between(w, i, m) == MOORE_NONE) != (edge_between(w, t, m) == MOORE_NONE))
			return false;
	return true;
}

/* Puts each low switch into the class of the first copy of it. */
static void
classify(struct moore_rdetours *w)
{
	for (uint32_t i = 0; i < w->n_low; i++) {
		const uint32_t m = w->g->to[w->adj[w->xadj[w->low[i]]]];
		uint32_t c = w->n_classes;

		for (uint32_t k = w->xadj[m]; c == w->n_classes && k < w->xadj[m + 1]; k++) {
			const uint32_t t = w->at[w->g->to[w->adj[k]]];

			if (t < i && is_copy(w, i, t))
				c = w->class_of[t];
		}
		if (c == w->n_classes)
			w->first[w->n_classes++] = i;
		w->class_of[i] = c;
	}
}

static void
find_most_beside(struct moore_rdetours *w)
{
	for (uint32_t m = 0; m < w->n_middles; m++) {
		uint32_t n = 0;

		for (uint32_t c = 0; c < w->n_classes; c++)
			n += edge_between(w, w->first[c], m) != MOORE_NONE;
		w->most_beside = n > w->most_beside ? n : w->most_beside;
	}
}

/* The middle switch of low switch i at adj[k]; MOORE_NONE where another cable to it counts. */
static uint32_t
middle_at(const struct moore_rdetours *w, uint32_t i, uint32_t k)
{
	const uint32_t m = w->at[w->g->to[w->adj[k]]];

	return edge_between(w, i, m) == w->adj[k] ? m : MOORE_NONE;
}

/* Counts low switch i between each two of its middle switches, or lists it there when there is room. */
static void
note_between(struct moore_rdetours *w, uint32_t i)
{
	const uint32_t begin = w->xadj[w->low[i]], end = w->xadj[w->low[i] + 1];

	for (uint32_t k = begin; k < end; k++)
		for (uint32_t j = begin, m = middle_at(w, i, k); m != MOORE_NONE && j < end; j++) {
			const uint32_t m2 = middle_at(w, i, j);
			uint32_t *x;

			if (m2 == MOORE_NONE || m2 == m)
				continue;
			x = w->xbetween + (size_t)m * w->n_middles + m2;
			if (w->between)
				w->between[x[1]++] = i;
			else
				x[2]++;
		}
}

/* Notes the last links of low switch i that are beside switches of each class. */
static void
note_common(struct moore_rdetours *w, uint32_t i)
{
	const struct moore_rgraph *g = w->g;

	for (uint32_t s = w->low[i], k = w->xadj[s]; k < w->xadj[s + 1]; k++)
		for (uint32_t m = g->to[w->adj[k]], j = w->xadj[m]; j < w->xadj[m + 1]; j++) {
			const uint32_t c = w->class_of[w->at[g->to[w->adj[j]]]];

			w->common[(size_t)c * w->n_low + i] = (uint8_t)(w->adj[k] - g->xadj[s]);
		}
}

/* Costs fall with each link and each detour more, and stay above nothing.  A pair has about `half`
 * detours when half of all are allowed. */
static void
set_costs(struct moore_rdetours *w)
{
	uint64_t cost = LINK, half = ((uint64_t)w->stride - 1) * (w->stride - 1) + 1;
	uint64_t apart = half > MOORE_DETOURS_FALL ? half : MOORE_DETOURS_FALL + 1;

	for (uint32_t n = w->stride + 1; n-- > 0; cost *= cost < MOST_COST ? MOORE_LINKS_FALL : 1)
		w->by_links[n] = cost;
	cost = LINK * MOORE_DETOURS_COST;
	for (uint32_t n = 0; n <= w->most_detours; n++) {
		w->by_detours[n] = cost;
		cost -= cost * MOORE_DETOURS_FALL / apart;
	}
}

static void
count_all(struct moore_rdetours *w)
{
	for (uint32_t c = 0; c < w->n_classes; c++)
		for (uint32_t d = 0; d < w->n_low; d++)
			if (w->class_of[d] != c)
				w->cost += 2 * w->by_links[0] + w->by_detours[0];
	for (uint32_t d = 0; d < w->n_low; d++)
		for (uint32_t k = w->xadj[w->low[d]]; k < w->xadj[w->low[d] + 1]; k++)
			for (uint32_t m = 0, m2 = w->at[w->g->to[w->adj[k]]]; m < w->n_middles; m++) {
				w->n_changes = 0;
				if (edge_between(w, d, m) == MOORE_NONE)
					check_last(w, m, m2, d);
			}
}

static bool
index_links(struct moore_rdetours *w, struct moore_arena *tmp)
{
	size_t low = w->n_low, m = w->n_middles;

	w->edge = moore_arena_alloc(tmp, low * m, sizeof(*w->edge));
	w->class_of = moore_arena_alloc(tmp, low, sizeof(*w->class_of));
	w->first = moore_arena_alloc(tmp, low, sizeof(*w->first));
	w->xbetween = moore_arena_alloc(tmp, m * m + 2, sizeof(*w->xbetween));
	if (!w->edge || !w->class_of || !w->first || !w->xbetween)
		return false;
	memset(w->edge, 0xff, low * m * sizeof(*w->edge));
	note_edges(w);
	classify(w);
	find_most_beside(w);
	for (uint32_t i = 0; i < w->n_low; i++)
		note_between(w, i);
	for (size_t k = 0; k < m * m; k++)
		w->xbetween[k + 2] += w->xbetween[k + 1];
	if (!(w->between = moore_arena_alloc(tmp, (size_t)w->xbetween[m * m + 1] + 1, sizeof(*w->between))))
		return false;
	for (uint32_t i = 0; i < w->n_low; i++)
		note_between(w, i);
	return true;
}

static bool
alloc_tables(struct moore_rdetours *w, struct moore_arena *tmp)
{
	size_t pairs = (size_t)w->n_classes * w->n_low, low = w->n_low, m = w->n_middles;

	w->common = moore_arena_alloc(tmp, pairs, 1);
	w->ways = moore_arena_alloc(tmp, m * low, w->stride);
	w->n_reached = moore_arena_alloc(tmp, m * low, 1);
	w->firsts = moore_arena_alloc(tmp, pairs, 1);
	w->lasts = moore_arena_alloc(tmp, pairs, 1);
	w->ending = moore_arena_alloc(tmp, pairs, w->stride);
	w->n_detours = moore_arena_alloc(tmp, pairs, sizeof(*w->n_detours));
	w->by_links = moore_arena_alloc(tmp, w->stride + 1, sizeof(*w->by_links));
	w->by_detours = moore_arena_alloc(tmp, w->most_detours + 1, sizeof(*w->by_detours));
	w->change = moore_arena_alloc(tmp, m * low, sizeof(*w->change));
	return w->common && w->ways && w->n_reached &&
		w->firsts && w->lasts && w->ending && w->n_detours && w->by_links && w->by_detours &&
		w->change;
}

static bool
alloc_lists(struct moore_rdetours *w, struct moore_arena *tmp)
{
	size_t n = (size_t)w->g->n + 1;

	w->low = moore_arena_alloc(tmp, n, sizeof(*w->low));
	w->middle = moore_arena_alloc(tmp, n, sizeof(*w->middle));
	w->at = moore_arena_alloc(tmp, n, sizeof(*w->at));
	w->xadj = moore_arena_alloc(tmp, n, sizeof(*w->xadj));
	w->adj = moore_arena_alloc(tmp, (size_t)w->g->n_edges + 1, sizeof(*w->adj));
	return w->low && w->middle && w->at && w->xadj && w->adj;
}

int
moore_rdetours_init(struct moore_rdetours *w, const struct moore_rgraph *g, const uint32_t *rank,
		    struct moore_arena *tmp)
{
	*w = (struct moore_rdetours){ .g = g, .rank = rank };
	if (!alloc_lists(w, tmp))
		return -MOORE_ENOMEM;
	list_nodes(w);
	w->most_detours = 4 * w->stride * w->stride;
	if ((uint64_t)w->n_middles * w->n_low * w->stride > MOORE_MIDDLES_BYTES)
		return MOORE_RDETOURS_MANY;
	if (!index_links(w, tmp) || !alloc_tables(w, tmp))
		return -MOORE_ENOMEM;
	memset(w->common, NO_SLOT, (size_t)w->n_classes * w->n_low);
	for (uint32_t i = 0; i < w->n_low; i++)
		note_common(w, i);
	set_costs(w);
	count_all(w);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_mroot.c - what all trees of a root have in common, where the graph has lines or paired
 * classes (layer_middles.c has the words): by which link each low switch can go on to the root, which
 * intermediates each middle switch can take, and how much each last link is needed by it. */
#include <string.h>

#include "base/bits.h"
#include "route/layers/layer_mtree.h"

#define SHARE ((uint32_t)1 << 10)	/* shares of pairs of links count in parts of this */

void
moore_rmtrees_hang_last_hops(struct moore_rmtrees *w)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t root = w->t.root;

	memset(w->t.slot, MOORE_SLOT_NONE, g->n);
	memset(w->t.len, MOORE_LEN_NONE, g->n);
	w->t.len[root] = 0;
	for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++)
		if (is_usable(w, g->rev[e]))
			hang(w, g->to[e], g->rev[e]);
}

/* Whether a packet can go on over edge e, of a low switch, to a middle switch beside the root. */
static bool
leads_on(const struct moore_rmtrees *w, uint32_t e)
{
	return w->t.len[w->v->g->to[e]] == 1 && is_usable(w, e) &&
		moore_rview_legal(w->v, w->t.slot, w->t.root, e);
}

/* The edge with the greatest rank over which low switch i could go on to the root. */
static uint32_t
way_out(const struct moore_rmtrees *w, uint32_t i)
{
	const struct moore_rgraph *g = w->v->g;
	const uint32_t *rank = w->v->turns->rank;
	uint32_t best = MOORE_NONE;

	for (uint32_t e = g->xadj[i]; e < g->xadj[i + 1]; e++)
		if (leads_on(w, e) && (best == MOORE_NONE || rank[e] > rank[best]))
			best = e;
	return best;
}

/* Whether the rank rises from some link to the tail of edge e to e. */
static bool
is_entered(const struct moore_rmtrees *w, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	const uint32_t *rank = w->v->turns->rank;
	uint32_t i = moore_rgraph_tail(g, e);

	for (uint32_t o = g->xadj[i]; o < g->xadj[i + 1]; o++)
		if (o != e && rank[g->rev[o]] < rank[e])
			return true;
	return false;
}

/* The same for a switch of the root's own class where classes are paired.  All of its links lead
 * to middle switches beside the root, so those that some turn leads to take turns. */
static uint32_t
way_out_of_peer(const struct moore_rmtrees *w, uint32_t i)
{
	const struct moore_rgraph *g = w->v->g;
	const uint32_t *place = w->classes->place;
	uint32_t n = 0, nth;

	for (uint32_t e = g->xadj[i]; e < g->xadj[i + 1]; e++)
		n += leads_on(w, e) && is_entered(w, e);
	nth = n ? (place[i] + place[w->t.root]) % n : 0;
	for (uint32_t e = g->xadj[i]; e < g->xadj[i + 1]; e++)
		if (leads_on(w, e) && is_entered(w, e) && !nth--)
			return e;
	return MOORE_NONE;
}

static void
find_ways_out(struct moore_rmtrees *w)
{
	const struct moore_rmiddles *c = w->classes;

	memset(w->out, 0xff, w->v->g->n * sizeof(*w->out));
	for (uint32_t k = 0; k < w->n_low; k++) {
		uint32_t i = w->low[k];

		if (i == w->t.root || !moore_rview_transit(w->v, i))
			continue;
		w->out[i] = c->paired && c->class_of[i] == c->class_of[w->t.root] ?
			way_out_of_peer(w, i) : way_out(w, i);
	}
}

/* Whether some entry turn leads over edge down, of middle switch m. */
static bool
is_entered_onto(const struct moore_rmtrees *w, uint32_t m, uint32_t down)
{
	const struct moore_rgraph *g = w->v->g;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
		if (g->flags[e] & w->v->flag && moore_rturns_enter(w->v->turns, g->rev[e], down))
			return true;
	return false;
}

/* Whether middle switch m can lead on over its edge e, for all beside it or (*enters) for those with an
 * entry turn onto it.  Those beside the root have children of all kinds. */
static bool
can_lead(const struct moore_rmtrees *w, uint32_t m, uint32_t e, bool *enters)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t i = g->to[e], out = w->out[i];

	if (!(g->flags[e] & w->v->flag) || out == MOORE_NONE || g->to[out] == m)
		return false;
	*enters = !moore_rturns_allow(w->v->turns, e, out);
	return !*enters || (w->t.len[m] != 1 && !(w->one_lane && g->flags[e] & MOORE_EDGE_ONE_LANE) &&
			    is_entered_onto(w, m, e));
}

/* The number that the side of edge e shares with its partner: at a middle switch, entry turns join edges of
 * the same number. */
static uint32_t
group_of(const struct moore_rmtrees *w, uint32_t e)
{
	return (w->v->turns->side[e] & ~(uint32_t)MOORE_SIDE_OUT) / 2;
}

static void
list_offers(struct moore_rmtrees *w)
{
	const struct moore_rgraph *g = w->v->g;
	bool enters;
	uint32_t n = 0;

	for (uint32_t m = 0; m < g->n; m++) {
		bool passes = !g->is_source[m] && moore_rview_transit(w->v, m) &&
			(w->t.len[m] != 1 || w->serves_peers);

		w->xoffer[m] = n;
		for (uint32_t e = g->xadj[m]; passes && e < g->xadj[m + 1]; e++) {
			uint32_t i = g->to[e];
			uint8_t last;

			if (!can_lead(w, m, e, &enters))
				continue;
			last = w->last[g->to[w->out[i]]];
			w->offer[n++] = (struct moore_roffer){ e, moore_rmtrees_want(w, m, last,
					enters ? group_of(w, e) : 0), (uint16_t)i, last, enters };
		}
	}
	w->xoffer[g->n] = n;
}

/* The number of last links to which middle switch m can lead. */
static uint32_t
count_lasts(const struct moore_rmtrees *w, uint32_t m)
{
	uint64_t seen[4] = { 0 };
	uint32_t n = 0;

	for (uint32_t k = w->xoffer[m]; k < w->xoffer[m + 1]; k++)
		if (!moore_bits_get(seen, w->offer[k].last)) {
			moore_bits_set(seen, w->offer[k].last);
			n++;
		}
	return n;
}

/* The share of low switch s in its pair of a middle switch, which leads to n_lasts last links, and
 * one of these.  Its shares with one first link, or with one last link, add up to SHARE at most,
 * so they are a fractional matching. */
static uint32_t
share_of(const struct moore_rmtrees *w, uint32_t s, uint32_t n_lasts, uint8_t last)
{
	uint32_t n_firsts = w->n_firsts[(size_t)s * w->stride + last];

	return SHARE / (n_firsts > n_lasts ? n_firsts : n_lasts);
}

/* Whether each offer of middle switch m that leads to this last link serves entry turns alone. */
static bool
only_enters(const struct moore_rmtrees *w, uint32_t m, uint8_t last)
{
	for (uint32_t k = w->xoffer[m]; k < w->xoffer[m + 1]; k++)
		if (w->offer[k].last == last && !w->offer[k].enters)
			return false;
	return true;
}

/* Visits each last link to which middle switch m can lead, and each low switch beside m that can
 * use the two.  Step 0 counts the first links of each low switch for each last link, step 1 adds
 * up its shares, and step 2 adds up what m is needed for: more by a switch with few shares. */
static void
weigh_pairs(struct moore_rmtrees *w, uint32_t m, int step)
{
	const struct moore_rgraph *g = w->v->g;
	uint64_t seen[4] = { 0 };
	uint32_t n_lasts = count_lasts(w, m);

	for (uint32_t k = w->xoffer[m]; k < w->xoffer[m + 1]; k++) {
		uint8_t last = w->offer[k].last;
		uint32_t *need = w->need + moore_rmtrees_want(w, m, last, 0);
		bool enters;

		if (moore_bits_get(seen, last))
			continue;
		moore_bits_set(seen, last);
		for (uint32_t i = 0; i < w->n_groups; i++)
			need[i] = 1;
		enters = only_enters(w, m, last);
		for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++) {
			uint32_t s = g->to[e];
			size_t at = (size_t)s * w->stride + last;

			if (!(g->flags[e] & w->v->flag) || s == w->t.root ||
			    w->minimal[s].last == last ||
			    (enters && !w->v->turns->side[g->rev[e]]))
				continue;
			if (step == 0)
				w->n_firsts[at]++;
			else if (step == 1)
				w->shares[s] += share_of(w, s, n_lasts, last);
			else
				need[enters ? group_of(w, g->rev[e]) : 0] += (uint32_t)
					(((uint64_t)share_of(w, s, n_lasts, last) << 24) /
					 ((uint64_t)w->shares[s] * w->shares[s]));
		}
	}
}

/* The price for m to lead to a last link once: less where it is needed more. */
static void
find_needs(struct moore_rmtrees *w)
{
	memset(w->shares, 0, w->v->g->n * sizeof(*w->shares));
	memset(w->n_firsts, 0, (size_t)w->v->g->n * w->stride);
	for (int step = 0; step < 3; step++)
		for (uint32_t k = 0; k < w->n_middle; k++)
			weigh_pairs(w, w->middle[k], step);
	for (uint32_t i = 0; i < w->n_middle; i++) {
		uint32_t m = w->middle[i], most = 1;

		for (uint32_t k = w->xoffer[m]; k < w->xoffer[m + 1]; k++) {
			uint32_t need = w->need[w->offer[k].want];

			most = need > most ? need : most;
		}
		for (uint32_t k = w->xoffer[m]; k < w->xoffer[m + 1]; k++) {
			uint32_t want = w->offer[k].want;
			uint64_t once = (uint64_t)most * USE / w->need[want];

			w->once[want] = once < MAX_LOAD ? (uint32_t)once : MAX_LOAD;
		}
	}
}

/* The first and last link of the one minimal route of s, or MOORE_SLOT_NONE. */
static struct moore_rends
find_minimal(const struct moore_rmtrees *w, uint32_t s)
{
	const struct moore_rgraph *g = w->v->g;
	const struct moore_rends none = { MOORE_SLOT_NONE, MOORE_SLOT_NONE };
	struct moore_rends found = none;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		if (!(g->flags[e] & w->v->flag) || w->t.len[g->to[e]] != 1)
			continue;
		if (found.first != MOORE_SLOT_NONE)
			return none;
		found.first = (uint8_t)(e - g->xadj[s]);
		found.last = w->last[g->to[e]];
	}
	return found;
}

/* Prices of links and pairs of links before the first tree. */
static void
reset_prices(struct moore_rmtrees *w)
{
	const struct moore_rgraph *g = w->v->g;
	size_t rows = (size_t)g->n * w->stride;

	for (uint32_t e = 0; e < g->n_edges; e++) {
		w->first_price[e] = is_usable(w, e) ? 0 : NEVER;
		w->own_firsts[e] = 0;
	}
	memset(w->last_price, 0, rows * sizeof(*w->last_price));
	for (uint32_t k = 0; k < w->n_low; k++) {
		uint32_t s = w->low[k];

		if (w->minimal[s].last != MOORE_SLOT_NONE)
			w->last_price[(size_t)s * w->stride + w->minimal[s].last] = NEVER;
	}
	memset(w->led_price, 0, rows * sizeof(*w->led_price));
}

void
moore_rmtrees_reset(struct moore_rmtrees *w)
{
	w->n_built = w->n_ended = 0;
	memset(w->n_ending, 0, sizeof(w->n_ending));
	memset(w->n_diverted, 0, w->stride * sizeof(*w->n_diverted));
	memset(w->n_own, 0, w->v->g->n_edges * sizeof(*w->n_own));
	reset_prices(w);
}

void
moore_rmtrees_prepare(struct moore_rmtrees *w, uint32_t root)
{
	w->t.root = root;
	moore_rmtrees_hang_last_hops(w);
	find_ways_out(w);
	for (uint32_t k = 0; k < w->n_low; k++)
		w->minimal[w->low[k]] = find_minimal(w, w->low[k]);
	list_offers(w);
	find_needs(w);
}

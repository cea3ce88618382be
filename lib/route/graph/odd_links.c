// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* odd_links.c - links that join two leaves, or two middle switches, of a graph that has middle switches
 * (OFT, MLFM, leaf and spine) but for these.
 *
 * A permuted plan has such links, and so has a fabric with a crossed cable.  With them no class, no half and
 * no number of a pair is what it was (turns/middles.h), and a few detours over them would carry most traffic.
 * So layers are made as if odd links were not planned.  Where such a link is up, the minimal routes between
 * its ends take it, unless other routes pass these (fill.c).
 *
 * Which switches are leaves is told by the most links, not by endpoints alone, as some leaves may have none.
 * Odd links stay what they are where they are many, where switches of both sides have endpoints, where few
 * leaves share middle switches (trees of three levels), and where something would be cut off without them. */
#include <string.h>

#include "base/union_find.h"
#include "route/graph/graph.h"
#include "route/tuning.h"

#define ROUNDS 16	/* of a search that ends sooner in graphs with few odd links */
#define MISPLACED_PERCENT 75	/* more odd links than that put a switch on the other side */
#define APART_PERCENT 50	/* at most so many pairs of leaves share no middle switch */

static bool
is_odd(const struct moore_rgraph *g, const uint32_t *side, uint32_t s, uint32_t e)
{
	return moore_rgraph_is_planned(g, e) && side[s] == side[g->to[e]];
}

/* Whether so many of the planned links of s are odd that it is on the wrong side. */
static bool
is_misplaced(const struct moore_rgraph *g, const uint32_t *side, uint32_t s)
{
	uint32_t n = 0, n_odd = 0;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		n += moore_rgraph_is_planned(g, e);
		n_odd += is_odd(g, side, s, e);
	}
	return n_odd * 100 > n * MISPLACED_PERCENT;
}

/* Divides the planned nodes into sides 0 and 1, at first by their endpoints. */
static void
divide(const struct moore_rgraph *g, uint32_t *side)
{
	bool any = true;

	for (uint32_t s = 0; s < moore_rgraph_n_intended(g); s++)
		side[s] = g->is_source[s];
	for (unsigned round = 0; any && round < ROUNDS; round++) {
		any = false;
		for (uint32_t s = 0; s < moore_rgraph_n_intended(g); s++)
			if (is_misplaced(g, side, s)) {
				side[s] = !side[s];
				any = true;
			}
	}
}

/* Whether one side has nearly all sources, and there are few odd links, but some. */
static bool
are_few(const struct moore_rgraph *g, const uint32_t *side)
{
	uint32_t n_planned = 0, n_odd = 0, n[2] = { 0 }, n_sources[2] = { 0 };

	for (uint32_t s = 0; s < moore_rgraph_n_intended(g); s++) {
		n[side[s]]++;
		n_sources[side[s]] += g->is_source[s];
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			n_planned += moore_rgraph_is_planned(g, e);
			n_odd += is_odd(g, side, s, e);
		}
	}
	return n_odd && (uint64_t)n_odd * MOORE_ODD_LINKS <= n_planned &&
		n_sources[0] != n_sources[1] && (n_sources[0] * MOORE_MIDDLES_FOR_HOSTED <= n[0] ||
					     n_sources[1] * MOORE_MIDDLES_FOR_HOSTED <= n[1]);
}

/* Whether an odd link joins what the other planned links do not; part[] is scratch, by node. */
static bool
joins_parts(const struct moore_rgraph *g, const uint32_t *side, uint32_t *part)
{
	const uint32_t n = moore_rgraph_n_intended(g);
	bool any = false;

	moore_union_start(part, g->n);
	for (uint32_t s = 0; s < n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e) && !is_odd(g, side, s, e))
				moore_union_join(part, s, g->to[e]);
	for (uint32_t s = 0; s < n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			any |= is_odd(g, side, s, e) &&
				moore_union_find(part, s) != moore_union_find(part, g->to[e]);
	return any;
}

static void
set_flags(struct moore_rgraph *g, const uint32_t *side)
{
	for (uint32_t s = 0; s < moore_rgraph_n_intended(g); s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (is_odd(g, side, s, e))
				g->flags[e] ^= MOORE_EDGE_PLANNED | MOORE_EDGE_ODD;
}

void
moore_rgraph_set_aside(struct moore_rgraph *g, uint32_t *side, uint32_t *scratch)
{
	if (!memchr(g->is_source, 0, moore_rgraph_n_intended(g)))
		return;		/* as on Slim Fly */
	divide(g, side);
	if (are_few(g, side) && moore_rgraph_is_near(g, APART_PERCENT, scratch) &&
	    !joins_parts(g, side, scratch))
		set_flags(g, side);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* odd_links.c - links that join two leaves, or two middle switches, of a graph that has middle switches
 * (OFT, MLFM, leaf and spine) but for these.
 *
 * A permuted plan has such links, and so has a fabric with a crossed cable.  With them no class, no half and
 * no number of a pair is what it was (turns/middles.h), and a few detours over them would carry most traffic.
 * So layers are made as if odd links were not planned.  Where a link of two leaves is up, the minimal
 * routes between these two take it (fill.c).
 *
 * Which switches are leaves is told by the most links, not by endpoints alone, as some leaves may have none.
 * Odd links stay what they are where they are many, where switches of both sides have endpoints, where few
 * leaves share middle switches (trees of three levels), and where something would be cut off without them. */
#include "base/arena.h"
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

/* Divides the nodes into sides 0 and 1, at first by their endpoints. */
static void
divide(const struct moore_rgraph *g, uint32_t *side)
{
	bool any = true;

	for (uint32_t s = 0; s < g->n; s++)
		side[s] = g->is_source[s];
	for (unsigned round = 0; any && round < ROUNDS; round++) {
		any = false;
		for (uint32_t s = 0; s < g->n; s++)
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

	for (uint32_t s = 0; s < g->n; s++) {
		n[side[s]]++;
		n_sources[side[s]] += g->is_source[s];
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			n_planned += moore_rgraph_is_planned(g, e);
			n_odd += is_odd(g, side, s, e);
		}
	}
	return n_odd && (uint64_t)n_odd * MOORE_ODD_LINKS <= n_planned &&
		n_sources[0] != n_sources[1] && (2 * n_sources[0] <= n[0] || 2 * n_sources[1] <= n[1]);
}

static bool
is_linked(const struct moore_rgraph *g, uint32_t s)
{
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (moore_rgraph_is_planned(g, e))
			return true;
	return false;
}

/* Whether planned links that are not odd lead from any node with planned links to all others; queue[n] is
 * scratch, and reached[n] is zeroed. */
static bool
is_connected(const struct moore_rgraph *g, const uint32_t *side, uint32_t *queue, uint8_t *reached)
{
	uint32_t n = 0, n_linked = 0;

	for (uint32_t s = 0; s < g->n; s++)
		if (is_linked(g, s) && !n_linked++)
			reached[queue[n++] = s] = 1;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t s = queue[i], e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e) && !is_odd(g, side, s, e) && !reached[g->to[e]])
				reached[queue[n++] = g->to[e]] = 1;
	return n == n_linked;
}

int
moore_rgraph_set_aside(struct moore_rgraph *g, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint32_t *side = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*side));
	uint32_t *scratch = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*scratch));
	uint8_t *reached = moore_arena_alloc(&tmp, (size_t)g->n + 1, 1);

	if (!side || !scratch || !reached) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	divide(g, side);
	if (are_few(g, side) && moore_rgraph_is_near(g, APART_PERCENT, scratch) &&
	    is_connected(g, side, scratch, reached))
		for (uint32_t s = 0; s < g->n; s++)
			for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
				if (is_odd(g, side, s, e))
					g->flags[e] ^= MOORE_EDGE_PLANNED | MOORE_EDGE_ODD;
	moore_arena_free(&tmp);
	return 0;
}

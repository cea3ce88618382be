// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ranks.c - the rank of every edge, by the order or by colours.
 *
 * By the order: up edges by their head from low to high, then down edges by their head from
 * high to low.  Every turn is allowed but down-up (Autonet: Schroeder et al., IEEE J. Sel.
 * Areas Commun. 9(8), 1991).
 *
 * By colours: edges rise by colour.  Between the colours below MOORE_RANK_MIDDLE and the others
 * stand the edges of the spanning tree: those towards its root, deepest first, then those
 * away from it, deepest last.  So all turns of the tree are allowed.
 *
 * By place (profile one-vl): in the sequence that sequence.c has found, far apart.  An edge of the
 * tree that does not come after all its predecessors in the tree is moved back to just behind the
 * last of them. */
#include <stdlib.h>

#include "base/arena.h"
#include "route/turns/turns.h"

void
moore_rranks_by_order(const struct moore_rgraph *g, const uint32_t *pos, uint32_t *rank)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			uint32_t head = pos[g->to[e]];

			rank[e] = head < pos[s] ? g->n - head : g->n + 1 + head;
		}
}

/* Gives each edge of the tree a rank above `low`: n ranks for edges towards the root, then n for
 * edges away from it. */
static void
rank_tree(const struct moore_rgraph *g, const uint32_t *parent, const uint32_t *depth,
	  uint32_t low, uint32_t *rank)
{
	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t e = parent[s];

		if (e == MOORE_NONE)
			continue;
		rank[e] = low + g->n - depth[s];
		rank[g->rev[e]] = low + g->n + depth[s];
	}
}

void
moore_rranks_by_colour(struct moore_rturns *t, const struct moore_rgraph *g,
		       const uint32_t *colour, uint32_t *scratch)
{
	uint32_t *depth = scratch;

	for (uint32_t e = 0; e < g->n_edges; e++)
		t->rank[e] = colour[e] + (colour[e] >= MOORE_RANK_MIDDLE ? 2 * g->n + 1 : 0);
	moore_rspanning_depth(g, t->pos, t->parent, depth, scratch + g->n);
	rank_tree(g, t->parent, depth, MOORE_RANK_MIDDLE, t->rank);
}

/* ---- by place --------------------------------------------------------------------------- */

static void
stand_behind(uint32_t *rank, uint32_t e, uint32_t before)
{
	if (rank[e] <= rank[before])
		rank[e] = rank[before] + 1;
}

/* Moves edge e of the tree behind the edges of the tree that lead to its tail: all but rev[e].
 * Those towards the root (`up`) come from children only. */
static void
move_back(uint32_t *rank, const struct moore_rgraph *g, const uint32_t *parent, uint32_t e,
	  bool up)
{
	uint32_t s = moore_rgraph_tail(g, e);

	for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++)
		if (k != e && (parent[g->to[k]] == g->rev[k] || (!up && parent[s] == k)))
			stand_behind(rank, e, g->rev[k]);
}

/* Predecessors first: edges towards the root from the leaves on, then edges away from it. */
static void
move_tree(struct moore_rturns *t, const struct moore_rgraph *g, const uint32_t *node_at)
{
	for (uint32_t i = g->n; i-- > 0;)
		if (t->parent[node_at[i]] != MOORE_NONE)
			move_back(t->rank, g, t->parent, t->parent[node_at[i]], true);
	for (uint32_t i = 0; i < g->n; i++)
		if (t->parent[node_at[i]] != MOORE_NONE)
			move_back(t->rank, g, t->parent, g->rev[t->parent[node_at[i]]], false);
}

int
moore_rranks_by_place(struct moore_rturns *t, const struct moore_rgraph *g, const uint32_t *place,
		      struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint32_t *node_at = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*node_at));
	uint32_t apart = UINT32_MAX / (g->n_edges + 1);
	int rc = node_at ? 0 : moore_fail_nomem(err);

	for (uint32_t s = 0; rc == 0 && s < g->n; s++)
		node_at[t->pos[s]] = s;
	for (uint32_t e = 0; e < g->n_edges; e++)
		t->rank[e] = (place[e] + 1) * apart;
	if (rc == 0)
		move_tree(t, g, node_at);
	moore_arena_free(&tmp);
	return rc;
}

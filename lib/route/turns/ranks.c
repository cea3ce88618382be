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
 * By place (profile one-vl): in the sequence that sequence.c has found.  If links were lost, an
 * edge of the tree that does not come after all its predecessors in the tree is moved back to
 * just behind the last of them. */
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

struct place {
	uint64_t at;		/* in the upper half the place, in the lower one moves past it */
	uint32_t edge;
};

static int
by_at(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->edge < y->edge ? -1 : x->edge > y->edge;
}

static void
stand_behind(struct place *p, uint32_t e, uint32_t before)
{
	if (p[e].at <= p[before].at)
		p[e].at = p[before].at + 1;
}

/* Moves edge e of the tree behind the edges of the tree that lead to its tail: all but rev[e].
 * Those towards the root (`up`) come from children only. */
static void
move_back(struct place *p, const struct moore_rgraph *g, const uint32_t *parent, uint32_t e,
	  bool up)
{
	uint32_t s = g->to[g->rev[e]];

	for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++)
		if (k != e && (parent[g->to[k]] == g->rev[k] || (!up && parent[s] == k)))
			stand_behind(p, e, g->rev[k]);
}

/* Predecessors first: edges towards the root from the leaves on, then edges away from it. */
static void
move_tree(struct place *p, const struct moore_rturns *t, const struct moore_rgraph *g,
	  const uint32_t *node_at)
{
	for (uint32_t i = g->n; i-- > 0;)
		if (t->parent[node_at[i]] != MOORE_NONE)
			move_back(p, g, t->parent, t->parent[node_at[i]], true);
	for (uint32_t i = 0; i < g->n; i++)
		if (t->parent[node_at[i]] != MOORE_NONE)
			move_back(p, g, t->parent, g->rev[t->parent[node_at[i]]], false);
}

int
moore_rranks_by_place(struct moore_rturns *t, const struct moore_rgraph *g, const uint32_t *place,
		      struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct place *p = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1, sizeof(*p));
	uint32_t *node_at = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*node_at));
	int rc = 0;

	if (!p || !node_at) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	for (uint32_t s = 0; s < g->n; s++)
		node_at[t->pos[s]] = s;
	for (uint32_t e = 0; e < g->n_edges; e++)
		p[e] = (struct place){ (uint64_t)place[e] << 32, e };
	move_tree(p, t, g, node_at);
	qsort(p, g->n_edges, sizeof(*p), by_at);
	for (uint32_t i = 0; i < g->n_edges; i++)
		t->rank[p[i].edge] = i + 1;
out:
	moore_arena_free(&tmp);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* embed_order.c - the sequence in which embed.c maps vertices.
 *
 * A wrong image should be found wrong soon, so the sequence closes short cycles early:
 *   1. Next comes the vertex with the most neighbours in the sequence.
 *   2. Of these, the one with the most neighbours that would then have two: it closes a
 *      cycle.
 *   3. Of these, the one whose count rose last: the sequence goes on from where it is.
 *
 * Twins are vertices that share most of their neighbours: switches in equal positions of an
 * OFT or MLFM, the members of a group of a Dragonfly.  They constrain a neighbour hardly more
 * than one of them does, so they count once.  Without this rule, the sequence would run
 * through all switches of one line of a projective plane, whose images could then be
 * permuted without a contradiction for a long time. */
#include <string.h>

#include "topo/embed.h"

struct heap {			/* the vertices that are not in the sequence; the next is v[0] */
	uint32_t *v, n;
	uint32_t *at;		/* by vertex: its index in v[]; MOORE_NONE: it is in the sequence */
	uint32_t *count;	/* by vertex: neighbours in the sequence, twins counted once */
	uint32_t *closes;	/* by vertex: neighbours not in the sequence with a count, its own
				 * twins left out */
	uint32_t *since;	/* by vertex: when its count rose last */
	uint32_t *twin;		/* by vertex: the first of its twins */
	uint32_t *has_twin;
};

static bool
is_before(const struct heap *h, uint32_t x, uint32_t y)
{
	if (h->count[x] != h->count[y])
		return h->count[x] > h->count[y];
	if (h->closes[x] != h->closes[y])
		return h->closes[x] > h->closes[y];
	if (h->since[x] != h->since[y])
		return h->since[x] > h->since[y];
	return x < y;
}

static void
set_at(struct heap *h, uint32_t i, uint32_t x)
{
	h->v[i] = x;
	h->at[x] = i;
}

/* Moves x to its place in the heap after its keys have changed. */
static void
settle(struct heap *h, uint32_t x)
{
	uint32_t i = h->at[x];

	for (; i && is_before(h, x, h->v[(i - 1) / 2]); i = (i - 1) / 2)
		set_at(h, i, h->v[(i - 1) / 2]);
	for (;;) {
		uint32_t k = 2 * i + 1;

		if (k + 1 < h->n && is_before(h, h->v[k + 1], h->v[k]))
			k++;
		if (k >= h->n || !is_before(h, h->v[k], x))
			break;
		set_at(h, i, h->v[k]);
		i = k;
	}
	set_at(h, i, x);
}

/* Adds `by` to closes[] of the neighbours of y. */
static void
change_closes(struct heap *h, const struct moore_adjacency *g, uint32_t y, uint32_t by)
{
	for (uint32_t k = g->xadj[y]; k < g->xadj[y + 1]; k++) {
		uint32_t z = g->adj[k];

		if (h->twin[z] == h->twin[y])
			continue;
		h->closes[z] += by;
		if (h->at[z] != MOORE_NONE)
			settle(h, z);
	}
}

/* Whether y has a neighbour in the sequence that is a twin of x. */
static bool
is_counted(const struct heap *h, const struct moore_adjacency *g, uint32_t x, uint32_t y)
{
	if (!h->has_twin[h->twin[x]])
		return false;
	for (uint32_t k = g->xadj[y]; k < g->xadj[y + 1]; k++)
		if (g->adj[k] != x && h->twin[g->adj[k]] == h->twin[x] &&
		    h->at[g->adj[k]] == MOORE_NONE)
			return true;
	return false;
}

/* Moves x from the heap to the sequence, as its vertex number `now`. */
static void
take(struct heap *h, const struct moore_adjacency *g, uint32_t x, uint32_t now)
{
	uint32_t i = h->at[x];

	h->at[x] = MOORE_NONE;
	if (i != --h->n) {
		set_at(h, i, h->v[h->n]);
		settle(h, h->v[i]);
	}
	if (h->count[x])
		change_closes(h, g, x, UINT32_MAX);	/* minus one */
	for (uint32_t k = g->xadj[x]; k < g->xadj[x + 1]; k++) {
		uint32_t y = g->adj[k];

		if (h->at[y] == MOORE_NONE || is_counted(h, g, x, y))
			continue;
		h->since[y] = now;
		if (!h->count[y]++)
			change_closes(h, g, y, 1);
		settle(h, y);
	}
}

/* Counts in common[] the neighbours that v shares with each later vertex, and makes those
 * that share more than half with it its twins. */
static void
find_twins_of(struct heap *h, const struct moore_adjacency *g, uint32_t v, uint32_t *common)
{
	memset(common, 0, g->n * sizeof(*common));
	for (uint32_t k = g->xadj[v]; k < g->xadj[v + 1]; k++) {
		const uint32_t w = g->adj[k];

		for (uint32_t m = g->xadj[w]; m < g->xadj[w + 1]; m++) {
			const uint32_t x = g->adj[m];

			if (x > v && ++common[x] * 2 > moore_adjacency_degree(g, v) &&
			    common[x] * 2 > moore_adjacency_degree(g, x)) {
				h->twin[x] = v;
				h->has_twin[v] = 1;
			}
		}
	}
}

bool
moore_topo_embed_order(const struct moore_adjacency *g, uint32_t start, uint32_t *order,
		       uint32_t *rank, struct moore_arena *tmp)
{
	uint32_t *common = moore_arena_alloc(tmp, (size_t)g->n + 1, sizeof(*common));
	struct heap h = { .n = g->n };
	uint32_t **array[] = { &h.v, &h.at, &h.count, &h.closes, &h.since, &h.twin, &h.has_twin };

	for (size_t i = 0; i < ARRAY_LEN(array); i++)
		if (!(*array[i] = moore_arena_alloc(tmp, (size_t)g->n + 1, sizeof(**array))))
			return false;
	if (!common)
		return false;
	for (uint32_t v = 0; v < g->n; v++) {
		set_at(&h, v, v);
		h.twin[v] = v;
	}
	for (uint32_t v = 0; v < g->n; v++)
		if (h.twin[v] == v)
			find_twins_of(&h, g, v, common);
	for (uint32_t i = 0; i < g->n; i++) {
		order[i] = i ? h.v[0] : start;
		rank[order[i]] = i;
		take(&h, g, order[i], i);
	}
	return true;
}

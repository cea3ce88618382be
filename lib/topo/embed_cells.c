// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* embed_cells.c - a sequence in which embed.c maps vertices that differ in position, as those of a
 * Dragonfly.
 *
 * A cell holds vertices that are linked to the same vertices of the sequence, and equally far from its
 * landmarks: each of them has as many possible images as the cell has vertices.  So next comes one of
 * the smallest cell.  embed_order.c is better where the sequence has to close cycles soon. */
#include <string.h>

#include "topo/embed.h"

struct cells {
	const struct moore_adjacency *g;
	uint32_t n;		/* cells so far; those that became empty are not used again */
	uint32_t *of;		/* by vertex: its cell */
	uint32_t *size;		/* by cell: its vertices that are not in the sequence */
	uint32_t *into;		/* by cell: the one that takes the vertices that leave it; MOORE_NONE */
	uint32_t *touched, n_touched;	/* cells that some vertices leave */
	uint32_t *count;	/* by vertex: neighbours in the sequence */
	uint32_t *since;	/* by vertex: when its count rose last */
	bool *placed;		/* by vertex: it is in the sequence */
};

/* Moves w to the cell of all that leave its cell now. */
static void
leave(struct cells *c, uint32_t w)
{
	const uint32_t was = c->of[w];

	if (c->placed[w])
		return;
	if (c->into[was] == MOORE_NONE) {
		c->into[was] = c->n;
		c->into[c->n] = MOORE_NONE;
		c->size[c->n++] = 0;
		c->touched[c->n_touched++] = was;
	}
	c->of[w] = c->into[was];
	c->size[was]--;
	c->size[c->of[w]]++;
}

static void
end_split(struct cells *c)
{
	while (c->n_touched)
		c->into[c->touched[--c->n_touched]] = MOORE_NONE;
}

/* Neighbours of v leave their cells. */
static void
split_by_links(struct cells *c, uint32_t v)
{
	for (uint32_t k = c->g->xadj[v]; k < c->g->xadj[v + 1]; k++)
		leave(c, c->g->adj[k]);
	end_split(c);
}

static void
split_by_distance(struct cells *c, const uint8_t *distance)
{
	unsigned most = 0;

	for (uint32_t w = 0; w < c->g->n; w++)
		if (distance[w] != MOORE_FAR && distance[w] > most)
			most = distance[w];
	for (unsigned d = 2; d < most; d++) {
		for (uint32_t w = 0; w < c->g->n; w++)
			if (distance[w] == d)
				leave(c, w);
		end_split(c);
	}
}

static bool
is_before(const struct cells *c, uint32_t x, uint32_t y)
{
	if (!c->count[x] != !c->count[y])
		return c->count[x];
	if (c->size[c->of[x]] != c->size[c->of[y]])
		return c->size[c->of[x]] < c->size[c->of[y]];
	if (c->count[x] != c->count[y])
		return c->count[x] > c->count[y];
	if (c->since[x] != c->since[y])
		return c->since[x] > c->since[y];
	return x < y;
}

static uint32_t
next_vertex(const struct cells *c)
{
	uint32_t v = MOORE_NONE;

	for (uint32_t w = 0; w < c->g->n; w++)
		if (!c->placed[w] && (v == MOORE_NONE || is_before(c, w, v)))
			v = w;
	return v;
}

/* Makes v number i of the sequence. */
static void
take(struct cells *c, uint32_t v, uint32_t i)
{
	c->placed[v] = true;
	c->size[c->of[v]]--;
	for (uint32_t k = c->g->xadj[v]; k < c->g->xadj[v + 1]; k++) {
		c->count[c->g->adj[k]]++;
		c->since[c->g->adj[k]] = i;
	}
	split_by_links(c, v);
}

/* A vertex makes at most one cell for each link and for each landmark. */
static bool
alloc_cells(struct cells *c, unsigned n_landmarks, struct moore_arena *tmp)
{
	const size_t n = (size_t)c->g->n + 1, most = c->g->xadj[c->g->n] + n * (n_landmarks + 1);

	c->of = moore_arena_alloc(tmp, n, sizeof(*c->of));
	c->size = moore_arena_alloc(tmp, most, sizeof(*c->size));
	c->into = moore_arena_alloc(tmp, most, sizeof(*c->into));
	c->touched = moore_arena_alloc(tmp, n, sizeof(*c->touched));
	c->count = moore_arena_alloc(tmp, n, sizeof(*c->count));
	c->since = moore_arena_alloc(tmp, n, sizeof(*c->since));
	c->placed = moore_arena_alloc(tmp, n, sizeof(*c->placed));
	return c->of && c->size && c->into && c->touched && c->count && c->since && c->placed;
}

bool
moore_topo_embed_cells(struct moore_view *view, uint32_t start, unsigned n_landmarks, uint32_t *order,
		       uint32_t *rank, struct moore_arena *tmp)
{
	const uint32_t n = view->g->n;
	struct cells c = { .g = view->g, .n = 1 };

	if (!alloc_cells(&c, n_landmarks, tmp))
		return false;
	c.size[0] = n;
	c.into[0] = MOORE_NONE;
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *distance;

		order[i] = i ? next_vertex(&c) : start;
		rank[order[i]] = i;
		take(&c, order[i], i);
		if (i < n_landmarks && (distance = moore_view_from(view, order[i])))
			split_by_distance(&c, distance);
	}
	return true;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* twins.c - merges the vertices of a graph that are linked to the same vertices. */
#include "base/random.h"
#include "topo/marks.h"
#include "topo/twins.h"

/* Sorts the vertices by a hash of their colour and their neighbours. */
static void
hash_neighbours(const struct moore_adjacency *g, const uint32_t *colour, struct moore_mark *mark,
		struct moore_marks_room *room)
{
	for (uint32_t v = 0; v < g->n; v++) {
		struct moore_rng own = { (uint64_t)colour[v] << 32 };

		mark[v] = (struct moore_mark){ moore_rng_next(&own), v };
		for (uint32_t i = g->xadj[v]; i < g->xadj[v + 1]; i++) {
			struct moore_rng r = { g->adj[i] };

			mark[v].hash += moore_rng_next(&r);
		}
	}
	moore_marks_sort(mark, g->n, room);
}

/* Fills next[], and size_of[] of the first member of each class. */
static void
link_members(struct moore_twins *t, const struct moore_mark *mark, uint32_t n, uint32_t *size_of)
{
	for (uint32_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && mark[k].hash == mark[i].hash; k++)
			t->next[mark[k - 1].v] = mark[k].v;
		t->next[mark[k - 1].v] = MOORE_NONE;
		size_of[mark[i].v] = k - i;
	}
}

/* Each class takes the links of its first member to the first members of others. */
static void
merge_links(struct moore_twins *t, const struct moore_adjacency *g, const uint32_t *size_of,
	    const uint32_t *class_of)
{
	uint32_t n = 0;

	for (uint32_t c = 0; c < t->g.n; c++) {
		const uint32_t v = t->first[c];

		for (uint32_t i = g->xadj[v]; i < g->xadj[v + 1]; i++)
			if (size_of[g->adj[i]])
				t->g.adj[n++] = class_of[g->adj[i]];
		t->g.xadj[c + 1] = n;
	}
}

bool
moore_twins_merge(struct moore_twins *t, const struct moore_adjacency *g, const uint32_t *colour,
		  struct moore_arena *tmp)
{
	const size_t n = (size_t)g->n + 1;
	struct moore_mark *mark = moore_arena_alloc(tmp, n, sizeof(*mark));
	uint32_t *size_of = moore_arena_alloc(tmp, n, sizeof(*size_of));	/* by first member */
	uint32_t *class_of = moore_arena_alloc(tmp, n, sizeof(*class_of));
	struct moore_marks_room room;

	*t = (struct moore_twins){
		.g.xadj = moore_arena_alloc(tmp, n, sizeof(*t->g.xadj)),
		.g.adj = moore_arena_alloc(tmp, (size_t)g->xadj[g->n] + 1, sizeof(*t->g.adj)),
		.first = moore_arena_alloc(tmp, n, sizeof(*t->first)),
		.size = moore_arena_alloc(tmp, n, sizeof(*t->size)),
		.next = moore_arena_alloc(tmp, n, sizeof(*t->next)),
	};
	if (!mark || !size_of || !class_of || !t->g.xadj || !t->g.adj || !t->first || !t->size ||
	    !t->next || !moore_marks_room(&room, g->n, tmp))
		return false;
	hash_neighbours(g, colour, mark, &room);
	link_members(t, mark, g->n, size_of);
	for (uint32_t v = 0; v < g->n; v++)
		if (size_of[v]) {
			class_of[v] = t->g.n;
			t->size[t->g.n] = size_of[v];
			t->first[t->g.n++] = v;
		}
	merge_links(t, g, size_of, class_of);
	return true;
}

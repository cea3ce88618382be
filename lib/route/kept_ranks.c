// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* kept_ranks.c - the result of a search for ranks, kept by the caller from build to build.
 *
 * The search costs more than the rest of a build.  Its result depends on the intended graph
 * and its spanning tree alone, so it is found again by a hash of these two. */
#include <stdlib.h>
#include <string.h>

#include "route/turns.h"

struct moore_ranks {
	uint64_t key;
	uint32_t n_edges;
	uint32_t colour[];	/* by edge */
};

void
moore_ranks_free(struct moore_ranks *k)
{
	free(k);
}

/* False when some edge is not planned: then the ranks are not those of the intended graph. */
static bool
find_key(const struct moore_rgraph *g, const struct moore_rturns *t, uint64_t *key)
{
	uint64_t h = moore_hash(MOORE_HASH_INIT, &g->n, sizeof(g->n));

	for (uint32_t e = 0; e < g->n_edges; e++)
		if (!(g->flags[e] & MOORE_EDGE_PLANNED))
			return false;
	h = moore_hash(h, g->xadj, ((size_t)g->n + 1) * sizeof(*g->xadj));
	h = moore_hash(h, g->to, g->n_edges * sizeof(*g->to));
	h = moore_hash(h, g->is_source, g->n);
	*key = moore_hash(h, t->parent, g->n * sizeof(*t->parent));
	return true;
}

bool
moore_ranks_find(const struct moore_ranks *k, const struct moore_rgraph *g,
		 const struct moore_rturns *t, uint32_t *colour)
{
	uint64_t key;

	if (!k || k->n_edges != g->n_edges || !find_key(g, t, &key) || key != k->key)
		return false;
	memcpy(colour, k->colour, g->n_edges * sizeof(*colour));
	return true;
}

int
moore_ranks_keep(struct moore_ranks **k, const struct moore_rgraph *g,
		 const struct moore_rturns *t, const uint32_t *colour)
{
	struct moore_ranks *new;
	uint64_t key;

	if (!k || !find_key(g, t, &key))
		return 0;
	if (!(new = malloc(sizeof(*new) + g->n_edges * sizeof(*colour))))
		return -MOORE_ENOMEM;
	new->key = key;
	new->n_edges = g->n_edges;
	memcpy(new->colour, colour, g->n_edges * sizeof(*colour));
	moore_ranks_free(*k);
	*k = new;
	return 0;
}

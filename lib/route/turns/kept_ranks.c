// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* kept_ranks.c - the result of a search for ranks, kept by the caller from build to build.
 *
 * The search costs more than the rest of a build.  Its result depends on the intended graph
 * and its spanning tree alone, so it is found again by a hash of these two. */
#include <stdlib.h>

#include "route/turns/turns.h"

struct moore_ranks {
	uint64_t key;
	uint32_t colour[];	/* by planned edge */
};

void
moore_ranks_free(struct moore_ranks *k)
{
	free(k);
}

static uint64_t
hash_number(uint64_t h, uint32_t number)
{
	return moore_hash(h, &number, sizeof(number));
}

static uint64_t
key_of(const struct moore_rgraph *g, const struct moore_rturns *t)
{
	uint32_t n = moore_rgraph_n_intended(g);
	uint64_t h = hash_number(hash_number(MOORE_HASH_INIT, n), g->one_vl);

	for (uint32_t s = 0; s < n; s++) {
		h = hash_number(h, t->parent[s] == MOORE_NONE ? MOORE_NONE : g->to[t->parent[s]]);
		h = hash_number(h, g->is_source[s]);
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e))
				h = hash_number(h, g->to[e]);
	}
	return h;
}

bool
moore_ranks_find(const struct moore_ranks *k, const struct moore_rgraph *g,
		 const struct moore_rturns *t, uint32_t *colour)
{
	uint32_t n = 0;

	if (!k || key_of(g, t) != k->key)
		return false;
	for (uint32_t e = 0; e < g->n_edges; e++)
		if (moore_rgraph_is_planned(g, e))
			colour[e] = k->colour[n++];
	return true;
}

int
moore_ranks_keep(struct moore_ranks **k, const struct moore_rgraph *g,
		 const struct moore_rturns *t, const uint32_t *colour)
{
	struct moore_ranks *new;
	uint32_t n = 0;

	if (!k)
		return 0;
	if (!(new = malloc(sizeof(*new) + g->n_edges * sizeof(*colour))))
		return -MOORE_ENOMEM;
	new->key = key_of(g, t);
	for (uint32_t e = 0; e < g->n_edges; e++)
		if (moore_rgraph_is_planned(g, e))
			new->colour[n++] = colour[e];
	moore_ranks_free(*k);
	*k = new;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* common.c - the turns that are allowed in the intended fabric and with what is missing.
 *
 * While tables change, routes of both are in use.  What rises in both rankings cannot be a part
 * of a cycle with either, so trees that keep to common turns let a change go out in fewer steps.
 *
 * An edge has the greater of its two ranks as the first of a turn and the lesser one as the
 * second.  If the rank rises so, it rises in either ranking. */
#include <stdlib.h>

#include "route/turns/turns.h"

/* The rank of edge e in a ranking that may not have it. */
static uint32_t
rank_in(const struct moore_rgraph *g, uint32_t e, const struct moore_rturns *a,
	const struct moore_rturns *b)
{
	return g->flags[e] & MOORE_EDGE_PLANNED ? a->rank[e] : b->rank[e];
}

static bool
are_alike(const struct moore_rgraph *g, const struct moore_rturns *a, const struct moore_rturns *b)
{
	for (uint32_t e = 0; e < g->n_edges; e++)
		if (g->flags[e] & MOORE_EDGE_UP && rank_in(g, e, a, b) != b->rank[e])
			return false;
	return true;
}

int
moore_rturns_common(struct moore_rturns *t, const struct moore_rgraph *g,
		    const struct moore_rturns *a, const struct moore_rturns *b)
{
	*t = (struct moore_rturns){ 0 };
	if (are_alike(g, a, b))
		return 0;
	t->rank = malloc(((size_t)g->n_edges + 1) * sizeof(*t->rank));
	t->onto = malloc(((size_t)g->n_edges + 1) * sizeof(*t->onto));
	if (!t->rank || !t->onto)
		return -MOORE_ENOMEM;
	for (uint32_t e = 0; e < g->n_edges; e++) {
		uint32_t x = rank_in(g, e, a, b), y = g->flags[e] & MOORE_EDGE_UP ? b->rank[e] : x;

		t->rank[e] = x > y ? x : y;
		t->onto[e] = x < y ? x : y;
	}
	return 0;
}

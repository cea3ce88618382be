// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* common.c - the turns that are allowed in the intended fabric and with what is missing.
 *
 * While tables change, routes of both are in use.  What rises in both rankings cannot be a part
 * of a cycle with either, so trees that keep to common turns let a change go out in fewer steps.
 *
 * An edge has the greater of its two ranks as the first of a turn and the lesser one as the
 * second.  If the rank rises so, it rises in either ranking.  A link that makes entry turns in one of them
 * alone has no turn. */
#include <stdlib.h>

#include "route/turns/turns.h"

/* The first of two rankings if it has edge e, else the other. */
static const struct moore_rturns *
which_has(const struct moore_rgraph *g, uint32_t e, uint8_t flag, const struct moore_rturns *first,
	  const struct moore_rturns *other)
{
	return g->flags[e] & flag ? first : other;
}

static uint8_t
side_of(const struct moore_rturns *t, uint32_t e)
{
	return t->side ? t->side[e] : 0;
}

static bool
are_alike(const struct moore_rgraph *g, const struct moore_rturns *a, const struct moore_rturns *b)
{
	for (uint32_t e = 0; e < g->n_edges; e++)
		if (g->flags[e] & MOORE_EDGE_UP &&
		    (which_has(g, e, MOORE_EDGE_PLANNED, a, b)->rank[e] != b->rank[e] ||
		     side_of(which_has(g, e, MOORE_EDGE_PLANNED, a, b), e) != side_of(b, e)))
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
	if (b->side && !(t->side = calloc((size_t)g->n_edges + 1, 1)))
		return -MOORE_ENOMEM;
	if (!t->rank || !t->onto)
		return -MOORE_ENOMEM;
	for (uint32_t e = 0; e < g->n_edges; e++) {
		const struct moore_rturns *x = which_has(g, e, MOORE_EDGE_PLANNED, a, b);
		const struct moore_rturns *y = which_has(g, e, MOORE_EDGE_UP, b, x);

		t->rank[e] = x->rank[e] > y->rank[e] ? x->rank[e] : y->rank[e];
		t->onto[e] = x->onto[e] < y->onto[e] ? x->onto[e] : y->onto[e];
		if (side_of(x, e) != side_of(y, e)) {
			t->rank[e] = UINT32_MAX;
			t->onto[e] = 0;
		} else if (t->side) {
			t->side[e] = side_of(y, e);
		}
	}
	return 0;
}

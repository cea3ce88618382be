// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* turns.c - the order, the spanning tree and the ranks, one after the other.
 *
 * Ranks follow the order where all LIDs are minimal or where colours would make minimal
 * routes long (route.c decides); they follow colours under non-minimal layers.  Colours and
 * halves are those of the planned graph and do not depend on what is missing.
 *
 * Elsewhere: entry_turns.c, common.c, order.c, spanning.c, spanning_close.c, spanning_rejoin.c,
 * ranks.c, colours.c, halves.c, middle_ranks.c. */
#include <stdlib.h>

#include "base/arena.h"
#include "route/turns/sequence.h"

int
moore_rturns_init(struct moore_rturns *t, const struct moore_rgraph *g, const uint8_t *half,
		  const uint8_t *entry_wanted, bool keep_order)
{
	*t = (struct moore_rturns){ .keep_order = keep_order, .half = half, .entry_wanted = entry_wanted };
	t->pos = calloc((size_t)g->n + 1, sizeof(*t->pos));
	t->rank = calloc((size_t)g->n_edges + 1, sizeof(*t->rank));
	t->parent = calloc((size_t)g->n + 1, sizeof(*t->parent));
	t->onto = t->rank;
	return t->pos && t->rank && t->parent ? 0 : -MOORE_ENOMEM;
}

void
moore_rturns_fini(struct moore_rturns *t)
{
	free(t->pos);
	if (t->onto != t->rank)
		free(t->onto);
	free(t->rank);
	free(t->side);
	free(t->parent);
	*t = (struct moore_rturns){ 0 };
}

/* The order from scratch or close to old, and the spanning tree that follows from it. */
static int
order_and_tree(struct moore_rturns *t, const struct moore_rview *v,
	       const struct moore_rturns *old, bool even, uint32_t *scratch,
	       struct moore_err *err)
{
	const uint32_t *priority = scratch;
	int rc;

	if (!old && t->order == MOORE_RORDER_NEAR)
		moore_rorder_near(v, scratch, scratch + v->g->n);
	else if (!old && t->order == MOORE_RORDER_MIXED)
		moore_rorder_mixed(v, scratch, scratch + v->g->n);
	else if (!old)
		moore_rorder_first(v->g, t->half, scratch);
	else if (t->keep_order)
		priority = old->pos;
	else
		moore_rorder_again(v, old->pos, scratch);
	if ((rc = moore_rorder_build(v, priority, NULL, t->pos, err)) < 0)
		return rc;
	if (v->g->one_vl)
		moore_rspanning_narrow(v, t->pos, t->parent, scratch);
	else
		moore_rspanning_build(v, t->pos, old ? old->parent : NULL, even, t->parent, scratch);
	return rc;
}

/* By place: the search has filled place[], or edges of `old` are down. */
static int
rank_by_place(struct moore_rturns *t, const struct moore_rview *v, const struct moore_rturns *old,
	      const uint32_t *place, struct moore_err *err)
{
	bool joined = false;
	int rc = old ? moore_rsequence_join(t, v, old, &joined, err) : 0;

	if (rc == 0 && old && !joined)
		rc = moore_rspanning_mend(t, v, old, place, err);
	return rc < 0 || joined ? rc : moore_rranks_by_place(t, v->g, place, err);
}

int
moore_rturns_build(struct moore_rturns *t, const struct moore_rview *v,
		   const struct moore_rturns *old, const uint32_t *colour, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint32_t *scratch = moore_arena_alloc(&tmp, 3 * ((size_t)v->g->n + 1), sizeof(*scratch));
	int rc;

	t->by_colour = colour != NULL;
	if (!scratch)
		rc = moore_fail_nomem(err);
	else if (colour && t->close)
		rc = moore_rspanning_close(t, v, old, colour, err);
	else if (colour && old && v->g->one_vl)
		rc = 0;
	else if (colour && old)
		rc = moore_rspanning_mend(t, v, old, colour, err);
	else
		rc = order_and_tree(t, v, old, colour != NULL, scratch, err);
	if (rc == 0 && colour && v->g->one_vl)
		rc = rank_by_place(t, v, old, colour, err);
	else if (rc == 0 && colour && !t->close)
		moore_rranks_by_colour(t, v->g, colour, scratch);
	else if (rc == 0 && !colour)
		moore_rranks_by_order(v->g, t->pos, t->rank);
	moore_arena_free(&tmp);
	return rc < 0 ? rc : moore_rturns_set_entries(t, v->g, old, err);
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fill_repair.c - a tree of the intended graph is repaired where links are missing.
 *
 * As a rule a tree uses no edge that is suspect, and is taken as it is.  Under profile one-vl the
 * trees of a slice are repaired first, and then relieved together. */
#include <stdlib.h>
#include <string.h>

#include "route/fill.h"
#include "route/tuning.h"

static bool
is_suspect(const struct moore_rbuild *b, uint32_t e)
{
	const struct moore_rgraph *g = &b->r->g;
	uint8_t flags = g->flags[e];

	return flags & MOORE_EDGE_PLANNED &&
		(!(flags & MOORE_EDGE_UP) || flags & MOORE_EDGE_ONE_LANE ||
		 b->plan_turns.rank[e] != b->r->turns.rank[e] ||
		 !moore_rview_transit(&b->up, g->to[e]));
}

int
moore_rfill_find_suspects(struct fill *f)
{
	const struct moore_rgraph *g = &f->r->g;

	if (!(f->suspect = malloc((g->n_edges + (size_t)1) * sizeof(*f->suspect))))
		return -MOORE_ENOMEM;
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (is_suspect(f->b, e))
				f->suspect[f->n_suspects++] =
					(struct suspect){ s, (uint8_t)(e - g->xadj[s]) };
	return 0;
}

/* Whether the tree needs no repair.  As a rule it uses no suspect edge: then its links are up, and
 * its turns rise as they do in the intended graph. */
static bool
is_whole(const struct fill *f, uint32_t root, const uint8_t *slot)
{
	const struct moore_rbuild *b = f->b;
	bool clear = b->n_connected_up[root] <= b->n_connected[root];

	for (uint32_t i = 0; clear && i < f->n_suspects; i++)
		clear = slot[f->suspect[i].node] != f->suspect[i].slot;
	return clear || moore_rtree_is_whole(&b->up, root, slot, b->n_connected_up[root]);
}

/* Fills len[] with the hops from each node to the root along slot[]. */
static void
measure_routes(const struct moore_rgraph *g, uint32_t root, const uint8_t *slot, uint8_t *len)
{
	memset(len, MOORE_LEN_NONE, g->n);
	len[root] = 0;
	for (uint32_t s = 0; s < g->n; s++) {
		uint8_t hops = 0;
		uint32_t a = s;

		for (; len[a] == MOORE_LEN_NONE && slot[a] != MOORE_SLOT_NONE; hops++)
			a = g->to[g->xadj[a] + slot[a]];
		if (len[a] == MOORE_LEN_NONE)
			continue;	/* s has no route */
		hops = (uint8_t)(hops + len[a]);
		for (a = s; len[a] == MOORE_LEN_NONE; a = g->to[g->xadj[a] + slot[a]])
			len[a] = hops--;
	}
}

/* Fills len[] and the queue of t, whose slot[] leads to the root. */
static void
queue_by_length(struct moore_rtree *t, const struct moore_rgraph *g, uint32_t root)
{
	measure_routes(g, root, t->slot, t->len);
	moore_rtree_queue(t, g->n);
}

/* Sets the worker's tree to old[]. */
static void
start(struct fill *f, const uint8_t *old, uint32_t root)
{
	memcpy(f->tree->slot, old, f->r->g.n);
	queue_by_length(f->tree, &f->r->g, root);
}

static uint32_t
sum_hops(const struct moore_rtree *t, uint32_t n)
{
	uint32_t sum = 0;

	for (uint32_t s = 0; s < n; s++)
		sum += t->len[s];
	return sum;
}

/* Repairs the minimal tree old[], from which the worker's tree starts; with common turns alone if
 * that costs no hop and changes no more rows. */
static bool
repair(struct fill *f, const uint8_t *old, uint32_t root)
{
	const struct moore_rbuild *b = f->b;
	uint32_t n = f->r->g.n, n_connected = b->n_connected_up[root], hops, moved = 0, again = 0;
	struct moore_rtree *t = f->tree;

	if (!moore_rtree_repair(t, &b->up, root, f->load, n_connected, &moved))
		return false;
	if (b->common_turns.rank) {
		hops = sum_hops(t, n);
		memcpy(f->best, t->slot, n);
		start(f, old, root);
		if (moore_rtree_repair(t, &b->common, root, f->load, n_connected, &again) &&
		    sum_hops(t, n) <= hops && again <= moved)
			moved = again;
		else
			memcpy(t->slot, f->best, n);
	}
	f->repaired += moved;
	return true;
}

/* Mends the tree old[] of a layer, from which the worker's tree starts.  If it would take many
 * steps to undo that when what is missing returns, the tree is mended in other orders too, and the
 * one that takes fewest is kept. */
static bool
mend(struct fill *f, const uint8_t *old, uint32_t root)
{
	const struct moore_rbuild *b = f->b;
	const struct moore_rview *common = b->common_turns.rank ? &b->common : NULL;
	const struct moore_rturns *turns = common ? &b->common_turns : &b->plan_turns;
	struct moore_rtree *t = f->tree;
	unsigned least = MOORE_STEPS_NONE;
	uint32_t moved = 0;

	for (unsigned draw = 0; draw <= MOORE_MEND_DRAWS; draw++) {
		uint32_t n = 0;
		unsigned steps;

		if (draw)
			start(f, old, root);
		if (!moore_rtree_mend(t, &b->up, common, root, f->load, b->n_connected_up[root], draw, &n))
			return false;
		steps = moore_rtree_steps_back(t, &f->r->g, turns, old);
		if (!draw || steps < least) {
			memcpy(f->best, t->slot, f->r->g.n);
			least = steps;
			moved = n;
		}
		if (least <= MOORE_MEND_STEPS || least == MOORE_STEPS_NONE)
			break;
	}
	memcpy(t->slot, f->best, f->r->g.n);
	f->repaired += moved;
	return true;
}

int
moore_rfill_repair(struct fill *f, const uint8_t *old, const struct moore_rcolumn *c,
	    struct moore_err *err)
{
	struct moore_rbuild *b = f->b;
	const struct moore_rgraph *g = &f->r->g;
	struct moore_rtree *t = f->tree;
	bool whole;

	if (is_whole(f, c->root, old)) {
		memcpy(t->slot, old, g->n);
		return 0;
	}
	start(f, old, c->root);
	whole = moore_rcolumn_in_layer(c) ? mend(f, old, c->root) : repair(f, old, c->root);
	if (!whole)
		return moore_rbuild_fail_unreachable(b, c->root, err);
	for (uint32_t s = 0; s < g->n; s++)
		if (t->slot[s] != old[s] && t->slot[s] != MOORE_SLOT_NONE)
			f->load[g->xadj[s] + t->slot[s]] += g->is_source[s] * f->n_lids[c->root];
	return 0;
}

/* ---- profile one-vl --------------------------------------------------------------------- */

/* Repairs the trees of n columns into b.  -MOORE_ENOMEM, or as moore_rfill_repair(). */
static int
repair_all(struct fill *f, struct moore_rbalance *b, const uint8_t *slots,
	   const struct moore_rcolumn *col, size_t n, struct moore_err *err)
{
	const struct moore_rgraph *g = &f->r->g;
	int rc;

	if (moore_rbalance_init(b, &f->b->up) < 0)
		return moore_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		uint32_t root = col[i].root;

		if (b->present[root])
			continue;
		if ((rc = moore_rfill_repair(f, slots + (size_t)root * g->n, &col[i], err)) < 0)
			return rc;
		f->tree->root = root;
		queue_by_length(f->tree, g, root);
		moore_rbalance_take(b, f->tree);
	}
	return 0;
}

int
moore_rfill_one_vl(struct fill *f, const uint8_t *slots, const struct moore_rcolumn *col, size_t n,
		   struct moore_err *err)
{
	struct moore_rbalance b;
	uint32_t repaired = f->repaired;
	int rc = repair_all(f, &b, slots, col, n, err);

	if (rc == 0 && f->repaired != repaired && col->place >= MOORE_PLACE_HOST)
		moore_rbalance_relieve_repaired(&b, slots);
	for (size_t i = 0; rc == 0 && i < n; i++)
		moore_rfill_put(f, &col[i], b.slot + (size_t)col[i].root * f->r->g.n);
	moore_rbalance_fini(&b);
	return rc;
}

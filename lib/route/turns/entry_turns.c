// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* entry_turns.c - turns that routes only ever begin with, where middle switches join two classes, the
 * columns of an MLFM (middles.h).
 *
 * A detour from column a to column b over a switch of column c passes the middle switches of {a, c} and
 * of {c, b}, and the turn in c is allowed where the number rises from a -> c to c -> b (pair_ranks.c).
 * That is so for about half of the columns c, and permutations of columns share these unevenly.  A
 * route that begins with an entry turn, at {a, c}, needs no number to rise.  But nothing in transit can
 * take that turn.
 *
 * So at each middle switch the links of either column are divided into MOORE_ENTRY_SIDES *sides*, each of
 * links next to each other.  A side of one column and one of the other are partners, and a turn between
 * links of partners is an entry turn.  So one turn in MOORE_ENTRY_SIDES from one column to the other is
 * one, all links have about as many, and each is still there for transit.  Which sides are partners is drawn
 * for each middle switch.
 *
 * No turn of the spanning tree can be an entry turn.  At the middle switches of column 0 the tree has all
 * links of the other column (pair_ranks.c), so half of column 0's links have no side.  Where links are lost and
 * the tree has to take an entry turn, those of its links at that middle switch that belong to the column with
 * fewer of them lose their sides. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "route/tuning.h"
#include "route/turns/middles.h"
#include "route/turns/turns.h"

_Static_assert(MOORE_ENTRY_SIDES < MOORE_N_GROUPS, "sides have numbers from 2 on");

/* The class with the lower number of the two that middle switch m joins. */
static uint32_t
lower_class(const struct moore_rgraph *g, const struct moore_rmiddles *c, uint32_t m)
{
	uint32_t low = MOORE_NONE;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
		if (moore_rgraph_is_planned(g, e) && c->class_of[g->to[e]] < low)
			low = c->class_of[g->to[e]];
	return low;
}

/* Whether a link of column 0, of its switch at this place, to the middle switch that joins it with column
 * `other` is left to the spanning tree: those of its root, and of the others so many that there is one
 * more when a link of the tree is lost. */
static bool
is_for_tree(const struct moore_rmiddles *c, uint32_t place, uint32_t other)
{
	return place == 0 || 2 * other <= c->n_classes;
}

void
moore_rmiddles_enter(const struct moore_rgraph *g, const struct moore_rmiddles *c, uint8_t *entry_wanted)
{
	struct moore_rng rng = { MOORE_ENTRY_SEED };

	for (uint32_t m = 0; m < moore_rgraph_n_intended(g); m++) {
		uint32_t low = g->is_source[m] ? MOORE_NONE : lower_class(g, c, m);
		uint32_t shift = moore_rng_below(&rng, 1 << 16);

		for (uint32_t e = g->xadj[m]; low != MOORE_NONE && e < g->xadj[m + 1]; e++) {
			uint32_t s = g->to[e], k = c->class_of[s], place = c->place[s], side;

			if (!moore_rgraph_is_planned(g, e) || c->size[k] < MOORE_ENTRY_LEAST ||
			    (k == 0 && is_for_tree(c, place, moore_rmiddles_other(g, c, m, k))))
				continue;
			if (k == low)
				place = (place + shift) % c->size[k];
			side = 2 + 2 * (place * MOORE_ENTRY_SIDES / c->size[k]) + (k == low);
			entry_wanted[e] = (uint8_t)(side | MOORE_SIDE_OUT);
			entry_wanted[g->rev[e]] = (uint8_t)side;
		}
	}
}

bool
moore_rspanning_enters(const uint8_t *side, const struct moore_rgraph *g, const uint32_t *parent, uint32_t e)
{
	uint32_t out, m;

	if (!side || !side[e])
		return false;
	out = side[e] & MOORE_SIDE_OUT ? e : g->rev[e];
	m = moore_rgraph_tail(g, out);
	for (uint32_t k = g->xadj[m]; k < g->xadj[m + 1]; k++)
		if ((side[k] ^ side[out]) == 1 && moore_rspanning_has(g, parent, k))
			return true;
	return false;
}

/* Takes the sides of some links of the tree at m away, if the tree has turns between partners there. */
static void
clear_sides(struct moore_rturns *t, const struct moore_rgraph *g, uint32_t m)
{
	uint32_t n[2] = { 0 };	/* links of the tree, by the last bit of their sides */
	bool barred = false;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
		if (t->side[e] & MOORE_SIDE_OUT && moore_rspanning_has(g, t->parent, e)) {
			n[t->side[e] & 1]++;
			barred |= moore_rspanning_enters(t->side, g, t->parent, e);
		}
	for (uint32_t e = g->xadj[m]; barred && e < g->xadj[m + 1]; e++)
		if (t->side[e] & MOORE_SIDE_OUT && (t->side[e] & 1) == (n[1] <= n[0]) &&
		    moore_rspanning_has(g, t->parent, e))
			t->side[e] = t->side[g->rev[e]] = 0;
}

int
moore_rturns_set_entries(struct moore_rturns *t, const struct moore_rgraph *g,
			 const struct moore_rturns *old, struct moore_err *err)
{
	const uint8_t *wanted = old ? old->side : t->entry_wanted;
	uint8_t any = 0;

	for (uint32_t e = 0; wanted && e < g->n_edges; e++)
		any |= wanted[e];
	if (!any)
		return 0;
	if (!t->side && !(t->side = malloc(g->n_edges)))
		return moore_fail_nomem(err);
	memcpy(t->side, wanted, g->n_edges);
	for (uint32_t m = 0; m < g->n; m++)
		clear_sides(t, g, m);
	return 0;
}

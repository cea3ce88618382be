// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tree_back.c - in how many steps the rows of a repaired tree can go back to what they were.
 *
 * When what is missing returns, each row goes back, and while it does its switch may have either
 * value (lib/motion).  A turn is needed if some values make it and a packet may come over it
 * that has entered from a switch before; a step may set a row if all turns that are needed then
 * are allowed.  Rows that wait for each other in a chain need as many steps as the chain is
 * long.
 *
 * This is an estimate.  It leaves out what other trees do, and that detours shorten a chain; it
 * does not let rows make turns that are not allowed, though most of these would do no harm.  On
 * Slim Fly q=7 it is equal to the steps that the tree alone takes, or one more. */
#include <string.h>

#include "route/trees/tree.h"

enum state { OLD, BOTH, NEW };

struct back {
	const struct moore_rgraph *g;
	const struct moore_rturns *turns;
	uint32_t root;
	const uint8_t *from, *to;	/* by node: its slots */
	uint8_t *state;			/* by node: the value of its row */
};

/* Fills edge[2] with the values of the row of s. */
static unsigned
list_values(const struct back *b, uint32_t s, uint32_t *edge)
{
	unsigned n = 0;

	if (s == b->root)
		return 0;
	if (b->state[s] != NEW && b->from[s] != MOORE_SLOT_NONE)
		edge[n++] = b->g->xadj[s] + b->from[s];
	if (b->state[s] != OLD && b->to[s] != MOORE_SLOT_NONE)
		edge[n++] = b->g->xadj[s] + b->to[s];
	return n;
}

static bool
may_use(const struct back *b, uint32_t e)
{
	uint32_t v[2];
	bool uses = false;

	for (unsigned i = 0, n = list_values(b, moore_rgraph_tail(b->g, e), v); i < n; i++)
		uses |= v[i] == e;
	return uses;
}

static bool
has_children(const struct back *b, uint32_t s)
{
	const struct moore_rgraph *g = b->g;

	for (uint32_t o = g->xadj[s]; o < g->xadj[s + 1]; o++)
		if (may_use(b, g->rev[o]))
			return true;
	return false;
}

/* Whether all turns that may follow edge e are allowed. */
static bool
goes_on(const struct back *b, uint32_t e)
{
	uint32_t v[2];
	bool allowed = true;

	for (unsigned i = 0, n = list_values(b, b->g->to[e], v); i < n; i++)
		allowed &= moore_rturns_allow(b->turns, e, v[i]);
	return allowed;
}

/* Whether the row of s may get its new value in this step: the turns that it makes and, since its
 * new parent has a child then, those behind the parent are allowed. */
static bool
may_set(const struct back *b, uint32_t s)
{
	const struct moore_rgraph *g = b->g;
	uint32_t e = g->xadj[s] + b->to[s], p = g->to[e], v[2];
	bool children = false, may = true;

	for (uint32_t o = g->xadj[s]; o < g->xadj[s + 1]; o++) {
		uint32_t in = g->rev[o];

		if (!may_use(b, in))
			continue;
		children = true;
		if (!moore_rturns_allow(b->turns, in, e) && has_children(b, g->to[o]))
			return false;
	}
	if (children && !goes_on(b, e))
		return false;
	for (unsigned i = 0, n = has_children(b, p) ? 0 : list_values(b, p, v); i < n; i++)
		may &= goes_on(b, v[i]);
	return may;
}

unsigned
moore_rtree_steps_back(struct moore_rtree *t, const struct moore_rgraph *g,
		       const struct moore_rturns *turns, const uint8_t *slot)
{
	struct back b = { g, turns, t->root, t->slot, slot, t->need };
	uint32_t n = 0, n_set = 1, *todo = t->first;
	unsigned steps = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t s = t->list[i];
		bool moves = slot[s] != MOORE_SLOT_NONE && slot[s] != t->slot[s];

		b.state[s] = moves ? OLD : NEW;
		if (moves)
			todo[n++] = s;
	}
	for (; n && n_set; steps++) {
		uint32_t n_left = 0;

		n_set = 0;
		for (uint32_t i = 0; i < n; i++)
			if (may_set(&b, todo[i])) {
				b.state[todo[i]] = BOTH;
				n_set++;
			}
		for (uint32_t i = 0; i < n; i++) {
			if (b.state[todo[i]] == OLD)
				todo[n_left++] = todo[i];
			else
				b.state[todo[i]] = NEW;
		}
		n = n_left;
	}
	return n ? MOORE_STEPS_NONE : steps;
}

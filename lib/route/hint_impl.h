/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* hint_impl.h - what the rooms of sl-hint share: a tree in the making.
 *
 *   hint.c        which tables are right, and how a node hangs on a tree
 *   hint_plan.c   through which neighbour of its root each layer goes
 *   hint_grow.c   a layer's tree
 *   hint_mend.c   trees on what is up */
#ifndef MOORE_ROUTE_HINT_IMPL_H
#define MOORE_ROUTE_HINT_IMPL_H

#include "route/hint.h"

#define OK_A (1u << MOORE_HINT_A)
#define OK_B (1u << MOORE_HINT_B)
#define OK_C (1u << MOORE_HINT_C)
#define OK_D (1u << MOORE_HINT_D)
#define OK_TABLES 15u
#define OK_ALL 0xff

/* Directions in and out; from up to down, is what lies ahead greater? */
enum turn { DD, DU, UD, UU, UD_GREATER, N_TURNS = MOORE_RHINT_TURNS };

static inline uint64_t
moore_cube(uint64_t x)
{
	return x * x * x;
}

static inline bool
moore_rhint_open(const struct moore_rhint *h, uint32_t s)
{
	return h->len[s] == MOORE_LEN_NONE;
}

static inline unsigned
moore_rhint_turn(const uint32_t *pos, uint32_t from, uint32_t at, uint32_t to)
{
	bool in_up = pos[at] < pos[from], out_up = pos[to] < pos[at];

	return in_up && !out_up && pos[to] < pos[from] ? UD_GREATER : in_up * 2u + out_up;
}

/* ok[] of s, that goes to p and on over edge `on`, where ok is that of p. */
static inline uint8_t
moore_rhint_ok_on(const struct moore_rhint *h, const struct moore_rview *v, uint32_t s,
		  uint32_t p, uint32_t on, uint8_t ok)
{
	bool one_lane = v->lanes && v->g->flags[on] & MOORE_EDGE_ONE_LANE;

	return h->step[one_lane][moore_rhint_turn(v->turns->pos, s, p, v->g->to[on])][ok];
}

/* ok[] of a switch that goes over edge e, of which the head is in the tree. */
static inline uint8_t
moore_rhint_ok_over(const struct moore_rhint *h, const struct moore_rview *v, uint32_t root,
		    uint32_t s, uint32_t e)
{
	uint32_t p = v->g->to[e];

	return p == root ? OK_ALL :
		moore_rhint_ok_on(h, v, s, p, v->g->xadj[p] + h->slot[p], h->ok[p]);
}

/* May s go to the root in a way for which these tables are right?  Each way that
 * the root goes to s must have one of them in common. */
static inline bool
moore_rhint_admits(const struct moore_rhint *h, uint32_t root, uint32_t s, uint8_t ok, bool with_a)
{
	unsigned m = ok & OK_TABLES;

	if (!m || ((h->poor || with_a) && !(m & OK_A)))
		return false;
	return h->poor || !(h->met[(size_t)root * h->g->n + s] & ~h->meets[m]);
}

/* In a layer, by its kind: may others go on over p, at that many hops? */
static inline bool
moore_rhint_lets_pass(const struct moore_rhint *h, const struct moore_rview *v, uint32_t root,
		      uint32_t p, unsigned len)
{
	return p == root || (moore_rview_transit(v, p) &&
			     !(h->wish && h->wish->among_hosts && len == 2 && !h->g->is_source[p]));
}

void moore_rhint_start(struct moore_rhint *h, uint32_t root);
void moore_rhint_attach(struct moore_rhint *h, uint32_t s, uint32_t e, uint8_t ok);
/* way[] of every node of that length or more, over the least loaded of its neighbours
 * at len hops that will do. */
void moore_rhint_offer(struct moore_rhint *h, const struct moore_rview *v, uint32_t root,
		       unsigned len, unsigned least, bool with_a);
/* Hang s there, or everybody open. */
bool moore_rhint_attach_best(struct moore_rhint *h, const struct moore_rview *v, uint32_t root,
			     uint32_t s, unsigned len, bool with_a);
void moore_rhint_attach_all(struct moore_rhint *h, const struct moore_rview *v, uint32_t root,
			    unsigned len, bool with_a);
/* From now on routes to the nodes of this tree must have a table in common with
 * those from there. */
void moore_rhint_note(struct moore_rhint *h, uint32_t root);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* layer_used.h - the first and last links that earlier routes of each pair used, for trees around
 * gates (layer_gates.c).
 *
 * They are masks for each pair of switches.  A network of many switches and few trees would need
 * several times the memory of its tables for them, so there each root keeps the links of its
 * trees, two bytes for each switch and tree, and its masks are made again from these. */
#ifndef MOORE_ROUTE_LAYER_USED_H
#define MOORE_ROUTE_LAYER_USED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct moore_rlayer_tree;
struct moore_rlayers;

/* First and last links that a pair's routes in earlier trees used: bit i stands for slots i
 * modulo 64 at its source and its root. */
struct moore_rused {
	uint64_t first[2], last[2];	/* [0] once at least, [1] twice */
	uint64_t own_first, own_last;	/* in this variant */
	uint8_t n_minimal;	/* minimal routes of two hops, up to 2 */
};

struct moore_rused_links {	/* of one root */
	uint8_t *slot;		/* [(tree * n + node) * 2]: slots of the first and the last link, modulo
				 * 64; MOORE_SLOT_NONE where the tree has no route */
	uint32_t n_trees;
	uint32_t own;		/* the first tree of this variant */
};

/* n_trees: of a root, without any that are made again.  False without memory. */
bool moore_rused_init(struct moore_rlayers *v, uint32_t n_trees);

/* Sets w->used to the masks of its root; they are valid until the next call with the same w->v. */
void moore_rused_open(struct moore_rlayer_tree *w);
/* A variant begins: it uses the links of the minimal tree, which slot[] and onward[] hold. */
void moore_rused_begin_variant(struct moore_rlayer_tree *w);
/* A tree begins whose links follow.  Without memory v->oom is set. */
void moore_rused_begin(struct moore_rlayer_tree *w);

static inline void
moore_rused_add(struct moore_rused *u, unsigned first, unsigned last)
{
	uint64_t f = (uint64_t)1 << first, l = (uint64_t)1 << last;

	u->first[1] |= u->first[0] & f;
	u->first[0] |= f;
	u->last[1] |= u->last[0] & l;
	u->last[0] |= l;
	u->own_first |= f;
	u->own_last |= l;
}

#endif

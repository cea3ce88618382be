/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* middles.h - graphs in which every planned link joins a switch with endpoints and one without,
 * a *middle* switch; their classes, and ranks for their links. */
#ifndef MOORE_ROUTE_MIDDLES_H
#define MOORE_ROUTE_MIDDLES_H

#include "route/graph/graph.h"

/* Switches with endpoints that share more than half of their middle switches are a class. */
struct moore_rmiddles {
	uint32_t n_classes;
	uint32_t *class_of;	/* by node; MOORE_NONE for a switch without endpoints, and for all that
				 * is not planned */
	uint32_t *place;	/* by node: which of its class it is, from 0 on */
	uint32_t *size;		/* by class */
	bool among_leaves;	/* most routes between endpoints pass middle switches, and the leaves differ */
	/* The next two hold in graphs that are near to the family, too. */
	bool lines;		/* as in an OFT, whose classes are the lines of a projective plane: few
				 * middle switches join just two classes */
	bool paired;		/* as in an MLFM, whose classes are its columns: middle switches join
				 * two classes, and most switches of two classes share one */
};

/* End *c with moore_rmiddles_fini(), on error too.  -MOORE_ENOMEM; O(edges * degree). */
int moore_rmiddles_find(struct moore_rmiddles *c, const struct moore_rgraph *g);
void moore_rmiddles_fini(struct moore_rmiddles *c);

/* Where c->lines is set: gives the planned nodes random numbers, always the same for a planned
 * graph.  number[] is by node. */
void moore_rmiddles_number(const struct moore_rgraph *g, uint32_t *number);
/* Then fills parent[] (by node) with a spanning tree of the planned graph that takes few links of any
 * switch with endpoints (middle_tree.c). */
void moore_rmiddles_tree(const struct moore_rgraph *g, const uint32_t *number, uint32_t *parent);
/* Then fills colour[] (by edge) of the planned edges: the tree has ranks next to the middle, and a search
 * finds others that leave every two switches many detours.  The same planned graph gives the same
 * ranks.  -MOORE_ENOMEM; tuning.h bounds time and memory. */
int moore_rmiddles_rank(const struct moore_rgraph *g, const uint32_t *number, const uint32_t *parent,
			uint32_t *colour, struct moore_err *err);
/* Where c->paired is set: the class that middle switch m joins with class `of`, one of its two. */
uint32_t moore_rmiddles_other(const struct moore_rgraph *g, const struct moore_rmiddles *c, uint32_t m,
			      uint32_t of);
/* Then fills entry_wanted[] (by edge), which is zeroed: sides in entry turns (entry_turns.c).  The same
 * planned graph gives the same. */
void moore_rmiddles_enter(const struct moore_rgraph *g, const struct moore_rmiddles *c,
			  uint8_t *entry_wanted);
/* Searches ranks where c->paired is set (pair_ranks.c).  -MOORE_ENOMEM. */
int moore_rmiddles_rank_pairs(const struct moore_rgraph *g, const struct moore_rmiddles *c,
			      uint32_t *colour, struct moore_err *err);

#endif

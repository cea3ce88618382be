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
	bool lines;		/* as in an OFT, whose classes are the lines of a projective plane: no
				 * two classes share more than one middle switch, and no middle
				 * switch joins just two */
	bool paired;		/* as in an MLFM, whose classes are its columns: each middle switch
				 * joins two classes, and each two classes are joined */
};

/* End *c with moore_rmiddles_fini(), on error too.  -MOORE_ENOMEM; O(edges * degree). */
int moore_rmiddles_find(struct moore_rmiddles *c, const struct moore_rgraph *g);
void moore_rmiddles_fini(struct moore_rmiddles *c);

/* Searches ranks that leave every two switches many disjoint detours, and fills colour[] (by
 * edge) of the planned edges with them: the same planned graph gives the same ranks.  c->lines
 * is set.  -MOORE_ENOMEM. */
int moore_rmiddles_rank(const struct moore_rgraph *g, const struct moore_rmiddles *c,
			uint32_t *colour, struct moore_err *err);
/* Does the same where c->paired is set (pair_ranks.c). */
int moore_rmiddles_rank_pairs(const struct moore_rgraph *g, const struct moore_rmiddles *c,
			      uint32_t *colour, struct moore_err *err);

struct moore_rturns;
/* Fills t->parent, t->pos and t->rank with a spanning tree of the planned graph that fits the
 * ranks colour[], for moore_rspanning_close() to start from (middle_tree.c). */
void moore_rmiddles_tree(const struct moore_rgraph *g, const uint32_t *colour,
			 struct moore_rturns *t);

#endif

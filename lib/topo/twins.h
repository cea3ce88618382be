/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* twins.h - a graph whose twins are merged.  Twins are vertices of one colour that are linked to
 * the same vertices, as the switches in equal places of stacked layers. */
#ifndef MOORE_TOPO_TWINS_H
#define MOORE_TOPO_TWINS_H

#include "topo/adjacency.h"

struct moore_twins {
	struct moore_adjacency g;	/* a vertex for each class of twins, in the order of their
					 * first members */
	uint32_t *first;	/* by class: its first member */
	uint32_t *size;		/* by class */
	uint32_t *next;		/* by vertex: the next member of its class; MOORE_NONE */
};

/* Merges the twins of g in arrays that live as long as tmp.  Neighbours are compared by a hash, so
 * in theory others can be merged as well.  False when out of memory.  O(links + n log n). */
bool moore_twins_merge(struct moore_twins *t, const struct moore_adjacency *g,
		       const uint32_t *colour, struct moore_arena *tmp);

#endif

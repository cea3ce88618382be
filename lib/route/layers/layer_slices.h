/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* layer_slices.h - the trees of all layers, once they stand.
 *
 * They are held in *slices*, each of which has at most one tree of each root: those of one variant of a
 * layer (layers.h), or the k-th trees of all roots where each LID has a tree of its own
 * (layer_middles.h). */
#ifndef MOORE_ROUTE_LAYER_SLICES_H
#define MOORE_ROUTE_LAYER_SLICES_H

#include "base/jobs.h"
#include "route/trees/balance.h"

struct moore_rslices {
	uint32_t n;		/* slices */
	uint32_t n_minimal;	/* as many minimal routes of a pair count beside those of slices */
	uint8_t *slot;		/* [(slice * nodes + root) * nodes + node]: of the parent edge */
	uint8_t *lids;		/* [slice * nodes + root]: LIDs that share that tree; 0: there is none */
	uint32_t *load;		/* by edge: routes of the LIDs of hosts over it, minimal ones too */
	uint8_t *own_room;	/* slot[], if that is not the caller's room */
};

/* room: for n * nodes * nodes slots, or NULL; it outlives *s.  All lids[] and loads are 0.
 * -MOORE_ENOMEM; end *s with moore_rslices_fini() anyway. */
int moore_rslices_init(struct moore_rslices *s, const struct moore_rgraph *g, size_t n,
		       uint32_t n_minimal, uint8_t *room);
void moore_rslices_fini(struct moore_rslices *s);

/* Returns the slots of the tree of root in a slice, by node. */
static inline uint8_t *
moore_rslices_tree(const struct moore_rslices *s, const struct moore_rgraph *g, size_t slice, uint32_t root)
{
	return s->slot + (slice * g->n + root) * g->n;
}

/* Roots are divided into strands (MOORE_STRANDS), whose workers change loads of their own.  The first
 * is called before a strand: load[] becomes that of all.  The second is called after it: what the strand
 * has changed is added to added[].  The third is called for each worker after all strands: its added[]
 * is added to the loads of all, and becomes 0. */
void moore_rslices_begin_strand(const struct moore_rslices *s, const struct moore_rgraph *g, uint32_t *load);
void moore_rslices_end_strand(const struct moore_rslices *s, const struct moore_rgraph *g,
			      const uint32_t *load, uint32_t *added);
void moore_rslices_add(struct moore_rslices *s, const struct moore_rgraph *g, uint32_t *added);

/* Changes the trees of all slices so that the routes of a pair of switches share fewer links, and load[]
 * with them, unless that takes longer than tuning.h allows, or edges have numbers of more than 16 bits.
 * minimal holds a minimal tree of each root.
 * lines: the graph has them (middles.h).  The result does not depend on jobs (NULL: a loop).
 * -MOORE_ENOMEM.  O(trees * links). */
int moore_rslices_revise(struct moore_rslices *s, const struct moore_rbalance *minimal, bool lines,
			 const struct moore_jobs *jobs);

#endif

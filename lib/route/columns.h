/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* columns.h - the columns of the tables: every LID, and which tree it takes.
 *
 * A column has a *place*: LIDs of switches with endpoints, LIDs of switches without, or the
 * j-th host port of its switch.  Place and *offset* (LID minus base LID) name its slice
 * (balance.h), which is one unit of load for each pair of switches and balanced for itself. */
#ifndef MOORE_ROUTE_COLUMNS_H
#define MOORE_ROUTE_COLUMNS_H

#include "route/turns/middles.h"

enum {
	MOORE_PLACE_WITH_HOSTS,	/* the switch's own LID; it has endpoints */
	MOORE_PLACE_WITHOUT,	/* the switch's own LID; it has none */
	MOORE_PLACE_HOST,	/* this and up: MOORE_PLACE_HOST + j for the j-th host port */
};

struct moore_rcolumn {
	uint32_t trees;		/* columns of a root that agree in this share a tree */
	uint32_t root;		/* node of the switch that the LID is at */
	uint32_t place, offset;
	bool minimal;		/* so are its routes at every offset: there are no layers, or it is an endpoint
				 * of a middle switch beside leaves */
	moore_lid lid;
	moore_portnum last;	/* port at the root: to the endpoint, or 0 */
};

struct moore_rcolumns {
	struct moore_rcolumn *col;	/* sorted by trees, root, place and offset */
	size_t n;
	size_t *slice;		/* columns col[slice[i]..slice[i + 1] - 1] agree in `trees` */
	size_t n_slices, n_minimal;	/* those of no layer come first */
	uint32_t n_offsets;	/* 2^LMC, of the greatest LMC */
	uint32_t n_variants;	/* of each layer (layers.h) */
	uint8_t *hosts;		/* [root * n_places + j]: 1 where a host counts: one that is planned, or one
				 * that is seen at a switch for which none is or many more than planned */
	uint32_t n_places;
	bool hinted;		/* profile sl-hint, but not where detours are no use, nor where routes pass middle
				 * switches (among_leaves, middles.h) */
	bool longest;		/* routes of layers take four hops where they can (trees/kinds.h) */
	bool minimal;		/* there are no layers: profile one-vl; or the graph is folded */
	bool folded;		/* the planned graph is a folded Clos network, where detours are no use
				 * (graph/folded.c); not looked at under one-vl */
	bool own_trees;		/* the planned graph has lines or paired classes (middles.h), and
				 * there are layers: each host's LID in a layer has a
				 * tree of its own, and all of these are one slice */
	struct moore_rmiddles middles;	/* zeroed under one-vl, or with one offset */
};

/* On entry *c is zeroed but for c->hinted (profile sl-hint), c->longest and c->minimal (profile one-vl).
 * intended may be NULL, as in moore_route_build().  End *c with moore_rcolumns_fini(), on error too.  -MOORE_ENOMEM.
 * O(LIDs * log LIDs). */
int moore_rcolumns_list(struct moore_rcolumns *c, const struct moore_rgraph *g,
			const struct moore_fabric *seen, const struct moore_fabric *intended,
			struct moore_err *err);
void moore_rcolumns_fini(struct moore_rcolumns *c);

/* A number for the slice of col. */
static inline uint32_t
moore_rcolumn_slice(const struct moore_rcolumns *c, const struct moore_rcolumn *col)
{
	return col->place * c->n_offsets + col->offset;
}

/* Whether col takes a tree of a non-minimal layer: a host's LID at an offset from 1 on.
 * The LIDs of switches are minimal at every offset, and so are those with the flag. */
static inline bool
moore_rcolumn_in_layer(const struct moore_rcolumn *col)
{
	return col->place >= MOORE_PLACE_HOST && col->offset && !col->minimal;
}

/* The variant of a layer that a host's column takes. */
static inline uint32_t
moore_rcolumn_variant(const struct moore_rcolumns *c, const struct moore_rcolumn *col)
{
	return (col->place - MOORE_PLACE_HOST) % c->n_variants;
}

/* Trees of a root with a host at every place, in all layers and variants and at offset 0. */
static inline uint32_t
moore_rcolumns_trees(const struct moore_rcolumns *c)
{
	return c->n_offsets * (c->n_variants < c->n_places ? c->n_variants : c->n_places);
}

/* Returns how many trees root has where own_trees is set: one for each LID in a layer of each host that
 * counts. */
static inline uint32_t
moore_rcolumns_own_trees(const struct moore_rcolumns *c, uint32_t root)
{
	uint32_t n = 0;

	for (uint32_t j = 0; j < c->n_places; j++)
		n += c->hosts[(size_t)root * c->n_places + j];
	return n * (c->n_offsets - 1);
}

/* Slices that hold the trees of all layers (layers/layer_slices.h). */
static inline size_t
moore_rcolumns_layer_slices(const struct moore_rcolumns *c)
{
	return c->own_trees ? (size_t)c->n_places * (c->n_offsets - 1) : c->n_slices - c->n_minimal;
}

/* Returns 2^LMC, of the greatest LMC of f. */
uint32_t moore_rcolumns_offsets(const struct moore_fabric *f);

/* n_lids[root]: how many LIDs share col's tree at each root, on the intended fabric too. */
void moore_rcolumns_count_lids(const struct moore_rcolumns *c, const struct moore_rgraph *g,
			       const struct moore_rcolumn *col, uint8_t *n_lids);

#endif

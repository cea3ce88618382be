/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* place_impl.h - what the files of lib/place share: things with weighted links
 * between them, and places for them on the floor. */
#ifndef MOORE_PLACE_IMPL_H
#define MOORE_PLACE_IMPL_H

#include "moore/place.h"

struct moore_links_of {		/* compressed rows; each link stands in both */
	uint32_t n;
	uint32_t *start;	/* n + 1 */
	uint32_t *peer, *weight;
};

struct moore_spot {		/* millimetres */
	int32_t x, y;
	uint32_t site;		/* spots of one site are inside one cabinet */
};

/* Things (cabinets, or switches) on spots, each spot with one thing at most. */
struct moore_layout {
	const struct moore_links_of *links;
	uint32_t n_spots;	/* at least links->n */
	const struct moore_spot *spot;
	int64_t inside, overhead;	/* millimetres */
	uint32_t *at;		/* spot of each thing */
	uint32_t *thing;	/* on each spot, or MOORE_NONE */
};

static inline int64_t
moore_layout_run(const struct moore_layout *l, uint32_t a, uint32_t b)
{
	const struct moore_spot *p = &l->spot[a], *q = &l->spot[b];
	int64_t dx = p->x - q->x, dy = p->y - q->y;

	if (p->site == q->site)
		return l->inside;
	return l->overhead + (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
}

/* Total length: the sum of run * weight over all links. */
int64_t moore_layout_length(const struct moore_layout *l);
/* What the total gains when the thing on spot a and what is on b change places. */
int64_t moore_layout_delta(const struct moore_layout *l, uint32_t a, uint32_t b);
void moore_layout_swap(struct moore_layout *l, uint32_t a, uint32_t b);

struct moore_progress {		/* share..share + part of all that is to be done */
	void (*call)(void *arg, double share);
	void *arg;
	double share, part;
};

/* Anneal from l as it is.  heat: the first temperature as a share of Connolly's
 * (1 forgets where it began).  What is left is never longer than it was. */
int moore_layout_anneal(struct moore_layout *l, uint64_t iterations, double heat,
			struct moore_rng *r, const struct moore_progress *progress,
			struct moore_err *err);

struct moore_grid {		/* all spots of a layout, size of them at each place */
	uint32_t rows, columns, size;
	int64_t column_pitch, row_pitch;	/* millimetres */
};

/* No arrangement of the things on the spots has a smaller total: by the ways from
 * each thing, and by the lines across the floor.  -MOORE_ENOMEM is negative;
 * lengths are not. */
int64_t moore_layout_bound(const struct moore_layout *l, struct moore_err *err);
int64_t moore_layout_cut_bound(const struct moore_layout *l, const struct moore_grid *g,
			       const struct moore_progress *progress, struct moore_err *err);

/* Order of the switches in which consecutive ones fill cabinets of size. */
int moore_place_order(uint32_t *order, const struct moore_plan *p,
		      const struct moore_links_of *links, uint32_t size, bool structure,
		      struct moore_err *err);

#endif

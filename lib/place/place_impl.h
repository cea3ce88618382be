/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* place_impl.h - what the files of lib/place share: things with weighted links between
 * them, and spots on the floor for them. */
#ifndef MOORE_PLACE_IMPL_H
#define MOORE_PLACE_IMPL_H

#include "base/random.h"
#include "moore/place.h"

struct moore_links_of {		/* compressed rows; each link is stored at both of its ends */
	uint32_t n;
	uint32_t *start;	/* n + 1 elements */
	uint32_t *peer, *weight;
};

struct moore_spot {		/* coordinates in millimetres */
	int32_t x, y;
	uint32_t site;		/* spots with the same site are inside one cabinet */
};

/* Things (cabinets, or switches) on spots; each spot holds at most one thing. */
struct moore_layout {
	const struct moore_links_of *links;
	uint32_t n_spots;	/* at least links->n */
	const struct moore_spot *spot;
	int64_t inside, overhead;	/* millimetres */
	uint32_t *at;		/* the spot of each thing */
	uint32_t *thing;	/* the thing on each spot, or MOORE_NONE */
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

/* The total length: the sum of length * weight over all links. */
int64_t moore_layout_length(const struct moore_layout *l);
/* The change of the total length when the contents of spots a and b are exchanged. */
int64_t moore_layout_delta(const struct moore_layout *l, uint32_t a, uint32_t b);
void moore_layout_swap(struct moore_layout *l, uint32_t a, uint32_t b);

struct moore_progress {		/* this task covers the range share..share + part of the whole
				 * progress */
	void (*call)(void *arg, double share);
	void *arg;
	double share, part;
};

/* Anneals l from its present state.  heat is the first temperature as a share of
 * Connolly's; 1 forgets the present state.  The result is never longer than l was. */
int moore_layout_anneal(struct moore_layout *l, uint64_t iterations, double heat,
			struct moore_rng *r, const struct moore_progress *progress,
			struct moore_err *err);

struct moore_grid {		/* all spots of a layout, `size` of them at each place */
	uint32_t rows, columns, size;
	int64_t column_pitch, row_pitch;	/* millimetres */
};

/* Lower bounds on the total length of every arrangement: from the distances of each thing
 * (bound.c), and from the links across lines on the floor (cuts.c).  A negative value is
 * -MOORE_ENOMEM. */
int64_t moore_layout_bound(const struct moore_layout *l, struct moore_err *err);
int64_t moore_layout_cut_bound(const struct moore_layout *l, const struct moore_grid *g,
			       const struct moore_progress *progress, struct moore_err *err);

/* Orders the switches so that consecutive ones fill cabinets of `size` switches. */
int moore_place_order(uint32_t *order, const struct moore_plan *p,
		      const struct moore_links_of *links, uint32_t size, bool structure,
		      struct moore_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* load_impl.h - senders and traffic patterns, for lib/load alone. */
#ifndef MOORE_LOAD_IMPL_H
#define MOORE_LOAD_IMPL_H

#include "base/arena.h"
#include "load/programme.h"
#include "moore/saturation.h"

/* The switches with endpoints that have a LID, and these endpoints in order of ports. */
struct moore_ends {
	uint32_t n;
	moore_swid *sw;		/* in order */
	uint32_t *first;	/* endpoints of sw[i]: ep[first[i]] .. ep[first[i + 1] - 1] */
	moore_epid *ep;
	uint32_t *at;		/* by switch: its i, or MOORE_NONE */
	uint8_t *near;		/* [i * n + j]: hops from sw[i] to sw[j]: 0 to 2, and 3 for more */
};
int moore_ends_list(struct moore_ends *e, const struct moore_fabric *f, struct moore_arena *mem,
		    struct moore_err *err);

/* Adds the flows from the endpoints of sw[i] to those of sw[j]: the k-th to the k-th, as long
 * as both exist.  False: out of memory. */
bool moore_ends_send(const struct moore_ends *e, uint32_t i, uint32_t j,
		     struct moore_programme *p);

/* Sets to[s] to the switch that all endpoints of s send to in SHIFT, OVERLAP or YEBENES, or
 * MOORE_NONE.  No two switches send to the same one. */
int moore_pattern_peers(const struct moore_fabric *f, const struct moore_ends *e,
			enum moore_pattern pattern, moore_swid *to, struct moore_err *err);

/* YEBENES, and the numbers A and B that it adds, or MOORE_NONE.  Where f is no part of a Slim
 * Fly, nobody sends. */
int moore_yebenes_peers(const struct moore_fabric *f, const struct moore_ends *e,
			uint32_t ab[2], moore_swid *to, struct moore_err *err);

/* The same for the other patterns, which depend on the tables: the worst one that the search
 * finds. */
int moore_worst_peers(const struct moore_fabric *f, const struct moore_lft *lft,
		      const struct moore_ends *e, uint32_t n_offsets, enum moore_pattern pattern,
		      const struct moore_saturation_opts *opts, moore_swid *to,
		      struct moore_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* groups.h - switches with the same neighbours, and permutations of their groups that the tables
 * carry badly, for lib/load alone. */
#ifndef MOORE_LOAD_GROUPS_H
#define MOORE_LOAD_GROUPS_H

#include "base/random.h"
#include "load/load_impl.h"

struct moore_groups {
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	const struct moore_ends *e;
	uint32_t n;
	uint32_t *of;		/* by end: its group */
	uint32_t *first;	/* ends of group a: member[first[a]] .. member[first[a + 1] - 1] */
	uint32_t *member;
	uint32_t *to;		/* by group: the one that it sends to */
	uint32_t *slot;		/* by port: the first port whose link joins the same two groups, */
	double *width;		/* and by that port how many such links there are */
	struct moore_programme_routes **routes;	/* [a * n + b], NULL before they are needed */
	uint32_t *links, *ends;	/* scratch, of the routes of one pair */
	struct moore_programme p;
	struct moore_arena *mem;
};

/* Borrows all that it is given.  The caller ends g with moore_groups_fini(), whatever this
 * returns.  -MOORE_ENOMEM. */
int moore_groups_find(struct moore_groups *g, const struct moore_fabric *f,
		      const struct moore_lft *lft, const struct moore_ends *e,
		      struct moore_arena *mem, struct moore_err *err);
void moore_groups_fini(struct moore_groups *g);
/* False where most groups are so small that nothing is gained by them. */
bool moore_groups_are_large(const struct moore_groups *g);
/* Sets to[] to a permutation that is found from a random one: no exchange of the targets of two
 * groups makes it worse.  -MOORE_ENOMEM. */
int moore_groups_descend(struct moore_groups *g, struct moore_rng *rng, struct moore_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* groups.h - links between the groups of a Dragonfly: each two groups get equally many, as many as
 * the links that leave a group allow.  The links that are left over stay empty.
 *
 * The links of a group are dealt in rounds, in each of which it has one link to every other group.
 * The arrangement says in which order.  With the i-th group and g groups, link k leads to
 *	RELATIVE	group i + k + 1 modulo g
 *	ABSOLUTE	group k, or k + 1 from i on
 *	CIRCULANT	group i + 1, i - 1, i + 2, i - 2 and so on modulo g
 * Source: Hastings et al., "Comparing global link arrangements for Dragonfly networks", IEEE
 * Cluster 2015; the first is that of Kim et al., ISCA 2008. */
#ifndef MOORE_TOPO_GROUPS_H
#define MOORE_TOPO_GROUPS_H

#include "topo_build.h"

enum { MOORE_GROUPS_RELATIVE = 1, MOORE_GROUPS_ABSOLUTE, MOORE_GROUPS_CIRCULANT };

struct moore_groups {
	uint32_t n;		/* groups, at least 2 */
	uint32_t outer;		/* links that leave a group */
	uint32_t each;		/* of them, at each switch that has any; at most n - 1, so that no two
				 * join the same pair of switches */
	uint32_t size, first;	/* switches in a group, and its first one that has such links */
	uint32_t arrangement;
};

/* Links between each two groups. */
static inline uint32_t
moore_groups_rounds(const struct moore_groups *g)
{
	return g->outer / (g->n - 1);
}

/* The greatest number of such links of a switch: that of the first one. */
static inline uint32_t
moore_groups_degree(const struct moore_groups *g)
{
	const uint32_t used = moore_groups_rounds(g) * (g->n - 1);

	return used < g->each ? used : g->each;
}

/* -MOORE_EINVAL unless every two groups can be joined. */
int moore_groups_check(const struct moore_groups *g, const char *key, struct moore_err *err);
void moore_groups_join(const struct moore_groups *g, struct moore_topo_draft *d);

#endif

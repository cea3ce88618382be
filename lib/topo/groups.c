// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* groups.c - links between the groups of a Dragonfly. */
#include "topo/groups.h"

int
moore_groups_check(const struct moore_groups *g, const char *key, struct moore_err *err)
{
	if (g->n > g->each && g->n <= g->outer + 1)
		return 0;
	return moore_fail(err, MOORE_EINVAL, 0, "%s=%u: %u outer links of a group, %u from each switch, "
			  "reach %s=%u..%u groups evenly", key, g->n, g->outer, g->each, key,
			  g->each + 1, g->outer + 1);
}

/* Which link of a round leads from one group to another. */
static uint32_t
place_of(const struct moore_groups *g, uint32_t from, uint32_t to)
{
	const uint32_t further = (to + g->n - from) % g->n;

	if (g->arrangement == MOORE_GROUPS_ABSOLUTE)
		return to < from ? to : to - 1;
	if (g->arrangement == MOORE_GROUPS_CIRCULANT)
		return further <= g->n / 2 ? 2 * (further - 1) : 2 * (g->n - further) - 1;
	return further - 1;
}

void
moore_groups_join(const struct moore_groups *g, struct moore_topo_draft *d)
{
	for (uint32_t from = 0; from < g->n; from++)
		for (uint32_t round = 0; round < moore_groups_rounds(g); round++)
			for (uint32_t to = from + 1; to < g->n; to++) {
				const uint32_t out = round * (g->n - 1) + place_of(g, from, to);
				const uint32_t back = round * (g->n - 1) + place_of(g, to, from);

				moore_topo_draft_join(d, from * g->size + g->first + out / g->each,
						      to * g->size + g->first + back / g->each);
			}
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* colours.c - colours of the links, from which ranks follow.
 *
 * Where middle switches are split into halves, a colour says which half and which way:
 * low -> P1, P1 -> low, low -> P2, P2 -> low rise in this order (a *low* switch has
 * endpoints).  So every turn at a middle switch is allowed, and so are P1 -> low -> P2.
 *
 * Elsewhere a search finds them (rank_search.c). */
#include "route/turns/turns.h"

enum { LOW_P1, P1_LOW, LOW_P2, P2_LOW };	/* the middle is that of the four */

void
moore_rcolours_by_halves(const struct moore_rgraph *g, const uint8_t *half, uint32_t *colour)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			if (g->is_source[s])
				colour[e] = MOORE_RANK_MIDDLE - 2 + (half[g->to[e]] == 2 ? LOW_P2 : LOW_P1);
			else
				colour[e] = MOORE_RANK_MIDDLE - 2 + (half[s] == 2 ? P2_LOW : P1_LOW);
		}
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* colours.c - colours of the links, from which ranks follow.
 *
 * Where middle switches are split into halves, a colour says which half and which way:
 * low -> P1, P1 -> low, low -> P2, P2 -> low rise in this order (a *low* switch has
 * endpoints).  So every turn at a middle switch is allowed, and so are P1 -> low -> P2.
 *
 * Elsewhere links are coloured properly, alike in both directions: no two links of a switch
 * have the same colour.  Half of the turns at each switch are allowed, all switches look
 * nearly alike, and load is even. */
#include "base/arena.h"
#include "base/bits.h"
#include "route/turns.h"

enum { LOW_P1, P1_LOW, LOW_P2, P2_LOW };

static void
paint_by_halves(const struct moore_rgraph *g, const uint8_t *half, uint32_t *colour)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			if (g->is_source[s])
				colour[e] = half[g->to[e]] == 2 ? LOW_P2 : LOW_P1;
			else
				colour[e] = half[s] == 2 ? P2_LOW : P1_LOW;
		}
}

/* Gives each link the least colour that neither end has yet; planned links come first.
 * used[] is the set of colours at each node. */
static void
paint_properly(const struct moore_rgraph *g, uint32_t *colour, uint64_t (*used)[8])
{
	for (int planned = 1; planned >= 0; planned--)
		for (uint32_t s = 0; s < g->n; s++)
			for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
				uint32_t c = 0, t = g->to[e];
				bool is_planned = g->flags[e] & MOORE_EDGE_PLANNED;

				if (t < s || is_planned != (bool)planned)
					continue;
				while (moore_bits_get(used[s], c) || moore_bits_get(used[t], c))
					c++;
				moore_bits_set(used[s], c);
				moore_bits_set(used[t], c);
				colour[e] = colour[g->rev[e]] = c;
			}
}

int
moore_rcolours_paint(const struct moore_rgraph *g, const uint8_t *half, uint32_t *colour,
		     struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint64_t (*used)[8] = NULL;	/* a switch has fewer than 255 neighbours */

	if (half) {
		paint_by_halves(g, half, colour);
		return 0;
	}
	if (!(used = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*used))))
		return moore_fail_nomem(err);
	paint_properly(g, colour, used);
	moore_arena_free(&tmp);
	return 0;
}

uint32_t
moore_rcolours_count(const struct moore_rgraph *g, const uint32_t *colour)
{
	uint32_t n = 0;

	for (uint32_t e = 0; e < g->n_edges; e++)
		n = colour[e] >= n ? colour[e] + 1 : n;
	return n;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_slices.c - room for the trees of all layers, and the loads of strands. */
#include <stdlib.h>
#include <string.h>

#include "route/layers/layer_slices.h"

int
moore_rslices_init(struct moore_rslices *s, const struct moore_rgraph *g, size_t n, uint32_t n_minimal,
		   uint8_t *room)
{
	*s = (struct moore_rslices){ .n = (uint32_t)n, .n_minimal = n_minimal, .slot = room };
	if (!room)
		s->slot = s->own_room = calloc(n * g->n * g->n + 1, 1);
	s->lids = calloc(n * g->n + 1, 1);
	s->load = calloc((size_t)g->n_edges + 1, sizeof(*s->load));
	return s->slot && s->lids && s->load ? 0 : -MOORE_ENOMEM;
}

void
moore_rslices_fini(struct moore_rslices *s)
{
	free(s->own_room);
	free(s->lids);
	free(s->load);
	*s = (struct moore_rslices){ 0 };
}

void
moore_rslices_begin_strand(const struct moore_rslices *s, const struct moore_rgraph *g, uint32_t *load)
{
	memcpy(load, s->load, g->n_edges * sizeof(*load));
}

void
moore_rslices_end_strand(const struct moore_rslices *s, const struct moore_rgraph *g, const uint32_t *load,
			 uint32_t *added)
{
	for (uint32_t e = 0; e < g->n_edges; e++)
		added[e] += load[e] - s->load[e];
}

void
moore_rslices_add(struct moore_rslices *s, const struct moore_rgraph *g, uint32_t *added)
{
	for (uint32_t e = 0; e < g->n_edges; e++) {
		s->load[e] += added[e];
		added[e] = 0;
	}
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mix_graph.c - the graph of one LID whose rows may have several values.
 *
 * Each value of a row is a way out of its switch.  A directed cycle of this graph passes
 * each switch once, so it selects one value at each: it is a loop of one mixture, and every
 * loop of any mixture is such a cycle.
 *
 * A way holds the VLs on which its switch's own sources send and, for each way that leads
 * to the switch and carries anything, the VL of that turn.  Every value counts on both
 * sides of a turn, since a packet sent by one value may meet any other.  In the order of
 * Kahn (1962), predecessors first, one pass is enough; if there are loops, further passes
 * follow until one adds nothing.
 *
 * If the time of each write is given (when), a packet sent by a new row does not meet the
 * old row of a switch that was written before.  A packet sent by an old row may still meet
 * any new row, since it may have waited. */
#include <string.h>

#include "mix_impl.h"

bool
moore_mx_graph_init(struct moore_mx_graph *g, struct moore_ck *k)
{
	struct moore_arena *a = &k->tmp;
	size_t n = (size_t)k->n_sw + 1, n_ways = (size_t)k->n_slots + 1;

	*g = (struct moore_mx_graph){ .k = k };
	return (g->first = moore_arena_alloc(a, n, sizeof(*g->first))) &&
	       (g->way = moore_arena_alloc(a, n_ways, sizeof(*g->way))) &&
	       (g->deg = moore_arena_alloc(a, n, sizeof(*g->deg))) &&
	       (g->order = moore_arena_alloc(a, n, sizeof(*g->order))) &&
	       (g->vls = moore_arena_alloc(a, n_ways * k->n_cls, sizeof(*g->vls)));
}

void
moore_mx_graph_clear(struct moore_mx_graph *g)
{
	memset(g->deg, 0, g->k->n_sw * sizeof(*g->deg));
}

void
moore_mx_read_block(const struct moore_ck *k, const struct moore_lft *t, unsigned lid0,
		    uint8_t (*to)[MOORE_LFT_BLOCK])
{
	for (uint32_t s = 0; s < k->n_sw; s++) {
		const uint8_t *row = moore_lft_row(t, s) + lid0;
		uint8_t nowhere = (uint8_t)(k->f->sw[s].n_ports + 1);

		for (unsigned i = 0; i < MOORE_LFT_BLOCK; i++)
			to[s][i] = row[i] < nowhere ? row[i] : nowhere;
	}
}

void
moore_mx_graph_sort(struct moore_mx_graph *g)
{
	uint32_t n_sw = g->k->n_sw, tail = 0;

	for (uint32_t s = 0; s < n_sw; s++) {
		g->order[tail] = s;
		tail += !g->deg[s];
	}
	for (uint32_t i = 0; i < tail; i++) {
		uint32_t s = g->order[i];

		for (uint32_t a = g->first[s]; a < g->first[s + 1]; a++) {
			uint32_t n = g->way[a].next;

			if (n != n_sw && !--g->deg[n])
				g->order[tail++] = n;
		}
	}
	g->n_order = tail;
	for (uint32_t s = 0; s < n_sw && tail < n_sw; s++)
		if (g->deg[s])
			g->order[tail++] = s;
}

/* True if a packet that took way a of s may meet way b of n. */
static bool
meets(const struct moore_mx_graph *g, uint32_t s, uint32_t a, uint32_t n, uint32_t b)
{
	return !g->when || a == g->first[s] || b > g->first[n] ||
		g->first[n] + 1 == g->first[n + 1] || g->when[s] < g->when[n];
}

/* Carries the packets of way a of s over the turns to the ways that they may take next.
 * Returns true if one of these got a new VL. */
static bool
carry(struct moore_mx_graph *g, uint32_t s, uint32_t a)
{
	struct moore_ck *k = g->k;
	const struct moore_mx_way *y = &g->way[a];
	const uint16_t *from = &g->vls[(size_t)a * k->n_cls];
	bool news = false;

	if (y->next == k->n_sw)
		return false;
	for (uint32_t b = g->first[y->next]; b < g->first[y->next + 1]; b++) {
		struct moore_ck_cell *c = moore_ck_cells(k, y->link, g->way[b].out);
		uint16_t *to = &g->vls[(size_t)b * k->n_cls];

		if (!meets(g, s, a, y->next, b))
			continue;
		for (unsigned x = 0; x < k->n_cls; x++) {
			uint16_t more = from[x] ? c[x].out : 0;

			c[x].held |= from[x];
			news |= (more & ~to[x]) != 0;
			to[x] |= more;
		}
	}
	return news;
}

/* Puts on way a of s the VLs on which the sources of s send to this LID. */
static void
inject(struct moore_mx_graph *g, unsigned lid, uint32_t s, uint32_t a)
{
	const struct moore_ck *k = g->k;
	uint16_t *vls = &g->vls[(size_t)a * k->n_cls], sls = moore_ck_sls(k, s, lid);

	memcpy(vls, &k->inject[(size_t)g->way[a].link * k->n_cls], k->n_cls * sizeof(*vls));
	for (unsigned x = 0; k->opts.sl_set && x < k->n_cls; x++)
		if (!(sls >> k->cls_sl[x] & 1))
			vls[x] = 0;
}

void
moore_mx_graph_climb(struct moore_mx_graph *g, unsigned lid)
{
	uint32_t n_sw = g->k->n_sw;
	bool news;

	for (uint32_t s = 0; s < n_sw; s++)
		for (uint32_t a = g->first[s]; a < g->first[s + 1]; a++)
			inject(g, lid, s, a);
	do {
		news = false;
		for (uint32_t i = 0; i < n_sw; i++)
			for (uint32_t s = g->order[i], a = g->first[s]; a < g->first[s + 1]; a++)
				news |= carry(g, s, a);
	} while (news && g->n_order < n_sw);
}

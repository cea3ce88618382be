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
	return (g->way = moore_arena_alloc(a, n_ways, sizeof(*g->way))) &&
	       (g->deg = moore_arena_alloc(a, n, sizeof(*g->deg))) &&
	       (g->order = moore_arena_alloc(a, n, sizeof(*g->order))) &&
	       (g->vls = moore_arena_alloc(a, n_ways * k->n_cls, sizeof(*g->vls)));
}

static struct moore_mx_way
way_out(const struct moore_ck *k, moore_swid s, uint8_t out, uint8_t in)
{
	uint32_t link = k->slot0[s] + out;

	return (struct moore_mx_way){ link, k->hop[link].next, 0, out, in };
}

void
moore_mx_graph_plant(struct moore_mx_graph *g, const uint8_t *out, size_t stride)
{
	g->n_ways = g->k->n_sw;
	for (uint32_t s = 0; s < g->k->n_sw; s++)
		g->way[s] = way_out(g->k, s, out[s * stride], MOORE_MX_WAS | MOORE_MX_NOW);
}

void
moore_mx_graph_add(struct moore_mx_graph *g, moore_swid s, uint8_t out, uint8_t in)
{
	uint32_t a = s;

	while (g->way[a].out != out && g->way[a].more)
		a = g->way[a].more;
	if (g->way[a].out == out) {
		g->way[a].in |= in;
		return;
	}
	g->way[a].more = g->n_ways;
	g->way[g->n_ways++] = way_out(g->k, s, out, in);
}

/* A way that is in none of the tables counts as one to nowhere. */
static inline uint32_t
next_of(const struct moore_mx_graph *g, uint32_t a, uint8_t in)
{
	return g->way[a].in & in ? g->way[a].next : g->k->n_sw;
}

void
moore_mx_graph_sort(struct moore_mx_graph *g, uint8_t in)
{
	uint32_t n_sw = g->k->n_sw, tail = 0;

	memset(g->deg, 0, n_sw * sizeof(*g->deg));
	for (uint32_t a = 0; a < g->n_ways; a++)
		g->deg[next_of(g, a, in)]++;
	g->deg[n_sw] = UINT32_MAX;	/* is never processed */
	for (uint32_t s = 0; s < n_sw; s++) {
		g->order[tail] = s;
		tail += !g->deg[s];
	}
	for (uint32_t i = 0; i < tail; i++) {
		uint32_t a = g->order[i];

		do {
			uint32_t n = next_of(g, a, in);

			g->order[tail] = n;
			tail += !--g->deg[n];
		} while ((a = g->way[a].more));
	}
	g->n_order = tail;
	for (uint32_t s = 0; s < n_sw && tail < n_sw; s++)
		if (g->deg[s])
			g->order[tail++] = s;
}

/* ---- VLs ------------------------------------------------------------------------ */

/* True if a packet that took way a of s may meet way b of n. */
static bool
meets(const struct moore_mx_graph *g, uint32_t s, uint32_t a, uint32_t n, uint32_t b)
{
	return g->way[a].in & MOORE_MX_WAS || g->way[b].in & MOORE_MX_NOW ||
		g->when[s] < g->when[n];
}

/* Moves packets from a link over one turn: notes the VLs that they hold before the turn,
 * and adds the VL on which they leave.  Returns the VLs that are new there. */
static inline unsigned
cross(struct moore_ck_cell *cell, const uint16_t *from, uint16_t *to, unsigned n_cls)
{
	unsigned news = 0;

	for (unsigned x = 0; x < n_cls; x++) {
		uint16_t vls = from[x] ? cell[x].out : 0;

		cell[x].held |= from[x];
		news |= vls & ~(unsigned)to[x];
		to[x] |= vls;
	}
	return news;
}

/* Carries the packets of way a of s over the turns to the ways that they may take next.
 * Returns true if one of these got a new VL. */
static inline bool
carry(struct moore_mx_graph *g, const unsigned n_cls, uint32_t s, uint32_t a, uint8_t in)
{
	const struct moore_mx_way *y = &g->way[a];
	const struct moore_ck_hop *h = &g->k->hop[y->link];
	uint32_t n = next_of(g, a, in), b = n;
	unsigned news = 0;

	if (n == g->k->n_sw)
		return false;
	do {
		if (g->way[b].in & in && (!g->when || meets(g, s, a, n, b)))
			news |= cross(&g->k->cell[(h->turns + (size_t)g->k->n_in[h->next] * g->way[b].out) *
						  n_cls],
				      &g->vls[(size_t)a * n_cls], &g->vls[(size_t)b * n_cls], n_cls);
	} while ((b = g->way[b].more));
	return news;
}

/* Puts on each way the VLs on which its switch's sources send. */
static void
inject(struct moore_mx_graph *g)
{
	const struct moore_ck *k = g->k;

	for (uint32_t a = 0; a < g->n_ways; a++)
		for (unsigned x = 0; x < k->n_cls; x++)
			g->vls[(size_t)a * k->n_cls + x] =
				k->inject[(size_t)g->way[a].link * k->n_cls + x];
}

/* With an sl_set, removes the classes in which the sources of a switch do not send to this
 * LID. */
static void
silence(struct moore_mx_graph *g, unsigned lid)
{
	const struct moore_ck *k = g->k;

	for (uint32_t s = 0; s < k->n_sw; s++) {
		uint16_t sls = moore_ck_sls(k, s, lid);
		uint32_t a = s;

		do {
			for (unsigned x = 0; x < k->n_cls; x++)
				if (!(sls >> k->cls_sl[x] & 1))
					g->vls[(size_t)a * k->n_cls + x] = 0;
		} while ((a = g->way[a].more));
	}
}

/* Goes through all switches once.  Returns true if some way got a new VL. */
static inline bool
pass(struct moore_mx_graph *g, const unsigned n_cls, uint8_t in)
{
	bool news = false;

	for (uint32_t i = 0; i < g->k->n_sw; i++) {
		uint32_t s = g->order[i], a = s;

		do
			news |= carry(g, n_cls, s, a, in);
		while ((a = g->way[a].more));
	}
	return news;
}

void
moore_mx_graph_climb(struct moore_mx_graph *g, unsigned lid, uint8_t in)
{
	bool news;

	inject(g);
	if (g->k->opts.sl_set)
		silence(g, lid);
	do {
		if (g->k->n_cls == 1)
			news = pass(g, 1, in);	/* the usual case: without inner loops */
		else
			news = pass(g, g->k->n_cls, in);
	} while (news && g->n_order < g->k->n_sw);
}

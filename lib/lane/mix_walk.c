// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mix_walk.c - walks, for each LID, the graph of its old and new next hops together, and
 * searches it for a shortest loop.  Each switch has one way out, or two where its rows
 * differ: first the old one, then the new one. */
#include <string.h>

#include "base/bits.h"
#include "mix_impl.h"

#define BLOCK MOORE_LFT_BLOCK

enum { OLD, NEW };

struct walk {
	struct moore_mx *m;
	struct moore_ck *k;
	struct moore_mix *v;
	struct moore_mx_graph g;
	uint8_t (*block[2])[BLOCK];	/* for each switch: the slots that its rows name */
	uint32_t *queue, *from, *seen;	/* for the search for a shortest loop */
	uint32_t stamp;
};

static void
read_block(struct walk *w, const struct moore_lft *t, unsigned lid0, uint8_t (*to)[BLOCK])
{
	for (uint32_t s = 0; s < w->k->n_sw; s++) {
		const uint8_t *row = moore_lft_row(t, s) + lid0;
		uint8_t nowhere = (uint8_t)(w->k->f->sw[s].n_ports + 1);

		for (unsigned i = 0; i < BLOCK; i++)
			to[s][i] = row[i] < nowhere ? row[i] : nowhere;
	}
}

/* Builds the graph of one LID.  Returns false if none of its rows leads anywhere. */
static bool
plant(struct walk *w, unsigned at)
{
	struct moore_mx_graph *g = &w->g;
	bool any = false;

	moore_mx_graph_plant(g, &w->block[OLD][0][at], BLOCK);
	for (uint32_t s = 0; s < w->k->n_sw; s++) {
		const uint8_t out[2] = { w->block[OLD][s][at], w->block[NEW][s][at] };
		bool on[2] = { moore_mx_leads_on(w->k, s, out[OLD]),
			       moore_mx_leads_on(w->k, s, out[NEW]) };

		g->way[s].in = MOORE_MX_WAS;
		moore_mx_graph_add(g, s, out[NEW], MOORE_MX_NOW);
		any |= on[OLD] || on[NEW];
		w->v->dead_old += !on[OLD] && on[NEW];
		w->v->dead_new += on[OLD] && !on[NEW];
	}
	w->v->lids += any;
	w->v->lids_changed += any && g->n_ways > w->k->n_sw;
	return any;
}

/* ---- loops ---------------------------------------------------------------------- */

static void
keep_loop(struct walk *w, unsigned lid, uint32_t last, uint32_t len)
{
	struct moore_mix *v = w->v;

	v->loop_lid = (moore_lid)lid;
	v->loop_len = len;
	for (uint32_t s = last; len--; s = w->from[s])
		v->loop[len] = (struct moore_channel){ s, 0, 0 };
	for (uint32_t i = 0; i < v->loop_len; i++) {
		struct moore_channel *c = &v->loop[i];
		uint32_t to = v->loop[(i + 1) % v->loop_len].sw;
		const struct moore_mx_way *way = &w->g.way[c->sw];

		c->port = way->next == to ? way->out : w->g.way[way->more].out;
	}
}

/* Searches breadth first for a loop through root, no deeper than a shorter loop could be. */
static void
search_from(struct walk *w, unsigned lid, uint32_t root)
{
	const struct moore_mx_graph *g = &w->g;
	uint32_t head = 0, tail = 0, depth = 0;

	w->queue[tail++] = root;
	w->seen[root] = ++w->stamp;
	while (head < tail && (!w->v->loop_len || depth + 1 < w->v->loop_len)) {
		depth++;
		for (uint32_t end = tail; head < end; head++) {
			uint32_t s = w->queue[head], a = s;

			do {
				uint32_t n = g->way[a].next;

				if (n == root) {
					keep_loop(w, lid, s, depth);
					return;
				}
				if (n == w->k->n_sw || w->seen[n] == w->stamp)
					continue;
				w->seen[n] = w->stamp;
				w->from[n] = s;
				w->queue[tail++] = n;
			} while ((a = g->way[a].more));
		}
	}
}

static void
note_loops(struct walk *w, unsigned lid)
{
	w->v->loop_lids++;
	moore_bits_set(w->m->loops, lid);
	for (uint32_t i = w->g.n_order; i < w->k->n_sw && w->v->loop_len != 2; i++)
		search_from(w, lid, w->g.order[i]);
}

/* ---- all LIDs -------------------------------------------------------------------- */

static bool
get_memory(struct walk *w)
{
	struct moore_arena *a = &w->k->tmp;
	size_t n = (size_t)w->k->n_sw + 1;

	return moore_mx_graph_init(&w->g, w->k) &&
	       (w->block[OLD] = moore_arena_alloc(a, n, BLOCK)) &&
	       (w->block[NEW] = moore_arena_alloc(a, n, BLOCK)) &&
	       (w->queue = moore_arena_alloc(a, n, sizeof(*w->queue))) &&
	       (w->from = moore_arena_alloc(a, n, sizeof(*w->from))) &&
	       (w->seen = moore_arena_alloc(a, n, sizeof(*w->seen)));
}

int
moore_mx_walk(struct moore_mx *m, struct moore_mix *v, struct moore_err *err)
{
	struct walk w = { .m = m, .k = &m->k, .v = v };

	if (!get_memory(&w))
		return moore_fail_nomem(err);
	for (uint32_t b = 0; b < m->n_blocks; b++) {
		read_block(&w, m->was, b * BLOCK, w.block[OLD]);
		read_block(&w, m->now, b * BLOCK, w.block[NEW]);
		w.g.when = m->when ? m->when + (size_t)b * m->k.n_sw : NULL;
		for (unsigned i = b ? 0 : 1; i < BLOCK; i++) {
			if (!plant(&w, i))
				continue;
			moore_mx_graph_sort(&w.g, MOORE_MX_WAS | MOORE_MX_NOW);
			moore_mx_graph_climb(&w.g, b * BLOCK + i, MOORE_MX_WAS | MOORE_MX_NOW);
			if (w.g.n_order < m->k.n_sw)
				note_loops(&w, b * BLOCK + i);
		}
	}
	return 0;
}

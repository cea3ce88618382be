// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mix_walk.c - walks, for each LID, the graph of its old and new next hops together.
 *
 * Each switch has one way out, or two where its rows differ.  A directed cycle of this
 * graph passes each switch once, so it selects one row at each: it is a loop of one
 * combination, and every loop of any combination is such a cycle.
 *
 * A way (switch, row) holds the VLs on which its switch's own sources send and, for each
 * way that leads to the switch and carries anything, the VL of that turn.  Either row
 * counts on both sides, since a packet sent by an old row may meet a new one and the
 * reverse.  In the order of Kahn (1962), predecessors first, one pass is enough; if there
 * are loops, further passes follow until one adds nothing.
 *
 * If the time of each write is given (moore_mx.when), a packet sent by a new row does not
 * meet the old row of a switch that was written before.  A packet sent by an old row may
 * still meet any new row, since it may have waited. */
#include <string.h>

#include "base/bits.h"
#include "mix_impl.h"

#define BLOCK MOORE_LFT_BLOCK

enum { OLD, NEW };

struct way {
	uint32_t link;		/* slot of the out port */
	uint32_t next;		/* next switch; n_sw: none */
	uint8_t out;		/* slot within the switch */
};

struct walk {
	struct moore_mx *m;
	struct moore_ck *k;
	struct moore_mix *v;
	const uint32_t *when;	/* time of each switch's write of this LID's block */
	uint8_t (*block[2])[BLOCK];	/* for each switch: the slots that its rows name */
	struct way (*way)[2];	/* for each switch: OLD, and NEW where it differs */
	uint8_t *n_ways;
	uint32_t *deg, *order, n_order;
	uint16_t *vls;		/* [(switch * 2 + row) * n_cls + class] */
	uint32_t *from, *seen;	/* for the search for a shortest loop */
	uint32_t stamp;
};

static void
read_block(struct walk *w, const struct moore_lft *t, uint8_t (*to)[BLOCK], unsigned lid0)
{
	for (uint32_t s = 0; s < w->k->n_sw; s++) {
		const uint8_t *row = moore_lft_row(t, s) + lid0;
		uint8_t nowhere = (uint8_t)(w->k->f->sw[s].n_ports + 1);

		for (unsigned i = 0; i < BLOCK; i++)
			to[s][i] = row[i] < nowhere ? row[i] : nowhere;
	}
}

static bool
leads_on(const struct moore_ck *k, moore_swid s, uint8_t out)
{
	return out <= k->f->sw[s].n_ports &&
		moore_fabric_port(k->f, s, out)->role != MOORE_ROLE_NONE;
}

/* Builds the graph of one LID.  Returns false if none of its rows leads anywhere. */
static bool
plant(struct walk *w, unsigned at)
{
	const struct moore_ck *k = w->k;
	bool any = false, changed = false;

	memset(w->deg, 0, k->n_sw * sizeof(*w->deg));
	for (uint32_t s = 0; s < k->n_sw; s++) {
		const uint8_t out[2] = { w->block[OLD][s][at], w->block[NEW][s][at] };
		bool on[2] = { leads_on(k, s, out[OLD]), leads_on(k, s, out[NEW]) };

		w->n_ways[s] = out[OLD] == out[NEW] ? 1 : 2;
		for (unsigned a = 0; a < w->n_ways[s]; a++) {
			struct way *y = &w->way[s][a];

			y->out = out[a];
			y->link = k->slot0[s] + out[a];
			y->next = k->hop[y->link].next;
			w->deg[y->next]++;
		}
		any |= on[OLD] || on[NEW];
		changed |= w->n_ways[s] > 1;
		w->v->dead_old += !on[OLD] && on[NEW];
		w->v->dead_new += on[OLD] && !on[NEW];
	}
	w->v->lids += any;
	w->v->lids_changed += any && changed;
	return any;
}

static void
sort_ways(struct walk *w)
{
	uint32_t n_sw = w->k->n_sw, tail = 0;

	for (uint32_t s = 0; s < n_sw; s++) {
		w->order[tail] = s;
		tail += !w->deg[s];
	}
	for (uint32_t i = 0; i < tail; i++) {
		uint32_t s = w->order[i];

		for (unsigned a = 0; a < w->n_ways[s]; a++) {
			uint32_t n = w->way[s][a].next;

			if (n != n_sw && !--w->deg[n])
				w->order[tail++] = n;
		}
	}
	w->n_order = tail;
	for (uint32_t s = 0; s < n_sw && tail < n_sw; s++)
		if (w->deg[s])
			w->order[tail++] = s;
}

/* ---- VLs ------------------------------------------------------------------------ */

/* True if a packet sent by row a of s may meet row b of n. */
static bool
meets(const struct walk *w, uint32_t s, unsigned a, uint32_t n, unsigned b)
{
	return !w->when || a == OLD || b == NEW || w->n_ways[n] == 1 || w->when[s] < w->when[n];
}

/* Carries the packets of a way over the turns to the ways that they may take next.  Returns
 * true if one of these got a new VL. */
static bool
carry(struct walk *w, uint32_t s, unsigned a)
{
	struct moore_ck *k = w->k;
	const struct way *y = &w->way[s][a];
	const uint16_t *from = &w->vls[((size_t)s * 2 + a) * k->n_cls];
	bool news = false;

	if (y->next == k->n_sw)
		return false;
	for (unsigned b = 0; b < w->n_ways[y->next]; b++) {
		struct moore_ck_cell *c = moore_ck_cells(k, y->link, w->way[y->next][b].out);
		uint16_t *to = &w->vls[((size_t)y->next * 2 + b) * k->n_cls];

		if (!meets(w, s, a, y->next, b))
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

static void
climb(struct walk *w)
{
	const struct moore_ck *k = w->k;
	bool news;

	for (uint32_t s = 0; s < k->n_sw; s++)
		for (unsigned a = 0; a < w->n_ways[s]; a++)
			memcpy(&w->vls[((size_t)s * 2 + a) * k->n_cls],
			       &k->inject[(size_t)w->way[s][a].link * k->n_cls],
			       k->n_cls * sizeof(*w->vls));
	do {
		news = false;
		for (uint32_t i = 0; i < k->n_sw; i++)
			for (unsigned a = 0; a < w->n_ways[w->order[i]]; a++)
				news |= carry(w, w->order[i], a);
	} while (news && w->n_order < k->n_sw);
}

/* ---- loops ---------------------------------------------------------------------- */

static void
keep_loop(struct walk *w, unsigned lid, uint32_t last, uint32_t len)
{
	struct moore_mix *v = w->v;

	v->loop_lid = (moore_lid)lid;
	v->loop_len = len;
	for (uint32_t s = last; len--; s = w->from[s] >> 1)
		v->loop[len] = (struct moore_channel){ s, 0, 0 };
	for (uint32_t i = 0; i < v->loop_len; i++) {
		struct moore_channel *c = &v->loop[i];
		uint32_t to = v->loop[(i + 1) % v->loop_len].sw;
		unsigned a = w->way[c->sw][OLD].next == to ? OLD : NEW;

		c->port = (moore_portnum)w->way[c->sw][a].out;
	}
}

/* Searches breadth first for a loop through root, no deeper than a shorter loop could be. */
static void
search_from(struct walk *w, unsigned lid, uint32_t root)
{
	uint32_t *queue = w->order + w->k->n_sw, head = 0, tail = 0, depth = 0;

	queue[tail++] = root;
	w->seen[root] = ++w->stamp;
	while (head < tail && (!w->v->loop_len || depth + 1 < w->v->loop_len)) {
		depth++;
		for (uint32_t end = tail; head < end; head++) {
			uint32_t s = queue[head];

			for (unsigned a = 0; a < w->n_ways[s]; a++) {
				uint32_t n = w->way[s][a].next;

				if (n == root) {
					keep_loop(w, lid, s, depth);
					return;
				}
				if (n == w->k->n_sw || w->seen[n] == w->stamp)
					continue;
				w->seen[n] = w->stamp;
				w->from[n] = s << 1 | a;
				queue[tail++] = n;
			}
		}
	}
}

static void
note_loops(struct walk *w, unsigned lid)
{
	w->v->loop_lids++;
	moore_bits_set(w->m->loops, lid);
	for (uint32_t i = w->n_order; i < w->k->n_sw && w->v->loop_len != 2; i++)
		search_from(w, lid, w->order[i]);
}

/* ---- all LIDs -------------------------------------------------------------------- */

static bool
get_memory(struct walk *w)
{
	struct moore_arena *a = &w->k->tmp;
	size_t n = (size_t)w->k->n_sw + 1;

	return (w->block[OLD] = moore_arena_alloc(a, n, BLOCK)) &&
	       (w->block[NEW] = moore_arena_alloc(a, n, BLOCK)) &&
	       (w->way = moore_arena_alloc(a, n, sizeof(*w->way))) &&
	       (w->n_ways = moore_arena_alloc(a, n, 1)) &&
	       (w->deg = moore_arena_alloc(a, n, sizeof(*w->deg))) &&
	       (w->order = moore_arena_alloc(a, 2 * n, sizeof(*w->order))) &&
	       (w->vls = moore_arena_alloc(a, 2 * n * w->k->n_cls, sizeof(*w->vls))) &&
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
		read_block(&w, m->was, w.block[OLD], b * BLOCK);
		read_block(&w, m->now, w.block[NEW], b * BLOCK);
		w.when = m->when ? m->when + (size_t)b * m->k.n_sw : NULL;
		for (unsigned i = b ? 0 : 1; i < BLOCK; i++) {
			if (!plant(&w, i))
				continue;
			sort_ways(&w);
			climb(&w);
			if (w.n_order < m->k.n_sw)
				note_loops(&w, b * BLOCK + i);
		}
	}
	return 0;
}

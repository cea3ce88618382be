// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_cycle.c - finds a shortest cycle among the channels that have no order.
 *
 * Every such channel has a predecessor that has no order either, so a walk backward repeats
 * a channel: this gives a first cycle, which bounds the search.  Then a breadth-first
 * search runs from each channel, no deeper than a shorter cycle could be.  After its search
 * a channel is removed, since all cycles through it have been considered. */
#include "check_impl.h"

struct search {
	const struct moore_ck_graph *g;
	bool *gone;
	uint32_t *from;		/* predecessor in the search */
	uint32_t *seen;		/* root + 1 of the last search that visited it */
	uint32_t *queue;
	uint32_t *best, len;
};

/* Walks backward from any remaining channel until a channel repeats. */
static void
first_cycle(struct search *w)
{
	const struct moore_ck_graph *g = w->g;
	uint32_t c = 0, end;

	for (uint32_t a = 0; a < g->n; a++)
		for (uint64_t e = g->adj0[a]; g->indeg[a] && e < g->adj0[a + 1]; e++)
			w->from[g->adj[e]] = a;
	while (!g->indeg[c])
		c++;
	for (uint32_t i = 0; i < g->n; i++)
		c = w->from[c];
	end = c;
	do {
		w->best[g->n - ++w->len] = c;
		c = w->from[c];
	} while (c != end);
	for (uint32_t i = 0; i < w->len; i++)
		w->best[i] = w->best[g->n - w->len + i];
}

static void
keep(struct search *w, uint32_t last, uint32_t len)
{
	w->len = len;
	for (uint32_t c = last; len; c = w->from[c])
		w->best[--len] = c;
}

/* Looks for a cycle through root that is shorter than the best one so far. */
static void
search_from(struct search *w, uint32_t root)
{
	const struct moore_ck_graph *g = w->g;
	uint32_t head = 0, tail = 0, depth = 0, level_end;

	w->queue[tail++] = root;
	w->seen[root] = root + 1;
	while (head < tail && ++depth < w->len) {
		for (level_end = tail; head < level_end; head++) {
			uint32_t a = w->queue[head];

			for (uint64_t e = g->adj0[a]; e < g->adj0[a + 1]; e++) {
				uint32_t b = g->adj[e];

				if (b == root) {
					keep(w, a, depth);
					return;
				}
				if (w->gone[b] || w->seen[b] == root + 1)
					continue;
				w->seen[b] = root + 1;
				w->from[b] = a;
				w->queue[tail++] = b;
			}
		}
	}
}

int
moore_ck_cycle(struct moore_ck *k, const struct moore_ck_graph *g, uint32_t **cycle,
	       uint32_t *len, struct moore_err *err)
{
	struct moore_arena *a = &k->tmp;
	struct search w = { .g = g };

	if (!(w.gone = moore_arena_alloc(a, g->n, sizeof(*w.gone))) ||
	    !(w.from = moore_arena_alloc(a, g->n, sizeof(*w.from))) ||
	    !(w.seen = moore_arena_alloc(a, g->n, sizeof(*w.seen))) ||
	    !(w.queue = moore_arena_alloc(a, g->n, sizeof(*w.queue))) ||
	    !(w.best = moore_arena_alloc(a, g->n, sizeof(*w.best))))
		return moore_fail_nomem(err);
	first_cycle(&w);
	for (uint32_t c = 0; c < g->n; c++)
		w.gone[c] = !g->indeg[c];
	search_from(&w, w.best[0]);
	for (uint32_t c = 0; c < g->n && w.len > 1; c++) {
		if (w.gone[c])
			continue;
		search_from(&w, c);
		w.gone[c] = true;
	}
	*cycle = w.best;
	*len = w.len;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* colour_search.c - proper colours under which every pair has a detour.
 *
 * An ordered pair of switches at distance two is *bare* when no route of three hops joins
 * them whose last turn is allowed.  The greedy colouring leaves 1, 21 and 5 bare pairs on
 * Slim Fly q=3, 4 and 5 and none from q=7 on; a torus or a hypercube has some under every
 * colouring.  Local search: exchange two colours along a chain of links that have them,
 * which keeps the colouring proper, unless that leaves more pairs bare. */
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "route/tuning.h"
#include "route/turns.h"

struct search {
	const struct moore_rgraph *g;
	struct moore_rturns *t;
	uint32_t *colour, *before;	/* by edge: now, and before the last exchange */
	uint32_t n_colours;
	uint32_t *mark, *scratch;	/* by node, and two for each node */
};

/* Marks of count_bare(): for each root three numbers greater than those before. */
struct marks {
	uint32_t near, apart, served;
};

/* Marks root and its neighbours `near`, and the nodes at distance two `apart`; returns how
 * many the latter are. */
static uint32_t
mark_apart(const struct search *w, uint32_t root, const struct marks *m)
{
	const struct moore_rgraph *g = w->g;
	uint32_t n = 0;

	w->mark[root] = m->near;
	for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++)
		w->mark[g->to[e]] = m->near;
	for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++)
		for (uint32_t r = g->to[e], k = g->xadj[r]; k < g->xadj[r + 1]; k++)
			if (w->mark[g->to[k]] < m->near) {
				w->mark[g->to[k]] = m->apart;
				n++;
			}
	return n;
}

/* Marks the nodes `apart` that reach a over one link, and root from there by a -> r -> root,
 * `served`; returns how many. */
static uint32_t
mark_served(const struct search *w, uint32_t a, uint32_t r, const struct marks *m)
{
	const struct moore_rgraph *g = w->g;
	uint32_t n = 0;

	for (uint32_t o = g->xadj[a]; o < g->xadj[a + 1]; o++)
		if (w->mark[g->to[o]] == m->apart && g->to[o] != r) {
			w->mark[g->to[o]] = m->served;
			n++;
		}
	return n;
}

static uint32_t
count_bare(const struct search *w)
{
	const struct moore_rgraph *g = w->g;
	const uint32_t *rank = w->t->rank;
	uint32_t bare = 0;

	memset(w->mark, 0, g->n * sizeof(*w->mark));
	for (uint32_t d = 0; d < g->n; d++) {
		struct marks m = { 3 * d + 1, 3 * d + 2, 3 * d + 3 };

		bare += mark_apart(w, d, &m);
		/* Edge e leads from d to r, k from r to a.  Coloured links have one rank for both
		 * directions, so rank[k] < rank[e] says that a -> r -> d rises.  Links of the
		 * spanning tree have two; for their turns it is a guess, and the search may go
		 * on when nothing is bare. */
		for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
			for (uint32_t r = g->to[e], k = g->xadj[r]; k < g->xadj[r + 1]; k++)
				if (g->to[k] != d && rank[k] < rank[e])
					bare -= mark_served(w, g->to[k], r, &m);
	}
	return bare;
}

/* Exchanges the colour of edge e and another along the chain of links that have them, in
 * both directions from e. */
static void
exchange(const struct search *w, uint32_t e, uint32_t other)
{
	const struct moore_rgraph *g = w->g;
	uint32_t *colour = w->colour, own = colour[e];

	for (unsigned side = 0; side < 2; side++)
		for (uint32_t at = side ? e : g->rev[e], want = other;;) {
			uint32_t k = g->xadj[g->to[at]], end = g->xadj[g->to[at] + 1];

			while (k < end && (colour[k] != want || k == g->rev[at]))
				k++;
			if (k == end || k == e || k == g->rev[e])
				break;
			at = k;
			want = want == own ? other : own;
			colour[at] = colour[g->rev[at]] = want;
		}
	colour[e] = colour[g->rev[e]] = other;
}

/* How many turns one call of count_bare() looks at, about. */
static uint64_t
work_of_count(const struct moore_rgraph *g)
{
	uint64_t work = 1;

	for (uint32_t e = 0; e < g->n_edges; e++) {
		uint64_t degree = g->xadj[g->to[e] + 1] - g->xadj[g->to[e]];

		work += degree * degree;
	}
	return work;
}

static void
undo_exchange(const struct search *w)
{
	memcpy(w->colour, w->before, w->g->n_edges * sizeof(*w->colour));
}

static void
search(struct search *w, uint64_t seed)
{
	struct moore_rng rng = { seed };
	uint64_t work = work_of_count(w->g), max_tries = MOORE_COLOUR_WORK / work;
	uint32_t bare = work < MOORE_COLOUR_WORK ? count_bare(w) : 0, idle = 0;

	for (uint64_t i = 0; bare && idle < MOORE_COLOUR_IDLE && i < max_tries; i++) {
		uint32_t e = moore_rng_below(&rng, w->g->n_edges);
		uint32_t c = moore_rng_below(&rng, w->n_colours), now;

		if (c == w->colour[e])
			continue;
		memcpy(w->before, w->colour, w->g->n_edges * sizeof(*w->colour));
		exchange(w, e, c);
		moore_rranks_by_colour(w->t, w->g, w->colour, w->scratch);
		now = count_bare(w);
		idle = now < bare ? 0 : idle + 1;
		if (now > bare)
			undo_exchange(w);
		else
			bare = now;
	}
	moore_rranks_by_colour(w->t, w->g, w->colour, w->scratch);
}

int
moore_rcolours_spread(struct moore_rturns *t, const struct moore_rgraph *g, uint32_t *colour,
		      uint64_t seed, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	size_t n = (size_t)g->n + 1, m = (size_t)g->n_edges + 1;
	struct search w = { .g = g, .t = t, .colour = colour,
		.n_colours = moore_rcolours_count(g, colour) };
	int rc = 0;

	w.before = moore_arena_alloc(&tmp, m, sizeof(*w.before));
	w.mark = moore_arena_alloc(&tmp, n, sizeof(*w.mark));
	w.scratch = moore_arena_alloc(&tmp, 2 * n, sizeof(*w.scratch));
	if (w.before && w.mark && w.scratch)
		search(&w, seed);
	else
		rc = moore_fail_nomem(err);
	moore_arena_free(&tmp);
	return rc;
}

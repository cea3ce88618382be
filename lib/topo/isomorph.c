// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* isomorph.c - finds a map of one graph onto another.
 *
 * Both graphs are coloured at once by colour refinement: a vertex's colour is recomputed
 * from the colours of its neighbours until no colour splits any more.  While some colour
 * holds several vertices, one vertex of it is fixed and its possible images are tried in
 * turn (McKay, "Practical graph isomorphism", 1981, without pruning by automorphisms).  If
 * that takes too long, it is tried once more with colours that also depend on distances.
 * The map is finally verified edge by edge, so a collision of hashes cannot produce a wrong
 * one. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "topo/adjacency.h"
#include "topo/isomorph.h"

/* The greatest number of refinements for one pair of graphs.  Large graphs get fewer, so
 * that a pair that does not match costs a fraction of a second at most. */
#define MIN_REFINEMENTS 64
#define MAX_REFINEMENTS 1024
#define MAX_LINKS_COLOURED 1600000
/* The greatest number of rounds in all refinements together.  In a torus, each refinement
 * takes as many rounds as the torus is long. */
#define MIN_ROUNDS 1024
#define MAX_VERTICES_COLOURED 8000000
#define MAX_DISTANCES 200000000	/* links visited in each graph to find distances */

struct match {
	uint32_t n;
	struct moore_adjacency g[2];	/* the given graph, and the family's */
	struct mark {		/* sorted by colour; within a colour, g[0]'s vertices come first */
		uint64_t hash;
		uint32_t v;	/* a vertex of g[0] is 0..n-1, one of g[1] is n..2n-1 */
	} *mark;
	uint64_t *twin;		/* for g[0]: a hash of the vertex's neighbours */
	unsigned budget, rounds;
	uint32_t *image;	/* the image of each vertex of g[0] */
	struct moore_arena *tmp;
	bool oom;
};

static void
hash_neighbours(struct match *m)
{
	const struct moore_adjacency *g = &m->g[0];

	for (uint32_t v = 0; v < m->n; v++)
		for (uint32_t i = g->xadj[v]; i < g->xadj[v + 1]; i++) {
			struct moore_rng r = { g->adj[i] };

			m->twin[v] += moore_rng_next(&r);
		}
}

static int
by_hash(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->v < y->v ? -1 : x->v > y->v;
}

/* Turns the hashes in m->mark of all 2n vertices into colours 0, 1, 2...  Returns the
 * number of colours, or 0 if some colour has more vertices in one graph than in the other. */
static uint32_t
recolour(struct match *m, uint32_t *colour)
{
	uint32_t n = m->n, n_colours = 0;

	qsort(m->mark, 2 * (size_t)n, sizeof(*m->mark), by_hash);
	for (uint32_t i = 0, k; i < 2 * n; i = k, n_colours++) {
		int balance = 0;

		for (k = i; k < 2 * n && m->mark[k].hash == m->mark[i].hash; k++) {
			balance += m->mark[k].v < n ? 1 : -1;
			colour[m->mark[k].v] = n_colours;
		}
		if (balance)
			return 0;
	}
	return n_colours;
}

/* Refines the colours (2n of them, for both graphs) until they are stable.  Returns false
 * if some colour has more vertices in one graph than in the other. */
static bool
refine(struct match *m, uint32_t *colour)
{
	uint32_t n = m->n, n_colours = 0, before;

	do {
		if (!m->rounds) {
			m->budget = 0;
			return false;
		}
		m->rounds--;
		before = n_colours;
		for (uint32_t v = 0; v < 2 * n; v++) {
			const struct moore_adjacency *g = &m->g[v >= n];
			const uint32_t *c = colour + (v >= n ? n : 0);
			struct moore_rng own = { colour[v] };
			uint64_t sum = 0;

			for (uint32_t i = g->xadj[v % n]; i < g->xadj[v % n + 1]; i++) {
				struct moore_rng r = { (uint64_t)c[g->adj[i]] << 32 };

				sum += moore_rng_next(&r);
			}
			m->mark[v] = (struct mark){ moore_rng_next(&own) ^ sum, v };
		}
		n_colours = recolour(m, colour);
	} while (n_colours > before);
	return n_colours || !n;
}

/* Maps the vertices of each colour in turn (one vertex, or twins), and returns true if that
 * map takes every link to a link. */
static bool
verify(struct match *m)
{
	uint32_t n = m->n, n_of, *image = m->image;
	uint32_t *near = moore_arena_alloc(m->tmp, n + 1, sizeof(*near));

	if (!near) {
		m->oom = true;
		return false;
	}
	for (uint32_t i = 0; i < 2 * n; i += 2 * n_of) {
		for (n_of = 0; i + n_of < 2 * n && m->mark[i + n_of].v < n &&
			       m->mark[i + n_of].hash == m->mark[i].hash; n_of++)
			;
		for (uint32_t k = 0; k < n_of; k++)
			image[m->mark[i + k].v] = m->mark[i + n_of + k].v - n;
	}
	for (uint32_t v = 0; v < n; v++) {
		uint32_t w = image[v];
		const struct moore_adjacency *g = &m->g[0], *h = &m->g[1];

		if (g->xadj[v + 1] - g->xadj[v] != h->xadj[w + 1] - h->xadj[w])
			return false;
		memset(near, 0, n * sizeof(*near));
		for (uint32_t i = h->xadj[w]; i < h->xadj[w + 1]; i++)
			near[h->adj[i]]++;
		for (uint32_t i = g->xadj[v]; i < g->xadj[v + 1]; i++) {
			uint32_t *k = &near[image[g->adj[i]]];

			if (!*k)
				return false;
			--*k;		/* each of several parallel links needs an image of its
					 * own */
		}
	}
	return true;
}

/* Picks the vertex of g[0] to fix next, from a colour with the most vertices.  A colour
 * whose vertices are all twins (linked to the same vertices) needs no choice, since any
 * order of them is right.  MOORE_NONE if no colour needs a choice. */
static uint32_t
pick(const struct match *m)
{
	uint32_t best = MOORE_NONE, most = 0;

	for (uint32_t i = 0, k; i < 2 * m->n; i = k) {
		bool twins = true;
		uint32_t n_of = 0;

		for (k = i; k < 2 * m->n && m->mark[k].hash == m->mark[i].hash; k++)
			if (m->mark[k].v < m->n) {
				twins &= m->twin[m->mark[k].v] == m->twin[m->mark[i].v];
				n_of++;
			}
		if (!twins && n_of > most) {
			most = n_of;
			best = m->mark[i].v;
		}
	}
	return best;
}

static bool
search(struct match *m, uint32_t *colour)
{
	size_t bytes = 2 * (size_t)m->n * sizeof(*colour);
	uint32_t *next, v;

	if (!m->budget)
		return false;
	m->budget--;
	if (!refine(m, colour))
		return false;
	next = moore_arena_alloc(m->tmp, 2 * (size_t)m->n, sizeof(*next));
	if (!next) {
		m->oom = true;
		return false;
	}
	if ((v = pick(m)) == MOORE_NONE)
		return verify(m);
	for (uint32_t i = 0; i < m->n && m->budget && !m->oom; i++) {
		/* Vertices are taken from both ends in turn, since the two halves of a Slim
		 * Fly differ. */
		uint32_t w = i % 2 ? m->n - 1 - i / 2 : i / 2;

		if (colour[m->n + w] != colour[v])
			continue;
		memcpy(next, colour, bytes);
		next[v] = next[m->n + w] = 2 * m->n;
		if (search(m, next))
			return true;
	}
	return false;
}

/* A hash of how many vertices of each colour are at each distance from v. */
static uint64_t
profile(const struct moore_adjacency *g, uint32_t n, uint32_t v, const uint32_t *colour,
	uint32_t *depth, uint32_t *queue)
{
	struct moore_rng own = { colour[v] };
	uint64_t sum = 0;
	uint32_t end = 1;

	memset(depth, 0xff, n * sizeof(*depth));
	depth[queue[0] = v] = 0;
	for (uint32_t k = 0; k < end; k++) {
		const uint32_t w = queue[k];
		struct moore_rng r = { (uint64_t)colour[w] << 32 | depth[w] };
		uint64_t ahead = 1;

		for (uint32_t i = g->xadj[w]; i < g->xadj[w + 1]; i++) {
			if (depth[g->adj[i]] == MOORE_NONE) {
				depth[g->adj[i]] = depth[w] + 1;
				queue[end++] = g->adj[i];
			}
			ahead += depth[g->adj[i]] > depth[w];
		}
		sum += moore_rng_next(&r) * ahead;
	}
	return moore_rng_next(&own) ^ sum;
}

/* Splits colours by distances.  In a random regular graph every vertex has the same number
 * of links, so the colours around a vertex tell nothing at first.  Returns true if some
 * colour was split. */
static bool
split_by_distance(struct match *m, uint32_t *colour)
{
	uint32_t n = m->n, most = 0, *depth = moore_arena_alloc(m->tmp, n, sizeof(*depth));
	uint32_t *queue = moore_arena_alloc(m->tmp, n, sizeof(*queue));

	if (!depth || !queue) {
		m->oom = true;
		return false;
	}
	for (uint32_t v = 0; v < 2 * n; v++) {
		const struct moore_adjacency *g = &m->g[v >= n];

		most = colour[v] > most ? colour[v] : most;
		m->mark[v] = (struct mark){ profile(g, n, v % n, colour + (v >= n ? n : 0), depth,
						    queue), v };
	}
	return recolour(m, colour) > most + 1;
}

/* Sets the bounds on effort for graphs of this size. */
static void
allow(struct match *m, size_t n_links)
{
	m->budget = (unsigned)(MAX_LINKS_COLOURED / (n_links + 1));
	m->budget = m->budget < MIN_REFINEMENTS ? MIN_REFINEMENTS :
		m->budget > MAX_REFINEMENTS ? MAX_REFINEMENTS : m->budget;
	m->rounds = (unsigned)(MAX_VERTICES_COLOURED / (m->n + n_links + 1));
	m->rounds = m->rounds < MIN_ROUNDS ? MIN_ROUNDS : m->rounds;
}

bool
moore_topo_map(uint32_t n, const struct moore_topo_link *a, const struct moore_topo_link *b,
	       size_t n_links, uint32_t *colour, uint32_t *image, bool *oom)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct match m = { .n = n, .image = image, .tmp = &tmp };
	bool found = false;

	m.mark = moore_arena_alloc(&tmp, 2 * (size_t)n + 1, sizeof(*m.mark));
	m.twin = moore_arena_alloc(&tmp, (size_t)n + 1, sizeof(*m.twin));
	allow(&m, n_links);
	if (!m.mark || !m.twin || !moore_adjacency_init(&m.g[0], n, a, n_links, &tmp) ||
	    !moore_adjacency_init(&m.g[1], n, b, n_links, &tmp)) {
		m.oom = true;
	} else {
		hash_neighbours(&m);
		found = search(&m, colour);
		if (!found && !m.budget && n * (n + 2 * (uint64_t)n_links) < MAX_DISTANCES &&
		    split_by_distance(&m, colour)) {
			allow(&m, n_links);
			found = search(&m, colour);
		}
	}
	moore_arena_free(&tmp);
	*oom |= m.oom;
	return found && !m.oom;
}

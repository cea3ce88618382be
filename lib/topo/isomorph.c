// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* isomorph.c - a map of one graph onto another.
 *
 * The map is found by colour refinement on both graphs at once (a vertex's colour
 * is renewed from the colours around it until nothing splits), fixing one vertex
 * after another while colours leave a choice, and trying its possible images in
 * turn (McKay, "Practical graph isomorphism", 1981, without automorphism pruning).
 * When that takes too long, distances are colours too, and it is tried once more.
 * The map is then verified edge by edge, so a clash of hashes cannot give a wrong
 * one. */
#include <stdlib.h>
#include <string.h>

#include "topo/isomorph.h"

/* Refinements of one pair of graphs: fewer for large graphs, so that a pair that
 * is not alike costs a fraction of a second at worst. */
#define MIN_REFINEMENTS 64
#define MAX_REFINEMENTS 256
#define MAX_LINKS_COLOURED 1600000
/* Rounds in all of them: a torus takes as many as it is long for each. */
#define MIN_ROUNDS 1024
#define MAX_VERTICES_COLOURED 8000000
#define MAX_DISTANCES 200000000	/* links looked at, in each graph, for distances */

struct graph {
	uint32_t *xadj, *adj;
};

struct match {
	uint32_t n;
	struct graph g[2];	/* given, and the family's */
	struct mark {		/* sorted by colour; of each, g[0]'s vertices first */
		uint64_t hash;
		uint32_t v;	/* 0..n-1 of g[0], n..2n-1 of g[1] */
	} *mark;
	uint64_t *twin;		/* of g[0]: a hash of the vertex's neighbours */
	unsigned budget, rounds;
	uint32_t *image;	/* of each of g[0]'s vertices */
	struct moore_arena *tmp;
	bool oom;
};

static bool
graph_init(struct graph *g, uint32_t n, const struct moore_topo_link *link, size_t n_links,
	   struct moore_arena *tmp)
{
	uint32_t *at = moore_arena_alloc(tmp, n + 1, sizeof(*at));

	g->xadj = moore_arena_alloc(tmp, (size_t)n + 1, sizeof(*g->xadj));
	g->adj = moore_arena_alloc(tmp, 2 * n_links + 1, sizeof(*g->adj));
	if (!at || !g->xadj || !g->adj)
		return false;
	for (size_t i = 0; i < n_links; i++) {
		g->xadj[link[i].a + 1]++;
		g->xadj[link[i].b + 1]++;
	}
	for (uint32_t v = 0; v < n; v++)
		at[v] = g->xadj[v + 1] += g->xadj[v];
	memmove(at + 1, at, (n ? n - 1 : 0) * sizeof(*at));
	at[0] = 0;
	for (size_t i = 0; i < n_links; i++) {
		g->adj[at[link[i].a]++] = link[i].b;
		g->adj[at[link[i].b]++] = link[i].a;
	}
	return true;
}

static void
hash_neighbours(struct match *m)
{
	const struct graph *g = &m->g[0];

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

/* Number the hashes that m->mark has of all 2n vertices.  The number of colours; 0
 * when the two graphs do not have equally many vertices of each. */
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

/* Renew colours (2n of them: both graphs) until stable.  False when the two
 * graphs do not have equally many vertices of each colour. */
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
			const struct graph *g = &m->g[v >= n];
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

/* Map the vertices of each colour in turn (one, or twins): is that map right? */
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
		const struct graph *g = &m->g[0], *h = &m->g[1];

		if (g->xadj[v + 1] - g->xadj[v] != h->xadj[w + 1] - h->xadj[w])
			return false;
		memset(near, 0, n * sizeof(*near));
		for (uint32_t i = h->xadj[w]; i < h->xadj[w + 1]; i++)
			near[h->adj[i]]++;
		for (uint32_t i = g->xadj[v]; i < g->xadj[v + 1]; i++) {
			uint32_t *k = &near[image[g->adj[i]]];

			if (!*k)
				return false;
			--*k;		/* parallel links need as many */
		}
	}
	return true;
}

/* A vertex of g[0] in a largest colour of several (there the choice is freest: in
 * a plane a fourth point of a line is not), unless they are all twins
 * (joined to the same vertices, so that any order will do); MOORE_NONE: none. */
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
		/* From both ends: the halves of a Slim Fly are not alike. */
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

/* How many vertices, of what colours, are how far from v: a hash. */
static uint64_t
profile(const struct graph *g, uint32_t n, uint32_t v, const uint32_t *colour, uint32_t *depth,
	uint32_t *queue)
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

/* Colours by distances.  Where every vertex has as many links and no two are alike, as
 * in random regular graphs, the colours around a vertex tell nothing at first, and
 * each of the others may be its only image.  True when this tells more. */
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
		const struct graph *g = &m->g[v >= n];

		most = colour[v] > most ? colour[v] : most;
		m->mark[v] = (struct mark){ profile(g, n, v % n, colour + (v >= n ? n : 0), depth,
						    queue), v };
	}
	return recolour(m, colour) > most + 1;
}

/* Effort for graphs of this size. */
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
	if (!m.mark || !m.twin || !graph_init(&m.g[0], n, a, n_links, &tmp) ||
	    !graph_init(&m.g[1], n, b, n_links, &tmp)) {
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

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* isomorph.c - finds a map of one graph onto another.
 *
 * Twins are merged first (twins.c), since any order of them is right.  Then both graphs are
 * coloured at once by colour refinement: a vertex's colour is recomputed from the colours of its
 * neighbours until no colour splits any more.  While some colour holds several vertices, one
 * vertex of it is fixed and its possible images are tried in turn (McKay, "Practical graph
 * isomorphism", 1981, without pruning by automorphisms).  A few rounds of hashes rule out most
 * wrong images without sorting: a Steiner system with few symmetries needs two fixed points, and
 * nearly all pairs of images are wrong.  Where rounds tell nothing, the cycles of thin links do.  If
 * that takes too long, it is tried once more with colours that also depend on distances.
 * The map is finally verified edge by edge, so a collision of hashes cannot produce a wrong
 * one. */
#include <string.h>

#include "base/random.h"
#include "topo/isomorph.h"
#include "topo/marks.h"
#include "topo/twins.h"

/* The greatest number of refinements for one pair of graphs.  Large graphs get fewer, so
 * that a pair that does not match costs a fraction of a second at most. */
#define MIN_REFINEMENTS 64
#define MAX_REFINEMENTS 1024
#define MAX_LINKS_COLOURED 1600000
/* The greatest number of rounds in all refinements together.  In a torus, each refinement
 * takes as many rounds as the torus is long. */
#define MIN_ROUNDS 1024
#define MAX_VERTICES_COLOURED 8000000
/* Comparing candidates: rounds, and visits to vertices and links in all, some 1 ns each. */
#define LOOK_ROUNDS 8
#define MAX_LOOKED 400000000
#define MANY_NEAR 64		/* vertices that are near enough to compare */
#define MAX_DISTANCES 200000000	/* links visited in each graph to find distances */

struct match {
	uint32_t n;		/* vertices of each graph whose twins are merged */
	struct moore_adjacency full[2];	/* the given graph, and the family's */
	struct moore_twins merged[2];
	struct moore_mark *mark;	/* a vertex of merged[0] is 0..n-1, one of merged[1] is n..2n-1;
					 * of those with one colour, the first graph's come first */
	struct moore_marks_room room;	/* 2n */
	uint64_t *hash;		/* 2n, scratch */
	/* Scratch for thin links: */
	uint32_t *class, *count;	/* n */
	uint32_t *few, *few0;	/* neighbours of v: few[few0[v]..few0[v + 1] - 1]; n + 1 */
	uint32_t *thin, *thin0;	/* likewise */
	uint32_t *depth, *queue;	/* n, scratch */
	unsigned budget, rounds;
	uint64_t left;		/* visits to vertices and links when candidates are compared */
	uint32_t *image;	/* the image of each vertex of full[0] */
	struct moore_arena *tmp;
	bool oom;
};

/* Turns the hashes in m->mark of all 2n vertices into colours 0, 1, 2...  Returns the
 * number of colours, or 0 if some colour has more vertices in one graph than in the other. */
static uint32_t
recolour(struct match *m, uint32_t *colour)
{
	uint32_t n = m->n, n_colours = 0;

	moore_marks_sort(m->mark, 2 * n, &m->room);
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
			struct moore_rng r = { (uint64_t)colour[v] << 32 };

			m->hash[v] = moore_rng_next(&r);
		}
		for (uint32_t v = 0; v < 2 * n; v++) {
			const struct moore_adjacency *g = &m->merged[v >= n].g;
			const uint64_t *hash = m->hash + (v >= n ? n : 0);
			struct moore_rng own = { colour[v] };
			uint64_t sum = 0;

			for (uint32_t i = g->xadj[v % n]; i < g->xadj[v % n + 1]; i++)
				sum += hash[g->adj[i]];
			m->mark[v] = (struct moore_mark){ moore_rng_next(&own) ^ sum, v };
		}
		n_colours = recolour(m, colour);
	} while (n_colours > before);
	return n_colours || !n;
}

/* Maps the members of each class of twins to those of the class of the same colour. */
static void
map_members(struct match *m)
{
	for (uint32_t i = 0; i < 2 * m->n; i += 2) {
		const struct moore_twins *a = &m->merged[0], *b = &m->merged[1];
		uint32_t v = a->first[m->mark[i].v], w = b->first[m->mark[i + 1].v - m->n];

		for (; v != MOORE_NONE; v = a->next[v], w = b->next[w])
			m->image[v] = w;
	}
}

/* Returns true if the map takes every link to a link.  Each colour has one class of twins in each
 * graph, both of the same size. */
static bool
verify(struct match *m)
{
	const struct moore_adjacency *g = &m->full[0], *h = &m->full[1];
	uint32_t n = g->n, *near = moore_arena_alloc(m->tmp, n + 1, sizeof(*near));

	if (!near) {
		m->oom = true;
		return false;
	}
	map_members(m);
	for (uint32_t v = 0; v < n; v++) {
		uint32_t w = m->image[v];

		if (g->xadj[v + 1] - g->xadj[v] != h->xadj[w + 1] - h->xadj[w])
			return false;
		memset(near, 0, n * sizeof(*near));
		for (uint32_t i = h->xadj[w]; i < h->xadj[w + 1]; i++)
			near[h->adj[i]]++;
		for (uint32_t i = g->xadj[v]; i < g->xadj[v + 1]; i++) {
			uint32_t *k = &near[m->image[g->adj[i]]];

			if (!*k)
				return false;
			--*k;		/* each of several parallel links needs an image of its
					 * own */
		}
	}
	return true;
}

/* Picks the vertex of merged[0] to fix next.  Of the colours that have several vertices, it takes
 * one with the most links, and of these one with the fewest vertices: of a Steiner system the
 * points, not the blocks.  MOORE_NONE if every colour has one vertex. */
static uint32_t
pick(const struct match *m)
{
	uint32_t best = MOORE_NONE, fewest = 0;
	uint64_t most = 0;

	for (uint32_t i = 0, k; i < 2 * m->n; i = k) {
		uint64_t links = moore_adjacency_degree(&m->merged[0].g, m->mark[i].v);

		for (k = i; k < 2 * m->n && m->mark[k].hash == m->mark[i].hash; k++)
			;
		links *= k - i;
		if (k - i > 2 && (best == MOORE_NONE || links > most ||
				  (links == most && k - i < fewest))) {
			most = links;
			fewest = k - i;
			best = m->mark[i].v;
		}
	}
	return best;
}

/* ---- thin links -------------------------------------------------------------------------
 *
 * A link is thin if each of its ends has at most two neighbours of the other's colour.  Thin links form
 * cycles, of which no refinement tells a long one from several short ones.  In a Steiner triple system
 * with two points fixed, each other point is on one block with either of them, and the cycles that
 * these make differ from pair to pair. */

/* Numbers the hashes of the m->n vertices in class[]; returns how many different ones there are.  The
 * marks are scratch. */
static uint32_t
number_classes(struct match *m, const uint64_t *hash)
{
	uint32_t n = 0;

	for (uint32_t v = 0; v < m->n; v++)
		m->mark[v] = (struct moore_mark){ hash[v], v };
	moore_marks_sort(m->mark, m->n, &m->room);
	for (uint32_t i = 0; i < m->n; i++) {
		n += i && m->mark[i].hash != m->mark[i - 1].hash;
		m->class[m->mark[i].v] = n;
	}
	return m->n ? n + 1 : 0;
}

/* Lists the neighbours of v that have a class of which v has at most two neighbours.  count[] is 0,
 * before and after. */
static uint32_t
list_few(struct match *m, const struct moore_adjacency *g, uint32_t v, uint32_t *few)
{
	const uint32_t *from = g->adj + g->xadj[v], n = moore_adjacency_degree(g, v);
	uint32_t n_few = 0;

	for (uint32_t i = 0; i < n; i++)
		m->count[m->class[from[i]]]++;
	for (uint32_t i = 0; i < n; i++) {
		few[n_few] = from[i];
		n_few += m->count[m->class[from[i]]] <= 2;
	}
	for (uint32_t i = 0; i < n; i++)
		m->count[m->class[from[i]]] = 0;
	return n_few;
}

static bool
is_listed(const uint32_t *list, uint32_t n, uint32_t v)
{
	uint32_t i = 0;

	while (i < n && list[i] != v)
		i++;
	return i < n;
}

/* Fills thin[] and thin0[].  A link is thin if each of its ends lists the other. */
static void
find_thin(struct match *m, const struct moore_adjacency *g)
{
	const uint32_t *few0 = m->few0;
	uint32_t n = 0;

	for (uint32_t v = 0; v < g->n; v++)
		m->few0[v + 1] = few0[v] + list_few(m, g, v, m->few + few0[v]);
	for (uint32_t v = 0; v < g->n; v++) {
		m->thin0[v] = n;
		for (uint32_t i = few0[v]; i < few0[v + 1]; i++) {
			const uint32_t w = m->few[i];

			if (is_listed(m->few + few0[w], few0[w + 1] - few0[w], v))
				m->thin[n++] = w;
		}
	}
	m->thin0[g->n] = n;
}

/* A hash of what is near v over thin links: the vertices up to the distance at which they are at least
 * MANY_NEAR.  depth[] is MOORE_NONE, before and after. */
static uint64_t
hash_near(struct match *m, const uint64_t *hash, uint32_t v)
{
	uint32_t *queue = m->queue, *depth = m->depth, end = 1, level = 0;
	uint64_t sum = 0;

	depth[queue[0] = v] = 0;
	for (uint32_t k = 0; k < end; k++) {
		const uint32_t w = queue[k];
		struct moore_rng r = { hash[w] + depth[w] };
		uint64_t back = 1;

		if (depth[w] > level && end >= MANY_NEAR)
			break;
		level = depth[w];
		for (uint32_t i = m->thin0[w]; i < m->thin0[w + 1]; i++) {
			if (depth[m->thin[i]] == MOORE_NONE) {
				depth[m->thin[i]] = level + 1;
				queue[end++] = m->thin[i];
			}
			back += depth[m->thin[i]] < level;
		}
		sum += moore_rng_next(&r) * back;
	}
	m->left -= m->left < end ? m->left : end;
	for (uint32_t k = 0; k < end; k++)
		depth[queue[k]] = MOORE_NONE;
	return sum;
}

/* A hash of the thin links of merged[side]; 0 where no two vertices have the same hash, since thin links
 * then tell nothing more. */
static uint64_t
hash_thin(struct match *m, unsigned side, const uint64_t *hash)
{
	const struct moore_adjacency *g = &m->merged[side].g;
	uint64_t all = 0;

	if (number_classes(m, hash) == m->n)
		return 0;
	find_thin(m, g);
	m->left -= m->left < g->xadj[g->n] ? m->left : g->xadj[g->n];
	for (uint32_t v = 0; v < g->n; v++) {
		struct moore_rng r = { hash_near(m, hash, v) };

		all += moore_rng_next(&r);
	}
	return all;
}

/* Refines the colours of merged[side] for a few rounds with v fixed, by hashes alone.  For merged[0]
 * it puts the sum of all hashes after each round into sum[], and the hash of thin links.  For
 * merged[1] it compares them, and returns false when one differs: then v is not the image of the
 * vertex that gave sum[]. */
static bool
look(struct match *m, unsigned side, const uint32_t *colour, uint32_t v, uint64_t *sum)
{
	const struct moore_adjacency *g = &m->merged[side].g;
	uint64_t *hash = m->hash, *next = m->hash + m->n, thin;

	for (uint32_t w = 0; w < m->n; w++)
		hash[w] = w == v ? 2 * m->n : colour[w];
	for (unsigned round = 0; round < LOOK_ROUNDS; round++) {
		uint64_t all = 0, cost = m->n + (uint64_t)g->xadj[m->n];

		for (uint32_t w = 0; w < m->n; w++) {
			struct moore_rng r = { hash[w] };

			all += hash[w] = moore_rng_next(&r);
		}
		if (!side)
			sum[round] = all;
		else if (sum[round] != all)
			return false;
		m->left -= m->left < cost ? m->left : cost;
		for (uint32_t w = 0; w < m->n; w++) {
			next[w] = 3 * hash[w];
			for (uint32_t i = g->xadj[w]; i < g->xadj[w + 1]; i++)
				next[w] += hash[g->adj[i]];
		}
		memcpy(hash, next, m->n * sizeof(*hash));
	}
	thin = hash_thin(m, side, hash);
	if (!side)
		sum[LOOK_ROUNDS] = thin;
	return sum[LOOK_ROUNDS] == thin;
}

/* Vertices are taken from both ends in turn, since the two halves of a Slim Fly differ. */
static uint32_t
candidate(const struct match *m, uint32_t i)
{
	return i % 2 ? m->n - 1 - i / 2 : i / 2;
}

/* Goes the way that search() goes first, on which each vertex gets the first of its possible images.
 * In a graph with many symmetries that is a map, and nothing has to be compared. */
static bool
try_first(struct match *m, uint32_t *colour)
{
	uint32_t v;

	while (refine(m, colour)) {
		uint32_t i = 0;

		if ((v = pick(m)) == MOORE_NONE)
			return verify(m);
		while (colour[m->n + candidate(m, i)] != colour[v])
			i++;
		colour[v] = colour[m->n + candidate(m, i)] = 2 * m->n;
	}
	return false;
}

static bool
search(struct match *m, uint32_t *colour)
{
	size_t bytes = 2 * (size_t)m->n * sizeof(*colour);
	uint64_t sum[LOOK_ROUNDS + 1];
	uint32_t *next, v;

	if (!m->budget)
		return false;
	m->budget--;
	if (!refine(m, colour))
		return false;
	if ((v = pick(m)) == MOORE_NONE)
		return verify(m);
	next = moore_arena_alloc(m->tmp, 2 * (size_t)m->n, sizeof(*next));
	if (!next) {
		m->oom = true;
		return false;
	}
	look(m, 0, colour, v, sum);
	for (uint32_t i = 0; i < m->n && m->budget && m->left && !m->oom; i++) {
		const uint32_t w = candidate(m, i);

		if (colour[m->n + w] != colour[v] || !look(m, 1, colour + m->n, w, sum))
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
		const struct moore_adjacency *g = &m->merged[v >= n].g;

		most = colour[v] > most ? colour[v] : most;
		m->mark[v] = (struct moore_mark){ profile(g, n, v % n, colour + (v >= n ? n : 0), depth,
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
	m->left = MAX_LOOKED;
}

/* Merges twins in both graphs.  Classes of twins can be equal only if they have equally many
 * members, so the size becomes part of the colour. */
static bool
merge(struct match *m, uint32_t *colour)
{
	const uint32_t n = m->full[0].n;

	if (!moore_twins_merge(&m->merged[0], &m->full[0], colour, m->tmp) ||
	    !moore_twins_merge(&m->merged[1], &m->full[1], colour + n, m->tmp)) {
		m->oom = true;
		return false;
	}
	m->n = m->merged[0].g.n;
	if (m->merged[1].g.n != m->n)
		return false;
	for (uint32_t v = 0; v < 2 * m->n; v++) {
		const struct moore_twins *t = &m->merged[v >= m->n];
		const uint32_t c = v % m->n, size = t->size[c];
		struct moore_rng r = { (uint64_t)size << 32 | colour[t->first[c] + (v >= m->n ? n : 0)] };

		m->mark[v] = (struct moore_mark){ moore_rng_next(&r), v };
	}
	return recolour(m, colour) || !n;
}

static bool
find(struct match *m, uint32_t *colour)
{
	uint32_t *first;
	size_t n_links;
	bool found;

	if (!merge(m, colour))
		return false;
	n_links = m->merged[0].g.xadj[m->n] / 2;
	if (!(first = moore_arena_alloc(m->tmp, 2 * (size_t)m->n + 1, sizeof(*first)))) {
		m->oom = true;
		return false;
	}
	memcpy(first, colour, 2 * (size_t)m->n * sizeof(*first));
	allow(m, n_links);
	if (try_first(m, first))
		return true;
	allow(m, n_links);
	found = search(m, colour);
	if (!found && (!m->budget || !m->left) && m->n * (m->n + 2 * (uint64_t)n_links) < MAX_DISTANCES &&
	    split_by_distance(m, colour)) {
		allow(m, n_links);
		found = search(m, colour);
	}
	return found;
}

static bool
get_memory(struct match *m, size_t n, size_t n_links)
{
	m->mark = moore_arena_alloc(m->tmp, 2 * n + 1, sizeof(*m->mark));
	m->hash = moore_arena_alloc(m->tmp, 2 * n + 1, sizeof(*m->hash));
	m->class = moore_arena_alloc(m->tmp, n + 1, sizeof(*m->class));
	m->count = moore_arena_alloc(m->tmp, n + 1, sizeof(*m->count));
	m->few = moore_arena_alloc(m->tmp, 2 * n_links + 1, sizeof(*m->few));
	m->few0 = moore_arena_alloc(m->tmp, n + 1, sizeof(*m->few0));
	m->thin = moore_arena_alloc(m->tmp, 2 * n_links + 1, sizeof(*m->thin));
	m->thin0 = moore_arena_alloc(m->tmp, n + 1, sizeof(*m->thin0));
	m->depth = moore_arena_alloc(m->tmp, n + 1, sizeof(*m->depth));
	m->queue = moore_arena_alloc(m->tmp, n + 1, sizeof(*m->queue));
	if (!m->mark || !m->hash || !m->class || !m->count || !m->few || !m->few0 || !m->thin ||
	    !m->thin0 || !m->depth || !m->queue)
		return false;
	memset(m->depth, 0xff, n * sizeof(*m->depth));
	return moore_marks_room(&m->room, 2 * n, m->tmp);
}

bool
moore_topo_map(uint32_t n, const struct moore_topo_link *a, const struct moore_topo_link *b,
	       size_t n_links, uint32_t *colour, uint32_t *image, bool *oom)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct match m = { .image = image, .tmp = &tmp };
	bool found = false;

	if (!get_memory(&m, n, n_links) || !moore_adjacency_init(&m.full[0], n, a, n_links, &tmp) ||
	    !moore_adjacency_init(&m.full[1], n, b, n_links, &tmp))
		m.oom = true;
	else
		found = find(&m, colour);
	moore_arena_free(&tmp);
	*oom |= m.oom;
	return found && !m.oom;
}

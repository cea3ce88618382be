// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* metrics.c - diameter, mean distance and girth of any graph.
 *
 * Distances are found by breadth-first search from BATCH sources at once, one bit for each
 * source, so that one step along a link serves all of them, and memory stays linear in the
 * size of the graph.  Where distances are long, the fronts of a batch hardly meet, and each source
 * is searched from by itself.  Invariant after level n: bit i of seen[v] tells whether v is at most
 * n links from source i, and front[v] holds the sources at exactly n links.  A batch ends
 * when every bit is set or no front is left.  (Then and others, "The More the Merrier:
 * Efficient Multi-Source Graph Traversal", VLDB 2014.)
 *
 * The girth is found by breadth-first search from each switch among those of greater index,
 * no deeper than the shortest cycle so far requires (Itai and Rodeh 1978). */
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "moore/topo.h"

#define WORDS 8				/* words of a set: one cache line */
#define BATCH (64 * WORDS)
#define LONG 32				/* links: from this distance on, sources are searched alone */

struct graph {
	uint32_t n;
	size_t *first;			/* v's neighbours are to[first[v]..first[v+1]-1] */
	uint32_t *to;
};

struct set {
	uint64_t w[WORDS];
};

struct search {
	struct set *seen, *front, *next;	/* a set of sources for each switch */
	uint32_t *active, *touched;		/* switches with a front; switches with a next
						 * front */
	uint32_t n_active, n_touched;
	bool *is_touched;
	uint64_t n_pairs;			/* (source, reached switch), a source itself not
						 * counted */
	uint64_t distances;			/* sum of the distances of these pairs */
	uint32_t depth;				/* the greatest of these distances */
};

/* ---- the graph ---------------------------------------------------------- */

/* Keeps one of several parallel links.  mark holds n zeros. */
static void
drop_parallels(struct graph *g, uint32_t *mark)
{
	size_t kept = 0, i = 0;

	for (uint32_t v = 0; v < g->n; v++) {
		const size_t end = g->first[v + 1];

		g->first[v] = kept;
		for (; i < end; i++) {
			const uint32_t u = g->to[i];

			if (mark[u] == v + 1)
				continue;
			mark[u] = v + 1;
			g->to[kept++] = u;
		}
	}
	g->first[g->n] = kept;
}

static int
graph_init(struct graph *g, uint32_t n, const struct moore_topo_link *link, size_t n_links,
	   struct moore_arena *a, struct moore_err *err)
{
	uint32_t *mark = moore_arena_alloc(a, n, sizeof(*mark));
	size_t *fill = moore_arena_alloc(a, (size_t)n + 2, sizeof(*fill));

	/* fill[v + 1] moves from the start of v's neighbours to their end, so that it
	 * finally is first[v + 1]. */
	*g = (struct graph){ n, fill, moore_arena_alloc(a, n_links, 2 * sizeof(*g->to)) };
	if (!mark || !fill || !g->to)
		return moore_fail_nomem(err);
	for (size_t i = 0; i < n_links; i++) {
		const struct moore_topo_link l = link[i];

		if (l.a >= n || l.b >= n || l.a == l.b)
			return moore_fail(err, MOORE_EINVAL, 0,
					  "link %zu: %u-%u does not join two of %u switches",
					  i, l.a, l.b, n);
		fill[l.a + 2]++;
		fill[l.b + 2]++;
	}
	for (size_t v = 2; v <= n; v++)
		fill[v] += fill[v - 1];
	for (size_t i = 0; i < n_links; i++) {
		g->to[fill[link[i].a + 1]++] = link[i].b;
		g->to[fill[link[i].b + 1]++] = link[i].a;
	}
	drop_parallels(g, mark);
	return 0;
}

/* ---- distances ---------------------------------------------------------- */

static int
search_init(struct search *s, uint32_t n, struct moore_arena *a, struct moore_err *err)
{
	*s = (struct search){
		.seen = moore_arena_alloc(a, n, sizeof(struct set)),
		.front = moore_arena_alloc(a, n, sizeof(struct set)),
		.next = moore_arena_alloc(a, n, sizeof(struct set)),
		.active = moore_arena_alloc(a, n, sizeof(uint32_t)),
		.touched = moore_arena_alloc(a, n, sizeof(uint32_t)),
		.is_touched = moore_arena_alloc(a, n, sizeof(bool)),
	};
	return s->seen && s->front && s->next && s->active && s->touched && s->is_touched ?
	       0 : moore_fail_nomem(err);
}

/* Moves every front one link further. */
static void
spread(const struct graph *g, struct search *s)
{
	s->n_touched = 0;
	for (uint32_t i = 0; i < s->n_active; i++) {
		const uint32_t u = s->active[i];
		const struct set from = s->front[u];

		for (size_t e = g->first[u]; e < g->first[u + 1]; e++) {
			const uint32_t v = g->to[e];

			for (unsigned w = 0; w < WORDS; w++)
				s->next[v].w[w] |= from.w[w];
			if (!s->is_touched[v]) {
				s->is_touched[v] = true;
				s->touched[s->n_touched++] = v;
			}
		}
		s->front[u] = (struct set){ { 0 } };
	}
}

/* Makes the sources that reached a switch for the first time its new front; returns the
 * size of all fronts. */
static uint64_t
settle(struct search *s)
{
	uint64_t total = 0;

	s->n_active = 0;
	for (uint32_t i = 0; i < s->n_touched; i++) {
		const uint32_t v = s->touched[i];
		uint32_t fresh = 0;

		for (unsigned w = 0; w < WORDS; w++) {
			s->front[v].w[w] = s->next[v].w[w] & ~s->seen[v].w[w];
			s->seen[v].w[w] |= s->next[v].w[w];
			fresh += moore_bits_count(s->front[v].w[w]);
		}
		s->next[v] = (struct set){ { 0 } };
		s->is_touched[v] = false;
		if (fresh)
			s->active[s->n_active++] = v;
		total += fresh;
	}
	return total;
}

static void
search_from(const struct graph *g, struct search *s, uint32_t first, uint32_t n_sources)
{
	uint64_t left = (uint64_t)n_sources * (g->n - 1), fresh;

	memset(s->seen, 0, g->n * sizeof(*s->seen));
	memset(s->front, 0, g->n * sizeof(*s->front));
	for (uint32_t i = 0; i < n_sources; i++) {
		moore_bits_set(s->seen[first + i].w, i);
		moore_bits_set(s->front[first + i].w, i);
		s->active[i] = first + i;
	}
	s->n_active = n_sources;
	for (uint32_t level = 1; left && s->n_active; level++, left -= fresh) {
		spread(g, s);
		fresh = settle(s);
		s->n_pairs += fresh;
		s->distances += level * fresh;
		if (fresh && level > s->depth)
			s->depth = level;
	}
}

/* The same from one source; its distances replace s->touched. */
static void
search_alone(const struct graph *g, struct search *s, uint32_t source)
{
	uint32_t *dist = s->touched, *queue = s->active, n = 1;

	memset(dist, 0xff, g->n * sizeof(*dist));
	dist[source] = 0;
	queue[0] = source;
	for (uint32_t i = 0; i < n; i++)
		for (size_t e = g->first[queue[i]]; e < g->first[queue[i] + 1]; e++)
			if (dist[g->to[e]] == UINT32_MAX) {
				dist[g->to[e]] = dist[queue[i]] + 1;
				s->distances += dist[g->to[e]];
				queue[n++] = g->to[e];
			}
	s->n_pairs += n - 1;
	if (dist[queue[n - 1]] > s->depth)
		s->depth = dist[queue[n - 1]];
}

/* ---- girth -------------------------------------------------------------- */

struct cycles {
	uint32_t *dist, *parent;	/* dist counts from 1 at the root; 0: not reached */
	uint32_t *queue;
	uint64_t best;			/* length of the shortest cycle so far */
};

/* Follows the links of u.  A link to a switch that was reached before closes a cycle
 * through the root, or a shorter one.  A switch that is reached for the first time is
 * queued while it can still lead to a shorter cycle. */
static uint32_t
close_cycles(const struct graph *g, struct cycles *c, uint32_t root, uint32_t u, uint32_t n_queued)
{
	const uint64_t length = 2 * (uint64_t)c->dist[u];	/* of a cycle that closes through
								 * a newly reached switch */

	for (size_t e = g->first[u]; e < g->first[u + 1]; e++) {
		const uint32_t v = g->to[e];

		if (v < root || v == c->parent[u])
			continue;
		if (c->dist[v]) {
			const uint64_t closed = (uint64_t)c->dist[u] + c->dist[v] - 1;

			if (closed < c->best)
				c->best = closed;
		} else if (length < c->best) {
			c->dist[v] = c->dist[u] + 1;
			c->parent[v] = u;
			c->queue[n_queued++] = v;
		}
	}
	return n_queued;
}

/* Finds the shortest cycle through root among the switches of index root and above. */
static void
cycles_through(const struct graph *g, struct cycles *c, uint32_t root)
{
	uint32_t n_queued = 1;

	c->queue[0] = root;
	c->dist[root] = 1;
	c->parent[root] = MOORE_NONE;
	for (uint32_t i = 0; i < n_queued; i++) {
		const uint32_t u = c->queue[i];

		if (2 * (uint64_t)c->dist[u] - 1 >= c->best)
			break;
		n_queued = close_cycles(g, c, root, u, n_queued);
	}
	for (uint32_t i = 0; i < n_queued; i++)
		c->dist[c->queue[i]] = 0;
}

static int
find_girth(const struct graph *g, uint32_t n_roots, uint32_t *girth, struct moore_arena *a, struct moore_err *err)
{
	struct cycles c = {
		.dist = moore_arena_alloc(a, g->n, sizeof(uint32_t)),
		.parent = moore_arena_alloc(a, g->n, sizeof(uint32_t)),
		.queue = moore_arena_alloc(a, g->n, sizeof(uint32_t)),
		.best = UINT64_MAX,
	};

	if (!c.dist || !c.parent || !c.queue)
		return moore_fail_nomem(err);
	for (uint32_t root = 0; root < n_roots && c.best > 3; root++)
		cycles_through(g, &c, root);
	*girth = c.best == UINT64_MAX ? 0 : (uint32_t)c.best;
	return 0;
}

int
moore_graph_measure(uint32_t n_switches, const struct moore_topo_link *link, size_t n_links,
		    uint32_t n_sources, struct moore_graph_metrics *out,
		    void (*progress)(void *arg, double share), void *arg,
		    struct moore_err *err)
{
	const uint64_t n_pairs = n_switches ? (uint64_t)n_sources * (n_switches - 1) : 0;
	struct moore_arena a = MOORE_ARENA_INIT;
	struct moore_graph_metrics m = { 0 };
	struct search s;
	struct graph g;
	bool alone;
	int rc;

	if ((rc = graph_init(&g, n_switches, link, n_links, &a, err)) < 0 ||
	    (rc = search_init(&s, n_switches, &a, err)) < 0 ||
	    (rc = find_girth(&g, n_sources, &m.girth, &a, err)) < 0)
		goto out;
	for (uint32_t done = 0, n; done < n_sources; done += n) {
		n = n_sources - done < BATCH ? n_sources - done : BATCH;
		alone = s.depth >= LONG;
		if (!alone)
			search_from(&g, &s, done, n);
		for (uint32_t i = 0; alone && i < n; i++)
			search_alone(&g, &s, done + i);
		if (progress)
			progress(arg, (double)(done + n) / n_sources);
	}
	m.diameter = s.n_pairs == n_pairs ? s.depth : MOORE_NONE;
	m.mean_distance = s.n_pairs ? (double)s.distances / (double)s.n_pairs : 0;
	*out = m;
out:
	moore_arena_free(&a);
	return rc;
}

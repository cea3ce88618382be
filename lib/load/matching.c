// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* matching.c - a matching of the greatest size in any graph, by augmenting paths with
 * contracted blossoms (Edmonds, Canadian J. Math. 17, 1965).
 *
 * From each vertex that is left over, a search in breadth alternates between edges outside
 * and inside the matching.  Vertices at even depth are *outer*.  An edge between two outer
 * vertices closes an odd cycle, the blossom: all its vertices get the same base and become
 * outer.  If no path to another free vertex is found, none exists, now or later. */
#include <stdlib.h>
#include <string.h>

#include "load/permutation.h"

struct search {
	uint32_t n;
	const uint32_t *start, *edge;	/* neighbours of v: edge[start[v]] .. */
	uint32_t *mate, *parent, *base, *queue;
	uint8_t *outer, *on_path, *in_blossom;
	uint32_t n_queue;
};

/* The first common base of the paths from a and b to the root. */
static uint32_t
common_base(struct search *s, uint32_t a, uint32_t b)
{
	memset(s->on_path, 0, s->n);
	for (a = s->base[a];; a = s->base[s->parent[s->mate[a]]]) {
		s->on_path[a] = 1;
		if (s->mate[a] == MOORE_NONE)
			break;
	}
	for (b = s->base[b]; !s->on_path[b];)
		b = s->base[s->parent[s->mate[b]]];
	return b;
}

static void
mark_path(struct search *s, uint32_t v, uint32_t base, uint32_t child)
{
	for (; s->base[v] != base; v = s->parent[s->mate[v]]) {
		s->in_blossom[s->base[v]] = s->in_blossom[s->base[s->mate[v]]] = 1;
		s->parent[v] = child;
		child = s->mate[v];
	}
}

static void
contract(struct search *s, uint32_t a, uint32_t b)
{
	const uint32_t base = common_base(s, a, b);

	memset(s->in_blossom, 0, s->n);
	mark_path(s, a, base, b);
	mark_path(s, b, base, a);
	for (uint32_t v = 0; v < s->n; v++) {
		if (!s->in_blossom[s->base[v]])
			continue;
		s->base[v] = base;
		if (!s->outer[v]) {
			s->outer[v] = 1;
			s->queue[s->n_queue++] = v;
		}
	}
}

/* Returns the free vertex at the end of an augmenting path from root, or MOORE_NONE. */
static uint32_t
find_path(struct search *s, uint32_t root)
{
	memset(s->outer, 0, s->n);
	for (uint32_t v = 0; v < s->n; v++) {
		s->parent[v] = MOORE_NONE;
		s->base[v] = v;
	}
	s->outer[root] = 1;
	s->n_queue = 0;
	s->queue[s->n_queue++] = root;
	for (uint32_t head = 0; head < s->n_queue; head++) {
		const uint32_t v = s->queue[head];

		for (uint32_t i = s->start[v]; i < s->start[v + 1]; i++) {
			const uint32_t w = s->edge[i];

			if (s->base[v] == s->base[w] || s->mate[v] == w)
				continue;
			if (w == root || (s->mate[w] != MOORE_NONE &&
					  s->parent[s->mate[w]] != MOORE_NONE)) {
				contract(s, v, w);
			} else if (s->parent[w] == MOORE_NONE) {
				s->parent[w] = v;
				if (s->mate[w] == MOORE_NONE)
					return w;
				s->outer[s->mate[w]] = 1;
				s->queue[s->n_queue++] = s->mate[w];
			}
		}
	}
	return MOORE_NONE;
}

static void
augment(struct search *s, uint32_t root)
{
	for (uint32_t v = find_path(s, root); v != MOORE_NONE;) {
		const uint32_t before = s->parent[v], next = s->mate[before];

		s->mate[v] = before;
		s->mate[before] = v;
		v = next;
	}
}

static int
pair_cmp(const void *x, const void *y)
{
	const struct moore_pair *p = x, *q = y;

	if (p->worth > q->worth || p->worth < q->worth)
		return p->worth > q->worth ? -1 : 1;
	return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

static void
list_edges(uint32_t *start, uint32_t *edge, uint32_t n, const struct moore_pair *pair,
	   size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs; i++) {
		start[pair[i].a + 1]++;
		start[pair[i].b + 1]++;
	}
	for (uint32_t v = 0; v < n; v++)
		start[v + 1] += start[v];
	for (size_t i = n_pairs; i-- > 0;) {	/* fills each list from its end */
		edge[--start[pair[i].a + 1]] = pair[i].b;
		edge[--start[pair[i].b + 1]] = pair[i].a;
	}
	memmove(start, start + 1, n * sizeof(*start));
	start[n] = (uint32_t)(2 * n_pairs);
}

int
moore_match(uint32_t *mate, uint32_t n, struct moore_pair *pair, size_t n_pairs,
	    struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint32_t *start = moore_arena_alloc(&tmp, (size_t)n + 2, sizeof(*start));
	uint32_t *edge = moore_arena_alloc(&tmp, 2 * n_pairs + 1, sizeof(*edge));
	struct search s = { .n = n, .start = start, .edge = edge, .mate = mate };
	const size_t room = (size_t)n + 1;
	bool ok = start && edge &&
		  (s.parent = moore_arena_alloc(&tmp, room, sizeof(*s.parent))) &&
		  (s.base = moore_arena_alloc(&tmp, room, sizeof(*s.base))) &&
		  (s.queue = moore_arena_alloc(&tmp, room, sizeof(*s.queue))) &&
		  (s.outer = moore_arena_alloc(&tmp, room, 1)) &&
		  (s.on_path = moore_arena_alloc(&tmp, room, 1)) &&
		  (s.in_blossom = moore_arena_alloc(&tmp, room, 1));

	if (ok) {
		qsort(pair, n_pairs, sizeof(*pair), pair_cmp);
		list_edges(start, edge, n, pair, n_pairs);
		for (uint32_t v = 0; v < n; v++)
			mate[v] = MOORE_NONE;
		for (size_t i = 0; i < n_pairs; i++)
			if (mate[pair[i].a] == MOORE_NONE && mate[pair[i].b] == MOORE_NONE) {
				mate[pair[i].a] = pair[i].b;
				mate[pair[i].b] = pair[i].a;
			}
		for (uint32_t v = 0; v < n; v++)
			if (mate[v] == MOORE_NONE)
				augment(&s, v);
	}
	moore_arena_free(&tmp);
	return ok ? 0 : moore_fail_nomem(err);
}

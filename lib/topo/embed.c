// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* embed.c - finds a graph inside a larger one: a map of its vertices, no two to the same,
 * that takes each link to a link.
 *
 * The vertices are mapped in a fixed sequence (embed_order.c).  An image must be linked to the
 * images of all mapped neighbours; of several, the one is tried first whose links to other
 * images are the fewest, since each of these is a link that the part lacks.  After each
 * choice, every neighbour that is not mapped yet must still have a possible image (forward
 * checking).  When a vertex has no image left, the search goes back to the latest level that
 * ruled one out, not to the last one (conflict-directed backjumping; Prosser, "Hybrid
 * algorithms for the constraint satisfaction problem", 1993).
 *
 * Links and vertices that the part lacks only weaken these constraints: nothing here depends
 * on exact degrees or colours. */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "topo/embed.h"

/* The greatest number of levels that one level blames.  When there are more, the earliest
 * are forgotten: the search may then go back too far and miss a map. */
#define MAX_BLAMED 32

struct search {
	const struct moore_adjacency *part, *whole;
	uint32_t *order;	/* the part's vertices in the sequence; its index is the level */
	uint32_t *rank;		/* by vertex of the part: its level */
	uint32_t *image;	/* by vertex of the part; MOORE_NONE: not mapped */
	uint32_t *origin;	/* by vertex of the whole; MOORE_NONE: not an image */
	uint32_t *placed;	/* by vertex of the part: neighbours that are mapped */
	uint32_t *near;		/* by vertex of the whole: neighbours that are images */
	struct level {
		uint32_t first, end;	/* candidates not tried yet: cand[first..end-1] */
		uint32_t n_blamed;
		uint32_t blamed[MAX_BLAMED];	/* levels that ruled out images, latest first */
	} *level;
	struct cand {
		uint32_t v;
		uint32_t spare;	/* links to images that have no original in the part */
	} *cand;
	uint32_t cap;
	uint64_t left;		/* of the effort */
	uint64_t spare, max_spare;	/* links between images without an original */
	uint32_t root;		/* the image of order[0] */
};

static void
visit(struct search *s, uint32_t n_links)
{
	s->left -= s->left < n_links ? s->left : n_links;
}

static bool
is_linked(const struct moore_adjacency *g, uint32_t v, uint32_t w)
{
	uint32_t end = g->xadj[v + 1];

	return moore_sorted_find(g->adj, g->xadj[v], end, w) < end;
}

/* ---- candidates --------------------------------------------------------------------- */

/* Of the images of v's mapped neighbours, the one with the fewest neighbours; MOORE_NONE
 * when none is mapped. */
static uint32_t
narrowest(struct search *s, uint32_t v)
{
	uint32_t best = MOORE_NONE, least = MOORE_NONE;

	visit(s, moore_adjacency_degree(s->part, v));
	for (uint32_t k = s->part->xadj[v]; k < s->part->xadj[v + 1]; k++) {
		uint32_t w = s->image[s->part->adj[k]];

		if (w != MOORE_NONE && moore_adjacency_degree(s->whole, w) < least) {
			least = moore_adjacency_degree(s->whole, w);
			best = w;
		}
	}
	return best;
}

/* Whether x may be the image of v as far as counts tell. */
static bool
is_possible(const struct search *s, uint32_t v, uint32_t x)
{
	return s->origin[x] == MOORE_NONE && s->near[x] >= s->placed[v] &&
		moore_adjacency_degree(s->whole, x) >= moore_adjacency_degree(s->part, v);
}

/* Whether x is linked to the images of all mapped neighbours of v. */
static bool
fits(struct search *s, uint32_t v, uint32_t x)
{
	visit(s, moore_adjacency_degree(s->part, v));
	for (uint32_t k = s->part->xadj[v]; k < s->part->xadj[v + 1]; k++) {
		uint32_t w = s->image[s->part->adj[k]];

		if (w != MOORE_NONE && !is_linked(s->whole, w, x))
			return false;
	}
	return true;
}

static int
by_spare(const void *a, const void *b)
{
	const struct cand *x = a, *y = b;

	if (x->spare != y->spare)
		return x->spare < y->spare ? -1 : 1;
	return x->v < y->v ? -1 : x->v > y->v;
}

static bool
add_candidate(struct search *s, uint32_t i, uint32_t x)
{
	const uint32_t v = s->order[i];
	struct cand *c;

	if (!is_possible(s, v, x))
		return true;
	if (!(c = moore_grow(s->cand, s->level[i].end, &s->cap, sizeof(*c))))
		return false;
	s->cand = c;
	s->cand[s->level[i].end++] = (struct cand){ x, s->near[x] - s->placed[v] };
	return true;
}

/* Lists the possible images of level i's vertex.  False when out of memory. */
static bool
list_candidates(struct search *s, uint32_t i)
{
	const struct moore_adjacency *g = s->whole;
	struct level *l = &s->level[i];
	uint32_t w = narrowest(s, s->order[i]);

	l->first = l->end = i ? s->level[i - 1].end : 0;
	l->n_blamed = 0;
	if (!i)
		return add_candidate(s, i, s->root);
	visit(s, w == MOORE_NONE ? g->n : moore_adjacency_degree(g, w));
	if (w == MOORE_NONE) {
		for (uint32_t x = 0; x < g->n; x++)
			if (!add_candidate(s, i, x))
				return false;
	} else {
		for (uint32_t k = g->xadj[w]; k < g->xadj[w + 1]; k++)
			if (!add_candidate(s, i, g->adj[k]))
				return false;
	}
	qsort(s->cand + l->first, l->end - l->first, sizeof(*s->cand), by_spare);
	return true;
}

/* ---- which levels to blame ----------------------------------------------------------- */

static void
blame(struct level *l, uint32_t earlier)
{
	uint32_t i = 0;

	while (i < l->n_blamed && l->blamed[i] > earlier)
		i++;
	if (i == MAX_BLAMED || (i < l->n_blamed && l->blamed[i] == earlier))
		return;
	l->n_blamed += l->n_blamed < MAX_BLAMED;
	memmove(&l->blamed[i + 1], &l->blamed[i], (l->n_blamed - i - 1) * sizeof(*l->blamed));
	l->blamed[i] = earlier;
}

/* The earliest level that rules out x as the image of v; MOORE_NONE: none does. */
static uint32_t
culprit(struct search *s, uint32_t v, uint32_t x)
{
	uint32_t first = s->origin[x] == MOORE_NONE ? MOORE_NONE : s->rank[s->origin[x]];

	visit(s, moore_adjacency_degree(s->part, v));
	for (uint32_t k = s->part->xadj[v]; k < s->part->xadj[v + 1]; k++) {
		uint32_t w = s->part->adj[k];

		if (s->image[w] != MOORE_NONE && s->rank[w] < first &&
		    !is_linked(s->whole, s->image[w], x))
			first = s->rank[w];
	}
	return first;
}

/* Makes level i blame the earlier levels that rule out images of v. */
static void
explain(struct search *s, uint32_t i, uint32_t v)
{
	const struct moore_adjacency *g = s->whole;
	struct level *l = &s->level[i];
	uint32_t w = narrowest(s, v);

	if (w == MOORE_NONE) {
		blame(l, i - 1);
		return;
	}
	if (s->rank[s->origin[w]] < i)
		blame(l, s->rank[s->origin[w]]);
	for (uint32_t k = g->xadj[w]; k < g->xadj[w + 1]; k++) {
		uint32_t c = culprit(s, v, g->adj[k]);

		if (c < i)
			blame(l, c);
	}
}

/* ---- the search ----------------------------------------------------------------------- */

/* Makes x the image of level i's vertex, or takes that back. */
static void
assign(struct search *s, uint32_t i, uint32_t x, bool back)
{
	const struct moore_adjacency *p = s->part, *g = s->whole;
	const uint32_t v = s->order[i], by = back ? UINT32_MAX : 1;	/* minus one, or one */
	const uint64_t spare = s->near[x] - s->placed[v];

	visit(s, moore_adjacency_degree(g, x) + moore_adjacency_degree(p, v));
	s->image[v] = back ? MOORE_NONE : x;
	s->origin[x] = back ? MOORE_NONE : v;
	s->spare = back ? s->spare - spare : s->spare + spare;
	for (uint32_t k = p->xadj[v]; k < p->xadj[v + 1]; k++)
		s->placed[p->adj[k]] += by;
	for (uint32_t k = g->xadj[x]; k < g->xadj[x + 1]; k++)
		s->near[g->adj[k]] += by;
}

static bool
has_possible_image(struct search *s, uint32_t v)
{
	const struct moore_adjacency *g = s->whole;
	uint32_t w = narrowest(s, v);

	for (uint32_t k = g->xadj[w]; k < g->xadj[w + 1]; k++) {
		visit(s, 1);
		if (is_possible(s, v, g->adj[k]))
			return true;
	}
	return false;
}

/* Whether every neighbour of level i's vertex still has a possible image. */
static bool
check_neighbours(struct search *s, uint32_t i)
{
	const struct moore_adjacency *g = s->part;
	const uint32_t v = s->order[i];

	for (uint32_t k = g->xadj[v]; k < g->xadj[v + 1]; k++)
		if (s->image[g->adj[k]] == MOORE_NONE && !has_possible_image(s, g->adj[k])) {
			explain(s, i, g->adj[k]);
			return false;
		}
	return true;
}

/* Maps level i's vertex to the next candidate that fits; false when none is left. */
static bool
advance(struct search *s, uint32_t i)
{
	struct level *l = &s->level[i];

	while (l->first < l->end) {
		const struct cand c = s->cand[l->first++];

		if (c.spare > s->max_spare - s->spare || !fits(s, s->order[i], c.v))
			continue;
		assign(s, i, c.v, false);
		if (check_neighbours(s, i))
			return true;
		assign(s, i, c.v, true);
	}
	return false;
}

/* Goes back from level *i, which has no candidate left, to the latest level to blame.
 * Returns false when there is none. */
static bool
go_back(struct search *s, uint32_t *i)
{
	struct level *l = &s->level[*i];
	uint32_t to;

	if (!*i)
		return false;
	explain(s, *i, s->order[*i]);
	if (!l->n_blamed)
		return false;
	to = l->blamed[0];
	for (uint32_t k = 1; k < l->n_blamed; k++)
		blame(&s->level[to], l->blamed[k]);
	while (*i > to) {
		--*i;
		assign(s, *i, s->image[s->order[*i]], true);
	}
	return true;
}

static int
search(struct search *s)
{
	uint32_t i = 0;

	if (!list_candidates(s, 0))
		return -MOORE_ENOMEM;
	while (i < s->part->n) {
		if (!s->left)
			return 0;
		if (advance(s, i)) {
			if (++i < s->part->n && !list_candidates(s, i))
				return -MOORE_ENOMEM;
		} else if (!go_back(s, &i)) {
			return 0;
		}
	}
	return 1;
}

/* ---- one attempt ---------------------------------------------------------------------- */

static uint32_t
max_degree(const struct moore_adjacency *g)
{
	uint32_t most = 0;

	for (uint32_t v = 0; v < g->n; v++)
		most = moore_adjacency_degree(g, v) > most ? moore_adjacency_degree(g, v) : most;
	return most;
}

/* Picks one of the vertices of at least that degree: the first for i = 0, then others, spread
 * over all of them by the golden ratio.  MOORE_NONE when there is no such vertex. */
static uint32_t
pick(const struct moore_adjacency *g, uint32_t least, uint32_t i)
{
	uint32_t n = 0, k;

	for (uint32_t v = 0; v < g->n; v++)
		n += moore_adjacency_degree(g, v) >= least;
	k = (uint32_t)((uint64_t)(i * 2654435769u) * n >> 32);
	for (uint32_t v = 0; v < g->n; v++)
		if (moore_adjacency_degree(g, v) >= least && k-- == 0)
			return v;
	return MOORE_NONE;
}

static bool
alloc_search(struct search *s, struct moore_arena *tmp)
{
	const size_t n = (size_t)s->part->n + 1, m = (size_t)s->whole->n + 1;

	s->order = moore_arena_alloc(tmp, n, sizeof(*s->order));
	s->rank = moore_arena_alloc(tmp, n, sizeof(*s->rank));
	s->level = moore_arena_alloc(tmp, n, sizeof(*s->level));
	s->placed = moore_arena_alloc(tmp, n, sizeof(*s->placed));
	s->origin = moore_arena_alloc(tmp, m, sizeof(*s->origin));
	s->near = moore_arena_alloc(tmp, m, sizeof(*s->near));
	if (!s->order || !s->rank || !s->level || !s->placed || !s->origin || !s->near)
		return false;
	memset(s->image, 0xff, s->part->n * sizeof(*s->image));
	memset(s->origin, 0xff, m * sizeof(*s->origin));
	return true;
}

int
moore_topo_embed(const struct moore_adjacency *part, const struct moore_adjacency *whole,
		 uint32_t attempt, uint64_t *effort, uint32_t *image)
{
	const uint32_t most = max_degree(part), start = pick(part, most, attempt);
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct search s = { .part = part, .whole = whole, .image = image, .left = *effort,
		.root = pick(whole, most, attempt) };
	int rc;

	if (s.root == MOORE_NONE || whole->xadj[whole->n] < part->xadj[part->n])
		return 0;
	s.max_spare = (whole->xadj[whole->n] - part->xadj[part->n]) / 2;
	if (!alloc_search(&s, &tmp) ||
	    !moore_topo_embed_order(part, start, s.order, s.rank, &tmp))
		rc = -MOORE_ENOMEM;
	else
		rc = search(&s);
	*effort = s.left;
	free(s.cand);
	moore_arena_free(&tmp);
	return rc;
}

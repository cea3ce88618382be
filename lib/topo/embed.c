// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* embed.c - finds a graph inside a larger one: a map of its vertices, no two to the same,
 * that takes each link to a link.
 *
 * The vertices are mapped in a fixed sequence (embed_order.c, embed_cells.c).  An image must be linked
 * to the images of all mapped neighbours, and its other neighbours must suffice for those that are not
 * mapped.  It must not be farther from the image of a landmark than the vertex is from the
 * landmark.  Each link to another image, and each landmark that is nearer, may come from something that
 * the part lacks, so the images with the fewest of these are tried first.  Of several with the same
 * neighbours one is tried.
 *
 * After each choice, every neighbour that is not mapped yet must still have a possible image (forward
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
#include "topo/twins.h"

/* The greatest number of levels that one level blames.  When there are more, the earliest are
 * forgotten, and after the others each earlier level is tried again. */
#define MAX_BLAMED 512

/* So many vertices, the first of the sequence, are landmarks. */
#define N_LANDMARKS 16
/* Looking at so many vertices takes as long as a visit to a link. */
#define VERTICES_OF_VISIT 16

struct search {
	const struct moore_adjacency *part, *whole;
	struct moore_view *view[2];	/* of the part and of the whole */
	const uint8_t *far[N_LANDMARKS];	/* by level: distances in the part from its vertex, */
	const uint8_t *mark[N_LANDMARKS];	/* and in the whole from its image; NULL: not known */
	uint32_t n_marks;	/* levels that have an image, up to N_LANDMARKS */
	uint32_t *order;	/* the part's vertices in the sequence; its index is the level */
	uint32_t *rank;		/* by vertex of the part: its level */
	uint32_t *image;	/* by vertex of the part; MOORE_NONE: not mapped */
	uint32_t *origin;	/* by vertex of the whole; MOORE_NONE: not an image */
	uint32_t *placed;	/* by vertex of the part: neighbours that are mapped */
	uint32_t *near;		/* by vertex of the whole: neighbours that are images */
	struct level {
		uint32_t first, end;	/* candidates not tried yet: cand[first..end-1] */
		uint32_t *blamed, n_blamed, cap;	/* levels that ruled out images, latest first */
		bool forgot;	/* some that should be in blamed[] */
		bool oom;	/* memory ran out for blamed[] */
		uint32_t spare;	/* links of its image to earlier ones, without an original */
	} *level;
	struct cand {
		uint32_t v;
		uint32_t spare;	/* links to images that have no original in the part */
		uint32_t nearer;	/* landmarks to which it is nearer than the vertex */
	} *cand;
	uint32_t cap;
	uint64_t left;		/* of the effort */
	uint64_t spare, max_spare;	/* links between images without an original */
	uint32_t root;		/* the image of order[0] */
	uint32_t *twin;		/* by vertex of the whole: the first of those with the same neighbours */
	uint32_t *tried;	/* by first twin: the level after the one that lists it, where one is
				 * listed */
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

/* Whether the neighbours of x that are not images suffice for those of v that are not mapped, and for
 * `besides` links of x that v does not have. */
static bool
has_room(const struct search *s, uint32_t v, uint32_t x, uint32_t besides)
{
	return moore_adjacency_degree(s->whole, x) - s->near[x] >=
		moore_adjacency_degree(s->part, v) - s->placed[v] + besides;
}

/* Whether x may be the image of v as far as counts tell. */
static bool
is_possible(const struct search *s, uint32_t v, uint32_t x)
{
	return s->origin[x] == MOORE_NONE && s->near[x] >= s->placed[v] && has_room(s, v, x, 0);
}

/* The first landmark from whose image x is farther than v from the landmark; MOORE_NONE: none is. */
static uint32_t
too_far(struct search *s, uint32_t v, uint32_t x)
{
	visit(s, 1);
	for (uint32_t k = 0; k < s->n_marks; k++)
		if (s->far[k] && s->mark[k] && s->mark[k][x] > s->far[k][v])
			return k;
	return MOORE_NONE;
}

/* The number of landmarks from which v is farther than x from their images. */
static uint32_t
n_nearer(const struct search *s, uint32_t v, uint32_t x)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < s->n_marks; k++)
		n += s->far[k] && s->mark[k] && s->mark[k][x] < s->far[k][v];
	return n;
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

	if (x->spare + x->nearer != y->spare + y->nearer)
		return x->spare + x->nearer < y->spare + y->nearer ? -1 : 1;
	return x->v < y->v ? -1 : x->v > y->v;
}

static bool
add_candidate(struct search *s, uint32_t i, uint32_t x)
{
	const uint32_t v = s->order[i];
	struct cand *c;

	if (!is_possible(s, v, x) || s->tried[s->twin[x]] == i + 1 || too_far(s, v, x) != MOORE_NONE)
		return true;
	s->tried[s->twin[x]] = i + 1;
	if (!(c = moore_grow(s->cand, s->level[i].end, &s->cap, sizeof(*c))))
		return false;
	s->cand = c;
	s->cand[s->level[i].end++] = (struct cand){ x, s->near[x] - s->placed[v], n_nearer(s, v, x) };
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
	l->forgot = false;
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
	for (uint32_t k = l->first; k < l->end; k++)
		s->tried[s->twin[s->cand[k].v]] = 0;
	return true;
}

/* ---- which levels to blame ----------------------------------------------------------- */

static void
blame(struct level *l, uint32_t earlier)
{
	uint32_t i = 0, *grown;

	while (i < l->n_blamed && l->blamed[i] > earlier)
		i++;
	if (i < l->n_blamed && l->blamed[i] == earlier)
		return;
	if (l->n_blamed < MAX_BLAMED) {
		grown = moore_grow(l->blamed, l->n_blamed, &l->cap, sizeof(*grown));
		l->oom |= !grown;
		if (!grown)
			return;
		l->blamed = grown;
		l->n_blamed++;
	} else {
		l->forgot = true;
		if (i == MAX_BLAMED)
			return;
	}
	memmove(&l->blamed[i + 1], &l->blamed[i], (l->n_blamed - i - 1) * sizeof(*l->blamed));
	l->blamed[i] = earlier;
}

/* The earliest level that rules out x as the image of v; MOORE_NONE: none does. */
static uint32_t
culprit(struct search *s, uint32_t v, uint32_t x)
{
	uint32_t first = s->origin[x] == MOORE_NONE ? MOORE_NONE : s->rank[s->origin[x]];
	const uint32_t mark = too_far(s, v, x);

	if (mark < first)
		first = mark;
	visit(s, moore_adjacency_degree(s->part, v));
	for (uint32_t k = s->part->xadj[v]; k < s->part->xadj[v + 1]; k++) {
		uint32_t w = s->part->adj[k];

		if (s->image[w] != MOORE_NONE && s->rank[w] < first &&
		    !is_linked(s->whole, s->image[w], x))
			first = s->rank[w];
	}
	return first;
}

static bool
is_near(const struct moore_adjacency *g, uint32_t v, uint32_t w)
{
	for (uint32_t k = g->xadj[v]; k < g->xadj[v + 1]; k++)
		if (g->adj[k] == w)
			return true;
	return false;
}

/* Makes level i blame those before it whose images are linked to x, though their vertices are not linked
 * to v. */
static void
blame_spare(struct search *s, uint32_t i, uint32_t v, uint32_t x)
{
	const struct moore_adjacency *g = s->whole;

	visit(s, moore_adjacency_degree(g, x));
	for (uint32_t k = g->xadj[x]; k < g->xadj[x + 1]; k++) {
		const uint32_t u = s->origin[g->adj[k]];

		if (u != MOORE_NONE && s->rank[u] < i && !is_near(s->part, v, u))
			blame(&s->level[i], s->rank[u]);
	}
}

/* Makes level i blame those before it that used up the links that the part may lack. */
static void
blame_all_spare(struct search *s, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (s->level[k].spare) {
			blame(&s->level[i], k);
			blame_spare(s, i, s->order[k], s->image[s->order[k]]);
		}
}

/* The same where x has no room for the neighbours of v, or would take the last room of an image that
 * it is linked to. */
static void
blame_crowd(struct search *s, uint32_t i, uint32_t v, uint32_t x)
{
	const struct moore_adjacency *g = s->whole;

	if (!has_room(s, v, x, 0))
		blame_spare(s, i, v, x);
	for (uint32_t k = g->xadj[x]; k < g->xadj[x + 1]; k++) {
		const uint32_t y = g->adj[k], u = s->origin[y];

		if (u == MOORE_NONE || s->rank[u] >= i || has_room(s, u, y, 1) || is_near(s->part, v, u))
			continue;
		blame(&s->level[i], s->rank[u]);
		blame_spare(s, i, u, y);
	}
}

/* Makes level i blame the earlier levels that rule out images of v. */
static void
explain(struct search *s, uint32_t i, uint32_t v)
{
	const struct moore_adjacency *g = s->whole;
	struct level *l = &s->level[i];
	uint32_t w = narrowest(s, v);
	bool all = false;

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
		else if (c == MOORE_NONE) {
			blame_crowd(s, i, v, g->adj[k]);
			all |= s->near[g->adj[k]] - s->placed[v] > s->max_spare - s->spare;
		}
	}
	if (all)
		blame_all_spare(s, i);
}

/* ---- the search ----------------------------------------------------------------------- */

static void
set_mark(struct search *s, uint32_t i, uint32_t x, bool back)
{
	s->n_marks = back ? i : i + 1;
	if (back)
		return;
	s->far[i] = moore_view_from(s->view[0], s->order[i]);
	s->mark[i] = moore_view_from(s->view[1], x);
}

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
	s->level[i].spare = back ? 0 : (uint32_t)spare;
	if (i < N_LANDMARKS)
		set_mark(s, i, x, back);
	for (uint32_t k = p->xadj[v]; k < p->xadj[v + 1]; k++)
		s->placed[p->adj[k]] += by;
	for (uint32_t k = g->xadj[x]; k < g->xadj[x + 1]; k++)
		s->near[g->adj[k]] += by;
}

/* Whether the images that x is linked to still have room for the neighbours of their originals. */
static bool
leaves_room(struct search *s, uint32_t x)
{
	const struct moore_adjacency *g = s->whole;

	visit(s, moore_adjacency_degree(g, x));
	for (uint32_t k = g->xadj[x]; k < g->xadj[x + 1]; k++) {
		const uint32_t y = g->adj[k];

		if (s->origin[y] != MOORE_NONE && !has_room(s, s->origin[y], y, 0))
			return false;
	}
	return true;
}

static bool
has_possible_image(struct search *s, uint32_t v)
{
	const struct moore_adjacency *g = s->whole;
	uint32_t w = narrowest(s, v);

	for (uint32_t k = g->xadj[w]; k < g->xadj[w + 1]; k++) {
		visit(s, 1);
		if (is_possible(s, v, g->adj[k]) && too_far(s, v, g->adj[k]) == MOORE_NONE)
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
		if (leaves_room(s, c.v) && check_neighbours(s, i))
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
	if (!l->n_blamed && !l->forgot)
		return false;
	to = l->n_blamed ? l->blamed[0] : *i - 1;
	s->level[to].forgot |= l->forgot;
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

/* The greatest number of links between images without an original: a vertex that is no image takes
 * its own links away, and two of them may share one. */
static uint64_t
most_spare(const struct moore_adjacency *part, const struct moore_adjacency *whole)
{
	const uint64_t missing = (whole->xadj[whole->n] - part->xadj[part->n]) / 2;
	const uint64_t lost = whole->n - part->n;
	uint64_t taken = 0, least = UINT32_MAX;

	for (uint32_t v = 0; v < whole->n; v++)
		least = moore_adjacency_degree(whole, v) < least ? moore_adjacency_degree(whole, v) : least;
	taken = lost * least < lost * (lost - (lost > 0)) / 2 ? 0 :
		lost * least - lost * (lost - (lost > 0)) / 2;
	return taken < missing ? missing - taken : 0;
}

/* Fills twin[]. */
static bool
find_twins(struct search *s, struct moore_arena *tmp)
{
	const uint32_t n = s->whole->n;
	uint32_t *colour = moore_arena_alloc(tmp, (size_t)n + 1, sizeof(*colour));
	struct moore_twins t;

	if (!colour || !moore_twins_merge(&t, s->whole, colour, tmp))
		return false;
	for (uint32_t c = 0; c < t.g.n; c++)
		for (uint32_t v = t.first[c]; v != MOORE_NONE; v = t.next[v])
			s->twin[v] = t.first[c];
	return true;
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
	s->twin = moore_arena_alloc(tmp, m, sizeof(*s->twin));
	s->tried = moore_arena_alloc(tmp, m, sizeof(*s->tried));
	if (!s->order || !s->rank || !s->level || !s->placed || !s->origin || !s->near || !s->twin ||
	    !s->tried || !find_twins(s, tmp))
		return false;
	memset(s->image, 0xff, s->part->n * sizeof(*s->image));
	memset(s->origin, 0xff, m * sizeof(*s->origin));
	return true;
}

static bool
find_order(struct search *s, uint32_t start, bool by_cells, struct moore_arena *tmp)
{
	if (!by_cells)
		return moore_topo_embed_order(s->part, start, s->order, s->rank, tmp);
	visit(s, (uint32_t)((uint64_t)s->part->n * s->part->n / VERTICES_OF_VISIT));
	return moore_topo_embed_cells(s->view[0], start, N_LANDMARKS, s->order, s->rank, tmp);
}

int
moore_topo_embed(struct moore_view *of_part, struct moore_view *of_whole, const struct moore_root *root,
		 bool by_cells, uint64_t *effort, uint32_t *image)
{
	const struct moore_adjacency *part = of_part->g, *whole = of_whole->g;
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct search s = { .part = part, .whole = whole, .view = { of_part, of_whole }, .image = image,
		.left = *effort, .root = root->image };
	int rc;

	if (whole->xadj[whole->n] < part->xadj[part->n])
		return 0;
	s.max_spare = most_spare(part, whole);
	if (!alloc_search(&s, &tmp) || !find_order(&s, root->start, by_cells, &tmp))
		rc = -MOORE_ENOMEM;
	else
		rc = search(&s);
	if (of_part->oom || of_whole->oom)
		rc = -MOORE_ENOMEM;
	*effort = s.left;
	for (uint32_t i = 0; s.level && i < part->n; i++) {
		rc = s.level[i].oom ? -MOORE_ENOMEM : rc;
		free(s.level[i].blamed);
	}
	free(s.cand);
	moore_arena_free(&tmp);
	return rc;
}

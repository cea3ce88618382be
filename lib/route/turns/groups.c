// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* groups.c - finds groups of switches: those of a Dragonfly and of graphs like it.
 *
 * A group that is a full mesh is found by its links: the two ends of each have all others of the
 * group for their common neighbours, and no more.  Links between groups can form full meshes as
 * well, of which a switch may be in several.  So a switch that is in one only comes first; its
 * group is set apart, and with it go all others that it has a switch of.
 *
 * Other groups are found by how many common neighbours the two ends of a link have: many inside a
 * group, few or none between two.  Links with at least so many are taken, for any number, and
 * what they connect are groups if all are of one size.
 *
 * No two groups may have as many links to each other as switches.  That keeps out products of two
 * graphs (HyperX, tori, BundleFly, Slim Fly), where groups are joined switch by switch: there a
 * shortest route can change its group at first, at last, or in between.  It keeps out the rows of a
 * group that is a grid as well. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sorted.h"
#include "route/turns/groups.h"

#define LEAST_GROUPS 3
#define LEAST_SIZE 3

struct finder {
	const struct moore_rgraph *g;
	uint32_t n;		/* planned nodes; they come first */
	uint32_t *common;	/* by edge: common neighbours of its ends */
	uint32_t *of;		/* by node: its group */
	uint32_t *queue, *count;	/* by node: scratch */
};

static bool
are_adjacent(const struct moore_rgraph *g, uint32_t s, uint32_t t)
{
	uint32_t end = g->xadj[s + 1], e = moore_sorted_find(g->to, g->xadj[s], end, t);

	return e < end && moore_rgraph_is_planned(g, e);
}

/* ---- full meshes ------------------------------------------------------------------------ */

/* Fills queue[] with s, the head of its edge e, and their common neighbours without a group.
 * Returns whether these are `size` switches, each adjacent to all others. */
static bool
list_mesh(struct finder *f, uint32_t s, uint32_t e, uint32_t size)
{
	const struct moore_rgraph *g = f->g;
	uint32_t *list = f->queue, n = 2;

	list[0] = s;
	list[1] = g->to[e];
	for (uint32_t k = g->xadj[s]; k < g->xadj[s + 1]; k++)
		if (moore_rgraph_is_planned(g, k) && f->of[g->to[k]] == MOORE_NONE &&
		    are_adjacent(g, list[1], g->to[k])) {
			if (n == size)
				return false;
			list[n++] = g->to[k];
		}
	for (uint32_t i = 2; n == size && i < n; i++)
		for (uint32_t k = i + 1; k < n; k++)
			if (!are_adjacent(g, list[i], list[k]))
				return false;
	return n == size;
}

/* The edge that names the only full mesh of that size around s; MOORE_NONE when there are
 * several or none.  count[] is scratch. */
static uint32_t
only_mesh(struct finder *f, uint32_t s, uint32_t size)
{
	const struct moore_rgraph *g = f->g;
	uint32_t only = MOORE_NONE;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		if (!moore_rgraph_is_planned(g, e) || f->of[g->to[e]] != MOORE_NONE || f->count[g->to[e]] == s + 1 ||
		    !list_mesh(f, s, e, size))
			continue;
		if (only != MOORE_NONE)
			return MOORE_NONE;
		only = e;
		for (uint32_t i = 0; i < size; i++)
			f->count[f->queue[i]] = s + 1;
	}
	return only;
}

/* Returns the number of groups; 0 when not all switches are in full meshes of that size. */
static uint32_t
try_meshes(struct finder *f, uint32_t size)
{
	uint32_t n_groups = 0, before;

	if (f->n % size)
		return 0;
	memset(f->of, 0xff, f->g->n * sizeof(*f->of));
	do {
		before = n_groups;
		memset(f->count, 0, f->g->n * sizeof(*f->count));
		for (uint32_t s = 0; s < f->n; s++) {
			uint32_t e = f->of[s] == MOORE_NONE ? only_mesh(f, s, size) : MOORE_NONE;

			if (e == MOORE_NONE)
				continue;
			list_mesh(f, s, e, size);
			for (uint32_t i = 0; i < size; i++)
				f->of[f->queue[i]] = n_groups;
			n_groups++;
		}
	} while (n_groups > before);
	return n_groups == f->n / size ? n_groups : 0;
}

/* ---- others ----------------------------------------------------------------------------- */

/* Marks the nodes that links of at least that many common neighbours join to s.  Returns how many
 * these are. */
static uint32_t
mark_part(struct finder *f, uint32_t s, uint32_t group, uint32_t least)
{
	const struct moore_rgraph *g = f->g;
	uint32_t n = 1;

	f->of[s] = group;
	f->queue[0] = s;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t e = g->xadj[f->queue[i]]; e < g->xadj[f->queue[i] + 1]; e++)
			if (moore_rgraph_is_planned(g, e) && f->common[e] >= least && f->of[g->to[e]] == MOORE_NONE) {
				f->of[g->to[e]] = group;
				f->queue[n++] = g->to[e];
			}
	return n;
}

/* Returns the number of groups whose links have at least that many common neighbours; 0 when they
 * are not of one size. */
static uint32_t
try_parts(struct finder *f, uint32_t least)
{
	uint32_t n_groups = 0, size = 0;

	memset(f->of, 0xff, f->g->n * sizeof(*f->of));
	for (uint32_t s = 0; s < f->n; s++) {
		uint32_t n;

		if (f->of[s] != MOORE_NONE)
			continue;
		n = mark_part(f, s, n_groups++, least);
		if (size && n != size)
			return 0;
		size = n;
	}
	return n_groups;
}

/* ---- all -------------------------------------------------------------------------------- */

/* Whether two of the groups have as many links to each other as switches. */
static bool
are_matched(struct finder *f, uint32_t n_groups, uint32_t size)
{
	const struct moore_rgraph *g = f->g;
	uint32_t *node = f->queue, *begin = f->count + n_groups;

	memset(f->count, 0, 2 * (size_t)n_groups * sizeof(*f->count));
	for (uint32_t s = 0; s < f->n; s++)
		node[f->of[s] * size + begin[f->of[s]]++] = s;
	for (uint32_t i = 0; i < n_groups; i++) {
		memset(f->count, 0, n_groups * sizeof(*f->count));
		for (uint32_t k = 0; k < size; k++)
			for (uint32_t s = node[i * size + k], e = g->xadj[s]; e < g->xadj[s + 1]; e++)
				if (moore_rgraph_is_planned(g, e) && f->of[g->to[e]] != i &&
				    ++f->count[f->of[g->to[e]]] >= size)
					return true;
	}
	return false;
}

/* Returns n_groups if these are groups, else 0. */
static uint32_t
accept(struct finder *f, uint32_t n_groups)
{
	uint32_t size = n_groups ? f->n / n_groups : 0;

	return size >= LEAST_SIZE && n_groups >= LEAST_GROUPS && !are_matched(f, n_groups, size) ?
		n_groups : 0;
}

/* How many planned neighbours of t are marked. */
static uint32_t
count_marked(const struct moore_rgraph *g, uint32_t t, const uint32_t *marks, uint32_t mark)
{
	uint32_t n = 0;

	for (uint32_t e = g->xadj[t]; e < g->xadj[t + 1]; e++)
		n += moore_rgraph_is_planned(g, e) && marks[g->to[e]] == mark;
	return n;
}

/* Sets common[] of each planned edge.  Returns the greatest.  count[] is 0 before. */
static uint32_t
weigh_edges(struct finder *f)
{
	const struct moore_rgraph *g = f->g;
	uint32_t most = 0;

	for (uint32_t s = 0; s < f->n; s++) {
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (moore_rgraph_is_planned(g, e))
				f->count[g->to[e]] = s + 1;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			if (g->to[e] > s)	/* the other end has as many */
				f->common[e] = f->common[g->rev[e]] = moore_rgraph_is_planned(g, e) ?
					count_marked(g, g->to[e], f->count, s + 1) : 0;
			most = f->common[e] > most ? f->common[e] : most;
		}
	}
	return most;
}

int
moore_rgroups_find(struct moore_rgroups *s, const struct moore_rgraph *g)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	size_t n = (size_t)g->n + 1;
	struct finder f = { .g = g, .n = moore_rgraph_n_intended(g) };
	uint32_t most;
	int rc = 0;

	*s = (struct moore_rgroups){ .of = malloc(n * sizeof(*s->of)) };
	f.of = s->of;
	f.common = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1, sizeof(*f.common));
	f.queue = moore_arena_alloc(&tmp, n, sizeof(*f.queue));
	f.count = moore_arena_alloc(&tmp, 2 * n, sizeof(*f.count));
	if (!s->of || !f.common || !f.queue || !f.count) {
		rc = -MOORE_ENOMEM;
		goto out;
	}
	most = weigh_edges(&f);
	for (uint32_t size = most + 2; !s->n && size >= LEAST_SIZE; size--)
		s->n = accept(&f, try_meshes(&f, size));
	for (uint32_t least = 1; !s->n && least <= most; least++)
		s->n = accept(&f, try_parts(&f, least));
out:
	moore_arena_free(&tmp);
	return rc;
}

void
moore_rgroups_fini(struct moore_rgroups *s)
{
	free(s->of);
	*s = (struct moore_rgroups){ 0 };
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint_plan.c - through which neighbour of its root each layer of sl-hint goes, and which
 * sense of detours each pair may have: before any tree is grown.
 *
 * A detour of pattern dud (down, up, down) has one up-down turn.  Its *sense* is whether that
 * turn ends at a greater switch than it began at, or at a lesser one.
 *
 * Neighbours are chosen tree after tree, each the cheapest for what a tree through it would
 * add to the loads of second and last hops, in rounds until no choice changes. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "route/hint/hint_tree.h"
#include "route/tuning.h"

/* Of the detours of pattern dud that a pair keeps to. */
enum sense { NONE, LESSER, GREATER };

struct planner {
	struct moore_rhint *h;
	const struct moore_rview *v;
	uint32_t *load;		/* by edge: of second and last hops of all trees so far */
	struct powers {		/* by node: sums over the loads of all edges to it */
		uint64_t first, square, cube;
	} *powers;
	uint8_t *sense;		/* [root * n + s]: enum sense */
	/* By edge root -> r: nodes that a tree through r would serve, and the neighbours of r
	 * that they would come over. */
	uint32_t *n_nodes, *n_before;
	/* By node, of each worker: root + 1 for the root and its neighbours; detours of each sense to
	 * the root; how many neighbours of r have it for a neighbour. */
	uint32_t *near, *n_dud[2], *beyond;
};

static bool
is_far(const struct planner *p, uint32_t s, uint32_t root)
{
	return p->near[s] != root + 1;
}

static bool
may_be_last(const struct planner *p, uint32_t e)
{
	return p->v->g->flags[e] & p->v->flag && moore_rview_transit(p->v, p->v->g->to[e]);
}

static void
mark_near(struct planner *p, uint32_t root)
{
	const struct moore_rgraph *g = p->v->g;

	p->near[root] = root + 1;
	for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++)
		if (g->flags[e] & p->v->flag)
			p->near[g->to[e]] = root + 1;
}

/* Counts the routes of pattern dud to root over r; those of its neighbours, too. */
static void
count_dud(struct planner *p, uint32_t root, uint32_t r)
{
	const struct moore_rgraph *g = p->v->g;
	const uint32_t *pos = p->v->turns->pos;

	if (pos[r] > pos[root])
		return;
	for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++) {
		uint32_t a = g->to[e], *n = p->n_dud[pos[root] < pos[a]];

		if (!is_far(p, a, root) || pos[a] < pos[r] || !(g->flags[e] & p->v->flag))
			continue;
		for (uint32_t k = g->xadj[a]; k < g->xadj[a + 1]; k++)
			n[g->to[k]] += pos[g->to[k]] < pos[a] && g->flags[k] & p->v->flag;
	}
}

/* Fills sense[] of the detours to root: that of most. */
static void
choose_senses(struct planner *p, uint32_t root)
{
	const struct moore_rgraph *g = p->v->g;
	uint32_t *lesser = p->n_dud[0], *greater = p->n_dud[1];
	uint8_t *sense = p->sense + (size_t)root * g->n;

	memset(lesser, 0, g->n * sizeof(*lesser));
	memset(greater, 0, g->n * sizeof(*greater));
	for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++)
		if (g->flags[e] & p->v->flag)
			count_dud(p, root, g->to[e]);
	for (uint32_t s = 0; s < g->n; s++)
		sense[s] = !is_far(p, s, root) || !(greater[s] | lesser[s]) ? NONE :
			greater[s] >= lesser[s] ? GREATER : LESSER;
}

/* Notes in met[] of s one dud of the sense that each pair keeps to, and one udu the other way,
 * as if such routes existed; so detours of the other sense are not admitted. */
static void
note_job(void *arg, unsigned worker, size_t s)
{
	static const uint16_t dud[] = { [GREATER] = 1u << (OK_B | OK_D), [LESSER] = 1u << (OK_C | OK_D) };
	static const uint16_t udu[] = { [GREATER] = 1u << (OK_B | OK_A), [LESSER] = 1u << (OK_C | OK_A) };
	const struct planner *p = arg;
	size_t n = p->v->g->n;

	(void)worker;
	for (size_t d = 0; d < n; d++)
		p->h->met_planned[s * n + d] = p->h->met_up[s * n + d] =
			dud[p->sense[d * n + s]] | udu[p->sense[s * n + d]];
}

/* Fills n_minimal[] of a root. */
static void
count_minimal(const struct planner *p, uint32_t root)
{
	const struct moore_rgraph *g = p->v->g;
	uint8_t *n_minimal = p->h->n_minimal + (size_t)root * g->n, flag = p->v->flag;

	for (uint32_t o = g->xadj[root]; o < g->xadj[root + 1]; o++)
		for (uint32_t x = g->to[o], e = g->xadj[x]; e < g->xadj[x + 1]; e++) {
			uint8_t *n = &n_minimal[g->to[e]];

			*n = (uint8_t)(*n + (*n < 2 && g->flags[o] & g->flags[g->rev[e]] & flag));
		}
}

/* Adds by to beyond[] of the neighbours of a; returns how many of these had `was` before. */
static uint32_t
step_beyond(struct planner *p, uint32_t a, uint32_t by, uint32_t was)
{
	const struct moore_rgraph *g = p->v->g;
	uint32_t n = 0;

	for (uint32_t i = g->xadj[a]; i < g->xadj[a + 1]; i++) {
		n += p->beyond[g->to[i]] == was;
		p->beyond[g->to[i]] += by;
	}
	return n;
}

/* Fills n_nodes[e] and n_before[e] of edge e, root -> r: `all` nodes are beyond neighbours of r. */
static void
count_through(struct planner *p, uint32_t root, uint32_t e, uint32_t all)
{
	const struct moore_rgraph *g = p->v->g;
	uint32_t r = g->to[e];

	p->n_nodes[e] = 1 + all;
	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		if (is_far(p, g->to[k], root))
			p->n_before[e]++;
		else
			p->n_nodes[e] -= step_beyond(p, g->to[k], UINT32_MAX, 1);
	p->n_nodes[e] -= p->beyond[root] > 0;
	for (uint32_t k = g->xadj[root]; k < g->xadj[root + 1]; k++)
		p->n_nodes[e] -= g->flags[k] & p->v->flag && p->beyond[g->to[k]];
	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		if (!is_far(p, g->to[k], root))
			step_beyond(p, g->to[k], 1, 0);
}

/* Adds to load[] of the edge opposite to e. */
static void
add_to(struct planner *p, uint32_t e, uint32_t add)
{
	const struct moore_rgraph *g = p->v->g;
	struct powers *s = &p->powers[moore_rgraph_tail(g, e)];
	uint64_t was = p->load[g->rev[e]], is = p->load[g->rev[e]] += add;

	s->first += is - was;
	s->square += is * is - was * was;
	s->cube += moore_cube(is) - moore_cube(was);
}

/* Adds to load[] what a tree through r (edge e, root -> r) puts on the edges to r and to the
 * root; by = 1, or UINT32_MAX (minus one) to take it back. */
static void
add_load(struct planner *p, uint32_t root, uint32_t e, uint32_t by)
{
	const struct moore_rgraph *g = p->v->g;
	uint32_t r = g->to[e], each = p->n_nodes[e] / (p->n_before[e] + 1);

	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		if (is_far(p, g->to[k], root))
			add_to(p, k, by * each);
	add_to(p, e, by * p->n_nodes[e]);
}

/* About what that adds to the sum of the fourth powers of the loads: on the edges to r, what it adds
 * to all of them less what it would add to those from the root and its neighbours. */
static uint64_t
price_through(const struct planner *p, uint32_t root, uint32_t e)
{
	const struct moore_rgraph *g = p->v->g;
	const struct powers *s = &p->powers[g->to[e]];
	uint32_t k = g->xadj[g->to[e]], n = g->xadj[g->to[e] + 1] - k, left = n - p->n_before[e] - 1;
	uint64_t each = p->n_nodes[e] / (p->n_before[e] + 1), half = each / 2;
	uint64_t sum = s->cube + 3 * half * (s->square + half * s->first) + n * moore_cube(half);

	sum -= moore_cube(p->load[e] + half);
	for (; left; k++)
		if (!is_far(p, g->to[k], root) && g->to[k] != root) {
			sum -= moore_cube(p->load[g->rev[k]] + half);
			left--;
		}
	return each * sum + p->n_nodes[e] * moore_cube(p->load[g->rev[e]] + p->n_nodes[e] / 2);
}

/* The same relative to the fourth power of the nodes served, where neighbours take detours:
 * then more layers go through neighbours that serve more. */
static uint64_t
price_per_node(const struct planner *p, uint32_t root, uint32_t e)
{
	uint64_t price = price_through(p, root, e), square = (uint64_t)p->n_nodes[e] * p->n_nodes[e];

	return p->h->around ? (price / square << 16) / square : price;
}

/* Returns the slot of the cheapest neighbour for one layer of root. */
static uint8_t
choose_last(const struct planner *p, uint32_t root)
{
	const struct moore_rgraph *g = p->v->g;
	uint64_t least = UINT64_MAX;
	uint8_t best = MOORE_SLOT_NONE;

	for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++) {
		uint64_t price;

		if (!may_be_last(p, e) || (price = price_per_node(p, root, e)) >= least)
			continue;
		least = price;
		best = (uint8_t)(e - g->xadj[root]);
	}
	return best;
}

/* One round over all trees; returns how many changed their neighbour. */
static size_t
choose_all(struct planner *p, uint32_t n_layers, const uint8_t *present, bool first)
{
	const struct moore_rgraph *g = p->v->g;
	size_t moved = 0;

	for (uint32_t k = 0; k < n_layers; k++)
		for (uint32_t root = 0; root < g->n; root++) {
			uint8_t *last = &p->h->last[(size_t)k * g->n + root], now = *last;

			if (!present[(size_t)k * g->n + root])
				continue;
			mark_near(p, root);
			if (now != MOORE_SLOT_NONE)
				add_load(p, root, g->xadj[root] + now, UINT32_MAX);
			*last = choose_last(p, root);
			if (*last != MOORE_SLOT_NONE)
				add_load(p, root, g->xadj[root] + *last, 1);
			moved += first || *last != now;
		}
	return moved;
}

/* On a bipartite graph the routes of a pair differ by an even number of hops.  Colours nodes
 * 0 and 1 in len[]. */
static bool
is_bipartite(struct moore_rhint *h, const struct moore_rview *v)
{
	const struct moore_rgraph *g = h->g;

	memset(h->len, MOORE_LEN_NONE, g->n);
	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t n = 0;

		if (!moore_rhint_is_open(h, s))
			continue;
		h->len[s] = 0;
		h->queue[n++] = s;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t e = g->xadj[h->queue[i]]; e < g->xadj[h->queue[i] + 1]; e++) {
				uint32_t t = g->to[e];

				if (!(g->flags[e] & v->flag))
					continue;
				if (!moore_rhint_is_open(h, t) && h->len[t] == h->len[h->queue[i]])
					return false;
				if (moore_rhint_is_open(h, t)) {
					h->len[t] = !h->len[h->queue[i]];
					h->queue[n++] = t;
				}
			}
	}
	return true;
}

/* Counts for one root, and for edges to it; arg is a planner for each worker. */
static void
count_job(void *arg, unsigned worker, size_t r)
{
	struct planner *p = (struct planner *)arg + worker;
	const struct moore_rgraph *g = p->v->g;
	uint32_t all = 0;

	mark_near(p, (uint32_t)r);
	choose_senses(p, (uint32_t)r);
	count_minimal(p, (uint32_t)r);
	memset(p->beyond, 0, g->n * sizeof(*p->beyond));
	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		all += step_beyond(p, g->to[k], 1, 0);
	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		if (g->flags[g->rev[k]] & p->v->flag) {
			mark_near(p, g->to[k]);
			count_through(p, g->to[k], g->rev[k], all);
		}
}

/* Counts for all roots.  False without memory. */
static bool
count_all(const struct planner *p)
{
	const struct moore_jobs *jobs = p->h->jobs;
	size_t n = (size_t)p->v->g->n + 1;
	unsigned width = moore_jobs_width(jobs, p->v->g->n);
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct planner *own = moore_arena_alloc(&tmp, width, sizeof(*own));
	bool ok = own;

	for (unsigned i = 0; ok && i < width; i++) {
		own[i] = *p;
		own[i].near = moore_arena_alloc(&tmp, n, sizeof(*own[i].near));
		own[i].beyond = moore_arena_alloc(&tmp, n, sizeof(*own[i].beyond));
		own[i].n_dud[0] = moore_arena_alloc(&tmp, n, sizeof(*own[i].n_dud[0]));
		own[i].n_dud[1] = moore_arena_alloc(&tmp, n, sizeof(*own[i].n_dud[1]));
		ok = own[i].near && own[i].beyond && own[i].n_dud[0] && own[i].n_dud[1];
	}
	if (ok)
		moore_jobs_run(jobs, width, p->v->g->n, count_job, own);
	moore_arena_free(&tmp);
	return ok;
}

/* Divides the neighbours chosen for a root among its layers anew: those through one neighbour
 * go to different hosts, and each host has some from all parts of the list of slots. */
static void
deal(struct planner *p, uint32_t root, uint32_t n_layers, uint32_t n_of_host,
     const uint8_t *present)
{
	uint32_t n = p->v->g->n, left[MOORE_SLOT_NONE + 1] = { 0 }, slot = 0;

	for (uint32_t k = 0; k < n_layers; k++)
		left[p->h->last[(size_t)k * n + root]] += present[(size_t)k * n + root] != 0;
	for (uint32_t i = 0; i < n_of_host; i++)
		for (uint32_t k = (i + root) % n_of_host; k < n_layers; k += n_of_host) {
			if (!present[(size_t)k * n + root])
				continue;
			while (!left[slot])
				slot++;
			left[slot]--;
			p->h->last[(size_t)k * n + root] = (uint8_t)slot;
		}
}

static bool
alloc_planner(struct planner *p, uint32_t n_layers)
{
	const struct moore_rgraph *g = p->h->g;

	p->h->n_minimal = calloc((size_t)g->n * g->n + 1, 1);
	p->h->last = malloc((size_t)n_layers * g->n + 1);
	p->load = calloc(g->n_edges + 1, sizeof(*p->load));
	p->powers = calloc(g->n + (size_t)1, sizeof(*p->powers));
	p->sense = malloc((size_t)g->n * g->n + 1);
	p->n_nodes = calloc(g->n_edges + 1, sizeof(*p->n_nodes));
	p->n_before = calloc(g->n_edges + 1, sizeof(*p->n_before));
	p->near = p->h->acc;
	memset(p->near, 0, g->n * sizeof(*p->near));
	return p->h->n_minimal && p->h->last && p->load && p->powers && p->sense && p->n_nodes && p->n_before;
}

int
moore_rhint_plan(struct moore_rhint *h, const struct moore_rview *v, uint32_t n_layers,
		 uint32_t n_of_host, uint32_t n_apart, const uint8_t *present, struct moore_err *err)
{
	struct planner p = { .h = h, .v = v };
	bool ok = false;

	h->n_layers = n_layers;
	h->n_apart = n_apart;
	if (!alloc_planner(&p, n_layers))
		goto out;
	memset(h->last, MOORE_SLOT_NONE, (size_t)n_layers * h->g->n);
	h->detour = is_bipartite(h, v) ? 2 : 1;
	h->around = h->detour == 1 && !h->kind->longest;
	if (!count_all(&p))
		goto out;
	moore_jobs_run(h->jobs, moore_jobs_width(h->jobs, h->g->n), h->g->n, note_job, &p);
	if (h->around && n_layers && moore_rhint_set_beside(h, v) < 0)
		goto out;
	for (unsigned round = 0; round < MOORE_HINT_ROUNDS; round++)
		if (!choose_all(&p, n_layers, present, !round))
			break;
	for (uint32_t root = 0; h->around && root < h->g->n; root++)
		deal(&p, root, n_layers, n_of_host, present);
	ok = true;
out:
	free(p.load);
	free(p.powers);
	free(p.sense);
	free(p.n_nodes);
	free(p.n_before);
	return ok ? 0 : moore_fail_nomem(err);
}

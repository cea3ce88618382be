// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint_plan.c - through which neighbour of its root each layer of sl-hint goes, and
 * which kinds of detours each pair may have: before any tree is grown.
 *
 * Neighbours are chosen in turn, each the cheapest for what a tree through it would
 * put on links, until none chooses anew. */
#include <stdlib.h>
#include <string.h>

#include "route/hint_impl.h"

#define MAX_SWEEPS 12

struct planner {
	struct moore_rhint *h;
	const struct moore_rview *v;
	uint32_t *load;		/* of each edge, by second and last hops */
	uint16_t *dud;		/* [(s * n + root) * 2 + is root greater than the valley] */
	uint32_t *all, *n_before;	/* of edge root -> r: see count_through() */
};

/* h->acc marks the root and its neighbours by root + 1. */
static bool
is_far(const struct planner *p, uint32_t s, uint32_t root)
{
	return p->h->acc[s] != root + 1;
}

static bool
may_be_last(const struct planner *p, uint32_t e)
{
	return p->v->g->flags[e] & p->v->flag && moore_rview_transit(p->v, p->v->g->to[e]);
}

/* The routes of pattern dud to root over r. */
static void
count_dud(struct planner *p, uint32_t root, uint32_t r)
{
	const struct moore_rgraph *g = p->v->g;
	const uint32_t *pos = p->v->turns->pos;

	if (pos[r] > pos[root])
		return;
	for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++) {
		uint32_t a = g->to[e];

		if (!is_far(p, a, root) || pos[a] < pos[r] || !(g->flags[e] & p->v->flag))
			continue;
		for (uint32_t k = g->xadj[a]; k < g->xadj[a + 1]; k++) {
			uint32_t s = g->to[k];

			if (is_far(p, s, root) && pos[s] < pos[a] && g->flags[k] & p->v->flag)
				p->dud[((size_t)s * g->n + root) * 2 + (pos[root] < pos[a])]++;
		}
	}
}

/* Of the patterns dud from s to root only those of one kind are let in. */
static bool
wants_greater(const struct planner *p, uint32_t s, uint32_t root)
{
	const uint16_t *n = p->dud + ((size_t)s * p->v->g->n + root) * 2;

	/* Indirect switches of both kinds, where there are enough, serve more pairs. */
	if (p->h->detour > 1 && n[0] <= 3 * n[1] && n[1] <= 3 * n[0])
		return (s + root) % 2;
	return n[1] >= n[0];
}

/* dud and, the other way, udu: as if routes of the kinds let in were there. */
static void
set_kinds(struct planner *p)
{
	const struct moore_rgraph *g = p->v->g;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t d = 0; d < g->n; d++) {
			size_t sd = (size_t)s * g->n + d, ds = (size_t)d * g->n + s;
			unsigned x = wants_greater(p, s, d) ? OK_B : OK_C;

			if (!p->dud[2 * sd] && !p->dud[2 * sd + 1])
				continue;
			p->h->met_planned[sd] |= (uint16_t)(1u << (x | OK_D));
			p->h->met_planned[ds] |= (uint16_t)(1u << (x | OK_A));
		}
	memcpy(p->h->met_up, p->h->met_planned, (size_t)g->n * g->n * sizeof(*p->h->met_up));
}

/* How many would go to root over edge e if all did that can in three hops, and
 * over how many of the links before it?  h->queue marks those seen by e + 1. */
static void
count_through(struct planner *p, uint32_t root, uint32_t e)
{
	const struct moore_rgraph *g = p->v->g;
	uint32_t r = g->to[e], *seen = p->h->queue;

	p->all[e] = 1;
	seen[r] = e + 1;
	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		for (uint32_t a = g->to[k], i = g->xadj[a]; i < g->xadj[a + 1] && is_far(p, a, root); i++) {
			uint32_t s = g->to[i];

			p->all[e] += is_far(p, s, root) && seen[s] != e + 1;
			seen[s] = e + 1;
		}
	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		p->n_before[e] += is_far(p, g->to[k], root);
}

/* Let edge e, root -> r, bear what a tree through r would put on the edges to r
 * and to the root: by = 1, or UINT32_MAX (minus one) to take it back. */
static void
bear(struct planner *p, uint32_t root, uint32_t e, uint32_t by)
{
	const struct moore_rgraph *g = p->v->g;
	uint32_t r = g->to[e], each = p->all[e] / (p->n_before[e] + 1);

	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		if (is_far(p, g->to[k], root))
			p->load[g->rev[k]] += by * each;
	p->load[g->rev[e]] += by * p->all[e];
}

/* What that adds to the sum of the loads' fourth powers, nearly. */
static uint64_t
price_through(const struct planner *p, uint32_t root, uint32_t e)
{
	const struct moore_rgraph *g = p->v->g;
	uint32_t r = g->to[e], each = p->all[e] / (p->n_before[e] + 1);
	uint64_t sum = p->all[e] * moore_cube(p->load[g->rev[e]] + p->all[e] / 2);

	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		if (is_far(p, g->to[k], root))
			sum += each * moore_cube(p->load[g->rev[k]] + each / 2);
	return sum;
}

/* The cheapest neighbour for one layer of root. */
static uint8_t
choose_last(const struct planner *p, uint32_t root)
{
	const struct moore_rgraph *g = p->v->g;
	uint64_t least = UINT64_MAX;
	uint8_t best = MOORE_SLOT_NONE;

	for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++) {
		uint64_t price;

		if (!may_be_last(p, e) || (price = price_through(p, root, e)) >= least)
			continue;
		least = price;
		best = (uint8_t)(e - g->xadj[root]);
	}
	return best;
}

static void
mark_near(struct planner *p, uint32_t root)
{
	const struct moore_rgraph *g = p->v->g;

	p->h->acc[root] = root + 1;
	for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++)
		if (g->flags[e] & p->v->flag)
			p->h->acc[g->to[e]] = root + 1;
}

/* Once around all trees; how many chose anew. */
static size_t
sweep(struct planner *p, uint32_t n_layers, const uint8_t *present, bool first)
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
				bear(p, root, g->xadj[root] + now, UINT32_MAX);
			*last = choose_last(p, root);
			if (*last != MOORE_SLOT_NONE)
				bear(p, root, g->xadj[root] + *last, 1);
			moved += first || *last != now;
		}
	return moved;
}

/* Then no route is longer than another by one hop. */
static bool
is_bipartite(struct moore_rhint *h, const struct moore_rview *v)
{
	const struct moore_rgraph *g = h->g;

	memset(h->len, MOORE_LEN_NONE, g->n);
	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t n = 0;

		if (!moore_rhint_open(h, s))
			continue;
		h->len[s] = 0;
		h->queue[n++] = s;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t e = g->xadj[h->queue[i]]; e < g->xadj[h->queue[i] + 1]; e++) {
				uint32_t t = g->to[e];

				if (!(g->flags[e] & v->flag))
					continue;
				if (!moore_rhint_open(h, t) && h->len[t] == h->len[h->queue[i]])
					return false;
				if (moore_rhint_open(h, t)) {
					h->len[t] = !h->len[h->queue[i]];
					h->queue[n++] = t;
				}
			}
	}
	return true;
}

/* Where endpoints are on one side of a bipartite graph alone, an indirect route
 * s - m - i - m' - d is of pattern udud: table C is right for it when i is greater
 * than both ends, B when it is less.  Each pair keeps to what more switches offer;
 * in layers only, and only as a wish. */
static void
set_sides(struct planner *p)
{
	const struct moore_rgraph *g = p->v->g;
	const uint32_t *pos = p->v->turns->pos;
	uint32_t *above = p->h->queue, n = 0, *at = p->h->acc;

	for (uint32_t s = 0; s < g->n; s++)
		at[pos[s]] = s;
	for (uint32_t i = 0; i < g->n; i++) {
		above[at[i]] = n;
		n += g->is_source[at[i]];
	}
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t d = 0; d < g->n; d++) {
			bool s_greater = pos[s] < pos[d];
			uint32_t more = above[s_greater ? s : d], less = n - 1 - above[s_greater ? d : s];

			if (s != d && g->is_source[s] && g->is_source[d])
				p->h->met_planned[(size_t)s * g->n + d] |=
					(uint16_t)(1u << (more >= less ? OK_C : OK_B));
		}
}

/* Do all links lead from a switch with endpoints to one without? */
static bool
is_indirect(const struct moore_rview *v)
{
	const struct moore_rgraph *g = v->g;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (g->flags[e] & v->flag && g->is_source[s] == g->is_source[g->to[e]])
				return false;
	return true;
}

int
moore_rhint_plan(struct moore_rhint *h, const struct moore_rview *v, uint32_t n_layers,
		 const uint8_t *present, struct moore_err *err)
{
	const struct moore_rgraph *g = h->g;
	struct planner p = { .h = h, .v = v };
	int rc = 0;

	h->last = malloc((size_t)n_layers * g->n + 1);
	p.load = calloc(g->n_edges + 1, sizeof(*p.load));
	p.dud = calloc(2 * (size_t)g->n * g->n + 1, sizeof(*p.dud));
	p.all = calloc(g->n_edges + 1, sizeof(*p.all));
	p.n_before = calloc(g->n_edges + 1, sizeof(*p.n_before));
	memset(h->queue, 0, g->n * sizeof(*h->queue));
	if (!h->last || !p.load || !p.dud || !p.all || !p.n_before) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	memset(h->last, MOORE_SLOT_NONE, (size_t)n_layers * g->n);
	h->detour = is_bipartite(h, v) ? 2 : 1;
	memset(h->acc, 0, g->n * sizeof(*h->acc));
	for (uint32_t root = 0; root < g->n; root++) {
		mark_near(&p, root);
		for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++)
			if (g->flags[e] & v->flag) {
				count_dud(&p, root, g->to[e]);
				count_through(&p, root, e);
			}
	}
	set_kinds(&p);
	if (is_indirect(v))
		set_sides(&p);
	for (unsigned round = 0; round < MAX_SWEEPS; round++)
		if (!sweep(&p, n_layers, present, !round))
			break;
out:
	free(p.load);
	free(p.dud);
	free(p.all);
	free(p.n_before);
	return rc;
}

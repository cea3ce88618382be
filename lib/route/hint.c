// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint.c - in-trees for profile sl-hint: three hops where there are any.
 *
 * A table is right for a route when along it the VL never falls and no turn from
 * down to up leaves the VL as it was: then (VL, rank) rises with every hop.
 * Whether it is, is told from the root outward: ok[] of a switch holds, for each
 * table, whether the route from it on is right when its first link is on VL 0
 * (low half) or on VL 1 (high half).
 *
 * Invariant: a route is admitted when at least two of the tables A, C and D are
 * right for it.  Any two such routes have a right table in common, so whatever
 * LIDs two endpoints pair up, one SL is right both ways.  Of the eight patterns
 * of three hops only down-up-down is not admitted.  Where links of one lane are
 * up, A alone is asked for, and common to all.
 *
 * A layer's tree: everybody goes through one neighbour r of the root, r by load
 * and by how many sources that costs; who has no admissible route of three hops
 * that way hangs on another who goes to the root in two. */
#include <stdlib.h>
#include <string.h>

#include "moore/lane.h"
#include "route/hint.h"

#define OK_A (1u << MOORE_HINT_A)
#define OK_ACD (OK_A | 1u << MOORE_HINT_C | 1u << MOORE_HINT_D)
#define OK_ALL 0xff

/* A source without three hops is worth so many hops on a link of mean load. */
#define LOST_WORTH 6
#define MAX_SWEEPS 12

int
moore_rhint_init(struct moore_rhint *h, const struct moore_rgraph *g)
{
	size_t n = g->n + 1;

	*h = (struct moore_rhint){
		.g = g, .load = calloc(g->n_edges + 1, sizeof(*h->load)),
		.slot = malloc(n), .len = malloc(n), .ok = malloc(n),
		.queue = malloc(n * sizeof(*h->queue)), .acc = malloc(n * sizeof(*h->acc)),
	};
	for (uint32_t e = 0; e < g->n_edges; e++)
		h->poor |= g->flags[e] & MOORE_EDGE_UP && g->flags[e] & MOORE_EDGE_ONE_LANE;
	return h->load && h->slot && h->len && h->ok && h->queue && h->acc ? 0 : -MOORE_ENOMEM;
}

void
moore_rhint_fini(struct moore_rhint *h)
{
	free(h->load);
	free(h->last);
	free(h->slot);
	free(h->len);
	free(h->ok);
	free(h->queue);
	free(h->acc);
	*h = (struct moore_rhint){ 0 };
}

static bool
is_up(const struct moore_rview *v, uint32_t from, uint32_t to)
{
	return v->turns->pos[to] < v->turns->pos[from];
}

/* ok[] of a switch that goes over edge e, of which the head is in the tree. */
static uint8_t
ok_over(const struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t s,
	uint32_t e)
{
	uint32_t p = v->g->to[e], on = v->g->xadj[p] + h->slot[p];
	bool in_up = is_up(v, s, p), out_up, one_lane;
	unsigned ok = 0;

	if (p == root)
		return OK_ALL;
	out_up = is_up(v, p, v->g->to[on]);
	one_lane = v->lanes && v->g->flags[on] & MOORE_EDGE_ONE_LANE;
	for (unsigned t = 0; t < MOORE_N_HINTS; t++) {
		unsigned w = one_lane ? 0 : moore_lane_hint(t, in_up, out_up);
		bool rest = h->ok[p] >> (w * 4 + t) & 1, rises = !in_up && out_up;

		for (unsigned vl = 0; vl < 2; vl++)
			ok |= (unsigned)(rest && (rises ? w > vl : w >= vl)) << (vl * 4 + t);
	}
	return (uint8_t)ok;
}

static bool
admitted(const struct moore_rhint *h, uint8_t ok, bool with_a)
{
	if (h->poor || with_a) {
		if (!(ok & OK_A))
			return false;
	}
	return h->poor || __builtin_popcount(ok & OK_ACD) >= 2;
}

static void
attach(struct moore_rhint *h, uint32_t s, uint32_t e, uint8_t ok)
{
	h->slot[s] = (uint8_t)(e - h->g->xadj[s]);
	h->len[s] = (uint8_t)(h->len[h->g->to[e]] + 1);
	h->ok[s] = ok;
	h->queue[h->n_reached++] = s;
}

static void
start(struct moore_rhint *h, uint32_t root)
{
	memset(h->slot, MOORE_SLOT_NONE, h->g->n);
	memset(h->len, MOORE_LEN_NONE, h->g->n);
	memset(h->ok, 0, h->g->n);
	h->len[root] = 0;
	h->ok[root] = OK_ALL;
	h->queue[0] = root;
	h->n_reached = 1;
}

static bool
is_open(const struct moore_rhint *h, uint32_t s)
{
	return h->len[s] == MOORE_LEN_NONE;
}

/* Hang s on the least loaded of its neighbours of that length that will do. */
static bool
attach_best(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t s,
	    unsigned len, bool with_a)
{
	const struct moore_rgraph *g = h->g;
	uint64_t least = UINT64_MAX;
	uint32_t best = MOORE_NONE;
	uint8_t best_ok = 0;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		uint32_t p = g->to[e];
		uint64_t price;
		uint8_t ok;

		if (h->len[p] != len || !(g->flags[e] & v->flag) ||
		    (p != root && !moore_rview_transit(v, p)))
			continue;
		price = h->load[e] + (p == root ? 0 : h->load[g->xadj[p] + h->slot[p]]);
		if (price >= least || !admitted(h, ok = ok_over(h, v, root, s, e), with_a))
			continue;
		least = price;
		best = e;
		best_ok = ok;
	}
	if (best != MOORE_NONE)
		attach(h, s, best, best_ok);
	return best != MOORE_NONE;
}

/* ---- through which neighbour ------------------------------------------------ */

struct planner {
	struct moore_rhint *h;
	const struct moore_rview *v;
	uint32_t *load;		/* of each edge, by second and last hops */
	uint32_t *lost;		/* of edge root -> r: sources that r would cost */
	uint32_t total;		/* of load */
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

/* Sources of pattern dud, were they to go from edge root -> r on. */
static uint32_t
count_lost(const struct planner *p, uint32_t root, uint32_t r)
{
	const struct moore_rgraph *g = p->v->g;
	uint32_t lost = 0;

	if (is_up(p->v, r, root))
		return 0;
	for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++) {
		uint32_t a = g->to[e];

		if (!is_far(p, a, root) || !(g->flags[e] & p->v->flag) || !is_up(p->v, a, r))
			continue;
		for (uint32_t k = g->xadj[a]; k < g->xadj[a + 1]; k++)
			lost += is_far(p, g->to[k], root) && is_up(p->v, a, g->to[k]);
	}
	return lost;
}

/* Let edge e, root -> r, bear what a tree through r would put on the edges to r
 * and to the root: by = 1, or UINT32_MAX (minus one) to take it back. */
static void
bear(struct planner *p, uint32_t root, uint32_t e, uint32_t by)
{
	const struct moore_rgraph *g = p->v->g;
	uint32_t r = g->to[e], all = 1;

	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++) {
		uint32_t a = g->to[k], n = g->xadj[a + 1] - g->xadj[a];

		if (!is_far(p, a, root))
			continue;
		p->load[g->rev[k]] += by * n;
		all += n;
	}
	p->load[g->rev[e]] += by * all;
	p->total += 2 * by * all;
}

static uint64_t
cube(uint64_t x)
{
	return x * x * x;
}

/* What that adds to the sum of the loads' fourth powers, nearly; and the lost. */
static uint64_t
price_through(const struct planner *p, uint32_t root, uint32_t e)
{
	const struct moore_rgraph *g = p->v->g;
	uint32_t r = g->to[e], all = 1;
	uint64_t sum = 0;

	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++) {
		uint32_t a = g->to[k], n = g->xadj[a + 1] - g->xadj[a];

		if (!is_far(p, a, root))
			continue;
		sum += n * cube(p->load[g->rev[k]] + n / 2);
		all += n;
	}
	return sum + all * cube(p->load[g->rev[e]] + all / 2) +
		LOST_WORTH * p->lost[e] * cube(p->total / g->n_edges);
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

int
moore_rhint_plan(struct moore_rhint *h, const struct moore_rview *v, uint32_t n_layers,
		 const uint8_t *present, struct moore_err *err)
{
	const struct moore_rgraph *g = h->g;
	struct planner p = { .h = h, .v = v };
	int rc = 0;

	h->last = malloc((size_t)n_layers * g->n + 1);
	p.load = calloc(g->n_edges + 1, sizeof(*p.load));
	p.lost = calloc(g->n_edges + 1, sizeof(*p.lost));
	if (!h->last || !p.load || !p.lost) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	memset(h->last, MOORE_SLOT_NONE, (size_t)n_layers * g->n);
	memset(h->acc, 0, g->n * sizeof(*h->acc));
	for (uint32_t root = 0; root < g->n; root++) {
		mark_near(&p, root);
		for (uint32_t e = g->xadj[root]; e < g->xadj[root + 1]; e++)
			p.lost[e] = count_lost(&p, root, g->to[e]);
	}
	for (unsigned round = 0; round < MAX_SWEEPS; round++)
		if (!sweep(&p, n_layers, present, !round))
			break;
out:
	free(p.load);
	free(p.lost);
	return rc;
}

/* ---- a layer's tree -------------------------------------------------------- */

/* Attach at three hops every open neighbour of s that can; *load: of their links. */
static uint32_t
cover(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t s, bool really,
      uint64_t *load)
{
	const struct moore_rgraph *g = h->g;
	uint32_t n = 0;

	*load = 0;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		uint32_t c = g->to[e], back = g->rev[e];
		uint8_t ok;

		if (!is_open(h, c) || !(g->flags[e] & v->flag) || !moore_rview_transit(v, s) ||
		    !admitted(h, ok = ok_over(h, v, root, c, back), false))
			continue;
		if (really)
			attach(h, c, back, ok);
		*load += h->load[back];
		n++;
	}
	return n;
}

/* Of the links from s to the root. */
static uint64_t
load_from(const struct moore_rhint *h, uint32_t s)
{
	uint64_t sum = 0;

	while (h->len[s]) {
		uint32_t e = h->g->xadj[s] + h->slot[s];

		sum += h->load[e];
		s = h->g->to[e];
	}
	return sum;
}

/* Of the open ones that have two hops to the root, let one that serves many
 * others, over links of little load, take them; until none serves any. */
static void
cover_rest(struct moore_rhint *h, const struct moore_rview *v, uint32_t root)
{
	for (;;) {
		uint64_t least = UINT64_MAX, load;
		uint32_t best = MOORE_NONE;

		for (uint32_t s = 0; s < h->g->n; s++) {
			uint32_t n;

			if (!is_open(h, s) || !attach_best(h, v, root, s, 1, false))
				continue;
			n = cover(h, v, root, s, false, &load);
			load = n ? (load + n * load_from(h, s) + 1) * 256 / (n * n) : UINT64_MAX;
			h->n_reached--;
			h->len[s] = MOORE_LEN_NONE;
			h->slot[s] = MOORE_SLOT_NONE;
			if (load < least) {
				least = load;
				best = s;
			}
		}
		if (best == MOORE_NONE)
			return;
		attach_best(h, v, root, best, 1, false);
		cover(h, v, root, best, true, &load);
	}
}

static void
attach_all(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, unsigned len,
	   bool with_a)
{
	for (uint32_t s = 0; s < h->g->n; s++)
		if (is_open(h, s))
			attach_best(h, v, root, s, len, with_a);
}

void
moore_rhint_grow(struct moore_rhint *h, const struct moore_rview *v, uint32_t layer,
		 uint32_t root)
{
	const struct moore_rgraph *g = h->g;
	uint8_t last = h->last[(size_t)layer * g->n + root];
	uint32_t r = last == MOORE_SLOT_NONE ? root : g->to[g->xadj[root] + last];

	start(h, root);
	attach_all(h, v, root, 0, false);
	for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++)
		if (is_open(h, g->to[e]) && g->flags[e] & v->flag)
			attach(h, g->to[e], g->rev[e], ok_over(h, v, root, g->to[e], g->rev[e]));
	attach_all(h, v, root, 2, false);
	cover_rest(h, v, root);
	attach_all(h, v, root, 1, false);
}

/* ---- what is missing --------------------------------------------------------- */

/* Put the nodes of old[] back, parents first, as far as they may stay. */
static void
keep(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, const uint8_t *old,
     bool with_a)
{
	const struct moore_rgraph *g = h->g;

	for (uint32_t i = 0; i < h->n_reached; i++)
		for (uint32_t p = h->queue[i], e = g->xadj[p]; e < g->xadj[p + 1]; e++) {
			uint32_t s = g->to[e], over = g->rev[e];
			uint8_t ok;

			if (!is_open(h, s) || old[s] == MOORE_SLOT_NONE ||
			    g->xadj[s] + old[s] != over || !(g->flags[e] & v->flag) ||
			    (p != root && !moore_rview_transit(v, p)) || h->len[p] >= MOORE_LEN_MAX)
				continue;
			if (admitted(h, ok = ok_over(h, v, root, s, over), with_a))
				attach(h, s, over, ok);
		}
}

/* Down from the root's greater side, then up: no turn from down to up at all, so
 * that A and D are right for everybody (tree.c says why nobody is stranded). */
static void
grow_monotone(struct moore_rhint *h, const struct moore_rview *v, uint32_t root)
{
	const struct moore_rgraph *g = h->g;

	start(h, root);
	for (int up = 0; up < 2; up++)
		for (uint32_t i = 0; i < h->n_reached; i++) {
			uint32_t p = h->queue[i];

			if ((p != root && !moore_rview_transit(v, p)) || h->len[p] >= MOORE_LEN_MAX)
				continue;
			for (uint32_t e = g->xadj[p]; e < g->xadj[p + 1]; e++) {
				uint32_t s = g->to[e];

				if (is_open(h, s) && g->flags[e] & v->flag &&
				    is_up(v, s, p) == (bool)up)
					attach(h, s, g->rev[e], ok_over(h, v, root, s, g->rev[e]));
			}
		}
}

bool
moore_rhint_mend(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, bool with_a,
		 uint32_t n_connected, uint32_t *moved)
{
	uint8_t *old = (uint8_t *)h->acc;

	memcpy(old, h->slot, h->g->n);
	start(h, root);
	keep(h, v, root, old, with_a);
	for (unsigned len = 0; h->n_reached < n_connected && len < MOORE_LEN_MAX; len++)
		attach_all(h, v, root, len, with_a);
	if (h->n_reached < n_connected)
		grow_monotone(h, v, root);
	for (uint32_t s = 0; s < h->g->n; s++)
		*moved += old[s] != MOORE_SLOT_NONE && h->slot[s] != old[s];
	return h->n_reached >= n_connected;
}

/* Parents may stand behind their children in the queue after mending. */
void
moore_rhint_count(struct moore_rhint *h)
{
	const struct moore_rgraph *g = h->g;

	for (uint32_t i = 1; i < h->n_reached; i++)
		for (uint32_t s = h->queue[i]; g->weight[h->queue[i]] && h->len[s];) {
			uint32_t e = g->xadj[s] + h->slot[s];

			h->load[e]++;
			s = g->to[e];
		}
}

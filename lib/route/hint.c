// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint.c - in-trees for profile sl-hint: three hops where there are any.
 *
 * A table is right for a route when along it the VL never falls and no turn from
 * down to up leaves the VL as it was: then (VL, rank) rises with every hop.
 * Whether it is, is told from the root outward: ok[] of a switch holds, for each
 * table, whether the route from it on is right when its first link is on VL 0
 * (low half) or on VL 1 (high half).
 *
 * Invariant: every two routes, one from s to d and one from d to s, have a right
 * table in common, so whatever LIDs two endpoints pair up, one SL is right both
 * ways.  met[] holds what is right for the routes between two switches so far, and
 * a route is admitted when it meets all that go the other way.  Of three hops only
 * dud and udu of one kind do not meet (theory.md, 7): which kinds a pair may have
 * is settled beforehand, as if it had such routes.  base[] holds, for each root, a
 * tree for which A is right, built before all others: what comes later meets it,
 * so it can take the place of any tree.  Where links of one lane are up, A alone is
 * asked for, and common to all.
 *
 * A layer's tree: everybody goes through one neighbour r of the root, r by load;
 * who has no admissible route that way hangs on another who goes to the root in
 * two hops.  Kinds of four hops let only few stand two hops before the root first
 * (kinds.c), and do the same for who is left. */
#include <stdlib.h>
#include <string.h>

#include "moore/lane.h"
#include "route/hint.h"

#define OK_A (1u << MOORE_HINT_A)
#define OK_B (1u << MOORE_HINT_B)
#define OK_C (1u << MOORE_HINT_C)
#define OK_D (1u << MOORE_HINT_D)
#define OK_TABLES 15u
#define OK_ALL 0xff

/* Directions in and out; from up to down, is what lies ahead greater? */
enum turn { DD, DU, UD, UU, UD_GREATER, N_TURNS = MOORE_RHINT_TURNS };

#define MAX_SWEEPS 12
#define N_BEFORE 3		/* switches two hops before a root that has routes of four */

static bool
is_up(const struct moore_rview *v, uint32_t from, uint32_t to)
{
	return v->turns->pos[to] < v->turns->pos[from];
}

/* step[turn][ok of the rest] is ok of the whole, the first of its turns being that. */
static void
tabulate(struct moore_rhint *h)
{
	/* places of three switches that make each of enum turn */
	static const uint8_t place[N_TURNS][3] = {
		[DD] = { 0, 1, 2 }, [DU] = { 0, 2, 1 }, [UD] = { 1, 0, 2 }, [UU] = { 2, 1, 0 },
		[UD_GREATER] = { 2, 0, 1 },
	};

	for (unsigned i = 0; i < 2 * N_TURNS * 256 * MOORE_N_HINTS; i++) {
		unsigned t = i % MOORE_N_HINTS, rest = i / MOORE_N_HINTS % 256;
		unsigned turn = i / MOORE_N_HINTS / 256 % N_TURNS, one_lane = i / MOORE_N_HINTS / 256 / N_TURNS;
		const uint8_t *p = place[turn];
		unsigned w = one_lane ? 0 : moore_lane_hint(t, p[0], p[1], p[2]);

		for (unsigned vl = 0; vl < 2; vl++)
			if (rest >> (w * 4 + t) & 1 && (turn == DU ? w > vl : w >= vl))
				h->step[one_lane][turn][rest] |= (uint8_t)(1u << (vl * 4 + t));
	}
	for (unsigned m = 0; m <= OK_TABLES; m++)
		for (unsigned w = 0; w <= OK_TABLES; w++)
			h->meets[m] |= (uint16_t)(((m & w) != 0) << w);
}

int
moore_rhint_init(struct moore_rhint *h, const struct moore_rgraph *g, const struct moore_rkind *kind)
{
	size_t n = g->n + 1;

	*h = (struct moore_rhint){
		.g = g, .kind = kind, .load = calloc(g->n_edges + 1, sizeof(*h->load)),
		.slot = malloc(n), .len = malloc(n), .ok = malloc(n),
		.queue = malloc(n * sizeof(*h->queue)), .acc = malloc(n * sizeof(*h->acc)),
		.met_planned = calloc(n * n, sizeof(*h->met_planned)),
		.met_up = calloc(n * n, sizeof(*h->met_up)), .base = malloc(n * n),
		.price = malloc(n * sizeof(*h->price)),
	};
	for (uint32_t e = 0; e < g->n_edges; e++)
		h->poor |= g->flags[e] & MOORE_EDGE_UP && g->flags[e] & MOORE_EDGE_ONE_LANE;
	tabulate(h);
	return h->load && h->slot && h->len && h->ok && h->queue && h->acc && h->met_planned &&
		h->met_up && h->base && h->price ? 0 : -MOORE_ENOMEM;
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
	free(h->met_planned);
	free(h->met_up);
	free(h->base);
	free(h->price);
	*h = (struct moore_rhint){ 0 };
}

static unsigned
turn_at(const uint32_t *pos, uint32_t from, uint32_t at, uint32_t to)
{
	bool in_up = pos[at] < pos[from], out_up = pos[to] < pos[at];

	return in_up && !out_up && pos[to] < pos[from] ? UD_GREATER : in_up * 2u + out_up;
}

/* ok[] of a switch that goes over edge e, of which the head is in the tree. */
static uint8_t
ok_over(const struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t s,
	uint32_t e)
{
	uint32_t p = v->g->to[e], on = v->g->xadj[p] + h->slot[p];
	bool one_lane;

	if (p == root)
		return OK_ALL;
	one_lane = v->lanes && v->g->flags[on] & MOORE_EDGE_ONE_LANE;
	return h->step[one_lane][turn_at(v->turns->pos, s, p, v->g->to[on])][h->ok[p]];
}

/* May s go to the root in a way for which these tables are right?  Each way that
 * the root goes to s must have one of them in common. */
static bool
admitted(const struct moore_rhint *h, uint32_t root, uint32_t s, uint8_t ok, bool with_a)
{
	unsigned m = ok & OK_TABLES;

	if (!m || ((h->poor || with_a) && !(m & OK_A)))
		return false;
	return h->poor || !(h->met[(size_t)root * h->g->n + s] & ~h->meets[m]);
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

/* In a layer, by its kind: may others go on over p, for which it stands in the tree? */
static bool
lets_pass(const struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t p)
{
	return p == root || (moore_rview_transit(v, p) &&
			     !(h->wish && h->wish->among_hosts && h->len[p] == 2 && !h->g->weight[p]));
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

		if (h->len[p] != len || !(g->flags[e] & v->flag) || !lets_pass(h, v, root, p))
			continue;
		price = h->load[e] + (p == root ? 0 : h->load[g->xadj[p] + h->slot[p]]);
		if (price >= least || !admitted(h, root, s, ok = ok_over(h, v, root, s, e), with_a))
			continue;
		least = price;
		best = e;
		best_ok = ok;
	}
	if (best != MOORE_NONE)
		attach(h, s, best, best_ok);
	return best != MOORE_NONE;
}

static uint64_t
cube(uint64_t x)
{
	return x * x * x;
}

/* ---- through which neighbour ------------------------------------------------ */

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
	uint64_t sum = p->all[e] * cube(p->load[g->rev[e]] + p->all[e] / 2);

	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		if (is_far(p, g->to[k], root))
			sum += each * cube(p->load[g->rev[k]] + each / 2);
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

		if (!is_open(h, s))
			continue;
		h->len[s] = 0;
		h->queue[n++] = s;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t e = g->xadj[h->queue[i]]; e < g->xadj[h->queue[i] + 1]; e++) {
				uint32_t t = g->to[e];

				if (!(g->flags[e] & v->flag))
					continue;
				if (!is_open(h, t) && h->len[t] == h->len[h->queue[i]])
					return false;
				if (is_open(h, t)) {
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
		n += g->weight[at[i]];
	}
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t d = 0; d < g->n; d++) {
			bool s_greater = pos[s] < pos[d];
			uint32_t more = above[s_greater ? s : d], less = n - 1 - above[s_greater ? d : s];

			if (s != d && g->weight[s] && g->weight[d])
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
			if (g->flags[e] & v->flag && g->weight[s] == g->weight[g->to[e]])
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

/* ---- a layer's tree -------------------------------------------------------- */

/* Attach at three hops every open neighbour of s that can; *load: of their links. */
static uint32_t
cover(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t s, bool really,
      uint64_t *load)
{
	const struct moore_rgraph *g = h->g;
	uint32_t n = 0;

	*load = 0;
	if (!lets_pass(h, v, root, s))
		return 0;
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		uint32_t c = g->to[e], back = g->rev[e];
		uint8_t ok;

		if (!is_open(h, c) || !(g->flags[e] & v->flag) ||
		    !admitted(h, root, c, ok = ok_over(h, v, root, c, back), false))
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

/* Could s, over two hops, serve open ones?  How many more than it costs, and the
 * load of the links. */
static uint32_t
serves(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t s,
       uint64_t *load)
{
	uint8_t slot = h->slot[s], len = h->len[s], ok = h->ok[s];
	uint32_t n = 0, n_reached = h->n_reached;

	h->len[s] = MOORE_LEN_NONE;
	if (attach_best(h, v, root, s, 1, false) &&
	    (n = cover(h, v, root, s, false, load)) > (len == 3)) {
		*load += n * load_from(h, s);
		n -= len == 3;
	} else {
		n = 0;
	}
	h->n_reached = n_reached;
	h->slot[s] = slot;
	h->len[s] = len;
	h->ok[s] = ok;
	return n;
}

/* Is s at three hops, and nobody behind it? */
static bool
may_shorten(const struct moore_rhint *h, uint32_t s)
{
	const struct moore_rgraph *g = h->g;

	if (h->detour != 1 || h->len[s] != 3)
		return false;
	for (uint32_t e = g->xadj[s]; h->kind->longest && e < g->xadj[s + 1]; e++)
		if (h->len[g->to[e]] == 4 && g->xadj[g->to[e]] + h->slot[g->to[e]] == g->rev[e])
			return false;
	return true;
}

/* h->acc counts open neighbours. */
static void
rate(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t s)
{
	uint64_t load;
	uint32_t n;

	h->price[s] = UINT64_MAX;
	if ((is_open(h, s) || may_shorten(h, s)) && h->acc[s] > !is_open(h, s) &&
	    (n = serves(h, v, root, s, &load)))
		h->price[s] = cube(load / n < 1 << 20 ? load / n + 1 : 1 << 20) /
			(h->detour == 1 ? n * n : 1);
}

/* s is not open any more; by: 1 when it was. */
static void
rate_around(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t s,
	    uint32_t by)
{
	rate(h, v, root, s);
	for (uint32_t e = h->g->xadj[s]; e < h->g->xadj[s + 1]; e++) {
		h->acc[h->g->to[e]] -= by;
		rate(h, v, root, h->g->to[e]);
	}
}

/* Take a leaf out of the tree. */
static void
detach(struct moore_rhint *h, uint32_t s)
{
	uint32_t i = 0;

	while (h->queue[i] != s)
		i++;
	memmove(h->queue + i, h->queue + i + 1, (--h->n_reached - i) * sizeof(*h->queue));
	h->len[s] = MOORE_LEN_NONE;
}

/* Take s, open or a leaf, to two hops: was it open? */
static bool
shorten(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t s)
{
	bool was_open = is_open(h, s);

	if (!was_open)
		detach(h, s);
	attach_best(h, v, root, s, 1, false);
	return was_open;
}

/* Let one that serves many others, over links of little load, take two hops to
 * the root, be it open or a leaf at three; until none serves any. */
static void
cover_rest(struct moore_rhint *h, const struct moore_rview *v, uint32_t root)
{
	const struct moore_rgraph *g = h->g;
	uint64_t load;

	memset(h->acc, 0, g->n * sizeof(*h->acc));
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; is_open(h, s) && e < g->xadj[s + 1]; e++)
			h->acc[g->to[e]]++;
	for (uint32_t s = 0; s < g->n; s++)
		rate(h, v, root, s);
	for (;;) {
		uint32_t best = 0, from;
		bool was_open;

		for (uint32_t s = 1; s < g->n; s++)
			if (h->price[s] < h->price[best])
				best = s;
		if (h->price[best] == UINT64_MAX)
			return;
		was_open = shorten(h, v, root, best);
		from = h->n_reached;
		cover(h, v, root, best, true, &load);
		rate_around(h, v, root, best, was_open);
		for (uint32_t i = from; i < h->n_reached; i++)
			rate_around(h, v, root, h->queue[i], 1);
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

/* From now on routes to the nodes of this tree must have a table in common with
 * those from there. */
static void
note(struct moore_rhint *h, uint32_t root)
{
	for (uint32_t i = 1; i < h->n_reached; i++) {
		uint32_t s = h->queue[i];

		h->met[(size_t)s * h->g->n + root] |= (uint16_t)(1u << (h->ok[s] & OK_TABLES));
	}
}

static bool
is_beside(const struct moore_rview *v, uint32_t root, uint32_t s)
{
	for (uint32_t e = v->g->xadj[root]; e < v->g->xadj[root + 1]; e++)
		if (v->g->to[e] == s && v->g->flags[e] & v->flag)
			return true;
	return false;
}

/* The least loaded edge to r from a switch two hops before the root on which others
 * may hang. */
static uint32_t
edge_before(const struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t r)
{
	const struct moore_rgraph *g = h->g;
	uint32_t best = MOORE_NONE;

	for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++) {
		uint32_t i = g->to[e], over = g->rev[e];

		if (is_open(h, i) && g->flags[e] & v->flag && moore_rview_transit(v, i) &&
		    (!h->kind->among_hosts || g->weight[i]) && !is_beside(v, root, i) &&
		    (best == MOORE_NONE || h->load[over] < h->load[best]))
			best = over;
	}
	return best;
}

/* Fix the last two hops, over e to r and from r to the root, but for a few choices of
 * e; everybody goes there, over three or four hops. */
static void
grow_long(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t r)
{
	const struct moore_rgraph *g = h->g;
	uint32_t e;

	attach_best(h, v, root, r, 0, false);
	for (unsigned k = 0; k < N_BEFORE && (e = edge_before(h, v, root, r)) != MOORE_NONE; k++) {
		uint32_t i = g->to[g->rev[e]];

		attach(h, i, e, ok_over(h, v, root, i, e));
	}
	for (uint32_t s = 0; s < g->n; s++)
		if (is_open(h, s) && !(h->kind->straight && is_beside(v, root, s)))
			attach_best(h, v, root, s, 2, false);
	attach_all(h, v, root, 3, false);
}

/* Who is left stands behind neighbours of the root that go round: one comes home. */
static void
bring_home(struct moore_rhint *h, const struct moore_rview *v, uint32_t root)
{
	const struct moore_rgraph *g = h->g;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; is_open(h, s) && e < g->xadj[s + 1]; e++) {
			uint32_t x = g->to[e];

			if (!(g->flags[e] & v->flag) || h->len[x] != 4 || !is_beside(v, root, x))
				continue;
			detach(h, x);
			attach_best(h, v, root, x, 0, false);
			attach_best(h, v, root, s, 1, false);
		}
}

void
moore_rhint_grow(struct moore_rhint *h, const struct moore_rview *v, uint32_t layer,
		 uint32_t root)
{
	const struct moore_rgraph *g = h->g;
	uint8_t last = h->last[(size_t)layer * g->n + root];
	uint32_t r = last == MOORE_SLOT_NONE ? root : g->to[g->xadj[root] + last];

	h->met = h->met_planned;
	h->wish = h->kind;
	start(h, root);
	if (r != root && h->detour == 1 && h->kind->longest)
		grow_long(h, v, root, r);
	attach_all(h, v, root, 0, false);
	for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++)
		if (is_open(h, g->to[e]) && g->flags[e] & v->flag)
			attach(h, g->to[e], g->rev[e], ok_over(h, v, root, g->to[e], g->rev[e]));
	attach_all(h, v, root, 2, false);
	cover_rest(h, v, root);
	if (h->detour > 1)
		attach_all(h, v, root, 3, false);
	attach_all(h, v, root, 1, false);
	if (h->detour == 1 && h->kind->longest)
		bring_home(h, v, root);
	h->wish = NULL;
	note(h, root);
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
			if (admitted(h, root, s, ok = ok_over(h, v, root, s, over), with_a))
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

void
moore_rhint_base(struct moore_rhint *h, const struct moore_rview *v, const uint32_t *n_connected)
{
	h->met = h->met_up;
	for (uint32_t root = 0; root < h->g->n; root++) {
		start(h, root);
		for (unsigned len = 0; h->n_reached < n_connected[root] && len < MOORE_LEN_MAX; len++)
			attach_all(h, v, root, len, true);
		if (h->n_reached < n_connected[root])
			grow_monotone(h, v, root);
		note(h, root);
		memcpy(h->base + (size_t)root * h->g->n, h->slot, h->g->n);
	}
}

static bool
all_admitted(const struct moore_rhint *h, uint32_t root)
{
	for (uint32_t i = 1; i < h->n_reached; i++)
		if (!admitted(h, root, h->queue[i], h->ok[h->queue[i]], false))
			return false;
	return true;
}

bool
moore_rhint_mend(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, bool with_a,
		 uint32_t n_connected, uint32_t *moved)
{
	uint8_t *old = (uint8_t *)h->acc;

	h->met = h->met_up;
	if (!with_a && h->g->as_planned && h->n_reached == n_connected && all_admitted(h, root)) {
		note(h, root);
		return true;
	}
	memcpy(old, h->slot, h->g->n);
	start(h, root);
	keep(h, v, root, old, with_a);
	for (unsigned len = 0; h->n_reached < n_connected && len < MOORE_LEN_MAX; len++)
		attach_all(h, v, root, len, with_a);
	if (h->n_reached < n_connected) {
		start(h, root);
		keep(h, v, root, h->base + (size_t)root * h->g->n, true);
	}
	note(h, root);
	for (uint32_t s = 0; s < h->g->n; s++)
		*moved += old[s] != MOORE_SLOT_NONE && h->slot[s] != old[s];
	return h->n_reached >= n_connected;
}

/* A parent stands in the queue before its children. */
void
moore_rhint_count(struct moore_rhint *h)
{
	const struct moore_rgraph *g = h->g;

	memset(h->acc, 0, g->n * sizeof(*h->acc));
	for (uint32_t i = h->n_reached; --i;) {
		uint32_t s = h->queue[i], e = g->xadj[s] + h->slot[s];

		h->acc[s] += g->weight[s];
		h->acc[g->to[e]] += h->acc[s];
		h->load[e] += h->acc[s];
	}
}

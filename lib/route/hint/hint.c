// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint.c - in-trees of profile sl-hint: three hops where there are any.
 *
 * A table is right for a route when along it the VL never falls and no turn from down to up
 * leaves the VL as it was: then (VL, rank) rises with every hop.  ok[] of each node says so
 * for each table, and is computed from the root outward.
 *
 * Invariant: every route from s to d and every route from d to s have a right table in common,
 * so whatever LIDs two endpoints use, one SL is right in both directions.  A route is admitted
 * when it meets all routes that go the other way so far; met[] holds those.  Of three hops
 * only dud and udu do not meet, when their up-down turns are of one sense (to a greater
 * switch, or to a lesser one).  hint_plan.c decides beforehand which sense each pair may have,
 * and notes it in met[] as if such routes existed.
 *
 * base[] has a tree for each root for which table A is right.  It is made before all others,
 * which must meet it, so it can replace any tree.  While one-lane links are up, every route
 * must suit table A, which then is common to all.
 *
 * Elsewhere: hint_layer.c, hint_plan.c, hint_grow.c, hint_serve.c, hint_mend.c. */
#include <stdlib.h>
#include <string.h>

#include "route/hint/hint_tree.h"

/* Whether a packet that arrives at a turn on VL `vl` may leave it on `next`. */
static bool
may_change(unsigned turn, unsigned vl, unsigned next)
{
	return turn == DU ? next > vl : next >= vl;
}

/* extend[one_lane][turn][rest]: table t is right for the whole on VL vl when it is right for
 * the rest on the VL that t gives the turn.  On one lane that is VL 0. */
static uint8_t
extend(unsigned one_lane, unsigned turn, unsigned rest)
{
	/* places of three switches that make each turn */
	static const uint8_t place[N_TURNS][3] = {
		[DD] = { 0, 1, 2 }, [DU] = { 0, 2, 1 }, [UD] = { 1, 0, 2 }, [UU] = { 2, 1, 0 },
		[UD_GREATER] = { 2, 0, 1 },
	};
	const uint8_t *p = place[turn];
	unsigned ok = 0;

	for (unsigned t = 0; t < MOORE_N_HINTS; t++) {
		unsigned next = one_lane ? 0 : moore_hint_vl(t, p[0], p[1], p[2]);

		for (unsigned vl = 0; vl < 2; vl++)
			if (rest >> (next * 4 + t) & 1 && may_change(turn, vl, next))
				ok |= 1u << (vl * 4 + t);
	}
	return (uint8_t)ok;
}

static void
tabulate(struct moore_rhint *h)
{
	for (unsigned one_lane = 0; one_lane < 2; one_lane++)
		for (unsigned turn = 0; turn < N_TURNS; turn++)
			for (unsigned rest = 0; rest < 256; rest++)
				h->extend[one_lane][turn][rest] = extend(one_lane, turn, rest);
	for (unsigned m = 0; m <= OK_TABLES; m++)
		for (unsigned w = 0; w <= OK_TABLES; w++)
			h->meets[m] |= (uint16_t)(((m & w) != 0) << w);
	for (unsigned m = 0; m <= OK_TABLES; m++) {
		h->bars[0][m] = h->only_a ? 0 : (uint16_t)~h->meets[m];
		h->bars[1][m] = h->bars[0][m] | (m & OK_A ? 0 : NEVER);
		h->bars[0][m] |= m && (!h->only_a || m & OK_A) ? 0 : NEVER;
	}
}

int
moore_rhint_alloc_scratch(struct moore_rhint *h)
{
	size_t n = h->g->n + 1, m = h->g->n_edges + 1;

	h->load = calloc(m, sizeof(*h->load));
	h->added = calloc(m, sizeof(*h->added));
	h->slot = malloc(n);
	h->len = malloc(n);
	h->ok = malloc(n);
	h->onward = malloc(n * sizeof(*h->onward));
	h->queue = malloc(2 * n * sizeof(*h->queue));
	h->place = malloc(n * sizeof(*h->place));
	h->acc = malloc(n * sizeof(*h->acc));
	h->beside = calloc(n, 1);
	h->way = malloc(n * sizeof(*h->way));
	h->serve = malloc(n * sizeof(*h->serve));
	h->price = malloc(n * sizeof(*h->price));
	h->bid = malloc((n + m) * sizeof(*h->bid));
	h->bin = malloc(MOORE_N_BINS * sizeof(*h->bin));
	h->fits = malloc(m);
	h->kid = malloc(n * sizeof(*h->kid));
	h->sibling = malloc(n * sizeof(*h->sibling));
	h->gate = malloc(n * sizeof(*h->gate));
	return h->load && h->added && h->slot && h->len && h->ok && h->onward && h->queue && h->place &&
		h->acc && h->beside && h->way && h->serve && h->price && h->bid && h->bin &&
		h->fits && h->kid && h->sibling && h->gate ? 0 : -MOORE_ENOMEM;
}

void
moore_rhint_free_scratch(struct moore_rhint *h)
{
	free(h->load);
	free(h->added);
	free(h->slot);
	free(h->len);
	free(h->ok);
	free(h->onward);
	free(h->queue);
	free(h->place);
	free(h->acc);
	free(h->beside);
	free(h->way);
	free(h->serve);
	free(h->price);
	free(h->bid);
	free(h->bin);
	free(h->fits);
	free(h->kid);
	free(h->sibling);
	free(h->gate);
}

int
moore_rhint_init(struct moore_rhint *h, const struct moore_rgraph *g,
		 const struct moore_rkind *kind, const struct moore_jobs *jobs)
{
	size_t n = g->n + 1;

	*h = (struct moore_rhint){
		.g = g, .kind = kind, .jobs = jobs,
		.met_planned = calloc(n * n, sizeof(*h->met_planned)),
		.met_up = calloc(n * n, sizeof(*h->met_up)), .base = malloc(n * n),
		.begun = calloc(g->n_edges + 1, sizeof(*h->begun)),
		.recent = calloc(g->n_edges + 1, sizeof(*h->recent)),
	};
	for (uint32_t e = 0; e < g->n_edges; e++)
		h->only_a |= g->flags[e] & MOORE_EDGE_UP && g->flags[e] & MOORE_EDGE_ONE_LANE;
	tabulate(h);
	return moore_rhint_alloc_scratch(h) == 0 && h->met_planned && h->met_up && h->base &&
		h->begun && h->recent ? 0 : -MOORE_ENOMEM;
}

void
moore_rhint_fini(struct moore_rhint *h)
{
	for (unsigned i = 0; i < h->n_workers; i++)
		moore_rhint_free_scratch(&h->worker[i]);
	moore_rhint_free_scratch(h);
	free(h->worker);
	free(h->slots);
	free(h->lens);
	free(h->oks);
	free(h->is_clean);
	free(h->begun);
	free(h->recent);
	free(h->last);
	free(h->n_minimal);
	free(h->met_planned);
	free(h->met_up);
	free(h->base);
	*h = (struct moore_rhint){ 0 };
}

/* ---- attaching nodes -------------------------------------------------------------- */

void
moore_rhint_start(struct moore_rhint_tree *w)
{
	struct moore_rhint *h = w->h;

	memset(h->slot, MOORE_SLOT_NONE, h->g->n);
	memset(h->len, MOORE_LEN_NONE, h->g->n);
	memset(h->ok, 0, h->g->n);
	h->len[w->root] = 0;
	h->ok[w->root] = OK_ALL;
	h->onward[w->root] = 0;
	h->queue[0] = w->root;
	h->n_reached = h->n_queued = 1;
}

void
moore_rhint_attach(struct moore_rhint_tree *w, uint32_t s, uint32_t e, uint8_t ok)
{
	struct moore_rhint *h = w->h;
	uint32_t p = h->g->to[e], first = h->g->xadj[s], place = h->n_queued++;
	uint8_t *slot = h->slot, *len = h->len, *right = h->ok;

	h->n_reached++;
	h->place[s] = place;
	h->queue[place] = s;
	h->onward[s] = h->onward[p] + h->load[e];
	slot[s] = (uint8_t)(e - first);
	len[s] = (uint8_t)(len[p] + 1);
	right[s] = ok;
}

static bool
may_carry(const struct moore_rhint_tree *w, uint32_t p, unsigned len)
{
	return w->h->len[p] == len && moore_rhint_lets_pass(w, p, len);
}

/* Takes edge e of s, to a node with len hops from where routes go on as p says, if it is better. */
static inline void
weigh(const struct moore_rhint_tree *w, uint32_t s, uint32_t e, unsigned len,
      const struct moore_rhint_on *p, struct moore_rway *best)
{
	const struct moore_rhint *h = w->h;
	uint64_t price = h->load[e] + p->load;
	uint8_t ok;

	if (price >= best->price || (h->beside[s] && w->kind->straight && len == 2))
		return;
	ok = moore_rhint_ok_by(p, w->v->turns->pos[s]);
	if (moore_rhint_admits(w, s, ok))
		*best = (struct moore_rway){ price, e, ok };
}

bool
moore_rhint_attach_best(struct moore_rhint_tree *w, uint32_t s, unsigned len)
{
	const struct moore_rgraph *g = w->h->g;
	struct moore_rway best = { .price = UINT64_MAX };

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (g->flags[e] & w->v->flag && may_carry(w, g->to[e], len)) {
			struct moore_rhint_on on = moore_rhint_on(w, g->to[e]);

			weigh(w, s, e, len, &on, &best);
		}
	if (best.price == UINT64_MAX)
		return false;
	moore_rhint_attach(w, s, best.edge, (uint8_t)best.ok);
	return true;
}

/* Returns the first node from p on that has len hops and may carry others, or n. */
static uint32_t
next_carrier(const struct moore_rhint_tree *w, uint32_t p, unsigned len)
{
	const uint8_t *lens = w->h->len, *end = lens + w->h->g->n, *at = lens + p;

	while ((at = memchr(at, (int)len, (size_t)(end - at))) &&
	       !moore_rhint_lets_pass(w, (uint32_t)(at - lens), len))
		at++;
	return (uint32_t)((at ? at : end) - lens);
}

/* Fills way[] of the neighbours of p, a node with len hops.  Where a tree that grows has several gates, nodes
 * prefer them in turn: by load alone, which is that of earlier trees, all would choose the same one. */
static void
list_ways_over(const struct moore_rhint_tree *w, uint32_t p, unsigned len, unsigned min_len)
{
	const struct moore_rhint *h = w->h;
	const struct moore_rgraph *g = h->g;
	struct moore_rhint_on on = moore_rhint_on(w, p);
	const uint64_t load = on.load;
	const uint32_t *to = g->to, *rev = g->rev, end = g->xadj[p + 1];
	const bool in_turn = w->kind && len == 2 && h->n_gates > 1;
	const uint32_t gate = in_turn ? moore_rhint_gate(h, to[g->xadj[p] + h->slot[p]]) : 0;
	const uint8_t *flags = g->flags, *lens = h->len, flag = w->v->flag;
	struct moore_rway *way = h->way;

	for (uint32_t e = g->xadj[p]; e < end; e++)
		if (lens[to[e]] >= min_len && flags[e] & flag) {
			if (in_turn)
				on.load = load + ((to[e] + w->root) % h->n_gates != gate) * ABOVE_LOADS;
			weigh(w, to[e], rev[e], len, &on, &way[to[e]]);
		}
}

void
moore_rhint_list_ways(struct moore_rhint_tree *w, unsigned len, unsigned min_len)
{
	struct moore_rhint *h = w->h;
	uint32_t n = h->g->n;

	for (uint32_t s = 0; s < n; s++)
		h->way[s].price = UINT64_MAX;
	for (uint32_t p = 0; (p = next_carrier(w, p, len)) < n; p++)
		list_ways_over(w, p, len, min_len);
}

/* From the open nodes, or from those with len hops, whichever are fewer. */
void
moore_rhint_attach_all(struct moore_rhint_tree *w, unsigned len)
{
	struct moore_rhint *h = w->h;
	uint32_t n = h->g->n, n_carry = 0;

	for (uint32_t p = 0; n_carry <= n - h->n_reached && (p = next_carrier(w, p, len)) < n; p++)
		n_carry++;
	if (n_carry > n - h->n_reached) {
		for (uint32_t s = 0; s < n; s++)
			if (moore_rhint_is_open(h, s))
				moore_rhint_attach_best(w, s, len);
		return;
	}
	moore_rhint_list_ways(w, len, MOORE_LEN_NONE);
	for (uint32_t s = 0; s < n; s++)
		if (h->way[s].price != UINT64_MAX)
			moore_rhint_attach(w, s, h->way[s].edge, (uint8_t)h->way[s].ok);
}

void
moore_rhint_close(struct moore_rhint *h)
{
	uint32_t n = 0;

	for (uint32_t i = 0; h->n_queued > h->n_reached && i < h->n_queued; i++) {
		uint32_t s = h->queue[i];

		if (s == MOORE_NONE)
			continue;
		h->place[s] = n;
		h->queue[n++] = s;
	}
	h->n_queued = h->n_reached;
}

void
moore_rhint_detach(struct moore_rhint *h, uint32_t s)
{
	if (h->n_queued - h->n_reached == h->g->n)
		moore_rhint_close(h);
	h->queue[h->place[s]] = MOORE_NONE;
	h->n_reached--;
	h->len[s] = MOORE_LEN_NONE;
}

/* ---- a whole tree -------------------------------------------------------------------- */

void
moore_rhint_note(const struct moore_rhint_tree *w)
{
	const struct moore_rhint *h = w->h;

	for (uint32_t i = 1; i < h->n_reached; i++) {
		uint32_t s = h->queue[i];

		w->met[(size_t)s * h->g->n + w->root] |= (uint16_t)(1u << (h->ok[s] & OK_TABLES));
	}
}

void
moore_rhint_count(struct moore_rhint *h, uint32_t by)
{
	const struct moore_rgraph *g = h->g;

	memset(h->acc, 0, g->n * sizeof(*h->acc));
	for (uint32_t i = h->n_reached; --i;) {
		uint32_t s = h->queue[i], e = g->xadj[s] + h->slot[s];

		h->acc[s] += g->is_source[s];
		h->acc[g->to[e]] += h->acc[s];
		h->load[e] += by * h->acc[s];
	}
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* balance.c - which of its equally short parents each leaf of each minimal tree takes.
 *
 * Load is one unit from each switch with endpoints to each LID of the slice.  Trees are
 * grown one after the other, each over the least loaded edges so far; switches without endpoints
 * that end a tree add no load, and take their parents in turn.  Then, in each slice, every leaf
 * with several equally short legal parents starts from the next of them (so that the LIDs of a
 * pair use all its paths), and local search moves leaves while that lowers the sum of the fourth
 * powers of the loads on their routes; fourth powers stand in for the greatest load.  Nodes with
 * children stay where they are, but for those that balance_middles.c moves.
 *
 * Leaves may start from parents that they take in turn (moore_rbalance_take_turns()).  In a fat tree the
 * leaves of a pod then use all switches above them for each root, and each leaf uses all for the roots
 * together, in every slice.  So the search has nothing to move, and the LIDs of a pair keep their different
 * paths.
 *
 * Profile one-vl: before that, routes move from overloaded edges to others (relieve.c). */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "route/trees/balance.h"
#include "route/tuning.h"

/* Whether node r has the same parent in every slice, so that others may choose it. */
static bool
is_fixed(const struct moore_rtree *t, const struct moore_rgraph *g, uint32_t r)
{
	return r == t->root || t->kids[r] || t->n_offers[r] < 2 || !g->is_source[r];
}

/* Appends the slot of edge e to the candidates of c. */
static bool
add_candidate(struct moore_rbalance *b, struct moore_rchoice *c, uint8_t slot)
{
	uint8_t *cand = moore_grow(b->cand, c->cand0 + c->n, &b->cap_cands, 1);

	if (!cand)
		return false;
	b->cand = cand;
	b->cand[c->cand0 + c->n++] = slot;
	return true;
}

/* Lists the parents offered to c's node that are the same in every slice, and its present
 * one, which comes first in slice 0. */
static bool
list_candidates(struct moore_rbalance *b, struct moore_rchoice *c, struct moore_rtree *t)
{
	const struct moore_rgraph *g = b->v->g;

	moore_rtree_list_offers(t, b->v, c->node);
	for (uint32_t e = t->first[c->node]; e != MOORE_NONE; e = t->next[e]) {
		uint8_t slot = (uint8_t)(e - g->xadj[c->node]);

		if (slot == t->slot[c->node])
			c->start = c->n;
		else if (!is_fixed(t, g, g->to[e]))
			continue;
		if (!add_candidate(b, c, slot))
			return false;
	}
	return true;
}

/* Adds c, which has its candidates; without a second one it is no choice. */
static bool
add_choice(struct moore_rbalance *b, struct moore_rchoices *to, const struct moore_rchoice *c)
{
	struct moore_rchoice *at;

	if (c->n < 2)
		return true;
	if (!(at = moore_grow(to->at, to->n, &to->cap, sizeof(*at))))
		return false;
	to->at = at;
	to->at[to->n++] = *c;
	b->n_cands += c->n;
	return true;
}

/* Notes the switches without endpoints that have a choice in the tree just grown, if one of them has
 * children. */
static bool
note_middles(struct moore_rbalance *b, struct moore_rtree *t)
{
	const struct moore_rgraph *g = b->v->g;
	bool carry = false;

	if (!g->is_source[t->root] || b->narrow)
		return true;
	for (uint32_t i = 1; i < t->n_reached; i++) {
		const uint32_t s = t->queue[i];

		carry |= !g->is_source[s] && t->kids[s] && t->n_offers[s] > 1;
	}
	for (uint32_t i = 1; carry && i < t->n_reached; i++) {
		struct moore_rchoice c = { t->root, t->queue[i], b->n_cands, 0, 0 };

		if (g->is_source[c.node] || t->n_offers[c.node] < 2)
			continue;
		if (!list_candidates(b, &c, t) || !add_choice(b, &b->middles, &c))
			return false;
	}
	return true;
}

/* Notes the leaves of the tree just grown that have a choice. */
static bool
note_choices(struct moore_rbalance *b, struct moore_rtree *t, uint64_t seed)
{
	const struct moore_rgraph *g = b->v->g;

	for (uint32_t i = 1; i < t->n_reached; i++) {
		uint32_t s = t->queue[i];
		struct moore_rchoice c = { t->root, s, b->n_cands, 0, 0 };

		if (t->n_offers[s] < 2 || t->kids[s] || !g->is_source[s])
			continue;
		if (!list_candidates(b, &c, t))
			return false;
		if (seed && c.n > 1) {
			struct moore_rng r = { seed ^ ((uint64_t)t->root << 32 | s) };

			c.start = (uint16_t)moore_rng_below(&r, c.n);
		}
		if (!add_choice(b, &b->leaves, &c))
			return false;
	}
	return true;
}

/* The sum of fourth powers is followed by its derivative, up to a factor: cubes. */
static void
set_load(struct moore_rbalance *b, uint32_t e, uint32_t load)
{
	uint64_t less = moore_rgraph_weighted(b->v->g, e, load);
	uint64_t more = moore_rgraph_weighted(b->v->g, e, (uint64_t)load + 1);

	b->load[e] = load;
	b->price[e].less = (int64_t)(less * less * less);
	b->price[e].more = (int64_t)(more * more * more);
}

/* Adds the tree of root to load[] so many times; UINT32_MAX (minus one) takes it back.  Prices are set
 * when all trees are there (set_prices()). */
static void
add_tree(struct moore_rbalance *b, uint32_t root, uint32_t times)
{
	const struct moore_rgraph *g = b->v->g;
	const uint16_t *reached = b->reached + (size_t)root * g->n;
	const uint8_t *slot = b->slot + (size_t)root * g->n;

	memset(b->acc, 0, g->n * sizeof(*b->acc));
	for (uint32_t i = b->n_reached[root]; i-- > 1;) {
		const uint32_t s = reached[i], n = b->acc[s] + g->is_source[s], e = g->xadj[s] + slot[s];

		if (!n)		/* many switches without endpoints end the tree */
			continue;
		b->load[e] += n * times;
		b->acc[g->to[e]] += n;
	}
}

static void
set_prices(struct moore_rbalance *b)
{
	for (uint32_t e = 0; e < b->v->g->n_edges; e++)
		set_load(b, e, b->load[e]);
}

/* ---- profile one-vl -------------------------------------------------------------------- */

/* Fills t with the tree of root as it is now, and with what its nodes could choose. */
static void
offer_again(struct moore_rbalance *b, struct moore_rtree *t, uint32_t root)
{
	const struct moore_rgraph *g = b->v->g;

	moore_rtree_start(t, g->n, root);
	memcpy(t->slot, b->slot + (size_t)root * g->n, g->n);
	memcpy(t->len, b->len + (size_t)root * g->n, g->n);
	t->n_reached = b->n_reached[root];
	for (uint32_t i = 0; i < t->n_reached; i++)
		t->queue[i] = b->reached[(size_t)root * g->n + i];
	for (uint32_t i = 1; i < t->n_reached; i++) {
		uint32_t s = t->queue[i];

		t->kids[g->to[g->xadj[s] + t->slot[s]]] = 1;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (t->len[g->to[e]] + 1 == t->len[s] &&
			    moore_rtree_may_hang(b->v, t->slot, root, e)) {
				t->next[e] = t->first[s];
				t->first[s] = e;
				t->n_offers[s]++;
			}
	}
}

static int
relieve_all(struct moore_rbalance *b, struct moore_rtree *t, uint64_t seed, struct moore_err *err)
{
	const struct moore_rgraph *g = b->v->g;

	for (uint32_t root = 0; root < g->n; root++)
		if (!g->is_source[root]) {
			b->present[root] = 0;
			add_tree(b, root, UINT32_MAX);
		}
	set_prices(b);
	moore_rbalance_relieve(b);
	for (uint32_t root = 0; root < g->n; root++) {
		offer_again(b, t, root);
		if (!note_choices(b, t, seed))
			return moore_fail_nomem(err);
	}
	return 0;
}

/* ---- building ---------------------------------------------------------------------------- */

void
moore_rbalance_take(struct moore_rbalance *b, const struct moore_rtree *t)
{
	size_t n = b->v->g->n, row = (size_t)t->root * n;

	memcpy(b->slot + row, t->slot, n);
	memcpy(b->len + row, t->len, n);
	for (uint32_t i = 0; i < t->n_reached; i++)
		b->reached[row + i] = (uint16_t)t->queue[i];
	b->n_reached[t->root] = t->n_reached;
	add_tree(b, t->root, 1);
	b->present[t->root] = 1;
}

static int
grow_all(struct moore_rbalance *b, struct moore_rtree *t, const uint32_t *n_connected,
	 uint64_t seed, uint32_t *bad, struct moore_err *err)
{
	uint32_t n = b->v->g->n;

	for (uint32_t root = 0; root < n; root++) {
		*bad = root;
		if (!moore_rtree_grow(t, b->v, root, b->load, n_connected[root]))
			return -MOORE_EUNREACH;
		moore_rbalance_take(b, t);
		if (!b->v->g->one_vl && (!note_choices(b, t, seed) || !note_middles(b, t)))
			return moore_fail_nomem(err);
	}
	set_prices(b);
	return b->v->g->one_vl ? relieve_all(b, t, seed, err) : 0;
}

int
moore_rbalance_init(struct moore_rbalance *b, const struct moore_rview *v)
{
	size_t n = v->g->n;

	*b = (struct moore_rbalance){ .v = v,
		.narrow = v->lanes && v->g->some_flags & MOORE_EDGE_ONE_LANE };
	b->slot = malloc(n * n + 1);
	b->len = malloc(n * n + 1);
	b->reached = malloc(n * n * sizeof(*b->reached) + 1);
	b->n_reached = calloc(n + 1, sizeof(*b->n_reached));
	b->load = calloc(v->g->n_edges + 1, sizeof(*b->load));
	b->price = calloc(v->g->n_edges + 1, sizeof(*b->price));
	b->present = calloc(n + 1, 1);
	b->acc = calloc(n + 1, sizeof(*b->acc));
	b->after = calloc(n + 1, sizeof(*b->after));
	b->rank = malloc((n + 1) * sizeof(*b->rank));
	return b->slot && b->len && b->reached && b->n_reached && b->load && b->price &&
		b->present && b->acc && b->after && b->rank ? 0 : -MOORE_ENOMEM;
}

int
moore_rbalance_build(struct moore_rbalance *b, const struct moore_rview *v,
		     const uint32_t *n_connected, uint64_t seed, uint32_t *bad,
		     struct moore_err *err)
{
	struct moore_rtree t = { 0 };
	int rc;

	if (moore_rbalance_init(b, v) < 0 || moore_rtree_init(&t, v->g) < 0) {
		rc = moore_fail_nomem(err);
	} else {
		t.in_turn = true;
		moore_rbalance_number(b);
		rc = grow_all(b, &t, n_connected, seed, bad, err);
	}
	moore_rtree_fini(&t);
	return rc;
}

void
moore_rbalance_fini(struct moore_rbalance *b)
{
	free(b->len);
	free(b->reached);
	free(b->n_reached);
	free(b->leaves.at);
	free(b->middles.at);
	free(b->cand);
	free(b->after);
	free(b->rank);
	moore_rbalance_fini_copy(b);
}

static void *
copy_of(const void *from, size_t bytes)
{
	void *to = malloc(bytes + 1);

	return to ? memcpy(to, from, bytes) : NULL;
}

int
moore_rbalance_copy(struct moore_rbalance *to, const struct moore_rbalance *from)
{
	size_t n = from->v->g->n, m = from->v->g->n_edges;

	*to = *from;
	to->slot = copy_of(from->slot, n * n);
	to->load = copy_of(from->load, m * sizeof(*to->load));
	to->price = copy_of(from->price, m * sizeof(*to->price));
	to->present = copy_of(from->present, n);
	to->acc = copy_of(from->acc, n * sizeof(*to->acc));
	return to->slot && to->load && to->price && to->present && to->acc ? 0 : -MOORE_ENOMEM;
}

void
moore_rbalance_fini_copy(struct moore_rbalance *b)
{
	free(b->slot);
	free(b->load);
	free(b->price);
	free(b->present);
	free(b->acc);
	*b = (struct moore_rbalance){ 0 };
}

void
moore_rbalance_change(struct moore_rbalance *b, const uint8_t *slot, uint32_t root, uint32_t e,
		      uint32_t by)
{
	const struct moore_rgraph *g = b->v->g;

	for (;; e = g->xadj[g->to[e]] + slot[g->to[e]]) {
		set_load(b, e, b->load[e] + by);
		if (g->to[e] == root)
			return;
	}
}

void
moore_rbalance_count_on(struct moore_rbalance *b, const uint8_t *slot, uint32_t root, uint32_t s,
			uint32_t by)
{
	const struct moore_rgraph *g = b->v->g;

	for (; s != root; s = g->to[g->xadj[s] + slot[s]])
		b->acc[s] += by;
}

/* Gives the leaf of c the parent edge at slot `to`. */
static void
rehang(struct moore_rbalance *b, const struct moore_rchoice *c, uint8_t to)
{
	uint8_t *slot = b->slot + (size_t)c->root * b->v->g->n;
	uint32_t base = b->v->g->xadj[c->node];

	if (slot[c->node] == to)
		return;
	if (b->present[c->root]) {
		moore_rbalance_change(b, slot, c->root, base + slot[c->node], UINT32_MAX);	/* minus one */
		moore_rbalance_change(b, slot, c->root, base + to, 1);
	}
	slot[c->node] = to;
}

/* About how much the sum of fourth powers falls when a unit goes over f instead of e.  Both
 * routes are equally long; they are followed up to where they meet. */
static int64_t
gain(const struct moore_rbalance *b, const uint8_t *slot, uint32_t e, uint32_t f)
{
	const struct moore_rgraph *g = b->v->g;
	int64_t sum = 0;

	for (;;) {
		sum += b->price[e].less - b->price[f].more;
		if (g->to[e] == g->to[f])
			return sum;
		e = g->xadj[g->to[e]] + slot[g->to[e]];
		f = g->xadj[g->to[f]] + slot[g->to[f]];
	}
}

/* Returns the slot of the leaf's best parent: the first of those by which the sum falls most. */
static uint8_t
best_parent(const struct moore_rbalance *b, const struct moore_rchoice *c)
{
	const struct moore_rgraph *g = b->v->g;
	const uint8_t *slot = b->slot + (size_t)c->root * g->n, *cand = b->cand + c->cand0;
	const uint8_t now = slot[c->node];
	const uint32_t base = g->xadj[c->node], e = base + now, r = g->to[e], on = g->xadj[r] + slot[r];
	const int64_t less = b->price[e].less + b->price[on].less;
	const bool two_hops = g->to[on] == c->root;
	int64_t most = 0;
	uint8_t best = now;

	for (uint32_t k = 0; k < c->n; k++) {
		const uint32_t f = base + cand[k], p = g->to[f], next = g->xadj[p] + slot[p];
		const int64_t more = cand[k] == now ? 0 :
			two_hops && g->to[next] == c->root ?	/* the usual case of gain() */
			less - b->price[f].more - b->price[next].more : gain(b, slot, e, f);

		if (more > most) {
			most = more;
			best = cand[k];
		}
	}
	return best;
}

/* One round over all leaves, each to its best parent; returns how many moved. */
static size_t
move_leaves(struct moore_rbalance *b)
{
	size_t moved = 0;

	for (uint32_t i = 0; i < b->leaves.n; i++) {
		const struct moore_rchoice *c = &b->leaves.at[i];
		const uint8_t *slot = b->slot + (size_t)c->root * b->v->g->n;
		const uint8_t best = b->present[c->root] ? best_parent(b, c) : slot[c->node];

		moved += best != slot[c->node];
		rehang(b, c, best);
	}
	return moved;
}

/* Takes the trees whose roots are not present[] out of load[], or adds those that are. */
static void
set_present(struct moore_rbalance *b, const uint8_t *present)
{
	bool any = false;

	for (uint32_t root = 0; root < b->v->g->n; root++)
		if ((present && present[root]) != b->present[root]) {
			b->present[root] = !b->present[root];
			add_tree(b, root, b->present[root] ? 1 : UINT32_MAX);
			any = true;
		}
	if (any)
		set_prices(b);
}

/* Every leaf takes the i-th of its parents after the first. */
static void
start_leaves(struct moore_rbalance *b, unsigned i)
{
	for (uint32_t k = 0; k < b->leaves.n; k++) {
		const struct moore_rchoice *c = &b->leaves.at[k];

		rehang(b, c, b->cand[c->cand0 + (c->start + i) % c->n]);
	}
}

/* A slice does not depend on those before it, so leaves go back before switches look at them. */
void
moore_rbalance_slice(struct moore_rbalance *b, unsigned i, const uint8_t *present)
{
	if (b->middles.n) {
		set_present(b, NULL);
		start_leaves(b, 0);
		moore_rbalance_start_middles(b, i);
	}
	start_leaves(b, i);
	set_present(b, present);
	for (unsigned round = 0; round < MOORE_BALANCE_ROUNDS; round++) {
		const size_t moved = moore_rbalance_move_middles(b);

		if (move_leaves(b) + moved == 0)
			break;
	}
}

void
moore_rbalance_take_turns(struct moore_rbalance *b)
{
	for (uint32_t k = 0; k < b->leaves.n; k++)
		b->leaves.at[k].start = (uint16_t)moore_rbalance_turn(b, &b->leaves, k, 0);
}

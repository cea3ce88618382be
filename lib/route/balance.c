// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* balance.c - which of its equal choices each leaf of each tree takes.
 *
 * Load: one unit from each switch with endpoints to each LID of the slice.
 * Trees are grown one after the other, cheapest first.  Then, slice by slice,
 * each leaf with several equally short legal parents starts from the next one in
 * turn (so that a pair's LIDs use all its paths), and local search moves leaves
 * while that lowers the sum of the loads' fourth powers along their routes; the
 * fourth power stands in for the greatest load.  Inner nodes stay. */
#include <stdlib.h>
#include <string.h>

#include "route/route_impl.h"

#define MAX_SWEEPS 12

static bool
room(void **p, size_t *cap, size_t n, size_t size)
{
	size_t want = *cap ? *cap : 1024;
	void *q;

	if (n <= *cap)
		return true;
	while (want < n)
		want *= 2;
	if (!(q = realloc(*p, want * size)))
		return false;
	*p = q;
	*cap = want;
	return true;
}

/* Does node r stay where it is in every slice, so that others may hang on it? */
static bool
is_fixed(const struct moore_rtree *t, const struct moore_rgraph *g, uint32_t r)
{
	return r == t->root || t->kids[r] || t->n_offers[r] < 2 || !g->weight[r];
}

/* The offers of c's node that keep, in every slice, the routes beyond them; its
 * own, which comes first in slice 0, is one.  cand has room for all. */
static void
list_candidates(struct moore_rchoice *c, const struct moore_rtree *t,
		const struct moore_rgraph *g, uint8_t *cand)
{
	for (uint32_t e = t->first[c->node]; e != MOORE_NONE; e = t->next[e]) {
		uint8_t slot = (uint8_t)(e - g->xadj[c->node]);

		if (slot == t->slot[c->node])
			c->home = c->n;
		else if (!is_fixed(t, g, g->to[e]))
			continue;
		cand[c->n++] = slot;
	}
}

/* Remember the leaves of the grown tree that have a choice. */
static bool
note_choices(struct moore_rbalance *b, const struct moore_rtree *t, uint64_t seed)
{
	const struct moore_rgraph *g = b->v->g;

	for (uint32_t i = 1; i < t->n_reached; i++) {
		uint32_t s = t->queue[i];
		struct moore_rchoice c = { t->root, s, (uint32_t)b->n_cands, 0, 0 };

		if (t->n_offers[s] < 2 || t->kids[s] || !g->weight[s])
			continue;
		if (!room((void **)&b->choice, &b->cap_choices, b->n_choices + 1, sizeof(*b->choice)) ||
		    !room((void **)&b->cand, &b->cap_cands, b->n_cands + t->n_offers[s], 1))
			return false;
		list_candidates(&c, t, g, b->cand + b->n_cands);
		if (c.n < 2)
			continue;
		if (seed) {
			struct moore_rng r = { seed ^ ((uint64_t)t->root << 32 | s) };

			c.home = (uint16_t)moore_rng_below(&r, c.n);
		}
		b->choice[b->n_choices++] = c;
		b->n_cands += c.n;
	}
	return true;
}

/* Add the tree of root, as it stands, to load[]. */
static void
add_tree(struct moore_rbalance *b, uint32_t root)
{
	const struct moore_rgraph *g = b->v->g;
	const uint16_t *order = b->order + (size_t)root * g->n;
	const uint8_t *slot = b->slot + (size_t)root * g->n;

	for (uint32_t i = 0; i < b->n_reached[root]; i++)
		b->acc[order[i]] = g->weight[order[i]];
	for (uint32_t i = b->n_reached[root]; i-- > 1;) {
		uint32_t s = order[i], e = g->xadj[s] + slot[s];

		b->load[e] += b->acc[s];
		b->acc[g->to[e]] += b->acc[s];
	}
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
		memcpy(b->slot + (size_t)root * n, t->slot, n);
		memcpy(b->len + (size_t)root * n, t->len, n);
		for (uint32_t i = 0; i < t->n_reached; i++)
			b->order[(size_t)root * n + i] = (uint16_t)t->queue[i];
		b->n_reached[root] = t->n_reached;
		add_tree(b, root);
		if (!note_choices(b, t, seed))
			return moore_fail_nomem(err);
	}
	return 0;
}

int
moore_rbalance_build(struct moore_rbalance *b, const struct moore_rview *v,
		     const uint32_t *n_connected, uint64_t seed, uint32_t *bad,
		     struct moore_err *err)
{
	size_t n = v->g->n;
	struct moore_rtree t = { 0 };
	int rc;

	*b = (struct moore_rbalance){ .v = v };
	b->slot = malloc(n * n + 1);
	b->len = malloc(n * n + 1);
	b->order = malloc(n * n * sizeof(*b->order) + 1);
	b->n_reached = calloc(n + 1, sizeof(*b->n_reached));
	b->load = calloc(v->g->n_edges + 1, sizeof(*b->load));
	b->acc = calloc(n + 1, sizeof(*b->acc));
	if (!b->slot || !b->len || !b->order || !b->n_reached || !b->load || !b->acc ||
	    moore_rtree_init(&t, v->g) < 0)
		rc = moore_fail_nomem(err);
	else
		rc = grow_all(b, &t, n_connected, seed, bad, err);
	moore_rtree_fini(&t);
	return rc;
}

void
moore_rbalance_fini(struct moore_rbalance *b)
{
	free(b->slot);
	free(b->len);
	free(b->order);
	free(b->n_reached);
	free(b->load);
	free(b->choice);
	free(b->cand);
	free(b->acc);
	*b = (struct moore_rbalance){ 0 };
}

/* What one unit more along that route adds to the sum of fourth powers, nearly. */
static uint64_t
route_price(const struct moore_rbalance *b, const uint8_t *slot, uint32_t root, uint32_t e)
{
	const struct moore_rgraph *g = b->v->g;
	uint64_t sum = 0;
	uint32_t s;

	for (;;) {
		uint64_t l = moore_rgraph_cost(g, e, (uint64_t)b->load[e] + 1);

		sum += l * l * l;
		if ((s = g->to[e]) == root)
			return sum;
		e = g->xadj[s] + slot[s];
	}
}

/* Move leaves to cheaper parents once around; how many moved. */
static size_t
sweep(struct moore_rbalance *b, const uint8_t *present)
{
	const struct moore_rgraph *g = b->v->g;
	size_t moved = 0;

	for (size_t i = 0; i < b->n_choices; i++) {
		const struct moore_rchoice *c = &b->choice[i];
		uint8_t *slot = b->slot + (size_t)c->root * g->n;
		uint32_t base = g->xadj[c->node];
		uint8_t now = slot[c->node], best = now;
		uint64_t least;

		if (!present[c->root])
			continue;
		moore_rload_add(b->load, g, slot, c->root, base + now, UINT32_MAX);	/* minus one */
		least = route_price(b, slot, c->root, base + now);
		for (uint32_t k = 0; k < c->n; k++) {
			uint8_t other = b->cand[c->first + k];
			uint64_t p = route_price(b, slot, c->root, base + other);

			if (p < least) {
				least = p;
				best = other;
			}
		}
		moore_rload_add(b->load, g, slot, c->root, base + best, 1);
		slot[c->node] = best;
		moved += best != now;
	}
	return moved;
}

void
moore_rbalance_slice(struct moore_rbalance *b, unsigned i, const uint8_t *present)
{
	const struct moore_rgraph *g = b->v->g;

	for (size_t k = 0; k < b->n_choices; k++) {
		const struct moore_rchoice *c = &b->choice[k];

		b->slot[(size_t)c->root * g->n + c->node] =
			b->cand[c->first + (c->home + i) % c->n];
	}
	memset(b->load, 0, g->n_edges * sizeof(*b->load));
	for (uint32_t root = 0; root < g->n; root++)
		if (present[root])
			add_tree(b, root);
	for (unsigned round = 0; round < MAX_SWEEPS; round++)
		if (!sweep(b, present))
			break;
}

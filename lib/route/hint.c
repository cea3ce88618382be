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

#include "route/hint_impl.h"

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
		unsigned w = one_lane ? 0 : moore_hint_vl(t, p[0], p[1], p[2]);

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
		.price = malloc(n * sizeof(*h->price)), .way = malloc(n * sizeof(*h->way)),
		.serve = malloc(n * sizeof(*h->serve)), .fits = malloc(g->n_edges + 1),
		.beside = calloc(n, 1), .kid = malloc(n * sizeof(*h->kid)),
		.sibling = malloc(n * sizeof(*h->sibling)),
	};
	for (uint32_t e = 0; e < g->n_edges; e++)
		h->poor |= g->flags[e] & MOORE_EDGE_UP && g->flags[e] & MOORE_EDGE_ONE_LANE;
	tabulate(h);
	return h->load && h->slot && h->len && h->ok && h->queue && h->acc && h->met_planned &&
		h->met_up && h->base && h->price && h->way && h->serve && h->fits && h->beside &&
		h->kid && h->sibling ? 0 : -MOORE_ENOMEM;
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
	free(h->way);
	free(h->serve);
	free(h->fits);
	free(h->beside);
	free(h->kid);
	free(h->sibling);
	*h = (struct moore_rhint){ 0 };
}

/* ---- a tree in the making ------------------------------------------------------ */

void
moore_rhint_start(struct moore_rhint *h, uint32_t root)
{
	memset(h->slot, MOORE_SLOT_NONE, h->g->n);
	memset(h->len, MOORE_LEN_NONE, h->g->n);
	memset(h->ok, 0, h->g->n);
	h->len[root] = 0;
	h->ok[root] = OK_ALL;
	h->queue[0] = root;
	h->n_reached = 1;
}

void
moore_rhint_attach(struct moore_rhint *h, uint32_t s, uint32_t e, uint8_t ok)
{
	h->slot[s] = (uint8_t)(e - h->g->xadj[s]);
	h->len[s] = (uint8_t)(h->len[h->g->to[e]] + 1);
	h->ok[s] = ok;
	h->queue[h->n_reached++] = s;
}

static bool
may_carry(const struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t p,
	  unsigned len)
{
	return h->len[p] == len && moore_rhint_lets_pass(h, v, root, p, len);
}

/* Take edge e of s, over which p is at the right length, when that is better. */
static inline void
weigh(const struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t s,
      uint32_t e, bool with_a, struct moore_rway *best)
{
	const struct moore_rgraph *g = h->g;
	uint32_t p = g->to[e];
	uint64_t price = h->load[e] + (p == root ? 0 : h->load[g->xadj[p] + h->slot[p]]);
	uint8_t ok;

	if (price < best->price && !(h->beside[s] && h->wish->straight && h->len[p] == 2) &&
	    moore_rhint_admits(h, root, s, ok = moore_rhint_ok_over(h, v, root, s, e), with_a))
		*best = (struct moore_rway){ price, e, ok };
}

bool
moore_rhint_attach_best(struct moore_rhint *h, const struct moore_rview *v, uint32_t root,
			uint32_t s, unsigned len, bool with_a)
{
	struct moore_rway best = { .price = UINT64_MAX };

	for (uint32_t e = h->g->xadj[s]; e < h->g->xadj[s + 1]; e++)
		if (h->g->flags[e] & v->flag && may_carry(h, v, root, h->g->to[e], len))
			weigh(h, v, root, s, e, with_a, &best);
	if (best.price != UINT64_MAX)
		moore_rhint_attach(h, s, best.edge, best.ok);
	return best.price != UINT64_MAX;
}

void
moore_rhint_offer(struct moore_rhint *h, const struct moore_rview *v, uint32_t root,
		  unsigned len, unsigned least, bool with_a)
{
	const struct moore_rgraph *g = h->g;

	for (uint32_t s = 0; s < g->n; s++)
		h->way[s].price = UINT64_MAX;
	for (uint32_t p = 0; p < g->n; p++)
		for (uint32_t e = g->xadj[p]; may_carry(h, v, root, p, len) && e < g->xadj[p + 1]; e++) {
			uint32_t s = g->to[e];

			if (h->len[s] >= least && g->flags[e] & v->flag)
				weigh(h, v, root, s, g->rev[e], with_a, &h->way[s]);
		}
}

/* From whose side is it less work? */
void
moore_rhint_attach_all(struct moore_rhint *h, const struct moore_rview *v, uint32_t root,
		       unsigned len, bool with_a)
{
	uint32_t n = h->g->n, n_carry = 0;

	for (uint32_t s = 0; s < n; s++)
		n_carry += h->len[s] == len;
	if (n_carry > n - h->n_reached) {
		for (uint32_t s = 0; s < n; s++)
			if (moore_rhint_open(h, s))
				moore_rhint_attach_best(h, v, root, s, len, with_a);
		return;
	}
	moore_rhint_offer(h, v, root, len, MOORE_LEN_NONE, with_a);
	for (uint32_t s = 0; s < n; s++)
		if (h->way[s].price != UINT64_MAX)
			moore_rhint_attach(h, s, h->way[s].edge, h->way[s].ok);
}

void
moore_rhint_note(struct moore_rhint *h, uint32_t root)
{
	for (uint32_t i = 1; i < h->n_reached; i++) {
		uint32_t s = h->queue[i];

		h->met[(size_t)s * h->g->n + root] |= (uint16_t)(1u << (h->ok[s] & OK_TABLES));
	}
}

/* A parent stands in the queue before its children. */
void
moore_rhint_count(struct moore_rhint *h)
{
	const struct moore_rgraph *g = h->g;

	memset(h->acc, 0, g->n * sizeof(*h->acc));
	for (uint32_t i = h->n_reached; --i;) {
		uint32_t s = h->queue[i], e = g->xadj[s] + h->slot[s];

		h->acc[s] += g->is_source[s];
		h->acc[g->to[e]] += h->acc[s];
		h->load[e] += h->acc[s];
	}
}

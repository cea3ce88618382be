// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint_grow.c - a layer's tree under sl-hint.
 *
 * Everybody goes through one neighbour of the root (hint_plan.c).  Who has no way
 * there is served by one who takes two hops over another neighbour: the cheapest for
 * what it serves, then the next, until none serves any.  What a node's two hops
 * would be never changes meanwhile, so it is settled once, and for each only how many
 * of those left hang on it, and over what load, is kept up as they find places. */
#include <string.h>

#include "route/hint_impl.h"

#define N_BEFORE 3		/* switches two hops before a root that has routes of four */

static void
mark_beside(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint8_t mark)
{
	for (uint32_t e = v->g->xadj[root]; e < v->g->xadj[root + 1]; e++)
		if (v->g->flags[e] & v->flag)
			h->beside[v->g->to[e]] = mark;
}

/* ---- who is left ---------------------------------------------------------------- */

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

/* Could s, over two hops, serve open ones?  The price is by how many more than it
 * costs, and by the load of the links. */
static void
rate(struct moore_rhint *h, uint32_t s)
{
	const struct moore_rserve *r = &h->serve[s];
	uint32_t costs = !moore_rhint_open(h, s), n = r->n - costs;
	uint64_t load;

	h->price[s] = UINT64_MAX;
	if (r->n <= costs || (costs && !may_shorten(h, s)))
		return;
	load = (r->load + r->n * h->way[s].price) / n;
	h->price[s] = moore_cube(load < 1 << 20 ? load + 1 : 1 << 20) / (h->detour == 1 ? n * n : 1);
}

/* Open c: over which neighbours, at two hops, may it go?  fits[] of its edges is what
 * it would then be right for. */
static void
find_servers(struct moore_rhint *h, const struct moore_rview *v, uint32_t root, uint32_t c)
{
	const struct moore_rgraph *g = h->g;

	for (uint32_t e = g->xadj[c]; e < g->xadj[c + 1]; e++) {
		uint32_t s = g->to[e];
		const struct moore_rway *w = &h->way[s];
		uint8_t ok;

		h->fits[e] = 0;
		if (w->price == UINT64_MAX || !(g->flags[e] & v->flag) ||
		    !moore_rhint_lets_pass(h, v, root, s, 2))
			continue;
		ok = moore_rhint_ok_on(h, v, c, s, w->edge, w->ok);
		if (!moore_rhint_admits(h, root, c, ok, false))
			continue;
		h->fits[e] = ok;
		h->serve[s].n++;
		h->serve[s].load += h->load[e];
	}
}

/* c is not open any more. */
static void
close_place(struct moore_rhint *h, uint32_t c)
{
	const struct moore_rgraph *g = h->g;

	rate(h, c);
	for (uint32_t e = g->xadj[c]; e < g->xadj[c + 1]; e++)
		if (h->fits[e]) {
			h->serve[g->to[e]].n--;
			h->serve[g->to[e]].load -= h->load[e];
			rate(h, g->to[e]);
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

/* Take s, open or a leaf, to two hops, and whom it serves to three. */
static void
serve(struct moore_rhint *h, uint32_t s)
{
	const struct moore_rgraph *g = h->g;
	bool was_open = moore_rhint_open(h, s);
	uint32_t from;

	if (!was_open)
		detach(h, s);
	moore_rhint_attach(h, s, h->way[s].edge, h->way[s].ok);
	from = h->n_reached;
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		if (moore_rhint_open(h, g->to[e]) && h->fits[g->rev[e]])
			moore_rhint_attach(h, g->to[e], g->rev[e], h->fits[g->rev[e]]);
	h->price[s] = UINT64_MAX;
	for (uint32_t i = from - was_open; i < h->n_reached; i++)
		close_place(h, h->queue[i]);
}

/* Let one that serves many others, over links of little load, take two hops to
 * the root, be it open or a leaf at three; until none serves any. */
static void
cover_rest(struct moore_rhint *h, const struct moore_rview *v, uint32_t root)
{
	uint32_t n = h->g->n;

	moore_rhint_offer(h, v, root, 1, 3, false);
	memset(h->serve, 0, n * sizeof(*h->serve));
	for (uint32_t s = 0; s < n; s++)
		if (moore_rhint_open(h, s))
			find_servers(h, v, root, s);
	for (uint32_t s = 0; s < n; s++)
		rate(h, s);
	for (;;) {
		uint32_t best = 0;

		for (uint32_t s = 1; s < n; s++)
			if (h->price[s] < h->price[best])
				best = s;
		if (h->price[best] == UINT64_MAX)
			return;
		serve(h, best);
	}
}

/* ---- the tree -------------------------------------------------------------------- */

/* The least loaded edge to r from a switch two hops before the root on which others
 * may hang. */
static uint32_t
edge_before(const struct moore_rhint *h, const struct moore_rview *v, uint32_t r)
{
	const struct moore_rgraph *g = h->g;
	uint32_t best = MOORE_NONE;

	for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++) {
		uint32_t i = g->to[e], over = g->rev[e];

		if (moore_rhint_open(h, i) && g->flags[e] & v->flag && moore_rview_transit(v, i) &&
		    (!h->kind->among_hosts || g->is_source[i]) && !h->beside[i] &&
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

	moore_rhint_attach_best(h, v, root, r, 0, false);
	for (unsigned k = 0; k < N_BEFORE && (e = edge_before(h, v, r)) != MOORE_NONE; k++) {
		uint32_t i = g->to[g->rev[e]];

		moore_rhint_attach(h, i, e, moore_rhint_ok_over(h, v, root, i, e));
	}
	moore_rhint_attach_all(h, v, root, 2, false);
	moore_rhint_attach_all(h, v, root, 3, false);
}

/* Who is left stands behind neighbours of the root that go round: one comes home. */
static void
bring_home(struct moore_rhint *h, const struct moore_rview *v, uint32_t root)
{
	const struct moore_rgraph *g = h->g;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; moore_rhint_open(h, s) && e < g->xadj[s + 1]; e++) {
			uint32_t x = g->to[e];

			if (!(g->flags[e] & v->flag) || h->len[x] != 4 || !h->beside[x])
				continue;
			detach(h, x);
			moore_rhint_attach_best(h, v, root, x, 0, false);
			moore_rhint_attach_best(h, v, root, s, 1, false);
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
	moore_rhint_start(h, root);
	mark_beside(h, v, root, 1);
	if (r != root && h->detour == 1 && h->kind->longest)
		grow_long(h, v, root, r);
	moore_rhint_attach_all(h, v, root, 0, false);
	for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++)
		if (moore_rhint_open(h, g->to[e]) && g->flags[e] & v->flag)
			moore_rhint_attach(h, g->to[e], g->rev[e], moore_rhint_ok_over(h, v, root, g->to[e], g->rev[e]));
	moore_rhint_attach_all(h, v, root, 2, false);
	if (h->n_reached < g->n)
		cover_rest(h, v, root);
	if (h->detour > 1)
		moore_rhint_attach_all(h, v, root, 3, false);
	moore_rhint_attach_all(h, v, root, 1, false);
	if (h->detour == 1 && h->kind->longest)
		bring_home(h, v, root);
	mark_beside(h, v, root, 0);
	h->wish = NULL;
	moore_rhint_note(h, root);
}

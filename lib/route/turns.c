// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* turns.c - which turns are allowed: ranks of the directed links.
 *
 * A turn is allowed when the rank rises, so the allowed set is acyclic whatever
 * the ranks are.  Two constructions, from an order of the switches (order.c):
 *
 * By the order (all LIDs minimal, or where colours do not suit: route.c): up links by
 * their head from low to high, then down links by their head from high to low.  All
 * turns are allowed but down-up (Autonet: Schroeder et al., IEEE J. Sel. Areas
 * Commun. 9(8), 1991).
 *
 * By colours (Valiant layers): links rise by colour.  In the middle of the colours
 * stand the links of one spanning tree, first towards its root, deepest first,
 * then away from it, deepest last.  Where every link joins a switch with endpoints and
 * one without (OFT, MLFM), the middle switches are split into two halves P1 and
 * P2 and low->P1, P1->low, low->P2, P2->low rise in this order, so that every
 * turn at a middle switch and those P1->low->P2 are allowed.  Elsewhere a proper
 * colouring of the links, both directions alike: half of all turns at each
 * switch.  All switches then look nearly alike, and load is even.  Colours and
 * halves are made for what is planned and do not change with what is missing.
 *
 * When a link is lost, as much as can be stays.  By the order, the common neighbour
 * that its ends now go round by is raised where the way would be down-up.  By
 * colours the spanning tree keeps every link that is up, and its parts are joined
 * by links whose colours are next to the middle: such a link keeps its turns.
 *
 * Either way all turns of the spanning tree are allowed, which is what the last
 * resort of unicast and multicast stand on.  Its parents are greater in the
 * order.  By colours it has few links at any switch, and middle switches of P2
 * are leaves of it where they can be: its links take part in fewer turns than
 * their colours would. */
#include <stdlib.h>
#include <string.h>

#include "route/route_impl.h"

enum { LOW_P1, P1_LOW, LOW_P2, P2_LOW };

#define MAX_SWEEPS 16

int
moore_rturns_init(struct moore_rturns *t, const struct moore_rgraph *g)
{
	t->pos = calloc((size_t)g->n + 1, sizeof(*t->pos));
	t->rank = calloc((size_t)g->n_edges + 1, sizeof(*t->rank));
	t->parent = calloc((size_t)g->n + 1, sizeof(*t->parent));
	return t->pos && t->rank && t->parent ? 0 : -MOORE_ENOMEM;
}

void
moore_rturns_fini(struct moore_rturns *t)
{
	free(t->pos);
	free(t->rank);
	free(t->parent);
	*t = (struct moore_rturns){ 0 };
}

/* Does every planned link join a switch with endpoints and one without? */
static bool
has_middles(const struct moore_rgraph *g)
{
	uint32_t n_links = 0;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			if (!(g->flags[e] & MOORE_EDGE_PLANNED))
				continue;
			if (g->weight[s] == g->weight[g->to[e]])
				return false;
			n_links++;
		}
	return n_links > 0;
}

/* Put middle switch m into the other half; lean[] of a switch: how many more of its
 * planned neighbours are in P1 than in P2. */
static void
change_half(struct moore_rgraph *g, uint32_t m, int *lean)
{
	g->half[m] ^= 3;
	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
		if (g->flags[e] & MOORE_EDGE_PLANNED)
			lean[g->to[e]] += g->half[m] == 2 ? -2 : 2;
}

static int64_t
fourth(int64_t x)
{
	return x * x * x * x;
}

/* What changing m would add to the sum of fourth powers of lean[]. */
static int64_t
gain_of_change(const struct moore_rgraph *g, uint32_t m, const int *lean)
{
	int by = g->half[m] == 2 ? 2 : -2;
	int64_t sum = 0;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
		if (g->flags[e] & MOORE_EDGE_PLANNED)
			sum += fourth(lean[g->to[e]] + by) - fourth(lean[g->to[e]]);
	return sum;
}

/* Change m, alone or with another of the other half, when that evens lean[]. */
static bool
try_change(struct moore_rgraph *g, uint32_t m, int *lean)
{
	int64_t gain = gain_of_change(g, m, lean);

	change_half(g, m, lean);
	if (gain < 0)
		return true;
	for (uint32_t o = 0; o < g->n; o++)
		if (g->half[o] == g->half[m] && o != m && gain + gain_of_change(g, o, lean) < 0) {
			change_half(g, o, lean);
			return true;
		}
	change_half(g, m, lean);
	return false;
}

/* Halves such that each switch with endpoints has about as many neighbours in one
 * as in the other: first by turns, then by local search. */
static void
split_middles(struct moore_rgraph *g, int *lean)
{
	bool any = true;

	for (uint32_t m = 0; m < g->n; m++) {
		int sum = 0;

		if (g->weight[m])
			continue;
		for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
			sum += g->flags[e] & MOORE_EDGE_PLANNED ? lean[g->to[e]] : 0;
		g->half[m] = sum > 0 || (sum == 0 && m & 1) ? 2 : 1;
		for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
			if (g->flags[e] & MOORE_EDGE_PLANNED)
				lean[g->to[e]] += g->half[m] == 2 ? -1 : 1;
	}
	for (unsigned sweep = 0; any && sweep < MAX_SWEEPS; sweep++) {
		any = false;
		for (uint32_t m = 0; m < g->n; m++)
			any |= g->half[m] && try_change(g, m, lean);
	}
}

static void
colour_by_halves(const struct moore_rgraph *g, uint32_t *colour)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			if (g->weight[s])
				colour[e] = g->half[g->to[e]] == 2 ? LOW_P2 : LOW_P1;
			else
				colour[e] = g->half[s] == 2 ? P2_LOW : P1_LOW;
		}
}

/* Least colour that neither end has yet; planned links first. */
static void
colour_properly(const struct moore_rgraph *g, uint32_t *colour, uint64_t (*used)[8])
{
	for (int planned = 1; planned >= 0; planned--)
		for (uint32_t s = 0; s < g->n; s++)
			for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
				uint32_t c = 0, t = g->to[e];
				bool is_planned = g->flags[e] & MOORE_EDGE_PLANNED;

				if (t < s || is_planned != (bool)planned)
					continue;
				while (moore_bits_get(used[s], c) || moore_bits_get(used[t], c))
					c++;
				moore_bits_set(used[s], c);
				moore_bits_set(used[t], c);
				colour[e] = colour[g->rev[e]] = c;
			}
}

int
moore_rturns_colour(struct moore_rgraph *g, uint32_t *colour, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint64_t (*used)[8] = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*used));
	int *lean = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*lean));

	if (!used || !lean) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	if (has_middles(g)) {
		split_middles(g, lean);
		colour_by_halves(g, colour);
		for (uint32_t s = 0; s < g->n; s++)
			g->prio[s] = (uint8_t)(g->half[s] ? 2 * (g->half[s] - 1) : 1);
	} else {
		colour_properly(g, colour, used);
	}
	moore_arena_free(&tmp);
	return 0;
}

/* The tree of the order: each node's parent is its greatest neighbour, or, where
 * n_kids (zeroed) is given, the greater neighbour with fewest children.  The
 * parent that it has in old (may be NULL) is kept where it can be. */
static void
tree_of_order(const struct moore_rview *v, const uint32_t *pos, const uint32_t *old,
	      uint32_t *n_kids, uint32_t *parent)
{
	const struct moore_rgraph *g = v->g;

	for (uint32_t s = 0; s < g->n; s++) {
		uint64_t least = UINT64_MAX;

		parent[s] = MOORE_NONE;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			uint32_t r = g->to[e];
			uint64_t price = pos[r];

			if (!(g->flags[e] & v->flag) || pos[r] > pos[s] || !moore_rview_transit(v, r))
				continue;
			if (n_kids)
				price += (uint64_t)n_kids[r] << 32;
			if (old && old[s] == e)
				price = 0;
			if (price < least) {
				least = price;
				parent[s] = e;
			}
		}
		if (parent[s] != MOORE_NONE && n_kids)
			n_kids[g->to[parent[s]]]++;
	}
}

/* Parents are greater, so in the order they come before their children. */
static void
measure(const struct moore_rgraph *g, const uint32_t *pos, const uint32_t *parent,
	uint32_t *depth, uint32_t *at)
{
	for (uint32_t s = 0; s < g->n; s++)
		at[pos[s]] = s;
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t s = at[i], e = parent[s];

		depth[s] = e == MOORE_NONE ? 0 : depth[g->to[e]] + 1;
	}
}

/* Give the tree's links the ranks after first: n of them inward, n outward. */
static void
rank_tree(const struct moore_rgraph *g, const uint32_t *parent, const uint32_t *depth,
	  uint32_t first, uint32_t *rank)
{
	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t e = parent[s];

		if (e == MOORE_NONE)
			continue;
		rank[e] = first + g->n - depth[s];
		rank[g->rev[e]] = first + g->n + depth[s];
	}
}

static void
rank_by_order(const struct moore_rgraph *g, const uint32_t *pos, uint32_t *rank)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			uint32_t head = pos[g->to[e]];

			rank[e] = head < pos[s] ? g->n - head : g->n + 1 + head;
		}
}

/* Lower colours, room for the tree, upper colours; the first rank of the room. */
static uint32_t
rank_by_colour(const struct moore_rgraph *g, const uint32_t *colour, uint32_t *rank)
{
	uint32_t n_colours = 0;

	for (uint32_t e = 0; e < g->n_edges; e++)
		n_colours = colour[e] >= n_colours ? colour[e] + 1 : n_colours;
	for (uint32_t e = 0; e < g->n_edges; e++)
		rank[e] = colour[e] + (colour[e] >= n_colours / 2 ? 2 * g->n + 1 : 0);
	return n_colours / 2;
}

/* ---- the tree of the colours, mended ------------------------------------------ */

static uint32_t
find(uint32_t *part, uint32_t s)
{
	while (part[s] != s)
		s = part[s] = part[part[s]];
	return s;
}

struct mend {
	const struct moore_rview *v;
	const uint32_t *colour;
	uint32_t half, *part;	/* part: of a node, by union and find */
	uint32_t *depth;	/* in the old tree */
	uint8_t *in;		/* of an edge: in the tree, either way */
};

static void
join(struct mend *m, uint32_t s, uint32_t e)
{
	m->in[e] = m->in[m->v->g->rev[e]] = 1;
	m->part[find(m->part, s)] = find(m->part, m->v->g->to[e]);
}

/* How far the colours of edge e are from the middle: in the tree it loses the
 * turns with links of the colours between. */
static uint32_t
misfit(const struct mend *m, uint32_t e)
{
	uint32_t c = m->colour[e];

	return c < m->half ? m->half - 1 - c : c - m->half;
}

/* A hop of depth is as dear as two colours each way: a deep tree makes the last
 * resort long. */
static uint64_t
price(const struct mend *m, uint32_t e)
{
	const struct moore_rgraph *g = m->v->g;
	uint32_t back = g->rev[e];

	return misfit(m, e) + misfit(m, back) +
		4 * ((uint64_t)m->depth[g->to[e]] + m->depth[g->to[back]]);
}

static int
by_price(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Join what is apart by links that lose few turns and were near the root.
 * Switches that cannot pass packets on are leaves, and come last. */
static void
join_parts(struct mend *m, uint64_t *link)
{
	const struct moore_rgraph *g = m->v->g;
	size_t n = 0;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			bool leaf = !moore_rview_transit(m->v, s);

			if (g->flags[e] & m->v->flag && moore_rview_transit(m->v, g->to[e]) &&
			    (leaf || s < g->to[e]))
				link[n++] = (uint64_t)leaf << 63 | price(m, e) << 32 | e;
		}
	qsort(link, n, sizeof(*link), by_price);
	for (size_t i = 0; i < n; i++) {
		uint32_t e = (uint32_t)link[i], s = g->to[g->rev[e]];

		if (find(m->part, s) != find(m->part, g->to[e]))
			join(m, s, e);
	}
}

/* Keep every link of the old tree that is up, and join the parts. */
static int
mend_tree(struct moore_rturns *t, const struct moore_rview *v, const struct moore_rturns *old,
	  const uint32_t *colour, uint32_t half, uint32_t *scratch, struct moore_arena *tmp,
	  struct moore_err *err)
{
	const struct moore_rgraph *g = v->g;
	struct mend m = { .v = v, .colour = colour, .half = half };
	uint64_t *link = moore_arena_alloc(tmp, g->n_edges + 1, sizeof(*link));
	int rc;

	m.part = moore_arena_alloc(tmp, g->n + 1, sizeof(*m.part));
	m.in = moore_arena_alloc(tmp, g->n_edges + 1, 1);
	m.depth = scratch;
	if (!m.part || !m.in || !link)
		return moore_fail_nomem(err);
	measure(g, old->pos, old->parent, m.depth, m.part);
	for (uint32_t s = 0; s < g->n; s++)
		m.part[s] = s;
	for (uint32_t s = 0; s < g->n; s++)
		if (old->parent[s] != MOORE_NONE && g->flags[old->parent[s]] & v->flag &&
		    moore_rview_transit(v, g->to[old->parent[s]]))
			join(&m, s, old->parent[s]);
	join_parts(&m, link);
	if ((rc = moore_rorder_build(v, old->pos, m.in, t->pos, err)) < 0)
		return rc;
	for (uint32_t s = 0; s < g->n; s++) {
		t->parent[s] = MOORE_NONE;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (m.in[e] && t->pos[g->to[e]] < t->pos[s])
				t->parent[s] = e;
	}
	return 0;
}

/* ---- the order, mended ----------------------------------------------------------- */

/* The greatest switch that is joined to both s and t. */
static uint32_t
corner_of(const struct moore_rview *v, const uint32_t *pos, uint32_t s, uint32_t t)
{
	const struct moore_rgraph *g = v->g;
	uint32_t best = MOORE_NONE, f = g->xadj[t];

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		uint32_t w = g->to[e];

		while (f < g->xadj[t + 1] && g->to[f] < w)
			f++;
		if (f < g->xadj[t + 1] && g->to[f] == w && g->flags[e] & g->flags[f] & v->flag &&
		    moore_rview_transit(v, w) && (best == MOORE_NONE || pos[w] < pos[best]))
			best = w;
	}
	return best;
}

/* The old order as priorities; where two lost the link between them and could go
 * round only by a switch less than either, against the order, that switch comes
 * before the lesser: else all that hung on them would have to move. */
static void
raise_corners(const struct moore_rview *v, const uint32_t *pos, uint32_t *prio)
{
	const struct moore_rgraph *g = v->g;

	for (uint32_t s = 0; s < g->n; s++)
		prio[s] = 2 * pos[s] + 1;
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			uint32_t t = g->to[e], w;

			if (pos[t] < pos[s] || g->flags[e] & v->flag ||
			    !(g->flags[e] & MOORE_EDGE_PLANNED))
				continue;
			w = corner_of(v, pos, s, t);
			if (w != MOORE_NONE && prio[w] > 2 * pos[t])
				prio[w] = 2 * pos[t];
		}
}

int
moore_rturns_build(struct moore_rturns *t, const struct moore_rview *v,
		   const struct moore_rturns *old, const uint32_t *colour, struct moore_err *err)
{
	const struct moore_rgraph *g = v->g;
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint32_t *scratch = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*scratch));
	uint32_t *at = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*at)), first = 0;
	const uint32_t *prio = old ? old->pos : NULL;
	int rc;

	if (!scratch || !at) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	t->by_colour = colour != NULL;
	if (colour)
		first = rank_by_colour(g, colour, t->rank);
	if (colour && old) {
		if ((rc = mend_tree(t, v, old, colour, first, scratch, &tmp, err)) < 0)
			goto out;
	} else {
		if (old && !t->steady) {
			raise_corners(v, old->pos, at);
			prio = at;
		}
		if ((rc = moore_rorder_build(v, prio, NULL, t->pos, err)) < 0)
			goto out;
		tree_of_order(v, t->pos, old ? old->parent : NULL, colour ? scratch : NULL,
			      t->parent);
	}
	if (colour) {
		measure(g, t->pos, t->parent, scratch, at);
		rank_tree(g, t->parent, scratch, first, t->rank);
	} else {
		rank_by_order(g, t->pos, t->rank);
	}
out:
	moore_arena_free(&tmp);
	return rc;
}

/* ---- colours that serve every pair ---------------------------------------------------- */

#define MAX_WORK ((uint64_t)1 << 23)	/* looks at a turn */
#define MAX_IDLE 200			/* exchanges that gain nothing, in a row */
#define SEED 20			/* any does; the tables follow from it */

/* Pairs of switches at distance two that no route of three hops joins of which the
 * last turn is allowed; mark[] is zeroed scratch. */
static uint32_t
count_bare(const struct moore_rgraph *g, const uint32_t *rank, uint32_t *mark)
{
	uint32_t bare = 0;

	for (uint32_t d = 0; d < g->n; d++) {
		uint32_t near = 3 * d + 1, apart = near + 1, served = near + 2;

		mark[d] = near;
		for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
			mark[g->to[e]] = near;
		for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
			for (uint32_t r = g->to[e], k = g->xadj[r]; k < g->xadj[r + 1]; k++)
				if (mark[g->to[k]] < near) {
					mark[g->to[k]] = apart;
					bare++;
				}
		for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
			for (uint32_t r = g->to[e], k = g->xadj[r]; k < g->xadj[r + 1]; k++) {
				uint32_t a = g->to[k];

				if (a == d || rank[k] >= rank[e])
					continue;
				for (uint32_t o = g->xadj[a]; o < g->xadj[a + 1]; o++)
					if (mark[g->to[o]] == apart && g->to[o] != r) {
						mark[g->to[o]] = served;
						bare--;
					}
			}
	}
	memset(mark, 0, g->n * sizeof(*mark));
	return bare;
}

/* Exchange two colours along the chain of links that have them, from edge e on:
 * at each switch the colours stay different.  Twice is not at all. */
static void
exchange(const struct moore_rgraph *g, uint32_t *colour, uint32_t e, uint32_t other)
{
	uint32_t own = colour[e];

	for (unsigned side = 0; side < 2; side++)
		for (uint32_t at = side ? e : g->rev[e], want = other;;) {
			uint32_t k = g->xadj[g->to[at]], end = g->xadj[g->to[at] + 1];

			while (k < end && (colour[k] != want || k == g->rev[at]))
				k++;
			if (k == end || k == e || k == g->rev[e])
				break;
			at = k;
			want = want == own ? other : own;
			colour[at] = colour[g->rev[at]] = want;
		}
	colour[e] = colour[g->rev[e]] = other;
}

/* The ranks of other colours, around the same tree; depth and at are scratch. */
static void
rank_again(struct moore_rturns *t, const struct moore_rgraph *g, const uint32_t *colour,
	   uint32_t *depth, uint32_t *at)
{
	measure(g, t->pos, t->parent, depth, at);
	rank_tree(g, t->parent, depth, rank_by_colour(g, colour, t->rank), t->rank);
}

/* Local search: exchange colours along chains while no more pairs are bare.  Most
 * graphs have none to begin with; where there are many switches it is left. */
static void
search(struct moore_rturns *t, const struct moore_rgraph *g, uint32_t *colour,
       uint32_t *old, uint32_t *a, uint32_t *b)
{
	struct moore_rng rng = { SEED };
	uint32_t n = 0, bare, idle = 0;
	uint64_t work = 1;

	for (uint32_t e = 0; e < g->n_edges; e++) {
		uint64_t degree = g->xadj[g->to[e] + 1] - g->xadj[g->to[e]];

		n = colour[e] >= n ? colour[e] + 1 : n;
		work += degree * degree;
	}
	memset(a, 0, g->n * sizeof(*a));
	bare = work < MAX_WORK ? count_bare(g, t->rank, a) : 0;
	for (uint64_t i = 0; bare && idle < MAX_IDLE && i < MAX_WORK / work; i++) {
		uint32_t e = moore_rng_below(&rng, g->n_edges), c = moore_rng_below(&rng, n), now;

		if (c == colour[e])
			continue;
		memcpy(old, colour, g->n_edges * sizeof(*old));
		exchange(g, colour, e, c);
		rank_again(t, g, colour, a, b);
		memset(a, 0, g->n * sizeof(*a));
		now = count_bare(g, t->rank, a);
		idle = now < bare ? 0 : idle + 1;
		if (now > bare)
			memcpy(colour, old, g->n_edges * sizeof(*old));
		else
			bare = now;
	}
	rank_again(t, g, colour, a, b);
}

int
moore_rturns_spread(struct moore_rturns *t, const struct moore_rgraph *g, uint32_t *colour,
		    struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint32_t *old = moore_arena_alloc(&tmp, (size_t)g->n_edges + 1, sizeof(*old));
	uint32_t *a = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*a));
	uint32_t *b = moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*b));
	int rc = old && a && b ? 0 : moore_fail_nomem(err);

	if (rc == 0 && !has_middles(g))
		search(t, g, colour, old, a, b);
	moore_arena_free(&tmp);
	return rc;
}

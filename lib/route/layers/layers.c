// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layers.c - the non-minimal trees of a slice (Valiant with three hops: Yebenes et al. 2017;
 * here destination-based and with allowed turns).
 *
 * Objective: over the layers of a LID range, every switch that is not a neighbour of the root
 * has a detour in some layer (it is *covered*), neighbours too where they can; and the loads
 * of all offsets together are even.
 *
 * Construction: grow each tree around some last hops (layer_grow.c), or over intermediates
 * where middle switches are split into halves (layer_halves.c).  Then every leaf that can
 * moves from its minimal parent to one no nearer to the root.  A switch that takes a leaf
 * must stay where it is, so those that had few detours so far are asked last.  Then those
 * without a detour are helped (layer_cover.c), and leaves move once more to even the loads.
 *
 * When a switch sends all its traffic to one other, as many links serve it as its routes of
 * all trees begin and end with; so to use one of them again has a price.  With gates, leaves move
 * once more when all slices stand (layer_revise.c). */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "route/layers/layer_tree.h"

#define MAX_MEAN ((uint64_t)1 << 16)	/* of loads, and */
#define MAX_AGAIN ((uint64_t)1 << 55)	/* of `again`: keep sums of prices below LONG_BIT */

/* Whether no minimal route between planned switches has more than two hops. */
static bool
is_within_two(const struct moore_rbalance *b)
{
	const size_t n = b->v->g->n, n_planned = moore_rgraph_n_intended(b->v->g);

	for (size_t root = 0; root < n_planned; root++)
		for (size_t s = 0; s < n_planned; s++)
			if (b->len[root * n + s] > 2)
				return false;
	return true;
}

/* Planned links of a planned switch, on average. */
static uint32_t
mean_degree(const struct moore_rgraph *g)
{
	const uint32_t n = moore_rgraph_n_intended(g);

	return g->n_planned / (n + !n);
}

static int
init_workers(struct moore_rlayers *v)
{
	size_t n = (size_t)v->minimal->v->g->n + 1, m = (size_t)v->minimal->v->g->n_edges + 1;

	v->n_workers = moore_jobs_width(v->jobs, MOORE_STRANDS);
	if (!(v->worker = calloc(v->n_workers, sizeof(*v->worker))))
		return -MOORE_ENOMEM;
	for (unsigned i = 0; i < v->n_workers; i++) {
		struct moore_rlayers *w = &v->worker[i];

		*w = *v;
		w->load = malloc(m * sizeof(*w->load));
		w->price = malloc(m * sizeof(*w->price));
		w->list = malloc(n * sizeof(*w->list));
		w->added = calloc(m, sizeof(*w->added));
		w->wish = calloc(n, 1);
		w->acc = calloc(n, sizeof(*w->acc));
		w->open_len = calloc(n, 1);
		w->onward = calloc(n, sizeof(*w->onward));
		w->used = v->links ? calloc(n, sizeof(*w->used)) : v->used;
		if (moore_rtree_init(&w->t, v->minimal->v->g) < 0 || !w->load || !w->price ||
		    !w->list || !w->added || !w->wish || !w->acc || !w->open_len || !w->onward ||
		    !w->used) {
			v->n_workers = i + 1;
			return -MOORE_ENOMEM;
		}
	}
	return 0;
}

static void
fini_workers(struct moore_rlayers *v)
{
	for (unsigned i = 0; v->worker && i < v->n_workers; i++) {
		free(v->worker[i].load);
		free(v->worker[i].price);
		free(v->worker[i].list);
		free(v->worker[i].added);
		free(v->worker[i].wish);
		free(v->worker[i].acc);
		free(v->worker[i].open_len);
		free(v->worker[i].onward);
		if (v->links)
			free(v->worker[i].used);
		moore_rtree_fini(&v->worker[i].t);
	}
	free(v->worker);
}

static int
init_gates(struct moore_rlayers *v, uint32_t n_trees)
{
	const struct moore_rview *view = v->minimal->v;
	const struct moore_rgraph *g = view->g;
	const uint32_t *rank = view->turns->rank;

	v->gates = true;
	v->n_gates = mean_degree(g) / (MOORE_GATE_HOPS * (n_trees + !n_trees));
	v->n_gates = v->n_gates > MOORE_GATES ? v->n_gates : MOORE_GATES;
	v->n_legal = calloc((size_t)g->n_edges + 1, sizeof(*v->n_legal));
	v->n_open = calloc((size_t)g->n_edges + 1, sizeof(*v->n_open));
	if (!moore_rused_init(v, n_trees) || !v->n_legal || !v->n_open)
		return -MOORE_ENOMEM;
	for (uint32_t r = 0; r < g->n; r++)
		for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++)
			for (uint32_t o = g->xadj[r]; o < g->xadj[r + 1]; o++)
				v->n_legal[e] = (uint16_t)(v->n_legal[e] +
					(moore_rgraph_is_planned(g, o) && rank[g->rev[o]] < rank[e]));
	return init_workers(v);
}

/* What trees without gates need. */
static int
init_leaves(struct moore_rlayers *v)
{
	size_t n = v->minimal->v->g->n;

	v->gain = calloc(n * n + 1, sizeof(*v->gain));
	v->first = calloc(n * n + 1, sizeof(*v->first));
	v->last = calloc(n * n + 1, sizeof(*v->last));
	return v->gain && v->first && v->last ? 0 : -MOORE_ENOMEM;
}

int
moore_rlayers_init(struct moore_rlayers *v, const struct moore_rbalance *minimal,
		   const struct moore_rkind *kind, uint32_t n_trees, struct moore_rslices *all,
		   const struct moore_jobs *jobs)
{
	const struct moore_rgraph *g = minimal->v->g;
	size_t n = g->n, m = g->n_edges;

	*v = (struct moore_rlayers){ .minimal = minimal, .kind = kind, .jobs = jobs,
		.all = all, .load = all->load };
	v->len = malloc(n * n + 1);
	v->flags = calloc(n * n + 1, 1);
	v->list = malloc((n + 1) * sizeof(*v->list));
	v->wish = calloc(n + 1, 1);
	v->acc = calloc(n + 1, sizeof(*v->acc));
	v->open_len = calloc(n + 1, 1);
	v->onward = calloc(n + 1, sizeof(*v->onward));
	v->price = calloc(m + 1, sizeof(*v->price));
	for (uint32_t s = 0; s < n; s++)
		v->split |= minimal->v->turns->half[s] != 0;
	if (!v->len || !v->flags || !v->list || !v->wish || !v->acc ||
	    !v->open_len || !v->onward || !v->price || moore_rtree_init(&v->t, g) < 0)
		return -MOORE_ENOMEM;
	return v->split || kind->longest || !is_within_two(minimal) ? init_leaves(v) :
		init_gates(v, n_trees);
}

void
moore_rlayers_fini(struct moore_rlayers *v)
{
	free(v->len);
	free(v->flags);
	free(v->list);
	free(v->wish);
	free(v->acc);
	free(v->open_len);
	free(v->onward);
	free(v->price);
	free(v->gain);
	fini_workers(v);
	for (uint32_t d = 0; v->links && d < v->minimal->v->g->n; d++)
		free(v->links[d].slot);
	free(v->links);
	free(v->used);
	free(v->n_legal);
	free(v->n_open);
	free(v->first);
	free(v->last);
	moore_rtree_fini(&v->t);
	*v = (struct moore_rlayers){ 0 };
}

static struct moore_rlayer_tree
tree_of(struct moore_rlayers *v, const struct moore_rlayer_slice *slice, uint32_t root,
	uint32_t n_lids)
{
	size_t at = (size_t)root * v->minimal->v->g->n;

	return (struct moore_rlayer_tree){
		.v = v, .slice = slice, .view = v->minimal->v, .root = root, .n_lids = n_lids,
		.slot = v->slot + at, .len = v->len + at, .flags = v->flags + at,
		.dist = v->minimal->len + at, .first = v->first ? v->first + at : NULL,
		.last = v->last ? v->last + at : NULL, .gain = v->gain ? v->gain + at : NULL,
	};
}

/* ---- which nodes got detours ------------------------------------------------------- */

/* Sets SATED when a layer starts. */
static void
sate(struct moore_rlayer_tree *w)
{
	uint32_t n = w->view->g->n;
	bool by_cover = w->slice->is_last || w->v->split;
	uint64_t sum = 0;

	for (uint32_t s = 0; s < n; s++) {
		if (w->slice->layer == 0)
			w->flags[s] = 0;
		sum += w->gain[s];
	}
	for (uint32_t s = 0; s < n; s++) {
		bool sated = by_cover ? w->flags[s] & COVERED : (uint64_t)w->gain[s] * n > sum;

		w->flags[s] = (uint8_t)((w->flags[s] & ~SATED) | sated * SATED);
	}
}

/* Notes the first and last links of the minimal tree slot[]. */
static void
note_minimal(struct moore_rlayer_tree *w, const uint8_t *slot)
{
	const struct moore_rgraph *g = w->view->g;

	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t e = 0;

		if (s == w->root || slot[s] == MOORE_SLOT_NONE)
			continue;
		for (uint32_t a = s; a != w->root; a = g->to[e])
			e = g->xadj[a] + slot[a];
		w->first[s] |= (uint64_t)1 << (slot[s] & 63);
		w->last[s] |= (uint64_t)1 << ((g->rev[e] - g->xadj[w->root]) & 63);
	}
}

/* Notes which nodes the tree gave a detour, and the first and last links of its routes. */
static void
note_gains(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	const uint8_t *minimal = w->v->minimal->slot + (size_t)w->root * g->n;

	for (uint32_t s = 0; s < g->n; s++) {
		bool other_first = w->slot[s] != minimal[s];

		if (w->len[s] == MOORE_LEN_NONE || w->len[s] <= w->dist[s])
			continue;
		w->flags[s] |= COVERED;
		w->gain[s] = (uint16_t)(w->gain[s] + 1 + MOORE_OTHER_FIRST * other_first);
	}
	for (uint32_t s = 0; s < g->n; s++) {
		uint64_t reached = w->len[s] < MOORE_LEN_NONE;

		w->first[s] |= reached << (w->slot[s] & 63);
		w->last[s] |= reached << w->v->onward[s].end;
	}
}

/* ---- a slice -------------------------------------------------------------------------- */

/* With gates a part of the price of a mean load; elsewhere times the square of the links at a
 * switch over a constant, since with few links there is less to choose from. */
static uint64_t
price_of_again(const struct moore_rlayers *v, uint64_t mean_price)
{
	const struct moore_rgraph *g = v->minimal->v->g;
	uint64_t degree = mean_degree(g), again = mean_price / MOORE_AGAIN * degree * degree;

	if (v->gates)
		return mean_price / MOORE_AGAIN_PART;
	return again < MAX_AGAIN ? again : MAX_AGAIN;
}

/* Fills what of the slice depends on loads and links, and price[]. */
static void
start_slice(struct moore_rlayers *v, struct moore_rlayer_slice *sl, const uint8_t *n_lids)
{
	const struct moore_rview *view = v->minimal->v;
	const struct moore_rgraph *g = view->g;
	struct moore_rlayer_tree w = tree_of(v, sl, 0, 0);
	uint64_t sum = 0, mean;
	uint32_t n = 0;

	for (uint32_t root = 0; root < g->n; root++)
		sl->max_lids = n_lids[root] > sl->max_lids ? n_lids[root] : sl->max_lids;
	for (uint32_t e = 0; e < g->n_edges; e++) {
		sl->one_lane |= view->lanes && g->flags[e] & MOORE_EDGE_ONE_LANE;
		v->price[e] = g->flags[e] & view->flag ? price_at(&w, e, v->load[e]) : NEVER;
		if (moore_rgraph_is_planned(g, e) && (!v->gates || n_lids[g->to[e]])) {
			sum += v->load[e] + sl->max_lids;
			n++;
		}
	}
	mean = sum / (n + !n);
	mean = mean < MAX_MEAN ? mean : MAX_MEAN;
	sl->mean_price = mean * mean * mean;
	sl->again = price_of_again(v, sl->mean_price);
}

/* Where several LIDs share a tree, a link that is no gate of any tree would stand out: the trees of a root
 * have a gate for each of its links together. */
static uint32_t
count_gates(const struct moore_rlayers *v, uint32_t degree, uint32_t n_trees, uint32_t max_lids)
{
	uint32_t n = max_lids > 1 ? degree / n_trees : 0;

	return n > v->n_gates ? n : v->n_gates;
}

/* Returns the most relays of a tree.  Where LIDs share trees, there are more gates, and fewer relays of each
 * are enough. */
static uint32_t
count_relays(const struct moore_rlayers *v, uint32_t degree, uint32_t max_lids)
{
	return max_lids > 1 ? MOORE_RELAY_OFFERS * v->minimal->v->g->n / (degree + !degree) : UINT32_MAX;
}

/* Different roots start with different leaves, so that no leaf is always first. */
static void
build_tree(struct moore_rlayer_tree *w, uint32_t n_connected)
{
	const struct moore_rlayer_slice *sl = w->slice;
	struct moore_rng r = { (uint64_t)w->root << 32 | sl->variant << 8 | sl->layer };
	uint32_t from = moore_rng_below(&r, moore_rgraph_n_intended(w->view->g));

	if (!w->v->split || w->view->turns->half[w->root] ||
	    !moore_rlayer_grow_halves(w, n_connected))
		moore_rlayer_grow(w, n_connected);
	moore_rlayer_keep(w);
	moore_rlayer_move_leaves(w, from);
}

/* ---- strands --------------------------------------------------------------------------- */

/* So that trees around gates can be built side by side, their roots are divided into strands.
 * A tree heeds the loads at the beginning of the slice and those of earlier trees of its own
 * strand.  So the trees depend on the number of strands, but not on that of the workers. */
struct strands {
	const struct moore_rlayers *v;
	const struct moore_rlayer_slice *slice;
	const uint8_t *n_lids;
	const uint32_t *n_connected;
};

static void
build_strand(void *arg, unsigned worker, size_t strand)
{
	const struct strands *st = arg;
	const struct moore_rlayers *v = st->v;
	const struct moore_rgraph *g = v->minimal->v->g;
	struct moore_rlayers *own = &v->worker[worker];

	moore_rslices_begin_strand(v->all, g, own->load);
	memcpy(own->price, v->price, g->n_edges * sizeof(*v->price));
	own->slot = v->slot;
	for (uint32_t root = (uint32_t)strand; root < g->n; root += MOORE_STRANDS) {
		struct moore_rlayer_tree w = tree_of(own, st->slice, root, st->n_lids[root]);
		struct moore_rng r = { (uint64_t)root << 32 | st->slice->variant << 8 |
				       st->slice->layer };

		if (st->n_lids[root] && st->n_connected[root] > 1)
			moore_rlayer_by_gates(&w, moore_rng_below(&r, moore_rgraph_n_intended(g)));
		else
			memset(w.slot, MOORE_SLOT_NONE, g->n);
	}
	moore_rslices_end_strand(v->all, g, own->load, own->added);
}

static int
build_strands(struct moore_rlayers *v, const struct moore_rlayer_slice *slice,
	      const uint8_t *n_lids, const uint32_t *n_connected)
{
	struct strands st = { v, slice, n_lids, n_connected };
	bool oom = false;

	moore_jobs_run(v->jobs, v->n_workers, MOORE_STRANDS, build_strand, &st);
	for (unsigned i = 0; i < v->n_workers; i++) {
		moore_rslices_add(v->all, v->minimal->v->g, v->worker[i].added);
		oom |= v->worker[i].oom;
	}
	return oom ? -MOORE_ENOMEM : 0;
}

int
moore_rlayers_slice(struct moore_rlayers *v, unsigned layer, unsigned n_layers, unsigned variant,
		    unsigned n_variants, const uint8_t *n_lids, const uint32_t *n_connected)
{
	uint32_t n = v->minimal->v->g->n, degree = mean_degree(v->minimal->v->g);
	struct moore_rlayer_slice sl = { .layer = layer, .variant = variant,
		.n_shares = n_layers < MOORE_MIN_SHARES ? MOORE_MIN_SHARES : n_layers,
		.is_last = layer + 1 == n_layers,
		.spare_relays = degree >= 2 * MOORE_GATES &&
			n_layers * n_variants * 100 >= MOORE_RELAY_TREES * degree };

	memcpy(v->all->lids + (size_t)v->n_slices * n, n_lids, n);
	v->slot = moore_rslices_tree(v->all, v->minimal->v->g, v->n_slices++, 0);
	start_slice(v, &sl, n_lids);
	sl.n_gates = count_gates(v, degree, n_layers * n_variants, sl.max_lids);
	sl.max_relays = count_relays(v, degree, sl.max_lids);
	if (v->gates)
		return build_strands(v, &sl, n_lids, n_connected);
	for (uint32_t root = 0; root < n; root++) {
		struct moore_rlayer_tree w = tree_of(v, &sl, root, 0);

		sate(&w);
		if (variant + layer == 0)
			note_minimal(&w, v->minimal->slot + (size_t)root * n);
	}
	for (uint32_t root = 0; root < n; root++) {
		struct moore_rlayer_tree w = tree_of(v, &sl, root, n_lids[root]);

		if (n_lids[root])
			build_tree(&w, n_connected[root]);
	}
	for (uint32_t root = 0; root < n && layer > 0; root++) {
		struct moore_rlayer_tree w = tree_of(v, &sl, root, n_lids[root]);

		if (n_lids[root])
			moore_rlayer_cover(&w);
	}
	for (uint32_t root = 0; root < n; root++) {
		struct moore_rlayer_tree w = tree_of(v, &sl, root, n_lids[root]);

		if (!n_lids[root])
			continue;
		moore_rlayer_even(&w);
		note_gains(&w);
	}
	return 0;
}

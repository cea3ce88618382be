// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fill.c - fills the forwarding tables, slice by slice.
 *
 * Trees are chosen for the intended graph.  Where links are missing each is repaired, so the
 * tables are a function of the intended graph and of what is missing from it.
 *
 * Minimal slices do not depend on each other, so under any-sl each is a job.  The trees of
 * layers do, but their columns are filled side by side; once they are grown (grown.c), each is a
 * job, too.  Each worker has a struct fill. */
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "route/build.h"
#include "route/tuning.h"

struct fill {			/* of one worker */
	struct moore_rbuild *b;
	struct moore_route *r;
	struct moore_rbalance *balance;	/* b->balance or a copy */
	struct moore_rtree *tree;	/* scratch: b->tree or another */
	bool repairs;		/* something is missing, drained or not planned */
	struct suspect {	/* edges that a tree of the intended graph may use, but maybe not
				 * one of what is up */
		uint32_t node;
		uint8_t slot;
	} *suspect;
	uint32_t n_suspects;
	moore_portnum *port_of;	/* by edge: its port; NULL: some neighbours have several links,
				 * so ports differ by LID */
	uint8_t *n_lids;	/* by root: LIDs that share its tree in the slice at hand */
	uint32_t *load;		/* by edge: of the slice, with the routes that repairs moved */
	uint32_t *for_layers;	/* by edge: routes of the hosts' slices, which layers count with;
				 * NULL: no layer does */
	uint8_t *slot;		/* a copy of a layer's trees, when several workers fill slices */
	struct moore_rmtrees mtrees;	/* zeroed without b->cols.own_trees */
	uint8_t *port;		/* [LID * g.n + node]: the tables, transposed */
	uint32_t repaired;	/* (switch, tree) that left their intended route */
	int rc;			/* less than 0: a slice failed; the first of them is */
	size_t failed;		/* this one, because of */
	struct moore_err err;
};

/* ---- one column -------------------------------------------------------------------- */

static void
put_column(struct fill *f, const struct moore_rcolumn *c, const uint8_t *slot)
{
	const struct moore_rgraph *g = &f->r->g;
	const moore_portnum *port_of = f->port_of;
	const uint32_t *xadj = g->xadj;
	uint32_t n = g->n, key = c->root + moore_rcolumn_slice(&f->b->cols, c);
	uint8_t *port = f->port + (size_t)c->lid * n;

	for (uint32_t s = 0; s < n; s++)
		port[s] = slot[s] == MOORE_SLOT_NONE ? MOORE_NO_PATH :
			port_of ? port_of[xadj[s] + slot[s]] :
			moore_rgraph_port(g, xadj[s] + slot[s], key);
	port[c->root] = c->last;
}

/* The same for a column with the same tree, where no port depends on the LID. */
static void
copy_column(struct fill *f, const struct moore_rcolumn *c, const struct moore_rcolumn *from)
{
	uint32_t n = f->r->g.n;
	uint8_t *port = f->port + (size_t)c->lid * n;

	memcpy(port, f->port + (size_t)from->lid * n, n);
	port[c->root] = c->last;
}

/* ---- repair ---------------------------------------------------------------------------- */

static bool
is_suspect(const struct moore_rbuild *b, uint32_t e)
{
	const struct moore_rgraph *g = &b->r->g;
	uint8_t flags = g->flags[e];

	return flags & MOORE_EDGE_PLANNED &&
		(!(flags & MOORE_EDGE_UP) || flags & MOORE_EDGE_ONE_LANE ||
		 b->plan_turns.rank[e] != b->r->turns.rank[e] ||
		 !moore_rview_transit(&b->up, g->to[e]));
}

/* -MOORE_ENOMEM */
static int
find_suspects(struct fill *f)
{
	const struct moore_rgraph *g = &f->r->g;

	if (!(f->suspect = malloc((g->n_edges + (size_t)1) * sizeof(*f->suspect))))
		return -MOORE_ENOMEM;
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (is_suspect(f->b, e))
				f->suspect[f->n_suspects++] =
					(struct suspect){ s, (uint8_t)(e - g->xadj[s]) };
	return 0;
}

/* Whether the tree needs no repair.  As a rule it uses no suspect edge: then its links are up, and
 * its turns rise as they do in the intended graph. */
static bool
is_whole(const struct fill *f, uint32_t root, const uint8_t *slot)
{
	const struct moore_rbuild *b = f->b;
	bool clear = b->n_connected_up[root] <= b->n_connected[root];

	for (uint32_t i = 0; clear && i < f->n_suspects; i++)
		clear = slot[f->suspect[i].node] != f->suspect[i].slot;
	return clear || moore_rtree_is_whole(&b->up, root, slot, b->n_connected_up[root]);
}

/* Fills len[] with the hops from each node to the root along slot[]. */
static void
measure_routes(const struct moore_rgraph *g, uint32_t root, const uint8_t *slot, uint8_t *len)
{
	memset(len, MOORE_LEN_NONE, g->n);
	len[root] = 0;
	for (uint32_t s = 0; s < g->n; s++) {
		uint8_t hops = 0;
		uint32_t a = s;

		for (; len[a] == MOORE_LEN_NONE && slot[a] != MOORE_SLOT_NONE; hops++)
			a = g->to[g->xadj[a] + slot[a]];
		if (len[a] == MOORE_LEN_NONE)
			continue;	/* s has no route */
		hops = (uint8_t)(hops + len[a]);
		for (a = s; len[a] == MOORE_LEN_NONE; a = g->to[g->xadj[a] + slot[a]])
			len[a] = hops--;
	}
}

/* Fills the queue of t with the nodes that its slot[] leads to the root, by length. */
static void
queue_by_length(struct moore_rtree *t, const struct moore_rgraph *g, uint32_t root)
{
	uint32_t at[MOORE_LEN_NONE + 2] = { 0 }, n = g->n;
	const uint8_t *len = t->len;

	measure_routes(g, root, t->slot, t->len);
	for (uint32_t s = 0; s < n; s++)
		at[len[s] + 1]++;
	for (unsigned l = 0; l <= MOORE_LEN_NONE; l++)
		at[l + 1] += at[l];
	t->n_reached = at[MOORE_LEN_NONE];
	for (uint32_t s = 0; s < n; s++)
		if (len[s] != MOORE_LEN_NONE)
			t->queue[at[len[s]]++] = s;
}

/* Repairs the tree old[] of c for what is missing, in f->tree, and adds its new routes to load[]. */
static int
repair_tree(struct fill *f, const uint8_t *old, const struct moore_rcolumn *c,
	    struct moore_err *err)
{
	struct moore_rbuild *b = f->b;
	const struct moore_rgraph *g = &f->r->g;
	struct moore_rtree *t = f->tree;
	bool whole;

	memcpy(t->slot, old, g->n);
	if (is_whole(f, c->root, old))
		return 0;
	queue_by_length(t, g, c->root);
	whole = (moore_rcolumn_in_layer(c) ? moore_rtree_mend : moore_rtree_repair)
		(t, &b->up, c->root, f->load, b->n_connected_up[c->root], &f->repaired);
	if (!whole)
		return moore_rbuild_fail_unreachable(b, c->root, err);
	for (uint32_t s = 0; s < g->n; s++)
		if (t->slot[s] != old[s] && t->slot[s] != MOORE_SLOT_NONE)
			f->load[g->xadj[s] + t->slot[s]] += g->is_source[s] * f->n_lids[c->root];
	return 0;
}

/* ---- profile sl-hint ------------------------------------------------------------------ */

/* The layers of sl-hint, numbered: hosts' slices at offsets from 1 on. */
static uint32_t
hint_layer(const struct moore_rcolumns *cols, const struct moore_rcolumn *c)
{
	return (c->place - MOORE_PLACE_HOST) * (cols->n_offsets - 1) + c->offset - 1;
}

/* Plans all layers before any tree is grown, and makes the trees that can replace any. */
static int
plan_hint_layers(struct fill *f, struct moore_err *err)
{
	struct moore_rbuild *b = f->b;
	const struct moore_rcolumns *cols = &b->cols;
	uint32_t n = f->r->g.n, top = cols->n ? cols->col[cols->n - 1].place : 0;
	uint32_t n_layers = top < MOORE_PLACE_HOST ? 0 :
		(top - MOORE_PLACE_HOST + 1) * (cols->n_offsets - 1);
	uint8_t *present;
	int rc;

	if (!(present = calloc((size_t)n_layers * n + 1, 1)))
		return moore_fail_nomem(err);
	for (size_t i = 0; i < cols->n; i++) {
		const struct moore_rcolumn *c = &cols->col[i];

		if (!moore_rcolumn_in_layer(c) || (i && c->trees == c[-1].trees))
			continue;
		moore_rcolumns_count_lids(cols, &f->r->g, c, f->n_lids);
		memcpy(present + (size_t)hint_layer(cols, c) * n, f->n_lids, n);
	}
	rc = moore_rhint_plan(&b->hint, &b->planned, n_layers, cols->n_offsets - 1, present, err);
	free(present);
	if (rc < 0)
		return rc;
	if (moore_rhint_lend(&b->hint, b->jobs) < 0)
		return moore_fail_nomem(err);
	moore_rhint_base(&b->hint, &b->up, b->n_connected_up);
	return 0;
}

/* Fills in column c with a tree, for whose routes the tables in ok[] are right. */
static void
put_hinted(struct fill *f, const struct moore_rcolumn *c, const uint8_t *slot, const uint8_t *ok)
{
	struct moore_route *r = f->r;

	put_column(f, c, slot);
	for (uint32_t s = 0; s < r->g.n; s++)
		if (r->g.sw_of[s] != MOORE_NONE)
			r->right[r->g.sw_of[s] * r->lft->stride + c->lid] = ok[s] & 15;
	r->at[c->lid] = r->g.sw_of[c->root];
}

/* Column c takes the minimal tree slot[], made right for table A. */
static int
hint_column(struct fill *f, const struct moore_rcolumn *c, const uint8_t *slot,
	    struct moore_err *err)
{
	struct moore_rhint *h = &f->b->hint;

	memcpy(h->slot, slot, f->r->g.n);
	if (!moore_rhint_mend(h, &f->b->up, c->root, true, f->b->n_connected_up[c->root],
			      &f->repaired))
		return moore_rbuild_fail_unreachable(f->b, c->root, err);
	if (c->place >= MOORE_PLACE_HOST)
		moore_rhint_count(h, 1);
	put_hinted(f, c, h->slot, h->ok);
	return 0;
}

#define COLUMNS 8		/* of a job */

struct hint_columns {
	struct fill *f;
	const struct moore_rcolumn *col;
	size_t n;
};

static void
put_job(void *arg, unsigned worker, size_t i)
{
	const struct hint_columns *cs = arg;
	const struct moore_rhint *h = &cs->f->b->hint;

	(void)worker;
	for (size_t k = i * COLUMNS; k < cs->n && k < (i + 1) * COLUMNS; k++) {
		size_t at = (size_t)cs->col[k].root * h->g->n;

		put_hinted(cs->f, &cs->col[k], h->slots + at, h->oks + at);
	}
}

/* Fills in the n columns of a layer. */
static int
hint_columns(struct fill *f, const struct moore_rcolumn *col, size_t n, struct moore_err *err)
{
	struct hint_columns cs = { f, col, n };
	struct moore_rbuild *b = f->b;
	size_t n_jobs = (n + COLUMNS - 1) / COLUMNS;
	uint32_t bad = moore_rhint_layer(&b->hint, &b->planned, &b->up, hint_layer(&b->cols, col),
					 f->n_lids, b->n_connected_up, &f->repaired);

	if (bad != MOORE_NONE)
		return moore_rbuild_fail_unreachable(b, bad, err);
	moore_jobs_run(b->jobs, moore_jobs_width(b->jobs, n_jobs), n_jobs, put_job, &cs);
	return 0;
}

/* ---- one slice ------------------------------------------------------------------------ */

static const struct moore_rcolumn *
first_of(const struct moore_rcolumns *cols, size_t slice)
{
	return cols->col + cols->slice[slice];
}

/* Grows the trees *slots of c's slice, which is minimal or belongs to a layer of any-sl; *load
 * is theirs.  -MOORE_ENOMEM. */
static int
grow_slice(struct fill *f, const struct moore_rcolumn *c, const uint8_t **slots,
	   const uint32_t **load)
{
	const struct moore_rcolumns *cols = &f->b->cols;
	struct moore_rlayers *v = &f->b->layers;
	struct moore_rbalance *m = f->balance;

	if (moore_rcolumn_in_layer(c)) {
		*slots = v->slot;
		*load = v->load;
		return moore_rlayers_slice(v, c->offset - 1, cols->n_offsets - 1,
					   c->place % cols->n_variants, cols->n_variants,
					   f->n_lids, f->b->n_connected);
	}
	moore_rbalance_slice(m, c->place + c->offset, f->n_lids);
	for (uint32_t e = 0; f->for_layers && c->place >= MOORE_PLACE_HOST && e < m->v->g->n_edges; e++)
		f->for_layers[e] += m->load[e];
	*slots = m->slot;
	*load = m->load;
	return 0;
}

/* Chooses the trees *slots of a slice, and fills n_lids[] and load[] with theirs.
 * -MOORE_ENOMEM. */
static int
choose_trees(struct fill *f, size_t slice, const uint8_t **slots)
{
	struct moore_rbuild *b = f->b;
	const struct moore_rcolumn *c = first_of(&b->cols, slice);
	const uint32_t *load;

	moore_rcolumns_count_lids(&b->cols, &f->r->g, c, f->n_lids);
	*slots = NULL;
	if (b->hinted && moore_rcolumn_in_layer(c))
		return 0;	/* hint_columns() makes them */
	if (b->grown) {
		*slots = moore_rgrown_slice(b->grown, slice, f->load);
		return 0;
	}
	if (grow_slice(f, c, slots, &load) < 0)
		return -MOORE_ENOMEM;
	memcpy(f->load, load, f->r->g.n_edges * sizeof(*f->load));
	if (b->growing)
		moore_rgrown_keep_slice(b->growing, slice, *slots, load);
	return 0;
}

/* Fills the n columns from col on, whose trees are slots[], a row of g->n for each root. */
static int
fill_columns(struct fill *f, const uint8_t *slots, const struct moore_rcolumn *col, size_t n,
	     struct moore_err *err)
{
	struct moore_rbuild *b = f->b;
	const struct moore_rgraph *g = &f->r->g;
	int rc;

	if (b->hinted && moore_rcolumn_in_layer(col))
		return hint_columns(f, col, n, err);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *slot = slots + (size_t)col[i].root * g->n;
		bool again = i > 0 && col[i].root == col[i - 1].root && !b->hinted;

		if (again && f->port_of) {
			copy_column(f, &col[i], &col[i - 1]);
			continue;
		}
		if (f->repairs) {
			if (!again && (rc = repair_tree(f, slot, &col[i], err)) < 0)
				return rc;
			slot = f->tree->slot;
		}
		if (!b->hinted)
			put_column(f, &col[i], slot);
		else if ((rc = hint_column(f, &col[i], slot, err)) < 0)
			return rc;
	}
	return 0;
}

/* ---- all slices ------------------------------------------------------------------------ */

/* Transposes 64 LIDs of port[] into the rows of the LFTs: a cache line of each. */
static void
write_tables(void *arg, unsigned worker, size_t block)
{
	const struct fill *f = arg;
	const struct moore_rgraph *g = &f->r->g;
	size_t n = g->n, top = (size_t)f->r->seen->lid_top + 1, lid0 = block * 64;

	(void)worker;
	for (uint32_t s = 0; s < n; s++) {
		const uint8_t *port = f->port + lid0 * n + s;
		uint8_t *row;

		if (g->sw_of[s] == MOORE_NONE)
			continue;
		row = moore_lft_row(f->r->lft, g->sw_of[s]) + lid0;
		for (size_t i = 0; i < 64 && lid0 + i < top; i++)
			row[i] = port[i * n];
	}
}

struct slices {
	const struct moore_rcolumns *cols;
	size_t first;		/* of the layers' slices that are filled now */
	struct fill *worker;
	unsigned n_workers;
};

/* Fills the columns of slice i, and notes in f whether that fails. */
static void
fill_slice(struct fill *f, const struct slices *sl, size_t i, const uint8_t *slots)
{
	const size_t *at = sl->cols->slice + i;
	struct moore_err err;
	int rc = fill_columns(f, slots, sl->cols->col + at[0], at[1] - at[0], &err);

	if (rc < 0) {
		f->rc = rc;
		f->failed = i;
		f->err = err;
	}
}

/* Of a slice whose trees do not depend on other slices, or are at hand: none are grown for a
 * layer, which could fail. */
static void
slice_job(void *arg, unsigned worker, size_t i)
{
	struct slices *sl = arg;
	struct fill *f = &sl->worker[worker];
	const uint8_t *slots;

	if (f->rc < 0 && f->failed < i)
		return;
	choose_trees(f, i, &slots);
	fill_slice(f, sl, i, slots);
}

/* Job i fills the slice whose trees f->worker[i] has copied. */
static void
layer_job(void *arg, unsigned worker, size_t i)
{
	struct slices *sl = arg;
	struct fill *f = &sl->worker[i];

	(void)worker;
	fill_slice(f, sl, sl->first + i, f->slot);
}

/* Adds up what the workers did.  Returns the failure of the first slice that failed. */
static int
unite(struct slices *sl, struct moore_err *err)
{
	struct fill *f = sl->worker, *first = f;
	struct moore_rbuild *b = f->b;

	for (unsigned i = 0; i < sl->n_workers; i++) {
		b->r->stats.repaired += f[i].repaired;
		f[i].repaired = 0;
		for (uint32_t e = 0; f[i].for_layers && e < b->r->g.n_edges; e++) {
			b->layers.load[e] += f[i].for_layers[e];
			f[i].for_layers[e] = 0;
		}
		if (f[i].rc < 0 && (first->rc == 0 || f[i].failed < first->failed))
			first = &f[i];
	}
	if (first->rc < 0 && err)
		*err = first->err;
	return first->rc;
}

/* The trees of a layer depend on those before, but what is missing is repaired in each slice
 * for itself.  So as many slices as there are workers are chosen one by one, and then
 * repaired and filled in side by side. */
static int
fill_layers(struct slices *sl, struct moore_err *err)
{
	struct moore_rbuild *b = sl->worker->b;
	size_t nn = (size_t)b->r->g.n * b->r->g.n, n;
	int rc = 0;

	for (sl->first = sl->cols->n_minimal; rc == 0 && sl->first < sl->cols->n_slices; sl->first += n) {
		n = sl->cols->n_slices - sl->first;
		n = n < sl->n_workers ? n : sl->n_workers;
		for (size_t i = 0; i < n; i++) {
			struct fill *f = &sl->worker[i];
			const uint8_t *slots;

			if (choose_trees(f, sl->first + i, &slots) < 0)
				return moore_fail_nomem(err);
			memcpy(f->slot, slots, nn);
		}
		moore_jobs_run(b->jobs, (unsigned)n, n, layer_job, sl);
		rc = unite(sl, err);
	}
	return rc;
}

/* ---- graphs with lines ------------------------------------------------------------------ */

/* Where the columns of a root begin, of the n from col on, which are sorted by root. */
static size_t
find_root(const struct moore_rcolumn *col, size_t n, uint32_t root)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = (low + n) / 2;

		if (col[middle].root < root)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* Returns the k-th tree of root; trees are asked for in sequence. */
static const uint8_t *
next_tree(struct fill *f, uint32_t root, uint32_t k)
{
	const struct moore_rbuild *b = f->b;

	if (b->grown)
		return moore_rgrown_tree(b->grown, root, k);
	if (k == 0)
		moore_rmtrees_root(&f->mtrees, root);
	moore_rmtrees_next(&f->mtrees);
	if (b->growing)
		memcpy(moore_rgrown_tree(b->growing, root, k), f->mtrees.t.slot, f->r->g.n);
	return f->mtrees.t.slot;
}

/* Fills the columns of c on that this tree of a root serves: none, if no LID is there; returns
 * the column after them. */
static const struct moore_rcolumn *
fill_tree(struct fill *f, const uint8_t *slot, const struct moore_rcolumn *c,
	  const struct moore_rcolumn *end, const struct moore_rcolumn *of)
{
	for (; c < end && c->root == of->root && c->place == of->place && c->offset == of->offset; c++) {
		if (f->repairs && f->rc == 0 && (f->rc = repair_tree(f, slot, c, &f->err)) < 0)
			f->failed = c->root;
		put_column(f, c, f->repairs ? f->tree->slot : slot);
	}
	return c;
}

/* All trees of a strand, also those that no LID takes, since others heed them. */
static void
fill_strand(void *arg, unsigned worker, size_t strand)
{
	struct slices *sl = arg;
	struct fill *f = &sl->worker[worker];
	const struct moore_rcolumns *cols = &f->b->cols;
	const struct moore_rcolumn *col = first_of(cols, cols->n_minimal), *end = cols->col + cols->n;
	const struct moore_rgraph *g = &f->r->g;

	if (!f->b->grown)
		moore_rmtrees_start(&f->mtrees);
	memset(f->load, 0, g->n_edges * sizeof(*f->load));
	memset(f->n_lids, 1, g->n);
	for (uint32_t root = (uint32_t)strand; root < g->n; root += MOORE_STRANDS) {
		const struct moore_rcolumn *c = col + find_root(col, (size_t)(end - col), root);
		uint32_t k = 0;

		for (uint32_t j = 0; g->is_source[root] && j < cols->n_places; j++)
			for (uint32_t o = 1; o < cols->n_offsets; o++)
				if (cols->hosts[(size_t)root * cols->n_places + j])
					c = fill_tree(f, next_tree(f, root, k++), c, end,
						      &(struct moore_rcolumn){ .root = root, .offset = o,
						      .place = MOORE_PLACE_HOST + j });
	}
}

static int
fill_all(struct slices *sl, struct moore_err *err)
{
	struct fill *f = sl->worker;
	struct moore_rbuild *b = f->b;
	const struct moore_rcolumns *cols = sl->cols;
	bool at_once = b->hinted || (b->grown && !cols->own_trees);
	size_t n_first = at_once ? cols->n_slices : cols->n_minimal;
	int rc;

	moore_jobs_run(b->jobs, sl->n_workers, n_first, slice_job, sl);
	if ((rc = unite(sl, err)) < 0 || n_first == cols->n_slices)
		return rc;
	if (cols->own_trees) {
		moore_jobs_run(b->jobs, sl->n_workers, MOORE_STRANDS, fill_strand, sl);
		return unite(sl, err);
	}
	if (sl->n_workers > 1) {	/* layers start from the trees of the last minimal slice */
		const struct moore_rcolumn *c = first_of(cols, n_first - !!n_first);

		moore_rcolumns_count_lids(cols, &b->r->g, c, f->n_lids);
		moore_rbalance_slice(f->balance, c->place + c->offset, f->n_lids);
	}
	return fill_layers(sl, err);
}

static bool
init_worker(struct fill *f, struct moore_rbuild *b, unsigned i)
{
	const struct moore_rgraph *g = &b->r->g;

	f->n_lids = calloc((size_t)g->n + 1, 1);
	f->load = calloc((size_t)g->n_edges + 1, sizeof(*f->load));
	if (b->layers.load)
		f->for_layers = calloc((size_t)g->n_edges + 1, sizeof(*f->for_layers));
	if (b->layers.load) {
		f->slot = malloc((size_t)g->n * g->n + 1);
	}
	if (!f->n_lids || !f->load || (b->layers.load && (!f->for_layers || !f->slot)))
		return false;
	if (b->cols.own_trees && !b->grown && moore_rmtrees_init(&f->mtrees, &b->planned, &b->cols.middles,
						b->n_connected, b->cols.n_offsets - 1,
						b->kind) < 0)
		return false;
	if (i == 0) {
		f->balance = &b->balance;
		f->tree = &b->tree;
		return true;
	}
	return (f->balance = calloc(1, sizeof(*f->balance))) &&
		(f->tree = calloc(1, sizeof(*f->tree))) && moore_rtree_init(f->tree, g) == 0 &&
		(b->grown || moore_rbalance_copy(f->balance, &b->balance) == 0);
}

static void
fini_worker(struct fill *f, unsigned i)
{
	free(f->n_lids);
	free(f->load);
	free(f->for_layers);
	moore_rmtrees_fini(&f->mtrees);
	free(f->slot);
	if (i > 0 && f->balance)
		moore_rbalance_fini_copy(f->balance);
	if (i > 0 && f->tree)
		moore_rtree_fini(f->tree);
	if (i > 0) {
		free(f->balance);
		free(f->tree);
	}
}

/* Fills in what is the same for all workers. */
static int
start(struct fill *f, struct moore_rbuild *b, struct moore_err *err)
{
	const struct moore_rgraph *g = &b->r->g;
	size_t n_ports = ((size_t)b->r->seen->lid_top + 1) * (g->n + 1);
	bool parallel = false;
	bool drained = g->spared.n_ends || g->spared.n_drained;

	*f = (struct fill){ .b = b, .r = b->r };
	f->repairs = (b->intended || drained) && !g->as_planned;
	for (uint32_t e = 0; e < g->n_edges; e++)
		parallel |= g->xpar[e + 1] - g->xpar[e] > 1;
	f->port = malloc(n_ports);
	f->port_of = parallel ? NULL : malloc((size_t)g->n_edges + 1);
	if (!f->port || (!f->port_of && !parallel) || (f->repairs && find_suspects(f) < 0))
		return moore_fail_nomem(err);
	memset(f->port, MOORE_NO_PATH, n_ports);
	for (uint32_t e = 0; f->port_of && e < g->n_edges; e++)
		f->port_of[e] = moore_rgraph_port(g, e, 0);
	return 0;
}

static int
start_workers(struct slices *sl, const struct fill *f, struct moore_err *err)
{
	struct moore_rbuild *b = f->b;

	sl->n_workers = b->hinted ? 1 : moore_jobs_width(b->jobs, sl->cols->n_minimal);
	if (!(sl->worker = calloc(sl->n_workers, sizeof(*sl->worker))))
		return moore_fail_nomem(err);
	for (unsigned i = 0; i < sl->n_workers; i++) {
		sl->worker[i] = *f;
		if (!init_worker(&sl->worker[i], b, i))
			return moore_fail_nomem(err);
	}
	return 0;
}

int
moore_rbuild_fill(struct moore_rbuild *b, struct moore_err *err)
{
	size_t n_blocks = (size_t)b->r->seen->lid_top / 64 + 1;
	struct slices sl = { .cols = &b->cols };
	struct fill f;
	int rc;

	if ((rc = start(&f, b, err)) < 0 ||
	    (rc = start_workers(&sl, &f, err)) < 0 ||
	    (b->hinted && (rc = plan_hint_layers(sl.worker, err)) < 0) ||
	    (rc = fill_all(&sl, err)) < 0)
		goto out;
	moore_jobs_run(b->jobs, moore_jobs_width(b->jobs, n_blocks / 8), n_blocks, write_tables, &f);
out:
	for (unsigned i = 0; sl.worker && i < sl.n_workers; i++)
		fini_worker(&sl.worker[i], i);
	free(sl.worker);
	free(f.suspect);
	free(f.port);
	free(f.port_of);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fill.c - fills the forwarding tables, slice by slice.
 *
 * Trees are chosen for the intended graph.  Where links are missing each is repaired, so the
 * tables are a function of the intended graph and of what is missing from it.
 *
 * Minimal slices do not depend on each other, so under any-sl each is a job.  The trees of
 * layers do, but their columns are filled side by side; once they are grown (grown.c), each is a
 * job, too.  Each worker has a struct fill (fill.h). */
#include <stdlib.h>
#include <string.h>

#include "route/fill.h"
#include "route/tuning.h"

/* ---- one column -------------------------------------------------------------------- */

static bool
has_children(const struct moore_rgraph *g, uint32_t s, const uint8_t *slot)
{
	for (uint32_t o = g->xadj[s]; o < g->xadj[s + 1]; o++)
		if (g->xadj[g->to[o]] + slot[g->to[o]] == g->rev[o])
			return true;
	return false;
}

/* In a column of minimal routes: the root's neighbours across odd links (graph/odd_links.c) send over these,
 * but those through which others come. */
static void
take_odd_links(struct fill *f, const struct moore_rcolumn *c, const uint8_t *slot)
{
	const struct moore_rgraph *g = &f->r->g;
	const uint8_t odd_up = MOORE_EDGE_ODD | MOORE_EDGE_UP;
	uint8_t *port = f->port + (size_t)c->lid * g->n;

	if (!(g->some_flags & MOORE_EDGE_ODD) || moore_rcolumn_in_layer(c))
		return;
	for (uint32_t o = g->xadj[c->root]; o < g->xadj[c->root + 1]; o++)
		if ((g->flags[o] & odd_up) == odd_up && !has_children(g, g->to[o], slot))
			port[g->to[o]] = moore_rgraph_port(g, g->rev[o], c->root);
}

void
moore_rfill_put(struct fill *f, const struct moore_rcolumn *c, const uint8_t *slot)
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
	take_odd_links(f, c, slot);
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

/* ---- one slice ------------------------------------------------------------------------ */

/* Chooses the trees *slots of a slice, and fills n_lids[] and load[] with theirs. */
static void
choose_trees(struct fill *f, size_t slice, const uint8_t **slots)
{
	struct moore_rbuild *b = f->b;
	const struct moore_rcolumns *cols = &b->cols;
	const struct moore_rcolumn *c = moore_rfill_first_of(cols, slice);
	struct moore_rbalance *m = f->balance;
	const uint32_t *load = m->load;
	const size_t n = b->r->g.n;

	moore_rcolumns_count_lids(cols, &b->r->g, c, f->n_lids);
	*slots = NULL;
	if (b->hinted && moore_rcolumn_in_layer(c))
		return;		/* fill_hinted.c makes them */
	if (b->grown) {
		*slots = moore_rgrown_slice(b->grown, slice);
		moore_rgrown_loads(b->grown, slice, f->load);
		return;
	}
	if (moore_rcolumn_in_layer(c)) {
		*slots = moore_rslices_tree(&b->all, m->v->g, slice - cols->n_minimal, 0);
		load = b->all.load;
	} else {
		moore_rbalance_slice(m, c->place + c->offset, f->n_lids);
		for (uint32_t e = 0; f->for_layers && c->place >= MOORE_PLACE_HOST && e < m->v->g->n_edges; e++)
			f->for_layers[e] += m->load[e];
		*slots = m->slot;
		if (b->growing)
			memcpy(moore_rgrown_slice(b->growing, slice), m->slot, n * n);
	}
	memcpy(f->load, load, m->v->g->n_edges * sizeof(*f->load));
	if (b->growing)
		moore_rgrown_keep_loads(b->growing, slice, load);
}

/* Fills the n columns from col on, whose trees are slots[], a row of g->n for each root. */
static int
fill_columns(struct fill *f, const uint8_t *slots, const struct moore_rcolumn *col, size_t n,
	     struct moore_err *err)
{
	struct moore_rbuild *b = f->b;
	const struct moore_rgraph *g = &f->r->g;
	int rc;

	if (b->hinted && !slots)
		return moore_rfill_hint_layer(f, col, n, err);
	if (b->hinted && !f->repairs && moore_rfill_hint_minimal(f, slots, col, n))
		return 0;
	if (g->one_vl && f->repairs)
		return moore_rfill_one_vl(f, slots, col, n, err);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *slot = slots + (size_t)col[i].root * g->n;
		bool again = i > 0 && col[i].root == col[i - 1].root && !b->hinted;

		if (again && f->port_of) {
			copy_column(f, &col[i], &col[i - 1]);
			continue;
		}
		if (f->repairs) {
			if (!again && (rc = moore_rfill_repair(f, slot, &col[i], err)) < 0)
				return rc;
			slot = f->tree->slot;
		}
		if (!b->hinted)
			moore_rfill_put(f, &col[i], slot);
		else if ((rc = moore_rfill_hint_column(f, &col[i], slot, err)) < 0)
			return rc;
	}
	return 0;
}

/* ---- all slices ------------------------------------------------------------------------ */

/* Transposes n LIDs of from[], whose columns are n_nodes apart, into to[]. */
static void
transpose(const uint8_t *from, size_t n_nodes, uint8_t *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i * n_nodes];
}

/* Transposes 64 LIDs of port[] and right[] into the rows of the tables: a cache line of each. */
static void
write_tables(void *arg, unsigned worker, size_t block)
{
	const struct fill *f = arg;
	const struct moore_rgraph *g = &f->r->g;
	size_t top = (size_t)f->r->seen->lid_top + 1, lid0 = block * 64;
	size_t n = top - lid0 < 64 ? top - lid0 : 64;

	(void)worker;
	for (uint32_t s = 0; s < g->n; s++) {
		moore_swid sw = g->sw_of[s];

		if (sw == MOORE_NONE)
			continue;
		transpose(f->port + lid0 * g->n + s, g->n, moore_lft_row(f->r->lft, sw) + lid0, n);
		if (f->right)
			transpose(f->right + lid0 * g->n + s, g->n,
				  f->r->right + sw * f->r->lft->stride + lid0, n);
	}
}

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

/* Of a slice whose trees do not depend on other slices, or are at hand. */
static void
slice_job(void *arg, unsigned worker, size_t i)
{
	struct slices *sl = arg;
	struct fill *f = &sl->worker[worker];
	const uint8_t *slots;

	i += sl->first;
	if (f->rc < 0 && f->failed < i)
		return;
	choose_trees(f, i, &slots);
	fill_slice(f, sl, i, slots);
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
			b->all.load[e] += f[i].for_layers[e];
			f[i].for_layers[e] = 0;
		}
		if (f[i].rc < 0 && (first->rc == 0 || f[i].failed < first->failed))
			first = &f[i];
	}
	if (first->rc < 0 && err)
		*err = first->err;
	return first->rc;
}

/* Grows the trees of all layers where LIDs share them: those of one depend on those before. */
static int
grow_slices(struct fill *f)
{
	struct moore_rbuild *b = f->b;
	const struct moore_rcolumns *cols = &b->cols;

	for (size_t i = cols->n_minimal; i < cols->n_slices; i++) {
		const struct moore_rcolumn *c = moore_rfill_first_of(cols, i);

		moore_rcolumns_count_lids(cols, &b->r->g, c, f->n_lids);
		if (moore_rlayers_slice(&b->layers, c->offset - 1, cols->n_offsets - 1,
					c->place % cols->n_variants, cols->n_variants, f->n_lids,
					b->n_connected) < 0)
			return -MOORE_ENOMEM;
	}
	return 0;
}

/* Grows the trees of all layers.  -MOORE_ENOMEM. */
static int
grow_layers(struct slices *sl, struct moore_err *err)
{
	struct fill *f = sl->worker;
	struct moore_rbuild *b = f->b;
	const struct moore_rcolumns *cols = sl->cols;

	/* Trees that are shared start from those of the last minimal slice, and so do leaves that move. */
	if (sl->n_workers > 1 && (!cols->own_trees || cols->middles.lines)) {
		const struct moore_rcolumn *c = moore_rfill_first_of(cols, cols->n_minimal - !!cols->n_minimal);

		moore_rcolumns_count_lids(cols, &b->r->g, c, f->n_lids);
		moore_rbalance_slice(f->balance, c->place + c->offset, f->n_lids);
	}
	if (cols->own_trees) {
		moore_jobs_run(b->jobs, sl->n_workers, MOORE_STRANDS, moore_rfill_grow_strand, sl);
		unite(sl, NULL);
	} else if (grow_slices(f) < 0) {
		return moore_fail_nomem(err);
	}
	if ((b->layers.gates || cols->middles.lines) &&
	    moore_rslices_revise(&b->all, &b->balance, cols->middles.lines, b->jobs) < 0)
		return moore_fail_nomem(err);
	return 0;
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
	if (!b->grown && (rc = grow_layers(sl, err)) < 0)
		return rc;
	sl->first = n_first;
	if (cols->own_trees)
		moore_jobs_run(b->jobs, sl->n_workers, MOORE_STRANDS, moore_rfill_strand, sl);
	else
		moore_jobs_run(b->jobs, sl->n_workers, cols->n_slices - n_first, slice_job, sl);
	return unite(sl, err);
}

/* ---- workers ---------------------------------------------------------------------------- */

static bool
init_worker(struct fill *f, struct moore_rbuild *b, unsigned i)
{
	const struct moore_rgraph *g = &b->r->g;

	f->n_lids = calloc((size_t)g->n + 1, 1);
	f->load = calloc((size_t)g->n_edges + 1, sizeof(*f->load));
	if (b->all.load)
		f->for_layers = calloc((size_t)g->n_edges + 1, sizeof(*f->for_layers));
	f->best = malloc((size_t)g->n + 1);
	if (!f->n_lids || !f->load || !f->best || (b->all.load && !f->for_layers))
		return false;
	if (b->cols.own_trees && !b->grown && moore_rmtrees_init(&f->mtrees, &b->planned, &b->cols.middles,
						b->n_connected, b->cols.n_offsets - 1,
						b->cols.n_places, b->kind) < 0)
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
	free(f->best);
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
	bool parallel = false;
	bool drained = g->spared.n_ends || g->spared.n_drained;

	*f = (struct fill){ .b = b, .r = b->r, .port = b->port };
	f->repairs = (b->intended || drained) && !g->as_planned;
	for (uint32_t e = 0; e < g->n_edges; e++)
		parallel |= g->xpar[e + 1] - g->xpar[e] > 1;
	f->port_of = parallel ? NULL : malloc((size_t)g->n_edges + 1);
	f->right = b->hinted ? calloc((size_t)b->r->seen->lid_top + 1, g->n + 1) : NULL;
	if ((b->hinted && !f->right) || (!f->port_of && !parallel) ||
	    (f->repairs && moore_rfill_find_suspects(f) < 0))
		return moore_fail_nomem(err);
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
	    (b->hinted && (rc = moore_rfill_plan_hinted(sl.worker, err)) < 0) ||
	    (rc = fill_all(&sl, err)) < 0)
		goto out;
	moore_jobs_run(b->jobs, moore_jobs_width(b->jobs, n_blocks / 8), n_blocks, write_tables, &f);
out:
	for (unsigned i = 0; sl.worker && i < sl.n_workers; i++)
		fini_worker(&sl.worker[i], i);
	free(sl.worker);
	free(f.suspect);
	free(f.right);
	free(f.port_of);
	return rc;
}

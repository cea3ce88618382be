// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fill_strand.c - trees and columns of layers where each LID has a tree of its own: the trees are grown
 * root by root, in strands that do not heed each other. */
#include <string.h>

#include "route/fill.h"
#include "route/tuning.h"

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

/* Fills the columns of c on that this tree of a root serves: none, if no LID is there; returns
 * the column after them. */
static const struct moore_rcolumn *
fill_tree(struct fill *f, const uint8_t *slot, const struct moore_rcolumn *c,
	  const struct moore_rcolumn *end, const struct moore_rcolumn *of)
{
	for (; c < end && c->root == of->root && c->place == of->place && c->offset == of->offset; c++) {
		if (f->repairs && f->rc == 0 && (f->rc = moore_rfill_repair(f, slot, c, &f->err)) < 0)
			f->failed = c->root;
		moore_rfill_put(f, c, f->repairs ? f->tree->slot : slot);
	}
	return c;
}

/* Counts the routes of the tree slot[] of root. */
static void
add_loads(const struct moore_rgraph *g, const uint8_t *slot, uint32_t root, uint32_t *load)
{
	for (uint32_t s = 0; s < g->n; s++) {
		if (!g->is_source[s])
			continue;
		for (uint32_t e, x = s; x != root && slot[x] != MOORE_SLOT_NONE; x = g->to[e]) {
			e = g->xadj[x] + slot[x];
			load[e]++;
		}
	}
}

/* All trees of a strand, also those that no LID takes, since others heed them. */
void
moore_rfill_grow_strand(void *arg, unsigned worker, size_t strand)
{
	struct slices *sl = arg;
	struct fill *f = &sl->worker[worker];
	struct moore_rslices *all = &f->b->all;
	const struct moore_rcolumns *cols = sl->cols;
	const struct moore_rgraph *g = &f->r->g;

	moore_rmtrees_start(&f->mtrees);
	for (uint32_t root = (uint32_t)strand; root < g->n; root += MOORE_STRANDS) {
		const uint32_t n_trees = moore_rcolumns_own_trees(cols, root);

		if (!g->is_source[root] || !n_trees)
			continue;
		moore_rmtrees_root(&f->mtrees, root, moore_rslices_tree(all, g, 0, root), n_trees);
		for (uint32_t k = 0; k < n_trees; k++) {
			all->lids[(size_t)k * g->n + root] = 1;
			if (cols->middles.lines)
				add_loads(g, moore_rslices_tree(all, g, k, root), root, f->for_layers);
		}
	}
}

void
moore_rfill_strand(void *arg, unsigned worker, size_t strand)
{
	struct slices *sl = arg;
	struct fill *f = &sl->worker[worker];
	const struct moore_rcolumns *cols = sl->cols;
	const struct moore_rcolumn *col = moore_rfill_first_of(cols, cols->n_minimal), *end = cols->col + cols->n;
	const struct moore_rgraph *g = &f->r->g;

	memset(f->load, 0, g->n_edges * sizeof(*f->load));
	memset(f->n_lids, 1, g->n);
	for (uint32_t root = (uint32_t)strand; root < g->n; root += MOORE_STRANDS) {
		const struct moore_rcolumn *c = col + find_root(col, (size_t)(end - col), root);
		uint32_t k = 0;

		for (uint32_t j = 0; g->is_source[root] && j < cols->n_places; j++)
			for (uint32_t o = 1; o < cols->n_offsets; o++)
				if (cols->hosts[(size_t)root * cols->n_places + j])
					c = fill_tree(f, moore_rslices_tree(&f->b->all, g, k++, root), c, end,
						      &(struct moore_rcolumn){ .root = root, .offset = o,
						      .place = MOORE_PLACE_HOST + j });
	}
}

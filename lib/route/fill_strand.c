// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fill_strand.c - columns of graphs with lines, where each endpoint has trees of its own: they are
 * grown root by root, in strands that do not heed each other. */
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

/* Returns the k-th tree of root; trees are asked for in sequence. */
static const uint8_t *
next_tree(struct fill *f, uint32_t root, uint32_t k)
{
	const struct moore_rbuild *b = f->b;
	const uint8_t *slot;

	if (b->grown)
		return moore_rgrown_tree(b->grown, root, k);
	if (k == 0)
		moore_rmtrees_root(&f->mtrees, root, moore_rcolumns_own_trees(&b->cols, root));
	slot = moore_rmtrees_tree(&f->mtrees, k);
	if (b->growing)
		memcpy(moore_rgrown_tree(b->growing, root, k), slot, f->r->g.n);
	return slot;
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

/* Where the trees of a class's roots are alike (layers/layer_models.c), all of them are of one strand. */
static uint32_t
strand_of(const struct moore_rmiddles *c, uint32_t root)
{
	bool by_class = c->paired && c->class_of[root] != MOORE_NONE;

	return (by_class ? c->class_of[root] : root) % MOORE_STRANDS;
}

/* All trees of a strand, also those that no LID takes, since others heed them. */
void
moore_rfill_strand(void *arg, unsigned worker, size_t strand)
{
	struct slices *sl = arg;
	struct fill *f = &sl->worker[worker];
	const struct moore_rcolumns *cols = &f->b->cols;
	const struct moore_rcolumn *col = moore_rfill_first_of(cols, cols->n_minimal), *end = cols->col + cols->n;
	const struct moore_rgraph *g = &f->r->g;

	if (!f->b->grown)
		moore_rmtrees_start(&f->mtrees);
	memset(f->load, 0, g->n_edges * sizeof(*f->load));
	memset(f->n_lids, 1, g->n);
	for (uint32_t root = 0; root < g->n; root++) {
		const struct moore_rcolumn *c;
		uint32_t k = 0;

		if (strand_of(&cols->middles, root) != strand)
			continue;
		c = col + find_root(col, (size_t)(end - col), root);
		for (uint32_t j = 0; g->is_source[root] && j < cols->n_places; j++)
			for (uint32_t o = 1; o < cols->n_offsets; o++)
				if (cols->hosts[(size_t)root * cols->n_places + j])
					c = fill_tree(f, next_tree(f, root, k++), c, end,
						      &(struct moore_rcolumn){ .root = root, .offset = o,
						      .place = MOORE_PLACE_HOST + j });
	}
}

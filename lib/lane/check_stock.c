// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_stock.c - judges the multicast trees that OpenSM builds by itself (moore/stock.h).
 *
 * The unicast routes are walked once, and the VLs that they hold at each turn are kept.  Each
 * tree is flooded over a copy of these cells, whose graph is then ordered.  What the trees
 * hold is collected in a third set of cells, whose graph is that of all trees together. */
#include <stdlib.h>
#include <string.h>

#include "check_impl.h"

struct trial {
	struct moore_ck k;
	struct moore_ck_cell *unicast, *all;
	size_t n_cells;
	moore_mcast_ports *members;
	struct moore_mft one;		/* the tree at hand, as the only group */
	uint16_t mlid;
};

void
moore_stock_verdict_free(struct moore_stock_verdict *v)
{
	if (!v)
		return;
	free(v->tree);
	free(v->cycle);
	free(v);
}

static int
prepare(struct trial *t, struct moore_err *err)
{
	struct moore_ck *k = &t->k;
	struct moore_verdict counted = { 0 };
	int rc;

	if ((rc = moore_ck_read(k, err)) < 0 || (rc = moore_ck_count(k, &counted, err)) < 0)
		return rc;
	t->n_cells = moore_ck_n_cells(k);
	t->unicast = moore_arena_alloc(&k->tmp, t->n_cells, sizeof(*t->unicast));
	t->all = moore_arena_alloc(&k->tmp, t->n_cells, sizeof(*t->all));
	t->members = moore_arena_alloc(&k->tmp, (size_t)k->n_sw + 1, sizeof(*t->members));
	t->one = (struct moore_mft){ .n_switches = k->n_sw, .n_groups = 1, .cap_groups = 1,
		.mlid = &t->mlid,
		.mask = moore_arena_alloc(&k->tmp, (size_t)k->n_sw + 1, sizeof(*t->one.mask)) };
	if (!t->unicast || !t->all || !t->members || !t->one.mask)
		return moore_fail_nomem(err);
	memcpy(t->unicast, k->cell, t->n_cells * sizeof(*k->cell));
	memcpy(t->all, k->cell, t->n_cells * sizeof(*k->cell));
	return 0;
}

/* Judges cells of k; the tree at hand, if mft names it, is flooded over them first.  A cycle is
 * reported in *v unless v is NULL or has one. */
static int
judge(struct trial *t, const struct moore_mft *mft, bool *acyclic, struct moore_stock_verdict *v,
      struct moore_err *err)
{
	struct moore_ck k = t->k;
	struct moore_ck_graph g = { .n = 0 };
	struct moore_verdict found = { 0 };
	int rc;

	k.mft = mft;
	k.tmp = (struct moore_arena)MOORE_ARENA_INIT;
	if ((rc = moore_ck_mcast(&k, NULL, err)) == 0 &&
	    (rc = moore_ck_graph(&k, &g, &found, err)) == 0 && !found.acyclic && v && !v->cycle)
		rc = moore_ck_tell_cycle(&k, &g, &v->cycle, &v->cycle_len, err);
	*acyclic = found.acyclic;
	free(found.order);
	moore_arena_free(&k.tmp);
	return rc;
}

/* Judges the tree in t->one, and adds what it holds to all. */
static int
try_tree(struct trial *t, struct moore_stock_verdict *v, struct moore_stock_tree *tree,
	 struct moore_err *err)
{
	int rc;

	t->mlid = tree->mlid;
	memcpy(t->k.cell, t->unicast, t->n_cells * sizeof(*t->k.cell));
	if ((rc = judge(t, &t->one, &tree->safe, v, err)) < 0)
		return rc;
	v->n_safe += tree->safe;
	for (size_t i = 0; i < t->n_cells; i++)
		t->all[i].held |= t->k.cell[i].held;
	return 0;
}

/* One tree for each group, or from each switch to everyone. */
static int
try_trees(struct trial *t, const struct moore_stock_hop *hops, const struct moore_mft *groups,
	  struct moore_stock_verdict *v, struct moore_err *err)
{
	const struct moore_fabric *f = t->k.f;
	size_t n = f->n_switches;
	int rc = 0;

	moore_stock_everyone(f, t->members);
	v->everyone = moore_stock_root(f, hops, t->members);
	for (uint32_t i = 0; i < v->n && rc == 0; i++) {
		struct moore_stock_tree *tree = &v->tree[i];

		tree->root = i;
		if (groups) {
			memcpy(t->members, &groups->mask[i * n], n * sizeof(*t->members));
			tree->mlid = groups->mlid[i];
			tree->root = moore_stock_root(f, hops, t->members);
		}
		moore_stock_tree(f, hops, tree->root, t->members, t->one.mask);
		rc = try_tree(t, v, tree, err);
	}
	return rc;
}

int
moore_check_stock(struct moore_stock_verdict **out, const struct moore_fabric *f,
		  const struct moore_lft *lft, const struct moore_sl2vl *sl2vl,
		  const struct moore_stock_hop *hops, const struct moore_mft *groups,
		  const struct moore_check_opts *opts, struct moore_err *err)
{
	struct trial t = { .k = { .f = f, .lft = lft, .sl2vl = sl2vl, .mft = groups, .opts = *opts,
		.tmp = MOORE_ARENA_INIT } };
	const struct moore_mft *used = groups && groups->n_groups ? groups : NULL;
	struct moore_stock_verdict *v = calloc(1, sizeof(*v));
	int rc;

	*out = NULL;
	if (!v)
		return moore_fail_nomem(err);
	v->n = used ? used->n_groups : f->n_switches;
	if (!(v->tree = calloc((size_t)v->n + 1, sizeof(*v->tree)))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	if ((rc = prepare(&t, err)) < 0 || (rc = try_trees(&t, hops, used, v, err)) < 0)
		goto out;
	memcpy(t.k.cell, t.all, t.n_cells * sizeof(*t.k.cell));
	if ((rc = judge(&t, NULL, &v->together, NULL, err)) < 0)
		goto out;
	*out = v;
	v = NULL;
out:
	moore_stock_verdict_free(v);
	free(t.k.own);
	moore_arena_free(&t.k.tmp);
	return rc;
}

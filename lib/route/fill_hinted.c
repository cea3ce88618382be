// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fill_hinted.c - the columns of profile sl-hint, whose trees also say for which table of SLs each
 * route is right (hint/). */
#include <stdlib.h>
#include <string.h>

#include "route/fill.h"

/* The layers of sl-hint, numbered: hosts' slices at offsets from 1 on. */
static uint32_t
hint_layer(const struct moore_rcolumns *cols, const struct moore_rcolumn *c)
{
	return (c->place - MOORE_PLACE_HOST) * (cols->n_offsets - 1) + c->offset - 1;
}

int
moore_rfill_plan_hinted(struct fill *f, struct moore_err *err)
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
	if (moore_rhint_lend(&b->hint) < 0)
		return moore_fail_nomem(err);
	moore_rhint_base(&b->hint, &b->up, b->n_connected_up);
	return 0;
}

/* Fills in column c with a tree, for whose routes the tables in ok[] are right. */
static void
put_hinted(struct fill *f, const struct moore_rcolumn *c, const uint8_t *slot, const uint8_t *ok)
{
	const struct moore_rgraph *g = &f->r->g;
	uint8_t *right = f->right + (size_t)c->lid * g->n;

	moore_rfill_put(f, c, slot);
	for (uint32_t s = 0; s < g->n; s++)
		right[s] = ok[s] & 15;
	f->r->at[c->lid] = g->sw_of[c->root];
}

int
moore_rfill_hint_column(struct fill *f, const struct moore_rcolumn *c, const uint8_t *slot,
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

static void
put_all(struct fill *f, const struct moore_rcolumn *col, size_t n)
{
	const struct moore_jobs *jobs = f->b->jobs;
	struct hint_columns cs = { f, col, n };
	size_t n_jobs = (n + COLUMNS - 1) / COLUMNS;

	moore_jobs_run(jobs, moore_jobs_width(jobs, n_jobs), n_jobs, put_job, &cs);
}

int
moore_rfill_hint_layer(struct fill *f, const struct moore_rcolumn *col, size_t n, struct moore_err *err)
{
	struct moore_rbuild *b = f->b;
	uint32_t bad = moore_rhint_layer(&b->hint, &b->planned, &b->up, hint_layer(&b->cols, col),
					 f->n_lids, b->n_connected_up, &f->repaired);

	if (bad != MOORE_NONE)
		return moore_rbuild_fail_unreachable(b, bad, err);
	put_all(f, col, n);
	return 0;
}

bool
moore_rfill_hint_minimal(struct fill *f, const uint8_t *slots, const struct moore_rcolumn *col, size_t n)
{
	struct moore_rbuild *b = f->b;

	memset(f->n_lids, 0, f->r->g.n);	/* the roots that are present */
	for (size_t i = 0; i < n; i++)
		f->n_lids[col[i].root] = 1;
	if (!moore_rhint_minimal(&b->hint, &b->up, slots, col->place >= MOORE_PLACE_HOST, f->n_lids,
				 b->n_connected_up))
		return false;
	put_all(f, col, n);
	return true;
}

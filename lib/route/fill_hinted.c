// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fill_hinted.c - the columns of profile sl-hint, whose trees also say for which table of SLs each
 * route is right (hint/). */
#include <stdlib.h>
#include <string.h>

#include "route/fill.h"

/* Layers are numbered by host and offset: each host has one for each offset from 1 on. */
int
moore_rfill_plan_hinted(struct fill *f, struct moore_err *err)
{
	struct moore_rbuild *b = f->b;
	const struct moore_rcolumns *cols = &b->cols;
	const uint32_t n = f->r->g.n, n_of_host = cols->n_offsets - 1, n_layers = cols->n_places * n_of_host;
	uint8_t *present;
	int rc;

	if (!(present = malloc((size_t)n_layers * n + 1)))
		return moore_fail_nomem(err);
	for (uint32_t k = 0; k < n_layers; k++)
		for (uint32_t root = 0; root < n; root++)
			present[(size_t)k * n + root] = cols->hosts[(size_t)root * cols->n_places + k / n_of_host];
	rc = moore_rhint_plan(&b->hint, &b->planned, n_layers, n_of_host, cols->n_variants * n_of_host, present,
			      err);
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
	const uint32_t first = moore_rcolumn_variant(&b->cols, col) * (b->cols.n_offsets - 1) + col->offset - 1;
	const uint32_t bad = moore_rhint_layer(&b->hint, &b->planned, &b->up, first, f->n_lids,
					       b->n_connected_up, &f->repaired);

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

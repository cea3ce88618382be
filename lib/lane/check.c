// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check.c - checks tables: reads them, follows every route, and reports acyclic with an
 * order of the channels, or cyclic with a shortest cycle.  The stages are listed in
 * check_impl.h. */
#include <stdlib.h>

#include "check_impl.h"

void
moore_verdict_free(struct moore_verdict *v)
{
	if (!v)
		return;
	free(v->order);
	free(v->cycle);
	free(v);
}

static int
check_fit(const struct moore_ck *k, struct moore_err *err)
{
	int rc = k->lft ? moore_ck_fit_lft(k->f, k->lft, "", err) : 0;

	if (rc == 0 && k->mft)
		rc = moore_ck_fit_mft(k->f, k->mft, err);
	if (rc == 0 && k->opts.sl_set)
		rc = moore_ck_fit_sl_set(k->f, k->opts.sl_set, err);
	return rc == 0 ? moore_ck_fit_sl2vl(k->f, k->sl2vl, "", err) : rc;
}

int
moore_ck_tell_cycle(struct moore_ck *k, const struct moore_ck_graph *g,
		    struct moore_dependency **out, uint32_t *len, struct moore_err *err)
{
	uint32_t *cycle = NULL, n = 0;
	int rc = moore_ck_cycle(k, g, &cycle, &n, err);

	if (rc < 0)
		return rc;
	if (!(*out = calloc(n, sizeof(**out))))
		return moore_fail_nomem(err);
	*len = n;
	for (uint32_t i = 0; i < n; i++) {
		(*out)[i].from = g->channel[cycle[i]];
		(*out)[i].src_sw = MOORE_NONE;
		if (k->lft && (rc = moore_ck_example(k, &(*out)[i], &g->channel[cycle[(i + 1) % n]],
						     err)) < 0)
			return rc;
	}
	return 0;
}

int
moore_ck_read(struct moore_ck *k, struct moore_err *err)
{
	int rc;

	if (!k->opts.sl_mask)
		k->opts.sl_mask = UINT16_MAX;
	if ((rc = check_fit(k, err)) < 0 || (rc = moore_fabric_lids(k->f, &k->own, err)) < 0)
		return rc;
	return moore_ck_net(k, err);
}

/* A whole check. */
struct whole {
	struct moore_ck k;
	struct moore_ck_graph g;
	struct moore_verdict *v;
	int rc;
	struct moore_err err;
};

static int
check_all(struct moore_ck *k, struct moore_ck_graph *g, struct moore_verdict *v, struct moore_err *err)
{
	int rc;

	if ((rc = moore_ck_read(k, err)) < 0 ||
	    (rc = moore_ck_count(k, v, err)) < 0 ||
	    (rc = moore_ck_mcast(k, NULL, err)) < 0 ||
	    (rc = moore_ck_dropped(k, v, err)) < 0 ||
	    (rc = moore_ck_graph(k, g, v, err)) < 0)
		return rc;
	v->sound = v->acyclic && !v->unreachable && !v->dropped;
	return v->acyclic ? 0 : moore_ck_tell_cycle(k, g, &v->cycle, &v->cycle_len, err);
}

static void
check_job(void *arg, unsigned worker, size_t i)
{
	struct whole *w = arg;

	(void)worker;
	(void)i;
	w->rc = check_all(&w->k, &w->g, w->v, &w->err);
}

int
moore_check(struct moore_verdict **out, const struct moore_fabric *f,
	    const struct moore_lft *lft, const struct moore_sl2vl *sl2vl,
	    const struct moore_mft *mft, const struct moore_check_opts *opts,
	    struct moore_err *err)
{
	struct whole w = { .k = { .f = f, .lft = lft, .sl2vl = sl2vl, .mft = mft, .opts = *opts,
		.tmp = MOORE_ARENA_INIT }, .v = calloc(1, sizeof(*w.v)) };

	*out = NULL;
	if (!w.v)
		return moore_fail_nomem(err);
	moore_jobs_keep(opts->jobs, check_job, &w);
	free(w.k.own);
	moore_arena_free(&w.k.tmp);
	if (w.rc < 0) {
		if (err)
			*err = w.err;
		moore_verdict_free(w.v);
		return w.rc;
	}
	*out = w.v;
	return 0;
}

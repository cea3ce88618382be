// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_parts.c - checks tables that memory cannot hold: their rows come some LIDs at a time.
 *
 * The walk of a LID needs the rows of that LID alone.  What lasts from one part to the next are
 * the VLs held at each turn and the counts, whose size does not depend on the number of LIDs. */
#include <stdlib.h>

#include "check_impl.h"

struct moore_check_parts {
	struct moore_ck k;
	struct moore_lft shape;		/* of a part, before the first one is there */
	struct moore_ck_counts count;
};

void
moore_check_parts_free(struct moore_check_parts *p)
{
	if (!p)
		return;
	free(p->k.own);
	moore_arena_free(&p->k.tmp);
	free(p);
}

/* Whether packets may be dropped depends on all rows of a switch together (check_drop.c). */
static int
refuse_drops(const struct moore_ck *k, struct moore_err *err)
{
	return k->drops ? moore_fail(err, MOORE_EINVAL, 0, "an SL in use maps to VL 15: tables in parts are "
				     "judged only if none does") : 0;
}

int
moore_check_parts_new(struct moore_check_parts **out, const struct moore_fabric *f,
		      const struct moore_sl2vl *sl2vl, const struct moore_jobs *jobs, size_t n_lids,
		      struct moore_err *err)
{
	struct moore_check_parts *p = calloc(1, sizeof(*p));
	int rc;

	*out = NULL;
	if (!p)
		return moore_fail_nomem(err);
	p->k = (struct moore_ck){ .f = f, .sl2vl = sl2vl, .opts.jobs = jobs, .tmp = MOORE_ARENA_INIT };
	p->shape = (struct moore_lft){ .n_switches = f->n_switches, .stride = n_lids };
	if ((rc = moore_ck_read(&p->k, err)) == 0 && (rc = refuse_drops(&p->k, err)) == 0) {
		p->k.lft = &p->shape;
		rc = moore_ck_count_init(&p->count, &p->k, err);
	}
	if (rc < 0)
		moore_check_parts_free(p);
	else
		*out = p;
	return rc;
}

void
moore_check_part(struct moore_check_parts *p, const struct moore_lft *part, moore_lid first)
{
	p->k.lft = part;
	p->k.lid0 = first;
	moore_ck_count_rows(&p->count, &p->k);
}

int
moore_check_parts_end(struct moore_verdict **out, struct moore_check_parts *p, struct moore_err *err)
{
	struct moore_verdict *v = calloc(1, sizeof(*v));
	struct moore_ck_graph g = { .n = 0 };
	int rc = v ? 0 : moore_fail_nomem(err);

	*out = NULL;
	p->k.lft = NULL;
	if (rc == 0) {
		moore_ck_count_end(&p->count, &p->k, v);
		rc = moore_ck_graph(&p->k, &g, v, err);
	}
	if (rc == 0 && !v->acyclic)
		rc = moore_ck_tell_cycle(&p->k, &g, &v->cycle, &v->cycle_len, err);
	if (rc < 0) {
		moore_verdict_free(v);
		return rc;
	}
	v->sound = v->acyclic && !v->unreachable;
	*out = v;
	return 0;
}

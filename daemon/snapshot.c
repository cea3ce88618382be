// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* snapshot.c - snapshots, which count their references, and the index that is made once for
 * each, so that most answers are a few look-ups. */
#include <stdlib.h>
#include <string.h>

#include "scan/scanner.h"

void
snapshot_put(struct snapshot *s)
{
	if (!s || atomic_fetch_sub(&s->refs, 1) != 1)
		return;
	moore_plan_free(s->seen);
	moore_fabric_free(s->fabric);
	moore_lft_free(s->lft);
	moore_sl2vl_free(s->sl2vl);
	moore_mft_free(s->mft);
	moore_hardware_free(s->hardware);
	free(s->row_hash);
	free(s);
}

void
poll_free(struct poll *p)
{
	if (!p)
		return;
	snapshot_put(p->snap);
	free(p->port);
	free(p->host);
	free(p);
}

/* ---- the index --------------------------------------------------------------------- */

struct view_name {
	const char *name;	/* the fabric's */
	moore_swid sw;
	moore_epid ep;
};

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct view_name *)a)->name, ((const struct view_name *)b)->name);
}

static int
index_names(struct view *v, const struct moore_fabric *f)
{
	size_t n = 0;

	v->name = malloc(((size_t)f->n_switches + f->n_endpoints + 1) * sizeof(*v->name));
	if (!v->name)
		return -1;
	for (uint32_t s = 0; s < f->n_switches; s++)
		v->name[n++] = (struct view_name){ f->sw[s].name, s, MOORE_NONE };
	for (uint32_t e = 0; e < f->n_endpoints; e++)
		v->name[n++] = (struct view_name){ f->ep[e].name, MOORE_NONE, e };
	for (size_t i = n; i-- > 0;)
		if (!v->name[i].name)
			v->name[i] = v->name[--n];
	v->n_names = (uint32_t)n;
	qsort(v->name, n, sizeof(*v->name), by_name);
	return 0;
}

int
view_new(struct view **out, struct snapshot *snap)
{
	struct view *v = calloc(1, sizeof(*v));

	*out = NULL;
	if (!v) {
		snapshot_put(snap);
		return -1;
	}
	atomic_init(&v->refs, 1);
	v->snap = snap;
	if (snap->fabric && (index_names(v, snap->fabric) < 0 ||
			     moore_fabric_lids(snap->fabric, &v->owner, NULL) < 0)) {
		view_put(v);
		return -1;
	}
	*out = v;
	return 0;
}

struct view *
view_get(struct view *v)
{
	if (v)
		atomic_fetch_add(&v->refs, 1);
	return v;
}

void
view_put(struct view *v)
{
	if (!v || atomic_fetch_sub(&v->refs, 1) != 1)
		return;
	snapshot_put(v->snap);
	free(v->owner);
	free(v->name);
	free(v);
}

int
view_find(const struct view *v, const char *what, moore_swid *sw, moore_epid *ep,
	  struct moore_err *err)
{
	struct view_name key = { what, MOORE_NONE, MOORE_NONE };
	const struct view_name *n = NULL, *end = v->name + v->n_names;

	/* NAME:PORT and names that several have are the library's to judge. */
	if (!strchr(what, ':'))
		n = bsearch(&key, v->name, v->n_names, sizeof(key), by_name);
	if (!n || (n > v->name && !by_name(n - 1, &key)) || (n + 1 < end && !by_name(n + 1, &key)))
		return moore_fabric_find(v->snap->fabric, what, sw, ep, err);
	*sw = n->sw;
	*ep = n->ep;
	return 0;
}

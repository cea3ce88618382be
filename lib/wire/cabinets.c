// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cabinets.c - puts switches into cabinets in canonical order, without a floor: this is the
 * layout that Fujiwara et al. permute (TPDS 2014, section 4). */
#include <stdlib.h>
#include <string.h>

#include "moore/permute.h"

/* The family, if the plan is a family's graph and that family has a cabinet layout of its
 * own. */
static const struct moore_topo_family *
own_layout(const struct moore_plan *p, int64_t *param)
{
	const struct moore_topo_family *f = p->family ? moore_topo_family_find(p->family) : NULL;
	struct moore_topo_counts n;

	if (!f || !f->cabinet)
		return NULL;
	for (size_t i = 0; i < MOORE_TOPO_MAX_PARAMS && f->param[i].key; i++) {
		if (i >= p->n_params || strcmp(p->key[i], f->param[i].key) != 0)
			return NULL;
		param[i] = p->value[i];
	}
	if (f->resolve(param, NULL) < 0)
		return NULL;
	f->counts(param, &n);
	return n.switches == p->n_switches ? f : NULL;
}

int
moore_plan_fill_cabinets(struct moore_plan *p, uint32_t size, struct moore_err *err)
{
	int64_t param[MOORE_TOPO_MAX_PARAMS] = { 0 };
	const struct moore_topo_family *f = own_layout(p, param);
	struct moore_buf name = MOORE_BUF_INIT;
	int rc = 0;

	if (!size)
		return moore_fail(err, MOORE_EINVAL, 0, "cabinets of no switch");
	for (uint32_t s = 0; s < p->n_switches; s++)
		if (p->sw[s].cabinet)
			return moore_fail(err, MOORE_EINVAL, 0, "switch \"%s\" stands in cabinet \"%s\" "
					  "already", p->sw[s].name, p->sw[s].cabinet);
	for (uint32_t s = 0; rc == 0 && s < p->n_switches; s++) {
		name.len = 0;
		moore_buf_fmt(&name, "c%02u", f ? f->cabinet(param, s) : s / size);
		if (name.oom || !(p->sw[s].cabinet = moore_strndup(name.data, name.len)))
			rc = moore_fail_nomem(err);
	}
	moore_buf_free(&name);
	return rc;
}

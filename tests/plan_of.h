/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* plan_of.h - plans of family members, for the unit tests of the daemon. */
#ifndef MOORE_TEST_PLAN_OF_H
#define MOORE_TEST_PLAN_OF_H

#include "moore/plan.h"
#include "moore/topo.h"

/* Makes the plan of a family member with one parameter, such as "q=5".  Returns NULL if
 * there is none; the caller frees it with moore_plan_free(). */
static struct moore_plan *
plan_of(const char *family, const char *word)
{
	const struct moore_topo_family *fam = moore_topo_family_find(family);
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_topo *t = NULL;
	struct moore_plan *p = NULL;

	if (fam && moore_topo_params_parse(fam, param, &word, 1, NULL) == 0 &&
	    moore_topo_build(&t, fam, param, NULL) == 0)
		moore_plan_from_topo(&p, t, NULL);
	moore_topo_free(t);
	return p;
}

#endif

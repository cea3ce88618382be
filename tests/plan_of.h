/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* plan_of.h - topologies and plans of family members, for tests. */
#ifndef MOORE_TEST_PLAN_OF_H
#define MOORE_TEST_PLAN_OF_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moore/plan.h"
#include "moore/topo.h"

/* For example topo_of("slimfly", "q=5 p=4").  Ends the program if there is no such member.  The
 * caller frees the result with moore_topo_free(). */
static inline struct moore_topo *
topo_of(const char *family, const char *params)
{
	const struct moore_topo_family *f = moore_topo_family_find(family);
	const char *word[MOORE_TOPO_MAX_PARAMS];
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	char copy[128], *save = NULL;
	struct moore_topo *t = NULL;
	struct moore_err err = { .text = "no such family" };
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", params);
	for (char *w = strtok_r(copy, " ", &save); w && n < MOORE_TOPO_MAX_PARAMS;
	     w = strtok_r(NULL, " ", &save))
		word[n++] = w;
	if (!f || moore_topo_params_parse(f, param, word, n, &err) < 0 ||
	    moore_topo_build(&t, f, param, &err) < 0) {
		fprintf(stderr, "%s %s: %s\n", family, params, err.text);
		abort();
	}
	return t;
}

/* The plan of topo_of(); the caller frees it with moore_plan_free(). */
static inline struct moore_plan *
plan_of(const char *family, const char *params)
{
	struct moore_topo *t = topo_of(family, params);
	struct moore_plan *p = NULL;
	struct moore_err err;

	if (moore_plan_from_topo(&p, t, &err) < 0) {
		fprintf(stderr, "%s %s: %s\n", family, params, err.text);
		abort();
	}
	moore_topo_free(t);
	return p;
}

/* Takes all hosts of switch s. */
static inline void
plan_take_hosts(struct moore_plan *p, moore_swid s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_endpoints; i++) {
		if (p->ep[i].sw == s)
			free(p->ep[i].name);
		else
			p->ep[n++] = p->ep[i];
	}
	p->n_endpoints = n;
}

/* End i of cable a and end j of cable b exchange places. */
static inline void
plan_cross_cables(struct moore_plan_cable *a, unsigned i, struct moore_plan_cable *b, unsigned j)
{
	const struct moore_plan_cable was = *a;

	a->sw[i] = b->sw[j];
	a->port[i] = b->port[j];
	b->sw[j] = was.sw[i];
	b->port[j] = was.port[i];
}

#endif

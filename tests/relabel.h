/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* relabel.h - makes isomorphic graphs, and graphs that are almost isomorphic. */
#ifndef MOORE_TEST_RELABEL_H
#define MOORE_TEST_RELABEL_H

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "moore/topo.h"

/* Builds a topology from a specification such as "slimfly q=5"; NULL if it cannot. */
static inline struct moore_topo *
relabel_build(const char *spec)
{
	char copy[128], *save = NULL, *name;
	const char *words[MOORE_TOPO_MAX_PARAMS];
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_topo *t = NULL;
	size_t n = 0;

	strcpy(copy, spec);
	name = strtok_r(copy, " ", &save);
	while (n < MOORE_TOPO_MAX_PARAMS && (words[n] = strtok_r(NULL, " ", &save)))
		n++;
	if (moore_topo_params_parse(moore_topo_family_find(name), param, words, n, NULL) < 0 ||
	    moore_topo_build(&t, moore_topo_family_find(name), param, NULL) < 0)
		return NULL;
	return t;
}

/* Writes the same graph with vertices (and their colours) renumbered and links shuffled to
 * `out`, which has room for all links.  In `out` a link may have a > b. */
static inline void
relabel(struct moore_rng *r, uint32_t n, const struct moore_topo_link *link, size_t n_links,
	const uint32_t *colour, struct moore_topo_link *out, uint32_t *colour_out)
{
	uint32_t *to = calloc(n + 1, sizeof(*to));

	for (uint32_t v = 0; v < n; v++) {
		const uint32_t k = moore_rng_below(r, v + 1);

		to[v] = to[k];
		to[k] = v;
	}
	for (uint32_t v = 0; v < n; v++)
		colour_out[to[v]] = colour[v];
	for (size_t i = 0; i < n_links; i++) {
		const size_t k = moore_rng_below(r, (uint32_t)i + 1);

		out[i] = out[k];
		out[k] = (struct moore_topo_link){ to[link[i].a], to[link[i].b] };
	}
	free(to);
}

static inline bool
relabel_joined(const struct moore_topo_link *link, size_t n_links, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < n_links; i++)
		if ((link[i].a == a && link[i].b == b) || (link[i].a == b && link[i].b == a))
			return true;
	return false;
}

/* Two random links exchange an end, so that all degrees stay the same and no link becomes
 * parallel to another.  Returns false if no such pair was drawn. */
static inline bool
relabel_switch(struct moore_rng *r, struct moore_topo_link *link, size_t n_links)
{
	for (int tries = 0; tries < 1000; tries++) {
		struct moore_topo_link *x = &link[moore_rng_below(r, (uint32_t)n_links)];
		struct moore_topo_link *y = &link[moore_rng_below(r, (uint32_t)n_links)];
		const uint32_t t = x->b;

		if (x == y || x->a == y->b || y->a == x->b || x->a == y->a || x->b == y->b ||
		    relabel_joined(link, n_links, x->a, y->b) ||
		    relabel_joined(link, n_links, y->a, x->b))
			continue;
		x->b = y->b;
		y->b = t;
		return true;
	}
	return false;
}

#endif

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* recognise.c - which registered family a graph is: families are tried whose
 * closed forms give the same counts, and one is named when a map onto its graph
 * was found and verified (isomorph.c). */
#include <stdlib.h>
#include <string.h>

#include "topo/isomorph.h"
#include "topo/topo_build.h"

struct given {			/* the graph */
	uint32_t n;
	const struct moore_topo_link *link;
	size_t n_links;
	uint32_t *colour, *image;	/* scratch */
};

static void
describe(const struct moore_topo_family *f, const int64_t *param, unsigned n_shape, char *text)
{
	struct moore_buf b = MOORE_BUF_INIT;

	moore_buf_fmt(&b, "%s", f->name);
	for (unsigned i = 0; i < n_shape; i++)
		moore_buf_fmt(&b, " %s=%lld", f->param[i].key, (long long)param[i]);
	if (!b.oom && b.len < 64)
		memcpy(text, b.data, b.len + 1);
	moore_buf_free(&b);
}

/* One family with these parameters: counts first, then the map. */
static int
try_params(const struct given *g, const struct moore_topo_family *f, const int64_t *given,
	   unsigned n_shape, char *text, struct moore_err *err)
{
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_topo_counts c;
	struct moore_topo *t;
	bool oom = false;
	int rc;

	memcpy(param, given, sizeof(param));
	if (f->resolve(param, NULL) < 0)
		return 0;
	f->counts(param, &c);
	if (c.switches != g->n || c.links != g->n_links)
		return 0;
	if ((rc = moore_topo_build(&t, f, param, err)) < 0)
		return rc;
	memset(g->colour, 0, 2 * (size_t)g->n * sizeof(*g->colour));
	if (moore_topo_map(g->n, g->link, t->link, g->n_links, g->colour, g->image, &oom))
		describe(f, param, n_shape, text);
	moore_topo_free(t);
	return oom ? moore_fail_nomem(err) : 0;
}

/* Does parameter i change the graph (and not only the endpoints)? */
static bool
shapes_graph(const struct moore_topo_family *f, unsigned i)
{
	return f->param[i].key && strcmp(f->param[i].key, "p") != 0;
}

static int
try_family(const struct given *g, const struct moore_topo_family *f, char *text, struct moore_err *err)
{
	int64_t param[MOORE_TOPO_MAX_PARAMS] = { 0 };
	bool two = shapes_graph(f, 1);
	int64_t lo = two ? f->param[1].min : 0, hi = two ? f->param[1].max : 0;
	int rc = 0;

	for (unsigned i = 0; i < MOORE_TOPO_MAX_PARAMS && f->param[i].key; i++)
		param[i] = f->param[i].dflt;
	for (param[0] = f->param[0].min; param[0] <= f->param[0].max; param[0]++) {
		for (int64_t second = lo; second <= hi; second++) {
			if (two)
				param[1] = second;
			rc = try_params(g, f, param, two ? 2 : 1, text, err);
			if (rc < 0 || *text)
				return rc;
		}
	}
	return 0;
}

int
moore_topo_recognise(uint32_t n_switches, const struct moore_topo_link *link, size_t n_links,
		     char *text, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct given g = { .n = n_switches, .link = link, .n_links = n_links };
	const struct moore_topo_family *f;
	int rc = 0;

	*text = '\0';
	g.colour = moore_arena_alloc(&tmp, 2 * (size_t)n_switches + 1, sizeof(*g.colour));
	g.image = moore_arena_alloc(&tmp, (size_t)n_switches + 1, sizeof(*g.image));
	if (!g.colour || !g.image)
		rc = moore_fail_nomem(err);
	for (size_t i = 0; rc == 0 && !*text && (f = moore_topo_family_at(i)); i++)
		rc = try_family(&g, f, text, err);
	moore_arena_free(&tmp);
	return rc;
}

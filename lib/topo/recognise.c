// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* recognise.c - finds the registered family of a graph.  Each family whose closed forms
 * give the same numbers of switches and links is tried, and one is named only after a map
 * onto its graph has been found and verified (isomorph.c).
 * Elsewhere: graphs from which something is missing (degraded.c). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "topo/isomorph.h"
#include "topo/recognise.h"
#include "topo/topo_build.h"

struct given {			/* the graph to recognise */
	uint32_t n;
	const struct moore_topo_link *link;	/* NULL: any graph with these numbers */
	size_t n_links;
	uint32_t *colour, *image;	/* scratch */
};

unsigned
moore_topo_n_shape(const struct moore_topo_family *f)
{
	unsigned n = 0;

	while (n < MOORE_TOPO_MAX_PARAMS && f->param[n].key && !f->param[n].endpoints)
		n++;
	return n;
}

/* Writes first the values of parameters that may be exchanged: those greater than 1, then the ones. */
static void
put_ones_last(const struct moore_topo_family *f, const int64_t *param, int64_t *to)
{
	unsigned n = 0;

	memcpy(to, param, MOORE_TOPO_MAX_PARAMS * sizeof(*to));
	for (unsigned i = 0; i < f->n_alike; i++)
		if (param[i] != 1)
			to[n++] = param[i];
	while (n < f->n_alike)
		to[n++] = 1;
}

int
moore_topo_describe(const struct moore_topo_family *f, const int64_t *param, char *text,
		    struct moore_err *err)
{
	const unsigned n_shape = moore_topo_n_shape(f);
	struct moore_buf b = MOORE_BUF_INIT;
	int64_t v[MOORE_TOPO_MAX_PARAMS];
	int rc;

	put_ones_last(f, param, v);
	moore_buf_fmt(&b, "%s", f->name);
	for (unsigned i = 0; i < n_shape; i++)
		if (f->param[i].required || v[i] != f->param[i].dflt)
			moore_buf_fmt(&b, " %s=%lld", f->param[i].key, (long long)v[i]);
	if (!b.oom && b.len < 64)
		memcpy(text, b.data, b.len + 1);
	rc = b.oom ? moore_fail_nomem(err) : 0;
	moore_buf_free(&b);
	return rc;
}

/* Tries one family with these parameters: it compares counts first, then looks for a map. */
static int
try_params(const struct given *g, const struct moore_topo_family *f, const int64_t *given,
	   char *text, struct moore_err *err)
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
	if (!g->link)
		return moore_topo_describe(f, param, text, err);
	if ((rc = moore_topo_build(&t, f, param, err)) < 0)
		return rc;
	memset(g->colour, 0, 2 * (size_t)g->n * sizeof(*g->colour));
	if (moore_topo_map(g->n, g->link, t->link, g->n_links, g->colour, g->image, &oom))
		rc = moore_topo_describe(f, param, text, err);
	moore_topo_free(t);
	return oom ? moore_fail_nomem(err) : rc;
}

/* Compares the numbers of switches and links for these parameters with the wanted ones: -1
 * less, 0 equal, 1 more. */
static int
compare_counts(const struct given *g, const struct moore_topo_family *f, const int64_t *param)
{
	struct moore_topo_counts c;

	f->counts(param, &c);
	if (c.switches != g->n)
		return c.switches < g->n ? -1 : 1;
	return c.links < g->n_links ? -1 : c.links > g->n_links;
}

/* Finds the value of the last parameter, from lo on, at which the counts match; the counts
 * rise with it. */
static void
fit_last(const struct given *g, const struct moore_topo_family *f, int64_t *param, unsigned last,
	 int64_t lo)
{
	int64_t hi = f->param[last].max;

	while (lo < hi) {
		param[last] = lo + (hi - lo) / 2;
		if (compare_counts(g, f, param) < 0)
			lo = param[last] + 1;
		else
			hi = param[last];
	}
	param[last] = lo;
}

/* Tries all values of the parameters from index i on that do not give too large a graph.
 * Parameters that may be exchanged are tried in rising order only. */
static int
try_from(const struct given *g, const struct moore_topo_family *f, int64_t *param, unsigned i,
	 char *text, struct moore_err *err)
{
	const unsigned n_shape = moore_topo_n_shape(f);
	const bool alike = i && i < f->n_alike;
	struct moore_topo_counts c;
	int rc = 0;

	param[i] = alike ? param[i - 1] : f->param[i].min;
	if (i + 1 == n_shape && !f->irregular) {
		fit_last(g, f, param, i, param[i]);
		return compare_counts(g, f, param) ? 0 :
		       try_params(g, f, param, text, err);
	}
	for (; rc == 0 && !*text && param[i] <= f->param[i].max; param[i]++) {
		for (unsigned k = i + 1; k < n_shape; k++)
			param[k] = k < f->n_alike ? param[i] : f->param[k].min;
		if (i + 1 == n_shape) {
			rc = compare_counts(g, f, param) ? 0 : try_params(g, f, param, text, err);
			continue;
		}
		f->counts(param, &c);
		if (c.switches > g->n && !f->irregular)
			break;
		rc = try_from(g, f, param, i + 1, text, err);
	}
	return rc;
}

static int
try_family(const struct given *g, const struct moore_topo_family *f, char *text,
	   struct moore_err *err)
{
	int64_t param[MOORE_TOPO_MAX_PARAMS] = { 0 };

	if (f->random)
		return 0;
	for (unsigned i = 0; i < MOORE_TOPO_MAX_PARAMS && f->param[i].key; i++)
		param[i] = f->param[i].dflt;
	return try_from(g, f, param, 0, text, err);
}

static int
try_families(const struct given *g, char *text, struct moore_err *err)
{
	const struct moore_topo_family *f;
	int rc = 0;

	*text = '\0';
	for (size_t i = 0; rc == 0 && !*text && (f = moore_topo_family_at(i)); i++)
		rc = try_family(g, f, text, err);
	return rc;
}

int
moore_topo_recognise(uint32_t n_switches, const struct moore_topo_link *link,
		     size_t n_links, char *text, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct given g = { .n = n_switches, .link = link, .n_links = n_links };
	int rc;

	*text = '\0';
	g.colour = moore_arena_alloc(&tmp, 2 * (size_t)n_switches + 1, sizeof(*g.colour));
	g.image = moore_arena_alloc(&tmp, (size_t)n_switches + 1, sizeof(*g.image));
	rc = g.colour && g.image ? try_families(&g, text, err) : moore_fail_nomem(err);
	moore_arena_free(&tmp);
	return rc;
}

int
moore_topo_guess(uint32_t n_switches, size_t n_links, char *text, struct moore_err *err)
{
	const struct given g = { .n = n_switches, .n_links = n_links };

	return try_families(&g, text, err);
}

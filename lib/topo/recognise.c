// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* recognise.c - which registered family a graph is, by finding the map.
 *
 * Families are tried whose closed forms give the same counts.  The map is found
 * by colour refinement on both graphs at once (a vertex's colour is renewed from
 * the colours around it until nothing splits), fixing one vertex after another
 * while colours leave a choice, and trying its possible images in turn (McKay,
 * "Practical graph isomorphism", 1981, without automorphism pruning).  The map
 * is then verified edge by edge, so a clash of hashes cannot name wrongly. */
#include <stdlib.h>
#include <string.h>

#include "topo/topo_build.h"

/* Refinements of one pair of graphs: fewer for large graphs, so that a graph that
 * is no family's costs a sweep a fraction of a second at worst. */
#define MIN_REFINEMENTS 64
#define MAX_REFINEMENTS 256
#define MAX_LINKS_COLOURED 1600000

struct graph {
	uint32_t *xadj, *adj;
};

struct match {
	uint32_t n;
	struct graph g[2];	/* given, and the family's */
	struct mark {		/* sorted by colour; of each, g[0]'s vertices first */
		uint64_t hash;
		uint32_t v;	/* 0..n-1 of g[0], n..2n-1 of g[1] */
	} *mark;
	uint64_t *twin;		/* of g[0]: a hash of the vertex's neighbours */
	unsigned budget;
	struct moore_arena *tmp;
	bool oom;
};

static bool
graph_init(struct graph *g, uint32_t n, const struct moore_topo_link *link, size_t n_links,
	   struct moore_arena *tmp)
{
	uint32_t *at = moore_arena_alloc(tmp, n + 1, sizeof(*at));

	g->xadj = moore_arena_alloc(tmp, (size_t)n + 1, sizeof(*g->xadj));
	g->adj = moore_arena_alloc(tmp, 2 * n_links + 1, sizeof(*g->adj));
	if (!at || !g->xadj || !g->adj)
		return false;
	for (size_t i = 0; i < n_links; i++) {
		g->xadj[link[i].a + 1]++;
		g->xadj[link[i].b + 1]++;
	}
	for (uint32_t v = 0; v < n; v++)
		at[v] = g->xadj[v + 1] += g->xadj[v];
	memmove(at + 1, at, (n ? n - 1 : 0) * sizeof(*at));
	at[0] = 0;
	for (size_t i = 0; i < n_links; i++) {
		g->adj[at[link[i].a]++] = link[i].b;
		g->adj[at[link[i].b]++] = link[i].a;
	}
	return true;
}

static void
hash_neighbours(struct match *m)
{
	const struct graph *g = &m->g[0];

	for (uint32_t v = 0; v < m->n; v++)
		for (uint32_t i = g->xadj[v]; i < g->xadj[v + 1]; i++) {
			struct moore_rng r = { g->adj[i] };

			m->twin[v] += moore_rng_next(&r);
		}
}

static int
by_hash(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->v < y->v ? -1 : x->v > y->v;
}

/* Renew colours (2n of them: both graphs) until stable.  False when the two
 * graphs do not have equally many vertices of each colour. */
static bool
refine(struct match *m, uint32_t *colour)
{
	uint32_t n = m->n, n_colours = 0, before;

	do {
		before = n_colours;
		for (uint32_t v = 0; v < 2 * n; v++) {
			const struct graph *g = &m->g[v >= n];
			const uint32_t *c = colour + (v >= n ? n : 0);
			struct moore_rng own = { colour[v] };
			uint64_t sum = 0;

			for (uint32_t i = g->xadj[v % n]; i < g->xadj[v % n + 1]; i++) {
				struct moore_rng r = { (uint64_t)c[g->adj[i]] << 32 };

				sum += moore_rng_next(&r);
			}
			m->mark[v] = (struct mark){ moore_rng_next(&own) ^ sum, v };
		}
		qsort(m->mark, 2 * (size_t)n, sizeof(*m->mark), by_hash);
		n_colours = 0;
		for (uint32_t i = 0, k; i < 2 * n; i = k, n_colours++) {
			int balance = 0;

			for (k = i; k < 2 * n && m->mark[k].hash == m->mark[i].hash; k++) {
				balance += m->mark[k].v < n ? 1 : -1;
				colour[m->mark[k].v] = n_colours;
			}
			if (balance)
				return false;
		}
	} while (n_colours > before);
	return true;
}

/* Map the vertices of each colour in turn (one, or twins): is that map right? */
static bool
verify(struct match *m)
{
	uint32_t n = m->n, n_of;
	uint32_t *image = moore_arena_alloc(m->tmp, n + 1, sizeof(*image));
	uint8_t *near = moore_arena_alloc(m->tmp, n + 1, 1);

	if (!image || !near) {
		m->oom = true;
		return false;
	}
	for (uint32_t i = 0; i < 2 * n; i += 2 * n_of) {
		for (n_of = 0; i + n_of < 2 * n && m->mark[i + n_of].v < n &&
			       m->mark[i + n_of].hash == m->mark[i].hash; n_of++)
			;
		for (uint32_t k = 0; k < n_of; k++)
			image[m->mark[i + k].v] = m->mark[i + n_of + k].v - n;
	}
	for (uint32_t v = 0; v < n; v++) {
		uint32_t w = image[v];
		const struct graph *g = &m->g[0], *h = &m->g[1];

		if (g->xadj[v + 1] - g->xadj[v] != h->xadj[w + 1] - h->xadj[w])
			return false;
		memset(near, 0, n);
		for (uint32_t i = h->xadj[w]; i < h->xadj[w + 1]; i++)
			near[h->adj[i]] = 1;
		for (uint32_t i = g->xadj[v]; i < g->xadj[v + 1]; i++) {
			uint8_t *k = &near[image[g->adj[i]]];

			if (!*k)
				return false;
			*k = 0;		/* parallel links need as many */
		}
	}
	return true;
}

/* A vertex of g[0] in a largest colour of several (there the choice is freest: in
 * a plane a fourth point of a line is not), unless they are all twins
 * (joined to the same vertices, so that any order will do); MOORE_NONE: none. */
static uint32_t
pick(const struct match *m)
{
	uint32_t best = MOORE_NONE, most = 0;

	for (uint32_t i = 0, k; i < 2 * m->n; i = k) {
		bool twins = true;
		uint32_t n_of = 0;

		for (k = i; k < 2 * m->n && m->mark[k].hash == m->mark[i].hash; k++)
			if (m->mark[k].v < m->n) {
				twins &= m->twin[m->mark[k].v] == m->twin[m->mark[i].v];
				n_of++;
			}
		if (!twins && n_of > most) {
			most = n_of;
			best = m->mark[i].v;
		}
	}
	return best;
}

static bool
search(struct match *m, uint32_t *colour)
{
	size_t bytes = 2 * (size_t)m->n * sizeof(*colour);
	uint32_t *next, v;

	if (!m->budget)
		return false;
	m->budget--;
	if (!refine(m, colour))
		return false;
	next = moore_arena_alloc(m->tmp, 2 * (size_t)m->n, sizeof(*next));
	if (!next) {
		m->oom = true;
		return false;
	}
	if ((v = pick(m)) == MOORE_NONE)
		return verify(m);
	for (uint32_t i = 0; i < m->n && m->budget && !m->oom; i++) {
		/* From both ends: the halves of a Slim Fly are not alike. */
		uint32_t w = i % 2 ? m->n - 1 - i / 2 : i / 2;

		if (colour[m->n + w] != colour[v])
			continue;
		memcpy(next, colour, bytes);
		next[v] = next[m->n + w] = 2 * m->n;
		if (search(m, next))
			return true;
	}
	return false;
}

static bool
same_graph(struct match *m, const struct moore_topo *t, size_t n_links)
{
	uint32_t *colour;

	if (!graph_init(&m->g[1], m->n, t->link, n_links, m->tmp) ||
	    !(colour = moore_arena_alloc(m->tmp, 2 * (size_t)m->n, sizeof(*colour)))) {
		m->oom = true;
		return false;
	}
	m->budget = (unsigned)(MAX_LINKS_COLOURED / (n_links + 1));
	if (m->budget < MIN_REFINEMENTS)
		m->budget = MIN_REFINEMENTS;
	if (m->budget > MAX_REFINEMENTS)
		m->budget = MAX_REFINEMENTS;
	return search(m, colour);
}

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
try_params(struct match *m, const struct moore_topo_family *f, const int64_t *given,
	   unsigned n_shape, size_t n_links, char *text, struct moore_err *err)
{
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_topo_counts c;
	struct moore_topo *t;
	int rc;

	memcpy(param, given, sizeof(param));
	if (f->resolve(param, NULL) < 0)
		return 0;
	f->counts(param, &c);
	if (c.switches != m->n || c.links != n_links)
		return 0;
	if ((rc = moore_topo_build(&t, f, param, err)) < 0)
		return rc;
	if (same_graph(m, t, n_links))
		describe(f, param, n_shape, text);
	moore_topo_free(t);
	return m->oom ? moore_fail_nomem(err) : 0;
}

/* How many first parameters shape the graph: all but the endpoints. */
static unsigned
n_shape_params(const struct moore_topo_family *f)
{
	unsigned n = 0;

	while (n < MOORE_TOPO_MAX_PARAMS && f->param[n].key && strcmp(f->param[n].key, "p") != 0)
		n++;
	return n;
}

/* Switches and links for these parameters: less (-1), more, or as many as wanted? */
static int
compare_counts(const struct match *m, const struct moore_topo_family *f, const int64_t *param,
	       size_t n_links)
{
	struct moore_topo_counts c;

	f->counts(param, &c);
	if (c.switches != m->n)
		return c.switches < m->n ? -1 : 1;
	return c.links < n_links ? -1 : c.links > n_links;
}

/* The last parameter, from lo on: where the counts, which rise with it, fit. */
static void
fit_last(const struct match *m, const struct moore_topo_family *f, int64_t *param, unsigned last,
	 int64_t lo, size_t n_links)
{
	int64_t hi = f->param[last].max;

	while (lo < hi) {
		param[last] = lo + (hi - lo) / 2;
		if (compare_counts(m, f, param, n_links) < 0)
			lo = param[last] + 1;
		else
			hi = param[last];
	}
	param[last] = lo;
}

/* Parameters from i on, all that are not too large already; where some may be
 * exchanged, in rising order only. */
static int
try_from(struct match *m, const struct moore_topo_family *f, int64_t *param, unsigned i,
	 size_t n_links, char *text, struct moore_err *err)
{
	const unsigned n_shape = n_shape_params(f);
	const bool alike = i && i < f->n_alike;
	struct moore_topo_counts c;
	int rc = 0;

	param[i] = alike ? param[i - 1] : f->param[i].min;
	if (i + 1 == n_shape) {
		fit_last(m, f, param, i, param[i], n_links);
		return compare_counts(m, f, param, n_links) ? 0 :
		       try_params(m, f, param, n_shape, n_links, text, err);
	}
	for (; rc == 0 && !*text && param[i] <= f->param[i].max; param[i]++) {
		for (unsigned k = i + 1; k < n_shape; k++)
			param[k] = k < f->n_alike ? param[i] : f->param[k].min;
		f->counts(param, &c);
		if (c.switches > m->n)
			break;
		rc = try_from(m, f, param, i + 1, n_links, text, err);
	}
	return rc;
}

static int
try_family(struct match *m, const struct moore_topo_family *f, size_t n_links, char *text,
	   struct moore_err *err)
{
	int64_t param[MOORE_TOPO_MAX_PARAMS] = { 0 };

	if (f->random)
		return 0;
	for (unsigned i = 0; i < MOORE_TOPO_MAX_PARAMS && f->param[i].key; i++)
		param[i] = f->param[i].dflt;
	return try_from(m, f, param, 0, n_links, text, err);
}

int
moore_topo_recognise(uint32_t n_switches, const struct moore_topo_link *link, size_t n_links,
		     char *text, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct match m = { .n = n_switches, .tmp = &tmp };
	const struct moore_topo_family *f;
	int rc = 0;

	*text = '\0';
	m.mark = moore_arena_alloc(&tmp, 2 * (size_t)n_switches + 1, sizeof(*m.mark));
	m.twin = moore_arena_alloc(&tmp, (size_t)n_switches + 1, sizeof(*m.twin));
	if (!m.mark || !m.twin || !graph_init(&m.g[0], n_switches, link, n_links, &tmp))
		rc = moore_fail_nomem(err);
	else
		hash_neighbours(&m);
	for (size_t i = 0; rc == 0 && !*text && (f = moore_topo_family_at(i)); i++)
		rc = try_family(&m, f, n_links, text, err);
	moore_arena_free(&tmp);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* degraded.c - finds the family of which a graph is a part: some switches and links are
 * missing, nothing is extra.
 *
 * The members of all families that are a little larger than the graph are listed, the closest
 * first, and those whose triangles rule it out are left out.  embed.c then looks for the graph
 * inside the others.  Closer members get more attempts. */
#include <stdlib.h>
#include <string.h>

#include "topo/embed.h"
#include "topo/recognise.h"
#include "topo/topo_build.h"

/* Of a member, at most one in MAX_MISSING switches is missing, and beside the links of these
 * at most one link in MAX_MISSING.  With more, a general graph might be taken for a part of
 * a denser family by chance: a ring of 6 switches is part of a torus of 2 by 3. */
#define MAX_MISSING 8
#define MAX_MEMBERS 64		/* the closest ones */
#define MAX_ROUNDS 128
/* Effort is counted in visits to links, some 5 ns each.  Mapping all vertices without going
 * back takes about one visit for each pair of links that meet at a vertex.  One attempt may
 * take so many times as many, and all attempts together; a small graph may take the least
 * numbers at any rate. */
#define EFFORT_OF_ATTEMPT 4
#define EFFORT 256
#define LEAST_OF_ATTEMPT 50000
#define LEAST 4000000

struct member {
	const struct moore_topo_family *f;
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	uint64_t missing_switches, missing_links;
	uint32_t degree_lost;	/* its greatest degree minus that of the graph */
	uint32_t found;		/* its index among all that were found */
	struct moore_topo *t;	/* built before its first attempt */
	bool hopeless;		/* its triangles rule it out */
	struct moore_adjacency g;
};

struct given {			/* the graph to recognise */
	struct moore_adjacency g;
	uint64_t n_links, n_triangles;
	uint32_t degree;	/* the greatest one */
	struct member *member;
	uint32_t n_members, cap;
	struct moore_arena tmp;
};

/* ---- the members to try --------------------------------------------------------- */

/* Whether the graph has no more of anything than a member of these counts. */
static bool
covers(const struct given *g, const struct moore_topo_counts *c)
{
	return c->switches >= g->g.n && c->links >= g->n_links && c->degree >= g->degree;
}

static bool
is_close(const struct given *g, const struct moore_topo_counts *c)
{
	uint64_t missing = c->switches - g->g.n;

	return missing <= c->switches / MAX_MISSING &&
		c->links - g->n_links <= missing * c->degree + c->links / MAX_MISSING;
}

static bool
add_member(struct given *g, const struct moore_topo_family *f, const int64_t *param,
	   const struct moore_topo_counts *c)
{
	struct member *m, new = { .f = f, .found = g->n_members,
		.missing_switches = c->switches - g->g.n, .missing_links = c->links - g->n_links,
		.degree_lost = c->degree - g->degree };

	memcpy(new.param, param, sizeof(new.param));
	if (f->resolve(new.param, NULL) < 0)
		return true;
	if (!(m = moore_grow(g->member, g->n_members, &g->cap, sizeof(*m))))
		return false;
	g->member = m;
	m[g->n_members++] = new;
	return true;
}

/* The first value of the last parameter, from lo on, with which a member covers the graph;
 * counts rise with it. */
static int64_t
first_to_cover(const struct given *g, const struct moore_topo_family *f, int64_t *param,
	       unsigned last, int64_t lo)
{
	int64_t hi = f->param[last].max + 1;
	struct moore_topo_counts c;

	while (lo < hi) {
		param[last] = lo + (hi - lo) / 2;
		f->counts(param, &c);
		if (covers(g, &c))
			hi = param[last];
		else
			lo = param[last] + 1;
	}
	return lo;
}

static bool
list_last(struct given *g, const struct moore_topo_family *f, int64_t *param, unsigned last,
	  int64_t lo)
{
	struct moore_topo_counts c;

	param[last] = f->irregular ? lo : first_to_cover(g, f, param, last, lo);
	for (; param[last] <= f->param[last].max; param[last]++) {
		f->counts(param, &c);
		if (f->irregular && !(covers(g, &c) && is_close(g, &c)))
			continue;
		if (!is_close(g, &c))
			break;
		if (!add_member(g, f, param, &c))
			return false;
	}
	return true;
}

/* Adds the members with these first i parameters. */
static bool
list_from(struct given *g, const struct moore_topo_family *f, int64_t *param, unsigned i)
{
	const unsigned n_shape = moore_topo_n_shape(f);
	const bool alike = i && i < f->n_alike;
	struct moore_topo_counts c;

	param[i] = alike ? param[i - 1] : f->param[i].min;
	if (i + 1 == n_shape)
		return list_last(g, f, param, i, param[i]);
	for (; param[i] <= f->param[i].max; param[i]++) {
		for (unsigned k = i + 1; k < n_shape; k++)
			param[k] = k < f->n_alike ? param[i] : f->param[k].min;
		f->counts(param, &c);
		if (!f->irregular && c.switches > g->g.n && c.switches - g->g.n > c.switches / MAX_MISSING)
			break;
		if (!list_from(g, f, param, i + 1))
			return false;
	}
	return true;
}

/* Seldom has every switch of the greatest degree lost a link, so members in which it need not
 * have come first; then those from which the least is missing. */
static int
by_distance(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	const uint64_t m = x->missing_switches + x->missing_links;
	const uint64_t n = y->missing_switches + y->missing_links;

	if (!x->degree_lost != !y->degree_lost)
		return x->degree_lost ? 1 : -1;
	if (m != n)
		return m < n ? -1 : 1;
	return x->found < y->found ? -1 : x->found > y->found;
}

static bool
list_members(struct given *g)
{
	const struct moore_topo_family *f;

	for (uint32_t v = 0; v < g->g.n; v++)
		if (moore_adjacency_degree(&g->g, v) > g->degree)
			g->degree = moore_adjacency_degree(&g->g, v);
	for (size_t i = 0; (f = moore_topo_family_at(i)); i++) {
		int64_t param[MOORE_TOPO_MAX_PARAMS] = { 0 };

		for (unsigned k = 0; k < MOORE_TOPO_MAX_PARAMS && f->param[k].key; k++)
			param[k] = f->param[k].dflt;
		if (!f->random && !list_from(g, f, param, 0))
			return false;
	}
	if (g->n_members)
		qsort(g->member, g->n_members, sizeof(*g->member), by_distance);
	if (g->n_members > MAX_MEMBERS)
		g->n_members = MAX_MEMBERS;
	return true;
}

/* ---- the attempts ---------------------------------------------------------------- */

/* Counts the triangles of g (each three times over, once for each of its links) and finds
 * the most on one link.  mark holds n zeros. */
static uint64_t
count_triangles(const struct moore_adjacency *g, uint32_t *mark, uint32_t *most)
{
	uint64_t n = 0;

	*most = 0;
	for (uint32_t v = 0; v < g->n; v++) {
		for (uint32_t k = g->xadj[v]; k < g->xadj[v + 1]; k++)
			mark[g->adj[k]] = v + 1;
		for (uint32_t k = g->xadj[v]; k < g->xadj[v + 1]; k++) {
			const uint32_t w = g->adj[k];
			uint32_t on_link = 0;

			if (w > v)
				continue;
			for (uint32_t m = g->xadj[w]; m < g->xadj[w + 1]; m++)
				on_link += mark[g->adj[m]] == v + 1;
			n += on_link;
			*most = on_link > *most ? on_link : *most;
		}
	}
	return n;
}

/* Whether the graph has more triangles than m, or fewer than m without its missing links can
 * have.  A missing link breaks up to `most` triangles, each of which was counted three times. */
static bool
is_hopeless(const struct given *g, const struct member *m, uint32_t *mark)
{
	uint32_t most;
	uint64_t n = count_triangles(&m->g, mark, &most);

	return g->n_triangles > n || n - g->n_triangles > 3 * m->missing_links * most;
}

static int
build_member(struct given *g, struct member *m, struct moore_err *err)
{
	uint32_t *mark;
	int rc = moore_topo_build(&m->t, m->f, m->param, err);

	if (rc < 0)
		return rc;
	mark = moore_arena_alloc(&g->tmp, (size_t)m->t->n_switches + 1, sizeof(*mark));
	if (!mark || !moore_adjacency_init(&m->g, m->t->n_switches, m->t->link, m->t->n_links,
					   &g->tmp))
		return moore_fail_nomem(err);
	m->hopeless = is_hopeless(g, m, mark);
	return 0;
}

/* The number of pairs of links that meet. */
static uint64_t
n_meetings(const struct moore_adjacency *g)
{
	uint64_t n = 0;

	for (uint32_t v = 0; v < g->n; v++)
		n += (uint64_t)moore_adjacency_degree(g, v) * moore_adjacency_degree(g, v);
	return n;
}

static uint64_t
at_least(uint64_t n, uint64_t least)
{
	return n < least ? least : n;
}

/* Makes one attempt at m; *left is the effort that is left for all. */
static int
attempt(struct given *g, struct member *m, uint32_t number, uint64_t *left, uint32_t *image,
	struct moore_err *err)
{
	const uint64_t most = at_least(EFFORT_OF_ATTEMPT * n_meetings(&g->g), LEAST_OF_ATTEMPT);
	uint64_t effort = *left < most ? *left : most, before = effort;
	int rc = m->t ? 0 : build_member(g, m, err);

	if (rc < 0 || m->hopeless)
		return rc;
	rc = moore_topo_embed(&g->g, &m->g, number, &effort, image);
	*left -= before - effort;
	return rc < 0 ? moore_fail_nomem(err) : rc;
}

/* Finds the member that the graph is a part of: *of stays NULL when none is found.  In each
 * round every member so far gets its next attempt, and one more member its first. */
static int
find(struct given *g, struct member **of, uint32_t *image, struct moore_err *err)
{
	uint64_t left = at_least(EFFORT * n_meetings(&g->g), LEAST);

	for (uint32_t round = 0; round < MAX_ROUNDS && left; round++)
		for (uint32_t i = 0; i <= round && i < g->n_members && left; i++) {
			int rc = attempt(g, &g->member[i], round - i, &left, image, err);

			if (rc < 0)
				return rc;
			if (rc > 0) {
				*of = &g->member[i];
				return 0;
			}
		}
	return 0;
}

/* ---- the answer ------------------------------------------------------------------- */

/* mark holds n zeros. */
static bool
has_parallels(const struct given *g, uint32_t *mark)
{
	for (uint32_t v = 0; v < g->g.n; v++)
		for (uint32_t k = g->g.xadj[v]; k < g->g.xadj[v + 1]; k++) {
			if (mark[g->g.adj[k]] == v + 1)
				return true;
			mark[g->g.adj[k]] = v + 1;
		}
	return false;
}

static int
recognise(struct given *g, struct moore_topo_part *p, struct moore_err *err)
{
	uint32_t *mark = moore_arena_alloc(&g->tmp, 2 * ((size_t)g->g.n + 1), sizeof(*mark));
	struct member *of = NULL;
	uint32_t most;
	int rc;

	if (!mark)
		return moore_fail_nomem(err);
	if (g->g.n < MAX_MISSING || has_parallels(g, mark))
		return 0;
	g->n_triangles = count_triangles(&g->g, mark + g->g.n + 1, &most);
	if (!list_members(g))
		return moore_fail_nomem(err);
	if ((rc = find(g, &of, p->image, err)) < 0 || !of)
		return rc;
	moore_topo_describe(of->f, of->param, p->text);
	p->whole = of->t;
	of->t = NULL;
	return 0;
}

int
moore_topo_recognise_part(struct moore_topo_part **out, uint32_t n_switches,
			  const struct moore_topo_link *link, size_t n_links,
			  struct moore_err *err)
{
	struct given g = { .n_links = n_links, .tmp = MOORE_ARENA_INIT };
	struct moore_topo_part *p = calloc(1, sizeof(*p));
	int rc;

	*out = NULL;
	if (p)
		p->image = calloc((size_t)n_switches + 1, sizeof(*p->image));
	if (!p || !p->image || !moore_adjacency_init(&g.g, n_switches, link, n_links, &g.tmp))
		rc = moore_fail_nomem(err);
	else
		rc = recognise(&g, p, err);
	for (uint32_t i = 0; i < g.n_members; i++)
		moore_topo_free(g.member[i].t);
	free(g.member);
	moore_arena_free(&g.tmp);
	if (rc == 0 && p->whole) {
		*out = p;
		return 0;
	}
	moore_topo_part_free(p);
	return rc;
}

void
moore_topo_part_free(struct moore_topo_part *p)
{
	if (!p)
		return;
	moore_topo_free(p->whole);
	free(p->image);
	free(p);
}

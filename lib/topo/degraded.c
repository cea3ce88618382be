// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* degraded.c - finds the family of which a graph is a part: some switches and links are
 * missing, nothing is extra.
 *
 * The members of all families that are a little larger than the graph are listed, the likeliest
 * first.  They are built in this order, and those whose short cycles rule it out are dropped.  embed.c
 * and mend.c then look for the graph inside the others.  Likelier members get more attempts. */
#include <stdlib.h>
#include <string.h>

#include "topo/cycles.h"
#include "topo/embed.h"
#include "topo/mend.h"
#include "topo/recognise.h"
#include "topo/topo_build.h"

/* Of a member, at most one in MAX_MISSING switches is missing, and beside the links of these
 * at most one link in MAX_MISSING; and some switch of the greatest degree has kept as much of it.  With more, a general graph might be taken for a part of
 * a denser family by chance: a ring of 6 switches is part of a torus of 2 by 3. */
#define MAX_MISSING 8
/* So many of its optional parameters may differ from their defaults, unless a member lacks hardly
 * anything: of a Dragonfly with grids as groups, for instance, there are otherwise hundreds of
 * members of every size. */
#define MAX_UNUSUAL 2
#define FEW_LINKS 4
/* Of members that lack only a few links, such a parameter makes one as unlikely as so many links. */
#define LINKS_OF_UNUSUAL 2
#define MAX_ROUNDS 128
/* Effort is counted in visits to links, some 5 ns each.  Mapping all vertices without going
 * back takes about one visit for each pair of links that meet at a vertex, and counting the short
 * cycles of a member takes three.  One attempt may take so many times as many as mapping, all
 * attempts together, and the counting; a small graph may take the least numbers at any rate. */
#define EFFORT_OF_ATTEMPT 4
#define EFFORT 256
#define EFFORT_OF_COUNTING 128
#define LEAST_OF_ATTEMPT 50000
#define LEAST 4000000

/* The likeliest come first: a member of which only a few links are missing, whatever its
 * parameters, comes before a larger one with usual parameters that has lost a switch as well. */
enum rank { LACKS_FEW_LINKS, LACKS_FEW_LINKS_UNUSUAL, LACKS_MORE, LACKS_FEW_UNUSUAL, LACKS_TOO_MUCH };

struct member {
	const struct moore_topo_family *f;
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	uint64_t missing_switches, missing_links;
	unsigned unusual;	/* parameters that differ from their defaults */
	enum rank rank;
	uint64_t unlikely;	/* of the same rank, those with the least are the likeliest */
	uint32_t degree_lost;	/* its greatest degree minus that of the graph */
	uint32_t found;		/* its index among all that were found */
	struct moore_topo *t;	/* built when its turn comes */
	struct moore_adjacency g;
	struct moore_cycles cycles;
	struct moore_arena mem;	/* of g */
};

struct given {			/* the graph to recognise */
	struct moore_adjacency g;
	struct moore_cycles cycles;
	uint64_t n_links;
	uint32_t degree;	/* the greatest one */
	struct member *member;	/* the first n_tried have been built, and n_hopeful of them kept */
	uint32_t n_members, n_tried, n_hopeful, cap;
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
		c->degree - g->degree <= 1 + c->degree / MAX_MISSING &&
		c->links - g->n_links <= missing * c->degree + c->links / MAX_MISSING;
}

/* How many of the optional parameters differ from their defaults.  Those that may be exchanged, as
 * the dimensions of a torus, do not count. */
static unsigned
n_unusual(const struct moore_topo_family *f, const int64_t *param)
{
	unsigned n = 0;

	for (unsigned i = f->n_alike; i < moore_topo_n_shape(f); i++) {
		int64_t v[MOORE_TOPO_MAX_PARAMS];

		memcpy(v, param, sizeof(v));
		v[i] = f->param[i].dflt;
		n += !f->param[i].required && (f->resolve(v, NULL) < 0 || v[i] != param[i]);
	}
	return n;
}

static void
rank_member(struct member *m, const struct moore_topo_counts *c)
{
	/* a missing switch takes its links with it */
	const bool few = m->missing_links <= FEW_LINKS + m->missing_switches * c->degree &&
		m->missing_switches <= FEW_LINKS;
	const bool usual = m->unusual <= MAX_UNUSUAL;

	if (few && !m->missing_switches)
		m->rank = usual ? LACKS_FEW_LINKS : LACKS_FEW_LINKS_UNUSUAL;
	else if (usual)
		m->rank = LACKS_MORE;
	else
		m->rank = few ? LACKS_FEW_UNUSUAL : LACKS_TOO_MUCH;
	m->unlikely = m->rank == LACKS_MORE ? m->unusual :
		m->missing_links + LINKS_OF_UNUSUAL * m->unusual;
}

static bool
add_member(struct given *g, const struct moore_topo_family *f, const int64_t *param,
	   const struct moore_topo_counts *c)
{
	struct member *m, new = { .f = f, .found = g->n_members,
		.missing_switches = c->switches - g->g.n, .missing_links = c->links - g->n_links,
		.degree_lost = c->degree - g->degree, .mem = MOORE_ARENA_INIT };

	memcpy(new.param, param, sizeof(new.param));
	if (f->resolve(new.param, NULL) < 0)
		return true;
	new.unusual = n_unusual(f, param);
	rank_member(&new, c);
	if (new.rank == LACKS_TOO_MUCH)
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

/* Seldom has every switch of the greatest degree lost a link, so of equally likely members those in
 * which it need not have come first; then those from which the least is missing. */
static int
by_likelihood(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	const uint64_t m = x->missing_switches + x->missing_links;
	const uint64_t n = y->missing_switches + y->missing_links;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->unlikely != y->unlikely)
		return x->unlikely < y->unlikely ? -1 : 1;
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
		qsort(g->member, g->n_members, sizeof(*g->member), by_likelihood);
	return true;
}

/* ---- the attempts ---------------------------------------------------------------- */

/* Whether the graph has more cycles of some length than m, or fewer than m without its missing
 * links can have: a missing link breaks at most as many as the most on one link. */
static bool
is_hopeless(const struct given *g, const struct member *m)
{
	static const uint64_t counted[MOORE_N_CYCLES] = { [MOORE_TRIANGLES] = 6, [MOORE_SQUARES] = 8 };
	const struct moore_cycles c = m->cycles;

	for (unsigned i = 0; i < MOORE_N_CYCLES; i++)
		if (g->cycles.n[i] > c.n[i] ||
		    c.n[i] - g->cycles.n[i] > counted[i] * m->missing_links * c.most[i])
			return true;
	return false;
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

static void
drop_member(struct member *m)
{
	moore_topo_free(m->t);
	m->t = NULL;
	moore_arena_free(&m->mem);
}

static uint64_t
less(uint64_t left, uint64_t effort)
{
	return left - (effort < left ? effort : left);
}

/* Builds m, counts its cycles, and puts it after those that are kept unless they rule it out;
 * *left is the effort that is left for counting. */
static int
build_member(struct given *g, struct member m, uint64_t *left, struct moore_err *err)
{
	uint32_t *common;
	int rc = moore_topo_build(&m.t, m.f, m.param, err);

	if (rc < 0)
		return rc;
	common = moore_arena_alloc(&m.mem, (size_t)m.t->n_switches + 1, sizeof(*common));
	if (!common || !moore_adjacency_init(&m.g, m.t->n_switches, m.t->link, m.t->n_links, &m.mem)) {
		drop_member(&m);
		return moore_fail_nomem(err);
	}
	m.cycles = moore_cycles_count(&m.g, common);
	*left = less(*left, 3 * n_meetings(&m.g));
	if (is_hopeless(g, &m))
		drop_member(&m);
	else
		g->member[g->n_hopeful++] = m;
	return 0;
}

/* Builds members until one more is kept. */
static int
keep_one_more(struct given *g, uint64_t *left, struct moore_err *err)
{
	const uint32_t before = g->n_hopeful;
	int rc = 0;

	while (rc == 0 && g->n_hopeful == before && g->n_tried < g->n_members && *left)
		rc = build_member(g, g->member[g->n_tried++], left, err);
	return rc;
}

/* Makes one attempt at m; *left is the effort that is left for all.  Most graphs are found by the
 * first two. */
static int
attempt(const struct given *g, const struct member *m, uint32_t number, uint64_t *left,
	uint32_t *image, struct moore_err *err)
{
	const uint64_t most = at_least(EFFORT_OF_ATTEMPT * n_meetings(&g->g), LEAST_OF_ATTEMPT);
	uint64_t effort = number == 2 ? *left / 2 : 0, before = effort;
	int rc = 0;

	if (number == 2)
		rc = moore_topo_mend(&g->g, m->t, &m->g, &m->cycles, &effort, image);
	*left -= before - effort;
	effort = before = *left < most ? *left : most;
	if (rc == 0)
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
	uint64_t counting = at_least(EFFORT_OF_COUNTING * n_meetings(&g->g), LEAST);

	for (uint32_t round = 0; round < MAX_ROUNDS && left; round++) {
		int rc = keep_one_more(g, &counting, err);

		for (uint32_t i = 0; rc == 0 && i <= round && i < g->n_hopeful && left; i++)
			if ((rc = attempt(g, &g->member[i], round - i, &left, image, err)) > 0)
				*of = &g->member[i];
		if (rc)
			return rc < 0 ? rc : 0;
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
	int rc;

	if (!mark)
		return moore_fail_nomem(err);
	if (g->g.n < MAX_MISSING || has_parallels(g, mark))
		return 0;
	g->cycles = moore_cycles_count(&g->g, mark + g->g.n + 1);
	if (!list_members(g))
		return moore_fail_nomem(err);
	if ((rc = find(g, &of, p->image, err)) < 0 || !of)
		return rc;
	if ((rc = moore_topo_describe(of->f, of->param, p->text, err)) < 0)
		return rc;
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
	for (uint32_t i = 0; i < g.n_hopeful; i++)
		drop_member(&g.member[i]);
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

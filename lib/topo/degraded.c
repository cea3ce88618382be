// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* degraded.c - finds the family of which a graph is a part: some switches and links are
 * missing, nothing is extra.
 *
 * The members of all families that are a little larger than the graph are listed, the likeliest
 * first.  They are built in this order, and those whose short cycles or distances rule it out are
 * dropped.  embed.c and mend.c then look for the graph inside the others.  The more alike a member
 * looks, the more attempts it gets. */
#include <stdlib.h>
#include <string.h>

#include "topo/cycles.h"
#include "topo/embed.h"
#include "topo/mend.h"
#include "topo/recognise.h"
#include "topo/topo_build.h"

/* So many of its optional parameters may differ from their defaults, unless a member lacks hardly
 * anything: of a Dragonfly with grids as groups, for instance, there are otherwise hundreds of
 * members of every size.  Hardly anything is one link in FEW_OF, or FEW. */
#define MAX_UNUSUAL 2
#define FEW_OF 64
#define FEW 8
/* A missing switch makes a member as unlikely as so many missing links, and an unusual parameter as
 * twice as many. */
#define LINKS_OF_SWITCH 4
/* Effort is counted in visits to links, some 5 ns each.  Mapping all vertices without going
 * back takes about one visit for each pair of links that meet at a vertex, and counting the short
 * cycles of a member takes three.  One attempt may take so many times as many as mapping, all
 * attempts together, the counting, and the views; a small graph may take the least numbers at any
 * rate. */
#define EFFORT_OF_ATTEMPT 4
#define EFFORT 256
#define EFFORT_OF_COUNTING 128
#define EFFORT_OF_VIEWING 128
#define LEAST_OF_ATTEMPT 50000
#define LEAST 32000000
#define MOST_UNLIKE 65536	/* views that differ more count as this */
#define SHARE_OF_MEND 4		/* adding links may take this part of what is left for attempts */

/* Bytes of distances that are kept of the graph, and of all members. */
#define DISTANCES (16u << 20)
#define DISTANCES_OF_MEMBERS (64u << 20)
/* Each member may take so large a part of what is left for all: the likeliest gets the most. */
#define SHARE_OF_VIEW 4

struct member {
	const struct moore_topo_family *f;
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	uint64_t missing_switches, missing_links;
	unsigned unusual;	/* parameters that differ from their defaults */
	uint64_t unlikely;	/* those with the least are the likeliest */
	uint32_t degree_lost;	/* its greatest degree minus that of the graph */
	uint32_t found;		/* its index among all that were found */
	uint64_t turn;		/* those with the least are built first */
	struct moore_topo *t;	/* built when its turn comes */
	struct moore_adjacency g;
	struct moore_cycles cycles;
	struct moore_view view;
	struct moore_roots roots;
	uint32_t n_attempts;
	struct moore_arena mem;	/* of g, view and roots */
};

struct effort {			/* what is left of it */
	uint64_t embedding, counting, viewing;
	size_t bytes;		/* of distances */
};

struct given {			/* the graph to recognise */
	struct moore_adjacency g;
	struct moore_cycles cycles;
	struct moore_view view;
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

/* Whether little of a member is missing, and some switch of the greatest degree has kept most of it.  With
 * more that is missing, a general graph might be taken for a part of a denser family by chance: a ring of
 * 6 switches is part of a torus of 2 by 3. */
static bool
is_close(const struct given *g, const struct moore_topo_counts *c)
{
	uint64_t missing = c->switches - g->g.n;

	return missing <= c->switches / MOORE_TOPO_MISSING &&
		c->degree - g->degree <= 1 + c->degree / MOORE_TOPO_MISSING &&
		c->links - g->n_links <= missing * c->degree + c->links / MOORE_TOPO_MISSING;
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

static uint64_t
few_of(uint64_t n)
{
	return n / FEW_OF > FEW ? n / FEW_OF : FEW;
}

/* Whether the member is to be tried, and how likely it is: by its parameters, and by what it lacks.  A
 * missing switch takes its links with it. */
static bool
rate(struct member *m, const struct moore_topo_counts *c)
{
	const uint64_t taken = c->switches ? m->missing_switches * 2 * c->links / c->switches : 0;
	const uint64_t besides = m->missing_links - (taken < m->missing_links ? taken : m->missing_links);
	const bool few = m->missing_links <= few_of(c->links) + m->missing_switches * c->degree &&
		m->missing_switches <= few_of(c->switches);

	m->unlikely = (1 + besides + LINKS_OF_SWITCH * m->missing_switches) << m->unusual;
	return few || m->unusual <= MAX_UNUSUAL;
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
	if (!rate(&new, c))
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
		if (!f->irregular && c.switches > g->g.n && c.switches - g->g.n > c.switches / MOORE_TOPO_MISSING)
			break;
		if (!list_from(g, f, param, i + 1))
			return false;
	}
	return true;
}

/* Seldom has every switch of the greatest degree lost a link, so of equally likely members those in
 * which it need not have come first; then those from which the least is missing. */
static int
by_loss(const struct member *x, const struct member *y)
{
	const uint64_t m = x->missing_switches + x->missing_links;
	const uint64_t n = y->missing_switches + y->missing_links;

	if (!x->degree_lost != !y->degree_lost)
		return x->degree_lost ? 1 : -1;
	if (m != n)
		return m < n ? -1 : 1;
	return x->found < y->found ? -1 : x->found > y->found;
}

static int
by_parameters(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->unusual != y->unusual)
		return x->unusual < y->unusual ? -1 : 1;
	return by_loss(x, y);
}

static int
by_likelihood(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->unlikely != y->unlikely)
		return x->unlikely < y->unlikely ? -1 : 1;
	return by_loss(x, y);
}

static int
by_turn(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return x->turn < y->turn ? -1 : x->turn > y->turn;
}

/* Lets the two orders take turns: if much is missing of a member with usual parameters, hundreds of
 * others may lack less. */
static void
sort_members(struct given *g)
{
	if (!g->n_members)
		return;
	qsort(g->member, g->n_members, sizeof(*g->member), by_parameters);
	for (uint32_t i = 0; i < g->n_members; i++)
		g->member[i].turn = 2 * (uint64_t)i + 1;
	qsort(g->member, g->n_members, sizeof(*g->member), by_likelihood);
	for (uint32_t i = 0; i < g->n_members; i++)
		if (2 * (uint64_t)i < g->member[i].turn)
			g->member[i].turn = 2 * (uint64_t)i;
	qsort(g->member, g->n_members, sizeof(*g->member), by_turn);
}

static bool
list_members(struct given *g)
{
	const struct moore_topo_family *f;

	g->degree = moore_adjacency_max_degree(&g->g);
	for (size_t i = 0; (f = moore_topo_family_at(i)); i++) {
		int64_t param[MOORE_TOPO_MAX_PARAMS] = { 0 };

		for (unsigned k = 0; k < MOORE_TOPO_MAX_PARAMS && f->param[k].key; k++)
			param[k] = f->param[k].dflt;
		if (!f->random && !list_from(g, f, param, 0))
			return false;
	}
	sort_members(g);
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

/* Counts the cycles of a graph, and prepares its view. */
static bool
look_at(const struct moore_adjacency *g, size_t bytes, struct moore_cycles *cycles,
	struct moore_view *view, struct moore_arena *mem)
{
	uint32_t *common = moore_arena_alloc(mem, (size_t)g->n + 1, sizeof(*common));
	uint64_t *at = moore_arena_alloc(mem, (size_t)g->n + 1, MOORE_N_CYCLES * sizeof(*at));

	if (!common || !at)
		return false;
	*cycles = moore_cycles_count(g, common, at);
	return moore_view_init(view, g, at, bytes, mem);
}

/* Lists pairs of vertices from which the views of m and of the graph are alike. */
static int
compare_views(struct given *g, struct member *m, struct effort *left, struct moore_err *err)
{
	uint64_t effort = left->viewing / SHARE_OF_VIEW;
	const uint64_t before = effort;

	if (!moore_embed_roots(&m->roots, &g->view, &m->view, &effort, &m->mem))
		return moore_fail_nomem(err);
	left->viewing -= before - effort;
	return m->roots.n > 0;
}

/* Builds m and looks at it.  Returns 0 when that rules it out, 1 when not. */
static int
build_member(struct given *g, struct member *m, struct effort *left, struct moore_err *err)
{
	const size_t bytes = left->bytes / SHARE_OF_VIEW;
	size_t most;
	int rc;

	if ((rc = moore_topo_build(&m->t, m->f, m->param, err)) < 0)
		return rc;
	if (!moore_adjacency_init(&m->g, m->t->n_switches, m->t->link, m->t->n_links, &m->mem) ||
	    !look_at(&m->g, bytes, &m->cycles, &m->view, &m->mem))
		return moore_fail_nomem(err);
	left->counting = less(left->counting, 3 * n_meetings(&m->g));
	if (is_hopeless(g, m))
		return 0;
	most = (size_t)m->g.n * m->g.n;
	left->bytes -= most < bytes ? most : bytes;
	return compare_views(g, m, left, err);
}

/* Builds the next member, and puts it after those that are kept unless it is ruled out. */
static int
try_next(struct given *g, struct effort *left, struct moore_err *err)
{
	struct member *next = &g->member[g->n_tried++], *m = &g->member[g->n_hopeful];
	int rc;

	if (m != next)
		*m = *next;
	if ((rc = build_member(g, m, left, err)) <= 0)
		drop_member(m);
	else
		g->n_hopeful++;
	return rc < 0 ? rc : 0;
}

/* Builds members until one more is kept. */
static int
keep_one_more(struct given *g, struct effort *left, struct moore_err *err)
{
	const uint32_t before = g->n_hopeful;
	int rc = 0;

	while (rc == 0 && g->n_hopeful == before && g->n_tried < g->n_members && left->counting)
		rc = try_next(g, left, err);
	return rc;
}

/* 1, 1, 2, 1, 1, 2, 4 and so on: whether many short attempts are needed or few long ones, at most a
 * logarithmic factor is lost (Luby, Sinclair and Zuckerman, "Optimal speedup of Las Vegas algorithms",
 * 1993). */
static uint64_t
luby(uint32_t i)
{
	uint64_t most = 1;

	while (most <= i)
		most = 2 * most + 1;
	for (; most != i + 1; most /= 2)
		if (i >= most / 2 && i + 1 < most)
			i -= (uint32_t)(most / 2);
	return (most + 1) / 2;
}

/* Makes the next attempt at m: each pair of vertices is tried with both sequences.  *left is the effort
 * that is left for all.  Most graphs are found by the first two. */
static int
attempt(struct given *g, struct member *m, uint64_t *left, uint32_t *image, struct moore_err *err)
{
	const uint64_t most = at_least(EFFORT_OF_ATTEMPT * n_meetings(&g->g), LEAST_OF_ATTEMPT);
	const uint32_t number = m->n_attempts++;
	uint64_t effort = number == 2 ? *left / SHARE_OF_MEND : 0, before = effort;
	int rc = 0;

	if (number == 2)
		rc = moore_topo_mend(&g->g, m->t, &m->g, &m->cycles, &effort, image);
	*left -= before - effort;
	effort = before = *left < most * luby(number / 2) ? *left : most * luby(number / 2);
	if (rc == 0)
		rc = moore_topo_embed(&g->view, &m->view, &m->roots.pair[number / 2], number % 2, &effort,
				      image);
	*left -= before - effort;
	return rc < 0 ? moore_fail_nomem(err) : rc;
}

/* The less alike the next pair of m, and the more attempts were made, the later comes the next one. */
static uint64_t
weight(const struct member *m)
{
	const uint64_t unlike = m->roots.pair[m->n_attempts / 2].unlike + 1;
	const uint64_t most = unlike < MOST_UNLIKE ? unlike : MOST_UNLIKE;

	return most * most * most * (m->n_attempts + 1);
}

static struct member *
next_member(struct given *g)
{
	struct member *best = NULL;

	for (uint32_t i = 0; i < g->n_hopeful; i++) {
		struct member *m = &g->member[i];

		if (m->n_attempts < 2 * m->roots.n && (!best || weight(m) < weight(best)))
			best = m;
	}
	return best;
}

/* Finds the member that the graph is a part of: *of stays NULL when none is found.  Each round
 * builds one more member, and makes one attempt. */
static int
find(struct given *g, struct member **of, uint32_t *image, struct moore_err *err)
{
	const uint64_t n = n_meetings(&g->g);
	struct effort left = { at_least(EFFORT * n, LEAST), at_least(EFFORT_OF_COUNTING * n, LEAST),
			       at_least(EFFORT_OF_VIEWING * n, LEAST), DISTANCES_OF_MEMBERS };
	struct member *m;
	int rc;

	while (left.embedding) {
		if ((rc = keep_one_more(g, &left, err)) < 0)
			return rc;
		if (!(m = next_member(g)))
			return 0;
		if ((rc = attempt(g, m, &left.embedding, image, err)) != 0) {
			*of = rc > 0 ? m : NULL;
			return rc < 0 ? rc : 0;
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
	uint32_t *mark = moore_arena_alloc(&g->tmp, (size_t)g->g.n + 1, sizeof(*mark));
	struct member *of = NULL;
	int rc;

	if (!mark)
		return moore_fail_nomem(err);
	if (g->g.n < MOORE_TOPO_MISSING || has_parallels(g, mark))
		return 0;
	if (!look_at(&g->g, DISTANCES, &g->cycles, &g->view, &g->tmp) || !list_members(g))
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

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint_beside.c - the table that all detours between two neighbours keep to under sl-hint.
 *
 * Such detours have four hops, s -> x -> y -> z -> d, and few of them have a right table in
 * common.  Admitted one by one, they could leave a direction without any; so both directions
 * keep to one table, the one that is right for most.
 *
 * To count the detours to one d, the routes y -> z -> d are listed by y: few y have several. */
#include "base/arena.h"
#include "route/hint/hint_tree.h"

struct beside {
	struct moore_rhint *h;
	const struct moore_rview *v;
	struct ends {		/* of a worker */
		uint32_t *first;	/* by y: its first route in end[], or MOORE_NONE */
		struct end {		/* y -> z -> d */
			uint32_t z, next;
			uint8_t ok;	/* ok[] of y */
		} *end;
	} *worker;
	uint32_t (*right)[MOORE_N_HINTS];	/* by edge s -> d: detours for which each table is
						 * right */
};

static void
list_ends(const struct beside *b, struct ends *l, uint32_t d)
{
	const struct moore_rgraph *g = b->v->g;
	uint32_t n = 0;

	for (uint32_t y = 0; y < g->n; y++)
		l->first[y] = MOORE_NONE;
	for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
		for (uint32_t z = g->to[e], k = g->xadj[z]; k < g->xadj[z + 1]; k++) {
			uint32_t y = g->to[k];
			unsigned turn = moore_rhint_turn(b->v->turns->pos, y, z, d);

			if (!(g->flags[e] & g->flags[g->rev[k]] & b->v->flag))
				continue;
			l->end[n] = (struct end){ z, l->first[y], b->h->extend[0][turn][OK_ALL] };
			l->first[y] = n++;
		}
}

/* Adds to n[] the detours that begin with s -> x -> y, each under the set of tables that are
 * right for it. */
static void
count_over(const struct beside *b, const struct ends *l, uint32_t s, uint32_t x, uint32_t y,
	   uint32_t n[OK_TABLES + 1])
{
	const uint32_t *pos = b->v->turns->pos;
	const uint8_t *extend = b->h->extend[0][moore_rhint_turn(pos, s, x, y)];

	for (uint32_t i = l->first[y]; i != MOORE_NONE; i = l->end[i].next) {
		uint32_t z = l->end[i].z;

		if (z != x && z != s)
			n[extend[b->h->extend[0][moore_rhint_turn(pos, x, y, z)][l->end[i].ok]] &
			  OK_TABLES]++;
	}
}

/* Fills right[] of an edge s -> d, when the routes to d are listed. */
static void
count_right(const struct beside *b, const struct ends *l, uint32_t s, uint32_t d,
	    uint32_t right[MOORE_N_HINTS])
{
	const struct moore_rgraph *g = b->v->g;
	uint32_t n[OK_TABLES + 1] = { 0 };

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		for (uint32_t x = g->to[e], k = g->xadj[x]; k < g->xadj[x + 1]; k++)
			if (x != d && g->to[k] != s && g->to[k] != d &&
			    g->flags[e] & g->flags[k] & b->v->flag)
				count_over(b, l, s, x, g->to[k], n);
	for (unsigned t = 0; t < MOORE_N_HINTS; t++)
		for (unsigned m = 0; m <= OK_TABLES; m++)
			right[t] += (m >> t & 1) * n[m];
}

/* Fills right[] of all edges to d. */
static void
count_job(void *arg, unsigned worker, size_t d)
{
	const struct beside *b = arg;
	const struct moore_rgraph *g = b->v->g;
	struct ends *l = &b->worker[worker];

	list_ends(b, l, (uint32_t)d);
	for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
		if (g->flags[e] & b->v->flag)
			count_right(b, l, g->to[e], (uint32_t)d, b->right[g->rev[e]]);
}

/* The table that is right for most detours along edge e, or the other way if these are fewer. */
static unsigned
table_beside(const struct beside *b, uint32_t e)
{
	static const uint8_t table[] = { MOORE_HINT_C, MOORE_HINT_B, MOORE_HINT_D, MOORE_HINT_A };
	const uint32_t *there = b->right[e], *back = b->right[b->v->g->rev[e]];
	uint32_t most = 0;
	unsigned best = table[0];

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		unsigned t = table[i];
		uint32_t least = there[t] < back[t] ? there[t] : back[t];

		if (least > most) {
			most = least;
			best = t;
		}
	}
	return best;
}

static bool
alloc(struct beside *b, unsigned width, struct moore_arena *tmp)
{
	const struct moore_rgraph *g = b->v->g;

	b->right = moore_arena_alloc(tmp, (size_t)g->n_edges + 1, sizeof(*b->right));
	b->worker = moore_arena_alloc(tmp, width, sizeof(*b->worker));
	for (unsigned i = 0; b->worker && i < width; i++) {
		struct ends *l = &b->worker[i];

		l->first = moore_arena_alloc(tmp, (size_t)g->n + 1, sizeof(*l->first));
		l->end = moore_arena_alloc(tmp, (size_t)g->n_edges + 1, sizeof(*l->end));
		if (!l->first || !l->end)
			return false;
	}
	return b->right && b->worker;
}

/* Notes for each pair of neighbours that only the table of most detours is right. */
static void
choose_tables(const struct beside *b)
{
	const struct moore_rgraph *g = b->v->g;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			uint32_t d = g->to[e];
			uint16_t only;

			if (s > d || !(g->flags[e] & b->v->flag))
				continue;
			only = (uint16_t)(1u << (1u << table_beside(b, e)));
			b->h->met_planned[(size_t)s * g->n + d] |= only;
			b->h->met_planned[(size_t)d * g->n + s] |= only;
		}
}

int
moore_rhint_set_beside(struct moore_rhint *h, const struct moore_rview *v)
{
	unsigned width = moore_jobs_width(h->jobs, v->g->n);
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct beside b = { .h = h, .v = v };
	bool ok = alloc(&b, width, &tmp);

	if (ok) {
		moore_jobs_run(h->jobs, width, v->g->n, count_job, &b);
		choose_tables(&b);
	}
	moore_arena_free(&tmp);
	return ok ? 0 : -MOORE_ENOMEM;
}

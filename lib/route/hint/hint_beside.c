// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint_beside.c - the table that all detours between two neighbours keep to under sl-hint.
 *
 * Such detours have four hops, s -> x -> y -> z -> d, and few of them have a right table in
 * common.  Admitted one by one, they could leave a direction without any; so both directions
 * keep to one table, the one that is right for most.
 *
 * To count the detours to one d, the routes y -> z -> d are listed by y: few y have several.
 * Switches are named by their places in the order there. */
#include <string.h>

#include "base/arena.h"
#include "route/hint/hint_tree.h"

struct beside {
	struct moore_rhint *h;
	const struct moore_rview *v;
	uint32_t *at, *end_at;	/* from xadj[x] on to end_at[x]: places of its neighbours, sorted */
	/* extend[] for a first edge on VL 0; 16 bits for each table, which are 1 where it is right */
	uint64_t count[N_TURNS][256];
	struct end {		/* y -> z -> d */
		uint32_t z, next;	/* another one of y; 0 ends */
		/* ok[] of x -> y -> z -> d: down where the order has x before y, so some table is
		 * right; else up[1] where it has z before x */
		uint8_t down, up[2];
	} **worker;		/* of each worker: by y, its first one (zeroes: none), then all others */
	uint32_t (*right)[MOORE_N_HINTS];	/* by edge s -> d: detours for which each table is
						 * right */
};

/* Sorts neighbours by their places, so that the branches taken for them are mostly alike. */
static void
sort_neighbours(struct beside *b)
{
	const struct moore_rgraph *g = b->v->g;

	for (uint32_t x = 0; x < g->n; x++) {
		uint32_t *from = b->at + g->xadj[x], *end = from;

		for (uint32_t e = g->xadj[x]; e < g->xadj[x + 1]; e++) {
			uint32_t place = b->v->turns->pos[g->to[e]], *at = end;

			if (!(g->flags[e] & b->v->flag))
				continue;
			for (end++; at > from && at[-1] > place; at--)
				*at = at[-1];
			*at = place;
		}
		b->end_at[x] = (uint32_t)(end - b->at);
	}
}

static void
tabulate(struct beside *b)
{
	for (unsigned turn = 0; turn < N_TURNS; turn++)
		for (unsigned rest = 0; rest < 256; rest++) {
			uint64_t ok = b->h->extend[0][turn][rest];

			b->count[turn][rest] = 0;
			for (unsigned t = 0; t < MOORE_N_HINTS; t++)
				b->count[turn][rest] |= (ok >> t & 1) << 16 * t;
		}
}

static struct end
make_end(const struct beside *b, uint32_t y, uint32_t z, uint32_t d, uint32_t next)
{
	const uint8_t (*extend)[256] = b->h->extend[0];
	uint8_t ok = extend[moore_rhint_turn_at(y, z, d)][OK_ALL];

	return (struct end){ z, next, extend[z < y ? DU : DD][ok],
		{ extend[z < y ? UU : UD][ok], extend[z < y ? UU : UD_GREATER][ok] } };
}

/* Lists the ends of all y but d. */
static void
list_ends(const struct beside *b, struct end *end, uint32_t d)
{
	const struct moore_rgraph *g = b->v->g;
	const uint32_t *pos = b->v->turns->pos;
	uint32_t n = g->n;

	memset(end, 0, g->n * sizeof(*end));
	for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
		for (uint32_t z = g->to[e], k = g->xadj[z]; k < g->xadj[z + 1]; k++) {
			uint32_t y = pos[g->to[k]];

			if (g->to[k] == d || !(g->flags[e] & g->flags[g->rev[k]] & b->v->flag))
				continue;
			end[n] = end[y];
			end[y] = make_end(b, y, pos[z], pos[d], end[n].down ? n++ : 0);
		}
}

/* Returns the detours that begin with s -> x -> y and end like this, as count[] has them. */
static inline uint64_t
count_end(const struct beside *b, const struct end *end, uint32_t s, uint32_t x, uint32_t y)
{
	uint8_t ok = x < y ? end->down : end->up[end->z < x];
	uint64_t n = b->count[moore_rhint_turn_at(s, x, y)][ok];

	return y == s || end->z == x || end->z == s ? 0 : n;
}

/* Adds to right[] the detours that begin with s -> x.  There are fewer than 2^16 over x. */
static void
count_over(const struct beside *b, const struct end *end, uint32_t s, uint32_t x,
	   uint32_t right[MOORE_N_HINTS])
{
	const struct moore_rgraph *g = b->v->g;
	const uint32_t *pos = b->v->turns->pos, *at = b->at;
	uint64_t n = 0;

	for (uint32_t k = g->xadj[x]; k < b->end_at[x]; k++) {
		uint32_t y = at[k];

		n += count_end(b, &end[y], pos[s], pos[x], y);
		for (uint32_t i = end[y].next; i; i = end[i].next)
			n += count_end(b, &end[i], pos[s], pos[x], y);
	}
	for (unsigned t = 0; t < MOORE_N_HINTS; t++)
		right[t] += (uint32_t)(n >> 16 * t & 0xffff);
}

/* Fills right[] of all edges to d. */
static void
count_job(void *arg, unsigned worker, size_t d)
{
	const struct beside *b = arg;
	const struct moore_rgraph *g = b->v->g;
	struct end *end = b->worker[worker];

	list_ends(b, end, (uint32_t)d);
	for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
		for (uint32_t s = g->to[e], k = g->xadj[s]; k < g->xadj[s + 1]; k++)
			if (g->to[k] != d && g->flags[e] & g->flags[k] & b->v->flag)
				count_over(b, end, s, g->to[k], b->right[g->rev[e]]);
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

	b->at = moore_arena_alloc(tmp, (size_t)g->n_edges + 1, sizeof(*b->at));
	b->end_at = moore_arena_alloc(tmp, (size_t)g->n + 1, sizeof(*b->end_at));
	b->right = moore_arena_alloc(tmp, (size_t)g->n_edges + 1, sizeof(*b->right));
	b->worker = moore_arena_alloc(tmp, width, sizeof(*b->worker));
	for (unsigned i = 0; b->worker && i < width; i++)
		if (!(b->worker[i] = moore_arena_alloc(tmp, (size_t)g->n + g->n_edges + 1,
						       sizeof(**b->worker))))
			return false;
	return b->at && b->end_at && b->right && b->worker;
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
		sort_neighbours(&b);
		tabulate(&b);
		moore_jobs_run(h->jobs, width, v->g->n, count_job, &b);
		choose_tables(&b);
	}
	moore_arena_free(&tmp);
	return ok ? 0 : -MOORE_ENOMEM;
}

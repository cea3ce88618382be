// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* assign.c - the permutation of greatest worth: the linear assignment problem, by shortest
 * augmenting paths.
 *
 * Every row i and column j has a potential, and u[i] + v[j] >= worth[i][j] throughout.  A
 * pair is tight when both sides are equal.  All assigned pairs are tight, so when every row
 * is assigned, no permutation has a greater sum.  Potentials start at the row maxima, rows
 * take a free tight column where there is one, and each of the other rows takes the path of
 * least slack to a free column (Jonker and Volgenant, Computing 38, 1987). */
#include <math.h>
#include <string.h>

#include "load/permutation.h"

struct problem {
	const double *worth;
	uint32_t n;
	uint32_t *to, *from;	/* column of a row, row of a column; or MOORE_NONE */
	double *u, *v;
	double *slack;		/* least slack of a path to the column */
	uint32_t *via;		/* the row from which that path enters it */
	uint32_t *open;		/* columns whose slack is not final, n_open of them */
	uint32_t *done;		/* columns whose slack is final */
};

static void
begin(struct problem *p)
{
	const uint32_t n = p->n;

	for (uint32_t j = 0; j < n; j++)
		p->to[j] = p->from[j] = MOORE_NONE;
	for (uint32_t i = 0; i < n; i++) {
		const double *w = &p->worth[(size_t)i * n];

		p->u[i] = w[0];
		for (uint32_t j = 1; j < n; j++)
			p->u[i] = w[j] > p->u[i] ? w[j] : p->u[i];
		for (uint32_t j = 0; j < n && p->to[i] == MOORE_NONE; j++)
			if (w[j] >= p->u[i] && p->from[j] == MOORE_NONE) {
				p->to[i] = j;
				p->from[j] = i;
			}
	}
}

/* Updates the slack of the open columns by paths through row i; returns the position in
 * open[] of the one with the least. */
static uint32_t
relax(struct problem *p, uint32_t i, double so_far, uint32_t n_open)
{
	const double *w = &p->worth[(size_t)i * p->n];
	uint32_t best = 0;

	for (uint32_t o = 0; o < n_open; o++) {
		const uint32_t j = p->open[o];
		const double slack = so_far + (p->u[i] + p->v[j] - w[j]);

		if (slack < p->slack[j]) {
			p->slack[j] = slack;
			p->via[j] = i;
		}
		if (p->slack[j] < p->slack[p->open[best]] ||
		    (p->slack[j] <= p->slack[p->open[best]] && p->from[j] == MOORE_NONE))
			best = o;
	}
	return best;
}

/* Assigns a free row, moving others along the path of least slack. */
static void
augment(struct problem *p, uint32_t free_row)
{
	uint32_t n_open = p->n, n_done = 0, i = free_row, j;
	double least = 0;

	for (j = 0; j < p->n; j++) {
		p->open[j] = j;
		p->slack[j] = INFINITY;
	}
	for (;;) {
		uint32_t o = relax(p, i, least, n_open);

		j = p->open[o];
		least = p->slack[j];
		p->open[o] = p->open[--n_open];
		if (p->from[j] == MOORE_NONE)
			break;
		p->done[n_done++] = j;
		i = p->from[j];
	}
	p->u[free_row] -= least;
	for (uint32_t d = 0; d < n_done; d++) {
		p->u[p->from[p->done[d]]] -= least - p->slack[p->done[d]];
		p->v[p->done[d]] += least - p->slack[p->done[d]];
	}
	do {
		uint32_t next;

		i = p->via[j];
		next = p->to[i];
		p->to[i] = j;
		p->from[j] = i;
		j = next;
	} while (i != free_row);
}

int
moore_assign(uint32_t *to, const double *worth, uint32_t n, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct problem p = { .worth = worth, .n = n, .to = to };
	bool ok = (p.from = moore_arena_alloc(&tmp, n, sizeof(*p.from))) &&
		  (p.u = moore_arena_alloc(&tmp, n, sizeof(*p.u))) &&
		  (p.v = moore_arena_alloc(&tmp, n, sizeof(*p.v))) &&
		  (p.slack = moore_arena_alloc(&tmp, n, sizeof(*p.slack))) &&
		  (p.via = moore_arena_alloc(&tmp, n, sizeof(*p.via))) &&
		  (p.open = moore_arena_alloc(&tmp, n, sizeof(*p.open))) &&
		  (p.done = moore_arena_alloc(&tmp, n, sizeof(*p.done)));

	if (ok) {
		begin(&p);
		for (uint32_t i = 0; i < n; i++)
			if (to[i] == MOORE_NONE)
				augment(&p, i);
	}
	moore_arena_free(&tmp);
	return ok ? 0 : moore_fail_nomem(err);
}
